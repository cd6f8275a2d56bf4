//! The JSON form of a map file.

use serde_json::Value;

use super::stock::{self, Board, Found, Hex, Token, unknown_port, unknown_tile};
use super::{KEYS, port_from_name, tidy, tile_from_name};
use crate::games::catan::map::Map;
use crate::games::catan::pieces::{Port, Resource};
use crate::games::catan::tables::{HEXES, PORTS};
use crate::games::fault::{Fault, Faults, excerpt};

/// Reads a map, or finds all faults. There are no warnings.
pub(super) fn map(bytes: &[u8]) -> Result<(Map, Vec<Fault>), Vec<Fault>> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        // The message repeats where the fault is; line 0 says that it is nowhere.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        vec![Fault { line: error.line().max(1), message: format!("not JSON: {message}") }]
    })?;
    let mut reader = Reader { value: &value, places: &places(bytes), faults: Faults::default() };
    match (reader.map(), reader.faults.finish("faults")) {
        (Some(map), faults) if faults.is_empty() => Ok((map, Vec::new())),
        (_, faults) => Err(faults),
    }
}

/// Where a key of the outermost object stands, and where the elements of its value start.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    key: String,
    line: usize,
    elements: Vec<usize>,
}

/// The lines of all keys of the outermost object and of the elements below them. The text is valid JSON.
fn places(bytes: &[u8]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let (mut line, mut depth, mut at) = (1, 0usize, 0);
    // Whether a key (depth 1) or an element (depth 2) can start here.
    let mut fresh = false;
    while at < bytes.len() {
        let (byte, start) = (bytes[at], at);
        at += 1;
        if byte == b'"' {
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
        }
        match (byte, depth) {
            (b'\n', _) => line += 1,
            (b' ' | b'\t' | b'\r' | b':', _) => {}
            (b'"', 1) if fresh => {
                let key = bytes.get(start..at).and_then(|key| serde_json::from_slice(key).ok());
                places.push(Place { key: key.unwrap_or_default(), line, elements: Vec::new() });
                fresh = false;
            }
            (b',', 1 | 2) => fresh = true,
            (b']' | b'}', _) => {
                depth = depth.saturating_sub(1);
                fresh = false;
            }
            (_, 2) if fresh => {
                if let Some(place) = places.last_mut() {
                    place.elements.push(line);
                }
                fresh = false;
            }
            _ => {}
        }
        if matches!(byte, b'[' | b'{') {
            depth += 1;
            fresh = depth <= 2;
        }
    }
    places
}

struct Reader<'a> {
    value: &'a Value,
    places: &'a [Place],
    faults: Faults,
}

/// The elements of a list with their lines, and the line of the list.
type List<'a> = Found<Vec<Found<&'a Value>>>;

impl<'a> Reader<'a> {
    fn map(&mut self) -> Option<Map> {
        let mut first_lines = [None; KEYS.len()];
        for Place { key, line, .. } in self.places {
            let Some(known) = KEYS.iter().position(|known| known == key) else {
                self.faults.add(*line, format!("'{}' is not a key, expected {}", excerpt(key), KEYS.join(", ")));
                continue;
            };
            if let Some(first) = first_lines[known] {
                let message = format!("{key} is given again, expected it once (it is on line {first})");
                self.faults.add(*line, message);
            } else {
                first_lines[known] = Some(*line);
            }
        }
        let [name, comment] = ["name", "note"].map(|key| self.words(key));
        let [tiles, tokens, ports] = ["tiles", "tokens", "ports"].map(|key| self.list(key));
        let board = self.board(tiles.as_ref(), tokens.as_ref());
        let ports = ports.and_then(|ports| self.ports(&ports));
        let (tiles, tokens) = board?;
        Some(Map { tiles, tokens, ports: ports?, name, comment })
    }

    /// The last place of a key: that is the one whose value counts.
    fn place(&self, key: &str) -> Option<&'a Place> {
        self.places.iter().rfind(|place| place.key == key)
    }

    fn words(&mut self, key: &str) -> Option<String> {
        match self.value.get(key)? {
            Value::Null => None,
            Value::String(words) => tidy(words),
            other => {
                let line = self.place(key).map_or(1, |place| place.line);
                self.faults.add(line, format!("{key} is {}, expected a string", shown(other)));
                None
            }
        }
    }

    fn list(&mut self, key: &str) -> Option<List<'a>> {
        let place = self.place(key);
        let line = place.map_or(1, |place| place.line);
        let line_of = |index: usize| place.and_then(|place| place.elements.get(index).copied()).unwrap_or(line);
        match self.value.get(key) {
            Some(Value::Array(values)) => {
                let elements = values.iter().enumerate();
                let elements = elements.map(|(index, value)| Found { value, line: line_of(index) }).collect();
                Some(Found { value: elements, line })
            }
            Some(other) => {
                self.faults.add(line, format!("{key} is {}, expected a list", shown(other)));
                None
            }
            None => {
                self.faults.add(line, format!("{key} is missing, expected \"{key}\": [...]"));
                None
            }
        }
    }

    /// Tiles and tokens belong together in pairs. A list that is not there has been reported, as have its entries.
    fn board(&mut self, tiles: Option<&List<'a>>, tokens: Option<&List<'a>>) -> Option<Board> {
        let mut whole = true;
        for (name, list) in [("tiles", tiles), ("tokens", tokens)] {
            let count = list.map_or(0, |list| list.value.len());
            whole &= count == HEXES;
            if let Some(list) = list.filter(|_| count != HEXES) {
                let line = list.value.get(HEXES).map_or(list.line, |surplus| surplus.line);
                self.faults.add(line, format!("{name} is a list of {count}, expected {HEXES}"));
            }
        }
        let longest = [tiles, tokens].iter().flatten().map(|list| list.value.len()).max().unwrap_or(0);
        let entry = |list: Option<&List<'a>>, index: usize| list.and_then(|list| list.value.get(index).copied());
        let hexes: Vec<_> = (0..longest)
            .map(|index| {
                let tile = entry(tiles, index).map(|found| self.tile(found));
                let token = entry(tokens, index).map(|found| self.token(found));
                let line = tiles.or(tokens).map_or(1, |list| list.line);
                Hex {
                    tile: tile.unwrap_or(Found { value: None, line }),
                    token: token.unwrap_or(Found { value: Token::Faulty, line }),
                }
            })
            .collect();
        let line = tiles.map_or(1, |list| list.line);
        stock::board(&hexes, whole, line, &mut self.faults)
    }

    fn tile(&mut self, Found { value, line }: Found<&Value>) -> Found<Option<Option<Resource>>> {
        let tile = value.as_str().and_then(tile_from_name);
        if tile.is_none() {
            unknown_tile(&shown(value), line, &mut self.faults);
        }
        Found { value: tile, line }
    }

    fn token(&mut self, Found { value, line }: Found<&Value>) -> Found<Token> {
        let token = match value {
            Value::Number(number) if number.as_u64() == Some(0) => Token::Missing,
            Value::Number(number) => Token::read(&number.to_string(), line, &mut self.faults),
            other => Token::refuse(&shown(other), line, &mut self.faults),
        };
        Found { value: token, line }
    }

    fn ports(&mut self, list: &List<'a>) -> Option<[Port; PORTS]> {
        let mut ports = Vec::new();
        for &Found { value, line } in &list.value {
            let port = value.as_str().and_then(port_from_name);
            if port.is_none() {
                unknown_port(&shown(value), line, &mut self.faults);
            }
            ports.push(Found { value: port, line });
        }
        stock::ports(&ports, list.line, &mut self.faults)
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        other => other.to_string(),
    }
}
