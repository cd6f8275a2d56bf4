//! The rules engine of Saboteur against plain rules on random rounds.

#[path = "common/saboteur.rs"]
mod saboteur;

use std::collections::BTreeSet;

use fairground::games::saboteur::tables::{
    CARDS, COUNTS, GOAL_X, GOAL_Y, GOLD, GOLD_FACE, KINDS, PLAYERS, SABOTEURS_GOLD, TOOLS,
};
use fairground::games::saboteur::{
    Action, Board, Card, Extent, Game, Gold, Laid, Policy, Position, Reading, Strategy, Tool, Winner, WrongPlayers,
    policy,
};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws, Rng};
use saboteur::{readings, rng, walk};

const RANDOM: Policy = Policy::all(Strategy::Random);
const PAPER: Policy = Policy::all(Strategy::Paper(Reading::A));
const FULL: Policy = Policy::all(Strategy::Full);
/// The paper's diggers, who get somewhere, among saboteurs who play every card there is.
const MIXED: Policy = Policy { diggers: Strategy::Paper(Reading::A), saboteurs: Strategy::Random };

fn counts(cards: impl Iterator<Item = Card>) -> [u8; KINDS] {
    let mut counts = [0; KINDS];
    cards.for_each(|card| counts[card.index()] += 1);
    counts
}

/// The path cards on the table, cell by cell.
fn table(position: &Position) -> Vec<Card> {
    let cells = position.board().removable();
    let cards = cells.map(|(x, y)| position.board().card(x, y).expect("a card"));
    cards.map(|laid| Card::lying(laid.mask, laid.is_blocked).expect("a card of the game")).collect()
}

#[test]
fn every_card_is_somewhere_exactly_once() {
    for (seed, policy) in [(1, RANDOM), (2, PAPER), (3, MIXED), (20, FULL)] {
        let mut pile: Vec<Card> = Vec::new();
        walk(seed, 240, policy, |at, position, action| {
            if position.turn == 0 {
                pile.clear();
            }
            let on_table = table(position);
            for card in Card::all().filter(|card| card.is_path()) {
                let there = on_table.iter().filter(|&&other| other == card).count();
                assert_eq!(usize::from(position.on_table(card)), there, "{at}: {}", card.name());
            }
            // A card that breaks a tool lies before its player until another one repairs it.
            let before_players = position.broken.iter().flat_map(|&broken| {
                let tools = Tool::ALL.into_iter().filter(move |tool| broken & tool.bit() != 0);
                tools.map(Card::breaking)
            });
            let hands = position.hands.iter().flat_map(|hand| hand.cards());
            let known = counts(on_table.iter().copied().chain(before_players).chain(hands).chain(pile.iter().copied()));
            let deck = position.deck.counts();
            let sum: [u8; KINDS] = std::array::from_fn(|kind| known[kind] + deck[kind]);
            assert_eq!(sum, COUNTS, "{at}");
            match action {
                None | Some(Action::Path { .. } | Action::Break { .. }) => {}
                Some(Action::RockFall { x, y }) => {
                    let laid = position.board().card(x, y).expect("a card");
                    pile.extend([Card::ROCK_FALL].into_iter().chain(Card::lying(laid.mask, laid.is_blocked)));
                }
                Some(Action::Repair { card, tool, .. }) => pile.extend([card, Card::breaking(tool)]),
                Some(action @ (Action::Map { .. } | Action::Discard { .. })) => pile.push(action.card()),
            }
        });
    }
}

#[test]
fn rounds_end_within_the_cards_and_as_they_should() {
    for (seed, policy) in [(4, RANDOM), (5, PAPER), (6, MIXED), (21, FULL)] {
        let mut endings = [0; 3];
        for (position, outcome) in walk(seed, 480, policy, |_, _, _| ()) {
            assert!(outcome.actions as usize <= CARDS && outcome.actions == u32::from(position.turn));
            let gold = position.goals.iter().position(|&face| face == GOLD_FACE).expect("gold");
            let is_found = position.face_up >> gold & 1 != 0;
            let is_empty = position.deck.is_empty() && position.hands.iter().all(|hand| hand.is_empty());
            let winner = position.winner.expect("a round that is over");
            match winner {
                Winner::Diggers => assert!(is_found),
                Winner::Saboteurs => assert!(!is_found && is_empty && position.saboteurs != 0),
                Winner::Nobody => assert!(!is_found && is_empty && position.saboteurs == 0),
            }
            if !is_found {
                assert_eq!(outcome.actions as usize, CARDS);
            }
            let ending = match winner {
                Winner::Diggers => Ending::Win(0),
                Winner::Saboteurs => Ending::Win(1),
                Winner::Nobody => Ending::Draw,
            };
            assert_eq!(outcome.ending, ending);
            assert_eq!(position.legal_actions(), []);
            endings[winner as usize] += 1;
        }
        assert!(endings[1] > 0 && (policy == RANDOM || endings[0] > 0), "seed {seed}: {endings:?}");
        assert!(endings[2] > 0 || policy == FULL, "seed {seed}: {endings:?}");
    }
}

/// Every action there is, legal or not, near the board.
fn all_actions(players: u8) -> Vec<Action> {
    let cells = || (-10..=15i8).flat_map(|x| (-9..=9i8).map(move |y| (x, y)));
    let seats = 0..players + 1;
    let mut all = Vec::new();
    for card in Card::all() {
        all.push(Action::Discard { card });
        for turned in [false, true] {
            all.extend(cells().map(|(x, y)| Action::Path { card, turned, x, y }));
        }
        for tool in Tool::ALL {
            all.extend(seats.clone().map(|seat| Action::Repair { card, tool, seat }));
        }
    }
    all.extend(cells().map(|(x, y)| Action::RockFall { x, y }));
    all.extend((0..5).map(|goal| Action::Map { goal }));
    for tool in Tool::ALL {
        all.extend(seats.clone().map(|seat| Action::Break { tool, seat }));
    }
    all
}

#[test]
fn check_accepts_exactly_the_legal_actions() {
    let mut uses = BTreeSet::new();
    for (seed, policy) in [(7, RANDOM), (8, MIXED), (22, FULL)] {
        walk(seed, 24, policy, |at, position, action| {
            let legal = position.legal_actions();
            let set: BTreeSet<_> = legal.iter().copied().collect();
            assert_eq!(set.len(), legal.len(), "{at}: an action is listed twice");
            for &action in &legal {
                assert_eq!(position.check(action), Ok(()), "{at}: {action:?}");
                uses.insert(action.card());
            }
            if let Some(action) = action {
                assert!(set.contains(&action), "{at}: {action:?} was chosen");
            }
            if position.turn % 8 == 3 {
                let held = |action: &Action| position.own_hand().contains(action.card());
                let all = all_actions(position.players() as u8).into_iter().filter(held);
                let accepted: BTreeSet<_> = all.filter(|&action| position.check(action).is_ok()).collect();
                let near: BTreeSet<_> = set.into_iter().filter(is_near).collect();
                assert_eq!(accepted, near, "{at}");
            }
        });
    }
    assert_eq!(uses.len(), KINDS, "some card was never played");
}

fn is_near(action: &Action) -> bool {
    match *action {
        Action::Path { x, y, .. } | Action::RockFall { x, y } => (-10..=15).contains(&x) && (-9..=9).contains(&y),
        _ => true,
    }
}

#[test]
fn reach_is_what_a_plain_search_finds() {
    let mut islands = 0;
    for (seed, policy) in [(9, RANDOM), (10, MIXED), (23, FULL)] {
        walk(seed, 240, policy, |at, position, _| {
            let board = position.board();
            let reach = board.plain_reach();
            let cells = (-21..=22i8).flat_map(|x| (-23..=23i8).map(move |y| [x, y]));
            let kept: BTreeSet<_> = cells.filter(|&[x, y]| board.is_reached(x, y)).collect();
            assert_eq!(kept, reach, "{at}");
            let mut afresh = *board;
            afresh.find_reach();
            assert_eq!(afresh, *board, "{at}");
            let removable: Vec<_> = board.removable().collect();
            islands += u32::from(
                removable
                    .iter()
                    .any(|&(x, y)| !board.card(x, y).expect("a card").is_blocked && !board.is_reached(x, y)),
            );
            assert!(removable.iter().all(|&(x, y)| board.extent().contains(x, y)), "{at}: beyond the edge");
        });
    }
    assert!(islands > 100, "{islands} positions with islands");
}

#[test]
fn goals_are_turned_exactly_when_a_reached_card_opens_to_them() {
    for (seed, policy) in [(11, MIXED), (12, PAPER), (24, FULL)] {
        let mut reached_once = 0u8;
        walk(seed, 480, policy, |at, position, _| {
            if position.turn == 0 {
                reached_once = 0;
            }
            let board = position.board();
            let opens = |x: i8, y: i8, side: u8| {
                board.is_reached(x, y) && board.card(x, y).is_some_and(|card| card.mask >> side & 1 != 0)
            };
            for (goal, y) in GOAL_Y.into_iter().enumerate() {
                let x = GOAL_X;
                let is_entered = opens(x - 1, y, 2) || opens(x + 1, y, 0) || opens(x, y - 1, 1) || opens(x, y + 1, 3);
                reached_once |= u8::from(is_entered) << goal;
            }
            assert_eq!(position.face_up, reached_once, "{at}");
        });
    }
}

#[test]
fn the_gold_paid_adds_up() {
    let all: u8 = GOLD.iter().zip(1..).map(|(count, size)| count * size).sum();
    for case in 0..400 {
        let players = 3 + (case % 8) as usize;
        let policy = if case % 3 == 0 { RANDOM } else { MIXED };
        let draws = &mut rng(13, case);
        let mut game = Game::start(players, Extent::PAPER).expect("three to ten players");
        for round in 0..3 {
            let at = format!("game {case}, round {round}");
            assert!(!game.is_over(), "{at}");
            let before = game;
            policy::play(&mut game.position, policy, draws);
            let end = game.position;
            game.end_round(draws);
            let left: u8 = game.gold.cards.iter().zip(1..).map(|(count, size)| count * size).sum();
            assert_eq!(game.gold.nuggets.iter().sum::<u8>() + left, all, "{at}");
            let paid: Vec<_> = (0..players).map(|seat| game.gold.nuggets[seat] - before.gold.nuggets[seat]).collect();
            let cards = before.gold.cards.iter().sum::<u8>() - game.gold.cards.iter().sum::<u8>();
            let saboteurs = end.saboteurs.count_ones() as usize;
            match end.winner.expect("a winner") {
                Winner::Diggers => {
                    assert_eq!(cards, PLAYERS[players - 3][3], "{at}");
                    assert!((0..players).all(|seat| !end.is_saboteur(seat as u8) || paid[seat] == 0), "{at}");
                    if !end.is_saboteur(end.mover) {
                        let first = paid[usize::from(end.mover)];
                        let most = paid.iter().max().expect("players");
                        assert!(
                            first > 0 && (first == *most || usize::from(cards) > players - saboteurs),
                            "{at}: {paid:?}"
                        );
                    }
                }
                Winner::Saboteurs => {
                    let share = |seat: usize| if end.is_saboteur(seat as u8) { SABOTEURS_GOLD[saboteurs] } else { 0 };
                    assert!((0..players).all(|seat| paid[seat] == share(seat)), "{at}: {paid:?}");
                }
                Winner::Nobody => assert_eq!(cards, 0, "{at}"),
            }
            if round < 2 {
                assert_eq!(usize::from(game.position.mover), (usize::from(end.mover) + 1) % players, "{at}");
                assert!(!game.position.is_dealt() && game.position.winner.is_none(), "{at}");
            }
        }
        assert!(game.is_over() && game.leaders() != 0);
        let after = game;
        game.end_round(draws);
        assert_eq!(game, after, "nothing is paid twice");
    }
}

#[test]
fn roles_are_dealt_with_one_card_left_over() {
    // Six players: one saboteur with probability 2/7. Six standard deviations: a false alarm in 5e8 runs.
    let rounds = 20_000;
    let mut alone = 0.;
    for case in 0..rounds {
        let mut position = Position::start(6, Extent::PAPER).expect("six players");
        position.deal(&mut rng(14, case));
        let saboteurs = position.saboteurs.count_ones();
        assert!((1..=2).contains(&saboteurs));
        alone += f64::from(u8::from(saboteurs == 1));
    }
    let (expected, deviation) = (rounds as f64 * 2. / 7., (rounds as f64 * 2. / 7. * 5. / 7.).sqrt());
    assert!((alone - expected).abs() < 6. * deviation, "{alone} of {rounds}");
}

#[test]
fn every_reading_plays_legal_rounds_of_its_own() {
    let mut results = BTreeSet::new();
    let readings = readings();
    for reading in &readings {
        let mut key = 0u64;
        let rounds = walk(15, 48, Policy::all(Strategy::Paper(*reading)), |at, position, action| {
            if let Some(action) = action {
                assert_eq!(position.check(action), Ok(()), "{at}: {reading:?}");
            }
        });
        rounds.iter().for_each(|(position, _)| key = key.rotate_left(7) ^ Game::of(*position).key());
        results.insert(key);
    }
    // A play is seldom worth a fraction, and a blocked card seldom the best.
    assert!(results.len() + 3 >= readings.len(), "{} of {} readings differ", results.len(), readings.len());
}

#[test]
fn positions_survive_packing() {
    for (seed, policy) in [(17, RANDOM), (18, PAPER), (19, MIXED), (25, FULL)] {
        walk(seed, 96, policy, |at, position, _| {
            let game = Game {
                rounds: 2,
                gold: Gold { nuggets: std::array::from_fn(|seat| seat as u8), ..Gold::START },
                ..Game::of(*position)
            };
            assert_eq!(Game::unpack(&game.pack()), game, "{at}");
        });
    }
}

#[test]
fn only_three_to_ten_play() {
    for players in [0, 1, 2, 11, usize::MAX] {
        assert_eq!(Position::start(players, Extent::PAPER), Err(WrongPlayers(players)));
        assert_eq!(Game::start(players, Extent::PAPER), Err(WrongPlayers(players)));
    }
    assert_eq!(WrongPlayers(11).to_string(), "11 players cannot play: three to ten can");
}

/// Positions that no game reaches, and actions that nobody offers, must not stop the program.
#[test]
fn odd_positions_do_no_harm() {
    fn cell(rng: &mut Rng) -> (i8, i8) {
        (rng.below(256) as u8 as i8, rng.below(256) as u8 as i8)
    }
    for case in 0..2000 {
        let rng = &mut rng(16, case);
        let cards: Vec<_> = (0..rng.below(40))
            .map(|_| {
                let (x, y) =
                    if rng.below(4) == 0 { cell(rng) } else { (rng.below(14) as i8 - 2, rng.below(11) as i8 - 5) };
                (x, y, Laid { mask: rng.below(256) as u8, is_blocked: rng.below(4) == 0 })
            })
            .collect();
        let edges: [i8; 4] = std::array::from_fn(|_| rng.below(256) as u8 as i8);
        let [left, right, bottom, top] = edges;
        let extent = if rng.below(2) == 0 { Extent::PAPER } else { Extent { left, right, bottom, top } };
        let mut position = Position::set_up(3 + rng.below(8) as usize, Board::of(extent, &cards)).expect("players");
        position.mover = rng.below(256) as u8;
        position.turn = rng.below(256) as u8;
        position.saboteurs = rng.below(1 << 16) as u16;
        position.face_up = rng.below(256) as u8;
        position.goals = std::array::from_fn(|_| rng.below(256) as u8);
        position.seen = std::array::from_fn(|_| rng.below(256) as u8);
        position.broken = std::array::from_fn(|_| rng.below(1 + TOOLS as u32) as u8);
        position.suspicion = std::array::from_fn(|_| rng.below(256) as u8 as i8);
        for hand in &mut position.hands {
            for _ in 0..rng.below(8) {
                *hand = hand.with(Card::from_index(rng.below(KINDS as u32) as usize).expect("a card"));
            }
        }
        let (x, y) = cell(rng);
        let actions = all_actions(12).into_iter().filter(|_| rng.below(50) == 0);
        let mut odd: Vec<_> = actions.collect();
        odd.extend([
            Action::RockFall { x, y },
            Action::Map { goal: 255 },
            Action::Break { tool: Tool::Pick, seat: 255 },
        ]);
        for action in odd {
            let mut copy = position;
            let _ = copy.try_act(action, rng);
            copy.act(action, rng);
        }
        for strategy in [Strategy::Random, Strategy::Paper(Reading::A), Strategy::Full] {
            let mut copy = position;
            policy::play(&mut copy, Policy::all(strategy), rng);
            assert_ne!(Game::of(copy).key(), 0);
        }
        let mut game = Game { position, ..Game::start(5, extent).expect("players") };
        game.play(RANDOM, rng);
    }
}
