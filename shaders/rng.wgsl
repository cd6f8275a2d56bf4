// xoshiro128++ with one stream per playout: the same numbers as kernels/src/rng.rs.
//
// WGSL has no 64-bit integers: they are vec2<u32>(low, high) here.

const GOLDEN_GAMMA = vec2<u32>(0x7f4a7c15u, 0x9e3779b9u);

var<private> rng_state: vec4<u32>;
var<private> draws: u32;

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// The full product of two words, by halves.
fn mul_wide(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let cross_1 = a0 * b1;
    let cross_2 = a1 * b0;
    let middle = (low >> 16u) + (cross_1 & 0xffffu) + (cross_2 & 0xffffu);
    let high = a1 * b1 + (cross_1 >> 16u) + (cross_2 >> 16u) + (middle >> 16u);
    return vec2<u32>((low & 0xffffu) | (middle << 16u), high);
}

fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = mul_wide(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

// z ^ (z >> by), 0 < by < 32.
fn xor_shifted(z: vec2<u32>, by: u32) -> vec2<u32> {
    return z ^ vec2<u32>((z.x >> by) | (z.y << (32u - by)), z.y >> by);
}

fn mix64(word: vec2<u32>) -> vec2<u32> {
    var z = mul64(xor_shifted(word, 30u), vec2<u32>(0x1ce4e5b9u, 0xbf58476du));
    z = mul64(xor_shifted(z, 27u), vec2<u32>(0x133111ebu, 0x94d049bbu));
    return xor_shifted(z, 31u);
}

fn absorb(state: vec2<u32>, word: vec2<u32>) -> vec2<u32> {
    return mix64(add64(state, GOLDEN_GAMMA) ^ word);
}

fn playout_state(base: vec2<u32>, index: vec2<u32>) -> vec4<u32> {
    let once = add64(absorb(base, index), GOLDEN_GAMMA);
    return vec4<u32>(mix64(once), mix64(add64(once, GOLDEN_GAMMA)));
}

fn rotate_left(word: u32, by: u32) -> u32 {
    return (word << by) | (word >> (32u - by));
}

fn next_u32() -> u32 {
    let s = rng_state;
    let result = rotate_left(s.x + s.w, 7u) + s.x;
    let c = s.z ^ s.x;
    let d = s.w ^ s.y;
    rng_state = vec4<u32>(s.x ^ d, s.y ^ c, c ^ (s.y << 9u), rotate_left(d, 11u));
    draws += 1u;
    return result;
}

// The high word of random * n, exact for n <= 65536.
fn scale(random: u32, n: u32) -> u32 {
    return ((random >> 16u) * n + (((random & 0xffffu) * n) >> 16u)) >> 16u;
}

// A uniform index in 0..n. Always one draw, even when n is 1.
fn below(n: u32) -> u32 {
    return scale(next_u32(), n);
}

fn four_in_five() -> bool {
    return below(5u) != 0u;
}
