//! Pictures of maps, for terminals and as SVG.

pub mod svg;
pub mod terminal;

pub use svg::svg;
pub use terminal::terminal;

use crate::games::tubstap::{Map, Team};

/// `6x6, limit 10, threshold 10, 4 against 4`.
fn summary(map: &Map) -> String {
    let [red, blue] = Team::ALL.map(|team| map.side(team).count());
    let Map { width, height, turn_limit, hp_threshold, .. } = map;
    format!("{width}x{height}, limit {turn_limit}, threshold {hp_threshold}, {red} against {blue}")
}

/// The first `length` characters of a text that may come from anywhere, without control characters:
/// they could steer a terminal and are not allowed in XML.
fn printable(text: &str, length: usize) -> String {
    let mut shown = String::new();
    let mut rest = text.chars().filter(|c| !is_control(*c));
    shown.extend(rest.by_ref().take(length));
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Control characters, those that change the direction of text, and what XML 1.0 forbids.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}
