//! Many lines of descent, each improved on its own: what finds fair maps.
//!
//! Almost no random map is worth anything to the fitness of the paper: one side always wins, or nobody does. Four things
//! help to leave that desert.
//!
//! 1. A ladder of judges. Playouts are a million times as cheap as the judge's games, and tell who is better off; games of
//!    a [lighter player](super::judge::lighter) are ten times as cheap, and are nearly as good. Founders are improved by
//!    playouts, and lines by the lighter player, before the judge sees any; later the judge sees one child in many.
//! 2. A smooth fitness counts how near a side came to winning.
//! 3. Every line keeps its best map and its games. A child replaces it only if it is better over as many games, and it is
//!    played no further once that is unlikely.
//! 4. The best play again and again, so that luck does not last.

use fairground_kernels::rng::Rng;

use super::judge::Judge;
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
    /// Generations after the first.
    pub generations: u64,
    /// So many of them are judged by a lighter player.
    pub light_generations: u64,
    /// Children of a line that are looked at cheaply.
    pub children: usize,
    /// Of them, those that the lighter player looks at before the judge sees one.
    pub finalists: usize,
    /// Games of a finalist, and of its parent.
    pub finalist_games: u64,
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
            founders: 600,
            cheap_steps: 60,
            cheap_playouts: 500,
            lines: 12,
            generations: 26,
            light_generations: 8,
            children: 32,
            finalists: 4,
            finalist_games: 12,
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

    /// How many lines go on from a generation. Half of the judged ones die out in the first half of their generations.
    fn lines_after(&self, generation: u64) -> usize {
        let Some(after) = generation.checked_sub(self.light_generations) else { return LIGHT_LINES * self.lines };
        let half = ((self.generations - self.light_generations) / 2).max(1);
        self.lines + self.lines * half.saturating_sub(after) as usize / half as usize
    }

    /// Lets all play so many more games.
    fn play(
        judge: &Judge<'_>,
        individuals: &mut [&mut Individual],
        games: u64,
        is_light: bool,
        watch: &dyn Watch,
    ) -> Result<u64, EvolveError> {
        let standing = |individual: &Individual| if is_light { individual.scouted } else { individual.standing };
        let jobs: Vec<_> = individuals
            .iter()
            .map(|individual| (&individual.map, standing(individual).games()..standing(individual).games() + games))
            .collect();
        let standings = judge.play(&jobs, watch)?;
        let played = games * standings.len() as u64;
        for (individual, more) in individuals.iter_mut().zip(standings) {
            let standing = if is_light { &mut individual.scouted } else { &mut individual.standing };
            standing.add(&more);
        }
        Ok(played)
    }

    /// The most promising children of some lines: if the judge saw the change that cheap playouts see, whose weaker side
    /// would come nearest to winning?
    fn children(
        &self,
        state: &State,
        working: &[usize],
        judge: &Judge<'_>,
    ) -> Result<Vec<Vec<Individual>>, EvolveError> {
        let mut children = Vec::new();
        for &line in working {
            for number in 0..self.children as u64 {
                let rng = &mut Rng::for_playout(self.seed, BREEDING | state.generation, (line as u64) << 16 | number);
                children.push(self.child(&state.individuals[line].map, rng));
            }
        }
        let parents = working.iter().map(|&line| &state.individuals[line].map);
        let rates = self.cheap(judge.crowd.evaluator, parents.chain(&children))?;
        let (of_parents, of_children) = rates.split_at(working.len());
        let families = children.chunks(self.children.max(1)).zip(of_children.chunks(self.children.max(1)));
        let mut chosen = Vec::new();
        for ((&line, before), (maps, after)) in working.iter().zip(of_parents).zip(families) {
            let known = state.individuals[line].known().nearness_rates();
            let mut order: Vec<usize> = (0..maps.len()).collect();
            let promise = |index: usize| promise(known, *before, after[index]);
            order.sort_by(|&one, &other| promise(other).total_cmp(&promise(one)));
            chosen.push(
                order
                    .into_iter()
                    .take(self.finalists.max(1))
                    .map(|index| Individual::new(maps[index].clone()))
                    .collect(),
            );
        }
        Ok(chosen)
    }
}

/// What the weaker side would reach if the judge saw the change that another saw.
fn promise(known: Rates, before: Rates, after: Rates) -> f64 {
    let expected = [0, 1].map(|seat| known[seat] + after[seat] - before[seat]);
    expected[0].min(expected[1])
}

/// So many times as many lines as are left in the end go on while the lighter player judges them.
const LIGHT_LINES: usize = 4;

/// The best play until they have so many times as many games as are enough for others.
const MORE_THAN_ENOUGH: u64 = 2;

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
        let mut individuals: Vec<_> = maps.into_iter().map(Individual::new).collect();
        let mut all: Vec<_> = individuals.iter_mut().collect();
        let games = Self::play(&judge.lighter(), &mut all, self.finalist_games, true, watch)?;
        Ok(State { generation: 0, individuals: best_first(individuals), games })
    }

    fn next(&self, state: &State, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let mut state = state.clone();
        let light = judge.lighter();
        let is_light = state.generation < self.light_generations;
        if state.generation == self.light_generations {
            let most = LIGHT_LINES * self.lines;
            for (games, lines) in self.games.into_iter().zip([most, 2 * self.lines]) {
                state.individuals.truncate(lines);
                let mut all: Vec<_> = state.individuals.iter_mut().collect();
                state.games += Self::play(judge, &mut all, games, false, watch)?;
                state.individuals = best_first(state.individuals);
            }
        }
        state.individuals.truncate(self.lines_after(state.generation));
        let bar = if is_light { 0.0 } else { state.individuals.get(self.lines.saturating_sub(1)).map_or(0.0, worth) };
        let good = if is_light { GOOD_IN_LIGHT } else { GOOD };
        let is_resting =
            |individual: &Individual| worth(individual) >= good && individual.known().games() >= self.enough_games / 2;
        let working: Vec<usize> =
            (0..state.individuals.len()).filter(|&line| !is_resting(&state.individuals[line])).collect();
        let mut families = self.children(&state, &working, judge)?;
        let mut all: Vec<_> = families.iter_mut().flatten().collect();
        state.games += Self::play(&light, &mut all, self.finalist_games, true, watch)?;
        let mut challengers = Vec::new();
        for (&line, mut family) in working.iter().zip(families) {
            let parent = &state.individuals[line];
            let (known, before) = (parent.known().nearness_rates(), parent.scouted.nearness_rates());
            let promise = |child: &Individual| promise(known, before, child.scouted.nearness_rates());
            let best = first_largest(family.iter().map(|child| if is_light { worth(child) } else { promise(child) }));
            challengers.push((line, family.swap_remove(best)));
        }
        if !is_light {
            let mut all: Vec<_> = challengers.iter_mut().map(|(_, child)| child).collect();
            state.games += Self::play(judge, &mut all, self.games[0], false, watch)?;
        }
        let judge = if is_light { &light } else { judge };
        let least = if is_light { self.finalist_games + self.games[1] } else { self.games.iter().sum() };
        let target = |parent: &Individual| parent.known().games().clamp(least, self.enough_games.max(least));
        loop {
            let mut contested: Vec<&mut Individual> = Vec::new();
            for (line, child) in &mut challengers {
                let parent = &state.individuals[*line];
                let may_win = worth(child) > worth(parent).max(bar) - PATIENCE;
                if may_win && child.known().games() < target(parent) {
                    contested.push(child);
                }
            }
            if contested.is_empty() {
                break;
            }
            state.games += Self::play(judge, &mut contested, self.games[1], is_light, watch)?;
        }
        for (line, child) in challengers {
            let parent = &mut state.individuals[line];
            let has_proved = child.known().games() >= target(parent) || worth(parent) < bar;
            if has_proved && worth(&child) > worth(parent) {
                *parent = child;
            }
        }
        state.individuals = best_first(state.individuals);
        // What is best by luck shall not stay so.
        let best = state.individuals.iter_mut().take(if is_light { usize::MAX } else { self.lines });
        let mut best: Vec<_> =
            best.filter(|best| best.known().games() < MORE_THAN_ENOUGH * self.enough_games).collect();
        state.games += Self::play(judge, &mut best, self.games[0], is_light, watch)?;
        state.individuals = best_first(state.individuals);
        state.generation += 1;
        Ok(state)
    }
}

/// A map that is worth so much need not get better.
const GOOD: f64 = 0.93;

/// So much is enough while the lighter player judges: what it calls even better is no better for the judge.
const GOOD_IN_LIGHT: f64 = 0.8;

/// What a map is worth to a line.
fn worth(individual: &Individual) -> f64 {
    let standing = individual.known();
    (standing.smooth_fitness() + 2.0 * standing.fitness()) / 3.0
}

fn best_first(mut individuals: Vec<Individual>) -> Vec<Individual> {
    individuals.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
    individuals
}
