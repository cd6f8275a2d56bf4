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

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(map: &str, certified_maps: usize, e_value: f64) -> Certificate {
        Certificate {
            verdict: Verdict::Certified,
            name: map.into(),
            sigma_points: 0.28,
            level: 0.05,
            correction: Correction::EBh,
            maps: 3,
            certified_maps,
            players: ["random"; 4].map(String::from),
            turn_cap: 1000,
            seed: 1,
            games: 100_000,
            seat_wins: [25_000; 4],
            truncated: 0,
            spread_points: 0.0,
            e_value,
            map: serde_json::Value::Null,
            map_hash: map.into(),
            rules_version: String::new(),
            program_version: String::new(),
            digest: String::new(),
        }
    }

    #[test]
    fn a_set_is_whole_if_there_are_as_many_maps_as_are_stated() {
        let (first, second) = (certificate("a", 1, 61.0), certificate("b", 2, 31.0));
        let dropped = Certificate { verdict: Verdict::Dropped, ..certificate("c", 2, 0.01) };
        let all = [&first, &second, &dropped];
        assert!(matches!(together(&all), Together::Whole(2, 3, least) if (least - 30.0).abs() < 1e-9));
        assert_eq!(together(&[&first]), Together::Alone, "61 is enough for one of three");
        assert_eq!(together(&[&second]), Together::Missing(1, 2));
        assert_eq!(together(&[&second, &second]), Together::Missing(1, 2), "a copy is no other map");
        assert_eq!(together(&[]), Together::Alone);
        let weak = certificate("b", 2, 29.0);
        assert!(matches!(together(&[&first, &weak]), Together::Below(1, _)));
        for other in [Certificate { maps: 4, ..first.clone() }, Certificate { seed: 2, ..first.clone() }] {
            assert_eq!(together(&[&other, &second]), Together::Different);
        }
        let strict = Certificate { correction: Correction::Bonferroni, ..second };
        assert_eq!(together(&[&strict]), Together::Alone);
    }
}
