//! Set-ups that were played before in a chunk, so that they need not be played again.
//!
//! Players who build choose among equally good places only, so few set-ups of a map differ. They are kept as a tree: a
//! node is a draw among so many options, and an end is the position after the set-up. A playout draws what it would draw
//! anyway, and starts from the end that it comes to.

use super::packed::Packed;
use crate::rng::{Draws, Rng};

/// Ends that are kept of a start: more would be found too seldom.
const MOST: usize = 256;

/// What is behind a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Link {
    #[default]
    Unknown,
    Draw(usize),
    End(usize),
}

/// A draw among so many options, whose links stand together.
#[derive(Clone, Copy, Debug)]
struct Draw {
    options: u32,
    first: usize,
}

/// A draw that was made: among how many options, and which came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    options: u32,
    option: u32,
}

/// The set-ups of one start.
#[derive(Debug, Default)]
pub(super) struct Openings {
    item: Option<u32>,
    /// The first one leads to the first draw.
    links: Vec<Link>,
    draws: Vec<Draw>,
    /// Positions after the set-up, and how many actions it took.
    ends: Vec<(Packed, u32)>,
}

impl Openings {
    /// The end that these random numbers lead to, if it is known; else nothing was drawn.
    #[inline]
    pub fn find(&mut self, item: u32, rng: &mut Rng) -> Option<&(Packed, u32)> {
        if self.item != Some(item) {
            self.item = Some(item);
            self.links.clear();
            self.draws.clear();
            self.ends.clear();
            self.links.push(Link::Unknown);
        }
        let mut after = rng.clone();
        let mut place = 0;
        loop {
            match *self.links.get(place)? {
                Link::Unknown => return None,
                Link::Draw(draw) => {
                    let Draw { options, first } = *self.draws.get(draw)?;
                    place = first + after.below(options) as usize;
                }
                Link::End(end) => {
                    *rng = after;
                    return self.ends.get(end);
                }
            }
        }
    }

    /// Whether there is room for another end.
    pub fn has_room(&self) -> bool {
        self.ends.len() < MOST
    }

    /// Keeps the end that some draws led to.
    pub fn keep(&mut self, path: &[Drawn], end: (Packed, u32)) {
        let mut place = 0;
        for &Drawn { options, option } in path {
            let draw = match self.links.get(place) {
                Some(&Link::Draw(draw)) => draw,
                _ => {
                    self.draws.push(Draw { options, first: self.links.len() });
                    self.link(place, Link::Draw(self.draws.len() - 1));
                    self.links.resize(self.links.len() + options as usize, Link::Unknown);
                    self.draws.len() - 1
                }
            };
            place = self.draws[draw].first + option as usize;
        }
        self.ends.push(end);
        self.link(place, Link::End(self.ends.len() - 1));
    }

    fn link(&mut self, place: usize, link: Link) {
        if let Some(old) = self.links.get_mut(place) {
            *old = link;
        }
    }
}

/// A generator that remembers what was drawn.
pub(super) struct Remembering {
    pub rng: Rng,
    pub path: Vec<Drawn>,
}

impl Draws for Remembering {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        let option = self.rng.below(n);
        self.path.push(Drawn { options: n, option });
        option
    }

    #[inline]
    fn four_in_five(&mut self) -> bool {
        self.below(5) != 0
    }

    #[inline]
    fn draws(&self) -> u32 {
        self.rng.draws()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable as _;

    /// A set-up with two draws, the second of which depends on the first, and the number of what came out.
    fn play(rng: &mut impl Draws) -> u32 {
        match rng.below(3) {
            0 => 10,
            first => 10 * first + rng.below(2 * first),
        }
    }

    #[test]
    fn known_ends_are_those_that_would_be_played() {
        let mut openings = Openings::default();
        let mut played = 0;
        for index in 0..2000 {
            // The second item begins anew.
            let item = u32::from(index >= 1000);
            let rng = Rng::for_playout(1, 2, index);
            let mut expected = rng.clone();
            let number = play(&mut expected);
            let mut found = rng.clone();
            match openings.find(item, &mut found) {
                Some((_, actions)) => {
                    assert_eq!(*actions, number);
                    assert_eq!((found.draws(), found.next_u32()), (expected.draws(), expected.next_u32()));
                }
                None => {
                    assert_eq!(found.draws(), 0);
                    let mut remembering = Remembering { rng, path: Vec::new() };
                    assert_eq!(play(&mut remembering), number);
                    openings.keep(&remembering.path, (Packed::zeroed(), number));
                    played += 1;
                }
            }
        }
        assert_eq!(played, 2 * (1 + 2 + 4));
    }

    #[test]
    fn a_set_up_without_draws_has_one_end() {
        let mut openings = Openings::default();
        let mut rng = Rng::for_playout(1, 2, 3);
        assert!(openings.find(7, &mut rng).is_none() && openings.has_room());
        openings.keep(&[], (Packed::zeroed(), 16));
        assert_eq!(openings.find(7, &mut rng).map(|end| end.1), Some(16));
        assert_eq!(rng.draws(), 0);
    }
}
