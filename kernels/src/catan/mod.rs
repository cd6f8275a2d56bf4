//! Catan: the board and the numbers of the game, shared by every backend.

pub mod tables;
