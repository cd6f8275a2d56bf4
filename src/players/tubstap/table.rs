//! A game of TUBSTAP between two thinkers.

use fairground_kernels::rng::{Draws, Rng, absorb};

use super::game::{Ongoing, Played, Refused};
use crate::batch::Tally;
use crate::games::tubstap::{Position, Tubstap};
use crate::players::thinking::{Question, Stream, Table, Thinker, Thought};

/// A game in progress. Red's player comes first.
pub struct Seats {
    game: Ongoing,
    players: [Box<dyn Thinker<Tubstap>>; 2],
    key: u64,
    rng: Rng,
    refused: Option<Refused>,
}

impl Seats {
    /// Game number `number` of a run from `start`.
    #[must_use]
    pub fn new(start: &Position, players: [Box<dyn Thinker<Tubstap>>; 2], seed: u64, number: u64) -> Self {
        let rng = Rng::for_playout(seed, start.key(), number);
        Self { game: Ongoing::new(start), players, key: absorb(start.key(), number), rng, refused: None }
    }

    /// The game once it is over.
    ///
    /// # Errors
    /// If a player made an illegal action.
    pub fn finish(self) -> Result<Played, Refused> {
        self.refused.map_or_else(|| Ok(self.game.finish(self.rng.draws())), Err)
    }
}

impl Table<Tubstap> for Seats {
    fn key(&self) -> u64 {
        self.key
    }

    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<Tubstap>> {
        let mut answers = answers;
        while let Some(team) = self.game.to_move() {
            match self.players[team.index()].think(self.game.position(), answers, &mut self.rng) {
                Thought::Ask(mut questions) if !questions.is_empty() => {
                    // What a player numbers is its own.
                    for question in &mut questions {
                        if let Stream::Part { number, .. } = &mut question.stream {
                            *number = absorb(team.index() as u64, *number);
                        }
                    }
                    return questions;
                }
                Thought::Ask(_) => {}
                Thought::Act(action) => {
                    if let Err(refused) = self.game.act(action) {
                        self.refused = Some(refused);
                        return Vec::new();
                    }
                }
            }
            answers = &[];
        }
        Vec::new()
    }
}
