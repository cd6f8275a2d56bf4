//! Saboteur: diggers lay paths towards hidden gold, saboteurs among them see to it that they fail.

pub mod action;
pub mod board;
pub mod cards;
pub mod check;
pub mod full;
pub mod game;
pub mod pack;
pub mod paper;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod rules;
mod shader;

pub use action::{Action, IllegalAction};
pub use board::{Board, Laid};
pub use cards::{Deck, Hand};
pub use fairground_kernels::saboteur::{
    Extent, Gold, Policy, Preset, Reading, SWITCHES, Strategy, Switch, reading, switches, tables,
};
pub use game::Game;
pub use pieces::{Card, Tool};
pub use position::{Position, Winner, WrongPlayers};

use fairground_kernels::rng::Rng;
use fairground_kernels::saboteur::{Packed, play_lockstep};
use fairground_kernels::{Outcome, Queue, SimdLevel};

use crate::batch::gpu;

/// The game, for [`Batch`](crate::batch::Batch): a playout is a round, and the seats are the two sides.
#[derive(Clone, Copy, Debug)]
pub struct Saboteur;

/// The whole game, for [`Batch`](crate::batch::Batch): a playout is three rounds, and the seats are the players.
#[derive(Clone, Copy, Debug)]
pub struct WholeGames;

macro_rules! impl_game {
    ($game:ident, $seats:expr, $is_whole:literal, $play:expr) => {
        impl super::Game for $game {
            const NAME: &'static str = "saboteur";
            const RULES_VERSION: &'static str = "saboteur-1";
            const SEATS: &'static [&'static str] = &$seats;

            type Position = Game;
            type Action = Action;
            type Policy = Policy;
            type Packed = Packed;

            fn pack(game: &Game) -> Packed {
                game.pack()
            }

            fn unpack(packed: &Packed) -> Game {
                Game::unpack(packed)
            }

            fn key(game: &Game) -> u64 {
                game.key()
            }

            fn play(game: &mut Game, policy: Policy, rng: &mut Rng) -> Outcome {
                $play(game, policy, rng)
            }

            fn play_lockstep(level: SimdLevel, policy: Policy, queue: &mut Queue<'_, Packed>) {
                play_lockstep(level, policy, $is_whole, queue);
            }

            fn shader(policy: Policy) -> gpu::Shader {
                shader::shader(policy, $is_whole)
            }
        }
    };
}

impl_game!(Saboteur, ["diggers", "saboteurs"], false, |game: &mut Game, policy, rng| policy::play(
    &mut game.position,
    policy,
    rng
));
impl_game!(WholeGames, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], true, Game::play);
