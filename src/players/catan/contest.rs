//! Many games between four players.

use super::choice::Choice;
use super::table::{Played, Refused, Seats};
use crate::batch::{EvaluateError, Watch};
use crate::games::catan::tables::SEATS;
use crate::games::catan::{Catan, Position};
use crate::players::thinking::{Batches, Crowd, Thinker};

/// A kind of player who can take a seat.
pub trait Sits: Sync {
    /// The player for one game.
    fn thinker(&self) -> Box<dyn Thinker<Catan>>;
}

/// Four players and where they meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest<P = Choice> {
    /// The positions at the start of games.
    pub starts: Vec<Position>,
    /// The players, by seat unless they rotate.
    pub players: [P; SEATS],
    /// Games from each start.
    pub games: u64,
    /// Whether everybody moves on by one seat after every game.
    pub has_rotation: bool,
    /// Turns after which a game is cut off.
    pub turn_cap: u32,
}

/// One game of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Which start.
    pub start: usize,
    /// Which game from there, counting from 0.
    pub number: u64,
    /// The seat of the first player. The others follow in their order.
    pub first: usize,
}

impl Seating {
    /// The seat of a player.
    #[must_use]
    pub const fn seat_of(&self, player: usize) -> usize {
        (self.first + player) % SEATS
    }

    /// The player in a seat.
    #[must_use]
    pub const fn player_in(&self, seat: usize) -> usize {
        (seat + SEATS - self.first) % SEATS
    }
}

/// What was kept of games, with their numbers.
pub type Kept<K> = Vec<(u64, K)>;

impl<P: Sits> Contest<P> {
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
    pub const fn seating(&self, number: u64) -> Seating {
        let games = if self.games == 0 { 1 } else { self.games };
        let (start, number) = (number / games, number % games);
        let first = if self.has_rotation { (number % SEATS as u64) as usize } else { 0 };
        Seating { start: start as usize, number, first }
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
        keep: impl Fn(Seating, Result<Played, Refused>) -> K + Sync,
        watch: &dyn Watch,
    ) -> Result<(Kept<K>, Batches), EvaluateError> {
        self.play_as(crowd, keep, watch, |seats| seats)
    }

    /// [`play`](Self::play) that keeps the positions in which trades can first be proposed.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play_keeping_moments<K: Send>(
        &self,
        crowd: &Crowd<'_>,
        keep: impl Fn(Seating, Result<Played, Refused>) -> K + Sync,
        watch: &dyn Watch,
    ) -> Result<(Kept<K>, Batches), EvaluateError> {
        self.play_as(crowd, keep, watch, Seats::keeping_moments)
    }

    /// Plays the games of several contests as one crowd, contest by contest, so that the last games of one share their
    /// batches with others. `keep` is told the contest; so is what it made of a game.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play_together<K: Send>(
        contests: &[Self],
        crowd: &Crowd<'_>,
        keep: impl Fn(usize, Seating, Result<Played, Refused>) -> K + Sync,
        watch: &dyn Watch,
    ) -> Result<(Vec<Kept<K>>, Batches), EvaluateError> {
        let mut ends = Vec::new();
        let all = contests.iter().fold(0, |sum, contest| {
            ends.push(sum + contest.len());
            sum + contest.len()
        });
        // The contest of a game, and its number there.
        let place = |number: u64| {
            let index = ends.partition_point(|&end| end <= number);
            (index, number + contests[index].len() - ends[index])
        };
        let deal = |number| {
            let (index, own) = place(number);
            contests[index].deal(own, crowd.seed)
        };
        let finish = |number, seats: Seats| {
            let (index, own) = place(number);
            keep(index, contests[index].seating(own), seats.finish())
        };
        let (games, batches) = crowd.play(0..all, deal, finish, watch)?;
        let mut kept: Vec<Kept<K>> = contests.iter().map(|_| Vec::new()).collect();
        for (number, game) in games {
            let (index, own) = place(number);
            kept[index].push((own, game));
        }
        Ok((kept, batches))
    }

    /// The game of this number.
    fn deal(&self, number: u64, seed: u64) -> Seats {
        let seating = self.seating(number);
        let players = std::array::from_fn(|seat| self.players[seating.player_in(seat)].thinker());
        Seats::new(&self.starts[seating.start], players, self.turn_cap, seed, seating.number)
    }

    fn play_as<K: Send>(
        &self,
        crowd: &Crowd<'_>,
        keep: impl Fn(Seating, Result<Played, Refused>) -> K + Sync,
        watch: &dyn Watch,
        seated: impl Fn(Seats) -> Seats + Sync,
    ) -> Result<(Kept<K>, Batches), EvaluateError> {
        let deal = |number| seated(self.deal(number, crowd.seed));
        crowd.play(0..self.len(), deal, |number, seats| keep(self.seating(number), seats.finish()), watch)
    }
}
