//! Cards that nobody or only one player sees: the deck and the hands.

use fairground_kernels::bits::kth_bit;
use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::packed::{EMPTY_HAND as NO_CARDS, HAND_BITS as SLOT, NO_HAND_CARD as NO_CARD};
use fairground_kernels::saboteur::tables::{
    ACTION_CARD_KINDS, ACTION_CARDS, CARDS, COUNTS, HAND, KINDS, PATH_CARD_KINDS, PATH_CARDS,
};

use super::pieces::Card;

/// The deck. Its order is unknown and sampled when a card is drawn, so it is the set of the cards left, sorted by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deck {
    /// The path cards left: one bit each.
    pub paths: u64,
    /// The action cards left: one bit each.
    pub actions: u32,
}

impl Deck {
    /// All cards.
    pub const FULL: Self = Self { paths: (1 << PATH_CARDS) - 1, actions: (1 << ACTION_CARDS) - 1 };
    /// No card.
    pub const EMPTY: Self = Self { paths: 0, actions: 0 };

    /// A deck of so many cards of each kind, at most as many as there are.
    #[must_use]
    pub fn of(counts: [u8; KINDS]) -> Self {
        let mut deck = Self::EMPTY;
        let mut first = 0;
        for (count, all) in counts.into_iter().zip(COUNTS) {
            for card in first..first + usize::from(count.min(all)) {
                if card < PATH_CARDS {
                    deck.paths |= 1 << card;
                } else {
                    deck.actions |= 1 << (card - PATH_CARDS);
                }
            }
            first += usize::from(all);
        }
        deck
    }

    /// The number of cards.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.paths.count_ones() + self.actions.count_ones()
    }

    /// Whether no card is left.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.paths | self.actions as u64 == 0
    }

    /// The cards of each kind.
    #[must_use]
    pub fn counts(&self) -> [u8; KINDS] {
        let mut counts = [0; KINDS];
        let paths = (0..PATH_CARDS).filter(|&card| self.paths >> card & 1 != 0).map(|card| PATH_CARD_KINDS[card]);
        let actions = (0..ACTION_CARDS).filter(|&card| self.actions >> card & 1 != 0);
        for kind in paths.chain(actions.map(|card| ACTION_CARD_KINDS[card])) {
            counts[usize::from(kind)] += 1;
        }
        counts
    }

    /// Draws a card: always one draw, of the cards sorted by kind. None, without a draw, if the deck is empty.
    #[inline]
    pub fn draw<D: Draws>(&mut self, draws: &mut D) -> Option<Card> {
        if self.is_empty() {
            return None;
        }
        let k = draws.below(self.len());
        let paths = self.paths.count_ones();
        let kind = if k < paths {
            let card = kth_bit(self.paths, k);
            self.paths &= !(1u64.wrapping_shl(card));
            PATH_CARD_KINDS[card as usize % PATH_CARDS]
        } else {
            let card = kth_bit(self.actions.into(), k - paths);
            self.actions &= !(1u32.wrapping_shl(card));
            ACTION_CARD_KINDS[card as usize % ACTION_CARDS]
        };
        Card::from_index(kind.into())
    }
}

const _: () = assert!(CARDS == 67, "a deck is 40 bits of path cards and 27 of action cards");

/// A hand: up to six cards in the order they were drawn. Five bits a card, the first lowest, all ones where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand(u32);

impl Hand {
    /// No card.
    pub const EMPTY: Self = Self(NO_CARDS);

    /// A hand of these cards; those after the sixth are left out.
    #[must_use]
    pub fn of(cards: &[Card]) -> Self {
        cards.iter().fold(Self::EMPTY, |hand, &card| hand.with(card))
    }

    /// A hand from its [word](Self::word); slots that hold no card, and all after them, are empty.
    #[must_use]
    pub fn from_word(word: u32) -> Self {
        Self::of(&Self(word).cards().collect::<Vec<_>>())
    }

    /// The slots as a word.
    #[inline]
    #[must_use]
    pub const fn word(self) -> u32 {
        self.0
    }

    /// The number of cards.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        // No kind of card has a number that begins with five ones, so whole empty slots can be counted from the end.
        HAND - (self.0 << 2).leading_ones() as usize / SLOT as usize
    }

    /// Whether no card is left.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == NO_CARDS
    }

    /// The card in a slot.
    #[inline]
    #[must_use]
    pub const fn get(self, slot: usize) -> Option<Card> {
        if slot < HAND { Card::from_index((self.0 >> (SLOT * slot as u32) & NO_CARD) as usize) } else { None }
    }

    /// The cards in their order.
    #[inline]
    pub fn cards(self) -> impl Iterator<Item = Card> {
        (0..HAND).map_while(move |slot| self.get(slot))
    }

    /// The cards in their order, each kind once.
    #[inline]
    pub fn distinct(self) -> impl Iterator<Item = Card> {
        let mut met = 0u32;
        self.cards().filter(move |card| {
            let is_new = met >> card.index() & 1 == 0;
            met |= 1 << card.index();
            is_new
        })
    }

    /// Whether there is such a card.
    #[inline]
    #[must_use]
    pub fn contains(self, card: Card) -> bool {
        self.cards().any(|other| other == card)
    }

    /// The hand with one more card at its end; a full one is left as it is.
    #[inline]
    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        let len = self.len();
        if len >= HAND {
            return self;
        }
        let at = SLOT * len as u32;
        Self(self.0 & !(NO_CARD << at) | (card.index() as u32) << at)
    }

    /// The hand without the first card of this kind; those after it move up.
    #[inline]
    #[must_use]
    pub fn without(self, card: Card) -> Self {
        let Some(slot) = self.cards().position(|other| other == card) else { return self };
        let before = (1 << (SLOT * slot as u32)) - 1;
        Self(self.0 & before | self.0 >> SLOT & !before | NO_CARD << (SLOT * (HAND as u32 - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_keep_the_order_of_their_cards() {
        let cards: Vec<_> = Card::all().collect();
        for first in 0..KINDS - HAND {
            let mut list = cards[first..first + HAND].to_vec();
            list.reverse();
            let mut hand = Hand::of(&list);
            assert_eq!(hand.with(Card::MAP), hand, "a full hand takes no card");
            for (removed, slot) in [3, 0, 3, 1, 1, 0].into_iter().enumerate() {
                assert_eq!(hand.len(), HAND - removed);
                assert_eq!(hand.cards().collect::<Vec<_>>(), list);
                hand = hand.without(list.remove(slot));
            }
            assert_eq!(hand, Hand::EMPTY);
        }
    }
}
