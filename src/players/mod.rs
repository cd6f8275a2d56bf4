//! Players that search and plan, and whole games between them.
//!
//! A [`Policy`](crate::games::Game::Policy) chooses in an instant, for the millions of moves of playouts. A player may think
//! about each move, usually by means of playouts.

use fairground_kernels::rng::Draws;

use crate::games::Game;

pub mod catan;
pub mod settings;
pub mod thinking;
pub mod tubstap;

/// Somebody who plays a game, asked for one action at a time.
///
/// A player may remember what it planned, so every game needs players of its own. Its random choices come from the
/// generator it is given and from nowhere else: same position, same memory, same generator, same action.
pub trait Player<G: Game, D: Draws> {
    /// The next action of the side to move, or `None` if that side's turn is to end here.
    fn next_action(&mut self, position: &G::Position, draws: &mut D) -> Option<G::Action>;
}
