//! `fairground evolve` as a user runs it: files, kills and resumes, refusals.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fairground_kernels::rng::{Draws, Rng};
use program::{Run, command, fairground_in, scratch};
use serde_json::Value;

/// Twelve quick generations of the paper's method.
const PAPER: &str = "evolve --preset paper003 --judge muct:20 --population 8 --games 6 --generations 12 --final-games 30 --second-judge muct:10 \
                     --maps 3 --seed 3";

/// A few generations of lines of descent.
const LINES: &str = "evolve --judge muct:20 --founders 3 --lines 2 --games 4 --generations 6 --final-games 30 --second-judge muct:10 --maps 2 \
                     --size 5x5 --units 3 --seed 3";

/// Everything that must be the same in the end, the report too.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut names = vec!["history.jsonl".to_owned(), "checkpoint.json".into(), "report.html".into()];
    for entry in fs::read_dir(path.join("maps")).expect("maps") {
        names.push(format!("maps/{}", entry.expect("an entry").file_name().to_str().expect("a plain name")));
    }
    names.into_iter().map(|name| (name.clone(), fs::read(path.join(&name)).expect(&name))).collect()
}

fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a file of lines");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn a_run_leaves_maps_history_timing_and_a_manifest() {
    let directory = scratch("whole");
    let run = fairground_in(&directory, &format!("{LINES} --out fair --format json --threads 2")).succeeded();
    let out = directory.join("fair");
    assert!(run.err.contains("run directory: fair"), "{}", run.err);
    let rows = run.json();
    assert!(!rows.is_empty());
    let mut last = 1.0;
    for (row, number) in rows.iter().zip(1..) {
        assert_eq!(row["map"], format!("fair/maps/{number:02}.tbsmap"));
        let [red, blue, draws] = ["red_wins", "blue_wins", "draws"].map(|name| row[name].as_u64().expect(name));
        assert_eq!((red + blue + draws, row["games"].as_u64()), (30, Some(30)));
        let [low, fitness, high] =
            ["fitness_low", "fitness", "fitness_high"].map(|name| row[name].as_f64().expect(name));
        assert!((fitness - 2.0 * red.min(blue) as f64 / 30.0).abs() < 1e-12);
        assert!(low <= fitness && fitness <= high && fitness <= last);
        last = fitness;
        let by_second = ["second_red_wins", "second_blue_wins", "second_draws"];
        assert_eq!(by_second.map(|name| row[name].as_u64().expect(name)).iter().sum::<u64>(), 30);
        assert_eq!(row["second_judge"], "muct:10");
        assert!(rows.len() == 1 || row["difference"].as_f64().expect("a share") >= 0.25);
    }
    let history = lines_of(&out.join("history.jsonl"));
    let generations: Vec<_> = history.iter().map(|line| line["generation"].as_u64().expect("a number")).collect();
    assert_eq!(generations, [0, 1, 2, 3, 4, 5, 6]);
    assert!(history.is_sorted_by_key(|line| line["games"].as_u64()));
    for (name, line) in history.iter().flat_map(|line| [("fitness", line), ("smooth_fitness", line)]) {
        let value = |which: &str| line[name][which].as_f64().expect(which);
        assert!(value("smallest") <= value("median") && value("median") <= value("largest"), "{line}");
    }
    assert_eq!(
        lines_of(&out.join("timing.jsonl")).len(),
        15,
        "seven generations, and four times final games of each judge"
    );
    let manifest: Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).expect("a manifest")).expect("JSON");
    assert_eq!((&manifest["plan"]["seed"], &manifest["plan"]["judge"]), (&3.into(), &"muct:20".into()));
    assert_eq!(manifest["command_line"][1], "evolve");
    assert!(manifest["rules_version"].as_str().is_some_and(|version| version.starts_with("tubstap-")));

    fairground_in(&directory, "eval fair/maps --playouts 10").succeeded();
    let again = fairground_in(&directory, "evolve --resume fair --format json --quiet").succeeded();
    assert_eq!((again.out, again.err.as_str()), (run.out, ""), "a finished run is told again");
}

#[test]
fn same_seed_same_files_whatever_the_threads_and_the_backend() {
    let directory = scratch("threads");
    for line in [PAPER, LINES] {
        let results = ["--threads 1", "--threads 3", "--backend scalar"].map(|options| {
            let out = format!("{}{}", line.len(), options.replace(' ', ""));
            let table = fairground_in(&directory, &format!("{line} {options} --out {out}")).succeeded().out;
            assert!(table.starts_with("map ") && table.contains("seed 3"), "{table}");
            files(&directory.join(out))
        });
        assert!(results.iter().all(|result| *result == results[0]));
        assert!(results[0].contains_key("maps/01.tbsmap"));
    }
}

/// Starts the program, kills it after a while, and says whether that was in time.
fn killed(directory: &Path, line: &str, after: Duration) -> bool {
    let mut child = command(line)
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(after);
    // SIGKILL: nothing can be tidied up.
    child.kill().expect("a child can be killed");
    let status = child.wait().expect("it ends");
    assert!(status.success() || status.code().is_none(), "{status}");
    !status.success()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let directory = scratch("killed");
    let rng = &mut Rng::for_playout(11, 0, 0);
    let (mut kills, mut stages) = (0, BTreeSet::new());
    for (line, name) in [(PAPER, "paper"), (LINES, "lines")] {
        let began = Instant::now();
        fairground_in(&directory, &format!("{line} --out {name}")).succeeded();
        let took = began.elapsed();
        let expected = files(&directory.join(name));
        let mut kills_of_method = 0;
        let mut round = 0;
        while kills_of_method < 8 {
            round += 1;
            assert!(round < 100, "the program is too quick to be killed");
            let out = format!("{name}-{round}");
            let path = directory.join(&out);
            for _ in 0..5 {
                let moment = took.mul_f64(f64::from(rng.below(1000)) / 1400.0);
                let has_begun = path.join("manifest.json").exists();
                let start = if has_begun { format!("evolve --resume {out}") } else { format!("{line} --out {out}") };
                if !killed(&directory, &start, moment) {
                    break;
                }
                kills_of_method += 1;
                let history = fs::read(path.join("history.jsonl")).unwrap_or_default();
                stages.insert((name, history.iter().filter(|&&byte| byte == b'\n').count()));
            }
            let has_begun = path.join("manifest.json").exists();
            let start = if has_begun { format!("evolve --resume {out}") } else { format!("{line} --out {out}") };
            fairground_in(&directory, &start).succeeded();
            assert!(files(&path) == expected, "{out} differs from the run without interruption");
        }
        kills += kills_of_method;
    }
    assert!(kills >= 10, "{kills} kills");
    assert!(stages.len() >= 5, "the kills fell into few generations: {stages:?}");
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let directory = scratch("ctrl-c");
    let mut child = command(&format!("{} --out stopped", PAPER.replace("--games 6", "--games 100000")))
        .current_dir(&directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("run directory") {
        assert!(err.read_line(&mut text).expect("it says where it works") > 0, "{text}");
    }
    let locked = fairground_in(&directory, "evolve --resume stopped").failed(1);
    assert!(locked.err.contains("stopped/lock: another process works in this directory"), "{}", locked.err);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    assert_eq!(child.wait().expect("the program ends").code(), Some(1));
    err.read_to_string(&mut text).expect("the rest of its messages");
    let expected =
        "stopped on request before the first generation was finished; `fairground evolve --resume stopped` goes on";
    assert!(text.contains(expected), "{text}");
    assert!(!directory.join("stopped/maps").exists());
}

#[test]
fn without_a_name_runs_are_numbered() {
    let directory = scratch("numbered");
    let line =
        "evolve --preset paper003 --judge maxact --population 2 --games 2 --generations 1 --final-games 2 --maps 1";
    for expected in ["runs/evolve-0001", "runs/evolve-0002"] {
        let run = fairground_in(&directory, line).succeeded();
        assert!(run.err.contains(&format!("run directory: {expected}\n")), "{}", run.err);
        assert!(directory.join(expected).join("maps/01.tbsmap").exists());
    }
}

#[test]
fn minutes_end_a_run_after_the_generation() {
    let directory = scratch("minutes");
    let line =
        "evolve --judge maxact --founders 2 --lines 1 --generations 1000000 --minutes 0.0001 --final-games 5 --out a";
    let run = fairground_in(&directory, line).succeeded();
    assert!(run.err.contains("note: the time is up after generation 0 of 1000000"), "{}", run.err);
    assert_eq!(lines_of(&directory.join("a/history.jsonl")).len(), 1);
    assert!(directory.join("a/maps/01.tbsmap").exists());
}

#[test]
fn wrong_options_make_no_directory() {
    let directory = scratch("wrong");
    let refused = |line: &str, code: i32| -> Run {
        let run = fairground_in(&directory, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.out.is_empty() && !run.err.is_empty(), "{line}");
        assert!(fs::read_dir(&directory).expect("a directory").next().is_none(), "{line}");
        run
    };
    for options in [
        "--game catan",
        "--game saboteur",
        "--preset paper004",
        "--judge clever",
        "--judge mss:0",
        "--second-judge nobody",
        "--second-judge muct:sims=none",
        "--population 10",
        "--preset paper003 --founders 10",
        "--preset paper003 --lines 10",
        "--preset paper003 --symmetric",
        "--founders 0",
        "--lines 0",
        "--games 0",
        "--final-games 0",
        "--maps 0",
        "--maps 100000",
        "--generations -1",
        "--minutes 0",
        "--minutes NaN",
        "--minutes 1e300",
        "--seed x",
        "--size 9x9",
        "--terrains lava",
        "--out a --resume b",
        "--backend scalar --simd-level avx2",
    ] {
        refused(&format!("evolve {options}"), 2);
    }
    for (options, why) in [
        ("--units 17", "17 units a side cannot be placed"),
        ("--size 2x2 --units 3", "3 units a side do not fit on 4 cells"),
        ("--terrains sea --no-aircraft", "there was no room for all units"),
        ("--resume nowhere", "nowhere/manifest.json: there is no such file, expected the directory of a run"),
    ] {
        let run = refused(&format!("evolve {options}"), 1);
        assert!(run.err.contains(why) && run.err.lines().count() == 1, "{options}: {}", run.err);
    }
}

#[test]
fn runs_that_do_not_fit_are_refused_with_one_sentence() {
    let directory = scratch("refused");
    fairground_in(&directory, &format!("{PAPER} --out a")).succeeded();
    let path = |name: &str| -> PathBuf { directory.join("a").join(name) };
    let refused = |line: &str, why: &str| {
        let run = fairground_in(&directory, line).failed(1);
        assert!(run.err.starts_with("error: a/") && run.err.contains(why), "{line}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    };
    refused(&format!("{PAPER} --out a --quiet"), "a/manifest.json: there is a run in this directory already");
    for options in [
        "--seed 4",
        "--judge mss",
        "--second-judge none",
        "--generations 13",
        "--population 9",
        "--no-aircraft",
        "--terrains plain",
    ] {
        refused(&format!("evolve --resume a {options}"), "a/manifest.json: the run was made with other options");
    }
    let same = PAPER.replacen("evolve", "evolve --resume a", 1);
    fairground_in(&directory, &same).succeeded();

    let whole = fs::read(path("checkpoint.json")).expect("a checkpoint");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(path("checkpoint.json"), &damaged).expect("a damaged checkpoint");
    refused("evolve --resume a", "a/checkpoint.json: the file is damaged");
    fs::write(path("checkpoint.json"), &whole[..middle]).expect("half a checkpoint");
    refused("evolve --resume a", "a/checkpoint.json: the file is damaged");
    fs::write(path("checkpoint.json"), &whole).expect("the old checkpoint");

    let manifest = fs::read_to_string(path("manifest.json")).expect("a manifest");
    fs::write(path("manifest.json"), manifest.replace("tubstap-", "tubstap-9")).expect("another manifest");
    refused("evolve --resume a", "a/manifest.json: the run was made under the rules 'tubstap-9");
    fs::write(path("manifest.json"), "{").expect("a damaged manifest");
    refused("evolve --resume a", "a/manifest.json: the file is damaged");
}
