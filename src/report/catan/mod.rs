//! Pictures of Catan's maps.

pub mod svg;
pub mod terminal;

pub use svg::svg;
pub use terminal::terminal;

use crate::games::catan::tables::{EDGE_NODES, HEX_COORDINATES, HEX_NODES, HEXES, NODE_COORDINATES, PORT_EDGES};
use crate::games::catan::{Map, Port, Resource};

/// How many of the 36 rolls of two dice are this number: the dots on a token.
const fn pips(token: u8) -> u8 {
    if token == 0 { 0 } else { 6u8.saturating_sub(token.abs_diff(7)) }
}

/// The most likely numbers, which are printed in red.
const fn is_red(token: u8) -> bool {
    matches!(token, 6 | 8)
}

/// The dots on all hexes of a resource.
fn yield_of(map: &Map, resource: Resource) -> u32 {
    map.tiles
        .iter()
        .zip(map.tokens)
        .filter(|(tile, _)| **tile == Some(resource))
        .map(|(_, token)| u32::from(pips(token)))
        .sum()
}

/// `3:1` or `2:1`.
const fn ratio(port: Port) -> &'static str {
    match port {
        Port::Two(_) => "2:1",
        Port::Three => "3:1",
    }
}

/// Column and row of a hex's centre in the drawing of the tables.
const fn centre(hex: usize) -> (i8, i8) {
    let (q, r) = HEX_COORDINATES[hex];
    (2 * q + r, 3 * r)
}

/// A place for a port: its two nodes, and the hex it belongs to.
struct Pier {
    nodes: [(i8, i8); 2],
    hex: usize,
}

/// The places of the ports in their order.
fn piers() -> impl Iterator<Item = Pier> {
    PORT_EDGES.into_iter().map(|edge| {
        let ends = EDGE_NODES[edge as usize];
        let hex = (0..HEXES).find(|&hex| ends.iter().all(|node| HEX_NODES[hex].contains(node))).unwrap_or_default();
        Pier { nodes: ends.map(|node| NODE_COORDINATES[node as usize]), hex }
    })
}
