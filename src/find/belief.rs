//! What is known of the contrasts of a variant, and how fast evidence for its balance is expected to grow.

use nalgebra::Matrix3;
use statrs::function::erf::erfc;

use super::rms;
use super::trend::Contrasts;
use crate::stats::seats::CONTRASTS;

/// What is known of a variant, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Belief {
    /// The contrasts to expect.
    pub contrasts: Contrasts,
    /// How uncertain they are.
    pub covariance: Matrix3<f64>,
}

impl Belief {
    /// The spread of the contrasts to expect.
    pub fn spread(&self) -> f64 {
        rms(self.contrasts.as_slice())
    }

    /// How uncertain each contrast is in the mean.
    pub fn variance(&self) -> f64 {
        self.covariance.trace() / CONTRASTS as f64
    }

    /// The logarithms of the probabilities that the spread is below some bounds, by the approximation of Jensen and Solomon: a power
    /// of a sum of squares is nearly normal. They are off by 0.05 where one direction is three times as uncertain as the others.
    fn log_chances<const N: usize>(&self, spreads: [f64; N]) -> [f64; N] {
        let (mean, once) = (&self.contrasts, &self.covariance);
        let twice = once * once;
        let first = once.trace() + mean.norm_squared();
        let second = twice.trace() + 2.0 * mean.dot(&(once * mean));
        let third = (twice * once).trace() + 3.0 * mean.dot(&(twice * mean));
        let ratio = second / (first * first);
        // The power is 1/3 if the mean is 0 and all directions are alike, and 1/2 far out.
        let power = (1.0 - 2.0 * first * third / (3.0 * second * second)).max(0.1);
        spreads.map(|spread| {
            let bound = CONTRASTS as f64 * spread * spread;
            let moved = (bound / first).powf(power) - 1.0 - ratio * power * (power - 1.0);
            log_normal(moved / (power * (2.0 * ratio).sqrt()))
        })
    }

    /// The logarithm of the speed to expect at which evidence for a spread below a bound grows; 1 is that of perfect balance.
    ///
    /// With a spread of `x` times the bound the [E value](crate::stats::seats::evidence) grows at a speed of 1 - 2x up to a quarter
    /// of the bound, then of 3/4 - x up to three quarters, and not at all beyond. So its mean is an integral over the chances of
    /// smaller spreads, for which four points are enough.
    pub fn log_speed(&self, bound: f64) -> f64 {
        let chances = self.log_chances(POINTS.map(|point| point * bound));
        let largest = chances.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = chances.iter().map(|chance| (chance - largest).exp()).sum();
        largest + (sum / POINTS.len() as f64).ln()
    }

    /// The logarithm of how much faster than another speed this may turn out to be after so many games of it, on average: if it turns
    /// out to be slower, nobody goes on with it, and nothing is gained. What is known well cannot surprise.
    pub fn log_gain(&self, bound: f64, games: f64, speed: f64) -> f64 {
        let luck = Matrix3::identity() * (2500.0 / games);
        let Some(seen) = (self.covariance + luck).cholesky() else { return f64::NEG_INFINITY };
        let learned = self.covariance * seen.solve(&self.covariance);
        // Rounding must not make it less than nothing.
        let Some(moved) = (learned + Matrix3::identity() * 1e-9).cholesky() else { return f64::NEG_INFINITY };
        let (moved, covariance) = (moved.l(), self.covariance - learned);
        let gain = |[(x, a), (y, b), (z, c)]: [(f64, f64); CONTRASTS]| {
            let later = Self { contrasts: self.contrasts + moved * Contrasts::new(x, y, z), covariance };
            a * b * c * (later.log_speed(bound).exp() - speed).max(0.0)
        };
        let each = || NORMAL.into_iter();
        let all = each().flat_map(|x| each().flat_map(move |y| each().map(move |z| [x, y, z])));
        all.map(gain).sum::<f64>().ln()
    }
}

/// The points of Gauss for a standard normal number, with their weights.
const NORMAL: [(f64, f64); 3] = [(-1.732_050_8, 1.0 / 6.0), (0.0, 2.0 / 3.0), (1.732_050_8, 1.0 / 6.0)];

/// The points of Gauss for each of the two parts of that integral, which have the same weight.
const POINTS: [f64; 4] = [0.052_831, 0.197_169, 0.355_662, 0.644_338];

/// The logarithm of the probability that a standard normal number is below this one.
fn log_normal(value: f64) -> f64 {
    if value > -8.0 {
        (0.5 * erfc(-value / std::f64::consts::SQRT_2)).ln()
    } else {
        -0.5 * value * value - (-value * (2.0 * std::f64::consts::PI).sqrt()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::seats::balance::noncentral_chi_square;
    use crate::stats::seats::evidence::log_e_value;
    use fairground_kernels::rng::{Draws as _, Rng};

    #[test]
    fn evidence_grows_as_fast_as_is_expected() {
        // The mean logarithm of the E value of very many games, beside that of perfect balance.
        let of_many = |spread: f64| log_e_value(spread / 100.0, 1 << 40, 0.0028) / log_e_value(0.0, 1 << 40, 0.0028);
        for spread in [0.01, 0.04, 0.08, 0.11, 0.15, 0.18] {
            let belief = Belief { contrasts: Contrasts::repeat(spread), covariance: Matrix3::identity() * 1e-9 };
            // Four points make steps of a quarter.
            let found = belief.log_speed(0.28).exp();
            assert!((found - of_many(spread)).abs() < 0.15, "{found} is not {} at {spread}", of_many(spread));
        }
        // Where nothing is certain the points do as well as many.
        for (mean, deviation) in [(0.0, 0.1), (0.1, 0.1), (0.0, 0.3), (0.3, 0.2)] {
            let rng = &mut Rng::for_playout(7, 8, 9);
            let mut normal = || (0..12).map(|_| f64::from(rng.below(1 << 16)) / 65536.0).sum::<f64>() - 6.0;
            let mut drawn = || rms(&[0; CONTRASTS].map(|_| mean + deviation * normal()));
            let expected = (0..40_000).map(|_| of_many(drawn()).max(0.0)).sum::<f64>() / 40_000.0;
            let covariance = Matrix3::identity() * (deviation * deviation);
            let found = Belief { contrasts: Contrasts::repeat(mean), covariance }.log_speed(0.28).exp();
            assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
        }
    }

    #[test]
    fn only_what_is_uncertain_may_turn_out_better() {
        let of = |mean: f64, variance: f64| Belief {
            contrasts: Contrasts::repeat(mean),
            covariance: Matrix3::identity() * variance,
        };
        let (off, anything) = (of(0.165, 0.13 * 0.13), of(0.0, 0.235 * 0.235));
        assert!((off.log_speed(0.28) - anything.log_speed(0.28)).abs() < 0.1, "they are expected to be as fast");
        let gain = |belief: &Belief, games: f64, speed: f64| belief.log_gain(0.28, games, speed).exp();
        assert!(gain(&anything, 200_000.0, 0.25) > 1.5 * gain(&off, 200_000.0, 0.25));
        assert!(gain(&of(0.4, 0.0001), 200_000.0, 0.25) < 1e-9);
        // Whoever goes on with whatever comes gains what is expected, and more if bad luck may be left.
        for belief in [off, anything] {
            let expected = belief.log_speed(0.28).exp();
            assert!((gain(&belief, 100_000.0, 0.0) / expected - 1.0).abs() < 0.25, "{belief:?}");
            assert!(gain(&belief, 100_000.0, 0.1) > expected - 0.1);
            assert!(gain(&belief, 400_000.0, 0.1) > gain(&belief, 100_000.0, 0.1));
        }
    }

    #[test]
    fn chances_are_those_of_normal_contrasts() {
        // All directions alike: the noncentral chi-square law.
        for (mean, variance) in [(0.0, 0.04), (0.2, 0.04), (0.1, 0.01), (0.4, 0.1)] {
            let belief = Belief { contrasts: Contrasts::repeat(mean), covariance: Matrix3::identity() * variance };
            let exact = noncentral_chi_square(3.0 * 0.14 * 0.14 / variance, 3.0 * mean * mean / variance);
            let found = belief.log_chances([0.14])[0].exp();
            assert!((found - exact).abs() < 0.01, "{found} is not {exact}");
        }
        // Else by simulation.
        let rng = &mut Rng::for_playout(7, 8, 9);
        let mut normal = || (0..12).map(|_| f64::from(rng.below(1 << 16)) / 65536.0).sum::<f64>() - 6.0;
        for (mean, deviations) in [([0.2, 0.0, 0.0], [0.3, 0.1, 0.1]), ([0.0, 0.2, 0.0], [0.3, 0.1, 0.1])] {
            let (mean, deviations) = (Contrasts::from(mean), Contrasts::from(deviations));
            let covariance = Matrix3::from_diagonal(&deviations.component_mul(&deviations));
            let found = Belief { contrasts: mean, covariance }.log_chances([0.14])[0].exp();
            let mut drawn = || Contrasts::from_fn(|_, _| normal()).component_mul(&deviations) + mean;
            let share = (0..40_000).filter(|_| rms(drawn().as_slice()) <= 0.14).count() as f64 / 40_000.0;
            assert!((found - share).abs() < 0.06, "{found} is not {share}");
        }
        let far = Belief { contrasts: Contrasts::repeat(9.0), covariance: Matrix3::identity() * 0.01 };
        assert!(far.log_speed(0.28) < -1000.0 && far.log_speed(0.28).is_finite());
    }
}
