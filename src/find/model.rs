//! What the games of some variants say about all variants of a family.
//!
//! The contrasts between seats are taken as a sum: a constant, a part for each kind of port in each place, a part for each
//! pairing of numbers in each class, and a small remainder, all of them normal beforehand. A port moves the chances of the seats
//! that come to own it, and the more the more often they do: so its part lies in their direction.
//!
//! All variants of a family are played with the same random numbers. So two of them play the same game until somebody uses a
//! port in which they differ: their luck is [alike](Kernel::likeness), and the difference between them shows in far fewer games
//! than either of them. Everything is normal, so what to expect of any variant comes from one linear system over what was
//! played. Everything is in percentage points.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, Vector3};
use rayon::prelude::*;

use super::rms;
use super::steps::{Descent, OWNED, Played};
use super::variants::{CLASSES, Variant};
use crate::games::catan::tables::{PORTS, SEATS};
use crate::stats::seats::{CONTRASTS, contrasts};

type Contrasts = Vector3<f64>;

/// Standard deviations beforehand: of the constant, of a port's part in the direction of a seat that always owns it, of the
/// same in any direction, of a pairing's part, and of the remainder. Those of the parts are as measured for builders, and are
/// scaled to what is seen.
const CONSTANT: f64 = 12.0;
const PORT: f64 = 3.0;
const ANY_PORT: f64 = 0.05;
const PAIRING: f64 = 0.8;
const REMAINDER: f64 = 0.2;

/// How unlike the luck of two variants is if a port differs that somebody always owns, if one differs that nobody owns, and
/// if a pairing differs; 1 is as unlike as two games. As measured for builders; the first is scaled to what is seen.
const OWNED_PORT: f64 = 0.45;
const IDLE_PORT: f64 = 0.01;
const OTHER_PAIRS: f64 = 0.8;

/// By how much all that is smaller or larger: the deviations of the parts, that of the remainder, and what a port does to luck.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Scale {
    parts: f64,
    remainder: f64,
    luck: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { parts: 1.0, remainder: 1.0, luck: 1.0 }
    }
}

/// The scales that are tried.
const SCALES: [f64; 9] = [0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0];

/// Families by which the scale is chosen: more would only take time.
const FAMILIES: usize = 16;

/// Variants from which changes are tried, and how many changes in a row.
const LEADERS: usize = 3;
const CHANGES: usize = 2;

/// How alike the luck of two variants may be that are played together: more, and one says nothing that the other does not.
const MOST_ALIKE: f64 = 0.93;

/// How the contrasts move if a seat wins more and all others alike less.
fn direction(seat: usize) -> Contrasts {
    Contrasts::from(contrasts(&std::array::from_fn(|other| u64::from(other == seat)), 1))
}

/// What is known of a variant, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Belief {
    /// The contrasts to expect.
    pub contrasts: [f64; CONTRASTS],
    /// How uncertain each of them is.
    pub variance: f64,
}

impl Belief {
    /// The spread of the contrasts to expect.
    pub fn spread(&self) -> f64 {
        rms(&self.contrasts)
    }
}

/// How variants of a family go together beforehand.
struct Kernel {
    scale: Scale,
    /// How the part of each port varies.
    ports: [Matrix3<f64>; PORTS],
    /// How alike luck stays if a port differs.
    alike: [f64; PORTS],
}

impl Kernel {
    fn new(line: &Descent, scale: Scale) -> Self {
        let share = |owned: u16| f64::from(owned) / OWNED as f64;
        let square = scale.parts * scale.parts;
        let ports = line.owners.map(|owners| {
            let any = Matrix3::identity() * (ANY_PORT * ANY_PORT);
            let parts = (0..SEATS).map(|seat| direction(seat) * (PORT * share(owners[seat])));
            parts.fold(any, |sum, part| sum + part * part.transpose()) * square
        });
        let alike = line.owners.map(|owners| {
            let owned: f64 = owners.into_iter().map(share).sum();
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

    /// How the contrasts of two variants vary together.
    fn covariance(&self, one: &Variant, other: &Variant) -> Matrix3<f64> {
        let same = (0..PORTS).filter(|&place| one.ports[place] == other.ports[place]);
        let parts = same.fold(Matrix3::zeros(), |sum, place| sum + self.ports[place]);
        let pairs = one.pairs.iter().zip(other.pairs).filter(|&(&a, b)| a == b).count();
        let pairing = (self.scale.parts * PAIRING).powi(2);
        let remainder = (self.scale.remainder * REMAINDER).powi(2);
        let alike = CONSTANT * CONSTANT + pairing * pairs as f64 + remainder * self.likeness(one, other);
        parts + Matrix3::identity() * alike
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

/// What is known of a family.
pub(super) struct Model<'a> {
    played: &'a [Played],
    kernel: Kernel,
    system: Cholesky<f64, Dyn>,
    seen: DVector<f64>,
    /// What the system makes of what was seen.
    pull: DVector<f64>,
}

impl<'a> Model<'a> {
    /// `None` if nothing was played.
    pub fn new(line: &'a Descent, scale: Scale) -> Option<Self> {
        let played = &*line.played;
        if played.is_empty() || played.iter().any(|part| part.decided() == 0) {
            return None;
        }
        let kernel = Kernel::new(line, scale);
        let seen = played.iter().flat_map(|part| contrasts(&part.wins, part.decided()).map(|share| 100.0 * share));
        let n = played.len();
        let seen = DVector::from_iterator(CONTRASTS * n, seen);
        let mut matrix = DMatrix::zeros(CONTRASTS * n, CONTRASTS * n);
        for (row, one) in played.iter().enumerate() {
            for (column, other) in played[..=row].iter().enumerate() {
                let luck = Matrix3::identity() * kernel.luck(one, other);
                let block = kernel.covariance(&one.variant, &other.variant) + luck;
                // Only the lower triangle is looked at.
                matrix.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * row, CONTRASTS * column).copy_from(&block);
            }
        }
        let system = matrix.cholesky()?;
        let pull = system.solve(&seen);
        Some(Self { played, kernel, system, seen, pull })
    }

    /// The logarithm of the probability of what was seen, but for a constant.
    fn log_likelihood(&self) -> f64 {
        let log_determinant: f64 = self.system.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum();
        -0.5 * self.seen.dot(&self.pull) - log_determinant
    }

    /// What is known of a variant.
    pub fn belief(&self, variant: &Variant) -> Belief {
        let mut known = DMatrix::zeros(CONTRASTS * self.played.len(), CONTRASTS);
        for (index, part) in self.played.iter().enumerate() {
            let block = self.kernel.covariance(&part.variant, variant);
            known.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * index, 0).copy_from(&block);
        }
        let mean = known.tr_mul(&self.pull);
        // The lower triangle is that of a Cholesky decomposition, which has no zero in its diagonal.
        self.system.l_dirty().solve_lower_triangular_mut(&mut known);
        let before = self.kernel.covariance(variant, variant).trace();
        // Rounding must not make it nothing.
        let variance = ((before - known.norm_squared()) / CONTRASTS as f64).max(1e-9);
        Belief { contrasts: std::array::from_fn(|contrast| mean[contrast]), variance }
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
        let known = self.known();
        let mut seen: Vec<_> = known.iter().map(|(variant, _)| *variant).collect();
        let mut all: Vec<_> = known.into_iter().map(judge).collect();
        sort(&mut all);
        let mut from: Vec<_> = all.iter().take(LEADERS).map(|one| one.1).collect();
        for _ in 0..CHANGES {
            let mut near: Vec<_> = from.iter().flat_map(|variant| variant.neighbours()).collect();
            near.sort_unstable();
            near.dedup();
            near.retain(|variant| seen.binary_search(variant).is_err());
            let mut near: Vec<_> = near.into_iter().map(|variant| judge((variant, self.belief(&variant)))).collect();
            sort(&mut near);
            from = near.iter().take(LEADERS).map(|one| one.1).collect();
            seen.extend(near.iter().map(|one| one.1));
            seen.sort_unstable();
            all.extend(near);
        }
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

/// The scale near a first one by which what was seen of some families is most likely.
pub(super) fn likeliest_scale(lines: &[Descent], first: Scale) -> Scale {
    let lines = &lines[..lines.len().min(FAMILIES)];
    let likelihood = |scale: Scale| -> f64 {
        let each = lines.par_iter().map(|line| Model::new(line, scale).map_or(0.0, |model| model.log_likelihood()));
        each.collect::<Vec<_>>().iter().sum()
    };
    let mut best = (likelihood(first), first);
    for change in [
        (|scale, parts| Scale { parts, ..scale }) as fn(Scale, f64) -> Scale,
        |scale, luck| Scale { luck, ..scale },
        |scale, remainder| Scale { remainder, ..scale },
    ] {
        for factor in SCALES {
            let scale = change(best.1, factor);
            let found = likelihood(scale);
            if found > best.0 {
                best = (found, scale);
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::Family;
    use crate::games::catan::builtin;
    use fairground_kernels::rng::Rng;

    /// A family whose first port decides how often the first seat wins, and that only the first two seats ever own it.
    fn line(parts: impl Iterator<Item = (Variant, u64, u64)>) -> Descent {
        let wins = |variant: &Variant, games: u64| {
            let more = games / 500 * u64::from(variant.ports[0]);
            [games / 4 + more, games / 4 - more, games / 4, games / 4]
        };
        let played = parts
            .map(|(variant, first, games)| Played { variant, first, games, wins: wins(&variant, games) })
            .collect();
        let mut owners = [[0; SEATS]; PORTS];
        owners[0] = [OWNED as u16, OWNED as u16, 0, 0];
        Descent { index: 0, is_control: false, owners, played }
    }

    fn own() -> Variant {
        Family::new(builtin::maps().remove(0)).expect("a map of the box").1
    }

    #[test]
    fn parts_that_were_measured_well_are_found_again() {
        let rng = &mut Rng::for_playout(1, 2, 3);
        let games = 100_000_000;
        let line = line((0..60).map(|part| (own().drawn(rng), games * part, games)));
        let scale = likeliest_scale(std::slice::from_ref(&line), Scale::default());
        assert!(scale.remainder < 1.0, "{scale:?}");
        let model = Model::new(&line, scale).expect("played");
        // The contrast between the first two seats is 0.4 points for each step over the root of 2.
        let expected = |variant: &Variant| 0.4 * f64::from(variant.ports[0]) / 6_f64.sqrt();
        for _ in 0..10 {
            let variant = own().drawn(rng);
            let belief = model.belief(&variant);
            assert!((belief.spread() - expected(&variant)).abs() < 0.05, "{belief:?} is not {}", expected(&variant));
            assert!(belief.variance < 0.01, "{belief:?}");
        }
        let chosen = model.apart(&model.ranked(|belief| -belief.spread()), 5);
        assert!(chosen.len() == 5 && chosen.iter().all(|variant| variant.ports[0] == 0), "{chosen:?}");
        assert!(Model::new(&Descent { played: Vec::new(), ..line.clone() }, scale).is_none());
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
            line.owners[seldom][0] = OWNED as u16 * 3 / 10;
            Model::new(&line, Scale::default()).expect("played").belief(&changed).variance
        };
        let (same, other) = (difference(0), difference(20_000));
        assert!(same < 0.6 * other, "{same} {other}");
    }
}
