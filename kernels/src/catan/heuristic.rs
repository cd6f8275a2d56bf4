//! What `heuristic` computes with words: for one game, or for a game in each lane.
//!
//! The rules engine says what the strategy is; its words and those of the lanes come from here.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use fearless_simd::Simd;

use super::counts::{self, GUARDS, ONE_EACH};
use super::rules::{CITIES, Decision, Means, OTHERS, ROADS, Robberies, SETTLEMENTS, Sites, TRADES, covers, other, sum};
use super::state::{
    CARD, CITY, Hexes, KNIGHT, Lanes, MONOPOLY, Movers, ROAD, ROAD_BUILDING, SETTLEMENT, VICTORY_POINT, YEAR_OF_PLENTY,
    of_seats,
};
use super::tables::{BANK, HAND_LIMIT, HEXES, RESOURCES};
use super::wall::{ALL_EDGES, HEX_SHAPES, Roads, STRIDE};
use super::{Cards, misc};
use crate::bits::bits;
use crate::lanes::{Boards, WordMask, Words};

/// Cards in the hands of opponents that make a monopoly worth playing.
pub const MONOPOLY_PAYS: u8 = 7;

/// Binary digits of scores.
pub const DIGITS: usize = 5;

/// A set of nodes or hexes: of one game, or one in each lane.
pub trait Set:
    Copy
    + BitAnd<Output = Self>
    + BitAnd<u64, Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The empty set.
    #[must_use]
    fn none(self) -> Self;
    /// The other set if this one is empty.
    #[must_use]
    fn or_else(self, other: Self) -> Self;
    /// This set if the other one is empty, else nothing.
    #[must_use]
    fn unless(self, other: Self) -> Self;
    /// The lowest bit alone.
    #[must_use]
    fn lowest(self) -> Self;
}

impl Set for u64 {
    #[inline(always)]
    fn none(self) -> Self {
        0
    }

    #[inline(always)]
    fn or_else(self, other: Self) -> Self {
        if self == 0 { other } else { self }
    }

    #[inline(always)]
    fn unless(self, other: Self) -> Self {
        if other == 0 { self } else { 0 }
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        self & self.wrapping_neg()
    }
}

impl<S: Simd> Set for Boards<S> {
    #[inline(always)]
    fn none(self) -> Self {
        self.zero()
    }

    #[inline(always)]
    fn or_else(self, other: Self) -> Self {
        self.is(0).select(other, self)
    }

    #[inline(always)]
    fn unless(self, other: Self) -> Self {
        other.is(0).keep(self)
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        self & (self.zero() - self)
    }
}

/// What the map says about its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground<T> {
    /// The nodes at hexes of each resource that produce.
    pub near: [T; RESOURCES],
    /// What each node is worth to everybody, by binary digits: the pips (ways to roll the token) of all hexes around it, 1 for
    /// wheat, 1 for ore, 2 for a port.
    pub worth: [T; DIGITS],
}

impl Ground<u64> {
    /// From the resource of each hex, the pips of each (three bits a hex, none where nothing is produced) and the
    /// nodes with a port.
    #[must_use]
    pub fn of(tiles: &[u8; HEXES], hex_pips: u64, ports: u64) -> Self {
        let mut ground = Self { near: [0; RESOURCES], worth: [0; DIGITS] };
        for (hex, &tile) in tiles.iter().enumerate() {
            let pips = hex_pips >> (3 * hex) & 7;
            if let Some(near) = ground.near.get_mut(usize::from(tile)).filter(|_| pips > 0) {
                let nodes = HEX_SHAPES[hex];
                *near |= nodes;
                for digit in bits(pips) {
                    add(&mut ground.worth, digit as usize, nodes);
                }
            }
        }
        // Three hexes have up to 15 pips; more, where a map has tokens that no box has, count without the sixteen.
        ground.worth[DIGITS - 1] = 0;
        let [.., wheat, ore] = ground.near;
        for (digit, nodes) in [(0, wheat), (0, ore), (1, ports)] {
            add(&mut ground.worth, digit, nodes);
        }
        ground
    }
}

/// Ways to roll a token with two dice.
#[must_use]
pub const fn pips(token: u8) -> u64 {
    6u64.saturating_sub(token.abs_diff(7) as u64)
}

/// Adds `2^digit` to the scores of a set.
fn add(digits: &mut [u64; DIGITS], digit: usize, set: u64) {
    let mut carry = set;
    for digit in &mut digits[digit..] {
        (*digit, carry) = (*digit ^ carry, *digit & carry);
    }
}

/// The score of each node for a player with these buildings: what it is [worth](Ground::worth) to everybody, and 2 for each resource
/// around it that no building touches yet.
#[inline(always)]
pub fn scores<T: Set>(ground: &Ground<T>, buildings: T) -> [T; DIGITS] {
    // How many such resources: at most three, as there are three hexes around a node.
    let [one, two] = ground.near.map(|nodes| nodes.unless(nodes & buildings)).into_iter().fold(
        [buildings.none(); 2],
        #[inline(always)]
        |[one, two], nodes| [one ^ nodes, two | one & nodes],
    );
    let [a, b, c, d, e] = ground.worth;
    let carry = b & one;
    let sum = c ^ two;
    let more = c & two | sum & carry;
    [a, b ^ one, sum ^ carry, d ^ more, e ^ (d & more)]
}

/// Those of a set with the largest score, which is given by its binary digits.
#[inline(always)]
pub fn best<T: Set>(digits: &[T], mut set: T) -> T {
    for &digit in digits.iter().rev() {
        set = (set & digit).or_else(set);
    }
    set
}

/// The nodes that one of these edges, horizontal and vertical, joins with a node of the set.
#[inline(always)]
pub fn beyond<T: Set>(nodes: T, [h, v]: [T; 2]) -> T {
    (nodes & h) << 1 | (nodes >> 1) & h | (nodes & v) << STRIDE | (nodes >> STRIDE) & v
}

/// Those of some edges that join a node of one set with a node of the other.
#[inline(always)]
pub fn between<T: Set>(a: T, b: T, [h, v]: [T; 2]) -> [T; 2] {
    [h & (a & (b >> 1) | (a >> 1) & b), v & (a & (b >> STRIDE) | (a >> STRIDE) & b)]
}

/// Where a player can go on.
#[derive(Clone, Copy, Debug)]
pub struct Prospects<T> {
    /// Its best settlement, to become a city.
    pub city: T,
    /// The best place for a settlement that a road has reached.
    pub settlement: T,
    /// The places for one that are a road away.
    pub near: T,
    /// The road towards the best of them, horizontal or vertical; if there is none, towards the best that is two away.
    pub road: [T; 2],
}

/// What a player has on the board.
#[derive(Clone, Copy, Debug)]
pub struct Network<T> {
    /// Nodes with a building, and those with a city.
    pub buildings: T,
    /// Nodes with a city.
    pub cities: T,
    /// Horizontal and vertical roads.
    pub roads: [T; 2],
}

/// Looks around: `occupied` nodes, `taken` edges and the `sites` where a settlement could be are everybody's.
#[inline(always)]
pub fn prospects<T: Set>(ground: &Ground<T>, own: &Network<T>, occupied: T, taken: [T; 2], sites: T) -> Prospects<T> {
    let scores = scores(ground, own.buildings);
    let [h, v] = own.roads;
    let touched = h | h << 1 | v | v << STRIDE;
    let free = [!taken[0] & ALL_EDGES.h, !taken[1] & ALL_EDGES.v];
    // Where roads start, and how far one and two of them lead.
    let start = touched & !occupied | own.buildings;
    let one = beyond(start, free) & !occupied;
    let two = beyond(one, free) & !occupied;
    let here = sites & touched;
    let near = sites & one & !here;
    let goal = best(&scores, near.or_else(sites & two & !here)).lowest();
    let end = (goal & near).or_else(beyond(goal, free) & one);
    let [h, v] = between(start, end, free);
    Prospects {
        city: best(&scores, own.buildings & !own.cities).lowest(),
        settlement: best(&scores, here).lowest(),
        near,
        road: [h.lowest(), v.lowest().unless(h)],
    }
}

/// The roads of a new settlement towards the best free node two edges away; all of them if there is none.
#[inline]
#[must_use]
pub fn set_up_roads(ground: &Ground<u64>, buildings: u64, new: u64, taken: Roads, sites: u64) -> Roads {
    let free = ALL_EDGES - taken;
    let edges = [free.h, free.v];
    let one = beyond(new, edges);
    let goals = best(&scores(ground, buildings), beyond(one, edges) & sites);
    let [h, v] = between(new, beyond(goals, edges) & one, edges);
    let roads = Roads { h, v };
    if roads.is_empty() { Roads::at(new) & free } else { roads }
}

/// What is left of each kind when other counts are taken away as far as they are there.
#[inline(always)]
fn without<S: Simd>(counts: Words<S>, others: Words<S>) -> Words<S> {
    let rest = (counts | GUARDS) - others;
    rest & kinds(rest & GUARDS)
}

/// All bits of the kinds whose guards are set.
#[inline(always)]
fn kinds<S: Simd>(guards: Words<S>) -> Words<S> {
    guards - (guards >> 5)
}

/// The sum of counts, which must be below 64.
#[inline(always)]
fn few<S: Simd>(counts: Words<S>) -> Words<S> {
    ((counts * ONE_EACH) >> (4 * counts::BITS)) & 63
}

/// How many trades with the bank some cards pay for, up to three of each resource.
#[inline(always)]
fn payments<S: Simd>(cards: Words<S>, rates: Words<S>) -> Words<S> {
    let once = (cards | GUARDS) - rates;
    let twice = once - rates;
    let thrice = twice - rates;
    few(((once & GUARDS) >> 5) + ((twice & GUARDS) >> 5) + ((thrice & GUARDS) >> 5))
}

/// The kind with the largest count, the first of several.
#[inline(always)]
fn most<S: Simd>(counts: Words<S>) -> Words<S> {
    let mut kind = counts.zero();
    let mut count = counts & 31;
    for other in 1..RESOURCES as u32 {
        let others = (counts >> (counts::BITS * other)) & 31;
        let is_more = count.less(others);
        count = is_more.select(others, count);
        kind = is_more.select(kind.zero() + other, kind);
    }
    kind
}

/// The first kind of which there is any.
#[inline(always)]
fn first<S: Simd>(counts: Words<S>) -> Words<S> {
    let mut kind = counts.zero();
    for other in (0..RESOURCES as u32).rev() {
        let is_none = (counts & (31 << (counts::BITS * other))).is(0);
        kind = is_none.select(kind, kind.zero() + other);
    }
    kind
}

#[inline(always)]
fn is_empty<S: Simd>(set: Boards<S>) -> WordMask<S> {
    (set.low() | set.high()).is(0)
}

/// What the movers are out for.
struct Plan<S: Simd> {
    hand: Words<S>,
    rates: Words<S>,
    /// How many cards it lacks.
    missing: Words<S>,
    /// All that it takes, and what the next choice takes.
    cost: Words<S>,
    next: Words<S>,
    /// That choice.
    decision: Decision<S>,
}

impl<S: Simd> Plan<S> {
    /// Takes another plan where it lacks fewer cards.
    #[inline(always)]
    fn consider(&mut self, is_possible: WordMask<S>, cost: Words<S>, next: u32, list: u32, bit: u32) {
        let zero = cost.zero();
        let missing = few(without(cost, self.hand));
        let is_paid = !payments(without(self.hand, cost), self.rates).less(missing);
        let missing = (!is_paid).keep(missing);
        let is_better = is_possible & missing.less(self.missing);
        self.missing = is_better.select(missing, self.missing);
        self.cost = is_better.select(cost, self.cost);
        self.next = is_better.select(zero + next, self.next);
        self.decision.list = is_better.select(zero + list, self.decision.list);
        self.decision.bit = is_better.select(zero + bit, self.decision.bit);
    }
}

impl<S: Simd> Lanes<S> {
    /// The movers of these lanes do what the strategy says.
    #[inline(never)]
    pub(super) fn decide(&mut self, lanes: u64) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.decide_inline(lanes),
        );
    }

    #[inline(always)]
    fn decide_inline(&mut self, lanes: u64) {
        let zero = self.bank.zero();
        let movers = Movers::new(self.mover);
        let wide = movers.wide();
        let means = self.means(&movers);
        let hand = means.hand;
        let rates = movers.words(of_seats!(self, rates));
        let left = movers.words(of_seats!(self, left));
        let own = Network {
            buildings: wide.boards(of_seats!(self, buildings)),
            cities: wide.boards(of_seats!(self, cities)),
            roads: [wide.boards(of_seats!(self, h)), wide.boards(of_seats!(self, v))],
        };
        let taken = [self.taken_h, self.taken_v];
        let prospects = prospects(&self.ground, &own, self.occupied, taken, self.free);
        let Prospects { city, settlement, near, road: [h, v] } = prospects;
        let has_road = !(left & 0xff).is(0) & !is_empty(h | v);
        let has_settlement = !(left & 0xff00).is(0);
        let has_city = !(left & 0x00ff_0000).is(0);

        let end = Decision { list: zero + OTHERS, bit: zero + other(misc::ROLL_OR_END) };
        let mut plan = Plan { hand, rates, missing: zero + 127, cost: zero, next: zero, decision: end };
        plan.consider(has_city & !is_empty(city), zero + CITY, CITY, CITIES, 0);
        plan.consider(has_settlement & !is_empty(settlement), zero + SETTLEMENT, SETTLEMENT, SETTLEMENTS, 0);
        let with_road = is_empty(near).select(zero + (SETTLEMENT + 2 * ROAD), zero + (SETTLEMENT + ROAD));
        plan.consider(has_settlement & has_road, with_road, ROAD, ROADS, 0);
        plan.consider(!self.deck.is(0), zero + CARD, CARD, OTHERS, other(misc::BUY));

        // From the last of the possibilities to the first.
        let surplus = without(hand, plan.cost);
        let missing = without(plan.next, hand);
        let spares_road = has_road & covers(surplus, ROAD);
        let mut decision = end;
        decision.list = spares_road.select(zero + ROADS, decision.list);
        let gives = surplus & kinds(((surplus | GUARDS) - rates) & GUARDS);
        let gets = missing & kinds(((self.bank | GUARDS) - ONE_EACH) & GUARDS);
        let trades = !payments(surplus, rates).less(few(missing)) & !gets.is(0);
        decision.list = trades.select(zero + TRADES, decision.list);
        decision.bit = trades.select(most(gives) * 5 + first(gets), decision.bit);
        let is_paid = missing.is(0);
        decision.list = is_paid.select(plan.decision.list, decision.list);
        decision.bit = is_paid.select(plan.decision.bit, decision.bit);
        const OTHER_CARDS: u32 =
            31 * (counts::one(ROAD_BUILDING) | counts::one(YEAR_OF_PLENTY) | counts::one(MONOPOLY));
        let cards = (!(means.playable & OTHER_CARDS).is(0)).bits() & self.rolled & lanes;
        for lane in bits(cards).map(|lane| lane as usize) {
            let has_road = has_road.bits() >> lane & 1 != 0;
            if let Some(bit) = self.card_to_play(lane, &means, plan.cost.get(lane), has_road) {
                decision.list.set(lane, OTHERS);
                decision.bit.set(lane, other(bit));
            }
        }
        let rolled = self.mask(self.rolled);
        let knight = means.can_play(KNIGHT).select(zero + other(misc::KNIGHT), end.bit);
        decision.list = rolled.select(decision.list, end.list);
        decision.bit = rolled.select(decision.bit, knight);

        self.carry_out(lanes, &movers, &decision, || Sites { road: [h, v], settlement, city });
    }

    /// Road building, monopoly or year of plenty, as a bit of [`misc`], if one is worth playing now.
    #[inline(never)]
    fn card_to_play(&self, lane: usize, means: &Means<S>, cost: u32, has_road: bool) -> Option<u32> {
        let has = |kind: usize| counts::count(means.playable.get(lane), kind) > 0;
        let [hand, bank, cost] = [means.hand.get(lane), self.bank.get(lane), cost].map(counts::cards);
        if has(ROAD_BUILDING) && has_road {
            return Some(misc::ROAD_BUILDING);
        }
        let theirs = Cards::new([BANK; RESOURCES]).without(bank).without(hand);
        if has(MONOPOLY) && theirs.count(theirs.most()) >= MONOPOLY_PAYS {
            return Some(misc::MONOPOLY + theirs.most() as u32);
        }
        let missing = cost.without(hand);
        let pair = [missing.kth(0), missing.kth(1)];
        let is_there = bank.covers(Cards::one(pair[0]) + Cards::one(pair[1]));
        (has(YEAR_OF_PLENTY) && matches!(missing.total(), 1 | 2) && is_there)
            .then(|| misc::PLENTY + misc::pair_number(pair[0], pair[1]))
    }

    /// The map of one lane.
    #[inline(always)]
    fn ground_of(&self, lane: usize) -> Ground<u64> {
        let Ground { near, worth } = &self.ground;
        Ground {
            near: [0, 1, 2, 3, 4].map(|resource: usize| near[resource].get(lane)),
            worth: [0, 1, 2, 3, 4].map(|digit: usize| worth[digit].get(lane)),
        }
    }

    /// The free nodes of the best score for a settlement of the set-up.
    #[inline(always)]
    pub(super) fn best_nodes(&self, lane: usize, seat: usize) -> u64 {
        let scores = scores(&self.ground_of(lane), self.seats[seat].buildings.get(lane));
        best(&scores, self.free.get(lane))
    }

    /// The roads to choose from in the set-up.
    #[inline(always)]
    pub(super) fn best_set_up_roads(&self, lane: usize, seat: usize) -> Roads {
        let taken = Roads { h: self.taken_h.get(lane), v: self.taken_v.get(lane) };
        let buildings = self.seats[seat].buildings.get(lane);
        let new = self.asides[lane].new_settlement;
        set_up_roads(&self.ground_of(lane), buildings, new, taken, self.free.get(lane))
    }

    /// The road towards the best place for a settlement; none if there is no such place or no road left.
    #[inline(always)]
    pub(super) fn best_road(&self, lane: usize, seat: usize) -> Roads {
        let fields = &self.seats[seat];
        if fields.left.get(lane) & 0xff == 0 {
            return Roads::NONE;
        }
        let own = Network {
            buildings: fields.buildings.get(lane),
            cities: fields.cities.get(lane),
            roads: [fields.h.get(lane), fields.v.get(lane)],
        };
        let taken = [self.taken_h.get(lane), self.taken_v.get(lane)];
        let ground = self.ground_of(lane);
        let [h, v] = prospects(&ground, &own, self.occupied.get(lane), taken, self.free.get(lane)).road;
        Roads { h, v }
    }

    /// After a seven in these lanes, where all players discard what they have most of.
    #[inline(always)]
    pub(super) fn discard_as_heuristic(&mut self, lanes: u64) {
        let one = self.bank.zero() + 1;
        let cards = of_seats!(self, hand).map(sum);
        let mut discarding = 0;
        for (seat, cards) in cards.iter().enumerate() {
            let lanes = cards.above(HAND_LIMIT.into()).bits() & lanes;
            self.actions = self.actions + self.mask(lanes).keep(one);
            discarding |= lanes << (seat * Words::<S>::LANES);
        }
        for bit in bits(discarding).map(|bit| bit as usize) {
            let (seat, lane) = (bit / Words::<S>::LANES, bit % Words::<S>::LANES);
            let (hand, cards) = (self.seats[seat].hand.get(lane), cards[seat].get(lane));
            self.pay(lane, seat, hand - counts::evened(hand, cards - cards / 2));
        }
        self.robs |= lanes;
    }

    /// Moves the robbers of these lanes and robs whom the strategy says.
    #[inline(never)]
    pub(super) fn rob_as_heuristic(&mut self, lanes: u64) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.rob_as_heuristic_inline(lanes),
        );
    }

    /// How much a victim is to be feared: public points, then cards; not at all without cards.
    #[inline(always)]
    fn danger(&self, robberies: &Robberies<S>, number: usize) -> Words<S> {
        let seat = (self.mover + (number as u32 + 1)) & 3;
        let points = (self.points >> (seat << 3)) & 0xff;
        let cards = robberies.opponents[number].words(of_seats!(self, cards));
        let hidden = (cards >> (counts::BITS * VICTORY_POINT as u32)) & 31;
        let public = (points - hidden).most(self.bank.zero());
        robberies.has_cards[number].keep((public << 8) | sum(robberies.hands[number]))
    }

    #[inline(always)]
    fn rob_as_heuristic_inline(&mut self, lanes: u64) {
        let zero = self.bank.zero();
        let robberies = self.robberies();
        let [a, b, c] = [self.danger(&robberies, 0), self.danger(&robberies, 1), self.danger(&robberies, 2)];
        let Robberies { elsewhere, own, hexes, has_cards, .. } = robberies;
        let [is_first, is_third] = [!a.less(b.most(c)), b.less(c)];
        let victim = (!is_first).keep(is_third.select(zero + 2, zero + 1));
        let [first, second, third] = hexes;
        let theirs = [
            is_first.select(first[0], is_third.select(third[0], second[0])),
            is_first.select(first[1], is_third.select(third[1], second[1])),
        ];
        let without_own = [theirs[0] & !own[0], theirs[1] & !own[1]];
        let mut best = or_else(without_own, or_else(theirs, elsewhere));
        for digit in [2, 1, 0] {
            best = or_else([best[0] & (self.hex_pips[0] >> digit), best[1] & (self.hex_pips[1] >> digit)], best);
        }
        let is_second = best[0].is(0);
        let set = is_second.select(best[1], best[0]);
        let shift = ((set & (zero - set)) - 1).count_ones();
        // Whom it finds there: the victim, or else the next opponent with cards.
        let there = [
            has_cards[0] & contains(first, shift, is_second),
            has_cards[1] & contains(second, shift, is_second),
            has_cards[2] & contains(third, shift, is_second),
        ];
        let next = there[0].select(zero, there[1].select(zero + 1, zero + 2));
        let hits = there[0] & victim.is(0) | there[1] & victim.is(1) | there[2] & victim.is(2);
        let number = hits.select(victim, next);
        let place = shift + is_second.keep(zero + Hexes::SECOND);
        self.move_robbers(lanes, place, there[0] | there[1] | there[2], number);
    }
}

/// Whether a set of hexes, in two words, has a bit in the first or the second.
#[inline(always)]
fn contains<S: Simd>(set: [Words<S>; 2], bit: Words<S>, is_second: WordMask<S>) -> WordMask<S> {
    !((is_second.select(set[1], set[0]) >> bit) & 1).is(0)
}

/// The other set of hexes, in two words, where this one is empty.
#[inline(always)]
fn or_else<S: Simd>(set: [Words<S>; 2], other: [Words<S>; 2]) -> [Words<S>; 2] {
    let is_none = (set[0] | set[1]).is(0);
    [is_none.select(other[0], set[0]), is_none.select(other[1], set[1])]
}
