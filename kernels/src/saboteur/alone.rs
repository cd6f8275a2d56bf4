//! Choices made lane by lane: what is rare, what has no numbers that vectors could compare, and plays far from the goals.

use super::ground::{Ground, PLACE_CELL, laid_mask};
use super::packed::{CARD_CELL, CELL_ROW_BITS, HAND_BITS, NO_HAND_CARD};
use super::tables::{BREAK, GOALS, HAND, MAP, MOST_PLAYERS, PATH_KINDS, REPAIR, REPAIRS, ROCK_FALL, TOOLS};
use crate::bits::bits;
use crate::rng::{Draws, Rng};

/// What a player does with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Lay it on a cell.
    Path {
        /// Whether it is turned.
        is_turned: bool,
        /// The cell.
        cell: usize,
    },
    /// Remove a card.
    RockFall {
        /// The cell.
        cell: usize,
    },
    /// Look at a goal.
    Map {
        /// The goal.
        goal: u32,
    },
    /// Break a tool.
    Break {
        /// The tool.
        tool: u32,
        /// Whose it is.
        seat: u32,
    },
    /// Repair a tool.
    Repair {
        /// The tool.
        tool: u32,
        /// Whose it is.
        seat: u32,
    },
    /// Discard it.
    Discard,
}

/// A card, by the first place in the hand where one of its kind is, and what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The place in the hand.
    pub slot: u32,
    /// What is done.
    pub use_of: Use,
}

/// What the mover of a lane sees.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The table.
    pub ground: &'a Ground,
    /// The mover's hand.
    pub hand: u32,
    /// The mover.
    pub mover: u32,
    /// The number of players.
    pub players: u32,
    /// Whether the mover is a saboteur.
    pub is_saboteur: bool,
    /// The goals that every seat has seen, three bits each.
    pub seen: u32,
    /// The broken tools of every seat, three bits each.
    pub broken: u32,
    /// The goal with the gold, one bit a goal.
    pub gold: u32,
    /// What each seat's actions said of its role.
    pub suspicion: &'a [i8; MOST_PLAYERS],
}

/// The kind of the card in a place of a hand, if there is one.
#[inline]
pub const fn kind_at(hand: u32, slot: usize) -> Option<usize> {
    let kind = hand >> (HAND_BITS * slot as u32) & NO_HAND_CARD;
    if slot < HAND && kind != NO_HAND_CARD { Some(kind as usize) } else { None }
}

/// The number of cards in a hand.
#[inline]
pub const fn len(hand: u32) -> u32 {
    // No kind of card has a number that begins with five ones, so whole empty places can be counted from the end.
    HAND as u32 - (hand << (u32::BITS - HAND_BITS * HAND as u32)).leading_ones() / HAND_BITS
}

/// The kinds of a hand in their order, each once, with their first places.
pub fn distinct(hand: u32) -> impl Iterator<Item = (u32, usize)> {
    let mut met = 0u32;
    (0..HAND as u32).map_while(move |slot| Some((slot, kind_at(hand, slot as usize)?))).filter(move |&(_, kind)| {
        let is_new = met >> kind & 1 == 0;
        met |= 1 << kind;
        is_new
    })
}

/// The goals that may hold the gold, for somebody who knows these.
#[inline]
pub const fn possible(known: u32, gold: u32) -> u32 {
    if known & gold != 0 { known & gold } else { 0b111 & !known }
}

/// Row and column of a cell as a number that goes up row by row from the bottom, each from the left.
#[inline]
pub const fn by_rows(cell: u32) -> u32 {
    let row = cell & ((1 << CELL_ROW_BITS) - 1);
    row << CELL_ROW_BITS | cell >> CELL_ROW_BITS
}

/// The `k`-th of some cells, counted row by row from the bottom, each from the left.
fn kth_by_rows(cells: impl Iterator<Item = u32>, k: u32) -> Option<usize> {
    let mut keys = [u32::MAX; 64];
    let mut count = 0;
    for cell in cells.take(keys.len()) {
        keys[count] = by_rows(cell);
        count += 1;
    }
    let keys = &mut keys[..count];
    keys.sort_unstable();
    // Twice by rows is by columns again.
    keys.get(k as usize).map(|&key| by_rows(key) as usize)
}

impl View<'_> {
    /// Whether the mover may lay path cards.
    #[inline]
    pub const fn can_dig(&self) -> bool {
        self.broken >> (3 * self.mover) & 7 == 0
    }

    /// The cells where a card with these openings may be laid.
    fn cells(&self, mask: u8) -> impl Iterator<Item = u32> {
        let places = &self.ground.places[..self.ground.count.min(self.ground.places.len())];
        places.iter().filter(move |&&place| place >> mask & 1 != 0).map(|place| place >> PLACE_CELL)
    }

    /// The tools of a seat that a card breaks or repairs, as bits.
    fn tools(&self, kind: usize, seat: u32) -> u32 {
        let broken = self.broken >> (3 * seat) & 7;
        if kind < REPAIR {
            if seat == self.mover { 0 } else { 1 << (kind - BREAK) & !broken }
        } else {
            u32::from(REPAIRS[(kind - REPAIR) % REPAIRS.len()]) & broken
        }
    }

    /// The number of uses of a card.
    fn count_uses(&self, kind: usize) -> u32 {
        match kind {
            0..PATH_KINDS if !self.can_dig() => 0,
            0..PATH_KINDS => {
                let [straight, turned] = [laid_mask(kind, false), laid_mask(kind, true)];
                let other = if straight == turned { 0 } else { self.cells(turned).count() };
                (self.cells(straight).count() + other) as u32
            }
            ROCK_FALL => self.ground.cards().len() as u32,
            MAP => GOALS as u32 - self.ground.face_up.count_ones(),
            _ => (0..self.players).map(|seat| self.tools(kind, seat).count_ones()).sum(),
        }
    }

    /// The `k`-th use of a card.
    fn kth_use(&self, kind: usize, k: u32) -> Option<Use> {
        match kind {
            0..PATH_KINDS => {
                let straight = self.cells(laid_mask(kind, false)).count() as u32;
                let is_turned = k >= straight;
                let k = if is_turned { k - straight } else { k };
                let cell = kth_by_rows(self.cells(laid_mask(kind, is_turned)), k)?;
                Some(Use::Path { is_turned, cell })
            }
            ROCK_FALL => {
                let cells = self.ground.cards().iter().map(|card| card >> CARD_CELL);
                kth_by_rows(cells, k).map(|cell| Use::RockFall { cell })
            }
            MAP => {
                let hidden = !self.ground.face_up & 0b111;
                bits(hidden.into()).nth(k as usize).map(|goal| Use::Map { goal })
            }
            _ => {
                let of_seat = |seat| bits(self.tools(kind, seat).into()).map(move |tool| (seat, tool));
                let (seat, tool) = (0..self.players).flat_map(of_seat).nth(k as usize)?;
                let is_break = kind < BREAK + TOOLS;
                Some(if is_break { Use::Break { tool, seat } } else { Use::Repair { tool, seat } })
            }
        }
    }

    /// A uniform one of the legal actions; one draw unless there is no choice.
    pub fn choose_random(&self, rng: &mut Rng) -> Choice {
        let mut uses = [0; HAND];
        let mut total = 0;
        for (uses, (_, kind)) in uses.iter_mut().zip(distinct(self.hand)) {
            *uses = self.count_uses(kind);
            total += *uses + 1;
        }
        let mut k = if total > 1 { rng.below(total) } else { 0 };
        for (uses, (slot, kind)) in uses.into_iter().zip(distinct(self.hand)) {
            if k < uses {
                return Choice { slot, use_of: self.kth_use(kind, k).unwrap_or(Use::Discard) };
            }
            k -= uses;
        }
        let slot = distinct(self.hand).nth(k as usize).map_or(0, |(slot, _)| slot);
        Choice { slot, use_of: Use::Discard }
    }
}
