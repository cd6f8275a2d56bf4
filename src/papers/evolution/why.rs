//! What the failure comes of: luck that does not last, children that are not like their parents, and changes that few good
//! maps survive.

use fairground_kernels::rng::{Rng, absorb};

use super::trial::Trial;
use crate::batch::{EvaluateError, Watch};
use crate::evolve::EvolveError;
use crate::evolve::judge::{Judge, Standing};
use crate::evolve::paper::Paper;
use crate::evolve::variation::{cross, cross_rectangle, mutate, nudge, repair};
use crate::games::tubstap::generate::{Recipe, generate};
use crate::games::tubstap::{Map, Team};
use crate::papers::tubstap::Estimate;
use crate::stats::{self, Interval};

/// Tells the seed of fresh games from that of the games before.
const FRESH: u64 = 0x7768_7920_6672_6573;

/// A judge like this one with other games.
#[must_use]
pub fn fresh<'e>(judge: &Judge<'e>) -> Judge<'e> {
    let mut fresh = judge.clone();
    fresh.crowd.seed = absorb(FRESH, judge.crowd.seed);
    fresh
}

/// What some maps are worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worth(
    /// The fitness of each.
    pub Vec<f64>,
);

impl Worth {
    fn of(standings: &[Standing]) -> Self {
        Self(standings.iter().map(Standing::fitness).collect())
    }

    /// How many there are.
    #[must_use]
    pub const fn maps(&self) -> u64 {
        self.0.len() as u64
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> Estimate {
        Estimate::mean(&self.0)
    }

    /// How many have fitness 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.0.iter().filter(|&&fitness| fitness == 0.0).count() as u64
    }

    /// The share of them with fitness 0.
    #[must_use]
    pub fn share_of_zeros(&self) -> (f64, Interval) {
        (stats::rate(self.zeros(), self.maps()), stats::wilson(self.zeros(), self.maps()))
    }
}

/// Maps with positive fitness: what they were worth, and what they are worth in as many fresh games.
///
/// # Errors
/// If the evaluator fails or the watcher asks to stop.
pub fn luck(
    trials: &[&Trial],
    most: usize,
    games: u64,
    judge: &Judge<'_>,
    watch: &dyn Watch,
) -> Result<[Worth; 2], EvaluateError> {
    let all = trials.iter().flat_map(|trial| &trial.states).flat_map(|state| &state.individuals);
    let positive: Vec<_> = all.filter(|individual| individual.known().fitness() > 0.0).collect();
    // Evenly from all generations of all runs.
    let count = positive.len().min(most);
    let some: Vec<_> = (0..count).map(|place| positive[place * positive.len() / count]).collect();
    let jobs: Vec<_> = some.iter().map(|individual| (&individual.map, 0..games)).collect();
    let before: Vec<_> = some.iter().map(|individual| *individual.known()).collect();
    let after = fresh(judge).play(&jobs, watch)?;
    Ok([Worth::of(&before), Worth::of(&after)])
}

/// The best map of each generation that has one with positive fitness, and its children, as runs of the paper's method had
/// them. A child of the best with itself counts once.
#[must_use]
pub fn inheritance(trials: &[&Trial]) -> [Worth; 2] {
    let [mut best, mut children] = [Worth::default(), Worth::default()];
    for trial in trials {
        let Some(paper) = &trial.paper else { continue };
        for pair in trial.states.windows(2) {
            let fitness = pair[0].individuals.iter().map(|individual| individual.known().fitness());
            let first_best = fitness.enumerate().fold((0, 0.0), |best, own| if own.1 > best.1 { own } else { best });
            let (place, worth) = first_best;
            if worth > 0.0 {
                best.0.push(worth);
                let parents = paper.parents(&pair[0]);
                let of_best = pair[1].individuals.iter().zip(parents).filter(|(_, parents)| parents.contains(&place));
                children.0.extend(of_best.map(|(child, _)| child.known().fitness()));
            }
        }
    }
    [best, children]
}

/// What is done to a good map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it plays other games.
    None,
    /// The paper's mutation.
    Mutation,
    /// The paper's crossover with a random map; of the two children they take turns.
    Crossover,
    /// A crossover in two dimensions, as the paper proposes, with the same kind of partner; each side keeps its number of units.
    Rectangle,
    /// The smallest of our changes, for the good of Red and of Blue by turns.
    Nudge,
}

impl Change {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Mutation, Self::Crossover, Self::Rectangle, Self::Nudge];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "no change, other games",
            Self::Mutation => "mutation",
            Self::Crossover => "crossover with a random map",
            Self::Rectangle => "crossover of a rectangle, repaired",
            Self::Nudge => "our smallest change",
        }
    }

    fn apply(self, map: &Map, recipe: &Recipe, seed: u64, number: u64) -> Result<Map, EvolveError> {
        let rng = &mut Rng::for_playout(absorb(FRESH, seed), self as u64, number);
        Ok(match self {
            Self::None => map.clone(),
            Self::Mutation => {
                let mut child = map.clone();
                mutate(&mut child, recipe, Paper::default().mutation, rng);
                child
            }
            Self::Crossover | Self::Rectangle => {
                let partner = generate(recipe, absorb(FRESH, seed), number)?;
                let is_rectangle = self == Self::Rectangle;
                let [one, other] = if is_rectangle { cross_rectangle } else { cross }([map, &partner], rng);
                let mut child = if number.is_multiple_of(2) { one } else { other };
                if is_rectangle {
                    repair(&mut child, recipe, rng);
                }
                child
            }
            Self::Nudge => {
                let mut child = map.clone();
                nudge(&mut child, recipe, if number.is_multiple_of(2) { Team::Red } else { Team::Blue }, rng);
                repair(&mut child, recipe, rng);
                child
            }
        })
    }
}

/// How a change is measured.
#[derive(Clone, Debug)]
pub struct Changes {
    /// What maps are like.
    pub recipe: Recipe,
    /// Children of each map.
    pub children: u64,
    /// Games of each child.
    pub games: u64,
}

impl Changes {
    /// What children of good maps are worth after one change alone.
    ///
    /// # Errors
    /// If the evaluator fails, if no partner can be drawn, or if the watcher asks to stop.
    pub fn measure(
        &self,
        change: Change,
        maps: &[Map],
        judge: &Judge<'_>,
        watch: &dyn Watch,
    ) -> Result<Worth, EvolveError> {
        let mut children = Vec::new();
        for map in maps {
            for _ in 0..self.children {
                children.push(change.apply(map, &self.recipe, judge.crowd.seed, children.len() as u64)?);
            }
        }
        // A map that is not changed shall not play the same games again.
        let games = |number: u64| {
            let first = number % self.children.max(1) * self.games;
            first..first + self.games
        };
        let jobs: Vec<_> = (0..).zip(&children).map(|(number, map)| (map, games(number))).collect();
        Ok(Worth::of(&fresh(judge).play(&jobs, watch)?))
    }
}
