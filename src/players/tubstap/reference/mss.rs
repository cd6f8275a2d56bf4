//! MilitaryStaffSystem: plans a whole phase when it begins.

use fairground_kernels::Ending;
use fairground_kernels::bits::bits;
use fairground_kernels::rng::Draws;

use super::sort::sort_descending;
use crate::games::tubstap::mss::lowvis;
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Position, Tubstap, policy};
use crate::players::Player;

/// Every plan but the first improves the one before it.
pub const PLANS: usize = 2;
/// Combinations of actions that are tried for a plan.
pub const CANDIDATES: usize = 100;
/// Playouts by which an action or a combination is valued.
pub const PLAYOUTS: u32 = 100;
/// The value of a move after which no enemy is in sight.
pub const NOBODY_IN_SIGHT: f64 = 0.5;
/// Added to the value of an attack.
pub const ATTACK_BONUS: f64 = 0.2;

/// A plan for the rest of a phase, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The actions in the order in which they are to be played. Each passes the original's legality test when its turn
    /// comes, but in rare cases not the rules: the destination may be out of reach.
    pub actions: Vec<Action>,
    /// The value of the best action of each unit, by unit.
    pub best_values: Vec<f64>,
    /// The share of playouts won after the plan.
    pub win_rate: f64,
}

/// The plans for the units of the side to move that have not acted; the last one is the one to play.
pub fn plans<D: Draws>(position: &Position, draws: &mut D) -> [Plan; PLANS] {
    let stays = bits(position.own().unacted().into()).filter_map(|number| {
        let unit = number as usize;
        position.own().unit(unit).map(|&stand| Action { unit, to: stand.cell, target: None })
    });
    // What the others are assumed to do. The first plan keeps nothing of it.
    let mut assumed: Vec<Action> = stays.collect();
    let mut keeps_some = false;
    [(); PLANS].map(|()| {
        let rankings: Vec<Ranking> = bits(position.own().unacted().into())
            .map(|number| rank(position, &assumed, number as usize, draws))
            .collect();
        let (actions, win_rate) = combine(position, if keeps_some { &assumed } else { &[] }, &rankings, draws);
        assumed.clone_from(&actions);
        keeps_some = true;
        let best_values = rankings.iter().filter_map(|ranking| ranking.actions.first()).map(|best| best.1).collect();
        Plan { actions, best_values, win_rate }
    })
}

/// The actions of a unit with their values, best first.
struct Ranking {
    unit: usize,
    actions: Vec<(Action, f64)>,
}

/// Values the actions of a unit if the others do what is assumed of them.
fn rank<D: Draws>(position: &Position, assumed: &[Action], unit: usize, draws: &mut D) -> Ranking {
    let mut after = *position;
    for &action in assumed.iter().filter(|action| action.unit != unit) {
        try_act(&mut after, action);
    }
    let value = |action: Action| {
        let seen = lowvis(&after, action);
        if action.target.is_some() {
            win_rate(&seen, draws) + ATTACK_BONUS
        } else if seen.enemy().is_dead() {
            NOBODY_IN_SIGHT
        } else {
            win_rate(&seen, draws)
        }
    };
    let options = after.actions_of(unit);
    let mut actions: Vec<_> = options.iter().copied().zip(options.iter().copied().map(value)).collect();
    sort_descending(&mut actions, |&(_, value)| value);
    Ranking { unit, actions }
}

/// Tries combinations: some actions of the plan before, if there is one, then the other units in random order, each with
/// its best action that is still possible. Returns the combination that won most playouts, and how many.
fn combine<D: Draws>(
    position: &Position,
    before: &[Action],
    rankings: &[Ranking],
    draws: &mut D,
) -> (Vec<Action>, f64) {
    let mut best = (Vec::new(), -1.0);
    for candidate in 0..CANDIDATES {
        let mut after = *position;
        let mut actions = Vec::new();
        for action in some_of(before, candidate, draws) {
            if try_act(&mut after, action) {
                actions.push(action);
            }
        }
        let unacted = after.own().unacted();
        let mut rest: Vec<_> = rankings.iter().filter(|ranking| unacted >> ranking.unit & 1 != 0).collect();
        while !rest.is_empty() {
            let ranking = rest.remove(draws.below(rest.len() as u32) as usize);
            let possible = ranking.actions.iter().find(|&&(action, _)| try_act(&mut after, action));
            actions.extend(possible.map(|&(action, _)| action));
        }
        let rate = win_rate(&after, draws);
        if rate > best.1 {
            best = (actions, rate);
        }
    }
    best
}

/// A random part of a plan in its own order: the early candidates keep most of it, the late ones little.
fn some_of<D: Draws>(plan: &[Action], candidate: usize, draws: &mut D) -> Vec<Action> {
    let tenths = match candidate {
        0..30 => 7.0,
        30..60 => 5.0,
        _ => 3.0,
    };
    // Divided first, as in the original: the last bit of the product decides which way a half is rounded.
    let kept = (plan.len() as f64 / 10.0 * tenths).round_ties_even() as usize;
    let mut some = plan.to_vec();
    while some.len() > kept {
        some.remove(draws.below(some.len() as u32) as usize);
    }
    some
}

/// Plays an action if the original's legality test lets it pass.
fn try_act(position: &mut Position, action: Action) -> bool {
    let is_allowed = position.passes_lax_test(action);
    if is_allowed {
        position.act(action);
    }
    is_allowed
}

/// The share of playouts that the side to move wins.
pub fn win_rate<D: Draws>(position: &Position, draws: &mut D) -> f64 {
    let planner = Ending::Win(position.mover as u8);
    let wins = (0..PLAYOUTS).filter(|_| policy::mss(&mut position.clone(), draws).ending == planner).count();
    wins as f64 / f64::from(PLAYOUTS)
}

/// The player. It plans when it sees a position that its plan does not foresee: at the beginning of each phase.
#[derive(Clone, Debug, Default)]
pub struct Mss {
    /// What is left of the plan, last action first, each with the position it was made for.
    planned: Vec<(Position, Action)>,
}

impl<D: Draws> Player<Tubstap, D> for Mss {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        if position.own().unacted() == 0 {
            return None;
        }
        if self.planned.last().is_none_or(|(foreseen, _)| foreseen != position) {
            let [.., plan] = plans(position, draws);
            let mut foreseen = *position;
            self.planned.clear();
            for action in plan.actions {
                self.planned.push((foreseen, action));
                foreseen.act(action);
            }
            self.planned.reverse();
        }
        self.planned.pop().map(|(_, action)| action)
    }
}
