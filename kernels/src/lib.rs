//! Lockstep playouts for [Fairground](../fairground/index.html).
//!
//! A kernel plays as many games side by side as the CPU has 32-bit lanes in a vector. Every lane is a
//! separate playout with its own random stream; a lane that finishes is refilled at once from the
//! [`Queue`]. Kernels do no I/O, allocate nothing in their loops and compute with integers only, so
//! that every SIMD level returns exactly what the readable rules engine returns.
//!
//! | module | subject |
//! | --- | --- |
//! | [`bits`] | sets as the bits of a word |
//! | [`rng`] | xoshiro128++, one stream per playout |
//! | [`queue`] | which playout a free lane takes next, and where its outcome goes |
//! | [`level`] | which vector instructions a CPU has |
//! | [`lanes`] | vectors of words and boards |
//! | [`catan`] | the board of the trading game |
//! | [`saboteur`] | the cards and numbers of the path-building game |
//! | [`tubstap`] | the turn-based strategy game |

pub mod bits;
pub mod catan;
pub mod lanes;
pub mod level;
pub mod queue;
pub mod rng;
pub mod saboteur;
pub mod tubstap;

pub use level::SimdLevel;
pub use queue::{Ending, Item, Moments, Outcome, Queue, Tally};
