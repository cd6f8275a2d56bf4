//! Catan: the trading game for four players on nineteen hexes.

pub mod map;
pub mod pieces;

pub use fairground_kernels::catan::tables;
pub use map::Map;
pub use pieces::{Port, Resource};
