//! `fairground show`: a map in the terminal or as SVG.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use fairground::games::catan::Catan;
use fairground::games::tubstap::Tubstap;

use super::games::{GameArg, MapGame};
use super::maps::{self, Found};
use super::{CliError, CliResult, say};

/// Show maps in the terminal, or write one as SVG
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fairground show duel-6x6\n  \
    fairground show beginner                           a map of Catan\n  \
    fairground show maps/0001.tbsmap --svg 0001.svg")]
pub struct Args {
    /// Map files, directories, patterns, or names of built-in maps
    #[arg(value_name = "MAP", required = true)]
    maps: Vec<String>,

    /// The game [default: that of the maps, by their endings or names]
    #[arg(long)]
    game: Option<GameArg>,

    /// Write the map to this SVG file instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// When to use colours in the terminal
    #[arg(long, value_name = "WHEN", visible_alias = "color", default_value = "auto")]
    colour: Colour,
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
    let found = maps::find(&args.maps, args.game)?;
    match found.game {
        GameArg::Tubstap => show::<Tubstap>(args, found),
        GameArg::Catan => show::<Catan>(args, found),
        GameArg::Saboteur => Ok(()),
    }
}

fn show<G: MapGame>(args: &Args, found: Found) -> CliResult {
    let maps = maps::load::<G>(found, false)?;
    if let Some(path) = &args.svg {
        let [(_, map)] = maps.as_slice() else {
            return Err(CliError::Usage(format!("--svg takes one map, not {}", maps.len())));
        };
        fs::write(path, G::svg(map))
            .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", path.display())))?;
        say(&format!("wrote {}", path.display()));
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let colour = args.colour.is_on();
    for (index, (name, map)) in maps.iter().enumerate() {
        if maps.len() > 1 {
            writeln!(out, "{}{}", if index > 0 { "\n" } else { "" }, name)?;
        }
        out.write_all(G::terminal(map, colour).as_bytes())?;
    }
    Ok(())
}
