//! Why 60:40 wins less often than its neighbours: who closes the row of the start, and how many cards go the wrong way.
//!
//! The paper reports a sharp dip at 60:40. The explanation under test: there a card on the row of the start that does not
//! lead on is worth `60 / dx + 40 - 50`, which is nothing or more from `dx` 6 on, so diggers close their own row. After
//! that a card that leads on *left* of the start is worth far more than a detour, so they dig left. If that is so, then at
//! 60:40 more rows are closed by diggers than at 50:50 and at 70:30, more cards go left, and the dip grows with the
//! columns there are on the left and is gone without any.

use fairground_kernels::rng::Rng;
use rayon::prelude::*;

use super::{SETTINGS, Share, start};
use crate::batch::{Evaluator, Watch};
use crate::games::Game as _;
use crate::games::saboteur::tables::{GOAL_X, RIGHT};
use crate::games::saboteur::{Action, Extent, Policy, Preset, Saboteur, Strategy, policy};

/// Columns left of the start that boards are tried with; the last is no limit.
pub const COLUMNS: [i8; 5] = [0, 1, 2, 6, -Extent::WIDEST.left];

/// The ratios, in the paper's order.
pub const RATIOS: usize = 6;
/// The number of 60:40 among them.
pub const DIP: usize = 1;

/// What happened in the rounds of one preset, board and ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The preset.
    pub preset: Preset,
    /// Columns left of the start.
    pub columns: i8,
    /// Weights of the distances.
    pub weights: [u16; 2],
    /// What was counted.
    pub counts: Counts,
}

/// Sums over rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rounds, and wins of the diggers.
    pub diggers: Share,
    /// Cards laid left of the start, by diggers and by saboteurs.
    pub cards_left: [u64; 2],
    /// The same, squared for each round: of both.
    pub cards_left_squared: u64,
    /// Rounds in which the row was closed by a digger, and by a saboteur, by the distance of the card to the goals:
    /// `closed[role][dx]`.
    pub closed: [[u64; GOAL_X as usize]; 2],
}

impl Counts {
    fn and(mut self, other: Self) -> Self {
        self.diggers = self.diggers.and(other.diggers);
        self.cards_left_squared += other.cards_left_squared;
        for role in 0..2 {
            self.cards_left[role] += other.cards_left[role];
            for (sum, count) in self.closed[role].iter_mut().zip(other.closed[role]) {
                *sum += count;
            }
        }
        self
    }

    /// Rounds in which this role closed the row: 0 is a digger, 1 a saboteur.
    #[must_use]
    pub fn closed_by(&self, role: usize) -> Share {
        Share { wins: self.closed[role % 2].iter().sum(), rounds: self.diggers.rounds }
    }

    /// The mean distance to the goals of the card with which this role closed the row; NaN if it never did.
    #[must_use]
    pub fn mean_distance(&self, role: usize) -> f64 {
        let closed = self.closed[role % 2];
        let sum: u64 = closed.iter().zip(0..).map(|(count, distance)| count * distance).sum();
        sum as f64 / closed.iter().sum::<u64>() as f64
    }

    /// Cards laid left of the start, of a round.
    #[must_use]
    pub fn mean_cards_left(&self) -> f64 {
        self.cards_left.iter().sum::<u64>() as f64 / self.diggers.rounds as f64
    }

    /// The variance of [`mean_cards_left`](Self::mean_cards_left).
    #[must_use]
    pub fn cards_left_variance(&self) -> f64 {
        let (n, mean) = (self.diggers.rounds as f64, self.mean_cards_left());
        (self.cards_left_squared as f64 / n - mean * mean) / n
    }
}

/// Plays so many rounds of each preset, number of columns and ratio on the rules engine, and watches every card.
/// Stops early if the watcher asks for it; what is finished is returned.
#[must_use]
pub fn watch_rounds(
    evaluator: &Evaluator,
    presets: &[Preset],
    rounds: u64,
    seed: u64,
    watch: &dyn Watch,
) -> Vec<Watched> {
    let mut all = Vec::new();
    for &preset in presets {
        for columns in COLUMNS {
            for setting in &SETTINGS[..RATIOS] {
                if watch.stop() {
                    return all;
                }
                let extent = Extent { left: -columns, ..preset.extent() };
                let policy = Policy::all(Strategy::Paper(setting.reading(preset.reading())));
                let counts = evaluator.install(|| {
                    let round = |round| watch_round(extent, policy, seed, round);
                    (0..rounds).into_par_iter().map(round).reduce(Counts::default, Counts::and)
                });
                watch.finished(rounds);
                all.push(Watched { preset, columns, weights: setting.weights, counts });
            }
        }
    }
    all
}

/// Plays one round.
fn watch_round(extent: Extent, policy: Policy, seed: u64, round: u64) -> Counts {
    let mut counts = Counts::default();
    let Ok(start) = start(extent) else { return counts };
    let (mut position, mut is_closed, mut left) = (start.position, false, 0);
    let rng = &mut Rng::for_playout(seed, Saboteur::key(&start), round);
    let outcome = policy::play_watched(&mut position, policy, rng, |position, action| {
        let Action::Path { card, turned, x, y } = action else { return };
        let role = usize::from(position.is_saboteur(position.mover));
        if x < 0 {
            counts.cards_left[role] += 1;
            left += 1;
        }
        let leads_on = !card.is_blocked() && card.laid_mask(turned) & RIGHT != 0;
        if y == 0 && (1..GOAL_X).contains(&x) && !leads_on && !is_closed {
            is_closed = true;
            counts.closed[role][(GOAL_X - x) as usize] += 1;
        }
    });
    let is_won = outcome.ending == crate::batch::Ending::Win(0);
    counts.diggers = Share { wins: is_won.into(), rounds: 1 };
    counts.cards_left_squared = left * left;
    counts
}

/// How far 60:40 lies from the mean of 50:50 and 70:30.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// 60:40 less the mean of its neighbours.
    pub difference: f64,
    /// Its standard error.
    pub error: f64,
    /// Whether 60:40 is below both neighbours, or above both.
    pub is_extreme: bool,
}

impl Contrast {
    /// Standard errors.
    #[must_use]
    pub fn z(&self) -> f64 {
        self.difference / self.error
    }

    /// Whether 60:40 is clearly below both neighbours.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.is_extreme && self.z() < -CLEAR
    }

    /// Whether 60:40 is clearly above both neighbours.
    #[must_use]
    pub fn is_high(&self) -> bool {
        self.is_extreme && self.z() > CLEAR
    }

    fn of(means: [f64; 3], variances: [f64; 3]) -> Self {
        let [before, at, after] = means;
        Self {
            difference: at - (before + after) / 2.0,
            error: (variances[1] + (variances[0] + variances[2]) / 4.0).sqrt(),
            is_extreme: (at < before && at < after) || (at > before && at > after),
        }
    }
}

/// Standard errors that are taken for a difference.
const CLEAR: f64 = 3.0;

/// The verdict for one preset and board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The preset.
    pub preset: Preset,
    /// Columns left of the start.
    pub columns: i8,
    /// Win rates of the diggers.
    pub wins: Contrast,
    /// Shares of rounds in which a digger closed the row.
    pub closed: Contrast,
    /// Cards left of the start.
    pub cards_left: Contrast,
}

/// One verdict for each preset and board with all ratios. The rounds of different ratios share their deals, so the errors
/// are, if anything, too large.
#[must_use]
pub fn verdicts(watched: &[Watched]) -> Vec<Verdict> {
    let boards = watched.chunks_exact(RATIOS);
    let verdict = |board: &[Watched]| {
        let around: [Counts; 3] = std::array::from_fn(|index| board[DIP - 1 + index].counts);
        let shares = |share: fn(&Counts) -> Share| {
            let shares = around.each_ref().map(share);
            Contrast::of(shares.map(Share::rate), shares.map(Share::variance))
        };
        let means = around.each_ref().map(Counts::mean_cards_left);
        Verdict {
            preset: board[0].preset,
            columns: board[0].columns,
            wins: shares(|counts| counts.diggers),
            closed: shares(|counts| counts.closed_by(0)),
            cards_left: Contrast::of(means, around.each_ref().map(Counts::cards_left_variance)),
        }
    };
    boards.map(verdict).collect()
}

/// What the verdicts say about the explanation, in sentences.
#[must_use]
pub fn conclusions(verdicts: &[Verdict]) -> Vec<String> {
    let mut sentences = Vec::new();
    for preset in Preset::ALL {
        let boards: Vec<_> = verdicts.iter().filter(|verdict| verdict.preset == preset).collect();
        if boards.is_empty() {
            continue;
        }
        let name = preset.name();
        let list = |is_so: &dyn Fn(&Verdict) -> bool| -> String {
            let columns: Vec<_> =
                boards.iter().filter(|verdict| is_so(verdict)).map(|verdict| named(verdict.columns)).collect();
            if columns.is_empty() {
                "no board".into()
            } else {
                format!("boards with {} columns left", columns.join(", "))
            }
        };
        sentences
            .push(format!("{name}: 60:40 wins clearly less than both neighbours on {}.", list(&|of| of.wins.is_low())));
        sentences.push(format!(
            "{name}: diggers close their row clearly more often at 60:40 than at both neighbours on {}.",
            list(&|of| of.closed.is_high())
        ));
        sentences.push(format!(
            "{name}: clearly more cards go left at 60:40 than at both neighbours on {}.",
            list(&|of| of.cards_left.is_high())
        ));
        let dips: Vec<_> = boards.iter().map(|of| -100.0 * of.wins.difference).collect();
        let grows = dips.windows(2).all(|pair| pair[1] > pair[0]);
        let depths: Vec<_> = dips.iter().map(|dip| format!("{dip:.1}")).collect();
        sentences.push(format!(
            "{name}: with more columns left the dip {} ({} points with {} columns).",
            if grows { "grows throughout" } else { "does not grow throughout" },
            depths.join(", "),
            boards.iter().map(|of| named(of.columns)).collect::<Vec<_>>().join(", ")
        ));
        let dipping: Vec<_> = boards.iter().filter(|of| of.wins.is_low()).collect();
        let is_gone = boards.first().is_some_and(|of| of.columns == 0 && !of.wins.is_low());
        let [goes_left, closes] = [
            dipping.iter().filter(|of| of.cards_left.is_high()).count(),
            dipping.iter().filter(|of| of.closed.is_high()).count(),
        ];
        let all = dipping.len();
        let verdict = if all == 0 {
            "there is no dip to explain".to_owned()
        } else {
            let part = |count: usize, what: &str| match count {
                0 => format!("{what} is refuted: on none of the {all} boards with a dip"),
                count if count == all => format!("{what} holds: on all {all} boards with a dip"),
                count => format!("{what} holds in part: on {count} of the {all} boards with a dip"),
            };
            format!(
                "{}; {}; without columns on the left the dip {}",
                part(goes_left, "that diggers dig left at 60:40 more than beside it"),
                part(closes, "that they close their own row there more than beside it"),
                if is_gone { "is gone" } else { "stays" }
            )
        };
        sentences.push(format!("{name}, verdict: {verdict}."));
    }
    sentences
}

/// The number of columns in words.
#[must_use]
pub fn named(columns: i8) -> String {
    if columns == -Extent::WIDEST.left { "unlimited".into() } else { columns.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{BackendChoice, Options};

    fn evaluator(threads: usize) -> Evaluator {
        let options = Options { backend: BackendChoice::Scalar, threads, ..Options::default() };
        Evaluator::new(&options).expect("the rules engine")
    }

    #[test]
    fn what_is_watched_does_not_depend_on_threads_and_is_bounded_by_the_board() {
        let watched = watch_rounds(&evaluator(1), &[Preset::A], 60, 1, &());
        assert_eq!(watched, watch_rounds(&evaluator(3), &[Preset::A], 60, 1, &()));
        assert_eq!(watched.len(), COLUMNS.len() * RATIOS);
        for of in &watched {
            assert_eq!(of.counts.diggers.rounds, 60);
            assert!(of.columns > 0 || of.counts.cards_left == [0, 0]);
            let [digger, saboteur] = [0, 1].map(|role| of.counts.closed_by(role).wins);
            assert!(digger + saboteur <= 60);
            // Nobody lays a card on the goals, so nothing is closed at distance 0.
            assert_eq!([of.counts.closed[0][0], of.counts.closed[1][0]], [0, 0]);
        }
        let total = |of: fn(&Counts) -> u64| watched.iter().map(|watched| of(&watched.counts)).sum::<u64>();
        assert!(total(|counts| counts.cards_left[0]) > 0 && total(|counts| counts.cards_left[1]) > 0);
        assert!(total(|counts| counts.closed_by(0).wins) > 0 && total(|counts| counts.closed_by(1).wins) > 0);
        assert_eq!(verdicts(&watched).len(), COLUMNS.len());
    }

    #[test]
    fn conclusions_follow_from_the_numbers() {
        let low = Contrast { difference: -0.1, error: 0.01, is_extreme: true };
        let high = Contrast { difference: 0.5, error: 0.01, is_extreme: true };
        let none = Contrast { difference: 0.01, error: 0.01, is_extreme: false };
        let verdict =
            |columns, wins, closed, cards_left| Verdict { preset: Preset::A, columns, wins, closed, cards_left };
        let explained = conclusions(&[verdict(0, none, none, none), verdict(1, low, high, high)]).join("\n");
        assert!(explained.contains("left at 60:40 more than beside it holds") && explained.contains("is gone"));
        assert!(explained.contains("row there more than beside it holds") && explained.contains("grows throughout"));
        let refuted = conclusions(&[verdict(0, low, none, none), verdict(1, low, none, high)]).join("\n");
        assert!(refuted.contains("holds in part: on 1 of the 2") && refuted.contains("refuted"), "{refuted}");
        assert!(refuted.contains("the dip stays"));
        assert!(conclusions(&[verdict(0, none, high, high)]).join("").contains("no dip to explain"));
        assert!(conclusions(&[]).is_empty());
    }
}
