//! Means of things that come in clusters, such as moments of the same game.

use std::collections::BTreeMap;

use super::Ratio;

/// Sums over clusters, by their numbers.
///
/// ```
/// use fairground::stats::Clusters;
///
/// let mut gains = Clusters::default();
/// [(1, 0.5), (1, 0.7), (2, 0.1)].into_iter().for_each(|(game, gain)| gains.add(game, gain, 1.0));
/// assert!((gains.mean() - 1.3 / 3.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters(BTreeMap<u64, [f64; 2]>);

impl Clusters {
    /// Adds to a cluster: a sum, and of how many things.
    pub fn add(&mut self, cluster: u64, part: f64, whole: f64) {
        let [parts, wholes] = self.0.entry(cluster).or_default();
        *parts += part;
        *wholes += whole;
    }

    /// Clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Things of all clusters.
    #[must_use]
    pub fn whole(&self) -> f64 {
        self.0.values().map(|[_, whole]| whole).sum()
    }

    /// The mean over all things; NaN if there are none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.values().map(|[part, _]| part).sum::<f64>() / self.whole()
    }

    /// Its standard error, as if clusters were drawn; NaN for fewer than two.
    #[must_use]
    pub fn error(&self) -> f64 {
        spread(self.0.keys().map(|&cluster| self.residual(cluster)))
    }

    /// How much larger the mean is than another one over the same clusters, and the standard error of that. What clusters
    /// have in common does not count.
    #[must_use]
    pub fn less(&self, other: &Self) -> (f64, f64) {
        let only_other = other.0.keys().filter(|cluster| !self.0.contains_key(cluster));
        let clusters = self.0.keys().chain(only_other);
        let error = spread(clusters.map(|&cluster| self.residual(cluster) - other.residual(cluster)));
        (self.mean() - other.mean(), error)
    }

    /// What a cluster moves the mean by.
    fn residual(&self, cluster: u64) -> f64 {
        let [part, whole] = self.0.get(&cluster).copied().unwrap_or_default();
        (part - self.mean() * whole) / self.whole()
    }

    /// The same of counts, as a share.
    #[must_use]
    pub fn ratio(&self) -> Ratio {
        let mut ratio = Ratio::default();
        self.0.values().for_each(|&[part, whole]| ratio.add(part as u64, whole as u64));
        ratio
    }
}

/// The standard error of a sum of such parts.
fn spread(residuals: impl Iterator<Item = f64>) -> f64 {
    let (count, squares) = residuals.fold((0.0, 0.0), |(count, sum), own| (count + 1.0, sum + own * own));
    if count < 2.0 { f64::NAN } else { (squares * count / (count - 1.0)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_one_have_the_usual_error() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let mut all = Clusters::default();
        (0..).zip(values).for_each(|(cluster, value)| all.add(cluster, value, 1.0));
        assert_eq!((all.len(), all.mean()), (8, 5.0));
        assert!((all.error() - (32.0_f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        // Twice the same says no more than once.
        (0..).zip(values).for_each(|(cluster, value)| all.add(cluster, value, 1.0));
        assert!((all.error() - (32.0_f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert!(Clusters::default().mean().is_nan() && Clusters::default().error().is_nan());
    }

    #[test]
    fn what_both_have_in_common_does_not_widen_a_difference() {
        let [mut one, mut other] = [Clusters::default(), Clusters::default()];
        for cluster in 0..50 {
            let level = f64::from(cluster as u32 % 7);
            one.add(cluster, level + 1.0, 1.0);
            other.add(cluster, level, 1.0);
        }
        let (value, error) = one.less(&other);
        assert!((value - 1.0).abs() < 1e-12 && error < 1e-12, "{value} {error}");
        assert!(one.error() > 0.2);
        // Different clusters have nothing in common.
        let mut moved = Clusters::default();
        (0..50).for_each(|cluster| moved.add(100 + cluster, f64::from(cluster as u32 % 7), 1.0));
        let (_, error) = one.less(&moved);
        assert!((error - one.error().hypot(moved.error())).abs() < 0.01, "{error}");
    }

    #[test]
    fn counts_become_the_same_share() {
        let mut clusters = Clusters::default();
        [(1, 1.0), (1, 0.0), (2, 1.0), (3, 0.0)]
            .into_iter()
            .for_each(|(cluster, part)| clusters.add(cluster, part, 1.0));
        let ratio = clusters.ratio();
        assert_eq!((ratio.part, ratio.whole, ratio.clusters), (2, 4, 3));
        assert!((ratio.error() - clusters.error()).abs() < 1e-12);
    }
}
