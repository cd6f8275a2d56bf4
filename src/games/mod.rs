//! The games: maps and their files, readable rules, playout policies.

use std::fmt::Debug;

use fairground_kernels::rng::Rng;
use fairground_kernels::{Outcome, Queue, SimdLevel};

use crate::batch::gpu;

pub mod builtin;
pub mod catan;
pub mod fault;
pub mod saboteur;
pub mod tubstap;

/// What the batch evaluator asks of a game.
pub trait Game: Sized + 'static {
    /// Name on the command line.
    const NAME: &'static str;
    /// Changes whenever the same seed may give other playouts, and only then.
    const RULES_VERSION: &'static str;
    /// Names of the seats, in the order of [`Tally::wins`](crate::batch::Tally::wins).
    const SEATS: &'static [&'static str];

    /// A position, at any moment of a game.
    type Position: Clone + Debug + PartialEq + Send + Sync;
    /// What a player does when asked.
    type Action: Copy + Debug + PartialEq + Send + Sync;
    /// How the players of a playout choose.
    type Policy: Copy + Debug + Send + Sync;
    /// A position in the words that kernels and shaders start from.
    type Packed: bytemuck::Pod + Debug + Send + Sync;

    /// Packs a position.
    fn pack(position: &Self::Position) -> Self::Packed;
    /// Unpacks a position, also one a backend ended in.
    fn unpack(packed: &Self::Packed) -> Self::Position;
    /// A number that identifies the position: equal positions, equal keys.
    fn key(position: &Self::Position) -> u64;

    /// Plays a position to the end of a playout on the readable rules engine: the reference.
    fn play(position: &mut Self::Position, policy: Self::Policy, rng: &mut Rng) -> Outcome;
    /// Plays all playouts of a queue in lockstep. Must return exactly what [`play`](Self::play) returns.
    fn play_lockstep(level: SimdLevel, policy: Self::Policy, queue: &mut Queue<'_, Self::Packed>);
    /// The compute shader that does the same.
    fn shader(policy: Self::Policy) -> gpu::Shader;
}
