//! Many games between two players.

use super::choice::Choice;
use super::game::{Played, Refused};
use super::table::Seats;
use crate::batch::{EvaluateError, Watch};
use crate::games::tubstap::{Position, Team};
use crate::players::thinking::{Batches, Crowd};

/// Two players and where they meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The positions at the start of games.
    pub starts: Vec<Position>,
    /// The first player and the second. The first is Red unless they change seats.
    pub players: [Choice; 2],
    /// Games from each start.
    pub games: u64,
    /// Whether they change seats after every game.
    pub has_swaps: bool,
}

/// One game of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Which start.
    pub start: usize,
    /// Which game from there, counting from 0.
    pub number: u64,
    /// The first player's side.
    pub first: Team,
}

impl Contest {
    /// How many games there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.games * self.starts.len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A game by its number in the whole contest: start after start.
    #[must_use]
    pub const fn pairing(&self, number: u64) -> Pairing {
        let games = if self.games == 0 { 1 } else { self.games };
        let (start, number) = (number / games, number % games);
        let first = if self.has_swaps && number % 2 == 1 { Team::Blue } else { Team::Red };
        Pairing { start: start as usize, number, first }
    }

    /// Plays all games; `keep` makes of each what is wanted of it. A game depends on the seed, its start, the players and
    /// its number from that start, and on nothing else, unless a player's time is limited.
    ///
    /// Returns what was kept, in order, and how the batches were. If the watcher asks to stop, games that were not
    /// finished are missing.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play<K: Send>(
        &self,
        crowd: &Crowd<'_>,
        keep: impl Fn(Pairing, Result<Played, Refused>) -> K + Sync,
        watch: &dyn Watch,
    ) -> Result<(Vec<(u64, K)>, Batches), EvaluateError> {
        let deal = |number| {
            let Pairing { start, number, first } = self.pairing(number);
            let [one, other] = self.players.each_ref().map(Choice::thinker);
            let players = if first == Team::Red { [one, other] } else { [other, one] };
            Seats::new(&self.starts[start], players, crowd.seed, number)
        };
        crowd.play(0..self.len(), deal, |number, seats| keep(self.pairing(number), seats.finish()), watch)
    }
}
