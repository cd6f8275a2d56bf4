//! How often playouts choose the trade that the rules choose: figures 9 to 11.

use std::collections::BTreeSet;
use std::ops::Range;

use fairground_kernels::rng::{Draws, Rng, absorb};

use super::Moment;
use crate::batch::{Batch, EvaluateError, Evaluator, Tally, Watch};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Policy};
use crate::players::catan::negotiation::decide::{Function, best, draw};
use crate::players::catan::negotiation::offers::{Shape, candidates};
use crate::players::catan::negotiation::profit::{Playouts, Rules};
use crate::players::catan::uct::reward;
use crate::stats::{Clusters, Ratio};

/// What the thesis found with so many playouts, in percent of all negotiations.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Playouts of every trade.
    pub playouts: u32,
    /// Negotiations.
    pub negotiations: u64,
    /// Both propose the same.
    pub same: f64,
    /// Both propose nothing.
    pub nothing: f64,
    /// Both of it together, as the thesis gives it.
    pub together: f64,
    /// The same proposals, of those negotiations in which both propose.
    pub of_proposals: f64,
}

/// Figures 9 and 10.
pub const FOUND: [Found; 2] = [
    Found { playouts: 100, negotiations: 338_758, same: 5.2, nothing: 8.2, together: 13.4, of_proposals: 10.2 },
    Found { playouts: 1000, negotiations: 105_868, same: 9.9, nothing: 5.0, together: 14.4, of_proposals: 18.1 },
];

/// Agreement of random proposals with the rules in the thesis, in percent.
pub const RANDOM: f64 = 6.1;

/// Figure 11 in steps of a tenth.
pub const BINS: usize = 10;

/// What was chosen in a negotiation, each time the number of a trade, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Negotiation {
    /// The game it is from.
    pub game: u64,
    /// The turn.
    pub turn: u32,
    /// By playouts.
    pub chosen: Option<usize>,
    /// By rules.
    pub by_rules: Option<usize>,
    /// At random.
    pub random: Option<usize>,
    /// The win rate of the opponent who leads; none if the player leads.
    pub leader: Option<f64>,
}

impl Negotiation {
    /// Whether both playouts and rules propose something.
    #[must_use]
    pub const fn is_of_both(&self) -> bool {
        self.chosen.is_some() && self.by_rules.is_some()
    }

    /// Whether they choose the same.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.chosen == self.by_rules
    }
}

/// How two ways to choose agree, negotiation by negotiation. Shares allow for those of one game having much in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement(
    /// In the order of the moments.
    pub Vec<Negotiation>,
);

impl Agreement {
    /// The share of those that count in which something is so, game by game.
    fn share(&self, counts: impl Fn(&Negotiation) -> bool, is_so: impl Fn(&Negotiation) -> bool) -> Clusters {
        let mut share = Clusters::default();
        for own in self.0.iter().filter(|own| counts(own)) {
            share.add(own.game, f64::from(u8::from(is_so(own))), 1.0);
        }
        share
    }

    /// Both propose the same.
    #[must_use]
    pub fn same(&self) -> Ratio {
        self.share(|_| true, |own| own.is_of_both() && own.agrees()).ratio()
    }

    /// Both propose nothing.
    #[must_use]
    pub fn nothing(&self) -> Ratio {
        self.share(|_| true, |own| own.chosen.is_none() && own.by_rules.is_none()).ratio()
    }

    /// Either of it.
    #[must_use]
    pub fn together(&self) -> Ratio {
        self.share(|_| true, Negotiation::agrees).ratio()
    }

    /// The same proposals, of those negotiations in which both propose.
    #[must_use]
    pub fn of_proposals(&self) -> Ratio {
        self.share(Negotiation::is_of_both, Negotiation::agrees).ratio()
    }

    /// Random choices and rules agree.
    #[must_use]
    pub fn random(&self) -> Ratio {
        self.share(|_| true, |own| own.random == own.by_rules).ratio()
    }

    /// Playouts and rules agree, where the leading opponent's win rate is in this range.
    #[must_use]
    pub fn led(&self, range: Range<f64>) -> Clusters {
        self.share(|own| own.leader.is_some_and(|rate| range.contains(&rate)), Negotiation::agrees)
    }

    /// Random choices and rules agree there.
    #[must_use]
    pub fn random_led(&self, range: Range<f64>) -> Ratio {
        let is_led = |own: &Negotiation| own.leader.is_some_and(|rate| range.contains(&rate));
        self.share(is_led, |own| own.random == own.by_rules).ratio()
    }

    /// Proposals that agree, of those where both propose: here and in another study, over the moments that both have, and how
    /// many these are.
    #[must_use]
    pub fn of_proposals_beside(&self, other: &Self) -> ([Clusters; 2], usize) {
        let moments = |of: &Self| -> BTreeSet<_> { of.0.iter().map(|own| (own.game, own.turn)).collect() };
        let [own, others] = [self, other].map(moments);
        let is_shared = |moment| own.contains(&moment) && others.contains(&moment);
        let counts = |own: &Negotiation| own.is_of_both() && is_shared((own.game, own.turn));
        ([self, other].map(|of| of.share(counts, Negotiation::agrees)), own.intersection(&others).count())
    }
}

/// The win rates of a bin of figure 11; the last one has its end.
#[must_use]
pub fn bin(number: usize) -> Range<f64> {
    let end = if number + 1 == BINS { f64::INFINITY } else { (number + 1) as f64 / BINS as f64 };
    number as f64 / BINS as f64..end
}

/// Negotiations to look at, and how.
#[derive(Clone, Copy, Debug)]
pub struct Study<'a> {
    /// Where trades can be proposed.
    pub moments: &'a [Moment],
    /// How the profits are estimated that are compared with the rules'. Fewer playouts are the first of more.
    pub playouts: Playouts,
    /// Seed of the playouts and of ties.
    pub seed: u64,
}

/// Negotiations that are evaluated in one batch.
const AT_A_TIME: usize = 64;

impl Study<'_> {
    /// Chooses everywhere as a selfish player would, by playouts and by rules. Moments without any trade are left out.
    /// The watcher is told of every negotiation. If it asks to stop, what is finished counts.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn compare(&self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Agreement, EvaluateError> {
        let mut agreement = Agreement::default();
        for moments in self.moments.chunks(AT_A_TIME) {
            if watch.stop() {
                break;
            }
            let mut batch = Batch::<Catan>::new(Policy::all(self.playouts.rollout), self.seed);
            let mut asked = Vec::new();
            for moment in moments {
                let offers = candidates(&moment.position, Shape::ONE_FOR_ONE);
                let questions = self.playouts.questions(&moment.position, &offers, 0);
                for (number, question) in questions.iter().enumerate() {
                    let key = if self.playouts.is_common { moment.key() } else { absorb(moment.key(), number as u64) };
                    batch.push_part(&question.position, key, 0, question.playouts);
                }
                asked.push((moment, offers, questions.len()));
            }
            let tallies = evaluator.evaluate(&batch)?.tallies;
            let mut rest = &tallies[..];
            for (moment, offers, questions) in asked {
                let (tallies, others) = rest.split_at(questions);
                rest = others;
                if let Some(without) = tallies.first() {
                    let me = moment.position.mover;
                    let mut rng = Rng::for_playout(self.seed, moment.key(), u64::MAX);
                    let profits = Playouts::profits(&moment.position, &offers, me, tallies);
                    let by_rules = |offer| Rules::default().profit(&moment.position, offer, me);
                    let rules: Vec<_> = offers.iter().map(by_rules).collect();
                    let [chosen, by_rules] = [profits, rules].map(|profits| {
                        let best = best(Function::Selfish, Function::Selfish.usual_condition(), &profits);
                        draw(&best, &mut rng)
                    });
                    let random = rng.below(offers.len() as u32 + 1) as usize;
                    let outcome = chosen.map_or(without, |chosen| &tallies[1 + chosen]);
                    agreement.0.push(Negotiation {
                        game: moment.game,
                        turn: moment.position.turn,
                        chosen,
                        by_rules,
                        random: (random < offers.len()).then_some(random),
                        leader: leading_opponent(outcome, me),
                    });
                }
                watch.finished(1);
            }
        }
        Ok(agreement)
    }
}

/// The win rate of the opponent who leads; none if it is `me` who leads.
fn leading_opponent(outcome: &Tally, me: u8) -> Option<f64> {
    let rates: [f64; SEATS] = std::array::from_fn(|seat| reward(outcome, seat));
    let leader = (0..SEATS).max_by(|&one, &other| rates[one].total_cmp(&rates[other])).unwrap_or(0);
    (leader != usize::from(me)).then_some(rates[leader])
}
