//! A whole game: three rounds and the gold.

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::tables::{GOLD, MOST_PLAYERS, ROUNDS, SABOTEURS_GOLD};
use fairground_kernels::saboteur::{Extent, Policy};
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
    /// Nuggets of each seat.
    pub nuggets: [u8; MOST_PLAYERS],
    /// Gold cards left with one, two and three nuggets.
    pub gold: [u8; 3],
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
        Self { position, rounds: 0, nuggets: [0; MOST_PLAYERS], gold: GOLD }
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
        match winner {
            Winner::Diggers => self.pay_diggers(draws),
            Winner::Saboteurs => self.pay_saboteurs(),
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

    /// Deals gold cards, one draw each, of the cards left sorted by nuggets. Whoever reached the gold takes the best, then
    /// the diggers against the order of turns, until no card is left. A saboteur who reached it takes none.
    fn pay_diggers<D: Draws>(&mut self, draws: &mut D) {
        let [.., cards] = self.position.numbers();
        let mut dealt = [0u8; 3];
        for _ in 0..cards {
            let left = self.gold.map(u32::from);
            let total = left.iter().sum();
            if total == 0 {
                break;
            }
            let k = draws.below(total);
            let size = usize::from(k >= left[0]) + usize::from(k >= left[0] + left[1]);
            self.gold[size] -= 1;
            dealt[size] += 1;
        }
        let players = self.position.players;
        if (0..players).all(|seat| self.position.is_saboteur(seat)) {
            return;
        }
        let mut seat = self.position.mover;
        while let Some(size) = (0..3).rev().find(|&size| dealt[size] > 0) {
            if !self.position.is_saboteur(seat) {
                dealt[size] -= 1;
                let nuggets = &mut self.nuggets[usize::from(seat) % MOST_PLAYERS];
                *nuggets = nuggets.saturating_add(size as u8 + 1);
            }
            seat = if seat == 0 { players - 1 } else { seat - 1 };
        }
    }

    /// Every saboteur takes the same number of nuggets, in the order of seats.
    fn pay_saboteurs(&mut self) {
        let saboteurs = self.position.saboteurs;
        let share = SABOTEURS_GOLD.get(saboteurs.count_ones() as usize).copied().unwrap_or(0);
        for seat in (0..self.position.players).filter(|&seat| saboteurs >> seat & 1 != 0) {
            let paid = self.take_gold(share);
            let nuggets = &mut self.nuggets[usize::from(seat) % MOST_PLAYERS];
            *nuggets = nuggets.saturating_add(paid);
        }
    }

    /// Takes gold cards of so many nuggets, with as many threes and then twos as there can be. If the cards left cannot
    /// make it up, as many nuggets as they can. Returns how many.
    fn take_gold(&mut self, nuggets: u8) -> u8 {
        let [ones, twos, threes] = self.gold;
        for paid in (1..=nuggets).rev() {
            for three in (0..=threes.min(paid / 3)).rev() {
                let rest = paid - 3 * three;
                for two in (0..=twos.min(rest / 2)).rev() {
                    let one = rest - 2 * two;
                    if one <= ones {
                        self.gold = [ones - one, twos - two, threes - three];
                        return paid;
                    }
                }
            }
        }
        0
    }

    /// The players with the most nuggets, one bit a seat.
    #[must_use]
    pub fn leaders(&self) -> u16 {
        let nuggets = &self.nuggets[..self.position.players()];
        let most = nuggets.iter().max().copied().unwrap_or(0);
        (0..).zip(nuggets).fold(0, |set, (seat, &own)| set | u16::from(own == most) << seat)
    }
}
