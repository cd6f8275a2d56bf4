//! What a map is worth: games of one player against itself.

use std::ops::Range;

use super::variation::playable;
use crate::batch::{Ending, EvaluateError, Tally, Watch};
use crate::games::tubstap::{Map, Position};
use crate::players::thinking::Crowd;
use crate::players::tubstap::choice::Choice;
use crate::players::tubstap::game::Played;
use crate::players::tubstap::mss::Effort;
use crate::players::tubstap::table::Seats;

/// Results of games on a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Standing {
    /// Games that Red won, and Blue.
    pub wins: [u64; 2],
    /// Games that nobody won.
    pub draws: u64,
    /// How near each side came to winning, summed over the games: from 0 to [`WON`] in each.
    pub nearness: [u64; 2],
}

/// As near as can be.
pub const WON: u64 = 1_000_000;

/// Hit points by which a result may be missed and still be near.
const REACH: f64 = 4.0;

impl Standing {
    fn of(played: &Played) -> Self {
        let mut standing = Self::default();
        let [red, blue] = played.end.sides.each_ref().map(|side| f64::from(side.hp()));
        let needed = f64::from(played.end.threshold) + 1.0;
        let near = |lead: f64| (WON as f64 / (1.0 + libm::exp((needed - lead) / REACH))) as u64;
        standing.nearness = [near(red - blue), near(blue - red)];
        match played.outcome.ending {
            Ending::Win(seat) => {
                let seat = usize::from(seat) % 2;
                standing.wins[seat] = 1;
                // Whoever is dead has lost, whatever the lead.
                if played.end.sides[1 - seat].is_dead() {
                    standing.nearness[seat] = standing.nearness[seat].max(near(2.0 * needed));
                }
            }
            Ending::Draw | Ending::Truncated => standing.draws = 1,
        }
        standing
    }

    /// Adds the results of other games.
    pub fn add(&mut self, other: &Self) {
        for seat in 0..2 {
            self.wins[seat] += other.wins[seat];
            self.nearness[seat] += other.nearness[seat];
        }
        self.draws += other.draws;
    }

    /// Games played.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins[0] + self.wins[1] + self.draws
    }

    /// Whether there were no games.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.games() == 0
    }

    /// The counts alone.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { playouts: self.games(), draws: self.draws, ..Tally::default() };
        tally.wins[..2].copy_from_slice(&self.wins);
        tally
    }

    /// The fitness of the paper: 1 for a map that either side wins half of the time, 0 for one that a side never wins.
    #[must_use]
    pub fn fitness(&self) -> f64 {
        if self.games() == 0 { 0.0 } else { crate::stats::fitness(&self.tally()) }
    }

    /// How near Red and Blue come to winning in the mean, from 0 to 1.
    #[must_use]
    pub fn nearness_rates(&self) -> [f64; 2] {
        self.nearness.map(|sum| crate::stats::rate(sum, WON * self.games()))
    }

    /// A fitness that tells maps apart on which a side never wins: by how near it comes.
    #[must_use]
    pub fn smooth_fitness(&self) -> f64 {
        if self.games() == 0 { 0.0 } else { 2.0 * self.nearness_rates().into_iter().fold(1.0, f64::min) }
    }
}

/// Of a hundred of MSSystem's playouts and candidates: its games are nearly three times as fast then. Who is better off on a
/// map, and by how much, correlates with the real one's at 0.9 among maps without aircraft, and how often it is decided at 0.8;
/// with fewer that falls fast.
const LIGHT_MSS: [u32; 2] = [50, 50];

/// A player much like this one, and several times as fast; the same if there is none.
#[must_use]
pub fn lighter(player: &Choice) -> Choice {
    match player {
        Choice::Random | Choice::MaxAct => player.clone(),
        Choice::Mss(Effort { playouts, candidates }) => {
            let [playouts, candidates] =
                [[*playouts, LIGHT_MSS[0]], [*candidates, LIGHT_MSS[1]]].map(|[all, part]| (all * part / 100).max(1));
            Choice::Mss(Effort { playouts, candidates })
        }
        Choice::Muct(settings) => {
            let mut settings = settings.clone();
            settings.search.simulations = (settings.search.simulations / 5).max(1);
            settings.milliseconds = settings.milliseconds.map(|milliseconds| (milliseconds / 5).max(1));
            Choice::Muct(settings)
        }
    }
}

/// Plays games to find out what maps are worth.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    /// What plays them.
    pub crowd: Crowd<'a>,
    /// Who plays on both sides.
    pub player: Choice,
}

impl Judge<'_> {
    /// The judge with the [lighter] player.
    #[must_use]
    pub fn lighter(&self) -> Self {
        Self { player: lighter(&self.player), ..self.clone() }
    }

    /// Plays these games of each map, by number, without the units that cannot stand where they are. A game depends on the seed, the map and its number alone.
    ///
    /// # Errors
    /// If the evaluator fails or the watcher asks to stop.
    pub fn play(&self, jobs: &[(&Map, Range<u64>)], watch: &dyn Watch) -> Result<Vec<Standing>, EvaluateError> {
        let starts: Vec<Position> = jobs.iter().map(|(map, _)| playable(map).start()).collect();
        let games: Vec<(usize, u64)> =
            (0..).zip(jobs).flat_map(|(index, (_, games))| games.clone().map(move |game| (index, game))).collect();
        let deal = |number: u64| {
            let (map, game) = games[number as usize];
            Seats::new(&starts[map], [(); 2].map(|()| self.player.thinker()), self.crowd.seed, game)
        };
        // Players make legal actions only; a game without a result would count as a draw.
        let keep =
            |_, seats: Seats| seats.finish().map_or_else(|_| Standing::default(), |played| Standing::of(&played));
        let (kept, _) = self.crowd.play(0..games.len() as u64, deal, keep, watch)?;
        if kept.len() < games.len() {
            return Err(EvaluateError::Stopped);
        }
        let mut standings = vec![Standing::default(); jobs.len()];
        for (number, standing) in kept {
            standings[games[number as usize].0].add(&standing);
        }
        Ok(standings)
    }
}
