//! Whether an action is legal, rule by rule and cell by cell.
//!
//! Slower than [`legal_actions`](Position::legal_actions) and written independently of it; tests hold the two against
//! each other.

use std::collections::BTreeSet;

use fairground_kernels::saboteur::tables::{GOALS, SIDES};

use super::action::{Action, IllegalAction};
use super::board::{Board, is_fixed};
use super::position::Position;

type Checked = Result<(), IllegalAction>;

fn ensure(is_so: bool, otherwise: IllegalAction) -> Checked {
    if is_so { Ok(()) } else { Err(otherwise) }
}

/// The cells to the left, above, to the right and below.
fn neighbours([x, y]: [i8; 2]) -> [[i8; 2]; SIDES] {
    [[x.saturating_sub(1), y], [x, y.saturating_add(1)], [x.saturating_add(1), y], [x, y.saturating_sub(1)]]
}

impl Board {
    /// Whether the card on a cell, if one lies there face up, is open to a side.
    fn opens(&self, [x, y]: [i8; 2], side: usize) -> bool {
        self.card(x, y).is_some_and(|card| card.mask >> side & 1 != 0)
    }

    /// The passable cards that a path leads to from the start, cell by cell.
    #[must_use]
    pub fn plain_reach(&self) -> BTreeSet<[i8; 2]> {
        let mut reach = BTreeSet::new();
        let mut open = vec![[0, 0]];
        while let Some(cell) = open.pop() {
            if self.card(cell[0], cell[1]).is_none_or(|card| card.is_blocked) || !reach.insert(cell) {
                continue;
            }
            let sides = neighbours(cell).into_iter().enumerate();
            open.extend(
                sides
                    .filter(|&(side, next)| self.opens(cell, side) && self.opens(next, side ^ 2))
                    .map(|(_, next)| next),
            );
        }
        reach
    }

    /// Whether a card with these openings may be laid on a cell.
    ///
    /// # Errors
    /// Says why not.
    pub fn check_place(&self, mask: u8, x: i8, y: i8) -> Checked {
        ensure(self.card(x, y).is_none() && !self.is_hidden(x, y), IllegalAction::Occupied)?;
        let around = neighbours([x, y]);
        let reach = self.plain_reach();
        let leads_here = |(side, cell): (usize, &[i8; 2])| reach.contains(cell) && self.opens(*cell, side ^ 2);
        ensure(around.iter().enumerate().any(leads_here), IllegalAction::Unreachable)?;
        for (side, [x, y]) in around.into_iter().enumerate() {
            if let Some(card) = self.card(x, y) {
                ensure((card.mask >> (side ^ 2) ^ mask >> side) & 1 == 0, IllegalAction::Edge)?;
            }
        }
        ensure(self.extent().contains(x, y), IllegalAction::OffBoard)
    }
}

impl Position {
    /// Whether the rules allow this action.
    ///
    /// # Errors
    /// Says why they do not.
    pub fn check(&self, action: Action) -> Checked {
        ensure(self.is_dealt, IllegalAction::NotDealt)?;
        ensure(self.winner.is_none(), IllegalAction::RoundOver)?;
        ensure(self.own_hand().contains(action.card()), IllegalAction::NotInHand)?;
        match action {
            Action::Path { card, turned, x, y } => {
                ensure(card.is_path(), IllegalAction::WrongCard)?;
                ensure(!turned || card.can_turn(), IllegalAction::NoTurn)?;
                ensure(self.can_dig(), IllegalAction::BrokenTool)?;
                self.board.check_place(card.laid_mask(turned), x, y)
            }
            Action::RockFall { x, y } => {
                ensure(self.board.card(x, y).is_some() && !is_fixed(x, y), IllegalAction::NothingToRemove)
            }
            Action::Map { goal } => {
                let is_hidden = usize::from(goal) < GOALS && self.face_up >> goal & 1 == 0;
                ensure(is_hidden, IllegalAction::NoHiddenGoal)
            }
            Action::Break { tool, seat } => {
                ensure(seat < self.players && seat != self.mover, IllegalAction::NoSuchPlayer)?;
                ensure(self.broken[usize::from(seat)] & tool.bit() == 0, IllegalAction::BrokenAlready)
            }
            Action::Repair { card, tool, seat } => {
                ensure(card.repairs() & tool.bit() != 0, IllegalAction::WrongCard)?;
                ensure(seat < self.players, IllegalAction::NoSuchPlayer)?;
                ensure(self.broken[usize::from(seat)] & tool.bit() != 0, IllegalAction::NotBroken)
            }
            Action::Discard { .. } => Ok(()),
        }
    }
}
