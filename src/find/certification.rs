//! The last rounds of a search: the most promising lines are searched further until a variant is good enough to be certified.
//!
//! A variant that is likely to be good enters, and plays fresh games. They are evidence for it, and they also tell its line
//! more about all others. So when it does not look good any more, another may enter, or the search goes on: the most promising
//! variant plays games that are no evidence for anything. In every round only the most promising lines play.
//!
//! There is room for so many entries from the beginning, whether they are used or not, so that e-BH holds whatever makes a
//! variant enter: its games begin after that.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::model::{Belief, Learned, Model};
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

/// Games of a variant in a round, fresh ones or in the search, for the usual bound: fewer would hardly change what is expected.
const ROUND: u64 = 24_000;

/// A variant that is as good as is looked for with this probability enters, and plays on without a look at others.
const LIKELY: f64 = 0.3;

/// One that has entered still plays on with this probability, unless another is so many times as probable to be as good.
const DOUBTFUL: f64 = 0.1;
const MORE_LIKELY: f64 = 3.0;

/// After so many rounds there is more to learn from.
const LEARNED_AGAIN: u32 = 16;

/// Games of a line in the search, for the usual bound, by which it loses a factor e of its promise: those that are searched in vain
/// for long hardly ever succeed.
const PATIENCE: u64 = 200_000;

/// Variants that are tried in this order, until one differs enough from the maps of other lines.
const TRIED: usize = 8;

/// The luck of fresh games is their own: they are numbered far from all others.
const FRESH: u32 = 41;

/// What to do with a line.
#[derive(Clone, Debug, PartialEq)]
struct Outlook {
    line: usize,
    /// The logarithm of the chance of its best variant, less what was searched in vain.
    promise: f64,
    next: Next,
}

/// What was made of lines that have not been played since, by their places: it takes time to make, and is never kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outlooks(BTreeMap<usize, Option<Outlook>>);

#[derive(Clone, Debug, PartialEq)]
enum Next {
    /// This finalist plays on.
    PlayOn(usize),
    /// One of these enters, the best first; or else the last is played in the search.
    Enter(Vec<Variant>, Variant),
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
    learned: &Learned,
    state: (&[Finalist], &[Record]),
) -> Option<Outlook> {
    let (finalists, records) = state;
    let own = || (0..).zip(finalists.iter().zip(records)).filter(|(_, (finalist, _))| finalist.index == line.index);
    if own().any(|(_, (_, record))| is_certified(record)) {
        return None;
    }
    let known = with_fresh_games(line, finalists, records);
    let model = Model::new(plan, &known, learned)?;
    let value = |belief: &Belief| plan.log_chance(belief);
    let open = own().filter(|(_, (_, record))| record.verdict.is_none());
    let chance = |finalist: &Finalist| value(&model.belief(&finalist.variant));
    let active = open.map(|(place, (finalist, _))| (place, chance(finalist))).max_by(|a, b| a.1.total_cmp(&b.1));
    let play_on = |(place, promise)| Outlook { line: number, promise, next: Next::PlayOn(place) };
    if let Some(active) = active.filter(|(_, chance)| *chance >= LIKELY.ln()) {
        return Some(play_on(active));
    }
    let ranked = model.ranked(value);
    let &(promise, best, _) = ranked.first()?;
    if let Some(active) = active.filter(|(_, chance)| *chance >= DOUBTFUL.ln().max(promise - MORE_LIKELY.ln())) {
        return Some(play_on(active));
    }
    let has_entered = |variant: &Variant| own().any(|(_, (finalist, _))| finalist.variant == *variant);
    let likely = ranked.iter().take_while(|(chance, ..)| *chance >= LIKELY.ln());
    let likely = likely.map(|(_, variant, _)| *variant).filter(|variant| !has_entered(variant)).take(TRIED).collect();
    let in_vain: u64 = line.played.iter().map(|part| part.games).sum();
    let promise = promise - in_vain as f64 / plan.games_of(PATIENCE) as f64;
    Some(Outlook { line: number, promise, next: Next::Enter(likely, best) })
}

impl State {
    /// Lets variants enter that promise more than those that are played, and plays fresh games of the most promising ones.
    pub(super) fn certify(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let Stage::Certification { lines, learned, finalists, records, outlooks: Outlooks(known), rounds, .. } =
            &self.stage
        else {
            return Ok(self.clone());
        };
        let outlook = |(number, line)| {
            let made = known.get(&number).cloned();
            made.unwrap_or_else(|| outlook(plan, number, line, learned, (finalists, records)))
        };
        let all: Vec<_> = evaluator.install(|| lines.par_iter().enumerate().map(outlook).collect());
        let mut outlooks: Vec<Outlook> = all.iter().flatten().cloned().collect();
        outlooks.sort_by(|a, b| b.promise.total_cmp(&a.promise).then(a.line.cmp(&b.line)));
        outlooks.truncate(plan.racing(records));

        let before = records;
        let (mut lines, mut finalists, mut records) = (lines.clone(), finalists.clone(), records.clone());
        let is_alive = |record: &Record| !matches!(record.verdict, Some((Verdict::Dropped, _)));
        let alive = finalists.iter().zip(&records).filter(|(_, record)| is_alive(record));
        let mut taken: Vec<(u64, Map)> = alive.map(|(finalist, _)| (finalist.index, finalist.map(plan))).collect();
        let (mut racing, mut searched) = (Vec::new(), Vec::new());
        for Outlook { line, next, .. } in outlooks {
            let (likely, best) = match next {
                Next::PlayOn(place) => {
                    racing.push(place);
                    continue;
                }
                // Nothing can enter any more.
                Next::Enter(..) if finalists.len() >= plan.room() => continue,
                Next::Enter(likely, best) => (likely, best),
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
                searched.push((line, vec![best]));
            }
        }
        racing.sort_unstable();
        searched.sort_unstable_by_key(|(line, _)| *line);

        let is_over = racing.is_empty() && searched.is_empty();
        let mut changed: HashSet<u64> = searched.iter().map(|(line, _)| lines[*line].index).collect();
        let mut games = self.games + search_lines(plan, &mut lines, searched, plan.games_of(ROUND), evaluator, watch)?;
        if !racing.is_empty() {
            let played = |records: &[Record]| records.iter().map(|record| record.games).sum::<u64>();
            games -= played(&records);
            let mut certification = Certification::resume(certification_plan(plan, &finalists), records)?;
            for _ in 0..plan.looks() {
                certification.advance_some(&racing, evaluator, watch)?;
            }
            records = certification.records().to_vec();
            games += played(&records);
        }
        let numbered = finalists.iter().zip(&records).enumerate();
        changed.extend(
            numbered.filter(|(place, (_, record))| before.get(*place) != Some(record)).map(|(_, one)| one.0.index),
        );
        let unchanged = all.into_iter().enumerate().filter(|(line, _)| !changed.contains(&lines[*line].index));
        let (mut learned, mut outlooks, rounds) = (*learned, Outlooks(unchanged.collect()), rounds + 1);
        if rounds.is_multiple_of(LEARNED_AGAIN) {
            let known: Vec<_> = lines.iter().map(|line| with_fresh_games(line, &finalists, &records)).collect();
            learned = evaluator.install(|| learned.learn(plan, &known));
            outlooks = Outlooks::default();
        }
        let stage = Stage::Certification { lines, learned, finalists, records, rounds, is_over, outlooks };
        Ok(Self { games, stage, screened: self.screened.clone() })
    }

    /// Whether there are enough certificates, or nothing is left to play for.
    pub(super) fn is_finished(&self, plan: &Plan) -> bool {
        let Stage::Certification { records, is_over, .. } = &self.stage else { return false };
        let each = plan.looks() * certify::LOOK;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::habits::Habits;
    use crate::games::catan::TURN_CAP;

    fn plan() -> Plan {
        let players = ["heuristic"; 4].map(String::from);
        Plan { players, turn_cap: TURN_CAP, maps: 240, games: 0, count: 1, sigma_points: 0.28, level: 0.05, seed: 1 }
    }

    /// A line whose own map has played so many games, of which the first seat won so many more than the second.
    fn line(games: u64, more: u64) -> Descent {
        let variant = Family::new(plan().random_map(0)).expect("a map of the box").1;
        let wins = [games / 4 + more, games / 4 - more, games / 4, games / 4];
        let played = vec![Played { variant, first: 0, games, wins }];
        Descent { index: 0, is_control: false, habits: <[Habits; 4]>::default(), played }
    }

    fn of(line: &Descent, finalists: &[Finalist], records: &[Record]) -> Option<Outlook> {
        outlook(&plan(), 0, line, &Learned::default(), (finalists, records))
    }

    #[test]
    fn a_variant_enters_when_it_is_likely_good_and_plays_on_while_it_is() {
        let balanced = line(400_000, 0);
        let own = balanced.played[0].variant;
        let Some(Outlook { next: Next::Enter(likely, best), promise, .. }) = of(&balanced, &[], &[]) else {
            panic!("nothing has entered")
        };
        assert_eq!((likely.first(), best), (Some(&own), own));
        // Fewer games and a tilt of a point: search on.
        let doubtful = of(&line(4000, 40), &[], &[]).expect("an outlook");
        assert!(matches!(&doubtful.next, Next::Enter(likely, _) if likely.is_empty()), "{doubtful:?}");
        assert!(doubtful.promise < promise);

        let entered = [Finalist { index: 0, is_control: false, variant: own }];
        let record = |wins: [u64; 4], verdict| Record { games: 100_000, wins, verdict };
        let even = [25_000; 4];
        let good = of(&balanced, &entered, &[record(even, None)]).expect("an outlook");
        assert_eq!(good.next, Next::PlayOn(0));
        let tilted = record([29_000, 21_000, 25_000, 25_000], None);
        let bad = of(&balanced, &entered, &[tilted]).expect("an outlook");
        assert!(matches!(&bad.next, Next::Enter(likely, _) if !likely.contains(&own)), "{bad:?}");
        let certified = record(even, Some((Verdict::Certified, 1)));
        assert_eq!(of(&balanced, &entered, &[certified]), None);
    }

    #[test]
    fn a_line_that_was_searched_in_vain_promises_less() {
        let promise = |line: &Descent| of(line, &[], &[]).expect("an outlook").promise;
        let short = line(4000, 40);
        let mut long = short.clone();
        // Games elsewhere that say nothing about the best.
        let mut variant = short.played[0].variant;
        variant.pairs = variant.pairs.map(|pair| (pair + 1) % 3);
        long.played.push(Played { variant, first: 1 << 30, games: 4_000_000, wins: [4_000_000, 0, 0, 0] });
        assert!(promise(&long) < promise(&short) - 10.0);
    }
}
