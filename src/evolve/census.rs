//! Why maps are worth nothing to the fitness of the paper, and whether what they are worth is inherited.

use serde::{Deserialize, Serialize};

use super::Individual;
use super::judge::Standing;
use super::variation::playable;
use crate::games::tubstap::Team;

/// Why a map has fitness 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// A side has no units that can stand where they are.
    NoUnits,
    /// Red wins every game.
    Red,
    /// Blue wins every game.
    Blue,
    /// Nobody wins any game.
    Drawn,
    /// One side wins some games and the other none.
    OneSided,
}

impl Nothing {
    /// All of them, in the order of [`Census::nothing`].
    pub const ALL: [Self; 5] = [Self::NoUnits, Self::Red, Self::Blue, Self::Drawn, Self::OneSided];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoUnits => "a side has no units",
            Self::Red => "Red always wins",
            Self::Blue => "Blue always wins",
            Self::Drawn => "always drawn",
            Self::OneSided => "one side or nobody wins",
        }
    }

    /// Why this map has fitness 0, if it has.
    #[must_use]
    pub fn of(individual: &Individual) -> Option<Self> {
        let Standing { wins: [red, blue], draws, .. } = *individual.known();
        let games = individual.known().games();
        if red.min(blue) > 0 {
            return None;
        }
        let units = units(individual);
        Some(match () {
            () if units.contains(&0) => Self::NoUnits,
            () if draws == games => Self::Drawn,
            () if red == games => Self::Red,
            () if blue == games => Self::Blue,
            () => Self::OneSided,
        })
    }
}

/// Units of Red and Blue that take part.
fn units(individual: &Individual) -> [u64; 2] {
    let map = playable(&individual.map);
    Team::ALL.map(|team| map.side(team).count() as u64)
}

/// Some maps, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// All of them.
    pub maps: u64,
    /// Those with fitness 0, by the reasons of [`Nothing::ALL`].
    pub nothing: [u64; Nothing::ALL.len()],
    /// Units of Red and Blue that take part.
    pub units: [u64; 2],
}

impl Census {
    /// Counts these maps.
    #[must_use]
    pub fn of(individuals: &[Individual]) -> Self {
        let mut census = Self { maps: individuals.len() as u64, ..Self::default() };
        for individual in individuals {
            if let Some(why) = Nothing::of(individual) {
                census.nothing[why as usize] += 1;
            }
            let [red, blue] = units(individual);
            census.units = [census.units[0] + red, census.units[1] + blue];
        }
        census
    }

    /// Together with others.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.maps += other.maps;
        self.nothing.iter_mut().zip(other.nothing).for_each(|(own, more)| *own += more);
        self.units.iter_mut().zip(other.units).for_each(|(own, more)| *own += more);
        self
    }

    /// Maps with fitness 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.nothing.iter().sum()
    }
}

/// What follows on generations whose best map is worth something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heirs {
    /// Generations with a largest fitness above 0 that have a next one.
    pub generations: u64,
    /// Those whose next generation has a largest fitness at least as high.
    pub kept: u64,
    /// Those whose next generation has none above 0.
    pub lost: u64,
    /// The largest fitness, in the mean, of these generations and of the next ones; 0 if there are none.
    pub means: [f64; 2],
}

impl Heirs {
    /// Of the largest fitness of the generations of some runs.
    #[must_use]
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut heirs = Self::default();
        for pair in runs.into_iter().flat_map(|largest| largest.windows(2)).filter(|pair| pair[0] > 0.0) {
            heirs.generations += 1;
            heirs.kept += u64::from(pair[1] >= pair[0]);
            heirs.lost += u64::from(pair[1] == 0.0);
            heirs.means = [heirs.means[0] + pair[0], heirs.means[1] + pair[1]];
        }
        heirs.means = heirs.means.map(|sum| sum / heirs.generations.max(1) as f64);
        heirs
    }
}
