//! The paper's agent leaves much open. A reading is one way to fill every gap.

use super::tables::{CORNER_DOWN, CORNER_UP, Extent, FIRST_BLOCKED, HORIZONTAL, LEFT, RIGHT, T_HORIZONTAL, T_VERTICAL};

/// Points of the paper's agent.
pub mod points {
    /// For a card that opens to an adjacent goal.
    pub const OPEN: i64 = 100;
    /// Lost for a card beside a goal that is closed to it, that cannot go right, is off the row, or too good.
    pub const PENALTY: i64 = 50;
    /// Lost for a blocked card.
    pub const BLOCKED: i64 = 300;
    /// For the distance on a provisional goal between two goals.
    pub const BETWEEN: i64 = 125;
    /// For each kind of card that leads on, if none of it is on the table yet.
    pub const SHARE: i64 = 100;
    /// Columns from the goals' where a cell is far from them.
    pub const FAR: u8 = 3;
}

/// What "cannot go right" says of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CannotGoRight {
    /// Its kind never leads from left to right, however it is turned.
    Kind,
    /// As it is laid it is not open to the right.
    Laid,
}

/// Which cells are "left of the goals".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftOfGoals {
    /// Columns left of the goals'.
    Columns,
    /// The same without the column beside the goals.
    NotBeside,
    /// Columns three or more from the goals'.
    Far,
}

/// With which other cards in hand a crossing is too good for a cell far from the goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sideways {
    /// Any that is open sideways and no crossing: T, corners, horizontal straight, and of the blocked T and straight
    /// those that are horizontal.
    Any,
    /// A horizontal T or straight.
    Through,
    /// A horizontal T or straight, or a vertical T.
    ThroughOrT,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Sideways {
    /// The kinds, as bits, of which one in hand is enough.
    #[must_use]
    pub const fn kinds(self) -> u32 {
        const THROUGH: u32 = 1 << T_HORIZONTAL | 1 << HORIZONTAL;
        match self {
            Self::Any => THROUGH | THROUGH << FIRST_BLOCKED | 1 << T_VERTICAL | 1 << CORNER_UP | 1 << CORNER_DOWN,
            Self::Through => THROUGH,
            Self::ThroughOrT => THROUGH | 1 << T_VERTICAL,
            Self::Always => u32::MAX,
            Self::Never => 0,
        }
    }
}

/// Which card is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discard {
    /// The first action card, or else the card of the best play.
    ActionThenBest,
    /// The first action card, or else the card of the worst play.
    ActionThenWorst,
    /// Any, by chance.
    Uniform,
    /// The card of the best play.
    Best,
    /// The first path card.
    PathFirst,
    /// The first.
    First,
}

/// The provisional goal while all three goals may hold the gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfThree {
    /// The middle one.
    Middle,
    /// The top one.
    Top,
    /// The cell between the middle and the top one.
    Between,
    /// Any of the three, by chance in every turn.
    Random,
}

/// The provisional goal while two goals may hold the gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfTwo {
    /// The cell in the middle between them.
    Midpoint,
    /// The upper one.
    Upper,
    /// Either, by chance in every turn.
    Random,
}

/// The goal that a map is used on, of those that may hold the gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapOrder {
    /// Middle, top, bottom.
    Middle,
    /// Top, middle, bottom.
    Top,
    /// By chance.
    Random,
}

/// The goals that count as adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjacent {
    /// Those that may hold the gold.
    Possible,
    /// The provisional one alone, also where it lies between two goals.
    Provisional,
    /// Those face down.
    FaceDown,
    /// All.
    Any,
}

/// Which of equally good plays is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The first: by column, then by row, then by place in the hand, then unturned before turned.
    First,
    /// The last.
    Last,
    /// Any, by chance.
    Random,
}

/// What the cards not yet on the table add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountedCards {
    /// Nothing.
    None,
    /// The mean over the three kinds that lead on.
    Mean,
    /// Their sum.
    Sum,
}

/// What the counted cards are to a saboteur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountedBySaboteurs {
    /// Added after the sign is changed.
    Added,
    /// Subtracted: the sign is changed after they are added.
    Flipped,
    /// Left out.
    LeftOut,
}

/// One reading of the paper's agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// Points for a column distance of one.
    pub across: u16,
    /// Points for a row distance of one.
    pub along: u16,
    /// What "cannot go right" says of a card.
    pub cannot_go_right: CannotGoRight,
    /// Whether a blocked card can go right like an open one.
    pub blocked_goes_right: bool,
    /// Which cells are "left of the goals".
    pub left_of_goals: LeftOfGoals,
    /// Whether the rules for three columns or more count the empty cells between instead of the distance.
    pub counts_cells_between: bool,
    /// Whether a card is off the row of the provisional goal instead of that of the start.
    pub off_goal_row: bool,
    /// When a crossing is too good.
    pub sideways: Sideways,
    /// Which card is discarded.
    pub discard: Discard,
    /// Whether a play worth nothing is made.
    pub plays_zero: bool,
    /// The provisional goal of three.
    pub of_three: OfThree,
    /// The provisional goal of two.
    pub of_two: OfTwo,
    /// The goal to look at.
    pub map_order: MapOrder,
    /// Whether all know what any of them saw with a map.
    pub shares_maps: bool,
    /// Whether saboteurs use maps.
    pub saboteurs_use_maps: bool,
    /// The goals that count as adjacent.
    pub adjacent: Adjacent,
    /// Whether a card beside a goal that does not open to it loses points.
    pub closed_beside_goal: bool,
    /// Which of equally good plays is chosen.
    pub ties: Ties,
    /// Whether every quotient is rounded down.
    pub rounds_down: bool,
    /// Whether the provisional goal between two goals is worth 125.
    pub between_is_125: bool,
    /// Whether saboteurs discard instead of making a play worth less than nothing.
    pub saboteurs_discard: bool,
    /// Whether diggers do.
    pub diggers_discard: bool,
    /// Whether a saboteur puts every card where a digger would, and chooses only among the cards.
    pub saboteurs_place_as_diggers: bool,
    /// What the cards not yet on the table add.
    pub counted_cards: CountedCards,
    /// What they are to a saboteur.
    pub counted_by_saboteurs: CountedBySaboteurs,
    /// Whether the own hand counts as on the table.
    pub counts_own_hand: bool,
}

impl Reading {
    /// The reading A: a play worth nothing is made; discards an action card, or else the best card.
    pub const A: Self = Self {
        across: 80,
        along: 20,
        cannot_go_right: CannotGoRight::Kind,
        blocked_goes_right: false,
        left_of_goals: LeftOfGoals::Columns,
        counts_cells_between: false,
        off_goal_row: false,
        sideways: Sideways::Any,
        discard: Discard::ActionThenBest,
        plays_zero: true,
        of_three: OfThree::Middle,
        of_two: OfTwo::Midpoint,
        map_order: MapOrder::Middle,
        shares_maps: false,
        saboteurs_use_maps: true,
        adjacent: Adjacent::Possible,
        closed_beside_goal: true,
        ties: Ties::First,
        rounds_down: false,
        between_is_125: true,
        saboteurs_discard: true,
        diggers_discard: true,
        saboteurs_place_as_diggers: false,
        counted_cards: CountedCards::None,
        counted_by_saboteurs: CountedBySaboteurs::Added,
        counts_own_hand: false,
    };
    /// The reading R1: a play worth nothing is not made; discards any card.
    pub const R1: Self = Self { discard: Discard::Uniform, plays_zero: false, ..Self::A };
    /// The plainest reading of the paper's words.
    pub const PLAIN: Self =
        Self { cannot_go_right: CannotGoRight::Laid, sideways: Sideways::Through, discard: Discard::Best, ..Self::A };

    /// Whether a card of a kind can go right as it is laid, with these openings.
    #[must_use]
    pub const fn goes_right(&self, kind: usize, mask: u8) -> bool {
        let needed = match self.cannot_go_right {
            CannotGoRight::Kind => LEFT | RIGHT,
            CannotGoRight::Laid => RIGHT,
        };
        mask & needed == needed && (kind < FIRST_BLOCKED || self.blocked_goes_right)
    }

    /// The distance in columns from which on the goals are far.
    #[must_use]
    pub const fn far_columns(&self) -> u8 {
        points::FAR + self.counts_cells_between as u8
    }

    /// The same with other weights of the distances.
    #[must_use]
    pub const fn weighted(self, across: u16, along: u16) -> Self {
        Self { across, along, ..self }
    }
}

/// A reading with a name, and the board it was found with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The plainest reading, on a large board.
    Plain,
    /// See [`Reading::A`].
    A,
    /// See [`Reading::R1`].
    R1,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Plain, Self::A, Self::R1];

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::A => "A",
            Self::R1 => "R1",
        }
    }

    /// The preset of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Its reading.
    #[must_use]
    pub const fn reading(self) -> Reading {
        match self {
            Self::Plain => Reading::PLAIN,
            Self::A => Reading::A,
            Self::R1 => Reading::R1,
        }
    }

    /// Its board.
    #[must_use]
    pub const fn extent(self) -> Extent {
        match self {
            Self::Plain => Extent { left: -11, right: 18, bottom: -14, top: 14 },
            Self::A | Self::R1 => Extent::PAPER,
        }
    }
}
