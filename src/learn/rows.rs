//! A table of samples.

/// Samples of equally many numbers, one after another.
///
/// ```
/// use fairground::learn::Rows;
/// let rows = Rows::new(2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
/// assert_eq!(rows.len(), 2);
/// assert_eq!(rows.row(1), [3.0, 4.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    width: usize,
    values: Vec<f64>,
}

impl Rows {
    /// Samples of `width` numbers each; `None` if the numbers are not enough for the last, or the width is 0.
    #[must_use]
    pub fn new(width: usize, values: Vec<f64>) -> Option<Self> {
        (width > 0 && values.len().is_multiple_of(width)).then_some(Self { width, values })
    }

    /// The same numbers in a table; `None` if there are none or the samples are of different lengths.
    #[must_use]
    pub fn collect<'a>(samples: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let mut samples = samples.into_iter().peekable();
        let width = samples.peek()?.len();
        let mut values = Vec::new();
        for sample in samples {
            if sample.len() != width {
                return None;
            }
            values.extend_from_slice(sample);
        }
        Self::new(width, values)
    }

    /// Numbers of a sample.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// Whether there is no sample.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A sample.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..][..self.width]
    }

    /// All samples in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.width)
    }
}
