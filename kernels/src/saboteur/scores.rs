//! `paper` for all lanes at once: the worth of every play, place by place of the lists and card by card of the hands.

use fearless_simd::Simd;

use super::ground::{PLACE_CELL, laid_mask};
use super::packed::{CELL_ROW_BITS, HAND_BITS, NO_HAND_CARD};
use super::paper::{LEADING_ON, distance_points, goal_to_look_at, provisional_row};
use super::reading::{
    Adjacent, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo, Reading, Ties, points,
};
use super::state::Lanes;
use super::tables::{
    COUNTS, CROSSING, DOWN, FIRST_BLOCKED, GOAL_X, GOAL_Y, HAND, LEFT, MAP, MASKS, NARROW_SCALE, PATH_KINDS, RIGHT, UP,
    WIDE_ORIGIN, WIDE_ROW_ORIGIN,
};
use crate::lanes::{WordMask, Words};

/// The column of the goals, and row 0, as cells number them.
const GOALS_COLUMN: u32 = (GOAL_X + WIDE_ORIGIN) as u32;
const ROW_0: u32 = WIDE_ROW_ORIGIN as u32;
/// The row that is bit 0 in a set of rows near the goals.
const SET_ROW: u32 = 16;
/// A point.
const POINT: i32 = NARROW_SCALE;
/// Less than any play is worth.
const NOTHING: u32 = i32::MIN as u32;
/// The most points for distances that 32 bits hold together with all others.
const MOST_POINTS: u16 = 1000;

/// What a reading says, in tables for vectors.
#[derive(Clone, Copy, Debug)]
pub struct Scoring {
    reading: Reading,
    /// Parts of a point for a distance in columns and in rows: the bytes of each word, lowest first.
    across: [[u8; 16]; 4],
    along: [[u8; 16]; 4],
    /// By kind of path card: 1 blocked, 2 cannot go right unturned, 4 nor turned.
    flags: [u8; 16],
    /// The goal to look at, and the row of the provisional goal, by the goals that are possible.
    looks_at: [u8; 16],
    rows: [u8; 16],
    dear: u32,
}

/// The words of a table by bytes.
fn by_bytes(words: [i32; 16]) -> [[u8; 16]; 4] {
    std::array::from_fn(|byte| words.map(|word| word.to_le_bytes()[byte]))
}

impl Scoring {
    /// The tables of a reading; none if its plays cannot be compared one by one, or not in 32 bits.
    #[must_use]
    pub fn new(reading: &Reading) -> Option<Self> {
        let is_plain = reading.ties != Ties::Random
            && reading.discard != Discard::ActionThenWorst
            && !reading.saboteurs_place_as_diggers;
        if !is_plain || reading.across.checked_add(reading.along).is_none_or(|sum| sum > MOST_POINTS) {
            return None;
        }
        let points = |weight| {
            let table =
                std::array::from_fn(|distance| distance_points(reading, weight, distance as i64, POINT.into()) as i32);
            by_bytes(table)
        };
        Some(Self {
            reading: *reading,
            across: points(reading.across),
            along: points(reading.along),
            flags: std::array::from_fn(|kind| {
                let [straight, turned] =
                    [false, true].map(|is_turned| u8::from(!reading.goes_right(kind, laid_mask(kind, is_turned))));
                u8::from(kind >= FIRST_BLOCKED) | straight << 1 | turned << 2
            }),
            looks_at: std::array::from_fn(|possible| goal_to_look_at(possible as u32 & 7, reading.map_order) as u8),
            rows: std::array::from_fn(|possible| {
                (provisional_row(reading, possible as u32 & 7, 0) + WIDE_ROW_ORIGIN) as u8
            }),
            dear: reading.sideways.kinds(),
        })
    }
}

/// The movers' hands.
#[derive(Clone, Copy)]
pub struct Hands<S: Simd> {
    /// As words.
    pub word: Words<S>,
    /// The kind of the card in each place.
    pub kinds: [Words<S>; HAND],
    /// Numbers of cards.
    pub len: Words<S>,
    /// The most cards in any.
    pub most: usize,
}

/// What the lanes chose.
pub struct Chosen<S: Simd> {
    /// The place in the hand of the card that is used.
    pub slot: Words<S>,
    /// The lanes that lay it.
    pub lays: u64,
    /// The cells where they lay it.
    pub cell: Words<S>,
    /// 1 if it is turned, else 0.
    pub turned: Words<S>,
}

/// The card in a place of the hands, turned or not, and what it is worth whatever the cell.
#[derive(Clone, Copy)]
struct Candidate<S: Simd> {
    /// Its openings, and the bit of these openings in a set of openings; none if there is no such play.
    mask: Words<S>,
    bit: Words<S>,
    /// Points everywhere, left of the goals, and far from them.
    points: Words<S>,
    left: Words<S>,
    far: Words<S>,
}

#[inline(always)]
fn look_up_words<S: Simd>(index: Words<S>, table: &[[u8; 16]; 4]) -> Words<S> {
    let bytes = (index & 15).spread_byte();
    (bytes.look_up(&table[0]) & 0xff)
        | (bytes.look_up(&table[1]) & 0xff00)
        | (bytes.look_up(&table[2]) & 0xff_0000)
        | (bytes.look_up(&table[3]) & 0xff00_0000)
}

#[inline(always)]
fn distance<S: Simd>(a: Words<S>, b: Words<S>) -> Words<S> {
    a.less(b).select(b - a, a - b)
}

/// The points with a sign for each lane.
#[inline(always)]
fn signed<S: Simd>(simd: S, is_minus: WordMask<S>, points: i64) -> Words<S> {
    let parts = points as i32 * POINT;
    is_minus.select(Words::splat(simd, (-parts) as u32), Words::splat(simd, parts as u32))
}

/// What a cell is, whatever card is laid there.
#[derive(Clone, Copy)]
struct Cell<S: Simd> {
    /// The word of the list: number of the cell, and the openings that fit.
    word: Words<S>,
    value: Words<S>,
    is_left: WordMask<S>,
    is_far: WordMask<S>,
    /// Whether any lane's cell is in the column of the goals or beside it.
    is_near: bool,
    /// The sides where an adjacent goal is, and the points for a card that does not open to it.
    goals: Words<S>,
    closed: Words<S>,
    /// The side to the right if it is left of the goals, and the side towards the row of the provisional goal.
    sideways: Words<S>,
    upright: Words<S>,
}

/// What the movers know and are.
#[derive(Clone, Copy)]
struct Seats<S: Simd> {
    is_saboteur: WordMask<S>,
    row: Words<S>,
    /// Rows of the goals that count as adjacent.
    adjacent: Words<S>,
    /// What the cards not yet on the table add to a card that leads right, or up or down.
    counted: [Words<S>; 2],
    hundred: Words<S>,
    minus_fifty: Words<S>,
}

impl<S: Simd> Lanes<S> {
    /// The choice of the paper's agent in these lanes, none of which is wide.
    #[inline(always)]
    pub fn choose_by_scores(&mut self, scoring: &Scoring, lanes: u64, hands: &Hands<S>) -> Chosen<S> {
        let simd = self.simd;
        let reading = &scoring.reading;
        let zero = Words::splat(simd, 0);
        let one = Words::splat(simd, 1);
        let active = self.mask(lanes);
        let is_saboteur = ((self.saboteurs >> self.mover) & 1).is(1);
        let bits = self.mover + self.mover + self.mover;

        let own = if reading.shares_maps {
            let five = self.seen | (self.seen >> 15);
            five | (five >> 3) | (five >> 6) | (five >> 9) | (five >> 12)
        } else {
            self.seen >> bits
        };
        let known = (own | self.face_up) & 7;
        let found = known & self.gold;
        let possible = found.is(0).select(known ^ 7, found);
        let is_open = !(possible & (possible - 1)).is(0);

        // Maps.
        let mut map_slot = zero + HAND as u32;
        for slot in (0..hands.most).rev() {
            map_slot = hands.kinds[slot].is(MAP as u32).select(Words::splat(simd, slot as u32), map_slot);
        }
        let mut maps = active & is_open & !map_slot.is(HAND as u32);
        if !reading.saboteurs_use_maps {
            maps = maps & !is_saboteur;
        }
        let goal = if reading.map_order == MapOrder::Random {
            let k = self.rng.below_where(maps, possible.count_ones(), zero);
            possible.kth_bit_below_256(k)
        } else {
            possible.look_up(&scoring.looks_at) & 3
        };
        self.seen = self.seen | maps.keep(one << (bits + goal));
        let plays = active & !maps;

        // The provisional goal.
        let mut row = possible.look_up(&scoring.rows) & 0xff;
        let first_row = (GOAL_Y[0] + WIDE_ROW_ORIGIN) as u32;
        if reading.of_three == OfThree::Random {
            let is_three = plays & possible.is(0b111);
            let k = self.rng.below_where(is_three, zero + 3, zero);
            row = is_three.select((k << 1) + first_row, row);
        }
        if reading.of_two == OfTwo::Random {
            let is_two = plays & is_open & !possible.is(0b111);
            let k = self.rng.below_where(is_two, zero + 2, zero);
            row = is_two.select((possible.kth_bit_below_256(k) << 1) + first_row, row);
        }
        let goals = match reading.adjacent {
            Adjacent::Possible => possible,
            Adjacent::Provisional => zero,
            Adjacent::FaceDown => (self.face_up & 7) ^ 7,
            Adjacent::Any => zero + 7,
        };
        // The goals are two rows apart.
        let spread = (goals & 1) | ((goals & 2) << 1) | ((goals & 4) << 2);
        let mut adjacent = spread << (first_row - SET_ROW);
        if reading.adjacent == Adjacent::Provisional {
            adjacent = one << (row - SET_ROW);
        }

        let seats = Seats {
            is_saboteur,
            row,
            adjacent,
            counted: self.counted(scoring, is_saboteur, hands),
            hundred: signed(simd, is_saboteur, points::OPEN),
            minus_fifty: signed(simd, is_saboteur, -points::PENALTY),
        };
        let can_dig = plays & ((self.broken >> bits) & 7).is(0);
        let candidates = self.candidates(scoring, &seats, can_dig, hands);
        let candidates = &candidates[..2 * hands.most];
        let (best, word) = self.best(scoring, &seats, candidates);
        let candidate = self.candidate_of(scoring, &seats, candidates, best, word);
        let best_slot = candidate >> 1;

        let is_some = !best.is(NOTHING);
        let mut is_good = best.above(0);
        if reading.plays_zero {
            is_good = is_good | best.is(0);
        }
        if !reading.diggers_discard {
            is_good = is_good | !is_saboteur;
        }
        if !reading.saboteurs_discard {
            is_good = is_good | is_saboteur;
        }
        let lays = plays & is_some & is_good;
        let discards = plays & !(is_some & is_good);
        let best_card = is_some.keep(best_slot);
        let discarded = match reading.discard {
            Discard::Best => best_card,
            Discard::First => zero,
            Discard::ActionThenBest | Discard::ActionThenWorst => {
                let mut slot = best_card;
                for place in (0..hands.most).rev() {
                    let kind = hands.kinds[place];
                    let is_action = kind.above(PATH_KINDS as u32 - 1) & !kind.is(NO_HAND_CARD);
                    slot = is_action.select(Words::splat(simd, place as u32), slot);
                }
                slot
            }
            Discard::PathFirst => {
                let mut slot = zero;
                for place in (0..hands.most).rev() {
                    let is_path = !hands.kinds[place].above(PATH_KINDS as u32 - 1);
                    slot = is_path.select(Words::splat(simd, place as u32), slot);
                }
                slot
            }
            Discard::Uniform => {
                let k = self.rng.below_where(discards, hands.len, zero);
                let wanted = (hands.word >> (k * HAND_BITS)) & NO_HAND_CARD;
                let mut slot = zero;
                for place in (0..hands.most).rev() {
                    slot = hands.kinds[place].equals(wanted).select(Words::splat(simd, place as u32), slot);
                }
                slot
            }
        };
        let slot = maps.select(map_slot, lays.select(best_slot, discarded));
        Chosen { slot, lays: lays.bits(), cell: word >> PLACE_CELL, turned: candidate & 1 }
    }

    /// What the cards not yet on the table add.
    #[inline(always)]
    fn counted(&self, scoring: &Scoring, is_saboteur: WordMask<S>, hands: &Hands<S>) -> [Words<S>; 2] {
        let reading = &scoring.reading;
        let zero = Words::splat(self.simd, 0);
        let share = points::SHARE as u32;
        let mut both = [zero; 2];
        if reading.counted_cards == CountedCards::None {
            return both;
        }
        for (sum, kinds) in both.iter_mut().zip(LEADING_ON) {
            for kind in kinds {
                let all = u32::from(COUNTS[kind]);
                let mut gone = (self.laid_kinds >> (4 * kind as u32)) & 15;
                if reading.counts_own_hand {
                    for place in 0..hands.most {
                        gone = gone + hands.kinds[place].is(kind as u32).keep(zero + 1);
                    }
                }
                let left = zero + all - gone.least(zero + all);
                *sum = *sum
                    + if reading.rounds_down {
                        // Whole points, to be scaled below.
                        let mut table = [0; 16];
                        for (left, points) in table.iter_mut().enumerate().take(all as usize + 1) {
                            *points = (share as usize * left / all as usize) as u8;
                        }
                        left.look_up(&table) & 0xff
                    } else if reading.counted_cards == CountedCards::Mean {
                        left * (share * (POINT as u32 / all / 3))
                    } else {
                        left * (share * (POINT as u32 / all))
                    };
            }
            if reading.rounds_down {
                if reading.counted_cards == CountedCards::Mean {
                    // A third, rounded down: exact far beyond three hundred.
                    *sum = (*sum * 21846) >> 16;
                }
                *sum = *sum * POINT as u32;
            }
            *sum = match reading.counted_by_saboteurs {
                CountedBySaboteurs::Added => *sum,
                CountedBySaboteurs::Flipped => is_saboteur.select(zero - *sum, *sum),
                CountedBySaboteurs::LeftOut => is_saboteur.select(zero, *sum),
            };
        }
        both
    }

    /// The cards of the hands, unturned and turned.
    #[inline(always)]
    fn candidates(
        &self,
        scoring: &Scoring,
        seats: &Seats<S>,
        can_dig: WordMask<S>,
        hands: &Hands<S>,
    ) -> [Candidate<S>; 2 * HAND] {
        let zero = Words::splat(self.simd, 0);
        let one = Words::splat(self.simd, 1);
        let none = Candidate { mask: zero, bit: zero, points: zero, left: zero, far: zero };
        let mut candidates = [none; 2 * HAND];
        let mut is_dear = zero;
        for slot in 0..hands.most {
            is_dear = is_dear | (Words::splat(self.simd, scoring.dear) >> hands.kinds[slot]);
        }
        let far = ((is_dear & 1).is(1)).keep(seats.minus_fifty);
        let blocked = signed(self.simd, seats.is_saboteur, -points::BLOCKED);
        let mut met = zero;
        for slot in 0..hands.most {
            let kind = hands.kinds[slot];
            let bit = one << kind;
            let is_new = can_dig & (met & bit).is(0) & !kind.above(PATH_KINDS as u32 - 1);
            met = met | bit;
            let kind = kind & 15;
            let straight = is_new.keep(kind.look_up(&MASKS) & 15);
            let turned = ((straight & 3) << 2) | (straight >> 2);
            let flags = kind.look_up(&scoring.flags);
            let points = (flags & 1).is(1).keep(blocked);
            let far = kind.is(CROSSING as u32).keep(far);
            let left = (flags & 2).is(2).keep(seats.minus_fifty);
            let bit = is_new.keep(one << straight);
            candidates[2 * slot] = Candidate { mask: straight, bit, points, left, far };
            let left = (flags & 4).is(4).keep(seats.minus_fifty);
            let bit = turned.equals(straight).select(zero, one << turned);
            candidates[2 * slot + 1] = Candidate { mask: turned, bit, points, left, far };
        }
        candidates
    }

    /// The worth of the best play, and the word of its cell.
    #[inline(always)]
    fn best(&self, scoring: &Scoring, seats: &Seats<S>, candidates: &[Candidate<S>]) -> (Words<S>, Words<S>) {
        let is_last = scoring.reading.ties == Ties::Last;
        let counts = scoring.reading.counted_cards != CountedCards::None;
        let nothing = Words::splat(self.simd, NOTHING);
        let mut best = nothing;
        let mut word = nothing.zero();
        for &place in &self.places[..self.most_places] {
            let cell = self.cell(scoring, seats, place);
            // The plays on a cell are compared without a look at which is which: that is a shorter chain.
            let mut best_here = nothing;
            if counts {
                for of in candidates {
                    best_here = best_here.most(self.value::<true, true>(seats, &cell, of));
                }
            } else if cell.is_near {
                for of in candidates {
                    best_here = best_here.most(self.value::<true, false>(seats, &cell, of));
                }
            } else {
                for of in candidates {
                    best_here = best_here.most(self.value::<false, false>(seats, &cell, of));
                }
            }
            let is_first = if is_last { word.less(place) } else { place.less(word) };
            let takes = best.less(best_here) | (best.equals(best_here) & is_first);
            best = best.most(best_here);
            word = takes.select(place, word);
        }
        (best, word)
    }

    /// Which play on a cell is worth so much.
    #[inline(always)]
    fn candidate_of(
        &self,
        scoring: &Scoring,
        seats: &Seats<S>,
        candidates: &[Candidate<S>],
        best: Words<S>,
        word: Words<S>,
    ) -> Words<S> {
        let is_last = scoring.reading.ties == Ties::Last;
        let cell = self.cell(scoring, seats, word);
        let mut found = word.zero() + 2 * HAND as u32;
        for (number, of) in candidates.iter().enumerate() {
            let is_it = self.value::<true, true>(seats, &cell, of).equals(best);
            let is_new = if is_last { is_it } else { is_it & found.is(2 * HAND as u32) };
            found = is_new.select(Words::splat(self.simd, number as u32), found);
        }
        found
    }

    /// What the cell of a word of the list is.
    #[inline(always)]
    fn cell(&self, scoring: &Scoring, seats: &Seats<S>, word: Words<S>) -> Cell<S> {
        let reading = &scoring.reading;
        let simd = self.simd;
        let zero = Words::splat(simd, 0);
        let number = word >> PLACE_CELL;
        let x = number >> CELL_ROW_BITS;
        let y = number & ((1 << CELL_ROW_BITS) - 1);
        let dx = distance(x, zero + GOALS_COLUMN);
        let dy = distance(y, seats.row);
        let is_far = dx.above(u32::from(reading.far_columns()) - 1);
        let left_of_goals = x.less(zero + GOALS_COLUMN);
        let is_left = match reading.left_of_goals {
            LeftOfGoals::Columns => left_of_goals,
            LeftOfGoals::NotBeside => x.less(zero + (GOALS_COLUMN - 1)),
            LeftOfGoals::Far => left_of_goals & is_far,
        };
        let mut value = look_up_words(dx, &scoring.across) + look_up_words(dy, &scoring.along);
        if reading.between_is_125 {
            let is_between = (dx | dy).is(0) & (seats.row & 1).is(1);
            value = is_between.select(Words::splat(simd, (points::BETWEEN as i32 * POINT) as u32), value);
        }
        let is_off = if reading.off_goal_row { !y.equals(seats.row) } else { !y.is(ROW_0) };
        value = value - (is_far & is_off).keep(Words::splat(simd, (points::PENALTY as i32 * POINT) as u32));
        value = seats.is_saboteur.select(zero - value, value);

        let is_near = dx.less(zero + 2).any();
        let mut goals = zero;
        if is_near {
            let beside = (seats.adjacent >> ((y - SET_ROW) & 31)) & 1;
            let above = (seats.adjacent >> ((y - (SET_ROW - 1)) & 31)) & 1;
            let below = (seats.adjacent >> ((y - (SET_ROW + 1)) & 31)) & 1;
            goals = x.is(GOALS_COLUMN - 1).keep(beside * u32::from(RIGHT))
                | x.is(GOALS_COLUMN + 1).keep(beside * u32::from(LEFT))
                | x.is(GOALS_COLUMN).keep((above * u32::from(UP)) | (below * u32::from(DOWN)));
        }
        let closed = if reading.closed_beside_goal { (!goals.is(0)).keep(seats.minus_fifty) } else { zero };
        let [mut sideways, mut upright] = [zero; 2];
        if reading.counted_cards != CountedCards::None {
            sideways = left_of_goals.keep(zero + u32::from(RIGHT));
            upright = y.less(seats.row).keep(zero + u32::from(UP)) | seats.row.less(y).keep(zero + u32::from(DOWN));
        }
        Cell { word, value, is_left, is_far, is_near, goals, closed, sideways, upright }
    }

    /// What a play is worth; [`NOTHING`] if the card does not fit.
    #[inline(always)]
    fn value<const IS_NEAR: bool, const COUNTS_CARDS: bool>(
        &self,
        seats: &Seats<S>,
        cell: &Cell<S>,
        of: &Candidate<S>,
    ) -> Words<S> {
        let mut value = cell.value + of.points + cell.is_left.keep(of.left) + cell.is_far.keep(of.far);
        if IS_NEAR {
            value = value + (cell.goals & of.mask).is(0).select(cell.closed, seats.hundred);
        }
        if COUNTS_CARDS {
            let upright = (cell.upright & of.mask).is(0).select(value.zero(), seats.counted[1]);
            value = value + (cell.sideways & of.mask).is(0).select(upright, seats.counted[0]);
        }
        (cell.word & of.bit).is(0).select(Words::splat(self.simd, NOTHING), value)
    }
}
