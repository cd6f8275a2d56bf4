//! The rules engine against games logged by catanatron and longest roads measured by JSettlers.
//!
//! catanatron departs from the official rules in a few places ("quirks", numbered as in the README of the data). The
//! replay expects each of them where it can occur, by name, and nowhere else. After one that changes the board or a
//! hand the logged result is taken over and everything else is still compared.
//!
//! `FAIRGROUND_GOLDEN` names the data folder; see `common/records.rs` for its default.

#[path = "common/records.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod records;

use std::collections::BTreeSet;

use fairground::games::catan::tables::{EDGE_NODES, EDGES, HEXES, NODES, PORTS, RESOURCES, SEATS, WINNING_POINTS};
use fairground::games::catan::{
    Action, Card, Cards, Chance, Map, Phase, Port, Position, Resource, Roads, longest_road, wall,
};
use records::{records, some_are_there};
use serde::Deserialize;
use serde_json::Value;

#[test]
fn there_is_something_to_conform_to() {
    some_are_there("catan/golden");
}

#[derive(Deserialize)]
struct Game {
    hex_res: [i8; HEXES],
    hex_num: [u8; HEXES],
    port_type: [usize; PORTS],
    dev_draw_order: Vec<usize>,
    init: Value,
    winner: i8,
    #[serde(default)]
    official_illegal_steps: Vec<usize>,
    steps: Vec<(u8, String, Value, Vec<String>, State)>,
}

/// The state after a step, in the order of the record.
#[derive(Deserialize, Debug, PartialEq, Clone)]
struct State {
    buildings: String,
    roads: String,
    hands: [[u8; RESOURCES]; SEATS],
    cards: [[u8; 5]; SEATS],
    played: [[u8; 5]; SEATS],
    points: [u8; SEATS],
    public_points: [u8; SEATS],
    catanatron_road_owner: i8,
    catanatron_road_lengths: [u8; SEATS],
    army_owner: i8,
    robber: u8,
    bank: [u8; RESOURCES],
    deck: u8,
    decider: u8,
    mover: u8,
    prompt: String,
    turns: u32,
    road_lengths: [u8; SEATS],
    road_owner: i8,
}

fn resource(index: usize) -> Resource {
    Resource::from_index(index).expect("a resource")
}

fn owner(holder: Option<u8>) -> i8 {
    holder.map_or(-1, |seat| seat as i8)
}

fn holder(owner: i8) -> Option<u8> {
    u8::try_from(owner).ok()
}

impl Game {
    fn map(&self) -> Map {
        Map {
            tiles: self.hex_res.map(|tile| usize::try_from(tile).ok().map(resource)),
            tokens: self.hex_num,
            ports: self.port_type.map(|kind| Resource::from_index(kind).map_or(Port::Three, Port::Two)),
            name: None,
            comment: None,
        }
    }
}

/// The position as a record would state it. Points and the road's owner are the official ones.
fn state(position: &Position) -> State {
    let players = &position.players;
    let mut buildings = vec!['.'; NODES];
    let mut roads = vec!['.'; EDGES];
    for (seat, player) in (0..).zip(players) {
        for node in wall::nodes(player.buildings) {
            let is_city = player.cities & wall::node_bit(node) != 0;
            buildings[usize::from(node)] = char::from(if is_city { b'a' + seat } else { b'0' + seat });
        }
        for edge in player.roads.edges() {
            roads[usize::from(edge)] = char::from(b'0' + seat);
        }
    }
    let seats = [0, 1, 2, 3];
    // catanatron counts a change of seat in the set-up as a turn, and asks seats 0 to 3 in this order to discard.
    let set_up_turns = u32::from(position.placed - u8::from(position.placed >= 4)).min(6);
    let first_owing = position.owed.iter().position(|&owed| owed > 0);
    State {
        buildings: buildings.into_iter().collect(),
        roads: roads.into_iter().collect(),
        hands: players.map(|player| player.hand.counts()),
        cards: players.map(|player| player.cards.counts()),
        played: players.map(|player| player.played.counts()),
        points: seats.map(|seat| position.points(seat)),
        public_points: seats.map(|seat| position.public_points(seat)),
        catanatron_road_owner: -1,
        catanatron_road_lengths: [0; SEATS],
        army_owner: owner(position.largest_army),
        robber: position.robber,
        bank: position.bank.counts(),
        deck: position.deck.total() as u8,
        decider: first_owing.map_or(position.mover, |seat| seat as u8),
        mover: position.mover,
        prompt: match position.phase {
            Phase::SetUpSettlement => "BUILD_INITIAL_SETTLEMENT",
            Phase::SetUpRoad => "BUILD_INITIAL_ROAD",
            Phase::Turn | Phase::FreeRoads => "PLAY_TURN",
            Phase::Discard => "DISCARD",
            Phase::Robber => "MOVE_ROBBER",
            Phase::Answer => "ANSWER",
        }
        .to_owned(),
        turns: position.turn + set_up_turns,
        road_lengths: players.map(|player| player.road_length()),
        road_owner: owner(position.longest_road),
    }
}

/// What catanatron calls an action.
fn code(position: &Position, action: Action) -> String {
    match action {
        Action::Settlement(node) => format!("S{node}"),
        Action::City(node) => format!("C{node}"),
        Action::Road(edge) => format!("R{edge}"),
        Action::Roll => "ROLL".to_owned(),
        Action::EndTurn => "END".to_owned(),
        Action::BuyCard => "BUY".to_owned(),
        Action::Knight => "K".to_owned(),
        Action::RoadBuilding => "RB".to_owned(),
        Action::YearOfPlenty(a, b) => format!("Y{}{}", a.index(), b.index()),
        Action::Monopoly(resource) => format!("M{}", resource.index()),
        Action::BankTrade { give, get } => {
            let rate = position.own().rates()[give.index()];
            format!("T{rate}{}{}", give.index(), get.index())
        }
        Action::Discard { card, .. } => format!("D{}", card.index()),
        Action::MoveRobber { hex, victim: Some(victim) } => format!("V{hex}:{victim}"),
        Action::MoveRobber { hex, victim: None } => format!("V{hex}:-"),
        Action::Offer(_) | Action::Answer(_) => panic!("catanatron's players do not trade"),
    }
}

/// The action of a seat with this code.
fn action(seat: u8, code: &str) -> Action {
    let number = |text: &str| text.parse::<u8>().unwrap_or_else(|error| panic!("{code}: {error}"));
    let digit = |place: usize| resource(usize::from(number(&code[place..=place])));
    match code {
        "ROLL" => Action::Roll,
        "END" => Action::EndTurn,
        "BUY" => Action::BuyCard,
        "K" => Action::Knight,
        "RB" => Action::RoadBuilding,
        _ => match &code[..1] {
            "S" => Action::Settlement(number(&code[1..])),
            "C" => Action::City(number(&code[1..])),
            "R" => Action::Road(number(&code[1..])),
            "Y" => Action::YearOfPlenty(digit(1), digit(2)),
            "M" => Action::Monopoly(digit(1)),
            "T" => Action::BankTrade { give: digit(2), get: digit(3) },
            "D" => Action::Discard { seat, card: digit(1) },
            "V" => {
                let (hex, victim) = code[1..].split_once(':').expect("hex and victim");
                Action::MoveRobber { hex: number(hex), victim: (victim != "-").then(|| number(victim)) }
            }
            _ => panic!("unknown action {code}"),
        },
    }
}

fn chance(action: Action, result: &Value) -> Chance {
    let number = |value: &Value| value.as_u64().map(|number| number as usize);
    match action {
        Action::Roll => {
            let die = |place: usize| number(&result[place]).expect("a die") as u8;
            Chance::Dice([die(0), die(1)])
        }
        Action::BuyCard => Chance::Drawn(number(result).and_then(Card::from_index).expect("a card")),
        _ => number(result).map_or(Chance::None, |stolen| Chance::Stolen(resource(stolen))),
    }
}

/// How often each quirk was met.
#[derive(Debug, Default)]
struct Quirks {
    /// 1: lengths of roads that are not the official ones.
    lengths: u32,
    /// 1: another owner of the longest road.
    road_owner: u32,
    /// 2: roads offered out of a node that an opponent has taken since.
    roads_offered: u32,
    /// 2: such roads built.
    roads_built: u32,
    /// 3: the last cards of the bank kept from the one player who is owed them.
    shortages: u32,
    /// 4: a year of plenty for one card.
    single_plenty: u32,
    /// 5: games that the official rules would have ended earlier, or not yet.
    other_ends: u32,
}

/// Quirk 2: a free edge next to one of the mover's roads, where an opponent has a building.
fn leaves_a_taken_node(position: &Position, edge: u8) -> bool {
    let road = Roads::of(edge);
    let enemies = position.occupied() & !position.own().buildings;
    let is_free = (position.taken() & road).is_empty();
    let [a, b] = EDGE_NODES[usize::from(edge)].map(wall::node_bit);
    is_free && [a, b].iter().any(|end| end & enemies & position.own().roads.touched() != 0)
}

/// Compares the legal actions with the logged ones, apart from quirks 1, 2 and 4.
fn compare_actions(at: &str, position: &Position, seat: u8, logged: &[String], quirks: &mut Quirks) {
    let is_its = |action: &Action| !matches!(action, Action::Discard { seat: other, .. } if *other != seat);
    let ours: BTreeSet<String> = position
        .legal_actions()
        .into_iter()
        .filter(is_its)
        .inspect(|&action| assert_eq!(position.check(action), Ok(()), "{at}: {action:?}"))
        .map(|action| code(position, action))
        .collect();
    let logged: BTreeSet<String> = logged.iter().cloned().collect();
    let missing: Vec<_> = ours.difference(&logged).collect();
    assert!(missing.is_empty(), "{at}: not in the log: {missing:?}");
    for extra in logged.difference(&ours) {
        let bytes = extra.as_bytes();
        let is_extra_road = match extra.strip_prefix('R').map(str::parse) {
            Some(Ok(edge)) => leaves_a_taken_node(position, edge),
            // Road building for nothing but such roads.
            Some(Err(_)) => extra == "RB" && (0..EDGES as u8).any(|edge| leaves_a_taken_node(position, edge)),
            None => false,
        };
        if is_extra_road {
            quirks.roads_offered += 1;
        } else if bytes[0] == b'Y' && bytes.len() == 2 {
            let card = usize::from(bytes[1] - b'0');
            assert!(position.bank.count(card) > 0, "{at}: {extra}");
            quirks.single_plenty += 1;
        } else {
            panic!("{at}: {extra} is in the log but not legal here");
        }
    }
}

/// Quirk 3: takes back what the only player who is owed a short resource got.
fn undo_single_shortage(position: &mut Position, before: &Position, logged: &State, quirks: &mut Quirks) {
    for kind in 0..RESOURCES {
        let rest = before.bank.count(kind);
        let got = |seat: usize| position.players[seat].hand.count(kind) - before.players[seat].hand.count(kind);
        let receivers: Vec<_> = (0..SEATS).filter(|&seat| got(seat) > 0).collect();
        if let [seat] = receivers[..]
            && got(seat) == rest
            && position.bank.count(kind) == 0
            && logged.bank[kind] == rest
            && logged.hands[seat][kind] == before.players[seat].hand.count(kind)
        {
            position.players[seat].hand -= Cards::of(kind, rest);
            position.bank += Cards::of(kind, rest);
            quirks.shortages += 1;
        }
    }
}

/// Quirk 4: a year of plenty for one card, as the log has it.
fn take_single_plenty(position: &mut Position, card: usize) {
    let seat = usize::from(position.mover);
    let plenty = Cards::one(Card::YearOfPlenty.index());
    position.players[seat].cards -= plenty;
    position.players[seat].played += plenty;
    position.players[seat].hand += Cards::one(card);
    position.bank -= Cards::one(card);
    position.card_played = true;
}

fn replay(at: &str, game: &Game, quirks: &mut Quirks) {
    let mut position = Position::start(&game.map());
    let init = state(&position);
    let [first, second] = [&game.init[0], &game.init[1]].map(|text| text.as_str().expect("a board"));
    assert_eq!((&*init.buildings, &*init.roads), (first, second), "{at}: start");
    assert_eq!(game.init[10], init.robber, "{at}: the robber's first hex");
    let mut bought = 0;
    let mut catanatron_owner = -1;
    for (number, (seat, name, result, legal, logged)) in game.steps.iter().enumerate() {
        let at = format!("{at}, step {number}, {name} of seat {seat}");
        // Quirk 1: whether the game is over is judged with catanatron's owner of the longest road.
        let mut seen = position;
        seen.longest_road = holder(catanatron_owner);
        compare_actions(&at, &seen, *seat, legal, quirks);
        quirks.other_ends += u32::from(position.winner().is_some());

        let before = position;
        if name.len() == 2 && name.starts_with('Y') {
            take_single_plenty(&mut position, name[1..].parse().expect("a card"));
        } else {
            let action = action(*seat, name);
            let chance = chance(action, result);
            let is_illegal = game.official_illegal_steps.contains(&number);
            assert_eq!(seen.check(action).is_err(), is_illegal, "{at}: {:?}", seen.check(action));
            quirks.roads_built += u32::from(is_illegal);
            assert_eq!(position.check_chance(action, chance), Ok(()), "{at}");
            if let Chance::Drawn(card) = chance {
                assert_eq!(card.index(), game.dev_draw_order[bought], "{at}");
                bought += 1;
            }
            position.act(action, chance);
        }
        if name == "ROLL" {
            undo_single_shortage(&mut position, &before, logged, quirks);
        }
        compare_states(&at, &position, logged, quirks);
        catanatron_owner = logged.catanatron_road_owner;
    }
    let mut seen = position;
    seen.longest_road = holder(catanatron_owner);
    // Quirk 5: any seat with ten points has won, the highest of several. Quirk 7: nobody after 1000 turns.
    let winner = (0..SEATS as u8).rev().find(|&seat| seen.points(seat) >= WINNING_POINTS);
    assert_eq!(owner(winner), game.winner, "{at}: winner");
    quirks.other_ends += u32::from(position.winner() != winner);
}

/// Compares all fields; points after exchanging the owners of the longest road (quirk 1).
fn compare_states(at: &str, position: &Position, logged: &State, quirks: &mut Quirks) {
    let mut ours = state(position);
    let mut fresh = *position;
    fresh.refresh();
    assert_eq!(fresh, *position, "{at}: values that follow from others");
    quirks.road_owner += u32::from(logged.road_owner != logged.catanatron_road_owner);
    quirks.lengths += u32::from(logged.road_lengths != logged.catanatron_road_lengths);
    ours.catanatron_road_owner = logged.catanatron_road_owner;
    ours.catanatron_road_lengths = logged.catanatron_road_lengths;
    for (sign, owner) in [(-2, logged.road_owner), (2, logged.catanatron_road_owner)] {
        if let Ok(seat) = usize::try_from(owner) {
            for points in [&mut ours.points, &mut ours.public_points] {
                points[seat] = points[seat].checked_add_signed(sign).expect("points of a holder");
            }
        }
    }
    assert_eq!(ours, *logged, "{at}");
}

#[test]
fn logged_games_are_reproduced() {
    let mut quirks = Quirks::default();
    let (mut games, mut steps) = (0, 0);
    for (at, game) in records::<Game>("catan/golden/games") {
        replay(&at, &game, &mut quirks);
        games += 1;
        steps += game.steps.len();
    }
    println!("{games} games, {steps} steps, {quirks:?}");
}

#[derive(Deserialize)]
struct RoadCase {
    ops: Vec<(u8, String, u8)>,
    roads: [Vec<u8>; SEATS],
    buildings: [Vec<u8>; SEATS],
    official: [u8; SEATS],
    official_owner: i8,
    jsettlers: [u8; SEATS],
    jsettlers_owner: i8,
}

#[test]
fn longest_roads_are_the_official_ones() {
    for (at, case) in records::<RoadCase>("catan/golden/longest_road") {
        let mut buildings = [0; SEATS];
        let mut roads = [Roads::NONE; SEATS];
        let mut lengths = [0; SEATS];
        let mut holder = None;
        for (seat, kind, id) in &case.ops {
            let seat = usize::from(*seat);
            let blocked =
                |buildings: [u64; SEATS], seat: usize| buildings.iter().fold(0, |a, b| a | b) & !buildings[seat];
            if kind == "S" {
                buildings[seat] |= wall::node_bit(*id);
                for other in 0..SEATS {
                    lengths[other] = longest_road::length(roads[other], blocked(buildings, other));
                }
            } else {
                let road = Roads::of(*id);
                roads[seat] |= road;
                let blocked = blocked(buildings, seat);
                lengths[seat] = longest_road::length_with(roads[seat], road, blocked, lengths[seat]);
                assert_eq!(lengths[seat], longest_road::length(roads[seat], blocked), "{at}: {seat} {kind}{id}");
            }
            holder = longest_road::holder(lengths, holder);
        }
        for seat in 0..SEATS {
            assert!(case.roads[seat].iter().eq(BTreeSet::from_iter(roads[seat].edges()).iter()), "{at}");
            let nodes = BTreeSet::from_iter(wall::nodes(buildings[seat]));
            assert!(case.buildings[seat].iter().eq(nodes.iter()), "{at}");
        }
        assert_eq!((lengths, owner(holder)), (case.official, case.official_owner), "{at}");
        assert_eq!((lengths, owner(holder)), (case.jsettlers, case.jsettlers_owner), "{at}: JSettlers");
    }
}
