//! Saboteur in lockstep: the cards, numbers and choices shared by every backend, and the SIMD kernel.
//!
//! The kernel: `ground` is the table of a lane, `state` what lanes know, `scores` how `paper` chooses in all of them at
//! once; `alone`, `paper` and [`full`] choose lane by lane; `lockstep` starts, ends and counts the playouts.

mod alone;
pub mod full;
mod gold;
mod ground;
mod lockstep;
pub mod packed;
mod paper;
pub mod reading;
mod scores;
mod state;
pub mod switches;
pub mod tables;

pub use gold::Gold;
pub use lockstep::play_lockstep;
pub use packed::Packed;
pub use reading::{Preset, Reading};
pub use switches::{SWITCHES, Switch};
pub use tables::Extent;

/// How a player chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A uniform one of the distinct legal actions.
    Random,
    /// The agent of the paper.
    Paper(Reading),
    /// An agent that uses every card and guesses roles, see [`full`].
    Full,
}

/// How the players of a playout choose, by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The diggers' strategy.
    pub diggers: Strategy,
    /// The saboteurs' strategy.
    pub saboteurs: Strategy,
}

impl Policy {
    /// Everybody with the same strategy.
    #[must_use]
    pub const fn all(strategy: Strategy) -> Self {
        Self { diggers: strategy, saboteurs: strategy }
    }
}
