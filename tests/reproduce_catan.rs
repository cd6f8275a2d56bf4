//! `fairground reproduce 000` as a user runs it, and what is asked of it.

#[path = "common/program.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod program;

use std::fs;

use fairground::batch::Evaluator;
use fairground::games::catan::{Policy, Strategy, TURN_CAP};
use fairground::learn::course::Settings;
use fairground::learn::features::Readings;
use fairground::learn::method::Method;
use fairground::learn::unlabelled::Unlabelled;
use fairground::papers::catan::census::{play, random_maps, rankings};
use fairground::papers::catan::trial::run;
use fairground::papers::catan::{CHOSEN, CONFIRMED};
use fairground::stats::{rate, wilson};
use program::{fairground, fairground_in, scratch};

const SMALL: &str =
    "reproduce 000 --maps 12 --long 3 --games 1000 --repeats 1 --scored 300 --truth 400 --certified 0 --seed 3";

fn all(strategy: Strategy) -> Policy {
    Policy { seats: [strategy; 4], turn_cap: TURN_CAP }
}

#[test]
fn everything_the_paper_shows_is_there_and_the_answer_comes_last() {
    let directory = scratch("whole");
    let run = fairground_in(&directory, &format!("{SMALL} --out report.md")).succeeded();
    let report = fs::read_to_string(directory.join("report.md")).expect("a report");
    for kind in ["heuristic", "random"] {
        let file = format!("report-figure-1-{kind}.svg");
        let picture = fs::read_to_string(directory.join(&file)).expect("a picture beside the report");
        // Four seats with both numbers of games on top of each other.
        assert_eq!(picture.matches("<path ").count(), 4 * 2, "{picture}");
        assert!(picture.contains("2,000 games a map") && picture.contains("1,000 games a map"), "{picture}");
        assert!(report.contains(&format!("]({file})")), "{report}");
    }
    for text in [&run.out, &report] {
        for part in ["Table 1", "Figure 1", "Table 4", "Section 5.1.2", "What the choices are worth", "Answer"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        assert!(text.contains("Reduced to be quick") && !text.contains("NaN"), "{text}");
    }
    let answer = run.out.split("Answer\n").nth(1).expect("an answer");
    for player in ["heuristic", "random", "random-s"] {
        assert!(answer.contains(&format!("Under {player} players random maps are")), "{answer}");
    }
    assert!(
        answer.contains("Under heuristic players, learned from 6 maps") && answer.contains(" with p = "),
        "{answer}"
    );
    assert!(answer.contains("the PNU classifier puts") && answer.contains("the signed ridge puts"), "{answer}");
    assert!(answer.contains("points less than those of random choice"), "{answer}");
    // Chance goes through the same loop, also where choices are confirmed.
    let confirmed = run.out.split("Section 5.1.2").nth(1).and_then(|text| text.lines().nth(3)).expect("heads");
    assert!(confirmed.contains("signed ridge") && confirmed.contains("random choice"), "{confirmed}");
    for chooser in ["PNU classifier", "signed ridge"] {
        assert!(run.out.contains(&format!("{chooser} less random choice")), "{}", run.out);
    }
}

#[test]
fn certified_maps_are_played_by_others_and_told_with_intervals() {
    let size = "--maps 12 --long 2 --games 3000 --repeats 0 --certified 2 --sigma 2.5 --seed 4";
    let run = fairground(&format!("reproduce 000 {size}")).succeeded();
    let answer = run.out.split("Answer\n").nth(1).expect("an answer");
    for under in ["heuristic", "random"] {
        let sentence = format!("Of maps certified below 2.5 points under {under} players, under ");
        assert!(answer.contains(&sentence) && !answer.contains("No map"), "{answer}");
    }
    // Random players see no seats, builders do: the one certificate carries over and the other does not.
    assert!(answer.contains("under random players 2 of 2 are below 2.5 with 95 % probability and 0 above"), "{answer}");
    assert!(answer.contains("under heuristic players 0 of 2 are below 2.5"), "{answer}");
    let csv = fairground(&format!("reproduce 000 {size} --format csv")).succeeded().out;
    let rows: Vec<Vec<_>> =
        csv.lines().filter(|line| line.starts_with("certified,")).map(|line| line.split(',').collect()).collect();
    // Two kinds of certificates, three kinds of players, two maps and their mean.
    assert_eq!(rows.len(), 2 * 3 * 3, "{csv}");
    for row in rows.iter().filter(|row| row[1].contains(": map ")) {
        let [value, low, high] = [4, 5, 6].map(|cell| row[cell].parse::<f64>().expect("a number"));
        assert!(low <= value && value <= high && low < high, "{row:?}");
    }
}

#[test]
fn neighbouring_seeds_share_no_loop() {
    // Random choice depends on nothing but the seed of the loop.
    let spread = |seed: u64, repeats: u64| -> f64 {
        let size = "--maps 12 --long 2 --games 100 --scored 300 --truth 100 --certified 0 --format csv";
        let run = fairground(&format!("reproduce 000 {size} --seed {seed} --repeats {repeats}")).succeeded();
        let name = "section 5.1.2,random choice: true spread of maps called balanced,";
        let line = run.out.lines().find(|line| line.starts_with(name)).expect("random choice");
        line.split(',').nth(4).and_then(|cell| cell.parse().ok()).expect("a number")
    };
    let second = 2.0 * spread(3, 2) - spread(3, 1);
    assert!((second - spread(4, 1)).abs() > 1e-9, "the second loop of seed 3 is the first of seed 4");
}

#[test]
fn the_numbers_do_not_depend_on_threads() {
    let [one, two] = [1, 2].map(|threads| fairground(&format!("{SMALL} --format csv --threads {threads}")).succeeded());
    assert_eq!(one.out, two.out);
    let names = one.out.lines().next().expect("a head");
    assert_eq!(names, "section,name,players,games,value,low,high");
    for section in ["table 1", "figure 1", "table 4", "section 5.1.2", "answer"] {
        assert!(one.out.lines().any(|line| line.starts_with(section)), "{section}: {}", one.out);
    }
}

#[test]
fn random_maps_are_far_apart_under_builders_and_not_under_random_players() {
    let evaluator = Evaluator::default();
    let [builders, random] = [Strategy::Heuristic, Strategy::Random].map(|strategy| {
        let census = play(random_maps(5, 30), all(strategy), 400, 5, &evaluator, &()).expect("games");
        assert!(census.total().iter().sum::<u64>() <= 30 * 400);
        census.tau_points(5)
    });
    // Builders see 11 points and random players none. The interval of 30 maps holds that with a wide margin.
    assert!(builders.interval.low > 5.0 && builders.interval.high < 20.0, "{builders:?}");
    assert!(random.mean < 2.0 && random.interval.low < 1.0, "{random:?}");
}

#[test]
fn the_interval_of_a_seats_wins_is_that_of_maps_and_not_of_games() {
    let census = play(random_maps(5, 40), all(Strategy::Heuristic), 400, 5, &Evaluator::default(), &()).expect("games");
    let figures = census.seat_rates().expect("maps");
    for (figure, wins) in figures.iter().zip(census.total()) {
        assert!((figure.mean - rate(wins, 40 * 400)).abs() < 1e-12);
        let pooled = wilson(wins, 40 * 400);
        // Maps are 11 points apart: a seat's wins vary three times as much over maps as games of one map would.
        let ratio = (figure.interval.high - figure.interval.low) / (pooled.high - pooled.low);
        assert!(ratio > 2.0, "{ratio}");
    }
}

#[test]
fn histograms_count_every_map_once_for_each_seat() {
    let census = play(random_maps(6, 20), all(Strategy::Heuristic), 100, 6, &Evaluator::default(), &()).expect("games");
    let counts = census.histogram(census.range(), 7);
    assert!(counts.iter().all(|of_seat| of_seat.iter().sum::<u64>() == 20), "{counts:?}");
    assert!(counts.iter().any(|of_seat| of_seat[0] > 0) && counts.iter().any(|of_seat| of_seat[6] > 0));
}

#[test]
fn the_loop_chooses_from_both_ends_in_every_step_and_the_set_up_ranks_maps() {
    let evaluator = Evaluator::default();
    let unlabelled = Unlabelled::draw(2, 20_000, Readings::default(), &evaluator).expect("random maps");
    let policy = all(Strategy::Heuristic);
    let method = Method::default();
    let settings = Settings { policy, games: 300, maps: 200, chosen: CHOSEN, method, seed: 2 };
    let repetition = run(&settings, 200, &unlabelled, &evaluator, &()).expect("a loop");
    for trial in &repetition.trials {
        let maps = CHOSEN * CONFIRMED.len();
        assert_eq!((trial.good.len(), trial.bad.len(), trial.confirmed.len()), (maps, maps, CONFIRMED.len()));
        assert!((0.0..=1.0).contains(&trial.right_order()));
    }
    let [classifier, regression, chance] = &repetition.trials;
    assert!(classifier != regression && regression != chance && chance != classifier, "the choosers differ");
    let census = play(random_maps(7, 240), policy, 200, 7, &evaluator, &()).expect("games");
    let found = rankings(&census, &settings, &unlabelled, &evaluator).expect("enough maps");
    let opening = found.opening.expect("a correlation");
    // Where players settle says which seat is better off.
    assert!(opening.correlation.mean > 0.15 && opening.p < 0.05, "{opening:?}");
    // Builders see maps 11 points apart, beside which the 3.5 of 200 games are little.
    assert!((0.8..0.97).contains(&found.ceiling) && opening.correlation.mean < found.ceiling, "{found:?}");
}

#[test]
fn bad_input_is_refused_in_a_sentence() {
    for (line, sentence) in [
        ("reproduce 000 --maps 3", "3 is not in 12..=100000"),
        ("reproduce 000 --truth 1", "1 is not in 100.."),
        ("reproduce 000 --budget huge", "invalid value 'huge'"),
        ("reproduce 000 --out nowhere/report.md", "nowhere/report.md"),
    ] {
        let run = fairground(line);
        assert!(run.code == Some(2) || run.code == Some(1), "{line}: {}", run.err);
        assert!(run.err.contains("error: ") && run.err.contains(sentence), "{line}: {}", run.err);
    }
}
