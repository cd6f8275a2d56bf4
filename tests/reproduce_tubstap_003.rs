//! `fairground reproduce 003`: the paper's evolution as a user runs it, and what is asked of it.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::BTreeSet;
use std::fs;

use fairground::batch::{BackendChoice, Evaluator, Options};
use fairground::evolve::census::{Census, Heirs, Nothing};
use fairground::evolve::judge::{Judge, Standing};
use fairground::evolve::paper::Paper;
use fairground::evolve::plan::Plan;
use fairground::evolve::race::Until;
use fairground::evolve::{Individual, Method};
use fairground::games::tubstap::generate::Recipe;
use fairground::games::tubstap::{Map, Team, Terrain, builtin};
use fairground::papers::evolution::SETTINGS;
use fairground::papers::evolution::generation::{self, Measure};
use fairground::papers::evolution::trial::{Curves, Trial, censuses};
use fairground::papers::evolution::why::{Change, Changes, inheritance, luck};
use program::{command, fairground, fairground_in, scratch};
use serde_json::Value;

fn evaluator() -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads: 2, chunk: 0 }).expect("a backend")
}

/// A quick judge.
fn judge(evaluator: &Evaluator) -> Judge<'_> {
    Plan { judge: "muct:10".parse().expect("a player"), seed: 4, ..Plan::paper() }.judges(evaluator, |_| 16).first
}

/// Small maps on which either side wins now and then.
fn small() -> Paper {
    let terrains = vec![Terrain::Plain, Terrain::Wood];
    let recipe = Recipe { width: 4, height: 4, units: 2, aircraft: false, terrains, ..Recipe::default() };
    Paper { recipe, population: 24, generations: 4, games: 8, seed: 4, ..Paper::default() }
}

fn individual(map: Map, wins: [u64; 2], draws: u64) -> Individual {
    Individual { standing: Standing { wins, draws, nearness: [0; 2] }, ..Individual::new(map) }
}

#[test]
fn maps_without_fitness_are_told_apart_by_why() {
    let map = builtin::get("duel-6x6").expect("a built-in map");
    let mut lonely = map.clone();
    lonely.units.retain(|unit| unit.team == Team::Red);
    // Blue's units are there, but none can stand on the sea.
    let mut drowned = map.clone();
    for unit in map.side(Team::Blue) {
        drowned.terrain[unit.cell.index() as usize] = Terrain::NoEntry;
    }
    let cases = [
        (individual(lonely, [9, 0], 0), Some(Nothing::NoUnits), [4, 0]),
        (individual(drowned, [9, 0], 0), Some(Nothing::NoUnits), [4, 0]),
        (individual(map.clone(), [9, 0], 0), Some(Nothing::Red), [4, 4]),
        (individual(map.clone(), [0, 9], 0), Some(Nothing::Blue), [4, 4]),
        (individual(map.clone(), [0, 0], 9), Some(Nothing::Drawn), [4, 4]),
        (individual(map.clone(), [0, 8], 1), Some(Nothing::OneSided), [4, 4]),
        (individual(map.clone(), [1, 8], 0), None, [4, 4]),
    ];
    for (individual, why, units) in &cases {
        assert_eq!(Nothing::of(individual), *why);
        assert_eq!(Census::of(std::slice::from_ref(individual)).units, *units);
    }
    let census = Census::of(&cases.map(|(individual, ..)| individual));
    assert_eq!((census.maps, census.zeros(), census.nothing), (7, 6, [2, 1, 1, 1, 1]));
    assert_eq!(census.and(&census), Census { maps: 14, nothing: [4, 2, 2, 2, 2], units: [56, 40] });
}

#[test]
fn heirs_are_what_follows_on_a_positive_generation() {
    let heirs = Heirs::of([&[0.0, 0.5, 0.25, 0.0][..], &[0.25, 0.5], &[0.75], &[]]);
    assert_eq!((heirs.generations, heirs.kept, heirs.lost), (3, 1, 1));
    assert_eq!(heirs.means, [1.0 / 3.0, 0.25]);
    assert_eq!(Heirs::of([]), Heirs::default());
}

#[test]
fn the_parents_of_a_map_are_those_it_was_made_of() {
    let evaluator = evaluator();
    let judge = judge(&evaluator);
    // Without mutation every cell comes from one of the parents: first from one, then from the other.
    let paper = Paper { mutation: 0, games: 2, recipe: Recipe::default(), ..small() };
    let state = paper.begin(&judge, &()).expect("a generation");
    let next = paper.next(&state, &judge, &()).expect("a generation");
    let parents = paper.parents(&state);
    assert_eq!(parents.len(), next.individuals.len());
    for (number, (child, parents)) in next.individuals.iter().zip(&parents).enumerate() {
        let [mut front, mut back] = parents.map(|place| &state.individuals[place].map);
        if number % 2 == 1 {
            (front, back) = (back, front);
        }
        let cells: Vec<_> = (0..36).map(|cell| 8 * (cell % 6) + cell / 6).collect();
        let is_cut = |cut: usize| {
            let of = |cell: usize| if cell < cut { front } else { back };
            (0..36).all(|cell| child.map.terrain[cells[cell]] == of(cell).terrain[cells[cell]])
        };
        assert!((1..36).any(is_cut), "child {number} of {parents:?}");
    }
    let different: BTreeSet<_> = parents.iter().flatten().collect();
    assert!(different.len() > 5, "{parents:?}");
}

#[test]
fn luck_inheritance_and_changes_are_measured_on_the_maps_they_are_of() {
    let evaluator = evaluator();
    let judge = judge(&evaluator);
    let paper = small();
    let trial = Trial::run(&paper, Some(paper.clone()), &judge, &()).expect("a run");
    assert_eq!((trial.states.len(), trial.seconds.len(), trial.games()), (5, 5, 5 * 24 * 8));
    let all = || trial.states.iter().flat_map(|state| &state.individuals);
    let positive = all().filter(|individual| individual.standing.fitness() > 0.0).count();
    assert!(positive > 3, "{positive} maps with positive fitness");
    let curves = Curves::of(&[&trial], 0.1);
    let largest = trial.largest();
    assert_eq!(curves.peak, largest.iter().copied().fold(0.0, f64::max));
    assert_eq!(curves.barren, largest.iter().filter(|&&largest| largest == 0.0).count() as u64);
    assert_eq!(curves.high, largest.iter().filter(|&&largest| largest > 0.1).count() as u64);
    let counted: u64 = censuses(&[&trial]).iter().map(Census::zeros).sum();
    assert_eq!(counted as usize, all().count() - positive);

    let [before, after] = luck(&[&trial], usize::MAX, 8, &judge, &()).expect("games");
    assert_eq!((before.maps() as usize, after.maps() as usize, before.zeros()), (positive, positive, 0));
    assert_ne!(before, after, "fresh games are other games");
    let [some, _] = luck(&[&trial], 3, 8, &judge, &()).expect("games");
    assert_eq!((some.maps(), some.0[0]), (3, before.0[0]));

    let [best, children] = inheritance(&[&trial]);
    let with_heirs = largest[..4].iter().filter(|&&largest| largest > 0.0).count();
    assert_eq!(best.maps() as usize, with_heirs);
    assert!(with_heirs > 0 && children.maps() > 0 && children.maps() < 4 * 24, "{children:?}");
    assert!(best.0.iter().all(|fitness| largest.contains(fitness)));

    let map = builtin::get("duel-6x6").expect("a built-in map");
    let changes = Changes { recipe: Recipe::default(), children: 30, games: 8 };
    let worth = Change::ALL.map(|change| {
        let worth = changes.measure(change, std::slice::from_ref(&map), &judge, &()).expect("games");
        assert_eq!(worth, changes.measure(change, std::slice::from_ref(&map), &judge, &()).expect("games"));
        assert_eq!(worth.maps(), 30);
        worth
    });
    let different: BTreeSet<_> = worth[0].0.iter().map(|fitness| fitness.to_bits()).collect();
    assert!(different.len() > 2, "a map that is not changed plays other games: {:?}", worth[0]);
    assert!(worth[2].mean().value < worth[0].mean().value, "{worth:?}");
}

#[test]
fn an_exact_race_of_real_games_has_the_elite_of_all_games() {
    let evaluator = evaluator();
    let judge = judge(&evaluator);
    // The last round is shorter than the others.
    let plan = generation::Plan { recipe: Recipe::default(), maps: 20, games: 17, round: 5 };
    let generation = plan.play(&judge, &()).expect("games");
    for measure in Measure::ALL {
        let elite = generation.elite(measure, 3);
        let race = generation.race(measure, 3, Until::Certain);
        assert_eq!(race.best, elite);
        assert!(race.games <= plan.games());
        let fresh = generation.fresh(&elite, 20, measure, &judge, &()).expect("games");
        assert!((0.0..=1.0).contains(&fresh.value) && fresh.error > 0.0);
    }
    // So careless that the first round decides.
    let careless = generation.race(Measure::Smooth, 3, Until::Likely(-1e9));
    assert_eq!((careless.games, careless.left.len()), (20 * 5, 3));
}

const REPRODUCE: &str = "reproduce 003 --quiet --judge muct:10 --sims 15 --maps 5 --games 3 --generations 2";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn wrong_usage_exits_with_2_and_one_sentence() {
    for (line, part) in [
        ("--budget huge", "quick, paper"),
        ("--maps 0", "maps"),
        ("--games none", "games"),
        ("--generations x", "generations"),
        ("--sims 0", "sims"),
        ("--judge clever", "clever"),
        ("--judge muct:ms=5", "time is not limited"),
        ("--backend scalar --simd-level avx2", "--simd-level"),
        ("--rounds 3", "--rounds"),
    ] {
        let run = fairground(&format!("reproduce 003 --quiet {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(part), "{line}: {}", run.err);
    }
    let run = fairground("reproduce 003 --quiet --out no/such/folder.md").failed(1);
    assert!(run.err.contains("cannot write no/such/folder.md") && run.out.is_empty(), "{}", run.err);
}

#[test]
fn the_same_seed_gives_the_same_figures_whatever_the_threads() {
    let rows = |options: &str| {
        let mut rows = fairground(&format!("{REPRODUCE} --format json {options}")).succeeded().json();
        let all = rows.len();
        rows.retain(|row| row["part"] != "time");
        assert_eq!(all - rows.len(), 2, "a time for each player");
        rows
    };
    let one = rows("--seed 7 --threads 1");
    assert_eq!(one, rows("--seed 7 --threads 3 --backend simd"));
    let csv = fairground(&format!("{REPRODUCE} --format csv --seed 8")).succeeded().out;
    let head = "part,setting,judge,method,run_seed,generation,maps,games,seed,rules_version,measure,n,value,low,high,";
    assert!(csv.starts_with(head), "{csv}");
    let is_share = |line: &&str| line.contains(",Red always wins,");
    let shares: Vec<_> = csv.lines().filter(is_share).filter_map(|line| line.split(',').rev().nth(4)).collect();
    let before: Vec<_> =
        one.iter().filter(|row| row["measure"] == "Red always wins").map(|row| row["value"].to_string()).collect();
    assert_eq!(shares.len(), before.len());
    assert_ne!(shares, before, "another seed gives other maps");
    let of = |part: &str, measure: &str| -> Vec<&Value> {
        one.iter().filter(|row| row["part"] == part && row["measure"] == measure).collect()
    };
    for setting in &SETTINGS {
        let runs = |method: &str| {
            let of_setting = of("curves", "peak").into_iter().filter(|row| row["setting"] == setting.name);
            of_setting
                .filter(|row| row["method"] == method)
                .map(|row| row["run_seed"].as_u64().expect("a seed"))
                .collect()
        };
        let (paper, ours): (Vec<u64>, Vec<u64>) = (runs("the paper's"), runs("ours"));
        assert_eq!((paper, ours), ((7..7 + setting.runs).collect(), vec![7]));
    }
    let zeros = of("why", "fitness is 0");
    assert_eq!(zeros.len(), 3 * (3 + 1), "three generations and all of them");
    for row in zeros {
        let same = |other: &&Value| other["setting"] == row["setting"] && other["generation"] == row["generation"];
        let reasons = Nothing::ALL.iter().flat_map(|why| of("why", why.name())).filter(same);
        assert!((reasons.map(|reason| number(&reason["value"])).sum::<f64>() - number(&row["value"])).abs() < 1e-9);
        let units = of("why", "units of Red").into_iter().find(same).expect("units");
        assert!(row["generation"] != 0 || units["value"] == 4.0, "{units}");
        assert!(number(&row["low"]) <= number(&row["value"]) && number(&row["value"]) <= number(&row["high"]));
    }
    assert_eq!(of("race", "games saved, by smooth fitness").len(), 6);
    for row in of("race", "elite as by all games, by fitness").iter().filter(|row| row["method"] == "certain") {
        assert_eq!(row["value"], 1.0);
    }
    let peaks = of("curves", "peak");
    assert!(peaks.iter().any(|row| row["paper_low"] == 0.4 && row["paper_high"] == 0.6));
}

#[test]
fn the_report_tells_what_was_played_and_what_became_of_the_claims() {
    let directory = scratch("report");
    let run = fairground_in(&directory, &format!("{REPRODUCE} --out report.md")).succeeded();
    for part in [
        "MSSystem, no aircraft: 3 runs of 5 maps, 3 games of muct:10 each, 2 generations after the first (fewer than the paper's 100 maps",
        "Fitness by generation",
        "above 0.8, twice",
        "0.4 to 0.6",
        "a side has no units",
        "good maps after: crossover with a random map",
        "10,000 games of muct:15 on 100 random maps take ",
        "\"The mean and the smallest fitness stay near 0\" (MSSystem, all kinds) ",
        "\"In most generations the largest fitness is 0\" (M-UCT, all kinds) ",
        "\"A large fitness is not inherited\" (MSSystem, no aircraft) ",
        "\"Without aircraft fitness is somewhat higher\" ",
        "\"M-UCT has maxima from 0.4 to 0.6\" ",
        "Units that take part are 4.00 and 4.00 in the first generation",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.out.contains("NaN") && !run.out.contains("inf"), "{}", run.out);
    assert!(!run.out.contains("the paper's hour"), "this is not the paper's player: {}", run.out);
    let markdown = fs::read_to_string(directory.join("report.md")).expect("the report");
    assert!(
        markdown.contains("## The paper's claims") && markdown.contains("| M-UCT, all kinds | ours | 1 |"),
        "{markdown}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_what_is_finished() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let mut child = command("reproduce 003 --judge muct:10 --games 1000000")
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
    assert!(text.contains("stopped on request: 0 of 77 generations"), "{text}");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("stopped on request") && out.contains("The paper's claims") && !out.contains("NaN"), "{out}");
}
