//! What the games of some variants say about all variants of a family.
//!
//! The contrasts between seats are taken as a sum: the [trend](super::trend) that all families share, a constant, a part for each
//! kind of port in each place, a part for each pairing of numbers in each class, and a small remainder, all of these normal
//! beforehand. A port moves the chances of the seats that own it, and the more the longer they do: so its part lies in their
//! direction.
//!
//! All variants of a family are played with the same random numbers. So two of them play the same game until somebody uses a
//! port in which they differ: their luck is [alike](Kernel::likeness), and the difference between them shows in far fewer games
//! than either of them. Everything is normal, so what to expect of any variant comes from one linear system over what was
//! played. Everything is in percentage points.

use std::cmp::Reverse;
use std::collections::HashSet;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, SMatrix, SVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Plan;
use super::belief::Belief;
use super::steps::{Descent, Played};
use super::trend::{Contrasts, Forecast, KINDS, Ledger, NUMBERS, THREE, direction};
use super::variants::{CLASSES, PAIRINGS, Variant};
use crate::games::catan::tables::PORTS;
use crate::stats::seats::{CONTRASTS, contrasts};

/// Standard deviations beforehand, in points: of the constant, of a port's part in the direction of a seat that always owns it if
/// it takes two or three, of the same in any direction, of a pairing's part, and of the remainder. Those of the parts are as measured for builders, and are
/// scaled to what is seen.
const CONSTANT: f64 = 12.0;
const PORT: f64 = 2.3;
const PORT_OF_THREE: f64 = 0.4;
const ANY_PORT: f64 = 0.03;
const PAIRING: f64 = 0.45;
const REMAINDER: f64 = 0.22;

/// How unlike the luck of two variants is if a port differs that somebody always owns, if one differs that nobody owns, and
/// if a pairing differs; 1 is as unlike as two games. As measured for builders; the first is scaled to what is seen.
const OWNED_PORT: f64 = 0.9;
const IDLE_PORT: f64 = 0.006;
const OTHER_PAIRS: f64 = 0.84;

/// The standard deviation of what a number of the trend does, before anything was seen.
const TREND: f64 = 100.0;

/// By how much all that is smaller or larger: the deviations of the parts, that of the remainder, and what a port does to luck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Scale {
    parts: f64,
    remainder: f64,
    luck: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { parts: 1.0, remainder: 1.0, luck: 1.0 }
    }
}

/// By what a scale may change when there is more to learn from.
const CHANGE_OF_SCALE: f64 = 1.2;

/// Families by which the scale is chosen, and the most parts of one of them: more would only take time.
const FAMILIES: usize = 48;
const PARTS: usize = 80;

/// What was learned from all families together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    scale: Scale,
    /// Points for each number.
    trend: [f64; NUMBERS],
}

/// Variants from which changes are tried, how many changes in a row, and how many of all these are looked at closely.
const LEADERS: usize = 16;
const CHANGES: usize = 4;
const CLOSELY: usize = 48;

/// How alike the luck of two variants may be that are played together: more, and one says nothing that the other does not.
const MOST_ALIKE: f64 = 0.93;

/// How variants of a family go together beforehand.
struct Kernel {
    scale: Scale,
    /// How the part of each kind of port varies in each place.
    ports: [[Matrix3<f64>; KINDS]; PORTS],
    /// How alike luck stays if a port differs.
    alike: [f64; PORTS],
}

impl Kernel {
    fn new(line: &Descent, scale: Scale) -> Self {
        let square = scale.parts * scale.parts;
        let part = |place: usize, deviation: f64| {
            let any = Matrix3::identity() * (ANY_PORT * ANY_PORT);
            let seats = line.habits.iter().enumerate();
            let parts = seats.map(|(seat, habits)| direction(seat) * (deviation * habits.share(place)));
            parts.fold(any, |sum, part| sum + part * part.transpose()) * square
        };
        let ports = std::array::from_fn(|place| {
            let (two, three) = (part(place, PORT), part(place, PORT_OF_THREE));
            std::array::from_fn(|kind| if kind == THREE { three } else { two })
        });
        let alike = std::array::from_fn(|place| {
            let owned: f64 = line.habits.iter().map(|habits| habits.share(place)).sum();
            1.0 - (IDLE_PORT + scale.luck * OWNED_PORT * owned).min(OTHER_PAIRS)
        });
        Self { scale, ports, alike }
    }

    /// How alike the luck of two variants is in the same game, from 0 to 1.
    fn likeness(&self, one: &Variant, other: &Variant) -> f64 {
        let ports = (0..PORTS).filter(|&place| one.ports[place] != other.ports[place]);
        let pairs = (0..CLASSES).filter(|&class| one.pairs[class] != other.pairs[class]).count();
        ports.map(|place| self.alike[place]).product::<f64>() * (1.0 - OTHER_PAIRS).powi(pairs as i32)
    }

    /// The variance of the part of a pairing.
    fn pairing(&self) -> f64 {
        (self.scale.parts * PAIRING).powi(2)
    }

    /// How the contrasts of two variants vary together.
    fn covariance(&self, one: &Variant, other: &Variant) -> Matrix3<f64> {
        let same = (0..PORTS).filter(|&place| one.ports[place] == other.ports[place]);
        let parts = same.fold(Matrix3::zeros(), |sum, place| sum + self.ports[place][usize::from(one.ports[place])]);
        let pairs = one.pairs.iter().zip(other.pairs).filter(|&(&a, b)| a == b).count();
        let remainder = (self.scale.remainder * REMAINDER).powi(2);
        let alike = CONSTANT * CONSTANT + self.pairing() * pairs as f64 + remainder * self.likeness(one, other);
        parts + Matrix3::identity() * alike
    }

    /// How the difference between two variants varies beforehand.
    fn difference(&self, one: &Variant, other: &Variant) -> Matrix3<f64> {
        self.covariance(one, one) + self.covariance(other, other) - 2.0 * self.covariance(one, other)
    }

    /// How the luck of two parts of what was played varies together, in each contrast.
    fn luck(&self, one: &Played, other: &Played) -> f64 {
        let end = (one.first + one.games).min(other.first + other.games);
        let shared = end.saturating_sub(one.first.max(other.first));
        if shared == 0 {
            return 0.0;
        }
        // Each contrast varies by a quarter of a game's square. Games without a winner say nothing.
        let said = |part: &Played| (part.games as f64 * part.decided() as f64).sqrt();
        2500.0 * shared as f64 / (said(one) * said(other)) * self.likeness(&one.variant, &other.variant)
    }
}

/// How the contrasts that were seen of a family go together beforehand: the lower triangle of their covariances.
fn system(kernel: &Kernel, played: &[Played]) -> Option<Cholesky<f64, Dyn>> {
    let n = played.len();
    let mut matrix = DMatrix::zeros(CONTRASTS * n, CONTRASTS * n);
    for (row, one) in played.iter().enumerate() {
        for (column, other) in played[..=row].iter().enumerate() {
            let luck = Matrix3::identity() * kernel.luck(one, other);
            let block = kernel.covariance(&one.variant, &other.variant) + luck;
            matrix.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * row, CONTRASTS * column).copy_from(&block);
        }
    }
    matrix.cholesky()
}

/// The contrasts of what was played, in points.
fn seen(part: &Played) -> Contrasts {
    Contrasts::from(contrasts(&part.wins, part.decided()).map(|share| 100.0 * share))
}

/// The parts of a family that were played; `None` if there is nothing to see.
fn played(line: &Descent) -> Option<&[Played]> {
    let is_something = !line.played.is_empty() && line.played.iter().all(|part| part.decided() > 0);
    is_something.then_some(&line.played)
}

/// What a family says about the trend: the system of equations for it, and the likelihood without any trend.
struct Evidence {
    log_likelihood: f64,
    matrix: SMatrix<f64, NUMBERS, NUMBERS>,
    right: SVector<f64, NUMBERS>,
}

impl Evidence {
    fn none() -> Self {
        Self { log_likelihood: 0.0, matrix: SMatrix::zeros(), right: SVector::zeros() }
    }

    fn of(plan: &Plan, line: &Descent, scale: Scale) -> Option<Self> {
        let (family, played) = (line.family(plan)?, played(line)?);
        let system = system(&Kernel::new(line, scale), played)?;
        let ledger = Ledger::new(&family, &line.habits);
        // What was seen, and beside it the numbers.
        let mut columns = DMatrix::zeros(CONTRASTS * played.len(), 1 + NUMBERS);
        for (index, part) in played.iter().enumerate() {
            let row = CONTRASTS * index;
            columns.fixed_view_mut::<CONTRASTS, 1>(row, 0).copy_from(&seen(part));
            columns.fixed_view_mut::<CONTRASTS, NUMBERS>(row, 1).copy_from(&ledger.numbers(&part.variant));
        }
        system.l_dirty().solve_lower_triangular_mut(&mut columns);
        let (seen, numbers) = (columns.column(0), columns.columns_range(1..));
        let log_determinant: f64 = system.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum();
        let matrix = numbers.tr_mul(&numbers).fixed_view::<NUMBERS, NUMBERS>(0, 0).into_owned();
        let right = numbers.tr_mul(&seen).fixed_rows::<NUMBERS>(0).into_owned();
        Some(Self { log_likelihood: -0.5 * seen.norm_squared() - log_determinant, matrix, right })
    }

    /// Of all families together, added up in their order.
    fn of_all(plan: &Plan, lines: &[&Descent], scale: Scale) -> Self {
        let each: Vec<_> = lines.par_iter().map(|line| Self::of(plan, line, scale)).collect();
        each.into_iter().flatten().fold(Self::none(), |sum, one| Self {
            log_likelihood: sum.log_likelihood + one.log_likelihood,
            matrix: sum.matrix + one.matrix,
            right: sum.right + one.right,
        })
    }

    /// The trend to expect, and the logarithm of the probability of what was seen, but for a constant.
    fn trend(&self) -> ([f64; NUMBERS], f64) {
        let before = SMatrix::<f64, NUMBERS, NUMBERS>::identity() / (TREND * TREND);
        let Some(system) = (self.matrix + before).cholesky() else { return ([0.0; NUMBERS], f64::NEG_INFINITY) };
        let trend = system.solve(&self.right);
        let log_determinant: f64 = system.l_dirty().diagonal().iter().map(|pivot| (pivot * TREND).ln()).sum();
        (trend.into(), self.log_likelihood + 0.5 * self.right.dot(&trend) - log_determinant)
    }
}

impl Learned {
    /// The scale near this one by which what was seen of some families is most likely, and the trend of all of them.
    pub fn learn(self, plan: &Plan, lines: &[Descent]) -> Self {
        let known = |line: &Descent| line.played.len();
        let mut some: Vec<&Descent> = lines.iter().filter(|line| known(line) <= PARTS).collect();
        some.sort_by_key(|line| (Reverse(known(line)), line.index));
        some.truncate(FAMILIES);
        let likelihood = |scale: Scale| Evidence::of_all(plan, &some, scale).trend().1;
        let mut best = (likelihood(self.scale), self.scale);
        for change in [
            (|scale, factor| Scale { parts: scale.parts * factor, ..scale }) as fn(Scale, f64) -> Scale,
            |scale, factor| Scale { luck: scale.luck * factor, ..scale },
            |scale, factor| Scale { remainder: scale.remainder * factor, ..scale },
        ] {
            let before = best.1;
            for factor in [1.0 / CHANGE_OF_SCALE, CHANGE_OF_SCALE] {
                let scale = change(before, factor);
                let found = likelihood(scale);
                if found > best.0 {
                    best = (found, scale);
                }
            }
        }
        let all: Vec<_> = lines.iter().filter(|line| known(line) <= PARTS).collect();
        Self { scale: best.1, trend: Evidence::of_all(plan, &all, best.1).trend().0 }
    }
}

/// What is known of a family.
pub(super) struct Model<'a> {
    played: &'a [Played],
    kernel: Kernel,
    forecast: Forecast,
    system: Cholesky<f64, Dyn>,
    /// What the system makes of what was seen beyond the trend.
    pull: DVector<f64>,
}

impl<'a> Model<'a> {
    /// `None` if nothing was played.
    pub fn new(plan: &Plan, line: &'a Descent, learned: &Learned) -> Option<Self> {
        let (family, played) = (line.family(plan)?, played(line)?);
        let kernel = Kernel::new(line, learned.scale);
        let forecast = Ledger::new(&family, &line.habits).forecast(&learned.trend);
        let system = system(&kernel, played)?;
        let beyond = |part: &Played| seen(part) - forecast.expected(&part.variant);
        let beyond: Vec<f64> = played.iter().flat_map(|part| <[f64; CONTRASTS]>::from(beyond(part))).collect();
        let pull = system.solve(&DVector::from(beyond));
        Some(Self { played, kernel, forecast, system, pull })
    }

    /// What is known of a variant.
    pub fn belief(&self, variant: &Variant) -> Belief {
        let mut known = DMatrix::zeros(CONTRASTS * self.played.len(), CONTRASTS);
        for (index, part) in self.played.iter().enumerate() {
            let block = self.kernel.covariance(&part.variant, variant);
            known.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * index, 0).copy_from(&block);
        }
        let beyond = known.tr_mul(&self.pull);
        let mean = self.forecast.expected(variant) + beyond.fixed_rows::<CONTRASTS>(0);
        // The lower triangle is that of a Cholesky decomposition, which has no zero in its diagonal.
        self.system.l_dirty().solve_lower_triangular_mut(&mut known);
        let left =
            self.kernel.covariance(variant, variant) - known.tr_mul(&known).fixed_view::<CONTRASTS, CONTRASTS>(0, 0);
        // Rounding must not make it nothing.
        Belief { contrasts: mean, covariance: left + Matrix3::identity() * 1e-9 }
    }

    /// The variants that were played, in their order, and what is known of them.
    pub fn known(&self) -> Vec<(Variant, Belief)> {
        let mut known: Vec<_> = self.played.iter().map(|part| part.variant).collect();
        known.sort_unstable();
        known.dedup();
        known.into_iter().map(|variant| (variant, self.belief(&variant))).collect()
    }

    /// The played variants and those that a few changes lead to from the best of them, with what is known of them, the
    /// largest value first.
    pub fn ranked(&self, value: impl Fn(&Belief) -> f64) -> Vec<(f64, Variant, Belief)> {
        let judge = |(variant, belief): (Variant, Belief)| (value(&belief), variant, belief);
        let sort = |all: &mut Vec<(f64, Variant, Belief)>| {
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        };
        let mut known: Vec<_> = self.known().into_iter().map(judge).collect();
        sort(&mut known);
        let sketch = Sketch::of(self);
        // Each with the played variant from which it comes.
        let mut from: Vec<_> = known.iter().take(LEADERS).map(|one| (one.1, (one.1, one.2))).collect();
        let mut seen: HashSet<_> = known.iter().map(|one| one.1).collect();
        let mut near = Vec::new();
        for _ in 0..CHANGES {
            let mut next = Vec::new();
            for (variant, root) in &from {
                let new = variant.neighbours().filter(|variant| seen.insert(*variant));
                next.extend(new.map(|variant| (value(&sketch.belief(&variant, root)), variant, *root)));
            }
            next.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            from = next.iter().take(LEADERS).map(|one| (one.1, one.2)).collect();
            next.truncate(CLOSELY);
            near.extend(next);
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let closely = near.into_iter().take(CLOSELY).map(|one| judge((one.1, self.belief(&one.1))));
        let mut all: Vec<_> = known.into_iter().chain(closely).collect();
        sort(&mut all);
        all
    }

    /// At most so many of the first of these that are worth playing together.
    pub fn apart(&self, ranked: &[(f64, Variant, Belief)], count: usize) -> Vec<Variant> {
        let mut chosen: Vec<Variant> = Vec::new();
        for (_, variant, _) in ranked {
            let is_new = |other: &Variant| self.kernel.likeness(other, variant) <= MOST_ALIKE;
            if chosen.len() < count && chosen.iter().all(is_new) {
                chosen.push(*variant);
            }
        }
        chosen
    }
}

/// A quick guess at any variant, to see which are worth a closer look: the parts are added up from tables, and what is not known
/// is taken to be all in which a variant differs from one that was played.
struct Sketch<'a> {
    model: &'a Model<'a>,
    constant: Contrasts,
    ports: [[Contrasts; KINDS]; PORTS],
    pairs: [[Contrasts; PAIRINGS]; CLASSES],
}

impl<'a> Sketch<'a> {
    fn of(model: &'a Model<'a>) -> Self {
        let Model { kernel, played, pull, .. } = model;
        let pulls = || {
            played
                .iter()
                .zip(pull.as_slice().chunks(CONTRASTS))
                .map(|(part, pull)| (part, Contrasts::from_row_slice(pull)))
        };
        let sum = |is_of: &dyn Fn(&Variant) -> bool| -> Contrasts {
            pulls().filter(|(part, _)| is_of(&part.variant)).map(|(_, pull)| pull).sum()
        };
        let port = |place: usize, kind: usize| {
            kernel.ports[place][kind] * sum(&|variant| usize::from(variant.ports[place]) == kind)
        };
        let pair = |class: usize, pairing: usize| {
            sum(&|variant| usize::from(variant.pairs[class]) == pairing) * kernel.pairing()
        };
        Self {
            model,
            constant: sum(&|_| true) * (CONSTANT * CONSTANT),
            ports: std::array::from_fn(|place| std::array::from_fn(|kind| port(place, kind))),
            pairs: std::array::from_fn(|class| std::array::from_fn(|pairing| pair(class, pairing))),
        }
    }

    fn belief(&self, variant: &Variant, (root, known): &(Variant, Belief)) -> Belief {
        let mut mean = self.constant + self.model.forecast.expected(variant);
        for (kinds, &kind) in self.ports.iter().zip(&variant.ports) {
            mean += kinds[usize::from(kind)];
        }
        for (pairings, &pairing) in self.pairs.iter().zip(&variant.pairs) {
            mean += pairings[usize::from(pairing)];
        }
        Belief { contrasts: mean, covariance: known.covariance + self.model.kernel.difference(root, variant) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::Family;
    use crate::find::habits::{Habits, Owned};
    use crate::games::catan::TURN_CAP;
    use crate::games::catan::tables::RESOURCES;
    use fairground_kernels::rng::Rng;

    fn plan() -> Plan {
        let players = ["heuristic"; 4].map(String::from);
        Plan { players, turn_cap: TURN_CAP, maps: 240, games: 0, count: 1, sigma_points: 0.28, level: 0.05, seed: 1 }
    }

    /// A family whose first port decides how often the first seat wins, and that only the first two seats ever own it.
    fn line(parts: impl Iterator<Item = (Variant, u64, u64)>) -> Descent {
        let wins = |variant: &Variant, games: u64| {
            let more = games / 500 * u64::from(variant.ports[0]);
            [games / 4 + more, games / 4 - more, games / 4, games / 4]
        };
        let played = parts
            .map(|(variant, first, games)| Played { variant, first, games, wins: wins(&variant, games) })
            .collect();
        let owns = |turns| Habits {
            turns: 100,
            owned: vec![Owned { places: 1, turns, given: [0; RESOURCES] }],
            ..Habits::default()
        };
        Descent { index: 0, is_control: false, habits: [100, 100, 0, 0].map(owns), played }
    }

    fn own() -> Variant {
        Family::new(plan().random_map(0)).expect("a map of the box").1
    }

    #[test]
    fn parts_that_were_measured_well_are_found_again() {
        let rng = &mut Rng::for_playout(1, 2, 3);
        let games = 100_000_000;
        let line = line((0..60).map(|part| (own().drawn(rng), games * part, games)));
        // Each time a scale moves a little.
        let learned =
            (0..10).fold(Learned::default(), |learned, _| learned.learn(&plan(), std::slice::from_ref(&line)));
        assert!(learned.scale.remainder < 0.5, "{learned:?}");
        let plan = plan();
        let model = Model::new(&plan, &line, &learned).expect("played");
        // The contrast between the first two seats is 0.4 points for each step over the root of 2.
        let expected = |variant: &Variant| 0.4 * f64::from(variant.ports[0]) / 6_f64.sqrt();
        for _ in 0..10 {
            let variant = own().drawn(rng);
            let belief = model.belief(&variant);
            assert!((belief.spread() - expected(&variant)).abs() < 0.05, "{belief:?} is not {}", expected(&variant));
            assert!(belief.variance() < 0.01, "{belief:?}");
        }
        let chosen = model.apart(&model.ranked(|belief| -belief.spread()), 5);
        assert!(chosen.len() == 5 && chosen.iter().all(|variant| variant.ports[0] == 0), "{chosen:?}");
        assert!(Model::new(&plan, &Descent { played: Vec::new(), ..line.clone() }, &learned).is_none());
    }

    #[test]
    fn the_same_luck_tells_variants_apart_sooner_than_other_luck_does() {
        let (seldom, never) = (1, (2..PORTS).find(|&place| own().ports[place] != own().ports[1]).expect("other kinds"));
        let mut changed = own();
        changed.ports.swap(seldom, never);
        let difference = |second: u64| {
            let played = [(own(), 0, 10_000), (changed, second, 10_000), (own(), 50_000, 1_000_000)];
            let mut line = line(played.into_iter());
            // The first seat owns one of the two in three games of ten.
            line.habits[0].owned.push(Owned { places: 1 << seldom, turns: 30, given: [0; RESOURCES] });
            Model::new(&plan(), &line, &Learned::default()).expect("played").belief(&changed).variance()
        };
        let (same, other) = (difference(0), difference(20_000));
        assert!(same < 0.7 * other, "{same} {other}");
    }

    #[test]
    fn a_trend_is_learned_from_some_families_and_holds_in_others() {
        let rng = &mut Rng::for_playout(4, 5, 6);
        let plan = plan();
        // In each turn with a port that takes two of wood the owner is better off by 0.3 points for each card of wood.
        let mut line = |index: u64| {
            let owns = |seat: usize| Habits {
                turns: 100,
                owned: vec![Owned { places: 1 << seat, turns: 100, given: [100 * (1 + index as u32 % 5), 0, 0, 0, 0] }],
                ..Habits::default()
            };
            let own = Family::new(plan.random_map(index)).expect("a map of the box").1;
            let part = |part: u64| {
                let (variant, games) = (own.drawn(rng), 400_000_000);
                let mut wins = [games / 4; 4];
                if let Some(seat) = (0..4).find(|&seat| variant.ports[seat] == 0) {
                    let more = games / 1000 * 3 * (1 + index % 5);
                    wins = wins.map(|wins| wins - more / 3);
                    wins[seat] += more + more / 3;
                }
                Played { variant, first: games * part, games, wins }
            };
            let played = (0..12).map(part).collect();
            Descent { index, is_control: false, habits: std::array::from_fn(owns), played }
        };
        let lines: Vec<_> = (0..20).map(&mut line).collect();
        let learned = Learned::default().learn(&plan, &lines);
        // A third of what a seat gains is lost by each of the others, which is the same direction.
        assert!((learned.trend[2] - 0.4).abs() < 0.02, "{learned:?}");
        // Another family, of which only one variant was played.
        let mut other = line(24);
        other.played.truncate(1);
        let model = Model::new(&plan, &other, &learned).expect("played");
        let mut variant = other.played[0].variant;
        let wood = variant.ports.iter().position(|&kind| kind == 0).expect("a port for wood");
        for (seat, rises) in [(0, true), (5, false)] {
            variant.ports.swap(wood, seat);
            let spread = model.belief(&variant).spread();
            let expected = if rises { 0.3 * 5.0 * (4.0 / 3.0) / 2.0 } else { 0.0 };
            assert!((spread - expected).abs() < 0.1, "{spread} is not {expected}");
            variant.ports.swap(wood, seat);
        }
    }
}
