//! Scalar and every SIMD level play the same games, playout by playout.

mod common;

use common::{positions, random_position, rng};
use fairground::batch::{BackendChoice, Batch, Evaluator, Options, Record, SimdLevel, Tally};
use fairground::games::tubstap::{Policy, Position, Tubstap};

fn batch(positions: &[Position], policy: Policy, playouts: u64) -> Batch<Tubstap> {
    let mut batch = Batch::new(policy, 7);
    for position in positions {
        batch.push(position, playouts);
    }
    batch
}

fn evaluator(backend: BackendChoice, threads: usize, chunk: u64) -> Evaluator {
    Evaluator::new(&Options { backend, threads, chunk }).expect("the backend exists")
}

/// At least 100,000 playouts of the policy at every level: same winner, length, draws and final state.
fn every_level_plays_like_the_rules_engine(policy: Policy) {
    let positions = positions(1000, 20);
    let batch = batch(&positions, policy, 100);
    let expected = evaluator(BackendChoice::Scalar, 0, 0).records(&batch).unwrap();
    assert_eq!(expected.len(), 100_000);
    assert!(expected.iter().map(|record| record.outcome.draws).max() > Some(100), "the games are not trivial");
    // Without records a playout need not be played to its end once it is decided.
    let tally = |records: &[Record<Position>]| {
        let mut tally = Tally::default();
        records.iter().for_each(|record| tally.add(&record.outcome));
        tally
    };
    let expected_tallies: Vec<_> = expected.chunks(100).map(tally).collect();
    for level in SimdLevel::available() {
        let evaluator = evaluator(BackendChoice::Simd(Some(level)), 0, 0);
        let found = tallies(&evaluator, &batch);
        for (position, (found, expected)) in positions.iter().zip(found.iter().zip(&expected_tallies)) {
            assert_eq!(found, expected, "{level}, {position:?}");
        }
        let records = evaluator.records(&batch).unwrap();
        assert_eq!(records.len(), expected.len());
        for (index, (record, expected)) in records.iter().zip(&expected).enumerate() {
            assert_eq!(record, expected, "{level}, playout {} of {:?}", index % 100, positions[index / 100]);
        }
    }
}

#[test]
fn random_is_the_same_at_every_level() {
    every_level_plays_like_the_rules_engine(Policy::Random);
}

#[test]
fn muct_is_the_same_at_every_level() {
    every_level_plays_like_the_rules_engine(Policy::Muct);
}

#[test]
fn mss_is_the_same_at_every_level() {
    every_level_plays_like_the_rules_engine(Policy::Mss);
}

fn tallies(evaluator: &Evaluator, batch: &Batch<Tubstap>) -> Vec<Tally> {
    evaluator.evaluate(batch).unwrap().tallies
}

#[test]
fn totals_do_not_depend_on_threads_or_chunks() {
    let positions = positions(60, 21);
    for policy in Policy::ALL {
        let batch = batch(&positions, policy, 150);
        let expected = tallies(&evaluator(BackendChoice::Scalar, 1, 0), &batch);
        for backend in [BackendChoice::Scalar, BackendChoice::Simd(None)] {
            for (threads, chunk) in [(1, 0), (2, 0), (1, 1), (2, 7), (1, 149), (2, 150), (2, 4096), (3, 1_000_000)] {
                let totals = tallies(&evaluator(backend, threads, chunk), &batch);
                assert_eq!(totals, expected, "{backend:?}, {threads} threads, chunks of {chunk}");
            }
        }
    }
}

#[test]
fn two_halves_of_a_run_add_up_to_the_whole() {
    let positions = positions(40, 22);
    let evaluator = Evaluator::default();
    for policy in Policy::ALL {
        let whole = tallies(&evaluator, &batch(&positions, policy, 100));
        let mut parts = [Batch::new(policy, 7), Batch::new(policy, 7)];
        for position in &positions {
            parts[0].push_part(position, position.key(), 0, 37);
            parts[1].push_part(position, position.key(), 37, 63);
        }
        let [mut first, second] = parts.map(|part| tallies(&evaluator, &part));
        for (tally, other) in first.iter_mut().zip(&second) {
            tally.merge(other);
        }
        assert_eq!(first, whole);
    }
}

#[test]
fn totals_do_not_depend_on_the_order_of_the_batch() {
    let mut positions = positions(50, 23);
    let evaluator = Evaluator::default();
    let mut expected = tallies(&evaluator, &batch(&positions, Policy::Random, 64));
    positions.reverse();
    expected.reverse();
    assert_eq!(tallies(&evaluator, &batch(&positions, Policy::Random, 64)), expected);
}

#[test]
fn lanes_are_full_on_ten_thousand_playouts() {
    let position = random_position(&mut rng(21, 0));
    for threads in [1, 2] {
        let evaluation = evaluator(BackendChoice::Simd(None), threads, 0)
            .evaluate(&batch(&[position], Policy::Mss, 10_000))
            .unwrap();
        assert!(evaluation.occupancy.share() >= 0.95, "{:?}", evaluation.occupancy);
    }
}
