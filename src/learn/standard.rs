//! Features in units of their standard deviation.

use super::Rows;

/// Mean and standard deviation of each number over the unlabelled samples, which is how all samples are scaled.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Standard {
    /// What is subtracted.
    pub mean: Vec<f64>,
    /// What is divided by then: the population standard deviation, or 1 where that is 0.
    pub scale: Vec<f64>,
}

impl Standard {
    /// The scale of these samples.
    #[must_use]
    pub fn of(samples: &Rows) -> Self {
        let n = samples.len() as f64;
        let mut mean = vec![0.0; samples.width()];
        for sample in samples.iter() {
            mean.iter_mut().zip(sample).for_each(|(sum, value)| *sum += value);
        }
        mean.iter_mut().for_each(|sum| *sum /= n);
        let mut squares = vec![0.0; samples.width()];
        for sample in samples.iter() {
            let deviations = sample.iter().zip(&mean).map(|(value, mean)| value - mean);
            squares.iter_mut().zip(deviations).for_each(|(sum, deviation)| *sum += deviation * deviation);
        }
        let scale = squares.into_iter().map(|sum| scale_of(sum / n)).collect();
        Self { mean, scale }
    }

    /// The sample in this scale.
    pub fn apply<'a>(&'a self, sample: impl IntoIterator<Item = f64> + 'a) -> impl Iterator<Item = f64> + 'a {
        sample.into_iter().zip(self.mean.iter().zip(&self.scale)).map(|(value, (mean, scale))| (value - mean) / scale)
    }

    /// All samples in this scale; `None` if they are of another width.
    #[must_use]
    pub fn apply_to(&self, samples: &Rows) -> Option<Rows> {
        let values = samples.iter().flat_map(|sample| self.apply(sample.iter().copied())).collect();
        (samples.width() == self.mean.len()).then(|| Rows::new(samples.width(), values))?
    }
}

/// What to divide by at a given variance. A number that never varies says nothing and becomes 0.
pub(super) fn scale_of(variance: f64) -> f64 {
    if variance > 0.0 { variance.sqrt() } else { 1.0 }
}
