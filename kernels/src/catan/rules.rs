//! What most lanes do most of the time, all lanes at once: roll and produce, choose, trade with the bank, end turns.
//!
//! A lane waits for one of four passes, and the [driver](super::lockstep) takes the one that is worth most for those that wait:
//!
//! ```text
//! roll     the mover can only roll
//! pick     the mover can trade, buy or play a card, or roll or end the turn: no look at the board
//! build    the mover can perhaps build, so that the board has to be looked at
//! rob      the mover moves the robber
//! ```
//! [`Lanes::sort`] finds out which, and ends the turns of movers who can do nothing else.

use fearless_simd::Simd;

use super::Strategy;
use super::counts::{self, GUARDS};
use super::misc;
use super::packed::{NOBODY, Phase};
use super::single::Choice;
use super::state::{
    CARD, CITY, Hexes, KNIGHT, Lanes, Movers, ROAD, ROAD_BUILDING, SETTLEMENT, Seat, VICTORY_POINT, of_seats,
};
use super::tables::{HAND_LIMIT, LARGEST_ARMY, SEATS, WINNING_POINTS};
use super::wall::Roads;
use crate::bits::bits;
use crate::lanes::{Boards, WordMask, Words};
use crate::queue::Ending;

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

/// Where movers build, if they do.
pub(super) struct Sites<S: Simd> {
    /// An edge, horizontal or vertical.
    pub road: [Boards<S>; 2],
    pub settlement: Boards<S>,
    pub city: Boards<S>,
}

/// The lists of choices, in the order in which they are counted. The first is that of horizontal roads, or of all.
pub(super) const ROADS: u32 = 0;
pub(super) const VERTICAL_ROADS: u32 = 1;
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
    pub give: Words<S>,
    /// Development cards that can be played.
    pub playable: Words<S>,
    pub can_buy: WordMask<S>,
}

impl<S: Simd> Means<S> {
    #[inline(always)]
    pub(super) fn can_play(&self, kind: usize) -> WordMask<S> {
        !(self.playable & (31 * counts::one(kind))).is(0)
    }
}

/// Hexes for the robber: bit `3 hex` in the two words of [`Hexes`], and of opponents in the order after the mover.
pub(super) struct Robberies<S: Simd> {
    /// Where it is not.
    pub elsewhere: [Words<S>; 2],
    /// Those of them with a building of the mover, or of an opponent.
    pub own: [Words<S>; 2],
    pub hexes: [[Words<S>; 2]; SEATS - 1],
    pub hands: [Words<S>; SEATS - 1],
    pub has_cards: [WordMask<S>; SEATS - 1],
    pub opponents: [Movers<S>; SEATS - 1],
}

impl<S: Simd> Lanes<S> {
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

        let over = ends & (self.movers_have_won() | !self.turns.less(self.turn_cap));
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
            if self.strategies == [Strategy::Heuristic; SEATS] {
                self.discard_as_heuristic(sevens);
            } else {
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
        }
        self.sort(0);
    }

    /// The robber goes to a uniform hex and victim; the victim loses a uniform card.
    #[inline(always)]
    pub fn rob(&mut self, lanes: u64) {
        let robbing = self.mask(lanes);
        let zero = self.bank.zero();
        let Robberies { elsewhere, hexes, has_cards, .. } = self.robberies();
        let mut victims = [zero; 2];
        let mut nobody = elsewhere;
        for (number, (hexes, has_cards)) in (0..).zip(hexes.into_iter().zip(has_cards)) {
            for half in 0..2 {
                let hexes = has_cards.keep(hexes[half]);
                nobody[half] = nobody[half] & !hexes;
                victims[half] = victims[half] | (hexes << number);
            }
        }
        let [first, second] = [victims[0] | nobody[0], victims[1] | nobody[1]];
        let in_first = first.count_ones();
        let k = self.rng.below_where(robbing, in_first + second.count_ones(), zero);
        let is_second = !k.less(in_first);
        let bit = is_second.select(second, first).kth_bit(k - is_second.keep(in_first));
        let number = bit - third(bit) * 3;
        let place = (bit - number) + is_second.keep(zero + Hexes::SECOND);
        let steals = !((is_second.select(victims[1], victims[0]) >> bit) & 1).is(0);
        self.move_robbers(lanes, place, steals, number);
    }

    /// Where the movers' robbers can go, and whom they find there.
    #[inline(always)]
    pub(super) fn robberies(&self) -> Robberies<S> {
        let zero = self.bank.zero();
        let robbed = (zero + 1) << (self.robber & 31);
        let is_second = Hexes::is_second(self.robber);
        let elsewhere =
            [(zero + FIRST_HEXES) & !(!is_second).keep(robbed), (zero + SECOND_HEXES) & !is_second.keep(robbed)];
        let opponents =
            [Movers::new((self.mover + 1) & 3), Movers::new((self.mover + 2) & 3), Movers::new((self.mover + 3) & 3)];
        let [first, second, third] = &opponents;
        let hands = [
            first.words(of_seats!(self, hand)),
            second.words(of_seats!(self, hand)),
            third.words(of_seats!(self, hand)),
        ];
        Robberies {
            elsewhere,
            own: self.hexes_of(&Movers::new(self.mover), elsewhere),
            hexes: [self.hexes_of(first, elsewhere), self.hexes_of(second, elsewhere), self.hexes_of(third, elsewhere)],
            has_cards: [!hands[0].is(0), !hands[1].is(0), !hands[2].is(0)],
            hands,
            opponents,
        }
    }

    /// Those of some hexes where these players have a building.
    #[inline(always)]
    fn hexes_of(&self, players: &Movers<S>, [first, second]: [Words<S>; 2]) -> [Words<S>; 2] {
        let [a, b, c, d] = &self.seats;
        let yields = players.words([a.yields[0], b.yields[0], c.yields[0], d.yields[0]]);
        let others = players.words([a.yields[1], b.yields[1], c.yields[1], d.yields[1]]);
        [(yields | (yields >> 1) | (yields >> 2)) & first, (others | (others >> 1) | (others >> 2)) & second]
    }

    /// The robbers of these lanes go to a [place](Hexes::place), where the opponent of that number after the mover loses a
    /// uniform card if it `steals`.
    #[inline(always)]
    pub(super) fn move_robbers(&mut self, lanes: u64, place: Words<S>, steals: WordMask<S>, number: Words<S>) {
        self.robs &= !lanes;
        let robbing = self.mask(lanes);
        let zero = self.bank.zero();
        self.robber = robbing.select(place, self.robber);
        let victim = (self.mover + number + 1) & 3;
        let steals = robbing & steals;
        let hand = Movers::new(victim).words(of_seats!(self, hand));
        let k = self.rng.below_where(steals, sum(hand), zero);
        let card = steals.keep(kth_card(hand, k));
        for (number, seat) in self.seats.iter_mut().enumerate() {
            let lost = victim.is(number as u32).keep(card);
            let won = self.mover.is(number as u32).keep(card);
            seat.hand = seat.hand - lost + won;
        }
        self.actions = self.actions + robbing.keep(zero + 1);
        self.unsorted |= lanes;
        self.sort(0);
    }

    /// The movers of these lanes do what they have decided, and build where `sites` says.
    #[inline(always)]
    pub(super) fn carry_out(
        &mut self,
        lanes: u64,
        movers: &Movers<S>,
        decision: &Decision<S>,
        sites: impl FnOnce() -> Sites<S>,
    ) {
        self.picks &= !lanes;
        self.builds &= !lanes;
        let Decision { list, bit } = *decision;
        let deciding = self.mask(lanes);
        let others = deciding & list.is(OTHERS);
        let buying = others & bit.is(other(misc::BUY));
        self.pay_all(movers, deciding, list, bit, buying);
        if buying.any() {
            self.draw_cards(buying);
        }
        let knights = others & bit.is(other(misc::KNIGHT));
        if knights.any() {
            self.play_knights(movers, knights);
        }
        let rolling_or_ending = (others & bit.is(other(misc::ROLL_OR_END))).bits();
        let ending = rolling_or_ending & self.rolled;
        let rolling = rolling_or_ending & !self.rolled;
        self.rolls |= rolling;
        // A roll is counted when the dice are cast.
        self.actions = self.actions + self.mask(lanes & !rolling).keep(self.bank.zero() + 1);
        let (buying, knights) = (buying.bits(), knights.bits());
        let won = self.movers_have_won().bits() & (buying | knights);
        if won != 0 {
            self.win(won, knights);
        }
        self.unsorted |= (deciding & list.is(TRADES)).bits() | buying & !won;
        self.robs |= knights & !won;
        let building = deciding & list.less(list.zero() + TRADES);
        if building.any() {
            self.build(building.bits(), list, &sites());
        }
        for lane in bits(others.bits() & !(rolling_or_ending | buying | knights)).map(|lane| lane as usize) {
            self.act(lane, Choice::Misc(misc::PLENTY + bit.get(lane)));
        }
        self.sort(ending);
    }

    /// The movers pay the bank for what they buy or build, or trade with it: bit `5 give + get`.
    #[inline(always)]
    fn pay_all(
        &mut self,
        movers: &Movers<S>,
        deciding: WordMask<S>,
        list: Words<S>,
        bit: Words<S>,
        buying: WordMask<S>,
    ) {
        let zero = self.bank.zero();
        // 52 / 256 is a fifth for all 25 numbers.
        let give = (bit * 52) >> 8;
        let get = bit - give * 5;
        let [give, get] = [(give << 2) + (give << 1), (get << 2) + (get << 1)];
        let rates = movers.words(of_seats!(self, rates));
        let price = (((rates >> give) & 31) << give) - ((zero + 1) << get);
        let price = list.is(TRADES).select(price, buying.keep(zero + CARD));
        let price = list.is(CITIES).select(zero + CITY, price);
        let price = list.is(SETTLEMENTS).select(zero + SETTLEMENT, price);
        let price = list.less(zero + SETTLEMENTS).select(zero + ROAD, price);
        let price = deciding.keep(price);
        self.bank = self.bank + price;
        for (number, seat) in self.seats.iter_mut().enumerate() {
            seat.hand = seat.hand - self.mover.is(number as u32).keep(price);
        }
    }

    /// What the movers of these lanes have paid for is built, lane by lane.
    #[inline(always)]
    fn build(&mut self, lanes: u64, list: Words<S>, sites: &Sites<S>) {
        let (settling, growing) = (list.is(SETTLEMENTS).bits() & lanes, list.is(CITIES).bits() & lanes);
        for lane in bits(lanes & !(settling | growing)).map(|lane| lane as usize) {
            let [h, v] = &sites.road;
            self.place_road(lane, self.mover_of(lane), Roads { h: h.get(lane), v: v.get(lane) });
            self.go_on(lane);
        }
        for lane in bits(settling).map(|lane| lane as usize) {
            self.place_settlement(lane, self.mover_of(lane), sites.settlement.get(lane));
            self.go_on(lane);
        }
        for lane in bits(growing).map(|lane| lane as usize) {
            self.place_city(lane, self.mover_of(lane), sites.city.get(lane));
            self.go_on(lane);
        }
    }

    /// Games are won in the middle of a turn, some of them by a knight.
    #[inline(never)]
    fn win(&mut self, lanes: u64, knights: u64) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            if knights >> lane & 1 != 0 {
                self.asides[lane].phase = Phase::Robber;
            }
            self.end(lane, Ending::Win(self.mover_of(lane) as u8));
        }
    }

    #[inline(always)]
    fn movers_have_won(&self) -> WordMask<S> {
        ((self.points >> (self.mover << 3)) & 0xff).above(u32::from(WINNING_POINTS) - 1)
    }

    /// The movers of these lanes, who have paid, draw a uniform card of the deck.
    #[inline(always)]
    fn draw_cards(&mut self, buying: WordMask<S>) {
        let zero = self.bank.zero();
        let k = self.rng.below_where(buying, sum(self.deck), zero);
        let card = buying.keep(kth_card(self.deck, k));
        self.deck = self.deck - card;
        self.fresh = self.fresh + card;
        for (number, seat) in self.seats.iter_mut().enumerate() {
            seat.cards = seat.cards + self.mover.is(number as u32).keep(card);
        }
        let points = (card >> (counts::BITS * VICTORY_POINT as u32)) & 1;
        self.points = self.points + (points << (self.mover << 3));
    }

    /// The movers of these lanes play a knight, which may give them the largest army. The robber is still to be moved.
    #[inline(always)]
    fn play_knights(&mut self, movers: &Movers<S>, knights: WordMask<S>) {
        let zero = self.bank.zero();
        let knight = knights.keep(zero + counts::one(KNIGHT));
        for (number, seat) in self.seats.iter_mut().enumerate() {
            let knight = self.mover.is(number as u32).keep(knight);
            seat.cards = seat.cards - knight;
            seat.played = seat.played + knight;
        }
        self.card_played |= knights.bits();
        let army = |movers: &Movers<S>| (movers.words(of_seats!(self, played)) >> (counts::BITS * KNIGHT as u32)) & 31;
        let is_held = self.largest_army.less(zero + NOBODY);
        let holder = self.largest_army & 3;
        let most = is_held.select(army(&Movers::new(holder)), zero + (u32::from(LARGEST_ARMY) - 1));
        let gains = knights & most.less(army(movers));
        let [lost, gained] = [(gains & is_held).keep(zero + 2), gains.keep(zero + 2)];
        self.points = self.points - (lost << (holder << 3)) + (gained << (self.mover << 3));
        self.largest_army = gains.select(self.mover, self.largest_army);
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
