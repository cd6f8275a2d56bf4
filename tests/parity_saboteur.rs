//! Every SIMD level plays what the rules engine plays: outcome, number of draws and every word of the final position
//! of every single playout.

#[path = "common/saboteur.rs"]
mod saboteur;
#[path = "common/saboteur_parity.rs"]
mod saboteur_parity;

use fairground::batch::{BackendChoice, Batch, Evaluator, Options, Outcome, Queue, SimdLevel};
use fairground::games::saboteur::{Game, Policy, Saboteur, Strategy};
use fairground_kernels::saboteur::{Packed, play_lockstep};
use saboteur::readings;
use saboteur_parity::{POLICIES, Seen, moments, starts, strewn};

/// Plays every game at every level and compares all words; returns the rules engine's.
fn compare(policy: Policy, games: &[Game], playouts: u32, seed: u64, is_whole: bool) -> Vec<(Outcome, Packed)> {
    let levels = SimdLevel::available()
        .into_iter()
        .map(|level| move |queue: &mut Queue<'_, Packed>| play_lockstep(level, policy, is_whole, queue));
    saboteur_parity::compare(policy, games, playouts, seed, is_whole, levels)
}

/// The games that playouts ended in.
fn last(records: &[(Outcome, Packed)]) -> Vec<Game> {
    records.iter().map(|(_, last)| Game::unpack(last)).collect()
}

#[test]
fn rounds_from_the_start_are_identical() {
    let starts = starts(500);
    let mut wins = [0; 3];
    for (seed, policy) in (0..).zip(POLICIES) {
        let records = compare(policy, &starts, 40, seed, false);
        assert_eq!(records.len(), 20_000);
        let seen = Seen::of(&last(&records));
        assert!(seen.goals_up[1] > 20, "{policy:?}: {seen:?}");
        wins.iter_mut().zip(seen.winners).for_each(|(sum, count)| *sum += count);
    }
    assert!(wins[0] > 50_000 && wins[1] > 50_000 && wins[2] > 2000, "{wins:?}");
}

#[test]
fn rounds_from_any_moment_are_identical() {
    let games = moments(3000, 1);
    let seen = Seen::of(&games);
    assert!(seen.not_dealt > 100 && seen.winners[..2].iter().all(|&count| count > 200), "{seen:?}");
    assert!(seen.islands > 100 && seen.broken_tools > 500 && seen.broken_mover > 200, "{seen:?}");
    assert!(seen.goals_up.iter().all(|&count| count > 50) && seen.goals_turned > 50, "{seen:?}");
    assert!(seen.deck_empty > 500 && seen.rounds.iter().all(|&count| count > 50) && seen.no_hand > 10, "{seen:?}");
    for (seed, policy) in (100..).zip(POLICIES) {
        compare(policy, &games, 2, seed, false);
    }
}

#[test]
fn rounds_with_cards_anywhere_are_identical() {
    let games = strewn(3000, 3);
    let seen = Seen::of(&games);
    assert!(seen.islands > 2000 && seen.broken_mover > 400 && seen.goals_turned > 600, "{seen:?}");
    for (seed, policy) in (200..).zip(POLICIES) {
        compare(policy, &games, 1, seed, false);
    }
}

#[test]
fn whole_games_are_identical() {
    let mut games = starts(320);
    games.extend(moments(500, 4));
    games.extend(strewn(200, 5));
    for (seed, policy) in (300..).zip(POLICIES) {
        let records = compare(policy, &games, 2, seed, true);
        let seen = Seen::of(&last(&records));
        assert!(seen.rounds[3] > 1500 && seen.paid > 1000, "{policy:?}: {seen:?}");
    }
}

#[test]
fn rounds_of_every_reading_are_identical() {
    let mut games = starts(320);
    games.extend(moments(300, 6));
    games.extend(strewn(100, 7));
    // Every reading by itself, and beside another one.
    let readings = readings();
    let others = readings.iter().cycle().skip(1);
    for ((seed, &ours), &theirs) in (400..).zip(&readings).zip(others) {
        compare(Policy::all(Strategy::Paper(ours)), &games, 2, seed, false);
        let policy = Policy { diggers: Strategy::Paper(ours), saboteurs: Strategy::Paper(theirs) };
        compare(policy, &games, 1, seed, false);
    }
}

#[test]
fn totals_do_not_depend_on_threads_chunks_or_order() {
    let games = moments(60, 8);
    let batch = |games: &mut dyn Iterator<Item = &Game>| {
        let mut batch = Batch::<Saboteur>::new(POLICIES[4], 5);
        games.for_each(|game| batch.push(game, 50));
        batch
    };
    let evaluate = |threads, chunk, batch: &Batch<Saboteur>| {
        let options = Options { backend: BackendChoice::Simd(None), threads, chunk };
        Evaluator::new(&options).expect("the backend exists").evaluate(batch).expect("CPU backends cannot fail").tallies
    };
    let in_order = batch(&mut games.iter());
    let expected = evaluate(1, 0, &in_order);
    for (threads, chunk) in [(1, 1), (2, 7), (3, 1000), (2, 1_000_000)] {
        assert_eq!(evaluate(threads, chunk, &in_order), expected, "{threads} threads, chunks of {chunk}");
    }
    let mut backwards = evaluate(2, 100, &batch(&mut games.iter().rev()));
    backwards.reverse();
    assert_eq!(backwards, expected);
}
