//! Published experiments and the same experiments here.

pub mod catan;
pub mod evolution;
pub mod negotiation;
pub mod saboteur;
pub mod tubstap;
