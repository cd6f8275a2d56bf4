//! Fairground plays board games in bulk to find out whether a map is fair.
//!
//! A map goes in, thousands of random games are played on it, and out comes how often each seat won,
//! how long the games were, and how sure of that one can be. The games are played in lockstep, many to
//! a CPU vector ([`Backend::Simd`](batch::Backend::Simd)) or one to a GPU thread
//! ([`Backend::Gpu`](batch::Backend::Gpu)), and always give exactly the result of the readable rules
//! engine ([`Backend::Scalar`](batch::Backend::Scalar)).
//!
//! ```text
//!  map file ──read──▶ Map ──start──▶ Position ──push──▶ Batch { positions, playouts, policy, seed }
//!                                                         │
//!                                                     Evaluator
//!                           ┌─────────────────────────────┼──────────────────────────┐
//!                           ▼                             ▼                          ▼
//!                    scalar (rules engine)       simd (kernels crate)         gpu (shaders/*.wgsl)
//!                           └─────────────────────────────┼──────────────────────────┘
//!                                                         ▼
//!                             Tally per position: wins by seat, draws, lengths (whole numbers)
//!                                                         ▼
//!                                      stats: rates, intervals, fitness (floats)
//! ```
//!
//! # Example
//!
//! ```
//! use fairground::batch::{Batch, Evaluator};
//! use fairground::games::tubstap::{Policy, Tubstap, builtin};
//! use fairground::stats;
//!
//! let seed = 1;
//! let mut batch = Batch::<Tubstap>::new(Policy::Random, seed);
//! for map in builtin::maps() {
//!     batch.push(map.start(), 1000);
//! }
//! for tally in Evaluator::default().evaluate(&batch)?.tallies {
//!     let red = stats::wilson(tally.wins[0], tally.playouts);
//!     println!("Red wins {:.2} to {:.2}, fitness {:.2}", red.low, red.high, stats::fitness(&tally));
//! }
//! # Ok::<(), fairground::batch::EvaluateError>(())
//! ```
//!
//! # Where to find what
//!
//! - [`games`]: maps, their files and generators, rules and playout policies. The rules are written to
//!   be read; everything else is tested against them.
//! - [`batch`]: the evaluator, its backends and what makes its results reproducible.
//! - [`players`]: players that search and plan, and whole games between them.
//! - [`search`]: tree search for all games.
//! - [`evolve`]: evolution of fair maps.
//! - [`learn`]: features of Catan's maps, and learning from them which are balanced.
//! - [`certify`]: certificates that the seats of a map are equal.
//! - [`runs`]: what long commands leave behind, and go on from.
//! - [`stats`]: from counts to scores and intervals. A kept tally can be scored again at no cost.
//! - [`report`]: maps as terminal text and SVG.
//! - [`papers`]: published experiments, and the same experiments here.
//!
//! The library never prints, exits or panics on input; the `fairground` program around it does the talking.

pub mod batch;
pub mod certify;
pub mod evolve;
pub mod games;
pub mod learn;
pub mod papers;
pub mod players;
pub mod report;
pub mod runs;
pub mod search;
pub mod stats;
