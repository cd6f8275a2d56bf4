//! The rounds of a search: each makes the next state from the one before.

use fairground_kernels::rng::absorb;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::certification::{Finalist, Outlooks};
use super::habits::{self, Habits, WATCHED};
use super::model::{Learned, Model};
use super::{
    Family, FindError, LEAST_DIFFERENCE, POOL, Plan, STEPS, STREAM, Screened, TRAINING, Variant, difference, screen,
};
use crate::batch::{Batch, Evaluator, Watch};
use crate::certify::Record;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Map, Position};
use crate::stats::seats::debiased_variance;

/// A random map of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) index: u64,
    /// Whether it is of the control, which nobody chose.
    pub(super) is_control: bool,
    pub(super) games: u64,
    pub(super) wins: [u64; SEATS],
}

/// Some games of a variant in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Played {
    pub(super) variant: Variant,
    /// The number of the first game: in games of equal numbers all variants of a line have the same luck.
    pub(super) first: u64,
    pub(super) games: u64,
    pub(super) wins: [u64; SEATS],
}

impl Played {
    pub(super) fn decided(&self) -> u64 {
        self.wins.iter().sum()
    }
}

/// The descendants of a random map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Descent {
    pub(super) index: u64,
    pub(super) is_control: bool,
    pub(super) habits: [Habits; SEATS],
    pub(super) played: Vec<Played>,
}

impl Descent {
    pub(super) fn family(&self, plan: &Plan) -> Option<Family> {
        Family::new(plan.random_map(self.index)).map(|(family, _)| family)
    }

    /// The number of the next game.
    fn next_game(&self) -> u64 {
        self.played.iter().map(|part| part.first + part.games).max().unwrap_or(0)
    }

    /// The spread to expect of the best variant that was played, in points.
    pub(super) fn expected_spread(&self, plan: &Plan, learned: &Learned) -> f64 {
        let known = Model::new(plan, self, learned).map(|model| model.known()).unwrap_or_default();
        let squares = known.iter().map(|(_, belief)| belief.spread().powi(2) + belief.variance());
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }
}

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stage {
    /// Nothing was played.
    #[default]
    Begun,
    /// These maps were played in so many rounds.
    Halving { round: usize, pool: Vec<Candidate> },
    /// These lines were played in so many steps, and this was learned from that.
    Search { step: usize, lines: Vec<Descent>, learned: Learned },
    /// Variants of these lines that entered, and their fresh games; it is over if nothing can be played on.
    Certification {
        lines: Vec<Descent>,
        learned: Learned,
        finalists: Vec<Finalist>,
        records: Vec<Record>,
        rounds: u32,
        is_over: bool,
        #[serde(skip)]
        outlooks: Outlooks,
    },
}

/// Everything that the next round depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) games: u64,
    pub(super) stage: Stage,
    pub(super) screened: Option<Screened>,
}

/// Games to play in the search. All variants of a random map have its random numbers.
pub(super) struct Wanted {
    pub(super) map: Map,
    pub(super) ancestor: u64,
    pub(super) first: u64,
    pub(super) games: u64,
}

/// Plays some maps as part of the search.
pub(super) fn play(
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
    pub(super) fn next(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        match &self.stage {
            Stage::Begun => self.begin(plan, evaluator, watch),
            Stage::Halving { round, pool } => self.halve(plan, *round, pool, evaluator, watch),
            Stage::Search { step, lines, learned } if *step < STEPS.len() => {
                self.search(plan, *step, lines, learned, evaluator, watch)
            }
            Stage::Search { lines, learned, .. } => {
                let (lines, learned, finalists, records) = (lines.clone(), *learned, Vec::new(), Vec::new());
                let stage = Stage::Certification {
                    lines,
                    learned,
                    finalists,
                    records,
                    rounds: 0,
                    is_over: false,
                    outlooks: Outlooks::default(),
                };
                Self { stage, ..self.clone() }.next(plan, evaluator, watch)
            }
            Stage::Certification { .. } => self.certify_some(plan, evaluator, watch),
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
            let games = self.games + WATCHED * lines.len() as u64;
            let stage = Stage::Search { step: 0, lines, learned: Learned::default() };
            return Ok(Self { games, stage, screened: self.screened.clone() });
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
        learned: &Learned,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Self, FindError> {
        let mut lines = lines.to_vec();
        let (variants, games) = STEPS[step];
        let choose = |line: &Descent| {
            let model = Model::new(plan, line, learned)?;
            Some(model.apart(&model.ranked(|belief| plan.log_speed(belief)), variants))
        };
        let chosen: Vec<Option<Vec<Variant>>> = evaluator.install(|| lines.par_iter().map(choose).collect());
        let games = plan.games_of(games);
        let chosen = chosen.into_iter().enumerate();
        let chosen = chosen.map(|(line, chosen)| (line, chosen.unwrap_or_default(), games)).collect();
        let played = search_lines(plan, &mut lines, chosen, evaluator, watch)?;
        let learned = evaluator.install(|| learned.learn(plan, &lines));
        let stage = Stage::Search { step: step + 1, lines, learned };
        Ok(Self { games: self.games + played, stage, screened: self.screened.clone() })
    }
}

/// Plays so many games of each of some variants of some lines, those of a line with the same luck, and returns how many in all.
pub(super) fn search_lines(
    plan: &Plan,
    lines: &mut [Descent],
    chosen: Vec<(usize, Vec<Variant>, u64)>,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<u64, FindError> {
    let mut wanted = Vec::new();
    for &(line, ref variants, games) in &chosen {
        let line = &lines[line];
        let (Some(family), first) = (line.family(plan), line.next_game()) else { continue };
        let maps = variants.iter().map(|variant| family.map(variant));
        wanted.extend(maps.map(|map| Wanted { map, ancestor: line.index, first, games }));
    }
    if wanted.is_empty() {
        return Ok(0);
    }
    let mut wins = play(plan, &wanted, evaluator, watch)?.into_iter();
    for (line, variants, games) in chosen {
        let line = &mut lines[line];
        let first = line.next_game();
        let parts = variants.into_iter().zip(wins.by_ref());
        line.played.extend(parts.map(|(variant, wins)| Played { variant, first, games, wins }));
    }
    Ok(wanted.iter().map(|one| one.games).sum())
}

/// Lines that begin with the best of these maps, which differ enough from each other.
fn found_lines(plan: &Plan, ranked: &[Candidate], evaluator: &Evaluator) -> Result<Vec<Descent>, FindError> {
    let mut maps: Vec<Map> = Vec::new();
    let (mut lines, mut families) = (Vec::new(), Vec::new());
    for &Candidate { index, is_control, games, wins } in ranked {
        let map = plan.random_map(index);
        let Some((family, variant)) = Family::new(map.clone()) else { continue };
        if maps.iter().all(|other| difference(&map, other) >= LEAST_DIFFERENCE) {
            maps.push(map);
            families.push((family, variant));
            let played = vec![Played { variant, first: 0, games, wins }];
            lines.push(Descent { index, is_control, habits: Default::default(), played });
        }
    }
    let players = plan.policy()?;
    evaluator.install(|| {
        let each = lines.par_iter_mut().zip(&families);
        each.for_each(|(line, (family, own))| line.habits = habits::watch(family, own, players));
    });
    Ok(lines)
}
