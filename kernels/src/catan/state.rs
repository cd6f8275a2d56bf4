//! The games in flight: what every lane knows, and how a game gets into a lane and out of it.

use fearless_simd::Simd;

use super::counts;
use super::heuristic::{DIGITS, Ground, pips};
use super::packed::{NOBODY, Packed, PackedPlayer, Phase};
use super::tables::{CARD_COST, CITY_COST, HEXES, PIECES, RESOURCES, ROAD_COST, SEATS, SETTLEMENT_COST};
use super::wall::{ALL_NODES, NODE_YIELDS, Roads, neighbours};
use super::{Cards, Policy, Strategy};
use crate::bits::bits;
use crate::lanes::{BoardMask, Boards, WordMask, Words};
use crate::queue::{Ending, Ticket};
use crate::rng::LaneRng;

/// Totals of two dice, from 2 on.
pub(super) const TOTALS: usize = 11;

/// What one seat of every lane has.
pub(super) struct Seat<S: Simd> {
    pub buildings: Boards<S>,
    pub cities: Boards<S>,
    pub h: Boards<S>,
    pub v: Boards<S>,
    /// [Counts](super::counts) of resources, of development cards in hand and played, and of the cards the bank takes.
    pub hand: Words<S>,
    pub cards: Words<S>,
    pub played: Words<S>,
    pub rates: Words<S>,
    /// Bytes: roads, settlements and cities left.
    pub left: Words<S>,
    /// Cards that each hex pays, see [`Hexes`].
    pub yields: [Words<S>; 2],
}

/// Three bits for each hex in two words: a gap and hexes 0 to 8, then hexes 9 to 18.
pub(super) struct Hexes;

impl Hexes {
    /// The bits of a lane, `3 hex` first.
    #[inline]
    pub fn get<S: Simd>(words: &[Words<S>; 2], lane: usize) -> u64 {
        u64::from(words[0].get(lane) >> 3) | u64::from(words[1].get(lane)) << 27
    }

    #[inline]
    pub fn set<S: Simd>(words: &mut [Words<S>; 2], lane: usize, bits: u64) {
        words[0].set(lane, (bits << 3) as u32 & 0x3fff_fff8);
        words[1].set(lane, (bits >> 27) as u32);
    }

    /// Where a hex is: the shift, and [`SECOND`](Self::SECOND) for the second word. 0 is the gap.
    pub const fn place(hex: u32) -> u32 {
        if hex < 9 {
            3 * hex + 3
        } else if hex < HEXES as u32 {
            3 * (hex - 9) + Self::SECOND
        } else {
            0
        }
    }

    /// The hex at a place.
    pub const fn hex(place: u32) -> Option<u32> {
        if place >= Self::SECOND { Some((place - Self::SECOND) / 3 + 9) } else { (place / 3).checked_sub(1) }
    }

    pub const SECOND: u32 = 128;

    /// Where to find a hex and what it pays: its place, and in the next byte the shift of the resource.
    pub const fn entry(hex: u32, resource: u8) -> u32 {
        Self::place(hex) | (counts::BITS * resource as u32) << 8
    }

    /// The entry, or nothing where the robber is.
    #[inline(always)]
    pub fn without_robber<S: Simd>(entry: Words<S>, robber: Words<S>) -> Words<S> {
        (!(entry & 0xff).equals(robber)).keep(entry)
    }

    #[inline(always)]
    pub fn is_second<S: Simd>(entry: Words<S>) -> WordMask<S> {
        !(entry & Self::SECOND).is(0)
    }

    /// What the hex of an entry pays, given the yields of a seat.
    #[inline(always)]
    pub fn income<S: Simd>(yields: &[Words<S>; 2], entry: Words<S>, is_second: WordMask<S>) -> Words<S> {
        let word = is_second.select(yields[1], yields[0]);
        ((word >> (entry & 31)) & 7) << ((entry >> 8) & 31)
    }
}

/// The games in flight.
pub(super) struct Lanes<S: Simd> {
    pub seats: [Seat<S>; SEATS],
    /// Nodes with a building, nodes where one can be built, edges with a road.
    pub occupied: Boards<S>,
    pub free: Boards<S>,
    pub taken_h: Boards<S>,
    pub taken_v: Boards<S>,
    pub bank: Words<S>,
    pub deck: Words<S>,
    pub fresh: Words<S>,
    /// Victory points, a byte a seat.
    pub points: Words<S>,
    pub mover: Words<S>,
    /// Who has the largest army, or [`NOBODY`].
    pub largest_army: Words<S>,
    pub turns: Words<S>,
    pub actions: Words<S>,
    pub turn_cap: Words<S>,
    pub rng: LaneRng<S>,
    pub strategies: [Strategy; SEATS],
    /// The map, as the heuristic sees it.
    pub ground: Ground<Boards<S>>,
    /// Pips of each hex, see [`Hexes`].
    pub hex_pips: [Words<S>; 2],
    /// The [place](Hexes::place) of the robber.
    pub robber: Words<S>,
    /// [Entries](Hexes::entry) of the two hexes of each total, in the halves of a word.
    pub production: [Words<S>; TOTALS],
    pub asides: [Aside; 16],
    // Sets of lanes:
    pub rolled: u64,
    pub card_played: u64,
    /// Their maps have more than two hexes with one number.
    pub crowded: u64,
    /// They wait for that pass.
    pub rolls: u64,
    pub picks: u64,
    pub builds: u64,
    pub robs: u64,
    /// Their turn goes on, but nobody has looked how.
    pub unsorted: u64,
    /// Their game is over.
    pub over: u64,
}

/// Whose turn it is: selects what the movers have.
pub(super) struct Movers<S: Simd> {
    is_odd: WordMask<S>,
    is_late: WordMask<S>,
}

impl<S: Simd> Movers<S> {
    #[inline(always)]
    pub(super) fn new(mover: Words<S>) -> Self {
        Self { is_odd: !(mover & 1).is(0), is_late: mover.above(1) }
    }

    #[inline(always)]
    pub(super) fn words(&self, [a, b, c, d]: [Words<S>; SEATS]) -> Words<S> {
        self.is_late.select(self.is_odd.select(d, c), self.is_odd.select(b, a))
    }

    #[inline(always)]
    pub(super) fn wide(&self) -> WideMovers<S> {
        WideMovers { is_odd: self.is_odd.widen(), is_late: self.is_late.widen() }
    }
}

/// The same for boards.
pub(super) struct WideMovers<S: Simd> {
    is_odd: BoardMask<S>,
    is_late: BoardMask<S>,
}

impl<S: Simd> WideMovers<S> {
    #[inline(always)]
    pub(super) fn boards(&self, [a, b, c, d]: [Boards<S>; SEATS]) -> Boards<S> {
        self.is_late.select(self.is_odd.select(d, c), self.is_odd.select(b, a))
    }
}

/// One field of all seats.
macro_rules! of_seats {
    ($lanes:expr, $field:ident) => {{
        let [a, b, c, d] = &$lanes.seats;
        [a.$field, b.$field, c.$field, d.$field]
    }};
}

pub(super) use of_seats;

/// What a lane keeps that only single lanes ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    pub ticket: Ticket,
    pub ending: Ending,
    pub phase: Phase,
    pub placed: u32,
    pub free_roads: u32,
    pub new_settlement: u64,
    pub owed: [u8; SEATS],
    pub longest_road: u32,
    /// Lengths of the longest roads, as far as they matter. If somebody holds the award, its own is the length at the
    /// time it was last compared, and `has_grown` if it can be longer now; nobody else's is longer. If nobody does,
    /// all lengths are right that are not below those that count.
    pub lengths: [u8; SEATS],
    pub has_grown: bool,
    /// Where the robber goes, if that was decided with the knight.
    pub entry: Option<u32>,
    // What follows belongs to the map, and `laid` says of which item that is.
    pub laid: Option<u32>,
    pub tiles: [u8; HEXES],
    /// The hexes that each total of the dice lets produce: bit `3 hex`.
    pub productive: [u64; TOTALS],
    pub ports: [u64; RESOURCES + 1],
}

impl Aside {
    pub(super) const NONE: Self = Self {
        ticket: Ticket { item: 0, number: 0 },
        ending: Ending::Truncated,
        phase: Phase::Turn,
        placed: 0,
        free_roads: 0,
        new_settlement: 0,
        owed: [0; SEATS],
        longest_road: NOBODY,
        lengths: [0; SEATS],
        has_grown: false,
        entry: None,
        laid: None,
        tiles: [0; HEXES],
        productive: [0; TOTALS],
        ports: [0; RESOURCES + 1],
    };
}

/// Kinds of development cards.
pub(super) const KNIGHT: usize = 0;
pub(super) const VICTORY_POINT: usize = 1;
pub(super) const ROAD_BUILDING: usize = 2;
pub(super) const YEAR_OF_PLENTY: usize = 3;
pub(super) const MONOPOLY: usize = 4;

/// Costs as counts.
pub(super) const ROAD: u32 = counts::of(Cards::new(ROAD_COST));
pub(super) const SETTLEMENT: u32 = counts::of(Cards::new(SETTLEMENT_COST));
pub(super) const CITY: u32 = counts::of(Cards::new(CITY_COST));
pub(super) const CARD: u32 = counts::of(Cards::new(CARD_COST));

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub fn new(simd: S, policy: Policy) -> Self {
        let board = Boards::splat(simd, 0);
        let word = Words::splat(simd, 0);
        let seat = || Seat {
            buildings: board,
            cities: board,
            h: board,
            v: board,
            hand: word,
            cards: word,
            played: word,
            rates: word,
            left: word,
            yields: [word; 2],
        };
        Self {
            seats: [seat(), seat(), seat(), seat()],
            occupied: board,
            free: board,
            taken_h: board,
            taken_v: board,
            bank: word,
            deck: word,
            fresh: word,
            points: word,
            mover: word,
            largest_army: word,
            turns: word,
            actions: word,
            turn_cap: Words::splat(simd, policy.turn_cap.min(i32::MAX as u32)),
            rng: LaneRng::new(simd),
            strategies: policy.seats,
            ground: Ground { near: [board; RESOURCES], worth: [board; DIGITS] },
            hex_pips: [word; 2],
            robber: word,
            production: [word; TOTALS],
            asides: [Aside::NONE; 16],
            rolled: 0,
            card_played: 0,
            crowded: 0,
            rolls: 0,
            picks: 0,
            builds: 0,
            robs: 0,
            unsorted: 0,
            over: 0,
        }
    }

    #[inline(always)]
    pub(super) fn mask(&self, lanes: u64) -> WordMask<S> {
        WordMask::from_bits(self.bank.simd(), lanes)
    }

    /// Puts the map of a position into a lane.
    #[inline(never)]
    fn lay(&mut self, lane: usize, start: &Packed) {
        let aside = &mut self.asides[lane];
        aside.productive = [0; TOTALS];
        aside.ports = start.ports;
        let mut hex_pips = 0;
        for hex in 0..HEXES {
            let tile = (start.tiles >> (3 * hex) & 7) as u8;
            let token = (start.tokens[hex / 10] >> (4 * (hex % 10)) & 15) as u8;
            aside.tiles[hex] = tile;
            if let Some(hexes) = aside.productive.get_mut(usize::from(token).wrapping_sub(2))
                && usize::from(tile) < RESOURCES
            {
                *hexes |= 1 << (3 * hex);
                hex_pips |= pips(token) << (3 * hex);
            }
        }
        let ground = Ground::of(&aside.tiles, hex_pips, start.ports.iter().fold(0, |all, nodes| all | nodes));
        for (lanes, nodes) in self.ground.near.iter_mut().zip(ground.near) {
            lanes.set(lane, nodes);
        }
        for (lanes, nodes) in self.ground.worth.iter_mut().zip(ground.worth) {
            lanes.set(lane, nodes);
        }
        Hexes::set(&mut self.hex_pips, lane, hex_pips);
        let is_crowded = aside.productive.iter().any(|hexes| hexes.count_ones() > 2);
        set_bit(&mut self.crowded, lane, is_crowded);
        for (entries, hexes) in self.production.iter_mut().zip(aside.productive) {
            let mut hexes = bits(if is_crowded { 0 } else { hexes });
            let mut entry = || hexes.next().map_or(0, |bit| Hexes::entry(bit / 3, aside.tiles[bit as usize / 3]));
            entries.set(lane, entry() | entry() << 16);
        }
    }

    /// Puts a position of the lane's [item](Ticket) into a lane.
    #[inline(always)]
    pub(super) fn start(&mut self, lane: usize, start: &Packed) {
        let item = Some(self.asides[lane].ticket.item);
        if self.asides[lane].laid != item {
            self.lay(lane, start);
            self.asides[lane].laid = item;
        }
        let aside = &mut self.asides[lane];
        aside.phase = Phase::ALL.get(start.phase as usize).copied().unwrap_or(Phase::Turn);
        aside.placed = start.placed;
        aside.free_roads = start.free_roads;
        aside.new_settlement = start.new_settlement;
        aside.owed = start.owed.to_le_bytes();
        aside.longest_road = start.longest_road;
        aside.lengths = start.road_lengths.to_le_bytes();
        aside.has_grown = false;
        aside.entry = None;
        self.robber.set(lane, Hexes::place(start.robber));

        let (mut occupied, mut points) = (0, 0);
        let mut taken = Roads::NONE;
        for (seat, player) in start.players.iter().enumerate() {
            let PackedPlayer { buildings, cities, h, v, hand, cards, played } = *player;
            let buildings = buildings & ALL_NODES;
            let cities = cities & buildings;
            occupied |= buildings;
            taken |= Roads { h, v };
            let built = [Roads { h, v }.len(), (buildings & !cities).count_ones(), cities.count_ones()];
            let left = [0, 1, 2].map(|piece| PIECES[piece].saturating_sub(built[piece] as u8));
            let yields = |set: u64| bits(set).fold(0u64, |sum, node| sum.wrapping_add(NODE_YIELDS[node as usize]));
            let fields = &mut self.seats[seat];
            fields.buildings.set(lane, buildings);
            fields.cities.set(lane, cities);
            fields.h.set(lane, h);
            fields.v.set(lane, v);
            fields.hand.set(lane, counts::of(Cards(hand)));
            fields.cards.set(lane, counts::of(Cards(cards)));
            fields.played.set(lane, counts::of(Cards(played)));
            fields.left.set(lane, u32::from_le_bytes([left[0], left[1], left[2], 0]));
            fields.rates.set(lane, 4 * counts::ONE_EACH);
            Hexes::set(&mut fields.yields, lane, yields(buildings).wrapping_add(yields(cities)));
            self.open_ports(lane, seat, buildings);
            let awards = [start.longest_road, start.largest_army].map(|holder| u32::from(holder == seat as u32));
            let buildings = u32::from(PIECES[1] - left[1]) + 2 * u32::from(PIECES[2] - left[2]);
            let hidden = counts::count(counts::of(Cards(cards)), VICTORY_POINT);
            points |= (buildings + 2 * (awards[0] + awards[1]) + hidden).min(127) << (8 * seat);
        }
        self.occupied.set(lane, occupied);
        self.free.set(lane, ALL_NODES & !(occupied | neighbours(occupied)));
        self.taken_h.set(lane, taken.h);
        self.taken_v.set(lane, taken.v);
        self.points.set(lane, points);
        self.bank.set(lane, counts::of(Cards(start.bank)));
        self.deck.set(lane, counts::of(Cards(start.deck)));
        self.fresh.set(lane, counts::of(Cards(start.fresh)));
        self.mover.set(lane, start.mover % SEATS as u32);
        self.largest_army.set(lane, start.largest_army.min(NOBODY));
        self.turns.set(lane, 0);
        self.actions.set(lane, 0);
        set_bit(&mut self.rolled, lane, start.rolled != 0);
        set_bit(&mut self.card_played, lane, start.card_played != 0);
    }

    /// The position of a lane, in a game that began with `start`.
    pub(super) fn position(&self, lane: usize, start: &Packed) -> Packed {
        let aside = &self.asides[lane];
        let cards = |counts: u32| counts::cards(counts).0;
        let mut packed = Packed {
            bank: cards(self.bank.get(lane)),
            deck: cards(self.deck.get(lane)),
            fresh: cards(self.fresh.get(lane)),
            new_settlement: aside.new_settlement,
            offer: [0; 2],
            turn: start.turn.wrapping_add(self.turns.get(lane)),
            robber: Hexes::hex(self.robber.get(lane)).unwrap_or(start.robber),
            mover: self.mover.get(lane),
            phase: aside.phase as u32,
            rolled: (self.rolled >> lane & 1) as u32,
            card_played: (self.card_played >> lane & 1) as u32,
            placed: aside.placed,
            free_roads: aside.free_roads,
            owed: u32::from_le_bytes(aside.owed),
            longest_road: aside.longest_road,
            largest_army: self.largest_army.get(lane),
            road_lengths: 0,
            offered_to: NOBODY,
            ..*start
        };
        for (seat, fields) in self.seats.iter().enumerate() {
            packed.players[seat] = PackedPlayer {
                buildings: fields.buildings.get(lane),
                cities: fields.cities.get(lane),
                h: fields.h.get(lane),
                v: fields.v.get(lane),
                hand: cards(fields.hand.get(lane)),
                cards: cards(fields.cards.get(lane)),
                played: cards(fields.played.get(lane)),
            };
            packed.road_lengths |= u32::from(self.length(lane, seat)) << (8 * seat);
        }
        packed
    }
}

#[inline(always)]
fn set_bit(set: &mut u64, bit: usize, is_set: bool) {
    *set = *set & !(1 << bit) | u64::from(is_set) << bit;
}
