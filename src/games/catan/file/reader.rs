//! The lines of a map file, from bytes to a checked map.

use super::stock::{self, Board, Found, Hex, Token, plural, unknown_port, unknown_tile};
use super::{ROWS, port_from_name, tidy, tile_from_name};
use crate::games::catan::map::Map;
use crate::games::catan::pieces::Port;
use crate::games::catan::tables::PORTS;
use crate::games::fault::{Fault, Faults, excerpt};

/// Reads a map and the warnings about it, or finds all faults.
pub(super) fn map(bytes: &[u8]) -> Result<(Map, Vec<Fault>), Vec<Fault>> {
    let mut reader = Reader::default();
    let mut last = 1;
    for (index, line) in lines(bytes).enumerate() {
        let text = String::from_utf8_lossy(line);
        if str::from_utf8(line).is_err() {
            reader.faults.add(index + 1, "bytes that are not UTF-8".into());
        }
        if !text.trim().is_empty() {
            last = index + 1;
        }
        reader.line(index + 1, &text);
    }
    let map = reader.finish(last);
    match (map, reader.faults.finish("faults")) {
        (Some(map), faults) if faults.is_empty() => Ok((map, reader.warnings.finish("warnings"))),
        (_, faults) => Err(faults),
    }
}

/// The lines of a text, whichever way they end.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.iter().position(|byte| b"\r\n".contains(byte)) else {
            return rest.take();
        };
        let after = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&text[after..]);
        Some(&text[..end])
    })
}

/// What the lines without a keyword belong to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    /// Nothing: a keyword is expected.
    #[default]
    None,
    /// The rows of the board.
    Hexes,
    /// The list of ports.
    Ports,
    /// Rows or ports of a section that is in the file already or has an unknown name, which was reported.
    Skipped,
}

struct Row {
    line: usize,
    hexes: Vec<Hex>,
}

#[derive(Default)]
struct Reader {
    faults: Faults,
    warnings: Faults,
    section: Section,
    name: Option<Found<Option<String>>>,
    note: Option<Found<Option<String>>>,
    /// The line of `hexes`, and the rows below it.
    hexes: Option<Found<Vec<Row>>>,
    ports: Option<Found<Vec<Found<Option<Port>>>>>,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) {
        let text = text.trim();
        let keyword = text.split(|c: char| c.is_whitespace() || c == '#').next().unwrap_or_default();
        if keyword.is_empty() {
            return;
        }
        let after = &text[keyword.len()..];
        let content = after.split('#').next().unwrap_or_default();
        match keyword {
            "name" | "note" => {
                let words = tidy(after);
                if words.is_none() {
                    self.warnings.add(line, format!("{keyword} is empty and is ignored"));
                }
                let slot = if keyword == "name" { &mut self.name } else { &mut self.note };
                if let Some(first) = slot {
                    again(&mut self.faults, keyword, line, first.line);
                } else {
                    *slot = Some(Found { value: words, line });
                }
                self.section = Section::None;
            }
            "hexes" => {
                self.section = Section::Hexes;
                if !content.trim().is_empty() {
                    self.faults.add(
                        line,
                        format!("'{}' after hexes, expected the rows on the lines below", excerpt(content.trim())),
                    );
                }
                if let Some(first) = &self.hexes {
                    again(&mut self.faults, keyword, line, first.line);
                    self.section = Section::Skipped;
                } else {
                    self.hexes = Some(Found { value: Vec::new(), line });
                }
            }
            "ports" => {
                self.section = Section::Ports;
                if let Some(first) = &self.ports {
                    again(&mut self.faults, keyword, line, first.line);
                    self.section = Section::Skipped;
                } else {
                    self.ports = Some(Found { value: Vec::new(), line });
                    self.ports(line, content);
                }
            }
            _ => self.content(line, keyword, text.split('#').next().unwrap_or_default()),
        }
    }

    /// A line that starts with none of the keywords.
    fn content(&mut self, line: usize, first: &str, text: &str) {
        let looks_like_content = is_number(first) || tile_from_name(first).is_some() || port_from_name(first).is_some();
        let rows = self.hexes.as_ref().map_or(0, |hexes| hexes.value.len());
        let ports = self.ports.as_ref().map_or(0, |ports| ports.value.len());
        match self.section {
            Section::Hexes if rows < ROWS.len() || looks_like_content => self.row(line, text),
            Section::Ports if ports < PORTS || looks_like_content => self.ports(line, text),
            Section::Skipped if looks_like_content => {}
            _ => {
                let message = "is not a keyword, expected name, note, hexes or ports";
                self.faults.add(line, format!("'{}' {message}", excerpt(first)));
                self.section = Section::Skipped;
            }
        }
    }

    /// Hexes one after the other: a tile, and after it a number unless it is the desert.
    fn row(&mut self, line: usize, text: &str) {
        let mut hexes: Vec<Hex> = Vec::new();
        for word in text.split_whitespace() {
            if is_number(word) {
                let token = Token::read(word, line, &mut self.faults);
                match hexes.last_mut() {
                    Some(hex) if hex.token.value == Token::Missing => hex.token.value = token,
                    _ => self.faults.add(line, format!("token '{}' without a tile before it", excerpt(word))),
                }
            } else {
                let tile = tile_from_name(word);
                if tile.is_none() {
                    unknown_tile(word, line, &mut self.faults);
                }
                hexes.push(Hex { tile: Found { value: tile, line }, token: Found { value: Token::Missing, line } });
            }
        }
        if let Some(rows) = &mut self.hexes {
            rows.value.push(Row { line, hexes });
        }
    }

    fn ports(&mut self, line: usize, text: &str) {
        for word in text.split_whitespace() {
            let value = port_from_name(word);
            if value.is_none() {
                unknown_port(word, line, &mut self.faults);
            }
            if let Some(ports) = &mut self.ports {
                ports.value.push(Found { value, line });
            }
        }
    }

    /// Checks what can be checked only when everything is read. A map only if there was no fault.
    fn finish(&mut self, last: usize) -> Option<Map> {
        let board = match self.hexes.take() {
            Some(Found { value: rows, line }) => self.board(&rows, line),
            None => {
                self.faults.add(last, "hexes is missing, expected five rows of hexes below that word".into());
                None
            }
        };
        let ports = match self.ports.take() {
            Some(Found { value, line }) => stock::ports(&value, line, &mut self.faults),
            None => {
                self.faults.add(last, "ports is missing, expected nine ports after that word".into());
                None
            }
        };
        let (tiles, tokens) = board?;
        let words = |slot: &mut Option<Found<Option<String>>>| slot.take().and_then(|found| found.value);
        Some(Map { tiles, tokens, ports: ports?, name: words(&mut self.name), comment: words(&mut self.note) })
    }

    fn board(&mut self, rows: &[Row], line: usize) -> Option<Board> {
        let mut whole = rows.len() == ROWS.len();
        if !whole {
            let line = rows.get(ROWS.len()).map_or(line, |row| row.line);
            let (count, s) = (rows.len(), plural(rows.len()));
            self.faults.add(line, format!("hexes has {count} row{s}, expected five of 3, 4, 5, 4 and 3 hexes"));
        }
        for (index, (row, expected)) in rows.iter().zip(ROWS).enumerate() {
            let count = row.hexes.len();
            if count != expected {
                whole = false;
                let s = if count == 1 { "" } else { "es" };
                let message = format!("row {} of hexes has {count} hex{s}, expected {expected}", index + 1);
                self.faults.add(row.line, message);
            }
        }
        let hexes: Vec<Hex> = rows.iter().flat_map(|row| &row.hexes).copied().collect();
        stock::board(&hexes, whole, line, &mut self.faults).filter(|_| whole)
    }
}

fn again(faults: &mut Faults, keyword: &str, line: usize, first: usize) {
    faults.add(line, format!("{keyword} is given again, expected it once (it is on line {first})"));
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
}
