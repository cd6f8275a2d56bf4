//! `paper` lane by lane, for every reading and every board: exact in 64 bits.
//!
//! Most turns are chosen by [`scores`](super::scores) for all lanes at once; this is for the rest: readings that count
//! or compare plays in other ways, and plays so far from the goals that 32 bits do not hold their parts of a point.

use super::alone::{Choice, Use, View, by_rows, distinct, kind_at, len, possible};
use super::ground::{PLACE_CELL, PLACES, laid_mask};
use super::packed::cell_at;
use super::reading::{
    Adjacent, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo, Reading, Ties, points,
};
use super::tables::{
    COUNTS, CROSSING, DOWN, FIRST_BLOCKED, GOAL_X, GOAL_Y, HAND, HORIZONTAL, LEFT, MAP, MOST_PLAYERS, PATH_KINDS,
    RIGHT, T_HORIZONTAL, T_VERTICAL, UP, VERTICAL, WIDE_SCALE,
};
use crate::bits::kth_bit;
use crate::rng::{Draws, Rng};

/// The kinds that lead on to the right, and those that lead on up or down.
pub const LEADING_ON: [[usize; 3]; 2] = [[CROSSING, T_HORIZONTAL, HORIZONTAL], [CROSSING, T_VERTICAL, VERTICAL]];

/// The goal to look at first of those that are possible, unless chance decides.
#[must_use]
pub const fn goal_to_look_at(possible: u32, order: MapOrder) -> u32 {
    match order {
        MapOrder::Middle | MapOrder::Random if possible & 0b010 != 0 => 1,
        _ if possible & 0b100 != 0 => 2,
        MapOrder::Top if possible & 0b010 != 0 => 1,
        _ => 0,
    }
}

/// The row of the provisional goal, unless chance decides: that is when `k` matters.
#[must_use]
pub fn provisional_row(reading: &Reading, possible: u32, k: u32) -> i8 {
    let row = |k| GOAL_Y[kth_bit(possible.into(), k) as usize % GOAL_Y.len()];
    match possible.count_ones() {
        3 => match reading.of_three {
            OfThree::Middle => 0,
            OfThree::Top => 2,
            OfThree::Between => 1,
            OfThree::Random => row(k),
        },
        2 => match reading.of_two {
            OfTwo::Midpoint => (row(0) + row(1)) / 2,
            OfTwo::Upper => row(1),
            OfTwo::Random => row(k),
        },
        1 => row(0),
        _ => 0,
    }
}

/// The points for a distance in parts of a point.
#[inline]
pub fn distance_points(reading: &Reading, weight: u16, distance: i64, scale: i64) -> i64 {
    let distance = distance.max(1);
    if reading.rounds_down { i64::from(weight) / distance * scale } else { i64::from(weight) * (scale / distance) }
}

/// A play and what it is worth.
#[derive(Clone, Copy)]
struct Play {
    value: i64,
    slot: u32,
    is_turned: bool,
    cell: u32,
}

/// What the plays of a mover are worth.
struct Scorer<'a> {
    view: &'a View<'a>,
    reading: &'a Reading,
    /// The cells where cards can be laid, in their order, and how many there are.
    places: ([u32; PLACES], usize),
    row: i8,
    /// The rows of the goals that count as adjacent: bit `y + 4`.
    adjacent: u32,
    is_crossing_dear: bool,
    /// What the cards not yet on the table add to a card that leads right, or up or down.
    counted: [i64; 2],
}

impl View<'_> {
    /// The choice of the paper's agent.
    pub fn choose_paper(&self, reading: &Reading, rng: &mut Rng) -> Choice {
        let own = self.seen >> (3 * self.mover) & 7;
        let all = (0..MOST_PLAYERS as u32).fold(0, |all, seat| all | self.seen >> (3 * seat) & 7);
        let known = (if reading.shares_maps { all } else { own }) | self.ground.face_up;
        let possible = possible(known & 0b111, self.gold);
        let is_open = possible.count_ones() > 1;
        let map = distinct(self.hand).find(|&(_, kind)| kind == MAP);
        if let Some((slot, _)) = map.filter(|_| is_open && (!self.is_saboteur || reading.saboteurs_use_maps)) {
            let goal = if reading.map_order == MapOrder::Random {
                kth_bit(possible.into(), rng.below(possible.count_ones()))
            } else {
                goal_to_look_at(possible, reading.map_order)
            };
            return Choice { slot, use_of: Use::Map { goal } };
        }
        let scorer = Scorer::new(self, reading, possible, rng);
        let best = scorer.best(rng);
        let discards = if self.is_saboteur { reading.saboteurs_discard } else { reading.diggers_discard };
        let is_good = |play: &Play| play.value > 0 || play.value == 0 && reading.plays_zero || !discards;
        if let Some(Play { slot, is_turned, cell, .. }) = best.filter(is_good) {
            return Choice { slot, use_of: Use::Path { is_turned, cell: cell as usize } };
        }
        let first_of = |is_path| distinct(self.hand).find(|&(_, kind)| (kind < PATH_KINDS) == is_path);
        let action = || first_of(false).map(|(slot, _)| slot);
        let of = |play: Option<Play>| play.map(|play| play.slot);
        let slot = match reading.discard {
            Discard::ActionThenBest => action().or_else(|| of(best)),
            Discard::ActionThenWorst => action().or_else(|| of(scorer.worst())),
            Discard::Best => of(best),
            Discard::PathFirst => first_of(true).map(|(slot, _)| slot),
            Discard::First => None,
            Discard::Uniform => {
                let kind = kind_at(self.hand, rng.below(len(self.hand)) as usize);
                distinct(self.hand).find(|&(_, other)| Some(other) == kind).map(|(slot, _)| slot)
            }
        };
        Choice { slot: slot.unwrap_or(0), use_of: Use::Discard }
    }
}

impl<'a> Scorer<'a> {
    fn new(view: &'a View<'a>, reading: &'a Reading, possible: u32, rng: &mut Rng) -> Self {
        let k = match possible.count_ones() {
            3 if reading.of_three == OfThree::Random => rng.below(3),
            2 if reading.of_two == OfTwo::Random => rng.below(2),
            _ => 0,
        };
        let row = provisional_row(reading, possible, k);
        let goals = match reading.adjacent {
            Adjacent::Possible => possible,
            Adjacent::Provisional => 0,
            Adjacent::FaceDown => 0b111 & !view.ground.face_up,
            Adjacent::Any => 0b111,
        };
        let provisional = if reading.adjacent == Adjacent::Provisional { 1 << (row + 4) } else { 0 };
        let rows = (0..).zip(GOAL_Y).filter(|(goal, _)| goals >> goal & 1 != 0);
        let adjacent = rows.fold(provisional, |rows, (_, y)| rows | 1 << (y + 4));
        let is_counted = reading.counted_cards != CountedCards::None
            && !(view.is_saboteur && reading.counted_by_saboteurs == CountedBySaboteurs::LeftOut);
        let counted = LEADING_ON.map(|kinds| if is_counted { counted(view, reading, kinds) } else { 0 });
        let dear = reading.sideways.kinds();
        let is_crossing_dear = distinct(view.hand).any(|(_, kind)| dear >> kind & 1 != 0);
        Self { view, reading, places: view.ground.sorted_places(), row, adjacent, is_crossing_dear, counted }
    }

    /// All plays: by cell, then by place in the hand, then unturned and turned.
    fn for_each(&self, mut visit: impl FnMut(Play)) {
        if !self.view.can_dig() {
            return;
        }
        for &place in &self.places.0[..self.places.1] {
            let cell = place >> PLACE_CELL;
            for (slot, kind) in distinct(self.view.hand).filter(|&(_, kind)| kind < PATH_KINDS) {
                let [straight, turned] = [laid_mask(kind, false), laid_mask(kind, true)];
                for is_turned in [false, true].into_iter().take(if straight == turned { 1 } else { 2 }) {
                    let mask = if is_turned { turned } else { straight };
                    if place >> mask & 1 != 0 {
                        let value = self.value(cell, kind, mask);
                        visit(Play { value, slot, is_turned, cell });
                    }
                }
            }
        }
    }

    fn value(&self, cell: u32, kind: usize, mask: u8) -> i64 {
        let (x, y) = cell_at(cell);
        let reading = self.reading;
        let [dx, dy] = [x.abs_diff(GOAL_X), y.abs_diff(self.row)];
        let is_far = dx >= reading.far_columns();
        let mut value = if self.row % 2 != 0 && dx == 0 && dy == 0 && reading.between_is_125 {
            points::BETWEEN * WIDE_SCALE
        } else {
            distance_points(reading, reading.across, dx.into(), WIDE_SCALE)
                + distance_points(reading, reading.along, dy.into(), WIDE_SCALE)
        };
        let mut score = 0;
        if is_far && y != if reading.off_goal_row { self.row } else { 0 } {
            score -= points::PENALTY;
        }
        if is_far && kind == CROSSING && self.is_crossing_dear {
            score -= points::PENALTY;
        }
        if kind >= FIRST_BLOCKED {
            score -= points::BLOCKED;
        }
        let is_left = match reading.left_of_goals {
            LeftOfGoals::Columns => x < GOAL_X,
            LeftOfGoals::NotBeside => x < GOAL_X - 1,
            LeftOfGoals::Far => x < GOAL_X && is_far,
        };
        if is_left && !reading.goes_right(kind, mask) {
            score -= points::PENALTY;
        }
        let goal_at = |y: i8| (-4..=4).contains(&y) && self.adjacent >> (y + 4) & 1 != 0;
        let goals = match x - GOAL_X {
            -1 if goal_at(y) => RIGHT,
            1 if goal_at(y) => LEFT,
            0 => (u8::from(goal_at(y + 1)) * UP) | (u8::from(goal_at(y - 1)) * DOWN),
            _ => 0,
        };
        if goals & mask != 0 {
            score += points::OPEN;
        } else if goals != 0 && reading.closed_beside_goal {
            score -= points::PENALTY;
        }
        value += score * WIDE_SCALE;
        let upright = if y < self.row { UP } else { DOWN };
        let counted = if x < GOAL_X && mask & RIGHT != 0 {
            self.counted[0]
        } else if y != self.row && mask & upright != 0 {
            self.counted[1]
        } else {
            0
        };
        match (self.view.is_saboteur, reading.counted_by_saboteurs) {
            (false, _) => value + counted,
            (true, CountedBySaboteurs::Flipped) => -(value + counted),
            (true, _) => counted - value,
        }
    }

    fn best(&self, rng: &mut Rng) -> Option<Play> {
        if self.view.is_saboteur && self.reading.saboteurs_place_as_diggers {
            return self.best_as_digger();
        }
        let mut best: Option<Play> = None;
        match self.reading.ties {
            Ties::First => self.for_each(|play| {
                if best.is_none_or(|best| play.value > best.value) {
                    best = Some(play);
                }
            }),
            Ties::Last => self.for_each(|play| {
                if best.is_none_or(|best| play.value >= best.value) {
                    best = Some(play);
                }
            }),
            Ties::Random => {
                let (mut value, mut count) = (i64::MIN, 0);
                self.for_each(|play| {
                    count = if play.value > value { 1 } else { count + u32::from(play.value == value) };
                    value = value.max(play.value);
                });
                // Cells row by row; so many of the best plays come before the one that is drawn.
                let k = if count > 1 { rng.below(count) } else { 0 };
                let key = |play: &Play| (by_rows(play.cell), play.slot, play.is_turned);
                self.for_each(|play| {
                    let mut before = 0;
                    if play.value == value {
                        self.for_each(|other| before += u32::from(other.value == value && key(&other) < key(&play)));
                        if before == k {
                            best = Some(play);
                        }
                    }
                });
            }
        }
        best
    }

    /// Every card where a digger would lay it, and of these the best for a saboteur; the first of equals.
    fn best_as_digger(&self) -> Option<Play> {
        let mut plays: [Option<Play>; HAND] = [None; HAND];
        self.for_each(|play| {
            let best = &mut plays[play.slot as usize % HAND];
            if best.is_none_or(|best| play.value < best.value) {
                *best = Some(play);
            }
        });
        plays.into_iter().flatten().reduce(|best, play| if play.value > best.value { play } else { best })
    }

    /// The worst play, the first of equals.
    fn worst(&self) -> Option<Play> {
        let mut worst: Option<Play> = None;
        self.for_each(|play| {
            if worst.is_none_or(|worst| play.value < worst.value) {
                worst = Some(play);
            }
        });
        worst
    }
}

/// A hundred points for each of three kinds, times the part of its cards not yet on the table.
fn counted(view: &View<'_>, reading: &Reading, kinds: [usize; 3]) -> i64 {
    let mut sum = 0;
    for kind in kinds {
        let own = (0..HAND).filter(|&slot| kind_at(view.hand, slot) == Some(kind)).count() as i64;
        let on_table = i64::from(view.ground.laid_kinds >> (4 * kind) & 15);
        let all = i64::from(COUNTS[kind]);
        let left = (all - on_table - if reading.counts_own_hand { own } else { 0 }).max(0);
        sum += if reading.rounds_down {
            points::SHARE * left / all * WIDE_SCALE
        } else {
            points::SHARE * left * (WIDE_SCALE / all)
        };
    }
    match reading.counted_cards {
        CountedCards::None => 0,
        CountedCards::Sum => sum,
        CountedCards::Mean if reading.rounds_down => sum / WIDE_SCALE / 3 * WIDE_SCALE,
        CountedCards::Mean => sum / 3,
    }
}
