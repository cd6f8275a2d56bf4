//! A round or a game in few words, as the kernel's lanes and the shader start from it.

use bytemuck::{Pod, Zeroable};

use super::tables::{GOALS, HAND, MOST_PLAYERS, PATH_CARDS, WIDE_ORIGIN, WIDE_ROW_ORIGIN};

/// Words that hold a byte for each seat.
pub const SEAT_WORDS: usize = MOST_PLAYERS.div_ceil(4);

/// A byte for each seat, as words.
#[inline]
#[must_use]
pub fn seat_words(bytes: [u8; MOST_PLAYERS]) -> [u32; SEAT_WORDS] {
    let mut words = [0; SEAT_WORDS];
    for (seat, byte) in bytes.into_iter().enumerate() {
        words[seat / 4] |= u32::from(byte) << (8 * (seat % 4));
    }
    words
}

/// A byte for each seat, [from words](seat_words).
#[inline]
#[must_use]
pub fn seat_bytes(words: [u32; SEAT_WORDS]) -> [u8; MOST_PLAYERS] {
    std::array::from_fn(|seat| (words[seat / 4] >> (8 * (seat % 4))) as u8)
}

/// A place in [`Packed::cards`] where no card is.
pub const NO_CARD: u32 = u32::MAX;

/// A hand without cards.
pub const EMPTY_HAND: u32 = (1 << (HAND_BITS * HAND as u32)) - 1;
/// Bits of a card in a hand.
pub const HAND_BITS: u32 = 5;
/// A place in a hand where no card is.
pub const NO_HAND_CARD: u32 = (1 << HAND_BITS) - 1;

/// Bits of a row in the number of a cell.
pub const CELL_ROW_BITS: u32 = 6;
/// First bit of the number of its cell in a word of [`Packed::cards`].
pub const CARD_CELL: u32 = 8;
/// The bit of a word of [`Packed::cards`] that says that the card is turned.
pub const CARD_TURNED: u32 = 4;

/// The number of a cell of the widest board: numbers go up column by column from the left, each from the bottom.
#[inline]
#[must_use]
pub const fn cell_number(x: i8, y: i8) -> u32 {
    (((x + WIDE_ORIGIN) as u32) << CELL_ROW_BITS) | (y + WIDE_ROW_ORIGIN) as u32
}

/// The column and row of the cell with this number.
#[inline]
#[must_use]
pub const fn cell_at(number: u32) -> (i8, i8) {
    let row = number & ((1 << CELL_ROW_BITS) - 1);
    ((number >> CELL_ROW_BITS) as i8 - WIDE_ORIGIN, row as i8 - WIDE_ROW_ORIGIN)
}

/// A position of a round, and of the game it belongs to. Same words in the same order on every backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Packed {
    /// The path cards on the table in the order of their cells, then [`NO_CARD`]: kind, whether it is turned
    /// ([`CARD_TURNED`]), number of the cell ([`CARD_CELL`]).
    pub cards: [u32; PATH_CARDS],
    /// The hands by seat: five bits a card, the first lowest, all ones where there is none.
    pub hands: [u32; MOST_PLAYERS],
    /// The path cards in the deck, one bit each, sorted by kind.
    pub deck_paths: [u32; 2],
    /// The action cards in the deck, one bit each, sorted by kind.
    pub deck_actions: u32,
    /// The goals that each seat has seen: three bits a seat.
    pub seen: u32,
    /// The broken tools of each seat: three bits a seat.
    pub broken: u32,
    /// What each seat's actions said of its role, a byte with a sign each.
    pub suspicion: [u32; SEAT_WORDS],
    /// The nuggets of each seat, a byte each.
    pub nuggets: [u32; SEAT_WORDS],
    /// The saboteurs, one bit a seat.
    pub saboteurs: u32,
    /// The openings of the goals, unturned, from the bottom: four bits each; 0 before the deal.
    pub goals: u32,
    /// The goals that lie face up, one bit each.
    pub face_up: u32,
    /// The goals that lie face up with a half turn, one bit each.
    pub turned: u32,
    /// Left, right, bottom and top edge of the board, a byte with a sign each.
    pub extent: u32,
    /// The number of players.
    pub players: u32,
    /// 1 if roles, goals and hands have been dealt.
    pub is_dealt: u32,
    /// Whose turn it is; at the end of the round who moved last.
    pub mover: u32,
    /// Turns played.
    pub turn: u32,
    /// Who won the round: 0 nobody yet, 1 diggers, 2 saboteurs, 3 nobody at all.
    pub winner: u32,
    /// Rounds finished.
    pub rounds: u32,
    /// Gold cards left with one, two and three nuggets, a byte each.
    pub gold: u32,
}

const _: () = assert!(3 * MOST_PLAYERS <= 32 && 4 * GOALS <= 32);
