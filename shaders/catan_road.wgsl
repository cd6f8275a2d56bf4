// Catan's longest road: kernels/src/catan/longest_road.rs, some steps at a time, see `measure_roads`.

// What the search does: nothing.
const IDLE = 0u;
// The network of a road is being found.
const FLOODING = 1u;
// It has been found.
const FLOODED = 2u;
// Its trails are followed one after the other.
const WALKING = 3u;
// The longest trail of the network is known.
const WALKED = 4u;

var<private> search: u32;
// The slot whose road is measured.
var<private> measured: u32;
// 1 if all its networks are measured, 0 if only that of a new road.
var<private> afresh: u32;
// Nodes with an opponent's building, where no trail goes on.
var<private> blocked: vec2<u32>;
// Roads of networks not yet found.
var<private> unseen: Roads;
// The network found so far, then its roads that are not on the trail.
var<private> network: Roads;
// Where the flood has come to from both ends of a road, and after how many steps.
var<private> shore_1: vec2<u32>;
var<private> shore_2: vec2<u32>;
var<private> depth_1: u32;
var<private> depth_2: u32;
// Where trails begin.
var<private> starts: vec2<u32>;
// The end of the trail and the first direction to try there.
var<private> node: u32;
var<private> direction: u32;
// The directions of its roads, two bits each, the last one lowest. No player has more than 15 roads.
var<private> trail: u32;
var<private> trail_length: u32;
var<private> best: u32;
// No trail in the network is longer.
var<private> most: u32;

// Iterations: FLOOD_STEPS and WALK_STEPS.
fn measure_roads() {
    for (var i = 0u; i < FLOOD_STEPS && search == FLOODING; i += 1u) { flood(); }
    if (search == FLOODED) { survey(); }
    for (var i = 0u; i < WALK_STEPS && search == WALKING; i += 1u) { walk(); }
    if (search == WALKED) { conclude(); }
}

// The mover has built a road: only trails over it can be longer than before.
fn measure_new_road(road: Roads) {
    measured = 0u;
    afresh = 0u;
    best = own.road;
    blocked = blocked_for(0u);
    unseen = roads_without(own.roads, road);
    begin_network(road);
}

// A settlement may have cut the roads of a player.
fn measure_cut_roads(slot: u32) {
    measured = slot;
    afresh = 1u;
    best = 0u;
    blocked = blocked_for(measured);
    unseen = Roads(
        of_slot(measured, own.roads.h, rival_1.roads.h, rival_2.roads.h, rival_3.roads.h),
        of_slot(measured, own.roads.v, rival_1.roads.v, rival_2.roads.v, rival_3.roads.v),
    );
    begin_next_network();
}

fn begin_next_network() {
    let is_h = !is_empty64(unseen.h);
    let road = bit64(first64(select(unseen.v, unseen.h, is_h)));
    let first = Roads(if_so(road, is_h), if_so(road, !is_h));
    unseen = roads_without(unseen, first);
    begin_network(first);
}

fn begin_network(road: Roads) {
    network = road;
    shore_1 = (road.h | road.v) & ~blocked;
    shore_2 = (up64(road.h, 1u) | up64(road.v, STRIDE)) & ~blocked;
    depth_1 = 0u;
    depth_2 = 0u;
    search = FLOODING;
}

// Finds the next roads on both sides. Without a cycle the sides have no road in common; with one the depths are
// not used.
fn flood() {
    let found_1 = common_roads(unseen, edges_at(shore_1));
    let found_2 = common_roads(unseen, edges_at(shore_2));
    let found = roads_of_both(found_1, found_2);
    unseen = roads_without(unseen, found);
    network = roads_of_both(network, found);
    shore_1 = touched(found_1) & ~blocked;
    shore_2 = touched(found_2) & ~blocked;
    depth_1 += select(1u, 0u, has_no_roads(found_1));
    depth_2 += select(1u, 0u, has_no_roads(found_2));
    if (has_no_roads(found)) { search = FLOODED; }
}

// Looks at the whole network: a new road that closes no cycle has its length at once.
fn survey() {
    let nodes = touched(network);
    let inner = count_roads(roads_without(network, edges_at(blocked)));
    let has_cycle = inner >= max(count64(nodes & ~blocked), 1u);
    if (afresh == 0u && !has_cycle) {
        best = max(best, 1u + depth_1 + depth_2);
        search = WALKED;
        return;
    }
    // Trails end in nodes of odd degree, or the network is one cycle; a blocked node is a leaf for each of its
    // roads. Every other odd node has a road that the trail leaves out, and a road has two ends.
    let right = up64(network.h, 1u);
    let down = up64(network.v, STRIDE);
    let odd = (network.h ^ right ^ network.v ^ down) & ~blocked;
    let in_row = count64(network.h & blocked) + count64(right & blocked);
    let leaves = in_row + count64(network.v & blocked) + count64(down & blocked);
    let left_out = (max(count64(odd) + leaves, 2u) - 2u) >> 1u;
    most = count_roads(network) - left_out;
    starts = odd | (nodes & blocked);
    if (is_empty64(starts)) { starts = bit64(first64(nodes)); }
    node = first64(starts);
    direction = 0u;
    trail_length = 0u;
    search = select(WALKING, WALKED, best >= most);
}

// One road further on the trail, or one back, or to the next start.
fn walk() {
    // Directions right, left, down, up. Below node 0 there are bits that no edge has.
    let right = has64(network.h, node);
    let left = has64(network.h, node - 1u);
    let down = has64(network.v, node);
    let up = has64(network.v, node - STRIDE);
    let all = right | (left << 1u) | (down << 2u) | (up << 3u);
    let is_end = trail_length > 0u && has64(blocked, node) != 0u;
    let ways = select(all & (15u << direction), 0u, is_end);
    if (ways == 0u && trail_length == 0u) {
        starts = without_lowest64(starts);
        node = first64(starts);
        direction = 0u;
        if (is_empty64(starts)) { search = WALKED; }
        return;
    }
    let goes_on = ways != 0u;
    let way = select(trail & 3u, countTrailingZeros(ways), goes_on);
    let distance = select(1u, STRIDE, way >= 2u);
    let before = node;
    // Odd directions go down in the numbers; the way back goes up in them.
    node = select(node - distance, node + distance, goes_on == ((way & 1u) == 0u));
    let edge = bit64(min(before, node));
    network.h ^= if_so(edge, way < 2u);
    network.v ^= if_so(edge, way >= 2u);
    trail = select(trail >> 2u, (trail << 2u) | way, goes_on);
    trail_length = select(trail_length - 1u, trail_length + 1u, goes_on);
    direction = select(way + 1u, 0u, goes_on);
    best = max(best, trail_length);
    if (best >= most) { search = WALKED; }
}

// A network has been measured: the next one of the player, or the award.
fn conclude() {
    search = IDLE;
    if (afresh != 0u && !has_no_roads(unseen)) {
        begin_next_network();
        return;
    }
    let has_changed = afresh != 0u || best != own.road;
    own.road = select(own.road, best, measured == 0u);
    rival_1.road = select(rival_1.road, best, measured == 1u);
    rival_2.road = select(rival_2.road, best, measured == 2u);
    rival_3.road = select(rival_3.road, best, measured == 3u);
    if (has_changed) { award_longest_road(); }
}

fn award_longest_road() {
    let lengths = vec4<u32>(own.road, rival_1.road, rival_2.road, rival_3.road);
    let longest = max(max(lengths.x, lengths.y), max(lengths.z, lengths.w));
    let leaders = dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), lengths == vec4<u32>(longest)), vec4<u32>(1u));
    let holds = longest_road != NOBODY && ((leaders >> slot_of(longest_road)) & 1u) != 0u;
    let is_alone = (leaders & (leaders - 1u)) == 0u;
    let winner = select(NOBODY, seat_of(countTrailingZeros(leaders)), is_alone);
    longest_road = select(select(winner, longest_road, holds), NOBODY, longest < LEAST_ROAD);
}
