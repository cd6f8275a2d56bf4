//! Playouts on the rules engine: the reference every other backend is compared with, draw by draw.
//!
//! Every draw is `below(n)`, and `n` counts the entries of a list in this order. Nothing else is drawn.
//!
//! | `random`: when | list | drawn if |
//! | --- | --- | --- |
//! | set-up settlement | nodes by bit of the wall | more than one |
//! | set-up road | free edges of that settlement: horizontal by bit, vertical by bit | more than one |
//! | in a turn | the [`Choices`]: horizontal roads, vertical roads, settlements, cities, [`misc`] bits, each ascending | more than one |
//! | dice | 36: `k / 6 + 1`, `k % 6 + 1` | always |
//! | bought card | the cards of the deck, kind by kind | always |
//! | discards | seats from the mover on, and for each card to discard the cards still in hand, resource by resource | always |
//! | robber | the bits of [`Position::robberies`]: hex by hex, and there the opponents from the mover on, or nobody | always |
//! | stolen card | the victim's cards, resource by resource | there is a victim |
//! | free road | legal roads: horizontal by bit, vertical by bit | more than one |
//!
//! After every action: if the mover has ten points the game is over, so that the robber of a knight that wins is
//! not moved and the second road is not built. A turn that begins with ten points is not played. Then, if
//! [`TURN_CAP`] turns have ended since the start of the playout, it is cut off.
//!
//! Actions counted: everything chosen from the [`Choices`] (rolling and ending a turn among them, forced or not),
//! each free road, each move of the robber, and each seat's discards as one. A pending offer is declined without a
//! draw, as one action.

use fairground_kernels::catan::{Policy, TURN_CAP};
use fairground_kernels::rng::Draws;
use fairground_kernels::{Ending, Outcome};

use super::action::{Chance, sample_card, sample_dice, sample_kind};
use super::position::{Phase, Position};
use super::rules::{Choice, Choices, misc};
use super::wall::{Roads, kth};

/// Plays `position` to the end of a playout.
#[inline]
pub fn play<D: Draws>(position: &mut Position, policy: Policy, draws: &mut D) -> Outcome {
    match policy {
        Policy::Random => random(position, draws),
    }
}

/// Uniform random play by the rules of the game, without trade between players.
pub fn random<D: Draws>(position: &mut Position, draws: &mut D) -> Outcome {
    let start = position.turn;
    let mut actions = 0;
    let ending = loop {
        if let Some(seat) = position.winner() {
            break Ending::Win(seat);
        }
        if position.turn.wrapping_sub(start) >= TURN_CAP {
            break Ending::Truncated;
        }
        match position.phase {
            Phase::Discard => discard(position, draws),
            Phase::Robber => rob(position, draws),
            Phase::Answer => position.answer(false),
            Phase::SetUpSettlement | Phase::SetUpRoad | Phase::Turn | Phase::FreeRoads => {
                // A position made by hand may leave nothing to do in the set-up.
                let Some(choice) = choose(&position.choices(), draws) else { break Ending::Truncated };
                let chance = match choice {
                    Choice::Misc(misc::ROLL_OR_END) if !position.rolled => sample_dice(draws),
                    Choice::Misc(misc::BUY) => Chance::Drawn(sample_card(position.deck, draws)),
                    _ => Chance::None,
                };
                position.choose(choice, chance);
            }
        }
        actions += 1;
    };
    Outcome { ending, phases: position.turn.wrapping_sub(start), actions, draws: draws.draws() }
}

/// One draw, unless there is no choice: a uniform one of the choices.
#[inline]
fn choose<D: Draws>(choices: &Choices, draws: &mut D) -> Option<Choice> {
    let Choices { roads: Roads { h, v }, settlements, cities, misc } = *choices;
    // Half of all choices are the forced end of a turn, or a roll.
    if h | v | settlements | cities == 0 && misc == 1 << misc::ROLL_OR_END {
        return Some(Choice::Misc(misc::ROLL_OR_END));
    }
    let count = choices.len();
    let mut k = match count {
        0 => return None,
        1 => 0,
        _ => draws.below(count),
    };
    for (number, set) in [h, v, settlements, cities].into_iter().enumerate() {
        if set == 0 {
            continue;
        }
        let count = set.count_ones();
        if k < count {
            let bit = kth(set, k);
            return Some(match number {
                0 => Choice::Road(Roads { h: bit, v: 0 }),
                1 => Choice::Road(Roads { h: 0, v: bit }),
                2 => Choice::Settlement(bit),
                _ => Choice::City(bit),
            });
        }
        k -= count;
    }
    Some(Choice::Misc(kth(misc, k).trailing_zeros()))
}

/// All discards of the next seat that owes cards, one draw for each.
fn discard<D: Draws>(position: &mut Position, draws: &mut D) {
    let seat = usize::from(position.decider());
    for _ in 0..position.owed[seat].max(1) {
        let resource = sample_kind(position.players[seat].hand, draws);
        position.discard(seat, resource);
    }
}

/// One draw for hex and victim, and if there is a victim one for the card.
fn rob<D: Draws>(position: &mut Position, draws: &mut D) {
    let robberies = position.robberies();
    let bit = kth(robberies, draws.below(robberies.count_ones())).trailing_zeros();
    let (hex, victim) = position.robbery(bit);
    let stolen = victim.map(|seat| (seat, sample_kind(position.players[usize::from(seat)].hand, draws)));
    position.rob(hex, stolen);
}
