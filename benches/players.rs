//! Whole games between players that think: the reference on the rules engine beside the players that ask the evaluator, on
//! one thread. Every benchmark checks its answer before it is timed.
//!
//! `cargo bench --bench players -- mss` runs some of them. For rates on other maps and with more threads, use
//! `fairground match`.

mod common;

use common::backends;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fairground::batch::Evaluator;
use fairground::games::tubstap::{Position, Tubstap, builtin};
use fairground::players::thinking::{AtOnce, Crowd, Thinker};
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::game::Played;
use fairground::players::tubstap::mss::Effort;
use fairground::players::tubstap::muct::Settings;
use fairground::players::tubstap::reference;
use fairground::players::tubstap::reference::muct::Options;
use fairground::players::tubstap::table::Seats;

/// Six by six cells, four units a side, ten phases.
const MAP: &str = "duel-6x6";

fn start() -> Position {
    builtin::get(MAP).expect("a built-in map").start()
}

/// Plays games of a player against itself, and counts playouts.
fn play(
    evaluator: &Evaluator,
    games: u64,
    at_a_time: usize,
    player: impl Fn() -> Box<dyn Thinker<Tubstap>> + Sync,
) -> (Vec<Played>, u64) {
    let start = start();
    let crowd = Crowd { evaluator, seed: 1, at_a_time };
    let deal = |number| Seats::new(&start, [player(), player()], 1, number);
    let keep = |_, seats: Seats| seats.finish().expect("legal actions");
    let (kept, batches) = crowd.play(0..games, deal, keep, &()).expect("the CPU cannot fail");
    (kept.into_iter().map(|(_, played)| played).collect(), batches.playouts)
}

/// Games of MSSystem against itself.
fn mss(c: &mut Criterion) {
    let backends = backends();
    let games = 4;
    let (expected, _) = play(&backends[0].1, games, 1, || Choice::Mss(Effort::default()).thinker());
    let mut group = c.benchmark_group("mss, games");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(1));
    let reference = || -> Box<dyn Thinker<Tubstap>> { Box::new(AtOnce(reference::Mss::default())) };
    group.bench_function("reference", |b| b.iter(|| play(&backends[0].1, 1, 1, reference)));
    group.throughput(Throughput::Elements(games));
    for (name, evaluator) in &backends {
        let games = || play(evaluator, games, 1, || Choice::Mss(Effort::default()).thinker());
        assert_eq!(games().0, expected, "{name}");
        group.bench_function(name, |b| b.iter(games));
    }
    group.finish();
}

/// Simulations of M-UCT against itself.
fn muct(c: &mut Criterion) {
    let backends = backends();
    let options = Options { simulations: 200, ..Options::default() };
    let choice = Choice::Muct(Settings { search: options.clone(), ..Settings::default() });
    let mut group = c.benchmark_group("muct, simulations");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    let games = 64;
    let (expected, simulations) = play(&backends[0].1, games, 1, || choice.thinker());
    let reference = || -> Box<dyn Thinker<Tubstap>> { Box::new(AtOnce(reference::Muct { options: options.clone() })) };
    let (played, _) = play(&backends[0].1, games, 1, reference);
    let actions = |games: &[Played]| games.iter().map(|game| u64::from(game.outcome.actions)).sum::<u64>();
    assert_eq!(actions(&expected) * u64::from(options.simulations), simulations, "a search for every action");
    group.throughput(Throughput::Elements(actions(&played) * u64::from(options.simulations)));
    group.bench_function("reference", |b| b.iter(|| play(&backends[0].1, games, 1, reference)));
    group.throughput(Throughput::Elements(simulations));
    for (name, evaluator) in &backends {
        for at_a_time in [1, 8, 64] {
            let games = || play(evaluator, games, at_a_time, || choice.thinker());
            assert_eq!(games().0, expected, "{name}");
            group.bench_function(BenchmarkId::new(name, format!("{at_a_time} at a time")), |b| b.iter(games));
        }
    }
    group.finish();
}

criterion_group!(benches, mss, muct);
criterion_main!(benches);
