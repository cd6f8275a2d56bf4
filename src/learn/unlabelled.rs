//! Random maps nobody played: what a step learns with, and what it chooses from.

use fairground_kernels::rng::{Rng, absorb};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Rows;
use super::course::{CourseError, RECIPE, STREAM, Settings, play};
use super::features::{FEATURES, Readings, features};
use super::method::{BasisKind, PriorRule, Validation};
use super::moments::{FeatureMoments, Moments};
use super::pnu::{Basis, Classifier, FitError, Problem, Samples};
use super::prior::{MeanDistances, PriorError, kept_inside};
use super::ridge::Ridge;
use super::standard::Standard;
use super::two_means::TwoMeans;
use super::validate::{FOLDS, Folds, Grid, Scores, robust_choice};
use crate::batch::{EvaluateError, Evaluator, Watch};
use crate::games::catan::generate::draw;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Map, symmetry};
use crate::stats::seats::{contrasts, spread};

/// Random maps by which features are scaled and which count as unlabelled in the fit: as many as are scored, but not more than
/// these.
const MOST: u64 = 1_000_000;
/// Those of them that a fit with bells looks at, which takes far longer for each.
const MOST_OF_BELLS: u64 = 100_000;
/// Those of them that cross-validation and the prior look at.
const SAMPLE: u64 = 1000;
/// Bells of the Gaussian basis.
const BELLS: usize = 200;
/// Random maps whose share of balanced ones is the prior where labels do not tell.
pub const PRIOR_MAPS: usize = 200;
/// Maps that are scored together.
const BLOCK: u64 = 4096;

/// How much a regression may be shrunk.
pub(crate) const LAMBDAS: [f64; 5] = [0.001, 0.01, 0.1, 1.0, 10.0];

/// A score of a random map and its number.
pub type Score<'a> = dyn Fn(&Map, u64) -> f64 + Sync + 'a;

/// Where a class prior comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorSource {
    /// The author's estimate from labelled maps.
    Author,
    /// The estimate without bias.
    U,
    /// It was stated.
    Stated,
    /// The share of [`PRIOR_MAPS`] random maps that the labels' threshold calls balanced.
    RandomMaps,
}

/// The share of balanced maps that a classifier is fitted with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// The share.
    pub value: f64,
    /// Where it comes from.
    pub source: PriorSource,
    /// Whether it had to be moved, so that both classes stay possible.
    pub is_moved: bool,
}

/// A classifier and how it came about.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The classifier.
    pub classifier: Classifier,
    /// The share of balanced maps it was fitted with.
    pub prior: Prior,
    /// How much unlabelled maps count.
    pub eta: f64,
    /// How much weights are shrunk.
    pub lambda: f64,
}

/// Random maps nobody played: the same for all steps of a loop.
#[derive(Clone, Debug)]
pub struct Unlabelled {
    seed: u64,
    count: u64,
    readings: Readings,
    moments: FeatureMoments,
    sample: Rows,
    standard: Standard,
}

impl Unlabelled {
    /// The first random maps of a seed: as many as are scored in a step, at most a million.
    ///
    /// # Errors
    /// Never: there always are random maps.
    pub fn draw(seed: u64, scored: u64, readings: Readings, evaluator: &Evaluator) -> Result<Self, FitError> {
        let count = scored.clamp(SAMPLE, MOST);
        let moments = evaluator.install(|| FeatureMoments::of_random_maps(&RECIPE, &readings, seed, 0, count));
        let standard = moments.standard();
        let sample = Rows::new(FEATURES, Vec::new()).ok_or(FitError::Widths)?;
        let mut unlabelled = Self { seed, count, readings, moments, sample, standard };
        let maps: Vec<_> = (0..SAMPLE).map(|index| draw(&RECIPE, seed, index)).collect();
        unlabelled.sample = unlabelled.rows(&maps)?;
        Ok(unlabelled)
    }

    /// The features of a map in their standard scale.
    #[must_use]
    pub fn scaled(&self, map: &Map) -> Vec<f64> {
        self.standard.apply(features(map, &self.readings).map(f64::from)).collect()
    }

    fn rows<'a>(&self, maps: impl IntoIterator<Item = &'a Map>) -> Result<Rows, FitError> {
        let values = maps.into_iter().flat_map(|map| self.scaled(map)).collect();
        Rows::new(FEATURES, values).ok_or(FitError::Widths)
    }

    /// Learns from labelled maps. `step` keeps the folds of different steps apart.
    ///
    /// # Errors
    /// If a class is empty, the prior cannot be told, or the watcher asks to stop.
    pub fn learn(
        &self,
        maps: &[Map],
        groups: &TwoMeans,
        settings: &Settings,
        step: u64,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Learned, CourseError> {
        let method = settings.method;
        let rows = |wanted: bool| {
            self.rows(maps.iter().zip(&groups.is_low).filter(|(_, label)| **label == wanted).map(|(map, _)| map))
        };
        let (p, n) = (rows(true)?, rows(false)?);
        if p.is_empty() || n.is_empty() {
            return Err(CourseError::OneClass);
        }
        let samples = Samples { p: &p, n: &n, u: &self.sample };
        let distances = evaluator.install(|| MeanDistances::between(&p, &n, &self.sample, 1.0))?;
        let (value, source) = match method.prior {
            PriorRule::Author => (distances.author()?, PriorSource::Author),
            PriorRule::Stated(prior) => (prior, PriorSource::Stated),
            PriorRule::U => match distances.unbiased() {
                Ok(prior) => (prior, PriorSource::U),
                Err(PriorError::NotIdentifiable { .. }) => {
                    (self.share_below(groups.threshold(), settings, evaluator, watch)?, PriorSource::RandomMaps)
                }
                Err(error) => return Err(error.into()),
            },
        };
        let (prior, is_moved) = kept_inside(value, maps.len());
        let (classifier, eta, lambda) = evaluator.install(|| self.fit(&samples, prior, settings, step))?;
        Ok(Learned { classifier, prior: Prior { value: prior, source, is_moved }, eta, lambda })
    }

    /// Cross-validates and fits; returns η and λ too.
    fn fit(
        &self,
        samples: &Samples<'_>,
        prior: f64,
        settings: &Settings,
        step: u64,
    ) -> Result<(Classifier, f64, f64), FitError> {
        let grid = match settings.method.basis {
            BasisKind::Linear => Grid::linear(FEATURES),
            BasisKind::Gauss => {
                // The sample is random, so that its first maps are a draw without replacement.
                let centres = Rows::collect(self.sample.iter().take(BELLS)).ok_or(FitError::Widths)?;
                Grid::gaussian(&self.sample, &centres).ok_or(FitError::Widths)?
            }
        };
        let cell = match settings.method.validation {
            Validation::Author => {
                let folds = Folds::draw(FOLDS, samples, &mut Rng::for_playout(settings.seed, STREAM, step));
                Scores::compute(samples, prior, &grid, &folds)?.author_choice()
            }
            Validation::Robust => robust_choice(samples, prior, &grid, absorb(settings.seed, step))?,
        };
        let (basis, eta, lambda) = (grid.bases[cell.basis].clone(), grid.etas[cell.eta], grid.lambdas[cell.lambda]);
        let [p, n] = [samples.p, samples.n].map(|rows| basis.moments(rows));
        let weights = Problem::new(&basis, prior, &p, &n, &self.moments_in(&basis))?.solve(eta, lambda)?;
        Ok((Classifier { basis, weights: weights.as_slice().to_vec() }, eta, lambda))
    }

    /// The sums of the unlabelled maps in a basis.
    fn moments_in(&self, basis: &Basis) -> Moments {
        let Basis::Gaussian { .. } = basis else { return self.moments.linear(&self.standard) };
        let count = self.count.min(MOST_OF_BELLS);
        let block = |block: u64| {
            let (mut moments, mut values) = (Moments::new(basis.len()), vec![0.0; basis.len()]);
            for index in block * BLOCK..((block + 1) * BLOCK).min(count) {
                basis.fill(&self.scaled(&draw(&RECIPE, self.seed, index)), &mut values);
                moments.add(&values);
            }
            moments
        };
        let blocks: Vec<_> = (0..count.div_ceil(BLOCK)).into_par_iter().map(block).collect();
        // In the order of the maps, whoever was ready first: sums are rounded.
        blocks.iter().fold(Moments::new(basis.len()), |mut sum, block| {
            sum.merge(block);
            sum
        })
    }

    /// The share of random maps whose spread is below a threshold, by as many games as the loop plays.
    fn share_below(
        &self,
        threshold: f64,
        settings: &Settings,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<f64, EvaluateError> {
        let maps: Vec<_> = (0..PRIOR_MAPS as u64).map(|index| draw(&RECIPE, self.seed, index)).collect();
        let wins = play(settings, &maps, evaluator, watch)?;
        let below = wins.iter().filter(|wins| spread(&wins[..], settings.games) < threshold).count();
        Ok(below as f64 / PRIOR_MAPS as f64)
    }

    /// The regression of the signed contrasts on the features, from the same maps.
    ///
    /// # Errors
    /// If there are no maps.
    pub fn regress(&self, maps: &[Map], wins: &[[u64; SEATS]]) -> Result<Ridge, FitError> {
        let seen: Vec<_> = wins.iter().map(|wins| contrasts(wins, wins.iter().sum::<u64>().max(1))).collect();
        Ridge::fit_best(&self.rows(maps)?, &seen, &LAMBDAS)
    }

    /// Of fresh random maps those with the highest and those with the lowest score, no two of them the same when turned or
    /// mirrored. Equal scores are told apart by what the map is.
    ///
    /// # Errors
    /// If the watcher asks to stop.
    pub fn extremes(
        &self,
        score: &Score<'_>,
        settings: &Settings,
        step: u64,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<[Vec<Scored>; 2], EvaluateError> {
        let Settings { maps, chosen, seed, .. } = *settings;
        let first = self.count + step * maps;
        let block = |begin: u64| {
            let indices = first + begin..first + (begin + BLOCK).min(maps);
            let all: Vec<_> = indices.map(|index| (score(&draw(&RECIPE, seed, index), index), index)).collect();
            [1.0, -1.0].map(|sign| best_of(&all, sign, chosen, seed))
        };
        let mut extremes = [Vec::new(), Vec::new()];
        let starts: Vec<_> = (0..maps).step_by(BLOCK as usize).collect();
        // Some blocks at a time: somebody may want to stop.
        for starts in starts.chunks(64) {
            if watch.stop() {
                return Err(EvaluateError::Stopped);
            }
            let found: Vec<_> = evaluator.install(|| starts.par_iter().map(|&begin| block(begin)).collect());
            for both in found {
                for ((all, more), sign) in extremes.iter_mut().zip(both).zip([1.0, -1.0]) {
                    all.extend(more);
                    all.sort_by(|a: &Scored, b: &Scored| {
                        (sign * b.score).total_cmp(&(sign * a.score)).then(a.key.cmp(&b.key))
                    });
                    let mut seen = Vec::new();
                    all.retain(|one| {
                        !seen.contains(&one.key) && {
                            seen.push(one.key);
                            true
                        }
                    });
                    all.truncate(chosen);
                }
            }
        }
        Ok(extremes)
    }
}

/// The maps with the highest scores, or with a negative sign those with the lowest. Only of those that come into question it is
/// asked whether they are the same when turned: that takes longer than to score a map.
fn best_of(all: &[(f64, u64)], sign: f64, count: usize, seed: u64) -> Vec<Scored> {
    let mut sorted = all.to_vec();
    sorted.sort_by(|a, b| (sign * b.0).total_cmp(&(sign * a.0)));
    let mut best: Vec<Scored> = Vec::new();
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        if best.len() >= count {
            break;
        }
        let scored =
            |&(score, index): &(f64, u64)| Scored { score, index, key: symmetry::key(&draw(&RECIPE, seed, index)) };
        let mut equal: Vec<_> = equal.iter().map(scored).collect();
        equal.sort_by_key(|one| one.key);
        for one in equal {
            if best.len() < count && best.iter().all(|other| other.key != one.key) {
                best.push(one);
            }
        }
    }
    best
}

/// A random map and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::{Policy, Strategy};
    use crate::learn::course::label;
    use crate::learn::method::Method;

    fn settings(method: Method) -> Settings {
        let policy = Policy { seats: [Strategy::Heuristic; SEATS], turn_cap: 1000 };
        Settings { policy, games: 100, maps: 9000, chosen: 7, method, seed: 3 }
    }

    #[test]
    fn the_extremes_are_those_of_all_maps() {
        let (evaluator, settings) = (Evaluator::default(), settings(Method::default()));
        let unlabelled = Unlabelled::draw(3, 1000, Readings::default(), &evaluator).expect("maps");
        // Many maps share a score.
        let score = |map: &Map, _: u64| f64::from(features(map, &Readings::default())[45]);
        let [high, low] = unlabelled.extremes(&score, &settings, 1, &evaluator, &()).expect("nobody stops");
        let mut all: Vec<_> = (10_000..19_000)
            .map(|index| (draw(&RECIPE, 3, index), index))
            .map(|(map, index)| Scored { score: score(&map, index), index, key: symmetry::key(&map) })
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
        assert_eq!(high, all[..7]);
        all.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.key.cmp(&b.key)));
        assert_eq!(low, all[..7]);
    }

    #[test]
    fn the_same_map_is_taken_once() {
        let all = [(1.0, 4), (1.0, 4), (2.0, 9), (0.5, 1)];
        let best: Vec<_> = best_of(&all, 1.0, 3, 1).iter().map(|one| one.index).collect();
        assert_eq!(best, [9, 4, 1]);
        let worst: Vec<_> = best_of(&all, -1.0, 2, 1).iter().map(|one| one.index).collect();
        assert_eq!(worst, [1, 4]);
    }

    #[test]
    fn a_prior_that_labels_do_not_tell_is_that_of_random_maps() {
        let evaluator = Evaluator::default();
        let unlabelled = Unlabelled::draw(3, 1000, Readings::default(), &evaluator).expect("maps");
        let maps: Vec<_> = (0..12).map(|index| draw(&RECIPE, 8, index)).collect();
        let learn = |prior: PriorRule, wins: &[[u64; SEATS]]| {
            let settings = settings(Method { prior, ..Method::default() });
            let groups = label(wins, 100).expect("two groups");
            let learned = unlabelled.learn(&maps, &groups, &settings, 1, &evaluator, &()).expect("a classifier");
            (learned.prior, groups.threshold())
        };
        // Labels that have nothing to do with the maps.
        let wins: Vec<_> = (0..12).map(|map| if map % 2 == 0 { [25; 4] } else { [40, 20, 20, 20] }).collect();
        let (prior, threshold) = learn(PriorRule::U, &wins);
        assert_eq!((prior.source, prior.is_moved), (PriorSource::RandomMaps, false), "{prior:?}");
        let random: Vec<_> = (0..200).map(|index| draw(&RECIPE, 3, index)).collect();
        let played = play(&settings(Method::default()), &random, &evaluator, &()).expect("games");
        let below = played.iter().filter(|wins| spread(&wins[..], 100) < threshold).count();
        assert_eq!(prior.value, below as f64 / 200.0);
        let (stated, _) = learn(PriorRule::Stated(0.01), &wins);
        assert_eq!(stated, Prior { value: 1.0 / 24.0, source: PriorSource::Stated, is_moved: true });
    }
}
