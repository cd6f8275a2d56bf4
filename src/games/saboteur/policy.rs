//! Playouts on the rules engine: the reference every other backend is compared with, draw by draw.
//!
//! Every draw is `below(n)`, and `n` counts the entries of a list in this order. Nothing else is drawn.
//!
//! | when | list | drawn if |
//! | --- | --- | --- |
//! | deal: roles, seat by seat | the role cards left, saboteurs first | always |
//! | deal: goals | 6: `k / 2` is the goal with the gold, from the bottom; the others from the bottom are stones {L,U}, {L,D}, or the other way round if `k` is odd | always |
//! | deal: hands, seat by seat, card by card | the cards of the deck sorted by kind | always |
//! | after a turn that does not end the round | the cards of the deck sorted by kind | there is one |
//! | `random`: a turn | [`Position::legal_actions`] | more than one |
//! | after a win of the diggers, in a whole game | the gold cards left, sorted by nuggets; for each card dealt | always |
//!
//! | `paper`, in this order: when | list | drawn if |
//! | --- | --- | --- |
//! | a map is played, [`MapOrder::Random`] | the goals that may hold the gold, from the bottom | always |
//! | a path is looked for and three goals are possible, [`OfThree::Random`] | the goals, from the bottom | always |
//! | the same with two, [`OfTwo::Random`] | the two goals, from the bottom | always |
//! | the best play is not alone, [`Ties::Random`] | the best plays: row by row from the bottom, each from the left, then by place in the hand, then unturned before turned | more than one |
//! | a card is discarded, [`Discard::Uniform`](fairground_kernels::saboteur::reading::Discard::Uniform) | the hand in its order | always |
//!
//! `full` draws nothing: [its order](full) decides between equals.
//!
//! A drawn card goes to the end of the hand; a card that is used leaves the first place where one of its kind is. A play
//! that would be the same with another card of the same kind counts once.
//!
//! The mover's role decides whose strategy it is. The diggers are seat 0 of an outcome and the saboteurs seat 1; a round
//! without saboteurs that the diggers do not win is a draw. Phases and actions both count turns.
//!
//! [`MapOrder::Random`]: fairground_kernels::saboteur::reading::MapOrder::Random
//! [`OfThree::Random`]: fairground_kernels::saboteur::reading::OfThree::Random
//! [`OfTwo::Random`]: fairground_kernels::saboteur::reading::OfTwo::Random
//! [`Ties::Random`]: fairground_kernels::saboteur::reading::Ties::Random

use fairground_kernels::rng::Draws;
use fairground_kernels::saboteur::tables::HAND;
use fairground_kernels::saboteur::{Policy, Strategy};
use fairground_kernels::{Ending, Outcome};

use super::action::Action;
use super::position::{Position, Winner};
use super::{full, paper};

/// Deals if that has not been done, and plays `position` to the end of the round.
pub fn play<D: Draws>(position: &mut Position, policy: Policy, draws: &mut D) -> Outcome {
    play_watched(position, policy, draws, |_, _| ())
}

/// [`play`] that shows the position before every action, and the action.
pub fn play_watched<D: Draws>(
    position: &mut Position,
    policy: Policy,
    draws: &mut D,
    mut watch: impl FnMut(&Position, Action),
) -> Outcome {
    let before = draws.draws();
    position.deal(draws);
    let start = position.turn;
    let ending = loop {
        match position.winner {
            Some(Winner::Diggers) => break Ending::Win(0),
            Some(Winner::Saboteurs) => break Ending::Win(1),
            Some(Winner::Nobody) => break Ending::Draw,
            None => {}
        }
        let Some(action) = choose(position, policy, draws) else {
            // Only in a position made by hand: the mover has no card.
            break Ending::Truncated;
        };
        watch(position, action);
        position.act(action, draws);
    };
    let turns = u32::from(position.turn.saturating_sub(start));
    Outcome { ending, phases: turns, actions: turns, draws: draws.draws() - before }
}

/// The mover's action; none if the mover has no card.
#[inline]
pub fn choose<D: Draws>(position: &Position, policy: Policy, draws: &mut D) -> Option<Action> {
    let strategy = if position.is_saboteur(position.mover) { &policy.saboteurs } else { &policy.diggers };
    match strategy {
        Strategy::Random => random(position, draws),
        Strategy::Paper(reading) => paper::choose(position, reading, draws),
        Strategy::Full => full::choose(position),
    }
}

/// `random`: one draw, unless there is no choice, for a uniform one of the legal actions.
fn random<D: Draws>(position: &Position, draws: &mut D) -> Option<Action> {
    let hand = position.own_hand();
    let mut uses = [0; HAND];
    for (uses, card) in uses.iter_mut().zip(hand.distinct()) {
        *uses = position.count_uses(card);
    }
    let total = uses.iter().sum::<u32>() + hand.distinct().count() as u32;
    let mut k = if total > 1 { draws.below(total) } else { 0 };
    for (uses, card) in uses.into_iter().zip(hand.distinct()) {
        if k < uses {
            return position.kth_use(card, k);
        }
        k -= uses;
    }
    hand.distinct().nth(k as usize).map(|card| Action::Discard { card })
}
