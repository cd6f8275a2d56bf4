//! New maps from old ones.
//!
//! A map in evolution may have units where none can stand, as it comes of crossing and mutating: [`playable`] leaves them
//! out, [`repair`] finds them another place.

use fairground_kernels::rng::{Draws, Rng};
use fairground_kernels::tubstap::tables::MAX_UNITS;

use crate::games::tubstap::generate::Recipe;
use crate::games::tubstap::rules::can_enter;
use crate::games::tubstap::{Board, Cell, Map, MapUnit, Team};

/// The cells of a map in rows from the top, each from the left.
fn in_rows(map: &Map) -> impl Iterator<Item = Cell> + use<> {
    let (width, height) = (map.width, map.height);
    (0..height).flat_map(move |y| (0..width).filter_map(move |x| Cell::new(x, y)))
}

/// Two children of two maps of one size, which exchange all cells behind a cut, where the rows of the map are one line.
/// Units go with their cells.
#[must_use]
pub fn cross(parents: [&Map; 2], rng: &mut Rng) -> [Map; 2] {
    let cells = (parents[0].width * parents[0].height) as u32;
    let cut = 1 + rng.below((cells - 1).max(1)) as usize;
    exchange(parents, in_rows(parents[0]).skip(cut))
}

/// Two children of two maps of one size, which exchange the cells of a random rectangle: what stands together stays
/// together, above each other too.
#[must_use]
pub fn cross_rectangle(parents: [&Map; 2], rng: &mut Rng) -> [Map; 2] {
    let mut span = |size: usize| {
        let [one, other] = [(); 2].map(|()| rng.below(size as u32));
        one.min(other)..=one.max(other)
    };
    let (columns, rows) = (span(parents[0].width), span(parents[0].height));
    let is_within = |cell: &Cell| columns.contains(&cell.x()) && rows.contains(&cell.y());
    exchange(parents, in_rows(parents[0]).filter(is_within))
}

fn exchange(parents: [&Map; 2], cells: impl Iterator<Item = Cell>) -> [Map; 2] {
    let exchanged = cells.fold(Board::EMPTY, |board, cell| board | Board::of(cell));
    [[parents[0], parents[1]], [parents[1], parents[0]]].map(|[own, other]| {
        let mut child = own.clone();
        for cell in exchanged.cells() {
            child.terrain[cell.index() as usize] = other.terrain_at(cell);
        }
        child.units.retain(|unit| !exchanged.has(unit.cell));
        child.units.extend(other.units.iter().filter(|unit| exchanged.has(unit.cell)));
        tidy(&mut child);
        child
    })
}

/// Red's units before Blue's; of several on one cell the first, and no more than a side can have.
fn tidy(map: &mut Map) {
    map.units.sort_by_key(|unit| unit.team);
    let mut taken = Board::EMPTY;
    let mut room = [MAX_UNITS; 2];
    map.units.retain(|unit| {
        let room = &mut room[unit.team.index()];
        let is_kept = !taken.has(unit.cell) && *room > 0;
        if is_kept {
            taken |= Board::of(unit.cell);
            *room -= 1;
        }
        is_kept
    });
}

fn pick<T: Copy>(from: &[T], rng: &mut Rng) -> T {
    from[rng.below(from.len() as u32) as usize]
}

fn any_hp(recipe: &Recipe, rng: &mut Rng) -> u8 {
    let (least, most) = (*recipe.hp.start(), *recipe.hp.end());
    least + rng.below(u32::from(most - least) + 1) as u8
}

/// Changes every gene with a probability of so many in a thousand: the terrain of every cell; column, row, kind, team, hit
/// points and flag of every unit.
pub fn mutate(map: &mut Map, recipe: &Recipe, in_a_thousand: u32, rng: &mut Rng) {
    let kinds = recipe.kinds();
    let is_hit = |rng: &mut Rng| rng.below(1000) < in_a_thousand;
    for cell in in_rows(map) {
        if is_hit(rng) {
            map.terrain[cell.index() as usize] = pick(&recipe.terrains, rng);
        }
    }
    for unit in &mut map.units {
        let x = if is_hit(rng) { rng.below(map.width as u32) } else { unit.cell.x() };
        let y = if is_hit(rng) { rng.below(map.height as u32) } else { unit.cell.y() };
        unit.cell = Cell::new(x as usize, y as usize).unwrap_or(unit.cell);
        if is_hit(rng) {
            unit.kind = pick(&kinds, rng);
        }
        if is_hit(rng) {
            unit.team = pick(&Team::ALL, rng);
        }
        if is_hit(rng) {
            unit.hp = any_hp(recipe, rng);
        }
        if is_hit(rng) {
            unit.acted = rng.below(2) == 1;
        }
    }
    tidy(map);
}

/// Makes one to `most` changes: the terrain of a cell, or the place, kind or hit points of a unit.
pub fn tweak(map: &mut Map, recipe: &Recipe, most: u32, rng: &mut Rng) {
    let kinds = recipe.kinds();
    let cells: Vec<Cell> = in_rows(map).collect();
    for _ in 0..=rng.below(most) {
        if map.units.is_empty() || rng.below(4) == 0 {
            change_terrain(map, &cells, recipe, rng);
            continue;
        }
        let unit = any_unit(map, recipe, rng);
        match rng.below(5) {
            0 => unit.cell = pick(&cells, rng),
            1 => step(unit, &cells, rng),
            2 => unit.kind = pick(&kinds, rng),
            3 => unit.hp = any_hp(recipe, rng),
            _ => add_hp(unit, rng.below(2) == 0, recipe),
        }
    }
}

/// Makes one of the smallest changes: the terrain of a cell, a step of a unit, or a hit point more for the weaker side or
/// less for the other.
pub fn nudge(map: &mut Map, recipe: &Recipe, weaker: Team, rng: &mut Rng) {
    let cells: Vec<Cell> = in_rows(map).collect();
    if map.units.is_empty() || rng.below(2) == 0 {
        return change_terrain(map, &cells, recipe, rng);
    }
    let unit = any_unit(map, recipe, rng);
    if rng.below(2) == 0 {
        step(unit, &cells, rng);
    } else {
        add_hp(unit, unit.team == weaker, recipe);
    }
}

fn change_terrain(map: &mut Map, cells: &[Cell], recipe: &Recipe, rng: &mut Rng) {
    let cell = pick(cells, rng);
    let terrain = pick(&recipe.terrains, rng);
    map.terrain[cell.index() as usize] = terrain;
    if recipe.is_symmetric {
        map.terrain[cell.opposite(map.width, map.height).index() as usize] = terrain;
    }
}

/// On a symmetric map Red's units come first and Blue's follow from them.
fn any_unit<'m>(map: &'m mut Map, recipe: &Recipe, rng: &mut Rng) -> &'m mut MapUnit {
    let number = rng.below((map.units.len() * recipe.drawn_teams().len() / 2).max(1) as u32);
    &mut map.units[number as usize]
}

fn step(unit: &mut MapUnit, cells: &[Cell], rng: &mut Rng) {
    let near: Vec<Cell> = cells.iter().copied().filter(|cell| cell.distance(unit.cell) == 1).collect();
    if !near.is_empty() {
        unit.cell = pick(&near, rng);
    }
}

fn add_hp(unit: &mut MapUnit, is_more: bool, recipe: &Recipe) {
    if is_more && unit.hp < *recipe.hp.end() {
        unit.hp += 1;
    } else if !is_more && unit.hp > *recipe.hp.start() {
        unit.hp -= 1;
    }
}

/// The map without the units that cannot stand where they are.
#[must_use]
pub fn playable(map: &Map) -> Map {
    let mut map = map.clone();
    let terrain = map.terrain;
    map.units.retain(|unit| can_enter(unit.kind, terrain[unit.cell.index() as usize]));
    map
}

/// Gives each side its number of units, each in a place of its own where it can stand: surplus units go, missing ones
/// are drawn, and misplaced ones move to the nearest free cell they can enter. Units that find no place at all are
/// left out.
pub fn repair(map: &mut Map, recipe: &Recipe, rng: &mut Rng) {
    let kinds = recipe.kinds();
    let cells: Vec<Cell> = in_rows(map).collect();
    let mut units = Vec::with_capacity(2 * recipe.units);
    for &team in recipe.drawn_teams() {
        let mut side: Vec<MapUnit> = map.side(team).copied().collect();
        while side.len() > recipe.units {
            side.remove(rng.below(side.len() as u32) as usize);
        }
        while side.len() < recipe.units {
            let (cell, kind, hp) = (pick(&cells, rng), pick(&kinds, rng), any_hp(recipe, rng));
            side.push(MapUnit { cell, kind, team, hp, acted: false });
        }
        units.append(&mut side);
    }
    let mut free = recipe.room();
    map.units.clear();
    for mut unit in units {
        let open = free.cells().filter(|&cell| can_enter(unit.kind, map.terrain[cell.index() as usize]));
        let Some(cell) = open.min_by_key(|cell| cell.distance(unit.cell)) else { continue };
        free = free - recipe.taken_by(cell);
        unit.cell = cell;
        map.units.push(unit);
    }
    recipe.add_opposite(&mut map.units);
}
