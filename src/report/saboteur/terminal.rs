//! A round of Saboteur as text.

use std::fmt::Write as _;

use super::{Look, Scene};
use crate::games::saboteur::Winner;
use crate::games::saboteur::tables::{DOWN, LEFT, RIGHT, UP};
use crate::report::text::printable;

const RESET: &str = "\x1b[0m";

/// How things look in colour.
const DIM: &str = "38;5;240";
const CARD: &str = "38;5;180;48;5;236";
const NEW: &str = "1;38;5;231;48;5;60";
const BLOCKED: &str = "38;5;167;48;5;236";
const START: &str = "1;38;5;114;48;5;236";
const GOLD: &str = "1;38;5;220;48;5;236";
const STONE: &str = "38;5;250;48;5;236";
const FACE_DOWN: &str = "38;5;179;48;5;94";
const SABOTEUR: &str = "38;5;167";

/// Paths that meet in the middle of a card, by its openings.
const CENTRES: [char; 16] = ['·', '╸', '╹', '┛', '╺', '━', '┗', '┻', '╻', '┓', '┃', '┫', '┏', '┳', '┣', '╋'];

/// Draws a moment of a round: every cell is five columns wide and three lines high.
///
/// ```text
/// ┌─┃─┐  openings     ┌─┃─┐  a blocked    ╔═══╗  a goal face down,
/// ━━┛ │  left and     ━ × ━  centre       ║?◆?║  here with the gold
/// └───┘  up           └─┃─┘               ╚═══╝
/// ```
///
/// With `colour` there are ANSI escape sequences for 256 colours.
#[must_use]
pub fn terminal(scene: &Scene<'_>, colour: bool) -> String {
    let paint = |text: &str, look: &str| {
        if colour && !text.trim().is_empty() { format!("\x1b[{look}m{text}{RESET}") } else { text.to_owned() }
    };
    let [columns, rows] = scene.range();
    let mut picture =
        format!("{}, {}\n{}\n\n", printable(scene.heading, 200), printable(scene.note, 1000), scene.news());
    let mut numbers = String::from("    ");
    columns.clone().for_each(|x| numbers += &format!("{x:^5}"));
    let _ = writeln!(picture, "{}", paint(numbers.trim_end(), DIM));
    for y in rows.rev() {
        for line in 0..3 {
            let number = if line == 1 { format!("{y:>3} ") } else { "    ".into() };
            let mut text = paint(&number, DIM);
            for x in columns.clone() {
                let (lines, look) = cell(scene.look(x, y));
                text += &paint(&lines[line], look);
            }
            picture.push_str(text.trim_end());
            picture.push('\n');
        }
    }
    let _ = writeln!(picture, "\nS start  × blocked  ? face down  ◆ gold  ● stones\n");
    for (number, role, hand) in scene.players() {
        let is_saboteur = role == "saboteur";
        let role = paint(&format!("player {number}  {role:<9}"), if is_saboteur { SABOTEUR } else { "0" });
        let _ = writeln!(picture, "{}", format!("{role} {hand}").trim_end());
    }
    let winner = match scene.position.winner {
        None => "",
        Some(Winner::Diggers) => "; the gold is reached",
        Some(_) => "; the gold was not reached",
    };
    let _ = writeln!(picture, "{}{winner}", scene.cards_left());
    picture
}

/// The lines of a cell and their colours.
fn cell(look: Look) -> ([String; 3], &'static str) {
    match look {
        Look::Empty => (["     ".into(), "  ·  ".into(), "     ".into()], DIM),
        Look::Start => (card(15, 'S', true, SINGLE), START),
        Look::Path { mask, is_blocked: true, is_new } => {
            (card(mask, '×', false, SINGLE), if is_new { NEW } else { BLOCKED })
        }
        Look::Path { mask, is_new, .. } => {
            let centre = CENTRES[usize::from(mask) % CENTRES.len()];
            (card(mask, centre, true, SINGLE), if is_new { NEW } else { CARD })
        }
        Look::FaceDown { is_gold } => {
            let sign = sign(is_gold);
            (["╔═══╗".into(), format!("║?{sign}?║"), "╚═══╝".into()], FACE_DOWN)
        }
        Look::FaceUp { mask, is_gold } => (card(mask, sign(is_gold), true, DOUBLE), if is_gold { GOLD } else { STONE }),
    }
}

const fn sign(is_gold: bool) -> char {
    if is_gold { '◆' } else { '●' }
}

/// Corners, from the top left by lines, and walls, horizontal and vertical.
const SINGLE: [char; 6] = ['┌', '┐', '└', '┘', '─', '│'];
const DOUBLE: [char; 6] = ['╔', '╗', '╚', '╝', '═', '║'];

/// A card with these openings. If a path passes it, it leads to the centre.
fn card(mask: u8, centre: char, is_passable: bool, frame: [char; 6]) -> [String; 3] {
    let [top_left, top_right, bottom_left, bottom_right, flat, upright] = frame;
    let side = |of: u8, path: char, wall: char| if mask & of != 0 { path } else { wall };
    let inner = |of: u8| if is_passable { side(of, '━', ' ') } else { ' ' };
    let (up, down) = (side(UP, '┃', flat), side(DOWN, '┃', flat));
    let (left, right) = (side(LEFT, '━', upright), side(RIGHT, '━', upright));
    [
        format!("{top_left}{flat}{up}{flat}{top_right}"),
        format!("{left}{}{centre}{}{right}", inner(LEFT), inner(RIGHT)),
        format!("{bottom_left}{flat}{down}{flat}{bottom_right}"),
    ]
}
