//! Players who negotiate, by name.
//!
//! ```
//! use fairground::players::catan::negotiation::choice::{self, Choice};
//!
//! let player: Choice = "sum:playouts=100,offers=2:1".parse()?;
//! assert_eq!(player.to_string(), "sum:100,offers=2:1");
//! // One against three.
//! let four = choice::read_players("selfish:100,random")?;
//! assert_eq!(four.map(|player| player.to_string()), ["selfish:100", "random", "random", "random"]);
//! # Ok::<(), fairground::players::settings::WrongChoice>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::decide::{Answers, Condition, Function};
use super::offers::Shape;
use super::player::{Negotiator, Proposes, Settings};
use super::profit::{Bonus, Estimator, Outlook, Playouts, Rules};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Strategy};
use crate::players::catan::choice::{Choice as Mover, strategy};
use crate::players::catan::contest::Sits;
use crate::players::settings::{self, Given, Setting, WrongChoice};
use crate::players::thinking::Thinker;

/// How a player negotiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice(
    /// In all detail.
    pub Settings,
);

/// The names of the players, and what they do.
pub const NAMES: [(&str, &str); 8] = [
    (SILENT, "neither proposes nor accepts"),
    (ACCEPT_ALL, "proposes nothing, accepts everything"),
    (RANDOM, "proposes any trade or none, accepts every other proposal"),
    (Function::Selfish.name(), "proposes what is best for itself"),
    (Function::ProfitFirst.name(), "what is best for itself and no loss to the partner"),
    (Function::AcceptFirst.name(), "what is best for the partner and good for itself"),
    (Function::Sum.name(), "the largest sum of both profits, if good for itself"),
    (Function::Product.name(), "the largest product of both profits, if good for both"),
];

const SILENT: &str = "silent";
const ACCEPT_ALL: &str = "accept-all";
const RANDOM: &str = "random";

/// The settings of players who weigh profits: key, values, meaning.
pub const SETTINGS: [Setting; 11] = [
    (PLAYOUTS, "N", "profits are differences of win rates in N playouts; short: sum:N [usually by rules]"),
    (ROLLOUT, "POLICY", "how these are played: random (usual), random-s or heuristic"),
    (STREAMS, "common|own", "whether playouts with and without a trade share random numbers, usually common"),
    (OUTLOOK, "optimistic|pessimistic", "by rules: values after a trade look a tenth higher or lower"),
    (TENTH, "factor|size", "by rules: that tenth is a factor (usual), or of the size, so that values below 0 rise too"),
    (BONUS, "sum|max", "by rules: points for all a hand can pay for (usual), or the highest of them"),
    (SCORE, "on|off", "by rules: whether the lead over the partner counts, usually on"),
    (CONDITION, "text|equation", "which of the thesis' two conditions of a function holds, usually the text's"),
    (ANSWER, "RULE", "accepts: positive profits (usual), optimistic, pessimistic, own, always, coin, never"),
    (OFFERS, "G:T", "cards that are given and taken, usually 1:1; ..2:2 is up to two for up to two"),
    (PROPOSALS, "N", "proposals of a turn, usually 1"),
];

const PLAYOUTS: &str = "playouts";
const ROLLOUT: &str = "rollout";
const STREAMS: &str = "streams";
const OUTLOOK: &str = "outlook";
const TENTH: &str = "tenth";
const BONUS: &str = "bonus";
const SCORE: &str = "score";
const CONDITION: &str = "condition";
const ANSWER: &str = "answer";
const OFFERS: &str = "offers";
const PROPOSALS: &str = "proposals";

/// Nobody waits for more.
const MAX_PLAYOUTS: u32 = 10_000_000;
/// There are not more trades of one card.
const MAX_PROPOSALS: u32 = 60;

/// A player who negotiates in one way, and otherwise plays like another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seated {
    /// How the player negotiates.
    pub negotiates: Choice,
    /// How the player plays.
    pub plays: Mover,
}

impl Sits for Seated {
    fn thinker(&self) -> Box<dyn Thinker<Catan>> {
        Box::new(Negotiator::new(self.negotiates.0, self.plays.thinker()))
    }
}

fn function(name: &str) -> Option<Function> {
    Function::ALL.into_iter().find(|function| function.name() == name)
}

impl FromStr for Choice {
    type Err = WrongChoice;

    fn from_str(text: &str) -> Result<Self, WrongChoice> {
        let (name, given) = settings::split(text);
        let plain = match name {
            SILENT => Settings::SILENT,
            ACCEPT_ALL => Settings::ACCEPT_ALL,
            RANDOM => Settings::RANDOM,
            _ => {
                let function = function(name).ok_or_else(|| WrongChoice::name(name, &NAMES))?;
                let usual = Settings::by(function);
                return given.map_or(Ok(usual), |text| read_settings(function, text)).map(Self);
            }
        };
        settings::plain(Self(plain), name, given)
    }
}

/// The value of a key out of a few.
fn among<T: Copy>(given: &Given<'_>, key: &str, values: &[(T, &str)], usual: T) -> Result<T, WrongChoice> {
    let Some(value) = given.get(key) else { return Ok(usual) };
    let found = values.iter().find(|(_, name)| *name == value);
    let expected = || values.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    found.map(|(found, _)| *found).ok_or_else(|| WrongChoice::value(key, value, &format!("one of {}", expected())))
}

const COMMON: [(bool, &str); 2] = [(true, "common"), (false, "own")];
const SWITCH: [(bool, &str); 2] = [(true, "on"), (false, "off")];
const TENTHS: [(bool, &str); 2] = [(false, "factor"), (true, "size")];
const BONUSES: [(Bonus, &str); 2] = [(Bonus::Sum, "sum"), (Bonus::Max, "max")];
const OUTLOOKS: [(Outlook, &str); 2] = [(Outlook::Optimistic, "optimistic"), (Outlook::Pessimistic, "pessimistic")];
const CONDITIONS: [(Condition, &str); 2] = [(Condition::Text, "text"), (Condition::Equation, "equation")];

fn read_settings(function: Function, text: &str) -> Result<Settings, WrongChoice> {
    let given = Given::new(function.name(), &SETTINGS, text)?;
    let usual = Settings::by(function);
    let is_by_playouts = given.get(PLAYOUTS).is_some();
    let (others, why) = if is_by_playouts {
        ([OUTLOOK, TENTH, BONUS, SCORE].as_slice(), "profits by rules, expected it without playouts")
    } else {
        ([ROLLOUT, STREAMS].as_slice(), "playouts, expected it with a number of playouts")
    };
    if let Some(key) = others.iter().find(|key| given.get(key).is_some()) {
        return Err(WrongChoice(format!("{key} goes with {why}")));
    }
    let estimator = if is_by_playouts {
        let rollout = match given.get(ROLLOUT) {
            None => Strategy::Random,
            Some(value) => strategy(value)
                .ok_or_else(|| WrongChoice::value(ROLLOUT, value, &Strategy::ALL.map(Strategy::name).join(", ")))?,
        };
        let number = given.number(PLAYOUTS, 1..=MAX_PLAYOUTS, 1)?;
        Estimator::Playouts(Playouts { number, rollout, is_common: among(&given, STREAMS, &COMMON, true)? })
    } else {
        Estimator::Rules(Rules {
            bonus: among(&given, BONUS, &BONUSES, Bonus::Sum)?,
            has_score: among(&given, SCORE, &SWITCH, true)?,
            outlook: among(&given, OUTLOOK, &OUTLOOKS, Outlook::Sober)?,
            is_by_size: among(&given, TENTH, &TENTHS, false)?,
        })
    };
    let shape = match given.get(OFFERS) {
        None => usual.shape,
        Some(value) => value.parse().map_err(|()| {
            let most = Shape::MOST;
            WrongChoice::value(OFFERS, value, &format!("1:1, 2:1 or the like, up to {most} cards, or ..2:2"))
        })?,
    };
    Ok(Settings {
        proposes: Proposes::Best(function, among(&given, CONDITION, &CONDITIONS, function.usual_condition())?),
        answers: among(&given, ANSWER, &Answers::ALL, usual.answers)?,
        estimator,
        shape,
        proposals: given.number(PROPOSALS, 1..=MAX_PROPOSALS, usual.proposals)?,
    })
}

/// Reads four players separated by commas; two are one against three others, and one sits in all seats.
///
/// # Errors
/// Says what is wrong and what was expected.
pub fn read_players(text: &str) -> Result<[Choice; SEATS], WrongChoice> {
    let players = settings::split_players(text).iter().map(|text| text.parse()).collect::<Result<Vec<Choice>, _>>()?;
    match *players {
        [all] => Ok([all; SEATS]),
        [one, others] => Ok([one, others, others, others]),
        [a, b, c, d] => Ok([a, b, c, d]),
        _ => {
            let number = players.len();
            let expected = format!("expected {SEATS}, two for one against three, or one for all seats");
            Err(WrongChoice(format!("these are {number} players, {expected}")))
        }
    }
}

impl fmt::Display for Choice {
    /// The shortest text that is read as this player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = &self.0;
        match settings.proposes {
            Proposes::Best(function, condition) => {
                settings::write(f, function.name(), &written(function, condition, settings))
            }
            Proposes::Random => f.write_str(RANDOM),
            Proposes::Never if settings.answers == Answers::Always => f.write_str(ACCEPT_ALL),
            Proposes::Never => f.write_str(SILENT),
        }
    }
}

/// The settings that are not the usual ones.
fn written(function: Function, condition: Condition, settings: &Settings) -> Vec<String> {
    let usual = Settings::by(function);
    let mut parts = Vec::new();
    let mut add = |is_usual: bool, key: &str, value: &dyn fmt::Display| {
        if !is_usual {
            parts.push(if key == PLAYOUTS { value.to_string() } else { format!("{key}={value}") });
        }
    };
    let name = |found: Option<&'static str>| found.unwrap_or_default();
    match settings.estimator {
        Estimator::Playouts(Playouts { number, rollout, is_common }) => {
            add(false, PLAYOUTS, &number);
            add(rollout == Strategy::Random, ROLLOUT, &rollout.name());
            add(is_common, STREAMS, &COMMON[1].1);
        }
        Estimator::Rules(Rules { bonus, has_score, outlook, is_by_size }) => {
            let outlooks = OUTLOOKS.iter().find(|(known, _)| *known == outlook).map(|(_, name)| *name);
            add(outlooks.is_none(), OUTLOOK, &name(outlooks));
            add(!is_by_size, TENTH, &TENTHS[1].1);
            add(bonus == Bonus::Sum, BONUS, &BONUSES[1].1);
            add(has_score, SCORE, &SWITCH[1].1);
        }
    }
    let conditions = CONDITIONS.iter().find(|(known, _)| *known == condition).map(|(_, name)| *name);
    add(condition == function.usual_condition(), CONDITION, &name(conditions));
    let answers = Answers::ALL.iter().find(|(known, _)| *known == settings.answers).map(|(_, name)| *name);
    add(settings.answers == usual.answers, ANSWER, &name(answers));
    add(settings.shape == usual.shape, OFFERS, &settings.shape);
    add(settings.proposals == usual.proposals, PROPOSALS, &settings.proposals);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Choice {
        text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
    }

    #[test]
    fn every_name_is_read_and_written_back() {
        for (name, _) in NAMES {
            assert_eq!(read(name).to_string(), name);
        }
        assert_eq!(read("sum").0, Settings::by(Function::Sum));
        assert_eq!(read("random").0, Settings::RANDOM);
    }

    #[test]
    fn all_combinations_are_read_back_as_they_were() {
        // Every key with its usual value and others, as digits of a number.
        let values: [&[&str]; SETTINGS.len()] = [
            &["", "1", "10000"],
            &["", "random", "heuristic"],
            &["", "common", "own"],
            &["", "optimistic", "pessimistic"],
            &["", "factor", "size"],
            &["", "sum", "max"],
            &["", "on", "off"],
            &["", "text", "equation"],
            &["", "positive", "own", "never"],
            &["", "1:1", "2:1", "..2:2", "..1:1"],
            &["", "1", "60"],
        ];
        let all: usize = values.iter().map(|values| values.len()).product();
        let mut distinct = std::collections::BTreeSet::new();
        let mut refused = 0;
        for mut number in (0..all).step_by(7) {
            let name = Function::ALL[number % 5].name();
            let mut parts = Vec::new();
            for ((key, ..), values) in SETTINGS.iter().zip(values) {
                let value = values[number % values.len()];
                number /= values.len();
                if !value.is_empty() {
                    parts.push(format!("{key}={value}"));
                }
            }
            let text = if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) };
            let Ok(choice) = text.parse::<Choice>() else {
                // Only what goes with the other estimator is refused.
                refused += 1;
                continue;
            };
            let written = choice.to_string();
            assert_eq!(read(&written), choice, "{text}");
            assert!(written.len() <= text.len(), "{written} is longer than {text}");
            let players = read_players(&format!("{written},random")).expect("two players");
            assert_eq!(players, [choice, read("random"), read("random"), read("random")]);
            distinct.insert(written);
        }
        assert!(distinct.len() > 500 && refused > 1000, "{} players, {refused} refused", distinct.len());
    }

    #[test]
    fn errors_name_what_is_wrong_and_what_was_expected() {
        for (text, part) in [
            ("", "no player '', expected one of silent, accept-all, random, selfish"),
            ("silent:1", "silent has no settings"),
            ("sum:", "'' is no setting of sum, expected a number of playouts or KEY=VALUE"),
            ("sum:0", "playouts is '0', expected a whole number from 1 to 10000000"),
            ("sum:rollout=random", "rollout goes with playouts, expected it with a number of playouts"),
            ("sum:100,outlook=optimistic", "outlook goes with profits by rules, expected it without playouts"),
            ("sum:100,rollout=uct", "rollout is 'uct', expected random, random-s, heuristic"),
            ("sum:outlook=gloomy", "outlook is 'gloomy', expected one of optimistic, pessimistic"),
            ("sum:answer=yes", "answer is 'yes', expected one of never, always"),
            ("sum:offers=5:1", "offers is '5:1', expected 1:1, 2:1 or the like, up to 4 cards"),
            ("sum:offers=+1:1", "offers is '+1:1'"),
            ("sum:proposals=0", "proposals is '0', expected a whole number from 1 to 60"),
        ] {
            let message = text.parse::<Choice>().expect_err(text).to_string();
            assert!(message.contains(part) && message.contains("expected"), "{text}: {message}");
        }
        for (text, part) in [
            ("sum,sum,sum", "these are 3 players, expected 4, two for one against three"),
            ("sum,fast", "there is no player 'fast'"),
            ("100,sum", "there is no player '100'"),
        ] {
            let message = read_players(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
