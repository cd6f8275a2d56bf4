//! The rules in the plainest way: a bordered two-dimensional array, lists of units, loops over cells.
//!
//! Slow and independent of the engine; only the tables of numbers are shared.

use fairground::games::tubstap::tables::{CANNON, COST, FIRST_GROUND_KIND, INFANTRY, MOVES, POWER, STARS};
use fairground::games::tubstap::{Action, Cell, Position, Team};

/// Width and height of the array with its border.
pub const SIDE: usize = 10;

/// The neighbour order of the original program: right, up, left, down.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, -1), (-1, 0), (0, 1)];

/// A living unit; coordinates count the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainUnit {
    pub team: usize,
    pub number: usize,
    pub kind: usize,
    pub x: usize,
    pub y: usize,
    pub hp: u32,
    pub acted: bool,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Terrain numbers by `[x][y]`.
    pub terrain: [[usize; SIDE]; SIDE],
    /// The living units, Red's then Blue's, each in ascending order of their numbers.
    pub units: Vec<PlainUnit>,
    pub turn: u32,
    pub limit: u32,
    pub threshold: u32,
    pub mover: usize,
}

impl Plain {
    /// Everything a position says, read cell by cell and unit by unit.
    pub fn of(position: &Position) -> Self {
        let ground = &position.ground;
        let mut terrain = [[0; SIDE]; SIDE];
        for cell in ground.open.cells() {
            let (x, y) = cell.to_file();
            terrain[x][y] = if ground.wood.has(cell) {
                3
            } else if ground.mountain.has(cell) {
                4
            } else if !ground.flat.has(cell) {
                2
            } else if ground.one_star.has(cell) {
                1
            } else if ground.four_stars.has(cell) {
                6
            } else {
                5
            };
        }
        let mut units = Vec::new();
        for team in Team::ALL {
            let side = &position.sides[team.index()];
            for number in 0..16 {
                if let Some(unit) = side.unit(number) {
                    let (x, y) = unit.cell.to_file();
                    let (kind, hp, acted) = (unit.kind.index(), unit.hp.into(), side.has_acted(number));
                    units.push(PlainUnit { team: team.index(), number, kind, x, y, hp, acted });
                }
            }
        }
        let Position { turn, limit, threshold, mover, .. } = *position;
        Self { terrain, units, turn, limit, threshold, mover: mover.index() }
    }

    pub fn side(&self, team: usize) -> Vec<PlainUnit> {
        self.units.iter().filter(|unit| unit.team == team).copied().collect()
    }

    pub fn unit(&self, team: usize, number: usize) -> Option<PlainUnit> {
        self.units.iter().find(|unit| unit.team == team && unit.number == number).copied()
    }

    /// The mover's units that have yet to act.
    pub fn unacted(&self) -> Vec<PlainUnit> {
        self.units.iter().filter(|unit| unit.team == self.mover && !unit.acted).copied().collect()
    }

    fn at(&self, x: usize, y: usize) -> Option<PlainUnit> {
        self.units.iter().find(|unit| (unit.x, unit.y) == (x, y)).copied()
    }

    pub fn hp(&self, team: usize) -> u32 {
        self.side(team).iter().map(|unit| unit.hp).sum()
    }

    /// By `[x][y]`, whether a unit can end its move there: shortest paths by relaxing until nothing changes.
    pub fn destinations(&self, unit: PlainUnit) -> [[bool; SIDE]; SIDE] {
        let mut cost = [[u32::MAX / 2; SIDE]; SIDE];
        cost[unit.x][unit.y] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (x, y) in playable() {
                if self.at(x, y).is_some_and(|other| other.team != unit.team) {
                    continue;
                }
                let enter = u32::from(COST[self.terrain[x][y]][unit.kind]);
                for (from_x, from_y) in neighbours(x, y) {
                    if cost[from_x][from_y] + enter < cost[x][y] {
                        cost[x][y] = cost[from_x][from_y] + enter;
                        changed = true;
                    }
                }
            }
        }
        let mut destinations = [[false; SIDE]; SIDE];
        for (x, y) in playable() {
            let free = self.at(x, y).is_none_or(|other| other == unit);
            destinations[x][y] = free && cost[x][y] <= u32::from(MOVES[unit.kind]);
        }
        destinations
    }

    /// The attacks of a unit in the program's order: destination and number of the enemy.
    pub fn attacks(&self, unit: PlainUnit) -> Vec<(usize, usize, usize)> {
        let destinations = self.destinations(unit);
        let mut attacks = Vec::new();
        for enemy in self.side(1 - unit.team) {
            if unit.kind == CANNON {
                if (2..=3).contains(&distance(unit, enemy.x, enemy.y)) {
                    attacks.push((unit.x, unit.y, enemy.number));
                }
            } else {
                for (x, y) in neighbours(enemy.x, enemy.y) {
                    if destinations[x][y] {
                        attacks.push((x, y, enemy.number));
                    }
                }
            }
        }
        attacks
    }

    /// The attacks that do damage.
    pub fn effective(&self, unit: PlainUnit) -> Vec<(usize, usize, usize)> {
        let harmful = |&(_, _, target): &(usize, usize, usize)| {
            self.unit(1 - unit.team, target).is_some_and(|enemy| self.damage(unit, enemy) > 0)
        };
        self.attacks(unit).into_iter().filter(harmful).collect()
    }

    /// The moves of a unit in the program's order, "stay" among them.
    pub fn moves(&self, unit: PlainUnit) -> Vec<(usize, usize)> {
        let destinations = self.destinations(unit);
        playable().filter(|&(x, y)| destinations[x][y]).collect()
    }

    /// By `[x][y]`, the cells a unit could hit, on a map of the largest size.
    pub fn attackable(&self, unit: PlainUnit) -> [[bool; SIDE]; SIDE] {
        let destinations = self.destinations(unit);
        let mut attackable = [[false; SIDE]; SIDE];
        for (x, y) in playable() {
            attackable[x][y] = if unit.kind == CANNON {
                (2..=3).contains(&distance(unit, x, y))
            } else {
                let friend = self.at(x, y).is_some_and(|other| other.team == unit.team);
                !friend && neighbours(x, y).any(|(x, y)| destinations[x][y])
            };
        }
        attackable
    }

    /// The original program's legality test.
    pub fn passes_lax_test(&self, action: Action) -> bool {
        let Some(unit) = self.unit(self.mover, action.unit) else { return false };
        let (x, y) = action.to.to_file();
        let free = self.at(x, y).is_none_or(|other| other == unit);
        let target = action.target.map(|number| self.unit(1 - self.mover, number));
        let attackable = self.attackable(unit);
        let hits = target.is_none_or(|enemy| enemy.is_some_and(|enemy| attackable[enemy.x][enemy.y]));
        !unit.acted && free && hits
    }

    /// Damage of `attacker` on `defender`, each where it stands.
    pub fn damage(&self, attacker: PlainUnit, defender: PlainUnit) -> u32 {
        let ground = defender.kind >= FIRST_GROUND_KIND;
        let stars = if ground { u32::from(STARS[self.terrain[defender.x][defender.y]]) } else { 0 };
        let power = u32::from(POWER[attacker.kind][defender.kind]);
        defender.hp.min((power * attacker.hp + 70) / (100 + stars * defender.hp))
    }

    /// Plays an action; the answer is damage and counter.
    pub fn act(&mut self, action: Action) -> (u32, u32) {
        let mut unit = self.unit(self.mover, action.unit).expect("a living unit");
        (unit.x, unit.y) = action.to.to_file();
        unit.acted = true;
        let mut combat = (0, 0);
        if let Some(number) = action.target {
            let mut target = self.unit(1 - self.mover, number).expect("a living target");
            combat.0 = self.damage(unit, target);
            target.hp -= combat.0;
            if target.hp > 0 && unit.kind != CANNON && target.kind != CANNON {
                combat.1 = self.damage(target, unit);
                unit.hp -= combat.1;
            }
            self.put(target);
        }
        self.put(unit);
        combat
    }

    /// Replaces a unit by what became of it.
    fn put(&mut self, unit: PlainUnit) {
        let same = |other: &PlainUnit| (other.team, other.number) == (unit.team, unit.number);
        let place = self.units.iter().position(same).expect("the unit");
        self.units[place] = unit;
        self.units.retain(|unit| unit.hp > 0);
    }

    pub fn clear_flags(&mut self, team: usize) {
        self.units.iter_mut().filter(|unit| unit.team == team).for_each(|unit| unit.acted = false);
    }

    pub fn end_phase(&mut self) {
        self.clear_flags(self.mover);
        self.turn += 1;
        self.mover = 1 - self.mover;
    }

    /// The winning team, or `None` for a draw, once the game is over.
    pub fn verdict(&self) -> Option<Option<usize>> {
        if self.side(0).is_empty() {
            return Some(Some(1));
        }
        if self.side(1).is_empty() {
            return Some(Some(0));
        }
        if self.turn < self.limit {
            return None;
        }
        let lead = i64::from(self.hp(0)) - i64::from(self.hp(1));
        let threshold = i64::from(self.threshold);
        Some(if lead > threshold {
            Some(0)
        } else if -lead > threshold {
            Some(1)
        } else {
            None
        })
    }

    /// Hit points as MSSystem counts them.
    pub fn weighted_hp(&self, team: usize) -> u32 {
        self.side(team).iter().map(|unit| unit.hp * if unit.kind == INFANTRY { 1 } else { 5 }).sum()
    }

    /// The moves of MSSystem's playout when there is no attack: into the rectangle to the nearest enemy.
    pub fn approaches(&self, unit: PlainUnit) -> Vec<(usize, usize)> {
        let mut nearest = (0, 0);
        let mut least = usize::MAX;
        for enemy in self.side(1 - unit.team) {
            if distance(unit, enemy.x, enemy.y) < least {
                least = distance(unit, enemy.x, enemy.y);
                nearest = (enemy.x, enemy.y);
            }
        }
        let between = |a: usize, b: usize, c: usize| a.min(b) <= c && c <= a.max(b);
        let inside = |&(x, y): &(usize, usize)| between(unit.x, nearest.0, x) && between(unit.y, nearest.1, y);
        self.moves(unit).into_iter().filter(inside).collect()
    }
}

/// The cells inside the border, columns from the left, each from the top.
pub fn playable() -> impl Iterator<Item = (usize, usize)> {
    (1..SIDE - 1).flat_map(|x| (1..SIDE - 1).map(move |y| (x, y)))
}

fn neighbours(x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    DIRECTIONS.into_iter().map(move |(dx, dy)| (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy)))
}

fn distance(unit: PlainUnit, x: usize, y: usize) -> usize {
    unit.x.abs_diff(x) + unit.y.abs_diff(y)
}

/// The cell inside the border at these coordinates.
pub fn cell(x: usize, y: usize) -> Cell {
    Cell::from_file(x, y).expect("a playable cell")
}
