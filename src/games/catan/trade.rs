//! Trade between players: offer, answer, exchange. Playouts do without.

use fairground_kernels::catan::Cards;
use fairground_kernels::catan::tables::{BANK, RESOURCES, SEATS};

use super::action::IllegalAction;
use super::position::{Phase, Position};

/// An offer of the player whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// Whom it is made to.
    pub to: u8,
    /// What the mover gives.
    pub gives: Cards,
    /// What the mover wants for it.
    pub wants: Cards,
}

/// Cards on both sides, none of them on both, and no more than there are.
fn is_trade(a: Cards, b: Cards) -> bool {
    let [ours, theirs] = [a, b].map(Cards::counts);
    let are_different = (0..RESOURCES).all(|resource| ours[resource] == 0 || theirs[resource] == 0);
    let are_few = [ours, theirs].as_flattened().iter().all(|&count| count <= BANK);
    let nothing_else = (a.0 | b.0) >> (8 * RESOURCES) == 0;
    !a.is_empty() && !b.is_empty() && are_different && are_few && nothing_else
}

impl Position {
    /// The mover has rolled, has the cards, and offers them to another player for other cards. Whether that player
    /// has those is asked when the offer is accepted.
    pub(super) fn check_offer(&self, offer: &Offer) -> Result<(), IllegalAction> {
        self.check_main()?;
        if usize::from(offer.to) >= SEATS {
            return Err(IllegalAction::NoSuchPlace);
        }
        if offer.to == self.mover || !is_trade(offer.gives, offer.wants) {
            return Err(IllegalAction::BadOffer);
        }
        if self.own().hand.covers(offer.gives) { Ok(()) } else { Err(IllegalAction::CannotAfford) }
    }

    /// Declining is always possible, accepting with the cards.
    pub(super) fn check_answer(&self, accepts: bool) -> Result<(), IllegalAction> {
        let offer = self.offer.filter(|_| self.phase == Phase::Answer).ok_or(IllegalAction::NotNow)?;
        let has_cards = self.players[usize::from(offer.to) % SEATS].hand.covers(offer.wants);
        if !accepts || has_cards { Ok(()) } else { Err(IllegalAction::CannotAfford) }
    }

    pub(super) fn make_offer(&mut self, offer: Offer) {
        self.offer = Some(offer);
        self.phase = Phase::Answer;
    }

    pub(super) fn answer(&mut self, accepts: bool) {
        self.phase = Phase::Turn;
        if let Some(offer) = self.offer.take().filter(|_| accepts) {
            self.swap(self.mover, offer.gives, offer.to, offer.wants);
        }
    }

    /// Two players exchange cards at once, one of them the player whose turn it is, after the roll.
    ///
    /// # Errors
    /// Leaves the position as it was if the rules do not allow it.
    pub fn exchange(&mut self, a: u8, a_gives: Cards, b: u8, b_gives: Cards) -> Result<(), IllegalAction> {
        if self.winner().is_some() {
            return Err(IllegalAction::GameOver);
        }
        self.check_main()?;
        if [a, b].iter().any(|&seat| usize::from(seat) >= SEATS) {
            return Err(IllegalAction::NoSuchPlace);
        }
        if a == b || ![a, b].contains(&self.mover) || !is_trade(a_gives, b_gives) {
            return Err(IllegalAction::BadOffer);
        }
        let can = |seat: u8, cards| self.players[usize::from(seat)].hand.covers(cards);
        if !can(a, a_gives) || !can(b, b_gives) {
            return Err(IllegalAction::CannotAfford);
        }
        self.swap(a, a_gives, b, b_gives);
        Ok(())
    }

    fn swap(&mut self, a: u8, a_gives: Cards, b: u8, b_gives: Cards) {
        for (seat, gives, gets) in [(a, a_gives, b_gives), (b, b_gives, a_gives)] {
            let hand = &mut self.players[usize::from(seat) % SEATS].hand;
            *hand = *hand - gives + gets;
        }
    }
}
