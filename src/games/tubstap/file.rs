//! Map files (`.tbsmap`): a strict reader that reports every fault at once, and a writer.
//!
//! ```text
//! SIZEX[6];SIZEY[5];TURNLIMIT[10];HPTHRESHOLD[10];     size with the border, phases, threshold
//! UNITNUMRED[1];UNITNUMBLUE[1];AUTHOR[us];MAPCOM[tiny];
//! UNIT[1,1,panzer,0,10,0];                             x, y, kind, team, hit points, has acted
//! UNIT[4,2,infantry,1,9,0];
//! MAP[0,0,0,0,0,0];                                    one per row, the border is terrain 0
//! ...
//! ```
//!
//! Line ends mean nothing: the lines are joined and split at `;`, and in each piece an entry is
//! `TAG[`, text up to the next `]`. Files are UTF-8 or Shift-JIS.

use std::fmt::Write as _;
use std::path::Path;

use encoding_rs::SHIFT_JIS;

use super::board::Cell;
use super::map::Map;
use super::pieces::{Team, Terrain};
use crate::games::fault;

mod reader;

pub(super) use reader::{GameEntry, GameText};

pub use crate::games::fault::{Fault, MAX_BYTES, MAX_FAULTS, ReadError, ReadErrorKind};

/// The largest TURNLIMIT.
pub const MAX_TURN_LIMIT: u32 = 1_000_000;
/// The largest HPTHRESHOLD.
pub const MAX_HP_THRESHOLD: u32 = 1_000_000;
/// How the text of a file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark; ASCII is this too.
    Utf8,
    /// UTF-8 that starts with a byte order mark.
    Utf8Bom,
    /// Shift-JIS, as the original program writes.
    ShiftJis,
}

/// A file that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The map.
    pub map: Map,
    /// What looks wrong but does not keep the map from being played, by line.
    pub warnings: Vec<Fault>,
    /// The encoding the file turned out to have.
    pub encoding: Encoding,
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
/// use fairground::games::tubstap::file;
/// let faults = file::parse(b"SIZEX[6];\nSIZEY[five];").unwrap_err();
/// assert_eq!(faults[0].to_string(), "line 2: SIZEY is 'five', expected a whole number");
/// ```
///
/// # Errors
/// Every fault in the file, by line; at most [`MAX_FAULTS`] are listed.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Vec<Fault>> {
    parse_with_game(bytes).map(|(parsed, _)| parsed)
}

/// Reads a map and what the file says about a game on it.
pub(super) fn parse_with_game(bytes: &[u8]) -> Result<(Parsed, GameText), Vec<Fault>> {
    let refuse = |message: String| Err(vec![Fault { line: 1, message }]);
    if bytes.len() > MAX_BYTES {
        return refuse(format!("the file is too large, expected at most {MAX_BYTES} bytes"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return refuse("the file is UTF-16, expected UTF-8 or Shift-JIS".into());
    }
    let (encoding, decoded, damaged) = if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        (Encoding::Utf8Bom, String::from_utf8_lossy(rest), str::from_utf8(rest).is_err())
    } else if let Ok(text) = str::from_utf8(bytes) {
        (Encoding::Utf8, text.into(), false)
    } else {
        // Decoding comes before splitting: `[`, `]` and `\` can be the second byte of a character.
        let (text, damaged) = SHIFT_JIS.decode_without_bom_handling(bytes);
        (Encoding::ShiftJis, text, damaged)
    };
    let (map, warnings, game) = reader::map(&decoded, damaged)?;
    Ok((Parsed { map, warnings, encoding }, game))
}

/// Writes a map as the text of a file, which [`parse`] reads back as an equal map.
///
/// Author and comment cannot hold everything a file could mistake for its own signs: there `]` is
/// written as `)`, `;` as `,`, and each line end as a space. No file that was read contains these. The
/// map must keep the limits its fields are documented with.
#[must_use]
pub fn write(map: &Map) -> String {
    let mut text = String::new();
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = text.write_fmt(arguments);
        text.push_str(";\n");
    };
    line(format_args!("SIZEX[{}];SIZEY[{}]", map.width + 2, map.height + 2));
    line(format_args!("TURNLIMIT[{}];HPTHRESHOLD[{}]", map.turn_limit, map.hp_threshold));
    let [red, blue] = Team::ALL.map(|team| map.side(team).count());
    line(format_args!("UNITNUMRED[{red}];UNITNUMBLUE[{blue}]"));
    for (tag, words) in [("AUTHOR", &map.author), ("MAPCOM", &map.comment)] {
        if let Some(words) = words {
            line(format_args!("{tag}[{}]", harmless(words)));
        }
    }
    for unit in &map.units {
        let (x, y) = unit.cell.to_file();
        let (kind, team, hp, acted) = (unit.kind.name(), unit.team.index(), unit.hp, u8::from(unit.acted));
        line(format_args!("UNIT[{x},{y},{kind},{team},{hp},{acted}]"));
    }
    for y in 0..map.height + 2 {
        let terrain = |x| Cell::from_file(x, y).map_or(Terrain::NoEntry, |cell| map.terrain_at(cell)) as u8;
        let row: Vec<_> = (0..map.width + 2).map(|x| terrain(x).to_string()).collect();
        line(format_args!("MAP[{}]", row.join(",")));
    }
    text
}

/// Words that a file cannot mistake for its own signs; see [`write`](fn@write).
pub(super) fn harmless(words: &str) -> String {
    let replace = |c| match c {
        ']' => ')',
        ';' => ',',
        '\r' | '\n' => ' ',
        other => other,
    };
    words.chars().map(replace).collect()
}

/// Writes a map as the bytes of a file; see [`write`](fn@write).
///
/// Characters that Shift-JIS does not have become `?`. In the rare case that the Shift-JIS bytes would
/// be read as UTF-8, the file is written as UTF-8 instead.
#[must_use]
pub fn write_encoded(map: &Map, encoding: Encoding) -> Vec<u8> {
    let text = write(map);
    match encoding {
        Encoding::Utf8 => text.into_bytes(),
        Encoding::Utf8Bom => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        Encoding::ShiftJis => {
            let has = |c: char| !SHIFT_JIS.encode(c.encode_utf8(&mut [0; 4])).2;
            let known: String = text.chars().map(|c| if has(c) { c } else { '?' }).collect();
            let bytes = SHIFT_JIS.encode(&known).0.into_owned();
            if str::from_utf8(&bytes).is_ok() { text.into_bytes() } else { bytes }
        }
    }
}
