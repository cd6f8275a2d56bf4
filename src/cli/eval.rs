//! `fairground eval`: how fair maps are.

use std::io::{self, Write};

use fairground::batch::{Backend, Batch, EvaluateError, Evaluator, Tally};
use fairground::games::catan::Catan;
use fairground::games::saboteur::{Saboteur, WholeGames};
use fairground::games::tubstap::Tubstap;
use fairground::stats::{self, Interval};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::games::{CliGame, GameArg, Measure, PlayArgs};
use super::maps::{self, Found};
use super::output::{Column, Format, Table, as_entries, csv, csv_cell, grouped};
use super::run::RunArgs;
use super::{CliError, CliResult};

/// Play each map many times and report how often each side wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Rates are wins over all playouts; intervals are Wilson's at 95 %.\n\
    Fitness (tubstap) is 1 - (|p1 - p2| + draw): 1 is fair and decisive.\n\
    Spread (catan) is the standard deviation of the seats' win rates in percentage points;\n\
    de-biased is what is left of it without chance; p is how likely equal seats would differ as much.\n\
    Truncated games were cut off and are won by nobody.\n\
    Saboteur has no maps but the settings 3-players to 10-players; a playout is a round.\n\n\
    The same seed gives the same numbers on every backend, with any number of threads.\n\
    Ctrl-C keeps the maps that are finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground eval\n  \
    fairground eval --game catan --turn-cap 500\n  \
    fairground eval --game saboteur --players 5,6 --policy paper,random --weights 100:0\n  \
    fairground eval --game tubstap maps/ 'more/*.tbsmap' --playouts 100000 --format csv > results.csv\n  \
    find . -name '*.tbsmap' | fairground eval - --policy muct --format json")]
pub struct Args {
    /// Map files, directories of them, patterns, or names of built-in maps; `-` reads a list of these from
    /// standard input. Without any, all built-in maps
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    #[command(flatten)]
    play: PlayArgs,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    playouts: u64,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: &Args) -> CliResult {
    let found = args.play.find(&args.maps)?;
    match found.game {
        GameArg::Tubstap => run_game::<Tubstap>(args, found),
        GameArg::Catan => run_game::<Catan>(args, found),
        GameArg::Saboteur if args.play.whole_games => run_game::<WholeGames>(args, found),
        GameArg::Saboteur => run_game::<Saboteur>(args, found),
    }
}

fn run_game<G: CliGame>(args: &Args, found: Found) -> CliResult {
    let choice = args.run.choice()?;
    let setup = G::setup(&args.play)?;
    let maps = if found.is_empty() {
        maps::builtin::<G>(&found.game.builtin_names())
    } else {
        maps::load::<G>(found, args.run.quiet)?
    };
    let starts: Vec<_> = maps.into_iter().map(|(name, map)| (name, G::start(&map, &setup))).collect();
    let evaluator = args.run.open(choice)?;
    let most_seats = starts.iter().map(|(_, start)| G::seats(start).len()).max().unwrap_or(0);
    Session::<G> { args, setup, evaluator, most_seats }.evaluate(&starts)
}

/// Playouts after which results are printed: lanes and threads are long filled by then.
pub(super) const GROUP_PLAYOUTS: u64 = 1 << 20;

/// One run of the command.
struct Session<'a, G: CliGame> {
    args: &'a Args,
    setup: G::Setup,
    evaluator: Evaluator,
    /// Of the map with the most.
    most_seats: usize,
}

impl<G: CliGame> Session<'_, G> {
    /// Plays the maps group by group, so that results appear as they come.
    fn evaluate(&self, maps: &[(String, G::Position)]) -> CliResult {
        let Self { args, evaluator, .. } = self;
        let Some((_, first)) = maps.first() else { return Ok(()) };
        let playouts = args.playouts.saturating_mul(maps.len() as u64);
        let progress = args.run.progress(playouts, "playouts", None);
        let longest_name = maps.iter().map(|(name, _)| name.as_str()).max_by_key(|name| name.chars().count());
        let tally = Tally { playouts: args.playouts, ..Tally::default() };
        let sample = self.row(longest_name.unwrap_or_default(), first, &tally);
        let writer = Writer::new(args.format, &sample);
        let mut out = io::stdout().lock();
        progress.bar.suspend(|| writer.head(&mut out, &sample))?;
        let group = GROUP_PLAYOUTS.div_ceil(args.playouts) as usize;
        for (index, maps_of_group) in maps.chunks(group).enumerate() {
            let mut batch = Batch::<G>::new(G::policy(&self.setup), args.play.seed);
            maps_of_group.iter().for_each(|(_, start)| batch.push(start, args.playouts));
            let evaluation = evaluator.evaluate_watched(&batch, &progress).map_err(|error| match error {
                EvaluateError::Stopped => {
                    let finished = index * group;
                    CliError::Failed(format!("stopped on request: {finished} of {} maps are finished", maps.len()))
                }
                other => other.into(),
            });
            let evaluation = evaluation.inspect_err(|_| progress.bar.finish_and_clear())?;
            progress.bar.suspend(|| {
                let mut results = maps_of_group.iter().zip(&evaluation.tallies);
                results.try_for_each(|((name, start), tally)| writer.row(&mut out, &self.row(name, start, tally)))
            })?;
        }
        progress.bar.finish_and_clear();
        Ok(())
    }

    fn row<'a>(&self, name: &'a str, start: &G::Position, tally: &Tally) -> Row<'a> {
        let (n, seats) = (tally.playouts, G::seats(start));
        let wins: Vec<u64> = tally.wins.iter().copied().take(seats.len()).collect();
        Row {
            map: name,
            game: G::NAME,
            rules_version: G::RULES_VERSION,
            setup: G::fields(&self.setup, start),
            seed: self.args.play.seed,
            backend: self.evaluator.backend().name(),
            level: match self.evaluator.backend() {
                Backend::Simd(level) => Some(level.name()),
                Backend::Scalar | Backend::Gpu(_) => None,
            },
            playouts: n,
            seats,
            seat_columns: &G::SEATS[..self.most_seats],
            rates: wins.iter().map(|&wins| stats::rate(wins, n)).collect(),
            intervals: wins.iter().map(|&wins| ends(stats::wilson(wins, n))).collect(),
            wins,
            draws: G::HAS_DRAWS.then_some(tally.draws),
            truncated: tally.truncated,
            draw_rate: G::HAS_DRAWS.then(|| stats::rate(tally.draws, n)),
            draw_interval: G::HAS_DRAWS.then(|| ends(stats::wilson(tally.draws, n))),
            length_unit: G::LENGTH,
            mean_length: stats::mean(&tally.phases, n),
            mean_length_error: stats::standard_error(&tally.phases, n),
            mean_actions: stats::mean(&tally.actions, n),
            mean_actions_error: stats::standard_error(&tally.actions, n),
            measures: G::measures(tally, seats.len()),
        }
    }
}

/// With more seats than these the table shows how far the interval reaches instead of its ends.
const CROWDED: usize = 4;

const fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// Number, rate and interval.
type Wins = (u64, f64, [f64; 2]);

/// The results of one map, as JSON shows them. Lists are in the order of `seats`. What a game does not have is left
/// out.
#[derive(Serialize)]
struct Row<'a> {
    map: &'a str,
    game: &'static str,
    rules_version: &'static str,
    #[serde(flatten, serialize_with = "as_entries")]
    setup: Vec<(&'static str, Value)>,
    seed: u64,
    backend: &'static str,
    level: Option<&'static str>,
    playouts: u64,
    seats: &'static [&'static str],
    #[serde(skip)]
    seat_columns: &'static [&'static str],
    wins: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<u64>,
    truncated: u64,
    rates: Vec<f64>,
    intervals: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_interval: Option<[f64; 2]>,
    #[serde(skip)]
    length_unit: &'static str,
    mean_length: f64,
    mean_length_error: f64,
    mean_actions: f64,
    mean_actions_error: f64,
    #[serde(flatten, serialize_with = "as_fields")]
    measures: Vec<Measure>,
}

/// A measure is a field of its name; its interval is another.
fn as_fields<S: Serializer>(measures: &[Measure], serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_map(None)?;
    for measure in measures {
        fields.serialize_entry(measure.name, &measure.value)?;
        if let Some(interval) = measure.interval {
            fields.serialize_entry(&format!("{}_interval", measure.name), &ends(interval))?;
        }
    }
    fields.end()
}

impl Row<'_> {
    /// Wins, rate and interval of each seat that has a column; none of a seat that is not taken here.
    fn by_seat(&self) -> impl Iterator<Item = (&'static str, Option<Wins>)> {
        let results = self.wins.iter().zip(&self.rates).zip(&self.intervals);
        let results = results.map(|((&wins, &rate), &interval)| Some((wins, rate, interval)));
        self.seat_columns.iter().copied().zip(results.chain(std::iter::repeat(None)))
    }

    /// Number, rate and interval of draws, if the game has them.
    fn drawn(&self) -> Option<Wins> {
        Some((self.draws?, self.draw_rate?, self.draw_interval?))
    }

    /// The columns of the table.
    fn columns(&self) -> Vec<Column> {
        let percent = |head: &str, rate: f64, [low, high]: [f64; 2]| {
            Column::new(head, 22, format!("{:.2} [{:.2},{:.2}]", 100.0 * rate, 100.0 * low, 100.0 * high))
        };
        let is_crowded = self.seat_columns.len() > CROWDED;
        let seats = self.by_seat().map(|(seat, result)| match result {
            None => Column::new(format!("{seat} wins %"), 0, "-"),
            Some((_, rate, [low, high])) if is_crowded => {
                let reach = (rate - low).max(high - rate);
                Column::new(format!("{seat} wins %"), 11, format!("{:.2} ±{:.2}", 100.0 * rate, 100.0 * reach))
            }
            Some((_, rate, interval)) => percent(&format!("{seat} wins %"), rate, interval),
        });
        let mut columns = vec![Column::new("map", 0, self.map), Column::new("playouts", 0, grouped(self.playouts))];
        columns.extend(seats);
        columns.extend(self.drawn().map(|(_, rate, interval)| percent("draw %", rate, interval)));
        columns.extend([
            Column::new("truncated", 0, grouped(self.truncated)),
            Column::new(self.length_unit, 0, format!("{:.1}", self.mean_length)),
            Column::new("actions", 0, format!("{:.1}", self.mean_actions)),
        ]);
        columns.extend(self.measures.iter().filter_map(|measure| measure.column.clone()));
        columns
    }

    /// Names and values of the columns of CSV.
    fn cells(&self) -> Vec<(String, String)> {
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        // What is unknown is empty, as it is null in JSON.
        let number =
            |name: &str, value: f64| text(name, &if value.is_nan() { String::new() } else { value.to_string() });
        let ends = |name: &str, [low, high]: [f64; 2]| {
            [number(&format!("{name}_low"), low), number(&format!("{name}_high"), high)]
        };
        let mut cells = vec![text("map", self.map), text("game", self.game), text("rules_version", self.rules_version)];
        cells.extend(self.setup.iter().map(|(name, value)| text(name, &csv_cell(value))));
        cells.extend([
            text("seed", &self.seed.to_string()),
            text("backend", self.backend),
            text("level", self.level.unwrap_or_default()),
            text("playouts", &self.playouts.to_string()),
        ]);
        for (seat, result) in self.by_seat() {
            let wins = result.map(|(wins, ..)| wins.to_string()).unwrap_or_default();
            let (_, rate, interval) = result.unwrap_or((0, f64::NAN, [f64::NAN; 2]));
            cells.extend([text(&format!("{seat}_wins"), &wins), number(&format!("{seat}_rate"), rate)]);
            cells.extend(ends(seat, interval));
        }
        if let Some((draws, rate, interval)) = self.drawn() {
            cells.extend([text("draws", &draws.to_string()), number("draw_rate", rate)]);
            cells.extend(ends("draw", interval));
        }
        cells.extend([
            text("truncated", &self.truncated.to_string()),
            number("mean_length", self.mean_length),
            number("mean_length_error", self.mean_length_error),
            number("mean_actions", self.mean_actions),
            number("mean_actions_error", self.mean_actions_error),
        ]);
        for measure in &self.measures {
            cells.push(number(measure.name, measure.value));
            cells.extend(measure.interval.into_iter().flat_map(|interval| ends(measure.name, self::ends(interval))));
        }
        cells
    }
}

/// Writes rows in the format that was asked for.
struct Writer {
    format: Format,
    table: Table,
}

impl Writer {
    /// The sample has the longest name and number of playouts.
    fn new(format: Format, sample: &Row<'_>) -> Self {
        Self { format, table: Table::new(sample.columns().iter().map(|column| column.width).collect()) }
    }

    fn head(&self, out: &mut impl Write, sample: &Row<'_>) -> io::Result<()> {
        match self.format {
            Format::Json => Ok(()),
            Format::Table => {
                let heads: Vec<_> = sample.columns().into_iter().map(|column| column.head).collect();
                writeln!(out, "{}", self.table.row(&heads))
            }
            Format::Csv => {
                let heads: Vec<_> = sample.cells().into_iter().map(|(head, _)| head).collect();
                writeln!(out, "{}", csv(&heads))
            }
        }
    }

    fn row(&self, out: &mut impl Write, row: &Row<'_>) -> io::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut *out, row)?;
                writeln!(out)
            }
            Format::Table => {
                let cells: Vec<_> = row.columns().into_iter().map(|column| column.text).collect();
                writeln!(out, "{}", self.table.row(&cells))
            }
            Format::Csv => {
                let cells: Vec<_> = row.cells().into_iter().map(|(_, cell)| cell).collect();
                writeln!(out, "{}", csv(&cells))
            }
        }
    }
}
