//! The driver: starts playouts in free lanes, picks the pass that most lanes wait for, ends games, counts.

use fearless_simd::{Simd, dispatch};

use super::packed::Packed;
use super::rules::Lanes;
use super::{Policy, Strategy};
use crate::bits::bits;
use crate::lanes::Words;
use crate::level::SimdLevel;
use crate::queue::{Ending, Outcome, Queue};

/// Plays all playouts of the queue in lockstep at this SIMD level, which the CPU must have.
///
/// # Panics
/// If the CPU does not have the level.
pub fn play_lockstep(level: SimdLevel, policy: Policy, queue: &mut Queue<'_, Packed>) {
    let level = level.token().expect("the CPU has the SIMD level");
    match policy.seats {
        [Strategy::Random, ..] => dispatch!(level, simd => play(simd, policy.turn_cap, queue)),
        _ => todo!(),
    }
}

/// So many lanes are worth a robber pass.
const ROBS: u32 = 2;

#[inline(always)]
fn play<S: Simd>(simd: S, turn_cap: u32, queue: &mut Queue<'_, Packed>) {
    let mut lanes = Lanes::<S>::new(simd, turn_cap);
    lanes.refill((1 << Words::<S>::LANES) - 1, queue);
    lanes.sort(0);
    let (mut steps, mut busy) = (0, 0);
    loop {
        while lanes.over != 0 {
            lanes.finish(queue);
            lanes.sort(0);
        }
        let Lanes { rolls, picks, builds, robs, .. } = lanes;
        let [rolling, picking, building, robbing] = [rolls, picks, builds, robs].map(u64::count_ones);
        let active = if robbing >= ROBS.min(rolling.max(picking + building).max(1)) {
            lanes.rob();
            robbing
        } else if rolling + picking + building + robbing == 0 {
            break;
        } else if rolling >= picking + building {
            lanes.roll();
            rolling
        } else if building > 0 {
            lanes.choose::<true>(picks | builds);
            picking + building
        } else {
            lanes.choose::<false>(picks);
            picking
        };
        steps += 1;
        busy += u64::from(active);
    }
    queue.count_steps(busy, steps * Words::<S>::LANES as u64);
}

impl<S: Simd> Lanes<S> {
    /// Reports the games that are over and starts others in their lanes.
    #[inline(never)]
    fn finish(&mut self, queue: &mut Queue<'_, Packed>) {
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
        self.refill(lanes, queue);
    }

    /// Starts the next playouts of the queue in these lanes; they stay empty if there are none.
    #[inline(never)]
    fn refill(&mut self, lanes: u64, queue: &mut Queue<'_, Packed>) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            while let Some((ticket, start, state)) = queue.take_one() {
                self.start(lane, start);
                let ending = if self.has_won(lane) {
                    Ending::Win(self.mover.get(lane) as u8)
                } else if self.turn_cap.is(0).any() {
                    Ending::Truncated
                } else {
                    self.rng.set(lane, state);
                    self.asides[lane].ticket = ticket;
                    self.resolve(lane);
                    break;
                };
                queue.finish(ticket, Outcome { ending, phases: 0, actions: 0, draws: 0 }, || *start);
            }
        }
    }
}
