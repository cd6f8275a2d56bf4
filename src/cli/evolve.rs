//! `fairground evolve`: fair maps.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fairground::batch::{Backend, BackendChoice, EvaluateError, Evaluator, Watch};
use fairground::evolve::EvolveError;
use fairground::evolve::judge::Judge;
use fairground::evolve::lines::Lines;
use fairground::evolve::plan::{Plan, Start};
use fairground::evolve::rank::{Finalist, nearest};
use fairground::evolve::run::{Line, Run, RunError, Score, rules_version};
use fairground::games::tubstap::generate::generate;
use fairground::players::settings::WrongChoice;
use fairground::players::tubstap::choice::Choice;
use fairground::report::evolution;
use fairground::runs::{Directory, DirectoryError, MANIFEST, Manifest};
use fairground::stats;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::bench::cpu_model;
use super::contest::at_a_time;
use super::games::GameArg;
use super::generate::TubstapArgs;
use super::output::{Format, grouped};
use super::reproduce::document::{Document, Part};
use super::run::{RunArgs, is_stopped};
use super::{CliError, CliResult, is_watched, say};

/// Evolve fair maps: those that a player wins about as often on either side
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES)]
pub struct Args {
    /// The game; so far only maps of tubstap are evolved
    #[arg(long, default_value = "tubstap")]
    game: GameArg,

    /// A published method with its numbers instead of our own
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// Who plays on both sides: random, maxact, mss, or muct with its settings (see match --help) [default: mss]
    #[arg(long, value_name = "PLAYER")]
    judge: Option<Choice>,

    /// Who also plays on the maps in the end, for a second opinion, or none [default: muct:500]
    #[arg(long, value_name = "PLAYER", value_parser = parse_second)]
    second_judge: Option<Second>,

    /// Maps of a generation, with --preset paper003 [default: 100]
    #[arg(long, value_name = "N", value_parser = parse_maps)]
    population: Option<usize>,

    #[arg(long, value_name = "N", value_parser = parse_maps)]
    #[arg(help = format!("Random maps to begin with, without --preset [default: {}]", Lines::default().founders))]
    founders: Option<usize>,

    #[arg(long, value_name = "N", value_parser = parse_maps)]
    #[arg(help = format!("Lines of descent that are left in the end, without --preset [default: {}]", Lines::default().lines))]
    lines: Option<usize>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    #[arg(help = usual_number("Generations after the first, at most", |plan| plan.generations))]
    generations: Option<u64>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    #[arg(help = usual_number("Games of a map, at first sight; more follow if it looks good, but not with a preset", |plan| plan.games))]
    games: Option<u64>,

    /// Fresh games of each map in the end, by which the maps are ranked [default: 600]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    final_games: Option<u64>,

    /// Maps to deliver; fewer if there are not as many that differ [default: 8]
    #[arg(long, value_name = "N", value_parser = parse_maps)]
    maps: Option<usize>,

    /// Stop after the generation in which so many minutes are over. That generation depends on the machine
    #[arg(long, value_name = "M", value_parser = parse_minutes)]
    minutes: Option<f64>,

    /// Seed of the random numbers [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Directory for the run; made if it does not exist [default: runs/evolve-0001, or the next number]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,

    /// Go on with the run of this directory, with its options
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten, next_help_heading = "Maps")]
    tubstap: TubstapArgs,

    #[command(flatten, next_help_heading = "Playing")]
    run: RunArgs,
}

const NOTES: &str = "Fitness is 1 - (|p1 - p2| + draw): 1 is fair and decisive. What is reported comes of fresh games\n\
    that had no part in the choice; intervals are at 95 %. Difference is the share of cells in which a map\n\
    differs from the most similar other one.\n\n\
    The run directory holds manifest.json, checkpoint.json, history.jsonl (one line a generation),\n\
    timing.jsonl, report.html and, in the end, maps/01.tbsmap (the best), maps/02.tbsmap, ...\n\n\
    The same options and seed give the same history, checkpoint and maps on every backend with any\n\
    --threads, however often the run was stopped and resumed; but not with --minutes or with a player\n\
    whose time is limited. Ctrl-C keeps the generations that are finished; --resume goes on from there.\n\n\
    Examples:\n  \
    fairground evolve --out fair\n  \
    fairground evolve --judge muct:1000 --size 8x8 --units 6 --no-aircraft --maps 20\n  \
    fairground evolve --minutes 30 --judge muct:200\n  \
    fairground evolve --preset paper003 --no-aircraft --generations 30 --seed 7\n  \
    fairground evolve --resume fair";

/// A player, or none.
#[derive(Clone, Debug)]
struct Second(Option<Choice>);

fn parse_second(text: &str) -> Result<Second, String> {
    if text == "none" {
        return Ok(Second(None));
    }
    text.parse().map(|player| Second(Some(player))).map_err(|wrong: WrongChoice| format!("{wrong}, or none"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// The genetic algorithm of the paper: tournaments, crossover, mutation
    Paper003,
}

/// The help of a number that is another with the preset.
fn usual_number(about: &str, number: fn(&Plan) -> u64) -> String {
    format!("{about} [default: {}; {} with --preset paper003]", number(&Plan::lines()), number(&Plan::paper()))
}

/// More maps than these nobody waits for.
const MAX_MAPS: usize = 10_000;

fn parse_maps(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_MAPS).contains(number));
    number.ok_or_else(|| format!("expected 1 to {MAX_MAPS}"))
}

const MAX_MINUTES: f64 = 1e6;

pub fn parse_minutes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0 && number <= MAX_MINUTES);
    number.ok_or_else(|| format!("expected a number of minutes above 0 and up to {MAX_MINUTES}"))
}

impl From<DirectoryError> for CliError {
    fn from(error: DirectoryError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub fn run(args: &Args) -> CliResult {
    if args.game != GameArg::Tubstap {
        let why = format!("maps of {} cannot be evolved yet, only those of tubstap", args.game.name());
        return Err(CliError::Usage(why));
    }
    let choice = args.run.choice()?;
    let (run, evaluator) = match &args.resume {
        Some(path) => args.go_on(path, choice)?,
        None => args.begin(choice)?,
    };
    Session { args, run, evaluator }.evolve()
}

impl Args {
    /// A plan with everything changed that was asked for.
    fn plan(&self, usual: Plan) -> Result<Plan, CliError> {
        let wrong = |options: &str| Err(CliError::Usage(options.into()));
        let recipe = self.tubstap.recipe(usual.recipe);
        let method = match usual.method {
            Start::Paper { population } => {
                if self.founders.is_some() || self.lines.is_some() {
                    return wrong("--founders and --lines do not go with --preset paper003; --population does");
                }
                if recipe.is_symmetric {
                    return wrong(
                        "--symmetric does not go with --preset paper003: its children would not be symmetric",
                    );
                }
                Start::Paper { population: self.population.unwrap_or(population) }
            }
            Start::Lines { founders, lines } => {
                if self.population.is_some() {
                    return wrong(
                        "--population goes with --preset paper003 only; otherwise there are --founders and --lines",
                    );
                }
                Start::Lines { founders: self.founders.unwrap_or(founders), lines: self.lines.unwrap_or(lines) }
            }
        };
        Ok(Plan {
            method,
            recipe,
            judge: self.judge.clone().unwrap_or(usual.judge),
            second_judge: self.second_judge.clone().map_or(usual.second_judge, |Second(player)| player),
            generations: self.generations.unwrap_or(usual.generations),
            games: self.games.unwrap_or(usual.games),
            final_games: self.final_games.unwrap_or(usual.final_games),
            maps: self.maps.unwrap_or(usual.maps),
            seed: self.seed.unwrap_or(usual.seed),
        })
    }

    fn begin(&self, choice: BackendChoice) -> Result<(Run, Evaluator), CliError> {
        let plan = self.plan(if self.preset.is_some() { Plan::paper() } else { Plan::lines() })?;
        // A wrong recipe shall not leave a directory behind.
        generate(&plan.recipe, plan.seed, 0)
            .map_err(|error| CliError::Failed(format!("there are no such maps: {error}")))?;
        let evaluator = self.run.open(choice)?;
        let directory = match &self.out {
            Some(path) => Directory::create(path)?,
            None => Directory::create_numbered(Path::new("runs"), "evolve")?,
        };
        let manifest = Manifest {
            command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            program_version: env!("CARGO_PKG_VERSION").into(),
            rules_version: rules_version(),
            backend: evaluator.backend().to_string(),
            cpu: cpu_model(),
            gpu: match evaluator.backend() {
                Backend::Gpu(gpu) => Some(gpu.adapter().into()),
                Backend::Scalar | Backend::Simd(_) => None,
            },
            plan,
        };
        Ok((Run::begin(directory, &manifest)?, evaluator))
    }

    fn go_on(&self, path: &Path, choice: BackendChoice) -> Result<(Run, Evaluator), CliError> {
        let run = Run::resume(Directory::open(path)?)?;
        let is_other_method = self.preset.is_some() && !matches!(run.plan().method, Start::Paper { .. });
        if is_other_method || self.plan(run.plan().clone())? != *run.plan() {
            let why = "the run was made with other options; --resume needs none of them, it takes them from here";
            return Err(run.directory().refuse(MANIFEST, why).into());
        }
        let evaluator = self.run.open(choice)?;
        Ok((run, evaluator))
    }
}

/// The report's file.
const REPORT: &str = "report.html";

/// Games of MSSystem that are under way together: it asks for many playouts at once, the lighter one for fewer. More do
/// not fill lanes better.
const GAMES_OF_MSS: usize = 16;

/// How many games of a judge are under way together.
pub fn together(evaluator: &Evaluator, judge: &Choice) -> usize {
    let usual = at_a_time(evaluator, std::slice::from_ref(judge));
    if matches!(judge, Choice::Mss(_)) { usual.max(GAMES_OF_MSS) } else { usual }
}

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    run: Run,
    evaluator: Evaluator,
}

impl Session<'_> {
    fn evolve(mut self) -> CliResult {
        let Self { args, run, evaluator } = &mut self;
        let plan = run.plan().clone();
        let judges = plan.judges(evaluator, |player| together(evaluator, player));
        let note = |text: String| {
            if !args.run.quiet {
                say(&text);
            }
        };
        note(format!("run directory: {}", run.directory().path("").display()));
        if plan.judge.is_timed() || plan.second_judge.as_ref().is_some_and(Choice::is_timed) {
            note("note: a player's time is limited, so the run cannot be repeated".into());
        }
        let deadline = args.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
        generations(args, run, &judges.first, deadline)?;
        if !run.has_all_generations() {
            let last = run.history().last().map_or(0, |line| line.generation);
            note(format!(
                "note: the time is up after generation {last} of {}; on another machine that may be another one",
                plan.generations
            ));
        }
        let parts = 1 + u64::from(plan.second_judge.is_some());
        let progress = args.run.progress(parts * plan.final_games * plan.maps as u64, "final games", None);
        let finished = run.finish(&judges, &progress);
        progress.bar.finish_and_clear();
        finished.map_err(|error| explain(error, run))?;
        write_report(run)?;
        let mut out = io::stdout().lock();
        out.write_all(results(run).written(args.format).as_bytes())?;
        Ok(())
    }
}

/// The report of what there is so far.
fn write_report(run: &Run) -> Result<(), DirectoryError> {
    let page = evolution(run.plan(), run.history(), run.delivered());
    run.directory().write(REPORT, page.as_bytes())
}

/// Makes generations until there are enough or the time is up.
fn generations(args: &Args, run: &mut Run, judge: &Judge<'_>, deadline: Option<Instant>) -> CliResult {
    let watcher = Watcher::new(args, run);
    watcher.news(run.history());
    while !run.has_all_generations() {
        let result = run.advance(judge, &watcher);
        if let Err(error) = result {
            watcher.bar.finish_and_clear();
            return Err(explain(error, run));
        }
        write_report(run)?;
        watcher.news(run.history());
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    watcher.bar.finish_and_clear();
    Ok(())
}

/// What happened, and how to go on if it was Ctrl-C.
fn explain(error: RunError, run: &Run) -> CliError {
    match error {
        RunError::Directory(error) => error.into(),
        RunError::Evolve(EvolveError::Generate(error)) => CliError::Failed(format!("there are no such maps: {error}")),
        RunError::Evolve(EvolveError::Evaluate(EvaluateError::Stopped)) => {
            let done = match run.history().last() {
                None => "before the first generation was finished".into(),
                Some(line) => format!("after generation {} of {}", line.generation, run.plan().generations),
            };
            let directory = run.directory().path("");
            CliError::Failed(format!(
                "stopped on request {done}; `fairground evolve --resume {}` goes on",
                directory.display()
            ))
        }
        RunError::Evolve(EvolveError::Evaluate(error)) => error.into(),
    }
}

/// Draws the progress of the generations and passes Ctrl-C on.
struct Watcher {
    bar: ProgressBar,
    began: Instant,
    /// Games since then.
    games: AtomicU64,
    /// Generations that were finished before.
    before: u64,
    /// What is known of the last generation.
    last: Mutex<(String, Option<Instant>)>,
}

impl Watcher {
    fn new(args: &Args, run: &Run) -> Self {
        let is_visible = !args.run.quiet && is_watched();
        let bar = if is_visible { ProgressBar::new(run.plan().generations + 1) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} generations{msg}");
        Self {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            began: Instant::now(),
            games: AtomicU64::new(0),
            before: run.history().len() as u64,
            last: Mutex::new((String::new(), None)),
        }
    }

    /// There is another generation.
    fn news(&self, history: &[Line]) {
        let Some(Line { fitness, .. }) = history.last() else { return };
        let text = format!(", fitness best {:.3} median {:.3}", fitness.largest, fitness.median);
        let is_new = history.len() as u64 > self.before;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (text, is_new.then(Instant::now));
        self.bar.set_position(history.len() as u64);
        self.draw();
    }

    fn draw(&self) {
        let (text, last) = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let rate = self.games.load(Ordering::Relaxed) as f64 / self.began.elapsed().as_secs_f64();
        // Known once this process has finished a generation.
        let left = last.map(|last| {
            let (made, all) = (self.bar.position() - self.before, self.bar.length().unwrap_or(0));
            let each = (last - self.began).as_secs_f64() / made.max(1) as f64;
            let left = each * all.saturating_sub(self.bar.position()) as f64 - last.elapsed().as_secs_f64();
            format!(", {} left", HumanDuration(Duration::from_secs_f64(left.max(0.0))))
        });
        self.bar.set_message(format!("{text}, {rate:.1} games/s{}", left.unwrap_or_default()));
    }
}

impl Watch for Watcher {
    fn finished(&self, count: u64) {
        self.games.fetch_add(count, Ordering::Relaxed);
        if !self.bar.is_hidden() {
            self.draw();
        }
    }

    fn stop(&self) -> bool {
        is_stopped()
    }
}

/// The delivered maps.
fn results(run: &Run) -> Document {
    let plan = run.plan();
    let delivered = run.delivered().unwrap_or_default();
    let mut document = Document::default();
    let mut rows = Vec::new();
    for (place, (file, Finalist { standing, second, .. })) in run.files().enumerate() {
        let Score { wins: [red, blue], draws, fitness, interval: [low, high] } = Score::of(standing);
        let games = standing.games();
        let nearest = nearest(place, delivered);
        let percent = |count| {
            let interval = stats::wilson(count, games);
            let [rate, low, high] = [stats::rate(count, games), interval.low, interval.high].map(|share| 100.0 * share);
            format!("{rate:.2} [{low:.2},{high:.2}]")
        };
        let path = run.directory().path(&file).display().to_string();
        let mut row = vec![
            path.clone(),
            grouped(games),
            format!("{fitness:.3} [{low:.3},{high:.3}]"),
            percent(red),
            percent(blue),
            percent(draws),
        ];
        let by_second = plan.second_judge.as_ref().map(|_| Score::of(second));
        if let Some(Score { fitness, interval: [low, high], .. }) = by_second {
            row.push(format!("{fitness:.3} [{low:.3},{high:.3}]"));
        }
        row.push(nearest.map_or_else(|| "-".into(), |share| format!("{share:.2}")));
        rows.push(row);
        document.records.push(vec![
            ("map", path.into()),
            ("judge", plan.judge.to_string().into()),
            ("seed", plan.seed.into()),
            ("rules_version", rules_version().into()),
            ("games", games.into()),
            ("red_wins", red.into()),
            ("blue_wins", blue.into()),
            ("draws", draws.into()),
            ("fitness", fitness.into()),
            ("fitness_low", low.into()),
            ("fitness_high", high.into()),
            ("second_judge", plan.second_judge.as_ref().map(Choice::to_string).into()),
            ("second_red_wins", by_second.map(|score| score.wins[0]).into()),
            ("second_blue_wins", by_second.map(|score| score.wins[1]).into()),
            ("second_draws", by_second.map(|score| score.draws).into()),
            ("second_fitness", by_second.map(|score| score.fitness).into()),
            ("second_fitness_low", by_second.map(|score| score.interval[0]).into()),
            ("second_fitness_high", by_second.map(|score| score.interval[1]).into()),
            ("difference", nearest.into()),
        ]);
    }
    let second = plan.second_judge.as_ref().map(|player| format!("by {player}"));
    let mut heads = vec!["map", "games", "fitness", "red wins %", "blue wins %", "draw %"];
    heads.extend(second.as_deref());
    heads.push("difference");
    document.parts.push(Part::table(&heads, rows));
    if let Some(line) = run.history().last() {
        let (games, judge, seed) = (grouped(line.games), &plan.judge, plan.seed);
        let text = format!("Generation {} after {games} games of {judge}, seed {seed}.", line.generation);
        let report = run.directory().path(REPORT);
        document.parts.push(Part::Lines(vec![text, format!("The report is {}.", report.display())]));
    }
    document
}
