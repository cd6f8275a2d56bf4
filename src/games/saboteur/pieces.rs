//! Cards and tools.

use fairground_kernels::saboteur::tables::{
    BREAK, CARD_NAMES, COUNTS, FIRST_BLOCKED, KINDS, MASKS, PATH_KINDS, REPAIR, REPAIRS, TOOL_NAMES, TOOLS, half_turn,
};

/// A kind of card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The rock-fall.
    pub const ROCK_FALL: Self = Self(fairground_kernels::saboteur::tables::ROCK_FALL as u8);
    /// The map.
    pub const MAP: Self = Self(fairground_kernels::saboteur::tables::MAP as u8);

    /// All kinds in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KINDS as u8).map(Self)
    }

    /// The kind with this number.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < KINDS { Some(Self(index as u8)) } else { None }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|card| card.name() == name)
    }

    /// The card that breaks a tool.
    #[must_use]
    pub const fn breaking(tool: Tool) -> Self {
        Self((BREAK + tool.index()) as u8)
    }

    /// The path card that lies on the table with these openings; none if there is no such card.
    #[must_use]
    pub fn lying(mask: u8, is_blocked: bool) -> Option<Self> {
        let looks_so = |card: &Self| card.is_blocked() == is_blocked && [mask, half_turn(mask)].contains(&card.mask());
        (0..PATH_KINDS as u8).map(Self).find(looks_so)
    }

    /// The number the tables use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        CARD_NAMES[self.index()]
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> u8 {
        COUNTS[self.index()]
    }

    /// Whether it is a path card.
    #[inline]
    #[must_use]
    pub const fn is_path(self) -> bool {
        self.index() < PATH_KINDS
    }

    /// Whether it is a path card with a blocked centre.
    #[inline]
    #[must_use]
    pub const fn is_blocked(self) -> bool {
        self.is_path() && self.index() >= FIRST_BLOCKED
    }

    /// The openings of a path card, unturned; none of an action card.
    #[inline]
    #[must_use]
    pub const fn mask(self) -> u8 {
        if self.is_path() { MASKS[self.index()] } else { 0 }
    }

    /// The openings of a path card as it is laid.
    #[inline]
    #[must_use]
    pub const fn laid_mask(self, turned: bool) -> u8 {
        if turned { half_turn(self.mask()) } else { self.mask() }
    }

    /// Whether a half turn changes it.
    #[inline]
    #[must_use]
    pub const fn can_turn(self) -> bool {
        half_turn(self.mask()) != self.mask()
    }

    /// The tool that this card breaks.
    #[inline]
    #[must_use]
    pub fn breaks(self) -> Option<Tool> {
        self.index().checked_sub(BREAK).and_then(Tool::from_index)
    }

    /// The tools, as bits, of which this card repairs one.
    #[inline]
    #[must_use]
    pub fn repairs(self) -> u8 {
        self.index().checked_sub(REPAIR).and_then(|index| REPAIRS.get(index)).copied().unwrap_or(0)
    }
}

/// A digging tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tool {
    /// The lamp.
    Lamp,
    /// The pick.
    Pick,
    /// The cart.
    Cart,
}

impl Tool {
    /// All tools in the order of their numbers.
    pub const ALL: [Self; TOOLS] = [Self::Lamp, Self::Pick, Self::Cart];

    /// The number the tables use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The tool with this number.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// The bit of this tool in a set of tools.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        TOOL_NAMES[self.index()]
    }
}
