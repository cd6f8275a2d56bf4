//! Resources, ports and development cards.

use fairground_kernels::catan::tables::{CARD_NAMES, CARDS, RESOURCE_NAMES, RESOURCES};

/// A resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Resource {
    /// From forests.
    Wood,
    /// From hills.
    Brick,
    /// From pastures.
    Sheep,
    /// From fields.
    Wheat,
    /// From mountains.
    Ore,
}

impl Resource {
    /// All resources in the order of their numbers.
    pub const ALL: [Self; RESOURCES] = [Self::Wood, Self::Brick, Self::Sheep, Self::Wheat, Self::Ore];

    /// The number the tables use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The resource with this number.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// English name, as map files spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        RESOURCE_NAMES[self.index()]
    }

    /// The resource of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }
}

/// What a port trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// Two of this for one of anything.
    Two(Resource),
    /// Three of anything for one of anything.
    Three,
}

/// A development card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Card {
    /// Moves the robber and counts for the largest army.
    Knight,
    /// Is worth a point from the moment it is bought.
    VictoryPoint,
    /// Up to two free roads.
    RoadBuilding,
    /// Two cards from the bank.
    YearOfPlenty,
    /// All cards of a resource from all other players.
    Monopoly,
}

impl Card {
    /// All cards in the order of their numbers.
    pub const ALL: [Self; CARDS] =
        [Self::Knight, Self::VictoryPoint, Self::RoadBuilding, Self::YearOfPlenty, Self::Monopoly];

    /// The number the tables use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The card with this number.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        CARD_NAMES[self.index()]
    }
}
