//! Players of TUBSTAP.

pub mod game;
pub mod reference;
