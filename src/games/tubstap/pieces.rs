//! Kinds of units, terrains, teams.

use fairground_kernels::tubstap::tables::{self, KINDS, TERRAINS};

/// A kind of unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// F: flies, fights aircraft only.
    Fighter,
    /// A: flies, fights ground units only.
    Attacker,
    /// P: tank.
    Panzer,
    /// U: shoots over distance 2 to 3, moves or shoots but never both.
    Cannon,
    /// R: anti-aircraft tank.
    Antiair,
    /// I: slow, enters mountains.
    Infantry,
}

impl Kind {
    /// All kinds in the order of their numbers.
    pub const ALL: [Self; KINDS] =
        [Self::Fighter, Self::Attacker, Self::Panzer, Self::Cannon, Self::Antiair, Self::Infantry];

    /// The number the tables use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this number.
    #[inline]
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// The name map files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        tables::KIND_NAMES[self.index()]
    }

    /// The kind a map file calls `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The letter the papers use.
    #[must_use]
    pub const fn letter(self) -> char {
        ['F', 'A', 'P', 'U', 'R', 'I'][self.index()]
    }

    /// Whether it flies: no terrain stops or protects it.
    #[inline]
    #[must_use]
    pub const fn flies(self) -> bool {
        self.index() < tables::FIRST_GROUND_KIND
    }

    /// Whether it fights adjacent units, and so can counter and be countered.
    #[inline]
    #[must_use]
    pub const fn is_direct(self) -> bool {
        self.index() != tables::CANNON
    }

    /// Movement budget.
    #[inline]
    #[must_use]
    pub const fn moves(self) -> u8 {
        tables::MOVES[self.index()]
    }

    /// Attack power against `defender`.
    #[inline]
    #[must_use]
    pub const fn power(self, defender: Self) -> u32 {
        tables::POWER[self.index()][defender.index()] as u32
    }

    /// Cost of entering `terrain`, or `None` if it cannot.
    #[must_use]
    pub fn cost(self, terrain: Terrain) -> Option<u8> {
        Some(tables::COST[terrain as usize][self.index()]).filter(|&cost| cost != tables::IMPASSABLE)
    }
}

/// A terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Terrain {
    /// Nobody enters.
    #[default]
    NoEntry,
    /// One star.
    Plain,
    /// For aircraft only.
    Sea,
    /// Three stars; slows vehicles.
    Wood,
    /// Four stars; infantry and aircraft only.
    Mountain,
    /// No stars.
    Road,
    /// Four stars.
    Fortress,
}

impl Terrain {
    /// All terrains in the order of their numbers.
    pub const ALL: [Self; TERRAINS] =
        [Self::NoEntry, Self::Plain, Self::Sea, Self::Wood, Self::Mountain, Self::Road, Self::Fortress];

    /// The terrain with this number.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// Defence stars for ground units.
    #[must_use]
    pub const fn stars(self) -> u8 {
        tables::STARS[self as usize]
    }

    /// English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        tables::TERRAIN_NAMES[self as usize]
    }
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Team {
    /// Team 0; moves first unless a position says otherwise.
    Red,
    /// Team 1.
    Blue,
}

impl Team {
    /// Both teams in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Red, Self::Blue];

    /// 0 for Red, 1 for Blue.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Red => Self::Blue,
            Self::Blue => Self::Red,
        }
    }

    /// The team with this number.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }
}
