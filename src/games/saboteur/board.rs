//! The board as sets of cells: one word a row, see [`tables`](fairground_kernels::saboteur::tables).
//!
//! ```text
//!  row y+1   . . 1 . .      a cell that an open path leads into:
//!  row y     . 1 # 1 .        right of a reached card open to the right, left of one open to the left,
//!  row y-1   . . 1 . .        above one open upwards (next row, same bit), below one open downwards
//! ```

use fairground_kernels::saboteur::tables::{
    Extent, FITS, GOAL_X, GOAL_Y, GOALS, SIDES, WIDE_ORIGIN, WIDE_ROW_ORIGIN, half_turn,
};

/// Rows of the widest board, and an empty one below and above it.
const ROWS: usize = 49;
/// The number of row 0.
const ROW_ORIGIN: i8 = WIDE_ROW_ORIGIN;

const _: () = assert!(Extent::WIDEST.bottom + ROW_ORIGIN == 1 && Extent::WIDEST.top + ROW_ORIGIN == ROWS as i8 - 2);
const _: () = assert!(Extent::WIDEST.left + WIDE_ORIGIN >= 1 && Extent::WIDEST.right + WIDE_ORIGIN <= 62);

/// The cards of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    /// The cards that lie face up and are open to the left, up, right and down.
    open: [u64; SIDES],
    /// The cards that lie face up.
    laid: u64,
    /// The goals that lie face down.
    hidden: u64,
    /// The cards that lie face up and have no blocked centre.
    passable: u64,
    /// The passable cards that a path leads to from the start.
    reached: u64,
}

/// A card that lies face up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Its openings as it lies.
    pub mask: u8,
    /// Whether its centre is blocked.
    pub is_blocked: bool,
}

/// What the neighbours of a cell ask of a card: sides that must be open and sides that must not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Sides where a neighbour is open.
    pub open: u8,
    /// Sides where a neighbour has a wall.
    pub wall: u8,
}

impl Edges {
    /// The openings that fit, as a set of the sixteen there are.
    #[inline]
    #[must_use]
    pub const fn fits(self) -> u16 {
        FITS[(self.open & 15 | self.wall << 4) as usize]
    }

    /// Whether a card with these openings fits.
    #[inline]
    #[must_use]
    pub const fn admit(self, mask: u8) -> bool {
        mask & self.open == self.open && mask & self.wall == 0
    }
}

/// The cards on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    rows: [Row; ROWS],
    /// The lowest and the highest row with a card face up.
    low: u8,
    high: u8,
    /// Where cards may be laid.
    extent: Extent,
    /// The columns where cards may be laid.
    columns: u64,
}

/// The number of a row; none for rows that no board has.
#[inline]
const fn row_of(y: i8) -> Option<usize> {
    if Extent::WIDEST.bottom <= y && y <= Extent::WIDEST.top { Some((y + ROW_ORIGIN) as usize) } else { None }
}

/// The bit of a column; 0 for columns that no board has.
#[inline]
const fn column(x: i8) -> u64 {
    if Extent::WIDEST.left <= x && x <= Extent::WIDEST.right { 1 << (x + WIDE_ORIGIN) } else { 0 }
}

/// The cells of a row's word, from the left.
#[inline]
fn cells_of(row: usize, word: u64) -> impl Iterator<Item = (i8, i8)> {
    fairground_kernels::bits::bits(word).map(move |bit| (bit as i8 - WIDE_ORIGIN, row as i8 - ROW_ORIGIN))
}

impl Board {
    /// The start and three goals face down.
    #[must_use]
    pub fn new(extent: Extent) -> Self {
        let extent = extent.clamped();
        let columns = (extent.left..=extent.right).fold(0, |columns, x| columns | column(x));
        let origin = ROW_ORIGIN as u8;
        let mut board = Self { rows: [Row::default(); ROWS], low: origin, high: origin, extent, columns };
        for y in GOAL_Y {
            if let Some(row) = row_of(y) {
                board.rows[row].hidden = column(GOAL_X);
            }
        }
        board.put(0, 0, Laid { mask: 15, is_blocked: false });
        board.rows[usize::from(origin)].reached = column(0);
        board
    }

    /// A board with these cards besides the start. A card on a goal's cell is that goal, face up; cards that no board has
    /// a cell for are left out.
    #[must_use]
    pub fn of(extent: Extent, cards: &[(i8, i8, Laid)]) -> Self {
        let mut board = Self::new(extent);
        cards.iter().for_each(|&(x, y, card)| board.put(x, y, card));
        board.find_reach();
        board
    }

    /// Where cards may be laid.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// The card that lies face up on a cell.
    #[must_use]
    pub fn card(&self, x: i8, y: i8) -> Option<Laid> {
        let (row, bit) = (&self.rows[row_of(y)?], column(x));
        if row.laid & bit == 0 {
            return None;
        }
        let sides = (0..).zip(row.open).filter(|(_, open)| open & bit != 0);
        Some(Laid { mask: sides.fold(0, |mask, (side, _)| mask | 1 << side), is_blocked: row.passable & bit == 0 })
    }

    /// Whether a goal lies face down on a cell.
    #[must_use]
    pub fn is_hidden(&self, x: i8, y: i8) -> bool {
        row_of(y).is_some_and(|row| self.rows[row].hidden & column(x) != 0)
    }

    /// Whether a path leads from the start to a passable card on this cell.
    #[must_use]
    pub fn is_reached(&self, x: i8, y: i8) -> bool {
        row_of(y).is_some_and(|row| self.rows[row].reached & column(x) != 0)
    }

    /// Puts a card face up on a cell, whatever lies there. What is reached is not computed.
    pub(super) fn put(&mut self, x: i8, y: i8, card: Laid) {
        let (Some(row), bit) = (row_of(y), column(x)) else { return };
        let cells = &mut self.rows[row];
        for (side, open) in cells.open.iter_mut().enumerate() {
            *open = if card.mask >> side & 1 != 0 { *open | bit } else { *open & !bit };
        }
        cells.laid |= bit;
        cells.hidden &= !bit;
        cells.passable = if card.is_blocked { cells.passable & !bit } else { cells.passable | bit };
        if bit != 0 {
            self.low = self.low.min(row as u8);
            self.high = self.high.max(row as u8);
        }
    }

    /// Lays a card that has been found to fit.
    #[inline]
    pub fn lay(&mut self, x: i8, y: i8, card: Laid) {
        self.put(x, y, card);
        if !card.is_blocked {
            self.extend_reach(x, y);
        }
    }

    /// A card was added at the end of a path: it is reached, and perhaps an island beyond it.
    fn extend_reach(&mut self, x: i8, y: i8) {
        let Some(row) = row_of(y) else { return };
        self.rows[row].reached |= column(x);
        let rows = &self.rows[usize::from(self.low)..=usize::from(self.high)];
        if rows.iter().any(|row| row.passable & !row.reached != 0) {
            self.flood();
        }
    }

    /// Turns a goal over. Entered by a path from `side` it is turned so that it opens to that side, if it can be.
    pub(super) fn turn_goal(&mut self, goal: usize, face: u8, side: usize) {
        let y = GOAL_Y[goal % GOALS];
        let mask = if face >> side & 1 == 0 && half_turn(face) >> side & 1 != 0 { half_turn(face) } else { face };
        self.put(GOAL_X, y, Laid { mask, is_blocked: false });
        if mask >> side & 1 != 0 {
            self.extend_reach(GOAL_X, y);
        }
    }

    /// Takes a card away and finds what is still reached.
    pub fn remove(&mut self, x: i8, y: i8) {
        let (Some(row), bit) = (row_of(y), column(x)) else { return };
        let cells = &mut self.rows[row];
        cells.open = cells.open.map(|open| open & !bit);
        cells.laid &= !bit;
        cells.passable &= !bit;
        self.find_reach();
    }

    /// Finds what is reached, and which rows are in use, from nothing but the cards.
    pub fn find_reach(&mut self) {
        let origin = ROW_ORIGIN as usize;
        let used = |row: &usize| self.rows[*row].laid != 0;
        self.low = (0..ROWS).find(used).unwrap_or(origin) as u8;
        self.high = (0..ROWS).rev().find(used).unwrap_or(origin) as u8;
        self.rows.iter_mut().for_each(|row| row.reached = 0);
        self.rows[origin].reached = column(0) & self.rows[origin].passable;
        self.flood();
    }

    /// Lets the reached cards grow over passable cards, across sides that are open on both cards.
    fn flood(&mut self) {
        let [left, up, right, down] = [0, 1, 2, 3];
        let mut grows = true;
        while grows {
            grows = false;
            for row in usize::from(self.low).max(1)..=usize::from(self.high).min(ROWS - 2) {
                let [below, own, above] = [&self.rows[row - 1], &self.rows[row], &self.rows[row + 1]];
                let mut reached = own.reached
                    | below.reached & below.open[up] & own.open[down] & own.passable
                    | above.reached & above.open[down] & own.open[up] & own.passable;
                loop {
                    let next = reached
                        | (reached & own.open[right]) << 1 & own.open[left] & own.passable
                        | (reached & own.open[left]) >> 1 & own.open[right] & own.passable;
                    if next == reached {
                        break;
                    }
                    reached = next;
                }
                grows |= reached != own.reached;
                self.rows[row].reached = reached;
            }
        }
    }

    /// The rows where a card can be laid.
    #[inline]
    fn rows_in_reach(&self) -> std::ops::RangeInclusive<usize> {
        let [bottom, top] = [self.extent.bottom, self.extent.top].map(|y| (y + ROW_ORIGIN) as usize);
        (usize::from(self.low) - 1).max(bottom)..=(usize::from(self.high) + 1).min(top)
    }

    /// The free cells of a row that an open path leads into.
    #[inline]
    fn frontier_row(&self, row: usize) -> u64 {
        let [left, up, right, down] = [0, 1, 2, 3];
        let [below, own, above] = [&self.rows[row - 1], &self.rows[row], &self.rows[row + 1]];
        let into = (own.reached & own.open[right]) << 1
            | (own.reached & own.open[left]) >> 1
            | below.reached & below.open[up]
            | above.reached & above.open[down];
        into & !(own.laid | own.hidden) & self.columns
    }

    /// Every free cell that an open path leads into, row by row from the bottom, each from the left.
    pub fn frontier(&self) -> impl Iterator<Item = (i8, i8)> {
        self.rows_in_reach().flat_map(|row| cells_of(row, self.frontier_row(row)))
    }

    /// Shows the [`frontier`](Self::frontier) with what the neighbours ask of a card there. In plain loops:
    /// half of a playout is spent here, and an iterator of iterators is slower.
    #[inline(always)]
    pub fn for_each_place(&self, mut visit: impl FnMut(i8, i8, Edges)) {
        for row in self.rows_in_reach() {
            for (x, y) in cells_of(row, self.frontier_row(row)) {
                visit(x, y, self.edges_at(row, x));
            }
        }
    }

    /// What the neighbours of a cell ask of a card there; nothing if no board has the cell.
    #[inline]
    #[must_use]
    pub fn edges(&self, x: i8, y: i8) -> Edges {
        match row_of(y) {
            Some(row) if column(x) != 0 => self.edges_at(row, x),
            _ => Edges::default(),
        }
    }

    /// The sides from which a reached card opens into a cell; none if no board has the cell.
    #[inline]
    #[must_use]
    pub fn paths_into(&self, x: i8, y: i8) -> u8 {
        let (Some(row), bit) = (row_of(y), column(x)) else { return 0 };
        let [left, up, right, down] = [0, 1, 2, 3];
        let [below, own, above] = [&self.rows[row - 1], &self.rows[row], &self.rows[row + 1]];
        let from = [
            (own.reached & own.open[right]) << 1,
            above.reached & above.open[down],
            (own.reached & own.open[left]) >> 1,
            below.reached & below.open[up],
        ];
        (0..).zip(from).fold(0, |sides, (side, cells)| sides | u8::from(cells & bit != 0) << side)
    }

    #[inline]
    fn edges_at(&self, row: usize, x: i8) -> Edges {
        let bit = (x + WIDE_ORIGIN) as u32;
        let [below, own, above] = [&self.rows[row - 1], &self.rows[row], &self.rows[row + 1]];
        let neighbours = [(own, bit - 1), (above, bit), (own, bit + 1), (below, bit)];
        let mut edges = Edges::default();
        for (side, (row, bit)) in neighbours.into_iter().enumerate() {
            let open = (row.open[side ^ 2] >> bit & 1) as u8;
            let laid = (row.laid >> bit & 1) as u8;
            edges.open |= open << side;
            edges.wall |= (laid & !open) << side;
        }
        edges
    }

    /// The cells where a card with these openings may be laid, as a word for each row: an AND of shifted rows.
    #[inline]
    fn legal_row(&self, row: usize, mask: u8) -> u64 {
        let [below, own, above] = [&self.rows[row - 1], &self.rows[row], &self.rows[row + 1]];
        let fits = |side: usize, open: u64, laid: u64| if mask >> side & 1 != 0 { open | !laid } else { !open };
        self.frontier_row(row)
            & fits(0, own.open[2] << 1, own.laid << 1)
            & fits(1, above.open[3], above.laid)
            & fits(2, own.open[0] >> 1, own.laid >> 1)
            & fits(3, below.open[1], below.laid)
    }

    /// The cells where a card with these openings may be laid, row by row from the bottom, each from the left.
    pub fn legal(&self, mask: u8) -> impl Iterator<Item = (i8, i8)> {
        self.rows_in_reach().flat_map(move |row| cells_of(row, self.legal_row(row, mask)))
    }

    /// The number of [`legal`](Self::legal) cells.
    #[inline]
    #[must_use]
    pub fn count_legal(&self, mask: u8) -> u32 {
        self.rows_in_reach().map(|row| self.legal_row(row, mask).count_ones()).sum()
    }

    /// The cells with a card that is neither the start nor a goal, row by row from the bottom, each from the left.
    pub fn removable(&self) -> impl Iterator<Item = (i8, i8)> {
        let rows = usize::from(self.low)..=usize::from(self.high);
        rows.flat_map(move |row| cells_of(row, self.rows[row].laid)).filter(|&(x, y)| !is_fixed(x, y))
    }
}

/// Whether a cell belongs to the start or a goal.
#[inline]
#[must_use]
pub fn is_fixed(x: i8, y: i8) -> bool {
    x == 0 && y == 0 || x == GOAL_X && GOAL_Y.contains(&y)
}
