// Catan's strategy random-s: src/games/catan/random_s.rs. A road is listed once for each end it can be built from, a
// knight once for each entry of the robber.

// After a knight: 1 + the number of the robber's entry that was drawn with it; otherwise 0.
var<private> entry: u32;

fn begin_random_s() {
    entry = 0u;
}

fn restore_random_s(lane: u32) {
    entry = lane_word(KEPT_ENTRY, lane);
}

fn suspend_random_s(lane: u32) {
    set_lane_word(KEPT_ENTRY, lane, entry);
}

// The entries of the robber: hexes, each as its upper left node, with an opponent's building on each corner.
struct Entries {
    upper_0: vec2<u32>,
    upper_1: vec2<u32>,
    upper_2: vec2<u32>,
    lower_0: vec2<u32>,
    lower_1: vec2<u32>,
    lower_2: vec2<u32>,
}

fn entries() -> Entries {
    let upper = blocked_for(0u);
    let lower = down64(upper, STRIDE);
    let elsewhere = HEX_CORNERS & ~bit64(kth_bit64(HEX_CORNERS, robber));
    return Entries(
        elsewhere & upper,
        elsewhere & down64(upper, 1u),
        elsewhere & down64(upper, 2u),
        elsewhere & lower,
        elsewhere & down64(lower, 1u),
        elsewhere & down64(lower, 2u),
    );
}

fn count_entries(found: Entries) -> u32 {
    let upper = count64(found.upper_0) + count64(found.upper_1) + count64(found.upper_2);
    return upper + count64(found.lower_0) + count64(found.lower_1) + count64(found.lower_2);
}

// A uniform entry of the list; one draw, unless there is only one. The set-up lists what `random` does.
fn random_s_choice(all: Choices) -> Choice {
    let by_ends = phase != SET_UP_ROAD;
    let starts = select(vec2<u32>(0xffffffffu), road_starts(), by_ends);
    let right = if_so(all.roads.h & down64(starts, 1u), by_ends);
    let lower = if_so(all.roads.v & down64(starts, STRIDE), by_ends);
    let left = all.roads.h & starts;
    let upper = all.roads.v & starts;

    let in_turn = phase == TURN_PHASE;
    let has_knight = card_count(without(own.cards, fresh), KNIGHT_CARD) > 0u;
    let knights = select(0u, count_entries(entries()), in_turn && has_knight && card_played == 0u);
    let unlisted = bit64(KNIGHT) | if_so(bit64(ROAD_BUILDING), piece_left(own, 0u) < 2u);
    let misc = all.misc & select(~unlisted, bit64(ROLL_OR_END), in_turn && rolled == 0u);

    // How many entries there are before each set.
    let from_right = count64(left);
    let from_upper = from_right + count64(right);
    let from_lower = from_upper + count64(upper);
    let from_settlements = from_lower + count64(lower);
    let from_cities = from_settlements + count64(all.settlements);
    let from_knights = from_cities + count64(all.cities);
    let from_misc = from_knights + knights;
    let sum = from_misc + count64(misc);
    var k = 0u;
    if (sum > 1u) { k = below(sum); }
    var kind = ROAD_H;
    var options = left;
    var before = 0u;
    if (k >= from_right) { options = right; before = from_right; }
    if (k >= from_upper) { kind = ROAD_V; options = upper; before = from_upper; }
    if (k >= from_lower) { options = lower; before = from_lower; }
    if (k >= from_settlements) { kind = SETTLEMENT; options = all.settlements; before = from_settlements; }
    if (k >= from_cities) { kind = CITY; options = all.cities; before = from_cities; }
    if (k >= from_knights) { kind = MISC; options = bit64(KNIGHT); before = k; }
    if (k >= from_misc) { options = misc; before = from_misc; }
    entry = select(0u, 1u + k - from_knights, k >= from_knights && k < from_misc);
    return Choice(kind, kth_bit64(options, k - before));
}

// A uniform entry, or that of the knight; one draw, unless there is no choice. Without an entry the robber stays.
fn random_s_robbery() -> u32 {
    let found = entries();
    let from_upper_1 = count64(found.upper_0);
    let from_upper_2 = from_upper_1 + count64(found.upper_1);
    let from_lower_0 = from_upper_2 + count64(found.upper_2);
    let from_lower_1 = from_lower_0 + count64(found.lower_0);
    let from_lower_2 = from_lower_1 + count64(found.lower_1);
    let sum = from_lower_2 + count64(found.lower_2);
    var k = 0u;
    if (entry != 0u) {
        k = entry - 1u;
        entry = 0u;
    } else if (sum > 1u) {
        k = below(sum);
    }
    if (sum == 0u) { return 3u * robber; }
    var hexes = found.upper_0;
    var before = 0u;
    var corner = 0u;
    if (k >= from_upper_1) { hexes = found.upper_1; before = from_upper_1; corner = 1u; }
    if (k >= from_upper_2) { hexes = found.upper_2; before = from_upper_2; corner = 2u; }
    if (k >= from_lower_0) { hexes = found.lower_0; before = from_lower_0; corner = STRIDE; }
    if (k >= from_lower_1) { hexes = found.lower_1; before = from_lower_1; corner = STRIDE + 1u; }
    if (k >= from_lower_2) { hexes = found.lower_2; before = from_lower_2; corner = STRIDE + 2u; }
    let bit = kth_bit64(hexes, k - before);
    let is_second = has64(rival_2.buildings, bit + corner);
    let is_third = has64(rival_3.buildings, bit + corner);
    return 3u * hex_number(bit) + is_second + 2u * is_third;
}
