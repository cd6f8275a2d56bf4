//! Random maps and plain rules of Catan for tests.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use fairground::games::catan::tables::{
    EDGE_NODES, EDGES, HEXES, LONGEST_ROAD, NODES, PORTS, SEATS, TILES, TOKENS, WALL_BIT,
};
use fairground::games::catan::{Map, Port, Position, Resource};
use fairground_kernels::rng::{Draws, Rng};

/// The generator of test case number `case` of the test called `seed`.
pub fn rng(seed: u64, case: u64) -> Rng {
    Rng::for_playout(seed, 0, case)
}

fn shuffle<T>(cards: &mut [T], rng: &mut Rng) {
    for last in (1..cards.len()).rev() {
        cards.swap(last, rng.below(last as u32 + 1) as usize);
    }
}

/// A map with tiles, tokens and ports anywhere.
pub fn random_map(rng: &mut Rng) -> Map {
    let mut tiles = [None; HEXES];
    let all = Resource::ALL.into_iter().zip(TILES).flat_map(|(tile, count)| std::iter::repeat_n(tile, count.into()));
    tiles.iter_mut().zip(all).for_each(|(tile, resource)| *tile = Some(resource));
    shuffle(&mut tiles, rng);
    let mut tokens = TOKENS;
    shuffle(&mut tokens, rng);
    let mut next = tokens.into_iter();
    let tokens = tiles.map(|tile| tile.and_then(|_| next.next()).unwrap_or(0));
    let mut ports = [Port::Three; PORTS];
    ports.iter_mut().zip(Resource::ALL).for_each(|(port, resource)| *port = Port::Two(resource));
    shuffle(&mut ports, rng);
    Map { tiles, tokens, ports, name: None, comment: None }
}

/// The longest trail by trying all of them. `roads` are edges by number, `blocked` nodes are not passed.
pub fn plain_road_length(roads: &[u8], blocked: &[bool; NODES]) -> u8 {
    fn walk(node: u8, used: &mut Vec<u8>, roads: &[u8], blocked: &[bool; NODES]) -> u8 {
        if !used.is_empty() && blocked[usize::from(node)] {
            return 0;
        }
        let mut best = 0;
        for &edge in roads {
            let [a, b] = EDGE_NODES[usize::from(edge)];
            if used.contains(&edge) || a != node && b != node {
                continue;
            }
            used.push(edge);
            best = best.max(1 + walk(a + b - node, used, roads, blocked));
            used.pop();
        }
        best
    }
    (0..NODES as u8).map(|node| walk(node, &mut Vec::new(), roads, blocked)).max().unwrap_or(0)
}

/// The longest road of every seat by trying all trails.
pub fn plain_road_lengths(position: &Position) -> [u8; SEATS] {
    std::array::from_fn(|seat| {
        let roads: Vec<_> = (0..EDGES as u8).filter(|&edge| position.players[seat].has_road(edge)).collect();
        let is_blocked = |node: usize| {
            let others = (0..SEATS).filter(|&other| other != seat);
            others.into_iter().any(|other| position.players[other].buildings >> WALL_BIT[node] & 1 != 0)
        };
        plain_road_length(&roads, &std::array::from_fn(is_blocked))
    })
}

/// Who holds the longest road after a change, by the words of the rules.
pub fn plain_holder(lengths: [u8; SEATS], before: Option<u8>) -> Option<u8> {
    let seats = 0..SEATS as u8;
    let has_more = |a: u8, b: u8| lengths[usize::from(a)] > lengths[usize::from(b)];
    let qualifies = |seat: u8| lengths[usize::from(seat)] >= LONGEST_ROAD;
    let nobody_has_more = |seat: u8| !seats.clone().any(|other| has_more(other, seat));
    let all_have_less = |seat: u8| seats.clone().all(|other| other == seat || has_more(seat, other));
    before
        .filter(|&seat| qualifies(seat) && nobody_has_more(seat))
        .or_else(|| seats.clone().find(|&seat| qualifies(seat) && all_have_less(seat)))
}
