//! The best maps of a run: different from each other, and measured by games that had no part in their choice.

use fairground_kernels::rng::absorb;

use serde::{Deserialize, Serialize};

use super::judge::{Judge, Standing};
use super::variation::playable;
use super::{EvolveError, Individual, as_file};
use crate::batch::Watch;
use crate::games::tubstap::{Cell, Map};
use crate::stats;

/// How the final choice is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// Maps that are measured at most.
    pub candidates: usize,
    /// Fresh games of each.
    pub games: u64,
    /// The share of cells in which any two of them differ at least.
    pub difference: f64,
}

impl Default for Ranking {
    fn default() -> Self {
        Self { candidates: 8, games: 600, difference: 0.25 }
    }
}

/// A map that is measured by fresh games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalist {
    /// The map.
    #[serde(with = "as_file")]
    pub map: Map,
    /// Its fresh games.
    pub standing: Standing,
    /// Those of the second judge.
    pub second: Standing,
}

/// Tells the seed of fresh games from that of the games before.
const FRESH: u64 = 0x6672_6573_6867_616d;

/// The share of cells in which two maps of one size differ, in terrain or unit; the least over all turns and mirror images of one of them. 1 for maps of different size.
#[must_use]
pub fn difference(one: &Map, other: &Map) -> f64 {
    if (one.width, one.height) != (other.width, other.height) {
        return 1.0;
    }
    let (width, height) = (one.width, one.height);
    let unit_at = |map: &Map, cell| map.units.iter().find(|unit| unit.cell == cell).map(|unit| (unit.kind, unit.team));
    let differ = |way: usize| {
        let image = |cell: Cell| {
            let (x, y) = (cell.x() as usize, cell.y() as usize);
            let (x, y) = if way & 4 != 0 { (y, x) } else { (x, y) };
            Cell::new(if way & 1 != 0 { width - 1 - x } else { x }, if way & 2 != 0 { height - 1 - y } else { y })
        };
        let differs = |&cell: &Cell| {
            let image = image(cell).unwrap_or(cell);
            one.terrain_at(cell) != other.terrain_at(image) || unit_at(one, cell) != unit_at(other, image)
        };
        one.cells().filter(differs).count()
    };
    let ways = if width == height { 8 } else { 4 };
    (0..ways).map(differ).min().unwrap_or(0) as f64 / (width * height) as f64
}

/// The best by what is known of them at least, the lower end of the interval, none too like a better one: of two that look
/// alike the one with more games goes first.
#[must_use]
pub fn choose(individuals: &[Individual], ranking: &Ranking) -> Vec<Finalist> {
    let mut order: Vec<&Individual> = individuals.iter().collect();
    let at_least = |individual: &Individual| stats::fitness_interval(&individual.known().tally()).low;
    let fitness = |individual: &Individual| individual.known().fitness();
    order.sort_by(|one, other| at_least(other).total_cmp(&at_least(one)).then(fitness(other).total_cmp(&fitness(one))));
    let mut chosen: Vec<Finalist> = Vec::new();
    for map in order.into_iter().map(|individual| playable(&individual.map)) {
        let is_new = chosen.iter().all(|other| difference(&other.map, &map) >= ranking.difference);
        if chosen.len() < ranking.candidates && is_new {
            chosen.push(Finalist { map, standing: Standing::default(), second: Standing::default() });
        }
    }
    chosen
}

/// A judge of the same player whose games had no part in the choice.
#[must_use]
pub fn fresh<'e>(judge: &Judge<'e>) -> Judge<'e> {
    let mut fresh = judge.clone();
    fresh.crowd.seed = absorb(FRESH, judge.crowd.seed);
    fresh
}

/// Lets all maps play until each has so many games. The standing is the one to add to.
///
/// # Errors
/// If the evaluator fails or the watcher asks to stop.
pub fn play_up_to(
    games: u64,
    finalists: &mut [Finalist],
    standing: fn(&mut Finalist) -> &mut Standing,
    judge: &Judge<'_>,
    watch: &dyn Watch,
) -> Result<(), EvolveError> {
    let played: Vec<u64> = finalists.iter_mut().map(|finalist| standing(finalist).games()).collect();
    let jobs: Vec<_> = finalists.iter().zip(played).map(|(finalist, played)| (&finalist.map, played..games)).collect();
    let more = judge.play(&jobs, watch)?;
    finalists.iter_mut().zip(&more).for_each(|(finalist, more)| standing(finalist).add(more));
    Ok(())
}

/// How much the map in this place differs from the one most like it; nothing if it is alone.
#[must_use]
pub fn nearest(place: usize, finalists: &[Finalist]) -> Option<f64> {
    let map = &finalists.get(place)?.map;
    let others = (0..).zip(finalists).filter(|&(other, _)| other != place);
    others.map(|(_, other)| difference(map, &other.map)).min_by(f64::total_cmp)
}
