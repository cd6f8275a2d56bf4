//! Catan's maps as text.

use std::fmt::Write as _;

use super::{Pier, centre, is_red, piers, pips, ratio, yield_of};
use crate::games::catan::file::{port_name, tile_name};
use crate::games::catan::tables::{EDGE_NODES, NODE_COORDINATES};
use crate::games::catan::{Map, Resource};
use crate::report::text::{printable, words};

const RESET: &str = "\x1b[0m";

/// Columns and lines the picture takes, and where its middle is: room for ports on all sides.
const WIDTH: usize = 75;
const HEIGHT: usize = 24;
const MIDDLE: i32 = 37;
const TOP: i32 = 1;

/// The background of a tile as a number of the 256-colour palette.
const fn background(tile: Option<Resource>) -> u8 {
    match tile {
        Some(Resource::Wood) => 71,
        Some(Resource::Brick) => 173,
        Some(Resource::Sheep) => 156,
        Some(Resource::Wheat) => 221,
        Some(Resource::Ore) => 250,
        None => 187,
    }
}

/// Foregrounds: what is written on tiles, red numbers, the board's lines, ports.
const INK: &str = "38;5;16";
const RED: &str = "1;38;5;124";
const LINE: &str = "38;5;244";
const PORT: &str = "1;38;5;39";

/// A character and how it looks in colour.
#[derive(Clone, Copy)]
struct Spot {
    sign: char,
    foreground: &'static str,
    background: Option<u8>,
}

struct Canvas {
    spots: Vec<[Spot; WIDTH]>,
}

impl Canvas {
    fn new() -> Self {
        Self { spots: vec![[Spot { sign: ' ', foreground: "", background: None }; WIDTH]; HEIGHT] }
    }

    fn at(&mut self, column: i32, row: i32) -> Option<&mut Spot> {
        self.spots.get_mut(usize::try_from(row).ok()?)?.get_mut(usize::try_from(column).ok()?)
    }

    fn put(&mut self, column: i32, row: i32, text: &str, foreground: &'static str) {
        for (sign, column) in text.chars().zip(column..) {
            if let Some(spot) = self.at(column, row) {
                (spot.sign, spot.foreground) = (sign, foreground);
            }
        }
    }

    fn put_centred(&mut self, column: i32, row: i32, text: &str, foreground: &'static str) {
        self.put(column - text.len() as i32 / 2, row, text, foreground);
    }

    fn write(&self, picture: &mut String, colour: bool) {
        for row in &self.spots {
            let mut line = String::new();
            let mut look = ("", None);
            for spot in row {
                if colour && (spot.foreground, spot.background) != look {
                    look = (spot.foreground, spot.background);
                    line.push_str(RESET);
                    let background = spot.background.map(|number| format!("48;5;{number}"));
                    let codes: Vec<_> =
                        background.as_deref().into_iter().chain([spot.foreground]).filter(|c| !c.is_empty()).collect();
                    if !codes.is_empty() {
                        // Writing to a string cannot fail.
                        let _ = write!(line, "\x1b[{}m", codes.join(";"));
                    }
                }
                line.push(spot.sign);
            }
            if colour && look != ("", None) {
                line.push_str(RESET);
            }
            picture.push_str(line.trim_end());
            picture.push('\n');
        }
    }
}

/// Where a node is on the canvas. Two rows of nodes and the two lines of a hex's text take turns.
fn place((x, y): (i8, i8)) -> (i32, i32) {
    let down = i32::from(y) + 8;
    (MIDDLE + 5 * i32::from(x), TOP + 4 * (down / 3) + down % 3)
}

/// Draws a map as the board lies: each hex with its resource, number and the dots of the number.
///
/// Ports stand beside the side of the coast they lie at, whose two nodes are marked `o`. With `colour` there are
/// ANSI escape sequences for 256 colours.
///
/// ```
/// use fairground::games::catan::builtin;
/// let picture = fairground::report::catan::terminal(&builtin::get("beginner").unwrap(), false);
/// assert!(picture.contains("|   ore   |  sheep  |  wood   |"));
/// assert!(picture.contains("| 10 ***  |   2 *   | 9 ****  |"));
/// ```
#[must_use]
pub fn terminal(map: &Map, colour: bool) -> String {
    let mut canvas = Canvas::new();
    for (hex, (&tile, &token)) in map.tiles.iter().zip(&map.tokens).enumerate() {
        draw_hex(&mut canvas, hex, tile, token);
    }
    for ends in EDGE_NODES {
        draw_edge(&mut canvas, ends.map(|node| place(NODE_COORDINATES[node as usize])));
    }
    for (pier, &port) in piers().zip(&map.ports) {
        draw_port(&mut canvas, &pier, &format!("{} {}", port_name(port), ratio(port)));
    }
    let mut picture = String::new();
    if let Some(name) = words(&map.name) {
        let (bold, reset) = if colour { ("\x1b[1m", RESET) } else { ("", "") };
        let _ = writeln!(picture, "{bold}{}{reset}", printable(name, 70));
    }
    if let Some(note) = words(&map.comment) {
        let _ = writeln!(picture, "{}", printable(note, 200));
    }
    canvas.write(&mut picture, colour);
    let yields = Resource::ALL.map(|resource| format!("{} {}", resource.name(), yield_of(map, resource)));
    let _ = writeln!(picture, "dots by resource (rolls of 36): {}", yields.join(", "));
    picture
}

fn draw_hex(canvas: &mut Canvas, hex: usize, tile: Option<Resource>, token: u8) {
    let (x, y) = centre(hex);
    let (column, top) = place((x, y - 2));
    for (row, half) in [(1, 2), (2, 4), (3, 4), (4, 2)] {
        for column in column - half..=column + half {
            if let Some(spot) = canvas.at(column, top + row) {
                spot.background = Some(background(tile));
            }
        }
    }
    canvas.put_centred(column, top + 2, tile_name(tile), INK);
    if tile.is_some() {
        let dots = "*".repeat(pips(token).into());
        canvas.put_centred(column, top + 3, &format!("{token} {dots}"), if is_red(token) { RED } else { INK });
    } else {
        canvas.put_centred(column, top + 3, "robber", INK);
    }
}

fn draw_edge(canvas: &mut Canvas, [(column, row), (to_column, to_row)]: [(i32, i32); 2]) {
    if column == to_column {
        for row in row + 1..to_row {
            canvas.put(column, row, "|", LINE);
        }
        return;
    }
    // The first end is the upper one.
    let side = (to_column - column).signum();
    for (step, down, sign) in [(0, 0, "'"), (1, 0, "-"), (2, 0, "."), (3, 1, "'"), (4, 1, "-"), (5, 1, ".")] {
        canvas.put(column + side * step, row + down, sign, LINE);
    }
}

fn draw_port(canvas: &mut Canvas, pier: &Pier, label: &str) {
    let ((x, y), nodes) = (centre(pier.hex), pier.nodes.map(place));
    for (column, row) in nodes {
        canvas.put(column, row, "o", PORT);
    }
    let length = label.len() as i32;
    let [(_, upper), (_, lower)] = pier.nodes;
    let to_east = pier.nodes.iter().map(|node| node.0 - x).sum::<i8>() > 0;
    // The end of the side that is farther from the hex's middle line, above or below it.
    let (column, row, gap) = if lower - upper == 2 {
        (nodes[0].0, nodes[0].1 + 1, 2)
    } else if upper < y {
        let outside = y == -6;
        (nodes[0].0, nodes[0].1 - i32::from(outside), if outside { 1 } else { 4 })
    } else {
        let outside = y == 6;
        (nodes[1].0, nodes[1].1 + i32::from(outside), if outside { 1 } else { 4 })
    };
    let start = if to_east { column + gap } else { column - gap - length + 1 };
    canvas.put(start, row, label, PORT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::report::text::without_escapes;

    #[test]
    fn every_hex_and_port_of_every_map_is_drawn() {
        for map in builtin::maps() {
            let plain = terminal(&map, false);
            assert!(plain.is_ascii());
            for picture in [plain, without_escapes(&terminal(&map, true))] {
                let board: Vec<_> = picture.lines().skip(2).take(HEIGHT).collect();
                assert_eq!(board.concat().matches('o').count(), 18 + letters_o(&map));
                assert_eq!(board.concat().matches("3:1").count(), 4);
                for (hex, &token) in map.tokens.iter().enumerate() {
                    let (x, y) = centre(hex);
                    let (column, row) = place((x, y - 2));
                    let inside = |line: i32| &board[(row + line) as usize][column as usize - 4..=column as usize + 4];
                    assert_eq!(inside(2).trim(), tile_name(map.tiles[hex]));
                    let dots = "*".repeat(pips(token).into());
                    let shown = if token == 0 { "robber".to_owned() } else { format!("{token} {dots}") };
                    assert_eq!(inside(3).trim(), shown);
                }
            }
        }
    }

    /// How often the letter stands in the words of the board.
    fn letters_o(map: &Map) -> usize {
        let tiles = map.tiles.map(tile_name).concat();
        let ports = map.ports.map(port_name).concat();
        (tiles + &ports + "robber").matches('o').count()
    }

    #[test]
    fn a_note_cannot_steer_the_terminal() {
        let mut map = builtin::maps().remove(0);
        map.comment = Some("a\x1b[2Jb\u{9b}c\u{202e}d\x07".to_owned());
        map.name = Some("\r\n".to_owned());
        let picture = terminal(&map, false);
        assert!(picture.starts_with("a[2Jbcd\n"));
        assert!(picture.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
