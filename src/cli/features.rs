//! `fairground features`: a map in numbers.

use std::io::{self, Write};

use clap::ValueEnum;
use fairground::learn::features::{DuplicateReading, NodeReading, PortReading, Readings, features, names};
use serde_json::Value;

use super::CliResult;
use super::catan::MapArgs;
use super::output::{Format, Table, csv};

/// Write the 76 features of maps of Catan that classifiers learn from
#[derive(Debug, clap::Args)]
#[command(after_help = "For each resource the distances between its tiles and to its port, seven numbers about the\n\
    pips at nodes, nodes where resources meet, and tiles by pips (ways to roll their number).\n\n\
    Examples:\n  \
    fairground features > features.csv\n  \
    fairground features maps/ --ports node --nodes top7 --format json")]
pub struct Args {
    #[command(flatten)]
    maps: MapArgs,

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

pub fn run(args: &Args) -> CliResult {
    let readings = args.readings.readings();
    let maps = args.maps.load(args.quiet)?;
    let names = names(&readings);
    let heads: Vec<_> = std::iter::once("map".to_owned()).chain(names.iter().cloned()).collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let cells = |(name, map): &(String, _)| {
        let numbers = features(map, &readings).map(|number| number.to_string());
        std::iter::once(name.clone()).chain(numbers).collect::<Vec<_>>()
    };
    match args.format {
        Format::Csv => {
            writeln!(out, "{}", csv(&heads))?;
            maps.iter().try_for_each(|map| writeln!(out, "{}", csv(&cells(map))))?;
        }
        Format::Table => {
            let rows: Vec<_> = maps.iter().map(cells).collect();
            out.write_all(Table::text(&heads, &rows).as_bytes())?;
        }
        Format::Json => {
            for (name, map) in &maps {
                let numbers = features(map, &readings).map(Value::from);
                let fields = names.iter().cloned().zip(numbers);
                let row: serde_json::Map<_, _> =
                    std::iter::once(("map".into(), name.as_str().into())).chain(fields).collect();
                serde_json::to_writer(&mut out, &row).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
