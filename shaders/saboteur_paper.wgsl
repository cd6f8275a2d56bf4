// The strategy `paper` of Saboteur: the agent of src/games/saboteur/paper.rs. What readings differ in are functions of
// the prelude, by the mover's role where the roles read differently.
//
// A play is worth a fraction. Numerator and denominator are kept, and fractions compared by products, so that nothing
// is rounded. Denominators are the product of both distances and, if cards are counted, SHARE_PARTS.

struct Cell {
    number: u32,
    x: i32,
    // What the distance is worth, and the denominator of all that is worth something, with and without SHARE_PARTS.
    worth: i32,
    parts: i32,
    distance_parts: i32,
    is_far: bool,
    is_left: bool,
    // Sides where an adjacent goal is, the side towards the column of the goals, and that towards the provisional goal.
    goals: u32,
    sideways: u32,
    upright: u32,
}

struct Play {
    is_found: bool,
    worth: i32,
    parts: i32,
    x: i32,
    cell: u32,
    card: u32,
    is_turned: bool,
}

// The row of the provisional goal, the rows of the goals that count as adjacent (bit 4 is row 0), whether a crossing is
// too good for a cell far from the goals, and what the cards not yet on the table add, in SHARE_PARTS of a point.
var<private> goal_row: i32;
var<private> adjacent_rows: u32;
var<private> is_crossing_dear: bool;
var<private> counted_sideways: i32;
var<private> counted_upright: i32;

// The best play; of each card if saboteurs place as diggers.
var<private> best: array<Play, HAND>;
// Plays that are as good as the best, for ties by chance.
var<private> equals: u32;

// What a pass over all plays is for.
const FIND_BEST = 0u;
const FIND_WORST = 1u;
const FIND_KTH = 2u;

// The goals that the mover knows from maps: the own ones, or everybody's.
fn seen_goals() -> u32 {
    if (!shares_maps()) { return seen >> (GOALS * mover); }
    // All ten seats, five at a time, then one.
    let known = seen | (seen >> 15u);
    return known | (known >> 3u) | (known >> 6u) | (known >> 9u) | (known >> 12u);
}

fn goal_to_look_at(possible: u32) -> u32 {
    if (map_order() == MAP_RANDOM) { return kth_bit32(possible, below(countOneBits(possible))); }
    // Middle, top, bottom or top, middle, bottom.
    if (map_order() == MAP_TOP && (possible & 4u) != 0u) { return 2u; }
    if ((possible & 2u) != 0u) { return 1u; }
    return select(0u, 2u, (possible & 4u) != 0u);
}

fn provisional_row(possible: u32) -> i32 {
    let count = countOneBits(possible);
    if (count == 0u) { return 0; }
    if (count == 3u) {
        if (of_three() == THREE_RANDOM) { return row_of_goal(below(3u)); }
        return row_of_three();
    }
    let lower = countTrailingZeros(possible);
    let upper = firstLeadingBit(possible);
    if (count == 1u || of_two() == TWO_UPPER) { return row_of_goal(upper); }
    if (of_two() == TWO_RANDOM) { return row_of_goal(select(upper, lower, below(2u) == 0u)); }
    return (row_of_goal(lower) + row_of_goal(upper)) / 2;
}

// A hundred points times the part of a kind's cards not yet on the table, in SHARE_PARTS.
fn share(kind: u32, all: u32, on_table: u32) -> i32 {
    var gone = on_table;
    if (counts_own_hand()) {
        for (var slot = 0u; slot < HAND; slot += 1u) { gone += select(0u, 1u, card_in(slot) == kind); }
    }
    let left = all - min(all, gone);
    if (rounds_down()) { return i32(SHARE_PARTS * (SHARE_POINTS * left / all)); }
    return i32(SHARE_PARTS * SHARE_POINTS / all * left);
}

fn counted(sum: i32) -> i32 {
    if (counts_cards() == COUNTS_SUM) { return sum; }
    if (rounds_down()) { return sum / i32(SHARE_PARTS) / 3 * i32(SHARE_PARTS); }
    return sum / 3;
}

// Iterations: the cards on the table, and 5 times the hand.
fn count_cards() {
    counted_sideways = 0;
    counted_upright = 0;
    if (counts_cards() == COUNTS_NOTHING) { return; }
    // Four bits a kind.
    var table = vec2<u32>(0u);
    for (var at = 0u; at < laid_count; at += 1u) { table += nibble_at(1u, kept(CARDS + at) & 15u); }
    let crossing = share(CROSSING, ALL_CROSSINGS, nibble(table, CROSSING));
    counted_sideways = counted(
        crossing + share(T_HORIZONTAL, ALL_T_HORIZONTAL, nibble(table, T_HORIZONTAL))
            + share(HORIZONTAL, ALL_HORIZONTAL, nibble(table, HORIZONTAL)),
    );
    counted_upright = counted(
        crossing + share(T_VERTICAL, ALL_T_VERTICAL, nibble(table, T_VERTICAL))
            + share(VERTICAL, ALL_VERTICAL, nibble(table, VERTICAL)),
    );
}

fn is_goal_at(y: i32) -> bool {
    return y >= -4 && y <= 4 && ((adjacent_rows >> u32(y + 4)) & 1u) != 0u;
}

// What a cell is, whatever card is laid there.
fn cell_at(cell: u32) -> Cell {
    let x = i32(cell >> CELL_ROW_BITS) - WIDE_ORIGIN;
    let y = i32(cell & (COLUMN - 1u)) - WIDE_ROW_ORIGIN;
    let far = abs(x - GOAL_X);
    let dx = max(far, 1);
    let dy = max(abs(y - goal_row), 1);
    let is_far = far >= far_columns();
    var parts = dx * dy;
    var worth = across() * dy + along() * dx;
    if (rounds_down()) {
        parts = 1;
        worth = across() / dx + along() / dy;
    }
    let is_between = (goal_row & 1) != 0 && x == GOAL_X && y == goal_row;
    if (between_is_125() && is_between) { worth = BETWEEN_POINTS * parts; }
    let usual_row = select(0, goal_row, off_goal_row());
    if (is_far && y != usual_row) { worth -= PENALTY * parts; }
    var sides = 0u;
    if (x == GOAL_X) {
        sides = select(0u, UP, is_goal_at(y + 1)) | select(0u, DOWN, is_goal_at(y - 1));
    } else if (far == 1 && is_goal_at(y)) {
        sides = select(LEFT, RIGHT, x < GOAL_X);
    }
    let unit = select(i32(SHARE_PARTS), 1, counts_cards() == COUNTS_NOTHING);
    let upright = select(select(0u, DOWN, y > goal_row), UP, y < goal_row);
    let sideways = select(0u, RIGHT, x < GOAL_X);
    return Cell(cell, x, worth * unit, parts * unit, parts, is_far, x < left_edge(), sides, sideways, upright);
}

// The numerator of what a play is worth.
fn worth_of(cell: Cell, kind: u32, is_turned: bool) -> i32 {
    let mask = laid_mask(kind, is_turned);
    var points = select(0, -BLOCKED_PENALTY, kind >= FIRST_BLOCKED);
    points -= select(0, PENALTY, cell.is_far && is_crossing_dear && kind == CROSSING);
    let goes_right = ((goes_right_kinds() >> (kind + select(0u, PATH_KINDS, is_turned))) & 1u) != 0u;
    points -= select(0, PENALTY, cell.is_left && !goes_right);
    points += select(select(0, -closed_penalty(), cell.goals != 0u), OPEN_POINTS, (cell.goals & mask) != 0u);
    let worth = cell.worth + points * cell.parts;
    if (counts_cards() == COUNTS_NOTHING) { return select(worth, -worth, is_saboteur); }
    let upright = select(0, counted_upright, (mask & cell.upright) != 0u);
    let added = select(upright, counted_sideways, (mask & cell.sideways) != 0u) * cell.distance_parts;
    return select(worth, -worth, is_saboteur) + select(added, -added, flips_counted());
}

fn play_of(cell: Cell, kind: u32, is_turned: bool) -> Play {
    return Play(true, worth_of(cell, kind, is_turned), cell.parts, cell.x, cell.number, kind, is_turned);
}

// The product of two numbers, the second below 2^15, as a number of 65536ths and the rest.
fn product(a: i32, b: i32) -> vec2<i32> {
    let low = (a & 0xffff) * b;
    return vec2<i32>((a >> 16u) * b + (low >> 16u), low & 0xffff);
}

fn is_less(a: vec2<i32>, b: vec2<i32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// A play is seen, in the order of the places, then of the hand, then unturned before turned.
fn see_play(purpose: u32, play: Play, slot: u32) {
    let as_digger = purpose == FIND_BEST && places_as_digger();
    let group = select(0u, slot, as_digger);
    let old = best[group];
    let own = product(play.worth, old.parts);
    let other = product(old.worth, play.parts);
    let is_equal = old.is_found && all(own == other);
    if (purpose == FIND_KTH) {
        // `equals` counts down to the one wanted.
        if (is_equal) {
            if (equals == 0u) { best[group] = play; }
            equals -= 1u;
        }
        return;
    }
    let wants_least = as_digger || purpose == FIND_WORST;
    let is_better = !old.is_found || select(is_less(other, own), is_less(own, other), wants_least);
    // Rows come first here, so only columns have to be compared.
    let takes_last = ties() == TIES_LAST && !wants_least;
    let comes_before = select(old.x > play.x, old.x <= play.x, takes_last);
    equals = select(equals + select(0u, 1u, is_equal), 1u, is_better);
    if (is_better || (is_equal && comes_before)) { best[group] = play; }
}

// Iterations: the places, and for each the hand.
fn see_plays(purpose: u32) {
    for (var number = 0u; number < place_count; number += 1u) {
        let here = place(number);
        let cell = cell_at(cell_of(here));
        let fitting = fits(here, masks);
        let either = (fitting | (fitting >> vec2<u32>(4u))) & vec2<u32>(0x01010101u);
        // One bit a slot.
        let gathered = (either * vec2<u32>(0x01020408u)) >> vec2<u32>(24u);
        for (var rest = (gathered.x & 15u) | ((gathered.y & 15u) << 4u); rest != 0u; rest &= rest - 1u) {
            let slot = countTrailingZeros(rest);
            let kind = card_in(slot);
            if (nibble(fitting, 2u * slot) != 0u) { see_play(purpose, play_of(cell, kind, false), slot); }
            if (nibble(fitting, 2u * slot + 1u) != 0u) { see_play(purpose, play_of(cell, kind, true), slot); }
        }
    }
}

// Iterations: HAND.
fn forget_plays() {
    if (places_as_digger()) {
        for (var slot = 0u; slot < HAND; slot += 1u) { best[slot].is_found = false; }
    }
    best[0].is_found = false;
}

// Iterations: those of `see_plays`, HAND, and once more those of `see_plays` for ties by chance.
fn find_best() -> Play {
    forget_plays();
    equals = 0u;
    see_plays(FIND_BEST);
    if (places_as_digger()) {
        // The best for a saboteur of the cards where a digger would lay them, the first of equals.
        var found = best[0];
        for (var slot = 1u; slot < HAND; slot += 1u) {
            let next = best[slot];
            let is_more = is_less(product(found.worth, next.parts), product(next.worth, found.parts));
            if (next.is_found && (!found.is_found || is_more)) { found = next; }
        }
        return found;
    }
    if (ties() == TIES_RANDOM && equals > 1u) {
        equals = below(equals);
        see_plays(FIND_KTH);
    }
    return best[0];
}

// The first slot with a path card, or with an action card; HAND if there is none. Iterations: HAND.
fn first_slot(is_path: bool) -> u32 {
    for (var slot = 0u; slot < HAND; slot += 1u) {
        let kind = card_in(slot);
        if (kind != NO_HAND_CARD && (kind < PATH_KINDS) == is_path) { return slot; }
    }
    return HAND;
}

fn discarded(found: Play) -> u32 {
    let first = card_in(0u);
    let best_card = select(first, found.card, found.is_found);
    if (discard_rule() == DISCARD_UNIFORM && hand != EMPTY_HAND) { return card_in(below(hand_size(hand))); }
    if (discard_rule() == DISCARD_FIRST) { return first; }
    if (discard_rule() == DISCARD_BEST) { return best_card; }
    let slot = first_slot(discard_rule() == DISCARD_PATH_FIRST);
    if (slot < HAND) { return card_in(slot); }
    if (discard_rule() == DISCARD_PATH_FIRST) { return first; }
    if (discard_rule() == DISCARD_ACTION_THEN_WORST) {
        best[0].is_found = false;
        see_plays(FIND_WORST);
        return select(first, best[0].card, best[0].is_found);
    }
    return best_card;
}

fn paper_choice() -> Choice {
    let possible = possible_goals(seen_goals());
    if (countOneBits(possible) > 1u && ((kinds >> MAP) & 1u) != 0u && uses_maps()) {
        return Choice(MAP_ACTION, MAP, goal_to_look_at(possible), false);
    }
    goal_row = provisional_row(possible);
    var adjacent_goals = possible;
    if (adjacent() == ADJACENT_FACE_DOWN) { adjacent_goals = 7u & ~face_up; }
    if (adjacent() == ADJACENT_ANY) { adjacent_goals = 7u; }
    adjacent_rows = 0u;
    for (var goal = 0u; goal < GOALS; goal += 1u) {
        adjacent_rows |= ((adjacent_goals >> goal) & 1u) << u32(row_of_goal(goal) + 4);
    }
    if (adjacent() == ADJACENT_PROVISIONAL) { adjacent_rows = 1u << u32(goal_row + 4); }
    is_crossing_dear = (kinds & sideways_kinds()) != 0u;
    count_cards();
    let found = find_best();
    let is_good = found.worth > 0 || (found.worth == 0 && plays_zero()) || !discards();
    if (found.is_found && is_good) { return Choice(LAY, found.card, found.cell, found.is_turned); }
    return Choice(DISCARD, discarded(found), 0u, false);
}
