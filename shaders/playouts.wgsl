// The same for every game: lanes that play one playout after another, a few steps per dispatch.
//
// A game supplies
//   begin(at)            takes the position at items[at..] as the start of a playout
//   advance()            plays one action or a part of one; a few if there is no choice in between
//   restore(lane, at)    takes up the lane's playout, which began at items[at..]
//   suspend(lane)        puts it away until the next dispatch
//   write_position(at)   writes the position to records[at..], in the words of `items`
// and sets `ending` once a playout is over; it counts `phases` and `actions`.

struct Run {
    lanes: u32,
    playouts: u32,
    // Steps of a lane in one dispatch, a multiple of BURST.
    steps: u32,
    // Words of a record: outcome, and the final position if it is wanted.
    record_words: u32,
}

struct Progress {
    // Number of the next playout that no lane has taken.
    next: atomic<u32>,
    finished: atomic<u32>,
    // Steps of lanes that had something to play, and of all lanes that waited for them.
    busy: atomic<u32>,
    total: atomic<u32>,
}

// Items: base of the random streams, index of the first playout (two words each), number of that
// playout within this run, start position.
const ITEM_HEADER = 5u;
const OUTCOME_WORDS = 4u;

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read> item_of_playout: array<u32>;
@group(0) @binding(3) var<storage, read_write> lanes: array<u32>;
@group(0) @binding(4) var<storage, read_write> records: array<u32>;
@group(0) @binding(5) var<storage, read_write> progress: Progress;

var<private> own_lane: u32;
// 1 + the number of the playout in this lane; 0 if it has none.
var<private> ticket: u32;
var<private> ending: u32;
var<private> phases: u32;
var<private> actions: u32;

var<workgroup> longest: atomic<u32>;

fn item_pair(at: u32) -> vec2<u32> {
    return vec2<u32>(items[at], items[at + 1u]);
}

fn record_pair(at: u32, pair: vec2<u32>) {
    records[at] = pair.x;
    records[at + 1u] = pair.y;
}

fn lane_word(field: u32, lane: u32) -> u32 {
    return lanes[field * run.lanes + lane];
}

fn lane_pair(field: u32, lane: u32) -> vec2<u32> {
    return vec2<u32>(lane_word(field, lane), lane_word(field + 1u, lane));
}

fn set_lane_word(field: u32, lane: u32, word: u32) {
    lanes[field * run.lanes + lane] = word;
}

fn set_lane_pair(field: u32, lane: u32, pair: vec2<u32>) {
    set_lane_word(field, lane, pair.x);
    set_lane_word(field + 1u, lane, pair.y);
}

fn item_at(number: u32) -> u32 {
    return item_of_playout[number] * (ITEM_HEADER + POSITION_WORDS);
}

// Starts the next playout, if there is one left.
fn take() {
    // Idle lanes only look, so that the counter cannot overflow.
    if (atomicLoad(&progress.next) >= run.playouts) { return; }
    let number = atomicAdd(&progress.next, 1u);
    if (number >= run.playouts) { return; }
    ticket = number + 1u;
    let at = item_at(number);
    let index = add64(item_pair(at + 2u), vec2<u32>(number - items[at + 4u], 0u));
    rng_state = playout_state(item_pair(at), index);
    draws = 0u;
    phases = 0u;
    actions = 0u;
    ending = PLAYING;
    begin(at + ITEM_HEADER);
}

fn record() {
    let at = (ticket - 1u) * run.record_words;
    records[at] = ending;
    records[at + 1u] = phases;
    records[at + 2u] = actions;
    records[at + 3u] = draws;
    if (run.record_words > OUTCOME_WORDS) { write_position(at + OUTCOME_WORDS); }
}

@compute @workgroup_size(WORKGROUP)
fn playouts(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let lane = id.x;
    own_lane = lane;
    ticket = lane_word(0u, lane);
    if (ticket != 0u) {
        ending = lane_word(1u, lane);
        rng_state = vec4<u32>(lane_pair(2u, lane), lane_pair(4u, lane));
        draws = lane_word(6u, lane);
        phases = lane_word(7u, lane);
        actions = lane_word(8u, lane);
        restore(lane, item_at(ticket - 1u) + ITEM_HEADER);
    }

    var steps = 0u;
    var busy = 0u;
    var finished = 0u;
    for (; steps < run.steps; steps += BURST) {
        // The only call: the code is long, and drivers copy it to every place where it is called.
        if (ticket == 0u) { take(); }
        if (ticket == 0u) { break; }
        // A playout can be over as it begins. A finished one waits for the end of the burst, because
        // starting another takes every lane of a vector longer than a few idle steps of one.
        for (var i = 0u; i < BURST && ending == PLAYING; i += 1u) {
            advance();
            busy += 1u;
        }
        if (ending != PLAYING) {
            record();
            finished += 1u;
            ticket = 0u;
        }
    }

    set_lane_word(0u, lane, ticket);
    if (ticket != 0u) {
        set_lane_word(1u, lane, ending);
        set_lane_pair(2u, lane, rng_state.xy);
        set_lane_pair(4u, lane, rng_state.zw);
        set_lane_word(6u, lane, draws);
        set_lane_word(7u, lane, phases);
        set_lane_word(8u, lane, actions);
        suspend(lane);
    }

    atomicAdd(&progress.finished, finished);
    atomicAdd(&progress.busy, busy);
    atomicMax(&longest, steps);
    workgroupBarrier();
    if (local == 0u) { atomicAdd(&progress.total, WORKGROUP * atomicLoad(&longest)); }
}
