//! Scores and intervals of a [`Tally`]: here floats begin.
//!
//! Playing and scoring are separate. A tally is kept; any function of it is a score, and scoring again
//! with another one plays nothing:
//!
//! ```
//! use fairground::batch::Tally;
//! use fairground::stats;
//!
//! let mut tally = Tally { playouts: 1000, draws: 100, ..Tally::default() };
//! tally.wins[..2].copy_from_slice(&[500, 400]);
//!
//! assert!((stats::fitness(&tally) - 0.8).abs() < 1e-12);
//! assert!((stats::balance(&tally) - 0.9).abs() < 1e-12);
//! let of_decided_games: stats::Score = |tally| tally.wins[0] as f64 / (tally.wins[0] + tally.wins[1]) as f64;
//! assert!((of_decided_games(&tally) - 5.0 / 9.0).abs() < 1e-12);
//! ```

use crate::batch::{Moments, Tally};

pub mod clusters;
pub mod ratio;
pub mod seats;

pub use clusters::Clusters;
pub use ratio::Ratio;

/// A function that rates a tally. [`fitness`] and [`balance`] are two.
pub type Score = fn(&Tally) -> f64;

/// The normal deviate that leaves 2.5 % on either side: a two-sided 95 % interval.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// The normal deviate that leaves 1.25 % on either side: two such intervals hold together in 95 %.
const Z97_5: f64 = 2.241_402_727_604_945;

/// The normal deviate for so many two-sided intervals that hold all together in at least 95 % (Bonferroni).
#[must_use]
pub fn deviate_of(intervals: usize) -> f64 {
    let tail = 0.025 / intervals.max(1) as f64;
    let above = |z: f64| 0.5 * libm::erfc(z / std::f64::consts::SQRT_2);
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if above(middle) > tail { low = middle } else { high = middle }
    }
    high
}

/// A range that holds the true value with a stated confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether the value lies inside or on an end.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The share `successes / n`; NaN if `n` is 0.
#[must_use]
pub fn rate(successes: u64, n: u64) -> f64 {
    successes as f64 / n as f64
}

/// The 95 % Wilson score interval of a share, without continuity correction.
///
/// It never leaves 0 to 1 and is sensible at both ends, unlike the normal interval. Nothing played is
/// nothing known: the whole range.
///
/// ```
/// let interval = fairground::stats::wilson(0, 10);
/// assert_eq!(interval.low, 0.0);
/// assert!((interval.high - 0.2775).abs() < 1e-4);
/// ```
#[must_use]
pub fn wilson(successes: u64, n: u64) -> Interval {
    wilson_at(successes, n, Z95)
}

fn wilson_at(successes: u64, n: u64, z: f64) -> Interval {
    if n == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    wilson_share(rate(successes, n), n as f64, z)
}

/// [`wilson`] for a share of so many attempts, which need not be whole.
fn wilson_share(p: f64, count: f64, z: f64) -> Interval {
    let z2 = z * z;
    let centre = p + z2 / (2.0 * count);
    let reach = z * (p * (1.0 - p) / count + z2 / (4.0 * count * count)).sqrt();
    let scale = 1.0 + z2 / count;
    // At the ends the formula gives exactly 0 and 1 but for rounding.
    Interval {
        low: if p <= 0.0 { 0.0 } else { ((centre - reach) / scale).max(0.0) },
        high: if p >= 1.0 { 1.0 } else { ((centre + reach) / scale).min(1.0) },
    }
}

/// Mean of `n` values with these moments; NaN if there are none.
#[must_use]
pub fn mean(moments: &Moments, n: u64) -> f64 {
    moments.sum as f64 / n as f64
}

/// Standard error of [`mean`], from the unbiased variance; NaN for fewer than two values.
#[must_use]
pub fn standard_error(moments: &Moments, n: u64) -> f64 {
    if n < 2 {
        return f64::NAN;
    }
    // n * squares - sum^2 in whole numbers: no cancellation.
    let (n, sum, squares) = (u128::from(n), u128::from(moments.sum), u128::from(moments.squares));
    let spread = (n * squares).saturating_sub(sum * sum) as f64;
    (spread / (n as f64 * n as f64 * (n - 1) as f64)).sqrt()
}

/// The fitness of the papers on TUBSTAP maps, `1 - (|p1 - p2| + draw)`: 1 if both seats win half of the
/// games, 0 if one of them never wins.
///
/// It looks at the first two seats. A truncated playout has no winner either and counts as a draw. Since
/// the three rates add up to 1, the fitness is twice the smaller win rate. NaN if nothing was played.
#[must_use]
pub fn fitness(tally: &Tally) -> f64 {
    2.0 * rate(tally.wins[0].min(tally.wins[1]), tally.playouts)
}

/// An interval that holds the true [`fitness`] with at least 95 % confidence.
///
/// Fitness is twice the smaller of two win rates. If both Wilson intervals cover their rate then the
/// smaller of the lower ends and the smaller of the upper ends enclose the smaller rate; each interval
/// is taken at 97.5 % so that both hold together in at least 95 % (Bonferroni). Unlike the delta method
/// this is also valid where it matters most, at equal win rates, where fitness has a kink.
#[must_use]
pub fn fitness_interval(tally: &Tally) -> Interval {
    let [first, second] = [0, 1].map(|seat| wilson_at(tally.wins[seat], tally.playouts, Z97_5));
    Interval { low: 2.0 * first.low.min(second.low), high: (2.0 * first.high.min(second.high)).min(1.0) }
}

/// `1 - |p1 - p2|` of the first two seats: like [`fitness`] but draws do no harm. NaN if nothing was played.
#[must_use]
pub fn balance(tally: &Tally) -> f64 {
    1.0 - rate(tally.wins[0].abs_diff(tally.wins[1]), tally.playouts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-5
    }

    fn tally(first: u64, second: u64, draws: u64) -> Tally {
        let mut tally = Tally { playouts: first + second + draws, draws, ..Tally::default() };
        tally.wins[..2].copy_from_slice(&[first, second]);
        tally
    }

    #[test]
    fn wilson_equals_published_values() {
        // Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        for (successes, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let interval = wilson(successes, n);
            assert!(close(interval.low, low) && close(interval.high, high), "{successes}/{n}: {interval:?}");
        }
    }

    #[test]
    fn deviates_of_several_intervals_equal_tables() {
        assert!((deviate_of(1) - Z95).abs() < 1e-9 && (deviate_of(2) - Z97_5).abs() < 1e-9);
        assert!(close(deviate_of(3), 2.393_98) && close(deviate_of(0), Z95));
    }

    #[test]
    fn wilson_is_symmetric_and_stays_between_0_and_1() {
        for n in [1, 2, 10, 1000, u64::MAX] {
            for successes in [0, n / 3, n / 2, n - 1, n] {
                let (one, other) = (wilson(successes, n), wilson(n - successes, n));
                assert!((one.low + other.high - 1.0).abs() < 1e-9, "{successes}/{n}");
                assert!(0.0 <= one.low && one.low <= one.high && one.high <= 1.0);
                assert!(one.contains(rate(successes, n)));
            }
        }
        assert_eq!(wilson(0, 0), Interval { low: 0.0, high: 1.0 });
    }

    #[test]
    fn mean_and_error_of_known_values() {
        let mut moments = Moments::default();
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|value| moments.add(value));
        assert_eq!(mean(&moments, 8), 5.0);
        // Sum of squared deviations 32, variance 32 / 7.
        assert!((standard_error(&moments, 8) - (32.0_f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert!(standard_error(&moments, 1).is_nan());
    }

    #[test]
    fn error_of_large_equal_values_is_exactly_zero() {
        let n = 1_000_000_000;
        assert_eq!(standard_error(&Moments { sum: 999 * n, squares: 999 * 999 * n }, n), 0.0);
    }

    #[test]
    fn fitness_is_the_formula_of_the_paper() {
        for tally in [tally(500, 400, 100), tally(0, 10, 0), tally(5, 5, 0), tally(1, 2, 97), tally(0, 0, 3)] {
            let n = tally.playouts;
            let [first, second] = [tally.wins[0], tally.wins[1]].map(|wins| rate(wins, n));
            let formula = 1.0 - ((first - second).abs() + rate(tally.draws, n));
            assert!((fitness(&tally) - formula).abs() < 1e-12, "{tally:?}");
            assert!(fitness_interval(&tally).contains(fitness(&tally)));
        }
        assert_eq!(balance(&tally(500, 500, 9000)), 1.0);
    }

    #[test]
    fn truncated_playouts_count_as_draws() {
        let mut truncated = tally(30, 20, 0);
        truncated.playouts += 50;
        truncated.truncated = 50;
        assert_eq!(fitness(&truncated), fitness(&tally(30, 20, 50)));
    }

    #[test]
    fn fitness_interval_covers_at_the_kink() {
        // Games of a fair map without draws, from a fixed seed: the true fitness is 1. At most 5 % of 2000
        // intervals may miss; more than 130 would happen with a probability below 0.2 % at exactly 5 %.
        let mut rng = fairground_kernels::rng::Rng::new([1, 2, 3, 4]);
        let mut missed = 0;
        for _ in 0..2000 {
            let first = (0..400).map(|_| u64::from(fairground_kernels::rng::Draws::below(&mut rng, 2))).sum();
            missed += u32::from(!fitness_interval(&tally(first, 400 - first, 0)).contains(1.0));
        }
        assert!(missed <= 130, "{missed} of 2000 intervals missed");
    }
}
