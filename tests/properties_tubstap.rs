//! The fast rules engine against plain rules on random positions.

mod common;
#[path = "common/plain.rs"]
mod plain;
#[path = "common/plain_policy.rs"]
mod plain_policy;

use std::collections::HashSet;

use common::{random_midgame, random_position, rng};
use fairground::games::tubstap::position::Ground;
use fairground::games::tubstap::rules::Attacks;
use fairground::games::tubstap::{
    Action, Board, Cell, Kind, Policy, Position, Side, Team, Terrain, Unit, Verdict, policy,
};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws, Rng};
use plain::{Plain, PlainUnit, SIDE};

/// Random positions, half of them from the middle of a game.
fn positions(seed: u64, count: u64) -> impl Iterator<Item = (String, Position)> {
    (0..count).map(move |case| {
        let mut rng = rng(seed, case);
        let position = if case % 2 == 0 { random_position(&mut rng) } else { random_midgame(&mut rng) };
        (format!("position {case} of seed {seed}"), position)
    })
}

/// Calls `test` for every living unit of both sides, with its side to move.
fn for_every_unit(position: &Position, mut test: impl FnMut(&Position, &Unit, &Plain, PlainUnit)) {
    for mover in Team::ALL {
        let position = Position { mover, ..*position };
        let plain = Plain::of(&position);
        for plain_unit in plain.side(mover.index()) {
            let unit = position.own().unit(plain_unit.number).expect("a living unit");
            test(&position, unit, &plain, plain_unit);
        }
    }
}

fn board(cells: &[[bool; SIDE]; SIDE]) -> Board {
    plain::playable().filter(|&(x, y)| cells[x][y]).fold(Board::EMPTY, |set, (x, y)| set | Board::of(plain::cell(x, y)))
}

#[test]
fn ground_keeps_stars_and_costs_of_every_terrain() {
    for terrain in Terrain::ALL {
        let cell = Cell::new(3, 5).expect("a cell");
        let mut map = [Terrain::NoEntry; 64];
        map[cell.index() as usize] = terrain;
        let ground = Ground::new(&map);
        assert_eq!(ground.stars(cell), u32::from(terrain.stars()), "{terrain:?}");
        for kind in Kind::ALL {
            let (cost_1, cost_2) = ground.costs(kind);
            let cost = match (cost_1.has(cell), cost_2.has(cell)) {
                (true, false) => Some(1),
                (false, true) => Some(2),
                (false, false) => None,
                (true, true) => panic!("{kind:?} on {terrain:?} has two costs"),
            };
            assert_eq!(cost, kind.cost(terrain), "{kind:?} on {terrain:?}");
            assert!(cost_1.len() + cost_2.len() <= 1, "{kind:?}: cells that are not on the map");
        }
    }
}

#[test]
fn destinations_are_the_cells_within_the_movement_budget() {
    for (at, position) in positions(1, 4000) {
        for_every_unit(&position, |position, unit, plain, plain_unit| {
            let destinations = position.destinations(position.own(), position.enemy(), unit);
            assert_eq!(destinations, board(&plain.destinations(plain_unit)), "{at}: {plain_unit:?}");
            let attackable = position.attackable(position.own(), position.enemy(), unit);
            assert_eq!(attackable, board(&plain.attackable(plain_unit)), "{at}: attackable by {plain_unit:?}");
        });
    }
}

#[test]
fn actions_are_attacks_by_enemy_and_direction_then_moves_by_column() {
    for (at, position) in positions(2, 4000) {
        for_every_unit(&position, |position, unit, plain, plain_unit| {
            let number = plain_unit.number;
            let attack = |(x, y, target)| Action { unit: number, to: plain::cell(x, y), target: Some(target) };
            let expected: Vec<_> = plain.attacks(plain_unit).into_iter().map(attack).collect();
            let moves = plain.moves(plain_unit).into_iter();
            let moves = moves.map(|(x, y)| Action { unit: number, to: plain::cell(x, y), target: None });
            let all: Vec<_> = expected.iter().copied().chain(moves).collect();
            assert_eq!(position.actions_of(number), all, "{at}: {plain_unit:?}");

            let destinations = position.destinations(position.own(), position.enemy(), unit);
            let attacks = position.attacks(position.enemy(), unit, destinations);
            let listed = |attacks: Attacks| -> Vec<_> {
                (0..attacks.len()).map(|k| position.attack_action(number, attacks, k)).collect()
            };
            assert_eq!(listed(attacks), expected, "{at}: attacks of {plain_unit:?}");
            let targets = expected.iter().filter_map(|action| action.target).fold(0, |set, target| set | 1 << target);
            assert_eq!(attacks.targets(), targets, "{at}: targets of {plain_unit:?}");
            let effective: Vec<_> = plain.effective(plain_unit).into_iter().map(attack).collect();
            let ours = listed(position.effective(position.enemy(), unit, attacks));
            assert_eq!(ours, effective, "{at}: effective attacks of {plain_unit:?}");
        });
    }
}

#[test]
fn check_accepts_exactly_the_generated_actions_of_unacted_units() {
    for (at, position) in positions(3, 300) {
        let plain = Plain::of(&position);
        for unit in 0..18 {
            let acted = unit < 16 && position.own().has_acted(unit);
            let generated: HashSet<_> =
                if acted { HashSet::new() } else { position.actions_of(unit).into_iter().collect() };
            for to in (0..64).map(Cell::from_index) {
                for target in (0..18).map(Some).chain([None]) {
                    let action = Action { unit, to, target };
                    let legal = position.check(action).is_ok();
                    assert_eq!(legal, generated.contains(&action), "{at}: {action:?}");
                    assert!(!legal || position.passes_lax_test(action), "{at}: lax test is stricter on {action:?}");
                }
            }
        }
        let mut rng = rng(33, position.key());
        for _ in 0..300 {
            let target = Some(rng.below(18) as usize).filter(|&target| target < 17);
            let action = Action { unit: rng.below(17) as usize, to: Cell::from_index(rng.below(64)), target };
            assert_eq!(position.passes_lax_test(action), plain.passes_lax_test(action), "{at}: lax test of {action:?}");
        }
    }
}

#[test]
fn an_illegal_action_leaves_the_position_as_it_was() {
    for (at, position) in positions(4, 2000) {
        let mut rng = rng(44, position.key());
        for _ in 0..20 {
            let target = Some(rng.below(20) as usize).filter(|&target| target < 17);
            let action = Action { unit: rng.below(17) as usize, to: Cell::from_index(rng.below(64)), target };
            let mut after = position;
            if after.try_act(action).is_err() {
                assert_eq!(after, position, "{at}: {action:?}");
            }
        }
    }
}

/// What the engine keeps up to date step by step must equal what the units say.
fn assert_consistent(position: &Position, at: &str) {
    for side in &position.sides {
        let units: Vec<_> = (0..16).filter_map(|number| side.unit(number).map(|unit| (number, *unit))).collect();
        let cells = units.iter().fold(Board::EMPTY, |set, (_, unit)| set | Board::of(unit.cell));
        assert_eq!(side.occupied(), cells, "{at}: occupied cells");
        assert_eq!(cells.len() as usize, units.len(), "{at}: two units on one cell");
        assert_eq!(side.living().collect::<Vec<_>>(), units.iter().map(|unit| unit.0).collect::<Vec<_>>(), "{at}");
        assert!(units.iter().all(|(_, unit)| (1..=10).contains(&unit.hp)), "{at}: hit points of {units:?}");
        assert_eq!(side.hp(), units.iter().map(|(_, unit)| u32::from(unit.hp)).sum::<u32>(), "{at}: sum of hit points");
        assert_eq!(side.is_dead(), units.is_empty(), "{at}: dead");
        let unacted = units.iter().filter(|unit| !side.has_acted(unit.0)).fold(0, |set, unit| set | 1 << unit.0);
        assert_eq!(side.unacted(), unacted, "{at}: unacted");
    }
    let [red, blue] = position.sides;
    assert!((red.occupied() & blue.occupied()).is_empty(), "{at}: two sides on one cell");
}

#[test]
fn every_action_of_random_games_does_what_the_plain_rules_say() {
    for case in 0..600 {
        let mut rng = rng(5, case);
        let mut position = random_position(&mut rng);
        let mut plain = Plain::of(&position);
        for step in 0..200 {
            let at = format!("game {case}, step {step}");
            let unacted = plain.unacted();
            if unacted.is_empty() {
                position.end_phase();
                plain.end_phase();
            } else {
                let unit = unacted[rng.below(unacted.len() as u32) as usize];
                let actions = position.actions_of(unit.number);
                let attacks = actions.iter().filter(|action| action.target.is_some()).count();
                let choices = if attacks > 0 && rng.below(2) == 0 { attacks } else { actions.len() };
                let action = actions[rng.below(choices as u32) as usize];
                let combat = position.try_act(action).expect("a generated action");
                let (dealt, countered) = plain.act(action);
                assert_eq!((u32::from(combat.dealt), u32::from(combat.countered)), (dealt, countered), "{at}");
            }
            assert_consistent(&position, &at);
            assert_eq!(Plain::of(&position), plain, "{at}");
            let verdict = position.verdict().map(|verdict| match verdict {
                Verdict::Win(team) => Some(team.index()),
                Verdict::Draw => None,
            });
            assert_eq!(verdict, plain.verdict(), "{at}: verdict");
        }
    }
}

#[test]
fn playouts_equal_plain_playouts_draw_by_draw() {
    for policy in Policy::ALL {
        for (at, start) in positions(6, 1000) {
            let (mut position, mut plain) = (start, Plain::of(&start));
            let mut draws: [Rng; 2] = [(); 2].map(|()| rng(66, start.key()));
            let ours = policy::play(&mut position, policy, &mut draws[0]);
            let theirs = plain_policy::play(&mut plain, policy, &mut draws[1]);
            assert_eq!(ours, theirs, "{at}: outcome of {policy:?}");
            assert_eq!(Plain::of(&position), plain, "{at}: end of {policy:?}");
            assert_consistent(&position, &at);
        }
    }
}

#[test]
fn playouts_that_cannot_end_are_cut_off() {
    let mut position = one_against_one(10, 10);
    position.limit = u32::MAX;
    for policy in [Policy::Random, Policy::Muct] {
        let outcome = policy::play(&mut position.clone(), policy, &mut rng(7, 0));
        assert_eq!((outcome.ending, outcome.phases, outcome.actions), (Ending::Truncated, 1000, 1000), "{policy:?}");
        let limited = &mut Position { limit: 1000, ..position };
        assert_eq!(policy::play(limited, policy, &mut rng(7, 0)).ending, Ending::Draw, "{policy:?} to the limit");
    }
}

/// Two panzers that never meet, with these hit points.
fn one_against_one(red: u8, blue: u8) -> Position {
    let mut sides = [Side::default(); 2];
    for (side, (x, hp)) in sides.iter_mut().zip([(0, red), (7, blue)]) {
        side.place(0, Unit { kind: Kind::Panzer, cell: Cell::new(x, 0).expect("a cell"), hp }, false);
    }
    let ground = Ground::new(&[Terrain::NoEntry; 64]);
    Position { ground, sides, turn: 0, limit: 10, threshold: 3, mover: Team::Red }
}

#[test]
fn a_lead_of_the_threshold_is_a_draw_and_one_more_wins() {
    for threshold in 0..=9 {
        for red in 1..=10u8 {
            for blue in 1..=10u8 {
                let position = Position { threshold, turn: 10, ..one_against_one(red, blue) };
                let expected = match (red.abs_diff(blue), red > blue) {
                    (lead, _) if u32::from(lead) <= threshold => Verdict::Draw,
                    (_, true) => Verdict::Win(Team::Red),
                    (_, false) => Verdict::Win(Team::Blue),
                };
                assert_eq!(position.judgement(), expected, "{red} against {blue}, threshold {threshold}");
                assert_eq!(position.verdict(), Some(expected), "{red} against {blue} at the limit");
                assert_eq!(Position { turn: 9, ..position }.verdict(), None, "{red} against {blue} before the limit");
            }
        }
    }
}

#[test]
fn a_side_without_units_has_lost_and_red_is_asked_first() {
    let position = one_against_one(10, 1);
    let without = |teams: &[Team]| {
        let mut position = position;
        teams.iter().for_each(|team| position.sides[team.index()].remove(0));
        position.verdict()
    };
    assert_eq!(without(&[Team::Red]), Some(Verdict::Win(Team::Blue)));
    assert_eq!(without(&[Team::Blue]), Some(Verdict::Win(Team::Red)));
    assert_eq!(without(&Team::ALL), Some(Verdict::Win(Team::Blue)));
}

#[test]
fn flagged_units_skip_only_the_first_phase_of_their_side() {
    for case in 0..1000 {
        let start = random_position(&mut rng(8, case));
        let mut position = start;
        for phase in 0..6 {
            let side = &start.sides[position.mover.index()];
            let everyone = side.living().fold(0, |set, number| set | 1 << number);
            let expected = if phase < 2 { side.unacted() } else { everyone };
            assert_eq!(position.own().unacted(), expected, "position {case}, phase {phase}");
            for number in side.living().filter(|number| expected >> number & 1 != 0) {
                let to = side.unit(number).expect("a living unit").cell;
                position.try_act(Action { unit: number, to, target: None }).expect("staying is legal");
            }
            assert_eq!(position.own().unacted(), 0, "position {case}, phase {phase}");
            position.end_phase();
        }
        assert_eq!((position.turn, position.mover), (start.turn + 6, start.mover), "position {case}");
    }
}

#[test]
fn unpacking_gives_back_the_packed_position() {
    for (at, position) in positions(9, 10_000) {
        let back = Position::unpack(&position.pack());
        assert_eq!(back, position, "{at}");
        assert_eq!(Plain::of(&back), Plain::of(&position), "{at}");
        assert_eq!(back.pack(), position.pack(), "{at}");
        assert_consistent(&back, &at);
    }
}

#[test]
fn equal_positions_have_equal_keys_and_changed_ones_different_keys() {
    for (at, position) in positions(10, 3000) {
        assert_eq!(Position::unpack(&position.pack()).key(), position.key(), "{at}: after unpacking");
        let mut changed = vec![
            Position { turn: position.turn + 1, ..position },
            Position { limit: position.limit + 1, ..position },
            Position { threshold: position.threshold + 1, ..position },
            Position { mover: position.mover.other(), ..position },
        ];
        let ground = position.ground;
        let flipped = |board: Board| Board(board.0 ^ 1 << 27);
        changed.extend(
            [
                Ground { open: flipped(ground.open), ..ground },
                Ground { flat: flipped(ground.flat), ..ground },
                Ground { wood: flipped(ground.wood), ..ground },
                Ground { mountain: flipped(ground.mountain), ..ground },
                Ground { one_star: flipped(ground.one_star), ..ground },
                Ground { four_stars: flipped(ground.four_stars), ..ground },
            ]
            .map(|ground| Position { ground, ..position }),
        );
        for team in Team::ALL {
            let side = &position.sides[team.index()];
            for number in side.living() {
                let Unit { kind, cell, hp } = *side.unit(number).expect("a living unit");
                let acted = side.has_acted(number);
                let mut put = |unit, acted| {
                    let mut other = position;
                    other.sides[team.index()].place(number, unit, acted);
                    changed.push(other);
                };
                put(Unit { kind, cell, hp }, !acted);
                put(Unit { kind, cell, hp: hp % 10 + 1 }, acted);
                put(Unit { kind: Kind::ALL[(kind.index() + 1) % 6], cell, hp }, acted);
                let taken = position.sides[0].occupied() | position.sides[1].occupied();
                if let Some(cell) = (!taken).cells().next() {
                    put(Unit { kind, cell, hp }, acted);
                }
                let mut without = position;
                without.sides[team.index()].remove(number);
                changed.push(without);
            }
        }
        for other in changed {
            assert_ne!(other, position, "{at}");
            assert_ne!(other.key(), position.key(), "{at}: {other:?}");
        }
    }
}
