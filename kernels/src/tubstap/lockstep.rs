//! The driver: starts playouts in free lanes, lets all lanes act, ends phases and games, counts.

use fearless_simd::{Simd, dispatch};

use super::packed::{Packed, PackedSide};
use super::policy::View;
use super::rules::{Ground, Side, swap_boards, swap_words};
use super::tables::INFANTRY;
use super::{MSS_PHASES, MSS_WEIGHT, PHASE_CAP, Policy};
use crate::bits::bits;
use crate::lanes::{Boards, WordMask, Words};
use crate::level::SimdLevel;
use crate::queue::{Ending, Outcome, Queue, Ticket};
use crate::rng::LaneRng;

/// Plays all playouts of the queue in lockstep at this SIMD level, which the CPU must have.
///
/// # Panics
/// If the CPU does not have the level.
pub fn play_lockstep(level: SimdLevel, policy: Policy, queue: &mut Queue<'_, Packed>) {
    let level = level.token().expect("the CPU has the SIMD level");
    let units = |side: &PackedSide| 32 - side.alive.leading_zeros() as usize;
    let slots = queue.items().iter().flat_map(|item| &item.start.sides).map(units).max().unwrap_or(0);
    // The policy and the room for units are compiled in.
    match (policy, slots > 8) {
        (Policy::Random, false) => dispatch!(level, simd => play::<_, 1, RANDOM>(simd, slots, queue)),
        (Policy::Random, true) => dispatch!(level, simd => play::<_, 2, RANDOM>(simd, slots, queue)),
        (Policy::Muct, false) => dispatch!(level, simd => play::<_, 1, MUCT>(simd, slots, queue)),
        (Policy::Muct, true) => dispatch!(level, simd => play::<_, 2, MUCT>(simd, slots, queue)),
        (Policy::Mss, false) => dispatch!(level, simd => play::<_, 1, MSS>(simd, slots, queue)),
        (Policy::Mss, true) => dispatch!(level, simd => play::<_, 2, MSS>(simd, slots, queue)),
    }
}

const RANDOM: u8 = Policy::Random as u8;
const MUCT: u8 = Policy::Muct as u8;
const MSS: u8 = Policy::Mss as u8;

/// Random numbers that an action of [`Policy::Mss`] takes: which unit, and what it does.
const MSS_DRAWS: u32 = 2;

/// The games in flight.
struct Lanes<S: Simd, const H: usize> {
    ground: Ground<S>,
    /// The side to move.
    own: Side<S, H>,
    enemy: Side<S, H>,
    rng: LaneRng<S>,
    phases: Words<S>,
    /// The playout is over after so many phases.
    last_phase: Words<S>,
    actions: Words<S>,
    /// Lanes whose playout may stop when a side is dead though it is not over: who wins is known then, and how long it
    /// would last. All lanes or none.
    may_stop: WordMask<S>,
    tickets: [Ticket; 16],
    /// Lanes that hold a playout, by bit and as a mask.
    live: u64,
    live_mask: WordMask<S>,
}

#[inline(always)]
fn play<S: Simd, const H: usize, const POLICY: u8>(simd: S, slots: usize, queue: &mut Queue<'_, Packed>) {
    let mut lanes = Lanes::<S, H>::new(simd);
    if POLICY == MSS && !queue.keeps_records() {
        lanes.may_stop = WordMask::from_bits(simd, u64::MAX);
    }
    lanes.refill::<POLICY>((1 << Words::<S>::LANES) - 1, queue);
    lanes.live_mask = WordMask::from_bits(simd, lanes.live);
    let (mut steps, mut busy) = (0, 0);
    loop {
        // 1. End the phases that have nothing left to do; end games and start others in their lanes.
        loop {
            let over = lanes.phases_over::<POLICY>();
            if !over.any() {
                break;
            }
            let finished = lanes.end_phases::<POLICY>(over);
            if finished != 0 {
                lanes.finish::<POLICY>(finished, queue);
                lanes.refill::<POLICY>(finished, queue);
                lanes.live_mask = WordMask::from_bits(simd, lanes.live);
            }
        }
        if lanes.live == 0 {
            break;
        }
        // 2. One unit of every lane acts.
        steps += 1;
        busy += u64::from(lanes.live.count_ones());
        let view = View { ground: &lanes.ground, own: &lanes.own, enemy: &lanes.enemy, slots };
        let choice = match POLICY {
            RANDOM => view.random(&mut lanes.rng),
            MUCT => view.muct(&mut lanes.rng),
            _ => view.mss(&mut lanes.rng),
        };
        let Lanes { ground, own, enemy, .. } = &mut lanes;
        ground.act(own, enemy, &choice.unit, choice.to, choice.attacking, &choice.target);
        lanes.actions = lanes.actions + 1;
    }
    queue.count_steps(busy, steps * Words::<S>::LANES as u64);
}

impl<S: Simd, const H: usize> Lanes<S, H> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let board = Boards::splat(simd, 0);
        let word = Words::splat(simd, 0);
        let side =
            Side { occupied: board, cells: [board; H], hp: [word; H], kinds: [word; H], alive: word, ready: word };
        Self {
            ground: Ground {
                open: board,
                flat: board,
                wood: board,
                mountain: board,
                plus_one: board,
                plus_three: board,
            },
            own: side,
            enemy: side,
            rng: LaneRng::new(simd),
            phases: word,
            last_phase: word,
            actions: word,
            may_stop: WordMask::from_bits(simd, 0),
            tickets: [Ticket::default(); 16],
            live: 0,
            live_mask: WordMask::from_bits(simd, 0),
        }
    }

    /// The live lanes whose phase is over.
    #[inline(always)]
    fn phases_over<const POLICY: u8>(&self) -> WordMask<S> {
        let all_acted = self.own.ready.is(0);
        // In the real game a phase also stops when the other side is dead.
        self.live_mask & if POLICY == RANDOM { all_acted | self.enemy.alive.is(0) } else { all_acted }
    }

    /// Ends the phases of these lanes. Returns the lanes whose playout is over, by bit.
    #[inline(always)]
    fn end_phases<const POLICY: u8>(&mut self, over: WordMask<S>) -> u64 {
        let Self { own, enemy, .. } = self;
        let wide = over.widen();
        swap_boards(wide, &mut own.occupied, &mut enemy.occupied);
        for group in 0..H {
            swap_boards(wide, &mut own.cells[group], &mut enemy.cells[group]);
            swap_words(over, &mut own.hp[group], &mut enemy.hp[group]);
            swap_words(over, &mut own.kinds[group], &mut enemy.kinds[group]);
        }
        swap_words(over, &mut own.alive, &mut enemy.alive);
        swap_words(over, &mut own.ready, &mut enemy.ready);
        // The game clears the flags of the side that moved, MSSystem those of the side about to move.
        let cleared = if POLICY == MSS { own } else { enemy };
        cleared.ready = over.select(cleared.alive, cleared.ready);

        self.phases = over.select(self.phases + 1, self.phases);
        let dead = self.own.alive.is(0) | self.enemy.alive.is(0);
        let dead = match POLICY {
            RANDOM => dead,
            MUCT => dead & (self.phases & 1).is(0),
            _ => dead & self.may_stop,
        };
        (over & (dead | !self.phases.less(self.last_phase))).bits()
    }

    /// Reports the playouts of these lanes.
    #[inline(never)]
    fn finish<const POLICY: u8>(&mut self, lanes: u64, queue: &mut Queue<'_, Packed>) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            let ticket = self.tickets[lane];
            let Some(item) = queue.items().get(ticket.item as usize) else { continue };
            let start = &item.start;
            let phases = self.phases.get(lane);
            let mover = (start.mover ^ phases) as usize & 1;
            let red_and_blue = if mover == 0 { [&self.own, &self.enemy] } else { [&self.enemy, &self.own] };
            let turn = start.turn.wrapping_add(phases);
            let [red, blue] = red_and_blue;
            let standings = [Standing::of_lane(red, lane), Standing::of_lane(blue, lane)];
            let mut outcome = Outcome {
                ending: ending(POLICY, start, turn, standings),
                phases,
                actions: self.actions.get(lane),
                draws: self.rng.draws(lane),
            };
            if POLICY == MSS && phases < MSS_PHASES {
                // One side is dead; every unit of the other would go on to act in each of its phases.
                let left = MSS_PHASES - phases;
                let alive = |side: &Side<S, H>| side.alive.get(lane).count_ones();
                let actions = alive(&self.own) * left.div_ceil(2) + alive(&self.enemy) * (left / 2);
                outcome.phases = MSS_PHASES;
                outcome.actions += actions;
                outcome.draws += MSS_DRAWS * actions;
            }
            queue.finish(ticket, outcome, || {
                let sides = [self.side(lane, red), self.side(lane, blue)];
                Packed { sides, turn, mover: mover as u32, ..*start }
            });
        }
        self.live &= !lanes;
    }

    /// Starts the next playouts of the queue in these lanes; they stay empty if there are none.
    #[inline(never)]
    fn refill<const POLICY: u8>(&mut self, lanes: u64, queue: &mut Queue<'_, Packed>) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            while let Some((ticket, start, state)) = queue.take_one() {
                if let Some(ending) = over_at_start(POLICY, start) {
                    queue.finish(ticket, Outcome { ending, phases: 0, actions: 0, draws: 0 }, || *start);
                    continue;
                }
                self.start::<POLICY>(lane, start);
                self.rng.set(lane, state);
                self.tickets[lane] = ticket;
                self.live |= 1 << lane;
                break;
            }
        }
    }

    #[inline(always)]
    fn start<const POLICY: u8>(&mut self, lane: usize, start: &Packed) {
        let ground = &mut self.ground;
        ground.open.set(lane, start.open);
        ground.flat.set(lane, start.flat);
        ground.wood.set(lane, start.wood);
        ground.mountain.set(lane, start.mountain);
        ground.plus_one.set(lane, (start.one_star & !start.wood) | start.four_stars);
        ground.plus_three.set(lane, start.wood | start.four_stars);
        let mover = start.mover as usize & 1;
        for (side, packed) in [(&mut self.own, &start.sides[mover]), (&mut self.enemy, &start.sides[1 - mover])] {
            side.occupied.set(lane, packed.occupied);
            for group in 0..H {
                side.cells[group].set(lane, packed.cells[group]);
                side.hp[group].set(lane, (packed.hp >> (32 * group)) as u32);
                side.kinds[group].set(lane, (packed.kinds >> (32 * group)) as u32);
            }
            side.alive.set(lane, packed.alive);
            side.ready.set(lane, packed.alive & !packed.acted);
        }
        let last = if POLICY == MSS { MSS_PHASES } else { (start.limit - start.turn).min(PHASE_CAP) };
        self.phases.set(lane, 0);
        self.last_phase.set(lane, last);
        self.actions.set(lane, 0);
    }

    fn side(&self, lane: usize, side: &Side<S, H>) -> PackedSide {
        let mut packed = PackedSide {
            occupied: side.occupied.get(lane),
            alive: side.alive.get(lane),
            acted: side.alive.get(lane) & !side.ready.get(lane),
            ..PackedSide::default()
        };
        for group in 0..H {
            packed.hp |= u64::from(side.hp[group].get(lane)) << (32 * group);
            packed.kinds |= u64::from(side.kinds[group].get(lane)) << (32 * group);
            packed.cells[group] = side.cells[group].get(lane);
        }
        packed
    }
}

/// The result of a playout that is over before anybody acts.
fn over_at_start(policy: u8, start: &Packed) -> Option<Ending> {
    let over = match policy {
        RANDOM | MUCT => start.turn >= start.limit,
        _ => start.sides.iter().any(|side| side.alive == 0),
    };
    let [red, blue] = &start.sides;
    over.then(|| ending(policy, start, start.turn, [Standing::of_side(red), Standing::of_side(blue)]))
}

/// What decides a playout, of one side.
#[derive(Clone, Copy)]
struct Standing {
    dead: bool,
    /// Sum of hit points, and of those of infantry alone.
    hp: u32,
    infantry_hp: u32,
}

impl Standing {
    /// From the nibbles of hit points and kinds.
    fn new(hp: u64, kinds: u64) -> Self {
        // The kinds' lowest bits of those nibbles that are infantry's, spread over the nibbles.
        let others = kinds ^ (INFANTRY as u64 * 0x1111_1111_1111_1111);
        let others = (others | others >> 1 | others >> 2 | others >> 3) & 0x1111_1111_1111_1111;
        Self { dead: hp == 0, hp: nibble_sum(hp), infantry_hp: nibble_sum(hp & !(others * 15)) }
    }

    fn of_side(side: &PackedSide) -> Self {
        Self::new(side.hp, side.kinds)
    }

    fn of_lane<S: Simd, const H: usize>(side: &Side<S, H>, lane: usize) -> Self {
        let both = |words: &[Words<S>; H]| {
            (0..H).fold(0, |sum, group| sum | u64::from(words[group].get(lane)) << (32 * group))
        };
        Self::new(both(&side.hp), both(&side.kinds))
    }

    /// MSSystem counts the hit points of everybody but infantry several times.
    fn weighted_hp(self) -> u32 {
        MSS_WEIGHT * self.hp - (MSS_WEIGHT - 1) * self.infantry_hp
    }
}

fn nibble_sum(word: u64) -> u32 {
    let bytes = (word & 0x0f0f_0f0f_0f0f_0f0f) + (word >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

/// The result of a playout from `start` that is over after this turn, where Red and Blue stand like this.
fn ending(policy: u8, start: &Packed, turn: u32, [red, blue]: [Standing; 2]) -> Ending {
    let root = start.mover as usize & 1;
    let [mine, theirs] = if root == 0 { [red, blue] } else { [blue, red] };
    let win = |seat: usize| Ending::Win(seat as u8);
    let early = turn < start.limit;
    match policy {
        RANDOM if red.dead => win(1),
        RANDOM if blue.dead => win(0),
        RANDOM if early => Ending::Truncated,
        RANDOM if red.hp > blue.hp + start.threshold => win(0),
        RANDOM if blue.hp > red.hp + start.threshold => win(1),
        RANDOM => Ending::Draw,
        // Death counts only after both sides have moved.
        MUCT if early && !((red.dead || blue.dead) && (turn - start.turn).is_multiple_of(2)) => Ending::Truncated,
        MUCT if mine.dead => win(1 - root),
        MUCT if theirs.dead || mine.hp >= theirs.hp + start.threshold => win(root),
        MUCT if theirs.hp < mine.hp + start.threshold => Ending::Draw,
        MUCT => win(1 - root),
        _ => win(if mine.weighted_hp() > theirs.weighted_hp() { root } else { 1 - root }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Item;

    fn bytes_of_a_lane<S: Simd>(_: S) -> usize {
        size_of::<Lanes<S, 2>>() / Words::<S>::LANES
    }

    #[test]
    fn a_playout_in_flight_takes_less_than_a_kilobyte() {
        for level in SimdLevel::available() {
            let token = level.token().expect("available");
            let lane = dispatch!(token, simd => bytes_of_a_lane(simd));
            let started = lane + size_of::<Item<Packed>>();
            assert!(started < 1024, "{level}: {lane} bytes in the lane, {started} with its start");
        }
    }
}
