//! Broken map files: nothing makes the reader panic, and whatever it accepts is a map of the box.

#[path = "common/mutate.rs"]
mod mutate;

use fairground::games::catan::file::{self, MAX_FAULTS, Parsed};
use fairground::games::catan::generate::{Numbers, Recipe, generate};
use fairground::games::catan::tables::TOKENS;
use fairground::games::catan::{Map, builtin, symmetry};
use fairground_kernels::rng::{Draws as _, Rng};
use mutate::{Vocabulary, below, mutate, tokens};

const FILES: u64 = 100_000;
const SEED: u64 = 2025;

const VOCABULARY: Vocabulary = Vocabulary {
    numbers: &[
        "0",
        "1",
        "2",
        "3",
        "5",
        "6",
        "7",
        "8",
        "12",
        "13",
        "-1",
        "",
        "+4",
        " 4 ",
        "1e9",
        "99999999999999999999",
    ],
    words: &[
        "wood", "brick", "sheep", "wheat", "ore", "desert", "any", "name", "note", "hexes", "ports", "tiles", "tokens",
        "gold", "Wood", "null",
    ],
    in_word: u8::is_ascii_alphabetic,
    signs: &["#", "{", "}", "[", "]", "\"", ":", ",", "\n", "\r", "\r\n", "\0", " ", "-", "\\", "\u{feff}"],
};

/// Files to start from: built-in and random maps, as text and as JSON.
fn originals() -> Vec<Vec<u8>> {
    let recipes =
        [Numbers::Free, Numbers::NoTouching, Numbers::Spiral].map(|numbers| Recipe { numbers, ..Recipe::default() });
    let random = (0..60).map(|index| generate(&recipes[index as usize % recipes.len()], SEED, index));
    let mut files = Vec::new();
    for mut map in builtin::maps().into_iter().chain(random) {
        files.push(file::write(&map).into_bytes());
        map.comment = Some("ソ構 # \"日本語\"".to_owned());
        files.push(format!("# a comment\r\n{}", file::write(&map)).into_bytes());
        files.push(file::write_json(&map).into_bytes());
        files.push(serde_json::to_vec_pretty(&map).unwrap());
    }
    files
}

/// Two words or two numbers change places: what is in the box stays the same, so that many of these are maps.
fn exchange(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let places = tokens(bytes, [u8::is_ascii_digit, VOCABULARY.in_word][below(rng, 2)]);
    let (a, b) = (below(rng, places.len()), below(rng, places.len()));
    let (a, b) = (a.min(b), a.max(b));
    if a < b {
        let (first, second) = (places[a].clone(), places[b].clone());
        let text = [&bytes[second.clone()], &bytes[first.end..second.start], &bytes[first.clone()]].concat();
        bytes.splice(first.start..second.end, text);
    }
}

/// Checks, writes and reads a map that was accepted.
fn check_accepted(map: &Map) {
    let mut tokens = map.tokens;
    tokens.sort_unstable();
    assert_eq!(tokens[1..], TOKENS);
    assert!(map.tiles.iter().zip(map.tokens).all(|(tile, token)| tile.is_none() == (token == 0)));
    assert!(symmetry::key(map) <= symmetry::rank(map));
    for text in [file::write(map), file::write_json(map)] {
        assert_eq!(file::parse(text.as_bytes()), Ok(Parsed { map: map.clone(), warnings: Vec::new() }));
    }
}

#[test]
fn broken_files_are_refused_or_maps() {
    let files = originals();
    let mut counts = [[0; 2]; 2];
    for index in 0..FILES {
        let mut rng = Rng::for_playout(SEED, 1, index);
        let mut bytes = files[below(&mut rng, files.len())].clone();
        for _ in 0..1 + rng.below(4) * rng.below(3) {
            if rng.below(2) == 0 {
                exchange(&mut bytes, &mut rng);
            } else {
                mutate(&mut bytes, &files, &VOCABULARY, &mut rng);
            }
        }
        let json = usize::from(bytes.first() == Some(&b'{'));
        match file::parse(&bytes) {
            Ok(Parsed { map, .. }) => {
                counts[json][0] += 1;
                check_accepted(&map);
            }
            Err(faults) => {
                counts[json][1] += 1;
                assert!((1..=MAX_FAULTS + 1).contains(&faults.len()));
                let lines = 1 + bytes.iter().filter(|byte| b"\r\n".contains(byte)).count();
                assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && !fault.message.is_empty()));
                assert!(faults.is_sorted_by_key(|fault| fault.line));
            }
        }
    }
    println!("text and JSON, accepted and rejected: {counts:?}");
    assert!(counts.as_flattened().iter().all(|&count| count > FILES / 20));
}

#[test]
fn random_bytes_are_refused() {
    for index in 0..20_000 {
        let mut rng = Rng::for_playout(SEED, 2, index);
        let signs: &[u8] = b"{}[]\",:# 0123456789 \nhexesportswoodany\x81\xff\0";
        let all: Vec<u8> = (0..=255).collect();
        let alphabet = if index % 2 == 0 { signs } else { &all };
        let bytes: Vec<u8> = (0..rng.below(600)).map(|_| alphabet[below(&mut rng, alphabet.len())]).collect();
        assert!(!file::parse(&bytes).unwrap_err().is_empty());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["{\"tiles\":", "[", "{\"tiles\": [", "{"] {
        let text = "{\"tiles\": ".to_owned() + &open.repeat(100_000 / open.len());
        assert_eq!(file::parse(text.as_bytes()).unwrap_err().len(), 1);
    }
}

#[test]
fn large_files_of_faults_are_read_to_the_end() {
    let keys = "\"x\":0,".repeat(80_000) + &"\"name\":0,".repeat(50_000);
    let files = [
        format!("{{{keys}\"tiles\":[]}}"),
        format!("{{\"tiles\":[{}0]}}", "0,".repeat(500_000)),
        format!("hexes\n{}", "wood ".repeat(200_000)),
        format!("ports {}", "any ".repeat(250_000)),
        "hexes\n".repeat(170_000),
        "7\r".repeat(500_000),
    ];
    for text in files {
        let faults = file::parse(text.as_bytes()).unwrap_err();
        assert!((1..=MAX_FAULTS + 1).contains(&faults.len()), "{}", faults.len());
    }
}
