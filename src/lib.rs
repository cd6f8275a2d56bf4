//! Fairground plays board games in bulk to find out whether a map is fair.

pub mod batch;
pub mod games;
pub mod report;
