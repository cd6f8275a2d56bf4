// Saboteur playouts: the rules of src/games/saboteur/position.rs, rules.rs and game.rs.
//
// A lane keeps the words of its packed position. The cards on the table, the hands and the nuggets are worked on in
// place, the rest in private variables. Behind them are the places: the free cells that an open path leads into, row by
// row from the bottom, each from the left, with what their neighbours ask of a card.
//
// A step is a turn. Before it a few of the cards that are new on the table, or newly reached, are looked around; after
// a rock-fall all cards are, which may take several steps.

// Words of a lane: the packed position, the places, counts and flags.
const PLACES = GAME_FIELD + POSITION_WORDS;
const COUNTS = PLACES + MOST_PLACES;

// A word of a card on the table has two more bits here: whether a path from the start leads to it, and whether it is
// still to be looked around.
const REACHED = 32u;
const WAITING = 64u;

// A word of a place: what its neighbours ask of a card there, column, row. They sort as the places do.
const PLACE_COLUMN = 16u;
const PLACE_ROW = 22u;
// After all places.
const NO_PLACE = 0xffffffffu;

// What neighbours ask of a card, four sides each: where one is open, where one has a wall, where one is open and
// passable, where a path leads here.
const WALLS = 4u;
const PASSABLE = 8u;
const PATHS = 12u;
const ONE_SIDE = 0x1111u;

// The cards on the table are numbered: the start, the goals, then those of the packed position.
const START_CARD = 0u;
const FIRST_GOAL = 1u;
const FIRST_LAID = 4u;
const NOTHING_WAITS = 0xffffffffu;

const ALL_SIDES = 15u;
const COLUMN = 1u << CELL_ROW_BITS;
// From a cell to its neighbours on the left, above, on the right and below.
const STEPS = vec4<i32>(-i32(COLUMN), 1, i32(COLUMN), -1);

// What a player can do, and with what: cell, number of a card on the table, goal or bit of a tool in `broken`.
const LAY = 0u;
const ROCK_FALL_ACTION = 1u;
const MAP_ACTION = 2u;
const BREAK_ACTION = 3u;
const REPAIR_ACTION = 4u;
const DISCARD = 5u;

struct Choice {
    action: u32,
    // The kind of the card.
    card: u32,
    aim: u32,
    is_turned: bool,
}

var<private> deck_paths: vec2<u32>;
var<private> deck_actions: u32;
// Three bits a seat.
var<private> seen: u32;
var<private> broken: u32;
var<private> saboteurs: u32;
var<private> goals: u32;
var<private> face_up: u32;
var<private> turned: u32;
var<private> players: u32;
var<private> is_dealt: u32;
var<private> mover: u32;
var<private> turn: u32;
var<private> winner: u32;
var<private> rounds: u32;
// The edges of the board: column and row of its corners.
var<private> lowest: vec2<i32>;
var<private> highest: vec2<i32>;

var<private> laid_count: u32;
var<private> place_count: u32;
// The number of a card to look around.
var<private> waiting: u32;
// The goals that are reached, and from bit 3 on those to look around.
var<private> goal_flags: u32;

// The mover's role and cards: the hand, the first slot of each kind as a set, the kinds as a set, and for each path
// card among those first ones its openings unturned and turned, four bits each. No openings where it cannot be laid so.
var<private> is_saboteur: bool;
var<private> hand: u32;
var<private> slots: u32;
var<private> kinds: u32;
var<private> masks: vec2<u32>;

fn kept(word: u32) -> u32 {
    return lane_word(GAME_FIELD + word, own_lane);
}

fn keep(word: u32, value: u32) {
    set_lane_word(GAME_FIELD + word, own_lane, value);
}

fn place(number: u32) -> u32 {
    return lane_word(PLACES + number, own_lane);
}

// ---- cards ----

fn half_turn(mask: u32) -> u32 {
    return ((mask & 3u) << 2u) | (mask >> 2u);
}

fn laid_mask(kind: u32, is_turned: bool) -> u32 {
    let mask = nibble(MASKS, kind);
    return select(mask, half_turn(mask), is_turned);
}

fn card_in(slot: u32) -> u32 {
    return (hand >> (HAND_BITS * slot)) & NO_HAND_CARD;
}

fn hand_size(cards: u32) -> u32 {
    return HAND - countLeadingZeros(~(cards << (32u - HAND_BITS * HAND))) / HAND_BITS;
}

fn with_card(cards: u32, kind: u32) -> u32 {
    let at = HAND_BITS * hand_size(cards);
    let more = (cards & ~(NO_HAND_CARD << at)) | (kind << at);
    return select(more, cards, at >= HAND_BITS * HAND);
}

// The hand without its first card of this kind, which it has.
fn without_card(cards: u32, kind: u32) -> u32 {
    // The lowest field that is zero here borrows first.
    let differs = cards ^ (kind * HAND_ONES);
    let equal = (differs - HAND_ONES) & ~differs & (HAND_ONES << (HAND_BITS - 1u));
    let before = (1u << (countTrailingZeros(equal) + 1u - HAND_BITS)) - 1u;
    return (cards & before) | ((cards >> HAND_BITS) & ~before) | (NO_HAND_CARD << (HAND_BITS * (HAND - 1u)));
}

fn is_deck_empty() -> bool {
    return (deck_paths.x | deck_paths.y | deck_actions) == 0u;
}

// The next card of a deck that has one. The first card of every kind but the first has a bit in FIRST_PATHS or
// FIRST_ACTIONS, so that a card's kind is the number of bits up to it.
fn draw_card() -> u32 {
    let paths = count64(deck_paths);
    let k = below(paths + countOneBits(deck_actions));
    if (k < paths) {
        let card = bit64(kth_bit64(deck_paths, k));
        deck_paths &= ~card;
        // All bits up to the card's.
        let low = select(card.x | (card.x - 1u), 0xffffffffu, card.x == 0u);
        let high = select(0u, card.y | (card.y - 1u), card.x == 0u);
        return count64(FIRST_PATHS & vec2<u32>(low, high));
    }
    let action = 1u << kth_bit32(deck_actions, k - paths);
    deck_actions &= ~action;
    return PATH_KINDS + countOneBits(FIRST_ACTIONS & (action | (action - 1u)));
}

// A row of the table of players: four bits for each number of players.
fn number_for(row: u32) -> u32 {
    return (row >> (4u * (players - FEWEST_PLAYERS))) & 15u;
}

// Roles, goals and hands. Iterations: MOST_PLAYERS, and the cards of all hands.
fn deal() {
    is_dealt = 1u;
    var left = number_for(SABOTEUR_CARDS);
    var cards = left + number_for(DIGGER_CARDS);
    for (var seat = 0u; seat < players; seat += 1u) {
        let is_one = select(0u, 1u, below(cards) < left);
        saboteurs |= is_one << seat;
        left -= is_one;
        cards -= 1u;
    }
    let order = below(6u);
    let gold = order >> 1u;
    let is_swapped = (order & 1u) != 0u;
    let first = select(STONE_FACE_0, STONE_FACE_1, is_swapped) << select(0u, 4u, gold == 0u);
    let second = select(STONE_FACE_1, STONE_FACE_0, is_swapped) << select(8u, 4u, gold == 2u);
    goals = (GOLD_FACE << (4u * gold)) | first | second;
    let size = number_for(HAND_CARDS);
    var seat = 0u;
    var of_seat = 0u;
    for (var card = 0u; card < players * size && !is_deck_empty(); card += 1u) {
        keep(HANDS + seat, with_card(kept(HANDS + seat), draw_card()));
        of_seat += 1u;
        if (of_seat == size) {
            of_seat = 0u;
            seat += 1u;
        }
    }
}

// ---- the table ----

// The side of a cell that touches the cell at this distance; SIDES if none does.
fn side_of(step: i32) -> u32 {
    let side = select(select(SIDES, 3u, step == STEPS.w), 2u, step == STEPS.z);
    return select(select(side, 1u, step == STEPS.y), 0u, step == STEPS.x);
}

fn goal_cell(goal: u32) -> u32 {
    return BOTTOM_GOAL + GOAL_STEP * goal;
}

fn row_of_goal(goal: u32) -> i32 {
    return i32(goal_cell(goal) & (COLUMN - 1u)) - WIDE_ROW_ORIGIN;
}

// The goals that may hold the gold, for somebody who has seen these besides those face up.
fn possible_goals(seen_goals: u32) -> u32 {
    let known = (seen_goals | face_up) & 7u;
    let gold = select(0u, 1u, (goals & 15u) == GOLD_FACE) | select(0u, 2u, ((goals >> 4u) & 15u) == GOLD_FACE)
        | select(0u, 4u, ((goals >> 8u) & 15u) == GOLD_FACE);
    return select(7u & ~known, known & gold, (known & gold) != 0u);
}

fn goal_mask(goal: u32) -> u32 {
    let face = (goals >> (4u * goal)) & 15u;
    return select(face, half_turn(face), ((turned >> goal) & 1u) != 0u);
}

struct Laid {
    cell: u32,
    mask: u32,
    is_up: bool,
    is_passable: bool,
    is_reached: bool,
    is_waiting: bool,
}

fn laid(number: u32) -> Laid {
    if (number >= FIRST_LAID) {
        let word = kept(CARDS + number - FIRST_LAID);
        let kind = word & 15u;
        let mask = laid_mask(kind, ((word >> CARD_TURNED) & 1u) != 0u);
        let is_reached = (word & REACHED) != 0u;
        return Laid(word >> CARD_CELL, mask, true, kind < FIRST_BLOCKED, is_reached, (word & WAITING) != 0u);
    }
    if (number == START_CARD) { return Laid(START_CELL, ALL_SIDES, true, true, true, false); }
    let goal = number - FIRST_GOAL;
    let is_up = ((face_up >> goal) & 1u) != 0u;
    let mask = select(0u, goal_mask(goal), is_up);
    let flags = goal_flags >> goal;
    return Laid(goal_cell(goal), mask, is_up, is_up, (flags & 1u) != 0u, (flags & 8u) != 0u);
}

// A path leads to this card, or it has been looked around.
fn mark(number: u32, is_reached: bool) {
    if (number >= FIRST_LAID) {
        let word = kept(CARDS + number - FIRST_LAID);
        keep(CARDS + number - FIRST_LAID, select(word & ~WAITING, word | REACHED | WAITING, is_reached));
    } else if (number >= FIRST_GOAL) {
        let goal = number - FIRST_GOAL;
        goal_flags = select(goal_flags & ~(8u << goal), goal_flags | (9u << goal), is_reached);
    }
}

// The word of a place on this cell, without edges.
fn place_on(cell: u32) -> u32 {
    return ((cell >> CELL_ROW_BITS) << PLACE_COLUMN) | ((cell & (COLUMN - 1u)) << PLACE_ROW);
}

fn cell_of(word: u32) -> u32 {
    return (((word >> PLACE_COLUMN) & (COLUMN - 1u)) << CELL_ROW_BITS) | (word >> PLACE_ROW);
}

// What a card asks of the cells around it, each at the side that touches it. A card that waits may be reached, but the
// places do not know that yet.
fn asks(card: Laid) -> u32 {
    let open = half_turn(card.mask);
    let passable = select(0u, open, card.is_passable);
    let paths = select(0u, open, card.is_reached && !card.is_waiting);
    let asked = open | ((open ^ ALL_SIDES) << WALLS) | (passable << PASSABLE) | (paths << PATHS);
    return select(0u, asked, card.is_up);
}

fn is_on_board(cell: u32) -> bool {
    let at = vec2<i32>(i32(cell >> CELL_ROW_BITS), i32(cell & (COLUMN - 1u)));
    return all(at >= lowest) && all(at <= highest);
}

// The place on the neighbour at `step`; none if the card is closed there, or the cell is taken or beyond the board.
fn new_place(cell: u32, step: i32, is_open: bool, edges: u32) -> u32 {
    let there = u32(i32(cell) + step);
    return select(NO_PLACE, place_on(there) | edges, is_open && is_on_board(there));
}

// Looks around the card that waits: its cell is no place any more, its neighbours know its edges, and if it is reached
// the cells it opens to are places and the passable cards it opens to are reached.
// Iterations: the cards on the table, and the places with the new ones.
fn look_around() {
    mark(waiting, false);
    let own = laid(waiting);
    waiting = NOTHING_WAITS;
    let opens = select(0u, own.mask, own.is_reached);
    var taken = 0u;
    // What the cards ask of the four neighbours of the cell.
    var edges = vec4<u32>(0u);
    for (var number = 0u; number < FIRST_LAID + laid_count; number += 1u) {
        let other = laid(number);
        let step = i32(other.cell) - i32(own.cell);
        let side = side_of(step);
        taken |= (1u << side) & ALL_SIDES;
        let meets = ((opens >> side) & (other.mask >> (side ^ 2u)) & 1u) != 0u;
        let is_found = side < SIDES && meets && other.is_passable && !other.is_reached;
        if (is_found) { mark(number, true); }
        if (is_found || other.is_waiting) { waiting = number; }
        let beyond = vec4<i32>(step) - STEPS;
        let asked = asks(other);
        edges |= select(vec4<u32>(0u), vec4<u32>(asked & ONE_SIDE), beyond == vec4<i32>(STEPS.x));
        edges |= select(vec4<u32>(0u), vec4<u32>(asked & (ONE_SIDE << 1u)), beyond == vec4<i32>(STEPS.y));
        edges |= select(vec4<u32>(0u), vec4<u32>(asked & (ONE_SIDE << 2u)), beyond == vec4<i32>(STEPS.z));
        edges |= select(vec4<u32>(0u), vec4<u32>(asked & (ONE_SIDE << 3u)), beyond == vec4<i32>(STEPS.w));
    }
    let free = opens & ~taken;
    let a = new_place(own.cell, STEPS.x, (free & 1u) != 0u, edges.x);
    let b = new_place(own.cell, STEPS.y, (free & 2u) != 0u, edges.y);
    let c = new_place(own.cell, STEPS.z, (free & 4u) != 0u, edges.z);
    let d = new_place(own.cell, STEPS.w, (free & 8u) != 0u, edges.w);
    merge_places(own, vec4<u32>(min(a, b), max(a, b), min(c, d), max(c, d)));
}

// Merges new places, two pairs in order, into the list. Those that are in it already are the same there: all cards
// around them have been looked around, for a goal and the card that turned it have no neighbour in common.
fn merge_places(own: Laid, pairs: vec4<u32>) {
    let cell = i32(own.cell);
    // Places on their way to their new position in the list, the first of them first.
    let middle = vec2<u32>(max(pairs.x, pairs.z), min(pairs.y, pairs.w));
    let outer = vec2<u32>(min(pairs.x, pairs.z), max(pairs.y, pairs.w));
    var carried = vec4<u32>(outer.x, min(middle.x, middle.y), max(middle.x, middle.y), outer.y);
    var to = 0u;
    for (var number = 0u; number < place_count || carried.x != NO_PLACE; number += 1u) {
        var here = NO_PLACE;
        if (number < place_count) { here = place(number); }
        let side = side_of(cell - i32(cell_of(here)));
        if (here != NO_PLACE && side < SIDES) { here |= asks(own) & (ONE_SIDE << side); }
        if (any(carried == vec4<u32>(here))) { here = NO_PLACE; }
        let first = min(here, carried.x);
        let rest = max(here, carried.x);
        carried = vec4<u32>(
            min(rest, carried.y), min(max(rest, carried.y), carried.z),
            min(max(rest, max(carried.y, carried.z)), carried.w), max(rest, carried.w),
        );
        let is_taken = i32(cell_of(first)) == cell;
        if (first != NO_PLACE && !is_taken && to < MOST_PLACES) {
            set_lane_word(PLACES + to, own_lane, first);
            to += 1u;
        }
    }
    place_count = to;
}

// Takes a card from the list and forgets what is reached, or inserts a card in its order.
// Iterations: the cards on the table, and one more.
fn change_laid(removed: u32, added: u32) {
    let is_removal = added == NO_CARD;
    // A card on its way to its new position in the list; NO_CARD is after all others.
    var carried = added;
    var to = 0u;
    for (var at = 0u; at < laid_count || carried != NO_CARD; at += 1u) {
        var word = NO_CARD;
        if (at < laid_count && at != removed) {
            word = kept(CARDS + at) & ~select(0u, REACHED | WAITING, is_removal);
        }
        let first = min(word, carried);
        carried = max(word, carried);
        if (first == NO_CARD || to == PATH_CARDS) { continue; }
        if (first == added) { waiting = FIRST_LAID + to; }
        if (first != word || is_removal) { keep(CARDS + to, first); }
        to += 1u;
    }
    laid_count = to;
}

// Turns the goals face down that a card with these openings leads to. Iterations: GOALS.
fn turn_goals(cell: u32, mask: u32) {
    for (var goal = 0u; goal < GOALS; goal += 1u) {
        let side = side_of(i32(goal_cell(goal)) - i32(cell));
        let is_hidden = ((face_up >> goal) & 1u) == 0u;
        if (side < SIDES && ((mask >> side) & 1u) != 0u && is_hidden) { turn_goal(goal, side ^ 2u); }
    }
}

// A path leads to this side of a goal: it is turned so that it opens to that side, if it can be.
fn turn_goal(goal: u32, side: u32) {
    let face = goal_mask(goal);
    let opens = (face >> side) & 1u;
    let opens_turned = (half_turn(face) >> side) & 1u;
    face_up |= 1u << goal;
    turned |= (opens_turned & ~opens) << goal;
    goal_flags |= ((opens | opens_turned) | 8u) << goal;
    if (face == GOLD_FACE) { winner = DIGGERS_WON; }
}

// Only the start is known to be reached.
fn look_everywhere() {
    place_count = 0u;
    goal_flags = 0u;
    waiting = START_CARD;
}

// ---- turns ----

// Reads the mover's hand. Iterations: HAND.
fn take_hand() {
    is_saboteur = ((saboteurs >> mover) & 1u) != 0u;
    hand = kept(HANDS + mover);
    slots = 0u;
    kinds = 0u;
    masks = vec2<u32>(0u);
    let can_dig = ((broken >> (TOOLS * mover)) & ALL_TOOLS) == 0u;
    for (var slot = 0u; slot < HAND; slot += 1u) {
        let kind = card_in(slot);
        if (kind == NO_HAND_CARD) { break; }
        let is_new = ((kinds >> kind) & 1u) == 0u;
        kinds |= 1u << kind;
        slots |= select(0u, 1u << slot, is_new);
        if (is_new && can_dig && kind < PATH_KINDS) {
            let mask = laid_mask(kind, false);
            let other = select(0u, half_turn(mask), half_turn(mask) != mask);
            masks |= nibble_at(mask, 2u * slot) | nibble_at(other, 2u * slot + 1u);
        }
    }
}

// The masks that fit into a place: the lowest bit of their nibbles. No place takes a card without openings.
fn fits(here: u32, openings: vec2<u32>) -> vec2<u32> {
    let open = vec2<u32>((here & 15u) * 0x11111111u);
    let walls = vec2<u32>(((here >> WALLS) & 15u) * 0x11111111u);
    let wrong = (open & ~openings) | (walls & openings);
    let pairs = wrong | (wrong >> vec2<u32>(1u));
    return ~(pairs | (pairs >> vec2<u32>(2u))) & vec2<u32>(0x11111111u);
}

fn suspicion_of(seat: u32) -> i32 {
    return i32(kept(SUSPICION + (seat >> 2u)) << (24u - 8u * (seat & 3u))) >> 24u;
}

// Notes what an action says of roles to everybody, before it is done.
fn note(choice: Choice) {
    var evidence = 0;
    if (choice.action == LAY) { evidence = select(EVIDENCE_BLOCKED, EVIDENCE_PASSABLE, choice.card < FIRST_BLOCKED); }
    if (choice.action == BREAK_ACTION && suspicion_of(choice.aim / TOOLS) <= 0) { evidence = EVIDENCE_HARM; }
    if (evidence == 0) { return; }
    let suspicion = clamp(suspicion_of(mover) + evidence, -MOST_SUSPICION, MOST_SUSPICION);
    let word = SUSPICION + (mover >> 2u);
    let shift = 8u * (mover & 3u);
    keep(word, (kept(word) & ~(255u << shift)) | ((u32(suspicion) & 255u) << shift));
}

// Uses a card, and unless the round ends draws the next one. Iterations: those of `change_laid` and `turn_goals`,
// MOST_PLAYERS.
fn play_action(choice: Choice) {
    if (turn < 255u) {
        turn += 1u;
        phases += 1u;
        actions += 1u;
    }
    note(choice);
    hand = without_card(hand, choice.card);
    if (choice.action == LAY || choice.action == ROCK_FALL_ACTION) {
        let is_laid = choice.action == LAY;
        let flags = WAITING | select(0u, REACHED, choice.card < FIRST_BLOCKED);
        let card = choice.card | (select(0u, 1u, choice.is_turned) << CARD_TURNED) | flags | (choice.aim << CARD_CELL);
        change_laid(select(choice.aim, PATH_CARDS, is_laid), select(NO_CARD, card, is_laid));
        if (!is_laid) { look_everywhere(); }
        if (is_laid && choice.card < FIRST_BLOCKED) {
            turn_goals(choice.aim, laid_mask(choice.card, choice.is_turned));
        }
    } else if (choice.action == MAP_ACTION) {
        seen |= 1u << (GOALS * mover + choice.aim);
    } else if (choice.action == BREAK_ACTION) {
        broken |= 1u << choice.aim;
    } else if (choice.action == REPAIR_ACTION) {
        broken &= ~(1u << choice.aim);
    }
    if (winner == 0u && !is_deck_empty()) { hand = with_card(hand, draw_card()); }
    keep(HANDS + mover, hand);
    if (winner != 0u) { return; }
    var seat = mover;
    for (var i = 0u; i < players; i += 1u) {
        seat = select(seat + 1u, 0u, seat + 1u >= players);
        if (kept(HANDS + seat) != EMPTY_HAND) {
            mover = seat;
            return;
        }
    }
    winner = select(SABOTEURS_WON, NOBODY_WON, saboteurs == 0u);
}

// ---- the game ----

fn nuggets_of(seat: u32) -> u32 {
    return (kept(NUGGETS + (seat >> 2u)) >> (8u * (seat & 3u))) & 255u;
}

fn pay(seat: u32, nuggets: u32) {
    let word = NUGGETS + (seat >> 2u);
    keep(word, kept(word) + (nuggets << (8u * (seat & 3u))));
}

// Deals gold cards to the diggers. Iterations: twice the gold cards dealt.
fn pay_diggers() {
    var gold = kept(GOLD);
    var dealt = vec3<u32>(0u);
    var cards = 0u;
    for (; cards < number_for(GOLD_CARDS) && gold != 0u; cards += 1u) {
        let ones = gold & 255u;
        let twos = (gold >> 8u) & 255u;
        let k = below(ones + twos + (gold >> 16u));
        let size = select(0u, 1u, k >= ones) + select(0u, 1u, k >= ones + twos);
        gold -= 1u << (8u * size);
        dealt[size] += 1u;
    }
    keep(GOLD, gold);
    let diggers = ~saboteurs & ((1u << players) - 1u);
    if (diggers == 0u) { return; }
    // Whoever reached the gold takes the best card, then the diggers against the order of turns.
    var rest = diggers & ((2u << mover) - 1u);
    for (; cards > 0u; cards -= 1u) {
        if (rest == 0u) { rest = diggers; }
        let seat = firstLeadingBit(rest);
        rest &= ~(1u << seat);
        let size = select(select(0u, 1u, dealt.y > 0u), 2u, dealt.z > 0u);
        dealt[size] -= 1u;
        pay(seat, size + 1u);
    }
}

// Every saboteur takes the same number of nuggets, if the cards left can make it up; else as many as they can, with as
// many threes and then twos as there can be. Iterations: twice the nuggets for each saboteur who gets some.
fn pay_saboteurs() {
    let count = countOneBits(saboteurs);
    let share = select(0u, (SHARES >> (4u * count)) & 15u, count <= MOST_SABOTEURS);
    if (share == 0u) { return; }
    for (var rest = saboteurs; rest != 0u; rest &= rest - 1u) {
        let gold = kept(GOLD);
        // With one three or none.
        for (var option = 2u * share + 1u; option > 1u; option -= 1u) {
            let paid = option >> 1u;
            let threes = option & 1u;
            let others = paid - min(paid, 3u * threes);
            let twos = min((gold >> 8u) & 255u, others >> 1u);
            let ones = others - 2u * twos;
            if (3u * threes <= paid && threes <= gold >> 16u && ones <= (gold & 255u)) {
                keep(GOLD, gold - (ones | (twos << 8u) | (threes << 16u)));
                pay(countTrailingZeros(rest), paid);
                break;
            }
        }
    }
}

// Pays the gold and prepares the next round, which the player after the last mover begins. Iterations: those of the
// payments, and MOST_PLAYERS.
fn end_round() {
    if (winner == DIGGERS_WON) { pay_diggers(); }
    if (winner == SABOTEURS_WON) { pay_saboteurs(); }
    rounds += 1u;
    if (rounds >= ROUNDS) { return; }
    for (var seat = 0u; seat < MOST_PLAYERS; seat += 1u) { keep(HANDS + seat, EMPTY_HAND); }
    keep(SUSPICION, 0u);
    keep(SUSPICION + 1u, 0u);
    keep(SUSPICION + 2u, 0u);
    deck_paths = FULL_PATHS;
    deck_actions = FULL_ACTIONS;
    seen = 0u;
    broken = 0u;
    saboteurs = 0u;
    goals = 0u;
    face_up = 0u;
    turned = 0u;
    is_dealt = 0u;
    mover = select(mover + 1u, 0u, mover + 1u >= players);
    turn = 0u;
    winner = 0u;
    laid_count = 0u;
    look_everywhere();
}

// Who has the most nuggets; a draw if several have. Iterations: MOST_PLAYERS.
fn leader() -> u32 {
    var most = nuggets_of(0u);
    var found = 0u;
    for (var seat = 1u; seat < players; seat += 1u) {
        let own = nuggets_of(seat);
        if (own == most) { found = DRAW; }
        if (own > most) {
            most = own;
            found = seat;
        }
    }
    return found;
}

// ---- playouts ----

fn load() {
    deck_paths = vec2<u32>(kept(DECK_PATHS), kept(DECK_PATHS + 1u));
    deck_actions = kept(DECK_ACTIONS);
    seen = kept(SEEN);
    broken = kept(BROKEN);
    saboteurs = kept(SABOTEURS);
    goals = kept(GOAL_FACES);
    face_up = kept(FACE_UP);
    turned = kept(TURNED);
    players = kept(PLAYERS);
    is_dealt = kept(IS_DEALT);
    mover = kept(MOVER);
    turn = kept(TURN);
    winner = kept(WINNER);
    rounds = kept(ROUNDS_PLAYED);
    let edges = unpack4xI8(kept(EXTENT));
    lowest = vec2<i32>(edges.x + WIDE_ORIGIN, edges.z + WIDE_ROW_ORIGIN);
    highest = vec2<i32>(edges.y + WIDE_ORIGIN, edges.w + WIDE_ROW_ORIGIN);
}

fn save() {
    keep(DECK_PATHS, deck_paths.x);
    keep(DECK_PATHS + 1u, deck_paths.y);
    keep(DECK_ACTIONS, deck_actions);
    keep(SEEN, seen);
    keep(BROKEN, broken);
    keep(SABOTEURS, saboteurs);
    keep(GOAL_FACES, goals);
    keep(FACE_UP, face_up);
    keep(TURNED, turned);
    keep(IS_DEALT, is_dealt);
    keep(MOVER, mover);
    keep(TURN, turn);
    keep(WINNER, winner);
    keep(ROUNDS_PLAYED, rounds);
}

// Iterations: the words of a position.
fn begin(at: u32) {
    laid_count = 0u;
    for (var word = 0u; word < POSITION_WORDS; word += 1u) {
        keep(word, items[at + word]);
        laid_count += select(0u, 1u, word < HANDS && items[at + word] != NO_CARD);
    }
    load();
    look_everywhere();
}

fn restore(lane: u32, at: u32) {
    load();
    let counts = lane_word(COUNTS, lane);
    laid_count = counts & 63u;
    place_count = (counts >> 6u) & 63u;
    goal_flags = (counts >> 12u) & 63u;
    waiting = select(NOTHING_WAITS, counts >> 19u, ((counts >> 18u) & 1u) != 0u);
}

fn suspend(lane: u32) {
    save();
    let waits = select(1u | (waiting << 1u), 0u, waiting == NOTHING_WAITS);
    set_lane_word(COUNTS, lane, laid_count | (place_count << 6u) | (goal_flags << 12u) | (waits << 18u));
}

// Iterations: the words of a position.
fn write_position(at: u32) {
    save();
    for (var word = 0u; word < POSITION_WORDS; word += 1u) {
        let card = select(kept(word) & ~(REACHED | WAITING), NO_CARD, word >= laid_count);
        records[at + word] = select(kept(word), card, word < HANDS);
    }
}

fn advance() {
    if (!IS_WHOLE || rounds < ROUNDS) {
        if (is_dealt == 0u) { deal(); }
        for (var looks = 0u; looks < LOOKS && waiting != NOTHING_WAITS && winner == 0u; looks += 1u) {
            look_around();
        }
        if (winner == 0u && waiting == NOTHING_WAITS) {
            take_hand();
            // A strategy may draw before it finds that there is no card, which is only so in a position made by hand.
            let choice = choose_action();
            if (hand == EMPTY_HAND) {
                ending = TRUNCATED;
            } else {
                play_action(choice);
            }
        }
    }
    if (IS_WHOLE) {
        if (winner != 0u && rounds < ROUNDS) { end_round(); }
        if (rounds >= ROUNDS) { ending = leader(); }
    } else if (winner != 0u) {
        ending = select(winner - DIGGERS_WON, DRAW, winner == NOBODY_WON);
    }
}
