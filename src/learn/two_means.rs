//! The best division of numbers into two groups.

/// Two groups of numbers with the least sum of squared distances to the means of the groups.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoMeans {
    /// The means of the lower and of the upper group.
    pub centres: [f64; 2],
    /// The sum of squared distances to them.
    pub inertia: f64,
    /// Whether each number is in the lower group.
    pub is_low: Vec<bool>,
}

impl TwoMeans {
    /// Halfway between the means: numbers below belong to the lower group.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        f64::midpoint(self.centres[0], self.centres[1])
    }
}

/// Divides numbers into two groups; `None` if they are not finite or all the same.
///
/// In one dimension the groups of k-means with k = 2 are divided by a cut in the order of the numbers. All cuts are tried, so
/// that the result is exact and needs no seed.
///
/// ```
/// let groups = fairground::learn::two_means::two_means(&[5.0, 1.0, 6.0, 2.0]).unwrap();
/// assert_eq!(groups.is_low, [false, true, false, true]);
/// assert_eq!((groups.centres, groups.inertia, groups.threshold()), ([1.5, 5.5], 1.0, 3.5));
/// ```
#[must_use]
pub fn two_means(values: &[f64]) -> Option<TwoMeans> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    // About their mean the numbers are small, and their squares do not cancel.
    let mean = sorted.iter().sum::<f64>() / n;
    let mut below = 0.0;
    let mut best: Option<(f64, f64)> = None;
    for (count, pair) in (1_u32..).zip(sorted.windows(2)) {
        below += pair[0] - mean;
        // The sum above is what is missing to 0; the squares of group means weigh what a cut explains.
        let count = f64::from(count);
        let explained = below * below / count + below * below / (n - count);
        // Equal numbers are not torn apart.
        if pair[0] < pair[1] && best.is_none_or(|(most, _)| explained > most) {
            best = Some((explained, pair[1]));
        }
    }
    let (_, first_above) = best?;
    let is_low: Vec<_> = values.iter().map(|&value| value < first_above).collect();
    let (low, high) = sorted.split_at(sorted.partition_point(|&value| value < first_above));
    let centres = [low, high].map(|group| group.iter().sum::<f64>() / group.len() as f64);
    let around = |group: &[f64], centre: f64| group.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
    Some(TwoMeans { centres, inertia: around(low, centres[0]) + around(high, centres[1]), is_low })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least inertia of all ways to make two groups, in any order.
    fn least_inertia(values: &[f64]) -> f64 {
        let inertia = |set: u32| {
            let group = |wanted: bool| values.iter().enumerate().filter(move |(i, _)| (set >> i & 1 == 1) == wanted);
            let around = |wanted: bool| {
                let mean = group(wanted).map(|(_, value)| value).sum::<f64>() / group(wanted).count() as f64;
                group(wanted).map(|(_, value)| (value - mean).powi(2)).sum::<f64>()
            };
            around(true) + around(false)
        };
        (1..(1_u32 << values.len()) - 1).map(inertia).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn no_other_two_groups_are_closer(values in proptest::collection::vec(-20..20_i8, 2..9)) {
            let values: Vec<_> = values.into_iter().map(f64::from).collect();
            let Some(groups) = two_means(&values) else {
                prop_assert!(values.iter().all(|value| *value == values[0]));
                return Ok(());
            };
            prop_assert!((groups.inertia - least_inertia(&values)).abs() < 1e-9);
            prop_assert!(groups.is_low.contains(&true) && groups.is_low.contains(&false));
        }
    }

    #[test]
    fn equal_numbers_cannot_be_divided() {
        for values in [&[][..], &[1.0], &[2.0; 5], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!(two_means(values), None, "{values:?}");
        }
    }
}
