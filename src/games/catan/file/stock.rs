//! What lies on the board, checked against what is in the box.

use std::collections::BTreeMap;

use fairground_kernels::catan::tables::{HEXES, PORTS, TILES, TOKENS};

use super::{port_name, tile_name};
use crate::games::catan::pieces::{Port, Resource};
use crate::games::fault::{Faults, excerpt};

/// A value and the line it was found on.
#[derive(Clone, Copy)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// A hex as a file has it; what could not be read has been reported.
#[derive(Clone, Copy)]
pub(super) struct Hex {
    pub(super) tile: Found<Option<Option<Resource>>>,
    pub(super) token: Found<Token>,
}

/// Tiles and tokens of a map.
pub(super) type Board = ([Option<Resource>; HEXES], [u8; HEXES]);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Missing,
    /// There, but reported as faulty.
    Faulty,
    Number(u8),
}

impl Token {
    /// Reads a number that has to be one of the tokens.
    pub(super) fn read(text: &str, line: usize, faults: &mut Faults) -> Self {
        match text.parse() {
            Ok(number) if TOKENS.contains(&number) => Self::Number(number),
            Ok(7) => {
                faults.add(line, "7 is not a token: on a 7 the robber moves, expected 2 to 6 or 8 to 12".into());
                Self::Faulty
            }
            _ => Self::refuse(text, line, faults),
        }
    }

    /// Reports something that is no token.
    pub(super) fn refuse(text: &str, line: usize, faults: &mut Faults) -> Self {
        faults.add(line, format!("'{}' is not a token, expected 2 to 6 or 8 to 12", excerpt(text)));
        Self::Faulty
    }
}

/// Reports a word that is no tile.
pub(super) fn unknown_tile(word: &str, line: usize, faults: &mut Faults) {
    let message = "is not a tile, expected wood, brick, sheep, wheat, ore or desert";
    faults.add(line, format!("'{}' {message}", excerpt(word)));
}

/// Reports a word that is no port.
pub(super) fn unknown_port(word: &str, line: usize, faults: &mut Faults) {
    let message = "is not a port, expected any, wood, brick, sheep, wheat or ore";
    faults.add(line, format!("'{}' {message}", excerpt(word)));
}

/// The tiles and tokens of the board, or what is wrong with them.
///
/// `whole` says that nothing else is wrong with the hexes' number and order. Then what the box has more of is
/// missing; otherwise only what the box does not have so often is reported, the rest would follow from the
/// faults that are known. What is missing is missed on `line`.
pub(super) fn board(hexes: &[Hex], whole: bool, line: usize, faults: &mut Faults) -> Option<Board> {
    let (mut tiles, mut tokens) = (Vec::new(), Vec::new());
    for hex in hexes {
        if let Some(tile) = hex.tile.value {
            tiles.push(Found { value: tile_name(tile), line: hex.tile.line });
        }
        match (hex.tile.value, hex.token.value) {
            (Some(None), Token::Number(token)) => {
                faults.add(hex.token.line, format!("the desert has the token {token}, expected none"));
            }
            (Some(Some(resource)), Token::Missing) => {
                let message = format!("{} has no token, expected a number with it", resource.name());
                faults.add(hex.token.line, message);
            }
            (_, Token::Number(value)) => tokens.push(Found { value, line: hex.token.line }),
            (_, Token::Missing | Token::Faulty) => {}
        }
    }
    let whole = whole && tiles.len() == HEXES;
    let stock = Resource::ALL.into_iter().map(|resource| (resource.name(), TILES[resource.index()]));
    count(&tiles, stock.chain([(tile_name(None), 1)]), |name, s| format!("{name} tile{s}"), whole, line, faults);
    let whole = whole && tokens.len() == TOKENS.len();
    let stock = TOKENS.into_iter().map(|token| (token, TOKENS.iter().filter(|&&other| other == token).count() as u8));
    count(&tokens, stock, |token, s| format!("token{s} {token}"), whole, line, faults);

    let mut board = ([None; HEXES], [0; HEXES]);
    if hexes.len() != HEXES {
        return None;
    }
    for (index, hex) in hexes.iter().enumerate() {
        board.0[index] = hex.tile.value?;
        board.1[index] = match hex.token.value {
            Token::Number(token) => token,
            Token::Missing => 0,
            Token::Faulty => return None,
        };
    }
    Some(board)
}

/// The ports, or what is wrong with them; see [`board`].
pub(super) fn ports(found: &[Found<Option<Port>>], line: usize, faults: &mut Faults) -> Option<[Port; PORTS]> {
    if found.len() != PORTS {
        let line = found.get(PORTS).map_or(line, |port| port.line);
        let (count, s) = (found.len(), plural(found.len()));
        faults.add(line, format!("ports has {count} port{s}, expected {PORTS}"));
    }
    let known: Vec<_> =
        found.iter().filter_map(|port| Some(Found { value: port_name(port.value?), line: port.line })).collect();
    let stock = [(port_name(Port::Three), 4)].into_iter().chain(Resource::ALL.map(|resource| (resource.name(), 1)));
    let whole = found.len() == PORTS && known.len() == PORTS;
    count(&known, stock, |name, s| format!("port{s} '{name}'"), whole, line, faults);
    let ports: Option<Vec<Port>> = found.iter().map(|port| port.value).collect();
    ports?.try_into().ok()
}

/// Compares how often each value was found with how often the box has it.
fn count<T: Ord + Copy>(
    found: &[Found<T>],
    stock: impl Iterator<Item = (T, u8)>,
    words: impl Fn(T, &str) -> String,
    whole: bool,
    line: usize,
    faults: &mut Faults,
) {
    let stock: BTreeMap<T, u8> = stock.collect();
    for (&value, &expected) in &stock {
        let mut same = found.iter().filter(|found| found.value == value);
        let count = same.clone().count();
        let surplus = same.nth(expected.into());
        if surplus.is_some() || whole && count < expected.into() {
            let line = surplus.map_or(line, |found| found.line);
            let (verb, words) = (if count == 1 { "is" } else { "are" }, words(value, plural(count)));
            faults.add(line, format!("there {verb} {count} {words}, expected {expected}"));
        }
    }
}

/// The ending of a noun.
pub(super) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
