//! The rules engine and its playouts against records of the original program.
//!
//! `FAIRGROUND_GOLDEN` names the data folder; see `common/records.rs` for its default.

#[path = "common/golden.rs"]
mod golden;
#[path = "common/records.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod records;

use fairground::games::tubstap::file::parse;
use fairground::games::tubstap::mss::lowvis;
use fairground::games::tubstap::position::Ground;
use fairground::games::tubstap::{Action, Cell, Kind, Position, Side, Team, Terrain, Unit, Verdict, policy, tables};
use fairground_kernels::Ending;
use fairground_kernels::rng::Draws;
use golden::{ActionRow, DocumentedGenerator, Ids, Setup, UnitRow, cell_rows};
use records::{records, some_are_there};
use serde::Deserialize;

#[test]
fn there_is_something_to_conform_to() {
    some_are_there("tubstap/golden");
}

#[derive(Deserialize)]
struct DamageRecord {
    atk: usize,
    def: usize,
    def_terrain: usize,
    dmg: Vec<Vec<u8>>,
}

#[test]
fn damage_equals_the_program() {
    for (at, record) in records::<DamageRecord>("tubstap/golden/damage") {
        let [attacker, defender] = [record.atk, record.def].map(|kind| Kind::from_index(kind).expect("a kind"));
        let terrain = Terrain::from_index(record.def_terrain).expect("a terrain");
        let stars = if defender.flies() { 0 } else { terrain.stars().into() };
        for (attacker_hp, row) in (1..).zip(&record.dmg) {
            for (defender_hp, &expected) in (1..).zip(row) {
                let at =
                    format!("{at}: {attacker:?} {attacker_hp} on {defender:?} {defender_hp} on {}", terrain.name());
                let full = tables::damage(attacker.power(defender), attacker_hp, defender_hp, stars);
                assert_eq!(full, u32::from(expected), "{at}");
                let harmful = tables::does_damage(attacker.power(defender), attacker_hp, defender_hp, stars);
                assert_eq!(harmful, expected > 0, "{at}: harmful");
                let (dealt, _) = duel((attacker, attacker_hp as u8, terrain), (defender, defender_hp as u8, terrain));
                assert_eq!(dealt, expected, "{at}: in combat");
            }
        }
    }
}

#[derive(Deserialize)]
struct DamagePairsRecord {
    atk: usize,
    def: usize,
    atk_stars: u8,
    def_stars: u8,
    pairs: Vec<Vec<(u8, u8)>>,
}

#[test]
fn damage_and_counter_equal_the_program() {
    let terrain = |stars| Terrain::ALL.into_iter().find(|terrain| terrain.stars() == stars).expect("such a terrain");
    for (at, record) in records::<DamagePairsRecord>("tubstap/golden/damage_pairs") {
        let [attacker, defender] = [record.atk, record.def].map(|kind| Kind::from_index(kind).expect("a kind"));
        let [attacker_terrain, defender_terrain] = [record.atk_stars, record.def_stars].map(terrain);
        for (attacker_hp, row) in (1..).zip(&record.pairs) {
            for (defender_hp, &expected) in (1..).zip(row) {
                let fought = duel((attacker, attacker_hp, attacker_terrain), (defender, defender_hp, defender_terrain));
                assert_eq!(
                    fought, expected,
                    "{at}: {attacker:?} {attacker_hp} on {attacker_terrain:?}, {defender:?} {defender_hp} on {defender_terrain:?}"
                );
            }
        }
    }
}

/// Damage and counter of an attack by Red on Blue, each with hit points and the terrain it fights on.
fn duel(red: (Kind, u8, Terrain), blue: (Kind, u8, Terrain)) -> (u8, u8) {
    let distance = if red.0.is_direct() { 1 } else { 2 };
    let cells = [0, distance].map(|x| Cell::new(x, 0).expect("a cell"));
    let mut terrain = [Terrain::NoEntry; 64];
    let mut sides = [Side::default(); 2];
    for ((side, cell), (kind, hp, below)) in sides.iter_mut().zip(cells).zip([red, blue]) {
        terrain[cell.index() as usize] = below;
        side.place(0, Unit { kind, cell, hp }, false);
    }
    let ground = Ground::new(&terrain);
    let mut position = Position { ground, sides, turn: 0, limit: 10, threshold: 0, mover: Team::Red };
    let combat = position.try_act(Action { unit: 0, to: cells[0], target: Some(0) }).expect("a legal attack");
    let left = position.sides.map(|side| side.unit(0).map_or(0, |unit| unit.hp));
    assert_eq!(left, [red.1 - combat.countered, blue.1 - combat.dealt], "hit points after the combat");
    (combat.dealt, combat.countered)
}

#[derive(Deserialize)]
struct RangesRecord {
    #[serde(flatten)]
    setup: Setup,
    ranges: Vec<UnitRanges>,
}

#[derive(Deserialize)]
struct UnitRanges {
    id: usize,
    reach: Vec<(usize, usize)>,
    attackable: Vec<(usize, usize)>,
    attacks: Vec<[usize; 5]>,
    uct_actions: u32,
}

#[test]
fn ranges_and_attacks_equal_the_program() {
    for (at, record) in records::<RangesRecord>("tubstap/golden/ranges") {
        let (mut position, ids) = record.setup.position();
        for expected in &record.ranges {
            let at = format!("{at}, map {}, unit {}", record.setup.map, expected.id);
            let (team, number) = ids.number(expected.id);
            position.mover = team;
            let (own, enemy) = (position.own(), position.enemy());
            let unit = own.unit(number).expect("a living unit");

            let destinations = position.destinations(own, enemy, unit);
            assert_eq!(cell_rows(destinations), expected.reach, "{at}: reach");
            let attackable = position.attackable(own, enemy, unit) & record.setup.area();
            assert_eq!(cell_rows(attackable), expected.attackable, "{at}: attackable");
            let attacks: Vec<_> = position
                .actions_of(number)
                .into_iter()
                .filter_map(|action| action.target.map(|target| (action, target)))
                .map(|(action, target)| {
                    let (x, y) = action.to.to_file();
                    let combat = position.clone().act(action);
                    let target = ids.id(team.other(), target);
                    [x, y, target, combat.dealt.into(), combat.countered.into()]
                })
                .collect();
            assert_eq!(attacks, expected.attacks, "{at}: attacks");
            let effective = position.effective(enemy, unit, position.attacks(enemy, unit, destinations));
            assert_eq!(effective.len() + destinations.len(), expected.uct_actions, "{at}: M-UCT's actions");
        }
    }
}

#[derive(Deserialize)]
struct PlayoutRecord {
    #[serde(flatten)]
    setup: Setup,
    steps: Vec<Step>,
    result: String,
    by_turn_limit: u8,
    phases_played: u32,
}

#[derive(Deserialize)]
struct Step {
    turn: u32,
    team: usize,
    act: ActionRow,
    dmg: (u8, u8),
    units: Vec<UnitRow>,
}

#[test]
fn recorded_games_replay_step_by_step() {
    for (at, record) in records::<PlayoutRecord>("tubstap/golden/playouts") {
        let at = format!("{at}, map {}", record.setup.map);
        let (mut position, ids) = record.setup.position();
        for (index, step) in record.steps.iter().enumerate() {
            replay(&mut position, &ids, step, &format!("{at}, step {}", index + 1));
        }
        let phases = record.steps.last().map_or(0, |step| step.turn + 1);
        assert_eq!(phases, record.phases_played, "{at}: phases played");
        end_phase(&mut position, &at);
        while position.verdict().is_none() {
            assert_eq!(position.own().unacted(), 0, "{at}: the record ends early, in turn {}", position.turn);
            end_phase(&mut position, &at);
        }
        let result = match position.verdict() {
            Some(Verdict::Win(Team::Red)) => "red",
            Some(Verdict::Win(Team::Blue)) => "blue",
            Some(Verdict::Draw) => "draw",
            None => unreachable!("the loop above ends with a verdict"),
        };
        assert_eq!(result, record.result, "{at}: result");
        let by_turn_limit = !position.sides.iter().any(Side::is_dead);
        assert_eq!(by_turn_limit, record.by_turn_limit != 0, "{at}: by turn limit");
        if by_turn_limit {
            assert_eq!(position.turn, position.limit, "{at}: turn of the judgement");
        }
    }
}

fn replay(position: &mut Position, ids: &Ids, step: &Step, at: &str) {
    while position.turn < step.turn {
        end_phase(position, at);
        assert_eq!(position.verdict(), None, "{at}: the game is over before this step");
    }
    assert_eq!((position.turn, position.mover.index()), (step.turn, step.team), "{at}: turn and team");
    let action = ids.action(step.act);
    assert_eq!(position.check(action), Ok(()), "{at}: {action:?}");
    assert!(position.actions_of(action.unit).contains(&action), "{at}: {action:?} is not generated");
    let combat = position.act(action);
    assert_eq!((combat.dealt, combat.countered), step.dmg, "{at}: damage of {action:?}");
    assert_eq!(ids.rows(position), step.units, "{at}: units after {action:?}");
}

/// Ends a phase in which nobody is left to act.
fn end_phase(position: &mut Position, at: &str) {
    let over = position.own().unacted() == 0 || position.sides.iter().any(Side::is_dead);
    assert!(over, "{at}: units have not acted in turn {}", position.turn);
    position.end_phase();
}

#[derive(Deserialize)]
struct UctSimRecord {
    #[serde(flatten)]
    setup: Setup,
    seed: u64,
    rng_calls: u32,
    final_turn: u32,
    final_units: Vec<UnitRow>,
    value: f64,
}

#[test]
fn muct_rollouts_equal_the_program_draw_by_draw() {
    for (at, record) in records::<UctSimRecord>("tubstap/golden/uctsim") {
        let at = format!("{at}, map {}", record.setup.map);
        let (mut position, ids) = record.setup.position();
        let (own, start) = (position.mover, position.turn);
        let mut draws = DocumentedGenerator::new(record.seed);
        let outcome = policy::muct(&mut position, &mut draws);
        assert_eq!(ids.rows(&position), record.final_units, "{at}: final units");
        assert_eq!(position.turn, record.final_turn, "{at}: final turn");
        assert_eq!(outcome.phases, record.final_turn - start, "{at}: phases");
        assert_eq!((outcome.draws, draws.draws()), (record.rng_calls, record.rng_calls), "{at}: draws");
        let value = match outcome.ending {
            Ending::Win(seat) => f64::from(seat == own as u8),
            Ending::Draw => 0.5,
            Ending::Truncated => panic!("{at}: cut off"),
        };
        assert_eq!(value, record.value, "{at}: value");
    }
}

#[derive(Deserialize)]
struct MssPartsRecord {
    #[serde(flatten)]
    setup: Setup,
    cases: Vec<MssCase>,
}

#[derive(Deserialize)]
struct MssCase {
    act: ActionRow,
    lowvis: Vec<UnitRow>,
    seed: u64,
    playout1: i32,
    playout1_rng: u32,
    winrate100: f64,
    search_rng: u32,
}

#[test]
fn mss_visibility_and_playouts_equal_the_program_draw_by_draw() {
    for (at, record) in records::<MssPartsRecord>("tubstap/golden/mssparts") {
        let (position, ids) = record.setup.position();
        for (index, case) in record.cases.iter().enumerate() {
            let at = format!("{at}, map {}, case {}", record.setup.map, index + 1);
            let seen = lowvis(&position, ids.action(case.act));
            assert_eq!(ids.rows(&seen), case.lowvis, "{at}: visible units");

            let planner = position.mover as u8;
            let mut draws = DocumentedGenerator::new(case.seed);
            let outcome = policy::mss(&mut seen.clone(), &mut draws);
            assert_eq!(draws.draws(), case.playout1_rng, "{at}: draws of one playout");
            assert_eq!(outcome.ending == Ending::Win(planner), case.playout1 == 1, "{at}: one playout");

            let mut draws = DocumentedGenerator::new(case.seed);
            let won = |_: &u32| policy::mss(&mut seen.clone(), &mut draws).ending == Ending::Win(planner);
            let wins = (0..100).filter(won).count();
            assert_eq!(draws.draws(), case.search_rng, "{at}: draws of 100 playouts");
            assert_eq!(wins as f64 / 100.0, case.winrate100, "{at}: win rate");
        }
    }
}

#[derive(Deserialize)]
struct ParseRecord {
    name: String,
    text: String,
    /// What the specification asks of us, which is sometimes stricter than the original.
    ours: String,
}

#[test]
fn map_texts_are_accepted_or_rejected_as_specified() {
    for (at, record) in records::<ParseRecord>("tubstap/golden/parse") {
        let parsed = parse(record.text.as_bytes());
        let ours = if parsed.is_ok() { "accept" } else { "reject" };
        assert_eq!(ours, record.ours, "{at}, {}: faults {:?}", record.name, parsed.err());
    }
}
