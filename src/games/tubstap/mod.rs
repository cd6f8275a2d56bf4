//! TUBSTAP: a turn-based strategy game for two sides on a small square map.

pub mod board;
pub mod builtin;
pub mod file;
pub mod generate;
pub mod map;
pub mod mss;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod record;
pub mod rules;
mod shader;

pub use board::{Board, Cell};
pub use fairground_kernels::tubstap::{Policy, tables};
pub use map::{Map, MapUnit};
pub use pieces::{Kind, Team, Terrain};
pub use position::{Position, Side, Unit};
pub use rules::{Action, Verdict};

use fairground_kernels::rng::Rng;
use fairground_kernels::tubstap::{Packed, play_lockstep};
use fairground_kernels::{Outcome, Queue, SimdLevel};

use super::Game;
use crate::batch::gpu;

/// The game, for [`Batch`](crate::batch::Batch).
#[derive(Clone, Copy, Debug)]
pub struct Tubstap;

impl Game for Tubstap {
    const NAME: &'static str = "tubstap";
    const RULES_VERSION: &'static str = "tubstap-1";
    const SEATS: &'static [&'static str] = &["red", "blue"];

    type Position = Position;
    type Action = Action;
    type Policy = Policy;
    type Packed = Packed;

    fn pack(position: &Position) -> Packed {
        position.pack()
    }

    fn unpack(packed: &Packed) -> Position {
        Position::unpack(packed)
    }

    fn key(position: &Position) -> u64 {
        position.key()
    }

    fn play(position: &mut Position, policy: Policy, rng: &mut Rng) -> Outcome {
        policy::play(position, policy, rng)
    }

    fn play_lockstep(level: SimdLevel, policy: Policy, queue: &mut Queue<'_, Packed>) {
        play_lockstep(level, policy, queue);
    }

    fn shader(policy: Policy) -> gpu::Shader {
        shader::shader(policy)
    }
}
