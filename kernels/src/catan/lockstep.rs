//! The driver: starts playouts in free lanes, picks the pass that is worth most, ends games, counts.

use fearless_simd::{Simd, dispatch};

use super::openings::{Openings, Remembering};
use super::packed::{Packed, Phase};
use super::state::Lanes;
use super::tables::SEATS;
use super::{Policy, Strategy};
use crate::bits::bits;
use crate::lanes::Words;
use crate::level::SimdLevel;
use crate::queue::{Ending, Outcome, Queue, Ticket};
use crate::rng::Rng;

/// Plays all playouts of the queue in lockstep at this SIMD level, which the CPU must have.
///
/// # Panics
/// If the CPU does not have the level.
pub fn play_lockstep(level: SimdLevel, policy: Policy, queue: &mut Queue<'_, Packed>) {
    let level = level.token().expect("the CPU has the SIMD level");
    dispatch!(level, simd => play(simd, policy, queue));
}

/// What a lane counts that waits to roll, to choose, or to move the robber. A pass for choices takes longest; few lanes ever move a
/// robber, and nothing is gained by letting them wait.
const ROLL: u32 = 2;
const CHOOSE: u32 = 1;
const ROB: u32 = 3;

/// Set-ups are remembered of a position that is played so often: less often, it would take longer than it saves.
const OFTEN: u32 = 100;

#[inline(always)]
fn play<S: Simd>(simd: S, policy: Policy, queue: &mut Queue<'_, Packed>) {
    let mut lanes = Lanes::<S>::new(simd, policy);
    let mut openings = Openings::default();
    lanes.refill((1 << Words::<S>::LANES) - 1, queue, &mut openings);
    lanes.sort(0);
    let (mut steps, mut busy) = (0, 0);
    loop {
        while lanes.over != 0 {
            lanes.finish(queue, &mut openings);
            lanes.sort(0);
        }
        let Lanes { rolls, picks, builds, robs, .. } = lanes;
        let (rolling, choosing, robbing) = (rolls.count_ones(), (picks | builds).count_ones(), robs.count_ones());
        let active = if robbing > 0 && robbing * ROB >= (rolling * ROLL).max(choosing * CHOOSE) {
            let Sets { random, random_s, heuristic } = lanes.by_strategy(robs);
            if random != 0 {
                lanes.rob(random);
            }
            if random_s != 0 {
                lanes.rob_from_list(random_s);
            }
            if heuristic != 0 {
                lanes.rob_as_heuristic(heuristic);
            }
            robbing
        } else if rolling + choosing + robbing == 0 {
            break;
        } else if rolling * ROLL >= choosing * CHOOSE {
            lanes.roll();
            rolling
        } else {
            let Sets { random, random_s, heuristic } = lanes.by_strategy(picks | builds);
            if random & builds != 0 {
                lanes.choose::<true>(random);
            } else if random != 0 {
                lanes.choose::<false>(random);
            }
            if random_s != 0 {
                lanes.choose_from_list(random_s);
            }
            if heuristic != 0 {
                lanes.decide(heuristic);
            }
            choosing
        };
        steps += 1;
        busy += u64::from(active);
    }
    queue.count_steps(busy, steps * Words::<S>::LANES as u64);
}

/// Lanes by the strategy of their mover.
#[derive(Clone, Copy, Default)]
struct Sets {
    random: u64,
    random_s: u64,
    heuristic: u64,
}

impl Sets {
    #[inline(always)]
    const fn of(&mut self, strategy: Strategy) -> &mut u64 {
        match strategy {
            Strategy::Random => &mut self.random,
            Strategy::RandomS => &mut self.random_s,
            Strategy::Heuristic => &mut self.heuristic,
        }
    }
}

impl<S: Simd> Lanes<S> {
    /// Sorts lanes by the strategy of their mover.
    #[inline(always)]
    fn by_strategy(&self, lanes: u64) -> Sets {
        let mut sets = Sets::default();
        let is_uniform = self.strategies == [self.strategies[0]; SEATS];
        if is_uniform {
            *sets.of(self.strategies[0]) = lanes;
            return sets;
        }
        for lane in bits(lanes) {
            *sets.of(self.strategies[self.mover_of(lane as usize)]) |= 1 << lane;
        }
        sets
    }

    /// Reports the games that are over and starts others in their lanes.
    #[inline(never)]
    fn finish(&mut self, queue: &mut Queue<'_, Packed>, openings: &mut Openings) {
        let lanes = std::mem::take(&mut self.over);
        for lane in bits(lanes).map(|lane| lane as usize) {
            let aside = &self.asides[lane];
            let Some(item) = queue.items().get(aside.ticket.item as usize) else { continue };
            let outcome = Outcome {
                ending: aside.ending,
                phases: self.turns.get(lane),
                actions: self.actions.get(lane),
                draws: self.rng.draws(lane),
            };
            queue.finish(aside.ticket, outcome, || self.position(lane, &item.start));
        }
        self.refill(lanes, queue, openings);
    }

    /// Starts the next playouts of the queue in these lanes; they stay empty if there are none.
    #[inline(never)]
    fn refill(&mut self, lanes: u64, queue: &mut Queue<'_, Packed>, openings: &mut Openings) {
        self.bank.simd().vectorize(
            #[inline(always)]
            || {
                for lane in bits(lanes).map(|lane| lane as usize) {
                    while let Some((ticket, start, state)) = queue.take_one() {
                        let item = queue.items().get(ticket.item as usize);
                        let is_often = item.is_some_and(|item| item.playouts >= OFTEN);
                        let Some(ending) = self.begin(lane, ticket, start, state, (openings, is_often)) else { break };
                        queue.finish(ticket, Outcome { ending, phases: 0, actions: 0, draws: 0 }, || *start);
                    }
                }
            },
        );
    }

    /// Puts a playout into a lane and plays it on until its mover has to choose, or says how it ends at once.
    #[inline(always)]
    fn begin(
        &mut self,
        lane: usize,
        ticket: Ticket,
        start: &Packed,
        state: [u32; 4],
        (openings, is_often): (&mut Openings, bool),
    ) -> Option<Ending> {
        self.asides[lane].ticket = ticket;
        let has_openings = is_often
            && self.strategies == [Strategy::Heuristic; SEATS]
            && start.phase == Phase::SetUpSettlement as u32
            && start.placed == 0;
        let mut rng = Rng::new(state);
        if has_openings && let Some((end, actions)) = openings.find(ticket.item, &mut rng) {
            self.start(lane, end);
            self.rng.put(lane, &rng);
            self.actions.set(lane, *actions);
        } else {
            self.start(lane, start);
            if self.has_won(lane) {
                return Some(Ending::Win(self.mover.get(lane) as u8));
            }
            if self.turn_cap.is(0).any() {
                return Some(Ending::Truncated);
            }
            self.rng.set(lane, state);
            if has_openings && openings.has_room() {
                self.remember_set_up(lane, start, openings);
            }
        }
        self.resolve(lane);
        None
    }

    /// Plays the set-up of a lane, for other playouts to start after it. If it does not come to its end nothing is played.
    #[inline(never)]
    fn remember_set_up(&mut self, lane: usize, start: &Packed, openings: &mut Openings) {
        let mut remembering = Remembering { rng: self.rng.get(lane), path: Vec::new() };
        if self.set_up(lane, &mut remembering).is_some() {
            openings.keep(&remembering.path, (self.position(lane, start), self.actions.get(lane)));
            self.rng.put(lane, &remembering.rng);
        } else {
            self.start(lane, start);
        }
    }
}
