//! The variants of a map: what can be changed without changing where players settle.
//!
//! A builder looks at the pips of a hex, not at its number, and at whether there is a port, not at its kind. So ports can
//! change places, and among the four hexes of equal pips it can change which two share a number: 15,120 and 3 × 3 × 3 × 3 ways.
//! The seats' chances then move a little, and nearly by a sum over the places; a swap of tiles or of other tokens moves them
//! by as much as a new map.

use serde::{Deserialize, Serialize};

use super::difference::opposite;
use crate::games::catan::generate::shuffle;
use crate::games::catan::tables::{PORTS, RESOURCES};
use crate::games::catan::{Map, Port, Resource};
use fairground_kernels::rng::{Draws as _, Rng};

/// Pips of which there are four hexes: 2, 3, 4 and 5.
pub(super) const CLASSES: usize = 4;

/// Ways to make two pairs of four hexes.
pub(super) const PAIRINGS: usize = 3;

/// A variant of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Variant {
    /// The kind of each port; the last kind takes three of anything.
    pub ports: [u8; PORTS],
    /// Which of the other hexes of equal pips has the same number as the first of them.
    pub pairs: [u8; CLASSES],
}

/// A map and all its variants.
#[derive(Clone, Debug)]
pub struct Family {
    map: Map,
    /// The hexes of equal pips.
    hexes: [[usize; 4]; CLASSES],
}

impl Family {
    /// The family of a map of the box's tiles and tokens, and which variant it is; `None` for any other map.
    #[must_use]
    pub fn new(map: Map) -> Option<(Self, Variant)> {
        let mut hexes = [[0; 4]; CLASSES];
        let mut pairs = [0; CLASSES];
        for (class, (hexes, pair)) in (3_u8..).zip(hexes.iter_mut().zip(&mut pairs)) {
            // The tokens 3 to 6 have 2 to 5 pips.
            let own = |hex: &usize| [class, opposite(class)].contains(&map.tokens[*hex]);
            let found: Vec<_> = (0..map.tokens.len()).filter(own).collect();
            *hexes = found.try_into().ok()?;
            let is_partner = |other: &usize| map.tokens[hexes[*other]] == map.tokens[hexes[0]];
            let partners: Vec<_> = (1..4).filter(is_partner).collect();
            let [partner] = *partners else { return None };
            *pair = partner as u8 - 1;
        }
        let ports = map.ports.map(|port| match port {
            Port::Two(resource) => resource.index() as u8,
            Port::Three => RESOURCES as u8,
        });
        Some((Self { map, hexes }, Variant { ports, pairs }))
    }

    /// The pairs of hexes that share a number in a class, and their resources in order; `None` where nothing is produced.
    pub(super) fn pairs(&self, class: usize, pairing: usize) -> [([usize; 2], Option<[usize; 2]>); 2] {
        let hexes = &self.hexes[class];
        let partner = pairing + 1;
        let others: Vec<_> = (1..hexes.len()).filter(|&other| other != partner).map(|other| hexes[other]).collect();
        [[hexes[0], hexes[partner]], [others[0], others[1]]].map(|pair| {
            let resources = pair.map(|hex| self.map.tiles[hex].map(Resource::index));
            let [Some(a), Some(b)] = resources else { return (pair, None) };
            (pair, Some([a.min(b), a.max(b)]))
        })
    }

    /// A variant as a map.
    #[must_use]
    pub fn map(&self, variant: &Variant) -> Map {
        let mut map = self.map.clone();
        map.ports = variant.ports.map(|kind| Resource::from_index(kind.into()).map_or(Port::Three, Port::Two));
        for (hexes, &pair) in self.hexes.iter().zip(&variant.pairs) {
            let token = map.tokens[hexes[0]];
            for (place, &hex) in hexes.iter().enumerate() {
                let is_with_first = place == 0 || place == usize::from(pair) + 1;
                map.tokens[hex] = if is_with_first { token } else { opposite(token) };
            }
        }
        map
    }
}

impl Variant {
    /// A uniformly random variant of the same family.
    #[must_use]
    pub fn drawn(mut self, rng: &mut Rng) -> Self {
        shuffle(&mut self.ports, rng);
        self.pairs = self.pairs.map(|_| rng.below(PAIRINGS as u32) as u8);
        self
    }

    /// All variants that are one change away: two ports in each other's place, or other pairs of a class.
    pub fn neighbours(self) -> impl Iterator<Item = Self> {
        let ports = (0..PORTS).flat_map(|a| (0..a).map(move |b| (a, b)));
        let swapped = ports.filter(move |&(a, b)| self.ports[a] != self.ports[b]).map(move |(a, b)| {
            let mut variant = self;
            variant.ports.swap(a, b);
            variant
        });
        let other_pairs = (0..CLASSES).flat_map(move |class| {
            (1..PAIRINGS as u8).map(move |step| {
                let mut variant = self;
                variant.pairs[class] = (variant.pairs[class] + step) % PAIRINGS as u8;
                variant
            })
        });
        swapped.chain(other_pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::games::catan::generate::{Recipe, draw};
    use crate::learn::features::{FEATURES, Readings, features};
    use std::collections::HashSet;

    #[test]
    fn a_map_is_a_variant_of_its_own_family_and_all_variants_keep_the_pips() {
        let random = (0..30).map(|index| draw(&Recipe::default(), 5, index));
        for map in builtin::maps().into_iter().chain(random) {
            let (family, own) = Family::new(map.clone()).expect("a map of the box");
            assert_eq!(family.map(&own), map);
            let pips = |map: &Map| features(map, &Readings::default())[FEATURES - 25..].to_vec();
            let neighbours: Vec<_> = own.neighbours().collect();
            // 36 pairs of ports, of which the four that are alike make six; and eight other pairings.
            assert_eq!(neighbours.len(), 30 + 8);
            let maps: HashSet<_> = neighbours.iter().map(|variant| family.map(variant)).collect();
            assert_eq!(maps.len(), neighbours.len());
            for (variant, neighbour) in neighbours.iter().map(|variant| (variant, family.map(variant))) {
                assert_eq!((pips(&neighbour), neighbour.tiles), (pips(&map), map.tiles));
                let (_, found) = Family::new(neighbour).expect("a map of the box");
                assert_eq!(found, *variant);
            }
        }
    }

    #[test]
    fn a_map_that_is_not_of_the_box_has_no_family() {
        let mut map = builtin::maps().remove(0);
        map.tokens = map.tokens.map(|token| if token == 6 { 8 } else { token });
        assert!(Family::new(map).is_none());
    }
}
