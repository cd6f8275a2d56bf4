//! MaxActEval, the sample player of the original program.

use std::cmp::Reverse;

use fairground_kernels::rng::Draws;

use super::attacks::{NOT_WORTH_IT, valued_attacks};
use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Cell, Position, Tubstap, Unit, policy};
use crate::players::Player;

/// What a defence star of a destination counts.
const STAR: u32 = 5;
/// Added to the distance to an enemy.
const FAR: u32 = 5;

/// Makes the attack that is worth most at once. Without a good one, a random unit goes where it is protected and near
/// enemies it is strong against.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxAct;

impl<D: Draws> Player<Tubstap, D> for MaxAct {
    fn next_action(&mut self, position: &Position, draws: &mut D) -> Option<Action> {
        if position.own().unacted() == 0 {
            return None;
        }
        // The first of equals is the last of the reversed list.
        let good = valued_attacks(position).into_iter().filter(|&(_, value)| value > NOT_WORTH_IT);
        let best = good.rev().max_by_key(|&(_, value)| value);
        best.map_or_else(|| step(position, draws), |(action, _)| Some(action))
    }
}

/// Moves a random unit.
fn step<D: Draws>(position: &Position, draws: &mut D) -> Option<Action> {
    let number = policy::draw_unit(position, draws);
    let unit = position.own().unit(number)?;
    let destinations = position.destinations(position.own(), position.enemy(), unit);
    let to = destinations.cells().min_by_key(|&to| Reverse(worth(position, unit, to)))?;
    Some(Action { unit: number, to, target: None })
}

/// How good a destination is with a view to the enemy that makes it best.
fn worth(position: &Position, unit: &Unit, to: Cell) -> u32 {
    let stars = position.stars(&Unit { cell: to, ..*unit });
    let enemies = position.enemy().living().filter_map(|number| position.enemy().unit(number));
    let prospects = enemies.map(|enemy| unit.kind.power(enemy.kind) / (to.distance(enemy.cell) + FAR));
    STAR * stars + prospects.max().unwrap_or(0)
}
