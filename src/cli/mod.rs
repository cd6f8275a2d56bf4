//! The command line: one file per subcommand. Only this part of Fairground prints.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand, ValueEnum};
use fairground::batch::{BackendChoice, BackendError, EvaluateError, Evaluator, Options};
use fairground::games::Game;
use fairground::games::catan::Catan;
use fairground::games::saboteur::Saboteur;
use fairground::games::tubstap::Tubstap;

mod bench;
mod catan;
mod certify;
mod contest;
mod eval;
mod evolve;
mod features;
mod find;
mod games;
mod generate;
mod label;
mod learn;
mod maps;
mod negotiate;
mod output;
mod reproduce;
mod run;
mod saboteur;
mod show;

/// Version of the program and of every game's rules: together they decide what a seed gives.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let rules = [Tubstap::RULES_VERSION, Catan::RULES_VERSION, Saboteur::RULES_VERSION];
    format!("{} (rules: {})", env!("CARGO_PKG_VERSION"), rules.join(", "))
});

/// Plays board games in bulk to find out whether a map is fair.
#[derive(Debug, Parser)]
#[command(
    name = "fairground",
    version = VERSION.as_str(),
    after_help = "Examples:\n  \
        fairground eval                                 the built-in maps, 10,000 games each\n  \
        fairground eval --game catan maps/              every map of a directory\n  \
        fairground eval --game catan                    the built-in maps of Catan\n  \
        fairground eval --game saboteur                 diggers against saboteurs, three to ten players\n  \
        fairground match --red muct:1000 --blue mss     games between two players\n  \
        fairground match beginner --rotate              tree search against three random players of Catan\n  \
        fairground negotiate                            players of Catan who trade with each other
  \
        fairground bench                                how fast each backend is on this machine\n  \
        fairground show duel-6x6                        a map in the terminal\n  \
        fairground generate --count 100 --out maps      a hundred random maps\n  \
        fairground evolve --out fair                    fair maps for TUBSTAP, and a report\n  \
        fairground label --game catan                   which maps of Catan treat the seats alike\n  \
        fairground certify spread --sigma 0.28          proof that they do, for anyone to check\n  \
        fairground find --game catan --out fair         a hundred maps with such a proof\n  \
        fairground reproduce 004                        the tables of a paper beside our own\n\n\
        Exit codes: 0 done, 1 bad input or failed run, 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(eval::Args),
    #[command(name = "match")]
    Contest(contest::Args),
    Negotiate(negotiate::Args),
    Bench(bench::Args),
    Show(show::Args),
    Generate(generate::Args),
    Evolve(evolve::Args),
    Features(features::Args),
    Label(label::Args),
    Learn(learn::Args),
    Certify(certify::Args),
    Find(find::Args),
    Reproduce(reproduce::Args),
}

/// A backend by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// The readable rules engine
    Scalar,
    /// Lockstep kernels on the CPU's vector unit
    Simd,
    /// Compute shaders through wgpu
    Gpu,
}

/// Why a command did not finish.
#[derive(Debug, thiserror::Error)]
enum CliError {
    /// The options contradict each other: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Bad input or a failed run, perhaps several lines: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// The backend is not to be had.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Playing failed or was stopped.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// Standard output failed; a closed pipe is no error.
    #[error("cannot write the results")]
    Output(#[from] io::Error),
}

type CliResult = Result<(), CliError>;

/// Runs the program.
pub fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Eval(args) => eval::run(&args),
        Command::Contest(args) => contest::run(&args),
        Command::Negotiate(args) => negotiate::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Evolve(args) => evolve::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Label(args) => label::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Find(args) => find::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {}", chain(&error)));
            ExitCode::from(if matches!(error, CliError::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// The most threads that can be asked for; more would only get in each other's way.
const MAX_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| *threads <= MAX_THREADS);
    threads.ok_or_else(|| format!("expected 0 to {MAX_THREADS}"))
}

/// Gets a backend ready.
fn open(backend: BackendChoice, threads: usize) -> Result<Evaluator, CliError> {
    Ok(Evaluator::new(&Options { backend, threads, chunk: 0 })?)
}

/// A file that cannot be written.
fn cannot_write(path: &std::path::Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", path.display()))
}

/// The message of an error and of everything that caused it, without repeating any.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}

/// One line to the user on standard error. If even that is closed there is nobody to tell.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether a person watches standard error.
fn is_watched() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
