//! The last rounds of a search: the most promising lines are searched further until a variant is good enough to be certified.
//!
//! A variant that is likely to be good enters, and plays fresh games. They are evidence for it, and they also tell its line
//! more about all others. So when another variant is likely to be certified sooner, that one enters, or the search goes on: the
//! variant that may turn out best plays games that are no evidence for anything. In every round only the most promising lines play.
//!
//! There is room for so many entries from the beginning, whether they are used or not, so that e-BH holds whatever makes a
//! variant enter: its games begin after that. With e-BH more certificates ask for less evidence each. So a map rests as soon as its
//! evidence is enough for [nearly](ENOUGH) as many as are wanted, and waits for the others. If the games are over before there are so many,
//! those that wait play on, until their evidence is enough for as many as they are.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::belief::Belief;
use super::model::{Learned, Model};
use super::steps::{Descent, Played, Stage, State, search_lines};
use super::{FEWEST_RACING, Family, FindError, LEAST_DIFFERENCE, Plan, RACING, Variant, difference, of_hundred};
use crate::batch::{Evaluator, Watch};
use crate::certify::{self, Certification, Record, Verdict};
use crate::games::catan::Map;
use crate::stats::seats::evidence::{Correction, least_games};

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

/// Games of a variant in a round, fresh ones or in the search, for the usual bound: after more of them one might have wished to play
/// another variant, and fewer would hardly change what is expected.
const ROUND: u64 = 12_000;

/// The fewest in the search.
const FEWEST: u64 = 3000;

/// A variant enters if its evidence is expected to grow at this speed; 1 is that of perfect balance.
const LIKELY: f64 = 0.15;

/// As long as no variant is likely to be good, one plays that may be faster than this after so many games, for the usual bound. A
/// variant that is known to be a little off is expected to be as fast as one that may be anything, but only the other may still
/// turn out to be balanced.
const WORTHWHILE: f64 = 0.25;
const FORESEEN: u64 = 48_000;

/// One that has entered plays on unless another is likely to be certified so many times as soon.
const SOONER: f64 = 1.5;

/// After so many rounds, and whenever there were twice as many, there is more to learn from.
const LEARNED_AGAIN: u32 = 8;

/// Games of a line, for the usual bound, by which it loses a factor e of its promise: those that are played in vain for long hardly
/// ever succeed.
const PATIENCE: u64 = 400_000;

/// A map rests when its evidence is enough if so many of a hundred wanted maps are certified. Evidence for all would take a few
/// games less of each map, but nothing is certified by it until the last of them has it: if the games are over before, those that
/// wait have to play on, and many of them fail.
const ENOUGH: usize = 85;

/// Variants that are tried in this order, until one differs enough from the maps of other lines.
const TRIED: usize = 8;

/// The luck of fresh games is their own: they are numbered far from all others.
const FRESH: u32 = 41;

/// When the search is closed, maps play on whose evidence lacks at most so much of what is enough for as many as are wanted; so many
/// tenths of them shall be certified, and evidence is taken to grow so many times as slowly as with perfect balance.
const NEARLY: f64 = 1.0;
const TENTHS: usize = 9;
const SLOWLY: f64 = 3.0;

/// What to do with a line.
#[derive(Clone, Debug, PartialEq)]
struct Outlook {
    line: usize,
    /// The logarithm of the speed to expect of its best variant, greater if a part of the way is behind it, less what was played
    /// in vain.
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
    /// One of these enters, the best first; or else the last plays so many games in the search.
    Enter(Vec<Variant>, Variant, u64),
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

/// What to do with a line that has not enough evidence yet; nothing if nothing is known of it.
fn outlook(
    plan: &Plan,
    number: usize,
    line: &Descent,
    learned: &Learned,
    state: (&[Finalist], &[Record]),
) -> Option<Outlook> {
    let (finalists, records) = state;
    let own = || (0..).zip(finalists.iter().zip(records)).filter(|(_, (finalist, _))| finalist.index == line.index);
    if own().any(|(_, (_, record))| plan.is_enough(record)) {
        return None;
    }
    let is_full = finalists.len() >= plan.room();
    if is_full && own().all(|(_, (_, record))| record.verdict.is_some()) {
        return None;
    }
    let known = with_fresh_games(line, finalists, records);
    let model = Model::new(plan, &known, learned)?;
    let ranked = model.ranked(|belief| plan.log_speed(belief));
    let in_vain: u64 = known.played.iter().map(|part| part.games).sum();
    let in_vain = in_vain as f64 / plan.games_of(PATIENCE) as f64;
    let has_entered = |variant: &Variant| own().any(|(_, (finalist, _))| finalist.variant == *variant);
    let new = || ranked.iter().filter(|(_, variant, _)| !has_entered(variant));

    let open = own().filter(|(_, (_, record))| record.verdict.is_none());
    let promise = |finalist: &Finalist, record: &Record| {
        let left = 1.0 - plan.log_e_value(record) / plan.log_enough();
        plan.log_speed(&model.belief(&finalist.variant)) - left.ln()
    };
    let open = open.map(|(place, (finalist, record))| (place, promise(finalist, record)));
    let active = open.max_by(|a, b| a.1.total_cmp(&b.1));
    let sooner = new().next().map_or(f64::NEG_INFINITY, |(speed, ..)| speed - SOONER.ln());
    // If nothing can enter any more, only those that have entered matter.
    if let Some((place, promise)) = active.filter(|(_, promise)| is_full || *promise >= sooner) {
        return Some(Outlook { line: number, promise: promise - in_vain, next: Next::PlayOn(place) });
    }
    let &(promise, mut best, mut belief) = new().next()?;
    if promise < LIKELY.ln() {
        let foreseen = plan.games_of(FORESEEN) as f64;
        let gain = |belief: &Belief| belief.log_gain(plan.sigma_points, foreseen, WORTHWHILE);
        let gains = new().map(|(_, variant, belief)| (gain(belief), *variant, *belief));
        // If none has any chance, the most promising one comes first.
        (_, best, belief) = gains.reduce(|most, one| if one.0 > most.0 { one } else { most })?;
    }
    // As many as make it half as uncertain, if that is not too many: games of four seats vary by a quarter in each contrast.
    let games = (1250.0 / belief.variance()) as u64;
    let games = games.clamp(plan.games_of(FEWEST), plan.games_of(ROUND));
    let likely = new().take_while(|(speed, ..)| *speed >= LIKELY.ln()).map(|(_, variant, _)| *variant);
    Some(Outlook {
        line: number,
        promise: promise - in_vain,
        next: Next::Enter(likely.take(TRIED).collect(), best, games),
    })
}

impl State {
    /// Some rounds, so many that it is worth to keep what came of them.
    pub(super) fn certify_some(
        &self,
        plan: &Plan,
        evaluator: &Evaluator,
        watch: &dyn Watch,
    ) -> Result<Self, FindError> {
        let kept = |state: &Self| state.games / plan.kept();
        let mut next = self.certify(plan, evaluator, watch)?;
        while kept(&next) == kept(self) && !next.is_over(plan) {
            next = next.certify(plan, evaluator, watch)?;
        }
        Ok(next)
    }

    /// Lets variants enter that promise more than those that are played, and plays fresh games of the most promising ones.
    fn certify(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let Stage::Certification { lines, learned, finalists, records, outlooks: Outlooks(known), rounds, .. } =
            &self.stage
        else {
            return Ok(self.clone());
        };
        let outlook = |(number, line)| {
            // Who had something to enter may have nothing to do any more.
            let made = known.get(&number).filter(|_| finalists.len() < plan.room()).cloned();
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
            let (likely, best, games) = match next {
                Next::PlayOn(place) => {
                    racing.push(place);
                    continue;
                }
                // Others may have taken the last room just now.
                Next::Enter(..) if finalists.len() >= plan.room() => continue,
                Next::Enter(likely, best, games) => (likely, best, games),
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
                searched.push((line, vec![best], games));
            }
        }
        racing.sort_unstable();
        searched.sort_unstable_by_key(|(line, ..)| *line);

        let is_over = racing.is_empty() && searched.is_empty();
        let mut changed: HashSet<u64> = searched.iter().map(|(line, ..)| lines[*line].index).collect();
        let mut games = self.games + search_lines(plan, &mut lines, searched, evaluator, watch)?;
        if !racing.is_empty() {
            let played = |records: &[Record]| records.iter().map(|record| record.games).sum::<u64>();
            games -= played(&records);
            let mut certification = Certification::resume(certification_plan(plan, &finalists), records)?;
            for _ in 0..plan.looks() {
                // Who has enough evidence stops at once: that is what one may do at any time.
                racing.retain(|&place| !plan.is_enough(&certification.records()[place]));
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
        if rounds >= LEARNED_AGAIN && rounds.is_power_of_two() {
            let known: Vec<_> = lines.iter().map(|line| with_fresh_games(line, &finalists, &records)).collect();
            learned = evaluator.install(|| learned.learn(plan, &known));
            outlooks = Outlooks::default();
        }
        let stage = Stage::Certification { lines, learned, finalists, records, rounds, is_over, outlooks };
        Ok(Self { games, stage, screened: self.screened.clone() })
    }

    /// Plays on the maps that are nearly good enough, and nothing else, as far as that leads to certificates.
    pub(super) fn close(&self, plan: &Plan, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Self, FindError> {
        let mut next = self.clone();
        let Stage::Certification { finalists, records, outlooks, .. } = &mut next.stage else { return Ok(next) };
        if finalists.is_empty() {
            return Ok(next);
        }
        let mut certification = Certification::resume(certification_plan(plan, finalists), records.clone())?;
        // If they need far more than they should, they will not succeed.
        let most = plan.games.min(self.games.saturating_add(2 * plan.closing(records).games));
        loop {
            let Closing { open, shall, .. } = plan.closing(certification.records());
            let games = next.games.saturating_add(certify::LOOK * open.len() as u64);
            if open.is_empty() || certified(certification.records()) >= shall || games > most {
                break;
            }
            certification.advance_some(&open, evaluator, watch)?;
            next.games = games;
        }
        (*records, *outlooks) = (certification.records().to_vec(), Outlooks::default());
        Ok(next)
    }

    /// Whether there are enough certificates, or nothing is left to search.
    fn is_over(&self, plan: &Plan) -> bool {
        let Stage::Certification { records, is_over, .. } = &self.stage else { return false };
        *is_over || certified(records) >= plan.count
    }

    /// Whether the search is over, or must be [closed](Self::close) because there are no games for more.
    pub(super) fn is_finished(&self, plan: &Plan) -> bool {
        let Stage::Certification { records, .. } = &self.stage else { return false };
        // What is kept next may be so long, and a round.
        let next = plan.kept().saturating_mul(2).saturating_add(plan.closing(records).games);
        self.is_over(plan) || self.games.saturating_add(next) > plan.games
    }
}

/// What is to be done when a search is closed.
struct Closing {
    /// How many maps shall be certified.
    shall: usize,
    /// The maps that play on: their evidence is nearly enough.
    open: Vec<usize>,
    /// Games that they will likely need.
    games: u64,
}

impl Plan {
    /// Looks in a round.
    fn looks(&self) -> u64 {
        self.games_of(ROUND).div_ceil(certify::LOOK)
    }

    /// Games after which rounds are kept: a round in which everybody plays.
    fn kept(&self) -> u64 {
        (self.looks() * certify::LOOK).saturating_mul(of_hundred(RACING, self.count) as u64)
    }

    fn log_e_value(&self, record: &Record) -> f64 {
        record.log_e_value(self.sigma_points)
    }

    /// The logarithm of the E value with which a map rests.
    fn log_enough(&self) -> f64 {
        self.log_threshold(of_hundred(ENOUGH, self.count))
    }

    /// Whether there is evidence enough to rest.
    fn is_enough(&self, record: &Record) -> bool {
        let is_open = record.verdict.is_none();
        is_certified(record) || is_open && self.log_e_value(record) >= self.log_enough()
    }

    /// The maps with enough evidence that are not certified, because there are too few of them.
    pub(super) fn waiting(&self, records: &[Record]) -> usize {
        records.iter().filter(|record| self.is_enough(record) && !is_certified(record)).count()
    }

    /// What is to be done if the search is closed: each map plays on until its evidence is enough for as many as shall be
    /// certified, and then rests.
    fn closing(&self, records: &[Record]) -> Closing {
        let least = self.log_threshold(self.count) - NEARLY;
        let is_near = |record: &Record| record.verdict.is_none() && self.log_e_value(record) >= least;
        let near: Vec<_> = (0..records.len()).filter(|&place| is_near(&records[place])).collect();
        let shall = ((certified(records) + near.len()) * TENTHS / 10).clamp(1, self.count);
        let enough = self.log_threshold(shall);
        let missing = |place: &usize| enough - self.log_e_value(&records[*place]);
        let open: Vec<_> = near.into_iter().filter(|place| missing(place) > 0.0).collect();
        let of_perfect = least_games(self.sigma_points / 100.0, enough).unwrap_or(u64::MAX) as f64 / enough;
        let needed = open.iter().map(|place| missing(place) * SLOWLY * of_perfect).sum::<f64>() as u64;
        let games = needed.saturating_add(certify::LOOK * open.len() as u64);
        Closing { shall, open, games }
    }

    /// Lines that play in a round at most.
    fn racing(&self, records: &[Record]) -> usize {
        let enough = records.iter().filter(|record| self.is_enough(record)).count();
        of_hundred(RACING, self.count.saturating_sub(enough)).max(of_hundred(FEWEST_RACING, self.count))
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

    fn own() -> Variant {
        Family::new(plan().random_map(0)).expect("a map of the box").1
    }

    /// A line whose own map has played so many games, of which the first seat won so many more than the second.
    fn line(games: u64, more: u64) -> Descent {
        let variant = own();
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
        let Some(Outlook { next: Next::Enter(likely, best, _), promise, .. }) = of(&balanced, &[], &[]) else {
            panic!("nothing has entered")
        };
        assert_eq!((likely.first(), best), (Some(&own), own));
        // Fewer games and a tilt of a point: search on.
        let doubtful = of(&line(4000, 40), &[], &[]).expect("an outlook");
        assert!(matches!(&doubtful.next, Next::Enter(likely, ..) if likely.is_empty()), "{doubtful:?}");
        assert!(doubtful.promise < promise);

        let entered = [Finalist { index: 0, is_control: false, variant: own }];
        let record = |wins: [u64; 4], verdict| Record { games: 40_000, wins, verdict };
        let even = [10_000; 4];
        let good = of(&balanced, &entered, &[record(even, None)]).expect("an outlook");
        assert_eq!(good.next, Next::PlayOn(0));
        let tilted = record([12_000, 8000, 10_000, 10_000], None);
        let bad = of(&balanced, &entered, &[tilted]).expect("an outlook");
        assert!(matches!(&bad.next, Next::Enter(likely, ..) if !likely.contains(&own)), "{bad:?}");
        // If there is no more room, it goes on with what has entered.
        let full: Vec<_> = (0..plan().room() as u64).map(|index| Finalist { index, ..entered[0] }).collect();
        let mut records = vec![record(even, None); full.len()];
        records[0] = tilted;
        assert_eq!(of(&balanced, &full, &records).expect("an outlook").next, Next::PlayOn(0));
        records[0].verdict = Some((Verdict::Dropped, 0));
        assert_eq!(of(&balanced, &full, &records), None);

        let certified = record(even, Some((Verdict::Certified, 1)));
        assert_eq!(of(&balanced, &entered, &[certified]), None);
    }

    #[test]
    fn a_map_waits_for_others_when_its_evidence_is_enough_for_nearly_all() {
        let plan = Plan { count: 10, ..plan() };
        // Perfect balance, and just enough evidence if nearly ten are certified.
        let games = least_games(0.0028, plan.log_enough()).expect("a bound above 0").next_multiple_of(8000);
        let record = Record { games, wins: [games / 4; 4], verdict: None };
        let (line, finalist) = (line(400_000, 0), Finalist { index: 0, is_control: false, variant: own() });
        let of = |record| outlook(&plan, 0, &line, &Learned::default(), (&[finalist], &[record]));
        assert_eq!(of(record), None);
        let short = Record { games: games / 2, wins: [games / 8; 4], verdict: None };
        assert_eq!(of(short).expect("an outlook").next, Next::PlayOn(0));
        // The way that is left is half as long.
        assert!(
            of(short).expect("an outlook").promise
                > of(Record { games: 0, wins: [0; 4], ..short }).expect("an outlook").promise + 0.5
        );

        assert_eq!(plan.waiting(&[short, record, record]), 2);
        let certified = Record { verdict: Some((Verdict::Certified, 1)), ..record };
        let dropped = Record { verdict: Some((Verdict::Dropped, 1)), ..record };
        assert_eq!(plan.waiting(&[certified, dropped]), 0);
        // The fewer there are, the more is missing.
        let needed = [2, 5, 8].map(|count| plan.closing(&vec![record; count]).games / count as u64);
        assert!(needed.is_sorted_by(|a, b| a > b), "{needed:?}");
        let closing = plan.closing(&[[short; 2].as_slice(), &[record; 2]].concat());
        assert_eq!((closing.open, closing.shall), (vec![2, 3], 1));
        assert_eq!(plan.closing(&[record; 10]).shall, 9);
        assert_eq!((plan.racing(&[record; 4]), plan.racing(&[])), (of_hundred(RACING, 6), of_hundred(RACING, 10)));
    }
}
