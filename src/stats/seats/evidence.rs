//! Evidence that collects game by game: is the true spread of four seats below a bound?
//!
//! The E value weighs a true spread of 0 and one of half the bound, evenly, against the bound itself. If the true spread is
//! the bound its mean is 1, whatever the number of games, and larger spreads only lower it. So one may look as often as one
//! likes and stop when it reaches 20: that happens to at most 5 % of the maps at the bound.

use super::balance::equality_statistic;

/// Below this E value a map is given up: it will hardly ever be certified.
pub const DROP: f64 = 1.0 / 20.0;

/// `log(sinh(u) / u)`.
fn log_sinh_ratio(u: f64) -> f64 {
    if u < 1e-4 { u * u / 6.0 } else { u + (-(-2.0 * u).exp()).ln_1p() - (2.0 * u).ln() }
}

/// The logarithm of the E value against a true spread of `bound` or more, from the spread over so many games.
#[must_use]
pub fn log_e_value(spread: f64, games: u64, bound: f64) -> f64 {
    let n = games as f64;
    let log_likelihood =
        |sigma: f64| -0.5 * equality_statistic(sigma, games) + log_sinh_ratio(12.0 * n * sigma * spread);
    let (none, half) = (log_likelihood(0.0), log_likelihood(bound / 2.0));
    let larger = none.max(half);
    larger + ((none - larger).exp() + (half - larger).exp()).ln() - 2_f64.ln() - log_likelihood(bound)
}

/// The fewest games after which the logarithm of the E value can reach a threshold: with no spread at all. `None` if no
/// number of games is enough, because the bound is not above 0.
#[must_use]
pub fn least_games(bound: f64, log_threshold: f64) -> Option<u64> {
    let is_enough = |games| bound > 0.0 && log_e_value(0.0, games, bound) >= log_threshold;
    let mut high = 1_u64;
    while !is_enough(high) {
        high = high.checked_mul(2).filter(|&games| games < 1 << 60)?;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if is_enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// How the wrong certificates among many maps are kept few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// The share of wrong ones among the certified is at most the level, on average (e-BH).
    #[default]
    EBh,
    /// The probability of a single wrong one is at most the level (Bonferroni).
    Bonferroni,
}

impl Correction {
    /// The logarithm of the E value that is asked for if so many of all maps are certified.
    #[must_use]
    pub fn log_threshold(self, maps: usize, certified: usize, level: f64) -> f64 {
        let shared = match self {
            Self::EBh => certified.max(1),
            Self::Bonferroni => 1,
        };
        (maps as f64 / (level * shared as f64)).ln()
    }

    /// Which maps are certified, by the logarithms of their E values.
    ///
    /// With e-BH these are the `k` with the largest E values, for the largest `k` at which the smallest of them is at least
    /// `maps / (level k)`.
    ///
    /// ```
    /// use fairground::stats::seats::evidence::Correction;
    /// let values = [25.0_f64, 45.0, 0.5, 21.0].map(f64::ln);
    /// assert_eq!(Correction::EBh.certified(&values, 0.05), [false, false, false, false]);
    /// let values = [30.0_f64, 45.0, 0.5, 27.0].map(f64::ln);
    /// assert_eq!(Correction::EBh.certified(&values, 0.05), [true, true, false, true]);
    /// assert_eq!(Correction::Bonferroni.certified(&values, 0.05), [false; 4]);
    /// ```
    #[must_use]
    pub fn certified(self, log_e_values: &[f64], level: f64) -> Vec<bool> {
        let mut sorted = log_e_values.to_vec();
        sorted.retain(|value| !value.is_nan());
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let threshold = |count| self.log_threshold(log_e_values.len(), count, level);
        let most = (1..=sorted.len()).rev().find(|&count| sorted[count - 1] >= threshold(count));
        let least = most.map_or(f64::INFINITY, threshold);
        log_e_values.iter().map(|&value| value >= least).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_sinh_joins_smoothly_and_never_overflows() {
        for u in [1e-4_f64, 0.3, 5.0] {
            assert!((log_sinh_ratio(u) - (u.sinh() / u).ln()).abs() < 1e-9, "{u}");
        }
        assert_eq!(log_sinh_ratio(0.0), 0.0);
        assert!((log_sinh_ratio(1e6) - (1e6 - 2e6_f64.ln())).abs() < 1e-6);
    }

    #[test]
    fn evidence_falls_with_the_spread() {
        let mut last = f64::INFINITY;
        for hundredths in 0..100 {
            let value = log_e_value(f64::from(hundredths) * 1e-4, 100_000, 0.0028);
            assert!(value < last, "{hundredths}");
            last = value;
        }
        assert!(last < DROP.ln());
    }

    #[test]
    fn the_fewest_games_are_just_enough() {
        let games = least_games(0.0028, 20_f64.ln()).expect("a bound above 0");
        assert!(log_e_value(0.0, games, 0.0028) >= 20_f64.ln());
        assert!(log_e_value(0.0, games - 1, 0.0028) < 20_f64.ln());
        assert!((70_000..90_000).contains(&games), "{games}");
        assert_eq!((least_games(0.0, 3.0), least_games(-1.0, 3.0), least_games(f64::NAN, 3.0)), (None, None, None));
        assert_eq!(least_games(1e-12, 3.0), None);
    }

    #[test]
    fn more_certified_maps_ask_for_less() {
        let level = 0.05;
        let values = [400.0_f64, 150.0, 70.0, 50.0, 1.0].map(f64::ln);
        assert_eq!(Correction::EBh.certified(&values, level), [true, true, true, true, false]);
        assert_eq!(Correction::Bonferroni.certified(&values, level), [true, true, false, false, false]);
        assert!(Correction::EBh.certified(&[], level).is_empty());
        assert_eq!(Correction::EBh.certified(&[f64::NAN, 3.7], level), [false, true]);
        assert_eq!(
            Correction::EBh.certified(&[f64::NAN, 3.6], level),
            [false, false],
            "what is unknown is no evidence"
        );
    }
}
