//! PNU classification: from positive, negative and unlabelled samples (Sakai, du Plessis, Niu and Sugiyama, 2017).
//!
//! With the prior θ = P(balanced) and a loss l the risk of a decision function g can be written in three ways,
//!
//! ```text
//! PN   θ E_P[l(g)] + (1-θ) E_N[l(-g)]
//! PU   θ E_P[l(g) - l(-g)] + E_U[l(-g)]
//! NU   (1-θ) E_N[l(-g) - l(g)] + E_U[l(g)]
//! ```
//!
//! and the PNU risk mixes them by η from -1 to 1: `(1-η) PN + η PU` for η ≥ 0, otherwise `(1+η) PN - η NU`. With the squared
//! loss `(1-m)²/4` and g linear in a [`Basis`], its minimum is the solution of a linear system. g estimates
//! `2 P(balanced | x) - 1`; g = 0 counts as balanced.

use nalgebra::{DMatrix, DVector};

use super::Rows;
use super::moments::Moments;

/// The functions of a sample that g is a sum of.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// The sample's numbers, then the constant 1, whose weight is not shrunk.
    Linear {
        /// Numbers of a sample.
        width: usize,
    },
    /// A bell around each of some samples; no constant.
    Gaussian {
        /// The middles of the bells.
        centres: Rows,
        /// Their width.
        sigma: f64,
    },
}

impl Basis {
    /// Number of functions.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Linear { width } => width + 1,
            Self::Gaussian { centres, .. } => centres.len(),
        }
    }

    /// Whether there are no functions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers of a sample.
    #[must_use]
    pub const fn width(&self) -> usize {
        match self {
            Self::Linear { width } => *width,
            Self::Gaussian { centres, .. } => centres.width(),
        }
    }

    /// Writes the values of the functions, as far as there is room.
    pub fn fill(&self, sample: &[f64], values: &mut [f64]) {
        match self {
            Self::Linear { .. } => {
                values.iter_mut().zip(sample.iter().chain(&[1.0])).for_each(|(value, number)| *value = *number);
            }
            Self::Gaussian { centres, sigma } => {
                let scale = -0.5 / (sigma * sigma);
                for (value, centre) in values.iter_mut().zip(centres.iter()) {
                    let square: f64 = sample.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum();
                    *value = (scale * square).exp();
                }
            }
        }
    }

    /// The values for all samples.
    #[must_use]
    pub fn of_all(&self, samples: &Rows) -> Rows {
        let mut values = vec![0.0; self.len() * samples.len()];
        for (sample, values) in samples.iter().zip(values.chunks_exact_mut(self.len().max(1))) {
            self.fill(sample, values);
        }
        // A basis without functions has no classifier; see `fit`.
        Rows::new(self.len().max(1), values).unwrap_or_else(|| samples.clone())
    }

    /// Sums over all samples.
    #[must_use]
    pub fn moments(&self, samples: &Rows) -> Moments {
        let (mut moments, mut values) = (Moments::new(self.len()), vec![0.0; self.len()]);
        for sample in samples.iter() {
            self.fill(sample, &mut values);
            moments.add(&values);
        }
        moments
    }

    const fn has_free_constant(&self) -> bool {
        matches!(self, Self::Linear { .. })
    }
}

/// Why there is no classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There is nothing to learn a class from.
    #[error("there is no {0} map to learn from")]
    EmptyClass(&'static str),
    /// The samples do not fit together.
    #[error("the samples are of different widths")]
    Widths,
    /// A setting is out of its range.
    #[error("{0}")]
    Setting(&'static str),
    /// The system has no solution that is a number.
    #[error("the weights cannot be computed from these samples")]
    Unsolvable,
}

/// The samples' sums and the prior: all that a fit needs.
#[derive(Clone, Debug)]
pub struct Problem {
    has_free_constant: bool,
    p: (DVector<f64>, DMatrix<f64>),
    n: (DVector<f64>, DMatrix<f64>),
    u: (DVector<f64>, DMatrix<f64>),
}

impl Problem {
    /// From the sums of the three kinds of samples in a basis. A kind without samples has no influence.
    ///
    /// # Errors
    /// If the sums are of other bases, or the prior is not between 0 and 1.
    pub fn new(basis: &Basis, prior: f64, p: &Moments, n: &Moments, u: &Moments) -> Result<Self, FitError> {
        if !(0.0..=1.0).contains(&prior) {
            return Err(FitError::Setting("the class prior must be from 0 to 1"));
        }
        let means = [p, n, u].map(|moments| (moments.mean(), moments.mean_products()));
        if basis.is_empty() || means.iter().any(|(mean, _)| mean.len() != basis.len()) {
            return Err(FitError::Widths);
        }
        let [p, n, u] = means;
        let weighed = |(mean, products): (DVector<f64>, DMatrix<f64>), weight: f64| (mean * weight, products * weight);
        let (p, n) = (weighed(p, prior), weighed(n, 1.0 - prior));
        Ok(Self { has_free_constant: basis.has_free_constant(), p, n, u })
    }

    /// The weights with the least PNU risk, shrunk by `lambda`.
    ///
    /// # Errors
    /// If `eta` is not from -1 to 1, `lambda` is negative, or rounding leaves no solution.
    pub fn solve(&self, eta: f64, lambda: f64) -> Result<DVector<f64>, FitError> {
        if !(-1.0..=1.0).contains(&eta) {
            return Err(FitError::Setting("eta must be from -1 to 1"));
        }
        if !(lambda >= 0.0 && lambda.is_finite()) {
            return Err(FitError::Setting("lambda must be a number from 0"));
        }
        let ((hp, p), (hn, n), (hu, u)) = (&self.p, &self.n, &self.u);
        let unlabelled = eta.abs();
        let mut matrix = (p + n) * (1.0 - unlabelled) + u * unlabelled;
        let shrunk = matrix.nrows() - usize::from(self.has_free_constant);
        (0..shrunk).for_each(|place| matrix[(place, place)] += lambda);
        let partner = if eta >= 0.0 { hp * 2.0 - hu } else { hu - hn * 2.0 };
        let target = (hp - hn) * (1.0 - unlabelled) + partner * unlabelled;
        solve_symmetric(matrix, &target).ok_or(FitError::Unsolvable)
    }
}

/// Pivots further apart than this are as good as 0: without shrinking, features that add up to a constant make one.
const PIVOT_RATIO: f64 = 1e-7;

/// The solution of a system whose matrix has no negative eigenvalues; the shortest one if there are many.
pub(super) fn solve_symmetric(matrix: DMatrix<f64>, target: &DVector<f64>) -> Option<DVector<f64>> {
    let is_number = |solution: &DVector<f64>| solution.iter().all(|value| value.is_finite());
    if let Some(cholesky) = matrix.clone().cholesky() {
        let pivots = cholesky.l_dirty().diagonal();
        if pivots.min() > PIVOT_RATIO * pivots.max() {
            return Some(cholesky.solve(target)).filter(is_number);
        }
    }
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    let parts = matrix.symmetric_eigen();
    let least = parts.eigenvalues.amax() * PIVOT_RATIO * PIVOT_RATIO;
    let mut along = parts.eigenvectors.tr_mul(target);
    along.iter_mut().zip(&parts.eigenvalues).for_each(|(along, &value)| {
        *along = if value > least { *along / value } else { 0.0 };
    });
    Some(parts.eigenvectors * along).filter(is_number)
}

/// A decision function.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    /// What it is a sum of.
    pub basis: Basis,
    /// The weights of the sum.
    pub weights: Vec<f64>,
}

impl Classifier {
    /// Fits samples in a basis.
    ///
    /// # Errors
    /// If a class has no samples, or see [`Problem::new`] and [`Problem::solve`].
    pub fn fit(samples: &Samples<'_>, basis: Basis, prior: f64, eta: f64, lambda: f64) -> Result<Self, FitError> {
        samples.check()?;
        if basis.width() != samples.u.width() {
            return Err(FitError::Widths);
        }
        let [p, n, u] = [samples.p, samples.n, samples.u].map(|rows| basis.moments(rows));
        let weights = Problem::new(&basis, prior, &p, &n, &u)?.solve(eta, lambda)?;
        Ok(Self { basis, weights: weights.as_slice().to_vec() })
    }

    /// g: positive for balanced.
    #[must_use]
    pub fn decide(&self, sample: &[f64]) -> f64 {
        match self.basis {
            // Without a copy of the sample: this scores millions.
            Basis::Linear { width } => {
                let constant = self.weights.get(width).copied().unwrap_or(0.0);
                sample.iter().zip(&self.weights[..width.min(self.weights.len())]).map(|(x, w)| x * w).sum::<f64>()
                    + constant
            }
            Basis::Gaussian { .. } => {
                let mut values = vec![0.0; self.basis.len()];
                self.basis.fill(sample, &mut values);
                values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum()
            }
        }
    }

    /// g of all samples.
    #[must_use]
    pub fn decide_all(&self, samples: &Rows) -> Vec<f64> {
        samples.iter().map(|sample| self.decide(sample)).collect()
    }

    /// The signed distance to the boundary in the scale of the samples; `None` if the basis has no closed form for it.
    #[must_use]
    pub fn distance(&self, sample: &[f64]) -> Option<f64> {
        Some(self.decide(sample) / self.unit()?)
    }

    /// By how much g changes with a step of 1 across the boundary; `None` if that is not the same everywhere, or there is none.
    #[must_use]
    pub fn unit(&self) -> Option<f64> {
        let Basis::Linear { width } = self.basis else { return None };
        let norm = self.weights.iter().take(width).map(|weight| weight * weight).sum::<f64>().sqrt();
        Some(norm).filter(|norm| *norm > 0.0)
    }
}

/// Whether a decision value means balanced.
#[must_use]
pub fn is_positive(decision: f64) -> bool {
    decision >= 0.0
}

/// A rough probability of being balanced.
#[must_use]
pub const fn probability(decision: f64) -> f64 {
    f64::midpoint(1.0, decision.clamp(-1.0, 1.0))
}

/// The three kinds of samples.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Balanced maps.
    pub p: &'a Rows,
    /// Unbalanced maps.
    pub n: &'a Rows,
    /// Maps nobody played.
    pub u: &'a Rows,
}

impl Samples<'_> {
    /// # Errors
    /// If one kind is missing or they are of different widths.
    pub(super) fn check(&self) -> Result<(), FitError> {
        for (rows, name) in [(self.p, "balanced"), (self.n, "unbalanced"), (self.u, "unlabelled")] {
            if rows.is_empty() {
                return Err(FitError::EmptyClass(name));
            }
        }
        let is_same = self.p.width() == self.u.width() && self.n.width() == self.u.width();
        if is_same { Ok(()) } else { Err(FitError::Widths) }
    }
}

/// The η with the least variance of the risk if there are unlabelled samples without end and losses vary alike in both
/// classes. NaN if both classes are empty.
///
/// It weighs θ²/n_p against (1-θ)²/n_n: with more samples where the prior is larger, unlabelled ones cannot help.
#[must_use]
pub fn least_variance_eta(prior: f64, count_p: usize, count_n: usize) -> f64 {
    let (p, n) = (prior * prior / count_p as f64, (1.0 - prior) * (1.0 - prior) / count_n as f64);
    (n - p) / (n + p)
}

/// The PNU risk with the zero-one loss, where 0 is an error of every sample; the part that can become negative by chance
/// is kept from it. A kind without samples adds nothing.
#[must_use]
pub fn zero_one_risk(prior: f64, eta: f64, p: &[f64], n: &[f64], u: &[f64]) -> f64 {
    let share = |decisions: &[f64], is_counted: fn(&f64) -> bool| {
        let count = decisions.iter().filter(|decision| is_counted(decision)).count();
        if decisions.is_empty() { 0.0 } else { count as f64 / decisions.len() as f64 }
    };
    let is_low = |decision: &f64| *decision <= 0.0;
    let is_high = |decision: &f64| *decision >= 0.0;
    let (missed, alarms) = (prior * share(p, is_low), (1.0 - prior) * share(n, is_high));
    let partner = if eta >= 0.0 {
        missed + (share(u, is_high) + missed - prior).max(0.0)
    } else {
        alarms + (share(u, is_low) + alarms - (1.0 - prior)).max(0.0)
    };
    (1.0 - eta.abs()) * (missed + alarms) + eta.abs() * partner
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground_kernels::rng::{Draws, Rng};

    fn cloud(seed: u64, middle: f64, count: usize) -> Rows {
        let rng = &mut Rng::for_playout(seed, 0, 0);
        let mut noise = || (0..4).map(|_| f64::from(rng.below(1000)) / 500.0 - 1.0).sum::<f64>();
        Rows::new(3, (0..3 * count).map(|_| middle + noise()).collect()).expect("three each")
    }

    fn bases(u: &Rows) -> [Basis; 2] {
        let centres = Rows::collect(u.iter().take(20)).expect("some");
        [Basis::Linear { width: 3 }, Basis::Gaussian { centres, sigma: 2.0 }]
    }

    #[test]
    fn weights_minimise_the_empirical_risk() {
        let (p, n, u) = (cloud(1, 0.7, 12), cloud(2, -0.7, 9), cloud(3, 0.2, 60));
        let samples = Samples { p: &p, n: &n, u: &u };
        let (prior, lambda) = (0.4, 0.05);
        for (basis, eta) in
            bases(&u).into_iter().flat_map(|basis| [-1.0, -0.3, 0.0, 0.6, 1.0].map(|eta| (basis.clone(), eta)))
        {
            let fitted = Classifier::fit(&samples, basis, prior, eta, lambda).expect("a fit");
            let risk = |weights: &[f64]| {
                let model = Classifier { weights: weights.to_vec(), ..fitted.clone() };
                let mean = |rows: &Rows, sign: f64| {
                    let losses = rows.iter().map(|x| (1.0 - sign * model.decide(x)).powi(2) / 4.0);
                    losses.sum::<f64>() / rows.len() as f64
                };
                let pn = prior * mean(&p, 1.0) + (1.0 - prior) * mean(&n, -1.0);
                let pu = prior * (mean(&p, 1.0) - mean(&p, -1.0)) + mean(&u, -1.0);
                let nu = (1.0 - prior) * (mean(&n, -1.0) - mean(&n, 1.0)) + mean(&u, 1.0);
                let shrunk = weights.len() - usize::from(model.basis.has_free_constant());
                let mixed = if eta >= 0.0 { (1.0 - eta) * pn + eta * pu } else { (1.0 + eta) * pn - eta * nu };
                mixed + lambda / 4.0 * weights[..shrunk].iter().map(|weight| weight * weight).sum::<f64>()
            };
            let least = risk(&fitted.weights);
            for place in 0..fitted.weights.len() {
                for step in [-0.01, 0.01] {
                    let mut weights = fitted.weights.clone();
                    weights[place] += step;
                    assert!(risk(&weights) > least, "weight {place} at eta {eta}");
                }
            }
        }
    }

    #[test]
    fn unlabelled_samples_do_not_matter_at_eta_0() {
        let (p, n) = (cloud(1, 1.0, 8), cloud(2, -1.0, 5));
        let [one, other] = [3, 4].map(|seed| {
            let u = cloud(seed, 0.0, 50);
            let samples = Samples { p: &p, n: &n, u: &u };
            Classifier::fit(&samples, Basis::Linear { width: 3 }, 0.3, 0.0, 0.1).expect("a fit").weights
        });
        assert_eq!(one, other);
    }

    #[test]
    fn exchanging_the_classes_turns_the_weights_around() {
        let (p, n, u) = (cloud(1, 1.0, 8), cloud(2, -1.0, 5), cloud(3, 0.0, 50));
        let (samples, exchanged) = (Samples { p: &p, n: &n, u: &u }, Samples { p: &n, n: &p, u: &u });
        for (basis, eta) in bases(&u).into_iter().flat_map(|basis| [-0.8, 0.0, 0.5].map(|eta| (basis.clone(), eta))) {
            let one = Classifier::fit(&samples, basis.clone(), 0.3, eta, 0.1).expect("a fit").weights;
            let other = Classifier::fit(&exchanged, basis, 0.7, -eta, 0.1).expect("a fit").weights;
            assert!(one.iter().zip(&other).all(|(one, other)| (one + other).abs() < 1e-12));
            assert!(one.iter().any(|weight| weight.abs() > 0.01));
        }
    }

    #[test]
    fn without_shrinking_the_shortest_of_many_solutions_is_taken() {
        // The second number repeats the first.
        let double =
            |rows: &Rows| Rows::new(2, rows.iter().flat_map(|row| [row[0], row[0]]).collect()).expect("two each");
        let (p, n, u) = (double(&cloud(1, 1.0, 8)), double(&cloud(2, -1.0, 8)), double(&cloud(3, 0.0, 30)));
        let samples = Samples { p: &p, n: &n, u: &u };
        let fitted = Classifier::fit(&samples, Basis::Linear { width: 2 }, 0.5, 0.3, 0.0).expect("a fit");
        assert!((fitted.weights[0] - fitted.weights[1]).abs() < 1e-9 && fitted.weights[0] > 0.01);
    }

    #[test]
    fn decisions_are_rough_probabilities() {
        assert_eq!([-3.0, -1.0, 0.0, 0.5, 2.0].map(probability), [0.0, 0.0, 0.5, 0.75, 1.0]);
        assert!(is_positive(0.0) && !is_positive(-1e-9));
    }

    #[test]
    fn wrong_settings_are_refused() {
        let (p, n, u) = (cloud(1, 1.0, 8), cloud(2, -1.0, 5), cloud(3, 0.0, 50));
        let nothing = Rows::new(3, Vec::new()).expect("nothing");
        let linear = || Basis::Linear { width: 3 };
        let samples = Samples { p: &p, n: &n, u: &u };
        for (prior, eta, lambda) in [(-0.1, 0.0, 0.1), (f64::NAN, 0.0, 0.1), (0.5, 1.1, 0.1), (0.5, 0.0, -1.0)] {
            assert!(matches!(Classifier::fit(&samples, linear(), prior, eta, lambda), Err(FitError::Setting(_))));
        }
        let widths = Classifier::fit(&samples, Basis::Linear { width: 2 }, 0.5, 0.0, 0.1);
        assert_eq!(widths, Err(FitError::Widths));
        for samples in [Samples { p: &nothing, ..samples }, Samples { n: &nothing, ..samples }] {
            assert!(matches!(Classifier::fit(&samples, linear(), 0.5, 0.0, 0.1), Err(FitError::EmptyClass(_))));
        }
    }
}
