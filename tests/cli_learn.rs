//! `fairground learn` as a user runs it.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use fairground::learn::two_means::two_means;
use program::{command, fairground_in, scratch};
use serde_json::Value;

const SMALL: &str = "learn --random 9 --playouts 400 --scored 3000 --steps 2 --chosen 3 --seed 2";

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let names =
        ["checkpoint.json", "history.jsonl", "report.html", "maps/step-1-good-1.catan", "maps/step-2-bad-3.catan"];
    names.map(|name| (name.to_owned(), fs::read(directory.join(name)).unwrap_or_else(|_| panic!("{name}")))).to_vec()
}

#[test]
fn steps_choose_maps_and_everything_is_labelled_anew() {
    let directory = scratch("steps");
    let rows = fairground_in(&directory, &format!("{SMALL} --out out --format json")).succeeded().json();
    assert_eq!(rows.len(), 9 + 2 * 6);
    let spreads: Vec<f64> = rows.iter().map(|row| row["spread"].as_f64().expect("a spread")).collect();
    let groups = two_means(&spreads).expect("different spreads");
    for (row, is_low) in rows.iter().zip(&groups.is_low) {
        assert_eq!(row["label"], if *is_low { "balanced" } else { "unbalanced" });
    }
    let scores = |step: u64, kind: &str| -> Vec<f64> {
        let own = rows.iter().filter(|row| row["step"] == step && row["chosen_as"] == kind);
        own.map(|row| row["score"].as_f64().expect("a score")).collect()
    };
    for step in [1, 2] {
        let (good, bad) = (scores(step, "good"), scores(step, "bad"));
        assert_eq!((good.len(), bad.len()), (3, 3));
        assert!(good.is_sorted_by(|a, b| a >= b) && bad.is_sorted() && good[2] > bad[2], "{good:?} {bad:?}");
    }
    let history = fs::read_to_string(directory.join("out/history.jsonl")).expect("a history");
    let steps: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(steps.iter().map(|step| step["labelled"].as_u64()).collect::<Vec<_>>(), [Some(9), Some(15)]);
    // The last step labels all maps, as the table does.
    let confirmed = |kind: &str, label: &str| {
        rows.iter().filter(|row| row["step"] == 2 && row["chosen_as"] == kind && row["label"] == label).count() as u64
    };
    assert_eq!(steps[1]["good"][0].as_u64(), Some(confirmed("good", "balanced")));
    assert_eq!(steps[1]["bad"][0].as_u64(), Some(confirmed("bad", "unbalanced")));
    let report = fs::read_to_string(directory.join("out/report.html")).expect("a report");
    assert_eq!(report.matches("<img ").count(), rows.len());
    fairground_in(&directory, "eval out/maps/ --playouts 10 --policy heuristic").succeeded();
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_maps_with_any_number_of_threads() {
    let directory = scratch("killed");
    fairground_in(&directory, &format!("{SMALL} --out whole --threads 1")).succeeded();
    let mut line = format!("{SMALL} --out parts");
    let mut kills = 0;
    for rounds in 0..3 {
        let mut child = command(&line)
            .current_dir(&directory)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut text = String::new();
        while !text.contains("run directory") && err.read_line(&mut text).expect("messages") > 0 {}
        let rounds_so_far =
            || fs::read_to_string(directory.join("parts/timing.jsonl")).map_or(0, |t| t.lines().count());
        while rounds_so_far() < rounds && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let _ = child.kill();
        kills += usize::from(!child.wait().expect("an end").success());
        line = "learn --resume parts --threads 2".into();
    }
    assert!(kills > 0);
    fairground_in(&directory, "learn --resume parts").succeeded();
    for ((name, parts), (_, whole)) in files(&directory.join("parts")).iter().zip(&files(&directory.join("whole"))) {
        assert!(parts == whole, "{name} differs");
    }
}

#[test]
fn the_robust_mode_says_when_the_prior_is_unknown_and_keeps_what_was_played() {
    let directory = scratch("robust");
    let run = fairground_in(&directory, &format!("{SMALL} --mode robust --out out"));
    if run.code == Some(1) {
        assert!(run.err.contains("the class prior is not identifiable"), "{}", run.err);
        assert_eq!(run.err.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", run.err);
    } else {
        assert!(run.succeeded().out.contains("good confirmed"));
    }
    let checkpoint = fs::read_to_string(directory.join("out/checkpoint.json")).expect("a checkpoint");
    assert!(checkpoint.contains("random-09"), "the games of the first maps are kept");
}

#[test]
fn too_little_to_learn_from_is_refused_in_a_sentence() {
    let directory = scratch("refused");
    fs::write(directory.join("bad.catan"), "hexes\n gold 7\n").expect("it can be written");
    for (line, code, sentence) in [
        ("learn beginner spiral", 1, "2 maps are too few to learn from, expected at least 6"),
        ("learn --random 5", 1, "5 maps are too few to learn from, expected at least 6"),
        ("learn bad.catan", 1, "bad.catan:2: 'gold' is not a tile"),
        ("learn --game saboteur", 2, "this is for maps of catan, not of saboteur"),
        ("learn --scored 5", 1, "5 maps are too few to choose 5 from either end"),
        ("learn beginner --random 9", 2, "cannot be used with"),
        ("learn --resume nowhere", 1, "nowhere/manifest.json: "),
    ] {
        let run = fairground_in(&directory, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.err.contains("error: ") && run.err.contains(sentence), "{line}: {}", run.err);
        assert_eq!(run.out, "", "{line}");
    }
    assert!(!directory.join("runs").exists(), "nothing is left behind");
    // Games that are all cut off have no winners: there is no difference to label by.
    let run = fairground_in(&directory, "learn --turn-cap 2 --playouts 10 --scored 100 --out same").failed(1);
    assert!(run.err.contains("all maps have the same spread, so that none is balanced or unbalanced"), "{}", run.err);
    assert!(directory.join("same/checkpoint.json").exists(), "what was played is kept");
}
