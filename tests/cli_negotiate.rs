//! `fairground negotiate` and `fairground reproduce 002` as a user runs them.

#[path = "common/program.rs"]
mod program;

use program::{Run, command, fairground, fairground_in, names, scratch};
use serde_json::Value;

const NEGOTIATE: &str = "negotiate beginner --quiet";

/// The rows without what may differ from run to run.
fn repeatable(run: &Run) -> Vec<Value> {
    let mut rows = run.json();
    rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| drop(row.remove("timing")));
    rows
}

#[test]
fn the_help_lists_players_settings_and_examples() {
    let out = fairground("negotiate --help").succeeded().out;
    for part in ["accept-all", "profit-first", "outlook=optimistic|pessimistic", "offers=G:T", "--mover", "Ctrl-C"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let out = fairground("reproduce 002 --help").succeeded().out;
    assert!(out.contains("--budget") && out.contains("--out"), "{out}");
}

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("negotiate --players clever", "there is no player 'clever', expected one of silent, accept-all, random"),
        ("negotiate --players sum,sum,sum", "these are 3 players, expected 4"),
        ("negotiate --players sum:offers=9:1", "offers is '9:1', expected 1:1, 2:1"),
        ("negotiate --players sum:100,score=off", "score goes with profits by rules"),
        ("negotiate --mover uct:ms=5", "--mover needs players whose time is not limited"),
        ("negotiate --mover mss", "there is no player 'mss'"),
        ("negotiate --games 0", "--games"),
        ("reproduce 002 --scale 0", "expected 0.001 to 1000"),
        ("reproduce 002 --mover uct:ms=5", "--mover needs a player whose time is not limited"),
    ] {
        let run = fairground(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
    let run = fairground("negotiate duel-6x6");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("duel-6x6"), "{}", run.err);
}

#[test]
fn results_are_the_same_on_any_backend_with_any_threads_and_games_at_a_time() {
    let line = format!("{NEGOTIATE} --players selfish:4,random --mover uct:6 --games 8 --format json");
    let one = fairground(&format!("{line} --backend scalar --threads 1 --at-a-time 1")).succeeded();
    let other = fairground(&format!("{line} --backend simd --threads 2 --at-a-time 7")).succeeded();
    assert_eq!(repeatable(&one), repeatable(&other));
    let row = &one.json()[0];
    let players = row["players"].as_array().expect("four players");
    assert_eq!(players.len(), 4);
    assert_eq!(players[0]["player"], "selfish:4");
    assert_eq!(players[0]["mover"], "uct:6");
    assert!(players[0]["proposals"].as_u64().expect("a number") > 0);
    let wins: u64 = players.iter().map(|player| player["wins"]["count"].as_u64().expect("a number")).sum();
    assert_eq!(wins + row["truncated"].as_u64().expect("a number"), 8);
    let sum = |name: &str| players.iter().map(|player| player[name].as_u64().expect("a number")).sum::<u64>();
    assert_eq!(sum("proposals"), sum("received"));
}

#[test]
fn tables_and_csv_say_the_same() {
    let line = format!("{NEGOTIATE} --players selfish,accept-all --games 40");
    let table = fairground(&line).succeeded().out;
    for part in ["four players who trade", "selfish", "accept-all", "success %", "beginner", "games/s"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let json = fairground(&format!("{line} --format json")).succeeded();
    assert_eq!(names(&json), ["beginner", ""]);
    let csv = fairground(&format!("{line} --format csv")).succeeded().out;
    let mut lines = csv.lines();
    let heads: Vec<_> = lines.next().expect("heads").split(',').collect();
    assert!(lines.clone().count() == 2 && lines.all(|line| line.split(',').count() == heads.len()), "{csv}");
    assert!(heads.contains(&"player_1_success_rate") && heads.contains(&"player_4_acceptance_high"));
}

#[test]
fn the_thesis_is_reproduced_with_few_games_and_a_report_of_all_figures() {
    let directory = scratch("reproduce_002");
    let line = "reproduce 002 beginner --mover heuristic --scale 0.01 --quiet --out run";
    let run = fairground_in(&directory, line).succeeded();
    for part in
        ["Figure 6", "Figure 7", "Figure 8", "Figures 9 and 10", "Figure 11", "Figure 16", "Figure 17", "claims"]
    {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let figures = ["6", "7", "8", "9-10", "11", "12", "16", "17", "beyond"].map(|name| format!("figure-{name}.svg"));
    let others = ["manifest.json", "report.html", "report.md", "results.jsonl", "timing.jsonl"].map(String::from);
    for file in figures.iter().chain(&others) {
        assert!(directory.join("run").join(file).is_file(), "{file}");
    }
    let page = std::fs::read_to_string(directory.join("run/report.html")).expect("a report");
    assert!(page.matches("<svg").count() >= 12 && !page.contains("NaN"));
    let results = std::fs::read_to_string(directory.join("run/results.jsonl")).expect("results");
    assert!(results.contains("\"figure\":\"17\"") && !results.contains("seconds"));
    let timing = std::fs::read_to_string(directory.join("run/timing.jsonl")).expect("times");
    assert!(timing.contains("thread_seconds_per_game") && timing.contains("occupancy"), "{timing}");
    let again = fairground_in(&directory, line);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("there is a run in this directory already"), "{}", again.err);
}

#[test]
fn a_reproduction_is_the_same_with_any_threads_but_for_the_time() {
    let line = "reproduce 002 beginner --scale 0.01 --mover heuristic --mover uct:2 --quiet --format json";
    let [one, other] = [1, 2].map(|threads| {
        let rows = fairground(&format!("{line} --threads {threads}")).succeeded().json();
        let (times, results): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.get("timing").is_some());
        assert!(times.len() > 3, "{times:?}");
        results
    });
    assert_eq!(one, other);
    let figures: std::collections::BTreeSet<_> = one.iter().filter_map(|row| row["figure"].as_str()).collect();
    for figure in ["6", "7", "8", "9 and 10", "11", "16", "17", "beyond"] {
        assert!(figures.contains(figure), "{figure}: {figures:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_what_is_finished_of_a_reproduction() {
    let child = command("reproduce 002 beginner --scale 100 --quiet")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let stopped = Run::from(child.wait_with_output().expect("the program ends")).succeeded();
    assert!(stopped.out.contains("stopped on request") && !stopped.out.contains("NaN"), "{}", stopped.out);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_before_the_first_unfinished_one() {
    let line = format!("{NEGOTIATE} --players selfish:2,random --format json");
    let child = command(&format!("{line} --games 1000000 --at-a-time 8 --threads 2"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    // There is no sign of finished games on a pipe: it is stopped once they must have been.
    std::thread::sleep(std::time::Duration::from_secs(4));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let stopped = Run::from(child.wait_with_output().expect("the program ends")).failed(1);
    let counted = stopped.json()[0]["games"].as_u64().expect("a number");
    assert!(counted > 0 && counted < 1_000_000 && stopped.err.contains("stopped on request"), "{}", stopped.err);
    let again = fairground(&format!("{line} --games {counted}")).succeeded();
    assert_eq!(repeatable(&stopped), repeatable(&again));
}
