//! The numbers of a seed stay the same: on every machine, and as long as `RULES_VERSION` does.
//!
//! `tests/fixtures/tubstap.json` holds tallies of the built-in maps and of generated ones. After a change
//! of behaviour that is meant, raise `RULES_VERSION` and write the file anew with
//! `FAIRGROUND_BLESS=1 cargo test --test regression_tubstap`.

#[path = "common/regression.rs"]
mod regression;

use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Policy, Tubstap, builtin};
use regression::Sample;

#[test]
fn seeds_give_the_numbers_they_always_gave() {
    let ours = builtin::named().into_iter().map(|builtin| (builtin.name.to_owned(), builtin.map.start()));
    let sizes = [(2, 2, 1), (5, 3, 2), (6, 6, 4), (7, 8, 9), (8, 8, 16)];
    let generated = (0..).zip(sizes).map(|(index, (width, height, units))| {
        let recipe = Recipe { width, height, units, ..Recipe::default() };
        let name = format!("generated {width}x{height}, {units} units");
        (name, generate(&recipe, 5, index).expect("there is room").start())
    });
    let policies = Policy::ALL.map(|policy| (policy.name(), policy)).into();
    Sample::<Tubstap> { starts: ours.chain(generated).collect(), policies }.check();
}
