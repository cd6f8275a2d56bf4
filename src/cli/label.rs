//! `fairground label`: which maps treat the seats alike.

use std::io::{self, Write};

use fairground::batch::{Batch, EvaluateError, Tally};
use fairground::games::Game;
use fairground::games::catan::{Catan, Position};
use fairground::learn::two_means::two_means;
use fairground::stats::seats::{self, balance};
use fairground::stats::{self, Interval};
use serde::Serialize;

use super::catan::{MapArgs, PlayerArgs, note, parse_points};
use super::eval::GROUP_PLAYOUTS;
use super::games::seat_names;
use super::output::{Format, Table, csv, grouped};
use super::run::RunArgs;
use super::{CliError, CliResult};

/// Play maps of Catan and label those balanced whose seats win about equally often
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Spread (s) is the standard deviation of the seats' win rates in percentage points; de-biased is what\n\
    is left of it without chance. Equal seats show a spread too: 1.03 points in 2,000 games, 0.10 in 200,000.\n\n\
    The maps are divided into two groups by their spreads so that these differ least within the groups\n\
    (two-means, exact); the lower group is balanced. With --threshold, or if there is nothing to divide, a map\n\
    is balanced below a threshold. Right is the probability that with games without end the spread would be\n\
    on the same side of the threshold, given how far apart these maps are (tau); for a single map without\n\
    --tau nothing is taken for known. Ctrl-C labels the maps that are finished.\n\n\
    Examples:\n  \
    fairground label --game catan --playouts 100000\n  \
    fairground label maps/ --policy random --format csv > labels.csv\n  \
    fairground label beginner --threshold 0.5 --tau 0.9"
)]
pub struct Args {
    #[command(flatten)]
    maps: MapArgs,

    #[command(flatten)]
    players: PlayerArgs,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..=1 << 40))]
    playouts: u64,

    /// Spread below which a map is balanced, in percentage points, instead of two groups
    #[arg(long, value_name = "POINTS", value_parser = parse_points)]
    threshold: Option<f64>,

    /// How far apart maps are: standard deviation of each contrast between seats, in percentage points [default: that
    /// of these maps]
    #[arg(long, value_name = "POINTS", value_parser = parse_points)]
    tau: Option<f64>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

/// The threshold if there is nothing to divide: the larger of the two spreads by which the paper counts its maps.
const USUAL_THRESHOLD: f64 = 0.01;

pub fn run(args: &Args) -> CliResult {
    let choice = args.run.choice()?;
    let policy = args.players.policy()?;
    let maps = args.maps.load(args.run.quiet)?;
    let evaluator = args.run.open(choice)?;
    let progress = args.run.progress(args.playouts.saturating_mul(maps.len() as u64), "playouts", None);
    let mut tallies = Vec::new();
    // Group by group, so that Ctrl-C leaves some of them.
    for group in maps.chunks(GROUP_PLAYOUTS.div_ceil(args.playouts) as usize) {
        let mut batch = Batch::<Catan>::new(policy, args.players.seed);
        group.iter().for_each(|(_, map)| batch.push(Position::start(map), args.playouts));
        match evaluator.evaluate_watched(&batch, &progress) {
            Ok(evaluation) => tallies.extend(evaluation.tallies),
            Err(EvaluateError::Stopped) => break,
            Err(error) => {
                progress.bar.finish_and_clear();
                return Err(error.into());
            }
        }
    }
    progress.bar.finish_and_clear();
    let stopped = (tallies.len() < maps.len())
        .then(|| format!("stopped on request: {} of {} maps are finished", tallies.len(), maps.len()));
    if let Some(why) = stopped.clone().filter(|_| tallies.is_empty()) {
        return Err(CliError::Failed(why));
    }
    let labels = Labels::new(args, &tallies);
    let setup = (seat_names(&policy), policy.turn_cap);
    let rows: Vec<_> = maps
        .iter()
        .zip(&tallies)
        .enumerate()
        .map(|(index, ((name, _), tally))| labels.row(args, &setup, name, tally, index))
        .collect();
    let mut out = io::stdout().lock();
    match args.format {
        Format::Json => {
            for row in &rows {
                serde_json::to_writer(&mut out, row).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
        Format::Csv => {
            let cells = |row: &Row<'_>, take: fn((String, String)) -> String| {
                csv(&row.cells().into_iter().map(take).collect::<Vec<_>>())
            };
            if let Some(first) = rows.first() {
                writeln!(out, "{}", cells(first, |(head, _)| head))?;
            }
            rows.iter().try_for_each(|row| writeln!(out, "{}", cells(row, |(_, cell)| cell)))?;
        }
        Format::Table => {
            let cells: Vec<_> = rows.iter().map(Row::table_cells).collect();
            let heads: Vec<String> = Row::heads();
            write!(out, "{}\n{}", Table::text(&heads, &cells), labels.describe(rows.len()))?;
        }
    }
    stopped.map_or(Ok(()), |why| Err(CliError::Failed(format!("{why}, and labelled among themselves"))))
}

/// How the maps were labelled.
struct Labels {
    /// Shares, not points.
    spreads: Vec<f64>,
    is_balanced: Vec<bool>,
    threshold: f64,
    is_divided: bool,
    is_threshold_given: bool,
    tau: f64,
    is_tau_given: bool,
}

impl Labels {
    fn new(args: &Args, tallies: &[Tally]) -> Self {
        let wins = |tally: &Tally| tally.wins[..balance::SEATS].to_vec();
        let spreads: Vec<_> = tallies.iter().map(|tally| seats::spread(&wins(tally), tally.playouts)).collect();
        let groups = if args.threshold.is_some() { None } else { two_means(&spreads) };
        let threshold = args.threshold.map_or(USUAL_THRESHOLD, |points| points / 100.0);
        let threshold = groups.as_ref().map_or(threshold, |groups| groups.threshold());
        if groups.is_none() && args.threshold.is_none() {
            let why = "there are not two different spreads to divide maps by";
            let points = 100.0 * threshold;
            note(
                args.run.quiet,
                &format!("{why}, so a map is balanced below {points:.2} points; --threshold changes that"),
            );
        }
        let variances: Vec<_> =
            tallies.iter().map(|tally| seats::debiased_variance(&wins(tally), tally.playouts)).collect();
        let tau = match args.tau {
            Some(points) => points / 100.0,
            // One map says nothing about how far apart maps are.
            None if tallies.len() == 1 => f64::INFINITY,
            None => balance::tau(&variances),
        };
        Self {
            is_balanced: match &groups {
                Some(groups) => groups.is_low.clone(),
                None => spreads.iter().map(|&spread| spread < threshold).collect(),
            },
            is_divided: groups.is_some(),
            is_threshold_given: args.threshold.is_some(),
            is_tau_given: args.tau.is_some(),
            spreads,
            threshold,
            tau,
        }
    }

    fn row<'a>(
        &self,
        args: &Args,
        (policy, turn_cap): &(String, u32),
        name: &'a str,
        tally: &Tally,
        index: usize,
    ) -> Row<'a> {
        let (n, wins) = (tally.playouts, tally.wins[..balance::SEATS].to_vec());
        let below = balance::probability_below(self.spreads[index], n, self.tau, self.threshold);
        let is_balanced = self.is_balanced[index];
        Row {
            map: name,
            game: Catan::NAME,
            rules_version: Catan::RULES_VERSION,
            policy: policy.clone(),
            turn_cap: *turn_cap,
            seed: args.players.seed,
            playouts: n,
            seats: Catan::SEATS,
            rates: wins.iter().map(|&wins| stats::rate(wins, n)).collect(),
            intervals: wins.iter().map(|&wins| ends(stats::wilson(wins, n))).collect(),
            truncated: tally.truncated,
            spread: self.spreads[index],
            debiased_variance: seats::debiased_variance(&wins, n),
            debiased_spread: seats::debiased_spread(&wins, n),
            threshold: self.threshold,
            tau: Some(self.tau).filter(|tau| tau.is_finite()),
            label: if is_balanced { "balanced" } else { "unbalanced" },
            label_probability: if is_balanced { below } else { 1.0 - below },
            wins,
        }
    }

    /// What the table does not say.
    fn describe(&self, maps: usize) -> String {
        let balanced = self.is_balanced.iter().filter(|&&is_balanced| is_balanced).count();
        let how = match (self.is_divided, self.is_threshold_given) {
            (true, _) => "halfway between the two groups",
            (false, true) => "as asked for",
            (false, false) => "the usual one",
        };
        let tau = match (self.tau.is_finite(), self.is_tau_given) {
            (false, _) => "nothing known about other maps".into(),
            (true, true) => format!("tau {:.2} points, as asked for", 100.0 * self.tau),
            (true, false) => format!("tau {:.2} points, from these maps", 100.0 * self.tau),
        };
        let maps = grouped(maps as u64);
        format!("{balanced} of {maps} balanced; threshold {:.2} points, {how}; {tau}\n", 100.0 * self.threshold)
    }
}

const fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// The label of one map, as JSON shows it. Lists are in the order of `seats`; everything is a share.
#[derive(Serialize)]
struct Row<'a> {
    map: &'a str,
    game: &'static str,
    rules_version: &'static str,
    policy: String,
    turn_cap: u32,
    seed: u64,
    playouts: u64,
    seats: &'static [&'static str],
    wins: Vec<u64>,
    truncated: u64,
    rates: Vec<f64>,
    intervals: Vec<[f64; 2]>,
    spread: f64,
    debiased_variance: f64,
    debiased_spread: f64,
    threshold: f64,
    tau: Option<f64>,
    label: &'static str,
    label_probability: f64,
}

impl Row<'_> {
    fn heads() -> Vec<String> {
        let seats = Catan::SEATS.iter().map(|seat| format!("{seat} wins %"));
        let rest = ["spread pp", "de-biased pp", "label", "right"].map(String::from);
        ["map", "playouts"].map(String::from).into_iter().chain(seats).chain(rest).collect()
    }

    fn table_cells(&self) -> Vec<String> {
        let seats = self
            .rates
            .iter()
            .zip(&self.intervals)
            .map(|(rate, [low, high])| format!("{:.2} [{:.2},{:.2}]", 100.0 * rate, 100.0 * low, 100.0 * high));
        let points = |share: f64| format!("{:.2}", 100.0 * share);
        let rest = [
            points(self.spread),
            points(self.debiased_spread),
            self.label.into(),
            format!("{:.3}", self.label_probability),
        ];
        [self.map.to_owned(), grouped(self.playouts)].into_iter().chain(seats).chain(rest).collect()
    }

    /// Names and values of the columns of CSV.
    fn cells(&self) -> Vec<(String, String)> {
        let text = |name: &str, value: &dyn ToString| (name.to_owned(), value.to_string());
        let mut cells = vec![
            text("map", &self.map),
            text("game", &self.game),
            text("rules_version", &self.rules_version),
            text("policy", &self.policy),
            text("turn_cap", &self.turn_cap),
            text("seed", &self.seed),
            text("playouts", &self.playouts),
        ];
        let results = self.wins.iter().zip(&self.rates).zip(&self.intervals);
        for (seat, ((wins, rate), [low, high])) in self.seats.iter().zip(results) {
            cells.extend([text(&format!("{seat}_wins"), wins), text(&format!("{seat}_rate"), rate)]);
            cells.extend([text(&format!("{seat}_low"), low), text(&format!("{seat}_high"), high)]);
        }
        cells.extend([
            text("truncated", &self.truncated),
            text("spread", &self.spread),
            text("debiased_variance", &self.debiased_variance),
            text("debiased_spread", &self.debiased_spread),
            text("threshold", &self.threshold),
            text("tau", &self.tau.map_or_else(String::new, |tau| tau.to_string())),
            text("label", &self.label),
            text("label_probability", &self.label_probability),
        ]);
        cells
    }
}
