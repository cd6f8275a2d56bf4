//! Broken map files: nothing makes the reader panic, and whatever it accepts can be played.

#[path = "common/mutate.rs"]
mod mutate;

use std::collections::BTreeMap;

use fairground::games::tubstap::file::{self, Encoding, MAX_FAULTS, Parsed};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Board, Map, Position, Terrain, builtin, policy};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws as _, Rng};
use fairground_kernels::tubstap::PHASE_CAP;
use mutate::{Vocabulary, below, mutate};

const FILES: u64 = 120_000;
const SEED: u64 = 2024;

const TAGS: [&str; 14] = [
    "SIZEX",
    "SIZEY",
    "TURNLIMIT",
    "HPTHRESHOLD",
    "UNITNUMRED",
    "UNITNUMBLUE",
    "AUTHOR",
    "MAPCOM",
    "UNIT",
    "MAP",
    "ACTION",
    "COM",
    "PLAYEDDATE",
    "TURNINFO",
];

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "6",
    "7",
    "8",
    "10",
    "11",
    "-1",
    "",
    " 4 ",
    "1000001",
    "2147483648",
    "99999999999999999999",
];

const VOCABULARY: Vocabulary = Vocabulary {
    numbers: &NUMBERS,
    words: &TAGS,
    in_word: u8::is_ascii_uppercase,
    signs: &["[", "]", ";", ",", "\n", "\r", "\r\n", "\0", " ", "-", "\u{feff}"],
};

/// Files to start from: built-in and random maps, some of them in other encodings.
fn originals() -> Vec<Vec<u8>> {
    let recipes = [
        Recipe::default(),
        Recipe { width: 8, height: 8, units: 16, ..Recipe::default() },
        Recipe { width: 1, height: 2, units: 1, terrains: vec![Terrain::Plain], ..Recipe::default() },
        Recipe { width: 5, height: 7, units: 3, terrains: Terrain::ALL.to_vec(), ..Recipe::default() },
    ];
    let random = (0..40).map(|index| generate(&recipes[index as usize % recipes.len()], SEED, index).unwrap());
    let mut files = Vec::new();
    for mut map in builtin::maps().into_iter().chain(random) {
        files.push(file::write_encoded(&map, Encoding::Utf8));
        map.comment = Some("ソ構ー表ゼ‐ ｱｲｳ 日本語".to_owned());
        files.push(file::write_encoded(&map, Encoding::Utf8Bom));
        files.push(file::write_encoded(&map, Encoding::ShiftJis));
    }
    files
}

fn check_board(position: &Position, map: &Map) {
    for side in &position.sides {
        let mut occupied = Board::EMPTY;
        for unit in side.living().map(|number| side.unit(number).unwrap()) {
            assert!((1..=10).contains(&unit.hp));
            assert!(!occupied.has(unit.cell), "two units on one cell");
            occupied |= Board::of(unit.cell);
        }
        assert_eq!(side.occupied(), occupied);
        assert!((occupied - Board::area(map.width, map.height)).is_empty(), "a unit left the map");
    }
    assert!((position.sides[0].occupied() & position.sides[1].occupied()).is_empty());
}

/// Writes, reads and plays a map that was accepted.
fn check_accepted(map: &Map, index: u64) {
    assert!((1..=8).contains(&map.width) && (1..=8).contains(&map.height));
    assert!(map.units.iter().all(|unit| (1..=10).contains(&unit.hp)));
    for encoding in [Encoding::Utf8, Encoding::Utf8Bom] {
        let again = file::parse(&file::write_encoded(map, encoding)).unwrap();
        assert_eq!((&again.map, again.encoding), (map, encoding));
    }
    let shift_jis = file::parse(&file::write_encoded(map, Encoding::ShiftJis)).unwrap().map;
    assert_eq!((&shift_jis.units, shift_jis.terrain), (&map.units, map.terrain));

    let mut position = map.start();
    check_board(&position, map);
    let mut rng = Rng::for_playout(SEED, position.key(), index);
    let outcome = policy::random(&mut position, &mut rng);
    check_board(&position, map);
    assert!(outcome.phases <= map.turn_limit.min(PHASE_CAP));
    assert_eq!(outcome.ending == Ending::Truncated, position.verdict().is_none());
}

#[test]
fn broken_files_are_refused_or_playable() {
    let files = originals();
    let (mut accepted, mut rejected, mut warned) = (0, 0, 0);
    let mut encodings = BTreeMap::new();
    for index in 0..FILES {
        let mut rng = Rng::for_playout(SEED, 1, index);
        let mut bytes = files[below(&mut rng, files.len())].clone();
        for _ in 0..1 + rng.below(4) * rng.below(3) {
            mutate(&mut bytes, &files, &VOCABULARY, &mut rng);
        }
        match file::parse(&bytes) {
            Ok(Parsed { map, warnings, encoding }) => {
                accepted += 1;
                warned += u32::from(!warnings.is_empty());
                *encodings.entry(format!("{encoding:?}")).or_insert(0) += 1;
                check_accepted(&map, index);
            }
            Err(faults) => {
                rejected += 1;
                assert!((1..=MAX_FAULTS + 1).contains(&faults.len()));
                let lines = 1 + bytes.iter().filter(|byte| b"\r\n".contains(byte)).count();
                assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && !fault.message.is_empty()));
            }
        }
    }
    println!("{accepted} accepted ({warned} with warnings, {encodings:?}), {rejected} rejected");
    assert!(accepted > FILES / 10 && rejected > FILES / 10);
    assert!(encodings.len() == 3 && encodings.values().all(|&count| count > 1000));
}

#[test]
fn random_bytes_are_refused() {
    for index in 0..20_000 {
        let mut rng = Rng::for_playout(SEED, 2, index);
        let signs: &[u8] = b"[];,0123456789 \nUNITMAPSIZEX\x81\x5d\xff\0";
        let all: Vec<u8> = (0..=255).collect();
        let alphabet = if index % 2 == 0 { signs } else { &all };
        let bytes: Vec<u8> = (0..rng.below(600)).map(|_| alphabet[below(&mut rng, alphabet.len())]).collect();
        assert!(!file::parse(&bytes).unwrap_err().is_empty());
    }
}
