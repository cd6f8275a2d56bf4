//! Which settings of the classifier are best, by cross-validation.
//!
//! All cells of a grid of η, bell width and λ are fitted on all folds but one and judged on that one, by the
//! [zero-one risk](super::pnu::zero_one_risk) at the [η of least variance](super::pnu::least_variance_eta), not their own, so that
//! their scores can be compared. With few labels a fold holds two or three samples of a class, the score is a staircase, and
//! many cells share the best score.
//!
//! - [`Scores::author_choice`] is the first of the best, as the method's author has it.
//! - [`robust_choice`] averages over many ways to make folds and takes the simplest cell that is no worse than the best by
//!   more than a standard error.

use fairground_kernels::rng::{Draws, Rng};
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::Rows;
use super::moments::Moments;
use super::pnu::{Basis, FitError, Problem, Samples, least_variance_eta, zero_one_risk};

/// The settings to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// How much unlabelled samples count, and as what.
    pub etas: Vec<f64>,
    /// How much weights are shrunk.
    pub lambdas: Vec<f64>,
    /// The bases to choose from.
    pub bases: Vec<Basis>,
}

/// `count` numbers from `10^from` to `10^to` at equal ratios.
fn powers_of_ten(from: f64, to: f64, count: u32) -> Vec<f64> {
    let steps = f64::from(count.max(2) - 1);
    (0..count).map(|step| 10_f64.powf(from + (to - from) * f64::from(step) / steps)).collect()
}

/// The η of the author's example.
fn usual_etas() -> Vec<f64> {
    (-9..=9).map(|tenths| f64::from(tenths) / 10.0).collect()
}

/// The λ of the author's program.
fn usual_lambdas() -> Vec<f64> {
    powers_of_ten(-3.0, 1.0, 10)
}

impl Grid {
    /// The author's grid for the linear basis.
    #[must_use]
    pub fn linear(width: usize) -> Self {
        Self { etas: usual_etas(), lambdas: usual_lambdas(), bases: vec![Basis::Linear { width }] }
    }

    /// The author's grid for bells around some unlabelled samples; their widths are about the median distance of the
    /// unlabelled samples from them. `None` without samples.
    #[must_use]
    pub fn gaussian(unlabelled: &Rows, centres: &Rows) -> Option<Self> {
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let squares = unlabelled.iter().flat_map(|u| centres.iter().map(move |centre| square(u, centre)));
        let mut squares: Vec<f64> = squares.collect();
        squares.sort_unstable_by(f64::total_cmp);
        let middle = squares.len() / 2;
        let above = *squares.get(middle)?;
        let median = if squares.len() % 2 == 1 { above } else { f64::midpoint(squares[middle - 1], above) };
        let sigmas = powers_of_ten(-1.0, 1.0, 11).into_iter().map(|factor| factor * median.sqrt());
        let bases = sigmas.map(|sigma| Basis::Gaussian { centres: centres.clone(), sigma }).collect();
        Some(Self { etas: usual_etas(), lambdas: usual_lambdas(), bases })
    }
}

/// Which fold each sample is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// Number of folds.
    pub count: usize,
    /// The fold of each balanced sample.
    pub p: Vec<usize>,
    /// The fold of each unbalanced sample.
    pub n: Vec<usize>,
    /// The fold of each unlabelled sample.
    pub u: Vec<usize>,
}

impl Folds {
    /// Random folds of equal size, as nearly as the samples of each kind can be divided.
    #[must_use]
    pub fn draw(count: usize, samples: &Samples<'_>, rng: &mut Rng) -> Self {
        let mut deal = |rows: &Rows| {
            let mut folds: Vec<usize> = (0..rows.len()).map(|index| index * count / rows.len()).collect();
            for place in (1..folds.len()).rev() {
                folds.swap(place, rng.below(place as u32 + 1) as usize);
            }
            folds
        };
        Self { count, p: deal(samples.p), n: deal(samples.n), u: deal(samples.u) }
    }
}

/// A cell of a grid, by the places of its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The basis.
    pub basis: usize,
    /// The λ.
    pub lambda: usize,
    /// The η.
    pub eta: usize,
}

/// The mean score of each cell over the folds; small is good.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    sizes: [usize; 3],
    /// By fold, then by basis, λ, η.
    folds: Vec<Vec<f64>>,
    means: Vec<f64>,
}

impl Scores {
    /// Fits and judges every cell. Folds are worked on by all threads of the current pool.
    ///
    /// # Errors
    /// If a class has no samples, the folds are not of these samples, or a setting is out of its range.
    pub fn compute(samples: &Samples<'_>, prior: f64, grid: &Grid, folds: &Folds) -> Result<Self, FitError> {
        samples.check()?;
        let fits = |rows: &Rows, folds_of: &[usize]| {
            rows.len() == folds_of.len() && folds_of.iter().all(|&fold| fold < folds.count)
        };
        if !(fits(samples.p, &folds.p) && fits(samples.n, &folds.n) && fits(samples.u, &folds.u)) {
            return Err(FitError::Setting("the folds must be of these samples"));
        }
        let sizes = [grid.bases.len(), grid.lambdas.len(), grid.etas.len()];
        if sizes.contains(&0) {
            return Err(FitError::Setting("the grid must not be empty"));
        }
        if grid.bases.iter().any(|basis| basis.is_empty() || basis.width() != samples.u.width()) {
            return Err(FitError::Widths);
        }
        let judge = least_variance_eta(prior, samples.p.len(), samples.n.len());
        let by_basis = grid.bases.par_iter().map(|basis| {
            let parts = [(samples.p, &folds.p), (samples.n, &folds.n), (samples.u, &folds.u)];
            let parts = parts.map(|(rows, folds_of)| Divided::new(basis, rows, folds_of, folds.count));
            let of_fold = |fold| fold_scores(basis, prior, judge, grid, &parts, fold);
            (0..folds.count).map(of_fold).collect::<Result<Vec<_>, _>>()
        });
        let by_basis: Vec<Vec<Vec<f64>>> = by_basis.collect::<Result<_, _>>()?;
        let of_fold = |fold: usize| by_basis.iter().flat_map(|folds| folds[fold].iter().copied()).collect();
        let folds: Vec<Vec<f64>> = (0..folds.count).map(of_fold).collect();
        let mean = |cell| folds.iter().map(|scores| scores[cell]).sum::<f64>() / folds.len() as f64;
        let means = (0..sizes.iter().product()).map(mean).collect();
        Ok(Self { sizes, folds, means })
    }

    fn place(&self, cell: Cell) -> usize {
        (cell.basis * self.sizes[1] + cell.lambda) * self.sizes[2] + cell.eta
    }

    fn cell(&self, place: usize) -> Cell {
        let [_, lambdas, etas] = self.sizes;
        Cell { basis: place / etas / lambdas, lambda: place / etas % lambdas, eta: place % etas }
    }

    /// The mean score of a cell.
    #[must_use]
    pub fn mean(&self, cell: Cell) -> f64 {
        self.means[self.place(cell)]
    }

    /// The author's choice: for each η the first of the best by basis, then λ; the first η that is better than all before.
    #[must_use]
    pub fn author_choice(&self) -> Cell {
        let mut best = Cell { basis: 0, lambda: 0, eta: 0 };
        for eta in 0..self.sizes[2] {
            let mut of_eta = Cell { eta, basis: 0, lambda: 0 };
            for cell in (0..self.means.len()).map(|place| self.cell(place)).filter(|cell| cell.eta == eta) {
                if self.mean(cell) < self.mean(of_eta) {
                    of_eta = cell;
                }
            }
            if self.mean(of_eta) < self.mean(best) || eta == 0 {
                best = of_eta;
            }
        }
        best
    }
}

/// The samples of a kind in a basis, by fold.
struct Divided {
    /// The sums of each fold.
    moments: Vec<Moments>,
    /// The samples of each fold, one a row.
    values: Vec<DMatrix<f64>>,
}

impl Divided {
    fn new(basis: &Basis, rows: &Rows, folds_of: &[usize], count: usize) -> Self {
        let values = basis.of_all(rows);
        let of_fold = |fold: usize| values.iter().zip(folds_of).filter(move |&(_, &other)| other == fold);
        let moments = (0..count).map(|fold| {
            let mut moments = Moments::new(basis.len());
            of_fold(fold).for_each(|(values, _)| moments.add(values));
            moments
        });
        let matrices = (0..count).map(|fold| {
            let values: Vec<_> = of_fold(fold).flat_map(|(values, _)| values.iter().copied()).collect();
            DMatrix::from_row_slice(values.len() / basis.len(), basis.len(), &values)
        });
        Self { moments: moments.collect(), values: matrices.collect() }
    }

    /// The sums of all folds but one.
    fn without(&self, fold: usize) -> Moments {
        let mut others =
            self.moments.iter().enumerate().filter(|(other, _)| *other != fold).map(|(_, moments)| moments);
        let mut sum = others.next().map_or_else(|| Moments::new(self.values[fold].ncols()), Clone::clone);
        others.for_each(|moments| sum.merge(moments));
        sum
    }
}

/// The scores of all λ and η of a basis on one fold.
fn fold_scores(
    basis: &Basis,
    prior: f64,
    judge: f64,
    grid: &Grid,
    [p, n, u]: &[Divided; 3],
    fold: usize,
) -> Result<Vec<f64>, FitError> {
    let problem = Problem::new(basis, prior, &p.without(fold), &n.without(fold), &u.without(fold))?;
    let mut scores = Vec::with_capacity(grid.lambdas.len() * grid.etas.len());
    for &lambda in &grid.lambdas {
        for &eta in &grid.etas {
            let weights = problem.solve(eta, lambda)?;
            let [p, n, u] = [p, n, u].map(|kind| &kind.values[fold] * &weights);
            scores.push(zero_one_risk(prior, judge, p.as_slice(), n.as_slice(), u.as_slice()));
        }
    }
    Ok(scores)
}

/// Ways to make folds that [`robust_choice`] averages over.
pub const SPLITS: u64 = 20;

/// The number of folds.
pub const FOLDS: usize = 5;

/// Keeps the folds apart from other random numbers.
const STREAM: u64 = 0x666f_6c64_732d_706e;

/// The simplest cell that is as good as the best, over [`SPLITS`] ways to make [`FOLDS`] folds.
///
/// As good means: no worse than the best by more than its standard error, which is the standard deviation of its scores on
/// single folds over the root of the number of folds; making folds again adds no data. Simplest means: the largest λ, then
/// the smallest |η|, then the widest bells, then the lowest score.
///
/// # Errors
/// See [`Scores::compute`].
pub fn robust_choice(samples: &Samples<'_>, prior: f64, grid: &Grid, seed: u64) -> Result<Cell, FitError> {
    let split = |split| {
        let folds = Folds::draw(FOLDS, samples, &mut Rng::for_playout(seed, STREAM, split));
        Scores::compute(samples, prior, grid, &folds)
    };
    let splits: Vec<Scores> = (0..SPLITS).into_par_iter().map(split).collect::<Result<_, _>>()?;
    let mean = |place: usize| splits.iter().map(|scores| scores.means[place]).sum::<f64>() / SPLITS as f64;
    let means: Vec<f64> = (0..splits[0].means.len()).map(mean).collect();
    let best = (0..means.len()).min_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
    let single = splits.iter().flat_map(|scores| scores.folds.iter().map(|scores| scores[best]));
    let squares: f64 = single.clone().map(|score| (score - means[best]).powi(2)).sum();
    let error = (squares / (single.count() as f64 - 1.0) / FOLDS as f64).sqrt();
    let sigma = |basis: usize| match grid.bases[basis] {
        Basis::Gaussian { sigma, .. } => sigma,
        Basis::Linear { .. } => 0.0,
    };
    let simpler = |a: &usize, b: &usize| {
        let [one, other] = [*a, *b].map(|place| splits[0].cell(place));
        let by_lambda = grid.lambdas[other.lambda].total_cmp(&grid.lambdas[one.lambda]);
        let by_eta = grid.etas[one.eta].abs().total_cmp(&grid.etas[other.eta].abs());
        let by_sigma = sigma(other.basis).total_cmp(&sigma(one.basis));
        by_lambda.then(by_eta).then(by_sigma).then(means[*a].total_cmp(&means[*b]))
    };
    let as_good = (0..means.len()).filter(|&place| means[place] <= means[best] + error);
    Ok(splits[0].cell(as_good.min_by(simpler).unwrap_or(best)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(seed: u64, middle: f64, count: usize) -> Rows {
        let rng = &mut Rng::for_playout(seed, 0, 0);
        let mut noise = || (0..4).map(|_| f64::from(rng.below(1000)) / 500.0 - 1.0).sum::<f64>();
        Rows::new(2, (0..2 * count).map(|_| middle + noise()).collect()).expect("two each")
    }

    #[test]
    fn folds_are_of_equal_size_and_in_random_order() {
        let (p, n, u) = (cloud(1, 1.0, 12), cloud(2, -1.0, 7), cloud(3, 0.0, 101));
        let samples = Samples { p: &p, n: &n, u: &u };
        let folds = Folds::draw(5, &samples, &mut Rng::for_playout(1, 0, 0));
        for (folds_of, count) in [(&folds.p, 12), (&folds.n, 7), (&folds.u, 101)] {
            let sizes: Vec<_> = (0..5).map(|fold| folds_of.iter().filter(|&&other| other == fold).count()).collect();
            assert_eq!(sizes.iter().sum::<usize>(), count);
            assert!(sizes.iter().all(|&size| size == count / 5 || size == count / 5 + 1), "{sizes:?}");
        }
        assert!(!folds.u.is_sorted());
    }

    #[test]
    fn the_robust_choice_is_simple_and_repeatable() {
        let (p, n, u) = (cloud(1, 1.0, 12), cloud(2, -1.0, 9), cloud(3, 0.0, 100));
        let samples = Samples { p: &p, n: &n, u: &u };
        let grid = Grid::linear(2);
        let cell = robust_choice(&samples, 0.5, &grid, 1).expect("a choice");
        assert_eq!(robust_choice(&samples, 0.5, &grid, 1), Ok(cell));
        assert_eq!(grid.etas[cell.eta], 0.0, "nothing speaks for unlabelled samples here");
        let folds = Folds::draw(5, &samples, &mut Rng::for_playout(1, 0, 0));
        let scores = Scores::compute(&samples, 0.5, &grid, &folds).expect("scores");
        assert!(scores.mean(cell) < 0.2, "{}", scores.mean(cell));
    }

    #[test]
    fn usual_grids_are_the_authors() {
        let u = cloud(3, 0.0, 30);
        let grid = Grid::gaussian(&u, &u).expect("samples");
        assert_eq!((grid.etas.len(), grid.lambdas.len(), grid.bases.len()), (19, 10, 11));
        assert!((grid.lambdas[0] - 1e-3).abs() < 1e-15 && (grid.lambdas[9] - 10.0).abs() < 1e-12);
        let [Basis::Gaussian { sigma: narrow, .. }, .., Basis::Gaussian { sigma: wide, .. }] = &*grid.bases else {
            panic!("{:?}", grid.bases);
        };
        assert!((wide / narrow - 100.0).abs() < 1e-9);
    }

    #[test]
    fn foreign_folds_and_empty_grids_are_refused() {
        let (p, n, u) = (cloud(1, 1.0, 6), cloud(2, -1.0, 6), cloud(3, 0.0, 20));
        let samples = Samples { p: &p, n: &n, u: &u };
        let folds = Folds::draw(3, &samples, &mut Rng::for_playout(1, 0, 0));
        let short = Folds { p: vec![0], ..folds.clone() };
        let high = Folds { n: vec![3; 6], ..folds.clone() };
        for folds in [short, high] {
            assert!(matches!(Scores::compute(&samples, 0.5, &Grid::linear(2), &folds), Err(FitError::Setting(_))));
        }
        let empty = Grid { etas: Vec::new(), ..Grid::linear(2) };
        assert!(matches!(Scores::compute(&samples, 0.5, &empty, &folds), Err(FitError::Setting(_))));
        assert_eq!(Scores::compute(&samples, 0.5, &Grid::linear(3), &folds), Err(FitError::Widths));
    }
}
