//! The `fairground` program as a user runs it: output, files, exit codes.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use program::{Run, command, fairground, fairground_in, names, scratch};
use serde_json::Value;

/// A scratch directory with a few generated maps in `maps`.
fn scratch_with_maps(test: &str) -> PathBuf {
    let directory = scratch(test);
    fairground_in(&directory, "generate --count 3 --seed 5 --out maps").succeeded();
    directory
}

const EVAL_JSON: &str = "eval --backend scalar --playouts 50 --format json";

#[test]
fn help_and_version_succeed_on_standard_output() {
    for line in [
        "--help",
        "eval --help",
        "bench --help",
        "show --help",
        "generate --help",
        "evolve --help",
        "reproduce --help",
        "reproduce 004 --help",
    ] {
        let run = fairground(line).succeeded();
        assert!(run.out.contains("Usage: fairground") && run.out.contains("Examples:"), "{line}: {}", run.out);
    }
    let version = fairground("--version").succeeded().out;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    assert!(["tubstap-", "catan-", "saboteur-"].iter().all(|rules| version.contains(rules)), "{version}");
}

#[test]
fn wrong_usage_exits_with_2() {
    for line in [
        "",
        "no-such-command",
        "eval --no-such-option",
        "eval --game chess",
        "eval --policy clever",
        "eval --policy random,random",
        "eval --turn-cap 100",
        "eval --game catan --turn-cap 0",
        "eval --game catan --policy muct",
        "eval --game catan --policy random,random",
        "eval duel-6x6 beginner",
        "bench --game catan --policy clever",
        "eval --playouts 0",
        "eval --backend scalar --simd-level avx2",
        "eval --simd-level mmx",
        "bench --backend scalar --simd-level avx2",
        "eval --threads 1000000",
        "bench --threads 1,-1",
        "bench --seconds 0",
        "generate --size 9x9 --out never-made",
        "generate --size 6",
    ] {
        let run = fairground(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && !run.err.is_empty(), "{line}");
    }
}

#[test]
fn eval_json_has_all_fields_and_adds_up() {
    let run = fairground("eval --game tubstap --backend scalar --playouts 2000 --seed 3 --format json").succeeded();
    let rows = run.json();
    assert!(rows.len() >= 2);
    assert_eq!(rows[0]["map"], "duel-6x6");
    assert_eq!(rows[1]["map"], "front-6x6");
    for row in rows {
        let number = |value: &Value| value.as_f64().expect("a number");
        assert_eq!(row["playouts"], 2000);
        assert_eq!(row["seed"], 3);
        assert_eq!(row["policy"], "random");
        assert_eq!(row["backend"], "scalar");
        assert_eq!(row["rules_version"], "tubstap-1");
        let wins: Vec<f64> = row["wins"].as_array().expect("wins by seat").iter().map(number).collect();
        assert_eq!(wins.len(), 2);
        let (draws, truncated) = (number(&row["draws"]), number(&row["truncated"]));
        assert_eq!(wins.iter().sum::<f64>() + draws + truncated, 2000.0);
        for (seat, wins) in wins.iter().enumerate() {
            let rate = number(&row["rates"][seat]);
            assert_eq!(rate, wins / 2000.0);
            let [low, high] = [0, 1].map(|end| number(&row["intervals"][seat][end]));
            assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
        }
        let gap = (number(&row["rates"][0]) - number(&row["rates"][1])).abs();
        let fitness = number(&row["fitness"]);
        assert!((fitness - (1.0 - gap - (draws + truncated) / 2000.0)).abs() < 1e-9);
        let [low, high] = [0, 1].map(|end| number(&row["fitness_interval"][end]));
        assert!(low <= fitness && fitness <= high);
        assert!(number(&row["mean_length"]) >= 1.0);
        assert!(number(&row["mean_actions"]) >= number(&row["mean_length"]));
    }
}

#[test]
fn eval_csv_holds_the_same_numbers_as_json() {
    let csv = fairground("eval duel-6x6 --backend scalar --playouts 300 --format csv").succeeded().out;
    let json = fairground("eval duel-6x6 --backend scalar --playouts 300 --format json").succeeded().json();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let [head, row] = lines.as_slice() else { panic!("a header and one row: {csv}") };
    assert_eq!(head.len(), row.len());
    let cell = |name: &str| {
        let column = head.iter().position(|&cell| cell == name).unwrap_or_else(|| panic!("no column {name}"));
        row[column].to_owned()
    };
    assert_eq!(cell("map"), "duel-6x6");
    assert_eq!(cell("playouts"), "300");
    assert_eq!(cell("red_wins"), json[0]["wins"][0].to_string());
    assert_eq!(cell("blue_wins"), json[0]["wins"][1].to_string());
    assert_eq!(cell("draws"), json[0]["draws"].to_string());
    assert_eq!(cell("blue_high").parse::<f64>().ok(), json[0]["intervals"][1][1].as_f64());
    assert_eq!(cell("fitness").parse::<f64>().ok(), json[0]["fitness"].as_f64());
}

#[test]
fn eval_table_is_for_people_and_the_backend_goes_to_standard_error() {
    let run = fairground("eval duel-6x6 --backend scalar --playouts 1234 --threads 1").succeeded();
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.out);
    assert!(lines[0].starts_with("map") && lines[0].contains("red wins %") && lines[0].contains("fitness"));
    assert!(lines[1].starts_with("duel-6x6") && lines[1].contains("1,234"));
    assert_eq!(run.err, "backend: scalar (rules engine), 1 thread\n");
    let quiet = fairground("eval duel-6x6 --backend scalar --playouts 1234 --threads 1 --quiet").succeeded();
    assert_eq!((quiet.out, quiet.err.as_str()), (run.out, ""));
}

#[test]
fn generated_maps_keep_to_the_terrains() {
    use fairground::games::tubstap::{Terrain, file};
    let directory = scratch("terrains");
    fairground_in(&directory, "generate --count 5 --terrains plain,wood,wood --out maps").succeeded();
    for number in 0..5 {
        let map = file::read(&directory.join(format!("maps/000{number}.tbsmap"))).expect("a map").map;
        let count = |terrain| map.cells().filter(|&cell| map.terrain_at(cell) == terrain).count();
        assert!(count(Terrain::Plain) > 0 && count(Terrain::Plain) + count(Terrain::Wood) == 36);
    }
}

#[test]
fn same_seed_same_output_whatever_the_threads() {
    for policy in ["random", "muct", "mss"] {
        let line = format!("eval --backend scalar --playouts 3000 --format json --policy {policy}");
        let one = fairground(&format!("{line} --seed 7 --threads 1")).succeeded().out;
        assert_eq!(one, fairground(&format!("{line} --seed 7 --threads 1")).succeeded().out);
        assert_eq!(one, fairground(&format!("{line} --seed 7 --threads 3")).succeeded().out);
        assert_ne!(one, fairground(&format!("{line} --seed 8 --threads 1")).succeeded().out);
    }
}

#[test]
fn generated_maps_are_evaluated_from_files_directories_and_patterns() {
    let directory = scratch_with_maps("sources");
    fs::create_dir(directory.join("maps/below")).expect("a directory can be made");
    fs::rename(directory.join("maps/0002.tbsmap"), directory.join("maps/below/0002.tbsmap")).expect("a file moves");
    fs::write(directory.join("maps/notes.txt"), "not a map").expect("a file can be written");
    let run = |arguments: &str| fairground_in(&directory, &format!("{EVAL_JSON} {arguments}")).succeeded();
    let all = ["maps/0000.tbsmap", "maps/0001.tbsmap", "maps/below/0002.tbsmap"];
    assert_eq!(names(&run("maps")), all);
    assert_eq!(names(&run("maps/000?.tbsmap")), all[..2]);
    assert_eq!(names(&run("maps/**/*.tbsmap")), all);
    assert_eq!(names(&run("maps/0001.tbsmap front-6x6 maps/0000.tbsmap")), [all[1], "front-6x6", all[0]]);
    // A map's result does not depend on its neighbours.
    assert_eq!(run("maps/0001.tbsmap").json()[0], run("maps").json()[1]);
}

#[test]
fn a_file_wins_over_a_built_in_map_of_its_name() {
    let directory = scratch_with_maps("shadow");
    fs::rename(directory.join("maps/0000.tbsmap"), directory.join("duel-6x6")).expect("a file moves");
    let own = fairground_in(&directory, &format!("{EVAL_JSON} --seed 2 duel-6x6")).succeeded();
    let builtin = fairground(&format!("{EVAL_JSON} --seed 2 duel-6x6")).succeeded();
    assert_ne!(own.out, builtin.out);
}

#[test]
fn a_dash_reads_the_list_from_standard_input() {
    let directory = scratch_with_maps("list");
    let evaluate = |list: &str| -> Run {
        let mut child = command(&format!("{EVAL_JSON} -"))
            .current_dir(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(list.as_bytes()).expect("the list is read");
        child.wait_with_output().expect("the program ends").into()
    };
    let run = evaluate("maps/0001.tbsmap\n\nduel-6x6\nmaps/0000.tbsmap").succeeded();
    assert_eq!(names(&run), ["maps/0001.tbsmap", "duel-6x6", "maps/0000.tbsmap"]);
    assert!(evaluate("\n").failed(1).err.contains("standard input"));
}

#[test]
fn every_fault_of_every_file_is_reported_with_its_line() {
    let directory = scratch_with_maps("faults");
    let good = fs::read_to_string(directory.join("maps/0000.tbsmap")).expect("a generated map");
    let unit = good.lines().position(|line| line.contains("UNIT[")).expect("a unit");
    // No name of a kind survives this.
    let spoil = |line: &str| line.replace(['a', 'e'], "?");
    let bad: Vec<_> =
        good.lines().enumerate().map(|(at, line)| if at == unit { spoil(line) } else { line.into() }).collect();
    fs::write(directory.join("one.tbsmap"), bad.join("\n")).expect("a file can be written");
    fs::write(directory.join("two.tbsmap"), "").expect("a file can be written");
    let line = format!("{EVAL_JSON} one.tbsmap maps/0001.tbsmap two.tbsmap three.tbsmap nothing-*.tbsmap");
    let run = fairground_in(&directory, &line).failed(1);
    assert!(run.out.is_empty(), "nothing is played: {}", run.out);
    assert!(run.err.contains(&format!("one.tbsmap:{}: ", unit + 1)), "{}", run.err);
    assert!(run.err.contains("two.tbsmap:"), "{}", run.err);
    assert!(run.err.contains("three.tbsmap: no such file"), "{}", run.err);
    assert!(run.err.contains("nothing-*.tbsmap: no file matches"), "{}", run.err);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

#[test]
fn warnings_go_to_standard_error_and_the_map_is_played() {
    let directory = scratch_with_maps("warnings");
    let good = fs::read_to_string(directory.join("maps/0000.tbsmap")).expect("a generated map");
    fs::write(directory.join("twice.tbsmap"), format!("{good}TURNLIMIT[12];\n")).expect("a file can be written");
    let run = fairground_in(&directory, &format!("{EVAL_JSON} twice.tbsmap")).succeeded();
    assert_eq!(run.json().len(), 1);
    assert!(run.err.contains("warning: twice.tbsmap:"), "{}", run.err);
    let quiet = fairground_in(&directory, &format!("{EVAL_JSON} twice.tbsmap --quiet")).succeeded();
    assert_eq!(quiet.err, "");
}

#[test]
fn an_empty_directory_is_an_error() {
    let run = fairground_in(&scratch("empty"), "eval .").failed(1);
    assert!(run.err.contains("no .tbsmap or .catan files"), "{}", run.err);
    let run = fairground_in(&scratch("empty"), "eval . --game tubstap").failed(1);
    assert!(run.err.contains("no .tbsmap files"), "{}", run.err);
}

#[test]
fn a_level_the_cpu_lacks_is_an_error_not_a_fallback() {
    let missing = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    for line in [format!("eval --simd-level {missing}"), format!("bench --backend simd --simd-level {missing}")] {
        let run = fairground(&line).failed(1);
        assert!(run.err.contains(missing) && run.out.is_empty(), "{}", run.err);
    }
}

#[test]
fn generate_is_reproducible_and_does_not_overwrite() {
    let directory = scratch("generate");
    let line = "generate --game tubstap --count 12 --size 7x5 --units 5 --no-aircraft --turn-limit 20 --seed 9 --out";
    let run = fairground_in(&directory, &format!("{line} a")).succeeded();
    assert_eq!(run.out, "wrote 12 maps to a: 0000.tbsmap to 0011.tbsmap\n");
    fairground_in(&directory, &format!("{line} deep/b")).succeeded();
    for index in 0..12 {
        let [a, b] = ["a", "deep/b"].map(|out| {
            fs::read_to_string(directory.join(out).join(format!("{index:04}.tbsmap"))).expect("a generated map")
        });
        assert_eq!(a, b);
        assert!(a.contains("SIZEX[9]") && a.contains("SIZEY[7]") && a.contains("TURNLIMIT[20]"), "{a}");
        assert_eq!(a.matches("UNIT[").count(), 10);
        assert!(!a.contains("fighter") && !a.contains("attacker"));
    }
    let refused = fairground_in(&directory, &format!("{line} a")).failed(1);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    fairground_in(&directory, &format!("{line} a --force")).succeeded();
    let impossible = fairground_in(&directory, "generate --size 2x2 --units 16 --out c").failed(1);
    assert!(impossible.out.is_empty());
}

#[test]
fn show_draws_maps_in_the_terminal_and_as_svg() {
    let directory = scratch_with_maps("show");
    let plain = fairground("show duel-6x6").succeeded().out;
    assert!(plain.lines().count() >= 6 && !plain.contains('\x1b'), "no colour codes into a pipe: {plain}");
    assert!(fairground("show duel-6x6 --colour always").succeeded().out.contains('\x1b'));
    assert_eq!(fairground("show duel-6x6 --color never").succeeded().out, plain);
    let several = fairground_in(&directory, "show maps").succeeded().out;
    assert!(several.contains("maps/0000.tbsmap\n") && several.contains("maps/0002.tbsmap\n"), "{several}");
    fairground_in(&directory, "show maps/0001.tbsmap --svg map.svg").succeeded();
    let svg = fs::read_to_string(directory.join("map.svg")).expect("the picture");
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"));
    fairground_in(&directory, "show maps --svg all.svg").failed(2);
    fairground("show no-such-map").failed(1);
}

#[test]
fn bench_json_has_all_fields() {
    let run = fairground("bench --backend scalar --seconds 0.2 --threads 1,2 --format json").succeeded();
    let rows = run.json();
    assert_eq!(names(&run), ["duel-6x6", "duel-6x6", "front-6x6", "front-6x6"]);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row["game"], "tubstap");
        assert_eq!(row["policy"], "random");
        assert_eq!(row["backend"], "scalar");
        assert_eq!(row["level"], Value::Null);
        assert_eq!(row["threads"], 1 + index % 2);
        assert_eq!(row["speedup_vs_scalar"], 1.0);
        assert_eq!(row["occupancy"], 1.0);
        let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name} is not a number: {row}"));
        assert!(number("actions_per_s") > number("playouts_per_s") && number("playouts_per_s") > 0.0);
        assert!(number("slowest_round") <= number("playouts_per_s") * 1.001);
        assert!(number("fastest_round") >= number("playouts_per_s") * 0.999);
        assert!(row["cpu"].as_str().is_some_and(|cpu| !cpu.is_empty()));
    }
}

#[test]
fn catan_maps_are_generated_and_shown() {
    let directory = scratch("catan");
    let options = "generate --game catan --count 2 --numbers spiral --ports fixed --seed 3 --out islands";
    fairground_in(&directory, options).succeeded();
    let shown = fairground_in(&directory, "show islands/0001.catan").succeeded();
    assert!(shown.out.contains("desert") && shown.out.contains("seed 3 index 1, numbers spiral, ports fixed"));
    assert_eq!(fairground_in(&directory, "show --game catan islands").succeeded().out.matches("index 1").count(), 1);
    fairground_in(&directory, "show beginner --svg map.svg").succeeded();
    let svg = std::fs::read_to_string(directory.join("map.svg")).expect("it was written");
    assert!(svg.starts_with("<svg") && svg.contains("<title>"));
    let wrong = fairground_in(&directory, "generate --game catan --units 3 --out islands");
    assert_eq!(wrong.code, Some(2));
    let wrong = fairground_in(&directory, "generate --numbers free --out islands");
    assert_eq!(wrong.code, Some(2));
}

const EVAL_CATAN: &str = "eval --game catan --backend scalar";

#[test]
fn eval_of_catan_has_all_fields_and_adds_up() {
    let run = fairground(&format!("{EVAL_CATAN} --playouts 400 --seed 3 --format json")).succeeded();
    let rows = run.json();
    assert_eq!(names(&run), ["beginner", "spiral", "spread", "clusters", "rich-corner", "lopsided"]);
    for row in rows {
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is not a number: {row}"));
        assert_eq!(row["game"], "catan");
        assert!(row["rules_version"].as_str().is_some_and(|version| version.starts_with("catan-")));
        assert_eq!((&row["policy"], &row["turn_cap"], &row["seed"]), (&"random".into(), &1000.into(), &3.into()));
        let wins: Vec<f64> = row["wins"].as_array().expect("wins by seat").iter().map(number).collect();
        assert_eq!(wins.len(), 4);
        assert_eq!(wins.iter().sum::<f64>() + number(&row["truncated"]), 400.0);
        for (seat, wins) in wins.iter().enumerate() {
            let rate = number(&row["rates"][seat]);
            assert_eq!(rate, wins / 400.0);
            let [low, high] = [0, 1].map(|end| number(&row["intervals"][seat][end]));
            assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
        }
        let (spread, variance) = (number(&row["spread"]), number(&row["debiased_variance"]));
        assert!(variance < spread * spread);
        assert!((number(&row["debiased_spread"]) - variance.max(0.0).sqrt()).abs() < 1e-12);
        assert!((0.0..=1.0).contains(&number(&row["equal_seats_p"])));
        assert!(number(&row["mean_actions"]) > number(&row["mean_length"]));
        for absent in ["draws", "draw_rate", "fitness"] {
            assert_eq!(row[absent], Value::Null, "{absent}");
        }
    }
    let tubstap = fairground(&format!("{EVAL_JSON} duel-6x6")).succeeded().json();
    for absent in ["turn_cap", "spread", "equal_seats_p"] {
        assert_eq!(tubstap[0].get(absent), None, "{absent}");
    }
}

#[test]
fn eval_of_catan_as_csv_and_table_shows_the_same_numbers() {
    let run = |format: &str| {
        let line = format!("{EVAL_CATAN} beginner --playouts 300 --turn-cap 400 --threads 1 --format {format}");
        fairground(&line).succeeded()
    };
    let (csv, table, json) = (run("csv").out, run("table"), run("json").json().remove(0));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let [head, row] = lines.as_slice() else { panic!("a header and one row: {csv}") };
    assert_eq!(head.len(), row.len());
    let cell = |name: &str| {
        let column = head.iter().position(|&cell| cell == name).unwrap_or_else(|| panic!("no column {name}"));
        row[column].parse::<f64>().ok()
    };
    assert_eq!(cell("turn_cap"), Some(400.0));
    assert_eq!(cell("first_wins"), json["wins"][0].as_f64());
    assert_eq!(cell("fourth_high"), json["intervals"][3][1].as_f64());
    for name in ["truncated", "spread", "debiased_variance", "debiased_spread", "equal_seats_p", "mean_length"] {
        assert_eq!(cell(name), json[name].as_f64(), "{name}");
    }
    assert!(!csv.contains("draw") && !csv.contains("fitness"), "{csv}");

    let lines: Vec<_> = table.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", table.out);
    for head in ["first wins %", "fourth wins %", "truncated", "turns", "spread pp", "de-biased pp", "p if equal"] {
        assert!(lines[0].contains(head), "{head}: {}", lines[0]);
    }
    assert!(!table.out.contains("draw") && !table.out.contains("fitness"), "{}", table.out);
    let spread = format!("{:.2}", 100.0 * json["spread"].as_f64().expect("a number"));
    assert!(lines[1].starts_with("beginner") && lines[1].split_whitespace().any(|cell| cell == spread));
}

#[test]
fn what_the_turn_cap_cuts_off_is_reported_and_won_by_nobody() {
    let rows = |cap: &str| fairground(&format!("{EVAL_CATAN} beginner --playouts 200 --format json {cap}")).succeeded();
    let cut = rows("--turn-cap 5").json().remove(0);
    assert_eq!((&cut["turn_cap"], &cut["truncated"], &cut["mean_length"]), (&5.into(), &200.into(), &5.0.into()));
    assert_eq!((&cut["wins"], &cut["spread"]), (&vec![0; 4].into(), &0.0.into()));
    assert_eq!(cut["equal_seats_p"], Value::Null);
    // The higher the cap, the less it cuts off.
    let truncated = |cap: &str| rows(cap).json()[0]["truncated"].as_u64().expect("a number");
    let [short, usual, long] = ["--turn-cap 300", "", "--turn-cap 100000"].map(truncated);
    assert!(short > 0 && short < 200 && usual < short && long == 0, "{short} {usual} {long}");
    assert_eq!(rows("").out, rows("--turn-cap 1000").out);
    let refused = fairground("eval duel-6x6 --turn-cap 5").failed(2);
    assert!(refused.err.contains("--turn-cap") && refused.err.contains("catan"), "{}", refused.err);
}

#[test]
fn catan_gives_the_same_numbers_for_the_same_seed_whatever_the_threads() {
    let line = format!("{EVAL_CATAN} --playouts 600 --format json");
    let one = fairground(&format!("{line} --seed 7 --threads 1")).succeeded().out;
    assert_eq!(one, fairground(&format!("{line} --seed 7 --threads 3")).succeeded().out);
    assert_eq!(one, fairground(&format!("{line} --seed 7 --policy random,random,random,random")).succeeded().out);
    assert_ne!(one, fairground(&format!("{line} --seed 8")).succeeded().out);
}

#[test]
fn a_wrong_policy_is_answered_with_those_of_the_game() {
    for (line, known) in [
        ("eval --policy clever", ["tubstap", "random, muct, mss"]),
        ("eval --game catan --policy clever", ["catan", "random"]),
        ("eval beginner --policy random,random,clever,random", ["catan", "'clever'"]),
        ("bench beginner --policy random,random", ["four", "not 2"]),
    ] {
        let run = fairground(line).failed(2);
        assert!(known.iter().all(|part| run.err.contains(part)) && run.out.is_empty(), "{line}: {}", run.err);
    }
    let help = fairground("eval --help").succeeded().out;
    assert!(help.contains("tubstap:") && help.contains("- mss") && help.contains("catan, one for all"), "{help}");
}

#[test]
fn the_game_follows_from_the_maps() {
    let directory = scratch_with_maps("games");
    fairground_in(&directory, "generate --game catan --count 2 --out islands").succeeded();
    fs::copy(directory.join("islands/0000.catan"), directory.join("plain")).expect("a file can be copied");
    let games = |arguments: &str| -> Vec<String> {
        let run = fairground_in(&directory, &format!("{EVAL_JSON} {arguments}")).succeeded();
        run.json().iter().map(|row| row["game"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(games("islands"), ["catan"; 2]);
    assert_eq!(games("islands/*.catan lopsided"), ["catan"; 3]);
    assert_eq!(games("maps duel-6x6"), ["tubstap"; 4]);
    assert_eq!(games(""), ["tubstap"; 6]);
    // A name that says nothing goes with the others, or with what is asked for.
    assert_eq!(games("plain islands/0001.catan"), ["catan"; 2]);
    assert_eq!(games("plain --game catan"), ["catan"]);
    // A game that is named picks its maps from a directory of both.
    assert_eq!(games(". --game catan"), ["catan"; 2]);
    assert_eq!(games(". --game tubstap"), ["tubstap"; 3]);
    for line in ["eval .", "show .", "bench maps beginner"] {
        let run = fairground_in(&directory, line).failed(2);
        assert!(run.err.contains("--game") && run.err.contains("catan"), "{line}: {}", run.err);
    }
}

#[test]
fn bench_measures_catan_map_by_map() {
    let run = fairground("bench --game catan --backend scalar --seconds 0.1 --turn-cap 700 --format json").succeeded();
    assert_eq!(names(&run), ["beginner", "lopsided"]);
    for row in run.json() {
        assert_eq!((&row["game"], &row["policy"]), (&"catan".into(), &"random".into()));
        assert_eq!((&row["turn_cap"], &row["speedup_vs_scalar"]), (&700.into(), &1.0.into()));
        assert!(row["playouts"].as_u64() > Some(0));
    }
    let table = fairground("bench spiral --backend scalar --seconds 0.05").succeeded().out;
    assert!(table.contains("policy random, at most 1000 turns, seed 1; all backends agree"), "{table}");
}

#[test]
fn bench_plays_several_maps_mixed() {
    let bench = |line: &str| fairground(&format!("bench --mixed --seconds 0.05 --format json {line}")).succeeded();
    assert_eq!(names(&bench("--game catan --backend scalar")), ["mixed (64 maps)"]);
    assert_eq!(names(&bench("beginner lopsided spiral --backend scalar")), ["mixed (3 maps)"]);
    assert_eq!(names(&bench("duel-6x6 --backend scalar")), ["mixed (1 map)"]);
    // Another backend must agree with the rules engine on every one of the maps before it is measured.
    let run = bench("--backend scalar,simd");
    assert_eq!(names(&run), ["mixed (64 maps)"; 2]);
    assert!(run.json().iter().all(|row| row["playouts_per_s"].as_f64() > Some(0.0)), "{}", run.out);
}

#[test]
fn bench_table_says_what_it_ran_on() {
    let run = fairground("bench duel-6x6 --policy mss --backend scalar --seconds 0.1").succeeded();
    assert!(run.out.starts_with("CPU: ") && run.out.contains("policy mss") && run.out.contains("playouts/s"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command("eval --backend scalar --playouts 200000 --format json --quiet")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let run = Run::from(child.wait_with_output().expect("the program ends")).succeeded();
    assert_eq!(run.err, "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_the_next_safe_point_and_says_so() {
    let mut child = command("eval duel-6x6 --backend scalar --playouts 1000000000")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    err.read_line(&mut text).expect("it names its backend first");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    assert_eq!(child.wait().expect("the program ends").code(), Some(1));
    err.read_to_string(&mut text).expect("the rest of its messages");
    assert!(text.contains("stopped on request: 0 of 1 maps are finished"), "{text}");
}
