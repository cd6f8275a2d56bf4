//! MilitaryStaffSystem with its playouts in batches: the decisions of [the reference](super::reference::mss), in four
//! questions a phase.

use fairground_kernels::bits::bits;
use fairground_kernels::rng::Rng;

use super::reference::mss::{
    CANDIDATES, PLANS, PLAYOUTS, Planned, Ranking, candidate, known_value, options, stays, value,
};
use crate::batch::Tally;
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Policy, Position, Tubstap};
use crate::players::thinking::{Question, Thinker, Thought};
use crate::stats;

/// The player.
#[derive(Clone, Debug, Default)]
pub struct Mss {
    planned: Planned,
    stage: Stage,
}

/// A unit and its actions, with the values that are known without playouts.
type Valued = (usize, Vec<(Action, Option<f64>)>);

/// What the player waits for.
#[derive(Clone, Debug, Default)]
enum Stage {
    /// Nothing.
    #[default]
    Ready,
    /// The values of the actions of all units, of which those that need playouts have none yet.
    Values { plan: usize, assumed: Vec<Action>, units: Vec<Valued> },
    /// The candidates' win rates.
    Rates { plan: usize, candidates: Vec<Vec<Action>> },
}

fn ask(position: Position) -> Question<Tubstap> {
    Question { position, policy: Policy::Mss, playouts: PLAYOUTS.into(), stream: None }
}

impl Mss {
    /// Asks for the values of all actions if the units do what is assumed.
    fn ask_values(&mut self, position: &Position, plan: usize, assumed: Vec<Action>) -> Vec<Question<Tubstap>> {
        let mut questions = Vec::new();
        let mut units = Vec::new();
        for unit in bits(position.own().unacted().into()).map(|number| number as usize) {
            let mut actions = Vec::new();
            for (action, seen) in options(position, &assumed, unit) {
                let known = known_value(action, &seen);
                if known.is_none() {
                    questions.push(ask(seen));
                }
                actions.push((action, known));
            }
            units.push((unit, actions));
        }
        self.stage = Stage::Values { plan, assumed, units };
        questions
    }
}

impl Thinker<Tubstap> for Mss {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Tubstap> {
        let win_rate = |tally: &Tally| stats::rate(tally.wins[position.mover.index()], tally.playouts);
        let mut answers = answers.iter().map(win_rate);
        loop {
            match std::mem::take(&mut self.stage) {
                Stage::Ready => {
                    if position.own().unacted() == 0 {
                        return Thought::Act(None);
                    }
                    if self.planned.foresees(position) {
                        return Thought::Act(self.planned.next_action());
                    }
                    let questions = self.ask_values(position, 0, stays(position));
                    if !questions.is_empty() {
                        return Thought::Ask(questions);
                    }
                }
                Stage::Values { plan, assumed, units } => {
                    let rankings: Vec<_> = units
                        .into_iter()
                        .map(|(unit, actions)| {
                            let mut valued = Vec::with_capacity(actions.len());
                            for (action, known) in actions {
                                let own = known.or_else(|| answers.next().map(|rate| value(action, rate)));
                                valued.push((action, own.unwrap_or(0.0)));
                            }
                            Ranking::new(unit, valued)
                        })
                        .collect();
                    let before = if plan == 0 { &[][..] } else { &assumed };
                    let tried = (0..CANDIDATES).map(|number| candidate(position, before, &rankings, number, rng));
                    let (candidates, ends): (Vec<_>, Vec<_>) = tried.unzip();
                    self.stage = Stage::Rates { plan, candidates };
                    return Thought::Ask(ends.into_iter().map(ask).collect());
                }
                Stage::Rates { plan, candidates } => {
                    let mut best = (Vec::new(), -1.0);
                    for (actions, rate) in candidates.into_iter().zip(answers.by_ref()) {
                        if rate > best.1 {
                            best = (actions, rate);
                        }
                    }
                    if plan + 1 == PLANS {
                        self.planned = Planned::new(position, best.0);
                        return Thought::Act(self.planned.next_action());
                    }
                    let questions = self.ask_values(position, plan + 1, best.0);
                    if !questions.is_empty() {
                        return Thought::Ask(questions);
                    }
                }
            }
        }
    }
}
