//! Players of TUBSTAP.

pub mod game;
pub mod mss;
pub mod muct;
pub mod reference;
pub mod table;
