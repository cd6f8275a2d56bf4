//! What common random numbers save: the variance of a difference of win rates with them and without.

use fairground_kernels::Ending;
use fairground_kernels::rng::absorb;

use crate::batch::{Batch, EvaluateError, Evaluator};
use crate::games::catan::{Catan, Policy, Position, Strategy};
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
    moments: &[Position],
    rollout: Strategy,
    playouts: u32,
    seed: u64,
) -> Result<Spread, EvaluateError> {
    let mut spread = Spread::default();
    for (index, moment) in (0..).zip(moments) {
        let offers = candidates(moment, Shape::ONE_FOR_ONE);
        if offers.is_empty() {
            continue;
        }
        let key = absorb(index, moment.key());
        let mut batch = Batch::<Catan>::new(Policy::all(rollout), seed);
        batch.push_part(moment, key, 0, playouts.into());
        for offer in &offers {
            batch.push_part(&settled(moment, offer, true), key, 0, playouts.into());
        }
        let me = moment.mover;
        let wins: Vec<bool> =
            evaluator.records(&batch)?.iter().map(|record| record.outcome.ending == Ending::Win(me)).collect();
        let mut sides = wins.chunks(playouts as usize);
        let Some(without) = sides.next() else { continue };
        let n = f64::from(playouts);
        let variance = |p: f64| p * (1.0 - p);
        let mut sums = [0.0; 2];
        for with in sides {
            let [only_with, only_without] = [true, false].map(|side| {
                let differ = with.iter().zip(without).filter(|&(&with, &without)| with != without && with == side);
                differ.count() as f64 / n
            });
            let [p, q] = [with, without].map(|wins| wins.iter().filter(|&&won| won).count() as f64 / n);
            sums[0] += only_with + only_without - (only_with - only_without).powi(2);
            sums[1] += variance(p) + variance(q);
        }
        let trades = offers.len() as f64;
        spread.variances.push(sums.map(|sum| sum / trades));
    }
    Ok(spread)
}
