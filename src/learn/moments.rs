//! Sums over samples: all that the classifier in closed form needs of them.
//!
//! Features are whole numbers, so that their sums over millions of maps are exact and do not depend on the order.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::features::{FEATURES, Features, Readings, features};
use super::standard::{Standard, scale_of};
use crate::games::catan::generate::{Recipe, draw};

/// Sums of samples and of their products.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    count: u64,
    sum: DVector<f64>,
    /// Only the lower triangle is kept up.
    products: DMatrix<f64>,
}

impl Moments {
    /// Of no samples yet, of so many numbers each.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { count: 0, sum: DVector::zeros(width), products: DMatrix::zeros(width, width) }
    }

    /// Takes in a sample of as many numbers; others are left out.
    pub fn add(&mut self, sample: &[f64]) {
        self.count += 1;
        for (column, &value) in sample.iter().enumerate().take(self.sum.len()) {
            self.sum[column] += value;
            // Columns lie together, and from the diagonal down.
            let below = &mut self.products.as_mut_slice()[column * sample.len()..][column..sample.len()];
            below.iter_mut().zip(&sample[column..]).for_each(|(sum, other)| *sum += value * other);
        }
    }

    /// Takes in all samples of another sum. Partial sums must be merged in a fixed order, for rounding.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += &other.sum;
        self.products += &other.products;
    }

    /// Number of samples.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The mean sample; 0 without any.
    #[must_use]
    pub fn mean(&self) -> DVector<f64> {
        &self.sum * self.share()
    }

    /// The mean product of any two numbers of a sample; 0 without samples.
    #[must_use]
    pub fn mean_products(&self) -> DMatrix<f64> {
        let mut products = &self.products * self.share();
        products.fill_upper_triangle_with_lower_triangle();
        products
    }

    fn share(&self) -> f64 {
        if self.count == 0 { 0.0 } else { 1.0 / self.count as f64 }
    }
}

/// Exact sums of the features of maps and of their products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureMoments {
    count: u64,
    sum: [u64; FEATURES],
    /// By rows, the lower triangle with the diagonal.
    products: Vec<u64>,
}

/// Places of a lower triangle with its diagonal.
const TRIANGLE: usize = FEATURES * (FEATURES + 1) / 2;

/// Maps whose products are summed in single precision, which holds every whole number up to 2^24: no feature is above 54.
const BLOCK: u64 = 4096;
const _: () = assert!(BLOCK * 54 * 54 < 1 << 24);

impl Default for FeatureMoments {
    fn default() -> Self {
        Self { count: 0, sum: [0; FEATURES], products: vec![0; TRIANGLE] }
    }
}

impl FeatureMoments {
    /// Of maps number `first..first + count` of a run of random maps, on all threads of the current pool.
    ///
    /// ```
    /// use fairground::games::catan::generate::{Numbers, PortLayout, Recipe};
    /// use fairground::learn::features::Readings;
    /// use fairground::learn::moments::FeatureMoments;
    /// let recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };
    /// let moments = FeatureMoments::of_random_maps(&recipe, &Readings::default(), 1, 0, 1000);
    /// // The first number of inner nodes: those with few pips.
    /// assert!((moments.standard().mean[42] - 3.4).abs() < 0.3);
    /// ```
    #[must_use]
    pub fn of_random_maps(recipe: &Recipe, readings: &Readings, seed: u64, first: u64, count: u64) -> Self {
        let blocks = (0..count.div_ceil(BLOCK)).into_par_iter().map(|block| {
            let indices = block * BLOCK..((block + 1) * BLOCK).min(count);
            Self::of_block(indices.map(|index| features(&draw(recipe, seed, first.wrapping_add(index)), readings)))
        });
        blocks.reduce(Self::default, |mut sum, block| {
            sum.merge(&block);
            sum
        })
    }

    /// Of all these features.
    #[must_use]
    pub fn of(all: &[Features]) -> Self {
        let mut sum = Self::default();
        for block in all.chunks(BLOCK as usize) {
            sum.merge(&Self::of_block(block.iter().copied()));
        }
        sum
    }

    /// Of at most [`BLOCK`] maps.
    fn of_block(maps: impl Iterator<Item = Features>) -> Self {
        let (mut count, mut sum, mut products) = (0, [0; FEATURES], vec![0.0_f32; TRIANGLE]);
        for features in maps {
            count += 1;
            sum.iter_mut().zip(features).for_each(|(sum, feature)| *sum += u64::from(feature));
            let values = features.map(f32::from);
            let mut rest = products.as_mut_slice();
            for (row, value) in values.iter().enumerate() {
                let (here, below) = rest.split_at_mut(row + 1);
                here.iter_mut().zip(&values).for_each(|(sum, other)| *sum += value * other);
                rest = below;
            }
        }
        Self { count, sum, products: products.into_iter().map(|sum| sum as u64).collect() }
    }

    /// Takes in all maps of another sum. The order does not matter.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum.iter_mut().zip(other.sum).for_each(|(sum, more)| *sum += more);
        self.products.iter_mut().zip(&other.products).for_each(|(sum, more)| *sum += more);
    }

    /// Number of maps.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean and standard deviation of each feature.
    #[must_use]
    pub fn standard(&self) -> Standard {
        let n = self.count.max(1) as f64;
        let scale = (0..FEATURES).map(|place| scale_of(self.covariance(place, place)));
        Standard { mean: self.sum.iter().map(|&sum| sum as f64 / n).collect(), scale: scale.collect() }
    }

    /// Of two features, over all maps, without cancellation.
    fn covariance(&self, row: usize, column: usize) -> f64 {
        let (n, products) = (i128::from(self.count.max(1)), self.products[row * (row + 1) / 2 + column]);
        let scaled = n * i128::from(products) - i128::from(self.sum[row]) * i128::from(self.sum[column]);
        scaled as f64 / (n as f64 * n as f64)
    }

    /// The sums of these maps in the linear basis, features in a given scale and then the constant 1.
    #[must_use]
    pub fn linear(&self, standard: &Standard) -> Moments {
        let n = self.count as f64;
        let mut moments = Moments::new(FEATURES + 1);
        moments.count = self.count;
        let own = self.standard();
        // How far the scale's middle is from that of these maps.
        let shift: Vec<_> = own.mean.iter().zip(&standard.mean).map(|(own, other)| own - other).collect();
        for row in 0..FEATURES {
            moments.sum[row] = n * shift[row] / standard.scale[row];
            moments.products[(FEATURES, row)] = moments.sum[row];
            for column in 0..=row {
                let product = self.covariance(row, column) + shift[row] * shift[column];
                moments.products[(row, column)] = n * product / (standard.scale[row] * standard.scale[column]);
            }
        }
        moments.sum[FEATURES] = n;
        moments.products[(FEATURES, FEATURES)] = n;
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Rows;
    use crate::learn::pnu::Basis;

    fn maps(count: u64) -> Vec<Features> {
        (0..count).map(|index| features(&draw(&Recipe::default(), 8, index), &Readings::default())).collect()
    }

    #[test]
    fn exact_sums_are_those_of_the_single_maps() {
        let maps = maps(5000);
        let moments = FeatureMoments::of(&maps);
        assert_eq!(moments, FeatureMoments::of_random_maps(&Recipe::default(), &Readings::default(), 8, 0, 5000));
        let mut parts = FeatureMoments::of_random_maps(&Recipe::default(), &Readings::default(), 8, 4999, 1);
        parts.merge(&FeatureMoments::of_random_maps(&Recipe::default(), &Readings::default(), 8, 0, 4999));
        assert_eq!(moments, parts);
        let rows = Rows::new(FEATURES, maps.iter().flatten().map(|&feature| f64::from(feature)).collect());
        let (rows, standard) = (rows.expect("76 each"), moments.standard());
        let plain = Standard::of(&rows);
        for (exact, plain) in [(&standard.mean, &plain.mean), (&standard.scale, &plain.scale)] {
            assert!(exact.iter().zip(plain).all(|(exact, plain)| (exact - plain).abs() < 1e-12));
        }
        let other = Standard { mean: vec![1.5; FEATURES], scale: vec![0.75; FEATURES] };
        for standard in [standard, other] {
            let (mut plain, mut phi) = (Moments::new(FEATURES + 1), vec![0.0; FEATURES + 1]);
            for sample in standard.apply_to(&rows).expect("76 each").iter() {
                Basis::Linear { width: FEATURES }.fill(sample, &mut phi);
                plain.add(&phi);
            }
            let exact = moments.linear(&standard);
            assert!((exact.mean() - plain.mean()).amax() < 1e-11);
            assert!((exact.mean_products() - plain.mean_products()).amax() < 1e-11);
        }
    }

    #[test]
    fn in_its_own_scale_the_unlabelled_mean_is_nothing_and_every_square_one() {
        let moments = FeatureMoments::of(&maps(3000));
        let linear = moments.linear(&moments.standard());
        let (mean, products) = (linear.mean(), linear.mean_products());
        assert!(mean.rows(0, FEATURES).amax() < 1e-10 && (mean[FEATURES] - 1.0).abs() < 1e-10);
        let mut varying = 0;
        for place in 0..=FEATURES {
            // A feature that never varies is 0 in every map.
            let is_constant = place < FEATURES && moments.covariance(place, place) == 0.0;
            varying += usize::from(!is_constant);
            let expected = f64::from(u8::from(!is_constant));
            assert!((products[(place, place)] - expected).abs() < 1e-10, "{place}");
        }
        assert!(varying > 70, "{varying} features vary");
    }
}
