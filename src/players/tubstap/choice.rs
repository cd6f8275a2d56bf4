//! The players by name.
//!
//! ```
//! use fairground::players::tubstap::choice::Choice;
//!
//! let player: Choice = "muct:sims=1000,c=0.3,prune=single,kinds=panzer+cannon".parse()?;
//! assert_eq!(player.to_string(), "muct:1000,c=0.3,prune=1,kinds=panzer+cannon");
//! assert_eq!("muct:sims=2000,leaves=1".parse::<Choice>()?.to_string(), "muct");
//! # Ok::<(), fairground::players::settings::WrongChoice>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::mss::{Effort, Mss};
use super::muct::{Muct, Settings};
use super::reference::attacks::NOT_WORTH_IT;
use super::reference::muct::{Keep, Pruning};
use super::reference::{MaxAct, Random};
use crate::games::tubstap::{Kind, Tubstap};
use crate::players::settings::{self, Given, LEAVES_OF_TIMED, MAX_LEAVES, Setting, UNLIMITED, WrongChoice};
use crate::players::thinking::{AtOnce, Thinker};

/// A kind of player, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A uniform unit, a uniform action of it.
    Random,
    /// The attack that pays best at once, or a step to a good place.
    MaxAct,
    /// Plans for whole phases.
    Mss(Effort),
    /// Tree search over single unit actions.
    Muct(Settings),
}

/// The names of the players, and what they do.
pub const NAMES: [(&str, &str); 4] = [
    ("random", "a random unit does a random thing"),
    ("maxact", "the attack that pays best at once, or a step to a good place"),
    ("mss", "MSSystem, which plans whole phases by means of playouts"),
    ("muct", "M-UCT, tree search over single unit actions"),
];

/// The settings of `mss`.
pub const MSS_SETTINGS: [Setting; 2] = [
    (PLAYOUTS, "N", "playouts of every action and every candidate, usually 100; short: mss:N"),
    (CANDIDATES, "N", "candidates of a plan, usually 100"),
];

/// The settings of `muct`.
pub const MUCT_SETTINGS: [Setting; 10] = [
    (SIMS, "N", "simulations for one unit action, 2000 without ms; short: muct:N"),
    (MS, "N", "milliseconds for all units of a phase; alone, simulations are unlimited"),
    (C, "X", "weight of the exploration term, usually 0.15"),
    (EXPAND, "N", "a node with more visits is expanded, usually 10"),
    (GROUP, "N", "so many rollouts in a row share their random numbers, usually 1"),
    (LEAVES, "N", "simulations under way together, usually 1, with ms 16"),
    (PRUNE, "single|half|N|none", "attacks of a unit that stay: the best, half, N, usually all"),
    (KINDS, "KIND+KIND", "kinds of units whose attacks are pruned, usually all"),
    (THRESHOLD, "N|none", "attacks worth less are dropped first, usually -20"),
    (SIDE, "both|own", "whose attacks are pruned, usually those of both sides"),
];

const PLAYOUTS: &str = "playouts";
const CANDIDATES: &str = "candidates";
const SIMS: &str = "sims";
const MS: &str = "ms";
const C: &str = "c";
const EXPAND: &str = "expand";
const GROUP: &str = "group";
const LEAVES: &str = "leaves";
const PRUNE: &str = "prune";
const KINDS: &str = "kinds";
const THRESHOLD: &str = "threshold";
const SIDE: &str = "side";

/// Nobody waits for a plan with more.
const MAX_EFFORT: u32 = 1 << 20;

impl Choice {
    /// A player for one game.
    #[must_use]
    pub fn thinker(&self) -> Box<dyn Thinker<Tubstap>> {
        match self {
            Self::Random => Box::new(AtOnce(Random)),
            Self::MaxAct => Box::new(AtOnce(MaxAct)),
            Self::Mss(effort) => Box::new(Mss::new(*effort)),
            Self::Muct(settings) => Box::new(Muct::new(settings.clone())),
        }
    }

    /// Whether the player's time is limited, so that its games cannot be repeated.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Muct(Settings { milliseconds: Some(_), .. }))
    }
}

impl FromStr for Choice {
    type Err = WrongChoice;

    fn from_str(text: &str) -> Result<Self, WrongChoice> {
        let (name, settings) = settings::split(text);
        let player = match name {
            "random" => Self::Random,
            "maxact" => Self::MaxAct,
            "mss" => return settings.map_or_else(|| Ok(Effort::default()), read_effort).map(Self::Mss),
            "muct" => return settings.map_or_else(|| Ok(Settings::default()), read_settings).map(Self::Muct),
            _ => return Err(WrongChoice::name(name, &NAMES)),
        };
        settings::plain(player, name, settings)
    }
}

fn read_effort(text: &str) -> Result<Effort, WrongChoice> {
    let given = Given::new("mss", &MSS_SETTINGS, text)?;
    let usual = Effort::default();
    Ok(Effort {
        playouts: given.number(PLAYOUTS, 1..=MAX_EFFORT, usual.playouts)?,
        candidates: given.number(CANDIDATES, 1..=MAX_EFFORT, usual.candidates)?,
    })
}

fn read_settings(text: &str) -> Result<Settings, WrongChoice> {
    let given = Given::new("muct", &MUCT_SETTINGS, text)?;
    let mut settings = Settings::default();
    let search = &mut settings.search;
    if given.get(MS).is_some() {
        settings.milliseconds = Some(given.number(MS, 1..=u32::MAX, 0)?);
        settings.leaves = LEAVES_OF_TIMED;
        search.simulations = UNLIMITED;
    }
    search.simulations = given.number(SIMS, 1..=u32::MAX, search.simulations)?;
    search.exploration = given.weight(C, search.exploration)?;
    search.expand_above = given.number(EXPAND, 0..=u32::MAX, search.expand_above)?;
    search.seed_group = given.number(GROUP, 1..=u32::MAX, search.seed_group)?;
    settings.leaves = given.number(LEAVES, 1..=MAX_LEAVES, settings.leaves)?;
    search.pruning = read_pruning(&given)?;
    Ok(settings)
}

fn read_pruning(given: &Given<'_>) -> Result<Option<Pruning>, WrongChoice> {
    let keep =
        match given.get(PRUNE) {
            None | Some("none") => None,
            Some("single") => Some(Keep::Best(1)),
            Some("half") => Some(Keep::Half),
            Some(value) => {
                let number = value.parse().ok().map(|number: u32| Keep::Best(number as usize));
                Some(number.ok_or_else(|| {
                    WrongChoice::value(PRUNE, value, "single, half, none or a number of attacks to keep")
                })?)
            }
        };
    let Some(keep) = keep else {
        let lonely = [KINDS, THRESHOLD, SIDE].into_iter().find(|key| given.get(key).is_some());
        return lonely.map_or(Ok(None), |key| {
            Err(WrongChoice(format!("{key} says how to prune, expected prune=single, prune=half or prune=N with it")))
        });
    };
    let kinds = given.get(KINDS).map_or_else(|| Ok(Kind::ALL.to_vec()), read_kinds)?;
    let threshold = match given.get(THRESHOLD) {
        None => Some(NOT_WORTH_IT),
        Some("none") => None,
        Some(value) => Some(value.parse().map_err(|_| WrongChoice::value(THRESHOLD, value, "a whole number or none"))?),
    };
    let is_own_side_only = match given.get(SIDE) {
        None | Some("both") => false,
        Some("own") => true,
        Some(value) => return Err(WrongChoice::value(SIDE, value, "both or own")),
    };
    Ok(Some(Pruning { kinds, threshold, keep, is_own_side_only }))
}

fn read_kinds(text: &str) -> Result<Vec<Kind>, WrongChoice> {
    let mut kinds = Vec::new();
    for name in text.split('+') {
        let Some(kind) = Kind::from_name(name) else {
            let names = Kind::ALL.map(Kind::name).join(", ");
            return Err(WrongChoice::value(KINDS, text, &format!("names joined by '+', each one of {names}")));
        };
        if kinds.contains(&kind) {
            return Err(WrongChoice(format!("kinds has {name} twice, expected each kind once")));
        }
        kinds.push(kind);
    }
    kinds.sort_unstable();
    Ok(kinds)
}

impl fmt::Display for Choice {
    /// The shortest text that is read as this player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::MaxAct => f.write_str("maxact"),
            Self::Mss(effort) => settings::write(f, "mss", &written_effort(effort)),
            Self::Muct(settings) => settings::write(f, "muct", &written(settings)),
        }
    }
}

/// The settings that are not the usual ones.
fn written_effort(effort: &Effort) -> Vec<String> {
    let usual = Effort::default();
    let mut parts = Vec::new();
    if effort.playouts != usual.playouts {
        parts.push(effort.playouts.to_string());
    }
    if effort.candidates != usual.candidates {
        parts.push(format!("{CANDIDATES}={}", effort.candidates));
    }
    parts
}

/// The settings that are not the usual ones.
fn written(settings: &Settings) -> Vec<String> {
    let usual = Settings::default();
    let Settings { search, milliseconds, leaves } = settings;
    let mut parts = Vec::new();
    let (usual_simulations, usual_leaves) = match milliseconds {
        Some(_) => (UNLIMITED, LEAVES_OF_TIMED),
        None => (usual.search.simulations, usual.leaves),
    };
    if search.simulations != usual_simulations {
        parts.push(search.simulations.to_string());
    }
    let mut add = |key: &str, value: &dyn fmt::Display| parts.push(format!("{key}={value}"));
    if let Some(milliseconds) = milliseconds {
        add(MS, milliseconds);
    }
    if search.exploration != usual.search.exploration {
        add(C, &settings::weight_text(search.exploration));
    }
    for (key, value, usual) in [
        (EXPAND, search.expand_above, usual.search.expand_above),
        (GROUP, search.seed_group, usual.search.seed_group),
        (LEAVES, *leaves, usual_leaves),
    ] {
        if value != usual {
            add(key, &value);
        }
    }
    // Whoever prunes the attacks of no kind prunes nothing.
    let pruning = search.pruning.as_ref().filter(|pruning| !pruning.kinds.is_empty());
    if let Some(Pruning { kinds, threshold, keep, is_own_side_only }) = pruning {
        match keep {
            Keep::Best(number) => add(PRUNE, number),
            Keep::Half => add(PRUNE, &"half"),
        }
        let names: Vec<_> = Kind::ALL.iter().filter(|kind| kinds.contains(kind)).map(|kind| kind.name()).collect();
        if names.len() < Kind::ALL.len() {
            add(KINDS, &names.join("+"));
        }
        match threshold {
            Some(NOT_WORTH_IT) => {}
            Some(threshold) => add(THRESHOLD, threshold),
            None => add(THRESHOLD, &"none"),
        }
        if *is_own_side_only {
            add(SIDE, &"own");
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::tubstap::reference::muct::Options;

    fn read(text: &str) -> Choice {
        text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
    }

    fn muct(change: impl FnOnce(&mut Settings)) -> Choice {
        let mut settings = Settings::default();
        change(&mut settings);
        Choice::Muct(settings)
    }

    #[test]
    fn every_name_is_read_and_written_back() {
        for (name, _) in NAMES {
            assert_eq!(read(name).to_string(), name);
        }
        assert_eq!(
            NAMES.map(|(name, _)| read(name)),
            [Choice::Random, Choice::MaxAct, Choice::Mss(Effort::default()), Choice::Muct(Settings::default())]
        );
    }

    #[test]
    fn settings_mean_what_they_say() {
        assert_eq!(read("mss:20"), Choice::Mss(Effort { playouts: 20, candidates: 100 }));
        assert_eq!(read("mss:candidates=30"), Choice::Mss(Effort { playouts: 100, candidates: 30 }));
        assert_eq!(read("muct:1000"), read("muct:sims=1000"));
        assert_eq!(
            read("muct:c=1,1000"),
            muct(|of| {
                of.search = Options { simulations: 1000, exploration: 1.0, ..Options::default() };
            })
        );
        assert_eq!(
            read("muct:expand=0,group=9,leaves=16"),
            muct(|of| {
                (of.search.expand_above, of.search.seed_group, of.leaves) = (0, 9, 16);
            })
        );
        let timed = |of: &mut Settings| (of.milliseconds, of.search.simulations, of.leaves) = (Some(50), u32::MAX, 16);
        assert_eq!(read("muct:ms=50"), muct(timed));
        let both = |of: &mut Settings| (of.milliseconds, of.search.simulations, of.leaves) = (Some(50), 7, 16);
        assert_eq!(read("muct:ms=50,sims=7"), muct(both));
        assert!(read("muct:ms=50").is_timed() && !read("muct:50").is_timed() && !read("mss").is_timed());
        let pruned = |pruning| muct(|of| of.search.pruning = Some(pruning));
        assert_eq!(read("muct:prune=none"), read("muct"));
        assert_eq!(read("muct:prune=single,kinds=panzer"), pruned(Pruning::of(Kind::Panzer, Keep::Best(1))));
        assert_eq!(
            read("muct:side=own,threshold=none,prune=half,kinds=infantry+fighter"),
            pruned(Pruning {
                kinds: vec![Kind::Fighter, Kind::Infantry],
                threshold: None,
                keep: Keep::Half,
                is_own_side_only: true,
            })
        );
        let usual = Pruning { kinds: Kind::ALL.to_vec(), ..Pruning::of(Kind::Panzer, Keep::Best(3)) };
        assert_eq!(read("muct:prune=3,threshold=-20,side=both"), pruned(usual));
    }

    #[test]
    fn the_shortest_text_is_written() {
        for (given, shortest) in [
            ("mss:playouts=100,candidates=100", "mss"),
            ("mss:candidates=30,playouts=20", "mss:20,candidates=30"),
            ("muct:sims=2000", "muct"),
            ("muct:sims=2000,ms=7", "muct:2000,ms=7"),
            ("muct:4294967295,ms=7", "muct:ms=7"),
            ("muct:4294967295", "muct:4294967295"),
            ("muct:c=0.150,expand=10,group=1,leaves=1,prune=none", "muct"),
            ("muct:c=-0.0", "muct:c=0"),
            ("muct:c=1e+300", "muct:c=1e300"),
            ("muct:side=own,prune=single,kinds=cannon+panzer", "muct:prune=1,kinds=panzer+cannon,side=own"),
            ("muct:prune=half,kinds=infantry+antiair+cannon+panzer+attacker+fighter", "muct:prune=half"),
            ("muct:prune=0,threshold=5", "muct:prune=0,threshold=5"),
        ] {
            assert_eq!(read(given).to_string(), shortest, "{given}");
        }
    }

    #[test]
    fn all_combinations_are_read_back_as_they_were() {
        // Every key with its usual value and others, as digits of a number.
        let values: [&[&str]; MUCT_SETTINGS.len()] = [
            &["", "1", "2000", "4294967295"],
            &["", "1", "5000"],
            &["", "0", "0.3", "1e-9"],
            &["", "0", "4294967295"],
            &["", "10"],
            &["", "8", "65536"],
            &["none", "single", "half", "0", "7"],
            &["", "panzer", "infantry+fighter"],
            &["", "none", "-2147483648", "11"],
            &["both", "own"],
        ];
        let all: usize = values.iter().map(|values| values.len()).product();
        let mut distinct = std::collections::BTreeSet::new();
        for mut number in 0..all {
            let mut parts = Vec::new();
            for ((key, ..), values) in MUCT_SETTINGS.iter().zip(values) {
                let value = values[number % values.len()];
                number /= values.len();
                let is_lonely = [KINDS, THRESHOLD, SIDE].contains(key) && parts.iter().any(|part| part == "prune=none");
                if !value.is_empty() && !is_lonely {
                    parts.push(format!("{key}={value}"));
                }
            }
            let choice = read(&format!("muct:{}", parts.join(",")));
            let text = choice.to_string();
            assert_eq!(read(&text), choice, "{text}");
            assert_eq!(read(&text).to_string(), text);
            distinct.insert(text);
        }
        assert!(distinct.len() > 10_000, "{} different players", distinct.len());
    }

    #[test]
    fn errors_name_what_is_wrong_and_what_was_expected() {
        for (text, part) in [
            ("", "no player '', expected one of random, maxact, mss, muct"),
            ("Muct", "no player 'Muct'"),
            ("maxact:100", "maxact has no settings, expected maxact alone"),
            ("random:", "random has no settings"),
            ("mss:", "'' is no setting of mss, expected a number of playouts or KEY=VALUE"),
            ("mss:0", "playouts is '0', expected a whole number from 1 to 1048576"),
            ("mss:candidates=0", "candidates is '0'"),
            ("mss:20,plans=2", "one of the keys playouts, candidates"),
            ("mss:20,playouts=20", "playouts is given twice"),
            ("muct:", "'' is no setting of muct, expected a number of sims or KEY=VALUE"),
            ("muct:fast", "'fast' is no setting"),
            ("muct:sims", "'sims' is no setting"),
            ("muct:simulations=3", "one of the keys sims, ms, c, expand"),
            ("muct:1000,", "'' is no setting"),
            ("muct:-5", "'-5' is no setting"),
            ("muct:100,sims=100", "sims is given twice"),
            ("muct:c=1,c=1", "c is given twice, expected each setting once"),
            ("muct:0", "sims is '0', expected a whole number from 1 to 4294967295"),
            ("muct:99999999999", "sims is '99999999999'"),
            ("muct:sims=many", "sims is 'many'"),
            ("muct:ms=0", "ms is '0', expected a whole number from 1"),
            ("muct:ms=1.5", "ms is '1.5'"),
            ("muct:c=-1", "c is '-1', expected a number that is not negative"),
            ("muct:c=inf", "c is 'inf'"),
            ("muct:c=NaN", "c is 'NaN'"),
            ("muct:c=", "c is ''"),
            ("muct:expand=-1", "expand is '-1', expected a whole number from 0"),
            ("muct:group=0", "group is '0'"),
            ("muct:leaves=0", "leaves is '0', expected a whole number from 1 to 65536"),
            ("muct:leaves=65537", "leaves is '65537'"),
            ("muct:prune=most", "prune is 'most', expected single, half, none or a number"),
            ("muct:prune=-1", "prune is '-1'"),
            ("muct:kinds=panzer", "kinds says how to prune, expected prune=single"),
            ("muct:prune=none,threshold=3", "threshold says how to prune"),
            ("muct:side=own", "side says how to prune"),
            ("muct:prune=1,kinds=tank", "kinds is 'tank', expected names joined by '+', each one of fighter"),
            ("muct:prune=1,kinds=", "kinds is ''"),
            ("muct:prune=1,kinds=panzer+panzer", "kinds has panzer twice"),
            ("muct:prune=1,threshold=low", "threshold is 'low', expected a whole number or none"),
            ("muct:prune=1,side=enemy", "side is 'enemy', expected both or own"),
        ] {
            let message = text.parse::<Choice>().expect_err(text).to_string();
            assert!(message.contains(part) && message.contains("expected"), "{text}: {message}");
        }
    }
}
