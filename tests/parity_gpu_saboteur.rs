//! The compute shader plays what the rules engine plays: outcome, number of draws and every word of the final
//! position of every single playout.

mod common;
#[path = "common/saboteur.rs"]
mod saboteur;
#[path = "common/saboteur_parity.rs"]
mod saboteur_parity;

use std::sync::LazyLock;

use fairground::batch::Outcome;
use fairground::batch::gpu::Gpu;
use fairground::games::saboteur::{Game, Policy, Saboteur, WholeGames};
use fairground_kernels::saboteur::Packed;
use saboteur_parity::{POLICIES, Seen, moments, starts};

/// One device for all tests, so that every shader is compiled once.
static GPU: LazyLock<Gpu> = LazyLock::new(|| {
    Gpu::open().unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
});

/// Plays every game on the GPU and compares all words; returns the rules engine's.
fn compare(policy: Policy, games: &[Game], playouts: u32, seed: u64, is_whole: bool) -> Vec<(Outcome, Packed)> {
    saboteur_parity::compare(policy, games, playouts, seed, is_whole, |queue| {
        let played = if is_whole { GPU.run::<WholeGames>(policy, queue) } else { GPU.run::<Saboteur>(policy, queue) };
        played.expect("the GPU works");
    })
}

#[test]
fn rounds_from_the_start_are_identical() {
    if common::without_gpu() {
        return;
    }
    let starts = starts(160);
    for (seed, policy) in (0..).zip(POLICIES) {
        let t = std::time::Instant::now();
        compare(policy, &starts, 13, seed, false);
        println!("{policy:?} {:?}", t.elapsed());
    }
}
