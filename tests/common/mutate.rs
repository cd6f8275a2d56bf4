//! Files broken at random.

use fairground_kernels::rng::{Draws as _, Rng};

/// What a format is made of.
pub struct Vocabulary {
    /// Numbers good and bad.
    pub numbers: &'static [&'static str],
    /// Words that mean something.
    pub words: &'static [&'static str],
    /// What words consist of.
    pub in_word: fn(&u8) -> bool,
    /// Signs that mean something, and some that should not be there.
    pub signs: &'static [&'static str],
}

pub fn below(rng: &mut Rng, n: usize) -> usize {
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

/// The places of all numbers, or of all words.
pub fn tokens(bytes: &[u8], belongs: fn(&u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..bytes.len()).filter(|&at| belongs(&bytes[at])) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Changes one thing; `files` are those pieces may come from.
pub fn mutate(bytes: &mut Vec<u8>, files: &[Vec<u8>], vocabulary: &Vocabulary, rng: &mut Rng) {
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
        // A number or a word is another one.
        5..=7 => replace_token(bytes, u8::is_ascii_digit, pick(vocabulary.numbers, rng), rng),
        8 => replace_token(bytes, vocabulary.in_word, pick(vocabulary.words, rng), rng),
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
            bytes.splice(at..at, pick(vocabulary.signs, rng).to_vec());
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
