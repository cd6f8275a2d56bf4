//! The numbers of the game: unit kinds, terrains, movement costs and attack powers.
//!
//! This is the only place they are written down; the rules engine, the kernel, the shader's prelude and
//! the tests all take them from here.

/// Number of unit kinds: fighter, attacker, panzer, cannon, antiair, infantry, in this order.
pub const KINDS: usize = 6;

/// Index of the cannon, the only indirect unit.
pub const CANNON: usize = 3;
/// Index of the infantry, the only unit that enters mountains on foot.
pub const INFANTRY: usize = 5;
/// Kinds below this index fly.
pub const FIRST_GROUND_KIND: usize = 2;

/// Names of the kinds as map files spell them.
pub const KIND_NAMES: [&str; KINDS] = ["fighter", "attacker", "panzer", "cannon", "antiair", "infantry"];

/// Movement budget by kind.
pub const MOVES: [u8; KINDS] = [9, 7, 6, 5, 6, 3];

/// The largest movement budget.
pub const MAX_MOVE: u8 = 9;

/// Attack power, `POWER[attacker][defender]`.
pub const POWER: [[u8; KINDS]; KINDS] = [
    [55, 65, 0, 0, 0, 0],
    [0, 0, 105, 105, 85, 115],
    [0, 0, 55, 70, 75, 75],
    [0, 0, 60, 75, 65, 90],
    [70, 70, 15, 50, 45, 105],
    [0, 0, 5, 10, 3, 55],
];

/// Number of terrains: no entry, plain, sea, wood, mountain, road, fortress, in this order.
pub const TERRAINS: usize = 7;

/// Names of the terrains.
pub const TERRAIN_NAMES: [&str; TERRAINS] = ["no entry", "plain", "sea", "wood", "mountain", "road", "fortress"];

/// Defence stars by terrain. They do not protect units that fly.
pub const STARS: [u8; TERRAINS] = [0, 1, 0, 3, 4, 0, 4];

/// Cost of entering a cell nobody can enter.
pub const IMPASSABLE: u8 = 99;

/// Cost of entering, `COST[terrain][kind]`.
pub const COST: [[u8; KINDS]; TERRAINS] = [
    [99, 99, 99, 99, 99, 99],
    [1, 1, 1, 1, 1, 1],
    [1, 1, 99, 99, 99, 99],
    [1, 1, 2, 2, 2, 1],
    [1, 1, 99, 99, 99, 2],
    [1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1],
];

/// Added to the strength of every attack.
pub const BASE_STRENGTH: u32 = 70;
/// What every defender resists with, whatever the terrain.
pub const BASE_RESISTANCE: u32 = 100;

/// Damage dealt: `min(defender_hp, floor((power * attacker_hp + 70) / (100 + stars * defender_hp)))`.
///
/// `stars` is 0 if the defender flies, otherwise the stars of the defender's cell.
#[inline]
#[must_use]
pub const fn damage(power: u32, attacker_hp: u32, defender_hp: u32, stars: u32) -> u32 {
    let full = (power * attacker_hp + BASE_STRENGTH) / (BASE_RESISTANCE + stars * defender_hp);
    if full < defender_hp { full } else { defender_hp }
}

/// Whether an attack does any damage, without the division.
#[inline]
#[must_use]
pub const fn does_damage(power: u32, attacker_hp: u32, defender_hp: u32, stars: u32) -> bool {
    power * attacker_hp + BASE_STRENGTH >= BASE_RESISTANCE + stars * defender_hp
}

/// The most units a side can have.
pub const MAX_UNITS: usize = 16;
/// Width and height of the largest playable area.
pub const MAX_SIDE: usize = 8;
/// Hit points of a fresh unit; the most a unit can have.
pub const MAX_HP: u8 = 10;
