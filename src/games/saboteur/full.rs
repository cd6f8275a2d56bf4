//! `full`: an agent that uses every card and guesses the others' roles from what they do.
//!
//! It gives points to everything it can do with the cards in its hand, and takes the best; the numbers are in
//! [`fairground_kernels::saboteur::full`]. It knows its own role, hand and goals, and what lies face up. No draws, no search.
//!
//! Paths lead into some free cells, and the worth of each is its nearness to the goals that may hold the gold: three times
//! as much for each step nearer. The best of them is the front.
//!
//! | action | a digger's points | a saboteur's points |
//! | --- | --- | --- |
//! | path | what the cells that it opens are worth more than its own, in parts of the front; never a blocked card | the same with the other sign |
//! | rock-fall | the same for the removal of a blocked card or the end of a path | more, the more neighbours the next card has to match |
//! | map | if several goals may hold the gold | never |
//! | break | for suspected players, by suspicion | for all, the trusted first |
//! | repair | oneself, then the trusted | never |
//! | discard | by kind: blocked cards first | by kind: good cards first |
//!
//! A side that joins a path that was cut off is worth more than the nearness of its first cell, and a second broken tool
//! of a player is worth less than the first.
//!
//! Equal points: a path before everything else, then the first card in hand, and its use before its discard. Of paths the
//! one on the cell with the smaller [number](cell_number), then the first card in hand, then unturned; of rock-falls the
//! smaller cell; of players whose turn comes first, beginning with the mover; of tools the first.
//!
//! [Suspicion](Position::suspicion) is what everybody could see: who lays blocked cards or breaks the tools of players that
//! nobody suspects is likely a saboteur, who lays passable cards is not.

use fairground_kernels::saboteur::full::{
    DISCARD, EVIDENCE, GOAL, LOOK, LOOK_ORDER, NEVER, REJOIN, change_score, harm_score, mend_score, nearness, opened,
    ruin_score, suspicion_after,
};
use fairground_kernels::saboteur::packed::cell_number;
use fairground_kernels::saboteur::tables::{GOAL_Y, MOST_PLAYERS, SIDES};

use super::action::Action;
use super::board::Board;
use super::pieces::{Card, Tool};
use super::position::Position;

/// The agent's action; none if the mover has no card.
#[must_use]
pub fn choose(position: &Position) -> Option<Action> {
    let view = View::new(position);
    let mut best = view.best_path().unwrap_or((NEVER, None));
    for card in position.own_hand().cards() {
        view.for_each_use(card, |score, action| {
            if score > best.0 {
                best = (score, Some(action));
            }
        });
    }
    best.1
}

/// What the mover knows.
struct View<'a> {
    position: &'a Position,
    board: &'a Board,
    is_saboteur: bool,
    /// The goals that may hold the gold, one bit each.
    possible: u8,
    /// The nearness of the best cell that a path leads into.
    front: i32,
}

impl<'a> View<'a> {
    fn new(position: &'a Position) -> Self {
        let board = position.board();
        let is_saboteur = position.is_saboteur(position.mover);
        let possible = position.possible(position.seen[usize::from(position.mover) % MOST_PLAYERS]);
        let front = board.frontier().map(|(x, y)| nearness(x.into(), y.into(), possible.into())).max().unwrap_or(0);
        Self { position, board, is_saboteur, possible, front }
    }

    fn nearness(&self, x: i8, y: i8) -> i32 {
        nearness(x.into(), y.into(), self.possible.into())
    }

    /// What a passable card on a cell gains with each side that is open: the cells that no other path leads into, and the
    /// goals.
    fn sides(&self, x: i8, y: i8) -> [i32; SIDES] {
        let cells = [(x - 1, y), (x, y + 1), (x + 1, y), (x, y - 1)];
        let mut sides = [0; SIDES];
        for (side, (x, y)) in cells.into_iter().enumerate() {
            if self.board.is_hidden(x, y) {
                let is_possible = (0..).zip(GOAL_Y).any(|(goal, row)| row == y && self.possible >> goal & 1 != 0);
                sides[side] = if is_possible { GOAL } else { 0 };
            } else if let Some(laid) = self.board.card(x, y) {
                let is_cut_off = !laid.is_blocked && !self.board.is_reached(x, y) && laid.mask >> (side ^ 2) & 1 != 0;
                sides[side] = if is_cut_off { REJOIN * self.nearness(x, y) } else { 0 };
            } else if self.board.extent().contains(x, y) && self.board.paths_into(x, y) & !(1 << (side ^ 2)) == 0 {
                sides[side] = self.nearness(x, y);
            }
        }
        sides
    }

    fn change_score(&self, change: i32) -> i32 {
        change_score(self.is_saboteur, change, self.front)
    }

    /// The best path.
    fn best_path(&self) -> Option<(i32, Option<Action>)> {
        if !self.position.can_dig() {
            return None;
        }
        let is_laid = |card: &Card| card.is_path() && (self.is_saboteur || !card.is_blocked());
        let mut best = None;
        self.board.for_each_place(|x, y, edges| {
            let (sides, own) = (self.sides(x, y), self.nearness(x, y));
            let cards = self.position.own_hand().cards().enumerate().filter(|(_, card)| is_laid(card));
            for (place, card) in cards {
                for turned in [false, true].into_iter().take(1 + usize::from(card.can_turn())) {
                    let mask = card.laid_mask(turned);
                    if edges.admit(mask) {
                        let gain = if card.is_blocked() { 0 } else { opened(mask.into(), sides) };
                        let order = std::cmp::Reverse((cell_number(x, y), place, turned));
                        let play = ((self.change_score(gain - own), order), Action::Path { card, turned, x, y });
                        if best.is_none_or(|(key, _)| play.0 > key) {
                            best = Some(play);
                        }
                    }
                }
            }
        });
        best.map(|((score, _), action)| (score, Some(action)))
    }

    /// The uses of a card apart from laying it, and its discard, with their points.
    fn for_each_use(&self, card: Card, mut visit: impl FnMut(i32, Action)) {
        let Self { position, is_saboteur, possible, .. } = *self;
        let role = usize::from(is_saboteur);
        let players = position.players();
        let seats = (0..players).map(|after| (usize::from(position.mover) + after) % players);
        if card == Card::ROCK_FALL {
            if let Some((score, (x, y))) = self.best_rock_fall() {
                visit(score, Action::RockFall { x, y });
            }
        } else if card == Card::MAP {
            if !is_saboteur && possible.count_ones() > 1 {
                let goal = LOOK_ORDER.into_iter().find(|goal| possible >> goal & 1 != 0);
                goal.into_iter().for_each(|goal| visit(LOOK, Action::Map { goal }));
            }
        } else if let Some(tool) = card.breaks() {
            for seat in seats.skip(1).filter(|&seat| position.broken[seat] & tool.bit() == 0) {
                let score = harm_score(is_saboteur, position.suspicion[seat].into(), position.broken[seat] != 0);
                visit(score, Action::Break { tool, seat: seat as u8 });
            }
        } else {
            for seat in seats {
                let broken = position.broken[seat];
                let mended = Tool::ALL.into_iter().find(|tool| card.repairs() & broken & tool.bit() != 0);
                let is_own = seat == usize::from(position.mover);
                let score = mend_score(is_saboteur, is_own, position.suspicion[seat].into());
                mended.into_iter().for_each(|tool| visit(score, Action::Repair { card, tool, seat: seat as u8 }));
            }
        }
        visit(DISCARD[role][card.index()], Action::Discard { card });
    }

    /// The best card to remove.
    fn best_rock_fall(&self) -> Option<(i32, (i8, i8))> {
        let scored = self.board.removable().filter_map(|(x, y)| Some((self.rock_fall_score(x, y)?, (x, y))));
        scored.max_by_key(|&(score, (x, y))| (score, std::cmp::Reverse(cell_number(x, y))))
    }

    /// Diggers remove blocked cards and ends of paths, saboteurs passable cards.
    fn rock_fall_score(&self, x: i8, y: i8) -> Option<i32> {
        let (laid, edges) = (self.board.card(x, y)?, self.board.edges(x, y));
        if self.is_saboteur {
            let neighbours = (edges.open | edges.wall).count_ones() as i32;
            return self.board.is_reached(x, y).then(|| ruin_score(neighbours));
        }
        let is_end = laid.is_blocked || (edges.open & laid.mask).count_ones() == 1;
        if !is_end || self.board.paths_into(x, y) == 0 {
            return None;
        }
        let loss = if laid.is_blocked { 0 } else { opened(laid.mask.into(), self.sides(x, y)) };
        Some(self.change_score(self.nearness(x, y) - loss))
    }
}

impl Position {
    /// Notes what an action says of roles to everybody, before it is done.
    #[inline]
    pub(super) fn note(&mut self, action: Action) {
        let [blocked, passable, harm] = EVIDENCE;
        let evidence = match action {
            Action::Path { card, .. } => {
                if card.is_blocked() {
                    blocked
                } else {
                    passable
                }
            }
            Action::Break { seat, .. } if self.suspicion[usize::from(seat) % MOST_PLAYERS] <= 0 => harm,
            _ => return,
        };
        let own = &mut self.suspicion[usize::from(self.mover) % MOST_PLAYERS];
        *own = suspicion_after((*own).into(), evidence) as i8;
    }
}
