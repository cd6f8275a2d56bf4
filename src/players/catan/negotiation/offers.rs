//! Which trades are possible.

use std::fmt;
use std::ops::RangeInclusive;

use fairground_kernels::catan::Cards;
use fairground_kernels::catan::tables::RESOURCES;

use crate::games::catan::{Offer, Phase, Position};

/// How many cards change hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Cards that the proposer gives.
    pub gives: u8,
    /// Cards that the proposer takes.
    pub takes: u8,
    /// Whether it is always that many, and not from one up to that many.
    pub is_exact: bool,
}

impl Shape {
    /// One card for one.
    pub const ONE_FOR_ONE: Self = Self { gives: 1, takes: 1, is_exact: true };
    /// Two cards for one.
    pub const TWO_FOR_ONE: Self = Self { gives: 2, takes: 1, is_exact: true };
    /// The most cards of a side. More would make thousands of trades.
    pub const MOST: u8 = 4;

    fn sizes(self, most: u8) -> RangeInclusive<u8> {
        if self.is_exact { most..=most } else { 1..=most }
    }
}

impl fmt::Display for Shape {
    /// `2:1`, or `..2:1` for up to that many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gives, takes, is_exact } = self;
        write!(f, "{}{gives}:{takes}", if *is_exact { "" } else { ".." })
    }
}

impl std::str::FromStr for Shape {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (text, is_exact) = text.strip_prefix("..").map_or((text, true), |text| (text, false));
        let (gives, takes) = text.split_once(':').ok_or(())?;
        let [gives, takes] = [gives, takes].map(|text| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| is_plain && (1..=Self::MOST).contains(number))
        });
        // One card is up to one card.
        let shape = Self { gives: gives.ok_or(())?, takes: takes.ok_or(())?, is_exact };
        Ok(if (shape.gives, shape.takes) == (1, 1) { Self::ONE_FOR_ONE } else { shape })
    }
}

/// Whether trades can be proposed: the mover has rolled and nothing has to be done first.
#[must_use]
pub fn is_open(position: &Position) -> bool {
    position.phase == Phase::Turn && position.rolled && position.winner().is_none()
}

/// All trades that the mover can propose now, by partner in the order of turns, then by what is given and taken. Both
/// sides have the cards, and no resource goes both ways.
#[must_use]
pub fn candidates(position: &Position, shape: Shape) -> Vec<Offer> {
    if !is_open(position) {
        return Vec::new();
    }
    let given = sets(position.own().hand, shape.sizes(shape.gives));
    let mut offers = Vec::new();
    for to in position.opponents() {
        let taken = sets(position.players[usize::from(to)].hand, shape.sizes(shape.takes));
        for &gives in &given {
            let differ = |wants: &&Cards| (0..RESOURCES).all(|kind| gives.count(kind) == 0 || wants.count(kind) == 0);
            offers.extend(taken.iter().filter(differ).map(|&wants| Offer { to, gives, wants }));
        }
    }
    offers
}

/// All sets of so many cards of a hand.
fn sets(hand: Cards, sizes: RangeInclusive<u8>) -> Vec<Cards> {
    let mut sets = vec![Cards::NONE];
    for kind in 0..RESOURCES {
        let more = |&set: &Cards| {
            let room = sizes.end().saturating_sub(set.total() as u8);
            (0..=hand.count(kind).min(room)).map(move |count| set + Cards::of(kind, count))
        };
        sets = sets.iter().flat_map(more).collect();
    }
    sets.retain(|set| sizes.contains(&(set.total() as u8)));
    sets
}
