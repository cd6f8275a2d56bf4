//! The 76 features of a map.
//!
//! | place | features |
//! | --- | --- |
//! | 0 to 23 | for each resource the distances between any two of its tiles, ascending |
//! | 24 to 41 | for each resource the distance of each tile to the resource's own port, ascending |
//! | 42 to 48 | seven numbers about the pips around nodes |
//! | 49, 50 | inner nodes with two and with three tiles of the same resource |
//! | 51 to 75 | for each resource the number of tiles with 1 to 5 pips |
//!
//! Distances count steps from hex to hex unless a [reading](Readings) says otherwise. The paper leaves open from where to
//! where a port's distance is measured, what the seven numbers are, and whether the desert can be the third tile at a node;
//! the usual readings are those that fit its words best.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::games::catan::tables::{
    EDGE_NODES, HEX_COORDINATES, HEX_NODES, HEXES, NODE_COORDINATES, NODE_NEIGHBOURS, NODES, NONE, PORT_EDGES, PORTS,
    RESOURCES, TILES,
};
use crate::games::catan::{Map, Port, Resource};
use fairground_kernels::catan::heuristic::pips;

/// Number of features.
pub const FEATURES: usize = 76;

/// The features of a map: small whole numbers, none above 54.
pub type Features = [u8; FEATURES];

/// The first feature about ports.
const PORT: usize = 24;
/// The first feature about nodes.
const NODE: usize = 42;
/// The features about nodes.
const NODE_FEATURES: usize = 7;
/// The features about resources that meet at a node.
const DUPLICATE: usize = 49;
/// The first count of tiles by pips.
const PIPS: usize = 51;
/// Pips that a token can have.
const MAX_PIPS: usize = 5;

/// From where to where the distance of a tile to a port is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PortReading {
    /// Hexes to the sea hex with the port: 1 to 5.
    #[default]
    #[serde(rename = "sea-hex")]
    SeaHex,
    /// Hexes to the land hex at the port: 0 to 4.
    #[serde(rename = "land-hex")]
    LandHex,
    /// Roads from the nearest corner of the tile to the nearer node of the port: 0 to 8.
    #[serde(rename = "node")]
    Node,
}

/// What the seven numbers about nodes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeReading {
    /// The inner nodes, those with three tiles, by their pips: up to 6, 7 and 8, 9, 10, 11, 12, 13 and more.
    #[default]
    #[serde(rename = "hist")]
    Histogram,
    /// All nodes by their pips: up to 2, 3 and 4, 5 and 6, …, 13 to 15.
    #[serde(rename = "hist54")]
    AllNodes,
    /// The pips of the seven best nodes, descending.
    #[serde(rename = "top7")]
    Best,
    /// All nodes with exactly 9, 10, …, 15 pips.
    #[serde(rename = "ge9")]
    AboveMean,
}

/// Whether two tiles of a resource beside the desert are a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DuplicateReading {
    /// They are.
    #[default]
    #[serde(rename = "any")]
    AnyThird,
    /// Only nodes with three resources count.
    #[serde(rename = "strict")]
    ThreeResources,
}

/// How the paper's words about features are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// The distance to ports.
    pub ports: PortReading,
    /// The numbers about nodes.
    pub nodes: NodeReading,
    /// Resources that meet at a node.
    pub duplicates: DuplicateReading,
}

/// Inner nodes: those with three tiles.
const INNER: usize = 24;

/// The greatest distance there is: roads along the coast.
const FARTHEST: usize = 15;

/// What never changes about the board.
struct Tables {
    /// Between hexes.
    distances: [[u8; HEXES]; HEXES],
    /// From a hex to a port, by reading.
    to_ports: [[[u8; PORTS]; HEXES]; 3],
    /// The hexes at inner nodes.
    inner: [[u8; 3]; INNER],
}

fn hex_distance((q, r): (i8, i8), (p, s): (i8, i8)) -> u8 {
    let (dq, dr) = (q - p, r - s);
    dq.abs().max(dr.abs()).max((dq + dr).abs()) as u8
}

/// The land hex and the coordinates of the sea hex of each port.
#[must_use]
pub fn port_hexes() -> [(usize, (i8, i8)); PORTS] {
    PORT_EDGES.map(|edge| {
        let ends = EDGE_NODES[edge as usize];
        let is_at = |nodes: &[u8; 6]| ends.iter().all(|end| nodes.contains(end));
        // Every edge has a hex; one of the coast has exactly one.
        let land = HEX_NODES.iter().position(is_at).unwrap_or(0);
        // In the drawing the centre of the sea hex is that of the land hex, mirrored at the edge.
        let (q, r) = HEX_COORDINATES[land];
        let [a, b] = ends.map(|end| NODE_COORDINATES[end as usize]);
        let (x, y) = (a.0 + b.0 - (2 * q + r), a.1 + b.1 - 3 * r);
        (land, ((x - y / 3) / 2, y / 3))
    })
}

/// Roads from a node to every other.
fn roads_from(start: u8) -> [u8; NODES] {
    let mut roads = [u8::MAX; NODES];
    roads[start as usize] = 0;
    let (mut here, mut steps) = (vec![start], 0);
    while !here.is_empty() {
        steps += 1;
        let near = here.iter().flat_map(|&node| NODE_NEIGHBOURS[node as usize]).filter(|&node| node != NONE);
        let mut next = Vec::new();
        for node in near {
            if roads[node as usize] == u8::MAX {
                roads[node as usize] = steps;
                next.push(node);
            }
        }
        here = next;
    }
    roads
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let roads: [[u8; NODES]; NODES] = std::array::from_fn(|node| roads_from(node as u8));
    let port_hexes = port_hexes();
    let to_port = |hex: usize, port: usize, reading: PortReading| match reading {
        PortReading::SeaHex => hex_distance(HEX_COORDINATES[hex], port_hexes[port].1),
        PortReading::LandHex => hex_distance(HEX_COORDINATES[hex], HEX_COORDINATES[port_hexes[port].0]),
        PortReading::Node => {
            let ends = EDGE_NODES[PORT_EDGES[port] as usize];
            let ways = HEX_NODES[hex].iter().flat_map(|&corner| ends.map(|end| roads[corner as usize][end as usize]));
            ways.min().unwrap_or(0)
        }
    };
    let hexes_at = |node: usize| (0..HEXES as u8).filter(move |&hex| HEX_NODES[hex as usize].contains(&(node as u8)));
    let mut inner = [[0; 3]; INNER];
    let nodes = (0..NODES).filter(|&node| hexes_at(node).count() == 3);
    for (place, node) in inner.iter_mut().zip(nodes) {
        place.iter_mut().zip(hexes_at(node)).for_each(|(place, hex)| *place = hex);
    }
    Tables {
        distances: HEX_COORDINATES.map(|from| HEX_COORDINATES.map(|to| hex_distance(from, to))),
        to_ports: [PortReading::SeaHex, PortReading::LandHex, PortReading::Node]
            .map(|reading| std::array::from_fn(|hex| std::array::from_fn(|port| to_port(hex, port, reading)))),
        inner,
    }
});

/// The features of a map of the box's tiles, tokens and ports. What a map has too much of is left out, what it lacks is 0.
///
/// ```
/// use fairground::games::catan::builtin;
/// use fairground::learn::features::{Readings, features};
/// let features = features(&builtin::get("beginner").unwrap(), &Readings::default());
/// // The twenty-four inner nodes by their pips.
/// assert_eq!(features[42..49].iter().sum::<u8>(), 24);
/// ```
#[must_use]
pub fn features(map: &Map, readings: &Readings) -> Features {
    let tables = &*TABLES;
    let mut features = [0; FEATURES];
    let mut hexes = [[0; HEXES]; RESOURCES];
    let mut counts = [0; RESOURCES];
    for (hex, tile) in map.tiles.iter().enumerate() {
        let Some(resource) = tile else { continue };
        let resource = resource.index();
        hexes[resource][counts[resource]] = hex;
        counts[resource] += 1;
        let pips = pips(map.tokens[hex]) as usize;
        if (1..=MAX_PIPS).contains(&pips) {
            features[PIPS + MAX_PIPS * resource + pips - 1] += 1;
        }
    }
    let to_ports = &tables.to_ports[readings.ports as usize];
    let (mut pairs, mut ports) = features[..NODE].split_at_mut(PORT);
    for resource in Resource::ALL {
        let of_box = usize::from(TILES[resource.index()]);
        let tiles = &hexes[resource.index()][..counts[resource.index()]];
        let here;
        (here, pairs) = pairs.split_at_mut(of_box * (of_box - 1) / 2);
        let mut distances = [0; FARTHEST + 1];
        for (index, &tile) in tiles.iter().enumerate() {
            tiles[..index].iter().for_each(|&other| distances[usize::from(tables.distances[tile][other])] += 1);
        }
        lay_ascending(&distances, here);
        let here;
        (here, ports) = ports.split_at_mut(of_box);
        if let Some(port) = map.ports.iter().position(|&port| port == Port::Two(resource)) {
            let mut distances = [0; FARTHEST + 1];
            tiles.iter().for_each(|&tile| distances[usize::from(to_ports[tile][port])] += 1);
            lay_ascending(&distances, here);
        }
    }
    features[NODE..][..NODE_FEATURES].copy_from_slice(&node_features(map, &tables.inner, readings.nodes));
    let needs_three = readings.duplicates == DuplicateReading::ThreeResources;
    for hexes in &tables.inner {
        let [a, b, c] = hexes.map(|hex| map.tiles[hex as usize]);
        let is_desert_here = a.is_none() || b.is_none() || c.is_none();
        let is_same = |one: Option<Resource>, other| one.is_some() && one == other;
        match u8::from(is_same(a, b)) + u8::from(is_same(b, c)) + u8::from(is_same(a, c)) {
            0 => {}
            1 if is_desert_here && needs_three => {}
            1 => features[DUPLICATE] += 1,
            _ => features[DUPLICATE + 1] += 1,
        }
    }
    features
}

/// Writes every number as often as it occurs, as far as there is room.
fn lay_ascending(occurrences: &[u8; FARTHEST + 1], places: &mut [u8]) {
    let mut places = places.iter_mut();
    for (number, &count) in (0..).zip(occurrences) {
        places.by_ref().take(count.into()).for_each(|place| *place = number);
    }
}

fn node_features(map: &Map, inner: &[[u8; 3]; INNER], reading: NodeReading) -> [u8; NODE_FEATURES] {
    let pips = map.tokens.map(|token| pips(token) as u8);
    let mut counts = [0; NODE_FEATURES];
    if reading == NodeReading::Histogram {
        for hexes in inner {
            let bin = match hexes.iter().map(|&hex| pips[hex as usize]).sum() {
                0..=6_u8 => 0,
                7..=8 => 1,
                sum @ 9..=12 => usize::from(sum) - 7,
                _ => 6,
            };
            counts[bin] += 1;
        }
        return counts;
    }
    let mut sums = [0_u8; NODES];
    for (nodes, pips) in HEX_NODES.iter().zip(pips) {
        nodes.iter().for_each(|&node| sums[node as usize] += pips);
    }
    let last = NODE_FEATURES - 1;
    match reading {
        NodeReading::Histogram => {}
        NodeReading::AllNodes => {
            sums.iter().for_each(|&sum| counts[(usize::from(sum.max(1) - 1) / 2).min(last)] += 1);
        }
        NodeReading::Best => {
            sums.sort_unstable_by(|a, b| b.cmp(a));
            counts.copy_from_slice(&sums[..NODE_FEATURES]);
        }
        NodeReading::AboveMean => {
            let above = sums.iter().filter(|&&sum| sum >= 9);
            above.for_each(|&sum| counts[usize::from(sum - 9).min(last)] += 1);
        }
    }
    counts
}

/// A name for each feature, such as `wood_pair_1`: lower case, without spaces.
#[must_use]
pub fn names(readings: &Readings) -> Vec<String> {
    let of_box = |resource: Resource| TILES[resource.index()];
    let mut names = Vec::with_capacity(FEATURES);
    for resource in Resource::ALL {
        let pairs = of_box(resource) * (of_box(resource) - 1) / 2;
        names.extend((1..=pairs).map(|number| format!("{}_pair_{number}", resource.name())));
    }
    for resource in Resource::ALL {
        names.extend((1..=of_box(resource)).map(|number| format!("{}_port_{number}", resource.name())));
    }
    let nodes: [&str; NODE_FEATURES] = match readings.nodes {
        NodeReading::Histogram => ["to_6", "7_8", "9", "10", "11", "12", "from_13"],
        NodeReading::AllNodes => ["to_2", "3_4", "5_6", "7_8", "9_10", "11_12", "from_13"],
        NodeReading::Best => ["best_1", "best_2", "best_3", "best_4", "best_5", "best_6", "best_7"],
        NodeReading::AboveMean => ["9", "10", "11", "12", "13", "14", "15"],
    };
    names.extend(nodes.map(|name| format!("nodes_{name}")));
    names.extend(["nodes_two_alike", "nodes_three_alike"].map(String::from));
    for resource in Resource::ALL {
        names.extend((1..=MAX_PIPS).map(|pips| format!("{}_pips_{pips}", resource.name())));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::games::catan::generate::{Recipe, draw};
    use crate::games::catan::symmetry;

    fn all_readings() -> impl Iterator<Item = Readings> {
        let ports = [PortReading::SeaHex, PortReading::LandHex, PortReading::Node];
        let nodes = [NodeReading::Histogram, NodeReading::AllNodes, NodeReading::Best, NodeReading::AboveMean];
        let duplicates = [DuplicateReading::AnyThird, DuplicateReading::ThreeResources];
        ports.into_iter().flat_map(move |ports| {
            nodes.into_iter().flat_map(move |nodes| {
                duplicates.into_iter().map(move |duplicates| Readings { ports, nodes, duplicates })
            })
        })
    }

    #[test]
    fn every_feature_has_a_name_of_its_own() {
        for readings in all_readings() {
            let names: std::collections::BTreeSet<_> = names(&readings).into_iter().collect();
            assert_eq!(names.len(), FEATURES);
        }
    }

    #[test]
    fn maps_that_are_the_same_have_the_same_features() {
        let mut strict_differs = 0;
        for index in 0..200 {
            let map = draw(&Recipe::default(), 5, index);
            for readings in all_readings() {
                let expected = features(&map, &readings);
                assert!(symmetry::images(&map).all(|image| features(&image, &readings) == expected), "{index}");
            }
            let strict = Readings { duplicates: DuplicateReading::ThreeResources, ..Readings::default() };
            let [loose, strict] = [Readings::default(), strict].map(|readings| features(&map, &readings)[DUPLICATE]);
            assert!(strict <= loose);
            strict_differs += usize::from(strict < loose);
        }
        assert!(strict_differs > 50, "{strict_differs} maps have a pair beside the desert");
    }

    #[test]
    fn sums_that_never_change() {
        for index in 0..200 {
            let map = draw(&Recipe::default(), 6, index);
            let found = features(&map, &Readings::default());
            assert_eq!(found[NODE..DUPLICATE].iter().sum::<u8>(), 24);
            let counts: Vec<_> = found[PIPS..].chunks(MAX_PIPS).collect();
            assert!(counts.iter().zip(TILES).all(|(row, tiles)| row.iter().sum::<u8>() == tiles));
            let by_pips: Vec<u8> = (0..MAX_PIPS).map(|pips| counts.iter().map(|row| row[pips]).sum()).collect();
            assert_eq!(by_pips, [2, 4, 4, 4, 4]);
            let all = features(&map, &Readings { nodes: NodeReading::AllNodes, ..Readings::default() });
            assert_eq!(all[NODE..DUPLICATE].iter().sum::<u8>(), 54);
        }
    }

    #[test]
    fn a_map_that_is_not_of_the_box_does_no_harm() {
        let mut map = builtin::get("beginner").expect("built in");
        map.tiles = [Some(Resource::Ore); HEXES];
        map.tokens = [7; HEXES];
        map.ports = [Port::Three; PORTS];
        for readings in all_readings() {
            assert_eq!(features(&map, &readings)[DUPLICATE + 1], 24);
        }
        map.tokens = [255; HEXES];
        map.tiles = [None; HEXES];
        for readings in all_readings() {
            assert_eq!(features(&map, &readings)[PIPS..].iter().sum::<u8>(), 0);
        }
    }
}
