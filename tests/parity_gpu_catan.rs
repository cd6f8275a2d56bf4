//! The compute shader plays what the rules engine plays: outcome, number of draws and every word of the final
//! position of every single playout.

#[path = "common/catan.rs"]
mod catan;
mod common;

use std::sync::LazyLock;

use catan::{random_map, rng};
use fairground::batch::gpu::Gpu;
use fairground::batch::{BackendChoice, Batch, Ending, Evaluator, Item, Options, Outcome, Queue, Tally};
use fairground::games::catan::tables::{EDGES, HEXES, NODES, RESOURCES, SEATS};
use fairground::games::catan::{
    Action, Cards, Catan, Offer, Phase, Policy, Position, Roads, Strategy, TURN_CAP, longest_road, policy, wall,
};
use fairground_kernels::catan::Packed;
use fairground_kernels::rng::{Draws, Rng, position_base};

/// One device for all tests, so that every shader is compiled once.
static GPU: LazyLock<Gpu> = LazyLock::new(|| {
    Gpu::open().unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
});

const fn capped(turn_cap: u32) -> Policy {
    Policy { turn_cap, ..Policy::all(Strategy::Random) }
}

/// Plays every position on the GPU and on the rules engine and compares all words; returns the rules engine's.
fn compare(policy: Policy, positions: &[Position], playouts: u32, seed: u64) -> Vec<(Outcome, Packed)> {
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
    GPU.run::<Catan>(policy, &mut Queue::new(&items, &mut tallies, &mut found)).expect("the GPU works");

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
fn any_map(rng: &mut Rng) -> Position {
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
fn moments(count: u64, seed: u64) -> Vec<Position> {
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
struct Seen {
    phases: [u32; Phase::ALL.len()],
    won: u32,
    deck_empty: u32,
    bank_short: u32,
    cycles: u32,
    cut_roads: u32,
    offers: u32,
}

impl Seen {
    fn of<'a>(positions: impl IntoIterator<Item = &'a Position>) -> Self {
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

#[test]
fn games_from_the_start_are_identical() {
    if common::without_gpu() {
        return;
    }
    let starts: Vec<_> = (0..300).map(|case| any_map(&mut rng(1, case))).collect();
    let records = compare(capped(TURN_CAP), &starts, 10, 2024);
    let last: Vec<_> = records.iter().map(|(_, last)| Position::unpack(last)).collect();
    for seat in 0..SEATS as u8 {
        let wins = records.iter().filter(|(outcome, _)| outcome.ending == Ending::Win(seat)).count();
        assert!(wins > 500, "seat {seat} wins {wins} times");
    }
    let seen = Seen::of(&last);
    assert!(seen.cycles > 1000 && seen.cut_roads > 500 && seen.deck_empty > 500, "{seen:?}");
}

#[test]
fn games_from_every_phase_are_identical() {
    if common::without_gpu() {
        return;
    }
    let positions = moments(1500, 2);
    let seen = Seen::of(&positions);
    assert!(seen.phases.iter().all(|&count| count > 50), "{seen:?}");
    assert!(seen.won > 100 && seen.deck_empty > 100 && seen.bank_short > 100 && seen.offers > 50, "{seen:?}");
    assert!(seen.cycles > 200 && seen.cut_roads > 50, "{seen:?}");
    let records = compare(capped(TURN_CAP), &positions, 2, 7);
    for ((outcome, last), start) in records.chunks(2).map(|pair| pair[0]).zip(&positions) {
        if let Some(seat) = start.winner() {
            assert_eq!(outcome, Outcome { ending: Ending::Win(seat), phases: 0, actions: 0, draws: 0 });
            assert_eq!(last, start.pack(), "nothing is played after the end");
        }
    }
}

#[test]
fn playouts_are_cut_off_at_the_same_turn() {
    if common::without_gpu() {
        return;
    }
    let positions = moments(300, 3);
    for turn_cap in [0, 1, 50] {
        let records = compare(capped(turn_cap), &positions, 3, u64::from(turn_cap));
        let truncated = |(outcome, _): &&(Outcome, Packed)| outcome.ending == Ending::Truncated;
        assert!(records.iter().filter(truncated).count() > 300, "{turn_cap}");
        assert!(records.iter().filter(truncated).all(|(outcome, _)| outcome.phases == turn_cap));
    }
}

/// Roads all over the board, in few networks, so that there are cycles; buildings among them; and hands that pay
/// for more of both.
fn road_builders(case: u64) -> Position {
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

#[test]
fn longest_roads_are_identical_in_any_network() {
    if common::without_gpu() {
        return;
    }
    let positions: Vec<_> = (0..4000).map(road_builders).collect();
    let records = compare(capped(50), &positions, 2, 11);
    let last: Vec<_> = records.iter().map(|(_, last)| Position::unpack(last)).collect();
    let seen = Seen::of(&last);
    assert!(seen.cycles > 2000 && seen.cut_roads > 2000, "{seen:?}");
    let lengths = |position: &Position| position.players.map(|player| player.road_length());
    let starts = positions.iter().flat_map(|position| [position; 2]);
    let (mut longer, mut shorter, mut holders) = (0, 0, 0);
    for (last, start) in last.iter().zip(starts) {
        let pairs = || lengths(last).into_iter().zip(lengths(start));
        longer += u32::from(pairs().any(|(last, start)| last > start));
        shorter += u32::from(pairs().any(|(last, start)| last < start));
        holders += u32::from(last.longest_road != start.longest_road);
    }
    assert!(longer > 2000 && shorter > 100 && holders > 500, "{longer} longer, {shorter} shorter, {holders} holders");
}

fn evaluator(backend: BackendChoice, chunk: u64) -> Evaluator {
    Evaluator::new(&Options { backend, chunk, ..Options::default() })
        .unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)"))
}

#[test]
fn tallies_do_not_depend_on_backend_or_chunk() {
    if common::without_gpu() {
        return;
    }
    let positions = moments(40, 5);
    let batch = |positions: &[Position]| {
        let mut batch = Batch::<Catan>::new(capped(50), 5);
        positions.iter().for_each(|position| batch.push(position, 7));
        batch
    };
    let expected = evaluator(BackendChoice::Scalar, 0).evaluate(&batch(&positions)).expect("no failure");
    for chunk in [0, 100, 1] {
        // Chunks of a single playout are slow: a few are enough.
        let batch = batch(if chunk == 1 { &positions[..2] } else { &positions });
        let found = evaluator(BackendChoice::Gpu, chunk).evaluate(&batch).expect("the GPU works");
        assert_eq!(found.tallies, expected.tallies[..batch.len()], "chunks of {chunk}");
        assert!(found.occupancy.busy <= found.occupancy.total);
    }
}

#[test]
fn nothing_to_play_is_no_error() {
    if common::without_gpu() {
        return;
    }
    let gpu = evaluator(BackendChoice::Gpu, 0);
    assert!(gpu.evaluate(&Batch::<Catan>::new(capped(50), 1)).expect("the GPU works").tallies.is_empty());
    let mut batch = Batch::<Catan>::new(capped(50), 1);
    batch.push(any_map(&mut rng(6, 0)), 0);
    assert_eq!(gpu.evaluate(&batch).expect("the GPU works").tallies[0].playouts, 0);
}
