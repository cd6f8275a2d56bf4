//! Players and whole games between them.

mod common;

use std::collections::BTreeMap;

use common::{positions, random_midgame, rng};
use fairground::games::builtin::Builtin;
use fairground::games::tubstap::file::parse;
use fairground::games::tubstap::position::Ground;
use fairground::games::tubstap::record::{self, Heading, Step};
use fairground::games::tubstap::rules::{Combat, IllegalAction};
use fairground::games::tubstap::{
    Action, Cell, Kind, Policy, Position, Side, Team, Terrain, Tubstap, Unit, builtin, policy,
};
use fairground::players::Player;
use fairground::players::tubstap::game::{self, Played, Refused};
use fairground::players::tubstap::reference::attacks::{attack_value, threats};
use fairground::players::tubstap::reference::muct::{Keep, Options, Pruning, Search};
use fairground::players::tubstap::reference::{MaxAct, Mss, Muct, Random};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws, Rng};

fn muct(simulations: u32) -> Muct {
    Muct { options: Options { simulations, ..Options::default() } }
}

fn start(map: &str) -> Position {
    builtin::get(map).expect("a built-in map").start()
}

#[test]
fn a_game_of_random_players_is_a_random_playout_draw_by_draw() {
    let mut truncated = 0;
    for (case, position) in positions(2000, 51).iter().enumerate() {
        let mut expected = *position;
        // Now and then a limit beyond the cut-off.
        if case % 100 == 0 {
            expected.limit = 100_000;
        }
        let from = expected;
        let mut draws = Rng::for_playout(7, from.key(), case as u64);
        let outcome = policy::play(&mut expected, Policy::Random, &mut draws);
        let played = game::play_numbered(&from, [&mut Random, &mut Random], 7, case as u64).expect("legal actions");
        assert_eq!((played.outcome, played.end), (outcome, expected), "case {case}");
        assert_eq!((played.steps.len() as u32, played.jumps), (outcome.actions, 0), "case {case}");
        truncated += u32::from(outcome.ending == Ending::Truncated);
    }
    assert!(truncated > 0, "no game was cut off");
}

#[test]
fn every_player_acts_legally_as_long_as_a_unit_can_act() {
    let (mut nobody, mut attacks) = (0, 0);
    for (case, position) in positions(1000, 52).iter().enumerate() {
        let can_act = position.own().unacted() != 0;
        let mut players: Vec<Box<dyn Player<Tubstap, Rng>>> =
            vec![Box::new(Random), Box::new(MaxAct), Box::new(muct(0)), Box::new(muct(case as u32 % 50))];
        // It takes long over many units.
        let is_small = position.own().unacted().count_ones() <= 2 && position.enemy().living().count() <= 3;
        if is_small {
            players.push(Box::new(Mss::default()));
        }
        for (player, chooser) in players.iter_mut().enumerate() {
            let action = chooser.next_action(position, &mut rng(53, case as u64));
            assert_eq!(action.is_some(), can_act, "case {case}, player {player}");
            if let Some(action) = action {
                assert_eq!(position.check(action), Ok(()), "case {case}, player {player}: {action:?}");
                attacks += u32::from(action.target.is_some());
            }
        }
        nobody += u32::from(!can_act);
    }
    assert!(nobody > 0 && attacks > 0, "{nobody} positions without units to act, {attacks} attacks");
}

#[test]
fn a_game_depends_on_seed_position_and_number_alone() {
    let start = start("skirmish-5x5");
    let (mut first, mut second) = (Mss::default(), muct(30));
    let mut games = Vec::new();
    for number in [0, 1, 0] {
        // Players that have played before play like new ones.
        let again = game::play_numbered(&start, [&mut first, &mut second], 3, number).expect("legal actions");
        let fresh = game::play_numbered(&start, [&mut Mss::default(), &mut muct(30)], 3, number);
        assert_eq!(Ok(&again), fresh.as_ref());
        games.push(again);
    }
    assert_eq!(games[0], games[2]);
    assert_ne!(games[0].steps, games[1].steps);
    let other_seed = game::play_numbered(&start, [&mut first, &mut second], 4, 0).expect("legal actions");
    assert_ne!(games[0].steps, other_seed.steps);
}

#[test]
fn players_that_think_beat_random_ones() {
    let wins = |map: &str, games: u64, mut player: Box<dyn Player<Tubstap, Rng>>| {
        let start = start(map);
        let won = |number: &u64| {
            // By turns Red and Blue.
            let seat = number % 2;
            let mut random = Random;
            let player: &mut dyn Player<Tubstap, Rng> = &mut *player;
            let players: [&mut dyn Player<Tubstap, Rng>; 2] =
                if seat == 0 { [player, &mut random] } else { [&mut random, player] };
            let played = game::play_numbered(&start, players, 5, *number).expect("legal actions");
            played.outcome.ending == Ending::Win(seat as u8)
        };
        (0..games).filter(won).count()
    };
    assert!(wins("duel-6x6", 100, Box::new(MaxAct)) >= 80);
    assert!(wins("duel-6x6", 20, Box::new(muct(100))) >= 16);
    assert!(wins("skirmish-5x5", 20, Box::<Mss>::default()) >= 16);
}

/// Ends its turn at once, or after the first action of a random player.
struct Idle {
    acts_first: bool,
}

impl<D: Draws> Player<Tubstap, D> for Idle {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        let is_first = !position.own().has_begun();
        (is_first && self.acts_first).then(|| policy::random_action(position, draws))
    }
}

#[test]
fn units_stay_when_their_player_ends_the_turn() {
    let start = start("duel-6x6");
    let mut players = [Idle { acts_first: false }, Idle { acts_first: true }];
    let [red, blue] = &mut players;
    let played = game::play_numbered(&start, [red, blue], 1, 0).expect("legal actions");
    let stays = |step: &&Step| step.from == step.action.to && step.action.target.is_none();
    for turn in 0..played.outcome.phases {
        let steps: Vec<_> = played.steps.iter().filter(|step| step.turn == turn).collect();
        let numbers: Vec<_> = steps.iter().map(|step| step.action.unit).collect();
        let idle = &steps[turn as usize % 2..];
        assert!(idle.iter().all(stays), "phase {turn}");
        assert!(idle.is_sorted_by_key(|step| step.action.unit), "phase {turn}: {numbers:?}");
    }
    assert_eq!(played.steps.iter().filter(|step| step.team == Team::Red).count(), 20);
    assert!(played.steps.iter().any(|step| !stays(&step)));
}

/// Always says the same.
struct Stubborn(Action);

impl<D: Draws> Player<Tubstap, D> for Stubborn {
    fn next_action(&mut self, _: &Position, _: &mut D) -> Option<Action> {
        Some(self.0)
    }
}

#[test]
fn actions_that_even_the_original_refuses_end_the_game_with_a_reason() {
    let start = start("duel-6x6");
    let own = start.own().unit(0).expect("a unit").cell;
    let friend = start.own().unit(1).expect("a unit").cell;
    let refused =
        |action| game::play_numbered(&start, [&mut Stubborn(action), &mut Random], 1, 0).expect_err("refused");
    let stay = Action { unit: 0, to: own, target: None };
    let by_red = |reason| Refused { team: Team::Red, turn: 0, reason };
    assert_eq!(refused(stay), by_red(IllegalAction::HasActed(0)));
    assert_eq!(refused(Action { unit: 99, ..stay }), by_red(IllegalAction::NoSuchUnit(99)));
    assert_eq!(refused(Action { to: friend, ..stay }), by_red(IllegalAction::OutOfReach { unit: 0, to: friend }));
    let far = IllegalAction::NoSuchAttack { unit: 0, target: 99, from: own };
    assert_eq!(refused(Action { target: Some(99), ..stay }), by_red(far));
    assert_eq!(
        refused(stay).to_string(),
        "Red made an illegal action in phase 0: unit number 0 has already acted in this phase"
    );
}

/// Plays one action and leaves the rest.
struct Once(Option<Action>);

impl<D: Draws> Player<Tubstap, D> for Once {
    fn next_action(&mut self, _: &Position, _: &mut D) -> Option<Action> {
        self.0.take()
    }
}

#[test]
fn jumps_that_the_original_lets_pass_are_played_and_counted() {
    let start = start("duel-6x6");
    let unit = start.own().unit(0).expect("a unit");
    let reach =
        start.destinations(start.own(), start.enemy(), unit) | start.enemy().occupied() | start.own().occupied();
    let to = (start.ground.open - reach).cells().next().expect("a cell out of reach");
    let jump = Action { unit: 0, to, target: None };
    let mut idle = Idle { acts_first: false };
    let played = game::play_numbered(&start, [&mut Once(Some(jump)), &mut idle], 1, 0).expect("it passes");
    assert_eq!((played.jumps, played.steps[0].action), (1, jump));
    assert_eq!(played.end.sides[0].unit(0).map(|unit| unit.cell), Some(to));
}

#[test]
fn a_record_is_its_map_and_replays_to_the_end_of_the_game() {
    let (mut combats, mut counters, mut early) = (0, 0, 0);
    for (number, Builtin { name, map }) in builtin::named().into_iter().enumerate() {
        let start = map.start();
        let Played { outcome, end, steps, .. } =
            game::play_numbered(&start, [&mut MaxAct, &mut Random], 9, number as u64).expect("legal actions");
        let heading = Heading { date: "2024-05-01 12:00:00", players: ["max];act", "random"] };
        let text = record::write(&map, heading, outcome.phases, &steps);
        let parsed = parse(text.as_bytes()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert_eq!((parsed.map, parsed.warnings), (map.clone(), Vec::new()), "{name}");
        for entry in ["PLAYEDRULE[rule_set_version_0100];", "PLAYERRED[max),act];PLAYERBLUE[random];"] {
            assert!(text.contains(entry), "{name}: {entry}");
        }

        let mut position = start;
        let mut left = 0;
        for entry in text.lines().filter_map(|line| line.strip_suffix("];")) {
            if let Some(fields) = entry.strip_prefix("TURNINFO[") {
                let [turn, team, actions] = numbers(fields);
                assert_eq!(left, 0, "{name}: actions are missing before phase {turn}");
                if turn > 0 {
                    position.end_phase();
                }
                assert_eq!((position.turn, position.mover.index()), (turn as u32, team as usize), "{name}");
                left = actions;
            } else if let Some(fields) = entry.strip_prefix("ACTION[") {
                let (action, combat) =
                    replayed(&map.units.iter().map(|unit| unit.team).collect::<Vec<_>>(), &position, fields);
                assert_eq!(position.try_act(action), Ok(combat), "{name}: {entry}");
                combats += u32::from(combat.dealt > 0);
                counters += u32::from(combat.countered > 0);
                left -= 1;
            }
        }
        assert_eq!(left, 0, "{name}: actions are missing at the end");
        position.end_phase();
        assert_eq!(position, end, "{name}");
        early += u32::from(end.sides.iter().any(Side::is_dead));
    }
    assert!(combats > 0 && counters > 0 && early > 0, "{combats} combats, {counters} counters, {early} short games");
}

/// An ACTION entry in our terms, after a look at what it says twice.
fn replayed(teams: &[Team], position: &Position, fields: &str) -> (Action, Combat) {
    let [unit, to_x, to_y, from_x, from_y, target, target_x, target_y, what, dealt, countered] = numbers(fields);
    let number = |id: i64| {
        let team = teams[id as usize];
        (team, teams[..id as usize].iter().filter(|&&other| other == team).count())
    };
    let cell = |x: i64, y: i64| Cell::from_file(x as usize, y as usize).expect("a playable cell");
    let (team, unit) = number(unit);
    assert_eq!(team, position.mover, "{fields}");
    assert_eq!(position.own().unit(unit).map(|unit| unit.cell), Some(cell(from_x, from_y)), "{fields}");
    let target = (target >= 0).then(|| number(target));
    assert_eq!(what, if target.is_some() { 2 } else { 1 }, "{fields}");
    if let Some((team, target)) = target {
        assert_ne!(team, position.mover, "{fields}");
        assert_eq!(position.enemy().unit(target).map(|unit| unit.cell), Some(cell(target_x, target_y)), "{fields}");
    } else {
        assert_eq!((target_x, target_y), (-1, -1), "{fields}");
    }
    let action = Action { unit, to: cell(to_x, to_y), target: target.map(|(_, target)| target) };
    (action, Combat { dealt: dealt as u8, countered: countered as u8 })
}

fn numbers<const N: usize>(fields: &str) -> [i64; N] {
    let numbers: Vec<_> = fields.split(',').map(|field| field.parse().expect("a number")).collect();
    numbers.try_into().unwrap_or_else(|numbers| panic!("{numbers:?} are not {N}"))
}

fn root_actions(position: &Position, pruning: Option<Pruning>) -> Vec<Action> {
    let options = Options { pruning, ..Options::default() };
    Search::new(position, options).children().iter().map(|child| child.action).collect()
}

#[test]
fn pruning_keeps_the_best_attacks_of_its_kinds_and_everything_else() {
    let (mut cut_by_value, mut cut_by_number, mut halved) = (0, 0, 0);
    for case in 0..1000 {
        let rng = &mut rng(54, case);
        let position = random_midgame(rng);
        let kinds: Vec<_> = Kind::ALL.into_iter().filter(|_| rng.below(2) == 0).collect();
        let threshold = [None, Some(-20), Some(0)][rng.below(3) as usize];
        let keep = [Keep::Best(0), Keep::Best(1), Keep::Best(2), Keep::Half][rng.below(4) as usize];
        let pruning = Pruning { kinds: kinds.clone(), threshold, keep, is_own_side_only: rng.below(2) == 0 };
        let all = root_actions(&position, None);
        let pruned = root_actions(&position, Some(pruning));

        let kind = |action: &Action| position.own().unit(action.unit).expect("a living unit").kind;
        let touched = |action: &&Action| action.target.is_some() && kinds.contains(&kind(action));
        let others = |actions: &[Action]| -> Vec<Action> { actions.iter().filter(|a| !touched(a)).copied().collect() };
        assert_eq!(others(&all), others(&pruned), "case {case}");

        let threats = threats(&position);
        let by_unit = |actions: &[Action]| {
            let mut values: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
            for action in actions.iter().filter(touched) {
                values.entry(action.unit).or_default().push(attack_value(&position, &threats, *action));
            }
            values
        };
        let kept = by_unit(&pruned);
        for (unit, mut values) in by_unit(&all) {
            let found = values.len();
            values.retain(|&value| threshold.is_none_or(|least| value >= least));
            values.sort_unstable_by(|a, b| b.cmp(a));
            let good = values.len();
            values.truncate(match keep {
                Keep::Best(number) => number,
                Keep::Half => good - good / 2,
            });
            assert_eq!(kept.get(&unit).cloned().unwrap_or_default(), values, "case {case}, unit {unit}");
            cut_by_value += u32::from(good < found);
            cut_by_number += u32::from(values.len() < good);
            halved += u32::from(keep == Keep::Half && good % 2 == 1);
        }
    }
    assert!(cut_by_value > 0 && cut_by_number > 0 && halved > 0, "{cut_by_value}, {cut_by_number}, {halved}");
}

/// A row of plain cells with these units, Red to move.
fn row(length: usize, red: &[(Kind, usize)], blue: &[(Kind, usize)]) -> Position {
    let mut terrain = [Terrain::NoEntry; 64];
    let cell = |x| Cell::new(x, 0).expect("a cell");
    (0..length).for_each(|x| terrain[cell(x).index() as usize] = Terrain::Plain);
    let mut sides = [Side::default(); 2];
    for (side, units) in sides.iter_mut().zip([red, blue]) {
        for (number, &(kind, x)) in units.iter().enumerate() {
            side.place(number, Unit { kind, cell: cell(x), hp: 10 }, false);
        }
    }
    Position { ground: Ground::new(&terrain), sides, turn: 0, limit: 10, threshold: 10, mover: Team::Red }
}

#[test]
fn the_enemy_is_pruned_only_if_asked_for() {
    // Infantry stuck between two panzers: it may attack either or stay, and each of them may attack it or stay.
    let position = row(3, &[(Kind::Infantry, 1)], &[(Kind::Panzer, 0), (Kind::Panzer, 2)]);
    let depths = |is_own_side_only| {
        let pruning = Pruning { is_own_side_only, threshold: None, ..Pruning::of(Kind::Panzer, Keep::Best(0)) };
        let mut search = Search::new(&position, Options { pruning: Some(pruning), ..Options::default() });
        // Enough to expand each child once, and no grandchild.
        search.run(60, &mut rng(55, 0));
        search.nodes_by_depth()[..3].to_vec()
    };
    assert_eq!(depths(true), [1, 3, 3 * 4]);
    assert_eq!(depths(false), [1, 3, 3 * 2]);
}

#[test]
fn rollouts_of_a_seed_group_are_the_same() {
    let position = start("skirmish-5x5");
    let search = |seed_group, rounds| {
        let mut search = Search::new(&position, Options { seed_group, expand_above: u32::MAX, ..Options::default() });
        let mut draws = rng(56, 0);
        search.run(search.children().len() as u32 * rounds, &mut draws);
        (search, draws.draws())
    };
    // In one group all rollouts of a child are one and the same, and the longest counts.
    let (once, drawn_once) = search(u32::MAX, 1);
    let (together, drawn_together) = search(u32::MAX, 8);
    assert_eq!(drawn_together, drawn_once);
    assert!(together.children().iter().any(|child| child.visits > 8));
    for (child, same) in together.children().iter().zip(once.children()) {
        assert_eq!(child.sum, same.sum * f64::from(child.visits));
    }
    let (apart, drawn_apart) = search(1, 8);
    assert!(drawn_apart > 8 * drawn_once, "{drawn_apart} and {drawn_once} draws");
    assert!(apart.children().iter().any(|child| child.mean() % 0.5 != 0.0));
}
