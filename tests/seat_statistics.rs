//! The statistics of seat balance on simulated games with known chances, and learning where there is nothing to learn.

use fairground::games::catan::generate::{Numbers, PortLayout, Recipe, draw};
use fairground::learn::Rows;
use fairground::learn::features::{FEATURES, Readings, features};
use fairground::learn::pnu::{Basis, Classifier, Samples, is_positive};
use fairground::learn::standard::Standard;
use fairground::stats::seats::balance::{mean_spread_if_equal, rates_of};
use fairground::stats::seats::evidence::{DROP, log_e_value};
use fairground::stats::seats::spread;
use fairground_kernels::rng::{Draws, Rng};

/// Seats that win with given chances.
struct Seats {
    /// Below the first number the first seat wins, below the second the second, and so on.
    ends: [u32; 3],
}

impl Seats {
    fn new(rates: [f64; 4]) -> Self {
        let mut sum = 0.0;
        let end = |rate: f64| {
            sum += rate;
            (sum * 2_f64.powi(32)) as u32
        };
        let [a, b, c, _] = rates;
        Self { ends: [a, b, c].map(end) }
    }

    fn play(&self, games: u64, wins: &mut [u64; 4], rng: &mut Rng) {
        for _ in 0..games {
            let number = rng.next_u32();
            let winner = self.ends.iter().map(|&end| usize::from(number >= end)).sum::<usize>();
            wins[winner] += 1;
        }
    }
}

/// Contrasts of a true spread in a random direction.
fn random_contrasts(sigma: f64, rng: &mut Rng) -> [f64; 3] {
    loop {
        let point = [(); 3].map(|()| f64::from(rng.below(2001)) / 1000.0 - 1.0);
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (0.1..=1.0).contains(&length) {
            return point.map(|x| x / length * sigma * 3_f64.sqrt());
        }
    }
}

#[test]
fn equal_seats_show_the_spread_of_the_table() {
    let equal = Seats::new([0.25; 4]);
    for (games, replicates) in [(2000, 20_000), (20_000, 12_000)] {
        let mut rng = Rng::for_playout(1, games, 0);
        let mut sum = 0.0;
        for _ in 0..replicates {
            let mut wins = [0; 4];
            equal.play(games, &mut wins, &mut rng);
            sum += spread(&wins, games);
        }
        // One standard error is 0.3 and 0.4 % of the mean; the seed is fixed.
        let (mean, expected) = (sum / f64::from(replicates), mean_spread_if_equal(games));
        assert!((mean / expected - 1.0).abs() < 0.01, "{games} games: {mean}");
    }
    for (games, expected) in [(2000, 0.01030), (20_000, 0.00326), (200_000, 0.00103), (2_000_000, 0.00033)] {
        assert!((mean_spread_if_equal(games) - expected).abs() < 0.000_005, "{games} games");
    }
}

/// What becomes of a map in the sequential test, and after how many games.
fn certified(sigma: f64, bound: f64, rng: &mut Rng) -> (bool, u64) {
    const LOOK: u64 = 2000;
    let seats = Seats::new(rates_of(random_contrasts(sigma, rng)));
    let (mut wins, mut games) = ([0; 4], 0);
    loop {
        seats.play(LOOK, &mut wins, rng);
        games += LOOK;
        let log_e = log_e_value(spread(&wins, games), games, bound);
        if log_e >= 20_f64.ln() {
            return (true, games);
        }
        if log_e <= DROP.ln() || games >= 4_000_000 {
            return (false, games);
        }
    }
}

#[test]
fn at_most_one_in_twenty_maps_at_the_bound_is_certified() {
    let bound = 0.0028;
    let runs = 2000;
    let results: Vec<_> = (0..runs).map(|run| certified(bound, bound, &mut Rng::for_playout(2, 0, run))).collect();
    let wrong = results.iter().filter(|(is_certified, _)| *is_certified).count();
    let games = results.iter().map(|(_, games)| games).sum::<u64>() / runs;
    // 5 % of 2000 are 100, with a standard deviation of 10; none at all would mean that nothing was tested.
    assert!((40..=130).contains(&wrong), "{wrong} of {runs}");
    assert!((170_000..250_000).contains(&games), "{games} games on average");
}

#[test]
fn balanced_maps_are_certified_and_tilted_ones_dropped() {
    let bound = 0.0028;
    let share = |sigma: f64| {
        let runs = 100;
        let is_certified = |run: &u64| certified(sigma, bound, &mut Rng::for_playout(3, 0, *run)).0;
        (0..runs).filter(is_certified).count()
    };
    assert!(share(0.0) >= 97);
    assert!((80..=98).contains(&share(bound / 2.0)));
    assert_eq!(share(3.0 * bound), 0);
}

#[test]
fn with_outcomes_shuffled_between_maps_nothing_is_learned() {
    let recipe = Recipe { numbers: Numbers::Free, ports: PortLayout::Shuffled };
    let rows = |first: u64, count: u64| {
        let maps = (first..first + count).flat_map(|index| features(&draw(&recipe, 4, index), &Readings::default()));
        Rows::new(FEATURES, maps.map(f64::from).collect()).expect("76 each")
    };
    let unlabelled = rows(0, 500);
    let standard = Standard::of(&unlabelled);
    let [u, played, fresh] =
        [unlabelled, rows(1000, 300), rows(2000, 1000)].map(|rows| standard.apply_to(&rows).expect("76 each"));
    // A rule that is linear in the features decides which maps are balanced.
    let rule =
        |sample: &[f64]| sample.iter().enumerate().map(|(i, x)| x * f64::from(i as u32 % 7) - 3.0 * x).sum::<f64>();
    let is_balanced = |sample: &[f64]| rule(sample) >= 0.0;
    let base_rate = fresh.iter().filter(|sample| is_balanced(sample)).count() as f64 / 1000.0;
    assert!((0.45..0.55).contains(&base_rate), "{base_rate}");
    let hit_rate = |labels: &[bool]| {
        let class = |wanted: bool| {
            let members = played.iter().zip(labels).filter(|&(_, &label)| label == wanted);
            Rows::collect(members.map(|(sample, _)| sample)).expect("both classes")
        };
        let (p, n) = (class(true), class(false));
        let prior = p.len() as f64 / labels.len() as f64;
        let samples = Samples { p: &p, n: &n, u: &u };
        let model = Classifier::fit(&samples, Basis::Linear { width: FEATURES }, prior, 0.2, 1.0).expect("a fit");
        let hits = fresh.iter().filter(|sample| is_positive(model.decide(sample)) == is_balanced(sample)).count();
        hits as f64 / 1000.0
    };
    let labels: Vec<bool> = played.iter().map(is_balanced).collect();
    let learned = hit_rate(&labels);
    assert!(learned > 0.75, "{learned}");
    let mut sum = 0.0;
    let runs = 30;
    for run in 0..runs {
        let (mut shuffled, mut rng) = (labels.clone(), Rng::for_playout(5, 0, run));
        (1..shuffled.len()).rev().for_each(|place| shuffled.swap(place, rng.below(place as u32 + 1) as usize));
        sum += hit_rate(&shuffled);
    }
    // One run varies by about 0.05 around one half, so that the mean has a standard error of 0.01.
    let mean = sum / runs as f64;
    assert!((mean - 0.5).abs() < 0.04, "{mean}");
}
