//! The loop of the paper: play, label, learn, choose new maps, and again.
//!
//! 1. All maps played so far are labelled by [two-means](super::two_means) of their spreads.
//! 2. The [prior](super::prior), cross-validation and the PNU classifier with the linear basis follow from them and from random maps.
//! 3. Of very many fresh random maps the few with the highest and the few with the lowest decision values are played.
//! 4. With them all maps are labelled anew: now it shows how many of the choices were right.

use fairground_kernels::rng::{Rng, absorb};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Rows;
use super::features::{FEATURES, Readings, features};
use super::moments::FeatureMoments;
use super::pnu::{Basis, Classifier, FitError, Problem, Samples};
use super::prior::{MeanDistances, PriorError, kept_inside};
use super::ridge::Ridge;
use super::two_means::{TwoMeans, two_means};
use super::validate::{Folds, Grid, Scores, robust_choice};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::Game as _;
use crate::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, Policy, Position, symmetry};
use crate::stats::seats::{contrasts, spread};

/// How random maps are laid: everything anywhere, as in the paper.
pub const RECIPE: Recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };

/// Random maps by which features are scaled and which count as unlabelled in the fit.
const UNLABELLED: u64 = 100_000;
/// Those of them that cross-validation and the prior look at.
const SAMPLE: u64 = 1000;
/// Folds of cross-validation.
const FOLDS: usize = 5;
/// Fewer maps than these cannot be divided into folds with both labels.
pub const LEAST_MAPS: usize = 6;
/// Maps that are scored together.
const BLOCK: u64 = 4096;

/// How much a regression may be shrunk.
pub(crate) const LAMBDAS: [f64; 5] = [0.001, 0.01, 0.1, 1.0, 10.0];

/// Keeps the random numbers of the loop apart from all others.
const STREAM: u64 = 0x6c65_6172_6e69_6e67;

/// Which of the two ways is taken where the author's has its weaknesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// As the method's author has it.
    #[default]
    Author,
    /// The unbiased prior and the simplest settings among equals.
    Robust,
}

/// By what a step chooses maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surrogate {
    /// The decision value of the PNU classifier.
    #[default]
    Pnu,
    /// The spread that the regression of the signed contrasts predicts.
    Ridge,
    /// Nothing: a hash of the map's number. What the others are worth shows beside it.
    Chance,
}

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
    /// By what maps are chosen.
    pub surrogate: Surrogate,
    /// How prior and settings are chosen.
    pub mode: Mode,
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

/// A classifier and how it came about.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The classifier.
    pub classifier: Classifier,
    /// The share of balanced maps it was fitted with.
    pub prior: f64,
    /// How much unlabelled maps count.
    pub eta: f64,
    /// How much weights are shrunk.
    pub lambda: f64,
}

/// Random maps nobody played: the same for all steps of a loop.
#[derive(Clone, Debug)]
pub struct Unlabelled {
    moments: FeatureMoments,
    sample: Rows,
    standard: super::standard::Standard,
}

fn scaled<'a>(standard: &super::standard::Standard, maps: impl IntoIterator<Item = &'a Map>) -> Vec<f64> {
    let mut values = Vec::new();
    for map in maps {
        values.extend(standard.apply(features(map, &Readings::default()).map(f64::from)));
    }
    values
}

impl Unlabelled {
    /// The first random maps of a seed.
    ///
    /// # Errors
    /// Never: there always are random maps.
    pub fn draw(seed: u64, evaluator: &Evaluator) -> Result<Self, FitError> {
        let readings = Readings::default();
        let moments = evaluator.install(|| FeatureMoments::of_random_maps(&RECIPE, &readings, seed, 0, UNLABELLED));
        let standard = moments.standard();
        let sample: Vec<_> = (0..SAMPLE).map(|index| draw(&RECIPE, seed, index)).collect();
        let values = scaled(&standard, &sample);
        Ok(Self { moments, sample: Rows::new(FEATURES, values).ok_or(FitError::Widths)?, standard })
    }

    /// Learns from labelled maps. `step` keeps the folds of different steps apart.
    ///
    /// # Errors
    /// If a class is empty or the prior cannot be told.
    pub fn learn(
        &self,
        maps: &[Map],
        is_balanced: &[bool],
        settings: &Settings,
        step: u64,
    ) -> Result<Learned, CourseError> {
        let rows = |wanted: bool| {
            let own = maps.iter().zip(is_balanced).filter(|(_, label)| **label == wanted).map(|(map, _)| map);
            Rows::new(FEATURES, scaled(&self.standard, own)).ok_or(FitError::Widths)
        };
        let (p, n) = (rows(true)?, rows(false)?);
        if p.is_empty() || n.is_empty() {
            return Err(CourseError::OneClass);
        }
        let samples = Samples { p: &p, n: &n, u: &self.sample };
        let distances = MeanDistances::between(&p, &n, &self.sample, 1.0)?;
        let grid = Grid::linear(FEATURES);
        let (prior, cell) = match settings.mode {
            Mode::Author => {
                let (prior, _) = kept_inside(distances.author()?, maps.len());
                let rng = &mut Rng::for_playout(settings.seed, STREAM, step);
                let folds = Folds::draw(FOLDS, &samples, rng);
                (prior, Scores::compute(&samples, prior, &grid, &folds)?.author_choice())
            }
            Mode::Robust => {
                let (prior, _) = kept_inside(distances.unbiased()?, maps.len());
                (prior, robust_choice(&samples, prior, &grid, absorb(settings.seed, step))?)
            }
        };
        let basis = Basis::Linear { width: FEATURES };
        let [p, n] = [&p, &n].map(|rows| basis.moments(rows));
        let (eta, lambda) = (grid.etas[cell.eta], grid.lambdas[cell.lambda]);
        let problem = Problem::new(&basis, prior, &p, &n, &self.moments.linear(&self.standard))?;
        let weights = problem.solve(eta, lambda)?.as_slice().to_vec();
        Ok(Learned { classifier: Classifier { basis, weights }, prior, eta, lambda })
    }

    /// The regression of the signed contrasts on the features, from the same maps.
    ///
    /// # Errors
    /// If there are no maps.
    pub fn regress(&self, maps: &[Map], wins: &[[u64; SEATS]]) -> Result<Ridge, FitError> {
        let rows = Rows::new(FEATURES, scaled(&self.standard, maps)).ok_or(FitError::Widths)?;
        let seen: Vec<_> = wins.iter().map(|wins| contrasts(wins, wins.iter().sum::<u64>().max(1))).collect();
        Ridge::fit_best(&rows, &seen, &LAMBDAS)
    }

    /// The features of a map in their standard scale.
    #[must_use]
    pub fn scaled(&self, map: &Map) -> Vec<f64> {
        scaled(&self.standard, [map])
    }

    /// Of fresh random maps those with the highest and those with the lowest score, no two of them the same when turned or
    /// mirrored. Equal scores are told apart by what the map is. A score is of a map and its number.
    ///
    /// # Errors
    /// If the watcher asks to stop.
    pub fn extremes(
        &self,
        score: impl Fn(&Map, u64) -> f64 + Sync,
        settings: &Settings,
        step: u64,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<[Vec<Scored>; 2], EvaluateError> {
        let first = UNLABELLED + step * settings.maps;
        let of_map = |index: u64| {
            let map = draw(&RECIPE, settings.seed, first + index);
            let key = symmetry::key(&map);
            Scored { score: score(&map, first + index), index: first + index, key }
        };
        let keep = |mut all: Vec<Scored>, sign: f64| {
            all.sort_by(|a, b| (sign * b.score).total_cmp(&(sign * a.score)).then(a.key.cmp(&b.key)));
            let mut best: Vec<Scored> = Vec::new();
            for one in all {
                if best.len() < settings.chosen && best.iter().all(|other| other.key != one.key) {
                    best.push(one);
                }
            }
            best
        };
        let block = |begin: u64| {
            let all: Vec<_> = (begin..(begin + BLOCK).min(settings.maps)).map(of_map).collect();
            [keep(all.clone(), 1.0), keep(all, -1.0)]
        };
        let mut extremes = [Vec::new(), Vec::new()];
        let starts: Vec<_> = (0..settings.maps).step_by(BLOCK as usize).collect();
        // Some blocks at a time: somebody may want to stop.
        for starts in starts.chunks(64) {
            if watch.stop() {
                return Err(EvaluateError::Stopped);
            }
            let found: Vec<_> = evaluator.install(|| starts.par_iter().map(|&begin| block(begin)).collect());
            for [high, low] in found {
                for ((all, more), sign) in extremes.iter_mut().zip([high, low]).zip([1.0, -1.0]) {
                    all.extend(more);
                    *all = keep(std::mem::take(all), sign);
                }
            }
        }
        Ok(extremes)
    }
}

/// A random map and its score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The decision value, or another score.
    pub score: f64,
    /// Its number among the random maps of the seed.
    pub index: u64,
    /// The same for maps that are the same when turned or mirrored.
    key: u128,
}

impl Scored {
    /// The map.
    #[must_use]
    pub fn map(&self, seed: u64) -> Map {
        draw(&RECIPE, seed, self.index)
    }
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
    /// The share of balanced maps.
    pub prior: f64,
    /// How much unlabelled maps count.
    pub eta: f64,
    /// How much weights are shrunk.
    pub lambda: f64,
    /// Maps called balanced that were labelled so once they had been played, and how many there were.
    pub good: [usize; 2],
    /// Maps called unbalanced that were labelled so, and how many there were.
    pub bad: [usize; 2],
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
    let score: Box<dyn Fn(&Map, u64) -> f64 + Sync> = match settings.surrogate {
        Surrogate::Pnu => {
            let Learned { classifier, prior, eta, lambda } =
                unlabelled.learn(&maps, &groups.is_low, settings, number as u64)?;
            (taken.prior, taken.eta, taken.lambda) = (prior, eta, lambda);
            Box::new(move |map, _| classifier.decide(&unlabelled.scaled(map)))
        }
        Surrogate::Ridge => {
            let ridge = unlabelled.regress(&maps, &wins)?;
            taken.lambda = ridge.lambda;
            Box::new(move |map, _| -ridge.predicted_spread(&unlabelled.scaled(map)))
        }
        Surrogate::Chance => {
            let key = absorb(settings.seed, STREAM);
            Box::new(move |_, index| absorb(key, index) as f64 / u64::MAX as f64)
        }
    };
    [taken.good, taken.bad] = choose(members, number, score, settings, unlabelled, evaluator, watch)?;
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
        prior: 0.0,
        eta: 0.0,
        lambda: 0.0,
        good: [0; 2],
        bad: [0; 2],
    }
}

/// Adds the maps with the highest and the lowest scores, played, and returns how many of either were called right.
fn choose(
    members: &mut Vec<Member>,
    number: usize,
    score: impl Fn(&Map, u64) -> f64 + Sync,
    settings: &Settings,
    unlabelled: &Unlabelled,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<[[usize; 2]; 2], CourseError> {
    let extremes = unlabelled.extremes(score, settings, number as u64 - 1, evaluator, watch)?;
    let mut chosen = Vec::new();
    for (scored, origin) in extremes.into_iter().zip([Origin::Good, Origin::Bad]) {
        for (place, one) in (1..).zip(scored) {
            let word = if origin == Origin::Good { "good" } else { "bad" };
            let name = format!("step-{number}-{word}-{place}");
            let (map, score) = (one.map(settings.seed), Some(one.score));
            chosen.push(Member { name, map, origin, step: number, score, wins: [0; SEATS] });
        }
    }
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
