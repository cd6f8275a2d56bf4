//! Playouts on the rules engine: the reference every other backend is compared with, draw by draw.
//!
//! Every draw is `below(n)`, and `n` counts the entries of a list in this order. Nothing else is drawn.
//!
//! | `random`: when | list | drawn if |
//! | --- | --- | --- |
//! | set-up settlement | nodes by bit of the wall | more than one |
//! | set-up road | free edges of that settlement: horizontal by bit, vertical by bit | more than one |
//! | in a turn | the [`Choices`]: horizontal roads, vertical roads, settlements, cities, [`misc`] bits, each ascending | more than one |
//! | dice | 36: `k / 6 + 1`, `k % 6 + 1` | always |
//! | bought card | the cards of the deck, kind by kind | always |
//! | discards | seats from the mover on, and for each card to discard the cards still in hand, resource by resource | always |
//! | robber | the bits of [`Position::robberies`]: hex by hex, and there the opponents from the mover on, or nobody | always |
//! | stolen card | the victim's cards, resource by resource | there is a victim |
//! | free road | legal roads: horizontal by bit, vertical by bit | more than one |
//!
//! | `random-s` differs: when | list | drawn if |
//! | --- | --- | --- |
//! | before the roll | the robber's entries (below) if a knight can be played, the roll | more than one |
//! | after the roll | horizontal roads reachable from their left end, from their right end, vertical roads from their upper end, from their lower end, settlements, cities, the robber's entries if a knight can be played, [`misc`] bits without the knight, and without road building if fewer than two roads are left | more than one |
//! | robber | its entries: corner by corner of [`CORNER_BITS`](fairground_kernels::catan::wall::CORNER_BITS) the hexes other than its own with an opponent's building on that corner; none: it stays | more than one, and it was not a knight: that was drawn with its entry |
//! | stolen card | the victim's cards, resource by resource | the victim has a card |
//! | free road | the four sets of roads as above | more than one |
//!
//! | `heuristic` differs: when | list | drawn if |
//! | --- | --- | --- |
//! | set-up settlement | free nodes of the best score, by bit | more than one |
//! | set-up road | free edges towards a node of the best score two edges away (all free edges if there is none): horizontal by bit, vertical by bit | more than one |
//! | in a turn, discards, robber, free road | see [`heuristic`](super::heuristic) | never |
//!
//! In a game of several strategies the mover's decides, and on discards that of the seat that discards.
//!
//! After every action: if the mover has ten points the game is over, so that the robber of a knight that wins is
//! not moved and the second road is not built. A turn that begins with ten points is not played. Then, if
//! [`Policy::turn_cap`] turns have ended since the start of the playout, it is cut off.
//!
//! Actions counted: everything chosen from the [`Choices`] (rolling and ending a turn among them, forced or not),
//! each free road, each move of the robber, and each seat's discards as one. A pending offer is declined without a
//! draw, as one action.

use fairground_kernels::bits::kth;
use fairground_kernels::catan::tables::SEATS;
use fairground_kernels::catan::{Policy, Roads, Strategy, misc};
use fairground_kernels::rng::Draws;
use fairground_kernels::{Ending, Outcome};

use super::action::{Action, Chance, sample_card, sample_dice, sample_kind};
use super::heuristic::Heuristic;
use super::pieces::Resource;
use super::position::{Phase, Position};
use super::random_s::RandomS;
use super::rules::{Choice, Choices};

/// Plays `position` to the end of a playout.
#[inline]
pub fn play<D: Draws>(position: &mut Position, policy: Policy, draws: &mut D) -> Outcome {
    play_watched(position, policy, draws, |_| ())
}

/// [`play`] that shows the position before every action, and the last one.
#[inline]
pub fn play_watched<D: Draws>(
    position: &mut Position,
    policy: Policy,
    draws: &mut D,
    watch: impl FnMut(&Position),
) -> Outcome {
    let Policy { seats, turn_cap } = policy;
    if seats.iter().any(|&seat| seat != seats[0]) {
        return run(Mixed { seats, random_s: RandomS::default() }, position, turn_cap, draws, watch);
    }
    match seats[0] {
        Strategy::Random => run(Random, position, turn_cap, draws, watch),
        Strategy::RandomS => run(RandomS::default(), position, turn_cap, draws, watch),
        Strategy::Heuristic => run(Heuristic, position, turn_cap, draws, watch),
    }
}

/// How the players decide, phase by phase. Whoever decides is found in the position.
pub(super) trait Chooser {
    /// What the mover does in a turn.
    fn choice<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Choice;

    /// Where the mover places a piece of the set-up or a free road, if there is a place.
    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice>;

    /// The resource of the next card that a seat discards.
    fn discarded<D: Draws>(&mut self, position: &Position, seat: usize, draws: &mut D) -> usize;

    /// The hex that the mover sends the robber to, and who loses a card there.
    fn robbery<D: Draws>(&mut self, position: &Position, draws: &mut D) -> (u8, Option<u8>);

    /// One action of the mover's turn; returns whether it can have won the game or ended the turn.
    #[inline(always)]
    fn turn<D: Draws>(&mut self, position: &mut Position, draws: &mut D) -> bool {
        let choice = self.choice(position, draws);
        perform(position, choice, draws)
    }

    /// All discards of a seat.
    #[inline]
    fn discard<D: Draws>(&mut self, position: &mut Position, seat: usize, draws: &mut D) {
        for _ in 0..position.owed[seat] {
            let resource = self.discarded(position, seat, draws);
            position.discard(seat, resource);
        }
    }

    /// The mover moves the robber: one draw for the card if there is a victim.
    #[inline]
    fn rob<D: Draws>(&mut self, position: &mut Position, draws: &mut D) {
        let (hex, victim) = self.robbery(position, draws);
        let stolen = victim.map(|seat| (seat, sample_kind(position.players[usize::from(seat)].hand, draws)));
        position.rob(hex, stolen);
    }
}

/// Decides for one player as that player's strategy does in a playout, draw by draw, one action at a time.
///
/// What chance decides about the action ([`Position::sample`]) is to be drawn next, as in a playout.
#[derive(Debug)]
pub struct Decider(Mixed);

impl Decider {
    /// A player for one game.
    #[must_use]
    pub fn new(strategy: Strategy) -> Self {
        Self(Mixed { seats: [strategy; SEATS], random_s: RandomS::default() })
    }

    /// What the seat that has to [decide](Position::decider) does; nothing if somebody has won or there is no place.
    ///
    /// It is legal but for one thing: where `random-s` sends the robber to a player without cards, or lets it stay, it
    /// is moved there without a victim.
    pub fn decide<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        if position.winner().is_some() {
            return None;
        }
        match position.phase {
            Phase::Turn => position.action(self.0.choice(position, draws)),
            Phase::Discard => {
                let seat = position.decider();
                let card = self.0.discarded(position, seat.into(), draws);
                Resource::from_index(card).map(|card| Action::Discard { seat, card })
            }
            Phase::Robber => {
                let (hex, victim) = self.0.robbery(position, draws);
                Some(Action::MoveRobber { hex, victim })
            }
            Phase::Answer => Some(Action::Answer(false)),
            Phase::SetUpSettlement | Phase::SetUpRoad | Phase::FreeRoads => {
                self.0.place(position, draws).and_then(|choice| position.action(choice))
            }
        }
    }
}

/// One function for each sort of players: inlined into one they would share registers.
#[inline(never)]
fn run<D: Draws>(
    mut players: impl Chooser,
    position: &mut Position,
    turn_cap: u32,
    draws: &mut D,
    mut watch: impl FnMut(&Position),
) -> Outcome {
    let start = position.turn;
    let mut actions = 0;
    // Whether the last action can have given the mover a point or ended a turn; a start may be anything.
    let mut is_open = true;
    let ending = loop {
        watch(position);
        if is_open {
            if let Some(seat) = position.winner() {
                break Ending::Win(seat);
            }
            if position.turn.wrapping_sub(start) >= turn_cap {
                break Ending::Truncated;
            }
        }
        is_open = false;
        match position.phase {
            Phase::Turn => is_open = players.turn(position, draws),
            Phase::Discard => {
                let seat = usize::from(position.decider());
                if position.owed[seat] == 0 {
                    // Only in a position made by hand.
                    position.phase = Phase::Robber;
                }
                players.discard(position, seat, draws);
            }
            Phase::Robber => players.rob(position, draws),
            Phase::Answer => position.answer(false),
            Phase::SetUpSettlement | Phase::SetUpRoad | Phase::FreeRoads => {
                let Some(choice) = players.place(position, draws) else {
                    // Only in a set-up made by hand.
                    break Ending::Truncated;
                };
                put(position, choice);
                is_open = true;
            }
        }
        actions += 1;
    };
    Outcome { ending, phases: position.turn.wrapping_sub(start), actions, draws: draws.draws() }
}

/// Places a piece of the set-up or a free road, away from the hot loop.
#[inline(never)]
fn put(position: &mut Position, choice: Choice) {
    position.choose(choice, Chance::None);
}

/// Plays a choice with a draw for what chance decides; returns whether it can have won the game or ended a turn.
#[inline(always)]
pub(super) fn perform<D: Draws>(position: &mut Position, choice: Choice, draws: &mut D) -> bool {
    let chance = match choice {
        Choice::Misc(misc::ROLL_OR_END) if !position.rolled => Chance::Dice(sample_dice(draws)),
        Choice::Misc(misc::BUY) => Chance::Drawn(sample_card(position.deck, draws)),
        _ => Chance::None,
    };
    position.choose(choice, chance);
    !matches!(choice, Choice::Misc(..misc::KNIGHT))
}

/// `random`: uniform over the distinct legal actions, without trade between players.
pub(super) struct Random;

impl Chooser for Random {
    #[inline(always)]
    fn choice<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Choice {
        choose(&position.turn_choices(), draws)
    }

    #[inline(always)]
    fn turn<D: Draws>(&mut self, position: &mut Position, draws: &mut D) -> bool {
        let choices = position.turn_choices();
        if !choices.is_forced() {
            let choice = choose(&choices, draws);
            return perform(position, choice, draws);
        }
        if position.rolled {
            // Half of all turns end at once.
            position.end_turn();
            return true;
        }
        position.roll(sample_dice(draws));
        false
    }

    #[inline(never)]
    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice> {
        let choices = position.choices();
        (!choices.is_empty()).then(|| choose(&choices, draws))
    }

    /// One draw.
    #[inline]
    fn discarded<D: Draws>(&mut self, position: &Position, seat: usize, draws: &mut D) -> usize {
        sample_kind(position.players[seat].hand, draws)
    }

    /// One draw for hex and victim.
    #[inline]
    fn robbery<D: Draws>(&mut self, position: &Position, draws: &mut D) -> (u8, Option<u8>) {
        let robberies = position.robberies();
        position.robbery(kth(robberies, draws.below(robberies.count_ones())).trailing_zeros())
    }
}

/// Every seat with a strategy of its own.
#[derive(Debug)]
struct Mixed {
    seats: [Strategy; SEATS],
    random_s: RandomS,
}

impl Mixed {
    fn mover(&self, position: &Position) -> Strategy {
        self.seats[usize::from(position.mover) % SEATS]
    }
}

impl Chooser for Mixed {
    fn choice<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Choice {
        match self.mover(position) {
            Strategy::Random => Random.choice(position, draws),
            Strategy::RandomS => self.random_s.choice(position, draws),
            Strategy::Heuristic => Heuristic.choice(position, draws),
        }
    }

    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice> {
        match self.mover(position) {
            Strategy::Random => Random.place(position, draws),
            Strategy::RandomS => self.random_s.place(position, draws),
            Strategy::Heuristic => Heuristic.place(position, draws),
        }
    }

    fn discarded<D: Draws>(&mut self, position: &Position, seat: usize, draws: &mut D) -> usize {
        match self.seats[seat] {
            Strategy::Random => Random.discarded(position, seat, draws),
            Strategy::RandomS => self.random_s.discarded(position, seat, draws),
            Strategy::Heuristic => Heuristic.discarded(position, seat, draws),
        }
    }

    fn robbery<D: Draws>(&mut self, position: &Position, draws: &mut D) -> (u8, Option<u8>) {
        match self.mover(position) {
            Strategy::Random => Random.robbery(position, draws),
            Strategy::RandomS => self.random_s.robbery(position, draws),
            Strategy::Heuristic => Heuristic.robbery(position, draws),
        }
    }
}

/// One draw, unless there is no choice: a uniform one of the choices.
#[inline(always)]
pub(super) fn choose<D: Draws>(choices: &Choices, draws: &mut D) -> Choice {
    let Choices { roads: Roads { h, v }, settlements, cities, misc } = *choices;
    let count = choices.len();
    let mut k = if count > 1 { draws.below(count) } else { 0 };
    // The k-th bit of the sets one after the other; k is small, so that counting each set first does not pay.
    for (number, mut set) in [h, v, settlements, cities].into_iter().enumerate() {
        while set != 0 {
            if k == 0 {
                let bit = set & set.wrapping_neg();
                return match number {
                    0 => Choice::Road(Roads { h: bit, v: 0 }),
                    1 => Choice::Road(Roads { h: 0, v: bit }),
                    2 => Choice::Settlement(bit),
                    _ => Choice::City(bit),
                };
            }
            set &= set - 1;
            k -= 1;
        }
    }
    Choice::Misc(kth(misc, k).trailing_zeros())
}
