//! What is rare in a game and done lane by lane: set-up, the rarer development cards, discards of players who draw, the robber of
//! `random-s`.

use fearless_simd::Simd;

use super::counts;
use super::misc;
use super::packed::{NOBODY, Phase};
use super::state::{
    CARD, CITY, Hexes, KNIGHT, Lanes, MONOPOLY, ROAD, ROAD_BUILDING, SETTLEMENT, VICTORY_POINT, YEAR_OF_PLENTY,
};
use super::tables::{HAND_LIMIT, LARGEST_ARMY, RESOURCES, SEATS, WINNING_POINTS};
use super::wall::{NODE_YIELDS, Roads};
use super::{Cards, Strategy};
use crate::bits::{bits, kth};
use crate::queue::Ending;
use crate::rng::{Draws, Rng};

/// One of the choices of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    Road(Roads),
    Settlement(u64),
    City(u64),
    /// A bit of [`misc`] that is neither a trade nor the roll nor the end of the turn.
    Misc(u32),
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub(super) fn mover_of(&self, lane: usize) -> usize {
        self.mover.get(lane) as usize % SEATS
    }

    #[inline(always)]
    pub(super) fn roads_of(&self, lane: usize, seat: usize) -> Roads {
        Roads { h: self.seats[seat].h.get(lane), v: self.seats[seat].v.get(lane) }
    }

    /// Whether the mover has won.
    #[inline(always)]
    pub(super) fn has_won(&self, lane: usize) -> bool {
        self.points.get(lane) >> (8 * self.mover_of(lane)) & 0xff >= WINNING_POINTS.into()
    }

    #[inline(always)]
    pub(super) fn add_points(&mut self, lane: usize, seat: usize, points: u32) {
        self.points.set(lane, self.points.get(lane).wrapping_add(points << (8 * seat)));
    }

    pub(super) fn move_award(&mut self, lane: usize, from: u32, to: u32) {
        if from < NOBODY {
            self.add_points(lane, from as usize, 0u32.wrapping_sub(2));
        }
        if to < NOBODY {
            self.add_points(lane, to as usize, 2);
        }
    }

    #[inline(always)]
    pub(super) fn pay(&mut self, lane: usize, seat: usize, cost: u32) {
        let hand = &mut self.seats[seat].hand;
        hand.set(lane, hand.get(lane).wrapping_sub(cost));
        self.bank.set(lane, self.bank.get(lane).wrapping_add(cost));
    }

    /// Production of one lane, for a bank that has not enough or a map with more than two hexes of a number.
    #[cold]
    pub(super) fn produce(&mut self, lane: usize, total: usize) {
        let aside = &self.asides[lane];
        let robbed = Hexes::hex(self.robber.get(lane)).map_or(0, |hex| 1 << (3 * hex));
        let hexes = aside.productive.get(total).copied().unwrap_or(0) & !robbed;
        let mut income = [Cards::NONE; SEATS];
        for bit in bits(hexes) {
            let resource = usize::from(aside.tiles[bit as usize / 3]);
            for (income, seat) in income.iter_mut().zip(&self.seats) {
                *income += Cards::of(resource, (Hexes::get(&seat.yields, lane) >> bit & 7) as u8);
            }
        }
        let bank = counts::cards(self.bank.get(lane));
        for resource in 0..RESOURCES {
            let demand: u8 = income.iter().map(|income| income.count(resource)).sum();
            let there = bank.count(resource);
            let owed = income.iter().filter(|income| income.count(resource) > 0).count();
            for (seat, income) in income.iter().enumerate() {
                let count = income.count(resource);
                let paid = if demand <= there {
                    count
                } else if owed == 1 {
                    count.min(there)
                } else {
                    0
                };
                self.pay(lane, seat, counts::one(resource).wrapping_mul(u32::from(paid)).wrapping_neg());
            }
        }
    }

    /// After a seven, where somebody has too many cards.
    #[inline(never)]
    pub(super) fn discards(&mut self, lane: usize) {
        for seat in 0..SEATS {
            let cards = counts::cards(self.seats[seat].hand.get(lane)).total();
            self.asides[lane].owed[seat] = if cards > HAND_LIMIT.into() { (cards / 2) as u8 } else { 0 };
        }
        self.asides[lane].phase = Phase::Discard;
        self.resolve(lane);
    }

    /// Plays a lane on until its mover has a turn to go on with or the robber to move, or the game is over.
    #[inline(never)]
    pub(super) fn resolve(&mut self, lane: usize) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.resolve_inline(lane),
        );
    }

    #[inline(always)]
    fn resolve_inline(&mut self, lane: usize) {
        let mut rng = self.rng.get(lane);
        let mut actions = self.actions.get(lane);
        let is_stuck = loop {
            if self.has_won(lane) {
                break false;
            }
            let is_done = match self.asides[lane].phase {
                Phase::Turn | Phase::Robber => break false,
                Phase::SetUpSettlement => self.set_up_settlement(lane, &mut rng),
                Phase::SetUpRoad => self.set_up_road(lane, &mut rng),
                Phase::FreeRoads => self.free_road(lane, &mut rng),
                Phase::Discard => self.discard(lane, &mut rng),
                Phase::Answer => {
                    self.asides[lane].phase = Phase::Turn;
                    true
                }
            };
            if !is_done {
                break true;
            }
            actions += 1;
        };
        self.rng.put(lane, &rng);
        self.actions.set(lane, actions);
        if is_stuck {
            self.end(lane, Ending::Truncated);
        } else {
            self.go_on(lane);
        }
    }

    /// Plays the set-up of a lane; `None` if it does not come to its end.
    pub(super) fn set_up(&mut self, lane: usize, rng: &mut impl Draws) -> Option<()> {
        let mut actions = 0;
        while self.asides[lane].phase != Phase::Turn {
            let is_done = match self.asides[lane].phase {
                Phase::SetUpSettlement => self.set_up_settlement(lane, rng),
                Phase::SetUpRoad => self.set_up_road(lane, rng),
                _ => false,
            };
            if !is_done || self.has_won(lane) {
                return None;
            }
            actions += 1;
        }
        self.actions.set(lane, actions);
        Some(())
    }

    /// After an action of one lane: its game is over or its turn goes on.
    #[inline(always)]
    pub(super) fn go_on(&mut self, lane: usize) {
        if self.has_won(lane) {
            self.end(lane, Ending::Win(self.mover_of(lane) as u8));
        } else if self.asides[lane].phase == Phase::Robber {
            // There is nothing else to do before the turn goes on.
            self.asides[lane].phase = Phase::Turn;
            self.robs |= 1 << lane;
        } else {
            self.unsorted |= 1 << lane;
        }
    }

    #[inline(always)]
    pub(super) fn end(&mut self, lane: usize, ending: Ending) {
        self.asides[lane].ending = ending;
        self.over |= 1 << lane;
    }

    #[inline(always)]
    fn set_up_settlement(&mut self, lane: usize, rng: &mut impl Draws) -> bool {
        let seat = self.mover_of(lane);
        let nodes = match self.strategies[seat] {
            Strategy::Random | Strategy::RandomS => self.free.get(lane),
            Strategy::Heuristic => self.best_nodes(lane, seat),
        };
        let node = one_of(nodes, rng);
        if node == 0 {
            return false;
        }
        self.place_settlement(lane, seat, node);
        if self.asides[lane].placed as usize >= SEATS {
            for bit in bits(NODE_YIELDS[node.trailing_zeros() as usize % 64]) {
                let resource = usize::from(self.asides[lane].tiles[bit as usize / 3]);
                if resource < RESOURCES {
                    self.pay(lane, seat, counts::one(resource).wrapping_neg());
                }
            }
        }
        self.asides[lane].new_settlement = node;
        self.asides[lane].phase = Phase::SetUpRoad;
        true
    }

    #[inline(always)]
    fn set_up_road(&mut self, lane: usize, rng: &mut impl Draws) -> bool {
        let seat = self.mover_of(lane);
        let roads = match self.strategies[seat] {
            Strategy::Random | Strategy::RandomS => Roads::at(self.asides[lane].new_settlement) - self.taken(lane),
            Strategy::Heuristic => self.best_set_up_roads(lane, seat),
        };
        let road = one_road_of(roads, rng);
        if road.is_empty() {
            return false;
        }
        self.place_road(lane, seat, road);
        let aside = &mut self.asides[lane];
        aside.new_settlement = 0;
        aside.placed += 1;
        aside.phase = if aside.placed as usize >= 2 * SEATS { Phase::Turn } else { Phase::SetUpSettlement };
        let mover = if aside.placed < 4 { aside.placed } else { 7u32.saturating_sub(aside.placed) };
        self.mover.set(lane, mover);
        true
    }

    #[inline(always)]
    fn free_road(&mut self, lane: usize, rng: &mut Rng) -> bool {
        let seat = self.mover_of(lane);
        let road = match self.strategies[seat] {
            Strategy::Random => one_road_of(self.legal_roads(lane, seat), rng),
            Strategy::RandomS => self.listed_road(lane, seat, rng),
            Strategy::Heuristic => match self.best_road(lane, seat) {
                Roads::NONE => self.legal_roads(lane, seat).lowest(),
                road => road,
            },
        };
        if road.is_empty() {
            return false;
        }
        self.place_road(lane, seat, road);
        let left = self.asides[lane].free_roads.saturating_sub(1);
        let is_done = left == 0 || self.roads_left(lane, seat) == 0 || self.legal_roads(lane, seat).is_empty();
        self.asides[lane].free_roads = if is_done { 0 } else { left };
        self.asides[lane].phase = if is_done { Phase::Turn } else { Phase::FreeRoads };
        true
    }

    #[inline(always)]
    pub(super) fn roads_left(&self, lane: usize, seat: usize) -> u32 {
        self.seats[seat].left.get(lane) & 0xff
    }

    #[inline(always)]
    fn legal_roads(&self, lane: usize, seat: usize) -> Roads {
        let own = &self.seats[seat];
        let from = self.roads_of(lane, seat).touched() & !self.occupied.get(lane) | own.buildings.get(lane);
        Roads::at(from) - self.taken(lane)
    }

    #[inline(always)]
    pub(super) fn taken(&self, lane: usize) -> Roads {
        Roads { h: self.taken_h.get(lane), v: self.taken_v.get(lane) }
    }

    #[inline(always)]
    fn discard(&mut self, lane: usize, rng: &mut Rng) -> bool {
        let mover = self.mover_of(lane);
        let owed = self.asides[lane].owed;
        let seats = [0, 1, 2, 3].map(|step| (mover + step) % SEATS);
        if let Some(seat) = seats.into_iter().find(|&seat| owed[seat] > 0) {
            let (hand, owed) = (self.seats[seat].hand.get(lane), u32::from(owed[seat]));
            let mut left = counts::cards(hand);
            let cards = left.total();
            if self.strategies[seat] == Strategy::Heuristic {
                left = counts::cards(counts::evened(hand, cards.saturating_sub(owed)));
            } else {
                for dropped in 0..owed {
                    left -= Cards::one(left.kth(rng.below(cards.saturating_sub(dropped).max(1))));
                }
            }
            self.pay(lane, seat, hand.wrapping_sub(counts::of(left)));
            self.asides[lane].owed[seat] = 0;
        }
        if self.asides[lane].owed == [0; SEATS] {
            self.asides[lane].phase = Phase::Robber;
        }
        true
    }

    /// Moves the robber lane by lane as `random-s` says.
    #[inline(never)]
    pub(super) fn rob_from_list(&mut self, lanes: u64) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || {
                self.robs &= !lanes;
                for lane in bits(lanes) {
                    self.rob_single(lane as usize);
                }
                self.sort(0);
            },
        );
    }

    #[inline(always)]
    fn rob_single(&mut self, lane: usize) {
        let mut rng = self.rng.get(lane);
        if let Some((hex, victim)) = self.listed_robbery(lane, &mut rng) {
            self.robber.set(lane, Hexes::place(hex));
            let hand = counts::cards(self.seats[victim].hand.get(lane));
            if !hand.is_empty() {
                let card = counts::one(hand.kth(rng.below(hand.total())));
                self.pay(lane, victim, card);
                self.pay(lane, self.mover_of(lane), card.wrapping_neg());
            }
        }
        self.rng.put(lane, &rng);
        self.actions.set(lane, self.actions.get(lane) + 1);
        self.unsorted |= 1 << lane;
    }

    /// Plays a choice that is not the same for many lanes.
    #[inline(never)]
    pub(super) fn act(&mut self, lane: usize, choice: Choice) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || self.act_inline(lane, choice),
        );
    }

    #[inline(always)]
    fn act_inline(&mut self, lane: usize, choice: Choice) {
        let seat = self.mover_of(lane);
        match choice {
            Choice::Road(road) => {
                self.pay(lane, seat, ROAD);
                self.place_road(lane, seat, road);
            }
            Choice::Settlement(node) => {
                self.pay(lane, seat, SETTLEMENT);
                self.place_settlement(lane, seat, node);
            }
            Choice::City(node) => {
                self.pay(lane, seat, CITY);
                self.place_city(lane, seat, node);
            }
            Choice::Misc(misc::BUY) => self.buy_card(lane, seat),
            Choice::Misc(misc::KNIGHT) => self.play_knight(lane, seat),
            Choice::Misc(misc::ROAD_BUILDING) => {
                self.play(lane, seat, ROAD_BUILDING);
                self.asides[lane].phase = Phase::FreeRoads;
                self.asides[lane].free_roads = 2;
                return self.resolve(lane);
            }
            Choice::Misc(bit @ misc::MONOPOLY..misc::KNIGHT) => {
                self.play_monopoly(lane, seat, (bit - misc::MONOPOLY) as usize);
            }
            Choice::Misc(bit) => {
                self.play(lane, seat, YEAR_OF_PLENTY);
                let (a, b) = misc::PAIRS[bit.wrapping_sub(misc::PLENTY) as usize % misc::PAIRS.len()];
                let cards = counts::one(a.into()) + counts::one(b.into());
                self.pay(lane, seat, cards.wrapping_neg());
            }
        }
        self.go_on(lane);
    }

    #[inline(always)]
    fn buy_card(&mut self, lane: usize, seat: usize) {
        let mut rng = self.rng.get(lane);
        let deck = counts::cards(self.deck.get(lane));
        let kind = deck.kth(rng.below(deck.total().max(1)));
        self.rng.put(lane, &rng);
        let card = counts::one(kind);
        self.pay(lane, seat, CARD);
        self.deck.set(lane, self.deck.get(lane).wrapping_sub(card));
        self.fresh.set(lane, self.fresh.get(lane).wrapping_add(card));
        let cards = &mut self.seats[seat].cards;
        cards.set(lane, cards.get(lane).wrapping_add(card));
        if kind == VICTORY_POINT {
            self.add_points(lane, seat, 1);
        }
    }

    #[inline(always)]
    fn play(&mut self, lane: usize, seat: usize, kind: usize) {
        let fields = &mut self.seats[seat];
        fields.cards.set(lane, fields.cards.get(lane).wrapping_sub(counts::one(kind)));
        fields.played.set(lane, fields.played.get(lane).wrapping_add(counts::one(kind)));
        self.card_played |= 1 << lane;
    }

    #[inline(always)]
    fn play_knight(&mut self, lane: usize, seat: usize) {
        self.play(lane, seat, KNIGHT);
        let army = |seat: usize| counts::count(self.seats[seat].played.get(lane), KNIGHT);
        let holder = self.largest_army.get(lane);
        let most = if holder < NOBODY { army(holder as usize) } else { u32::from(LARGEST_ARMY) - 1 };
        if army(seat) > most {
            self.move_award(lane, holder, seat as u32);
            self.largest_army.set(lane, seat as u32);
        }
        self.asides[lane].phase = Phase::Robber;
    }

    #[inline(always)]
    fn play_monopoly(&mut self, lane: usize, seat: usize, resource: usize) {
        self.play(lane, seat, MONOPOLY);
        for step in 1..SEATS {
            let other = (seat + step) % SEATS;
            let count = counts::count(self.seats[other].hand.get(lane), resource);
            let cards = counts::one(resource).wrapping_mul(count);
            self.pay(lane, other, cards);
            self.pay(lane, seat, cards.wrapping_neg());
        }
    }

    /// The pairs of a year of plenty that the bank has, as bits of [`misc`].
    #[cold]
    pub(super) fn plenty(&self, lane: usize) -> u64 {
        let bank = counts::cards(self.bank.get(lane));
        let mut choices = 0;
        for (bit, (a, b)) in (misc::PLENTY..).zip(misc::PAIRS) {
            let pair = Cards::one(a.into()) + Cards::one(b.into());
            choices |= u64::from(bank.covers(pair)) << bit;
        }
        choices
    }
}

/// A uniform one of the nodes, drawn if there are several.
#[inline(always)]
fn one_of(nodes: u64, rng: &mut impl Draws) -> u64 {
    let count = nodes.count_ones();
    kth(nodes, if count > 1 { rng.below(count) } else { 0 })
}

/// A uniform one of the roads, horizontal ones first, drawn if there are several.
#[inline(always)]
fn one_road_of(roads: Roads, rng: &mut impl Draws) -> Roads {
    let count = roads.len();
    let k = if count > 1 { rng.below(count) } else { 0 };
    let horizontal = roads.h.count_ones();
    if k < horizontal { Roads { h: kth(roads.h, k), v: 0 } } else { Roads { h: 0, v: kth(roads.v, k - horizontal) } }
}
