// Catan playouts: the rules of src/games/catan/rules.rs and the strategies of policy.rs, function by function.
//
// A step is one action, with three exceptions: the end of a turn includes the next roll if there is no choice;
// many discards, and a long search for the longest road, take several steps.

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

// ---- rules ----

fn choices() -> Choices {
    let in_turn = phase == TURN_PHASE;
    let can_trade = in_turn && rolled != 0u;
    let occupied = occupied();
    let reached = touched(own.roads);
    let around = select((reached & ~occupied) | own.buildings, new_settlement, phase == SET_UP_ROAD);
    let free_edges = roads_without(edges_at(around), taken());
    let free_nodes = free_nodes();

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

// Nodes of the mover where a road can begin.
fn road_starts() -> vec2<u32> {
    return (touched(own.roads) & ~occupied()) | own.buildings;
}

// Nodes without a building on them or next to them.
fn free_nodes() -> vec2<u32> {
    let occupied = occupied();
    return ALL_NODES & ~(occupied | neighbours(occupied));
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
        let has_no_edge = has_no_roads(roads_without(edges_at(road_starts()), taken()));
        if (free_roads == 0u || piece_left(own, 0u) == 0u || has_no_edge) {
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
    let seat = seat_of(slot);
    let shift = 8u * seat;
    let hand = hand_of(slot);
    var rest = hand;
    let owes = (owed >> shift) & 255u;
    let now = min(owes, DISCARDS);
    for (var i = 0u; i < now; i += 1u) { rest -= cards_of(choose_discard(seat, rest), 1u); }
    give(slot, rest - hand);
    bank += hand - rest;
    owed -= now << shift;
    actions += select(0u, 1u, now == owes);
    if (owed == 0u) { phase = ROBBER_PHASE; }
}

// The hexes that pay something, bit 3 hex.
fn hexes_of(yields: vec2<u32>) -> vec2<u32> {
    return (yields | down64(yields, 1u) | down64(yields, 2u)) & HEX_BITS;
}

// The hexes of a player's buildings who has cards.
fn robbed_hexes(player: Player) -> vec2<u32> {
    return if_so(hexes_of(player.yields), !is_empty64(player.hand));
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

fn random_robbery(robberies: vec2<u32>) -> u32 {
    return kth_bit64(robberies, below(count64(robberies)));
}

fn has_choices(all: Choices) -> bool {
    return !is_empty64(all.roads.h | all.roads.v | all.settlements | all.cities | all.misc);
}

// Plays one of the choices; returns whether it is the roll, which is still to come.
fn take_one() -> bool {
    let all = options();
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
