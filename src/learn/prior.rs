//! The class prior: the share of balanced maps among the unlabelled, estimated by energy distance.
//!
//! The mixture of P and N that is nearest to U in energy distance has a closed form (Kawakubo, du Plessis and Sugiyama, 2016),
//! from the mean distances between samples of any two kinds.
//!
//! The author's program takes the mean over all pairs of a class with itself, also of a sample with itself, whose distance
//! is 0. With few labelled samples of many numbers, that draws the estimate to the share of P among the labelled: with 15
//! to 45 labelled maps it says little else. [`MeanDistances::corrected`] leaves those pairs out and is nearly unbiased, but so noisy with few
//! labels that it often cannot tell; it then says so.

use rayon::prelude::*;

use super::Rows;

/// The mean distances between samples of two kinds, and the numbers of labelled samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDistances {
    /// Within P, samples with themselves too.
    pub pp: f64,
    /// Within N, samples with themselves too.
    pub nn: f64,
    /// Between P and N.
    pub pn: f64,
    /// Between P and U.
    pub pu: f64,
    /// Between N and U.
    pub nu: f64,
    /// Number of samples in P.
    pub count_p: usize,
    /// Number of samples in N.
    pub count_n: usize,
}

/// Why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PriorError {
    /// A kind of samples is missing, or they are of different widths.
    #[error("the class prior needs balanced, unbalanced and unlabelled samples of the same width")]
    NoSamples,
    /// The labelled samples do not tell P and N apart.
    #[error(
        "the class prior is not identifiable: the labelled maps do not tell balanced from unbalanced ones well enough \
         (estimate {estimate:.3})"
    )]
    NotIdentifiable {
        /// The estimate nobody should use; NaN if there is not even one.
        estimate: f64,
    },
}

/// An estimate outside is not to be trusted.
const TRUSTED: std::ops::RangeInclusive<f64> = 0.02..=0.98;

fn power_of_distance(a: &[f64], b: &[f64], exponent: f64) -> f64 {
    // The direct difference: the expanded square leaves rounding noise, which a root magnifies.
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    if exponent == 1.0 { square.sqrt() } else { square.powf(exponent / 2.0) }
}

fn mean_distance(a: &Rows, b: &Rows, exponent: f64) -> f64 {
    let of_sample = |index| b.iter().map(|b| power_of_distance(a.row(index), b, exponent)).sum::<f64>();
    // Summed in the order of the samples, whoever was ready first.
    let sums: Vec<f64> = (0..a.len()).into_par_iter().map(of_sample).collect();
    sums.iter().sum::<f64>() / (a.len() as f64 * b.len() as f64)
}

impl MeanDistances {
    /// Between these samples, with distances to the power of `exponent`: 1 is usual, more than 0 and less than 2 possible.
    /// Distances within U are not needed, so that U may be large.
    ///
    /// # Errors
    /// If a kind of samples is missing, or they are of different widths.
    pub fn between(p: &Rows, n: &Rows, u: &Rows, exponent: f64) -> Result<Self, PriorError> {
        let is_usable = |rows: &Rows| !rows.is_empty() && rows.width() == u.width();
        if ![p, n, u].into_iter().all(is_usable) {
            return Err(PriorError::NoSamples);
        }
        let mean = |a, b| mean_distance(a, b, exponent);
        let (pp, nn, pn, pu, nu) = (mean(p, p), mean(n, n), mean(p, n), mean(p, u), mean(n, u));
        Ok(Self { pp, nn, pn, pu, nu, count_p: p.len(), count_n: n.len() })
    }

    /// Numerator and denominator of the nearest mixture's share of P.
    #[must_use]
    pub fn ratio(&self) -> [f64; 2] {
        [self.pn - self.nn + self.nu - self.pu, 2.0 * self.pn - self.nn - self.pp]
    }

    /// The same without the pairs of samples with themselves. NaN if a class has a single sample.
    #[must_use]
    pub fn corrected(&self) -> Self {
        let without_diagonal = |mean: f64, count: usize| mean * count as f64 / (count as f64 - 1.0);
        let (pp, nn) = (without_diagonal(self.pp, self.count_p), without_diagonal(self.nn, self.count_n));
        Self { pp, nn, ..*self }
    }

    /// The prior as the method's author estimates it, between 0 and 1.
    ///
    /// # Errors
    /// If all labelled samples are the same.
    pub fn author(&self) -> Result<f64, PriorError> {
        let [numerator, denominator] = self.ratio();
        let estimate = numerator / denominator;
        if estimate.is_nan() { Err(PriorError::NotIdentifiable { estimate }) } else { Ok(estimate.clamp(0.0, 1.0)) }
    }

    /// The nearly unbiased prior.
    ///
    /// # Errors
    /// If the denominator is not positive or the estimate is near 0 or 1: then the samples do not tell.
    pub fn unbiased(&self) -> Result<f64, PriorError> {
        let [numerator, denominator] = self.corrected().ratio();
        let estimate = numerator / denominator;
        if denominator > 0.0 && TRUSTED.contains(&estimate) {
            Ok(estimate)
        } else {
            Err(PriorError::NotIdentifiable { estimate })
        }
    }
}

/// A prior that leaves both classes possible, and whether it had to be changed: at 0 and 1 there is nothing to learn. The
/// ends are half a labelled sample away.
#[must_use]
pub fn kept_inside(prior: f64, labelled: usize) -> (f64, bool) {
    let margin = 0.5 / labelled.max(1) as f64;
    let inside = prior.clamp(margin, 1.0 - margin);
    (inside, inside != prior)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> Rows {
        Rows::new(1, values.to_vec()).expect("one number each")
    }

    #[test]
    fn a_mixture_of_two_points_is_found() {
        let (p, n) = (line(&[1.0, 1.0]), line(&[0.0, 0.0, 0.0]));
        let distances = MeanDistances::between(&p, &n, &line(&[1.0, 0.0, 0.0, 0.0]), 1.0).expect("samples");
        assert_eq!(distances.ratio(), [0.5, 2.0]);
        assert_eq!((distances.author(), distances.unbiased()), (Ok(0.25), Ok(0.25)));
        let beyond = MeanDistances::between(&p, &n, &line(&[5.0]), 1.0).expect("samples");
        assert_eq!(beyond.author(), Ok(1.0));
        assert!(matches!(beyond.unbiased(), Err(PriorError::NotIdentifiable { .. })));
    }

    #[test]
    fn samples_that_tell_nothing_are_refused() {
        let (one, none) = (line(&[1.0]), line(&[]));
        let same = MeanDistances::between(&one, &one, &one, 1.0).expect("samples");
        assert!(matches!(same.author(), Err(PriorError::NotIdentifiable { .. })));
        assert!(matches!(same.unbiased(), Err(PriorError::NotIdentifiable { .. })));
        assert_eq!(MeanDistances::between(&none, &one, &one, 1.0), Err(PriorError::NoSamples));
        assert_eq!(MeanDistances::between(&one, &none, &one, 1.0), Err(PriorError::NoSamples));
        assert_eq!(MeanDistances::between(&one, &one, &none, 1.0), Err(PriorError::NoSamples));
    }

    #[test]
    fn a_prior_stays_half_a_sample_inside() {
        assert_eq!(kept_inside(0.0, 10), (0.05, true));
        assert_eq!(kept_inside(1.0, 10), (0.95, true));
        assert_eq!(kept_inside(0.3, 10), (0.3, false));
        assert_eq!(kept_inside(0.3, 0), (0.5, true));
    }
}
