//! The rules engine of Catan against plain rules on random games.

#[path = "common/catan.rs"]
mod catan;

use std::collections::HashSet;

use catan::{plain_holder, plain_road_length, plain_road_lengths, random_map, rng};
use fairground::games::catan::tables::{BANK, DECK, EDGES, HEXES, NODES, PIECES, RESOURCES, SEATS, WINNING_POINTS};
use fairground::games::catan::{
    Action, Card, Cards, Chance, IllegalAction, Offer, Phase, Policy, Position, Resource, Roads, Strategy, TURN_CAP,
    longest_road, policy, wall,
};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws, Rng};

/// Plays random games action by action and shows every position with the next action.
fn walk(seed: u64, games: u64, mut visit: impl FnMut(&str, &Position, Action, Chance)) {
    for case in 0..games {
        let rng = &mut rng(seed, case);
        let mut position = Position::start(&random_map(rng));
        for step in 0..20_000 {
            let at = format!("game {case} of seed {seed}, step {step}");
            let legal = position.legal_actions();
            if position.winner().is_some() {
                assert!(legal.is_empty(), "{at}: actions after the end");
                break;
            }
            assert!(!legal.is_empty(), "{at}: stuck");
            let action = legal[rng.below(legal.len() as u32) as usize];
            let chance = position.sample(action, rng);
            visit(&at, &position, action, chance);
            assert_eq!(position.try_act(action, chance), Ok(()), "{at}: {action:?}");
        }
    }
}

/// Every action there is, legal or not, except offers.
fn all_actions() -> Vec<Action> {
    let mut all = vec![Action::Roll, Action::EndTurn, Action::BuyCard, Action::Knight, Action::RoadBuilding];
    all.extend([false, true].map(Action::Answer));
    all.extend((0..NODES as u8 + 2).flat_map(|node| [Action::Settlement(node), Action::City(node)]));
    all.extend((0..EDGES as u8 + 2).map(Action::Road));
    for a in Resource::ALL {
        all.push(Action::Monopoly(a));
        all.extend((0..SEATS as u8 + 1).map(|seat| Action::Discard { seat, card: a }));
        for b in Resource::ALL {
            all.extend([Action::YearOfPlenty(a, b), Action::BankTrade { give: a, get: b }]);
        }
    }
    for hex in 0..HEXES as u8 + 1 {
        let victims = (0..SEATS as u8 + 1).map(Some).chain([None]);
        all.extend(victims.map(|victim| Action::MoveRobber { hex, victim }));
    }
    all
}

#[test]
fn check_accepts_exactly_the_legal_actions() {
    let all = all_actions();
    walk(1, 12, |at, position, _, _| {
        let legal = position.legal_actions();
        let set: HashSet<_> = legal.iter().copied().collect();
        assert_eq!(set.len(), legal.len(), "{at}: an action is listed twice");
        let accepted: HashSet<_> = all.iter().copied().filter(|&action| position.check(action).is_ok()).collect();
        assert_eq!(accepted, set, "{at}");
    });
}

#[test]
fn cards_and_pieces_are_conserved() {
    walk(2, 60, |at, position, _, _| {
        let cards = position.players.iter().fold(position.bank, |sum, player| sum + player.hand);
        assert_eq!(cards.counts(), [BANK; RESOURCES], "{at}");
        let deck = position.players.iter().fold(position.deck, |sum, player| sum + player.cards + player.played);
        assert_eq!(deck.counts(), DECK, "{at}");
        for player in &position.players {
            let built = [player.roads.len(), player.settlements().count_ones(), player.cities.count_ones()];
            let sum: [u32; 3] = std::array::from_fn(|piece| built[piece] + u32::from(player.pieces_left()[piece]));
            assert_eq!(sum, PIECES.map(u32::from), "{at}");
            assert_eq!(player.cities & !player.buildings, 0, "{at}");
        }
        assert_eq!(position.occupied() & wall::neighbours(position.occupied()), 0, "{at}: two buildings too close");
        assert!(cards.covers(position.own().hand) && position.own().cards.covers(position.fresh), "{at}");
    });
}

#[test]
fn values_kept_up_to_date_equal_those_computed_afresh() {
    let (mut holders, mut cuts) = (0, 0);
    walk(3, 60, |at, position, action, chance| {
        let mut next = *position;
        next.act(action, chance);
        let mut fresh = next;
        fresh.refresh();
        assert_eq!(fresh, next, "{at}: {action:?}");
        assert_eq!(fresh.key(), next.key());
        assert_ne!(position.key(), next.key(), "{at}: {action:?} changes nothing");
        if matches!(action, Action::Road(_) | Action::Settlement(_)) {
            let lengths = plain_road_lengths(&next);
            assert_eq!(next.players.map(|player| player.road_length()), lengths, "{at}: {action:?}");
            assert_eq!(next.longest_road, plain_holder(lengths, position.longest_road), "{at}: {action:?}");
            holders += u32::from(next.longest_road != position.longest_road);
            cuts += u32::from(
                matches!(action, Action::Settlement(_))
                    && next.players.iter().zip(position.players).any(|(a, b)| a.road_length() < b.road_length()),
            );
        } else {
            assert_eq!(next.longest_road, position.longest_road, "{at}: {action:?}");
        }
    });
    assert!(holders > 30 && cuts > 0, "too little happened: {holders} changes of the holder, {cuts} cuts");
}

#[test]
fn longest_roads_of_any_network_are_the_longest_trails() {
    for case in 0..3000 {
        let rng = &mut rng(4, case);
        // A connected network has more cycles than scattered roads.
        let (mut roads, mut length, mut listed) = (Roads::NONE, 0, Vec::new());
        let blocked_nodes: [bool; NODES] = std::array::from_fn(|_| rng.below(8) == 0);
        let blocked = (0..NODES as u8)
            .filter(|&node| blocked_nodes[usize::from(node)])
            .fold(0, |set, node| set | wall::node_bit(node));
        for _ in 0..1 + rng.below(15) {
            let near = Roads::at(roads.touched()) - roads;
            let near: Vec<_> = near.edges().collect();
            let anywhere = near.is_empty() || rng.below(10) == 0;
            let edge =
                if anywhere { rng.below(EDGES as u32) as u8 } else { near[rng.below(near.len() as u32) as usize] };
            if listed.contains(&edge) {
                continue;
            }
            listed.push(edge);
            roads |= Roads::of(edge);
            length = longest_road::length_with(roads, Roads::of(edge), blocked, length);
            assert_eq!(length, longest_road::length(roads, blocked), "case {case}: {listed:?}");
        }
        assert_eq!(length, plain_road_length(&listed, &blocked_nodes), "case {case}: {listed:?}");
    }
}

#[test]
fn only_the_player_whose_turn_it_is_wins() {
    walk(5, 100, |at, position, action, chance| {
        let mut next = *position;
        next.act(action, chance);
        assert_eq!(next.winner().is_some(), next.points(next.mover) >= WINNING_POINTS, "{at}");
        assert!(next.winner().is_none_or(|seat| seat == next.mover), "{at}");
    });
    // Ten points out of turn win when the turn comes, before the roll.
    let mut position = after_set_up(2);
    position.players[1].cards = Cards::of(Card::VictoryPoint.index(), 8);
    assert_eq!((position.points(1), position.winner()), (10, None));
    position.try_act(Action::Roll, Chance::Dice([1, 1])).expect("a roll");
    position.try_act(Action::EndTurn, Chance::None).expect("the end of the turn");
    assert_eq!(position.winner(), Some(1));
    assert_eq!(position.check(Action::Roll), Err(IllegalAction::GameOver));
    let outcome = policy::play(&mut position, Policy::all(Strategy::Random), &mut rng(12, 0));
    assert_eq!((outcome.ending, outcome.actions, outcome.draws), (Ending::Win(1), 0, 0));
}

/// Uniform random play by the readable list of actions: what the table of the policies says, in plain words.
fn plain_random(position: &mut Position, rng: &mut Rng) -> (Ending, u32, u32) {
    let (start, mut actions) = (position.turn, 0);
    loop {
        if let Some(seat) = position.winner() {
            return (Ending::Win(seat), position.turn - start, actions);
        }
        if position.turn - start == TURN_CAP {
            return (Ending::Truncated, position.turn - start, actions);
        }
        actions += 1;
        if position.phase == Phase::Discard {
            let seat = position.decider();
            for _ in 0..position.owed[usize::from(seat)] {
                let hand = position.players[usize::from(seat)].hand.counts();
                let cards: Vec<_> =
                    Resource::ALL.into_iter().flat_map(|card| vec![card; hand[card.index()].into()]).collect();
                let card = cards[rng.below(cards.len() as u32) as usize];
                position.try_act(Action::Discard { seat, card }, Chance::None).expect("a legal discard");
            }
            continue;
        }
        let legal = position.legal_actions();
        let is_drawn = legal.len() > 1 || position.phase == Phase::Robber;
        let action = legal[if is_drawn { rng.below(legal.len() as u32) as usize } else { 0 }];
        let chance = position.sample(action, rng);
        position.try_act(action, chance).expect("a legal action");
    }
}

#[test]
fn playouts_are_uniform_over_the_legal_actions() {
    for case in 0..200 {
        let mut start = Position::start(&random_map(&mut rng(6, case)));
        // Some from the middle of a game.
        for _ in 0..case % 7 * 60 {
            let legal = start.legal_actions();
            let Some(&action) = legal.get(case as usize % legal.len().max(1)) else { break };
            let chance = start.sample(action, &mut rng(7, u64::from(start.turn)));
            start.act(action, chance);
        }
        let (mut fast, mut plain) = (start, start);
        let (mut draws, mut plain_draws) = (rng(8, case), rng(8, case));
        let outcome = policy::play(&mut fast, Policy::all(Strategy::Random), &mut draws);
        let expected = plain_random(&mut plain, &mut plain_draws);
        assert_eq!((outcome.ending, outcome.phases, outcome.actions), expected, "case {case}");
        assert_eq!((outcome.draws, fast), (plain_draws.draws(), plain), "case {case}");
    }
}

#[test]
fn random_playouts_end() {
    let mut wins = [0; SEATS];
    for case in 0..2000 {
        let mut position = Position::start(&random_map(&mut rng(9, case)));
        let outcome = policy::play(&mut position, Policy::all(Strategy::Random), &mut rng(10, case));
        match outcome.ending {
            Ending::Win(seat) => wins[usize::from(seat)] += 1,
            Ending::Draw => panic!("case {case}: a draw"),
            Ending::Truncated => assert_eq!(outcome.phases, TURN_CAP, "case {case}"),
        }
    }
    assert!(wins.iter().all(|&wins| wins > 350), "{wins:?}");
}

/// A position after the set-up of a random game, the mover about to roll.
fn after_set_up(case: u64) -> Position {
    let rng = &mut rng(11, case);
    let mut position = Position::start(&random_map(rng));
    while position.phase != Phase::Turn {
        let legal = position.legal_actions();
        position.act(legal[rng.below(legal.len() as u32) as usize], Chance::None);
    }
    position
}

#[test]
fn a_short_bank_pays_one_player_the_rest_and_several_players_nothing() {
    let (mut single, mut several) = (0, 0);
    for case in 0..300 {
        let start = after_set_up(case);
        for (a, b) in (1..=6).flat_map(|a| (1..=6).map(move |b| (a, b))).filter(|(a, b)| a + b != 7) {
            let mut rich = start;
            // Cities all over, so that somebody is owed more than one card.
            for player in &mut rich.players {
                player.cities = player.buildings;
            }
            rich.refresh();
            let mut poor = rich;
            poor.bank = Cards::new([1; RESOURCES]);
            for position in [&mut rich, &mut poor] {
                position.try_act(Action::Roll, Chance::Dice([a, b])).expect("a roll");
            }
            for kind in 0..RESOURCES {
                let paid = |position: &Position| -> [u8; SEATS] {
                    std::array::from_fn(|seat| {
                        position.players[seat].hand.count(kind) - start.players[seat].hand.count(kind)
                    })
                };
                let (full, short) = (paid(&rich), paid(&poor));
                let owed = full.iter().filter(|&&paid| paid > 0).count();
                let expected = if owed == 1 { full.map(|paid| paid.min(1)) } else { [0; SEATS] };
                assert_eq!(short, expected, "case {case}, {a} and {b}: {full:?} of resource {kind}");
                single += u32::from(owed == 1);
                several += u32::from(owed > 1);
            }
        }
    }
    assert!(single > 100 && several > 100);
}

#[test]
fn a_card_is_not_played_on_the_turn_it_was_bought_nor_a_second_one() {
    let mut position = after_set_up(0);
    let rich = Cards::new([3; RESOURCES]);
    position.players[0].hand = rich;
    position.players[0].cards = Cards::one(Card::Monopoly.index());
    assert!(position.check(Action::Monopoly(Resource::Ore)).is_ok(), "before the roll");
    assert_eq!(position.check(Action::Knight), Err(IllegalAction::NoCard));
    position.try_act(Action::Roll, Chance::Dice([1, 1])).expect("a roll");
    position.try_act(Action::BuyCard, Chance::Drawn(Card::Knight)).expect("a card");
    assert_eq!(position.check(Action::Knight), Err(IllegalAction::NoCard), "bought this turn");
    position.try_act(Action::Monopoly(Resource::Ore), Chance::None).expect("an older card");
    let points = position.points(0);
    position.try_act(Action::BuyCard, Chance::Drawn(Card::VictoryPoint)).expect("a card");
    assert_eq!(position.points(0), points + 1, "a point counts at once");
    position.try_act(Action::EndTurn, Chance::None).expect("the end");
    for _ in 1..SEATS {
        position.try_act(Action::Roll, Chance::Dice([1, 1])).expect("a roll");
        position.try_act(Action::EndTurn, Chance::None).expect("the end");
    }
    position.try_act(Action::Knight, Chance::None).expect("an older card");
    assert_eq!(position.phase, Phase::Robber);
}

#[test]
fn players_trade_by_offer_and_answer_or_at_once() {
    let mut position = after_set_up(1);
    position.players[0].hand = Cards::new([2, 0, 0, 0, 0]);
    position.players[2].hand = Cards::new([0, 1, 0, 0, 0]);
    let offer = |to, gives, wants| Action::Offer(Offer { to, gives: Cards::new(gives), wants: Cards::new(wants) });
    let good = offer(2, [2, 0, 0, 0, 0], [0, 1, 0, 0, 0]);
    assert_eq!(position.check(good), Err(IllegalAction::NotNow), "before the roll");
    position.rolled = true;
    for bad in [
        offer(0, [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]),
        offer(2, [0; 5], [0, 1, 0, 0, 0]),
        offer(2, [1, 0, 0, 0, 0], [0; 5]),
        offer(2, [1, 0, 0, 0, 0], [1, 1, 0, 0, 0]),
        offer(2, [200, 0, 0, 0, 0], [0, 1, 0, 0, 0]),
    ] {
        assert_eq!(position.check(bad), Err(IllegalAction::BadOffer), "{bad:?}");
    }
    assert_eq!(position.check(offer(2, [3, 0, 0, 0, 0], [0, 1, 0, 0, 0])), Err(IllegalAction::CannotAfford));
    let before = position;
    position.try_act(good, Chance::None).expect("an offer");
    assert_eq!((position.phase, position.decider()), (Phase::Answer, 2));
    assert_eq!(position.legal_actions(), [Action::Answer(false), Action::Answer(true)]);
    let mut declined = position;
    declined.try_act(Action::Answer(false), Chance::None).expect("no");
    assert_eq!(declined, before);
    position.try_act(Action::Answer(true), Chance::None).expect("yes");
    assert_eq!(position.players[0].hand.counts(), [0, 1, 0, 0, 0]);
    assert_eq!(position.players[2].hand.counts(), [2, 0, 0, 0, 0]);
    position.exchange(2, Cards::new([2, 0, 0, 0, 0]), 0, Cards::new([0, 1, 0, 0, 0])).expect("back again");
    assert_eq!(position, before);
    let refused = position.exchange(1, Cards::one(0), 2, Cards::one(1));
    assert_eq!(refused, Err(IllegalAction::BadOffer), "neither of them is the mover");
}

#[test]
fn packed_positions_unpack_to_themselves() {
    for case in 0..200 {
        let rng = &mut rng(14, case);
        let mut position = Position::start(&random_map(rng));
        for _ in 0..rng.below(600) {
            assert_eq!(Position::unpack(&position.pack()), position);
            if position.winner().is_some() {
                break;
            }
            let actions = position.legal_actions();
            let action = actions[rng.below(actions.len() as u32) as usize];
            let chance = position.sample(action, rng);
            position.act(action, chance);
        }
    }
}
