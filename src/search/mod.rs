//! Tree search that knows no game: UCT whose leaves are valued elsewhere, many at a time.
//!
//! The tree is grown in rounds. [`Search::descend`] goes down to a leaf and gives its state; the caller has playouts
//! played from there and hands the reward to [`Search::back_up`]. In between it may descend again: simulations under way
//! count as visits without a reward, so that the next one looks elsewhere. One at a time gives plain UCT.
//!
//! A [`Domain`] tells the search what the choices are. Games of any number of players fit, with chance and hidden cards:
//!
//! - Every choice names the player who makes it, and that player's reward is maximised.
//! - States are not stored in the tree but played again from the root on every way down. So each simulation may start from
//!   another deal of the hidden cards, and chance may fall differently.
//! - What chance and hidden cards made of an action is told apart by a number: each outcome leads to a node of its own.

use std::collections::VecDeque;
use std::ops::Range;

use fairground_kernels::rng::Rng;

/// What is searched.
pub trait Domain {
    /// A state, at any moment.
    type State;
    /// What a player does.
    type Action: Copy;

    /// The state in which the search begins; with hidden cards, one that the searching player holds for possible.
    fn root(&self, rng: &mut Rng) -> Self::State;
    /// Adds the choices in a state, in the order in which they are to be tried, and returns whose choice it is. There are
    /// none once the game is over.
    fn choices(&self, state: &Self::State, choices: &mut Vec<Self::Action>, rng: &mut Rng) -> usize;
    /// Rewards that a choice is credited with from the beginning, without a visit.
    fn virtual_reward(&self, _: &Self::State, _: Self::Action) -> f64 {
        0.0
    }
    /// Plays an action. The number tells apart the states it may lead to, as far as their choices or what their chooser
    /// knows differ; it is the same for all if chance has no part in it.
    fn play(&self, state: &mut Self::State, action: Self::Action, rng: &mut Rng) -> u64;
}

/// How a tree is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The weight of the exploration term.
    pub exploration: f64,
    /// An action with more visits than this is followed into the tree.
    pub expand_above: u32,
    /// What the logarithm of the exploration term counts.
    pub counted: Counted,
}

/// Simulations whose logarithm is in the exploration term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Those that came through the node: the textbook's.
    OfNode,
    /// All of the search.
    All,
}

/// An action in the tree and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried<A> {
    /// The action.
    pub action: A,
    /// Finished simulations that came through it.
    pub visits: u32,
    /// Sum of the rewards of whoever chose it, virtual ones among them.
    pub sum: f64,
}

impl<A> Tried<A> {
    /// The mean reward; 0 without visits.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.sum / f64::from(self.visits) }
    }
}

/// A moment of choice.
#[derive(Clone, Debug)]
struct Node {
    /// Whose.
    chooser: usize,
    /// The choices.
    edges: Range<usize>,
    /// How many of them were tried: they are tried in their order before any is tried again.
    tried: usize,
    /// Simulations that came through here or are under way.
    visits: u64,
    /// The number that tells it from its siblings.
    outcome: u64,
    /// The next node that the same action leads to.
    sibling: Option<usize>,
}

/// The choices of all nodes, column by column: selection reads two of them.
#[derive(Clone, Debug)]
struct Edges<A> {
    actions: Vec<A>,
    /// Visits and simulations under way, as the bound needs them.
    counts: Vec<f64>,
    means: Vec<f64>,
    visits: Vec<u32>,
    sums: Vec<f64>,
    /// The first of the nodes that the action leads to.
    nodes: Vec<Option<usize>>,
}

/// A search and its tree.
#[derive(Clone, Debug)]
pub struct Search<D: Domain> {
    domain: D,
    growth: Growth,
    nodes: Vec<Node>,
    edges: Edges<D::Action>,
    /// Simulations under way, the oldest first: the actions and their choosers.
    under_way: VecDeque<Vec<(usize, usize)>>,
    /// Paths of finished simulations, to be used again.
    spare: Vec<Vec<(usize, usize)>>,
    finished: u64,
    bounds: Vec<f64>,
}

/// The node that the search begins in.
const ROOT: usize = 0;

impl<D: Domain> Search<D> {
    /// A search that has done nothing yet.
    pub fn new(domain: D, growth: Growth, rng: &mut Rng) -> Self {
        let edges = Edges {
            actions: Vec::new(),
            counts: Vec::new(),
            means: Vec::new(),
            visits: Vec::new(),
            sums: Vec::new(),
            nodes: Vec::new(),
        };
        let mut search = Self {
            domain,
            growth,
            nodes: Vec::new(),
            edges,
            under_way: VecDeque::new(),
            spare: Vec::new(),
            finished: 0,
            bounds: Vec::new(),
        };
        let root = search.domain.root(rng);
        search.add_node(&root, 0, rng);
        search
    }

    /// What is searched.
    #[must_use]
    pub const fn domain(&self) -> &D {
        &self.domain
    }

    /// Finished simulations.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.finished
    }

    /// Simulations that were begun and not finished.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// The choices at the root, in their order.
    pub fn tried(&self) -> impl ExactSizeIterator<Item = Tried<D::Action>> + '_ {
        self.nodes[ROOT].edges.clone().map(|edge| Tried {
            action: self.edges.actions[edge],
            visits: self.edges.visits[edge],
            sum: self.edges.sums[edge],
        })
    }

    /// The choice at the root with the best mean reward, the first of equals.
    #[must_use]
    pub fn best(&self) -> Option<D::Action> {
        let edges = self.nodes[ROOT].edges.clone();
        let best = first_largest(&self.edges.means[edges.clone()])?;
        Some(self.edges.actions[edges.start + best])
    }

    /// How many actions the tree has 1, 2, 3 and more actions below the root.
    #[must_use]
    pub fn actions_by_depth(&self) -> Vec<usize> {
        let mut counts = Vec::new();
        let mut level = vec![ROOT];
        loop {
            let edges = || level.iter().flat_map(|&node| self.nodes[node].edges.clone());
            let number = edges().count();
            if number == 0 {
                return counts;
            }
            counts.push(number);
            let mut below = Vec::new();
            for mut next in edges().map(|edge| self.edges.nodes[edge]) {
                while let Some(node) = next {
                    below.push(node);
                    next = self.nodes[node].sibling;
                }
            }
            level = below;
        }
    }

    /// Begins a simulation: goes down the tree and gives the state to be valued. None if there is nothing to choose.
    pub fn descend(&mut self, rng: &mut Rng) -> Option<D::State> {
        let mut state = self.domain.root(rng);
        let mut path = self.spare.pop().unwrap_or_default();
        path.clear();
        let mut node = ROOT;
        while let Some(edge) = self.select(node) {
            path.push((edge, self.nodes[node].chooser));
            self.nodes[node].visits += 1;
            let outcome = self.domain.play(&mut state, self.edges.actions[edge], rng);
            let is_leaf = self.edges.visits[edge] <= self.growth.expand_above;
            self.edges.counts[edge] += 1.0;
            if is_leaf {
                break;
            }
            node = self.follow(edge, outcome, &state, rng);
        }
        if path.is_empty() {
            return None;
        }
        self.under_way.push_back(path);
        Some(state)
    }

    /// Ends the oldest simulation under way: `reward` gives what its end is worth to a player.
    pub fn back_up(&mut self, reward: impl Fn(usize) -> f64) {
        let Some(path) = self.under_way.pop_front() else { return };
        for &(edge, chooser) in &path {
            let Edges { visits, sums, means, .. } = &mut self.edges;
            visits[edge] += 1;
            sums[edge] += reward(chooser);
            means[edge] = sums[edge] / f64::from(visits[edge]);
        }
        self.finished += 1;
        self.spare.push(path);
    }

    /// The first choice that was never tried, or the first with the largest upper bound.
    fn select(&mut self, node: usize) -> Option<usize> {
        let Node { edges, tried, visits, .. } = &mut self.nodes[node];
        if *tried < edges.len() {
            *tried += 1;
            return Some(edges.start + *tried - 1);
        }
        let counted = match self.growth.counted {
            Counted::OfNode => *visits,
            Counted::All => self.finished + self.under_way.len() as u64,
        };
        let logarithm = libm::log(counted as f64);
        let exploration = self.growth.exploration;
        let (means, counts) = (&self.edges.means[edges.clone()], &self.edges.counts[edges.clone()]);
        self.bounds.clear();
        let bound = |(mean, count): (&f64, &f64)| mean + exploration * (logarithm / count).sqrt();
        self.bounds.extend(means.iter().zip(counts).map(bound));
        Some(edges.start + first_largest(&self.bounds)?)
    }

    /// The node that an outcome of an action leads to; a new one if nobody was there before.
    fn follow(&mut self, edge: usize, outcome: u64, state: &D::State, rng: &mut Rng) -> usize {
        let mut next = self.edges.nodes[edge];
        while let Some(node) = next {
            if self.nodes[node].outcome == outcome {
                return node;
            }
            next = self.nodes[node].sibling;
        }
        let node = self.add_node(state, outcome, rng);
        self.nodes[node].sibling = self.edges.nodes[edge].replace(node);
        node
    }

    fn add_node(&mut self, state: &D::State, outcome: u64, rng: &mut Rng) -> usize {
        let Edges { actions, counts, means, visits, sums, nodes } = &mut self.edges;
        let first = actions.len();
        let chooser = self.domain.choices(state, actions, rng);
        let end = actions.len();
        counts.resize(end, 0.0);
        means.resize(end, 0.0);
        visits.resize(end, 0);
        sums.extend(actions[first..].iter().map(|&action| self.domain.virtual_reward(state, action)));
        nodes.resize(end, None);
        self.nodes.push(Node { chooser, edges: first..end, tried: 0, visits: 0, outcome, sibling: None });
        self.nodes.len() - 1
    }
}

/// The place of the first largest value.
fn first_largest(values: &[f64]) -> Option<usize> {
    // Four at a time: each waits only for its own.
    let mut largest = [f64::NEG_INFINITY; 4];
    let (fours, rest) = values.as_chunks();
    for four in
        fours
            .iter()
            .chain([&[rest.first(), rest.get(1), rest.get(2), None]
                .map(|value| value.copied().unwrap_or(f64::NEG_INFINITY))])
    {
        for (largest, &value) in largest.iter_mut().zip(four) {
            *largest = if value > *largest { value } else { *largest };
        }
    }
    let largest = largest.into_iter().fold(f64::NEG_INFINITY, f64::max);
    values.iter().position(|&value| value == largest)
}
