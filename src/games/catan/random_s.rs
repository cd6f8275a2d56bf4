//! `random-s`: a uniform entry of the list of actions that SmartSettlers draws from.
//!
//! The rules stay those of this engine; only what is listed, and how often, follows SmartSettlers:
//!
//! - a road is listed once for each of its ends that it can be built from;
//! - the robber has one entry for each hex other than its own and each building of an opponent there, whether or not
//!   that opponent has a card; none for a hex without such a building. Without an entry the robber stays;
//! - a knight is listed with where the robber goes: once for each of those entries;
//! - before the roll there are only knights, and road building needs two roads in stock;
//! - discards are uniform over cards, as in `random`.
//!
//! Not followed, because it is not a matter of the list: SmartSettlers has no limit on the bank (here a year of plenty
//! and a trade need the card), measures longest roads by nodes, lets anybody win at any time, and plays a knight and its
//! robber as one action. Here that is one draw but two actions, and a knight that wins does not move the robber.
//!
//! The list is a sequence of sets, each by ascending bits: horizontal roads from their left and from their right end,
//! vertical roads from their upper and from their lower end, settlements, cities, the entries of the robber, the
//! other bits of [`misc`]. The robber's entries are six sets, one for each of the [`CORNER_BITS`]: the hexes, by their
//! upper left corner, with an opponent's building on that corner.

use fairground_kernels::bits::{count, find, kth};
use fairground_kernels::catan::wall::{ALL_EDGES, CORNER_BITS, HEX_CORNERS, STRIDE};
use fairground_kernels::catan::{Roads, misc};
use fairground_kernels::rng::Draws;

use super::pieces::Card;
use super::policy::{Chooser, Random};
use super::position::{Phase, Position};
use super::rules::Choice;

/// Remembers where the robber goes from the choice of a knight to the move of the robber.
#[derive(Debug, Default)]
pub(super) struct RandomS {
    entry: Option<u32>,
}

/// The sets of roads: horizontal from the left and the right end, vertical from the upper and the lower end.
#[inline]
fn roads_by_end(position: &Position) -> [u64; 4] {
    let own = position.own();
    let from = own.roads.touched() & !position.occupied() | own.buildings;
    let Roads { h, v } = ALL_EDGES - position.taken();
    [h & from, h & from >> 1, v & from, v & from >> STRIDE]
}

/// The entries of the robber: hexes with an opponent's building on each corner.
#[inline]
fn entries(position: &Position) -> [u64; 6] {
    let others = position.occupied() & !position.own().buildings;
    let elsewhere = HEX_CORNERS & !kth(HEX_CORNERS, position.robber.into());
    CORNER_BITS.map(|bits| elsewhere & others >> bits)
}

impl Chooser for RandomS {
    /// One draw, unless there is no choice.
    fn choice<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Choice {
        let knights = (position.own().cards.without(position.fresh)).count(Card::Knight.index());
        let robber = if knights > 0 && !position.card_played { entries(position) } else { [0; 6] };
        let (roads, [settlements, cities], misc) = if position.rolled {
            let choices = position.turn_choices();
            let roads = if choices.roads.is_empty() { [0; 4] } else { roads_by_end(position) };
            let has_two = position.own().left[0] >= 2;
            let unlisted = 1 << misc::KNIGHT | u64::from(!has_two) << misc::ROAD_BUILDING;
            (roads, [choices.settlements, choices.cities], choices.misc & !unlisted)
        } else {
            ([0; 4], [0; 2], 1 << misc::ROLL_OR_END)
        };
        let all = count(&roads) + count(&[settlements, cities, misc]) + count(&robber);
        let k = if all > 1 { draws.below(all) } else { 0 };
        let [left, right, up, down] = roads;
        let k = match find(&[left, right, up, down, settlements, cities], k) {
            Ok((0 | 1, h)) => return Choice::Road(Roads { h, v: 0 }),
            Ok((2 | 3, v)) => return Choice::Road(Roads { h: 0, v }),
            Ok((4, node)) => return Choice::Settlement(node),
            Ok((_, node)) => return Choice::City(node),
            Err(k) => k,
        };
        match find(&robber, k) {
            Ok(_) => {
                self.entry = Some(k);
                Choice::Misc(misc::KNIGHT)
            }
            Err(k) => Choice::Misc(kth(misc, k).trailing_zeros()),
        }
    }

    /// The set-up is that of `random`; free roads are listed by their ends.
    fn place<D: Draws>(&mut self, position: &Position, draws: &mut D) -> Option<Choice> {
        if position.phase != Phase::FreeRoads {
            return Random.place(position, draws);
        }
        let roads = roads_by_end(position);
        let all = count(&roads);
        match find(&roads, if all > 1 { draws.below(all) } else { 0 }) {
            Ok((0 | 1, h)) => Some(Choice::Road(Roads { h, v: 0 })),
            Ok((_, v)) => Some(Choice::Road(Roads { h: 0, v })),
            Err(_) => None,
        }
    }

    fn discarded<D: Draws>(&mut self, position: &Position, seat: usize, draws: &mut D) -> usize {
        Random.discarded(position, seat, draws)
    }

    /// One draw, unless a knight came with its entry or there is no choice. Without an entry the robber stays.
    fn robbery<D: Draws>(&mut self, position: &Position, draws: &mut D) -> (u8, Option<u8>) {
        let sets = entries(position);
        let all = count(&sets);
        let k = self.entry.take().unwrap_or_else(|| if all > 1 { draws.below(all) } else { 0 });
        let Ok((corner, first)) = find(&sets, k) else { return (position.robber, None) };
        let hex = (HEX_CORNERS & (first - 1)).count_ones() as u8;
        let node = first << CORNER_BITS[corner];
        let has_node = |seat: &u8| position.players[usize::from(*seat)].buildings & node != 0;
        let owner = position.opponents().into_iter().find(has_node);
        (hex, owner.filter(|&seat| !position.players[usize::from(seat)].hand.is_empty()))
    }
}
