//! xoshiro128++ with one stream per playout.
//!
//! The stream of a playout depends on the run's seed, the position's key and the playout's index, and
//! on nothing else. That is what makes results independent of lanes, threads, chunks and backends.

use fearless_simd::Simd;

use crate::lanes::{WordMask, Words};

/// The increment of SplitMix64 (the golden ratio in 64 bits).
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection of 64-bit words that scatters neighbouring inputs.
#[inline]
#[must_use]
pub const fn mix64(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Absorbs `word` into the running hash `state`.
#[inline]
#[must_use]
pub const fn absorb(state: u64, word: u64) -> u64 {
    mix64(state.wrapping_add(GOLDEN_GAMMA) ^ word)
}

/// The hash shared by all playouts of one position in one run.
///
/// Computed once per position; [`playout_state`] adds the playout's index.
#[inline]
#[must_use]
pub const fn position_base(seed: u64, position_key: u64) -> u64 {
    absorb(mix64(seed.wrapping_add(GOLDEN_GAMMA)), position_key)
}

/// The generator state with which playout number `index` of a position starts.
///
/// Equals `rand_xoshiro`'s `Xoshiro128PlusPlus::seed_from_u64(absorb(base, index))`: two SplitMix64
/// outputs, low half first. They cannot both be zero because the output function is a bijection.
#[inline]
#[must_use]
pub const fn playout_state(base: u64, index: u64) -> [u32; 4] {
    let seed = absorb(base, index);
    let a = mix64(seed.wrapping_add(GOLDEN_GAMMA));
    let b = mix64(seed.wrapping_add(GOLDEN_GAMMA.wrapping_mul(2)));
    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
}

/// Where a policy gets its random choices from.
///
/// The evaluator uses [`Rng`]; conformance tests plug in the generator of the recorded games.
pub trait Draws {
    /// A uniform index in `0..n`, `n >= 1`. Always one draw, even when `n` is 1.
    fn below(&mut self, n: u32) -> u32;
    /// True with probability 4/5: a uniform number in `[0, 1)` that is not less than one fifth.
    fn four_in_five(&mut self) -> bool;
    /// How many numbers have been drawn, modulo 2^32.
    fn draws(&self) -> u32;
}

/// xoshiro128++ that counts its draws.
///
/// ```
/// use fairground_kernels::rng::{Draws, Rng};
/// let mut rng = Rng::for_playout(1, 42, 0);
/// assert!(rng.below(6) < 6);
/// assert_eq!(rng.draws(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u32; 4],
    draws: u32,
}

impl Rng {
    /// A generator in the given state; the state must not be all zero.
    #[inline]
    #[must_use]
    pub const fn new(state: [u32; 4]) -> Self {
        Self { state, draws: 0 }
    }

    /// The generator of one playout.
    #[inline]
    #[must_use]
    pub const fn for_playout(seed: u64, position_key: u64, index: u64) -> Self {
        Self::new(playout_state(position_base(seed, position_key), index))
    }

    /// The next 32 random bits.
    #[inline]
    pub const fn next_u32(&mut self) -> u32 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(7).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 9), d.rotate_left(11)];
        // One search may draw more than a word can count.
        self.draws = self.draws.wrapping_add(1);
        result
    }
}

/// Maps 32 random bits to `0..n`: the high half of a 64-bit product, no rejection.
#[inline]
#[must_use]
pub const fn scale(random: u32, n: u32) -> u32 {
    ((random as u64 * n as u64) >> 32) as u32
}

impl Draws for Rng {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        scale(self.next_u32(), n)
    }

    #[inline]
    fn four_in_five(&mut self) -> bool {
        self.below(5) != 0
    }

    #[inline]
    fn draws(&self) -> u32 {
        self.draws
    }
}

/// One [`Rng`] per lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneRng<S: Simd> {
    state: [Words<S>; 4],
    draws: Words<S>,
}

impl<S: Simd> LaneRng<S> {
    /// Generators that still have to be [set](Self::set).
    #[inline(always)]
    pub fn new(simd: S) -> Self {
        Self { state: [Words::splat(simd, 0); 4], draws: Words::splat(simd, 0) }
    }

    /// Starts a lane's generator in the given state.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, state: [u32; 4]) {
        for (words, word) in self.state.iter_mut().zip(state) {
            words.set(lane, word);
        }
        self.draws.set(lane, 0);
    }

    /// How many numbers a lane has drawn.
    #[inline(always)]
    pub fn draws(&self, lane: usize) -> u32 {
        self.draws.get(lane)
    }

    /// The generator of one lane, to draw from by itself and to [put back](Self::put).
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Rng {
        let [a, b, c, d] = &self.state;
        Rng { state: [a.get(lane), b.get(lane), c.get(lane), d.get(lane)], draws: self.draws.get(lane) }
    }

    /// Puts back the generator of one lane.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, rng: &Rng) {
        self.set(lane, rng.state);
        self.draws.set(lane, rng.draws);
    }

    /// The next 32 random bits of every lane.
    #[inline(always)]
    pub fn next_u32(&mut self) -> Words<S> {
        let (next, result) = self.advanced();
        self.state = next;
        self.draws = self.draws + 1;
        result
    }

    #[inline(always)]
    fn advanced(&self) -> ([Words<S>; 4], Words<S>) {
        let [a, b, c, d] = self.state;
        let result = rotate_left(a + d, 7) + a;
        let (c, d) = (c ^ a, d ^ b);
        ([a ^ d, b ^ c, c ^ (b << 9), rotate_left(d, 11)], result)
    }

    /// A uniform index below `n` in every lane; `n` must be below 2^16.
    #[inline(always)]
    pub fn below(&mut self, n: Words<S>) -> Words<S> {
        self.next_u32().scale(n)
    }

    /// [`below`](Self::below) in the lanes of `mask`; the others draw nothing and get `otherwise`.
    #[inline(always)]
    pub fn below_where(&mut self, mask: WordMask<S>, n: Words<S>, otherwise: Words<S>) -> Words<S> {
        let (next, result) = self.advanced();
        for (word, next) in self.state.iter_mut().zip(next) {
            *word = mask.select(next, *word);
        }
        self.draws = mask.select(self.draws + 1, self.draws);
        mask.select(result.scale(n), otherwise)
    }
}

#[inline(always)]
fn rotate_left<S: Simd>(words: Words<S>, bits: u32) -> Words<S> {
    (words << bits) | (words >> (32 - bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro128PlusPlus;
    use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

    #[test]
    fn streams_equal_the_rand_xoshiro_oracle() {
        for case in 0..1000u64 {
            let (seed, key, index) = (case / 10, mix64(case), case % 10);
            let base = position_base(seed, key);
            let mut oracle = Xoshiro128PlusPlus::seed_from_u64(absorb(base, index));
            let mut ours = Rng::for_playout(seed, key, index);
            for _ in 0..100 {
                assert_eq!(ours.next_u32(), oracle.next_u32());
            }
            assert_eq!(ours.draws(), 100);
        }
    }
}
