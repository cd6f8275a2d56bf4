// TUBSTAP playouts: the rules of src/games/tubstap/rules.rs and the policies of policy.rs, function by
// function. Boards are those of kernels/src/tubstap/packed.rs: bit 8 x + y.

struct Side {
    occupied: vec2<u32>,
    // Nibbles.
    hp: vec2<u32>,
    kinds: vec2<u32>,
    // Bytes.
    cells: vec4<u32>,
    alive: u32,
    acted: u32,
}

struct Unit {
    kind: u32,
    cell: u32,
    hp: u32,
}

struct Action {
    unit: u32,
    to: u32,
    // Number of the attacked enemy, or NOBODY.
    foe: u32,
}

const NOBODY = 16u;

// Every cell but those of the top row, and of the bottom row. Columns are bytes, so a word holds four
// whole columns and a step up or down never crosses from one word to the other.
const NOT_TOP = vec2<u32>(0xfefefefeu);
const NOT_BOTTOM = vec2<u32>(0x7f7f7f7fu);

// The side to move is always `own`: the two change places at the end of a phase.
var<private> own: Side;
var<private> enemy: Side;
// 0 if Red moves; the side that moved first in this playout.
var<private> mover: u32;
var<private> root: u32;
var<private> turn: u32;
var<private> limit: u32;
var<private> threshold: u32;

var<private> open: vec2<u32>;
var<private> flat_ground: vec2<u32>;
var<private> wood: vec2<u32>;
var<private> mountain: vec2<u32>;
var<private> one_star: vec2<u32>;
var<private> four_stars: vec2<u32>;

// ---- board ----

fn leftwards(b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((b.x >> 8u) | (b.y << 24u), b.y >> 8u);
}

fn rightwards(b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(b.x << 8u, (b.y << 8u) | (b.x >> 24u));
}

fn upwards(b: vec2<u32>) -> vec2<u32> {
    return (b >> vec2<u32>(1u)) & NOT_BOTTOM;
}

fn downwards(b: vec2<u32>) -> vec2<u32> {
    return (b << vec2<u32>(1u)) & NOT_TOP;
}

fn neighbours(b: vec2<u32>) -> vec2<u32> {
    return leftwards(b) | rightwards(b) | upwards(b) | downwards(b);
}

// The neighbour in direction right, up, left, down, which must exist.
fn neighbour(cell: u32, direction: u32) -> u32 {
    let distance = select(8u, 1u, (direction & 1u) != 0u);
    return select(cell + distance, cell - distance, direction == 1u || direction == 2u);
}

fn absolute_difference(a: u32, b: u32) -> u32 {
    return max(a, b) - min(a, b);
}

fn distance_between(a: u32, b: u32) -> u32 {
    return absolute_difference(a >> 3u, b >> 3u) + absolute_difference(a & 7u, b & 7u);
}

// ---- position ----

fn unit_of(side: Side, number: u32) -> Unit {
    return Unit(nibble(side.kinds, number), byte(side.cells, number), nibble(side.hp, number));
}

fn unacted() -> u32 {
    return own.alive & ~own.acted;
}

fn flies(kind: u32) -> bool {
    return kind < FIRST_GROUND_KIND;
}

fn is_direct(kind: u32) -> bool {
    return kind != CANNON;
}

fn ground_stars(cell: u32) -> u32 {
    return has64(one_star, cell) | (has64(wood, cell) << 1u) | (has64(four_stars, cell) << 2u);
}

fn read_ground(at: u32) {
    open = item_pair(at + OPEN);
    flat_ground = item_pair(at + FLAT);
    wood = item_pair(at + WOOD);
    mountain = item_pair(at + MOUNTAIN);
    one_star = item_pair(at + ONE_STAR);
    four_stars = item_pair(at + FOUR_STARS);
    limit = items[at + LIMIT];
    threshold = items[at + THRESHOLD];
    root = items[at + MOVER] & 1u;
}

fn side_at(at: u32, team: u32) -> u32 {
    return at + SIDES + team * SIDE_WORDS;
}

fn read_side(at: u32) -> Side {
    return Side(
        item_pair(at + OCCUPIED),
        item_pair(at + HP),
        item_pair(at + UNIT_KINDS),
        vec4<u32>(item_pair(at + CELLS), item_pair(at + CELLS + 2u)),
        items[at + ALIVE] & 0xffffu,
        items[at + ACTED] & 0xffffu,
    );
}

fn begin(at: u32) {
    read_ground(at);
    mover = root;
    turn = items[at + TURN];
    own = read_side(side_at(at, mover));
    enemy = read_side(side_at(at, 1u - mover));
    opening();
}

// What a lane keeps of a side between dispatches; kinds never change and are read again.
const KEPT_SIDE_WORDS = 10u;

fn restore_side(lane: u32, field: u32, kinds: vec2<u32>) -> Side {
    return Side(
        lane_pair(field, lane),
        lane_pair(field + 2u, lane),
        kinds,
        vec4<u32>(lane_pair(field + 4u, lane), lane_pair(field + 6u, lane)),
        lane_word(field + 8u, lane),
        lane_word(field + 9u, lane),
    );
}

fn suspend_side(lane: u32, field: u32, side: Side) {
    set_lane_pair(field, lane, side.occupied);
    set_lane_pair(field + 2u, lane, side.hp);
    set_lane_pair(field + 4u, lane, side.cells.xy);
    set_lane_pair(field + 6u, lane, side.cells.zw);
    set_lane_word(field + 8u, lane, side.alive);
    set_lane_word(field + 9u, lane, side.acted);
}

fn restore(lane: u32, at: u32) {
    read_ground(at);
    mover = root ^ (phases & 1u);
    turn = items[at + TURN] + phases;
    own = restore_side(lane, GAME_FIELD, item_pair(side_at(at, mover) + UNIT_KINDS));
    enemy = restore_side(lane, GAME_FIELD + KEPT_SIDE_WORDS, item_pair(side_at(at, 1u - mover) + UNIT_KINDS));
}

fn suspend(lane: u32) {
    suspend_side(lane, GAME_FIELD, own);
    suspend_side(lane, GAME_FIELD + KEPT_SIDE_WORDS, enemy);
}

fn write_side(at: u32, side: Side) {
    record_pair(at + OCCUPIED, side.occupied);
    record_pair(at + HP, side.hp);
    record_pair(at + UNIT_KINDS, side.kinds);
    record_pair(at + CELLS, side.cells.xy);
    record_pair(at + CELLS + 2u, side.cells.zw);
    records[at + ALIVE] = side.alive;
    records[at + ACTED] = side.acted;
}

fn write_position(at: u32) {
    record_pair(at + OPEN, open);
    record_pair(at + FLAT, flat_ground);
    record_pair(at + WOOD, wood);
    record_pair(at + MOUNTAIN, mountain);
    record_pair(at + ONE_STAR, one_star);
    record_pair(at + FOUR_STARS, four_stars);
    write_side(side_at(at, mover), own);
    write_side(side_at(at, 1u - mover), enemy);
    records[at + TURN] = turn;
    records[at + LIMIT] = limit;
    records[at + THRESHOLD] = threshold;
    records[at + MOVER] = mover;
}

// ---- rules ----

// Iterations: MAX_MOVE.
fn destinations(unit: Unit) -> vec2<u32> {
    let on_foot = unit.kind == INFANTRY;
    var cost_1 = select(flat_ground, flat_ground | wood, on_foot);
    var cost_2 = select(wood, mountain, on_foot);
    if (flies(unit.kind)) {
        cost_1 = open;
        cost_2 = vec2<u32>(0u);
    }
    cost_1 &= ~enemy.occupied;
    cost_2 &= ~enemy.occupied;
    let own_cell = bit64(unit.cell);
    var reached = own_cell;
    var one_ago = vec2<u32>(0u);
    let budget = moves_of(unit.kind);
    for (var spent = 0u; spent < budget; spent += 1u) {
        let around = neighbours(reached);
        reached |= (around & cost_1) | (one_ago & cost_2);
        one_ago = around;
    }
    return (reached & ~own.occupied) | own_cell;
}

// The cells at distance 2 and 3.
fn cannon_range(cell: u32) -> vec2<u32> {
    let here = bit64(cell);
    let near = here | neighbours(here);
    let two = near | neighbours(near);
    return (two | neighbours(two)) & ~near;
}

// Bit 4 e + d: attack enemy e from its neighbour cell in direction d; d = 0 for a cannon.
// Iterations: MAX_UNITS.
fn attacks(unit: Unit, reach: vec2<u32>) -> vec2<u32> {
    // Cells with a destination to their right, above, to their left, below.
    var right = leftwards(reach);
    var up = downwards(reach);
    var left = rightwards(reach);
    var down = upwards(reach);
    if (!is_direct(unit.kind)) {
        right = cannon_range(unit.cell);
        up = vec2<u32>(0u);
        left = vec2<u32>(0u);
        down = vec2<u32>(0u);
    }
    var found = vec2<u32>(0u);
    if (is_empty64((right | up | left | down) & enemy.occupied)) { return found; }
    for (var rest = enemy.alive; rest != 0u; rest &= rest - 1u) {
        let number = countTrailingZeros(rest);
        let cell = byte(enemy.cells, number);
        let from_below = has64(down, cell) << 3u;
        let directions = has64(right, cell) | (has64(up, cell) << 1u) | (has64(left, cell) << 2u) | from_below;
        found |= nibble_at(directions, number);
    }
    return found;
}

// Iterations: MAX_UNITS.
fn effective(unit: Unit, found: vec2<u32>) -> vec2<u32> {
    var harmless = vec2<u32>(0u);
    if (is_empty64(found)) { return found; }
    for (var rest = enemy.alive; rest != 0u; rest &= rest - 1u) {
        let number = countTrailingZeros(rest);
        let foe = unit_of(enemy, number);
        if (!does_damage(power(unit.kind, foe.kind), unit.hp, foe.hp, stars(foe))) {
            harmless |= nibble_at(15u, number);
        }
    }
    return found & ~harmless;
}

// The k-th of the attacks followed by the moves.
fn action_of(number: u32, unit: Unit, found: vec2<u32>, moves: vec2<u32>, k: u32) -> Action {
    let count = count64(found);
    let fights = k < count;
    let bit = kth_bit64(select(moves, found, vec2<bool>(fights)), select(k - count, k, fights));
    if (!fights) { return Action(number, bit, NOBODY); }
    let foe = bit >> 2u;
    let to = select(unit.cell, neighbour(byte(enemy.cells, foe), bit & 3u), is_direct(unit.kind));
    return Action(number, to, foe);
}

fn stars(unit: Unit) -> u32 {
    return select(ground_stars(unit.cell), 0u, flies(unit.kind));
}

fn act(action: Action) {
    let from_cell = bit64(byte(own.cells, action.unit));
    own.occupied = (own.occupied & ~from_cell) | bit64(action.to);
    own.cells = with_byte(own.cells, action.unit, action.to);
    own.acted |= 1u << action.unit;
    actions += 1u;
    if (action.foe != NOBODY) { fight(action.unit, action.foe); }
}

fn fight(number: u32, foe: u32) {
    let attacker = unit_of(own, number);
    let defender = unit_of(enemy, foe);
    let dealt = strike(attacker, defender);
    let left = Unit(defender.kind, defender.cell, defender.hp - dealt);
    var countered = 0u;
    if (left.hp > 0u && is_direct(attacker.kind) && is_direct(defender.kind)) {
        countered = strike(left, attacker);
    }
    // A counter never kills before the attack has: only one of the two can die.
    enemy.hp -= nibble_at(dealt, foe);
    if (left.hp == 0u) {
        enemy.alive &= ~(1u << foe);
        enemy.occupied &= ~bit64(defender.cell);
    }
    own.hp -= nibble_at(countered, number);
    if (attacker.hp == countered) {
        own.alive &= ~(1u << number);
        own.occupied &= ~bit64(attacker.cell);
    }
}

fn change_sides() {
    let waiting = enemy;
    enemy = own;
    own = waiting;
    mover = 1u - mover;
    turn += 1u;
    phases += 1u;
}

fn end_phase() {
    own.acted = 0u;
    change_sides();
}

fn verdict() -> u32 {
    let red_to_move = mover == 0u;
    if (select(enemy.alive, own.alive, red_to_move) == 0u) { return BLUE; }
    if (select(own.alive, enemy.alive, red_to_move) == 0u) { return RED; }
    if (turn < limit) { return PLAYING; }
    return judgement();
}

fn judgement() -> u32 {
    let red_to_move = mover == 0u;
    let own_hp = sum_nibbles(own.hp);
    let enemy_hp = sum_nibbles(enemy.hp);
    let red = select(enemy_hp, own_hp, red_to_move);
    let blue = select(own_hp, enemy_hp, red_to_move);
    if (red > blue + threshold) { return RED; }
    if (blue > red + threshold) { return BLUE; }
    return DRAW;
}

fn strike(attacker: Unit, defender: Unit) -> u32 {
    return damage(power(attacker.kind, defender.kind), attacker.hp, defender.hp, stars(defender));
}

fn damage(power: u32, attacker_hp: u32, defender_hp: u32, stars: u32) -> u32 {
    // A division by comparisons: there are at most 15 hit points, and vectors have no integer division.
    var rest = power * attacker_hp + BASE_STRENGTH;
    let one = BASE_RESISTANCE + stars * defender_hp;
    var points = 0u;
    if (rest >= 8u * one) { rest -= 8u * one; points = 8u; }
    if (rest >= 4u * one) { rest -= 4u * one; points += 4u; }
    if (rest >= 2u * one) { rest -= 2u * one; points += 2u; }
    if (rest >= one) { points += 1u; }
    return min(points, defender_hp);
}

fn does_damage(power: u32, attacker_hp: u32, defender_hp: u32, stars: u32) -> bool {
    return power * attacker_hp + BASE_STRENGTH >= BASE_RESISTANCE + stars * defender_hp;
}

// ---- policies: `opening` sees whether the playout is over as it begins, `advance` plays one action ----

fn random_opening() {
    if (turn >= limit) { ending = verdict(); }
}

fn random() {
    if (unacted() != 0u && enemy.alive != 0u) {
        let number = draw_unit();
        let unit = unit_of(own, number);
        let moves = destinations(unit);
        act(draw_action(number, unit, attacks(unit, moves), moves));
    }
    if (unacted() == 0u || enemy.alive == 0u) {
        end_phase();
        ending = verdict();
        truncate_long();
    }
}

fn truncate_long() {
    if (ending == PLAYING && phases >= PHASE_CAP) { ending = TRUNCATED; }
}

fn muct_opening() {
    if (turn >= limit) { ending = muct_value(); }
}

fn muct() {
    if (unacted() != 0u) { act(muct_action()); }
    if (unacted() == 0u) {
        end_phase();
        // Death is noticed only after both sides have moved.
        let a_side_is_dead = own.alive == 0u || enemy.alive == 0u;
        if (turn >= limit || (mover == root && a_side_is_dead)) { ending = muct_value(); }
        truncate_long();
    }
}

// Iterations: MAX_UNITS units with their destinations and attacks, MAX_UNITS to find the drawn one,
// then the options of the acting unit and which of them are effective.
fn muct_action() -> Action {
    var counts = vec4<u32>(0u);
    var total = 0u;
    if (four_in_five()) {
        for (var rest = unacted(); rest != 0u; rest &= rest - 1u) {
            let number = countTrailingZeros(rest);
            let unit = unit_of(own, number);
            let count = count64(attacks(unit, destinations(unit)));
            counts = with_byte(counts, number, count);
            total += count;
        }
    }
    var number = 0u;
    var k = 0u;
    if (total > 0u) {
        k = below(total);
        for (var rest = unacted(); rest != 0u; rest &= rest - 1u) {
            number = countTrailingZeros(rest);
            let count = byte(counts, number);
            if (k < count) { break; }
            k -= count;
        }
    } else {
        number = draw_unit();
    }
    // The attacks of the drawn unit are found again rather than kept: sixteen sets do not fit in registers.
    let unit = unit_of(own, number);
    let moves = destinations(unit);
    let found = attacks(unit, moves);
    if (total > 0u) { return action_of(number, unit, found, moves, k); }
    return draw_action(number, unit, effective(unit, found), moves);
}

fn muct_value() -> u32 {
    let own_is_root = mover == root;
    let mine = select(enemy.alive, own.alive, own_is_root);
    let theirs = select(own.alive, enemy.alive, own_is_root);
    let own_lead = i32(sum_nibbles(own.hp)) - i32(sum_nibbles(enemy.hp));
    let lead = select(-own_lead, own_lead, own_is_root);
    let enough = i32(threshold);
    if (mine == 0u) { return 1u - root; }
    if (theirs == 0u || lead >= enough) { return root; }
    if (-lead < enough) { return DRAW; }
    return 1u - root;
}

fn mss_opening() {
    if (own.alive == 0u) {
        ending = 1u - root;
    } else if (enemy.alive == 0u) {
        ending = root;
    }
}

fn mss() {
    if (unacted() != 0u) {
        let number = draw_unit();
        let unit = unit_of(own, number);
        var moves = destinations(unit);
        let found = attacks(unit, moves);
        if (is_empty64(found)) {
            moves &= towards_nearest(unit);
        } else {
            moves = vec2<u32>(0u);
        }
        act(draw_action(number, unit, found, moves));
    }
    if (unacted() == 0u) {
        // Unlike in the game, the flags of the side about to move are cleared.
        change_sides();
        own.acted = 0u;
        if (phases >= MSS_PHASES) {
            let own_hp = weighted_hp(own);
            let enemy_hp = weighted_hp(enemy);
            let own_is_root = mover == root;
            let ahead = select(enemy_hp > own_hp, own_hp > enemy_hp, own_is_root);
            ending = select(1u - root, root, ahead);
        }
    }
}

// Iterations: MAX_UNITS.
fn towards_nearest(unit: Unit) -> vec2<u32> {
    var nearest = 0xffffffffu;
    var there = 0u;
    for (var rest = enemy.alive; rest != 0u; rest &= rest - 1u) {
        let cell = byte(enemy.cells, countTrailingZeros(rest));
        let distance = distance_between(unit.cell, cell);
        if (distance < nearest) {
            nearest = distance;
            there = cell;
        }
    }
    return rectangle(unit.cell, there);
}

fn rectangle(a: u32, b: u32) -> vec2<u32> {
    let columns = between(a >> 3u, b >> 3u);
    let rows = between(a & 7u, b & 7u);
    return vec2<u32>(spread(columns & 15u), spread(columns >> 4u)) * vec2<u32>(rows);
}

// Eight bits, those from a to b set.
fn between(a: u32, b: u32) -> u32 {
    return (0xffu << min(a, b)) & (0xffu >> (7u - max(a, b)));
}

// Bit i of a nibble becomes the lowest bit of byte i.
fn spread(bits: u32) -> u32 {
    return (bits * 0x00204081u) & 0x01010101u;
}

// Infantry counts once, every other kind five times.
fn weighted_hp(side: Side) -> u32 {
    return MSS_WEIGHT * sum_nibbles(side.hp) - (MSS_WEIGHT - 1u) * sum_nibbles(side.hp & nibbles_equal(side.kinds, INFANTRY));
}

fn draw_unit() -> u32 {
    let units = unacted();
    return kth_bit32(units, below(countOneBits(units)));
}

fn draw_action(number: u32, unit: Unit, found: vec2<u32>, moves: vec2<u32>) -> Action {
    return action_of(number, unit, found, moves, below(count64(found) + count64(moves)));
}
