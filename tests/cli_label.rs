//! `fairground features`, `label` and `certify` as a user runs them.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use fairground::games::catan::builtin;
use fairground::learn::features::{Readings, features, names as feature_names};
use fairground::learn::two_means::two_means;
use fairground::stats::seats;
use program::{Run, command, fairground, fairground_in, names, scratch};
use serde_json::Value;

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))
}

/// The cells of the table, by line and head.
fn table_of_csv(run: &Run) -> Vec<BTreeMap<String, String>> {
    let mut lines = run.out.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let heads = lines.next().expect("a line of heads");
    lines.map(|cells| heads.iter().cloned().zip(cells).collect()).collect()
}

#[test]
fn features_have_names_and_are_those_of_the_library() {
    let rows = table_of_csv(&fairground("features").succeeded());
    assert_eq!(rows.len(), builtin::named().len());
    for (row, map) in rows.iter().zip(builtin::named()) {
        assert_eq!(row["map"], map.name);
        let expected = features(&map.map, &Readings::default());
        for (name, feature) in feature_names(&Readings::default()).iter().zip(expected) {
            assert_eq!(row[name], feature.to_string(), "{name} of {}", map.name);
        }
        assert_eq!(row.len(), 77);
    }
    let json = fairground("features spiral --format json").succeeded().json();
    assert_eq!(json[0]["wood_pips_3"].to_string(), rows[1]["wood_pips_3"]);
    let table = fairground("features spiral lopsided --format table").succeeded().out;
    assert_eq!(table.lines().count(), 3);
}

#[test]
fn features_of_random_maps_are_those_of_the_maps_that_are_generated() {
    let directory = scratch("random-features");
    fairground_in(&directory, "generate --game catan --numbers free --count 1000 --seed 3 --out maps").succeeded();
    let rows = |line: &str| table_of_csv(&fairground_in(&directory, line).succeeded());
    let (mut files, mut random) = (rows("features maps"), rows("features --random 1000 --seed 3"));
    for (number, (file, random)) in files.iter_mut().zip(&mut random).enumerate() {
        assert_eq!(file.remove("map"), Some(format!("maps/{number:04}.catan")));
        assert_eq!(random.remove("map"), Some(format!("{number:04}")));
    }
    assert!(files.len() == 1000 && files == random);
    assert_ne!(rows("features --random 1000")[0], rows("features --random 1 --seed 3")[0], "another seed");
    assert_eq!(fairground("features --random 40000").succeeded().out.lines().count(), 40_001);
    assert_eq!(fairground("features --random 3 --format json").succeeded().json().len(), 3);
    assert_eq!(fairground("features --random 3 --format table").succeeded().out.lines().count(), 4);
}

#[test]
fn every_reading_of_the_features_can_be_asked_for() {
    let features = |options: &str| fairground(&format!("features beginner {options}")).succeeded().out;
    let all = ["", "--ports land-hex", "--ports node", "--nodes hist54", "--nodes top7", "--nodes ge9"].map(features);
    for (index, one) in all.iter().enumerate() {
        assert!(all[..index].iter().all(|other| other != one), "{one}");
    }
    assert!(all[4].contains("nodes_best_1") && all[0].contains("nodes_from_13"));
    assert_eq!(all[0], features("--ports sea-hex --nodes hist --duplicates any"));
    let directory = scratch("strict");
    fairground_in(&directory, "generate --game catan --count 20 --out maps").succeeded();
    let [any, strict] = ["any", "strict"]
        .map(|option| fairground_in(&directory, &format!("features maps --duplicates {option}")).succeeded().out);
    assert_ne!(any, strict);
}

#[test]
fn labels_are_those_of_two_means_with_the_probability_to_be_right() {
    let line = "label --game catan --playouts 1500 --seed 3";
    let run = fairground(&format!("{line} --format json")).succeeded();
    let rows = run.json();
    assert_eq!(names(&run), builtin::named().iter().map(|map| map.name).collect::<Vec<_>>());
    let spreads: Vec<_> = rows.iter().map(|row| number(row, "spread")).collect();
    let groups = two_means(&spreads).expect("spreads that differ");
    let variances: Vec<_> = rows.iter().map(|row| number(row, "debiased_variance")).collect();
    let tau = seats::balance::tau(&variances);
    assert!(groups.is_low.contains(&true) && groups.is_low.contains(&false));
    for (row, is_low) in rows.iter().zip(&groups.is_low) {
        let wins: Vec<u64> = serde_json::from_value(row["wins"].clone()).expect("wins");
        assert_eq!(wins.iter().sum::<u64>() + row["truncated"].as_u64().expect("a number"), 1500);
        assert!((number(row, "spread") - seats::spread(&wins, 1500)).abs() < 1e-12);
        assert!((number(row, "threshold") - groups.threshold()).abs() < 1e-12);
        assert!((number(row, "tau") - tau).abs() < 1e-12);
        assert_eq!(row["label"], if *is_low { "balanced" } else { "unbalanced" });
        let below = seats::balance::probability_below(number(row, "spread"), 1500, tau, groups.threshold());
        let right = if *is_low { below } else { 1.0 - below };
        assert!((number(row, "label_probability") - right).abs() < 1e-9 && right > 0.3, "{row}");
    }
    let csv = table_of_csv(&fairground(&format!("{line} --format csv --backend scalar --threads 3")).succeeded());
    for (cells, row) in csv.iter().zip(&rows) {
        assert_eq!(cells["label"], row["label"].as_str().expect("a label"));
        assert_eq!(cells["label_probability"], row["label_probability"].to_string());
        assert_eq!(cells["third_wins"], row["wins"][2].to_string());
    }
    let table = fairground(line).succeeded().out;
    assert!(table.contains("of 6 balanced; threshold ") && table.contains(", from these maps"), "{table}");
}

#[test]
fn what_is_finished_is_labelled_when_somebody_stops() {
    let directory = scratch("label-stopped");
    fairground_in(&directory, "generate --game catan --count 200 --out maps").succeeded();
    // Each map is a group of short games: the first are soon finished, the last are not.
    let line = "label maps --turn-cap 2 --playouts 1048576 --format csv --threads 1";
    for milliseconds in [500, 2000, 8000, 20_000, 40_000] {
        let mut child = command(line)
            .current_dir(&directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let code = child.wait().expect("the program ends").code();
        let (mut out, mut err) = (String::new(), String::new());
        child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
        child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
        assert_eq!(code, Some(1), "{err}");
        if out.is_empty() {
            // Too early on this machine.
            assert!(err.contains("error: stopped on request: 0 of 200 maps are finished"), "{err}");
            continue;
        }
        let finished = out.lines().count() - 1;
        let sentence = format!("error: stopped on request: {finished} of 200 maps are finished, and labelled among");
        assert!(finished < 200 && err.contains(&sentence) && out.contains("balanced"), "{err}");
        return;
    }
    panic!("no map was finished");
}

#[test]
fn a_single_map_is_labelled_by_a_threshold() {
    let run = fairground("label beginner --playouts 1000").succeeded();
    assert!(run.err.contains("not two different spreads") && run.out.contains("threshold 1.00 points, the usual one"));
    assert!(run.out.contains("nothing known about other maps"), "{}", run.out);
    for (options, label) in [("--threshold 20", "balanced"), ("--threshold 1 --policy heuristic", "unbalanced")] {
        let rows = fairground(&format!("label beginner --playouts 1000 {options} --format json")).succeeded().json();
        assert_eq!((&rows[0]["label"], &rows[0]["tau"]), (&label.into(), &Value::Null));
        assert!(number(&rows[0], "label_probability") > 0.95);
    }
    // Nine points are usual if maps are so far apart, and a lucky accident if they are not.
    let right = |tau: &str| {
        let line = format!("label beginner --playouts 1000 --threshold 5 --tau {tau} --format json");
        number(&fairground(&line).succeeded().json()[0], "label_probability")
    };
    assert!(right("9") > right("0.5") + 0.5);
}

/// Certifies in seconds, because random players see no difference between seats.
const CERTIFY: &str = "certify beginner lopsided --policy random --sigma 1.5 --seed 5";

#[test]
fn certificates_can_be_checked_by_anyone() {
    let directory = scratch("certificates");
    let run = fairground_in(&directory, &format!("{CERTIFY} --out out --format json")).succeeded();
    let rows = run.json();
    assert_eq!(rows.len(), 2);
    let mut files = Vec::new();
    for (row, name) in rows.iter().zip(["beginner", "lopsided"]) {
        assert_eq!((&row["verdict"], &row["name"]), (&"certified".into(), &name.into()));
        assert!(number(row, "e_value") >= 20.0);
        let path = row["certificate"].as_str().expect("a path");
        let certificate: Value = serde_json::from_slice(&fs::read(directory.join(path)).expect(path)).expect("JSON");
        for field in ["map", "map_hash", "players", "games", "seed", "seat_wins", "rules_version", "program_version"] {
            assert_eq!(certificate[field], row[field], "{field}");
        }
        let games = certificate["games"].as_u64().expect("games");
        assert!(games >= 4000 && games.is_multiple_of(2000), "{games}");
        files.push(path.to_owned());
    }
    let checked = fairground_in(&directory, &format!("certify --verify {} --quiet", files.join(" "))).succeeded();
    assert_eq!(checked.out.matches("games are as stated").count(), 2, "{}", checked.out);
    assert!(checked.out.contains("the set is whole: 2 of 2 maps are certified, and every E value is at least 20.00"));
    let folder = Path::new(&files[0]).parent().expect("a directory").to_str().expect("a name");
    let together = fairground_in(&directory, &format!("certify --verify {folder} --quiet")).succeeded();
    assert_eq!(together.out, checked.out);
    fs::create_dir(directory.join("empty")).expect("a new directory");
    let empty = fairground_in(&directory, "certify --verify empty --quiet").failed(1);
    assert!(empty.err.contains("empty: no certificate is in this directory, expected *.json"), "{}", empty.err);
    // One of two does not show that there is another, and neither does a copy of it.
    fs::copy(directory.join(&files[1]), directory.join("copy.json")).expect("it can be copied");
    let sentence = "the set was not checked: 2 certified maps are stated and 1 given";
    for files in [files[1].clone(), format!("{} copy.json", files[1])] {
        let alone = fairground_in(&directory, &format!("certify --verify {files} --quiet")).succeeded();
        assert_eq!(alone.out.contains(sentence), rows[1]["certified_maps"] == 2, "{}", alone.out);
    }
    let again = fairground_in(&directory, &format!("{CERTIFY} --out again --backend scalar --threads 3")).succeeded();
    assert!(again.out.contains("2 of 2 certified: true spread below 1.5 points at level 0.05"), "{}", again.out);
    for file in &files {
        let other = file.replacen("out", "again", 1);
        assert_eq!(fs::read(directory.join(file)).ok(), fs::read(directory.join(&other)).ok(), "{file}");
    }
    let told = fairground_in(&directory, "certify --resume out --format json --quiet").succeeded();
    assert_eq!((told.out, told.err.as_str()), (run.out, ""), "a finished run is told again");
    fairground_in(&directory, &format!("{CERTIFY} --out out")).failed(1);
}

#[test]
fn every_change_to_a_certificate_is_noticed() {
    let directory = scratch("tampered");
    fairground_in(&directory, "certify spread --policy random --sigma 2 --out out").succeeded();
    let good = fs::read_to_string(directory.join("out/certificates/01-spread.json")).expect("a certificate");
    let good: Value = serde_json::from_str(&good).expect("JSON");
    let verified = |certificate: &Value| {
        fs::write(directory.join("it.json"), certificate.to_string()).expect("it can be written");
        fairground_in(&directory, "certify --verify it.json --quiet")
    };
    verified(&good).succeeded();
    let wins: Vec<u64> = serde_json::from_value(good["seat_wins"].clone()).expect("wins");
    let mut moved = wins.clone();
    moved[0] += 1;
    moved[1] -= 1;
    let mut other_map = good["map"].clone();
    other_map["tokens"].as_array_mut().expect("tokens").swap(0, 1);
    let mut broken_map = good["map"].clone();
    broken_map["tokens"][0] = 7.into();
    let changes: [(&str, Value, &str); 14] = [
        ("seat_wins", moved.into(), "the spread of its seat wins is"),
        ("seat_wins", vec![wins[0] + 1, wins[1], wins[2], wins[3]].into(), "do not add up to"),
        ("seat_wins", vec![u64::MAX; 4].into(), "do not add up to"),
        ("games", 4001.into(), "do not add up to 4001 games"),
        ("map", other_map, "another map was certified"),
        ("map", broken_map, "its map is not one"),
        ("map_hash", "0".into(), "another map was certified"),
        ("seed", 2.into(), "played again with seed 2, the seats win"),
        ("rules_version", "catan-0".into(), "its games were played under the rules 'catan-0'"),
        ("program_version", "9.9".into(), "its digest does not fit"),
        ("players", vec!["random", "random", "random", "clever"].into(), "there is no player 'clever'"),
        ("e_value", 1e6.into(), "the E value of its seat wins is"),
        ("verdict", "dropped".into(), "does not make a map 'dropped'"),
        ("maps", 1000.into(), "does not make a map 'certified'"),
    ];
    for (field, value, sentence) in changes {
        let mut changed = good.clone();
        assert!(changed[field] != value, "{field}");
        changed[field] = value;
        let run = verified(&changed).failed(1);
        assert!(run.err.starts_with("error: it.json: ") && run.err.contains(sentence), "{field}: {}", run.err);
        assert_eq!((run.err.lines().count(), run.out.as_str()), (1, ""), "{}", run.err);
    }
    // Whoever exchanges wins and computes everything anew is found out by the games.
    let mut exchanged = good.clone();
    exchanged["seat_wins"] = vec![wins[1], wins[0], wins[2], wins[3]].into();
    assert!(verified(&exchanged).failed(1).err.contains("played again with seed 1"));
    let mut players = good.clone();
    players["players"][3] = "heuristic".into();
    assert!(verified(&players).failed(1).err.contains("played again with seed 1"));
    for text in ["", "{", "[]", "{\"verdict\": \"certified\"}"] {
        fs::write(directory.join("it.json"), text).expect("it can be written");
        let run = fairground_in(&directory, "certify --verify it.json --quiet").failed(1);
        assert!(run.err.starts_with("error: it.json: this is not a certificate: "), "{}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    let absent = fairground_in(&directory, "certify --verify nowhere.json --quiet").failed(1);
    assert!(absent.err.contains("nowhere.json: "), "{}", absent.err);
}

#[test]
fn maps_with_unequal_seats_are_dropped_and_some_remain_undecided() {
    let directory = scratch("dropped");
    let run = fairground_in(&directory, "certify beginner --policy heuristic --sigma 2 --out out").succeeded();
    assert!(run.out.contains("dropped") && run.out.contains("0 of 1 certified"), "{}", run.out);
    let verify = "certify --quiet --verify out/certificates/01-beginner.json";
    assert!(fairground_in(&directory, verify).succeeded().out.contains("beginner was dropped and is not certified"));
    // Fewer turns than any game needs: nobody ever wins.
    let line = "certify lopsided --policy random --turn-cap 2 --sigma 2 --max-games 3000 --out undecided --format csv";
    let rows = table_of_csv(&fairground_in(&directory, line).succeeded());
    assert_eq!((rows[0]["verdict"].as_str(), rows[0]["truncated"].as_str()), ("undecided", "3000"));
    let verify = "certify --quiet --verify undecided/certificates/01-lopsided.json";
    assert!(fairground_in(&directory, verify).succeeded().out.contains("is undecided and not certified"));
}

#[test]
fn more_maps_ask_for_more_evidence_with_bonferroni() {
    let directory = scratch("corrections");
    let games = |correction: &str| {
        let line =
            format!("certify --policy random --sigma 2 --correction {correction} --out {correction} --format json");
        let rows = fairground_in(&directory, &line).succeeded().json();
        assert_eq!(rows.len(), 6);
        let least = if correction == "bonferroni" { 120.0 } else { 20.0 };
        let certified = rows.iter().filter(|row| row["verdict"] == "certified");
        assert!(certified.clone().all(|row| number(row, "e_value") >= least) && certified.count() >= 4);
        rows.iter().map(|row| row["games"].as_u64().expect("games")).sum::<u64>()
    };
    assert!(games("e-bh") < games("bonferroni"));
}

/// Starts a run and stops it after a while, by Ctrl-C or by force.
fn stopped(directory: &Path, line: &str, after: Duration, by_force: bool) -> Option<(Option<i32>, String)> {
    let mut child = command(line)
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("run directory") {
        assert!(err.read_line(&mut text).expect("it says where it works") > 0, "{text}");
    }
    std::thread::sleep(after);
    if by_force {
        child.kill().expect("a child can be killed");
    } else {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }
    let code = child.wait().expect("the program ends").code();
    err.read_to_string(&mut text).expect("the rest of its messages");
    (code != Some(0)).then_some((code, text))
}

#[test]
fn a_run_that_is_stopped_goes_on_to_the_same_certificates() {
    let directory = scratch("stopped");
    let line = "certify spiral spread --policy random --sigma 1 --seed 2";
    fairground_in(&directory, &format!("{line} --out whole")).succeeded();
    let files = |name: &str| {
        let paths = ["certificates/01-spiral.json", "certificates/02-spread.json", "checkpoint.json"];
        paths.map(|path| fs::read(directory.join(name).join(path)).expect(path))
    };
    let mut start = format!("{line} --out parts");
    let mut by_force = false;
    let mut stops = 0;
    for milliseconds in [0, 200, 400, 600] {
        let Some((code, text)) = stopped(&directory, &start, Duration::from_millis(milliseconds), by_force) else {
            break;
        };
        if by_force {
            assert_eq!(code, None);
        } else {
            assert_eq!(code, Some(1), "{text}");
            let sentence = "of 2 maps are finished; `fairground certify --resume parts` goes on";
            assert!(text.contains("stopped on request: ") && text.contains(sentence), "{text}");
        }
        stops += 1;
        by_force = !by_force;
        start = "certify --resume parts".into();
    }
    assert!(stops > 0);
    fairground_in(&directory, "certify --resume parts").succeeded();
    assert!(files("parts") == files("whole"));
    let damaged = directory.join("parts/checkpoint.json");
    let text = fs::read_to_string(&damaged).expect("a checkpoint").replace("certified", "dropped");
    fs::write(&damaged, text).expect("it can be written");
    let run = fairground_in(&directory, "certify --resume parts").failed(1);
    assert!(run.err.contains("parts/checkpoint.json: the file is damaged"), "{}", run.err);
}

#[test]
fn bad_input_is_refused_in_a_sentence() {
    let directory = scratch("refused");
    fs::write(directory.join("bad.catan"), "hexes\n gold 7\n").expect("it can be written");
    for (line, code, sentence) in [
        ("features --game tubstap", 2, "this is for maps of catan, not of tubstap"),
        ("features nowhere", 1, "nowhere: no such file, directory or built-in map"),
        ("features bad.catan", 1, "bad.catan:2: 'gold' is not a tile"),
        ("features --nodes best", 2, "invalid value 'best'"),
        ("features --random 0", 2, "invalid value '0'"),
        ("features beginner --random 3", 2, "cannot be used with"),
        ("features --random 3 --game saboteur", 2, "this is for maps of catan, not of saboteur"),
        ("label bad.catan", 1, "bad.catan:2: 'gold' is not a tile"),
        ("label beginner --playouts 1", 2, "1 is not in 2.."),
        ("label beginner --policy clever", 2, "'clever' is no policy of catan"),
        ("label beginner --policy random,random", 2, "--policy takes one policy or four for catan, not 2"),
        ("label beginner --threshold 0", 2, "expected percentage points"),
        ("label beginner --tau nan", 2, "expected percentage points"),
        ("certify beginner --sigma 0", 2, "expected percentage points"),
        ("certify beginner --level 1", 2, "expected a share"),
        ("certify bad.catan", 1, "bad.catan:2: 'gold' is not a tile"),
        ("certify --game saboteur", 2, "this is for maps of catan, not of saboteur"),
        ("certify beginner --max-games 50000", 1, "even a perfectly balanced map needs 70739"),
        ("certify --correction bonferroni --max-games 100000", 1, "100000 games are too few to certify"),
        (
            "certify --resume nowhere",
            1,
            "nowhere/manifest.json: there is no such file, expected the directory of a run",
        ),
        ("certify beginner --resume nowhere", 2, "cannot be used with"),
        ("certify --verify a.json --sigma 1", 2, "cannot be used with"),
    ] {
        let run = fairground_in(&directory, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.err.contains("error: ") && run.err.contains(sentence), "{line}: {}", run.err);
        assert_eq!(run.out, "", "{line}");
    }
    assert!(!directory.join("runs").exists(), "nothing is left behind");
}
