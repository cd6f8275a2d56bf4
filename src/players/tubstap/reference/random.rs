//! The uniformly random player.

use fairground_kernels::rng::Draws;

use crate::games::tubstap::{Position, Tubstap, policy, rules::Action};
use crate::players::Player;

/// Plays like [`Policy::Random`](crate::games::tubstap::Policy::Random).
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<D: Draws> Player<Tubstap, D> for Random {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        (position.own().unacted() != 0).then(|| policy::random_action(position, draws))
    }
}
