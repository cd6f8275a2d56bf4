//! Positions of the original program's records in our terms, and the random generator it was run with.

use std::collections::BTreeMap;

use fairground::games::tubstap::position::Ground;
use fairground::games::tubstap::{Action, Board, Cell, Kind, Position, Side, Team, Terrain, Unit};
use fairground_kernels::rng::{Draws, GOLDEN_GAMMA, mix64, scale};
use serde::Deserialize;

/// The generator of the recorded games: SplitMix64, one step per draw.
#[derive(Clone)]
pub struct DocumentedGenerator {
    state: u64,
    draws: u32,
}

impl DocumentedGenerator {
    pub fn new(seed: u64) -> Self {
        Self { state: seed, draws: 0 }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        self.draws += 1;
        mix64(self.state)
    }
}

impl Draws for DocumentedGenerator {
    fn below(&mut self, n: u32) -> u32 {
        scale((self.next() >> 32) as u32, n)
    }

    fn four_in_five(&mut self) -> bool {
        (self.next() >> 11) as f64 * (-53f64).exp2() >= 0.2
    }

    fn draws(&self) -> u32 {
        self.draws
    }
}

/// `[id, x, y, type, team, hp, acted]`, coordinates with border.
pub type UnitRow = [usize; 7];

/// `[type, unit, from x, from y, to x, to y, target or -1]`, coordinates with border.
pub type ActionRow = [i32; 7];

/// The fields every recorded position has.
#[derive(Deserialize)]
pub struct Setup {
    pub map: String,
    w: usize,
    h: usize,
    terrain: Vec<Vec<usize>>,
    limit: u32,
    thr: u32,
    turn: u32,
    team: usize,
    units: Vec<UnitRow>,
}

/// Translates between unit ids, which run over both teams, and our numbers within a side.
pub struct Ids {
    ids: [Vec<usize>; 2],
    numbers: BTreeMap<usize, (Team, usize)>,
}

impl Ids {
    /// The team of a unit and its number within the team.
    pub fn number(&self, id: usize) -> (Team, usize) {
        self.numbers[&id]
    }

    pub fn id(&self, team: Team, number: usize) -> usize {
        self.ids[team.index()][number]
    }

    /// An action in our terms.
    pub fn action(&self, row: ActionRow) -> Action {
        let [kind, unit, _, _, x, y, target] = row;
        assert!(matches!(kind, 1 | 2) && (kind == 2) == (target >= 0), "{row:?} is neither a move nor an attack");
        Action {
            unit: self.number(unit as usize).1,
            to: file_cell(x as usize, y as usize),
            target: usize::try_from(target).ok().map(|id| self.number(id).1),
        }
    }

    /// The living units as a record lists them.
    pub fn rows(&self, position: &Position) -> Vec<UnitRow> {
        let mut rows: Vec<UnitRow> = Vec::new();
        for team in Team::ALL {
            let side = &position.sides[team.index()];
            for number in side.living() {
                let Unit { kind, cell, hp } = *side.unit(number).expect("a living unit");
                let (x, y) = cell.to_file();
                let acted = side.has_acted(number).into();
                rows.push([self.id(team, number), x, y, kind.index(), team.index(), hp.into(), acted]);
            }
        }
        rows.sort_unstable();
        rows
    }
}

impl Setup {
    /// The position, with the living units numbered within their side in the order of their ids.
    pub fn position(&self) -> (Position, Ids) {
        assert!(self.w <= 10 && self.h <= 10, "map {} is larger than 8 x 8", self.map);
        let mut terrain = [Terrain::NoEntry; 64];
        for cell in self.area().cells() {
            let (x, y) = cell.to_file();
            terrain[cell.index() as usize] = Terrain::from_index(self.terrain[y][x]).expect("a terrain");
        }
        let mut rows = self.units.clone();
        rows.sort_unstable();
        let mut sides = [Side::default(); 2];
        let mut ids = Ids { ids: [Vec::new(), Vec::new()], numbers: BTreeMap::new() };
        for [id, x, y, kind, team, hp, acted] in rows {
            let team = Team::from_index(team).expect("a team");
            let number = ids.ids[team.index()].len();
            let unit = Unit { kind: Kind::from_index(kind).expect("a kind"), cell: file_cell(x, y), hp: hp as u8 };
            sides[team.index()].place(number, unit, acted != 0);
            ids.ids[team.index()].push(id);
            ids.numbers.insert(id, (team, number));
        }
        let position = Position {
            ground: Ground::new(&terrain),
            sides,
            turn: self.turn,
            limit: self.limit,
            threshold: self.thr,
            mover: Team::from_index(self.team).expect("a team"),
        };
        (position, ids)
    }

    /// The playable cells.
    pub fn area(&self) -> Board {
        Board::area(self.w - 2, self.h - 2)
    }
}

fn file_cell(x: usize, y: usize) -> Cell {
    Cell::from_file(x, y).expect("a playable cell")
}

/// A set of cells as records list it: columns from the left, each from the top.
pub fn cell_rows(board: Board) -> Vec<(usize, usize)> {
    board.cells().map(Cell::to_file).collect()
}
