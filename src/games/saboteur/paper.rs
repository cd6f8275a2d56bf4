//! `paper`: the agent of Ohata, Ito and Tajima, in whole numbers.
//!
//! With a map in hand and more than one goal possible the agent looks at a goal. Otherwise it makes the best play if that
//! is worth something, and discards if not. A play is a path card, a half turn or none, and a legal cell. With `dx` and
//! `dy` the distances in columns and rows to the provisional goal (0 counts as 1) it is worth the sum of:
//!
//! | what | points |
//! | --- | --- |
//! | distance | `across / dx + along / dy`; 125 on a provisional goal between two goals |
//! | beside goals that count as adjacent | +100 if the card opens to one of them, else -50 |
//! | left of the goals, and the card cannot go right | -50 |
//! | `dx` 3 or more, and off the row of the start | -50 |
//! | `dx` 3 or more, and a passable crossing while others in hand go sideways | -50 |
//! | a blocked card | -300 |
//!
//! with the sign changed for saboteurs, and then what the cards not yet on the table add: for a card open to the right and
//! left of the goals' column, `100 * left / all` of crossing, horizontal T and horizontal straight; else for a card open up
//! or down towards the provisional goal, of crossing, vertical T and vertical straight; their mean or sum. [`Reading`] has
//! the alternatives. All of it is counted in parts of a point ([`WIDE_SCALE`]), so that every quotient is a whole number
//! and plays compare the same everywhere.

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::Reading;
use fairground_kernels::saboteur::reading::{
    Adjacent, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo, Sideways, Ties, points,
};
use fairground_kernels::saboteur::tables::{
    COUNTS, CROSSING, DOWN, GOAL_X, GOAL_Y, HAND, HORIZONTAL, LEFT, RIGHT, T_HORIZONTAL, T_VERTICAL, UP, VERTICAL,
    WIDE_SCALE,
};

use super::action::Action;
use super::cards::Hand;
use super::pieces::Card;
use super::position::Position;

/// A part of the scale for each distance, 0 counting as 1.
const PARTS: [i64; 32] = {
    let mut parts = [0; 32];
    let mut distance = 0;
    while distance < 31 {
        parts[distance] = WIDE_SCALE / if distance == 0 { 1 } else { distance as i64 };
        distance += 1;
    }
    parts
};

/// A play and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Play {
    value: i64,
    card: Card,
    turned: bool,
    x: i8,
    y: i8,
}

impl Play {
    fn action(self) -> Action {
        let Self { card, turned, x, y, .. } = self;
        Action::Path { card, turned, x, y }
    }
}

/// The agent's action; none if the mover has no card.
pub fn choose<D: Draws>(position: &Position, reading: &Reading, draws: &mut D) -> Option<Action> {
    let hand = position.own_hand();
    let is_saboteur = position.is_saboteur(position.mover);
    let own_seen = position.seen.get(usize::from(position.mover)).copied().unwrap_or(0);
    let seen = if reading.shares_maps { position.seen.iter().fold(0, |all, seen| all | seen) } else { own_seen };
    let possible = position.possible(seen);
    let is_open = possible.count_ones() > 1;
    if is_open && hand.contains(Card::MAP) && (!is_saboteur || reading.saboteurs_use_maps) {
        return Some(Action::Map { goal: goal_to_look_at(possible, reading.map_order, draws) });
    }
    let scorer = Scorer::new(position, reading, is_saboteur, possible, draws);
    let best = scorer.best(draws);
    let discards = if is_saboteur { reading.saboteurs_discard } else { reading.diggers_discard };
    let is_good = |play: &Play| play.value > 0 || play.value == 0 && reading.plays_zero || !discards;
    if let Some(play) = best.filter(is_good) {
        return Some(play.action());
    }
    let first_of = |is_path: bool| hand.cards().find(|card| card.is_path() == is_path);
    let card = match reading.discard {
        Discard::ActionThenBest => first_of(false).or(best.map(|play| play.card)),
        Discard::ActionThenWorst => first_of(false).or_else(|| scorer.worst().map(|play| play.card)),
        Discard::Uniform if !hand.is_empty() => hand.get(draws.below(hand.len() as u32) as usize),
        Discard::Best => best.map(|play| play.card),
        Discard::PathFirst => first_of(true),
        Discard::Uniform | Discard::First => None,
    };
    card.or(hand.get(0)).map(|card| Action::Discard { card })
}

/// The goal for a map, of at least two that are possible.
fn goal_to_look_at<D: Draws>(possible: u8, order: MapOrder, draws: &mut D) -> u8 {
    let order = match order {
        MapOrder::Middle => [1, 2, 0],
        MapOrder::Top => [2, 1, 0],
        MapOrder::Random => return kth_goal(possible, draws.below(possible.count_ones())),
    };
    order.into_iter().find(|goal| possible >> goal & 1 != 0).unwrap_or(0)
}

fn kth_goal(goals: u8, k: u32) -> u8 {
    fairground_kernels::bits::kth_bit(goals.into(), k).min(2) as u8
}

/// The row of the provisional goal; it is in the column of the goals.
fn provisional_row<D: Draws>(possible: u8, reading: &Reading, draws: &mut D) -> i8 {
    let row = |goal: u8| GOAL_Y[usize::from(goal) % GOAL_Y.len()];
    match (possible, reading.of_three, reading.of_two) {
        (0b111, OfThree::Middle, _) | (0, ..) => 0,
        (0b111, OfThree::Top, _) => 2,
        (0b111, OfThree::Between, _) => 1,
        (0b111, OfThree::Random, _) => row(draws.below(3) as u8),
        (0b001 | 0b010 | 0b100, ..) => row(kth_goal(possible, 0)),
        (_, _, OfTwo::Midpoint) => (row(kth_goal(possible, 0)) + row(kth_goal(possible, 1))) / 2,
        (_, _, OfTwo::Upper) => row(kth_goal(possible, 1)),
        (_, _, OfTwo::Random) => row(kth_goal(possible, draws.below(2))),
    }
}

/// The kinds that lead on to the right, and those that lead on up or down.
const SIDEWAYS: [usize; 3] = [CROSSING, T_HORIZONTAL, HORIZONTAL];
const UPRIGHT: [usize; 3] = [CROSSING, T_VERTICAL, VERTICAL];

/// What a path card in hand is, turned or not, apart from where it is laid.
#[derive(Clone, Copy)]
struct Candidate {
    card: Card,
    turned: bool,
    /// Its openings.
    mask: u8,
    /// Points wherever it is laid.
    points: i64,
    /// Points where the goals are far.
    far_points: i64,
    /// Whether it can go right.
    goes_right: bool,
}

/// What the mover's plays are worth.
struct Scorer<'a> {
    position: &'a Position,
    reading: &'a Reading,
    is_saboteur: bool,
    /// The row of the provisional goal, and whether it lies between two goals.
    row: i8,
    is_between: bool,
    /// The rows of the goals that count as adjacent: bit `y + 4`.
    adjacent: u16,
    /// By place in the hand, unturned before turned.
    candidates: [Option<Candidate>; 2 * HAND],
    /// The openings of all candidates, as a set of the sixteen there are.
    masks: u16,
    /// What the cards not yet on the table add to a card that leads right, or up or down.
    counted: [i64; 2],
}

impl<'a> Scorer<'a> {
    fn new<D: Draws>(
        position: &'a Position,
        reading: &'a Reading,
        is_saboteur: bool,
        possible: u8,
        draws: &mut D,
    ) -> Self {
        let row = provisional_row(possible, reading, draws);
        let goals = match reading.adjacent {
            Adjacent::Possible => possible,
            Adjacent::Provisional => 0,
            Adjacent::FaceDown => 0b111 & !position.face_up,
            Adjacent::Any => 0b111,
        };
        let rows = (0..).zip(GOAL_Y).filter(|(goal, _)| goals >> goal & 1 != 0);
        let provisional = if reading.adjacent == Adjacent::Provisional { 1 << (row + 4) } else { 0 };
        let hand = position.own_hand();
        let mut candidates = [None; 2 * HAND];
        let mut masks = 0;
        if position.can_dig() {
            let is_dear = is_crossing_dear(hand, reading.sideways);
            let mut count = 0;
            for card in hand.distinct().filter(|card| card.is_path()) {
                for turned in [false, true].into_iter().take(1 + usize::from(card.can_turn())) {
                    let candidate = candidate(card, turned, reading, is_dear);
                    masks |= 1 << candidate.mask;
                    candidates[count] = Some(candidate);
                    count += 1;
                }
            }
        }
        let counted = match (reading.counted_cards, reading.counted_by_saboteurs) {
            (CountedCards::None, _) => [0; 2],
            (_, CountedBySaboteurs::LeftOut) if is_saboteur => [0; 2],
            _ => [SIDEWAYS, UPRIGHT].map(|kinds| counted(position, reading, kinds)),
        };
        Self {
            position,
            reading,
            is_saboteur,
            row,
            is_between: row % 2 != 0,
            adjacent: rows.fold(provisional, |rows, (_, y)| rows | 1 << (y + 4)),
            candidates,
            masks,
            counted,
        }
    }

    /// All plays: row by row from the bottom, each from the left, then by place in the hand, then unturned and turned.
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(Play)) {
        if self.masks == 0 {
            return;
        }
        self.position.board().for_each_place(|x, y, edges| {
            let fits = edges.fits() & self.masks;
            if fits == 0 {
                return;
            }
            let cell = self.cell(x, y);
            for candidate in self.candidates.iter().map_while(Option::as_ref) {
                if fits >> candidate.mask & 1 != 0 {
                    let Candidate { card, turned, .. } = *candidate;
                    visit(Play { value: self.value(&cell, candidate), card, turned, x, y });
                }
            }
        });
    }

    /// What a cell is, whatever card is laid there.
    #[inline]
    fn cell(&self, x: i8, y: i8) -> Cell {
        let reading = self.reading;
        let [dx, dy] = [x.abs_diff(GOAL_X), y.abs_diff(self.row)];
        let is_far = dx >= reading.far_columns();
        let parts = |weight: u16, distance: u8| {
            if reading.rounds_down {
                i64::from(weight / u16::from(distance.max(1))) * WIDE_SCALE
            } else {
                i64::from(weight) * PARTS[usize::from(distance) % PARTS.len()]
            }
        };
        let mut value = if self.is_between && dx == 0 && dy == 0 && reading.between_is_125 {
            points::BETWEEN * WIDE_SCALE
        } else {
            parts(reading.across, dx) + parts(reading.along, dy)
        };
        let usual_row = if reading.off_goal_row { self.row } else { 0 };
        if is_far && y != usual_row {
            value -= points::PENALTY * WIDE_SCALE;
        }
        let is_left = match reading.left_of_goals {
            LeftOfGoals::Columns => x < GOAL_X,
            LeftOfGoals::NotBeside => x < GOAL_X - 1,
            LeftOfGoals::Far => x < GOAL_X && is_far,
        };
        let goal_at = |y: i8| (-4..=4).contains(&y) && self.adjacent >> (y + 4) & 1 != 0;
        let goals = match x - GOAL_X {
            -1 if goal_at(y) => RIGHT,
            1 if goal_at(y) => LEFT,
            0 => (u8::from(goal_at(y + 1)) * UP) | (u8::from(goal_at(y - 1)) * DOWN),
            _ => 0,
        };
        let towards = match y.cmp(&self.row) {
            std::cmp::Ordering::Less => UP,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => DOWN,
        };
        Cell { value, is_far, is_left, goals, sideways: if x < GOAL_X { RIGHT } else { 0 }, upright: towards }
    }

    #[inline(always)]
    fn value(&self, cell: &Cell, candidate: &Candidate) -> i64 {
        let mask = candidate.mask;
        let value = cell.value + self.points(cell, candidate) * WIDE_SCALE;
        let counted = if mask & cell.sideways != 0 {
            self.counted[0]
        } else if mask & cell.upright != 0 {
            self.counted[1]
        } else {
            0
        };
        match (self.is_saboteur, self.reading.counted_by_saboteurs) {
            (false, _) => value + counted,
            (true, CountedBySaboteurs::Flipped) => -(value + counted),
            (true, _) => counted - value,
        }
    }

    /// The points that depend on both card and cell.
    #[inline(always)]
    fn points(&self, cell: &Cell, candidate: &Candidate) -> i64 {
        let mut points = candidate.points;
        if cell.is_far {
            points += candidate.far_points;
        }
        if cell.is_left && !candidate.goes_right {
            points -= points::PENALTY;
        }
        if cell.goals & candidate.mask != 0 {
            points += points::OPEN;
        } else if cell.goals != 0 && self.reading.closed_beside_goal {
            points -= points::PENALTY;
        }
        points
    }

    /// The best play.
    fn best<D: Draws>(&self, draws: &mut D) -> Option<Play> {
        if self.is_saboteur && self.reading.saboteurs_place_as_diggers {
            return self.best_as_digger();
        }
        let mut best: Option<Play> = None;
        match self.reading.ties {
            // Rows come first here, so only columns have to be compared.
            Ties::First => self.for_each(|play| {
                if best.is_none_or(|best| play.value > best.value || play.value == best.value && play.x < best.x) {
                    best = Some(play);
                }
            }),
            Ties::Last => self.for_each(|play| {
                if best.is_none_or(|best| play.value > best.value || play.value == best.value && play.x >= best.x) {
                    best = Some(play);
                }
            }),
            Ties::Random => {
                let (mut value, mut count) = (i64::MIN, 0);
                self.for_each(|play| {
                    count = if play.value > value { 1 } else { count + u32::from(play.value == value) };
                    value = value.max(play.value);
                });
                let mut k = if count > 1 { draws.below(count) } else { 0 };
                self.for_each(|play| {
                    if play.value == value && best.is_none() {
                        if k == 0 {
                            best = Some(play);
                        }
                        k = k.saturating_sub(1);
                    }
                });
            }
        }
        best
    }

    /// Every card where a digger would lay it, and of these the best for a saboteur; the first of equals.
    fn best_as_digger(&self) -> Option<Play> {
        let mut plays = [None; 2 * HAND];
        self.for_each(|play| {
            // Turned or not, a card is in the place of its first candidate.
            let first = self.candidates.iter().position(|of| of.is_some_and(|of| of.card == play.card));
            let Some(best) = first.and_then(|first| plays.get_mut(first)) else { return };
            if best.is_none_or(|best: Play| play.value < best.value || play.value == best.value && play.x < best.x) {
                *best = Some(play);
            }
        });
        plays.into_iter().flatten().reduce(|best, play| if play.value > best.value { play } else { best })
    }

    /// The worst play, the first of equals.
    fn worst(&self) -> Option<Play> {
        let mut worst: Option<Play> = None;
        self.for_each(|play| {
            if worst.is_none_or(|worst| play.value < worst.value || play.value == worst.value && play.x < worst.x) {
                worst = Some(play);
            }
        });
        worst
    }
}

/// What a cell is, whatever card is laid there.
struct Cell {
    value: i64,
    is_far: bool,
    is_left: bool,
    /// The sides where an adjacent goal is.
    goals: u8,
    /// The side towards the goals' column from the left, and the side towards the row of the provisional goal.
    sideways: u8,
    upright: u8,
}

fn candidate(card: Card, turned: bool, reading: &Reading, is_crossing_dear: bool) -> Candidate {
    let mask = card.laid_mask(turned);
    let goes_right = reading.goes_right(card.index(), mask);
    let points = if card.is_blocked() { -points::BLOCKED } else { 0 };
    let far_points = if is_crossing_dear && card.index() == CROSSING { -points::PENALTY } else { 0 };
    Candidate { card, turned, mask, points, far_points, goes_right }
}

/// Whether the hand has cards that make a crossing too good for a cell far from the goals.
fn is_crossing_dear(hand: Hand, sideways: Sideways) -> bool {
    let kinds = sideways.kinds();
    hand.cards().any(|card| kinds >> card.index() & 1 != 0)
}

/// A hundred points for each of three kinds, times the part of its cards not yet on the table.
fn counted(position: &Position, reading: &Reading, kinds: [usize; 3]) -> i64 {
    let shares = kinds.map(|kind| {
        let Some(card) = Card::from_index(kind) else { return 0 };
        let own = position.own_hand().cards().filter(|&other| other == card).count();
        let gone = usize::from(position.on_table(card)) + if reading.counts_own_hand { own } else { 0 };
        let all = i64::from(COUNTS[kind]);
        let left = (all - gone as i64).max(0);
        if reading.rounds_down {
            points::SHARE * left / all * WIDE_SCALE
        } else {
            points::SHARE * left * (WIDE_SCALE / all)
        }
    });
    let sum: i64 = shares.iter().sum();
    match reading.counted_cards {
        CountedCards::None => 0,
        CountedCards::Sum => sum,
        CountedCards::Mean if reading.rounds_down => sum / WIDE_SCALE / 3 * WIDE_SCALE,
        CountedCards::Mean => sum / 3,
    }
}
