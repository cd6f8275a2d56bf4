//! Parts of MilitaryStaffSystem, the player of the original program that plans whole turns.

use super::pieces::Team;
use super::position::{Position, Side};
use super::rules::Action;

/// The "poor visibility" position in which MSSystem values an action of the side to move.
///
/// Only the acting unit, the enemies it can attack or be attacked by from its destination, and the
/// friends that can attack one of those enemies stay on the board. A move is shown as done. An attack
/// is carried out on the reduced board if it passes the program's legality test there.
///
/// The action must name living units.
#[must_use]
pub fn lowvis(position: &Position, action: Action) -> Position {
    let mut seen = *position;
    seen.act(Action { target: None, ..action });
    let [own, enemy] = [position.mover, position.mover.other()].map(Team::index);

    let actor = 1 << action.unit;
    let mut enemies = targets(&seen, seen.own(), seen.enemy(), action.unit);
    for number in seen.enemy().living() {
        if targets(&seen, seen.enemy(), seen.own(), number) & actor != 0 {
            enemies |= 1 << number;
        }
    }
    let mut friends: u16 = actor;
    for number in seen.own().living() {
        if targets(&seen, seen.own(), seen.enemy(), number) & enemies != 0 {
            friends |= 1 << number;
        }
    }
    keep_only(&mut seen.sides[own], friends);
    keep_only(&mut seen.sides[enemy], enemies);

    if action.target.is_some() {
        seen.sides[own].place(action.unit, position.own().units[action.unit], false);
        if seen.passes_lax_test(action) {
            seen.act(action);
        }
    }
    seen
}

/// The numbers of the enemies a unit can attack after a move of its own, as bits.
fn targets(position: &Position, side: &Side, enemy: &Side, number: usize) -> u16 {
    let unit = &side.units[number];
    position.attacks(enemy, unit, position.destinations(side, enemy, unit)).targets()
}

fn keep_only(side: &mut Side, numbers: u16) {
    for number in side.living().filter(|number| numbers >> number & 1 == 0) {
        side.remove(number);
    }
}
