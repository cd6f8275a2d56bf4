//! Playouts on the rules engine: the reference every other backend is compared with, draw by draw.
//!
//! | policy | per action | ends | who wins |
//! | --- | --- | --- | --- |
//! | `random` | draw a unit, draw one of its attacks and moves | by the rules | by the rules |
//! | `muct` | draw 4 in 5; then one of all attacks, or a unit and one of its effective attacks and moves | turn limit, or a side is dead after both sides' phases | hit points, first mover's view |
//! | `mss` | draw a unit; draw one of its attacks, or of its moves towards the nearest enemy | after ten phases | weighted hit points, first mover's view |

use fairground_kernels::bits::kth_bit;
use fairground_kernels::rng::Draws;
use fairground_kernels::tubstap::{MSS_PHASES, MSS_WEIGHT, PHASE_CAP, Policy};
use fairground_kernels::{Ending, Outcome};

use super::board::{Board, Cell};
use super::pieces::{Kind, Team};
use super::position::{Position, Side, Unit};
use super::rules::{Action, Attacks, Verdict};

/// Plays `position` to the end of a playout.
#[inline]
pub fn play<D: Draws>(position: &mut Position, policy: Policy, draws: &mut D) -> Outcome {
    match policy {
        Policy::Random => random(position, draws),
        Policy::Muct => muct(position, draws),
        Policy::Mss => mss(position, draws),
    }
}

impl From<Verdict> for Ending {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Win(team) => win(team),
            Verdict::Draw => Self::Draw,
        }
    }
}

const fn win(team: Team) -> Ending {
    Ending::Win(team as u8)
}

/// Uniform random play by the rules of the game.
///
/// A position whose turn limit is reached is judged at once.
#[inline]
pub fn random<D: Draws>(position: &mut Position, draws: &mut D) -> Outcome {
    let start = position.turn;
    let mut actions = 0;
    let mut ending = if position.turn >= position.limit { position.verdict().map(Ending::from) } else { None };
    while ending.is_none() {
        while position.own().unacted() != 0 && !position.enemy().is_dead() {
            let action = random_action(position, draws);
            position.act(action);
            actions += 1;
        }
        position.end_phase();
        ending = position.verdict().map(Ending::from);
        if ending.is_none() && position.turn - start >= PHASE_CAP {
            ending = Some(Ending::Truncated);
        }
    }
    outcome(ending, position.turn - start, actions, draws)
}

/// A uniform unit that has not acted, then a uniform one of its attacks and moves. There must be such a unit.
#[inline]
pub fn random_action<D: Draws>(position: &Position, draws: &mut D) -> Action {
    let number = draw_unit(position, draws);
    let unit = &position.own().units[number];
    let moves = position.destinations(position.own(), position.enemy(), unit);
    let attacks = position.attacks(position.enemy(), unit, moves);
    draw_action(position, number, attacks, moves, draws)
}

/// The rollout of M-UCT. The side to move is the root player, whose view decides the value.
#[inline]
pub fn muct<D: Draws>(position: &mut Position, draws: &mut D) -> Outcome {
    let start = position.turn;
    let own = position.mover;
    let mut actions = 0;
    let mut over = position.turn >= position.limit;
    while !over {
        while position.own().unacted() != 0 {
            let action = muct_action(position, draws);
            position.act(action);
            actions += 1;
        }
        position.end_phase();
        // Death is noticed only after both sides have moved.
        let pair_done = position.mover == own;
        over = position.turn >= position.limit || pair_done && position.sides.iter().any(Side::is_dead);
        if !over && position.turn - start >= PHASE_CAP {
            return outcome(Some(Ending::Truncated), position.turn - start, actions, draws);
        }
    }
    outcome(Some(muct_value(position, own)), position.turn - start, actions, draws)
}

#[inline]
fn muct_action<D: Draws>(position: &Position, draws: &mut D) -> Action {
    let (own, enemy) = (position.own(), position.enemy());
    let options = |number: usize| {
        let unit = &own.units[number];
        let moves = position.destinations(own, enemy, unit);
        (moves, position.attacks(enemy, unit, moves))
    };
    if draws.four_in_five() {
        let mut all = [Attacks::default(); 16];
        let mut total = 0;
        let unacted = || own.living().filter(|&number| !own.has_acted(number));
        for number in unacted() {
            all[number] = options(number).1;
            total += all[number].len();
        }
        if total > 0 {
            let mut k = draws.below(total);
            for number in unacted() {
                if k < all[number].len() {
                    return position.attack_action(number, all[number], k);
                }
                k -= all[number].len();
            }
        }
    }
    let number = draw_unit(position, draws);
    let (moves, attacks) = options(number);
    let effective = position.effective(enemy, &own.units[number], attacks);
    draw_action(position, number, effective, moves, draws)
}

/// Value of a finished rollout: a lead *of* the threshold is enough, unlike in the real judgement.
fn muct_value(position: &Position, own: Team) -> Ending {
    let [mine, theirs] = [own, own.other()].map(|team| &position.sides[team.index()]);
    let lead = i64::from(mine.hp()) - i64::from(theirs.hp());
    let threshold = i64::from(position.threshold);
    if mine.is_dead() {
        win(own.other())
    } else if theirs.is_dead() || lead >= threshold {
        win(own)
    } else if -lead < threshold {
        Ending::Draw
    } else {
        win(own.other())
    }
}

/// The rollout of MSSystem. The side to move is the planner, who wins only with a positive score.
///
/// Turn limit, threshold and deaths are ignored, except that a side without units at the start has lost.
#[inline]
pub fn mss<D: Draws>(position: &mut Position, draws: &mut D) -> Outcome {
    let own = position.mover;
    if position.own().is_dead() {
        return outcome(Some(win(own.other())), 0, 0, draws);
    }
    if position.enemy().is_dead() {
        return outcome(Some(win(own)), 0, 0, draws);
    }
    let mut actions = 0;
    for _ in 0..MSS_PHASES {
        while position.own().unacted() != 0 {
            let number = draw_unit(position, draws);
            let unit = &position.own().units[number];
            let moves = position.destinations(position.own(), position.enemy(), unit);
            let attacks = position.attacks(position.enemy(), unit, moves);
            let moves = if attacks.is_empty() { moves & towards_nearest(position.enemy(), unit) } else { Board::EMPTY };
            let action = draw_action(position, number, attacks, moves, draws);
            position.act(action);
            actions += 1;
        }
        // Unlike in the game, the flags of the side about to move are cleared.
        position.turn += 1;
        position.mover = position.mover.other();
        position.sides[position.mover.index()].clear_flags();
    }
    let [mine, theirs] = [own, own.other()].map(|team| weighted_hp(&position.sides[team.index()]));
    let winner = if mine > theirs { own } else { own.other() };
    outcome(Some(win(winner)), MSS_PHASES, actions, draws)
}

/// The rectangle spanned by the unit and its nearest enemy (lowest number on ties), both included.
/// Without enemies it reaches to the top left corner.
#[inline]
fn towards_nearest(enemy: &Side, unit: &Unit) -> Board {
    let mut nearest = (u32::MAX, Cell::from_index(0));
    for number in enemy.living() {
        let cell = enemy.units[number].cell;
        let distance = unit.cell.distance(cell);
        if distance < nearest.0 {
            nearest = (distance, cell);
        }
    }
    rectangle(unit.cell, nearest.1)
}

#[inline]
fn rectangle(a: Cell, b: Cell) -> Board {
    let (left, right) = (a.x().min(b.x()), a.x().max(b.x()));
    let (top, bottom) = (a.y().min(b.y()), a.y().max(b.y()));
    let rows = (0xff << top & 0xff >> (7 - bottom)) * 0x0101_0101_0101_0101u64;
    let columns = u64::MAX << (8 * left) & u64::MAX >> (8 * (7 - right));
    Board(rows & columns)
}

fn weighted_hp(side: &Side) -> u32 {
    side.living()
        .map(|number| {
            let unit = &side.units[number];
            u32::from(unit.hp) * if unit.kind == Kind::Infantry { 1 } else { MSS_WEIGHT }
        })
        .sum()
}

/// One draw: a uniform unacted unit of the side to move.
#[inline]
pub(crate) fn draw_unit<D: Draws>(position: &Position, draws: &mut D) -> usize {
    let unacted = position.own().unacted();
    kth_bit(unacted.into(), draws.below(unacted.count_ones())) as usize % 16
}

/// One draw: a uniform one of the attacks followed by the moves.
#[inline]
fn draw_action<D: Draws>(position: &Position, number: usize, attacks: Attacks, moves: Board, draws: &mut D) -> Action {
    let k = draws.below(attacks.len() + moves.len());
    if k < attacks.len() {
        position.attack_action(number, attacks, k)
    } else {
        Action { unit: number, to: moves.kth(k - attacks.len()), target: None }
    }
}

#[inline]
fn outcome<D: Draws>(ending: Option<Ending>, phases: u32, actions: u32, draws: &D) -> Outcome {
    Outcome { ending: ending.unwrap_or(Ending::Truncated), phases, actions, draws: draws.draws() }
}
