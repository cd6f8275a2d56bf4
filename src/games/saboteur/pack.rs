//! Positions in the words that kernel and shader start from.

use fairground_kernels::saboteur::Gold;
use fairground_kernels::saboteur::packed::{self, NO_CARD, Packed, seat_bytes, seat_words};
use fairground_kernels::saboteur::tables::{
    COUNTS, Extent, GOAL_X, GOAL_Y, GOALS, HAND, MOST_PLAYERS, PATH_CARDS, ROUNDS, half_turn,
};

use super::board::{Board, Laid};
use super::cards::{Deck, Hand};
use super::game::Game;
use super::pieces::Card;
use super::position::{Position, Winner};

/// Three bits for each seat.
fn threes(of: [u8; MOST_PLAYERS]) -> u32 {
    of.iter().rev().fold(0, |word, &bits| word << 3 | u32::from(bits & 7))
}

fn from_threes(word: u32) -> [u8; MOST_PLAYERS] {
    std::array::from_fn(|seat| (word >> (3 * seat) & 7) as u8)
}

impl Game {
    /// The game in words. What no game has is left out: cards that are not of the deck or are more than it has, and
    /// players, seats and goals beyond their number.
    #[must_use]
    pub fn pack(&self) -> Packed {
        let Self { position, rounds, gold: Gold { cards: gold, nuggets } } = self;
        let board = position.board();
        let Extent { left, right, bottom, top } = board.extent();
        let mut turned = 0;
        for (goal, (y, face)) in GOAL_Y.into_iter().zip(position.goals).enumerate() {
            turned |= u32::from(board.card(GOAL_X, y).is_some_and(|laid| laid.mask != face & 15)) << goal;
        }
        let face_up = u32::from(position.face_up & 0b111);
        Packed {
            cards: cards(board),
            hands: position.hands.map(|hand| hand.word()),
            deck_paths: [position.deck.paths as u32, (position.deck.paths >> 32) as u32],
            deck_actions: position.deck.actions,
            seen: threes(position.seen),
            broken: threes(position.broken),
            suspicion: seat_words(position.suspicion.map(|of| of as u8)),
            nuggets: seat_words(*nuggets),
            saboteurs: u32::from(position.saboteurs) & ((1 << position.players) - 1),
            goals: position.goals.iter().rev().fold(0, |word, &face| word << 4 | u32::from(face & 15)),
            face_up,
            turned: turned & face_up,
            extent: u32::from_le_bytes([left, right, bottom, top].map(|edge| edge as u8)),
            players: position.players.into(),
            is_dealt: position.is_dealt.into(),
            mover: u32::from(position.mover) % u32::from(position.players),
            turn: position.turn.into(),
            winner: position.winner.map_or(0, |winner| 1 + winner as u32),
            rounds: u32::from((*rounds).min(ROUNDS)),
            gold: u32::from_le_bytes([gold[0], gold[1], gold[2], 0]),
        }
    }

    /// The game that was [packed](Self::pack), or one a backend ended in.
    #[must_use]
    pub fn unpack(packed: &Packed) -> Self {
        let goals: [u8; GOALS] = std::array::from_fn(|goal| (packed.goals >> (4 * goal) & 15) as u8);
        let mut laid = Vec::with_capacity(PATH_CARDS + GOALS);
        for &word in packed.cards.iter().take_while(|&&word| word != NO_CARD) {
            let (x, y) = packed::cell_at(word >> packed::CARD_CELL);
            if let Some(card) = Card::from_index((word & 15) as usize) {
                let mask = card.laid_mask(word >> packed::CARD_TURNED & 1 != 0);
                laid.push((x, y, Laid { mask, is_blocked: card.is_blocked() }));
            }
        }
        for (goal, (y, face)) in GOAL_Y.into_iter().zip(goals).enumerate() {
            if packed.face_up >> goal & 1 != 0 {
                let mask = if packed.turned >> goal & 1 != 0 { half_turn(face) } else { face };
                laid.push((GOAL_X, y, Laid { mask, is_blocked: false }));
            }
        }
        let [left, right, bottom, top] = packed.extent.to_le_bytes().map(|edge| edge as i8);
        let board = Board::of(Extent { left, right, bottom, top }, &laid);
        let position = Position {
            players: packed.players as u8,
            is_dealt: packed.is_dealt != 0,
            mover: packed.mover as u8,
            turn: packed.turn as u8,
            winner: match packed.winner {
                0 => None,
                1 => Some(Winner::Diggers),
                2 => Some(Winner::Saboteurs),
                _ => Some(Winner::Nobody),
            },
            saboteurs: packed.saboteurs as u16,
            goals,
            face_up: packed.face_up as u8,
            seen: from_threes(packed.seen),
            broken: from_threes(packed.broken),
            suspicion: seat_bytes(packed.suspicion).map(|of| of as i8),
            hands: packed.hands.map(Hand::from_word),
            deck: Deck {
                paths: u64::from(packed.deck_paths[0]) | u64::from(packed.deck_paths[1]) << 32,
                actions: packed.deck_actions,
            },
            table: Position::count_table(&board),
            board,
        };
        let [ones, twos, threes, _] = packed.gold.to_le_bytes();
        let gold = Gold { cards: [ones, twos, threes], nuggets: seat_bytes(packed.nuggets) };
        Self { position, rounds: packed.rounds as u8, gold }
    }

    /// A number that identifies the game's position: equal positions, equal keys, on every machine.
    #[must_use]
    pub fn key(&self) -> u64 {
        bytemuck::bytes_of(&self.pack()).chunks_exact(4).fold(0, |key, word| {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            fairground_kernels::rng::absorb(key, word.into())
        })
    }
}

/// The path cards on the table.
fn cards(board: &Board) -> [u32; PATH_CARDS] {
    let mut cards = [NO_CARD; PATH_CARDS];
    let mut left = COUNTS;
    let laid = board.removable().filter_map(|(x, y)| {
        let laid = board.card(x, y)?;
        let card = Card::lying(laid.mask, laid.is_blocked)?;
        left[card.index()] = left[card.index()].checked_sub(1)?;
        let is_turned = u32::from(laid.mask != card.mask());
        let cell = packed::cell_number(x, y);
        Some(card.index() as u32 | is_turned << packed::CARD_TURNED | cell << packed::CARD_CELL)
    });
    cards.iter_mut().zip(laid).for_each(|(place, card)| *place = card);
    // Rows come first on the board.
    cards.sort_unstable_by_key(|card| (card >> packed::CARD_CELL, *card));
    cards
}

const _: () = assert!(HAND * packed::HAND_BITS as usize <= 32);
