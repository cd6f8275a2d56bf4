//! A master's thesis on negotiation in Catan: its figures, and the same experiments here.
//!
//! Which trades to propose? The thesis estimates what a trade is worth to both sides by rules or by playouts, and tries
//! five functions of the two profits. It finds that the rules work, that 100 playouts do not, and that the sum of the
//! profits does best.
//!
//! - [`experiments`]: who plays whom in its figures 8 and 12 to 16.
//! - [`agreement`]: how often playouts choose what the rules choose (figures 9 to 11).
//! - [`quality`]: what the trades are worth that are chosen in different ways.
//! - [`variance`]: what common random numbers save.
//! - [`claims`]: what becomes of the thesis' claims.

pub mod agreement;
pub mod claims;
pub mod experiments;
pub mod quality;
pub mod variance;

use fairground_kernels::rng::absorb;

use crate::games::catan::Position;
use crate::games::catan::tables::SEATS;

/// A moment of a game in which trades can be proposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The game. Moments of one game have much in common.
    pub game: u64,
    /// The position.
    pub position: Position,
}

impl Moment {
    /// A number for the random numbers of its playouts: the same whichever moments are looked at beside it.
    fn key(&self) -> u64 {
        absorb(absorb(MOMENT, self.game), self.position.turn.into())
    }
}

/// Sets the keys of these playouts apart from those of games.
const MOMENT: u64 = 0x6e65_676f;

/// Figure 6: wins of four random players by seat.
pub const SEAT_WINS: [u64; SEATS] = [215, 315, 226, 244];

/// One row of figure 7: one tree search against three others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The search as `fairground match` reads it.
    pub player: &'static str,
    /// Its opponents.
    pub against: &'static str,
    /// Playouts of an action.
    pub playouts: u32,
    /// Wins by seat in percent, and their mean, if the thesis has them.
    pub thesis: Option<([f64; SEATS], f64)>,
}

impl Search {
    /// Whether it is a point of the curve over playouts.
    #[must_use]
    pub fn is_of_curve(&self) -> bool {
        self.against == RANDOM
    }

    const fn new(player: &'static str, playouts: u32, thesis: Option<([f64; SEATS], f64)>) -> Self {
        Self { player, against: RANDOM, playouts, thesis }
    }
}

const RANDOM: &str = "random";

const WITH_100: Option<([f64; SEATS], f64)> = Some(([41.5, 65.8, 55.7, 54.1], 54.2));

/// Figure 7. The thesis has 1,000 games from each seat, and nothing beyond 1,000 playouts. The last row has the constants
/// and the random players of SmartSettlers, on which the thesis builds.
pub const SEARCHES: [Search; 5] = [
    Search::new("uct:1", 1, Some(([10.8, 38.7, 33.9, 22.2], 26.4))),
    Search::new("uct:100", 100, WITH_100),
    Search::new("uct:1000", 1000, Some(([92.9, 98.6, 94.6, 94.4], 95.1))),
    Search::new("uct:10000", 10_000, None),
    Search { player: "uct:100,c=2,rollout=random-s", against: "random-s", playouts: 100, thesis: WITH_100 },
];

/// One tree search against three builders: playouts of an action, and the wins in percent of SmartSettlers against three
/// robots of JSettlers, as the thesis quotes them.
pub const AGAINST_BUILDERS: [(u32, f64); 2] = [(1000, 27.0), (10_000, 49.0)];

/// Games of the thesis from each seat.
pub const GAMES_FROM_SEAT: u64 = 1000;

/// Playouts of the thesis for every move that is no negotiation.
pub const MOVER_PLAYOUTS: u32 = 1000;

/// Seconds of a game in the thesis, by the playouts of every trade.
pub const SECONDS: [(u32, f64); 2] = [(100, 700.0), (1000, 6600.0)];
