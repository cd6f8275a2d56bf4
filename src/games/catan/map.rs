//! A map: what lies on the nineteen hexes and at the nine ports.

use fairground_kernels::catan::tables::{HEXES, PORTS};

use super::pieces::{Port, Resource};

/// A map of the base game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The resource of each hex; `None` is the desert.
    pub tiles: [Option<Resource>; HEXES],
    /// The number token of each hex; 0 on the desert.
    pub tokens: [u8; HEXES],
    /// The ports at [`PORT_EDGES`](fairground_kernels::catan::tables::PORT_EDGES), clockwise from the top left.
    pub ports: [Port; PORTS],
    /// What the author calls it.
    pub name: Option<String>,
    /// What the author says.
    pub comment: Option<String>,
}
