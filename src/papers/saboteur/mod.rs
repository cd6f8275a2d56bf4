//! Ohata, Ito and Tajima, "Examination of path creation heuristics in the board game Saboteur": their tables, and the
//! same experiments here.
//!
//! Six players with the same agent played 30,000 rounds in each of eight settings: six ratios of the weights of the
//! distances, and two with the cards not yet on the table counted (`E_card`). The paper leaves much of its agent open; a
//! [`Reading`] fills the gaps.

pub mod calibrate;
pub mod dip;

use crate::batch::{Batch, EvaluateError, Evaluator, Watch};
use crate::games::Game as _;
use crate::games::saboteur::reading::CountedCards;
use crate::games::saboteur::{Extent, Game, Policy, Preset, Reading, Saboteur, Strategy, WrongPlayers};
use crate::stats::{self, Interval};

/// Players of every round of the paper.
pub const PLAYERS: usize = 6;
/// Rounds of every setting of the paper.
pub const ROUNDS: u64 = 30_000;

/// Wins of the diggers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Rounds that the diggers won.
    pub wins: u64,
    /// All rounds.
    pub rounds: u64,
}

impl Share {
    /// Wins over rounds; NaN if there were none.
    #[must_use]
    pub fn rate(self) -> f64 {
        stats::rate(self.wins, self.rounds)
    }

    /// The 95 % Wilson interval of the rate.
    #[must_use]
    pub fn interval(self) -> Interval {
        stats::wilson(self.wins, self.rounds)
    }

    /// An estimate of the rate's variance.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.rate() * (1.0 - self.rate()) / self.rounds as f64
    }

    /// How many standard errors of the difference this rate is above another.
    #[must_use]
    pub fn z(self, other: Self) -> f64 {
        (self.rate() - other.rate()) / (self.variance() + other.variance()).sqrt()
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, rounds: self.rounds + other.rounds }
    }
}

/// Wins of the diggers by their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// With five diggers.
    pub five: Share,
    /// With four.
    pub four: Share,
}

impl Split {
    /// All rounds.
    #[must_use]
    pub const fn all(self) -> Share {
        self.five.and(self.four)
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { five: self.five.and(other.five), four: self.four.and(other.four) }
    }

    /// The squared differences in standard errors from another, with five and with four diggers.
    #[must_use]
    pub fn z_squared(self, other: Self) -> f64 {
        self.five.z(other.five).powi(2) + self.four.z(other.four).powi(2)
    }
}

/// A setting of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Weights of the distances in columns and rows.
    pub weights: [u16; 2],
    /// Whether the cards not yet on the table are counted.
    pub counts_cards: bool,
    /// The tables with its figures.
    pub tables: &'static str,
    /// The figures.
    pub paper: Split,
}

const fn setting(
    weights: [u16; 2],
    counts_cards: bool,
    tables: &'static str,
    five: [u64; 2],
    four: [u64; 2],
) -> Setting {
    let [five, four] = [Share { wins: five[0], rounds: five[1] }, Share { wins: four[0], rounds: four[1] }];
    Setting { weights, counts_cards, tables, paper: Split { five, four } }
}

/// The settings of the paper in its order, with wins and rounds of five diggers (tables 7, 10 and 13) and of four (8, 11
/// and 14). The wins of both together are those of tables 6, 9 and 12.
pub const SETTINGS: [Setting; 8] = [
    setting([50, 50], false, "6-8", [6630, 8532], [11141, 21468]),
    setting([60, 40], false, "6-8", [6148, 8708], [9957, 21293]),
    setting([70, 30], false, "6-8", [6666, 8520], [11581, 21480]),
    setting([80, 20], false, "6-14", [7062, 8627], [11467, 21373]),
    setting([90, 10], false, "6-8", [7032, 8442], [11697, 21558]),
    setting([100, 0], false, "6-8, 12-14", [7525, 8544], [12835, 21456]),
    setting([80, 20], true, "9-14", [7298, 8618], [12766, 21382]),
    setting([100, 0], true, "12-14", [7398, 8470], [13419, 21530]),
];

/// What is wrong in the paper's tables and text, and how it is read here.
pub const SLIPS: [&str; 3] = [
    "The rounds of 60:40 with five and four diggers add up to 30,001 (tables 7 and 8).",
    "Tables 12 to 14 swap the labels E_dist and E_card: by tables 6 to 11 the row with 20,064 wins is E_card, and the row \
     with 20,360 is 100:0. Here every figure stands under its true setting.",
    "The text on table 13 says that both changes together win 0.8 % less often than E_card alone; that is true of 100:0 \
     alone. They win 2.6 % more often than E_card alone.",
];

impl Setting {
    /// `80:20`, or `80:20 + E_card`.
    #[must_use]
    pub fn name(&self) -> String {
        let [across, along] = self.weights;
        format!("{across}:{along}{}", if self.counts_cards { " + E_card" } else { "" })
    }

    /// A reading with the weights of this setting. If cards are counted, the mean of the kinds is added, unless the
    /// reading says otherwise.
    #[must_use]
    pub fn reading(&self, reading: Reading) -> Reading {
        let counted_cards = match (self.counts_cards, reading.counted_cards) {
            (false, _) => CountedCards::None,
            (true, CountedCards::None) => CountedCards::Mean,
            (true, own) => own,
        };
        Reading { counted_cards, ..reading.weighted(self.weights[0], self.weights[1]) }
    }
}

/// Rates of a separate prototype of the presets, for which nothing was shared but the rules: with five and with four
/// diggers in each of [`SETTINGS`], rounded to three digits. None if there are no such figures.
#[must_use]
pub const fn prototype(preset: Preset) -> Option<[[f64; 2]; SETTINGS.len()]> {
    match preset {
        Preset::Plain => None,
        Preset::A => Some([
            [0.754, 0.497],
            [0.753, 0.469],
            [0.768, 0.525],
            [0.840, 0.617],
            [0.837, 0.617],
            [0.821, 0.584],
            [0.839, 0.675],
            [0.810, 0.642],
        ]),
        Preset::R1 => Some([
            [0.745, 0.474],
            [0.751, 0.470],
            [0.766, 0.516],
            [0.824, 0.586],
            [0.821, 0.585],
            [0.857, 0.599],
            [0.848, 0.670],
            [0.864, 0.691],
        ]),
    }
}

/// The prototype's rates as wins in [`ROUNDS`] rounds, split as often as roles are dealt: five diggers in two of seven.
#[must_use]
pub fn prototype_split([five, four]: [f64; 2]) -> Split {
    let share = |rate: f64, rounds: u64| Share { wins: (rate * rounds as f64).round() as u64, rounds };
    let rounds_of_five = ROUNDS * 2 / 7;
    Split { five: share(five, rounds_of_five), four: share(four, ROUNDS - rounds_of_five) }
}

/// Rounds of six players who all play `paper`: a reading, a board, and which rounds of which seed.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The reading.
    pub reading: Reading,
    /// The board.
    pub extent: Extent,
    /// The seed.
    pub seed: u64,
    /// The key of the rounds' random numbers; that of the position if there is none. Boards with the same key share them.
    pub key: Option<u64>,
    /// The number of the first round.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// Plays the rounds and counts the diggers' wins by their number.
///
/// # Errors
/// If the evaluator fails, or the watcher asks to stop.
pub fn play(evaluator: &Evaluator, rounds: &Rounds, watch: &dyn Watch) -> Result<Split, EvaluateError> {
    let Rounds { reading, extent, seed, key, first, count } = *rounds;
    let mut batch = Batch::<Saboteur>::new(Policy::all(Strategy::Paper(reading)), seed);
    if let Ok(start) = start(extent) {
        batch.push_part(&start, key.unwrap_or_else(|| Saboteur::key(&start)), first, count);
    }
    // By the number of saboteurs: one with five diggers, two with four.
    let groups = evaluator.evaluate_grouped(&batch, 2, |last| usize::from(last.saboteurs.count_ones() != 1), watch)?;
    let share = |group: usize| {
        let tally = groups.first().and_then(|groups| groups.get(group)).copied().unwrap_or_default();
        Share { wins: tally.wins[0], rounds: tally.playouts }
    };
    Ok(Split { five: share(0), four: share(1) })
}

/// Where a round of the paper starts.
fn start(extent: Extent) -> Result<Game, WrongPlayers> {
    Game::start(PLAYERS, extent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{BackendChoice, Options};

    #[test]
    fn the_tables_add_up_but_for_the_slip() {
        // Tables 6, 9 and 12.
        let all_wins = [17771, 16105, 18247, 18529, 18729, 20360, 20064, 20817];
        let all_rates = [0.592, 0.537, 0.608, 0.618, 0.624, 0.679, 0.669, 0.694];
        let rates = [
            [0.777, 0.519],
            [0.706, 0.468],
            [0.782, 0.539],
            [0.819, 0.537],
            [0.833, 0.543],
            [0.881, 0.598],
            [0.847, 0.597],
            [0.873, 0.623],
        ];
        for (((setting, wins), rate), [five, four]) in SETTINGS.iter().zip(all_wins).zip(all_rates).zip(rates) {
            let all = setting.paper.all();
            assert_eq!(all.wins, wins, "{}", setting.name());
            assert_eq!(all.rounds, ROUNDS + u64::from(setting.weights == [60, 40]), "{}", setting.name());
            for (share, printed) in [(all, rate), (setting.paper.five, five), (setting.paper.four, four)] {
                assert!((share.rate() - printed).abs() < 0.000_51, "{}: {share:?} {printed}", setting.name());
            }
        }
        let [both, counted] = [SETTINGS[7], SETTINGS[6]].map(|setting| setting.paper.five.rate());
        assert!((both - SETTINGS[5].paper.five.rate() + 0.008).abs() < 0.001 && (both - counted - 0.026).abs() < 0.001);
    }

    #[test]
    fn a_setting_sets_weights_and_cards_and_nothing_else() {
        for setting in SETTINGS {
            let reading = setting.reading(Reading::R1);
            assert_eq!([reading.across, reading.along], setting.weights);
            assert_eq!(reading.counted_cards != CountedCards::None, setting.counts_cards);
            let back = Reading { counted_cards: CountedCards::None, ..reading.weighted(80, 20) };
            assert_eq!(back, Reading::R1);
            let sums = setting.reading(Reading { counted_cards: CountedCards::Sum, ..Reading::A });
            assert_eq!(sums.counted_cards == CountedCards::Sum, setting.counts_cards);
        }
    }

    #[test]
    fn parts_of_a_run_add_up_and_split_by_the_saboteurs() {
        let options = Options { backend: BackendChoice::Scalar, chunk: 70, ..Options::default() };
        let evaluator = Evaluator::new(&options).expect("the rules engine");
        let rounds = Rounds { reading: Reading::A, extent: Extent::PAPER, seed: 3, key: None, first: 0, count: 300 };
        let whole = play(&evaluator, &rounds, &()).expect("it is played");
        let [one, other] = [(0, 110), (110, 190)]
            .map(|(first, count)| play(&evaluator, &Rounds { first, count, ..rounds }, &()).expect("it is played"));
        assert_eq!(whole, one.and(other));
        assert_eq!(whole.all().rounds, 300);

        let mut batch = Batch::<Saboteur>::new(Policy::all(Strategy::Paper(Reading::A)), 3);
        batch.push(start(Extent::PAPER).expect("six players"), 300);
        let records = evaluator.records(&batch).expect("it is played");
        let of =
            |saboteurs| records.iter().filter(move |record| record.last.position.saboteurs.count_ones() == saboteurs);
        assert_eq!([of(1).count() as u64, of(2).count() as u64], [whole.five.rounds, whole.four.rounds]);
        assert!(whole.five.wins > 0 && whole.four.wins > 0 && whole.all().wins < 300);
        let tally = evaluator.evaluate(&batch).expect("it is played").tallies[0];
        assert_eq!(tally.wins[0], whole.all().wins);
    }

    #[test]
    fn differences_count_the_errors_of_both() {
        let [one, other] = [Share { wins: 60, rounds: 100 }, Share { wins: 50, rounds: 100 }];
        assert!((one.z(other) - 0.1 / (0.0024_f64 + 0.0025).sqrt()).abs() < 1e-12);
        assert_eq!(one.z(one), 0.0);
        let split = prototype_split([0.5, 0.25]);
        assert_eq!(split.all().rounds, ROUNDS);
        assert_eq!(split.z_squared(split), 0.0);
    }
}
