#![allow(missing_docs)]
use fairground::batch::*;
use fairground::games::catan::*;
use std::time::Instant;
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(20000, |a| a.parse().unwrap());
    let only = std::env::args().nth(2);
    let rounds: u32 = std::env::args().nth(3).map_or(8, |a| a.parse().unwrap());
    let policy = Policy::all(Strategy::Random);
    let map = &builtin::named()[0].map;
    let mut batch = Batch::<Catan>::new(policy, 1);
    batch.push(Position::start(map), n);
    let mut base = None;
    let mut choices = vec![("scalar".to_string(), BackendChoice::Scalar)];
    for l in SimdLevel::available() {
        choices.push((l.to_string(), BackendChoice::Simd(Some(l))));
    }
    let mut best = std::collections::BTreeMap::new();
    for _ in 0..rounds {
        for (name, c) in &choices {
            if only.as_ref().is_some_and(|o| !o.split(',').any(|o| o == name)) {
                continue;
            }
            let ev = Evaluator::new(&Options { backend: *c, threads: 1, chunk: 0 }).unwrap();
            let t = Instant::now();
            let e = ev.evaluate(&batch).unwrap();
            let s = t.elapsed().as_secs_f64();
            let r = best.entry(name.clone()).or_insert((0.0f64, 0.0));
            r.0 = r.0.max(n as f64 / s);
            r.1 = e.occupancy.share();
            let b = base.get_or_insert_with(|| e.tallies.clone());
            assert_eq!(*b, e.tallies);
        }
    }
    for (name, (r, o)) in best {
        print!("{name} {r:.0} ({o:.3})  ");
    }
    println!();
}
