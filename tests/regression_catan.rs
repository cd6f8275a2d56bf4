//! The numbers of a seed stay the same: on every machine, and as long as `RULES_VERSION` does.
//!
//! `tests/fixtures/catan.json` holds tallies of the built-in maps and of generated ones. After a change
//! of behaviour that is meant, raise `RULES_VERSION` and write the file anew with
//! `FAIRGROUND_BLESS=1 cargo test --test regression_catan`.

#[path = "common/regression.rs"]
mod regression;

use fairground::games::catan::generate::{Recipe, generate};
use fairground::games::catan::{Catan, Policy, Position, Strategy, TURN_CAP, builtin};
use regression::Sample;

#[test]
fn seeds_give_the_numbers_they_always_gave() {
    let ours = builtin::named().into_iter().map(|builtin| (builtin.name.to_owned(), Position::start(&builtin.map)));
    let generated = (0..3).map(|index| {
        let map = generate(&Recipe::default(), 5, index);
        (format!("generated {index}"), Position::start(&map))
    });
    let mut policies: Vec<_> = Strategy::ALL.map(|strategy| (strategy.name(), Policy::all(strategy))).into();
    let [random, random_s, heuristic] = Strategy::ALL;
    let seats = [random, heuristic, random_s, heuristic];
    policies.push(("random,heuristic,random-s,heuristic", Policy { seats, turn_cap: TURN_CAP }));
    policies.push(("random, at most 200 turns", Policy { turn_cap: 200, ..Policy::all(random) }));
    Sample::<Catan> { starts: ours.chain(generated).collect(), policies }.check();
}
