//! `fairground bench`: how fast each backend plays, after checking that all of them agree.
//!
//! Protocol: every contestant plays the same few thousand playouts of each map and must give the tally of
//! the rules engine; then each warms up; then they take turns in rounds, so that a drift of the machine's
//! speed hits all of them. The rate is all playouts over all time of the rounds.

use std::collections::HashSet;
use std::io::{self, Write};
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fairground::batch::{Backend, BackendChoice, Batch, Evaluator, SimdLevel, Tally};
use fairground::games::catan::Catan;
use fairground::games::saboteur::{Saboteur, WholeGames};
use fairground::games::tubstap::Tubstap;
use serde::Serialize;
use serde_json::Value;

use super::games::{CliGame, GameArg, PlayArgs};
use super::maps::{self, Found, Named};
use super::output::{Table, as_entries, grouped};
use super::{BackendName, CliError, CliResult, chain, open, parse_threads, say};

/// Measure how many playouts a second each backend makes
#[derive(Debug, clap::Args)]
#[command(after_help = "Before anything is timed, all backends must return exactly the results of the rules engine.\n\
    Then they are measured in turns; the rate is all playouts over all time, with the slowest and the\n\
    fastest round beside it. Speedup is over scalar with as many threads (gpu: with the fewest listed).\n\n\
    Examples:\n  \
    fairground bench\n  \
    fairground bench --backend scalar,simd --simd-level all --seconds 5\n  \
    fairground bench front-6x6 --policy muct --threads 1,2 --format json\n  \
    fairground bench --game catan --mixed\n  \
    fairground bench --game saboteur --whole-games")]
pub struct Args {
    /// Map files, directories of them, patterns, or names of built-in maps [default: duel-6x6 front-6x6, or
    /// beginner lopsided of Catan, or 6-players of Saboteur]
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    /// Play all maps together, so that neighbouring lanes hold different maps [default maps: 64 random ones]
    #[arg(long)]
    mixed: bool,

    #[command(flatten)]
    play: PlayArgs,

    /// What to measure, separated by commas [default: all this machine has]
    #[arg(long, value_name = "BACKENDS", value_delimiter = ',')]
    backend: Vec<BackendName>,

    /// Vector instructions for the simd backend, separated by commas, or `all` [default: the best of this CPU]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    simd_level: Vec<LevelArg>,

    /// Numbers of threads, separated by commas; 0 means one per core
    #[arg(long, value_name = "T", value_delimiter = ',', default_value = "1", value_parser = parse_threads)]
    threads: Vec<usize>,

    /// Measuring time for each map and backend
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = parse_seconds)]
    seconds: f64,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: BenchFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BenchFormat {
    /// Aligned columns for people
    Table,
    /// One JSON object per line
    Json,
}

#[derive(Clone, Copy, Debug)]
enum LevelArg {
    All,
    One(SimdLevel),
}

impl FromStr for LevelArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::One) }
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds.filter(|seconds| (0.01..=3600.0).contains(seconds)).ok_or_else(|| "expected 0.01 to 3600".into())
}

/// Playouts of each map that a CPU backend must get right before it is timed; the SIMD kernels refill their
/// lanes a hundred times in it.
const CHECKED: u64 = 4096;

/// The same for a GPU, which may be a slow software driver.
const CHECKED_GPU: u64 = 1024;

/// Turns that each contestant gets.
const ROUNDS: u32 = 5;

/// The most playouts of several maps that are put into one batch, since each takes the memory of a position.
const MIXED_PLAYOUTS: u64 = 1 << 17;

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
    let setup = G::setup(&args.play)?;
    let maps = maps_to_play::<G>(args, found)?;
    let games = games::<G>(args, maps, &setup);
    let contestants = contestants(args)?;
    games.iter().try_for_each(|games| check_agreement(games, &contestants))?;
    let cpu = cpu_model();
    let mut out = io::stdout().lock();
    let longest_name = games.iter().map(|games| games.name.chars().count()).max().unwrap_or(0);
    let table = Table::new(vec![longest_name.max(3), 7, 8, 5, 7, 11, 23, 12, 9, 7]);
    if args.format == BenchFormat::Table {
        table_head::<G>(&mut out, args, &setup, &cpu, &contestants, &table)?;
    }
    for games in &games {
        let measured = measure(games, &contestants, args.seconds)?;
        for row in rows(games, &cpu, &contestants, &measured) {
            match args.format {
                BenchFormat::Json => writeln!(out, "{}", serde_json::to_string(&row).map_err(io::Error::from)?)?,
                BenchFormat::Table => writeln!(out, "{}", table.row(&table_cells(&row)))?,
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// What is played: any number of games on one map, or on several in turns.
struct Games<G: CliGame> {
    name: String,
    /// Positions after their keys.
    starts: Vec<(u64, G::Position)>,
    policy: G::Policy,
    seed: u64,
    /// What JSON says of the options.
    fields: Vec<(&'static str, Value)>,
}

/// The maps that were named, or the usual ones.
fn maps_to_play<G: CliGame>(args: &Args, found: Found) -> Result<Vec<Named<G::Map>>, CliError> {
    if !found.is_empty() {
        return maps::load::<G>(found, false);
    }
    if args.mixed { G::mixed() } else { Ok(maps::builtin::<G>(G::BENCH_MAPS)) }
}

/// What is to be measured, one after the other.
fn games<G: CliGame>(args: &Args, maps: Vec<Named<G::Map>>, setup: &G::Setup) -> Vec<Games<G>> {
    let games = |name, starts: Vec<G::Position>| {
        let mut fields = starts.first().map(|start| G::fields(setup, start)).unwrap_or_default();
        for start in starts.iter().skip(1) {
            let of_this = G::fields(setup, start);
            fields.retain(|field| of_this.contains(field));
        }
        let starts = starts.into_iter().map(|start| (G::key(&start), start)).collect();
        Games { name, starts, policy: G::policy(setup), seed: args.play.seed, fields }
    };
    if args.mixed {
        let name = format!("mixed ({} map{})", maps.len(), if maps.len() == 1 { "" } else { "s" });
        return vec![games(name, maps.iter().map(|(_, map)| G::start(map, setup)).collect())];
    }
    maps.into_iter().map(|(name, map)| games(name, vec![G::start(&map, setup)])).collect()
}

impl<G: CliGame> Games<G> {
    /// Games number `first..first + count`. Those of several maps alternate, one playout at a time, so that lanes
    /// that are next to each other hold different maps.
    fn batch(&self, first: u64, count: u64) -> Batch<G> {
        let mut batch = Batch::new(self.policy, self.seed);
        if let [(key, start)] = &*self.starts {
            batch.push_part(start, *key, first, count);
        } else {
            let maps = self.starts.len() as u64;
            for number in first..first + count {
                let (key, start) = &self.starts[(number % maps) as usize];
                batch.push_part(start, *key, number / maps, 1);
            }
        }
        batch
    }

    /// The most games of a batch.
    fn batch_limit(&self) -> u64 {
        if self.starts.len() == 1 { u64::MAX } else { MIXED_PLAYOUTS }
    }
}

/// A backend with a number of threads.
struct Contestant {
    evaluator: Evaluator,
}

impl Contestant {
    const fn is_gpu(&self) -> bool {
        matches!(self.evaluator.backend(), Backend::Gpu(_))
    }

    /// `None` on a GPU, which the threads only wait for.
    fn threads(&self) -> Option<usize> {
        (!self.is_gpu()).then(|| self.evaluator.threads())
    }

    fn level(&self) -> Option<SimdLevel> {
        match self.evaluator.backend() {
            Backend::Simd(level) => Some(*level),
            Backend::Scalar | Backend::Gpu(_) => None,
        }
    }

    fn adapter(&self) -> Option<&str> {
        match self.evaluator.backend() {
            Backend::Gpu(gpu) => Some(gpu.adapter()),
            Backend::Scalar | Backend::Simd(_) => None,
        }
    }

    /// Plays games number `first..first + count`. Only playing is timed, not the making of batches.
    fn play<G: CliGame>(&self, games: &Games<G>, first: u64, count: u64) -> Result<Played, CliError> {
        let mut played = Played::default();
        let (mut next, end) = (first, first + count);
        while next < end {
            let size = (end - next).min(games.batch_limit());
            let batch = games.batch(next, size);
            let begin = Instant::now();
            let evaluation = self.evaluator.evaluate(&batch)?;
            played.time += begin.elapsed();
            played.tallies.resize(games.starts.len(), Tally::default());
            for (tally, number) in evaluation.tallies.iter().zip(next..) {
                played.tallies[(number % games.starts.len() as u64) as usize].merge(tally);
            }
            played.busy += evaluation.occupancy.busy;
            played.lane_steps += evaluation.occupancy.total;
            next += size;
        }
        Ok(played)
    }
}

/// What came of some games, and how long they took.
#[derive(Clone, Debug, Default)]
struct Played {
    /// By map.
    tallies: Vec<Tally>,
    busy: u64,
    lane_steps: u64,
    time: Duration,
}

/// Everything that is to be measured. What was asked for by name must exist; otherwise what exists is taken.
fn contestants(args: &Args) -> Result<Vec<Contestant>, CliError> {
    let is_asked = |name| args.backend.is_empty() || args.backend.contains(&name);
    if !is_asked(BackendName::Simd) && !args.simd_level.is_empty() {
        return Err(CliError::Usage("--simd-level goes with --backend simd only".into()));
    }
    let mut choices = Vec::new();
    if is_asked(BackendName::Scalar) {
        choices.push(BackendChoice::Scalar);
    }
    if is_asked(BackendName::Simd) {
        let levels = args.simd_level.iter().flat_map(|level| match level {
            LevelArg::All => SimdLevel::available(),
            LevelArg::One(level) => vec![*level],
        });
        let mut levels: Vec<_> = levels.collect();
        if levels.is_empty() {
            levels.push(SimdLevel::best());
        }
        choices.extend(levels.into_iter().map(|level| BackendChoice::Simd(Some(level))));
    }
    let mut contestants = Vec::new();
    let mut seen = HashSet::new();
    for &threads in &args.threads {
        for &choice in &choices {
            let contestant = Contestant { evaluator: open(choice, threads)? };
            if seen.insert((contestant.level(), contestant.threads())) {
                contestants.push(contestant);
            }
        }
    }
    if is_asked(BackendName::Gpu) {
        match open(BackendChoice::Gpu, 1) {
            Ok(evaluator) => contestants.push(Contestant { evaluator }),
            Err(error) if args.backend.is_empty() => say(&format!("left out: gpu ({})", chain(&error))),
            Err(error) => return Err(error),
        }
    }
    if let Some(Backend::Gpu(gpu)) = contestants.last().map(|last| last.evaluator.backend())
        && !gpu.is_hardware()
    {
        say("note: the gpu is a software driver on the CPU; its rate says nothing about a GPU");
    }
    Ok(contestants)
}

/// The rules engine decides; a contestant that differs in any number ends the benchmark.
fn check_agreement<G: CliGame>(games: &Games<G>, contestants: &[Contestant]) -> CliResult {
    let reference = Contestant { evaluator: open(BackendChoice::Scalar, 0)? };
    let expected_of_cpu = reference.play(games, 0, CHECKED)?.tallies;
    let expected_of_gpu = reference.play(games, 0, CHECKED_GPU)?.tallies;
    for contestant in contestants {
        let (playouts, expected) =
            if contestant.is_gpu() { (CHECKED_GPU, &expected_of_gpu) } else { (CHECKED, &expected_of_cpu) };
        let found = contestant.play(games, 0, playouts)?.tallies;
        if let Some((expected, found)) = expected.iter().zip(&found).find(|(expected, found)| expected != found) {
            return Err(CliError::Failed(format!(
                "{} disagrees with the rules engine on {}, so nothing was measured:\n  \
                 expected {expected:?}\n  found    {found:?}",
                contestant.evaluator.backend(),
                games.name
            )));
        }
    }
    Ok(())
}

/// What a contestant did in its rounds.
#[derive(Clone, Debug, Default)]
struct Measured {
    playouts: u64,
    actions: u64,
    busy: u64,
    lane_steps: u64,
    time: Duration,
    /// Playouts per second of each round.
    round_rates: Vec<f64>,
}

impl Measured {
    fn add(&mut self, round: &Played) {
        let playouts: u64 = round.tallies.iter().map(|tally| tally.playouts).sum();
        self.playouts += playouts;
        self.actions += round.tallies.iter().map(|tally| tally.actions.sum).sum::<u64>();
        self.busy += round.busy;
        self.lane_steps += round.lane_steps;
        self.time += round.time;
        self.round_rates.push(playouts as f64 / round.time.as_secs_f64());
    }

    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.time.as_secs_f64()
    }

    /// Busy share of the lanes, if the backend counts it.
    fn occupancy(&self) -> Option<f64> {
        (self.lane_steps > 0).then(|| self.busy as f64 / self.lane_steps as f64)
    }
}

/// Warm-up, then the rounds, for a window of `seconds` each.
fn measure<G: CliGame>(games: &Games<G>, contestants: &[Contestant], seconds: f64) -> Result<Vec<Measured>, CliError> {
    let round = seconds / f64::from(ROUNDS);
    // Fresh playouts each time, so that no contestant is measured on games it has just played.
    let mut first = CHECKED;
    let mut sizes = Vec::new();
    for contestant in contestants {
        sizes.push(warm_up(games, contestant, &mut first, round)?);
    }
    let mut measured = vec![Measured::default(); contestants.len()];
    for remaining in (1..=ROUNDS).rev() {
        for ((contestant, size), measured) in contestants.iter().zip(&mut sizes).zip(&mut measured) {
            measured.add(&contestant.play(games, first, *size)?);
            first += *size;
            // A machine that changes its speed must not change the length of the window.
            let left = (seconds - measured.time.as_secs_f64()).max(round / 4.0);
            let rounds = f64::from(remaining - 1).max(1.0);
            *size = ((measured.per_second(measured.playouts) * left / rounds) as u64).max(1);
        }
    }
    Ok(measured)
}

/// Plays more and more until a run takes long enough to judge; gives the playouts that fill a round.
fn warm_up<G: CliGame>(
    games: &Games<G>,
    contestant: &Contestant,
    first: &mut u64,
    round: f64,
) -> Result<u64, CliError> {
    let enough = (round / 2.0).min(0.5);
    let mut playouts = 1024;
    loop {
        let time = contestant.play(games, *first, playouts)?.time.as_secs_f64();
        *first += playouts;
        if time >= enough {
            return Ok(((playouts as f64 * round / time) as u64).max(1));
        }
        playouts *= 2;
    }
}

/// One contestant on one map, as JSON shows it.
#[derive(Debug, Serialize)]
struct Row<'a> {
    game: &'static str,
    map: &'a str,
    rules_version: &'static str,
    #[serde(flatten, serialize_with = "as_entries")]
    setup: &'a [(&'static str, Value)],
    seed: u64,
    backend: &'static str,
    level: Option<&'static str>,
    lanes: Option<usize>,
    threads: Option<usize>,
    playouts: u64,
    seconds: f64,
    playouts_per_s: f64,
    slowest_round: f64,
    fastest_round: f64,
    actions_per_s: f64,
    occupancy: Option<f64>,
    speedup_vs_scalar: Option<f64>,
    cpu: &'a str,
    adapter: Option<&'a str>,
}

fn rows<'a, G: CliGame>(
    games: &'a Games<G>,
    cpu: &'a str,
    contestants: &'a [Contestant],
    measured: &[Measured],
) -> Vec<Row<'a>> {
    let is_scalar = |contestant: &Contestant| matches!(contestant.evaluator.backend(), Backend::Scalar);
    let scalars = || contestants.iter().zip(measured).filter(|(contestant, _)| is_scalar(contestant));
    let base_for = |contestant: &Contestant| match contestant.threads() {
        Some(threads) => scalars().find(|(scalar, _)| scalar.threads() == Some(threads)),
        None => scalars().min_by_key(|(scalar, _)| scalar.threads()),
    };
    let row = |(contestant, measured): (&'a Contestant, &Measured)| {
        let rate = measured.per_second(measured.playouts);
        let rounds = || measured.round_rates.iter().copied();
        Row {
            game: G::NAME,
            map: &games.name,
            rules_version: G::RULES_VERSION,
            setup: &games.fields,
            seed: games.seed,
            backend: contestant.evaluator.backend().name(),
            level: contestant.level().map(SimdLevel::name),
            lanes: contestant.level().map(SimdLevel::lanes),
            threads: contestant.threads(),
            playouts: measured.playouts,
            seconds: measured.time.as_secs_f64(),
            playouts_per_s: rate,
            slowest_round: rounds().fold(f64::INFINITY, f64::min),
            fastest_round: rounds().fold(0.0, f64::max),
            actions_per_s: measured.per_second(measured.actions),
            // The rules engine plays one game at a time: its only lane is never idle.
            occupancy: if is_scalar(contestant) { Some(1.0) } else { measured.occupancy() },
            speedup_vs_scalar: base_for(contestant).map(|(_, base)| rate / base.per_second(base.playouts)),
            cpu,
            adapter: contestant.adapter(),
        }
    };
    contestants.iter().zip(measured).map(row).collect()
}

fn table_head<G: CliGame>(
    out: &mut impl Write,
    args: &Args,
    setup: &G::Setup,
    cpu: &str,
    contestants: &[Contestant],
    table: &Table,
) -> io::Result<()> {
    writeln!(out, "CPU: {cpu}")?;
    if let Some(adapter) = contestants.iter().find_map(Contestant::adapter) {
        writeln!(out, "GPU: {adapter}")?;
    }
    writeln!(
        out,
        "{}, seed {}; all backends agree; {} s for each backend and map in {ROUNDS} rounds\n",
        G::describe(setup),
        args.play.seed,
        args.seconds
    )?;
    let head =
        ["map", "backend", "level", "lanes", "threads", "playouts/s", "rounds", "actions/s", "occupancy", "speedup"];
    writeln!(out, "{}", table.row(&head))
}

fn table_cells(row: &Row<'_>) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let whole = |rate: f64| grouped(rate.round() as u64);
    vec![
        row.map.to_owned(),
        row.backend.to_owned(),
        or_dash(row.level.map(String::from)),
        or_dash(row.lanes.map(|lanes| lanes.to_string())),
        or_dash(row.threads.map(|threads| threads.to_string())),
        whole(row.playouts_per_s),
        format!("{}..{}", whole(row.slowest_round), whole(row.fastest_round)),
        whole(row.actions_per_s),
        or_dash(row.occupancy.map(|share| format!("{:.1} %", 100.0 * share))),
        or_dash(row.speedup_vs_scalar.map(|speedup| format!("{speedup:.2}x"))),
    ]
}

/// The CPU's name as the system gives it.
pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let name = model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned());
    format!("{name}, {cores} cores")
}
