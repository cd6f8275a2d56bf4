//! Vectors with one 32-bit word or one 64-bit board per game in flight.
//!
//! The number of lanes is the number of 32-bit words in a native vector: 4, 8 or 16. [`Words`] is then
//! one vector. [`Boards`] is two: the boards of the even lanes and those of the odd lanes. That split
//! makes going from one to the other cheap, without any shuffle:
//!
//! ```text
//! Words     | w0 | w1 | w2 | w3 | ...        the same bits seen as 64-bit elements:  w0 + w1 << 32, ...
//! even      |    w0   |    w2   | ...        = those elements & 0xffffffff
//! odd       |    w1   |    w3   | ...        = those elements >> 32
//! ```
//! It also gives the CPU two independent chains of board operations to overlap.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Shl, Shr, Sub};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, u8x16};

/// One 32-bit word per lane.
#[derive(Clone, Copy, Debug)]
pub struct Words<S: Simd>(S::u32s);

/// One 64-bit word per lane: even lanes, odd lanes.
#[derive(Clone, Copy, Debug)]
pub struct Boards<S: Simd>(S::u64s, S::u64s);

/// A truth value per lane, for selecting among [`Words`].
#[derive(Clone, Copy, Debug)]
pub struct WordMask<S: Simd>(S::mask32s);

/// A truth value per lane, for selecting among [`Boards`].
#[derive(Clone, Copy, Debug)]
pub struct BoardMask<S: Simd>(S::mask64s, S::mask64s);

macro_rules! operators {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl<S: Simd> $trait for Words<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        }
        impl<S: Simd> $trait<u32> for Words<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: u32) -> Self {
                Self(self.0 $operator other)
            }
        }
        operators!(@boards $trait $method $operator);
    )*};
    (@boards Mul $method:ident $operator:tt) => {};
    (@boards $trait:ident $method:ident $operator:tt) => {
        impl<S: Simd> $trait for Boards<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0, self.1 $operator other.1)
            }
        }
        operators!(@board_scalar $trait $method $operator);
    };
    (@board_scalar Shl $method:ident $operator:tt) => { operators!(@board_with u32 Shl $method $operator); };
    (@board_scalar Shr $method:ident $operator:tt) => { operators!(@board_with u32 Shr $method $operator); };
    (@board_scalar $trait:ident $method:ident $operator:tt) => { operators!(@board_with u64 $trait $method $operator); };
    (@board_with $scalar:ident $trait:ident $method:ident $operator:tt) => {
        impl<S: Simd> $trait<$scalar> for Boards<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: $scalar) -> Self {
                Self(self.0 $operator other, self.1 $operator other)
            }
        }
    };
}

operators!(Add add +, Sub sub -, Mul mul *, BitAnd bitand &, BitOr bitor |, BitXor bitxor ^, Shl shl <<, Shr shr >>);

macro_rules! mask_operators {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl<S: Simd> $trait for WordMask<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        }
    )*};
}

mask_operators!(BitAnd bitand &, BitOr bitor |);

impl<S: Simd> Not for WordMask<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl<S: Simd> Not for Words<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl<S: Simd> Not for Boards<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

/// Popcount of a nibble, by nibble.
const NIBBLE_ONES: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// Positions of the first, second, third and fourth set bit of a nibble, two bits each from the low end.
const NIBBLE_PLACES: [u8; 16] = {
    let mut table = [0; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 4 {
            if nibble >> bit & 1 != 0 {
                table[nibble] |= bit << (2 * rank);
                rank += 1;
            }
            bit += 1;
        }
        nibble += 1;
    }
    table
};

impl<S: Simd> Words<S> {
    /// Number of lanes.
    pub const LANES: usize = <S::u32s as SimdBase<S>>::LEN;

    /// The same word in every lane.
    #[inline(always)]
    pub fn splat(simd: S, word: u32) -> Self {
        Self(S::u32s::splat(simd, word))
    }

    /// The token of the SIMD level.
    #[inline(always)]
    pub fn simd(&self) -> S {
        self.0.token()
    }

    /// 0 in every lane.
    #[inline(always)]
    #[must_use]
    pub fn zero(&self) -> Self {
        Self::splat(self.simd(), 0)
    }

    /// The word of one lane.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> u32 {
        self.0.as_slice()[lane % Self::LANES]
    }

    /// Changes the word of one lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, word: u32) {
        self.0.as_mut_slice()[lane % Self::LANES] = word;
    }

    #[inline(always)]
    fn signed(self) -> S::i32s {
        self.0.bitcast()
    }

    /// Which lanes are equal.
    #[inline(always)]
    #[must_use]
    pub fn equals(self, other: Self) -> WordMask<S> {
        WordMask(self.0.simd_eq(other.0))
    }

    /// Which lanes hold this word.
    #[inline(always)]
    #[must_use]
    pub fn is(self, word: u32) -> WordMask<S> {
        WordMask(self.0.simd_eq(word))
    }

    /// Which lanes are less than the other's, as numbers with a sign.
    #[inline(always)]
    #[must_use]
    pub fn less(self, other: Self) -> WordMask<S> {
        WordMask(self.signed().simd_lt(other.signed()))
    }

    /// Which lanes are greater than this number, which must be below 2^31, as numbers with a sign.
    #[inline(always)]
    #[must_use]
    pub fn above(self, limit: u32) -> WordMask<S> {
        WordMask(self.signed().simd_gt(limit as i32))
    }

    /// The smaller of each pair, as numbers with a sign.
    #[inline(always)]
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        let least: S::i32s = self.signed().min(other.signed());
        Self(least.bitcast())
    }

    /// The larger of each pair, as numbers with a sign.
    #[inline(always)]
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        let most: S::i32s = self.signed().max(other.signed());
        Self(most.bitcast())
    }

    /// Number of set bits.
    #[inline(always)]
    #[must_use]
    pub fn count_ones(self) -> Self {
        Self(self.0.count_ones())
    }

    /// Every lane as a 64-bit number.
    #[inline(always)]
    #[must_use]
    pub fn widen(self) -> Boards<S> {
        let both: S::u64s = self.0.bitcast();
        Boards(both & 0xffff_ffff, both >> 32)
    }

    /// The high half of the 64-bit product with `n`, which must be below 2^16.
    #[inline(always)]
    #[must_use]
    pub fn scale(self, n: Self) -> Self {
        ((self >> 16) * n + (((self & 0xffff) * n) >> 16)) >> 16
    }

    /// Looks each byte, which must be below 16, up in a table.
    #[inline(always)]
    #[must_use]
    pub fn look_up(self, table: &[u8; 16]) -> Self {
        Self(look_up::<S>(self.0.bitcast(), table).bitcast())
    }

    /// The low byte of each word in all four bytes; the word must be below 256.
    #[inline(always)]
    #[must_use]
    pub fn spread_byte(self) -> Self {
        let simd = self.0.token();
        let places: S::u8s =
            S::u8s::block_splat(u8x16::simd_from(simd, [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]));
        let bytes: S::u8s = self.0.bitcast();
        Self(bytes.swizzle_dyn_within_blocks(places).bitcast())
    }

    /// Position of the `k`-th set bit, counting from 0. There must be more than `k` of them.
    #[inline(always)]
    #[must_use]
    pub fn kth_bit(self, k: Self) -> Self {
        // Ones in the low nibble of each byte, in each byte, and in all bytes up to and with each.
        let low_ones = (self & 0x0f0f_0f0f).look_up(&NIBBLE_ONES);
        let ones = low_ones + ((self >> 4) & 0x0f0f_0f0f).look_up(&NIBBLE_ONES);
        let pairs = ones + (ones << 8);
        let upto = pairs + (pairs << 16);
        // The byte: as many bytes lie below it as have at most k ones up to and with them.
        let upto_bytes: S::i8s = upto.0.bitcast();
        let k_bytes: S::i8s = k.spread_byte().0.bitcast();
        let beyond: S::i8s = upto_bytes.simd_gt(k_bytes).to_vector();
        let below = Self(beyond.bitcast::<S::u32s>());
        let shift = ((!below & 0x0808_0808) * 0x0101_0101) >> 24;
        let byte = (self >> shift) & 0xff;
        let k = k - (((upto << 8) >> shift) & 0xff);
        byte.kth_bit_of_byte(k, (low_ones >> shift) & 0xff) + shift
    }

    /// [`kth_bit`](Self::kth_bit) of words below 256.
    #[inline(always)]
    #[must_use]
    pub fn kth_bit_below_256(self, k: Self) -> Self {
        self.kth_bit_of_byte(k, (self & 15).look_up(&NIBBLE_ONES))
    }

    /// `low_ones` is the number of ones in the low nibble.
    #[inline(always)]
    fn kth_bit_of_byte(self, k: Self, low_ones: Self) -> Self {
        let in_low = k.less(low_ones);
        let zero = self.zero();
        let shift = in_low.select(zero, zero + 4);
        let k = k - in_low.select(zero, low_ones);
        let nibble = (self >> shift) & 15;
        ((nibble.look_up(&NIBBLE_PLACES) >> (k + k)) & 3) + shift
    }
}

#[inline(always)]
fn look_up<S: Simd>(bytes: S::u8s, table: &[u8; 16]) -> S::u8s {
    let table = S::u8s::block_splat(u8x16::simd_from(bytes.token(), *table));
    table.swizzle_dyn_within_blocks(bytes)
}

impl<S: Simd> Boards<S> {
    /// The same board in every lane.
    #[inline(always)]
    pub fn splat(simd: S, board: u64) -> Self {
        Self(S::u64s::splat(simd, board), S::u64s::splat(simd, board))
    }

    /// The token of the SIMD level.
    #[inline(always)]
    pub fn simd(&self) -> S {
        self.0.token()
    }

    /// The empty board in every lane.
    #[inline(always)]
    #[must_use]
    pub fn zero(&self) -> Self {
        Self::splat(self.simd(), 0)
    }

    /// The board of one lane.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> u64 {
        let half = if lane.is_multiple_of(2) { &self.0 } else { &self.1 };
        half.as_slice()[lane / 2 % (Words::<S>::LANES / 2)]
    }

    /// Changes the board of one lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, board: u64) {
        let half = if lane.is_multiple_of(2) { &mut self.0 } else { &mut self.1 };
        half.as_mut_slice()[lane / 2 % (Words::<S>::LANES / 2)] = board;
    }

    /// The low 32 bits of every lane.
    #[inline(always)]
    #[must_use]
    pub fn low(self) -> Words<S> {
        Words(((self.0 & 0xffff_ffff) | (self.1 << 32)).bitcast())
    }

    /// The high 32 bits of every lane.
    #[inline(always)]
    #[must_use]
    pub fn high(self) -> Words<S> {
        Words(((self.0 >> 32) | (self.1 & 0xffff_ffff_0000_0000)).bitcast())
    }

    /// [`low`](Self::low) where the high 32 bits are known to be 0.
    #[inline(always)]
    #[must_use]
    pub fn narrow(self) -> Words<S> {
        Words((self.0 | (self.1 << 32)).bitcast())
    }

    /// Number of set bits.
    #[inline(always)]
    #[must_use]
    pub fn count_ones(self) -> Self {
        Self(self.0.count_ones(), self.1.count_ones())
    }

    /// Which lanes hold this number.
    #[inline(always)]
    #[must_use]
    pub fn is(self, number: u64) -> BoardMask<S> {
        BoardMask(self.0.simd_eq(number), self.1.simd_eq(number))
    }

    #[inline(always)]
    fn bytes(self) -> (S::u8s, S::u8s) {
        (self.0.bitcast(), self.1.bitcast())
    }

    /// Applies an operation on bytes to both halves.
    #[inline(always)]
    fn by_byte(self, other: Self, operation: impl Fn(S::u8s, S::u8s) -> S::u8s) -> Self {
        let ((a, b), (c, d)) = (self.bytes(), other.bytes());
        Self(operation(a, c).bitcast(), operation(b, d).bitcast())
    }

    /// Looks each byte, which must be below 16, up in a table.
    #[inline(always)]
    #[must_use]
    pub fn look_up(self, table: &[u8; 16]) -> Self {
        self.by_byte(self, |bytes, _| look_up::<S>(bytes, table))
    }

    /// Byte j becomes this board's byte number `places[j]`, which must be below 8.
    #[inline(always)]
    #[must_use]
    pub fn pick_bytes(self, places: Self) -> Self {
        // A 128-bit block holds two boards.
        let simd = self.0.token();
        let second = S::u8s::block_splat(u8x16::simd_from(simd, [0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8]));
        self.by_byte(places, |board, places| board.swizzle_dyn_within_blocks(places | second))
    }

    /// The low byte of each lane in all eight bytes.
    #[inline(always)]
    #[must_use]
    pub fn spread_byte(self) -> Self {
        self.pick_bytes(self.zero())
    }

    /// Bytes 0xff where this one's byte equals the other's, else 0.
    #[inline(always)]
    #[must_use]
    pub fn bytes_equal(self, other: Self) -> Self {
        self.by_byte(other, |a, b| a.simd_eq(b).to_vector().bitcast())
    }

    /// Byte by byte minimum.
    #[inline(always)]
    #[must_use]
    pub fn least_bytes(self, other: Self) -> Self {
        self.by_byte(other, |a, b| a.min(b))
    }

    /// Byte by byte absolute difference.
    #[inline(always)]
    #[must_use]
    pub fn bytes_apart(self, other: Self) -> Self {
        self.by_byte(other, |a, b| a.max(b) - a.min(b))
    }
}

impl<S: Simd> WordMask<S> {
    /// Whether any lane is true.
    #[inline(always)]
    #[must_use]
    pub fn any(self) -> bool {
        self.0.any_true()
    }

    /// One bit per lane.
    #[inline(always)]
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0.to_bitmask()
    }

    /// The lanes whose bits are set.
    #[inline(always)]
    pub fn from_bits(simd: S, bits: u64) -> Self {
        Self(S::mask32s::from_bitmask(simd, bits))
    }

    /// Lane by lane, the first where true, else the second.
    #[inline(always)]
    #[must_use]
    pub fn select(self, if_true: Words<S>, if_false: Words<S>) -> Words<S> {
        Words(self.0.select(if_true.0, if_false.0))
    }

    /// The words where true, else 0.
    #[inline(always)]
    #[must_use]
    pub fn keep(self, words: Words<S>) -> Words<S> {
        self.select(words, words.zero())
    }

    /// The same truth values for boards.
    #[inline(always)]
    #[must_use]
    pub fn widen(self) -> BoardMask<S> {
        // The sign of a 64-bit element is the truth of its odd lane.
        let both: S::i64s = self.0.to_vector().bitcast();
        BoardMask((both << 32).simd_lt(0), both.simd_lt(0))
    }
}

impl<S: Simd> BoardMask<S> {
    /// Lane by lane, the first where true, else the second.
    #[inline(always)]
    #[must_use]
    pub fn select(self, if_true: Boards<S>, if_false: Boards<S>) -> Boards<S> {
        Boards(self.0.select(if_true.0, if_false.0), self.1.select(if_true.1, if_false.1))
    }

    /// The boards where true, else empty.
    #[inline(always)]
    #[must_use]
    pub fn keep(self, boards: Boards<S>) -> Boards<S> {
        self.select(boards, boards.zero())
    }
}

#[cfg(test)]
mod tests;
