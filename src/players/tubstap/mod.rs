//! Players of TUBSTAP.

pub mod choice;
pub mod contest;
pub mod game;
pub mod mss;
pub mod muct;
pub mod reference;
pub mod table;
