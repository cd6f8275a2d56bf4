//! The maps that come with the program.
//!
//! ```
//! let map = fairground::games::tubstap::builtin::get("duel-6x6").unwrap();
//! assert_eq!((map.width, map.height, map.units.len()), (6, 6, 8));
//! ```

use super::file;
use super::map::Map;
use crate::games::builtin::{Builtin, builtin_maps};

builtin_maps! { "tbsmap": "duel-6x6" "front-6x6" "ridge-8x8" "islands-8x8" "skirmish-5x5" "lopsided-6x6" }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tubstap::{Cell, Kind, MapUnit, Policy, Team, Terrain, policy};
    use fairground_kernels::Ending;
    use fairground_kernels::rng::Rng;

    /// The map turned by half a turn with the teams exchanged, units in the same order.
    fn turned(map: &Map) -> Map {
        let across =
            |cell: Cell| Cell::new(map.width - 1 - cell.x() as usize, map.height - 1 - cell.y() as usize).unwrap();
        let mut turned = map.clone();
        for cell in map.cells() {
            turned.terrain[across(cell).index() as usize] = map.terrain_at(cell);
        }
        let flip = |unit: &MapUnit| MapUnit { cell: across(unit.cell), team: unit.team.other(), ..*unit };
        turned.units = map.side(Team::Blue).chain(map.side(Team::Red)).map(flip).collect();
        turned
    }

    fn red_wins(map: &Map) -> f64 {
        let wins = (0..400).filter(|&index| {
            let mut position = map.start();
            let mut rng = Rng::for_playout(1, position.key(), index);
            policy::play(&mut position, Policy::Random, &mut rng).ending == Ending::Win(0)
        });
        wins.count() as f64 / 400.0
    }

    #[test]
    fn every_file_is_a_map_without_warnings() {
        for &(name, text) in FILES {
            let parsed = file::parse(text.as_bytes()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
            assert_eq!(parsed.warnings, [], "{name}");
            assert!(parsed.map.comment.is_some_and(|comment| comment.starts_with(name.split('-').next().unwrap())));
            assert_eq!(file::write(&get(name).unwrap()), text, "{name} is not as the writer writes it");
        }
        assert_eq!(named().len(), FILES.len());
        assert_eq!(maps()[0], get("duel-6x6").unwrap());
        assert_eq!(get("nowhere"), None);
    }

    #[test]
    fn sizes_and_limits_are_as_described() {
        let shapes: Vec<_> = named()
            .iter()
            .map(|Builtin { name, map }| {
                let sides = Team::ALL.map(|team| map.side(team).count());
                (*name, map.width, map.height, sides, map.turn_limit, map.hp_threshold)
            })
            .collect();
        assert_eq!(
            shapes,
            [
                ("duel-6x6", 6, 6, [4, 4], 10, 10),
                ("front-6x6", 6, 6, [6, 6], 29, 10),
                ("ridge-8x8", 8, 8, [8, 8], 19, 10),
                ("islands-8x8", 8, 8, [6, 6], 19, 10),
                ("skirmish-5x5", 5, 5, [3, 3], 9, 5),
                ("lopsided-6x6", 6, 6, [5, 3], 10, 10),
            ]
        );
    }

    #[test]
    fn all_but_the_lopsided_one_are_point_symmetric() {
        for Builtin { name, map } in named() {
            assert_eq!(turned(&map) == map, name != "lopsided-6x6", "{name}");
        }
    }

    #[test]
    fn kinds_and_terrain_are_as_described() {
        let has = |name, kind| get(name).unwrap().units.iter().any(|unit| unit.kind == kind);
        let front = [Kind::Panzer, Kind::Cannon, Kind::Infantry];
        for kind in Kind::ALL {
            assert!(has("ridge-8x8", kind));
            assert_eq!(has("front-6x6", kind), front.contains(&kind));
        }
        let islands = get("islands-8x8").unwrap();
        assert!(islands.units.iter().any(|unit| unit.kind.flies()));
        let sea = islands.cells().filter(|&cell| islands.terrain_at(cell) == Terrain::Sea).count();
        assert!(2 * sea > 64, "{sea} cells of sea");
    }

    #[test]
    fn only_the_lopsided_one_is_won_by_one_side_alone() {
        for Builtin { name, map } in named() {
            let red = red_wins(&map);
            assert_eq!(red > 0.9, name == "lopsided-6x6", "{name}: Red wins {red}");
        }
    }
}
