//! What common random numbers save: the variance of a difference of win rates with them and without.

use fairground_kernels::Ending;
use fairground_kernels::rng::absorb;

use super::Moment;
use crate::batch::{Batch, EvaluateError, Evaluator};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Policy, Strategy};
use crate::players::catan::negotiation::offers::{Shape, candidates};
use crate::players::catan::negotiation::profit::settled;
use crate::stats::{Interval, Z95};

/// Variances of one playout's difference, averaged over the trades of each moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// With the same random numbers on both sides, and with numbers of their own; one pair for each moment.
    pub variances: Vec<[f64; 2]>,
}

impl Spread {
    /// The mean variance with common numbers over that with own ones, and a 95 % interval from the spread between
    /// moments. So many times fewer playouts do as well.
    #[must_use]
    pub fn ratio(&self) -> (f64, Interval) {
        let n = self.variances.len() as f64;
        let [common, own] = [0, 1].map(|index| self.variances.iter().map(|pair| pair[index]).sum::<f64>());
        let ratio = common / own;
        let residuals: f64 = self.variances.iter().map(|[common, own]| (common - ratio * own).powi(2)).sum();
        let error = (residuals * n / (n - 1.0)).sqrt() / own;
        (ratio, Interval { low: ratio - Z95 * error, high: ratio + Z95 * error })
    }
}

/// Plays every trade of one card for one, and no trade, so many times with the same random numbers.
///
/// # Errors
/// If the evaluator fails.
pub fn spread(
    evaluator: &Evaluator,
    moments: &[Moment],
    rollout: Strategy,
    playouts: u32,
    seed: u64,
) -> Result<Spread, EvaluateError> {
    let mut spread = Spread::default();
    for moment in moments {
        let offers = candidates(&moment.position, Shape::ONE_FOR_ONE);
        if offers.is_empty() {
            continue;
        }
        let key = absorb(moment.key(), SPREAD);
        let mut batch = Batch::<Catan>::new(Policy::all(rollout), seed);
        batch.push_part(&moment.position, key, 0, playouts.into());
        for offer in &offers {
            batch.push_part(&settled(&moment.position, offer, true), key, 0, playouts.into());
        }
        // As profits count them: a playout that was cut off is shared by all.
        let reward = |ending| match ending {
            Ending::Win(seat) => f64::from(u8::from(seat == moment.position.mover)),
            Ending::Draw | Ending::Truncated => 1.0 / SEATS as f64,
        };
        let rewards: Vec<f64> = evaluator.records(&batch)?.iter().map(|record| reward(record.outcome.ending)).collect();
        let mut sides = rewards.chunks(playouts as usize);
        let Some(without) = sides.next() else { continue };
        let mut sums = [0.0; 2];
        for with in sides {
            sums[0] += variance(with.iter().zip(without).map(|(with, without)| with - without));
            sums[1] += variance(with.iter().copied()) + variance(without.iter().copied());
        }
        let trades = offers.len() as f64;
        spread.variances.push(sums.map(|sum| sum / trades));
    }
    Ok(spread)
}

/// Sets these playouts apart from those that choose.
const SPREAD: u64 = 3;

fn variance(values: impl Iterator<Item = f64>) -> f64 {
    let [n, sum, squares] = values.fold([0.0; 3], |[n, sum, squares], own| [n + 1.0, sum + own, squares + own * own]);
    squares / n - (sum / n).powi(2)
}
