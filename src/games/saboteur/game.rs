//! A whole game: three rounds and the gold.

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::tables::ROUNDS;
use fairground_kernels::saboteur::{Extent, Gold, Policy};
use fairground_kernels::{Ending, Outcome};

use super::policy;
use super::position::{Position, Winner, WrongPlayers};

/// A game between or after its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// The current round; after the last one, that.
    pub position: Position,
    /// Rounds finished.
    pub rounds: u8,
    /// The gold left and the nuggets of each seat.
    pub gold: Gold,
}

impl Game {
    /// The start of a game; the player in seat 0 begins.
    ///
    /// # Errors
    /// There are rules for three to ten players.
    pub fn start(players: usize, extent: Extent) -> Result<Self, WrongPlayers> {
        Ok(Self::of(Position::start(players, extent)?))
    }

    /// The first round of a game, at this position.
    #[must_use]
    pub const fn of(position: Position) -> Self {
        Self { position, rounds: 0, gold: Gold::START }
    }

    /// Whether all rounds have been played.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.rounds >= ROUNDS
    }

    /// Plays the rounds that are left. The one player with the most nuggets wins; if there are several nobody does.
    pub fn play<D: Draws>(&mut self, policy: Policy, draws: &mut D) -> Outcome {
        let before = draws.draws();
        let mut turns = 0;
        let ending = loop {
            if self.is_over() {
                let leaders = self.leaders();
                break if leaders.count_ones() == 1 {
                    Ending::Win(leaders.trailing_zeros() as u8)
                } else {
                    Ending::Draw
                };
            }
            let round = policy::play(&mut self.position, policy, draws);
            turns += round.actions;
            if round.ending == Ending::Truncated {
                break Ending::Truncated;
            }
            self.end_round(draws);
        };
        Outcome { ending, phases: turns, actions: turns, draws: draws.draws() - before }
    }

    /// Pays the gold of a round that is over and prepares the next one, which the player after the last mover begins.
    pub fn end_round<D: Draws>(&mut self, draws: &mut D) {
        let Some(winner) = self.position.winner else { return };
        if self.is_over() {
            return;
        }
        let [players, saboteurs] = [self.position.players.into(), self.position.saboteurs.into()];
        match winner {
            Winner::Diggers => {
                let mover = u32::from(self.position.mover) % players;
                self.gold.pay_diggers(players, saboteurs, mover, draws);
            }
            Winner::Saboteurs => self.gold.pay_saboteurs(players, saboteurs),
            Winner::Nobody => {}
        }
        self.rounds += 1;
        if !self.is_over() {
            let last = self.position.mover;
            if let Ok(next) = Position::start(self.position.players(), self.position.board().extent()) {
                self.position = Position { mover: last.saturating_add(1) % next.players, ..next };
            }
        }
    }

    /// The players with the most nuggets, one bit a seat.
    #[must_use]
    pub fn leaders(&self) -> u16 {
        self.gold.leaders(self.position.players.into()) as u16
    }
}
