//! `fairground reproduce 004`: path creation heuristics in Saboteur.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fairground::batch::{EvaluateError, Evaluator};
use fairground::games::saboteur::{Preset, Reading};
use fairground::papers::saboteur::calibrate::{self, Calibration, FITTED, Point};
use fairground::papers::saboteur::dip::{self, Watched};
use fairground::papers::saboteur::{
    PLAYERS, ROUNDS, Rounds, SETTINGS, SLIPS, Setting, Share, Split, play, prototype, prototype_split,
};
use serde_json::Value;

use super::document::{Document, Part, Record};
use crate::cli::output::{Format, grouped};
use crate::cli::run::{RunArgs, is_stopped};
use crate::cli::saboteur::{ReadingArgs, changes, edges, parse_preset};
use crate::cli::{CliError, CliResult, cannot_write, say};

/// Ohata, Ito and Tajima: Examination of path creation heuristics in Saboteur
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without --calibrate or --dip: tables 6 to 14 of the paper beside ours. A rate is the diggers'\n\
    wins over rounds, with Wilson's interval at 95 %; z is the difference from the paper in\n\
    standard errors. The same seed gives the same numbers on every backend.\n\n\
    Ctrl-C keeps what was found; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground reproduce 004\n  \
    fairground reproduce 004 --preset A,R1,plain --format csv > rates.csv\n  \
    fairground reproduce 004 --reading discard=first --board -2,22,-5,4 --rounds 5000\n  \
    fairground reproduce 004 --dip --out dip.md\n  \
    fairground reproduce 004 --calibrate --budget 10m"
)]
pub struct Args {
    /// Look for readings and boards that fit the rows 50:50, 70:30 and 100:0, and test them on the other five
    #[arg(long)]
    calibrate: bool,

    /// Test why 60:40 wins less than its neighbours: who closes the row, and how many cards go left
    #[arg(long, conflicts_with = "calibrate")]
    dip: bool,

    /// Readings of the paper, separated by commas: plain, A, R1 [default: A,R1]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parse_preset, conflicts_with = "calibrate")]
    preset: Vec<Preset>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Rounds of each setting [default: 30000 as in the paper; 10000 with --dip]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    rounds: Option<u64>,

    /// How long --calibrate searches: a number of points, which gives the same result everywhere, or a time such as 90s
    /// or 10m [default: 1000]
    #[arg(long, value_name = "POINTS|TIME", value_parser = parse_budget, requires = "calibrate")]
    budget: Option<Budget>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    run: RunArgs,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    /// Write the report to this Markdown file too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Budget {
    Points(u64),
    Time(Duration),
}

/// Four and a half minutes on two cores with AVX2.
const USUAL_BUDGET: Budget = Budget::Points(1000);

/// The presets that the paper's figures were once fitted with.
const USUAL_PRESETS: [Preset; 2] = [Preset::A, Preset::R1];

/// Rounds of each ratio and board that are watched.
const WATCHED_ROUNDS: u64 = 10_000;

/// Finds of a search that are played again on fresh deals.
const FINALISTS: usize = 5;

fn parse_budget(text: &str) -> Result<Budget, String> {
    let wrong = || "expected a number of points or a time such as 90s or 10m".to_owned();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().ok().filter(|number| (1..=1 << 32).contains(number)).ok_or_else(wrong)?;
    match unit {
        "" => Ok(Budget::Points(number)),
        "s" => Ok(Budget::Time(Duration::from_secs(number))),
        "m" => Ok(Budget::Time(Duration::from_secs(60 * number))),
        _ => Err(wrong()),
    }
}

pub fn run(args: &Args) -> CliResult {
    let has_own_reading = !args.reading.switches.is_empty() || args.reading.board.is_some();
    if has_own_reading && (args.calibrate || args.dip) {
        let mode = if args.dip { "--dip" } else { "--calibrate" };
        return Err(CliError::Usage(format!("--reading and --board do not go with {mode}, which chooses its own")));
    }
    if let Some(path) = &args.out {
        // Before minutes of playing, not after. An older report stays until the new one is there.
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    }
    let session = Session { args, evaluator: args.run.open(args.run.choice()?)? };
    let document = if args.calibrate {
        session.calibrate()?
    } else if args.dip {
        session.dip()?
    } else {
        session.tables()?
    };
    if let Some(path) = &args.out {
        fs::write(path, document.markdown()).map_err(|error| cannot_write(path, &error))?;
        say(&format!("wrote {}", path.display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
}

/// A reading under the name it is reported with.
struct Named {
    name: String,
    preset: Option<Preset>,
    point: Point,
}

struct Session<'a> {
    args: &'a Args,
    evaluator: Evaluator,
}

impl Session<'_> {
    fn presets(&self) -> &[Preset] {
        if self.args.preset.is_empty() { &USUAL_PRESETS } else { &self.args.preset }
    }

    fn rounds(&self, usual: u64) -> u64 {
        self.args.rounds.unwrap_or(usual)
    }

    /// All settings with a reading.
    fn play_all(&self, point: Point, seed: u64, watch: &dyn fairground::batch::Watch) -> Result<Vec<Split>, CliError> {
        let count = self.rounds(ROUNDS);
        let split = |setting: &Setting| {
            let reading = setting.reading(point.reading);
            play(&self.evaluator, &Rounds { reading, extent: point.extent, seed, key: None, first: 0, count }, watch)
        };
        Ok(SETTINGS.iter().map(split).collect::<Result<_, EvaluateError>>()?)
    }

    /// The paper's tables beside ours.
    fn tables(&self) -> Result<Document, CliError> {
        let args = self.args;
        let named: Vec<_> = self.presets().iter().map(|&preset| self.named(preset)).collect();
        let count = self.rounds(ROUNDS) * (named.len() * SETTINGS.len()) as u64;
        let progress = args.run.progress(count, "rounds", None);
        let mut document = Document::default();
        document.parts.push(Part::Lines(vec![format!(
            "{} rounds of {PLAYERS} players for each setting, seed {}.",
            grouped(self.rounds(ROUNDS)),
            args.seed
        )]));
        for named in &named {
            let played = self.play_all(named.point, args.seed, &progress)?;
            self.add_tables(&mut document, named, &played);
        }
        progress.bar.finish_and_clear();
        document.parts.push(Part::Heading("Slips of the paper".into()));
        document.parts.push(Part::Lines(SLIPS.map(String::from).to_vec()));
        Ok(document)
    }

    fn named(&self, preset: Preset) -> Named {
        let usual = Point::of(preset);
        let reading = self.args.reading.apply(usual.reading);
        let point = Point { reading, extent: self.args.reading.extent(preset, usual.extent) };
        let changes = changes(usual.reading, reading);
        let name = if changes.is_empty() { preset.name().into() } else { format!("{} with {changes}", preset.name()) };
        Named { name, preset: (point == usual).then_some(preset), point }
    }

    fn add_tables(&self, document: &mut Document, named: &Named, played: &[Split]) {
        let board = edges(named.point.extent);
        document.parts.push(Part::Heading(format!("Reading {}, board {board}", named.name)));
        let prototype = named.preset.and_then(prototype).map(|rows| rows.map(prototype_split));
        let mut rows = Vec::new();
        for (index, (setting, own)) in SETTINGS.iter().zip(played).enumerate() {
            let theirs = prototype.map(|rows| rows[index]);
            for (group, of) in GROUPS {
                let (own, paper, theirs) = (of(own), of(&setting.paper), theirs.as_ref().map(of));
                let record = record(played_with(self.args.seed, named), setting, group, own, paper, theirs);
                rows.push(table_row(setting, group, own, paper, theirs));
                document.records.push(record);
            }
        }
        document.parts.push(Part::table(&TABLE_HEADS, rows));
        let sum = |others: &dyn Fn(usize) -> Split| -> f64 {
            played.iter().enumerate().map(|(index, own)| own.z_squared(others(index))).sum()
        };
        let cells = 2 * SETTINGS.len();
        let mut lines = vec![format!(
            "Sum of z^2 over the {cells} rates with five and four diggers: {:.1} from the paper{}.",
            sum(&|index| SETTINGS[index].paper),
            prototype.map_or(String::new(), |rows| format!(", {:.1} from the prototype", sum(&|index| rows[index])))
        )];
        lines.push(format!("Programs that play alike would give about {cells}."));
        document.parts.push(Part::Lines(lines));
    }

    /// Searches, then plays what was found on fresh deals, beside the presets.
    fn calibrate(&self) -> Result<Document, CliError> {
        let args = self.args;
        let budget = args.budget.unwrap_or(USUAL_BUDGET);
        let (points, deadline) = match budget {
            Budget::Points(points) => (points, None),
            Budget::Time(time) => (u64::MAX, Some(Instant::now() + time)),
        };
        let progress = args.run.progress(points, "points", deadline);
        let options = calibrate::Options { seed: args.seed, points, stages: calibrate::STAGES };
        let found = calibrate::search(&self.evaluator, &options, &progress)?;
        progress.bar.finish_and_clear();
        if is_stopped() {
            say("stopped on request: what was found is played on fresh deals; Ctrl-C again stops at once");
        }
        self.judge(&found)
    }

    /// What was found, beside the presets, on deals that the search has not seen.
    fn judge(&self, found: &Calibration) -> Result<Document, CliError> {
        let fresh = self.args.seed.wrapping_add(FRESH);
        let mut named: Vec<_> = found
            .found
            .iter()
            .take(FINALISTS)
            .zip(1..)
            .map(|(of, number)| Named { name: format!("found {number}"), preset: None, point: of.point })
            .collect();
        named.extend(USUAL_PRESETS.map(|preset| Named {
            name: preset.name().into(),
            preset: Some(preset),
            point: Point::of(preset),
        }));
        let mut document = Document::default();
        document.parts.push(Part::Lines(vec![
            format!(
                "{} points tried, {} rounds played; fitted on {}; the other rows held out.",
                grouped(found.points),
                grouped(found.rounds),
                FITTED.map(|row| SETTINGS[row].name()).join(", ")
            ),
            format!(
                "Losses and rates below are of {} rounds of fresh deals (seed {fresh}) for each setting.",
                grouped(self.rounds(ROUNDS))
            ),
            "A and R1 were once chosen with all rows without E_card in view, and the form of E_card with its own rows: for \
             them nothing is held out."
                .into(),
        ]));
        let mut summary = Vec::new();
        let mut played = Vec::new();
        for named in &named {
            let splits = self.play_all(named.point, fresh, &())?;
            let [fitted, held_out] = [true, false].map(|is_fitted| {
                let rows =
                    SETTINGS.iter().zip(&splits).enumerate().filter(|(row, _)| FITTED.contains(row) == is_fitted);
                calibrate::loss(rows.map(|(_, (setting, split))| (setting, *split)))
            });
            let z_squared: f64 = SETTINGS.iter().zip(&splits).map(|(setting, own)| own.z_squared(setting.paper)).sum();
            let of = found.found.iter().find(|of| of.point == named.point && named.preset.is_none());
            summary.push(vec![
                named.name.clone(),
                of.map_or_else(|| "-".into(), |of| of.from.name().into()),
                of.map_or_else(|| "-".into(), |of| format!("{:.5}", of.loss)),
                with_error(fitted),
                with_error(held_out),
                format!("{z_squared:.0}"),
            ]);
            played.push(splits);
        }
        document.parts.push(Part::Heading("Losses".into()));
        document.parts.push(Part::table(
            &["reading", "climbed from", "loss in the search", "fitted rows", "held-out rows", "sum of z^2"],
            summary,
        ));
        document.parts.push(Part::Heading("What was found, as changes of A".into()));
        let lines = named.iter().filter(|named| named.preset.is_none()).map(|named| {
            let changes = changes(Reading::A, named.point.reading);
            let changes = if changes.is_empty() { "none".into() } else { changes };
            format!("{}: --reading {changes} --board {}", named.name, edges(named.point.extent))
        });
        document.parts.push(Part::Lines(lines.collect()));
        document.parts.push(Part::Heading("Rates, with five and with four diggers".into()));
        let rate = |split: &Split| format!("{:.3} / {:.3}", split.five.rate(), split.four.rate());
        let mut heads = ["setting", "row", "paper"].map(String::from).to_vec();
        heads.extend(named.iter().map(|named| named.name.clone()));
        let row = |(row, setting): (usize, &Setting)| {
            let is_fitted = FITTED.contains(&row);
            let mut cells =
                vec![setting.name(), if is_fitted { "fitted" } else { "held out" }.into(), rate(&setting.paper)];
            cells.extend(played.iter().map(|splits| rate(&splits[row])));
            cells
        };
        document.parts.push(Part::Table(heads, SETTINGS.iter().enumerate().map(row).collect()));
        for (named, splits) in named.iter().zip(&played) {
            for (index, (setting, own)) in SETTINGS.iter().zip(splits).enumerate() {
                for (group, of) in GROUPS {
                    let mut record =
                        record(played_with(fresh, named), setting, group, of(own), of(&setting.paper), None);
                    record.push(("is_fitted", FITTED.contains(&index).into()));
                    record.push(("search_seed", self.args.seed.into()));
                    record.push(("points", found.points.into()));
                    record.push(("search_rounds", found.rounds.into()));
                    document.records.push(record);
                }
            }
        }
        Ok(document)
    }

    /// Who closes the row, and how many cards go left.
    fn dip(&self) -> Result<Document, CliError> {
        let args = self.args;
        let rounds = self.rounds(WATCHED_ROUNDS);
        let boards = (self.presets().len() * dip::COLUMNS.len() * dip::RATIOS) as u64;
        let progress = args.run.progress(rounds * boards, "rounds", None);
        let watched = dip::watch_rounds(&self.evaluator, self.presets(), rounds, args.seed, &progress);
        progress.bar.finish_and_clear();
        if is_stopped() {
            say(&format!("stopped on request: {} of {boards} settings are finished", watched.len()));
        }
        let mut document = Document::default();
        document.parts.push(Part::Lines(vec![
            format!(
                "{} rounds of {PLAYERS} players for each ratio and board on the rules engine, seed {}.",
                grouped(rounds),
                args.seed
            ),
            "A row is closed by the first card right of the start on its row that does not lead on to the right; dx is that \
             card's distance to the goals, far is 4 and more. A detour is a digger's card off the row, right of the start, \
             with dx 3 and more."
                .into(),
        ]));
        document.parts.push(Part::table(&DIP_HEADS, watched.iter().map(dip_row).collect()));
        document.records = watched.iter().map(|of| dip_record(args, of)).collect();
        let verdicts = dip::verdicts(&watched);
        document.parts.push(Part::Heading("60:40 less the mean of 50:50 and 70:30 (in standard errors)".into()));
        let contrast = |of: &dip::Contrast, scale: f64| {
            let is_flat = of.error == 0.0;
            if is_flat { "-".to_owned() } else { format!("{:+.2} ({:+.1})", scale * of.difference, of.z()) }
        };
        let rows = verdicts.iter().map(|of| {
            vec![
                of.preset.name().into(),
                dip::named(of.columns),
                contrast(&of.wins, 100.0),
                contrast(&of.closed, 100.0),
                contrast(&of.cards_left, 1.0),
                format!("{:+.1}", of.closed_far_z),
                format!("{:+.1}", of.detours_z),
            ]
        });
        let heads = [
            "preset",
            "columns left",
            "diggers win, points",
            "closed by digger, points",
            "cards left",
            "closed far: z over 70:30",
            "detours: z over 50:50",
        ];
        document.parts.push(Part::table(&heads, rows.collect()));
        document.parts.push(Part::Heading("Verdict".into()));
        document.parts.push(Part::Lines(dip::conclusions(&verdicts)));
        Ok(document)
    }
}

/// Added to the seed for deals that a search has not seen.
const FRESH: u64 = 1_000_000;

/// Part of the rounds.
type Group = fn(&Split) -> Share;

/// All rounds, and those with five and four diggers.
const GROUPS: [(&str, Group); 3] =
    [("all", |split| split.all()), ("5 diggers", |split| split.five), ("4 diggers", |split| split.four)];

const TABLE_HEADS: [&str; 10] =
    ["setting", "tables", "rounds of", "wins", "rounds", "rate", "interval", "paper", "z", "prototype (z)"];

fn table_row(setting: &Setting, group: &str, own: Share, paper: Share, theirs: Option<Share>) -> Vec<String> {
    let interval = own.interval();
    let is_first = group == GROUPS[0].0;
    vec![
        if is_first { setting.name() } else { String::new() },
        if is_first { setting.tables.into() } else { String::new() },
        group.into(),
        grouped(own.wins),
        grouped(own.rounds),
        format!("{:.4}", own.rate()),
        format!("[{:.4},{:.4}]", interval.low, interval.high),
        format!("{:.4}", paper.rate()),
        format!("{:+.1}", own.z(paper)),
        theirs.map_or_else(|| "-".into(), |theirs| format!("{:.3} ({:+.1})", theirs.rate(), own.z(theirs))),
    ]
}

/// What was played, to begin a record.
fn played_with(seed: u64, named: &Named) -> Record {
    vec![
        ("name", named.name.clone().into()),
        ("changes_of_a", changes(Reading::A, named.point.reading).into()),
        ("board", edges(named.point.extent).into()),
        ("players", PLAYERS.into()),
        ("seed", seed.into()),
    ]
}

fn record(
    mut record: Record,
    setting: &Setting,
    group: &str,
    own: Share,
    paper: Share,
    theirs: Option<Share>,
) -> Record {
    let interval = own.interval();
    let number = |value: f64| Value::from(value);
    let [across, along] = setting.weights;
    record.extend([
        ("weights", format!("{across}:{along}").into()),
        ("counts_cards", setting.counts_cards.into()),
        ("tables", setting.tables.into()),
        ("rounds_of", group.into()),
        ("wins", own.wins.into()),
        ("rounds", own.rounds.into()),
        ("rate", number(own.rate())),
        ("low", number(interval.low)),
        ("high", number(interval.high)),
        ("paper_wins", paper.wins.into()),
        ("paper_rounds", paper.rounds.into()),
        ("paper_rate", number(paper.rate())),
        ("z", number(own.z(paper))),
        ("prototype_rate", theirs.map_or(Value::Null, |theirs| number(theirs.rate()))),
        ("prototype_z", theirs.map_or(Value::Null, |theirs| number(own.z(theirs)))),
    ]);
    record
}

fn with_error(loss: calibrate::Loss) -> String {
    format!("{:.5} ±{:.5}", loss.value, loss.variance.sqrt())
}

const DIP_HEADS: [&str; 11] = [
    "preset",
    "columns left",
    "weights",
    "diggers win",
    "interval",
    "cards left",
    "by diggers",
    "closed by digger (mean dx)",
    "far",
    "closed by saboteur (mean dx)",
    "detours",
];

fn dip_row(of: &Watched) -> Vec<String> {
    let (counts, interval) = (&of.counts, of.counts.diggers.interval());
    let closed = |role| format!("{:.3} ({:.1})", counts.closed_by(role).rate(), counts.mean_distance(role));
    vec![
        of.preset.name().into(),
        dip::named(of.columns),
        format!("{}:{}", of.weights[0], of.weights[1]),
        format!("{:.4}", counts.diggers.rate()),
        format!("[{:.4},{:.4}]", interval.low, interval.high),
        format!("{:.2}", counts.mean_cards_left().value),
        format!("{:.2}", counts.cards_left[0] as f64 / counts.diggers.rounds as f64),
        closed(0),
        format!("{:.3}", counts.closed_far().rate()),
        closed(1),
        format!("{:.2}", counts.mean_detours().value),
    ]
}

fn dip_record(args: &Args, of: &Watched) -> Record {
    let (counts, interval) = (&of.counts, of.counts.diggers.interval());
    vec![
        ("preset", of.preset.name().into()),
        ("columns_left", of.columns.into()),
        ("weights", format!("{}:{}", of.weights[0], of.weights[1]).into()),
        ("players", PLAYERS.into()),
        ("seed", args.seed.into()),
        ("rounds", counts.diggers.rounds.into()),
        ("wins", counts.diggers.wins.into()),
        ("rate", counts.diggers.rate().into()),
        ("low", interval.low.into()),
        ("high", interval.high.into()),
        ("cards_left_by_diggers", counts.cards_left[0].into()),
        ("cards_left_by_saboteurs", counts.cards_left[1].into()),
        ("closed_by_diggers", counts.closed_by(0).wins.into()),
        ("closed_far_by_diggers", counts.closed_far().wins.into()),
        ("detours_of_diggers", counts.detours.into()),
        ("closed_by_saboteurs", counts.closed_by(1).wins.into()),
        ("mean_dx_of_diggers", counts.mean_distance(0).into()),
        ("mean_dx_of_saboteurs", counts.mean_distance(1).into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_points_or_times() {
        assert_eq!(parse_budget("250"), Ok(Budget::Points(250)));
        assert_eq!(parse_budget("90s"), Ok(Budget::Time(Duration::from_secs(90))));
        assert_eq!(parse_budget("2m"), Ok(Budget::Time(Duration::from_secs(120))));
        for wrong in ["", "0", "s", "-3", "5h", "1.5m", "99999999999999999999"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }
}
