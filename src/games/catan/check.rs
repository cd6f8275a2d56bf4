//! Whether an action is legal, rule by rule and in terms of nodes and edges.
//!
//! Slower than [`choices`](super::rules) and written independently of it; tests hold the two against each other.

use fairground_kernels::catan::tables::{
    EDGE_NODES, EDGES, HEX_NODES, HEXES, NODE_EDGES, NODE_NEIGHBOURS, NODES, NONE, SEATS,
};
use fairground_kernels::catan::wall::node_bit;
use fairground_kernels::catan::{Cards, Roads};

use super::action::{Action, Chance, IllegalAction};
use super::pieces::{Card, Resource};
use super::position::{Phase, Player, Position};
use super::rules::{CARD, CITY, ROAD, SETTLEMENT};

type Checked = Result<(), IllegalAction>;

fn ensure(is_so: bool, otherwise: IllegalAction) -> Checked {
    if is_so { Ok(()) } else { Err(otherwise) }
}

impl Player {
    /// Whether this player has a building on a node.
    #[must_use]
    pub fn has_building(&self, node: u8) -> bool {
        self.buildings & node_bit(node) != 0
    }

    /// Whether this player has a road on an edge.
    #[must_use]
    pub fn has_road(&self, edge: u8) -> bool {
        !(self.roads & Roads::of(edge)).is_empty()
    }
}

impl Position {
    /// Whether the rules allow this action.
    ///
    /// # Errors
    /// Says why they do not.
    pub fn check(&self, action: Action) -> Checked {
        ensure(self.winner().is_none(), IllegalAction::GameOver)?;
        match action {
            Action::Settlement(node) => self.check_settlement(node),
            Action::City(node) => self.check_city(node),
            Action::Road(edge) => self.check_road(edge),
            Action::Roll => ensure(self.phase == Phase::Turn && !self.rolled, IllegalAction::NotNow),
            Action::EndTurn => self.check_main(),
            Action::BuyCard => {
                self.check_main()?;
                ensure(self.own().hand.covers(CARD), IllegalAction::CannotAfford)?;
                ensure(!self.deck.is_empty(), IllegalAction::BankLacks)
            }
            Action::Knight => self.check_card(Card::Knight),
            Action::RoadBuilding => {
                self.check_card(Card::RoadBuilding)?;
                let is_some = (0..EDGES as u8).any(|edge| self.check_place_of_road(edge).is_ok());
                ensure(self.own().left[0] > 0 && is_some, IllegalAction::NoFreeRoad)
            }
            Action::YearOfPlenty(a, b) => {
                self.check_card(Card::YearOfPlenty)?;
                ensure(a <= b, IllegalAction::BadPair)?;
                let pair = Cards::one(a.index()) + Cards::one(b.index());
                ensure(self.bank.covers(pair), IllegalAction::BankLacks)
            }
            Action::Monopoly(_) => self.check_card(Card::Monopoly),
            Action::BankTrade { give, get } => self.check_bank_trade(give, get),
            Action::Discard { seat, card } => {
                ensure(self.phase == Phase::Discard, IllegalAction::NotNow)?;
                let player = self.players.get(usize::from(seat)).ok_or(IllegalAction::NoSuchPlace)?;
                let can = self.owed[usize::from(seat)] > 0 && player.hand.count(card.index()) > 0;
                ensure(can, IllegalAction::NothingOwed)
            }
            Action::MoveRobber { hex, victim } => self.check_robber(hex, victim),
            Action::Offer(offer) => self.check_offer(&offer),
            Action::Answer(accepts) => self.check_answer(accepts),
        }
    }

    /// The mover has rolled and has nothing else to decide first.
    pub(super) fn check_main(&self) -> Checked {
        ensure(self.phase == Phase::Turn && self.rolled, IllegalAction::NotNow)
    }

    fn check_settlement(&self, node: u8) -> Checked {
        let is_set_up = self.phase == Phase::SetUpSettlement;
        if !is_set_up {
            self.check_main()?;
            ensure(self.own().hand.covers(SETTLEMENT), IllegalAction::CannotAfford)?;
            ensure(self.own().left[1] > 0, IllegalAction::NoPieceLeft)?;
        }
        ensure(usize::from(node) < NODES, IllegalAction::NoSuchPlace)?;
        let has_building = |node: u8| self.players.iter().any(|player| player.has_building(node));
        ensure(!has_building(node), IllegalAction::Taken)?;
        let is_close = NODE_NEIGHBOURS[usize::from(node)].iter().any(|&other| other != NONE && has_building(other));
        ensure(!is_close, IllegalAction::TooClose)?;
        let leads_there = NODE_EDGES[usize::from(node)].iter().any(|&edge| edge != NONE && self.own().has_road(edge));
        ensure(is_set_up || leads_there, IllegalAction::NotConnected)
    }

    fn check_city(&self, node: u8) -> Checked {
        self.check_main()?;
        ensure(self.own().hand.covers(CITY), IllegalAction::CannotAfford)?;
        ensure(self.own().left[2] > 0, IllegalAction::NoPieceLeft)?;
        ensure(self.own().settlements() & node_bit(node) != 0, IllegalAction::NoSettlement)
    }

    fn check_road(&self, edge: u8) -> Checked {
        match self.phase {
            Phase::SetUpRoad => {
                ensure(usize::from(edge) < EDGES, IllegalAction::NoSuchPlace)?;
                ensure(!self.players.iter().any(|player| player.has_road(edge)), IllegalAction::Taken)?;
                let is_there = |&node: &u8| node_bit(node) == self.new_settlement;
                ensure(EDGE_NODES[usize::from(edge)].iter().any(is_there), IllegalAction::NotConnected)
            }
            Phase::FreeRoads => self.check_place_of_road(edge),
            _ => {
                self.check_main()?;
                ensure(self.own().hand.covers(ROAD), IllegalAction::CannotAfford)?;
                ensure(self.own().left[0] > 0, IllegalAction::NoPieceLeft)?;
                self.check_place_of_road(edge)
            }
        }
    }

    fn check_place_of_road(&self, edge: u8) -> Checked {
        ensure(usize::from(edge) < EDGES, IllegalAction::NoSuchPlace)?;
        ensure(!self.players.iter().any(|player| player.has_road(edge)), IllegalAction::Taken)?;
        let own = self.own();
        let starts_at = |&node: &u8| {
            let roads = NODE_EDGES[usize::from(node)].iter().any(|&edge| edge != NONE && own.has_road(edge));
            let enemy = self.opponents().iter().any(|&seat| self.players[usize::from(seat)].has_building(node));
            own.has_building(node) || roads && !enemy
        };
        ensure(EDGE_NODES[usize::from(edge)].iter().any(starts_at), IllegalAction::NotConnected)
    }

    fn check_card(&self, card: Card) -> Checked {
        ensure(self.phase == Phase::Turn, IllegalAction::NotNow)?;
        ensure(!self.card_played, IllegalAction::SecondCard)?;
        let kind = card.index();
        ensure(self.own().cards.count(kind) > self.fresh.count(kind), IllegalAction::NoCard)
    }

    fn check_bank_trade(&self, give: Resource, get: Resource) -> Checked {
        self.check_main()?;
        ensure(give != get, IllegalAction::BadPair)?;
        let rate = self.own().rates.count(give.index());
        ensure(self.own().hand.count(give.index()) >= rate, IllegalAction::CannotAfford)?;
        ensure(self.bank.count(get.index()) > 0, IllegalAction::BankLacks)
    }

    fn check_robber(&self, hex: u8, victim: Option<u8>) -> Checked {
        ensure(self.phase == Phase::Robber, IllegalAction::NotNow)?;
        ensure(usize::from(hex) < HEXES, IllegalAction::NoSuchPlace)?;
        ensure(hex != self.robber, IllegalAction::RobberStays)?;
        let can_rob = |seat: u8| {
            let player = &self.players[usize::from(seat)];
            let is_there = HEX_NODES[usize::from(hex)].iter().any(|&node| player.has_building(node));
            seat != self.mover && is_there && !player.hand.is_empty()
        };
        let is_right = match victim {
            Some(seat) => usize::from(seat) < SEATS && can_rob(seat),
            None => !(0..SEATS as u8).any(can_rob),
        };
        ensure(is_right, IllegalAction::BadVictim)
    }

    /// Whether chance can decide this about a legal action.
    ///
    /// # Errors
    /// Gives it back if not.
    pub fn check_chance(&self, action: Action, chance: Chance) -> Checked {
        let is_right = match (action, chance) {
            (Action::Roll, Chance::Dice(dice)) => dice.iter().all(|die| (1..=6).contains(die)),
            (Action::BuyCard, Chance::Drawn(card)) => self.deck.count(card.index()) > 0,
            (Action::MoveRobber { victim: Some(victim), .. }, Chance::Stolen(card)) => {
                self.players[usize::from(victim) % SEATS].hand.count(card.index()) > 0
            }
            (Action::Roll | Action::BuyCard | Action::MoveRobber { victim: Some(_), .. }, _) => false,
            _ => chance == Chance::None,
        };
        ensure(is_right, IllegalAction::BadChance(chance))
    }
}
