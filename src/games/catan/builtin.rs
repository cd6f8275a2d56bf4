//! The maps that come with the program.
//!
//! ```
//! let map = fairground::games::catan::builtin::get("beginner").unwrap();
//! assert_eq!(map.tokens[..3], [10, 2, 9]);
//! ```

use super::file;
use super::map::Map;
use crate::games::builtin::{Builtin, builtin_maps};

builtin_maps! { "catan": "beginner" "spiral" "spread" "clusters" "rich-corner" "lopsided" }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::Resource;
    use crate::games::catan::generate::{FIXED_PORTS, spiral, touch, touching};

    /// How many of the 36 rolls a token is.
    fn pips(token: u8) -> u8 {
        if token == 0 { 0 } else { 6 - token.abs_diff(7) }
    }

    fn yield_of(map: &Map, resource: Resource) -> u8 {
        (0..19).filter(|&hex| map.tiles[hex] == Some(resource)).map(|hex| pips(map.tokens[hex])).sum()
    }

    /// Pairs of neighbouring hexes for which `same` holds.
    fn pairs(same: impl Fn(usize, usize) -> bool) -> usize {
        (0..19).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| touch(a, b) && same(a, b)).count()
    }

    #[test]
    fn every_file_is_a_map_without_warnings() {
        for &(name, text) in FILES {
            let parsed = file::parse(text.as_bytes()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
            assert_eq!(parsed.warnings, [], "{name}");
            assert!(parsed.map.name.is_some() && parsed.map.comment.is_some(), "{name}");
            assert_eq!(file::write(&parsed.map), text, "{name} is not as the writer writes it");
        }
        assert_eq!(named().len(), FILES.len());
        assert_eq!(maps()[0], get("beginner").unwrap());
        assert_eq!(get("nowhere"), None);
    }

    #[test]
    fn the_notes_are_true() {
        let [beginner, spiral_map, spread, clusters, corner, lopsided] = maps().try_into().unwrap();
        assert_eq!((beginner.ports, beginner.tiles[9]), (FIXED_PORTS, None));
        let laid: Vec<_> = spiral(0).map(|hex| spiral_map.tokens[hex]).filter(|&token| token != 0).collect();
        assert_eq!(laid, crate::games::catan::generate::SPIRAL_TOKENS);
        for map in [&spiral_map, &spread] {
            assert_eq!(pairs(|a, b| map.tiles[a] == map.tiles[b] || map.tokens[a] == map.tokens[b]), 0);
            assert!(Resource::ALL.iter().all(|&resource| (10..=13).contains(&yield_of(map, resource))));
        }
        assert_eq!(pairs(|a, b| clusters.tiles[a] == clusters.tiles[b]), 20);
        assert_eq!(yield_of(&lopsided, Resource::Brick), 4);
        for map in [&beginner, &spiral_map, &spread, &clusters, &lopsided] {
            assert!(!touching(&map.tokens), "{:?}", map.name);
        }
        let near = |map: &Map, hexes: &[usize]| hexes.iter().map(|&hex| pips(map.tokens[hex])).sum::<u8>();
        assert_eq!((near(&corner, &[0, 1, 3, 4]), near(&corner, &[14, 15, 17, 18])), (19, 5));
        assert_eq!((near(&lopsided, &[2, 6, 11, 15, 18]), near(&lopsided, &[0, 3, 7, 12, 16])), (22, 6));
    }
}
