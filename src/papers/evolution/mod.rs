//! A paper on evolving equitable maps of TUBSTAP by a genetic algorithm: what it says, and the same experiments here.
//!
//! The paper evolves maps of 6x6 cells with four units a side, judged by 100 games of one player against itself. It shows
//! curves of the largest, mean and smallest fitness by generation, and no tables: the largest fitness is 0 in most
//! generations, and where it is not, the next generation has lost it.
//!
//! - [`trial`]: runs of the method, and of another beside it.
//! - [`why`]: what the failure comes of.
//! - [`generation`]: how long a generation takes, and what racing saves.

pub mod generation;
pub mod trial;
pub mod why;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// MSSystem, with which most experiments were made.
    Mss,
    /// M-UCT; the paper does not say with how many simulations.
    Muct,
}

/// An experiment of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// What to call it.
    pub name: &'static str,
    /// Who plays on both sides.
    pub player: Player,
    /// Whether there are fighters and attackers.
    pub has_aircraft: bool,
    /// How often it was run.
    pub runs: u64,
    /// Generations after the first. Table 1 gives 20 for the first experiment; the text says 30, and the figure of the second
    /// shows a peak at generation 26. For the third 20 is taken.
    pub generations: u64,
    /// Between what the largest fitness lies where it stands out, as far as the paper says.
    pub peaks: Option<[f64; 2]>,
}

/// The three experiments.
pub const SETTINGS: [Setting; 3] = [
    Setting {
        name: "MSSystem, all kinds",
        player: Player::Mss,
        has_aircraft: true,
        runs: 2,
        generations: 20,
        peaks: None,
    },
    Setting {
        name: "MSSystem, no aircraft",
        player: Player::Mss,
        has_aircraft: false,
        runs: 3,
        generations: 30,
        peaks: Some([HIGH_PEAK, 1.0]),
    },
    Setting {
        name: "M-UCT, all kinds",
        player: Player::Muct,
        has_aircraft: true,
        runs: 2,
        generations: 20,
        peaks: Some([0.4, 0.6]),
    },
];

/// Maps of a generation.
pub const MAPS: usize = 100;

/// Games of a map.
pub const GAMES: u64 = 100;

/// Peaks above this are rare without aircraft, and there are none with them.
pub const HIGH_PEAK: f64 = 0.8;

/// What a generation takes with MSSystem, in seconds.
pub const SECONDS: f64 = 3600.0;

/// Maps that an elite would keep; the paper has none, its tournaments are of this size.
pub const ELITE: usize = 5;
