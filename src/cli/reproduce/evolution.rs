//! `fairground reproduce 003`: evolving equitable maps of TUBSTAP, which fails.

mod claims;
mod tables;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use fairground::batch::{EvaluateError, Evaluator, Watch};
use fairground::evolve::EvolveError;
use fairground::evolve::judge::Judge;
use fairground::evolve::paper::Paper;
use fairground::evolve::plan::{Plan, Start};
use fairground::games::tubstap::Map;
use fairground::games::tubstap::generate::Recipe;
use fairground::papers::evolution::generation::{self, Generation};
use fairground::papers::evolution::trial::Trial;
use fairground::papers::evolution::why::{Change, Changes, Worth, luck};
use fairground::papers::evolution::{GAMES, MAPS, Player, SETTINGS, Setting};
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::muct::Settings;
use fairground::players::tubstap::reference::muct::Options;

use super::document::{Document, Part};
use crate::cli::evolve::together;
use crate::cli::output::{Format, grouped};
use crate::cli::run::{Progress, RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, cannot_write, say};

/// Yoshikawa and Takeuchi: Automated equitable map generation for turn-based strategy games via genetic algorithms
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The paper's genetic algorithm in its three settings, as often as the paper ran it, and our own method\n\
    once in each. Then why it fails: what maps without any fitness have in common, whether fitness is luck,\n\
    whether it is inherited, and what one mutation or crossover does to good maps. Then how long a generation\n\
    takes, and what racing for an elite of 5 would save.\n\n\
    The quick budget plays fewer maps, games and generations than the paper, and says so. It takes\n\
    twelve minutes on two cores, and the paper's by our estimate five hours. The same seed gives the same\n\
    numbers on every backend and with any number of threads, but for the seconds.\n\n\
    Ctrl-C reports the generations that are finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground reproduce 003\n  \
    fairground reproduce 003 --generations 20 --sims 500 --out evolution.md\n  \
    fairground reproduce 003 --judge muct:20 --format csv > quick.csv\n  \
    fairground reproduce 003 --budget paper"
)]
pub struct Args {
    /// How much is played
    #[arg(long, default_value = "quick")]
    budget: Budget,

    /// Maps of a generation of the paper's method [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    maps: Option<u64>,

    /// Games of a map of the paper's method [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: Option<u64>,

    /// Generations after the first, of both methods [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    generations: Option<u64>,

    /// Simulations of M-UCT for each unit action; the paper does not say [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sims: Option<u32>,

    /// Who plays in place of MSSystem; see match --help
    #[arg(long, value_name = "PLAYER", default_value = "mss")]
    judge: Choice,

    /// Seed of the first run; the next ones have the next
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Budget {
    /// Few maps, games and generations: minutes
    Quick,
    /// 100 maps of 100 games, 20 or 30 generations: hours
    Paper,
}

/// How much is played with a player.
#[derive(Clone, Copy, Debug)]
struct Size {
    maps: usize,
    games: u64,
    /// Generations after the first; as many as in the paper without.
    generations: Option<u64>,
    /// Children of each good map after each change.
    children: u64,
    /// Maps with positive fitness that play again.
    lucky: usize,
    /// Games of each map of the generation that is timed, and in a round of its races.
    timed: [u64; 2],
    /// Fresh games of the elites.
    fresh: u64,
}

/// Good maps that are changed.
const GOOD_MAPS: usize = 3;

impl Budget {
    const fn size(self, player: Player) -> Size {
        match (self, player) {
            (Self::Quick, Player::Mss) => Size {
                maps: 30,
                games: 20,
                generations: Some(10),
                children: 20,
                lucky: 60,
                timed: [GAMES, 5],
                fresh: 200,
            },
            (Self::Quick, Player::Muct) => Size {
                maps: 40,
                games: 20,
                generations: Some(10),
                children: 40,
                lucky: 60,
                timed: [GAMES, 5],
                fresh: 400,
            },
            (Self::Paper, _) => Size {
                maps: MAPS,
                games: GAMES,
                generations: None,
                children: 100,
                lucky: 100,
                timed: [GAMES, 5],
                fresh: 400,
            },
        }
    }

    const fn simulations(self) -> u32 {
        match self {
            Self::Quick => 100,
            // What the original stops at.
            Self::Paper => 2000,
        }
    }

    /// Our own method, with fewer founders and lines if so few maps are wanted.
    fn ours(self, most: usize) -> Plan {
        match self {
            Self::Quick => {
                let founders = most.saturating_mul(5).min(200);
                Plan { method: Start::Lines { founders, lines: most.min(4) }, generations: 20, ..Plan::lines() }
            }
            Self::Paper => Plan::lines(),
        }
    }
}

pub fn run(args: &Args) -> CliResult {
    if args.judge.is_timed() {
        return Err(CliError::Usage(
            "--judge needs a player whose time is not limited, so that runs can be repeated".into(),
        ));
    }
    if let Some(path) = &args.out {
        // Before minutes of playing, not after. An older report stays until the new one is there.
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    }
    let evaluator = args.run.open(args.run.choice()?)?;
    let document = Session { args, evaluator }.report()?;
    if let Some(path) = &args.out {
        fs::write(path, document.markdown()).map_err(|error| cannot_write(path, &error))?;
        say(&format!("wrote {}", path.display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
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

/// What came of it, or nothing if it was stopped.
fn unless_stopped<T>(result: Result<T, EvolveError>) -> Result<Option<T>, CliError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(EvolveError::Evaluate(EvaluateError::Stopped)) => Ok(None),
        Err(EvolveError::Evaluate(error)) => Err(error.into()),
        Err(EvolveError::Generate(error)) => Err(CliError::Failed(format!("there are no such maps: {error}"))),
    }
}

struct Session<'a> {
    args: &'a Args,
    evaluator: Evaluator,
}

/// Everything of a setting.
#[derive(Default)]
struct Findings {
    /// Runs of the paper's method.
    trials: Vec<Trial>,
    /// A run of ours.
    ours: Option<Trial>,
    /// Maps with positive fitness before and in fresh games.
    luck: Option<[Worth; 2]>,
    /// Good maps after each of [`Change::ALL`].
    changes: Vec<Worth>,
}

impl Findings {
    fn trials(&self) -> Vec<&Trial> {
        self.trials.iter().collect()
    }

    /// The best maps of the last generation of our method.
    fn good_maps(&self) -> Vec<Map> {
        let last = self.ours.iter().filter_map(|trial| trial.states.last());
        let mut all: Vec<_> = last.flat_map(|state| &state.individuals).collect();
        all.retain(|individual| individual.known().fitness() > 0.0);
        all.sort_by(|one, other| other.known().fitness().total_cmp(&one.known().fitness()));
        all.into_iter().take(GOOD_MAPS).map(|individual| individual.map.clone()).collect()
    }
}

impl Session<'_> {
    fn player(&self, player: Player) -> Choice {
        match player {
            Player::Mss => self.args.judge.clone(),
            Player::Muct => {
                let simulations = self.args.sims.unwrap_or(self.args.budget.simulations());
                let search = Options { simulations, ..Options::default() };
                Choice::Muct(Settings { search, ..Settings::default() })
            }
        }
    }

    fn judge(&self, player: Player, seed: u64) -> Judge<'_> {
        let judge = self.player(player);
        let at_a_time = together(&self.evaluator, &judge);
        Plan { judge, seed, ..Plan::paper() }.judges(&self.evaluator, |_| at_a_time).first
    }

    fn size(&self, player: Player) -> Size {
        let usual = self.args.budget.size(player);
        let Args { maps, games, generations, .. } = *self.args;
        let most = maps.unwrap_or(u64::MAX);
        Size {
            maps: maps.map_or(usual.maps, |maps| maps as usize),
            games: games.unwrap_or(usual.games),
            generations: generations.or(usual.generations),
            // Whoever wants less of the runs wants less of the rest too.
            children: usual.children.min(most),
            lucky: usual.lucky.min(usize::try_from(most).unwrap_or(usize::MAX)),
            timed: usual.timed.map(|number| games.map_or(number, |most| number.min(most))),
            fresh: games.map_or(usual.fresh, |most| usual.fresh.min(most.saturating_mul(4))),
        }
    }

    fn recipe(setting: &Setting) -> Recipe {
        Recipe { aircraft: setting.has_aircraft, ..Recipe::default() }
    }

    fn paper(&self, setting: &Setting, run: u64) -> Paper {
        let Size { maps, games, generations, .. } = self.size(setting.player);
        Paper {
            recipe: Self::recipe(setting),
            population: maps,
            generations: generations.unwrap_or(setting.generations),
            games,
            seed: self.args.seed.wrapping_add(run),
            ..Paper::default()
        }
    }

    fn ours(&self, setting: &Setting) -> Plan {
        let usual = self.args.budget.ours(self.size(setting.player).maps);
        let generations = self.args.generations.unwrap_or(usual.generations);
        Plan { recipe: Self::recipe(setting), generations, seed: self.args.seed, ..usual }
    }

    /// The generation that is timed.
    fn timed(&self, player: Player) -> generation::Plan {
        let [games, round] = self.size(player).timed;
        let maps = self.args.maps.map_or(MAPS, |maps| maps as usize);
        generation::Plan { recipe: Recipe::default(), maps, games, round }
    }

    /// Games of the paper's method, and of the generations that are timed.
    fn known_games(&self) -> u64 {
        let of_setting = |setting: &Setting| {
            let Paper { population, generations, games, .. } = self.paper(setting, 0);
            setting.runs * (population as u64).saturating_mul(games).saturating_mul(generations + 1)
        };
        let timed = [Player::Mss, Player::Muct].map(|player| self.timed(player).games());
        SETTINGS.iter().map(of_setting).chain(timed).fold(0, u64::saturating_add)
    }

    fn report(&self) -> Result<Document, CliError> {
        let progress = self.args.run.progress(self.known_games(), "games", None);
        let mut findings = Vec::new();
        for setting in &SETTINGS {
            findings.push(self.find(setting, &progress)?);
        }
        let mut generations = Vec::new();
        for player in [Player::Mss, Player::Muct] {
            let played = self.timed(player).play(&self.judge(player, self.args.seed), &progress);
            if let Some(generation) = unless_stopped(played)? {
                generations.push((player, generation));
            }
        }
        let mut document = Document::default();
        self.add_conditions(&mut document);
        self.add_curves(&mut document, &findings);
        self.add_why(&mut document, &findings);
        self.add_generations(&mut document, &generations, &findings, &More(&progress))?;
        self.add_claims(&mut document, &findings);
        progress.bar.finish_and_clear();
        if is_stopped() {
            let made: usize = findings.iter().flat_map(|of| &of.trials).map(|trial| trial.states.len()).sum();
            let all: u64 = SETTINGS.iter().map(|own| own.runs * (self.paper(own, 0).generations + 1)).sum();
            let note = format!(
                "stopped on request: {made} of {} generations of the paper's method are finished and reported; what follows on \
                 them is missing",
                grouped(all)
            );
            say(&note);
            document.parts.insert(0, Part::Lines(vec![note]));
        }
        Ok(document)
    }

    /// All runs of a setting and what is asked of them.
    fn find(&self, setting: &Setting, progress: &Progress) -> Result<Findings, CliError> {
        let mut findings = Findings::default();
        let size = self.size(setting.player);
        for run in 0..setting.runs {
            let paper = self.paper(setting, run);
            let judge = self.judge(setting.player, paper.seed);
            let trial = Trial::run(&paper, Some(paper.clone()), &judge, progress);
            findings.trials.extend(unless_stopped(trial)?);
        }
        let (judge, more) = (self.judge(setting.player, self.args.seed), More(progress));
        let ours = self.ours(setting).method();
        findings.ours = unless_stopped(Trial::run(&*ours, None, &judge, &more))?;
        let again = luck(&findings.trials(), size.lucky, size.games, &judge, &more);
        findings.luck = unless_stopped(again.map_err(EvolveError::from))?;
        let changes = Changes { recipe: Self::recipe(setting), children: size.children, games: size.games };
        let good_maps = findings.good_maps();
        for change in Change::ALL {
            findings.changes.extend(unless_stopped(changes.measure(change, &good_maps, &judge, &more))?);
        }
        Ok(findings)
    }

    /// What is played, and how that differs from the paper.
    fn add_conditions(&self, document: &mut Document) {
        let mut lines = vec![format!(
            "Maps of 6x6 cells with 4 units a side; tournaments of 5, one-point crossover, mutation of 5 % of all genes, no elite, as \
             in the paper; seeds from {}. Fitness is 1 - (|p1 - p2| + draw).",
            self.args.seed
        )];
        lines.extend(SETTINGS.iter().map(|setting| {
            let Paper { population, generations, games, .. } = self.paper(setting, 0);
            let is_less = population < MAPS || games < GAMES || generations < setting.generations;
            format!(
                "{}: {} runs of {population} maps, {games} games of {} each, {generations} generations after the first{}.",
                setting.name,
                setting.runs,
                self.player(setting.player),
                if is_less {
                    format!(" (fewer than the paper's {MAPS} maps, {GAMES} games and {} generations)", setting.generations)
                } else {
                    String::new()
                },
            )
        }));
        lines.push("The paper does not say how many simulations its M-UCT makes; --sims changes ours.".into());
        if self.args.budget == Budget::Quick {
            lines.push(format!(
                "Our own method is that of `fairground evolve`, {}, and at most {} generations after the first.",
                match self.ours(&SETTINGS[0]).method {
                    Start::Lines { founders, lines } => format!("with {founders} founders and {lines} lines"),
                    Start::Paper { population } => format!("with {population} maps"),
                },
                self.ours(&SETTINGS[0]).generations
            ));
        }
        document.parts.push(Part::Lines(lines));
    }
}

/// Generations that were timed.
type Timed = [(Player, Generation)];
