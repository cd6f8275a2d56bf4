//! `fairground generate`: random legal maps.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fairground::games::tubstap::Terrain;
use fairground::games::{catan, tubstap};

use super::games::GameArg;
use super::{CliError, CliResult, cannot_write};

/// Generate random legal maps
#[derive(Debug, clap::Args)]
#[command(after_help = "The same options and seed always give the same maps; more of them with a larger --count.\n\n\
    Examples:\n  \
    fairground generate --count 1000 --out maps\n  \
    fairground generate --count 20 --size 8x8 --units 10 --no-aircraft --seed 7 --out big\n  \
    fairground generate --game catan --numbers spiral --out islands")]
pub struct Args {
    /// The game
    #[arg(long, default_value = "tubstap")]
    game: GameArg,

    /// How many maps
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Directory for the maps (0000.tbsmap, 0001.tbsmap, ...); made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Overwrite files that exist
    #[arg(long)]
    force: bool,

    #[command(flatten, next_help_heading = "TUBSTAP")]
    tubstap: TubstapArgs,

    #[command(flatten, next_help_heading = "Catan")]
    catan: CatanArgs,
}

/// What maps of TUBSTAP are to be like.
#[derive(Debug, clap::Args)]
pub struct TubstapArgs {
    /// Columns and rows of the playable area, each at most 8 [default: 6x6]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(usize, usize)>,

    /// Units a side [default: 4]
    #[arg(long, value_name = "N")]
    units: Option<usize>,

    /// Ground units only
    #[arg(long)]
    no_aircraft: bool,

    /// Maps that are the same for both sides if they are turned by half a turn
    #[arg(long)]
    symmetric: bool,

    /// Phases after which the hit points are judged [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turn_limit: Option<u32>,

    /// A lead of more than this many hit points wins then [default: 10]
    #[arg(long, value_name = "N")]
    hp_threshold: Option<u32>,

    /// What a cell can be, separated by commas; a terrain that is named twice is twice as likely [default: plain, sea,
    /// wood, mountain, road, fortress]
    #[arg(long, value_name = "TERRAINS", value_delimiter = ',', value_parser = parse_terrain)]
    terrains: Vec<Terrain>,
}

#[derive(Debug, clap::Args)]
struct CatanArgs {
    /// How the number tokens are laid [default: no-touching]
    #[arg(long, value_name = "HOW")]
    numbers: Option<NumbersArg>,

    /// Which ports lie where [default: shuffled]
    #[arg(long, value_name = "HOW")]
    ports: Option<PortsArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NumbersArg {
    /// In any order
    Free,
    /// In any order in which no two of the sixes and eights touch
    NoTouching,
    /// In the rule book's spiral
    Spiral,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PortsArg {
    /// As in the beginner's set-up
    Fixed,
    /// In any order
    Shuffled,
}

impl TubstapArgs {
    const fn is_empty(&self) -> bool {
        let Self { size, units, no_aircraft, symmetric, turn_limit, hp_threshold, terrains } = self;
        size.is_none()
            && units.is_none()
            && !*no_aircraft
            && !*symmetric
            && turn_limit.is_none()
            && hp_threshold.is_none()
            && terrains.is_empty()
    }

    /// A recipe with everything changed that was asked for.
    pub fn recipe(&self, usual: tubstap::generate::Recipe) -> tubstap::generate::Recipe {
        let (width, height) = self.size.unwrap_or((usual.width, usual.height));
        tubstap::generate::Recipe {
            width,
            height,
            units: self.units.unwrap_or(usual.units),
            aircraft: usual.aircraft && !self.no_aircraft,
            is_symmetric: usual.is_symmetric || self.symmetric,
            turn_limit: self.turn_limit.unwrap_or(usual.turn_limit),
            hp_threshold: self.hp_threshold.unwrap_or(usual.hp_threshold),
            terrains: if self.terrains.is_empty() { usual.terrains } else { self.terrains.clone() },
            hp: usual.hp,
        }
    }
}

impl CatanArgs {
    const fn is_empty(&self) -> bool {
        self.numbers.is_none() && self.ports.is_none()
    }

    fn recipe(&self) -> catan::generate::Recipe {
        use catan::generate::{Numbers, PortLayout, Recipe};
        let usual = Recipe::default();
        Recipe {
            numbers: self.numbers.map_or(usual.numbers, |numbers| match numbers {
                NumbersArg::Free => Numbers::Free,
                NumbersArg::NoTouching => Numbers::NoTouching,
                NumbersArg::Spiral => Numbers::Spiral,
            }),
            ports: self.ports.map_or(usual.ports, |ports| match ports {
                PortsArg::Fixed => PortLayout::Fixed,
                PortsArg::Shuffled => PortLayout::Shuffled,
            }),
        }
    }
}

fn parse_terrain(text: &str) -> Result<Terrain, String> {
    let known = || Terrain::ALL.into_iter().skip(1);
    known().find(|terrain| terrain.name() == text).ok_or_else(|| {
        let names: Vec<_> = known().map(Terrain::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides
        .filter(|(width, height)| (1..=8).contains(width) && (1..=8).contains(height))
        .ok_or_else(|| "expected columns x rows, each from 1 to 8, such as 6x6".into())
}

pub fn run(args: &Args) -> CliResult {
    match args.game {
        GameArg::Tubstap => {
            if !args.catan.is_empty() {
                return Err(CliError::Usage("--numbers and --ports go with --game catan only".into()));
            }
            let recipe = args.tubstap.recipe(tubstap::generate::Recipe::default());
            write_maps(args, |index| {
                let map = tubstap::generate::generate(&recipe, args.seed, index);
                map.map(|map| tubstap::file::write(&map))
                    .map_err(|error| CliError::Failed(format!("map {index} cannot be generated: {error}")))
            })
        }
        GameArg::Catan => {
            if !args.tubstap.is_empty() {
                let options = "--size, --units, --no-aircraft, --turn-limit, --hp-threshold and --terrains";
                return Err(CliError::Usage(format!("{options} go with --game tubstap only")));
            }
            let recipe = args.catan.recipe();
            let write = |index| catan::file::write(&catan::generate::generate(&recipe, args.seed, index));
            write_maps(args, |index| Ok(write(index)))
        }
        GameArg::Saboteur => {
            Err(CliError::Usage("saboteur has no maps to generate: its cards are dealt anew in every round".into()))
        }
    }
}

/// Writes the files of the maps that `generate` makes.
fn write_maps(args: &Args, generate: impl Fn(u64) -> Result<String, CliError>) -> CliResult {
    let ending = args.game.ending().unwrap_or_default();
    let digits = (args.count - 1).to_string().len().max(4);
    let name = |index: u64| format!("{index:0digits$}.{ending}");
    fs::create_dir_all(&args.out).map_err(|error| cannot_write(&args.out, &error))?;
    if !args.force {
        refuse_existing(&args.out, (0..args.count).map(name))?;
    }
    for index in 0..args.count {
        let path = args.out.join(name(index));
        fs::write(&path, generate(index)?).map_err(|error| cannot_write(&path, &error))?;
    }
    let range = if args.count == 1 { name(0) } else { format!("{} to {}", name(0), name(args.count - 1)) };
    let maps = if args.count == 1 { "map" } else { "maps" };
    writeln!(io::stdout(), "wrote {} {maps} to {}: {range}", args.count, args.out.display())?;
    Ok(())
}

/// Looks before anything is written, so that a refusal leaves the directory as it was.
pub fn refuse_existing(directory: &Path, names: impl Iterator<Item = String>) -> CliResult {
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
