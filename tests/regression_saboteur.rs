//! The numbers of a seed stay the same: on every machine, and as long as `RULES_VERSION` does.
//!
//! `tests/fixtures/saboteur.json` holds tallies for three to ten players. After a change of behaviour that is meant,
//! raise `RULES_VERSION` and write the file anew with `FAIRGROUND_BLESS=1 cargo test --test regression_saboteur`.

#[path = "common/regression.rs"]
mod regression;

use fairground::games::saboteur::reading::CountedCards;
use fairground::games::saboteur::{Extent, Game, Policy, Reading, Saboteur, Strategy};
use regression::Sample;

#[test]
fn seeds_give_the_numbers_they_always_gave() {
    let boards = [("paper", Extent::PAPER), ("widest", Extent::WIDEST)];
    let starts = (3..=10).flat_map(|players| {
        boards.map(|(board, extent)| {
            (format!("{players} players, {board} board"), Game::start(players, extent).expect("three to ten players"))
        })
    });
    let [a, r1, plain] = [Reading::A, Reading::R1, Reading::PLAIN].map(Strategy::Paper);
    let counted = Strategy::Paper(Reading { counted_cards: CountedCards::Mean, ..Reading::A });
    let policies = vec![
        ("random", Policy::all(Strategy::Random)),
        ("paper, A", Policy::all(a)),
        ("paper, R1", Policy::all(r1)),
        ("paper, plain", Policy::all(plain)),
        ("paper, A, cards counted", Policy::all(counted)),
        ("full", Policy::all(Strategy::Full)),
        ("paper A,full", Policy { diggers: a, saboteurs: Strategy::Full }),
        ("full,random", Policy { diggers: Strategy::Full, saboteurs: Strategy::Random }),
    ];
    Sample::<Saboteur> { starts: starts.collect(), policies }.check();
}
