//! A paper on balanced maps of Catan (Hwang and Kaneko): what it says, and the same experiments here.
//!
//! The paper plays 2,000 games of JSettlers on each map, calls maps balanced whose seats win about equally often, learns a
//! classifier from 15 to 45 such labels, and chooses new maps with it. It had to leave open whether the choices fail because of
//! the method, the features, or too few games. With a hundred thousand games a map that can be told.
//!
//! - [`census`]: how far apart random maps are, and how much of what 2,000 games show is chance.
//! - [`trial`]: the paper's loop repeated, with its classifier and with a regression, and what its choices are worth.
//! - [`transfer`]: what a certificate under one kind of player says about other kinds.

pub mod census;
pub mod transfer;
pub mod trial;

use fairground_kernels::rng::Rng;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use crate::games::catan::generate::shuffle;
use crate::games::catan::tables::SEATS;
use crate::stats::Interval;

/// Games of a map in the paper.
pub const GAMES: u64 = 2000;

/// Table 1, the share of wins by seat in percent of players who play at random and of Monte-Carlo tree search. Both are
/// from Szita, Chaslot and Spronck.
pub const TABLE_1: [(&str, [f64; SEATS]); 2] =
    [("Random", [30.42, 22.94, 23.19, 23.44]), ("MCTS", [20.51, 27.18, 27.44, 24.87])];

/// Table 4, the share of wins by seat in percent, and how many maps that is the mean of. The first row adds up to 99.
pub const TABLE_4: [(&str, u64, [f64; SEATS]); 3] = [
    ("rule book", 1, [23.29, 25.34, 24.04, 26.33]),
    ("tournament", 5, [24.75, 24.91, 24.94, 25.40]),
    ("random", 29, [24.79, 24.71, 25.10, 25.40]),
];

/// Section 5.1.2: of the five maps called balanced and the five called unbalanced in each step, how many were.
pub const CONFIRMED: [[u64; 2]; 3] = [[2, 3], [3, 0], [3, 3]];

/// Maps that are chosen from either end in each step.
pub const CHOSEN: usize = 5;

/// Maps that the loop begins with.
pub const SEEDS: usize = 15;

/// A mean and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The mean.
    pub mean: f64,
    /// Where the true mean lies; unbounded for a single value.
    pub interval: Interval,
}

impl Figure {
    /// The mean of independent values, with Student's interval. `None` without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        // One value says nothing about how far others would be.
        let error = if values.len() == 1 { 1.0 } else { (squares / (n - 1.0) / n).sqrt() };
        let reach = student(values.len() - 1) * error;
        Some(Self { mean, interval: Interval { low: mean - reach, high: mean + reach } })
    }

    /// The same if nothing below or above these is possible.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        let interval = Interval { low: self.interval.low.max(low), high: self.interval.high.min(high) };
        Self { interval, ..self }
    }
}

/// The point that Student's law with so many degrees of freedom exceeds in 2.5 %; infinite without any.
fn student(freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |law| law.inverse_cdf(0.975))
}

/// How two lists agree in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// The rank correlation, with a 95 % interval by Fisher's transformation.
    pub correlation: Figure,
    /// How often chance alone correlates as much, by shuffles.
    pub p: f64,
}

/// Shuffles of a list.
const SHUFFLES: u64 = 1999;

/// Keeps the shuffles apart from other random numbers.
const STREAM: u64 = 0x7368_7566_666c_6573;

impl Ranking {
    /// Of two lists of equal length. `None` if there are fewer than five values, or one of the lists has only one.
    #[must_use]
    pub fn of(one: &[f64], other: &[f64]) -> Option<Self> {
        let n = one.len().min(other.len());
        if n < 5 {
            return None;
        }
        let [mut one, other] = [one, other].map(|values| ranks(&values[..n]));
        let middle = (n as f64 - 1.0) / 2.0;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
        let seen = product(&one, &other);
        let mean = seen / (product(&one, &one) * product(&other, &other)).sqrt();
        // The variance is that of Fieller, Hartley and Pearson for ranks.
        let reach = 1.96 * (1.06 / (n as f64 - 3.0)).sqrt();
        let [low, high] = [-reach, reach].map(|reach| (mean.atanh() + reach).tanh());
        let correlation = Figure { mean, interval: Interval { low, high } };
        let mut as_much = 0;
        for number in 0..SHUFFLES {
            shuffle(&mut one, &mut Rng::for_playout(0, STREAM, number));
            as_much += u64::from(product(&one, &other) >= seen);
        }
        // The order that was seen is one of those that chance gives.
        let p = (as_much + 1) as f64 / (SHUFFLES + 1) as f64;
        mean.is_finite().then_some(Self { correlation, p })
    }
}

/// The rank of each value from 0, equal ones in the middle of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        equal.iter().for_each(|&place| ranks[place] = first as f64 + (equal.len() as f64 - 1.0) / 2.0);
        first += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_interval_of_student() {
        assert_eq!(Figure::of(&[]), None);
        let one = Figure::of(&[3.0]).expect("a value");
        assert!(one.mean == 3.0 && one.interval.contains(1e9));
        let shares = one.within(0.0, 5.0);
        assert_eq!((shares.mean, shares.interval.low, shares.interval.high), (3.0, 0.0, 5.0));
        let quantiles =
            [(1, 12.7062), (2, 4.3027), (4, 2.7764), (5, 2.5706), (10, 2.2281), (30, 2.0423), (1000, 1.9623)];
        for (freedom, expected) in quantiles {
            assert!((student(freedom) - expected).abs() < 1e-4, "{freedom}");
        }
        let five = Figure::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("values");
        assert!((five.interval.high - 3.0 - 2.776 * (0.5_f64).sqrt()).abs() < 1e-3, "{five:?}");
    }

    #[test]
    fn ranks_are_compared_and_not_values() {
        let one: Vec<f64> = (0..40).map(f64::from).collect();
        let cubes: Vec<f64> = one.iter().map(|value| value.powi(3)).collect();
        let same = Ranking::of(&one, &cubes).expect("a correlation");
        assert!((same.correlation.mean - 1.0).abs() < 1e-12);
        assert_eq!(same.p, 1.0 / 2000.0, "no shuffle is as good");
        let signs: Vec<f64> = one.iter().map(|value| value % 2.0).collect();
        let none = Ranking::of(&one, &signs).expect("a correlation");
        let Ranking { correlation, p } = none;
        assert!(correlation.mean.abs() < 0.1 && correlation.interval.contains(0.0) && p > 0.1, "{none:?}");
        let against = Ranking::of(&one, &one.iter().map(|value| -value).collect::<Vec<_>>()).expect("a correlation");
        assert_eq!(against.p, 1.0, "every shuffle is better");
        assert_eq!(Ranking::of(&one, &[1.0; 40]), None);
        assert_eq!(ranks(&[2.0, 1.0, 2.0, 5.0]), [1.5, 0.0, 1.5, 3.0]);
    }
}
