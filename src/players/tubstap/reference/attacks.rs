//! What an attack is worth at first glance: the sample player's evaluation, which attack pruning uses too.

use fairground_kernels::bits::bits;
use fairground_kernels::tubstap::tables::{MAX_UNITS, damage};

use crate::games::tubstap::rules::Action;
use crate::games::tubstap::{Position, Side};

/// The value of an attack that does no damage.
pub const HARMLESS: i32 = i32::MIN;

/// The sample player makes only attacks that are worth more than this.
pub const NOT_WORTH_IT: i32 = -20;

/// Added to hit points and threats, so that damage to a harmless unit counts too.
const BASE: i32 = 10;

/// For every enemy, by number, the most damage it could do to a unit that has already acted.
pub type Threats = [u32; MAX_UNITS];

/// The threats to the side to move.
#[must_use]
pub fn threats(position: &Position) -> Threats {
    let (own, enemy) = (position.own(), position.enemy());
    let mut threats = [0; MAX_UNITS];
    for number in enemy.living() {
        let Some(unit) = enemy.unit(number) else { continue };
        let reached = position.attacks(own, unit, position.destinations(enemy, own, unit)).targets();
        let acted = acted(own);
        threats[number] = bits((reached & acted).into())
            .filter_map(|target| own.unit(target as usize))
            .map(|target| {
                let power = unit.kind.power(target.kind);
                damage(power, unit.hp.into(), target.hp.into(), position.stars(target))
            })
            .max()
            .unwrap_or(0);
    }
    threats
}

fn acted(side: &Side) -> u16 {
    side.living().filter(|&number| side.has_acted(number)).fold(0, |acted, number| acted | 1 << number)
}

/// What an attack of the side to move is worth: damage done, weighted by the threat it reduces, less damage suffered,
/// weighted by the hit points at stake. A move is worth [`HARMLESS`].
#[must_use]
pub fn attack_value(position: &Position, threats: &Threats, action: Action) -> i32 {
    let Action { unit, target: Some(target), .. } = action else { return HARMLESS };
    let Some(own) = position.own().unit(unit) else { return HARMLESS };
    if position.enemy().unit(target).is_none() {
        return HARMLESS;
    }
    let combat = position.clone().act(action);
    if combat.dealt == 0 {
        return HARMLESS;
    }
    let at_stake = BASE + i32::from(own.hp);
    // Damage is at most the hit points of a unit.
    let gained = BASE + threats[target] as i32;
    i32::from(combat.dealt) * gained - i32::from(combat.countered) * at_stake
}

/// All attacks of the units that have not acted, by unit, each with its value.
#[must_use]
pub fn valued_attacks(position: &Position) -> Vec<(Action, i32)> {
    let threats = threats(position);
    bits(position.own().unacted().into())
        .flat_map(|number| position.actions_of(number as usize))
        .filter(|action| action.target.is_some())
        .map(|action| (action, attack_value(position, &threats, action)))
        .collect()
}
