//! What the games on some variants of a map say about all of them.
//!
//! The three contrasts between seats are taken for a constant, a part for the kind of each port, a part for the pairing of each
//! class of equal pips, and a small remainder of each variant's own, all of them normal beforehand. A port moves the chances of
//! the seats that come to own it, and the more the more often they do: so its part lies in their direction. Then everything is
//! normal afterwards too, and both the mean and random draws of all parts come from one linear system over the variants that
//! were played. Everything is in percentage points.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, Vector3};

use super::variants::{CLASSES, KINDS, PAIRINGS, Variant};
use super::{Descent, OWNED, Owners, Played, rms};
use crate::games::catan::tables::{PORTS, SEATS};
use crate::stats::seats::{CONTRASTS, contrasts};
use fairground_kernels::rng::Rng;

type Contrasts = Vector3<f64>;

/// Standard deviations beforehand: of the constant, of a port's part in the direction of a seat that always owns it, of the
/// same in any direction, of a pairing's part, and of the remainder. Those of the parts are as measured for builders, and are
/// scaled to what is seen.
const CONSTANT: f64 = 12.0;
const PORT: f64 = 3.0;
const ANY_PORT: f64 = 0.1;
const PAIRING: f64 = 0.8;
const REMAINDER: f64 = 0.2;

/// By how much the deviations are smaller or larger than that, those of the parts and that of the remainder.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Scale {
    parts: f64,
    remainder: f64,
}

const PART_SCALES: [f64; 7] = [0.125, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0];
const REMAINDER_SCALES: [f64; 3] = [0.5, 1.0, 2.0];

/// Families by which the scale is chosen: more would only take time.
const FAMILIES: usize = 30;

/// Changes that improve a variant are looked for so many times.
const MAX_STEPS: usize = 40;

/// Variants from which changes are tried, and how many changes in a row.
const LEADERS: usize = 5;
const CHANGES: usize = 2;

/// The parts that the contrasts are a sum of.
#[derive(Clone, Debug)]
struct Parts {
    constant: Contrasts,
    ports: [[Contrasts; KINDS]; PORTS],
    pairs: [[Contrasts; PAIRINGS]; CLASSES],
    /// Of the variants that were played.
    remainders: Vec<Contrasts>,
}

impl Parts {
    fn of(&self, variant: &Variant) -> Contrasts {
        let mut sum = self.constant;
        self.ports.iter().zip(variant.ports).for_each(|(parts, kind)| sum += parts[usize::from(kind)]);
        self.pairs.iter().zip(variant.pairs).for_each(|(parts, pair)| sum += parts[usize::from(pair)]);
        sum
    }
}

/// How the contrasts move if a seat wins more and all others alike less.
fn direction(seat: usize) -> Contrasts {
    Contrasts::from(contrasts(&std::array::from_fn(|other| u64::from(other == seat)), 1))
}

/// How a port's part varies, given how often each seat owns it.
fn port_directions(owners: &[u16; SEATS]) -> [Contrasts; SEATS] {
    std::array::from_fn(|seat| direction(seat) * (PORT * f64::from(owners[seat]) / OWNED as f64))
}

/// A normal random number.
fn normal(rng: &mut Rng) -> f64 {
    let [one, other] = [0, 1].map(|_| (f64::from(rng.next_u32()) + 0.5) / f64::from(u32::MAX).next_up());
    (-2.0 * libm::log(one)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * other)
}

/// What is known of a variant, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// The spread of the contrasts to expect.
    pub spread: f64,
    /// How uncertain each of them is.
    pub variance: f64,
}

/// What is known of a family.
pub(super) struct Model<'a> {
    played: &'a [Played],
    scale: Scale,
    directions: [[Contrasts; SEATS]; PORTS],
    /// How the part of each port varies.
    ports: [Matrix3<f64>; PORTS],
    seen: DVector<f64>,
    noise: Vec<f64>,
    system: Cholesky<f64, Dyn>,
}

impl<'a> Model<'a> {
    /// `None` if nothing was played.
    pub fn new(line: &'a Descent, scale: Scale) -> Option<Self> {
        let played = &*line.played;
        let games = |played: &Played| played.wins.iter().sum::<u64>();
        if played.is_empty() || played.iter().any(|played| games(played) == 0) {
            return None;
        }
        let seen = played.iter().flat_map(|one| contrasts(&one.wins, games(one)).map(|share| 100.0 * share));
        let seen = DVector::from_iterator(CONTRASTS * played.len(), seen);
        // Each contrast varies by a quarter of a game's square.
        let noise: Vec<_> = played.iter().map(|one| 2500.0 / games(one) as f64).collect();
        let owners: &Owners = &line.owners;
        let directions = owners.map(|owners| port_directions(&owners));
        let ports = directions.map(|directions| {
            let any = Matrix3::identity() * (ANY_PORT * ANY_PORT);
            directions.iter().fold(any, |sum, direction| sum + direction * direction.transpose())
        });
        let n = played.len();
        let mut matrix = DMatrix::zeros(CONTRASTS * n, CONTRASTS * n);
        for row in 0..n {
            for column in 0..=row {
                let mut block = covariance(&ports, &played[row].variant, &played[column].variant, scale);
                if row == column {
                    block += Matrix3::identity() * noise[row];
                }
                // Only the lower triangle is looked at.
                matrix.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * row, CONTRASTS * column).copy_from(&block);
            }
        }
        Some(Self { played, scale, directions, ports, seen, noise, system: matrix.cholesky()? })
    }

    /// The logarithm of the probability of what was seen, but for a constant.
    fn log_likelihood(&self) -> f64 {
        let log_determinant: f64 = self.system.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum();
        -0.5 * self.seen.dot(&self.system.solve(&self.seen)) - log_determinant
    }

    /// The parts to expect given what was seen, or with a generator a draw of them.
    fn parts(&self, rng: Option<&mut Rng>) -> Parts {
        let n = self.played.len();
        let nothing = Contrasts::zeros();
        let mut parts = Parts {
            constant: nothing,
            ports: [[nothing; KINDS]; PORTS],
            pairs: [[nothing; PAIRINGS]; CLASSES],
            remainders: vec![nothing; n],
        };
        let (pairing, remainder) = (self.scale.parts * PAIRING, self.scale.remainder * REMAINDER);
        let mut gap = self.seen.clone();
        // A draw beforehand, moved by as much as what is seen moves the mean, is a draw afterwards.
        if let Some(rng) = rng {
            let mut draw = |deviation: f64| Contrasts::from_fn(|_, _| deviation * normal(rng));
            parts.constant = draw(CONSTANT);
            parts.pairs.iter_mut().flatten().for_each(|part| *part = draw(pairing));
            parts.remainders.iter_mut().for_each(|part| *part = draw(remainder));
            for (kinds, directions) in parts.ports.iter_mut().zip(&self.directions) {
                for part in kinds {
                    let along = directions.iter().fold(nothing, |sum, direction| sum + direction * draw(1.0).x);
                    *part = (along + draw(ANY_PORT)) * self.scale.parts;
                }
            }
            for (index, played) in self.played.iter().enumerate() {
                let imagined = parts.of(&played.variant) + parts.remainders[index] + draw(self.noise[index].sqrt());
                let mut place = gap.fixed_rows_mut::<CONTRASTS>(CONTRASTS * index);
                place -= imagined;
            }
        }
        let pull = self.system.solve(&gap);
        let square = self.scale.parts * self.scale.parts;
        for (index, played) in self.played.iter().enumerate() {
            let pull: Contrasts = pull.fixed_rows::<CONTRASTS>(CONTRASTS * index).into();
            parts.constant += pull * (CONSTANT * CONSTANT);
            for (place, kind) in played.variant.ports.iter().enumerate() {
                parts.ports[place][usize::from(*kind)] += self.ports[place] * pull * square;
            }
            for (class, pair) in played.variant.pairs.iter().enumerate() {
                parts.pairs[class][usize::from(*pair)] += pull * (pairing * pairing);
            }
            parts.remainders[index] += pull * (remainder * remainder);
        }
        parts
    }

    /// What is known of a variant whose contrasts are expected to be these.
    fn belief(&self, variant: &Variant, mean: &Contrasts) -> Belief {
        let mut known = DMatrix::zeros(CONTRASTS * self.played.len(), CONTRASTS);
        for (index, played) in self.played.iter().enumerate() {
            let block = covariance(&self.ports, &played.variant, variant, self.scale);
            known.fixed_view_mut::<CONTRASTS, CONTRASTS>(CONTRASTS * index, 0).copy_from(&block);
        }
        let explained = known.dot(&self.system.solve(&known));
        let before = covariance(&self.ports, variant, variant, self.scale).trace();
        // Rounding must not make it nothing.
        Belief { spread: rms(mean.as_slice()), variance: ((before - explained) / CONTRASTS as f64).max(1e-9) }
    }

    /// What is known of each variant that was played.
    pub fn beliefs(&self) -> Vec<Belief> {
        let parts = self.parts(None);
        let remainders = self.played.iter().zip(&parts.remainders);
        remainders.map(|(played, own)| self.belief(&played.variant, &(parts.of(&played.variant) + own))).collect()
    }

    /// The unplayed variants that a few changes lead to from the best played ones and that most probably are balanced, by the
    /// measure of a belief. At most so many.
    pub fn promising(&self, count: usize, chance: impl Fn(&Belief) -> f64) -> Vec<Variant> {
        let parts = self.parts(None);
        let better = |a: &(f64, Variant), b: &(f64, Variant)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let mut played: Vec<_> =
            self.played.iter().zip(self.beliefs()).map(|(played, belief)| (chance(&belief), played.variant)).collect();
        played.sort_by(better);
        let is_played = |variant: &Variant| self.played.iter().any(|played| played.variant == *variant);
        let mut all: Vec<(f64, Variant)> = Vec::new();
        let mut from: Vec<_> = played.iter().take(LEADERS).map(|(_, variant)| *variant).collect();
        for _ in 0..CHANGES {
            let mut near: Vec<_> = from.iter().flat_map(|variant| variant.neighbours()).collect();
            near.sort_unstable();
            near.dedup();
            near.retain(|variant| !is_played(variant) && all.iter().all(|(_, other)| other != variant));
            all.extend(near.iter().map(|variant| (chance(&self.belief(variant, &parts.of(variant))), *variant)));
            all.sort_by(better);
            all.truncate(LEADERS.max(count));
            from = all.iter().take(LEADERS).map(|(_, variant)| *variant).collect();
        }
        all.into_iter().take(count).map(|(_, variant)| variant).collect()
    }

    /// The variant that is most balanced in a draw of all that is unknown: often one that seems good, now and then one that
    /// nobody knows much about.
    pub fn guess(&self, rng: &mut Rng) -> Variant {
        let parts = self.parts(Some(rng));
        let spread = |variant: &Variant| {
            let own = self.played.iter().position(|played| played.variant == *variant);
            let remainder = own.map_or_else(Contrasts::zeros, |index| parts.remainders[index]);
            rms((parts.of(variant) + remainder).as_slice())
        };
        let played = self.played.iter().map(|played| (spread(&played.variant), played.variant));
        let Some(mut best) = played.min_by(|a, b| a.0.total_cmp(&b.0)) else { return self.played[0].variant };
        for _ in 0..MAX_STEPS {
            let near = best.1.neighbours().map(|variant| (spread(&variant), variant));
            match near.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some(better) if better.0 < best.0 => best = better,
                _ => break,
            }
        }
        best.1
    }
}

fn covariance(ports: &[Matrix3<f64>; PORTS], one: &Variant, other: &Variant, scale: Scale) -> Matrix3<f64> {
    let mut parts = Matrix3::zeros();
    for (place, matrix) in ports.iter().enumerate() {
        if one.ports[place] == other.ports[place] {
            parts += matrix;
        }
    }
    let pairs = one.pairs.iter().zip(other.pairs).filter(|&(&a, b)| a == b).count();
    let remainder = if one == other { (scale.remainder * REMAINDER).powi(2) } else { 0.0 };
    let square = scale.parts * scale.parts;
    let alike = CONSTANT * CONSTANT + square * PAIRING * PAIRING * pairs as f64 + remainder;
    parts * square + Matrix3::identity() * alike
}

/// The scale by which what was seen of some families is most likely.
pub(super) fn likeliest_scale(lines: &[Descent]) -> Scale {
    let likelihood = |scale: Scale| {
        let families = lines.iter().take(FAMILIES);
        families.filter_map(|line| Some(Model::new(line, scale)?.log_likelihood())).sum::<f64>()
    };
    let all = PART_SCALES.into_iter().flat_map(|parts| REMAINDER_SCALES.map(|remainder| Scale { parts, remainder }));
    let scored = all.map(|scale| (likelihood(scale), scale));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Scale { parts: 1.0, remainder: 1.0 }, |(_, scale)| scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::Family;
    use crate::games::catan::builtin;

    #[test]
    fn parts_that_were_measured_well_are_found_again() {
        let (_, own) = Family::new(builtin::maps().remove(0)).expect("a map of the box");
        let rng = &mut Rng::for_playout(1, 2, 3);
        // The first port's kind decides how often the first seat wins.
        let wins = |variant: &Variant| {
            let more = 200_000 * u64::from(variant.ports[0]);
            [25_000_000 + more, 25_000_000 - more, 25_000_000, 25_000_000]
        };
        let played: Vec<_> = (0..60)
            .map(|_| own.drawn(rng))
            .map(|variant| Played { variant, games: 100_000_000, wins: wins(&variant) })
            .collect();
        // Only the first two seats ever own the first port.
        let mut owners = [[0; SEATS]; PORTS];
        owners[0] = [OWNED as u16, OWNED as u16, 0, 0];
        let line = Descent { index: 0, is_control: false, owners, played };
        let scale = likeliest_scale(std::slice::from_ref(&line));
        assert!(scale.remainder < 1.0, "{scale:?}");
        let (model, played) = (Model::new(&line, scale).expect("played"), &line.played);
        for (played, belief) in played.iter().zip(model.beliefs()) {
            // The contrast between the first two seats is 0.4 points for each step over the root of 2.
            let expected = 0.4 * f64::from(played.variant.ports[0]) / 6_f64.sqrt();
            assert!((belief.spread - expected).abs() < 0.02 && belief.variance < 1e-3, "{belief:?} is not {expected}");
        }
        for _ in 0..10 {
            assert_eq!(model.guess(rng).ports[0], 0, "the balanced kind");
        }
        assert!(Model::new(&Descent { played: Vec::new(), ..line.clone() }, scale).is_none());
    }
}
