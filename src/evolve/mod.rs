//! Evolution of fair maps.
//!
//! A [`Method`] makes one generation after another. What a generation is depends on the one before and on the method's
//! settings alone, so that a run can be stopped after any of them and go on to the same end:
//!
//! ```text
//! begin -> State 0 -> next -> State 1 -> next -> ... -> State n -> rank (fresh games) -> the best maps
//! ```
//!
//! - [`paper`]: the genetic algorithm of the paper, which fails.
//! - [`lines`]: what finds fair maps.
//! - [`judge`]: games of one player against itself, by which maps are measured.
//! - [`census`]: why maps are worth nothing.
//! - [`variation`]: new maps from old ones.
//! - [`race`]: the best few of many maps in fewer games.
//! - [`rank`]: the best maps of the last generation.
//! - [`plan`] and [`run`]: a whole evolution in a run directory.

use std::collections::BTreeSet;

use fairground_kernels::rng::absorb;
use serde::{Deserialize, Serialize};

use crate::batch::{EvaluateError, Watch};
use crate::games::tubstap::generate::GenerateError;
use crate::games::tubstap::{Map, file};

use judge::{Judge, Standing};

pub mod census;
pub mod judge;
pub mod lines;
pub mod paper;
pub mod plan;
pub mod race;
pub mod rank;
pub mod run;
pub mod variation;

/// A map in evolution and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// The map. Units that cannot stand where they are take no part in games.
    #[serde(with = "as_file")]
    pub map: Map,
    /// Its games.
    pub standing: Standing,
    /// Its games of a lighter player than the judge's.
    #[serde(default, skip_serializing_if = "Standing::is_empty")]
    pub scouted: Standing,
}

impl Individual {
    /// A map of which nothing is known.
    #[must_use]
    pub fn new(map: Map) -> Self {
        Self { map, standing: Standing::default(), scouted: Standing::default() }
    }

    /// The games of the judge, or those of the lighter player if there are none yet.
    #[must_use]
    pub const fn known(&self) -> &Standing {
        if self.standing.is_empty() { &self.scouted } else { &self.standing }
    }
}

/// A generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Its number; the first is 0.
    pub generation: u64,
    /// Its maps, in the order of the method.
    pub individuals: Vec<Individual>,
    /// Games of the judge in all generations.
    pub games: u64,
    /// [`fingerprint`]s of maps that need not be looked at again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub seen: BTreeSet<u64>,
}

/// A number that tells maps apart by what is played on them.
#[must_use]
pub fn fingerprint(map: &Map) -> u64 {
    let text = file::write(&Map { comment: None, author: None, ..map.clone() });
    text.bytes().fold(0, |sum, byte| absorb(sum, byte.into()))
}

/// Why there is no next generation.
#[derive(Debug, thiserror::Error)]
pub enum EvolveError {
    /// Games could not be played, or are to stop.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// There are no such maps.
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

/// A way to make generations.
pub trait Method: std::fmt::Debug {
    /// Whether no generation follows this one.
    fn is_last(&self, state: &State) -> bool;

    /// The first generation. The watcher is told of every game.
    ///
    /// # Errors
    /// If no map can be drawn, if the evaluator fails, or if the watcher asks to stop.
    fn begin(&self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError>;

    /// The generation after this one. It depends on the method's settings, the state and the judge's player and seed.
    ///
    /// # Errors
    /// If the evaluator fails or the watcher asks to stop.
    fn next(&self, state: &State, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError>;
}

/// A map as the text of its file.
mod as_file {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::games::fault::Fault;
    use crate::games::tubstap::{Map, file};

    pub fn serialize<S: Serializer>(map: &Map, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&file::write(map))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = |faults: Vec<Fault>| {
            let faults: Vec<_> = faults.iter().map(|fault| format!("line {}: {}", fault.line, fault.message)).collect();
            D::Error::custom(format!("a map of the file is damaged: {}", faults.join("; ")))
        };
        file::parse(text.as_bytes()).map(|parsed| parsed.map).map_err(wrong)
    }
}
