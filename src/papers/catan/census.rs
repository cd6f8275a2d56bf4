//! How far apart random maps are, and what can be learned from them.

use fairground_kernels::rng::{Draws as _, Rng, absorb};
use rayon::prelude::*;

use super::{Figure, Ranking};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::find::opening;
use crate::games::Game as _;
use crate::games::catan::generate::draw;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, Policy, Position};
use crate::learn::Rows;
use crate::learn::course::{CourseError, RECIPE, Settings, label};
use crate::learn::ridge::Ridge;
use crate::learn::standard::Standard;
use crate::learn::unlabelled::{LAMBDAS, Unlabelled};
use crate::stats::Interval;
use crate::stats::seats::{CONTRASTS, balance, contrasts, debiased_variance, spread};

/// Keeps the games apart from those of other experiments with the same seed.
const STREAM: u64 = 0x6365_6e73_7573_2e2e;

/// Draws of maps from among the maps, for the interval of tau.
const DRAWS: u64 = 1000;

/// Random maps that were played.
#[derive(Clone, Debug, PartialEq)]
pub struct Census {
    /// The maps.
    pub maps: Vec<Map>,
    /// Wins by seat of each.
    pub wins: Vec<[u64; SEATS]>,
    /// Games of each.
    pub games: u64,
}

/// Plays so many games of each map.
///
/// # Errors
/// If the GPU fails or the watcher asks to stop.
pub fn play(
    maps: Vec<Map>,
    policy: Policy,
    games: u64,
    seed: u64,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Census, EvaluateError> {
    let mut batch = Batch::<Catan>::new(policy, seed);
    for map in &maps {
        let start = Position::start(map);
        batch.push_part(&start, absorb(Catan::key(&start), STREAM), 0, games);
    }
    let tallies = evaluator.evaluate_watched(&batch, watch)?.tallies;
    let wins = tallies.iter().map(|tally| std::array::from_fn(|seat| tally.wins[seat])).collect();
    Ok(Census { maps, wins, games })
}

/// The first random maps of a seed.
#[must_use]
pub fn random_maps(seed: u64, count: usize) -> Vec<Map> {
    (0..count as u64).map(|index| draw(&RECIPE, seed, index)).collect()
}

impl Census {
    /// The first so many maps.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let count = count.min(self.maps.len());
        Self { maps: self.maps[..count].to_vec(), wins: self.wins[..count].to_vec(), games: self.games }
    }

    /// The wins by seat over all maps.
    #[must_use]
    pub fn total(&self) -> [u64; SEATS] {
        std::array::from_fn(|seat| self.wins.iter().map(|wins| wins[seat]).sum())
    }

    /// The share of wins of each seat: mean over maps, which vary far more than games on one of them. `None` without maps.
    #[must_use]
    pub fn seat_rates(&self) -> Option<[Figure; SEATS]> {
        let of_seat = |seat: usize| {
            let rates = self.wins.iter().map(|wins| wins[seat] as f64 / self.games as f64);
            Figure::of(&rates.collect::<Vec<_>>()).map(|figure| figure.within(0.0, 1.0))
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(of_seat);
        Some([a?, b?, c?, d?])
    }

    /// The contrasts between the seats of each map.
    #[must_use]
    pub fn contrasts(&self) -> Vec<[f64; CONTRASTS]> {
        self.wins.iter().map(|wins| contrasts(wins, self.games)).collect()
    }

    /// The unbiased variance between seats of each map.
    #[must_use]
    pub fn variances(&self) -> Vec<f64> {
        self.wins.iter().map(|wins| debiased_variance(wins, self.games)).collect()
    }

    /// How far apart the maps are, in points, with the interval of the middle 95 % of sets drawn from these maps.
    #[must_use]
    pub fn tau_points(&self, seed: u64) -> Figure {
        let variances = self.variances();
        let tau = |variances: &[f64]| 100.0 * balance::tau(variances);
        let mut drawn: Vec<f64> = (0..DRAWS)
            .map(|number| {
                let rng = &mut Rng::for_playout(seed, STREAM, number);
                let draw = |_| variances[rng.below(variances.len() as u32) as usize];
                tau(&(0..variances.len()).map(draw).collect::<Vec<_>>())
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let at = |share: f64| drawn[(share * (drawn.len() - 1) as f64) as usize];
        Figure { mean: tau(&variances), interval: Interval { low: at(0.025), high: at(0.975) } }
    }

    /// What the games say about the true spread of each map, if nothing is known beforehand, and whether it is below a bound.
    #[must_use]
    pub fn judged(&self, bound_points: f64) -> Vec<Judged> {
        let of_map = |wins: &[u64; SEATS]| {
            let (unbiased, Interval { low, high }) = balance::estimated_spread(wins, self.games);
            let seen = spread(wins, self.games);
            let below = balance::probability_below(seen, self.games, f64::INFINITY, bound_points / 100.0);
            let interval = Interval { low: 100.0 * low, high: 100.0 * high };
            let side = match below {
                below if below >= 0.95 => Side::Below,
                below if below <= 0.05 => Side::Above,
                _ => Side::Unknown,
            };
            Judged { spread_points: Figure { mean: 100.0 * unbiased, interval }, side }
        };
        self.wins.iter().map(of_map).collect()
    }

    /// The root of the mean unbiased variance of the maps in points, with Student's interval of that mean. `None` without maps.
    #[must_use]
    pub fn mean_spread_points(&self) -> Option<Figure> {
        let root = |variance: f64| if variance.is_finite() { 100.0 * variance.max(0.0).sqrt() } else { variance };
        let Figure { mean, interval } = Figure::of(&self.variances())?;
        let interval = Interval { low: root(interval.low), high: root(interval.high) };
        Some(Figure { mean: root(mean), interval })
    }

    /// How many maps have a seat's win rate in each of some bins, by seat. The bins are equally wide between two rates.
    #[must_use]
    pub fn histogram(&self, [low, high]: [f64; 2], bins: usize) -> [Vec<u64>; SEATS] {
        std::array::from_fn(|seat| {
            let mut counts = vec![0; bins];
            for wins in &self.wins {
                let place = (wins[seat] as f64 / self.games as f64 - low) / (high - low) * bins as f64;
                counts[(place.max(0.0) as usize).min(bins - 1)] += 1;
            }
            counts
        })
    }

    /// The smallest and the largest win rate.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        let rates = || self.wins.iter().flatten().map(|&wins| wins as f64 / self.games as f64);
        [rates().fold(f64::INFINITY, f64::min), rates().fold(f64::NEG_INFINITY, f64::max)]
    }
}

/// On which side of a bound a true spread is, with 95 % probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It is smaller.
    Below,
    /// It is larger.
    Above,
    /// The games do not tell.
    Unknown,
}

/// What games say about the true spread of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The de-biased spread, and a range that holds the true one with at least 95 % probability.
    pub spread_points: Figure,
    /// Whether it is below the bound.
    pub side: Side,
}

/// How a score that was learned from half of the maps ranks the other half: the correlation with the variance between seats, so
/// that above 0 is better than chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rankings {
    /// The paper's classifier on labels of the maps.
    pub classifier: Option<Ranking>,
    /// The regression of the signed contrasts on the same features.
    pub regression: Option<Ranking>,
    /// The same on the set-up that players make.
    pub opening: Option<Ranking>,
    /// About as much as the truth itself would correlate: the reliability of the games.
    pub ceiling: f64,
}

/// Learns from the first half of the maps and ranks the second.
///
/// # Errors
/// If there are too few maps, or they cannot be told apart.
pub fn rankings(
    census: &Census,
    settings: &Settings,
    unlabelled: &Unlabelled,
    evaluator: &Evaluator,
) -> Result<Rankings, CourseError> {
    let half = census.maps.len() / 2;
    let (learned, asked) = census.maps.split_at(half);
    let groups = label(&census.wins[..half], census.games)?;
    let classifier = unlabelled.learn(learned, &groups, settings, 0, evaluator, &())?.classifier;
    let regression = unlabelled.regress(learned, &census.wins[..half])?;
    let truth = &census.variances()[half..];
    let rank = |score: &(dyn Fn(&Map) -> f64 + Sync)| {
        let scores: Vec<f64> = evaluator.install(|| asked.par_iter().map(score).collect());
        Ranking::of(&scores, truth)
    };
    let seen: Vec<_> =
        census.wins[..half].iter().map(|wins| contrasts(wins, wins.iter().sum::<u64>().max(1))).collect();
    let numbers = |map: &Map| opening::numbers(map, settings.policy);
    let rows: Vec<_> = evaluator.install(|| learned.par_iter().map(numbers).collect());
    let rows = Rows::collect(rows.iter().map(|row| &row[..])).ok_or(crate::learn::pnu::FitError::Widths)?;
    let standard = Standard::of(&rows);
    let scaled = standard.apply_to(&rows).ok_or(crate::learn::pnu::FitError::Widths)?;
    let set_up = Ridge::fit_best(&scaled, &seen, &LAMBDAS)?;
    Ok(Rankings {
        // A high decision value says that a map is balanced.
        classifier: rank(&|map| -classifier.decide(&unlabelled.scaled(map))),
        regression: rank(&|map| regression.predicted_spread(&unlabelled.scaled(map))),
        opening: rank(&|map| set_up.predicted_spread(&standard.apply(numbers(map)).collect::<Vec<_>>())),
        ceiling: balance::reliability(census.games, balance::tau(truth)),
    })
}
