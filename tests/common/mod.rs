//! Random TUBSTAP positions, and the GPU of this machine.
#![allow(dead_code, reason = "every test binary uses some of it")]

use fairground::batch::gpu::Gpu;
use fairground::games::tubstap::{Cell, Kind, Map, MapUnit, Position, Team, Terrain};
use fairground_kernels::rng::{Draws, Rng};

/// Whether tests of the GPU are to be left out on this machine, which they say aloud.
pub fn without_gpu() -> bool {
    let left_out = std::env::var_os("FAIRGROUND_NO_GPU").is_some();
    if left_out {
        eprintln!("SKIPPED: FAIRGROUND_NO_GPU is set, so nothing was run on a GPU");
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

/// A random element.
fn pick<T: Copy>(from: &[T], rng: &mut Rng) -> T {
    from[rng.below(from.len() as u32) as usize]
}

/// A random map of the given size with up to so many units a side, as far as they find room.
/// Units may stand on terrain they cannot enter, as map files allow.
pub fn random_map(width: usize, height: usize, units: [u32; 2], rng: &mut Rng) -> Map {
    let mut map = Map {
        width,
        height,
        terrain: [Terrain::NoEntry; 64],
        units: Vec::new(),
        turn_limit: 1 + rng.below(24),
        hp_threshold: rng.below(20),
        author: None,
        comment: None,
    };
    // From open plains to mazes.
    let open = rng.below(5);
    let mut free: Vec<Cell> = map.cells().collect();
    for &cell in &free {
        let any = Terrain::ALL[rng.below(7) as usize];
        map.terrain[cell.index() as usize] =
            if rng.below(4) < open { pick(&[Terrain::Plain, Terrain::Road], rng) } else { any };
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|_| rng.below(3) > 0).collect();
    let kinds = if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds };
    let mut left = units;
    while left != [0, 0] && !free.is_empty() {
        let mut team = rng.below(2) as usize;
        if left[team] == 0 {
            team = 1 - team;
        }
        left[team] -= 1;
        let cell = free.swap_remove(rng.below(free.len() as u32) as usize);
        let hp = if rng.below(2) == 0 { 10 } else { 1 + rng.below(10) as u8 };
        let acted = rng.below(6) == 0;
        map.units.push(MapUnit { cell, kind: pick(&kinds, rng), team: Team::ALL[team], hp, acted });
    }
    map
}

/// A position after some random actions by the rules from the start of a map, often within a phase.
/// Whose phase it is, how many phases were played and the limit are random too.
pub fn random_position(map: &Map, rng: &mut Rng) -> Position {
    let mut position = map.start();
    if rng.below(3) == 0 {
        position.mover = Team::Blue;
    }
    position.turn = rng.below(4);
    for _ in 0..rng.below(60) {
        let unacted: Vec<usize> = position.own().living().filter(|&unit| !position.own().has_acted(unit)).collect();
        if unacted.is_empty() || rng.below(12) == 0 {
            position.end_phase();
        } else {
            let actions = position.actions_of(pick(&unacted, rng));
            position.act(pick(&actions, rng));
        }
    }
    position.limit = match rng.below(8) {
        0 => position.turn,
        1 => position.turn.saturating_sub(3),
        2 => position.turn + 100,
        _ => position.turn + 1 + rng.below(20),
    };
    position.threshold = if rng.below(4) == 0 { 0 } else { rng.below(25) };
    // Flags that no game would leave there, on both sides.
    if rng.below(4) == 0 {
        for side in &mut position.sides {
            for number in side.living() {
                if let Some(&unit) = side.unit(number) {
                    side.place(number, unit, rng.below(3) == 0);
                }
            }
        }
    }
    position
}

/// Start and mid-game positions on `maps` maps of all sizes and strengths.
pub fn random_positions(maps: usize, seed: u64) -> Vec<Position> {
    let mut rng = Rng::for_playout(seed, 0, 0);
    let mut positions = Vec::new();
    for number in 0..maps {
        // All 64 sizes come up; the counts too, more often small ones.
        let (width, height) = (1 + number % 8, 1 + number / 8 % 8);
        let most = [2, 4, 8, 16][rng.below(4) as usize];
        let units = [rng.below(most + 1), rng.below(most + 1)];
        let map = random_map(width, height, units, &mut rng);
        positions.push(map.start());
        positions.push(random_position(&map, &mut rng));
    }
    positions
}
