//! Evolution of fair maps.

pub mod variation;
