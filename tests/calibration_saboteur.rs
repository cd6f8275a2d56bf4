//! The paper's agent against figures of a separate prototype, for which nothing was shared but the rules.

use fairground::games::saboteur::reading::CountedCards;
use fairground::games::saboteur::{Game, Policy, Position, Preset, Strategy, Winner, policy};
use fairground_kernels::rng::Rng;

/// Weights, whether cards are counted, and the diggers' win rate with five and with four of them, for A and for R1:
/// 30,000 rounds each, rounded to three digits.
type Row = ([u16; 2], bool, [[f64; 2]; 2]);
const ROWS: [Row; 8] = [
    ([50, 50], false, [[0.754, 0.497], [0.745, 0.474]]),
    ([60, 40], false, [[0.753, 0.469], [0.751, 0.470]]),
    ([70, 30], false, [[0.768, 0.525], [0.766, 0.516]]),
    ([80, 20], false, [[0.840, 0.617], [0.824, 0.586]]),
    ([90, 10], false, [[0.837, 0.617], [0.821, 0.585]]),
    ([100, 0], false, [[0.821, 0.584], [0.857, 0.599]]),
    ([80, 20], true, [[0.839, 0.675], [0.848, 0.670]]),
    ([100, 0], true, [[0.810, 0.642], [0.864, 0.691]]),
];

/// 32 differences of at most four standard deviations: a false alarm in one of 500 seeds.
#[test]
fn win_rates_are_those_of_the_prototype() {
    let (rounds, theirs) = (6000, 30_000.);
    for ([across, along], counts_cards, rates) in ROWS {
        for (preset, rates) in [Preset::A, Preset::R1].into_iter().zip(rates) {
            let mut reading = preset.reading().weighted(across, along);
            reading.counted_cards = if counts_cards { CountedCards::Mean } else { CountedCards::None };
            let start = Position::start(6, preset.extent()).expect("six players");
            let (mut wins, mut played) = ([0.; 2], [0.; 2]);
            for round in 0..rounds {
                let mut position = start;
                let rng = &mut Rng::for_playout(1, Game::of(start).key(), round);
                policy::play(&mut position, Policy::all(Strategy::Paper(reading)), rng);
                let four = usize::from(position.saboteurs.count_ones() == 2);
                played[four] += 1.;
                wins[four] += f64::from(u8::from(position.winner == Some(Winner::Diggers)));
            }
            for four in 0..2 {
                let (own, rate) = (wins[four] / played[four], rates[four]);
                let share = [2. / 7., 5. / 7.][four];
                let deviation = (rate * (1. - rate) * (1. / played[four] + 1. / (theirs * share))).sqrt();
                let name = preset.name();
                let diggers = 5 - four;
                assert!(
                    (own - rate).abs() < 4. * deviation + 0.0005,
                    "{name} {across}:{along}, cards counted {counts_cards}, {diggers} diggers: {own:.4} against {rate}"
                );
            }
        }
    }
}
