//! `fairground reproduce`: published experiments, repeated.

mod catan;
pub mod document;
mod evolution;
mod negotiation;
mod saboteur;
mod tubstap;

use super::CliResult;

/// Repeat the experiments of a paper and put its figures beside ours
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fairground reproduce 000\n  \
    fairground reproduce 001 --maps TUBSTAP/map\n  \
    fairground reproduce 002 --out negotiation\n  \
    fairground reproduce 003\n  \
    fairground reproduce 004\n  \
    fairground reproduce 004 --help")]
pub struct Args {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, clap::Subcommand)]
enum Paper {
    #[command(name = "000")]
    Catan(catan::Args),
    #[command(name = "001")]
    Tubstap(tubstap::Args),
    #[command(name = "002")]
    Negotiation(negotiation::Args),
    #[command(name = "003")]
    Evolution(evolution::Args),
    #[command(name = "004")]
    Saboteur(saboteur::Args),
}

pub fn run(args: &Args) -> CliResult {
    match &args.paper {
        Paper::Catan(args) => catan::run(args),
        Paper::Tubstap(args) => tubstap::run(args),
        Paper::Negotiation(args) => negotiation::run(args),
        Paper::Evolution(args) => evolution::run(args),
        Paper::Saboteur(args) => saboteur::run(args),
    }
}
