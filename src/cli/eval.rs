//! `fairground eval`: how fair maps are.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use fairground::batch::{Backend, BackendChoice, Batch, EvaluateError, Evaluator, SimdLevel, Tally, Watch};
use fairground::games::Game;
use fairground::games::tubstap::Tubstap;
use fairground::stats::{self, Interval};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::maps::TubstapMaps;
use super::output::{Format, Table, csv, grouped};
use super::{CliError, CliResult, GameArg, PolicyArg, is_watched, maps, open, parse_threads, say};

/// Play each map many times and report how often each side wins
#[derive(Debug, clap::Args)]
#[command(after_help = "Intervals are Wilson's at 95 %. Fitness is 1 - (|p1 - p2| + draw): 1 is fair and decisive.\n\
    The same seed gives the same numbers on every backend, with any number of threads.\n\
    Ctrl-C keeps the maps that are finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground eval\n  \
    fairground eval maps/ 'more/*.tbsmap' --playouts 100000 --format csv > results.csv\n  \
    find . -name '*.tbsmap' | fairground eval - --policy muct --format json")]
pub struct Args {
    /// Map files, directories of them, patterns, or names of built-in maps; `-` reads a list of these from
    /// standard input. Without any, all built-in maps
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    /// The game
    #[arg(long, default_value = "tubstap")]
    game: GameArg,

    /// How the players choose
    #[arg(long, default_value = "random")]
    policy: PolicyArg,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    playouts: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// What plays
    #[arg(long, default_value = "auto")]
    backend: BackendArg,

    /// Vector instructions for the simd backend: sse2, sse4.2, avx2, avx512, neon [default: the best of this CPU]
    #[arg(long, value_name = "LEVEL")]
    simd_level: Option<SimdLevel>,

    /// Threads; 0 means one per core
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = parse_threads)]
    threads: usize,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    /// No progress, no warnings, no word about the backend
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendArg {
    /// A hardware GPU if there is one, otherwise what is fastest on the CPU
    Auto,
    /// The readable rules engine
    Scalar,
    /// Lockstep kernels on the CPU's vector unit
    Simd,
    /// Compute shaders through wgpu
    Gpu,
}

impl Args {
    fn backend(&self) -> Result<BackendChoice, CliError> {
        Ok(match (self.backend, self.simd_level) {
            // Whoever names a level wants it.
            (BackendArg::Simd, level) | (BackendArg::Auto, level @ Some(_)) => BackendChoice::Simd(level),
            (BackendArg::Auto, None) => BackendChoice::Auto,
            (BackendArg::Scalar, None) => BackendChoice::Scalar,
            (BackendArg::Gpu, None) => BackendChoice::Gpu,
            (BackendArg::Scalar | BackendArg::Gpu, Some(_)) => {
                return Err(CliError::Usage("--simd-level goes with --backend simd only".into()));
            }
        })
    }
}

pub fn run(args: &Args) -> CliResult {
    let choice = args.backend()?;
    let GameArg::Tubstap = args.game;
    let maps = if args.maps.is_empty() {
        maps::builtin::<TubstapMaps>(None)
    } else {
        maps::load::<TubstapMaps>(&args.maps, args.quiet)?
    };
    let starts: Vec<_> = maps.into_iter().map(|named| (named.name, named.map.start())).collect();
    let evaluator = open(choice, args.threads)?;
    // Without a handler Ctrl-C simply ends the program, which is no loss worth an error.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if !args.quiet {
        let threads = match (evaluator.backend(), evaluator.threads()) {
            (Backend::Gpu(_), _) => String::new(),
            (_, 1) => ", 1 thread".into(),
            (_, threads) => format!(", {threads} threads"),
        };
        let why = match (choice, evaluator.backend()) {
            (BackendChoice::Auto, Backend::Gpu(_)) => "; picked because it is hardware",
            (BackendChoice::Auto, _) => "; picked because there is no hardware GPU",
            _ => "",
        };
        say(&format!("backend: {}{threads}{why}", evaluator.backend()));
    }
    evaluate::<Tubstap>(args, args.policy.policy(), &starts, &evaluator)
}

/// Set by the first Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Draws the progress bar and passes Ctrl-C on.
struct Progress {
    bar: ProgressBar,
}

impl Watch for Progress {
    fn finished(&self, playouts: u64) {
        self.bar.inc(playouts);
    }

    fn stop(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

impl Progress {
    fn start(playouts: u64, visible: bool) -> Self {
        let bar = if visible { ProgressBar::new(playouts) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} playouts, {eta} left");
        Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())) }
    }
}

/// Playouts after which results are printed: lanes and threads are long filled by then.
const GROUP_PLAYOUTS: u64 = 1 << 20;

/// Plays the maps group by group, so that results appear as they come.
fn evaluate<G: Game>(
    args: &Args,
    policy: G::Policy,
    maps: &[(String, G::Position)],
    evaluator: &Evaluator,
) -> CliResult {
    let playouts = args.playouts.saturating_mul(maps.len() as u64);
    let progress = Progress::start(playouts, !args.quiet && is_watched());
    let writer = Writer::new(args, G::SEATS, maps.iter().map(|(name, _)| name.chars().count()).max());
    let mut out = io::stdout().lock();
    progress.bar.suspend(|| writer.head(&mut out))?;
    let group = GROUP_PLAYOUTS.div_ceil(args.playouts) as usize;
    for (index, maps_of_group) in maps.chunks(group).enumerate() {
        let mut batch = Batch::<G>::new(policy, args.seed);
        maps_of_group.iter().for_each(|(_, start)| batch.push(start, args.playouts));
        let evaluation = evaluator.evaluate_watched(&batch, &progress).map_err(|error| match error {
            EvaluateError::Stopped => {
                CliError::Failed(format!("stopped on request: {} of {} maps are finished", index * group, maps.len()))
            }
            other => other.into(),
        });
        let evaluation = evaluation.inspect_err(|_| progress.bar.finish_and_clear())?;
        progress.bar.suspend(|| {
            let mut results = maps_of_group.iter().zip(&evaluation.tallies);
            results.try_for_each(|((name, _), tally)| writer.row(&mut out, &row::<G>(args, name, tally, evaluator)))
        })?;
    }
    progress.bar.finish_and_clear();
    Ok(())
}

/// The results of one map, as JSON shows them. Lists are in the order of `seats`.
#[derive(Debug, Serialize)]
struct Row<'a> {
    map: &'a str,
    game: &'static str,
    rules_version: &'static str,
    policy: String,
    seed: u64,
    backend: &'static str,
    level: Option<&'static str>,
    playouts: u64,
    seats: &'static [&'static str],
    wins: Vec<u64>,
    draws: u64,
    truncated: u64,
    rates: Vec<f64>,
    intervals: Vec<[f64; 2]>,
    draw_rate: f64,
    draw_interval: [f64; 2],
    mean_length: f64,
    mean_length_error: f64,
    mean_actions: f64,
    mean_actions_error: f64,
    fitness: f64,
    fitness_interval: [f64; 2],
}

fn row<'a, G: Game>(args: &Args, name: &'a str, tally: &Tally, evaluator: &Evaluator) -> Row<'a> {
    let ends = |interval: Interval| [interval.low, interval.high];
    let n = tally.playouts;
    let wins: Vec<u64> = tally.wins.iter().copied().take(G::SEATS.len()).collect();
    Row {
        map: name,
        game: G::NAME,
        rules_version: G::RULES_VERSION,
        policy: args.policy.to_string(),
        seed: args.seed,
        backend: evaluator.backend().name(),
        level: match evaluator.backend() {
            Backend::Simd(level) => Some(level.name()),
            Backend::Scalar | Backend::Gpu(_) => None,
        },
        playouts: n,
        seats: G::SEATS,
        rates: wins.iter().map(|&wins| stats::rate(wins, n)).collect(),
        intervals: wins.iter().map(|&wins| ends(stats::wilson(wins, n))).collect(),
        wins,
        draws: tally.draws,
        truncated: tally.truncated,
        draw_rate: stats::rate(tally.draws, n),
        draw_interval: ends(stats::wilson(tally.draws, n)),
        mean_length: stats::mean(&tally.phases, n),
        mean_length_error: stats::standard_error(&tally.phases, n),
        mean_actions: stats::mean(&tally.actions, n),
        mean_actions_error: stats::standard_error(&tally.actions, n),
        fitness: stats::fitness(tally),
        fitness_interval: ends(stats::fitness_interval(tally)),
    }
}

/// Writes rows in the format that was asked for.
struct Writer {
    format: Format,
    seats: &'static [&'static str],
    table: Table,
}

impl Writer {
    fn new(args: &Args, seats: &'static [&'static str], longest_name: Option<usize>) -> Self {
        let mut widths = vec![longest_name.unwrap_or(0).max(3), grouped(args.playouts).len().max(8)];
        widths.extend(seats.iter().map(|_| 22));
        widths.extend([22, 9, 6, 7, 19]);
        Self { format: args.format, seats, table: Table::new(widths) }
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        let each_seat = |suffixes: &[&str]| {
            let cells = |seat: &&str| suffixes.iter().map(|suffix| format!("{seat}{suffix}")).collect::<Vec<_>>();
            self.seats.iter().flat_map(cells).collect::<Vec<_>>()
        };
        let own = |cells: &[&str]| cells.iter().copied().map(String::from).collect::<Vec<_>>();
        match self.format {
            Format::Json => Ok(()),
            Format::Table => {
                let tail = own(&["draw %", "truncated", "phases", "actions", "fitness"]);
                let cells = [own(&["map", "playouts"]), each_seat(&[" wins %"]), tail].concat();
                writeln!(out, "{}", self.table.row(&cells))
            }
            Format::Csv => {
                let about = own(&["map", "game", "rules_version", "policy", "seed", "backend", "level", "playouts"]);
                let seats = each_seat(&["_wins", "_rate", "_low", "_high"]);
                let draws = own(&["draws", "draw_rate", "draw_low", "draw_high", "truncated"]);
                let lengths = own(&["mean_length", "mean_length_error", "mean_actions", "mean_actions_error"]);
                let fitness = own(&["fitness", "fitness_low", "fitness_high"]);
                writeln!(out, "{}", csv(&[about, seats, draws, lengths, fitness].concat()))
            }
        }
    }

    fn row(&self, out: &mut impl Write, row: &Row<'_>) -> io::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut *out, row)?;
                writeln!(out)
            }
            Format::Table => writeln!(out, "{}", self.table.row(&table_cells(row))),
            Format::Csv => writeln!(out, "{}", csv(&csv_cells(row))),
        }
    }
}

fn table_cells(row: &Row<'_>) -> Vec<String> {
    let percent =
        |rate: f64, [low, high]: [f64; 2]| format!("{:.2} [{:.2},{:.2}]", 100.0 * rate, 100.0 * low, 100.0 * high);
    let mut cells = vec![row.map.to_owned(), grouped(row.playouts)];
    cells.extend(row.rates.iter().zip(&row.intervals).map(|(&rate, &interval)| percent(rate, interval)));
    let [low, high] = row.fitness_interval;
    cells.extend([
        percent(row.draw_rate, row.draw_interval),
        grouped(row.truncated),
        format!("{:.1}", row.mean_length),
        format!("{:.1}", row.mean_actions),
        format!("{:.3} [{low:.3},{high:.3}]", row.fitness),
    ]);
    cells
}

fn csv_cells(row: &Row<'_>) -> Vec<String> {
    let mut cells = vec![
        row.map.to_owned(),
        row.game.to_owned(),
        row.rules_version.to_owned(),
        row.policy.clone(),
        row.seed.to_string(),
        row.backend.to_owned(),
        row.level.unwrap_or_default().to_owned(),
        row.playouts.to_string(),
    ];
    for ((wins, rate), [low, high]) in row.wins.iter().zip(&row.rates).zip(&row.intervals) {
        cells.push(wins.to_string());
        cells.extend([rate, low, high].map(f64::to_string));
    }
    cells.push(row.draws.to_string());
    cells.extend([row.draw_rate, row.draw_interval[0], row.draw_interval[1]].map(|value| value.to_string()));
    cells.push(row.truncated.to_string());
    let lengths = [row.mean_length, row.mean_length_error, row.mean_actions, row.mean_actions_error];
    // An unknown error is an empty cell, as it is null in JSON.
    cells.extend(lengths.map(|value| if value.is_nan() { String::new() } else { value.to_string() }));
    cells.extend([row.fitness, row.fitness_interval[0], row.fitness_interval[1]].map(|value| value.to_string()));
    cells
}
