//! What a player does not see, dealt anew: resource cards of the others, development cards of the others and in the deck.
//!
//! A player sees how many cards everybody has and what the bank holds, and so how many of each resource the others have
//! together. Who of them has which is uniform over the cards: what could be concluded from dice, robberies and trades of
//! the past is forgotten.

use fairground_kernels::catan::Cards;
use fairground_kernels::catan::tables::{SEATS, WINNING_POINTS};
use fairground_kernels::rng::{Draws, absorb};

use crate::games::catan::{Card, Position};

/// How often development cards are dealt anew if somebody would have won with them.
const ATTEMPTS: u32 = 16;

/// The position with everything that `seer` does not see dealt anew. It depends on what the seer sees, and on the draws.
///
/// Somebody with ten points on their own turn would have won. Such deals are drawn again, and if that does not help, mended
/// by the exchange of victory points for other unseen cards, so that the mover never has won.
#[must_use]
pub fn deal_anew<D: Draws>(position: &Position, seer: u8, draws: &mut D) -> Position {
    let mut dealt = *position;
    let others = || (0..SEATS).filter(|&seat| seat != usize::from(seer));
    let mut pool = others().fold(Cards::NONE, |pool, seat| pool + position.players[seat].hand);
    for seat in others() {
        dealt.players[seat].hand = take(&mut pool, position.players[seat].hand.total(), draws);
    }
    let unseen = others().fold(position.deck, |pool, seat| pool + position.players[seat].cards);
    for _ in 0..ATTEMPTS {
        dealt.deck = unseen;
        for seat in others() {
            dealt.players[seat].cards = take(&mut dealt.deck, position.players[seat].cards.total(), draws);
        }
        if !others().any(|seat| has_won(&dealt, seat)) {
            break;
        }
    }
    for seat in others() {
        while has_won(&dealt, seat) && give_point_away(&mut dealt, seat, seer, draws) {}
    }
    if dealt.mover != seer {
        let mut bought_before = dealt.own().cards;
        dealt.fresh = take(&mut bought_before, position.fresh.total(), draws);
    }
    dealt
}

/// Whether hidden points give a seat enough to win.
fn has_won(dealt: &Position, seat: usize) -> bool {
    let seat = seat as u8;
    dealt.public_points(seat) < WINNING_POINTS && dealt.points(seat) >= WINNING_POINTS
}

/// Exchanges a victory point of a seat for another card, of the deck if possible, else of somebody who does not win by it.
/// That the mover has not won is certain, so its point may go to anybody. Says whether there was such a card.
fn give_point_away<D: Draws>(dealt: &mut Position, seat: usize, seer: u8, draws: &mut D) -> bool {
    let point = Card::VictoryPoint.index();
    let rest = |cards: Cards| cards - Cards::of(point, cards.count(point));
    let partner = if rest(dealt.deck).is_empty() {
        let has_rest = |&other: &usize| {
            other != seat && other != usize::from(seer) && !rest(dealt.players[other].cards).is_empty()
        };
        let partners = || (0..SEATS).filter(has_rest);
        let has_room = |&other: &usize| dealt.points(other as u8) + 1 < WINNING_POINTS;
        let anybody = || partners().next().filter(|_| seat == usize::from(dealt.mover));
        let Some(partner) = partners().find(has_room).or_else(anybody) else { return false };
        Some(partner)
    } else {
        None
    };
    let source = match partner {
        Some(partner) => &mut dealt.players[partner].cards,
        None => &mut dealt.deck,
    };
    let card = take(&mut rest(*source), 1, draws);
    *source -= card;
    *source += Cards::one(point);
    let own = &mut dealt.players[seat].cards;
    *own -= Cards::one(point);
    *own += card;
    true
}

/// Takes so many cards, one draw for each.
fn take<D: Draws>(pool: &mut Cards, number: u32, draws: &mut D) -> Cards {
    let mut taken = Cards::NONE;
    for _ in 0..number.min(pool.total()) {
        let card = Cards::one(pool.kth(draws.below(pool.total())));
        *pool -= card;
        taken += card;
    }
    taken
}

/// A number for what `seer` sees of all that chance, and actions that look the same to others, make different.
#[must_use]
pub fn seen_by(position: &Position, seer: u8) -> u64 {
    let own = &position.players[usize::from(seer) % SEATS];
    let fresh = if position.mover == seer { position.fresh.0 } else { position.fresh.total().into() };
    let moment = u64::from(seer) << 32 | u64::from(position.mover) << 16 | position.phase as u64;
    let words = [moment, position.bank.0, own.hand.0, own.cards.0, fresh];
    let totals =
        position.players.iter().map(|player| u64::from(player.hand.total()) << 32 | u64::from(player.cards.total()));
    words.into_iter().chain(totals).fold(0, absorb)
}

/// A number for all that chance makes different, every card open.
#[must_use]
pub fn all_cards(position: &Position) -> u64 {
    let hands = position.players.iter().flat_map(|player| [player.hand.0, player.cards.0]);
    hands.fold(u64::from(u32::from_le_bytes(position.owed)) << 32 | position.phase as u64, absorb)
}
