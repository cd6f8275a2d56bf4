//! Certifying that the seats of a map of Catan are equal: the sequential test, map by map, on fresh games.
//!
//! Every [`LOOK`] games the [evidence](crate::stats::seats::evidence) against a true spread of at least sigma is looked at. A map is
//! certified when there is enough of it, and dropped when it speaks for the opposite. With several maps the
//! [`Correction`] keeps the wrong certificates few. A map that is certified stays so whatever becomes of the others: with
//! e-BH its evidence was enough for as many maps as were certified then, and more of them only ask for less.
//!
//! The games are fresh: their random numbers are not those of any evaluation, whatever its seed, so that a map may be chosen
//! by `eval` and certified with the same seed. Whatever else certifies maps does so with a seed of its own, such as
//! [`find`](crate::find::Plan::certification_seed).
//!
//! Games that were cut off have no winner and are left out. The true spread is that of the games which end; over all games it
//! is smaller still.

mod certificate;
mod set;

pub use certificate::{Certificate, CertificateError};
pub use set::{Together, together};

use fairground_kernels::rng::absorb;
use serde::{Deserialize, Serialize};

use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::Game;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, Policy, Position, Strategy, file};
use crate::stats::seats::evidence::{Correction, DROP, least_games, log_e_value};
use crate::stats::seats::spread;

/// Games between two looks, and the fewest before the first.
pub const LOOK: u64 = 2000;

/// The most games of a map.
pub const MAX_GAMES: u64 = 1 << 40;

/// Keeps the games apart from those that maps are chosen by.
const STREAM: u64 = 0x6365_7274_6966_7921;

/// What is to be certified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The players' strategies by seat.
    pub players: [String; SEATS],
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
    /// The bound on the true spread, in percentage points.
    pub sigma_points: f64,
    /// How often a certificate may be wrong; see [`Correction`].
    pub level: f64,
    /// How many maps are taken into account.
    pub correction: Correction,
    /// Games of each map at most.
    pub max_games: u64,
    /// The seed of the games.
    pub seed: u64,
    /// The maps: what they are called, and what they are.
    pub maps: Vec<(String, serde_json::Value)>,
    /// Maps that are taken into account at least. Maps may join a test later, by whatever is known by then, if there is room for
    /// them from the beginning.
    #[serde(default)]
    pub room: usize,
}

impl Plan {
    /// How many maps are taken into account.
    pub(crate) fn entries(&self) -> usize {
        self.maps.len().max(self.room)
    }

    /// The logarithm of the E value that is asked for if so many maps are certified.
    fn log_threshold(&self, certified: usize) -> f64 {
        self.correction.log_threshold(self.entries(), certified, self.level)
    }
}

/// Why nothing can be certified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// A setting is out of its range.
    #[error("{0}")]
    Setting(String),
    /// Not even perfect balance would be certified.
    #[error(
        "{max_games} games are too few to certify a spread below {sigma_points} points at level {level}: even a perfectly \
         balanced map needs {needed}"
    )]
    TooFewGames {
        /// The games of each map at most.
        max_games: u64,
        /// The bound.
        sigma_points: f64,
        /// The level.
        level: f64,
        /// The fewest that could do.
        needed: u64,
    },
}

fn setting<T>(why: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError::Setting(why.into()))
}

/// Strategies by their names.
pub(crate) fn policy(players: &[String; SEATS], turn_cap: u32) -> Result<Policy, PlanError> {
    let mut seats = [Strategy::Random; SEATS];
    for (seat, name) in seats.iter_mut().zip(players) {
        let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        let Some(strategy) = known else { return setting(format!("there is no player '{name}'")) };
        *seat = strategy;
    }
    if turn_cap == 0 {
        setting("games cannot be cut off before the first turn")
    } else {
        Ok(Policy { seats, turn_cap })
    }
}

/// Whether a bound and a level can be tested.
pub(crate) fn check_bound(sigma_points: f64, level: f64) -> Result<(), PlanError> {
    if !(sigma_points > 0.0 && sigma_points < 50.0) {
        return setting(format!(
            "a spread of {sigma_points} points cannot be tested, expected more than 0 and less than 50"
        ));
    }
    if !(level > 0.0 && level < 1.0) {
        return setting(format!("{level} is no level, expected more than 0 and less than 1"));
    }
    Ok(())
}

/// A map from its JSON form.
pub(crate) fn map_of(value: &serde_json::Value) -> Result<Map, String> {
    file::parse(value.to_string().as_bytes()).map(|parsed| parsed.map).map_err(|faults| {
        let faults: Vec<_> = faults.into_iter().map(|fault| fault.message).collect();
        faults.join("; ")
    })
}

/// What became of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The true spread is below the bound.
    Certified,
    /// It probably is not.
    Dropped,
    /// The games were too few to tell.
    Undecided,
}

impl Verdict {
    /// Its name in certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Dropped => "dropped",
            Self::Undecided => "undecided",
        }
    }
}

/// The games of a map so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Games, those that were cut off too.
    pub games: u64,
    /// Wins by seat.
    pub wins: [u64; SEATS],
    /// What became of the map, and how many maps were certified then.
    pub verdict: Option<(Verdict, usize)>,
}

impl Record {
    /// Games that ended.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.wins.iter().sum()
    }

    /// The spread of the seats' win rates over the games that ended.
    #[must_use]
    pub fn spread(&self) -> f64 {
        spread(&self.wins, self.decided())
    }

    /// The logarithm of the E value against a spread of so many points; 0 before there is anything to look at.
    #[must_use]
    pub fn log_e_value(&self, sigma_points: f64) -> f64 {
        if self.decided() < LOOK { 0.0 } else { log_e_value(self.spread(), self.decided(), sigma_points / 100.0) }
    }
}

/// A sequential test of some maps.
#[derive(Clone, Debug)]
pub struct Certification {
    plan: Plan,
    policy: Policy,
    starts: Vec<Position>,
    records: Vec<Record>,
}

impl Certification {
    /// Begins a test.
    ///
    /// # Errors
    /// If there is no map, a map or a setting is wrong, or the games cannot be enough for any map.
    pub fn new(plan: Plan) -> Result<Self, PlanError> {
        let records = vec![Record::default(); plan.maps.len()];
        Self::resume(plan, records)
    }

    /// Goes on with a test.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the records are not of these maps.
    pub fn resume(plan: Plan, records: Vec<Record>) -> Result<Self, PlanError> {
        let policy = policy(&plan.players, plan.turn_cap)?;
        check_bound(plan.sigma_points, plan.level)?;
        if plan.maps.is_empty() {
            return setting("there is no map to certify");
        }
        let is_possible = |record: &Record| {
            let decided = record.wins.iter().try_fold(0_u64, |sum, &wins| sum.checked_add(wins));
            decided.is_some_and(|decided| decided <= record.games)
        };
        if plan.maps.len() != records.len() || !records.iter().all(is_possible) {
            return setting("the games so far are not those of these maps");
        }
        if plan.max_games > MAX_GAMES {
            return setting(format!("expected at most {MAX_GAMES} games"));
        }
        let needed = least_games(plan.sigma_points / 100.0, plan.log_threshold(plan.entries()));
        let needed = needed.map_or(u64::MAX, |games| games.max(LOOK));
        if plan.max_games < needed {
            let Plan { max_games, sigma_points, level, .. } = plan;
            return Err(PlanError::TooFewGames { max_games, sigma_points, level, needed });
        }
        let mut starts = Vec::with_capacity(plan.maps.len());
        for (name, map) in &plan.maps {
            match map_of(map) {
                Ok(map) => starts.push(Position::start(&map)),
                Err(why) => return setting(format!("{name} is not a map: {why}")),
            }
        }
        Ok(Self { plan, policy, starts, records })
    }

    /// What is to be certified.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The games of all maps so far.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Whether there is a verdict on every map.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.records.iter().all(|record| record.verdict.is_some())
    }

    /// Plays on all maps without a verdict up to the next look, in one batch, and looks. Returns the maps on which there is a
    /// verdict now.
    ///
    /// # Errors
    /// If the GPU fails or the watcher asks to stop. Then nothing has changed.
    pub fn advance(&mut self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Vec<usize>, EvaluateError> {
        let all: Vec<_> = (0..self.records.len()).collect();
        self.advance_some(&all, evaluator, watch)
    }

    /// The same with some maps only, which may be chosen by anything that is known so far: evidence counts whenever it is
    /// looked at, and maps that are not played on lose nothing.
    ///
    /// # Errors
    /// If the GPU fails or the watcher asks to stop. Then nothing has changed.
    pub fn advance_some(
        &mut self,
        maps: &[usize],
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Vec<usize>, EvaluateError> {
        let is_open = |map: &usize| self.records.get(*map).is_some_and(|record| record.verdict.is_none());
        let open: Vec<_> = maps.iter().copied().filter(is_open).collect();
        let mut batch = Batch::<Catan>::new(self.policy, self.plan.seed);
        for &map in &open {
            let played = self.records[map].games;
            push(&mut batch, &self.starts[map], played, LOOK.min(self.plan.max_games.saturating_sub(played)));
        }
        let tallies = evaluator.evaluate_watched(&batch, watch)?.tallies;
        for (&map, tally) in open.iter().zip(&tallies) {
            let record = &mut self.records[map];
            record.games += tally.playouts;
            record.wins.iter_mut().zip(tally.wins).for_each(|(wins, more)| *wins += more);
        }
        self.look();
        Ok(open.into_iter().filter(|&map| self.records[map].verdict.is_some()).collect())
    }

    fn look(&mut self) {
        let Plan { sigma_points, level, correction, max_games, .. } = self.plan;
        let mut values: Vec<_> = self.records.iter().map(|record| record.log_e_value(sigma_points)).collect();
        // There is no evidence for maps that have not joined.
        values.resize(self.plan.entries(), f64::NEG_INFINITY);
        let certified = correction.certified(&values, level);
        let count = certified.iter().filter(|&&is_certified| is_certified).count();
        for ((record, value), is_certified) in self.records.iter_mut().zip(values).zip(certified) {
            let verdict = if is_certified {
                Verdict::Certified
            } else if value <= DROP.ln() {
                Verdict::Dropped
            } else if record.games >= max_games {
                Verdict::Undecided
            } else {
                continue;
            };
            // A verdict stands; all maps run out of games at the same look.
            record.verdict.get_or_insert((verdict, count));
        }
    }

    /// The certificate of a map, if there is a verdict on it.
    #[must_use]
    pub fn certificate(&self, map: usize) -> Option<Certificate> {
        let (record, start) = (self.records.get(map)?, self.starts.get(map)?);
        let (verdict, certified) = record.verdict?;
        Some(Certificate::new(&self.plan, map, record, start.key(), verdict, certified))
    }
}

/// Adds games of a map to a batch.
fn push(batch: &mut Batch<Catan>, start: &Position, first: u64, games: u64) {
    batch.push_part(start, absorb(Catan::key(start), STREAM), first, games);
}
