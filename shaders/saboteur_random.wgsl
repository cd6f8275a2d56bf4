// The strategy `random` of Saboteur: a uniform one of the legal actions, in the order of Position::legal_actions.

// The seats of all players, three bits apart.
fn all_seats() -> u32 {
    return EVERY_SEAT & ((1u << (TOOLS * players)) - 1u);
}

// The uses of an action card other than the rock-fall: goals, or bits of `broken`.
fn action_uses(kind: u32) -> u32 {
    if (kind == MAP) { return ~face_up & ((1u << GOALS) - 1u); }
    if (kind >= REPAIR) { return broken & (all_seats() * ((REPAIRS >> (TOOLS * (kind - REPAIR))) & ALL_TOOLS)); }
    let others = all_seats() & ~(1u << (TOOLS * mover));
    return ~broken & (others << (kind - BREAK));
}

// The number in the list of the k-th card on the table, row by row from the bottom, each from the left. The list goes
// column by column, so that the cards of a row are in order. Iterations: 3 times the cards, 2 times 8, and 2.
fn kth_laid(k: u32) -> u32 {
    var left = k;
    // Eight groups of rows, then the eight rows of one group.
    var row = 0u;
    for (var bits = CELL_ROW_BITS; bits > 0u; bits -= 3u) {
        var counts = vec2<u32>(0u);
        for (var at = 0u; at < laid_count; at += 1u) {
            let own = row_at(at);
            let group = (own >> (bits - 3u)) & 7u;
            counts += byte_at(select(0u, 1u, (own >> bits) == row), group);
        }
        row <<= 3u;
        for (var group = 0u; group < 7u; group += 1u) {
            let count = byte_of(counts, group);
            if (left < count) { break; }
            left -= count;
            row += 1u;
        }
    }
    for (var at = 0u; at < laid_count; at += 1u) {
        if (row_at(at) != row) { continue; }
        if (left == 0u) { return at; }
        left -= 1u;
    }
    return 0u;
}

fn row_at(number: u32) -> u32 {
    return (kept(CARDS + number) >> CARD_CELL) & (COLUMN - 1u);
}

// Iterations: 3 times the places, twice the hand, and those of `kth_laid`.
fn random_choice() -> Choice {
    // The uses of the card in each slot, eight bits each.
    var uses = vec2<u32>(0u);
    for (var number = 0u; number < place_count; number += 1u) {
        let fitting = fits(place(number), masks);
        uses += (fitting & vec2<u32>(0x01010101u)) + ((fitting >> vec2<u32>(4u)) & vec2<u32>(0x01010101u));
    }
    var total = countOneBits(slots);
    for (var rest = slots; rest != 0u; rest &= rest - 1u) {
        let slot = countTrailingZeros(rest);
        let kind = card_in(slot);
        if (kind >= PATH_KINDS) {
            let count = select(countOneBits(action_uses(kind)), laid_count, kind == ROCK_FALL);
            uses += byte_at(count, slot);
        }
        total += byte_of(uses, slot);
    }
    var k = 0u;
    if (total > 1u) { k = below(total); }
    var used = HAND;
    for (var rest = slots; rest != 0u; rest &= rest - 1u) {
        let slot = countTrailingZeros(rest);
        let count = byte_of(uses, slot);
        if (k < count) {
            used = slot;
            break;
        }
        k -= count;
    }
    if (used < HAND) { return kth_use(used, k); }
    return Choice(DISCARD, card_in(kth_bit32(slots, k)), 0u, false);
}

fn byte_of(words: vec2<u32>, i: u32) -> u32 {
    return byte(vec4<u32>(words, 0u, 0u), i);
}

// `value` at byte number i of 8, zero elsewhere.
fn byte_at(value: u32, i: u32) -> vec2<u32> {
    let word = value << (8u * (i & 3u));
    return select(vec2<u32>(word, 0u), vec2<u32>(0u, word), i >= 4u);
}

fn kth_use(slot: u32, k: u32) -> Choice {
    let kind = card_in(slot);
    if (kind < PATH_KINDS) {
        var left = k;
        // All places unturned, then all turned.
        for (var number = 0u; number < 2u * place_count; number += 1u) {
            let is_turned = number >= place_count;
            let here = place(select(number, number - place_count, is_turned));
            if (nibble(fits(here, masks), 2u * slot + select(0u, 1u, is_turned)) == 0u) { continue; }
            if (left == 0u) { return Choice(LAY, kind, cell_of(here), is_turned); }
            left -= 1u;
        }
    }
    if (kind == ROCK_FALL) { return Choice(ROCK_FALL_ACTION, kind, kth_laid(k), false); }
    let aim = kth_bit32(action_uses(kind), k);
    let action = select(select(MAP_ACTION, BREAK_ACTION, kind >= BREAK), REPAIR_ACTION, kind >= REPAIR);
    return Choice(action, kind, aim, false);
}
