//! `heuristic`
use fairground_kernels::catan::tables::{LONGEST_ROAD, RESOURCES, SEATS};
use fairground_kernels::catan::wall::{ALL_EDGES, STRIDE};
use fairground_kernels::catan::{Cards, Roads, misc};
use fairground_kernels::bits::kth;
use fairground_kernels::rng::Draws;

use super::pieces::Card;
use super::policy::{Chooser, perform, rob_at};
use super::position::{Phase, Position, add};
use super::rules::{CARD, CITY, Choice, HEX_BITS, ROAD, SETTLEMENT};

/// dev
pub mod tune {
    use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};
    /// n
    pub const N: usize = 64;
    /// sets
    pub static SETS: [[AtomicI32; N]; 2] = [const { [const { AtomicI32::new(0) }; N] }; 2];
    /// seat with alternative
    pub static ALT: AtomicUsize = AtomicUsize::new(9);
    /// p
    #[inline]
    pub fn p(seat: usize, i: usize) -> i32 {
        SETS[usize::from(ALT.load(Relaxed) == seat)][i].load(Relaxed)
    }
}
use tune::p;

pub(super) struct Heuristic;

type Scores = [u64; 6];

fn add_weight(scores: &mut Scores, weight: i32, nodes: u64) {
    for bit in 0..6 {
        if weight >> bit & 1 != 0 {
            add(scores, bit, nodes);
        }
    }
}

/// The nodes of a set with the largest score.
fn best(scores: &Scores, mut nodes: u64) -> u64 {
    for plane in scores.iter().rev() {
        let higher = nodes & plane;
        if higher != 0 {
            nodes = higher;
        }
    }
    nodes
}

fn score_at(scores: &Scores, node: u64) -> i32 {
    (0..6).map(|k| i32::from(scores[k] & node != 0) << k).sum()
}

const fn spread(nodes: u64, Roads { h, v }: Roads) -> u64 {
    (nodes & h) << 1 | nodes >> 1 & h | (nodes & v) << STRIDE | nodes >> STRIDE & v
}

/// The edges of a set from one set of nodes to another.
const fn between(a: u64, b: u64, Roads { h, v }: Roads) -> Roads {
    Roads { h: h & (a & b >> 1 | a >> 1 & b), v: v & (a & b >> STRIDE | a >> STRIDE & b) }
}

fn lowest(Roads { h, v }: Roads) -> Roads {
    if h != 0 { Roads { h: h & h.wrapping_neg(), v: 0 } } else { Roads { h: 0, v: v & v.wrapping_neg() } }
}

fn lowest_bit(set: u64) -> u64 {
    set & set.wrapping_neg()
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    cost: Cards,
    step: Cards,
    choice: Choice,
    rolls: Cards,
    road: Roads,
}

/// dev
pub const ROLLS: usize = 40;

impl Position {
    fn scores(&self, seat: usize) -> Scores {
        let [a, b, c, d] = self.land.pips;
        let mut scores = [a, b, c, d, 0, 0];
        let own = &self.players[seat];
        let opening = matches!(self.phase, Phase::SetUpSettlement | Phase::SetUpRoad);
        for r in 0..RESOURCES {
            let income = own.income.count(r);
            if income == 0 {
                add_weight(&mut scores, p(seat, if opening { 21 } else { 8 }), self.land.near[r]);
            }
            if opening {
                add_weight(&mut scores, p(seat, 16 + r), self.land.near[r]);
            }
            if i32::from(income) >= p(seat, 12) {
                add_weight(&mut scores, p(seat, 10), self.land.ports[r]);
            }
        }
        add_weight(&mut scores, p(seat, if opening { 22 } else { 9 }), self.land.ports[5]);
        scores
    }

    fn plan(&self, seat: usize) -> Plan {
        let own = &self.players[seat];
        let occupied = self.occupied();
        let free = ALL_EDGES - self.taken();
        let touched = own.roads.touched();
        let start = touched & !occupied | own.buildings;
        let sites = self.free_nodes();
        let here = sites & touched;
        let one = spread(start, free) & !occupied;
        let two = spread(one, free) & !occupied;
        let near = sites & one & !here;
        let far = sites & two & !(here | near);
        let scores = self.scores(seat);
        let rolls = (0..RESOURCES).fold(Cards::NONE, |rolls, r| {
            rolls + Cards::of(r, p(seat, ROLLS + usize::from(own.income.count(r).min(15))) as u8)
        });
        let mut plan = Plan {
            cost: CARD,
            step: CARD,
            choice: Choice::Misc(misc::BUY),
            rolls,
            road: Roads::NONE,
        };
        let mut least = i32::MAX;
        let time = |cost: Cards| {
            let missing = cost.without(own.hand);
            let surplus = own.hand.without(cost);
            let (total, trades) = (missing.total() as i32, self.trades(seat, surplus));
            if total <= trades {
                return 0;
            }
            let sum: i32 = (0..RESOURCES).map(|r| i32::from(missing.count(r)) * i32::from(rolls.count(r))).sum();
            (sum - trades * p(seat, 7)).max(1)
        };
        let mut consider = |is: bool, cost: Cards, step: Cards, choice: Choice, bias: i32| {
            let eta = time(cost) + bias;
            if is && eta < least {
                least = eta;
                plan = Plan { cost, step, choice, ..plan };
            }
        };
        let q = p(seat, 11);
        let site = lowest_bit(best(&scores, own.settlements()));
        consider(own.left[2] > 0 && site != 0, CITY, CITY, Choice::City(site), p(seat, 0) - q * score_at(&scores, site));
        let can = own.left[1] > 0;
        let site = lowest_bit(best(&scores, here));
        let bias = p(seat, 1) - q * score_at(&scores, site);
        consider(can && here != 0, SETTLEMENT, SETTLEMENT, Choice::Settlement(site), bias);
        let site = lowest_bit(best(&scores, near));
        let road = lowest(between(start, site, free));
        let mut any_road = road;
        let bias = p(seat, 2) - q * score_at(&scores, site);
        consider(can && own.left[0] > 0 && near != 0, SETTLEMENT + ROAD, ROAD, Choice::Road(road), bias);
        let site = lowest_bit(best(&scores, far));
        let road = lowest(between(start, spread(site, free) & one, free));
        if any_road.is_empty() { any_road = road; }
        let bias = p(seat, 3) - q * score_at(&scores, site);
        consider(can && own.left[0] > 1 && far != 0, SETTLEMENT + ROAD + ROAD, ROAD, Choice::Road(road), bias);
        // longest road
        let others = (0..SEATS).filter(|&s| s != seat).map(|s| self.players[s].road).max().unwrap_or(0);
        let need = i32::from(others.max(LONGEST_ROAD - 1)) + 1 - i32::from(own.road);
        let tip = tips(own.roads) & start;
        let tip_roads = between(tip, spread(tip, free) & !touched, free);
        let road = lowest(tip_roads);
        if any_road.is_empty() && need > 0 { any_road = road; }
        if self.longest_road != Some(seat as u8) && need > 0 && need <= p(seat, 6) && i32::from(own.left[0]) >= need {
            let cost = (0..need).fold(Cards::NONE, |cost, _| cost + ROAD);
            consider(!tip_roads.is_empty(), cost, ROAD, Choice::Road(road), p(seat, 5));
        }
        consider(!self.deck.is_empty(), CARD, CARD, Choice::Misc(misc::BUY), p(seat, 4));
        if least == i32::MAX {
            plan.step = Cards::new([100; 5]);
            plan.cost = Cards::NONE;
        }
        plan.road = any_road;
        plan
    }

    /// How many trades with the bank some cards pay for.
    fn trades(&self, seat: usize, cards: Cards) -> i32 {
        let rates = self.players[seat].rates;
        let twice = rates + rates;
        let all = cards.at_least(rates).count_ones() + cards.at_least(twice).count_ones() + cards.at_least(twice + rates).count_ones();
        all as i32
    }

    fn decide(&self) -> Choice {
        let seat = usize::from(self.mover);
        let own = self.own();
        let playable = if self.card_played { Cards::NONE } else { own.cards.without(self.fresh) };
        if !self.rolled {
            let is_robbed = own.yields >> (3 * self.robber) & 7 != 0;
            let knights = playable.count(Card::Knight.index());
            let army_close = p(seat, 24) != 0;
            if knights > 0 && (is_robbed || army_close) {
                return Choice::Misc(misc::KNIGHT);
            }
            return Choice::Misc(misc::ROLL_OR_END);
        }
        let plan = self.plan(seat);
        let hand = own.hand;
        let missing = plan.step.without(hand);
        let surplus = hand.without(plan.cost);
        if playable.0 != 0 {
            if playable.count(Card::RoadBuilding.index()) > 0
                && !plan.road.is_empty()
                && i32::from(own.left[0]) >= p(seat, 27)
                && !self.legal_roads().is_empty()
            {
                return Choice::Misc(misc::ROAD_BUILDING);
            }
            if playable.count(Card::Monopoly.index()) > 0 {
                let others = Cards::new([19; 5]).without(self.bank).without(hand);
                let most = others.most();
                if i32::from(others.count(most)) >= p(seat, 13) {
                    return Choice::Misc(misc::MONOPOLY + most as u32);
                }
            }
            let full = plan.cost.without(hand);
            let count = full.total();
            if playable.count(Card::YearOfPlenty.index()) > 0 && count > 0 && count <= 2 && self.bank.covers(full) {
                let first = full.kth(0);
                let other = if count == 2 { full.kth(1) } else { p(seat, 28) as usize };
                let (a, b) = (first.min(other) as u32, first.max(other) as u32);
                if self.bank.covers(Cards::one(first) + Cards::one(other)) {
                    return Choice::Misc(misc::PLENTY + a * (11 - a) / 2 + b - a);
                }
            }
        }
        if missing.is_empty() {
            return plan.choice;
        }
        let gives = surplus.at_least(own.rates);
        let gives = Cards(surplus.0 & gives * 0xff);
        let gets = Cards(plan.cost.without(hand).0);
        let there = Cards(self.bank.at_least(Cards::new([1; 5])) * 0xff);
        let gets_step = Cards(missing.0 & there.0);
        let gets = if gets_step.0 != 0 { gets_step } else { Cards(gets.0 & there.0) };
        let completes = missing.total() as i32 <= self.trades(seat, surplus);
        if gives.0 != 0 && gets.0 != 0 && (completes || i32::from(hand.total() as u8) > p(seat, 15)) {
            let wanted = (0..RESOURCES).fold(Cards::NONE, |w, r| w + Cards::of(r, if gets.count(r) > 0 { plan.rolls.count(r) } else { 0 }));
            let (give, get) = (gives.most(), wanted.most());
            if give != get {
                return Choice::Misc((5 * give + get) as u32);
            }
        }
        if p(seat, 14) & 1 != 0 && surplus.covers(CARD) && !self.deck.is_empty() {
            return Choice::Misc(misc::BUY);
        }
        if p(seat, 14) & 2 != 0 && surplus.covers(ROAD) && !plan.road.is_empty() && own.left[0] > 0 {
            return Choice::Road(plan.road);
        }
        Choice::Misc(misc::ROLL_OR_END)
    }

    /// A bit of robberies
    fn robbery_choice(&self) -> u32 {
        let own = self.own();
        let seat = usize::from(self.mover);
        let others = self.opponents();
        let danger = others.map(|s| {
            let player = &self.players[usize::from(s)];
            let cards = player.hand.total() as i32;
            let mut danger = p(seat, 23) * i32::from(self.public_points(s)) + cards.min(15) + p(seat, 26) * (player.cards.total() as i32);
            if cards == 0 { danger -= p(seat, 25); }
            danger
        });
        let leader = if danger[0] >= danger[1] && danger[0] >= danger[2] { 0 } else if danger[1] >= danger[2] { 1 } else { 2 };
        let fields = |yields: u64| (yields | yields >> 1 | yields >> 2) & HEX_BITS;
        let elsewhere = HEX_BITS & !1u64.wrapping_shl(3 * u32::from(self.robber));
        let foreign = elsewhere & !fields(own.yields);
        let target = &self.players[usize::from(others[leader])];
        let mut hexes = foreign & fields(target.yields);
        if hexes == 0 { hexes = elsewhere & fields(target.yields); }
        if hexes == 0 { hexes = foreign; }
        if hexes == 0 { hexes = elsewhere; }
        // score: pips * cards
        let mut scores: Scores = [0; 6];
        let pips = self.land.hex_pips;
        let double = (target.yields >> 1 | target.yields >> 2) & HEX_BITS;
        let all = others.map(|s| fields(self.players[usize::from(s)].yields));
        for k in 0..3 {
            let plane = pips >> k & HEX_BITS;
            add(&mut scores, k + 1, plane);
            add(&mut scores, k + 1, plane & double);
            if p(seat, 29) > 0 {
                for (other, set) in all.iter().enumerate() { if other != leader { add(&mut scores, k + p(seat, 29) as usize - 1, plane & set); } }
            }
        }
        let hex = lowest_bit(best(&scores, hexes));
        let there = self.robberies() & 7 * hex;
        let shift = hex.trailing_zeros();
        // victim: leader if there, otherwise the most dangerous
        let mut choice = there.trailing_zeros();
        let mut most = i32::MIN;
        for j in 0..3 {
            if there >> (shift + j as u32) & 1 != 0 && danger[j] > most {
                most = danger[j];
                choice = shift + j as u32;
            }
        }
        choice
    }

    fn set_up_road(&self) -> Roads {
        let seat = usize::from(self.mover);
        let node = self.new_settlement;
        let free = ALL_EDGES - self.taken();
        let one = spread(node, free);
        let two = spread(one, free) & self.free_nodes();
        let targets = best(&self.scores(seat), two);
        let roads = between(node, spread(targets, free) & one, free);
        if roads.is_empty() { Roads::at(node) - self.taken() } else { roads }
    }
}

fn tips(Roads { h, v }: Roads) -> u64 {
    let (mut any, mut many) = (0, 0);
    for ends in [h, h << 1, v, v << STRIDE] {
        many |= any & ends;
        any |= ends;
    }
    any & !many
}

fn pick<D: Draws>(set: u64, draws: &mut D) -> u64 {
    let count = set.count_ones();
    kth(set, if count > 1 { draws.below(count) } else { 0 })
}

impl Chooser for Heuristic {
    fn turn<D: Draws>(&mut self, position: &mut Position, draws: &mut D) -> bool {
        let choice = position.decide();
        perform(position, choice, draws)
    }

    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice> {
        match position.phase {
            Phase::SetUpSettlement => {
                let nodes = best(&position.scores(position.mover.into()), position.free_nodes());
                (nodes != 0).then(|| Choice::Settlement(pick(nodes, draws)))
            }
            Phase::SetUpRoad => {
                let roads = position.set_up_road();
                (!roads.is_empty()).then(|| {
                    let count = roads.len();
                    let k = if count > 1 { draws.below(count) } else { 0 };
                    let ch = roads.h.count_ones();
                    Choice::Road(if k < ch { Roads { h: kth(roads.h, k), v: 0 } } else { Roads { h: 0, v: kth(roads.v, k - ch) } })
                })
            }
            _ => {
                let plan = position.plan(position.mover.into());
                let road = match plan.choice { Choice::Road(road) => road, _ => plan.road };
                let road = if road.is_empty() { lowest(position.legal_roads()) } else { road };
                (!road.is_empty()).then_some(Choice::Road(road))
            }
        }
    }

    fn discard<D: Draws>(&mut self, position: &mut Position, seat: usize, _draws: &mut D) {
        let plan = position.plan(seat);
        for _ in 0..position.owed[seat] {
            let hand = position.players[seat].hand;
            let surplus = hand.without(plan.cost);
            let twice = surplus + surplus;
            position.discard(seat, (twice + twice + hand).most());
        }
    }

    fn rob<D: Draws>(&mut self, position: &mut Position, draws: &mut D) {
        let bit = position.robbery_choice();
        rob_at(position, bit, draws);
    }
}
