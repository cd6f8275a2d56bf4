//! The strategies of Catan: what they choose is legal, drawn from the right list, and as strong as promised.

#[path = "common/catan.rs"]
mod catan;

use std::collections::HashMap;

use catan::{random_map, rng};
use fairground::games::catan::tables::{EDGE_NODES, EDGES, HEX_NODES, HEXES, NODES, SEATS, WINNING_POINTS};
use fairground::games::catan::{
    Action, Card, Cards, Chance, IllegalAction, Phase, Policy, Position, Resource, Roads, Strategy, policy, wall,
};
use fairground_kernels::Ending;
use fairground_kernels::rng::Draws as _;

const fn seats(seats: [Strategy; SEATS]) -> Policy {
    Policy { seats, ..Policy::all(Strategy::Random) }
}

/// All positions of a playout, the last one included.
fn positions(start: &Position, policy: Policy, case: u64) -> Vec<Position> {
    let mut all = Vec::new();
    policy::play_watched(&mut start.clone(), policy, &mut rng(1, case), |position| all.push(*position));
    all
}

fn chances(position: &Position, action: Action) -> Vec<Chance> {
    match action {
        Action::Roll => (1..=6).flat_map(|a| (1..=6).map(move |b| Chance::Dice([a, b]))).collect(),
        Action::BuyCard => {
            let there = Card::ALL.into_iter().filter(|card| position.deck.count(card.index()) > 0);
            there.map(Chance::Drawn).collect()
        }
        Action::MoveRobber { victim: Some(victim), .. } => {
            let hand = position.players[usize::from(victim)].hand;
            let there = Resource::ALL.into_iter().filter(|card| hand.count(card.index()) > 0);
            there.map(Chance::Stolen).collect()
        }
        _ => vec![Chance::None],
    }
}

/// The legal action that leads from one position to the next.
fn explain(before: &Position, after: &Position) -> Option<Action> {
    let leads_there = |action: &Action| {
        chances(before, *action).into_iter().any(|chance| {
            let mut next = *before;
            next.try_act(*action, chance) == Ok(()) && next == *after
        })
    };
    before.legal_actions().into_iter().find(leads_there)
}

/// Whether the next seat that owes cards gave them back, and nothing else happened.
fn is_discard(before: &Position, after: &Position) -> bool {
    let seat = usize::from(before.decider());
    let (held, kept) = (before.players[seat].hand, after.players[seat].hand);
    let mut next = *before;
    for card in Resource::ALL {
        for _ in kept.count(card.index())..held.count(card.index()) {
            assert_eq!(next.try_act(Action::Discard { seat: seat as u8, card }, Chance::None), Ok(()));
        }
    }
    before.owed[seat] > 0 && next == *after
}

#[test]
fn every_action_of_every_strategy_is_legal() {
    use Strategy::{Heuristic, Random, RandomS};
    let mut unusual = 0;
    for (case, policy) in
        [[Heuristic; 4], [RandomS; 4], [Heuristic, RandomS, Random, Heuristic]].into_iter().enumerate()
    {
        for game in 0..12 {
            let case = case as u64 * 100 + game;
            let start = Position::start(&random_map(&mut rng(2, case)));
            for pair in positions(&start, seats(policy), case).windows(2) {
                let [before, after] = pair else { unreachable!() };
                let at = format!("case {case}, turn {}: {:?}", before.turn, before.phase);
                let strategy = policy[usize::from(before.mover)];
                let is_legal = match before.phase {
                    Phase::Discard => is_discard(before, after),
                    _ => explain(before, after).is_some(),
                };
                if !is_legal {
                    // The robber of random-s comes to somebody without cards, or stays.
                    assert_eq!((strategy, before.phase), (RandomS, Phase::Robber), "{at}");
                    let mut moved = *before;
                    (moved.robber, moved.phase) = (after.robber, Phase::Turn);
                    assert_eq!(moved, *after, "{at}");
                    let to = Action::MoveRobber { hex: after.robber, victim: None };
                    let expected = [IllegalAction::BadVictim, IllegalAction::RobberStays];
                    assert!(before.check(to).is_err_and(|why| expected.contains(&why)), "{at}");
                    unusual += 1;
                }
            }
        }
    }
    assert!(unusual > 0);
}

/// A position somewhere in a random game, in the mover's turn, with a good hand and all kinds of cards.
fn rich(case: u64) -> Position {
    let mut all = positions(&Position::start(&random_map(&mut rng(3, case))), Policy::all(Strategy::Random), case);
    all.retain(|position| position.phase == Phase::Turn && position.points(position.mover) < WINNING_POINTS - 1);
    let mut position = all[rng(4, case).below(all.len() as u32) as usize];
    position.rolled = !case.is_multiple_of(4);
    let own = &mut position.players[usize::from(position.mover)];
    own.hand = Cards::new(std::array::from_fn(|kind| (case >> kind & 1) as u8 * 4));
    own.cards = Cards::new([1; 5]);
    position.fresh = Cards::NONE;
    position.card_played = case.is_multiple_of(5);
    position
}

type Listed = (Action, Option<u8>);

/// Where the robber can go, entry by entry: hex and owner of the building.
fn plain_entries(position: &Position) -> Vec<(u8, u8)> {
    let hexes = (0..HEXES as u8).filter(|&hex| hex != position.robber);
    let corners = hexes.flat_map(|hex| HEX_NODES[usize::from(hex)].map(|node| (hex, node)));
    let owner =
        |node| position.opponents().into_iter().find(|&seat| position.players[usize::from(seat)].has_building(node));
    corners.filter_map(|(hex, node)| Some((hex, owner(node)?))).collect()
}

/// How often each action is listed: knights by the hex they send the robber to.
fn plain_list(position: &Position) -> HashMap<Listed, u32> {
    let mut list = HashMap::new();
    for action in position.legal_actions() {
        let times = match action {
            _ if !position.rolled && action != Action::Roll => 0,
            Action::Knight => 0,
            Action::RoadBuilding => u32::from(position.own().pieces_left()[0] >= 2),
            Action::Road(edge) => {
                let is_start = |node: &&u8| {
                    let own_road = (0..EDGES as u8)
                        .any(|other| position.own().has_road(other) && EDGE_NODES[usize::from(other)].contains(*node));
                    let is_foreign =
                        position.opponents().iter().any(|&s| position.players[usize::from(s)].has_building(**node));
                    position.own().has_building(**node) || own_road && !is_foreign
                };
                EDGE_NODES[usize::from(edge)].iter().filter(is_start).count() as u32
            }
            _ => 1,
        };
        if times > 0 {
            // Monopolies on what nobody has are one and the same to a spectator.
            let seen_as = if let Action::Monopoly(_) = action {
                let mut next = *position;
                next.act(action, Chance::None);
                explain(position, &next).expect("a legal action")
            } else {
                action
            };
            *list.entry((seen_as, None)).or_default() += times;
        }
    }
    if position.check(Action::Knight).is_ok() {
        for (hex, _) in plain_entries(position) {
            *list.entry((Action::Knight, Some(hex))).or_default() += 1;
        }
    }
    list
}

/// Holds counts against a list with multiplicities. With 60 draws an entry, one of the ten thousand deviations here
/// passes seven standard deviations with a probability below 10^-5.
fn assert_uniform<K: std::hash::Hash + Eq + std::fmt::Debug>(at: &str, list: &HashMap<K, u32>, seen: &HashMap<K, u32>) {
    let (entries, draws): (u32, u32) = (list.values().sum(), seen.values().sum());
    for (key, count) in seen {
        assert!(list.contains_key(key), "{at}: {key:?} came {count} times and is not listed");
    }
    for (key, times) in list {
        let expected = f64::from(draws) * f64::from(*times) / f64::from(entries);
        let count = f64::from(seen.get(key).copied().unwrap_or(0));
        assert!((count - expected).abs() < 7.0 * expected.sqrt() + 1.0, "{at}: {key:?} {count}, expected {expected}");
    }
}

#[test]
fn random_s_is_uniform_over_its_list() {
    let (mut doubles, mut knights) = (0, 0);
    for case in 0..200 {
        let start = rich(case);
        let list = plain_list(&start);
        let mut seen = HashMap::new();
        for draw in 0..60 * list.values().sum::<u32>() {
            let mut all: Vec<Position> = Vec::new();
            // The second position, and after a knight the third.
            let policy = Policy { turn_cap: 1, ..Policy::all(Strategy::RandomS) };
            policy::play_watched(&mut start.clone(), policy, &mut rng(5 + case, draw.into()), |position| {
                if all.len() < 3 {
                    all.push(*position);
                }
            });
            let action = explain(&start, &all[1]).expect("a legal action");
            let hex = (action == Action::Knight).then(|| all.get(2).map_or(start.robber, |after| after.robber));
            *seen.entry((action, hex)).or_default() += 1;
        }
        assert_uniform(&format!("case {case}"), &list, &seen);
        doubles += list.iter().filter(|((action, _), times)| matches!(action, Action::Road(_)) && **times == 2).count();
        knights += list.keys().filter(|(action, _)| *action == Action::Knight).count();
    }
    assert!(doubles > 5 && knights > 200, "{doubles} doubles, {knights} knights");
}

#[test]
fn the_robber_of_random_s_is_uniform_over_hexes_and_buildings() {
    for case in 0..40 {
        let mut start = rich(case);
        start.phase = Phase::Robber;
        // Some have no cards, and one of the boards has no entry.
        start.players[case as usize % SEATS].hand = Cards::NONE;
        if case == 7 {
            let own = usize::from(start.mover);
            (0..SEATS).filter(|&seat| seat != own).for_each(|seat| start.players[seat].buildings = 0);
            start.refresh();
        }
        let entries = plain_entries(&start);
        let mut list = HashMap::new();
        entries.iter().for_each(|&(hex, victim)| {
            let victim = (!start.players[usize::from(victim)].hand.is_empty()).then_some(victim);
            *list.entry((hex, victim)).or_default() += 1;
        });
        if entries.is_empty() {
            list.insert((start.robber, None), 1);
        }
        let mut seen = HashMap::new();
        for draw in 0..60 * entries.len().max(1) {
            let mut all: Vec<Position> = Vec::new();
            let policy = Policy { turn_cap: 1, ..Policy::all(Strategy::RandomS) };
            policy::play_watched(&mut start.clone(), policy, &mut rng(200 + case, draw as u64), |p| all.push(*p));
            let lost = |seat: &u8| all[1].players[usize::from(*seat)].hand != start.players[usize::from(*seat)].hand;
            let victim = start.opponents().into_iter().find(lost);
            *seen.entry((all[1].robber, victim)).or_default() += 1;
        }
        assert_uniform(&format!("case {case}"), &list, &seen);
    }
}

/// Wins by seat, mean turns and truncated playouts.
fn tournament(policy: Policy, seed: u64, games: u64) -> ([u64; SEATS], f64, u64) {
    let (mut wins, mut turns, mut truncated) = ([0; SEATS], 0, 0);
    for case in 0..games {
        let mut position = Position::start(&random_map(&mut rng(seed, case / 20)));
        let outcome = policy::play(&mut position, policy, &mut rng(seed + 1, case));
        match outcome.ending {
            Ending::Win(seat) => wins[usize::from(seat)] += 1,
            Ending::Draw => panic!("a draw"),
            Ending::Truncated => truncated += 1,
        }
        turns += u64::from(outcome.phases);
    }
    (wins, turns as f64 / games as f64, truncated)
}

#[test]
fn the_heuristic_beats_three_random_players_from_every_seat() {
    for other in [Strategy::Random, Strategy::RandomS] {
        for seat in 0..SEATS {
            let mut policy = Policy::all(other);
            policy.seats[seat] = Strategy::Heuristic;
            let (wins, turns, truncated) = tournament(policy, 10, 2000);
            assert!(wins[seat] > 1980 && truncated == 0, "seat {seat}: {wins:?}, {turns} turns");
        }
    }
}

#[test]
fn four_heuristic_players_finish_soon() {
    let (wins, turns, truncated) = tournament(Policy::all(Strategy::Heuristic), 20, 2000);
    assert!(turns < 90.0 && truncated == 0 && wins.iter().all(|&wins| wins > 300), "{wins:?}, {turns} turns");
}

#[test]
fn games_of_random_s_end() {
    let (wins, turns, truncated) = tournament(Policy::all(Strategy::RandomS), 30, 2000);
    assert!(turns < 400.0 && truncated < 10 && wins.iter().all(|&wins| wins > 400), "{wins:?}, {turns} turns");
}

#[test]
fn the_heuristic_does_not_see_hidden_cards() {
    for case in 0..200 {
        let all = positions(&Position::start(&random_map(&mut rng(40, case))), Policy::all(Strategy::Heuristic), case);
        let position = all[rng(41, case).below(all.len() as u32 - 1) as usize];
        if position.phase == Phase::Discard {
            continue;
        }
        // Two opponents swap cards with each other, and one of them an unplayed card with the deck.
        let mut other = position;
        let [a, b, _] = position.opponents().map(usize::from);
        for kind in 0..5 {
            for twin in 0..5 {
                let can = other.players[a].hand.count(kind) > 0 && other.players[b].hand.count(twin) > 0;
                if kind != twin && can {
                    let (one, two) = (Cards::one(kind), Cards::one(twin));
                    other.players[a].hand = other.players[a].hand - one + two;
                    other.players[b].hand = other.players[b].hand - two + one;
                }
            }
        }
        let swap = (0..5).flat_map(|kind| (0..5).map(move |twin| (kind, twin)));
        let mut swap = swap.filter(|&(kind, twin)| kind != twin);
        if let Some((kind, twin)) =
            swap.find(|&(kind, twin)| position.players[a].cards.count(kind) > 0 && position.deck.count(twin) > 0)
        {
            let (one, two) = (Cards::one(kind), Cards::one(twin));
            other.players[a].cards = other.players[a].cards - one + two;
            other.deck = other.deck - two + one;
        }
        let next = |start: &Position| {
            let mut all = Vec::new();
            let policy = Policy { turn_cap: 1, ..Policy::all(Strategy::Heuristic) };
            policy::play_watched(&mut start.clone(), policy, &mut rng(42, case), |p| all.push(*p));
            all.get(1).map(|after| explain(start, after))
        };
        assert_eq!(next(&position), next(&other), "case {case}");
    }
}

#[test]
fn nothing_makes_a_strategy_panic() {
    for case in 0..3000 {
        let rng = &mut rng(50, case);
        let mut position = Position::start(&random_map(rng));
        let mut word = || u64::from(rng.below(u32::MAX)) << 32 | u64::from(rng.below(u32::MAX));
        for player in &mut position.players {
            player.buildings = word() & word() & word() & wall::ALL_NODES;
            player.cities = player.buildings & word();
            player.roads = Roads { h: word() & word(), v: word() & word() } & wall::ALL_EDGES;
            player.hand = Cards(word() & 0x07_0707_0707);
            player.cards = Cards(word() & 0x01_0101_0101);
        }
        position.bank = Cards(word() & 0x0f_0f0f_0f0f);
        position.phase =
            [Phase::SetUpSettlement, Phase::SetUpRoad, Phase::Turn, Phase::Discard, Phase::Robber, Phase::FreeRoads]
                [case as usize % 6];
        position.new_settlement = wall::node_bit((word() % NODES as u64) as u8);
        position.free_roads = (case % 3) as u8;
        position.rolled = case % 2 == 0;
        position.owed = [0, 1, 2, 3].map(|seat| (word() % 4) as u8 * seat % 3);
        position.mover = (word() % 4) as u8;
        position.refresh();
        for strategy in Strategy::ALL {
            let policy = Policy { turn_cap: 40, ..Policy::all(strategy) };
            policy::play(&mut position.clone(), policy, &mut catan::rng(51, case));
        }
    }
}
