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

/// [`kth_bit`] without a loop: faster if `k` is large. There must be more than `k` set bits.
#[inline]
#[must_use]
pub fn select64(word: u64, k: u32) -> u32 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * LOW;
    // Ones of each byte, then of all bytes up to and with each.
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let upto = ((nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(LOW);
    // The byte: as many bytes lie below it as have at most k ones up to and with them.
    let beyond = ((upto | HIGH) - (u64::from(k) + 1) * LOW) & HIGH;
    let shift = (!beyond & HIGH).count_ones() * 8;
    if shift >= 64 {
        return 64;
    }
    let below = (upto << 8) >> shift & 0xff;
    shift + KTH_OF_BYTE[(k - below as u32) as usize % 8][(word >> shift & 0xff) as usize] as u32
}

/// Position of the `k`-th set bit of each byte.
static KTH_OF_BYTE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut k = 0;
        while k < (byte as u64).count_ones() {
            table[k as usize][byte] = kth_bit(byte as u64, k) as u8;
            k += 1;
        }
        byte += 1;
    }
    table
};

/// How many entries some sets have together.
#[inline(always)]
#[must_use]
pub fn count(sets: &[u64]) -> u32 {
    sets.iter().map(|set| set.count_ones()).sum()
}

/// Number and bit of the set where the `k`-th entry of some sets is, counted set by set.
///
/// # Errors
/// `k` less the number of all entries if it is in none.
#[inline(always)]
pub fn find(sets: &[u64], mut k: u32) -> Result<(usize, u64), u32> {
    for (number, &set) in sets.iter().enumerate() {
        let count = set.count_ones();
        if k < count {
            return Ok((number, kth(set, k)));
        }
        k -= count;
    }
    Err(k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kth_bit_counts_from_zero() {
        assert_eq!([kth(0b1011, 0), kth(0b1011, 1), kth(0b1011, 2), kth(0b1011, 3)], [1, 2, 8, 0]);
        assert_eq!([kth_bit(1 << 63, 0), kth_bit(1 << 63, 1), kth_bit(0, 0)], [63, 64, 64]);
    }

    #[test]
    fn selecting_without_a_loop_finds_the_same_bit() {
        for case in 0..10_000 {
            let word = crate::rng::mix64(case) & crate::rng::mix64(case * case + 7);
            for k in 0..word.count_ones() {
                assert_eq!(select64(word, k), kth_bit(word, k), "bit {k} of {word:x}");
            }
        }
    }

    #[test]
    fn entries_are_found_set_by_set() {
        let sets = [0b101, 0, 0b10];
        assert_eq!(count(&sets), 3);
        let found: Vec<_> = (0..5).map(|k| find(&sets, k)).collect();
        assert_eq!(found, [Ok((0, 1)), Ok((0, 4)), Ok((2, 2)), Err(0), Err(1)]);
    }
}
