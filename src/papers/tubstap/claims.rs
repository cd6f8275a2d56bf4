//! What becomes of the paper's claims: one sentence each.

use super::depth::{Fit, Profile, nearest};
use super::matches::Played;
use super::{CHILDREN, Children, Estimate, MAPS, PAIRS, Results, Row, both_seats, significant};

/// The pruned player's score over both seats in each of [`PAIRS`], and which of them differ from one half in a family of
/// that many two-sided tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The scores.
    pub scores: [Estimate; PAIRS.len()],
    /// Whether each is significantly above one half, below, or neither.
    pub verdicts: [Verdict; PAIRS.len()],
}

/// What pruning does to the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is higher.
    Higher,
    /// It is lower.
    Lower,
    /// Neither is shown.
    Neither,
}

impl Scores {
    /// Of results first and second.
    #[must_use]
    pub fn of(results: &[[Results; 2]; PAIRS.len()]) -> Self {
        let scores = results.map(both_seats);
        let found = significant(&scores.map(|score| score.p(0.5)));
        let verdicts = std::array::from_fn(|pair| match (found[pair], scores[pair].value > 0.5) {
            (true, true) => Verdict::Higher,
            (true, false) => Verdict::Lower,
            (false, _) => Verdict::Neither,
        });
        Self { scores, verdicts }
    }

    /// Those of the paper.
    #[must_use]
    pub fn of_paper() -> Self {
        Self::of(&PAIRS.map(|pair| pair.map(|row| row.paper)))
    }

    /// The mean of all scores.
    #[must_use]
    pub fn mean(&self) -> Estimate {
        Estimate::mean_of(&self.scores)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.verdicts.iter().filter(|&&own| own == verdict).count()
    }

    fn list(&self, verdict: Verdict) -> String {
        let pairs = (0..PAIRS.len()).filter(|&pair| self.verdicts[pair] == verdict);
        let named = pairs.map(|pair| format!("{} {}", name(&PAIRS[pair][0]), with_interval(self.scores[pair])));
        let list = named.collect::<Vec<_>>().join(", ");
        if list.is_empty() { list } else { format!(" ({list})") }
    }
}

/// `single panzer on map 1`.
#[must_use]
pub fn name(row: &Row) -> String {
    format!("{} {} on map {}", row.experiment.name(), row.kind.name(), row.map + 1)
}

fn with_interval(figure: Estimate) -> String {
    let interval = figure.interval();
    format!("{:.3} [{:.3},{:.3}]", figure.value, interval.low, interval.high)
}

const fn holds(is_so: bool) -> &'static str {
    if is_so { "holds here" } else { "does not hold here" }
}

/// What tables 1 and 2 say.
#[must_use]
pub fn of_matches(played: &Played) -> Vec<String> {
    let [own, paper] = [Scores::of(&played.pruned), Scores::of_paper()];
    let tests = PAIRS.len();
    let highest = (0..tests).max_by(|&one, &other| own.scores[one].value.total_cmp(&own.scores[other].value));
    let highest = highest.map_or(String::new(), |pair| {
        format!("; the highest score is {}, {}", with_interval(own.scores[pair]), name(&PAIRS[pair][0]))
    });
    vec![
        format!(
            "\"Pruning never raises the win rate\" {}: over both seats the pruned player scores significantly more than one \
             half in {} of {tests} pairs of map and kind{}{highest} (wins and half of the draws; two-sided tests, 5 % for all \
             {tests} together after Holm; in the paper's own figures {}).",
            holds(own.count(Verdict::Higher) == 0),
            own.count(Verdict::Higher),
            own.list(Verdict::Higher),
            paper.count(Verdict::Higher),
        ),
        format!(
            "\"Pruned players lose more than they win\" is borne out in {} of {tests} pairs, where the score is significantly \
             below one half{}; in the paper's own figures in {}. The mean of all pairs is {} here and {} in the paper.",
            own.count(Verdict::Lower),
            own.list(Verdict::Lower),
            paper.count(Verdict::Lower),
            with_interval(own.mean()),
            with_interval(paper.mean()),
        ),
    ]
}

/// How many rows of tables 1 and 2 differ from the paper's, on maps that are the paper's.
#[must_use]
pub fn of_rows(played: &Played, is_papers: [bool; MAPS.len()]) -> Option<String> {
    let rows = PAIRS.iter().flatten().zip(played.pruned.iter().flatten()).filter(|(row, _)| is_papers[row.map]);
    let p_values: Vec<_> = rows.map(|(row, own)| own.agreement(row.paper)).collect();
    let below = p_values.iter().filter(|&&p| p < super::LEVEL).count();
    let found = significant(&p_values).into_iter().filter(|&is_found| is_found).count();
    (!p_values.is_empty()).then(|| {
        format!(
            "Wins, losses and draws differ from the paper's with p below 0.05 in {below} of {} rows, and in {found} after \
             Holm's correction (chi-square test; players that play alike would differ in about {:.0} and 0).",
            p_values.len(),
            super::LEVEL * p_values.len() as f64
        )
    })
}

/// What Table 4 says: the difference that pruning makes to the mean depth, for each of these sizes of groups.
#[must_use]
pub fn of_depth(profiles: &[Profile], seed_groups: &[u32]) -> Option<String> {
    let depth = |seed_group, is_pruned| {
        let mut own = profiles.iter().filter(|own| own.seed_group == seed_group && own.is_pruned == is_pruned);
        own.next().map(Profile::mean_depth)
    };
    let differences: Vec<_> = seed_groups
        .iter()
        .filter_map(|&group| Some((group, depth(group, true)?.less(depth(group, false)?))))
        .filter(|(_, difference)| difference.error.is_finite())
        .collect();
    let found = significant(&differences.iter().map(|(_, difference)| difference.p(0.0)).collect::<Vec<_>>());
    let list = differences.iter().map(|(group, difference)| {
        let interval = difference.interval();
        format!("{:+.2} [{:+.2},{:+.2}] with groups of {group}", difference.value, interval.low, interval.high)
    });
    let list = list.collect::<Vec<_>>().join(", ");
    (!differences.is_empty()).then(|| {
        format!(
            "\"Pruning has no effect on the depth\" {}: pruning panzers to one attack changes the mean depth of the tree by \
             {list} (in the paper by +0.10).",
            holds(!found.contains(&true)),
        )
    })
}

/// What is known of the children of the root.
#[must_use]
pub fn of_children(found: Children) -> String {
    format!("\"73 and 71 children of the root on map 1\" {}: there are {found}.", holds(found == CHILDREN))
}

/// Which seeding of the rollouts Table 3 speaks for.
#[must_use]
pub fn of_seeding(profiles: &[Profile], fits: &[Fit]) -> Option<String> {
    let best = nearest(profiles, fits)?;
    let words = |seed_group: u32| {
        let own = profiles.iter().zip(fits).filter(|(profile, _)| profile.seed_group == seed_group);
        let own = own.map(|(_, fit)| format!("{:.0} (p {:.3})", fit.distance, fit.p));
        own.collect::<Vec<_>>().join(" without and ") + " with pruning"
    };
    let is_apart = best != 1;
    Some(format!(
        "Table 3 is nearest to {}, at a distance of {}; independent rollouts are at {}.",
        if is_apart {
            format!("groups of {best} rollouts with the same random numbers")
        } else {
            "independent rollouts".into()
        },
        words(best),
        words(1)
    ))
}
