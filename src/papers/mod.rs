//! Published experiments and the same experiments here.

pub mod saboteur;
pub mod tubstap;
