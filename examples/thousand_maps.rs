//! Evaluates a thousand generated maps and prints the ten fairest.

use fairground::batch::{Batch, Evaluator};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Policy, Tubstap};
use fairground::stats;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let maps = (0..1000).map(|index| generate(&Recipe::default(), 1, index)).collect::<Result<Vec<_>, _>>()?;
    let mut batch = Batch::<Tubstap>::new(Policy::Random, 1);
    maps.iter().for_each(|map| batch.push(map.start(), 1000));
    let tallies = Evaluator::default().evaluate(&batch)?.tallies;
    let mut ranked: Vec<_> = tallies.iter().map(stats::fitness).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (index, fitness) in &ranked[..10] {
        println!("map {index:3}: fitness {fitness:.3}, Red wins {:?} of 1000", tallies[*index].wins[0]);
    }
    Ok(())
}
