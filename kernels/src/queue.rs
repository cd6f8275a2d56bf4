//! The work of one chunk: which playout a free lane takes next, and where its outcome goes.

use crate::rng;

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// The player in this seat won.
    Win(u8),
    /// Nobody won.
    Draw,
    /// The playout hit the cap on its length, which is part of the rules version.
    Truncated,
}

/// What is recorded of one playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won, if anybody.
    pub ending: Ending,
    /// Length in phases (one side's move).
    pub phases: u32,
    /// Length in single actions.
    pub actions: u32,
    /// Random numbers drawn.
    pub draws: u32,
}

/// Sum and sum of squares of a whole-numbered quantity, exact whatever the order of addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// Sum of the values.
    pub sum: u64,
    /// Sum of their squares.
    pub squares: u64,
}

impl Moments {
    /// Adds one value.
    #[inline]
    pub const fn add(&mut self, value: u32) {
        self.sum += value as u64;
        self.squares += value as u64 * value as u64;
    }

    /// Adds what another collected.
    pub const fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.squares += other.squares;
    }
}

/// The most seats any game has.
pub const MAX_SEATS: usize = 10;

/// Counts over the playouts of one position. Merging is integer addition, so shards add up exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Playouts counted.
    pub playouts: u64,
    /// Wins by seat; seats a game does not have stay 0.
    pub wins: [u64; MAX_SEATS],
    /// Draws.
    pub draws: u64,
    /// Playouts cut off by the cap on length.
    pub truncated: u64,
    /// Length in phases.
    pub phases: Moments,
    /// Length in single actions.
    pub actions: Moments,
}

impl Tally {
    /// Counts one playout.
    #[inline]
    pub fn add(&mut self, outcome: &Outcome) {
        self.playouts += 1;
        match outcome.ending {
            Ending::Win(seat) => self.wins[seat as usize % MAX_SEATS] += 1,
            Ending::Draw => self.draws += 1,
            Ending::Truncated => self.truncated += 1,
        }
        self.phases.add(outcome.phases);
        self.actions.add(outcome.actions);
    }

    /// Adds the counts of another tally of the same position.
    pub fn merge(&mut self, other: &Self) {
        self.playouts += other.playouts;
        for (mine, theirs) in self.wins.iter_mut().zip(other.wins) {
            *mine += theirs;
        }
        self.draws += other.draws;
        self.truncated += other.truncated;
        self.phases.merge(&other.phases);
        self.actions.merge(&other.actions);
    }
}

/// Some playouts of one position: numbers `first..first + playouts` of its streams.
#[derive(Clone, Copy, Debug)]
pub struct Item<P> {
    /// The position every one of them starts from.
    pub start: P,
    /// [`rng::position_base`] of the run's seed and the position's key.
    pub base: u64,
    /// Index of the first playout.
    pub first: u64,
    /// How many playouts.
    pub playouts: u32,
}

/// A playout in flight: the lane that plays it hands this back with the outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticket {
    /// Index of the [`Item`].
    pub item: u32,
    /// Running number of the playout within the chunk.
    pub number: u32,
}

/// Some playouts of one item, handed out together to a backend that runs them by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Index of the [`Item`].
    pub item: u32,
    /// How many playouts of the item come before this part.
    pub skipped: u32,
    /// Running number of the first playout within the chunk.
    pub number: u32,
    /// How many playouts, at least one.
    pub playouts: u32,
}

impl Part {
    /// The tickets of the part's playouts, in their order.
    pub fn tickets(&self) -> impl Iterator<Item = Ticket> + use<> {
        let Self { item, number, playouts, .. } = *self;
        (number..number + playouts).map(move |number| Ticket { item, number })
    }
}

/// Hands out the playouts of a chunk one by one and collects their outcomes.
#[derive(Debug)]
pub struct Queue<'a, P> {
    items: &'a [Item<P>],
    tallies: &'a mut [Tally],
    records: &'a mut [Option<(Outcome, P)>],
    /// The next playout's item and number.
    next: Ticket,
    /// How many playouts of that item have been handed out.
    taken: u32,
    occupancy: Occupancy,
}

/// How full the lanes were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Lane-steps in which a lane advanced a wanted playout.
    pub busy: u64,
    /// All lane-steps.
    pub total: u64,
}

impl Occupancy {
    /// Adds another measurement.
    pub const fn merge(&mut self, other: Self) {
        self.busy += other.busy;
        self.total += other.total;
    }

    /// Busy share of all lane-steps; 1 if there were none.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total == 0 { 1.0 } else { self.busy as f64 / self.total as f64 }
    }
}

impl<'a, P: Copy> Queue<'a, P> {
    /// A queue over `items` with one tally for each. `records` takes the outcome and final state of every
    /// playout, in the order of items and playouts; leave it empty if only the tallies are wanted.
    ///
    /// # Panics
    /// If the lengths do not fit together.
    #[must_use]
    pub fn new(items: &'a [Item<P>], tallies: &'a mut [Tally], records: &'a mut [Option<(Outcome, P)>]) -> Self {
        assert_eq!(items.len(), tallies.len(), "one tally per item");
        let playouts: usize = items.iter().map(|item| item.playouts as usize).sum();
        assert!(records.is_empty() || records.len() == playouts, "one record per playout");
        Self { items, tallies, records, next: Ticket::default(), taken: 0, occupancy: Occupancy::default() }
    }

    /// The items of this chunk.
    #[must_use]
    pub const fn items(&self) -> &'a [Item<P>] {
        self.items
    }

    /// The next playout to start and the state of its random generator.
    #[inline]
    pub fn take_one(&mut self) -> Option<(Ticket, &'a P, [u32; 4])> {
        let mut item = self.items.get(self.next.item as usize)?;
        while self.taken == item.playouts {
            self.next.item += 1;
            self.taken = 0;
            item = self.items.get(self.next.item as usize)?;
        }
        let ticket = self.next;
        let state = rng::playout_state(item.base, item.first.wrapping_add(u64::from(self.taken)));
        self.taken += 1;
        self.next.number += 1;
        Some((ticket, &item.start, state))
    }

    /// The next playouts item by item: all that are left, or as many as fit in so many playouts and parts.
    pub fn take(&mut self, most_playouts: u32, most_parts: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut room = most_playouts;
        while let Some(item) = self.items.get(self.next.item as usize) {
            if parts.len() == most_parts {
                break;
            }
            let playouts = (item.playouts - self.taken).min(room);
            if playouts > 0 {
                parts.push(Part { item: self.next.item, skipped: self.taken, number: self.next.number, playouts });
                self.taken += playouts;
                self.next.number += playouts;
                room -= playouts;
            }
            if self.taken < item.playouts {
                break;
            }
            self.next.item += 1;
            self.taken = 0;
        }
        parts
    }

    /// Whether the final state of every playout is wanted.
    #[must_use]
    pub const fn keeps_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// Records a finished playout. `last` gives its final state and is called only if records are kept.
    #[inline]
    pub fn finish(&mut self, ticket: Ticket, outcome: Outcome, last: impl FnOnce() -> P) {
        if let Some(tally) = self.tallies.get_mut(ticket.item as usize) {
            tally.add(&outcome);
        }
        if let Some(record) = self.records.get_mut(ticket.number as usize) {
            *record = Some((outcome, last()));
        }
    }

    /// Counts lane-steps, for [`Queue::occupancy`].
    #[inline]
    pub const fn count_steps(&mut self, busy: u64, total: u64) {
        self.occupancy.merge(Occupancy { busy, total });
    }

    /// How full the lanes were so far.
    #[must_use]
    pub const fn occupancy(&self) -> Occupancy {
        self.occupancy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_playouts_that_would_be_handed_out_one_by_one() {
        let items = [3, 0, 5, 1, 0].map(|playouts| Item { start: (), base: 7, first: 10, playouts });
        let (mut tallies, mut others) = ([Tally::default(); 5], [Tally::default(); 5]);
        for (most, most_parts) in (1..=10).flat_map(|most| [(most, 1), (most, 2), (most, 9)]) {
            let mut one_by_one = Queue::new(&items, &mut tallies, &mut []);
            let mut by_parts = Queue::new(&items, &mut others, &mut []);
            loop {
                let parts = by_parts.take(most, most_parts);
                if parts.is_empty() {
                    break;
                }
                assert!(parts.len() <= most_parts);
                assert!(parts.iter().map(|part| part.playouts).sum::<u32>() <= most);
                for part in parts {
                    for (ticket, index) in part.tickets().zip(10 + u64::from(part.skipped)..) {
                        let (expected, (), state) = one_by_one.take_one().expect("as many playouts");
                        assert_eq!((ticket.item, ticket.number), (expected.item, expected.number));
                        assert_eq!(state, rng::playout_state(7, index));
                    }
                }
            }
            assert!(one_by_one.take_one().is_none());
        }
    }
}
