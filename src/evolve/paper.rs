//! The genetic algorithm of the paper: tournaments, one-point crossover on the flattened map, mutation of every gene with
//! equal probability, no elite. Every map plays as many games, and what it scores is forgotten with it.

use std::collections::BTreeSet;

use fairground_kernels::rng::{Draws, Rng};

use super::judge::Judge;
use super::variation::{cross, mutate};
use super::{EvolveError, Individual, Method, State};
use crate::batch::Watch;
use crate::games::tubstap::Map;
use crate::games::tubstap::generate::{Recipe, generate};

/// The numbers of the paper by default.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    /// What maps are like at first.
    pub recipe: Recipe,
    /// Maps of a generation.
    pub population: usize,
    /// Generations after the first.
    pub generations: u64,
    /// Games of a map.
    pub games: u64,
    /// Maps of which the best becomes a parent.
    pub tournament: u32,
    /// How many genes in a thousand change.
    pub mutation: u32,
    /// The seed.
    pub seed: u64,
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            recipe: Recipe::default(),
            population: 100,
            generations: 20,
            games: 100,
            tournament: 5,
            mutation: 50,
            seed: 1,
        }
    }
}

impl Paper {
    /// Lets the judge see all maps.
    fn judged(&self, maps: Vec<Map>, judge: &Judge<'_>, watch: &dyn Watch) -> Result<Vec<Individual>, EvolveError> {
        let jobs: Vec<_> = maps.iter().map(|map| (map, 0..self.games)).collect();
        let standings = judge.play(&jobs, watch)?;
        Ok(maps
            .into_iter()
            .zip(standings)
            .map(|(map, standing)| Individual { standing, ..Individual::new(map) })
            .collect())
    }

    /// The best of some that are drawn, the first of equals.
    fn parent(&self, individuals: &[Individual], rng: &mut Rng) -> usize {
        let mut draw = || rng.below(individuals.len() as u32) as usize;
        let mut best = draw();
        for _ in 1..self.tournament {
            let other = draw();
            if individuals[other].standing.fitness() > individuals[best].standing.fitness() {
                best = other;
            }
        }
        best
    }

    /// The places of the parents of every pair of children, and the random numbers that make children of them.
    fn pairs<'s>(&self, state: &'s State) -> impl Iterator<Item = ([usize; 2], Rng)> + use<'s, '_> {
        let pairs = if state.individuals.is_empty() { 0 } else { self.population.div_ceil(2) as u64 };
        (0..pairs).map(|pair| {
            let mut rng = Rng::for_playout(self.seed, state.generation, pair);
            ([(); 2].map(|()| self.parent(&state.individuals, &mut rng)), rng)
        })
    }

    /// The places of the parents of every map of the generation after this one.
    #[must_use]
    pub fn parents(&self, state: &State) -> Vec<[usize; 2]> {
        self.pairs(state).flat_map(|(parents, _)| [parents; 2]).take(self.population).collect()
    }
}

impl Method for Paper {
    fn is_last(&self, state: &State) -> bool {
        state.generation >= self.generations
    }

    fn begin(&self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let maps: Result<Vec<_>, _> =
            (0..self.population as u64).map(|index| generate(&self.recipe, self.seed, index)).collect();
        let individuals = self.judged(maps?, judge, watch)?;
        Ok(State { generation: 0, games: self.games * individuals.len() as u64, individuals, seen: BTreeSet::new() })
    }

    fn next(&self, state: &State, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let mut maps = Vec::with_capacity(self.population + 1);
        for (parents, mut rng) in self.pairs(state) {
            for mut child in cross(parents.map(|place| &state.individuals[place].map), &mut rng) {
                mutate(&mut child, &self.recipe, self.mutation, &mut rng);
                maps.push(child);
            }
        }
        maps.truncate(self.population);
        let individuals = self.judged(maps, judge, watch)?;
        let games = state.games + self.games * individuals.len() as u64;
        Ok(State { generation: state.generation + 1, individuals, games, seen: BTreeSet::new() })
    }
}
