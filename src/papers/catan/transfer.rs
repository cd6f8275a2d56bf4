//! What a certificate under one kind of player says about other kinds.

use fairground_kernels::rng::absorb;

use super::census::{self, Census};
use crate::batch::{EvaluateError, Evaluator, Watch};
use crate::certify::{self, Certification, PlanError, Verdict};
use crate::find::{self, FindError};
use crate::games::catan::{Map, Policy};
use crate::stats::seats::evidence::Correction;

/// The search and the certificates here have another seed than the commands for them would have.
const STREAM: u64 = 0x7472_616e_7366_6572;

/// Why there are no certified maps.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The search fails.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The test cannot begin.
    #[error(transparent)]
    Certify(#[from] PlanError),
    /// Playing failed or was stopped.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

/// Maps that are certified under some players.
///
/// # Errors
/// If the plan is wrong, or the watcher asks to stop.
pub fn found(plan: &find::Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Vec<Map>, TransferError> {
    let plan = find::Plan { seed: absorb(plan.seed, STREAM), ..plan.clone() };
    Ok(find::search(&plan, evaluator, watch)?.into_iter().map(|one| one.map).collect())
}

/// Those of some random maps that are certified under some players: enough if these hardly see a difference between maps.
///
/// # Errors
/// If the bound is wrong, or the watcher asks to stop.
pub fn certified(
    maps: &[Map],
    policy: Policy,
    sigma_points: f64,
    max_games: u64,
    seed: u64,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<Map>, TransferError> {
    let named = maps
        .iter()
        .enumerate()
        .map(|(number, map)| (format!("random-{number}"), serde_json::to_value(map).unwrap_or_default()));
    let plan = certify::Plan {
        players: policy.seats.map(|strategy| strategy.name().to_owned()),
        turn_cap: policy.turn_cap,
        sigma_points,
        level: 0.05,
        correction: Correction::EBh,
        max_games,
        seed: absorb(seed, STREAM),
        maps: named.collect(),
        room: 0,
    };
    let mut certification = Certification::new(plan)?;
    while !certification.is_finished() {
        certification.advance(evaluator, watch)?;
    }
    let verdicts = certification.records().iter().map(|record| record.verdict);
    let both = maps.iter().zip(verdicts);
    let certified = both.filter(|(_, verdict)| matches!(verdict, Some((Verdict::Certified, _))));
    Ok(certified.map(|(map, _)| map.clone()).collect())
}

/// The same maps under other players.
///
/// # Errors
/// If the GPU fails or the watcher asks to stop.
pub fn under(
    maps: &[Map],
    policy: Policy,
    games: u64,
    seed: u64,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Census, EvaluateError> {
    census::play(maps.to_vec(), policy, games, seed, evaluator, watch)
}
