//! Tables 3 and 4: how deep the tree of M-UCT grows on map 1.
//!
//! The original makes a generator for every rollout and, on the system it was written for, seeds it from a clock that
//! advances about every 15.6 milliseconds. All rollouts between two ticks then use the same random numbers, and the tree
//! grows another way. The paper does not say how its rollouts were seeded, so this is tried with groups of several sizes.

use fairground_kernels::rng::{Draws, Rng, absorb};

use super::matches::Reading;
use super::{Estimate, Experiment};
use crate::batch::{EvaluateError, Evaluator, Tally, Watch};
use crate::games::Game;
use crate::games::tubstap::{Kind, Policy, Position, Tubstap};
use crate::players::thinking::{Crowd, Question, Stream, Table};
use crate::players::tubstap::muct::{UnitActions, reward, rollout_start, search};
use crate::players::tubstap::reference::muct::Options;
use crate::search::Search;

/// Simulations of each search.
pub const SIMULATIONS: u32 = 20_000;
/// Searches of the paper, with pruning and without.
pub const SEARCHES: u64 = 100;
/// Depths of Table 3, from 0.
pub const DEPTHS: usize = 14;
/// Milliseconds between two ticks of the clock that may have seeded the rollouts.
pub const TICK: f64 = 15.6;

/// Sizes of the groups of rollouts that share their random numbers; 1 for none.
pub const SEED_GROUPS: [u32; 11] = [1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 32];

/// Figures of the paper: without pruning, and with single pruning of panzers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Mean number of nodes by depth (Table 3).
    pub nodes: [f64; DEPTHS],
    /// Mean depth of the tree (Table 4).
    pub depth: f64,
}

/// Tables 3 and 4, without and with pruning.
pub const PUBLISHED: [Published; 2] = [
    Published {
        nodes: [1.0, 73.0, 1421.5, 2041.6, 1727.1, 957.4, 718.7, 12548.1, 2164.9, 1459.2, 531.5, 106.9, 2.99, 0.0],
        depth: 8.63,
    },
    Published {
        nodes: [1.0, 71.0, 1352.2, 2132.33, 1993.1, 954.4, 657.4, 10893.6, 2095.6, 1081.8, 477.9, 102.87, 6.66, 23.33],
        depth: 8.73,
    },
];

impl Published {
    /// The mean depth of the nodes of Table 3. Table 4 does not mean this: it has 8.63 and 8.73.
    #[must_use]
    pub fn mean_node_depth(&self) -> f64 {
        let weighted: f64 = self.nodes.iter().zip(0_u8..).map(|(nodes, depth)| nodes * f64::from(depth)).sum();
        weighted / self.nodes.iter().sum::<f64>()
    }
}

/// Many searches of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Rollouts that share their random numbers.
    pub seed_group: u32,
    /// Whether panzers are pruned.
    pub is_pruned: bool,
    /// For each search the number of nodes by depth, from the root on.
    pub searches: Vec<Vec<u32>>,
}

/// How far a profile is from the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Sum over the [classes](CLASSES) of depths of the squared difference in standard errors of the difference, those of
    /// the paper taken to be ours.
    pub distance: f64,
    /// The share of resampled pairs of runs of ours that are at least as far apart: small if the paper's searches cannot
    /// have been of this kind.
    pub p: f64,
}

/// Classes of depths that are compared: each from 2 on, where chance begins, and the last with all that is deeper.
pub const CLASSES: usize = 10;
const FIRST_CLASS: usize = 2;

/// Pairs of runs that are resampled.
const RESAMPLES: u32 = 1000;

fn classes(nodes: &[f64]) -> [f64; CLASSES] {
    let mut classes = [0.0; CLASSES];
    for (depth, nodes) in nodes.iter().enumerate().skip(FIRST_CLASS) {
        classes[(depth - FIRST_CLASS).min(CLASSES - 1)] += nodes;
    }
    classes
}

impl Profile {
    /// Nodes of each search at a depth.
    fn nodes(&self, depth: usize) -> Vec<f64> {
        self.searches.iter().map(|nodes| nodes.get(depth).copied().unwrap_or(0).into()).collect()
    }

    /// The mean number of nodes at a depth.
    #[must_use]
    pub fn mean_nodes(&self, depth: usize) -> Estimate {
        Estimate::mean(&self.nodes(depth))
    }

    /// The mean over the searches of the depth of the deepest node.
    #[must_use]
    pub fn mean_depth(&self) -> Estimate {
        let deepest: Vec<_> = self.searches.iter().map(|nodes| nodes.len().saturating_sub(1) as f64).collect();
        Estimate::mean(&deepest)
    }

    const fn published(&self) -> &'static Published {
        &PUBLISHED[self.is_pruned as usize]
    }

    /// A figure of the paper with the error that it would have if its searches spread like ours.
    fn paper(&self, value: f64, own: Estimate) -> Estimate {
        Estimate { value, error: own.error * (self.searches.len() as f64 / SEARCHES as f64).sqrt() }
    }

    /// The paper's mean number of nodes at a depth, with the error of as many searches of ours.
    #[must_use]
    pub fn paper_nodes(&self, depth: usize) -> Estimate {
        self.paper(self.published().nodes.get(depth).copied().unwrap_or(0.0), self.mean_nodes(depth))
    }

    /// The paper's mean depth of the tree, with the error of as many searches of ours.
    #[must_use]
    pub fn paper_depth(&self) -> Estimate {
        self.paper(self.published().depth, self.mean_depth())
    }

    /// The distance from the paper. NaN for fewer than two searches.
    #[must_use]
    pub fn fit(&self, seed: u64) -> Fit {
        let own: Vec<[f64; CLASSES]> = self
            .searches
            .iter()
            .map(|nodes| classes(&nodes.iter().map(|&nodes| f64::from(nodes)).collect::<Vec<_>>()))
            .collect();
        let n = own.len();
        if n < 2 {
            return Fit { distance: f64::NAN, p: f64::NAN };
        }
        let children = self.searches.iter().filter_map(|nodes| nodes.get(1)).max().copied().unwrap_or(1);
        // A depth that no search reached has at least the spread of one search with one expanded node there.
        let least = f64::from(children).powi(2) / n as f64;
        let errors: [f64; CLASSES] = std::array::from_fn(|class| {
            let values: Vec<_> = own.iter().map(|classes| classes[class]).collect();
            let variance = (Estimate::mean(&values).error.powi(2) * n as f64).max(least);
            (variance / n as f64 + variance / SEARCHES as f64).sqrt()
        });
        let distance = |one: &[f64; CLASSES], other: &[f64; CLASSES]| -> f64 {
            let terms = one.iter().zip(other).zip(&errors);
            terms.map(|((one, other), error)| ((one - other) / error).powi(2)).sum()
        };
        let mean = |indices: &mut dyn Iterator<Item = usize>| {
            let (mut sum, mut count) = ([0.0; CLASSES], 0.0);
            for index in indices {
                sum.iter_mut().zip(own[index]).for_each(|(sum, value)| *sum += value);
                count += 1.0;
            }
            sum.map(|sum| sum / count)
        };
        let found = distance(&mean(&mut (0..n)), &classes(&self.published().nodes));
        let mut rng = Rng::for_playout(seed, u64::from(self.seed_group), self.is_pruned.into());
        let far = (0..RESAMPLES).filter(|_| {
            let [one, other] =
                [n, SEARCHES as usize].map(|count| mean(&mut (0..count).map(|_| rng.below(n as u32) as usize)));
            distance(&one, &other) >= found
        });
        Fit { distance: found, p: far.count() as f64 / f64::from(RESAMPLES) }
    }
}

/// The searches that are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where they begin.
    pub start: Position,
    /// Searches of each profile.
    pub searches: u64,
    /// What is pruned beside the kind and the number.
    pub reading: Reading,
    /// The seed.
    pub seed: u64,
}

/// Searches that share a batch. Each holds a large tree.
const AT_A_TIME: usize = 128;

/// A search whose rollouts are asked for one by one.
struct Searching {
    search: Search<UnitActions>,
    seed_group: u64,
    key: u64,
    rng: Rng,
}

impl Table<Tubstap> for Searching {
    fn key(&self) -> u64 {
        self.key
    }

    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<Tubstap>> {
        let Self { search, rng, .. } = self;
        answers.iter().for_each(|tally| search.back_up(|seat| reward(tally, seat)));
        let number = search.finished();
        if number >= u64::from(SIMULATIONS) {
            return Vec::new();
        }
        let Some(leaf) = search.descend(rng) else { return Vec::new() };
        let position = rollout_start(search, &leaf);
        let stream = Stream::Part { number: number / self.seed_group, first: 0 };
        vec![Question { position, policy: Policy::Muct, playouts: 1, stream }]
    }
}

impl Plan {
    /// Whether panzers are pruned and the size of the groups, for each profile.
    fn kinds() -> impl Iterator<Item = (u32, bool)> {
        SEED_GROUPS.into_iter().flat_map(|seed_group| [(seed_group, false), (seed_group, true)])
    }

    /// How many searches there are.
    #[must_use]
    pub fn searches(&self) -> u64 {
        Self::kinds().count() as u64 * self.searches
    }

    /// Makes all searches: for each of [`SEED_GROUPS`] one profile without pruning and one with. The result depends on the
    /// plan alone. If the watcher asks to stop, searches that were not finished are missing.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn search(&self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Vec<Profile>, EvaluateError> {
        let mut profiles: Vec<_> = Self::kinds()
            .map(|(seed_group, is_pruned)| Profile { seed_group, is_pruned, searches: Vec::new() })
            .collect();
        let kinds = profiles.len() as u64;
        let start_key = Tubstap::key(&self.start);
        let pruning = self.reading.pruning(Kind::Panzer, Experiment::Single);
        let deal = |number: u64| {
            // Profile by profile in turns, so that all advance at the same pace.
            let Profile { seed_group, is_pruned, .. } = profiles[(number % kinds) as usize];
            let options = Options { pruning: is_pruned.then(|| pruning.clone()), ..Options::default() };
            // The random numbers of a search are its own, whatever else is searched.
            let number = absorb(u64::from(seed_group) << 1 | u64::from(is_pruned), number / kinds);
            let mut rng = Rng::for_playout(self.seed, start_key, number);
            let search = search(&self.start, &options, &mut rng);
            Searching { search, seed_group: seed_group.into(), key: absorb(start_key, number), rng }
        };
        let finish = |_, searching: Searching| {
            let below = searching.search.actions_by_depth();
            std::iter::once(1).chain(below.into_iter().map(|nodes| nodes as u32)).collect::<Vec<_>>()
        };
        let crowd = Crowd { evaluator, seed: self.seed, at_a_time: AT_A_TIME };
        let (found, _) = crowd.play(0..self.searches(), deal, finish, watch)?;
        for (number, nodes) in found {
            profiles[(number % kinds) as usize].searches.push(nodes);
        }
        Ok(profiles)
    }
}

/// The size of groups whose two profiles are together nearest to the paper's, without and with pruning.
#[must_use]
pub fn nearest(profiles: &[Profile], fits: &[Fit]) -> Option<u32> {
    let distance = |seed_group| {
        let own = profiles.iter().zip(fits).filter(|(profile, _)| profile.seed_group == seed_group);
        own.map(|(_, fit)| fit.distance).sum::<f64>()
    };
    let all = SEED_GROUPS.into_iter().map(|seed_group| (seed_group, distance(seed_group)));
    let all = all.filter(|(_, distance)| *distance > 0.0);
    all.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(seed_group, _)| seed_group)
}
