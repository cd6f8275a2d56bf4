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
fn a_prior_that_labels_do_not_tell_is_that_of_random_maps_and_noted() {
    let directory = scratch("robust");
    let line = "learn --random 9 --playouts 100 --scored 2000 --steps 2 --chosen 3 --cv robust --prior u";
    // Seeds at which the estimate without bias fails in the first step, and at which it does not.
    for (seed, source) in [(2, "random-maps"), (1, "u")] {
        let run = fairground_in(&directory, &format!("{line} --seed {seed} --out {seed}")).succeeded();
        let history = fs::read_to_string(directory.join(format!("{seed}/history.jsonl"))).expect("a history");
        let first: Value = serde_json::from_str(history.lines().next().expect("a step")).expect("JSON");
        assert_eq!(first["prior"]["source"], source, "{history}");
        let note = "step 1: the labelled maps do not tell the class prior, so that it is the share of 200 random maps";
        let report = fs::read_to_string(directory.join(format!("{seed}/report.html"))).expect("a report");
        for text in [&run.out, &run.err, &report] {
            assert_eq!(text.contains(note), source == "random-maps", "{text}");
        }
    }
}

#[test]
fn every_way_to_learn_can_be_asked_for_and_is_named_in_the_report() {
    let directory = scratch("methods");
    let small = "learn --random 9 --playouts 100 --scored 1000 --steps 1 --chosen 3 --seed 2 --format json";
    let mut all = Vec::new();
    for (number, (options, named)) in [
        ("", "<th>surrogate</th><td>pnu</td>"),
        ("--surrogate ridge", "<th>surrogate</th><td>ridge</td>"),
        ("--basis gauss", "<th>basis</th><td>gauss</td>"),
        ("--cv robust", "<th>cross-validation</th><td>robust</td>"),
        ("--prior 0.2", "<th>class prior</th><td>0.2</td>"),
        ("--ports node --nodes top7 --duplicates strict", "<td>node, top7, strict</td>"),
    ]
    .into_iter()
    .enumerate()
    {
        let run = fairground_in(&directory, &format!("{small} {options} --out {number}")).succeeded();
        let report = fs::read_to_string(directory.join(format!("{number}/report.html"))).expect("a report");
        assert!(report.contains(named) && report.contains("<th>steps</th><td>1</td>"), "{named}: {report}");
        let chosen = run.json().split_off(9);
        assert_eq!(chosen.len(), 6);
        for row in &chosen {
            // Both have the same sign, and only a straight boundary has a distance.
            let [score, distance] = ["score", "distance"].map(|name| row[name].as_f64());
            let is_straight = !["--surrogate ridge", "--basis gauss"].contains(&options);
            assert_eq!(distance.is_some(), is_straight, "{row}");
            assert!(distance.is_none_or(|distance| distance * score.expect("a score") > 0.0), "{row}");
        }
        all.push(chosen.iter().map(|row| row["score"].to_string()).collect::<Vec<_>>());
    }
    for (place, scores) in all.iter().enumerate() {
        assert!(!all[..place].contains(scores), "way {place} is another one under a new name");
    }
    let run = fairground_in(&directory, &format!("{small} --prior 0.001 --out moved")).succeeded();
    assert!(run.err.contains("note: step 1: the class prior was moved to 0.056"), "{}", run.err);
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
        ("learn --prior 1", 2, "expected author, u, or a share"),
        ("learn --resume nowhere --prior u", 2, "cannot be used with"),
        ("learn --resume nowhere", 1, "nowhere/manifest.json: there is no such file, expected the directory of a run"),
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
