//! `fairground find` as a user runs it, with bounds so wide that a few thousand games are enough.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use fairground::batch::Evaluator;
use fairground::certify::{Certificate, Verdict};
use fairground::find::{LEAST_DIFFERENCE, Plan, difference};
use fairground::games::catan::{Map, TURN_CAP, file};
use fairground::stats::seats::evidence::Correction;
use program::{command, fairground_in, scratch};

const SMALL: &str = "find --count 2 --sigma 2.5 --maps 600 --seed 4";

/// All files that must be the same however a run came about, by their names.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for below in ["", "maps", "certificates"] {
        // Where nothing was certified there are no maps.
        for entry in fs::read_dir(directory.join(below)).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(directory).expect("below").display().to_string();
            // These name the command line or the time of day.
            if path.is_file() && !["manifest.json", "timing.jsonl", "lock"].contains(&&*name) {
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

fn maps(directory: &Path) -> Vec<Map> {
    let named = files(directory).into_iter().filter(|(name, _)| name.starts_with("maps/"));
    named.map(|(name, bytes)| file::parse(&bytes).unwrap_or_else(|faults| panic!("{name}: {faults:?}")).map).collect()
}

#[test]
fn certified_maps_are_delivered_with_proofs_that_can_be_checked() {
    let directory = scratch("delivered");
    let run = fairground_in(&directory, &format!("{SMALL} --out out --format json")).succeeded();
    let rows = run.json();
    assert!(rows.len() >= 2, "{}", run.out);
    let found = files(&directory.join("out"));
    let (mut values, mut entered) = (Vec::new(), 0);
    for row in &rows {
        let path = row["certificate"].as_str().expect("a path");
        let certificate = Certificate::read(&fs::read(directory.join(path)).expect("a file")).expect("a certificate");
        assert_eq!((certificate.verdict, certificate.correction), (Verdict::Certified, Correction::EBh));
        assert_eq!(certificate.sigma_points, 2.5);
        assert_eq!(row["games"].as_u64(), Some(certificate.games));
        let [unbiased, low, high] =
            ["debiased_points", "debiased_low", "debiased_high"].map(|name| row[name].as_f64().expect("a number"));
        assert!(low <= unbiased && unbiased <= high && low < high && unbiased <= certificate.spread_points, "{row}");
        assert_eq!(certificate.maps, 5, "all that may enter are counted");
        entered = certificate.maps;
        values.push(certificate.e_value.ln());
    }
    // Maps that were not certified have less evidence than anything.
    values.resize(entered, f64::NEG_INFINITY);
    assert_eq!(
        Correction::EBh.certified(&values, 0.05).iter().filter(|&&is_certified| is_certified).count(),
        rows.len()
    );
    fairground_in(&directory, "certify --quiet --verify out/certificates/001.json out/certificates/002.json")
        .succeeded();
    // With the same seed `certify` plays other games of the same map.
    let first = Certificate::read(&found["certificates/001.json"]).expect("a certificate");
    let other = Certificate { seed: 4, ..first }.verify(&Evaluator::default(), &()).expect("games");
    assert!(other.is_some_and(|why| why.contains("played again with seed 4, the seats win")));
    let maps = maps(&directory.join("out"));
    assert_eq!(maps.len(), rows.len());
    for (place, map) in maps.iter().enumerate() {
        assert!(maps[..place].iter().all(|other| difference(map, other) >= LEAST_DIFFERENCE));
        assert!(map.comment.as_ref().is_some_and(|comment| comment.contains("fresh games of heuristic")));
    }
    let report = String::from_utf8(found["report.html"].clone()).expect("text");
    assert!(report.contains("The run is finished.") && report.matches("<img ").count() == rows.len());
    assert!(report.contains("Does the regression help?") && !report.contains("NaN"));
    assert!(report.contains("true spread, 95 %"));
    let history = String::from_utf8(found["history.jsonl"].clone()).expect("text");
    for stage in ["halving", "search", "certification"] {
        assert!(history.contains(stage), "{history}");
    }
    assert!(run.err.contains("run directory: out"), "{}", run.err);
}

/// Starts a run and stops it after so many rounds, by Ctrl-C or by force. `None` if it was finished before.
fn stopped(directory: &Path, line: &str, rounds: usize, by_force: bool) -> Option<String> {
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
    let history = directory.join("parts/history.jsonl");
    let lines = || fs::read_to_string(&history).map_or(0, |text| text.lines().count());
    while lines() < rounds && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    if by_force {
        // It may have ended by itself.
        let _ = child.kill();
    } else {
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    }
    let code = child.wait().expect("the program ends").code();
    err.read_to_string(&mut text).expect("the rest of its messages");
    (code != Some(0)).then_some(text)
}

#[test]
fn a_run_that_is_stopped_goes_on_to_the_same_maps_with_any_number_of_threads() {
    let directory = scratch("stopped");
    fairground_in(&directory, &format!("{SMALL} --out whole --threads 1")).succeeded();
    let mut start = format!("{SMALL} --out parts --threads 2");
    let (mut stops, mut asked) = (0, 0);
    for (rounds, by_force) in [(0, true), (2, false), (9, true), (15, false)] {
        if let Some(text) = stopped(&directory, &start, rounds, by_force) {
            stops += 1;
            if !by_force && text.contains("stopped on request after round") {
                assert!(
                    text.contains(" certified maps") && text.contains("; `fairground find --resume parts` goes on"),
                    "{text}"
                );
                asked += 1;
            }
        }
        start = "find --resume parts --threads 2".into();
    }
    assert!(stops >= 2 && asked >= 1, "{stops} {asked}");
    fairground_in(&directory, "find --resume parts").succeeded();
    let (parts, whole) = (files(&directory.join("parts")), files(&directory.join("whole")));
    assert_eq!(parts.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    for (name, bytes) in &parts {
        assert!(*bytes == whole[name], "{name} differs");
    }
    assert!(!maps(&directory.join("whole")).is_empty());
    let checkpoint = directory.join("parts/checkpoint.json");
    let mut bytes = fs::read(&checkpoint).expect("a checkpoint");
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    fs::write(&checkpoint, bytes).expect("it can be written");
    let run = fairground_in(&directory, "find --resume parts").failed(1);
    assert!(run.err.contains("parts/checkpoint.json: the file is damaged"), "{}", run.err);
}

#[test]
fn a_limit_of_time_delivers_what_there_is_and_can_be_lifted() {
    let directory = scratch("minutes");
    let run = fairground_in(&directory, &format!("{SMALL} --minutes 0.0001 --out out")).failed(1);
    assert!(
        run.err.contains("note: the time is up") && run.err.contains("error: no map could be certified"),
        "{}",
        run.err
    );
    assert!(run.out.contains("0 maps are certified"), "{}", run.out);
    let again = fairground_in(&directory, "find --resume out").succeeded();
    assert!(!again.out.contains("0 maps are certified") && !maps(&directory.join("out")).is_empty(), "{}", again.out);
}

#[test]
fn a_run_that_is_out_of_games_goes_on_with_more_as_if_it_had_begun_with_them() {
    let directory = scratch("more-games");
    let plan = Plan {
        players: ["heuristic"; 4].map(String::from),
        turn_cap: TURN_CAP,
        maps: 600,
        games: 0,
        count: 2,
        sigma_points: 2.5,
        level: 0.05,
        seed: 4,
    };
    let usual = plan.usual_games();
    // The fewest games that are not refused.
    let least = (1..=64).map(|part| usual / 64 * part).find(|&games| Plan { games, ..plan.clone() }.check().is_ok());
    let few = least.expect("the usual games are enough");
    let run = fairground_in(&directory, &format!("{SMALL} --games {few} --out parts"));
    fairground_in(&directory, &format!("{SMALL} --games {usual} --out whole")).succeeded();
    assert_ne!(
        files(&directory.join("parts")),
        files(&directory.join("whole")),
        "{few} games are not few: {}",
        run.out
    );
    fairground_in(&directory, &format!("find --resume parts --games {usual}")).succeeded();
    let (parts, whole) = (files(&directory.join("parts")), files(&directory.join("whole")));
    assert_eq!(parts.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    assert!(parts == whole);
    let run = fairground_in(&directory, "find --resume parts --games 10").failed(1);
    assert!(run.err.contains("10 games are too few to find 2 maps"), "{}", run.err);
    fairground_in(&directory, "find --resume parts").succeeded();
}

#[test]
fn games_that_nobody_wins_are_named_in_a_sentence() {
    let directory = scratch("undecided");
    let run = fairground_in(&directory, &format!("{SMALL} --turn-cap 2 --quiet --out out")).failed(1);
    assert_eq!(run.err, "error: no game was decided: all 20000 to learn from were cut off after 2 turns\n");
}

#[test]
fn bad_input_is_refused_in_a_sentence_and_leaves_nothing_behind() {
    let directory = scratch("refused");
    for (line, code, sentence) in [
        ("find --game tubstap", 2, "this is for maps of catan, not of tubstap"),
        ("find --count 0", 2, "expected 1 to 10000"),
        ("find --sigma 0", 2, "expected percentage points"),
        ("find --level 1", 2, "expected a share"),
        ("find --policy clever", 2, "'clever' is no policy of catan"),
        ("find --games 1000000", 1, "1000000 games are too few to find 100 maps with a spread below 0.28 points"),
        ("find --maps 1000", 1, "expected at least 16000 random maps"),
        ("find --resume nowhere", 1, "nowhere/manifest.json: there is no such file, expected the directory of a run"),
        ("find --resume nowhere --count 3", 2, "cannot be used with"),
    ] {
        let run = fairground_in(&directory, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.err.contains("error: ") && run.err.contains(sentence), "{line}: {}", run.err);
        assert_eq!(run.out, "", "{line}");
    }
    assert!(!directory.join("runs").exists(), "nothing is left behind");
}
