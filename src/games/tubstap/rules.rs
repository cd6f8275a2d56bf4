//! The rules: where a unit can go, whom it can attack, what an attack does, how a game ends.
//!
//! Everything is enumerated in the order of the original program, so that a recorded game with the same
//! random numbers is replayed exactly.

use fairground_kernels::bits::{bits, kth_bit};
use fairground_kernels::tubstap::tables::{damage, does_damage};

use super::board::{Board, Cell};
use super::pieces::{Kind, Team};
use super::position::{Position, Side, Unit};

/// One unit's action: go to a cell (perhaps its own), then perhaps attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// Number of the acting unit within its side.
    pub unit: usize,
    /// Where it goes.
    pub to: Cell,
    /// Number of the attacked unit within the other side.
    pub target: Option<usize>,
}

/// The attacks of one unit as a set of 64 bits.
///
/// Bit `4 e + d`: attack enemy number `e` from its neighbour cell in direction `d` of
/// [`DIRECTIONS`](super::board::DIRECTIONS). A cannon, which shoots from where it stands, uses `d = 0`.
/// Ascending bits are the program's order of attacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacks(pub u64);

impl Attacks {
    /// Number of attacks.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The numbers of the enemies that can be attacked, as bits.
    #[must_use]
    pub fn targets(self) -> u16 {
        bits(self.0).fold(0, |targets, bit| targets | 1 << (bit / 4))
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This team won.
    Win(Team),
    /// Nobody won.
    Draw,
}

/// Why an action was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAction {
    /// No living unit of the mover has this number.
    #[error("the side to move has no unit number {0}")]
    NoSuchUnit(usize),
    /// The unit has acted in this phase.
    #[error("unit number {0} has already acted in this phase")]
    HasActed(usize),
    /// The unit cannot end its move there.
    #[error("unit number {unit} cannot go to {to:?}")]
    OutOfReach {
        /// The unit.
        unit: usize,
        /// Where it was sent.
        to: Cell,
    },
    /// The target is dead, never was, or cannot be attacked from there.
    #[error("unit number {unit} cannot attack enemy number {target} from {from:?}")]
    NoSuchAttack {
        /// The unit.
        unit: usize,
        /// The enemy.
        target: usize,
        /// Where the unit would stand.
        from: Cell,
    },
}

/// The cells at distance 2 and 3 of each cell: what a cannon there can hit.
static CANNON_RANGE: [u64; 64] = {
    let mut table = [0; 64];
    let mut cell = 0;
    while cell < 64 {
        let near = Board(1 << cell).0 | Board(1 << cell).neighbours().0;
        let two = near | Board(near).neighbours().0;
        table[cell] = (two | Board(two).neighbours().0) & !near;
        cell += 1;
    }
    table
};

/// The up to four neighbours of each cell.
static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut cell = 0;
    while cell < 64 {
        table[cell] = Board(1 << cell).neighbours().0;
        cell += 1;
    }
    table
};

/// For every direction `d` of the neighbour `n` of `cell` in `cells`, bit `d`.
#[inline]
fn neighbour_directions(cell: Cell, cells: Board) -> u64 {
    // After the rotation the neighbours to the right, up, left and down are bits 8, 63, 56 and 1.
    let around = (cells.0 & NEIGHBOURS[cell.index() as usize]).rotate_right(cell.index());
    around >> 8 & 1 | around >> 62 & 2 | around >> 54 & 4 | around << 2 & 8
}

impl Position {
    /// The cells a unit of `side` can end its move on, its own cell among them.
    ///
    /// Enemies block, friends can be passed but not stood upon. This is exact: `reached` holds the cells
    /// whose cheapest path costs at most the budget spent so far, and cells cost 1 or 2 to enter.
    #[inline]
    #[must_use]
    pub fn destinations(&self, side: &Side, enemy: &Side, unit: &Unit) -> Board {
        let (cost_1, cost_2) = self.ground.costs(unit.kind);
        let (cost_1, cost_2) = (cost_1 - enemy.occupied, cost_2 - enemy.occupied);
        let own_cell = Board::of(unit.cell);
        let mut reached = own_cell;
        let mut one_ago = Board::EMPTY;
        for _ in 0..unit.kind.moves() {
            let around = reached.neighbours();
            let next = reached | around & cost_1 | one_ago & cost_2;
            one_ago = around;
            reached = next;
        }
        (reached - side.occupied) | own_cell
    }

    /// The attacks a unit can make on `enemy`, given its destinations.
    #[inline]
    #[must_use]
    pub fn attacks(&self, enemy: &Side, unit: &Unit, destinations: Board) -> Attacks {
        let mut attacks = 0;
        if unit.kind.is_direct() {
            if (destinations.neighbours() & enemy.occupied).is_empty() {
                return Attacks(0);
            }
            for number in enemy.living() {
                attacks |= neighbour_directions(enemy.units[number].cell, destinations) << (4 * number);
            }
        } else {
            let in_range = Board(CANNON_RANGE[unit.cell.index() as usize]);
            for number in enemy.living() {
                attacks |= u64::from(in_range.has(enemy.units[number].cell)) << (4 * number);
            }
        }
        Attacks(attacks)
    }

    /// Those of `attacks` that do damage.
    #[inline]
    #[must_use]
    pub fn effective(&self, enemy: &Side, unit: &Unit, attacks: Attacks) -> Attacks {
        let harmless = enemy
            .living()
            .filter(|&number| {
                let target = &enemy.units[number];
                !does_damage(unit.kind.power(target.kind), unit.hp.into(), target.hp.into(), self.stars(target))
            })
            .fold(0, |harmless, number| harmless | 15 << (4 * number));
        Attacks(attacks.0 & !harmless)
    }

    /// The action of unit `number` for the `k`-th attack of the set, in the program's order.
    #[inline]
    #[must_use]
    pub fn attack_action(&self, number: usize, attacks: Attacks, k: u32) -> Action {
        let bit = kth_bit(attacks.0, k);
        let target = bit as usize / 4 % 16;
        let unit = &self.own().units[number];
        let to = if unit.kind.is_direct() {
            self.enemy().units[target].cell.neighbour(bit as usize % 4).unwrap_or(unit.cell)
        } else {
            unit.cell
        };
        Action { unit: number, to, target: Some(target) }
    }

    /// All actions of a unit of the side to move: its attacks, then its moves, in the program's order.
    /// Empty if there is no such living unit. Whether it has acted does not matter here.
    #[must_use]
    pub fn actions_of(&self, number: usize) -> Vec<Action> {
        let Some(unit) = self.own().unit(number) else { return Vec::new() };
        let destinations = self.destinations(self.own(), self.enemy(), unit);
        let attacks = self.attacks(self.enemy(), unit, destinations);
        let attacking = (0..attacks.len()).map(|k| self.attack_action(number, attacks, k));
        let moving = destinations.cells().map(|to| Action { unit: number, to, target: None });
        attacking.chain(moving).collect()
    }

    /// Whether the rules allow this action.
    ///
    /// # Errors
    /// Says why they do not.
    pub fn check(&self, action: Action) -> Result<(), IllegalAction> {
        let Action { unit: number, to, target } = action;
        let unit = self.own().unit(number).ok_or(IllegalAction::NoSuchUnit(number))?;
        if self.own().has_acted(number) {
            return Err(IllegalAction::HasActed(number));
        }
        let destinations = self.destinations(self.own(), self.enemy(), unit);
        if !destinations.has(to) {
            return Err(IllegalAction::OutOfReach { unit: number, to });
        }
        let Some(target) = target else { return Ok(()) };
        let hit = self.enemy().unit(target).is_some_and(|enemy| {
            let distance = to.distance(enemy.cell);
            if unit.kind.is_direct() { distance == 1 } else { to == unit.cell && matches!(distance, 2 | 3) }
        });
        if hit { Ok(()) } else { Err(IllegalAction::NoSuchAttack { unit: number, target, from: to }) }
    }

    /// Plays an action after [checking](Self::check) it.
    ///
    /// # Errors
    /// Leaves the position as it was if the action is illegal.
    pub fn try_act(&mut self, action: Action) -> Result<Combat, IllegalAction> {
        self.check(action)?;
        Ok(self.act(action))
    }

    /// The original program's legality test, which is weaker than the rules: it never asks whether the
    /// destination can be reached. MSSystem plans with it.
    #[must_use]
    pub fn passes_lax_test(&self, action: Action) -> bool {
        let Some(unit) = self.own().unit(action.unit) else { return false };
        let open = |cell| cell == unit.cell || !(self.own().occupied | self.enemy().occupied).has(cell);
        if self.own().has_acted(action.unit) || !open(action.to) {
            return false;
        }
        let Some(target) = action.target else { return true };
        self.enemy().unit(target).is_some_and(|enemy| self.attackable(self.own(), self.enemy(), unit).has(enemy.cell))
    }

    /// The cells a unit could hit from some destination, whoever stands there, except its own side's cells.
    ///
    /// A position does not know the size of its map: cells beyond the edge, where nobody ever stands, may
    /// be in the set.
    #[must_use]
    pub fn attackable(&self, side: &Side, enemy: &Side, unit: &Unit) -> Board {
        if unit.kind.is_direct() {
            self.destinations(side, enemy, unit).neighbours() - side.occupied
        } else {
            Board(CANNON_RANGE[unit.cell.index() as usize])
        }
    }

    /// Stars that protect a unit where it stands.
    #[inline]
    #[must_use]
    pub const fn stars(&self, unit: &Unit) -> u32 {
        if unit.kind.flies() { 0 } else { self.ground.stars(unit.cell) }
    }

    /// Plays an action as given: the unit goes there, attacks, perhaps suffers a counter, has acted.
    ///
    /// The action must name living units; otherwise it is not checked (see [`try_act`](Self::try_act)).
    #[inline]
    pub fn act(&mut self, action: Action) -> Combat {
        let mover = self.mover.index();
        let own = &mut self.sides[mover];
        let number = action.unit % 16;
        let from = own.units[number].cell;
        own.occupied = (own.occupied - Board::of(from)) | Board::of(action.to);
        own.units[number].cell = action.to;
        own.acted |= 1 << number;
        action.target.map_or(Combat::default(), |target| self.fight(number, target % 16))
    }

    /// Unit `number` of the mover attacks enemy `target` from where it stands.
    #[inline]
    fn fight(&mut self, number: usize, target: usize) -> Combat {
        let attacker = self.own().units[number];
        let defender = self.enemy().units[target];
        let mut combat = Combat { dealt: strike(self, &attacker, &defender), countered: 0 };
        let left = Unit { hp: defender.hp - combat.dealt, ..defender };
        if left.hp > 0 && attacker.kind.is_direct() && defender.kind.is_direct() {
            combat.countered = strike(self, &left, &attacker);
        }
        hurt(&mut self.sides[self.mover.other().index()], target, combat.dealt);
        hurt(&mut self.sides[self.mover.index()], number, combat.countered);
        combat
    }

    /// Ends the phase: the flags of the side that moved are cleared and the other side is to move.
    #[inline]
    pub fn end_phase(&mut self) {
        self.sides[self.mover.index()].clear_flags();
        self.turn += 1;
        self.mover = self.mover.other();
    }

    /// The result if the game is over at the end of a phase.
    #[inline]
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let [red, blue] = &self.sides;
        if red.is_dead() {
            Some(Verdict::Win(Team::Blue))
        } else if blue.is_dead() {
            Some(Verdict::Win(Team::Red))
        } else if self.turn >= self.limit {
            Some(self.judgement())
        } else {
            None
        }
    }

    /// The result by hit points: a lead of *more* than the threshold wins.
    #[must_use]
    pub fn judgement(&self) -> Verdict {
        let [red, blue] = self.sides.map(|side| side.hp());
        if red > blue.saturating_add(self.threshold) {
            Verdict::Win(Team::Red)
        } else if blue > red.saturating_add(self.threshold) {
            Verdict::Win(Team::Blue)
        } else {
            Verdict::Draw
        }
    }
}

/// What a combat did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combat {
    /// Hit points the target lost.
    pub dealt: u8,
    /// Hit points the attacker lost to the counter.
    pub countered: u8,
}

#[inline]
fn strike(position: &Position, attacker: &Unit, defender: &Unit) -> u8 {
    let power = attacker.kind.power(defender.kind);
    damage(power, attacker.hp.into(), defender.hp.into(), position.stars(defender)) as u8
}

#[inline]
fn hurt(side: &mut Side, number: usize, points: u8) {
    side.units[number].hp -= points;
    if side.units[number].hp == 0 {
        side.alive &= !(1 << number);
        side.occupied = side.occupied - Board::of(side.units[number].cell);
    }
}

/// Convenience for readers of the rules: whether `kind` may stop on a cell of this terrain when it moves.
#[must_use]
pub fn can_enter(kind: Kind, terrain: super::pieces::Terrain) -> bool {
    kind.cost(terrain).is_some()
}
