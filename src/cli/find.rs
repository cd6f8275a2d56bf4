//! `fairground find`: many maps of Catan that are certified to be fair.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fairground::batch::{BackendChoice, EvaluateError, Evaluator, Watch};
use fairground::find::{Delivered, FindError, LEAST_DIFFERENCE, Plan, Run, RunError, rules_version};
use fairground::report::found;
use fairground::runs::{Directory, DirectoryError, MANIFEST};
use fairground::stats::Interval;
use indicatif::{ProgressBar, ProgressStyle};

use super::catan::{PlayerArgs, manifest, note, only_catan, parse_points};
use super::certify::parse_level;
use super::evolve::parse_minutes;
use super::games::GameArg;
use super::output::{Format, grouped};
use super::reproduce::document::{Document, Part};
use super::run::{RunArgs, is_stopped};
use super::{CliError, CliResult, is_watched, say};

/// Find many different maps of Catan that are certified to treat the seats alike
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES)]
pub struct Args {
    /// The game; only catan has maps with four seats
    #[arg(long)]
    game: Option<GameArg>,

    /// Random maps to look at
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    maps: u64,

    /// Games of everything together, at most; with --resume those before included [default: what such a search usually
    /// takes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 50))]
    games: Option<u64>,

    /// Certified maps that are wanted
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_count)]
    count: usize,

    /// Certify that the true spread between seats is below so many percentage points
    #[arg(long, value_name = "POINTS", default_value_t = 0.28, value_parser = parse_points)]
    sigma: f64,

    /// Which share of the certificates may be wrong
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_level)]
    level: f64,

    /// Deliver what is certified when so many minutes are over. When that is depends on the machine; --resume goes on
    #[arg(long, value_name = "M", value_parser = parse_minutes)]
    minutes: Option<f64>,

    #[command(flatten)]
    players: PlayerArgs,

    /// Directory for the run; made if it does not exist [default: runs/find-0001, or the next number]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,

    /// Go on with the run of this directory, with its options and perhaps more --games
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "maps", "count", "sigma", "level", "policy", "turn_cap", "seed"
    ])]
    resume: Option<PathBuf>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

const NOTES: &str = "A regression learns from the set-up which random maps are balanced; those, and a control that nobody\n\
    chose, are played, and the better half is played on, again and again. Each map that is left founds a line of\n\
    variants in which ports and equally likely numbers change places. The best variant of each line is certified\n\
    by fresh games, with e-BH over all of them, as `certify` does. A certificate speaks only for the players that\n\
    played. Any two maps differ in at least half of their tiles, tokens and ports, however one turns them.\n\n\
    The run directory holds manifest.json, checkpoint.json, history.jsonl (one line a round), timing.jsonl,\n\
    report.html and, in the end, maps/ and certificates/, strongest evidence first; `certify --verify` checks\n\
    them. The same options and seed give the same maps on every backend with any --threads, however often the\n\
    run was stopped and resumed; but with --minutes fewer of them. Ctrl-C loses the round that is played, keeps\n\
    what is certified, and --resume goes on from there; with --games also after these were too few. If no map\n\
    could be certified the exit code is 1.\n\n\
    Examples:\n  \
    fairground find --game catan --out fair\n  \
    fairground find --count 20 --sigma 0.5 --maps 1000000\n  \
    fairground find --resume fair\n  \
    fairground find --resume fair --games 200000000\n  \
    fairground certify --verify fair/certificates/*.json";

fn parse_count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=10_000).contains(number));
    number.ok_or_else(|| "expected 1 to 10000".into())
}

/// The report's file.
const REPORT: &str = "report.html";

pub fn run(args: &Args) -> CliResult {
    only_catan(args.game)?;
    let choice = args.run.choice()?;
    let (run, evaluator) = match &args.resume {
        Some(path) => (Run::resume(Directory::open(path)?, args.games)?, args.run.open(choice)?),
        None => args.begin(choice)?,
    };
    Session { args, run, evaluator }.find()
}

impl Args {
    fn begin(&self, choice: BackendChoice) -> Result<(Run, Evaluator), CliError> {
        let policy = self.players.policy()?;
        let mut plan = Plan {
            players: policy.seats.map(|strategy| strategy.name().to_owned()),
            turn_cap: policy.turn_cap,
            maps: self.maps,
            games: 0,
            count: self.count,
            sigma_points: self.sigma,
            level: self.level,
            seed: self.players.seed,
        };
        plan.games = self.games.unwrap_or_else(|| plan.usual_games());
        // A wrong plan shall not leave a directory behind.
        plan.check().map_err(|error| CliError::Failed(error.to_string()))?;
        let evaluator = self.run.open(choice)?;
        let directory = match &self.out {
            Some(path) => Directory::create(path)?,
            None => Directory::create_numbered(Path::new("runs"), "find")?,
        };
        let manifest = manifest(&evaluator, rules_version(), plan);
        Ok((Run::begin(directory, &manifest)?, evaluator))
    }
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    run: Run,
    evaluator: Evaluator,
}

impl Session<'_> {
    fn find(mut self) -> CliResult {
        let (args, quiet) = (self.args, self.args.run.quiet);
        if !quiet {
            say(&format!("run directory: {}", self.run.directory().path("").display()));
        }
        let deadline = args.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
        let watcher = Watcher::new(args, &self.run);
        while !self.run.is_finished() {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let path = self.run.directory().path("");
                let how = format!("`fairground find --resume {}` goes on", path.display());
                note(quiet, &format!("the time is up, on another machine perhaps in another round; {how}"));
                break;
            }
            let result = self.run.advance(&self.evaluator, &watcher);
            self.stopped(&watcher, result)?;
            watcher.news(&self.run);
            // In certification a round takes a second, and the page would be the same.
            if self.run.entered().0 == 0 {
                self.write_report(&[])?;
            }
        }
        let result = self.run.close(&self.evaluator, &watcher);
        self.stopped(&watcher, result)?;
        watcher.bar.finish_and_clear();
        let delivered = self.run.finish()?;
        self.write_report(&delivered)?;
        let (count, wanted) = (delivered.len(), self.run.plan().count);
        io::stdout().lock().write_all(self.results(&delivered).written(args.format).as_bytes())?;
        let path = self.run.directory().path("");
        let more = format!("`fairground find --resume {} --games N` goes on with more games in all", path.display());
        match count {
            0 => return Err(CliError::Failed(format!("no map could be certified; {more}"))),
            _ if count < wanted => note(quiet, &format!("only {count} of {wanted} maps could be certified; {more}")),
            _ => {}
        }
        Ok(())
    }

    /// What is certified stays so, whatever stopped the run.
    fn stopped(&self, watcher: &Watcher, result: Result<(), RunError>) -> CliResult {
        let Err(error) = result else { return Ok(()) };
        watcher.bar.finish_and_clear();
        let delivered = self.run.finish()?;
        self.write_report(&delivered)?;
        Err(self.explain(error, delivered.len()))
    }

    fn write_report(&self, delivered: &[Delivered]) -> Result<(), DirectoryError> {
        let page = found(&self.run, delivered);
        self.run.directory().write(REPORT, page.as_bytes())
    }

    /// What happened, and how to go on if it was Ctrl-C.
    fn explain(&self, error: RunError, certified: usize) -> CliError {
        match error {
            RunError::Directory(error) => error.into(),
            RunError::Find(FindError::Evaluate(EvaluateError::Stopped)) => {
                let (rounds, path) = (self.run.history().len(), self.run.directory().path(""));
                let (path, waiting) = (path.display(), self.run.history().last().map_or(0, |line| line.waiting));
                let waiting =
                    if waiting > 0 { format!(" and {waiting} that wait for more of them") } else { String::new() };
                CliError::Failed(format!(
                    "stopped on request after round {rounds} with {certified} certified maps{waiting}; `fairground find --resume {path}` goes on"
                ))
            }
            RunError::Find(FindError::Evaluate(error)) => error.into(),
            RunError::Find(error @ FindError::NothingDecided { .. }) => CliError::Failed(error.to_string()),
            RunError::Find(error) => self.run.directory().refuse(MANIFEST, error.to_string()).into(),
        }
    }

    fn results(&self, delivered: &[Delivered]) -> Document {
        let mut document = Document::default();
        let mut rows = Vec::new();
        let files = self.run.files(delivered.len());
        for (one, [map, certificate]) in delivered.iter().zip(files) {
            let [map, certificate] =
                [map, certificate].map(|file| self.run.directory().path(&file).display().to_string());
            let stated = &one.certificate;
            let decided = stated.seat_wins.iter().sum::<u64>().max(1) as f64;
            let rates = stated.seat_wins.map(|wins| 100.0 * wins as f64 / decided);
            let mut row = vec![map.clone(), grouped(stated.games)];
            row.extend(rates.map(|rate| format!("{rate:.2}")));
            let (unbiased, Interval { low, high }) = one.estimated_points();
            row.extend([format!("{:.3}", stated.spread_points), format!("{unbiased:.3} [{low:.3},{high:.3}]")]);
            row.push(format!("{:.1}", stated.e_value));
            row.push(one.nearest.map_or_else(|| "-".into(), |share| format!("{share:.2}")));
            rows.push(row);
            document.records.push(vec![
                ("map", map.into()),
                ("certificate", certificate.into()),
                ("policy", stated.players.join(",").into()),
                ("seed", self.run.plan().seed.into()),
                ("certificate_seed", stated.seed.into()),
                ("games", stated.games.into()),
                ("first_wins", stated.seat_wins[0].into()),
                ("second_wins", stated.seat_wins[1].into()),
                ("third_wins", stated.seat_wins[2].into()),
                ("fourth_wins", stated.seat_wins[3].into()),
                ("spread_points", stated.spread_points.into()),
                ("debiased_points", unbiased.into()),
                ("debiased_low", low.into()),
                ("debiased_high", high.into()),
                ("sigma_points", stated.sigma_points.into()),
                ("e_value", stated.e_value.into()),
                ("difference", one.nearest.into()),
                ("ancestor", one.ancestor.into()),
                ("is_control", one.is_control.into()),
            ]);
        }
        let heads = [
            "map",
            "fresh games",
            "first %",
            "second %",
            "third %",
            "fourth %",
            "spread pp",
            "de-biased pp",
            "E",
            "difference",
        ];
        document.parts.push(Part::table(&heads, rows));
        document.parts.push(Part::Lines(self.summary(delivered)));
        document
    }

    fn summary(&self, delivered: &[Delivered]) -> Vec<String> {
        let plan = self.run.plan();
        let (entered, dropped) = self.run.entered();
        let mut lines = vec![format!(
            "{} maps are certified to have a true spread below {} points, e-BH at level {} with room for {} entries, {entered} of them used \
             ({dropped} were dropped); players {}, seed {}.",
            delivered.len(),
            plan.sigma_points,
            plan.level,
            grouped(plan.room() as u64),
            plan.players.join(", "),
            plan.seed
        )];
        let (games, fresh) = (grouped(self.run.games()), grouped(self.run.fresh_games()));
        lines.push(format!(
            "{games} games, {fresh} of them fresh. Any two maps differ in at least {} % of tiles, tokens and ports.",
            100.0 * LEAST_DIFFERENCE
        ));
        if let Some(screened) = self.run.screened() {
            let of_control = delivered.iter().filter(|one| one.is_control).count();
            lines.push(format!(
                "Of {} random maps the regression chose {}, which are {:.2} points apart (tau); {} maps that nobody chose are {:.2}. Of the \
                 certified maps {of_control} descend from the latter.",
                grouped(screened.looked_at),
                grouped(screened.chosen as u64),
                screened.chosen_tau_points,
                grouped(screened.control as u64),
                screened.control_tau_points
            ));
        }
        lines.push(format!("The report is {}.", self.run.directory().path(REPORT).display()));
        lines
    }
}

/// Draws the progress and passes Ctrl-C on.
struct Watcher {
    bar: ProgressBar,
}

impl Watcher {
    fn new(args: &Args, run: &Run) -> Self {
        let is_visible = !args.run.quiet && is_watched();
        let bar = if is_visible { ProgressBar::new(run.plan().games) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} games, {eta} left at most{msg}");
        let watcher = Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())) };
        watcher.news(run);
        watcher
    }

    fn news(&self, run: &Run) {
        self.bar.set_position(run.games());
        if let Some(line) = run.history().last() {
            let good = line.certified + line.waiting;
            let good = if good > 0 { format!(", {good} as good as certified") } else { String::new() };
            self.bar.set_message(format!("; {}, {} left{good}", line.stage, line.left));
        }
    }
}

impl Watch for Watcher {
    fn finished(&self, count: u64) {
        self.bar.inc(count);
    }

    fn stop(&self) -> bool {
        is_stopped()
    }
}
