//! `full`: the numbers of the agent, and what its actions are worth. The rules engine and the kernel call these functions,
//! and the shader repeats them.
//!
//! Everything is counted in points. A cell is the nearer to the gold the larger its [`nearness`], and a path or a
//! rock-fall is worth what it changes in the nearness of the cells that paths lead into, compared with the best of them:
//! the front.

use super::tables::{
    BREAK, CORNER_DOWN, CORNER_UP, CROSSING, FIRST_BLOCKED, GOAL_X, GOAL_Y, GOALS, HORIZONTAL, KINDS, MAP, REPAIR,
    ROCK_FALL, SIDES, T_HORIZONTAL, T_VERTICAL, VERTICAL,
};

/// The score of an action that is never chosen.
pub const NEVER: i32 = i32::MIN;

/// The nearness of a cell to one goal, by their distance; nothing farther away.
pub const NEARNESS: [i32; 13] = {
    let mut nearness = [1; 13];
    let mut distance = 12;
    while distance > 0 {
        distance -= 1;
        nearness[distance] = 3 * nearness[distance + 1];
    }
    nearness
};
/// What it is worth to open to a goal that may hold the gold: more than any number of other sides.
pub const GOAL: i32 = 8 * NEARNESS[0];
/// How much more it is worth to join a path that was cut off than its first cell is near.
pub const REJOIN: i32 = 9;

/// Points for a path or a rock-fall that is worth as much as the front: for diggers, for saboteurs.
pub const FRONT: [i32; 2] = [46, 90];
/// Points of a digger for a map while several goals may hold the gold. Saboteurs use none.
pub const LOOK: i32 = 90;
/// Points of a digger for mending a tool: one's own, or that of somebody without suspicion, and what each point of
/// suspicion adds to that. Saboteurs do not.
pub const MEND: [i32; 3] = [100, 45, -10];
/// Points for breaking a tool of somebody without suspicion, and what each point of suspicion adds.
pub const HARM: [[i32; 2]; 2] = [[15, 15], [70, -5]];
/// What is added if another tool is broken already.
pub const HARM_AGAIN: i32 = -35;
/// The suspicion from which on diggers break tools.
pub const SUSPECTED: i32 = 3;
/// Points of a saboteur for removing a card, and for each neighbour that the next card there will have to match.
pub const RUIN: [i32; 2] = [-20, 40];
/// Points for discarding each kind of card.
pub const DISCARD: [[i32; KINDS]; 2] =
    [discards([-40, -25, -35, -20, -30, -15], 50, [-20, -5, -20, -25]), discards([40; 6], 0, [0, 35, 0, 25])];

/// What laying a blocked card and a passable one says of a player's role, and breaking a tool of an unsuspected player.
pub const EVIDENCE: [i32; 3] = [4, -1, 4];
/// The most that suspicion and trust get to.
pub const MOST_SUSPICION: i32 = 8;

/// Points by kind: crossing, T with a vertical and a horizontal bar, corner, straights; blocked; rock-fall, map, break,
/// repair.
const fn discards(open: [i32; 6], blocked: i32, [rock_fall, map, harm, mend]: [i32; 4]) -> [i32; KINDS] {
    let mut points = [blocked; KINDS];
    [
        points[CROSSING],
        points[T_VERTICAL],
        points[T_HORIZONTAL],
        points[CORNER_UP],
        points[HORIZONTAL],
        points[VERTICAL],
    ] = open;
    points[CORNER_DOWN] = points[CORNER_UP];
    points[ROCK_FALL] = rock_fall;
    points[MAP] = map;
    let mut kind = BREAK;
    while kind < KINDS {
        points[kind] = if kind < REPAIR { harm } else { mend };
        kind += 1;
    }
    points
}

const _: () = assert!(FIRST_BLOCKED == VERTICAL + 1 && VERTICAL == 6, "all open kinds are listed");
const _: () = assert!((2 * GOAL + (SIDES * GOALS) as i32 * NEARNESS[0]) as i64 * FRONT[1] as i64 <= i32::MAX as i64);

/// Distance of a cell from a goal.
#[inline(always)]
#[must_use]
pub const fn goal_distance(x: i32, y: i32, goal: usize) -> i32 {
    (x - GOAL_X as i32).abs() + (y - GOAL_Y[goal] as i32).abs()
}

/// How near a cell is to the goals that may hold the gold, one bit each.
#[inline(always)]
#[must_use]
pub const fn nearness(x: i32, y: i32, possible: u32) -> i32 {
    let (mut sum, mut goal) = (0, 0);
    while goal < GOALS {
        let distance = goal_distance(x, y, goal) as usize;
        if possible >> goal & 1 != 0 && distance < NEARNESS.len() {
            sum += NEARNESS[distance];
        }
        goal += 1;
    }
    sum
}

/// The sum over the open sides of a card.
#[inline(always)]
#[must_use]
pub const fn opened(mask: u32, sides: [i32; SIDES]) -> i32 {
    let (mut sum, mut side) = (0, 0);
    while side < SIDES {
        sum += sides[side] * (mask >> side & 1) as i32;
        side += 1;
    }
    sum
}

/// The score of a path, or of a digger's rock-fall, that changes the nearness of the front's cells by so much.
#[inline(always)]
#[must_use]
pub const fn change_score(is_saboteur: bool, change: i32, front: i32) -> i32 {
    let front = if front > 1 { front } else { 1 };
    let points = change * FRONT[is_saboteur as usize] / front;
    if is_saboteur { -points } else { points }
}

/// The score of a saboteur's rock-fall where so many neighbours lie.
#[inline(always)]
#[must_use]
pub const fn ruin_score(neighbours: i32) -> i32 {
    RUIN[0] + RUIN[1] * neighbours
}

/// The score of breaking a tool of a player with this suspicion.
#[inline(always)]
#[must_use]
pub const fn harm_score(is_saboteur: bool, suspicion: i32, is_broken: bool) -> i32 {
    if !is_saboteur && suspicion < SUSPECTED {
        return NEVER;
    }
    let [base, more] = HARM[is_saboteur as usize];
    base + more * suspicion + (is_broken as i32) * HARM_AGAIN
}

/// The score of mending a tool of oneself, or of a player with this suspicion.
#[inline(always)]
#[must_use]
pub const fn mend_score(is_saboteur: bool, is_own: bool, suspicion: i32) -> i32 {
    let [own, base, more] = MEND;
    if is_saboteur {
        NEVER
    } else if is_own {
        own
    } else {
        base + more * suspicion
    }
}

/// The suspicion after one more piece of evidence.
#[inline(always)]
#[must_use]
pub const fn suspicion_after(suspicion: i32, evidence: i32) -> i32 {
    let sum = suspicion + evidence;
    if sum > MOST_SUSPICION {
        MOST_SUSPICION
    } else if sum < -MOST_SUSPICION {
        -MOST_SUSPICION
    } else {
        sum
    }
}
