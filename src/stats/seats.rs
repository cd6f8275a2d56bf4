//! How equal the seats of a game are, two or more, from the wins of each.
//!
//! A seat's win rate is its wins over *all* playouts. A playout that was cut off is a win for nobody, so that with
//! truncated playouts the rates add up to less than 1.
//!
//! ```
//! use fairground::stats::seats;
//! let wins = [30, 20, 25, 25];
//! assert!((100.0 * seats::spread(&wins, 100) - 4.08).abs() < 0.01);
//! // Seats that win equally often differ about as much in a hundred games, so there is nothing left of it.
//! assert_eq!(seats::debiased_spread(&wins, 100), 0.0);
//! assert!((seats::equality_p(&wins) - 0.5724).abs() < 1e-4);
//! ```

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

use super::rate;

pub mod balance;
pub mod evidence;

pub use balance::{CONTRASTS, contrasts};

/// Standard deviation of the seats' win rates, with one less than the number of seats as the divisor.
///
/// It is never 0 on average, however equal the seats: chance alone gives about `1 / sqrt(k n)` for `k` seats, which
/// is 1.1 percentage points for four seats and 2,000 playouts. NaN if nothing was played.
#[must_use]
pub fn spread(wins: &[u64], playouts: u64) -> f64 {
    variance(wins, playouts).sqrt()
}

/// An unbiased estimate of the variance of the seats' true win rates: [`spread`] squared without the share of
/// chance. It may be negative; average it over maps as it is. NaN for fewer than two playouts.
///
/// With rates `p`, their sum `d` (1 without truncated playouts), `k` seats and `n` playouts it is
/// `(sum (p - d/k)^2 - (sum p (1 - p) - d (1 - d) / k) / (n - 1)) / (k - 1)`.
#[must_use]
pub fn debiased_variance(wins: &[u64], playouts: u64) -> f64 {
    if playouts < 2 {
        return f64::NAN;
    }
    let seats = wins.len() as f64;
    let noise = |wins| rate(wins, playouts) * (1.0 - rate(wins, playouts));
    let of_seats: f64 = wins.iter().copied().map(noise).sum();
    // The mean of the rates is itself uncertain if playouts were cut off.
    let of_mean = noise(wins.iter().sum()) / seats;
    variance(wins, playouts) - (of_seats - of_mean) / (playouts as f64 - 1.0) / (seats - 1.0)
}

/// The root of [`debiased_variance`], or 0 where that is negative: for people to read, not to be averaged.
#[must_use]
pub fn debiased_spread(wins: &[u64], playouts: u64) -> f64 {
    let variance = debiased_variance(wins, playouts);
    if variance < 0.0 { 0.0 } else { variance.sqrt() }
}

/// How likely wins at least as unequal as these are if all seats are equal: the p-value of Pearson's chi-square
/// test over the decided playouts. NaN if there are none.
#[must_use]
pub fn equality_p(wins: &[u64]) -> f64 {
    let expected = wins.iter().sum::<u64>() as f64 / wins.len() as f64;
    let statistic: f64 = wins.iter().map(|&wins| (wins as f64 - expected).powi(2) / expected).sum();
    chi_square_tail(statistic, wins.len().saturating_sub(1) as u32)
}

fn variance(wins: &[u64], playouts: u64) -> f64 {
    let seats = wins.len() as f64;
    let mean = rate(wins.iter().sum(), playouts) / seats;
    wins.iter().map(|&wins| (rate(wins, playouts) - mean).powi(2)).sum::<f64>() / (seats - 1.0)
}

/// The probability that a chi-square variable with so many degrees of freedom exceeds `x`.
pub(crate) fn chi_square_tail(x: f64, degrees: u32) -> f64 {
    // Without freedom there is nothing to exceed.
    ChiSquared::new(f64::from(degrees)).map_or(0.0, |law| law.sf(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn four_seats_by_hand() {
        // Deviations +5, -5, 0, 0 points; sum of p (1 - p) = 0.21 + 0.16 + 2 * 0.1875.
        let wins = [30, 20, 25, 25];
        assert_close(spread(&wins, 100), (0.005_f64 / 3.0).sqrt());
        assert_close(debiased_variance(&wins, 100), (0.005 - 0.745 / 99.0) / 3.0);
        assert_eq!(debiased_spread(&wins, 100), 0.0);
        // (25 + 25 + 0 + 0) / 25 = 2.
        assert_close(equality_p(&wins), chi_square_tail(2.0, 3));

        let wins = [700, 100, 100, 100];
        assert_close(spread(&wins, 1000), 0.3);
        let variance = (0.2025 + 3.0 * 0.0225 - 0.48 / 999.0) / 3.0;
        assert_close(debiased_variance(&wins, 1000), variance);
        assert_close(debiased_spread(&wins, 1000), variance.sqrt());
    }

    #[test]
    fn truncated_playouts_are_wins_for_nobody() {
        let wins = [30, 20, 25, 25];
        // Half of the playouts were cut off: rates 0.15, 0.1, 0.125, 0.125 about their mean 0.125.
        assert_close(spread(&wins, 200), (0.00125_f64 / 3.0).sqrt());
        let noise = 0.1275 + 0.09 + 2.0 * 0.109375 - 0.25 / 4.0;
        assert_close(debiased_variance(&wins, 200), (0.00125 - noise / 199.0) / 3.0);
        assert_eq!(spread(&[0; 4], 50), 0.0);
        assert_eq!(debiased_spread(&[0; 4], 50), 0.0);
    }

    #[test]
    fn too_little_to_tell_is_nan() {
        assert!(spread(&[0; 4], 0).is_nan());
        assert!(debiased_variance(&[1, 0, 0, 0], 1).is_nan());
        assert!(debiased_spread(&[1, 0, 0, 0], 1).is_nan());
        assert!(equality_p(&[0; 4]).is_nan());
    }

    /// The mean of `measure` over all outcomes of so many playouts, given the chance of each seat.
    fn expectation(chances: &[f64; 4], playouts: u32, measure: fn(&[u64], u64) -> f64) -> f64 {
        let nobody = 1.0 - chances.iter().sum::<f64>();
        // Each playout is one digit: a seat, or nobody.
        (0..5_u32.pow(playouts))
            .map(|outcome| {
                let (mut wins, mut chance) = ([0; 4], 1.0);
                for playout in 0..playouts {
                    let winner = (outcome / 5_u32.pow(playout) % 5) as usize;
                    chance *= chances.get(winner).unwrap_or(&nobody);
                    wins.iter_mut().skip(winner).take(1).for_each(|wins| *wins += 1);
                }
                chance * measure(&wins, u64::from(playouts))
            })
            .sum()
    }

    #[test]
    fn the_debiased_variance_is_exactly_unbiased() {
        for chances in [[0.25; 4], [0.4, 0.3, 0.2, 0.1], [0.5, 0.2, 0.1, 0.0], [0.0; 4]] {
            let mean = chances.iter().sum::<f64>() / 4.0;
            let truth = chances.iter().map(|chance| (chance - mean).powi(2)).sum::<f64>() / 3.0;
            for playouts in 2..=5 {
                assert_close(expectation(&chances, playouts, debiased_variance), truth);
            }
        }
        // Of equal seats the squared spread is 1 / (k n) on average.
        assert_close(expectation(&[0.25; 4], 5, variance), 1.0 / 20.0);
    }

    #[test]
    fn the_tail_of_chi_square_equals_published_quantiles() {
        for (quantile, degrees, tail) in [
            (3.841, 1, 0.05),
            (5.991, 2, 0.05),
            (7.815, 3, 0.05),
            (11.345, 3, 0.01),
            (16.266, 3, 0.001),
            (9.488, 4, 0.05),
            (11.070, 5, 0.05),
            (16.919, 9, 0.05),
        ] {
            let found = chi_square_tail(quantile, degrees);
            assert!((found / tail - 1.0).abs() < 5e-4, "{quantile}, {degrees} degrees: {found}");
        }
        assert_eq!(chi_square_tail(0.0, 3), 1.0);
        // Far out it neither vanishes nor loses its digits: 2 sqrt(half / pi) e^-half (1 + 1 / (2 half) + ...).
        assert!((chi_square_tail(1000.0, 3).log10() + 215.74).abs() < 0.01);
    }
}
