//! `fairground reproduce 001`: attack pruning in the tree search of TUBSTAP.

mod depth;
mod figures;
mod maps;
mod matches;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use fairground::batch::Evaluator;
use fairground::papers::tubstap::depth::{Plan as Searches, SEARCHES, SIMULATIONS};
use fairground::papers::tubstap::matches::{Plan as Games, PlayError, Reading};
use fairground::papers::tubstap::{Children, MAPS, claims};
use fairground::players::tubstap::reference::muct::Options;

pub use figures::percent;

use super::document::{Document, Part};
use crate::cli::output::{Format, grouped};
use crate::cli::run::{RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, cannot_write, say};

/// A paper on pruning attacks in M-UCT, the tree search of TUBSTAP
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Tables 1 and 2 of the paper are games of a pruned player against M-UCT; we add M-UCT against\n\
    itself. Tables 3 and 4 are the shapes of trees on map 1, with and without pruning, for several\n\
    sizes of groups of rollouts that share their random numbers. The same seed gives the same\n\
    numbers on every backend and with any number of threads.\n\n\
    The paper played on maps that come with the TUBSTAP program: map01, map05, map03 and\n\
    map04.tbsmap of its map folder. Without --maps built-in maps take their place, and nothing is\n\
    compared with the paper.\n\n\
    Ctrl-C reports the searches and games that are finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground reproduce 001\n  \
    fairground reproduce 001 --maps TUBSTAP/map --out pruning.md\n  \
    fairground reproduce 001 --maps TUBSTAP/map --budget paper --format csv > pruning.csv\n  \
    fairground reproduce 001 --maps TUBSTAP/map --searches 0 --sims 2000 --seed-group 10"
)]
pub struct Args {
    /// How much is played
    #[arg(long, default_value = "quick")]
    budget: Budget,

    /// The map folder of the original program, with map01, map03, map04 and map05.tbsmap
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,

    /// Games of each row of tables 1 and 2; 0 leaves these tables out [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=MOST_GAMES))]
    games: Option<u64>,

    /// Simulations for each unit action in these games [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sims: Option<u32>,

    /// Rollouts in a row that share their random numbers in these games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    seed_group: u32,

    /// Searches for each column of tables 3 and 4; 0 leaves these tables out [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100_000))]
    searches: Option<u64>,

    /// Pruned units drop attacks worth less than this, or `none`, before the best are kept; the paper does not say
    #[arg(long, value_name = "VALUE", default_value = "-20", value_parser = parse_threshold, allow_hyphen_values = true)]
    threshold: Threshold,

    /// Prune a player's own units only, not those of the enemy in its tree
    #[arg(long)]
    own_side_only: bool,

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

/// All games are kept in a list.
const MOST_GAMES: u64 = 100_000;

/// The value below which attacks are dropped, if there is one.
#[derive(Clone, Copy, Debug)]
struct Threshold(Option<i32>);

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    let wrong = || "expected a whole number or `none`".to_owned();
    if text == "none" {
        Ok(Threshold(None))
    } else {
        text.parse().map(|least| Threshold(Some(least))).map_err(|_| wrong())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Budget {
    /// 200 games of each row, 500 simulations for each unit action
    Quick,
    /// As many games as in the paper, 2000 simulations
    Paper,
}

impl Budget {
    const fn games(self) -> Option<u64> {
        match self {
            Self::Quick => Some(200),
            Self::Paper => None,
        }
    }

    /// The paper's 5 seconds a phase are 700 simulations for each of six units at the speed of the slowest run of the
    /// original that we know, and 5800 at that of the fastest. The original stops at 2000 itself.
    const fn simulations(self) -> u32 {
        match self {
            Self::Quick => 500,
            Self::Paper => 2000,
        }
    }
}

pub fn run(args: &Args) -> CliResult {
    let maps = maps::choose(args.maps.as_deref(), args.run.quiet)?;
    if let Some(path) = &args.out {
        // Before minutes of playing, not after. An older report stays until the new one is there.
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    }
    let evaluator = args.run.open(args.run.choice()?)?;
    let document = Session { args, maps, evaluator }.report()?;
    if let Some(path) = &args.out {
        fs::write(path, document.markdown()).map_err(|error| cannot_write(path, &error))?;
        say(&format!("wrote {}", path.display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
}

struct Session<'a> {
    args: &'a Args,
    maps: [maps::Chosen; MAPS.len()],
    evaluator: Evaluator,
}

impl Session<'_> {
    fn games(&self) -> Option<u64> {
        self.args.games.or(self.args.budget.games())
    }

    fn simulations(&self) -> u32 {
        self.args.sims.unwrap_or(self.args.budget.simulations())
    }

    fn searches(&self) -> u64 {
        self.args.searches.unwrap_or(SEARCHES)
    }

    fn reading(&self) -> Reading {
        Reading { threshold: self.args.threshold.0, is_own_side_only: self.args.own_side_only }
    }

    fn is_papers(&self) -> [bool; MAPS.len()] {
        self.maps.each_ref().map(|map| map.is_papers)
    }

    /// Everything that was asked for, and what follows from it.
    fn report(&self) -> Result<Document, CliError> {
        let args = self.args;
        let mut document = Document::default();
        self.add_conditions(&mut document);
        let mut claims = Vec::new();

        let start = self.maps[0].map.start();
        let searches = Searches { start, searches: self.searches(), reading: self.reading(), seed: args.seed };
        if searches.searches() > 0 {
            let progress = args.run.progress(searches.searches(), "searches", None);
            let profiles = searches.search(&self.evaluator, &progress)?;
            progress.bar.finish_and_clear();
            let finished: usize = profiles.iter().map(|profile| profile.searches.len()).sum();
            note_if_stopped(&mut document, finished as u64, searches.searches(), "searches");
            claims.extend(self.add_depths(&mut document, &profiles));
        }

        let games = Games {
            starts: self.maps.each_ref().map(|map| map.map.start()),
            games: self.games(),
            search: Options { simulations: self.simulations(), seed_group: args.seed_group, ..Options::default() },
            reading: self.reading(),
            seed: args.seed,
        };
        if games.games() > 0 && !is_stopped() {
            let progress = args.run.progress(games.games(), "games", None);
            let played = games.play(&self.evaluator, &progress).map_err(|error| match error {
                PlayError::Evaluate(error) => error.into(),
                PlayError::Refused(refused) => CliError::Failed(refused.to_string()),
            })?;
            progress.bar.finish_and_clear();
            note_if_stopped(&mut document, played.games(), games.games(), "games");
            claims.splice(0..0, self.add_matches(&mut document, &played));
        }
        document.parts.push(Part::Heading("The paper's claims".into()));
        claims.push(claims::of_children(Children::of(&start)));
        if self.is_papers().contains(&false) {
            claims.insert(
                0,
                "Not all of these are the paper's maps: what holds here says little about the paper.".into(),
            );
        }
        document.parts.push(Part::Lines(claims));
        Ok(document)
    }

    /// What is played, and how that differs from the paper.
    fn add_conditions(&self, document: &mut Document) {
        let args = self.args;
        let games = self.games().map_or_else(
            || "as many games of each row as in the paper".to_owned(),
            |games| format!("{} games of each row, where the paper has 150 to 1,650", grouped(games)),
        );
        let threshold =
            args.threshold.0.map_or_else(|| "no threshold".to_owned(), |least| format!("threshold {least}"));
        let group = match args.seed_group {
            1 => "independent rollouts".to_owned(),
            group => format!("groups of {group} rollouts with the same random numbers"),
        };
        document.parts.push(Part::Lines(vec![
            format!(
                "Tables 1 and 2: {games}; {} simulations for each unit action, {group}; seed {}.",
                grouped(self.simulations().into()),
                args.seed
            ),
            "The paper gives a player 5 seconds a phase on a machine it does not describe: 700 simulations for each of six \
             units if the original makes 840 a second, 5,800 at 7,000 a second; the original stops at 2,000."
                .into(),
            format!(
                "Pruning, where the paper is silent: {threshold}, of {} in a player's tree; of an odd number of attacks the \
                 middle one stays.",
                if args.own_side_only { "its own units only" } else { "both sides" }
            ),
            format!(
                "Tables 3 and 4: {} searches of {} simulations for each column, where the paper has {SEARCHES}.",
                grouped(self.searches()),
                grouped(SIMULATIONS.into())
            ),
        ]));
        let lines = MAPS.iter().zip(&self.maps).zip(1..).map(|((paper, chosen), number)| match chosen.is_papers {
            true if paper.is_certain => format!("Map {number}: {}, certainly the paper's: {}.", chosen.name, paper.why),
            true => format!("Map {number}: {}, most likely the paper's: {}.", chosen.name, paper.why),
            false => format!("Map {number}: {}, another map in place of {}.", chosen.name, paper.file),
        });
        document.parts.push(Part::Lines(lines.collect()));
    }
}

/// Ctrl-C ends the run with what there is, and the report says so.
fn note_if_stopped(document: &mut Document, finished: u64, all: u64, what: &str) {
    if is_stopped() {
        let note = format!(
            "stopped on request: {} of {} {what} are finished and reported; those under way are lost, and they are rather \
             the long ones",
            grouped(finished),
            grouped(all)
        );
        say(&note);
        document.parts.push(Part::Lines(vec![note]));
    }
}
