//! The last rounds of a search: variants are certified by fresh games, and what these say chooses the next ones.
//!
//! Fresh games are evidence for a variant, and they also tell its line more about all others. So a line whose variant looks
//! worse than another of them lets that one enter. There is room for so many entries from the beginning, whether they are used
//! or not, so that e-BH holds whatever makes a variant enter: its games begin after that.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::model::{Model, Scale};
use super::steps::{Descent, Played, Stage, State};
use super::{Family, FindError, LEAST_DIFFERENCE, Plan, RACING, Variant, difference, of_hundred};
use crate::batch::{Evaluator, Watch};
use crate::certify::{self, Certification, Record, Verdict};
use crate::games::catan::Map;
use crate::stats::seats::evidence::Correction;

/// A variant that entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Finalist {
    /// The number of the random map that it descends from.
    pub(super) index: u64,
    pub(super) is_control: bool,
    pub(super) variant: Variant,
}

impl Finalist {
    pub(super) fn map(&self, plan: &Plan) -> Map {
        let random = plan.random_map(self.index);
        // Every random map has a family.
        Family::new(random.clone()).map_or(random, |(family, _)| family.map(&self.variant))
    }
}

/// Games of a variant in a round, for the usual bound: fewer would hardly change what is expected of it.
const ROUND: u64 = 24_000;

/// A variant that is as good as is looked for with this probability is played on without a look at others.
const LIKELY: f64 = 0.4;

/// Another variant enters if it is so many times as probable to be as good.
const MORE_LIKELY: f64 = 3.0;

/// Variants that are tried in this order, until one differs enough from the maps of other lines.
const TRIED: usize = 8;

/// The luck of fresh games is their own: they are numbered far from all others.
const FRESH: u32 = 41;

/// What to do with a line.
struct Outlook {
    line: usize,
    /// The place of the finalist to play on, and the logarithm of its chance.
    active: Option<(usize, f64)>,
    /// Variants that promise more, the best first.
    better: Vec<(f64, Variant)>,
}

impl Outlook {
    fn best(&self) -> f64 {
        self.better.first().copied().map_or(f64::NEG_INFINITY, |(chance, _)| chance)
    }
}

fn is_certified(record: &Record) -> bool {
    matches!(record.verdict, Some((Verdict::Certified, _)))
}

pub(super) fn certified(records: &[Record]) -> usize {
    records.iter().filter(|record| is_certified(record)).count()
}

/// A line with the fresh games of its finalists.
fn with_fresh_games(line: &Descent, finalists: &[Finalist], records: &[Record]) -> Descent {
    let mut line = line.clone();
    for (number, (finalist, record)) in (1..).zip(finalists.iter().zip(records)) {
        if finalist.index == line.index && record.decided() > 0 {
            let Record { games, wins, .. } = *record;
            line.played.push(Played { variant: finalist.variant, first: number << FRESH, games, wins });
        }
    }
    line
}

/// What to do with a line that has no certificate yet; nothing if nothing is known of it.
fn outlook(
    plan: &Plan,
    number: usize,
    line: &Descent,
    scale: Scale,
    state: (&[Finalist], &[Record]),
) -> Option<Outlook> {
    let (finalists, records) = state;
    let own = || (0..).zip(finalists.iter().zip(records)).filter(|(_, (finalist, _))| finalist.index == line.index);
    if own().any(|(_, (_, record))| is_certified(record)) {
        return None;
    }
    let known = with_fresh_games(line, finalists, records);
    let model = Model::new(&known, scale)?;
    let chance = |variant: &Variant| plan.log_chance(&model.belief(variant));
    let open = own().filter(|(_, (_, record))| record.verdict.is_none());
    let active =
        open.map(|(place, (finalist, _))| (place, chance(&finalist.variant))).max_by(|a, b| a.1.total_cmp(&b.1));
    let mut better = Vec::new();
    let bar = active.map_or(f64::NEG_INFINITY, |(_, chance)| chance + MORE_LIKELY.ln());
    if active.is_none_or(|(_, chance)| chance < LIKELY.ln()) {
        let has_entered = |variant: &Variant| own().any(|(_, (finalist, _))| finalist.variant == *variant);
        let ranked = model.ranked(|belief| plan.log_chance(belief)).into_iter();
        let ranked = ranked.take_while(|(chance, ..)| *chance > bar).filter(|(_, variant, _)| !has_entered(variant));
        better.extend(ranked.take(TRIED).map(|(chance, variant, _)| (chance, variant)));
    }
    Some(Outlook { line: number, active, better })
}

impl State {
    /// Lets variants enter that promise more than those that are played, and plays fresh games of the most promising ones.
    pub(super) fn certify(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let Stage::Certification { lines, scale, finalists, records, .. } = &self.stage else {
            return Ok(self.clone());
        };
        let outlook = |(number, line)| outlook(plan, number, line, *scale, (finalists, records));
        let outlooks = evaluator.install(|| lines.par_iter().enumerate().map(outlook).collect::<Vec<_>>());
        let mut outlooks: Vec<Outlook> = outlooks.into_iter().flatten().collect();
        outlooks.sort_by(|a, b| b.best().total_cmp(&a.best()).then(a.line.cmp(&b.line)));

        let (mut finalists, mut records) = (finalists.clone(), records.clone());
        let is_alive = |record: &Record| !matches!(record.verdict, Some((Verdict::Dropped, _)));
        let alive = finalists.iter().zip(&records).filter(|(_, record)| is_alive(record));
        let mut taken: Vec<(u64, Map)> = alive.map(|(finalist, _)| (finalist.index, finalist.map(plan))).collect();
        let mut racing: Vec<(usize, f64)> = Vec::new();
        for Outlook { line, active, better } in outlooks {
            let Descent { index, is_control, .. } = lines[line];
            let map = |variant: &Variant| Finalist { index, is_control, variant: *variant }.map(plan);
            let is_new = |map: &Map| {
                taken.iter().all(|(other, taken)| *other == index || difference(map, taken) >= LEAST_DIFFERENCE)
            };
            let mut better = better.into_iter().map(|(chance, variant)| (chance, variant, map(&variant)));
            let entering = if finalists.len() < plan.room() { better.find(|(.., map)| is_new(map)) } else { None };
            match entering {
                Some((chance, variant, map)) => {
                    racing.push((finalists.len(), chance));
                    finalists.push(Finalist { index, is_control, variant });
                    records.push(Record::default());
                    taken.push((index, map));
                }
                None => racing.extend(active),
            }
        }
        racing.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        racing.truncate(plan.racing(&records));
        let mut racing: Vec<usize> = racing.into_iter().map(|(place, _)| place).collect();
        racing.sort_unstable();

        let is_over = racing.is_empty();
        let played = |records: &[Record]| records.iter().map(|record| record.games).sum::<u64>();
        let before = played(&records);
        if !is_over {
            let mut certification = Certification::resume(certification_plan(plan, &finalists), records)?;
            for _ in 0..plan.looks() {
                certification.advance_some(&racing, evaluator, watch)?;
            }
            records = certification.records().to_vec();
        }
        let games = self.games + played(&records) - before;
        let stage = Stage::Certification { lines: lines.clone(), scale: *scale, finalists, records, is_over };
        Ok(Self { games, stage, screened: self.screened.clone() })
    }

    /// Whether there are enough certificates, or nothing is left to play for.
    pub(super) fn is_finished(&self, plan: &Plan) -> bool {
        let Stage::Certification { records, is_over, .. } = &self.stage else { return false };
        let next = plan.looks() * certify::LOOK * plan.racing(records) as u64;
        *is_over || certified(records) >= plan.count || self.games.saturating_add(next) > plan.games
    }
}

impl Plan {
    /// Looks in a round.
    fn looks(&self) -> u64 {
        self.games_of(ROUND).div_ceil(certify::LOOK)
    }

    /// Maps that are played on at most.
    fn racing(&self, records: &[Record]) -> usize {
        of_hundred(RACING, self.count.saturating_sub(certified(records)))
    }
}

/// What is certified, and under which names.
pub(super) fn certification_plan(plan: &Plan, finalists: &[Finalist]) -> certify::Plan {
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
        room: plan.room(),
    }
}
