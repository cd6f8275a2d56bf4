//! Records of games: what is written is read back, what is wrong is found, and nothing makes the reader panic.

mod common;
#[path = "common/mutate.rs"]
mod mutate;

use common::rng;
use fairground::batch::Evaluator;
use fairground::games::builtin::Builtin;
use fairground::games::tubstap::file::{self, MAX_FAULTS};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::record::{self, Finish, Heading, RULE_SET, Record, Step};
use fairground::games::tubstap::{Action, Cell, Kind, Map, Side, Team, Verdict, builtin};
use fairground::players::thinking::Crowd;
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::contest::{Contest, Pairing};
use fairground::players::tubstap::game::{self, Ongoing, Played};
use fairground::players::tubstap::reference::{MaxAct, Random};
use fairground::report;
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws as _, Rng};
use mutate::{Vocabulary, below, mutate};

fn written(map: &Map, played: &Played) -> String {
    let heading = Heading { date: "seed 1, game 1", players: ["first", "second"] };
    record::write(map, heading, played.outcome.phases, &played.steps)
}

/// Reads the record and checks that it is the game.
fn check_same(map: &Map, played: &Played, what: &str) -> Record {
    let text = written(map, played);
    let read = record::parse(text.as_bytes()).unwrap_or_else(|faults| panic!("{what}: {faults:?}\n{text}"));
    assert_eq!((&read.map, read.end()), (map, played.end), "{what}");
    assert_eq!(read.steps().copied().collect::<Vec<_>>(), played.steps, "{what}");
    assert_eq!(read.phases.len() as u32, played.outcome.phases, "{what}");
    let expected = match played.outcome.ending {
        Ending::Win(seat) => Finish::Decided(Verdict::Win(Team::ALL[usize::from(seat)])),
        Ending::Draw => Finish::Decided(Verdict::Draw),
        Ending::Truncated => Finish::BrokenOff,
    };
    assert_eq!(read.finish, expected, "{what}");
    assert_eq!((read.date.as_str(), read.rules.as_str()), ("seed 1, game 1", RULE_SET), "{what}");
    assert_eq!(read.players, ["first", "second"], "{what}");
    let jumps = read.warnings.iter().filter(|warning| warning.message.contains("the original lets that pass")).count();
    assert_eq!(jumps as u32, played.jumps, "{what}: {:?}", read.warnings);
    // What is read can be written again, and shown.
    let steps: Vec<_> = read.steps().copied().collect();
    let heading = Heading { date: &read.date, players: read.players.each_ref().map(String::as_str) };
    assert_eq!(record::write(&read.map, heading, read.phases.len() as u32, &steps), text);
    let shown = report::replay(&read, None, false);
    assert_eq!(shown.matches("Phase ").count(), read.phases.len(), "{what}");
    read
}

fn maps(names: &[&str]) -> Vec<Map> {
    names.iter().map(|name| builtin::get(name).expect("a built-in map")).collect()
}

#[test]
fn games_of_all_players_are_read_as_they_were_played() {
    let players = ["random", "maxact", "mss", "muct:30"].map(|name| name.parse::<Choice>().expect("a player"));
    let evaluator = Evaluator::default();
    let crowd = Crowd { evaluator: &evaluator, seed: 11, at_a_time: 64 };
    let (mut games, mut eliminations, mut draws, mut counters) = (0, 0, 0, 0);
    for red in &players {
        for blue in &players {
            let is_slow = [red, blue].iter().any(|player| matches!(player, Choice::Mss(_)));
            // The large maps take MSSystem long.
            let maps = if is_slow { maps(&["skirmish-5x5"]) } else { builtin::maps() };
            let contest = Contest {
                starts: maps.iter().map(Map::start).collect(),
                players: [red.clone(), blue.clone()],
                games: if is_slow { 1 } else { 3 },
                has_swaps: true,
            };
            let keep = |pairing: Pairing, played: Result<Played, _>| (pairing.start, played.expect("legal actions"));
            let (kept, _) = contest.play(&crowd, keep, &()).expect("the evaluator does not fail");
            assert_eq!(kept.len() as u64, contest.len());
            for (number, (start, played)) in kept {
                check_same(&maps[start], &played, &format!("{red} against {blue}, game {number}"));
                games += 1;
                eliminations += u32::from(played.end.sides.iter().any(Side::is_dead));
                draws += u32::from(played.outcome.ending == Ending::Draw);
                counters += played.steps.iter().filter(|step| step.combat.countered > 0).count();
            }
        }
    }
    assert!(
        games > 150 && eliminations > 20 && draws > 20 && counters > 100,
        "{games}, {eliminations}, {draws}, {counters}"
    );
}

#[test]
fn games_on_all_sorts_of_maps_are_read_as_they_were_played() {
    let (mut empty, mut truncated) = (0, 0);
    for case in 0..300 {
        let rng = &mut rng(61, case);
        let [width, height] = [(); 2].map(|()| 1 + below(rng, 8));
        let units = 1 + below(rng, (width * height / 4).clamp(1, 16));
        let recipe = Recipe { width, height, units, turn_limit: 1 + rng.below(20), ..Recipe::default() };
        let Ok(mut map) = generate(&recipe, 62, case) else { continue };
        // Some sit out their first phase; now and then all do.
        map.units.iter_mut().for_each(|unit| unit.acted = case % 5 == 0 || rng.below(4) == 0);
        if case % 100 == 1 {
            map.turn_limit = 100_000;
            // Neither can hurt the other.
            map.units.iter_mut().for_each(|unit| unit.kind = [Kind::Fighter, Kind::Panzer][unit.team.index()]);
        }
        let played = game::play_numbered(&map.start(), [&mut Random, &mut Random], 63, case).expect("legal actions");
        let read = check_same(&map, &played, &format!("case {case}"));
        empty += read.phases.iter().filter(|phase| phase.steps.is_empty()).count();
        truncated += u32::from(played.outcome.ending == Ending::Truncated);
    }
    assert!(empty > 20 && truncated > 0, "{empty} phases without actions, {truncated} games cut off");
}

/// A map for games that are written by hand.
const MAP: &str = "SIZEX[6];SIZEY[5];TURNLIMIT[4];HPTHRESHOLD[2];
UNITNUMRED[2];UNITNUMBLUE[2];
UNIT[1,1,panzer,0,10,0];
UNIT[4,2,infantry,1,9,0];
UNIT[1,3,cannon,0,7,0];
UNIT[4,3,panzer,1,4,0];
MAP[0,0,0,0,0,0];
MAP[0,1,3,1,1,0];
MAP[0,1,5,5,6,0];
MAP[0,1,2,4,1,0];
MAP[0,0,0,0,0,0];
";

/// The lines of a whole game on it; the first is line 13 of the file.
const GAME: [&str; 14] = [
    "PLAYEDDATE[2024/05/01 12:00:00];",
    "PLAYEDRULE[rule_set_version_0100];",
    "PLAYERRED[one]PLAYERBLUE[two];",
    "TURNINFO[0,0,2];",
    "ACTION[0,3,2,1,1,1,4,2,2,6,0];",
    "ACTION[2,1,3,1,3,-1,0,0,1,0,0];",
    "TURNINFO[1,1,2];",
    "ACTION[3,4,3,4,3,-1,0,0,1,0,0];",
    "ACTION[1,4,1,4,2,-1,0,0,1,0,0];",
    "TURNINFO[2,0,2];",
    "ACTION[0,3,1,3,2,1,4,1,2,3,0];",
    "ACTION[2,1,3,1,3,-1,0,0,1,0,0];",
    "TURNINFO[3,1,1];",
    "ACTION[3,4,2,4,3,-1,0,0,1,0,0];",
];

fn game_line(index: usize) -> usize {
    MAP.lines().count() + index + 1
}

fn parse_game(lines: &[&str]) -> Result<Record, Vec<(usize, String)>> {
    let text = format!("{MAP}{}", lines.join("\n"));
    record::parse(text.as_bytes())
        .map_err(|faults| faults.into_iter().map(|fault| (fault.line, fault.message)).collect())
}

/// The game with lines replaced, left out (empty) or added to.
fn changed(changes: &[(usize, &'static str)]) -> Result<Record, Vec<(usize, String)>> {
    let mut lines = GAME;
    changes.iter().for_each(|&(index, line)| lines[index] = line);
    parse_game(&lines)
}

#[test]
fn a_record_of_the_original_is_read() {
    let record = changed(&[]).expect("a good record");
    assert_eq!(record.warnings, []);
    assert_eq!((record.date.as_str(), record.rules.as_str()), ("2024/05/01 12:00:00", RULE_SET));
    assert_eq!(record.players, ["one", "two"]);
    assert_eq!(record.phases.iter().map(|phase| phase.steps.len()).collect::<Vec<_>>(), [2, 2, 2, 1]);
    assert_eq!(record.finish, Finish::Decided(Verdict::Win(Team::Red)));
    assert_eq!(record.end().sides.map(|side| side.hp()), [17, 4]);
    let first = record.steps().next().expect("a step");
    assert_eq!((first.from, first.target_cell), (Cell::from_file(1, 1).expect("a cell"), Cell::from_file(4, 2)));
    assert_eq!((first.combat.dealt, first.combat.countered), (6, 0));
}

#[test]
fn harmless_differences_pass() {
    let whole = changed(&[]).expect("a good record");
    let steps = |record: &Record| record.steps().copied().collect::<Vec<Step>>();
    // Comments, spaces, line ends, no heading, what a player left behind in a move.
    for changes in [
        &[(5, "ACTION[2,1,3,1,3,-1,0,0,1,0,0];\nCOM[a comment, with ACTION and 5];")][..],
        &[(5, "ACTION[ 2 , 1,3,\r\n1,3,-1,-1,-1,1,0,0 ];\r\n")],
        &[(0, ""), (1, ""), (2, "")],
        &[(2, "PLAYERRED[one];PLAYERBLUE[two];AUTHOR[x]")],
        &[(4, "ACTION[0,3,2,1,1,1,4,2,2,6,0];ACTION[2,1,3,1,3,-1,0,0,1,0,0];"), (5, "")],
        // The turn is ended, with or without the stays that follow from it.
        &[(5, "ACTION[-1,-1,-1,0,0,-1,0,0,3,0,0];")],
        &[(3, "TURNINFO[0,0,3];"), (5, "ACTION[-1,-1,-1,0,0,-1,0,0,3,0,0];ACTION[2,1,3,1,3,-1,0,0,1,0,0];")],
    ] {
        let record = changed(changes).unwrap_or_else(|faults| panic!("{changes:?}: {faults:?}"));
        assert_eq!(record.warnings, [], "{changes:?}");
        assert_eq!((steps(&record), record.end(), record.finish), (steps(&whole), whole.end(), whole.finish));
    }
    // These are worth a word.
    for (changes, line, part) in [
        (&[(1, "PLAYEDRULE[rule_set_version_0099];")][..], game_line(1), "'rule_set_version_0099'"),
        (&[(5, "ACTION[2,1,3,1,3,1,4,2,1,3,1];")], game_line(5), "a move says about a target and damage is ignored"),
        (
            &[(8, "ACTION[1,1,1,4,2,-1,0,0,1,0,0];"), (10, "ACTION[0,2,1,3,2,1,1,1,2,3,0];")],
            game_line(8),
            "unit 1 cannot reach 1,1; the original lets that pass",
        ),
    ] {
        let record = changed(changes).unwrap_or_else(|faults| panic!("{changes:?}: {faults:?}"));
        let [warning] = record.warnings.as_slice() else { panic!("{changes:?}: {:?}", record.warnings) };
        assert!(warning.line == line && warning.message.contains(part), "{changes:?}: {warning}");
    }
}

#[test]
fn records_may_break_off_or_be_given_up() {
    let cut = |length: usize| parse_game(&GAME[..length]);
    for (length, actions) in [(9, 4), (12, 6)] {
        let record = cut(length).expect("a good record");
        assert_eq!((record.finish, record.steps().count()), (Finish::BrokenOff, actions));
    }
    // In the middle of a phase.
    let record = changed(&[(12, "TURNINFO[3,1,0];"), (13, "")]).expect("a good record");
    assert_eq!((record.finish, record.phases.len(), record.end().turn), (Finish::BrokenOff, 4, 3));
    assert!(report::replay(&record, None, false).contains("breaks off after 4 phases"));
    let record = changed(&[(13, "ACTION[-1,-1,-1,0,0,-1,0,0,0,0,0];")]).expect("a good record");
    assert_eq!((record.finish, record.steps().count()), (Finish::Surrender(Team::Blue), 7));
    assert!(report::replay(&record, None, false).contains("Red wins after 4 phases: Blue gives up"));
}

#[test]
fn every_fault_is_found_with_its_line_and_what_was_expected() {
    for (index, line, part) in [
        (3, "TURNINFO[0,0];", "TURNINFO has 2 fields, expected 3: phase, team, number of actions"),
        (3, "TURNINFO[0,red,2];", "TURNINFO team is 'red', expected a whole number"),
        (3, "TURNINFO[1,0,2];", "TURNINFO phase is 1, expected 0"),
        (3, "TURNINFO[0,1,2];", "TURNINFO team is 1, expected 0: it is Red's phase"),
        (3, "TURNINFO[0,0,3];", "TURNINFO says 3 actions, expected 2"),
        (3, "TURNINFO[0,0,2;", "TURNINFO is not closed, expected ']'"),
        (6, "", "ACTION unit is 3, which is Blue's, expected one of Red's"),
        (4, "ACTION[0,3,2,1,1,1,4,2,2,5];", "ACTION has 10 fields, expected 11: unit, destination x"),
        (4, "ACTION[0,3,2,1,1,1,4,2,2,5,99999999999999999999];", "counter damage is '99999999999999999999'"),
        (4, "ACTION[0,3,2,1,1,1,4,2,9,5,0];", "ACTION type is 9, expected 0 (surrender), 1 (move)"),
        (4, "ACTION[4,3,2,1,1,1,4,2,2,6,0];", "ACTION unit is 4, expected 0 to 3"),
        (4, "ACTION[-1,3,2,1,1,1,4,2,2,6,0];", "ACTION unit is -1, expected 0 to 3"),
        (4, "ACTION[1,3,2,4,2,1,4,2,2,6,0];", "ACTION unit is 1, which is Blue's, expected one of Red's"),
        (4, "ACTION[0,5,2,1,1,1,4,2,2,6,0];", "unit 0 goes to 5,2, expected a cell from 1,1 to 4,3"),
        (4, "ACTION[0,0,2,1,1,1,4,2,2,6,0];", "unit 0 goes to 0,2, expected a cell"),
        (4, "ACTION[0,3,2,2,1,1,4,2,2,6,0];", "ACTION origin is 2,1, expected 1,1"),
        (4, "ACTION[0,1,3,1,1,-1,4,2,1,0,0];", "unit 0 cannot go from 1,1 to 1,3, expected a cell within reach"),
        (4, "ACTION[0,3,2,1,1,7,4,2,2,6,0];", "ACTION target is 7, expected 0 to 3"),
        (4, "ACTION[0,3,2,1,1,2,4,2,2,6,0];", "ACTION target is 2, which is Red's, expected one of Blue's"),
        (4, "ACTION[0,3,2,1,1,1,4,3,2,6,0];", "ACTION place of the target is 4,3, expected 4,2"),
        (4, "ACTION[0,3,2,1,1,1,4,2,2,5,0];", "ACTION damage is 5, expected 6"),
        (4, "ACTION[0,3,2,1,1,1,4,2,2,6,1];", "ACTION counter damage is 1, expected 0"),
        (5, "ACTION[0,3,2,3,2,-1,0,0,1,0,0];", "unit 0 has acted in this phase, expected one that has not"),
        (5, "ACTION[2,1,3,1,3,1,4,2,2,3,0];", "unit 2 cannot attack unit 1 from 1,3, expected a legal attack"),
        (13, "ACTION[1,4,1,4,1,-1,0,0,1,0,0];", "unit 1 is dead, expected a living unit of Blue"),
        (
            13,
            "ACTION[3,4,2,4,3,-1,0,0,1,0,0];TURNINFO[4,0,0];",
            "the game is over after 4 phases, expected no TURNINFO",
        ),
        (
            3,
            "ACTION[2,1,3,1,3,-1,0,0,1,0,0];TURNINFO[0,0,2];",
            "ACTION belongs to no phase, expected TURNINFO before it",
        ),
        (4, "ACTION[0,1,1,1,1,-1,0,0,3,0,0];", ""),
        (8, "", "TURNINFO says 2 actions, expected 1"),
    ] {
        let Err(faults) = changed(&[(index, line)]) else {
            assert_eq!(part, "", "{line} was accepted");
            continue;
        };
        if part.is_empty() {
            // Only what comes later does not fit.
            assert!(faults.iter().all(|(at, _)| *at > game_line(index)), "{line}: {faults:?}");
            continue;
        }
        let at = match index {
            6 => game_line(7),
            8 => game_line(6),
            _ => game_line(index),
        };
        assert!(faults.iter().any(|(line, text)| *line == at && text.contains(part)), "{line}: {faults:?}");
        assert!(faults.iter().all(|(_, text)| text.contains("expected")), "{line}: {faults:?}");
    }
    // Phases that end early, and actions after the last enemy is dead.
    let faults = changed(&[(7, ""), (6, "TURNINFO[1,1,1];")]).expect_err("a unit did not act");
    assert_eq!(faults, [(game_line(6), "phase 1 ends early, expected an action of Blue's unit 3".into())]);
    let faults =
        changed(&[(5, "ACTION[-1,0,0,0,0,-1,0,0,3,0,0];ACTION[2,1,2,1,3,-1,0,0,1,0,0];"), (3, "TURNINFO[0,0,3];")])
            .expect_err("the turn was over");
    assert_eq!(faults, [(game_line(5), "the turn was ended before, expected unit 2 to stay where it is".into())]);
    // A file without a game, and a map that is wrong itself.
    assert_eq!(
        parse_game(&[]).expect_err("no game"),
        [(MAP.lines().count(), "there is no TURNINFO, expected a game after the map".into())]
    );
    let faults = record::parse(MAP.replace("SIZEX[6]", "SIZEX[six]").as_bytes()).expect_err("no map");
    assert_eq!(faults[0].to_string(), "line 1: SIZEX is 'six', expected a whole number");
}

#[test]
fn a_record_that_goes_on_after_the_last_unit_is_dead_is_refused() {
    let mut map = builtin::get("lopsided-6x6").expect("a built-in map");
    map.turn_limit = 1000;
    let is_early = |played: &Played| {
        let last = played.steps.last().expect("a step");
        let unacted = map.side(last.team).count() - played.steps.iter().filter(|step| step.turn == last.turn).count();
        played.end.sides.iter().any(Side::is_dead) && unacted > 0
    };
    let games = (0..200).map(|number| game::play_numbered(&map.start(), [&mut MaxAct, &mut Random], 3, number));
    let played = games.map(|game| game.expect("legal actions")).find(is_early).expect("a game that ends in mid-phase");
    let text = written(&map, &played);
    let last = text.lines().rfind(|line| line.starts_with("ACTION")).expect("an action");
    let faults = record::parse(format!("{text}{last}\n").as_bytes()).expect_err("an action too many");
    assert!(faults[0].message.contains("has no units left, expected no more actions"), "{faults:?}");
}

#[test]
fn jumps_of_the_original_are_read_with_a_warning() {
    let map = builtin::get("duel-6x6").expect("a built-in map");
    let mut game = Ongoing::new(&map.start());
    let position = *game.position();
    let unit = position.own().unit(0).expect("a unit");
    let near = position.destinations(position.own(), position.enemy(), unit);
    let taken = position.own().occupied() | position.enemy().occupied();
    let to = (position.ground.open - near - taken).cells().next().expect("a cell out of reach");
    game.act(Some(Action { unit: 0, to, target: None })).expect("it passes");
    while game.to_move().is_some() {
        game.act(None).expect("units can stay");
    }
    let played = game.finish(0);
    assert_eq!(played.jumps, 1);
    let read = check_same(&map, &played, "a jump");
    assert!(read.warnings[0].message.contains("the original lets that pass"), "{:?}", read.warnings);
}

const VOCABULARY: Vocabulary = Vocabulary {
    numbers: &[
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "10",
        "-1",
        "",
        " 4 ",
        "2147483648",
        "99999999999999999999",
    ],
    words: &["TURNINFO", "ACTION", "COM", "PLAYEDRULE", "PLAYERRED", "UNIT", "MAP", "SIZEX", "TURNLIMIT", "ACTIONS"],
    in_word: u8::is_ascii_uppercase,
    signs: &["[", "]", ";", ",", "\n", "\r\n", "\0", " ", "-"],
};

#[test]
fn damaged_records_are_refused_or_can_be_shown() {
    const FILES: u64 = 20_000;
    let mut files: Vec<_> = builtin::named()
        .into_iter()
        .zip(0..)
        .map(|(Builtin { map, .. }, number)| {
            let played = game::play_numbered(&map.start(), [&mut MaxAct, &mut Random], 5, number);
            written(&map, &played.expect("legal actions")).into_bytes()
        })
        .collect();
    files.push(format!("{MAP}{}", GAME.join("\n")).into_bytes());
    let (mut accepted, mut refused, mut replayed) = (0, 0, 0);
    for index in 0..FILES {
        let mut rng = Rng::for_playout(64, 1, index);
        // The small file most often, and most often behind the map.
        let original = &files[if index % 2 == 0 { files.len() - 1 } else { below(&mut rng, files.len()) }];
        let start = original.windows(8).position(|window| window == b"TURNINFO").expect("a game");
        let mut tail = if index % 4 == 3 { original.clone() } else { original[start..].to_vec() };
        let head = &original[..original.len() - tail.len()];
        for _ in 0..1 + rng.below(3) {
            mutate(&mut tail, &files, &VOCABULARY, &mut rng);
        }
        let bytes = [head, &tail].concat();
        match record::parse(&bytes) {
            Ok(record) => {
                accepted += 1;
                let last = record.phases.len() as u32;
                let shown = report::replay(&record, Some(rng.below(last + 1)), index % 2 == 0);
                assert!(!shown.is_empty());
                let steps: Vec<_> = record.steps().copied().collect();
                let again = record::write(&record.map, Heading::default(), last, &steps);
                // What was given up or broke off in a phase cannot be written so that it is read alike.
                if let (Finish::Decided(_), Ok(again)) = (record.finish, record::parse(again.as_bytes())) {
                    assert_eq!((again.end(), again.finish), (record.end(), record.finish));
                    replayed += 1;
                }
            }
            Err(faults) => {
                refused += 1;
                assert!((1..=MAX_FAULTS + 1).contains(&faults.len()));
                let lines = 1 + bytes.iter().filter(|byte| b"\r\n".contains(byte)).count();
                assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && !fault.message.is_empty()));
            }
        }
        // Whatever is wrong with the game, the map reader only looks at the map.
        let _ = file::parse(&bytes);
    }
    println!("{accepted} accepted, {refused} refused, {replayed} written and read again");
    assert!(accepted > FILES / 20 && refused > FILES / 3 && replayed > FILES / 50, "{accepted}, {refused}, {replayed}");
}
