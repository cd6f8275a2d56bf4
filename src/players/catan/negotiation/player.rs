//! A player who negotiates.

use fairground_kernels::rng::{Draws, Rng};

use super::decide::{Answers, Condition, Function, best, draw};
use super::offers::{Shape, candidates, is_open};
use super::profit::{Estimator, Playouts, Profit, Rules};
use crate::batch::Tally;
use crate::games::catan::{Action, Catan, Offer, Phase, Position};
use crate::players::thinking::{Thinker, Thought};

/// What a player proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposes {
    /// Nothing.
    Never,
    /// Any trade, or none, all equally likely.
    Random,
    /// The best trade by a function of the profits.
    Best(Function, Condition),
}

/// How a player negotiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is proposed.
    pub proposes: Proposes,
    /// What is accepted.
    pub answers: Answers,
    /// How profits are estimated.
    pub estimator: Estimator,
    /// Which trades are looked at.
    pub shape: Shape,
    /// Proposals of a turn.
    pub proposals: u32,
}

impl Settings {
    /// Neither proposes nor accepts.
    pub const SILENT: Self = Self::without_profits(Proposes::Never, Answers::Never);
    /// Proposes nothing and accepts everything.
    pub const ACCEPT_ALL: Self = Self::without_profits(Proposes::Never, Answers::Always);
    /// Proposes anything and accepts every other proposal.
    pub const RANDOM: Self = Self::without_profits(Proposes::Random, Answers::Coin);

    const fn without_profits(proposes: Proposes, answers: Answers) -> Self {
        Self { proposes, answers, estimator: Estimator::Rules(Rules::USUAL), shape: Shape::ONE_FOR_ONE, proposals: 1 }
    }

    /// Proposes by a function of the rules' profits, and accepts what is profitable.
    #[must_use]
    pub const fn by(function: Function) -> Self {
        Self::without_profits(Proposes::Best(function, function.usual_condition()), Answers::Positive)
    }

    /// Which function it proposes by, if it does.
    #[must_use]
    pub const fn function(&self) -> Option<(Function, Condition)> {
        match self.proposes {
            Proposes::Best(function, condition) => Some((function, condition)),
            Proposes::Never | Proposes::Random => None,
        }
    }
}

/// The player. Whatever is not negotiation is left to another one.
pub struct Negotiator {
    settings: Settings,
    mover: Box<dyn Thinker<Catan>>,
    /// Whether the other one waits for answers.
    is_moving: bool,
    /// The trades whose playouts were asked for.
    asked: Option<Vec<Offer>>,
    /// How often playouts were asked for.
    streams: u64,
    turn: Option<Turn>,
}

/// What was proposed in a turn.
struct Turn {
    number: u32,
    made: Vec<Offer>,
    is_over: bool,
}

impl Negotiator {
    /// A player who negotiates so and plays like the other.
    #[must_use]
    pub fn new(settings: Settings, mover: Box<dyn Thinker<Catan>>) -> Self {
        Self { settings, mover, is_moving: false, asked: None, streams: 0, turn: None }
    }

    /// What has been proposed in the turn of the position.
    fn turn(&mut self, position: &Position) -> &mut Turn {
        let number = position.turn;
        let turn = self.turn.take().filter(|turn| turn.number == number);
        self.turn.insert(turn.unwrap_or(Turn { number, made: Vec::new(), is_over: false }))
    }

    /// The trades to think about: the one that waits for an answer, or those that can be proposed.
    fn trades(&mut self, position: &Position) -> Vec<Offer> {
        match (position.phase, position.offer) {
            (Phase::Answer, Some(offer)) => vec![offer],
            _ => {
                let Settings { shape, .. } = self.settings;
                let turn = self.turn(position);
                let mut offers = candidates(position, shape);
                offers.retain(|offer| !turn.made.contains(offer));
                offers
            }
        }
    }

    /// Thinks about trades, if it is time to. Nothing comes of it if nothing is to be proposed.
    fn negotiate(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Option<Thought<Catan>> {
        let is_answer = position.phase == Phase::Answer;
        let seat = position.decider();
        let (offers, profits) = match self.asked.take() {
            Some(offers) => {
                let profits = Playouts::profits(position, &offers, seat, answers);
                (offers, profits)
            }
            None => {
                let offers = self.trades(position);
                let has_use = if is_answer {
                    self.settings.answers.is_by_profit()
                } else {
                    matches!(self.settings.proposes, Proposes::Best(..))
                };
                match self.settings.estimator {
                    _ if !has_use => (offers, Vec::new()),
                    Estimator::Rules(rules) => {
                        let profits = offers.iter().map(|offer| rules.profit(position, offer, seat)).collect();
                        (offers, profits)
                    }
                    Estimator::Playouts(_) if offers.is_empty() => (offers, Vec::new()),
                    Estimator::Playouts(playouts) => {
                        let questions = playouts.questions(position, &offers, self.streams);
                        self.streams += 1;
                        self.asked = Some(offers);
                        return Some(Thought::Ask(questions));
                    }
                }
            }
        };
        if is_answer {
            return Some(Thought::Act(Some(self.answer(position, profits.first(), rng))));
        }
        let chosen = self.propose(&offers, &profits, rng);
        let most = self.settings.proposals as usize;
        let turn = self.turn(position);
        turn.made.extend(chosen);
        turn.is_over = chosen.is_none() || turn.made.len() >= most;
        chosen.map(|offer| Thought::Act(Some(Action::Offer(offer))))
    }

    fn propose(&self, offers: &[Offer], profits: &[Profit], rng: &mut Rng) -> Option<Offer> {
        let index = match self.settings.proposes {
            Proposes::Never => None,
            Proposes::Random => Some(rng.below(offers.len() as u32 + 1) as usize),
            Proposes::Best(function, condition) => draw(&best(function, condition, profits), rng),
        };
        index.and_then(|index| offers.get(index)).copied()
    }

    fn answer(&self, position: &Position, profit: Option<&Profit>, rng: &mut Rng) -> Action {
        let Settings { answers, .. } = self.settings;
        let accepts = match (answers, profit) {
            (Answers::Coin, _) => rng.below(2) == 1,
            (Answers::Always, _) => true,
            (_, Some(profit)) => answers.accepts(self.settings.function(), profit),
            (_, None) => false,
        };
        // Nobody can give what they do not have.
        Action::Answer(accepts && position.check(Action::Answer(true)).is_ok())
    }
}

impl Thinker<Catan> for Negotiator {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Catan> {
        let proposes = self.settings.proposes != Proposes::Never;
        let is_asked = position.phase == Phase::Answer;
        let has_turn = || is_open(position) && proposes;
        if !self.is_moving && (is_asked || has_turn() && !self.turn(position).is_over) {
            if let Some(thought) = self.negotiate(position, answers, rng) {
                return thought;
            }
            return self.go_on(position, &[], rng);
        }
        self.go_on(position, answers, rng)
    }
}

impl Negotiator {
    /// Lets the other player think.
    fn go_on(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Catan> {
        let thought = self.mover.think(position, answers, rng);
        self.is_moving = matches!(&thought, Thought::Ask(questions) if !questions.is_empty());
        thought
    }
}
