//! `fairground negotiate`: games of Catan between players who trade with each other.

use std::time::Instant;

use fairground::batch::Evaluator;
use fairground::games::Game as _;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Catan, Map, Position, TURN_CAP};
use fairground::players::catan::choice::{Choice as Mover, read_seats};
use fairground::players::catan::contest::{Contest, Seating};
use fairground::players::catan::negotiation::choice::{Choice, NAMES, SETTINGS, Seated, read_players};
use fairground::players::catan::negotiation::measures::{Measures, Results};
use fairground::players::catan::negotiation::player::Proposes;
use fairground::players::catan::negotiation::profit::Estimator;
use fairground::players::catan::table::{Played, Refused};
use fairground::players::thinking::Crowd;
use fairground::stats;
use serde::Serialize;

use super::contest::report::{self, Cell, Share, Timing, cell, number_cell};
use super::contest::{Asks, Referee, at_a_time, check_whole, parse_at_a_time, refuse_maps, same_maps};
use super::games::GameArg;
use super::maps::{self, Named};
use super::output::{Format, Table, grouped};
use super::run::RunArgs;
use super::{CliError, CliResult};

/// Let players of Catan trade with each other and report who wins, and what becomes of proposals
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES, after_long_help = long_help())]
pub struct Args {
    /// Map files, directories of them, patterns, or names of built-in maps; `-` reads a list of these from
    /// standard input. Without any, all built-in maps
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    /// Who negotiates, separated by commas: four players, or two for one against three, or one for all seats (see
    /// --help)
    #[arg(long, value_name = "PLAYERS", default_value = "selfish,accept-all", value_parser = read_players)]
    players: [Choice; SEATS],

    /// Who makes all other moves: one for all, or one for each player: random, random-s, heuristic, or uct with settings
    /// (see match --help)
    #[arg(long, value_name = "PLAYERS", default_value = "heuristic", value_parser = read_seats)]
    mover: [Mover; SEATS],

    /// Games on each map; everybody moves on by one seat after every game
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    games: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Games under way together [default: enough to fill the batches of the players]
    #[arg(long, value_name = "N", value_parser = parse_at_a_time)]
    at_a_time: Option<usize>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

const NOTES: &str = "After the dice a player may propose trades to others, usually one a turn and one card for one.\n\
    All hands are open. Success is the share of a player's proposals that were accepted, acceptance that\n\
    of others' proposals which the player accepted. Intervals are at 95 %: Wilson's for wins; for\n\
    proposals they allow for those of one game having much in common.\n\n\
    The same seed gives the same games on every backend, with any --threads and --at-a-time. In JSON what\n\
    differs from run to run is all in `timing`.\n\n\
    Ctrl-C keeps the games before the first one that is not finished. A second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground negotiate\n  \
    fairground negotiate beginner --players selfish:100,accept-all --mover uct:100 --games 40\n  \
    fairground negotiate --players sum:answer=own,selfish:outlook=optimistic,answer=own\n  \
    fairground negotiate --players selfish:1000,rollout=heuristic,accept-all --games 8 --format json";

/// The players and their settings, then what the short help says too.
fn long_help() -> String {
    let names: String = NAMES.iter().map(|(name, about)| format!("  {name:<13} {about}\n")).collect();
    let setting = |(key, values, about): &(&str, &str, &str)| format!("  {:<30} {about}\n", format!("{key}={values}"));
    let settings: String = SETTINGS.iter().map(setting).collect();
    format!("Players:\n{names}\nSettings of the last five, as in sum:100,answer=own:\n{settings}\n{NOTES}")
}

impl Asks for Seated {
    const FULL_BATCH: usize = Mover::FULL_BATCH;

    fn is_timed(&self) -> bool {
        self.plays.is_timed()
    }

    fn playouts_together(&self) -> Option<usize> {
        // A search asks for less at a time than an estimate of profits, and more often.
        let settings = &self.negotiates.0;
        let estimate = match settings.estimator {
            Estimator::Playouts(playouts) if matches!(settings.proposes, Proposes::Best(..)) => {
                Some(playouts.number as usize * TRADES)
            }
            _ => None,
        };
        self.plays.playouts_together().or(estimate)
    }
}

/// About so many trades are possible at a time.
const TRADES: usize = 16;

pub fn run(args: &Args) -> CliResult {
    if args.mover.iter().any(Mover::is_timed) {
        return Err(CliError::Usage(
            "--mover needs players whose time is not limited, so that games can be repeated".into(),
        ));
    }
    args.run.choice()?;
    let found = maps::find(&args.maps, Some(GameArg::Catan))?;
    let maps = if found.is_empty() {
        maps::builtin::<Catan>(&GameArg::Catan.builtin_names())
    } else {
        maps::load::<Catan>(found, args.run.quiet)?
    };
    refuse_maps(&same_maps(&maps, Position::start))?;
    let evaluator = args.run.open(args.run.choice()?)?;
    let players = std::array::from_fn(|index| Seated { negotiates: args.players[index], plays: args.mover[index] });
    Session { args, players, maps, evaluator }.play()
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    players: [Seated; SEATS],
    maps: Vec<Named<Map>>,
    evaluator: Evaluator,
}

impl Session<'_> {
    fn play(&self) -> CliResult {
        let Self { args, players, maps, evaluator } = self;
        let contest = Contest {
            starts: maps.iter().map(|(_, map)| Position::start(map)).collect(),
            players: *players,
            games: args.games,
            has_rotation: true,
            turn_cap: TURN_CAP,
        };
        let most = usize::try_from(contest.len()).unwrap_or(usize::MAX);
        let at_a_time = args.at_a_time.unwrap_or_else(|| at_a_time(evaluator, players)).min(most);
        let crowd = Crowd { evaluator, seed: args.seed, at_a_time };
        let referee = Referee::new(&args.run, contest.len());
        let keep = |seating: Seating, played: Result<Played, Refused>| -> Result<Results, Refused> {
            played.map(|played| Results::of(&seating, &played)).inspect_err(|_| referee.fail())
        };
        let began = Instant::now();
        let played = contest.play(&crowd, keep, &referee);
        let took = began.elapsed();
        referee.progress.bar.finish_and_clear();
        let (kept, batches) = played?;
        let mut results = vec![Results::default(); maps.len()];
        let mut counted = 0;
        for (number, game) in &kept {
            let Seating { start, number: of_map, .. } = contest.seating(*number);
            let game = game
                .as_ref()
                .map_err(|refused| CliError::Failed(format!("{}, game {}: {refused}", maps[start].0, of_map + 1)))?;
            // Games that were finished before an earlier one when the run was stopped do not count.
            if *number == counted {
                results[start].merge(game);
                counted += 1;
            }
        }
        let timing = Timing::new(evaluator, kept.len() as u64, took, &batches, at_a_time);
        if counted > 0 {
            self.write(&results, timing)?;
        }
        check_whole(counted, contest.len())
    }

    fn write(&self, results: &[Results], timing: Timing) -> CliResult {
        let names = self.players.map(|player| [player.negotiates.to_string(), player.plays.to_string()]);
        let played = results.iter().zip(&self.maps).filter(|(results, _)| results.games() > 0);
        let mut rows: Vec<_> =
            played.map(|(results, (name, _))| Row::new(self.args.seed, &names, Some(name), results)).collect();
        let mut whole = Results::default();
        results.iter().for_each(|results| whole.merge(results));
        rows.push(Row::new(self.args.seed, &names, None, &whole));
        report::write(self.args.format, self.args.run.quiet, rows, timing, as_text)
    }
}

/// How a player did.
#[derive(Serialize)]
struct Score<'a> {
    player: &'a str,
    mover: &'a str,
    wins: Share,
    /// By the seats the player sat in.
    by_seat: [Share; SEATS],
    proposals: u64,
    success: Share,
    received: u64,
    acceptance: Share,
}

impl<'a> Score<'a> {
    fn new([player, mover]: &'a [String; 2], of: &Measures) -> Self {
        Self {
            player,
            mover,
            wins: Share::new(of.all_wins(), of.all_games()),
            by_seat: std::array::from_fn(|seat| Share::new(of.wins[seat], of.games[seat])),
            proposals: of.success.whole,
            success: Share::of_ratio(&of.success),
            received: of.acceptance.whole,
            acceptance: Share::of_ratio(&of.acceptance),
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
    turn_cap: u32,
    seed: u64,
    games: u64,
    /// In the order in which they were named.
    players: [Score<'a>; SEATS],
    truncated: u64,
    mean_length: f64,
    mean_length_error: f64,
    /// All that depends on more than the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
}

impl<'a> Row<'a> {
    fn new(seed: u64, names: &'a [[String; 2]; SEATS], map: Option<&'a str>, results: &Results) -> Self {
        let games = results.games();
        Self {
            map,
            game: Catan::NAME,
            rules_version: Catan::RULES_VERSION,
            turn_cap: TURN_CAP,
            seed,
            games,
            players: std::array::from_fn(|player| Score::new(&names[player], &results.players[player])),
            truncated: results.truncated,
            mean_length: stats::mean(&results.turns, games),
            mean_length_error: stats::standard_error(&results.turns, games),
            timing: None,
        }
    }
}

impl report::Row for Row<'_> {
    fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![
            cell("map", &self.map.unwrap_or_default()),
            cell("game", &self.game),
            cell("rules_version", &self.rules_version),
            cell("turn_cap", &self.turn_cap),
            cell("seed", &self.seed),
            cell("games", &self.games),
        ];
        for (number, score) in (1..).zip(&self.players) {
            let name = |what: &str| format!("player_{number}{what}");
            cells.push(cell(&name(""), &score.player));
            cells.push(cell(&name("_mover"), &score.mover));
            cells.extend(score.wins.cells(&name("_wins")));
            for (seat, wins) in Catan::SEATS.iter().zip(&score.by_seat) {
                cells.extend(wins.cells(&name(&format!("_{seat}_wins"))));
            }
            cells.push(cell(&name("_proposals"), &score.proposals));
            cells.extend(score.success.cells(&name("_success")));
            cells.push(cell(&name("_received"), &score.received));
            cells.extend(score.acceptance.cells(&name("_acceptance")));
        }
        cells.extend([
            cell("truncated", &self.truncated),
            number_cell("mean_length", self.mean_length),
            number_cell("mean_length_error", self.mean_length_error),
        ]);
        cells
    }

    fn set_timing(&mut self, timing: Timing) {
        self.timing = Some(timing);
    }
}

/// The results for people.
fn as_text(rows: &[Row<'_>], timing: &Timing) -> String {
    let Some(whole) = rows.last() else { return String::new() };
    // The last row is the only one again if there is one map.
    let shown = if rows.len() == 2 { &rows[..1] } else { rows };
    let mut text = format!("four players who trade, moving on by one seat after every game; seed {}\n\n", whole.seed);
    let mut lines = Vec::new();
    for row in shown {
        for (index, score) in row.players.iter().enumerate() {
            let map = if index == 0 { row.map.unwrap_or("all maps") } else { "" };
            lines.push(vec![
                map.to_owned(),
                score.player.to_owned(),
                score.mover.to_owned(),
                score.wins.percent(),
                grouped(score.proposals),
                score.success.percent(),
                grouped(score.received),
                score.acceptance.percent(),
            ]);
        }
    }
    let heads = ["map", "player", "moves by", "wins %", "proposals", "success %", "received", "accepted %"];
    text += &Table::text(&heads.map(String::from), &lines);
    let line = |row: &Row<'_>| {
        let name = row.map.unwrap_or("all maps").to_owned();
        vec![name, grouped(row.games), grouped(row.truncated), format!("{:.1}", row.mean_length)]
    };
    text.push('\n');
    let lines: Vec<_> = shown.iter().map(line).collect();
    text += &Table::text(&["map", "games", "cut off", "turns"].map(String::from), &lines);
    text.push('\n');
    text + &timing.text()
}
