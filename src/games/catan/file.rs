//! Map files (`.catan`): a strict reader that reports every fault at once, and writers.
//!
//! ```text
//! # Comments run from a # to the end of the line; in a name or a note a # is a letter like any other.
//! name   First island
//! note   free text, one line
//! hexes                                      three to five a row, west to east, as the board lies
//!             ore 10    sheep 2   wood 9
//!        wheat 12  brick 6   sheep 4   brick 10
//!   wheat 9   wood 11   desert    wood 3    ore 8
//!        wood 8    ore 3     wheat 4   sheep 5
//!             brick 5   wheat 6   sheep 11
//! ports  any wheat ore any sheep any any brick wood
//! ```
//!
//! A hex is `wood`, `brick`, `sheep`, `wheat` or `ore` with its number, or `desert` without one. A port is
//! `any` (three of a kind for one) or a resource (two of it for one). The nine ports are listed clockwise from
//! the top left, where the coast has places for them:
//!
//! ```text
//!         1 north-west side of the first hex of row 1      2 north-east side of the second hex of row 1
//!  9 west side of the first hex of row 2                         3 north-east side of the last hex of row 2
//!                                                                       4 east side of the last hex of row 3
//!  8 west side of the first hex of row 4                         5 south-east side of the last hex of row 4
//!         7 south-west side of the first hex of row 5      6 south-east side of the second hex of row 5
//! ```
//!
//! Every map has the tiles, numbers and ports of the box. `name` and `note` can be left out, the sections can
//! stand in any order, and how a row is indented means nothing. Files are UTF-8.
//!
//! A file that starts with `{` is read as JSON:
//!
//! ```text
//! {"name": "First island", "note": "free text",
//!  "tiles": ["ore", "sheep", …, "desert", …],      19 in reading order
//!  "tokens": [10, 2, …, 0, …],                     their numbers, 0 on the desert
//!  "ports": ["any", "wheat", …]}                   9 clockwise from the top left
//! ```

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

use super::map::Map;
use super::pieces::{Port, Resource};
use crate::games::fault;

mod json;
mod reader;
mod stock;

pub use crate::games::fault::{Fault, MAX_BYTES, MAX_FAULTS, ReadError, ReadErrorKind};

/// How many hexes each row of the board has.
pub const ROWS: [usize; 5] = [3, 4, 5, 4, 3];

/// How files spell the tile without a resource.
const DESERT: &str = "desert";
/// How files spell the port that takes anything.
const ANY: &str = "any";

/// A file that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The map.
    pub map: Map,
    /// What looks wrong but does not keep the map from being played, by line.
    pub warnings: Vec<Fault>,
}

/// Reads a map file.
///
/// # Errors
/// If the file cannot be read, or with every fault in it.
pub fn read(path: &Path) -> Result<Parsed, ReadError> {
    fault::read(path, parse)
}

/// Reads a map from the bytes of a file.
///
/// ```
/// use fairground::games::catan::file;
/// let faults = file::parse(b"hexes\n gold 7").unwrap_err();
/// assert_eq!(
///     faults[1].to_string(),
///     "line 2: 'gold' is not a tile, expected wood, brick, sheep, wheat, ore or desert"
/// );
/// ```
///
/// # Errors
/// Every fault in the file, by line; at most [`MAX_FAULTS`] are listed.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Vec<Fault>> {
    let refuse = |message: String| Err(vec![Fault { line: 1, message }]);
    if bytes.len() > MAX_BYTES {
        return refuse(format!("the file is too large, expected at most {MAX_BYTES} bytes"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return refuse("the file is UTF-16, expected UTF-8".into());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (map, warnings) =
        if bytes.trim_ascii_start().starts_with(b"{") { json::map(bytes) } else { reader::map(bytes) }?;
    Ok(Parsed { map, warnings })
}

/// Writes a map as the text of a file, which [`parse`] reads back as an equal map.
///
/// A name or note is one line of a file: control characters in it become spaces, those around it are left out.
/// No map that was read has such a name.
#[must_use]
pub fn write(map: &Map) -> String {
    /// The longest is `wheat 12`; two spaces after it.
    const CELL: usize = 10;
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(name) = map.name.as_deref().and_then(tidy) {
        let _ = writeln!(text, "name   {name}");
    }
    if let Some(note) = map.comment.as_deref().and_then(tidy) {
        let _ = writeln!(text, "note   {note}");
    }
    text.push_str("hexes\n");
    let mut hexes = map.tiles.iter().zip(map.tokens);
    for count in ROWS {
        let mut row = " ".repeat(2 + (5 - count) * CELL / 2);
        for (tile, token) in hexes.by_ref().take(count) {
            let hex = match tile {
                Some(resource) => format!("{} {token}", resource.name()),
                None => DESERT.to_owned(),
            };
            let _ = write!(row, "{hex:<CELL$}");
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    let _ = writeln!(text, "ports  {}", map.ports.map(port_name).join(" "));
    text
}

/// Writes a map as JSON, a line for each of its parts, which [`parse`] reads back as an equal map.
///
/// [`Map`] is [`Serialize`] too, where JSON on one line or inside other JSON is wanted.
#[must_use]
pub fn write_json(map: &Map) -> String {
    let Ok(serde_json::Value::Object(parts)) = serde_json::to_value(map) else {
        // Strings and small numbers only: there is nothing JSON could not hold.
        return String::new();
    };
    let lines: Vec<_> = KEYS.iter().filter_map(|&key| Some(format!("  \"{key}\": {}", parts.get(key)?))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// The keys of the JSON form, in the order they are written.
const KEYS: [&str; 5] = ["name", "note", "tiles", "tokens", "ports"];

impl Serialize for Map {
    /// The form [`file`](self) describes; without a name there is no `name`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [name, note, tiles, tokens, ports] = KEYS;
        let words = [(name, &self.name), (note, &self.comment)];
        let words = words.map(|(key, words)| (key, words.as_deref().and_then(tidy)));
        let given = words.iter().filter(|(_, words)| words.is_some()).count();
        let mut parts = serializer.serialize_struct("Map", 3 + given)?;
        for (key, words) in words {
            if let Some(words) = words {
                parts.serialize_field(key, &words)?;
            }
        }
        parts.serialize_field(tiles, &self.tiles.map(tile_name))?;
        parts.serialize_field(tokens, &self.tokens)?;
        parts.serialize_field(ports, &self.ports.map(port_name))?;
        parts.end()
    }
}

/// How files spell a tile.
#[must_use]
pub fn tile_name(tile: Option<Resource>) -> &'static str {
    tile.map_or(DESERT, Resource::name)
}

/// How files spell a port.
#[must_use]
pub fn port_name(port: Port) -> &'static str {
    match port {
        Port::Two(resource) => resource.name(),
        Port::Three => ANY,
    }
}

/// The tile of this name, large or small letters.
fn tile_from_name(name: &str) -> Option<Option<Resource>> {
    let name = name.to_ascii_lowercase();
    if name == DESERT { Some(None) } else { Resource::from_name(&name).map(Some) }
}

/// The port of this name, large or small letters.
fn port_from_name(name: &str) -> Option<Port> {
    let name = name.to_ascii_lowercase();
    if name == ANY { Some(Port::Three) } else { Resource::from_name(&name).map(Port::Two) }
}

/// A name or note as one line; `None` if nothing is left of it.
fn tidy(words: &str) -> Option<String> {
    let line: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
