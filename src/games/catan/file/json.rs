//! The JSON form of a map file.

use serde_json::Value;

use super::stock::{self, Board, Found, Hex, Token, unknown_port, unknown_tile};
use super::{KEYS, port_from_name, tidy, tile_from_name};
use crate::games::catan::map::Map;
use crate::games::catan::pieces::Port;
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
        for (index, Place { key, line, .. }) in self.places.iter().enumerate() {
            if !KEYS.contains(&key.as_str()) {
                self.faults.add(*line, format!("'{}' is not a key, expected {}", excerpt(key), KEYS.join(", ")));
            } else if let Some(first) = self.places[..index].iter().find(|place| place.key == *key) {
                let message = format!("{key} is given again, expected it once (it is on line {})", first.line);
                self.faults.add(*line, message);
            }
        }
        let [name, comment] = ["name", "note"].map(|key| self.words(key));
        let [tiles, tokens, ports] = ["tiles", "tokens", "ports"].map(|key| self.list(key));
        let board = tiles.zip(tokens).and_then(|(tiles, tokens)| self.board(&tiles, &tokens));
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

    fn board(&mut self, tiles: &List<'a>, tokens: &List<'a>) -> Option<Board> {
        for (name, list) in [("tiles", tiles), ("tokens", tokens)] {
            let count = list.value.len();
            if count != HEXES {
                let line = list.value.get(HEXES).map_or(list.line, |surplus| surplus.line);
                self.faults.add(line, format!("{name} has {count} entries, expected {HEXES}"));
            }
        }
        let whole = [tiles, tokens].iter().all(|list| list.value.len() == HEXES);
        let tiles_and_tokens = tiles.value.iter().zip(&tokens.value);
        let hexes: Vec<_> = tiles_and_tokens
            .map(|(tile, token)| {
                let known = tile.value.as_str().and_then(tile_from_name);
                if known.is_none() {
                    unknown_tile(&shown(tile.value), tile.line, &mut self.faults);
                }
                let number = match token.value {
                    Value::Number(number) if number.as_u64() == Some(0) => Token::Missing,
                    other => Token::read(&shown(other), token.line, &mut self.faults),
                };
                Hex { tile: Found { value: known, line: tile.line }, token: Found { value: number, line: token.line } }
            })
            .collect();
        stock::board(&hexes, whole, tiles.line, &mut self.faults)
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
