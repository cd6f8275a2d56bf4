//! The compute shader plays what the rules engine plays: outcome, number of draws and final position of
//! every single playout.

use fairground::batch::{BackendChoice, Batch, Ending, Evaluator, Options, Record};
use fairground::games::tubstap::{Cell, Kind, Policy, Position, Tubstap, Unit};
use fairground_kernels::tubstap::PHASE_CAP;

mod common;

fn evaluator(backend: BackendChoice, chunk: u64) -> Evaluator {
    Evaluator::new(&Options { backend, chunk, ..Options::default() })
        .unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
}

fn batch(policy: Policy, positions: &[Position], playouts: u64) -> Batch<Tubstap> {
    let mut batch = Batch::new(policy, 2024);
    for (key, position) in (0..).zip(positions) {
        // Large keys and first indices, so that both words of each count.
        batch.push_part(position, key << 40, (key << 31) + 5, playouts);
    }
    batch
}

fn compare(policy: Policy, positions: &[Position], playouts: u64, chunk: u64) -> Vec<Record<Position>> {
    let batch = batch(policy, positions, playouts);
    let scalar = evaluator(BackendChoice::Scalar, 0).records(&batch).expect("the rules engine cannot fail");
    let gpu = evaluator(BackendChoice::Gpu, chunk).records(&batch).expect("the GPU works");
    assert_eq!(gpu.len() as u64, batch.playouts());
    assert_eq!(scalar.len(), gpu.len());
    for (number, (expected, found)) in scalar.iter().zip(&gpu).enumerate() {
        let start = &positions[number / playouts as usize];
        assert_eq!(expected.outcome, found.outcome, "{policy:?}, playout {number}, from {start:#?}");
        assert_eq!(expected.last, found.last, "{policy:?}, playout {number}, from {start:#?}");
    }
    scalar
}

/// A thousand positions of all sizes, from starts and from the middle of games.
fn compare_random_positions(policy: Policy) {
    if common::without_gpu() {
        return;
    }
    let positions = common::positions(1024, 100 + policy as u64);
    let records = compare(policy, &positions, 20, 0);
    assert!(records.len() >= 10_000);
    let endings = |wanted: fn(&Ending) -> bool| records.iter().filter(|record| wanted(&record.outcome.ending)).count();
    assert!(endings(|ending| *ending == Ending::Win(0)) > 100, "Red wins some");
    assert!(endings(|ending| *ending == Ending::Win(1)) > 100, "Blue wins some");
    assert!(policy == Policy::Mss || endings(|ending| *ending == Ending::Draw) > 100, "some are drawn");
}

#[test]
fn random_playouts_are_identical() {
    compare_random_positions(Policy::Random);
}

#[test]
fn muct_playouts_are_identical() {
    compare_random_positions(Policy::Muct);
}

#[test]
fn mss_playouts_are_identical() {
    compare_random_positions(Policy::Mss);
}

/// Two units that cannot hurt each other, with a limit far beyond the cap.
fn endless() -> Position {
    let mut position = common::random_position(&mut common::rng(0, 0));
    position.sides = Default::default();
    position.ground = Default::default();
    for (side, x) in position.sides.iter_mut().zip([0, 7]) {
        let cell = Cell::new(x, x).expect("inside");
        side.place(3, Unit { kind: Kind::Cannon, cell, hp: 10 }, false);
    }
    position.limit = 5 * PHASE_CAP;
    position.turn = 7;
    position
}

#[test]
fn endless_playouts_are_cut_off_at_the_same_phase() {
    if common::without_gpu() {
        return;
    }
    for policy in [Policy::Random, Policy::Muct] {
        let records = compare(policy, &[endless()], 70, 0);
        for record in records {
            assert_eq!((record.outcome.ending, record.outcome.phases), (Ending::Truncated, PHASE_CAP));
        }
    }
}

#[test]
fn tallies_do_not_depend_on_backend_or_chunk() {
    if common::without_gpu() {
        return;
    }
    let positions = common::positions(80, 77);
    for policy in Policy::ALL {
        let batch = batch(policy, &positions, 31);
        let expected = evaluator(BackendChoice::Scalar, 0).evaluate(&batch).expect("the rules engine cannot fail");
        for chunk in [0, 100, 1] {
            // Chunks of a single playout are slow: a few are enough.
            let batch = if chunk == 1 { self::batch(policy, &positions[..2], 31) } else { batch.clone() };
            let found = evaluator(BackendChoice::Gpu, chunk).evaluate(&batch).expect("the GPU works");
            assert_eq!(found.tallies, expected.tallies[..batch.len()], "{policy:?}, chunks of {chunk}");
            assert!(found.occupancy.busy <= found.occupancy.total);
            assert!(chunk == 1 || found.occupancy.busy > 0);
        }
    }
}

#[test]
fn threads_can_share_a_device() {
    if common::without_gpu() {
        return;
    }
    let positions = common::positions(40, 5);
    let gpu = evaluator(BackendChoice::Gpu, 50);
    let batches = Policy::ALL.map(|policy| batch(policy, &positions, 10));
    let found = std::thread::scope(|scope| {
        let threads = batches.each_ref().map(|batch| scope.spawn(|| gpu.evaluate(batch).expect("the GPU works")));
        threads.map(|thread| thread.join().expect("no panic").tallies)
    });
    for (batch, found) in batches.iter().zip(found) {
        let expected = evaluator(BackendChoice::Scalar, 0).evaluate(batch).expect("the rules engine cannot fail");
        assert_eq!(expected.tallies, found, "{:?}", batch.policy());
    }
}

#[test]
fn playouts_that_are_over_as_they_begin_take_no_steps() {
    if common::without_gpu() {
        return;
    }
    let mut position = endless();
    position.sides[1].remove(3);
    // More than the lanes finish in one dispatch: one without a single step is not yet a stall. And more
    // than the device takes at once.
    const PLAYOUTS: u64 = 5_000_000;
    let batch = batch(Policy::Mss, &[position], PLAYOUTS);
    let found = evaluator(BackendChoice::Gpu, PLAYOUTS).evaluate(&batch).expect("the GPU works");
    assert_eq!(found.tallies[0].wins[..2], [PLAYOUTS, 0]);
    assert_eq!((found.tallies[0].phases.sum, found.occupancy.busy), (0, 0));
}

#[test]
fn nothing_to_play_is_no_error() {
    if common::without_gpu() {
        return;
    }
    let gpu = evaluator(BackendChoice::Gpu, 0);
    assert!(gpu.evaluate(&Batch::<Tubstap>::new(Policy::Random, 1)).expect("the GPU works").tallies.is_empty());
    let batch = batch(Policy::Random, &[endless()], 0);
    assert_eq!(gpu.evaluate(&batch).expect("the GPU works").tallies[0].playouts, 0);
}
