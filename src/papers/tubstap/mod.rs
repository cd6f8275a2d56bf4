//! A paper on pruning attacks in M-UCT, the tree search of TUBSTAP: its tables, and the same experiments here.
//!
//! One player leaves most attacks of one kind of unit out of its tree: all but the best (experiment 1, table 1), or the
//! worse half of them (experiment 2, table 2). It plays M-UCT without pruning on four maps of the original program, in both
//! seats. Tables 3 and 4 say how deep the tree grows with and without pruning. The paper finds that pruning never raises
//! the win rate and does not change the depth.
//!
//! - [`matches`](mod@matches): tables 1 and 2.
//! - [`depth`]: tables 3 and 4.
//! - [`claims`]: what becomes of the paper's claims.

pub mod claims;
pub mod depth;
pub mod matches;

use crate::games::tubstap::{Kind, Map, Position, Team};
use crate::players::tubstap::reference::muct::{Keep, Pruning, add_actions};
use crate::stats::seats::chi_square_tail;
use crate::stats::{self, Interval, Z95, deviate_of};

/// What became of a player's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Games it won.
    pub wins: u64,
    /// Games it lost.
    pub losses: u64,
    /// The others.
    pub draws: u64,
}

impl Results {
    /// Wins, losses and draws.
    #[must_use]
    pub const fn counts(self) -> [u64; 3] {
        [self.wins, self.losses, self.draws]
    }

    /// All games.
    #[must_use]
    pub const fn games(self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub const fn of_opponent(self) -> Self {
        Self { wins: self.losses, losses: self.wins, draws: self.draws }
    }

    /// Wins and half of the draws, as a share of all games; NaN if there are none.
    ///
    /// For the error, one game of each outcome is added, so that few games of one outcome do not look certain.
    #[must_use]
    pub fn score(self) -> Estimate {
        let [wins, draws, games] = [self.wins, self.draws, self.games()].map(|count| count as f64);
        let [wins_and, draws_and, games_and] = [wins + 1.0, draws + 1.0, games + 3.0];
        let mean = (wins_and + 0.5 * draws_and) / games_and;
        let variance = (wins_and + 0.25 * draws_and) / games_and - mean * mean;
        Estimate { value: (wins + 0.5 * draws) / games, error: (variance / games).sqrt() }
    }

    /// How likely results at least as different as these two are if both players have the same chances: the p-value of
    /// Pearson's chi-square test. NaN if either has no games.
    #[must_use]
    pub fn agreement(self, other: Self) -> f64 {
        let [own, others] = [self, other].map(|results| results.games() as f64);
        let (mut statistic, mut outcomes) = (0.0, 0);
        for (count, others_count) in self.counts().into_iter().zip(other.counts()) {
            let both = (count + others_count) as f64;
            if both > 0.0 {
                outcomes += 1;
                for (count, games) in [(count, own), (others_count, others)] {
                    let expected = both * games / (own + others);
                    statistic += (count as f64 - expected).powi(2) / expected;
                }
            }
        }
        match outcomes {
            _ if own * others == 0.0 => f64::NAN,
            // Only one outcome ever came up: nothing differs.
            1 => 1.0,
            _ => chi_square_tail(statistic, outcomes - 1),
        }
    }
}

/// A figure and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    /// The mean of values; the error is NaN for fewer than two.
    #[must_use]
    pub fn mean(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|own| (own - value).powi(2)).sum();
        Self { value, error: (squares / (n - 1.0) / n).sqrt() }
    }

    /// The mean of figures that know nothing of each other.
    #[must_use]
    pub fn mean_of(figures: &[Self]) -> Self {
        let n = figures.len() as f64;
        let value = figures.iter().map(|figure| figure.value).sum::<f64>() / n;
        Self { value, error: figures.iter().map(|figure| figure.error.powi(2)).sum::<f64>().sqrt() / n }
    }

    /// The 95 % interval.
    #[must_use]
    pub fn interval(self) -> Interval {
        Interval { low: self.value - Z95 * self.error, high: self.value + Z95 * self.error }
    }

    /// The interval as one of several that hold all together in 95 %.
    #[must_use]
    pub fn interval_among(self, intervals: usize) -> Interval {
        let reach = deviate_of(intervals) * self.error;
        Interval { low: self.value - reach, high: self.value + reach }
    }

    /// What it is above another.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self { value: self.value - other.value, error: self.error.hypot(other.error) }
    }

    /// How many standard errors it is above a value that is known.
    #[must_use]
    pub fn z(self, known: f64) -> f64 {
        (self.value - known) / self.error
    }

    /// How likely a figure at least as far from a known value is by chance alone.
    #[must_use]
    pub fn p(self, known: f64) -> f64 {
        libm::erfc(self.z(known).abs() / std::f64::consts::SQRT_2)
    }
}

/// The false alarms that are accepted in a family of tests.
pub const LEVEL: f64 = 0.05;

/// Which of several tests are significant if at most one family in twenty may have a false alarm: Holm's procedure. A test
/// without a result is not.
#[must_use]
pub fn significant(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<_> = (0..p_values.len()).filter(|&test| !p_values[test].is_nan()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut found = vec![false; p_values.len()];
    for (rank, &test) in order.iter().enumerate() {
        if p_values[test] > LEVEL / (order.len() - rank) as f64 {
            break;
        }
        found[test] = true;
    }
    found
}

/// How much is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Experiment 1: all attacks of a unit but the best.
    Single,
    /// Experiment 2: the worse half of them.
    Half,
}

impl Experiment {
    /// `single` or `half`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Half => "half",
        }
    }

    /// The table with its figures.
    #[must_use]
    pub const fn table(self) -> u8 {
        match self {
            Self::Single => 1,
            Self::Half => 2,
        }
    }

    /// How many attacks stay.
    #[must_use]
    pub const fn keep(self) -> Keep {
        match self {
            Self::Single => Keep::Best(1),
            Self::Half => Keep::Half,
        }
    }
}

/// A row of tables 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// How much is pruned.
    pub experiment: Experiment,
    /// The map, as an index of [`MAPS`].
    pub map: usize,
    /// The kind of unit whose attacks are pruned.
    pub kind: Kind,
    /// The pruned player's side: Red moves first.
    pub seat: Team,
    /// The paper's results of the pruned player.
    pub paper: Results,
}

const fn pair(experiment: Experiment, map: usize, kind: Kind, results: [[u64; 3]; 2]) -> [Row; 2] {
    let [[w1, l1, d1], [w2, l2, d2]] = results;
    let row =
        Row { experiment, map: map - 1, kind, seat: Team::Red, paper: Results { wins: w1, losses: l1, draws: d1 } };
    [row, Row { seat: Team::Blue, paper: Results { wins: w2, losses: l2, draws: d2 }, ..row }]
}

/// Tables 1 and 2: map and kind, with wins, losses and draws of the pruned player when it moves first and second.
pub const PAIRS: [[Row; 2]; 12] = [
    pair(Experiment::Single, 1, Kind::Infantry, [[253, 272, 25], [181, 350, 19]]),
    pair(Experiment::Single, 1, Kind::Panzer, [[801, 783, 66], [389, 1194, 67]]),
    pair(Experiment::Single, 1, Kind::Cannon, [[166, 170, 14], [101, 236, 13]]),
    pair(Experiment::Single, 2, Kind::Infantry, [[203, 251, 96], [221, 215, 114]]),
    pair(Experiment::Single, 2, Kind::Panzer, [[67, 134, 49], [89, 97, 64]]),
    pair(Experiment::Single, 2, Kind::Fighter, [[78, 123, 49], [106, 92, 52]]),
    pair(Experiment::Single, 3, Kind::Infantry, [[268, 165, 67], [125, 314, 61]]),
    pair(Experiment::Single, 3, Kind::Panzer, [[468, 400, 132], [186, 686, 128]]),
    pair(Experiment::Single, 4, Kind::Panzer, [[17, 956, 27], [709, 138, 153]]),
    pair(Experiment::Half, 1, Kind::Infantry, [[69, 74, 7], [39, 103, 8]]),
    pair(Experiment::Half, 1, Kind::Panzer, [[66, 76, 8], [39, 106, 5]]),
    pair(Experiment::Half, 3, Kind::Infantry, [[80, 49, 21], [40, 90, 20]]),
];

/// A map of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperMap {
    /// Its file in the map folder of the original program.
    pub file: &'static str,
    /// Why this file is taken for it.
    pub why: &'static str,
    /// Whether that leaves no doubt.
    pub is_certain: bool,
    /// The built-in map that is played where the file is not at hand. It is another map with the same kinds of units.
    pub stand_in: &'static str,
}

/// Maps 1 to 4 of the paper, which shows pictures and names no files.
pub const MAPS: [PaperMap; 4] = [
    PaperMap {
        file: "map01.tbsmap",
        why: "its first position has the 73 children of Table 3, and 71 with panzers pruned",
        is_certain: true,
        stand_in: "front-6x6",
    },
    PaperMap {
        file: "map05.tbsmap",
        why: "the only standard map with fighters, which are pruned on it",
        is_certain: false,
        stand_in: "ridge-8x8",
    },
    PaperMap {
        file: "map03.tbsmap",
        why: "symmetric, with infantry and panzers, and better for the first player",
        is_certain: false,
        stand_in: "skirmish-5x5",
    },
    PaperMap {
        file: "map04.tbsmap",
        why: "far better for the second player, with a panzer on each side",
        is_certain: false,
        stand_in: "lopsided-6x6",
    },
];

/// Why a map cannot be the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongMap {
    /// The tree begins with another number of actions.
    #[error("its first position has {0} children, where the paper has {CHILDREN}")]
    Children(Children),
    /// A side has no unit of a kind that the paper prunes.
    #[error("{team:?} has no {}, which the paper prunes", kind.name())]
    NoUnit {
        /// The side.
        team: Team,
        /// The kind.
        kind: Kind,
    },
}

/// Children of the root without and with single pruning of panzers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children(pub [usize; 2]);

impl std::fmt::Display for Children {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} without and {} with pruning of panzers", self.0[0], self.0[1])
    }
}

/// The children of the root in Table 3: without and with single pruning of panzers.
pub const CHILDREN: Children = Children([73, 71]);

impl Children {
    /// Those of a search from this position.
    #[must_use]
    pub fn of(start: &Position) -> Self {
        Self([None, Some(Pruning::of(Kind::Panzer, Experiment::Single.keep()))].map(|pruning| {
            let mut actions = Vec::new();
            add_actions(start, start.mover, pruning.as_ref(), &mut actions);
            actions.len()
        }))
    }
}

/// Whether a map may be number `index` of [`MAPS`].
///
/// # Errors
/// What speaks against it.
pub fn check(index: usize, map: &Map) -> Result<(), WrongMap> {
    let found = Children::of(&map.start());
    if index == 0 && found != CHILDREN {
        return Err(WrongMap::Children(found));
    }
    for row in PAIRS.iter().flatten().filter(|row| row.map == index) {
        if !map.side(row.seat).any(|unit| unit.kind == row.kind) {
            return Err(WrongMap::NoUnit { team: row.seat, kind: row.kind });
        }
    }
    Ok(())
}

/// Score of the pruned player over both seats, which count the same however many games they had. If pruning changes
/// nothing it is one half on any map: M-UCT against itself scores in one seat what it fails to score in the other.
#[must_use]
pub fn both_seats(results: [Results; 2]) -> Estimate {
    Estimate::mean_of(&results.map(Results::score))
}

/// Shares of wins, losses and draws, with their 95 % intervals.
#[must_use]
pub fn shares(results: Results) -> [(f64, Interval); 3] {
    let games = results.games();
    results.counts().map(|count| (stats::rate(count, games), stats::wilson(count, games)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results([wins, losses, draws]: [u64; 3]) -> Results {
        Results { wins, losses, draws }
    }

    #[test]
    fn a_score_counts_draws_half_and_is_never_certain() {
        let score = results([6, 2, 4]).score();
        // With one game of each outcome more: mean 9.5 / 15, mean of squares 8.25 / 15.
        let variance = 8.25 / 15.0 - (9.5_f64 / 15.0).powi(2);
        assert!((score.value - 8.0 / 12.0).abs() < 1e-12 && (score.error - (variance / 12.0).sqrt()).abs() < 1e-12);
        let certain = results([10, 0, 0]).score();
        assert!(certain.value == 1.0 && certain.error > 0.09);
        assert!(Results::default().score().value.is_nan());
        let other = results([6, 2, 4]).of_opponent().score();
        assert!((other.value - 4.0 / 12.0).abs() < 1e-12);
        assert_eq!(both_seats([results([6, 2, 4]), results([2, 6, 4])]).value, 0.5);
    }

    #[test]
    fn agreement_is_the_chi_square_test_of_two_rows() {
        // Expected 15 and 15, 10 and 10, 5 and 5: 2 (25/15 + 4/10 + 9/5) = 7.7333.
        let p = results([20, 8, 2]).agreement(results([10, 12, 8]));
        assert!((p - (-7.733_333_333_f64 / 2.0).exp()).abs() < 1e-9, "{p}");
        // An outcome that neither had does not count: one degree, 2 (25/15 + 25/15).
        let p = results([20, 10, 0]).agreement(results([10, 20, 0]));
        assert!((p - libm::erfc((20.0_f64 / 3.0 / 2.0).sqrt())).abs() < 1e-9, "{p}");
        assert_eq!(results([5, 0, 0]).agreement(results([9, 0, 0])), 1.0);
        assert!(results([5, 1, 0]).agreement(Results::default()).is_nan());
    }

    #[test]
    fn holm_stops_at_the_first_test_that_fails() {
        assert_eq!(significant(&[0.04, 0.01, f64::NAN, 0.03]), [false, true, false, false]);
        assert_eq!(significant(&[0.024, 0.01, 0.04]), [true, true, true]);
        assert_eq!(significant(&[0.026, 0.01, 0.001]), [true, true, true]);
        assert_eq!(significant(&[0.03, 0.02]), [true, true]);
        assert_eq!(significant(&[0.03, 0.03]), [false, false]);
        assert!(significant(&[]).is_empty());
    }

    #[test]
    fn means_have_the_errors_of_the_textbook() {
        let mean = Estimate::mean(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert!((mean.value - 5.0).abs() < 1e-12 && (mean.error - (32.0_f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert!(Estimate::mean(&[3.0]).error.is_nan());
        let both = Estimate::mean_of(&[Estimate { value: 1.0, error: 0.3 }, Estimate { value: 2.0, error: 0.4 }]);
        assert!((both.value - 1.5).abs() < 1e-12 && (both.error - 0.25).abs() < 1e-12);
        assert!((both.p(1.5 - 0.25 * Z95) - 0.05).abs() < 1e-9);
    }
}
