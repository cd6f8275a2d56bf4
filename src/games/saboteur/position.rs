//! A position: everything that decides how a round can go on.

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::Extent;
use fairground_kernels::saboteur::tables::{
    FEWEST_PLAYERS, GOALS, GOLD_FACE, MOST_PLAYERS, PATH_KINDS, PLAYERS, STONE_FACES,
};

use super::board::Board;
use super::cards::{Deck, Hand};
use super::pieces::Card;

/// Who won a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Winner {
    /// The diggers: the gold was reached.
    Diggers,
    /// The saboteurs: all cards are used up.
    Saboteurs,
    /// Nobody: all cards are used up and there was no saboteur.
    Nobody,
}

/// A number of players for which there are no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} players cannot play: three to ten can")]
pub struct WrongPlayers(pub usize);

/// A position of a round, at any moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of players.
    pub(super) players: u8,
    /// Whether roles, goals and hands have been dealt.
    pub(super) is_dealt: bool,
    /// Whose turn it is; at the end of the round who moved last.
    pub mover: u8,
    /// Turns played.
    pub turn: u8,
    /// Who won.
    pub winner: Option<Winner>,
    /// The saboteurs, one bit a seat.
    pub saboteurs: u16,
    /// The openings of the goals, unturned, from the bottom; 0 before the deal.
    pub goals: [u8; GOALS],
    /// The goals that lie face up, one bit each.
    pub face_up: u8,
    /// The goals that each seat has seen with a map, one bit each.
    pub seen: [u8; MOST_PLAYERS],
    /// The broken tools of each seat, one bit each.
    pub broken: [u8; MOST_PLAYERS],
    /// What each seat's actions said of its role: the more, the likelier a saboteur.
    pub suspicion: [i8; MOST_PLAYERS],
    /// The hands by seat.
    pub hands: [Hand; MOST_PLAYERS],
    /// The cards to draw.
    pub deck: Deck,
    /// The path cards on the table: four bits for each kind.
    pub(super) table: u64,
    /// The cards on the table.
    pub(super) board: Board,
}

const _: () = assert!(PATH_KINDS * 4 == 64, "the path cards on the table are counted in one word");

impl Position {
    /// The start of a round, before the cards are dealt.
    ///
    /// # Errors
    /// There are rules for three to ten players.
    pub fn start(players: usize, extent: Extent) -> Result<Self, WrongPlayers> {
        if !(FEWEST_PLAYERS..=MOST_PLAYERS).contains(&players) {
            return Err(WrongPlayers(players));
        }
        Ok(Self {
            players: players as u8,
            is_dealt: false,
            mover: 0,
            turn: 0,
            winner: None,
            saboteurs: 0,
            goals: [0; GOALS],
            face_up: 0,
            seen: [0; MOST_PLAYERS],
            broken: [0; MOST_PLAYERS],
            suspicion: [0; MOST_PLAYERS],
            hands: [Hand::EMPTY; MOST_PLAYERS],
            deck: Deck::FULL,
            table: 0,
            board: Board::new(extent),
        })
    }

    /// A position with this board where nothing is dealt any more: roles, goals and hands are for the caller to set.
    /// The path cards on the table are not taken from the deck.
    ///
    /// # Errors
    /// There are rules for three to ten players.
    pub fn set_up(players: usize, board: Board) -> Result<Self, WrongPlayers> {
        let table = Self::count_table(&board);
        Ok(Self { is_dealt: true, table, board, ..Self::start(players, board.extent())? })
    }

    /// The path cards on a board: four bits for each kind.
    pub(super) fn count_table(board: &Board) -> u64 {
        let cards = board.removable().filter_map(|(x, y)| board.card(x, y));
        let kinds = cards.filter_map(|laid| Card::lying(laid.mask, laid.is_blocked));
        kinds.fold(0, |table: u64, card| table.wrapping_add(1 << (4 * card.index())))
    }

    /// The number of players.
    #[inline]
    #[must_use]
    pub const fn players(&self) -> usize {
        self.players as usize
    }

    /// Whether roles, goals and hands have been dealt.
    #[must_use]
    pub const fn is_dealt(&self) -> bool {
        self.is_dealt
    }

    /// The cards on the table.
    #[inline]
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The row of [`PLAYERS`] for this number of players.
    #[inline]
    pub(super) const fn numbers(&self) -> [u8; 4] {
        PLAYERS[(self.players as usize).saturating_sub(FEWEST_PLAYERS) % PLAYERS.len()]
    }

    /// Deals roles, goals and hands, unless they have been dealt. The draws are in the table of
    /// [`policy`](super::policy).
    pub fn deal<D: Draws>(&mut self, draws: &mut D) {
        if self.is_dealt {
            return;
        }
        self.is_dealt = true;
        let [diggers, saboteurs, hand, _] = self.numbers();
        let (mut cards, mut left) = (u32::from(diggers + saboteurs), u32::from(saboteurs));
        for seat in 0..self.players {
            let is_saboteur = draws.below(cards) < left;
            self.saboteurs |= u16::from(is_saboteur) << seat;
            left -= u32::from(is_saboteur);
            cards -= 1;
        }
        self.goals = goals(draws.below(6));
        for seat in 0..self.players() {
            for _ in 0..hand {
                if let Some(card) = self.deck.draw(draws) {
                    self.hands[seat] = self.hands[seat].with(card);
                }
            }
        }
    }

    /// The hand of the player whose turn it is.
    #[inline]
    #[must_use]
    pub const fn own_hand(&self) -> Hand {
        self.hands[self.mover as usize % MOST_PLAYERS]
    }

    /// Whether the player in this seat is a saboteur.
    #[inline]
    #[must_use]
    pub const fn is_saboteur(&self, seat: u8) -> bool {
        self.saboteurs >> (seat % 16) & 1 != 0
    }

    /// The goals that may hold the gold, one bit each, for somebody who has seen these goals besides those face up.
    #[inline]
    #[must_use]
    pub fn possible(&self, seen: u8) -> u8 {
        let known = (seen | self.face_up) & 0b111;
        let gold = (0..).zip(self.goals).fold(0, |set, (goal, face)| set | u8::from(face == GOLD_FACE) << goal);
        if known & gold != 0 { known & gold } else { 0b111 & !known }
    }

    /// The number of path cards of a kind on the table.
    #[inline]
    #[must_use]
    pub const fn on_table(&self, card: Card) -> u8 {
        if card.is_path() { (self.table >> (4 * card.index()) & 15) as u8 } else { 0 }
    }
}

/// The goals, from the bottom, of one of the six orders they can lie in.
const fn goals(order: u32) -> [u8; GOALS] {
    let [a, b] = if order.is_multiple_of(2) { STONE_FACES } else { [STONE_FACES[1], STONE_FACES[0]] };
    match order / 2 {
        0 => [GOLD_FACE, a, b],
        1 => [a, GOLD_FACE, b],
        _ => [a, b, GOLD_FACE],
    }
}
