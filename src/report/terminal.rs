//! Maps as text.

use std::fmt::Write as _;

use super::summary;
use super::text::printable;
use crate::games::tubstap::{Cell, Kind, Map, MapUnit, Team, Terrain};

/// Columns a cell takes: terrain, kind, two digits of hit points, mark, space.
const CELL: usize = 6;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";

/// The sign of a terrain.
const fn sign(terrain: Terrain) -> char {
    match terrain {
        Terrain::NoEntry => '#',
        Terrain::Plain => '.',
        Terrain::Sea => '~',
        Terrain::Wood => '%',
        Terrain::Mountain => '^',
        Terrain::Road => '=',
        Terrain::Fortress => '+',
    }
}

/// The background of a terrain as a number of the 256-colour palette.
const fn background(terrain: Terrain) -> u8 {
    match terrain {
        Terrain::NoEntry => 236,
        Terrain::Plain => 150,
        Terrain::Sea => 117,
        Terrain::Wood => 71,
        Terrain::Mountain => 137,
        Terrain::Road => 187,
        Terrain::Fortress => 250,
    }
}

/// The foreground of a team's units, readable on every [`background`].
const fn foreground(team: Team) -> u8 {
    match team {
        Team::Red => 124,
        Team::Blue => 18,
    }
}

/// Draws a map with the coordinates of its file.
///
/// A cell shows its terrain, then its unit: kind, hit points, and `*` if it has acted. Red's letters are
/// upper case, Blue's lower case. With `colour` there are ANSI escape sequences for 256 colours.
///
/// ```
/// use fairground::games::tubstap::builtin;
/// let picture = fairground::report::terminal(&builtin::get("skirmish-5x5").unwrap(), false);
/// let lines: Vec<_> = picture.lines().collect();
/// assert_eq!(lines[2], "      1     2     3     4     5");
/// assert_eq!(lines[3], "  1   .     .P10  %     =     .");
/// assert_eq!(lines[7], "  5   .     =     %     .p10  .");
/// ```
#[must_use]
pub fn terminal(map: &Map, colour: bool) -> String {
    let mut picture = String::new();
    title(&mut picture, map, colour);
    grid(&mut picture, map, colour);
    legend(&mut picture, map, colour);
    picture
}

/// Draws the cells with their coordinates.
pub(super) fn grid(picture: &mut String, map: &Map, colour: bool) {
    picture.push_str("    ");
    for x in 1..=map.width {
        // Writing to a string cannot fail.
        let _ = write!(picture, "{x:>3}   ");
    }
    end_line(picture);
    for y in 0..map.height {
        let _ = write!(picture, "{:>3}   ", y + 1);
        if colour {
            // The colour starts where the sign does; the gap after a cell has its colour too.
            picture.pop();
        }
        for cell in (0..map.width).filter_map(|x| Cell::new(x, y)) {
            let unit = map.units.iter().find(|unit| unit.cell == cell);
            draw(picture, map.terrain_at(cell), unit, colour);
        }
        end_line(picture);
    }
}

/// What makes text bold, and what ends that.
pub(super) const fn bold(colour: bool) -> (&'static str, &'static str) {
    if colour { (BOLD, RESET) } else { ("", "") }
}

fn title(picture: &mut String, map: &Map, colour: bool) {
    let (bold, reset) = bold(colour);
    let _ = write!(picture, "{bold}{}{reset}", summary(map));
    if let Some(author) = map.author.as_deref().filter(|author| !author.is_empty()) {
        let _ = write!(picture, ", by {}", printable(author, 40));
    }
    picture.push('\n');
    if let Some(comment) = map.comment.as_deref().filter(|comment| !comment.is_empty()) {
        picture.push_str(&printable(comment, 200));
        picture.push('\n');
    }
}

/// Ends the line, without blanks before its end.
fn end_line(picture: &mut String) {
    picture.truncate(picture.trim_end_matches(' ').len());
    picture.push('\n');
}

fn draw(picture: &mut String, terrain: Terrain, unit: Option<&MapUnit>, colour: bool) {
    let mut text = unit.map_or_else(String::new, |unit| {
        let mark = if unit.acted { "*" } else { "" };
        format!("{}{}{mark}", letter(unit.kind, unit.team), unit.hp)
    });
    text.insert(0, sign(terrain));
    if colour {
        let dim = if terrain == Terrain::NoEntry { 244 } else { 239 };
        let _ = write!(picture, "\x1b[48;5;{};38;5;{dim}m {}", background(terrain), sign(terrain));
        if let Some(unit) = unit {
            let _ = write!(picture, "\x1b[1;38;5;{}m", foreground(unit.team));
        }
        let _ = write!(picture, "{:<width$}{RESET}", &text[1..], width = CELL - 2);
    } else {
        let _ = write!(picture, "{text:<CELL$}");
    }
}

/// Upper case for Red, lower case for Blue.
const fn letter(kind: Kind, team: Team) -> char {
    match team {
        Team::Red => kind.letter(),
        Team::Blue => kind.letter().to_ascii_lowercase(),
    }
}

/// Explains what can be seen.
fn legend(picture: &mut String, map: &Map, colour: bool) {
    let terrains = Terrain::ALL.into_iter().filter(|&terrain| map.cells().any(|cell| map.terrain_at(cell) == terrain));
    let signs: Vec<_> = terrains
        .map(|terrain| {
            let (sign, name) = (sign(terrain), terrain.name());
            if colour {
                format!("\x1b[48;5;{};38;5;16m {sign} {RESET} {name}", background(terrain))
            } else {
                format!("{sign} {name}")
            }
        })
        .collect();
    let _ = writeln!(picture, "\n{}", signs.join("  "));
    for (team, name) in [(Team::Red, "Red"), (Team::Blue, "Blue")] {
        let kinds = Kind::ALL.into_iter().filter(|&kind| map.side(team).any(|unit| unit.kind == kind));
        let kinds: Vec<_> = kinds.map(|kind| format!("{} {}", letter(kind, team), kind.name())).collect();
        let kinds = if kinds.is_empty() { "no units".to_owned() } else { kinds.join(", ") };
        let hp: u32 = map.side(team).map(|unit| u32::from(unit.hp)).sum();
        // Brighter than on the map: the terminal's own background is often dark.
        let (start, end) = match (colour, team) {
            (false, _) => ("", ""),
            (true, Team::Red) => ("\x1b[1;91m", RESET),
            (true, Team::Blue) => ("\x1b[1;94m", RESET),
        };
        let _ = writeln!(picture, "{start}{name}{end}: {kinds}; {hp} hit points");
    }
    if map.units.iter().any(|unit| unit.acted) {
        picture.push_str("* has acted and sits out its side's first phase\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tubstap::builtin;
    use crate::report::text::without_escapes;

    #[test]
    fn every_unit_of_every_map_is_drawn() {
        for map in builtin::maps() {
            let plain = terminal(&map, false);
            assert!(plain.is_ascii());
            for picture in [plain, without_escapes(&terminal(&map, true))] {
                for unit in &map.units {
                    let (x, y) = unit.cell.to_file();
                    let line = picture.lines().nth(2 + y).unwrap();
                    let shown =
                        format!("{}{}{}", sign(map.terrain_at(unit.cell)), letter(unit.kind, unit.team), unit.hp);
                    assert!(line[CELL * x..].starts_with(&shown), "{shown} at {x}: {line}");
                }
            }
        }
    }

    #[test]
    fn units_that_have_acted_are_marked() {
        let mut map = builtin::maps().remove(0);
        assert!(!terminal(&map, false).contains('*'));
        map.units[0].acted = true;
        assert!(terminal(&map, false).contains(".A10*"));
    }

    #[test]
    fn a_comment_cannot_steer_the_terminal() {
        let mut map = builtin::maps().remove(0);
        map.comment = Some("a\x1b[2Jb\u{9b}c\u{202e}d\x07".to_owned());
        map.author = Some("\r\n".to_owned());
        let picture = terminal(&map, false);
        assert!(picture.contains("a[2Jbcd\n"));
        assert!(picture.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
