//! `fairground generate`: random legal maps.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fairground::games::tubstap::file;
use fairground::games::tubstap::generate::{Recipe, generate};

use super::{CliError, CliResult, GameArg};

/// Generate random legal maps
#[derive(Debug, clap::Args)]
#[command(after_help = "The same options and seed always give the same maps; more of them with a larger --count.\n\n\
    Examples:\n  \
    fairground generate --count 1000 --out maps\n  \
    fairground generate --count 20 --size 8x8 --units 10 --no-aircraft --seed 7 --out big")]
pub struct Args {
    /// The game
    #[arg(long, default_value = "tubstap")]
    game: GameArg,

    /// How many maps
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,

    /// Columns and rows of the playable area, each at most 8
    #[arg(long, value_name = "WxH", default_value = "6x6", value_parser = parse_size)]
    size: (usize, usize),

    /// Units a side
    #[arg(long, value_name = "N", default_value_t = 4)]
    units: usize,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Directory for the maps (0000.tbsmap, 0001.tbsmap, ...); made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Ground units only
    #[arg(long)]
    no_aircraft: bool,

    /// Phases after which the hit points are judged
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turn_limit: Option<u32>,

    /// A lead of more than this many hit points wins then
    #[arg(long, value_name = "N")]
    hp_threshold: Option<u32>,

    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
}

fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides
        .filter(|(width, height)| (1..=8).contains(width) && (1..=8).contains(height))
        .ok_or_else(|| "expected columns x rows, each from 1 to 8, such as 6x6".into())
}

pub fn run(args: &Args) -> CliResult {
    let GameArg::Tubstap = args.game;
    let usual = Recipe::default();
    let recipe = Recipe {
        width: args.size.0,
        height: args.size.1,
        units: args.units,
        aircraft: !args.no_aircraft,
        turn_limit: args.turn_limit.unwrap_or(usual.turn_limit),
        hp_threshold: args.hp_threshold.unwrap_or(usual.hp_threshold),
        ..usual
    };
    let digits = (args.count - 1).to_string().len().max(4);
    let name = |index: u64| format!("{index:0digits$}.tbsmap");
    fs::create_dir_all(&args.out).map_err(|error| cannot_write(&args.out, &error))?;
    if !args.force {
        refuse_existing(&args.out, (0..args.count).map(name))?;
    }
    for index in 0..args.count {
        let map = generate(&recipe, args.seed, index)
            .map_err(|error| CliError::Failed(format!("map {index} cannot be generated: {error}")))?;
        let path = args.out.join(name(index));
        fs::write(&path, file::write(&map)).map_err(|error| cannot_write(&path, &error))?;
    }
    let range = if args.count == 1 { name(0) } else { format!("{} to {}", name(0), name(args.count - 1)) };
    let maps = if args.count == 1 { "map" } else { "maps" };
    writeln!(io::stdout(), "wrote {} {maps} to {}: {range}", args.count, args.out.display())?;
    Ok(())
}

fn cannot_write(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", path.display()))
}

/// Looks before anything is written, so that a refusal leaves the directory as it was.
fn refuse_existing(directory: &Path, names: impl Iterator<Item = String>) -> CliResult {
    let mut existing = names.filter(|name| directory.join(name).exists());
    match (existing.next(), existing.count()) {
        (None, _) => Ok(()),
        (Some(first), others) => {
            let more = if others > 0 { format!(" and {others} more") } else { String::new() };
            let first = directory.join(first);
            Err(CliError::Failed(format!("{}{more} would be overwritten; --force does it", first.display())))
        }
    }
}
