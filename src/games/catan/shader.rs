//! The compute shader: a prelude of numbers from the tables and the packed layout, then
//! the files of `shaders/catan*.wgsl` that the policy needs, then the functions that call the players' strategies.

use std::fmt::Write;
use std::mem::offset_of;

use fairground_kernels::catan::heuristic::MONOPOLY_PAYS;
use fairground_kernels::catan::packed::NOBODY;
use fairground_kernels::catan::tables::{
    BANK, CARD_COST, CITY_COST, HAND_LIMIT, HEXES, LARGEST_ARMY, LONGEST_ROAD, PIECES, RESOURCES, ROAD_COST, SEATS,
    SETTLEMENT_COST, WINNING_POINTS,
};
use fairground_kernels::catan::wall::{ALL_EDGES, ALL_NODES, HEX_CORNERS, STRIDE};
use fairground_kernels::catan::{Cards, Packed, PackedPlayer, Phase, Policy, Strategy, misc};

use super::pieces::{Card, Resource};
use crate::batch::gpu;

/// Words of a lane: `KEPT_PLAYER_WORDS` of the shader four times, the rest of the position, the search. The strategy
/// random-s has one more.
const LANE_WORDS: usize = 4 * 16 + 12 + 14;

/// Cards a seat discards in one step.
const DISCARDS: u32 = 8;
/// Steps of the flood that finds the network of a road, in one step of a playout; most networks need fewer.
const FLOOD_STEPS: u32 = 16;
/// Steps of the search for the longest trail of a network with a cycle, in one step of a playout.
const WALK_STEPS: u32 = 48;

/// The shader that plays this policy.
pub(super) fn shader(policy: Policy) -> gpu::Shader {
    let [has_random_s, has_heuristic] = [Strategy::RandomS, Strategy::Heuristic].map(|it| policy.seats.contains(&it));
    let parts = [
        (include_str!("../../../shaders/catan_position.wgsl"), true),
        (include_str!("../../../shaders/catan_road.wgsl"), true),
        (include_str!("../../../shaders/catan.wgsl"), true),
        (include_str!("../../../shaders/catan_random_s.wgsl"), has_random_s),
        (include_str!("../../../shaders/catan_heuristic.wgsl"), has_heuristic),
    ];
    let mut source = prelude(policy);
    parts.iter().filter(|(_, is_needed)| *is_needed).for_each(|(part, _)| source.push_str(part));
    source.push_str(&strategies(policy));
    let lane_words = LANE_WORDS + usize::from(has_random_s);
    gpu::Shader { source, lane_words, iterations: iterations(has_heuristic) }
}

/// The most loop iterations of one step, as [`gpu::Shader::iterations`] counts them.
const fn iterations(has_heuristic: bool) -> u32 {
    // Each loop once more than it does something.
    let over_resources = RESOURCES as u32 + 1;
    let over_hexes = HEXES as u32 + 1;
    let over_ports = over_resources + 1;
    let building = 3 + 1 + over_ports;
    let production = over_hexes + over_resources;
    let search = FLOOD_STEPS + 1 + WALK_STEPS + 1;
    let step = DISCARDS + 1 + building + production + search;
    // Between two bursts of steps a playout may end and another begin.
    let end = ((offset_of!(Packed, turn) - offset_of!(Packed, offer)) / 4) as u32 + 1;
    // The heuristic reads the map as well, and once more when a dispatch takes up a playout.
    let begin = (over_hexes + over_ports) * if has_heuristic { 2 } else { 1 };
    if step > end + begin { step } else { end + begin }
}

/// What the players' strategies do, by the strategy of the player who has to.
fn strategies(policy: Policy) -> String {
    use Strategy::{Heuristic, Random, RandomS};
    let mover = |call_of: fn(Strategy) -> &'static str| by_seat(policy, "mover", call_of);
    let options = mover(|strategy| match strategy {
        Random | RandomS => "choices()",
        Heuristic => "heuristic_options()",
    });
    let choice = mover(|strategy| match strategy {
        Random | Heuristic => "random_choice(all)",
        RandomS => "random_s_choice(all)",
    });
    let discard = by_seat(policy, "seat", |strategy| match strategy {
        Random | RandomS => "draw_kind(hand)",
        Heuristic => "most_cards(hand)",
    });
    let robbery = mover(|strategy| match strategy {
        Random => "random_robbery(robberies)",
        RandomS => "random_s_robbery()",
        Heuristic => "heuristic_robbery(robberies)",
    });
    let if_used = |strategy, calls| if policy.seats.contains(&strategy) { calls } else { ["", "", ""] };
    let random_s = ["begin_random_s();", "restore_random_s(lane);", "suspend_random_s(lane);"];
    let [begin_s, restore_s, suspend_s] = if_used(RandomS, random_s);
    let [begin_h, restore_h, suspend_h] = if_used(Heuristic, ["begin_heuristic();", "begin_heuristic();", ""]);
    format!(
        "fn options() -> Choices {{ {options} }}
fn choose(all: Choices) -> Choice {{ {choice} }}
fn choose_discard(seat: u32, hand: vec2<u32>) -> u32 {{ {discard} }}
fn choose_robbery(robberies: vec2<u32>) -> u32 {{ {robbery} }}
fn begin_strategies() {{ {begin_s} {begin_h} }}
fn restore_strategies(lane: u32) {{ {restore_s} {restore_h} }}
fn suspend_strategies(lane: u32) {{ {suspend_s} {suspend_h} }}
"
    )
}

/// Returns what the strategy of a seat calls; without a look at the seat if all call the same.
fn by_seat(policy: Policy, seat: &str, call_of: fn(Strategy) -> &'static str) -> String {
    let calls = policy.seats.map(call_of);
    let last = calls[SEATS - 1];
    let mut body = String::new();
    for (number, call) in calls.iter().enumerate() {
        if *call != last && !calls[..number].contains(call) {
            let seats = (0..SEATS).filter(|&seat| calls[seat] == *call).fold(0, |set, seat| set | 1 << seat);
            // Writing to a string cannot fail.
            let _ = write!(body, "if ((({seats}u >> {seat}) & 1u) != 0u) {{ return {call}; }} ");
        }
    }
    body + "return " + last + ";"
}

/// The numbers the shader needs, from the tables, the policy and the layout of a packed position.
fn prelude(policy: Policy) -> String {
    let [road_pieces, settlement_pieces, city_pieces] = PIECES;
    let words = [
        ("TURN_CAP", policy.turn_cap),
        ("DISCARDS", DISCARDS),
        ("FLOOD_STEPS", FLOOD_STEPS),
        ("WALK_STEPS", WALK_STEPS),
        ("STRIDE", STRIDE),
        ("HEXES", HEXES as u32),
        ("RESOURCES", RESOURCES as u32),
        ("ROAD_PIECES", road_pieces.into()),
        ("SETTLEMENT_PIECES", settlement_pieces.into()),
        ("CITY_PIECES", city_pieces.into()),
        ("WINNING_POINTS", WINNING_POINTS.into()),
        ("LEAST_ROAD", LONGEST_ROAD.into()),
        ("LEAST_ARMY", LARGEST_ARMY.into()),
        ("HAND_LIMIT", HAND_LIMIT.into()),
        ("NOBODY", NOBODY),
        ("SET_UP_SETTLEMENT", Phase::SetUpSettlement as u32),
        ("SET_UP_ROAD", Phase::SetUpRoad as u32),
        ("TURN_PHASE", Phase::Turn as u32),
        ("DISCARD_PHASE", Phase::Discard as u32),
        ("ROBBER_PHASE", Phase::Robber as u32),
        ("FREE_ROADS_PHASE", Phase::FreeRoads as u32),
        ("ANSWER", Phase::Answer as u32),
        ("KNIGHT_CARD", Card::Knight.index() as u32),
        ("POINT_CARD", Card::VictoryPoint.index() as u32),
        ("ROAD_BUILDING_CARD", Card::RoadBuilding.index() as u32),
        ("PLENTY_CARD", Card::YearOfPlenty.index() as u32),
        ("MONOPOLY_CARD", Card::Monopoly.index() as u32),
        ("PLENTY", misc::PLENTY),
        ("MONOPOLY", misc::MONOPOLY),
        ("KNIGHT", misc::KNIGHT),
        ("ROAD_BUILDING", misc::ROAD_BUILDING),
        ("BUY", misc::BUY),
        ("ROLL_OR_END", misc::ROLL_OR_END),
        ("FIRST_TOKENS", 10),
        ("ANY_PORT", RESOURCES as u32),
        ("WOOD", Resource::Wood as u32),
        ("BRICK", Resource::Brick as u32),
        ("SHEEP", Resource::Sheep as u32),
        ("WHEAT", Resource::Wheat as u32),
        ("ORE", Resource::Ore as u32),
        ("MONOPOLY_PAYS", MONOPOLY_PAYS.into()),
    ];
    let sets = [
        ("ALL_NODES", ALL_NODES),
        ("ALL_H", ALL_EDGES.h),
        ("ALL_V", ALL_EDGES.v),
        ("HEX_CORNERS", HEX_CORNERS),
        ("HEX_BITS", ((1 << (3 * HEXES)) - 1) / 7),
        ("ROAD_COST", Cards::new(ROAD_COST).0),
        ("SETTLEMENT_COST", Cards::new(SETTLEMENT_COST).0),
        ("CITY_COST", Cards::new(CITY_COST).0),
        ("CARD_COST", Cards::new(CARD_COST).0),
        ("FULL_BANK", Cards::new([BANK; RESOURCES]).0),
        ("FIVE_MONOPOLIES", 0b11111 << misc::MONOPOLY),
        ("PLENTY_FIRST", nibbles(misc::PAIRS.map(|(a, _)| a))),
        ("PLENTY_SECOND", nibbles(misc::PAIRS.map(|(_, b)| b))),
    ];
    let mut prelude = String::new();
    for (name, value) in words {
        // Writing to a string cannot fail.
        let _ = writeln!(prelude, "const {name} = {value}u;");
    }
    for (name, bytes) in OFFSETS {
        let _ = writeln!(prelude, "const {name} = {}u;", bytes / 4);
    }
    for (name, set) in sets {
        let (low, high) = (set as u32, set >> 32);
        let _ = writeln!(prelude, "const {name} = vec2<u32>({low:#x}u, {high:#x}u);");
    }
    prelude
}

/// Where everything is in a packed position.
const OFFSETS: [(&str, usize); 31] = [
    ("PLAYERS", offset_of!(Packed, players)),
    ("PLAYER_WORDS", size_of::<PackedPlayer>()),
    ("BUILDINGS", offset_of!(PackedPlayer, buildings)),
    ("CITIES", offset_of!(PackedPlayer, cities)),
    ("ROADS_H", offset_of!(PackedPlayer, h)),
    ("ROADS_V", offset_of!(PackedPlayer, v)),
    ("HAND", offset_of!(PackedPlayer, hand)),
    ("CARDS", offset_of!(PackedPlayer, cards)),
    ("PLAYED", offset_of!(PackedPlayer, played)),
    ("BANK", offset_of!(Packed, bank)),
    ("DECK", offset_of!(Packed, deck)),
    ("FRESH", offset_of!(Packed, fresh)),
    ("NEW_SETTLEMENT", offset_of!(Packed, new_settlement)),
    ("OFFER", offset_of!(Packed, offer)),
    ("TILES", offset_of!(Packed, tiles)),
    ("TOKENS", offset_of!(Packed, tokens)),
    ("PORTS", offset_of!(Packed, ports)),
    ("TURN", offset_of!(Packed, turn)),
    ("ROBBER", offset_of!(Packed, robber)),
    ("MOVER", offset_of!(Packed, mover)),
    ("PHASE", offset_of!(Packed, phase)),
    ("ROLLED", offset_of!(Packed, rolled)),
    ("CARD_PLAYED", offset_of!(Packed, card_played)),
    ("PLACED", offset_of!(Packed, placed)),
    ("FREE_ROADS", offset_of!(Packed, free_roads)),
    ("OWED", offset_of!(Packed, owed)),
    ("LONGEST_ROAD", offset_of!(Packed, longest_road)),
    ("LARGEST_ARMY", offset_of!(Packed, largest_army)),
    ("ROAD_LENGTHS", offset_of!(Packed, road_lengths)),
    ("OFFERED_TO", offset_of!(Packed, offered_to)),
    ("PADDING", offset_of!(Packed, padding)),
];

/// Small numbers as nibbles of a word.
fn nibbles(numbers: [u8; 15]) -> u64 {
    numbers.iter().rev().fold(0, |word, &number| word << 4 | u64::from(number))
}

const _: () = assert!(offset_of!(Packed, offer) < offset_of!(Packed, tiles), "the map is between offer and turn");
const _: () = assert!(offset_of!(Packed, ports) < offset_of!(Packed, turn), "the map is between offer and turn");
const _: () = assert!(HEX_CORNERS.count_ones() as usize == HEXES, "every hex has a corner of its own");
const _: () = assert!(PIECES[0] < 16, "a trail fits in a word, two bits a road");
