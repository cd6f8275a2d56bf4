//! The last rounds of a search: the most promising lines are searched further until a variant is good enough to be certified.
//!
//! A variant that is likely to be good enters, and plays fresh games. They are evidence for it, and they also tell its line
//! more about all others. So when it does not look good any more, another may enter, or the search goes on: several variants
//! play games with the same luck, which are no evidence for anything. In every round only the most promising lines play.
//!
//! There is room for so many entries from the beginning, whether they are used or not, so that e-BH holds whatever makes a
//! variant enter: its games begin after that.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::model::{Belief, Model, Scale};
use super::steps::{Descent, Played, Stage, State, search_lines};
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

/// A variant that is as good as is looked for with this probability enters, and plays on without a look at others.
const LIKELY: f64 = 0.3;

/// One that has entered still plays on with this probability, unless another is so many times as probable to be as good.
const DOUBTFUL: f64 = 0.1;
const MORE_LIKELY: f64 = 3.0;

/// Variants of a line that are searched in a round, and games of each for the usual bound.
const SEARCHED: (usize, u64) = (4, 6000);

/// Variants that are tried in this order, until one differs enough from the maps of other lines.
const TRIED: usize = 8;

/// The luck of fresh games is their own: they are numbered far from all others.
const FRESH: u32 = 41;

/// What to do with a line.
struct Outlook {
    line: usize,
    /// The logarithm of the chance of its best variant.
    promise: f64,
    next: Next,
}

enum Next {
    /// This finalist plays on.
    PlayOn(usize),
    /// One of these enters, the best first; or else the last are searched.
    Enter(Vec<Variant>, Vec<Variant>),
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
    let value = |belief: &Belief| plan.log_chance(belief);
    let open = own().filter(|(_, (_, record))| record.verdict.is_none());
    let chance = |finalist: &Finalist| value(&model.belief(&finalist.variant));
    let active = open.map(|(place, (finalist, _))| (place, chance(finalist))).max_by(|a, b| a.1.total_cmp(&b.1));
    let play_on = |(place, promise)| Outlook { line: number, promise, next: Next::PlayOn(place) };
    if let Some(active) = active.filter(|(_, chance)| *chance >= LIKELY.ln()) {
        return Some(play_on(active));
    }
    let ranked = model.ranked(value);
    let promise = ranked.first()?.0;
    if let Some(active) = active.filter(|(_, chance)| *chance >= DOUBTFUL.ln().max(promise - MORE_LIKELY.ln())) {
        return Some(play_on(active));
    }
    let has_entered = |variant: &Variant| own().any(|(_, (finalist, _))| finalist.variant == *variant);
    let likely = ranked.iter().take_while(|(chance, ..)| *chance >= LIKELY.ln());
    let likely = likely.map(|(_, variant, _)| *variant).filter(|variant| !has_entered(variant)).take(TRIED).collect();
    Some(Outlook { line: number, promise, next: Next::Enter(likely, model.apart(&ranked, SEARCHED.0)) })
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
        outlooks.sort_by(|a, b| b.promise.total_cmp(&a.promise).then(a.line.cmp(&b.line)));
        outlooks.truncate(plan.racing(records));

        let (mut lines, mut finalists, mut records) = (lines.clone(), finalists.clone(), records.clone());
        let is_alive = |record: &Record| !matches!(record.verdict, Some((Verdict::Dropped, _)));
        let alive = finalists.iter().zip(&records).filter(|(_, record)| is_alive(record));
        let mut taken: Vec<(u64, Map)> = alive.map(|(finalist, _)| (finalist.index, finalist.map(plan))).collect();
        let (mut racing, mut searched) = (Vec::new(), Vec::new());
        for Outlook { line, next, .. } in outlooks {
            let (likely, apart) = match next {
                Next::PlayOn(place) => {
                    racing.push(place);
                    continue;
                }
                // Nothing can enter any more.
                Next::Enter(..) if finalists.len() >= plan.room() => continue,
                Next::Enter(likely, apart) => (likely, apart),
            };
            let Descent { index, is_control, .. } = lines[line];
            let is_new = |map: &Map| {
                taken.iter().all(|(other, taken)| *other == index || difference(map, taken) >= LEAST_DIFFERENCE)
            };
            let mut likely = likely.into_iter().map(|variant| {
                let finalist = Finalist { index, is_control, variant };
                (finalist, finalist.map(plan))
            });
            if let Some((finalist, map)) = likely.find(|(_, map)| is_new(map)) {
                racing.push(finalists.len());
                finalists.push(finalist);
                records.push(Record::default());
                taken.push((index, map));
            } else {
                searched.push((line, apart));
            }
        }
        racing.sort_unstable();
        searched.sort_unstable_by_key(|(line, _)| *line);

        let is_over = racing.is_empty() && searched.is_empty();
        let mut games =
            self.games + search_lines(plan, &mut lines, searched, plan.games_of(SEARCHED.1), evaluator, watch)?;
        if !racing.is_empty() {
            let played = |records: &[Record]| records.iter().map(|record| record.games).sum::<u64>();
            let before = played(&records);
            let mut certification = Certification::resume(certification_plan(plan, &finalists), records)?;
            for _ in 0..plan.looks() {
                certification.advance_some(&racing, evaluator, watch)?;
            }
            records = certification.records().to_vec();
            games += played(&records) - before;
        }
        let stage = Stage::Certification { lines, scale: *scale, finalists, records, is_over };
        Ok(Self { games, stage, screened: self.screened.clone() })
    }

    /// Whether there are enough certificates, or nothing is left to play for.
    pub(super) fn is_finished(&self, plan: &Plan) -> bool {
        let Stage::Certification { records, is_over, .. } = &self.stage else { return false };
        let each = (plan.looks() * certify::LOOK).max(SEARCHED.0 as u64 * plan.games_of(SEARCHED.1));
        let next = each.saturating_mul(plan.racing(records) as u64);
        *is_over || certified(records) >= plan.count || self.games.saturating_add(next) > plan.games
    }
}

impl Plan {
    /// Looks in a round.
    fn looks(&self) -> u64 {
        self.games_of(ROUND).div_ceil(certify::LOOK)
    }

    /// Lines that play in a round at most.
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
