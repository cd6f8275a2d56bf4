//! Catan: the board and the numbers of the game, shared by every backend.

pub mod tables;

/// How the players of a playout choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// A uniform one of the distinct legal actions, to the end of the game.
    Random,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 1] = [Self::Random];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
        }
    }
}

/// Turns after which a playout is cut off, counted from its start. Part of the rules version.
pub const TURN_CAP: u32 = 1000;
