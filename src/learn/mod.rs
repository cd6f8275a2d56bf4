//! Learning which maps of Catan are balanced: the features of a map, labels, and classifiers.
//!
//! The method is that of Hwang and Kaneko: maps that were played are labelled balanced (P) or unbalanced (N) by how much
//! the seats' win rates differ, and together with maps nobody played (U) they train a linear PNU classifier (Sakai, du
//! Plessis, Niu and Sugiyama, 2017).
//!
//! - [`features`]: the 76 numbers of a map. [`moments`] sums them over millions of random maps.
//! - [`two_means`]: labels from spreads.
//! - [`prior`]: the share of balanced maps among the unlabelled.
//! - [`standard`]: features in units of their standard deviation.
//! - [`pnu`]: risks and the classifier in closed form. [`validate`] chooses its settings.
//! - [`course`]: the loop of the paper, step by step; [`unlabelled`] are the random maps it learns with and chooses from,
//!   [`method`] is how it does so, and [`run`] keeps it in a directory.
//! - [`ridge`]: the alternative, which predicts the seats' advantages instead of a label.

pub mod course;
pub mod features;
pub mod method;
pub mod moments;
pub mod pnu;
pub mod prior;
pub mod ridge;
pub mod rows;
pub mod run;
pub mod standard;
pub mod two_means;
pub mod unlabelled;
pub mod validate;

pub use rows::Rows;
