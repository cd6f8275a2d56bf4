//! Looks for readings and boards whose win rates come near the paper's on three rows; the other five are held out.
//!
//! The loss of a point is the sum over rows of `err5^2 + 2 err4^2`, with the errors of the win rates of five and four
//! diggers, less what sampling alone adds to it. Climbing goes through the switches and edges of the board in a shuffled
//! order and takes every value that is better, until none is. Points are compared on the same deals: first on few rounds,
//! and only those that are not clearly worse on more. It starts from the presets, then from the best of many random
//! points, then from the best point so far with a few coordinates changed at random.

use std::collections::HashMap;

use fairground_kernels::rng::{Draws, Rng};

use super::{Rounds, SETTINGS, Setting, Split, play};
use crate::batch::{EvaluateError, Evaluator, Watch};
use crate::games::saboteur::tables::GOAL_X;
use crate::games::saboteur::{Extent, Preset, Reading, SWITCHES, Switch};

/// The rows that are fitted, by their numbers in [`SETTINGS`]: 50:50, 70:30 and 100:0.
pub const FITTED: [usize; 3] = [0, 2, 5];

/// Rounds of each row after which points are compared.
pub const STAGES: [u64; 3] = [1_000, 4_000, 16_000];

/// Random points that are tried at the first stage, and how many of them go on after each.
const RANDOM: [usize; 3] = [64, 16, 4];

/// Coordinates that are changed for a fresh start near the best point.
const KICK: u32 = 4;

/// The key of all rounds: boards share their deals.
const KEY: u64 = 0;

/// Switches that say nothing without counted cards, which no fitted row has.
const UNFITTED: [&str; 3] = ["counted-cards", "counted-by-saboteurs", "counts-own-hand"];

/// A reading and a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The reading; its weights do not count.
    pub reading: Reading,
    /// The board.
    pub extent: Extent,
}

impl Point {
    /// A preset.
    #[must_use]
    pub const fn of(preset: Preset) -> Self {
        Self { reading: preset.reading(), extent: preset.extent() }
    }
}

/// An estimate of a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Without bias by our own sampling: it may be negative.
    pub value: f64,
    /// The variance of the value.
    pub variance: f64,
}

/// The loss of some settings, given what was played of each.
#[must_use]
pub fn loss<'a>(played: impl IntoIterator<Item = (&'a Setting, Split)>) -> Loss {
    let mut loss = Loss { value: 0.0, variance: 0.0 };
    for (setting, split) in played {
        for (weight, own, paper) in [(1.0, split.five, setting.paper.five), (2.0, split.four, setting.paper.four)] {
            let (error, noise) = (own.rate() - paper.rate(), own.variance());
            loss.value += weight * (error * error - noise);
            loss.variance += weight * weight * (4.0 * error * error * noise + 2.0 * noise * noise);
        }
    }
    loss
}

/// What can be changed of a point.
#[derive(Clone, Copy, Debug)]
enum Coordinate {
    Switch(&'static Switch),
    Left,
    Right,
    Bottom,
    Top,
    /// Bottom and top alike.
    Height,
}

/// Columns left of the start, rows above and below it, and columns up to the right edge; the last of each is no limit.
const LEFT: [i8; 8] = [0, 1, 2, 3, 4, 5, 6, -Extent::WIDEST.left];
const ROWS: [i8; 7] = [2, 3, 4, 5, 6, 7, Extent::WIDEST.top];
const RIGHT: [i8; 3] = [GOAL_X, GOAL_X + 1, Extent::WIDEST.right];

impl Coordinate {
    fn all() -> Vec<Self> {
        let switches = SWITCHES.iter().filter(|switch| !UNFITTED.contains(&switch.name)).map(Self::Switch);
        switches.chain([Self::Left, Self::Right, Self::Bottom, Self::Top, Self::Height]).collect()
    }

    fn values(self) -> usize {
        match self {
            Self::Switch(switch) => switch.values.len(),
            Self::Left => LEFT.len(),
            Self::Right => RIGHT.len(),
            Self::Bottom | Self::Top | Self::Height => ROWS.len(),
        }
    }

    /// The point with the value of this number.
    fn set(self, point: Point, value: usize) -> Point {
        let Point { reading, extent } = point;
        let rows = || ROWS[value % ROWS.len()];
        let extent = match self {
            Self::Switch(switch) => return Point { reading: switch.set(reading, value), extent },
            Self::Left => Extent { left: -LEFT[value % LEFT.len()], ..extent },
            Self::Right => Extent { right: RIGHT[value % RIGHT.len()], ..extent },
            Self::Bottom => Extent { bottom: -rows(), ..extent },
            Self::Top => Extent { top: rows(), ..extent },
            Self::Height => Extent { bottom: -rows(), top: rows(), ..extent },
        };
        Point { reading, extent }
    }
}

/// What a search is told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The seed of the deals and of the search.
    pub seed: u64,
    /// Points to be tried; the search ends earlier if its watcher asks for it.
    pub points: u64,
    /// Rounds of each row at the stages.
    pub stages: [u64; 3],
}

/// A point where a climb ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The point.
    pub point: Point,
    /// Its loss on the fitted rows, on the deals of the search.
    pub loss: f64,
    /// Where the climb started.
    pub from: Origin,
}

/// Where a climb started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A preset.
    Preset(Preset),
    /// The best of random points.
    Random,
    /// A change of the best point.
    Kick,
}

impl Origin {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preset(preset) => preset.name(),
            Self::Random => "random",
            Self::Kick => "the best, changed",
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Where climbs ended or were cut off, each point once, the best first.
    pub found: Vec<Found>,
    /// Points that were tried.
    pub points: u64,
    /// Rounds that were played.
    pub rounds: u64,
}

/// Searches until all points of the budget are tried or the watcher asks to stop. It is told of every point.
///
/// # Errors
/// If the evaluator fails.
pub fn search(evaluator: &Evaluator, options: &Options, watch: &dyn Watch) -> Result<Calibration, EvaluateError> {
    let mut search = Search {
        evaluator,
        options,
        watch,
        rng: Rng::for_playout(options.seed, KEY, 0),
        played: HashMap::new(),
        rounds: 0,
        found: Vec::new(),
    };
    match search.run() {
        Ok(()) | Err(EvaluateError::Stopped) => {}
        Err(error) => return Err(error),
    }
    search.found.sort_by(|one, other| one.loss.total_cmp(&other.loss));
    let mut found: Vec<Found> = Vec::new();
    for of in search.found {
        if found.iter().all(|known| known.point != of.point) {
            found.push(of);
        }
    }
    Ok(Calibration { found, points: search.played.len() as u64, rounds: search.rounds })
}

struct Search<'a> {
    evaluator: &'a Evaluator,
    options: &'a Options,
    watch: &'a dyn Watch,
    rng: Rng,
    /// What was played of each point: the fitted rows after each stage.
    played: HashMap<Point, Vec<[Split; FITTED.len()]>>,
    rounds: u64,
    found: Vec<Found>,
}

/// Passes the wish to stop on, but counts points instead of playouts.
struct OnlyStop<'a>(&'a dyn Watch);

impl Watch for OnlyStop<'_> {
    fn finished(&self, _: u64) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), EvaluateError> {
        for preset in [Preset::A, Preset::R1, Preset::Plain] {
            self.climb(Point::of(preset), Origin::Preset(preset))?;
        }
        for point in self.best_of_random()? {
            self.climb(point, Origin::Random)?;
        }
        loop {
            let best = self.found.iter().min_by(|one, other| one.loss.total_cmp(&other.loss)).map(|found| found.point);
            let mut point = best.unwrap_or(Point::of(Preset::A));
            for _ in 0..KICK {
                point = self.change(point);
            }
            self.climb(point, Origin::Kick)?;
        }
    }

    /// A point with a random value of a random coordinate.
    fn change(&mut self, point: Point) -> Point {
        let coordinates = Coordinate::all();
        let coordinate = coordinates[self.rng.below(coordinates.len() as u32) as usize % coordinates.len()];
        coordinate.set(point, self.rng.below(coordinate.values() as u32) as usize)
    }

    /// Random points, fewer of them after each stage.
    fn best_of_random(&mut self) -> Result<Vec<Point>, EvaluateError> {
        let mut points = Vec::new();
        for _ in 0..RANDOM[0] {
            let mut point = Point::of(Preset::A);
            for coordinate in Coordinate::all() {
                point = coordinate.set(point, self.rng.below(coordinate.values() as u32) as usize);
            }
            points.push(point);
        }
        for (stage, keep) in RANDOM.into_iter().enumerate().skip(1) {
            let mut ranked = Vec::new();
            for point in points {
                ranked.push((self.loss(point, stage - 1)?.value, point));
            }
            ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
            points = ranked.into_iter().take(keep).map(|(_, point)| point).collect();
        }
        Ok(points)
    }

    /// Takes every better value of every coordinate in a shuffled order, until there is none.
    fn climb(&mut self, start: Point, from: Origin) -> Result<(), EvaluateError> {
        let mut best = start;
        let climbed = self.climb_to(&mut best);
        // Where the search was cut off is a find too, if the point was played to the last stage.
        if self.played.get(&best).is_some_and(|stages| stages.len() == STAGES.len()) {
            let loss = self.loss(best, STAGES.len() - 1)?.value;
            self.found.push(Found { point: best, loss, from });
        }
        climbed
    }

    fn climb_to(&mut self, best: &mut Point) -> Result<(), EvaluateError> {
        self.loss(*best, STAGES.len() - 1)?;
        loop {
            let before = *best;
            let mut coordinates = Coordinate::all();
            for last in (1..coordinates.len()).rev() {
                coordinates.swap(last, self.rng.below(last as u32 + 1) as usize % (last + 1));
            }
            for coordinate in coordinates {
                for value in 0..coordinate.values() {
                    let point = coordinate.set(*best, value);
                    if self.is_better(point, *best)? {
                        *best = point;
                    }
                }
            }
            if *best == before {
                return Ok(());
            }
        }
    }

    /// Whether a point is better than another that was played to the last stage. Until then it only has to be not
    /// clearly worse. One that plays the same rounds in the same way is no better.
    fn is_better(&mut self, point: Point, best: Point) -> Result<bool, EvaluateError> {
        let last = STAGES.len() - 1;
        for stage in 0..=last {
            let [own, other] = [self.loss(point, stage)?, self.loss(best, stage)?];
            let slack = if stage < last { (own.variance + other.variance).sqrt() } else { 0.0 };
            if own.value >= other.value + slack || own == other {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The loss of a point on the rounds up to this stage.
    fn loss(&mut self, point: Point, stage: usize) -> Result<Loss, EvaluateError> {
        let stages = self.played.get(&point).map_or(0, Vec::len);
        if stages == 0 && self.played.len() as u64 >= self.options.points {
            return Err(EvaluateError::Stopped);
        }
        for stage in stages..=stage {
            let splits = self.play(point, stage)?;
            self.played.entry(point).or_default().push(splits);
            if stage == 0 {
                self.watch.finished(1);
            }
        }
        let splits = self.played.get(&point).and_then(|stages| stages.get(stage)).copied().unwrap_or_default();
        Ok(loss(FITTED.map(|row| &SETTINGS[row]).into_iter().zip(splits)))
    }

    /// Plays the rounds that a stage adds, and adds them to those of the stage before.
    fn play(&mut self, point: Point, stage: usize) -> Result<[Split; FITTED.len()], EvaluateError> {
        let stages = self.options.stages;
        let first = if stage == 0 { 0 } else { stages[stage - 1] };
        let count = stages[stage].saturating_sub(first);
        let before = self.played.get(&point).and_then(|played| played.last()).copied().unwrap_or_default();
        let mut splits = before;
        for (split, row) in splits.iter_mut().zip(FITTED) {
            let reading = SETTINGS[row].reading(point.reading);
            let rounds =
                Rounds { reading, extent: point.extent, seed: self.options.seed, key: Some(KEY), first, count };
            *split = split.and(play(self.evaluator, &rounds, &OnlyStop(self.watch))?);
            self.rounds += count;
        }
        Ok(splits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Share;
    use super::*;
    use crate::batch::BackendChoice;

    fn evaluator(threads: usize) -> Evaluator {
        let options = crate::batch::Options { backend: BackendChoice::Scalar, threads, ..Default::default() };
        Evaluator::new(&options).expect("the rules engine")
    }

    #[test]
    fn the_loss_is_without_bias_by_sampling() {
        // Binomial draws around the paper's own rates: the true loss is nothing.
        let mut rng = Rng::for_playout(1, 2, 3);
        let mut draw = |rate: f64| {
            let wins = (0..50).filter(|_| f64::from(rng.below(1 << 30)) < rate * f64::from(1 << 30)).count() as u64;
            Share { wins, rounds: 50 }
        };
        let setting = &SETTINGS[3];
        let mut sum = Loss { value: 0.0, variance: 0.0 };
        let mut raw = 0.0;
        let trials = 4000;
        for _ in 0..trials {
            let split = Split { five: draw(setting.paper.five.rate()), four: draw(setting.paper.four.rate()) };
            let of = loss([(setting, split)]);
            sum = Loss { value: sum.value + of.value, variance: sum.variance + of.variance };
            raw += of.value + split.five.variance() + 2.0 * split.four.variance();
        }
        let (mean, error) = (sum.value / f64::from(trials), (sum.variance).sqrt() / f64::from(trials));
        // The plug-in variance is too small by one part in fifty; the rest is chance of four standard errors.
        assert!(mean.abs() < 4.0 * error + raw / f64::from(trials) / 50.0, "{mean} {error}");
        assert!(raw / f64::from(trials) > 0.01, "without the correction it would be {raw}");
    }

    #[test]
    fn a_search_is_the_same_for_the_same_points_and_better_than_its_start() {
        let options = Options { seed: 5, points: 60, stages: [20, 60, 200] };
        let found = search(&evaluator(1), &options, &()).expect("it is played");
        assert_eq!(found, search(&evaluator(3), &options, &()).expect("it is played"));
        assert_eq!(found.points, 60);
        assert!(found.rounds > 60 * 3 * 20);
        let best = found.found[0];
        assert!(found.found.iter().all(|of| best.loss <= of.loss));
        let start = search(&evaluator(1), &Options { points: 1, ..options }, &()).expect("it is played");
        assert_eq!((start.found[0].point, start.points), (Point::of(Preset::A), 1));
        assert!(best.loss < start.found[0].loss);
        let none = search(&evaluator(1), &Options { points: 0, ..options }, &()).expect("it is played");
        assert_eq!(none, Calibration { found: Vec::new(), points: 0, rounds: 0 });
    }

    #[test]
    fn a_long_search_starts_from_presets_random_points_and_the_best() {
        let options = Options { seed: 1, points: 2500, stages: [2, 4, 8] };
        let found = search(&evaluator(0), &options, &()).expect("it is played");
        let has = |from| found.found.iter().any(|of| of.from == from);
        assert!([Preset::A, Preset::R1, Preset::Plain].into_iter().all(|preset| has(Origin::Preset(preset))));
        assert!(has(Origin::Random) && has(Origin::Kick), "{found:?}");
    }

    #[test]
    fn a_search_that_is_stopped_keeps_what_it_found() {
        struct After(std::sync::atomic::AtomicU64);
        impl Watch for After {
            fn finished(&self, points: u64) {
                self.0.fetch_add(points, std::sync::atomic::Ordering::Relaxed);
            }

            fn stop(&self) -> bool {
                self.0.load(std::sync::atomic::Ordering::Relaxed) >= 10
            }
        }
        let options = Options { seed: 1, points: 1000, stages: [10, 20, 40] };
        let found = search(&evaluator(1), &options, &After(0.into())).expect("it is played");
        assert_eq!((found.points, found.found.len()), (10, 1));
    }

    #[test]
    fn coordinates_reach_every_board_and_switch() {
        let mut points = std::collections::HashSet::new();
        for coordinate in Coordinate::all() {
            for value in 0..coordinate.values() {
                let point = coordinate.set(Point::of(Preset::A), value);
                assert_eq!(point.extent.clamped(), point.extent);
                points.insert(point);
            }
        }
        assert!(points.len() > 60);
        let has = |is: fn(&Extent) -> bool| points.iter().any(|point| is(&point.extent));
        assert!(has(|extent| extent.left == Extent::WIDEST.left) && has(|extent| extent.left == 0));
        assert!(has(|extent| extent.top != -extent.bottom) && has(|extent| extent.top == 7 && extent.bottom == -7));
    }
}
