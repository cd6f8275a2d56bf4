//! What the commands about the balance of Catan's seats have in common.

use fairground::games::catan::{self, Catan, Map};

use super::games::{CliGame, GameArg, MAX_TURN_CAP, catan_policy};
use super::maps::{self, Named};
use super::{CliError, say};

/// Maps of Catan.
#[derive(Debug, clap::Args)]
pub struct MapArgs {
    /// Map files, directories of them, patterns, or names of built-in maps; `-` reads a list of these from
    /// standard input. Without any, all built-in maps
    #[arg(value_name = "MAP")]
    pub maps: Vec<String>,

    /// The game; only catan has maps with four seats
    #[arg(long)]
    pub game: Option<GameArg>,
}

impl MapArgs {
    /// Reads the maps.
    pub fn load(&self, quiet: bool) -> Result<Vec<Named<Map>>, CliError> {
        if let Some(game) = self.game.filter(|&game| game != GameArg::Catan) {
            return Err(CliError::Usage(format!("this is for maps of catan, not of {}", game.name())));
        }
        let found = maps::find(&self.maps, Some(GameArg::Catan))?;
        if found.is_empty() {
            return Ok(maps::builtin::<Catan>(&GameArg::Catan.builtin_names()));
        }
        maps::load::<Catan>(found, quiet)
    }
}

/// Who plays if nobody is named: players whose seats matter.
const USUAL_POLICY: &str = "heuristic";

/// Who plays, and with which seed.
#[derive(Debug, clap::Args)]
pub struct PlayerArgs {
    #[arg(long, value_name = "NAME")]
    #[arg(help = policy_help())]
    policy: Option<String>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_TURN_CAP))]
    #[arg(help = format!("Turns after which a game is cut off [default: {}]", catan::TURN_CAP))]
    turn_cap: Option<u32>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

fn policy_help() -> String {
    let names: Vec<_> = Catan::policies().into_iter().map(|(name, _)| name).collect();
    format!(
        "How the players choose: {}, or four by seat, separated by commas [default: {USUAL_POLICY}]",
        names.join(", ")
    )
}

impl PlayerArgs {
    /// The players.
    pub fn policy(&self) -> Result<catan::Policy, CliError> {
        catan_policy(self.policy.as_deref().unwrap_or(USUAL_POLICY), self.turn_cap)
    }
}

/// The most percentage points that seats can be said to be apart.
const MAX_POINTS: f64 = 50.0;

/// A number of percentage points above 0.
pub fn parse_points(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0 && number < MAX_POINTS);
    number.ok_or_else(|| format!("expected percentage points, more than 0 and less than {MAX_POINTS}"))
}

/// A word to the user unless they asked for silence.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        say(&format!("note: {text}"));
    }
}
