//! What most lanes do most of the time, all lanes at once: roll and produce, choose, trade with the bank, end turns.
//!
//! A lane waits for one of four passes, and the [driver](super::lockstep) takes the one that most lanes wait for:
//!
//! ```text
//! roll     the mover can only roll
//! pick     the mover can trade, buy or play a card, or roll or end the turn: no look at the board
//! build    the mover can perhaps build, so that the board has to be looked at
//! rob      the mover moves the robber
//! ```
//! [`Lanes::sort`] finds out which, and ends the turns of movers who can do nothing else.

use fearless_simd::Simd;

use super::counts::{self, GUARDS, ONE_EACH};
use super::heuristic::Ground;
use super::misc;
use super::packed::Phase;
use super::single::{
    Aside, CARD, CITY, Choice, KNIGHT, MONOPOLY, ROAD, ROAD_BUILDING, SETTLEMENT, VICTORY_POINT, YEAR_OF_PLENTY,
};
use super::tables::{HAND_LIMIT, HEXES, RESOURCES, SEATS, WINNING_POINTS};
use super::wall::{ALL_EDGES, Roads, STRIDE};
use super::{Policy, Strategy};
use crate::bits::bits;
use crate::lanes::{BoardMask, Boards, WordMask, Words};
use crate::queue::Ending;
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

    const SECOND: u32 = 128;

    /// Where to find a hex and what it pays: its place, and in the next byte the shift of the resource.
    pub const fn entry(hex: u32, resource: u8) -> u32 {
        Self::place(hex) | (counts::BITS * resource as u32) << 8
    }

    /// The entry, or nothing where the robber is.
    #[inline(always)]
    fn without_robber<S: Simd>(entry: Words<S>, robber: Words<S>) -> Words<S> {
        (!(entry & 0xff).equals(robber)).keep(entry)
    }

    #[inline(always)]
    fn is_second<S: Simd>(entry: Words<S>) -> WordMask<S> {
        !(entry & Self::SECOND).is(0)
    }

    /// What the hex of an entry pays, given the yields of a seat.
    #[inline(always)]
    fn income<S: Simd>(yields: &[Words<S>; 2], entry: Words<S>, is_second: WordMask<S>) -> Words<S> {
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
    pub turns: Words<S>,
    pub actions: Words<S>,
    pub turn_cap: Words<S>,
    pub rng: LaneRng<S>,
    pub strategies: [Strategy; SEATS],
    /// The map, as the heuristic sees it.
    pub ground: Ground<Boards<S>>,
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

/// Where counts are at least those of `cost`.
#[inline(always)]
pub(super) fn covers<S: Simd>(counts: Words<S>, cost: u32) -> WordMask<S> {
    (((counts | GUARDS) - cost) & GUARDS).is(GUARDS)
}

/// What movers do next: the number of a list and the bit in it.
#[derive(Clone, Copy)]
pub(super) struct Decision<S: Simd> {
    pub list: Words<S>,
    pub bit: Words<S>,
}

/// The lists of choices, in the order in which they are counted; horizontal roads come before vertical ones.
pub(super) const ROADS: u32 = 0;
pub(super) const SETTLEMENTS: u32 = 2;
pub(super) const CITIES: u32 = 3;
pub(super) const TRADES: u32 = 4;
/// The bits of [`misc`] after the trades.
pub(super) const OTHERS: u32 = 5;

/// The bit in the last list.
pub(super) const fn other(bit: u32) -> u32 {
    bit - misc::PLENTY
}

/// What a mover could do with its cards if the board allows it.
pub(super) struct Means<S: Simd> {
    pub hand: Words<S>,
    /// Guard bits of the resources that can be given to the bank.
    give: Words<S>,
    /// Development cards that can be played.
    pub playable: Words<S>,
    can_buy: WordMask<S>,
}

impl<S: Simd> Means<S> {
    #[inline(always)]
    pub(super) fn can_play(&self, kind: usize) -> WordMask<S> {
        !(self.playable & (31 * counts::one(kind))).is(0)
    }
}

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
            turns: word,
            actions: word,
            turn_cap: Words::splat(simd, policy.turn_cap.min(i32::MAX as u32)),
            rng: LaneRng::new(simd),
            strategies: policy.seats,
            ground: Ground { near: [board; RESOURCES], pips: [board; 4], ports: board },
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

    #[inline(always)]
    pub(super) fn means(&self, movers: &Movers<S>) -> Means<S> {
        let hand = movers.words(of_seats!(self, hand));
        let rates = movers.words(of_seats!(self, rates));
        let cards = movers.words(of_seats!(self, cards));
        Means {
            hand,
            give: ((hand | GUARDS) - rates) & GUARDS,
            playable: self.mask(!self.card_played).keep(cards - self.fresh),
            can_buy: covers(hand, CARD) & !self.deck.is(0),
        }
    }

    /// Finds out what the unsorted lanes and those whose turns are `ending` have to do next.
    #[inline(always)]
    pub fn sort(&mut self, ending: u64) {
        let unsorted = std::mem::take(&mut self.unsorted);
        let movers = Movers::new(self.mover);
        let means = self.means(&movers);
        let playable = means.playable & !(31 * counts::one(VICTORY_POINT));
        let with_board = covers(means.hand, ROAD) | covers(means.hand, CITY);
        let without = means.can_buy | !means.give.is(0);
        let free_roads = (!(playable & (31 * counts::one(ROAD_BUILDING))).is(0)).bits();
        let cards = (!playable.is(0)).bits();
        let rolled = self.rolled & unsorted;
        let builds = with_board.bits() & rolled | free_roads & unsorted;
        let picks = (without.bits() & rolled | cards & unsorted) & !builds;
        let idle = unsorted & !(builds | picks);
        self.builds |= builds;
        self.picks |= picks;
        self.rolls |= idle & !self.rolled;
        let ended = idle & self.rolled;
        if (ended | ending) != 0 {
            self.end_turns(ended, ending);
        }
    }

    /// Ends turns: of movers who could do nothing else, and of those who chose to.
    #[inline(always)]
    fn end_turns(&mut self, forced: u64, chosen: u64) {
        let lanes = forced | chosen;
        let ends = self.mask(lanes);
        let one = self.bank.zero() + 1;
        self.actions = self.actions + self.mask(forced).keep(one);
        self.turns = self.turns + ends.keep(one);
        self.mover = (self.mover + ends.keep(one)) & 3;
        self.fresh = (!ends).keep(self.fresh);
        self.rolled &= !lanes;
        self.card_played &= !lanes;

        let points = (self.points >> (self.mover << 3)) & 0xff;
        let won = points.above(u32::from(WINNING_POINTS) - 1);
        let over = ends & (won | !self.turns.less(self.turn_cap));
        let mut over_bits = 0;
        if over.any() {
            over_bits = over.bits();
            self.end_games(over_bits);
        }
        let going_on = lanes & !over_bits;
        let cards = Movers::new(self.mover).words(of_seats!(self, cards)) & !(31 * counts::one(VICTORY_POINT));
        let any = (!cards.is(0)).bits() & going_on;
        let free_roads = (!(cards & (31 * counts::one(ROAD_BUILDING))).is(0)).bits() & any;
        self.builds |= free_roads;
        self.picks |= any & !free_roads;
        self.rolls |= going_on & !any;
    }

    #[inline(never)]
    fn end_games(&mut self, lanes: u64) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            if self.has_won(lane) {
                self.end(lane, Ending::Win(self.mover.get(lane) as u8));
            } else {
                self.end(lane, Ending::Truncated);
            }
        }
    }

    /// The lanes that can only roll roll; hexes produce, sevens are dealt with.
    #[inline(always)]
    pub fn roll(&mut self) {
        let lanes = std::mem::take(&mut self.rolls);
        let rolling = self.mask(lanes);
        let zero = self.bank.zero();
        let dice = self.rng.below_where(rolling, zero + 36, zero);
        // 0 for a total of two: both dice count from 0. 43 / 256 is a sixth for all 36 numbers.
        let first = (dice * 43) >> 8;
        let total = dice - (first * 5);
        self.actions = self.actions + rolling.keep(zero + 1);
        self.rolled |= lanes;

        let mut entry = zero;
        for (number, &hexes) in self.production.iter().enumerate() {
            if number != SEVEN as usize {
                entry = total.is(number as u32).select(hexes, entry);
            }
        }
        let entry = rolling.keep(entry);
        let one = Hexes::without_robber(entry & 0xffff, self.robber);
        let other = Hexes::without_robber(entry >> 16, self.robber);
        let (one_is_second, other_is_second) = (Hexes::is_second(one), Hexes::is_second(other));
        let mut income = [zero; SEATS];
        let mut demand = zero;
        for (income, Seat { yields, .. }) in income.iter_mut().zip(&self.seats) {
            *income = Hexes::income(yields, one, one_is_second) + Hexes::income(yields, other, other_is_second);
            demand = demand + *income;
        }
        let is_short = !(((self.bank | GUARDS) - demand) & GUARDS).is(GUARDS);
        let sevens = (rolling & total.is(SEVEN)).bits();
        let single = is_short.bits() | self.crowded & lanes & !sevens;
        if single != 0 {
            let paid = self.mask(!single);
            for income in &mut income {
                *income = paid.keep(*income);
            }
            demand = paid.keep(demand);
        }
        self.bank = self.bank - demand;
        for (seat, income) in self.seats.iter_mut().zip(income) {
            seat.hand = seat.hand + income;
        }
        for lane in bits(single).map(|lane| lane as usize) {
            self.produce(lane, total.get(lane) as usize);
        }
        self.unsorted |= lanes & !sevens;
        if sevens != 0 {
            let mut too_many = zero.above(0);
            for seat in &self.seats {
                too_many = too_many | sum(seat.hand).above(HAND_LIMIT.into());
            }
            let discarding = too_many.bits() & sevens;
            self.robs |= sevens & !discarding;
            for lane in bits(discarding) {
                self.discards(lane as usize);
            }
        }
        self.sort(0);
    }

    /// The robber goes to a uniform hex and victim; the victim loses a uniform card.
    #[inline(always)]
    pub fn rob(&mut self, lanes: u64) {
        self.robs &= !lanes;
        let robbing = self.mask(lanes);
        let zero = self.bank.zero();
        // The hexes where it is not, bit 3 hex in the two words; then for each opponent with cards the hexes of its
        // buildings, in the bit that is the opponent's.
        let robbed = (zero + 1) << (self.robber & 31);
        let is_second = Hexes::is_second(self.robber);
        let elsewhere =
            [(zero + FIRST_HEXES) & !(!is_second).keep(robbed), (zero + SECOND_HEXES) & !is_second.keep(robbed)];
        let mut victims = [zero; 2];
        let mut nobody = elsewhere;
        let opponents =
            [Movers::new((self.mover + 1) & 3), Movers::new((self.mover + 2) & 3), Movers::new((self.mover + 3) & 3)];
        for (number, opponent) in opponents.iter().enumerate() {
            let has_cards = !opponent.words(of_seats!(self, hand)).is(0);
            for half in 0..2 {
                let [a, b, c, d] = &self.seats;
                let yields = opponent.words([a.yields[half], b.yields[half], c.yields[half], d.yields[half]]);
                let hexes = has_cards.keep((yields | (yields >> 1) | (yields >> 2)) & elsewhere[half]);
                nobody[half] = nobody[half] & !hexes;
                victims[half] = victims[half] | (hexes << number as u32);
            }
        }
        let [first, second] = [victims[0] | nobody[0], victims[1] | nobody[1]];
        let in_first = first.count_ones();
        let k = self.rng.below_where(robbing, in_first + second.count_ones(), zero);
        let is_second = !k.less(in_first);
        let bit = is_second.select(second, first).kth_bit(k - is_second.keep(in_first));
        let number = bit - third(bit) * 3;
        let place = (bit - number) + is_second.keep(zero + Hexes::SECOND);
        self.robber = robbing.select(place, self.robber);

        let victim = (self.mover + number + 1) & 3;
        let steals = robbing & !((is_second.select(victims[1], victims[0]) >> bit) & 1).is(0);
        let hand = Movers::new(victim).words(of_seats!(self, hand));
        let k = self.rng.below_where(steals, sum(hand), zero);
        let card = steals.keep(kth_card(hand, k));
        for (number, seat) in self.seats.iter_mut().enumerate() {
            let lost = victim.is(number as u32).keep(card);
            let won = self.mover.is(number as u32).keep(card);
            seat.hand = seat.hand - lost + won;
        }
        self.actions = self.actions + robbing.keep(zero + 1);
        for lane in bits(lanes) {
            self.asides[lane as usize].phase = Phase::Turn;
        }
        self.unsorted |= lanes;
        self.sort(0);
    }

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
        let mut list = zero + 4;
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

        self.carry_out(lanes, &movers, &means, &Decision { list, bit }, |list, bit, _| choice(list, bit));
    }

    /// The movers of these lanes do what they have decided; `choice` says what that is if it is done lane by lane.
    #[inline(always)]
    pub(super) fn carry_out(
        &mut self,
        lanes: u64,
        movers: &Movers<S>,
        means: &Means<S>,
        decision: &Decision<S>,
        choice: impl Fn(u32, u32, usize) -> Choice,
    ) {
        self.picks &= !lanes;
        self.builds &= !lanes;
        let Decision { list, bit } = *decision;
        let deciding = self.mask(lanes);
        let trading = deciding & list.is(TRADES);
        if trading.any() {
            self.trade(movers, means, trading, bit);
        }
        let rolling_or_ending = (deciding & list.is(OTHERS) & bit.is(other(misc::ROLL_OR_END))).bits();
        let ending = rolling_or_ending & self.rolled;
        let rolling = rolling_or_ending & !self.rolled;
        self.rolls |= rolling;
        // A roll is counted when the dice are cast.
        self.actions = self.actions + self.mask(lanes & !rolling).keep(self.bank.zero() + 1);
        let trading = trading.bits();
        self.unsorted |= trading;
        for lane in bits(lanes & !(rolling_or_ending | trading)).map(|lane| lane as usize) {
            self.act(lane, choice(list.get(lane), bit.get(lane), lane));
        }
        self.sort(ending);
    }

    /// Trades with the bank: bit `5 give + get`.
    #[inline(always)]
    fn trade(&mut self, movers: &Movers<S>, means: &Means<S>, trading: WordMask<S>, bit: Words<S>) {
        // 52 / 256 is a fifth for all 25 numbers.
        let give = (bit * 52) >> 8;
        let get = bit - give * 5;
        let [give, get] = [(give << 2) + (give << 1), (get << 2) + (get << 1)];
        let rates = movers.words(of_seats!(self, rates));
        let one = self.bank.zero() + 1;
        let paid = trading.keep(((rates >> give) & 31) << give);
        let got = trading.keep(one << get);
        self.bank = self.bank + paid - got;
        let hand = means.hand - paid + got;
        for seat in 0..SEATS {
            let is_mover = trading & self.mover.is(seat as u32);
            let held = &mut self.seats[seat].hand;
            *held = is_mover.select(hand, *held);
        }
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

/// Bit 3 hex of the hexes in the two words of [`Hexes`].
const FIRST_HEXES: u32 = 0x0924_9248;
const SECOND_HEXES: u32 = 0x0924_9249;

/// How many cards there are of all kinds together.
#[inline(always)]
pub(super) fn sum<S: Simd>(counts: Words<S>) -> Words<S> {
    let pairs = (counts & 0x3f03_f03f) + ((counts >> 6) & 0x0003_f03f);
    (pairs + (pairs >> 12) + (pairs >> 24)) & 0x7f
}

/// One card of the kind of the `k`-th card.
#[inline(always)]
fn kth_card<S: Simd>(counts: Words<S>, k: Words<S>) -> Words<S> {
    let zero = counts.zero();
    let mut end = zero;
    let mut shift = zero;
    for kind in 0..4 {
        end = end + ((counts >> (counts::BITS * kind)) & 31);
        shift = shift + (!k.less(end)).keep(zero + counts::BITS);
    }
    (zero + 1) << shift
}

/// A third, rounded down, of numbers below 32.
#[inline(always)]
fn third<S: Simd>(number: Words<S>) -> Words<S> {
    (number * 86) >> 8
}

/// The total of seven among those that count from 0.
const SEVEN: u32 = 5;

fn choice(list: u32, bit: u32) -> Choice {
    match list {
        0 => Choice::Road(Roads { h: 1 << (bit & 63), v: 0 }),
        1 => Choice::Road(Roads { h: 0, v: 1 << (bit & 63) }),
        2 => Choice::Settlement(1 << (bit & 63)),
        3 => Choice::City(1 << (bit & 63)),
        _ => Choice::Misc(misc::PLENTY + bit),
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
