//! The compute shader: a prelude of numbers from the tables and the packed layout, then
//! `shaders/tubstap.wgsl`, then the policy's entry points.

use std::fmt::Write;
use std::mem::offset_of;

use fairground_kernels::tubstap::tables::{
    BASE_RESISTANCE, BASE_STRENGTH, CANNON, FIRST_GROUND_KIND, INFANTRY, MAX_MOVE, MAX_UNITS, MOVES, POWER,
};
use fairground_kernels::tubstap::{MSS_PHASES, MSS_WEIGHT, PHASE_CAP, Packed, PackedSide, Policy};

use super::pieces::Team;
use crate::batch::gpu;

/// Words a lane keeps of both sides: `KEPT_SIDE_WORDS` of the shader, twice.
const LANE_WORDS: usize = 2 * 10;

/// The shader that plays this policy.
pub(super) fn shader(policy: Policy) -> gpu::Shader {
    let name = policy.name();
    let entry_points = format!("fn opening() {{ {name}_opening(); }}\nfn advance() {{ {name}(); }}\n");
    let source = [prelude().as_str(), include_str!("../../../shaders/tubstap.wgsl"), &entry_points].concat();
    gpu::Shader { source, lane_words: LANE_WORDS, iterations: iterations(policy) }
}

/// The most loop iterations of one action, as [`gpu::Shader::iterations`] counts them.
const fn iterations(policy: Policy) -> u32 {
    // Each loop once more than it does something.
    let over_units = MAX_UNITS as u32 + 1;
    let destinations = MAX_MOVE as u32 + 1;
    let attacks = over_units;
    let options = destinations + attacks;
    match policy {
        Policy::Random => options,
        // Every unit's attacks, the search for the drawn one, the acting unit's options and which are effective.
        Policy::Muct => over_units * (1 + options) + over_units + options + over_units,
        // The nearest enemy.
        Policy::Mss => options + over_units,
    }
}

/// The numbers the shader needs, from the tables and from the layout of a packed position.
fn prelude() -> String {
    let constants = [
        ("CANNON", CANNON),
        ("INFANTRY", INFANTRY),
        ("FIRST_GROUND_KIND", FIRST_GROUND_KIND),
        ("PHASE_CAP", PHASE_CAP as usize),
        ("MSS_PHASES", MSS_PHASES as usize),
        ("MSS_WEIGHT", MSS_WEIGHT as usize),
        ("BASE_STRENGTH", BASE_STRENGTH as usize),
        ("BASE_RESISTANCE", BASE_RESISTANCE as usize),
        ("RED", Team::Red.index()),
        ("BLUE", Team::Blue.index()),
        ("OPEN", offset_of!(Packed, open) / 4),
        ("FLAT", offset_of!(Packed, flat) / 4),
        ("WOOD", offset_of!(Packed, wood) / 4),
        ("MOUNTAIN", offset_of!(Packed, mountain) / 4),
        ("ONE_STAR", offset_of!(Packed, one_star) / 4),
        ("FOUR_STARS", offset_of!(Packed, four_stars) / 4),
        ("SIDES", offset_of!(Packed, sides) / 4),
        ("TURN", offset_of!(Packed, turn) / 4),
        ("LIMIT", offset_of!(Packed, limit) / 4),
        ("THRESHOLD", offset_of!(Packed, threshold) / 4),
        ("MOVER", offset_of!(Packed, mover) / 4),
        ("SIDE_WORDS", size_of::<PackedSide>() / 4),
        ("OCCUPIED", offset_of!(PackedSide, occupied) / 4),
        ("HP", offset_of!(PackedSide, hp) / 4),
        ("UNIT_KINDS", offset_of!(PackedSide, kinds) / 4),
        ("CELLS", offset_of!(PackedSide, cells) / 4),
        ("ALIVE", offset_of!(PackedSide, alive) / 4),
        ("ACTED", offset_of!(PackedSide, acted) / 4),
    ];
    let mut prelude = String::new();
    for (name, value) in constants {
        // Writing to a string cannot fail.
        let _ = writeln!(prelude, "const {name} = {value}u;");
    }
    prelude.push_str(&moves_function());
    prelude.push_str(&power_function());
    prelude
}

/// `moves_of(kind)`: the budgets as nibbles of one literal.
fn moves_function() -> String {
    let packed = MOVES.iter().rev().fold(0u32, |packed, &budget| packed << 4 | u32::from(budget));
    format!("fn moves_of(kind: u32) -> u32 {{ return ({packed:#x}u >> (4u * kind)) & 15u; }}\n")
}

/// `power(attacker, defender)`: each row as bytes of two literals. Selecting among literals is much faster
/// than indexing a constant array, which some drivers copy to memory for every lane.
fn power_function() -> String {
    let mut text = String::from("fn power(attacker: u32, defender: u32) -> u32 {\n    var row = vec2<u32>(0u);\n");
    for (attacker, row) in POWER.iter().enumerate() {
        let packed = row.iter().rev().fold(0u64, |packed, &power| packed << 8 | u64::from(power));
        let (low, high) = (packed as u32, packed >> 32);
        let _ = writeln!(text, "    row = select(row, vec2<u32>({low:#x}u, {high:#x}u), attacker == {attacker}u);");
    }
    text.push_str("    return (select(row.x, row.y, defender >= 4u) >> (8u * (defender & 3u))) & 255u;\n}\n");
    text
}

const _: () = assert!(MAX_MOVE < 16, "a budget fits in a nibble");
