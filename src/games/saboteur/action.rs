//! What a player does in a turn.

use super::pieces::{Card, Tool};

/// What a player does: every turn uses exactly one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Lay a path card.
    Path {
        /// The card.
        card: Card,
        /// Whether it is laid with a half turn; never for a card that looks the same then.
        turned: bool,
        /// The column.
        x: i8,
        /// The row.
        y: i8,
    },
    /// Remove a path card from the table.
    RockFall {
        /// The column.
        x: i8,
        /// The row.
        y: i8,
    },
    /// Look at a goal that lies face down.
    Map {
        /// The goal, from the bottom.
        goal: u8,
    },
    /// Break a tool of another player.
    Break {
        /// The tool.
        tool: Tool,
        /// Whose it is.
        seat: u8,
    },
    /// Repair a tool of any player.
    Repair {
        /// The card.
        card: Card,
        /// The tool.
        tool: Tool,
        /// Whose it is.
        seat: u8,
    },
    /// Discard a card face down.
    Discard {
        /// The card.
        card: Card,
    },
}

impl Action {
    /// The card that it uses.
    #[must_use]
    pub const fn card(self) -> Card {
        match self {
            Self::Path { card, .. } | Self::Repair { card, .. } | Self::Discard { card } => card,
            Self::RockFall { .. } => Card::ROCK_FALL,
            Self::Map { .. } => Card::MAP,
            Self::Break { tool, .. } => Card::breaking(tool),
        }
    }
}

/// Why an action was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAction {
    /// Nothing can be done before the cards are dealt.
    #[error("the cards are not dealt yet")]
    NotDealt,
    /// The round has ended.
    #[error("the round is over")]
    RoundOver,
    /// The mover does not hold the card.
    #[error("the player has no such card")]
    NotInHand,
    /// The card cannot be used like this.
    #[error("this is not what the card is for")]
    WrongCard,
    /// A card that a half turn does not change is laid unturned.
    #[error("a half turn does not change the card")]
    NoTurn,
    /// A player with a broken tool lays no path.
    #[error("a tool of the player is broken")]
    BrokenTool,
    /// There is a card on the cell.
    #[error("the cell is occupied")]
    Occupied,
    /// No open path leads from the start into the cell.
    #[error("no open path leads into the cell")]
    Unreachable,
    /// A path would end at a wall.
    #[error("the card does not match its neighbours")]
    Edge,
    /// The cell is beyond the edges of the board.
    #[error("the cell is not on the board")]
    OffBoard,
    /// There is no path card to remove.
    #[error("there is no path card that could be removed")]
    NothingToRemove,
    /// The goal does not lie face down.
    #[error("there is no such goal face down")]
    NoHiddenGoal,
    /// There is no such player, or it is the mover.
    #[error("there is no such other player")]
    NoSuchPlayer,
    /// The tool is broken already.
    #[error("that tool is broken already")]
    BrokenAlready,
    /// The tool is not broken.
    #[error("that tool is not broken")]
    NotBroken,
}
