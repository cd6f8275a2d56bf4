//! Sets of small numbers as the bits of a word.

/// The positions of the set bits of `word`, ascending.
///
/// ```
/// use fairground_kernels::bits::bits;
/// assert!(bits(0b10110).eq([1, 2, 4]));
/// ```
#[inline]
pub fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    })
}

/// The `k`-th set bit of `word`, counting from 0, as a word; 0 if it has no more than `k`.
#[inline]
#[must_use]
pub const fn kth(mut word: u64, k: u32) -> u64 {
    let mut left = k;
    while left > 0 {
        word &= word.wrapping_sub(1);
        left -= 1;
    }
    word & word.wrapping_neg()
}

/// Position of the `k`-th set bit of `word`, counting from 0; 64 if it has no more than `k`.
#[inline]
#[must_use]
pub const fn kth_bit(word: u64, k: u32) -> u32 {
    kth(word, k).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kth_bit_counts_from_zero() {
        assert_eq!([kth(0b1011, 0), kth(0b1011, 1), kth(0b1011, 2), kth(0b1011, 3)], [1, 2, 8, 0]);
        assert_eq!([kth_bit(1 << 63, 0), kth_bit(1 << 63, 1), kth_bit(0, 0)], [63, 64, 64]);
    }
}
