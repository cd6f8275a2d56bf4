//! Shares of things that come in clusters, such as accepted proposals: those of one game have much in common.

use super::{Interval, Z95, rate, wilson_share};

/// Counts of a share over clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// Successes.
    pub part: u64,
    /// Attempts.
    pub whole: u64,
    /// Clusters, those without attempts among them.
    pub clusters: u64,
    /// Sums over clusters of successes squared, successes times attempts, and attempts squared.
    squares: [u64; 3],
}

impl Ratio {
    /// Adds a cluster.
    pub const fn add(&mut self, part: u64, whole: u64) {
        self.part += part;
        self.whole += whole;
        self.clusters += 1;
        let [a, b, c] = self.squares;
        self.squares = [a + part * part, b + part * whole, c + whole * whole];
    }

    /// Adds the clusters of another.
    pub fn merge(&mut self, other: &Self) {
        self.part += other.part;
        self.whole += other.whole;
        self.clusters += other.clusters;
        self.squares.iter_mut().zip(other.squares).for_each(|(sum, more)| *sum += more);
    }

    /// The share; NaN without attempts.
    #[must_use]
    pub fn rate(&self) -> f64 {
        rate(self.part, self.whole)
    }

    /// The standard error of the share as a ratio of two means over clusters; NaN for fewer than two clusters.
    #[must_use]
    pub fn error(&self) -> f64 {
        let r = self.rate();
        let [xx, xn, nn] = self.squares.map(|sum| sum as f64);
        let clusters = self.clusters as f64;
        let residuals = (xx - 2.0 * r * xn + r * r * nn).max(0.0);
        if self.clusters < 2 {
            return f64::NAN;
        }
        (residuals * clusters / (clusters - 1.0)).sqrt() / self.whole as f64
    }

    /// A 95 % interval: Wilson's for as many independent attempts as would have this error, and at most as many as
    /// there were.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let (r, whole) = (self.rate(), self.whole as f64);
        if self.whole == 0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let independent = r * (1.0 - r) / self.error().powi(2);
        // Where all or none succeed there is no error to go by.
        wilson_share(r, if independent.is_finite() { independent.clamp(1.0, whole) } else { whole }, Z95)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::wilson;

    #[test]
    fn independent_attempts_have_nearly_wilsons_interval() {
        let mut ratio = Ratio::default();
        for attempt in 0..1000 {
            ratio.add(u64::from(attempt % 4 == 0), 1);
        }
        let (own, plain) = (ratio.interval(), wilson(250, 1000));
        assert!((own.low - plain.low).abs() < 1e-4 && (own.high - plain.high).abs() < 1e-4, "{own:?} {plain:?}");
    }

    #[test]
    fn clusters_that_agree_within_have_wider_intervals() {
        let mut ratio = Ratio::default();
        for cluster in 0..100 {
            ratio.add(if cluster % 2 == 0 { 10 } else { 0 }, 10);
        }
        // As if there were 100 attempts.
        let (own, plain) = (ratio.interval(), wilson(50, 100));
        assert!((own.low - plain.low).abs() < 0.01 && (own.high - plain.high).abs() < 0.01, "{own:?} {plain:?}");
        let mut parts = [Ratio::default(); 2];
        for cluster in 0..100 {
            parts[usize::from(cluster < 30)].add(if cluster % 2 == 0 { 10 } else { 0 }, 10);
        }
        let [mut sum, other] = parts;
        sum.merge(&other);
        assert_eq!(sum, ratio);
    }

    #[test]
    fn the_ends_are_wilsons_and_nothing_is_the_whole_range() {
        let mut ratio = Ratio::default();
        assert_eq!(ratio.interval(), Interval { low: 0.0, high: 1.0 });
        assert!(ratio.rate().is_nan());
        ratio.add(0, 0);
        ratio.add(5, 5);
        ratio.add(15, 15);
        let plain = wilson(20, 20);
        assert!((ratio.interval().low - plain.low).abs() < 1e-12 && ratio.interval().high == 1.0);
    }
}
