//! Trade between players: the trades that are listed, what they are said to be worth, who proposes and accepts what.

#[path = "common/catan.rs"]
mod catan;

use std::collections::HashSet;

use catan::{random_map, rng};
use fairground::batch::{BackendChoice, Evaluator, Options, Tally};
use fairground::games::catan::tables::{RESOURCES, SEATS};
use fairground::games::catan::{
    Action, Cards, Catan, Chance, Offer, Phase, Policy, Position, Strategy, TURN_CAP, policy,
};
use fairground::papers::negotiation::Moment;
use fairground::papers::negotiation::agreement::{BINS, Study, bin};
use fairground::papers::negotiation::quality::{self, Method, Where};
use fairground::papers::negotiation::variance::spread;
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::contest::{Contest, Seating};
use fairground::players::catan::negotiation::choice::{Choice, Seated, read_players};
use fairground::players::catan::negotiation::decide::{Answers, Condition, Function, best};
use fairground::players::catan::negotiation::offers::{Shape, candidates, is_open};
use fairground::players::catan::negotiation::player::{Negotiator, Settings};
use fairground::players::catan::negotiation::profit::{Bonus, Outlook, Playouts, Profit, Rules, settled, sides};
use fairground::players::catan::table::Played;
use fairground::players::catan::uct::reward;
use fairground::players::thinking::{Crowd, Stream, Thinker, Thought};
use fairground_kernels::rng::{Draws as _, Rng};

/// Moments of games in which trades can be proposed.
fn moments(count: u64, seed: u64) -> Vec<Position> {
    let moments = (0..count).filter_map(|case| {
        let strategy = if case % 2 == 0 { Strategy::Random } else { Strategy::Heuristic };
        let mut start = Position::start(&random_map(&mut rng(seed, case)));
        let mut all = Vec::new();
        policy::play_watched(&mut start, Policy::all(strategy), &mut rng(seed, case), |now| all.push(*now));
        all.retain(|now| !candidates(now, Shape::ONE_FOR_ONE).is_empty());
        (!all.is_empty()).then(|| all[rng(seed + 1, case).below(all.len() as u32) as usize])
    });
    moments.collect()
}

/// All trades, found by trying every count of every resource on both sides.
fn plain_candidates(position: &Position, gives: u32, takes: u32, is_exact: bool) -> HashSet<Offer> {
    let all_sets: Vec<[u8; RESOURCES]> = (0..5_u32.pow(5))
        .map(|number| std::array::from_fn(|kind| (number / 5_u32.pow(kind as u32) % 5) as u8))
        .collect();
    let fits = |set: &[u8; RESOURCES], most: u32| {
        let total: u32 = set.iter().map(|&count| u32::from(count)).sum();
        total > 0 && if is_exact { total == most } else { total <= most }
    };
    let mut found = HashSet::new();
    for to in (0..SEATS as u8).filter(|&to| to != position.mover) {
        for given in all_sets.iter().filter(|set| fits(set, gives)) {
            for taken in all_sets.iter().filter(|set| fits(set, takes)) {
                let offer = Offer { to, gives: Cards::new(*given), wants: Cards::new(*taken) };
                let mut after = *position;
                if after.exchange(position.mover, offer.gives, to, offer.wants).is_ok() {
                    found.insert(offer);
                }
            }
        }
    }
    found
}

#[test]
fn candidates_are_exactly_the_trades_that_the_rules_allow() {
    let mut numbers = [0; 4];
    for position in moments(60, 1) {
        for (index, (text, gives, takes, is_exact)) in
            [("1:1", 1, 1, true), ("2:1", 2, 1, true), ("..2:2", 2, 2, false), ("1:2", 1, 2, true)]
                .into_iter()
                .enumerate()
        {
            let shape: Shape = text.parse().expect("a shape");
            assert_eq!(shape.to_string(), text);
            let found = candidates(&position, shape);
            let distinct: HashSet<_> = found.iter().copied().collect();
            assert_eq!(distinct.len(), found.len(), "no trade twice");
            assert_eq!(distinct, plain_candidates(&position, gives, takes, is_exact), "{text}");
            numbers[index] += found.len();
            for offer in found {
                let mut asked = position;
                asked.try_act(Action::Offer(offer), Chance::None).expect("a legal offer");
                asked.try_act(Action::Answer(true), Chance::None).expect("a partner who has the cards");
            }
        }
    }
    assert!(numbers.iter().all(|&number| number > 500), "{numbers:?}");
    // Before the dice, and once somebody has won, nothing can be proposed.
    let mut early = moments(1, 1)[0];
    early.rolled = false;
    assert!(candidates(&early, Shape::ONE_FOR_ONE).is_empty() && !is_open(&early));
}

#[test]
fn rules_count_what_hands_can_pay_for_and_the_lead() {
    // Brick, wood, sheep, wheat, ore in whatever order: costs are read from the tables.
    use fairground::games::catan::tables::{CITY_COST, ROAD_COST, SETTLEMENT_COST};
    let rules = Rules::default();
    let [road, settlement, city] = [ROAD_COST, SETTLEMENT_COST, CITY_COST].map(Cards::new);
    assert_eq!(rules.points(Cards::NONE), 0.0);
    assert_eq!(rules.points(road), 3.0);
    assert_eq!(rules.points(settlement), 13.0);
    assert_eq!(rules.points(city), 15.0);
    assert_eq!(rules.points(settlement + city), 28.0);
    assert_eq!(Rules { bonus: Bonus::Max, ..rules }.points(settlement + city), 15.0);

    let (mut leads, mut gains, mut turned) = (0, 0, 0);
    for position in moments(200, 3) {
        let me = position.mover;
        for offer in candidates(&position, Shape::ONE_FOR_ONE) {
            let after = settled(&position, &offer, true);
            let value = |position: &Position, seat: u8| rules.points(position.players[usize::from(seat)].hand);
            let change = |seat| value(&after, seat) - value(&position, seat);
            let points = |seat| f64::from(position.public_points(seat));
            let lead = points(me) - points(offer.to);
            let profit = rules.profit(&position, &offer, me);
            assert_eq!(profit.own, change(me) + lead);
            assert_eq!(profit.partner, change(offer.to) - lead);
            assert_eq!(profit.before, value(&position, me));
            let plain = Rules { has_score: false, ..rules }.profit(&position, &offer, me);
            assert_eq!([plain.own, plain.partner], [change(me), change(offer.to)]);
            for (outlook, factor) in [(Outlook::Optimistic, 1.1), (Outlook::Pessimistic, 0.9)] {
                let seen = Rules { outlook, ..rules }.profit(&position, &offer, me);
                let with = value(&after, me) + lead;
                assert!((seen.own - (factor * with - value(&position, me))).abs() < 1e-12);
                // By the size of the value everything looks better to optimists, what is below 0 too.
                let by_size = Rules { outlook, is_by_size: true, ..rules }.profit(&position, &offer, me);
                let change = (factor - 1.0) * with.abs();
                assert!((by_size.own - (with + change - value(&position, me))).abs() < 1e-12);
                turned += u32::from(with < 0.0);
            }
            // The partner sees the same from the other side, also while the offer waits.
            let mut asked = position;
            asked.act(Action::Offer(offer), Chance::None);
            let other = rules.profit(&asked, &offer, offer.to);
            assert_eq!([other.own, other.partner], [profit.partner, profit.own]);
            assert_eq!(sides(&asked, &offer, offer.to), [offer.to, me]);
            leads += u32::from(lead != 0.0);
            gains += u32::from(change(me) > 0.0);
        }
    }
    assert!(leads > 500 && gains > 50 && turned > 100, "{leads} {gains} {turned}");
}

/// Playouts of a position on the rules engine, one after the other.
fn slow_tally(position: &Position, policy: Policy, number: u32, stream: impl Fn(u32) -> Rng) -> Tally {
    let mut tally = Tally::default();
    for index in 0..number {
        tally.add(&policy::play(&mut position.clone(), policy, &mut stream(index)));
    }
    tally
}

#[test]
fn profits_by_playouts_equal_those_of_slow_playouts_one_by_one() {
    let evaluator = evaluator(1);
    let mut not_zero = 0;
    for (case, position) in (0_u64..).zip(moments(12, 5)) {
        let offers = candidates(&position, Shape::ONE_FOR_ONE);
        let playouts = Playouts { number: 20, rollout: Strategy::Heuristic, is_common: true };
        let questions = playouts.questions(&position, &offers, case);
        assert_eq!(questions.len(), offers.len() + 1);
        let mut batch = fairground::batch::Batch::<Catan>::new(questions[0].policy, 9);
        for question in &questions {
            assert_eq!(question.stream, Stream::Part { number: case, first: 0 });
            batch.push_part(&question.position, case, 0, question.playouts);
        }
        let tallies = evaluator.evaluate(&batch).expect("CPU backends do not fail").tallies;
        let me = position.mover;
        let profits = Playouts::profits(&position, &offers, me, &tallies);
        let slow = |position: &Position| {
            slow_tally(position, Policy::all(Strategy::Heuristic), 20, |index| Rng::for_playout(9, case, index.into()))
        };
        let without = slow(&position);
        for (offer, profit) in offers.iter().zip(&profits) {
            let mut after = position;
            after.exchange(me, offer.gives, offer.to, offer.wants).expect("possible");
            let with = slow(&after);
            let difference = |seat: u8| reward(&with, seat.into()) - reward(&without, seat.into());
            assert_eq!([profit.own, profit.partner], [difference(me), difference(offer.to)]);
            assert_eq!(profit.before, reward(&without, me.into()));
            not_zero += u32::from(profit.own != 0.0);
        }
    }
    assert!(not_zero > 20, "{not_zero}");
}

#[test]
fn functions_choose_by_the_two_profits_and_their_condition() {
    let profit = |own: f64, partner: f64| Profit { own, partner, before: 10.0 };
    let profits = [profit(5.0, -4.0), profit(3.0, 0.0), profit(2.0, 6.0), profit(4.0, 2.0), profit(-1.0, 9.0)];
    for (function, condition, expected) in [
        (Function::Selfish, Condition::Text, vec![0]),
        (Function::ProfitFirst, Condition::Equation, vec![3]),
        (Function::AcceptFirst, Condition::Text, vec![2]),
        (Function::AcceptFirst, Condition::Equation, vec![4]),
        (Function::Sum, Condition::Text, vec![2]),
        (Function::Sum, Condition::Equation, vec![2, 4]),
        (Function::Product, Condition::Text, vec![2]),
    ] {
        assert_eq!(best(function, condition, &profits), expected, "{function:?} {condition:?}");
    }
    // A partner's profit of 0 is enough by the equation and not by the text.
    assert_eq!(best(Function::ProfitFirst, Condition::Equation, &profits[..2]), [1]);
    assert!(best(Function::ProfitFirst, Condition::Text, &profits[..2]).is_empty());
    // Two losses make a positive product, but only the equation falls for that.
    let losses = [profit(-2.0, -3.0)];
    assert!(best(Function::Product, Condition::Text, &losses).is_empty());
    assert_eq!(best(Function::Product, Condition::Equation, &losses), [0]);
    // Nothing is better than no trade, whose value is 0.
    for function in Function::ALL {
        assert!(best(function, function.usual_condition(), &[profit(0.0, 0.0), profit(-1.0, 1.0)]).is_empty());
        assert!(best(function, function.usual_condition(), &[]).is_empty());
    }

    let accepts = |answers: Answers, own: f64| answers.accepts(None, &profit(own, 0.0));
    for (answers, refused, accepted) in
        [(Answers::Positive, 0.0, 0.01), (Answers::Optimistic, -1.01, -1.0), (Answers::Pessimistic, 1.0, 1.01)]
    {
        assert!(!accepts(answers, refused) && accepts(answers, accepted), "{answers:?}");
    }
    let own = Some((Function::Sum, Condition::Text));
    assert!(Answers::Own.accepts(own, &profit(1.0, 0.0)) && !Answers::Own.accepts(own, &profit(1.0, -2.0)));
}

fn evaluator(threads: usize) -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads, chunk: 0 }).expect("every CPU has this")
}

fn contest(players: &str, mover: &str, starts: u64, games: u64) -> Contest<Seated> {
    let plays: Mover = mover.parse().expect("a player");
    let players = read_players(players).unwrap_or_else(|wrong| panic!("{players}: {wrong}"));
    Contest {
        starts: (0..starts).map(|case| Position::start(&random_map(&mut rng(7, case)))).collect(),
        players: players.map(|negotiates| Seated { negotiates, plays }),
        games,
        has_rotation: true,
        turn_cap: TURN_CAP,
    }
}

fn play(contest: &Contest<Seated>, threads: usize, at_a_time: usize) -> Vec<(Seating, Played)> {
    let evaluator = evaluator(threads);
    let crowd = Crowd { evaluator: &evaluator, seed: 3, at_a_time };
    let keep = |seating, played: Result<Played, _>| (seating, played.unwrap_or_else(|refused| panic!("{refused}")));
    let (kept, _) = contest.play_keeping_moments(&crowd, keep, &()).expect("CPU backends do not fail");
    kept.into_iter().map(|(_, game)| game).collect()
}

/// A refused action panics, so that all games here are legal.
#[test]
fn games_are_legal_and_the_same_with_any_threads_and_games_at_a_time() {
    for (players, mover, games) in [
        ("selfish:5,random,sum:answer=own,profit-first:3,rollout=heuristic,streams=own", "heuristic", 8),
        ("product:4,proposals=3,random", "uct:8", 4),
        ("selfish,selfish:outlook=optimistic,answer=own", "random-s", 8),
    ] {
        let contest = contest(players, mover, 2, games);
        let [one, other] = [(1, 1), (2, 100)].map(|(threads, at_a_time)| play(&contest, threads, at_a_time));
        assert_eq!(one.len() as u64, contest.len());
        assert_eq!(one, other, "{players}");
        let [made, succeeded, received, accepted] =
            one.iter().flat_map(|(_, played)| played.trade).fold([0; 4], |sum, of| {
                let more = [of.made, of.succeeded, of.received, of.accepted];
                std::array::from_fn(|index| sum[index] + more[index])
            });
        assert_eq!((made, succeeded), (received, accepted), "everything that is made is received");
        assert!(made > succeeded && succeeded > 0, "{players}: {made} {succeeded}");
    }
}

#[test]
fn hundreds_of_games_of_searching_negotiators_are_legal() {
    let players = "selfish:2,sum:2,rollout=heuristic,product:offers=..2:2,proposals=3,random";
    for mover in ["uct:2,rollout=heuristic", "uct:2,rollout=heuristic,cards=hidden"] {
        let games = play(&contest(players, mover, 5, 60), 2, 100);
        assert_eq!(games.len(), 300);
        assert!(games.iter().all(|(_, played)| played.lax_robberies == 0));
        let proposals: u32 = games.iter().flat_map(|(_, played)| played.trade).map(|trade| trade.made).sum();
        assert!(proposals > 3000, "{proposals}");
    }
}

#[test]
fn a_player_proposes_once_a_turn_after_the_dice_and_only_what_is_best() {
    let mut proposed = [0; 2];
    for (case, position) in (0..).zip(moments(300, 11)) {
        let settings = Settings::by(Function::Sum);
        let mut player =
            Negotiator::new(settings, "heuristic".parse::<Mover>().map(|mover| thinker(&mover)).expect("known"));
        let mut rng = rng(12, case);
        let offers = candidates(&position, Shape::ONE_FOR_ONE);
        let profits: Vec<_> =
            offers.iter().map(|offer| Rules::default().profit(&position, offer, position.mover)).collect();
        let best = best(Function::Sum, Condition::Text, &profits);
        let Thought::Act(Some(action)) = player.think(&position, &[], &mut rng) else { panic!("an action") };
        match action {
            Action::Offer(offer) => {
                assert!(best.iter().any(|&index| offers[index] == offer));
                proposed[1] += 1;
                // Refused, it is the other player's turn to think.
                let mut after = position;
                after.act(action, Chance::None);
                after.act(Action::Answer(false), Chance::None);
                let Thought::Act(Some(next)) = player.think(&after, &[], &mut rng) else { panic!("an action") };
                assert!(!matches!(next, Action::Offer(_)));
            }
            _ => {
                assert!(best.is_empty());
                proposed[0] += 1;
            }
        }
        let mut early = position;
        early.rolled = false;
        let mut player = Negotiator::new(settings, thinker(&"heuristic".parse().expect("known")));
        let thought = player.think(&early, &[], &mut rng);
        assert!(!matches!(thought, Thought::Act(Some(Action::Offer(_)))));
    }
    assert!(proposed.iter().all(|&count| count > 30), "{proposed:?}");
}

fn thinker(mover: &Mover) -> Box<dyn Thinker<Catan>> {
    fairground::players::catan::contest::Sits::thinker(mover)
}

#[test]
fn without_negotiation_the_games_are_those_of_the_players_alone() {
    let silent = contest("silent", "heuristic", 2, 20);
    let alone = Contest {
        players: silent.players.map(|seated| seated.plays),
        starts: silent.starts.clone(),
        games: silent.games,
        has_rotation: true,
        turn_cap: TURN_CAP,
    };
    let evaluator = evaluator(1);
    let crowd = Crowd { evaluator: &evaluator, seed: 3, at_a_time: 1 };
    let (alone, _) = alone.play(&crowd, |_, played| played.expect("legal").end, &()).expect("CPU backends do not fail");
    for ((_, end), (_, played)) in alone.iter().zip(play(&silent, 1, 1)) {
        assert_eq!(*end, played.end);
        assert!(played.moments.iter().all(is_open) && !played.moments.is_empty());
        let turns: HashSet<u32> = played.moments.iter().map(|moment| moment.turn).collect();
        assert_eq!(turns.len(), played.moments.len(), "one moment a turn");
        assert!(played.moments.iter().all(|moment| moment.phase == Phase::Turn));
    }
}

#[test]
fn whoever_proposes_by_rules_wins_more_than_a_quarter_against_those_who_accept_all() {
    let contest = contest("selfish,accept-all", "heuristic", 4, 200);
    let games = play(&contest, 2, 8);
    let won = games.iter().filter(|(seating, played)| played.end.winner().map(usize::from) == Some(seating.seat_of(0)));
    let won = won.count();
    // Of 800 games a quarter is 200, with a standard deviation of 12.
    assert!(won > 250, "{won}");
    let read: Choice = "selfish".parse().expect("known");
    assert_eq!(read.0, contest.players[0].negotiates.0);
}

#[test]
fn common_random_numbers_save_variance() {
    let positions = moments(40, 21);
    let moments = of_games(&positions);
    let found = spread(&evaluator(2), &moments, Strategy::Heuristic, 200, 1).expect("CPU backends do not fail");
    assert_eq!(found.variances.len(), moments.len());
    assert_eq!(found, spread(&evaluator(1), &moments, Strategy::Heuristic, 200, 1).expect("CPU backends do not fail"));
    let (ratio, interval) = found.ratio();
    assert!(interval.high < 1.0, "{ratio} {interval:?}");

    // The same by hand: the variance of a difference over many estimates of 20 playouts, with and without common numbers.
    let few = &positions[..6];
    let [mut common, mut own] = [0.0; 2];
    for (moment, case) in few.iter().zip(0..) {
        let offer = candidates(moment, Shape::ONE_FOR_ONE)[0];
        let policy = Policy::all(Strategy::Heuristic);
        let rate = |position: &Position, stream: u64| {
            let tally = slow_tally(position, policy, 20, |index| Rng::for_playout(stream, case, index.into()));
            reward(&tally, moment.mover.into())
        };
        let after = settled(moment, &offer, true);
        let variance = |differences: &[f64]| {
            let mean = differences.iter().sum::<f64>() / differences.len() as f64;
            differences.iter().map(|own| (own - mean).powi(2)).sum::<f64>()
        };
        let of = |shift: u64| -> Vec<f64> {
            (0..100).map(|stream| rate(&after, stream) - rate(moment, stream + shift)).collect()
        };
        common += variance(&of(0));
        own += variance(&of(1000));
    }
    assert!(common < own, "{common} {own}");
}

#[test]
fn agreement_with_the_rules_adds_up_and_is_the_same_with_any_threads() {
    let moments = of_games(&moments(150, 23));
    let study = |number| Study { moments: &moments, playouts: Playouts::new(number), seed: 5 };
    let found = study(10).compare(&evaluator(2), &()).expect("CPU backends do not fail");
    assert_eq!(found, study(10).compare(&evaluator(1), &()).expect("CPU backends do not fail"));
    assert_eq!(found.0.len(), moments.len());
    let (same, nothing, both) = (found.same(), found.nothing(), found.of_proposals());
    assert_eq!((same.part, same.whole), (both.part, moments.len() as u64));
    assert_eq!(found.together().part, same.part + nothing.part);
    assert!(both.whole + nothing.part <= same.whole);
    assert!(same.part > 0 && nothing.part > 0 && found.random().part > 0, "{found:?}");
    let led: u64 = (0..BINS).map(|number| found.led(bin(number)).ratio().whole).sum();
    assert!(led > 0 && led < same.whole, "somebody else leads, but not always: {found:?}");
    // A moment's playouts do not depend on the others.
    let few = Study { moments: &moments[100..], ..study(10) };
    assert_eq!(few.compare(&evaluator(2), &()).expect("CPU backends do not fail").0, found.0[100..]);
}

/// Two moments of each game.
fn of_games(positions: &[Position]) -> Vec<Moment> {
    (0..).zip(positions).map(|(index, &position)| Moment { game: index / 2, position }).collect()
}

#[test]
fn choices_are_judged_by_what_they_gain() {
    let moments = of_games(&moments(24, 31));
    let by = Strategy::Heuristic;
    let methods = [Method::Rules, Method::Wins(by, 1), Method::Wins(by, 200), Method::Wins(Strategy::Random, 5)];
    let methods = [&methods[..], &[Method::Lead(by, 50, 24), Method::Lead(by, 50, TURN_CAP)]].concat();
    let study = quality::Study { moments: &moments, methods: &methods, playouts: 400, seed: 6 };
    let judge = |threads| study.judge(&evaluator(threads), &()).expect("CPU backends do not fail");
    let found = judge(2);
    assert_eq!(found, judge(1));
    assert_eq!(found.0.len(), moments.len());
    for judged in &found.0 {
        assert_eq!(judged.gains.len(), methods.len());
        assert!(judged.gains.iter().all(|gain| gain.abs() < 1.0) && (0.0..=1.0).contains(&judged.leader));
    }
    // One playout of each trade tells next to nothing, 200 tell more; the difference is five standard errors here.
    let more = found.more(2, 1, Where::All);
    assert!(more.value > 0.0 && more.interval().low > 0.0, "{more:?}");
    assert!(found.gain(2, Where::All).value > 0.0);
    // A single method is as good with others beside it: fewer playouts are the first of more.
    let alone = quality::Study { methods: &methods[1..2], ..study }.judge(&evaluator(2), &()).expect("no failure");
    assert!(alone.0.iter().zip(&found.0).all(|(alone, judged)| alone.gains[0] == judged.gains[1]));
    let leads = quality::leaders(&evaluator(2), &moments, 400, 6).expect("CPU backends do not fail");
    assert!(leads.iter().zip(&found.0).all(|(lead, judged)| (lead - judged.leader).abs() < 0.2));
}
