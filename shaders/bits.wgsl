// Sets of up to 64 bits as vec2<u32>(low, high), and small numbers packed into words.

// The set of one bit, 0 <= bit < 64.
fn bit64(bit: u32) -> vec2<u32> {
    let word = 1u << (bit & 31u);
    return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), bit >= 32u);
}

// 1 if the set has the bit, else 0.
fn has64(bits: vec2<u32>, bit: u32) -> u32 {
    return (select(bits.x, bits.y, bit >= 32u) >> (bit & 31u)) & 1u;
}

fn is_empty64(bits: vec2<u32>) -> bool {
    return (bits.x | bits.y) == 0u;
}

fn count64(bits: vec2<u32>) -> u32 {
    return countOneBits(bits.x) + countOneBits(bits.y);
}

// Position of the k-th set bit, counting from 0; there must be more than k.
// Halves the word by sums of ever wider fields, without a loop.
fn kth_bit32(word: u32, k: u32) -> u32 {
    let pairs = word - ((word >> 1u) & 0x55555555u);
    let nibbles = (pairs & 0x33333333u) + ((pairs >> 2u) & 0x33333333u);
    let bytes = (nibbles + (nibbles >> 4u)) & 0x0f0f0f0fu;
    var rest = k;
    var bit = 0u;
    var here = (bytes + (bytes >> 8u)) & 0xffu;
    if (rest >= here) { rest -= here; bit = 16u; }
    here = (bytes >> bit) & 0xffu;
    if (rest >= here) { rest -= here; bit += 8u; }
    here = (nibbles >> bit) & 0xfu;
    if (rest >= here) { rest -= here; bit += 4u; }
    here = (pairs >> bit) & 3u;
    if (rest >= here) { rest -= here; bit += 2u; }
    if (rest >= ((word >> bit) & 1u)) { bit += 1u; }
    return bit;
}

fn kth_bit64(bits: vec2<u32>, k: u32) -> u32 {
    let low = countOneBits(bits.x);
    let in_low = k < low;
    return kth_bit32(select(bits.y, bits.x, in_low), select(k - low, k, in_low)) + select(32u, 0u, in_low);
}

// Nibble number i of 16.
fn nibble(words: vec2<u32>, i: u32) -> u32 {
    return (select(words.x, words.y, i >= 8u) >> (4u * (i & 7u))) & 15u;
}

// `value` at nibble number i, zero elsewhere.
fn nibble_at(value: u32, i: u32) -> vec2<u32> {
    let word = value << (4u * (i & 7u));
    return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), i >= 8u);
}

// 15 in every nibble that equals `value`.
fn nibbles_equal(words: vec2<u32>, value: u32) -> vec2<u32> {
    let difference = words ^ vec2<u32>(value * 0x11111111u);
    let halves = difference | (difference >> vec2<u32>(2u));
    return (~(halves | (halves >> vec2<u32>(1u))) & vec2<u32>(0x11111111u)) * vec2<u32>(15u);
}

// Sum of the 16 nibbles.
fn sum_nibbles(words: vec2<u32>) -> u32 {
    let even = words & vec2<u32>(0x0f0f0f0fu);
    let odd = (words >> vec2<u32>(4u)) & vec2<u32>(0x0f0f0f0fu);
    let bytes = even + odd;
    return ((bytes.x + bytes.y) * 0x01010101u) >> 24u;
}

// Byte number i of 16.
fn byte(words: vec4<u32>, i: u32) -> u32 {
    let pair = select(words.xy, words.zw, i >= 8u);
    return (select(pair.x, pair.y, (i & 4u) != 0u) >> (8u * (i & 3u))) & 255u;
}

// The words with byte number i replaced.
fn with_byte(words: vec4<u32>, i: u32, value: u32) -> vec4<u32> {
    let shift = 8u * (i & 3u);
    let here = vec4<u32>(i >> 2u) == vec4<u32>(0u, 1u, 2u, 3u);
    let cleared = words & ~vec4<u32>(255u << shift);
    return select(words, cleared | vec4<u32>(value << shift), here);
}

// The set with every bit moved up, or down, by 0 < by < 32.
fn up64(bits: vec2<u32>, by: u32) -> vec2<u32> {
    return vec2<u32>(bits.x << by, (bits.y << by) | (bits.x >> (32u - by)));
}

fn down64(bits: vec2<u32>, by: u32) -> vec2<u32> {
    return vec2<u32>((bits.x >> by) | (bits.y << (32u - by)), bits.y >> by);
}

// The 32 bits from a bit on, 0 <= bit < 64.
fn word_at(bits: vec2<u32>, bit: u32) -> u32 {
    let in_high = bit >= 32u;
    let here = select(bits.x, bits.y, in_high);
    let above = select(bits.y, 0u, in_high);
    let by = bit & 31u;
    // Two shifts, because a shift by 32 would be none at all.
    return (here >> by) | ((above << 1u) << (31u - by));
}

// Position of the lowest bit; 64 if there is none.
fn first64(bits: vec2<u32>) -> u32 {
    return select(countTrailingZeros(bits.x), 32u + countTrailingZeros(bits.y), bits.x == 0u);
}

// The set without its lowest bit.
fn without_lowest64(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x & (bits.x - 1u), select(bits.y, bits.y & (bits.y - 1u), bits.x == 0u));
}

// The set of its lowest bit; empty if there is none.
fn lowest64(bits: vec2<u32>) -> vec2<u32> {
    return bits & ~without_lowest64(bits);
}

// The set if it is so, otherwise the empty set.
fn if_so(bits: vec2<u32>, is_so: bool) -> vec2<u32> {
    return select(vec2<u32>(0u), bits, is_so);
}
