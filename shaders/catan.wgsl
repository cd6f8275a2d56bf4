// Catan playouts: the rules of src/games/catan/rules.rs and the strategies of policy.rs, function by function.
// Boards are those of kernels/src/catan/wall.rs, and cards those of cards.rs: the first four kinds are the
// bytes of the low word, the fifth is the high word.
//
// A step is one action, with three exceptions: the end of a turn includes the next roll if there is no choice;
// many discards, and a long search for the longest road, take several steps.

struct Roads {
    h: vec2<u32>,
    v: vec2<u32>,
}

struct Player {
    buildings: vec2<u32>,
    cities: vec2<u32>,
    roads: Roads,
    hand: vec2<u32>,
    cards: vec2<u32>,
    played: vec2<u32>,
    rates: vec2<u32>,
    // Three bits a hex.
    yields: vec2<u32>,
    // Bytes: roads, settlements, cities.
    left: u32,
    // Length of the longest road.
    road: u32,
}

struct Choices {
    roads: Roads,
    settlements: vec2<u32>,
    cities: vec2<u32>,
    misc: vec2<u32>,
}

struct Choice {
    kind: u32,
    bit: u32,
}

// Kinds of choices, in their order.
const ROAD_H = 0u;
const ROAD_V = 1u;
const SETTLEMENT = 2u;
const CITY = 3u;
const MISC = 4u;

// The players from the mover on: a player's slot counts from `front`, the seat of `own`.
var<private> own: Player;
var<private> rival_1: Player;
var<private> rival_2: Player;
var<private> rival_3: Player;
var<private> front: u32;

// Where the playout's start is in `items`.
var<private> start: u32;
var<private> tiles: vec2<u32>;
// Number tokens in the layout of yields: their low three bits, and their fourth bit. 0 where nothing grows.
var<private> tokens_low: vec2<u32>;
var<private> tokens_high: vec2<u32>;

var<private> bank: vec2<u32>;
var<private> deck: vec2<u32>;
var<private> fresh: vec2<u32>;
var<private> new_settlement: vec2<u32>;
var<private> robber: u32;
// Whose turn it is. At the end of a turn the players change places until `front` is the mover.
var<private> mover: u32;
var<private> phase: u32;
var<private> rolled: u32;
var<private> card_played: u32;
var<private> placed: u32;
var<private> free_roads: u32;
// Bytes by seat.
var<private> owed: u32;
// Seats, or NOBODY.
var<private> longest_road: u32;
var<private> largest_army: u32;

// The search for the longest road, see `measure_roads`.
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

// ---- wall ----

fn touched(roads: Roads) -> vec2<u32> {
    return roads.h | up64(roads.h, 1u) | roads.v | up64(roads.v, STRIDE);
}

fn edges_at(nodes: vec2<u32>) -> Roads {
    return Roads(ALL_H & (nodes | down64(nodes, 1u)), ALL_V & (nodes | down64(nodes, STRIDE)));
}

fn neighbours(nodes: vec2<u32>) -> vec2<u32> {
    let in_row = up64(nodes & ALL_H, 1u) | (down64(nodes, 1u) & ALL_H);
    return in_row | up64(nodes & ALL_V, STRIDE) | (down64(nodes, STRIDE) & ALL_V);
}

fn roads_of_both(a: Roads, b: Roads) -> Roads {
    return Roads(a.h | b.h, a.v | b.v);
}

fn common_roads(a: Roads, b: Roads) -> Roads {
    return Roads(a.h & b.h, a.v & b.v);
}

fn roads_without(a: Roads, b: Roads) -> Roads {
    return Roads(a.h & ~b.h, a.v & ~b.v);
}

fn has_no_roads(roads: Roads) -> bool {
    return is_empty64(roads.h | roads.v);
}

fn count_roads(roads: Roads) -> u32 {
    return count64(roads.h) + count64(roads.v);
}

fn roads_if(roads: Roads, is_so: bool) -> Roads {
    return Roads(if_so(roads.h, is_so), if_so(roads.v, is_so));
}

// The hexes at a set of nodes, each as its upper left node.
fn hexes_at(nodes: vec2<u32>) -> vec2<u32> {
    let columns = nodes | down64(nodes, 1u) | down64(nodes, 2u);
    return (columns | down64(columns, STRIDE)) & HEX_CORNERS;
}

// The six nodes of a hex, given its upper left node.
fn nodes_of(corner: vec2<u32>) -> vec2<u32> {
    let row = corner | up64(corner, 1u) | up64(corner, 2u);
    return row | up64(row, STRIDE);
}

// The number of a hex, given the bit of its upper left node.
fn hex_number(bit: u32) -> u32 {
    let here = bit64(bit);
    let before = select(vec2<u32>(here.x - 1u, 0u), vec2<u32>(0xffffffffu, here.y - 1u), bit >= 32u);
    return count64(HEX_CORNERS & before);
}

// ---- cards ----

const ONES = 0x01010101u;
const HIGH = 0x80808080u;

// `count` cards of one kind.
fn cards_of(kind: u32, count: u32) -> vec2<u32> {
    let word = count << (8u * (kind & 3u));
    return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), kind >= 4u);
}

fn card_count(cards: vec2<u32>, kind: u32) -> u32 {
    return (select(cards.x, cards.y, kind >= 4u) >> (8u * (kind & 3u))) & 255u;
}

fn total(cards: vec2<u32>) -> u32 {
    return ((cards.x * ONES) >> 24u) + cards.y;
}

// The kinds of which there are at least as many as in `other`: bit i for kind i.
fn at_least(cards: vec2<u32>, other: vec2<u32>) -> u32 {
    let enough = (((cards.x | HIGH) - other.x) & HIGH) >> 7u;
    let in_row = (enough | (enough >> 7u) | (enough >> 14u) | (enough >> 21u)) & 15u;
    return in_row | select(0u, 16u, cards.y >= other.y);
}

fn covers(cards: vec2<u32>, other: vec2<u32>) -> bool {
    return at_least(cards, other) == 31u;
}

// The kind of the k-th card.
fn kth_card(cards: vec2<u32>, k: u32) -> u32 {
    let sums = cards.x * ONES;
    return countOneBits((((k * ONES) | HIGH) - sums) & HIGH);
}

// One draw: the kind of a uniform one of some cards.
fn draw_kind(cards: vec2<u32>) -> u32 {
    return kth_card(cards, below(max(total(cards), 1u)));
}

// ---- position ----

fn piece_left(player: Player, piece: u32) -> u32 {
    return (player.left >> (8u * piece)) & 255u;
}

fn occupied() -> vec2<u32> {
    return own.buildings | rival_1.buildings | rival_2.buildings | rival_3.buildings;
}

// Nodes that the player of a slot cannot pass: those with another player's building.
fn blocked_for(slot: u32) -> vec2<u32> {
    return occupied() & ~of_slot(slot, own.buildings, rival_1.buildings, rival_2.buildings, rival_3.buildings);
}

fn taken() -> Roads {
    return roads_of_both(roads_of_both(own.roads, rival_1.roads), roads_of_both(rival_2.roads, rival_3.roads));
}

fn seat_of(slot: u32) -> u32 {
    return (front + slot) & 3u;
}

fn slot_of(seat: u32) -> u32 {
    return (seat - front) & 3u;
}

fn of_slot(slot: u32, a: vec2<u32>, b: vec2<u32>, c: vec2<u32>, d: vec2<u32>) -> vec2<u32> {
    return select(select(a, b, slot == 1u), select(c, d, slot == 3u), slot >= 2u);
}

fn hand_of(slot: u32) -> vec2<u32> {
    return of_slot(slot, own.hand, rival_1.hand, rival_2.hand, rival_3.hand);
}

// Adds cards to the hand of a slot.
fn give(slot: u32, cards: vec2<u32>) {
    own.hand += if_so(cards, slot == 0u);
    rival_1.hand += if_so(cards, slot == 1u);
    rival_2.hand += if_so(cards, slot == 2u);
    rival_3.hand += if_so(cards, slot == 3u);
}

fn points() -> u32 {
    let buildings = (SETTLEMENT_PIECES - piece_left(own, 1u)) + 2u * (CITY_PIECES - piece_left(own, 2u));
    let awards = select(0u, 2u, longest_road == mover) + select(0u, 2u, largest_army == mover);
    return buildings + awards + card_count(own.cards, POINT_CARD);
}

// The winner is the mover; otherwise the playout may be long enough.
fn verdict() -> u32 {
    if (points() >= WINNING_POINTS) { return mover; }
    return select(PLAYING, TRUNCATED, phases >= TURN_CAP);
}

// The rates of a player who may have come to a port.
fn rates_at(rates: vec2<u32>, port: u32, has_come: bool) -> vec2<u32> {
    // Rates are 2, 3 or 4: one less where it is 4.
    let at_three = rates - ((rates >> vec2<u32>(2u)) & vec2<u32>(ONES));
    let at_two = rates - cards_of(port, card_count(rates, port) - 2u);
    return select(rates, select(at_two, at_three, port == ANY_PORT), has_come);
}

fn read_player(at: u32) -> Player {
    var player: Player;
    player.buildings = item_pair(at + BUILDINGS) & ALL_NODES;
    player.cities = item_pair(at + CITIES) & player.buildings;
    player.roads = Roads(item_pair(at + ROADS_H), item_pair(at + ROADS_V));
    player.hand = item_pair(at + HAND);
    player.cards = item_pair(at + CARDS);
    player.played = item_pair(at + PLAYED);
    player.rates = vec2<u32>(0x04040404u, 4u);
    let cities = count64(player.cities);
    let built = vec3<u32>(count_roads(player.roads), count64(player.buildings) - cities, cities);
    let pieces = vec3<u32>(ROAD_PIECES, SETTLEMENT_PIECES, CITY_PIECES);
    let left = pieces - min(built, pieces);
    player.left = left.x | (left.y << 8u) | (left.z << 16u);
    return player;
}

fn player_at(at: u32, seat: u32) -> u32 {
    return at + PLAYERS + seat * PLAYER_WORDS;
}

// What a player gets from the hex with these nodes, at its place among the yields.
fn hex_yield(player: Player, nodes: vec2<u32>, bit: u32) -> vec2<u32> {
    return bits_at(count64(player.buildings & nodes) + count64(player.cities & nodes), bit);
}

// Three bits at a place of two words.
fn bits_at(value: u32, bit: u32) -> vec2<u32> {
    let by = bit & 31u;
    let word = value << by;
    return select(vec2<u32>(word, (value >> 1u) >> (31u - by)), vec2<u32>(0u, word), bit >= 32u);
}

// Iterations: ports of RESOURCES and of any kind, HEXES.
fn begin(at: u32) {
    start = at;
    mover = items[at + MOVER] & 3u;
    front = mover;
    own = read_player(player_at(at, front));
    rival_1 = read_player(player_at(at, seat_of(1u)));
    rival_2 = read_player(player_at(at, seat_of(2u)));
    rival_3 = read_player(player_at(at, seat_of(3u)));
    let lengths = items[at + ROAD_LENGTHS];
    own.road = (lengths >> (8u * front)) & 255u;
    rival_1.road = (lengths >> (8u * seat_of(1u))) & 255u;
    rival_2.road = (lengths >> (8u * seat_of(2u))) & 255u;
    rival_3.road = (lengths >> (8u * seat_of(3u))) & 255u;

    for (var port = 0u; port <= ANY_PORT; port += 1u) {
        let nodes = item_pair(at + PORTS + 2u * port);
        own.rates = rates_at(own.rates, port, !is_empty64(own.buildings & nodes));
        rival_1.rates = rates_at(rival_1.rates, port, !is_empty64(rival_1.buildings & nodes));
        rival_2.rates = rates_at(rival_2.rates, port, !is_empty64(rival_2.buildings & nodes));
        rival_3.rates = rates_at(rival_3.rates, port, !is_empty64(rival_3.buildings & nodes));
    }

    tiles = item_pair(at + TILES);
    tokens_low = vec2<u32>(0u);
    tokens_high = vec2<u32>(0u);
    let first_tokens = item_pair(at + TOKENS);
    let other_tokens = item_pair(at + TOKENS + 2u);
    var corners = HEX_CORNERS;
    for (var hex = 0u; hex < HEXES; hex += 1u) {
        let bit = 3u * hex;
        let nodes = nodes_of(bit64(first64(corners)));
        corners = without_lowest64(corners);
        own.yields |= hex_yield(own, nodes, bit);
        rival_1.yields |= hex_yield(rival_1, nodes, bit);
        rival_2.yields |= hex_yield(rival_2, nodes, bit);
        rival_3.yields |= hex_yield(rival_3, nodes, bit);
        let is_first = hex < FIRST_TOKENS;
        let token = nibble(select(other_tokens, first_tokens, is_first), select(hex - FIRST_TOKENS, hex, is_first));
        if ((word_at(tiles, bit) & 7u) < RESOURCES) {
            tokens_low |= bits_at(token & 7u, bit);
            tokens_high |= bits_at(token >> 3u, bit);
        }
    }

    bank = item_pair(at + BANK);
    deck = item_pair(at + DECK);
    fresh = item_pair(at + FRESH);
    new_settlement = item_pair(at + NEW_SETTLEMENT);
    robber = items[at + ROBBER];
    phase = items[at + PHASE];
    rolled = items[at + ROLLED];
    card_played = items[at + CARD_PLAYED];
    placed = items[at + PLACED];
    free_roads = items[at + FREE_ROADS];
    owed = items[at + OWED];
    longest_road = items[at + LONGEST_ROAD];
    largest_army = items[at + LARGEST_ARMY];
    search = IDLE;
    ending = verdict();
}

// What a lane keeps between dispatches: players, the rest of the position, the search. Small numbers share words,
// because a software driver takes long to compile accesses to memory.
const KEPT_PLAYER_WORDS = 16u;
const KEPT_POSITION = GAME_FIELD + 4u * KEPT_PLAYER_WORDS;
const KEPT_SEARCH = KEPT_POSITION + 12u;

fn restore_player(lane: u32, field: u32) -> Player {
    let fifth = lane_word(field + 14u, lane);
    let left = lane_word(field + 15u, lane);
    return Player(
        lane_pair(field, lane),
        lane_pair(field + 2u, lane),
        restore_roads(lane, field + 4u),
        vec2<u32>(lane_word(field + 8u, lane), fifth & 255u),
        vec2<u32>(lane_word(field + 9u, lane), (fifth >> 8u) & 255u),
        vec2<u32>(lane_word(field + 10u, lane), (fifth >> 16u) & 255u),
        vec2<u32>(lane_word(field + 11u, lane), fifth >> 24u),
        lane_pair(field + 12u, lane),
        left & 0xffffffu,
        left >> 24u,
    );
}

fn suspend_player(lane: u32, field: u32, player: Player) {
    set_lane_pair(field, lane, player.buildings);
    set_lane_pair(field + 2u, lane, player.cities);
    suspend_roads(lane, field + 4u, player.roads);
    set_lane_word(field + 8u, lane, player.hand.x);
    set_lane_word(field + 9u, lane, player.cards.x);
    set_lane_word(field + 10u, lane, player.played.x);
    set_lane_word(field + 11u, lane, player.rates.x);
    set_lane_pair(field + 12u, lane, player.yields);
    let fifth = player.hand.y | (player.cards.y << 8u) | (player.played.y << 16u) | (player.rates.y << 24u);
    set_lane_word(field + 14u, lane, fifth);
    set_lane_word(field + 15u, lane, player.left | (player.road << 24u));
}

fn restore_roads(lane: u32, field: u32) -> Roads {
    return Roads(lane_pair(field, lane), lane_pair(field + 2u, lane));
}

fn suspend_roads(lane: u32, field: u32, roads: Roads) {
    set_lane_pair(field, lane, roads.h);
    set_lane_pair(field + 2u, lane, roads.v);
}

fn restore(lane: u32, at: u32) {
    start = at;
    tiles = item_pair(at + TILES);
    own = restore_player(lane, GAME_FIELD);
    rival_1 = restore_player(lane, GAME_FIELD + KEPT_PLAYER_WORDS);
    rival_2 = restore_player(lane, GAME_FIELD + 2u * KEPT_PLAYER_WORDS);
    rival_3 = restore_player(lane, GAME_FIELD + 3u * KEPT_PLAYER_WORDS);

    tokens_low = lane_pair(KEPT_POSITION, lane);
    tokens_high = lane_pair(KEPT_POSITION + 2u, lane);
    new_settlement = lane_pair(KEPT_POSITION + 4u, lane);
    let fifth = lane_word(KEPT_POSITION + 9u, lane);
    bank = vec2<u32>(lane_word(KEPT_POSITION + 6u, lane), fifth & 255u);
    deck = vec2<u32>(lane_word(KEPT_POSITION + 7u, lane), (fifth >> 8u) & 255u);
    fresh = vec2<u32>(lane_word(KEPT_POSITION + 8u, lane), (fifth >> 16u) & 255u);
    robber = fifth >> 24u;
    owed = lane_word(KEPT_POSITION + 10u, lane);
    let small = lane_word(KEPT_POSITION + 11u, lane);
    front = small & 3u;
    mover = (small >> 2u) & 3u;
    phase = (small >> 4u) & 7u;
    rolled = (small >> 7u) & 1u;
    card_played = (small >> 8u) & 1u;
    longest_road = (small >> 9u) & 7u;
    largest_army = (small >> 12u) & 7u;
    placed = (small >> 16u) & 255u;
    free_roads = small >> 24u;

    let state = lane_word(KEPT_SEARCH, lane);
    search = state & 7u;
    measured = (state >> 3u) & 3u;
    afresh = (state >> 5u) & 1u;
    depth_1 = (state >> 16u) & 255u;
    depth_2 = state >> 24u;
    blocked = blocked_for(measured);
    unseen = restore_roads(lane, KEPT_SEARCH + 1u);
    network = restore_roads(lane, KEPT_SEARCH + 5u);
    // A flood has shores, a walk has starts and a trail.
    shore_1 = lane_pair(KEPT_SEARCH + 9u, lane);
    shore_2 = lane_pair(KEPT_SEARCH + 11u, lane);
    starts = shore_1;
    trail = shore_2.x;
    let walk_state = lane_word(KEPT_SEARCH + 13u, lane);
    node = walk_state & 63u;
    direction = (walk_state >> 6u) & 7u;
    trail_length = (walk_state >> 9u) & 31u;
    best = (walk_state >> 16u) & 255u;
    most = walk_state >> 24u;
}

fn suspend(lane: u32) {
    suspend_player(lane, GAME_FIELD, own);
    suspend_player(lane, GAME_FIELD + KEPT_PLAYER_WORDS, rival_1);
    suspend_player(lane, GAME_FIELD + 2u * KEPT_PLAYER_WORDS, rival_2);
    suspend_player(lane, GAME_FIELD + 3u * KEPT_PLAYER_WORDS, rival_3);

    set_lane_pair(KEPT_POSITION, lane, tokens_low);
    set_lane_pair(KEPT_POSITION + 2u, lane, tokens_high);
    set_lane_pair(KEPT_POSITION + 4u, lane, new_settlement);
    set_lane_word(KEPT_POSITION + 6u, lane, bank.x);
    set_lane_word(KEPT_POSITION + 7u, lane, deck.x);
    set_lane_word(KEPT_POSITION + 8u, lane, fresh.x);
    set_lane_word(KEPT_POSITION + 9u, lane, bank.y | (deck.y << 8u) | (fresh.y << 16u) | (robber << 24u));
    set_lane_word(KEPT_POSITION + 10u, lane, owed);
    let seats = front | (mover << 2u) | (longest_road << 9u) | (largest_army << 12u);
    let flags = (phase << 4u) | (rolled << 7u) | (card_played << 8u);
    set_lane_word(KEPT_POSITION + 11u, lane, seats | flags | (placed << 16u) | (free_roads << 24u));

    let walks = search == WALKING;
    let state = search | (measured << 3u) | (afresh << 5u);
    set_lane_word(KEPT_SEARCH, lane, state | (depth_1 << 16u) | (depth_2 << 24u));
    suspend_roads(lane, KEPT_SEARCH + 1u, unseen);
    suspend_roads(lane, KEPT_SEARCH + 5u, network);
    set_lane_pair(KEPT_SEARCH + 9u, lane, select(shore_1, starts, walks));
    set_lane_pair(KEPT_SEARCH + 11u, lane, select(shore_2, vec2<u32>(trail, 0u), walks));
    let walk_state = node | (direction << 6u) | (trail_length << 9u) | (best << 16u) | (most << 24u);
    set_lane_word(KEPT_SEARCH + 13u, lane, walk_state);
}

fn write_player(at: u32, player: Player) {
    record_pair(at + BUILDINGS, player.buildings);
    record_pair(at + CITIES, player.cities);
    record_pair(at + ROADS_H, player.roads.h);
    record_pair(at + ROADS_V, player.roads.v);
    record_pair(at + HAND, player.hand);
    record_pair(at + CARDS, player.cards);
    record_pair(at + PLAYED, player.played);
}

// Iterations: the words of offer and map.
fn write_position(at: u32) {
    for (var word = OFFER; word < TURN; word += 1u) { records[at + word] = items[start + word]; }
    records[at + OFFERED_TO] = items[start + OFFERED_TO];
    records[at + PADDING] = 0u;
    write_player(player_at(at, front), own);
    write_player(player_at(at, seat_of(1u)), rival_1);
    write_player(player_at(at, seat_of(2u)), rival_2);
    write_player(player_at(at, seat_of(3u)), rival_3);
    let lengths = (own.road << (8u * front)) | (rival_1.road << (8u * seat_of(1u)));
    records[at + ROAD_LENGTHS] = lengths | (rival_2.road << (8u * seat_of(2u))) | (rival_3.road << (8u * seat_of(3u)));
    record_pair(at + BANK, bank);
    record_pair(at + DECK, deck);
    record_pair(at + FRESH, fresh);
    record_pair(at + NEW_SETTLEMENT, new_settlement);
    records[at + TURN] = items[start + TURN] + phases;
    records[at + ROBBER] = robber;
    records[at + MOVER] = mover;
    records[at + PHASE] = phase;
    records[at + ROLLED] = rolled;
    records[at + CARD_PLAYED] = card_played;
    records[at + PLACED] = placed;
    records[at + FREE_ROADS] = free_roads;
    records[at + OWED] = owed;
    records[at + LONGEST_ROAD] = longest_road;
    records[at + LARGEST_ARMY] = largest_army;
    if (items[start + PHASE] == ANSWER && actions > 0u) {
        // The offer has been declined.
        record_pair(at + OFFER, vec2<u32>(0u));
        record_pair(at + OFFER + 2u, vec2<u32>(0u));
        records[at + OFFERED_TO] = NOBODY;
    }
}

// The next player moves to the front.
fn change_places() {
    let waiting = own;
    own = rival_1;
    rival_1 = rival_2;
    rival_2 = rival_3;
    rival_3 = waiting;
    front = (front + 1u) & 3u;
}

// ---- rules ----

fn choices() -> Choices {
    let in_turn = phase == TURN_PHASE;
    let can_trade = in_turn && rolled != 0u;
    let occupied = occupied();
    let reached = touched(own.roads);
    let around = select((reached & ~occupied) | own.buildings, new_settlement, phase == SET_UP_ROAD);
    let free_edges = roads_without(edges_at(around), taken());
    let free_nodes = ALL_NODES & ~(occupied | neighbours(occupied));

    let buys_road = can_trade && covers(own.hand, ROAD_COST) && piece_left(own, 0u) > 0u;
    let buys_settlement = can_trade && covers(own.hand, SETTLEMENT_COST) && piece_left(own, 1u) > 0u;
    let buys_city = can_trade && covers(own.hand, CITY_COST) && piece_left(own, 2u) > 0u;
    let buys_card = can_trade && covers(own.hand, CARD_COST) && !is_empty64(deck);
    let free_road = phase == SET_UP_ROAD || phase == FREE_ROADS_PHASE;
    let free_settlement = phase == SET_UP_SETTLEMENT;

    var misc = if_so(bit64(ROLL_OR_END), in_turn) | if_so(bit64(BUY), buys_card);
    misc.x |= select(0u, bank_trades(), can_trade);
    if (in_turn && card_played == 0u) { misc |= card_choices(!has_no_roads(free_edges)); }
    return Choices(
        roads_if(free_edges, buys_road || free_road),
        if_so(free_nodes & select(reached, free_nodes, free_settlement), buys_settlement || free_settlement),
        if_so(own.buildings & ~own.cities, buys_city),
        misc,
    );
}

// Bit 5 give + get.
fn bank_trades() -> u32 {
    // A resource for itself.
    let same = 0x01041041u;
    let given = at_least(own.hand, own.rates);
    let rows = (given & 1u) | ((given & 2u) << 4u) | ((given & 4u) << 8u) | ((given & 8u) << 12u) | ((given & 16u) << 16u);
    return (rows * at_least(bank, vec2<u32>(ONES, 1u))) & ~same;
}

// The development cards that can be played.
fn card_choices(can_build_road: bool) -> vec2<u32> {
    let playable = own.cards - fresh;
    var found = if_so(bit64(KNIGHT), card_count(playable, KNIGHT_CARD) > 0u);
    let builds = can_build_road && piece_left(own, 0u) > 0u && card_count(playable, ROAD_BUILDING_CARD) > 0u;
    found |= if_so(bit64(ROAD_BUILDING), builds);
    found |= if_so(FIVE_MONOPOLIES, card_count(playable, MONOPOLY_CARD) > 0u);
    let pairs = plenty_pairs(at_least(bank, vec2<u32>(ONES, 1u)), at_least(bank, vec2<u32>(2u * ONES, 2u)));
    found |= if_so(up64(vec2<u32>(pairs, 0u), PLENTY), card_count(playable, PLENTY_CARD) > 0u);
    return found;
}

// Pairs of resources of which the bank has one, or of the same resource two.
fn plenty_pairs(one: u32, two: u32) -> u32 {
    let others = one & 30u;
    var pairs = (two & 1u) | select(0u, others, (one & 1u) != 0u);
    pairs |= (((two >> 1u) & 1u) | select(0u, (one >> 1u) & 14u, (one & 2u) != 0u)) << 5u;
    pairs |= (((two >> 2u) & 1u) | select(0u, (one >> 2u) & 6u, (one & 4u) != 0u)) << 9u;
    pairs |= (((two >> 3u) & 1u) | select(0u, (one >> 3u) & 2u, (one & 8u) != 0u)) << 12u;
    return pairs | (((two >> 4u) & 1u) << 14u);
}

// Plays one of the choices, apart from the roll.
fn apply(choice: Choice) {
    let here = bit64(choice.bit);
    if (choice.kind <= ROAD_V) {
        choose_road(Roads(if_so(here, choice.kind == ROAD_H), if_so(here, choice.kind == ROAD_V)));
    } else if (choice.kind <= CITY) {
        choose_building(choice, here);
    } else {
        choose_misc(choice.bit);
    }
}

fn choose_misc(bit: u32) {
    if (bit == ROLL_OR_END) {
        end_turn();
    } else if (bit == BUY) {
        pay(CARD_COST);
        let card = cards_of(draw_kind(deck), 1u);
        deck -= card;
        fresh += card;
        own.cards += card;
    } else if (bit == KNIGHT) {
        play_knight();
    } else if (bit == ROAD_BUILDING) {
        play(ROAD_BUILDING_CARD);
        phase = FREE_ROADS_PHASE;
        free_roads = 2u;
    } else if (bit >= MONOPOLY) {
        play_monopoly(bit - MONOPOLY);
    } else if (bit >= PLENTY) {
        play(PLENTY_CARD);
        let pair = bit - PLENTY;
        take_from_bank(cards_of(nibble(PLENTY_FIRST, pair), 1u) + cards_of(nibble(PLENTY_SECOND, pair), 1u));
    } else {
        // A division by five.
        let given = (bit * 205u) >> 10u;
        pay(cards_of(given, card_count(own.rates, given)));
        take_from_bank(cards_of(bit - 5u * given, 1u));
    }
}

fn pay(cards: vec2<u32>) {
    own.hand -= cards;
    bank += cards;
}

fn take_from_bank(cards: vec2<u32>) {
    own.hand += cards;
    bank -= cards;
}

fn choose_road(road: Roads) {
    own.roads = roads_of_both(own.roads, road);
    own.left -= min(piece_left(own, 0u), 1u);
    measure_new_road(road);
    if (phase == SET_UP_ROAD) {
        new_settlement = vec2<u32>(0u);
        placed += 1u;
        phase = select(SET_UP_SETTLEMENT, TURN_PHASE, placed >= 8u);
        // Once around and back again.
        mover = select(7u - min(placed, 7u), placed, placed < 4u);
    } else if (phase == FREE_ROADS_PHASE) {
        free_roads -= min(free_roads, 1u);
        let around = (touched(own.roads) & ~occupied()) | own.buildings;
        if (free_roads == 0u || piece_left(own, 0u) == 0u || has_no_roads(roads_without(edges_at(around), taken()))) {
            free_roads = 0u;
            phase = TURN_PHASE;
        }
    } else {
        pay(ROAD_COST);
    }
}

// A settlement, bought or of the set-up, or a city. Iterations: 3 hexes of a node, and the ports.
fn choose_building(choice: Choice, here: vec2<u32>) {
    let is_city = choice.kind == CITY;
    let is_free = phase == SET_UP_SETTLEMENT;
    // The second settlement of the set-up pays a card from each hex around it.
    let pays = is_free && placed >= 4u;
    for (var corners = hexes_at(here); !is_empty64(corners); corners = without_lowest64(corners)) {
        let bit = 3u * hex_number(first64(corners));
        own.yields = add64(own.yields, bits_at(1u, bit));
        let tile = word_at(tiles, bit) & 7u;
        if (pays && tile < RESOURCES) { take_from_bank(cards_of(tile, 1u)); }
    }
    if (is_city) {
        pay(CITY_COST);
        own.cities |= here;
        let settlements = min(piece_left(own, 1u) + 1u, SETTLEMENT_PIECES);
        let cities = piece_left(own, 2u);
        own.left = (own.left & 0xffu) | (settlements << 8u) | ((cities - min(cities, 1u)) << 16u);
        return;
    }
    own.buildings |= here;
    own.left -= min(piece_left(own, 1u), 1u) << 8u;
    for (var port = 0u; port <= ANY_PORT; port += 1u) {
        own.rates = rates_at(own.rates, port, !is_empty64(item_pair(start + PORTS + 2u * port) & here));
    }
    let around = edges_at(here);
    // Three edges meet at a node, so that no more than one opponent has two of them.
    var cut = select(0u, 1u, count_roads(common_roads(rival_1.roads, around)) >= 2u);
    cut |= select(0u, 2u, count_roads(common_roads(rival_2.roads, around)) >= 2u);
    cut |= select(0u, 3u, count_roads(common_roads(rival_3.roads, around)) >= 2u);
    if (cut != 0u) { measure_cut_roads(cut); }
    if (is_free) {
        new_settlement = here;
        phase = SET_UP_ROAD;
    } else {
        pay(SETTLEMENT_COST);
    }
}

fn play(card: u32) {
    own.cards -= cards_of(card, 1u);
    own.played += cards_of(card, 1u);
    card_played = 1u;
}

fn play_knight() {
    play(KNIGHT_CARD);
    let armies = of_slot(slot_of(largest_army), own.played, rival_1.played, rival_2.played, rival_3.played);
    let army = select(card_count(armies, KNIGHT_CARD), LEAST_ARMY - 1u, largest_army == NOBODY);
    // If the mover holds it already its army is not larger than itself.
    if (card_count(own.played, KNIGHT_CARD) > army) { largest_army = mover; }
    phase = ROBBER_PHASE;
}

fn play_monopoly(kind: u32) {
    play(MONOPOLY_CARD);
    let from_1 = cards_of(kind, card_count(rival_1.hand, kind));
    let from_2 = cards_of(kind, card_count(rival_2.hand, kind));
    let from_3 = cards_of(kind, card_count(rival_3.hand, kind));
    rival_1.hand -= from_1;
    rival_2.hand -= from_2;
    rival_3.hand -= from_3;
    own.hand += from_1 + from_2 + from_3;
}

// The dice are cast: production, or on a seven discards and the robber.
fn roll() {
    actions += 1u;
    rolled = 1u;
    let k = below(36u);
    // A division by six.
    let sixes = (k * 43u) >> 8u;
    let dice = sixes + (k - 6u * sixes) + 2u;
    if (dice == 7u) {
        seven();
    } else {
        produce(dice);
    }
}

fn seven() {
    let totals = vec4<u32>(total(own.hand), total(rival_1.hand), total(rival_2.hand), total(rival_3.hand));
    let halves = select(vec4<u32>(0u), totals >> vec4<u32>(1u), totals > vec4<u32>(HAND_LIMIT));
    let first = (halves.x << (8u * front)) | (halves.y << (8u * seat_of(1u)));
    owed = first | (halves.z << (8u * seat_of(2u))) | (halves.w << (8u * seat_of(3u)));
    phase = select(ROBBER_PHASE, DISCARD_PHASE, owed != 0u);
}

// The low three bits of a number in the place of every hex.
fn in_every_hex(number: u32) -> vec2<u32> {
    let two = if_so(up64(HEX_BITS, 1u), (number & 2u) != 0u);
    return if_so(HEX_BITS, (number & 1u) != 0u) | two | if_so(up64(HEX_BITS, 2u), (number & 4u) != 0u);
}

// Iterations: HEXES, and RESOURCES if the bank is short.
fn produce(dice: u32) {
    let differs = tokens_low ^ in_every_hex(dice);
    let low_differs = differs | down64(differs, 1u) | down64(differs, 2u);
    let high_differs = tokens_high ^ if_so(HEX_BITS, dice >= 8u);
    var hexes = HEX_BITS & ~(low_differs | high_differs | bit64(3u * robber));
    var income_0 = vec2<u32>(0u);
    var income_1 = vec2<u32>(0u);
    var income_2 = vec2<u32>(0u);
    var income_3 = vec2<u32>(0u);
    for (; !is_empty64(hexes); hexes = without_lowest64(hexes)) {
        let bit = first64(hexes);
        let one = cards_of(word_at(tiles, bit) & 7u, 1u);
        income_0 += one * (word_at(own.yields, bit) & 7u);
        income_1 += one * (word_at(rival_1.yields, bit) & 7u);
        income_2 += one * (word_at(rival_2.yields, bit) & 7u);
        income_3 += one * (word_at(rival_3.yields, bit) & 7u);
    }
    // Where the bank has not enough of a resource, a single player who is owed it gets what is left and several
    // get nothing.
    let enough = at_least(bank, income_0 + income_1 + income_2 + income_3);
    for (var missing = ~enough & 31u; missing != 0u; missing &= missing - 1u) {
        let kind = countTrailingZeros(missing);
        let owing = vec4<u32>(
            card_count(income_0, kind), card_count(income_1, kind), card_count(income_2, kind), card_count(income_3, kind),
        );
        let creditors = countOneBits(dot(min(owing, vec4<u32>(1u)), vec4<u32>(1u, 2u, 4u, 8u)));
        let rest = select(0u, card_count(bank, kind), creditors == 1u);
        let unpaid = owing - min(owing, vec4<u32>(rest));
        income_0 -= cards_of(kind, unpaid.x);
        income_1 -= cards_of(kind, unpaid.y);
        income_2 -= cards_of(kind, unpaid.z);
        income_3 -= cards_of(kind, unpaid.w);
    }
    bank -= income_0 + income_1 + income_2 + income_3;
    own.hand += income_0;
    rival_1.hand += income_1;
    rival_2.hand += income_2;
    rival_3.hand += income_3;
}

fn end_turn() {
    mover = (mover + 1u) & 3u;
    phases += 1u;
    rolled = 0u;
    card_played = 0u;
    fresh = vec2<u32>(0u);
}

// The next seat that owes cards puts some of them back; it is one action once it owes none.
// Iterations: DISCARDS.
fn discard_cards() {
    let by_slot = (owed >> (8u * front)) | (owed << ((32u - 8u * front) & 31u));
    let slot = (countTrailingZeros(by_slot) >> 3u) & 3u;
    let shift = 8u * seat_of(slot);
    let hand = hand_of(slot);
    var rest = hand;
    let owes = (owed >> shift) & 255u;
    let now = min(owes, DISCARDS);
    for (var i = 0u; i < now; i += 1u) { rest -= cards_of(choose_discard(rest), 1u); }
    give(slot, rest - hand);
    bank += hand - rest;
    owed -= now << shift;
    actions += select(0u, 1u, now == owes);
    if (owed == 0u) { phase = ROBBER_PHASE; }
}

// The hexes of a player's buildings who has cards, bit 3 hex.
fn robbed_hexes(player: Player) -> vec2<u32> {
    let hexes = (player.yields | down64(player.yields, 1u) | down64(player.yields, 2u)) & HEX_BITS;
    return if_so(hexes, !is_empty64(player.hand));
}

fn rob() {
    let elsewhere = HEX_BITS & ~bit64(3u * robber);
    let first = robbed_hexes(rival_1) & elsewhere;
    let second = robbed_hexes(rival_2) & elsewhere;
    let third = robbed_hexes(rival_3) & elsewhere;
    let bit = choose_robbery(first | up64(second, 1u) | up64(third, 2u) | (elsewhere & ~(first | second | third)));
    // A division by three.
    robber = (bit * 171u) >> 9u;
    let slot = bit - 3u * robber + 1u;
    if (has64(of_slot(slot, first, first, second, third), 3u * robber) != 0u) {
        let card = cards_of(draw_kind(hand_of(slot)), 1u);
        give(slot, vec2<u32>(0u) - card);
        own.hand += card;
    }
    phase = TURN_PHASE;
    actions += 1u;
}

// ---- longest road: kernels/src/catan/longest_road.rs, some steps at a time ----

// Nothing to do.
const IDLE = 0u;
// The network of a road is being found.
const FLOODING = 1u;
// It has been found.
const FLOODED = 2u;
// Its trails are followed one after the other.
const WALKING = 3u;
// The longest trail of the network is known.
const WALKED = 4u;

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
    let leaves = count64(network.h & blocked) + count64(right & blocked) + count64(network.v & blocked) + count64(down & blocked);
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

// ---- strategies ----

// A uniform one of the choices; one draw, unless there is only one.
fn random_choice(all: Choices) -> Choice {
    let counts = vec4<u32>(count64(all.roads.h), count64(all.roads.v), count64(all.settlements), count64(all.cities));
    let sum = counts.x + counts.y + counts.z + counts.w + count64(all.misc);
    var k = 0u;
    if (sum > 1u) { k = below(sum); }
    var kind = ROAD_H;
    var options = all.roads.h;
    if (k >= counts.x) { k -= counts.x; kind = ROAD_V; options = all.roads.v; }
    if (kind == ROAD_V && k >= counts.y) { k -= counts.y; kind = SETTLEMENT; options = all.settlements; }
    if (kind == SETTLEMENT && k >= counts.z) { k -= counts.z; kind = CITY; options = all.cities; }
    if (kind == CITY && k >= counts.w) { k -= counts.w; kind = MISC; options = all.misc; }
    return Choice(kind, kth_bit64(options, k));
}

fn random_discard(hand: vec2<u32>) -> u32 {
    return draw_kind(hand);
}

fn random_robbery(robberies: vec2<u32>) -> u32 {
    return kth_bit64(robberies, below(count64(robberies)));
}

fn has_choices(all: Choices) -> bool {
    return !is_empty64(all.roads.h | all.roads.v | all.settlements | all.cities | all.misc);
}

// Plays one of the choices; returns whether it is the roll, which is still to come.
fn take_one() -> bool {
    let all = choices();
    if (!has_choices(all)) {
        // Only in a set-up made by hand.
        ending = TRUNCATED;
        return false;
    }
    let choice = choose(all);
    if (choice.kind == MISC && choice.bit == ROLL_OR_END && rolled == 0u) { return true; }
    actions += 1u;
    apply(choice);
    return false;
}

fn advance() {
    var rolls = false;
    if (search == IDLE && front == mover) {
        if (phase == DISCARD_PHASE) {
            discard_cards();
        } else if (phase == ROBBER_PHASE) {
            rob();
        } else if (phase == ANSWER) {
            phase = TURN_PHASE;
            actions += 1u;
        } else {
            rolls = take_one();
        }
    }
    measure_roads();
    if (search == IDLE && front != mover) { change_places(); }
    if (search != IDLE || front != mover || ending != PLAYING) { return; }
    ending = verdict();
    // Half of all turns begin without a choice.
    let must_roll = phase == TURN_PHASE && rolled == 0u && is_empty64(own.cards);
    if (ending == PLAYING && (rolls || must_roll)) { roll(); }
}
