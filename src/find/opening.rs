//! What can be said of a map from the set-up that its players make.

use crate::games::catan::tables::{HEX_NODES, RESOURCES, SEATS, WALL_BIT};
use crate::games::catan::{Map, Phase, Policy, Position, policy};
use fairground_kernels::catan::heuristic::pips;
use fairground_kernels::rng::{Rng, absorb};

/// Numbers of a seat: pips of each resource and their roots, since the first are worth most; pips of the resource of an own port
/// that takes two, resources it has, and whether it has a port that takes three.
const OF_SEAT: usize = 2 * RESOURCES + 3;

/// Numbers of a map. The [features](crate::learn::features) of the map itself add nothing to these: they say nothing about seats.
pub const NUMBERS: usize = SEATS * OF_SEAT;

/// Set-ups that are made of each map.
const SET_UPS: u64 = 8;

/// Keeps the random numbers of set-ups apart from those of games.
const STREAM: u64 = 0x6f70_656e_696e_6773;

/// The numbers of a map under some players, from which a regression can tell which seat is better off. Set-ups with ties are
/// drawn, always in the same way.
#[must_use]
pub fn numbers(map: &Map, players: Policy) -> [f64; NUMBERS] {
    let mut numbers = [0.0; NUMBERS];
    let start = Position::start(map);
    let key = absorb(start.key(), STREAM);
    for set_up in 0..SET_UPS {
        let mut settled = None;
        let mut position = start;
        let keep = |position: &Position| {
            if settled.is_none() && position.phase == Phase::Turn {
                settled = Some(position.players.map(|player| player.buildings));
            }
        };
        // The first turn is over soon, and everybody has settled before it.
        let players = Policy { turn_cap: 1, ..players };
        policy::play_watched(&mut position, players, &mut Rng::for_playout(0, key, set_up), keep);
        let settled = settled.unwrap_or_default();
        for (seat, buildings) in settled.into_iter().enumerate() {
            add_seat(&mut numbers[seat * OF_SEAT..][..OF_SEAT], map, &start, buildings);
        }
    }
    numbers.map(|number| number / SET_UPS as f64)
}

fn add_seat(numbers: &mut [f64], map: &Map, start: &Position, buildings: u64) {
    let mut of_resource = [0.0; RESOURCES];
    for (hex, nodes) in HEX_NODES.iter().enumerate() {
        let Some(resource) = map.tiles[hex] else { continue };
        let corners = nodes.iter().filter(|&&node| buildings >> WALL_BIT[usize::from(node)] & 1 != 0).count();
        of_resource[resource.index()] += corners as f64 * f64::from(pips(map.tokens[hex]) as u32);
    }
    let ports = start.land.ports;
    let (of_resources, [two, kinds, three]) = numbers.split_at_mut(2 * RESOURCES) else { return };
    for (resource, pips) in of_resource.into_iter().enumerate() {
        of_resources[resource] += pips;
        of_resources[RESOURCES + resource] += pips.sqrt();
        *kinds += f64::from(u8::from(pips > 0.0));
        if ports[resource] & buildings != 0 {
            *two += pips;
        }
    }
    *three += f64::from(u8::from(ports[RESOURCES] & buildings != 0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::{Strategy, TURN_CAP, builtin};

    #[test]
    fn the_numbers_are_those_of_two_settlements_of_each_seat() {
        let players = Policy { seats: [Strategy::Heuristic; SEATS], turn_cap: TURN_CAP };
        for map in builtin::maps() {
            let numbers = numbers(&map, players);
            for seat in numbers.chunks(OF_SEAT) {
                let pips: f64 = seat[..RESOURCES].iter().sum();
                // Builders settle on good nodes: two of three hexes each, at most 15 pips each.
                assert!((12.0..=30.0).contains(&pips), "{pips}");
                assert!((2.0..=5.0).contains(&seat[2 * RESOURCES + 1]));
            }
        }
    }
}
