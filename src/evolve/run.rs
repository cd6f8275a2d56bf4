//! Evolution in a run directory, from which it can go on after any interruption to the same end.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::census::Census;
use super::judge::{Judge, Standing};
use super::plan::Plan;
use super::rank::Finalist;
use super::{EvolveError, Individual, Method, State, rank};
use crate::batch::Watch;
use crate::games::Game as _;
use crate::games::tubstap::{Map, Tubstap, file};
use crate::runs::{CHECKPOINT, Directory, DirectoryError, HISTORY, MANIFEST, Manifest, TIMING};
use crate::stats;

/// Changes whenever the same plan may give other generations.
const METHODS_VERSION: &str = "evolve-6";

/// The version of everything that decides what a plan gives.
#[must_use]
pub fn rules_version() -> String {
    format!("{} {METHODS_VERSION}", Tubstap::RULES_VERSION)
}

/// Fresh games are kept so many times.
const ROUNDS: u64 = 4;

/// Who judges the maps of a run.
#[derive(Clone, Debug)]
pub struct Judges<'a> {
    /// The one whose games decide.
    pub first: Judge<'a>,
    /// The one whose opinion of the delivered maps is reported beside it.
    pub second: Option<Judge<'a>>,
}

/// Some values in short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The largest.
    pub largest: f64,
    /// The mean.
    pub mean: f64,
    /// The one in the middle; of two the mean.
    pub median: f64,
    /// The smallest.
    pub smallest: f64,
}

impl Summary {
    /// Of these values; all 0 if there are none.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (Some(&smallest), Some(&largest)) = (values.first(), values.last()) else { return Self::default() };
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        Self { largest, mean, median: (values[(count - 1) / 2] + values[count / 2]) / 2.0, smallest }
    }
}

/// The games of a map, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Games that Red won, and Blue.
    pub wins: [u64; 2],
    /// Games that nobody won.
    pub draws: u64,
    /// The fitness of the paper.
    pub fitness: f64,
    /// Its interval.
    pub interval: [f64; 2],
}

impl Score {
    /// Of these games.
    #[must_use]
    pub fn of(standing: &Standing) -> Self {
        let interval = stats::fitness_interval(&standing.tally());
        let Standing { wins, draws, .. } = *standing;
        Self { wins, draws, fitness: standing.fitness(), interval: [interval.low, interval.high] }
    }
}

/// A line of the history: a generation in short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Which generation.
    pub generation: u64,
    /// Its maps.
    pub maps: u64,
    /// Whether its maps are known by games of the lighter player alone.
    pub is_scouted: bool,
    /// Games so far, those of the lighter player among them.
    pub games: u64,
    /// The fitness of the maps.
    pub fitness: Summary,
    /// Their smooth fitness.
    pub smooth_fitness: Summary,
    /// The map with the largest fitness, of several the one with the largest smooth fitness.
    pub best: Score,
    /// Why maps are worth nothing, and their units.
    pub census: Census,
}

impl Line {
    /// A generation in short.
    #[must_use]
    pub fn of(state: &State) -> Self {
        let summary = |value: fn(&Standing) -> f64| {
            Summary::of(state.individuals.iter().map(|individual| value(individual.known())).collect())
        };
        let value = |standing: &Standing| [standing.fitness(), standing.smooth_fitness()];
        let standings = state.individuals.iter().map(Individual::known);
        let best = standings.max_by(|one, other| {
            let ([one, one_smooth], [other, other_smooth]) = (value(one), value(other));
            one.total_cmp(&other).then(one_smooth.total_cmp(&other_smooth))
        });
        Self {
            generation: state.generation,
            maps: state.individuals.len() as u64,
            is_scouted: state.individuals.iter().all(|individual| individual.standing.is_empty()),
            games: state.games,
            fitness: summary(Standing::fitness),
            smooth_fitness: summary(Standing::smooth_fitness),
            best: best.map(Score::of).unwrap_or_default(),
            census: Census::of(&state.individuals),
        }
    }
}

/// Everything a run needs to go on. All other files follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    /// [`Plan::settings`].
    settings: String,
    /// The last generation.
    state: State,
    /// All generations in short.
    history: Vec<Line>,
    /// The maps to deliver with their fresh games so far, once they are chosen.
    finalists: Option<Vec<Finalist>>,
}

/// What differs from run to run.
#[derive(Serialize)]
struct Timing {
    step: &'static str,
    generation: u64,
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
    /// There is no next generation.
    #[error(transparent)]
    Evolve(#[from] EvolveError),
}

/// A run and its directory.
///
/// ```text
/// begin / resume -> advance, advance, ... until has_all_generations -> finish
/// ```
#[derive(Debug)]
pub struct Run {
    directory: Directory,
    plan: Plan,
    method: Box<dyn Method>,
    checkpoint: Option<Checkpoint>,
}

impl Run {
    /// A new run in a directory without one.
    ///
    /// # Errors
    /// If the directory cannot be written to.
    pub fn begin(directory: Directory, manifest: &Manifest<Plan>) -> Result<Self, DirectoryError> {
        directory.write_manifest(manifest)?;
        Ok(Self::new(directory, manifest.plan.clone(), None))
    }

    /// Goes on with the run of a directory. Files that a kill left behind the checkpoint, or ahead of it, are made to
    /// fit.
    ///
    /// # Errors
    /// If a file is damaged, or if the run was made under other rules or with other settings.
    pub fn resume(directory: Directory) -> Result<Self, DirectoryError> {
        let Manifest { plan, .. } = directory.read_manifest::<Plan>(&rules_version())?;
        plan.check().map_err(|error| directory.refuse(MANIFEST, error.to_string()))?;
        let checkpoint: Option<Checkpoint> = directory.read_checkpoint()?;
        if let Some(checkpoint) = &checkpoint
            && checkpoint.settings != plan.settings()
        {
            return Err(
                directory.refuse(CHECKPOINT, format!("the run was made with other settings than {MANIFEST} says"))
            );
        }
        let run = Self::new(directory, plan, checkpoint);
        run.directory.write_lines(HISTORY, run.history())?;
        Ok(run)
    }

    fn new(directory: Directory, plan: Plan, checkpoint: Option<Checkpoint>) -> Self {
        let method = plan.method();
        Self { directory, plan, method, checkpoint }
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

    /// The generations so far.
    #[must_use]
    pub fn history(&self) -> &[Line] {
        self.checkpoint.as_ref().map_or(&[], |checkpoint| &checkpoint.history)
    }

    /// The maps to deliver with all their fresh games, best first; none before the end.
    #[must_use]
    pub fn delivered(&self) -> Option<&[Finalist]> {
        let finalists = self.checkpoint.as_ref()?.finalists.as_deref()?;
        finalists.iter().all(|finalist| self.has_all_games(finalist)).then_some(finalists)
    }

    fn has_all_games(&self, finalist: &Finalist) -> bool {
        let games = self.plan.final_games;
        finalist.standing.games() >= games && (self.plan.second_judge.is_none() || finalist.second.games() >= games)
    }

    /// Whether there is no next generation.
    #[must_use]
    pub fn has_all_generations(&self) -> bool {
        let is_last =
            |checkpoint: &Checkpoint| checkpoint.finalists.is_some() || self.method.is_last(&checkpoint.state);
        self.checkpoint.as_ref().is_some_and(is_last)
    }

    /// Makes the next generation and keeps it.
    ///
    /// # Errors
    /// If there is none, if the watcher asks to stop, or if it cannot be written. Then the run is as before.
    pub fn advance(&mut self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<(), RunError> {
        let began = Instant::now();
        let before = self.checkpoint.as_ref();
        let state = match before {
            None => self.method.begin(judge, watch)?,
            Some(checkpoint) => self.method.next(&checkpoint.state, judge, watch)?,
        };
        let games = state.games - before.map_or(0, |checkpoint| checkpoint.state.games);
        let line = Line::of(&state);
        let mut history = self.history().to_vec();
        history.push(line);
        self.keep(Checkpoint { settings: self.plan.settings(), state, history, finalists: None })?;
        self.directory.append(HISTORY, &line)?;
        self.time("generation", games, began)?;
        Ok(())
    }

    /// Chooses the best maps, measures them by fresh games, and writes their files. That ends the run.
    ///
    /// # Errors
    /// If the watcher asks to stop, or if something cannot be written. Then the run goes on from the last games it kept.
    pub fn finish(&mut self, judges: &Judges<'_>, watch: &dyn Watch) -> Result<(), RunError> {
        self.measure("final games", &judges.first, |finalist| &mut finalist.standing, watch)?;
        if let Some(second) = &judges.second {
            self.measure("games of the second judge", second, |finalist| &mut finalist.second, watch)?;
        }
        for (name, Finalist { map, standing, .. }) in self.files() {
            let map = self.commented(map.clone(), standing);
            self.directory.write(&name, file::write(&map).as_bytes())?;
        }
        Ok(())
    }

    /// Plays fresh games of all finalists, some at a time, and puts the best first.
    fn measure(
        &mut self,
        step: &'static str,
        judge: &Judge<'_>,
        standing: fn(&mut Finalist) -> &mut Standing,
        watch: &dyn Watch,
    ) -> Result<(), RunError> {
        let judge = rank::fresh(judge);
        for round in 1..=ROUNDS {
            let Some(checkpoint) = &self.checkpoint else { return Ok(()) };
            let choose = || rank::choose(&checkpoint.state.individuals, &self.plan.ranking());
            let mut finalists = checkpoint.finalists.clone().unwrap_or_else(choose);
            let games = (self.plan.final_games * round).div_ceil(ROUNDS);
            let missing = |finalist: &mut Finalist| games.saturating_sub(standing(finalist).games());
            let missing: u64 = finalists.iter_mut().map(missing).sum();
            if missing > 0 || checkpoint.finalists.is_none() {
                let began = Instant::now();
                rank::play_up_to(games, &mut finalists, standing, &judge, watch)?;
                // The order is that of the first judge.
                finalists.sort_by(|one, other| other.standing.fitness().total_cmp(&one.standing.fitness()));
                self.keep(Checkpoint { finalists: Some(finalists), ..checkpoint.clone() })?;
                self.time(step, missing, began)?;
            }
        }
        Ok(())
    }

    /// The files of the delivered maps, within the directory.
    pub fn files(&self) -> impl Iterator<Item = (String, &Finalist)> {
        let delivered = self.delivered().unwrap_or_default();
        let digits = delivered.len().to_string().len().max(2);
        (1..).zip(delivered).map(move |(number, finalist)| (format!("maps/{number:0digits$}.tbsmap"), finalist))
    }

    /// The map with what is known of it.
    fn commented(&self, map: Map, standing: &Standing) -> Map {
        let Score { wins: [red, blue], draws, fitness, interval: [low, high] } = Score::of(standing);
        let comment = format!(
            "fitness {fitness:.3} ({low:.3} to {high:.3}) in {} games of {}, won by Red {red}, by Blue {blue}, drawn {draws}, seed {}",
            standing.games(),
            self.plan.judge,
            self.plan.seed
        );
        Map { comment: Some(comment), ..map }
    }

    fn keep(&mut self, checkpoint: Checkpoint) -> Result<(), DirectoryError> {
        self.directory.write_checkpoint(&checkpoint)?;
        self.checkpoint = Some(checkpoint);
        Ok(())
    }

    fn time(&self, step: &'static str, games: u64, began: Instant) -> Result<(), DirectoryError> {
        let generation = self.history().last().map_or(0, |line| line.generation);
        let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let seconds = began.elapsed().as_secs_f64();
        self.directory.append(TIMING, &Timing { step, generation, games, seconds, unix_time })
    }
}
