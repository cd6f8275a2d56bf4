//! Random maps.

use std::ops::RangeInclusive;

use fairground_kernels::rng::{Draws as _, Rng};
use fairground_kernels::tubstap::tables::{MAX_HP, MAX_SIDE, MAX_UNITS};

use super::board::{Board, Cell};
use super::file::{MAX_HP_THRESHOLD, MAX_TURN_LIMIT};
use super::map::{Map, MapUnit};
use super::pieces::{Kind, Team, Terrain};
use super::rules::can_enter;

/// How often a map without room for its units is drawn anew.
pub const MAX_ATTEMPTS: u32 = 1000;

/// Keeps the streams of the generator apart from those of playouts.
const STREAM: u64 = 0x6d61_7073_6d61_7073;

/// What random maps are to be like. The default is the setting of the genetic algorithm's paper.
///
/// ```
/// use fairground::games::tubstap::generate::{Recipe, generate};
/// let recipe = Recipe { units: 3, aircraft: false, ..Recipe::default() };
/// let map = generate(&recipe, 1, 0).unwrap();
/// assert_eq!((map.width, map.height, map.units.len()), (6, 6, 6));
/// assert_eq!(map, generate(&recipe, 1, 0).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Width of the playable area, 1 to 8.
    pub width: usize,
    /// Height of the playable area, 1 to 8.
    pub height: usize,
    /// Units of each side, 1 to 16.
    pub units: usize,
    /// Whether there are fighters and attackers.
    pub aircraft: bool,
    /// Whether the map is the same for both sides if it is turned by half a turn: terrain, places, kinds, hit points.
    #[serde(default)]
    pub is_symmetric: bool,
    /// Phases after which the hit points are judged.
    pub turn_limit: u32,
    /// A lead of more than this many hit points wins then.
    pub hp_threshold: u32,
    /// What a cell can be; a terrain that is listed twice is twice as likely.
    pub terrains: Vec<Terrain>,
    /// Hit points of a unit, within 1 to 10.
    pub hp: RangeInclusive<u8>,
}

impl Default for Recipe {
    /// 6x6 cells of every terrain that can be entered, four units of every kind a side, limit and
    /// threshold 10.
    fn default() -> Self {
        Self {
            width: 6,
            height: 6,
            units: 4,
            aircraft: true,
            is_symmetric: false,
            turn_limit: 10,
            hp_threshold: 10,
            terrains: Terrain::ALL[1..].to_vec(),
            hp: 1..=MAX_HP,
        }
    }
}

/// Why there is no map of a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The playable area is empty or too large.
    #[error("a map of {width}x{height} cells cannot be made, expected 1x1 to {MAX_SIDE}x{MAX_SIDE}")]
    Size {
        /// Width asked for.
        width: usize,
        /// Height asked for.
        height: usize,
    },
    /// A side has no units or too many.
    #[error("{0} units a side cannot be placed, expected 1 to {MAX_UNITS}")]
    Units(usize),
    /// There are fewer cells than units.
    #[error("{units} units a side do not fit on {cells} cells, expected at most {} a side", cells / 2)]
    TooFewCells {
        /// Units a side asked for.
        units: usize,
        /// Cells of the playable area.
        cells: usize,
    },
    /// No terrain is allowed.
    #[error("no terrain is allowed, expected at least one")]
    NoTerrain,
    /// The hit points are not a range within 1 to 10.
    #[error("hit points {} to {} are not possible, expected a range within 1 to {MAX_HP}", .0.start(), .0.end())]
    Hp(RangeInclusive<u8>),
    /// The turn limit is zero or too large.
    #[error("a turn limit of {0} phases is not possible, expected 1 to {MAX_TURN_LIMIT}")]
    TurnLimit(u32),
    /// The threshold is too large.
    #[error("a threshold of {0} hit points is not possible, expected at most {MAX_HP_THRESHOLD}")]
    HpThreshold(u32),
    /// Terrain was drawn again and again, but a unit never found a free cell it can enter.
    #[error("in {MAX_ATTEMPTS} attempts there was no room for all units (at last for {kind}); allow more terrains or fewer units", kind = .0.name())]
    NoRoom(Kind),
}

impl Recipe {
    /// Whether there can be maps of this recipe.
    ///
    /// # Errors
    /// Says which field makes it impossible. [`GenerateError::NoRoom`] is not found here.
    pub fn check(&self) -> Result<(), GenerateError> {
        let &Self { width, height, units, turn_limit, hp_threshold, .. } = self;
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(GenerateError::Size { width, height });
        }
        if !(1..=MAX_UNITS).contains(&units) {
            return Err(GenerateError::Units(units));
        }
        if 2 * units > width * height {
            return Err(GenerateError::TooFewCells { units, cells: width * height });
        }
        if self.terrains.is_empty() {
            return Err(GenerateError::NoTerrain);
        }
        if self.hp.is_empty() || *self.hp.start() == 0 || *self.hp.end() > MAX_HP {
            return Err(GenerateError::Hp(self.hp.clone()));
        }
        if !(1..=MAX_TURN_LIMIT).contains(&turn_limit) {
            return Err(GenerateError::TurnLimit(turn_limit));
        }
        if hp_threshold > MAX_HP_THRESHOLD {
            return Err(GenerateError::HpThreshold(hp_threshold));
        }
        Ok(())
    }

    /// The kinds a unit can be.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| self.aircraft || !kind.flies()).collect()
    }

    /// The sides whose units are drawn; those of the other follow from them.
    #[must_use]
    pub const fn drawn_teams(&self) -> &'static [Team] {
        if self.is_symmetric { &[Team::Red] } else { &Team::ALL }
    }

    /// The cells that units can be drawn on.
    #[must_use]
    pub fn room(&self) -> Board {
        let all = Board::area(self.width, self.height);
        let is_middle = |&cell: &Cell| cell == cell.opposite(self.width, self.height);
        // Two units would stand in the middle.
        let middle = all.cells().find(is_middle).filter(|_| self.is_symmetric);
        middle.map_or(all, |cell| all - Board::of(cell))
    }

    /// The cells that a unit on this one leaves no room on.
    #[must_use]
    pub fn taken_by(&self, cell: Cell) -> Board {
        let opposite = if self.is_symmetric { cell.opposite(self.width, self.height) } else { cell };
        Board::of(cell) | Board::of(opposite)
    }

    /// Adds the units that follow from Red's.
    pub fn add_opposite(&self, units: &mut Vec<MapUnit>) {
        if self.is_symmetric {
            let opposite = |unit: &MapUnit| {
                let cell = unit.cell.opposite(self.width, self.height);
                MapUnit { cell, team: Team::Blue, ..*unit }
            };
            let blue: Vec<_> = units.iter().map(opposite).collect();
            units.extend(blue);
        }
    }

    fn describe(&self) -> String {
        let symmetric = if self.is_symmetric { " symmetric" } else { "" };
        let terrains: Vec<_> = self.terrains.iter().map(|&terrain| (terrain as u8).to_string()).collect();
        format!(
            "{}x{}{symmetric} units {} aircraft {} hp {}-{} terrains {}",
            self.width,
            self.height,
            self.units,
            if self.aircraft { "yes" } else { "no" },
            self.hp.start(),
            self.hp.end(),
            terrains.join(",")
        )
    }
}

/// Draws map number `index` of the run `seed`; the same numbers give the same map.
///
/// Each playable cell is a uniform terrain of the recipe. Then the units, first Red's: each is of a
/// uniform kind, has uniform hit points and stands on a uniform free cell it can enter. If there is no
/// such cell everything is drawn anew. On a symmetric map the second half of the cells and Blue's units follow from the
/// first and Red's.
///
/// # Errors
/// If the recipe is impossible, or if after [`MAX_ATTEMPTS`] attempts there was no room for the units.
pub fn generate(recipe: &Recipe, seed: u64, index: u64) -> Result<Map, GenerateError> {
    recipe.check()?;
    let mut rng = Rng::for_playout(seed, STREAM, index);
    let kinds = recipe.kinds();
    let mut crowded = kinds[0];
    for _ in 0..MAX_ATTEMPTS {
        let terrain = draw_terrain(recipe, &mut rng);
        match draw_units(recipe, &kinds, &terrain, &mut rng) {
            Ok(units) => {
                return Ok(Map {
                    width: recipe.width,
                    height: recipe.height,
                    terrain,
                    units,
                    turn_limit: recipe.turn_limit,
                    hp_threshold: recipe.hp_threshold,
                    author: Some("fairground".to_owned()),
                    comment: Some(format!("random map, seed {seed} index {index}, {}", recipe.describe())),
                });
            }
            Err(kind) => crowded = kind,
        }
    }
    Err(GenerateError::NoRoom(crowded))
}

fn pick<T: Copy>(from: &[T], rng: &mut Rng) -> T {
    from[rng.below(from.len() as u32) as usize]
}

fn draw_terrain(recipe: &Recipe, rng: &mut Rng) -> [Terrain; 64] {
    let mut terrain = [Terrain::NoEntry; 64];
    for cell in Board::area(recipe.width, recipe.height).cells() {
        let opposite = cell.opposite(recipe.width, recipe.height);
        terrain[cell.index() as usize] = if recipe.is_symmetric && opposite.index() < cell.index() {
            terrain[opposite.index() as usize]
        } else {
            pick(&recipe.terrains, rng)
        };
    }
    terrain
}

/// The units of both sides, or the kind that found no room.
fn draw_units(recipe: &Recipe, kinds: &[Kind], terrain: &[Terrain; 64], rng: &mut Rng) -> Result<Vec<MapUnit>, Kind> {
    let mut free = recipe.room();
    let (least, most) = (*recipe.hp.start(), *recipe.hp.end());
    let mut units = Vec::with_capacity(2 * recipe.units);
    for &team in recipe.drawn_teams() {
        for _ in 0..recipe.units {
            let kind = pick(kinds, rng);
            let hp = least + rng.below(u32::from(most - least) + 1) as u8;
            let open: Vec<Cell> = free.cells().filter(|cell| can_enter(kind, terrain[cell.index() as usize])).collect();
            if open.is_empty() {
                return Err(kind);
            }
            let cell = pick(&open, rng);
            free = free - recipe.taken_by(cell);
            units.push(MapUnit { cell, kind, team, hp, acted: false });
        }
    }
    recipe.add_opposite(&mut units);
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_keep_to_the_recipe() {
        let recipe = Recipe {
            width: 5,
            height: 7,
            units: 6,
            aircraft: false,
            terrains: vec![Terrain::Plain, Terrain::Mountain, Terrain::Sea],
            hp: 4..=6,
            ..Recipe::default()
        };
        for index in 0..200 {
            let map = generate(&recipe, 7, index).unwrap();
            assert_eq!((map.width, map.height), (5, 7));
            assert!(map.cells().all(|cell| recipe.terrains.contains(&map.terrain_at(cell))));
            assert!(Team::ALL.iter().all(|&team| map.side(team).count() == 6));
            let cells = map.units.iter().fold(Board::EMPTY, |cells, unit| cells | Board::of(unit.cell));
            assert_eq!(cells.len(), 12);
            assert!((cells - Board::area(5, 7)).is_empty());
            for unit in &map.units {
                assert!(!unit.kind.flies() && can_enter(unit.kind, map.terrain_at(unit.cell)));
                assert!((4..=6).contains(&unit.hp) && !unit.acted);
            }
        }
    }

    #[test]
    fn symmetric_maps_are_the_same_for_both_sides() {
        for (width, height, units) in [(6, 6, 4), (5, 5, 4), (3, 3, 4), (8, 3, 12), (1, 2, 1)] {
            let recipe = Recipe { width, height, units, is_symmetric: true, ..Recipe::default() };
            for index in 0..50 {
                let map = generate(&recipe, 11, index).unwrap();
                let same = |cell: Cell| map.terrain_at(cell) == map.terrain_at(cell.opposite(width, height));
                assert!(map.cells().all(same));
                let [red, blue] = Team::ALL.map(|team| map.side(team).copied().collect::<Vec<_>>());
                assert_eq!(red.len(), units);
                let turned =
                    |unit: &MapUnit| MapUnit { cell: unit.cell.opposite(width, height), team: Team::Red, ..*unit };
                assert_eq!(red, blue.iter().map(turned).collect::<Vec<_>>());
                let cells = map.units.iter().fold(Board::EMPTY, |cells, unit| cells | Board::of(unit.cell));
                assert_eq!(cells.len() as usize, 2 * units);
            }
        }
    }

    #[test]
    fn seeds_and_indices_give_different_maps() {
        let recipe = Recipe::default();
        let map = |seed, index| Map { comment: None, ..generate(&recipe, seed, index).unwrap() };
        assert_eq!(map(1, 2), map(1, 2));
        assert_ne!(map(1, 2), map(1, 3));
        assert_ne!(map(1, 2), map(2, 2));
    }

    #[test]
    fn every_kind_terrain_and_hit_point_turns_up() {
        let maps: Vec<_> = (0..100).map(|index| generate(&Recipe::default(), 3, index).unwrap()).collect();
        let units = || maps.iter().flat_map(|map| &map.units);
        assert!(Kind::ALL.iter().all(|&kind| units().any(|unit| unit.kind == kind)));
        assert!((1..=10).all(|hp| units().any(|unit| unit.hp == hp)));
        let has = |terrain| maps.iter().any(|map| map.cells().any(|cell| map.terrain_at(cell) == terrain));
        assert!(Terrain::ALL[1..].iter().all(|&terrain| has(terrain)));
        assert!(!maps.iter().any(|map| map.cells().any(|cell| map.terrain_at(cell) == Terrain::NoEntry)));
    }

    #[test]
    fn impossible_recipes_are_refused() {
        let refusal = |change: fn(&mut Recipe)| {
            let mut recipe = Recipe::default();
            change(&mut recipe);
            generate(&recipe, 0, 0).unwrap_err()
        };
        assert_eq!(refusal(|r| r.width = 0), GenerateError::Size { width: 0, height: 6 });
        assert_eq!(refusal(|r| r.height = 9), GenerateError::Size { width: 6, height: 9 });
        assert_eq!(refusal(|r| r.units = 17), GenerateError::Units(17));
        assert_eq!(refusal(|r| r.units = 0), GenerateError::Units(0));
        assert_eq!(refusal(|r| (r.width, r.height) = (1, 7)), GenerateError::TooFewCells { units: 4, cells: 7 });
        assert_eq!(refusal(|r| r.terrains.clear()), GenerateError::NoTerrain);
        assert_eq!(refusal(|r| r.hp = 0..=4), GenerateError::Hp(0..=4));
        assert_eq!(refusal(|r| r.hp = 4..=11), GenerateError::Hp(4..=11));
        assert_eq!(refusal(|r| r.turn_limit = 0), GenerateError::TurnLimit(0));
        assert_eq!(refusal(|r| r.hp_threshold = u32::MAX), GenerateError::HpThreshold(u32::MAX));
        let sea_only = refusal(|r| (r.aircraft, r.terrains) = (false, vec![Terrain::Sea]));
        assert!(matches!(sea_only, GenerateError::NoRoom(_)), "{sea_only}");
    }

    #[test]
    fn a_board_can_be_filled_to_the_last_cell() {
        let recipe = Recipe { width: 4, height: 8, units: 16, terrains: vec![Terrain::Plain], ..Recipe::default() };
        assert_eq!(generate(&recipe, 5, 5).unwrap().units.len(), 32);
    }
}
