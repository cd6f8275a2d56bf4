//! M-UCT with its rollouts in batches: the tree of [the reference](super::reference::muct), grown by the
//! [search of all games](crate::search).

use std::time::{Duration, Instant};

use fairground_kernels::rng::Rng;

use super::reference::muct::{Options, Pruning, add_actions, go_on};
use crate::batch::Tally;
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Policy, Position, Team, Tubstap};
use crate::players::thinking::{Question, Stream, Thinker, Thought};
use crate::search::{Counted, Domain, Growth, Search};

/// What M-UCT takes the game for: one player chooses everything, also what the enemy does.
#[derive(Clone, Debug)]
pub struct UnitActions {
    position: Position,
    pruning: Option<Pruning>,
}

/// A position in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    position: Position,
    /// No turn begins at the root.
    is_root: bool,
}

impl UnitActions {
    const fn own(&self) -> Team {
        self.position.mover
    }

    /// The position with the side that acts next.
    fn go_on(&self, reached: &Reached) -> Position {
        let mut position = reached.position;
        if !reached.is_root {
            go_on(&mut position, self.own());
        }
        position
    }
}

impl Domain for UnitActions {
    type State = Reached;
    type Action = Action;

    fn root(&self, _: &mut Rng) -> Reached {
        Reached { position: self.position, is_root: true }
    }

    fn choices(&self, reached: &Reached, choices: &mut Vec<Action>, _: &mut Rng) -> usize {
        add_actions(&self.go_on(reached), self.own(), self.pruning.as_ref(), choices);
        self.own().index()
    }

    fn play(&self, reached: &mut Reached, action: Action, _: &mut Rng) -> u64 {
        *reached = Reached { position: self.go_on(reached), is_root: false };
        reached.position.act(action);
        0
    }
}

/// How the player thinks.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The search of the reference. It stops at its number of simulations, or when the time is up.
    pub search: Options,
    /// The time for the actions of all units in a phase, shared out evenly among those that have not acted.
    pub milliseconds: Option<u32>,
    /// Simulations of a search that are under way together. More fill a batch when few games are played at a time, at the
    /// price of a tree that differs a little from the original's; 1 is exact.
    pub leaves: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { search: Options::default(), milliseconds: None, leaves: 1 }
    }
}

/// Searches for the side to move with M-UCT's tree.
#[must_use]
pub fn search(position: &Position, options: &Options, rng: &mut Rng) -> Search<UnitActions> {
    let Options { exploration, expand_above, ref pruning, .. } = *options;
    let domain = UnitActions { position: *position, pruning: pruning.clone() };
    Search::new(domain, Growth { exploration, expand_above, counted: Counted::All }, rng)
}

/// The position from which a leaf is valued: it begins with the root player's phase whoever acted last.
#[must_use]
pub fn rollout_start(search: &Search<UnitActions>, leaf: &Reached) -> Position {
    Position { mover: search.domain().own(), ..leaf.position }
}

/// The player: a new search for every unit action.
#[derive(Clone, Debug, Default)]
pub struct Muct {
    settings: Settings,
    current: Option<Box<Current>>,
    /// Rollouts of the searches before this one.
    before: u64,
    /// The phase and what is left of its time.
    clock: Option<(u32, Duration)>,
}

/// The search for one unit action.
#[derive(Clone, Debug)]
struct Current {
    search: Search<UnitActions>,
    began: Instant,
    /// When to stop, if time is short.
    allowed: Option<Duration>,
}

impl Muct {
    /// A player with these settings.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings, current: None, before: 0, clock: None }
    }

    /// The search under way, if there is one.
    #[must_use]
    pub fn search(&self) -> Option<&Search<UnitActions>> {
        self.current.as_ref().map(|current| &current.search)
    }

    fn begin(&mut self, position: &Position, rng: &mut Rng) -> Box<Current> {
        let search = search(position, &self.settings.search, rng);
        let allowed = self.settings.milliseconds.map(|whole| {
            let whole = Duration::from_millis(whole.into());
            let left = self.clock.filter(|clock| clock.0 == position.turn).map_or(whole, |(_, left)| left);
            self.clock = Some((position.turn, left));
            left / position.own().unacted().count_ones().max(1)
        });
        Box::new(Current { search, began: Instant::now(), allowed })
    }
}

/// The mean reward of a player: 1 for a win, one half for a draw.
#[must_use]
pub fn reward(tally: &Tally, seat: usize) -> f64 {
    (tally.wins[seat] as f64 + 0.5 * (tally.draws + tally.truncated) as f64) / tally.playouts as f64
}

impl Thinker<Tubstap> for Muct {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Tubstap> {
        let mut current = self.current.take().unwrap_or_else(|| self.begin(position, rng));
        let search = &mut current.search;
        answers.iter().for_each(|tally| search.back_up(|seat| reward(tally, seat)));
        let options = &self.settings.search;
        let is_late = current.allowed.is_some_and(|allowed| current.began.elapsed() > allowed);
        let left = if is_late { 0 } else { u64::from(options.simulations).saturating_sub(search.finished()) };
        let mut questions = Vec::with_capacity(left.min(self.settings.leaves.max(1).into()) as usize);
        while questions.len() < questions.capacity()
            && let Some(leaf) = search.descend(rng)
        {
            // Rollouts of a group share their random numbers; groups of different searches do not.
            let number = search.finished() + questions.len() as u64;
            let group = self.before + number / u64::from(options.seed_group.max(1));
            let position = rollout_start(search, &leaf);
            questions.push(Question {
                position,
                policy: Policy::Muct,
                playouts: 1,
                stream: Stream::Part { number: group, first: 0 },
            });
        }
        if !questions.is_empty() {
            self.current = Some(current);
            return Thought::Ask(questions);
        }
        self.before += search.finished();
        if let Some((_, left)) = &mut self.clock {
            *left = left.saturating_sub(current.began.elapsed());
        }
        Thought::Act(search.best())
    }
}
