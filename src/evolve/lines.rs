//! Many lines of descent, each improved on its own: what finds fair maps.
//!
//! Almost no random map is worth anything to the fitness of the paper: one side always wins, or nobody does. Six things
//! help to leave that desert.
//!
//! 1. A ladder of judges. Playouts are a million times as cheap as the judge's games, and tell who is better off; games of
//!    a [lighter player](super::judge::lighter) are a third as dear as the judge's, and nearly as good. Founders are improved by
//!    playouts, and lines by the lighter player, before the judge sees any.
//! 2. Units with few hit points: they are soon dead, so that games are decided.
//! 3. A smooth fitness counts how near a side came to winning.
//! 4. Most draws are in the nature of a map; who is better off changes with a hit point. So founders race for few draws, and
//!    balance counts in the end, when children differ but little from their parents and help the weaker side.
//! 5. Every line keeps its best map and its games. A child replaces it only if it is better over as many games, and it is
//!    played no further once that is unlikely.
//! 6. What looks good plays as many games again, and again, so that luck does not last; its line waits meanwhile.

use std::collections::BTreeSet;

use fairground_kernels::rng::Rng;

use super::judge::{Judge, Standing};
use super::variation::{nudge, repair, tweak};
use super::{EvolveError, Individual, Method, State, fingerprint};
use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::tubstap::generate::{Recipe, generate};
use crate::games::tubstap::{Map, Policy, Team, Tubstap};
use crate::stats::rate;

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
    /// When so many of them are good, the others need not become so.
    pub wanted: usize,
    /// Generations after the first at most. It ends sooner once as many lines as are wanted have proved good, or games are
    /// used up.
    pub generations: u64,
    /// So many of them are judged by a lighter player.
    pub light_generations: u64,
    /// Children of a line that are looked at cheaply.
    pub children: usize,
    /// Children of a generation that are judged. The fewer lines there are, the more of each.
    pub challengers: usize,
    /// Most changes of a child.
    pub changes: u32,
    /// Judged games of a map at first sight, and again if it looks good.
    pub games: [u64; 2],
    /// A child need not prove itself over more games.
    pub enough_games: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            recipe: Recipe::default(),
            founders: 600,
            cheap_steps: 40,
            cheap_playouts: 500,
            lines: 12,
            wanted: 7,
            generations: 60,
            light_generations: 10,
            children: 16,
            challengers: 44,
            changes: 2,
            games: [8, 16],
            enough_games: 128,
            seed: 1,
        }
    }
}

/// Tell the random numbers of founders from those of later generations.
const FOUNDING: u64 = 1 << 32;
const BREEDING: u64 = 2 << 32;

/// How often Red and Blue win, or nearly so.
type Rates = [f64; 2];

/// What is known of a map: wins, and how near they were.
fn known(standing: &Standing) -> Rates {
    let near = standing.nearness_rates();
    [0, 1].map(|seat| (near[seat] + 2.0 * rate(standing.wins[seat], standing.games())) / 3.0)
}

/// How much better off Red is.
fn lead(rates: Rates) -> f64 {
    rates[0] - rates[1]
}

/// What counts: few draws, and balance the more, the lower the power to which the lead is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aim(i32);

impl Aim {
    /// Few draws above all. Most of them are in the nature of a map, and the judge will see another lead anyway.
    const DECISION: Self = Self(4);
    /// What the fitness of the paper counts: twice the rate of the weaker side.
    const FAIRNESS: Self = Self(1);

    fn worth(self, rates: Rates) -> f64 {
        rates[0] + rates[1] - lead(rates).abs().powi(self.0)
    }

    fn worth_of(self, individual: &Individual) -> f64 {
        self.worth(known(individual.known()))
    }

    fn best_first(self, individuals: &mut [Individual]) {
        individuals.sort_by(|one, other| self.worth_of(other).total_cmp(&self.worth_of(one)));
    }
}

/// A small change that leads to a map that was seen before is drawn again so often, and then a larger one.
const ATTEMPTS: u32 = 8;

/// Of the change that cheap playouts see the judge sees so much.
const TRUST: f64 = 1.0;

/// Who is better off by less than this is helped by small changes.
const SMALL_LEAD: f64 = 0.3;

/// Maps that are decided less often need more than small changes.
const FEW_DRAWS: f64 = 0.93;

/// A map that is worth so much need not get better.
const GOOD: f64 = 0.94;

/// So many times as many lines as are left in the end begin.
const LIGHT_LINES: usize = 3;

/// Founders race in so many rounds, each of twice the games, and one in so many goes on.
const FOUNDER_ROUNDS: u32 = 3;
const FOUNDER_SHARE: usize = 4;

/// So many times as many are left when the judge comes.
const JUDGED_LINES: usize = 2;

/// So many times as many children are judged by the lighter player.
const LIGHT_CHALLENGERS: usize = 2;

/// The best play until they have so many times as many games as are enough for others. Who is still good then has proved
/// it.
const MORE_THAN_ENOUGH: u64 = 8;

/// Games of a line in a generation that are enough in the mean, those of founders among them.
const LINE_GAMES: u64 = 117;

/// By so much, over the root of its games, may a child look worse than its parent and play on.
const PATIENCE: f64 = 0.6;

/// By so much, over the root of its games, may a map look worse than good while its line waits.
const HOPE: f64 = 0.7;

/// Children of a line that are judged in a generation at most: few at a time, so that the next ones descend from the best.
const FAMILY: usize = 8;

impl Lines {
    fn cheap<'m>(
        &self,
        evaluator: &Evaluator,
        maps: impl Iterator<Item = &'m Map>,
    ) -> Result<Vec<Rates>, EvaluateError> {
        let mut batch = Batch::<Tubstap>::new(Policy::Muct, self.seed);
        maps.for_each(|map| batch.push(map.start(), self.cheap_playouts));
        let tallies = evaluator.evaluate(&batch)?.tallies;
        Ok(tallies.iter().map(|tally| [0, 1].map(|seat| rate(tally.wins[seat], tally.playouts))).collect())
    }

    /// The recipe with units that have few hit points: they are soon dead, so that games are decided.
    fn frail(&self) -> Recipe {
        let [least, most] = [*self.recipe.hp.start(), *self.recipe.hp.end()];
        Recipe { hp: least..=least + most.saturating_sub(least) / 4, ..self.recipe.clone() }
    }

    /// A child that may differ much.
    fn child(&self, map: &Map, rng: &mut Rng) -> Map {
        let (mut child, recipe) = (map.clone(), self.frail());
        tweak(&mut child, &recipe, self.changes, rng);
        repair(&mut child, &recipe, rng);
        child
    }

    /// A child that differs little, for the good of the weaker side.
    fn small_child(&self, map: &Map, lead: f64, rng: &mut Rng) -> Map {
        let mut child = map.clone();
        let weaker = if lead < 0.0 { Team::Red } else { Team::Blue };
        nudge(&mut child, &self.recipe, weaker, rng);
        repair(&mut child, &self.recipe, rng);
        child
    }

    /// After so many games of all maps together the next generation does not begin.
    const fn most_games(&self) -> u64 {
        LINE_GAMES * self.lines as u64 * self.generations
    }

    /// The generation from which on the aim is fairness: after a tenth of the judged ones.
    fn strict_from(&self) -> u64 {
        self.light_generations + (self.generations.saturating_sub(self.light_generations)) / 10
    }

    /// Whether a map need not get better, over at least so many games.
    fn is_good(individual: &Individual, aim: Aim, games: u64) -> bool {
        individual.known().games() >= games && aim.worth_of(individual) >= GOOD
    }

    /// Games after which a map that is still good has proved it.
    const fn proof(&self) -> u64 {
        MORE_THAN_ENOUGH * self.enough_games
    }

    /// Whether a line waits for more games of its map, instead of children: they may still prove it good, or have done so.
    fn is_resting(&self, individual: &Individual) -> bool {
        let games = individual.known().games();
        let patience = if games < self.proof() { HOPE / (games as f64).sqrt() } else { 0.0 };
        2 * games >= self.enough_games && Aim::FAIRNESS.worth_of(individual) >= GOOD - patience
    }

    /// How many lines go on from a generation. The worst die out as time goes by, until the aim is fairness.
    fn lines_after(&self, generation: u64) -> usize {
        let fall = |[from, to]: [usize; 2], start: u64, end: u64| {
            let (passed, all) = ((generation - start) as usize, (end - start).max(1) as usize);
            from * self.lines - (from - to) * self.lines * passed.min(all) / all
        };
        if generation < self.light_generations {
            fall([LIGHT_LINES, JUDGED_LINES], 0, self.light_generations)
        } else {
            fall([JUDGED_LINES, 1], self.light_generations, self.strict_from())
        }
    }

    /// Lets each play so many more games.
    fn play(
        judge: &Judge<'_>,
        individuals: &mut [&mut Individual],
        games: impl Fn(&Individual) -> u64,
        is_light: bool,
        watch: &dyn Watch,
    ) -> Result<u64, EvolveError> {
        let standing = |individual: &Individual| if is_light { individual.scouted } else { individual.standing };
        let job = |individual: &Individual| {
            let played = standing(individual).games();
            played..played + games(individual)
        };
        let jobs: Vec<_> = individuals.iter().map(|individual| (&individual.map, job(individual))).collect();
        let standings = judge.play(&jobs, watch)?;
        let played = standings.iter().map(Standing::games).sum();
        for (individual, more) in individuals.iter_mut().zip(standings) {
            let standing = if is_light { &mut individual.scouted } else { &mut individual.standing };
            standing.add(&more);
        }
        Ok(played)
    }

    /// The most promising children of some lines: what would they be worth if the judge saw the change that cheap
    /// playouts see?
    fn challengers(
        &self,
        state: &State,
        working: &[usize],
        aim: Aim,
        judge: &Judge<'_>,
    ) -> Result<Vec<(usize, Individual)>, EvolveError> {
        let is_light = state.generation < self.light_generations;
        let (mut children, mut seen) = (Vec::new(), state.seen.clone());
        // A change without effect is no child.
        seen.extend(state.individuals.iter().map(|individual| fingerprint(&individual.map)));
        for &line in working {
            let parent = &state.individuals[line];
            let rates = known(parent.known());
            let lead = lead(rates);
            let differs_much = is_light || lead.abs() > SMALL_LEAD || rates[0] + rates[1] < FEW_DRAWS;
            for number in 0..self.children as u64 {
                let rng = &mut Rng::for_playout(self.seed, BREEDING | state.generation, (line as u64) << 16 | number);
                // There are not many small changes. A map that was rejected shall not come back with its lucky games alone.
                let draw = |attempt| match attempt < ATTEMPTS && !differs_much {
                    true => self.small_child(&parent.map, lead, rng),
                    false => self.child(&parent.map, rng),
                };
                let mut drawn = (0..2 * ATTEMPTS).map(draw);
                let fresh = drawn.find(|child| is_light || seen.insert(fingerprint(child)));
                // What is left out below: no child.
                children.push(fresh.unwrap_or_else(|| parent.map.clone()));
            }
        }
        let parents = working.iter().map(|&line| &state.individuals[line].map);
        let rates = self.cheap(judge.crowd.evaluator, parents.chain(&children))?;
        let (of_parents, of_children) = rates.split_at(working.len());
        let families = children.chunks(self.children.max(1)).zip(of_children.chunks(self.children.max(1)));
        let mut chosen = Vec::new();
        for ((&line, before), (maps, after)) in working.iter().zip(of_parents).zip(families) {
            let parent = &state.individuals[line];
            let known = known(parent.known());
            let promise =
                |index: usize| aim.worth([0, 1].map(|seat| known[seat] + TRUST * (after[index][seat] - before[seat])));
            let mut order: Vec<usize> = (0..maps.len()).filter(|&index| maps[index] != parent.map).collect();
            order.sort_by(|&one, &other| promise(other).total_cmp(&promise(one)));
            let share = |challengers: usize| (challengers / working.len()).max(1);
            order.truncate(match is_light {
                true => share(LIGHT_CHALLENGERS * self.challengers),
                false => share(self.challengers).min(FAMILY),
            });
            chosen.extend(order.into_iter().map(|index| (line, Individual::new(maps[index].clone()))));
        }
        Ok(chosen)
    }
}

impl Method for Lines {
    fn is_last(&self, state: &State) -> bool {
        let has_proved = |individual: &&Individual| Self::is_good(individual, Aim::FAIRNESS, self.proof());
        let is_judged = state.generation > self.light_generations;
        state.generation >= self.generations
            || state.games >= self.most_games()
            || is_judged && state.individuals.iter().filter(has_proved).count() >= self.wanted
    }

    fn begin(&self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let recipe = self.frail();
        let maps: Result<Vec<_>, _> =
            (0..self.founders as u64).map(|index| generate(&recipe, self.seed, index)).collect();
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
                if Aim::FAIRNESS.worth(after) >= Aim::FAIRNESS.worth(rates[index]) {
                    (maps[index], rates[index]) = (child, after);
                }
            }
        }
        let mut individuals: Vec<_> = maps.into_iter().map(Individual::new).collect();
        let (mut left, mut games, judge) = (individuals.len(), 0, judge.lighter());
        for round in 0..FOUNDER_ROUNDS {
            let mut all: Vec<_> = individuals.iter_mut().take(left).collect();
            games += Self::play(&judge, &mut all, |_| self.games[0] << round, true, watch)?;
            Aim::DECISION.best_first(&mut individuals[..left]);
            left = (left / FOUNDER_SHARE).max(LIGHT_LINES * self.lines).min(left);
        }
        Ok(State { generation: 0, individuals, games, seen: BTreeSet::new() })
    }

    fn next(&self, state: &State, judge: &Judge<'_>, watch: &dyn Watch) -> Result<State, EvolveError> {
        let mut state = state.clone();
        let is_light = state.generation < self.light_generations;
        let aim = if state.generation < self.strict_from() { Aim::DECISION } else { Aim::FAIRNESS };
        let value = |individual: &Individual| aim.worth_of(individual);
        let least = self.games.iter().sum();
        if state.generation == self.light_generations {
            state.individuals.truncate(JUDGED_LINES * self.lines);
            let mut all: Vec<_> = state.individuals.iter_mut().collect();
            state.games += Self::play(judge, &mut all, |_| least, false, watch)?;
        }
        aim.best_first(&mut state.individuals);
        state.individuals.truncate(self.lines_after(state.generation));
        let bar = if is_light { 0.0 } else { state.individuals.get(self.lines.saturating_sub(1)).map_or(0.0, value) };
        let is_resting = |individual: &Individual| match is_light {
            true => Self::is_good(individual, Aim::DECISION, self.enough_games / 2),
            false => self.is_resting(individual),
        };
        let mut working: Vec<usize> =
            (0..state.individuals.len()).filter(|&line| !is_resting(&state.individuals[line])).collect();
        if !is_light && state.individuals.len() - working.len() >= self.wanted {
            working.clear();
        }
        let mut challengers = self.challengers(&state, &working, aim, judge)?;
        let judge = if is_light { &judge.lighter() } else { judge };
        let mut all: Vec<_> = challengers.iter_mut().map(|(_, child)| child).collect();
        state.games += Self::play(judge, &mut all, |_| self.games[0], is_light, watch)?;
        // Draws are counted sooner than balance.
        let enough = if aim == Aim::FAIRNESS { self.enough_games } else { self.enough_games / 2 }.max(least);
        let target = |parent: &Individual| parent.known().games().clamp(least, enough);
        loop {
            let mut contested: Vec<&mut Individual> = Vec::new();
            for family in challengers.chunk_by_mut(|(one, _), (other, _)| one == other) {
                let parent = &state.individuals[family[0].0];
                let may_win = |child: &Individual| {
                    let patience = PATIENCE / (child.known().games() as f64).sqrt();
                    value(child) > value(parent).max(bar) - patience
                };
                family.sort_by(|(_, one), (_, other)| value(other).total_cmp(&value(one)));
                // Only one can take the parent's place: after a second look the best goes on alone.
                let most = |place: usize| if place == 0 { target(parent) } else { least };
                let hopeful = family.iter_mut().map(|(_, child)| child).filter(|child| may_win(child)).enumerate();
                contested.extend(
                    hopeful.filter(|(place, child)| child.known().games() < most(*place)).map(|(_, child)| child),
                );
            }
            if contested.is_empty() {
                break;
            }
            state.games += Self::play(judge, &mut contested, |_| self.games[1], is_light, watch)?;
        }
        if !is_light {
            state.seen.extend(challengers.iter().map(|(_, child)| fingerprint(&child.map)));
        }
        let targets: Vec<u64> = state.individuals.iter().map(target).collect();
        for (line, child) in challengers {
            let parent = &mut state.individuals[line];
            let has_proved = child.known().games() >= targets[line] || value(parent) < bar;
            if has_proved && value(&child) > value(parent) {
                *parent = child;
            }
        }
        aim.best_first(&mut state.individuals);
        // What is best by luck shall not stay so.
        let (mut rested, mut best): (Vec<_>, Vec<_>) = state
            .individuals
            .iter_mut()
            .take(if is_light { usize::MAX } else { self.lines })
            .filter(|best| best.known().games() < self.proof())
            .partition(|best| !is_light && is_resting(best));
        state.games += Self::play(judge, &mut best, |_| self.games[0], is_light, watch)?;
        // Whoever looks good plays as many games again.
        state.games += Self::play(judge, &mut rested, |rested| rested.known().games(), is_light, watch)?;
        aim.best_first(&mut state.individuals);
        state.generation += 1;
        Ok(state)
    }
}
