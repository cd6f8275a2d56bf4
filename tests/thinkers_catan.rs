//! The searching player of Catan: its tree, its determinism, and that it does not look at hidden cards.

#[path = "common/catan.rs"]
mod catan;

use std::collections::HashMap;

use catan::{random_map, rng};
use fairground::batch::{BackendChoice, Evaluator, Options, Tally};
use fairground::games::catan::tables::{WALL_BIT, WINNING_POINTS};
use fairground::games::catan::{
    Action, Card, Cards, Catan, Phase, Policy, Position, Resource, Strategy, TURN_CAP, policy,
};
use fairground::players::catan::choice::{Choice, read_seats};
use fairground::players::catan::contest::{Contest, Seating, Sits as _};
use fairground::players::catan::hidden::{all_cards, deal_anew, seen_by};
use fairground::players::catan::table::Played;
use fairground::players::catan::uct::{Actions, Settings, Uct};
use fairground::players::thinking::{Crowd, Thinker, Thought};
use fairground::search::{Domain, Search};
use fairground::stats;
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws as _, Rng};

const OPEN: Settings = Settings {
    simulations: 300,
    milliseconds: None,
    exploration: 0.5,
    expand_above: 0,
    leaves: 1,
    rollout: Strategy::Random,
    virtual_wins: [20.0, 10.0],
    has_open_cards: true,
};
const HIDDEN: Settings = Settings { has_open_cards: false, ..OPEN };

/// Moments of games in which there is something to choose, among them every phase but offers.
fn moments(count: u64, seed: u64) -> Vec<Position> {
    (0..count)
        .map(|case| {
            let strategy = if case % 2 == 0 { Strategy::Random } else { Strategy::Heuristic };
            let mut start = Position::start(&random_map(&mut rng(seed, case)));
            let mut all = Vec::new();
            policy::play_watched(&mut start, Policy::all(strategy), &mut rng(seed, case), |now| all.push(*now));
            all.retain(|now| now.legal_actions().len() > 1);
            // Discards and robbers are rare, discards even absent from some games.
            let phase = [Phase::Turn, Phase::Discard, Phase::Robber, Phase::SetUpSettlement][case as usize % 4];
            if case % 8 < 6 && all.iter().any(|now| now.phase == phase) {
                all.retain(|now| now.phase == phase);
            }
            all[rng(seed + 1, case).below(all.len() as u32) as usize]
        })
        .collect()
}

/// A search whose leaves are played out on the rules engine.
fn grow<D: Domain<State = Position>>(search: &mut Search<D>, simulations: u32, at_once: u32, rng: &mut Rng) {
    for _ in 0..simulations / at_once {
        let leaves: Vec<Position> = (0..at_once).filter_map(|_| search.descend(rng)).collect();
        for mut leaf in leaves {
            // Short playouts suffice here.
            let policy = Policy { turn_cap: 8, ..Policy::all(Strategy::Heuristic) };
            let ending = policy::play(&mut leaf, policy, rng).ending;
            let best = (0..4).max_by_key(|&seat| leaf.points(seat)).unwrap_or(0);
            let winner = if let Ending::Win(seat) = ending { seat } else { best };
            search.back_up(|seat| f64::from(u8::from(seat == usize::from(winner))));
        }
    }
}

fn search(position: &Position, settings: &Settings, rng: &mut Rng) -> Search<Actions> {
    Search::new(Actions::new(position, settings), settings.growth(), rng)
}

#[test]
fn visits_add_up_and_virtual_wins_are_counted_once() {
    let (mut credited, mut deep) = (0, 0);
    for (case, position) in (0..).zip(moments(80, 1)) {
        for (at_once, settings) in [(1, OPEN), (7, OPEN), (16, HIDDEN), (1, HIDDEN)] {
            let mut rng = rng(2, case);
            let mut search = search(&position, &settings, &mut rng);
            let simulations = 20 * at_once;
            grow(&mut search, simulations, at_once, &mut rng);
            let visits: u32 = search.tried().map(|tried| tried.visits).sum();
            assert_eq!((u64::from(visits), search.finished()), (simulations.into(), simulations.into()));
            assert_eq!(search.under_way(), 0);
            for tried in search.tried() {
                let credit = match tried.action {
                    Action::Settlement(_) if position.phase == Phase::Turn => 20.0,
                    Action::City(_) => 10.0,
                    _ => 0.0,
                };
                assert!((credit..=credit + f64::from(tried.visits)).contains(&tried.sum), "{tried:?}");
                assert_eq!(position.check(tried.action), Ok(()));
                credited += u32::from(credit > 0.0);
            }
            deep += u32::from(search.actions_by_depth().len() > 3);
        }
    }
    assert!(credited > 20 && deep > 100, "{credited} credited actions, {deep} deep trees");
}

/// Asserts that whatever the tree plays is legal and its player's own.
struct Checked(Actions);

impl Domain for Checked {
    type State = Position;
    type Action = Action;

    fn root(&self, rng: &mut Rng) -> Position {
        self.0.root(rng)
    }

    fn choices(&self, position: &Position, choices: &mut Vec<Action>, rng: &mut Rng) -> usize {
        self.0.choices(position, choices, rng)
    }

    fn play(&self, position: &mut Position, action: Action, rng: &mut Rng) -> u64 {
        assert_eq!(position.check(action), Ok(()), "{action:?}");
        if let Action::Discard { seat, .. } = action {
            assert_eq!(seat, position.decider());
        }
        self.0.play(position, action, rng)
    }
}

#[test]
fn every_deal_fits_the_nodes_it_comes_to() {
    for (case, position) in (0..).zip(moments(40, 3)) {
        for settings in [OPEN, HIDDEN] {
            // A narrow tree is a deep one.
            let settings = Settings { exploration: 0.05, ..settings };
            let mut rng = rng(4, case);
            let mut search = Search::new(Checked(Actions::new(&position, &settings)), settings.growth(), &mut rng);
            grow(&mut search, 400, 4, &mut rng);
        }
    }
}

/// The visits and rewards at the root, by action.
fn decision(position: &Position, settings: &Settings, case: u64) -> Vec<(Action, u32, f64)> {
    let mut rng = rng(5, case);
    let mut search = search(position, settings, &mut rng);
    grow(&mut search, 60, 3, &mut rng);
    search.tried().map(|tried| (tried.action, tried.visits, tried.sum)).collect()
}

/// The position with the hidden cards of another deal.
fn permuted(position: &Position, case: u64) -> Position {
    deal_anew(position, position.decider(), &mut rng(6, case))
}

/// Exactly the same tree, so that every distribution over decisions is the same too.
#[test]
fn a_search_with_hidden_cards_does_not_depend_on_them() {
    let (mut different, mut leaks) = (0, 0);
    for (case, position) in (0..).zip(moments(200, 7)) {
        let other = permuted(&position, case);
        different += u32::from(other != position);
        assert_eq!(decision(&other, &HIDDEN, case), decision(&position, &HIDDEN, case), "case {case}");
        // A search that looks at the cards is caught.
        leaks += u32::from(decision(&other, &OPEN, case) != decision(&position, &OPEN, case));
    }
    assert!(different > 150 && leaks > 100, "{different} positions have hidden cards, {leaks} leaks were seen");
}

/// In how many positions a way to deal hidden cards gives away something of how they were.
fn leaks(deal: impl Fn(&Position, u8, &mut Rng) -> Position) -> u32 {
    let leaks = |(case, position): &(u64, Position)| {
        let other = permuted(position, *case);
        let dealt = |position: &Position| deal(position, position.decider(), &mut rng(8, *case));
        dealt(&other) != dealt(position)
    };
    (0..).zip(moments(200, 9)).filter(leaks).count() as u32
}

#[test]
fn a_deal_gives_nothing_away_and_one_that_does_is_caught() {
    assert_eq!(leaks(deal_anew), 0);
    let next = |seer: u8| usize::from(seer + 1) % 4;
    let leaking: [fn(&Position, &mut Position, usize); 4] = [
        |from, to, seat| to.players[seat].hand = from.players[seat].hand,
        |from, to, seat| to.players[seat].cards = from.players[seat].cards,
        |from, to, _| to.deck = from.deck,
        |from, to, _| *to = *from,
    ];
    for (number, leak) in leaking.into_iter().enumerate() {
        let seen = leaks(|position, seer, rng| {
            let mut dealt = deal_anew(position, seer, rng);
            leak(position, &mut dealt, next(seer));
            dealt
        });
        assert!(seen > 20, "leak {number} was seen in {seen} of 200");
    }
}

#[test]
fn a_deal_keeps_what_is_seen() {
    let mut would_win = 0;
    for (case, position) in (0..).zip(moments(300, 10)) {
        let seer = position.decider();
        for deal in 0..5 {
            let dealt = deal_anew(&position, seer, &mut rng(11, 5 * case + deal));
            assert_eq!(dealt.players[usize::from(seer)], position.players[usize::from(seer)]);
            assert_eq!(dealt.bank, position.bank);
            let sum = |position: &Position, cards: fn(&Position, usize) -> Cards| {
                (0..4).fold(Cards::NONE, |sum, seat| sum + cards(position, seat))
            };
            let hands = |position: &Position| sum(position, |position, seat| position.players[seat].hand);
            let unplayed = |position: &Position| position.deck + sum(position, |p, seat| p.players[seat].cards);
            assert_eq!((hands(&dealt), unplayed(&dealt)), (hands(&position), unplayed(&position)));
            for (seat, (new, old)) in dealt.players.iter().zip(&position.players).enumerate() {
                assert_eq!((new.hand.total(), new.cards.total()), (old.hand.total(), old.cards.total()));
                let is_other = seat != usize::from(seer);
                would_win += u32::from(is_other && dealt.points(seat as u8) >= WINNING_POINTS);
            }
            assert_eq!(dealt.winner(), None);
            assert_eq!(dealt.fresh.total(), position.fresh.total());
            assert!(dealt.own().cards.covers(dealt.fresh));
            // Everything else is in the open.
            let mut same = dealt;
            (same.deck, same.fresh) = (position.deck, position.fresh);
            for (new, old) in same.players.iter_mut().zip(&position.players) {
                (new.hand, new.cards) = (old.hand, old.cards);
            }
            assert_eq!(same, position);
            assert_eq!(seen_by(&dealt, seer), seen_by(&position, seer));
            // What somebody sees of other hands is less than all.
            assert!(dealt == position || all_cards(&dealt) != all_cards(&position) || dealt.fresh != position.fresh);
        }
    }
    assert!(would_win < 30, "in {would_win} of 1,500 deals somebody would have won");
}

/// Half of the eight unseen cards are points, and the mover with nine points in the open has four of these cards: nearly all
/// deals would let the mover have won, and then there would be nothing to discard.
#[test]
fn a_deal_never_lets_the_mover_have_won_so_that_a_search_always_acts() {
    let point = Card::VictoryPoint.index();
    let knights = Cards::of(Card::Knight.index(), 4);
    // The other cards are in the deck, or one of them is a third player's.
    for (case, of_third) in [Cards::NONE, Cards::one(point), Cards::of(point, 4)].into_iter().enumerate() {
        let mut position = Position::start(&random_map(&mut rng(23, 0)));
        position.phase = Phase::Discard;
        (position.mover, position.rolled, position.turn) = (1, true, 40);
        // One settlement and four cities.
        let nodes = |nodes: &[usize]| nodes.iter().fold(0, |all, &node| all | 1 << WALL_BIT[node]);
        position.players[1].buildings = nodes(&[0, 10, 20, 30, 40]);
        position.players[1].cities = nodes(&[10, 20, 30, 40]);
        position.refresh();
        position.players[1].cards = knights;
        position.players[2].cards = of_third;
        position.deck = Cards::of(point, 4) - of_third;
        position.players[0].hand = Cards::new([3, 2, 2, 1, 0]);
        position.owed[0] = 4;
        assert_eq!((position.decider(), position.public_points(1), position.winner()), (0, 9, None));
        for deal in 0..200 {
            let dealt = deal_anew(&position, 0, &mut rng(24, deal));
            assert_eq!((dealt.winner(), dealt.players[1].cards), (None, knights), "case {case}");
            let unseen = |of: &Position| of.deck + of.players[1].cards + of.players[2].cards;
            assert_eq!(unseen(&dealt), unseen(&position));
            assert_eq!(dealt.players[2].cards.total(), of_third.total());
        }
        for search in 0..20 {
            let settings = Settings { simulations: 5, ..HIDDEN };
            let (action, _) = think(&mut Uct::new(settings), &position, &mut rng(25, search));
            assert_eq!(position.check(action.expect("an action")), Ok(()));
        }
    }
}

/// Each card is as likely as any other to be anybody's. With 20,000 deals, five standard deviations are passed with a
/// probability below 10^-5 for all twelve means.
#[test]
fn cards_are_dealt_uniformly() {
    let mut position = Position::start(&random_map(&mut rng(12, 0)));
    position.phase = Phase::Turn;
    position.players[1].hand = Cards::new([5, 0, 1, 0, 0]);
    position.players[2].hand = Cards::new([0, 2, 0, 0, 0]);
    position.players[3].hand = Cards::new([0, 0, 0, 4, 0]);
    position.players[1].cards = Cards::one(Card::VictoryPoint.index());
    position.deck -= Cards::one(Card::VictoryPoint.index());
    const DEALS: u32 = 20_000;
    let mut sums = [[0; 5]; 4];
    let mut points = 0;
    for deal in 0..DEALS {
        let dealt = deal_anew(&position, 0, &mut rng(13, deal.into()));
        for (sums, player) in sums.iter_mut().zip(&dealt.players) {
            sums.iter_mut().zip(player.hand.counts()).for_each(|(sum, count)| *sum += u32::from(count));
        }
        points += u32::from(dealt.players[1].cards.count(Card::VictoryPoint.index()));
    }
    let (all, pool): (f64, [u8; 5]) = (12.0, [5, 2, 1, 4, 0]);
    for (seat, cards) in [(1, 6.0), (2, 2.0), (3, 4.0)] {
        for resource in Resource::ALL {
            let share = f64::from(pool[resource.index()]) / all;
            let mean = f64::from(sums[seat][resource.index()]) / f64::from(DEALS);
            let variance = cards * share * (1.0 - share) * (all - cards) / (all - 1.0);
            let error = (variance / f64::from(DEALS)).sqrt();
            assert!((mean - cards * share).abs() <= 5.0 * error, "seat {seat}, {resource:?}: {mean}");
        }
    }
    // Five of the 25 cards are points.
    assert!((f64::from(points) / f64::from(DEALS) - 0.2).abs() < 5.0 * (0.16 / f64::from(DEALS)).sqrt(), "{points}");
}

fn evaluator(threads: usize) -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads, chunk: 0 }).expect("every CPU has this")
}

fn contest(players: &str, games: u64) -> Contest {
    Contest {
        starts: (0..2).map(|case| Position::start(&random_map(&mut rng(14, case)))).collect(),
        players: read_seats(players).expect("four players"),
        games,
        has_rotation: true,
        turn_cap: TURN_CAP,
    }
}

#[test]
fn games_depend_neither_on_threads_nor_on_how_many_are_played_at_a_time() {
    let contest = contest("uct:12,heuristic,uct:9,leaves=4,cards=hidden,rollout=heuristic,random-s", 4);
    let play = |threads, at_a_time| {
        let evaluator = evaluator(threads);
        let crowd = Crowd { evaluator: &evaluator, seed: 15, at_a_time };
        let keep = |seating: Seating, played: Result<Played, _>| (seating, played.expect("legal actions"));
        contest.play(&crowd, keep, &()).expect("CPU backends do not fail").0
    };
    let expected = play(1, 1);
    assert_eq!(expected.len() as u64, contest.len());
    assert_ne!(expected[0].1.1, expected[1].1.1, "every game is another");
    for (threads, at_a_time) in [(1, 3), (2, 100)] {
        assert_eq!(play(threads, at_a_time), expected, "{threads} threads, {at_a_time} at a time");
    }
}

#[test]
fn contests_that_are_played_together_have_the_games_they_have_alone() {
    let contests = ["uct:9,heuristic,random,random", "uct:2,cards=hidden,random,random,random", "random"];
    let contests = contests.map(|players| contest(players, 4));
    let evaluator = evaluator(2);
    let crowd = Crowd { evaluator: &evaluator, seed: 15, at_a_time: 9 };
    let alone = contests.iter().map(|contest| {
        let keep = |seating: Seating, played: Result<Played, _>| (seating, played.expect("legal actions"));
        contest.play(&crowd, keep, &()).expect("CPU backends do not fail").0
    });
    let keep = |index: usize, seating: Seating, played: Result<Played, _>| {
        assert!(index < 3);
        (seating, played.expect("legal actions"))
    };
    let (together, _) = Contest::play_together(&contests, &crowd, keep, &()).expect("CPU backends do not fail");
    assert_eq!(together, alone.collect::<Vec<_>>());
}

/// The games that the first player wins.
fn won(players: &str, games: u64) -> u64 {
    let contest = contest(players, games);
    let evaluator = evaluator(2);
    let crowd = Crowd { evaluator: &evaluator, seed: 16, at_a_time: 64 };
    let keep = |seating: Seating, played: Result<Played, _>| {
        played.expect("legal actions").outcome.ending == Ending::Win(seating.seat_of(0) as u8)
    };
    let (kept, _) = contest.play(&crowd, keep, &()).expect("CPU backends do not fail");
    kept.iter().filter(|(_, is_won)| *is_won).count() as u64
}

#[test]
fn a_short_search_beats_random_players_with_open_cards_and_with_hidden_ones() {
    for player in ["uct:30", "uct:30,cards=hidden"] {
        let won = won(&format!("{player},random,random,random"), 16);
        assert!(stats::wilson(won, 32).low > 0.25, "{player} won {won} of 32");
    }
}

/// Thinks about a position until it acts. Everybody wins by turns.
fn think(player: &mut Uct, position: &Position, rng: &mut Rng) -> (Option<Action>, usize) {
    let (mut answers, mut asked) = (Vec::new(), 0);
    loop {
        match player.think(position, &answers, rng) {
            Thought::Ask(questions) => {
                answers = questions
                    .iter()
                    .map(|question| {
                        assert_eq!((question.playouts, question.policy), (1, Policy::all(Strategy::Random)));
                        let mut tally = Tally { playouts: 1, ..Tally::default() };
                        tally.wins[asked % 4] = 1;
                        asked += 1;
                        tally
                    })
                    .collect();
            }
            Thought::Act(action) => return (action, asked),
        }
    }
}

#[test]
fn one_playout_tells_nothing_so_that_the_choice_is_uniform() {
    let position = moments(1, 17)[0];
    let choices = position.legal_actions().len();
    let mut seen: HashMap<Action, u32> = HashMap::new();
    let settings = Settings { simulations: 1, virtual_wins: [0.0; 2], ..OPEN };
    for case in 0..200 * choices as u64 {
        let (action, asked) = think(&mut Uct::new(settings), &position, &mut rng(18, case));
        assert_eq!(asked, 1);
        *seen.entry(action.expect("an action")).or_default() += 1;
    }
    assert_eq!(seen.len(), choices);
    // Six standard deviations of 200.
    assert!(seen.values().all(|&count| count.abs_diff(200) < 85), "{seen:?}");
}

#[test]
fn nobody_thinks_about_the_only_choice() {
    let mut position = Position::start(&random_map(&mut rng(19, 0)));
    position.phase = Phase::Turn;
    let (action, asked) = think(&mut Uct::new(OPEN), &position, &mut rng(19, 1));
    assert_eq!((action, asked), (Some(Action::Roll), 0));
    let mut player = Uct::new(Settings { leaves: 7, ..OPEN });
    let (_, asked) = think(&mut player, &moments(1, 20)[0], &mut rng(19, 2));
    assert_eq!(asked as u32, OPEN.simulations);
    assert!(player.search().is_none());
}

#[test]
fn a_limit_of_time_ends_a_search_with_an_action() {
    let position = Position::start(&random_map(&mut rng(21, 0)));
    let Ok(Choice::Uct(settings)) = "uct:ms=1".parse() else { panic!("a player") };
    let (action, asked) = think(&mut Uct::new(settings), &position, &mut rng(21, 1));
    assert!(asked > 0 && asked % 16 == 0);
    assert_eq!(position.check(action.expect("an action")), Ok(()));
}

#[test]
fn a_thinker_of_the_name_is_that_player() {
    let position = moments(1, 22)[0];
    let mut thinker: Box<dyn Thinker<Catan>> = "uct:5".parse::<Choice>().expect("a player").thinker();
    assert!(matches!(thinker.think(&position, &[], &mut rng(22, 0)), Thought::Ask(questions) if questions.len() == 1));
}
