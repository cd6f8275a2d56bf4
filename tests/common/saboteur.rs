//! Rounds of Saboteur for tests.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use fairground::games::saboteur::{Action, Extent, Policy, Position, policy};
use fairground_kernels::Outcome;
use fairground_kernels::rng::Rng;

/// The generator of test case number `case` of the test called `seed`.
pub fn rng(seed: u64, case: u64) -> Rng {
    Rng::for_playout(seed, 0, case)
}

/// Boards of all sorts: the widest, the paper's, and a tight one.
pub const EXTENTS: [Extent; 3] = [Extent::WIDEST, Extent::PAPER, Extent { left: 0, right: 9, bottom: -3, top: 2 }];

/// Plays rounds of three to ten players on all sorts of boards, and shows every position with the next action and the
/// last position of each round.
pub fn walk(
    seed: u64,
    rounds: u64,
    policy: Policy,
    mut visit: impl FnMut(&str, &Position, Option<Action>),
) -> Vec<(Position, Outcome)> {
    (0..rounds)
        .map(|case| {
            let extent = EXTENTS[(case / 8 % 3) as usize];
            let mut position = Position::start(3 + (case % 8) as usize, extent).expect("three to ten players");
            let at = format!("round {case} of seed {seed}");
            let outcome = policy::play_watched(&mut position, policy, &mut rng(seed, case), |position, action| {
                visit(&format!("{at}, turn {}", position.turn), position, Some(action));
            });
            visit(&format!("{at}, at the end"), &position, None);
            (position, outcome)
        })
        .collect()
}
