//! Pictures of maps, rounds and recorded games, for terminals and as SVG, and the report of an evolution.

pub mod catan;
pub mod chart;
pub mod evolution;
pub mod replay;
pub mod saboteur;
pub mod svg;
pub mod terminal;
mod text;

pub use evolution::evolution;
pub use replay::replay;
pub use svg::svg;
pub use terminal::terminal;
pub use text::escape;

/// How pages look.
pub const STYLE: &str = "body{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#2b2d33;\
background:#fff;max-width:70rem;margin:2rem auto;padding:0 1rem;line-height:1.45}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem}\
table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid #e3e2dd}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
figure{display:inline-block;margin:0 1.2rem 1.6rem 0;vertical-align:top}figcaption{font-size:.9rem;color:#6a6d76}\
img,svg{max-width:100%;height:auto}.wide{overflow-x:auto}";

use crate::games::tubstap::{Map, Team};

/// `6x6, limit 10, threshold 10, 4 against 4`.
fn summary(map: &Map) -> String {
    let [red, blue] = Team::ALL.map(|team| map.side(team).count());
    let Map { width, height, turn_limit, hp_threshold, .. } = map;
    format!("{width}x{height}, limit {turn_limit}, threshold {hp_threshold}, {red} against {blue}")
}
