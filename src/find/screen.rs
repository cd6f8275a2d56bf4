//! Looking at very many random maps with a regression that learned from few.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::opening::{self, NUMBERS};
use super::steps::{Candidate, play};
use super::{FindError, Plan, TRAINING};
use crate::batch::{Evaluator, Watch};
use crate::games::catan::tables::SEATS;
use crate::learn::Rows;
use crate::learn::ridge::Ridge;
use crate::learn::standard::Standard;
use crate::learn::unlabelled::LAMBDAS;
use crate::stats::seats::{balance, contrasts, debiased_variance};

/// Maps that are looked at together.
const BLOCK: u64 = 1024;

/// What came of looking: does the regression find better maps than chance?
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Screened {
    /// Random maps that were looked at.
    pub looked_at: u64,
    /// The shrinkage that predicts best.
    pub lambda: f64,
    /// Maps it chose.
    pub chosen: usize,
    /// How far apart those are, in points, by their first games: the root of the mean unbiased variance.
    pub chosen_tau_points: f64,
    /// Maps of the control.
    pub control: usize,
    /// How far apart those are.
    pub control_tau_points: f64,
}

impl Screened {
    /// Judges the choice by first games.
    pub(super) fn judge(&mut self, pool: &[Candidate]) {
        let tau = |is_control: bool| {
            let of = pool.iter().filter(|one| one.is_control == is_control);
            let variances: Vec<_> = of.map(|one| debiased_variance(&one.wins, one.games)).collect();
            100.0 * balance::tau(&variances)
        };
        (self.chosen_tau_points, self.control_tau_points) = (tau(false), tau(true));
    }
}

/// Trains, looks, and chooses the pool: the maps with the least predicted spread, and the control.
pub(super) fn screen(
    plan: &Plan,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<(Vec<Candidate>, Screened), FindError> {
    let policy = plan.policy()?;
    let (control, chosen) = (plan.control(), plan.pool() - plan.control());
    // The maps after those that are looked at are the control's, and then those to learn from.
    let first = plan.maps + control as u64;
    let learned = first..first + plan.training();
    let wanted: Vec<_> = learned.map(|index| plan.wanted(index, 0, TRAINING.2)).collect();
    let wins = play(plan, &wanted, evaluator, watch)?;
    if wins.iter().flatten().all(|&wins| wins == 0) {
        let games = wanted.iter().map(|one| one.games).sum();
        return Err(FindError::NothingDecided { games, turn_cap: plan.turn_cap });
    }
    let rows: Vec<[f64; NUMBERS]> =
        evaluator.install(|| wanted.par_iter().map(|one| opening::numbers(&one.map, policy)).collect());
    let rows = Rows::collect(rows.iter().map(|row| &row[..])).ok_or(crate::learn::pnu::FitError::Widths)?;
    let standard = Standard::of(&rows);
    let scaled = standard.apply_to(&rows).ok_or(crate::learn::pnu::FitError::Widths)?;
    let seen: Vec<_> = wins.iter().map(|wins| contrasts(wins, wins.iter().sum::<u64>().max(1))).collect();
    let ridge = Ridge::fit_best(&scaled, &seen, &LAMBDAS)?;

    let look = |index: u64| {
        let numbers = opening::numbers(&plan.random_map(index), policy);
        let scaled: Vec<_> = standard.apply(numbers).collect();
        (ridge.predicted_spread(&scaled), index)
    };
    let smaller = |a: &(f64, u64), b: &(f64, u64)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let keep_best = |mut all: Vec<(f64, u64)>| {
        all.sort_by(smaller);
        all.truncate(chosen);
        all
    };
    let mut best: Vec<(f64, u64)> = Vec::new();
    // Some blocks for each thread at a time, so that memory stays small and somebody may stop.
    let at_a_time = BLOCK * 64;
    for begin in (0..plan.maps).step_by(at_a_time as usize) {
        if watch.stop() {
            return Err(crate::batch::EvaluateError::Stopped.into());
        }
        let end = (begin + at_a_time).min(plan.maps);
        let looked: Vec<_> = evaluator.install(|| (begin..end).into_par_iter().map(look).collect());
        best.extend(looked);
        best = keep_best(best);
    }
    let candidate = |index, is_control| Candidate { index, is_control, games: 0, wins: [0; SEATS] };
    let pool = best.iter().map(|&(_, index)| candidate(index, false));
    let pool = pool.chain((plan.maps..first).map(|index| candidate(index, true))).collect();
    let screened = Screened { looked_at: plan.maps, lambda: ridge.lambda, chosen, control, ..Screened::default() };
    Ok((pool, screened))
}
