//! The choices of the three policies, for all lanes at once: which unit acts, where it goes, whom it attacks.

use fearless_simd::Simd;

use super::rules::{Attacks, Ground, Side, Unit, bytes_apart};
use super::tables::CANNON;
use crate::lanes::{Boards, WordMask, Words};
use crate::rng::LaneRng;

/// One action per lane.
pub(super) struct Choice<S: Simd> {
    pub unit: Unit<S>,
    pub to: Words<S>,
    pub attacking: WordMask<S>,
    pub target: Unit<S>,
}

/// The position of every lane, as the side to move sees it.
pub(super) struct View<'a, S: Simd, const H: usize> {
    pub ground: &'a Ground<S>,
    pub own: &'a Side<S, H>,
    pub enemy: &'a Side<S, H>,
    /// No lane has more units on a side.
    pub slots: usize,
}

impl<S: Simd, const H: usize> View<'_, S, H> {
    /// A uniform unit, then a uniform one of its attacks and moves.
    #[inline(always)]
    pub fn random(&self, rng: &mut LaneRng<S>) -> Choice<S> {
        let unit = self.draw_unit(rng);
        let moves = self.ground.destinations(self.own, self.enemy, &unit);
        let attacks = self.ground.attacks(self.enemy, &unit, moves);
        let options = Options::new(attacks, moves);
        let k = rng.below(options.total());
        self.pick(unit, &options, k)
    }

    /// With probability 4/5 a uniform one of all attacks of all units; else, or if there is none, a
    /// uniform unit and a uniform one of its effective attacks and moves.
    #[inline(always)]
    pub fn muct(&self, rng: &mut LaneRng<S>) -> Choice<S> {
        let simd = self.ground.open.simd();
        let zero = Words::splat(simd, 0);
        let nothing = Boards::splat(simd, 0);
        let eager = rng.below(zero + 5).above(0);

        // What every unit that is ready can do.
        let slots = self.slots.min(8 * H);
        let mut all_moves = [nothing; 16];
        let mut all_attacks = [[nothing; H]; 16];
        let mut upto = [zero; 16];
        let mut total = zero;
        for slot in 0..slots {
            let able = !(self.own.ready & (1 << slot)).is(0);
            if able.any() {
                let unit = self.own.unit(Words::splat(simd, slot as u32));
                let moves = self.ground.destinations(self.own, self.enemy, &unit);
                let attacks = self.ground.attacks(self.enemy, &unit, moves);
                let able = able.widen();
                all_moves[slot] = moves;
                for (all, attacks) in all_attacks[slot].iter_mut().zip(attacks) {
                    *all = able.keep(attacks);
                }
                total = total + count(&all_attacks[slot]);
            }
            upto[slot] = total;
        }
        let attacking = eager & !total.is(0);

        // One draw in every lane: one of all attacks, or a unit.
        let ready = self.own.ready;
        let k = rng.below(attacking.select(total, ready.count_ones()));
        let mut number = zero;
        let mut before = zero;
        for &sum in &upto[..slots] {
            let beyond = !k.less(sum);
            number = beyond.select(number + 1, number);
            before = beyond.select(sum, before);
        }
        let unit = self.own.unit(attacking.select(number, self.kth_unit(attacking.select(zero + 0xffff, ready), k)));

        // Where a unit was drawn, one more: one of its effective attacks and moves.
        let mut attacks = [nothing; H];
        let mut moves = nothing;
        for slot in 0..slots {
            let this = unit.number.is(slot as u32).widen();
            for (attacks, all) in attacks.iter_mut().zip(all_attacks[slot]) {
                *attacks = this.select(all, *attacks);
            }
            moves = this.select(all_moves[slot], moves);
        }
        let hesitant = !attacking;
        let wide = hesitant.widen();
        let effective = self.effective(&unit, attacks);
        for (attacks, effective) in attacks.iter_mut().zip(effective) {
            *attacks = wide.select(effective, *attacks);
        }
        let options = Options::new(attacks, wide.keep(moves));
        let k = rng.below_where(hesitant, options.total(), k - before);
        self.pick(unit, &options, k)
    }

    /// A uniform unit, then a uniform one of its attacks; without attacks a uniform one of its moves
    /// into the rectangle it spans with the nearest enemy.
    #[inline(always)]
    pub fn mss(&self, rng: &mut LaneRng<S>) -> Choice<S> {
        let unit = self.draw_unit(rng);
        let destinations = self.ground.destinations(self.own, self.enemy, &unit);
        let attacks = self.ground.attacks(self.enemy, &unit, destinations);
        let idle = count(&attacks).is(0);
        let mut moves = destinations.zero();
        if idle.any() {
            moves = idle.widen().keep(destinations & self.towards_nearest(&unit));
        }
        let options = Options::new(attacks, moves);
        let k = rng.below(options.total());
        self.pick(unit, &options, k)
    }

    /// One draw: a uniform ready unit.
    #[inline(always)]
    fn draw_unit(&self, rng: &mut LaneRng<S>) -> Unit<S> {
        let k = rng.below(self.own.ready.count_ones());
        self.own.unit(self.kth_unit(self.own.ready, k))
    }

    /// Number of the `k`-th unit of a set.
    #[inline(always)]
    fn kth_unit(&self, units: Words<S>, k: Words<S>) -> Words<S> {
        if H == 1 { units.kth_bit_below_256(k) } else { units.kth_bit(k) & 15 }
    }

    /// Those attacks that do damage.
    #[inline(always)]
    fn effective(&self, unit: &Unit<S>, attacks: Attacks<S, H>) -> Attacks<S, H> {
        let simd = self.ground.open.simd();
        let mut attacks = attacks;
        for (group, attacks) in attacks.iter_mut().enumerate() {
            for place in 0..8 {
                if 8 * group + place >= self.slots {
                    break;
                }
                let target = self.enemy.unit(Words::splat(simd, (8 * group + place) as u32));
                let cell = target.cell.widen();
                let (strength, resistance) = self.ground.odds(unit, unit.hp, &target, target.hp, cell);
                let harmless = strength.less(resistance).widen();
                let byte = Boards::splat(simd, 0xff << (8 * place));
                *attacks = *attacks & !harmless.keep(byte);
            }
        }
        attacks
    }

    /// The rectangle spanned by the unit and its nearest enemy, lowest number on ties. Without enemies it
    /// reaches to the top left corner.
    #[inline(always)]
    fn towards_nearest(&self, unit: &Unit<S>) -> Boards<S> {
        let simd = self.ground.open.simd();
        // Distance and number in one byte, 8 distance + number, or more than 127 for a dead unit.
        let numbers = Boards::splat(simd, 0x0706_0504_0302_0100);
        let mut key = Words::splat(simd, 0xff);
        let mut group = Words::splat(simd, 0);
        for (number, &cells) in self.enemy.cells.iter().enumerate() {
            let (dx, dy) = bytes_apart(cells, unit.cell);
            let dead = (cells & 0x4040_4040_4040_4040) << 1;
            let keys = (((dx + dy) << 3) & 0x7878_7878_7878_7878) | numbers | dead;
            let keys = keys.least_bytes(keys >> 32);
            let keys = keys.least_bytes(keys >> 16);
            let least = (keys.least_bytes(keys >> 8) & 0xff).narrow();
            // Between groups only the distances count: the first wins ties.
            let nearer = (least >> 3).less(key >> 3);
            key = nearer.select(least, key);
            group = nearer.select(Words::splat(simd, 8 * number as u32), group);
        }
        let target = self.enemy.unit((key & 7) + group);
        let cell = key.above(127).select(key.zero(), target.cell);
        rectangle(unit.cell, cell)
    }

    /// Turns the `k`-th option into an action.
    #[inline(always)]
    fn pick(&self, unit: Unit<S>, options: &Options<S, H>, k: Words<S>) -> Choice<S> {
        let (attacking, spot) = options.kth(k);
        let target = self.enemy.unit((spot >> 3) & (8 * H as u32 - 1));
        // Right, up, left, down of the target.
        const STEPS: u32 = u32::from_le_bytes([8, 255, 248, 1]);
        let step = Words::splat(self.ground.open.simd(), STEPS) >> ((spot & 3) << 3);
        let beside = (target.cell + step) & 63;
        let stand = unit.kind.is(CANNON as u32).select(unit.cell, beside);
        Choice { unit, to: attacking.select(stand, spot & 63), attacking, target }
    }
}

/// What a unit may do: its attacks, then its moves, as 32-bit pieces in the order of the choice.
struct Options<S: Simd, const H: usize> {
    attacks: [[Words<S>; 2]; H],
    moves: [Words<S>; 2],
    /// Options in the pieces up to and with each.
    attacks_upto: [[Words<S>; 2]; H],
    moves_upto: [Words<S>; 2],
}

impl<S: Simd, const H: usize> Options<S, H> {
    #[inline(always)]
    fn new(attacks: Attacks<S, H>, moves: Boards<S>) -> Self {
        let moves = [moves.low(), moves.high()];
        let zero = moves[0].zero();
        let mut options = Self { attacks: [[zero; 2]; H], moves, attacks_upto: [[zero; 2]; H], moves_upto: [zero; 2] };
        let mut sum = zero;
        for (group, attacks) in attacks.into_iter().enumerate() {
            options.attacks[group] = [attacks.low(), attacks.high()];
            for half in 0..2 {
                sum = sum + options.attacks[group][half].count_ones();
                options.attacks_upto[group][half] = sum;
            }
        }
        options.moves_upto[0] = sum + moves[0].count_ones();
        options.moves_upto[1] = options.moves_upto[0] + moves[1].count_ones();
        options
    }

    #[inline(always)]
    fn total(&self) -> Words<S> {
        self.moves_upto[1]
    }

    /// Whether the `k`-th option is an attack, and its bit: 8 e + d of an attack, the cell of a move.
    #[inline(always)]
    fn kth(&self, k: Words<S>) -> (WordMask<S>, Words<S>) {
        let zero = k.zero();
        let thirty_two = zero + 32;
        // Start with the first piece and go on to the next while k is beyond.
        let mut word = self.attacks[0][0];
        let mut before = zero;
        let mut offset = zero;
        let mut previous = self.attacks_upto[0][0];
        for piece in 1..2 * H {
            let beyond = !k.less(previous);
            word = beyond.select(self.attacks[piece / 2][piece % 2], word);
            before = beyond.select(previous, before);
            offset = offset + beyond.keep(thirty_two);
            previous = self.attacks_upto[piece / 2][piece % 2];
        }
        let attacking = k.less(previous);
        let in_high = !k.less(self.moves_upto[0]);
        word = attacking.select(word, in_high.select(self.moves[1], self.moves[0]));
        before = attacking.select(before, in_high.select(self.moves_upto[0], previous));
        offset = attacking.select(offset, in_high.keep(thirty_two));
        (attacking, word.kth_bit(k - before) + offset)
    }
}

/// Number of attacks.
#[inline(always)]
fn count<S: Simd, const H: usize>(attacks: &Attacks<S, H>) -> Words<S> {
    let mut sum = attacks[0].zero();
    for attacks in attacks {
        sum = sum + attacks.count_ones();
    }
    sum.narrow()
}

#[inline(always)]
fn rectangle<S: Simd>(a: Words<S>, b: Words<S>) -> Boards<S> {
    let (left, right) = ((a >> 3).least(b >> 3), most(a >> 3, b >> 3));
    let (top, bottom) = ((a & 7).least(b & 7), most(a & 7, b & 7));
    let ones = a.zero() + 0xff;
    let seven = a.zero() + 7;
    let rows = ((ones << top) & (ones >> (seven - bottom))).widen().spread_byte();
    let all = !rows.zero();
    let columns = (all << (left << 3).widen()) & (all >> ((seven - right) << 3).widen());
    rows & columns
}

#[inline(always)]
fn most<S: Simd>(a: Words<S>, b: Words<S>) -> Words<S> {
    a.less(b).select(b, a)
}
