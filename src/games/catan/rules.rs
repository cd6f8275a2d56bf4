//! The rules: what can be chosen, what a choice does, production, robber, awards.
//!
//! This is the fast half, over words of the brick wall. [`Action`](super::Action) is the readable form of a choice
//! and [`check`](super::check) decides its legality once more in plain terms.

use fairground_kernels::bits::bits;
use fairground_kernels::catan::tables::{
    CARD_COST, CITY_COST, HAND_LIMIT, HEXES, LARGEST_ARMY, PIECES, RESOURCES, ROAD_COST, SEATS, SETTLEMENT_COST,
};
use fairground_kernels::catan::wall::{ALL_NODES, HEX_BITS, NODE_YIELDS, neighbours};
use fairground_kernels::catan::{Cards, Roads, longest_road, misc};

use super::action::Chance;
use super::pieces::Card;
use super::position::{Phase, Position};

/// What can be chosen, as sets.
///
/// Their order is the order of choices: horizontal roads, vertical roads, settlements, cities, the rest, each by
/// ascending bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Edges for a road.
    pub roads: Roads,
    /// Nodes for a settlement.
    pub settlements: u64,
    /// Nodes for a city.
    pub cities: u64,
    /// Everything else, see [`misc`].
    pub misc: u64,
}

/// One of the [`Choices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A road on this edge.
    Road(Roads),
    /// A settlement on this node.
    Settlement(u64),
    /// A city on this node.
    City(u64),
    /// A bit of [`misc`].
    Misc(u32),
}

/// Costs as cards.
pub(super) const ROAD: Cards = Cards::new(ROAD_COST);
pub(super) const SETTLEMENT: Cards = Cards::new(SETTLEMENT_COST);
pub(super) const CITY: Cards = Cards::new(CITY_COST);
pub(super) const CARD: Cards = Cards::new(CARD_COST);
pub(super) const ONE_EACH: Cards = Cards::new([1; RESOURCES]);
const TWO_EACH: Cards = Cards::new([2; RESOURCES]);

impl Position {
    /// What can be chosen in the set-up, in a turn, or for a free road. Empty in other phases, where the choice is
    /// of another kind. Whether somebody has won does not matter here.
    #[inline]
    #[must_use]
    pub fn choices(&self) -> Choices {
        match self.phase {
            Phase::Turn => self.turn_choices(),
            Phase::FreeRoads => Choices { roads: self.legal_roads(), ..Choices::default() },
            Phase::SetUpSettlement => Choices { settlements: self.free_nodes(), ..Choices::default() },
            Phase::SetUpRoad => Choices { roads: Roads::at(self.new_settlement) - self.taken(), ..Choices::default() },
            Phase::Discard | Phase::Robber | Phase::Answer => Choices::default(),
        }
    }

    /// Half of all calls find nothing but the roll or the end of the turn. The others compute every set and mask
    /// those the mover cannot pay: what is affordable is as hard to predict as the dice.
    #[inline(always)]
    pub(super) fn turn_choices(&self) -> Choices {
        let own = self.own();
        let mut choices = Choices { misc: 1 << misc::ROLL_OR_END, ..Choices::default() };
        if self.rolled {
            let hand = own.hand;
            let road = hand.covers(ROAD) & (own.left[0] > 0);
            let settlement = hand.covers(SETTLEMENT) & (own.left[1] > 0);
            let city = hand.covers(CITY) & (own.left[2] > 0);
            let card = hand.covers(CARD) & !self.deck.is_empty();
            let give = hand.at_least(own.rates);
            if road | settlement | city | card | (give != 0) {
                let Roads { h, v } = self.legal_roads();
                choices.roads = Roads { h: h & mask(road), v: v & mask(road) };
                choices.settlements = self.free_nodes() & own.roads.touched() & mask(settlement);
                choices.cities = own.settlements() & mask(city);
                choices.misc |= self.bank_trades(give) | (card as u64) << misc::BUY;
            }
        }
        if !self.card_played && !own.cards.is_empty() {
            choices.misc |= self.card_choices();
        }
        choices
    }

    /// The trades with the bank, given the resources that can be given as bits `8 i`.
    #[inline]
    const fn bank_trades(&self, give: u64) -> u64 {
        /// Bits `6 i`: a resource for itself.
        const SAME: u64 = 0x0104_1041;
        let get = in_row(self.bank.at_least(ONE_EACH));
        // Bits `8 i` as bits `5 i`: a copy of `get` for each.
        let rows = give & 1 | give >> 3 & 1 << 5 | give >> 6 & 1 << 10 | give >> 9 & 1 << 15 | give >> 12 & 1 << 20;
        rows.wrapping_mul(get) & !SAME
    }

    /// The development cards that can be played.
    #[inline(never)]
    fn card_choices(&self) -> u64 {
        let playable = self.own().cards - self.fresh;
        let mut choices = 0;
        if playable.count(Card::Knight.index()) > 0 {
            choices |= 1 << misc::KNIGHT;
        }
        if playable.count(Card::RoadBuilding.index()) > 0 && self.own().left[0] > 0 && !self.legal_roads().is_empty() {
            choices |= 1 << misc::ROAD_BUILDING;
        }
        if playable.count(Card::YearOfPlenty.index()) > 0 {
            let [one, two] = [ONE_EACH, TWO_EACH].map(|each| in_row(self.bank.at_least(each)));
            for (bit, (a, b)) in (misc::PLENTY..).zip(misc::PAIRS) {
                let there = if a == b { two >> a } else { one >> a & one >> b };
                choices |= (there & 1) << bit;
            }
        }
        if playable.count(Card::Monopoly.index()) > 0 {
            choices |= 0b11111 << misc::MONOPOLY;
        }
        choices
    }

    /// The free edges at the mover's buildings and at nodes of the mover's roads without an opponent's building.
    #[inline]
    #[must_use]
    pub fn legal_roads(&self) -> Roads {
        let own = self.own();
        let occupied = self.occupied();
        let from = own.roads.touched() & !occupied | own.buildings;
        Roads::at(from) - self.taken()
    }

    /// The nodes without a building on them or next to them.
    #[inline]
    #[must_use]
    pub const fn free_nodes(&self) -> u64 {
        let occupied = self.occupied();
        ALL_NODES & !(occupied | neighbours(occupied))
    }

    /// Plays one of the [`choices`](Self::choices). `chance` is what the dice show or which card is drawn.
    #[inline(always)]
    pub fn choose(&mut self, choice: Choice, chance: Chance) {
        match choice {
            Choice::Road(road) => self.choose_road(road),
            Choice::Settlement(node) => self.choose_settlement(node),
            Choice::City(node) => {
                self.pay(CITY);
                self.place_city(node);
            }
            Choice::Misc(bit) => self.choose_misc(bit, chance),
        }
    }

    #[inline(always)]
    fn choose_misc(&mut self, bit: u32, chance: Chance) {
        match bit {
            misc::ROLL_OR_END if self.rolled => self.end_turn(),
            misc::ROLL_OR_END => {
                if let Chance::Dice(dice) = chance {
                    self.roll(dice);
                }
            }
            misc::BUY => {
                if let Chance::Drawn(card) = chance {
                    self.pay(CARD);
                    let card = Cards::one(card.index());
                    self.deck -= card;
                    self.fresh += card;
                    self.own_mut().cards += card;
                }
            }
            misc::KNIGHT => self.play_knight(),
            misc::ROAD_BUILDING => {
                self.play(Card::RoadBuilding);
                self.phase = Phase::FreeRoads;
                self.free_roads = 2;
            }
            misc::MONOPOLY..misc::KNIGHT => self.play_monopoly((bit - misc::MONOPOLY) as usize),
            misc::PLENTY..misc::MONOPOLY => {
                self.play(Card::YearOfPlenty);
                let (a, b) = misc::PAIRS[(bit - misc::PLENTY) as usize];
                self.take_from_bank(Cards::one(a.into()) + Cards::one(b.into()));
            }
            _ => {
                let (give, get) = (bit as usize / 5 % RESOURCES, bit as usize % 5);
                self.pay(Cards::of(give, self.own().rates.count(give)));
                self.take_from_bank(Cards::one(get));
            }
        }
    }

    #[inline]
    fn pay(&mut self, cards: Cards) {
        self.own_mut().hand -= cards;
        self.bank += cards;
    }

    #[inline]
    fn take_from_bank(&mut self, cards: Cards) {
        self.own_mut().hand += cards;
        self.bank -= cards;
    }

    /// A bought road, a free one, or that of the set-up.
    #[inline(never)]
    fn choose_road(&mut self, road: Roads) {
        match self.phase {
            Phase::SetUpRoad => {
                self.place_road(road);
                self.new_settlement = 0;
                self.placed += 1;
                let is_done = usize::from(self.placed) >= 2 * SEATS;
                self.phase = if is_done { Phase::Turn } else { Phase::SetUpSettlement };
                // Once around and back again.
                self.mover = if self.placed < 4 { self.placed } else { 7u8.saturating_sub(self.placed) };
            }
            Phase::FreeRoads => {
                self.place_road(road);
                self.free_roads = self.free_roads.saturating_sub(1);
                if self.free_roads == 0 || self.own().left[0] == 0 || self.legal_roads().is_empty() {
                    self.free_roads = 0;
                    self.phase = Phase::Turn;
                }
            }
            _ => {
                self.pay(ROAD);
                self.place_road(road);
            }
        }
    }

    /// A bought settlement, or that of the set-up; the second one pays a card from each hex around it.
    fn choose_settlement(&mut self, node: u64) {
        if self.phase == Phase::SetUpSettlement {
            self.place_settlement(node);
            if usize::from(self.placed) >= SEATS {
                for bit in bits(NODE_YIELDS[node.trailing_zeros() as usize % 64]) {
                    self.take_from_bank(self.land.yield_of(bit as usize / 3));
                }
            }
            self.new_settlement = node;
            self.phase = Phase::SetUpRoad;
        } else {
            self.pay(SETTLEMENT);
            self.place_settlement(node);
        }
    }

    /// Puts a road of the mover on the board.
    #[inline]
    fn place_road(&mut self, road: Roads) {
        let seat = usize::from(self.mover);
        let blocked = self.blocked(seat);
        let own = &mut self.players[seat];
        own.roads |= road;
        own.left[0] = own.left[0].saturating_sub(1);
        let length = longest_road::length_with(own.roads, road, blocked, own.road);
        if length != own.road {
            own.road = length;
            self.award_longest_road();
        }
    }

    /// Puts a settlement of the mover on the board. It may cut an opponent's road.
    #[inline]
    fn place_settlement(&mut self, node: u64) {
        let seat = usize::from(self.mover);
        let own = &mut self.players[seat];
        own.buildings |= node;
        own.left[1] = own.left[1].saturating_sub(1);
        self.count_building(seat, node);
        self.open_ports(seat, node);
        let around = Roads::at(node);
        for other in self.opponents().map(usize::from) {
            if (self.players[other].roads & around).len() >= 2 {
                self.players[other].road = longest_road::length(self.players[other].roads, self.blocked(other));
                self.award_longest_road();
            }
        }
    }

    /// Turns a settlement of the mover into a city.
    #[inline]
    fn place_city(&mut self, node: u64) {
        let seat = usize::from(self.mover);
        let own = &mut self.players[seat];
        own.cities |= node;
        own.left[1] = PIECES[1].min(own.left[1] + 1);
        own.left[2] = own.left[2].saturating_sub(1);
        self.count_building(seat, node);
    }

    fn award_longest_road(&mut self) {
        self.longest_road = longest_road::holder(self.players.map(|player| player.road), self.longest_road);
    }

    #[inline]
    fn play(&mut self, card: Card) {
        let card = Cards::one(card.index());
        let own = self.own_mut();
        own.cards -= card;
        own.played += card;
        self.card_played = true;
    }

    /// The army grows; it is the largest from three knights on, and once somebody holds it by more knights.
    fn play_knight(&mut self) {
        self.play(Card::Knight);
        let most = self.largest_army.map_or(LARGEST_ARMY - 1, |seat| self.players[usize::from(seat)].army());
        if self.own().army() > most {
            self.largest_army = Some(self.mover);
        }
        self.phase = Phase::Robber;
    }

    fn play_monopoly(&mut self, resource: usize) {
        self.play(Card::Monopoly);
        for other in self.opponents().map(usize::from) {
            let cards = Cards::of(resource, self.players[other].hand.count(resource));
            self.players[other].hand -= cards;
            self.own_mut().hand += cards;
        }
    }

    /// The dice are cast: production, or on a seven discards and the robber.
    #[inline(always)]
    pub(super) fn roll(&mut self, dice: [u8; 2]) {
        self.rolled = true;
        let total = dice[0].saturating_add(dice[1]);
        if total != 7 {
            return self.produce(total);
        }
        self.phase = Phase::Robber;
        for seat in 0..SEATS {
            let cards = self.players[seat].hand.total();
            if cards > HAND_LIMIT.into() {
                self.owed[seat] = (cards / 2) as u8;
                self.phase = Phase::Discard;
            }
        }
    }

    #[inline]
    fn produce(&mut self, total: u8) {
        let Some(hexes) = self.land.productive.get(usize::from(total).wrapping_sub(2)) else { return };
        let hexes = hexes & !1u64.wrapping_shl(3 * u32::from(self.robber));
        let mut income = [Cards::NONE; SEATS];
        for bit in bits(hexes) {
            let resource = u32::from(self.land.tiles[bit as usize / 3 % HEXES]);
            for (income, player) in income.iter_mut().zip(&self.players) {
                *income += Cards((player.yields >> bit & 7).wrapping_shl(8 * resource));
            }
        }
        let [a, b, c, d] = income;
        let mut demand = a + b + c + d;
        if !self.bank.covers(demand) {
            income = self.shortened(income, demand);
            let [a, b, c, d] = income;
            demand = a + b + c + d;
        }
        self.bank -= demand;
        for (player, income) in self.players.iter_mut().zip(income) {
            player.hand += income;
        }
    }

    /// Incomes when the bank has not enough of some resource: a single player who is owed it gets what is left,
    /// several get nothing.
    #[cold]
    fn shortened(&self, mut income: [Cards; SEATS], demand: Cards) -> [Cards; SEATS] {
        for resource in (0..RESOURCES).filter(|&resource| demand.count(resource) > self.bank.count(resource)) {
            let owed = income.iter().filter(|income| income.count(resource) > 0).count();
            let paid = if owed == 1 { self.bank.count(resource) } else { 0 };
            for income in income.iter_mut().filter(|income| income.count(resource) > 0) {
                *income -= Cards::of(resource, income.count(resource) - paid);
            }
        }
        income
    }

    #[inline]
    pub(super) fn end_turn(&mut self) {
        self.mover = (self.mover + 1) % SEATS as u8;
        self.turn += 1;
        self.rolled = false;
        self.card_played = false;
        self.fresh = Cards::NONE;
    }

    /// A player who owes cards puts one back.
    #[inline]
    pub(super) fn discard(&mut self, seat: usize, resource: usize) {
        let card = Cards::one(resource);
        self.players[seat].hand -= card;
        self.bank += card;
        self.owed[seat] = self.owed[seat].saturating_sub(1);
        if self.owed[seat] == 0 && self.owed == [0; SEATS] {
            self.phase = Phase::Robber;
        }
    }

    /// Where the robber can go and whom the mover can rob there, as one set.
    ///
    /// Bit `3 hex + j`: move to `hex` and rob the `j`-th of [`opponents`](Self::opponents), who has a building there
    /// and a card. A hex where there is nobody to rob has bit `3 hex`. See [`robbery`](Self::robbery).
    #[inline]
    #[must_use]
    pub fn robberies(&self) -> u64 {
        let elsewhere = HEX_BITS & !1u64.wrapping_shl(3 * u32::from(self.robber));
        let [a, b, c] = self.victims().map(|hexes| hexes & elsewhere);
        a | b << 1 | c << 2 | elsewhere & !(a | b | c)
    }

    /// For each opponent with cards the hexes of its buildings, bit `3 hex`.
    #[inline]
    fn victims(&self) -> [u64; SEATS - 1] {
        self.opponents().map(|seat| {
            let player = &self.players[usize::from(seat)];
            let hexes = (player.yields | player.yields >> 1 | player.yields >> 2) & HEX_BITS;
            if player.hand.is_empty() { 0 } else { hexes }
        })
    }

    /// Hex and victim of a bit of [`robberies`](Self::robberies).
    #[inline]
    #[must_use]
    pub fn robbery(&self, bit: u32) -> (u8, Option<u8>) {
        let (hex, opponent) = (bit / 3, bit as usize % 3);
        let is_there = self.victims()[opponent] >> (3 * hex) & 1 != 0;
        (hex as u8, is_there.then(|| self.opponents()[opponent]))
    }

    /// Moves the robber; a card of this resource goes from the victim to the mover.
    #[inline]
    pub(super) fn rob(&mut self, hex: u8, stolen: Option<(u8, usize)>) {
        self.robber = hex;
        self.phase = Phase::Turn;
        if let Some((victim, resource)) = stolen {
            let card = Cards::one(resource);
            self.players[usize::from(victim)].hand -= card;
            self.own_mut().hand += card;
        }
    }
}

/// All bits or none.
#[inline]
pub(super) const fn mask(is_so: bool) -> u64 {
    (is_so as u64).wrapping_neg()
}

/// Bits `8 i` as bits `i`.
#[inline]
const fn in_row(bits: u64) -> u64 {
    (bits | bits >> 7 | bits >> 14 | bits >> 21 | bits >> 28) & 0b11111
}
