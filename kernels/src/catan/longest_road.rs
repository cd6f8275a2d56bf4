//! The longest road: exact lengths and who holds the award.
//!
//! The length is that of the longest trail over a player's roads: no road twice, nodes as often as one likes. An
//! opponent's building may be an end of the trail but is never passed, so it cuts the network: every road that
//! ends there ends in a leaf of its own.

use crate::catan::tables::{LONGEST_ROAD, SEATS};

use super::wall::{Roads, STRIDE};

/// The length of a player's longest road. `blocked` are the nodes with an opponent's building.
#[inline]
#[must_use]
pub fn length(roads: Roads, blocked: u64) -> u8 {
    let (mut rest, mut best) = (roads, 0);
    while !rest.is_empty() {
        let first = rest.lowest();
        let before = rest;
        rest = rest - first;
        flood(first.touched() & !blocked, &mut rest, blocked);
        let network = before - rest;
        if network.len() <= best.into() {
            continue;
        }
        best = if has_cycle(network, blocked) {
            longest_trail(network, blocked, best)
        } else {
            best.max(longest_path(network, first, blocked))
        };
    }
    best
}

/// The longest path in a connected network without cycle that contains the road `first`: the road that is farthest
/// from anywhere is an end of it.
fn longest_path(network: Roads, first: Roads, blocked: u64) -> u8 {
    let from = lowest(first.touched() & !blocked);
    let (mut rest, mut last) = (network, first);
    let mut nodes = from;
    loop {
        let found = rest & Roads::at(nodes);
        if found.is_empty() {
            break;
        }
        rest = rest - found;
        nodes = found.touched() & !blocked;
        last = found;
    }
    let end = last.lowest();
    let mut rest = network - end;
    1 + flood(end.touched() & !blocked, &mut rest, blocked)
}

/// The length once the road `new` has been added, given the length without it.
///
/// Only trails over the new road can be longer than before. Where there is no cycle such a trail is a deepest path
/// from one end, the road, and a deepest path from the other end.
#[inline(always)]
#[must_use]
pub fn length_with(roads: Roads, new: Roads, blocked: u64, before: u8) -> u8 {
    if bound(roads, blocked) <= before.into() {
        return before;
    }
    let ends = [new.h | new.v, new.h << 1 | new.v << STRIDE];
    let mut rest = roads - new;
    let depths = ends.map(|end| flood(end & !blocked, &mut rest, blocked));
    let network = roads - rest;
    if has_cycle(network, blocked) {
        longest_trail(network, blocked, before)
    } else {
        before.max(1 + depths[0] + depths[1])
    }
}

/// A length that no trail exceeds: all roads, without one for every two dead ends and forks that a trail cannot use.
///
/// A trail that cannot be prolonged ends in nodes of odd degree, or it is a cycle. All other nodes of odd degree have
/// a road that the trail leaves out, and a road has two ends.
#[inline(always)]
#[must_use]
pub fn bound(roads: Roads, blocked: u64) -> u32 {
    let Roads { h, v } = roads;
    let ends = [h, h << 1, v, v << STRIDE];
    let odd = ends.iter().fold(0, |odd, ends| odd ^ ends) & !blocked;
    let leaves = ends.iter().map(|ends| (ends & blocked).count_ones()).sum::<u32>();
    roads.len() - (odd.count_ones() + leaves).saturating_sub(2) / 2
}

/// Who holds the award, given all lengths and who held it before the last change.
#[inline]
#[must_use]
pub fn holder(lengths: [u8; SEATS], before: Option<u8>) -> Option<u8> {
    let longest = lengths.into_iter().max().unwrap_or(0);
    if longest < LONGEST_ROAD {
        return None;
    }
    if before.is_some_and(|seat| lengths[usize::from(seat)] == longest) {
        return before;
    }
    let mut leaders = (0..SEATS as u8).filter(|&seat| lengths[usize::from(seat)] == longest);
    let first = leaders.next();
    if leaders.next().is_none() { first } else { None }
}

#[inline]
const fn lowest(word: u64) -> u64 {
    word & word.wrapping_neg()
}

/// Takes out of `rest` all roads that can be reached from `from`; returns after how many steps the last one was.
#[inline(always)]
fn flood(from: u64, rest: &mut Roads, blocked: u64) -> u8 {
    let (mut nodes, mut steps) = (from, 0);
    loop {
        let found = *rest & Roads::at(nodes);
        if found.is_empty() {
            return steps;
        }
        *rest = *rest - found;
        nodes = found.touched() & !blocked;
        steps += 1;
    }
}

/// Whether a connected network has a cycle: as many roads between open nodes as open nodes.
#[inline(always)]
fn has_cycle(network: Roads, blocked: u64) -> bool {
    let nodes = (network.touched() & !blocked).count_ones();
    (network - Roads::at(blocked)).len() >= nodes.max(1)
}

/// The longest trail in a connected network, or `at_least` if that is longer.
fn longest_trail(network: Roads, blocked: u64, at_least: u8) -> u8 {
    let Roads { h, v } = network;
    let odd = (h ^ h << 1 ^ v ^ v << STRIDE) & !blocked;
    let most = bound(network, blocked);
    let mut search = Search { blocked, best: at_least.into(), most };
    let mut starts = odd | network.touched() & blocked;
    if starts == 0 {
        starts = lowest(network.touched());
    }
    while starts != 0 && search.best < most {
        search.walk(lowest(starts), network, 0);
        starts &= starts - 1;
    }
    search.best as u8
}

struct Search {
    blocked: u64,
    best: u32,
    most: u32,
}

impl Search {
    /// Follows every trail from `node` over the roads of `rest`, after `length` roads.
    fn walk(&mut self, node: u64, rest: Roads, length: u32) {
        self.best = self.best.max(length);
        if self.best >= self.most || length > 0 && node & self.blocked != 0 {
            return;
        }
        let (right, left) = (rest.h & node, rest.h & node >> 1);
        let (down, up) = (rest.v & node, rest.v & node >> STRIDE);
        if right != 0 {
            self.walk(node << 1, Roads { h: rest.h ^ right, ..rest }, length + 1);
        }
        if left != 0 {
            self.walk(node >> 1, Roads { h: rest.h ^ left, ..rest }, length + 1);
        }
        if down != 0 {
            self.walk(node << STRIDE, Roads { v: rest.v ^ down, ..rest }, length + 1);
        }
        if up != 0 {
            self.walk(node >> STRIDE, Roads { v: rest.v ^ up, ..rest }, length + 1);
        }
    }
}
