//! What a run of evolution is to do.

use serde::{Deserialize, Serialize};

use super::Method;
use super::judge::Judge;
use super::lines::Lines;
use super::paper::Paper;
use super::rank::Ranking;
use super::run::Judges;
use crate::batch::Evaluator;
use crate::games::tubstap::generate::{GenerateError, Recipe};
use crate::players::thinking::Crowd;
use crate::players::tubstap::choice::Choice;
use crate::players::tubstap::mss::Effort;
use crate::players::tubstap::muct::Settings;

/// Stronger than MSSystem and of another kind.
fn second_judge() -> Choice {
    let mut settings = Settings::default();
    settings.search.simulations = 500;
    Choice::Muct(settings)
}

/// A method and how many maps it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Start {
    /// [`Paper`].
    Paper {
        /// Maps of a generation.
        population: usize,
    },
    /// [`Lines`].
    Lines {
        /// Random maps at the beginning.
        founders: usize,
        /// Lines that are left in the end.
        lines: usize,
    },
}

/// What a run is to do. It decides the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The method.
    pub method: Start,
    /// What maps are like.
    pub recipe: Recipe,
    /// Who plays on both sides.
    #[serde(with = "by_name")]
    pub judge: Choice,
    /// Who also plays on the delivered maps, so that there is a second opinion.
    #[serde(with = "by_name_or_none")]
    pub second_judge: Option<Choice>,
    /// Generations after the first.
    pub generations: u64,
    /// Games of a map; with [`Lines`] at first sight.
    pub games: u64,
    /// Fresh games of each map that is delivered.
    pub final_games: u64,
    /// Maps to deliver at most.
    pub maps: usize,
    /// The seed.
    pub seed: u64,
}

impl Plan {
    /// The experiment of the paper.
    #[must_use]
    pub fn paper() -> Self {
        let Paper { recipe, population, generations, games, seed, .. } = Paper::default();
        Self::new(Start::Paper { population }, recipe, generations, games, seed)
    }

    /// What finds fair maps.
    #[must_use]
    pub fn lines() -> Self {
        let Lines { recipe, founders, lines, generations, games, seed, .. } = Lines::default();
        Self::new(Start::Lines { founders, lines }, recipe, generations, games[0], seed)
    }

    fn new(method: Start, recipe: Recipe, generations: u64, games: u64, seed: u64) -> Self {
        let Ranking { candidates, games: final_games, .. } = Ranking::default();
        Self {
            method,
            recipe,
            judge: Choice::Mss(Effort::default()),
            second_judge: Some(second_judge()),
            generations,
            games,
            final_games,
            maps: candidates,
            seed,
        }
    }

    /// Whether there can be maps like these.
    ///
    /// # Errors
    /// Says why not.
    pub fn check(&self) -> Result<(), GenerateError> {
        self.recipe.check()
    }

    /// The method with all its settings.
    #[must_use]
    pub fn method(&self) -> Box<dyn Method> {
        let Self { ref recipe, generations, games, seed, .. } = *self;
        let recipe = recipe.clone();
        match self.method {
            Start::Paper { population } => {
                Box::new(Paper { recipe, population, generations, games, seed, ..Paper::default() })
            }
            Start::Lines { founders, lines } => {
                let usual = Lines::default();
                // Later games of a map stay in proportion to the first.
                let games = usual.games.map(|more| more * games / usual.games[0].max(1));
                let light_generations = (generations * usual.light_generations).div_ceil(usual.generations.max(1));
                let challengers = (usual.challengers * lines).div_ceil(usual.lines.max(1));
                Box::new(Lines {
                    recipe,
                    founders,
                    lines,
                    // One of eight may be a little worse.
                    wanted: (self.maps - self.maps / 8).min(lines),
                    generations,
                    light_generations,
                    challengers,
                    games,
                    seed,
                    ..usual
                })
            }
        }
    }

    /// Both judges, with so many games of each under way together.
    #[must_use]
    pub fn judges<'e>(&self, evaluator: &'e Evaluator, at_a_time: impl Fn(&Choice) -> usize) -> Judges<'e> {
        let judge = |player: &Choice| Judge {
            crowd: Crowd { evaluator, seed: self.seed, at_a_time: at_a_time(player) },
            player: player.clone(),
        };
        Judges { first: judge(&self.judge), second: self.second_judge.as_ref().map(judge) }
    }

    /// How the maps to deliver are chosen.
    #[must_use]
    pub fn ranking(&self) -> Ranking {
        Ranking { candidates: self.maps, games: self.final_games, ..Ranking::default() }
    }

    /// Everything that decides the result, the settings of the method that a plan does not name among it.
    #[must_use]
    pub fn settings(&self) -> String {
        {
            let second = self.second_judge.as_ref().map_or_else(|| "nobody".into(), Choice::to_string);
            format!("{:?}, {:?} judged by {} and {second}", self.method(), self.ranking(), self.judge)
        }
    }
}

/// A player as its name, or none.
mod by_name_or_none {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::players::tubstap::choice::Choice;

    pub fn serialize<S: Serializer>(choice: &Option<Choice>, serializer: S) -> Result<S::Ok, S::Error> {
        match choice {
            Some(choice) => serializer.collect_str(choice),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Choice>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        name.map(|name| name.parse().map_err(D::Error::custom)).transpose()
    }
}

/// A player as its name with settings.
mod by_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::players::tubstap::choice::Choice;

    pub fn serialize<S: Serializer>(choice: &Choice, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(choice)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Choice, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
