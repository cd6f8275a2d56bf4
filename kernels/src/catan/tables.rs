//! The board graph and the numbers of the game.
//!
//! This is the only place they are written down; rules engine, kernel, shader and tests take them from here.
//!
//! ```text
//! hexes     19 in reading order, rows of 3 4 5 4 3; axial coordinates (q, r), pointy top
//! nodes     the 54 corners, sorted by row and column of the drawing (rows of 3 4 4 5 5 6 6 5 5 4 4 3)
//! edges     the 72 pairs of neighbouring corners (a < b), sorted
//! corners   of a hex, clockwise from the top:  0 N  1 NE  2 SE  3 S  4 SW  5 NW
//! ```

/// Number of hexes.
pub const HEXES: usize = 19;
/// Number of nodes.
pub const NODES: usize = 54;
/// Number of edges.
pub const EDGES: usize = 72;
/// Number of ports.
pub const PORTS: usize = 9;
/// Number of players.
pub const SEATS: usize = 4;
/// Number of resources: wood, brick, sheep, wheat, ore.
pub const RESOURCES: usize = 5;

/// Names of the resources.
pub const RESOURCE_NAMES: [&str; RESOURCES] = ["wood", "brick", "sheep", "wheat", "ore"];
/// Tiles of each resource; the nineteenth is the desert.
pub const TILES: [u8; RESOURCES] = [4, 3, 4, 4, 3];
/// The number tokens of the eighteen other hexes, sorted.
pub const TOKENS: [u8; 18] = [2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 9, 10, 10, 11, 11, 12];
/// Cards of each resource in the bank at the start.
pub const BANK: u8 = 19;

/// Number of kinds of development cards: knight, victory point, road building, year of plenty, monopoly.
pub const CARDS: usize = 5;
/// Names of the development cards.
pub const CARD_NAMES: [&str; CARDS] = ["knight", "victory point", "road building", "year of plenty", "monopoly"];
/// The deck.
pub const DECK: [u8; CARDS] = [14, 5, 2, 2, 2];

/// Cost of a road by resource.
pub const ROAD_COST: [u8; RESOURCES] = [1, 1, 0, 0, 0];
/// Cost of a settlement by resource.
pub const SETTLEMENT_COST: [u8; RESOURCES] = [1, 1, 1, 1, 0];
/// Cost of a city by resource.
pub const CITY_COST: [u8; RESOURCES] = [0, 0, 0, 2, 3];
/// Cost of a development card by resource.
pub const CARD_COST: [u8; RESOURCES] = [0, 0, 1, 1, 1];

/// Roads, settlements and cities of each player.
pub const PIECES: [u8; 3] = [15, 5, 4];
/// Victory points that win.
pub const WINNING_POINTS: u8 = 10;
/// The shortest road that can be the longest.
pub const LONGEST_ROAD: u8 = 5;
/// The smallest army that can be the largest.
pub const LARGEST_ARMY: u8 = 3;
/// With more cards than this a player discards half of them on a seven.
pub const HAND_LIMIT: u8 = 7;

/// The ports' edges, clockwise from the top left.
pub const PORT_EDGES: [u8; PORTS] = [0, 3, 17, 38, 61, 69, 66, 49, 18];

/// Axial coordinates of each hex.
pub const HEX_COORDINATES: [(i8, i8); HEXES] = {
    let mut table = [(0, 0); HEXES];
    let (mut hex, mut r) = (0, -2i8);
    while r <= 2 {
        let mut q = -2i8;
        while q <= 2 {
            if q + r >= -2 && q + r <= 2 {
                table[hex] = (q, r);
                hex += 1;
            }
            q += 1;
        }
        r += 1;
    }
    table
};

/// Offsets of the corners in the drawing where a hex has its centre at (2 q + r, 3 r).
const CORNERS: [(i8, i8); 6] = [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)];

const fn corner(hex: usize, corner: usize) -> (i8, i8) {
    let (q, r) = HEX_COORDINATES[hex];
    (2 * q + r + CORNERS[corner].0, 3 * r + CORNERS[corner].1)
}

/// Column and row of each node in the drawing.
pub const NODE_COORDINATES: [(i8, i8); NODES] = {
    let mut table = [(0, 0); NODES];
    let (mut node, mut y) = (0, -8);
    while y <= 8 {
        let mut x = -5;
        while x <= 5 {
            let (mut hex, mut found) = (0, false);
            while hex < HEXES {
                let mut c = 0;
                while c < 6 {
                    let (cx, cy) = corner(hex, c);
                    found |= cx == x && cy == y;
                    c += 1;
                }
                hex += 1;
            }
            if found {
                table[node] = (x, y);
                node += 1;
            }
            x += 1;
        }
        y += 1;
    }
    table
};

const fn node_at(x: i8, y: i8) -> u8 {
    let mut node = 0;
    while NODE_COORDINATES[node].0 != x || NODE_COORDINATES[node].1 != y {
        node += 1;
    }
    node as u8
}

/// The corners of each hex, clockwise from the top.
pub const HEX_NODES: [[u8; 6]; HEXES] = {
    let mut table = [[0; 6]; HEXES];
    let mut hex = 0;
    while hex < HEXES {
        let mut c = 0;
        while c < 6 {
            let (x, y) = corner(hex, c);
            table[hex][c] = node_at(x, y);
            c += 1;
        }
        hex += 1;
    }
    table
};

const fn are_neighbours(a: u8, b: u8) -> bool {
    let mut hex = 0;
    while hex < HEXES {
        let mut c = 0;
        while c < 6 {
            let (from, to) = (HEX_NODES[hex][c], HEX_NODES[hex][(c + 1) % 6]);
            if from == a && to == b || from == b && to == a {
                return true;
            }
            c += 1;
        }
        hex += 1;
    }
    false
}

/// The two nodes of each edge, the lower first.
pub const EDGE_NODES: [[u8; 2]; EDGES] = {
    let mut table = [[0; 2]; EDGES];
    let (mut edge, mut a) = (0, 0);
    while a < NODES as u8 {
        let mut b = a + 1;
        while b < NODES as u8 {
            // Neighbours are never further apart in the numbering than two rows of the drawing.
            if b < a + 12 && are_neighbours(a, b) {
                table[edge] = [a, b];
                edge += 1;
            }
            b += 1;
        }
        a += 1;
    }
    table
};

/// No third edge or neighbour: the mark in [`NODE_EDGES`] and [`NODE_NEIGHBOURS`].
pub const NONE: u8 = u8::MAX;

/// The two or three edges of each node, ascending; [`NONE`] where there is no third.
pub const NODE_EDGES: [[u8; 3]; NODES] = {
    let mut table = [[NONE; 3]; NODES];
    let mut counts = [0; NODES];
    let mut edge = 0;
    while edge < EDGES {
        let mut end = 0;
        while end < 2 {
            let node = EDGE_NODES[edge][end] as usize;
            table[node][counts[node]] = edge as u8;
            counts[node] += 1;
            end += 1;
        }
        edge += 1;
    }
    table
};

/// The other ends of [`NODE_EDGES`].
pub const NODE_NEIGHBOURS: [[u8; 3]; NODES] = {
    let mut table = [[NONE; 3]; NODES];
    let mut node = 0;
    while node < NODES {
        let mut place = 0;
        while place < 3 {
            let edge = NODE_EDGES[node][place];
            if edge != NONE {
                let [a, b] = EDGE_NODES[edge as usize];
                table[node][place] = if a as usize == node { b } else { a };
            }
            place += 1;
        }
        node += 1;
    }
    table
};

/// Position of each node in the brick wall of kernel and shader.
///
/// Two rows of the drawing make one row of the wall, so that there are six rows of 7, 9, 11, 11, 9 and 7 nodes;
/// node (row, column) is bit `11 row + column - 2` where columns are those of the drawing, from 0. A neighbour in
/// the row is then one bit away, the neighbour in the next row eleven bits.
pub const WALL_BIT: [u8; NODES] = {
    let mut table = [0; NODES];
    let mut node = 0;
    while node < NODES {
        let (x, y) = NODE_COORDINATES[node];
        // Rows of the drawing: y = -8, -7 | -5, -4 | -2, -1 | 1, 2 | 4, 5 | 7, 8.
        let row = (y + 8) / 3;
        table[node] = (11 * row + x + 5 - 2) as u8;
        node += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_graph_has_the_known_shape() {
        let degree = |node: &[u8; 3]| node.iter().filter(|&&edge| edge != NONE).count();
        assert_eq!(NODE_EDGES.iter().filter(|node| degree(node) == 2).count(), 18);
        assert_eq!(NODE_EDGES.iter().filter(|node| degree(node) == 3).count(), 36);
        let hexes_of = |node: u8| HEX_NODES.iter().filter(|nodes| nodes.contains(&node)).count();
        let touching = |count| (0..NODES as u8).filter(|&node| hexes_of(node) == count).count();
        assert_eq!([touching(1), touching(2), touching(3)], [18, 12, 24]);
        let hexes_at = |edge: &[u8; 2]| HEX_NODES.iter().filter(|nodes| edge.iter().all(|n| nodes.contains(n))).count();
        assert_eq!(EDGE_NODES.iter().filter(|edge| hexes_at(edge) == 1).count(), 30);
        assert!(PORT_EDGES.iter().all(|&edge| hexes_at(&EDGE_NODES[edge as usize]) == 1));
        assert!(EDGE_NODES.is_sorted() && EDGE_NODES.iter().all(|[a, b]| a < b));
    }

    #[test]
    fn ids_are_the_canonical_ones() {
        assert_eq!(HEX_NODES[0], [0, 4, 8, 12, 7, 3]);
        assert_eq!(HEX_NODES[9], [18, 24, 30, 35, 29, 23]);
        assert_eq!([EDGE_NODES[0], EDGE_NODES[36], EDGE_NODES[71]], [[0, 3], [24, 30], [50, 53]]);
        assert_eq!([HEX_COORDINATES[0], HEX_COORDINATES[9], HEX_COORDINATES[18]], [(0, -2), (0, 0), (0, 2)]);
    }

    #[test]
    fn neighbours_in_the_wall_are_one_or_eleven_bits_away() {
        assert_eq!(WALL_BIT.iter().collect::<HashSet<_>>().len(), NODES);
        assert!(WALL_BIT.iter().all(|&bit| bit < 62));
        let vertical = EDGE_NODES.iter().filter(|[a, b]| {
            let distance = WALL_BIT[*a as usize].abs_diff(WALL_BIT[*b as usize]);
            assert!(matches!(distance, 1 | 11));
            distance == 11
        });
        assert_eq!(vertical.count(), 24);
    }

    #[test]
    fn supplies_add_up() {
        assert_eq!(TILES.iter().sum::<u8>() + 1, HEXES as u8);
        assert_eq!(DECK.iter().sum::<u8>(), 25);
        assert!(TOKENS.is_sorted());
    }
}
