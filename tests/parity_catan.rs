//! Every SIMD level plays what the rules engine plays: outcome, number of draws and every word of the final position
//! of every single playout.

#[path = "common/catan.rs"]
mod catan;
#[path = "common/catan_parity.rs"]
mod catan_parity;

use std::collections::HashSet;

use catan::{random_map, rng};
use catan_parity::{POLICIES, Seen, any_map, capped, moments, road_builders};
use fairground::batch::{BackendChoice, Batch, Evaluator, Options, Outcome, SimdLevel};
use fairground::games::catan::tables::HEXES;
use fairground::games::catan::{Catan, Map, Policy, Position, Resource};
use fairground_kernels::catan::{Packed, play_lockstep};

/// Plays every position at every level and compares all words; returns the rules engine's.
fn compare(policy: Policy, positions: &[Position], playouts: u32, seed: u64) -> Vec<(Outcome, Packed)> {
    let mut records = Vec::new();
    for level in SimdLevel::available() {
        records = catan_parity::compare(policy, positions, playouts, seed, |queue| play_lockstep(level, policy, queue));
    }
    records
}

/// 20,000 games of a policy from starts on 500 maps, and 9,000 from all phases of other games.
fn games_are_identical(policy: Policy) {
    let starts: Vec<_> = (0..500).map(|case| any_map(&mut rng(21, case))).collect();
    let records = compare(policy, &starts, 40, 2025);
    assert_eq!(records.len(), 20_000);
    let last: Vec<_> = records.iter().map(|(_, last)| Position::unpack(last)).collect();
    let seen = Seen::of(&last);
    // The heuristic seldom builds in circles, and an army of it ends games before the deck is empty.
    let is_random = policy == POLICIES[0];
    assert!(seen.cut_roads > 300 && (!is_random || seen.cycles > 300 && seen.deck_empty > 300), "{seen:?}");

    let positions = moments(3000, 22);
    let seen = Seen::of(&positions);
    assert!(seen.phases.iter().all(|&count| count > 50), "{seen:?}");
    assert!(seen.won > 100 && seen.deck_empty > 100 && seen.bank_short > 100 && seen.offers > 50, "{seen:?}");
    assert!(seen.cycles > 200 && seen.cut_roads > 50, "{seen:?}");
    compare(policy, &positions, 3, 8);
}

#[test]
fn random_is_the_same_at_every_level() {
    games_are_identical(POLICIES[0]);
}

#[test]
fn random_s_is_the_same_at_every_level() {
    games_are_identical(POLICIES[1]);
}

#[test]
fn heuristic_is_the_same_at_every_level() {
    games_are_identical(POLICIES[2]);
}

#[test]
fn strategies_by_seat_are_the_same_at_every_level() {
    games_are_identical(POLICIES[3]);
    games_are_identical(POLICIES[4]);
}

/// Of positions that are played often the kernel remembers set-ups, but where all places are worth the same there are more of them.
#[test]
fn set_ups_are_the_same_whether_they_are_remembered_or_not() {
    let mut starts: Vec<_> = (0..30).map(|case| any_map(&mut rng(25, case))).collect();
    let map = Map { tiles: [Some(Resource::Wood); HEXES], tokens: [5; HEXES], ..random_map(&mut rng(25, 30)) };
    starts.push(Position::start(&map));
    let records = compare(Policy { turn_cap: 1, ..POLICIES[2] }, &starts, 700, 26);
    let set_ups = records.chunks(700).map(|records| {
        let pieces = |last: &Packed| last.players.map(|player| [player.buildings, player.h, player.v]);
        records.iter().map(|(_, last)| pieces(last)).collect::<HashSet<_>>().len()
    });
    let set_ups: Vec<_> = set_ups.collect();
    assert!(set_ups[30] > 600 && set_ups.iter().filter(|&&count| count < 250).count() > 10, "{set_ups:?}");
}

#[test]
fn playouts_are_cut_off_at_the_same_turn() {
    catan_parity::compare_cut_off(23, compare);
}

#[test]
fn longest_roads_are_identical_in_any_network() {
    let positions: Vec<_> = (0..4000).map(road_builders).collect();
    compare(capped(50), &positions, 4, 12);
    for policy in POLICIES {
        compare(Policy { turn_cap: 50, ..policy }, &positions, 1, 13);
    }
}

#[test]
fn totals_do_not_depend_on_threads_chunks_or_order() {
    let positions = moments(60, 24);
    let batch = |positions: &mut dyn Iterator<Item = &Position>| {
        let mut batch = Batch::<Catan>::new(capped(100), 5);
        positions.for_each(|position| batch.push(position, 50));
        batch
    };
    let evaluate = |threads, chunk, batch: &Batch<Catan>| {
        let options = Options { backend: BackendChoice::Simd(None), threads, chunk };
        Evaluator::new(&options).expect("the backend exists").evaluate(batch).expect("CPU backends cannot fail").tallies
    };
    let in_order = batch(&mut positions.iter());
    let expected = evaluate(1, 0, &in_order);
    for (threads, chunk) in [(1, 1), (2, 7), (3, 1000), (2, 1_000_000)] {
        assert_eq!(evaluate(threads, chunk, &in_order), expected, "{threads} threads, chunks of {chunk}");
    }
    let mut backwards = evaluate(2, 100, &batch(&mut positions.iter().rev()));
    backwards.reverse();
    assert_eq!(backwards, expected);
}
