//! Catan: the trading game for four players on nineteen hexes.

pub mod action;
pub mod builtin;
pub mod cards;
pub mod check;
pub mod file;
pub mod generate;
pub mod longest_road;
pub mod map;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod rules;
pub mod symmetry;
pub mod trade;
pub mod wall;

pub use action::{Action, Chance, IllegalAction};
pub use cards::Cards;
pub use fairground_kernels::catan::{Policy, TURN_CAP, tables};
pub use map::Map;
pub use pieces::{Card, Port, Resource};
pub use position::{Land, Phase, Player, Position};
pub use trade::Offer;
pub use wall::Roads;

use fairground_kernels::Outcome;
use fairground_kernels::rng::Rng;

/// The game, for the batch evaluator.
#[derive(Clone, Copy, Debug)]
pub struct Catan;

impl Catan {
    /// Name on the command line.
    pub const NAME: &'static str = "catan";
    /// Changes whenever the same seed may give other playouts, and only then.
    pub const RULES_VERSION: &'static str = "catan-1";
    /// Names of the seats.
    pub const SEATS: &'static [&'static str] = &["first", "second", "third", "fourth"];

    /// A number that identifies the position: equal positions, equal keys.
    #[must_use]
    pub fn key(position: &Position) -> u64 {
        position.key()
    }

    /// Plays a position to the end of a playout on the readable rules engine: the reference.
    pub fn play(position: &mut Position, policy: Policy, rng: &mut Rng) -> Outcome {
        policy::play(position, policy, rng)
    }
}
