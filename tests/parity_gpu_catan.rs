//! The compute shader plays what the rules engine plays: outcome, number of draws and every word of the final
//! position of every single playout.

#[path = "common/catan.rs"]
mod catan;
#[path = "common/catan_parity.rs"]
mod catan_parity;
mod common;

use std::sync::LazyLock;

use catan::rng;
use catan_parity::{Seen, any_map, capped, moments, road_builders};
use fairground::batch::gpu::Gpu;
use fairground::batch::{BackendChoice, Batch, Ending, Evaluator, Options, Outcome};
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Card, Catan, Phase, Policy, Position, Strategy, TURN_CAP};
use fairground_kernels::catan::Packed;

/// One device for all tests, so that every shader is compiled once.
static GPU: LazyLock<Gpu> = LazyLock::new(|| {
    Gpu::open().unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
});

/// Plays every position on the GPU and compares all words; returns the rules engine's.
fn compare(policy: Policy, positions: &[Position], playouts: u32, seed: u64) -> Vec<(Outcome, Packed)> {
    catan_parity::compare(policy, positions, playouts, seed, |queue| {
        GPU.run::<Catan>(policy, queue).expect("the GPU works");
    })
}

#[test]
fn games_from_the_start_are_identical() {
    if common::without_gpu() {
        return;
    }
    let starts: Vec<_> = (0..300).map(|case| any_map(&mut rng(1, case))).collect();
    let records = compare(capped(TURN_CAP), &starts, 10, 2024);
    let last: Vec<_> = records.iter().map(|(_, last)| Position::unpack(last)).collect();
    for seat in 0..SEATS as u8 {
        let wins = records.iter().filter(|(outcome, _)| outcome.ending == Ending::Win(seat)).count();
        assert!(wins > 500, "seat {seat} wins {wins} times");
    }
    let seen = Seen::of(&last);
    assert!(seen.cycles > 1000 && seen.cut_roads > 500 && seen.deck_empty > 500, "{seen:?}");
}

#[test]
fn games_from_every_phase_are_identical() {
    if common::without_gpu() {
        return;
    }
    let positions = moments(1500, 2);
    let seen = Seen::of(&positions);
    assert!(seen.phases.iter().all(|&count| count > 50), "{seen:?}");
    assert!(seen.won > 100 && seen.deck_empty > 100 && seen.bank_short > 100 && seen.offers > 50, "{seen:?}");
    assert!(seen.cycles > 200 && seen.cut_roads > 50, "{seen:?}");
    let records = compare(capped(TURN_CAP), &positions, 2, 7);
    for ((outcome, last), start) in records.chunks(2).map(|pair| pair[0]).zip(&positions) {
        if let Some(seat) = start.winner() {
            assert_eq!(outcome, Outcome { ending: Ending::Win(seat), phases: 0, actions: 0, draws: 0 });
            assert_eq!(last, start.pack(), "nothing is played after the end");
        }
    }
}

/// The strategies by seat of the next two tests.
const STRATEGIES: [[Strategy; SEATS]; 4] = {
    use Strategy::{Heuristic, Random, RandomS};
    [[RandomS; SEATS], [Heuristic; SEATS], [Heuristic, Random, RandomS, Random], [Random, RandomS, Random, RandomS]]
};

#[test]
fn games_of_every_strategy_are_identical() {
    if common::without_gpu() {
        return;
    }
    for (case, seats) in (0..).zip(STRATEGIES) {
        let starts: Vec<_> = (0..200).map(|number| any_map(&mut rng(20 + case, number))).collect();
        let records = compare(Policy { seats, turn_cap: TURN_CAP }, &starts, 6, case);
        let ends = records.iter().filter(|(outcome, _)| outcome.ending != Ending::Truncated).count();
        assert!(ends > 1000, "{seats:?}: {ends} games have a winner");
        for card in Card::ALL.into_iter().filter(|&card| card != Card::VictoryPoint) {
            let players = records.iter().flat_map(|(_, last)| Position::unpack(last).players);
            let played: u32 = players.map(|player| u32::from(player.played.count(card.index()))).sum();
            assert!(played > 50, "{seats:?}: {card:?} was played {played} times");
        }
    }
}

#[test]
fn games_of_every_strategy_from_every_phase_are_identical() {
    if common::without_gpu() {
        return;
    }
    let mut positions = moments(600, 8);
    // Without an opponent's building the robber of random-s stays.
    positions.extend((0..20).map(|case| {
        let mut position = any_map(&mut rng(9, case));
        (position.phase, position.placed, position.mover) = (Phase::Robber, 8, case as u8 % SEATS as u8);
        position
    }));
    for (case, seats) in (0..).zip(STRATEGIES) {
        compare(Policy { seats, turn_cap: TURN_CAP }, &positions, 2, 30 + case);
    }
}

#[test]
fn playouts_are_cut_off_at_the_same_turn() {
    if common::without_gpu() {
        return;
    }
    catan_parity::compare_cut_off(3, compare);
}

#[test]
fn longest_roads_are_identical_in_any_network() {
    if common::without_gpu() {
        return;
    }
    let positions: Vec<_> = (0..4000).map(road_builders).collect();
    let records = compare(capped(50), &positions, 2, 11);
    let last: Vec<_> = records.iter().map(|(_, last)| Position::unpack(last)).collect();
    let seen = Seen::of(&last);
    assert!(seen.cycles > 2000 && seen.cut_roads > 2000, "{seen:?}");
    let lengths = |position: &Position| position.players.map(|player| player.road_length());
    let starts = positions.iter().flat_map(|position| [position; 2]);
    let (mut longer, mut shorter, mut holders) = (0, 0, 0);
    for (last, start) in last.iter().zip(starts) {
        let pairs = || lengths(last).into_iter().zip(lengths(start));
        longer += u32::from(pairs().any(|(last, start)| last > start));
        shorter += u32::from(pairs().any(|(last, start)| last < start));
        holders += u32::from(last.longest_road != start.longest_road);
    }
    assert!(longer > 2000 && shorter > 100 && holders > 500, "{longer} longer, {shorter} shorter, {holders} holders");
}

fn evaluator(backend: BackendChoice, chunk: u64) -> Evaluator {
    Evaluator::new(&Options { backend, chunk, ..Options::default() })
        .unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
}

#[test]
fn tallies_do_not_depend_on_backend_or_chunk() {
    if common::without_gpu() {
        return;
    }
    let positions = moments(40, 5);
    let batch = |positions: &[Position]| {
        let mut batch = Batch::<Catan>::new(capped(50), 5);
        positions.iter().for_each(|position| batch.push(position, 7));
        batch
    };
    let expected = evaluator(BackendChoice::Scalar, 0).evaluate(&batch(&positions)).expect("no failure");
    for chunk in [0, 100, 1] {
        // Chunks of a single playout are slow: a few are enough.
        let batch = batch(if chunk == 1 { &positions[..2] } else { &positions });
        let found = evaluator(BackendChoice::Gpu, chunk).evaluate(&batch).expect("the GPU works");
        assert_eq!(found.tallies, expected.tallies[..batch.len()], "chunks of {chunk}");
        assert!(found.occupancy.busy <= found.occupancy.total);
    }
}

#[test]
fn nothing_to_play_is_no_error() {
    if common::without_gpu() {
        return;
    }
    let gpu = evaluator(BackendChoice::Gpu, 0);
    assert!(gpu.evaluate(&Batch::<Catan>::new(capped(50), 1)).expect("the GPU works").tallies.is_empty());
    let mut batch = Batch::<Catan>::new(capped(50), 1);
    batch.push(any_map(&mut rng(6, 0)), 0);
    assert_eq!(gpu.evaluate(&batch).expect("the GPU works").tallies[0].playouts, 0);
}
