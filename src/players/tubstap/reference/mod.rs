//! The players of the original program on the readable rules engine.
//!
//! With the random numbers of the original they make its decisions, draw by draw; that is what they are for. Faster players
//! are compared with them.
//!
//! | player | how it chooses |
//! | --- | --- |
//! | [`Random`] | a uniform unit, a uniform action of it |
//! | [`MaxAct`] | the attack that pays best at once, or a step to a good place |
//! | [`Mss`] | a plan for the whole phase: actions by playouts on a reduced board, then combinations of them by playouts |
//! | [`Muct`] | tree search over single unit actions |

pub mod attacks;
pub mod maxact;
pub mod mss;
pub mod muct;
mod random;
pub mod sort;

pub use maxact::MaxAct;
pub use mss::Mss;
pub use muct::Muct;
pub use random::Random;
