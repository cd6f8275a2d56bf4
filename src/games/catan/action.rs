//! Actions in readable form, with the canonical numbers of nodes, edges and hexes.

use fairground_kernels::bits::bits;
use fairground_kernels::catan::wall::{node_bit, nodes};
use fairground_kernels::catan::{Cards, Roads, misc};
use fairground_kernels::rng::Draws;

use super::pieces::{Card, Resource};
use super::position::{Phase, Position};
use super::rules::{Choice, Choices};
use super::trade::Offer;

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Build a settlement on a node.
    Settlement(u8),
    /// Turn the settlement on a node into a city.
    City(u8),
    /// Build a road on an edge.
    Road(u8),
    /// Roll the dice.
    Roll,
    /// End the turn.
    EndTurn,
    /// Buy a development card.
    BuyCard,
    /// Play a knight; moving the robber is the next action.
    Knight,
    /// Play road building; each free road is an action of its own.
    RoadBuilding,
    /// Play a year of plenty for two cards, the lower resource first.
    YearOfPlenty(Resource, Resource),
    /// Play a monopoly on a resource.
    Monopoly(Resource),
    /// Trade with the bank at the best rate the player has.
    BankTrade {
        /// The resource that is given.
        give: Resource,
        /// The resource of the card that is taken.
        get: Resource,
    },
    /// A player who owes cards after a seven puts one back. All who owe may do so in any order.
    Discard {
        /// Who discards.
        seat: u8,
        /// The card.
        card: Resource,
    },
    /// Move the robber and rob a player there.
    MoveRobber {
        /// Where it goes.
        hex: u8,
        /// Who loses a card; nobody if nobody there has one.
        victim: Option<u8>,
    },
    /// The mover offers another player a trade.
    Offer(Offer),
    /// That player accepts or declines.
    Answer(bool),
}

/// What chance decides about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chance {
    /// Nothing.
    None,
    /// [`Action::Roll`]: the two dice.
    Dice([u8; 2]),
    /// [`Action::MoveRobber`] with a victim: the stolen card.
    Stolen(Resource),
    /// [`Action::BuyCard`]: the card.
    Drawn(Card),
}

/// Why an action was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAction {
    /// Somebody has won.
    #[error("the game is over")]
    GameOver,
    /// The game waits for a decision of another kind.
    #[error("it is not the time for this")]
    NotNow,
    /// There is no such node, edge, hex or seat.
    #[error("there is no node, edge, hex or seat with this number")]
    NoSuchPlace,
    /// The player lacks the cards.
    #[error("the player does not have the cards")]
    CannotAfford,
    /// The player has no such piece left.
    #[error("the player has no such piece left")]
    NoPieceLeft,
    /// Somebody has built there.
    #[error("the place is taken")]
    Taken,
    /// There is a building on a neighbouring node.
    #[error("a neighbouring node has a building")]
    TooClose,
    /// None of the player's roads or buildings leads there.
    #[error("the player's roads do not lead there")]
    NotConnected,
    /// There is no settlement of the player to turn into a city.
    #[error("the player has no settlement there")]
    NoSettlement,
    /// The bank or the deck lacks the cards.
    #[error("the bank does not have the cards")]
    BankLacks,
    /// The player has no such card, or bought it this turn.
    #[error("the player has no such card that can be played")]
    NoCard,
    /// One development card a turn.
    #[error("a development card has been played this turn")]
    SecondCard,
    /// There is nowhere to build a free road.
    #[error("there is no place or piece for a free road")]
    NoFreeRoad,
    /// The two resources are the same, or not in their order.
    #[error("the resources must differ, or stand in their order")]
    BadPair,
    /// This seat owes no card, or has none of this resource.
    #[error("this seat does not have to, or cannot, discard that")]
    NothingOwed,
    /// The robber must leave its hex.
    #[error("the robber must move")]
    RobberStays,
    /// This seat cannot be robbed there, or somebody else must be.
    #[error("this is not a victim there")]
    BadVictim,
    /// An offer must go to another player and have cards on both sides, of different resources.
    #[error("not a trade between two players")]
    BadOffer,
    /// Chance cannot decide this about the action.
    #[error("chance cannot decide {0:?} here")]
    BadChance(Chance),
}

impl Choices {
    /// Number of choices.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        let Roads { h, v } = self.roads;
        // No node is in both sets; the four counts share their last steps.
        let bytes = [h, v, self.settlements | self.cities, self.misc].map(byte_counts);
        let [a, b, c, d] = bytes;
        ((a + b + c + d).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.roads.is_empty() && self.settlements | self.cities | self.misc == 0
    }

    /// Whether all that can be done is to roll, or to end the turn.
    #[inline]
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        self.roads.is_empty() && self.settlements | self.cities == 0 && self.misc == 1 << misc::ROLL_OR_END
    }
}

/// The number of set bits of each byte.
#[inline]
const fn byte_counts(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

impl Position {
    /// All legal actions: none once somebody has won; otherwise in the order of [`Choices`], discards by seat and
    /// resource, robber moves by hex and opponent. Offers to other players are legal too but not listed.
    #[must_use]
    pub fn legal_actions(&self) -> Vec<Action> {
        if self.winner().is_some() {
            return Vec::new();
        }
        match self.phase {
            Phase::Discard => self.discards(),
            Phase::Robber => bits(self.robberies())
                .map(|bit| {
                    let (hex, victim) = self.robbery(bit);
                    Action::MoveRobber { hex, victim }
                })
                .collect(),
            Phase::Answer => [false, true].map(Action::Answer).into_iter().filter(|&a| self.check(a).is_ok()).collect(),
            _ => self.listed(self.choices()),
        }
    }

    fn discards(&self) -> Vec<Action> {
        let seats = self.players.iter().zip(self.owed).zip(0..);
        seats
            .filter(|&((_, owed), _)| owed > 0)
            .flat_map(|((player, _), seat)| {
                let held = Resource::ALL.into_iter().filter(|card| player.hand.count(card.index()) > 0);
                held.map(move |card| Action::Discard { seat, card })
            })
            .collect()
    }

    fn listed(&self, choices: Choices) -> Vec<Action> {
        let Choices { roads, settlements, cities, misc } = choices;
        let roads = roads.edges().map(Action::Road);
        let settlements = nodes(settlements).map(Action::Settlement);
        let cities = nodes(cities).map(Action::City);
        let misc = bits(misc).filter_map(|bit| self.misc_action(bit));
        roads.chain(settlements).chain(cities).chain(misc).collect()
    }

    /// The readable form of a choice; of nothing there is none.
    pub(super) fn action(&self, choice: Choice) -> Option<Action> {
        match choice {
            Choice::Road(roads) => roads.edges().next().map(Action::Road),
            Choice::Settlement(node) => nodes(node).next().map(Action::Settlement),
            Choice::City(node) => nodes(node).next().map(Action::City),
            Choice::Misc(bit) => self.misc_action(bit),
        }
    }

    fn misc_action(&self, bit: u32) -> Option<Action> {
        let resource = |index: u32| Resource::from_index(index as usize);
        Some(match bit {
            misc::ROLL_OR_END if self.rolled => Action::EndTurn,
            misc::ROLL_OR_END => Action::Roll,
            misc::BUY => Action::BuyCard,
            misc::KNIGHT => Action::Knight,
            misc::ROAD_BUILDING => Action::RoadBuilding,
            misc::MONOPOLY..misc::KNIGHT => Action::Monopoly(resource(bit - misc::MONOPOLY)?),
            misc::PLENTY..misc::MONOPOLY => {
                let (a, b) = misc::PAIRS[(bit - misc::PLENTY) as usize];
                Action::YearOfPlenty(resource(a.into())?, resource(b.into())?)
            }
            _ => Action::BankTrade { give: resource(bit / 5)?, get: resource(bit % 5)? },
        })
    }

    /// Plays an action as given, which must be [legal](Self::check), with what chance decided about it.
    pub fn act(&mut self, action: Action, chance: Chance) {
        let choice = match action {
            Action::Settlement(node) => Choice::Settlement(node_bit(node)),
            Action::City(node) => Choice::City(node_bit(node)),
            Action::Road(edge) => Choice::Road(Roads::of(edge)),
            Action::Roll | Action::EndTurn => Choice::Misc(misc::ROLL_OR_END),
            Action::BuyCard => Choice::Misc(misc::BUY),
            Action::Knight => Choice::Misc(misc::KNIGHT),
            Action::RoadBuilding => Choice::Misc(misc::ROAD_BUILDING),
            Action::YearOfPlenty(a, b) => Choice::Misc(misc::PLENTY + misc::pair_number(a.index(), b.index())),
            Action::Monopoly(resource) => Choice::Misc(misc::MONOPOLY + resource.index() as u32),
            Action::BankTrade { give, get } => Choice::Misc(5 * give.index() as u32 + get.index() as u32),
            Action::Discard { seat, card } => return self.discard(seat.into(), card.index()),
            Action::MoveRobber { hex, victim } => {
                let stolen = match (victim, chance) {
                    (Some(victim), Chance::Stolen(card)) => Some((victim, card.index())),
                    _ => None,
                };
                return self.rob(hex, stolen);
            }
            Action::Offer(offer) => return self.make_offer(offer),
            Action::Answer(accepts) => return self.answer(accepts),
        };
        self.choose(choice, chance);
    }

    /// Plays an action after checking it and what chance is said to have decided.
    ///
    /// # Errors
    /// Leaves the position as it was if one of them cannot be.
    pub fn try_act(&mut self, action: Action, chance: Chance) -> Result<(), IllegalAction> {
        self.check(action)?;
        self.check_chance(action, chance)?;
        self.act(action, chance);
        Ok(())
    }

    /// Draws what chance decides about a legal action: one draw for dice, stolen cards and bought cards.
    #[inline]
    pub fn sample<D: Draws>(&self, action: Action, draws: &mut D) -> Chance {
        match action {
            Action::Roll => Chance::Dice(sample_dice(draws)),
            Action::BuyCard => Chance::Drawn(sample_card(self.deck, draws)),
            Action::MoveRobber { victim: Some(victim), .. } => {
                let hand = self.players[usize::from(victim)].hand;
                Chance::Stolen(Resource::ALL[sample_kind(hand, draws)])
            }
            _ => Chance::None,
        }
    }
}

/// One draw: two dice.
#[inline]
pub(super) fn sample_dice<D: Draws>(draws: &mut D) -> [u8; 2] {
    let k = draws.below(36) as u8;
    [k / 6 + 1, k % 6 + 1]
}

/// One draw: a card of the deck.
#[inline]
pub(super) fn sample_card<D: Draws>(deck: Cards, draws: &mut D) -> Card {
    Card::ALL[sample_kind(deck, draws)]
}

/// One draw: the kind of a uniform one of some cards.
#[inline]
pub(super) fn sample_kind<D: Draws>(cards: Cards, draws: &mut D) -> usize {
    cards.kth(draws.below(cards.total().max(1)))
}
