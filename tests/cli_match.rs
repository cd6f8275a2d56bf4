//! `fairground match` and `fairground show --replay` as a user runs them.

#[path = "common/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use program::{Run, command, fairground, fairground_in, names, scratch};
use serde_json::Value;

const MATCH: &str = "match --backend scalar --quiet";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Whether a cell of CSV holds the number of JSON, whose reader may be off in the last digit.
fn is_near(cell: &str, json: &Value) -> bool {
    cell.parse::<f64>().is_ok_and(|cell| (cell - number(json)).abs() < 1e-12)
}

/// The rows without what may differ from run to run.
fn repeatable(run: &Run) -> Vec<Value> {
    let mut rows = run.json();
    rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| drop(row.remove("timing")));
    rows
}

fn files(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// A map in a file; units are `x,y,kind,team,hp,acted`.
fn write_map(path: &Path, units: &[&str]) {
    let units: String = units.iter().map(|unit| format!("UNIT[{unit}];")).collect();
    let rows = "MAP[0,0,0,0,0];MAP[0,1,1,1,0];MAP[0,0,0,0,0];";
    let text = format!("SIZEX[5];SIZEY[3];TURNLIMIT[4];HPTHRESHOLD[3];UNITNUMRED[3];UNITNUMBLUE[3];{units}{rows}");
    fs::write(path, text).expect("a file can be written");
}

#[test]
fn the_help_lists_players_settings_and_examples() {
    for line in ["match --help", "match -h"] {
        let out = fairground(line).succeeded().out;
        assert!(
            out.contains("Usage: fairground match") && out.contains("Examples:") && out.contains("Ctrl-C"),
            "{out}"
        );
    }
    let out = fairground("match --help").succeeded().out;
    for part in ["maxact", "prune=single|half|N|none", "KIND+KIND", "leaves=N", "A record has the seed"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(fairground("--help").succeeded().out.contains("fairground match"));
}

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("match --red clever", "there is no player 'clever', expected one of random, maxact, mss, muct"),
        ("match --blue muct:0", "sims is '0', expected a whole number from 1"),
        ("match --blue muct:ms=0", "ms is '0'"),
        ("match --red muct:kinds=panzer", "expected prune=single"),
        ("match --red mss:0", "playouts is '0', expected a whole number from 1"),
        ("match --red maxact:100", "maxact has no settings"),
        ("match --games 0", "--games"),
        ("match --at-a-time 0", "expected 1 to"),
        ("match --game saboteur --seats random", "saboteur has no players yet"),
        ("match --game saboteur", "saboteur has no players yet"),
        ("match --red muct:ms=5 --at-a-time 8", "--at-a-time does not go with ms"),
        ("match --force", "--record"),
        ("match --backend scalar --simd-level avx2", "--simd-level"),
        ("show --phase 3 duel-6x6", "--replay"),
        ("show --replay a.tbsmap duel-6x6", "cannot be used with"),
        ("show --replay a.tbsmap --svg a.svg", "cannot be used with"),
        ("show --replay a.tbsmap --seed 3", "saboteur only"),
        ("show --replay a.tbsmap --game catan", "tubstap only"),
    ] {
        let run = fairground(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
}

#[test]
fn maps_on_which_nothing_can_be_played_are_refused_all_at_once() {
    let directory = scratch("maps");
    write_map(&directory.join("no-blue.tbsmap"), &["1,1,panzer,0,10,0"]);
    write_map(&directory.join("no-red.tbsmap"), &["1,1,panzer,1,10,0"]);
    write_map(&directory.join("nobody.tbsmap"), &[]);
    fs::write(directory.join("broken.tbsmap"), "SIZEX[x];").expect("a file can be written");
    let run = fairground_in(&directory, "match no-blue.tbsmap duel-6x6 no-red.tbsmap nobody.tbsmap").failed(1);
    for sentence in [
        "no-blue.tbsmap: Blue has no units, so Red has won before the game begins",
        "no-red.tbsmap: Red has no units, so Blue has won before the game begins",
        "nobody.tbsmap: neither Red nor Blue has units",
    ] {
        assert!(run.err.contains(sentence), "{}", run.err);
    }
    assert!(run.out.is_empty() && !run.err.contains("duel"), "{}", run.err);
    let run = fairground_in(&directory, "match broken.tbsmap no-such-map").failed(1);
    assert!(run.err.contains("broken.tbsmap:1: ") && run.err.contains("no-such-map: no such file"), "{}", run.err);
    let run = fairground("match duel-6x6 front-6x6 duel-6x6").failed(1);
    assert!(run.err.contains("duel-6x6: the same map as duel-6x6"), "{}", run.err);
}

#[test]
fn json_has_a_row_for_each_map_and_one_for_all_and_adds_up() {
    let run = fairground(&format!("{MATCH} --red maxact --blue muct:5 --games 21 --swap --seed 3 --format json"));
    let run = run.succeeded();
    let mut rows = run.json();
    assert_eq!(rows.len(), 7);
    assert_eq!(names(&run)[..2], ["duel-6x6", "front-6x6"]);
    let timing = rows[6]["timing"].clone();
    assert!(rows[..6].iter().all(|row| row.get("timing").is_none()));
    for row in &rows {
        let games = number(&row["games"]);
        assert_eq!((&row["game"], &row["rules_version"]), (&"tubstap".into(), &"tubstap-1".into()));
        assert_eq!((&row["first"], &row["second"]), (&"maxact".into(), &"muct:5".into()));
        assert_eq!((&row["swap"], &row["seed"]), (&true.into(), &3.into()));
        let count = |of: &Value, what: &str| number(&of[what]["count"]);
        for (seat, expected) in [("first_as_red", 11.0 / 21.0), ("first_as_blue", 10.0 / 21.0), ("first_in_all", 1.0)] {
            let score = &row[seat];
            assert_eq!(number(&score["games"]), games * expected, "{seat}");
            let parts = ["wins", "losses", "draws"].map(|what| count(score, what));
            assert_eq!(parts.iter().sum::<f64>() + number(&score["truncated"]), number(&score["games"]));
            for what in ["wins", "losses", "draws"] {
                let (rate, [low, high]) =
                    (number(&score[what]["rate"]), [0, 1].map(|end| number(&score[what]["interval"][end])));
                assert!((rate - count(score, what) / number(&score["games"])).abs() < 1e-12);
                assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0, "{score}");
            }
        }
        let [as_red, as_blue, all] = ["first_as_red", "first_as_blue", "first_in_all"].map(|seat| &row[seat]);
        assert_eq!(number(&row["red_wins"]["count"]), count(as_red, "wins") + count(as_blue, "losses"));
        assert_eq!(number(&row["blue_wins"]["count"]), count(as_red, "losses") + count(as_blue, "wins"));
        assert_eq!(count(all, "wins"), count(as_red, "wins") + count(as_blue, "wins"));
        assert!(number(&row["mean_length"]) >= 1.0 && number(&row["mean_actions"]) >= number(&row["mean_length"]));
    }
    let whole = rows.pop().expect("the row of all maps");
    assert_eq!((&whole["map"], &whole["games"]), (&Value::Null, &126.into()));
    for what in ["wins", "losses", "draws"] {
        let sum: f64 = rows.iter().map(|row| number(&row["first_in_all"][what]["count"])).sum();
        assert_eq!(number(&whole["first_in_all"][what]["count"]), sum);
        assert!(sum > 0.0, "no {what}");
    }
    assert_eq!((&timing["backend"], &timing["games"]), (&"scalar".into(), &126.into()));
    assert!(number(&timing["games_per_s"]) > 0.0 && number(&timing["playouts_per_s"]) > 0.0);
    let sizes = timing["batch_sizes"].as_array().expect("sizes of batches");
    let least: f64 = sizes.iter().map(|size| number(&size["from"]) * number(&size["batches"])).sum();
    let most: f64 = sizes.iter().map(|size| number(&size["to"]) * number(&size["batches"])).sum();
    assert!(least <= number(&timing["playouts"]) && number(&timing["playouts"]) <= most && sizes.len() > 1);
    assert_eq!(timing["occupancy"], 1.0);
}

#[test]
fn the_same_seed_gives_the_same_games_whatever_plays_them() {
    let line =
        "match duel-6x6 skirmish-5x5 --red muct:20,leaves=3 --blue maxact --swap --games 12 --format json --quiet";
    let run = |more: &str| repeatable(&fairground(&format!("{line} {more}")).succeeded());
    let usual = run("--threads 1 --backend scalar");
    for more in ["--threads 3", "--threads 1 --at-a-time 1", "--threads 2 --at-a-time 7", "--backend simd"] {
        assert_eq!(run(more), usual, "{more}");
    }
    assert_ne!(run("--seed 2"), usual);
    // The games of a map do not depend on other maps, and more games begin with the same ones.
    let alone = repeatable(&fairground(&line.replace("duel-6x6 ", "")).succeeded());
    assert_eq!(alone[0], usual[1]);
    assert_eq!(usual.len(), 3);
}

#[test]
fn a_planner_plays_too() {
    let line = "match skirmish-5x5 --red mss --blue random --games 2 --seed 4 --format json --quiet";
    let row = fairground(line).succeeded().json().remove(0);
    assert_eq!((&row["first"], &row["games"]), (&"mss".into(), &2.into()));
    assert_eq!(number(&row["first_as_red"]["wins"]["count"]), 2.0);
    assert_eq!(row["first_as_blue"]["wins"]["rate"], Value::Null);
}

#[test]
fn csv_holds_the_same_numbers_as_json() {
    let line = "match duel-6x6 front-6x6 --backend scalar --red muct:4 --blue maxact --games 9 --swap --format";
    let csv = fairground(&format!("{line} csv")).succeeded();
    let json = fairground(&format!("{line} json --quiet")).succeeded().json();
    assert!(csv.err.contains("18 games in") && csv.err.contains("playouts/s"), "{}", csv.err);
    assert_eq!(fairground(&format!("{line} csv --quiet")).succeeded().err, "");
    let lines: Vec<Vec<&str>> = csv.out.lines().map(|line| line.split(',').collect()).collect();
    let [head, rows @ ..] = lines.as_slice() else { panic!("{}", csv.out) };
    assert_eq!(rows.len(), 3);
    for (row, json) in rows.iter().zip(json) {
        assert_eq!(head.len(), row.len());
        let cell = |name: &str| {
            let column = head.iter().position(|&cell| cell == name).unwrap_or_else(|| panic!("no column {name}"));
            row[column]
        };
        assert_eq!(cell("map"), json["map"].as_str().unwrap_or_default());
        assert_eq!((cell("first"), cell("second"), cell("swap")), ("muct:4", "maxact", "true"));
        for seat in ["first_as_red", "first_as_blue", "first_in_all"] {
            assert_eq!(cell(&format!("{seat}_games")), json[seat]["games"].to_string());
            for what in ["wins", "losses", "draws"] {
                let (name, share) = (format!("{seat}_{what}"), &json[seat][what]);
                assert_eq!(cell(&name), share["count"].to_string());
                assert!(is_near(cell(&format!("{name}_rate")), &share["rate"]));
                assert!(is_near(cell(&format!("{name}_low")), &share["interval"][0]));
                assert!(is_near(cell(&format!("{name}_high")), &share["interval"][1]));
            }
        }
        assert_eq!(cell("red_wins"), json["red_wins"]["count"].to_string());
        assert!(is_near(cell("blue_wins_high"), &json["blue_wins"]["interval"][1]));
        assert!(is_near(cell("mean_length"), &json["mean_length"]));
    }
}

#[test]
fn the_table_is_for_people() {
    let run =
        fairground("match duel-6x6 front-6x6 --backend scalar --threads 1 --red maxact --blue muct:3 --games 5 --swap");
    let run = run.succeeded();
    assert_eq!(run.err, "backend: scalar (rules engine), 1 thread\n");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], "maxact against muct:3, changing seats after every game; seed 1");
    assert!(lines[2].starts_with("map") && lines[2].contains("maxact wins %") && lines[2].contains("cut off"));
    let seats: Vec<_> = lines[3..12].iter().map(|line| line[..line.find('[').unwrap_or(0)].trim()).collect();
    assert!(seats[0].starts_with("duel-6x6") && seats[6].starts_with("all maps"), "{}", run.out);
    assert!(seats[1].starts_with("blue") && seats[2].starts_with("both"), "{}", run.out);
    assert!(
        run.out.contains("blue wins %") && run.out.contains("10 games in") && run.out.contains("lanes 100.0 % busy")
    );
    // One map, fixed seats: one line.
    let run = fairground(&format!("{MATCH} duel-6x6 --red maxact --blue random --games 5")).succeeded();
    assert!(run.out.starts_with("maxact against random, who is always Blue; seed 1\n"), "{}", run.out);
    assert_eq!(run.out.lines().filter(|line| line.starts_with("duel-6x6")).count(), 1, "{}", run.out);
    assert!(!run.out.contains("all maps") && run.err.is_empty(), "{}", run.out);
}

#[test]
fn maps_come_from_everywhere() {
    let directory = scratch("sources");
    fairground_in(&directory, "generate --count 3 --seed 5 --out maps").succeeded();
    let line = format!("{MATCH} --red random --blue random --games 1 --format json");
    let run = |arguments: &str| fairground_in(&directory, &format!("{line} {arguments}")).succeeded();
    let all = ["maps/0000.tbsmap", "maps/0001.tbsmap", "maps/0002.tbsmap", ""];
    assert_eq!(names(&run("maps")), all);
    assert_eq!(names(&run("--map maps")), all);
    assert_eq!(names(&run("--map maps/*1.tbsmap duel-6x6")), ["maps/0001.tbsmap", "duel-6x6", ""]);
    assert_eq!(names(&run("front-6x6 --map duel-6x6")), ["front-6x6", "duel-6x6", ""]);
    assert_eq!(names(&run("")).len(), 7);
    let mut child = command(&format!("{line} --map -"))
        .current_dir(&directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"duel-6x6\nmaps/0002.tbsmap\n").expect("the list is read");
    let run = Run::from(child.wait_with_output().expect("the program ends")).succeeded();
    assert_eq!(names(&run), ["duel-6x6", "maps/0002.tbsmap", ""]);
}

#[test]
fn limited_time_is_not_repeatable_and_says_so() {
    let line = "match skirmish-5x5 --backend scalar --threads 2 --red muct:ms=2 --blue random --games 3 --format json";
    let run = fairground(line).succeeded();
    assert!(run.err.contains("note: a player's time is limited, so the games cannot be repeated"), "{}", run.err);
    let timing = &run.json()[1]["timing"];
    assert_eq!(timing["at_a_time"], 2);
    assert!(number(&timing["playouts"]) > 0.0);
    let quiet = fairground(&format!("{line} --quiet --at-a-time 1")).succeeded();
    assert_eq!(quiet.err, "");
}

#[test]
fn records_are_repeatable_and_never_overwritten_unasked() {
    let directory = scratch("records");
    let line = format!("{MATCH} duel-6x6 skirmish-5x5 --red maxact --blue muct:3 --games 3 --swap --format json");
    let first = fairground_in(&directory, &format!("{line} --record deep/a --threads 1")).succeeded();
    fairground_in(&directory, &format!("{line} --record b --threads 3 --at-a-time 2")).succeeded();
    let names =
        ["duel-6x6", "skirmish-5x5"].into_iter().flat_map(|map| (1..=3).map(move |n| format!("{map}-000{n}.tbsmap")));
    let names: BTreeSet<_> = names.collect();
    assert_eq!(files(&directory.join("deep/a")), names);
    assert_eq!(files(&directory.join("b")), names);
    let mut wins = 0;
    for name in &names {
        let [a, b] = ["deep/a", "b"].map(|out| fs::read_to_string(directory.join(out).join(name)).expect("a record"));
        assert_eq!(a, b, "{name}");
        let number = &name[name.len() - 8..name.len() - 7];
        let (red, blue) = if number == "2" { ("muct:3", "maxact") } else { ("maxact", "muct:3") };
        let heading = format!(
            "PLAYEDDATE[seed 1, game {number}];PLAYEDRULE[rule_set_version_0100];PLAYERRED[{red}];PLAYERBLUE[{blue}]"
        );
        assert!(a.contains(&heading), "{name}: {a}");
        let shown = fairground_in(&directory, &format!("show --replay deep/a/{name}")).succeeded();
        let winner = if number == "2" { "Blue wins after" } else { "Red wins after" };
        wins += u32::from(shown.out.contains(winner));
    }
    // What is recorded is what is counted.
    assert_eq!(first.json()[2]["first_in_all"]["wins"]["count"], wins);
    assert!(wins > 0);
    let refused = fairground_in(&directory, &format!("{line} --record b")).failed(1);
    assert!(
        refused.err.contains("duel-6x6-0001.tbsmap and 5 more would be overwritten; --force does it"),
        "{}",
        refused.err
    );
    fairground_in(&directory, &format!("{line} --record b --force")).succeeded();
    assert_eq!(files(&directory.join("b")), names);
}

#[test]
fn a_directory_that_cannot_be_written_is_refused_before_anything_is_played() {
    let directory = scratch("unwritable");
    fs::write(directory.join("file"), "").expect("a file can be written");
    // It would take for ever.
    let line = format!("{MATCH} --red mss --blue mss --games 1000000 --record");
    for place in ["file", "file/below"] {
        let run = fairground_in(&directory, &format!("{line} {place}")).failed(1);
        assert!(run.err.contains(&format!("cannot write {place}: ")) && run.out.is_empty(), "{}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_before_the_first_unfinished_one() {
    let directory = scratch("stopped");
    let line =
        "match duel-6x6 front-6x6 --backend scalar --red muct:60 --blue maxact --format json --quiet --threads 2";
    let mut child = command(&format!("{line} --games 100000 --at-a-time 24 --record games"))
        .current_dir(&directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    while !directory.join("games/duel-6x6-000005.tbsmap").exists() {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended before it was stopped");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("its results");
    BufReader::new(child.stderr.take().expect("a pipe")).read_to_string(&mut err).expect("its messages");
    let stopped = Run { code: child.wait().expect("the program ends").code(), out, err }.failed(1);
    let rows = stopped.json();
    let counted = rows[0]["games"].as_u64().expect("a number");
    assert!(counted >= 5 && rows.len() == 2, "{}", stopped.out);
    let said = format!("stopped on request: {counted} of 200,000 games count, those before the first one");
    assert!(stopped.err.contains(&said), "{}", stopped.err);
    // More were finished, but only these are recorded, and they are what a run of so many games gives.
    assert!(number(&rows[1]["timing"]["games"]) >= counted as f64);
    assert_eq!(files(&directory.join("games")).len() as u64, counted);
    let again = fairground(&format!("{} --games {counted}", line.replace(" front-6x6", ""))).succeeded();
    assert_eq!(repeatable(&stopped), repeatable(&again));
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_ends_the_run() {
    let directory = scratch("gone");
    let line = format!("{MATCH} duel-6x6 --red muct:20 --blue maxact --games 1000000 --at-a-time 4 --record games");
    let child = command(&line).current_dir(&directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    while !directory.join("games/duel-6x6-0000002.tbsmap").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::rename(directory.join("games"), directory.join("elsewhere")).expect("a directory can be renamed");
    let run = Run::from(child.wait_with_output().expect("the program ends")).failed(1);
    assert!(run.err.contains("cannot write games/duel-6x6-0") && run.out.is_empty(), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_players_that_never_wait() {
    let mut child =
        command("match duel-6x6 --backend scalar --threads 1 --red random --blue random --games 4000000000")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
    let mut err = child.stderr.take().expect("a pipe");
    let mut byte = [0];
    err.read_exact(&mut byte).expect("it names its backend first");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_recorded_game_is_shown_phase_by_phase() {
    let directory = scratch("replay");
    fairground_in(
        &directory,
        &format!("{MATCH} skirmish-5x5 --red maxact --blue random --games 1 --seed 3 --record games"),
    )
    .succeeded();
    let file = "games/skirmish-5x5-0001.tbsmap";
    let show = |more: &str| fairground_in(&directory, &format!("show --replay {file} {more}"));
    let whole = show("").succeeded();
    assert!(
        whole.out.starts_with("Red maxact against Blue random\nseed 3, game 1, rule_set_version_0100\n"),
        "{}",
        whole.out
    );
    assert!(whole.out.contains("5x5, limit 9") && whole.err.is_empty(), "{}", whole.out);
    let phases = whole.out.matches("\nPhase ").count();
    assert!(phases >= 3 && whole.out.contains("\nPhase 0, Red\n") && whole.out.contains("\nPhase 1, Blue\n"));
    assert!(whole.out.contains(", attacks ") && whole.out.contains(" damage ("), "{}", whole.out);
    let result = whole.out.lines().last().expect("a result");
    assert!(result.contains(&format!("after {phases} phases")), "{result}");
    // One phase is a part of the whole.
    let one = show("--phase 1").succeeded().out;
    assert_eq!(one.matches("\nPhase ").count(), 1);
    let part = &one[one.find("\nPhase 1").expect("the phase")..];
    assert!(whole.out.contains(part.rsplit_once("\n\n").expect("a result").0), "{part}");
    assert!(show("--colour always").succeeded().out.contains('\x1b') && !whole.out.contains('\x1b'));
    let run = show("--phase 99").failed(1);
    assert!(
        run.err.contains(&format!("there is no phase 99 in this game, expected 0 to {}", phases - 1)),
        "{}",
        run.err
    );
    // It is still a map.
    assert!(fairground_in(&directory, &format!("show {file}")).succeeded().out.contains("5x5, limit 9"));
    // A fault is shown where it is.
    let text = fs::read_to_string(directory.join(file)).expect("a record");
    let (at, action) = text.lines().enumerate().find(|(_, line)| line.starts_with("ACTION")).expect("an action");
    let wrong = text.replacen(action, "ACTION[0,1,1,9,9,-1,-1,-1,1,0,0];", 1);
    fs::write(directory.join("wrong.tbsmap"), wrong).expect("a file can be written");
    let run = fairground_in(&directory, "show --replay wrong.tbsmap").failed(1);
    assert!(run.err.contains(&format!("wrong.tbsmap:{}: ", at + 1)) && run.err.contains("expected"), "{}", run.err);
    let run = fairground_in(&directory, "show --replay absent.tbsmap").failed(1);
    assert!(run.err.contains("absent.tbsmap: "), "{}", run.err);
    let run = fairground_in(&directory, "generate --count 1 --out maps").succeeded();
    assert!(run.out.contains("wrote"));
    let run = fairground_in(&directory, "show --replay maps/0000.tbsmap").failed(1);
    assert!(run.err.contains("there is no TURNINFO, expected a game after the map"), "{}", run.err);
}
