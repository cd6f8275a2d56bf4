//! `random-s` in lanes: SmartSettlers' list of actions, which the rules engine describes. One lane at a time.

use fearless_simd::Simd;

use super::counts::{self, GUARDS};
use super::misc;
use super::single::Choice;
use super::state::{CARD, CITY, Hexes, KNIGHT, Lanes, MONOPOLY, ROAD, ROAD_BUILDING, SETTLEMENT, YEAR_OF_PLENTY};
use super::tables::{RESOURCES, SEATS};
use super::wall::{ALL_EDGES, CORNER_BITS, HEX_CORNERS, Roads, STRIDE};
use crate::bits::{bits, count, find, kth};
use crate::rng::{Draws, Rng};

impl<S: Simd> Lanes<S> {
    /// The movers of these lanes choose from the list.
    #[inline(never)]
    pub(super) fn choose_from_list(&mut self, lanes: u64) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.choose_from_list_inline(lanes),
        );
    }

    #[inline(always)]
    fn choose_from_list_inline(&mut self, lanes: u64) {
        self.picks &= !lanes;
        self.builds &= !lanes;
        let mut ending = 0;
        for lane in bits(lanes).map(|lane| lane as usize) {
            let is_rolled = self.rolled >> lane & 1 != 0;
            let choice = self.listed_choice(lane);
            if matches!(choice, Choice::Misc(misc::ROLL_OR_END)) && !is_rolled {
                // A roll is counted when the dice are cast.
                self.rolls |= 1 << lane;
                continue;
            }
            self.actions.set(lane, self.actions.get(lane) + 1);
            match choice {
                Choice::Misc(misc::ROLL_OR_END) => ending |= 1 << lane,
                Choice::Misc(bit @ ..misc::PLENTY) => self.trade_alone(lane, bit as usize / 5, bit as usize % 5),
                choice => self.act(lane, choice),
            }
        }
        self.sort(ending);
    }

    #[inline(always)]
    fn trade_alone(&mut self, lane: usize, give: usize, get: usize) {
        let seat = self.mover_of(lane);
        let rate = counts::count(self.seats[seat].rates.get(lane), give);
        self.pay(lane, seat, counts::one(give) * rate);
        self.pay(lane, seat, counts::one(get).wrapping_neg());
        self.unsorted |= 1 << lane;
    }

    /// The sets of roads: horizontal from the left and the right end, vertical from the upper and the lower end.
    #[inline(always)]
    fn roads_by_end(&self, lane: usize, seat: usize) -> [u64; 4] {
        let from =
            self.roads_of(lane, seat).touched() & !self.occupied.get(lane) | self.seats[seat].buildings.get(lane);
        let Roads { h, v } = ALL_EDGES - self.taken(lane);
        [h & from, h & from >> 1, v & from, v & from >> STRIDE]
    }

    /// The entries of the robber: hexes, by their upper left corner, with an opponent's building on each corner.
    #[inline(always)]
    fn entries(&self, lane: usize, seat: usize) -> [u64; 6] {
        let others = self.occupied.get(lane) & !self.seats[seat].buildings.get(lane);
        let robber = Hexes::hex(self.robber.get(lane)).map_or(0, |hex| kth(HEX_CORNERS, hex));
        CORNER_BITS.map(|bits| HEX_CORNERS & !robber & others >> bits)
    }

    /// One draw, unless there is no choice.
    #[inline(always)]
    fn listed_choice(&mut self, lane: usize) -> Choice {
        let seat = self.mover_of(lane);
        let fields = &self.seats[seat];
        let can_play = self.card_played >> lane & 1 == 0;
        let playable = if can_play { fields.cards.get(lane) - self.fresh.get(lane) } else { 0 };
        let has = |kind: usize| counts::count(playable, kind) > 0;
        let robber = if has(KNIGHT) { self.entries(lane, seat) } else { [0; 6] };
        let mut sets = [0; 6];
        let mut others = 1u64 << misc::ROLL_OR_END;
        if self.rolled >> lane & 1 != 0 {
            let (hand, left) = (fields.hand.get(lane), fields.left.get(lane));
            let pays = |cost: u32| ((hand | GUARDS) - cost) & GUARDS == GUARDS;
            let roads = self.roads_by_end(lane, seat);
            if pays(ROAD) && left & 0xff != 0 {
                sets[..4].copy_from_slice(&roads);
            }
            if pays(SETTLEMENT) && left & 0xff00 != 0 {
                sets[4] = self.free.get(lane) & self.roads_of(lane, seat).touched();
            }
            if pays(CITY) && left & 0x00ff_0000 != 0 {
                sets[5] = fields.buildings.get(lane) & !fields.cities.get(lane);
            }
            let (hand, rates, bank) = (counts::cards(hand), counts::cards(fields.rates.get(lane)), self.bank.get(lane));
            let bank = counts::cards(bank);
            for give in (0..RESOURCES).filter(|&give| hand.count(give) >= rates.count(give)) {
                for get in (0..RESOURCES).filter(|&get| get != give && bank.count(get) > 0) {
                    others |= 1 << (5 * give + get);
                }
            }
            others |= u64::from(pays(CARD) && self.deck.get(lane) != 0) << misc::BUY;
            let can_lay = left & 0xff >= 2 && roads != [0; 4];
            others |= u64::from(has(ROAD_BUILDING) && can_lay) << misc::ROAD_BUILDING;
            if has(YEAR_OF_PLENTY) {
                others |= self.plenty(lane);
            }
            if has(MONOPOLY) {
                others |= 0b11111 << misc::MONOPOLY;
            }
        }
        let all = count(&sets) + count(&robber) + others.count_ones();
        let k = if all > 1 { self.draw_alone(lane, all) } else { 0 };
        let k = match find(&sets, k) {
            Ok((0 | 1, h)) => return Choice::Road(Roads { h, v: 0 }),
            Ok((2 | 3, v)) => return Choice::Road(Roads { h: 0, v }),
            Ok((4, node)) => return Choice::Settlement(node),
            Ok((_, node)) => return Choice::City(node),
            Err(k) => k,
        };
        match find(&robber, k) {
            Ok(_) => {
                self.asides[lane].entry = Some(k);
                Choice::Misc(misc::KNIGHT)
            }
            Err(k) => Choice::Misc(kth(others, k).trailing_zeros()),
        }
    }

    #[inline(always)]
    fn draw_alone(&mut self, lane: usize, n: u32) -> u32 {
        let mut rng = self.rng.get(lane);
        let k = rng.below(n);
        self.rng.put(lane, &rng);
        k
    }

    /// A free road, listed by its ends.
    pub(super) fn listed_road(&self, lane: usize, seat: usize, rng: &mut Rng) -> Roads {
        let roads = self.roads_by_end(lane, seat);
        let all = count(&roads);
        match find(&roads, if all > 1 { rng.below(all) } else { 0 }) {
            Ok((0 | 1, h)) => Roads { h, v: 0 },
            Ok((_, v)) => Roads { h: 0, v },
            Err(_) => Roads::NONE,
        }
    }

    /// Hex and victim of the robber; none if there is no opponent's building on any other hex.
    pub(super) fn listed_robbery(&mut self, lane: usize, rng: &mut Rng) -> Option<(u32, usize)> {
        let mover = self.mover_of(lane);
        let sets = self.entries(lane, mover);
        let all = count(&sets);
        let entry = self.asides[lane].entry.take();
        let k = entry.unwrap_or_else(|| if all > 1 { rng.below(all) } else { 0 });
        let (corner, first) = find(&sets, k).ok()?;
        let node = first << CORNER_BITS[corner];
        let seats = [1, 2, 3].map(|step| (mover + step) % SEATS);
        let victim = seats.into_iter().find(|&seat| self.seats[seat].buildings.get(lane) & node != 0)?;
        Some(((HEX_CORNERS & (first - 1)).count_ones(), victim))
    }
}
