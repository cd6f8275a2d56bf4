//! What a chosen trade is worth: beyond the thesis.
//!
//! Wins of whole games say little about single choices. Here every way to choose is asked in the same moments, and what it
//! chooses is judged by many playouts that none of them has seen. The judge's playouts are played by `heuristic`; the true
//! gain is that in games among such players, in which the partner accepts.

use fairground_kernels::rng::absorb;

use super::Moment;
use crate::batch::{Batch, EvaluateError, Evaluator, Tally, Watch};
use crate::games::Game as _;
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Offer, Policy, Position, Strategy, TURN_CAP};
use crate::papers::tubstap::Estimate;
use crate::players::catan::negotiation::decide::{Function, best};
use crate::players::catan::negotiation::offers::{Shape, candidates};
use crate::players::catan::negotiation::profit::{Playouts, Profit, Rules, settled};
use crate::players::catan::uct::reward;
use crate::stats::Clusters;

/// A way to estimate one's own profit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By rules.
    Rules,
    /// By wins in so many playouts.
    Wins(Strategy, u32),
    /// By the lead over the best opponent, in victory points, at the end of so many playouts or after so many of their
    /// turns. A game that is lost still tells what a card was worth.
    Lead(Strategy, u32, u32),
}

/// Turns after which playouts are cut off that are judged by points: six of each player.
const FEW_TURNS: u32 = 24;

/// What is compared. The thesis' is the second.
pub const METHODS: [Method; 10] = [
    Method::Rules,
    Method::Wins(Strategy::Random, 100),
    Method::Wins(Strategy::Random, 1000),
    Method::Wins(Strategy::Random, 10_000),
    Method::Wins(Strategy::Heuristic, 100),
    Method::Wins(Strategy::Heuristic, 1000),
    Method::Wins(Strategy::Heuristic, 10_000),
    Method::Lead(Strategy::Random, 1000, TURN_CAP),
    Method::Lead(Strategy::Heuristic, 1000, TURN_CAP),
    Method::Lead(Strategy::Heuristic, 1000, FEW_TURNS),
];

/// The places of rules and of the thesis' playouts among them.
pub const RULES: usize = 0;
/// See [`RULES`].
pub const FEW: usize = 1;

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Rules => f.write_str("rules"),
            Self::Wins(by, playouts) => write!(f, "{playouts} {} playouts", by.name()),
            Self::Lead(by, playouts, TURN_CAP) => write!(f, "{playouts} {} playouts, by points", by.name()),
            Self::Lead(by, playouts, turns) => {
                write!(f, "{playouts} {} playouts of {turns} turns, by points", by.name())
            }
        }
    }
}

/// An opponent with a higher win rate leads far.
pub const FAR: f64 = 0.7;

/// What was chosen in a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The game.
    pub game: u64,
    /// The win rate of the best opponent.
    pub leader: f64,
    /// The true gain in win rate, by method; the mean of trades that a method finds equally good.
    pub gains: Vec<f64>,
}

/// All moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality(
    /// In their order.
    pub Vec<Judged>,
);

/// Which moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// All.
    All,
    /// An opponent leads far.
    Behind,
    /// Nobody does.
    Open,
}

impl Where {
    /// All of them.
    pub const EACH: [Self; 3] = [Self::All, Self::Behind, Self::Open];

    /// In a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all moments",
            Self::Behind => "an opponent above 70 %",
            Self::Open => "no opponent above 70 %",
        }
    }

    const fn holds(self, judged: &Judged) -> bool {
        match self {
            Self::All => true,
            Self::Behind => judged.leader > FAR,
            Self::Open => judged.leader <= FAR,
        }
    }
}

impl Quality {
    /// Such moments.
    #[must_use]
    pub fn moments(&self, among: Where) -> usize {
        self.0.iter().filter(|judged| among.holds(judged)).count()
    }

    fn clusters(&self, method: usize, among: Where) -> Clusters {
        let mut gains = Clusters::default();
        for judged in self.0.iter().filter(|judged| among.holds(judged)) {
            gains.add(judged.game, judged.gains[method], 1.0);
        }
        gains
    }

    /// The mean true gain by a method.
    #[must_use]
    pub fn gain(&self, method: usize, among: Where) -> Estimate {
        let gains = self.clusters(method, among);
        Estimate { value: gains.mean(), error: gains.error() }
    }

    /// How much more one method gains than another in the same moments.
    #[must_use]
    pub fn more(&self, method: usize, than: usize, among: Where) -> Estimate {
        let (value, error) = self.clusters(method, among).less(&self.clusters(than, among));
        Estimate { value, error }
    }
}

/// The win rates of the best opponents, by so many `heuristic` playouts.
///
/// # Errors
/// If the evaluator fails.
pub fn leaders(evaluator: &Evaluator, moments: &[Moment], playouts: u32, seed: u64) -> Result<Vec<f64>, EvaluateError> {
    let mut batch = Batch::<Catan>::new(Policy::all(Strategy::Heuristic), seed);
    for moment in moments {
        batch.push_part(&moment.position, absorb(moment.key(), LEADER), 0, playouts.into());
    }
    let tallies = evaluator.evaluate(&batch)?.tallies;
    Ok(moments.iter().zip(&tallies).map(|(moment, tally)| best_opponent(tally, moment.position.mover)).collect())
}

fn best_opponent(tally: &Tally, me: u8) -> f64 {
    let others = (0..SEATS).filter(|&seat| seat != usize::from(me));
    others.map(|seat| reward(tally, seat)).fold(0.0, f64::max)
}

/// Set the playouts of the judge, and of the choice of moments, apart from those that are judged.
const JUDGE: u64 = 1;
const LEADER: u64 = 2;

/// Moments to choose in, and how what is chosen is judged.
#[derive(Clone, Copy, Debug)]
pub struct Study<'a> {
    /// The moments.
    pub moments: &'a [Moment],
    /// The ways to choose.
    pub methods: &'a [Method],
    /// Playouts of the judge for every trade.
    pub playouts: u32,
    /// The seed.
    pub seed: u64,
}

impl Study<'_> {
    /// Chooses and judges. Moments without any trade are left out. The watcher is told of every moment; if it asks to stop,
    /// what is finished counts.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn judge(&self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Quality, EvaluateError> {
        let mut quality = Quality::default();
        for moment in self.moments {
            if watch.stop() {
                break;
            }
            let offers = candidates(&moment.position, Shape::ONE_FOR_ONE);
            if !offers.is_empty() {
                quality.0.push(self.judge_one(evaluator, moment, &offers)?);
            }
            watch.finished(1);
        }
        Ok(quality)
    }

    fn judge_one(&self, evaluator: &Evaluator, moment: &Moment, offers: &[Offer]) -> Result<Judged, EvaluateError> {
        let me = moment.position.mover;
        let after = offers.iter().map(|offer| settled(&moment.position, offer, true));
        let positions: Vec<Position> = std::iter::once(moment.position).chain(after).collect();
        let key = absorb(moment.key(), JUDGE);
        let judge = self.tallies(evaluator, &positions, key, Strategy::Heuristic, &[self.playouts])?;
        let Some(judge) = judge.first() else {
            return Ok(Judged { game: moment.game, leader: 0.0, gains: Vec::new() });
        };
        let truth: Vec<f64> =
            Playouts::profits(&moment.position, offers, me, judge).iter().map(|profit| profit.own).collect();
        let mut gains = vec![0.0; self.methods.len()];
        let mut choose = |method: usize, profits: &[Profit]| {
            let best = best(Function::Selfish, Function::Selfish.usual_condition(), profits);
            if !best.is_empty() {
                gains[method] = best.iter().map(|&offer| truth[offer]).sum::<f64>() / best.len() as f64;
            }
        };
        for by in Strategy::ALL {
            // Fewer playouts are the first of more.
            let number = |method: &Method| match *method {
                Method::Wins(own, playouts) if own == by => Some(playouts),
                _ => None,
            };
            let mut numbers: Vec<u32> = self.methods.iter().filter_map(number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let tallies = self.tallies(evaluator, &positions, moment.key(), by, &numbers)?;
            for (method, playouts) in self.methods.iter().enumerate().filter_map(|(at, own)| Some((at, number(own)?))) {
                if let Some(at) = numbers.iter().position(|&number| number == playouts) {
                    choose(method, &Playouts::profits(&moment.position, offers, me, &tallies[at]));
                }
            }
        }
        for (method, own) in self.methods.iter().enumerate() {
            match *own {
                Method::Wins(..) => {}
                Method::Rules => {
                    let profit = |offer| Rules::default().profit(&moment.position, offer, me);
                    choose(method, &offers.iter().map(profit).collect::<Vec<_>>());
                }
                Method::Lead(by, playouts, turns) => {
                    let leads = self.leads(evaluator, &positions, moment, by, playouts, turns)?;
                    let profit = |&own: &f64| Profit { own: own - leads[0], partner: 0.0, before: leads[0] };
                    choose(method, &leads[1..].iter().map(profit).collect::<Vec<_>>());
                }
            }
        }
        Ok(Judged { game: moment.game, leader: judge.first().map_or(0.0, |without| best_opponent(without, me)), gains })
    }

    /// What comes of every position with each of these numbers of playouts, in rising order.
    fn tallies(
        &self,
        evaluator: &Evaluator,
        positions: &[Position],
        key: u64,
        by: Strategy,
        numbers: &[u32],
    ) -> Result<Vec<Vec<Tally>>, EvaluateError> {
        let mut batch = Batch::<Catan>::new(Policy::all(by), self.seed);
        let mut first = 0;
        for &number in numbers {
            for position in positions {
                batch.push_part(position, key, first, u64::from(number) - first);
            }
            first = number.into();
        }
        let tallies = evaluator.evaluate(&batch)?.tallies;
        let mut sums = vec![Tally::default(); positions.len()];
        let sum = |part: &[Tally]| {
            sums.iter_mut().zip(part).for_each(|(sum, part)| sum.merge(part));
            sums.clone()
        };
        Ok(tallies.chunks(positions.len().max(1)).map(sum).collect())
    }

    /// The mean lead of the mover at the end of playouts from every position.
    fn leads(
        &self,
        evaluator: &Evaluator,
        positions: &[Position],
        moment: &Moment,
        by: Strategy,
        playouts: u32,
        turn_cap: u32,
    ) -> Result<Vec<f64>, EvaluateError> {
        // Points are from 0 to 11 or so.
        const MOST: i32 = 15;
        let me = moment.position.mover;
        let mut batch = Batch::<Catan>::new(Policy { turn_cap, ..Policy::all(by) }, self.seed);
        for position in positions {
            batch.push_part(position, moment.key(), 0, playouts.into());
        }
        let lead = |last: &<Catan as crate::games::Game>::Packed| {
            let last = Catan::unpack(last);
            let others = (0..SEATS as u8).filter(|&seat| seat != me);
            let best = others.map(|seat| i32::from(last.points(seat))).max().unwrap_or(0);
            (i32::from(last.points(me)) - best).clamp(-MOST, MOST)
        };
        let groups = 2 * MOST as usize + 1;
        let grouped = evaluator.evaluate_grouped(&batch, groups, |last| (lead(last) + MOST) as usize, &())?;
        let mean = |tallies: &Vec<Tally>| {
            let leads = (-MOST..).zip(tallies).map(|(lead, tally)| f64::from(lead) * tally.playouts as f64);
            leads.sum::<f64>() / f64::from(playouts)
        };
        Ok(grouped.iter().map(mean).collect())
    }
}
