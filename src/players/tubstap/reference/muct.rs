//! M-UCT: tree search over single unit actions.
//!
//! It differs from textbook UCT in ways that its results depend on. The exploration term takes the number of all
//! simulations, not the parent's visits. Rewards are the root player's and are maximised in the enemy's nodes too. The
//! tree knows neither the end of the game nor the turn limit. The answer is the child with the best mean reward.

use std::ops::Range;

use fairground_kernels::Ending;
use fairground_kernels::bits::bits;
use fairground_kernels::rng::Draws;

use super::attacks::{NOT_WORTH_IT, Threats, attack_value, threats};
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Kind, Position, Team, Tubstap, policy};
use crate::players::Player;

/// How the search is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Simulations for one unit action.
    pub simulations: u32,
    /// The weight of the exploration term.
    pub exploration: f64,
    /// A node with more visits than this is expanded when it is visited again.
    pub expand_above: u32,
    /// So many rollouts in a row use the same random numbers; 1 for independent rollouts.
    ///
    /// The original made a generator for each rollout and seeded it from a clock that stood still for many rollouts.
    pub seed_group: u32,
    /// Attacks that are left out of the tree.
    pub pruning: Option<Pruning>,
}

impl Default for Options {
    /// The original's numbers, with its limit of simulations.
    fn default() -> Self {
        Self { simulations: 2000, exploration: 0.15, expand_above: 10, seed_group: 1, pruning: None }
    }
}

/// Which attacks are left out of the tree when a node is expanded. Moves always stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// The kinds of units whose attacks are pruned.
    pub kinds: Vec<Kind>,
    /// Attacks that are worth less are dropped first; `None` drops none.
    pub threshold: Option<i32>,
    /// How many of the others stay.
    pub keep: Keep,
    /// Whether the enemy's attacks are all kept.
    pub is_own_side_only: bool,
}

/// How many attacks of a unit stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// So many of the best.
    Best(usize),
    /// The better half, with the middle one of an odd number.
    Half,
}

impl Pruning {
    /// The pruning of units of this kind on both sides, with the threshold of the sample player.
    #[must_use]
    pub fn of(kind: Kind, keep: Keep) -> Self {
        Self { kinds: vec![kind], threshold: Some(NOT_WORTH_IT), keep, is_own_side_only: false }
    }

    /// The attacks of a unit that stay, best first, equally good ones in the order given.
    fn prune(&self, position: &Position, threats: &Threats, attacks: Vec<Action>) -> Vec<Action> {
        let valued = attacks.into_iter().map(|action| (action, attack_value(position, threats, action)));
        let mut valued: Vec<_> =
            valued.filter(|&(_, value)| self.threshold.is_none_or(|least| value >= least)).collect();
        valued.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        valued.truncate(match self.keep {
            Keep::Best(number) => number,
            Keep::Half => valued.len().div_ceil(2),
        });
        valued.into_iter().map(|(action, _)| action).collect()
    }
}

/// A node of the tree: one unit action and what came of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The action that leads here.
    pub action: Action,
    /// Simulations that came through here.
    pub visits: u32,
    /// Sum of their rewards: 1 for a win of the root player, one half for a draw.
    pub sum: f64,
    position: Position,
    children: Range<usize>,
}

impl Node {
    /// The mean reward; 0 without visits.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.sum / f64::from(self.visits) }
    }
}

/// The search for one unit action.
#[derive(Clone, Debug)]
pub struct Search {
    options: Options,
    own: Team,
    nodes: Vec<Node>,
    /// The children of the root, which is itself no node.
    root: Range<usize>,
    /// Finished simulations.
    total: u64,
}

impl Search {
    /// A search for the side to move. Without units that can act it has no children and does nothing.
    #[must_use]
    pub fn new(position: &Position, options: Options) -> Self {
        let mut search = Self { options, own: position.mover, nodes: Vec::new(), root: 0..0, total: 0 };
        search.root = search.add_children(position);
        search
    }

    /// The children of the root in the order of the original.
    #[must_use]
    pub fn children(&self) -> &[Node] {
        &self.nodes[self.root.clone()]
    }

    /// The action with the best mean reward, the first of equals.
    #[must_use]
    pub fn best(&self) -> Option<Action> {
        first_largest(self.children(), Node::mean).map(|index| self.children()[index].action)
    }

    /// How many nodes lie 0, 1, 2 and more actions below the root; the first is the root itself.
    #[must_use]
    pub fn nodes_by_depth(&self) -> Vec<usize> {
        let mut counts = vec![1];
        let mut level = vec![self.root.clone()];
        loop {
            let nodes = level.iter().map(|range| range.len()).sum();
            if nodes == 0 {
                return counts;
            }
            counts.push(nodes);
            level = level.into_iter().flatten().map(|node| self.nodes[node].children.clone()).collect();
        }
    }

    /// Makes so many more simulations.
    pub fn run<D: Draws + Clone>(&mut self, simulations: u32, draws: &mut D) {
        let mut start = draws.clone();
        for number in 0..simulations {
            if number % self.options.seed_group.max(1) == 0 {
                start = draws.clone();
            }
            let mut stream = start.clone();
            self.simulate(&mut stream);
            // The next group begins after the longest rollout of this one, so that groups share no numbers.
            let drawn = |stream: &D| stream.draws().wrapping_sub(start.draws());
            if drawn(&stream) > drawn(draws) {
                *draws = stream;
            }
        }
    }

    fn simulate<D: Draws>(&mut self, draws: &mut D) {
        let mut path = Vec::new();
        let mut children = self.root.clone();
        while let Some(child) = self.select(children) {
            path.push(child);
            if self.nodes[child].visits <= self.options.expand_above {
                break;
            }
            if self.nodes[child].children.is_empty() {
                self.expand(child);
            }
            children = self.nodes[child].children.clone();
        }
        let Some(&leaf) = path.last() else { return };
        let reward = self.rollout(&self.nodes[leaf].position, draws);
        for node in path {
            self.nodes[node].visits += 1;
            self.nodes[node].sum += reward;
        }
        self.total += 1;
    }

    /// The first child without visits, or the first with the largest upper bound.
    fn select(&self, children: Range<usize>) -> Option<usize> {
        let nodes = &self.nodes[children.clone()];
        let unvisited = nodes.iter().position(|node| node.visits == 0);
        let logarithm = libm::log(self.total as f64);
        let bound = |node: &Node| node.mean() + self.options.exploration * (logarithm / f64::from(node.visits)).sqrt();
        Some(children.start + unvisited.or_else(|| first_largest(nodes, bound))?)
    }

    /// The root player's reward of one rollout, which begins with that player's phase whoever acted last.
    fn rollout<D: Draws>(&self, position: &Position, draws: &mut D) -> f64 {
        let mut position = Position { mover: self.own, ..*position };
        match policy::muct(&mut position, draws).ending {
            Ending::Win(seat) => f64::from(u8::from(seat == self.own as u8)),
            Ending::Draw | Ending::Truncated => 0.5,
        }
    }

    fn expand(&mut self, node: usize) {
        let mut position = self.nodes[node].position;
        go_on(&mut position, self.own);
        self.nodes[node].children = self.add_children(&position);
    }

    fn add_children(&mut self, position: &Position) -> Range<usize> {
        let first = self.nodes.len();
        let mut actions = Vec::new();
        add_actions(position, self.own, self.options.pruning.as_ref(), &mut actions);
        self.nodes.extend(actions.into_iter().map(|action| {
            let mut after = *position;
            after.act(action);
            Node { action, visits: 0, sum: 0.0, position: after, children: 0..0 }
        }));
        first..self.nodes.len()
    }
}

/// Finds out who acts next in the tree of this root player, and begins a turn if nobody is left to act.
pub fn go_on(position: &mut Position, own: Team) {
    let has_unacted = |team: Team| position.sides[team.index()].unacted() != 0;
    let enemy = own.other();
    let side = if has_unacted(own) {
        own
    } else if has_unacted(enemy) {
        enemy
    } else {
        position.sides.iter_mut().for_each(|side| side.clear_flags());
        if position.sides[own.index()].is_dead() { enemy } else { own }
    };
    position.mover = side;
    // This takes the loss of the only unit that has acted for a new turn, as the original does.
    if !position.own().has_begun() {
        position.turn = position.turn.saturating_add(1);
    }
}

/// Adds the actions of the side to move that the tree of this root player has: unit by unit, attacks that do damage, then
/// moves.
pub fn add_actions(position: &Position, root: Team, pruning: Option<&Pruning>, actions: &mut Vec<Action>) {
    let (own, enemy) = (position.own(), position.enemy());
    let pruning = pruning.filter(|pruning| !pruning.is_own_side_only || position.mover == root);
    let pruning = pruning.map(|pruning| (pruning, threats(position)));
    for number in bits(own.unacted().into()).map(|number| number as usize) {
        let Some(unit) = own.unit(number) else { continue };
        let moves = position.destinations(own, enemy, unit);
        let effective = position.effective(enemy, unit, position.attacks(enemy, unit, moves));
        let attacks = (0..effective.len()).map(|k| position.attack_action(number, effective, k));
        match &pruning {
            Some((pruning, threats)) if pruning.kinds.contains(&unit.kind) => {
                actions.extend(pruning.prune(position, threats, attacks.collect()));
            }
            _ => actions.extend(attacks),
        }
        actions.extend(moves.cells().map(|to| Action { unit: number, to, target: None }));
    }
}

/// The place of the first largest value.
fn first_largest<T>(items: &[T], value: impl Fn(&T) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, item) in items.iter().enumerate() {
        let value = value(item);
        if best.is_none_or(|(_, largest)| value > largest) {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

/// The player: a new search for every unit action.
#[derive(Clone, Debug, Default)]
pub struct Muct {
    /// How it searches.
    pub options: Options,
}

impl<D: Draws + Clone> Player<Tubstap, D> for Muct {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        let mut search = Search::new(position, self.options.clone());
        search.run(self.options.simulations, draws);
        search.best()
    }
}
