//! What the games on some variants of a map say about all of them.
//!
//! The three contrasts between seats are taken for a constant, a part for the kind of each port, a part for the pairing of each
//! class of equal pips, and a small remainder of each variant's own, all of them normal beforehand. Then so are they
//! afterwards, and both the mean and random draws of all parts come from one linear system over the variants that were played.
//! Everything is in percentage points.

use nalgebra::{Cholesky, DMatrix, Dyn};

use super::variants::{CLASSES, KINDS, PAIRINGS, Variant};
use super::{Played, rms};
use crate::games::catan::tables::PORTS;
use crate::stats::seats::{CONTRASTS, contrasts};
use fairground_kernels::rng::Rng;

type Contrasts = [f64; CONTRASTS];

/// Standard deviations beforehand: of the constant, of a port's part, of a pairing's part, and of the remainder. Those of the
/// parts are as measured for builders, and are scaled to what is seen.
const CONSTANT: f64 = 12.0;
const PORT: f64 = 0.55;
const PAIRING: f64 = 0.45;
const REMAINDER: f64 = 0.3;

/// By how much the deviations are smaller or larger than that, those of the parts and that of the remainder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    parts: f64,
    remainder: f64,
}

const PART_SCALES: [f64; 5] = [0.125, 0.25, 0.5, 1.0, 2.0];
const REMAINDER_SCALES: [f64; 4] = [0.125, 0.5, 1.0, 2.0];

/// Changes that improve a variant are looked for so many times.
const MAX_STEPS: usize = 40;

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
        let mut add = |part: &Contrasts| sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        self.ports.iter().zip(variant.ports).for_each(|(parts, kind)| add(&parts[usize::from(kind)]));
        self.pairs.iter().zip(variant.pairs).for_each(|(parts, pair)| add(&parts[usize::from(pair)]));
        sum
    }
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
    seen: Vec<Contrasts>,
    noise: Vec<f64>,
    system: Cholesky<f64, Dyn>,
}

impl<'a> Model<'a> {
    /// `None` if nothing was played.
    pub fn new(played: &'a [Played], scale: Scale) -> Option<Self> {
        let games = |played: &Played| played.wins.iter().sum::<u64>();
        if played.is_empty() || played.iter().any(|played| games(played) == 0) {
            return None;
        }
        let seen: Vec<_> =
            played.iter().map(|one| contrasts(&one.wins, games(one)).map(|share| 100.0 * share)).collect();
        // Each contrast varies by a quarter of a game's square.
        let noise: Vec<_> = played.iter().map(|one| 2500.0 / games(one) as f64).collect();
        let n = played.len();
        let matrix = DMatrix::from_fn(n, n, |row, column| {
            let diagonal = if row == column { noise[row] } else { 0.0 };
            covariance(&played[row].variant, &played[column].variant, scale) + diagonal
        });
        Some(Self { played, scale, seen, noise, system: matrix.cholesky()? })
    }

    /// The logarithm of the probability of what was seen, but for a constant.
    fn log_likelihood(&self) -> f64 {
        let seen = DMatrix::from_fn(self.seen.len(), CONTRASTS, |row, column| self.seen[row][column]);
        let log_determinant: f64 = self.system.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum();
        -0.5 * seen.dot(&self.system.solve(&seen)) - CONTRASTS as f64 * log_determinant
    }

    /// The parts to expect given what was seen, or with a generator a draw of them.
    fn parts(&self, rng: Option<&mut Rng>) -> Parts {
        let n = self.played.len();
        let nothing = [0.0; CONTRASTS];
        let mut parts = Parts {
            constant: nothing,
            ports: [[nothing; KINDS]; PORTS],
            pairs: [[nothing; PAIRINGS]; CLASSES],
            remainders: vec![nothing; n],
        };
        let [port, pairing] = [PORT, PAIRING].map(|deviation| self.scale.parts * deviation);
        let remainder = self.scale.remainder * REMAINDER;
        let mut imagined = vec![nothing; n];
        // A draw beforehand, moved by as much as what is seen moves the mean, is a draw afterwards.
        if let Some(rng) = rng {
            let mut draw = |deviation: f64| [0; CONTRASTS].map(|_| deviation * normal(rng));
            parts.constant = draw(CONSTANT);
            parts.ports.iter_mut().flatten().for_each(|part| *part = draw(port));
            parts.pairs.iter_mut().flatten().for_each(|part| *part = draw(pairing));
            parts.remainders.iter_mut().for_each(|part| *part = draw(remainder));
            for (index, imagined) in imagined.iter_mut().enumerate() {
                let (sum, noise) = (parts.of(&self.played[index].variant), draw(self.noise[index].sqrt()));
                *imagined = std::array::from_fn(|k| sum[k] + parts.remainders[index][k] + noise[k]);
            }
        }
        let gap = DMatrix::from_fn(n, CONTRASTS, |row, column| self.seen[row][column] - imagined[row][column]);
        let pull = self.system.solve(&gap);
        for (index, played) in self.played.iter().enumerate() {
            let add = |part: &mut Contrasts, variance: f64| {
                part.iter_mut().enumerate().for_each(|(k, part)| *part += variance * pull[(index, k)]);
            };
            add(&mut parts.constant, CONSTANT * CONSTANT);
            for (place, kind) in played.variant.ports.iter().enumerate() {
                add(&mut parts.ports[place][usize::from(*kind)], port * port);
            }
            for (class, pair) in played.variant.pairs.iter().enumerate() {
                add(&mut parts.pairs[class][usize::from(*pair)], pairing * pairing);
            }
            add(&mut parts.remainders[index], remainder * remainder);
        }
        parts
    }

    /// What is known of each variant that was played.
    pub fn beliefs(&self) -> Vec<Belief> {
        let parts = self.parts(None);
        let n = self.played.len();
        let covariances = DMatrix::from_fn(n, n, |row, column| {
            covariance(&self.played[row].variant, &self.played[column].variant, self.scale)
        });
        let solved = self.system.solve(&covariances);
        let of = |index: usize| {
            let sum = parts.of(&self.played[index].variant);
            let mean: Contrasts = std::array::from_fn(|k| sum[k] + parts.remainders[index][k]);
            let explained = covariances.column(index).dot(&solved.column(index));
            // Rounding must not make it nothing.
            Belief { spread: rms(&mean), variance: (covariances[(index, index)] - explained).max(1e-9) }
        };
        (0..n).map(of).collect()
    }

    /// The variant that is most balanced in a draw of all that is unknown: often one that seems good, now and then one that
    /// nobody knows much about.
    pub fn guess(&self, rng: &mut Rng) -> Variant {
        let parts = self.parts(Some(rng));
        let spread = |variant: &Variant| {
            let mut sum = parts.of(variant);
            if let Some(index) = self.played.iter().position(|played| played.variant == *variant) {
                sum.iter_mut().zip(parts.remainders[index]).for_each(|(sum, remainder)| *sum += remainder);
            }
            rms(&sum)
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

fn covariance(one: &Variant, other: &Variant, scale: Scale) -> f64 {
    let ports = one.ports.iter().zip(other.ports).filter(|&(&a, b)| a == b).count();
    let pairs = one.pairs.iter().zip(other.pairs).filter(|&(&a, b)| a == b).count();
    let remainder = if one == other { (scale.remainder * REMAINDER).powi(2) } else { 0.0 };
    let parts = PORT * PORT * ports as f64 + PAIRING * PAIRING * pairs as f64;
    CONSTANT * CONSTANT + scale.parts * scale.parts * parts + remainder
}

/// The scale by which what was seen of all families is most likely.
pub(super) fn likeliest_scale<'a>(families: impl Iterator<Item = &'a [Played]> + Clone) -> Scale {
    let likelihood = |scale: Scale| {
        families.clone().filter_map(|played| Some(Model::new(played, scale)?.log_likelihood())).sum::<f64>()
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
        let scale = likeliest_scale(std::iter::once(&*played));
        assert!(scale.remainder < 1.0, "{scale:?}");
        let model = Model::new(&played, scale).expect("played");
        for (played, belief) in played.iter().zip(model.beliefs()) {
            // The contrast between the first two seats is 0.4 points for each step over the root of 2.
            let expected = 0.4 * f64::from(played.variant.ports[0]) / 6_f64.sqrt();
            assert!((belief.spread - expected).abs() < 0.02 && belief.variance < 1e-3, "{belief:?} is not {expected}");
        }
        for _ in 0..10 {
            assert_eq!(model.guess(rng).ports[0], 0, "the balanced kind");
        }
        assert!(Model::new(&[], scale).is_none());
    }
}
