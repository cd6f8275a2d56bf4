//! `fairground reproduce 001`: the paper's tables, and the experiments as a user runs them.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fairground::batch::{BackendChoice, Evaluator, Options};
use fairground::games::tubstap::{Team, builtin, file};
use fairground::papers::tubstap::claims::{Scores, Verdict};
use fairground::papers::tubstap::depth::{CLASSES, DEPTHS, PUBLISHED, Plan, Profile, SEED_GROUPS, nearest};
use fairground::papers::tubstap::matches::Reading;
use fairground::papers::tubstap::{CHILDREN, Children, Experiment, MAPS, PAIRS, check};
use program::{command, fairground, fairground_in, scratch};
use serde_json::Value;

/// The map folder of the original program, if it is there.
fn originals() -> Option<PathBuf> {
    let folder = std::env::var_os("FAIRGROUND_MAPS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/tubstap/maps"), PathBuf::from);
    let is_there = folder.join(MAPS[0].file).exists();
    if !is_there {
        // Past the test runner, which keeps the output of tests that pass to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: there are no original maps in {} (set FAIRGROUND_MAPS)",
            folder.display()
        );
    }
    is_there.then_some(folder)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_rows_of_the_paper_add_up_to_its_games() {
    // The column of games in tables 1 and 2, which is the same in both seats.
    let games = [550, 1650, 350, 550, 250, 250, 500, 1000, 1000, 150, 150, 150];
    let mut seen = BTreeSet::new();
    for ([first, second], games) in PAIRS.iter().zip(games) {
        assert_eq!((first.seat, second.seat), (Team::Red, Team::Blue));
        assert_eq!((first.map, first.kind, first.experiment), (second.map, second.kind, second.experiment));
        assert_eq!([first.paper.games(), second.paper.games()], [games; 2], "{first:?}");
        assert!(seen.insert((first.experiment.table(), first.map, first.kind)));
    }
    let single = PAIRS.iter().filter(|pair| pair[0].experiment == Experiment::Single);
    assert_eq!((single.count(), PAIRS.len()), (9, 12));
}

#[test]
fn the_papers_own_figures_show_a_weaker_player_and_never_a_stronger_one() {
    let scores = Scores::of_paper();
    assert!(!scores.verdicts.contains(&Verdict::Higher));
    assert!(scores.verdicts.iter().filter(|&&verdict| verdict == Verdict::Lower).count() >= 8);
    // Single pruning of panzers on map 1: 801 and 389 wins, 66 and 67 draws in 1650 games each.
    assert!((scores.scores[1].value - (801.0 + 389.0 + 66.5) / 3300.0).abs() < 1e-12);
}

#[test]
fn table_4_cannot_be_the_mean_depth_of_the_nodes_of_table_3() {
    for (published, children) in PUBLISHED.iter().zip(CHILDREN.0) {
        assert_eq!(published.nodes[..2], [1.0, children as f64]);
        assert!(published.mean_node_depth() < 6.5 && published.depth > 8.5);
    }
}

#[test]
fn the_maps_in_place_of_the_papers_have_the_units_that_are_pruned() {
    for (index, paper) in MAPS.iter().enumerate() {
        let map = builtin::get(paper.stand_in).unwrap_or_else(|| panic!("no map {}", paper.stand_in));
        for row in PAIRS.iter().flatten().filter(|row| row.map == index) {
            assert!(map.side(row.seat).any(|unit| unit.kind == row.kind), "{}: no {:?}", paper.stand_in, row.kind);
        }
        // Map 1 is known by its children, the others by their units.
        assert_eq!(check(index, &map).is_err(), index == 0, "{}", paper.stand_in);
    }
    let skirmish = builtin::get("skirmish-5x5").expect("a built-in map");
    let wrong = check(1, &skirmish).expect_err("it has no fighters").to_string();
    assert_eq!(wrong, "Red has no fighter, which the paper prunes");
}

#[test]
fn map_1_has_73_children_and_71_with_pruned_panzers() {
    let Some(folder) = originals() else { return };
    for (index, paper) in MAPS.iter().enumerate() {
        let map = file::read(&folder.join(paper.file)).unwrap_or_else(|error| panic!("{error}")).map;
        assert_eq!(check(index, &map), Ok(()), "{}", paper.file);
        assert_eq!(Children::of(&map.start()) == CHILDREN, index == 0, "{}", paper.file);
    }
}

/// Searches whose nodes by depth lie around these, some above and some below.
fn around(nodes: &[f64], spread: f64) -> Profile {
    let search = |sign: f64| nodes.iter().map(|&nodes| (nodes * (1.0 + sign * spread)).round() as u32).collect();
    let searches = (0..50).flat_map(|_| [search(1.0), search(-1.0)]).collect();
    Profile { seed_group: 1, is_pruned: false, searches }
}

#[test]
fn a_profile_fits_the_paper_if_it_is_as_near_as_its_own_searches() {
    let near = around(&PUBLISHED[0].nodes, 0.2);
    let fit = near.fit(1);
    assert!(fit.distance < 1.0 && fit.p > 0.9, "{fit:?}");
    // Two standard errors of the difference, 0.2 sqrt(1/100 + 1/100), at each depth.
    let off = PUBLISHED[0].nodes.map(|nodes| nodes * 1.06);
    let away = around(&off, 0.2).fit(1);
    assert!(away.distance > 2.0 * CLASSES as f64 && away.distance < 6.0 * CLASSES as f64, "{away:?}");
    assert!(away.p < fit.p && away.p > 0.0, "{away:?}");
    let far = Profile { seed_group: 2, ..around(&PUBLISHED[0].nodes.map(|nodes| nodes * 1.5), 0.2) };
    let far_fit = far.fit(1);
    assert!(far_fit.p == 0.0 && far_fit.distance > 10.0 * away.distance, "{far_fit:?}");
    assert_eq!(nearest(&[far, near], &[far_fit, fit]), Some(1));
    // A depth that was never reached still has an error.
    let shallow = around(&PUBLISHED[0].nodes[..9], 0.2).fit(1);
    assert!(shallow.distance.is_finite() && shallow.p == 0.0, "{shallow:?}");
    let single = Profile { searches: vec![vec![1, 73]], ..around(&[1.0], 0.0) };
    assert!(single.fit(1).distance.is_nan() && single.mean_depth().value == 1.0);
}

#[test]
fn searches_do_not_depend_on_how_many_there_are() {
    let start = builtin::get("skirmish-5x5").expect("a built-in map").start();
    let options = Options { backend: BackendChoice::Auto, threads: 2, chunk: 0 };
    let evaluator = Evaluator::new(&options).expect("a backend");
    let search = |searches| {
        let plan = Plan { start, searches, reading: Reading::default(), seed: 3 };
        plan.search(&evaluator, &()).expect("it is searched")
    };
    let (one, two) = (search(1), search(2));
    assert_eq!(one.len(), 2 * SEED_GROUPS.len());
    let children = Children::of(&start);
    for (one, two) in one.iter().zip(&two) {
        assert_eq!((one.searches.len(), two.searches.len()), (1, 2));
        assert_eq!(one.searches[0], two.searches[0]);
        let nodes = &one.searches[0];
        assert_eq!((nodes[0], nodes[1] as usize), (1, children.0[usize::from(one.is_pruned)]));
        assert!(nodes.len() > 4 && nodes.last().is_some_and(|&deepest| deepest > 0), "{nodes:?}");
    }
    let shapes: BTreeSet<_> = two.iter().flat_map(|profile| &profile.searches).collect();
    assert!(shapes.len() > 40, "{} different trees", shapes.len());
}

const REPRODUCE: &str = "reproduce 001 --quiet";

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("--budget huge", "quick, paper"),
        ("--games many", "games"),
        ("--games 100001", "100000"),
        ("--sims 0", "sims"),
        ("--searches few", "searches"),
        ("--seed-group 0", "seed-group"),
        ("--threshold low", "a whole number or `none`"),
        ("--backend scalar --simd-level avx2", "--simd-level"),
        ("--rounds 3", "--rounds"),
    ] {
        let run = fairground(&format!("{REPRODUCE} {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
}

#[test]
fn folders_without_the_papers_maps_are_refused_with_what_to_do() {
    let directory = scratch("folders");
    let refused = |part: &str| {
        let run = fairground_in(&directory, &format!("{REPRODUCE} --maps maps --searches 0 --games 0")).failed(1);
        assert!(run.out.is_empty() && run.err.contains(part), "{}", run.err);
        run.err
    };
    let no_folder = refused("maps is no directory: --maps names the map folder of the TUBSTAP program");
    assert!(no_folder.contains("map01.tbsmap, map05.tbsmap, map03.tbsmap, map04.tbsmap"), "{no_folder}");
    fs::create_dir(directory.join("maps")).expect("a directory can be made");
    refused("maps has none of the paper's maps");
    let put = |name: &str, builtin_name: &str| {
        let map = builtin::get(builtin_name).expect("a built-in map");
        fs::write(directory.join("maps").join(name), file::write(&map)).expect("a file can be written");
    };
    put("map01.tbsmap", "front-6x6");
    put("map05.tbsmap", "duel-6x6");
    let wrong = refused("map01.tbsmap: this is not map 1 of the paper: its first position has ");
    assert!(wrong.contains("where the paper has 73 without and 71 with pruning of panzers"), "{wrong}");
    assert!(wrong.contains("map05.tbsmap: this is not map 2 of the paper: Red has no "), "{wrong}");
    fs::write(directory.join("maps/map05.tbsmap"), "SIZEX[8];").expect("a file can be written");
    refused("map05.tbsmap:1: ");
    let run = fairground_in(&directory, &format!("{REPRODUCE} --out no/such/folder.md")).failed(1);
    assert!(run.err.contains("cannot write no/such/folder.md"), "{}", run.err);
}

#[test]
fn maps_that_are_missing_are_replaced_and_named() {
    let directory = scratch("missing");
    let ridge = builtin::get("ridge-8x8").expect("a built-in map");
    fs::write(directory.join("map05.tbsmap"), file::write(&ridge)).expect("a file can be written");
    let line = "reproduce 001 --maps . --searches 0 --games 1 --sims 10";
    let run = fairground_in(&directory, line).succeeded();
    let warning = "built-in maps are played in place of map01.tbsmap, map03.tbsmap, map04.tbsmap";
    assert!(run.err.contains(warning) && run.err.contains("TUBSTAP program"), "{}", run.err);
    for part in [
        "Map 1: front-6x6, another map in place of map01.tbsmap.",
        "Map 2: map05.tbsmap, most likely the paper's",
        "Not all of these are the paper's maps",
        "1 games of each row, where the paper has 150 to 1,650; 10 simulations",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let rows = fairground_in(&directory, &format!("{line} --quiet --format json")).succeeded().json();
    for row in &rows {
        assert_eq!(row["is_papers_map"], row["map"] == 2, "{row}");
        assert!(row["map"] == 2 || row["paper_value"].is_null() && row["p"].is_null(), "{row}");
    }
    assert!(rows.iter().any(|row| row["paper_value"] == 203.0 / 550.0));
}

#[test]
fn the_same_seed_gives_the_same_report_whatever_the_threads() {
    let line = format!("{REPRODUCE} --searches 1 --games 2 --sims 30 --format json");
    let one = fairground(&format!("{line} --seed 7 --threads 1")).succeeded();
    assert_eq!(one.out, fairground(&format!("{line} --seed 7 --threads 2")).succeeded().out);
    let rows = one.json();
    let of = |measure: &str| rows.iter().filter(|row| row["measure"] == measure).collect::<Vec<_>>();
    assert_eq!((of("wins").len(), of("score of both seats").len()), (24 + 4, 12));
    for (wins, (losses, draws)) in of("wins").into_iter().zip(of("losses").into_iter().zip(of("draws"))) {
        assert_eq!(wins["n"], 2);
        assert_eq!(number(&wins["value"]) + number(&losses["value"]) + number(&draws["value"]), 1.0);
        assert!(number(&wins["low"]) <= number(&wins["value"]) && number(&wins["value"]) <= number(&wins["high"]));
    }
    let nodes = of("nodes");
    assert!(nodes.len() >= 2 * SEED_GROUPS.len() * DEPTHS);
    let children = Children::of(&builtin::get(MAPS[0].stand_in).expect("a built-in map").start());
    for row in nodes.iter().filter(|row| row["depth"] == 1) {
        assert_eq!(number(&row["value"]), children.0[usize::from(row["kind"] == "panzer")] as f64);
    }
    assert_eq!(of("depth of tree").len(), 2 * SEED_GROUPS.len());
    let games = |seed: u64| {
        let line = format!("{REPRODUCE} --searches 0 --games 2 --sims 30 --format csv --seed {seed}");
        fairground(&line).succeeded().out
    };
    let csv = games(7);
    assert!(csv.starts_with("table,map,played_on,is_papers_map,experiment,kind,seat,depth,simulations,seed_group,"));
    assert_eq!(csv.lines().count(), 1 + (24 + 4) * 4 + 12);
    assert_ne!(csv, games(8));
}

#[test]
fn the_readings_of_the_paper_change_the_games() {
    let wins = |line: &str| {
        let line = format!("{REPRODUCE} --searches 0 --games 4 --sims 60 --format json {line}");
        let rows = fairground(&line).succeeded().json();
        rows.iter().filter(|row| row["measure"] == "score").map(|row| number(&row["value"])).collect::<Vec<_>>()
    };
    let usual = wins("");
    assert_eq!(usual, wins("--threshold -20 --seed-group 1"));
    for line in ["--threshold none", "--threshold 1000", "--own-side-only", "--seed-group 10"] {
        let other = wins(line);
        // Nothing of this touches M-UCT itself, but for the random numbers.
        assert_eq!(usual[..4] == other[..4], line != "--seed-group 10", "{line}");
        assert_ne!(usual[4..], other[4..], "{line}");
    }
}

#[test]
fn the_papers_maps_are_compared_with_the_paper() {
    let Some(folder) = originals() else { return };
    let directory = scratch("originals");
    let line = format!("reproduce 001 --maps {} --out report.md", folder.display());
    let run = fairground_in(&directory, &format!("{line} --searches 2 --games 2 --sims 20")).succeeded();
    assert!(!run.err.contains("warning") && run.err.contains("wrote report.md"), "{}", run.err);
    for part in [
        "Map 1: map01.tbsmap, certainly the paper's",
        "Map 4: map04.tbsmap, most likely the paper's",
        "M-UCT against itself",
        "48.5 / 47.5 / 4.0",
        "0.381 [0.365,0.396]",
        "12548.1",
        "mean depth of tree",
        "would be 6.31 and 6.18",
        "Pruning never raises the win rate\" ",
        "Pruned players lose more than they win\" is borne out in ",
        "of 24 rows",
        "Pruning has no effect on the depth\" ",
        "Table 3 is nearest to ",
        "73 and 71 children of the root on map 1\" holds here: there are 73 without and 71 with pruning of panzers",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.out.contains("NaN"), "{}", run.out);
    let markdown = fs::read_to_string(directory.join("report.md")).expect("the report");
    assert!(markdown.contains("## The paper's claims") && markdown.contains("| 7 | 12548.1 |"), "{markdown}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_what_is_finished() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let mut child = command("reproduce 001 --searches 0 --games 100000 --sims 20")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("backend: ") {
        assert!(err.read_line(&mut text).expect("its messages") > 0, "{text}");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    err.read_to_string(&mut text).expect("the rest of its messages");
    assert!(text.contains("stopped on request: ") && text.contains(" of 2,800,000 games are finished"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("The paper's claims"));
}
