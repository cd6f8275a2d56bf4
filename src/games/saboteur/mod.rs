//! Saboteur: diggers lay paths towards hidden gold, saboteurs among them see to it that they fail.

pub mod action;
pub mod board;
pub mod cards;
pub mod check;
pub mod game;
pub mod paper;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod rules;

pub use action::{Action, IllegalAction};
pub use board::{Board, Laid};
pub use cards::{Deck, Hand};
pub use fairground_kernels::saboteur::{Extent, Policy, Preset, Reading, Strategy, reading, tables};
pub use game::Game;
pub use pieces::{Card, Tool};
pub use position::{Position, Winner, WrongPlayers};
