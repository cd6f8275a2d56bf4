//! Positions of Catan of every sort, and the comparison of backends on them.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use fairground::batch::{Ending, Item, Outcome, Queue, Tally};
use fairground::games::catan::tables::{EDGES, HEXES, NODES, RESOURCES, SEATS};
use fairground::games::catan::{
    Action, Cards, Offer, Phase, Policy, Position, Roads, Strategy, TURN_CAP, longest_road, policy, wall,
};
use fairground_kernels::catan::Packed;
use fairground_kernels::rng::{Draws, Rng, position_base};

use crate::catan::{random_map, rng};

/// Every strategy by itself, and mixes.
pub const POLICIES: [Policy; 5] = {
    use Strategy::{Heuristic, Random, RandomS};
    [
        Policy::all(Random),
        Policy::all(RandomS),
        Policy::all(Heuristic),
        Policy { seats: [Heuristic, Random, RandomS, Random], turn_cap: TURN_CAP },
        Policy { seats: [RandomS, Heuristic, Heuristic, Random], turn_cap: TURN_CAP },
    ]
};

pub const fn capped(turn_cap: u32) -> Policy {
    Policy { turn_cap, ..Policy::all(Strategy::Random) }
}

/// Lets a backend play every position and compares all words with the rules engine's, which it returns.
pub fn compare(
    policy: Policy,
    positions: &[Position],
    playouts: u32,
    seed: u64,
    play: impl FnOnce(&mut Queue<'_, Packed>),
) -> Vec<(Outcome, Packed)> {
    // Large keys and first indices, so that both words of each count.
    let items: Vec<_> = (0u64..)
        .zip(positions)
        .map(|(key, position)| Item {
            start: position.pack(),
            base: position_base(seed, key << 40),
            first: (key << 31) + 5,
            playouts,
        })
        .collect();
    let mut tallies = vec![Tally::default(); items.len()];
    let mut found = vec![None; items.len() * playouts as usize];
    play(&mut Queue::new(&items, &mut tallies, &mut found));

    let mut expected = vec![None; found.len()];
    let mut queue = Queue::new(&items, &mut tallies, &mut expected);
    while let Some((ticket, start, state)) = queue.take_one() {
        let mut position = Position::unpack(start);
        let outcome = policy::play(&mut position, policy, &mut Rng::new(state));
        queue.finish(ticket, outcome, || position.pack());
    }
    for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
        let start = || &positions[number / playouts as usize];
        assert!(found.is_some(), "playout {number} was not played");
        assert_eq!(expected.map(|(outcome, _)| outcome), found.map(|(outcome, _)| outcome), "{number}: {:#?}", start());
        assert_eq!(expected, found, "playout {number}, from {:#?}", start());
    }
    expected.into_iter().flatten().collect()
}

/// A map; now and then with the same few numbers all over, on the desert too.
pub fn any_map(rng: &mut Rng) -> Position {
    let mut map = random_map(rng);
    if rng.below(6) == 0 {
        let kinds = 1 + rng.below(3);
        map.tokens = std::array::from_fn(|_| 5 + rng.below(kinds) as u8);
    }
    Position::start(&map)
}

fn offer(position: &Position, rng: &mut Rng) -> Option<Action> {
    let to = (position.mover + 1 + rng.below(3) as u8) % SEATS as u8;
    let [gives, wants] = [(); 2].map(|()| Cards::one(rng.below(RESOURCES as u32) as usize));
    Some(Action::Offer(Offer { to, gives, wants })).filter(|&action| position.check(action).is_ok())
}

/// Plays random actions: at least some, and then on until `is_wanted` or the end. Offers are made now and then.
fn walk(rng: &mut Rng, least: u32, is_wanted: impl Fn(&Position) -> bool) -> Position {
    let mut position = any_map(rng);
    for step in 0..20_000 {
        if position.winner().is_some() || step >= least && is_wanted(&position) {
            break;
        }
        let actions = position.legal_actions();
        let action = if rng.below(4) == 0 { offer(&position, rng) } else { None };
        let action = action.unwrap_or_else(|| actions[rng.below(actions.len() as u32) as usize]);
        let chance = position.sample(action, rng);
        position.act(action, chance);
    }
    position
}

/// Positions of all phases, with a short bank and without a deck now and then.
pub fn moments(count: u64, seed: u64) -> Vec<Position> {
    (0..count)
        .map(|case| {
            let rng = &mut rng(seed, case);
            let wanted = case as usize % 10;
            let mut position = match Phase::ALL.get(wanted) {
                Some(&phase) => {
                    let is_set_up = matches!(phase, Phase::SetUpSettlement | Phase::SetUpRoad);
                    let least = rng.below(if is_set_up { 15 } else { 900 });
                    walk(rng, least, |position| position.phase == phase)
                }
                None if wanted == 7 => walk(rng, 0, |_| false),
                None => {
                    let least = rng.below(900);
                    walk(rng, least, |_| true)
                }
            };
            // The bank of the set-up pays without a look.
            if position.placed == 8 && rng.below(5) == 0 {
                position.bank = Cards::new(std::array::from_fn(|_| rng.below(4) as u8));
            }
            if rng.below(8) == 0 {
                position.deck = Cards::NONE;
            }
            position
        })
        .collect()
}

/// Whether some roads form a cycle: they remain when dead ends are taken away again and again.
fn has_cycle(mut roads: Roads) -> bool {
    loop {
        let Roads { h, v } = roads;
        let ends = [h, h << 1, v, v << wall::STRIDE];
        let (once, twice) = ends.iter().fold((0, 0), |(once, twice), end| (once | end, twice | once & end));
        let rest = roads - Roads::at(once & !twice);
        if rest == roads {
            return !roads.is_empty();
        }
        roads = rest;
    }
}

/// What has to occur among positions for a comparison to mean much.
#[derive(Debug, Default)]
pub struct Seen {
    pub phases: [u32; Phase::ALL.len()],
    pub won: u32,
    pub deck_empty: u32,
    pub bank_short: u32,
    pub cycles: u32,
    pub cut_roads: u32,
    pub offers: u32,
}

impl Seen {
    pub fn of<'a>(positions: impl IntoIterator<Item = &'a Position>) -> Self {
        let mut seen = Self::default();
        for position in positions {
            seen.phases[position.phase as usize] += 1;
            seen.won += u32::from(position.winner().is_some());
            seen.deck_empty += u32::from(position.deck.is_empty());
            seen.bank_short += u32::from(position.bank.counts().contains(&0));
            seen.cycles += u32::from(position.players.iter().any(|player| has_cycle(player.roads)));
            seen.offers += u32::from(position.offer.is_some());
            // Two roads of one player meet at the building of another.
            let is_cut = |seat: usize| {
                let own = &position.players[seat];
                let foreign = position.occupied() & !own.buildings;
                wall::nodes(foreign).any(|node| {
                    let around = Roads::at(wall::node_bit(node));
                    (own.roads & around).len() >= 2
                })
            };
            seen.cut_roads += u32::from((0..SEATS).any(is_cut));
        }
        seen
    }
}

/// Roads all over the board, in few networks, so that there are cycles; buildings among them; and hands that pay
/// for more of both.
pub fn road_builders(case: u64) -> Position {
    let rng = &mut rng(4, case);
    let mut position = any_map(rng);
    for _ in 0..rng.below(16) {
        let node = wall::node_bit(rng.below(NODES as u32) as u8);
        let seat = rng.below(SEATS as u32) as usize;
        if position.free_nodes() & node != 0 && position.players[seat].buildings.count_ones() < 5 {
            position.players[seat].buildings |= node;
        }
    }
    for seat in 0..SEATS {
        for _ in 0..rng.below(15) {
            let taken = position.taken();
            let roads = &mut position.players[seat].roads;
            let near: Vec<_> = (Roads::at(roads.touched()) - taken).edges().collect();
            let anywhere = near.is_empty() || rng.below(12) == 0;
            // A road that closes a cycle is welcome.
            let closes = |&edge: &u8| (Roads::of(edge).touched() & !roads.touched()) == 0;
            let edge = match near.iter().copied().find(closes) {
                Some(edge) if rng.below(2) == 0 => edge,
                _ if anywhere => rng.below(EDGES as u32) as u8,
                _ => near[rng.below(near.len() as u32) as usize],
            };
            if (taken & Roads::of(edge)).is_empty() {
                *roads |= Roads::of(edge);
            }
        }
        position.players[seat].hand = Cards::new([4, 4, 2, 2, 0]);
        position.bank -= position.players[seat].hand;
    }
    position.refresh();
    position.longest_road = longest_road::holder(position.players.map(|player| player.road_length()), None);
    position.mover = rng.below(SEATS as u32) as u8;
    position.placed = 8;
    position.robber = rng.below(HEXES as u32) as u8;
    (position.phase, position.rolled) = (Phase::Turn, true);
    if rng.below(2) == 0 && position.own().pieces_left()[0] > 0 && !position.legal_roads().is_empty() {
        (position.phase, position.free_roads) = (Phase::FreeRoads, 2);
    }
    position
}

/// Compares playouts with several turn caps, which cut off most of them.
pub fn compare_cut_off(seed: u64, compare: impl Fn(Policy, &[Position], u32, u64) -> Vec<(Outcome, Packed)>) {
    let positions = moments(300, seed);
    for turn_cap in [0, 1, 50] {
        let records = compare(capped(turn_cap), &positions, 3, u64::from(turn_cap));
        let truncated = |(outcome, _): &&(Outcome, Packed)| outcome.ending == Ending::Truncated;
        assert!(records.iter().filter(truncated).count() > 300, "{turn_cap}");
        assert!(records.iter().filter(truncated).all(|(outcome, _)| outcome.phases == turn_cap));
    }
}
