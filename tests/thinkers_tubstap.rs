//! The players that ask the evaluator for their playouts are the players of the reference.

mod common;

use common::{positions, rng};
use fairground::batch::{BackendChoice, Evaluator, Options, Tally};
use fairground::games::tubstap::{Action, Kind, Position, Team, Tubstap, builtin, policy};
use fairground::players::thinking::{AtOnce, Crowd, Question, Stream, Table, Thinker, Thought};
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::contest::{Contest, Pairing};
use fairground::players::tubstap::game::Played;
use fairground::players::tubstap::mss::Effort;
use fairground::players::tubstap::muct::{Muct, Settings, rollout_start, search};
use fairground::players::tubstap::reference;
use fairground::players::tubstap::reference::muct::{Keep, Options as SearchOptions, Pruning};
use fairground::players::tubstap::table::Seats;
use fairground::stats;
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws, Rng};

fn start(map: &str) -> Position {
    builtin::get(map).expect("a built-in map").start()
}

fn simulations(simulations: u32) -> SearchOptions {
    SearchOptions { simulations, ..SearchOptions::default() }
}

fn muct(options: SearchOptions) -> Choice {
    Choice::Muct(Settings { search: options, ..Settings::default() })
}

fn evaluator(threads: usize) -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads, chunk: 0 }).expect("every CPU has this")
}

/// Searches with the rollouts of the reference: one after another from one generator.
///
/// Returns the actions at the root with their visits and sums, and how many actions lie at each depth.
fn tree(position: &Position, options: &SearchOptions, draws: &mut Rng) -> (Vec<(Action, u32, f64)>, Vec<usize>) {
    let mut search = search(position, options, draws);
    for _ in 0..options.simulations {
        let Some(leaf) = search.descend(draws) else { break };
        let ending = policy::muct(&mut rollout_start(&search, &leaf), draws).ending;
        search.back_up(|seat| match ending {
            Ending::Win(winner) => f64::from(u8::from(usize::from(winner) == seat)),
            Ending::Draw | Ending::Truncated => 0.5,
        });
    }
    (search.tried().map(|tried| (tried.action, tried.visits, tried.sum)).collect(), search.actions_by_depth())
}

#[test]
fn the_tree_is_that_of_the_reference_at_the_root_and_in_every_depth() {
    let pruned = |pruning| SearchOptions { pruning: Some(pruning), ..simulations(300) };
    let own_side = Pruning { is_own_side_only: true, threshold: None, ..Pruning::of(Kind::Infantry, Keep::Best(2)) };
    let ways = [
        simulations(0),
        simulations(700),
        SearchOptions { exploration: 1.0, expand_above: 0, ..simulations(300) },
        pruned(Pruning::of(Kind::Panzer, Keep::Best(1))),
        pruned(Pruning::of(Kind::Infantry, Keep::Half)),
        pruned(own_side),
    ];
    let (mut deep, mut nobody) = (0, 0);
    for (case, position) in positions(360, 61).iter().enumerate() {
        let options = &ways[case % ways.len()];
        let mut expected = reference::muct::Search::new(position, options.clone());
        let mut draws = rng(62, case as u64);
        expected.run(options.simulations, &mut draws);
        let expected_tree: Vec<_> =
            expected.children().iter().map(|node| (node.action, node.visits, node.sum)).collect();
        let mut again = rng(62, case as u64);
        let (found, depths) = tree(position, options, &mut again);
        assert_eq!(found, expected_tree, "case {case}");
        assert_eq!(depths, expected.nodes_by_depth()[1..], "case {case}");
        assert_eq!(again.draws(), draws.draws(), "case {case}");
        deep += u32::from(expected.nodes_by_depth().len() > 3);
        nobody += u32::from(found.is_empty());
    }
    assert!(deep > 50 && nobody > 0, "{deep} deep trees, {nobody} without anybody to act");
}

/// One search of a player; in the end the visits of the root's children, after one simulation less than it makes.
struct OneSearch {
    player: Muct,
    position: Position,
    number: u64,
    visits: Vec<f64>,
}

impl Table<Tubstap> for OneSearch {
    fn key(&self) -> u64 {
        self.number
    }

    fn go_on(&mut self, answers: &[Tally]) -> Vec<Question<Tubstap>> {
        match self.player.think(&self.position, answers, &mut rng(63, self.number)) {
            Thought::Ask(questions) => {
                let search = self.player.search().expect("it is under way");
                self.visits = search.tried().map(|tried| tried.visits.into()).collect();
                questions
            }
            Thought::Act(_) => Vec::new(),
        }
    }
}

const SEARCHES: u64 = 200;
const SIMULATIONS: u32 = 500;

fn visits_of_production(position: &Position, options: &SearchOptions) -> Vec<Vec<f64>> {
    let evaluator = evaluator(2);
    let crowd = Crowd { evaluator: &evaluator, seed: 64, at_a_time: 50 };
    let search = SearchOptions { simulations: SIMULATIONS + 1, ..options.clone() };
    let settings = Settings { search, ..Settings::default() };
    let deal =
        |number| OneSearch { player: Muct::new(settings.clone()), position: *position, number, visits: Vec::new() };
    let (kept, batches) = crowd.play(0..SEARCHES, deal, |_, one| one.visits, &()).expect("CPU backends do not fail");
    assert_eq!(batches.playouts, SEARCHES * u64::from(SIMULATIONS + 1));
    kept.into_iter().map(|(_, visits)| visits).collect()
}

fn visits_of_reference(position: &Position, options: &SearchOptions) -> Vec<Vec<f64>> {
    let one = |number| {
        let mut search = reference::muct::Search::new(position, options.clone());
        search.run(SIMULATIONS, &mut rng(65, number));
        search.children().iter().map(|node| node.visits.into()).collect()
    };
    (0..SEARCHES).map(one).collect()
}

/// How far the mean visits of two groups of searches lie apart: squares of the differences in units of their variances,
/// summed over the root's children.
fn distance(searches: &[&Vec<f64>], group: &[bool]) -> f64 {
    let children = searches[0].len();
    let mean = |child: usize, wanted: bool| {
        let of_group =
            || searches.iter().zip(group).filter(|&(_, &own)| own == wanted).map(|(search, _)| search[child]);
        of_group().sum::<f64>() / of_group().count() as f64
    };
    let of_child = |child| {
        let all = searches.iter().map(|search| search[child]);
        let centre = all.clone().sum::<f64>() / searches.len() as f64;
        let variance = all.map(|visits: f64| (visits - centre).powi(2)).sum::<f64>() / searches.len() as f64;
        let difference = mean(child, true) - mean(child, false);
        if variance > 0.0 { difference * difference / variance } else { 0.0 }
    };
    (0..children).map(of_child).sum()
}

/// The share of random regroupings whose distance is at least that of the real one: a permutation test.
fn p_value(one: &[Vec<f64>], other: &[Vec<f64>]) -> f64 {
    let searches: Vec<_> = one.iter().chain(other).collect();
    let mut group: Vec<bool> = (0..searches.len()).map(|index| index < one.len()).collect();
    let real = distance(&searches, &group);
    let mut draws = rng(66, 0);
    let mut as_far = |_: &u32| {
        for index in (1..group.len()).rev() {
            group.swap(index, draws.below(index as u32 + 1) as usize);
        }
        distance(&searches, &group) >= real
    };
    f64::from(1 + (0..999).filter(|round| as_far(round)).count() as u32) / 1000.0
}

#[test]
fn visits_of_the_root_are_distributed_like_those_of_the_reference() {
    for map in ["duel-6x6", "islands-8x8"] {
        let position = start(map);
        let options = simulations(SIMULATIONS);
        let expected = visits_of_reference(&position, &options);
        let p = p_value(&visits_of_production(&position, &options), &expected);
        assert!(p > 0.01, "{map}: p = {p}");
        // A player that explores a little more is noticed.
        let other = SearchOptions { exploration: 0.25, ..options };
        let p = p_value(&visits_of_production(&position, &other), &expected);
        assert!(p < 0.01, "{map}: p = {p} for another player");
    }
}

/// Games between a production player and its reference, who change seats: decided ones that production won, and decided
/// ones.
fn against_reference(
    map: &str,
    games: u64,
    production: &Choice,
    reference: impl Fn() -> Box<dyn Thinker<Tubstap>> + Sync,
) -> (u64, u64) {
    let evaluator = evaluator(2);
    let crowd = Crowd { evaluator: &evaluator, seed: 67, at_a_time: 20 };
    let start = start(map);
    let deal = |number: u64| {
        let players = [production.thinker(), reference()];
        let [red, blue] = players;
        let players = if number.is_multiple_of(2) { [red, blue] } else { [blue, red] };
        Seats::new(&start, players, 67, number)
    };
    let keep = |number: u64, seats: Seats| match seats.finish().expect("legal actions").outcome.ending {
        Ending::Win(seat) => Some(u64::from(seat) == number % 2),
        Ending::Draw | Ending::Truncated => None,
    };
    let (kept, _) = crowd.play(0..games, deal, keep, &()).expect("CPU backends do not fail");
    let decided: Vec<bool> = kept.into_iter().filter_map(|(_, won)| won).collect();
    (decided.iter().filter(|&&won| won).count() as u64, decided.len() as u64)
}

#[test]
fn mss_is_even_with_its_reference() {
    let (won, decided) = against_reference("skirmish-5x5", 240, &Choice::Mss(Effort::default()), || {
        Box::new(AtOnce(reference::Mss::default()))
    });
    assert!(decided >= 200, "{decided} games were decided");
    assert!(stats::wilson(won, decided).contains(0.5), "{won} of {decided}");
}

#[test]
fn muct_is_even_with_its_reference() {
    let options = simulations(100);
    let reference = || -> Box<dyn Thinker<Tubstap>> { Box::new(AtOnce(reference::Muct { options: options.clone() })) };
    let (won, decided) = against_reference("skirmish-5x5", 400, &muct(options.clone()), reference);
    assert!(decided >= 200, "{decided} games were decided");
    assert!(stats::wilson(won, decided).contains(0.5), "{won} of {decided}");
    // A player with more simulations is noticed.
    let (won, decided) = against_reference("skirmish-5x5", 400, &muct(simulations(800)), reference);
    assert!(stats::wilson(won, decided).low > 0.5, "{won} of {decided} for another player");
}

#[test]
fn games_depend_neither_on_threads_nor_on_how_many_are_played_at_a_time() {
    let contest = Contest {
        starts: vec![start("skirmish-5x5"), start("duel-6x6")],
        players: [muct(simulations(40)), Choice::MaxAct],
        games: 12,
        has_swaps: true,
    };
    let with_planner =
        Contest { players: [Choice::Mss(Effort::default()), Choice::Random], games: 4, ..contest.clone() };
    for contest in [contest, with_planner] {
        let play = |threads, at_a_time| {
            let evaluator = evaluator(threads);
            let crowd = Crowd { evaluator: &evaluator, seed: 68, at_a_time };
            let keep = |pairing: Pairing, played: Result<Played, _>| (pairing, played.expect("legal actions"));
            contest.play(&crowd, keep, &()).expect("CPU backends do not fail").0
        };
        let expected = play(1, 1);
        assert_eq!(expected.len() as u64, contest.len());
        assert_ne!(expected[0].1.1.steps, expected[2].1.1.steps, "every game is another");
        let [first, second] = [0, 1].map(|number: usize| expected[number].1.0.first);
        assert_eq!([first, second], [Team::Red, Team::Blue]);
        for (threads, at_a_time) in [(1, 5), (1, 100), (2, 1), (2, 7)] {
            assert_eq!(play(threads, at_a_time), expected, "{threads} threads, {at_a_time} at a time");
        }
    }
}

#[test]
fn simulations_under_way_together_leave_the_player_as_strong() {
    let start = start("skirmish-5x5");
    let together = Choice::Muct(Settings { search: simulations(200), leaves: 16, ..Settings::default() });
    let contest =
        Contest { starts: vec![start], players: [together, muct(simulations(200))], games: 400, has_swaps: true };
    let evaluator = evaluator(2);
    let crowd = Crowd { evaluator: &evaluator, seed: 69, at_a_time: 40 };
    let keep = |pairing: Pairing, played: Result<Played, _>| match played.expect("legal actions").outcome.ending {
        Ending::Win(seat) => Some(usize::from(seat) == pairing.first.index()),
        Ending::Draw | Ending::Truncated => None,
    };
    let (kept, batches) = contest.play(&crowd, keep, &()).expect("CPU backends do not fail");
    let decided: Vec<bool> = kept.into_iter().filter_map(|(_, won)| won).collect();
    let won = decided.iter().filter(|&&won| won).count() as u64;
    // Sixteen at a time know less of each other: a small price is all it may cost.
    assert!(stats::wilson(won, decided.len() as u64).high > 0.45, "{won} of {}", decided.len());
    assert!(batches.occupancy.share() > 0.5, "{batches:?}");
}

#[test]
fn a_limit_of_time_ends_a_search_with_an_action() {
    let position = start("duel-6x6");
    let search = SearchOptions { simulations: u32::MAX, ..SearchOptions::default() };
    let mut player = Muct::new(Settings { search, milliseconds: Some(1), leaves: 4 });
    let mut draws = rng(70, 0);
    let mut answers = Vec::new();
    let mut rounds = 0;
    let action = loop {
        match player.think(&position, &answers, &mut draws) {
            Thought::Ask(questions) => {
                assert_eq!(questions.len(), 4);
                assert!(questions.iter().all(|question| matches!(question.stream, Stream::Part { first: 0, .. })));
                let mut tally = Tally { playouts: 1, ..Tally::default() };
                tally.wins[rounds % 2] = 1;
                answers = vec![tally; questions.len()];
                rounds += 1;
            }
            Thought::Act(action) => break action,
        }
    };
    assert!(rounds > 0);
    assert_eq!(position.check(action.expect("units can act")), Ok(()));
}
