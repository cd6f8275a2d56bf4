//! Finding many maps of Catan whose seats are certified to be equal.
//!
//! Random maps are far apart under players who build: balance within a quarter of a point is rarer than one in ten thousand,
//! and to see it takes a hundred thousand games. So the search narrows down, and games are added up, never thrown away:
//!
//! 1. **Training**: some random maps are played a little, and a ridge regression learns the signed contrasts between seats from
//!    the [set-up](opening) that the players make.
//! 2. **Halving**: of very many random maps those with the smallest predicted spread are played, and beside them some that
//!    nobody chose, as a control. The better half is played on, again and again.
//! 3. **Search**: each map that is left founds a line of [variants](Variant), in which ports and equally likely numbers change
//!    places. A model of the line turns games on some variants into a guess about all of them; the most promising ones are played,
//!    and in the end the best of all lines race each other.
//! 4. **Certification**: the best variant of each line is [certified](crate::certify) by fresh games with e-BH over all of them. First
//!    all maps are played, then those that look best, until there are enough certificates.
//!
//! All maps descend from different random
//! maps and [differ](difference()) in at least [`LEAST_DIFFERENCE`] of their places.

mod difference;
mod model;
pub mod opening;
mod run;
mod screen;
mod variants;

pub use difference::difference;
pub use run::{Delivered, Line, Run, RunError, rules_version};
pub use screen::Screened;
pub use variants::{Family, Variant};

use fairground_kernels::rng::{Rng, absorb};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::certify::{self, Certification, PlanError, Record, Verdict};
use crate::games::Game as _;
use crate::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use crate::games::catan::tables::{EDGE_NODES, PORT_EDGES, PORTS, SEATS, WALL_BIT};
use crate::games::catan::{Catan, Map, Policy, Position};
use crate::stats::seats::balance::noncentral_chi_square;
use crate::stats::seats::evidence::{Correction, least_games};
use crate::stats::seats::{contrasts, debiased_variance};
use model::{Belief, Model, Scale, likeliest_scale};

/// The share of tiles, tokens and ports in which any two delivered maps differ at least; see [`difference`].
pub const LEAST_DIFFERENCE: f64 = 0.5;

/// How random maps are laid: everything anywhere, as in the paper.
pub const RECIPE: Recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };

/// Keeps the games of the search apart from all others.
const STREAM: u64 = 0x6669_6e64_6d61_7073;

/// What is to be found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The players' strategies by seat.
    pub players: [String; SEATS],
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
    /// Random maps that the regression looks at.
    pub maps: u64,
    /// Games of everything together, at most.
    pub games: u64,
    /// Certified maps that are wanted.
    pub count: usize,
    /// The bound on the true spread, in percentage points.
    pub sigma_points: f64,
    /// The share of wrong certificates.
    pub level: f64,
    /// The seed of maps and games.
    pub seed: u64,
}

/// Random maps that teach the regression for each map that is wanted, the fewest and the most of them, and games of each.
const TRAINING: (u64, [u64; 2], u64) = (10, [200, 1000], 100);
/// Random maps that are played for each map that is wanted, and games of each at first.
const POOL: (usize, u64) = (240, 64);
/// One of so many of them is drawn without looking.
const CONTROL: usize = 4;

/// A step of the search. Games are for a bound of [`USUAL_SIGMA`] and go with the square of its inverse.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many random variants in every line.
    Random { variants: usize, games: u64 },
    /// So many variants in every line that are best in draws from what the model holds possible.
    Guess { variants: usize, games: u64 },
    /// So many unplayed variants in every line that most probably are balanced.
    Promise { variants: usize, games: u64 },
    /// Only the lines of the most promising variants go on, for every hundred maps that are wanted.
    Cut { lines: usize },
    /// Of all lines together those played variants that most probably are balanced, for every hundred maps that are wanted;
    /// and so many of a line at most.
    Race { variants: usize, of_line: usize, games: u64 },
}

/// The bound for which the steps are made, in points.
const USUAL_SIGMA: f64 = 0.28;

/// What is looked for, in shares of the bound: maps as good as this are certified before long.
const AIM: f64 = 0.5;

/// Lines for every hundred maps that are wanted.
const LINES: usize = 400;

const STEPS: [Step; 18] = [
    Step::Random { variants: 10, games: 800 },
    Step::Guess { variants: 5, games: 1200 },
    Step::Guess { variants: 5, games: 1200 },
    Step::Promise { variants: 4, games: 1500 },
    Step::Promise { variants: 4, games: 1500 },
    Step::Cut { lines: 250 },
    Step::Promise { variants: 4, games: 2000 },
    Step::Promise { variants: 4, games: 2000 },
    Step::Race { variants: 800, of_line: 6, games: 4000 },
    Step::Promise { variants: 4, games: 2500 },
    Step::Cut { lines: 200 },
    Step::Promise { variants: 4, games: 2500 },
    Step::Race { variants: 700, of_line: 6, games: 5000 },
    Step::Promise { variants: 4, games: 3000 },
    Step::Race { variants: 500, of_line: 5, games: 8000 },
    Step::Race { variants: 400, of_line: 3, games: 12_000 },
    Step::Race { variants: 300, of_line: 2, games: 18_000 },
    Step::Race { variants: 220, of_line: 1, games: 25_000 },
];

/// Lines that enter certification for every hundred maps that are wanted.
const ENTERED: usize = 200;

/// Lines beyond those that are needed enter only with this probability of being as good as is looked for: all that enter make
/// certificates harder to get.
const LEAST_CHANCE: f64 = 0.05;

/// Maps that are played on in certification for every hundred that are still missing.
const RACING: usize = 125;

/// The least games of a variant at a time: with fewer the noise is not normal.
const LEAST_GAMES: u64 = 50;

/// Unless asked otherwise certification may take so many times what perfect maps need, and so many looks more for each map.
const CERTIFICATION: (u64, u64) = (2, 10);

/// Why nothing can be found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A setting is out of its range.
    #[error("{0}")]
    Setting(String),
    /// Not even perfect maps could be certified.
    #[error(
        "{games} games are too few to find {count} maps with a spread below {sigma_points} points: the search takes {search} and \
         certifying perfectly balanced maps {certification} more"
    )]
    TooFewGames {
        /// The games.
        games: u64,
        /// The wanted maps.
        count: usize,
        /// The bound.
        sigma_points: f64,
        /// Games before certification.
        search: u64,
        /// The fewest games of certification.
        certification: u64,
    },
    /// The players or the bound are wrong.
    #[error(transparent)]
    Certify(#[from] PlanError),
    /// The regression fails.
    #[error("the contrasts cannot be predicted: {0}")]
    Fit(#[from] crate::learn::pnu::FitError),
    /// Playing failed or was stopped.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

fn of_hundred(share: usize, count: usize) -> usize {
    (share * count).div_ceil(100)
}

/// The quadratic mean: of contrasts it is the spread between seats.
fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64).sqrt()
}

impl Plan {
    /// The games that a search usually takes.
    #[must_use]
    pub fn usual_games(&self) -> u64 {
        let (times, looks) = CERTIFICATION;
        let looks = looks * certify::LOOK * self.count as u64;
        let certification = self.least_certification().saturating_mul(times).saturating_add(looks);
        self.search_games().saturating_add(certification)
    }

    /// Games of a variant in a step.
    fn games_of(&self, step: &Step) -> u64 {
        let games = match *step {
            Step::Cut { .. } => return 0,
            Step::Random { games, .. }
            | Step::Guess { games, .. }
            | Step::Promise { games, .. }
            | Step::Race { games, .. } => games,
        };
        let unit = (USUAL_SIGMA / self.sigma_points).powi(2);
        ((games as f64 * unit) as u64).max(LEAST_GAMES)
    }

    /// The probability that a variant is as good as is looked for.
    fn chance(&self, belief: &Belief) -> f64 {
        let (aim, Belief { spread, variance }) = (AIM * self.sigma_points, *belief);
        noncentral_chi_square(3.0 * aim * aim / variance, 3.0 * spread * spread / variance)
    }

    fn lines(&self) -> usize {
        of_hundred(LINES, self.count)
    }

    /// Random maps that teach the regression.
    fn training(&self) -> u64 {
        let (each, [fewest, most], _) = TRAINING;
        (each * self.count as u64).clamp(fewest, most)
    }

    fn pool(&self) -> usize {
        POOL.0 * self.count
    }

    /// Maps of the pool that nobody chose.
    fn control(&self) -> usize {
        self.pool() / CONTROL
    }

    /// How many maps are left after each round of halving, and their games by then; the lines come last.
    fn halving(&self) -> Vec<(usize, u64)> {
        let lines = self.lines();
        let (mut left, mut games, mut rounds) = (self.pool(), POOL.1, Vec::new());
        while left > lines {
            rounds.push((left, games));
            left = (left / 2).max(lines);
            games *= 2;
        }
        rounds.push((left, games));
        rounds
    }

    /// Games before certification.
    fn search_games(&self) -> u64 {
        let mut games = self.training() * TRAINING.2;
        let mut before = 0;
        for (maps, each) in self.halving() {
            games = games.saturating_add(maps as u64 * (each - before));
            before = each;
        }
        games = games.saturating_add(OWNED * self.lines() as u64);
        let mut lines = self.lines();
        for step in &STEPS {
            let maps = match *step {
                Step::Cut { lines: left } => {
                    lines = of_hundred(left, self.count);
                    0
                }
                Step::Random { variants, .. } | Step::Guess { variants, .. } | Step::Promise { variants, .. } => {
                    lines * variants
                }
                Step::Race { variants, .. } => of_hundred(variants, self.count),
            };
            games = games.saturating_add((maps as u64).saturating_mul(self.games_of(step)));
        }
        games
    }

    /// Maps that enter certification.
    fn entered(&self) -> usize {
        of_hundred(ENTERED, self.count)
    }

    /// Games after which a perfect map is certified if as many are as are wanted.
    fn perfect_games(&self) -> u64 {
        let threshold = Correction::EBh.log_threshold(self.entered(), self.count, self.level);
        let games = least_games(self.sigma_points / 100.0, threshold).unwrap_or(u64::MAX);
        games.max(certify::LOOK)
    }

    fn least_certification(&self) -> u64 {
        let rounded = self.perfect_games().div_ceil(certify::LOOK).saturating_mul(certify::LOOK);
        rounded.saturating_mul(self.entered() as u64)
    }

    fn policy(&self) -> Result<Policy, FindError> {
        Ok(certify::policy(&self.players, self.turn_cap)?)
    }

    /// # Errors
    /// If a setting is wrong, or the games cannot be enough.
    pub fn check(&self) -> Result<(), FindError> {
        self.policy()?;
        certify::check_bound(self.sigma_points, self.level)?;
        let setting = |why: &str| Err(FindError::Setting(why.into()));
        if !(1..=10_000).contains(&self.count) {
            return setting("expected 1 to 10000 maps to find");
        }
        if self.maps < self.pool() as u64 {
            let pool = self.pool();
            return setting(&format!("expected at least {pool} random maps, which is how many are played at first"));
        }
        let (games, search, certification) = (self.games, self.search_games(), self.least_certification());
        if games < search.saturating_add(certification) {
            let Self { count, sigma_points, .. } = *self;
            return Err(FindError::TooFewGames { games, count, sigma_points, search, certification });
        }
        Ok(())
    }

    /// Random map number `index`.
    #[must_use]
    pub fn random_map(&self, index: u64) -> Map {
        draw(&RECIPE, self.seed, index)
    }
}

/// A random map of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Candidate {
    index: u64,
    /// Whether it is of the control, which nobody chose.
    is_control: bool,
    games: u64,
    wins: [u64; SEATS],
}

/// A variant and its games in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Played {
    variant: Variant,
    games: u64,
    wins: [u64; SEATS],
}

/// Games by which it is seen who comes to own which port.
const OWNED: u64 = 256;

/// In how many of [`OWNED`] games each seat owned each port in the end.
type Owners = [[u16; SEATS]; PORTS];

/// The descendants of a random map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Descent {
    index: u64,
    is_control: bool,
    owners: Owners,
    played: Vec<Played>,
}

/// A variant to be certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Finalist {
    index: u64,
    is_control: bool,
    played: Played,
}

impl Finalist {
    fn map(&self, plan: &Plan) -> Map {
        let random = plan.random_map(self.index);
        // Every random map has a family.
        Family::new(random.clone()).map_or(random, |(family, _)| family.map(&self.played.variant))
    }
}

impl Descent {
    fn family(&self, plan: &Plan) -> Option<Family> {
        Family::new(plan.random_map(self.index)).map(|(family, _)| family)
    }

    /// The probability of each played variant to be as good as is looked for.
    fn chances(&self, plan: &Plan, scale: Scale) -> Vec<f64> {
        let beliefs = Model::new(self, scale).map(|model| model.beliefs()).unwrap_or_default();
        beliefs.iter().map(|belief| plan.chance(belief)).collect()
    }

    /// The spread to expect of the best variant, in points.
    fn expected_spread(&self, scale: Scale) -> f64 {
        let beliefs = Model::new(self, scale).map(|model| model.beliefs()).unwrap_or_default();
        let squares = beliefs.iter().map(|belief| belief.spread.powi(2) + belief.variance);
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }
}

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    /// Nothing was played.
    #[default]
    Begun,
    /// These maps were played in so many rounds.
    Halving { round: usize, pool: Vec<Candidate> },
    /// These lines were played in so many steps; the scale is what the model makes of that.
    Search { step: usize, lines: Vec<Descent>, scale: Scale },
    /// The best variants of some lines, and their fresh games.
    Certification { finalists: Vec<Finalist>, records: Vec<Record> },
}

/// Everything that the next round depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    games: u64,
    stage: Stage,
    screened: Option<Screened>,
}

/// Some maps and games to play on each of them, as part of the search.
fn play(
    plan: &Plan,
    wanted: &[(Map, u64, u64)],
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<[u64; SEATS]>, FindError> {
    let mut batch = Batch::<Catan>::new(plan.policy()?, plan.seed);
    for (map, first, games) in wanted {
        let start = Position::start(map);
        batch.push_part(&start, absorb(Catan::key(&start), STREAM), *first, *games);
    }
    let tallies = evaluator.evaluate_watched(&batch, watch)?.tallies;
    Ok(tallies.iter().map(|tally| std::array::from_fn(|seat| tally.wins[seat])).collect())
}

fn add(wins: &mut [u64; SEATS], more: [u64; SEATS]) {
    wins.iter_mut().zip(more).for_each(|(wins, more)| *wins += more);
}

impl State {
    /// The state after another round.
    fn next(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        match &self.stage {
            Stage::Begun => self.begin(plan, evaluator, watch),
            Stage::Halving { round, pool } => self.halve(plan, *round, pool, evaluator, watch),
            Stage::Search { step, lines, scale } if *step < STEPS.len() => {
                self.search(plan, *step, lines, *scale, evaluator, watch)
            }
            Stage::Search { lines, scale, .. } => {
                let finalists = finalists(plan, lines, *scale, evaluator);
                let records = vec![Record::default(); finalists.len()];
                let next = Self { stage: Stage::Certification { finalists, records }, ..self.clone() };
                next.certify(plan, evaluator, watch)
            }
            Stage::Certification { .. } => self.certify(plan, evaluator, watch),
        }
    }

    /// Trains the regression, looks at random maps with it, and plays those it likes for the first time.
    fn begin(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let (pool, mut screened) = screen::screen(plan, evaluator, watch)?;
        let wanted: Vec<_> = pool.iter().map(|one| (plan.random_map(one.index), 0, POOL.1)).collect();
        let wins = play(plan, &wanted, evaluator, watch)?;
        let pool: Vec<_> =
            pool.into_iter().zip(wins).map(|(one, wins)| Candidate { games: POOL.1, wins, ..one }).collect();
        screened.judge(&pool);
        let games = plan.training() * TRAINING.2 + POOL.1 * pool.len() as u64;
        Ok(Self { games, stage: Stage::Halving { round: 0, pool }, screened: Some(screened) })
    }

    fn halve(
        &self,
        plan: &Plan,
        round: usize,
        pool: &[Candidate],
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Self, FindError> {
        let mut ranked = pool.to_vec();
        let variance = |one: &Candidate| debiased_variance(&one.wins, one.games);
        ranked.sort_by(|a, b| variance(a).total_cmp(&variance(b)).then(a.index.cmp(&b.index)));
        let Some(&(left, games)) = plan.halving().get(round + 1) else {
            let lines = found_lines(plan, &ranked, evaluator)?;
            let games = self.games + OWNED * lines.len() as u64;
            let scale = likeliest_scale(&lines);
            return Ok(Self { games, stage: Stage::Search { step: 0, lines, scale }, screened: self.screened.clone() });
        };
        ranked.truncate(left);
        let wanted: Vec<_> =
            ranked.iter().map(|one| (plan.random_map(one.index), one.games, games - one.games)).collect();
        let wins = play(plan, &wanted, evaluator, watch)?;
        let played: u64 = wanted.iter().map(|(_, _, games)| games).sum();
        for (one, wins) in ranked.iter_mut().zip(wins) {
            one.games = games;
            add(&mut one.wins, wins);
        }
        let stage = Stage::Halving { round: round + 1, pool: ranked };
        Ok(Self { games: self.games + played, stage, screened: self.screened.clone() })
    }

    fn search(
        &self,
        plan: &Plan,
        step: usize,
        lines: &[Descent],
        scale: Scale,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Self, FindError> {
        let mut lines = lines.to_vec();
        let chosen: Vec<Vec<(Variant, u64)>> = match STEPS[step] {
            Step::Cut { lines: left } => {
                let mut kept: Vec<usize> = Vec::new();
                for (_, line, _) in ranked(plan, &lines, scale, evaluator) {
                    if kept.len() < of_hundred(left, plan.count) && !kept.contains(&line) {
                        kept.push(line);
                    }
                }
                kept.sort_unstable();
                lines = kept.into_iter().map(|line| lines[line].clone()).collect();
                vec![Vec::new(); lines.len()]
            }
            Step::Race { variants, of_line, .. } => {
                let ranked = ranked(plan, &lines, scale, evaluator);
                let mut chosen = vec![Vec::new(); lines.len()];
                let mut left = of_hundred(variants, plan.count);
                for (_, line, variant) in ranked {
                    if left > 0 && chosen[line].len() < of_line {
                        chosen[line].push((lines[line].played[variant].variant, plan.games_of(&STEPS[step])));
                        left -= 1;
                    }
                }
                chosen
            }
            Step::Random { .. } | Step::Guess { .. } | Step::Promise { .. } => {
                evaluator.install(|| lines.par_iter().map(|line| choose(plan, line, step, scale)).collect())
            }
        };
        let mut wanted = Vec::new();
        for (line, chosen) in lines.iter().zip(&chosen) {
            let Some(family) = line.family(plan) else { continue };
            for (variant, games) in chosen {
                let first = line.played.iter().find(|one| one.variant == *variant).map_or(0, |one| one.games);
                wanted.push((family.map(variant), first, *games));
            }
        }
        let wins = play(plan, &wanted, evaluator, watch)?;
        let played: u64 = wanted.iter().map(|(_, _, games)| games).sum();
        let mut wins = wins.into_iter();
        for (line, chosen) in lines.iter_mut().zip(chosen) {
            for ((variant, games), wins) in chosen.into_iter().zip(wins.by_ref()) {
                match line.played.iter_mut().find(|one| one.variant == variant) {
                    Some(one) => {
                        one.games += games;
                        add(&mut one.wins, wins);
                    }
                    None => line.played.push(Played { variant, games, wins }),
                }
            }
        }
        let scale = likeliest_scale(&lines);
        let stage = Stage::Search { step: step + 1, lines, scale };
        Ok(Self { games: self.games + played, stage, screened: self.screened.clone() })
    }

    /// Plays fresh games of the maps that look best.
    fn certify(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let Stage::Certification { finalists, records } = &self.stage else { return Ok(self.clone()) };
        let mut certification = Certification::resume(certification_plan(plan, finalists), records.clone())?;
        let racing = racing(plan, finalists, records);
        certification.advance_some(&racing, evaluator, watch)?;
        let games = certification.records().iter().zip(records).map(|(after, before)| after.games - before.games);
        let games = self.games + games.sum::<u64>();
        let stage = Stage::Certification { finalists: finalists.clone(), records: certification.records().to_vec() };
        Ok(Self { games, stage, screened: self.screened.clone() })
    }

    /// Whether there are enough certificates, or nothing is left to play for.
    fn is_finished(&self, plan: &Plan) -> bool {
        let Stage::Certification { finalists, records } = &self.stage else { return false };
        let racing = racing(plan, finalists, records);
        let games = certify::LOOK * racing.len() as u64;
        certified(records) >= plan.count || racing.is_empty() || self.games + games > plan.games
    }
}

fn certified(records: &[Record]) -> usize {
    records.iter().filter(|record| matches!(record.verdict, Some((Verdict::Certified, _)))).count()
}

/// Lines that begin with the best of these maps, which differ enough from each other.
fn found_lines(plan: &Plan, ranked: &[Candidate], evaluator: &Evaluator) -> Result<Vec<Descent>, FindError> {
    let mut maps: Vec<Map> = Vec::new();
    let mut lines = Vec::new();
    for &Candidate { index, is_control, games, wins } in ranked {
        let map = plan.random_map(index);
        let Some((_, variant)) = Family::new(map.clone()) else { continue };
        if maps.iter().all(|other| difference(&map, other) >= LEAST_DIFFERENCE) {
            maps.push(map);
            let played = vec![Played { variant, games, wins }];
            lines.push(Descent { index, is_control, owners: Owners::default(), played });
        }
    }
    let mut batch = Batch::<Catan>::new(plan.policy()?, plan.seed);
    maps.iter().for_each(|map| batch.push(Position::start(map), OWNED));
    let records = evaluator.records(&batch)?;
    for (line, records) in lines.iter_mut().zip(records.chunks(OWNED as usize)) {
        for player in records.iter().flat_map(|record| record.last.players.iter().enumerate()) {
            for (owners, edge) in line.owners.iter_mut().zip(PORT_EDGES) {
                let is_there = |node: &u8| player.1.buildings >> WALL_BIT[usize::from(*node)] & 1 != 0;
                owners[player.0] += u16::from(EDGE_NODES[usize::from(edge)].iter().any(is_there));
            }
        }
    }
    Ok(lines)
}

/// All played variants, those that most probably are as good as looked for first: the probability, line and number.
fn ranked(plan: &Plan, lines: &[Descent], scale: Scale, evaluator: &Evaluator) -> Vec<(f64, usize, usize)> {
    let of_line = |(number, line): (usize, &Descent)| -> Vec<_> {
        let chances = line.chances(plan, scale).into_iter().enumerate();
        chances.map(|(variant, chance)| (chance, number, variant)).collect()
    };
    let mut all: Vec<_> = evaluator
        .install(|| lines.par_iter().enumerate().map(|(number, line)| of_line((number, line))).collect::<Vec<_>>())
        .concat();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    all
}

/// The best variants of the lines that promise most: as many as enter certification, different enough from each other.
fn finalists(plan: &Plan, lines: &[Descent], scale: Scale, evaluator: &Evaluator) -> Vec<Finalist> {
    let mut finalists: Vec<Finalist> = Vec::new();
    let mut maps: Vec<Map> = Vec::new();
    for (chance, line, variant) in ranked(plan, lines, scale, evaluator) {
        let Descent { index, is_control, ref played, .. } = lines[line];
        let is_wanted = maps.len() < plan.count || maps.len() < plan.entered() && chance >= LEAST_CHANCE;
        if is_wanted && finalists.iter().all(|other| other.index != index) {
            let finalist = Finalist { index, is_control, played: played[variant] };
            let map = finalist.map(plan);
            if maps.iter().all(|other| difference(&map, other) >= LEAST_DIFFERENCE) {
                finalists.push(finalist);
                maps.push(map);
            }
        }
    }
    finalists
}

/// The variants of a line to play in a step, and games of each.
fn choose(plan: &Plan, line: &Descent, step: usize, scale: Scale) -> Vec<(Variant, u64)> {
    let mut rng = Rng::for_playout(plan.seed, absorb(line.index, STREAM), step as u64);
    let Some(model) = Model::new(line, scale) else { return Vec::new() };
    let games = plan.games_of(&STEPS[step]);
    let wanted: Vec<Variant> = match STEPS[step] {
        Step::Random { variants, .. } => (0..variants).map(|_| line.played[0].variant.drawn(&mut rng)).collect(),
        Step::Guess { variants, .. } => (0..variants).map(|_| model.guess(&mut rng)).collect(),
        Step::Promise { variants, .. } => model.promising(variants, |belief| plan.chance(belief)),
        Step::Cut { .. } | Step::Race { .. } => Vec::new(),
    };
    let mut chosen: Vec<(Variant, u64)> = Vec::new();
    for variant in wanted {
        match chosen.iter_mut().find(|(other, _)| *other == variant) {
            Some((_, more)) => *more += games,
            None => chosen.push((variant, games)),
        }
    }
    chosen
}

/// What is certified, and under which names.
fn certification_plan(plan: &Plan, finalists: &[Finalist]) -> certify::Plan {
    let maps = finalists.iter().map(|finalist| {
        let map = serde_json::to_value(finalist.map(plan)).unwrap_or_default();
        (format!("variant-of-{}", finalist.index), map)
    });
    certify::Plan {
        players: plan.players.clone(),
        turn_cap: plan.turn_cap,
        sigma_points: plan.sigma_points,
        level: plan.level,
        correction: Correction::EBh,
        max_games: certify::MAX_GAMES,
        seed: plan.seed,
        maps: maps.collect(),
    }
}

/// The maps to play on: all, until they had half the games that a perfect map needs, then those with the smallest spread in
/// all their games.
fn racing(plan: &Plan, finalists: &[Finalist], records: &[Record]) -> Vec<usize> {
    let open: Vec<_> = (0..records.len()).filter(|&map| records[map].verdict.is_none()).collect();
    let first: Vec<_> = open.iter().copied().filter(|&map| records[map].games < plan.perfect_games() / 2).collect();
    if !first.is_empty() {
        return first;
    }
    let spreads: Vec<f64> = finalists
        .iter()
        .zip(records)
        .map(|(finalist, record)| {
            let mut wins = record.wins;
            add(&mut wins, finalist.played.wins);
            rms(&contrasts(&wins, wins.iter().sum()))
        })
        .collect();
    let missing = plan.count.saturating_sub(certified(records));
    let mut ranked = open;
    ranked.sort_by(|&a, &b| spreads[a].total_cmp(&spreads[b]).then(a.cmp(&b)));
    ranked.truncate(of_hundred(RACING, missing));
    ranked.sort_unstable();
    ranked
}
