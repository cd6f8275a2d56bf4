//! What the lanes know: one round in each.

use fearless_simd::Simd;

use super::alone::View;
use super::gold::Gold;
use super::ground::{Ground, PLACES};
use super::packed::{EMPTY_HAND, Packed, seat_bytes, seat_words};
use super::scores::Scoring;
use super::tables::{
    CARD_KINDS, CARDS, FEWEST_PLAYERS, GOALS, GOLD_FACE, MOST_PLAYERS, PATH_CARDS, PLAYERS, STONE_FACES,
};
use super::{Policy, Strategy};
use crate::bits::{bits, select64};
use crate::lanes::{WordMask, Words};
use crate::queue::Ticket;
use crate::rng::{Draws, LaneRng, Rng};
use crate::saboteur::packed::HAND_BITS;

/// What is kept of a lane beside its vectors.
#[derive(Clone, Debug)]
pub struct Aside {
    /// The playout.
    pub ticket: Ticket,
    /// The table.
    pub ground: Ground,
    /// Turn of the round at the start of the playout, or 0 in a later round.
    pub first_turn: u32,
    /// Turns of the rounds before this one.
    pub turns_before: u32,
    /// Who won the round, as [`Packed::winner`].
    pub winner: u32,
    /// Rounds finished.
    pub rounds: u32,
    /// The gold left and the nuggets by seat.
    pub gold: Gold,
    /// What each seat's actions said of its role.
    pub suspicion: [i8; MOST_PLAYERS],
}

/// The lanes.
pub struct Lanes<S: Simd> {
    /// The SIMD level.
    pub simd: S,
    /// The strategies of diggers and saboteurs.
    pub policy: Policy,
    /// Whether a playout is a whole game instead of a round.
    pub is_whole: bool,
    /// What their readings need to score plays in vectors, if they can be.
    pub scorings: [Option<Scoring>; 2],
    /// The hands by seat.
    pub hands: [Words<S>; MOST_PLAYERS],
    /// Path cards in the deck, low and high word, and action cards.
    pub deck: [Words<S>; 3],
    /// The player whose turn it is.
    pub mover: Words<S>,
    /// The number of players.
    pub players: Words<S>,
    /// The most players that any lane had.
    pub most_players: usize,
    /// Turns of the round.
    pub turn: Words<S>,
    /// The saboteurs, one bit a seat.
    pub saboteurs: Words<S>,
    /// Seen goals, three bits a seat.
    pub seen: Words<S>,
    /// Broken tools, three bits a seat.
    pub broken: Words<S>,
    /// Goals face up.
    pub face_up: Words<S>,
    /// Goals with gold.
    pub gold: Words<S>,
    /// The free cells that a path leads into, from every lane's table.
    pub places: [Words<S>; PLACES],
    /// At least as many as any lane has; all after them are zero in busy lanes.
    pub most_places: usize,
    /// Passable cards on the table by kind, four bits each.
    pub laid_kinds: Words<S>,
    /// The random numbers.
    pub rng: LaneRng<S>,
    /// What has no vectors.
    pub asides: Box<[Aside]>,
    /// Lanes that play.
    pub busy: u64,
    /// Lanes whose table is too wide for scores in 32 bits.
    pub wide: u64,
    /// Lanes whose round is over.
    pub over: u64,
}

/// The goals that hold gold, one bit each.
fn gold_of(goals: u32) -> u32 {
    (0..GOALS as u32).fold(0, |set, goal| set | u32::from(goals >> (4 * goal) & 15 == GOLD_FACE.into()) << goal)
}

impl<S: Simd> Lanes<S> {
    pub fn new(simd: S, policy: Policy, is_whole: bool) -> Self {
        let zero = Words::splat(simd, 0);
        let aside = Aside {
            ticket: Ticket::default(),
            ground: Ground::NONE,
            first_turn: 0,
            turns_before: 0,
            winner: 0,
            rounds: 0,
            gold: Gold::START,
            suspicion: [0; MOST_PLAYERS],
        };
        let scoring = |strategy| if let Strategy::Paper(reading) = strategy { Scoring::new(&reading) } else { None };
        Self {
            simd,
            policy,
            is_whole,
            scorings: [scoring(policy.diggers), scoring(policy.saboteurs)],
            hands: [zero; MOST_PLAYERS],
            deck: [zero; 3],
            mover: zero,
            players: zero + FEWEST_PLAYERS as u32,
            most_players: 0,
            turn: zero,
            saboteurs: zero,
            seen: zero,
            broken: zero,
            face_up: zero,
            gold: zero,
            places: [zero; PLACES],
            most_places: 0,
            laid_kinds: zero,
            rng: LaneRng::new(simd),
            asides: vec![aside; Words::<S>::LANES].into(),
            busy: 0,
            wide: 0,
            over: 0,
        }
    }

    /// The lanes as a mask.
    #[inline(always)]
    pub fn mask(&self, lanes: u64) -> WordMask<S> {
        WordMask::from_bits(self.simd, lanes)
    }

    /// Starts a playout in a lane, and deals if that has not been done.
    #[inline(always)]
    pub fn start(&mut self, lane: usize, start: &Packed, ticket: Ticket, state: [u32; 4]) {
        self.rng.set(lane, state);
        let aside = &mut self.asides[lane];
        aside.ticket = ticket;
        aside.ground.set(start);
        aside.first_turn = start.turn;
        aside.turns_before = 0;
        aside.winner = start.winner;
        aside.rounds = start.rounds;
        let [ones, twos, threes, _] = start.gold.to_le_bytes();
        aside.gold = Gold { cards: [ones, twos, threes], nuggets: seat_bytes(start.nuggets) };
        aside.suspicion = seat_bytes(start.suspicion).map(|of| of as i8);
        for (hands, &hand) in self.hands.iter_mut().zip(&start.hands) {
            hands.set(lane, hand);
        }
        let deck = [start.deck_paths[0], start.deck_paths[1], start.deck_actions];
        for (words, word) in self.deck.iter_mut().zip(deck) {
            words.set(lane, word);
        }
        self.mover.set(lane, start.mover);
        self.players.set(lane, start.players);
        self.most_players = self.most_players.max((start.players as usize).min(MOST_PLAYERS));
        self.turn.set(lane, start.turn);
        self.saboteurs.set(lane, start.saboteurs);
        self.seen.set(lane, start.seen);
        self.broken.set(lane, start.broken);
        self.face_up.set(lane, start.face_up);
        self.gold.set(lane, gold_of(start.goals));
        self.show_ground(lane);
        if start.is_dealt == 0 {
            self.deal(lane);
        }
    }

    /// Where a lane's playout is.
    pub fn position(&self, lane: usize, start: &Packed) -> Packed {
        let aside = &self.asides[lane];
        let [ones, twos, threes] = aside.gold.cards;
        let mut packed = Packed {
            hands: std::array::from_fn(|seat| self.hands[seat].get(lane)),
            deck_paths: [self.deck[0].get(lane), self.deck[1].get(lane)],
            deck_actions: self.deck[2].get(lane),
            seen: self.seen.get(lane),
            broken: self.broken.get(lane),
            suspicion: seat_words(aside.suspicion.map(|of| of as u8)),
            nuggets: seat_words(aside.gold.nuggets),
            saboteurs: self.saboteurs.get(lane),
            is_dealt: 1,
            mover: self.mover.get(lane),
            turn: self.turn.get(lane).min(u8::MAX.into()),
            winner: aside.winner,
            rounds: aside.rounds,
            gold: u32::from_le_bytes([ones, twos, threes, 0]),
            ..*start
        };
        aside.ground.write(&mut packed);
        packed
    }

    /// What the mover of a lane sees.
    pub fn view(&self, lane: usize) -> View<'_> {
        let mover = self.mover.get(lane);
        View {
            ground: &self.asides[lane].ground,
            hand: self.hands[mover as usize % MOST_PLAYERS].get(lane),
            mover,
            players: self.players.get(lane),
            is_saboteur: self.saboteurs.get(lane) >> mover & 1 != 0,
            seen: self.seen.get(lane),
            broken: self.broken.get(lane),
            gold: self.gold.get(lane),
            suspicion: &self.asides[lane].suspicion,
        }
    }

    /// Copies what vectors need of a lane's table.
    #[inline(always)]
    pub fn show_ground(&mut self, lane: usize) {
        let ground = &mut self.asides[lane].ground;
        let changes = ground.take_changes();
        for index in bits(changes.into()).map(|index| index as usize % PLACES) {
            self.places[index].set(lane, ground.places[index]);
        }
        self.most_places = self.most_places.max(ground.count);
        self.face_up.set(lane, ground.face_up);
        self.laid_kinds.set(lane, ground.laid_kinds);
        self.wide = self.wide & !(1 << lane) | u64::from(!ground.is_narrow) << lane;
    }

    /// Deals roles, goals and hands.
    #[inline(always)]
    pub fn deal(&mut self, lane: usize) {
        let mut rng = self.rng.get(lane);
        let players = self.players.get(lane) as usize;
        let [diggers, saboteurs, hand, _] = PLAYERS[players.saturating_sub(FEWEST_PLAYERS) % PLAYERS.len()];
        let (mut cards, mut left) = (u32::from(diggers + saboteurs), u32::from(saboteurs));
        let mut roles = self.saboteurs.get(lane);
        for seat in 0..players {
            let is_saboteur = u32::from(rng.below(cards) < left);
            roles |= is_saboteur << seat;
            left -= is_saboteur;
            cards -= 1;
        }
        self.saboteurs.set(lane, roles);
        let goals = goals(rng.below(6));
        self.asides[lane].ground.goals = goals;
        self.gold.set(lane, gold_of(goals));
        let mut deck = Deck::new([self.deck[0].get(lane), self.deck[1].get(lane), self.deck[2].get(lane)]);
        for seat in 0..players.min(MOST_PLAYERS) {
            let mut word = self.hands[seat].get(lane);
            let mut at = HAND_BITS * super::alone::len(word);
            for _ in 0..hand {
                if at >= HAND_BITS * super::tables::HAND as u32 {
                    // The hand is full already, in a position that no round reaches.
                    deck.draw(&mut rng);
                } else if let Some(kind) = deck.draw(&mut rng) {
                    word = word & !(super::packed::NO_HAND_CARD << at) | kind << at;
                    at += HAND_BITS;
                }
            }
            self.hands[seat].set(lane, word);
        }
        self.deck[0].set(lane, deck.paths as u32);
        self.deck[1].set(lane, (deck.paths >> 32) as u32);
        self.deck[2].set(lane, deck.actions);
        self.rng.put(lane, &rng);
    }

    /// Pays the gold of a lane's round and begins the next one, if there is one.
    #[inline(always)]
    pub fn end_round(&mut self, lane: usize) {
        let mover = self.mover.get(lane);
        let players = self.players.get(lane);
        let saboteurs = self.saboteurs.get(lane);
        let mut rng = self.rng.get(lane);
        let aside = &mut self.asides[lane];
        match aside.winner {
            1 => aside.gold.pay_diggers(players, saboteurs, mover, &mut rng),
            2 => aside.gold.pay_saboteurs(players, saboteurs),
            _ => {}
        }
        aside.rounds += 1;
        self.rng.put(lane, &rng);
        if self.asides[lane].is_last_round_over() {
            return;
        }
        let aside = &mut self.asides[lane];
        aside.turns_before += self.turn.get(lane).min(u8::MAX.into()) - aside.first_turn;
        aside.first_turn = 0;
        aside.winner = 0;
        aside.suspicion = [0; MOST_PLAYERS];
        aside.ground.set_new_round();
        for hands in &mut self.hands {
            hands.set(lane, EMPTY_HAND);
        }
        for (words, word) in self.deck.iter_mut().zip(FULL_DECK) {
            words.set(lane, word);
        }
        self.mover.set(lane, (mover + 1) % players.max(1));
        self.turn.set(lane, 0);
        self.saboteurs.set(lane, 0);
        self.seen.set(lane, 0);
        self.broken.set(lane, 0);
        self.show_ground(lane);
        self.deal(lane);
    }
}

/// All cards: path cards, low and high word, and action cards.
const FULL_DECK: [u32; 3] =
    [u32::MAX, ((1u64 << (super::tables::PATH_CARDS - 32)) - 1) as u32, (1 << super::tables::ACTION_CARDS) - 1];

/// The goals, from the bottom, of one of the six orders they can lie in: four bits each.
fn goals(order: u32) -> u32 {
    let [a, b] = if order.is_multiple_of(2) { STONE_FACES } else { [STONE_FACES[1], STONE_FACES[0]] };
    let faces = match order / 2 {
        0 => [GOLD_FACE, a, b],
        1 => [a, GOLD_FACE, b],
        _ => [a, b, GOLD_FACE],
    };
    faces.iter().rev().fold(0, |word, &face| word << 4 | u32::from(face))
}

/// The deck of one lane.
struct Deck {
    paths: u64,
    actions: u32,
    /// How many there are of each.
    path_cards: u32,
    action_cards: u32,
}

impl Deck {
    #[inline(always)]
    const fn new([low, high, actions]: [u32; 3]) -> Self {
        let paths = low as u64 | (high as u64) << 32;
        Self { paths, actions, path_cards: paths.count_ones(), action_cards: actions.count_ones() }
    }

    /// Draws a card; none, without a draw, if the deck is empty.
    #[inline(always)]
    fn draw(&mut self, rng: &mut Rng) -> Option<u32> {
        let all = self.path_cards + self.action_cards;
        if all == 0 {
            return None;
        }
        // Without branches: which part of the deck it is cannot be foreseen.
        let k = rng.below(all);
        let is_path = k < self.path_cards;
        let word = if is_path { self.paths } else { self.actions.into() };
        let card = select64(word, if is_path { k } else { k - self.path_cards });
        let bit = 1u64.wrapping_shl(card);
        self.paths &= !if is_path { bit } else { 0 };
        self.actions &= !if is_path { 0 } else { bit as u32 };
        self.path_cards -= u32::from(is_path);
        self.action_cards -= u32::from(!is_path);
        let number = card as usize + if is_path { 0 } else { PATH_CARDS };
        Some(CARD_KINDS[number % CARDS].into())
    }
}

impl Aside {
    /// Whether no round is left to be played.
    pub const fn is_last_round_over(&self) -> bool {
        self.rounds >= super::tables::ROUNDS as u32
    }
}
