//! The compute shader: a prelude of numbers from the tables and the packed layout, then
//! `shaders/catan*.wgsl`, then the functions that call the players' strategies.

use std::fmt::Write;
use std::mem::offset_of;

use fairground_kernels::catan::packed::NOBODY;
use fairground_kernels::catan::tables::{
    CARD_COST, CITY_COST, HAND_LIMIT, HEX_NODES, HEXES, LARGEST_ARMY, LONGEST_ROAD, PIECES, RESOURCES, ROAD_COST,
    SETTLEMENT_COST, WALL_BIT, WINNING_POINTS,
};
use fairground_kernels::catan::wall::{ALL_EDGES, ALL_NODES, STRIDE};
use fairground_kernels::catan::{Cards, Packed, PackedPlayer, Phase, Policy, Strategy, misc};

use super::pieces::Card;
use crate::batch::gpu;

/// Words of a lane: `KEPT_PLAYER_WORDS` of the shader four times, the rest of the position, the search.
const LANE_WORDS: usize = 4 * 16 + 12 + 14;

/// Cards a seat discards in one step.
const DISCARDS: u32 = 8;
/// Steps of the flood that finds the network of a road, in one step of a playout; most networks need fewer.
const FLOOD_STEPS: u32 = 16;
/// Steps of the search for the longest trail of a network with a cycle, in one step of a playout.
const WALK_STEPS: u32 = 48;

/// The shader that plays this policy.
pub(super) fn shader(policy: Policy) -> gpu::Shader {
    let parts = [
        include_str!("../../../shaders/catan_position.wgsl"),
        include_str!("../../../shaders/catan_road.wgsl"),
        include_str!("../../../shaders/catan.wgsl"),
    ];
    let source = [prelude(policy), parts.concat(), strategies(policy)].concat();
    gpu::Shader { source, lane_words: LANE_WORDS, iterations: iterations() }
}

/// The most loop iterations of one step, as [`gpu::Shader::iterations`] counts them.
const fn iterations() -> u32 {
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
    let begin = over_hexes + over_ports;
    if step > end + begin { step } else { end + begin }
}

/// `choose`, `choose_discard` and `choose_robbery` by the strategy of the player who has to.
fn strategies(policy: Policy) -> String {
    let name = match policy.seats {
        [Strategy::Random, ..] => "random",
        _ => todo!(),
    };
    format!(
        "fn choose(all: Choices) -> Choice {{ return {name}_choice(all); }}
fn choose_discard(hand: vec2<u32>) -> u32 {{ return {name}_discard(hand); }}
fn choose_robbery(robberies: vec2<u32>) -> u32 {{ return {name}_robbery(robberies); }}
"
    )
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

/// The upper left node of every hex, which is its lowest bit on the wall; in the order of the hexes.
const HEX_CORNERS: u64 = {
    let (mut corners, mut hex) = (0, 0);
    while hex < HEXES {
        let (mut lowest, mut place) = (63, 0);
        while place < 6 {
            let bit = WALL_BIT[HEX_NODES[hex][place] as usize];
            if bit < lowest {
                lowest = bit;
            }
            place += 1;
        }
        assert!(corners >> lowest == 0, "the bits ascend like the hexes");
        corners |= 1 << lowest;
        hex += 1;
    }
    corners
};

/// Small numbers as nibbles of a word.
fn nibbles(numbers: [u8; 15]) -> u64 {
    numbers.iter().rev().fold(0, |word, &number| word << 4 | u64::from(number))
}

const _: () = assert!(offset_of!(Packed, offer) < offset_of!(Packed, tiles), "the map is between offer and turn");
const _: () = assert!(offset_of!(Packed, ports) < offset_of!(Packed, turn), "the map is between offer and turn");
const _: () = assert!(PIECES[0] < 16, "a trail fits in a word, two bits a road");
