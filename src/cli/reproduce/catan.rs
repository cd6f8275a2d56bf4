//! `fairground reproduce 000`: balanced maps of Catan by robot games and learning.

mod answer;
mod tables;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use fairground::batch::{EvaluateError, Evaluator, Watch};
use fairground::certify;
use fairground::find;
use fairground::games::catan::{Map, Policy, Strategy, TURN_CAP, builtin};
use fairground::learn::course::{CourseError, Settings};
use fairground::learn::features::Readings;
use fairground::learn::method::Method;
use fairground::learn::unlabelled::Unlabelled;
use fairground::papers::catan::census::{self, Census, Rankings, random_maps, rankings};
use fairground::papers::catan::transfer::{self, TransferError};
use fairground::papers::catan::trial::{self, Chooser, Repetition};
use fairground::papers::catan::{CHOSEN, CONFIRMED, GAMES, SEEDS};
use fairground_kernels::rng::absorb;

use super::document::{Document, Part};
use crate::cli::catan::parse_points;
use crate::cli::output::{Format, grouped};
use crate::cli::run::{Progress, RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, cannot_write, say};

/// Hwang and Kaneko: Generating balanced maps of Settlers of Catan with PNU learning
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Who wins from which seat (Table 1), how the seats' win rates vary over random maps at 2,000 and at 200,000\n\
    games a map (Figure 1), the built-in maps beside the paper's (Table 4), and the loop of section 5.1.2 repeated,\n\
    with the paper's classifier, with a signed ridge regression in its place and with random choice, judged by\n\
    games so many that chance does not count. Then maps that are certified under one kind of player are played by the others. The\n\
    answer to what the paper left open comes last. Our players are not JSettlers, which the paper plays with.\n\n\
    The quick budget takes minutes on two cores and says what it leaves out. The same seed gives the same\n\
    numbers on every backend and with any number of threads. Ctrl-C reports what is finished; a second Ctrl-C stops\n\
    at once.\n\n\
    Examples:\n  \
    fairground reproduce 000\n  \
    fairground reproduce 000 --repeats 20 --certified 0 --out loop.md\n  \
    fairground reproduce 000 --budget full"
)]
pub struct Args {
    /// How much is played
    #[arg(long, default_value = "quick")]
    budget: Budget,

    /// Random maps that are played 2,000 times [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(12..=100_000))]
    maps: Option<u64>,

    /// Those of them that are played longer [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100_000))]
    long: Option<u64>,

    /// Games of a map that is played longer [default: 200,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1 << 40))]
    games: Option<u64>,

    /// How often the loop is run [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=10_000))]
    repeats: Option<u64>,

    /// Random maps that are scored in each step of a loop [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    scored: Option<u64>,

    /// Games by which a map that a loop chose is judged [default: 100,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1 << 40))]
    truth: Option<u64>,

    /// Maps to certify under each of two kinds of players and to play with the others [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100))]
    certified: Option<u64>,

    /// Certify them to have a true spread below so many percentage points [default: the spread of the paper's best map]
    #[arg(long, value_name = "POINTS", default_value_t = 0.28, hide_default_value = true, value_parser = parse_points)]
    sigma: f64,

    /// Seed of maps and games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    run: RunArgs,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    /// Write the report to this Markdown file too, and its pictures beside it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Budget {
    /// Minutes
    Quick,
    /// More maps, repetitions and scored maps: hours
    Full,
}

/// How much is played.
#[derive(Clone, Copy, Debug)]
struct Size {
    maps: usize,
    long: usize,
    games: u64,
    repeats: u64,
    scored: u64,
    truth: u64,
    certified: usize,
}

impl Budget {
    const fn size(self) -> Size {
        let (games, truth) = (200_000, 100_000);
        match self {
            Self::Quick => Size { maps: 400, long: 16, games, repeats: 5, scored: 100_000, truth, certified: 10 },
            Self::Full => Size { maps: 2000, long: 100, games, repeats: 40, scored: 1_000_000, truth, certified: 20 },
        }
    }
}

/// Games after which a map of players at random is given up, at a bound of 0.28 points; they go with the square of its inverse.
const MOST_GAMES: f64 = 1_000_000.0;

/// Keeps the seeds of loops apart.
const LOOPS: u64 = 0x6c6f_6f70_732e_3030;

/// Players of one kind in all seats.
const fn all(strategy: Strategy) -> Policy {
    Policy { seats: [strategy; 4], turn_cap: TURN_CAP }
}

/// Kinds of players, those that are quickest first.
const KINDS: [Strategy; 3] = [Strategy::Heuristic, Strategy::Random, Strategy::RandomS];

pub fn run(args: &Args) -> CliResult {
    if let Some(path) = &args.out {
        // Before minutes of playing, not after. An older report stays until the new one is there.
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    }
    let evaluator = args.run.open(args.run.choice()?)?;
    let document = Session { args, evaluator, size: args.size() }.report()?;
    if let Some(path) = &args.out {
        for picture in document.pictures() {
            let path = path.with_file_name(&picture.file);
            fs::write(&path, &picture.svg).map_err(|error| cannot_write(&path, &error))?;
        }
        fs::write(path, document.markdown()).map_err(|error| cannot_write(path, &error))?;
        say(&format!("wrote {}", path.display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
}

impl Args {
    /// How the names of pictures begin: like that of the report.
    fn stem(&self) -> String {
        let stem = self.out.as_ref().and_then(|path| path.file_stem());
        stem.map_or_else(String::new, |stem| format!("{}-", stem.to_string_lossy()))
    }

    fn size(&self) -> Size {
        let usual = self.budget.size();
        let number = |asked: Option<u64>, usual: usize| asked.map_or(usual, |asked| asked as usize);
        let maps = number(self.maps, usual.maps);
        Size {
            maps,
            long: number(self.long, usual.long).min(maps),
            games: self.games.unwrap_or(usual.games),
            repeats: self.repeats.unwrap_or(usual.repeats),
            scored: self.scored.unwrap_or(usual.scored),
            truth: self.truth.unwrap_or(usual.truth),
            certified: number(self.certified, usual.certified),
        }
    }
}

/// Random maps under one kind of player.
struct OfKind {
    kind: Strategy,
    /// At the paper's number of games.
    short: Census,
    /// Some of them at many more.
    long: Option<Census>,
    rankings: Option<Rankings>,
}

/// Maps that were certified under one kind of player, as others play them.
struct Certified {
    under: Strategy,
    maps: usize,
    played: Vec<(Strategy, Census)>,
}

/// Everything that was found, as far as it got.
#[derive(Default)]
struct Findings {
    kinds: Vec<OfKind>,
    built_in: Vec<(Strategy, Census)>,
    repetitions: Vec<Repetition>,
    certified: Vec<Certified>,
}

struct Session<'a> {
    args: &'a Args,
    evaluator: Evaluator,
    size: Size,
}

/// Whether nothing came of it because somebody stopped it.
fn unless_stopped<T>(result: Result<T, EvaluateError>) -> Result<Option<T>, CliError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(EvaluateError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The same for a loop, which may also fail to learn.
fn learned<T>(result: Result<T, CourseError>) -> Result<Option<T>, CliError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(CourseError::Evaluate(error)) => unless_stopped(Err(error)),
        Err(error) => Err(CliError::Failed(format!("nothing can be learned: {error}"))),
    }
}

fn transferred<T>(result: Result<T, TransferError>) -> Result<Option<T>, CliError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(TransferError::Evaluate(error) | TransferError::Find(find::FindError::Evaluate(error))) => {
            unless_stopped(Err(error))
        }
        Err(error) => Err(CliError::Failed(format!("no maps can be certified: {error}"))),
    }
}

/// Counts games that nobody knew of beforehand.
struct More<'a>(&'a Progress);

impl Watch for More<'_> {
    fn finished(&self, count: u64) {
        self.0.bar.inc_length(count);
        self.0.finished(count);
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

impl Session<'_> {
    fn settings(&self, kind: Strategy, seed: u64) -> Settings {
        let maps = self.size.scored;
        Settings { policy: all(kind), games: GAMES, maps, chosen: CHOSEN, method: Method::default(), seed }
    }

    /// Games that are known beforehand; those of certification are not.
    fn known_games(&self) -> u64 {
        let Size { maps, long, games, repeats, truth, .. } = self.size;
        let census = KINDS.len() as u64 * GAMES * maps as u64 + 2 * games * long as u64;
        let built_in = 2 * games * builtin::maps().len() as u64;
        let (choosers, steps) = (Chooser::ALL.len() as u64, CONFIRMED.len() as u64);
        let of_loop = choosers * (steps * 2 * CHOSEN as u64 * (truth + GAMES) + SEEDS as u64 * GAMES);
        census + built_in + repeats.saturating_mul(of_loop)
    }

    fn report(&self) -> Result<Document, CliError> {
        let progress = self.args.run.progress(self.known_games(), "games", None);
        let mut findings = Findings::default();
        let is_whole = self.find(&mut findings, &progress)?.is_some();
        progress.bar.finish_and_clear();
        let mut document = Document::default();
        self.add_conditions(&mut document);
        self.add_seats(&mut document, &findings);
        self.add_histograms(&mut document, &findings);
        self.add_maps(&mut document, &findings);
        self.add_loops(&mut document, &findings);
        self.add_certified(&mut document, &findings);
        self.add_answer(&mut document, &findings);
        if !is_whole && is_stopped() {
            let note = "stopped on request: what is finished is reported, and the rest is missing".to_owned();
            say(&note);
            document.parts.insert(0, Part::Lines(vec![note]));
        }
        Ok(document)
    }

    /// Plays everything; `None` if it was stopped on the way.
    fn find(&self, findings: &mut Findings, progress: &Progress) -> Result<Option<()>, CliError> {
        let (seed, evaluator) = (self.args.seed, &self.evaluator);
        let Size { maps, long, games, repeats, truth, .. } = self.size;
        let unlabelled = Unlabelled::draw(seed, self.size.scored, Readings::default(), evaluator);
        let unlabelled = unlabelled.map_err(|error| CliError::Failed(error.to_string()))?;
        let drawn = random_maps(seed, maps);
        let play = |maps: &[Map], kind: Strategy, games: u64| {
            unless_stopped(census::play(maps.to_vec(), all(kind), games, seed, evaluator, progress))
        };
        for kind in KINDS {
            let Some(short) = play(&drawn, kind, GAMES)? else { return Ok(None) };
            // The slowest players have nothing to show that the others do not.
            let is_long = kind != Strategy::RandomS;
            let long = if is_long { play(&drawn[..long], kind, games)? } else { None };
            let rankings = learned(rankings(&short, &self.settings(kind, seed), &unlabelled, evaluator))?;
            findings.kinds.push(OfKind { kind, short, long, rankings });
        }
        for kind in [Strategy::Heuristic, Strategy::Random] {
            let Some(census) = play(&builtin::maps(), kind, games)? else { return Ok(None) };
            findings.built_in.push((kind, census));
        }
        for repeat in 0..repeats {
            // Neighbouring seeds shall not share loops: without the constant they would.
            let settings = self.settings(Strategy::Heuristic, absorb(absorb(seed, LOOPS), repeat));
            let repetition = learned(trial::run(&settings, truth, &unlabelled, evaluator, progress))?;
            let Some(repetition) = repetition else { return Ok(None) };
            findings.repetitions.push(repetition);
        }
        if self.size.certified > 0 {
            return self.certify(findings, &drawn, &More(progress));
        }
        Ok(Some(()))
    }

    /// Certifies maps under two kinds of players and lets all kinds play them.
    fn certify(&self, findings: &mut Findings, drawn: &[Map], more: &More<'_>) -> Result<Option<()>, CliError> {
        let (seed, evaluator) = (self.args.seed, &self.evaluator);
        let Size { certified, games, .. } = self.size;
        let mut plan = find::Plan {
            players: all(Strategy::Heuristic).seats.map(|strategy| strategy.name().to_owned()),
            turn_cap: TURN_CAP,
            maps: 2000 * certified as u64,
            games: 0,
            count: certified,
            sigma_points: self.args.sigma,
            level: 0.05,
            seed,
        };
        plan.games = plan.usual_games();
        let found = transferred(transfer::found(&plan, evaluator, more))?;
        let random = &drawn[..certified.min(drawn.len())];
        let at_random = all(Strategy::Random);
        let (sigma, most_games) = (self.args.sigma, MOST_GAMES * (0.28 / self.args.sigma).powi(2));
        // Two looks at least, however wide the bound.
        let most_games = (most_games as u64).clamp(2 * certify::LOOK, certify::MAX_GAMES);
        let chosen = transfer::certified(random, at_random, sigma, most_games, seed, evaluator, more);
        for (under, maps) in [(Strategy::Heuristic, found), (Strategy::Random, transferred(chosen)?)] {
            let Some(maps) = maps else { return Ok(None) };
            let mut of = Certified { under, maps: maps.len(), played: Vec::new() };
            for kind in KINDS {
                let census = transfer::under(&maps, all(kind), games, seed, evaluator, more);
                let Some(census) = unless_stopped(census)? else { return Ok(None) };
                of.played.push((kind, census));
            }
            findings.certified.push(of);
        }
        Ok(Some(()))
    }

    /// What is played, and how that differs from the paper.
    fn add_conditions(&self, document: &mut Document) {
        let Size { maps, long, games, repeats, scored, truth, certified } = self.size;
        let mut lines = vec![
            format!(
                "Random maps: tiles, numbers and ports anywhere, as the paper counts them; {} of them with {} games each and {} with {}; \
                 seed {}. The paper's players are JSettlers; ours are heuristic, random and random-s.",
                grouped(maps as u64),
                grouped(GAMES),
                grouped(long as u64),
                grouped(games),
                self.args.seed
            ),
            format!(
                "The loop is run {repeats} times with heuristic players, {} games a map, {} random maps scored in each step, and judged by {} \
                 games a map. It begins with our six built-in maps and nine random ones: the paper's are not published.",
                grouped(GAMES),
                grouped(scored),
                grouped(truth)
            ),
        ];
        if self.args.budget == Budget::Quick {
            let full = Budget::Full.size();
            lines.push(format!(
                "Reduced to be quick: --budget full has {} random maps, {} of them long, {} loops, {} scored maps in each step and {} certified \
                 maps instead of {certified}.",
                grouped(full.maps as u64),
                full.long,
                full.repeats,
                grouped(full.scored),
                full.certified
            ));
        }
        document.parts.push(Part::Heading("What is played".into()));
        document.parts.push(Part::Lines(lines));
    }
}
