//! Catan's map files: faults, round trips, generators.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use fairground::games::catan::file::{self, MAX_BYTES, MAX_FAULTS, Parsed, ReadErrorKind};
use fairground::games::catan::generate::{
    FIXED_PORTS, Numbers, PortLayout, Recipe, SPIRAL_TOKENS, generate, spiral, touching,
};
use fairground::games::catan::tables::{HEXES, TILES, TOKENS};
use fairground::games::catan::{Map, Port, Resource, builtin, symmetry};

/// A line of the file is an element, so that tests can exchange it.
const ISLAND: [&str; 9] = [
    "# An island.",
    "name   First island",
    "hexes",
    "            ore 10    sheep 2   wood 9",
    "       wheat 12  brick 6   sheep 4   brick 10",
    "  wheat 9   wood 11   desert    wood 3    ore 8",
    "       wood 8    ore 3     wheat 4   sheep 5",
    "            brick 5   wheat 6   sheep 11",
    "ports  any wheat ore any sheep any any brick wood   # clockwise",
];

/// The island with some of its lines (from 1) exchanged.
fn island_but(changes: &[(usize, &str)]) -> String {
    let mut lines = ISLAND;
    for &(line, text) in changes {
        lines[line - 1] = text;
    }
    lines.join("\n")
}

fn accept(text: &str) -> Parsed {
    file::parse(text.as_bytes()).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

fn faults(text: &str) -> Vec<String> {
    file::parse(text.as_bytes()).expect_err(text).iter().map(ToString::to_string).collect()
}

/// Whether the map has the tiles, tokens and ports of the box.
fn check_box(map: &Map) {
    for resource in Resource::ALL {
        let tiles = map.tiles.iter().filter(|&&tile| tile == Some(resource)).count();
        assert_eq!(tiles, usize::from(TILES[resource.index()]));
        assert_eq!(map.ports.iter().filter(|&&port| port == Port::Two(resource)).count(), 1);
    }
    assert_eq!(map.ports.iter().filter(|&&port| port == Port::Three).count(), 4);
    let deserts: Vec<_> = (0..HEXES).filter(|&hex| map.tiles[hex].is_none()).collect();
    assert_eq!(deserts.len(), 1);
    assert_eq!(map.tokens[deserts[0]], 0);
    let mut tokens = map.tokens.to_vec();
    tokens.sort_unstable();
    assert_eq!(tokens[1..], TOKENS);
}

#[test]
fn the_island_is_read_as_written() {
    let Parsed { map, warnings } = accept(&island_but(&[]));
    assert_eq!(warnings, []);
    assert_eq!((map.name.as_deref(), map.comment.as_deref()), (Some("First island"), None));
    assert_eq!(map.tiles[..3], [Some(Resource::Ore), Some(Resource::Sheep), Some(Resource::Wood)]);
    assert_eq!((map.tiles[9], map.tokens[9]), (None, 0));
    assert_eq!((map.tiles[18], map.tokens[18]), (Some(Resource::Sheep), 11));
    assert_eq!(map.ports[..3], [Port::Three, Port::Two(Resource::Wheat), Port::Two(Resource::Ore)]);
    check_box(&map);
    let beginner = builtin::get("beginner").unwrap();
    assert_eq!(symmetry::rank(&map), symmetry::rank(&beginner));
}

#[test]
fn layout_order_and_comments_are_free() {
    let map = accept(&island_but(&[])).map;
    let text = "\u{feff}ports#the coast\r\n\r\nANY wheat Ore any # three\r\n  sheep any any\tbrick wood\r\nname First island\r\n\
                hexes # from north to south\r\nore 10 sheep 2 wood 9#\r\n# a line between\r\n\
                wheat 12 brick 6 sheep 4 brick 10\r\nwheat 9 wood 11 Desert wood 3 ore 8\r\n\r\n\
                wood 8 ore 3 wheat 4 sheep 5\r\nbrick 5 wheat 6 sheep 11\r\n";
    assert_eq!(accept(text), Parsed { map: map.clone(), warnings: Vec::new() });
    assert_eq!(accept(&text.replace("\r\n", "\r")).map, map);
    let map = accept(&island_but(&[(1, "note  Isle #3 of  many ")])).map;
    assert_eq!(map.comment.as_deref(), Some("Isle #3 of  many"));
    let parsed = accept(&island_but(&[(2, "name")]));
    assert_eq!((parsed.map.name, parsed.warnings[0].line), (None, 2));
}

#[test]
fn all_faults_are_reported_at_once_with_their_lines() {
    let text = island_but(&[
        (1, "author me"),
        (2, "name a\nname b"),
        (4, "ore 10 gold 2 wood 9 wood 9"),
        (5, "wheat 7 brick 13 5 sheep brick 10"),
        (6, "wheat 9 wood 11 desert 3 wood 3 ore -8"),
        (7, "wood 8 ore 3 wheat 4 wood 5"),
        (8, "brick 5 desert wood 9\nore 8"),
        (9, "ports any wheat ore any sheep any gold brick brick any\nports any"),
    ]);
    assert_eq!(
        faults(&text),
        [
            "line 1: 'author' is not a keyword, expected name, note, hexes or ports",
            "line 3: name is given again, expected it once (it is on line 2)",
            "line 5: 'gold' is not a tile, expected wood, brick, sheep, wheat, ore or desert",
            "line 5: row 1 of hexes has 4 hexes, expected 3",
            "line 6: 7 is not a token: on a 7 the robber moves, expected 2 to 6 or 8 to 12",
            "line 6: '13' is not a token, expected 2 to 6 or 8 to 12",
            "line 6: token '5' without a tile before it",
            "line 6: sheep has no token, expected a number with it",
            "line 7: '-8' is not a token, expected 2 to 6 or 8 to 12",
            "line 7: the desert has the token 3, expected none",
            "line 7: there are 4 tokens 9, expected 2",
            "line 8: there are 7 wood tiles, expected 4",
            "line 9: there are 2 desert tiles, expected 1",
            "line 10: hexes has 6 rows, expected five of 3, 4, 5, 4 and 3 hexes",
            "line 10: there are 4 ore tiles, expected 3",
            "line 11: 'gold' is not a port, expected any, wood, brick, sheep, wheat or ore",
            "line 11: ports has 10 ports, expected 9",
            "line 11: there are 2 ports 'brick', expected 1",
            "line 12: ports is given again, expected it once (it is on line 11)",
        ]
    );
}

#[test]
fn wrong_counts_are_named_from_both_sides() {
    assert_eq!(
        faults(&island_but(&[(4, "ore 10 sheep 2 ore 12"), (9, "ports any wheat ore any any any any any wood")])),
        [
            "line 3: there are 3 wood tiles, expected 4",
            "line 3: there is 1 token 9, expected 2",
            "line 5: there are 2 tokens 12, expected 1",
            "line 7: there are 4 ore tiles, expected 3",
            "line 9: there are 6 ports 'any', expected 4",
            "line 9: there are 0 ports 'brick', expected 1",
            "line 9: there are 0 ports 'sheep', expected 1",
        ]
    );
    assert_eq!(faults(&island_but(&[(6, "wheat 9 wood 11 ore 2 wood 3 ore 8")])).len(), 3);
}

#[test]
fn what_is_missing_is_named() {
    let missing = [
        "line 1: hexes is missing, expected five rows of hexes below that word",
        "line 1: ports is missing, expected nine ports after that word",
    ];
    assert_eq!(faults(""), missing);
    assert_eq!(faults("# nothing\n\n"), missing);
    assert_eq!(
        faults("hexes\nports"),
        ["line 1: hexes has 0 rows, expected five of 3, 4, 5, 4 and 3 hexes", "line 2: ports has 0 ports, expected 9"]
    );
    assert_eq!(
        faults(&island_but(&[(3, "hexs")])),
        [
            "line 3: 'hexs' is not a keyword, expected name, note, hexes or ports",
            "line 9: hexes is missing, expected five rows of hexes below that word",
        ]
    );
    assert_eq!(
        faults(&island_but(&[(9, "prots any wheat ore any sheep any any brick wood")])),
        [
            "line 9: 'prots' is not a keyword, expected name, note, hexes or ports",
            "line 9: ports is missing, expected nine ports after that word",
        ]
    );
    assert_eq!(
        faults(&island_but(&[(3, "hexes as below")])),
        ["line 3: 'as below' after hexes, expected the rows on the lines below"]
    );
}

#[test]
fn bytes_and_sizes_that_are_no_map_are_refused() {
    let too_large = faults(&"#".repeat(MAX_BYTES + 1));
    assert_eq!(too_large, [format!("line 1: the file is too large, expected at most {MAX_BYTES} bytes")]);
    let utf16: Vec<u8> = "\u{feff}hexes".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(file::parse(&utf16).unwrap_err()[0].message, "the file is UTF-16, expected UTF-8");
    let mut bytes = island_but(&[]).into_bytes();
    bytes[4] = 0xff;
    assert_eq!(file::parse(&bytes).unwrap_err()[0].to_string(), "line 1: bytes that are not UTF-8");
    let many = file::parse("hexes\n".repeat(5000).as_bytes()).unwrap_err();
    assert_eq!(many.len(), MAX_FAULTS + 1);
    assert!(many[MAX_FAULTS].message.ends_with("more faults are not listed"));
}

#[test]
fn a_file_is_named_with_its_faults() {
    let folder = std::env::temp_dir().join(format!("fairground-catan-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("bad.catan");
    fs::write(&path, island_but(&[(4, "ore 10 sheep 2 wood 7")])).unwrap();
    let error = file::read(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:4: 7 is not a token", path.display())), "{error}");
    fs::write(&path, island_but(&[])).unwrap();
    assert!(file::read(&path).is_ok());
    fs::remove_dir_all(&folder).unwrap();
    let missing = file::read(Path::new("no/such/file.catan")).unwrap_err();
    assert!(matches!(missing.kind, ReadErrorKind::Io(_)));
}

#[test]
fn maps_round_trip_as_text_and_as_json() {
    let recipes = [Numbers::Free, Numbers::NoTouching, Numbers::Spiral]
        .map(|numbers| Recipe { numbers, ports: PortLayout::Shuffled });
    let random = (0..600).map(|index| generate(&recipes[index as usize % 3], 8, index));
    for mut map in builtin::maps().into_iter().chain(random) {
        for name in [None, Some("# [\"{}\\] ソ構 #"), map.name.clone().as_deref()] {
            map.name = name.map(str::to_owned);
            assert_eq!(accept(&file::write(&map)), Parsed { map: map.clone(), warnings: Vec::new() });
            assert_eq!(accept(&file::write_json(&map)), Parsed { map: map.clone(), warnings: Vec::new() });
            assert_eq!(accept(&serde_json::to_string_pretty(&map).unwrap()).map, map);
        }
    }
}

#[test]
fn names_are_written_on_one_line() {
    let mut map = builtin::maps().remove(0);
    map.name = Some("\n two\r\nlines\0 ".to_owned());
    map.comment = Some(" \t".to_owned());
    for text in [file::write(&map), file::write_json(&map)] {
        let read = accept(&text).map;
        assert_eq!((read.name.as_deref(), read.comment), (Some("two  lines"), None));
    }
}

#[test]
fn json_is_laid_out_by_part() {
    let text = file::write_json(&builtin::get("beginner").unwrap());
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[1], "  \"name\": \"Beginner's set-up\",");
    assert_eq!(lines[4], "  \"tokens\": [10,2,9,12,6,4,10,9,11,0,3,8,8,3,4,5,5,6,11],");
    assert_eq!(lines[5], r#"  "ports": ["any","wheat","ore","any","sheep","any","any","brick","wood"]"#);
}

#[test]
fn faults_in_json_have_their_lines() {
    let good = file::write_json(&builtin::get("beginner").unwrap());
    assert_eq!(faults("{\n\"tiles\": [\n}"), ["line 3: not JSON: expected value"]);
    assert_eq!(
        faults("{\"name\": 3, \"tiles\": [\"gold\"],\n\"tokens\": {},\n\"author\": \"me\", \"name\": []}"),
        [
            "line 1: ports is missing, expected \"ports\": [...]",
            "line 1: tiles is a list of 1, expected 19",
            "line 1: 'gold' is not a tile, expected wood, brick, sheep, wheat, ore or desert",
            "line 2: tokens is an object, expected a list",
            "line 3: 'author' is not a key, expected name, note, tiles, tokens, ports",
            "line 3: name is given again, expected it once (it is on line 1)",
            "line 3: name is a list, expected a string",
        ]
    );
    let text = good.replacen("\"sheep\"", "\"gold\"", 1).replacen("[10,2,9", "[\n10,\n7,\n\"x]\\\"[\"", 1).replacen(
        "[\"any\",",
        "[[1,2],\n",
        1,
    );
    assert_eq!(
        faults(&text),
        [
            "line 4: 'gold' is not a tile, expected wood, brick, sheep, wheat, ore or desert",
            "line 7: 7 is not a token: on a 7 the robber moves, expected 2 to 6 or 8 to 12",
            "line 8: 'x]\\\"[' is not a token, expected 2 to 6 or 8 to 12",
            "line 9: 'a list' is not a port, expected any, wood, brick, sheep, wheat or ore",
        ]
    );
    assert_eq!(faults(&good.replace("[10,", "[\"10\",")), ["line 5: '10' is not a token, expected 2 to 6 or 8 to 12"]);
    let text = good.replace("11,0,3", "0,5,3");
    assert_eq!(
        faults(&text),
        ["line 5: wood has no token, expected a number with it", "line 5: the desert has the token 5, expected none",]
    );
}

#[test]
fn generated_maps_are_of_the_box_and_keep_to_the_recipe() {
    for numbers in [Numbers::Free, Numbers::NoTouching, Numbers::Spiral] {
        for ports in [PortLayout::Fixed, PortLayout::Shuffled] {
            let recipe = Recipe { numbers, ports };
            let (mut touches, mut corners) = (0, HashSet::new());
            let (mut deserts, mut first_ports) = (HashSet::new(), HashSet::new());
            for index in 0..3000 {
                let map = generate(&recipe, 4, index);
                check_box(&map);
                touches += u32::from(touching(&map.tokens));
                deserts.insert(map.tiles.iter().position(Option::is_none));
                first_ports.insert(map.ports[0]);
                assert!(ports == PortLayout::Shuffled || map.ports == FIXED_PORTS);
                if numbers == Numbers::Spiral {
                    let laid = |corner| {
                        let tokens = spiral(corner).map(|hex| map.tokens[hex]).filter(|&token| token != 0);
                        tokens.eq(SPIRAL_TOKENS)
                    };
                    corners.insert((0..6).find(|&corner| laid(corner)).expect("a spiral"));
                }
            }
            assert_eq!(deserts.len(), HEXES);
            assert_eq!(first_ports.len(), if ports == PortLayout::Shuffled { 6 } else { 1 });
            assert_eq!(corners.len(), if numbers == Numbers::Spiral { 6 } else { 0 });
            // Of free maps 86.3 % touch, give or take 0.6: a false alarm is five standard deviations away.
            let expected = if numbers == Numbers::Free { 2494..=2682 } else { 0..=0 };
            assert!(expected.contains(&touches), "{touches} of 3000 touch");
        }
    }
}

#[test]
fn seeds_and_indices_give_different_maps_and_keep_giving_them() {
    let recipe = Recipe::default();
    let keys: HashSet<_> = (0..10)
        .flat_map(|seed| (0..500).map(move |index| (seed, index)))
        .map(|(seed, index)| symmetry::key(&generate(&recipe, seed, index)))
        .collect();
    assert_eq!(keys.len(), 5000);
    assert_eq!(generate(&recipe, 1, 2), generate(&recipe, 1, 2));
}
