//! `fairground learn`: the paper's loop of labelling, learning and choosing maps.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fairground::batch::{BackendChoice, EvaluateError, Evaluator};
use fairground::games::catan::generate::generate;
use fairground::learn::course::{CourseError, Origin, RECIPE, Taken};
use fairground::learn::method::{BasisKind, Method, PriorRule, Surrogate, Validation};
use fairground::learn::run::{Plan, Run, RunError, rules_version};
use fairground::report::learned;
use fairground::runs::{Directory, DirectoryError};
use fairground::stats::seats::{debiased_spread, spread};

use super::catan::{MapArgs, PlayerArgs, manifest, note};
use super::features::ReadingArgs;
use super::output::{Format, grouped};
use super::reproduce::document::{Document, Part};
use super::run::RunArgs;
use super::{CliError, CliResult, say};

/// Label maps of Catan, learn from the labels which maps are balanced, choose new maps, and again
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES)]
pub struct Args {
    #[command(flatten)]
    maps: MapArgs,

    /// Begin with so many random maps instead
    #[arg(long, value_name = "N", conflicts_with = "maps", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    random: Option<u64>,

    #[command(flatten)]
    players: PlayerArgs,

    /// Games on each map
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..=1 << 40))]
    playouts: u64,

    /// Times to learn and choose
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: u32,

    /// Fresh random maps to score in each step
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    scored: u64,

    /// Maps to choose from either end in each step
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    chosen: u32,

    /// What scores maps
    #[arg(long, default_value = "pnu")]
    surrogate: SurrogateArg,

    /// What the classifier is a sum of
    #[arg(long, default_value = "linear")]
    basis: BasisArg,

    /// How the settings of the classifier are chosen by cross-validation
    #[arg(long, default_value = "author")]
    cv: ValidationArg,

    /// The class prior: estimated as the author of PNU learning does, without bias (u), or a share of balanced maps. Where
    /// labels do not tell (u), it is the share of 200 random maps that are played for it
    #[arg(long, value_name = "author|u|SHARE", default_value = "author", value_parser = parse_prior)]
    prior: PriorRule,

    #[command(flatten)]
    readings: ReadingArgs,

    /// Directory for the run; made if it does not exist [default: runs/learn-0001, or the next number]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,

    /// Go on with the run of this directory, with its options
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "maps", "random", "policy", "turn_cap", "seed", "playouts", "steps", "scored", "chosen", "surrogate", "basis", "cv",
        "prior", "ports", "nodes", "duplicates"
    ])]
    resume: Option<PathBuf>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

const NOTES: &str = "The method of Hwang and Kaneko: the maps are played and labelled balanced or unbalanced by two-means of\n\
    their spreads; with random maps nobody played they train a PNU classifier on 76 features; of a million fresh\n\
    random maps those with the five highest and the five lowest values are played, and everything is labelled\n\
    anew. Confirmed are the choices that then have the label they were chosen for. Without maps and --random the\n\
    built-in maps are the first ones. The distance is that from the boundary of a linear classifier, in the\n\
    scale of the features; it has the order of the score.\n\n\
    The run directory holds manifest.json, checkpoint.json, history.jsonl (one line a step), timing.jsonl,\n\
    report.html and maps/. The same options and seed give the same maps with any --threads, however often the run\n\
    was stopped. Ctrl-C loses the step that is under way, and --resume goes on from there.\n\n\
    Examples:\n  \
    fairground learn maps/ --out course\n  \
    fairground learn --random 15 --playouts 100000 --steps 5\n  \
    fairground learn --random 15 --cv robust --prior u\n  \
    fairground learn --random 200 --playouts 500 --surrogate ridge\n  \
    fairground learn --resume course";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SurrogateArg {
    /// The PNU classifier of the paper
    Pnu,
    /// A ridge regression of the seats' advantages with their signs
    Ridge,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BasisArg {
    /// Features, as in the paper
    Linear,
    /// Bells around 200 unlabelled maps; takes far longer
    Gauss,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ValidationArg {
    /// The first of the best, as the author of PNU learning has it
    Author,
    /// The simplest among equally good ones, over 20 ways to make folds
    Robust,
}

fn parse_prior(text: &str) -> Result<PriorRule, String> {
    let share = || text.parse().ok().filter(|&share: &f64| share > 0.0 && share < 1.0).map(PriorRule::Stated);
    match text {
        "author" => Ok(PriorRule::Author),
        "u" => Ok(PriorRule::U),
        _ => share().ok_or_else(|| "expected author, u, or a share, more than 0 and less than 1".into()),
    }
}

/// The report's file.
const REPORT: &str = "report.html";

pub fn run(args: &Args) -> CliResult {
    let choice = args.run.choice()?;
    let (mut run, evaluator) = match &args.resume {
        Some(path) => (Run::resume(Directory::open(path)?)?, args.run.open(choice)?),
        None => args.begin(choice)?,
    };
    if !args.run.quiet {
        say(&format!("run directory: {}", run.directory().path("").display()));
    }
    let plan = run.plan();
    let maps = plan.seeds.len() + 2 * plan.chosen * plan.steps;
    let progress = args.run.progress(plan.games.saturating_mul(maps as u64), "games", None);
    progress.bar.set_position(run.members().len() as u64 * plan.games);
    let mut told = run.taken().len();
    while !run.is_finished() {
        if let Err(error) = run.advance(&evaluator, &progress) {
            progress.bar.finish_and_clear();
            return Err(explain(error, &run));
        }
        // The first round plays the maps to begin with and takes no step.
        if let Some(text) = run.taken().last().filter(|_| run.taken().len() > told).and_then(Taken::note) {
            progress.bar.suspend(|| note(args.run.quiet, &text));
        }
        told = run.taken().len();
        write_report(&run)?;
    }
    progress.bar.finish_and_clear();
    run.finish()?;
    write_report(&run)?;
    io::stdout().lock().write_all(results(&run).written(args.format).as_bytes())?;
    Ok(())
}

impl Args {
    const fn method(&self) -> Method {
        Method {
            surrogate: match self.surrogate {
                SurrogateArg::Pnu => Surrogate::Pnu,
                SurrogateArg::Ridge => Surrogate::Ridge,
            },
            readings: self.readings.readings(),
            basis: match self.basis {
                BasisArg::Linear => BasisKind::Linear,
                BasisArg::Gauss => BasisKind::Gauss,
            },
            validation: match self.cv {
                ValidationArg::Author => Validation::Author,
                ValidationArg::Robust => Validation::Robust,
            },
            prior: self.prior,
        }
    }

    fn begin(&self, choice: BackendChoice) -> Result<(Run, Evaluator), CliError> {
        let policy = self.players.policy()?;
        let seed = self.players.seed;
        let maps = match self.random {
            None => self.maps.load(self.run.quiet)?,
            // Another seed than the fresh maps have: these shall not be among them.
            Some(count) => {
                let map = |index| (format!("random-{:02}", index + 1), generate(&RECIPE, !seed, index));
                (0..count).map(map).collect()
            }
        };
        let value = |(name, map)| Ok((name, serde_json::to_value(&map)?));
        let seeds = maps.into_iter().map(value).collect::<Result<_, serde_json::Error>>().map_err(io::Error::from)?;
        let plan = Plan {
            players: policy.seats.map(|strategy| strategy.name().to_owned()),
            turn_cap: policy.turn_cap,
            games: self.playouts,
            maps: self.scored,
            chosen: self.chosen as usize,
            steps: self.steps as usize,
            method: self.method(),
            seed,
            seeds,
        };
        // A wrong plan shall not leave a directory behind.
        plan.check().map_err(CliError::Failed)?;
        let evaluator = self.run.open(choice)?;
        let directory = match &self.out {
            Some(path) => Directory::create(path)?,
            None => Directory::create_numbered(Path::new("runs"), "learn")?,
        };
        let manifest = manifest(&evaluator, rules_version(), plan);
        Ok((Run::begin(directory, &manifest)?, evaluator))
    }
}

fn write_report(run: &Run) -> Result<(), DirectoryError> {
    run.directory().write(REPORT, learned(run).as_bytes())
}

/// What happened, and how to go on if it was Ctrl-C.
fn explain(error: RunError, run: &Run) -> CliError {
    let path = run.directory().path("");
    let (taken, path) = (run.taken().len(), path.display());
    match error {
        RunError::Directory(error) => error.into(),
        RunError::Course(CourseError::Evaluate(EvaluateError::Stopped)) => CliError::Failed(format!(
            "stopped on request after {taken} of {} steps; `fairground learn --resume {path}` goes on",
            run.plan().steps
        )),
        RunError::Course(CourseError::Evaluate(error)) => error.into(),
        RunError::Course(error) => {
            CliError::Failed(format!("after {taken} steps, which {path} keeps, there is no next one: {error}"))
        }
    }
}

const fn word(origin: Origin) -> &'static str {
    match origin {
        Origin::Seed => "seed",
        Origin::Good => "good",
        Origin::Bad => "bad",
    }
}

/// A number in so many digits, if there is one.
fn number(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "-".into(), |number| format!("{number:.digits$}"))
}

fn results(run: &Run) -> Document {
    let plan = run.plan();
    let mut document = Document::default();
    let labels = run.labels();
    let mut rows = Vec::new();
    for (index, member) in run.members().iter().enumerate() {
        let label = match labels.as_ref().map(|groups| groups.is_low[index]) {
            Some(true) => "balanced",
            Some(false) => "unbalanced",
            None => "-",
        };
        let (seen, unbiased) = (spread(&member.wins, plan.games), debiased_spread(&member.wins, plan.games));
        let origin = word(member.origin);
        rows.push(vec![
            member.name.clone(),
            member.step.to_string(),
            origin.into(),
            number(member.score, 3),
            number(member.distance, 3),
            format!("{:.2}", 100.0 * seen),
            format!("{:.2}", 100.0 * unbiased),
            label.into(),
        ]);
        document.records.push(vec![
            ("map", member.name.clone().into()),
            ("step", member.step.into()),
            ("chosen_as", origin.into()),
            ("score", member.score.into()),
            ("distance", member.distance.into()),
            ("policy", plan.players.join(",").into()),
            ("seed", plan.seed.into()),
            ("playouts", plan.games.into()),
            ("first_wins", member.wins[0].into()),
            ("second_wins", member.wins[1].into()),
            ("third_wins", member.wins[2].into()),
            ("fourth_wins", member.wins[3].into()),
            ("spread", seen.into()),
            ("debiased_spread", unbiased.into()),
            ("label", label.into()),
        ]);
    }
    document.parts.push(Part::table(
        &["map", "step", "chosen as", "score", "distance", "spread pp", "de-biased pp", "label"],
        rows,
    ));
    let steps = run.taken().iter().map(|taken| {
        vec![
            taken.step.to_string(),
            taken.labelled.to_string(),
            taken.balanced.to_string(),
            format!("{:.2}", taken.threshold_points),
            number(taken.prior.map(|prior| prior.value), 3),
            number(taken.eta, 1),
            number(taken.lambda, 3),
            format!("{} of {}", taken.good[0], taken.good[1]),
            format!("{} of {}", taken.bad[0], taken.bad[1]),
        ]
    });
    let heads =
        ["step", "labelled", "balanced", "threshold pp", "prior", "eta", "lambda", "good confirmed", "bad confirmed"];
    document.parts.push(Part::table(&heads, steps.collect()));
    let method: Vec<_> = plan.method.described().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let mut lines: Vec<_> = run.taken().iter().filter_map(Taken::note).collect();
    lines.push(format!(
        "{} games a map, {} maps scored in each step, players {}, seed {}; {}. The report is {}.",
        grouped(plan.games),
        grouped(plan.maps),
        plan.players.join(", "),
        plan.seed,
        method.join("; "),
        run.directory().path(REPORT).display()
    ));
    document.parts.push(Part::Lines(lines));
    document
}
