//! TUBSTAP in lockstep: tables and packed layout shared by every backend, and the SIMD kernel.
//!
//! The kernel reads like the rules engine: [`rules`](self) finds destinations and attacks and lets units
//! fight, `policy` chooses, `lockstep` starts, ends and counts the playouts.

mod lockstep;
pub mod packed;
mod policy;
mod rules;
pub mod tables;

pub use lockstep::play_lockstep;
pub use packed::{Packed, PackedSide};

/// How the players of a playout choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// A uniform unacted unit, then a uniform one of its attacks and moves, to the end of the game.
    Random,
    /// The rollout of M-UCT: attacks with probability 4/5, judged from the first mover's view.
    Muct,
    /// The rollout of MSSystem: always attack if possible, else approach; ten phases, weighted hit points.
    Mss,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Random, Self::Muct, Self::Mss];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Muct => "muct",
            Self::Mss => "mss",
        }
    }
}

/// Phases after which a playout is cut off, whatever the map's own limit. Part of the rules version.
pub const PHASE_CAP: u32 = 1000;

/// Phases of a [`Policy::Mss`] playout.
pub const MSS_PHASES: u32 = 10;

/// How often [`Policy::Mss`] counts the hit points of all units but infantry.
pub const MSS_WEIGHT: u32 = 5;
