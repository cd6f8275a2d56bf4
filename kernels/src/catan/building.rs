//! Roads, settlements and cities of single lanes, and who has the longest road.

use fearless_simd::Simd;

use super::counts;
use super::longest_road;
use super::packed::NOBODY;
use super::state::{Aside, Hexes, Lanes};
use super::tables::{LONGEST_ROAD, PIECES, RESOURCES, SEATS};
use super::wall::{NODE_YIELDS, Roads, neighbours};

impl<S: Simd> Lanes<S> {
    #[inline(never)]
    pub(super) fn place_road(&mut self, lane: usize, seat: usize, road: Roads) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.place_road_inline(lane, seat, road),
        );
    }

    #[inline(always)]
    fn place_road_inline(&mut self, lane: usize, seat: usize, road: Roads) {
        let roads = self.roads_of(lane, seat) | road;
        self.seats[seat].h.set(lane, roads.h);
        self.seats[seat].v.set(lane, roads.v);
        self.taken_h.set(lane, self.taken_h.get(lane) | road.h);
        self.taken_v.set(lane, self.taken_v.get(lane) | road.v);
        let left = self.seats[seat].left.get(lane);
        self.seats[seat].left.set(lane, left - u32::from(left & 0xff != 0));
        self.grow(lane, seat, roads, road);
    }

    /// The length of the longest road, computed afresh.
    #[inline(never)]
    pub(super) fn length(&self, lane: usize, seat: usize) -> u8 {
        self.bank.simd().vectorize(
            #[inline(always)]
            || longest_road::length(self.roads_of(lane, seat), self.blocked(lane, seat)),
        )
    }

    #[inline(always)]
    fn blocked(&self, lane: usize, seat: usize) -> u64 {
        self.occupied.get(lane) & !self.seats[seat].buildings.get(lane)
    }

    /// A road has grown. What matters is only whether it is now longer than that of the holder, who never loses the
    /// award by growing.
    #[inline(always)]
    fn grow(&mut self, lane: usize, seat: usize, roads: Roads, road: Roads) {
        let Aside { longest_road: holder, lengths, .. } = self.asides[lane];
        if holder as usize == seat {
            self.asides[lane].has_grown = true;
            return;
        }
        // It was no longer than this.
        let before = lengths.get(holder as usize).copied().unwrap_or(lengths[seat].max(LONGEST_ROAD - 1));
        let length = longest_road::length_with(roads, road, self.blocked(lane, seat), before);
        if length > before {
            self.asides[lane].lengths[seat] = length;
            if self.asides[lane].has_grown {
                self.asides[lane].lengths[holder as usize % SEATS] = self.length(lane, holder as usize % SEATS);
                self.asides[lane].has_grown = false;
            }
            self.award_longest_road(lane);
        }
    }

    #[inline(never)]
    pub(super) fn place_settlement(&mut self, lane: usize, seat: usize, node: u64) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.place_settlement_inline(lane, seat, node),
        );
    }

    #[inline(always)]
    fn place_settlement_inline(&mut self, lane: usize, seat: usize, node: u64) {
        let fields = &mut self.seats[seat];
        fields.buildings.set(lane, fields.buildings.get(lane) | node);
        let left = fields.left.get(lane);
        let fewer = if left >> 8 & 0xff > 0 { left - (1 << 8) } else { left };
        fields.left.set(lane, fewer);
        let yields = Hexes::get(&fields.yields, lane).wrapping_add(yields_at(node));
        Hexes::set(&mut fields.yields, lane, yields);
        self.occupied.set(lane, self.occupied.get(lane) | node);
        self.free.set(lane, self.free.get(lane) & !(node | neighbours(node)));
        self.open_ports(lane, seat, node);
        self.add_points(lane, seat, (left - fewer) >> 8);
        // It may cut an opponent's road.
        let around = Roads::at(node);
        for step in 1..SEATS {
            let other = (seat + step) % SEATS;
            let roads = self.roads_of(lane, other);
            if (roads & around).len() >= 2 {
                // A cut changes who holds the award if it hits the holder or one of several leaders.
                self.asides[lane].lengths[other] = 0;
                let holder = self.asides[lane].longest_road;
                if holder == NOBODY || holder as usize == other {
                    self.measure_roads(lane);
                    self.award_longest_road(lane);
                }
            }
        }
    }

    pub(super) fn place_city(&mut self, lane: usize, seat: usize, node: u64) {
        let fields = &mut self.seats[seat];
        fields.cities.set(lane, fields.cities.get(lane) | node);
        let [roads, settlements, cities, _] = fields.left.get(lane).to_le_bytes();
        let (more, fewer) = (PIECES[1].min(settlements + 1), cities.saturating_sub(1));
        fields.left.set(lane, u32::from_le_bytes([roads, more, fewer, 0]));
        let yields = Hexes::get(&fields.yields, lane).wrapping_add(yields_at(node));
        Hexes::set(&mut fields.yields, lane, yields);
        // A city is worth two, the settlement it was worth one.
        let gained = 2 * (cities - fewer);
        self.add_points(lane, seat, u32::from(gained).wrapping_sub((more - settlements).into()));
    }

    pub(super) fn open_ports(&mut self, lane: usize, seat: usize, nodes: u64) {
        let ports = &self.asides[lane].ports;
        if ports.iter().all(|port| port & nodes == 0) {
            return;
        }
        let rates = &mut self.seats[seat].rates;
        let mut word = rates.get(lane);
        for (resource, &port) in ports[..RESOURCES].iter().enumerate() {
            let rate = if port & nodes != 0 {
                2
            } else if ports[RESOURCES] & nodes != 0 {
                3
            } else {
                continue;
            };
            let before = counts::count(word, resource);
            word -= counts::one(resource) * (before - before.min(rate));
        }
        rates.set(lane, word);
    }

    /// Computes all lengths that can count.
    #[inline(never)]
    fn measure_roads(&mut self, lane: usize) {
        for seat in 0..SEATS {
            let bound = longest_road::bound(self.roads_of(lane, seat), self.blocked(lane, seat));
            let counts = bound >= LONGEST_ROAD.into();
            self.asides[lane].lengths[seat] = if counts { self.length(lane, seat) } else { 0 };
        }
        self.asides[lane].has_grown = false;
    }

    fn award_longest_road(&mut self, lane: usize) {
        let before = self.asides[lane].longest_road;
        let lengths = self.asides[lane].lengths;
        let holder = longest_road::holder(lengths, (before < NOBODY).then_some(before as u8));
        let holder = holder.map_or(NOBODY, u32::from);
        if holder != before {
            self.move_award(lane, before, holder);
            self.asides[lane].longest_road = holder;
        }
    }
}

/// What a settlement on a node adds to the yields.
#[inline(always)]
fn yields_at(node: u64) -> u64 {
    NODE_YIELDS[node.trailing_zeros() as usize % 64]
}
