//! Why 60:40 wins less often than its neighbours: who closes the row of the start, and how many cards go the wrong way.
//!
//! The paper reports a sharp dip at 60:40. The explanation under test: there a card on the row of the start that does not
//! lead on is worth `60 / dx + 40 - 50`, which is nothing or more from `dx` 6 on, so diggers close their own row. After
//! that a card that leads on *left* of the start is worth far more than a detour, so they dig left. If that is so, then at
//! 60:40 more rows are closed by diggers than at 50:50 and at 70:30, more cards go left, and the dip grows with the
//! columns there are on the left and is gone without any.
//!
//! A second explanation needs no more closed rows than at 50:50: a detour, a card off the row with `dx` 3 or more, is
//! worth as much as a card on the row that does not lead on. At 50:50 both are always worth something, so a closed row is
//! passed; at 70:30 neither is until `dx` 3, so the row is not closed far from the goals. At 60:40 the row is closed where
//! `dx` is 5 or 6, but the detours that would start left of that are worth less than nothing. Then 60:40 closes rows far
//! from the goals more often than 70:30 and makes fewer detours than 50:50. It was thought of after a look at such numbers.

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
    /// The same of both together, squared for each round.
    pub cards_left_squared: u64,
    /// Detours of diggers: cards off the row of the start, right of it and far from the goals.
    pub detours: u64,
    /// The same, squared for each round.
    pub detours_squared: u64,
    /// Rounds in which the row was closed by a digger, and by a saboteur, by the distance of the card to the goals:
    /// `closed[role][dx]`.
    pub closed: [[u64; GOAL_X as usize]; 2],
}

impl Counts {
    fn and(mut self, other: Self) -> Self {
        self.diggers = self.diggers.and(other.diggers);
        self.cards_left_squared += other.cards_left_squared;
        self.detours += other.detours;
        self.detours_squared += other.detours_squared;
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

    /// Rounds in which a digger closed the row with a card farther from the goals than detours are penalised.
    #[must_use]
    pub fn closed_far(&self) -> Share {
        Share { wins: self.closed[0][usize::from(FAR) + 1..].iter().sum(), rounds: self.diggers.rounds }
    }

    /// Cards laid left of the start, of a round.
    #[must_use]
    pub fn mean_cards_left(&self) -> Mean {
        Mean::of(self.cards_left.iter().sum(), self.cards_left_squared, self.diggers.rounds)
    }

    /// Detours of diggers, of a round.
    #[must_use]
    pub fn mean_detours(&self) -> Mean {
        Mean::of(self.detours, self.detours_squared, self.diggers.rounds)
    }
}

/// The distance in columns from which on the agent minds the row.
const FAR: u8 = 3;

/// A mean over rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The variance of the mean.
    pub variance: f64,
}

impl Mean {
    fn of(sum: u64, squares: u64, rounds: u64) -> Self {
        let n = rounds as f64;
        let value = sum as f64 / n;
        Self { value, variance: (squares as f64 / n - value * value) / n }
    }

    /// How many standard errors of the difference this is above another.
    #[must_use]
    pub fn z(self, other: Self) -> f64 {
        (self.value - other.value) / (self.variance + other.variance).sqrt()
    }
}

impl From<Share> for Mean {
    fn from(share: Share) -> Self {
        Self { value: share.rate(), variance: share.variance() }
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
        if role == 0 && y != 0 && (1..=GOAL_X - FAR as i8).contains(&x) {
            counts.detours += 1;
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
    counts.detours_squared = counts.detours * counts.detours;
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

    fn of([before, at, after]: [Mean; 3]) -> Self {
        let is_below = |other: Mean| at.value < other.value;
        Self {
            difference: at.value - (before.value + after.value) / 2.0,
            error: (at.variance + (before.variance + after.variance) / 4.0).sqrt(),
            is_extreme: at.value != before.value && is_below(before) == is_below(after) && at.value != after.value,
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
    /// How many standard errors more rows are closed far from the goals at 60:40 than at 70:30.
    pub closed_far_z: f64,
    /// How many standard errors more detours are made at 60:40 than at 50:50.
    pub detours_z: f64,
}

/// One verdict for each preset and board with all ratios. The rounds of different ratios share their deals, so the errors
/// are, if anything, too large.
#[must_use]
pub fn verdicts(watched: &[Watched]) -> Vec<Verdict> {
    let boards = watched.chunks_exact(RATIOS);
    let verdict = |board: &[Watched]| {
        let around: [Counts; 3] = std::array::from_fn(|index| board[DIP - 1 + index].counts);
        let contrast = |mean: fn(&Counts) -> Mean| Contrast::of(around.each_ref().map(mean));
        let [before, at, after] = &around;
        Verdict {
            preset: board[0].preset,
            columns: board[0].columns,
            wins: contrast(|counts| counts.diggers.into()),
            closed: contrast(|counts| counts.closed_by(0).into()),
            cards_left: contrast(Counts::mean_cards_left),
            closed_far_z: at.closed_far().z(after.closed_far()),
            detours_z: at.mean_detours().z(before.mean_detours()),
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
        let count = |is_so: fn(&Verdict) -> bool| dipping.iter().filter(|of| is_so(of)).count();
        let all = dipping.len();
        let verdict = if all == 0 {
            "there is no dip to explain".to_owned()
        } else {
            let part = |count: usize, what: &str| match count {
                0 => format!("on none of the {all} boards with a dip {what}"),
                count if count == all => format!("on all {all} boards with a dip {what}"),
                count => format!("on {count} of the {all} boards with a dip {what}"),
            };
            let (left, closed) = (count(|of| of.cards_left.is_high()), count(|of| of.closed.is_high()));
            let first = if left == all && closed == all && is_gone {
                "holds"
            } else if closed == 0 {
                "fails"
            } else {
                "holds in part"
            };
            let is_stuck = |of: &Verdict| of.closed_far_z > CLEAR && of.detours_z < -CLEAR;
            let stuck = count(is_stuck);
            let elsewhere = boards.iter().filter(|of| !of.wins.is_low() && is_stuck(of)).count();
            format!(
                "the first explanation {first}: {}; {}; without columns on the left the dip {}. The second {}: {}, and so it \
                 is on {elsewhere} of the {} without{}",
                part(closed, "diggers close their own row more often than at both neighbours"),
                part(left, "more cards go left than at both"),
                if is_gone { "is gone" } else { "stays" },
                if stuck == all { "is consistent with the numbers" } else { "fails" },
                part(
                    stuck,
                    "rows are closed far from the goals more often than at 70:30 with fewer detours than at 50:50"
                ),
                boards.len() - all,
                if elsewhere > 0 { ", so that it is not enough by itself" } else { "" }
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
        let verdict = |columns, wins, closed, cards_left| {
            let stuck = if closed == high { 9.0 } else { 0.0 };
            Verdict { preset: Preset::A, columns, wins, closed, cards_left, closed_far_z: stuck, detours_z: -stuck }
        };
        let explained = conclusions(&[verdict(0, none, none, none), verdict(1, low, high, high)]).join("\n");
        assert!(explained.contains("first explanation holds:") && explained.contains("is gone"), "{explained}");
        assert!(explained.contains("second is consistent") && explained.contains("grows throughout"), "{explained}");
        let refuted = conclusions(&[verdict(0, low, none, none), verdict(1, low, none, high)]).join("\n");
        assert!(refuted.contains("first explanation fails:") && refuted.contains("on 1 of the 2 boards"), "{refuted}");
        assert!(refuted.contains("the dip stays") && refuted.contains("The second fails"), "{refuted}");
        assert!(conclusions(&[verdict(0, none, high, high)]).join("").contains("no dip to explain"));
        assert!(conclusions(&[]).is_empty());
    }
}
