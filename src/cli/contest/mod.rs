//! `fairground match`: games between players who think.

use std::sync::atomic::{AtomicBool, Ordering};

use fairground::batch::{Backend, Evaluator, Watch};
use fairground::games::catan::tables::SEATS;
use fairground::players::settings::Setting;
use fairground::players::{catan as catan_players, tubstap as tubstap_players};

use super::games::{CliGame, GameArg, goes_with};
use super::maps::{self, Found, Named};
use super::output::{Format, grouped};
use super::run::{Progress, RunArgs};
use super::{CliError, CliResult, say};

mod catan;
mod record;
pub mod report;
mod tubstap;

/// Let players play against each other and report who wins, by seat
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

    /// The game, tubstap or catan [default: that of the maps, by their endings or names; tubstap without maps]
    #[arg(long)]
    game: Option<GameArg>,

    /// TUBSTAP: the first player, who is always Red without --swap: random, maxact, or mss or muct with settings (see
    /// --help) [default: muct:1000]
    #[arg(long, value_name = "PLAYER")]
    red: Option<tubstap_players::choice::Choice>,

    /// TUBSTAP: the second player, likewise [default: maxact]
    #[arg(long, value_name = "PLAYER")]
    blue: Option<tubstap_players::choice::Choice>,

    /// TUBSTAP: the players change seats after every game
    #[arg(long)]
    swap: bool,

    /// Catan: the players of the four seats, separated by commas, or one for all: random, random-s, heuristic, or uct
    /// with its settings (see --help) [default: uct:100,random,random,random]
    #[arg(long, value_name = "PLAYERS", value_parser = catan_players::choice::read_seats)]
    seats: Option<[catan_players::choice::Choice; SEATS]>,

    /// Catan: every player moves on by one seat after every game
    #[arg(long)]
    rotate: bool,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    games: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Games under way together [default: enough to fill the batches of the players]
    #[arg(long, value_name = "N", value_parser = parse_at_a_time)]
    at_a_time: Option<usize>,

    /// TUBSTAP: write every game to a file of this directory (MAP-0001.tbsmap, ...); made if it does not exist
    #[arg(long, value_name = "DIR")]
    record: Option<std::path::PathBuf>,

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
    A game of 1000 phases, or turns of Catan, is cut off and won by nobody.\n\n\
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
    fairground match duel-6x6 --red muct:ms=100 --blue muct:1000\n  \
    fairground match --game catan --seats uct:1000,random,random,random --rotate --games 40\n  \
    fairground match beginner --seats uct:200,rollout=heuristic,cards=hidden,heuristic,heuristic,heuristic --rotate";

/// The players and their settings, then what the short help says too.
fn long_help() -> String {
    let names = |names: &[(&str, &str)]| -> String {
        names.iter().map(|(name, about)| format!("  {name:<10} {about}\n")).collect()
    };
    let settings = |settings: &[Setting]| -> String {
        settings.iter().map(|(key, values, about)| format!("  {:<24} {about}\n", format!("{key}={values}"))).collect()
    };
    format!(
        "Players of TUBSTAP:\n{}\nSettings of mss, as in mss:20,candidates=30:\n{}\n\
         Settings of muct, as in muct:sims=1000,c=0.3:\n{}\n\
         Players of Catan:\n{}\nSettings of uct, as in uct:sims=1000,c=0.3:\n{}\n{NOTES}",
        names(&tubstap_players::choice::NAMES),
        settings(&tubstap_players::choice::MSS_SETTINGS),
        settings(&tubstap_players::choice::MUCT_SETTINGS),
        names(&catan_players::choice::NAMES),
        settings(&catan_players::choice::SETTINGS),
    )
}

/// More games than these only take memory.
const MAX_AT_A_TIME: usize = 1 << 20;

pub fn parse_at_a_time(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_AT_A_TIME).contains(number));
    number.ok_or_else(|| format!("expected 1 to {MAX_AT_A_TIME}"))
}

pub fn run(args: &Args) -> CliResult {
    let found = maps::find(&[&args.maps[..], &args.more_maps].concat(), args.game)?;
    let of_tubstap = [
        ("--red", args.red.is_some()),
        ("--blue", args.blue.is_some()),
        ("--swap", args.swap),
        ("--record", args.record.is_some()),
    ];
    let of_catan = [("--seats", args.seats.is_some()), ("--rotate", args.rotate)];
    let refuse = |options: &[(&str, bool)], game| {
        let given = options.iter().find(|(_, is_given)| *is_given);
        given.map_or(Ok(()), |(option, _)| Err(goes_with(option, game)))
    };
    match found.game {
        GameArg::Tubstap => {
            refuse(&of_catan, GameArg::Catan)?;
            tubstap::run(args, found)
        }
        GameArg::Catan => {
            refuse(&of_tubstap, GameArg::Tubstap)?;
            catan::run(args, found)
        }
        GameArg::Saboteur => {
            let game = found.game.name();
            Err(CliError::Usage(format!("{game} has no players yet, only tubstap and catan have")))
        }
    }
}

impl Args {
    /// The maps that are named, or all that are built in.
    fn maps<G: CliGame>(&self, found: Found) -> Result<Vec<Named<G::Map>>, CliError> {
        if found.is_empty() {
            return Ok(maps::builtin::<G>(&found.game.builtin_names()));
        }
        maps::load::<G>(found, self.run.quiet)
    }

    /// Refuses what does not go with limited time.
    fn check_time(&self, players: &[impl Asks]) -> CliResult {
        if players.iter().any(Asks::is_timed) && self.at_a_time.is_some_and(|games| games > 1) {
            let why = "a player whose time is limited plays one game at a time on each thread";
            return Err(CliError::Usage(format!("--at-a-time does not go with ms: {why}")));
        }
        Ok(())
    }

    /// Gets the backend ready, and says what limited time means.
    fn open(&self, players: &[impl Asks]) -> Result<Evaluator, CliError> {
        let evaluator = self.run.open(self.run.choice()?)?;
        if players.iter().any(Asks::is_timed) && !self.run.quiet {
            say("note: a player's time is limited, so the games cannot be repeated");
        }
        Ok(evaluator)
    }

    /// How many of so many games are under way together.
    fn at_a_time(&self, evaluator: &Evaluator, players: &[impl Asks], games: u64) -> usize {
        let usual = at_a_time(evaluator, players);
        if players.iter().any(Asks::is_timed) {
            return usual;
        }
        self.at_a_time.unwrap_or(usual).min(usize::try_from(games).unwrap_or(usize::MAX))
    }
}

/// A player as far as batches are concerned.
pub trait Asks {
    /// Playouts of a batch that keep most lanes busy. More trees at a time no longer fit into the cache.
    const FULL_BATCH: usize;
    /// Whether the player's time is limited.
    fn is_timed(&self) -> bool;
    /// How many playouts one game of this player asks for together, if it asks for any.
    fn playouts_together(&self) -> Option<usize>;
}

/// A GPU has many more lanes.
const FULL_GPU_BATCH: usize = 1 << 14;

/// Enough games of these players to fill the batches, but some for every thread.
pub fn at_a_time<P: Asks>(evaluator: &Evaluator, players: &[P]) -> usize {
    let (full, threads) = match evaluator.backend() {
        Backend::Gpu(_) => (FULL_GPU_BATCH, 1),
        Backend::Scalar | Backend::Simd(_) => (P::FULL_BATCH, evaluator.threads()),
    };
    if players.iter().any(Asks::is_timed) {
        return threads;
    }
    let games = |player: &P| player.playouts_together().map_or(1, |together| full.div_ceil(together));
    players.iter().map(games).max().unwrap_or(1) * threads
}

/// The faults of maps as one error, if there are any.
pub fn refuse_maps(faults: &[String]) -> CliResult {
    if faults.is_empty() {
        return Ok(());
    }
    Err(CliError::Failed(format!("cannot play on all of these maps:\n{}", faults.join("\n"))))
}

/// Maps with the same start, each after the first: the games depend on the start alone, and would count twice.
pub fn same_maps<M, S: PartialEq>(maps: &[Named<M>], start: impl Fn(&M) -> S) -> Vec<String> {
    let starts: Vec<S> = maps.iter().map(|(_, map)| start(map)).collect();
    let same = |(index, (name, _)): (usize, &Named<M>)| {
        let other = starts[..index].iter().position(|other| *other == starts[index])?;
        Some(format!("{name}: the same map as {}, so the games would be the same too", maps[other].0))
    };
    maps.iter().enumerate().filter_map(same).collect()
}

/// Watches the games: progress, and whether to go on.
pub struct Referee {
    /// What is shown.
    pub progress: Progress,
    has_failed: AtomicBool,
}

impl Referee {
    pub fn new(run: &RunArgs, games: u64) -> Self {
        Self { progress: run.progress(games, "games", None), has_failed: AtomicBool::new(false) }
    }

    /// Lets the run end soon.
    pub fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
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

/// Says how many games count, if not all of them do.
pub fn check_whole(counted: u64, games: u64) -> CliResult {
    if counted == games {
        return Ok(());
    }
    let (counted, all) = (grouped(counted), grouped(games));
    let what = "those before the first one that was not finished";
    Err(CliError::Failed(format!("stopped on request: {counted} of {all} games count, {what}")))
}
