//! The entries of a map file, from decoded text to a checked map.

use std::ops::RangeInclusive;

use fairground_kernels::tubstap::tables::{KIND_NAMES, MAX_HP, MAX_SIDE, MAX_UNITS, TERRAINS};

use super::{Fault, MAX_HP_THRESHOLD, MAX_TURN_LIMIT};
use crate::games::fault::{Faults, excerpt};
use crate::games::tubstap::board::Cell;
use crate::games::tubstap::map::{Map, MapUnit};
use crate::games::tubstap::pieces::{Kind, Team, Terrain};
use crate::games::tubstap::rules::can_enter;

/// An entry about the game that was played on the map.
pub(in crate::games::tubstap) struct GameEntry {
    /// The line it starts on.
    pub line: usize,
    /// Its tag.
    pub name: &'static str,
    /// What stands between the brackets; `None` if there is no second one.
    pub inside: Option<String>,
}

/// What a file says about a game.
pub(in crate::games::tubstap) struct GameText {
    /// The entries in their order.
    pub entries: Vec<GameEntry>,
    /// Where something that is missing should have been.
    pub last_line: usize,
}

/// Reads a map, the warnings about it, and what is said about a game, or finds all faults of the map.
///
/// `damaged` says whether bytes were replaced in decoding, which is tolerated in free text only.
pub(super) fn map(text: &str, damaged: bool) -> Result<(Map, Vec<Fault>, GameText), Vec<Fault>> {
    let text = Joined::new(text);
    let mut reader = Reader::new(&text, damaged);
    let mut start = 0;
    for piece in text.text.split(';') {
        reader.piece(start, piece);
        start += piece.len() + 1;
    }
    let map = reader.finish();
    let game = GameText { entries: reader.game, last_line: text.last_line() };
    match (map, reader.faults.finish("faults")) {
        (Some(map), faults) if faults.is_empty() => Ok((map, reader.warnings.finish("warnings"), game)),
        (_, faults) => Err(faults),
    }
}

/// A text without its line ends, which still knows its lines.
struct Joined {
    text: String,
    /// Where each line but the first starts in `text`.
    starts: Vec<usize>,
}

impl Joined {
    fn new(text: &str) -> Self {
        let mut joined = Self { text: String::with_capacity(text.len()), starts: Vec::new() };
        let mut rest = text;
        while let Some(end) = rest.find(['\r', '\n']) {
            joined.text.push_str(&rest[..end]);
            joined.starts.push(joined.text.len());
            rest = &rest[end..];
            rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
        }
        joined.text.push_str(rest);
        joined
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.starts.partition_point(|&start| start <= offset)
    }

    /// The line of the last character.
    fn last_line(&self) -> usize {
        self.line(self.text.len().saturating_sub(1))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Scalar(usize),
    Author,
    Comment,
    Unit,
    Row,
    /// Part of a game record, which a saved game appends to its map.
    Record,
}

const SIZE_X: usize = 0;
const SIZE_Y: usize = 1;
const TURN_LIMIT: usize = 2;
const HP_THRESHOLD: usize = 3;
const UNITS_RED: usize = 4;
const UNITS_BLUE: usize = 5;

/// All tags, scalars first. A tag stands before another one it ends with.
const TAGS: [(&str, Tag); 17] = [
    ("SIZEX", Tag::Scalar(SIZE_X)),
    ("SIZEY", Tag::Scalar(SIZE_Y)),
    ("TURNLIMIT", Tag::Scalar(TURN_LIMIT)),
    ("HPTHRESHOLD", Tag::Scalar(HP_THRESHOLD)),
    ("UNITNUMRED", Tag::Scalar(UNITS_RED)),
    ("UNITNUMBLUE", Tag::Scalar(UNITS_BLUE)),
    ("AUTHOR", Tag::Author),
    ("MAPCOM", Tag::Comment),
    ("UNIT", Tag::Unit),
    ("MAP", Tag::Row),
    ("PLAYEDDATE", Tag::Record),
    ("PLAYEDRULE", Tag::Record),
    ("PLAYERRED", Tag::Record),
    ("PLAYERBLUE", Tag::Record),
    ("TURNINFO", Tag::Record),
    ("ACTION", Tag::Record),
    ("COM", Tag::Record),
];

/// A value and the line it was found on.
#[derive(Clone, Copy)]
struct Found<T> {
    value: T,
    line: usize,
}

/// A UNIT entry; what could not be read has been reported.
#[derive(Clone, Copy)]
struct UnitEntry {
    line: usize,
    x: Option<Found<i32>>,
    y: Option<Found<i32>>,
    kind: Option<Kind>,
    team: Option<Team>,
    hp: Option<u8>,
    acted: Option<bool>,
}

/// A MAP entry; what could not be read has been reported.
struct Row {
    line: usize,
    /// `None` if the entry is so broken that its cells cannot be counted.
    cells: Option<Vec<Found<Option<Terrain>>>>,
}

struct Reader<'t> {
    text: &'t Joined,
    /// Whether bytes were replaced in decoding, which is tolerated in free text only.
    damaged: bool,
    faults: Faults,
    warnings: Faults,
    /// The outer `None`: not in the file. The inner `None`: there, but reported as faulty.
    scalars: [Option<Found<Option<i32>>>; 6],
    author: Option<String>,
    comment: Option<String>,
    units: Vec<UnitEntry>,
    rows: Vec<Row>,
    game: Vec<GameEntry>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t Joined, damaged: bool) -> Self {
        Self {
            text,
            damaged,
            faults: Faults::default(),
            warnings: Faults::default(),
            scalars: [None; 6],
            author: None,
            comment: None,
            units: Vec::new(),
            rows: Vec::new(),
            game: Vec::new(),
        }
    }

    /// Reads the entries of one piece, which starts at `start` and has no `;`.
    fn piece(&mut self, start: usize, piece: &str) {
        let mut seen = [false; TAGS.len()];
        // Everything before `done` is read; there is no entry between `done` and `from`.
        let (mut done, mut from) = (0, 0);
        while let Some(open) = piece[from..].find('[').map(|length| from + length) {
            let before = &piece[done..open];
            let line = self.text.line(start + open);
            let Some(index) = TAGS.iter().position(|(name, _)| before.ends_with(name)) else {
                let tag = TAGS.iter().find(|(name, _)| before.trim_end().ends_with(name));
                if let Some((name, Tag::Scalar(_) | Tag::Unit | Tag::Row)) = tag {
                    self.faults.add(line, format!("'[' must follow {name} directly, without space"));
                }
                from = open + 1;
                continue;
            };
            let (name, tag) = TAGS[index];
            self.stray(start + done, &before[..before.len() - name.len()]);
            let inside = open + 1;
            let close = piece[inside..].find(']').map(|length| inside + length);
            done = close.map_or(piece.len(), |close| close + 1);
            from = done;
            if seen[index] && tag != Tag::Record {
                self.faults
                    .add(line, format!("a second {name} without a ';' before it, expected ';' after each entry"));
            }
            seen[index] = true;
            self.entry(index, line, start + inside, &piece[inside..close.unwrap_or(piece.len())], close.is_some());
        }
        self.stray(start + done, &piece[done..]);
    }

    /// Reports text that belongs to no entry.
    fn stray(&mut self, start: usize, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let line = self.text.line(start + text.len() - text.trim_start().len());
        if self.damaged && text.contains(char::REPLACEMENT_CHARACTER) {
            self.faults.add(line, "bytes that are neither UTF-8 nor Shift-JIS outside AUTHOR and MAPCOM".into());
        } else {
            self.warnings.add(line, format!("'{}' belongs to no known tag and is ignored", excerpt(text.trim())));
        }
    }

    fn entry(&mut self, index: usize, line: usize, start: usize, inside: &str, closed: bool) {
        let (name, tag) = TAGS[index];
        let free_text = matches!(tag, Tag::Author | Tag::Comment);
        if !closed && free_text {
            self.warnings.add(line, format!("{name} is not closed by ']' and is cut at the next ';'"));
        } else if !closed && tag != Tag::Record {
            self.faults.add(line, format!("{name} is not closed, expected ']' before the next ';'"));
        }
        let readable = closed.then_some(inside);
        match tag {
            Tag::Scalar(index) => {
                let value =
                    readable.and_then(|text| self.number(start, text, name, i32::MIN..=i32::MAX, "a whole number"));
                self.again(name, line, self.scalars[index].is_some());
                self.scalars[index] = Some(Found { value: value.map(|found| found.value), line });
            }
            Tag::Author => {
                self.again(name, line, self.author.is_some());
                self.author = Some(inside.to_owned());
            }
            Tag::Comment => {
                self.again(name, line, self.comment.is_some());
                self.comment = Some(inside.to_owned());
            }
            Tag::Unit => {
                let unit = readable.and_then(|text| self.unit(line, start, text));
                let unreadable = UnitEntry { line, x: None, y: None, kind: None, team: None, hp: None, acted: None };
                self.units.push(unit.unwrap_or(unreadable));
            }
            Tag::Row => {
                let cells = readable.map(|text| self.row(start, text));
                self.rows.push(Row { line, cells });
            }
            Tag::Record => self.game.push(GameEntry { line, name, inside: readable.map(str::to_owned) }),
        }
    }

    fn again(&mut self, name: &str, line: usize, again: bool) {
        if again {
            self.warnings.add(line, format!("{name} is given again, the last one counts"));
        }
    }

    fn number(
        &mut self,
        start: usize,
        text: &str,
        what: &str,
        range: RangeInclusive<i32>,
        expected: &str,
    ) -> Option<Found<i32>> {
        let number = text.trim_matches(|c: char| c.is_ascii_whitespace());
        let line = self.text.line(start + text.len() - text.trim_ascii_start().len());
        match number.parse() {
            Ok(value) if range.contains(&value) => Some(Found { value, line }),
            _ => {
                self.faults.add(line, format!("{what} is '{}', expected {expected}", excerpt(number)));
                None
            }
        }
    }

    fn unit(&mut self, line: usize, start: usize, inside: &str) -> Option<UnitEntry> {
        let fields: Vec<_> = fields(start, inside).take(7).collect();
        let &[x, y, kind, team, hp, acted] = fields.as_slice() else {
            let count = inside.split(',').count();
            self.faults
                .add(line, format!("UNIT has {count} fields, expected 6: x, y, kind, team, hit points, has acted"));
            return None;
        };
        let any = i32::MIN..=i32::MAX;
        let x = self.number(x.0, x.1, "UNIT x", any.clone(), "a whole number");
        let y = self.number(y.0, y.1, "UNIT y", any.clone(), "a whole number");
        let known = Kind::from_name(kind.1);
        if known.is_none() {
            let names = KIND_NAMES.join(", ");
            let line = self.text.line(kind.0);
            self.faults.add(line, format!("UNIT kind is '{}', expected one of {names}", excerpt(kind.1)));
        }
        let team = self.number(team.0, team.1, "UNIT team", 0..=1, "0 (red) or 1 (blue)");
        let hp = self.number(hp.0, hp.1, "UNIT hit points", 1..=MAX_HP.into(), &format!("1 to {MAX_HP}"));
        let acted = self.number(acted.0, acted.1, "UNIT acted flag", any, "0 (can act) or 1 (has acted)");
        Some(UnitEntry {
            line,
            x,
            y,
            kind: known,
            team: team.and_then(|found| Team::from_index(usize::try_from(found.value).ok()?)),
            hp: hp.and_then(|found| u8::try_from(found.value).ok()),
            acted: acted.map(|found| found.value != 0),
        })
    }

    fn row(&mut self, start: usize, inside: &str) -> Vec<Found<Option<Terrain>>> {
        let row = self.rows.len() + 1;
        let last = TERRAINS as i32 - 1;
        let mut cells = Vec::new();
        for (column, (at, text)) in fields(start, inside).enumerate() {
            let what = format!("MAP row {row}, column {}", column + 1);
            let number = self.number(at, text, &what, 0..=last, &format!("a terrain from 0 to {last}"));
            let terrain = number.and_then(|found| Terrain::from_index(usize::try_from(found.value).ok()?));
            cells.push(Found { value: terrain, line: number.map_or(self.text.line(at), |found| found.line) });
        }
        cells
    }

    /// Checks what can be checked only when everything is read. A map only if there was no fault.
    fn finish(&mut self) -> Option<Map> {
        let largest = MAX_SIDE as i32 + 2;
        let of_size = |what| format!("3 to {largest} (at most {MAX_SIDE} playable {what} and the border)");
        let size_x = self.scalar(SIZE_X, 3..=largest, &of_size("columns"));
        let size_y = self.scalar(SIZE_Y, 3..=largest, &of_size("rows"));
        let turn_limit = self.scalar(TURN_LIMIT, 1..=MAX_TURN_LIMIT as i32, &format!("1 to {MAX_TURN_LIMIT} phases"));
        let hp_threshold =
            self.scalar(HP_THRESHOLD, 0..=MAX_HP_THRESHOLD as i32, &format!("0 to {MAX_HP_THRESHOLD} hit points"));
        let declared = [UNITS_RED, UNITS_BLUE].map(|index| self.scalar(index, 0..=i32::MAX, "a number of units"));
        self.check_counts(declared);
        let terrain = self.terrain(size_x, size_y);
        let units = self.place(size_x, size_y);
        let map = Map {
            width: size_x? - 2,
            height: size_y? - 2,
            terrain: terrain?,
            units: units?,
            turn_limit: turn_limit? as u32,
            hp_threshold: hp_threshold? as u32,
            author: self.author.take(),
            comment: self.comment.take(),
        };
        for (unit, entry) in map.units.iter().zip(&self.units) {
            let terrain = map.terrain_at(unit.cell);
            if !can_enter(unit.kind, terrain) {
                let (kind, terrain) = (unit.kind.name(), terrain.name());
                self.warnings.add(entry.line, format!("the {kind} stands on terrain it cannot enter: {terrain}"));
            }
        }
        Some(map)
    }

    fn scalar(&mut self, index: usize, range: RangeInclusive<i32>, expected: &str) -> Option<usize> {
        let name = TAGS[index].0;
        let Some(Found { value, line }) = self.scalars[index] else {
            self.faults.add(self.text.last_line(), format!("{name} is missing, expected {name}[number]"));
            return None;
        };
        let value = value?;
        if !range.contains(&value) {
            self.faults.add(line, format!("{name} is {value}, expected {expected}"));
            return None;
        }
        usize::try_from(value).ok()
    }

    fn check_counts(&mut self, declared: [Option<usize>; 2]) {
        let count = self.units.len();
        if let [Some(red), Some(blue)] = declared
            && let Some(unit) = self.units.get(red.saturating_add(blue))
        {
            let message = format!("there are {count} UNITs, expected at most UNITNUMRED {red} + UNITNUMBLUE {blue}");
            self.faults.add(unit.line, message);
        }
        for (team, name) in [(Team::Red, "red"), (Team::Blue, "blue")] {
            let mut side = self.units.iter().filter(|unit| unit.team == Some(team));
            if let Some(unit) = side.nth(MAX_UNITS) {
                let count = MAX_UNITS + 1 + side.count();
                self.faults.add(unit.line, format!("there are {count} {name} units, expected at most {MAX_UNITS}"));
            }
        }
    }

    fn terrain(&mut self, size_x: Option<usize>, size_y: Option<usize>) -> Option<[Terrain; 64]> {
        let mut terrain = [Terrain::NoEntry; 64];
        if let Some(size_y) = size_y
            && self.rows.len() != size_y
        {
            let line = self.rows.get(size_y).or(self.rows.last()).map_or(self.text.last_line(), |row| row.line);
            let count = self.rows.len();
            self.faults.add(line, format!("there are {count} MAP rows, expected {size_y} as SIZEY says"));
        }
        let (size_x, rows) = (size_x?, size_y.unwrap_or(self.rows.len()));
        for (y, row) in self.rows.iter().enumerate() {
            let Some(cells) = &row.cells else { continue };
            if cells.len() != size_x {
                let (number, count) = (y + 1, cells.len());
                let message = format!("MAP row {number} has {count} numbers, expected {size_x} as SIZEX says");
                self.faults.add(row.line, message);
                continue;
            }
            for (x, &Found { value, line }) in cells.iter().enumerate() {
                let Some(value) = value else { continue };
                let border = x == 0 || y == 0 || x + 1 == size_x || y + 1 == rows;
                if border && y < rows && value != Terrain::NoEntry {
                    let (row, column, value) = (y + 1, x + 1, value as u8);
                    let message = format!("MAP row {row}, column {column} is {value}, expected 0 on the border");
                    self.faults.add(line, message);
                } else if let Some(cell) = Cell::from_file(x, y) {
                    terrain[cell.index() as usize] = value;
                }
            }
        }
        Some(terrain)
    }

    fn place(&mut self, size_x: Option<usize>, size_y: Option<usize>) -> Option<Vec<MapUnit>> {
        let mut lines = [None; 64];
        let mut units = Vec::new();
        for entry in &self.units {
            let mut inside = |what: &str, found: Option<Found<i32>>, size: Option<usize>| {
                let Found { value, line } = found?;
                let last = size? - 2;
                let place = usize::try_from(value).ok().filter(|place| (1..=last).contains(place));
                if place.is_none() {
                    self.faults.add(line, format!("UNIT {what} is {value}, expected 1 to {last} (inside the border)"));
                }
                place
            };
            let (x, y) = (inside("x", entry.x, size_x), inside("y", entry.y, size_y));
            let Some(cell) = x.zip(y).and_then(|(x, y)| Cell::from_file(x, y)) else { continue };
            if let Some(line) = lines[cell.index() as usize].replace(entry.line) {
                let (x, y) = cell.to_file();
                let message = format!("UNIT stands at {x},{y} like the one of line {line}, expected one unit a cell");
                self.faults.add(entry.line, message);
            }
            let UnitEntry { kind: Some(kind), team: Some(team), hp: Some(hp), acted: Some(acted), .. } = *entry else {
                continue;
            };
            units.push(MapUnit { cell, kind, team, hp, acted });
        }
        (units.len() == self.units.len()).then_some(units)
    }
}

/// The comma-separated fields of a text and where they start.
fn fields(start: usize, inside: &str) -> impl Iterator<Item = (usize, &str)> {
    inside.split(',').scan(start, |at, field| {
        let here = *at;
        *at += field.len() + 1;
        Some((here, field))
    })
}
