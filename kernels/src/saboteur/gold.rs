//! The gold of a round that is over.

use super::tables::{FEWEST_PLAYERS, GOLD, MOST_PLAYERS, PLAYERS, SABOTEURS_GOLD};
use crate::rng::Draws;

/// The gold of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Cards left with one, two and three nuggets.
    pub cards: [u8; 3],
    /// Nuggets of each seat.
    pub nuggets: [u8; MOST_PLAYERS],
}

impl Gold {
    /// The gold at the start of a game.
    pub const START: Self = Self { cards: GOLD, nuggets: [0; MOST_PLAYERS] };

    fn give(&mut self, seat: u32, nuggets: u8) {
        let own = &mut self.nuggets[seat as usize % MOST_PLAYERS];
        *own = own.saturating_add(nuggets);
    }

    /// Deals gold cards, one draw each, of the cards left sorted by nuggets. Whoever reached the gold takes the best, then
    /// the diggers against the order of turns, until no card is left. A saboteur who reached it takes none.
    pub fn pay_diggers<D: Draws>(&mut self, players: u32, saboteurs: u32, mover: u32, draws: &mut D) {
        let [.., cards] = PLAYERS[(players as usize).saturating_sub(FEWEST_PLAYERS) % PLAYERS.len()];
        let mut dealt = [0u8; 3];
        for _ in 0..cards {
            let [ones, twos, threes] = self.cards.map(u32::from);
            if ones + twos + threes == 0 {
                break;
            }
            let k = draws.below(ones + twos + threes);
            let size = usize::from(k >= ones) + usize::from(k >= ones + twos);
            self.cards[size] -= 1;
            dealt[size] += 1;
        }
        if (0..players).all(|seat| saboteurs >> seat & 1 != 0) {
            return;
        }
        let mut seat = mover;
        while let Some(size) = (0..3).rev().find(|&size| dealt[size] > 0) {
            if saboteurs >> seat & 1 == 0 {
                dealt[size] -= 1;
                self.give(seat, size as u8 + 1);
            }
            seat = if seat == 0 { players - 1 } else { seat - 1 };
        }
    }

    /// Every saboteur takes the same number of nuggets, in the order of seats.
    pub fn pay_saboteurs(&mut self, players: u32, saboteurs: u32) {
        let share = SABOTEURS_GOLD.get(saboteurs.count_ones() as usize).copied().unwrap_or(0);
        for seat in (0..players).filter(|&seat| saboteurs >> seat & 1 != 0) {
            let paid = self.take(share);
            self.give(seat, paid);
        }
    }

    /// Takes gold cards of so many nuggets, with as many threes and then twos as there can be. If the cards left cannot
    /// make it up, as many nuggets as they can. Returns how many.
    fn take(&mut self, nuggets: u8) -> u8 {
        let [ones, twos, threes] = self.cards;
        for paid in (1..=nuggets).rev() {
            for three in (0..=threes.min(paid / 3)).rev() {
                let rest = paid - 3 * three;
                for two in (0..=twos.min(rest / 2)).rev() {
                    let one = rest - 2 * two;
                    if one <= ones {
                        self.cards = [ones - one, twos - two, threes - three];
                        return paid;
                    }
                }
            }
        }
        0
    }

    /// The players with the most nuggets, one bit a seat.
    #[must_use]
    pub fn leaders(&self, players: u32) -> u32 {
        let nuggets = &self.nuggets[..(players as usize).min(MOST_PLAYERS)];
        let most = nuggets.iter().max().copied().unwrap_or(0);
        (0..).zip(nuggets).fold(0, |set, (seat, &own)| set | u32::from(own == most) << seat)
    }
}
