//! A position in few words, as the kernel's lanes and the shader hold it.
//!
//! ```text
//! board   one bit per cell, bit 8 x + y: columns are bytes, so that ascending bits are the
//!         program's order of moves (x outer, y inner)
//!
//!           x  0   1   2        7
//!         y 0  0   8  16  ...  56
//!           1  1   9  17  ...  57
//!           :
//!           7  7  15  23  ...  63
//!
//! kinds   nibble i = kind of unit i          cells   byte i % 8 of word i / 8 = cell of unit i,
//! hp      nibble i = hit points, 0 if dead           plus 64 if it is dead or never was
//!                                            alive, acted   bit i
//! ```
//! Units of a side are numbered in the order of the map file.

use bytemuck::{Pod, Zeroable};

/// Bit in the cell byte of a unit that is dead or never was.
pub const DEAD: u8 = 0x40;

/// The units of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedSide {
    /// Board of the living units.
    pub occupied: u64,
    /// Hit points by nibble.
    pub hp: u64,
    /// Kinds by nibble.
    pub kinds: u64,
    /// Cells by byte, with [`DEAD`] if not alive.
    pub cells: [u64; 2],
    /// Living units by bit.
    pub alive: u32,
    /// Units that have acted in this phase, by bit.
    pub acted: u32,
}

/// A position. Same words in the same order on every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Packed {
    /// Cells that can be entered by air.
    pub open: u64,
    /// Plain, road and fortress: entering costs everybody 1.
    pub flat: u64,
    /// Wood: infantry 1, other ground units 2; three stars.
    pub wood: u64,
    /// Mountain: infantry 2, no other ground unit.
    pub mountain: u64,
    /// Plain and wood: the lowest bit of the number of stars (wood is the middle bit).
    pub one_star: u64,
    /// Mountain and fortress: the highest bit of the number of stars.
    pub four_stars: u64,
    /// Red, Blue.
    pub sides: [PackedSide; 2],
    /// Phases played.
    pub turn: u32,
    /// Phases after which the hit points are judged.
    pub limit: u32,
    /// A lead of more than this wins then.
    pub threshold: u32,
    /// 0 if Red moves, 1 if Blue.
    pub mover: u32,
}
