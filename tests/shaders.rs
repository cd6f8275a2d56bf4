//! The shaders are valid WGSL for every wgpu target, and their shared pieces compute what Rust computes.

use fairground::batch::gpu::Shader;
use fairground::games::Game;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{self, Catan, Strategy};
use fairground::games::saboteur::{Saboteur, WholeGames};
use fairground::games::tubstap::{Policy, Tubstap};
use fairground_kernels::rng::{absorb, mix64, position_base, scale};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

mod common;
#[path = "common/saboteur.rs"]
mod saboteur;
#[path = "common/saboteur_parity.rs"]
mod saboteur_parity;

fn validate(name: &str, source: &str) {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    if let Err(error) = checked {
        panic!("{name}: {}", error.emit_to_string(source));
    }
}

/// The shaders of all games with their names and the words of a position.
fn playout_shaders() -> Vec<(String, Shader, usize)> {
    fn of<G: Game>(policy: G::Policy) -> (String, Shader, usize) {
        (format!("{} {policy:?}", G::NAME), G::shader(policy), size_of::<G::Packed>() / 4)
    }
    let tubstap = Policy::ALL.into_iter().map(of::<Tubstap>);
    // Every strategy on every seat.
    let catan = (0..Strategy::ALL.len().pow(SEATS as u32)).map(|mut number| {
        let seats = [(); SEATS].map(|()| {
            let strategy = Strategy::ALL[number % Strategy::ALL.len()];
            number /= Strategy::ALL.len();
            strategy
        });
        of::<Catan>(catan::Policy { seats, turn_cap: catan::TURN_CAP })
    });
    // Every strategy and every switch.
    let readings = saboteur::readings().into_iter().map(saboteur_parity::all_paper);
    let policies: Vec<_> = saboteur_parity::POLICIES.into_iter().chain(readings).collect();
    let rounds = policies.iter().copied().map(of::<Saboteur>);
    let games = policies.iter().copied().map(of::<WholeGames>);
    tubstap.chain(catan).chain(rounds).chain(games).collect()
}

#[test]
fn every_playout_shader_is_valid_without_optional_capabilities() {
    for (name, shader, words) in playout_shaders() {
        validate(&name, &shader.module(words));
    }
    validate("probe", include_str!("../shaders/probe.wgsl"));
}

#[test]
fn a_dispatch_stays_below_the_loop_limit_of_the_software_driver() {
    for (name, shader, _) in playout_shaders() {
        let steps = shader.steps(65_534);
        assert!(steps >= 64, "{name} plays too few steps per dispatch: {steps}");
        assert!(shader.iterations_of(steps) < 65_535, "{name}");
    }
}

/// Words of one case of the next test: base, index, n; and of its answer.
const INPUT: usize = 5;
const DRAWS: usize = 100;

#[test]
fn random_numbers_equal_the_rand_xoshiro_oracle() {
    let Some(gpu) = common::gpu() else { return };
    let source = format!(
        "{}
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let at = id.x * {INPUT}u;
    rng_state = playout_state(vec2<u32>(input[at], input[at + 1u]), vec2<u32>(input[at + 2u], input[at + 3u]));
    for (var i = 0u; i < {DRAWS}u; i += 2u) {{
        output[id.x * {DRAWS}u + i] = next_u32();
        output[id.x * {DRAWS}u + i + 1u] = below(input[at + 4u]);
    }}
}}
",
        include_str!("../shaders/rng.wgsl")
    );
    validate("random numbers", &source);

    let cases: Vec<(u64, u64, u32)> = (0..1024u64)
        .map(|case| {
            let base = position_base(case / 7, mix64(case));
            // Small indices, and ones whose low word is about to overflow.
            let index = if case % 3 == 0 { mix64(!case) | 0xffff_fff0 } else { case };
            let n = [1, 2, 5, 36, 128, 1024, 65_535, 65_536][case as usize % 8];
            (base, index, if case % 5 == 0 { 1 + (mix64(case ^ 99) % 65_536) as u32 } else { n })
        })
        .collect();
    let words: Vec<u32> = cases
        .iter()
        .flat_map(|&(base, index, n)| [base as u32, (base >> 32) as u32, index as u32, (index >> 32) as u32, n])
        .collect();
    let output = gpu.compute(&source, &words, cases.len() * DRAWS, cases.len() as u32 / 64).expect("the GPU works");

    for (&(base, index, n), answers) in cases.iter().zip(output.chunks(DRAWS)) {
        let mut oracle = Xoshiro128PlusPlus::seed_from_u64(absorb(base, index));
        for answer in answers.chunks(2) {
            assert_eq!(answer[0], oracle.next_u32(), "stream ({base:#x}, {index})");
            assert_eq!(answer[1], scale(oracle.next_u32(), n), "draw below {n}");
        }
    }
}

#[test]
fn the_kth_set_bit_is_found_in_any_word() {
    let Some(gpu) = common::gpu() else { return };
    let source = format!(
        "{}
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    output[id.x] = kth_bit64(vec2<u32>(input[3u * id.x], input[3u * id.x + 1u]), input[3u * id.x + 2u]);
}}
",
        include_str!("../shaders/bits.wgsl")
    );
    let mut cases: Vec<(u64, u32)> = Vec::new();
    for seed in 0..200 {
        // From sparse to full, and every single bit.
        let dense = mix64(seed) | if seed % 3 == 0 { mix64(!seed) } else { 0 };
        let set = [mix64(seed) & mix64(seed + 1000) & mix64(seed + 2000), dense, u64::MAX, 1 << (seed % 64)]
            [seed as usize % 4];
        cases.extend((0..set.count_ones()).map(|k| (set, k)));
    }
    cases.resize(cases.len().next_multiple_of(64), (1, 0));
    let words: Vec<u32> = cases.iter().flat_map(|&(set, k)| [set as u32, (set >> 32) as u32, k]).collect();
    let output = gpu.compute(&source, &words, cases.len(), cases.len() as u32 / 64).expect("the GPU works");
    for (&(set, k), &bit) in cases.iter().zip(&output) {
        assert!(set >> bit & 1 == 1 && (set & ((1 << bit) - 1)).count_ones() == k, "bit {k} of {set:#x} is not {bit}");
    }
}

#[test]
fn sets_of_64_bits_are_those_of_rust() {
    let Some(gpu) = common::gpu() else { return };
    let source = format!(
        "{}
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn write(at: u32, pair: vec2<u32>) {{
    output[at] = pair.x;
    output[at + 1u] = pair.y;
}}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let bits = vec2<u32>(input[3u * id.x], input[3u * id.x + 1u]);
    let bit = input[3u * id.x + 2u];
    let by = 1u + bit % 31u;
    let at = 10u * id.x;
    write(at, up64(bits, by));
    write(at + 2u, down64(bits, by));
    write(at + 4u, without_lowest64(bits));
    output[at + 6u] = word_at(bits, bit);
    output[at + 7u] = first64(bits);
    write(at + 8u, lowest64(bits));
}}
",
        include_str!("../shaders/bits.wgsl")
    );
    let cases: Vec<(u64, u32)> = (0..4096u64)
        .map(|case| {
            let sets =
                [mix64(case), 0, 1 << (case / 64), u64::MAX << (case / 64), mix64(case) << 32, mix64(case) >> 32];
            (sets[case as usize % sets.len()], (case % 64) as u32)
        })
        .collect();
    let words: Vec<u32> = cases.iter().flat_map(|&(set, bit)| [set as u32, (set >> 32) as u32, bit]).collect();
    let output = gpu.compute(&source, &words, cases.len() * 10, cases.len() as u32 / 64).expect("the GPU works");
    for (&(set, bit), found) in cases.iter().zip(output.chunks(10)) {
        let by = 1 + bit % 31;
        let pair = |at: usize| u64::from(found[at]) | u64::from(found[at + 1]) << 32;
        let expected = [set << by, set >> by, set & set.wrapping_sub(1), set & set.wrapping_neg()];
        assert_eq!([pair(0), pair(2), pair(4), pair(8)], expected, "{set:#x}, {by}");
        assert_eq!((found[6], found[7]), ((set >> bit) as u32, set.trailing_zeros()), "{set:#x}, {bit}");
    }
}

#[test]
fn a_shader_the_device_refuses_is_an_error_and_not_a_panic() {
    let Some(gpu) = common::gpu() else { return };
    let error = gpu.compute("fn main() { nonsense }", &[0], 1, 1).expect_err("this is not WGSL");
    assert!(error.to_string().contains("refused to compile a shader"), "{error}");
    let error = gpu.compute("@compute @workgroup_size(1) fn other() {}", &[0], 1, 1).expect_err("there is no main");
    assert!(error.to_string().contains("refused to build a pipeline"), "{error}");
    let probe = include_str!("../shaders/probe.wgsl");
    assert_eq!(gpu.compute(probe, &[1000], 1, 1).expect("the device still works"), [1000]);
}
