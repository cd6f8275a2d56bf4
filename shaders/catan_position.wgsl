// Positions of Catan: kernels/src/catan/{wall,cards,packed}.rs and src/games/catan/position.rs. Sets of nodes and
// edges are those of the brick wall; of cards the first four kinds are the bytes of the low word, the fifth is the
// high word.

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

// What is left of each kind when `other` is taken away as far as it is there.
fn without(cards: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
    let rest = (cards.x | HIGH) - other.x;
    let kept = rest & HIGH;
    return vec2<u32>(rest & (kept - (kept >> 7u)), cards.y - min(cards.y, other.y));
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

// The victory points that everybody sees.
fn public_points(player: Player, seat: u32) -> u32 {
    let buildings = (SETTLEMENT_PIECES - piece_left(player, 1u)) + 2u * (CITY_PIECES - piece_left(player, 2u));
    return buildings + select(0u, 2u, longest_road == seat) + select(0u, 2u, largest_army == seat);
}

fn points() -> u32 {
    return public_points(own, mover) + card_count(own.cards, POINT_CARD);
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

// Iterations: ports of RESOURCES and of any kind, HEXES, and those of the strategies.
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
    begin_strategies();
    ending = verdict();
}

// What a lane keeps between dispatches: players, the rest of the position, the search. Small numbers share words,
// because a software driver takes long to compile accesses to memory.
const KEPT_PLAYER_WORDS = 16u;
const KEPT_POSITION = GAME_FIELD + 4u * KEPT_PLAYER_WORDS;
const KEPT_SEARCH = KEPT_POSITION + 12u;
// Of the strategy random-s.
const KEPT_ENTRY = KEPT_SEARCH + 14u;

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
    restore_strategies(lane);
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
    suspend_strategies(lane);
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
