//! Games of Catan between players: they are legal, and players who decide as in a playout play that playout.

#[path = "common/catan.rs"]
mod catan;

use catan::{random_map, rng};
use fairground::batch::{BackendChoice, Batch, Evaluator, Options, Record, Tally};
use fairground::games::catan::{
    Action, Cards, Catan, IllegalAction, Offer, Phase, Policy, Position, Strategy, TURN_CAP,
};
use fairground::players::catan::choice::{Choice, read_seats};
use fairground::players::catan::contest::{Contest, Seating, Sits as _};
use fairground::players::catan::table::{Played, Refused, Seats};
use fairground::players::thinking::{Crowd, Table, Thinker, Thought};
use fairground_kernels::Ending;
use fairground_kernels::rng::Rng;

fn starts(count: u64, seed: u64) -> Vec<Position> {
    (0..count).map(|case| Position::start(&random_map(&mut rng(seed, case)))).collect()
}

fn evaluator() -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads: 2, chunk: 0 }).expect("every CPU has this")
}

fn play(contest: &Contest, seed: u64) -> Vec<(Seating, Result<Played, Refused>)> {
    let evaluator = evaluator();
    let crowd = Crowd { evaluator: &evaluator, seed, at_a_time: 100 };
    let (kept, _) = contest.play(&crowd, |seating, played| (seating, played), &()).expect("CPU backends do not fail");
    kept.into_iter().map(|(_, game)| game).collect()
}

/// The playouts of the kernels from a position.
fn playouts(start: &Position, policy: Policy, games: u64, seed: u64) -> Vec<Record<Position>> {
    let mut batch = Batch::<Catan>::new(policy, seed);
    batch.push(start, games);
    evaluator().records(&batch).expect("CPU backends do not fail")
}

fn strategy(choice: &Choice) -> Strategy {
    match choice {
        Choice::Policy(strategy) => *strategy,
        Choice::Uct(_) => panic!("not a policy"),
    }
}

/// Equal to the last draw, so that win rates need no test of their own.
#[test]
fn ten_thousand_games_of_policies_are_legal_and_the_playouts_of_the_kernels() {
    let (mut games, mut lax, mut wins) = (0, [0; 3], [0; 4]);
    for (case, (text, count)) in [
        ("random", 500),
        ("random-s", 500),
        ("heuristic", 1000),
        ("heuristic,random,random-s,heuristic", 250),
        ("random-s,heuristic,random,random", 250),
    ]
    .into_iter()
    .enumerate()
    {
        let players = read_seats(text).expect("four players");
        let contest = Contest { starts: starts(4, 1), players, games: count, has_rotation: true, turn_cap: TURN_CAP };
        let played = play(&contest, 2);
        assert_eq!(played.len() as u64, contest.len());
        for first in 0..4 {
            let seating = Seating { start: 0, number: 0, first };
            let seats = [0, 1, 2, 3].map(|seat| strategy(&players[seating.player_in(seat)]));
            let policy = Policy { seats, turn_cap: TURN_CAP };
            for (number, start) in contest.starts.iter().enumerate() {
                let expected = playouts(start, policy, count, 2);
                let own = played.iter().filter(|(seating, _)| seating.start == number && seating.first == first);
                for (seating, game) in own {
                    let game = game.as_ref().expect("legal actions");
                    let Record { outcome, last } = &expected[seating.number as usize];
                    assert_eq!((&game.outcome, &game.end), (outcome, last), "{text}, {seating:?}");
                    if case < 3 {
                        lax[case] += game.lax_robberies;
                    }
                    if let Ending::Win(seat) = outcome.ending {
                        wins[usize::from(seat)] += 1;
                    }
                    games += 1;
                }
            }
        }
    }
    assert_eq!(games, 10_000);
    assert!(lax[0] == 0 && lax[1] > 0 && lax[2] == 0, "{lax:?}");
    assert!(wins.iter().all(|&wins| wins > 1000), "{wins:?}");
}

#[test]
fn every_player_sits_in_every_seat_equally_often() {
    let players = read_seats("random,random-s,heuristic,uct:1").expect("four players");
    let contest = Contest { starts: starts(2, 3), players, games: 8, has_rotation: true, turn_cap: 1 };
    let mut sat = [[0; 4]; 4];
    for number in 0..contest.len() {
        let seating = contest.seating(number);
        assert_eq!((seating.start as u64, seating.number), (number / 8, number % 8));
        for (player, seats) in sat.iter_mut().enumerate() {
            assert_eq!(seating.player_in(seating.seat_of(player)), player);
            seats[seating.seat_of(player)] += 1;
        }
    }
    assert_eq!(sat, [[4; 4]; 4]);
    let fixed = Contest { has_rotation: false, ..contest };
    assert!((0..fixed.len()).all(|number| fixed.seating(number).first == 0));
}

#[test]
fn games_are_cut_off_where_playouts_are() {
    let contest = Contest {
        starts: starts(1, 4),
        players: read_seats("random").expect("four players"),
        games: 50,
        has_rotation: false,
        turn_cap: 9,
    };
    let policy = Policy { turn_cap: 9, ..Policy::all(Strategy::Random) };
    let expected = playouts(&contest.starts[0], policy, 50, 5);
    for ((_, game), expected) in play(&contest, 5).iter().zip(&expected) {
        let game = game.as_ref().expect("legal actions");
        assert_eq!(game.outcome, expected.outcome);
        assert_eq!((game.outcome.ending, game.outcome.phases), (Ending::Truncated, 9));
    }
}

/// Only `random-s` may leave somebody unrobbed, so that without it nothing at all is overlooked.
#[test]
fn ten_thousand_games_of_searching_players_are_legal() {
    let mut games = 0;
    for (text, maps, count) in [
        ("uct:4,rollout=heuristic,uct:4,rollout=heuristic,cards=hidden,heuristic,heuristic", 10, 960),
        ("uct:8,uct:8,cards=hidden,leaves=3,uct:8,leaves=3,rollout=heuristic,heuristic", 10, 40),
    ] {
        let players = read_seats(text).expect("players");
        let contest =
            Contest { starts: starts(maps, 6), players, games: count, has_rotation: true, turn_cap: TURN_CAP };
        for (seating, game) in play(&contest, 7) {
            let game = game.unwrap_or_else(|refused| panic!("{text}, {seating:?}: {refused}"));
            assert!(matches!(game.outcome.ending, Ending::Win(_)), "{text}, {seating:?}");
            assert_eq!(game.lax_robberies, 0, "{text}, {seating:?}");
            games += 1;
        }
    }
    assert_eq!(games, 10_000);
}

/// Plays as another does, but for one thing that it does in turns after the roll.
struct Odd<F> {
    usual: Box<dyn Thinker<Catan>>,
    odd: F,
}

impl<F: FnMut(&Position) -> Option<Action> + Send> Thinker<Catan> for Odd<F> {
    fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Catan> {
        if position.phase == Phase::Turn
            && position.rolled
            && let Some(action) = (self.odd)(position)
        {
            return Thought::Act(Some(action));
        }
        self.usual.think(position, answers, rng)
    }
}

fn choice(text: &str) -> Choice {
    text.parse().expect("a player")
}

fn finish(mut seats: Seats) -> Result<Played, Refused> {
    assert!(seats.go_on(&[]).is_empty(), "nobody asks");
    seats.finish()
}

#[test]
fn an_illegal_action_ends_the_game_and_is_named() {
    let odd = |_: &Position| Some(Action::City(0));
    let players = std::array::from_fn(|seat| -> Box<dyn Thinker<Catan>> {
        let usual = choice("random").thinker();
        if seat == 2 { Box::new(Odd { usual, odd }) } else { usual }
    });
    let refused = finish(Seats::new(&starts(1, 8)[0], players, TURN_CAP, 9, 0)).expect_err("illegal");
    assert_eq!((refused.seat, refused.turn, refused.action), (2, 2, Action::City(0)));
    assert_eq!(refused.reason, IllegalAction::CannotAfford);
    assert!(refused.to_string().starts_with("seat 3 made an illegal action in turn 2"), "{refused}");
}

#[test]
fn offers_are_answered_by_whom_they_are_made_to() {
    // The first seat offers a card for another once in every turn, to a player who always accepts and to one who never does.
    let mut asked = [0, 0];
    for (round, asked) in asked.iter_mut().enumerate() {
        let mut last = None;
        let odd = move |position: &Position| {
            let (mine, theirs) = (position.own().hand, position.players[1].hand);
            if last == Some(position.turn) || mine.is_empty() || theirs.is_empty() || mine.kth(0) == theirs.kth(0) {
                return None;
            }
            last = Some(position.turn);
            let (gives, wants) = (Cards::one(mine.kth(0)), Cards::one(theirs.kth(0)));
            Some(Action::Offer(Offer { to: 1, gives, wants }))
        };
        struct Yes(Box<dyn Thinker<Catan>>);
        impl Thinker<Catan> for Yes {
            fn think(&mut self, position: &Position, answers: &[Tally], rng: &mut Rng) -> Thought<Catan> {
                match position.phase {
                    Phase::Answer => Thought::Act(Some(Action::Answer(true))),
                    _ => self.0.think(position, answers, rng),
                }
            }
        }
        let players = std::array::from_fn(|seat| -> Box<dyn Thinker<Catan>> {
            let usual = choice("random").thinker();
            match seat {
                0 => Box::new(Odd { usual, odd }),
                1 if round == 0 => Box::new(Yes(usual)),
                _ => usual,
            }
        });
        let played = finish(Seats::new(&starts(1, 10)[0], players, TURN_CAP, 11, 0)).expect("legal actions");
        *asked = played.outcome.actions;
        assert!(matches!(played.outcome.ending, Ending::Win(_)));
    }
    assert_ne!(asked[0], asked[1], "accepted trades change the game");
}
