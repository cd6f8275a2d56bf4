//! Catan: the trading game for four players on nineteen hexes.

pub mod action;
pub mod builtin;
pub mod cards;
pub mod check;
pub mod file;
pub mod generate;
pub mod longest_road;
pub mod map;
pub mod pieces;
pub mod policy;
pub mod position;
pub mod rules;
pub mod symmetry;
pub mod trade;
pub mod wall;

pub use action::{Action, Chance, IllegalAction};
pub use cards::Cards;
pub use fairground_kernels::catan::{Policy, TURN_CAP, tables};
pub use map::Map;
pub use pieces::{Card, Port, Resource};
pub use position::{Land, Phase, Player, Position};
pub use trade::Offer;
pub use wall::Roads;
