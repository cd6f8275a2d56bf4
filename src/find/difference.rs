//! How different two maps are.

use crate::games::catan::tables::{HEXES, PORTS};
use crate::games::catan::{Map, symmetry};

/// Places of a map: the tile and the token of each hex, and the ports.
const PLACES: usize = 2 * HEXES + PORTS;

/// The token that two dice show as often as this one; the desert has none.
pub(super) const fn opposite(token: u8) -> u8 {
    if token == 0 { 0 } else { 14u8.saturating_sub(token) }
}

/// The share of tiles, tokens and ports in which two maps differ, however one of them is turned or mirrored, and with every
/// number exchanged for its opposite (6 for 8, 5 for 9, …) or not: none of that changes the game. Two random maps differ in
/// about three quarters.
///
/// ```
/// use fairground::find::difference;
/// use fairground::games::catan::{builtin, symmetry};
/// let map = builtin::get("spiral").unwrap();
/// let turned = symmetry::of_hexes()[2].apply(&map).unwrap();
/// assert_eq!(difference(&map, &turned), 0.0);
/// assert!(difference(&map, &builtin::get("spread").unwrap()) > 0.5);
/// ```
#[must_use]
pub fn difference(one: &Map, other: &Map) -> f64 {
    let same = symmetry::images(one).map(|image| {
        let tiles = image.tiles.iter().zip(&other.tiles).filter(|(a, b)| a == b).count();
        let ports = image.ports.iter().zip(&other.ports).filter(|(a, b)| a == b).count();
        let tokens =
            |change: fn(u8) -> u8| image.tokens.iter().zip(&other.tokens).filter(|&(&a, &b)| change(a) == b).count();
        tiles + ports + tokens(|token| token).max(tokens(opposite))
    });
    1.0 - same.max().unwrap_or(0) as f64 / PLACES as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::builtin;
    use crate::games::catan::generate::{Recipe, draw};

    #[test]
    fn what_does_not_change_the_game_is_no_difference() {
        for map in builtin::maps() {
            for mut image in symmetry::images(&map) {
                image.tokens = image.tokens.map(opposite);
                assert_eq!(difference(&map, &image), 0.0);
            }
            let mut swapped = map.clone();
            swapped.ports.swap(0, 1);
            let expected = if swapped == map { 0.0 } else { 2.0 / 47.0 };
            assert!((difference(&map, &swapped) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn random_maps_are_far_apart_both_ways() {
        let maps: Vec<_> = (0..40).map(|index| draw(&Recipe::default(), 3, index)).collect();
        for (place, map) in maps.iter().enumerate() {
            for other in &maps[..place] {
                let found = difference(map, other);
                assert!((0.5..1.0).contains(&found), "{found}");
                assert_eq!(found, difference(other, map));
            }
        }
    }
}
