//! Every SIMD level plays what the rules engine plays: outcome, number of draws and every word of the final position
//! of every single playout.

#[path = "common/saboteur.rs"]
mod saboteur;
#[path = "common/saboteur_parity.rs"]
mod saboteur_parity;

use fairground::batch::{Outcome, SimdLevel};
use fairground::games::saboteur::{Game, Policy};
use fairground_kernels::saboteur::{Packed, play_lockstep};
use saboteur_parity::{POLICIES, Seen, moments, starts};

/// Plays every game at every level and compares all words; returns the rules engine's.
fn compare(policy: Policy, games: &[Game], playouts: u32, seed: u64, is_whole: bool) -> Vec<(Outcome, Packed)> {
    let mut records = Vec::new();
    for level in SimdLevel::available() {
        records = saboteur_parity::compare(policy, games, playouts, seed, is_whole, |queue| {
            if is_whole {
                play_lockstep::<true>(level, policy, queue);
            } else {
                play_lockstep::<false>(level, policy, queue);
            }
        });
    }
    records
}

#[test]
fn rounds_are_identical() {
    for (seed, policy) in (0..).zip(POLICIES) {
        let records = compare(policy, &starts(500), 40, seed, false);
        assert_eq!(records.len(), 20_000);
    }
}

#[test]
fn rounds_from_every_moment_are_identical() {
    let games = moments(3000, 1);
    let seen = Seen::of(&games);
    assert!(seen.islands > 100 && seen.broken_mover > 100 && seen.deck_empty > 100, "{seen:?}");
    for (seed, policy) in (100..).zip(POLICIES) {
        compare(policy, &games, 2, seed, false);
    }
}

#[test]
fn whole_games_are_identical() {
    for (seed, policy) in (200..).zip(POLICIES) {
        compare(policy, &starts(320), 4, seed, true);
        compare(policy, &moments(1000, seed), 1, seed, true);
    }
}
