//! Cards of five kinds in one 32-bit word, for lanes: six bits a kind, the highest of which is a guard.
//!
//! A count is at most 31, which no count of a game exceeds. See [`Cards`] for the same in bytes.

use super::cards::Cards;

/// One of each kind.
pub const ONE_EACH: u32 = 0x0104_1041;
/// The guard bits: those of all counts that are no less than what is taken away stay set.
pub const GUARDS: u32 = ONE_EACH << 5;
/// Bits of a kind.
pub const BITS: u32 = 6;

/// The counts of cards.
#[inline]
#[must_use]
pub const fn of(cards: Cards) -> u32 {
    let bytes = cards.0;
    (bytes & 31 | bytes >> 2 & 31 << 6 | bytes >> 4 & 31 << 12 | bytes >> 6 & 31 << 18 | bytes >> 8 & 31 << 24) as u32
}

/// The cards of counts.
#[inline]
#[must_use]
pub const fn cards(counts: u32) -> Cards {
    let counts = counts as u64;
    Cards(
        counts & 31
            | (counts & 31 << 6) << 2
            | (counts & 31 << 12) << 4
            | (counts & 31 << 18) << 6
            | (counts & 31 << 24) << 8,
    )
}

/// One card of a kind.
#[inline]
#[must_use]
pub const fn one(kind: usize) -> u32 {
    1 << (BITS * kind as u32)
}

/// The count of a kind.
#[inline]
#[must_use]
pub const fn count(counts: u32, kind: usize) -> u32 {
    counts >> (BITS * kind as u32) & 31
}

/// What is left of some cards when one after another is taken of the kind with most of them, the first of several, until they
/// are so many.
#[inline]
#[must_use]
pub const fn evened(counts: u32, cards: u32) -> u32 {
    let (mut kept, mut left, mut level) = (0, cards, ONE_EACH);
    loop {
        // One of each kind with so many.
        let mut kinds = (((counts | GUARDS) - level) & GUARDS) >> 5;
        let is_last = kinds == 0 || kinds.count_ones() >= left;
        if is_last {
            while kinds.count_ones() > left {
                kinds &= kinds - 1;
            }
            return kept + kinds;
        }
        kept += kinds;
        left -= kinds.count_ones();
        level += ONE_EACH;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_cards() {
        for case in [[0; 5], [1, 2, 3, 4, 5], [19; 5], [31, 0, 31, 0, 31], [0, 0, 0, 0, 14]] {
            let counts = of(Cards::new(case));
            assert_eq!(cards(counts).counts(), case);
            assert!((0..5).all(|kind| count(counts, kind) == case[kind].into()));
        }
        assert_eq!(of(Cards::new([0, 0, 0, 1, 0])), one(3));
        assert_eq!(of(Cards::new([1; 5])), ONE_EACH);
    }

    #[test]
    fn cards_are_taken_one_by_one_of_the_kind_with_most() {
        for case in
            [[0; 5], [1, 2, 3, 4, 5], [31; 5], [3, 0, 3, 0, 2], [0, 0, 0, 0, 14], [2, 2, 1, 2, 2], [19, 1, 0, 7, 19]]
        {
            let mut hand = Cards::new(case);
            for left in (0..hand.total()).rev() {
                hand -= Cards::one(hand.most());
                assert_eq!(cards(evened(of(Cards::new(case)), left)), hand, "{left} of {case:?}");
            }
            assert_eq!(evened(of(Cards::new(case)), 200), of(Cards::new(case)));
        }
    }
}
