//! `full`: the numbers of the agent, and what its actions are worth. The rules engine and the kernel call these functions,
//! and the shader repeats them.
//!
//! Everything is counted in points. A cell is the nearer to the gold the larger its [`nearness`], and a path or a
//! rock-fall is worth what it changes in the nearness of the cells that paths lead into, compared with the best of them:
//! the front.

use std::cmp::Reverse;

use super::alone::{Choice, Use, View, distinct, possible};
use super::ground::{Cell, PLACE_CELL, PLACES, laid_mask, neighbour};
use super::packed::{CARD_CELL, cell_at};
use super::tables::{
    BREAK, CORNER_DOWN, CORNER_UP, CROSSING, FIRST_BLOCKED, GOAL_X, GOAL_Y, GOALS, HAND, HORIZONTAL, KINDS, MAP,
    MOST_PLAYERS, PATH_KINDS, REPAIR, REPAIRS, ROCK_FALL, SIDES, T_HORIZONTAL, T_VERTICAL, VERTICAL,
};

/// The score of an action that is never chosen.
pub const NEVER: i32 = i32::MIN;

/// The nearness of a cell to one goal, by their distance; nothing farther away.
pub const NEARNESS: [i32; 13] = {
    let mut nearness = [1; 13];
    let mut distance = 12;
    while distance > 0 {
        distance -= 1;
        nearness[distance] = 3 * nearness[distance + 1];
    }
    nearness
};
/// What it is worth to open to a goal that may hold the gold: more than any number of other sides.
pub const GOAL: i32 = 8 * NEARNESS[0];
/// How much more it is worth to join a path that was cut off than its first cell is near.
pub const REJOIN: i32 = 9;

/// Points for a path or a rock-fall that is worth as much as the front: for diggers, for saboteurs.
pub const FRONT: [i32; 2] = [46, 90];
/// Points of a digger for a map while several goals may hold the gold. Saboteurs use none.
pub const LOOK: i32 = 90;
/// Points of a digger for mending a tool: one's own, or that of somebody without suspicion, and what each point of
/// suspicion adds to that. Saboteurs do not.
pub const MEND: [i32; 3] = [100, 45, -10];
/// Points for breaking a tool of somebody without suspicion, and what each point of suspicion adds.
pub const HARM: [[i32; 2]; 2] = [[15, 15], [70, -5]];
/// What is added if another tool is broken already.
pub const HARM_AGAIN: i32 = -35;
/// The suspicion from which on diggers break tools.
pub const SUSPECTED: i32 = 3;
/// Points of a saboteur for removing a card, and for each neighbour that the next card there will have to match.
pub const RUIN: [i32; 2] = [-20, 40];
/// Points for discarding each kind of card.
pub const DISCARD: [[i32; KINDS]; 2] =
    [discards([-40, -25, -35, -20, -30, -15], 50, [-20, -5, -20, -25]), discards([40; 6], 0, [0, 35, 0, 25])];

/// What laying a blocked card and a passable one says of a player's role, and breaking a tool of an unsuspected player.
pub const EVIDENCE: [i32; 3] = [4, -1, 4];
/// The most that suspicion and trust get to.
pub const MOST_SUSPICION: i32 = 8;

/// Points by kind: crossing, T with a vertical and a horizontal bar, corner, straights; blocked; rock-fall, map, break,
/// repair.
const fn discards(open: [i32; 6], blocked: i32, [rock_fall, map, harm, mend]: [i32; 4]) -> [i32; KINDS] {
    let mut points = [blocked; KINDS];
    [
        points[CROSSING],
        points[T_VERTICAL],
        points[T_HORIZONTAL],
        points[CORNER_UP],
        points[HORIZONTAL],
        points[VERTICAL],
    ] = open;
    points[CORNER_DOWN] = points[CORNER_UP];
    points[ROCK_FALL] = rock_fall;
    points[MAP] = map;
    let mut kind = BREAK;
    while kind < KINDS {
        points[kind] = if kind < REPAIR { harm } else { mend };
        kind += 1;
    }
    points
}

const _: () = assert!(FIRST_BLOCKED == VERTICAL + 1 && VERTICAL == 6, "all open kinds are listed");
const _: () = assert!((2 * GOAL + (SIDES * GOALS) as i32 * NEARNESS[0]) as i64 * FRONT[1] as i64 <= i32::MAX as i64);

/// Distance of a cell from a goal.
#[inline(always)]
#[must_use]
pub const fn goal_distance(x: i32, y: i32, goal: usize) -> i32 {
    (x - GOAL_X as i32).abs() + (y - GOAL_Y[goal] as i32).abs()
}

/// How near a cell is to the goals that may hold the gold, one bit each.
#[inline(always)]
#[must_use]
pub const fn nearness(x: i32, y: i32, possible: u32) -> i32 {
    let (mut sum, mut goal) = (0, 0);
    while goal < GOALS {
        let distance = goal_distance(x, y, goal) as usize;
        if possible >> goal & 1 != 0 && distance < NEARNESS.len() {
            sum += NEARNESS[distance];
        }
        goal += 1;
    }
    sum
}

/// The sum over the open sides of a card.
#[inline(always)]
#[must_use]
pub const fn opened(mask: u32, sides: [i32; SIDES]) -> i32 {
    let (mut sum, mut side) = (0, 0);
    while side < SIDES {
        sum += sides[side] * (mask >> side & 1) as i32;
        side += 1;
    }
    sum
}

/// The score of a path, or of a digger's rock-fall, that changes the nearness of the front's cells by so much.
#[inline(always)]
#[must_use]
pub const fn change_score(is_saboteur: bool, change: i32, front: i32) -> i32 {
    let front = if front > 1 { front } else { 1 };
    let points = change * FRONT[is_saboteur as usize] / front;
    if is_saboteur { -points } else { points }
}

/// The score of a saboteur's rock-fall where so many neighbours lie.
#[inline(always)]
#[must_use]
pub const fn ruin_score(neighbours: i32) -> i32 {
    RUIN[0] + RUIN[1] * neighbours
}

/// The score of breaking a tool of a player with this suspicion.
#[inline(always)]
#[must_use]
pub const fn harm_score(is_saboteur: bool, suspicion: i32, is_broken: bool) -> i32 {
    if !is_saboteur && suspicion < SUSPECTED {
        return NEVER;
    }
    let [base, more] = HARM[is_saboteur as usize];
    base + more * suspicion + (is_broken as i32) * HARM_AGAIN
}

/// The score of mending a tool of oneself, or of a player with this suspicion.
#[inline(always)]
#[must_use]
pub const fn mend_score(is_saboteur: bool, is_own: bool, suspicion: i32) -> i32 {
    let [own, base, more] = MEND;
    if is_saboteur {
        NEVER
    } else if is_own {
        own
    } else {
        base + more * suspicion
    }
}

/// The suspicion after one more piece of evidence.
#[inline(always)]
#[must_use]
pub const fn suspicion_after(suspicion: i32, evidence: i32) -> i32 {
    let sum = suspicion + evidence;
    if sum > MOST_SUSPICION {
        MOST_SUSPICION
    } else if sum < -MOST_SUSPICION {
        -MOST_SUSPICION
    } else {
        sum
    }
}

/// The goals in the order of looking at them.
pub const LOOK_ORDER: [u8; GOALS] = [2, 0, 1];

/// What the mover of a lane knows.
struct Knowledge<'a> {
    view: &'a View<'a>,
    /// The goals that may hold the gold, one bit each.
    possible: u32,
    /// The nearness of the best cell that a path leads into.
    front: i32,
}

impl View<'_> {
    /// The choice of `full`.
    pub(super) fn choose_full(&self) -> Choice {
        let known = (self.seen >> (3 * self.mover) | self.ground.face_up) & 0b111;
        let mut knowledge = Knowledge { view: self, possible: possible(known, self.gold), front: 0 };
        let places = &self.ground.places[..self.ground.count.min(PLACES)];
        for place in places {
            knowledge.front = knowledge.front.max(knowledge.nearness((place >> PLACE_CELL) as usize));
        }
        let (mut best, mut choice) = knowledge.best_path(places);
        for (slot, kind) in distinct(self.hand) {
            knowledge.for_each_use(kind, |score, use_of| {
                if score > best {
                    best = score;
                    choice = Choice { slot, use_of };
                }
            });
        }
        choice
    }
}

impl Knowledge<'_> {
    fn nearness(&self, cell: usize) -> i32 {
        let (x, y) = cell_at(cell as u32);
        nearness(x.into(), y.into(), self.possible)
    }

    /// What a passable card on a cell gains with each side that is open.
    fn sides(&self, cell: usize) -> [i32; SIDES] {
        let ground = self.view.ground;
        let mut sides = [0; SIDES];
        for (side, gain) in sides.iter_mut().enumerate() {
            let next = neighbour(cell, side);
            *gain = match ground.at(next) {
                Cell::Hidden(goal) if self.possible >> goal & 1 != 0 => GOAL,
                Cell::Hidden(_) => 0,
                Cell::Laid { mask, is_blocked, is_reached } => {
                    let is_cut_off = !is_blocked && !is_reached && mask >> (side ^ 2) & 1 != 0;
                    if is_cut_off { REJOIN * self.nearness(next) } else { 0 }
                }
                Cell::Free if ground.is_on_board(next) && ground.paths_into(next) & !(1 << (side ^ 2)) == 0 => {
                    self.nearness(next)
                }
                Cell::Free => 0,
            };
        }
        sides
    }

    fn change_score(&self, change: i32) -> i32 {
        change_score(self.view.is_saboteur, change, self.front)
    }

    /// The best path and its score.
    fn best_path(&self, places: &[u32]) -> (i32, Choice) {
        let nothing = (NEVER, Choice { slot: 0, use_of: Use::Discard });
        if !self.view.can_dig() {
            return nothing;
        }
        // The cards that may be laid, unturned and turned, with their openings.
        let mut plays = [(0, 0, false, false); 2 * HAND];
        let (mut count, mut masks) = (0, 0);
        for (slot, kind) in distinct(self.view.hand) {
            let is_blocked = kind >= FIRST_BLOCKED;
            if kind >= PATH_KINDS || is_blocked && !self.view.is_saboteur {
                continue;
            }
            let [straight, turned] = [laid_mask(kind, false), laid_mask(kind, true)];
            for is_turned in [false, true].into_iter().take(if straight == turned { 1 } else { 2 }) {
                let mask = if is_turned { turned } else { straight };
                plays[count] = (mask, slot, is_turned, is_blocked);
                count += 1;
                masks |= 1u32 << mask;
            }
        }
        let mut best: Option<(_, Choice)> = None;
        for place in places.iter().filter(|&place| place & masks != 0) {
            let number = place >> PLACE_CELL;
            let cell = number as usize;
            let (sides, own) = (self.sides(cell), self.nearness(cell));
            for &(mask, slot, is_turned, is_blocked) in &plays[..count] {
                if place >> mask & 1 != 0 {
                    let gain = if is_blocked { 0 } else { opened(mask.into(), sides) };
                    let key = (self.change_score(gain - own), Reverse((number, slot, is_turned)));
                    if best.is_none_or(|(best, _)| key > best) {
                        best = Some((key, Choice { slot, use_of: Use::Path { is_turned, cell } }));
                    }
                }
            }
        }
        best.map_or(nothing, |((score, _), choice)| (score, choice))
    }

    /// The uses of a card apart from laying it, and its discard, with their points.
    fn for_each_use(&self, kind: usize, mut visit: impl FnMut(i32, Use)) {
        let View { is_saboteur, mover, players, broken, suspicion, .. } = *self.view;
        let seats = (0..players).map(|after| (mover + after) % players);
        let of = |seat: u32| i32::from(suspicion[seat as usize % MOST_PLAYERS]);
        match kind {
            0..PATH_KINDS => {}
            ROCK_FALL => {
                let cells = self.view.ground.cards().iter().map(|card| (card >> CARD_CELL) as usize);
                let scored = cells.filter_map(|cell| Some((self.rock_fall_score(cell)?, Reverse(cell))));
                if let Some((score, Reverse(cell))) = scored.max() {
                    visit(score, Use::RockFall { cell });
                }
            }
            MAP => {
                let goal = LOOK_ORDER.into_iter().find(|goal| self.possible >> goal & 1 != 0);
                if let Some(goal) = goal.filter(|_| !is_saboteur && self.possible.count_ones() > 1) {
                    visit(LOOK, Use::Map { goal: goal.into() });
                }
            }
            _ if kind < REPAIR => {
                let tool = (kind - BREAK) as u32;
                for seat in seats.skip(1).filter(|&seat| broken >> (3 * seat + tool) & 1 == 0) {
                    let score = harm_score(is_saboteur, of(seat), broken >> (3 * seat) & 7 != 0);
                    visit(score, Use::Break { tool, seat });
                }
            }
            _ => {
                for seat in seats {
                    let mended = broken >> (3 * seat) & u32::from(REPAIRS[(kind - REPAIR) % REPAIRS.len()]);
                    if mended != 0 {
                        let score = mend_score(is_saboteur, seat == mover, of(seat));
                        visit(score, Use::Repair { tool: mended.trailing_zeros(), seat });
                    }
                }
            }
        }
        visit(DISCARD[usize::from(is_saboteur)][kind % KINDS], Use::Discard);
    }

    /// Diggers remove blocked cards and ends of paths, saboteurs passable cards.
    fn rock_fall_score(&self, cell: usize) -> Option<i32> {
        let ground = self.view.ground;
        let Cell::Laid { mask, is_blocked, is_reached } = ground.at(cell) else { return None };
        let [open, wall] = ground.edges(cell);
        if self.view.is_saboteur {
            return is_reached.then(|| ruin_score((open | wall).count_ones() as i32));
        }
        let is_end = is_blocked || (open & mask).count_ones() == 1;
        if !is_end || ground.paths_into(cell) == 0 {
            return None;
        }
        let loss = if is_blocked { 0 } else { opened(mask.into(), self.sides(cell)) };
        Some(self.change_score(self.nearness(cell) - loss))
    }
}
