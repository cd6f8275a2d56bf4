//! The driver: starts playouts in free lanes, plays one turn in all of them, ends rounds and games, counts.
//!
//! All lanes are in the same phase always, the beginning of a turn: choose a card, use it, draw another, pass.

use fearless_simd::{Simd, dispatch};

use super::alone::{Choice, Use};
use super::full::{EVIDENCE, suspicion_after};
use super::gold::Gold;
use super::packed::{EMPTY_HAND, HAND_BITS, NO_HAND_CARD, Packed, seat_bytes};
use super::scores::{Chosen, Hands};
use super::state::Lanes;
use super::tables::{CARD_KINDS, CARDS, FIRST_BLOCKED, HAND, MOST_PLAYERS, PATH_CARDS, ROUNDS};
use super::{Policy, Strategy};
use crate::bits::bits;
use crate::lanes::Words;
use crate::level::SimdLevel;
use crate::queue::{Ending, Outcome, Queue};

/// Plays all playouts of the queue in lockstep at this SIMD level, which the CPU must have: rounds, or whole games.
///
/// # Panics
/// If the CPU does not have the level.
pub fn play_lockstep(level: SimdLevel, policy: Policy, is_whole: bool, queue: &mut Queue<'_, Packed>) {
    let level = level.token().expect("the CPU has the SIMD level");
    dispatch!(level, simd => play(simd, policy, is_whole, queue));
}

#[inline(always)]
fn play<S: Simd>(simd: S, policy: Policy, is_whole: bool, queue: &mut Queue<'_, Packed>) {
    let mut lanes = Lanes::<S>::new(simd, policy, is_whole);
    lanes.refill((1 << Words::<S>::LANES) - 1, queue);
    let (mut steps, mut busy) = (0, 0);
    loop {
        while lanes.over != 0 {
            lanes.finish(queue);
        }
        if lanes.busy == 0 {
            break;
        }
        steps += 1;
        busy += u64::from(lanes.busy.count_ones());
        lanes.turn();
    }
    queue.count_steps(busy, steps * Words::<S>::LANES as u64);
}

/// The one player with the most nuggets wins.
fn game_ending(gold: &Gold, players: u32) -> Ending {
    let leaders = gold.leaders(players);
    if leaders.is_power_of_two() { Ending::Win(leaders.trailing_zeros() as u8) } else { Ending::Draw }
}

/// Kinds of the cards of the deck, sixteen at a time.
const KINDS: [[u8; 16]; CARDS.div_ceil(16)] = {
    let mut kinds = [[0; 16]; CARDS.div_ceil(16)];
    let mut card = 0;
    while card < CARDS {
        kinds[card / 16][card % 16] = CARD_KINDS[card];
        card += 1;
    }
    kinds
};

impl<S: Simd> Lanes<S> {
    /// Plays a turn in every busy lane.
    #[inline(always)]
    fn turn(&mut self) {
        while self.most_places > 0 && !self.places[self.most_places - 1].is(0).bits() & self.busy == 0 {
            self.most_places -= 1;
        }
        let hands = self.movers_hands();
        let is_saboteur = ((self.saboteurs >> self.mover) & 1).is(1).bits();
        let mut slot = Words::splat(self.simd, 0);
        let Policy { diggers, saboteurs } = self.policy;
        if diggers == saboteurs {
            self.choose(diggers, 0, self.busy, &hands, &mut slot);
        } else {
            self.choose(diggers, 0, self.busy & !is_saboteur, &hands, &mut slot);
            self.choose(saboteurs, 1, self.busy & is_saboteur, &hands, &mut slot);
        }
        self.end_turn(&hands, slot);
    }

    #[inline(always)]
    fn movers_hands(&self) -> Hands<S> {
        let zero = Words::splat(self.simd, 0);
        let mut word = zero;
        for (seat, &hand) in self.hands[..self.most_players].iter().enumerate() {
            word = self.mover.is(seat as u32).select(hand, word);
        }
        let mut kinds = [zero; HAND];
        let mut len = zero + HAND as u32;
        let mut most = 0;
        for (place, kind) in kinds.iter_mut().enumerate() {
            *kind = (word >> (HAND_BITS * place as u32)) & NO_HAND_CARD;
            let is_none = kind.is(NO_HAND_CARD);
            len = len - is_none.keep(zero + 1);
            if !is_none.bits() & self.busy != 0 {
                most = place + 1;
            }
        }
        Hands { word, kinds, len, most }
    }

    /// Chooses and acts in these lanes, whose movers have this strategy; sets the places of the cards they use.
    #[inline(always)]
    fn choose(&mut self, strategy: Strategy, role: usize, lanes: u64, hands: &Hands<S>, slot: &mut Words<S>) {
        if lanes == 0 {
            return;
        }
        let mut alone = lanes;
        if let Some(scoring) = self.scorings[role]
            && lanes & !self.wide != 0
        {
            let scored = lanes & !self.wide;
            alone = lanes & self.wide;
            let chosen = self.choose_by_scores(&scoring, scored, hands);
            *slot = self.mask(scored).select(chosen.slot, *slot);
            self.lay(hands, &chosen);
        }
        for lane in bits(alone).map(|lane| lane as usize) {
            slot.set(lane, self.choose_alone(strategy, lane));
        }
    }

    /// Lays the chosen cards.
    #[inline(always)]
    fn lay(&mut self, hands: &Hands<S>, chosen: &Chosen<S>) {
        let kinds = (hands.word >> (chosen.slot * HAND_BITS)) & NO_HAND_CARD;
        for lane in bits(chosen.lays).map(|lane| lane as usize) {
            let cell = chosen.cell.get(lane) as usize;
            self.lay_at(lane, cell, kinds.get(lane) as usize, chosen.turned.get(lane) != 0);
        }
    }

    #[inline(always)]
    fn lay_at(&mut self, lane: usize, cell: usize, kind: usize, is_turned: bool) {
        let [blocked, passable, _] = EVIDENCE;
        self.note(lane, if kind < FIRST_BLOCKED { passable } else { blocked });
        let has_gold = self.asides[lane].ground.lay(cell, kind, is_turned);
        self.show_ground(lane);
        if has_gold {
            self.asides[lane].winner = 1;
            self.over |= 1 << lane;
        }
    }

    /// Notes what the mover's action says of roles.
    #[inline(always)]
    fn note(&mut self, lane: usize, evidence: i32) {
        let own = &mut self.asides[lane].suspicion[self.mover.get(lane) as usize % MOST_PLAYERS];
        *own = suspicion_after((*own).into(), evidence) as i8;
    }

    /// Chooses and acts in one lane; returns the place of the card that is used.
    #[inline(never)]
    fn choose_alone(&mut self, strategy: Strategy, lane: usize) -> u32 {
        let mut rng = self.rng.get(lane);
        let view = self.view(lane);
        let Choice { slot, use_of } = match strategy {
            Strategy::Random => view.choose_random(&mut rng),
            Strategy::Paper(reading) => view.choose_paper(&reading, &mut rng),
            Strategy::Full => view.choose_full(),
        };
        let (hand, mover) = (view.hand, view.mover);
        self.rng.put(lane, &rng);
        match use_of {
            Use::Path { is_turned, cell } => {
                let kind = hand >> (HAND_BITS * slot) & NO_HAND_CARD;
                self.lay_at(lane, cell, kind as usize, is_turned);
            }
            Use::RockFall { cell } => {
                self.asides[lane].ground.remove(cell);
                self.show_ground(lane);
            }
            Use::Map { goal } => self.seen.set(lane, self.seen.get(lane) | 1 << (3 * mover + goal)),
            Use::Break { tool, seat } => {
                if self.asides[lane].suspicion[seat as usize % MOST_PLAYERS] <= 0 {
                    self.note(lane, EVIDENCE[2]);
                }
                self.broken.set(lane, self.broken.get(lane) | 1 << (3 * seat + tool));
            }
            Use::Repair { tool, seat } => self.broken.set(lane, self.broken.get(lane) & !(1 << (3 * seat + tool))),
            Use::Discard => {}
        }
        slot
    }

    /// The card in a place of the hand is used. Unless the round is over the mover draws and passes the turn.
    #[inline(always)]
    fn end_turn(&mut self, hands: &Hands<S>, slot: Words<S>) {
        let simd = self.simd;
        let zero = Words::splat(simd, 0);
        let one = Words::splat(simd, 1);
        let busy = self.mask(self.busy);
        self.turn = self.turn + busy.keep(one);

        // The cards after it move up.
        let before = (one << (slot * HAND_BITS)) - 1;
        let empty_end = NO_HAND_CARD << (HAND_BITS * (HAND as u32 - 1));
        let mut hand = (hands.word & before) | ((hands.word >> HAND_BITS) & !before) | empty_end;

        // A card of the deck goes to the end.
        let ones = [self.deck[0].count_ones(), self.deck[1].count_ones(), self.deck[2].count_ones()];
        let paths = ones[0] + ones[1];
        let all = paths + ones[2];
        let draws = self.mask(self.busy & !self.over) & !all.is(0);
        let k = self.rng.below_where(draws, all, zero);
        let in_first = k.less(ones[0]);
        let in_paths = k.less(paths);
        let word = in_first.select(self.deck[0], in_paths.select(self.deck[1], self.deck[2]));
        let skipped = in_first.select(zero, in_paths.select(ones[0], paths));
        let first = in_first.select(zero, in_paths.select(zero + 32, zero + PATH_CARDS as u32));
        let bit = word.kth_bit(k - skipped) & 31;
        let card = first + bit;
        let drawn = draws.keep(one << bit);
        self.deck[0] = self.deck[0] & !in_first.keep(drawn);
        self.deck[1] = self.deck[1] & !(in_paths & !in_first).keep(drawn);
        self.deck[2] = self.deck[2] & !(!in_paths).keep(drawn);
        let mut kind = zero;
        for (part, table) in KINDS.iter().enumerate() {
            kind = (card >> 4).is(part as u32).select((card & 15).look_up(table) & 0xff, kind);
        }
        let end = (hands.len - 1) * HAND_BITS;
        let with_card = (hand & !(Words::splat(simd, NO_HAND_CARD) << end)) | (kind << end);
        hand = draws.select(with_card, hand);
        for (seat, words) in self.hands[..self.most_players].iter_mut().enumerate() {
            *words = (busy & self.mover.is(seat as u32)).select(hand, *words);
        }

        // The next player with a card moves.
        let goes_on = self.busy & !self.over;
        let next = self.mover + 1;
        let next = next.less(self.players).keep(next);
        let mut next_hand = zero;
        for (seat, &words) in self.hands[..self.most_players].iter().enumerate() {
            next_hand = next.is(seat as u32).select(words, next_hand);
        }
        let has_none = next_hand.is(EMPTY_HAND).bits() & goes_on;
        self.mover = self.mask(goes_on & !has_none).select(next, self.mover);
        for lane in bits(has_none).map(|lane| lane as usize) {
            self.pass_alone(lane);
        }
    }

    /// Looks for the next player with a card; if there is none the round is over.
    #[inline(never)]
    fn pass_alone(&mut self, lane: usize) {
        let players = self.players.get(lane);
        let mut seat = self.mover.get(lane);
        for _ in 0..players {
            seat = if seat + 1 >= players { 0 } else { seat + 1 };
            if self.hands[seat as usize % MOST_PLAYERS].get(lane) != EMPTY_HAND {
                self.mover.set(lane, seat);
                return;
            }
        }
        self.asides[lane].winner = if self.saboteurs.get(lane) == 0 { 3 } else { 2 };
        self.over |= 1 << lane;
    }

    /// Ends the rounds that are over: begins the next ones, or reports the playouts and starts others.
    #[inline(never)]
    fn finish(&mut self, queue: &mut Queue<'_, Packed>) {
        let mut free = 0;
        for lane in bits(std::mem::take(&mut self.over)).map(|lane| lane as usize) {
            if self.is_whole && self.asides[lane].winner != 0 {
                let simd = self.simd;
                simd.vectorize(
                    #[inline(always)]
                    || self.end_round(lane),
                );
                if !self.asides[lane].is_last_round_over() {
                    self.look_for_cards(lane);
                    continue;
                }
            }
            let aside = &self.asides[lane];
            let Some(item) = queue.items().get(aside.ticket.item as usize) else { continue };
            let turns = aside.turns_before + self.turn.get(lane).min(u8::MAX.into()) - aside.first_turn;
            let ending = match aside.winner {
                0 => Ending::Truncated,
                _ if self.is_whole => game_ending(&aside.gold, self.players.get(lane)),
                3 => Ending::Draw,
                winner => Ending::Win(winner as u8 - 1),
            };
            let outcome = Outcome { ending, phases: turns, actions: turns, draws: self.rng.draws(lane) };
            queue.finish(aside.ticket, outcome, || self.position(lane, &item.start));
            free |= 1 << lane;
        }
        self.refill(free, queue);
    }

    /// Starts the next playouts of the queue in these lanes; they stay empty if there are none.
    #[inline(never)]
    fn refill(&mut self, lanes: u64, queue: &mut Queue<'_, Packed>) {
        for lane in bits(lanes).map(|lane| lane as usize) {
            self.busy &= !(1 << lane);
            while let Some((ticket, start, state)) = queue.take_one() {
                if self.is_whole && start.rounds >= ROUNDS.into() {
                    let ending =
                        game_ending(&Gold { nuggets: seat_bytes(start.nuggets), ..Gold::START }, start.players);
                    queue.finish(ticket, Outcome { ending, phases: 0, actions: 0, draws: 0 }, || *start);
                    continue;
                }
                let simd = self.simd;
                simd.vectorize(
                    #[inline(always)]
                    || self.start(lane, start, ticket, state),
                );
                self.busy |= 1 << lane;
                self.look_for_cards(lane);
                break;
            }
        }
    }

    /// A round that is over as it begins, or whose mover has no card, is not played.
    fn look_for_cards(&mut self, lane: usize) {
        let aside = &self.asides[lane];
        if aside.winner != 0 || self.view(lane).hand == EMPTY_HAND {
            self.over |= 1 << lane;
        }
    }
}
