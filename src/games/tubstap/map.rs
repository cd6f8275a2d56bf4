//! A map: terrain, units and the two numbers that decide an undecided game.

use super::board::Cell;
use super::pieces::{Kind, Team, Terrain};
use super::position::Position;

/// A unit as a map places it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapUnit {
    /// Where it stands.
    pub cell: Cell,
    /// What it is.
    pub kind: Kind,
    /// Whose it is.
    pub team: Team,
    /// Hit points, 1 to 10.
    pub hp: u8,
    /// Whether it sits out its side's first phase.
    pub acted: bool,
}

/// A map as a file holds it. The border that files store around the playable area is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Width of the playable area, 1 to 8.
    pub width: usize,
    /// Height of the playable area, 1 to 8.
    pub height: usize,
    /// Terrain by cell index; [`Terrain::NoEntry`] outside the playable area.
    pub terrain: [Terrain; 64],
    /// Units in file order, both teams in one sequence; at most 16 a side.
    pub units: Vec<MapUnit>,
    /// Phases after which the hit points are judged, at least 1.
    pub turn_limit: u32,
    /// A lead of more than this many hit points wins then.
    pub hp_threshold: u32,
    /// Who made it.
    pub author: Option<String>,
    /// What the author says.
    pub comment: Option<String>,
}

impl Map {
    /// The position at the start of a game: Red to move, no phase played.
    #[must_use]
    pub fn start(&self) -> Position {
        Position::start(self)
    }

    /// The playable cells, columns from the left, each from the top.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<'_> {
        (0..self.width).flat_map(|x| (0..self.height).filter_map(move |y| Cell::new(x, y)))
    }

    /// The terrain of a cell.
    #[must_use]
    pub fn terrain_at(&self, cell: Cell) -> Terrain {
        self.terrain[cell.index() as usize]
    }

    /// The units of one side, in file order.
    pub fn side(&self, team: Team) -> impl Iterator<Item = &MapUnit> {
        self.units.iter().filter(move |unit| unit.team == team)
    }
}
