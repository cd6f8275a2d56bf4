//! A search in a run directory, from which it can go on after any interruption to the same end.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::certification::{certification_plan, certified};
use super::steps::{Stage, State};
use super::{FindError, LEAST_DIFFERENCE, Plan, STEPS, Screened, difference};
use crate::batch::{Evaluator, Watch};
use crate::certify::{Certificate, Certification, Verdict};
use crate::games::Game as _;
use crate::games::catan::{Catan, Map, file};
use crate::runs::{Directory, DirectoryError, HISTORY, MANIFEST, Manifest, TIMING};
use crate::stats::Interval;
use crate::stats::seats::balance::estimated_spread;
use crate::stats::seats::debiased_spread;

/// Changes whenever the same plan may give other maps.
const METHOD_VERSION: &str = "find-9";

/// The version of everything that decides what a plan gives.
#[must_use]
pub fn rules_version() -> String {
    format!("{} {METHOD_VERSION}", Catan::RULES_VERSION)
}

/// A line of the history: a round in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Which round.
    pub round: usize,
    /// Halving, search or certification.
    pub stage: String,
    /// Maps or lines that are left: in certification those without a verdict.
    pub left: usize,
    /// Those of them that descend from maps of the control.
    pub control: usize,
    /// Certified maps.
    pub certified: usize,
    /// Maps that wait for others to be certified with: their evidence is enough if nearly as many are certified as are wanted.
    pub waiting: usize,
    /// The spread to expect of the map or line in the middle, in points.
    pub median_points: f64,
    /// Games of everything so far.
    pub games: u64,
}

impl Line {
    fn of(round: usize, state: &State, plan: &Plan, evaluator: &Evaluator) -> Self {
        let mut waiting = 0;
        let (stage, mut spreads, left, control, certified) = match &state.stage {
            Stage::Begun => ("begun", Vec::new(), 0, 0, 0),
            Stage::Halving { pool, .. } => {
                let spreads = pool.iter().map(|one| 100.0 * debiased_spread(&one.wins, one.games)).collect();
                ("halving", spreads, pool.len(), pool.iter().filter(|one| one.is_control).count(), 0)
            }
            Stage::Search { lines, learned, .. } => {
                let spreads =
                    evaluator.install(|| lines.par_iter().map(|line| line.expected_spread(plan, learned)).collect());
                ("search", spreads, lines.len(), lines.iter().filter(|line| line.is_control).count(), 0)
            }
            Stage::Certification { finalists, records, .. } => {
                let open = || finalists.iter().zip(records).filter(|(_, record)| record.verdict.is_none());
                let spread = |wins: &[u64; 4]| 100.0 * debiased_spread(wins, wins.iter().sum());
                let spreads = open().map(|(_, record)| spread(&record.wins)).collect();
                let control = open().filter(|(finalist, _)| finalist.is_control).count();
                waiting = plan.waiting(records);
                ("certification", spreads, open().count(), control, certified(records))
            }
        };
        spreads.sort_by(f64::total_cmp);
        // Without games there is no spread, and JSON has no word for that.
        let median_points = spreads.get(spreads.len() / 2).copied().filter(|spread| spread.is_finite()).unwrap_or(0.0);
        Self { round, stage: stage.into(), left, control, certified, waiting, median_points, games: state.games }
    }
}

/// A certified map.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// The map.
    pub map: Map,
    /// Its certificate.
    pub certificate: Certificate,
    /// The number of the random map it descends from.
    pub ancestor: u64,
    /// Whether that one was of the control.
    pub is_control: bool,
    /// Its [difference](super::difference()) to the nearest other delivered map.
    pub nearest: Option<f64>,
}

impl Delivered {
    /// The de-biased spread over its fresh games in points, and where the true one lies; see [`estimated_spread`].
    #[must_use]
    pub fn estimated_points(&self) -> (f64, Interval) {
        let wins = &self.certificate.seat_wins;
        let (unbiased, Interval { low, high }) = estimated_spread(wins, wins.iter().sum());
        (100.0 * unbiased, Interval { low: 100.0 * low, high: 100.0 * high })
    }
}

/// Everything a run needs to go on. All other files follow from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    state: State,
    history: Vec<Line>,
}

/// What differs from run to run.
#[derive(Serialize)]
struct Timing<'a> {
    round: usize,
    stage: &'a str,
    games: u64,
    seconds: f64,
    unix_time: u64,
}

/// Why a run does not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// There is no next round.
    #[error(transparent)]
    Find(#[from] FindError),
}

/// A search and its directory.
///
/// ```text
/// begin / resume -> advance, advance, ... until is_finished -> close -> finish
/// ```
#[derive(Debug)]
pub struct Run {
    directory: Directory,
    plan: Plan,
    checkpoint: Checkpoint,
}

impl Run {
    /// A new run in a directory without one.
    ///
    /// # Errors
    /// If the directory cannot be written to.
    pub fn begin(directory: Directory, manifest: &Manifest<Plan>) -> Result<Self, DirectoryError> {
        directory.write_manifest(manifest)?;
        Ok(Self { directory, plan: manifest.plan.clone(), checkpoint: Checkpoint::default() })
    }

    /// Goes on with the run of a directory, perhaps with other games in all, as if it had begun with them. Files that a kill left
    /// behind the checkpoint, or ahead of it, are made to fit.
    ///
    /// # Errors
    /// If a file is damaged, if the run was made under other rules, or if the games are too few.
    pub fn resume(directory: Directory, games: Option<u64>) -> Result<Self, DirectoryError> {
        let mut manifest = directory.read_manifest::<Plan>(&rules_version())?;
        let checkpoint: Option<Checkpoint> = directory.read_checkpoint()?;
        manifest.plan.games = games.unwrap_or(manifest.plan.games);
        manifest.plan.check().map_err(|error| directory.refuse(MANIFEST, error.to_string()))?;
        if games.is_some() {
            directory.write_manifest(&manifest)?;
        }
        let run = Self { directory, plan: manifest.plan, checkpoint: checkpoint.unwrap_or_default() };
        run.directory.write_lines(HISTORY, run.history())?;
        Ok(run)
    }

    /// Its directory.
    #[must_use]
    pub const fn directory(&self) -> &Directory {
        &self.directory
    }

    /// What it is to do.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The rounds so far.
    #[must_use]
    pub fn history(&self) -> &[Line] {
        &self.checkpoint.history
    }

    /// Games so far.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.checkpoint.state.games
    }

    /// What the regression did, once it did.
    #[must_use]
    pub const fn screened(&self) -> Option<&Screened> {
        self.checkpoint.state.screened.as_ref()
    }

    /// Whether there is no next round.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.checkpoint.state.is_finished(&self.plan)
    }

    /// The rounds of the search, those of certification left out.
    #[must_use]
    pub fn search_rounds(&self) -> usize {
        // The first map of a line is chosen in a round of its own.
        self.plan.halving().len() + 1 + STEPS.len()
    }

    /// Plays the next round and keeps it.
    ///
    /// # Errors
    /// If the watcher asks to stop, or if it cannot be written. Then the run is as before.
    pub fn advance(&mut self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<(), RunError> {
        let began = Instant::now();
        let state = self.checkpoint.state.next(&self.plan, evaluator, watch)?;
        let games = state.games - self.games();
        let (checkpoint, line) = self.with(state, evaluator);
        self.directory.write_checkpoint(&checkpoint)?;
        self.checkpoint = checkpoint;
        self.directory.append(HISTORY, &line)?;
        let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let seconds = began.elapsed().as_secs_f64();
        let Line { round, stage, .. } = &line;
        self.directory.append(TIMING, &Timing { round: *round, stage, games, seconds, unix_time })?;
        Ok(())
    }

    /// Gives up the search, at its end or before: only maps that wait for others play on, until their evidence is enough for as many as
    /// they are. Nothing of that is kept, so that a later [`resume`](Self::resume) goes on as if nobody had closed.
    ///
    /// # Errors
    /// If the watcher asks to stop, or if the history cannot be written.
    pub fn close(&mut self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<(), RunError> {
        let state = self.checkpoint.state.close(&self.plan, evaluator, watch)?;
        if state.games > self.games() {
            let (checkpoint, line) = self.with(state, evaluator);
            self.checkpoint = checkpoint;
            self.directory.append(HISTORY, &line)?;
        }
        Ok(())
    }

    /// What there is to keep after another state, and the line of the history that it adds.
    fn with(&self, state: State, evaluator: &Evaluator) -> (Checkpoint, Line) {
        let mut history = self.history().to_vec();
        let line = Line::of(history.len(), &state, &self.plan, evaluator);
        history.push(line.clone());
        (Checkpoint { state, history }, line)
    }

    /// The certified maps, those with the strongest evidence first.
    #[must_use]
    pub fn delivered(&self) -> Vec<Delivered> {
        self.checkpoint.state.delivered(&self.plan)
    }

    /// Maps that entered certification, and those that were dropped from it.
    #[must_use]
    pub fn entered(&self) -> (usize, usize) {
        let Stage::Certification { records, .. } = &self.checkpoint.state.stage else { return (0, 0) };
        let dropped = records.iter().filter(|record| matches!(record.verdict, Some((Verdict::Dropped, _))));
        (records.len(), dropped.count())
    }

    /// Fresh games so far.
    #[must_use]
    pub fn fresh_games(&self) -> u64 {
        let Stage::Certification { records, .. } = &self.checkpoint.state.stage else { return 0 };
        records.iter().map(|record| record.games).sum()
    }

    /// Writes the files of the maps that are certified by now, and returns them. More of them later only take over their files.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(&self) -> Result<Vec<Delivered>, DirectoryError> {
        let delivered = self.delivered();
        for (one, [map, certificate]) in delivered.iter().zip(self.files(delivered.len())) {
            self.directory.write(&map, file::write(&one.map).as_bytes())?;
            self.directory.write(&certificate, one.certificate.write().as_bytes())?;
        }
        Ok(delivered)
    }

    /// The files of so many delivered maps and of their certificates, within the directory.
    pub fn files(&self, count: usize) -> impl Iterator<Item = [String; 2]> + use<> {
        let digits = count.to_string().len().max(3);
        (1..=count).map(move |number| {
            [format!("maps/{number:0digits$}.catan"), format!("certificates/{number:0digits$}.json")]
        })
    }
}

impl State {
    /// The certified maps, those with the strongest evidence first.
    fn delivered(&self, plan: &Plan) -> Vec<Delivered> {
        let Stage::Certification { finalists, records, .. } = &self.stage else { return Vec::new() };
        let certification = Certification::resume(certification_plan(plan, finalists), records.clone());
        let Ok(certification) = certification else { return Vec::new() };
        let mut delivered: Vec<_> = finalists
            .iter()
            .enumerate()
            .filter_map(|(number, finalist)| {
                let certificate = certification.certificate(number)?;
                let map = finalist.map(plan);
                let Certificate { games, spread_points, e_value, .. } = &certificate;
                let comment = format!(
                    "spread {spread_points:.3} points in {games} fresh games of {}, E value {e_value:.1}; variant of random map {}, seed {}",
                    certificate.players.join(", "),
                    finalist.index,
                    plan.seed
                );
                let map = Map { comment: Some(comment), ..map };
                let (ancestor, is_control) = (finalist.index, finalist.is_control);
                let is_certified = certificate.verdict == Verdict::Certified;
                is_certified.then_some(Delivered { map, certificate, ancestor, is_control, nearest: None })
            })
            .collect();
        delivered
            .sort_by(|a, b| b.certificate.e_value.total_cmp(&a.certificate.e_value).then(a.ancestor.cmp(&b.ancestor)));
        let nearest = |place: usize| {
            let others = delivered.iter().enumerate().filter(|(other, _)| *other != place);
            others.map(|(_, other)| difference(&delivered[place].map, &other.map)).min_by(f64::total_cmp)
        };
        let nearest: Vec<_> = (0..delivered.len()).map(nearest).collect();
        debug_assert!(nearest.iter().flatten().all(|&share| share >= LEAST_DIFFERENCE));
        delivered.iter_mut().zip(nearest).for_each(|(one, nearest)| one.nearest = nearest);
        delivered
    }
}

/// The maps of a plan without a directory: nothing is kept if it is stopped.
///
/// # Errors
/// If the plan is wrong, or the watcher asks to stop.
pub fn search(plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Vec<Delivered>, FindError> {
    plan.check()?;
    let mut state = State::default();
    while !state.is_finished(plan) {
        state = state.next(plan, evaluator, watch)?;
    }
    Ok(state.close(plan, evaluator, watch)?.delivered(plan))
}
