//! Matches of TUBSTAP: two players.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fairground::batch::{Evaluator, Outcome, Tally};
use fairground::games::Game as _;
use fairground::games::tubstap::record::{self, Heading};
use fairground::games::tubstap::{Map, Team, Tubstap};
use fairground::players::thinking::Crowd;
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::contest::{Contest, Pairing};
use fairground::players::tubstap::game::{Played, Refused};
use fairground::players::tubstap::muct::Settings;
use fairground::players::tubstap::reference::muct::Options;
use fairground::stats;
use serde::Serialize;

use super::record::Recorder;
use super::report::{self, Cell, Share, Timing, cell, number_cell};
use super::{Args, Asks, Referee, check_whole, refuse_maps, same_maps};
use crate::cli::maps::{Found, Named};
use crate::cli::output::{Table, grouped};
use crate::cli::{CliError, CliResult};

impl Asks for Choice {
    const FULL_BATCH: usize = 64;

    fn is_timed(&self) -> bool {
        self.is_timed()
    }

    fn playouts_together(&self) -> Option<usize> {
        match self {
            Self::Random | Self::MaxAct => None,
            Self::Mss(_) => Some(PLAN_PLAYOUTS),
            Self::Muct(Settings { leaves, .. }) => Some(*leaves as usize),
        }
    }
}

/// About as many playouts one game of MSSystem asks for together.
const PLAN_PLAYOUTS: usize = 1 << 13;

/// The first player and the second if none are named.
fn usual() -> [Choice; 2] {
    let search = Options { simulations: 1000, ..Options::default() };
    [Choice::Muct(Settings { search, ..Settings::default() }), Choice::MaxAct]
}

/// Plays and reports.
pub fn run(args: &Args, found: Found) -> CliResult {
    let [first, second] = usual();
    let players = [args.red.clone().unwrap_or(first), args.blue.clone().unwrap_or(second)];
    args.check_time(&players)?;
    args.run.choice()?;
    let maps = args.maps::<Tubstap>(found)?;
    check(&maps)?;
    let recorder = args.record.as_deref().map(|directory| Recorder::open(args, directory, &maps)).transpose()?;
    let evaluator = args.open(&players)?;
    Session { args, players, maps, evaluator }.play(recorder)
}

/// Refuses maps on which there is nothing to play for.
fn check(maps: &[Named<Map>]) -> CliResult {
    let mut faults = Vec::new();
    for (name, map) in maps {
        match Team::ALL.map(|team| map.side(team).next().is_some()) {
            [true, true] => {}
            [false, true] => faults.push(format!("{name}: Red has no units, so Blue has won before the game begins")),
            [true, false] => faults.push(format!("{name}: Blue has no units, so Red has won before the game begins")),
            [false, false] => faults.push(format!("{name}: neither Red nor Blue has units")),
        }
    }
    faults.extend(same_maps(maps, Map::start));
    refuse_maps(&faults)
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    players: [Choice; 2],
    maps: Vec<Named<Map>>,
    evaluator: Evaluator,
}

/// What is kept of a game.
type Kept = Result<(Outcome, u32), Refused>;

impl Session<'_> {
    fn play(&self, recorder: Option<Recorder>) -> CliResult {
        let Self { args, players, maps, evaluator } = self;
        let contest = Contest {
            starts: maps.iter().map(|(_, map)| map.start()).collect(),
            players: players.clone(),
            games: args.games,
            has_swaps: args.swap,
        };
        let at_a_time = args.at_a_time(evaluator, players, contest.len());
        let crowd = Crowd { evaluator, seed: args.seed, at_a_time };
        let referee = Referee::new(&args.run, contest.len());
        let recorder = recorder.map(Mutex::new);
        let names = players.each_ref().map(Choice::to_string);
        let keep = |pairing: Pairing, played: Result<Played, Refused>| -> Kept {
            let played = played.inspect_err(|_| referee.fail())?;
            if let Some(recorder) = &recorder {
                let text = recorded(args, &maps[pairing.start].1, &names, pairing, &played);
                let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
                if !recorder.add(pairing.start as u64 * args.games + pairing.number, text) {
                    referee.fail();
                }
            }
            Ok((played.outcome, played.jumps))
        };
        let began = Instant::now();
        let played = contest.play(&crowd, keep, &referee);
        let took = began.elapsed();
        referee.progress.bar.finish_and_clear();
        let (kept, batches) = played?;
        recorder.map_or(Ok(()), |recorder| recorder.into_inner().unwrap_or_else(PoisonError::into_inner).finish())?;

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
        let timing = Timing::new(evaluator, kept.len() as u64, took, &batches, at_a_time);
        if counted > 0 {
            self.write(&names, &results, timing)?;
        }
        check_whole(counted, contest.len())
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
        report::write(args.format, args.run.quiet, rows, timing, |rows, timing| as_text(args, rows, timing))
    }
}

/// The counted games by map and by the first player's seat.
struct Results {
    by_map: Vec<[Tally; 2]>,
    jumps: Vec<u64>,
}

/// The text of a record.
fn recorded(args: &Args, map: &Map, names: &[String; 2], pairing: Pairing, played: &Played) -> String {
    let Pairing { number, first, .. } = pairing;
    let [one, other] = names.each_ref().map(String::as_str);
    let players = if first == Team::Red { [one, other] } else { [other, one] };
    let date = format!("seed {}, game {}", args.seed, number + 1);
    record::write(map, Heading { date: &date, players }, played.outcome.phases, &played.steps)
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
}

impl report::Row for Row<'_> {
    fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![
            cell("map", &self.map.unwrap_or_default()),
            cell("game", &self.game),
            cell("rules_version", &self.rules_version),
            cell("first", &self.first),
            cell("second", &self.second),
            cell("swap", &self.swap),
            cell("seed", &self.seed),
            cell("games", &self.games),
        ];
        for (seat, score) in [
            ("first_as_red", &self.first_as_red),
            ("first_as_blue", &self.first_as_blue),
            ("first_in_all", &self.first_in_all),
        ] {
            cells.push(cell(&format!("{seat}_games"), &score.games));
            for (what, of) in [("wins", &score.wins), ("losses", &score.losses), ("draws", &score.draws)] {
                cells.extend(of.cells(&format!("{seat}_{what}")));
            }
            cells.push(cell(&format!("{seat}_truncated"), &score.truncated));
        }
        cells.extend(self.red_wins.cells("red_wins"));
        cells.extend(self.blue_wins.cells("blue_wins"));
        cells.extend([
            number_cell("mean_length", self.mean_length),
            number_cell("mean_length_error", self.mean_length_error),
            number_cell("mean_actions", self.mean_actions),
            number_cell("mean_actions_error", self.mean_actions_error),
            cell("jumps", &self.jumps),
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
