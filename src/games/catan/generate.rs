//! Random maps.

use fairground_kernels::catan::tables::{HEX_COORDINATES, HEXES, PORTS, TILES, TOKENS};
use fairground_kernels::rng::{Draws as _, Rng};

use super::map::Map;
use super::pieces::{Port, Resource};
use super::symmetry;

/// How often a map with touching sixes and eights is drawn anew.
///
/// Of the 3,876 ways to choose four hexes 532 have no two that touch, so that an attempt succeeds with
/// probability 0.137 and all of these fail with probability 10^-64. Should it happen, the tokens of the last
/// attempt are laid in the spiral, where no sixes and eights touch.
pub const MAX_ATTEMPTS: u32 = 1000;

/// Keeps the streams of the generator apart from those of playouts and of other games' generators.
const STREAM: u64 = 0x6361_7461_6e63_6174;

/// The ports of [`PortLayout::Fixed`], clockwise from the top left: those of the beginner's set-up.
pub const FIXED_PORTS: [Port; PORTS] = {
    use Resource::{Brick, Ore, Sheep, Wheat, Wood};
    [
        Port::Three,
        Port::Two(Wheat),
        Port::Two(Ore),
        Port::Three,
        Port::Two(Sheep),
        Port::Three,
        Port::Three,
        Port::Two(Brick),
        Port::Two(Wood),
    ]
};

/// The tokens in the order of the letters on their backs, in which the rules lay them in a spiral.
pub const SPIRAL_TOKENS: [u8; 18] = [5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11];

/// The spiral that starts in the east: counter-clockwise along the coast, then inward.
const SPIRAL: [u8; HEXES] = [11, 6, 2, 1, 0, 3, 7, 12, 16, 17, 18, 15, 10, 5, 4, 8, 13, 14, 9];

/// How the number tokens are laid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// In any order.
    Free,
    /// In any order in which no two of the sixes and eights lie on neighbouring hexes.
    #[default]
    NoTouching,
    /// As the rules lay them: in [a fixed order](SPIRAL_TOKENS), counter-clockwise from a corner inward, the
    /// desert left out. Sixes and eights never touch.
    Spiral,
}

/// Which ports lie where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortLayout {
    /// Always as in [`FIXED_PORTS`].
    Fixed,
    /// In any order.
    #[default]
    Shuffled,
}

/// What random maps are to be like. Tiles always lie in any order.
///
/// ```
/// use fairground::games::catan::generate::{Numbers, PortLayout, Recipe, generate};
/// let recipe = Recipe { numbers: Numbers::Spiral, ports: PortLayout::Fixed };
/// let map = generate(&recipe, 1, 0);
/// assert_eq!(map, generate(&recipe, 1, 0));
/// assert_eq!(map.tiles.iter().filter(|tile| tile.is_none()).count(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// How the number tokens are laid.
    pub numbers: Numbers,
    /// Which ports lie where.
    pub ports: PortLayout,
}

impl Recipe {
    fn describe(&self) -> String {
        let numbers = match self.numbers {
            Numbers::Free => "free",
            Numbers::NoTouching => "no touching 6 and 8",
            Numbers::Spiral => "spiral",
        };
        let ports = match self.ports {
            PortLayout::Fixed => "fixed",
            PortLayout::Shuffled => "shuffled",
        };
        format!("numbers {numbers}, ports {ports}")
    }
}

/// Draws map number `index` of the run `seed`; the same numbers give the same map.
///
/// First the tiles are shuffled, then the tokens, which are laid on all hexes but the desert in reading order,
/// then the ports; every map of the recipe is equally likely. [`Numbers::NoTouching`] draws tiles and tokens until
/// they fit. [`Numbers::Spiral`] draws the corner instead of shuffling the tokens. What is fixed is not drawn.
#[must_use]
pub fn generate(recipe: &Recipe, seed: u64, index: u64) -> Map {
    let comment = format!("random map, seed {seed} index {index}, {}", recipe.describe());
    Map { comment: Some(comment), ..draw(recipe, seed, index) }
}

/// The map [`generate`] draws, without a word about where it comes from: for those who look at millions.
#[must_use]
pub fn draw(recipe: &Recipe, seed: u64, index: u64) -> Map {
    let mut rng = Rng::for_playout(seed, STREAM, index);
    let (tiles, tokens) = match recipe.numbers {
        Numbers::Free => draw_free(&mut rng),
        Numbers::NoTouching => (0..MAX_ATTEMPTS)
            .map(|_| draw_free(&mut rng))
            .find(|(_, tokens)| !touching(tokens))
            .unwrap_or_else(|| draw_spiral(&mut rng)),
        Numbers::Spiral => draw_spiral(&mut rng),
    };
    let mut ports = FIXED_PORTS;
    if recipe.ports == PortLayout::Shuffled {
        shuffle(&mut ports, &mut rng);
    }
    Map { tiles, tokens, ports, name: None, comment: None }
}

type Tiles = [Option<Resource>; HEXES];

fn draw_tiles(rng: &mut Rng) -> Tiles {
    let mut tiles = [None; HEXES];
    let box_order = Resource::ALL.into_iter().flat_map(|kind| (0..TILES[kind.index()]).map(move |_| Some(kind)));
    for (place, tile) in tiles.iter_mut().zip(box_order) {
        *place = tile;
    }
    shuffle(&mut tiles, rng);
    tiles
}

fn draw_free(rng: &mut Rng) -> (Tiles, [u8; HEXES]) {
    let tiles = draw_tiles(rng);
    let mut tokens = TOKENS;
    shuffle(&mut tokens, rng);
    (tiles, lay(&tiles, 0..HEXES, tokens))
}

fn draw_spiral(rng: &mut Rng) -> (Tiles, [u8; HEXES]) {
    let tiles = draw_tiles(rng);
    (tiles, lay(&tiles, spiral(rng.below(6) as usize), SPIRAL_TOKENS))
}

/// The hexes in the order of the spiral from a corner; corners are counted clockwise from the east.
pub fn spiral(corner: usize) -> impl Iterator<Item = usize> {
    let turn = &symmetry::of_hexes()[corner % 6];
    SPIRAL.into_iter().map(|hex| turn.hexes[hex as usize].into())
}

/// Lays tokens on hexes in the order of a path, leaving out the desert.
fn lay(tiles: &Tiles, path: impl Iterator<Item = usize>, tokens: [u8; 18]) -> [u8; HEXES] {
    let mut laid = [0; HEXES];
    for (hex, token) in path.filter(|&hex| tiles[hex].is_some()).zip(tokens) {
        laid[hex] = token;
    }
    laid
}

/// Puts a slice into a uniform order: from the last place down each exchanges with a uniform one up to itself.
/// One draw for each place, also for the first.
fn shuffle<T>(slice: &mut [T], rng: &mut Rng) {
    for place in (0..slice.len()).rev() {
        slice.swap(place, rng.below(place as u32 + 1) as usize);
    }
}

/// Whether two hexes have a side in common.
#[must_use]
pub fn touch(a: usize, b: usize) -> bool {
    let ((q, r), (p, s)) = (HEX_COORDINATES[a], HEX_COORDINATES[b]);
    let (dq, dr) = (q - p, r - s);
    dq.abs().max(dr.abs()).max((dq + dr).abs()) == 1
}

/// Whether two of the sixes and eights lie on neighbouring hexes.
#[must_use]
pub fn touching(tokens: &[u8; HEXES]) -> bool {
    let hot = |hex: &usize| matches!(tokens[*hex], 6 | 8);
    (0..HEXES).filter(hot).any(|a| (0..a).filter(hot).any(|b| touch(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_of_not_touching_is_as_stated() {
        let choices = (0..1u32 << HEXES).filter(|set| set.count_ones() == 4);
        let apart = choices.clone().filter(|set| {
            let tokens = std::array::from_fn(|hex| if set >> hex & 1 == 1 { 6 } else { 0 });
            !touching(&tokens)
        });
        assert_eq!((apart.count(), choices.count()), (532, 3876));
    }

    #[test]
    fn a_hex_touches_its_neighbours_only() {
        let neighbours = |hex| (0..HEXES).filter(|&other| touch(hex, other)).collect::<Vec<_>>();
        assert_eq!(neighbours(0), [1, 3, 4]);
        assert_eq!(neighbours(9), [4, 5, 8, 10, 13, 14]);
        assert_eq!((0..HEXES).map(|hex| neighbours(hex).len()).sum::<usize>(), 2 * 42);
    }

    #[test]
    fn the_spiral_goes_from_hex_to_neighbour_and_keeps_hot_numbers_apart() {
        for corner in 0..6 {
            let path: Vec<_> = spiral(corner).collect();
            assert!(path.windows(2).all(|pair| touch(pair[0], pair[1])));
            for desert in 0..HEXES {
                let tiles = std::array::from_fn(|hex| (hex != desert).then_some(Resource::Ore));
                assert!(!touching(&lay(&tiles, spiral(corner), SPIRAL_TOKENS)), "corner {corner}, desert {desert}");
            }
        }
        let starts: Vec<_> = (0..6).filter_map(|corner| spiral(corner).next()).collect();
        assert_eq!(starts, [11, 18, 16, 7, 0, 2]);
    }

    #[test]
    fn draws_are_one_for_each_place() {
        let draws = |draw: fn(&mut Rng)| {
            let mut rng = Rng::for_playout(1, 2, 3);
            draw(&mut rng);
            rng.draws()
        };
        assert_eq!(draws(|rng| _ = draw_free(rng)), 19 + 18);
        assert_eq!(draws(|rng| _ = draw_spiral(rng)), 19 + 1);
        assert_eq!(draws(|rng| shuffle(&mut [0], rng)), 1);
    }
}
