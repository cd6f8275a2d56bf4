//! A position in few words, as the kernel's lanes and the shader start from it.

use bytemuck::{Pod, Zeroable};

use super::tables::{RESOURCES, SEATS};

/// What has to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Set-up: the mover places a settlement.
    SetUpSettlement,
    /// Set-up: the mover places a road at the settlement just placed.
    SetUpRoad,
    /// The mover's turn, before or after the roll.
    Turn,
    /// After a seven: the players who owe cards discard.
    Discard,
    /// The mover moves the robber.
    Robber,
    /// The mover places free roads.
    FreeRoads,
    /// The player who was offered a trade answers.
    Answer,
}

impl Phase {
    /// All phases in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::SetUpSettlement,
        Self::SetUpRoad,
        Self::Turn,
        Self::Discard,
        Self::Robber,
        Self::FreeRoads,
        Self::Answer,
    ];
}

/// Nobody, where a word names a seat.
pub const NOBODY: u32 = SEATS as u32;

/// What one player has. Sets are words of the [brick wall](super::wall), cards are [`Cards`](super::Cards).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedPlayer {
    /// Nodes with a settlement or city.
    pub buildings: u64,
    /// Nodes with a city.
    pub cities: u64,
    /// Horizontal roads.
    pub h: u64,
    /// Vertical roads.
    pub v: u64,
    /// Resource cards.
    pub hand: u64,
    /// Development cards not yet played.
    pub cards: u64,
    /// Development cards played.
    pub played: u64,
}

/// A position. Same words in the same order on every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Packed {
    /// The players by seat.
    pub players: [PackedPlayer; SEATS],
    /// Resource cards in the bank.
    pub bank: u64,
    /// Development cards in the deck.
    pub deck: u64,
    /// Development cards the mover bought this turn.
    pub fresh: u64,
    /// The settlement just placed in the set-up, otherwise none.
    pub new_settlement: u64,
    /// Cards given and wanted in an offer to be answered, otherwise none.
    pub offer: [u64; 2],
    /// Resource of each hex, or [`RESOURCES`] for the desert: three bits a hex.
    pub tiles: u64,
    /// Number tokens: four bits a hex, the first ten hexes and the others.
    pub tokens: [u64; 2],
    /// Nodes of the ports that take two of a resource, then of those that take three of anything.
    pub ports: [u64; RESOURCES + 1],
    /// Turns ended, the set-up not counted.
    pub turn: u32,
    /// The robber's hex.
    pub robber: u32,
    /// Whose turn it is.
    pub mover: u32,
    /// Number of the [`Phase`].
    pub phase: u32,
    /// 1 if the mover has rolled.
    pub rolled: u32,
    /// 1 if the mover has played a development card this turn.
    pub card_played: u32,
    /// Pairs of settlement and road placed in the set-up.
    pub placed: u32,
    /// Free roads left to place.
    pub free_roads: u32,
    /// Cards each seat has still to discard, a byte a seat.
    pub owed: u32,
    /// Who holds the longest road, or [`NOBODY`].
    pub longest_road: u32,
    /// Who holds the largest army, or [`NOBODY`].
    pub largest_army: u32,
    /// Length of each seat's longest road, a byte a seat. It follows from the roads and buildings.
    pub road_lengths: u32,
    /// Whom an offer was made to, or [`NOBODY`].
    pub offered_to: u32,
    /// Always 0.
    pub padding: u32,
}
