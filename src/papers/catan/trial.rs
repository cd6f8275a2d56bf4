//! The paper's loop of three steps, and what its choices are worth.

use super::{CONFIRMED, SEEDS, census};
use crate::batch::{EvaluateError, Evaluator, Watch};
use crate::games::catan::generate::draw;
use crate::games::catan::{Map, builtin};
use crate::learn::course::{self, CourseError, Member, Origin, RECIPE, Settings};
use crate::learn::method::{Method, Surrogate};
use crate::learn::unlabelled::Unlabelled;
use crate::stats::seats::debiased_variance;

/// By what maps are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// The paper's classifier.
    Classifier,
    /// The regression of the signed contrasts on the same features, from the same games.
    Regression,
    /// Chance, in the same three steps.
    Chance,
}

impl Chooser {
    /// All, chance last.
    pub const ALL: [Self; 3] = [Self::Classifier, Self::Regression, Self::Chance];

    /// What to call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classifier => "PNU classifier",
            Self::Regression => "signed ridge",
            Self::Chance => "random choice",
        }
    }

    const fn surrogate(self) -> Surrogate {
        match self {
            Self::Classifier => Surrogate::Pnu,
            Self::Regression => Surrogate::Ridge,
            Self::Chance => Surrogate::Chance,
        }
    }
}

/// The loop once, with much longer play of the maps it chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Of the maps called balanced and of those called unbalanced in each step, how many the paper would call confirmed.
    pub confirmed: Vec<[u64; 2]>,
    /// The unbiased variances between seats of the maps called balanced, by long play.
    pub good: Vec<f64>,
    /// Of those called unbalanced.
    pub bad: Vec<f64>,
}

/// The loop with all choosers, from the same maps. All of them choose equally many, so that roots of mean variances are biased
/// alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Repetition {
    /// By [`Chooser::ALL`].
    pub trials: [Trial; 3],
}

impl Trial {
    /// How often a map called balanced is more balanced than one called unbalanced: 0.5 by chance.
    #[must_use]
    pub fn right_order(&self) -> f64 {
        let pairs = self.good.iter().flat_map(|good| self.bad.iter().map(move |bad| good.total_cmp(bad)));
        let won: f64 = pairs.map(|order| f64::from(1 - order as i8) / 2.0).sum();
        won / (self.good.len() * self.bad.len()) as f64
    }
}

/// Random maps before those that other parts of a course look at are of another seed.
const OTHER_MAPS: u64 = 0x7365_6564;

/// The maps that a loop begins with: the built-in ones, and random ones in place of the authors' own.
fn seeds(seed: u64) -> Vec<(String, Map)> {
    let built_in = builtin::maps().into_iter().map(|map| (map.name.clone().unwrap_or_default(), map));
    let random = (0..).map(|index| (format!("random-{index}"), draw(&RECIPE, seed ^ OTHER_MAPS, index)));
    built_in.chain(random).take(SEEDS).collect()
}

/// Runs the loop and plays `truth` games of each map it chose.
///
/// # Errors
/// If the loop cannot learn, or the watcher asks to stop.
pub fn run(
    settings: &Settings,
    truth: u64,
    unlabelled: &Unlabelled,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Repetition, CourseError> {
    let trial = |chooser: Chooser| -> Result<Trial, CourseError> {
        let method = Method { surrogate: chooser.surrogate(), ..settings.method };
        let settings = &Settings { method, ..*settings };
        let (names, maps): (Vec<_>, Vec<_>) = seeds(settings.seed).into_iter().unzip();
        let wins = course::play(settings, &maps, evaluator, watch)?;
        let first = names.into_iter().zip(maps).zip(wins).map(|((name, map), wins)| Member {
            name,
            map,
            origin: Origin::Seed,
            step: 0,
            score: None,
            distance: None,
            wins,
        });
        let mut members: Vec<_> = first.collect();
        let mut confirmed = Vec::new();
        for step in 1..=CONFIRMED.len() {
            let taken = course::step(&mut members, step, settings, unlabelled, evaluator, watch)?;
            confirmed.push([taken.good[0] as u64, taken.bad[0] as u64]);
        }
        Ok(Trial {
            confirmed,
            good: long(&members, Origin::Good, settings, truth, evaluator, watch)?,
            bad: long(&members, Origin::Bad, settings, truth, evaluator, watch)?,
        })
    };
    let [classifier, regression, chance] = Chooser::ALL.map(trial);
    Ok(Repetition { trials: [classifier?, regression?, chance?] })
}

fn long(
    members: &[Member],
    origin: Origin,
    settings: &Settings,
    games: u64,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<f64>, EvaluateError> {
    let own = members.iter().filter(|member| member.origin == origin).map(|member| member.map.clone());
    variances(own.collect(), settings, games, evaluator, watch)
}

/// The unbiased variances between seats over other games than those of the loop.
fn variances(
    maps: Vec<Map>,
    settings: &Settings,
    games: u64,
    evaluator: &Evaluator,
    watch: &dyn Watch,
) -> Result<Vec<f64>, EvaluateError> {
    let census = census::play(maps, settings.policy, games, settings.seed, evaluator, watch)?;
    Ok(census.wins.iter().map(|wins| debiased_variance(wins, games)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_order_counts_pairs() {
        let trial = Trial { confirmed: Vec::new(), good: vec![1.0, 3.0], bad: vec![2.0, 3.0] };
        // 1 is better than both, 3 is worse than 2 and as good as 3.
        assert_eq!(trial.right_order(), 2.5 / 4.0);
    }

    #[test]
    fn the_loop_begins_with_different_maps() {
        let seeds = seeds(3);
        assert_eq!(seeds.len(), SEEDS);
        assert!(seeds.iter().enumerate().all(|(place, one)| seeds[..place].iter().all(|other| other.1 != one.1)));
    }
}
