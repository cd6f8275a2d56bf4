//! `fairground show`: a map, a round of Saboteur, or a recorded game, in the terminal or as SVG.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fairground::games::Game as _;
use fairground::games::catan::Catan;
use fairground::games::saboteur::{Action, Position, Saboteur, policy};
use fairground::games::tubstap::{Tubstap, record};
use fairground::report;
use fairground_kernels::rng::Rng;

use super::games::{CliGame, GameArg, MapGame, goes_with};
use super::maps::{self, Found};
use super::saboteur::{HEADING, SaboteurArgs, Setup};
use super::{CliError, CliResult, say};

/// Show maps, a round of Saboteur, or a recorded game in the terminal, or write one as SVG
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fairground show duel-6x6\n  \
    fairground show beginner                           a map of Catan\n  \
    fairground show maps/0001.tbsmap --svg 0001.svg\n  \
    fairground show --replay games/duel-6x6-0001.tbsmap            a game, phase by phase\n  \
    fairground show --replay games/duel-6x6-0001.tbsmap --phase 3\n  \
    fairground show 6-players --seed 2 --round 7       how round 7 of a run with this seed ended\n  \
    fairground show --players 6 --policy random --turn 20 --svg round.svg")]
pub struct Args {
    /// Map files, directories, patterns, or names of built-in maps
    #[arg(value_name = "MAP", required_unless_present_any = ["players", "replay"])]
    maps: Vec<String>,

    /// The game [default: that of the maps, by their endings or names]
    #[arg(long)]
    game: Option<GameArg>,

    /// Write the map to this SVG file instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Play a recorded game of TUBSTAP again, check it, and show it phase by phase
    #[arg(long, value_name = "FILE", conflicts_with_all = ["maps", "svg", "players"])]
    replay: Option<PathBuf>,

    /// Show only this phase of the recorded game, counting from 0 as records do
    #[arg(long, value_name = "N")]
    phase: Option<u32>,

    /// When to use colours in the terminal
    #[arg(long, value_name = "WHEN", visible_alias = "color", default_value = "auto")]
    colour: Colour,

    /// How the players choose, as in `eval` [default: paper]
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    policy: Option<String>,

    /// Seed of the random numbers [default: 1]
    #[arg(long, value_name = "S", help_heading = HEADING)]
    seed: Option<u64>,

    /// Which round of that seed, counting from 0 as `eval` does [default: 0]
    #[arg(long, value_name = "N", help_heading = HEADING)]
    round: Option<u64>,

    /// Stop after so many turns [default: at the end of the round]
    #[arg(long, value_name = "T", help_heading = HEADING)]
    turn: Option<u8>,

    #[command(flatten)]
    saboteur: SaboteurArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into pipes and files
    Always,
    /// Not at all
    Never,
}

impl Colour {
    fn is_on(self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Auto => {
                let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
            }
            Self::Always => true,
            Self::Never => false,
        }
    }
}

pub fn run(args: &Args) -> CliResult {
    if let Some(path) = &args.replay {
        return replay(args, path);
    }
    if args.phase.is_some() {
        return Err(CliError::Usage("--phase goes with --replay only".into()));
    }
    let found = args.saboteur.find(&args.maps, args.game)?;
    let pictures = match found.game {
        GameArg::Tubstap => maps_of::<Tubstap>(args, found)?,
        GameArg::Catan => maps_of::<Catan>(args, found)?,
        GameArg::Saboteur => rounds(args, found)?,
    };
    if let Some(path) = &args.svg {
        let [(_, picture)] = pictures.as_slice() else {
            return Err(CliError::Usage(format!("--svg takes one map, not {}", pictures.len())));
        };
        fs::write(path, picture)
            .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", path.display())))?;
        say(&format!("wrote {}", path.display()));
        return Ok(());
    }
    let mut out = io::stdout().lock();
    for (index, (name, picture)) in pictures.iter().enumerate() {
        if pictures.len() > 1 {
            writeln!(out, "{}{}", if index > 0 { "\n" } else { "" }, name)?;
        }
        out.write_all(picture.as_bytes())?;
    }
    Ok(())
}

/// Draws a recorded game.
fn replay(args: &Args, path: &Path) -> CliResult {
    refuse_rounds(args)?;
    if args.game.is_some_and(|game| game != GameArg::Tubstap) {
        return Err(goes_with("--replay", GameArg::Tubstap));
    }
    let record =
        record::read(path).map_err(|error| CliError::Failed(format!("this is not the record of a game:\n{error}")))?;
    for warning in &record.warnings {
        say(&format!("warning: {}:{}: {}", path.display(), warning.line, warning.message));
    }
    if let Some(phase) = args.phase.filter(|&phase| record.phases.iter().all(|played| played.turn != phase)) {
        let last = record.phases.len().saturating_sub(1);
        return Err(CliError::Failed(format!("there is no phase {phase} in this game, expected 0 to {last}")));
    }
    io::stdout().lock().write_all(report::replay(&record, args.phase, args.colour.is_on()).as_bytes())?;
    Ok(())
}

/// Pictures after their names.
type Pictures = Vec<(String, String)>;

/// Refuses what only rounds of Saboteur have.
fn refuse_rounds(args: &Args) -> CliResult {
    args.saboteur.refuse()?;
    let given = [
        (args.policy.is_some(), "--policy"),
        (args.seed.is_some(), "--seed"),
        (args.round.is_some(), "--round"),
        (args.turn.is_some(), "--turn"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(goes_with(option, GameArg::Saboteur)),
        None => Ok(()),
    }
}

fn maps_of<G: MapGame>(args: &Args, found: Found) -> Result<Pictures, CliError> {
    refuse_rounds(args)?;
    let draw = |map| if args.svg.is_some() { G::svg(map) } else { G::terminal(map, args.colour.is_on()) };
    Ok(maps::load::<G>(found, false)?.iter().map(|(name, map)| (name.clone(), draw(map))).collect())
}

fn rounds(args: &Args, found: Found) -> Result<Pictures, CliError> {
    let setup = args.saboteur.setup(args.policy.as_deref())?;
    let settings = maps::load::<Saboteur>(found, false)?;
    Ok(settings.iter().map(|(name, players)| (name.clone(), round(args, &setup, name, players))).collect())
}

/// Plays the round that is asked for, the same that `eval` plays under its number, and draws it.
fn round(args: &Args, setup: &Setup, name: &str, players: &usize) -> String {
    let (seed, round) = (args.seed.unwrap_or(1), args.round.unwrap_or(0));
    let start = Saboteur::start(players, setup);
    let rng = &mut Rng::for_playout(seed, Saboteur::key(&start), round);
    let mut position = start.position;
    // The moment that was asked for, and the action that led to it.
    let mut moment: Option<(Position, Option<(u8, Action)>)> = None;
    let mut last = None;
    policy::play_watched(&mut position, setup.policy, rng, |position, action| {
        if args.turn == Some(position.turn) {
            moment = Some((*position, last));
        }
        last = Some((position.mover, action));
    });
    let (position, last) = moment.unwrap_or((position, last));
    let (heading, note) = (format!("{name}, round {round} of seed {seed}"), setup.describe());
    let scene = report::saboteur::Scene { heading: &heading, note: &note, position: &position, last };
    if args.svg.is_some() {
        report::saboteur::svg(&scene)
    } else {
        report::saboteur::terminal(&scene, args.colour.is_on())
    }
}
