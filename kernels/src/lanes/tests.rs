//! Every level does what scalar code does.

use super::*;
use crate::SimdLevel;
use crate::rng::{LaneRng, Rng, mix64, playout_state, position_base, scale};
use fearless_simd::dispatch;

/// Runs a generic test at every level of this CPU.
macro_rules! at_every_level {
    ($test:ident) => {
        for level in SimdLevel::available() {
            let token = level.token().expect("available");
            dispatch!(token, simd => $test(simd, level));
        }
    };
}

fn words<S: Simd>(simd: S, numbers: impl Fn(usize) -> u32) -> Words<S> {
    let mut words = Words::splat(simd, 0);
    (0..Words::<S>::LANES).for_each(|lane| words.set(lane, numbers(lane)));
    words
}

fn boards<S: Simd>(simd: S, numbers: impl Fn(usize) -> u64) -> Boards<S> {
    let mut boards = Boards::splat(simd, 0);
    (0..Words::<S>::LANES).for_each(|lane| boards.set(lane, numbers(lane)));
    boards
}

fn lanes_are_as_many_as_promised<S: Simd>(_: S, level: SimdLevel) {
    assert_eq!(Words::<S>::LANES, level.lanes());
}

#[test]
fn the_number_of_lanes_is_that_of_the_level() {
    at_every_level!(lanes_are_as_many_as_promised);
}

fn kth_bit_is_the_kth<S: Simd>(simd: S, level: SimdLevel) {
    for case in 0..2000 {
        let word = |lane| {
            let random = mix64(100 * case + lane as u64);
            // Sparse and dense words, never empty.
            (random as u32 & (random >> 32) as u32 & (mix64(random) as u32 | (case as u32 % 2).wrapping_neg()))
                | 1 << (case % 32)
        };
        let k = |lane: usize| scale(mix64(case) as u32 ^ lane as u32, word(lane).count_ones());
        let found = words(simd, word).kth_bit(words(simd, k));
        let small = words(simd, |lane| word(lane) & 0xff | 1);
        let small_k = words(simd, |lane| k(lane) % (word(lane) & 0xff | 1).count_ones());
        let found_small = small.kth_bit_below_256(small_k);
        for lane in 0..Words::<S>::LANES {
            let expected = |word: u32, k: u32| (0..32).filter(|bit| word >> bit & 1 != 0).nth(k as usize);
            assert_eq!(Some(found.get(lane)), expected(word(lane), k(lane)), "{level}");
            assert_eq!(Some(found_small.get(lane)), expected(small.get(lane), small_k.get(lane)), "{level}");
        }
    }
}

#[test]
fn kth_bit_finds_every_bit() {
    at_every_level!(kth_bit_is_the_kth);
}

fn halves_and_masks_go_together<S: Simd>(simd: S, level: SimdLevel) {
    let number = |lane: usize| mix64(lane as u64 + 7);
    let wide = boards(simd, number);
    let mask = words(simd, |lane| lane as u32 % 3).is(0);
    let chosen = mask.widen().select(wide, wide.zero());
    let places = boards(simd, |lane| 0x0706_0504_0302_0100 ^ (lane as u64 % 8 * 0x0101_0101_0101_0101));
    for lane in 0..Words::<S>::LANES {
        assert_eq!(wide.low().get(lane), number(lane) as u32, "{level}");
        assert_eq!(wide.high().get(lane), (number(lane) >> 32) as u32, "{level}");
        assert_eq!(wide.low().widen().get(lane), number(lane) & 0xffff_ffff, "{level}");
        assert_eq!(wide.low().widen().narrow().get(lane), number(lane) as u32, "{level}");
        assert_eq!(chosen.get(lane), if lane % 3 == 0 { number(lane) } else { 0 }, "{level}");
        assert_eq!(mask.bits() >> lane & 1 != 0, lane % 3 == 0, "{level}");
        let picked = places.get(lane).to_le_bytes().map(|place| number(lane).to_le_bytes()[place as usize]);
        assert_eq!(wide.pick_bytes(places).get(lane).to_le_bytes(), picked, "{level}");
    }
}

#[test]
fn words_boards_and_masks_keep_their_lanes() {
    at_every_level!(halves_and_masks_go_together);
}

fn streams_are_those_of_the_scalar_generator<S: Simd>(simd: S, level: SimdLevel) {
    let mut lanes = LaneRng::new(simd);
    let state = |lane: usize| playout_state(position_base(3, 4), lane as u64);
    let mut scalar: Vec<_> = (0..Words::<S>::LANES).map(|lane| Rng::new(state(lane))).collect();
    (0..scalar.len()).for_each(|lane| lanes.set(lane, state(lane)));
    for round in 0..3000u32 {
        let n = |lane: usize| (round * 7919 + lane as u32 * 31) % 0xffff + 1;
        let odd = words(simd, |lane| lane as u32 & 1).is(1);
        let found = match round % 3 {
            0 => lanes.next_u32(),
            1 => lanes.below(words(simd, n)),
            _ => lanes.below_where(odd, words(simd, n), words(simd, |_| 77)),
        };
        for (lane, rng) in scalar.iter_mut().enumerate() {
            let expected = match round % 3 {
                0 => rng.next_u32(),
                1 => scale(rng.next_u32(), n(lane)),
                _ if lane % 2 == 1 => scale(rng.next_u32(), n(lane)),
                _ => 77,
            };
            assert_eq!(found.get(lane), expected, "{level}, round {round}");
            assert_eq!(lanes.draws(lane), crate::rng::Draws::draws(rng), "{level}, round {round}");
        }
    }
}

#[test]
fn every_lane_has_its_own_stream_and_the_64_bit_bounded_draw() {
    at_every_level!(streams_are_those_of_the_scalar_generator);
}
