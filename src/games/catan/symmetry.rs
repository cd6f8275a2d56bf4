//! Maps that are the same when the board is turned or mirrored.
//!
//! The hexes have the twelve symmetries of a hexagon. The coast has fewer: its nine ports lie 3, 4, 3, 3, 4, 3, 3,
//! 4 and 3 edges apart, which only turns by a third and three mirrors keep. A map and its six images under these
//! are the same map for every player, so that one of them is enough for an experiment.

use std::array;
use std::sync::LazyLock;

use fairground_kernels::catan::tables::{
    EDGE_NODES, EDGES, HEX_COORDINATES, HEXES, NODE_COORDINATES, NODES, PORT_EDGES, PORTS,
};

use super::map::Map;
use super::pieces::{Port, Resource};

/// A way to put the board on itself: where each hex, node and edge goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// The new place of each hex.
    pub hexes: [u8; HEXES],
    /// The new place of each node.
    pub nodes: [u8; NODES],
    /// The new place of each edge.
    pub edges: [u8; EDGES],
}

/// A place in the drawing of the [tables](fairground_kernels::catan::tables), whose middle is (0, 0).
type Point = (i8, i8);

/// A turn by a sixth, clockwise.
const fn turned((x, y): Point) -> Point {
    // A step to the east, (2, 0), becomes one to the south-east, (1, 3), and that one to the south-west, (-1, 3).
    ((x - y) / 2, (3 * x + y) / 2)
}

const fn mirrored((x, y): Point) -> Point {
    (-x, y)
}

/// The place of `point` in a table; every symmetry maps the board onto itself, so it is there.
fn find<const N: usize>(table: &[Point; N], point: Point) -> u8 {
    table.iter().position(|&other| other == point).map_or(u8::MAX, |place| place as u8)
}

impl Symmetry {
    fn new(to: impl Fn(Point) -> Point) -> Self {
        let centres = HEX_COORDINATES.map(|(q, r)| (2 * q + r, 3 * r));
        let hexes = centres.map(|centre| find(&centres, to(centre)));
        let nodes = NODE_COORDINATES.map(|node| find(&NODE_COORDINATES, to(node)));
        let edges = EDGE_NODES.map(|ends| {
            let mut ends = ends.map(|node| nodes[node as usize]);
            ends.sort_unstable();
            EDGE_NODES.iter().position(|&other| other == ends).map_or(u8::MAX, |edge| edge as u8)
        });
        Self { hexes, nodes, edges }
    }

    /// The new place of each port, if ports come to lie where ports are.
    #[must_use]
    pub fn ports(&self) -> Option<[u8; PORTS]> {
        let mut places = [0; PORTS];
        for (place, edge) in places.iter_mut().zip(PORT_EDGES) {
            let edge = self.edges[edge as usize];
            *place = PORT_EDGES.iter().position(|&other| other == edge)? as u8;
        }
        Some(places)
    }

    /// The map with everything moved; `None` if there would be ports where the coast has no place for them.
    #[must_use]
    pub fn apply(&self, map: &Map) -> Option<Map> {
        self.ports().map(|ports| moved(map, &self.hexes, &ports))
    }
}

fn moved(map: &Map, hexes: &[u8; HEXES], ports: &[u8; PORTS]) -> Map {
    let mut image = map.clone();
    for (from, &to) in hexes.iter().enumerate() {
        image.tiles[to as usize] = map.tiles[from];
        image.tokens[to as usize] = map.tokens[from];
    }
    for (from, &to) in ports.iter().enumerate() {
        image.ports[to as usize] = map.ports[from];
    }
    image
}

/// The twelve symmetries of the hexes: six turns clockwise, then the same after a mirror from left to right.
#[must_use]
pub fn of_hexes() -> &'static [Symmetry; 12] {
    static ALL: LazyLock<[Symmetry; 12]> = LazyLock::new(|| {
        array::from_fn(|index| {
            let turn = |point| (0..index % 6).fold(point, |point, _| turned(point));
            Symmetry::new(|point| turn(if index < 6 { point } else { mirrored(point) }))
        })
    });
    &ALL
}

/// The six symmetries of the hexes that keep the ports, with the new place of each port. The first changes nothing.
#[must_use]
pub fn of_ports() -> &'static [(Symmetry, [u8; PORTS])] {
    static KEEPING: LazyLock<Vec<(Symmetry, [u8; PORTS])>> = LazyLock::new(|| {
        of_hexes().iter().filter_map(|symmetry| Some((symmetry.clone(), symmetry.ports()?))).collect()
    });
    &KEEPING
}

/// The six maps that are the same as this one; it comes first.
pub fn images(map: &Map) -> impl Iterator<Item = Map> {
    of_ports().iter().map(|(symmetry, ports)| moved(map, &symmetry.hexes, ports))
}

/// The first of the [`images`] of a map in the order of their [ranks](rank).
///
/// ```
/// use fairground::games::catan::{builtin, symmetry};
/// let map = builtin::get("spiral").unwrap();
/// let turned = symmetry::of_hexes()[2].apply(&map).unwrap();
/// assert_ne!(map, turned);
/// assert_eq!(symmetry::canonical(&map), symmetry::canonical(&turned));
/// ```
#[must_use]
pub fn canonical(map: &Map) -> Map {
    let (symmetry, ports) = &of_ports()[first_image(map).1];
    moved(map, &symmetry.hexes, ports)
}

/// The rank of the canonical form: the same number for maps that are the same, and for no others.
#[must_use]
pub fn key(map: &Map) -> u128 {
    rank_of_code(&first_image(map).0)
}

/// The number of the map among all that can be laid with the tiles, tokens and ports of the box, in the order
/// of tiles, then tokens, then ports. There are about 9.2 × 10^28; two maps never share a number.
#[must_use]
pub fn rank(map: &Map) -> u128 {
    rank_of_code(&encode(map))
}

/// Tiles (wood 0 to ore 4, desert 5), tokens, ports (wood 0 to ore 4, any 5).
type Code = [u8; 2 * HEXES + PORTS];

fn encode(map: &Map) -> Code {
    let number = |resource: Option<Resource>| resource.map_or(5, |resource| resource.index() as u8);
    let mut code = [0; 2 * HEXES + PORTS];
    for hex in 0..HEXES {
        code[hex] = number(map.tiles[hex]);
        code[HEXES + hex] = map.tokens[hex];
    }
    for (place, &port) in code[2 * HEXES..].iter_mut().zip(&map.ports) {
        *place = match port {
            Port::Two(resource) => number(Some(resource)),
            Port::Three => number(None),
        };
    }
    code
}

/// The code of the canonical form, and which of the [`images`] it is.
fn first_image(map: &Map) -> (Code, usize) {
    let code = encode(map);
    let images = of_ports().iter().enumerate().map(|(index, (symmetry, ports))| {
        let mut image = code;
        for (from, &to) in symmetry.hexes.iter().enumerate() {
            image[to as usize] = code[from];
            image[HEXES + to as usize] = code[HEXES + from];
        }
        for (from, &to) in ports.iter().enumerate() {
            image[2 * HEXES + to as usize] = code[2 * HEXES + from];
        }
        (image, index)
    });
    images.min().unwrap_or((code, 0))
}

fn rank_of_code(code: &Code) -> u128 {
    let (tiles, rest) = code.split_at(HEXES);
    let (tokens, ports) = rest.split_at(HEXES);
    // Where the desert is, and with it the 0 among the tokens, is known from the tiles.
    let tokens: Vec<u8> = tokens.iter().copied().filter(|&token| token != 0).collect();
    [tiles, &tokens, ports].iter().fold(0u128, |rank, part| {
        // Wraps only for maps that are not of the box.
        rank.wrapping_mul(arrangements(part)).wrapping_add(place_among_arrangements(part))
    })
}

/// In how many orders these values can stand.
fn arrangements(values: &[u8]) -> u128 {
    // A new value can stand before, between and after the others; equal ones cannot be told apart.
    (1..=values.len()).fold(1, |count, length| {
        let same = values[..length].iter().filter(|&&value| value == values[length - 1]).count();
        count * length as u128 / same as u128
    })
}

/// How many orders of these values come before this one.
fn place_among_arrangements(values: &[u8]) -> u128 {
    let mut rest = values.to_vec();
    let mut before = 0;
    for &value in values {
        let all = arrangements(&rest);
        let smaller = rest.iter().filter(|&&other| other < value).count();
        before += all * smaller as u128 / rest.len() as u128;
        if let Some(place) = rest.iter().position(|&other| other == value) {
            rest.remove(place);
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::games::catan::generate::{Recipe, generate, touch};
    use std::collections::HashSet;

    #[test]
    fn the_hexes_have_twelve_symmetries_and_the_ports_six() {
        let all: HashSet<_> = of_hexes().iter().map(|symmetry| symmetry.hexes).collect();
        assert_eq!((all.len(), of_ports().len()), (12, 6));
        let turns: Vec<_> = (0..12).filter(|&index| of_hexes()[index].ports().is_some()).collect();
        assert_eq!(turns, [0, 2, 4, 7, 9, 11]);
        assert!(of_ports()[0].0.hexes.iter().zip(0..).all(|(&to, from)| to == from));
        assert_eq!(of_hexes()[1].hexes[..3], [2, 6, 11], "the top row becomes the upper right side");
    }

    #[test]
    fn the_port_symmetries_are_a_group_of_permutations() {
        let hexes: Vec<_> = of_ports().iter().map(|(symmetry, _)| symmetry.hexes).collect();
        for (symmetry, ports) in of_ports() {
            let sorted = |mut places: Vec<u8>| {
                places.sort_unstable();
                places
            };
            assert_eq!(sorted(symmetry.hexes.to_vec()), Vec::from_iter(0..HEXES as u8));
            assert_eq!(sorted(symmetry.nodes.to_vec()), Vec::from_iter(0..NODES as u8));
            assert_eq!(sorted(symmetry.edges.to_vec()), Vec::from_iter(0..EDGES as u8));
            assert_eq!(sorted(ports.to_vec()), Vec::from_iter(0..PORTS as u8));
            for other in &hexes {
                assert!(hexes.contains(&symmetry.hexes.map(|hex| other[hex as usize])));
            }
        }
    }

    #[test]
    fn neighbours_stay_neighbours_and_ports_stay_at_their_nodes() {
        for symmetry in of_hexes() {
            for a in 0..HEXES {
                for b in 0..HEXES {
                    assert_eq!(touch(a, b), touch(symmetry.hexes[a].into(), symmetry.hexes[b].into()));
                }
            }
            for (edge, ends) in EDGE_NODES.iter().enumerate() {
                let moved = EDGE_NODES[symmetry.edges[edge] as usize];
                assert!(ends.iter().all(|&node| moved.contains(&symmetry.nodes[node as usize])));
            }
        }
        for (symmetry, ports) in of_ports() {
            for (from, &to) in ports.iter().enumerate() {
                assert_eq!(symmetry.edges[PORT_EDGES[from] as usize], PORT_EDGES[to as usize]);
            }
        }
    }

    #[test]
    fn all_images_share_the_canonical_form() {
        let random = (0..200).map(|index| generate(&Recipe::default(), 5, index));
        for map in builtin::maps().into_iter().chain(random) {
            let first = canonical(&map);
            assert_eq!(canonical(&first), first);
            assert_eq!(key(&map), rank(&first));
            assert_eq!(images(&map).next().as_ref(), Some(&map));
            assert_eq!(images(&map).min_by_key(rank).as_ref(), Some(&first));
            for image in images(&map) {
                assert_eq!((canonical(&image), key(&image)), (first.clone(), key(&map)));
            }
        }
    }

    #[test]
    fn different_maps_have_different_keys() {
        let keys: HashSet<_> = (0..2000).map(|index| key(&generate(&Recipe::default(), 6, index))).collect();
        assert_eq!(keys.len(), 2000);
    }

    #[test]
    fn ranks_count_the_arrangements() {
        let orders = [[0, 0, 1], [0, 1, 0], [1, 0, 0]];
        assert_eq!(orders.map(|order| place_among_arrangements(&order)), [0, 1, 2]);
        assert_eq!(arrangements(&[0, 0, 1]), 3);
        let map = builtin::maps().remove(0);
        let code = encode(&map);
        // 19! / (4! 3! 4! 4! 3!), and 9! / 4!
        assert_eq!(arrangements(&code[..HEXES]), 244_432_188_000);
        assert_eq!(arrangements(&code[2 * HEXES..]), 15_120);
    }
}
