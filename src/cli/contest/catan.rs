//! Matches of Catan: four players.

use std::time::Instant;

use fairground::batch::{Evaluator, Outcome, Tally};
use fairground::games::Game as _;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Catan, Map, Position, Strategy, TURN_CAP};
use fairground::players::catan::choice::Choice;
use fairground::players::catan::contest::{Contest, Seating};
use fairground::players::catan::table::{Played, Refused};
use fairground::players::catan::uct::Settings;
use fairground::players::thinking::Crowd;
use fairground::stats;
use serde::Serialize;

use super::report::{self, Cell, Share, Timing, cell, number_cell};
use super::{Args, Asks, Referee, check_whole, refuse_maps, same_maps};
use crate::cli::maps::{Found, Named};
use crate::cli::output::{Table, grouped};
use crate::cli::{CliError, CliResult};

impl Asks for Choice {
    /// Games differ in length, so that it takes more than for TUBSTAP.
    const FULL_BATCH: usize = 128;

    fn is_timed(&self) -> bool {
        self.is_timed()
    }

    fn playouts_together(&self) -> Option<usize> {
        match self {
            Self::Policy(_) => None,
            Self::Uct(Settings { leaves, .. }) => Some(*leaves as usize),
        }
    }
}

/// The players if none are named.
fn usual() -> [Choice; SEATS] {
    let random = Choice::Policy(Strategy::Random);
    [Choice::Uct(Settings { simulations: 100, ..Settings::default() }), random, random, random]
}

/// Plays and reports.
pub fn run(args: &Args, found: Found) -> CliResult {
    let players = args.seats.unwrap_or_else(usual);
    args.check_time(&players)?;
    args.run.choice()?;
    let maps = args.maps::<Catan>(found)?;
    refuse_maps(&same_maps(&maps, Position::start))?;
    let evaluator = args.open(&players)?;
    Session { args, players, maps, evaluator }.play()
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    players: [Choice; SEATS],
    maps: Vec<Named<Map>>,
    evaluator: Evaluator,
}

/// What is kept of a game.
type Kept = Result<(Outcome, u32), Refused>;

/// The counted games of a map, or of all: by the seat of the first player.
#[derive(Clone, Copy, Default)]
struct Results {
    tallies: [Tally; SEATS],
    lax_robberies: u64,
}

impl Session<'_> {
    fn play(&self) -> CliResult {
        let Self { args, players, maps, evaluator } = self;
        let contest = Contest {
            starts: maps.iter().map(|(_, map)| Position::start(map)).collect(),
            players: *players,
            games: args.games,
            has_rotation: args.rotate,
            turn_cap: TURN_CAP,
        };
        let at_a_time = args.at_a_time(evaluator, players, contest.len());
        let crowd = Crowd { evaluator, seed: args.seed, at_a_time };
        let referee = Referee::new(&args.run, contest.len());
        let keep = |_, played: Result<Played, Refused>| -> Kept {
            let played = played.inspect_err(|_| referee.fail())?;
            Ok((played.outcome, played.lax_robberies))
        };
        let began = Instant::now();
        let played = contest.play(&crowd, keep, &referee);
        let took = began.elapsed();
        referee.progress.bar.finish_and_clear();
        let (kept, batches) = played?;

        let mut results = vec![Results::default(); maps.len()];
        let mut counted = 0;
        for (number, game) in &kept {
            let Seating { start, number: of_map, first } = contest.seating(*number);
            let (outcome, lax_robberies) = game
                .as_ref()
                .map_err(|refused| CliError::Failed(format!("{}, game {}: {refused}", maps[start].0, of_map + 1)))?;
            // Games that were finished before an earlier one when the run was stopped do not count.
            if *number == counted {
                results[start].tallies[first].add(outcome);
                results[start].lax_robberies += u64::from(*lax_robberies);
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
        let args = self.args;
        let names = self.players.map(|player| player.to_string());
        let played = results.iter().zip(&self.maps);
        let played = played.filter(|(results, _)| results.tallies.iter().any(|tally| tally.playouts > 0));
        let mut rows: Vec<_> =
            played.map(|(results, (name, _))| Row::new(args, &names, Some(name.as_str()), results)).collect();
        let mut whole = Results::default();
        for results in results {
            whole.tallies.iter_mut().zip(&results.tallies).for_each(|(sum, tally)| sum.merge(tally));
            whole.lax_robberies += results.lax_robberies;
        }
        rows.push(Row::new(args, &names, None, &whole));
        report::write(args.format, args.run.quiet, rows, timing, |rows, timing| as_text(args, rows, timing))
    }
}

/// How a player did.
#[derive(Serialize)]
struct Score<'a> {
    player: &'a str,
    wins: Share,
    /// By the seats the player sat in: rates of the games from there.
    by_seat: [Seat; SEATS],
}

/// A player in a seat.
#[derive(Clone, Copy, Serialize)]
struct Seat {
    games: u64,
    wins: Share,
}

/// The results of one map, or of all together.
#[derive(Serialize)]
struct Row<'a> {
    /// All if there is none.
    map: Option<&'a str>,
    game: &'static str,
    rules_version: &'static str,
    rotate: bool,
    turn_cap: u32,
    seed: u64,
    games: u64,
    /// In the order in which they were named.
    players: [Score<'a>; SEATS],
    /// Whoever sat there.
    seat_wins: [Share; SEATS],
    truncated: u64,
    mean_length: f64,
    mean_length_error: f64,
    mean_actions: f64,
    mean_actions_error: f64,
    /// Moves of the robber that only SmartSettlers allows.
    lax_robberies: u64,
    /// All that depends on more than the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
}

impl<'a> Row<'a> {
    fn new(args: &Args, names: &'a [String; SEATS], map: Option<&'a str>, results: &Results) -> Self {
        let mut all = Tally::default();
        results.tallies.iter().for_each(|tally| all.merge(tally));
        let n = all.playouts;
        let score = |player: usize| {
            // The first player sits as many seats before this one as that was named before it.
            let tally = |seat: usize| &results.tallies[(seat + SEATS - player) % SEATS];
            let by_seat = std::array::from_fn(|seat| {
                let Tally { playouts, wins, .. } = tally(seat);
                Seat { games: *playouts, wins: Share::new(wins[seat], *playouts) }
            });
            let wins = by_seat.iter().map(|seat: &Seat| seat.wins.count).sum();
            Score { player: &names[player], wins: Share::new(wins, n), by_seat }
        };
        Self {
            map,
            game: Catan::NAME,
            rules_version: Catan::RULES_VERSION,
            rotate: args.rotate,
            turn_cap: TURN_CAP,
            seed: args.seed,
            games: n,
            players: std::array::from_fn(score),
            seat_wins: std::array::from_fn(|seat| Share::new(all.wins[seat], n)),
            truncated: all.truncated,
            mean_length: stats::mean(&all.phases, n),
            mean_length_error: stats::standard_error(&all.phases, n),
            mean_actions: stats::mean(&all.actions, n),
            mean_actions_error: stats::standard_error(&all.actions, n),
            lax_robberies: results.lax_robberies,
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
            cell("rotate", &self.rotate),
            cell("turn_cap", &self.turn_cap),
            cell("seed", &self.seed),
            cell("games", &self.games),
        ];
        for (number, score) in (1..).zip(&self.players) {
            cells.push(cell(&format!("player_{number}"), &score.player));
            cells.extend(score.wins.cells(&format!("player_{number}_wins")));
            for (seat, of) in Catan::SEATS.iter().zip(&score.by_seat) {
                cells.push(cell(&format!("player_{number}_{seat}_games"), &of.games));
                cells.extend(of.wins.cells(&format!("player_{number}_{seat}_wins")));
            }
        }
        for (seat, wins) in Catan::SEATS.iter().zip(&self.seat_wins) {
            cells.extend(wins.cells(&format!("{seat}_wins")));
        }
        cells.extend([
            cell("truncated", &self.truncated),
            number_cell("mean_length", self.mean_length),
            number_cell("mean_length_error", self.mean_length_error),
            number_cell("mean_actions", self.mean_actions),
            number_cell("mean_actions_error", self.mean_actions_error),
            cell("lax_robberies", &self.lax_robberies),
        ]);
        cells
    }

    fn set_timing(&mut self, timing: Timing) {
        self.timing = Some(timing);
    }
}

/// The results for people.
fn as_text(args: &Args, rows: &[Row<'_>], timing: &Timing) -> String {
    let Some(whole) = rows.last() else { return String::new() };
    // The last row is the only one again if there is one map.
    let shown = if rows.len() == 2 { &rows[..1] } else { rows };
    let name = |row: &Row<'_>| row.map.unwrap_or("all maps").to_owned();
    let how = if args.rotate { "moving on by one seat after every game" } else { "always in the same seats" };
    let mut text = format!("four players, {how}; seed {}\n\n", args.seed);
    let mut lines = Vec::new();
    for row in shown {
        for (index, score) in row.players.iter().enumerate() {
            let mut line =
                vec![if index == 0 { name(row) } else { String::new() }, score.player.to_owned(), score.wins.percent()];
            if args.rotate {
                line.extend(score.by_seat.iter().map(|seat| seat.wins.percent()));
            }
            lines.push(line);
        }
    }
    let seats = Catan::SEATS.iter().map(|seat| format!("as {seat} %")).filter(|_| args.rotate);
    let heads: Vec<_> = ["map", "player", "wins %"].map(String::from).into_iter().chain(seats).collect();
    text += &Table::text(&heads, &lines);
    let lines: Vec<_> = shown
        .iter()
        .map(|row| {
            let mut line = vec![name(row), grouped(row.games)];
            line.extend(row.seat_wins.iter().filter(|_| args.rotate).map(Share::percent));
            line.extend([grouped(row.truncated), format!("{:.1}", row.mean_length)]);
            line
        })
        .collect();
    let seats = Catan::SEATS.iter().map(|seat| format!("{seat} wins %")).filter(|_| args.rotate);
    let mut heads = vec!["map".to_owned(), "games".to_owned()];
    heads.extend(seats);
    heads.extend(["cut off", "turns"].map(String::from));
    text.push('\n');
    text += &Table::text(&heads, &lines);
    if whole.lax_robberies > 0 {
        let robberies = grouped(whole.lax_robberies);
        text += &format!("\n{robberies} times random-s moved the robber as only SmartSettlers allows.\n");
    }
    text.push('\n');
    text + &timing.text()
}
