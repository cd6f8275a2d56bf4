//! Broken map files: nothing makes the reader panic, and whatever it accepts can be played.

use std::collections::BTreeMap;

use fairground::games::tubstap::file::{self, Encoding, MAX_FAULTS, Parsed};
use fairground::games::tubstap::generate::{Recipe, generate};
use fairground::games::tubstap::{Board, Map, Position, Terrain, builtin, policy};
use fairground_kernels::Ending;
use fairground_kernels::rng::{Draws as _, Rng};
use fairground_kernels::tubstap::PHASE_CAP;

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

fn below(rng: &mut Rng, n: usize) -> usize {
    rng.below(n.max(1) as u32) as usize
}

fn pick<'a>(from: &[&'a str], rng: &mut Rng) -> &'a [u8] {
    from[below(rng, from.len())].as_bytes()
}

/// A random place and a random end at most `length` behind it.
fn span(bytes: &[u8], length: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let start = below(rng, bytes.len());
    start..(start + 1 + below(rng, length)).min(bytes.len())
}

/// The places of all numbers, or of all words of capital letters.
fn tokens(bytes: &[u8], belongs: fn(&u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..bytes.len()).filter(|&at| belongs(&bytes[at])) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

fn mutate(bytes: &mut Vec<u8>, files: &[Vec<u8>], rng: &mut Rng) {
    let replace_token = |bytes: &mut Vec<u8>, belongs, by: &[u8], rng: &mut Rng| {
        let places = tokens(bytes, belongs);
        if !places.is_empty() {
            bytes.splice(places[below(rng, places.len())].clone(), by.iter().copied());
        }
    };
    match rng.below(13) {
        // A bit is flipped.
        0 => {
            let at = below(rng, bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        // Bytes are lost, or repeated, or the file is cut off.
        1 => drop(bytes.drain(span(bytes, 20, rng))),
        2 => {
            let range = span(bytes, 60, rng);
            let copy = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, copy);
        }
        3 => bytes.truncate(bytes.len() - below(rng, bytes.len().min(40))),
        // A piece of another file comes in.
        4 => {
            let other = &files[below(rng, files.len())];
            let piece = other[span(other, 80, rng)].to_vec();
            bytes.splice(span(bytes, 80, rng), piece);
        }
        // A number or a tag is another one.
        5..=7 => replace_token(bytes, u8::is_ascii_digit, pick(&NUMBERS, rng), rng),
        8 => replace_token(bytes, u8::is_ascii_uppercase, pick(&TAGS, rng), rng),
        // Random bytes, bytes as Shift-JIS has them, and the format's own signs.
        9 => {
            let noise: Vec<u8> = (0..1 + rng.below(8)).map(|_| rng.below(256) as u8).collect();
            bytes.splice(span(bytes, 4, rng), noise);
        }
        10 => {
            let at = below(rng, bytes.len());
            let lead = [0x81, 0x83, 0x8d, 0x95, 0xe0, 0xfc, 0x80, 0xa0, 0xff][below(rng, 9)];
            let trail = [0x5b, 0x5c, 0x5d, 0x3b, 0x40, 0x7f, 0x80, 0xfc, 0xff][below(rng, 9)];
            bytes.splice(at..at, [lead, trail]);
        }
        11 => {
            let at = below(rng, bytes.len());
            bytes.splice(
                at..at,
                pick(&["[", "]", ";", ",", "\n", "\r", "\r\n", "\0", " ", "-", "\u{feff}"], rng).to_vec(),
            );
        }
        // Two lines change places.
        _ => {
            let mut lines: Vec<_> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            let (a, b) = (below(rng, lines.len()), below(rng, lines.len()));
            lines.swap(a, b);
            *bytes = lines.join(&b'\n');
        }
    }
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
            mutate(&mut bytes, &files, &mut rng);
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
