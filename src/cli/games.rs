//! The games as the command line knows them: maps, policies and what is reported of each.

use std::path::Path;

use clap::ValueEnum;
use fairground::batch::Tally;
use fairground::games::Game;
use fairground::games::catan::{self, Catan, Strategy};
use fairground::games::fault::{Fault, ReadError};
use fairground::games::tubstap::{self, Tubstap};
use fairground::report;
use fairground::stats::{self, Interval, seats};

use super::CliError;
use super::output::Column;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameArg {
    /// Turn-based strategy for two sides
    Tubstap,
    /// Trading and building for four players
    Catan,
}

impl GameArg {
    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tubstap => Tubstap::NAME,
            Self::Catan => Catan::NAME,
        }
    }

    /// How the names of map files end.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Tubstap => Tubstap::ENDING,
            Self::Catan => Catan::ENDING,
        }
    }

    /// Names of the built-in maps.
    pub fn builtin_names(self) -> Vec<&'static str> {
        fn names<M>(maps: Vec<(&'static str, M)>) -> Vec<&'static str> {
            maps.into_iter().map(|(name, _)| name).collect()
        }
        match self {
            Self::Tubstap => names(Tubstap::builtin()),
            Self::Catan => names(Catan::builtin()),
        }
    }
}

/// What is played and how: the options that `eval` and `bench` share.
#[derive(Debug, clap::Args)]
pub struct PlayArgs {
    /// The game [default: that of the maps, by their endings or names; tubstap without maps]
    #[arg(long)]
    pub game: Option<GameArg>,

    #[arg(long, value_name = "NAME", default_value = "random")]
    #[arg(help = policy_help(), long_help = policy_long_help())]
    policy: String,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_TURN_CAP))]
    #[arg(help = format!("Turns after which a game of Catan is cut off [default: {}]", catan::TURN_CAP))]
    turn_cap: Option<u32>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Some games never end, so there must be a cut-off; nobody waits for more turns than these.
const MAX_TURN_CAP: i64 = 1_000_000;

fn policy_help() -> String {
    let [tubstap, catan] = [Tubstap::policies(), Catan::policies()].map(|names| names.join(", "));
    format!("How the players choose; tubstap: {tubstap}; catan: {catan}, or four by seat, separated by commas")
}

fn policy_long_help() -> String {
    "How the players choose\n\n\
         tubstap:\n\
         - random: A random unit does a random thing, to the end of the game\n\
         - muct:   The rollout of M-UCT: attacks in four of five cases\n\
         - mss:    The rollout of MSSystem: attack if possible, else approach; ten phases\n\n\
         catan, one for all players or four by seat, separated by commas:\n\
         - random:    A random one of the legal actions\n\
         - random-s:  A random entry of the list SmartSettlers draws from\n\
         - heuristic: Builds what it lacks the fewest cards for"
        .to_owned()
}

impl PlayArgs {
    /// The policy that is asked for.
    pub fn policy<G: CliGame>(&self) -> Result<G::Policy, CliError> {
        G::policy(&self.policy, self.turn_cap)
    }
}

/// What the commands ask of a game.
pub trait CliGame: Game {
    /// A map.
    type Map;
    /// How the names of map files end.
    const ENDING: &'static str;
    /// What the length of a playout is counted in.
    const LENGTH: &'static str;
    /// Whether a game can end without a winner.
    const HAS_DRAWS: bool;
    /// The built-in maps `bench` plays if no others are named.
    const BENCH_MAPS: &'static [&'static str];

    /// Reads a map file; returns the map and the warnings about it.
    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError>;
    /// The built-in maps.
    fn builtin() -> Vec<(&'static str, Self::Map)>;
    /// Map number `index` of the generator as it is without options.
    fn generate(seed: u64, index: u64) -> Result<Self::Map, CliError>;
    /// Where a game on the map starts.
    fn start(map: &Self::Map) -> Self::Position;
    /// The map as a picture.
    fn svg(map: &Self::Map) -> String;
    /// The map as text, perhaps in colours.
    fn terminal(map: &Self::Map, colour: bool) -> String;

    /// Names that `--policy` takes.
    fn policies() -> Vec<&'static str>;
    /// What `--policy` and `--turn-cap` ask for.
    fn policy(name: &str, turn_cap: Option<u32>) -> Result<Self::Policy, CliError>;
    /// What `--policy` would ask for this with.
    fn policy_name(policy: Self::Policy) -> String;
    /// The cut-off, if it is the user's choice.
    fn turn_cap(policy: Self::Policy) -> Option<u32>;

    /// How fair a map is.
    fn measures(tally: &Tally) -> Vec<Measure>;
}

/// A measure of fairness.
pub struct Measure {
    /// What JSON and CSV call it.
    pub name: &'static str,
    /// NaN if too little was played to tell.
    pub value: f64,
    /// Where the true value is with 95 % confidence, if that is known.
    pub interval: Option<Interval>,
    /// Its column of the table, if it has one.
    pub column: Option<Column>,
}

impl CliGame for Tubstap {
    type Map = tubstap::Map;
    const ENDING: &'static str = "tbsmap";
    const LENGTH: &'static str = "phases";
    const HAS_DRAWS: bool = true;
    const BENCH_MAPS: &'static [&'static str] = &["duel-6x6", "front-6x6"];

    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError> {
        tubstap::file::read(path).map(|parsed| (parsed.map, parsed.warnings))
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        tubstap::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }

    fn generate(seed: u64, index: u64) -> Result<Self::Map, CliError> {
        tubstap::generate::generate(&tubstap::generate::Recipe::default(), seed, index)
            .map_err(|error| CliError::Failed(format!("map {index} cannot be generated: {error}")))
    }

    fn start(map: &Self::Map) -> Self::Position {
        map.start()
    }

    fn svg(map: &Self::Map) -> String {
        report::svg(map)
    }

    fn terminal(map: &Self::Map, colour: bool) -> String {
        report::terminal(map, colour)
    }

    fn policies() -> Vec<&'static str> {
        tubstap::Policy::ALL.map(tubstap::Policy::name).to_vec()
    }

    fn policy(name: &str, turn_cap: Option<u32>) -> Result<Self::Policy, CliError> {
        if turn_cap.is_some() {
            return Err(CliError::Usage("--turn-cap goes with --game catan only".into()));
        }
        let wanted = tubstap::Policy::ALL.into_iter().find(|policy| policy.name() == name);
        wanted.ok_or_else(|| no_such_policy::<Self>(name))
    }

    fn policy_name(policy: Self::Policy) -> String {
        policy.name().into()
    }

    fn turn_cap(_: Self::Policy) -> Option<u32> {
        None
    }

    fn measures(tally: &Tally) -> Vec<Measure> {
        let (value, interval) = (stats::fitness(tally), stats::fitness_interval(tally));
        let text = format!("{value:.3} [{:.3},{:.3}]", interval.low, interval.high);
        let column = Some(Column::new("fitness", 19, text));
        vec![Measure { name: "fitness", value, interval: Some(interval), column }]
    }
}

impl CliGame for Catan {
    type Map = catan::Map;
    const ENDING: &'static str = "catan";
    const LENGTH: &'static str = "turns";
    const HAS_DRAWS: bool = false;
    const BENCH_MAPS: &'static [&'static str] = &["beginner", "lopsided"];

    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError> {
        catan::file::read(path).map(|parsed| (parsed.map, parsed.warnings))
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        catan::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }

    fn generate(seed: u64, index: u64) -> Result<Self::Map, CliError> {
        Ok(catan::generate::generate(&catan::generate::Recipe::default(), seed, index))
    }

    fn start(map: &Self::Map) -> Self::Position {
        catan::Position::start(map)
    }

    fn svg(map: &Self::Map) -> String {
        report::catan::svg(map)
    }

    fn terminal(map: &Self::Map, colour: bool) -> String {
        report::catan::terminal(map, colour)
    }

    fn policies() -> Vec<&'static str> {
        Strategy::ALL.map(Strategy::name).to_vec()
    }

    fn policy(name: &str, turn_cap: Option<u32>) -> Result<Self::Policy, CliError> {
        let strategy = |name: &str| {
            let wanted = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
            wanted.ok_or_else(|| no_such_policy::<Self>(name))
        };
        let strategies = name.split(',').map(strategy).collect::<Result<Vec<_>, _>>()?;
        let seats = match *strategies {
            [strategy] => [strategy; 4],
            [first, second, third, fourth] => [first, second, third, fourth],
            _ => {
                let text = format!("--policy takes one policy or four for {}, not {}", Self::NAME, strategies.len());
                return Err(CliError::Usage(text));
            }
        };
        Ok(catan::Policy { seats, turn_cap: turn_cap.unwrap_or(catan::TURN_CAP) })
    }

    fn policy_name(policy: Self::Policy) -> String {
        let [first, others @ ..] = policy.seats;
        if others.iter().all(|&other| other == first) {
            return first.name().into();
        }
        policy.seats.map(Strategy::name).join(",")
    }

    fn turn_cap(policy: Self::Policy) -> Option<u32> {
        Some(policy.turn_cap)
    }

    fn measures(tally: &Tally) -> Vec<Measure> {
        let wins = &tally.wins[..Self::SEATS.len()];
        let n = tally.playouts;
        let points =
            |head: &str, share: f64| Some(Column::new(head, 0, or_dash(share, format!("{:.2}", 100.0 * share))));
        let measure = |name, value, column| Measure { name, value, interval: None, column };
        let (spread, debiased, p) = (seats::spread(wins, n), seats::debiased_spread(wins, n), seats::equality_p(wins));
        let p_text = if p < 1e-4 { "<0.0001".into() } else { format!("{p:.4}") };
        vec![
            measure("spread", spread, points("spread pp", spread)),
            measure("debiased_variance", seats::debiased_variance(wins, n), None),
            measure("debiased_spread", debiased, points("de-biased pp", debiased)),
            measure("equal_seats_p", p, Some(Column::new("p if equal", 0, or_dash(p, p_text)))),
        ]
    }
}

fn or_dash(value: f64, text: String) -> String {
    if value.is_nan() { "-".into() } else { text }
}

fn no_such_policy<G: CliGame>(name: &str) -> CliError {
    CliError::Usage(format!("'{name}' is no policy of {} (there are {})", G::NAME, G::policies().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_parsed_from_the_names_they_print() {
        fn check<G: CliGame<Policy: PartialEq>>() {
            for name in G::policies() {
                let policy = G::policy(name, None).expect("a name of the list");
                assert_eq!(G::policy_name(policy), name);
                assert!(policy_help().contains(name) && policy_long_help().contains(&format!("- {name}")), "{name}");
            }
            assert!(matches!(G::policy("clever", None), Err(CliError::Usage(_))));
        }
        check::<Tubstap>();
        check::<Catan>();
    }

    #[test]
    fn catan_takes_one_strategy_or_four_by_seat() {
        for strategy in Strategy::ALL {
            let mixed = format!("{},random,random,random", strategy.name());
            let policy = Catan::policy(&mixed, Some(7)).expect("four names");
            assert_eq!(policy.seats, [strategy, Strategy::Random, Strategy::Random, Strategy::Random]);
            assert_eq!(policy.turn_cap, 7);
            assert_eq!(Catan::policy(&Catan::policy_name(policy), Some(7)).ok(), Some(policy));
        }
        for wrong in ["random,random", "random,random,random,", "", "random,random,random,random,random"] {
            assert!(matches!(Catan::policy(wrong, None), Err(CliError::Usage(_))), "{wrong}");
        }
        assert!(matches!(Tubstap::policy("random", Some(7)), Err(CliError::Usage(_))));
    }

    #[test]
    fn map_names_and_endings_tell_the_games_apart() {
        let [one, other] = [GameArg::Tubstap, GameArg::Catan];
        assert_ne!(one.ending(), other.ending());
        assert!(one.builtin_names().iter().all(|name| !other.builtin_names().contains(name)));
        for game in GameArg::value_variants() {
            assert_eq!(game.to_possible_value().expect("no game is hidden").get_name(), game.name());
        }
    }
}
