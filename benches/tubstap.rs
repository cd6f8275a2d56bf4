//! The hot paths of TUBSTAP. Every benchmark checks its answer before it is timed.
//!
//! `cargo bench --bench tubstap -- reach` runs some of them. For rates on real maps, and all backends
//! compared in one run, use `fairground bench`.

mod common;

use std::hint::black_box;

use common::backends;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fairground::batch::{Batch, SimdLevel};
use fairground::games::tubstap::{Policy, Position, Tubstap, builtin};
use fairground_kernels::lanes::Words;
use fairground_kernels::rng::{Draws, Rng, mix64, scale};

/// Positions from the middle of random games on the built-in maps.
fn positions() -> Vec<Position> {
    let maps = builtin::maps();
    (0..512u64)
        .map(|case| {
            let rng = &mut Rng::for_playout(1, 2, case);
            let mut position = maps[case as usize % maps.len()].start();
            for _ in 0..rng.below(30) {
                act_at_random(&mut position, rng);
            }
            position
        })
        .collect()
}

/// One random action, or the end of the phase if there is none.
fn act_at_random(position: &mut Position, rng: &mut Rng) {
    let own = position.own();
    let unacted: Vec<_> = own.living().filter(|&number| !own.has_acted(number)).collect();
    if unacted.is_empty() || position.enemy().is_dead() {
        return position.end_phase();
    }
    let actions = position.actions_of(unacted[rng.below(unacted.len() as u32) as usize]);
    position.act(actions[rng.below(actions.len() as u32) as usize]);
}

fn reach(c: &mut Criterion) {
    let positions = positions();
    let count = |position: &Position| -> u32 {
        let cells = |number| {
            let unit = position.own().unit(number).expect("alive");
            let destinations = position.destinations(position.own(), position.enemy(), unit);
            destinations.len() + position.attacks(position.enemy(), unit, destinations).len()
        };
        position.own().living().map(cells).sum()
    };
    let expected: usize =
        positions.iter().flat_map(|p| p.own().living().map(|number| p.actions_of(number).len())).sum();
    let units: usize = positions.iter().map(|p| p.own().living().count()).sum();
    assert_eq!(positions.iter().map(count).sum::<u32>() as usize, expected);
    let mut group = c.benchmark_group("reach");
    group.throughput(Throughput::Elements(units as u64));
    group.bench_function("scalar, destinations and attacks of a unit", |b| {
        b.iter(|| black_box(&positions).iter().map(count).sum::<u32>());
    });
    group.finish();
}

/// The k-th set bits of `words`, added up, at this level of the kernels.
fn kth_bits<S: fearless_simd::Simd>(simd: S, words: &[(u32, u32)]) -> u64 {
    let mut sum = Words::splat(simd, 0);
    for chunk in words.chunks_exact(Words::<S>::LANES) {
        let (mut word, mut k) = (Words::splat(simd, 0), Words::splat(simd, 0));
        for (lane, &pair) in chunk.iter().enumerate() {
            word.set(lane, pair.0);
            k.set(lane, pair.1);
        }
        sum = sum + word.kth_bit(k);
    }
    (0..Words::<S>::LANES).map(|lane| u64::from(sum.get(lane))).sum()
}

fn kth_bit(c: &mut Criterion) {
    let words: Vec<(u32, u32)> = (0..4096)
        .map(|case| {
            let word = mix64(case) as u32 | 1;
            (word, scale(mix64(case + 9999) as u32, word.count_ones()))
        })
        .collect();
    let slow = |&(word, k): &(u32, u32)| (0..32u64).filter(|bit| word >> bit & 1 != 0).nth(k as usize).expect("set");
    let expected: u64 = words.iter().map(slow).sum();
    let level = fearless_simd::Level::new();
    let run = || fearless_simd::dispatch!(level, simd => kth_bits(simd, black_box(&words)));
    assert_eq!(run(), expected);
    let mut group = c.benchmark_group("k-th bit");
    group.throughput(Throughput::Elements(words.len() as u64));
    group.bench_function(format!("lanes, {}", SimdLevel::best()), |b| b.iter(run));
    group.finish();
}

/// Playouts of one action: a single unit that is ready, and the turn limit behind it.
fn one_step(c: &mut Criterion) {
    let mut batch = Batch::<Tubstap>::new(Policy::Random, 1);
    for mut position in positions() {
        let ready = position.own().living().find(|&number| !position.own().has_acted(number));
        let Some(ready) = ready.filter(|_| !position.enemy().is_dead()) else { continue };
        let side = &mut position.sides[position.mover.index()];
        for number in side.living() {
            let unit = *side.unit(number).expect("alive");
            side.place(number, unit, number != ready);
        }
        position.limit = position.turn + 1;
        batch.push(position, 8);
    }
    assert!(common::play(&backends()[0].1, &batch).iter().all(|tally| tally.actions.sum == 8));
    common::playouts(c, "start, one step, finish", &batch);
}

fn playouts(c: &mut Criterion) {
    for policy in Policy::ALL {
        let mut batch = Batch::<Tubstap>::new(policy, 1);
        batch.push(builtin::maps()[0].start(), 4096);
        common::playouts(c, &format!("playouts of duel-6x6, {}", policy.name()), &batch);
    }
}

fn packing(c: &mut Criterion) {
    let positions = positions();
    let packed: Vec<_> = positions.iter().map(Position::pack).collect();
    assert!(packed.iter().map(Position::unpack).eq(positions.iter().copied()));
    let mut group = c.benchmark_group("packing");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("pack", |b| {
        b.iter(|| black_box(&positions).iter().fold(0, |sum, position| sum ^ position.pack().sides[0].hp));
    });
    group.bench_function("unpack", |b| {
        b.iter(|| black_box(&packed).iter().fold(0, |sum, packed| sum + Position::unpack(packed).turn));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = reach, kth_bit, one_step, playouts, packing
}
criterion_main!(benches);
