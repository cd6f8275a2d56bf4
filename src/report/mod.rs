//! Pictures of maps, rounds and recorded games, for terminals and as SVG, and reports of evolutions, searches and learning.

pub mod catan;
pub mod chart;
pub mod evolution;
pub mod found;
pub mod histogram;
pub mod learned;
mod page;
pub mod replay;
pub mod saboteur;
pub mod svg;
pub mod terminal;
mod text;

pub use evolution::evolution;
pub use found::found;
pub use learned::learned;
pub use page::STYLE;
pub use replay::replay;
pub use svg::svg;
pub use terminal::terminal;
pub use text::escape;

use crate::games::tubstap::{Map, Team};

/// `6x6, limit 10, threshold 10, 4 against 4`.
fn summary(map: &Map) -> String {
    let [red, blue] = Team::ALL.map(|team| map.side(team).count());
    let Map { width, height, turn_limit, hp_threshold, .. } = map;
    format!("{width}x{height}, limit {turn_limit}, threshold {hp_threshold}, {red} against {blue}")
}
