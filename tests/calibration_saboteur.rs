//! The paper's agent against figures of a separate prototype, for which nothing was shared but the rules.

use fairground::games::saboteur::{Game, Policy, Position, Preset, Strategy, Winner, policy};
use fairground::papers::saboteur::{PLAYERS, ROUNDS, SETTINGS, prototype, prototype_split};
use fairground_kernels::rng::Rng;

/// 32 differences of at most four standard deviations: a false alarm in one of 500 seeds.
#[test]
fn win_rates_are_those_of_the_prototype() {
    let rounds = 6000;
    for preset in [Preset::A, Preset::R1] {
        for (setting, rates) in SETTINGS.iter().zip(prototype(preset).expect("figures of the preset")) {
            let reading = setting.reading(preset.reading());
            let start = Position::start(PLAYERS, preset.extent()).expect("six players");
            let (mut wins, mut played) = ([0.; 2], [0.; 2]);
            for round in 0..rounds {
                let mut position = start;
                let rng = &mut Rng::for_playout(1, Game::of(start).key(), round);
                policy::play(&mut position, Policy::all(Strategy::Paper(reading)), rng);
                let four = usize::from(position.saboteurs.count_ones() == 2);
                played[four] += 1.;
                wins[four] += f64::from(u8::from(position.winner == Some(Winner::Diggers)));
            }
            let theirs = prototype_split(rates);
            assert_eq!(theirs.all().rounds, ROUNDS);
            for (four, theirs) in [theirs.five, theirs.four].into_iter().enumerate() {
                let (own, rate) = (wins[four] / played[four], rates[four]);
                let deviation = (rate * (1. - rate) * (1. / played[four] + 1. / theirs.rounds as f64)).sqrt();
                let (name, setting, diggers) = (preset.name(), setting.name(), 5 - four);
                assert!(
                    (own - rate).abs() < 4. * deviation + 0.0005,
                    "{name} {setting}, {diggers} diggers: {own:.4} against {rate}"
                );
            }
        }
    }
}
