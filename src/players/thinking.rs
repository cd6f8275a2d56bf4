//! Players that think by means of playouts, and many of them at once.
//!
//! A thinker does not play playouts itself. It asks for them, waits for the answers, and goes on; so a whole crowd of
//! games can put their questions into one batch of the evaluator:
//!
//! ```text
//! game 0   think -> ask 3 positions \            / answers -> think -> act, act, think -> ask ...
//! game 1   think -> ask 1 position   > one batch   answers -> think -> ask ...
//! game 2   think -> act, think -> ask /            \ ...
//! ```
//!
//! Every question has random numbers of its own, by the seed, the game and the number of the question, so that nothing
//! depends on which games share a batch.

use fairground_kernels::rng::{Rng, absorb};

use crate::batch::{Batch, EvaluateError, Evaluator, Tally};
use crate::games::Game;

/// Playouts that a thinker wants.
#[derive(Clone, Debug)]
pub struct Question<G: Game> {
    /// The position they start from.
    pub position: G::Position,
    /// How they are played.
    pub policy: G::Policy,
    /// How many.
    pub playouts: u64,
    /// Questions of a game with the same number share their random numbers; each has its own if there is none.
    pub stream: Option<u64>,
}

/// What comes of a moment of thought.
#[derive(Clone, Debug)]
pub enum Thought<G: Game> {
    /// These playouts are wanted before the thinker can go on.
    Ask(Vec<Question<G>>),
    /// This is the next action, or the end of the turn.
    Act(Option<G::Action>),
}

/// A player of one game that asks for its playouts.
pub trait Thinker<G: Game>: Send {
    /// Goes on thinking about the position. `answers` belong to the questions it asked last, in their order; there are
    /// none if it asked none. Random choices come from the generator.
    fn think(&mut self, position: &G::Position, answers: &[Tally], rng: &mut Rng) -> Thought<G>;
}

/// A game in which somebody may be waiting for answers.
pub trait Table<G: Game> {
    /// Lets the players think until one asks, and gives the questions; none once the game is over.
    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<G>>;
}

/// A game and what it waits for.
struct Waiting<T> {
    table: T,
    /// Hash of what tells its random numbers from those of other games.
    key: u64,
    /// Questions asked so far.
    asked: u64,
    /// How many of them are in the current batch.
    open: usize,
}

/// How the batches of a run were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Playouts of all batches.
    pub playouts: u64,
    /// Numbers of batches by the power of two that their playouts reach.
    pub sizes: [u64; 32],
    /// How full the lanes were.
    pub busy: u64,
    /// All lane-steps.
    pub lane_steps: u64,
}

/// Plays games to their ends, so many at a time. `deal` makes game number `number`, with a key that no other game has.
///
/// # Errors
/// If the evaluator fails.
pub fn play_all<G: Game<Policy: PartialEq>, T: Table<G>>(
    evaluator: &Evaluator,
    seed: u64,
    numbers: std::ops::Range<u64>,
    at_a_time: usize,
    mut deal: impl FnMut(u64) -> (T, u64),
    mut finished: impl FnMut(u64, T),
) -> Result<Batches, EvaluateError> {
    let mut batches = Batches::default();
    let mut next = numbers.start;
    let mut games: Vec<(u64, Waiting<T>)> = Vec::new();
    let mut answers: Vec<Tally> = Vec::new();
    loop {
        let mut questions: Vec<(u64, Question<G>)> = Vec::new();
        let mut given = answers.iter();
        let mut ask = |waiting: &mut Waiting<T>, answers: &[Tally]| {
            let asked = waiting.table.go_on(answers);
            waiting.open = asked.len();
            for question in asked {
                let stream = question.stream.map_or_else(|| absorb(1, waiting.asked), |stream| absorb(2, stream));
                questions.push((absorb(waiting.key, stream), question));
                waiting.asked += 1;
            }
            waiting.open > 0
        };
        let mut going: Vec<(u64, Waiting<T>)> = Vec::with_capacity(at_a_time);
        for (number, mut waiting) in games {
            let own: Vec<Tally> = given.by_ref().take(waiting.open).copied().collect();
            if ask(&mut waiting, &own) {
                going.push((number, waiting));
            } else {
                finished(number, waiting.table);
            }
        }
        while going.len() < at_a_time.max(1) && next < numbers.end {
            let (table, key) = deal(next);
            let mut waiting = Waiting { table, key, asked: 0, open: 0 };
            if ask(&mut waiting, &[]) {
                going.push((next, waiting));
            } else {
                finished(next, waiting.table);
            }
            next += 1;
        }
        games = going;
        if games.is_empty() {
            return Ok(batches);
        }
        answers = answer(evaluator, seed, &questions, &mut batches)?;
    }
}

/// Plays the playouts of all questions: one batch for each policy.
fn answer<G: Game<Policy: PartialEq>>(
    evaluator: &Evaluator,
    seed: u64,
    questions: &[(u64, Question<G>)],
    batches: &mut Batches,
) -> Result<Vec<Tally>, EvaluateError> {
    let mut answers = vec![Tally::default(); questions.len()];
    let mut policies: Vec<G::Policy> = Vec::new();
    for (_, question) in questions {
        if !policies.contains(&question.policy) {
            policies.push(question.policy);
        }
    }
    for policy in policies {
        let asked = || (0..).zip(questions).filter(|(_, (_, question))| question.policy == policy);
        let mut batch = Batch::<G>::new(policy, seed);
        asked().for_each(|(_, (key, question))| batch.push_part(&question.position, *key, 0, question.playouts));
        let evaluation = evaluator.evaluate(&batch)?;
        asked().zip(evaluation.tallies).for_each(|((index, _), tally): ((usize, _), _)| answers[index] = tally);
        batches.playouts += batch.playouts();
        batches.sizes[batch.playouts().max(1).ilog2().min(31) as usize] += 1;
        batches.busy += evaluation.occupancy.busy;
        batches.lane_steps += evaluation.occupancy.total;
    }
    Ok(answers)
}
