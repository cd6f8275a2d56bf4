//! The rules: what can be done, and what it does.
//!
//! This is the fast half, over words of the board. [`check`](super::check) decides legality once more in plain terms.

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::tables::{GOAL_X, GOAL_Y, GOALS, GOLD_FACE, MOST_PLAYERS, SIDES};

use super::action::{Action, IllegalAction};
use super::board::Laid;
use super::pieces::{Card, Tool};
use super::position::{Position, Winner};

impl Position {
    /// Whether the mover may lay path cards.
    #[inline]
    #[must_use]
    pub const fn can_dig(&self) -> bool {
        self.broken[self.mover as usize % MOST_PLAYERS] == 0
    }

    /// All legal actions: the uses of each kind of card in the hand in its order, then the discards in the same order.
    ///
    /// Uses of a card: path cards unturned, then turned, on cells row by row from the bottom, each from the left; the
    /// rock-fall on cells in the same order; maps of goals from the bottom; breaks by seat; repairs by seat and tool.
    #[must_use]
    pub fn legal_actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.winner.is_some() || !self.is_dealt {
            return actions;
        }
        for card in self.own_hand().distinct() {
            self.for_each_use(card, |action| actions.push(action));
        }
        actions.extend(self.own_hand().distinct().map(|card| Action::Discard { card }));
        actions
    }

    /// The uses of a card in the order of [`legal_actions`](Self::legal_actions).
    fn for_each_use(&self, card: Card, mut visit: impl FnMut(Action)) {
        if card.is_path() {
            if self.can_dig() {
                for turned in [false, true].into_iter().take(1 + usize::from(card.can_turn())) {
                    let cells = self.board.legal(card.laid_mask(turned));
                    cells.for_each(|(x, y)| visit(Action::Path { card, turned, x, y }));
                }
            }
        } else if card == Card::ROCK_FALL {
            self.board.removable().for_each(|(x, y)| visit(Action::RockFall { x, y }));
        } else if card == Card::MAP {
            let hidden = (0..GOALS as u8).filter(|goal| self.face_up >> goal & 1 == 0);
            hidden.for_each(|goal| visit(Action::Map { goal }));
        } else if let Some(tool) = card.breaks() {
            let others = (0..self.players).filter(|&seat| seat != self.mover);
            let whole = others.filter(|&seat| self.broken[usize::from(seat)] & tool.bit() == 0);
            whole.for_each(|seat| visit(Action::Break { tool, seat }));
        } else {
            for seat in 0..self.players {
                let mended = card.repairs() & self.broken[usize::from(seat)];
                let tools = Tool::ALL.into_iter().filter(|tool| mended & tool.bit() != 0);
                tools.for_each(|tool| visit(Action::Repair { card, tool, seat }));
            }
        }
    }

    /// The number of uses of a card.
    pub(super) fn count_uses(&self, card: Card) -> u32 {
        if card.is_path() {
            if !self.can_dig() {
                return 0;
            }
            let turned = if card.can_turn() { self.board.count_legal(card.laid_mask(true)) } else { 0 };
            return self.board.count_legal(card.mask()) + turned;
        }
        let mut count = 0;
        self.for_each_use(card, |_| count += 1);
        count
    }

    /// The `k`-th use of a card, counting from 0.
    pub(super) fn kth_use(&self, card: Card, k: u32) -> Option<Action> {
        let (mut left, mut found) = (k, None);
        self.for_each_use(card, |action| {
            if left == 0 {
                found.get_or_insert(action);
            }
            left = left.saturating_sub(1);
        });
        found
    }

    /// Plays a turn, after asking whether the rules allow it. Chance deals the next card.
    ///
    /// # Errors
    /// Says why the rules do not allow the action; then nothing has changed.
    pub fn try_act<D: Draws>(&mut self, action: Action, draws: &mut D) -> Result<(), IllegalAction> {
        self.check(action)?;
        self.act(action, draws);
        Ok(())
    }

    /// Plays a turn with a legal action: uses the card, and unless the round ends draws the next one.
    #[inline]
    pub fn act<D: Draws>(&mut self, action: Action, draws: &mut D) {
        let mover = usize::from(self.mover) % MOST_PLAYERS;
        self.note(action);
        self.turn = self.turn.saturating_add(1);
        self.hands[mover] = self.hands[mover].without(action.card());
        match action {
            Action::Path { card, turned, x, y } => self.lay(card, turned, x, y),
            Action::RockFall { x, y } => self.remove(x, y),
            Action::Map { goal } => self.seen[mover] |= 1u8.wrapping_shl(goal.into()) & 0b111,
            Action::Break { tool, seat } => self.broken[usize::from(seat) % MOST_PLAYERS] |= tool.bit(),
            Action::Repair { tool, seat, .. } => self.broken[usize::from(seat) % MOST_PLAYERS] &= !tool.bit(),
            Action::Discard { .. } => {}
        }
        if self.winner.is_some() {
            return;
        }
        if let Some(card) = self.deck.draw(draws) {
            self.hands[mover] = self.hands[mover].with(card);
        }
        self.pass_turn();
    }

    /// The next player with a card moves; if there is none the round is over.
    #[inline]
    fn pass_turn(&mut self) {
        let mut seat = self.mover;
        for _ in 0..self.players {
            seat = if seat.saturating_add(1) >= self.players { 0 } else { seat + 1 };
            if !self.hands[usize::from(seat)].is_empty() {
                self.mover = seat;
                return;
            }
        }
        self.winner = Some(if self.saboteurs == 0 { Winner::Nobody } else { Winner::Saboteurs });
    }

    /// Lays a path card. If it is passable it turns the goals that it opens to.
    #[inline]
    fn lay(&mut self, card: Card, turned: bool, x: i8, y: i8) {
        let mask = card.laid_mask(turned);
        self.board.lay(x, y, Laid { mask, is_blocked: card.is_blocked() });
        self.table = self.table.wrapping_add(1 << (4 * (card.index() % 16)));
        if !card.is_blocked() && x >= GOAL_X - 1 {
            self.turn_goals(x, y, mask);
        }
    }

    /// Turns every goal face down that a reached card on this cell opens to. Every goal beside any other reached card
    /// was turned when that card was laid.
    fn turn_goals(&mut self, x: i8, y: i8, mask: u8) {
        for (goal, goal_y) in GOAL_Y.into_iter().enumerate() {
            let Some(side) = side_towards([x, y], [GOAL_X, goal_y]) else { continue };
            if mask >> side & 1 == 0 || self.face_up >> goal & 1 != 0 {
                continue;
            }
            self.face_up |= 1 << goal;
            self.board.turn_goal(goal, self.goals[goal], side ^ 2);
            if self.goals[goal] == GOLD_FACE {
                self.winner = Some(Winner::Diggers);
            }
        }
    }

    /// Removes a card from the table.
    fn remove(&mut self, x: i8, y: i8) {
        let Some(card) = self.board.card(x, y).and_then(|laid| Card::lying(laid.mask, laid.is_blocked)) else { return };
        self.board.remove(x, y);
        self.table = self.table.wrapping_sub(1 << (4 * (card.index() % 16)));
    }
}

/// The side of a card on one cell that touches the other cell.
#[inline]
#[must_use]
pub const fn side_towards([x, y]: [i8; 2], [to_x, to_y]: [i8; 2]) -> Option<usize> {
    match (to_x - x, to_y - y) {
        (-1, 0) => Some(0),
        (0, 1) => Some(1),
        (1, 0) => Some(2),
        (0, -1) => Some(3),
        _ => None,
    }
}

const _: () = assert!(SIDES == 4);
