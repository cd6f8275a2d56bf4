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
//! [`Policy::turn_cap`] turns have ended since the start of the playout, it is cut off.
//!
//! Actions counted: everything chosen from the [`Choices`] (rolling and ending a turn among them, forced or not),
//! each free road, each move of the robber, and each seat's discards as one. A pending offer is declined without a
//! draw, as one action.

use fairground_kernels::bits::kth;
use fairground_kernels::catan::{Policy, Roads, Strategy, misc};
use fairground_kernels::rng::Draws;
use fairground_kernels::{Ending, Outcome};

use super::action::{Chance, sample_card, sample_dice, sample_kind};
use super::position::{Phase, Position};
use super::rules::{Choice, Choices};

/// Plays `position` to the end of a playout.
#[inline]
pub fn play<D: Draws>(position: &mut Position, policy: Policy, draws: &mut D) -> Outcome {
    match policy.seats {
        [Strategy::Random, ..] => random(position, policy.turn_cap, draws),
    }
}

/// Uniform random play by the rules of the game, without trade between players.
fn random<D: Draws>(position: &mut Position, turn_cap: u32, draws: &mut D) -> Outcome {
    let start = position.turn;
    let mut actions = 0;
    // Whether the last action can have given the mover a point or ended a turn; a start may be anything.
    let mut is_open = true;
    let ending = loop {
        if is_open {
            if let Some(seat) = position.winner() {
                break Ending::Win(seat);
            }
            if position.turn.wrapping_sub(start) >= turn_cap {
                break Ending::Truncated;
            }
        }
        is_open = false;
        match position.phase {
            Phase::Turn => {
                let choices = position.turn_choices();
                if !choices.is_forced() {
                    is_open = take_one(position, &choices, draws);
                } else if position.rolled {
                    // Half of all turns end at once.
                    position.end_turn();
                    is_open = true;
                } else {
                    position.roll(sample_dice(draws));
                }
            }
            Phase::Discard => discard(position, draws),
            Phase::Robber => rob(position, draws),
            Phase::Answer => position.answer(false),
            Phase::SetUpSettlement | Phase::SetUpRoad | Phase::FreeRoads => {
                if !place(position, draws) {
                    // Only in a set-up made by hand.
                    break Ending::Truncated;
                }
                is_open = true;
            }
        }
        actions += 1;
    };
    Outcome { ending, phases: position.turn.wrapping_sub(start), actions, draws: draws.draws() }
}

/// Places a piece of the set-up or a free road; false if there is no place for it.
#[inline(never)]
fn place<D: Draws>(position: &mut Position, draws: &mut D) -> bool {
    let choices = position.choices();
    if !choices.is_empty() {
        take_one(position, &choices, draws);
    }
    !choices.is_empty()
}

/// Plays a uniform one of the choices; returns whether it can have won the game or ended a turn.
#[inline(always)]
fn take_one<D: Draws>(position: &mut Position, choices: &Choices, draws: &mut D) -> bool {
    let choice = choose(choices, draws);
    let chance = match choice {
        Choice::Misc(misc::ROLL_OR_END) if !position.rolled => Chance::Dice(sample_dice(draws)),
        Choice::Misc(misc::BUY) => Chance::Drawn(sample_card(position.deck, draws)),
        _ => Chance::None,
    };
    position.choose(choice, chance);
    !matches!(choice, Choice::Misc(..misc::KNIGHT))
}

/// One draw, unless there is no choice: a uniform one of the choices.
#[inline(always)]
fn choose<D: Draws>(choices: &Choices, draws: &mut D) -> Choice {
    let Choices { roads: Roads { h, v }, settlements, cities, misc } = *choices;
    let count = choices.len();
    let mut k = if count > 1 { draws.below(count) } else { 0 };
    // The k-th bit of the sets one after the other; k is small, so that counting each set first does not pay.
    for (number, mut set) in [h, v, settlements, cities].into_iter().enumerate() {
        while set != 0 {
            if k == 0 {
                let bit = set & set.wrapping_neg();
                return match number {
                    0 => Choice::Road(Roads { h: bit, v: 0 }),
                    1 => Choice::Road(Roads { h: 0, v: bit }),
                    2 => Choice::Settlement(bit),
                    _ => Choice::City(bit),
                };
            }
            set &= set - 1;
            k -= 1;
        }
    }
    Choice::Misc(kth(misc, k).trailing_zeros())
}

/// All discards of the next seat that owes cards, one draw for each.
fn discard<D: Draws>(position: &mut Position, draws: &mut D) {
    let seat = usize::from(position.decider());
    if position.owed[seat] == 0 {
        // Only in a position made by hand.
        position.phase = Phase::Robber;
    }
    for _ in 0..position.owed[seat] {
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
