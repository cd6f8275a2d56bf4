//! A master's thesis on negotiation in Catan: its figures, and the same experiments here.
//!
//! Which trades to propose? The thesis estimates what a trade is worth to both sides by rules or by playouts, and tries
//! five functions of the two profits. It finds that the rules work, that 100 playouts do not, and that the sum of the
//! profits does best.
//!
//! - [`experiments`]: who plays whom in its figures 8 and 12 to 16.
//! - [`agreement`]: how often playouts choose what the rules choose (figures 9 to 11).
//! - [`variance`]: what common random numbers save.
//! - [`claims`]: what becomes of the thesis' claims.

pub mod agreement;
pub mod claims;
pub mod experiments;
pub mod variance;

use crate::games::catan::tables::SEATS;

/// Figure 6: wins of four random players by seat.
pub const SEAT_WINS: [u64; SEATS] = [215, 315, 226, 244];

/// One row of figure 7: one tree search against three random players.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Playouts of an action.
    pub playouts: u32,
    /// Wins by seat in percent, and their mean, if the thesis has them.
    pub thesis: Option<([f64; SEATS], f64)>,
}

/// Figure 7. The thesis has 1,000 games from each seat, and nothing beyond 1,000 playouts.
pub const SEARCHES: [Search; 4] = [
    Search { playouts: 1, thesis: Some(([10.8, 38.7, 33.9, 22.2], 26.4)) },
    Search { playouts: 100, thesis: Some(([41.5, 65.8, 55.7, 54.1], 54.2)) },
    Search { playouts: 1000, thesis: Some(([92.9, 98.6, 94.6, 94.4], 95.1)) },
    Search { playouts: 10_000, thesis: None },
];

/// One tree search against three builders: playouts of an action, and the wins in percent of SmartSettlers against three
/// robots of JSettlers, as the thesis quotes them.
pub const AGAINST_BUILDERS: [(u32, f64); 2] = [(1000, 27.0), (10_000, 49.0)];

/// Games of the thesis from each seat.
pub const GAMES_FROM_SEAT: u64 = 1000;

/// Playouts of the thesis for every move that is no negotiation.
pub const MOVER_PLAYOUTS: u32 = 1000;
