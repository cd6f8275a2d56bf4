//! Random positions for tests, and the GPU of this machine.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use std::io::Write as _;

use fairground::batch::gpu::Gpu;
use fairground::games::tubstap::position::Ground;
use fairground::games::tubstap::tables::{MAX_HP, MAX_SIDE, MAX_UNITS};
use fairground::games::tubstap::{Board, Kind, Position, Side, Team, Terrain, Unit};
use fairground_kernels::rng::{Draws, Rng};

/// The generator of test case number `case` of the test called `seed`.
pub fn rng(seed: u64, case: u64) -> Rng {
    Rng::for_playout(seed, 0, case)
}

/// Any position the types allow: every size up to 8 x 8, every terrain below every unit, up to 16 units a
/// side with holes in their numbers, flags on both sides.
pub fn random_position(rng: &mut Rng) -> Position {
    let [width, height] = [(); 2].map(|()| rng.below(MAX_SIDE as u32) as usize + 1);
    let mut free = Board::area(width, height);
    let terrain = random_terrain(rng, free);
    let mut sides = [Side::default(); 2];
    let most = [(); 2].map(|()| rng.below(MAX_UNITS as u32 + 1));
    let flags = rng.below(3);
    for number in 0..MAX_UNITS {
        for (side, most) in sides.iter_mut().zip(most) {
            if free.is_empty() || rng.below(MAX_UNITS as u32) >= most {
                continue;
            }
            let cell = free.kth(rng.below(free.len()));
            let kind = Kind::ALL[rng.below(6) as usize];
            let hp = rng.below(MAX_HP.into()) as u8 + 1;
            side.place(number, Unit { kind, cell, hp }, flags == 1 && rng.below(2) == 0 || flags == 2);
            // Now and then a dead unit that leaves its traces behind.
            if rng.below(8) == 0 {
                side.remove(number);
            } else {
                free = free - Board::of(cell);
            }
        }
    }
    let limit = rng.below(40) + 1;
    Position {
        ground: Ground::new(&terrain),
        sides,
        turn: rng.below(limit),
        limit,
        threshold: rng.below(16),
        mover: Team::ALL[rng.below(2) as usize],
    }
}

/// Terrain of `area`: of one sort, mostly passable, or any.
fn random_terrain(rng: &mut Rng, area: Board) -> [Terrain; 64] {
    let passable = [Terrain::Plain, Terrain::Plain, Terrain::Road, Terrain::Wood, Terrain::Fortress];
    let main = Terrain::ALL[rng.below(7) as usize];
    let mix = rng.below(4);
    let mut terrain = [Terrain::NoEntry; 64];
    for cell in area.cells() {
        terrain[cell.index() as usize] = match (mix, rng.below(4)) {
            (0, 0..3) => main,
            (1 | 2, 0..3) => passable[rng.below(5) as usize],
            _ => Terrain::ALL[rng.below(7) as usize],
        };
    }
    terrain
}

/// A position reached by up to 60 random legal actions, usually in the middle of a phase.
pub fn random_midgame(rng: &mut Rng) -> Position {
    let mut position = random_position(rng);
    for _ in 0..rng.below(61) {
        let unacted: Vec<_> = position.own().living().filter(|&number| !position.own().has_acted(number)).collect();
        if unacted.is_empty() || position.enemy().is_dead() {
            if position.turn + 1 >= position.limit {
                break;
            }
            position.end_phase();
            continue;
        }
        let actions = position.actions_of(unacted[rng.below(unacted.len() as u32) as usize]);
        position.act(actions[rng.below(actions.len() as u32) as usize]);
    }
    position
}

/// Positions of all sizes and unit counts: starts and moments in the middle of games by turns, now and then
/// one whose turn limit has been reached.
pub fn positions(count: u64, seed: u64) -> Vec<Position> {
    (0..count)
        .map(|case| {
            let rng = &mut rng(seed, case);
            let mut position = if case % 2 == 0 { random_position(rng) } else { random_midgame(rng) };
            if rng.below(16) == 0 {
                position.limit = position.turn.saturating_sub(rng.below(3));
            }
            position
        })
        .collect()
}

/// Whether tests of the GPU are to be left out on this machine, which they say aloud.
pub fn without_gpu() -> bool {
    let left_out = std::env::var_os("FAIRGROUND_NO_GPU").is_some();
    if left_out {
        // Past the test runner, which keeps the output of tests that pass to itself.
        let _ = writeln!(std::io::stderr(), "SKIPPED: FAIRGROUND_NO_GPU is set, so nothing was run on a GPU");
    }
    left_out
}

/// The GPU. A machine without one fails the test unless FAIRGROUND_NO_GPU is set.
pub fn gpu() -> Option<Gpu> {
    if without_gpu() {
        return None;
    }
    Some(Gpu::open().unwrap_or_else(|error| panic!("{error} (set FAIRGROUND_NO_GPU to leave these tests out)")))
}
