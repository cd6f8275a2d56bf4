//! Map files: faults, oddities, round trips, and the maps of the original program.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fairground::games::tubstap::file::{self, Encoding, MAX_BYTES, MAX_FAULTS, Parsed};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Cell, Kind, Map, Team, Terrain, builtin, policy};
use fairground_kernels::rng::Rng;

/// 4x3 playable cells; a line of the file is an element, so that tests can exchange it.
const TINY: [&str; 10] = [
    "SIZEX[6];SIZEY[5];TURNLIMIT[10];HPTHRESHOLD[10];",
    "UNITNUMRED[2];UNITNUMBLUE[1];AUTHOR[us];MAPCOM[tiny];",
    "UNIT[1,1,panzer,0,10,0];",
    "UNIT[1,3,cannon,0,7,1];",
    "UNIT[4,2,infantry,1,9,0];",
    "MAP[0,0,0,0,0,0];",
    "MAP[0,1,3,1,1,0];",
    "MAP[0,1,5,5,6,0];",
    "MAP[0,1,2,4,1,0];",
    "MAP[0,0,0,0,0,0];",
];

/// The tiny map with some of its lines (from 1) exchanged.
fn tiny_but(changes: &[(usize, &str)]) -> String {
    let mut lines = TINY;
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

fn warnings(text: &str) -> Vec<String> {
    accept(text).warnings.iter().map(ToString::to_string).collect()
}

fn play(map: &Map) {
    let mut position = map.start();
    let mut rng = Rng::for_playout(1, position.key(), 0);
    policy::random(&mut position, &mut rng);
}

#[test]
fn the_tiny_map_is_read_as_written() {
    let Parsed { map, warnings, encoding } = accept(&tiny_but(&[]));
    assert_eq!((warnings, encoding), (Vec::new(), Encoding::Utf8));
    assert_eq!((map.width, map.height, map.turn_limit, map.hp_threshold), (4, 3, 10, 10));
    assert_eq!((map.author.as_deref(), map.comment.as_deref()), (Some("us"), Some("tiny")));
    let unit = map.units[1];
    assert_eq!((unit.cell, unit.kind, unit.team), (Cell::new(0, 2).unwrap(), Kind::Cannon, Team::Red));
    assert_eq!((unit.hp, unit.acted), (7, true));
    let rows = [[1, 3, 1, 1], [1, 5, 5, 6], [1, 2, 4, 1]];
    for cell in map.cells() {
        assert_eq!(map.terrain_at(cell) as u8, rows[cell.y() as usize][cell.x() as usize]);
    }
    assert_eq!(map.terrain.iter().filter(|&&terrain| terrain != Terrain::NoEntry).count(), 12);
}

#[test]
fn all_faults_are_reported_at_once_with_their_lines() {
    let text = tiny_but(&[
        (1, "SIZEX[6];SIZEY[5];TURNLIMIT[0];"),
        (3, "UNIT[1,9,tank,2,11,x];"),
        (4, "UNIT[4,2,cannon,0];"),
        (5, "UNIT[1,1,infantry,1,9,0];UNIT[1,1,infantry,1,9,0];"),
        (7, "MAP[0,1,7,1,1,0];"),
        (8, "MAP[1,1,5,5,6,0];"),
        (9, "MAP[0,1,2,4,1,0,0];"),
        (10, "MAP[0,0,0,0,0,0"),
    ]);
    assert_eq!(
        faults(&text),
        [
            "line 1: TURNLIMIT is 0, expected 1 to 1000000 phases",
            "line 3: UNIT kind is 'tank', expected one of fighter, attacker, panzer, cannon, antiair, infantry",
            "line 3: UNIT team is '2', expected 0 (red) or 1 (blue)",
            "line 3: UNIT hit points is '11', expected 1 to 10",
            "line 3: UNIT acted flag is 'x', expected 0 (can act) or 1 (has acted)",
            "line 3: UNIT y is 9, expected 1 to 3 (inside the border)",
            "line 4: UNIT has 4 fields, expected 6: x, y, kind, team, hit points, has acted",
            "line 5: there are 4 UNITs, expected at most UNITNUMRED 2 + UNITNUMBLUE 1",
            "line 5: UNIT stands at 1,1 like the one of line 5, expected one unit a cell",
            "line 7: MAP row 2, column 3 is '7', expected a terrain from 0 to 6",
            "line 8: MAP row 3, column 1 is 1, expected 0 on the border",
            "line 9: MAP row 4 has 7 numbers, expected 6 as SIZEX says",
            "line 10: MAP is not closed, expected ']' before the next ';'",
            "line 10: HPTHRESHOLD is missing, expected HPTHRESHOLD[number]",
        ]
    );
}

#[test]
fn a_fault_is_on_the_line_of_its_field() {
    let text = tiny_but(&[(3, "UNIT[1,1,\r\npanzer,\r\n  3,10,0];")]);
    // The line end before the kind means nothing.
    assert_eq!(faults(&text), ["line 5: UNIT team is '3', expected 0 (red) or 1 (blue)"]);
    for end in ["\r\n", "\r"] {
        let text = tiny_but(&[(9, "MAP[0,1,2,4,-1,0];")]).replace('\n', end);
        assert_eq!(faults(&text), ["line 9: MAP row 4, column 5 is '-1', expected a terrain from 0 to 6"]);
    }
}

#[test]
fn what_is_missing_is_named() {
    let names = ["SIZEX", "SIZEY", "TURNLIMIT", "HPTHRESHOLD", "UNITNUMRED", "UNITNUMBLUE"];
    let missing = names.map(|name| format!("line 1: {name} is missing, expected {name}[number]"));
    assert_eq!(faults(""), missing);
    assert_eq!(faults(&tiny_but(&[(10, "")])), ["line 9: there are 4 MAP rows, expected 5 as SIZEY says"]);
    assert_eq!(
        faults(&tiny_but(&[(10, "MAP[0,0,0,0,0,0];\nMAP[0,0,0,0,0,0];")])),
        ["line 11: there are 6 MAP rows, expected 5 as SIZEY says"]
    );
    assert_eq!(faults(&tiny_but(&[(7, "MAP[0,1,3];")])), ["line 7: MAP row 2 has 3 numbers, expected 6 as SIZEX says"]);
}

#[test]
fn limits_are_named() {
    let size = |x| tiny_but(&[(1, &format!("SIZEX[{x}];SIZEY[5];TURNLIMIT[10];HPTHRESHOLD[10];"))]);
    let message = "expected 3 to 10 (at most 8 playable columns and the border)";
    for x in ["11", "2", "-1", "2147483647"] {
        assert_eq!(faults(&size(x)), [format!("line 1: SIZEX is {x}, {message}")]);
    }
    assert_eq!(faults(&size("99999999999")), ["line 1: SIZEX is '99999999999', expected a whole number"]);

    let limits = |turns: i64, points: i64| {
        tiny_but(&[(1, &format!("SIZEX[6];SIZEY[5];TURNLIMIT[{turns}];HPTHRESHOLD[{points}];"))])
    };
    assert_eq!(accept(&limits(1_000_000, 1_000_000)).map.turn_limit, 1_000_000);
    assert_eq!(accept(&limits(1, 0)).map.hp_threshold, 0);
    assert_eq!(
        faults(&limits(1_000_001, -1)),
        [
            "line 1: TURNLIMIT is 1000001, expected 1 to 1000000 phases",
            "line 1: HPTHRESHOLD is -1, expected 0 to 1000000 hit points"
        ]
    );

    let mut crowd = String::from("SIZEX[10];SIZEY[5];TURNLIMIT[1];HPTHRESHOLD[0];UNITNUMRED[17];UNITNUMBLUE[0];\n");
    for number in 0..17 {
        crowd += &format!("UNIT[{},{},infantry,0,1,0];\n", number % 8 + 1, number / 8 + 1);
    }
    for row in ["0", "1", "1", "1", "0"] {
        crowd += &format!("MAP[0{},0];\n", format!(",{row}").repeat(8));
    }
    assert_eq!(faults(&crowd), ["line 18: there are 17 red units, expected at most 16"]);
    assert_eq!(accept(&crowd.replacen("UNIT[1,1,infantry,0,1,0];", "", 1)).map.units.len(), 16);
}

#[test]
fn a_missing_semicolon_is_a_fault_only_where_an_entry_would_be_lost() {
    assert_eq!(
        faults(&tiny_but(&[(3, "UNIT[1,1,panzer,0,10,0]")])),
        ["line 4: a second UNIT without a ';' before it, expected ';' after each entry"]
    );
    assert_eq!(
        faults(&tiny_but(&[(9, "MAP[0,1,2,4,1,0]")])),
        ["line 10: a second MAP without a ';' before it, expected ';' after each entry"]
    );
    let joined = tiny_but(&[(1, "SIZEX[6]SIZEY[5]TURNLIMIT[10]HPTHRESHOLD[10]"), (5, "UNIT[4,2,infantry,1,9,0]")]);
    assert_eq!(accept(&joined), accept(&tiny_but(&[])));
    assert_eq!(
        faults(&tiny_but(&[(3, "UNIT [1,1,panzer,0,10,0];")])),
        ["line 3: '[' must follow UNIT directly, without space"]
    );
}

#[test]
fn oddities_are_accepted_with_a_warning() {
    let on_sea = tiny_but(&[(4, "UNIT[2,3,cannon,0,7,1];")]);
    assert_eq!(warnings(&on_sea), ["line 4: the cannon stands on terrain it cannot enter: sea"]);
    let twice = tiny_but(&[(5, "UNIT[4,2,infantry,1,9,0];TURNLIMIT[12];")]);
    assert_eq!(warnings(&twice), ["line 5: TURNLIMIT is given again, the last one counts"]);
    assert_eq!(accept(&twice).map.turn_limit, 12);
    let words = tiny_but(&[(5, "UNIT[4,2,infantry,1,9,0]; and UNTI[1,2];")]);
    assert_eq!(warnings(&words), ["line 5: 'and UNTI[1,2]' belongs to no known tag and is ignored"]);
    for odd in [on_sea, twice, words] {
        play(&accept(&odd).map);
    }
}

#[test]
fn oddities_without_consequence_are_accepted() {
    let plain = accept(&tiny_but(&[])).map;
    let record = "PLAYEDDATE[today];TURNINFO[0,0,1];ACTION[0,1,1,1,1,-1,-1,-1,1,0,0];COM[MAP[0];";
    let same = [
        tiny_but(&[(3, "UNIT[ 1 ,\t1,panzer, +0 ,10 ,0];")]),
        tiny_but(&[(4, "UNIT[1,3,cannon,0,7,-7];")]),
        tiny_but(&[(2, "UNITNUMRED[0];UNITNUMBLUE[99];AUTHOR[us];MAPCOM[tiny];")]),
        tiny_but(&[(10, &format!("MAP[0,0,0,0,0,0];\n{record}"))]),
        TINY.concat(),
        tiny_but(&[]).trim_end_matches(';').to_owned(),
        [&TINY[5..], &TINY[..5]].concat().join("\n"),
    ];
    for text in same {
        assert_eq!(accept(&text), Parsed { map: plain.clone(), warnings: Vec::new(), encoding: Encoding::Utf8 });
    }
}

#[test]
fn a_side_or_both_may_have_no_units() {
    let red_only = accept(&tiny_but(&[(5, "")])).map;
    assert_eq!(red_only.side(Team::Blue).count(), 0);
    let nobody = accept(&tiny_but(&[(3, ""), (4, ""), (5, "")])).map;
    for map in [red_only, nobody] {
        play(&map);
        assert_eq!(accept(&file::write(&map)).map, map);
    }
}

#[test]
fn a_comment_ends_at_the_first_bracket_or_semicolon() {
    let comment = |text: &str| {
        let parsed = accept(&tiny_but(&[(2, &format!("UNITNUMRED[2];UNITNUMBLUE[1];MAPCOM[{text}];"))]));
        (parsed.map.comment.unwrap(), parsed.warnings.len())
    };
    assert_eq!(comment("UNIT[1,1 SIZEX[9"), ("UNIT[1,1 SIZEX[9".to_owned(), 0));
    assert_eq!(comment("two\n lines"), ("two lines".to_owned(), 0));
    assert_eq!(comment("a] b"), ("a".to_owned(), 1));
    assert_eq!(comment("a; b"), ("a".to_owned(), 2));
    assert_eq!(comment("\0\t\u{feff}\u{2028}"), ("\0\t\u{feff}\u{2028}".to_owned(), 0));
    // A comment that is never closed takes no unit with it.
    assert_eq!(accept(&tiny_but(&[(2, "UNITNUMRED[2];UNITNUMBLUE[1];MAPCOM[tiny;")])).map.units.len(), 3);
}

#[test]
fn encodings_are_told_apart() {
    let japanese = tiny_but(&[(2, "UNITNUMRED[2];UNITNUMBLUE[1];AUTHOR[ソ構ー];MAPCOM[表示、ゼ‐];")]);
    let map = accept(&japanese).map;
    for encoding in [Encoding::Utf8, Encoding::Utf8Bom, Encoding::ShiftJis] {
        let bytes = file::write_encoded(&map, encoding);
        assert_eq!(file::parse(&bytes), Ok(Parsed { map: map.clone(), warnings: Vec::new(), encoding }));
    }
    // In Shift-JIS the second bytes of these are `\`, `[` and `]`.
    let bytes = file::write_encoded(&map, Encoding::ShiftJis);
    for pair in [b"\x83\x5c", b"\x8d\x5c", b"\x81\x5b", b"\x83\x5b", b"\x81\x5d"] {
        assert!(bytes.windows(2).any(|window| window == pair), "{pair:x?}");
    }
    let utf16: Vec<_> = [0xff, 0xfe].into_iter().chain(japanese.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert!(file::parse(&utf16).unwrap_err()[0].message.contains("UTF-16"));
}

#[test]
fn damaged_bytes_are_tolerated_in_free_text_only() {
    let damaged = |line: usize, text: &[u8]| {
        let mut lines = TINY.map(|line| line.as_bytes().to_vec());
        lines[line - 1] = text.to_vec();
        file::parse(&lines.join(&b'\n'))
    };
    let inside = damaged(2, b"UNITNUMRED[2];UNITNUMBLUE[1];MAPCOM[a\xff\xfdb];").unwrap();
    assert_eq!(inside.encoding, Encoding::ShiftJis);
    assert_eq!(inside.map.comment.as_deref(), Some("a\u{fffd}\u{fffd}b"));
    assert_eq!(accept(&file::write(&inside.map)).map, inside.map);
    let outside = damaged(3, b"UNIT[1,1,panzer,0,10,0]\xff;").unwrap_err();
    assert_eq!(outside[0].to_string(), "line 3: bytes that are neither UTF-8 nor Shift-JIS outside AUTHOR and MAPCOM");
    assert!(damaged(3, b"UNIT[1,1,panzer,0,10\xff,0];").is_err());
}

#[test]
fn any_text_survives_writing_or_is_made_harmless() {
    let mut map = accept(&tiny_but(&[])).map;
    for words in ["", " x ", "[[[", "UNIT[1,1,panzer,0,10,0", "😀ｱ\u{85}", "¥~\\", "\u{fffd}", "ﾂ‐", "ﾃﾂ‐ MAP[0"]
    {
        (map.author, map.comment) = (Some(words.to_owned()), Some(words.to_owned()));
        for encoding in [Encoding::Utf8, Encoding::Utf8Bom] {
            assert_eq!(file::parse(&file::write_encoded(&map, encoding)).unwrap().map, map, "{words:?} {encoding:?}");
        }
        let shift_jis = file::parse(&file::write_encoded(&map, Encoding::ShiftJis)).unwrap();
        assert_eq!((shift_jis.map.units, shift_jis.warnings), (map.units.clone(), Vec::new()), "{words:?}");
    }
    map.comment = Some("a]b;c\r\nd;UNIT[1,1,panzer,0,10,0];".to_owned());
    let read = accept(&file::write(&map));
    assert_eq!(read.map.comment.as_deref(), Some("a)b,c  d,UNIT[1,1,panzer,0,10,0),"));
    assert_eq!((read.map.units, read.warnings), (map.units, Vec::new()));
}

#[test]
fn huge_and_hostile_files_are_refused() {
    let huge = vec![b'['; 100 << 20];
    assert!(file::parse(&huge).unwrap_err()[0].message.contains("too large"));
    let repeated = ["[", "]", ";", ";x", "MAP[", "UNIT[;", "UNIT [", "COM[]", "MAP[9];", "UNIT[,,,,,];", "SIZEX[1]"];
    for unit in repeated.into_iter().chain(["\n", "\u{fffd};", "0,", "MAP[0,", "[ "]) {
        let faults = file::parse(unit.repeat(MAX_BYTES / unit.len()).as_bytes()).unwrap_err();
        assert!((1..=MAX_FAULTS + 1).contains(&faults.len()), "{unit:?}: {}", faults.len());
    }
    let row = format!("MAP[{}];", "9,".repeat(1000));
    let unlisted = 3 * 1001 + 6 - MAX_FAULTS;
    assert_eq!(faults(&row.repeat(3)).last().unwrap(), &format!("line 1: {unlisted} more faults are not listed"));
}

#[test]
fn read_errors_are_shown_like_those_of_a_compiler() {
    let path = std::env::temp_dir().join(format!("fairground-{}.tbsmap", std::process::id()));
    fs::write(&path, tiny_but(&[(3, "UNIT[1,1,panzer,0,0,0];"), (9, "MAP[0];")])).unwrap();
    let shown = file::read(&path).unwrap_err().to_string();
    let place = path.display();
    assert_eq!(
        shown,
        format!(
            "{place}:3: UNIT hit points is '0', expected 1 to 10\n\
             {place}:9: MAP row 4 has 1 numbers, expected 6 as SIZEX says"
        )
    );
    fs::write(&path, tiny_but(&[])).unwrap();
    assert_eq!(file::read(&path).unwrap().map, accept(&tiny_but(&[])).map);
    fs::remove_file(&path).unwrap();
    assert!(file::read(&path).unwrap_err().to_string().starts_with(&format!("{place}: ")));
}

#[test]
fn built_in_and_random_maps_survive_writing() {
    let recipe = Recipe { width: 8, height: 5, units: 10, terrains: Terrain::ALL.to_vec(), ..Recipe::default() };
    let random = (0..500).map(|index| generate(&recipe, 11, index).unwrap());
    for map in builtin::maps().into_iter().chain(random) {
        let parsed = accept(&file::write(&map));
        assert_eq!((parsed.map, parsed.warnings), (map, Vec::new()));
    }
}

fn originals() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("FAIRGROUND_MAPS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/tubstap/maps"), PathBuf::from);
    let mut files = Vec::new();
    for folder in [folder.clone(), folder.join("random6x6")] {
        let Ok(entries) = fs::read_dir(&folder) else {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: there are no original maps in {} (set FAIRGROUND_MAPS)",
                folder.display()
            );
            return None;
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "tbsmap")));
    }
    files.sort();
    Some(files)
}

#[test]
fn the_maps_of_the_original_program_are_read_written_and_played() {
    let Some(files) = originals() else { return };
    let mut encodings = [0; 3];
    let mut warned = 0;
    for path in &files {
        let Parsed { map, warnings, encoding } = file::read(path).unwrap_or_else(|error| panic!("{error}"));
        for warning in &warnings {
            println!("{}: {warning}", path.display());
        }
        warned += usize::from(!warnings.is_empty());
        encodings[encoding as usize] += 1;
        for target in [Encoding::Utf8, Encoding::Utf8Bom, encoding] {
            let again = file::parse(&file::write_encoded(&map, target)).unwrap();
            assert_eq!(again.map, map, "{}", path.display());
        }
        play(&map);
    }
    println!("{} original maps: {encodings:?} by encoding, {warned} with warnings", files.len());
    assert!(files.len() >= 71);
}
