//! `random` in lanes: a uniform one of all choices.

use fearless_simd::Simd;

use super::counts::{GUARDS, ONE_EACH};
use super::misc;
use super::rules::{Decision, Means, Sites, TRADES, VERTICAL_ROADS, covers, other};
use super::state::{CITY, KNIGHT, Lanes, MONOPOLY, Movers, ROAD, ROAD_BUILDING, SETTLEMENT, YEAR_OF_PLENTY, of_seats};
use super::wall::{ALL_EDGES, Roads, STRIDE};
use crate::bits::bits;
use crate::lanes::{Boards, WordMask, Words};

impl<S: Simd> Lanes<S> {
    /// The movers of these lanes choose uniformly among all they can do. Without `BOARD` none of them can build.
    #[inline(always)]
    pub fn choose<const BOARD: bool>(&mut self, lanes: u64) {
        let choosing = self.mask(lanes);
        let movers = Movers::new(self.mover);
        let means = self.means(&movers);
        let zero = self.bank.zero();
        let rolled = self.mask(self.rolled & lanes);
        let roads = if BOARD { Some(self.building(&movers, &means, rolled)) } else { None };

        let trades = rolled.keep(trades(means.give, ((self.bank | GUARDS) - ONE_EACH) & GUARDS));
        // Bits of `misc` from the year of plenty on.
        let mut others = (rolled & means.can_buy).keep(zero + (1 << other(misc::BUY)))
            | means.can_play(KNIGHT).keep(zero + (1 << other(misc::KNIGHT)))
            | means.can_play(MONOPOLY).keep(zero + (0b11111 << other(misc::MONOPOLY)))
            | (1 << other(misc::ROLL_OR_END));
        if let Some(building) = &roads {
            others = others
                | (means.can_play(ROAD_BUILDING) & building.can_lay).keep(zero + (1 << other(misc::ROAD_BUILDING)));
        }
        for lane in bits(means.can_play(YEAR_OF_PLENTY).bits() & lanes).map(|lane| lane as usize) {
            let pairs = (self.plenty(lane) >> misc::PLENTY) as u32;
            others.set(lane, others.get(lane) | pairs);
        }

        // The ends of the six lists one after the other.
        let trade_count = trades.count_ones();
        let other_count = others.count_ones();
        let board_counts = match &roads {
            Some(building) => building.counts(),
            None => [zero; 4],
        };
        let mut ends = [zero; 5];
        let mut sum = zero;
        for (end, count) in ends.iter_mut().zip(board_counts) {
            sum = sum + count;
            *end = sum;
        }
        ends[4] = sum + trade_count;
        let count = ends[4] + other_count;
        let k = self.rng.below_where(choosing & count.above(1), count, zero);

        // The list and the place in it.
        let is_other = !k.less(ends[4]);
        let is_trade = !k.less(ends[3]);
        let mut low = trades;
        let mut high = zero;
        let mut before = ends[3];
        let mut list = zero + TRADES;
        if let Some(building) = &roads {
            let past_h = !k.less(ends[0]);
            let past_v = !k.less(ends[1]);
            let past_settlements = !k.less(ends[2]);
            let board = past_h.widen().select(building.v, building.h);
            let board = past_v.widen().select(building.settlements, board);
            let board = past_settlements.widen().select(building.cities, board);
            low = is_trade.select(low, board.low());
            high = (!is_trade).keep(board.high());
            let one = zero + 1;
            list = past_h.keep(one) + past_v.keep(one) + past_settlements.keep(one) + is_trade.keep(one);
            let start = past_h.keep(ends[0]);
            let start = past_v.select(ends[1], start);
            let start = past_settlements.select(ends[2], start);
            before = is_trade.select(ends[3], start);
        }
        low = is_other.select(others, low);
        before = is_other.select(ends[4], before);
        list = list + is_other.keep(zero + 1);
        let mut place = k - before;
        let mut word = low;
        let mut offset = zero;
        if BOARD {
            let in_low = low.count_ones();
            let is_high = !place.less(in_low);
            place = place - is_high.keep(in_low);
            word = is_high.select(high, low);
            offset = is_high.keep(zero + 32);
        }
        let bit = word.kth_bit(place) + offset;

        let sites = || {
            let site = (Boards::splat(zero.simd(), 1)) << bit.widen();
            let is_vertical = list.is(VERTICAL_ROADS).widen();
            Sites {
                road: [is_vertical.select(site.zero(), site), is_vertical.keep(site)],
                settlement: site,
                city: site,
            }
        };
        self.carry_out(lanes, &movers, &Decision { list, bit }, sites);
    }

    /// What the movers can build.
    #[inline(always)]
    fn building(&self, movers: &Movers<S>, means: &Means<S>, rolled: WordMask<S>) -> Building<S> {
        let wide = movers.wide();
        let buildings = wide.boards(of_seats!(self, buildings));
        let cities = wide.boards(of_seats!(self, cities));
        let h = wide.boards(of_seats!(self, h));
        let v = wide.boards(of_seats!(self, v));
        let left = movers.words(of_seats!(self, left));
        // Whether a piece can be paid and is left; it is counted in this byte.
        macro_rules! has {
            ($cost:ident, $byte:literal) => {
                rolled & covers(means.hand, $cost) & !(left & (0xff << (8 * $byte))).is(0)
            };
        }
        let touched = h | (h << 1) | v | (v << STRIDE);
        let from = (touched & !self.occupied) | buildings;
        let Roads { h: all_h, v: all_v } = ALL_EDGES;
        let legal_h = (from | (from >> 1)) & all_h & !self.taken_h;
        let legal_v = (from | (from >> STRIDE)) & all_v & !self.taken_v;
        let any = legal_h | legal_v;
        let can_lay = !(any.low() | any.high()).is(0) & !(left & 0xff).is(0);
        let road = has!(ROAD, 0).widen();
        Building {
            can_lay,
            h: road.keep(legal_h),
            v: road.keep(legal_v),
            settlements: has!(SETTLEMENT, 1).widen().keep(self.free & touched),
            cities: has!(CITY, 2).widen().keep(buildings & !cities),
        }
    }
}

/// What movers can build, as sets.
struct Building<S: Simd> {
    /// Whether there is a place for a road and a road to lay there, paid or not.
    can_lay: WordMask<S>,
    h: Boards<S>,
    v: Boards<S>,
    settlements: Boards<S>,
    cities: Boards<S>,
}

impl<S: Simd> Building<S> {
    #[inline(always)]
    fn counts(&self) -> [Words<S>; 4] {
        [
            self.h.count_ones().narrow(),
            self.v.count_ones().narrow(),
            self.settlements.count_ones().narrow(),
            self.cities.count_ones().narrow(),
        ]
    }
}

/// The trades with the bank as bits `5 give + get`, from the guard bits of what can be given and got.
#[inline(always)]
fn trades<S: Simd>(give: Words<S>, get: Words<S>) -> Words<S> {
    /// Bits `6 i`: a resource for itself.
    const SAME: u32 = 0x0104_1041;
    let get = get >> 5;
    let get = (get | (get >> 5) | (get >> 10) | (get >> 15) | (get >> 20)) & 0b11111;
    let rows = ((give >> 5) & 1)
        | ((give >> 6) & (1 << 5))
        | ((give >> 7) & (1 << 10))
        | ((give >> 8) & (1 << 15))
        | ((give >> 9) & (1 << 20));
    (rows * get) & !SAME
}
