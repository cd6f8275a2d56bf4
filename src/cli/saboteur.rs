//! Saboteur as the command line knows it. What is judged is no map but a setting: how many play.

use fairground::batch::Tally;
use fairground::games::Game as _;
use fairground::games::saboteur::tables::{FEWEST_PLAYERS, MOST_PLAYERS};
use fairground::games::saboteur::{
    Extent, Game, Policy, Preset, Reading, SWITCHES, Saboteur, Strategy, Switch, WholeGames,
};
use serde_json::Value;

use super::CliError;
use super::games::{CliGame, Files, GameArg, Measure, PlayArgs, goes_with, no_such_policy, seat_measures};
use super::maps::{self, Found, Named};

/// The part of a help text with the options of Saboteur.
pub const HEADING: &str = "Saboteur";

/// The strategies: name, what it is, and how it follows from the reading that the options give. Everything else on the
/// command line takes them from here.
const STRATEGIES: &[(&str, &str, Make)] = &[
    ("random", "A random one of the legal actions", |_| Strategy::Random),
    ("paper", "The agent of Ohata, Ito and Tajima, in the reading of --preset", Strategy::Paper),
    ("full", "Uses every card, and guesses the others' roles from what they do", |_| Strategy::Full),
];
/// A strategy of a reading.
type Make = fn(Reading) -> Strategy;
/// The strategy that readings are of.
const PAPER: &str = "paper";

/// The names of the settings, by players from three on.
const SETTINGS: [&str; MOST_PLAYERS - FEWEST_PLAYERS + 1] =
    ["3-players", "4-players", "5-players", "6-players", "7-players", "8-players", "9-players", "10-players"];

/// How Saboteur is played: options of several commands.
#[derive(Debug, clap::Args)]
pub struct SaboteurArgs {
    /// Numbers of players, separated by commas: short for the maps 3-players to 10-players
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = parse_players, help_heading = HEADING)]
    players: Vec<usize>,

    /// How the paper is read: plain, A or R1 [default: A]
    #[arg(long, value_name = "NAME", value_parser = parse_preset, help_heading = HEADING)]
    preset: Option<Preset>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Points for a distance of one column and one row, whole numbers up to 1000 [default: 80:20]
    #[arg(long, value_name = "X:Y", value_parser = parse_weights, help_heading = HEADING)]
    weights: Option<[u16; 2]>,

    /// What the cards not yet on the table add (the paper's E_card): none, mean or sum [default: none]
    #[arg(long, value_name = "HOW", value_parser = parse_counted_cards, help_heading = HEADING)]
    counted_cards: Option<Setting>,
}

/// A reading of the paper, switch by switch, and its board.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    #[arg(long = "reading", value_name = "SWITCH=VALUE", value_delimiter = ',', value_parser = parse_switch)]
    #[arg(help = "Set a switch of the reading; may be repeated (--help lists them)", long_help = switches_help())]
    #[arg(help_heading = HEADING)]
    pub switches: Vec<Setting>,

    /// The edges of the board: preset, paper, widest or LEFT,RIGHT,BOTTOM,TOP; the start is 0,0 [default: preset if
    /// anybody plays `paper`, otherwise widest]
    #[arg(long, value_name = "EDGES", allow_hyphen_values = true, value_parser = parse_board, help_heading = HEADING)]
    pub board: Option<BoardArg>,
}

/// A switch and the number of a value.
type Setting = (&'static Switch, usize);

/// A board as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardArg {
    /// That of the preset.
    Preset,
    /// This one.
    Edges(Extent),
}

fn parse_players(text: &str) -> Result<usize, String> {
    let players = text.parse().ok().filter(|players| (FEWEST_PLAYERS..=MOST_PLAYERS).contains(players));
    players.ok_or_else(|| format!("there are rules for {FEWEST_PLAYERS} to {MOST_PLAYERS} players"))
}

/// The preset of this name.
pub fn parse_preset(text: &str) -> Result<Preset, String> {
    let wanted = Preset::ALL.into_iter().find(|preset| preset.name().eq_ignore_ascii_case(text));
    wanted.ok_or_else(|| format!("there are {}", Preset::ALL.map(Preset::name).join(", ")))
}

fn parse_weights(text: &str) -> Result<[u16; 2], String> {
    let weight = |text: &str| text.parse().ok().filter(|weight| *weight <= MAX_WEIGHT);
    let weights = text.split_once(':').and_then(|(across, along)| Some([weight(across)?, weight(along)?]));
    weights.ok_or_else(|| format!("expected two whole numbers up to {MAX_WEIGHT}, such as 80:20"))
}

/// The kernel's scores have room for no more.
const MAX_WEIGHT: u16 = 1000;

fn parse_switch(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("expected SWITCH=VALUE, such as discard=uniform")?;
    let names = || SWITCHES.iter().map(|switch| switch.name).collect::<Vec<_>>().join(", ");
    let switch = Switch::from_name(name).ok_or_else(|| format!("there is no such switch, but {}", names()))?;
    let value = switch.values.iter().position(|&known| known == value);
    Ok((switch, value.ok_or_else(|| format!("{name} is one of {}", switch.values.join(", ")))?))
}

fn parse_counted_cards(text: &str) -> Result<Setting, String> {
    parse_switch(&format!("counted-cards={text}"))
}

fn parse_board(text: &str) -> Result<BoardArg, String> {
    let Extent { left, right, bottom, top } = Extent::WIDEST;
    let wrong = || {
        format!(
            "expected preset, paper, widest or the edges LEFT,RIGHT,BOTTOM,TOP around the start 0,0 and at most \
             {left},{right},{bottom},{top}"
        )
    };
    match text {
        "preset" => Ok(BoardArg::Preset),
        "paper" => Ok(BoardArg::Edges(Extent::PAPER)),
        "widest" => Ok(BoardArg::Edges(Extent::WIDEST)),
        edges => {
            let edges: Option<Vec<i8>> = edges.split(',').map(|edge| edge.trim().parse().ok()).collect();
            let Some(&[left, right, bottom, top]) = edges.as_deref() else { return Err(wrong()) };
            let extent = Extent { left, right, bottom, top };
            if extent.clamped() == extent && extent.contains(0, 0) { Ok(BoardArg::Edges(extent)) } else { Err(wrong()) }
        }
    }
}

fn switches_help() -> String {
    let line = |switch: &Switch| format!("- {}={}: {}", switch.name, switch.values.join("|"), switch.about);
    let lines: Vec<_> = SWITCHES.iter().map(line).collect();
    format!("Set a switch of the reading; may be repeated\n\n{}", lines.join("\n"))
}

impl SaboteurArgs {
    /// The maps that are named, by their names or by numbers of players, and the game.
    pub fn find(&self, maps: &[String], game: Option<GameArg>) -> Result<Found, CliError> {
        let settings = self.players.iter().filter_map(|players| SETTINGS.get(players - FEWEST_PLAYERS));
        let names: Vec<_> = maps.iter().cloned().chain(settings.map(|&name| name.into())).collect();
        if game.is_some_and(|game| game != GameArg::Saboteur) {
            self.refuse()?;
        }
        // Options that only Saboteur has say which game is meant.
        let implied = if maps.is_empty() { self.given().next().map(|_| GameArg::Saboteur) } else { None };
        maps::find(&names, game.or(implied))
    }

    /// Those of these options that were given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            (!self.players.is_empty(), "--players"),
            (self.preset.is_some(), "--preset"),
            (!self.reading.switches.is_empty(), "--reading"),
            (self.weights.is_some(), "--weights"),
            (self.counted_cards.is_some(), "--counted-cards"),
            (self.reading.board.is_some(), "--board"),
        ];
        options.into_iter().filter(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// Says that these options go with another game, if any was given.
    pub fn refuse(&self) -> Result<(), CliError> {
        self.given().next().map_or(Ok(()), |option| Err(goes_with(option, GameArg::Saboteur)))
    }

    /// What these options ask for of players with these strategies: one for all, or the diggers' and the saboteurs'.
    pub fn setup(&self, policy: Option<&str>) -> Result<Setup, CliError> {
        let names = policy.unwrap_or(Saboteur::USUAL_POLICY);
        let preset = self.preset.unwrap_or(Preset::A);
        let [across, along] = self.weights.unwrap_or([Reading::A.across, Reading::A.along]);
        let reading = self.reading.apply(preset.reading().weighted(across, along));
        let reading = self.counted_cards.map_or(reading, |(switch, value)| switch.set(reading, value));
        let strategy = |name: &str| {
            let known = STRATEGIES.iter().find(|(known, ..)| *known == name);
            known.map(|(_, _, make)| make(reading)).ok_or_else(|| no_such_policy::<Saboteur>(name))
        };
        let roles = names.split(',').map(strategy).collect::<Result<Vec<_>, _>>()?;
        let policy = match *roles {
            [all] => Policy::all(all),
            [diggers, saboteurs] => Policy { diggers, saboteurs },
            _ => {
                let text = format!("--policy takes one policy or two for {}, not {}", Saboteur::NAME, roles.len());
                return Err(CliError::Usage(text));
            }
        };
        let has_paper = names.split(',').any(|name| name == PAPER);
        if let Some(option) = self.given().find(|option| !["--players", "--board"].contains(option))
            && !has_paper
        {
            return Err(CliError::Usage(format!("{option} says how `{PAPER}` plays, and nobody plays it here")));
        }
        let usual = if has_paper { preset.extent() } else { Extent::WIDEST };
        let extent = self.reading.extent(preset, usual);
        Ok(Setup { names: names.to_owned(), policy, paper: has_paper.then_some((preset, reading)), extent })
    }
}

impl ReadingArgs {
    /// The reading with the switches that are set.
    pub fn apply(&self, reading: Reading) -> Reading {
        self.switches.iter().fold(reading, |reading, (switch, value)| switch.set(reading, *value))
    }

    /// The board that is asked for.
    pub fn extent(&self, preset: Preset, usual: Extent) -> Extent {
        match self.board {
            None => usual,
            Some(BoardArg::Preset) => preset.extent(),
            Some(BoardArg::Edges(extent)) => extent,
        }
    }
}

/// What the options ask for.
#[derive(Clone, Debug)]
pub struct Setup {
    names: String,
    pub policy: Policy,
    /// The preset and the reading that came of it, if anybody plays `paper`.
    paper: Option<(Preset, Reading)>,
    pub extent: Extent,
}

impl Setup {
    /// In words.
    pub fn describe(&self) -> String {
        let reading = self.paper.map(|(preset, reading)| {
            let changes = changes(preset.reading(), reading);
            let changes = if changes.is_empty() { changes } else { format!(" with {changes}") };
            format!(" in reading {}{changes}, weights {}", preset.name(), weights(reading))
        });
        format!("policy {}{}, board {}", self.names, reading.unwrap_or_default(), edges(self.extent))
    }

    fn fields(&self, game: &Game, is_whole: bool) -> Vec<(&'static str, Value)> {
        let of_paper = |value: fn(Preset, Reading) -> String| -> Value {
            self.paper.map_or(Value::Null, |(preset, reading)| value(preset, reading).into())
        };
        vec![
            ("policy", self.names.clone().into()),
            ("preset", of_paper(|preset, _| preset.name().into())),
            ("reading", of_paper(|preset, reading| changes(preset.reading(), reading))),
            ("weights", of_paper(|_, reading| weights(reading))),
            ("board", edges(game.position.board().extent()).into()),
            ("players", game.position.players().into()),
            ("whole_games", is_whole.into()),
        ]
    }
}

/// The switches in which a reading differs from another, as `--reading` takes them.
pub fn changes(from: Reading, to: Reading) -> String {
    let differ = SWITCHES.iter().filter(|switch| switch.get(&from) != switch.get(&to));
    differ.map(|switch| format!("{}={}", switch.name, switch.value(&to))).collect::<Vec<_>>().join(",")
}

fn weights(reading: Reading) -> String {
    format!("{}:{}", reading.across, reading.along)
}

/// The edges of a board, as `--board` takes them.
pub fn edges(Extent { left, right, bottom, top }: Extent) -> String {
    format!("{left},{right},{bottom},{top}")
}

macro_rules! impl_cli_game {
    ($game:ident, $is_whole:literal, $seats:expr, $measures:expr) => {
        impl CliGame for $game {
            /// The number of players.
            type Map = usize;
            type Setup = Setup;
            const LENGTH: &'static str = "turns";
            const HAS_DRAWS: bool = true;
            const BENCH_MAPS: &'static [&'static str] = &["6-players"];
            const USUAL_POLICY: &'static str = PAPER;

            fn files() -> Option<Files<usize>> {
                None
            }

            fn builtin() -> Vec<(&'static str, usize)> {
                SETTINGS.into_iter().zip(FEWEST_PLAYERS..).collect()
            }

            fn mixed() -> Result<Vec<Named<usize>>, CliError> {
                Ok(Self::builtin().into_iter().map(|(name, players)| (name.into(), players)).collect())
            }

            fn policies() -> Vec<(&'static str, &'static str)> {
                STRATEGIES.iter().map(|&(name, about, _)| (name, about)).collect()
            }

            fn setup(args: &PlayArgs) -> Result<Setup, CliError> {
                args.saboteur.setup(args.policy.as_deref())
            }

            fn policy(setup: &Setup) -> Policy {
                setup.policy
            }

            fn describe(setup: &Setup) -> String {
                setup.describe()
            }

            fn fields(setup: &Setup, start: &Game) -> Vec<(&'static str, Value)> {
                setup.fields(start, $is_whole)
            }

            fn start(players: &usize, setup: &Setup) -> Game {
                Game::start(*players, setup.extent).expect("settings are of numbers of players with rules")
            }

            fn seats(start: &Game) -> &'static [&'static str] {
                &Self::SEATS[..$seats(start)]
            }

            fn measures(tally: &Tally, seats: usize) -> Vec<Measure> {
                $measures(tally, seats)
            }
        }
    };
}

impl_cli_game!(Saboteur, false, |_| Saboteur::SEATS.len(), |_: &Tally, _| Vec::new());
impl_cli_game!(WholeGames, true, |start: &Game| start.position.players(), seat_measures);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_after_their_players() {
        for (name, players) in Saboteur::builtin() {
            assert_eq!(name, format!("{players}-players"));
        }
        assert!(Saboteur::BENCH_MAPS.iter().all(|name| SETTINGS.contains(name)));
        assert!(STRATEGIES.iter().any(|(name, ..)| *name == PAPER));
    }

    #[test]
    fn every_change_of_a_reading_is_parsed_from_what_it_prints() {
        for switch in SWITCHES {
            for value in 0..switch.values.len() {
                let reading = switch.set(Reading::R1, value);
                let text = changes(Reading::R1, reading);
                assert_eq!(text.is_empty(), reading == Reading::R1);
                for part in text.split(',').filter(|part| !part.is_empty()) {
                    let (switch, value) = parse_switch(part).expect("what is printed");
                    assert_eq!(switch.set(Reading::R1, value), reading);
                }
            }
            assert!(switches_help().contains(switch.name));
        }
        assert!(parse_switch("discard").is_err() && parse_switch("discard=all").is_err());
    }

    #[test]
    fn boards_and_weights_are_checked() {
        for extent in [Extent::PAPER, Extent::WIDEST, Preset::Plain.extent()] {
            assert_eq!(parse_board(&edges(extent)), Ok(BoardArg::Edges(extent)));
        }
        for wrong in ["", "1,2,3", "1,8,-2,2", "-1,8,-2,99", "-1,8,2,3", "-22,8,-4,4", "a,b,c,d", "-1,8,-4,4,4"] {
            assert!(parse_board(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_weights("100:0"), Ok([100, 0]));
        for wrong in ["80", "80:20:0", "80:-20", "1001:0", "0.5:0.5", ":"] {
            assert!(parse_weights(wrong).is_err(), "{wrong}");
        }
    }
}
