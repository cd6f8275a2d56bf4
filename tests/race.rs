//! Races for the best few maps, with judges whose games are drawn from known chances.

use std::convert::Infallible;
use std::ops::Range;

use fairground::evolve::race::{Finish, Rules, UNIT, Until, run};
use fairground_kernels::rng::{Draws as _, Rng};
use proptest::prelude::*;

/// A map whose sides win with these chances in a thousand; if it is smooth, a game gives parts of points to both.
#[derive(Clone, Copy, Debug)]
struct Judged {
    chances: [u32; 2],
    is_smooth: bool,
}

impl Judged {
    /// Points of a game, which depend on the seed, the map and the game's number alone.
    fn game(&self, seed: u64, map: usize, game: u64) -> [u64; 2] {
        let rng = &mut Rng::for_playout(seed, map as u64, game);
        let draw = rng.below(1000);
        let [red, blue] = self.chances;
        let part = if self.is_smooth { u64::from(rng.below(1000)) * UNIT / 1000 } else { UNIT };
        match draw {
            _ if draw < red => [part, UNIT - part],
            _ if draw < red + blue => [UNIT - part, part],
            _ => [0, 0],
        }
    }

    fn points(&self, seed: u64, map: usize, games: Range<u64>) -> [u64; 2] {
        games.map(|game| self.game(seed, map, game)).fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    }

    /// The true share of the weaker side of a map that is not smooth.
    fn truth(&self) -> u32 {
        self.chances[0].min(self.chances[1])
    }
}

/// What all games say: the best, first of equals, in their order.
fn by_all_games(maps: &[Judged], seed: u64, games: u64, best: usize) -> Vec<usize> {
    let worth: Vec<u64> = (0..maps.len())
        .map(|map| maps[map].points(seed, map, 0..games).into_iter().min().expect("two sides"))
        .collect();
    let mut order: Vec<usize> = (0..maps.len()).collect();
    order.sort_by_key(|&map| std::cmp::Reverse(worth[map]));
    order.truncate(best);
    order.sort_unstable();
    order
}

/// Runs a race and checks that it plays by its rules.
fn raced(maps: &[Judged], seed: u64, rules: &Rules) -> Finish {
    let mut played = vec![0; maps.len()];
    let play = |jobs: &[(usize, Range<u64>)]| {
        assert!(jobs.len() > rules.best, "a race that is decided goes on");
        let points = jobs.iter().map(|(map, games)| {
            assert_eq!(games.start, played[*map], "games of a map follow each other");
            assert!(games.end <= rules.games && games.end - games.start <= rules.round);
            played[*map] = games.end;
            maps[*map].points(seed, *map, games.clone())
        });
        Ok::<_, Infallible>(points.collect())
    };
    let finish = run(maps.len(), rules, play).expect("nothing can fail");
    assert_eq!(finish.games, played.iter().sum::<u64>());
    assert_eq!(finish.best.len(), rules.best.min(maps.len()));
    assert!(finish.best.is_sorted() && finish.best.iter().all(|map| finish.left.contains(map)));
    finish
}

fn any_map() -> impl Strategy<Value = Judged> {
    // Mostly hopeless maps, as in the paper's generations, so that ties are frequent.
    let hopeless = (0..=1000_u32).prop_map(|red| [red, 0]);
    let possible = (0..=500_u32, 0..=500_u32).prop_map(|(red, blue)| [red, blue]);
    (prop_oneof![hopeless, possible], any::<bool>()).prop_map(|(chances, is_smooth)| Judged { chances, is_smooth })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_exact_race_finds_the_same_maps_as_all_games(
        maps in prop::collection::vec(any_map(), 0..20),
        seed in any::<u64>(),
        (best, games, round) in (0..8_usize, 0..60_u64, 1..20_u64),
    ) {
        let rules = Rules { best, games, round, until: Until::Certain };
        let finish = raced(&maps, seed, &rules);
        prop_assert_eq!(&finish.best, &by_all_games(&maps, seed, games, best));
        prop_assert_eq!(finish, raced(&maps, seed, &rules));
    }
}

/// So many fair maps among hopeless ones, at places that depend on the seed.
fn few_fair(seed: u64, fair: usize) -> Vec<Judged> {
    let rng = &mut Rng::for_playout(seed, u64::MAX, 0);
    let mut maps = vec![Judged { chances: [900, 0], is_smooth: false }; 100];
    for _ in 0..fair {
        maps[rng.below(100) as usize].chances = [450, 450];
    }
    maps
}

#[test]
fn races_save_games_if_a_few_maps_stand_out_and_none_if_nothing_does() {
    let rules = |until| Rules { best: 5, games: 100, round: 5, until };
    let kinds = [Until::Certain, Until::Likely(0.95)];
    // All maps are worth nothing: whoever is last may still be first.
    for until in kinds {
        let finish = raced(&few_fair(1, 0), 1, &rules(until));
        assert_eq!((finish.games, finish.best), (100 * 100, vec![0, 1, 2, 3, 4]));
    }
    let [certain, likely] = kinds.map(|until| raced(&few_fair(2, 12), 2, &rules(until)));
    assert_eq!(certain.best, by_all_games(&few_fair(2, 12), 2, 100, 5));
    assert!(certain.games < 80 * 100 && likely.games < 75 * 100, "{certain:?} {likely:?}");
    assert!(likely.games < certain.games);
}

#[test]
fn a_race_in_halves_plays_a_third_of_all_games_and_keeps_what_stands_out() {
    let rules = Rules { best: 5, games: 100, round: 5, until: Until::Half };
    // 100 maps for 15 games, 50 up to 25, 25 up to 50 and 12 to the end.
    for (seed, fair) in [(1, 0), (2, 12), (3, 12), (4, 60)] {
        let maps = few_fair(seed, fair);
        let finish = raced(&maps, seed, &rules);
        assert_eq!((finish.games, finish.left.len()), (1500 + 500 + 25 * 25 + 12 * 50, 6));
        assert!(fair == 0 || finish.best.iter().all(|&map| maps[map].truth() > 0), "{finish:?}");
    }
    // Nobody is out before an eighth of the games, and never more than are to be found.
    let finish = raced(&few_fair(5, 12), 5, &Rules { best: 60, ..rules });
    assert_eq!((finish.games, finish.left.len()), (100 * 15, 60));
}

#[test]
fn a_likely_race_drops_those_that_belong_to_the_best_no_more_often_than_it_says() {
    // Forty maps from 0 to 390 wins in a thousand of the weaker side, so that neighbours are hard to tell apart.
    let (races, best) = (200, 4);
    for (confidence, rate) in [(0.5, 0.5), (0.9, 0.1), (0.99, 0.01)] {
        let rules = Rules { best, games: 400, round: 20, until: Until::Likely(confidence) };
        let (mut wrong, mut saved) = (0, 0);
        for seed in 0..races {
            let maps: Vec<_> = (0..40)
                .map(|rank| Judged { chances: [10 * ((rank * 7 + seed as u32) % 40), 500], is_smooth: false })
                .collect();
            let finish = raced(&maps, seed, &rules);
            let mut true_best = (0..maps.len()).filter(|&map| maps[map].truth() >= 360);
            wrong += u64::from(true_best.any(|map| !finish.left.contains(&map)));
            saved += 40 * 400 - finish.games;
        }
        // The bound holds in theory; three standard deviations for the draw.
        let allowed = rate * races as f64 + 3.0 * (rate * (1.0 - rate) * races as f64).sqrt();
        assert!((wrong as f64) <= allowed, "{wrong} of {races} races at {confidence}");
        assert!(saved > races * 40 * 400 / 10, "{saved} games saved at {confidence}");
    }
}

#[test]
fn a_race_with_a_careless_probability_errs_and_with_certainty_never_ends_early() {
    let maps: Vec<_> = (0..20).map(|rank| Judged { chances: [200 + 5 * rank, 500], is_smooth: false }).collect();
    let rules = |probability| Rules { best: 3, games: 200, round: 5, until: Until::Likely(probability) };
    // So far below 0 that intervals shrink to points: the first round decides.
    let careless = raced(&maps, 3, &rules(-1e9));
    assert!(careless.games < 20 * 20 && careless.best != [17, 18, 19], "{careless:?}");
    for probability in [1.0, 2.0, f64::INFINITY] {
        assert_eq!(raced(&maps, 3, &rules(probability)).games, 20 * 200);
    }
    assert_eq!(raced(&maps, 3, &rules(f64::NAN)).best.len(), 3);
}

#[test]
fn an_error_ends_a_race() {
    let rules = Rules { best: 1, games: 10, round: 5, until: Until::Certain };
    assert_eq!(run(3, &rules, |_| Err("no games")), Err("no games"));
    // Where nothing is to be found nothing is played.
    for (maps, best, games) in [(3, 3, 10), (0, 1, 10), (3, 1, 0), (3, 0, 10)] {
        let finish = run(maps, &Rules { best, games, ..rules }, |_| Err("no games"));
        assert_eq!(finish.map(|finish| finish.best), Ok((0..maps.min(best)).collect()));
    }
}
