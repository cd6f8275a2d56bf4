//! One player who is tested against three others: figures 8 and 12 to 16.

use crate::games::catan::tables::SEATS;
use crate::players::catan::negotiation::choice::{Choice, read_players};
use crate::players::catan::negotiation::decide::{Condition, Function};
use crate::players::settings::WrongChoice;

/// What the thesis found, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Wins of the tested player.
    pub wins: f64,
    /// Accepted proposals of the tested player, and proposals of others that it accepted.
    pub trade: Option<[f64; 2]>,
}

/// One player against three others.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The figure.
    pub figure: u8,
    /// What is tested, in a few words.
    pub name: String,
    /// The players as `fairground negotiate --players` reads them.
    pub players: String,
    /// The function by which the tested player proposes.
    pub function: Function,
    /// What the thesis found.
    pub thesis: Found,
}

impl Experiment {
    /// The players.
    ///
    /// # Errors
    /// Only if the text is not what it should be.
    pub fn seated(&self) -> Result<[Choice; SEATS], WrongChoice> {
        read_players(&self.players)
    }

    /// Whether profits are estimated by playouts.
    #[must_use]
    pub fn has_playouts(&self) -> bool {
        self.players.starts_with(PLAYOUTS)
    }
}

const PLAYOUTS: &str = "selfish:100";

/// Figure 8: who proposes against whom.
const PROPOSERS: [(&str, &str, f64); 5] = [
    ("rules, 1:1, against accept-all", "selfish,accept-all", 42.08),
    ("rules, 1:1, against random", "selfish,random", 41.25),
    ("rules, 2:1, against accept-all", "selfish:offers=2:1,accept-all", 36.55),
    ("100 playouts against accept-all", "selfish:100,accept-all", 23.55),
    ("100 playouts against random", "selfish:100,random", 24.95),
];

/// A figure of four functions: its number, its name, how the tested player answers, and the others.
type Environment = (u8, &'static str, &'static str, &'static str, [[f64; 3]; 4]);

/// Figures 12 to 16: wins, success and acceptance of profit-first, accept-first, sum and product.
const ENVIRONMENTS: [Environment; 5] = [
    (
        12,
        "all accept what is profitable",
        "answer=positive",
        "selfish:answer=positive",
        [[32.4, 100.0, 10.9], [23.7, 100.0, 10.9], [30.4, 82.3, 11.6], [29.9, 100.0, 10.9]],
    ),
    (
        13,
        "all answer as optimists",
        "answer=optimistic",
        "selfish:answer=optimistic",
        [[23.3, 100.0, 30.7], [22.6, 100.0, 30.5], [30.4, 90.2, 30.4], [22.6, 100.0, 30.4]],
    ),
    (
        14,
        "all answer as pessimists",
        "answer=pessimistic",
        "selfish:answer=pessimistic",
        [[30.5, 92.5, 10.4], [28.4, 93.7, 10.4], [28.3, 34.4, 10.8], [29.8, 93.6, 10.4]],
    ),
    (
        15,
        "against optimistic selfish players, own functions",
        "answer=own",
        "selfish:outlook=optimistic,answer=own",
        [[24.8, 90.4, 26.4], [12.8, 93.2, 74.0], [28.0, 88.2, 44.0], [22.2, 92.1, 32.0]],
    ),
    (
        16,
        "against pessimistic selfish players, own functions",
        "answer=own",
        "selfish:outlook=pessimistic,answer=own",
        [[22.7, 48.3, 26.6], [15.0, 55.9, 48.8], [17.7, 37.8, 70.9], [20.2, 55.4, 32.5]],
    ),
];

/// The figures of the four functions.
pub const FIGURES: [u8; 5] = [12, 13, 14, 15, 16];

/// What a figure of the four functions is about.
#[must_use]
pub fn title(figure: u8) -> &'static str {
    ENVIRONMENTS.iter().find(|(number, ..)| *number == figure).map_or("", |(_, title, ..)| *title)
}

/// The functions that are tested against selfish players.
pub const TESTED: [Function; 4] = [Function::ProfitFirst, Function::AcceptFirst, Function::Sum, Function::Product];

/// Which condition of the functions holds where the thesis says two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The usual one.
    Usual,
    /// The other one.
    Other,
}

/// Figure 8.
#[must_use]
pub fn proposers() -> Vec<Experiment> {
    let experiment = |&(name, players, wins): &(&str, &str, f64)| Experiment {
        figure: 8,
        name: name.into(),
        players: players.into(),
        function: Function::Selfish,
        thesis: Found { wins, trade: None },
    };
    PROPOSERS.iter().map(experiment).collect()
}

/// Figures 12 to 16.
#[must_use]
pub fn functions(reading: Reading) -> Vec<Experiment> {
    let mut experiments = Vec::new();
    for (figure, _, answer, others, found) in ENVIRONMENTS {
        for (function, [wins, success, acceptance]) in TESTED.into_iter().zip(found) {
            let condition = match (reading, function.usual_condition()) {
                (Reading::Usual, _) => "",
                (Reading::Other, Condition::Text) => ",condition=equation",
                (Reading::Other, Condition::Equation) => ",condition=text",
            };
            experiments.push(Experiment {
                figure,
                name: function.name().into(),
                players: format!("{}:{answer}{condition},{others}", function.name()),
                function,
                thesis: Found { wins, trade: Some([success, acceptance]) },
            });
        }
    }
    experiments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::catan::negotiation::player::Proposes;

    #[test]
    fn every_experiment_names_one_player_against_three() {
        let all = [proposers(), functions(Reading::Usual), functions(Reading::Other)].concat();
        assert_eq!(all.len(), 5 + 2 * 20);
        for experiment in &all {
            let players = experiment.seated().unwrap_or_else(|wrong| panic!("{}: {wrong}", experiment.players));
            assert!(players[1] == players[2] && players[2] == players[3] && players[0] != players[1]);
            assert!(matches!(players[0].0.proposes, Proposes::Best(own, _) if own == experiment.function));
        }
        assert_eq!(all.iter().filter(|experiment| experiment.has_playouts()).count(), 2);
        let differ = functions(Reading::Usual).into_iter().zip(functions(Reading::Other));
        assert!(differ.into_iter().all(|(one, other)| one.seated() != other.seated()));
    }
}
