//! The numbers of a seed stay the same: on every machine, and as long as `RULES_VERSION` does.

use std::path::Path;

use fairground::batch::{BackendChoice, Batch, Evaluator, Options, SimdLevel, Tally};
use fairground::games::Game;
use serde_json::{Value, json};

const PLAYOUTS: u64 = 500;

/// What is played: positions and policies with their names.
pub struct Sample<G: Game> {
    pub starts: Vec<(String, G::Position)>,
    pub policies: Vec<(&'static str, G::Policy)>,
}

impl<G: Game> Sample<G> {
    /// Compares with `tests/fixtures/GAME.json`, which FAIRGROUND_BLESS=1 writes anew.
    pub fn check(&self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{}.json", G::NAME));
        if std::env::var_os("FAIRGROUND_BLESS").is_some() {
            let rows = self.measured(BackendChoice::Scalar);
            std::fs::write(&path, serde_json::to_string_pretty(&rows).expect("serialises") + "\n").expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("the fixture is there");
        let expected: Value = serde_json::from_str(&text).expect("the fixture is JSON");
        assert_eq!(self.measured(BackendChoice::Scalar), expected, "scalar");
        for level in SimdLevel::available() {
            assert_eq!(self.measured(BackendChoice::Simd(Some(level))), expected, "{level}");
        }
    }

    fn measured(&self, backend: BackendChoice) -> Value {
        let evaluator = Evaluator::new(&Options { backend, ..Options::default() }).expect("the backend exists");
        let mut rows = Vec::new();
        for &(policy_name, policy) in &self.policies {
            let mut batch = Batch::<G>::new(policy, 1);
            self.starts.iter().for_each(|(_, start)| batch.push(start, PLAYOUTS));
            let tallies = evaluator.evaluate(&batch).expect("the CPU cannot fail").tallies;
            rows.extend(self.starts.iter().zip(tallies).map(|((map, _), tally)| row::<G>(map, policy_name, &tally)));
        }
        json!({ "rules_version": G::RULES_VERSION, "playouts": PLAYOUTS, "tallies": rows })
    }
}

fn row<G: Game>(map: &str, policy: &str, tally: &Tally) -> Value {
    assert_eq!(tally.playouts, PLAYOUTS);
    assert_eq!(tally.wins.iter().sum::<u64>() + tally.draws + tally.truncated, PLAYOUTS);
    json!({
        "map": map, "policy": policy, "wins": tally.wins[..G::SEATS.len()], "draws": tally.draws,
        "truncated": tally.truncated, "phases": [tally.phases.sum, tally.phases.squares],
        "actions": [tally.actions.sum, tally.actions.squares],
    })
}
