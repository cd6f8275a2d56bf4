//! Many lines of descent, each improved on its own: what finds fair maps.
//!
//! Almost no random map is worth anything to the fitness of the paper: one side always wins, or nobody does. Three things
//! help to leave that desert.
//!
//! 1. Cheap playouts are much like the judge's games as to who is better off, and they tell small differences. Founders
//!    are improved by them before a judge sees them, and of many children the judge sees the most promising.
//! 2. A smooth fitness counts how near a side came to winning.
//! 3. Every line keeps its best map, and its games: a child replaces it only if it is better over enough of them, and a
//!    parent that is challenged plays again, so that luck does not last.

use fairground_kernels::rng::Rng;

use super::judge::{Judge, Standing};
use super::variation::{repair, tweak};
use super::{EvolveError, Individual, Method, State};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::tubstap::generate::{Recipe, generate};
use crate::games::tubstap::{Map, Policy, Tubstap};

/// How many lines there are, and what is spent on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// What maps are like.
    pub recipe: Recipe,
    /// Random maps at the beginning.
    pub founders: usize,
    /// Improvements of founders by cheap playouts.
    pub cheap_steps: u32,
    /// Cheap playouts of a map.
    pub cheap_playouts: u64,
    /// Lines that are left in the end.
    pub lines: usize,
    /// Generations after the first. In the first quarter of them lines die out.
    pub generations: u64,
    /// Children of a line that are looked at cheaply for one that is judged.
    pub children: usize,
    /// Most changes of a child.
    pub changes: u32,
    /// Judged games of a map at first sight, and again if it looks good.
    pub games: [u64; 2],
    /// A parent that has played so many games need not play again.
    pub enough_games: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            recipe: Recipe::default(),
            founders: 144,
            cheap_steps: 100,
            cheap_playouts: 500,
            lines: 10,
            generations: 60,
            children: 12,
            changes: 2,
            games: [8, 16],
            enough_games: 96,
            seed: 1,
        }
    }
}

/// Tell the random numbers of founders from those of later generations.
const FOUNDING: u64 = 1 << 32;
const BREEDING: u64 = 2 << 32;

/// Win rates of Red and Blue in cheap playouts.
type Rates = [f64; 2];

fn fitness(rates: Rates) -> f64 {
    2.0 * rates[0].min(rates[1])
}

/// The place of the largest value, the first of equals.
fn first_largest(values: impl Iterator<Item = f64>) -> usize {
    values
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, (index, value)| if value > best.1 { (index, value) } else { best })
        .0
}

impl Lines {
    fn cheap<'m>(
        &self,
        evaluator: &Evaluator,
        maps: impl Iterator<Item = &'m Map>,
    ) -> Result<Vec<Rates>, EvaluateError> {
        let mut batch = Batch::<Tubstap>::new(Policy::Muct, self.seed);
        maps.for_each(|map| batch.push(map.start(), self.cheap_playouts));
        let tallies = evaluator.evaluate(&batch)?.tallies;
        Ok(tallies
            .iter()
            .map(|tally| [0, 1].map(|seat| crate::stats::rate(tally.wins[seat], tally.playouts)))
            .collect())
    }

    fn child(&self, map: &Map, rng: &mut Rng) -> Map {
        let mut child = map.clone();
        tweak(&mut child, &self.recipe, self.changes, rng);
        repair(&mut child, &self.recipe, rng);
        child
    }

    /// How many lines go on from a generation.
    fn lines_after(&self, generation: u64) -> usize {
        let (most, least) = (self.founders / 3, self.lines);
        let quarter = self.generations.div_ceil(4).max(1);
        least + most.saturating_sub(least) * quarter.saturating_sub(generation) as usize / quarter as usize
    }

    /// Lets all play so many more games.
    fn judge(
        judge: &Judge<'_>,
        individuals: &mut [&mut Individual],
        games: u64,
        watch: &dyn Watch,
    ) -> Result<u64, EvolveError> {
        let jobs: Vec<_> = individuals
            .iter()
            .map(|individual| (&individual.map, individual.standing.games()..individual.standing.games() + games))
            .collect();
        let standings = judge.play(&jobs, watch)?;
        let played = games * standings.len() as u64;
        individuals.iter_mut().zip(standings).for_each(|(individual, more)| individual.standing.add(&more));
        Ok(played)
    }

    /// The most promising child of every line: if the judge saw the change that cheap playouts see, whose weaker side
    /// would come nearest to winning?
    fn promising(&self, state: &State, judge: &Judge<'_>) -> Result<Vec<Individual>, EvaluateError> {
        let mut children = Vec::new();
        for (line, parent) in (0..).zip(&state.individuals) {
            for number in 0..self.children as u64 {
                let rng = &mut Rng::for_playout(self.seed, BREEDING | state.generation, line << 16 | number);
                children.push(self.child(&parent.map, rng));
            }
        }
        let parents = state.individuals.iter().map(|parent| &parent.map);
        let rates = self.cheap(judge.crowd.evaluator, parents.chain(&children))?;
        let (of_parents, of_children) = rates.split_at(state.individuals.len());
        let families = children.chunks(self.children.max(1)).zip(of_children.chunks(self.children.max(1)));
        let promising =
            state.individuals.iter().zip(of_parents).zip(families).map(|((parent, before), (maps, after))| {
                let known = parent.standing.nearness_rates();
                let promise = |after: &Rates| {
                    let expected = [0, 1].map(|seat| known[seat] + after[seat] - before[seat]);
                    expected[0].min(expected[1])
                };
                let best = first_largest(after.iter().map(promise));
                Individual { map: maps[best].clone(), standing: Standing::default() }
            });
        Ok(promising.collect())
    }
}

/// A child that is worse by less than this at first sight is looked at again.
const PATIENCE: f64 = 0.1;

impl Method for Lines {
    fn generations(&self) -> u64 {
        self.generations
    }

    fn begin(&self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let maps: Result<Vec<_>, _> =
            (0..self.founders as u64).map(|index| generate(&self.recipe, self.seed, index)).collect();
        let mut maps = maps?;
        let mut rates = self.cheap(judge.crowd.evaluator, maps.iter())?;
        for step in 0..self.cheap_steps {
            if watch.stop() {
                return Err(EvaluateError::Stopped.into());
            }
            let rng = |line| Rng::for_playout(self.seed, FOUNDING | u64::from(step), line);
            let children: Vec<Map> = (0..).zip(&maps).map(|(line, map)| self.child(map, &mut rng(line))).collect();
            let after = self.cheap(judge.crowd.evaluator, children.iter())?;
            for (index, (child, after)) in children.into_iter().zip(after).enumerate() {
                if fitness(after) >= fitness(rates[index]) {
                    (maps[index], rates[index]) = (child, after);
                }
            }
        }
        let individual = |map| Individual { map, standing: Standing::default() };
        let mut individuals: Vec<_> = maps.into_iter().map(individual).collect();
        let games = Self::judge(judge, &mut individuals.iter_mut().collect::<Vec<_>>(), self.games[0], watch)?;
        Ok(State { generation: 0, individuals: best_first(individuals), games })
    }

    fn next(&self, state: &State, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let mut state = state.clone();
        state.individuals.truncate(self.lines_after(state.generation));
        let mut children = self.promising(&state, judge)?;
        state.games += Self::judge(judge, &mut children.iter_mut().collect::<Vec<_>>(), self.games[0], watch)?;
        // What it takes to be among those that are left in the end. Below that a first sight decides.
        let fitness = |individual: &Individual| individual.standing.smooth_fitness();
        let bar = state.individuals.get(self.lines.saturating_sub(1)).map_or(0.0, fitness);
        let mut again: Vec<&mut Individual> = Vec::new();
        for (parent, child) in state.individuals.iter_mut().zip(&mut children) {
            if fitness(child) > fitness(parent).max(bar) - PATIENCE {
                again.push(child);
                if fitness(parent) >= bar && parent.standing.games() < self.enough_games {
                    again.push(parent);
                }
            }
        }
        state.games += Self::judge(judge, &mut again, self.games[1], watch)?;
        for (parent, child) in state.individuals.iter_mut().zip(children) {
            let has_proved = child.standing.games() > self.games[0] || fitness(parent) < bar;
            if has_proved && fitness(&child) > fitness(parent) {
                *parent = child;
            }
        }
        state.individuals = best_first(state.individuals);
        state.generation += 1;
        Ok(state)
    }
}

fn best_first(mut individuals: Vec<Individual>) -> Vec<Individual> {
    individuals.sort_by(|one, other| other.standing.smooth_fitness().total_cmp(&one.standing.smooth_fitness()));
    individuals
}
