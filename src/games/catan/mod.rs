//! Catan: the trading game for four players on nineteen hexes.

pub mod action;
pub mod builtin;
pub mod check;
pub mod file;
pub mod generate;
pub mod heuristic;
pub mod map;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod random_s;
pub mod rules;
mod shader;
pub mod symmetry;
pub mod trade;

pub use action::{Action, Chance, IllegalAction};
pub use fairground_kernels::catan::{Cards, Policy, Roads, Strategy, TURN_CAP, longest_road, tables, wall};
pub use map::Map;
pub use pieces::{Card, Port, Resource};
pub use position::{Land, Phase, Player, Position};
pub use trade::Offer;

use fairground_kernels::catan::{Packed, play_lockstep};
use fairground_kernels::rng::Rng;
use fairground_kernels::{Outcome, Queue, SimdLevel};

use super::Game;
use crate::batch::gpu;

/// The game, for [`Batch`](crate::batch::Batch).
#[derive(Clone, Copy, Debug)]
pub struct Catan;

impl Game for Catan {
    const NAME: &'static str = "catan";
    const RULES_VERSION: &'static str = "catan-1";
    const SEATS: &'static [&'static str] = &["first", "second", "third", "fourth"];

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
