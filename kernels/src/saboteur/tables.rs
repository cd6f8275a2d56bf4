//! The cards, the table of players, the gold, and how the board maps to words.
//!
//! This is the only place they are written down; rules engine, kernel, shader and tests take them from here.
//!
//! ```text
//! cells     (x, y), x to the right, y upwards; the start is (0, 0), the goals are (8, -2), (8, 0), (8, 2) in this order
//! sides     of a card:  bit 0 left   bit 1 up   bit 2 right   bit 3 down;  a half turn swaps 0 with 2 and 1 with 3
//! rows      a set of cells is one word for each y, and x is bit x + 22: the neighbour above or below is the next word,
//!           the neighbour to the right or left a shift by one, and no bit ever wraps into another row
//! ```
//!
//! The edges of a board are part of its position ([`Extent`]): nothing is laid beyond them, and the widest is never felt.

/// Bit of the left side.
pub const LEFT: u8 = 1;
/// Bit of the upper side.
pub const UP: u8 = 2;
/// Bit of the right side.
pub const RIGHT: u8 = 4;
/// Bit of the lower side.
pub const DOWN: u8 = 8;
/// Number of sides of a card; side `i` is bit `1 << i`, the opposite side is `i ^ 2`.
pub const SIDES: usize = 4;

/// The openings of a card after a half turn.
#[inline]
#[must_use]
pub const fn half_turn(mask: u8) -> u8 {
    (mask & 3) << 2 | mask >> 2 & 3
}

/// The openings that fit between given edges, as a set of the sixteen there are: the sides where neighbours are open
/// are the low four bits of an index, those where they have walls the high four.
pub static FITS: [u16; 256] = {
    let mut fits = [0; 256];
    let mut edges = 0;
    while edges < 256 {
        let (open, wall) = (edges & 15, edges >> 4);
        let mut mask = 0;
        while mask < 16 {
            if mask & open == open && mask & wall == 0 {
                fits[edges] |= 1 << mask;
            }
            mask += 1;
        }
        edges += 1;
    }
    fits
};

/// Number of kinds of path cards: seven that a path passes, then nine with a blocked centre.
pub const PATH_KINDS: usize = 16;
/// The first kind with a blocked centre.
pub const FIRST_BLOCKED: usize = 7;
/// Number of kinds of cards: path cards, rock-fall, map, three that break and six that repair.
pub const KINDS: usize = 27;

/// Names of the kinds of cards: a crossing, T with a vertical and with a horizontal bar, corners, straights, the same
/// blocked, dead ends, and actions.
pub const CARD_NAMES: [&str; KINDS] = [
    "x",
    "tv",
    "th",
    "clu",
    "cld",
    "h",
    "v",
    "bx",
    "btv",
    "bth",
    "bclu",
    "bcld",
    "bh",
    "bv",
    "bl",
    "bu",
    "rock-fall",
    "map",
    "break lamp",
    "break pick",
    "break cart",
    "repair lamp",
    "repair pick",
    "repair cart",
    "repair lamp or pick",
    "repair lamp or cart",
    "repair pick or cart",
];
/// The crossing.
pub const CROSSING: usize = 0;
/// The T with a vertical bar.
pub const T_VERTICAL: usize = 1;
/// The T with a horizontal bar.
pub const T_HORIZONTAL: usize = 2;
/// The corner of left and up.
pub const CORNER_UP: usize = 3;
/// The corner of left and down.
pub const CORNER_DOWN: usize = 4;
/// The horizontal straight.
pub const HORIZONTAL: usize = 5;
/// The vertical straight.
pub const VERTICAL: usize = 6;
/// The rock-fall.
pub const ROCK_FALL: usize = 16;
/// The map.
pub const MAP: usize = 17;
/// The first card that breaks a tool; the tool's number is added.
pub const BREAK: usize = 18;
/// The first card that repairs; see [`REPAIRS`].
pub const REPAIR: usize = 21;

/// The openings of each kind of path card, unturned.
pub const MASKS: [u8; PATH_KINDS] = [15, 11, 7, 3, 9, 5, 10, 15, 11, 7, 3, 9, 5, 10, 1, 2];
/// Cards of each kind in the full deck.
pub const COUNTS: [u8; KINDS] = [5, 5, 5, 4, 5, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 6, 3, 3, 3, 2, 2, 2, 1, 1, 1];
/// Path cards in the full deck.
pub const PATH_CARDS: usize = 40;
/// Action cards in the full deck.
pub const ACTION_CARDS: usize = 27;
/// Cards in the full deck; a round has at most so many turns.
pub const CARDS: usize = PATH_CARDS + ACTION_CARDS;

/// Number of tools: lamp, pick, cart.
pub const TOOLS: usize = 3;
/// Names of the tools.
pub const TOOL_NAMES: [&str; TOOLS] = ["lamp", "pick", "cart"];
/// The tools, as bits, of which each card that repairs mends one.
pub const REPAIRS: [u8; KINDS - REPAIR] = [1, 2, 4, 3, 5, 6];

/// The kind of each path card if all are sorted by kind.
pub const PATH_CARD_KINDS: [u8; PATH_CARDS] = sorted(0);
/// The kind of each action card if all are sorted by kind.
pub const ACTION_CARD_KINDS: [u8; ACTION_CARDS] = sorted(PATH_KINDS);

/// The kind of each card of the deck: path cards, then action cards, both sorted by kind.
pub const CARD_KINDS: [u8; CARDS] = sorted(0);

const fn sorted<const N: usize>(first: usize) -> [u8; N] {
    let mut kinds = [0; N];
    let (mut at, mut kind) = (0, first);
    while at < N {
        let mut copies = 0;
        while copies < COUNTS[kind] && at < N {
            kinds[at] = kind as u8;
            at += 1;
            copies += 1;
        }
        kind += 1;
    }
    kinds
}

/// The fewest players.
pub const FEWEST_PLAYERS: usize = 3;
/// The most players.
pub const MOST_PLAYERS: usize = 10;
/// The most cards in a hand.
pub const HAND: usize = 6;
/// Digger cards, saboteur cards, cards in a hand and gold cards dealt on a win of the diggers, by players from three on.
pub const PLAYERS: [[u8; 4]; MOST_PLAYERS - FEWEST_PLAYERS + 1] =
    [[3, 1, 6, 3], [4, 1, 6, 4], [4, 2, 6, 5], [5, 2, 5, 6], [5, 3, 5, 7], [6, 3, 4, 8], [7, 3, 4, 9], [7, 4, 4, 9]];

/// Rounds of a game.
pub const ROUNDS: u8 = 3;
/// Gold cards with one, two and three nuggets.
pub const GOLD: [u8; 3] = [16, 8, 4];
/// Nuggets for each saboteur on their win, by the number of saboteurs.
pub const SABOTEURS_GOLD: [u8; 5] = [0, 4, 3, 3, 2];

/// Number of goals.
pub const GOALS: usize = 3;
/// The column of the goals.
pub const GOAL_X: i8 = 8;
/// The rows of the goals.
pub const GOAL_Y: [i8; GOALS] = [-2, 0, 2];
/// The openings of the goal with the gold.
pub const GOLD_FACE: u8 = 15;
/// The openings of the goals with stones, unturned.
pub const STONE_FACES: [u8; 2] = [3, 9];

/// The bit of column 0 in a wide row.
pub const WIDE_ORIGIN: i8 = 22;
/// The number of row 0 among the rows of the widest board, with an empty one below.
pub const WIDE_ROW_ORIGIN: i8 = 24;
/// The edges of a board: the columns and rows, inclusive, where cards may be laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The leftmost column.
    pub left: i8,
    /// The rightmost column.
    pub right: i8,
    /// The lowest row.
    pub bottom: i8,
    /// The highest row.
    pub top: i8,
}

impl Extent {
    /// More than the cards can fill: no path gets further than this. Take the first time a path gets from one row to the
    /// next. Its last run inside the row is one card open up and down, of which there are 14, or two cards with a
    /// vertical and a horizontal opening, of which there are 14 others: 21 rows, one more for the last card, and one
    /// more for the goals with stones. The same holds for columns, with 13 and 14 cards.
    pub const WIDEST: Self = Self { left: -21, right: 22, bottom: -23, top: 23 };
    /// The board that the paper's numbers suggest: one column left of the start, four rows up and down.
    pub const PAPER: Self = Self { left: -1, right: 22, bottom: -4, top: 4 };

    /// The cells whose distances divide [`NARROW_SCALE`].
    pub const NARROW: Self = Self { left: -7, right: 22, bottom: -13, top: 13 };

    /// Whether a cell is on the board.
    #[inline]
    #[must_use]
    pub const fn contains(&self, x: i8, y: i8) -> bool {
        self.left <= x && x <= self.right && self.bottom <= y && y <= self.top
    }

    /// The part of this board that is on the widest one.
    #[must_use]
    pub const fn clamped(&self) -> Self {
        const fn within(value: i8, [low, high]: [i8; 2]) -> i8 {
            if value < low {
                low
            } else if value > high {
                high
            } else {
                value
            }
        }
        let Self { left, right, bottom, top } = Self::WIDEST;
        Self {
            left: within(self.left, [left, right]),
            right: within(self.right, [left, right]),
            bottom: within(self.bottom, [bottom, top]),
            top: within(self.top, [bottom, top]),
        }
    }
}

/// A multiple of every distance on the widest board, 1 to 30: scores of the paper's agent are fractions of it.
pub const WIDE_SCALE: i64 = 2_329_089_562_800;
/// A multiple of every distance on a [narrow](Extent::NARROW) board, 1 to 15, and of 180 for the counted cards.
/// Two thousand points of it fit into 32 bits with a sign.
pub const NARROW_SCALE: i32 = 360_360;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_add_up() {
        assert_eq!(COUNTS[..PATH_KINDS].iter().sum::<u8>(), 40);
        assert_eq!(COUNTS[..FIRST_BLOCKED].iter().sum::<u8>(), 31);
        assert_eq!(COUNTS[PATH_KINDS..].iter().sum::<u8>(), 27);
        for (kind, &count) in COUNTS.iter().enumerate() {
            let cards = PATH_CARD_KINDS.iter().chain(&ACTION_CARD_KINDS).filter(|&&of| usize::from(of) == kind);
            assert_eq!(cards.count(), usize::from(count));
        }
        assert_eq!(GOLD.iter().sum::<u8>(), 28);
    }

    #[test]
    fn one_role_card_is_left_over_and_all_hands_can_be_dealt() {
        for (players, [diggers, saboteurs, hand, gold]) in (FEWEST_PLAYERS..).zip(PLAYERS) {
            assert_eq!(usize::from(diggers + saboteurs), players + 1);
            assert!(players * usize::from(hand) < CARDS && usize::from(hand) <= HAND);
            assert_eq!(usize::from(gold), players.min(9));
        }
    }

    #[test]
    fn no_two_kinds_look_alike_when_laid() {
        for (a, &mask) in MASKS.iter().enumerate() {
            for (b, &other) in MASKS.iter().enumerate() {
                let is_alike = mask == other || half_turn(mask) == other;
                assert_eq!(is_alike && (a < FIRST_BLOCKED) == (b < FIRST_BLOCKED), a == b);
            }
        }
    }

    #[test]
    fn scales_are_multiples_of_all_distances() {
        assert!((1..=30).all(|distance| WIDE_SCALE % distance == 0) && WIDE_SCALE % 180 == 0);
        assert!((1..=15).all(|distance| NARROW_SCALE % distance == 0) && NARROW_SCALE % 180 == 0);
    }
}
