//! Catan: the trading game for four players on nineteen hexes.

pub mod builtin;
pub mod file;
pub mod generate;
pub mod map;
pub mod pieces;
pub mod symmetry;

pub use fairground_kernels::catan::tables;
pub use map::Map;
pub use pieces::{Port, Resource};
