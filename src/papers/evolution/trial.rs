//! Runs of a method, all generations kept.

use std::time::Instant;

use crate::batch::{EvaluateError, Watch};
use crate::evolve::census::{Census, Heirs};
use crate::evolve::judge::Judge;
use crate::evolve::paper::Paper;
use crate::evolve::{EvolveError, Individual, Method, State};
use crate::papers::tubstap::Estimate;

/// A run.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The paper's method, if that was run, with its numbers.
    pub paper: Option<Paper>,
    /// Its seed.
    pub seed: u64,
    /// Its generations; fewer than were asked for if it was stopped.
    pub states: Vec<State>,
    /// What each of them took.
    pub seconds: Vec<f64>,
}

impl Trial {
    /// Makes all generations, or those until the watcher asks to stop.
    ///
    /// # Errors
    /// If there are no such maps, or if the evaluator fails.
    pub fn run(
        method: &dyn Method,
        paper: Option<Paper>,
        judge: &Judge<'_>,
        watch: &dyn Watch,
    ) -> Result<Self, EvolveError> {
        let mut trial = Self { paper, seed: judge.crowd.seed, states: Vec::new(), seconds: Vec::new() };
        while trial.states.last().is_none_or(|state| !method.is_last(state)) {
            let began = Instant::now();
            let state = match trial.states.last() {
                None => method.begin(judge, watch),
                Some(state) => method.next(state, judge, watch),
            };
            match state {
                Err(EvolveError::Evaluate(EvaluateError::Stopped)) => break,
                state => trial.states.push(state?),
            }
            trial.seconds.push(began.elapsed().as_secs_f64());
        }
        Ok(trial)
    }

    /// Games of the judge.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.states.last().map_or(0, |state| state.games)
    }

    /// The largest fitness of each generation.
    #[must_use]
    pub fn largest(&self) -> Vec<f64> {
        self.states.iter().map(|state| fitness(&state.individuals).into_iter().fold(0.0, f64::max)).collect()
    }
}

fn fitness(individuals: &[Individual]) -> Vec<f64> {
    individuals.iter().map(|individual| individual.known().fitness()).collect()
}

/// The curves of some runs in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Generations of all runs.
    pub generations: u64,
    /// The fitness of their maps. The error knows nothing of kinship between maps.
    pub mean: Estimate,
    /// The largest fitness of a generation.
    pub largest: Estimate,
    /// The largest of all.
    pub peak: f64,
    /// The largest smallest fitness of a generation.
    pub smallest: f64,
    /// Generations whose largest fitness is 0.
    pub barren: u64,
    /// Those whose largest fitness is above a limit: that of the paper's peaks.
    pub high: u64,
    /// What follows on generations with a positive one.
    pub heirs: Heirs,
}

impl Curves {
    /// Of these runs, with the limit above which a peak is high.
    #[must_use]
    pub fn of(trials: &[&Trial], limit: f64) -> Self {
        let largest: Vec<Vec<f64>> = trials.iter().map(|trial| trial.largest()).collect();
        let of_generations: Vec<f64> = largest.concat();
        let states = || trials.iter().flat_map(|trial| &trial.states);
        let maps: Vec<f64> = states().flat_map(|state| fitness(&state.individuals)).collect();
        let smallest = states().map(|state| fitness(&state.individuals).into_iter().fold(1.0, f64::min));
        Self {
            generations: of_generations.len() as u64,
            mean: Estimate::mean(&maps),
            largest: Estimate::mean(&of_generations),
            peak: of_generations.iter().copied().fold(0.0, f64::max),
            smallest: smallest.fold(0.0, f64::max),
            barren: of_generations.iter().filter(|&&largest| largest == 0.0).count() as u64,
            high: of_generations.iter().filter(|&&largest| largest > limit).count() as u64,
            heirs: Heirs::of(largest.iter().map(Vec::as_slice)),
        }
    }
}

/// The maps of each generation of some runs, counted; the runs together.
#[must_use]
pub fn censuses(trials: &[&Trial]) -> Vec<Census> {
    let generations = trials.iter().map(|trial| trial.states.len()).max().unwrap_or(0);
    let of = |generation: usize| {
        let states = trials.iter().filter_map(|trial| trial.states.get(generation));
        states.fold(Census::default(), |all, state| all.and(&Census::of(&state.individuals)))
    };
    (0..generations).map(of).collect()
}
