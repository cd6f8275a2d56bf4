//! Rounds of Saboteur for tests.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use fairground::games::saboteur::reading::{
    Adjacent, CannotGoRight, CountedBySaboteurs, CountedCards, Discard, LeftOfGoals, MapOrder, OfThree, OfTwo,
    Sideways, Ties,
};
use fairground::games::saboteur::{Action, Extent, Policy, Position, Preset, Reading, policy};
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

/// Readings that differ from A in one or a few places; together they take every alternative.
pub fn readings() -> Vec<Reading> {
    let a = Reading::A;
    let mut readings: Vec<_> = Preset::ALL.map(Preset::reading).into();
    let discards = [Discard::ActionThenWorst, Discard::Best, Discard::PathFirst, Discard::First];
    readings.extend(discards.map(|discard| Reading { discard, ..a }));
    readings.extend([Ties::Last, Ties::Random].map(|ties| Reading { ties, ..a }));
    readings.extend([OfThree::Top, OfThree::Between, OfThree::Random].map(|of_three| Reading { of_three, ..a }));
    readings.extend([OfTwo::Upper, OfTwo::Random].map(|of_two| Reading { of_two, ..a }));
    readings.extend([MapOrder::Top, MapOrder::Random].map(|map_order| Reading { map_order, ..a }));
    readings
        .extend([Adjacent::Provisional, Adjacent::FaceDown, Adjacent::Any].map(|adjacent| Reading { adjacent, ..a }));
    readings.extend([LeftOfGoals::NotBeside, LeftOfGoals::Far].map(|left_of_goals| Reading { left_of_goals, ..a }));
    let sideways = [Sideways::ThroughOrT, Sideways::Always, Sideways::Never];
    readings.extend(sideways.map(|sideways| Reading { sideways, ..a }));
    let counted_cards = CountedCards::Mean;
    let by_saboteurs = [CountedBySaboteurs::Added, CountedBySaboteurs::Flipped, CountedBySaboteurs::LeftOut];
    readings.extend(by_saboteurs.map(|counted_by_saboteurs| Reading { counted_cards, counted_by_saboteurs, ..a }));
    readings.extend([
        Reading { cannot_go_right: CannotGoRight::Laid, blocked_goes_right: true, ..a },
        Reading { counts_cells_between: true, off_goal_row: true, ..a },
        Reading { shares_maps: true, saboteurs_use_maps: false, ..a },
        Reading { closed_beside_goal: false, between_is_125: false, ..a },
        Reading { rounds_down: true, counted_cards: CountedCards::Mean, ..a },
        Reading { counted_cards: CountedCards::Sum, counts_own_hand: true, ..a },
        Reading { counted_cards: CountedCards::Sum, rounds_down: true, ..a },
        // Only the best play is the last of equals.
        Reading { ties: Ties::Last, discard: Discard::ActionThenWorst, ..a },
        Reading { ties: Ties::Last, saboteurs_place_as_diggers: true, ..a },
        Reading { saboteurs_discard: false, diggers_discard: false, ..a },
        Reading { saboteurs_place_as_diggers: true, ..a },
        a.weighted(u16::MAX, u16::MAX),
        a.weighted(0, 0),
    ]);
    readings
}
