//! Whole playouts on every backend of the CPU.
#![allow(dead_code, reason = "every benchmark uses its own part of this module")]

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use fairground::batch::{BackendChoice, Batch, Evaluator, Options, SimdLevel, Tally};
use fairground::games::Game;

/// The backends of this CPU by name, on one thread.
pub fn backends() -> Vec<(String, Evaluator)> {
    let simd = SimdLevel::available().into_iter().map(|level| (level.to_string(), BackendChoice::Simd(Some(level))));
    std::iter::once(("scalar".into(), BackendChoice::Scalar))
        .chain(simd)
        .map(|(name, backend)| {
            let options = Options { backend, threads: 1, chunk: 0 };
            (name, Evaluator::new(&options).expect("this machine has it"))
        })
        .collect()
}

pub fn play<G: Game>(evaluator: &Evaluator, batch: &Batch<G>) -> Vec<Tally> {
    evaluator.evaluate(black_box(batch)).expect("the CPU cannot fail").tallies
}

/// Times a batch on every backend, which must agree with the rules engine.
pub fn playouts<G: Game>(c: &mut Criterion, name: &str, batch: &Batch<G>) {
    let expected = play(&backends()[0].1, batch);
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(batch.playouts()));
    for (name, evaluator) in backends() {
        assert_eq!(play(&evaluator, batch), expected, "{name}");
        group.bench_function(name, |b| b.iter(|| play(&evaluator, batch)));
    }
    group.finish();
}
