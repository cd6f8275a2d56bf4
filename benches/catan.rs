//! The hot paths of Catan. Every benchmark checks its answer before it is timed.
//!
//! `cargo bench --bench catan -- playouts` runs some of them. For rates on real maps, and all backends
//! compared in one run, use `fairground bench --game catan`.

mod common;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fairground::batch::Batch;
use fairground::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use fairground::games::catan::{Catan, Policy, Position, Strategy, builtin, longest_road, policy};
use fairground::learn::features::{Readings, features};
use fairground::learn::moments::FeatureMoments;
use fairground_kernels::rng::{Draws, Rng};

/// Positions from the middle of random games on the built-in maps.
fn positions() -> Vec<Position> {
    let maps = builtin::named();
    (0..512u64)
        .map(|case| {
            let rng = &mut Rng::for_playout(1, 2, case);
            let mut position = Position::start(&maps[case as usize % maps.len()].map);
            let turn_cap = rng.below(300);
            policy::play(&mut position, Policy { turn_cap, ..Policy::all(Strategy::Random) }, rng);
            position
        })
        .collect()
}

fn choices(c: &mut Criterion) {
    let positions = positions();
    let count = |position: &Position| position.choices().len();
    let listed = |position: &&Position| position.winner().is_none();
    let expected: usize = positions.iter().filter(listed).map(|position| position.legal_actions().len()).sum();
    assert_eq!(positions.iter().filter(listed).map(count).sum::<u32>() as usize, expected);
    let mut group = c.benchmark_group("choices");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("of a turn", |b| b.iter(|| black_box(&positions).iter().map(count).sum::<u32>()));
    group.finish();
}

fn longest_roads(c: &mut Criterion) {
    let positions = positions();
    let sum = |position: &Position| -> u32 {
        let blocked = |seat: usize| position.occupied() & !position.players[seat].buildings;
        let length = |seat: usize| longest_road::length(position.players[seat].roads, blocked(seat));
        (0..4).map(|seat| u32::from(length(seat))).sum()
    };
    let kept = |position: &Position| position.players.iter().map(|player| u32::from(player.road_length())).sum::<u32>();
    assert!(positions.iter().all(|position| sum(position) == kept(position)));
    let mut group = c.benchmark_group("longest road");
    group.throughput(Throughput::Elements(4 * positions.len() as u64));
    group.bench_function("afresh", |b| b.iter(|| black_box(&positions).iter().map(sum).sum::<u32>()));
    group.finish();
}

fn playouts(c: &mut Criterion) {
    for strategy in Strategy::ALL {
        let mut batch = Batch::<Catan>::new(Policy::all(strategy), 1);
        batch.push(Position::start(&builtin::named()[0].map), 1024);
        common::playouts(c, &format!("playouts of {}, {}", builtin::named()[0].name, strategy.name()), &batch);
    }
}

fn learning(c: &mut Criterion) {
    const MAPS: u64 = 1000;
    let recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };
    let readings = Readings::default();
    // Twenty-four inner nodes on every map.
    let nodes =
        |index: u64| features(&draw(&recipe, 1, index), &readings)[42..49].iter().map(|&x| u64::from(x)).sum::<u64>();
    assert_eq!((0..MAPS).map(nodes).sum::<u64>(), 24 * MAPS);
    let moments = |count| FeatureMoments::of_random_maps(&recipe, &readings, 1, 0, count);
    assert_eq!(moments(MAPS).count(), MAPS);
    let mut group = c.benchmark_group("random maps");
    group.throughput(Throughput::Elements(MAPS));
    group.bench_function("drawn, with features", |b| b.iter(|| (0..black_box(MAPS)).map(nodes).sum::<u64>()));
    group.bench_function("with sums of products, one thread", |b| b.iter(|| moments(black_box(MAPS))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = choices, longest_roads, learning, playouts
}
criterion_main!(benches);
