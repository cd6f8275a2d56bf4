//! What the players do on a map: who owns which ports for how long, and who settles around which hexes.

use serde::{Deserialize, Serialize};

use crate::games::catan::tables::{EDGE_NODES, HEX_NODES, HEXES, PORT_EDGES, PORTS, RESOURCES, SEATS, WALL_BIT};
use crate::games::catan::{Map, Phase, Policy, Position, policy};
use fairground_kernels::catan::heuristic::pips;
use fairground_kernels::rng::{Rng, absorb};

/// Games that are watched.
pub(super) const WATCHED: u64 = 2048;

/// Keeps the random numbers of watched games apart from those of others.
const STREAM: u64 = 0x6861_6269_7473_6f66;

/// What a seat does, counted at the beginning of each of its turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Habits {
    /// Its turns.
    pub turns: u32,
    /// Its settlements at each hex, a city twice.
    pub corners: [u32; HEXES],
    /// The sets of ports that it owned.
    pub owned: Vec<Owned>,
}

/// Turns with the same ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owned {
    /// A bit for each place of a port.
    pub places: u16,
    /// How many turns.
    pub turns: u32,
    /// Pips of each resource, summed over the turns.
    pub pips: [u32; RESOURCES],
}

impl Habits {
    /// The share of turns in which a port was owned.
    pub fn share(&self, place: usize) -> f64 {
        let with = self.owned.iter().filter(|owned| owned.places >> place & 1 != 0);
        with.map(|owned| f64::from(owned.turns)).sum::<f64>() / f64::from(self.turns.max(1))
    }

    fn add(&mut self, map: &Map, buildings: u64, cities: u64) {
        let bit = |nodes: u64, node: u8| (nodes >> WALL_BIT[usize::from(node)] & 1) as u32;
        let own = |edge: u8| EDGE_NODES[usize::from(edge)].iter().any(|&node| bit(buildings, node) != 0);
        let places = (0..PORTS).filter(|&place| own(PORT_EDGES[place])).fold(0, |places, place| places | 1 << place);
        let found = self.owned.iter().position(|owned| owned.places == places);
        let found = found.unwrap_or_else(|| {
            self.owned.push(Owned { places, ..Owned::default() });
            self.owned.len() - 1
        });
        let owned = &mut self.owned[found];
        owned.turns += 1;
        self.turns += 1;
        for (hex, nodes) in HEX_NODES.iter().enumerate() {
            let corners: u32 = nodes.iter().map(|&node| bit(buildings, node) + bit(cities, node)).sum();
            self.corners[hex] += corners;
            if let Some(resource) = map.tiles[hex] {
                owned.pips[resource.index()] += corners * pips(map.tokens[hex]) as u32;
            }
        }
    }
}

/// The habits of all seats on a map.
pub(super) fn watch(map: &Map, players: Policy) -> [Habits; SEATS] {
    let mut habits = <[Habits; SEATS]>::default();
    let start = Position::start(map);
    let key = absorb(start.key(), STREAM);
    for game in 0..WATCHED {
        let mut last = None;
        let note = |position: &Position| {
            if position.phase == Phase::Turn && last != Some(position.turn) {
                last = Some(position.turn);
                let seat = usize::from(position.mover);
                habits[seat].add(map, position.players[seat].buildings, position.players[seat].cities);
            }
        };
        policy::play_watched(&mut { start }, players, &mut Rng::for_playout(0, key, game), note);
    }
    habits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::{Strategy, TURN_CAP, builtin};

    #[test]
    fn habits_are_those_of_whole_games() {
        let map = builtin::maps().remove(0);
        let habits = watch(&map, Policy { seats: [Strategy::Heuristic; SEATS], turn_cap: TURN_CAP });
        for seat in &habits {
            assert_eq!(seat.turns, seat.owned.iter().map(|owned| owned.turns).sum::<u32>());
            let each = f64::from(seat.turns) / WATCHED as f64;
            assert!((5.0..100.0).contains(&each), "{each} turns a game");
            let corners = f64::from(seat.corners.iter().sum::<u32>()) / f64::from(seat.turns);
            // Two settlements at two or three hexes each are there from the beginning.
            assert!((4.0..40.0).contains(&corners), "{corners} corners");
            let by_hexes: u32 = (0..HEXES)
                .filter(|&hex| map.tiles[hex].is_some())
                .map(|hex| seat.corners[hex] * pips(map.tokens[hex]) as u32)
                .sum();
            let by_ports: u32 = seat.owned.iter().flat_map(|owned| owned.pips).sum();
            assert_eq!(by_hexes, by_ports);
        }
        let shares: f64 = (0..PORTS).flat_map(|place| habits.iter().map(move |seat| seat.share(place))).sum();
        assert!((0.5..PORTS as f64).contains(&shares), "{shares} ports at a time");
    }
}
