//! A generation of random maps: how long it takes, and what racing for an elite would save.

use std::convert::Infallible;
use std::ops::Range;
use std::time::Instant;

use super::why::fresh;
use crate::batch::Watch;
use crate::evolve::EvolveError;
use crate::evolve::judge::{Judge, Standing};
use crate::evolve::race::{Finish, Rules, UNIT, Until, run};
use crate::games::tubstap::Map;
use crate::games::tubstap::generate::{Recipe, generate};
use crate::papers::tubstap::Estimate;

/// What maps are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The fitness of the paper.
    Fitness,
    /// How near both sides come to winning.
    Smooth,
}

impl Measure {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Fitness, Self::Smooth];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fitness => "fitness",
            Self::Smooth => "smooth fitness",
        }
    }

    fn points(self, standing: &Standing) -> [u64; 2] {
        match self {
            Self::Fitness => standing.wins.map(|wins| wins * UNIT),
            Self::Smooth => standing.nearness,
        }
    }

    /// What a map is worth, with the error of so many games: that of shares, with a game more of each outcome, so that few
    /// games of one outcome do not look certain. Nearness varies less than shares.
    fn estimate(self, standing: &Standing) -> Estimate {
        let value = match self {
            Self::Fitness => standing.fitness(),
            Self::Smooth => standing.smooth_fitness(),
        };
        let games = standing.games() as f64;
        let share = (0.5 * value * games + 1.0) / (games + 2.0);
        Estimate { value, error: 2.0 * (share * (1.0 - share) / games).sqrt() }
    }
}

/// A generation to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What maps are like.
    pub recipe: Recipe,
    /// How many.
    pub maps: usize,
    /// Games of each.
    pub games: u64,
    /// Games of each in a round.
    pub round: u64,
}

/// A generation that was played.
#[derive(Clone, Debug)]
pub struct Generation {
    plan: Plan,
    maps: Vec<Map>,
    /// The results of every map in every round.
    rounds: Vec<Vec<Standing>>,
    /// What playing took.
    pub seconds: f64,
}

impl Plan {
    /// All games.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.maps as u64 * self.games
    }

    /// Plays it.
    ///
    /// # Errors
    /// If there are no such maps, if the evaluator fails or the watcher asks to stop.
    pub fn play(&self, judge: &Judge<'_>, watch: &dyn Watch) -> Result<Generation, EvolveError> {
        let maps: Result<Vec<Map>, _> =
            (0..self.maps as u64).map(|index| generate(&self.recipe, judge.crowd.seed, index)).collect();
        let maps = maps?;
        let began = Instant::now();
        let mut rounds = Vec::new();
        let mut first = 0;
        while first < self.games {
            let next = self.games.min(first + self.round.max(1));
            let jobs: Vec<_> = maps.iter().map(|map| (map, first..next)).collect();
            rounds.push(judge.play(&jobs, watch)?);
            first = next;
        }
        Ok(Generation { plan: self.clone(), maps, rounds, seconds: began.elapsed().as_secs_f64() })
    }
}

impl Generation {
    /// The best after all games.
    #[must_use]
    pub fn elite(&self, measure: Measure, best: usize) -> Vec<usize> {
        // A race of one round.
        let rules = Rules { best, games: self.plan.games, round: self.plan.games, until: Until::Certain };
        self.run(measure, &rules).best
    }

    /// A race for the best with the games that were played.
    #[must_use]
    pub fn race(&self, measure: Measure, best: usize, until: Until) -> Finish {
        self.run(measure, &Rules { best, games: self.plan.games, round: self.plan.round, until })
    }

    fn run(&self, measure: Measure, rules: &Rules) -> Finish {
        let round = self.plan.round.max(1);
        let play = |jobs: &[(usize, Range<u64>)]| -> Result<Vec<[u64; 2]>, Infallible> {
            let points = |(map, games): &(usize, Range<u64>)| {
                let rounds = &self.rounds[(games.start / round) as usize..games.end.div_ceil(round) as usize];
                rounds.iter().fold([0; 2], |sum, round| {
                    let more = measure.points(&round[*map]);
                    [sum[0] + more[0], sum[1] + more[1]]
                })
            };
            Ok(jobs.iter().map(points).collect())
        };
        match run(self.maps.len(), rules, play) {
            Ok(finish) => finish,
            Err(never) => match never {},
        }
    }

    /// What some maps are worth in the mean, by fresh games.
    ///
    /// # Errors
    /// If the evaluator fails or the watcher asks to stop.
    pub fn fresh(
        &self,
        places: &[usize],
        games: u64,
        measure: Measure,
        judge: &Judge<'_>,
        watch: &dyn Watch,
    ) -> Result<Estimate, EvolveError> {
        let jobs: Vec<_> = places.iter().map(|&place| (&self.maps[place], 0..games)).collect();
        let standings = fresh(judge).play(&jobs, watch)?;
        let worth: Vec<_> = standings.iter().map(|standing| measure.estimate(standing)).collect();
        Ok(Estimate::mean_of(&worth))
    }
}
