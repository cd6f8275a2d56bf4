//! Cells and sets of cells.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub};

use fairground_kernels::bits::{bits, kth_bit};
use fairground_kernels::tubstap::tables::MAX_SIDE;

/// A cell of the playable area, `8 x + y` with `x` to the right, `y` downwards, both from 0.
///
/// Map files count from 1 because they store a border; see [`Cell::from_file`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

/// The neighbour order of the original program: right, up, left, down.
pub const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, -1), (-1, 0), (0, 1)];

impl Cell {
    /// The cell in column `x`, row `y`, or `None` outside the largest area.
    #[must_use]
    pub const fn new(x: usize, y: usize) -> Option<Self> {
        if x < MAX_SIDE && y < MAX_SIDE { Some(Self((x * 8 + y) as u8)) } else { None }
    }

    /// The cell with this index; only the low six bits count.
    #[inline]
    #[must_use]
    pub const fn from_index(index: u32) -> Self {
        Self((index & 63) as u8)
    }

    /// The cell at file coordinates, which count the border: the first playable cell is (1, 1).
    #[must_use]
    pub const fn from_file(x: usize, y: usize) -> Option<Self> {
        if x == 0 || y == 0 { None } else { Self::new(x - 1, y - 1) }
    }

    /// Column and row as map files write them, counting the border.
    #[must_use]
    pub const fn to_file(self) -> (usize, usize) {
        (self.x() as usize + 1, self.y() as usize + 1)
    }

    /// `8 x + y`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// Column.
    #[inline]
    #[must_use]
    pub const fn x(self) -> u32 {
        self.0 as u32 >> 3
    }

    /// Row.
    #[inline]
    #[must_use]
    pub const fn y(self) -> u32 {
        self.0 as u32 & 7
    }

    /// Manhattan distance.
    #[inline]
    #[must_use]
    pub const fn distance(self, other: Self) -> u32 {
        self.x().abs_diff(other.x()) + self.y().abs_diff(other.y())
    }

    /// The cell in its place after half a turn of an area of this size in which it lies.
    #[must_use]
    pub const fn opposite(self, width: usize, height: usize) -> Self {
        let (x, y) = (self.x() as usize, self.y() as usize);
        match Self::new(width.saturating_sub(x + 1), height.saturating_sub(y + 1)) {
            Some(cell) => cell,
            None => self,
        }
    }

    /// The neighbour in [`DIRECTIONS`]`[direction]`, if it is inside the largest area.
    #[inline]
    #[must_use]
    pub const fn neighbour(self, direction: usize) -> Option<Self> {
        let (dx, dy) = DIRECTIONS[direction & 3];
        let (x, y) = (self.x() as i32 + dx as i32, self.y() as i32 + dy as i32);
        if x < 0 || y < 0 { None } else { Self::new(x as usize, y as usize) }
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x(), self.y())
    }
}

/// A set of cells, one bit each: bit `8 x + y`.
///
/// Ascending bits are the original program's order of moves: columns from the left, each from the top.
///
/// ```
/// use fairground::games::tubstap::{Board, Cell};
/// let centre = Board::of(Cell::new(1, 1).unwrap());
/// let plus = centre | centre.neighbours();
/// assert_eq!(plus.to_string().lines().next().unwrap(), ". # . . . . . .");
/// assert_eq!(plus.to_string().lines().nth(1).unwrap(), "# # # . . . . .");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Board(pub u64);

/// Every cell but those of the top row.
const NOT_TOP: u64 = 0xfefe_fefe_fefe_fefe;
/// Every cell but those of the bottom row.
const NOT_BOTTOM: u64 = 0x7f7f_7f7f_7f7f_7f7f;

impl Board {
    /// No cell.
    pub const EMPTY: Self = Self(0);

    /// The set of one cell.
    #[inline]
    #[must_use]
    pub const fn of(cell: Cell) -> Self {
        Self(1 << cell.0)
    }

    /// The playable area of a map of this size.
    #[must_use]
    pub const fn area(width: usize, height: usize) -> Self {
        let column = if height >= 8 { 0xff } else { (1u64 << height) - 1 };
        let columns = if width >= 8 { u64::MAX } else { (1u64 << (8 * width)) - 1 };
        Self((column * 0x0101_0101_0101_0101) & columns)
    }

    /// Whether the set has no cell.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has this cell.
    #[inline]
    #[must_use]
    pub const fn has(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 != 0
    }

    /// Number of cells.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The cells next to a cell of the set.
    #[inline]
    #[must_use]
    pub const fn neighbours(self) -> Self {
        let b = self.0;
        Self(b << 8 | b >> 8 | b << 1 & NOT_TOP | b >> 1 & NOT_BOTTOM)
    }

    /// The `k`-th cell in ascending order, counting from 0; `k` must be less than [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn kth(self, k: u32) -> Cell {
        Cell::from_index(kth_bit(self.0, k))
    }

    /// The cells in ascending order.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        bits(self.0).map(Cell::from_index)
    }
}

impl BitAnd for Board {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Board {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Board {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for Board {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl Sub for Board {
    type Output = Self;
    /// The cells of `self` that are not in `other`.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for Board {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in 0..8 {
            let row: Vec<_> = (0..8).map(|x| if self.0 >> (8 * x + y) & 1 != 0 { "#" } else { "." }).collect();
            writeln!(f, "{}", row.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({:#018x})", self.0)
    }
}
