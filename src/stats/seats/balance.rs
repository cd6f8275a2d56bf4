//! What the spread of four seats' win rates says about their true spread.
//!
//! Over `N` games of equal seats each of the three orthonormal [`contrasts`] between the win rates varies by `1 / (4 N)`, so that
//! `T = 12 N s²` of the spread `s` is a chi-square variable with three degrees of freedom; it is Pearson's statistic. At a true
//! spread sigma it is, closely, the noncentral one with noncentrality `12 N sigma²`.
//!
//! | games | mean spread of equal seats | 95 % of them stay below |
//! | --- | --- | --- |
//! | 2,000 | 1.030 points | 1.804 |
//! | 20,000 | 0.326 | 0.571 |
//! | 200,000 | 0.103 | 0.180 |
//! | 2,000,000 | 0.033 | 0.057 |
//!
//! Spreads, bounds and tau are shares here, not percentage points.

use std::f64::consts::{PI, SQRT_2};

use nalgebra::{Matrix3, Vector3};
use statrs::distribution::{ChiSquared, ContinuousCDF as _, FisherSnedecor};

use super::{debiased_spread, spread};
use crate::stats::{Interval, rate};

/// Seats of the games these laws are about.
pub const SEATS: usize = 4;

/// Contrasts between as many seats.
pub const CONTRASTS: usize = SEATS - 1;

/// Three orthonormal contrasts between the win rates: the first seat against the second, these two against the third, these
/// three against the fourth. The sum of their squares is three times the squared [spread]. NaN if nothing was
/// played.
#[must_use]
pub fn contrasts(wins: &[u64; SEATS], games: u64) -> [f64; CONTRASTS] {
    let [a, b, c, d] = wins.map(|wins| rate(wins, games));
    [(a - b) / SQRT_2, (a + b - 2.0 * c) / 6_f64.sqrt(), (a + b + c - 3.0 * d) / 12_f64.sqrt()]
}

/// The win rates with these [`contrasts`] that add up to 1: the other way round.
#[must_use]
pub fn rates_of(contrasts: [f64; CONTRASTS]) -> [f64; SEATS] {
    let [x, y, z] = [contrasts[0] / SQRT_2, contrasts[1] / 6_f64.sqrt(), contrasts[2] / 12_f64.sqrt()];
    [0.25 + x + y + z, 0.25 - x + y + z, 0.25 - 2.0 * y + z, 0.25 - 3.0 * z]
}

/// How much chance alone varies each of the [`contrasts`].
fn noise(games: u64) -> f64 {
    0.25 / games as f64
}

/// `T = 12 N s²`: Pearson's statistic of equal seats, from their spread.
#[must_use]
pub fn equality_statistic(spread: f64, games: u64) -> f64 {
    12.0 * games as f64 * spread * spread
}

/// How likely a mean over maps as far from equal seats as this is if seats are equal in the mean of all maps: Hotelling's test
/// on the [`contrasts`] of each map. Games on one map are not independent of each other, maps are. `None` if there are fewer
/// than five maps or they do not vary.
#[must_use]
pub fn equality_p_over_maps(contrasts: &[[f64; CONTRASTS]]) -> Option<f64> {
    let (n, freedom) = (contrasts.len() as f64, contrasts.len().checked_sub(CONTRASTS)? as f64);
    if freedom < 2.0 {
        return None;
    }
    let mean = contrasts.iter().map(|one| Vector3::from(*one)).sum::<Vector3<f64>>() / n;
    let products = contrasts.iter().map(|one| Vector3::from(*one) - mean).map(|one| one * one.transpose());
    let covariance = products.sum::<Matrix3<f64>>() / (n - 1.0);
    let statistic = n * mean.dot(&covariance.cholesky()?.solve(&mean));
    let ratio = statistic * freedom / (CONTRASTS as f64 * (n - 1.0));
    let law = FisherSnedecor::new(CONTRASTS as f64, freedom).ok()?;
    Some(law.sf(ratio)).filter(|p| p.is_finite())
}

/// The mean spread that equal seats show.
#[must_use]
pub fn mean_spread_if_equal(games: u64) -> f64 {
    // The mean of a chi variable with three degrees of freedom is 2 sqrt(2 / pi).
    2.0 * (2.0 / PI / (12.0 * games as f64)).sqrt()
}

/// The probability that a noncentral chi-square variable with three degrees of freedom is at most `x`.
///
/// Exact to about 1e-15, absolutely: far below the mean the terms cancel, so that its logarithm says nothing there.
/// ```
/// let p = fairground::stats::seats::balance::noncentral_chi_square(7.815, 17.17);
/// assert!((p - 0.050_004_057_616_645_41).abs() < 1e-14);
/// ```
#[must_use]
pub fn noncentral_chi_square(x: f64, noncentrality: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (r, m) = (x.sqrt(), noncentrality.max(0.0).sqrt());
    let below = |z: f64| 0.5 * libm::erfc(-z / SQRT_2);
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    let product = r * m;
    // The difference of the densities over m, without cancellation where m is small.
    let slope = if product < 1.0 {
        let sinh_ratio = if product < 1e-4 { 1.0 + product * product / 6.0 } else { product.sinh() / product };
        2.0 * r * density(r) * (-0.5 * m * m).exp() * sinh_ratio
    } else {
        (density(r - m) - density(r + m)) / m
    };
    (below(r - m) - below(-r - m) - slope).clamp(0.0, 1.0)
}

/// The chance of a spread as small as this, or smaller, if the true one is `bound`. At or below 5 % it speaks against every
/// true spread from `bound` on, provided the number of games was fixed before.
///
/// With few games it can be small for every bound at once, by luck; ask for [`bound_ratio`] or [`upper_end`] too.
#[must_use]
pub fn below_by_chance(spread: f64, games: u64, bound: f64) -> f64 {
    noncentral_chi_square(equality_statistic(spread, games), equality_statistic(bound, games))
}

/// [`below_by_chance`] over the chance of such a spread with equal seats (the CLs ratio): luck that perfect balance would
/// need as well does not count.
#[must_use]
pub fn bound_ratio(spread: f64, games: u64, bound: f64) -> f64 {
    below_by_chance(spread, games, bound) / below_by_chance(spread, games, 0.0)
}

/// A bound the true spread exceeds with at most this probability: the spread and as much as chance can add to it, which is
/// never empty.
#[must_use]
pub fn upper_end(spread: f64, games: u64, level: f64) -> f64 {
    spread + (chi_square_quantile(level) / (12.0 * games as f64)).sqrt()
}

/// What a chi-square variable with three degrees of freedom exceeds with this probability; NaN if it is none.
fn chi_square_quantile(level: f64) -> f64 {
    let law = ChiSquared::new(CONTRASTS as f64).ok().filter(|_| (0.0..=1.0).contains(&level));
    law.map_or(f64::NAN, |law| law.inverse_cdf(1.0 - level))
}

/// How far apart the maps of a set are: the standard deviation of each contrast over them, by the mean of their
/// [unbiased variances](super::debiased_variance), which must not be clipped before. 0 if that is negative, NaN without maps.
#[must_use]
pub fn tau(debiased_variances: &[f64]) -> f64 {
    let mean = debiased_variances.iter().sum::<f64>() / debiased_variances.len() as f64;
    if mean < 0.0 { 0.0 } else { mean.sqrt() }
}

/// The probability that the true spread is below a bound, given the spread that was seen, on a map of a set whose contrasts
/// vary by [`tau`]. An infinite tau stands for knowing nothing beforehand.
#[must_use]
pub fn probability_below(spread: f64, games: u64, tau: f64, bound: f64) -> f64 {
    let (shrink, variance) = posterior(games, tau);
    if variance == 0.0 {
        // All maps are perfect.
        return f64::from(u8::from(bound > 0.0));
    }
    let centre = shrink * spread;
    noncentral_chi_square(3.0 * bound * bound / variance, 3.0 * centre * centre / variance)
}

/// The range that holds the true spread with 95 % probability, given what was seen; see [`probability_below`].
#[must_use]
pub fn credible_interval(spread: f64, games: u64, tau: f64) -> Interval {
    let quantile = |probability: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if probability_below(spread, games, tau, middle) < probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    };
    if posterior(games, tau).1 == 0.0 {
        return Interval { low: 0.0, high: 0.0 };
    }
    Interval { low: quantile(0.025), high: quantile(0.975) }
}

/// The de-biased spread, and a range that holds the true one with at least 95 % probability if nothing is known beforehand.
#[must_use]
pub fn estimated_spread(wins: &[u64; SEATS], games: u64) -> (f64, Interval) {
    let unbiased = debiased_spread(wins, games);
    let Interval { low, high } = credible_interval(spread(wins, games), games, f64::INFINITY);
    // Of equal seats nearly all that is seen is chance, and what is left of it may lie below the range.
    (unbiased, Interval { low: low.min(unbiased), high })
}

/// The share of what is seen that is not chance: `tau² / (tau² + 1 / (4 N))`. It is also the correlation of the variance that is
/// seen with the true one, over maps whose contrasts are normal: no score can be expected to agree better with the former.
#[must_use]
pub fn reliability(games: u64, tau: f64) -> f64 {
    if tau.is_infinite() { 1.0 } else { tau * tau / (tau * tau + noise(games)) }
}

/// What remains of the contrasts that were seen, and how uncertain they still are.
fn posterior(games: u64, tau: f64) -> (f64, f64) {
    let shrink = reliability(games, tau);
    (shrink, shrink * noise(games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::seats::{chi_square_tail, debiased_variance, equality_p};

    #[test]
    fn contrasts_are_three_times_the_variance_and_can_be_undone() {
        for wins in [[30, 20, 25, 25], [471, 490, 513, 526], [0, 0, 0, 100]] {
            let games = wins.iter().sum();
            let found = contrasts(&wins, games);
            let squares: f64 = found.iter().map(|contrast| contrast * contrast).sum();
            assert!((squares - 3.0 * spread(&wins, games).powi(2)).abs() < 1e-12);
            let rates = rates_of(found);
            assert!(rates.iter().zip(wins).all(|(rate, wins)| (rate - wins as f64 / games as f64).abs() < 1e-12));
        }
    }

    #[test]
    fn the_statistic_is_pearsons() {
        let wins = [471, 490, 513, 526];
        let statistic = equality_statistic(spread(&wins, 2000), 2000);
        assert!((chi_square_tail(statistic, 3) - equality_p(&wins)).abs() < 1e-12);
        assert!((below_by_chance(spread(&wins, 2000), 2000, 0.0) - (1.0 - equality_p(&wins))).abs() < 1e-12);
    }

    #[test]
    fn small_noncentralities_join_smoothly() {
        for x in [0.01, 1.0, 7.8, 40.0] {
            let central = noncentral_chi_square(x, 0.0);
            assert!((central - (1.0 - chi_square_tail(x, 3))).abs() < 1e-14, "{x}");
            assert!((noncentral_chi_square(x, 1e-12) - central).abs() < 1e-11, "{x}");
            // On both sides of every change of formula.
            for m in [1e-4, 1.0] {
                let ncp = (m / f64::sqrt(x)).powi(2);
                let [low, high] = [0.999_999, 1.000_001].map(|factor| noncentral_chi_square(x, ncp * factor));
                assert!(high <= low && low - high < 1e-5, "{x} {m}: {low} {high}");
            }
        }
        assert_eq!((noncentral_chi_square(0.0, 1.0), noncentral_chi_square(-1.0, 1.0)), (0.0, 0.0));
    }

    #[test]
    fn bounds_of_a_spread() {
        assert!((chi_square_quantile(0.05) - 7.814_727_903_251_179).abs() < 1e-12);
        assert!(chi_square_quantile(1.5).is_nan() && chi_square_quantile(f64::NAN).is_nan());
        // A spread this small speaks against every bound with few games; the ratio and the upper end see through it.
        let (lucky, games) = (0.0037, 2000);
        assert!([0.0, 0.001, 0.003].iter().all(|&bound| below_by_chance(lucky, games, bound) <= 0.05));
        assert!(bound_ratio(lucky, games, 0.003) > 0.5 && upper_end(lucky, games, 0.05) > 0.02);
        // The games a perfect map is planned with: its spread is exceeded in 5 % of the cases.
        let spread = (7.8147 / (12.0 * 182_504.0_f64)).sqrt();
        assert!((below_by_chance(spread, 182_504, 0.0028) - 0.05).abs() < 1e-4);
    }

    #[test]
    fn what_is_known_before_matters_less_with_games() {
        let [few, many] = [2000, 2_000_000].map(|games| {
            let [narrow, wide] = [0.007, 0.012].map(|tau| probability_below(0.0028, games, tau, 0.003));
            (narrow - wide).abs()
        });
        assert!(many < few / 10.0, "{few} {many}");
        assert_eq!(probability_below(0.02, 100, 0.0, 0.001), 1.0);
        assert_eq!(probability_below(0.02, 100, 0.0, 0.0), 0.0);
        let interval = credible_interval(0.01, 200_000, f64::INFINITY);
        assert!(interval.contains(0.01) && interval.high - interval.low < 0.005, "{interval:?}");
        assert_eq!(credible_interval(0.01, 2000, 0.0), Interval { low: 0.0, high: 0.0 });
    }

    #[test]
    fn maps_that_differ_are_not_taken_for_seats_that_differ() {
        // Two kinds of maps with opposite seats: over all games together the seats look unequal, over maps they do not.
        let games = 2000;
        let of = |shift: u64, a: u64, b: u64| [694 - shift + a, 295 + shift + b, 506 - a, 505 - b];
        let maps: Vec<_> = (0..12).map(|map| of(if map < 7 { 0 } else { 400 }, 7 * map % 13, 5 * map % 11)).collect();
        let total: [u64; SEATS] = std::array::from_fn(|seat| maps.iter().map(|wins| wins[seat]).sum());
        let each: Vec<_> = maps.iter().map(|wins| contrasts(wins, games)).collect();
        let p = equality_p_over_maps(&each).expect("twelve maps");
        assert!(equality_p(&total) < 1e-6 && p > 0.05, "{p}");
        // The same advantage on every map is seen.
        let each = (0..12).map(|map| contrasts(&[520 + map % 3, 500, 480 - map % 5, 500 + map % 2], games));
        assert!(equality_p_over_maps(&each.collect::<Vec<_>>()).expect("twelve maps") < 1e-4);
        assert_eq!(equality_p_over_maps(&[[0.1, 0.2, 0.3]; 4]), None);
        assert_eq!(equality_p_over_maps(&[[0.1, 0.2, 0.3]; 9]), None);
        assert_eq!(equality_p_over_maps(&[[f64::NAN; 3]; 9]), None);
    }

    #[test]
    fn an_estimate_lies_in_its_interval() {
        for wins in [[50_000; 4], [50_100, 49_900, 50_000, 50_000], [60_000, 40_000, 50_000, 50_000]] {
            let (unbiased, interval) = estimated_spread(&wins, 200_000);
            assert!(interval.contains(unbiased) && interval.high < unbiased + 0.003, "{unbiased} {interval:?}");
        }
    }

    #[test]
    fn reliability_is_all_or_nothing_at_the_ends() {
        assert_eq!((reliability(2000, 0.0), reliability(2000, f64::INFINITY)), (0.0, 1.0));
        // At tau = 1 / sqrt(4 N) half of the variance is chance.
        assert!((reliability(2500, 0.01) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn tau_is_the_root_of_the_mean_variance() {
        let maps = [[471, 490, 513, 526], [538, 475, 509, 478]];
        let variances = maps.map(|wins| debiased_variance(&wins, 2000));
        assert!((tau(&variances).powi(2) - (variances[0] + variances[1]) / 2.0).abs() < 1e-15);
        assert_eq!(tau(&[-1e-5, 1e-6]), 0.0);
        assert!(tau(&[]).is_nan());
    }
}
