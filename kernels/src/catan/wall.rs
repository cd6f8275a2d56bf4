//! The board as bits: the brick wall.
//!
//! ```text
//!   row 0       0  1  2  3  4  5  6              nodes; the number is the bit, see WALL_BIT
//!               |     |     |     |
//!   row 1   10 11 12 13 14 15 16 17 18           horizontal edge = bit of its left node
//!            |     |     |     |     |           vertical edge   = bit of its upper node
//!   row 2 20 21 22 23 24 25 26 27 28 29 30
//!          |     |     |     |     |     |
//!   row 3 31 32 33 34 35 36 37 38 39 40 41
//!            |     |     |     |     |
//!   row 4   43 44 45 46 47 48 49 50 51
//!               |     |     |     |
//!   row 5      55 56 57 58 59 60 61
//! ```
//! A neighbour is one bit away in the row and eleven bits away in the next row, and a hex is always the
//! same six bits, `0b111 | 0b111 << 11`, shifted.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::bits::bits;
use crate::catan::tables::{EDGE_NODES, EDGES, HEX_NODES, HEXES, NODES, NONE, WALL_BIT};

/// Bits from a row of the wall to the next.
pub const STRIDE: u32 = 11;

/// All nodes.
pub const ALL_NODES: u64 = {
    let (mut set, mut node) = (0, 0);
    while node < NODES {
        set |= 1 << WALL_BIT[node];
        node += 1;
    }
    set
};

/// The road on each edge.
pub static EDGE_ROADS: [Roads; EDGES] = {
    let mut table = [Roads::NONE; EDGES];
    let mut edge = 0;
    while edge < EDGES {
        table[edge] = road_of(edge);
        edge += 1;
    }
    table
};

const fn road_of(edge: usize) -> Roads {
    let [a, b] = EDGE_NODES[edge];
    let (a, b) = (WALL_BIT[a as usize], WALL_BIT[b as usize]);
    let low = if a < b { a } else { b };
    if a.abs_diff(b) == 1 { Roads { h: 1 << low, v: 0 } } else { Roads { h: 0, v: 1 << low } }
}

/// All edges.
pub const ALL_EDGES: Roads = {
    let (mut all, mut edge) = (Roads::NONE, 0);
    while edge < EDGES {
        let road = road_of(edge);
        all = Roads { h: all.h | road.h, v: all.v | road.v };
        edge += 1;
    }
    all
};

/// Bit `3 hex` of every hex, where words have three bits a hex.
pub const HEX_BITS: u64 = ((1 << (3 * HEXES)) - 1) / 7;

/// What a settlement at each bit of the wall yields: a one in the three bits of each hex around it.
pub static NODE_YIELDS: [u64; 64] = {
    let mut table = [0; 64];
    let mut hex = 0;
    while hex < HEXES {
        let mut corner = 0;
        while corner < 6 {
            table[WALL_BIT[HEX_NODES[hex][corner] as usize] as usize] |= 1 << (3 * hex);
            corner += 1;
        }
        hex += 1;
    }
    table
};

/// The six nodes of each hex.
pub static HEX_SHAPES: [u64; HEXES] = {
    let mut table = [0; HEXES];
    let mut hex = 0;
    while hex < HEXES {
        table[hex] = (0b111 | 0b111 << STRIDE) << WALL_BIT[HEX_NODES[hex][5] as usize];
        hex += 1;
    }
    table
};

/// The upper left corner of each hex, in the order of hexes.
pub const HEX_CORNERS: u64 = {
    let (mut set, mut hex) = (0, 0);
    while hex < HEXES {
        set |= 1 << WALL_BIT[HEX_NODES[hex][5] as usize];
        hex += 1;
    }
    set
};

/// How far the corners of a hex are from its upper left corner: three nodes of a row and three of the next.
pub const CORNER_BITS: [u32; 6] = [0, 1, 2, STRIDE, STRIDE + 1, STRIDE + 2];

/// The node at each bit of the wall.
static NODES_AT: [u8; 64] = {
    let mut table = [NONE; 64];
    let mut node = 0;
    while node < NODES {
        table[WALL_BIT[node] as usize] = node as u8;
        node += 1;
    }
    table
};

/// The horizontal and the vertical edge at each bit of the wall.
static EDGES_AT: [[u8; 64]; 2] = {
    let mut table = [[NONE; 64]; 2];
    let mut edge = 0;
    while edge < EDGES {
        let road = road_of(edge);
        if road.h != 0 {
            table[0][road.h.trailing_zeros() as usize] = edge as u8;
        } else {
            table[1][road.v.trailing_zeros() as usize] = edge as u8;
        }
        edge += 1;
    }
    table
};

/// The bit of a node; none if there is no such node.
#[inline]
#[must_use]
pub fn node_bit(node: u8) -> u64 {
    WALL_BIT.get(usize::from(node)).map_or(0, |bit| 1 << bit)
}

/// The canonical numbers of a set of nodes, in the order of the wall.
pub fn nodes(set: u64) -> impl Iterator<Item = u8> {
    bits(set & ALL_NODES).map(|bit| NODES_AT[bit as usize])
}

/// The nodes next to some node of the set.
#[inline]
#[must_use]
pub const fn neighbours(set: u64) -> u64 {
    let Roads { h, v } = ALL_EDGES;
    (set & h) << 1 | set >> 1 & h | (set & v) << STRIDE | set >> STRIDE & v
}

/// A set of edges, as a rule those with a player's roads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Roads {
    /// Horizontal edges by their left node.
    pub h: u64,
    /// Vertical edges by their upper node.
    pub v: u64,
}

impl Roads {
    /// No edge.
    pub const NONE: Self = Self { h: 0, v: 0 };

    /// The edge with this canonical number; none if there is no such edge.
    #[must_use]
    pub fn of(edge: u8) -> Self {
        EDGE_ROADS.get(usize::from(edge)).copied().unwrap_or_default()
    }

    /// The edges that end in some node of the set.
    #[inline]
    #[must_use]
    pub const fn at(nodes: u64) -> Self {
        let Self { h, v } = ALL_EDGES;
        Self { h: h & (nodes | nodes >> 1), v: v & (nodes | nodes >> STRIDE) }
    }

    /// The nodes where these edges end.
    #[inline]
    #[must_use]
    pub const fn touched(self) -> u64 {
        self.h | self.h << 1 | self.v | self.v << STRIDE
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.h | self.v == 0
    }

    /// Number of edges.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.h.count_ones() + self.v.count_ones()
    }

    /// The first of them, horizontal ones first.
    #[inline]
    #[must_use]
    pub const fn lowest(self) -> Self {
        let Self { h, v } = self;
        if h != 0 { Self { h: h & h.wrapping_neg(), v: 0 } } else { Self { h: 0, v: v & v.wrapping_neg() } }
    }

    /// The canonical numbers: the horizontal edges in the order of the wall, then the vertical ones.
    pub fn edges(self) -> impl Iterator<Item = u8> {
        let Self { h, v } = self & ALL_EDGES;
        bits(h).map(|bit| EDGES_AT[0][bit as usize]).chain(bits(v).map(|bit| EDGES_AT[1][bit as usize]))
    }
}

impl BitOr for Roads {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self { h: self.h | other.h, v: self.v | other.v }
    }
}

impl BitOrAssign for Roads {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitAnd for Roads {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self { h: self.h & other.h, v: self.v & other.v }
    }
}

impl Sub for Roads {
    type Output = Self;
    /// The edges of the first set that are not in the second.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { h: self.h & !other.h, v: self.v & !other.v }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::kth;
    use crate::catan::tables::{NODE_EDGES, NODE_NEIGHBOURS};

    #[test]
    fn shifts_are_the_neighbours_and_edges_of_the_tables() {
        assert_eq!((ALL_EDGES.h.count_ones(), ALL_EDGES.v.count_ones()), (48, 24));
        for node in 0..NODES {
            let bit = node_bit(node as u8);
            assert!(nodes(bit).eq([node as u8]));
            let expected = NODE_NEIGHBOURS[node].iter().fold(0, |set, &other| set | node_bit(other));
            assert_eq!(neighbours(bit), expected, "neighbours of node {node}");
            let expected = NODE_EDGES[node].iter().fold(Roads::NONE, |set, &edge| set | Roads::of(edge));
            assert_eq!(Roads::at(bit), expected, "edges of node {node}");
        }
        for (edge, ends) in EDGE_NODES.iter().enumerate() {
            let road = Roads::of(edge as u8);
            assert_eq!(road.touched(), node_bit(ends[0]) | node_bit(ends[1]));
            assert!(road.edges().eq([edge as u8]));
        }
        for (hex, corners) in HEX_NODES.iter().enumerate() {
            let around = (0..NODES as u8)
                .filter(|&node| NODE_YIELDS[WALL_BIT[usize::from(node)] as usize] >> (3 * hex) & 1 != 0);
            let mut corners = *corners;
            corners.sort_unstable();
            assert!(around.eq(corners), "hex {hex}");
            let first = kth(HEX_CORNERS, hex as u32);
            let by_bits = CORNER_BITS.iter().fold(0, |set, bit| set | first << bit);
            assert_eq!(by_bits, HEX_SHAPES[hex]);
            assert!(nodes(by_bits).eq(nodes(corners.iter().fold(0, |set, &node| set | node_bit(node)))), "hex {hex}");
        }
    }
}
