//! The best maps of a run: different from each other, and measured by games that had no part in their choice.

use fairground_kernels::rng::absorb;

use super::judge::{Judge, Standing};
use super::variation::playable;
use super::{EvolveError, Individual};
use crate::batch::Watch;
use crate::games::tubstap::Map;

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
        Self { candidates: 8, games: 400, difference: 0.25 }
    }
}

/// Tells the seed of fresh games from that of the games before.
const FRESH: u64 = 0x6672_6573_6867_616d;

/// The share of cells in which two maps of one size differ, in terrain or unit; the least over all turns and mirror images of one of them. 1 for maps of different size.
#[must_use]
pub fn difference(one: &Map, other: &Map) -> f64 {
    if (one.width, one.height) != (other.width, other.height) {
        return 1.0;
    }
    let look = |map: &Map| {
        let mut cells: Vec<_> = (0..map.height)
            .flat_map(|y| (0..map.width).map(move |x| (x, y)))
            .map(|(x, y)| (map.terrain[8 * y + x], None))
            .collect();
        for unit in &map.units {
            cells[unit.cell.y() as usize * map.width + unit.cell.x() as usize].1 = Some((unit.kind, unit.team));
        }
        cells
    };
    let (width, height) = (one.width, one.height);
    let (first, second) = (look(one), look(other));
    let differ = |way: usize| {
        let image = |x: usize, y: usize| {
            let (x, y) = if way & 4 != 0 { (y, x) } else { (x, y) };
            (if way & 1 != 0 { width - 1 - x } else { x }, if way & 2 != 0 { height - 1 - y } else { y })
        };
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let differs = |&(x, y): &(usize, usize)| {
            let (to_x, to_y) = image(x, y);
            first[y * width + x] != second[to_y * width + to_x]
        };
        cells.filter(differs).count()
    };
    let ways = if width == height { 8 } else { 4 };
    (0..ways).map(differ).min().unwrap_or(0) as f64 / (width * height) as f64
}

/// The best by what is known of them, none too like a better one.
#[must_use]
pub fn choose(individuals: &[Individual], ranking: &Ranking) -> Vec<Map> {
    let mut order: Vec<&Individual> = individuals.iter().collect();
    order.sort_by(|one, other| other.standing.smooth_fitness().total_cmp(&one.standing.smooth_fitness()));
    let mut chosen: Vec<Map> = Vec::new();
    for map in order.into_iter().map(|individual| playable(&individual.map)) {
        if chosen.len() < ranking.candidates && chosen.iter().all(|other| difference(other, &map) >= ranking.difference)
        {
            chosen.push(map);
        }
    }
    chosen
}

/// Measures the chosen maps by fresh games. Best first.
///
/// # Errors
/// If the evaluator fails or the watcher asks to stop.
pub fn rank(
    maps: Vec<Map>,
    games: u64,
    judge: &Judge<'_>,
    watch: &dyn Watch,
) -> Result<Vec<(Map, Standing)>, EvolveError> {
    let mut fresh = judge.clone();
    fresh.crowd.seed = absorb(FRESH, judge.crowd.seed);
    let jobs: Vec<_> = maps.iter().map(|map| (map, 0..games)).collect();
    let standings = fresh.play(&jobs, watch)?;
    let mut ranked: Vec<_> = maps.into_iter().zip(standings).collect();
    ranked.sort_by(|one, other| other.1.fitness().total_cmp(&one.1.fitness()));
    Ok(ranked)
}

/// How much the map in this place differs from the one most like it; nothing if it is alone.
#[must_use]
pub fn nearest(place: usize, individuals: &[Individual]) -> Option<f64> {
    let map = &individuals.get(place)?.map;
    let others = (0..).zip(individuals).filter(|&(other, _)| other != place);
    others.map(|(_, other)| difference(map, &other.map)).min_by(f64::total_cmp)
}
