//! Cards of five kinds, counted in the bytes of one word.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// How many cards of each of five kinds: resources, or development cards. Byte `i` counts kind `i`.
///
/// Every sum of counts must stay below 128, which all cards of a game do; then affording something is one
/// subtraction and one comparison, and the k-th card one multiplication and one subtraction.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Cards(pub u64);

const ONES: u64 = 0x01_0101_0101;
const HIGH: u64 = 0x80_8080_8080;

impl Cards {
    /// No card.
    pub const NONE: Self = Self(0);

    /// The cards with these counts.
    #[must_use]
    pub const fn new(counts: [u8; 5]) -> Self {
        let [a, b, c, d, e] = counts;
        Self(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]))
    }

    /// `count` cards of one kind.
    #[inline]
    #[must_use]
    pub const fn of(kind: usize, count: u8) -> Self {
        Self((count as u64) << (8 * kind))
    }

    /// One card of a kind.
    #[inline]
    #[must_use]
    pub const fn one(kind: usize) -> Self {
        Self::of(kind, 1)
    }

    /// The counts.
    #[must_use]
    pub const fn counts(self) -> [u8; 5] {
        let [a, b, c, d, e, ..] = self.0.to_le_bytes();
        [a, b, c, d, e]
    }

    /// The count of a kind.
    #[inline]
    #[must_use]
    pub const fn count(self, kind: usize) -> u8 {
        (self.0 >> (8 * kind)) as u8
    }

    /// Whether there is no card.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cards.
    #[inline]
    #[must_use]
    pub const fn total(self) -> u32 {
        (self.0.wrapping_mul(ONES) >> 32) as u32 & 0xff
    }

    /// Whether `other` can be taken away.
    #[inline]
    #[must_use]
    pub const fn covers(self, other: Self) -> bool {
        ((self.0 | HIGH).wrapping_sub(other.0)) & HIGH == HIGH
    }

    /// The kinds of which there are at least as many as in `other`: bit `8 i` for kind `i`.
    #[inline]
    #[must_use]
    pub const fn at_least(self, other: Self) -> u64 {
        ((self.0 | HIGH).wrapping_sub(other.0) & HIGH) >> 7
    }

    /// What is left of each kind when `other` is taken away as far as it is there.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        let rest = (self.0 | HIGH).wrapping_sub(other.0);
        // A byte that kept its high bit did not run out: 0x80 - 0x01 = 0x7f keeps its rest.
        let kept = rest & HIGH;
        Self(rest & kept.wrapping_sub(kept >> 7))
    }

    /// The cards of some kinds, given as bits `8 i` as in [`at_least`](Self::at_least).
    #[inline]
    #[must_use]
    pub const fn only(self, kinds: u64) -> Self {
        Self(self.0 & kinds.wrapping_mul(0xff))
    }

    /// The kind with the largest count, the first of several.
    #[inline]
    #[must_use]
    pub const fn most(self) -> usize {
        let (mut most, mut kind) = (0, 1);
        while kind < 5 {
            if self.count(kind) > self.count(most) {
                most = kind;
            }
            kind += 1;
        }
        most
    }

    /// The kind of the `k`-th card, counting from 0 and in the order of kinds; the last kind if there are fewer.
    #[inline]
    #[must_use]
    pub const fn kth(self, k: u32) -> usize {
        // Byte i: how many cards of the kinds up to i; the last kind needs no comparison.
        let sums = self.0.wrapping_mul(ONES) & 0xffff_ffff;
        let passed = ((k as u64).wrapping_mul(ONES) | HIGH).wrapping_sub(sums) & (HIGH & 0xffff_ffff);
        ((passed >> 7).wrapping_mul(ONES) >> 24) as usize & 7
    }
}

impl std::fmt::Debug for Cards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.counts().fmt(f)
    }
}

impl Add for Cards {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Cards {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Cards {
    type Output = Self;
    /// Takes cards away; they must be [there](Self::covers).
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl SubAssign for Cards {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_like_arrays() {
        let hands = [[0, 0, 0, 0, 0], [1, 0, 2, 0, 3], [19, 19, 19, 19, 19], [0, 0, 0, 0, 7], [4, 1, 0, 0, 0]];
        for counts in hands {
            let cards = Cards::new(counts);
            assert_eq!(cards.counts(), counts);
            let total = counts.iter().map(|&count| u32::from(count)).sum();
            assert_eq!(cards.total(), total);
            let in_order = (0..5).flat_map(|kind| std::iter::repeat_n(kind, counts[kind].into()));
            assert!((0..total).map(|k| cards.kth(k)).eq(in_order), "{counts:?}");
            assert_eq!(Some(cards.most()), (0..5).rev().max_by_key(|&kind| counts[kind]));
            for other in hands {
                let each = [0, 1, 2, 3, 4].map(|kind| counts[kind] >= other[kind]);
                assert_eq!(cards.covers(Cards::new(other)), each.iter().all(|&is| is));
                let bits = each.iter().enumerate().fold(0, |bits, (kind, &is)| bits | u64::from(is) << (8 * kind));
                assert_eq!(cards.at_least(Cards::new(other)), bits);
                let only = [0, 1, 2, 3, 4].map(|kind| if each[kind] { counts[kind] } else { 0 });
                assert_eq!(cards.only(bits).counts(), only);
                let rest = [0, 1, 2, 3, 4].map(|kind| counts[kind].saturating_sub(other[kind]));
                assert_eq!(cards.without(Cards::new(other)).counts(), rest);
            }
        }
    }
}
