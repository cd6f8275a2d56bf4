//! UCT, in the manner of SmartSettlers: a new tree for every action, whose leaves are valued by playouts to the end.
//!
//! - Everybody maximises their own share of wins.
//! - What the dice, a bought card or a stolen one make of an action leads to nodes of their own; outcomes that leave the same
//!   cards in the same hands to the same one.
//! - Choices are tried in random order, so that a search that is too short to know anything plays at random.
//! - A settlement or city that is tried for the first time is credited with virtual wins. They fade as visits grow.
//! - Cards are open to the search, as they are in SmartSettlers, or every simulation [deals anew](super::hidden) what
//!   the player does not see. Then others choose by what *they* see.

use std::time::{Duration, Instant};

use fairground_kernels::rng::{Draws, Rng};

use super::hidden::{all_cards, deal_anew, seen_by};
use crate::batch::Tally;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Action, Catan, Chance, Phase, Policy, Position, Strategy};
use crate::players::thinking::{Question, Stream, Thinker, Thought};
use crate::search::{Counted, Domain, Growth, Search};

/// How the player thinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Simulations for one action. A search ends there or when the time is up.
    pub simulations: u32,
    /// The time for one action.
    pub milliseconds: Option<u32>,
    /// The weight of the exploration term.
    pub exploration: f64,
    /// An action with more visits than this is followed into the tree.
    pub expand_above: u32,
    /// Simulations of a search that are under way together. More fill a batch when few games are played at a time, at the
    /// price of a tree that knows a little less while it grows.
    pub leaves: u32,
    /// How playouts are played.
    pub rollout: Strategy,
    /// Virtual wins of a settlement after the set-up, and of a city.
    pub virtual_wins: [f64; 2],
    /// Whether the cards of the others are known. Otherwise they are dealt anew for every simulation.
    pub has_open_cards: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            simulations: 1000,
            milliseconds: None,
            exploration: 0.5,
            expand_above: 0,
            leaves: 1,
            rollout: Strategy::Random,
            virtual_wins: [20.0, 10.0],
            has_open_cards: true,
        }
    }
}

/// The game as it is searched.
#[derive(Clone, Debug)]
pub struct Actions {
    position: Position,
    virtual_wins: [f64; 2],
    /// The player who does not see the cards of the others, if they are hidden.
    seer: Option<u8>,
}

impl Domain for Actions {
    type State = Position;
    type Action = Action;

    fn root(&self, rng: &mut Rng) -> Position {
        self.seer.map_or(self.position, |seer| deal_anew(&self.position, seer, rng))
    }

    fn choices(&self, position: &Position, choices: &mut Vec<Action>, rng: &mut Rng) -> usize {
        let decider = position.decider();
        let first = choices.len();
        let is_own = |action: &Action| !matches!(action, Action::Discard { seat, .. } if *seat != decider);
        choices.extend(position.legal_actions().into_iter().filter(is_own));
        let own = &mut choices[first..];
        for last in (1..own.len()).rev() {
            own.swap(last, rng.below(last as u32 + 1) as usize);
        }
        decider.into()
    }

    fn virtual_reward(&self, position: &Position, action: Action) -> f64 {
        match action {
            Action::Settlement(_) if position.phase == Phase::Turn => self.virtual_wins[0],
            Action::City(_) => self.virtual_wins[1],
            _ => 0.0,
        }
    }

    fn play(&self, position: &mut Position, action: Action, rng: &mut Rng) -> u64 {
        let chance = position.sample(action, rng);
        position.act(action, chance);
        match (self.seer, chance) {
            (Some(_), _) => seen_by(position, position.decider()),
            (None, Chance::None) => 0,
            (None, _) => all_cards(position),
        }
    }
}

impl Actions {
    /// What whoever has to decide searches.
    #[must_use]
    pub fn new(position: &Position, settings: &Settings) -> Self {
        let seer = (!settings.has_open_cards).then(|| position.decider());
        Self { position: *position, virtual_wins: settings.virtual_wins, seer }
    }
}

impl Settings {
    /// How the tree is grown.
    #[must_use]
    pub const fn growth(&self) -> Growth {
        Growth { exploration: self.exploration, expand_above: self.expand_above, counted: Counted::OfNode }
    }
}

/// The mean reward of a seat: its wins. Playouts that were cut off are shared by all.
#[must_use]
pub fn reward(tally: &Tally, seat: usize) -> f64 {
    let cut_off = (tally.draws + tally.truncated) as f64;
    (tally.wins[seat] as f64 + cut_off / SEATS as f64) / tally.playouts as f64
}

/// The player.
#[derive(Clone, Debug)]
pub struct Uct {
    settings: Settings,
    current: Option<Box<Current>>,
}

/// The search for one action.
#[derive(Clone, Debug)]
struct Current {
    search: Search<Actions>,
    began: Instant,
}

impl Uct {
    /// A player with these settings.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings, current: None }
    }

    /// The search under way, if there is one.
    #[must_use]
    pub fn search(&self) -> Option<&Search<Actions>> {
        self.current.as_ref().map(|current| &current.search)
    }

    /// How many simulations to begin now.
    fn number(&self, current: &Current) -> usize {
        let Settings { simulations, milliseconds, leaves, .. } = self.settings;
        let is_late = milliseconds.is_some_and(|most| current.began.elapsed() > Duration::from_millis(most.into()));
        // Where there is but one choice there is nothing to think about.
        if is_late || current.search.tried().len() <= 1 {
            return 0;
        }
        u64::from(simulations).saturating_sub(current.search.finished()).min(leaves.max(1).into()) as usize
    }
}

impl Thinker<Catan> for Uct {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Catan> {
        let mut current = self.current.take().unwrap_or_else(|| {
            let actions = Actions::new(position, &self.settings);
            Box::new(Current { search: Search::new(actions, self.settings.growth(), rng), began: Instant::now() })
        });
        answers.iter().for_each(|tally| current.search.back_up(|seat| reward(tally, seat)));
        let policy = Policy::all(self.settings.rollout);
        let question = |position| Question { position, policy, playouts: 1, stream: Stream::Own };
        let leaves = (0..self.number(&current)).map_while(|_| current.search.descend(rng));
        let questions: Vec<_> = leaves.map(question).collect();
        if questions.is_empty() {
            return Thought::Act(current.search.best());
        }
        self.current = Some(current);
        Thought::Ask(questions)
    }
}
