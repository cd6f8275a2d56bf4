//! The tree search of all games, on a small game of three players with dice and hidden cards.

use std::collections::HashMap;

use fairground::search::{Counted, Domain, Growth, Search};
use fairground_kernels::rng::{Draws, Rng};

/// Players in turn take one to three points, or throw a die for them: on a six the whole sum is lost. After two rounds
/// whoever has most points wins; a tie is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Points {
    points: [u8; 3],
    moves: u8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    Take(u8),
    Throw,
}

const MOVES: [Move; 4] = [Move::Take(1), Move::Throw, Move::Take(3), Move::Take(2)];
const LENGTH: u8 = 6;

impl Points {
    fn mover(self) -> usize {
        usize::from(self.moves) % 3
    }

    fn after(mut self, action: Move, die: u8) -> Self {
        let own = &mut self.points[usize::from(self.moves) % 3];
        match action {
            Move::Take(points) => *own += points,
            Move::Throw if die == 6 => *own = 0,
            Move::Throw => *own += die,
        }
        self.moves += 1;
        self
    }

    fn rewards(self) -> [f64; 3] {
        let most = self.points.into_iter().max().unwrap_or(0);
        let winners = self.points.iter().filter(|&&points| points == most).count() as f64;
        self.points.map(|points| if points == most { 1.0 / winners } else { 0.0 })
    }

    /// The rewards under best play of everybody, and the best move: by looking at everything.
    fn solve(self, known: &mut HashMap<Self, [f64; 3]>) -> [f64; 3] {
        if self.moves == LENGTH {
            return self.rewards();
        }
        if let Some(&value) = known.get(&self) {
            return value;
        }
        let values = MOVES.map(|action| self.value(action, known));
        let mover = self.mover();
        let best = values.into_iter().max_by(|one, other| one[mover].total_cmp(&other[mover])).unwrap_or_default();
        known.insert(self, best);
        best
    }

    fn value(self, action: Move, known: &mut HashMap<Self, [f64; 3]>) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for die in 1..=6 {
            let value = self.after(action, die).solve(known);
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value / 6.0);
        }
        sum
    }

    /// Moves at random to the end.
    fn play_out(mut self, rng: &mut Rng) -> [f64; 3] {
        while self.moves < LENGTH {
            self = self.after(MOVES[rng.below(4) as usize], 1 + rng.below(6) as u8);
        }
        self.rewards()
    }
}

impl Domain for Points {
    type State = Self;
    type Action = Move;

    fn root(&self, _: &mut Rng) -> Self {
        *self
    }

    fn choices(&self, state: &Self, choices: &mut Vec<Move>, _: &mut Rng) -> usize {
        if state.moves < LENGTH {
            choices.extend(MOVES);
        }
        state.mover()
    }

    fn play(&self, state: &mut Self, action: Move, rng: &mut Rng) -> u64 {
        let die = if action == Move::Throw { 1 + rng.below(6) as u8 } else { 0 };
        *state = state.after(action, die);
        die.into()
    }
}

const GROWTH: Growth = Growth { exploration: 0.7, expand_above: 0, counted: Counted::OfNode };

fn grow(search: &mut Search<Points>, simulations: u32, at_once: u32, rng: &mut Rng) {
    for _ in 0..simulations / at_once {
        let leaves: Vec<Points> = (0..at_once).filter_map(|_| search.descend(rng)).collect();
        assert_eq!(search.under_way(), leaves.len());
        for leaf in leaves {
            let rewards = leaf.play_out(rng);
            search.back_up(|player| rewards[player]);
        }
    }
}

#[test]
fn the_best_move_is_found_against_dice_and_two_opponents() {
    let mut known = HashMap::new();
    let mut throws = 0;
    for case in 0..30 {
        let mut rng = Rng::for_playout(1, 1, case);
        let points = [0; 3].map(|_: u8| rng.below(8) as u8);
        let root = Points { points, moves: 2 + rng.below(4) as u8 };
        let mut search = Search::new(root, GROWTH, &mut rng);
        grow(&mut search, 60_000, if case % 2 == 0 { 1 } else { 8 }, &mut rng);
        let best = search.best().expect("a move");
        let mover = root.mover();
        let value = root.solve(&mut known)[mover];
        let found = root.value(best, &mut known)[mover];
        assert!(found > value - 0.02, "case {case}: {best:?} is worth {found}, the best {value}, {root:?}");
        throws += u32::from(best == Move::Throw);
    }
    assert!((5..=25).contains(&throws), "the die was thrown in {throws} of 30");
}

#[test]
fn visits_add_up_and_every_choice_is_tried_first() {
    for (at_once, expand_above) in [(1, 0), (1, 10), (7, 0), (16, 10), (64, 3)] {
        let mut rng = Rng::for_playout(2, 1, 0);
        let root = Points { points: [0; 3], moves: 0 };
        let mut search = Search::new(root, Growth { expand_above, ..GROWTH }, &mut rng);
        grow(&mut search, at_once, at_once, &mut rng);
        let tried = search.tried().filter(|tried| tried.visits > 0).count() as u32;
        assert_eq!(tried, at_once.min(4), "{at_once} at once");
        grow(&mut search, 2000 * at_once, at_once, &mut rng);
        let visits: u64 = search.tried().map(|tried| u64::from(tried.visits)).sum();
        assert_eq!(visits, search.finished());
        assert_eq!((search.finished(), search.under_way()), (2001 * u64::from(at_once), 0));
        assert!(search.tried().all(|tried| tried.sum <= f64::from(tried.visits)));
        let depths = search.actions_by_depth();
        assert_eq!(depths[0], 4);
        // Three moves that lead to one node each, and a throw that leads to six.
        assert_eq!(depths[1], 4 * (3 + 6), "{depths:?}");
        assert!(depths.len() <= LENGTH.into());
    }
}

#[test]
fn a_game_that_is_over_is_not_searched() {
    let mut rng = Rng::for_playout(3, 1, 0);
    let mut search = Search::new(Points { points: [1, 2, 3], moves: LENGTH }, GROWTH, &mut rng);
    assert!(search.descend(&mut rng).is_none());
    assert_eq!((search.best(), search.finished(), search.under_way()), (None, 0, 0));
    search.back_up(|_| panic!("nothing was begun"));
}

/// One of two hidden cards is the high one. The player bets on a card, or passes for a sure 0.6; a look at the cards costs
/// 0.2 and lets the bet be made with open eyes.
#[derive(Clone, Copy)]
struct Cards;

#[derive(Clone, Copy, PartialEq)]
struct Table {
    high: usize,
    is_seen: bool,
    bet: Option<Bet>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bet {
    On(usize),
    Pass,
    Look,
}

impl Domain for Cards {
    type State = Table;
    type Action = Bet;

    fn root(&self, rng: &mut Rng) -> Table {
        Table { high: rng.below(2) as usize, is_seen: false, bet: None }
    }

    fn choices(&self, table: &Table, choices: &mut Vec<Bet>, _: &mut Rng) -> usize {
        match table {
            Table { bet: Some(_), .. } => {}
            Table { is_seen: false, .. } => choices.extend([Bet::On(0), Bet::On(1), Bet::Pass, Bet::Look]),
            Table { is_seen: true, .. } => choices.extend([Bet::On(0), Bet::On(1)]),
        }
        0
    }

    fn play(&self, table: &mut Table, action: Bet, _: &mut Rng) -> u64 {
        match action {
            Bet::Look => table.is_seen = true,
            _ => table.bet = Some(action),
        }
        // Who has looked knows the cards: these are two nodes. Who has not does not.
        if table.is_seen { table.high as u64 } else { 0 }
    }
}

fn worth(table: &Table, rng: &mut Rng) -> f64 {
    let bet = table.bet.unwrap_or_else(|| Bet::On(rng.below(2) as usize));
    let value = match bet {
        Bet::On(card) => f64::from(u8::from(card == table.high)),
        Bet::Pass | Bet::Look => 0.6,
    };
    if table.is_seen { value - 0.2 } else { value }
}

#[test]
fn hidden_cards_are_dealt_anew_for_every_simulation() {
    let mut rng = Rng::for_playout(4, 1, 0);
    let mut search = Search::new(Cards, Growth { exploration: 2.0, ..GROWTH }, &mut rng);
    for _ in 0..20_000 {
        let leaf = search.descend(&mut rng).expect("a leaf");
        let value = worth(&leaf, &mut rng);
        search.back_up(|_| value);
    }
    let tried: Vec<_> = search.tried().collect();
    // A blind bet wins half, whatever the cards of one deal are; a look makes the bet safe.
    assert!(tried[..2].iter().all(|bet| (bet.mean() - 0.5).abs() < 0.1), "{tried:?}");
    assert!((0.7..0.8).contains(&tried[3].mean()), "{tried:?}");
    assert_eq!(search.best(), Some(Bet::Look));
    assert_eq!(search.actions_by_depth(), [4, 2 * 2]);
}
