//! Players of Catan.

use fairground_kernels::rng::Draws;

use super::Player;
use crate::games::catan::policy::Decider;
use crate::games::catan::{Action, Catan, Position};

pub mod choice;
pub mod contest;
pub mod hidden;
pub mod negotiation;
pub mod table;
pub mod uct;

impl<D: Draws> Player<Catan, D> for Decider {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        self.decide(position, draws)
    }
}
