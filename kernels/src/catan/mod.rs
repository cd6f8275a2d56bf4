//! Catan in lockstep: the board, numbers and packed layout shared by every backend, and the SIMD kernel.
//!
//! The kernel: `state` is what lanes know, `rules` what most of them do at once, `single` and `building` what is rare
//! and done lane by lane; `random`, `random_s` and [`heuristic`] choose; `lockstep` starts, ends and
//! counts the playouts, and `openings` are set-ups to start from.

mod building;
pub mod cards;
pub mod counts;
pub mod heuristic;
mod lockstep;
pub mod longest_road;
pub mod misc;
mod openings;
pub mod packed;
mod random;
mod random_s;
mod rules;
mod single;
mod state;
pub mod tables;
pub mod wall;

pub use cards::Cards;
pub use lockstep::play_lockstep;
pub use packed::{Packed, PackedPlayer, Phase};
pub use wall::Roads;

use tables::SEATS;

/// How a player chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A uniform one of the distinct legal actions.
    Random,
    /// A uniform entry of the list that SmartSettlers draws from, where some actions stand more than once.
    RandomS,
    /// Builds what its production pays soonest, in the spirit of the robots of JSettlers.
    Heuristic,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Random, Self::RandomS, Self::Heuristic];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::RandomS => "random-s",
            Self::Heuristic => "heuristic",
        }
    }
}

/// How the players of a playout choose, and when it is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The players' strategies by seat.
    pub seats: [Strategy; SEATS],
    /// Turns after which a playout is cut off, counted from its start.
    pub turn_cap: u32,
}

impl Policy {
    /// Every player with the same strategy, cut off after [`TURN_CAP`] turns.
    #[must_use]
    pub const fn all(strategy: Strategy) -> Self {
        Self { seats: [strategy; SEATS], turn_cap: TURN_CAP }
    }
}

/// The usual [`Policy::turn_cap`]: one random game in two thousand is longer.
pub const TURN_CAP: u32 = 1000;
