// The strategy `full` of Saboteur: the agent of src/games/saboteur/full.rs. Four sides or four plays are looked at
// together, and lists are searched without loops: the driver that counts iterations counts none for that.

// The goals that may hold the gold, the nearness of the best cell that a path leads into, the best action so far.
var<private> may_hold_gold: u32;
var<private> front: i32;
var<private> best_score: i32;
var<private> best_choice: Choice;

// ---- points ----

// How near cells are to one goal, if so many steps are left of those that count after the steps to its column.
fn nearness_to(goal: u32, steps: vec4<i32>, y: vec4<i32>) -> vec4<i32> {
    let left = steps - abs(y - row_of_goal(goal));
    let one = vec4<i32>(1);
    let counts = left >= vec4<i32>(0);
    // Each step nearer is worth the same factor: the powers of two of it.
    let low = select(one, vec4<i32>(NEARER_BY_1), (left & one) != vec4<i32>(0))
        * select(one, vec4<i32>(NEARER_BY_2), (left & vec4<i32>(2)) != vec4<i32>(0));
    let high = select(one, vec4<i32>(NEARER_BY_4), (left & vec4<i32>(4)) != vec4<i32>(0))
        * select(one, vec4<i32>(NEARER_BY_8), (left & vec4<i32>(8)) != vec4<i32>(0));
    return select(vec4<i32>(0), low * high, counts & vec4<bool>(((may_hold_gold >> goal) & 1u) != 0u));
}

fn nearness(cells: vec4<u32>) -> vec4<i32> {
    let x = vec4<i32>(cells >> vec4<u32>(CELL_ROW_BITS)) - WIDE_ORIGIN;
    let y = vec4<i32>(cells & vec4<u32>(COLUMN - 1u)) - WIDE_ROW_ORIGIN;
    let steps = NEAR_STEPS - abs(x - GOAL_X);
    return nearness_to(0u, steps, y) + nearness_to(1u, steps, y) + nearness_to(2u, steps, y);
}

fn change_scores(changes: vec4<i32>) -> vec4<i32> {
    let points = changes * select(FRONT_DIGGER, FRONT_SABOTEUR, as_saboteur()) / vec4<i32>(max(front, 1));
    return select(points, -points, as_saboteur());
}

fn discard_points(kind: u32) -> i32 {
    let paths = select(DISCARD_PATHS_DIGGER, DISCARD_PATHS_SABOTEUR, as_saboteur());
    let others = select(DISCARD_OTHERS_DIGGER, DISCARD_OTHERS_SABOTEUR, as_saboteur());
    let points = byte(select(paths, others, kind >= PATH_KINDS), kind % PATH_KINDS);
    return i32(points << 24u) >> 24u;
}

fn harm_score(seat: u32) -> i32 {
    let suspicion = suspicion_of(seat);
    if (!as_saboteur() && suspicion < SUSPECTED) { return NEVER; }
    let base = select(HARM_DIGGER, HARM_SABOTEUR, as_saboteur());
    let more = select(HARM_DIGGER_MORE, HARM_SABOTEUR_MORE, as_saboteur());
    let again = select(0, HARM_AGAIN, ((broken >> (TOOLS * seat)) & ALL_TOOLS) != 0u);
    return base + more * suspicion + again;
}

fn mend_score(seat: u32) -> i32 {
    if (as_saboteur()) { return NEVER; }
    return select(MEND + MEND_MORE * suspicion_of(seat), MEND_OWN, seat == mover);
}

// ---- the table ----

// The columns of the places in a row that are seen already, and of those in the row seen before if it is the next one.
var<private> row: u32;
var<private> own_columns: vec2<u32>;
var<private> next_columns: vec2<u32>;

// A place is seen whose row is adjacent to those seen before if they are in `next_row`.
fn see_row(here: u32, next_row: u32) {
    let is_other = (here >> PLACE_ROW) != row;
    let before = if_so(own_columns, row == next_row);
    next_columns = select(next_columns, before, vec2<bool>(is_other));
    own_columns = if_so(own_columns, !is_other) | bit64(column_of(here));
    row = here >> PLACE_ROW;
}

fn column_of(here: u32) -> u32 {
    return (here >> PLACE_COLUMN) & (COLUMN - 1u);
}

fn forget_rows() {
    row = NO_PLACE;
    own_columns = vec2<u32>(0u);
    next_columns = vec2<u32>(0u);
}

// The number of places before a key: `at` of them are known to be, and `more` are tried.
fn places_before(key: u32, at: u32, more: u32) -> u32 {
    let end = at + more;
    let last = place(min(end, MOST_PLACES) - 1u) >> PLACE_COLUMN;
    return select(at, end, end <= place_count && last < key);
}

// The sides from which a path leads into a free cell of the board.
fn paths_into(cell: u32) -> u32 {
    let key = place_on(cell) >> PLACE_COLUMN;
    let at = places_before(key, places_before(key, places_before(key, 0u, 16u), 8u), 4u);
    let number = places_before(key, places_before(key, at, 2u), 1u);
    let word = place(min(number, MOST_PLACES - 1u));
    return select(0u, (word >> PATHS) & ALL_SIDES, number < place_count && (word >> PLACE_COLUMN) == key);
}

// What a passable card on a cell gains with each side that is open, if its neighbours ask this of it and other paths
// lead into the cells on these sides.
fn sides_of(cell: u32, asked: u32, entered: u32) -> vec4<i32> {
    let cells = vec4<u32>(vec4<i32>(i32(cell)) + STEPS);
    let near = nearness(cells);
    let of_side = vec4<u32>(LEFT, UP, RIGHT, DOWN);
    let is_on = vec4<bool>(is_on_board(cells.x), is_on_board(cells.y), is_on_board(cells.z), is_on_board(cells.w));
    let is_new = is_on & ((vec4<u32>(entered) & of_side) == vec4<u32>(0u));
    let is_laid = (vec4<u32>(asked | (asked >> WALLS)) & of_side) != vec4<u32>(0u);
    let is_cut_off = (vec4<u32>((asked >> PASSABLE) & ~(asked >> PATHS)) & of_side) != vec4<u32>(0u);
    let free = select(vec4<i32>(0), near, is_new);
    let gains = select(free, select(vec4<i32>(0), REJOIN * near, is_cut_off), is_laid);
    return with_goal(with_goal(with_goal(gains, cells, 0u), cells, 1u), cells, 2u);
}

fn with_goal(gains: vec4<i32>, cells: vec4<u32>, goal: u32) -> vec4<i32> {
    let is_hidden = ((face_up >> goal) & 1u) == 0u;
    let gain = select(0, GOAL, ((may_hold_gold >> goal) & 1u) != 0u);
    return select(gains, vec4<i32>(gain), vec4<bool>(is_hidden) & (cells == vec4<u32>(goal_cell(goal))));
}

// The number of cards before a cell: `at` of them are known to be, and `more` are tried.
fn cards_before(cell: u32, at: u32, more: u32) -> u32 {
    let end = at + more;
    let last = kept(CARDS + min(end, PATH_CARDS) - 1u) >> CARD_CELL;
    return select(at, end, end <= laid_count && last < cell);
}

// Where in the list the card on a cell is, if there is one.
fn list_index(cell: u32) -> u32 {
    let at = cards_before(cell, cards_before(cell, cards_before(cell, 0u, 32u), 16u), 8u);
    return cards_before(cell, cards_before(cell, cards_before(cell, at, 4u), 2u), 1u);
}

// The number of no card.
const NOWHERE = 0xffffffffu;

// What the card on a cell asks of its neighbour whose `side` touches it. It is at `at` in the list, or not there.
fn asked_by(cell: u32, at: u32, side: u32) -> u32 {
    let word = kept(CARDS + min(at, PATH_CARDS - 1u));
    var number = NOWHERE;
    if (at < laid_count && (word >> CARD_CELL) == cell) { number = FIRST_LAID + at; }
    if (cell == START_CELL) { number = START_CARD; }
    if (cell == goal_cell(0u)) { number = FIRST_GOAL; }
    if (cell == goal_cell(1u)) { number = FIRST_GOAL + 1u; }
    if (cell == goal_cell(2u)) { number = FIRST_GOAL + 2u; }
    if (number == NOWHERE) { return 0u; }
    return asks(laid(number)) & (ONE_SIDE << side);
}

// What its neighbours ask of a card in the list.
fn asked_of(at: u32, cell: u32) -> u32 {
    let left = u32(i32(cell) + STEPS.x);
    let right = u32(i32(cell) + STEPS.z);
    // The list goes column by column.
    return asked_by(left, list_index(left), 0u) | asked_by(cell + 1u, at + 1u, 1u)
        | asked_by(right, list_index(right), 2u) | asked_by(cell - 1u, at - 1u, 3u);
}

// ---- actions ----

fn consider(score: i32, choice: Choice) {
    if (score > best_score) {
        best_score = score;
        best_choice = choice;
    }
}

// A path is seen; those of a cell in the order of the hand, then unturned before turned.
fn see_path(is_legal: bool, score: i32, cell: u32, slot: u32, is_turned: bool) {
    let is_better = score > best_score || (score == best_score && cell < best_choice.aim);
    if (is_legal && is_better) {
        best_score = score;
        best_choice = Choice(LAY, card_in(slot), cell, is_turned);
    }
}

// The paths with two cards from `slot` on, each unturned and turned: whether they fit, and the openings of passable
// ones.
fn see_paths(cell: u32, slot: u32, fitting: u32, openings: u32, own: i32, sides: vec4<i32>) {
    if ((fitting & 0xffffu) == 0u) { return; }
    let open = vec4<i32>((vec4<u32>(openings) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(ALL_SIDES));
    let gains = sides.x * (open & vec4<i32>(1)) + sides.y * ((open >> vec4<u32>(1u)) & vec4<i32>(1))
        + sides.z * ((open >> vec4<u32>(2u)) & vec4<i32>(1)) + sides.w * (open >> vec4<u32>(3u));
    let scores = change_scores(gains - own);
    see_path((fitting & 1u) != 0u, scores.x, cell, slot, false);
    see_path((fitting & 0x10u) != 0u, scores.y, cell, slot, true);
    see_path((fitting & 0x100u) != 0u, scores.z, cell, slot + 1u, false);
    see_path((fitting & 0x1000u) != 0u, scores.w, cell, slot + 1u, true);
}

// Iterations: HAND, and twice the places.
fn find_best_path() {
    var passable = masks;
    for (var slot = 0u; slot < HAND; slot += 1u) {
        let is_blocked = card_in(slot) >= FIRST_BLOCKED;
        passable &= ~(nibble_at(select(0u, ALL_SIDES, is_blocked), 2u * slot) * vec2<u32>(0x11u));
    }
    let openings = select(passable, masks, as_saboteur());
    front = 0;
    // The places with a place above, and on the right, one bit each.
    var has_above = 0u;
    var has_right = 0u;
    forget_rows();
    for (var number = place_count; number > 0u; number -= 1u) {
        let here = place(number - 1u);
        front = max(front, nearness(vec4<u32>(cell_of(here))).x);
        see_row(here, (here >> PLACE_ROW) + 1u);
        has_above |= has64(next_columns, column_of(here)) << (number - 1u);
        has_right |= has64(own_columns, column_of(here) + 1u) << (number - 1u);
    }
    forget_rows();
    for (var number = 0u; number < place_count; number += 1u) {
        let here = place(number);
        see_row(here, (here >> PLACE_ROW) - 1u);
        let fitting = fits(here, openings);
        if (all(fitting == vec2<u32>(0u))) { continue; }
        let cell = cell_of(here);
        let entered = select(0u, LEFT, has64(own_columns, column_of(here) - 1u) != 0u)
            | select(0u, UP, ((has_above >> number) & 1u) != 0u) | select(0u, RIGHT, ((has_right >> number) & 1u) != 0u)
            | select(0u, DOWN, has64(next_columns, column_of(here)) != 0u);
        let sides = sides_of(cell, here, entered);
        let own = nearness(vec4<u32>(cell)).x;
        see_paths(cell, 0u, fitting.x, passable.x, own, sides);
        see_paths(cell, 2u, fitting.x >> 16u, passable.x >> 16u, own, sides);
        see_paths(cell, 4u, fitting.y, passable.y, own, sides);
    }
}

// Whether a digger removes a card, if its neighbours ask this of it: a blocked card or the end of a path.
fn is_end(card: Laid, asked: u32) -> bool {
    return (asked >> PATHS) != 0u && (!card.is_passable || countOneBits(asked & card.mask) == 1u);
}

// A digger's score for the removal of a card in the list.
fn removal_score(at: u32) -> i32 {
    let card = laid(FIRST_LAID + at);
    var loss = 0;
    if (card.is_passable) {
        let cells = vec4<u32>(vec4<i32>(i32(card.cell)) + STEPS);
        // Its own paths into them do not count.
        let entered = select(0u, LEFT, (paths_into(cells.x) & ~RIGHT) != 0u)
            | select(0u, UP, (paths_into(cells.y) & ~DOWN) != 0u)
            | select(0u, RIGHT, (paths_into(cells.z) & ~LEFT) != 0u)
            | select(0u, DOWN, (paths_into(cells.w) & ~UP) != 0u);
        let is_open = (vec4<u32>(card.mask) & vec4<u32>(LEFT, UP, RIGHT, DOWN)) != vec4<u32>(0u);
        let lost = select(vec4<i32>(0), sides_of(card.cell, asked_of(at, card.cell), entered), is_open);
        loss = lost.x + lost.y + lost.z + lost.w;
    }
    return change_scores(vec4<i32>(nearness(vec4<u32>(card.cell)).x - loss)).x;
}

struct Removal {
    score: i32,
    // Where in the list the card is.
    at: u32,
}

// The best rock-fall; NEVER if there is none. Iterations: twice the cards on the table.
fn best_removal() -> Removal {
    var found = Removal(NEVER, 0u);
    var ends = vec2<u32>(0u);
    for (var at = 0u; at < laid_count; at += 1u) {
        let card = laid(FIRST_LAID + at);
        let asked = asked_of(at, card.cell);
        if (!as_saboteur()) {
            ends |= if_so(bit64(at), is_end(card, asked));
        } else if (card.is_reached) {
            let score = RUIN + RUIN_MORE * i32(countOneBits((asked | (asked >> WALLS)) & ALL_SIDES));
            if (score > found.score) { found = Removal(score, at); }
        }
    }
    // Ends are few, and what they are worth is long: a loop of its own, so that lanes do it at the same time.
    for (; !is_empty64(ends); ends = without_lowest64(ends)) {
        let at = first64(ends);
        let score = removal_score(at);
        if (score > found.score) { found = Removal(score, at); }
    }
    return found;
}

// The uses of a card that breaks or repairs. Iterations: MOST_PLAYERS.
fn see_tools(kind: u32) {
    let is_break = kind < REPAIR;
    let mended = (REPAIRS >> (TOOLS * (max(kind, REPAIR) - REPAIR))) & ALL_TOOLS;
    for (var after = 0u; after < players; after += 1u) {
        let seat = select(mover + after, mover + after - players, mover + after >= players);
        let own = (broken >> (TOOLS * seat)) & ALL_TOOLS;
        let harmed = select((1u << (kind - BREAK)) & ~own, 0u, after == 0u);
        let tools = select(own & mended, harmed, is_break);
        if (tools == 0u) { continue; }
        let aim = TOOLS * seat + countTrailingZeros(tools);
        if (is_break) {
            consider(harm_score(seat), Choice(BREAK_ACTION, kind, aim, false));
        } else {
            consider(mend_score(seat), Choice(REPAIR_ACTION, kind, aim, false));
        }
    }
}

fn goal_to_see() -> u32 {
    let last = select(LOOK_LAST, LOOK_SECOND, ((may_hold_gold >> LOOK_SECOND) & 1u) != 0u);
    return select(last, LOOK_FIRST, ((may_hold_gold >> LOOK_FIRST) & 1u) != 0u);
}

// Iterations: those of `find_best_path` and `best_removal`, HAND, and for each card in the hand those of `see_tools`.
fn full_choice() -> Choice {
    may_hold_gold = possible_goals(seen >> (GOALS * mover));
    best_score = NEVER;
    best_choice = Choice(DISCARD, NO_HAND_CARD, 0u, false);
    find_best_path();
    var removal = Removal(NEVER, 0u);
    if (((kinds >> ROCK_FALL) & 1u) != 0u) { removal = best_removal(); }
    for (var rest = slots; rest != 0u; rest &= rest - 1u) {
        let kind = card_in(countTrailingZeros(rest));
        if (kind == ROCK_FALL) { consider(removal.score, Choice(ROCK_FALL_ACTION, kind, removal.at, false)); }
        if (kind == MAP && !as_saboteur() && countOneBits(may_hold_gold) > 1u) {
            consider(LOOK, Choice(MAP_ACTION, kind, goal_to_see(), false));
        }
        if (kind >= BREAK) { see_tools(kind); }
        consider(discard_points(kind), Choice(DISCARD, kind, 0u, false));
    }
    return best_choice;
}
