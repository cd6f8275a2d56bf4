//! `fairground match`: games between two players.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fairground::batch::{Backend, Evaluator, Outcome, Tally, Watch};
use fairground::games::Game as _;
use fairground::games::tubstap::record::{self, Heading};
use fairground::games::tubstap::{Map, Team, Tubstap};
use fairground::players::thinking::{Batches, Crowd};
use fairground::players::tubstap::choice::{Choice, MSS_SETTINGS, MUCT_SETTINGS, NAMES, Setting};
use fairground::players::tubstap::contest::{Contest, Pairing};
use fairground::players::tubstap::game::{Played, Refused};
use fairground::players::tubstap::muct::Settings;
use fairground::stats;
use serde::Serialize;

use super::games::GameArg;
use super::generate::refuse_existing;
use super::maps::{self, Named};
use super::output::{Format, Table, csv, grouped};
use super::run::{Progress, RunArgs};
use super::{CliError, CliResult, cannot_write, say};

/// Let two players play against each other and report who wins, by seat
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES, after_long_help = long_help())]
pub struct Args {
    /// Map files, directories of them, patterns, or names of built-in maps; `-` reads a list of these from
    /// standard input. Without any, all built-in maps
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    /// More of these
    #[arg(long = "map", value_name = "MAP", num_args = 1..)]
    more_maps: Vec<String>,

    /// The game; so far only tubstap has players
    #[arg(long)]
    game: Option<GameArg>,

    /// The first player, who is always Red without --swap: random, maxact, mss, or muct with its settings (see --help)
    #[arg(long, value_name = "PLAYER", default_value = "muct:1000")]
    red: Choice,

    /// The second player, likewise
    #[arg(long, value_name = "PLAYER", default_value = "maxact")]
    blue: Choice,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    games: u64,

    /// The players change seats after every game
    #[arg(long)]
    swap: bool,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Games under way together [default: enough to fill the batches of the players]
    #[arg(long, value_name = "N", value_parser = parse_at_a_time)]
    at_a_time: Option<usize>,

    /// Write every game to a file of this directory (MAP-0001.tbsmap, ...); made if it does not exist
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// Overwrite records that exist
    #[arg(long, requires = "record")]
    force: bool,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

const NOTES: &str = "Rates are over all games of a row; intervals are Wilson's at 95 %.\n\
    A game of 1000 phases is cut off and won by nobody.\n\n\
    The same seed gives the same games on every backend, with any --threads and --at-a-time, unless a\n\
    player's time is limited (ms): such games are played one at a time on each thread. In JSON what\n\
    differs from run to run is all in `timing`. A record has the seed and the number of its game in\n\
    place of a date, so that it can be repeated too.\n\n\
    Ctrl-C keeps the games before the first one that is not finished: short games finish first, and\n\
    counting them alone would favour whoever wins fast. A second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground match\n  \
    fairground match duel-6x6 --red muct:1000 --blue mss --games 200 --swap\n  \
    fairground match maps/ --red muct:prune=single,kinds=panzer --blue muct --swap --format json\n  \
    fairground match skirmish-5x5 --red maxact --blue random --games 10 --record games\n  \
    fairground match duel-6x6 --red muct:ms=100 --blue muct:1000";

/// The players and their settings, then what the short help says too.
fn long_help() -> String {
    let names = NAMES.map(|(name, about)| format!("  {name:<8} {about}\n")).concat();
    let settings = |settings: &[Setting]| {
        let line = |(key, values, about): &Setting| format!("  {:<24} {about}\n", format!("{key}={values}"));
        settings.iter().map(line).collect::<String>()
    };
    let (mss, muct) = (settings(&MSS_SETTINGS), settings(&MUCT_SETTINGS));
    format!(
        "Players:\n{names}\nSettings of mss, as in mss:20,candidates=30:\n{mss}\n\
         Settings of muct, as in muct:sims=1000,c=0.3:\n{muct}\n{NOTES}"
    )
}

/// More games than these only take memory.
const MAX_AT_A_TIME: usize = 1 << 20;

fn parse_at_a_time(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_AT_A_TIME).contains(number));
    number.ok_or_else(|| format!("expected 1 to {MAX_AT_A_TIME}"))
}

pub fn run(args: &Args) -> CliResult {
    let found = maps::find(&[&args.maps[..], &args.more_maps].concat(), args.game)?;
    if found.game != GameArg::Tubstap {
        let game = found.game.name();
        return Err(CliError::Usage(format!("{game} has no players yet, only tubstap has")));
    }
    let is_timed = args.red.is_timed() || args.blue.is_timed();
    if is_timed && args.at_a_time.is_some_and(|games| games > 1) {
        let why = "a player whose time is limited plays one game at a time on each thread";
        return Err(CliError::Usage(format!("--at-a-time does not go with ms: {why}")));
    }
    let choice = args.run.choice()?;
    let maps = if found.is_empty() {
        maps::builtin::<Tubstap>(&found.game.builtin_names())
    } else {
        maps::load::<Tubstap>(found, args.run.quiet)?
    };
    check(&maps)?;
    let recorder = args.record.as_deref().map(|directory| Recorder::open(args, directory, &maps)).transpose()?;
    let evaluator = args.run.open(choice)?;
    if is_timed && !args.run.quiet {
        say("note: a player's time is limited, so the games cannot be repeated");
    }
    Session { args, maps, evaluator }.play(recorder)
}

/// Refuses maps on which there is nothing to play for.
fn check(maps: &[Named<Map>]) -> CliResult {
    let mut faults = Vec::new();
    for (index, (name, map)) in maps.iter().enumerate() {
        match Team::ALL.map(|team| map.side(team).next().is_some()) {
            [true, true] => {}
            [false, true] => faults.push(format!("{name}: Red has no units, so Blue has won before the game begins")),
            [true, false] => faults.push(format!("{name}: Blue has no units, so Red has won before the game begins")),
            [false, false] => faults.push(format!("{name}: neither Red nor Blue has units")),
        }
        // The games depend on the start alone: they would count twice.
        let start = map.start();
        if let Some((other, _)) = maps[..index].iter().find(|(_, other)| other.start() == start) {
            faults.push(format!("{name}: the same map as {other}, so the games would be the same too"));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(CliError::Failed(format!("cannot play on all of these maps:\n{}", faults.join("\n"))))
}

/// Playouts of a batch that keep nine of ten lanes busy. More trees at a time no longer fit into the cache.
const FULL_BATCH: usize = 64;
/// A GPU has many more lanes.
const FULL_GPU_BATCH: usize = 1 << 14;
/// About as many playouts one game of MSSystem asks for together.
const PLAN_PLAYOUTS: usize = 1 << 13;

/// How many games of this player fill a batch.
fn games_in_batch(player: &Choice, full: usize) -> usize {
    match player {
        Choice::Random | Choice::MaxAct => 1,
        Choice::Mss(_) => full.div_ceil(PLAN_PLAYOUTS),
        Choice::Muct(Settings { leaves, .. }) => full.div_ceil(*leaves as usize),
    }
}

/// Enough games of these players to fill the batches, but some for every thread.
pub fn at_a_time(evaluator: &Evaluator, players: &[Choice]) -> usize {
    let (full, threads) = match evaluator.backend() {
        Backend::Gpu(_) => (FULL_GPU_BATCH, 1),
        Backend::Scalar | Backend::Simd(_) => (FULL_BATCH, evaluator.threads()),
    };
    if players.iter().any(Choice::is_timed) {
        return threads;
    }
    players.iter().map(|player| games_in_batch(player, full)).max().unwrap_or(1) * threads
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    maps: Vec<Named<Map>>,
    evaluator: Evaluator,
}

/// What is kept of a game.
type Kept = Result<(Outcome, u32), Refused>;

impl Session<'_> {
    fn play(&self, recorder: Option<Recorder>) -> CliResult {
        let Self { args, maps, evaluator } = self;
        let contest = Contest {
            starts: maps.iter().map(|(_, map)| map.start()).collect(),
            players: [args.red.clone(), args.blue.clone()],
            games: args.games,
            has_swaps: args.swap,
        };
        let crowd = Crowd { evaluator, seed: args.seed, at_a_time: self.at_a_time(&contest) };
        let progress = args.run.progress(contest.len(), "games", None);
        let referee = Referee { progress, recorder: recorder.map(Mutex::new), has_failed: AtomicBool::new(false) };
        let names = contest.players.each_ref().map(Choice::to_string);
        let keep = |pairing: Pairing, played: Result<Played, Refused>| -> Kept {
            let played = played.inspect_err(|_| referee.fail())?;
            referee.record(args, &maps[pairing.start].1, &names, pairing, &played);
            Ok((played.outcome, played.jumps))
        };
        let began = Instant::now();
        let played = contest.play(&crowd, keep, &referee);
        let took = began.elapsed();
        referee.progress.bar.finish_and_clear();
        let (kept, batches) = played?;
        referee
            .recorder
            .map_or(Ok(()), |recorder| recorder.into_inner().unwrap_or_else(PoisonError::into_inner).finish())?;

        let mut results = Results { by_map: vec![[Tally::default(); 2]; maps.len()], jumps: vec![0; maps.len()] };
        let mut counted = 0;
        for (number, game) in &kept {
            let Pairing { start, number: of_map, first } = contest.pairing(*number);
            let (outcome, jumps) = game
                .as_ref()
                .map_err(|refused| CliError::Failed(format!("{}, game {}: {refused}", maps[start].0, of_map + 1)))?;
            // Games that were finished before an earlier one when the run was stopped do not count.
            if *number == counted {
                results.by_map[start][first.index()].add(outcome);
                results.jumps[start] += u64::from(*jumps);
                counted += 1;
            }
        }
        let timing = self.timing(kept.len() as u64, took, &batches, crowd.at_a_time);
        if counted > 0 {
            self.write(&names, &results, timing)?;
        }
        if counted < contest.len() {
            let (counted, all) = (grouped(counted), grouped(contest.len()));
            let what = "those before the first one that was not finished";
            return Err(CliError::Failed(format!("stopped on request: {counted} of {all} games count, {what}")));
        }
        Ok(())
    }

    fn at_a_time(&self, contest: &Contest) -> usize {
        let usual = at_a_time(&self.evaluator, &contest.players);
        if contest.players.iter().any(Choice::is_timed) {
            return usual;
        }
        let games = usize::try_from(contest.len()).unwrap_or(usize::MAX);
        self.args.at_a_time.unwrap_or(usual).min(games)
    }

    fn timing(&self, games: u64, took: Duration, batches: &Batches, at_a_time: usize) -> Timing {
        let backend = self.evaluator.backend();
        let seconds = took.as_secs_f64();
        let batch_sizes = (0..).zip(batches.sizes).filter(|&(_, batches)| batches > 0);
        Timing {
            backend: backend.name(),
            level: match backend {
                Backend::Simd(level) => Some(level.name()),
                Backend::Scalar | Backend::Gpu(_) => None,
            },
            threads: match backend {
                Backend::Gpu(_) => None,
                Backend::Scalar | Backend::Simd(_) => Some(self.evaluator.threads()),
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

    fn write(&self, names: &[String; 2], results: &Results, timing: Timing) -> CliResult {
        let args = self.args;
        let row = |map, tallies: &[Tally; 2], jumps| Row::new(args, names, map, tallies, jumps);
        let played = results.by_map.iter().zip(&results.jumps).zip(&self.maps);
        let played = played.filter(|((tallies, _), _)| tallies.iter().any(|tally| tally.playouts > 0));
        let mut rows: Vec<_> =
            played.map(|((tallies, &jumps), (name, _))| row(Some(name.as_str()), tallies, jumps)).collect();
        let mut whole = [Tally::default(); 2];
        for tallies in &results.by_map {
            whole.iter_mut().zip(tallies).for_each(|(sum, tally)| sum.merge(tally));
        }
        rows.push(row(None, &whole, results.jumps.iter().sum()));
        let mut out = io::stdout().lock();
        match args.format {
            Format::Table => out.write_all(as_text(args, &rows, &timing).as_bytes())?,
            Format::Json => {
                if let Some(whole) = rows.last_mut() {
                    whole.timing = Some(timing);
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
                if !args.run.quiet {
                    say(timing.text().trim_end());
                }
            }
        }
        Ok(())
    }
}

/// The counted games by map and by the first player's seat.
struct Results {
    by_map: Vec<[Tally; 2]>,
    jumps: Vec<u64>,
}

/// Watches the games: progress, records, and whether to go on.
struct Referee {
    progress: Progress,
    recorder: Option<Mutex<Recorder>>,
    has_failed: AtomicBool,
}

impl Referee {
    /// Lets the run end soon.
    fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }

    fn record(&self, args: &Args, map: &Map, names: &[String; 2], pairing: Pairing, played: &Played) {
        let Some(recorder) = &self.recorder else { return };
        let Pairing { start, number, first } = pairing;
        let [one, other] = names.each_ref().map(String::as_str);
        let players = if first == Team::Red { [one, other] } else { [other, one] };
        let date = format!("seed {}, game {}", args.seed, number + 1);
        let text = record::write(map, Heading { date: &date, players }, played.outcome.phases, &played.steps);
        let mut recorder: MutexGuard<'_, Recorder> = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        recorder.add(start as u64 * args.games + number, text);
        if recorder.fault.is_some() {
            self.fail();
        }
    }
}

impl Watch for Referee {
    fn finished(&self, games: u64) {
        self.progress.finished(games);
    }

    fn stop(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed) || self.progress.stop()
    }
}

/// Writes records in the order of the games, so that those on disk are always the games that count.
struct Recorder {
    directory: PathBuf,
    /// What the records of each map are called.
    names: Vec<String>,
    games: u64,
    /// The next game to be written.
    next: u64,
    /// Games that were finished before earlier ones.
    waiting: BTreeMap<u64, String>,
    fault: Option<CliError>,
}

impl Recorder {
    /// Makes sure that records can be written, and that none is overwritten unasked, before anything is played.
    fn open(args: &Args, directory: &Path, maps: &[Named<Map>]) -> Result<Self, CliError> {
        let names = names(maps);
        let recorder = Self {
            directory: directory.to_owned(),
            names,
            games: args.games,
            next: 0,
            waiting: BTreeMap::new(),
            fault: None,
        };
        fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
        let trial = directory.join(PART);
        fs::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .map_err(|error| cannot_write(directory, &error))?;
        if !args.force {
            refuse_existing(directory, (0..args.games * maps.len() as u64).map(|number| recorder.name(number)))?;
        }
        Ok(recorder)
    }

    fn name(&self, number: u64) -> String {
        let digits = self.games.to_string().len().max(4);
        let (map, number) = (number / self.games, number % self.games + 1);
        format!("{}-{number:0digits$}.tbsmap", self.names[map as usize])
    }

    fn add(&mut self, number: u64, text: String) {
        self.waiting.insert(number, text);
        while self.fault.is_none()
            && let Some(text) = self.waiting.remove(&self.next)
        {
            let (part, path) = (self.directory.join(PART), self.directory.join(self.name(self.next)));
            // Under another name first: a record that is there is whole.
            if let Err(error) = fs::write(&part, text).and_then(|()| fs::rename(&part, &path)) {
                // What is left of it is worth nothing, and there is nothing else to do about it.
                let _ = fs::remove_file(&part);
                self.fault = Some(cannot_write(&path, &error));
            }
            self.next += 1;
        }
    }

    fn finish(self) -> CliResult {
        self.fault.map_or(Ok(()), Err)
    }
}

/// The file that a record is written to before it gets its name.
const PART: &str = ".fairground-record.part";

/// Names for files of each map: those of the maps without directory and ending, with a number where they are the same.
fn names(maps: &[Named<Map>]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(maps.len());
    for (name, _) in maps {
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut own = stem.clone();
        let mut number = 1;
        while !taken.insert(own.clone()) {
            number += 1;
            own = format!("{stem}-{number}");
        }
        names.push(own);
    }
    names
}

/// How often something happened.
#[derive(Clone, Copy, Serialize)]
struct Share {
    count: u64,
    rate: f64,
    interval: [f64; 2],
}

impl Share {
    fn new(count: u64, games: u64) -> Self {
        let interval = stats::wilson(count, games);
        Self { count, rate: stats::rate(count, games), interval: [interval.low, interval.high] }
    }

    fn percent(&self) -> String {
        if self.rate.is_nan() {
            return "-".into();
        }
        let [low, high] = self.interval;
        format!("{:.2} [{:.2},{:.2}]", 100.0 * self.rate, 100.0 * low, 100.0 * high)
    }
}

/// How the first player did.
#[derive(Serialize)]
struct Score {
    games: u64,
    wins: Share,
    losses: Share,
    draws: Share,
    truncated: u64,
    #[serde(skip)]
    mean_length: f64,
}

impl Score {
    fn new(wins: u64, losses: u64, tally: &Tally) -> Self {
        let games = tally.playouts;
        Self {
            games,
            wins: Share::new(wins, games),
            losses: Share::new(losses, games),
            draws: Share::new(tally.draws, games),
            truncated: tally.truncated,
            mean_length: stats::mean(&tally.phases, games),
        }
    }
}

/// The results of one map, or of all together.
#[derive(Serialize)]
struct Row<'a> {
    /// All if there is none.
    map: Option<&'a str>,
    game: &'static str,
    rules_version: &'static str,
    first: &'a str,
    second: &'a str,
    swap: bool,
    seed: u64,
    games: u64,
    first_as_red: Score,
    first_as_blue: Score,
    first_in_all: Score,
    red_wins: Share,
    blue_wins: Share,
    mean_length: f64,
    mean_length_error: f64,
    mean_actions: f64,
    mean_actions_error: f64,
    /// Actions against the rules that the original lets pass.
    jumps: u64,
    /// All that depends on more than the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
}

impl<'a> Row<'a> {
    /// The tallies are of the games with the first player as Red and as Blue.
    fn new(args: &Args, names: &'a [String; 2], map: Option<&'a str>, tallies: &[Tally; 2], jumps: u64) -> Self {
        let [as_red, as_blue] = tallies;
        let mut all = *as_red;
        all.merge(as_blue);
        let n = all.playouts;
        Self {
            map,
            game: Tubstap::NAME,
            rules_version: Tubstap::RULES_VERSION,
            first: &names[0],
            second: &names[1],
            swap: args.swap,
            seed: args.seed,
            games: n,
            first_as_red: Score::new(as_red.wins[0], as_red.wins[1], as_red),
            first_as_blue: Score::new(as_blue.wins[1], as_blue.wins[0], as_blue),
            first_in_all: Score::new(as_red.wins[0] + as_blue.wins[1], as_red.wins[1] + as_blue.wins[0], &all),
            red_wins: Share::new(all.wins[0], n),
            blue_wins: Share::new(all.wins[1], n),
            mean_length: stats::mean(&all.phases, n),
            mean_length_error: stats::standard_error(&all.phases, n),
            mean_actions: stats::mean(&all.actions, n),
            mean_actions_error: stats::standard_error(&all.actions, n),
            jumps,
            timing: None,
        }
    }

    /// The first player's scores by seat.
    const fn scores(&self) -> [(&'static str, &Score); 3] {
        [("red", &self.first_as_red), ("blue", &self.first_as_blue), ("both", &self.first_in_all)]
    }

    /// Names and values of the columns of CSV.
    fn cells(&self) -> Vec<(String, String)> {
        let text = |name: &str, value: &dyn ToString| (name.to_owned(), value.to_string());
        // What is unknown is empty, as it is null in JSON.
        let number = |name: &str, value: f64| text(name, if value.is_nan() { &"" } else { &value });
        let share = |name: &str, share: &Share| {
            let Share { count, rate, interval: [low, high] } = *share;
            [
                text(name, &count),
                number(&format!("{name}_rate"), rate),
                number(&format!("{name}_low"), low),
                number(&format!("{name}_high"), high),
            ]
        };
        let mut cells = vec![
            text("map", &self.map.unwrap_or_default()),
            text("game", &self.game),
            text("rules_version", &self.rules_version),
            text("first", &self.first),
            text("second", &self.second),
            text("swap", &self.swap),
            text("seed", &self.seed),
            text("games", &self.games),
        ];
        for (seat, score) in [
            ("first_as_red", &self.first_as_red),
            ("first_as_blue", &self.first_as_blue),
            ("first_in_all", &self.first_in_all),
        ] {
            cells.push(text(&format!("{seat}_games"), &score.games));
            for (what, of) in [("wins", &score.wins), ("losses", &score.losses), ("draws", &score.draws)] {
                cells.extend(share(&format!("{seat}_{what}"), of));
            }
            cells.push(text(&format!("{seat}_truncated"), &score.truncated));
        }
        cells.extend(share("red_wins", &self.red_wins));
        cells.extend(share("blue_wins", &self.blue_wins));
        cells.extend([
            number("mean_length", self.mean_length),
            number("mean_length_error", self.mean_length_error),
            number("mean_actions", self.mean_actions),
            number("mean_actions_error", self.mean_actions_error),
            text("jumps", &self.jumps),
        ]);
        cells
    }
}

/// What depends on the machine, the threads and the games under way together.
#[derive(Serialize)]
struct Timing {
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
    fn text(&self) -> String {
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

/// The results for people.
fn as_text(args: &Args, rows: &[Row<'_>], timing: &Timing) -> String {
    let Some(whole) = rows.last() else { return String::new() };
    // The last row is the only one again if there is one map.
    let shown = if rows.len() == 2 { &rows[..1] } else { rows };
    let name = |row: &Row<'_>| row.map.unwrap_or("all maps").to_owned();
    let seats = if args.swap { "changing seats after every game" } else { "who is always Blue" };
    let mut text = format!("{} against {}, {seats}; seed {}\n\n", whole.first, whole.second, args.seed);
    let mut lines = Vec::new();
    for row in shown {
        let seats = if args.swap { &row.scores()[..] } else { &row.scores()[..1] };
        for (index, (seat, score)) in seats.iter().enumerate() {
            lines.push(vec![
                if index == 0 { name(row) } else { String::new() },
                (*seat).to_owned(),
                grouped(score.games),
                score.wins.percent(),
                score.losses.percent(),
                score.draws.percent(),
                grouped(score.truncated),
                if score.games == 0 { "-".into() } else { format!("{:.1}", score.mean_length) },
            ]);
        }
    }
    let wins = format!("{} wins %", whole.first);
    let heads = ["map", "seat", "games", &wins, "loses %", "draw %", "cut off", "phases"];
    text += &Table::text(&heads.map(String::from), &lines);
    if args.swap {
        let lines: Vec<_> = shown
            .iter()
            .map(|row| vec![name(row), grouped(row.games), row.red_wins.percent(), row.blue_wins.percent()])
            .collect();
        text.push('\n');
        text += &Table::text(&["map", "games", "red wins %", "blue wins %"].map(String::from), &lines);
    }
    if whole.jumps > 0 {
        let jumps = grouped(whole.jumps);
        text += &format!("\n{jumps} actions of mss went where the rules do not allow, as the original lets them.\n");
    }
    text.push('\n');
    text + &timing.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::games::tubstap::builtin;

    #[test]
    fn records_of_maps_with_the_same_name_are_told_apart() {
        let map = builtin::maps().remove(0);
        let maps = ["a/x.tbsmap", "b/x.tbsmap", "x-2", "duel-6x6", "c/x"].map(|name| (name.to_owned(), map.clone()));
        assert_eq!(names(&maps), ["x", "x-2", "x-2-2", "duel-6x6", "x-3"]);
    }
}
