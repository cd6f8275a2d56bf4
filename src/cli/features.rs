//! `fairground features`: a map in numbers.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use clap::ValueEnum;
use fairground::games::catan::Map;
use fairground::games::catan::generate::draw;
use fairground::learn::course::RECIPE;
use fairground::learn::features::{DuplicateReading, NodeReading, PortReading, Readings, features, names};
use rayon::prelude::*;
use serde_json::Value;

use super::CliResult;
use super::catan::{MapArgs, only_catan};
use super::maps::Named;
use super::output::{Format, Table, csv};

/// Write the 76 features of maps of Catan that classifiers learn from
#[derive(Debug, clap::Args)]
#[command(after_help = "For each resource the distances between its tiles and to its port, seven numbers about the\n\
    pips at nodes, nodes where resources meet, and tiles by pips (ways to roll their number).\n\n\
    Examples:\n  \
    fairground features > features.csv\n  \
    fairground features maps/ --ports node --nodes top7 --format json\n  \
    fairground features --random 1000000 > features.csv")]
pub struct Args {
    #[command(flatten)]
    maps: MapArgs,

    /// So many random maps instead, those of `generate --game catan --numbers free`
    #[arg(long, value_name = "N", conflicts_with = "maps", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    random: Option<u64>,

    /// Seed of the random maps [default: 1]
    #[arg(long, value_name = "S", requires = "random")]
    seed: Option<u64>,

    #[command(flatten)]
    readings: ReadingArgs,

    /// How to write the results
    #[arg(long, default_value = "csv")]
    format: Format,

    /// No warnings
    #[arg(long, short)]
    quiet: bool,
}

/// How the paper's words about features are read.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// From where to where the distance of a tile to a port is measured
    #[arg(long, default_value = "sea-hex")]
    ports: Ports,

    /// The seven numbers about nodes
    #[arg(long, default_value = "hist")]
    nodes: Nodes,

    /// Nodes where resources meet
    #[arg(long, default_value = "any")]
    duplicates: Duplicates,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Ports {
    /// Hexes from the tile to the sea hex with the port
    SeaHex,
    /// Hexes from the tile to the land hex at the port
    LandHex,
    /// Roads from the tile to the port
    Node,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Nodes {
    /// Inner nodes with up to 6, 7 or 8, 9, 10, 11, 12, more pips
    Hist,
    /// All nodes with up to 2, 3 or 4, ..., 11 or 12, more pips
    Hist54,
    /// Pips of the seven best nodes
    Top7,
    /// All nodes with exactly 9, 10, ..., 15 pips
    Ge9,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Duplicates {
    /// Two tiles of a resource are a pair also beside the desert
    Any,
    /// Only nodes with three resources count
    Strict,
}

impl ReadingArgs {
    /// The readings.
    pub const fn readings(&self) -> Readings {
        Readings {
            ports: match self.ports {
                Ports::SeaHex => PortReading::SeaHex,
                Ports::LandHex => PortReading::LandHex,
                Ports::Node => PortReading::Node,
            },
            nodes: match self.nodes {
                Nodes::Hist => NodeReading::Histogram,
                Nodes::Hist54 => NodeReading::AllNodes,
                Nodes::Top7 => NodeReading::Best,
                Nodes::Ge9 => NodeReading::AboveMean,
            },
            duplicates: match self.duplicates {
                Duplicates::Any => DuplicateReading::AnyThird,
                Duplicates::Strict => DuplicateReading::ThreeResources,
            },
        }
    }
}

/// Rows that are made by one thread, and those that are written together.
const ROWS: u64 = 1 << 9;
const TOGETHER: u64 = 1 << 15;

pub fn run(args: &Args) -> CliResult {
    let readings = args.readings.readings();
    let maps = match args.random {
        None => args.maps.load(args.quiet)?,
        Some(_) => only_catan(args.maps.game).map(|()| Vec::new())?,
    };
    let count = args.random.unwrap_or(maps.len() as u64);
    let seed = args.seed.unwrap_or(1);
    let map = |index: u64| -> Named<Map> {
        maps.get(index as usize).cloned().unwrap_or_else(|| (format!("{index:04}"), draw(&RECIPE, seed, index)))
    };
    let names = names(&readings);
    let heads: Vec<_> = std::iter::once("map".to_owned()).chain(names.iter().cloned()).collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.format == Format::Table {
        let cells = |index| {
            let (name, map) = map(index);
            std::iter::once(name).chain(features(&map, &readings).map(|number| number.to_string())).collect()
        };
        let rows: Vec<Vec<_>> = (0..count).map(cells).collect();
        out.write_all(Table::text(&heads, &rows).as_bytes())?;
        out.flush()?;
        return Ok(());
    }
    let row = |index: u64, text: &mut String| -> fmt::Result {
        let (name, map) = map(index);
        let numbers = features(&map, &readings);
        if args.format == Format::Json {
            let fields = names.iter().cloned().zip(numbers.map(Value::from));
            let row: serde_json::Map<_, _> = std::iter::once(("map".into(), name.into())).chain(fields).collect();
            return writeln!(text, "{}", Value::Object(row));
        }
        text.push_str(&csv(&[name]));
        numbers.iter().try_for_each(|number| write!(text, ",{number}"))?;
        writeln!(text)
    };
    if args.format == Format::Csv {
        writeln!(out, "{}", csv(&heads))?;
    }
    for first in (0..count).step_by(TOGETHER as usize) {
        let end = count.min(first + TOGETHER);
        let firsts: Vec<u64> = (first..end).step_by(ROWS as usize).collect();
        let rows = |first: u64| {
            let mut text = String::new();
            (first..end.min(first + ROWS)).try_for_each(|index| row(index, &mut text)).map(|()| text)
        };
        let texts: Vec<Result<String, fmt::Error>> = firsts.into_par_iter().map(rows).collect();
        for text in texts {
            out.write_all(text.map_err(io::Error::other)?.as_bytes())?;
        }
    }
    out.flush()?;
    Ok(())
}
