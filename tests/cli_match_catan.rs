//! `fairground match --game catan` as a user runs it.

#[path = "common/program.rs"]
mod program;

use std::io::Read;
use std::process::{Command, Stdio};

use program::{Run, command, fairground, fairground_in, names, scratch};
use serde_json::Value;

const MATCH: &str = "match --game catan --backend scalar --quiet";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The rows without what may differ from run to run.
fn repeatable(run: &Run) -> Vec<Value> {
    let mut rows = run.json();
    rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| drop(row.remove("timing")));
    rows
}

#[test]
fn the_help_lists_players_settings_and_an_example() {
    let out = fairground("match --help").succeeded().out;
    for part in [
        "Players of Catan:",
        "rollout=POLICY",
        "cards=open|hidden",
        "virtual=X+Y",
        "--rotate",
        "--seats uct:1000,random,random,random --rotate",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("match --seats clever", "there is no player 'clever', expected one of random, random-s, heuristic, uct"),
        ("match --seats random,random", "these are 2 players, expected 4, or one who sits in all seats"),
        ("match --seats uct:0,random,random,random", "sims is '0', expected a whole number from 1"),
        ("match --seats uct:rollout=best", "rollout is 'best', expected random, random-s, heuristic"),
        ("match --seats uct:cards=seen", "cards is 'seen', expected open or hidden"),
        ("match --seats heuristic:3", "heuristic has no settings"),
        ("match --seats random", "--seats goes with --game catan only"),
        ("match duel-6x6 --rotate", "--rotate goes with --game catan only"),
        ("match beginner --swap", "--swap goes with --game tubstap only"),
        ("match beginner --red maxact", "--red goes with --game tubstap only"),
        ("match --game catan --blue random", "--blue goes with --game tubstap only"),
        ("match --game catan --record games", "--record goes with --game tubstap only"),
        ("match beginner --seats uct:ms=5 --at-a-time 8", "--at-a-time does not go with ms"),
        ("match beginner --games 0", "--games"),
    ] {
        let run = fairground(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
}

#[test]
fn the_same_map_twice_and_maps_that_are_none_are_refused() {
    let run = fairground("match beginner spiral beginner").failed(1);
    assert!(run.err.contains("beginner: the same map as beginner"), "{}", run.err);
    let run = fairground("match --game catan nowhere").failed(1);
    assert!(run.err.contains("nowhere: no such file, directory or built-in map"), "{}", run.err);
}

#[test]
fn json_has_a_row_for_each_map_and_one_for_all_and_adds_up() {
    let line = "--seats heuristic,uct:2,random,random-s --rotate --games 22 --seed 3 --format json";
    let run = fairground(&format!("{MATCH} {line}")).succeeded();
    let mut rows = run.json();
    assert_eq!(names(&run), ["beginner", "spiral", "spread", "clusters", "rich-corner", "lopsided", ""]);
    let timing = rows[6]["timing"].clone();
    assert!(rows[..6].iter().all(|row| row.get("timing").is_none()));
    for row in &rows {
        let games = number(&row["games"]);
        assert_eq!((&row["game"], &row["rules_version"]), (&"catan".into(), &"catan-1".into()));
        assert_eq!((&row["rotate"], &row["seed"], &row["turn_cap"]), (&true.into(), &3.into(), &1000.into()));
        let players = row["players"].as_array().expect("players");
        let called: Vec<_> = players.iter().map(|player| player["player"].as_str().expect("a name")).collect();
        assert_eq!(called, ["heuristic", "uct:2", "random", "random-s"]);
        let mut by_seat = [0.0; 4];
        for (number_of_player, player) in players.iter().enumerate() {
            let seats = player["by_seat"].as_array().expect("seats");
            let wins: f64 = seats.iter().map(|seat| number(&seat["wins"]["count"])).sum();
            assert_eq!(number(&player["wins"]["count"]), wins);
            assert!((number(&player["wins"]["rate"]) - wins / games).abs() < 1e-12);
            // Twenty-two games: the first two seatings come once more.
            for (seat, of) in seats.iter().enumerate() {
                let is_more = (seat + 4 - number_of_player) % 4 < 2;
                let expected = if is_more { 6.0 } else { 5.0 };
                assert_eq!(number(&of["games"]), expected * games / 22.0);
                by_seat[seat] += number(&of["wins"]["count"]);
                let [low, high] = [0, 1].map(|end| number(&of["wins"]["interval"][end]));
                assert!(0.0 <= low && low <= number(&of["wins"]["rate"]) && number(&of["wins"]["rate"]) <= high);
            }
        }
        for (seat, wins) in row["seat_wins"].as_array().expect("seats").iter().zip(by_seat) {
            assert_eq!(number(&seat["count"]), wins);
        }
        assert_eq!(by_seat.iter().sum::<f64>() + number(&row["truncated"]), games);
        assert!(number(&row["mean_length"]) > 20.0 && number(&row["mean_actions"]) > number(&row["mean_length"]));
        assert!(number(&players[0]["wins"]["rate"]) > 0.8, "heuristic wins");
    }
    let whole = rows.pop().expect("the row of all maps");
    assert_eq!((&whole["map"], &whole["games"]), (&Value::Null, &132.into()));
    let sum: f64 = rows.iter().map(|row| number(&row["players"][0]["wins"]["count"])).sum();
    assert_eq!(number(&whole["players"][0]["wins"]["count"]), sum);
    assert_eq!((&timing["backend"], &timing["games"]), (&"scalar".into(), &132.into()));
    assert!(number(&timing["playouts"]) > 1000.0 && number(&timing["playouts_per_s"]) > 0.0);
}

#[test]
fn the_same_seed_gives_the_same_games_whatever_plays_them() {
    let line = "match beginner lopsided --seats uct:6,leaves=2,heuristic,uct:5,cards=hidden,random --rotate --games 4 \
                --format json --quiet";
    let run = |more: &str| repeatable(&fairground(&format!("{line} {more}")).succeeded());
    let usual = run("--threads 1 --backend scalar");
    for more in ["--threads 3", "--threads 1 --at-a-time 1", "--backend simd --at-a-time 3"] {
        assert_eq!(run(more), usual, "{more}");
    }
    assert_ne!(run("--seed 2"), usual);
    // The games of a map do not depend on other maps.
    let alone = repeatable(&fairground(&line.replace("beginner ", "")).succeeded());
    assert_eq!(alone[0], usual[1]);
}

#[test]
fn csv_holds_the_same_numbers_as_json() {
    let line = "match beginner spiral --backend scalar --seats heuristic,random,random-s,random --rotate --games 9";
    let csv = fairground(&format!("{line} --format csv")).succeeded();
    let json = fairground(&format!("{line} --format json --quiet")).succeeded().json();
    assert!(csv.err.contains("18 games in"), "{}", csv.err);
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
        for (index, player) in json["players"].as_array().expect("players").iter().enumerate() {
            let name = format!("player_{}", index + 1);
            assert_eq!(cell(&name), player["player"]);
            assert_eq!(cell(&format!("{name}_wins")), player["wins"]["count"].to_string());
            let high = cell(&format!("{name}_wins_high")).parse::<f64>().expect("a number");
            assert!((high - number(&player["wins"]["interval"][1])).abs() < 1e-12);
            for (seat, of) in ["first", "second", "third", "fourth"].iter().zip(player["by_seat"].as_array().unwrap()) {
                assert_eq!(cell(&format!("{name}_{seat}_games")), of["games"].to_string());
                assert_eq!(cell(&format!("{name}_{seat}_wins")), of["wins"]["count"].to_string());
            }
        }
        assert_eq!(cell("third_wins"), json["seat_wins"][2]["count"].to_string());
        assert_eq!(cell("lax_robberies"), json["lax_robberies"].to_string());
    }
}

#[test]
fn the_table_is_for_people() {
    let line = "match beginner spiral --backend scalar --threads 1 --seats heuristic,random,random-s,random --games 8";
    let run = fairground(&format!("{line} --rotate")).succeeded();
    assert_eq!(run.err, "backend: scalar (rules engine), 1 thread\n");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], "four players, moving on by one seat after every game; seed 1");
    assert!(lines[2].starts_with("map") && lines[2].contains("as fourth %"), "{}", run.out);
    let players: Vec<_> = lines[3..7].iter().map(|line| line[..line.find('[').unwrap_or(0)].trim()).collect();
    assert!(players[0].starts_with("beginner") && players[2].starts_with("random-s"), "{}", run.out);
    assert!(lines[11].starts_with("all maps"), "{}", run.out);
    assert!(run.out.contains("third wins %") && run.out.contains("16 games in") && run.out.contains("cut off"));
    let lax = fairground(&format!("{MATCH} beginner --seats random-s --games 8")).succeeded().out;
    assert!(lax.contains(" times random-s moved the robber as only SmartSettlers allows.\n"), "{lax}");
    // One map, fixed seats.
    let run = fairground(&format!("{} --quiet", line.replace("spiral ", ""))).succeeded();
    assert!(run.out.starts_with("four players, always in the same seats; seed 1\n"), "{}", run.out);
    assert!(!run.out.contains("all maps") && !run.out.contains("as first %") && run.err.is_empty(), "{}", run.out);
}

#[test]
fn maps_come_from_files_too() {
    let directory = scratch("sources");
    fairground_in(&directory, "generate --game catan --count 2 --seed 5 --out maps").succeeded();
    let line = "match --backend scalar --quiet --seats heuristic --games 1 --format json";
    let run = fairground_in(&directory, &format!("{line} maps beginner")).succeeded();
    assert_eq!(names(&run), ["maps/0000.catan", "maps/0001.catan", "beginner", ""]);
}

#[test]
fn limited_time_is_not_repeatable_and_says_so() {
    let line = "match beginner --backend scalar --threads 2 --seats uct:ms=1,heuristic,heuristic,heuristic --games 2";
    let run = fairground(&format!("{line} --format json")).succeeded();
    assert!(run.err.contains("note: a player's time is limited, so the games cannot be repeated"), "{}", run.err);
    assert_eq!(run.json()[1]["timing"]["at_a_time"], 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_before_the_first_unfinished_one() {
    let line =
        "match beginner --backend scalar --seats uct:3,heuristic,heuristic,random --rotate --format json --quiet";
    let mut child = command(&format!("{line} --games 1000000 --at-a-time 16 --threads 2"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // There is no sign of finished games on a pipe: it is stopped once they must have been.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(child.try_wait().expect("a child"), None, "it ended before it was stopped");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("its results");
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("its messages");
    let stopped = Run { code: child.wait().expect("the program ends").code(), out, err }.failed(1);
    let rows = stopped.json();
    let counted = rows[0]["games"].as_u64().expect("a number");
    assert!(counted > 0);
    let counted_text =
        if counted < 1000 { counted.to_string() } else { format!("{},{:03}", counted / 1000, counted % 1000) };
    let said = format!("stopped on request: {counted_text} of 1,000,000 games count, those before the first one");
    assert!(stopped.err.contains(&said), "{}", stopped.err);
    assert!(number(&rows[1]["timing"]["games"]) >= counted as f64);
    let again = fairground(&format!("{line} --games {counted}")).succeeded();
    assert_eq!(repeatable(&stopped), repeatable(&again));
}
