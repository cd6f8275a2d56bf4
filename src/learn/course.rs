//! The loop of the paper: play, label, learn, choose new maps, and again.
//!
//! 1. All maps played so far are labelled by [two-means](super::two_means) of their spreads.
//! 2. The [prior](super::prior), cross-validation and the PNU classifier with the linear basis follow from them and from random maps.
//! 3. Of very many fresh random maps the few with the highest and the few with the lowest decision values are played.
//! 4. With them all maps are labelled anew: now it shows how many of the choices were right.

use fairground_kernels::rng::absorb;
use serde::{Deserialize, Serialize};

use super::method::{Method, Surrogate};
use super::pnu::FitError;
use super::prior::PriorError;
use super::two_means::{TwoMeans, two_means};
use super::unlabelled::{Learned, PRIOR_MAPS, Prior, PriorSource, Score, Unlabelled};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::Game as _;
use crate::games::catan::generate::{Numbers, PortLayout, Recipe};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, Policy, Position};
use crate::stats::seats::spread;

/// How random maps are laid: everything anywhere, as in the paper.
pub const RECIPE: Recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };

/// Fewer maps than these cannot be divided into folds with both labels.
pub const LEAST_MAPS: usize = 6;

/// Keeps the random numbers of the loop apart from all others.
pub(super) const STREAM: u64 = 0x6c65_6172_6e69_6e67;

/// What a loop is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Who plays.
    pub policy: Policy,
    /// Games of each map.
    pub games: u64,
    /// Fresh random maps that are scored in each step.
    pub maps: u64,
    /// Maps that are chosen from either end.
    pub chosen: usize,
    /// How a step learns.
    pub method: Method,
    /// The seed of maps, folds and games.
    pub seed: u64,
}

/// Why there is no next step.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// There is too little to learn from.
    #[error("{0} maps are too few to learn from, expected at least {LEAST_MAPS}")]
    TooFew(usize),
    /// The maps cannot be told apart.
    #[error("all maps have the same spread, so that none is balanced or unbalanced; more games may tell them apart")]
    OneClass,
    /// The share of balanced maps is unknown.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// There is no classifier.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Playing failed or was stopped.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

/// The wins by seat of each map over so many games of the loop.
///
/// # Errors
/// If the GPU fails or the watcher asks to stop.
pub fn play(
    settings: &Settings,
    maps: &[Map],
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<[u64; SEATS]>, EvaluateError> {
    let mut batch = Batch::<Catan>::new(settings.policy, settings.seed);
    for map in maps {
        let start = Position::start(map);
        batch.push_part(&start, absorb(Catan::key(&start), STREAM), 0, settings.games);
    }
    let tallies = evaluator.evaluate_watched(&batch, watch)?.tallies;
    Ok(tallies.iter().map(|tally| std::array::from_fn(|seat| tally.wins[seat])).collect())
}

/// Labels of maps by their wins.
///
/// # Errors
/// If there are too few, or all have the same spread.
pub fn label(wins: &[[u64; SEATS]], games: u64) -> Result<TwoMeans, CourseError> {
    if wins.len() < LEAST_MAPS {
        return Err(CourseError::TooFew(wins.len()));
    }
    let spreads: Vec<_> = wins.iter().map(|wins| spread(wins, games)).collect();
    two_means(&spreads).ok_or(CourseError::OneClass)
}

/// Where a map of a course comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It was there from the beginning.
    Seed,
    /// The classifier of a step called it balanced.
    Good,
    /// The classifier of a step called it unbalanced.
    Bad,
}

/// A map that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// What it is called.
    pub name: String,
    /// The map.
    pub map: Map,
    /// Where it comes from.
    pub origin: Origin,
    /// The step that chose it, from 1; 0 for seed maps.
    pub step: usize,
    /// Its decision value when it was chosen.
    pub score: Option<f64>,
    /// Its distance from the boundary then, in the scale of the features, if that has a closed form.
    pub distance: Option<f64>,
    /// Its wins by seat.
    pub wins: [u64; SEATS],
}

/// A step in short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// Which, from 1.
    pub step: usize,
    /// Maps it learned from, and those of them that were labelled balanced.
    pub labelled: usize,
    /// Those of them that were labelled balanced.
    pub balanced: usize,
    /// The spread that divides them, in points.
    pub threshold_points: f64,
    /// The share of balanced maps, if there is a classifier.
    pub prior: Option<Prior>,
    /// How much unlabelled maps count, if there is a classifier.
    pub eta: Option<f64>,
    /// How much weights are shrunk, if there are any.
    pub lambda: Option<f64>,
    /// Maps called balanced that were labelled so once they had been played, and how many there were.
    pub good: [usize; 2],
    /// Maps called unbalanced that were labelled so, and how many there were.
    pub bad: [usize; 2],
}

impl Taken {
    /// What people should know about its prior.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let Prior { value, source, is_moved } = self.prior?;
        let mut notes = Vec::new();
        if source == PriorSource::RandomMaps {
            notes.push(format!(
                "the labelled maps do not tell the class prior, so that it is the share of {PRIOR_MAPS} random maps which the threshold \
                 calls balanced"
            ));
        }
        if is_moved {
            notes.push(format!("the class prior was moved to {value:.3}, half a labelled map from the end"));
        }
        (!notes.is_empty()).then(|| format!("step {}: {}", self.step, notes.join("; ")))
    }
}

/// Takes a step: learns from all maps and adds those it chooses, played.
///
/// # Errors
/// If there is too little to learn from, or the watcher asks to stop. Then nothing has changed.
pub fn step(
    members: &mut Vec<Member>,
    number: usize,
    settings: &Settings,
    unlabelled: &Unlabelled,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Taken, CourseError> {
    let wins = wins_of(members);
    let groups = label(&wins, settings.games)?;
    let maps: Vec<_> = members.iter().map(|member| member.map.clone()).collect();
    let mut taken = taken(number, &groups);
    let mut unit = None;
    let score: Box<Score<'_>> = match settings.method.surrogate {
        Surrogate::Pnu => {
            let learned = unlabelled.learn(&maps, &groups, settings, number as u64, evaluator, watch)?;
            let Learned { classifier, prior, eta, lambda } = learned;
            (taken.prior, taken.eta, taken.lambda) = (Some(prior), Some(eta), Some(lambda));
            unit = classifier.unit();
            Box::new(move |map, _| classifier.decide(&unlabelled.scaled(map)))
        }
        Surrogate::Ridge => {
            let ridge = unlabelled.regress(&maps, &wins)?;
            taken.lambda = Some(ridge.lambda);
            Box::new(move |map, _| -ridge.predicted_spread(&unlabelled.scaled(map)))
        }
        Surrogate::Chance => {
            let key = absorb(settings.seed, STREAM);
            Box::new(move |_, index| absorb(key, index) as f64 / u64::MAX as f64)
        }
    };
    let extremes = unlabelled.extremes(&*score, settings, number as u64 - 1, evaluator, watch)?;
    let mut chosen = Vec::new();
    for (scored, origin) in extremes.into_iter().zip([Origin::Good, Origin::Bad]) {
        for (place, one) in (1..).zip(scored) {
            let word = if origin == Origin::Good { "good" } else { "bad" };
            let name = format!("step-{number}-{word}-{place}");
            let (map, score) = (one.map(settings.seed), Some(one.score));
            let distance = unit.map(|unit| one.score / unit);
            chosen.push(Member { name, map, origin, step: number, score, distance, wins: [0; SEATS] });
        }
    }
    [taken.good, taken.bad] = add_played(members, chosen, settings, evaluator, watch)?;
    Ok(taken)
}

fn wins_of(members: &[Member]) -> Vec<[u64; SEATS]> {
    members.iter().map(|member| member.wins).collect()
}

/// A step of which only the labels are known.
fn taken(step: usize, groups: &TwoMeans) -> Taken {
    Taken {
        step,
        labelled: groups.is_low.len(),
        balanced: groups.is_low.iter().filter(|&&is_low| is_low).count(),
        threshold_points: 100.0 * groups.threshold(),
        prior: None,
        eta: None,
        lambda: None,
        good: [0; 2],
        bad: [0; 2],
    }
}

/// Plays and adds the maps that were chosen, and returns how many of either end were called right.
fn add_played(
    members: &mut Vec<Member>,
    mut chosen: Vec<Member>,
    settings: &Settings,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<[[usize; 2]; 2], CourseError> {
    let new: Vec<_> = chosen.iter().map(|member| member.map.clone()).collect();
    let played = play(settings, &new, evaluator, watch)?;
    chosen.iter_mut().zip(played).for_each(|(member, wins)| member.wins = wins);
    let all: Vec<_> = wins_of(members).into_iter().chain(wins_of(&chosen)).collect();
    let relabelled = label(&all, settings.games)?;
    let labels = &relabelled.is_low[members.len()..];
    let confirmed = |origin: Origin| {
        let own = chosen.iter().zip(labels).filter(|(member, _)| member.origin == origin);
        let right = own.clone().filter(|(_, label)| **label == (origin == Origin::Good)).count();
        [right, own.count()]
    };
    let confirmed = [confirmed(Origin::Good), confirmed(Origin::Bad)];
    members.extend(chosen);
    Ok(confirmed)
}
