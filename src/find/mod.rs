//! Finding many maps of Catan whose seats are certified to be equal.
//!
//! Random maps are far apart under players who build: balance within a quarter of a point is rarer than one in ten thousand,
//! and to see it takes a hundred thousand games. So the search narrows down, and games are added up, never thrown away:
//!
//! 1. **Training**: some random maps are played a little, and a ridge regression learns the signed contrasts between seats from
//!    the [set-up](opening) that the players make.
//! 2. **Halving**: of very many random maps those with the smallest predicted spread are played, and beside them some that
//!    nobody chose, as a control. The better half is played on, again and again.
//! 3. **Search**: each map that is left founds a line of [variants](Variant), in which ports and equally likely numbers change
//!    places. What ports and numbers do to a seat is learned from all lines together, and a model of the line turns games on
//!    some variants into a guess about all of them; the most promising ones are played.
//! 4. **Certification**: the most promising lines are searched further, and variants that are likely good are
//!    [certified](crate::certify) by fresh games with e-BH, until there are enough certificates.
//!
//! All maps descend from different random maps and [differ](difference()) in at least [`LEAST_DIFFERENCE`] of their places.

mod belief;
mod certification;
mod difference;
mod habits;
mod model;
pub mod opening;
mod run;
mod screen;
mod steps;
mod trend;
mod variants;

pub use difference::difference;
pub use run::{Delivered, Line, Run, RunError, rules_version, search};
pub use screen::Screened;
pub use variants::{Family, Variant};

use fairground_kernels::rng::absorb;
use serde::{Deserialize, Serialize};

use crate::batch::EvaluateError;
use crate::certify::{self, PlanError};
use crate::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Map, Policy};
use crate::stats::seats::evidence::{Correction, least_games};
use belief::Belief;
use habits::WATCHED;
use steps::Wanted;

/// The share of tiles, tokens and ports in which any two delivered maps differ at least; see [`difference()`].
pub const LEAST_DIFFERENCE: f64 = 0.5;

/// How random maps are laid: everything anywhere, as in the paper.
pub const RECIPE: Recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };

/// Keeps the games of the search apart from all others.
const STREAM: u64 = 0x6669_6e64_6d61_7073;

/// What is to be found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The players' strategies by seat.
    pub players: [String; SEATS],
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
    /// Random maps that the regression looks at.
    pub maps: u64,
    /// Games of everything together, at most.
    pub games: u64,
    /// Certified maps that are wanted.
    pub count: usize,
    /// The bound on the true spread, in percentage points.
    pub sigma_points: f64,
    /// The share of wrong certificates.
    pub level: f64,
    /// The seed of maps and games.
    pub seed: u64,
}

/// Random maps that teach the regression for each map that is wanted, the fewest and the most of them, and games of each.
const TRAINING: (u64, [u64; 2], u64) = (10, [200, 1000], 100);
/// Random maps that are played for each map that is wanted, and games of each at first.
const POOL: (usize, u64) = (160, 64);
/// One of so many of them is drawn without looking.
const CONTROL: usize = 4;

/// The bound for which the steps are made, in points.
const USUAL_SIGMA: f64 = 0.28;

/// Lines for every hundred maps that are wanted.
const LINES: usize = 300;

/// The first steps of the search: so many variants of every line, those that most probably are balanced, play so many games
/// with the same luck. Games are for a bound of [`USUAL_SIGMA`] and go with the square of its inverse.
const STEPS: [(usize, u64); 2] = [(6, 800), (3, 2000)];

/// Room for entries in certification, for every hundred maps that are wanted. Room that is not used costs little: by the formula
/// of the E value a perfect map needs about one game in nine more if there is twice as much.
const ROOM: usize = 240;

/// Lines that play in a round of certification for every hundred maps that are still missing, only the most promising ones; and
/// the fewest for every hundred that are wanted, since a few lines would not keep the threads busy.
const RACING: usize = 40;
const FEWEST_RACING: usize = 16;

/// The least games of a variant at a time: with fewer the noise is not normal.
const LEAST_GAMES: u64 = 50;

/// Unless asked otherwise the last stage, with its search, may take so many times the games by which perfect maps are certified, and
/// so many looks more for each map.
const CERTIFICATION: (u64, u64) = (14, 20);

/// Why nothing can be found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A setting is out of its range.
    #[error("{0}")]
    Setting(String),
    /// Not even perfect maps could be certified.
    #[error(
        "{games} games are too few to find {count} maps with a spread below {sigma_points} points: the search takes {search} and \
         certifying perfectly balanced maps {certification} more"
    )]
    TooFewGames {
        /// The games.
        games: u64,
        /// The wanted maps.
        count: usize,
        /// The bound.
        sigma_points: f64,
        /// Games before certification.
        search: u64,
        /// The fewest games of certification.
        certification: u64,
    },
    /// Nobody ever wins.
    #[error("no game was decided: all {games} to learn from were cut off after {turn_cap} turns")]
    NothingDecided {
        /// The games that were played.
        games: u64,
        /// Turns after which they were cut off.
        turn_cap: u32,
    },
    /// The players or the bound are wrong.
    #[error(transparent)]
    Certify(#[from] PlanError),
    /// The regression fails.
    #[error("the contrasts cannot be predicted: {0}")]
    Fit(#[from] crate::learn::pnu::FitError),
    /// Playing failed or was stopped.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

fn of_hundred(share: usize, count: usize) -> usize {
    (share * count).div_ceil(100)
}

/// The quadratic mean: of contrasts it is the spread between seats.
fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64).sqrt()
}

impl Plan {
    /// The games that a search usually takes.
    #[must_use]
    pub fn usual_games(&self) -> u64 {
        let (times, looks) = CERTIFICATION;
        let certification = self.least_certification().saturating_mul(times);
        let looks = looks * certify::LOOK * self.count as u64;
        self.search_games().saturating_add(certification).saturating_add(looks)
    }

    /// Games of a variant in a step.
    fn games_of(&self, games: u64) -> u64 {
        let unit = (USUAL_SIGMA / self.sigma_points).powi(2);
        ((games as f64 * unit) as u64).max(LEAST_GAMES)
    }

    /// The logarithm of the speed to expect at which a variant could be certified.
    fn log_speed(&self, belief: &Belief) -> f64 {
        belief.log_speed(self.sigma_points)
    }

    fn lines(&self) -> usize {
        of_hundred(LINES, self.count)
    }

    /// Random maps that teach the regression.
    fn training(&self) -> u64 {
        let (each, [fewest, most], _) = TRAINING;
        (each * self.count as u64).clamp(fewest, most)
    }

    fn pool(&self) -> usize {
        POOL.0 * self.count
    }

    /// Maps of the pool that nobody chose.
    fn control(&self) -> usize {
        self.pool() / CONTROL
    }

    /// How many maps are left after each round of halving, and their games by then; the lines come last.
    fn halving(&self) -> Vec<(usize, u64)> {
        let lines = self.lines();
        let (mut left, mut games, mut rounds) = (self.pool(), POOL.1, Vec::new());
        while left > lines {
            rounds.push((left, games));
            left = (left / 2).max(lines);
            games *= 2;
        }
        rounds.push((left, games));
        rounds
    }

    /// Games before certification.
    fn search_games(&self) -> u64 {
        let mut games = self.training() * TRAINING.2;
        let mut before = 0;
        for (maps, each) in self.halving() {
            games = games.saturating_add(maps as u64 * (each - before));
            before = each;
        }
        games = games.saturating_add(WATCHED * self.lines() as u64);
        let each: u64 = STEPS.iter().map(|&(variants, games)| variants as u64 * self.games_of(games)).sum();
        games.saturating_add(each.saturating_mul(self.lines() as u64))
    }

    /// Room for entries in certification: e-BH takes so many maps into account.
    #[must_use]
    pub fn room(&self) -> usize {
        of_hundred(ROOM, self.count)
    }

    /// The logarithm of the E value that is enough if so many maps are certified.
    fn log_threshold(&self, certified: usize) -> f64 {
        Correction::EBh.log_threshold(self.room(), certified, self.level)
    }

    /// The fewest games of certification: those of perfect maps, if as many are certified as are wanted.
    fn least_certification(&self) -> u64 {
        let threshold = self.log_threshold(self.count);
        let games = least_games(self.sigma_points / 100.0, threshold).unwrap_or(u64::MAX).max(certify::LOOK);
        let rounded = games.div_ceil(certify::LOOK).saturating_mul(certify::LOOK);
        rounded.saturating_mul(self.count as u64)
    }

    fn policy(&self) -> Result<Policy, FindError> {
        Ok(certify::policy(&self.players, self.turn_cap)?)
    }

    /// # Errors
    /// If a setting is wrong, or the games cannot be enough.
    pub fn check(&self) -> Result<(), FindError> {
        self.policy()?;
        certify::check_bound(self.sigma_points, self.level)?;
        let setting = |why: &str| Err(FindError::Setting(why.into()));
        if !(1..=10_000).contains(&self.count) {
            return setting("expected 1 to 10000 maps to find");
        }
        if self.maps < self.pool() as u64 {
            let pool = self.pool();
            return setting(&format!("expected at least {pool} random maps, which is how many are played at first"));
        }
        let (games, search, certification) = (self.games, self.search_games(), self.least_certification());
        if games < search.saturating_add(certification) {
            let Self { count, sigma_points, .. } = *self;
            return Err(FindError::TooFewGames { games, count, sigma_points, search, certification });
        }
        Ok(())
    }

    /// The seed of the fresh games: another than that of `certify` if both are given the same, so that a map of this search is
    /// certified there by other games. Every reader of JSON can hold it.
    #[must_use]
    pub const fn certification_seed(&self) -> u64 {
        absorb(self.seed, STREAM) >> 11
    }

    /// Random map number `index`.
    #[must_use]
    pub fn random_map(&self, index: u64) -> Map {
        draw(&RECIPE, self.seed, index)
    }

    /// Games of random map number `index`.
    fn wanted(&self, index: u64, first: u64, games: u64) -> Wanted {
        Wanted { map: self.random_map(index), ancestor: index, first, games }
    }
}
