//! A position: everything that decides how a game can go on.
//!
//! Sets of nodes and edges are words over the [brick wall](fairground_kernels::catan::wall). A position keeps a few values that follow
//! from others (yields, port rates, pieces left, lengths of roads); [`Position::refresh`] computes them afresh.

use fairground_kernels::bits::bits;
use fairground_kernels::catan::heuristic::{Ground, pips};
use fairground_kernels::catan::packed::NOBODY;
use fairground_kernels::catan::tables::{
    BANK, CARDS, DECK, EDGE_NODES, HEXES, PIECES, PORT_EDGES, RESOURCES, SEATS, WINNING_POINTS,
};
use fairground_kernels::catan::wall::{ALL_NODES, NODE_YIELDS, node_bit};
use fairground_kernels::catan::{Cards, Packed, PackedPlayer, Roads, longest_road};
use fairground_kernels::rng::absorb;

pub use fairground_kernels::catan::Phase;

use super::map::Map;
use super::pieces::{Card, Port};
use super::trade::Offer;

/// The map as the rules ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Land {
    /// The resource of each hex; [`RESOURCES`] for the desert.
    pub tiles: [u8; HEXES],
    /// The number token of each hex; 0 on the desert.
    pub tokens: [u8; HEXES],
    /// The nodes of the ports that take two of a resource, then of those that take three of anything.
    pub ports: [u64; RESOURCES + 1],
    /// The hexes that each total of the dice (2 to 12) lets produce: bit `3 hex`.
    pub(super) productive: [u64; TOTALS],
    /// The nodes, as the heuristic sees them.
    pub(super) ground: Ground<u64>,
    /// The pips of each hex, three bits a hex.
    pub(super) hex_pips: u64,
}

/// Totals of two dice, from 2 on.
const TOTALS: usize = 11;

impl Land {
    /// The words for a map.
    #[must_use]
    pub fn new(map: &Map) -> Self {
        let mut ports = [0; RESOURCES + 1];
        for (port, edge) in map.ports.iter().zip(PORT_EDGES) {
            let kind = match port {
                Port::Two(resource) => resource.index(),
                Port::Three => RESOURCES,
            };
            let [a, b] = EDGE_NODES[usize::from(edge)];
            ports[kind] |= node_bit(a) | node_bit(b);
        }
        let tiles = map.tiles.map(|tile| tile.map_or(RESOURCES, |resource| resource.index()) as u8);
        Self::of(tiles, map.tokens, ports)
    }

    fn of(tiles: [u8; HEXES], tokens: [u8; HEXES], ports: [u64; RESOURCES + 1]) -> Self {
        let (mut productive, mut hex_pips) = ([0; TOTALS], 0);
        for (hex, (&tile, &token)) in tiles.iter().zip(&tokens).enumerate() {
            if let Some(hexes) = productive.get_mut(usize::from(token).wrapping_sub(2))
                && usize::from(tile) < RESOURCES
            {
                *hexes |= 1 << (3 * hex);
                hex_pips |= pips(token) << (3 * hex);
            }
        }
        let ground = Ground::of(&tiles, hex_pips, ports.iter().fold(0, |all, nodes| all | nodes));
        Self { tiles, tokens, ports, productive, ground, hex_pips }
    }

    /// One card of the resource of a hex; nothing from the desert.
    #[inline]
    #[must_use]
    pub const fn yield_of(&self, hex: usize) -> Cards {
        let resource = self.tiles[hex] as usize;
        if resource < RESOURCES { Cards::one(resource) } else { Cards::NONE }
    }
}

/// What one player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Nodes with a settlement or city.
    pub buildings: u64,
    /// Nodes with a city.
    pub cities: u64,
    /// Roads.
    pub roads: Roads,
    /// Resource cards.
    pub hand: Cards,
    /// Development cards not yet played, those bought this turn among them.
    pub cards: Cards,
    /// Development cards played.
    pub played: Cards,
    /// Cards of each resource that the bank takes for one card.
    pub(super) rates: Cards,
    /// Cards that each hex pays: three bits a hex, one for a settlement at a corner and two for a city.
    pub(super) yields: u64,
    /// Roads, settlements and cities not on the board.
    pub(super) left: [u8; 3],
    /// Length of the longest road.
    pub(super) road: u8,
}

impl Default for Player {
    fn default() -> Self {
        let nothing = Cards::NONE;
        Self {
            buildings: 0,
            cities: 0,
            roads: Roads::NONE,
            hand: nothing,
            cards: nothing,
            played: nothing,
            rates: Cards::new([4; RESOURCES]),
            yields: 0,
            left: PIECES,
            road: 0,
        }
    }
}

impl Player {
    /// Nodes with a settlement.
    #[inline]
    #[must_use]
    pub const fn settlements(&self) -> u64 {
        self.buildings & !self.cities
    }

    /// Settlements at a hex, a city twice.
    #[inline]
    #[must_use]
    pub const fn corners(&self, hex: usize) -> u32 {
        (self.yields >> (3 * hex) & 7) as u32
    }

    /// Knights played.
    #[inline]
    #[must_use]
    pub const fn army(&self) -> u8 {
        self.played.count(Card::Knight.index())
    }

    /// Length of the longest road.
    #[inline]
    #[must_use]
    pub const fn road_length(&self) -> u8 {
        self.road
    }

    /// Cards of each resource that the bank takes for one card.
    #[must_use]
    pub const fn rates(&self) -> [u8; RESOURCES] {
        self.rates.counts()
    }

    /// Roads, settlements and cities not yet built.
    #[must_use]
    pub const fn pieces_left(&self) -> [u8; 3] {
        self.left
    }
}

/// A position of a game, at any moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The map.
    pub land: Land,
    /// The players by seat.
    pub players: [Player; SEATS],
    /// Resource cards in the bank.
    pub bank: Cards,
    /// Development cards in the deck by kind; their order is unknown and sampled when one is drawn.
    pub deck: Cards,
    /// Development cards the mover bought this turn, by kind.
    pub fresh: Cards,
    /// The robber's hex.
    pub robber: u8,
    /// Whose turn it is.
    pub mover: u8,
    /// What has to be decided.
    pub phase: Phase,
    /// Whether the mover has rolled.
    pub rolled: bool,
    /// Whether the mover has played a development card this turn.
    pub card_played: bool,
    /// Pairs of settlement and road placed in the set-up.
    pub placed: u8,
    /// In [`Phase::SetUpRoad`] the node of the settlement just placed, otherwise none.
    pub new_settlement: u64,
    /// Free roads left to place in [`Phase::FreeRoads`], otherwise 0.
    pub free_roads: u8,
    /// Cards each seat has still to discard; 0 outside of [`Phase::Discard`].
    pub owed: [u8; SEATS],
    /// The offer to be answered in [`Phase::Answer`].
    pub offer: Option<Offer>,
    /// Who holds the longest road.
    pub longest_road: Option<u8>,
    /// Who holds the largest army.
    pub largest_army: Option<u8>,
    /// Turns ended, the set-up not counted.
    pub turn: u32,
}

impl Position {
    /// The start of a game on `map`: the robber on the desert (the first hex if there is none).
    #[must_use]
    pub fn start(map: &Map) -> Self {
        Self {
            land: Land::new(map),
            players: [Player::default(); SEATS],
            bank: Cards::new([BANK; RESOURCES]),
            deck: Cards::new(DECK),
            fresh: Cards::NONE,
            robber: map.tiles.iter().position(Option::is_none).unwrap_or(0) as u8,
            mover: 0,
            phase: Phase::SetUpSettlement,
            rolled: false,
            card_played: false,
            placed: 0,
            new_settlement: 0,
            free_roads: 0,
            owed: [0; SEATS],
            offer: None,
            longest_road: None,
            largest_army: None,
            turn: 0,
        }
    }

    /// The player whose turn it is.
    #[inline]
    #[must_use]
    pub const fn own(&self) -> &Player {
        &self.players[self.mover as usize % SEATS]
    }

    #[inline]
    pub(super) const fn own_mut(&mut self) -> &mut Player {
        &mut self.players[self.mover as usize % SEATS]
    }

    /// The other seats in their order after the mover.
    #[inline]
    #[must_use]
    pub const fn opponents(&self) -> [u8; SEATS - 1] {
        let seat = self.mover;
        [(seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4]
    }

    /// The seat that has to decide. Of several who discard it is the first, counted from the mover.
    #[must_use]
    pub fn decider(&self) -> u8 {
        match (self.phase, &self.offer) {
            (Phase::Discard, _) => {
                let mut seats = (0..SEATS as u8).map(|step| (self.mover + step) % SEATS as u8);
                seats.find(|&seat| self.owed[usize::from(seat)] > 0).unwrap_or(self.mover)
            }
            (Phase::Answer, Some(offer)) => offer.to,
            _ => self.mover,
        }
    }

    /// Nodes with a building.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> u64 {
        let [a, b, c, d] = &self.players;
        a.buildings | b.buildings | c.buildings | d.buildings
    }

    /// Edges with a road.
    #[inline]
    #[must_use]
    pub fn taken(&self) -> Roads {
        let [a, b, c, d] = &self.players;
        a.roads | b.roads | c.roads | d.roads
    }

    /// The victory points of a seat, hidden cards among them.
    #[inline]
    #[must_use]
    pub fn points(&self, seat: u8) -> u8 {
        self.public_points(seat) + self.players[usize::from(seat)].cards.count(Card::VictoryPoint.index())
    }

    /// The victory points of a seat that everybody sees.
    #[inline]
    #[must_use]
    pub fn public_points(&self, seat: u8) -> u8 {
        let [_, settlements, cities] = self.players[usize::from(seat)].left;
        let buildings = (PIECES[1] - settlements) + 2 * (PIECES[2] - cities);
        let awards = u8::from(self.longest_road == Some(seat)) + u8::from(self.largest_army == Some(seat));
        buildings + 2 * awards
    }

    /// The winner: the player whose turn it is, with ten points or more.
    #[inline]
    #[must_use]
    pub fn winner(&self) -> Option<u8> {
        (self.points(self.mover) >= WINNING_POINTS).then_some(self.mover)
    }

    /// Nodes where `seat` cannot pass: those with another player's building.
    #[inline]
    pub(super) const fn blocked(&self, seat: usize) -> u64 {
        self.occupied() & !self.players[seat].buildings
    }

    /// Adds a settlement at a node, or the other half of a city, to what its hexes pay.
    #[inline]
    pub(super) fn count_building(&mut self, seat: usize, node: u64) {
        let yields = &mut self.players[seat].yields;
        *yields = yields.wrapping_add(NODE_YIELDS[node.trailing_zeros() as usize % 64]);
    }

    /// Lets the player of `seat` trade at the ports of a node.
    #[inline]
    pub(super) fn open_ports(&mut self, seat: usize, node: u64) {
        let ports = &self.land.ports;
        let rates = &mut self.players[seat].rates;
        for resource in 0..RESOURCES {
            let rate = if ports[resource] & node != 0 {
                2
            } else if ports[RESOURCES] & node != 0 {
                3
            } else {
                continue;
            };
            let before = rates.count(resource);
            *rates -= Cards::of(resource, before - before.min(rate));
        }
    }

    /// Computes afresh what follows from other fields: after buildings or roads were set by hand.
    pub fn refresh(&mut self) {
        for seat in 0..SEATS {
            let player = &mut self.players[seat];
            player.buildings &= ALL_NODES;
            player.cities &= player.buildings;
            let Player { buildings, cities, roads, .. } = *player;
            let built = [roads.len(), player.settlements().count_ones(), cities.count_ones()];
            player.left = std::array::from_fn(|piece| PIECES[piece].saturating_sub(built[piece] as u8));
            player.rates = Cards::new([4; RESOURCES]);
            player.yields = 0;
            self.open_ports(seat, buildings);
            for node in bits(buildings).chain(bits(cities)) {
                self.count_building(seat, 1 << node);
            }
        }
        for seat in 0..SEATS {
            self.players[seat].road = longest_road::length(self.players[seat].roads, self.blocked(seat));
        }
    }

    /// The position in the words that kernels and shaders start from.
    #[must_use]
    pub fn pack(&self) -> Packed {
        let players = self.players.map(|player| {
            let Player { buildings, cities, roads: Roads { h, v }, hand, cards, played, .. } = player;
            PackedPlayer { buildings, cities, h, v, hand: hand.0, cards: cards.0, played: played.0 }
        });
        let seat = |holder: Option<u8>| holder.map_or(NOBODY, u32::from);
        let four_bits = |tokens: &[u8]| tokens.iter().rev().fold(0, |word, &token| word << 4 | u64::from(token & 15));
        let Land { tiles, tokens, ports, .. } = &self.land;
        Packed {
            players,
            bank: self.bank.0,
            deck: self.deck.0,
            fresh: self.fresh.0,
            new_settlement: self.new_settlement,
            offer: self.offer.map_or([0; 2], |offer| [offer.gives.0, offer.wants.0]),
            tiles: tiles.iter().rev().fold(0, |word, &tile| word << 3 | u64::from(tile & 7)),
            tokens: [four_bits(&tokens[..10]), four_bits(&tokens[10..])],
            ports: *ports,
            turn: self.turn,
            robber: self.robber.into(),
            mover: self.mover.into(),
            phase: self.phase as u32,
            rolled: self.rolled.into(),
            card_played: self.card_played.into(),
            placed: self.placed.into(),
            free_roads: self.free_roads.into(),
            owed: u32::from_le_bytes(self.owed),
            longest_road: seat(self.longest_road),
            largest_army: seat(self.largest_army),
            road_lengths: u32::from_le_bytes(self.players.map(|player| player.road)),
            offered_to: seat(self.offer.map(|offer| offer.to)),
            padding: 0,
        }
    }

    /// The position that was [packed](Self::pack), or one a backend ended in.
    #[must_use]
    pub fn unpack(packed: &Packed) -> Self {
        let seat = |word: u32| u8::try_from(word).ok().filter(|&seat| usize::from(seat) < SEATS);
        let players = packed.players.map(|player| Player {
            buildings: player.buildings,
            cities: player.cities,
            roads: Roads { h: player.h, v: player.v },
            hand: Cards(player.hand),
            cards: Cards(player.cards),
            played: Cards(player.played),
            ..Player::default()
        });
        let [gives, wants] = packed.offer.map(Cards);
        let tiles = std::array::from_fn(|hex| (packed.tiles >> (3 * hex) & 7) as u8);
        let tokens = std::array::from_fn(|hex| (packed.tokens[hex / 10] >> (4 * (hex % 10)) & 15) as u8);
        let mut position = Self {
            land: Land::of(tiles, tokens, packed.ports),
            players,
            bank: Cards(packed.bank),
            deck: Cards(packed.deck),
            fresh: Cards(packed.fresh),
            robber: packed.robber as u8,
            mover: packed.mover as u8 % SEATS as u8,
            phase: Phase::ALL.get(packed.phase as usize).copied().unwrap_or(Phase::Turn),
            rolled: packed.rolled != 0,
            card_played: packed.card_played != 0,
            placed: packed.placed as u8,
            new_settlement: packed.new_settlement,
            free_roads: packed.free_roads as u8,
            owed: packed.owed.to_le_bytes(),
            offer: seat(packed.offered_to).map(|to| Offer { to, gives, wants }),
            longest_road: seat(packed.longest_road),
            largest_army: seat(packed.largest_army),
            turn: packed.turn,
        };
        position.refresh();
        position
    }

    /// A number that identifies the position: equal positions, equal keys, on every machine.
    #[must_use]
    pub fn key(&self) -> u64 {
        bytemuck::cast_slice::<Packed, u64>(&[self.pack()]).iter().fold(0, |hash, &word| absorb(hash, word))
    }
}

const _: () = assert!(CARDS == 5 && RESOURCES == 5 && SEATS == 4, "cards of both sorts are counted in five bytes");
