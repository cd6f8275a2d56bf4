//! The players by name.

use super::mss::Mss;
use super::muct::{Muct, Settings};
use super::reference::{MaxAct, Random};
use crate::games::tubstap::Tubstap;
use crate::players::thinking::{AtOnce, Thinker};

/// A kind of player, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A uniform unit, a uniform action of it.
    Random,
    /// The attack that pays best at once, or a step to a good place.
    MaxAct,
    /// Plans for whole phases.
    Mss,
    /// Tree search over single unit actions.
    Muct(Settings),
}

impl Choice {
    /// A player for one game.
    #[must_use]
    pub fn thinker(&self) -> Box<dyn Thinker<Tubstap>> {
        match self {
            Self::Random => Box::new(AtOnce(Random)),
            Self::MaxAct => Box::new(AtOnce(MaxAct)),
            Self::Mss => Box::<Mss>::default(),
            Self::Muct(settings) => Box::new(Muct::new(settings.clone())),
        }
    }
}
