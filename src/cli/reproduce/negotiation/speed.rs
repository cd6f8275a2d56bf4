//! How long games take.

use std::time::Duration;

use fairground::games::catan::tables::SEATS;
use fairground::papers::negotiation::SECONDS;
use fairground::players::catan::negotiation::choice::{Seated, read_players};
use fairground::players::thinking::Batches;
use serde_json::Value as Json;

use super::Session;
use super::budget::uct;
use crate::cli::CliError;
use crate::cli::output::grouped;
use crate::cli::reproduce::document::{Document, Part};
use crate::cli::run::Progress;

/// Playouts of a trade for which the time of a game is taken, one after the other.
pub const TIMED: [u32; 4] = [100, 200, 400, 800];

/// Playouts of all other moves there.
const MOVER: u32 = 100;

/// The games of a part, and the time they took.
#[derive(Default)]
pub struct Speed {
    name: String,
    /// Playouts of a trade, if the thesis has a time for them; otherwise 0.
    pub thesis: u32,
    games: u64,
    seconds: f64,
    batches: Batches,
}

impl Speed {
    pub fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    pub fn add(&mut self, games: u64, took: Duration, batches: &Batches) {
        self.games += games;
        self.seconds += took.as_secs_f64();
        self.batches.merge(batches);
    }
}

impl Session<'_> {
    /// Games of a proposer by playouts, for several numbers of them.
    pub(super) fn time(&self, progress: &Progress) -> Result<Vec<Speed>, CliError> {
        let mut speeds = Vec::new();
        for playouts in TIMED {
            let players = format!("selfish:{playouts},accept-all");
            let mover = uct(MOVER);
            let mut speed = Speed { thesis: playouts, ..Speed::new(format!("{players}, moves by {mover}")) };
            let players: [_; SEATS] = read_players(&players).map_err(|wrong| CliError::Failed(wrong.to_string()))?;
            let seated = players.map(|negotiates| Seated { negotiates, plays: mover });
            self.play(&self.contest(seated, self.args.budget.timed()), progress, &mut speed, false)?;
            speeds.push(speed);
        }
        Ok(speeds)
    }

    /// Seconds, playouts and lanes: of all parts, then for several numbers of playouts.
    pub(super) fn add_speed(&self, document: &mut Document, parts: &[Speed], timed: &[Speed]) {
        let threads = self.evaluator.threads();
        let mut rows = Vec::new();
        for speed in parts.iter().chain(timed).filter(|speed| speed.games > 0) {
            let games = speed.games as f64;
            let seconds = speed.seconds * threads as f64 / games;
            let per_second = speed.batches.playouts as f64 / speed.seconds / threads as f64;
            let busy = if speed.batches.playouts > 0 { speed.batches.occupancy.share() } else { f64::NAN };
            let thesis = SECONDS.iter().find(|(playouts, _)| *playouts == speed.thesis).map(|(_, seconds)| *seconds);
            rows.push(vec![
                speed.name.clone(),
                grouped(speed.games),
                format!("{:.1}", speed.seconds),
                format!("{seconds:.3}"),
                thesis.map_or_else(|| "-".into(), |seconds| grouped(seconds as u64)),
                grouped((speed.batches.playouts as f64 / games).round() as u64),
                if busy.is_finite() { grouped(per_second.round() as u64) } else { "-".into() },
                if busy.is_finite() { format!("{:.1}", 100.0 * busy) } else { "-".into() },
            ]);
            let number = |value: f64| if value.is_finite() { value.into() } else { Json::Null };
            document.timing.push(vec![
                ("part", speed.name.as_str().into()),
                ("backend", self.evaluator.backend().to_string().into()),
                ("threads", threads.into()),
                ("games", speed.games.into()),
                ("seconds", number(speed.seconds)),
                ("thread_seconds_per_game", number(seconds)),
                ("thesis_seconds_per_game", thesis.map_or(Json::Null, number)),
                ("playouts", speed.batches.playouts.into()),
                ("playouts_per_thread_second", number(per_second)),
                ("occupancy", number(busy)),
            ]);
        }
        if rows.is_empty() {
            return;
        }
        document.parts.push(Part::Heading("Speed".into()));
        let heads = [
            "part",
            "games",
            "seconds",
            "seconds of a thread a game",
            "thesis: seconds a game",
            "playouts a game",
            "playouts/s of a thread",
            "lanes busy %",
        ];
        document.parts.push(Part::table(&heads, rows));
        let thesis: Vec<_> = SECONDS
            .iter()
            .map(|(playouts, seconds)| {
                format!("{} with {} playouts", grouped(*seconds as u64), grouped((*playouts).into()))
            })
            .collect();
        document.parts.push(Part::Lines(vec![
            format!(
                "{}, {threads} threads. These figures differ from run to run; all others do not.",
                self.evaluator.backend()
            ),
            format!(
                "Seconds of a game in the thesis (Xeon X5680): {}, with moves by 1,000 playouts. The last rows say whether time grows in \
                 proportion to the playouts of a trade.",
                thesis.join(", ")
            ),
        ]));
    }
}
