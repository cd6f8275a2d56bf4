//! The compute shader plays what the rules engine plays: outcome, number of draws and every word of the final
//! position of every single playout.

mod common;
#[path = "common/saboteur.rs"]
mod saboteur;
#[path = "common/saboteur_parity.rs"]
mod saboteur_parity;

use std::sync::LazyLock;

use fairground::batch::gpu::Gpu;
use fairground::batch::{BackendChoice, Batch, Ending, Evaluator, Options, Outcome, Queue};
use fairground::games::saboteur::tables::{FEWEST_PLAYERS, MOST_PLAYERS};
use fairground::games::saboteur::{Game, Policy, Saboteur, Strategy, WholeGames};
use fairground_kernels::saboteur::Packed;
use fairground_kernels::saboteur::packed::NO_CARD;
use saboteur::readings;
use saboteur_parity::{POLICIES, Seen, moments, starts, strewn};

/// One device for all tests, so that every shader is compiled once.
static GPU: LazyLock<Gpu> = LazyLock::new(|| {
    Gpu::open().unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
});

/// Plays every game on the GPU and compares all words; returns the rules engine's.
fn compare(policy: Policy, games: &[Game], playouts: u32, seed: u64, is_whole: bool) -> Vec<(Outcome, Packed)> {
    let play = |queue: &mut Queue<'_, Packed>| {
        let played = if is_whole { GPU.run::<WholeGames>(policy, queue) } else { GPU.run::<Saboteur>(policy, queue) };
        played.expect("the GPU works");
    };
    saboteur_parity::compare(policy, games, playouts, seed, is_whole, [play])
}

/// The games that playouts ended in.
fn last(records: &[(Outcome, Packed)]) -> Vec<Game> {
    records.iter().map(|(_, last)| Game::unpack(last)).collect()
}

#[test]
fn rounds_from_the_start_are_identical() {
    if common::without_gpu() {
        return;
    }
    let starts = starts(160);
    for (seed, policy) in (0..).zip(POLICIES) {
        let records = compare(policy, &starts, 13, seed, false);
        assert!(records.len() > 2000);
        let seen = Seen::of(&last(&records));
        assert!(seen.players[FEWEST_PLAYERS..].iter().all(|&count| count == 260), "{seen:?}");
        let [_, saboteurs, nobody] = seen.winners;
        assert!(saboteurs > 400 && nobody > 10, "{policy:?}: {seen:?}");
        match policy {
            Policy { diggers: Strategy::Random, .. } => {
                assert!(seen.broken_tools > 1000 && seen.islands > 30, "{seen:?}")
            }
            Policy { saboteurs: Strategy::Random, .. } => {
                assert!(seen.winners[0] > 100 && seen.broken_tools > 500 && seen.islands > 50, "{policy:?}: {seen:?}");
                assert!(seen.goals_up[1..].iter().all(|&count| count > 30) && seen.goals_turned > 10, "{seen:?}");
            }
            Policy { saboteurs: Strategy::Full, .. } => {
                assert!(seen.winners[0] > 50 && seen.broken_tools > 1000 && seen.islands > 100, "{policy:?}: {seen:?}");
            }
            _ => {
                assert!(seen.winners[0] > 300 && seen.goals_turned > 10, "{policy:?}: {seen:?}");
                assert!(seen.goals_up[1..].iter().all(|&count| count > 30), "{policy:?}: {seen:?}");
            }
        }
    }
}

#[test]
fn rounds_from_any_moment_are_identical() {
    if common::without_gpu() {
        return;
    }
    let games = moments(1200, 2);
    let seen = Seen::of(&games);
    assert!(seen.not_dealt > 50 && seen.winners[..2].iter().all(|&count| count > 100), "{seen:?}");
    assert!(seen.islands > 50 && seen.broken_tools > 200 && seen.broken_mover > 100, "{seen:?}");
    assert!(seen.goals_up.iter().all(|&count| count > 20) && seen.goals_turned > 20, "{seen:?}");
    assert!(seen.deck_empty > 200 && seen.rounds.iter().all(|&count| count > 20) && seen.no_hand > 5, "{seen:?}");
    for (seed, policy) in (20..).zip(POLICIES) {
        let records = compare(policy, &games, 2, seed, false);
        for ((outcome, last), start) in records.iter().step_by(2).zip(&games) {
            if start.position.is_dealt() && start.position.winner.is_some() {
                assert_eq!((outcome.actions, outcome.draws), (0, 0));
                assert_eq!(*last, start.pack(), "nothing is played after the end");
            }
        }
        let truncated = records.iter().filter(|(outcome, _)| outcome.ending == Ending::Truncated).count();
        assert_eq!(truncated as u32, 2 * seen.no_hand, "only a mover without cards cannot go on");
    }
}

#[test]
fn rounds_with_cards_anywhere_are_identical() {
    if common::without_gpu() {
        return;
    }
    let games = strewn(1500, 3);
    let seen = Seen::of(&games);
    assert!(seen.islands > 1000 && seen.broken_mover > 200 && seen.goals_turned > 300, "{seen:?}");
    assert!(seen.goals_up[..3].iter().all(|&count| count > 100), "{seen:?}");
    let laid = |packed: &Packed| packed.cards.iter().filter(|&&card| card != NO_CARD).count();
    let full_tables = games.iter().filter(|game| laid(&game.pack()) > 32).count();
    assert!(full_tables > 50, "only {full_tables} tables with many cards");
    for (seed, policy) in (40..).zip([0, 1, 4, 5, 9, 10, 11, 12].map(|number| POLICIES[number])) {
        let records = compare(policy, &games, 2, seed, false);
        let more = records.iter().step_by(2).zip(&games).filter(|((_, last), start)| laid(last) > laid(&start.pack()));
        assert!(more.count() > 500, "{policy:?}");
    }
}

#[test]
fn whole_games_are_identical() {
    if common::without_gpu() {
        return;
    }
    let mut games = starts(160);
    games.extend(moments(400, 4));
    games.extend(strewn(200, 5));
    let seen = Seen::of(&games);
    assert!(seen.rounds.iter().all(|&count| count > 10) && seen.gold_short > 10, "{seen:?}");
    for (seed, policy) in (60..).zip([0, 1, 4, 5, 6, 9, 10, 11, 12].map(|number| POLICIES[number])) {
        let records = compare(policy, &games, 3, seed, true);
        let seen = Seen::of(&last(&records));
        assert!(seen.rounds[3] > 1400 && seen.paid > 1000 && seen.gold_short > 50, "{policy:?}: {seen:?}");
        let count = |ending: Ending| records.iter().filter(|(outcome, _)| outcome.ending == ending).count();
        let wins: Vec<_> = (0..MOST_PLAYERS as u8).map(|seat| count(Ending::Win(seat))).collect();
        assert!(wins.iter().all(|&wins| wins > 0) && count(Ending::Draw) > 200, "{policy:?}: {wins:?}");
    }
}

#[test]
fn rounds_of_every_reading_are_identical() {
    if common::without_gpu() {
        return;
    }
    let mut games = starts(160);
    games.extend(moments(80, 6));
    games.extend(strewn(40, 7));
    // Every reading once as the diggers' and once as the saboteurs', beside another one.
    let readings = readings();
    let others = readings.iter().cycle().skip(1);
    for ((seed, &ours), &theirs) in (80..).zip(&readings).zip(others) {
        let policy = Policy { diggers: Strategy::Paper(ours), saboteurs: Strategy::Paper(theirs) };
        compare(policy, &games, 1, seed, false);
    }
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
    let games = moments(40, 8);
    let batch = |games: &[Game]| {
        let mut batch = Batch::<Saboteur>::new(POLICIES[4], 5);
        games.iter().for_each(|game| batch.push(game, 7));
        batch
    };
    let expected = evaluator(BackendChoice::Scalar, 0).evaluate(&batch(&games)).expect("no failure");
    for chunk in [0, 100, 1] {
        // Chunks of a single playout are slow: a few are enough.
        let batch = batch(if chunk == 1 { &games[..2] } else { &games });
        let found = evaluator(BackendChoice::Gpu, chunk).evaluate(&batch).expect("the GPU works");
        assert_eq!(found.tallies, expected.tallies[..batch.len()], "chunks of {chunk}");
        assert!(found.occupancy.busy <= found.occupancy.total);
    }
}
