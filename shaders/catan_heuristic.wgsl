// Catan's strategy heuristic: src/games/catan/heuristic.rs, and what it asks of the map as in `Land` of position.rs.

// Scores of all nodes: one set for each binary digit.
struct Scores {
    ones: vec2<u32>,
    twos: vec2<u32>,
    fours: vec2<u32>,
    eights: vec2<u32>,
    sixteens: vec2<u32>,
}

// The pips of the hexes around each node; up to 15.
var<private> pips: Scores;
// The pips of each hex, three bits a hex.
var<private> hex_pips: vec2<u32>;
// The nodes at hexes of each resource, and of all ports.
var<private> near_wood: vec2<u32>;
var<private> near_brick: vec2<u32>;
var<private> near_sheep: vec2<u32>;
var<private> near_wheat: vec2<u32>;
var<private> near_ore: vec2<u32>;
var<private> near_ports: vec2<u32>;

// Iterations: ports of RESOURCES and of any kind, HEXES.
fn begin_heuristic() {
    near_ports = vec2<u32>(0u);
    for (var port = 0u; port <= ANY_PORT; port += 1u) { near_ports |= item_pair(start + PORTS + 2u * port); }
    pips = Scores();
    hex_pips = vec2<u32>(0u);
    near_wood = vec2<u32>(0u);
    near_brick = vec2<u32>(0u);
    near_sheep = vec2<u32>(0u);
    near_wheat = vec2<u32>(0u);
    near_ore = vec2<u32>(0u);
    var corners = HEX_CORNERS;
    for (var hex = 0u; hex < HEXES; hex += 1u) {
        let bit = 3u * hex;
        let token = (word_at(tokens_low, bit) & 7u) | ((word_at(tokens_high, bit) & 1u) << 3u);
        // None without a token of 2 to 12.
        let ways = 6u - min(max(token, 7u) - min(token, 7u), 6u);
        let nodes = if_so(nodes_of(lowest64(corners)), ways > 0u);
        corners = without_lowest64(corners);
        hex_pips |= bits_at(ways, bit);
        pips = with_ones(pips, if_so(nodes, (ways & 1u) != 0u));
        pips = with_twos(pips, if_so(nodes, (ways & 2u) != 0u));
        pips = with_fours(pips, if_so(nodes, (ways & 4u) != 0u));
        let tile = word_at(tiles, bit) & 7u;
        near_wood |= if_so(nodes, tile == WOOD);
        near_brick |= if_so(nodes, tile == BRICK);
        near_sheep |= if_so(nodes, tile == SHEEP);
        near_wheat |= if_so(nodes, tile == WHEAT);
        near_ore |= if_so(nodes, tile == ORE);
    }
    pips.sixteens = vec2<u32>(0u);
}

// ---- scores ----

fn with_ones(scores: Scores, nodes: vec2<u32>) -> Scores {
    let carry = scores.ones & nodes;
    return with_twos(Scores(scores.ones ^ nodes, scores.twos, scores.fours, scores.eights, scores.sixteens), carry);
}

fn with_twos(scores: Scores, nodes: vec2<u32>) -> Scores {
    let carry = scores.twos & nodes;
    return with_fours(Scores(scores.ones, scores.twos ^ nodes, scores.fours, scores.eights, scores.sixteens), carry);
}

fn with_fours(scores: Scores, nodes: vec2<u32>) -> Scores {
    let to_eights = scores.fours & nodes;
    let to_sixteens = scores.eights & to_eights;
    let fours = scores.fours ^ nodes;
    return Scores(scores.ones, scores.twos, fours, scores.eights ^ to_eights, scores.sixteens ^ to_sixteens);
}

fn with_new_resource(scores: Scores, nodes: vec2<u32>) -> Scores {
    return with_twos(scores, if_so(nodes, is_empty64(nodes & own.buildings)));
}

fn node_scores() -> Scores {
    var scores = with_new_resource(with_new_resource(pips, near_wood), near_brick);
    scores = with_new_resource(with_new_resource(scores, near_sheep), near_wheat);
    scores = with_new_resource(scores, near_ore);
    scores = with_ones(with_ones(scores, near_wheat), near_ore);
    return with_twos(scores, near_ports);
}

fn higher(candidates: vec2<u32>, digit: vec2<u32>) -> vec2<u32> {
    let found = candidates & digit;
    return select(found, candidates, is_empty64(found));
}

// Those of a set with the largest score.
fn best_of(scores: Scores, candidates: vec2<u32>) -> vec2<u32> {
    let from_four = higher(higher(higher(candidates, scores.sixteens), scores.eights), scores.fours);
    return higher(higher(from_four, scores.twos), scores.ones);
}

// ---- wall ----

fn lowest_road(roads: Roads) -> Roads {
    return Roads(lowest64(roads.h), if_so(lowest64(roads.v), is_empty64(roads.h)));
}

// The nodes that one of these edges joins with a node of the set.
fn beyond(nodes: vec2<u32>, edges: Roads) -> vec2<u32> {
    let in_row = up64(nodes & edges.h, 1u) | (down64(nodes, 1u) & edges.h);
    return in_row | up64(nodes & edges.v, STRIDE) | (down64(nodes, STRIDE) & edges.v);
}

// Those of some edges that join a node of one set with a node of the other.
fn between(a: vec2<u32>, b: vec2<u32>, edges: Roads) -> Roads {
    let in_row = (a & down64(b, 1u)) | (down64(a, 1u) & b);
    return Roads(edges.h & in_row, edges.v & ((a & down64(b, STRIDE)) | (down64(a, STRIDE) & b)));
}

// ---- cards ----

// The kind with the largest count, the first of several.
fn most_cards(cards: vec2<u32>) -> u32 {
    let counts = (vec4<u32>(cards.x) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
    // The earlier kind has the larger low digit.
    let keys = counts * 8u + vec4<u32>(4u, 3u, 2u, 1u);
    return 4u - (max(max(max(keys.x, keys.y), max(keys.z, keys.w)), cards.y * 8u) & 7u);
}

// The cards of those kinds of which `other` has no more than `limit`.
fn cards_where(cards: vec2<u32>, limit: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
    let enough = ((limit.x | HIGH) - other.x) & HIGH;
    return vec2<u32>(cards.x & ((enough >> 7u) * 255u), select(0u, cards.y, limit.y >= other.y));
}

// How many trades with the bank some cards pay for, up to three of each resource.
fn count_trades(cards: vec2<u32>) -> u32 {
    let rates = own.rates;
    let once = countOneBits(at_least(cards, rates));
    return once + countOneBits(at_least(cards, 2u * rates)) + countOneBits(at_least(cards, 3u * rates));
}

// ---- plan ----

// Where the mover would build.
struct Goals {
    city: vec2<u32>,
    settlement: vec2<u32>,
    // A road towards a settlement, and what all roads to there cost.
    road: Roads,
    roads_cost: vec2<u32>,
}

// What the mover is out for.
struct Plan {
    // The kind of choice, or NO_PLAN. A road is ROAD_H, a development card MISC.
    kind: u32,
    // Cards it lacks; none if trades can supply them.
    lacks: u32,
    // All that it takes: for a road the settlement at its end too.
    cost: vec2<u32>,
    // What the next choice takes.
    next: vec2<u32>,
}

const NO_PLAN = 5u;

fn goals(scores: Scores) -> Goals {
    let occupied = occupied();
    let free = roads_without(Roads(ALL_H, ALL_V), taken());
    let starts = road_starts();
    let one = beyond(starts, free) & ~occupied;
    let two = beyond(one, free) & ~occupied;
    let reached = touched(own.roads);
    let sites = free_nodes();
    let near = sites & one & ~reached;
    let far = sites & two & ~reached;
    let is_near = !is_empty64(near);
    let goal = lowest64(best_of(scores, select(far, near, is_near)));
    let end = select(beyond(goal, free) & one, goal, is_near);
    let road = lowest_road(between(starts, end, free));
    return Goals(
        lowest64(best_of(scores, own.buildings & ~own.cities)),
        lowest64(best_of(scores, sites & reached)),
        roads_if(road, piece_left(own, 0u) > 0u),
        select(2u * ROAD_COST, ROAD_COST, is_near),
    );
}

// The better of a plan and another, which may not be possible; the first of equals.
fn consider(plan: Plan, is_possible: bool, kind: u32, cost: vec2<u32>, next: vec2<u32>) -> Plan {
    let missing = total(without(cost, own.hand));
    let lacks = select(missing, 0u, missing <= count_trades(without(own.hand, cost)));
    let is_better = is_possible && lacks < plan.lacks;
    return Plan(
        select(plan.kind, kind, is_better),
        select(plan.lacks, lacks, is_better),
        select(plan.cost, cost, is_better),
        select(plan.next, next, is_better),
    );
}

fn plan_for(found: Goals) -> Plan {
    let nothing = vec2<u32>(0u);
    let can_settle = piece_left(own, 1u) > 0u;
    let has_road = !has_no_roads(found.road);
    var plan = Plan(NO_PLAN, 0xffffffffu, nothing, nothing);
    plan = consider(plan, piece_left(own, 2u) > 0u && !is_empty64(found.city), CITY, CITY_COST, CITY_COST);
    plan = consider(plan, can_settle && !is_empty64(found.settlement), SETTLEMENT, SETTLEMENT_COST, SETTLEMENT_COST);
    plan = consider(plan, can_settle && has_road, ROAD_H, SETTLEMENT_COST + found.roads_cost, ROAD_COST);
    return consider(plan, !is_empty64(deck), MISC, CARD_COST, CARD_COST);
}

// ---- choices ----

// Decisions that are not a bit of misc: the next choice of the plan, the road to spare.
const AS_PLANNED = 62u;
const SPARE_ROAD = 63u;

fn can_play(card: u32) -> bool {
    return card_played == 0u && card_count(without(own.cards, fresh), card) > 0u;
}

// What the mover does after the roll.
fn decision(plan: Plan, has_road: bool) -> u32 {
    if (can_play(ROAD_BUILDING_CARD) && has_road) { return ROAD_BUILDING; }
    let theirs = without(without(FULL_BANK, bank), own.hand);
    let theirs_most = most_cards(theirs);
    if (can_play(MONOPOLY_CARD) && card_count(theirs, theirs_most) >= MONOPOLY_PAYS) { return MONOPOLY + theirs_most; }
    let lacking = without(plan.cost, own.hand);
    let lacks = total(lacking);
    let first = kth_card(lacking, 0u);
    let second = kth_card(lacking, 1u);
    let is_paid = covers(bank, cards_of(first, 1u) + cards_of(second, 1u));
    if (can_play(PLENTY_CARD) && (lacks == 1u || lacks == 2u) && is_paid) {
        // 0, 5, 9, 12, 14 are the pairs of a kind with itself.
        return PLENTY + ((first * (11u - first)) >> 1u) + (second - first);
    }
    let missing = without(plan.next, own.hand);
    if (is_empty64(missing)) { return select(AS_PLANNED, ROLL_OR_END, plan.kind == NO_PLAN); }
    let surplus = without(own.hand, plan.cost);
    let gives = cards_where(surplus, surplus, own.rates);
    let gets = cards_where(missing, bank, vec2<u32>(ONES, 1u));
    if (total(missing) <= count_trades(surplus) && !is_empty64(gets)) {
        return 5u * most_cards(gives) + kth_card(gets, 0u);
    }
    return select(ROLL_OR_END, SPARE_ROAD, covers(surplus, ROAD_COST) && has_road);
}

// The roads of a new settlement towards the best free node two edges away.
fn set_up_roads(scores: Scores) -> Roads {
    let free = roads_without(Roads(ALL_H, ALL_V), taken());
    let one = beyond(new_settlement, free);
    let found = best_of(scores, beyond(one, free) & free_nodes());
    let towards = between(new_settlement, beyond(found, free) & one, free);
    if (has_no_roads(towards)) { return common_roads(edges_at(new_settlement), free); }
    return towards;
}

// What the mover chooses from: more than one only in the set-up.
fn heuristic_options() -> Choices {
    let nothing = vec2<u32>(0u);
    let no_roads = Roads(nothing, nothing);
    if (phase == TURN_PHASE && rolled == 0u) {
        return Choices(no_roads, nothing, nothing, bit64(select(ROLL_OR_END, KNIGHT, can_play(KNIGHT_CARD))));
    }
    let scores = node_scores();
    if (phase == SET_UP_SETTLEMENT) { return Choices(no_roads, best_of(scores, free_nodes()), nothing, nothing); }
    if (phase == SET_UP_ROAD) { return Choices(set_up_roads(scores), nothing, nothing, nothing); }
    let found = goals(scores);
    let has_road = !has_no_roads(found.road);
    if (phase == FREE_ROADS_PHASE) {
        let legal = lowest_road(roads_without(edges_at(road_starts()), taken()));
        return Choices(roads_of_both(found.road, roads_if(legal, !has_road)), nothing, nothing, nothing);
    }
    let plan = plan_for(found);
    let what = decision(plan, has_road);
    let planned = select(NO_PLAN, plan.kind, what == AS_PLANNED);
    return Choices(
        roads_if(found.road, planned == ROAD_H || what == SPARE_ROAD),
        if_so(found.settlement, planned == SETTLEMENT),
        if_so(found.city, planned == CITY),
        if_so(bit64(select(what, BUY, planned == MISC)), what < AS_PLANNED || planned == MISC),
    );
}

// ---- robber ----

// Most public points, then most cards; 0 without a card.
fn danger(player: Player, seat: u32) -> u32 {
    let cards = total(player.hand);
    return select((public_points(player, seat) << 8u) | cards, 0u, cards == 0u);
}

// The bit of the most dangerous opponent on its best hex.
fn heuristic_robbery(robberies: vec2<u32>) -> u32 {
    let first = danger(rival_1, seat_of(1u));
    let second = danger(rival_2, seat_of(2u));
    let third = danger(rival_3, seat_of(3u));
    let victim = select(select(1u, 2u, second < third), 0u, first >= max(second, third));
    let yields = of_slot(victim + 1u, rival_1.yields, rival_1.yields, rival_2.yields, rival_3.yields);
    let elsewhere = HEX_BITS & ~bit64(3u * robber);
    let theirs = elsewhere & hexes_of(yields);
    let only_theirs = theirs & ~hexes_of(own.yields);
    let hexes = select(select(theirs, elsewhere, is_empty64(theirs)), only_theirs, !is_empty64(only_theirs));
    let hex = lowest64(higher(higher(higher(hexes, down64(hex_pips, 2u)), down64(hex_pips, 1u)), hex_pips));
    let second_bit = up64(hex, 1u);
    let third_bit = up64(hex, 2u);
    let there = robberies & (hex | second_bit | third_bit);
    let wanted = there & of_slot(victim + 1u, hex, hex, second_bit, third_bit);
    return first64(select(wanted, there, is_empty64(wanted)));
}
