//! A round of Saboteur as an SVG picture.

use std::fmt::Write as _;

use super::{Look, Scene};
use crate::games::saboteur::tables::{DOWN, LEFT, RIGHT, UP};
use crate::report::text::{escape, fit, printable};

/// A card's width and height, and the space between cards.
const CARD: (f64, f64) = (64.0, 92.0);
const GAP: f64 = 4.0;
/// Room around the board, and above it for the heading.
const MARGIN: f64 = 40.0;
const HEAD: f64 = 112.0;
/// The height of a player's line.
const LINE: f64 = 26.0;

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#2b2d33}\
.t{font-size:20px;font-weight:700}.s{font-size:14px;fill:#5b5e66}.c{font-size:12px;fill:#8f8a7d;text-anchor:middle}\
.p{font-size:14px;font-weight:600}.h{font-size:13px;fill:#5b5e66}\
.m{stroke:#d9b98a;stroke-width:20;stroke-linecap:butt;fill:none}.e{stroke:#6b4a2b;stroke-width:26;fill:none}";

/// Drawings that are used more than once, around the middle of a card.
const SYMBOLS: &str = r##"<rect id="card" x="-32" y="-46" width="64" height="92" rx="6"/>
<g id="rubble"><path d="M-15 9l4-17 10-7 12 4 6 12-5 12-15 4z" fill="#4d3621" stroke="#2f2013" stroke-width="1.500" stroke-linejoin="round"/><path d="M-8-7l7 6 9-6M-1-1l-2 12M-1-1l10 5" fill="none" stroke="#2f2013" stroke-width="1.500"/></g>
<g id="ladder" stroke="#5c3d1e" stroke-width="3" stroke-linecap="round"><path d="M-7-24V24M7-24V24M-7-18H7M-7-9H7M-7 0H7M-7 9H7M-7 18H7"/></g>
<g id="gold"><path d="M-15 8l3-13 10-8 11 3 7 10-4 11-15 3z" fill="#f6c544" stroke="#a87208" stroke-width="2" stroke-linejoin="round"/><path d="M-7-4l6-5 6 1M4 7l6-4" fill="none" stroke="#fff3c4" stroke-width="2.500" stroke-linecap="round"/></g>
<g id="stones" fill="#a3a7ad" stroke="#5e636b" stroke-width="1.500"><circle cx="-8" cy="6" r="9"/><circle cx="9" cy="7" r="7.500"/><circle cx="1" cy="-7" r="8.500"/></g>"##;

/// Draws a moment of a round: the cards on the table, goals face up or down, who holds what.
#[must_use]
pub fn svg(scene: &Scene<'_>) -> String {
    let [columns, rows] = scene.range();
    let (width, height) = (columns.clone().count() as f64, rows.clone().count() as f64);
    let step = (CARD.0 + GAP, CARD.1 + GAP);
    let board = (width * step.0 + GAP, height * step.1 + GAP);
    let players = scene.position.players() as f64;
    let size = ((2.0 * MARGIN + board.0).max(640.0), HEAD + MARGIN + board.1 + LINE * (players + 1.5) + MARGIN);
    let left = (size.0 - board.0) / 2.0;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n",
        size.0, size.1
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = picture.write_fmt(text);
        picture.push('\n');
    };
    let columns_of_text = (size.0 / 8.5) as usize;
    let texts = [("t", 40, scene.heading), ("s", 66, &scene.news()), ("s", 88, scene.note)];
    line(format_args!("<title>{}</title>", escape(&printable(scene.heading, 200))));
    line(format_args!("<defs><style>{STYLE}</style>\n{SYMBOLS}</defs>"));
    line(format_args!("<rect width=\"{}\" height=\"{}\" rx=\"12\" fill=\"#fbfaf7\"/>", size.0, size.1));
    for (class, y, text) in texts {
        let text = escape(&fit(text, columns_of_text));
        line(format_args!("<text class=\"{class}\" x=\"{MARGIN}\" y=\"{y}\">{text}</text>"));
    }
    line(format_args!(
        "<rect x=\"{left}\" y=\"{HEAD}\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#efe8d8\" stroke=\"#d5cbb4\"/>",
        board.0, board.1
    ));
    for (column, x) in columns.clone().enumerate() {
        let middle = left + GAP + column as f64 * step.0 + CARD.0 / 2.0;
        line(format_args!("<text class=\"c\" x=\"{middle}\" y=\"{}\">{x}</text>", HEAD + board.1 + 16.0));
    }
    for (row, y) in rows.rev().enumerate() {
        let middle = HEAD + GAP + row as f64 * step.1 + CARD.1 / 2.0;
        line(format_args!("<text class=\"c\" x=\"{}\" y=\"{}\">{y}</text>", left - 14.0, middle + 4.0));
        for (column, x) in columns.clone().enumerate() {
            let centre = left + GAP + column as f64 * step.0 + CARD.0 / 2.0;
            if let Some(card) = card(scene.look(x, y)) {
                line(format_args!("<g transform=\"translate({centre} {middle})\"><title>{x},{y}</title>{card}</g>"));
            } else {
                line(format_args!("<circle cx=\"{centre}\" cy=\"{middle}\" r=\"2.500\" fill=\"#d5cbb4\"/>"));
            }
        }
    }
    let mut y = HEAD + board.1 + MARGIN + LINE / 2.0;
    for (number, role, hand) in scene.players() {
        let fill = if role == "saboteur" { "#c0392b" } else { "#3c7d4b" };
        let text_x = MARGIN + 178.0;
        let hand = escape(&fit(&hand, columns_of_text.saturating_sub(26)));
        line(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"{fill}\"/><text class=\"p\" x=\"{}\" y=\"{y}\">player {number}, \
             {role}</text><text class=\"h\" x=\"{text_x}\" y=\"{y}\">{hand}</text>",
            MARGIN + 6.0,
            y - 5.0,
            MARGIN + 20.0
        ));
        y += LINE;
    }
    line(format_args!("<text class=\"h\" x=\"{}\" y=\"{y}\">{}</text>", MARGIN + 20.0, scene.cards_left()));
    picture + "</svg>\n"
}

/// A card around its middle; nothing for an empty cell.
fn card(look: Look) -> Option<String> {
    let face = |fill: &str, stroke: &str, width: f64| {
        format!("<use href=\"#card\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>")
    };
    Some(match look {
        Look::Empty => return None,
        Look::Start => face("#8a6a45", "#3c7d4b", 3.0) + &tunnels(15) + "<use href=\"#ladder\"/>",
        Look::Path { mask, is_blocked, is_new } => {
            let (stroke, width) = if is_new { ("#2e6fd0", 4.0) } else { ("#5a4128", 1.5) };
            let rubble = if is_blocked { "<use href=\"#rubble\"/>" } else { "" };
            face("#8a6a45", stroke, width) + &tunnels(mask) + rubble
        }
        Look::FaceDown { is_gold } => {
            let inside = format!("<g opacity=\".550\">{}</g>", treasure(is_gold));
            face("#4f5a68", "#323a45", 2.0)
                + "<rect x=\"-26\" y=\"-40\" width=\"52\" height=\"80\" rx=\"4\" fill=\"none\" stroke=\"#8793a3\" \
                   stroke-dasharray=\"3 4\"/>"
                + &inside
        }
        Look::FaceUp { mask, is_gold } => face("#8a6a45", "#c08a12", 3.0) + &tunnels(mask) + treasure(is_gold),
    })
}

const fn treasure(is_gold: bool) -> &'static str {
    if is_gold { "<use href=\"#gold\"/>" } else { "<use href=\"#stones\"/>" }
}

/// The paths of a card, from its sides to the middle.
fn tunnels(mask: u8) -> String {
    let ends = [(LEFT, "M-32 0H0"), (UP, "M0-46V0"), (RIGHT, "M32 0H0"), (DOWN, "M0 46V0")];
    let path: String = ends.into_iter().filter(|(side, _)| mask & side != 0).map(|(_, path)| path).collect();
    let middle = |radius: u8, fill: &str| format!("<circle r=\"{radius}\" fill=\"{fill}\"/>");
    format!(
        "<path class=\"e\" d=\"{path}\"/>{}<path class=\"m\" d=\"{path}\"/>{}",
        middle(13, "#6b4a2b"),
        middle(10, "#d9b98a")
    )
}
