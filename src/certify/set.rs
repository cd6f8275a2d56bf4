//! Certificates of several maps that were tested together.

use std::collections::BTreeSet;

use super::{Certificate, Verdict};
use crate::stats::seats::evidence::Correction;

/// What can be said of some certificates together.
#[derive(Clone, Debug, PartialEq)]
pub enum Together {
    /// Each stands for itself: its E value is enough whatever became of other maps.
    Alone,
    /// All of a set are here: so many of so many maps are certified, and each E value is at least this.
    Whole(usize, usize, f64),
    /// They speak of more certified maps than these, so that e-BH cannot be checked.
    Missing(usize, usize),
    /// They are not of the same test, so that e-BH cannot be checked.
    Different,
    /// The E value of this certificate, by its place, is below the one that so many certified maps ask for.
    Below(usize, f64),
}

/// Whether the certified maps among these are a set that e-BH certifies. Each certificate states how many maps were certified
/// with it, which lowers the E value it needs: that is true if so many certificates of different maps are there. The
/// certificates themselves must have been [verified](Certificate::verify).
#[must_use]
pub fn together(certificates: &[&Certificate]) -> Together {
    let certified = || certificates.iter().enumerate().filter(|(_, one)| one.verdict == Verdict::Certified);
    let needs_others = |one: &Certificate| one.correction == Correction::EBh && one.certified_maps > 1;
    let Some((_, first)) = certified().find(|(_, one)| needs_others(one)) else { return Together::Alone };
    let test = |one: &Certificate| {
        (one.maps, one.correction, one.level, one.sigma_points, one.players.clone(), one.turn_cap, one.seed)
    };
    if certificates.iter().any(|one| test(one) != test(first)) {
        return Together::Different;
    }
    let different = certified().map(|(_, one)| &one.map_hash).collect::<BTreeSet<_>>().len();
    let stated = certified().map(|(_, one)| one.certified_maps).max().unwrap_or(0);
    if different < stated {
        return Together::Missing(different, stated);
    }
    let least = first.correction.log_threshold(first.maps, different, first.level).exp();
    match certified().find(|(_, one)| one.e_value < least * (1.0 - super::certificate::ROUNDING)) {
        Some((place, _)) => Together::Below(place, least),
        None => Together::Whole(different, first.maps, least),
    }
}
