//! The players by name.
//!
//! ```
//! use fairground::players::catan::choice::{self, Choice};
//!
//! let player: Choice = "uct:sims=1000,rollout=heuristic,c=2".parse()?;
//! assert_eq!(player.to_string(), "uct:c=2,rollout=heuristic");
//! // Settings belong to the player before them.
//! let four = choice::read_seats("uct:100,c=2,random,random-s,heuristic")?;
//! assert_eq!(four.map(|player| player.to_string()), ["uct:100,c=2", "random", "random-s", "heuristic"]);
//! # Ok::<(), fairground::players::settings::WrongChoice>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::contest::Sits;
use super::uct::{Settings, Uct};
use crate::games::catan::policy::Decider;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Strategy};
use crate::players::settings::{self, Given, LEAVES_OF_TIMED, MAX_LEAVES, Setting, UNLIMITED, WrongChoice};
use crate::players::thinking::{AtOnce, Thinker};

/// A kind of player, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// Decides as in a playout.
    Policy(Strategy),
    /// Tree search.
    Uct(Settings),
}

/// The names of the players, and what they do.
pub const NAMES: [(&str, &str); 4] = [
    (Strategy::Random.name(), "one of the distinct legal actions"),
    (Strategy::RandomS.name(), "an entry of the list that SmartSettlers draws from"),
    (Strategy::Heuristic.name(), "builds what it lacks the fewest cards for"),
    (UCT, "tree search whose leaves are valued by playouts"),
];

const UCT: &str = "uct";

/// The settings of `uct`: key, values, meaning.
pub const SETTINGS: [Setting; 8] = [
    (SIMS, "N", "playouts for one action, 1000 without ms; short: uct:N"),
    (MS, "N", "milliseconds for one action; alone, playouts are unlimited"),
    (C, "X", "weight of the exploration term, usually 0.5"),
    (EXPAND, "N", "a node with more visits is expanded, usually 0"),
    (LEAVES, "N", "playouts of a search under way together, usually 1, with ms 16"),
    (ROLLOUT, "POLICY", "how playouts are played: random (usual), random-s or heuristic"),
    (VIRTUAL, "X+Y", "virtual wins of a new settlement and of a city, usually 20+10"),
    (CARDS, "open|hidden", "whether the search sees the cards of the others, usually open"),
];

const SIMS: &str = "sims";
const MS: &str = "ms";
const C: &str = "c";
const EXPAND: &str = "expand";
const LEAVES: &str = "leaves";
const ROLLOUT: &str = "rollout";
const VIRTUAL: &str = "virtual";
const CARDS: &str = "cards";

impl Sits for Choice {
    fn thinker(&self) -> Box<dyn Thinker<Catan>> {
        match self {
            Self::Policy(strategy) => Box::new(AtOnce(Decider::new(*strategy))),
            Self::Uct(settings) => Box::new(Uct::new(*settings)),
        }
    }
}

impl Choice {
    /// Whether the player's time is limited, so that its games cannot be repeated.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Uct(Settings { milliseconds: Some(_), .. }))
    }
}

pub(super) fn strategy(name: &str) -> Option<Strategy> {
    Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
}

impl FromStr for Choice {
    type Err = WrongChoice;

    fn from_str(text: &str) -> Result<Self, WrongChoice> {
        let (name, settings) = settings::split(text);
        if name == UCT {
            return settings.map_or_else(|| Ok(Settings::default()), read_settings).map(Self::Uct);
        }
        let strategy = strategy(name).ok_or_else(|| WrongChoice::name(name, &NAMES))?;
        settings::plain(Self::Policy(strategy), name, settings)
    }
}

/// Reads the players of all seats, separated by commas, or one who sits in all of them.
///
/// A part that is a number or has a `=` is a setting of the player before it.
///
/// # Errors
/// Says what is wrong and what was expected.
pub fn read_seats(text: &str) -> Result<[Choice; SEATS], WrongChoice> {
    let players = settings::split_players(text).iter().map(|text| text.parse()).collect::<Result<Vec<Choice>, _>>()?;
    match *players {
        [all] => Ok([all; SEATS]),
        [a, b, c, d] => Ok([a, b, c, d]),
        _ => {
            let number = players.len();
            Err(WrongChoice(format!("these are {number} players, expected {SEATS}, or one who sits in all seats")))
        }
    }
}

fn read_settings(text: &str) -> Result<Settings, WrongChoice> {
    let given = Given::new(UCT, &SETTINGS, text)?;
    let mut settings = Settings::default();
    if given.get(MS).is_some() {
        settings.milliseconds = Some(given.number(MS, 1..=u32::MAX, 0)?);
        settings.leaves = LEAVES_OF_TIMED;
        settings.simulations = UNLIMITED;
    }
    settings.simulations = given.number(SIMS, 1..=u32::MAX, settings.simulations)?;
    settings.exploration = given.weight(C, settings.exploration)?;
    settings.expand_above = given.number(EXPAND, 0..=u32::MAX, settings.expand_above)?;
    settings.leaves = given.number(LEAVES, 1..=MAX_LEAVES, settings.leaves)?;
    if let Some(value) = given.get(ROLLOUT) {
        let expected = || Strategy::ALL.map(Strategy::name).join(", ");
        settings.rollout = strategy(value).ok_or_else(|| WrongChoice::value(ROLLOUT, value, &expected()))?;
    }
    settings.virtual_wins = match given.get(VIRTUAL) {
        None => settings.virtual_wins,
        Some(value) => {
            let pair = value.split_once('+').and_then(|(a, b)| Some([settings::weight(a)?, settings::weight(b)?]));
            let expected = "two numbers that are not negative, as in 20+10";
            pair.ok_or_else(|| WrongChoice::value(VIRTUAL, value, expected))?
        }
    };
    settings.has_open_cards = match given.get(CARDS) {
        None | Some("open") => true,
        Some("hidden") => false,
        Some(value) => return Err(WrongChoice::value(CARDS, value, "open or hidden")),
    };
    Ok(settings)
}

impl fmt::Display for Choice {
    /// The shortest text that is read as this player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy(strategy) => f.write_str(strategy.name()),
            Self::Uct(settings) => settings::write(f, UCT, &written(settings)),
        }
    }
}

/// The settings that are not the usual ones.
fn written(settings: &Settings) -> Vec<String> {
    let usual = Settings::default();
    let mut parts = Vec::new();
    let (usual_simulations, usual_leaves) = match settings.milliseconds {
        Some(_) => (UNLIMITED, LEAVES_OF_TIMED),
        None => (usual.simulations, usual.leaves),
    };
    if settings.simulations != usual_simulations {
        parts.push(settings.simulations.to_string());
    }
    let mut add = |key: &str, value: &dyn fmt::Display| parts.push(format!("{key}={value}"));
    if let Some(milliseconds) = settings.milliseconds {
        add(MS, &milliseconds);
    }
    if settings.exploration != usual.exploration {
        add(C, &settings::weight_text(settings.exploration));
    }
    if settings.expand_above != usual.expand_above {
        add(EXPAND, &settings.expand_above);
    }
    if settings.leaves != usual_leaves {
        add(LEAVES, &settings.leaves);
    }
    if settings.rollout != usual.rollout {
        add(ROLLOUT, &settings.rollout.name());
    }
    if settings.virtual_wins != usual.virtual_wins {
        add(VIRTUAL, &settings.virtual_wins.map(settings::weight_text).join("+"));
    }
    if !settings.has_open_cards {
        add(CARDS, &"hidden");
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Choice {
        text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
    }

    fn uct(change: impl FnOnce(&mut Settings)) -> Choice {
        let mut settings = Settings::default();
        change(&mut settings);
        Choice::Uct(settings)
    }

    #[test]
    fn every_name_is_read_and_written_back() {
        for (name, _) in NAMES {
            assert_eq!(read(name).to_string(), name);
        }
        assert_eq!(read("uct"), uct(|_| {}));
        assert_eq!(read("random-s"), Choice::Policy(Strategy::RandomS));
    }

    #[test]
    fn settings_mean_what_they_say() {
        assert_eq!(read("uct:50"), uct(|of| of.simulations = 50));
        assert_eq!(read("uct:c=2,sims=50,expand=3,leaves=8"), {
            uct(|of| (of.simulations, of.exploration, of.expand_above, of.leaves) = (50, 2.0, 3, 8))
        });
        assert_eq!(read("uct:rollout=heuristic"), uct(|of| of.rollout = Strategy::Heuristic));
        assert_eq!(read("uct:virtual=3.5+0,cards=hidden"), {
            uct(|of| (of.virtual_wins, of.has_open_cards) = ([3.5, 0.0], false))
        });
        let timed = uct(|of| (of.milliseconds, of.simulations, of.leaves) = (Some(50), u32::MAX, 16));
        assert_eq!(read("uct:ms=50"), timed);
        assert!(timed.is_timed() && !read("uct:50").is_timed() && !read("heuristic").is_timed());
    }

    #[test]
    fn all_combinations_are_read_back_as_they_were() {
        // Every key with its usual value and others, as digits of a number.
        let values: [&[&str]; SETTINGS.len()] = [
            &["", "1", "1000", "4294967295"],
            &["", "1", "5000"],
            &["", "0", "0.3", "1e-9"],
            &["", "0", "4294967295"],
            &["", "1", "8", "65536"],
            &["", "random", "random-s", "heuristic"],
            &["", "20+10", "0+0", "1e300+0.25"],
            &["", "open", "hidden"],
        ];
        let all: usize = values.iter().map(|values| values.len()).product();
        let mut distinct = std::collections::BTreeSet::new();
        for mut number in 0..all {
            let mut parts = Vec::new();
            for ((key, ..), values) in SETTINGS.iter().zip(values) {
                let value = values[number % values.len()];
                number /= values.len();
                if !value.is_empty() {
                    parts.push(format!("{key}={value}"));
                }
            }
            let text = if parts.is_empty() { "uct".to_owned() } else { format!("uct:{}", parts.join(",")) };
            let choice = read(&text);
            let written = choice.to_string();
            assert_eq!(read(&written), choice, "{text}");
            assert_eq!(read(&written).to_string(), written);
            assert!(written.len() <= text.len(), "{written} is longer than {text}");
            let seats = read_seats(&format!("random,{written},heuristic,{written}")).expect("four players");
            assert_eq!(seats, [read("random"), choice, read("heuristic"), choice]);
            distinct.insert(written);
        }
        assert!(distinct.len() > 1000, "{} different players", distinct.len());
    }

    #[test]
    fn errors_name_what_is_wrong_and_what_was_expected() {
        for (text, part) in [
            ("", "no player '', expected one of random, random-s, heuristic, uct"),
            ("Uct", "no player 'Uct'"),
            ("heuristic:100", "heuristic has no settings, expected heuristic alone"),
            ("random-s:", "random-s has no settings"),
            ("uct:", "'' is no setting of uct, expected a number of sims or KEY=VALUE"),
            ("uct:fast", "'fast' is no setting"),
            ("uct:playouts=3", "one of the keys sims, ms, c, expand"),
            ("uct:100,sims=100", "sims is given twice"),
            ("uct:0", "sims is '0', expected a whole number from 1 to 4294967295"),
            ("uct:ms=0", "ms is '0', expected a whole number from 1"),
            ("uct:c=-1", "c is '-1', expected a number that is not negative"),
            ("uct:c=NaN", "c is 'NaN'"),
            ("uct:expand=-1", "expand is '-1', expected a whole number from 0"),
            ("uct:leaves=65537", "leaves is '65537', expected a whole number from 1 to 65536"),
            ("uct:rollout=uct", "rollout is 'uct', expected random, random-s, heuristic"),
            ("uct:virtual=20", "virtual is '20', expected two numbers that are not negative, as in 20+10"),
            ("uct:virtual=none", "virtual is 'none'"),
            ("uct:virtual=20+-1", "virtual is '20+-1'"),
            ("uct:cards=some", "cards is 'some', expected open or hidden"),
        ] {
            let message = text.parse::<Choice>().expect_err(text).to_string();
            assert!(message.contains(part) && message.contains("expected"), "{text}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
        for (text, part) in [
            ("random,random", "these are 2 players, expected 4, or one who sits in all seats"),
            ("random,random,random,random,random", "these are 5 players"),
            ("uct:1000,fast,random,random", "there is no player 'fast'"),
            ("1000,random,random,random", "there is no player '1000'"),
            ("random,c=1,random,random,random", "random has no settings"),
            ("uct,uct:c=x,uct,uct", "c is 'x'"),
            ("random,,random,random", "there is no player ''"),
        ] {
            let message = read_seats(text).expect_err(text).to_string();
            assert!(message.contains(part) && message.contains("expected"), "{text}: {message}");
        }
        assert_eq!(read_seats("heuristic"), Ok([read("heuristic"); SEATS]));
    }
}
