//! What is reported of a match of any game: rates, rows, and how fast it was.

use std::io::{self, Write};
use std::time::Duration;

use fairground::batch::{Backend, Evaluator};
use fairground::players::thinking::Batches;
use fairground::stats::{self, Ratio};
use serde::Serialize;

use crate::cli::output::{Format, csv, grouped};
use crate::cli::{CliResult, say};

/// The results of one map, or of all together.
pub trait Row: Serialize {
    /// Names and values of the columns of CSV.
    fn cells(&self) -> Vec<Cell>;
    /// Adds what depends on more than the seed.
    fn set_timing(&mut self, timing: Timing);
}

/// Name and value of a column of CSV.
pub type Cell = (String, String);

/// A cell with anything.
pub fn cell(name: &str, value: &dyn ToString) -> Cell {
    (name.to_owned(), value.to_string())
}

/// A cell with a number. What is unknown is empty, as it is null in JSON.
pub fn number_cell(name: &str, value: f64) -> Cell {
    cell(name, if value.is_nan() { &"" } else { &value })
}

/// Writes the rows, of which the last one is that of all maps.
pub fn write<R: Row>(
    format: Format,
    is_quiet: bool,
    mut rows: Vec<R>,
    timing: Timing,
    as_text: impl FnOnce(&[R], &Timing) -> String,
) -> CliResult {
    let mut out = io::stdout().lock();
    match format {
        Format::Table => out.write_all(as_text(&rows, &timing).as_bytes())?,
        Format::Json => {
            if let Some(whole) = rows.last_mut() {
                whole.set_timing(timing);
            }
            for row in &rows {
                serde_json::to_writer(&mut out, row).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
        Format::Csv => {
            let heads: Vec<_> = rows.first().into_iter().flat_map(Row::cells).map(|(head, _)| head).collect();
            writeln!(out, "{}", csv(&heads))?;
            for row in &rows {
                let cells: Vec<_> = row.cells().into_iter().map(|(_, cell)| cell).collect();
                writeln!(out, "{}", csv(&cells))?;
            }
            if !is_quiet {
                say(timing.text().trim_end());
            }
        }
    }
    Ok(())
}

/// How often something happened.
#[derive(Clone, Copy, Serialize)]
pub struct Share {
    /// This many times.
    pub count: u64,
    /// In this share of the games.
    pub rate: f64,
    /// With this interval.
    pub interval: [f64; 2],
}

impl Share {
    /// So many of so many games.
    pub fn new(count: u64, games: u64) -> Self {
        let interval = stats::wilson(count, games);
        Self { count, rate: stats::rate(count, games), interval: [interval.low, interval.high] }
    }

    /// Of things of which there are several in a game.
    pub fn of_ratio(ratio: &Ratio) -> Self {
        let interval = ratio.interval();
        Self { count: ratio.part, rate: ratio.rate(), interval: [interval.low, interval.high] }
    }

    /// The columns of CSV.
    pub fn cells(&self, name: &str) -> [Cell; 4] {
        let Self { count, rate, interval: [low, high] } = *self;
        [
            cell(name, &count),
            number_cell(&format!("{name}_rate"), rate),
            number_cell(&format!("{name}_low"), low),
            number_cell(&format!("{name}_high"), high),
        ]
    }

    /// For people.
    pub fn percent(&self) -> String {
        if self.rate.is_nan() {
            return "-".into();
        }
        let [low, high] = self.interval;
        format!("{:.2} [{:.2},{:.2}]", 100.0 * self.rate, 100.0 * low, 100.0 * high)
    }
}

/// What depends on the machine, the threads and the games under way together.
#[derive(Serialize)]
pub struct Timing {
    backend: &'static str,
    level: Option<&'static str>,
    threads: Option<usize>,
    at_a_time: usize,
    seconds: f64,
    /// Finished games; if the run was stopped, more than count.
    games: u64,
    games_per_s: f64,
    playouts: u64,
    playouts_per_s: f64,
    occupancy: f64,
    batch_sizes: Vec<BatchSize>,
}

/// How many batches had so many playouts.
#[derive(Serialize)]
struct BatchSize {
    from: u64,
    to: u64,
    batches: u64,
}

impl Timing {
    /// Of so many finished games.
    pub fn new(evaluator: &Evaluator, games: u64, took: Duration, batches: &Batches, at_a_time: usize) -> Self {
        let backend = evaluator.backend();
        let seconds = took.as_secs_f64();
        let batch_sizes = (0..).zip(batches.sizes).filter(|&(_, batches)| batches > 0);
        Self {
            backend: backend.name(),
            level: match backend {
                Backend::Simd(level) => Some(level.name()),
                Backend::Scalar | Backend::Gpu(_) => None,
            },
            threads: match backend {
                Backend::Gpu(_) => None,
                Backend::Scalar | Backend::Simd(_) => Some(evaluator.threads()),
            },
            at_a_time,
            seconds,
            games,
            games_per_s: games as f64 / seconds,
            playouts: batches.playouts,
            playouts_per_s: batches.playouts as f64 / seconds,
            occupancy: batches.occupancy.share(),
            batch_sizes: batch_sizes
                .map(|(power, batches): (u32, _)| BatchSize { from: 1 << power, to: (1 << (power + 1)) - 1, batches })
                .collect(),
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let Self { seconds, games_per_s, playouts_per_s, occupancy, at_a_time, .. } = self;
        let mut text = format!(
            "{} games in {seconds:.1} s, {at_a_time} at a time: {games_per_s:.1} games/s; {} playouts, {} playouts/s\n",
            grouped(self.games),
            grouped(self.playouts),
            grouped(playouts_per_s.round() as u64),
        );
        if self.batch_sizes.is_empty() {
            return text;
        }
        let sizes = self.batch_sizes.iter().map(|&BatchSize { from, to, batches }| {
            let sizes = if from == to { grouped(from) } else { format!("{} to {}", grouped(from), grouped(to)) };
            format!("{} of {sizes}", grouped(batches))
        });
        text += &format!(
            "lanes {:.1} % busy; batches by their playouts: {}\n",
            100.0 * occupancy,
            sizes.collect::<Vec<_>>().join(", ")
        );
        text
    }
}
