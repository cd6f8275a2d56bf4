//! Tables 1 and 2: games between a pruned player and M-UCT, and M-UCT against itself, which the paper leaves out.

use fairground_kernels::Ending;

use super::{Experiment, MAPS, PAIRS, Results, Row};
use crate::batch::{EvaluateError, Evaluator, Watch};
use crate::games::tubstap::{Kind, Position, Team};
use crate::players::thinking::Crowd;
use crate::players::tubstap::choice::Choice;
use crate::players::tubstap::game::Refused;
use crate::players::tubstap::muct::Settings;
use crate::players::tubstap::reference::muct::{Options, Pruning};
use crate::players::tubstap::table::Seats;

/// How the games are played.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where the games on each of [`MAPS`] start.
    pub starts: [Position; MAPS.len()],
    /// Games of each row and of each baseline; as many as in the paper if there is no number.
    pub games: Option<u64>,
    /// The search of both players; what is pruned is decided row by row.
    pub search: Options,
    /// What is pruned beside the kind and the number: the threshold, and on which side.
    pub reading: Reading,
    /// The seed.
    pub seed: u64,
}

/// What the paper leaves open about its pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Attacks that are worth less are dropped first; `None` drops none.
    pub threshold: Option<i32>,
    /// Whether the enemy's attacks are all kept.
    pub is_own_side_only: bool,
}

impl Default for Reading {
    /// The usual pruning.
    fn default() -> Self {
        let Pruning { threshold, is_own_side_only, .. } = Pruning::of(Kind::Panzer, Experiment::Single.keep());
        Self { threshold, is_own_side_only }
    }
}

impl Reading {
    /// The pruning of a kind of unit.
    #[must_use]
    pub fn pruning(self, kind: Kind, experiment: Experiment) -> Pruning {
        let Self { threshold, is_own_side_only } = self;
        Pruning { threshold, is_own_side_only, ..Pruning::of(kind, experiment.keep()) }
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Results of the pruned player, for each of [`PAIRS`] first and second.
    pub pruned: [[Results; 2]; PAIRS.len()],
    /// M-UCT against itself on each of [`MAPS`], as the first player sees it.
    pub baseline: [Results; MAPS.len()],
}

impl Played {
    /// M-UCT against itself, as the player on this side sees it.
    #[must_use]
    pub const fn baseline_of(&self, row: &Row) -> Results {
        match row.seat {
            Team::Red => self.baseline[row.map],
            Team::Blue => self.baseline[row.map].of_opponent(),
        }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.pruned.iter().flatten().chain(&self.baseline).map(|results| results.games()).sum()
    }
}

/// Why the games could not be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The evaluator failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A player made an illegal action.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Who meets: a row, or M-UCT and itself on a map.
#[derive(Clone, Copy, Debug)]
enum Bout {
    Pruned(usize, usize),
    Baseline(usize),
}

impl Bout {
    fn all() -> impl Iterator<Item = Self> {
        let rows = (0..PAIRS.len()).flat_map(|pair| [0, 1].map(|seat| Self::Pruned(pair, seat)));
        rows.chain((0..MAPS.len()).map(Self::Baseline))
    }

    const fn map(self) -> usize {
        match self {
            Self::Pruned(pair, seat) => PAIRS[pair][seat].map,
            Self::Baseline(map) => map,
        }
    }

    /// A baseline has as many games as the longest row of its map.
    fn games_in_paper(self) -> u64 {
        let rows = PAIRS.iter().flatten().filter(|row| row.map == self.map());
        match self {
            Self::Pruned(pair, seat) => PAIRS[pair][seat].paper.games(),
            Self::Baseline(_) => rows.map(|row| row.paper.games()).max().unwrap_or(0),
        }
    }
}

/// A game of a run.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    bout: Bout,
    /// Its random numbers are its own, whatever else is played.
    number: u64,
}

/// How many games share a batch: enough to fill the lanes of every thread.
const AT_A_TIME: usize = 256;

impl Plan {
    fn games_of(&self, bout: Bout) -> u64 {
        self.games.unwrap_or_else(|| bout.games_in_paper())
    }

    /// How many games there are.
    #[must_use]
    pub fn games(&self) -> u64 {
        Bout::all().map(|bout| self.games_of(bout)).sum()
    }

    /// All games, in an order that lets every bout advance at the same pace: what is finished early tells of them all.
    fn in_order(&self) -> Vec<Numbered> {
        let mut games: Vec<_> = (0_u64..)
            .zip(Bout::all())
            .flat_map(|(index, bout)| {
                let count = self.games_of(bout);
                (0..count)
                    .map(move |game| (game as f64 / count as f64, Numbered { bout, number: (index << 32) + game }))
            })
            .collect();
        games.sort_by(|one, other| one.0.total_cmp(&other.0));
        games.into_iter().map(|(_, game)| game).collect()
    }

    fn seats(&self, game: Numbered) -> Seats {
        let plain = || Choice::Muct(Settings { search: self.search.clone(), ..Settings::default() });
        let mut players = [plain(), plain()];
        if let Bout::Pruned(pair, seat) = game.bout {
            let Row { kind, experiment, .. } = PAIRS[pair][seat];
            let pruning = Some(self.reading.pruning(kind, experiment));
            let search = Options { pruning, ..self.search.clone() };
            players[seat] = Choice::Muct(Settings { search, ..Settings::default() });
        }
        Seats::new(&self.starts[game.bout.map()], players.map(|player| player.thinker()), self.seed, game.number)
    }

    /// Plays all games. The result depends on the plan alone. If the watcher asks to stop, games that were not finished
    /// are missing.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play(&self, evaluator: &Evaluator, watch: &dyn Watch) -> Result<Played, PlayError> {
        let games = self.in_order();
        let crowd = Crowd { evaluator, seed: self.seed, at_a_time: AT_A_TIME };
        let deal = |number: u64| self.seats(games[number as usize]);
        let finish = |_, seats: Seats| seats.finish().map(|played| played.outcome.ending);
        let (endings, _) = crowd.play(0..games.len() as u64, deal, finish, watch)?;
        let mut played = Played::default();
        for (number, ending) in endings {
            let (results, side) = match games[number as usize].bout {
                Bout::Pruned(pair, seat) => (&mut played.pruned[pair][seat], seat),
                Bout::Baseline(map) => (&mut played.baseline[map], 0),
            };
            match ending? {
                Ending::Win(winner) if usize::from(winner) == side => results.wins += 1,
                Ending::Win(_) => results.losses += 1,
                Ending::Draw | Ending::Truncated => results.draws += 1,
            }
        }
        Ok(played)
    }
}
