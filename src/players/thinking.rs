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
//! depends on which games share a batch or a thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fairground_kernels::queue::Occupancy;
use fairground_kernels::rng::{Rng, absorb};

use crate::batch::{Backend, Batch, EvaluateError, Evaluator, Tally, Watch};
use crate::games::Game;
use crate::players::Player;

/// Playouts that a thinker wants.
#[derive(Clone, Debug)]
pub struct Question<G: Game> {
    /// The position they start from.
    pub position: G::Position,
    /// How they are played.
    pub policy: G::Policy,
    /// How many.
    pub playouts: u64,
    /// Where their random numbers come from.
    pub stream: Stream,
}

/// Where the random numbers of a question's playouts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// They are the question's own.
    Own,
    /// Those of playout number `first` and following of a stream that the player numbers. Questions of a player about
    /// the same playouts of a stream share their random numbers.
    Part {
        /// The stream.
        number: u64,
        /// The first playout.
        first: u64,
    },
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

/// A player that needs no answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce<P>(
    /// The player.
    pub P,
);

impl<G: Game, P: Player<G, Rng> + Send> Thinker<G> for AtOnce<P> {
    fn think(&mut self, position: &G::Position, _: &[Tally], rng: &mut Rng) -> Thought<G> {
        Thought::Act(self.0.next_action(position, rng))
    }
}

/// A game in which somebody may be waiting for answers.
pub trait Table<G: Game> {
    /// A number that no other game has: its random numbers depend on it.
    fn key(&self) -> u64;
    /// Lets the players think until one asks, and gives the questions; none once the game is over.
    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<G>>;
}

/// Plays many games at once.
#[derive(Clone, Copy, Debug)]
pub struct Crowd<'a> {
    /// What plays the playouts. Every one of its threads plays games of its own; a GPU plays all games in one batch.
    pub evaluator: &'a Evaluator,
    /// The seed of the playouts.
    pub seed: u64,
    /// How many games share a batch. The result does not depend on it.
    pub at_a_time: usize,
}

/// The batches of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Playouts of all batches.
    pub playouts: u64,
    /// How many batches had 1, 2 to 3, 4 to 7 and so on playouts.
    pub sizes: [u64; 32],
    /// How full the lanes were.
    pub occupancy: Occupancy,
}

impl Batches {
    fn add(&mut self, playouts: u64, occupancy: Occupancy) {
        self.playouts += playouts;
        self.sizes[playouts.max(1).ilog2().min(31) as usize] += 1;
        self.occupancy.merge(occupancy);
    }

    /// Adds the batches of another run.
    pub fn merge(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.sizes.iter_mut().zip(other.sizes).for_each(|(size, more)| *size += more);
        self.occupancy.merge(other.occupancy);
    }
}

/// Games that a thread begins before it plays a batch.
const AT_ONCE: usize = 8;

/// A game and what it waits for.
struct Waiting<T> {
    number: u64,
    table: T,
    key: u64,
    /// Questions asked so far.
    asked: u64,
    /// How many of them are in the current batch.
    open: usize,
}

/// A question, the key of its random numbers and its first playout.
type Asked<G> = (u64, u64, Question<G>);

impl<T> Waiting<T> {
    /// Lets the game go on. Adds its questions; says whether there are any.
    fn go_on<G: Game>(&mut self, answers: &[Tally], questions: &mut Vec<Asked<G>>) -> bool
    where
        T: Table<G>,
    {
        let asked = self.table.go_on(answers);
        self.open = asked.len();
        for question in asked {
            let (stream, first) = match question.stream {
                Stream::Own => (absorb(1, self.asked), 0),
                Stream::Part { number, first } => (absorb(2, number), first),
            };
            questions.push((absorb(self.key, stream), first, question));
            self.asked += 1;
        }
        self.open > 0
    }
}

impl Crowd<'_> {
    /// Plays games to their ends. `deal` makes the game of a number, `finish` what is kept of it. The watcher is told of
    /// every finished game.
    ///
    /// Returns what was kept, in the order of the numbers, and how the batches were. If the watcher asks to stop, games
    /// that are not finished are missing.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play<G: Game<Policy: PartialEq>, T: Table<G>, K: Send>(
        &self,
        numbers: std::ops::Range<u64>,
        deal: impl Fn(u64) -> T + Sync,
        finish: impl Fn(u64, T) -> K + Sync,
        watch: &dyn Watch,
    ) -> Result<(Vec<(u64, K)>, Batches), EvaluateError> {
        let threads = match self.evaluator.backend() {
            Backend::Gpu(_) => 1,
            Backend::Scalar | Backend::Simd(_) => self.evaluator.threads(),
        };
        let next = AtomicU64::new(numbers.start);
        let all = Mutex::new((Vec::new(), Batches::default()));
        let work = || -> Result<(), EvaluateError> {
            let (kept, batches) = self.play_some(numbers.end, &next, threads, &deal, &finish, watch)?;
            let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.0.extend(kept);
            all.1.merge(&batches);
            Ok(())
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let joined =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.chain([own]).collect::<Result<(), _>>()
        })?;
        let (mut kept, batches) = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.sort_by_key(|&(number, _)| number);
        Ok((kept, batches))
    }

    /// Plays games on the calling thread as long as there are any.
    fn play_some<G: Game<Policy: PartialEq>, T: Table<G>, K>(
        &self,
        end: u64,
        next: &AtomicU64,
        threads: usize,
        deal: &impl Fn(u64) -> T,
        finish: &impl Fn(u64, T) -> K,
        watch: &dyn Watch,
    ) -> Result<(Vec<(u64, K)>, Batches), EvaluateError> {
        let at_a_time = self.at_a_time.div_ceil(threads).max(1);
        let mut batches = Batches::default();
        let mut kept = Vec::new();
        let mut games: Vec<Waiting<T>> = Vec::new();
        let mut questions: Vec<Asked<G>> = Vec::new();
        let mut answers: Vec<Tally> = Vec::new();
        let finish = |game: Waiting<T>| {
            watch.finished(1);
            (game.number, finish(game.number, game.table))
        };
        loop {
            questions.clear();
            let mut given = &answers[..];
            let is_over = |game: &mut Waiting<T>| {
                let (own, others) = given.split_at(game.open);
                given = others;
                !game.go_on(own, &mut questions)
            };
            kept.extend(games.extract_if(.., is_over).map(finish));
            // Games that ask for nothing are over at once, and there may be many. Of the others each thread takes a few at a
            // time, so that the first thread does not take all of the dear ones.
            let most = if threads > 1 { at_a_time.min(games.len() + AT_ONCE) } else { at_a_time };
            while games.len() < most && !watch.stop() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    break;
                }
                let table = deal(number);
                let key = table.key();
                let mut game = Waiting { number, table, key, asked: 0, open: 0 };
                if game.go_on(&[], &mut questions) {
                    games.push(game);
                } else {
                    kept.push(finish(game));
                }
            }
            if games.is_empty() || watch.stop() {
                return Ok((kept, batches));
            }
            answers = self.answer(&questions, &mut batches)?;
        }
    }

    /// Plays the playouts of all questions: one batch for each policy.
    fn answer<G: Game<Policy: PartialEq>>(
        &self,
        questions: &[Asked<G>],
        batches: &mut Batches,
    ) -> Result<Vec<Tally>, EvaluateError> {
        let mut answers = vec![Tally::default(); questions.len()];
        let mut policies: Vec<G::Policy> = Vec::new();
        for (.., question) in questions {
            if !policies.contains(&question.policy) {
                policies.push(question.policy);
            }
        }
        for policy in policies {
            let asked = || (0..).zip(questions).filter(|(_, (.., question))| question.policy == policy);
            let mut batch = Batch::<G>::new(policy, self.seed);
            for (_, &(key, first, ref question)) in asked() {
                batch.push_part(&question.position, key, first, question.playouts);
            }
            let evaluation = self.evaluator.evaluate_here(&batch)?;
            batches.add(batch.playouts(), evaluation.occupancy);
            asked().zip(evaluation.tallies).for_each(|((index, _), tally): ((usize, _), _)| answers[index] = tally);
        }
        Ok(answers)
    }
}
