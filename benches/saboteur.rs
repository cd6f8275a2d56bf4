//! The hot paths of Saboteur. Every benchmark checks its answer before it is timed.
//!
//! `cargo bench --bench saboteur -- playouts` runs some of them. For rates with all backends compared in one run, use
//! `fairground bench --game saboteur`.

mod common;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fairground::batch::Batch;
use fairground::games::saboteur::{Extent, Game, Policy, Position, Reading, Saboteur, Strategy, policy};
use fairground_kernels::rng::Rng;

const PAPER: Strategy = Strategy::Paper(Reading::A);

/// Positions from all moments of rounds of the paper's agent.
fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for case in 0..12 {
        let mut position = Position::start(6, Extent::PAPER).expect("six players");
        let rng = &mut Rng::for_playout(1, 2, case);
        policy::play_watched(&mut position, Policy::all(PAPER), rng, |position, _| positions.push(*position));
    }
    positions
}

fn legal_actions(c: &mut Criterion) {
    let positions = positions();
    let count = |position: &Position| position.legal_actions().len();
    let checked = |position: &Position| {
        let legal = position.legal_actions();
        legal.iter().filter(|&&action| position.check(action).is_ok()).count()
    };
    assert!(positions.iter().all(|position| count(position) == checked(position) && count(position) > 0));
    let mut group = c.benchmark_group("legal actions");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("of a turn", |b| b.iter(|| black_box(&positions).iter().map(count).sum::<usize>()));
    group.finish();
}

fn playouts(c: &mut Criterion) {
    for (name, strategy) in [("random", Strategy::Random), ("paper", PAPER), ("full", Strategy::Full)] {
        let mut batch = Batch::<Saboteur>::new(Policy::all(strategy), 1);
        batch.push(Game::start(6, Extent::PAPER).expect("six players"), 1024);
        common::playouts(c, &format!("playouts of 6 players, {name}"), &batch);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = legal_actions, playouts
}
criterion_main!(benches);
