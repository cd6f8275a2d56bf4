//! `heuristic`: builds what it is fewest cards away from, in the spirit of the robots of JSettlers.
//!
//! Everything is computed from words, for all nodes or all hexes at once, so that lanes and shaders can do the same.
//! Hands and unplayed cards of opponents are never looked at, only their number. Nothing is drawn but ties in the
//! set-up; elsewhere the lowest bit, kind or seat wins a tie.
//!
//! - **Score of a node**: its pips, 2 for each resource around it that no building of the player touches yet, 1 for
//!   wheat, 1 for ore, 2 for a port.
//! - **Set-up**: a settlement on a free node of the best score; its road towards the free node two edges away that
//!   has the best score.
//! - **Plan**: of a city, a settlement, a road with the settlement it leads to, and a development card the one that
//!   lacks the fewest cards, the first of equals. It lacks none if trades with the bank can supply them. The city is
//!   on the settlement of the best score and the settlement on the node of the best score that a road has reached.
//!   The road leads to the best node one edge away, or if there is none two edges away.
//! - **Before the roll**: a knight if there is one, otherwise the roll.
//! - **After the roll**, the first of these that is possible:
//!   1. road building, if there is a road to build (as above);
//!   2. monopoly on what opponents hold most of, if these are at least [`MONOPOLY_PAYS`] cards;
//!   3. year of plenty, if the plan lacks one card (then the other is ore) or two;
//!   4. the plan, or its road;
//!   5. a trade with the bank, if trades complete the plan or its road: the resource with the largest surplus over
//!      the plan for the first that is missing;
//!   6. a road from the surplus over the plan;
//!   7. the end of the turn.
//! - **Robber**: the opponent with cards who has most public points, then most cards, is robbed: on its hex with the
//!   most pips, if possible one that pays the player nothing.
//! - **Discards**: each from the resource of which there are most.

use fairground_kernels::catan::heuristic::{
    MONOPOLY_PAYS, Network, Prospects, Set, best, prospects, scores, set_up_roads,
};
use fairground_kernels::catan::tables::{BANK, RESOURCES};
use fairground_kernels::catan::wall::HEX_BITS;
use fairground_kernels::catan::{Cards, Roads, misc};
use fairground_kernels::rng::Draws;

use super::pieces::Card;
use super::policy::{Chooser, choose};
use super::position::{Phase, Player, Position};
use super::rules::{CARD, CITY, Choice, Choices, ONE_EACH, ROAD, SETTLEMENT};

/// What a player is out for.
struct Plan {
    /// All that it takes: for a road the settlement at its end too.
    cost: Cards,
    /// What the next choice takes.
    next: Cards,
    /// That choice.
    choice: Choice,
    /// The road to build if there is one to spare.
    road: Roads,
}

impl Position {
    fn plan(&self) -> Plan {
        let own = self.own();
        let network = Network { buildings: own.buildings, cities: own.cities, roads: [own.roads.h, own.roads.v] };
        let Roads { h, v } = self.taken();
        let Prospects { city, settlement, near, road: [h, v] } =
            prospects(&self.land.ground, &network, self.occupied(), [h, v], self.free_nodes());
        let roads = if near != 0 { ROAD } else { ROAD + ROAD };
        let road = if own.left[0] > 0 { Roads { h, v } } else { Roads::NONE };

        let mut plan = Plan { cost: Cards::NONE, next: Cards::NONE, choice: Choice::Misc(misc::ROLL_OR_END), road };
        let mut fewest = u32::MAX;
        let mut consider = |is_possible: bool, cost: Cards, next: Cards, choice: Choice| {
            let missing = cost.without(own.hand).total();
            let missing = if missing <= own.trades(own.hand.without(cost)) { 0 } else { missing };
            if is_possible && missing < fewest {
                fewest = missing;
                plan = Plan { cost, next, choice, road };
            }
        };
        let can_settle = own.left[1] > 0;
        consider(own.left[2] > 0 && city != 0, CITY, CITY, Choice::City(city));
        consider(can_settle && settlement != 0, SETTLEMENT, SETTLEMENT, Choice::Settlement(settlement));
        consider(can_settle && !road.is_empty(), SETTLEMENT + roads, ROAD, Choice::Road(road));
        consider(!self.deck.is_empty(), CARD, CARD, Choice::Misc(misc::BUY));
        plan
    }

    /// What the mover does in a turn.
    fn decision(&self) -> Choice {
        let own = self.own();
        let playable = own.cards.without(self.fresh);
        let has = |card: Card| !self.card_played && playable.count(card.index()) > 0;
        if !self.rolled {
            return Choice::Misc(if has(Card::Knight) { misc::KNIGHT } else { misc::ROLL_OR_END });
        }
        let plan = self.plan();
        let surplus = own.hand.without(plan.cost);
        if has(Card::RoadBuilding) && !plan.road.is_empty() {
            return Choice::Misc(misc::ROAD_BUILDING);
        }
        let theirs = Cards::new([BANK; RESOURCES]).without(self.bank).without(own.hand);
        if has(Card::Monopoly) && theirs.count(theirs.most()) >= MONOPOLY_PAYS {
            return Choice::Misc(misc::MONOPOLY + theirs.most() as u32);
        }
        let missing = plan.cost.without(own.hand);
        let pair = [missing.kth(0), missing.kth(1)];
        let is_paid = self.bank.covers(Cards::one(pair[0]) + Cards::one(pair[1]));
        if has(Card::YearOfPlenty) && matches!(missing.total(), 1 | 2) && is_paid {
            return Choice::Misc(misc::PLENTY + misc::pair_number(pair[0], pair[1]));
        }
        let missing = plan.next.without(own.hand);
        if missing.is_empty() {
            return plan.choice;
        }
        let gives = surplus.only(surplus.at_least(own.rates));
        let gets = missing.only(self.bank.at_least(ONE_EACH));
        if missing.total() <= own.trades(surplus) && !gets.is_empty() {
            return Choice::Misc(misc::TRADE + (5 * gives.most() + gets.kth(0)) as u32);
        }
        let has_road = surplus.covers(ROAD) && !plan.road.is_empty();
        if has_road { Choice::Road(plan.road) } else { Choice::Misc(misc::ROLL_OR_END) }
    }

    /// Where the robber goes and whom it robs: a bit of [`Position::robberies`].
    fn best_robbery(&self) -> u32 {
        let hexes_of = |player: &Player| (player.yields | player.yields >> 1 | player.yields >> 2) & HEX_BITS;
        let opponents = self.opponents();
        let danger = opponents.map(|seat| {
            let cards = self.players[usize::from(seat)].hand.total();
            if cards == 0 { 0 } else { u32::from(self.public_points(seat)) << 8 | cards }
        });
        let [a, b, c] = danger;
        let victim = if a >= b.max(c) { 0 } else { 1 + usize::from(b < c) };
        let target = &self.players[usize::from(opponents[victim])];
        let elsewhere = HEX_BITS & !1u64.wrapping_shl(3 * u32::from(self.robber));
        let theirs = elsewhere & hexes_of(target);
        let hexes = [theirs & !hexes_of(self.own()), theirs].into_iter().find(|&set| set != 0).unwrap_or(elsewhere);
        let pips = [0, 1, 2].map(|digit| self.land.hex_pips >> digit);
        let hex = best(&pips, hexes).lowest();
        let there = self.robberies() & (7 * hex);
        let bit = there & hex << victim;
        if bit != 0 { bit.trailing_zeros() } else { there.trailing_zeros() }
    }
}

impl Player {
    /// How many trades with the bank some cards pay for, up to three of each resource.
    #[inline]
    fn trades(&self, cards: Cards) -> u32 {
        let (once, twice) = (self.rates, self.rates + self.rates);
        [once, twice, once + twice].iter().map(|&rates| cards.at_least(rates).count_ones()).sum()
    }
}

/// The strategy.
pub(super) struct Heuristic;

impl Chooser for Heuristic {
    fn choice<D: Draws>(&mut self, position: &Position, _: &mut D) -> Choice {
        position.decision()
    }

    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice> {
        let mut choices = Choices::default();
        match position.phase {
            Phase::SetUpSettlement => {
                choices.settlements =
                    best(&scores(&position.land.ground, position.own().buildings), position.free_nodes());
            }
            Phase::SetUpRoad => {
                let Position { land, new_settlement, .. } = position;
                let buildings = position.own().buildings;
                let sites = position.free_nodes();
                choices.roads = set_up_roads(&land.ground, buildings, *new_settlement, position.taken(), sites);
            }
            _ => {
                let planned = position.plan().road;
                choices.roads = if planned.is_empty() { position.legal_roads().lowest() } else { planned };
            }
        }
        (!choices.is_empty()).then(|| choose(&choices, draws))
    }

    fn discarded<D: Draws>(&mut self, position: &Position, seat: usize, _: &mut D) -> usize {
        position.players[seat].hand.most()
    }

    fn robbery<D: Draws>(&mut self, position: &Position, _: &mut D) -> (u8, Option<u8>) {
        position.robbery(position.best_robbery())
    }
}
