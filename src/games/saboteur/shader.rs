//! The compute shader: a prelude of numbers from the tables, the packed layout and the readings, then the files of
//! `shaders/saboteur*.wgsl` that the policy needs, then the function that calls the players' strategies.

use std::fmt::{Display, Write};
use std::mem::offset_of;

use fairground_kernels::saboteur::full::{
    DISCARD, EVIDENCE, FRONT, GOAL, HARM, HARM_AGAIN, LOOK, LOOK_ORDER, MEND, MOST_SUSPICION, NEARNESS, NEVER, REJOIN,
    RUIN, SUSPECTED,
};
use fairground_kernels::saboteur::packed::{
    CARD_CELL, CARD_TURNED, CELL_ROW_BITS, EMPTY_HAND, HAND_BITS, NO_CARD, NO_HAND_CARD, SEAT_WORDS, cell_number,
};
use fairground_kernels::saboteur::reading::{
    Adjacent, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo, Ties, points,
};
use fairground_kernels::saboteur::tables::{
    ACTION_CARDS, BREAK, COUNTS, CROSSING, DOWN, FEWEST_PLAYERS, FIRST_BLOCKED, GOAL_X, GOAL_Y, GOALS, GOLD_FACE, HAND,
    HORIZONTAL, KINDS, LEFT, MAP, MASKS, MOST_PLAYERS, PATH_CARDS, PATH_KINDS, PLAYERS, REPAIR, REPAIRS, RIGHT,
    ROCK_FALL, ROUNDS, SABOTEURS_GOLD, SIDES, STONE_FACES, T_HORIZONTAL, T_VERTICAL, TOOLS, UP, VERTICAL, WIDE_ORIGIN,
    WIDE_ROW_ORIGIN,
};
use fairground_kernels::saboteur::{Packed, Policy, Reading, Strategy};

use super::cards::Deck;
use super::pieces::Card;
use super::position::Winner;
use crate::batch::gpu;

/// The most free cells that open paths lead into: each passable card on a path closes one opening and has its others. A
/// goal with stones has one other, and after the gold nothing is laid.
const MOST_PLACES: usize = {
    let mut places = SIDES;
    let mut kind = 0;
    while kind < FIRST_BLOCKED {
        places += COUNTS[kind] as usize * (MASKS[kind].count_ones() as usize - 2);
        kind += 1;
    }
    places
};

/// Cards that are looked around in one step; most turns lay no more than one.
const LOOKS: u32 = 2;

/// The parts of a point that the counted cards are whole numbers of: each kind's share, and the third of three shares.
const SHARE_PARTS: u32 = {
    let mut parts = 3;
    let mut kind = 0;
    while kind < FIRST_BLOCKED {
        if !(parts * points::SHARE as u32).is_multiple_of(3 * COUNTS[kind] as u32) {
            parts *= COUNTS[kind] as u32;
        }
        kind += 1;
    }
    parts
};

/// The shader that plays this policy, to the end of the round or of the game.
pub(super) fn shader(policy: Policy, is_whole: bool) -> gpu::Shader {
    let strategies = [policy.diggers, policy.saboteurs];
    let has_random = strategies.contains(&Strategy::Random);
    let is_full = strategies.map(|strategy| strategy == Strategy::Full);
    let readings = strategies.map(|strategy| match strategy {
        Strategy::Random | Strategy::Full => None,
        Strategy::Paper(reading) => Some(reading),
    });
    let mut source = prelude(is_whole);
    source.push_str(include_str!("../../../shaders/saboteur.wgsl"));
    if has_random {
        source.push_str(include_str!("../../../shaders/saboteur_random.wgsl"));
    }
    // A reading that nobody has is of no account.
    if let Some(any) = readings[0].or(readings[1]) {
        let [diggers, saboteurs] = readings.map(|reading| reading.unwrap_or(any));
        let switches = switches(&diggers, false).into_iter().zip(switches(&saboteurs, true));
        switches.for_each(|(diggers, saboteurs)| source.push_str(&by_role(&diggers, &saboteurs)));
        source.push_str(include_str!("../../../shaders/saboteur_paper.wgsl"));
    }
    if is_full != [false; 2] {
        // The role is known if only one plays so.
        let as_saboteur = [!is_full[0], is_full[1]].map(|flag| ("as_saboteur", Number::Flag(flag)));
        source.push_str(&by_role(&as_saboteur[0], &as_saboteur[1]));
        source.push_str(&full_numbers());
        source.push_str(include_str!("../../../shaders/saboteur_full.wgsl"));
    }
    let [diggers, saboteurs] = strategies.map(|strategy| match strategy {
        Strategy::Random => "random_choice()",
        Strategy::Paper(_) => "paper_choice()",
        Strategy::Full => "full_choice()",
    });
    let by_role = format!("if (is_saboteur) {{ return {saboteurs}; }} ");
    let first = if diggers == saboteurs { "" } else { &by_role };
    // Writing to a string cannot fail.
    let _ = writeln!(source, "fn choose_action() -> Choice {{ {first}return {diggers}; }}");
    // The packed position, the places, the counts.
    let lane_words = size_of::<Packed>() / 4 + MOST_PLACES + 1;
    gpu::Shader { source, lane_words, iterations: iterations(strategies, is_whole) }
}

/// The most loop iterations of one step, as [`gpu::Shader::iterations`] counts them.
fn iterations(strategies: [Strategy; 2], is_whole: bool) -> u32 {
    // Each loop once more than it does something.
    let over_hand = HAND as u32 + 1;
    let over_players = MOST_PLAYERS as u32 + 1;
    let over_laid = PATH_CARDS as u32 + 1;
    let over_goals = GOALS as u32 + 1;
    let over_places = MOST_PLACES as u32 + 1;
    let words = (size_of::<Packed>() / 4) as u32 + 1;

    let most_dealt =
        PLAYERS.iter().zip(FEWEST_PLAYERS..).map(|(row, players)| u32::from(row[2]) * players as u32).max();
    let deal = over_players + most_dealt.unwrap_or(0) + 1;
    let look = over_laid + GOALS as u32 + 1 + over_places + SIDES as u32;
    let looks = LOOKS * (1 + look) + 1;
    let play = over_laid + 1 + over_goals + over_players;
    let kth_laid = 2 * (1 + over_laid + 8) + 1 + over_laid;
    let random = over_places + 2 * over_hand + 2 * over_places + kth_laid;
    let see_plays = over_places + MOST_PLACES as u32 * over_hand;
    let uses = |is_used: fn(&Reading) -> bool| {
        u32::from(strategies.iter().any(|it| matches!(it, Strategy::Paper(reading) if is_used(reading))))
    };
    let paper = over_goals
        + see_plays * (1 + uses(|it| it.ties == Ties::Random) + uses(|it| it.discard == Discard::ActionThenWorst))
        + over_hand * (1 + 2 * uses(|it| it.saboteurs_place_as_diggers))
        + over_laid * uses(|it| it.counted_cards != CountedCards::None)
        + 5 * over_hand * uses(|it| it.counts_own_hand);
    let full = over_hand + 2 * over_places + 2 * over_laid + over_hand + HAND as u32 * over_players;
    let has = |strategy| u32::from(strategies.contains(&strategy));
    let choice = has(Strategy::Random) * random + uses(|_| true) * paper + has(Strategy::Full) * full;
    let most_gold = PLAYERS.iter().map(|row| u32::from(row[3])).max().unwrap_or(0);
    let most_share = SABOTEURS_GOLD.into_iter().max().unwrap_or(0);
    let shares = (SABOTEURS_GOLD.len() as u32 - 1) * (1 + 2 * u32::from(most_share) + 1) + 1;
    let gold = 2 * (most_gold + 1) + shares + over_players + over_players;
    let step = deal + looks + over_hand + choice + play + u32::from(is_whole) * gold;
    // Between two bursts of steps a playout may end and another begin.
    step.max(2 * words)
}

/// A number of the shader's.
enum Number {
    Word(u32),
    Signed(i64),
    Flag(bool),
}

impl Number {
    const fn type_name(&self) -> &'static str {
        match self {
            Self::Word(_) => "u32",
            Self::Signed(_) => "i32",
            Self::Flag(_) => "bool",
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(number) => write!(f, "{number}u"),
            Self::Signed(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// A function that returns what the reading of the mover's role says; without a look at the role if both say the same,
/// so that the compiler leaves out what is not used.
fn by_role((name, diggers): &(&str, Number), (_, saboteurs): &(&str, Number)) -> String {
    let [ours, theirs] = [diggers, saboteurs].map(Number::to_string);
    let value = if ours == theirs { ours } else { format!("select({ours}, {theirs}, is_saboteur)") };
    format!("fn {name}() -> {} {{ return {value}; }}\n", diggers.type_name())
}

/// What a reading says to a player of this role.
fn switches(reading: &Reading, is_saboteur: bool) -> [(&'static str, Number); 25] {
    use Number::{Flag, Signed, Word};
    let far = reading.far_columns();
    let goes_right = Card::all().filter(|card| card.is_path()).fold(0, |set, card| {
        let goes = |is_turned| u32::from(reading.goes_right(card.index(), card.laid_mask(is_turned)));
        set | (goes(false) | goes(true) << PATH_KINDS) << card.index()
    });
    let left_edge = match reading.left_of_goals {
        LeftOfGoals::Columns => GOAL_X,
        LeftOfGoals::NotBeside => GOAL_X - 1,
        LeftOfGoals::Far => GOAL_X + 1 - far as i8,
    };
    let row_of_three = match reading.of_three {
        OfThree::Middle | OfThree::Random => GOAL_Y[1],
        OfThree::Top => GOAL_Y[2],
        OfThree::Between => i8::midpoint(GOAL_Y[1], GOAL_Y[2]),
    };
    let counts_cards = match (reading.counted_cards, reading.counted_by_saboteurs) {
        (_, CountedBySaboteurs::LeftOut) if is_saboteur => CountedCards::None,
        (counted, _) => counted,
    };
    let flips = is_saboteur && reading.counted_by_saboteurs == CountedBySaboteurs::Flipped;
    let discards = if is_saboteur { reading.saboteurs_discard } else { reading.diggers_discard };
    [
        ("across", Signed(reading.across.into())),
        ("along", Signed(reading.along.into())),
        ("goes_right_kinds", Word(goes_right)),
        ("left_edge", Signed(left_edge.into())),
        ("far_columns", Signed(far.into())),
        ("off_goal_row", Flag(reading.off_goal_row)),
        ("sideways_kinds", Word(reading.sideways.kinds())),
        ("discard_rule", Word(reading.discard as u32)),
        ("plays_zero", Flag(reading.plays_zero)),
        ("of_three", Word(reading.of_three as u32)),
        ("row_of_three", Signed(row_of_three.into())),
        ("of_two", Word(reading.of_two as u32)),
        ("map_order", Word(reading.map_order as u32)),
        ("shares_maps", Flag(reading.shares_maps)),
        ("uses_maps", Flag(!is_saboteur || reading.saboteurs_use_maps)),
        ("adjacent", Word(reading.adjacent as u32)),
        ("closed_penalty", Signed(if reading.closed_beside_goal { points::PENALTY } else { 0 })),
        ("ties", Word(reading.ties as u32)),
        ("rounds_down", Flag(reading.rounds_down)),
        ("between_is_125", Flag(reading.between_is_125)),
        ("discards", Flag(discards)),
        ("places_as_digger", Flag(is_saboteur && reading.saboteurs_place_as_diggers)),
        ("counts_cards", Word(counts_cards as u32)),
        ("flips_counted", Flag(flips)),
        ("counts_own_hand", Flag(reading.counts_own_hand)),
    ]
}

/// The numbers the shader needs, from the tables and the layout of a packed position.
fn prelude(is_whole: bool) -> String {
    use Number::{Flag, Signed, Word};
    let row_of = |number: usize| nibbles(PLAYERS.map(|row| row[number]).into_iter()) as u32;
    let [bottom, middle, _] = GOAL_Y.map(|y| cell_number(GOAL_X, y));
    let ones = |bits: u32, count: usize| (0..count as u32).fold(0, |word, number| word | 1 << (bits * number));
    let words = [
        ("SIDES", SIDES as u32),
        ("LEFT", LEFT.into()),
        ("UP", UP.into()),
        ("RIGHT", RIGHT.into()),
        ("DOWN", DOWN.into()),
        ("PATH_KINDS", PATH_KINDS as u32),
        ("FIRST_BLOCKED", FIRST_BLOCKED as u32),
        ("CROSSING", CROSSING as u32),
        ("T_VERTICAL", T_VERTICAL as u32),
        ("T_HORIZONTAL", T_HORIZONTAL as u32),
        ("HORIZONTAL", HORIZONTAL as u32),
        ("VERTICAL", VERTICAL as u32),
        ("ROCK_FALL", ROCK_FALL as u32),
        ("MAP", MAP as u32),
        ("BREAK", BREAK as u32),
        ("REPAIR", REPAIR as u32),
        ("REPAIRS", REPAIRS.iter().rev().fold(0, |word, &tools| word << TOOLS | u32::from(tools))),
        ("ALL_CROSSINGS", COUNTS[CROSSING].into()),
        ("ALL_T_VERTICAL", COUNTS[T_VERTICAL].into()),
        ("ALL_T_HORIZONTAL", COUNTS[T_HORIZONTAL].into()),
        ("ALL_HORIZONTAL", COUNTS[HORIZONTAL].into()),
        ("ALL_VERTICAL", COUNTS[VERTICAL].into()),
        ("PATH_CARDS", PATH_CARDS as u32),
        ("FIRST_ACTIONS", first_cards(PATH_KINDS, KINDS) as u32),
        ("FULL_ACTIONS", Deck::FULL.actions),
        ("TOOLS", TOOLS as u32),
        ("ALL_TOOLS", (1 << TOOLS) - 1),
        ("EVERY_SEAT", ones(TOOLS as u32, MOST_PLAYERS)),
        ("FEWEST_PLAYERS", FEWEST_PLAYERS as u32),
        ("DIGGER_CARDS", row_of(0)),
        ("SABOTEUR_CARDS", row_of(1)),
        ("HAND_CARDS", row_of(2)),
        ("GOLD_CARDS", row_of(3)),
        ("MOST_PLAYERS", MOST_PLAYERS as u32),
        ("ROUNDS", ROUNDS.into()),
        ("MOST_SABOTEURS", SABOTEURS_GOLD.len() as u32 - 1),
        ("SHARES", nibbles(SABOTEURS_GOLD.into_iter()) as u32),
        ("GOALS", GOALS as u32),
        ("GOLD_FACE", GOLD_FACE.into()),
        ("STONE_FACE_0", STONE_FACES[0].into()),
        ("STONE_FACE_1", STONE_FACES[1].into()),
        ("START_CELL", cell_number(0, 0)),
        ("BOTTOM_GOAL", bottom),
        ("GOAL_STEP", middle - bottom),
        ("DIGGERS_WON", 1 + Winner::Diggers as u32),
        ("SABOTEURS_WON", 1 + Winner::Saboteurs as u32),
        ("NOBODY_WON", 1 + Winner::Nobody as u32),
        ("HAND", HAND as u32),
        ("HAND_BITS", HAND_BITS),
        ("HAND_ONES", ones(HAND_BITS, HAND)),
        ("NO_HAND_CARD", NO_HAND_CARD),
        ("EMPTY_HAND", EMPTY_HAND),
        ("NO_CARD", NO_CARD),
        ("CARD_CELL", CARD_CELL),
        ("CARD_TURNED", CARD_TURNED),
        ("CELL_ROW_BITS", CELL_ROW_BITS),
        ("MOST_PLACES", MOST_PLACES as u32),
        ("LOOKS", LOOKS),
        ("SHARE_PARTS", SHARE_PARTS),
        ("SHARE_POINTS", points::SHARE as u32),
        ("COUNTS_NOTHING", CountedCards::None as u32),
        ("COUNTS_SUM", CountedCards::Sum as u32),
        ("MAP_TOP", MapOrder::Top as u32),
        ("MAP_RANDOM", MapOrder::Random as u32),
        ("THREE_RANDOM", OfThree::Random as u32),
        ("TWO_UPPER", OfTwo::Upper as u32),
        ("TWO_RANDOM", OfTwo::Random as u32),
        ("ADJACENT_FACE_DOWN", Adjacent::FaceDown as u32),
        ("ADJACENT_ANY", Adjacent::Any as u32),
        ("ADJACENT_PROVISIONAL", Adjacent::Provisional as u32),
        ("TIES_LAST", Ties::Last as u32),
        ("TIES_RANDOM", Ties::Random as u32),
        ("DISCARD_UNIFORM", Discard::Uniform as u32),
        ("DISCARD_FIRST", Discard::First as u32),
        ("DISCARD_BEST", Discard::Best as u32),
        ("DISCARD_PATH_FIRST", Discard::PathFirst as u32),
        ("DISCARD_ACTION_THEN_WORST", Discard::ActionThenWorst as u32),
    ];
    let offsets = OFFSETS.map(|(name, bytes)| (name, (bytes / 4) as u32));
    let signed = [
        ("GOAL_X", GOAL_X.into()),
        ("WIDE_ORIGIN", WIDE_ORIGIN.into()),
        ("WIDE_ROW_ORIGIN", WIDE_ROW_ORIGIN.into()),
        ("OPEN_POINTS", points::OPEN),
        ("PENALTY", points::PENALTY),
        ("BLOCKED_PENALTY", points::BLOCKED),
        ("BETWEEN_POINTS", points::BETWEEN),
        ("EVIDENCE_BLOCKED", EVIDENCE[0].into()),
        ("EVIDENCE_PASSABLE", EVIDENCE[1].into()),
        ("EVIDENCE_HARM", EVIDENCE[2].into()),
        ("MOST_SUSPICION", MOST_SUSPICION.into()),
    ];
    let words = words.into_iter().chain(offsets).map(|(name, word)| (name, Word(word)));
    let numbers = words.chain(signed.map(|(name, number)| (name, Signed(number))));
    let mut prelude = String::new();
    for (name, number) in numbers.chain([("IS_WHOLE", Flag(is_whole))]) {
        // Writing to a string cannot fail.
        let _ = writeln!(prelude, "const {name} = {number};");
    }
    let pairs = [
        ("MASKS", nibbles(MASKS.into_iter())),
        ("FIRST_PATHS", first_cards(0, PATH_KINDS)),
        ("FULL_PATHS", Deck::FULL.paths),
    ];
    for (name, pair) in pairs {
        let (low, high) = (pair as u32, pair >> 32);
        let _ = writeln!(prelude, "const {name} = vec2<u32>({low:#x}u, {high:#x}u);");
    }
    prelude
}

/// The numbers of the strategy `full`.
fn full_numbers() -> String {
    let nearer_by = |steps: usize| NEARNESS[NEARNESS.len() - 1 - steps];
    let numbers = [
        ("NEVER", NEVER),
        ("NEAR_STEPS", NEARNESS.len() as i32 - 1),
        ("NEARER_BY_1", nearer_by(1)),
        ("NEARER_BY_2", nearer_by(2)),
        ("NEARER_BY_4", nearer_by(4)),
        ("NEARER_BY_8", nearer_by(8)),
        ("GOAL", GOAL),
        ("REJOIN", REJOIN),
        ("FRONT_DIGGER", FRONT[0]),
        ("FRONT_SABOTEUR", FRONT[1]),
        ("LOOK", LOOK),
        ("MEND_OWN", MEND[0]),
        ("MEND", MEND[1]),
        ("MEND_MORE", MEND[2]),
        ("HARM_DIGGER", HARM[0][0]),
        ("HARM_DIGGER_MORE", HARM[0][1]),
        ("HARM_SABOTEUR", HARM[1][0]),
        ("HARM_SABOTEUR_MORE", HARM[1][1]),
        ("HARM_AGAIN", HARM_AGAIN),
        ("SUSPECTED", SUSPECTED),
        ("RUIN", RUIN[0]),
        ("RUIN_MORE", RUIN[1]),
    ];
    let numbers = numbers.map(|(name, number)| (name, Number::Signed(number.into())));
    let goals = ["LOOK_FIRST", "LOOK_SECOND", "LOOK_LAST"].into_iter().zip(LOOK_ORDER);
    let mut source = String::new();
    for (name, number) in numbers.into_iter().chain(goals.map(|(name, goal)| (name, Number::Word(goal.into())))) {
        // Writing to a string cannot fail.
        let _ = writeln!(source, "const {name} = {number};");
    }
    for (role, points) in ["DIGGER", "SABOTEUR"].into_iter().zip(DISCARD) {
        let (paths, others) = points.split_at(PATH_KINDS);
        for (cards, points) in [("PATHS", paths), ("OTHERS", others)] {
            // A byte for each kind, sixteen kinds.
            let mut words = [0; 4];
            for (kind, &points) in points.iter().enumerate() {
                words[kind / 4] |= u32::from(points as u8) << (8 * (kind % 4));
            }
            let [a, b, c, d] = words;
            let _ = writeln!(source, "const DISCARD_{cards}_{role} = vec4<u32>({a}u, {b}u, {c}u, {d}u);");
        }
    }
    source
}

/// Small numbers as nibbles of a word.
fn nibbles(numbers: impl DoubleEndedIterator<Item = u8>) -> u64 {
    numbers.rev().fold(0, |word, number| word << 4 | u64::from(number))
}

/// The first card of every kind but the first, one bit each, if the cards of these kinds are sorted.
fn first_cards(first: usize, end: usize) -> u64 {
    let mut card = 0;
    COUNTS[first..end - 1].iter().fold(0, |set, &count| {
        card += count;
        set | 1 << card
    })
}

/// Where everything is in a packed position.
const OFFSETS: [(&str, usize); 20] = [
    ("CARDS", offset_of!(Packed, cards)),
    ("HANDS", offset_of!(Packed, hands)),
    ("DECK_PATHS", offset_of!(Packed, deck_paths)),
    ("DECK_ACTIONS", offset_of!(Packed, deck_actions)),
    ("SEEN", offset_of!(Packed, seen)),
    ("BROKEN", offset_of!(Packed, broken)),
    ("SUSPICION", offset_of!(Packed, suspicion)),
    ("NUGGETS", offset_of!(Packed, nuggets)),
    ("SABOTEURS", offset_of!(Packed, saboteurs)),
    ("GOAL_FACES", offset_of!(Packed, goals)),
    ("FACE_UP", offset_of!(Packed, face_up)),
    ("TURNED", offset_of!(Packed, turned)),
    ("EXTENT", offset_of!(Packed, extent)),
    ("PLAYERS", offset_of!(Packed, players)),
    ("IS_DEALT", offset_of!(Packed, is_dealt)),
    ("MOVER", offset_of!(Packed, mover)),
    ("TURN", offset_of!(Packed, turn)),
    ("WINNER", offset_of!(Packed, winner)),
    ("ROUNDS_PLAYED", offset_of!(Packed, rounds)),
    ("GOLD", offset_of!(Packed, gold)),
];

const _: () = assert!(offset_of!(Packed, cards) == 0, "the cards are the words before the hands");
const _: () = assert!(offset_of!(Packed, hands) == 4 * PATH_CARDS, "the cards are the words before the hands");
const _: () = assert!(SEAT_WORDS == 3, "words of suspicion");
const _: () = assert!(CELL_ROW_BITS == 6, "rows are counted in groups of eight");
const _: () = assert!(TOOLS == 3 && GOALS == 3, "three bits a seat");
const _: () = assert!(GOAL_Y[2] - GOAL_Y[1] == GOAL_Y[1] - GOAL_Y[0], "the goals are equally far apart");
const _: () = assert!(MOST_PLACES < 32, "places are searched in five steps");
const _: () = assert!(PATH_KINDS == 16 && KINDS <= 2 * PATH_KINDS, "a byte for each kind in two vectors");
const _: () = {
    let far = NEARNESS.len() - 1;
    assert!(NEARNESS[far] == 1 && far < 16, "the nearness is a power of a number");
    let mut steps = 0;
    while steps < far {
        assert!(NEARNESS[far - steps - 1] == NEARNESS[far - steps] * NEARNESS[far - 1]);
        steps += 1;
    }
    let (mut role, mut kind) = (0, 0);
    while role < DISCARD.len() {
        assert!(DISCARD[role][kind] == DISCARD[role][kind] as i8 as i32, "points of a discard are a byte");
        kind += 1;
        if kind == KINDS {
            (role, kind) = (role + 1, 0);
        }
    }
};
const _: () = assert!(PATH_CARDS < 64 && ACTION_CARDS <= 32 && 12 * 4 < 64);
