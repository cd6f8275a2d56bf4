//! How often playouts choose the trade that the rules choose: figures 9 to 11.

use fairground_kernels::rng::{Draws, Rng, absorb};

use crate::batch::{Batch, EvaluateError, Evaluator, Tally, Watch};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Policy, Position};
use crate::players::catan::negotiation::decide::{Function, best, draw};
use crate::players::catan::negotiation::offers::{Shape, candidates};
use crate::players::catan::negotiation::profit::{Playouts, Rules};
use crate::players::catan::uct::reward;

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

/// How often two ways to choose agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Negotiations.
    pub negotiations: u64,
    /// Both propose the same.
    pub same: u64,
    /// Both propose nothing.
    pub nothing: u64,
    /// Both propose something.
    pub both: u64,
    /// Negotiations, and agreements of either sort, by the win rate of the opponent who leads. Where the player leads,
    /// they are left out.
    pub by_leader: [[u64; 2]; BINS],
    /// Agreements of random choices with the rules.
    pub random: u64,
}

/// Negotiations to look at, and how.
#[derive(Clone, Copy, Debug)]
pub struct Study<'a> {
    /// Positions in which trades can be proposed.
    pub moments: &'a [Position],
    /// How the profits are estimated that are compared with the rules'.
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
        for (part, moments) in self.moments.chunks(AT_A_TIME).enumerate() {
            if watch.stop() {
                break;
            }
            let mut batch = Batch::<Catan>::new(Policy::all(self.playouts.rollout), self.seed);
            let mut asked = Vec::new();
            for (index, moment) in moments.iter().enumerate() {
                let key = absorb(MOMENT, (part * AT_A_TIME + index) as u64);
                let offers = candidates(moment, Shape::ONE_FOR_ONE);
                let questions = self.playouts.questions(moment, &offers, 0);
                for (number, question) in questions.iter().enumerate() {
                    let key = if self.playouts.is_common { key } else { absorb(key, number as u64) };
                    batch.push_part(&question.position, key, 0, question.playouts);
                }
                asked.push((key, moment, offers, questions.len()));
            }
            let tallies = evaluator.evaluate(&batch)?.tallies;
            let mut rest = &tallies[..];
            for (key, moment, offers, questions) in asked {
                let (tallies, others) = rest.split_at(questions);
                rest = others;
                if let Some(without) = tallies.first() {
                    let me = moment.mover;
                    let mut rng = Rng::for_playout(self.seed, key, u64::MAX);
                    let profits = Playouts::profits(moment, &offers, me, tallies);
                    let rules: Vec<_> = offers.iter().map(|offer| Rules::default().profit(moment, offer, me)).collect();
                    let [chosen, by_rules] = [profits, rules].map(|profits| {
                        let best = best(Function::Selfish, Function::Selfish.usual_condition(), &profits);
                        draw(&best, &mut rng)
                    });
                    let random = rng.below(offers.len() as u32 + 1) as usize;
                    let random = (random < offers.len()).then_some(random);
                    let outcome = chosen.map_or(without, |chosen| &tallies[1 + chosen]);
                    agreement.add(me, chosen, by_rules, random, outcome);
                }
                watch.finished(1);
            }
        }
        Ok(agreement)
    }
}

/// Sets the keys of these playouts apart from those of games.
const MOMENT: u64 = 0x6e65_676f;

impl Agreement {
    fn add(&mut self, me: u8, chosen: Option<usize>, by_rules: Option<usize>, random: Option<usize>, outcome: &Tally) {
        self.negotiations += 1;
        match (chosen, by_rules) {
            (None, None) => self.nothing += 1,
            (Some(one), Some(other)) => {
                self.both += 1;
                self.same += u64::from(one == other);
            }
            _ => {}
        }
        self.random += u64::from(random == by_rules);
        let rates: [f64; SEATS] = std::array::from_fn(|seat| reward(outcome, seat));
        let leader = (0..SEATS).max_by(|&one, &other| rates[one].total_cmp(&rates[other])).unwrap_or(0);
        if leader != usize::from(me) {
            let bin = ((rates[leader] * BINS as f64) as usize).min(BINS - 1);
            self.by_leader[bin][0] += 1;
            self.by_leader[bin][1] += u64::from(chosen == by_rules);
        }
    }
}
