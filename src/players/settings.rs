//! Texts that name players: a name, and perhaps settings after a colon, as in `muct:1000,c=0.3`.

use std::fmt;
use std::ops::RangeInclusive;

/// Why a text names no player: a sentence that says which part is wrong and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongChoice(pub(super) String);

impl WrongChoice {
    /// That a value is not among those that were expected.
    pub(super) fn value(key: &str, value: &str, expected: &str) -> Self {
        Self(format!("{key} is '{value}', expected {expected}"))
    }

    /// That nobody has this name.
    pub(super) fn name(name: &str, names: &[(&str, &str)]) -> Self {
        let names: Vec<_> = names.iter().map(|&(name, _)| name).collect();
        Self(format!("there is no player '{name}', expected one of {}", names.join(", ")))
    }
}

/// More would only take memory: no batch gets faster by them.
pub(super) const MAX_LEAVES: u32 = 1 << 16;

/// The simulations of a search that only time limits.
pub(super) const UNLIMITED: u32 = u32::MAX;

/// Simulations that such a search has under way together: no other game is there to fill its batches.
pub(super) const LEAVES_OF_TIMED: u32 = 16;

/// A setting: key, values, meaning.
pub type Setting = (&'static str, &'static str, &'static str);

/// Splits a text into the name and what comes after it.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(':').map_or((text, None), |(name, after)| (name, Some(after)))
}

/// A player without settings.
pub(super) fn plain<T>(player: T, name: &str, settings: Option<&str>) -> Result<T, WrongChoice> {
    match settings {
        None => Ok(player),
        Some(after) => {
            Err(WrongChoice(format!("{name} has no settings, expected {name} alone instead of {name}:{after}")))
        }
    }
}

/// Whether a part is a number alone: the value of the first setting.
pub(super) fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a list of players at its commas. A part that is a number or has a `=` is a setting of the player before it.
pub(super) fn split_players(text: &str) -> Vec<String> {
    let mut players: Vec<String> = Vec::new();
    for part in text.split(',') {
        // A value may have a colon of its own.
        let has_key = part.split_once('=').is_some_and(|(key, _)| !key.contains(':'));
        match players.last_mut() {
            Some(player) if has_key || is_number(part) => {
                *player += if player.contains(':') { "," } else { ":" };
                *player += part;
            }
            _ => players.push(part.to_owned()),
        }
    }
    players
}

/// The values of the keys that are given.
pub(super) struct Given<'t> {
    settings: &'static [Setting],
    values: Vec<Option<&'t str>>,
}

impl<'t> Given<'t> {
    /// Reads the settings of a player. A number alone is the value of the first of them.
    pub(super) fn new(player: &str, settings: &'static [Setting], text: &'t str) -> Result<Self, WrongChoice> {
        let mut given = Self { settings, values: vec![None; settings.len()] };
        for part in text.split(',') {
            let is_number = is_number(part);
            let (key, value) = part.split_once('=').unwrap_or((if is_number { settings[0].0 } else { part }, part));
            let index = given.index(key).filter(|_| is_number || part.contains('='));
            let Some(index) = index else {
                let keys: Vec<_> = settings.iter().map(|&(key, ..)| key).collect();
                let what = format!("expected a number of {} or KEY=VALUE with one of the keys", keys[0]);
                return Err(WrongChoice(format!("'{part}' is no setting of {player}, {what} {}", keys.join(", "))));
            };
            if given.values[index].replace(value).is_some() {
                return Err(WrongChoice(format!("{key} is given twice, expected each setting once")));
            }
        }
        Ok(given)
    }

    fn index(&self, key: &str) -> Option<usize> {
        self.settings.iter().position(|&(known, ..)| known == key)
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'t str> {
        self.index(key).and_then(|index| self.values[index])
    }

    /// The whole number of a key, or the usual one.
    pub(super) fn number(&self, key: &str, range: RangeInclusive<u32>, usual: u32) -> Result<u32, WrongChoice> {
        let Some(value) = self.get(key) else { return Ok(usual) };
        let number = value.parse().ok().filter(|number| range.contains(number));
        let expected = || format!("a whole number from {} to {}", range.start(), range.end());
        number.ok_or_else(|| WrongChoice::value(key, value, &expected()))
    }

    /// The weight of a key, or the usual one.
    pub(super) fn weight(&self, key: &str, usual: f64) -> Result<f64, WrongChoice> {
        let Some(value) = self.get(key) else { return Ok(usual) };
        weight(value).ok_or_else(|| WrongChoice::value(key, value, "a number that is not negative"))
    }
}

/// A number that is not negative.
pub(super) fn weight(text: &str) -> Option<f64> {
    // There is but one zero.
    text.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0).map(|weight| weight + 0.0)
}

/// The shorter of the two ways to write a weight.
pub(super) fn weight_text(weight: f64) -> String {
    let (plain, scientific) = (format!("{weight}"), format!("{weight:e}"));
    if plain.len() <= scientific.len() { plain } else { scientific }
}

/// A player with the settings that are not the usual ones.
pub(super) fn write(f: &mut fmt::Formatter<'_>, name: &str, settings: &[String]) -> fmt::Result {
    if settings.is_empty() { f.write_str(name) } else { write!(f, "{name}:{}", settings.join(",")) }
}
