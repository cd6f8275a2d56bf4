//! The cards on the table of one lane, and the free cells that a path leads into.
//!
//! A card that is laid changes only its four neighbours, so the free cells are kept in a list from turn to turn, each
//! with the set of all cards that fit there. Only a rock-fall, and a card laid while there are islands, look at the
//! whole table again.
//!
//! ```text
//! a cell, 16 bits    0-3 openings of its card   4 a card lies face up   5 passable   6 near: reached, or if it is free
//!                    in the list   7 a goal face down   8-11 sides where a neighbour is open   12-15 sides with a wall
//! the list, 32 bits  0-15 the openings that fit   16-27 number of the cell
//! ```

use super::packed::{CARD_CELL, CARD_TURNED, CELL_ROW_BITS, NO_CARD, Packed, cell_at, cell_number};
use super::tables::{
    Extent, FIRST_BLOCKED, FITS, GOAL_X, GOAL_Y, GOALS, GOLD_FACE, MASKS, PATH_CARDS, PATH_KINDS, SIDES, half_turn,
};

const LAID: u16 = 1 << 4;
const PASSABLE: u16 = 1 << 5;
const NEAR: u16 = 1 << 6;
const HIDDEN: u16 = 1 << 7;
/// What the neighbours ask of a cell, whatever lies there.
const EDGES: u16 = 0xff00;
/// The edge of a neighbour that is open to the left side of a cell; the others are the next bits.
const OPEN_EDGE: u16 = 1 << 8;
/// The same for a neighbour with a wall.
const WALL_EDGE: u16 = 1 << 12;

/// Numbers of cells are 12 bits.
const CELLS: usize = 1 << (2 * CELL_ROW_BITS);
/// The most free cells that a path can lead into. Every card that is laid takes one and adds one for each opening
/// but the one it is entered by: 4 of the start, 2 for each of 5 crossings, 1 for each of 10 T. Goals with a face that
/// no goal has can add two each.
pub const PLACES: usize = 32;
const _: () = assert!(4 + 2 * 5 + 10 + 2 * GOALS <= PLACES && PLACES == u32::BITS as usize);

/// What is added to the number of a cell to get to the next one on each side.
const STEPS: [usize; SIDES] = [CELLS - (1 << CELL_ROW_BITS), 1, 1 << CELL_ROW_BITS, CELLS - 1];
const START: u32 = cell_number(0, 0);
const GOAL_CELLS: [usize; GOALS] = [
    cell_number(GOAL_X, GOAL_Y[0]) as usize,
    cell_number(GOAL_X, GOAL_Y[1]) as usize,
    cell_number(GOAL_X, GOAL_Y[2]) as usize,
];

/// First bit of the number of a cell in the list.
pub const PLACE_CELL: u32 = 16;

/// The openings of a card of a kind as it is laid.
#[inline]
pub const fn laid_mask(kind: usize, is_turned: bool) -> u8 {
    let mask = MASKS[kind % PATH_KINDS];
    if is_turned { half_turn(mask) } else { mask }
}

/// The number of the next cell on a side.
#[inline]
pub const fn neighbour(cell: usize, side: usize) -> usize {
    (cell + STEPS[side % SIDES]) % CELLS
}

/// What lies on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Free,
    /// A goal face down.
    Hidden(usize),
    /// A card face up.
    Laid {
        /// Its openings.
        mask: u8,
        /// Whether its centre is blocked.
        is_blocked: bool,
        /// Whether a path leads to it.
        is_reached: bool,
    },
}

/// The cards on the table of one lane.
#[derive(Clone, Debug)]
pub struct Ground {
    cells: [u16; CELLS],
    /// The free cells that a path leads into, in any order; then zeros.
    pub places: [u32; PLACES],
    /// How many there are.
    pub count: usize,
    /// Where each of them is in the list.
    index_of: [u8; CELLS],
    /// The words of the list that have changed, one bit each, since somebody [asked](Self::take_changes).
    changes: u32,
    /// Whether all of them are where [`NARROW_SCALE`](super::tables::NARROW_SCALE) divides the distances.
    pub is_narrow: bool,
    /// The path cards on the table as [`Packed::cards`] has them, in any order.
    cards: [u32; PATH_CARDS],
    cards_laid: usize,
    /// How many passable cards of each kind are on the table, four bits each.
    pub laid_kinds: u32,
    /// The goals, as [`Packed`] has them.
    pub goals: u32,
    /// The goals face up.
    pub face_up: u32,
    turned: u32,
    /// Whether there are passable cards that no path leads to.
    has_islands: bool,
    extent: Extent,
    /// The columns where something may be besides empty cells.
    used: [usize; 2],
}

impl Ground {
    /// A table that has still to be [set](Self::set).
    pub const NONE: Self = Self {
        cells: [0; CELLS],
        places: [0; PLACES],
        count: 0,
        index_of: [0; CELLS],
        changes: 0,
        is_narrow: true,
        cards: [NO_CARD; PATH_CARDS],
        cards_laid: 0,
        laid_kinds: 0,
        goals: 0,
        face_up: 0,
        turned: 0,
        has_islands: false,
        extent: Extent::WIDEST,
        used: [0, 0],
    };

    /// Puts the cards of a position on the table.
    pub fn set(&mut self, packed: &Packed) {
        let [left, right, bottom, top] = packed.extent.to_le_bytes().map(|edge| edge as i8);
        self.clear(Extent { left, right, bottom, top }, packed.goals);
        for &word in packed.cards.iter().take_while(|&&word| word != NO_CARD) {
            let kind = word as usize % PATH_KINDS;
            self.add_card(kind, word);
            let mask = laid_mask(kind, word >> CARD_TURNED & 1 != 0);
            self.put((word >> CARD_CELL) as usize, mask, kind < FIRST_BLOCKED);
        }
        self.face_up = packed.face_up;
        self.turned = packed.turned;
        for (goal, cell) in GOAL_CELLS.into_iter().enumerate() {
            if packed.face_up >> goal & 1 != 0 {
                let face = (packed.goals >> (4 * goal)) as u8 & 15;
                let mask = if packed.turned >> goal & 1 != 0 { half_turn(face) } else { face };
                self.put(cell, mask, true);
            }
        }
        self.find_places();
    }

    /// The table of a new round on the same board.
    pub fn set_new_round(&mut self) {
        self.clear(self.extent, 0);
        self.find_places();
    }

    /// The start and three goals face down.
    fn clear(&mut self, extent: Extent, goals: u32) {
        let [first, last] = self.used;
        self.cells[first << CELL_ROW_BITS..(last + 1) << CELL_ROW_BITS].fill(0);
        self.used = [(START >> CELL_ROW_BITS) as usize; 2];
        self.extent = extent;
        self.cards_laid = 0;
        self.laid_kinds = 0;
        (self.goals, self.face_up, self.turned) = (goals, 0, 0);
        for cell in GOAL_CELLS {
            self.use_column(cell);
            self.cells[cell] = HIDDEN;
        }
        self.put(START as usize, 15, true);
    }

    /// Notes that a cell and its neighbours are in use.
    #[inline]
    fn use_column(&mut self, cell: usize) {
        let column = cell >> CELL_ROW_BITS;
        let [first, last] = self.used;
        self.used = [first.min(column.saturating_sub(1)), last.max((column + 1).min((1 << CELL_ROW_BITS) - 1))];
    }

    fn add_card(&mut self, kind: usize, word: u32) {
        self.cards[self.cards_laid % PATH_CARDS] = word;
        self.cards_laid += 1;
        if kind < FIRST_BLOCKED {
            self.laid_kinds += 1 << (4 * kind);
        }
    }

    /// The path cards on the table as [`Packed::cards`] has them.
    pub fn cards(&self) -> &[u32] {
        &self.cards[..self.cards_laid.min(PATH_CARDS)]
    }

    /// Writes the table into a position.
    pub fn write(&self, packed: &mut Packed) {
        packed.cards = [NO_CARD; PATH_CARDS];
        packed.cards[..self.cards().len()].copy_from_slice(self.cards());
        packed.cards.sort_unstable_by_key(|card| (card >> CARD_CELL, *card));
        (packed.goals, packed.face_up, packed.turned) = (self.goals, self.face_up, self.turned);
    }

    /// Puts a card face up on a cell. What is reached is not computed.
    fn put(&mut self, cell: usize, mask: u8, is_passable: bool) {
        let cell = cell % CELLS;
        self.use_column(cell);
        let passable = if is_passable { PASSABLE } else { 0 };
        self.cells[cell] = self.cells[cell] & EDGES | LAID | passable | u16::from(mask);
        for side in 0..SIDES {
            let edge = if mask >> side & 1 != 0 { OPEN_EDGE } else { WALL_EDGE };
            self.cells[neighbour(cell, side)] |= edge << (side ^ 2);
        }
    }

    /// What lies on a cell.
    #[inline]
    pub fn at(&self, cell: usize) -> Cell {
        let here = self.cells[cell % CELLS];
        if here & LAID != 0 {
            let mask = here as u8 & 15;
            Cell::Laid { mask, is_blocked: here & PASSABLE == 0, is_reached: here & NEAR != 0 }
        } else if here & HIDDEN != 0 {
            Cell::Hidden(GOAL_CELLS.iter().position(|&goal| goal == cell).unwrap_or(0))
        } else {
            Cell::Free
        }
    }

    /// The sides of a cell where neighbours are open, and where they have a wall.
    #[inline]
    pub const fn edges(&self, cell: usize) -> [u8; 2] {
        let edges = (self.cells[cell % CELLS] >> 8) as u8;
        [edges & 15, edges >> 4]
    }

    /// The sides from which a reached card opens into a cell.
    pub fn paths_into(&self, cell: usize) -> u8 {
        let mut sides = 0;
        for side in 0..SIDES {
            let next = self.cells[neighbour(cell, side)];
            let leads_here = next & (LAID | NEAR) == LAID | NEAR && next >> (side ^ 2) & 1 != 0;
            sides |= u8::from(leads_here) << side;
        }
        sides
    }

    /// Whether a card may lie on a cell.
    #[inline]
    pub fn is_on_board(&self, cell: usize) -> bool {
        let (x, y) = cell_at(cell as u32);
        self.extent.contains(x, y)
    }

    /// The word of the list for a cell.
    #[inline]
    fn place(&mut self, cell: usize) -> u32 {
        let (x, y) = cell_at(cell as u32);
        self.is_narrow &= Extent::NARROW.contains(x, y);
        (cell as u32) << PLACE_CELL | u32::from(FITS[usize::from(self.cells[cell % CELLS] >> 8)])
    }

    /// Changes a word of the list.
    #[inline]
    fn set_place(&mut self, index: usize, place: u32) {
        self.places[index % PLACES] = place;
        self.changes |= 1 << (index % PLACES);
    }

    /// Takes a cell from the list; the last one takes its place.
    #[inline]
    fn take_place(&mut self, cell: usize) {
        let index = usize::from(self.index_of[cell % CELLS]);
        if self.places[index % PLACES] >> PLACE_CELL == cell as u32 && self.count > 0 {
            self.count -= 1;
            let last = self.places[self.count % PLACES];
            self.set_place(index, last);
            self.index_of[(last >> PLACE_CELL) as usize % CELLS] = index as u8;
            self.set_place(self.count, 0);
        }
    }

    /// Adds a cell to the list.
    #[inline]
    fn add_place(&mut self, cell: usize) {
        if self.count < PLACES {
            let place = self.place(cell);
            self.index_of[cell % CELLS] = self.count as u8;
            self.set_place(self.count, place);
            self.count += 1;
        }
    }

    /// The words of the list that have changed since the last time, one bit each.
    #[inline]
    pub const fn take_changes(&mut self) -> u32 {
        std::mem::replace(&mut self.changes, 0)
    }

    /// The list column by column, each from the bottom.
    pub fn sorted_places(&self) -> ([u32; PLACES], usize) {
        let (mut places, count) = (self.places, self.count.min(PLACES));
        places[..count].sort_unstable();
        (places, count)
    }

    /// Lays a card of a kind on a cell of the list. If it is passable it turns the goals that it opens to. Returns
    /// whether the gold was among them.
    pub fn lay(&mut self, cell: usize, kind: usize, is_turned: bool) -> bool {
        let mask = laid_mask(kind, is_turned);
        let is_passable = kind < FIRST_BLOCKED;
        self.add_card(kind, kind as u32 | u32::from(is_turned) << CARD_TURNED | (cell as u32) << CARD_CELL);
        self.take_place(cell);
        self.lay_mask(cell, mask, is_passable, is_passable);
        if !is_passable {
            return false;
        }
        if self.has_islands {
            self.find_places();
        }
        cell >> CELL_ROW_BITS >= (GOAL_CELLS[0] >> CELL_ROW_BITS) - 1 && self.turn_goals(cell, mask)
    }

    /// Puts a card face up and tells the neighbours in the list; adds those it opens to if it is reached.
    fn lay_mask(&mut self, cell: usize, mask: u8, is_passable: bool, is_reached: bool) {
        let cell = cell % CELLS;
        self.use_column(cell);
        let mut card = LAID | u16::from(mask);
        card |= if is_passable { PASSABLE } else { 0 };
        card |= if is_reached { NEAR } else { 0 };
        self.cells[cell] = self.cells[cell] & EDGES | card;
        for side in 0..SIDES {
            let is_open = mask >> side & 1 != 0;
            let next = neighbour(cell, side);
            let before = self.cells[next];
            let edge = if is_open { OPEN_EDGE } else { WALL_EDGE };
            self.cells[next] = before | edge << (side ^ 2);
            if before & (LAID | HIDDEN) != 0 {
                continue;
            }
            if before & NEAR != 0 {
                let place = self.place(next);
                self.set_place(self.index_of[next].into(), place);
            } else if is_reached && is_open && self.is_on_board(next) {
                self.cells[next] |= NEAR;
                self.add_place(next);
            }
        }
    }

    /// Turns the goals that a reached card opens to; returns whether the gold is among them.
    fn turn_goals(&mut self, cell: usize, mask: u8) -> bool {
        let mut has_gold = false;
        for (goal, goal_cell) in GOAL_CELLS.into_iter().enumerate() {
            let Some(side) = (0..SIDES).find(|&side| neighbour(cell, side) == goal_cell) else { continue };
            if mask >> side & 1 == 0 || self.face_up >> goal & 1 != 0 {
                continue;
            }
            let face = (self.goals >> (4 * goal)) as u8 & 15;
            let is_turned = face >> (side ^ 2) & 1 == 0 && half_turn(face) >> (side ^ 2) & 1 != 0;
            let goal_mask = if is_turned { half_turn(face) } else { face };
            let is_reached = goal_mask >> (side ^ 2) & 1 != 0;
            self.face_up |= 1 << goal;
            self.turned |= u32::from(is_turned) << goal;
            self.lay_mask(goal_cell, goal_mask, true, is_reached);
            if !is_reached {
                self.has_islands = true;
            } else if self.has_islands {
                self.find_places();
            }
            has_gold |= face == GOLD_FACE;
        }
        has_gold
    }

    /// Takes a card from the table.
    pub fn remove(&mut self, cell: usize) {
        let cell = cell % CELLS;
        let Some(index) = self.cards().iter().position(|card| card >> CARD_CELL == cell as u32) else { return };
        let kind = self.cards[index] as usize % PATH_KINDS;
        if kind < FIRST_BLOCKED {
            self.laid_kinds -= 1 << (4 * kind);
        }
        self.cards_laid -= 1;
        self.cards[index] = self.cards[self.cards_laid % PATH_CARDS];
        self.cells[cell] &= EDGES;
        for side in 0..SIDES {
            self.cells[neighbour(cell, side)] &= !((OPEN_EDGE | WALL_EDGE) << (side ^ 2));
        }
        self.find_places();
    }

    /// Finds what is reached and the free cells that a path leads into, from nothing but the cards.
    fn find_places(&mut self) {
        let [first, last] = self.used;
        self.cells[first << CELL_ROW_BITS..(last + 1) << CELL_ROW_BITS].iter_mut().for_each(|cell| *cell &= !NEAR);
        self.places = [0; PLACES];
        self.count = 0;
        self.changes = u32::MAX;
        self.is_narrow = true;
        // Every card and goal is on the stack once at most.
        let mut stack = [START as usize; 1 + PATH_CARDS + GOALS];
        let mut depth = 1;
        let mut reached = 0;
        self.cells[START as usize] |= NEAR;
        while depth > 0 {
            depth -= 1;
            reached += 1;
            let cell = stack[depth];
            let card = self.cells[cell];
            for side in 0..SIDES {
                let next = neighbour(cell, side);
                let there = self.cells[next];
                if card >> side & 1 == 0 || there & (NEAR | HIDDEN) != 0 {
                    continue;
                }
                if there & LAID == 0 {
                    if self.is_on_board(next) {
                        self.cells[next] |= NEAR;
                        self.add_place(next);
                    }
                } else if there & PASSABLE != 0 && there >> (side ^ 2) & 1 != 0 {
                    self.cells[next] |= NEAR;
                    stack[depth % stack.len()] = next;
                    depth += 1;
                }
            }
        }
        let passable = self.cards().iter().filter(|&&card| (card as usize % PATH_KINDS) < FIRST_BLOCKED).count();
        self.has_islands = reached != 1 + passable + self.face_up.count_ones() as usize;
    }
}
