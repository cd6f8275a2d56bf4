//! What ports and numbers do to the seats of any map, as far as it follows a rule.
//!
//! A port is worth the more to a seat the more it gives to the bank of what the port takes, while it owns the port. Two hexes
//! with the same number pay together: good if wood comes with brick, or wheat with ore, and bad if it is twice the same. How much
//! each of that matters is learned from all lines together, so that little is left to find out for each of them.

use nalgebra::{SMatrix, Vector3};

use super::habits::Habits;
use super::variants::{CLASSES, Family, PAIRINGS, Variant};
use crate::games::catan::tables::{RESOURCES, SEATS};
use crate::stats::seats::{CONTRASTS, contrasts};

/// Numbers of a seat from its ports: turns with a port that takes three, and cards given then of what no other port takes; cards
/// given of each resource while there is a port that takes two of it.
const OF_PORTS: usize = 2 + RESOURCES;

/// Numbers of a seat from equal numbers on two hexes: for each two resources what it has at both; what it has at one of
/// them and others at the other, and the same for twice the same resource.
const OF_PAIRS: usize = RESOURCES * (RESOURCES + 1) / 2 + 2;

/// Numbers of a variant.
pub(super) const NUMBERS: usize = OF_PORTS + OF_PAIRS;

pub(super) type Contrasts = Vector3<f64>;

/// How the contrasts of a variant move with each number.
pub(super) type Numbers = SMatrix<f64, CONTRASTS, NUMBERS>;

/// Kinds of ports; the last takes three.
pub(super) const KINDS: usize = RESOURCES + 1;
pub(super) const THREE: usize = RESOURCES;

/// How the contrasts move if a seat wins more and all others alike less.
pub(super) fn direction(seat: usize) -> Contrasts {
    Contrasts::from(contrasts(&std::array::from_fn(|other| u64::from(other == seat)), 1))
}

/// The numbers of all variants of a family.
pub(super) struct Ledger<'a> {
    seats: &'a [Habits; SEATS],
    pairs: [[[[f64; OF_PAIRS]; SEATS]; PAIRINGS]; CLASSES],
}

impl<'a> Ledger<'a> {
    pub fn new(family: &Family, seats: &'a [Habits; SEATS]) -> Self {
        let numbers = |class: usize, pairing: usize, seat: usize| {
            let (mut numbers, habits) = ([0.0; OF_PAIRS], &seats[seat]);
            for (shared, (_, resources)) in habits.pairs[class][pairing].iter().zip(family.pairs(class, pairing)) {
                // The classes have 2 to 5 pips.
                let pips = (class + 2) as f64 / f64::from(habits.turns.max(1));
                let cross = pips * f64::from(shared.others);
                numbers[OF_PAIRS - 2] += cross;
                let Some([less, more]) = resources else { continue };
                numbers[more * (more + 1) / 2 + less] += pips * f64::from(shared.own);
                if less == more {
                    numbers[OF_PAIRS - 1] += cross;
                }
            }
            numbers
        };
        let pairs = std::array::from_fn(|class| {
            std::array::from_fn(|pairing| std::array::from_fn(|seat| numbers(class, pairing, seat)))
        });
        Self { seats, pairs }
    }

    /// What a trend makes of any variant.
    pub fn forecast(&self, trend: &[f64; NUMBERS]) -> Forecast {
        let owned = |habits: &Habits| {
            let each = habits.owned.iter().map(|owned| {
                let turns = f64::from(habits.turns.max(1));
                let gain = |kinds: usize| {
                    let has = |kind: usize| kinds >> kind & 1 != 0;
                    let three = if has(THREE) { [f64::from(owned.turns) * trend[0], trend[1]] } else { [0.0; 2] };
                    let given = owned.given.iter().enumerate().map(|(resource, &cards)| {
                        f64::from(cards) * if has(resource) { trend[2 + resource] } else { three[1] }
                    });
                    (three[0] + given.sum::<f64>()) / turns
                };
                Gain { places: owned.places, by_kinds: std::array::from_fn(gain) }
            });
            each.collect()
        };
        let of_pairs = |numbers: &[f64; OF_PAIRS]| -> f64 {
            numbers.iter().zip(&trend[OF_PORTS..]).map(|(number, each)| number * each).sum()
        };
        Forecast {
            directions: std::array::from_fn(direction),
            owned: std::array::from_fn(|seat| owned(&self.seats[seat])),
            pairs: self.pairs.map(|pairings| pairings.map(|seats| seats.map(|numbers| of_pairs(&numbers)))),
        }
    }

    /// The numbers of a variant.
    pub fn numbers(&self, variant: &Variant) -> Numbers {
        let mut sum = Numbers::zeros();
        for (seat, habits) in self.seats.iter().enumerate() {
            let mut numbers = [0.0; NUMBERS];
            let (of_ports, of_pairs) = numbers.split_at_mut(OF_PORTS);
            for owned in &habits.owned {
                let mut kinds = [false; KINDS];
                for (place, &kind) in variant.ports.iter().enumerate() {
                    kinds[usize::from(kind)] |= owned.places >> place & 1 != 0;
                }
                let mut rest = 0;
                for (resource, &cards) in owned.given.iter().enumerate() {
                    if kinds[resource] {
                        of_ports[2 + resource] += f64::from(cards);
                    } else {
                        rest += cards;
                    }
                }
                if kinds[THREE] {
                    of_ports[0] += f64::from(owned.turns);
                    of_ports[1] += f64::from(rest);
                }
            }
            of_ports.iter_mut().for_each(|number| *number /= f64::from(habits.turns.max(1)));
            for (class, &pairing) in variant.pairs.iter().enumerate() {
                let more = &self.pairs[class][usize::from(pairing)][seat];
                of_pairs.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
            let direction = direction(seat);
            for (mut column, number) in sum.column_iter_mut().zip(numbers) {
                column += direction * number;
            }
        }
        sum
    }
}

/// What a trend makes of the variants of a family.
pub(super) struct Forecast {
    directions: [Contrasts; SEATS],
    /// By seat what comes from the sets of ports that it owned.
    owned: [Vec<Gain>; SEATS],
    /// What comes from equal numbers.
    pairs: [[[f64; SEATS]; PAIRINGS]; CLASSES],
}

/// What a set of ports is worth in a turn, by the set of their kinds.
struct Gain {
    places: u16,
    by_kinds: [f64; 1 << KINDS],
}

impl Forecast {
    /// The product of the [numbers](Ledger::numbers) of a variant and of what each of them does, sooner.
    pub fn expected(&self, variant: &Variant) -> Contrasts {
        let mut sum = Contrasts::zeros();
        for (seat, owned) in self.owned.iter().enumerate() {
            let mut of_ports = 0.0;
            for gain in owned {
                let places = variant.ports.iter().enumerate();
                let kinds =
                    places.fold(0, |kinds, (place, &kind)| kinds | usize::from(gain.places >> place & 1) << kind);
                of_ports += gain.by_kinds[kinds % (1 << KINDS)];
            }
            let pairs = self.pairs.iter().zip(variant.pairs);
            let of_pairs: f64 = pairs.map(|(pairings, pairing)| pairings[usize::from(pairing)][seat]).sum();
            sum += self.directions[seat] * (of_ports + of_pairs);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::habits::{Owned, Shared};
    use crate::games::catan::generate::draw;
    use nalgebra::SVector;

    fn family() -> (Family, Variant) {
        Family::new(draw(&crate::find::RECIPE, 1, 0)).expect("a map of the box")
    }

    /// The number of a seat: others alike have the rest.
    fn of_seat(numbers: &Numbers, number: usize, seat: usize) -> f64 {
        // Directions of all seats add up to nothing.
        direction(seat).dot(&numbers.column(number)) / direction(seat).norm_squared()
    }

    #[test]
    fn ports_count_by_what_their_owner_gives_to_the_bank() {
        let (family, mut variant) = family();
        let owned = vec![
            Owned { places: 0b01, turns: 50, given: [100, 200, 0, 0, 300] },
            Owned { places: 0b11, turns: 30, given: [60, 90, 0, 0, 30] },
            Owned { places: 0, turns: 20, given: [40; RESOURCES] },
        ];
        let mut seats = <[Habits; SEATS]>::default();
        seats[2] = Habits { turns: 100, owned, ..Habits::default() };
        variant.ports = [1, 5, 0, 2, 3, 4, 5, 5, 5];
        let numbers = Ledger::new(&family, &seats).numbers(&variant);
        let expected = [0.3, (60.0 + 30.0) / 100.0, 0.0, 2.9, 0.0, 0.0, 0.0];
        for (number, expected) in expected.into_iter().enumerate() {
            assert!((of_seat(&numbers, number, 2) - expected).abs() < 1e-12, "number {number}");
        }
        let trend = std::array::from_fn(|number| 1.0 + number as f64);
        let product = numbers * SVector::from(trend);
        assert!((Ledger::new(&family, &seats).forecast(&trend).expected(&variant) - product).norm() < 1e-12);
        assert!(numbers.columns_range(OF_PORTS..).iter().all(|&number| number == 0.0), "it settled nowhere");
    }

    #[test]
    fn equal_numbers_count_by_who_settled_at_both_hexes() {
        let (family, variant) = family();
        let pairing = usize::from(variant.pairs[3]);
        let (_, resources) = family.pairs(3, pairing)[0];
        let [less, more] = resources.expect("six and eight are not in the desert");
        let place = OF_PORTS + more * (more + 1) / 2 + less;
        let mut seats = <[Habits; SEATS]>::default();
        seats[1].turns = 10;
        seats[1].pairs[3][pairing][0] = Shared { own: 20, others: 0 };
        let own = Ledger::new(&family, &seats).numbers(&variant);
        assert!((of_seat(&own, place, 1) - 5.0 * 2.0).abs() < 1e-12);
        assert_eq!(own.columns_range(NUMBERS - 2..).norm(), 0.0, "there is nobody else");
        // Somebody else at the second hex.
        for seat in [0, 1] {
            seats[seat].turns = 10;
            seats[seat].pairs[3][pairing][0].others = 30;
        }
        let cross = Ledger::new(&family, &seats).numbers(&variant);
        let trend = std::array::from_fn(|number| 1.0 + number as f64);
        let product = cross * SVector::from(trend);
        assert!((Ledger::new(&family, &seats).forecast(&trend).expected(&variant) - product).norm() < 1e-12);
        let column = (direction(0) + direction(1)) * (5.0 * 3.0);
        assert!((cross.column(NUMBERS - 2) - column).norm() < 1e-12);
        let elsewhere = Variant {
            pairs: [variant.pairs[0], variant.pairs[1], variant.pairs[2], (variant.pairs[3] + 1) % 3],
            ..variant
        };
        let apart = Ledger::new(&family, &seats).numbers(&elsewhere);
        assert_eq!(apart.column(place).norm(), 0.0, "they do not share a number any more");
    }
}
