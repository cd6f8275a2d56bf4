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
pub use run::{Delivered, Line, Run, RunError, rules_version, search};
pub use screen::Screened;
pub use variants::{Family, Variant};

use fairground_kernels::rng::absorb;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::certify::{self, Certification, PlanError, Record, Verdict};
use crate::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use crate::games::catan::tables::{EDGE_NODES, PORT_EDGES, PORTS, SEATS, WALL_BIT};
use crate::games::catan::{Catan, Map, Policy, Position};
use crate::stats::seats::balance::noncentral_chi_square;
use crate::stats::seats::evidence::{Correction, least_games};
use crate::stats::seats::{CONTRASTS, contrasts, debiased_variance};
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
    /// So many variants of every line, those that most probably are balanced, in games with the same luck.
    Play { variants: usize, games: u64 },
    /// Only the lines of the most promising variants go on, for every hundred maps that are wanted.
    Cut { lines: usize },
}

/// The bound for which the steps are made, in points.
const USUAL_SIGMA: f64 = 0.28;

/// What is looked for, in shares of the bound: maps as good as this are certified before long.
const AIM: f64 = 0.5;

/// Lines for every hundred maps that are wanted.
const LINES: usize = 240;

const STEPS: [Step; 24] = [
    Step::Play { variants: 6, games: 800 },
    Step::Play { variants: 6, games: 1000 },
    Step::Play { variants: 5, games: 1500 },
    Step::Play { variants: 5, games: 2000 },
    Step::Cut { lines: 180 },
    Step::Play { variants: 4, games: 3000 },
    Step::Play { variants: 4, games: 4000 },
    Step::Cut { lines: 150 },
    Step::Play { variants: 3, games: 5000 },
    Step::Play { variants: 3, games: 5000 },
    Step::Play { variants: 2, games: 8000 },
    Step::Play { variants: 3, games: 5000 },
    Step::Play { variants: 2, games: 8000 },
    Step::Cut { lines: 130 },
    Step::Play { variants: 2, games: 10_000 },
    Step::Play { variants: 3, games: 8000 },
    Step::Play { variants: 2, games: 12_000 },
    Step::Play { variants: 2, games: 12_000 },
    Step::Play { variants: 3, games: 8000 },
    Step::Play { variants: 1, games: 20_000 },
    Step::Play { variants: 2, games: 15_000 },
    Step::Play { variants: 1, games: 20_000 },
    Step::Play { variants: 2, games: 15_000 },
    Step::Play { variants: 1, games: 20_000 },
];

/// Lines in which a variant is as good as is looked for with this probability rest.
const READY: f64 = 0.9;

/// Lines that enter certification for every hundred maps that are wanted.
const ENTERED: usize = 130;

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
    /// Nobody ever wins.
    #[error("no game was decided: all {games} to learn from were cut off after {turn_cap} turns")]
    NothingDecided {
        /// The games that were played.
        games: u64,
        /// Turns after which they were cut off.
        turn_cap: u32,
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
    fn games_of(&self, games: u64) -> u64 {
        let unit = (USUAL_SIGMA / self.sigma_points).powi(2);
        ((games as f64 * unit) as u64).max(LEAST_GAMES)
    }

    /// The logarithm of the probability that a variant is as good as is looked for.
    fn log_chance(&self, belief: &Belief) -> f64 {
        let (aim, variance) = (3.0 * (AIM * self.sigma_points).powi(2), belief.variance);
        let distance = 3.0 * belief.spread().powi(2) / variance;
        let chance = noncentral_chi_square(aim / variance, distance);
        // Far out the closed form cancels, and the density in the middle times the volume is as good.
        let far = (2.0 / (9.0 * std::f64::consts::PI)).sqrt() * (aim / variance).powf(1.5);
        if chance > 1e-6 { chance.ln() } else { far.ln() - 0.5 * distance }
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
            match *step {
                Step::Cut { lines: left } => lines = of_hundred(left, self.count).min(lines),
                Step::Play { variants, games: each } => {
                    let maps = (lines * variants) as u64;
                    games = games.saturating_add(maps.saturating_mul(self.games_of(each)));
                }
            }
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

    /// The seed of the fresh games: another than that of `certify` if both are given the same, so that a map of this search is
    /// certified there by other games. Every reader of JSON can hold it.
    #[must_use]
    pub const fn certification_seed(&self) -> u64 {
        absorb(self.seed, STREAM) >> 11
    }

    /// Random map number `index`.
    #[must_use]
    pub fn random_map(&self, index: u64) -> Map {
        draw(&RECIPE, self.seed, index)
    }

    /// Games of random map number `index`.
    fn wanted(&self, index: u64, first: u64, games: u64) -> Wanted {
        Wanted { map: self.random_map(index), ancestor: index, first, games }
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

/// Some games of a variant in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Played {
    variant: Variant,
    /// The number of the first game: in games of equal numbers all variants of a line have the same luck.
    first: u64,
    games: u64,
    wins: [u64; SEATS],
}

impl Played {
    fn decided(&self) -> u64 {
        self.wins.iter().sum()
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Finalist {
    index: u64,
    is_control: bool,
    variant: Variant,
    /// What the search expects of it, in points.
    expected: [f64; CONTRASTS],
    /// How uncertain each of them is.
    variance: f64,
}

impl Finalist {
    fn map(&self, plan: &Plan) -> Map {
        let random = plan.random_map(self.index);
        // Every random map has a family.
        Family::new(random.clone()).map_or(random, |(family, _)| family.map(&self.variant))
    }

    /// The spread to expect after some fresh games, in points.
    fn expected_spread(&self, record: &Record) -> f64 {
        let fresh = record.decided() as f64 / 2500.0;
        let seen = contrasts(&record.wins, record.decided().max(1));
        let before = 1.0 / self.variance;
        let mean =
            |contrast: usize| (before * self.expected[contrast] + fresh * 100.0 * seen[contrast]) / (before + fresh);
        rms(&[0, 1, 2].map(mean))
    }
}

impl Descent {
    fn family(&self, plan: &Plan) -> Option<Family> {
        Family::new(plan.random_map(self.index)).map(|(family, _)| family)
    }

    /// The number of the next game.
    fn next_game(&self) -> u64 {
        self.played.iter().map(|part| part.first + part.games).max().unwrap_or(0)
    }

    /// The variant that most probably is as good as is looked for, with the logarithm of the probability.
    fn best(&self, plan: &Plan, scale: Scale) -> Option<(f64, Variant, Belief)> {
        Model::new(self, scale)?.ranked(|belief| plan.log_chance(belief)).into_iter().next()
    }

    /// The spread to expect of the best variant that was played, in points.
    fn expected_spread(&self, scale: Scale) -> f64 {
        let known = Model::new(self, scale).map(|model| model.known()).unwrap_or_default();
        let squares = known.iter().map(|(_, belief)| belief.spread().powi(2) + belief.variance);
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

/// Games to play in the search. All variants of a random map have its random numbers.
struct Wanted {
    map: Map,
    ancestor: u64,
    first: u64,
    games: u64,
}

/// Plays some maps as part of the search.
fn play(
    plan: &Plan,
    wanted: &[Wanted],
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<[u64; SEATS]>, FindError> {
    let mut batch = Batch::<Catan>::new(plan.policy()?, plan.seed);
    for Wanted { map, ancestor, first, games } in wanted {
        batch.push_part(&Position::start(map), absorb(*ancestor, STREAM), *first, *games);
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
        let wanted: Vec<_> = pool.iter().map(|one| plan.wanted(one.index, 0, POOL.1)).collect();
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
            let scale = evaluator.install(|| likeliest_scale(&lines, Scale::default()));
            return Ok(Self { games, stage: Stage::Search { step: 0, lines, scale }, screened: self.screened.clone() });
        };
        ranked.truncate(left);
        let wanted: Vec<_> = ranked.iter().map(|one| plan.wanted(one.index, one.games, games - one.games)).collect();
        let wins = play(plan, &wanted, evaluator, watch)?;
        let played: u64 = wanted.iter().map(|one| one.games).sum();
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
        let mut played = 0;
        match STEPS[step] {
            Step::Cut { lines: left } => {
                let mut kept = best_of(plan, &lines, scale, evaluator);
                kept.truncate(of_hundred(left, plan.count));
                kept.sort_unstable_by_key(|(line, _)| *line);
                lines = kept.into_iter().map(|(line, _)| lines[line].clone()).collect();
            }
            Step::Play { variants, games } => {
                let choose = |line: &Descent| {
                    let model = Model::new(line, scale)?;
                    Some(model.choose(variants, READY.ln(), |belief| plan.log_chance(belief)))
                };
                let chosen: Vec<Option<Vec<Variant>>> = evaluator.install(|| lines.par_iter().map(choose).collect());
                let games = plan.games_of(games);
                let mut wanted = Vec::new();
                for (line, chosen) in lines.iter().zip(&chosen) {
                    let (Some(family), first) = (line.family(plan), line.next_game()) else { continue };
                    let maps = chosen.iter().flatten().map(|variant| family.map(variant));
                    wanted.extend(maps.map(|map| Wanted { map, ancestor: line.index, first, games }));
                }
                let mut wins = play(plan, &wanted, evaluator, watch)?.into_iter();
                played = games * wanted.len() as u64;
                for (line, chosen) in lines.iter_mut().zip(chosen) {
                    let first = line.next_game();
                    let parts = chosen.into_iter().flatten().zip(wins.by_ref());
                    line.played.extend(parts.map(|(variant, wins)| Played { variant, first, games, wins }));
                }
            }
        }
        let scale = evaluator.install(|| likeliest_scale(&lines, scale));
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
            let played = vec![Played { variant, first: 0, games, wins }];
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

/// The numbers of the lines, the most promising first, and the best variant of each.
fn best_of(
    plan: &Plan,
    lines: &[Descent],
    scale: Scale,
    evaluator: &Evaluator,
) -> Vec<(usize, (f64, Variant, Belief))> {
    let best: Vec<_> = evaluator.install(|| lines.par_iter().map(|line| line.best(plan, scale)).collect());
    let mut best: Vec<_> = best.into_iter().enumerate().filter_map(|(line, best)| Some((line, best?))).collect();
    best.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
    best
}

/// The best variants of the lines that promise most: as many as enter certification, different enough from each other.
fn finalists(plan: &Plan, lines: &[Descent], scale: Scale, evaluator: &Evaluator) -> Vec<Finalist> {
    let mut finalists: Vec<Finalist> = Vec::new();
    let mut maps: Vec<Map> = Vec::new();
    for (line, (log_chance, variant, belief)) in best_of(plan, lines, scale, evaluator) {
        let Descent { index, is_control, .. } = lines[line];
        let is_wanted = maps.len() < plan.count || maps.len() < plan.entered() && log_chance >= LEAST_CHANCE.ln();
        let Belief { contrasts: expected, variance } = belief;
        let finalist = Finalist { index, is_control, variant, expected, variance };
        let map = finalist.map(plan);
        if is_wanted && maps.iter().all(|other| difference(&map, other) >= LEAST_DIFFERENCE) {
            finalists.push(finalist);
            maps.push(map);
        }
    }
    finalists
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
        seed: plan.certification_seed(),
        maps: maps.collect(),
    }
}

/// The maps to play on: all, until they had half the games that a perfect map needs, then those with the smallest spread to
/// expect.
fn racing(plan: &Plan, finalists: &[Finalist], records: &[Record]) -> Vec<usize> {
    let open: Vec<_> = (0..records.len()).filter(|&map| records[map].verdict.is_none()).collect();
    let first: Vec<_> = open.iter().copied().filter(|&map| records[map].games < plan.perfect_games() / 2).collect();
    if !first.is_empty() {
        return first;
    }
    let both = finalists.iter().zip(records);
    let spreads: Vec<f64> = both.map(|(finalist, record)| finalist.expected_spread(record)).collect();
    let missing = plan.count.saturating_sub(certified(records));
    let mut ranked = open;
    ranked.sort_by(|&a, &b| spreads[a].total_cmp(&spreads[b]).then(a.cmp(&b)));
    ranked.truncate(of_hundred(RACING, missing));
    ranked.sort_unstable();
    ranked
}
