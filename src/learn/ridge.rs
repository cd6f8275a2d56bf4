//! Ridge regression of the three signed contrasts between seats on features.
//!
//! Balance is a length: if the seats' advantages are linear in the features, balanced maps lie in the middle, and no straight
//! boundary divides them from the others. The advantages themselves can be predicted by a line, with their signs, and the
//! length of the prediction is the spread to expect.

use nalgebra::{DMatrix, DVector};

use super::Rows;
use super::pnu::FitError;
use crate::stats::seats::CONTRASTS;

/// Predicts the contrasts of a map from its features.
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    /// The weights of the features, then the constant, by contrast.
    pub weights: [Vec<f64>; CONTRASTS],
    /// How much they are shrunk.
    pub lambda: f64,
}

/// The linear system of a regression, solved for one λ after another.
struct System {
    /// Samples with the constant, one a row.
    samples: DMatrix<f64>,
    /// The mean product of any two columns.
    products: DMatrix<f64>,
    /// The mean product of each column with each contrast.
    targets: DMatrix<f64>,
    contrasts: DMatrix<f64>,
}

impl System {
    fn new(samples: &Rows, contrasts: &[[f64; CONTRASTS]]) -> Result<Self, FitError> {
        if samples.is_empty() {
            return Err(FitError::EmptyClass("played"));
        }
        if samples.len() != contrasts.len() {
            return Err(FitError::Setting("there must be contrasts for each sample"));
        }
        let with_constant = samples.iter().flat_map(|sample| sample.iter().copied().chain([1.0]));
        let samples = DMatrix::from_row_iterator(contrasts.len(), samples.width() + 1, with_constant);
        let contrasts = DMatrix::from_row_iterator(contrasts.len(), CONTRASTS, contrasts.iter().flatten().copied());
        let share = 1.0 / samples.nrows() as f64;
        let (products, targets) = (samples.tr_mul(&samples) * share, samples.tr_mul(&contrasts) * share);
        Ok(Self { samples, products, targets, contrasts })
    }

    /// The weights, and how far single samples are from what the others would predict for them, mean of squares.
    fn solve(&self, lambda: f64) -> Result<(DMatrix<f64>, f64), FitError> {
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(FitError::Setting("lambda must be a number above 0"));
        }
        let mut matrix = self.products.clone();
        // The constant stays free.
        (0..matrix.nrows() - 1).for_each(|place| matrix[(place, place)] += lambda);
        let cholesky = matrix.cholesky().ok_or(FitError::Unsolvable)?;
        let weights = cholesky.solve(&self.targets);
        let residuals = &self.contrasts - &self.samples * &weights;
        let solved = cholesky.solve(&self.samples.transpose());
        let n = self.samples.nrows() as f64;
        let left_out = (0..self.samples.nrows()).map(|row| {
            let leverage = self.samples.row(row).transpose().dot(&solved.column(row)) / n;
            // A sample that the weights follow wherever it goes says nothing about the others.
            residuals.row(row).norm_squared() / (1.0 - leverage).max(f64::EPSILON).powi(2)
        });
        let error = left_out.sum::<f64>() / n;
        if error.is_finite() { Ok((weights, error)) } else { Err(FitError::Unsolvable) }
    }
}

impl Ridge {
    /// Fits the contrasts of played maps, features in their standard scale.
    ///
    /// # Errors
    /// If there are no samples, not as many contrasts, or λ is not above 0.
    pub fn fit(samples: &Rows, contrasts: &[[f64; CONTRASTS]], lambda: f64) -> Result<Self, FitError> {
        let (weights, _) = System::new(samples, contrasts)?.solve(lambda)?;
        Ok(Self::from(&weights, lambda))
    }

    /// The same with the λ by which maps are best predicted from all others.
    ///
    /// # Errors
    /// If there are no samples, not as many contrasts, no λ to choose from, or one is not above 0.
    pub fn fit_best(samples: &Rows, contrasts: &[[f64; CONTRASTS]], lambdas: &[f64]) -> Result<Self, FitError> {
        let system = System::new(samples, contrasts)?;
        let mut best: Option<(f64, Self)> = None;
        for &lambda in lambdas {
            let (weights, error) = system.solve(lambda)?;
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, Self::from(&weights, lambda)));
            }
        }
        best.map(|(_, ridge)| ridge).ok_or(FitError::Setting("there must be a lambda to choose"))
    }

    fn from(weights: &DMatrix<f64>, lambda: f64) -> Self {
        let column = |contrast| DVector::from(weights.column(contrast)).as_slice().to_vec();
        Self { weights: std::array::from_fn(column), lambda }
    }

    /// The contrasts to expect.
    #[must_use]
    pub fn predict(&self, sample: &[f64]) -> [f64; CONTRASTS] {
        let of = |weights: &Vec<f64>| sample.iter().chain(&[1.0]).zip(weights).map(|(x, w)| x * w).sum();
        self.weights.each_ref().map(of)
    }

    /// The spread between seats to expect: small is balanced.
    #[must_use]
    pub fn predicted_spread(&self, sample: &[f64]) -> f64 {
        let squares: f64 = self.predict(sample).iter().map(|contrast| contrast * contrast).sum();
        (squares / CONTRASTS as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground_kernels::rng::{Draws, Rng};

    /// Contrasts that are linear in two of three numbers, and noise.
    fn played(count: usize, noise: f64) -> (Rows, Vec<[f64; 3]>) {
        let rng = &mut Rng::for_playout(3, 0, 0);
        let mut number = || f64::from(rng.below(2001)) / 1000.0 - 1.0;
        let (mut values, mut contrasts) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let [x, y, z] = [number(), number(), number()];
            values.extend([x, y, z]);
            contrasts.push([x + 0.5 + noise * number(), x - y + noise * number(), noise * number()]);
        }
        (Rows::new(3, values).expect("three each"), contrasts)
    }

    #[test]
    fn linear_contrasts_are_found() {
        let (samples, contrasts) = played(100, 0.0);
        let ridge = Ridge::fit(&samples, &contrasts, 1e-9).expect("a fit");
        let expected = [[1.0, 0.0, 0.0, 0.5], [1.0, -1.0, 0.0, 0.0], [0.0; 4]];
        for (found, expected) in ridge.weights.iter().flatten().zip(expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert!((ridge.predicted_spread(&[-0.5, -0.5, 9.0])).abs() < 1e-6);
        assert!((ridge.predicted_spread(&[0.5, 0.5, 0.0]) - (1.0_f64 / 3.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn leaving_out_is_as_if_fitted_without() {
        let (samples, contrasts) = played(12, 1.0);
        let lambda = 0.3;
        let (_, error) = System::new(&samples, &contrasts).expect("a system").solve(lambda).expect("a fit");
        let mut plain = 0.0;
        for left_out in 0..12 {
            let others = Rows::collect(samples.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, row)| row));
            let kept: Vec<_> = (0..12).filter(|i| *i != left_out).map(|i| contrasts[i]).collect();
            // λ is weighed against the mean over twelve samples, not eleven.
            let ridge = Ridge::fit(&others.expect("eleven"), &kept, lambda * 12.0 / 11.0).expect("a fit");
            let predicted = ridge.predict(samples.row(left_out));
            plain += predicted.iter().zip(contrasts[left_out]).map(|(p, c)| (p - c).powi(2)).sum::<f64>() / 12.0;
        }
        assert!((error - plain).abs() < 1e-9, "{error} is not {plain}");
    }

    #[test]
    fn noise_asks_for_a_larger_lambda() {
        let lambdas = [1e-4, 1e-2, 1.0, 100.0];
        let [quiet, loud] = [0.01, 10.0].map(|noise| {
            let (samples, contrasts) = played(40, noise);
            Ridge::fit_best(&samples, &contrasts, &lambdas).expect("a fit").lambda
        });
        assert!(quiet < loud, "{quiet} {loud}");
    }

    #[test]
    fn wrong_input_is_refused() {
        let (samples, contrasts) = played(4, 1.0);
        assert!(matches!(Ridge::fit(&samples, &contrasts[..3], 1.0), Err(FitError::Setting(_))));
        assert!(matches!(Ridge::fit(&samples, &contrasts, 0.0), Err(FitError::Setting(_))));
        assert!(matches!(Ridge::fit_best(&samples, &contrasts, &[]), Err(FitError::Setting(_))));
        let nothing = Rows::new(3, Vec::new()).expect("nothing");
        assert!(matches!(Ridge::fit(&nothing, &[], 1.0), Err(FitError::EmptyClass(_))));
    }
}
