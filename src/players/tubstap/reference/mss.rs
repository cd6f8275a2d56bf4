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
    // What the others are assumed to do. The first plan keeps nothing of it.
    let mut assumed = stays(position);
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

/// What is assumed of units before there is a plan: all stay where they are.
#[must_use]
pub fn stays(position: &Position) -> Vec<Action> {
    let units = bits(position.own().unacted().into()).map(|number| number as usize);
    let stay = |unit| position.own().unit(unit).map(|&stand| Action { unit, to: stand.cell, target: None });
    units.filter_map(stay).collect()
}

/// The actions of a unit with their values, best first.
#[derive(Clone, Debug)]
pub struct Ranking {
    unit: usize,
    actions: Vec<(Action, f64)>,
}

impl Ranking {
    /// Sorts the actions of a unit by their values.
    #[must_use]
    pub fn new(unit: usize, mut actions: Vec<(Action, f64)>) -> Self {
        sort_descending(&mut actions, |&(_, value)| value);
        Self { unit, actions }
    }
}

/// The actions of a unit if the others do what is assumed of them, each with the position by which it is valued.
#[must_use]
pub fn options(position: &Position, assumed: &[Action], unit: usize) -> Vec<(Action, Position)> {
    let mut after = *position;
    for &action in assumed.iter().filter(|action| action.unit != unit) {
        try_act(&mut after, action);
    }
    after.actions_of(unit).into_iter().map(|action| (action, lowvis(&after, action))).collect()
}

/// The value of an action that is known without playouts.
#[must_use]
pub fn known_value(action: Action, seen: &Position) -> Option<f64> {
    (action.target.is_none() && seen.enemy().is_dead()).then_some(NOBODY_IN_SIGHT)
}

/// The value of an action after which the planner wins this share of playouts.
#[must_use]
pub fn value(action: Action, win_rate: f64) -> f64 {
    if action.target.is_some() { win_rate + ATTACK_BONUS } else { win_rate }
}

/// Values the actions of a unit if the others do what is assumed of them.
fn rank<D: Draws>(position: &Position, assumed: &[Action], unit: usize, draws: &mut D) -> Ranking {
    let mut valued = Vec::new();
    for (action, seen) in options(position, assumed, unit) {
        let of_action = known_value(action, &seen).unwrap_or_else(|| value(action, win_rate(&seen, draws)));
        valued.push((action, of_action));
    }
    Ranking::new(unit, valued)
}

/// Candidate number `number` for a plan: some actions of the plan before, if there is one, then the other units in random
/// order, each with its best action that is still possible. With it comes the position after it.
pub fn candidate<D: Draws>(
    position: &Position,
    before: &[Action],
    rankings: &[Ranking],
    number: usize,
    draws: &mut D,
) -> (Vec<Action>, Position) {
    let mut after = *position;
    let mut actions = Vec::new();
    for action in some_of(before, number, draws) {
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
    (actions, after)
}

/// Tries candidates. Returns the one that won most playouts, the first of equals, and how many.
fn combine<D: Draws>(
    position: &Position,
    before: &[Action],
    rankings: &[Ranking],
    draws: &mut D,
) -> (Vec<Action>, f64) {
    let mut best = (Vec::new(), -1.0);
    for number in 0..CANDIDATES {
        let (actions, after) = candidate(position, before, rankings, number, draws);
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

/// What is left of a plan, last action first, each with the position it was made for.
#[derive(Clone, Debug, Default)]
pub struct Planned(Vec<(Position, Action)>);

impl Planned {
    /// A plan from this position on.
    #[must_use]
    pub fn new(position: &Position, actions: Vec<Action>) -> Self {
        let mut foreseen = *position;
        let mut planned = Vec::with_capacity(actions.len());
        for action in actions {
            planned.push((foreseen, action));
            foreseen.act(action);
        }
        planned.reverse();
        Self(planned)
    }

    /// Whether this position was foreseen as the next one.
    #[must_use]
    pub fn foresees(&self, position: &Position) -> bool {
        self.0.last().is_some_and(|(foreseen, _)| foreseen == position)
    }

    /// The next action.
    pub fn next_action(&mut self) -> Option<Action> {
        self.0.pop().map(|(_, action)| action)
    }
}

/// The player. It plans when it sees a position that its plan does not foresee: at the beginning of each phase.
#[derive(Clone, Debug, Default)]
pub struct Mss {
    planned: Planned,
}

impl<D: Draws> Player<Tubstap, D> for Mss {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        if position.own().unacted() == 0 {
            return None;
        }
        if !self.planned.foresees(position) {
            let [.., plan] = plans(position, draws);
            self.planned = Planned::new(position, plan.actions);
        }
        self.planned.next_action()
    }
}
