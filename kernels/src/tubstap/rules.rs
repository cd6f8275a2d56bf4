//! The rules, for all lanes at once: same functions in the same order as the rules engine's.
//!
//! `H` is the number of groups of eight units a side can have: 1 or 2.

use fearless_simd::Simd;

use super::packed::DEAD;
use super::tables::{
    BASE_RESISTANCE, BASE_STRENGTH, CANNON, FIRST_GROUND_KIND, INFANTRY, KINDS, MAX_MOVE, MOVES, POWER,
};
use crate::lanes::{BoardMask, Boards, WordMask, Words};

/// The units of one side.
#[derive(Clone, Copy)]
pub(super) struct Side<S: Simd, const H: usize> {
    /// Living units by cell.
    pub occupied: Boards<S>,
    /// Cell of each unit by byte, with [`DEAD`] if it is not alive.
    pub cells: [Boards<S>; H],
    /// Hit points by nibble.
    pub hp: [Words<S>; H],
    /// Kinds by nibble.
    pub kinds: [Words<S>; H],
    /// Living units by number.
    pub alive: Words<S>,
    /// Living units that can act in their side's current or next phase, by number.
    pub ready: Words<S>,
}

/// One unit of every lane.
#[derive(Clone, Copy)]
pub(super) struct Unit<S: Simd> {
    pub number: Words<S>,
    pub kind: Words<S>,
    pub hp: Words<S>,
    pub cell: Words<S>,
}

impl<S: Simd, const H: usize> Side<S, H> {
    /// The unit with this number in each lane.
    #[inline(always)]
    pub fn unit(&self, number: Words<S>) -> Unit<S> {
        let (mut cells, mut kinds, mut hp) = (self.cells[0], self.kinds[0], self.hp[0]);
        if H == 2 {
            let second = number.above(7);
            cells = second.widen().select(self.cells[H - 1], cells);
            kinds = second.select(self.kinds[H - 1], kinds);
            hp = second.select(self.hp[H - 1], hp);
        }
        let nibble = (number & 7) << 2;
        let cell = ((cells >> (nibble << 1).widen()) & 63).narrow();
        Unit { number, kind: (kinds >> nibble) & 15, hp: (hp >> nibble) & 15, cell }
    }

    /// Changes the cell byte of a unit by exclusive or.
    #[inline(always)]
    fn change_cell(&mut self, number: Words<S>, change: Words<S>) {
        let change = change.widen() << ((number & 7) << 3).widen();
        if H == 1 {
            self.cells[0] = self.cells[0] ^ change;
        } else {
            let second = number.above(7).widen();
            self.cells[0] = self.cells[0] ^ second.select(change.zero(), change);
            self.cells[H - 1] = self.cells[H - 1] ^ second.keep(change);
        }
    }

    /// Takes hit points from a unit; where `dead`, takes the unit from the board.
    #[inline(always)]
    fn hurt(&mut self, unit: &Unit<S>, cell: Boards<S>, points: Words<S>, dead: WordMask<S>) {
        let loss = points << ((unit.number & 7) << 2);
        if H == 1 {
            self.hp[0] = self.hp[0] - loss;
        } else {
            let second = unit.number.above(7);
            self.hp[0] = self.hp[0] - second.select(loss.zero(), loss);
            self.hp[H - 1] = self.hp[H - 1] - second.keep(loss);
        }
        let one = unit.number.zero() + 1;
        let survivors = !dead.keep(one << unit.number);
        self.alive = self.alive & survivors;
        self.ready = self.ready & survivors;
        self.occupied = self.occupied & !dead.widen().keep(cell);
        self.change_cell(unit.number, dead.keep(unit.number.zero() + u32::from(DEAD)));
    }
}

/// Terrain, sorted by what the rules ask of it.
#[derive(Clone, Copy)]
pub(super) struct Ground<S: Simd> {
    pub open: Boards<S>,
    pub flat: Boards<S>,
    pub wood: Boards<S>,
    pub mountain: Boards<S>,
    /// Cells with 1 or 4 stars: one star, to which [`plus_three`](Self::plus_three) adds.
    pub plus_one: Boards<S>,
    /// Cells with 3 or 4 stars.
    pub plus_three: Boards<S>,
}

/// The attacks of one unit in every lane: byte e of group h holds enemy 8 h + e, bit d of it the direction.
pub(super) type Attacks<S, const H: usize> = [Boards<S>; H];

/// A byte with bit y set, by row y; the upper half is for dead units.
const ROW: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
/// The row above.
const ROW_ABOVE: [u8; 16] = [0, 1, 2, 4, 8, 16, 32, 64, 0, 0, 0, 0, 0, 0, 0, 0];
/// The row below.
const ROW_BELOW: [u8; 16] = [2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0];

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// Movement budgets by nibble.
const BUDGETS: u32 = {
    let (mut word, mut kind) = (0, 0);
    while kind < KINDS {
        word |= (MOVES[kind] as u32) << (4 * kind);
        kind += 1;
    }
    word
};

/// Whether some kind's budget is exactly this.
const fn is_a_budget(moves: u8) -> bool {
    let mut kind = 0;
    while kind < KINDS {
        if MOVES[kind] == moves {
            return true;
        }
        kind += 1;
    }
    false
}

/// Attack powers of two attackers, eight bytes each.
const fn power_rows(first: usize) -> [u8; 16] {
    let mut rows = [0; 16];
    let mut defender = 0;
    while defender < KINDS {
        rows[defender] = POWER[first][defender];
        rows[8 + defender] = POWER[first + 1][defender];
        defender += 1;
    }
    rows
}

static POWER_01: [u8; 16] = power_rows(0);
static POWER_23: [u8; 16] = power_rows(2);
static POWER_45: [u8; 16] = power_rows(4);

/// The neighbours of every cell of the boards.
#[inline(always)]
fn neighbours<S: Simd>(boards: Boards<S>) -> Boards<S> {
    let vertical = ((boards << 1) & 0xfefe_fefe_fefe_fefe) | ((boards >> 1) & 0x7f7f_7f7f_7f7f_7f7f);
    (boards << 8) | (boards >> 8) | vertical
}

impl<S: Simd> Ground<S> {
    /// The cells a unit can end its move on.
    #[inline(always)]
    pub fn destinations<const H: usize>(&self, own: &Side<S, H>, enemy: &Side<S, H>, unit: &Unit<S>) -> Boards<S> {
        let free = !enemy.occupied;
        let kind = unit.kind.widen();
        let flies = (kind >> 1).is(0);
        let climbs = kind.is(INFANTRY as u64);
        let on_foot = climbs.select(self.flat | self.wood, self.flat);
        let mut cost_1 = flies.select(self.open, on_foot) & free;
        let slow = climbs.select(self.mountain, self.wood);
        let mut cost_2 = flies.select(slow.zero(), slow) & free;

        let budget = (Words::splat(self.simd(), BUDGETS) >> (unit.kind << 2)) & 15;
        let own_cell = Boards::splat(self.simd(), 1) << unit.cell.widen();
        let mut reached = own_cell;
        let mut one_ago = own_cell.zero();
        for spent in 0..MAX_MOVE {
            if is_a_budget(spent) {
                let going = budget.above(spent.into());
                if !going.any() {
                    break;
                }
                let going = going.widen();
                cost_1 = going.keep(cost_1);
                cost_2 = going.keep(cost_2);
            }
            let around = neighbours(reached);
            reached = reached | (around & cost_1) | (one_ago & cost_2);
            one_ago = around;
        }
        (reached & !own.occupied) | own_cell
    }

    /// The attacks a unit can make, given its destinations.
    #[inline(always)]
    pub fn attacks<const H: usize>(
        &self,
        enemy: &Side<S, H>,
        unit: &Unit<S>,
        destinations: Boards<S>,
    ) -> Attacks<S, H> {
        let cannon = unit.kind.is(CANNON as u32);
        let any_cannon = cannon.any();
        let to_the_right = destinations >> 8;
        let to_the_left = destinations << 8;
        let mut attacks = enemy.cells;
        for attacks in &mut attacks {
            let cells = *attacks;
            let shifted = cells >> 3;
            let column = shifted & (7 * EACH_BYTE);
            let row_index = (cells & (7 * EACH_BYTE)) | (shifted & (8 * EACH_BYTE));
            let row = row_index.look_up(&ROW);
            let here = destinations.pick_bytes(column);
            let right = flag_bytes(to_the_right.pick_bytes(column) & row, 1);
            let up = flag_bytes(here & row_index.look_up(&ROW_ABOVE), 2);
            let left = flag_bytes(to_the_left.pick_bytes(column) & row, 4);
            let down = flag_bytes(here & row_index.look_up(&ROW_BELOW), 8);
            *attacks = (right | up) | (left | down);
            if any_cannon {
                let (dx, dy) = bytes_apart(cells, unit.cell);
                let two = Boards::splat(self.simd(), 2 * EACH_BYTE);
                let in_range = ((dx + dy) & (0xfe * EACH_BYTE)).bytes_equal(two) & flag_bytes(row, 1);
                *attacks = cannon.widen().select(in_range, *attacks);
            }
        }
        attacks
    }

    /// Stars that protect a unit of this kind on this cell.
    #[inline(always)]
    fn stars(&self, kind: Words<S>, cell: Boards<S>) -> Words<S> {
        let code = ((self.plus_one >> cell) & 1) | (((self.plus_three >> cell) & 1) << 1);
        let code = code.narrow();
        kind.above(FIRST_GROUND_KIND as u32 - 1).keep(code + (code >> 1))
    }

    /// The unit goes to a cell and, in the lanes of `attacking`, attacks a unit of the other side.
    #[inline(always)]
    pub fn act<const H: usize>(
        &self,
        own: &mut Side<S, H>,
        enemy: &mut Side<S, H>,
        unit: &Unit<S>,
        to: Words<S>,
        attacking: WordMask<S>,
        target: &Unit<S>,
    ) {
        let one = Boards::splat(self.simd(), 1);
        let to_wide = to.widen();
        let to_board = one << to_wide;
        own.occupied = (own.occupied & !(one << unit.cell.widen())) | to_board;
        own.change_cell(unit.number, unit.cell ^ to);
        own.ready = own.ready & !(Words::splat(self.simd(), 1) << unit.number);
        if !attacking.any() {
            return;
        }

        let target_wide = target.cell.widen();
        let strike = attacking.keep(self.strike(unit, unit.hp, target, target.hp, target_wide));
        let left = target.hp - strike;
        let killed = attacking & left.is(0);
        let direct = !(unit.kind.is(CANNON as u32) | target.kind.is(CANNON as u32));
        let countering = attacking & direct & left.above(0);
        let counter = countering.keep(self.strike(target, left, unit, unit.hp, to_wide));
        enemy.hurt(target, one << target_wide, strike, killed);
        own.hurt(unit, to_board, counter, counter.equals(unit.hp));
    }

    /// Damage one unit with so many hit points does to another.
    #[inline(always)]
    fn strike(
        &self,
        attacker: &Unit<S>,
        attacker_hp: Words<S>,
        defender: &Unit<S>,
        defender_hp: Words<S>,
        cell: Boards<S>,
    ) -> Words<S> {
        let (strength, resistance) = self.odds(attacker, attacker_hp, defender, defender_hp, cell);
        quotient_below_16(strength, resistance).least(defender_hp)
    }

    /// The two sides of the damage fraction.
    #[inline(always)]
    pub fn odds(
        &self,
        attacker: &Unit<S>,
        attacker_hp: Words<S>,
        defender: &Unit<S>,
        defender_hp: Words<S>,
        cell: Boards<S>,
    ) -> (Words<S>, Words<S>) {
        let strength = power(attacker.kind, defender.kind) * attacker_hp + BASE_STRENGTH;
        (strength, self.stars(defender.kind, cell) * defender_hp + BASE_RESISTANCE)
    }

    #[inline(always)]
    fn simd(&self) -> S {
        self.open.simd()
    }
}

/// Columns and rows between each of eight cells and one cell, by byte. Dead units come out far away.
#[inline(always)]
pub(super) fn bytes_apart<S: Simd>(cells: Boards<S>, cell: Words<S>) -> (Boards<S>, Boards<S>) {
    let column = (cell >> 3).widen().spread_byte();
    let row = (cell & 7).widen().spread_byte();
    (((cells >> 3) & (15 * EACH_BYTE)).bytes_apart(column), (cells & (7 * EACH_BYTE)).bytes_apart(row))
}

/// `flag` in every byte that is not 0.
#[inline(always)]
fn flag_bytes<S: Simd>(bytes: Boards<S>, flag: u64) -> Boards<S> {
    !bytes.bytes_equal(bytes.zero()) & (flag * EACH_BYTE)
}

/// Attack power by kinds.
#[inline(always)]
fn power<S: Simd>(attacker: Words<S>, defender: Words<S>) -> Words<S> {
    let index = ((attacker << 3) | defender) & 15;
    let two_or_more = attacker.above(1).select(index.look_up(&POWER_23), index.look_up(&POWER_01));
    attacker.above(3).select(index.look_up(&POWER_45), two_or_more) & 0xff
}

/// `floor(a / b)` where it is below 16, by long division.
#[inline(always)]
fn quotient_below_16<S: Simd>(a: Words<S>, b: Words<S>) -> Words<S> {
    let mut rest = a;
    let mut quotient = a.zero();
    for shift in [3, 2, 1, 0] {
        let part = b << shift;
        let too_much = rest.less(part);
        rest = too_much.select(rest, rest - part);
        quotient = too_much.select(quotient, quotient + (1 << shift));
    }
    quotient
}

/// Those lanes' boards where the mask is true, the others' elsewhere.
#[inline(always)]
pub(super) fn swap_boards<S: Simd>(mask: BoardMask<S>, a: &mut Boards<S>, b: &mut Boards<S>) {
    (*a, *b) = (mask.select(*b, *a), mask.select(*a, *b));
}

/// Swaps the words of the lanes where the mask is true.
#[inline(always)]
pub(super) fn swap_words<S: Simd>(mask: WordMask<S>, a: &mut Words<S>, b: &mut Words<S>) {
    (*a, *b) = (mask.select(*b, *a), mask.select(*a, *b));
}
