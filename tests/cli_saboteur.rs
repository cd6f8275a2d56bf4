//! The `fairground` program with Saboteur as a user runs it: settings, readings, pictures, and the paper.

#[path = "common/program.rs"]
mod program;

use std::fs;

use fairground::games::saboteur::SWITCHES;
use program::{command, fairground, fairground_in, names, scratch};
use serde_json::Value;

const EVAL: &str = "eval --game saboteur --backend scalar --quiet";

const SETTINGS: [&str; 8] =
    ["3-players", "4-players", "5-players", "6-players", "7-players", "8-players", "9-players", "10-players"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("eval --players 2", "3 to 10 players"),
        ("eval --players 6,11", "3 to 10 players"),
        ("eval --game saboteur --policy clever", "(there are random, paper"),
        ("eval --game saboteur --policy paper,random,paper", "not 3"),
        ("eval --game saboteur --policy random --preset A", "nobody plays it"),
        ("eval --players 6 --policy random --weights 80:20", "nobody plays it"),
        ("eval --game saboteur --preset B", "plain, A, R1"),
        ("eval --game saboteur --weights eighty:20", "whole numbers"),
        ("eval --game saboteur --weights 80", "whole numbers"),
        ("eval --game saboteur --counted-cards all", "none, mean, sum"),
        ("eval --game saboteur --board 1,2", "LEFT,RIGHT,BOTTOM,TOP"),
        ("eval --game saboteur --reading discards=first", "no such switch"),
        ("eval --game saboteur --reading discard=second", "discard is one of"),
        ("eval --game saboteur --reading discard", "SWITCH=VALUE"),
        ("eval --game saboteur --turn-cap 100", "catan only"),
        ("eval --game catan --preset A", "saboteur only"),
        ("eval beginner --whole-games", "saboteur only"),
        ("eval --game tubstap --players 6", "saboteur only"),
        ("eval duel-6x6 --board paper", "saboteur only"),
        ("bench --game catan --reading discard=first", "saboteur only"),
        ("eval 6-players duel-6x6", "--game"),
        ("show duel-6x6 --policy random", "saboteur only"),
        ("show beginner --turn 3", "saboteur only"),
        ("show --players 5,6 --svg never-made.svg", "one map"),
        ("generate --game saboteur --out never-made", "no maps to generate"),
        ("reproduce", "Usage"),
        ("reproduce 005", "005"),
        ("reproduce 004 --rounds 0", "rounds"),
        ("reproduce 004 --preset B", "plain, A, R1"),
        ("reproduce 004 --budget 10", "--calibrate"),
        ("reproduce 004 --calibrate --budget soon", "number of points"),
        ("reproduce 004 --calibrate --dip", "--dip"),
        ("reproduce 004 --calibrate --preset A", "--preset"),
        ("reproduce 004 --dip --board paper", "do not go with --dip"),
    ] {
        let run = fairground(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
    let run = fairground("eval --game saboteur --quiet no-such-setting .").failed(1);
    assert!(run.err.contains("no-such-setting: no such file") && run.err.contains("no map files"), "{}", run.err);
}

#[test]
fn eval_plays_all_settings_and_adds_up() {
    let run = fairground(&format!("{EVAL} --playouts 300 --seed 3 --format json")).succeeded();
    assert_eq!(names(&run), SETTINGS);
    let mut draws_seen = 0.0;
    for (row, players) in run.json().iter().zip(3..) {
        assert_eq!((&row["game"], &row["rules_version"]), (&"saboteur".into(), &"saboteur-1".into()));
        assert_eq!((&row["policy"], &row["preset"], &row["reading"]), (&"paper".into(), &"A".into(), &"".into()));
        assert_eq!((&row["weights"], &row["board"]), (&"80:20".into(), &"-1,22,-4,4".into()));
        assert_eq!((&row["players"], &row["whole_games"], &row["seed"]), (&players.into(), &false.into(), &3.into()));
        assert_eq!(row["seats"], serde_json::json!(["diggers", "saboteurs"]));
        let wins: Vec<f64> = row["wins"].as_array().expect("wins by side").iter().map(number).collect();
        assert_eq!(wins.iter().sum::<f64>() + number(&row["draws"]), 300.0);
        assert!(wins.iter().all(|wins| *wins > 0.0));
        // Only three or four players may all be diggers.
        assert!(players <= 4 || row["draws"] == 0);
        draws_seen += number(&row["draws"]);
        assert!(number(&row["mean_length"]) > 10.0 && number(&row["mean_length"]) <= 67.0);
    }
    assert!(draws_seen > 0.0);
}

#[test]
fn settings_are_named_or_counted() {
    let run = |line: &str| fairground(&format!("eval --backend scalar --quiet --playouts 50 --format json {line}"));
    let named = run("6-players 3-players").succeeded();
    assert_eq!(names(&named), ["6-players", "3-players"]);
    assert_eq!(named.out, run("--players 6,3").succeeded().out);
    assert_eq!(named.out, run("6-players --game saboteur --players 3").succeeded().out);
    assert_eq!(names(&run("--preset R1").succeeded()), SETTINGS);
}

#[test]
fn a_run_is_repeated_from_what_it_prints() {
    for line in [
        "--policy paper,random --preset plain --weights 60:40 --counted-cards sum",
        "--reading discard=uniform,plays-zero=no --reading of-two=upper --board -2,9,-3,5",
        "--preset r1 --board widest",
        "--policy random,paper",
    ] {
        let run = |line: &str| fairground(&format!("{EVAL} 5-players --playouts 200 --format json {line}")).succeeded();
        let first = run(line);
        let row = first.json().remove(0);
        let text = |name: &str| row[name].as_str().unwrap_or_else(|| panic!("no {name}: {row}")).to_owned();
        let reading = text("reading");
        let reading = if reading.is_empty() { String::new() } else { format!("--reading {reading}") };
        let again = format!(
            "--policy {} --preset {} --weights {} --board {} {reading}",
            text("policy"),
            text("preset"),
            text("weights"),
            text("board"),
        );
        assert_eq!(first.out, run(&again).out, "{again}");
    }
    let random = fairground(&format!("{EVAL} 5-players --playouts 20 --policy random --format json")).succeeded();
    let row = random.json().remove(0);
    assert_eq!((&row["preset"], &row["weights"]), (&Value::Null, &Value::Null));
    assert_eq!(row["board"], "-21,22,-23,23");
}

#[test]
fn every_switch_is_taken_and_some_change_the_rounds() {
    let wins = |line: &str| {
        let run = fairground(&format!("{EVAL} 6-players --playouts 60 --format json {line}")).succeeded();
        run.json()[0]["wins"].clone()
    };
    let (usual, mut changed) = (wins(""), 0);
    for switch in SWITCHES {
        for value in switch.values {
            changed += u32::from(wins(&format!("--reading {}={value}", switch.name)) != usual);
        }
    }
    assert!(changed > 10, "{changed}");
    let help = fairground("eval --help").succeeded().out;
    for switch in SWITCHES {
        assert!(help.contains(&format!("- {}={}:", switch.name, switch.values.join("|"))), "{}", switch.name);
    }
}

#[test]
fn whole_games_are_won_by_players() {
    let run = |line: &str| fairground(&format!("{EVAL} --whole-games --playouts 200 {line}")).succeeded();
    let json = run("--format json").json();
    assert_eq!(json.len(), SETTINGS.len());
    for (row, players) in json.iter().zip(3..) {
        let wins: Vec<f64> = row["wins"].as_array().expect("wins by player").iter().map(number).collect();
        assert_eq!((wins.len(), row["seats"].as_array().map(Vec::len)), (players, Some(players)));
        assert!(number(&row["draws"]) > 0.0, "some victories are shared");
        assert_eq!(wins.iter().sum::<f64>() + number(&row["draws"]), 200.0);
        assert!(number(&row["mean_length"]) > 67.0, "three rounds are longer than one");
        assert!((0.0..=1.0).contains(&number(&row["equal_seats_p"])));
        assert_eq!(row["whole_games"], true);
    }
    // Rows with fewer players have empty cells, so that all have the same columns.
    let csv = run("--players 3,5 --format csv").out;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = lines[0].iter().position(|head| *head == "5_wins").expect("five players");
    // The board is quoted and has three commas.
    assert!(lines[1..].iter().all(|line| line.len() == lines[0].len() + 3));
    assert_eq!(lines[1][column + 3], "");
    assert_eq!(lines[2][column + 3], json[2]["wins"][4].to_string());
    let table = run("--players 3,5").out;
    assert!(table.contains("5 wins %") && table.contains('±') && table.contains(" - "), "{table}");
}

#[test]
fn the_same_seed_gives_the_same_rounds_whatever_the_threads() {
    for whole in ["", "--whole-games"] {
        let line = format!("{EVAL} --playouts 400 --format json {whole}");
        let one = fairground(&format!("{line} --seed 7 --threads 1")).succeeded().out;
        assert_eq!(one, fairground(&format!("{line} --seed 7 --threads 3")).succeeded().out);
        assert_ne!(one, fairground(&format!("{line} --seed 8")).succeeded().out);
    }
}

#[test]
fn show_plays_the_rounds_that_eval_counts() {
    let eval = fairground(&format!("{EVAL} 4-players --playouts 12 --seed 5 --format json")).succeeded().json();
    let mut ends = [0, 0, 0];
    for round in 0..12 {
        let shown = fairground(&format!("show 4-players --seed 5 --round {round}")).succeeded().out;
        assert!(
            shown.starts_with(&format!("4-players, round {round} of seed 5, policy paper in reading A")),
            "{shown}"
        );
        let end = ["the diggers win\n", "the saboteurs win\n", "nobody wins\n"].map(|end| shown.contains(end));
        assert_eq!(end.iter().filter(|is_so| **is_so).count(), 1, "{shown}");
        ends.iter_mut().zip(end).for_each(|(count, is_so)| *count += u64::from(is_so));
    }
    assert_eq!(ends[..2].to_vec(), [0, 1].map(|seat| eval[0]["wins"][seat].as_u64().expect("a number")));
    assert_eq!(eval[0]["draws"], ends[2]);
    assert!(ends[0] > 0 && ends[1] > 0, "{ends:?}");
}

#[test]
fn show_draws_a_moment_of_a_round_in_the_terminal_and_as_svg() {
    let directory = scratch("show");
    let begin = fairground("show --players 6 --policy random --turn 0").succeeded().out;
    assert!(begin.contains("the cards are dealt") && begin.matches('┌').count() == 1, "{begin}");
    assert_eq!(begin.matches("╔═══╗").count(), 3, "{begin}");
    let later = fairground("show --players 6 --policy random --turn 30").succeeded().out;
    assert!(later.contains("turn 30: player ") && later.contains(" is next") && later.matches('┌').count() > 1);
    assert!(!later.contains('\x1b'));
    assert!(fairground("show 6-players --colour always").succeeded().out.contains('\x1b'));
    let both = fairground("show 6-players 3-players").succeeded().out;
    assert!(both.starts_with("6-players\n6-players, round 0") && both.contains("\n\n3-players\n"), "{both}");
    fairground_in(&directory, "show 6-players --seed 2 --round 7 --svg round.svg").succeeded();
    let svg = fs::read_to_string(directory.join("round.svg")).expect("the picture");
    assert!(svg.starts_with("<svg") && svg.contains("round 7 of seed 2") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn bench_measures_rounds_and_whole_games() {
    let bench = |line: &str| {
        fairground(&format!("bench --game saboteur --backend scalar --seconds 0.05 --format json {line}")).succeeded()
    };
    let rounds = bench("").json();
    assert_eq!(rounds.len(), 1);
    assert_eq!((&rounds[0]["map"], &rounds[0]["policy"]), (&"6-players".into(), &"paper".into()));
    assert_eq!((&rounds[0]["preset"], &rounds[0]["players"]), (&"A".into(), &6.into()));
    let games = bench("--whole-games").json();
    assert_eq!(games[0]["whole_games"], true);
    assert!(number(&games[0]["playouts_per_s"]) > 0.0);
    let mixed = bench("--mixed --policy random").json();
    assert_eq!((&mixed[0]["map"], mixed[0].get("players")), (&"mixed (8 maps)".into(), None));
    let table = fairground("bench 5-players --backend scalar --seconds 0.05 --preset plain").succeeded().out;
    assert!(table.contains("policy paper in reading plain, weights 80:20, board -11,18,-14,14, seed 1"), "{table}");
}

const REPRODUCE: &str = "reproduce 004 --backend scalar --quiet";

#[test]
fn the_tables_of_the_paper_stand_beside_the_numbers_of_eval() {
    let run = fairground(&format!("{REPRODUCE} --rounds 400 --seed 4 --format json")).succeeded();
    let rows = run.json();
    assert_eq!(rows.len(), 2 * 8 * 3);
    for (name, counted) in [("A", ""), ("R1", ""), ("A", "--counted-cards mean")] {
        let row = rows.iter().find(|row| {
            let is_counted = row["counts_cards"] == !counted.is_empty();
            row["name"] == name && row["weights"] == "80:20" && is_counted && row["rounds_of"] == "all"
        });
        let row = row.expect("a row of this setting");
        let line = format!("{EVAL} 6-players --playouts 400 --seed 4 --format json --preset {name} {counted}");
        let eval = fairground(&line).succeeded().json().remove(0);
        assert_eq!((&row["wins"], &row["rate"]), (&eval["wins"][0], &eval["rates"][0]), "{name} {counted}");
        assert_eq!((&row["low"], &row["high"]), (&eval["intervals"][0][0], &eval["intervals"][0][1]));
    }
    for three in rows.chunks(3) {
        for name in ["wins", "rounds", "paper_wins", "paper_rounds"] {
            assert_eq!(number(&three[0][name]), number(&three[1][name]) + number(&three[2][name]), "{name}");
        }
        assert!(three.iter().all(|row| number(&row["z"]).abs() < 20.0 && number(&row["prototype_z"]).abs() < 4.5));
    }
    let base = rows.iter().find(|row| row["weights"] == "100:0" && row["rounds_of"] == "5 diggers").expect("a row");
    assert_eq!((&base["paper_wins"], &base["paper_rounds"]), (&7525.into(), &8544.into()));
}

#[test]
fn the_report_is_written_as_table_csv_and_markdown() {
    let directory = scratch("report");
    let line = format!("{REPRODUCE} --rounds 60 --preset plain");
    let table = fairground_in(&directory, &format!("{line} --out report.md")).succeeded();
    assert!(table.out.contains("Reading plain, board -11,18,-14,14") && table.out.contains("60:40"), "{}", table.out);
    assert!(table.out.contains("Sum of z^2") && table.out.contains("30,001") && table.out.contains("swap the labels"));
    let markdown = fs::read_to_string(directory.join("report.md")).expect("the report");
    assert!(
        markdown.contains("## Reading plain")
            && markdown.contains("| --- |")
            && markdown.contains("| 80:20 + E_card |")
    );
    let csv = fairground(&format!("{line} --format csv")).succeeded().out;
    assert_eq!(csv.lines().count(), 1 + 8 * 3);
    assert!(csv.starts_with("name,changes_of_a,board,players,seed,weights"), "{csv}");
    let own = fairground(&format!("{line} --preset A --reading discard=first --board -2,22,-5,4")).succeeded();
    assert!(own.out.contains("Reading A with discard=first, board -2,22,-5,4"), "{}", own.out);
    fairground_in(&directory, &format!("{line} --out no-such-folder/report.md")).failed(1);
}

#[test]
fn calibration_is_the_same_for_the_same_points_and_holds_rows_out() {
    let line = format!("{REPRODUCE} --calibrate --budget 3 --rounds 300 --seed 2");
    let run = fairground(&line).succeeded();
    assert_eq!(run.out, fairground(&format!("{line} --threads 1")).succeeded().out);
    assert!(run.out.contains("3 points tried") && run.out.contains("fitted on 50:50, 70:30, 100:0"), "{}", run.out);
    assert_eq!(run.out.matches("held out").count(), 1 + 1 + 5, "{}", run.out);
    assert!(run.out.contains("found 1: --reading ") && run.out.contains("nothing is held out"), "{}", run.out);
    let rows = fairground(&format!("{line} --format json")).succeeded().json();
    let fitted = rows.iter().filter(|row| row["is_fitted"] == true).count();
    // One find, A and R1.
    assert_eq!((rows.len(), fitted), (3 * 8 * 3, 3 * 3 * 3));
    assert!(rows.iter().all(|row| row["points"] == 3 && number(&row["seed"]) > 2.0 && row["search_seed"] == 2));
    // What was found can be played again.
    let (changes, board) = (rows[0]["changes_of_a"].as_str().expect("text"), rows[0]["board"].as_str().expect("text"));
    let reading = if changes.is_empty() { String::new() } else { format!("--reading {changes}") };
    let seed = &rows[0]["seed"];
    let again = format!("{REPRODUCE} --preset A {reading} --board {board} --rounds 300 --seed {seed} --format json");
    assert_eq!(fairground(&again).succeeded().json()[0]["wins"], rows[0]["wins"]);
    let timed = fairground(&format!("{REPRODUCE} --calibrate --budget 1s --rounds 50")).succeeded();
    assert!(timed.out.contains("points tried"), "{}", timed.out);
}

#[test]
fn the_dip_is_judged_in_words() {
    let run = fairground(&format!("{REPRODUCE} --dip --rounds 60")).succeeded();
    for part in ["A, verdict: ", "R1, verdict: ", "closed by digger", "detours", "unlimited"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let rows = fairground(&format!("{REPRODUCE} --dip --preset A --rounds 60 --format json")).succeeded().json();
    assert_eq!(rows.len(), 5 * 6);
    for row in rows {
        assert_eq!(row["rounds"], 60);
        let left = number(&row["cards_left_by_diggers"]) + number(&row["cards_left_by_saboteurs"]);
        assert_eq!(row["columns_left"] == 0, left == 0.0, "{row}");
        assert!(number(&row["closed_far_by_diggers"]) <= number(&row["closed_by_diggers"]));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_calibration_with_what_it_found() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let mut child = command("reproduce 004 --backend scalar --calibrate --budget 1000000 --rounds 50")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    err.read_line(&mut text).expect("it names its backend first");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    err.read_to_string(&mut text).expect("the rest of its messages");
    assert!(text.contains("stopped on request: what was found"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("points tried"));
}
