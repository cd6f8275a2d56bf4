//! Evolution in run directories: the same end whatever the threads, interruptions and leftovers.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fairground::batch::{BackendChoice, EvaluateError, Evaluator, Options, Watch};
use fairground::evolve::judge::{Standing, WON};
use fairground::evolve::lines::Lines;
use fairground::evolve::plan::{Plan, Start};
use fairground::evolve::rank::{Finalist, difference, nearest};
use fairground::evolve::run::{Line, Run, RunError, rules_version};
use fairground::evolve::variation::{repair, tweak};
use fairground::evolve::{EvolveError, Individual, Method as _, State, fingerprint};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Cell, Kind, Map, Team, Terrain, builtin, file};
use fairground::runs::{CHECKPOINT, Directory, DirectoryError, HISTORY, MANIFEST, Manifest};
use fairground_kernels::rng::Rng;
use program::scratch;

/// Few maps, few games, quick players.
fn plans() -> [Plan; 2] {
    let small = |plan: Plan| Plan {
        judge: "muct:20".parse().expect("a player"),
        second_judge: Some("muct:10".parse().expect("a player")),
        generations: 3,
        games: 6,
        final_games: 20,
        maps: 3,
        seed: 5,
        ..plan
    };
    let lines = Plan { method: Start::Lines { founders: 3, lines: 2 }, ..small(Plan::lines()) };
    [Plan { method: Start::Paper { population: 8 }, ..small(Plan::paper()) }, lines]
}

fn evaluator(threads: usize) -> Evaluator {
    Evaluator::new(&Options { backend: BackendChoice::Simd(None), threads, chunk: 0 }).expect("a backend")
}

fn manifest(plan: &Plan) -> Manifest<Plan> {
    Manifest {
        command_line: vec!["test".into()],
        program_version: "1".into(),
        rules_version: rules_version(),
        backend: "simd".into(),
        cpu: "some".into(),
        gpu: None,
        plan: plan.clone(),
    }
}

fn begin(path: &Path, plan: &Plan) -> Run {
    Run::begin(Directory::create(path).expect("a directory"), &manifest(plan)).expect("a new run")
}

fn resume(path: &Path) -> Result<Run, DirectoryError> {
    Run::resume(Directory::open(path)?)
}

/// Makes all generations and the maps.
fn complete(mut run: Run, evaluator: &Evaluator, at_a_time: usize) {
    let plan = run.plan().clone();
    let judges = plan.judges(evaluator, |_| at_a_time);
    while !run.has_all_generations() {
        run.advance(&judges.first, &()).expect("a generation");
    }
    run.finish(&judges, &()).expect("the best maps");
}

/// All files that must not differ.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let maps = fs::read_dir(path.join("maps")).into_iter().flatten().map(|entry| {
        let name = entry.expect("an entry").file_name();
        format!("maps/{}", name.to_str().expect("a plain name"))
    });
    let names = maps.chain([CHECKPOINT.to_owned(), HISTORY.to_owned()]);
    names.map(|name| (name.clone(), fs::read(path.join(&name)).expect(&name))).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_threads_or_games_at_a_time() {
    for plan in plans() {
        let directory =
            scratch(if matches!(plan.method, Start::Paper { .. }) { "threads-paper" } else { "threads-lines" });
        let mut results = Vec::new();
        for (threads, at_a_time) in [(1, 1), (2, 100), (3, 7)] {
            let path = directory.join(threads.to_string());
            complete(begin(&path, &plan), &evaluator(threads), at_a_time);
            results.push(files(&path));
        }
        assert!(results[0].len() > 2, "at least one map: {:?}", results[0].keys());
        assert_eq!(results[0][HISTORY].split(|&byte| byte == b'\n').count(), 5, "four generations and an end");
        assert!(results[1..].iter().all(|other| *other == results[0]));
        let other = directory.join("other seed");
        complete(begin(&other, &Plan { seed: 6, ..plan }), &evaluator(2), 8);
        assert_ne!(files(&other)[HISTORY], results[0][HISTORY]);
    }
}

/// After every step the process is killed: what it was about to write next is missing, half written or written too early.
#[test]
fn a_run_goes_on_to_the_same_bytes_from_every_step_and_whatever_lies_around() {
    let directory = scratch("steps");
    let evaluator = evaluator(2);
    for (number, plan) in plans().into_iter().enumerate() {
        let whole = directory.join(format!("whole-{number}"));
        complete(begin(&whole, &plan), &evaluator, 8);
        let expected = files(&whole);
        let history = &expected[HISTORY];

        let path = directory.join(format!("steps-{number}"));
        let mut run = begin(&path, &plan);
        let judges = plan.judges(&evaluator, |_| 8);
        let mut steps = 0;
        loop {
            let interrupted = |name: &str, change: &dyn Fn(&Path)| {
                let copied = directory.join(format!("{name}-{number}-{steps}"));
                copy(&path, &copied);
                change(&copied);
                complete(resume(&copied).expect(name), &evaluator, 5);
                assert_eq!(files(&copied), expected, "{name} after {steps} steps");
            };
            interrupted("kept", &|_| {});
            // Without a generation there is no history to lose.
            if steps > 0 {
                interrupted("no-history", &|copied| fs::remove_file(copied.join(HISTORY)).expect("a history"));
                interrupted("half-a-line", &|copied| {
                    let own = fs::read(copied.join(HISTORY)).expect("a history");
                    let half = own.len() - 50;
                    fs::write(copied.join(HISTORY), &own[..half]).expect("a shorter history");
                });
            }
            interrupted("from-the-future", &|copied| {
                fs::write(copied.join(HISTORY), history).expect("a longer history");
                fs::write(copied.join("checkpoint.json.new"), b"{\"dig").expect("a half-written file");
                fs::create_dir_all(copied.join("maps")).expect("a directory");
                fs::write(copied.join("maps/01.tbsmap"), b"SIZEX[").expect("a half-written file");
            });
            steps += 1;
            if run.delivered().is_some() {
                break;
            }
            let step =
                if run.has_all_generations() { run.finish(&judges, &()) } else { run.advance(&judges.first, &()) };
            step.expect("a step");
        }
        assert_eq!(steps, 6, "before, four generations, the end");
    }
}

/// Stops after so many games.
struct Impatient(AtomicU64);

impl Watch for Impatient {
    fn finished(&self, games: u64) {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(games), Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn a_stop_within_a_step_changes_nothing() {
    let directory = scratch("stop");
    let evaluator = evaluator(1);
    for (number, plan) in plans().into_iter().enumerate() {
        let path = directory.join(number.to_string());
        let judges = plan.judges(&evaluator, |_| 2);
        let mut run = begin(&path, &plan);
        let is_stopped = |result: Result<(), RunError>| {
            matches!(result, Err(RunError::Evolve(EvolveError::Evaluate(EvaluateError::Stopped))))
        };
        let after = |games| Impatient(AtomicU64::new(games));
        assert!(is_stopped(run.advance(&judges.first, &after(3))));
        assert!(!path.join(CHECKPOINT).exists() && run.history().is_empty());
        run.advance(&judges.first, &()).expect("the first generation");
        let before = files(&path);
        assert!(is_stopped(run.advance(&judges.first, &after(3))));
        assert_eq!(files(&path), before);
        assert!(is_stopped(run.finish(&judges, &after(3))));
        assert_eq!(files(&path), before);
        assert_eq!((run.history().len(), run.delivered()), (1, None));
    }
}

#[test]
fn fresh_games_that_were_played_before_a_stop_are_kept() {
    let directory = scratch("fresh");
    let evaluator = evaluator(1);
    for (number, plan) in plans().into_iter().enumerate() {
        let judges = plan.judges(&evaluator, |_| 2);
        let [at_once, in_parts] = ["at-once", "in-parts"].map(|name| directory.join(format!("{name}-{number}")));
        let mut run = begin(&at_once, &plan);
        run.advance(&judges.first, &()).expect("a generation");
        run.finish(&judges, &()).expect("the best maps");
        let maps = run.delivered().expect("maps").len() as u64;
        let mut run = begin(&in_parts, &plan);
        run.advance(&judges.first, &()).expect("a generation");
        let mut stops = 0;
        // Some games more than a quarter of those of one judge: every part keeps something.
        while run.finish(&judges, &Impatient(AtomicU64::new(maps * plan.final_games / 4 + 2))).is_err() {
            stops += 1;
            drop(run);
            run = resume(&in_parts).expect("a run");
            assert!(run.delivered().is_none() && stops < 20);
        }
        assert!((3..=8).contains(&stops), "{stops}");
        assert_eq!(files(&in_parts), files(&at_once));
    }
}

#[test]
fn a_finished_run_writes_its_maps_again() {
    let path = scratch("again");
    let evaluator = evaluator(2);
    let [plan, _] = plans();
    complete(begin(&path, &plan), &evaluator, 8);
    let expected = files(&path);
    fs::remove_dir_all(path.join("maps")).expect("the maps go");
    let run = resume(&path).expect("a run");
    assert!(run.has_all_generations() && run.delivered().is_some());
    complete(run, &evaluator, 8);
    assert_eq!(files(&path), expected);
}

#[test]
fn delivered_files_hold_what_was_measured() {
    let path = scratch("delivered");
    let evaluator = evaluator(2);
    let [_, plan] = plans();
    complete(begin(&path, &plan), &evaluator, 8);
    let run = resume(&path).expect("a run");
    let delivered = run.delivered().expect("maps");
    assert!(!delivered.is_empty());
    for (name, Finalist { map, standing, second }) in run.files() {
        assert_eq!((standing.games(), second.games()), (plan.final_games, plan.final_games));
        let read = file::read(&path.join(name)).expect("a map file");
        let comment = read.map.comment.as_deref().expect("a comment");
        assert_eq!((&Map { comment: map.comment.clone(), ..read.map.clone() }, read.warnings.len()), (map, 0));
        let wins = format!("in 20 games of muct:20, won by Red {}, by Blue {}", standing.wins[0], standing.wins[1]);
        assert!(comment.contains(&wins) && comment.ends_with("seed 5"), "{comment}");
        assert!(comment.starts_with(&format!("fitness {:.3} (", standing.fitness())), "{comment}");
    }
    let fitness: Vec<_> = delivered.iter().map(|individual| individual.standing.fitness()).collect();
    assert!(fitness.is_sorted_by(|one, other| one >= other), "best first: {fitness:?}");
}

#[test]
fn a_checkpoint_with_any_byte_changed_or_missing_is_refused() {
    let path = scratch("damage");
    let [plan, _] = plans();
    let plan = Plan { method: Start::Paper { population: 2 }, generations: 0, final_games: 1, maps: 1, ..plan };
    complete(begin(&path, &plan), &evaluator(1), 8);
    let whole = fs::read(path.join(CHECKPOINT)).expect("a checkpoint");
    let refusal = |bytes: &[u8]| {
        fs::write(path.join(CHECKPOINT), bytes).expect("a changed checkpoint");
        resume(&path).err().map(|error| error.to_string())
    };
    assert_eq!(refusal(&whole), None);
    let is_good = |refusal: Option<String>| {
        refusal.is_some_and(|text| text.contains("checkpoint.json: the file is damaged: ") && !text.contains('\n'))
    };
    for at in (0..whole.len()).step_by(3) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 7);
        assert!(is_good(refusal(&changed)), "byte {at} changed");
        assert!(is_good(refusal(&whole[..at])), "{at} bytes left");
    }
    assert!(is_good(refusal(&[&whole[..], b"\n"].concat())));
}

#[test]
fn directories_that_do_not_fit_are_refused_with_the_name_of_the_file() {
    let path = scratch("refused");
    let [plan, _] = plans();
    let text = |result: Result<Run, DirectoryError>| result.expect_err("a refusal").to_string();
    assert!(text(resume(&path)).contains("manifest.json: "));
    assert!(fs::read_dir(&path).expect("a directory").next().is_none(), "nothing is left in a foreign directory");

    let mut run = begin(&path, &plan);
    assert!(text(resume(&path)).contains("lock: another process works in this directory"));
    run.advance(&plan.judges(&evaluator(2), |_| 8).first, &()).expect("a generation");
    drop(run);
    let error = Directory::create(&path).expect_err("there is a run").to_string();
    assert!(error.contains("manifest.json: there is a run in this directory already"), "{error}");

    let manifest = fs::read_to_string(path.join(MANIFEST)).expect("a manifest");
    let with = |from: &str, to: &str| {
        assert!(manifest.contains(from), "{from}");
        fs::write(path.join(MANIFEST), manifest.replace(from, to)).expect("a changed manifest");
        text(resume(&path))
    };
    let other = with("tubstap-", "tubstap-9");
    assert!(other.contains("manifest.json: the run was made under the rules 'tubstap-9"), "{other}");
    let other = with("\"seed\": 5", "\"seed\": 6");
    assert!(other.contains("checkpoint.json: the run was made with other settings than manifest.json says"), "{other}");
    let damaged = with("\"seed\": 5", "\"seed\": ");
    assert!(damaged.contains("manifest.json: the file is damaged"), "{damaged}");
    let impossible = with("\"width\": 6", "\"width\": 9");
    assert!(impossible.contains("manifest.json: a map of 9x6 cells cannot be made"), "{impossible}");
    fs::write(path.join(MANIFEST), manifest).expect("the old manifest");
    resume(&path).expect("nothing was harmed");
}

#[test]
fn numbered_directories_take_the_first_free_number() {
    let parent = scratch("numbered").join("runs");
    let made = [(); 3].map(|()| Directory::create_numbered(&parent, "evolve").expect("a directory").path(""));
    assert_eq!(made, ["evolve-0001", "evolve-0002", "evolve-0003"].map(|name| parent.join(name)));
}

#[test]
fn a_line_of_history_sums_a_generation_up() {
    let individual = |wins: [u64; 2], draws, nearness| Individual {
        standing: Standing { wins, draws, nearness },
        ..Individual::new(builtin::maps().remove(0))
    };
    let individuals = vec![
        individual([8, 2], 0, [8 * WON, 3 * WON]),
        individual([5, 3], 2, [5 * WON, 4 * WON]),
        individual([0, 0], 10, [WON, WON]),
        individual([3, 5], 2, [5 * WON, 5 * WON]),
    ];
    let line = Line::of(&State { generation: 7, individuals, games: 40, seen: BTreeSet::new() });
    let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
    assert_eq!((line.generation, line.maps, line.games), (7, 4, 40));
    let fitness = line.fitness;
    assert!(close(fitness.largest, 0.6) && close(fitness.smallest, 0.0), "{fitness:?}");
    assert!(close(fitness.mean, 0.4) && close(fitness.median, 0.5), "{fitness:?}");
    assert!(close(line.smooth_fitness.largest, 1.0), "{:?}", line.smooth_fitness);
    assert_eq!((line.best.wins, line.best.draws), ([3, 5], 2), "of equals the one that is nearer to fair");
    assert!(line.best.interval[0] < 0.6 && 0.6 < line.best.interval[1]);
    let nobody = Line::of(&State { generation: 0, individuals: Vec::new(), games: 0, seen: BTreeSet::new() });
    assert_eq!((nobody.fitness.mean, nobody.best.fitness), (0.0, 0.0));
}

/// The map with every cell moved.
fn moved(map: &Map, to: impl Fn(Cell) -> (u32, u32)) -> Map {
    let mut image = map.clone();
    let to = |cell| {
        let (x, y) = to(cell);
        Cell::new(x as usize, y as usize).expect("a cell")
    };
    map.cells().for_each(|cell| image.terrain[to(cell).index() as usize] = map.terrain_at(cell));
    image.units.iter_mut().for_each(|unit| unit.cell = to(unit.cell));
    image
}

#[test]
fn turned_and_mirrored_maps_do_not_differ_and_changed_ones_do() {
    let recipe = Recipe { width: 5, height: 5, ..Recipe::default() };
    for index in 0..20 {
        let map = generate(&recipe, 3, index).expect("a map");
        assert_eq!(difference(&map, &map), 0.0);
        assert_eq!(difference(&map, &moved(&map, |cell| (4 - cell.x(), cell.y()))), 0.0);
        assert_eq!(difference(&map, &moved(&map, |cell| (cell.x(), 4 - cell.y()))), 0.0);
        assert_eq!(difference(&map, &moved(&map, |cell| (cell.y(), cell.x()))), 0.0);
        assert_eq!(difference(&map, &moved(&map, |cell| (4 - cell.y(), cell.x()))), 0.0);
        let mut changed = map.clone();
        let cell = map.cells().nth(index as usize).expect("a cell");
        changed.terrain[cell.index() as usize] = Terrain::NoEntry;
        assert_eq!(difference(&map, &changed), 1.0 / 25.0);
        let mut changed = map.clone();
        changed.units[0].kind = if map.units[0].kind == Kind::Cannon { Kind::Panzer } else { Kind::Cannon };
        assert_eq!(difference(&map, &changed), 1.0 / 25.0);
    }
    let wide = generate(&Recipe { width: 6, height: 4, ..Recipe::default() }, 3, 0).expect("a map");
    assert_eq!(difference(&wide, &moved(&wide, |cell| (5 - cell.x(), 3 - cell.y()))), 0.0);
    assert_eq!(difference(&wide, &generate(&recipe, 3, 0).expect("a map")), 1.0);
}

#[test]
fn variations_of_symmetric_maps_are_symmetric() {
    let recipe = Recipe { is_symmetric: true, ..Recipe::default() };
    let mut map = generate(&recipe, 1, 0).expect("a map");
    let first = map.clone();
    for number in 0..200 {
        let rng = &mut Rng::for_playout(9, 9, number);
        tweak(&mut map, &recipe, 2, rng);
        repair(&mut map, &recipe, rng);
        assert_eq!((map.side(Team::Red).count(), map.side(Team::Blue).count()), (4, 4));
        let opposite = |cell: Cell| cell.opposite(map.width, map.height);
        assert!(map.cells().all(|cell| map.terrain_at(cell) == map.terrain_at(opposite(cell))));
        for (red, blue) in map.side(Team::Red).zip(map.side(Team::Blue)) {
            assert_eq!((opposite(red.cell), red.kind, red.hp), (blue.cell, blue.kind, blue.hp));
        }
    }
    assert!(difference(&first, &map) > 0.5);
}

#[test]
fn the_nearest_map_is_the_most_similar_other_one() {
    let finalist = |map| Finalist { map, standing: Standing::default(), second: Standing::default() };
    let finalists: Vec<_> = builtin::maps().into_iter().map(finalist).collect();
    for (place, finalist) in finalists.iter().enumerate() {
        let found = nearest(place, &finalists).expect("there are others");
        let mut others = finalists.iter().enumerate().filter(|(other, _)| *other != place);
        assert!(others.clone().all(|(_, other)| difference(&finalist.map, &other.map) >= found));
        assert!(others.any(|(_, other)| difference(&finalist.map, &other.map) == found));
    }
    assert_eq!(nearest(0, &finalists[..1]), None);
}

#[test]
fn lines_end_when_as_many_as_are_wanted_have_proved_good() {
    let lines = Lines::default();
    let map = &builtin::maps()[0];
    let individual = |[red, blue]: [u64; 2]| {
        let standing = Standing { wins: [red, blue], draws: 0, nearness: [red * WON, blue * WON] };
        Individual { standing, ..Individual::new(map.clone()) }
    };
    let state = |generation, good, other| State {
        generation,
        individuals: (0..lines.lines).map(|line| individual(if line < good { [510, 514] } else { other })).collect(),
        games: 0,
        seen: BTreeSet::new(),
    };
    let (judged, worse, early) = (lines.light_generations + 1, [400, 700], [500, 500]);
    assert!(lines.is_last(&state(judged, lines.wanted, worse)));
    assert!(!lines.is_last(&state(judged, lines.wanted - 1, worse)), "a lead of a quarter is not good");
    assert!(!lines.is_last(&state(judged, lines.wanted - 1, early)), "a thousand games prove nothing");
    assert!(!lines.is_last(&state(lines.light_generations, lines.lines, worse)), "the judge has not seen them");
    assert!(lines.is_last(&state(lines.generations, 0, worse)));
}

#[test]
fn lines_end_when_their_games_are_used_up() {
    let lines = Lines::default();
    let state = |games| State { generation: 20, individuals: Vec::new(), games, seen: BTreeSet::new() };
    // As many as the documentation says.
    assert!(!lines.is_last(&state(84_000)));
    assert!(lines.is_last(&state(84_300)));
    let longer = Lines { generations: 2 * lines.generations, ..lines };
    assert!(!longer.is_last(&state(168_000)), "more generations may take more games");
}

#[test]
fn founders_have_few_hit_points_if_the_recipe_allows_it() {
    let evaluator = evaluator(2);
    let plan = Plan { judge: "maxact".parse().expect("a player"), ..plans()[1].clone() };
    for (hp, few) in [(1..=10, 1..=3), (4..=9, 4..=5), (7..=7, 7..=7)] {
        let plan = Plan { recipe: Recipe { hp, ..Recipe::default() }, ..plan.clone() };
        let founders = plan.method().begin(&plan.judges(&evaluator, |_| 8).first, &()).expect("founders");
        let units: Vec<_> = founders.individuals.iter().flat_map(|founder| &founder.map.units).collect();
        assert_eq!(units.len(), 3 * 8);
        assert!(units.iter().all(|unit| few.contains(&unit.hp)), "{few:?}: {units:?}");
    }
}

#[test]
fn fingerprints_tell_maps_apart_but_not_by_what_is_said_of_them() {
    let recipe = Recipe::default();
    let maps: Vec<_> = (0..200).map(|index| generate(&recipe, 3, index).expect("a map")).collect();
    let all: BTreeSet<_> = maps.iter().map(fingerprint).collect();
    assert_eq!(all.len(), maps.len());
    let said = Map { comment: Some("fair".into()), author: None, ..maps[0].clone() };
    assert_eq!(fingerprint(&said), fingerprint(&maps[0]));
    let mut weaker = maps[0].clone();
    weaker.units[0].hp = if weaker.units[0].hp == 1 { 2 } else { weaker.units[0].hp - 1 };
    assert_ne!(fingerprint(&weaker), fingerprint(&maps[0]));
}

#[test]
fn lines_do_not_go_back_to_maps_that_the_judge_has_rejected() {
    // So few maps are possible that small changes often lead to the same ones.
    let recipe =
        Recipe { width: 3, height: 2, units: 1, aircraft: false, terrains: vec![Terrain::Plain], ..Recipe::default() };
    let evaluator = evaluator(2);
    let method = Start::Lines { founders: 12, lines: 6 };
    let plan = Plan { method, generations: 12, recipe: Recipe { hp: 1..=4, ..recipe }, ..plans()[1].clone() };
    let (method, judges) = (plan.method(), plan.judges(&evaluator, |_| 8));
    let mut state = method.begin(&judges.first, &()).expect("founders");
    let mut replaced = 0;
    while !method.is_last(&state) {
        let next = method.next(&state, &judges.first, &()).expect("a generation");
        let known: BTreeMap<_, _> =
            state.individuals.iter().map(|old| (fingerprint(&old.map), old.standing.games())).collect();
        for individual in next.individuals.iter().filter(|individual| !individual.standing.is_empty()) {
            let own = fingerprint(&individual.map);
            match known.get(&own) {
                Some(&games) => assert!(individual.standing.games() >= games, "its games were forgotten"),
                None => {
                    assert!(!state.seen.contains(&own), "a map came back: {:?}", individual.map);
                    replaced += 1;
                }
            }
        }
        assert!(next.seen.is_superset(&state.seen));
        state = next;
    }
    assert!(replaced > 3 && state.seen.len() > 20, "{replaced} children took their parents' places");
}
