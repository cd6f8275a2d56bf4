//! What the players do on the maps of a family: who owns which ports for how long, what they give to the bank meanwhile, and who
//! settles around which hexes.

use serde::{Deserialize, Serialize};

use super::variants::{CLASSES, Family, PAIRINGS, Variant};
use crate::games::catan::tables::{EDGE_NODES, HEXES, PORT_EDGES, PORTS, RESOURCES, SEATS, WALL_BIT};
use crate::games::catan::{Cards, Phase, Policy, Position, policy};
use fairground_kernels::rng::{Rng, absorb};

/// Games that are watched.
pub(super) const WATCHED: u64 = 2048;

/// Keep the random numbers of watched games and of their variants apart from those of others.
const STREAM: u64 = 0x6861_6269_7473_6f66;
const VARIANTS: u64 = 0x6f66_7661_7269_616e;

/// What a seat does, counted at the beginning of each of its turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Habits {
    /// Its turns.
    pub turns: u32,
    /// What it has at the pairs of hexes that [share a number](Family::pairs), by class and pairing.
    pub pairs: [[[Shared; 2]; PAIRINGS]; CLASSES],
    /// The sets of ports that it owned.
    pub owned: Vec<Owned>,
}

/// The pairs of hexes that share a number, by class and pairing.
type Pairs = [[[[usize; 2]; 2]; PAIRINGS]; CLASSES];

/// Settlements at two hexes, a city twice: products, summed over the turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shared {
    /// Its own at both.
    pub own: u32,
    /// Its own at either and those of others at the other one.
    pub others: u32,
}

/// Turns with the same ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owned {
    /// A bit for each place of a port.
    pub places: u16,
    /// How many turns.
    pub turns: u32,
    /// Cards of each resource that it gave to the bank in trades.
    pub given: [u32; RESOURCES],
}

impl Habits {
    /// The share of turns in which a port was owned.
    pub fn share(&self, place: usize) -> f64 {
        let with = self.owned.iter().filter(|owned| owned.places >> place & 1 != 0);
        with.map(|owned| f64::from(owned.turns)).sum::<f64>() / f64::from(self.turns.max(1))
    }

    fn owned(&mut self, places: u16) -> &mut Owned {
        let found = self.owned.iter().position(|owned| owned.places == places);
        let found = found.unwrap_or_else(|| {
            self.owned.push(Owned { places, ..Owned::default() });
            self.owned.len() - 1
        });
        &mut self.owned[found]
    }

    /// A turn of a seat begins.
    fn begin(&mut self, pairs: &Pairs, position: &Position, seat: usize, places: u16) {
        self.turns += 1;
        self.owned(places).turns += 1;
        let own: [u32; HEXES] = std::array::from_fn(|hex| position.players[seat].corners(hex));
        let all: [u32; HEXES] =
            std::array::from_fn(|hex| position.players.iter().map(|player| player.corners(hex)).sum());
        let shared = self.pairs.as_flattened_mut().as_flattened_mut();
        for (shared, &[a, b]) in shared.iter_mut().zip(pairs.as_flattened().as_flattened()) {
            shared.own += own[a] * own[b];
            shared.others += own[a] * (all[b] - own[b]) + own[b] * (all[a] - own[a]);
        }
    }
}

/// The places of the ports that a seat owns.
fn places(position: &Position, seat: usize) -> u16 {
    let has = |node: u8| position.players[seat].buildings >> WALL_BIT[usize::from(node)] & 1 != 0;
    let own = |place: &usize| EDGE_NODES[usize::from(PORT_EDGES[*place])].into_iter().any(has);
    (0..PORTS).filter(own).fold(0, |places, place| places | 1 << place)
}

/// The cards that the mover gave to the bank, by its hand before and after: only who trades gains and loses.
fn traded(before: Cards, after: Cards) -> Option<[u32; RESOURCES]> {
    let (gains, losses) = (after.without(before), before.without(after));
    let given = std::array::from_fn(|kind| u32::from(losses.count(kind)));
    (!gains.is_empty() && !losses.is_empty()).then_some(given)
}

/// The habits of all seats in a family. Each game is played on a random variant, so that no port is where it always is: what a seat
/// gives to the bank then says what a port of any kind would be worth to it.
pub(super) fn watch(family: &Family, own: &Variant, players: Policy) -> [Habits; SEATS] {
    let mut habits = <[Habits; SEATS]>::default();
    let pairs =
        std::array::from_fn(|class| std::array::from_fn(|pairing| family.pairs(class, pairing).map(|(pair, _)| pair)));
    let key = absorb(Position::start(&family.map(own)).key(), STREAM);
    for game in 0..WATCHED {
        let variant = own.drawn(&mut Rng::for_playout(VARIANTS, key, game));
        let mut start = Position::start(&family.map(&variant));
        let (mut turn, mut owned, mut hand) = (None, 0, None);
        let note = |position: &Position| {
            let seat = usize::from(position.mover);
            if position.phase != Phase::Turn {
                hand = None;
                return;
            }
            if turn != Some(position.turn) {
                (turn, owned, hand) = (Some(position.turn), places(position, seat), None);
                habits[seat].begin(&pairs, position, seat, owned);
            }
            let now = position.players[seat].hand;
            if let Some(given) = hand.and_then(|before| traded(before, now)) {
                let sums = &mut habits[seat].owned(owned).given;
                sums.iter_mut().zip(given).for_each(|(sum, cards)| *sum += cards);
            }
            hand = position.rolled.then_some(now);
        };
        policy::play_watched(&mut start, players, &mut Rng::for_playout(0, key, game), note);
    }
    habits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::catan::{Strategy, TURN_CAP, builtin};

    #[test]
    fn habits_are_those_of_whole_games() {
        let (family, own) = Family::new(builtin::maps().remove(0)).expect("a map of the box");
        let habits = watch(&family, &own, Policy { seats: [Strategy::Heuristic; SEATS], turn_cap: TURN_CAP });
        for seat in &habits {
            assert_eq!(seat.turns, seat.owned.iter().map(|owned| owned.turns).sum::<u32>());
            let each = f64::from(seat.turns) / WATCHED as f64;
            assert!((5.0..100.0).contains(&each), "{each} turns a game");
            let given: u32 = seat.owned.iter().flat_map(|owned| owned.given).sum();
            let given = f64::from(given) / f64::from(seat.turns);
            // A trade takes two to four cards, and not every turn has one.
            assert!((0.2..4.0).contains(&given), "{given} cards a turn");
        }
        let sum = |of: fn(&Shared) -> u32| -> u32 {
            habits.iter().flat_map(|seat| seat.pairs.as_flattened().as_flattened()).map(of).sum()
        };
        assert!(sum(|shared| shared.own) > 0 && sum(|shared| shared.others) > sum(|shared| shared.own));
        let shares: f64 = (0..PORTS).flat_map(|place| habits.iter().map(move |seat| seat.share(place))).sum();
        assert!((0.5..PORTS as f64).contains(&shares), "{shares} ports at a time");
    }

    #[test]
    fn only_trades_are_counted() {
        let before = Cards::new([4, 1, 1, 1, 0]);
        assert_eq!(traded(before, Cards::new([0, 1, 1, 1, 1])), Some([4, 0, 0, 0, 0]));
        assert_eq!(traded(before, Cards::new([4, 1, 0, 0, 0])), None, "something was built");
        assert_eq!(traded(before, Cards::new([4, 2, 2, 1, 0])), None, "a year of plenty");
    }
}
