//! Players of TUBSTAP.

pub mod reference;
