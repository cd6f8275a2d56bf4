//! Games of Saboteur of every sort, and the comparison of backends on them.
#![allow(dead_code, reason = "every test crate uses its own part of this module")]

use fairground::batch::{Item, Outcome, Queue, Tally};
use fairground::games::saboteur::board::is_fixed;
use fairground::games::saboteur::reading::CountedCards;
use fairground::games::saboteur::tables::{
    FEWEST_PLAYERS, GOAL_X, GOAL_Y, GOLD_FACE, HAND, MOST_PLAYERS, PATH_CARDS, ROUNDS, STONE_FACES, half_turn,
};
use fairground::games::saboteur::{
    Board, Deck, Extent, Game, Hand, Laid, Policy, Position, Preset, Reading, Strategy, policy,
};
use fairground_kernels::rng::{Draws, Rng, position_base};
use fairground_kernels::saboteur::Packed;

use crate::saboteur::{EXTENTS, rng};

const fn paper(reading: Reading) -> Strategy {
    Strategy::Paper(reading)
}

/// Everybody with the agent of the paper.
pub const fn all_paper(reading: Reading) -> Policy {
    Policy::all(paper(reading))
}

const MEAN: Reading = Reading { counted_cards: CountedCards::Mean, ..Reading::A };
const SUM: Reading = Reading { counted_cards: CountedCards::Sum, ..Reading::R1 };

/// Every strategy by itself, and mixes by role: a rock-fall meets a path only where both play.
pub const POLICIES: [Policy; 13] = {
    use Strategy::{Full, Random};
    [
        Policy::all(Random),
        all_paper(Reading::A),
        all_paper(Reading::R1),
        all_paper(Reading::PLAIN),
        Policy { diggers: paper(Reading::A), saboteurs: Random },
        Policy { diggers: Random, saboteurs: paper(Reading::R1) },
        Policy { diggers: paper(Reading::R1.weighted(60, 40)), saboteurs: paper(Reading::PLAIN) },
        all_paper(MEAN),
        all_paper(SUM),
        Policy::all(Full),
        Policy { diggers: Full, saboteurs: Random },
        Policy { diggers: Full, saboteurs: paper(Reading::A) },
        Policy { diggers: paper(Reading::A), saboteurs: Full },
    ]
};

/// Boards: those of [`EXTENTS`] and the presets, the largest that is narrow and those one cell larger, a single row,
/// one where nothing can be laid, and one without cells.
pub const BOARDS: [Extent; 10] = {
    let narrow = Extent { left: -7, right: 22, bottom: -13, top: 13 };
    [
        EXTENTS[0],
        EXTENTS[1],
        EXTENTS[2],
        Preset::Plain.extent(),
        narrow,
        Extent { left: -8, ..narrow },
        Extent { top: 14, ..narrow },
        Extent { left: -3, right: 9, bottom: 0, top: 0 },
        Extent { left: 3, right: 6, bottom: -2, top: 2 },
        Extent { left: 4, right: -4, bottom: 2, top: -2 },
    ]
};

/// Lets backends play every game to the end of the round or, if `is_whole`, of the game, and compares outcome, draws and
/// all words of the last position with the rules engine's, which it returns.
pub fn compare(
    policy: Policy,
    games: &[Game],
    playouts: u32,
    seed: u64,
    is_whole: bool,
    backends: impl IntoIterator<Item = impl FnOnce(&mut Queue<'_, Packed>)>,
) -> Vec<(Outcome, Packed)> {
    // Large keys and first indices, so that both words of each count.
    let items: Vec<_> = (0u64..)
        .zip(games)
        .map(|(key, game)| Item {
            start: game.pack(),
            base: position_base(seed, key << 40),
            first: (key << 31) + 5,
            playouts,
        })
        .collect();
    let mut tallies = vec![Tally::default(); items.len()];
    let mut expected = vec![None; items.len() * playouts as usize];
    let mut queue = Queue::new(&items, &mut tallies, &mut expected);
    while let Some((ticket, start, state)) = queue.take_one() {
        let mut game = Game::unpack(start);
        let rng = &mut Rng::new(state);
        let outcome = if is_whole { game.play(policy, rng) } else { policy::play(&mut game.position, policy, rng) };
        queue.finish(ticket, outcome, || game.pack());
    }
    for play in backends {
        let mut found = vec![None; expected.len()];
        play(&mut Queue::new(&items, &mut tallies, &mut found));
        for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let start = || items[number / playouts as usize].start;
            assert!(found.is_some(), "playout {number} was not played");
            let outcomes = [expected, found].map(|record| record.map(|(outcome, _)| outcome));
            assert_eq!(outcomes[0], outcomes[1], "playout {number} of {policy:?}, from {:?}", start());
            assert_eq!(expected, found, "playout {number} of {policy:?}, from {:?}", start());
        }
    }
    expected.into_iter().flatten().collect()
}

fn players(case: u64) -> usize {
    FEWEST_PLAYERS + case as usize % (MOST_PLAYERS - FEWEST_PLAYERS + 1)
}

/// Starts of games with three to ten players on every board; half of the boards are the paper's.
pub fn starts(count: u64) -> Vec<Game> {
    (0..count)
        .map(|case| {
            let board = (case / 8) as usize % (2 * BOARDS.len());
            let extent = BOARDS.get(board).copied().unwrap_or(Extent::PAPER);
            Game::start(players(case), extent).expect("three to ten players")
        })
        .collect()
}

/// Whether some passable card is not reached.
pub fn has_island(position: &Position) -> bool {
    let board = position.board();
    let is_passable = |x, y| board.card(x, y).is_some_and(|card| !card.is_blocked);
    board.removable().any(|(x, y)| is_passable(x, y) && !board.is_reached(x, y))
}

fn is_mover_broken(position: &Position) -> bool {
    !position.can_dig()
}

/// Games in the middle of any of their rounds, reached by several strategies; some are over, in a few the mover has
/// lost the cards.
pub fn moments(count: u64, seed: u64) -> Vec<Game> {
    (0..count)
        .map(|case| {
            let rng = &mut rng(seed, case);
            let extent = BOARDS[if rng.below(2) == 0 { 1 } else { rng.below(BOARDS.len() as u32) as usize }];
            let mut game = Game::start(players(case), extent).expect("three to ten players");
            let policy = POLICIES[[0, 1, 3, 4, 5, 7, 9, 10][rng.below(8) as usize]];
            let rounds = if rng.below(20) == 0 { ROUNDS.into() } else { rng.below(ROUNDS.into()) };
            for _ in 0..rounds {
                policy::play(&mut game.position, policy, rng);
                game.end_round(rng);
            }
            // One in ten is not dealt yet.
            if case % 10 > 0 {
                let least = if case % 10 == 1 { 255 } else { rng.below(40) as u8 };
                let is_wanted: fn(&Position) -> bool = match case % 10 {
                    2 | 3 => has_island,
                    4 => is_mover_broken,
                    5 => |position| position.deck.is_empty(),
                    6 => |position| position.face_up != 0,
                    _ => |_| true,
                };
                walk(&mut game.position, policy, rng, |position| position.turn >= least && is_wanted(position));
            }
            game.position.suspicion = std::array::from_fn(|_| rng.below(256) as u8 as i8);
            if rng.below(40) == 0 {
                game.position.hands[usize::from(game.position.mover)] = Hand::EMPTY;
            }
            if rng.below(20) == 0 {
                game.gold.cards = std::array::from_fn(|_| rng.below(4) as u8);
            }
            game
        })
        .collect()
}

/// Rounds with cards strewn over the table, matching or not, most of them on islands; some goals lie face up. No card
/// is in two places.
pub fn strewn(count: u64, seed: u64) -> Vec<Game> {
    (0..count)
        .map(|case| {
            let rng = &mut rng(seed, case);
            let mut deck = Deck::FULL;
            let mut cards = Vec::new();
            let mut hands = [Hand::EMPTY; MOST_PLAYERS];
            let wanted = rng.below(PATH_CARDS as u32) as usize;
            let draws = 2 * wanted + rng.below(15) as usize;
            // Around the goals, or left of the start, so that it comes late in the list of cards.
            let left = if rng.below(2) == 0 { -3 } else { -10 };
            for _ in 0..draws {
                let Some(card) = deck.draw(rng) else { break };
                let seat = rng.below(players(case) as u32) as usize;
                let (x, y) = (left + rng.below(14) as i8, rng.below(9) as i8 - 4);
                let is_free =
                    !is_fixed(x, y) && cards.iter().all(|&(other_x, other_y, _)| (other_x, other_y) != (x, y));
                if card.is_path() && is_free && cards.len() < wanted {
                    let mask = card.laid_mask(rng.below(2) != 0);
                    cards.push((x, y, Laid { mask, is_blocked: card.is_blocked() }));
                } else if hands[seat].len() < HAND {
                    hands[seat] = hands[seat].with(card);
                }
            }
            let [one, other] = if rng.below(2) == 0 { STONE_FACES } else { [STONE_FACES[1], STONE_FACES[0]] };
            let mut goals = [GOLD_FACE, one, other];
            goals.rotate_left(rng.below(3) as usize);
            let mut face_up = 0;
            for (goal, (&face, y)) in goals.iter().zip(GOAL_Y).enumerate() {
                if face != GOLD_FACE && rng.below(3) == 0 {
                    face_up |= 1 << goal;
                    let mask = if rng.below(2) == 0 { face } else { half_turn(face) };
                    cards.push((GOAL_X, y, Laid { mask, is_blocked: false }));
                }
            }
            let extent = BOARDS[rng.below(BOARDS.len() as u32) as usize];
            let mut position =
                Position::set_up(players(case), Board::of(extent, &cards)).expect("three to ten players");
            (position.goals, position.face_up, position.hands, position.deck) = (goals, face_up, hands, deck);
            position.saboteurs = rng.below(1 << players(case)) as u16;
            position.broken = std::array::from_fn(|_| if rng.below(3) == 0 { rng.below(8) as u8 } else { 0 });
            position.seen = std::array::from_fn(|_| rng.below(8) as u8);
            let holder = (0..players(case)).rfind(|&seat| !hands[seat].is_empty());
            position.mover = holder.unwrap_or(0) as u8;
            Game { rounds: rng.below(ROUNDS.into()) as u8, ..Game::of(position) }
        })
        .collect()
}

/// Plays until `is_wanted` or the end of the round.
fn walk(position: &mut Position, policy: Policy, rng: &mut Rng, is_wanted: impl Fn(&Position) -> bool) {
    position.deal(rng);
    while position.winner.is_none() && !is_wanted(position) {
        let Some(action) = policy::choose(position, policy, rng) else { return };
        position.act(action, rng);
    }
}

/// What has to occur among games for a comparison to mean much.
#[derive(Debug, Default)]
pub struct Seen {
    pub players: [u32; MOST_PLAYERS + 1],
    pub not_dealt: u32,
    pub winners: [u32; 3],
    pub islands: u32,
    pub broken_tools: u32,
    pub broken_mover: u32,
    pub goals_up: [u32; 4],
    pub goals_turned: u32,
    pub deck_empty: u32,
    pub rounds: [u32; ROUNDS as usize + 1],
    pub paid: u32,
    pub gold_short: u32,
    pub no_hand: u32,
}

impl Seen {
    pub fn of<'a>(games: impl IntoIterator<Item = &'a Game>) -> Self {
        let mut seen = Self::default();
        for game in games {
            let position = &game.position;
            seen.players[position.players()] += 1;
            seen.not_dealt += u32::from(!position.is_dealt());
            if let Some(winner) = position.winner {
                seen.winners[winner as usize] += 1;
            }
            seen.islands += u32::from(has_island(position));
            seen.broken_tools += u32::from(position.broken != [0; MOST_PLAYERS]);
            seen.broken_mover += u32::from(is_mover_broken(position));
            seen.goals_up[position.face_up.count_ones() as usize] += 1;
            seen.goals_turned += u32::from(game.pack().turned != 0);
            seen.deck_empty += u32::from(position.deck.is_empty());
            seen.rounds[usize::from(game.rounds)] += 1;
            seen.paid += u32::from(game.gold.nuggets != [0; MOST_PLAYERS]);
            seen.gold_short += u32::from(game.gold.cards.iter().sum::<u8>() < 9);
            let is_stuck = position.is_dealt() && position.winner.is_none() && position.own_hand().is_empty();
            seen.no_hand += u32::from(is_stuck);
        }
        seen
    }
}
