//! The numbers of a seed stay the same: on every machine, and as long as `RULES_VERSION` does.
//!
//! `tests/fixtures/tubstap.json` holds tallies of the built-in maps and of generated ones. After a change
//! of behaviour that is meant, raise `RULES_VERSION` and write the file anew with
//! `FAIRGROUND_BLESS=1 cargo test --test regression_tubstap`.

use std::path::Path;

use fairground::batch::{BackendChoice, Batch, Evaluator, Options, SimdLevel, Tally};
use fairground::games::Game;
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Map, Policy, Tubstap, builtin};
use serde_json::{Value, json};

const PLAYOUTS: u64 = 500;

fn maps() -> Vec<(String, Map)> {
    let ours = builtin::named().into_iter().map(|builtin| (builtin.name.to_owned(), builtin.map));
    let sizes = [(2, 2, 1), (5, 3, 2), (6, 6, 4), (7, 8, 9), (8, 8, 16)];
    let generated = (0..).zip(sizes).map(|(index, (width, height, units))| {
        let recipe = Recipe { width, height, units, ..Recipe::default() };
        let name = format!("generated {width}x{height}, {units} units");
        (name, generate(&recipe, 5, index).expect("there is room"))
    });
    ours.chain(generated).collect()
}

fn measured(backend: BackendChoice) -> Value {
    let evaluator = Evaluator::new(&Options { backend, ..Options::default() }).expect("the backend exists");
    let maps = maps();
    let mut rows = Vec::new();
    for policy in Policy::ALL {
        let mut batch = Batch::<Tubstap>::new(policy, 1);
        maps.iter().for_each(|(_, map)| batch.push(map.start(), PLAYOUTS));
        let tallies = evaluator.evaluate(&batch).expect("the CPU cannot fail").tallies;
        rows.extend(maps.iter().zip(tallies).map(|((name, _), tally)| row(name, policy, &tally)));
    }
    json!({ "rules_version": Tubstap::RULES_VERSION, "playouts": PLAYOUTS, "tallies": rows })
}

fn row(map: &str, policy: Policy, tally: &Tally) -> Value {
    assert_eq!(tally.playouts, PLAYOUTS);
    assert_eq!(tally.wins.iter().sum::<u64>() + tally.draws + tally.truncated, PLAYOUTS);
    json!({
        "map": map, "policy": policy.name(), "wins": tally.wins[..2], "draws": tally.draws,
        "truncated": tally.truncated, "phases": [tally.phases.sum, tally.phases.squares],
        "actions": [tally.actions.sum, tally.actions.squares],
    })
}

#[test]
fn seeds_give_the_numbers_they_always_gave() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tubstap.json");
    if std::env::var_os("FAIRGROUND_BLESS").is_some() {
        let rows = measured(BackendChoice::Scalar);
        std::fs::write(&path, serde_json::to_string_pretty(&rows).expect("serialises") + "\n").expect("can be written");
    }
    let text = std::fs::read_to_string(&path).expect("the fixture is there");
    let expected: Value = serde_json::from_str(&text).expect("the fixture is JSON");
    assert_eq!(measured(BackendChoice::Scalar), expected, "scalar");
    for level in SimdLevel::available() {
        assert_eq!(measured(BackendChoice::Simd(Some(level))), expected, "{level}");
    }
}
