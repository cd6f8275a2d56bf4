//! What is measured of players who negotiate: wins, and what becomes of proposals.

use crate::batch::{Moments, Tally};
use crate::games::catan::tables::SEATS;
use crate::players::catan::contest::Seating;
use crate::players::catan::table::{Played, Trade};
use crate::stats::Ratio;

/// How a player did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Games from each seat.
    pub games: [u64; SEATS],
    /// Those of them that the player won.
    pub wins: [u64; SEATS],
    /// Accepted proposals among those the player made.
    pub success: Ratio,
    /// Accepted proposals among those made to the player.
    pub acceptance: Ratio,
}

impl Measures {
    /// Games from all seats.
    #[must_use]
    pub fn all_games(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Wins from all seats.
    #[must_use]
    pub fn all_wins(&self) -> u64 {
        self.wins.iter().sum()
    }

    fn add(&mut self, seat: usize, has_won: bool, trade: &Trade) {
        self.games[seat] += 1;
        self.wins[seat] += u64::from(has_won);
        self.success.add(trade.succeeded.into(), trade.made.into());
        self.acceptance.add(trade.accepted.into(), trade.received.into());
    }

    fn merge(&mut self, other: &Self) {
        for seat in 0..SEATS {
            self.games[seat] += other.games[seat];
            self.wins[seat] += other.wins[seat];
        }
        self.success.merge(&other.success);
        self.acceptance.merge(&other.acceptance);
    }
}

/// Games of four players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The players in the order in which they were named.
    pub players: [Measures; SEATS],
    /// Games that were cut off.
    pub truncated: u64,
    /// Turns of the games.
    pub turns: Moments,
}

impl Results {
    /// Of one game.
    #[must_use]
    pub fn of(seating: &Seating, played: &Played) -> Self {
        let mut results = Self::default();
        let mut tally = Tally::default();
        tally.add(&played.outcome);
        results.truncated = tally.truncated;
        results.turns = tally.phases;
        for (player, measures) in results.players.iter_mut().enumerate() {
            let seat = seating.seat_of(player);
            measures.add(seat, tally.wins[seat] > 0, &played.trade[seat]);
        }
        results
    }

    /// Adds other games of the same players.
    pub fn merge(&mut self, other: &Self) {
        self.players.iter_mut().zip(&other.players).for_each(|(sum, more)| sum.merge(more));
        self.truncated += other.truncated;
        self.turns.sum += other.turns.sum;
        self.turns.squares += other.turns.squares;
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.players[0].all_games()
    }
}
