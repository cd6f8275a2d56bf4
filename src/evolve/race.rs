//! The best few of many maps without playing all games of the others: a race.
//!
//! Maps play in rounds of a few games. A map is out once it cannot be among the best any more. What playing is, is not said
//! here: a game gives points to both sides, and a map is worth twice the smaller side's share, which is the fitness of the
//! paper if a win is a point, and the smooth fitness if nearness is.
//!
//! ```
//! use fairground::evolve::race::{Rules, UNIT, Until, run};
//!
//! // Red wins every game of map 0; on map 1 the sides take turns.
//! let play = |jobs: &[(usize, std::ops::Range<u64>)]| -> Result<Vec<[u64; 2]>, std::convert::Infallible> {
//!     let points = |map: usize, game: u64| if map == 1 && game % 2 == 1 { [0, UNIT] } else { [UNIT, 0] };
//!     let sum = |(map, games): &(usize, std::ops::Range<u64>)| {
//!         games.clone().map(|game| points(*map, game)).fold([0; 2], |[a, b], [c, d]| [a + c, b + d])
//!     };
//!     Ok(jobs.iter().map(sum).collect())
//! };
//! let rules = Rules { best: 1, games: 100, round: 10, until: Until::Certain };
//! let result = run(2, &rules, play)?;
//! assert_eq!((result.best, result.games), (vec![1], 140));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

use std::ops::Range;

use super::judge::WON;

/// What a game gives to both sides together at most.
pub const UNIT: u64 = WON;

/// How a race goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// How many are to be found.
    pub best: usize,
    /// Games of a map at most.
    pub games: u64,
    /// Games of a map in a round.
    pub round: u64,
    /// When a map is out.
    pub until: Until,
}

/// When a map is out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// Once others would be better even if all games that are left went its way and none of theirs went theirs. The best are
    /// the same as after all games.
    Certain,
    /// Once the upper end of its interval is below the lower ends of others. The intervals are so wide that all of them hold in
    /// all rounds together with this probability at least; then no map is out that truly belongs to the best.
    Likely(
        /// The probability, such as 0.95.
        f64,
    ),
    /// In halves: after an eighth of the games the worse half of all maps, after a quarter of them half of the rest, and so on.
    /// Who is out may have been unlucky.
    Half,
}

/// In a race by halves the first half is out after one in so many games.
const FIRST_HALF: u64 = 8;

/// How a race ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The best, in their order as they were given.
    pub best: Vec<usize>,
    /// Those that were never out, the best among them.
    pub left: Vec<usize>,
    /// Games that were played.
    pub games: u64,
}

/// Runs a race of so many maps. `play` plays these games of these maps and says what they give to both sides.
///
/// Of maps that are worth the same the first is better.
///
/// # Errors
/// If `play` fails.
pub fn run<E>(
    maps: usize,
    rules: &Rules,
    mut play: impl FnMut(&[(usize, Range<u64>)]) -> Result<Vec<[u64; 2]>, E>,
) -> Result<Finish, E> {
    let mut race = Race::new(maps, rules);
    loop {
        let jobs = race.jobs();
        if jobs.is_empty() {
            return Ok(race.finish());
        }
        let points = play(&jobs)?;
        race.add(&jobs, &points);
    }
}

/// The points of both sides in the games so far.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sides: [u64; 2],
    games: u64,
}

struct Race<'r> {
    rules: &'r Rules,
    maps: Vec<Sums>,
    /// The maps that are not out.
    left: Vec<usize>,
    /// The logarithm of how unlikely it is that an interval misses, without its sign.
    weight: f64,
}

impl<'r> Race<'r> {
    fn new(maps: usize, rules: &'r Rules) -> Self {
        let weight = match rules.until {
            Until::Certain | Until::Half => f64::INFINITY,
            Until::Likely(probability) => {
                // Two ends of two sides of every map in every round.
                let rounds = rules.games.div_ceil(rules.round.max(1)).max(1);
                let ends = 4.0 * maps.max(1) as f64 * rounds as f64;
                libm::log(ends / (1.0 - probability).max(0.0)).max(0.0)
            }
        };
        Self { rules, maps: vec![Sums::default(); maps], left: (0..maps).collect(), weight }
    }

    /// The games of the next round; none if the best are known.
    fn jobs(&self) -> Vec<(usize, Range<u64>)> {
        let Rules { best, games, round, .. } = *self.rules;
        // All that are left have played the same games.
        let played = self.left.first().map_or(games, |&map| self.maps[map].games);
        if best == 0 || self.left.len() <= best || played >= games {
            return Vec::new();
        }
        let next = played..games.min(played + round.max(1));
        self.left.iter().map(|&map| (map, next.clone())).collect()
    }

    fn add(&mut self, jobs: &[(usize, Range<u64>)], points: &[[u64; 2]]) {
        for ((map, games), more) in jobs.iter().zip(points) {
            let sums = &mut self.maps[*map];
            sums.sides[0] += more[0];
            sums.sides[1] += more[1];
            sums.games += games.end - games.start;
        }
        self.left = match self.rules.until {
            Until::Certain => {
                let bounds: Vec<_> = self.left.iter().map(|&map| self.maps[map].extremes(self.rules.games)).collect();
                self.kept(|one, other| (bounds[one].0, other) > (bounds[other].1, one))
            }
            Until::Likely(_) => {
                let bounds: Vec<_> = self.left.iter().map(|&map| self.maps[map].interval(self.weight)).collect();
                self.kept(|one, other| bounds[one].0 > bounds[other].1)
            }
            Until::Half => {
                let played = self.left.first().map_or(0, |&map| self.maps[map].games);
                let halves = (FIRST_HALF * played / self.rules.games.max(1)).checked_ilog2().map_or(0, |log| 1 + log);
                self.leaders(self.rules.best.max(self.maps.len() >> halves))
            }
        };
    }

    /// Those that have fewer than enough better ones, by their places among those that are left.
    fn kept(&self, is_better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let places = 0..self.left.len();
        let better = |own: usize| places.clone().filter(|&other| other != own && is_better(other, own)).count();
        places.clone().filter(|&own| better(own) < self.rules.best).map(|own| self.left[own]).collect()
    }

    /// So many of the best of those that are left, in their order.
    fn leaders(&self, count: usize) -> Vec<usize> {
        let mut best = self.left.clone();
        // All that are left have played the same games, so that the sums tell who is better; the sort keeps the order of equals.
        best.sort_by_key(|&map| std::cmp::Reverse(self.maps[map].smaller()));
        best.truncate(count);
        best.sort_unstable();
        best
    }

    fn finish(self) -> Finish {
        Finish {
            best: self.leaders(self.rules.best),
            left: self.left,
            games: self.maps.iter().map(|sums| sums.games).sum(),
        }
    }
}

impl Sums {
    fn smaller(self) -> u64 {
        self.sides[0].min(self.sides[1])
    }

    /// The least and the most that the smaller side can have after so many games.
    fn extremes(self, games: u64) -> (u64, u64) {
        let more = games.saturating_sub(self.games) * UNIT;
        let [red, blue] = self.sides;
        (self.smaller(), (self.smaller() + more).min((red + blue + more) / 2))
    }

    /// An interval for the smaller side's true share.
    fn interval(self, weight: f64) -> (f64, f64) {
        let ends = self.sides.map(|sum| bounds(crate::stats::rate(sum, UNIT * self.games), self.games, weight));
        (ends[0].0.min(ends[1].0), ends[0].1.min(ends[1].1).min(0.5))
    }
}

/// Both ends of an interval for the mean of values from 0 to 1, given the mean of so many: each misses with a probability of
/// at most `exp(-weight)`, by the inequality of Chernoff and Hoeffding.
fn bounds(mean: f64, count: u64, weight: f64) -> (f64, f64) {
    let reach = weight / count as f64;
    // Written so that nothing known, which is not a number, reaches everywhere.
    let is_beyond = |value: f64| divergence(mean, value) > reach;
    let search = |mut inside: f64, mut outside: f64| {
        if !is_beyond(outside) {
            return outside;
        }
        // Doubles are no finer than this.
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            if is_beyond(middle) {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        outside
    };
    (search(mean, 0.0), search(mean, 1.0))
}

/// How unlikely a mean is if another is the true one (Kullback and Leibler).
fn divergence(mean: f64, truth: f64) -> f64 {
    let term = |share: f64, of: f64| if share > 0.0 { share * libm::log(share / of) } else { 0.0 };
    term(mean, truth) + term(1.0 - mean, 1.0 - truth)
}
