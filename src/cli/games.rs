//! The games as the command line knows them: maps, policies and what is reported of each.

use std::path::Path;

use clap::ValueEnum;
use fairground::batch::Tally;
use fairground::games::Game;
use fairground::games::catan::{self, Catan, Strategy};
use fairground::games::fault::{Fault, ReadError};
use fairground::games::saboteur::Saboteur;
use fairground::games::tubstap::{self, Tubstap};
use fairground::report;
use fairground::stats::{self, Interval, seats};
use serde_json::Value;

use super::CliError;
use super::maps::{Found, Named};
use super::output::Column;
use super::saboteur::{self, SaboteurArgs};

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameArg {
    /// Turn-based strategy for two sides
    Tubstap,
    /// Trading and building for four players
    Catan,
    /// Digging for gold, with traitors, for three to ten players
    Saboteur,
}

impl GameArg {
    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tubstap => Tubstap::NAME,
            Self::Catan => Catan::NAME,
            Self::Saboteur => Saboteur::NAME,
        }
    }

    /// How the names of map files end, if the game has such files.
    pub fn ending(self) -> Option<&'static str> {
        match self {
            Self::Tubstap => Tubstap::files().map(|files| files.ending),
            Self::Catan => Catan::files().map(|files| files.ending),
            Self::Saboteur => Saboteur::files().map(|files| files.ending),
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
            Self::Saboteur => names(Saboteur::builtin()),
        }
    }
}

/// What is played and how: the options that `eval` and `bench` share.
#[derive(Debug, clap::Args)]
pub struct PlayArgs {
    /// The game [default: that of the maps, by their endings or names; tubstap without maps]
    #[arg(long)]
    pub game: Option<GameArg>,

    #[arg(long, value_name = "NAME")]
    #[arg(help = policy_help(), long_help = policy_long_help())]
    pub policy: Option<String>,

    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_TURN_CAP))]
    #[arg(help = format!("Turns after which a game of Catan is cut off [default: {}]", catan::TURN_CAP))]
    pub turn_cap: Option<u32>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// A playout is a whole game of three rounds instead of one round, and the seats are the players
    #[arg(long, help_heading = saboteur::HEADING)]
    pub whole_games: bool,

    #[command(flatten)]
    pub saboteur: SaboteurArgs,
}

/// Some games never end, so there must be a cut-off; nobody waits for more turns than these.
pub const MAX_TURN_CAP: i64 = 1_000_000;

fn policy_help() -> String {
    let [tubstap, catan, saboteur] = [
        policy_names::<Tubstap>().join(", "),
        policy_names::<Catan>().join(", ") + ", or four by seat, separated by commas",
        policy_names::<Saboteur>().join(", ") + ", or two, diggers,saboteurs",
    ];
    format!(
        "How the players choose; tubstap: {tubstap}; catan: {catan}; saboteur: {saboteur} [default: random; paper for \
         saboteur]"
    )
}

fn policy_long_help() -> String {
    fn list<G: CliGame>(who: &str) -> String {
        let names = policy_names::<G>();
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0) + 1;
        let lines = G::policies().into_iter().map(|(name, about)| format!("- {:<width$} {about}", format!("{name}:")));
        format!(
            "\n\n{}{who}, {} if you do not say:\n{}",
            G::NAME,
            G::USUAL_POLICY,
            lines.collect::<Vec<_>>().join("\n")
        )
    }
    "How the players choose".to_owned()
        + &list::<Tubstap>("")
        + &list::<Catan>(", one for all players or four by seat, separated by commas")
        + &list::<Saboteur>(", one for all players or two, diggers,saboteurs")
}

impl PlayArgs {
    /// The maps that are named, and the game.
    pub fn find(&self, maps: &[String]) -> Result<Found, CliError> {
        let found = self.saboteur.find(maps, self.game)?;
        if found.game != GameArg::Saboteur {
            self.saboteur.refuse()?;
            if self.whole_games {
                return Err(goes_with("--whole-games", GameArg::Saboteur));
            }
        }
        if found.game != GameArg::Catan && self.turn_cap.is_some() {
            return Err(goes_with("--turn-cap", GameArg::Catan));
        }
        Ok(found)
    }
}

/// That an option is of another game.
pub fn goes_with(option: &str, game: GameArg) -> CliError {
    CliError::Usage(format!("{option} goes with --game {} only", game.name()))
}

/// Files with maps of a game.
pub struct Files<M> {
    /// How their names end.
    pub ending: &'static str,
    /// Reads one; returns the map and the warnings about it.
    pub read: fn(&Path) -> Read<M>,
}

/// A map and the warnings about it.
type Read<M> = Result<(M, Vec<Fault>), ReadError>;

/// What the commands ask of a game.
pub trait CliGame: Game {
    /// A map.
    type Map;
    /// What the options of a game ask for.
    type Setup: Clone;
    /// What the length of a playout is counted in.
    const LENGTH: &'static str;
    /// Whether a game can end without a winner.
    const HAS_DRAWS: bool;
    /// The built-in maps `bench` plays if no others are named.
    const BENCH_MAPS: &'static [&'static str];
    /// The policy if none is named.
    const USUAL_POLICY: &'static str;

    /// The map files, if there are any.
    fn files() -> Option<Files<Self::Map>>;
    /// The built-in maps.
    fn builtin() -> Vec<(&'static str, Self::Map)>;
    /// The maps that are played mixed if no others are named.
    fn mixed() -> Result<Vec<Named<Self::Map>>, CliError>;

    /// Names that `--policy` takes, and what they stand for.
    fn policies() -> Vec<(&'static str, &'static str)>;
    /// What the options ask for.
    fn setup(args: &PlayArgs) -> Result<Self::Setup, CliError>;
    /// The policy of the playouts.
    fn policy(setup: &Self::Setup) -> Self::Policy;
    /// What is asked for, in words.
    fn describe(setup: &Self::Setup) -> String;
    /// What is asked for, as JSON and CSV name it: enough to repeat the run.
    fn fields(setup: &Self::Setup, start: &Self::Position) -> Vec<(&'static str, Value)>;
    /// Where a game on the map starts.
    fn start(map: &Self::Map, setup: &Self::Setup) -> Self::Position;
    /// The seats that are taken.
    fn seats(_: &Self::Position) -> &'static [&'static str] {
        Self::SEATS
    }

    /// How fair a map is, by the tally of so many seats.
    fn measures(tally: &Tally, seats: usize) -> Vec<Measure>;
}

/// A game with maps that can be drawn.
pub trait MapGame: CliGame {
    /// The map as a picture.
    fn svg(map: &Self::Map) -> String;
    /// The map as text, perhaps in colours.
    fn terminal(map: &Self::Map, colour: bool) -> String;
}

fn policy_names<G: CliGame>() -> Vec<&'static str> {
    G::policies().into_iter().map(|(name, _)| name).collect()
}

/// Maps that a generator mixes, and their seed.
const MIXED_MAPS: u64 = 64;
const MIXED_SEED: u64 = 1;

/// What a generator makes without options.
fn generated<M>(generate: impl Fn(u64, u64) -> Result<M, CliError>) -> Result<Vec<Named<M>>, CliError> {
    (0..MIXED_MAPS).map(|index| Ok((index.to_string(), generate(MIXED_SEED, index)?))).collect()
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
    type Setup = tubstap::Policy;
    const LENGTH: &'static str = "phases";
    const HAS_DRAWS: bool = true;
    const BENCH_MAPS: &'static [&'static str] = &["duel-6x6", "front-6x6"];
    const USUAL_POLICY: &'static str = "random";

    fn files() -> Option<Files<Self::Map>> {
        let read = |path: &Path| tubstap::file::read(path).map(|parsed| (parsed.map, parsed.warnings));
        Some(Files { ending: "tbsmap", read })
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        tubstap::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }

    fn mixed() -> Result<Vec<Named<Self::Map>>, CliError> {
        generated(|seed, index| {
            tubstap::generate::generate(&tubstap::generate::Recipe::default(), seed, index)
                .map_err(|error| CliError::Failed(format!("map {index} cannot be generated: {error}")))
        })
    }

    fn policies() -> Vec<(&'static str, &'static str)> {
        let about = |policy| match policy {
            tubstap::Policy::Random => "A random unit does a random thing, to the end of the game",
            tubstap::Policy::Muct => "The rollout of M-UCT: attacks in four of five cases",
            tubstap::Policy::Mss => "The rollout of MSSystem: attack if possible, else approach; ten phases",
        };
        tubstap::Policy::ALL.map(|policy| (policy.name(), about(policy))).to_vec()
    }

    fn setup(args: &PlayArgs) -> Result<Self::Setup, CliError> {
        let name = args.policy.as_deref().unwrap_or(Self::USUAL_POLICY);
        let wanted = tubstap::Policy::ALL.into_iter().find(|policy| policy.name() == name);
        wanted.ok_or_else(|| no_such_policy::<Self>(name))
    }

    fn policy(setup: &Self::Setup) -> Self::Policy {
        *setup
    }

    fn describe(setup: &Self::Setup) -> String {
        format!("policy {}", setup.name())
    }

    fn fields(setup: &Self::Setup, _: &Self::Position) -> Vec<(&'static str, Value)> {
        vec![("policy", setup.name().into())]
    }

    fn start(map: &Self::Map, _: &Self::Setup) -> Self::Position {
        map.start()
    }

    fn measures(tally: &Tally, _: usize) -> Vec<Measure> {
        let (value, interval) = (stats::fitness(tally), stats::fitness_interval(tally));
        let text = format!("{value:.3} [{:.3},{:.3}]", interval.low, interval.high);
        let column = Some(Column::new("fitness", 19, text));
        vec![Measure { name: "fitness", value, interval: Some(interval), column }]
    }
}

impl MapGame for Tubstap {
    fn svg(map: &Self::Map) -> String {
        report::svg(map)
    }

    fn terminal(map: &Self::Map, colour: bool) -> String {
        report::terminal(map, colour)
    }
}

impl CliGame for Catan {
    type Map = catan::Map;
    type Setup = catan::Policy;
    const LENGTH: &'static str = "turns";
    const HAS_DRAWS: bool = false;
    const BENCH_MAPS: &'static [&'static str] = &["beginner", "lopsided"];
    const USUAL_POLICY: &'static str = "random";

    fn files() -> Option<Files<Self::Map>> {
        let read = |path: &Path| catan::file::read(path).map(|parsed| (parsed.map, parsed.warnings));
        Some(Files { ending: "catan", read })
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        catan::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }

    fn mixed() -> Result<Vec<Named<Self::Map>>, CliError> {
        generated(|seed, index| Ok(catan::generate::generate(&catan::generate::Recipe::default(), seed, index)))
    }

    fn policies() -> Vec<(&'static str, &'static str)> {
        let about = |strategy| match strategy {
            Strategy::Random => "A random one of the legal actions",
            Strategy::RandomS => "A random entry of the list SmartSettlers draws from",
            Strategy::Heuristic => "Builds what it lacks the fewest cards for",
        };
        Strategy::ALL.map(|strategy| (strategy.name(), about(strategy))).to_vec()
    }

    fn setup(args: &PlayArgs) -> Result<Self::Setup, CliError> {
        catan_policy(args.policy.as_deref().unwrap_or(Self::USUAL_POLICY), args.turn_cap)
    }

    fn policy(setup: &Self::Setup) -> Self::Policy {
        *setup
    }

    fn describe(setup: &Self::Setup) -> String {
        format!("policy {}, at most {} turns", seat_names(setup), setup.turn_cap)
    }

    fn fields(setup: &Self::Setup, _: &Self::Position) -> Vec<(&'static str, Value)> {
        vec![("policy", seat_names(setup).into()), ("turn_cap", setup.turn_cap.into())]
    }

    fn start(map: &Self::Map, _: &Self::Setup) -> Self::Position {
        catan::Position::start(map)
    }

    fn measures(tally: &Tally, seats: usize) -> Vec<Measure> {
        seat_measures(tally, seats)
    }
}

impl MapGame for Catan {
    fn svg(map: &Self::Map) -> String {
        report::catan::svg(map)
    }

    fn terminal(map: &Self::Map, colour: bool) -> String {
        report::catan::terminal(map, colour)
    }
}

/// What `--policy` and `--turn-cap` ask for.
pub fn catan_policy(names: &str, turn_cap: Option<u32>) -> Result<catan::Policy, CliError> {
    let strategy = |name: &str| {
        let wanted = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        wanted.ok_or_else(|| no_such_policy::<Catan>(name))
    };
    let strategies = names.split(',').map(strategy).collect::<Result<Vec<_>, _>>()?;
    let seats = match *strategies {
        [strategy] => [strategy; 4],
        [first, second, third, fourth] => [first, second, third, fourth],
        _ => {
            let text = format!("--policy takes one policy or four for {}, not {}", Catan::NAME, strategies.len());
            return Err(CliError::Usage(text));
        }
    };
    Ok(catan::Policy { seats, turn_cap: turn_cap.unwrap_or(catan::TURN_CAP) })
}

/// What `--policy` would ask for this with.
pub fn seat_names(policy: &catan::Policy) -> String {
    let [first, others @ ..] = policy.seats;
    if others.iter().all(|&other| other == first) {
        return first.name().into();
    }
    policy.seats.map(Strategy::name).join(",")
}

/// How equal the seats are.
pub fn seat_measures(tally: &Tally, seats: usize) -> Vec<Measure> {
    let wins = &tally.wins[..seats.min(tally.wins.len())];
    let n = tally.playouts;
    let points = |head: &str, share: f64| Some(Column::new(head, 0, or_dash(share, format!("{:.2}", 100.0 * share))));
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

fn or_dash(value: f64, text: String) -> String {
    if value.is_nan() { "-".into() } else { text }
}

/// That no policy of the game has this name.
pub fn no_such_policy<G: CliGame>(name: &str) -> CliError {
    CliError::Usage(format!("'{name}' is no policy of {} (there are {})", G::NAME, policy_names::<G>().join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        play: PlayArgs,
    }

    fn setup<G: CliGame>(line: &str) -> Result<G::Setup, CliError> {
        let line = Line::try_parse_from(["fairground"].into_iter().chain(line.split_whitespace()));
        G::setup(&line.map_err(|error| CliError::Usage(error.to_string()))?.play)
    }

    #[test]
    fn policies_are_parsed_from_the_names_they_print() {
        fn check<G: CliGame>() {
            let maps = G::builtin();
            for name in policy_names::<G>() {
                let setup = setup::<G>(&format!("--policy {name}")).expect("a name of the list");
                let fields = G::fields(&setup, &G::start(&maps[0].1, &setup));
                assert!(fields.contains(&("policy", name.into())), "{fields:?}");
                assert!(G::describe(&setup).starts_with(&format!("policy {name}")));
                assert!(policy_help().contains(name) && policy_long_help().contains(&format!("- {name}:")), "{name}");
            }
            assert!(policy_names::<G>().contains(&G::USUAL_POLICY));
            assert!(matches!(setup::<G>("--policy clever"), Err(CliError::Usage(_))));
        }
        check::<Tubstap>();
        check::<Catan>();
        check::<Saboteur>();
    }

    #[test]
    fn catan_takes_one_strategy_or_four_by_seat() {
        for strategy in Strategy::ALL {
            let mixed = format!("--turn-cap 7 --policy {},random,random,random", strategy.name());
            let policy = setup::<Catan>(&mixed).expect("four names");
            assert_eq!(policy.seats, [strategy, Strategy::Random, Strategy::Random, Strategy::Random]);
            assert_eq!(policy.turn_cap, 7);
            let again = format!("--turn-cap 7 --policy {}", seat_names(&policy));
            assert_eq!(setup::<Catan>(&again).ok(), Some(policy));
        }
        for wrong in ["random,random", "random,random,random,", ",", "random,random,random,random,random"] {
            assert!(matches!(setup::<Catan>(&format!("--policy {wrong}")), Err(CliError::Usage(_))), "{wrong}");
        }
    }

    #[test]
    fn map_names_and_endings_tell_the_games_apart() {
        let games = GameArg::value_variants();
        for (index, one) in games.iter().enumerate() {
            assert_eq!(one.to_possible_value().expect("no game is hidden").get_name(), one.name());
            for other in &games[..index] {
                assert!(one.ending().is_none() || one.ending() != other.ending());
                assert!(one.builtin_names().iter().all(|name| !other.builtin_names().contains(name)));
            }
        }
    }
}
