//! The strategy `full` of Saboteur: what it chooses is legal, rests on what the player knows, and is as strong as promised.

#[path = "common/saboteur.rs"]
mod saboteur;

use std::collections::BTreeMap;

use fairground::games::saboteur::tables::{GOALS, KINDS, MOST_PLAYERS};
use fairground::games::saboteur::{
    Action, Card, Deck, Extent, Hand, Policy, Position, Reading, Strategy, Winner, full, policy,
};
use fairground_kernels::rng::{Draws, Rng};
use fairground_kernels::saboteur::full::{EVIDENCE, MOST_SUSPICION};
use saboteur::{rng, walk};

const FULL: Policy = Policy::all(Strategy::Full);
const PAPER: Strategy = Strategy::Paper(Reading::A);
/// Diggers and saboteurs of both sorts: all of them leave evidence.
const POLICIES: [Policy; 3] =
    [FULL, Policy { diggers: Strategy::Full, saboteurs: PAPER }, Policy { diggers: PAPER, saboteurs: Strategy::Full }];

/// Whether diggers or saboteurs did it, and what sort of action it was.
fn sort(position: &Position, action: Action) -> (bool, &'static str) {
    let name = match action {
        Action::Path { card, .. } if card.is_blocked() => "blocked",
        Action::Path { .. } => "path",
        Action::RockFall { .. } => "rock-fall",
        Action::Map { .. } => "map",
        Action::Break { .. } => "break",
        Action::Repair { .. } => "repair",
        Action::Discard { .. } => "discard",
    };
    (position.is_saboteur(position.mover), name)
}

#[test]
fn full_plays_legal_actions_of_every_sort_without_a_draw() {
    let mut sorts = BTreeMap::new();
    let mut with_broken_tools = 0;
    for (seed, policy) in (30..).zip(POLICIES) {
        walk(seed, 480, policy, |at, position, action| {
            let Some(action) = action else { return };
            assert_eq!(position.check(action), Ok(()), "{at}: {action:?}");
            let draws = &mut rng(seed, 0);
            let before = draws.draws();
            let chosen = policy::choose(position, FULL, draws);
            assert_eq!(draws.draws(), before, "{at}");
            assert_eq!(chosen.map(|action| position.check(action)), Some(Ok(())), "{at}: {chosen:?}");
            if policy == FULL {
                *sorts.entry(sort(position, action)).or_insert(0) += 1;
                with_broken_tools += u32::from(!position.can_dig());
            }
        });
    }
    for name in ["path", "rock-fall", "break", "discard"] {
        for is_saboteur in [false, true] {
            assert!(sorts.get(&(is_saboteur, name)).is_some_and(|&count| count > 20), "{name}: {sorts:?}");
        }
    }
    for (of_saboteurs, name) in [(false, "map"), (false, "repair"), (true, "blocked")] {
        assert!(sorts.contains_key(&(of_saboteurs, name)), "{name}: {sorts:?}");
        assert!(!sorts.contains_key(&(!of_saboteurs, name)), "{name}: {sorts:?}");
    }
    assert!(with_broken_tools > 500, "{with_broken_tools} turns with broken tools");
}

/// Changes all that the mover does not know: the others' cards, roles and goals seen, the deck, the goals not seen.
fn with_other_secrets(position: &Position, rng: &mut Rng) -> Position {
    let mut other = *position;
    let mover = usize::from(position.mover);
    for seat in (0..position.players()).filter(|&seat| seat != mover) {
        let cards = position.hands[seat].cards().filter_map(|_| Card::from_index(rng.below(KINDS as u32) as usize));
        other.hands[seat] = Hand::of(&cards.collect::<Vec<_>>());
        other.seen[seat] = rng.below(8) as u8;
        other.saboteurs ^= (rng.below(2) as u16) << seat;
    }
    other.deck = Deck { paths: position.deck.paths.rotate_left(7) & Deck::FULL.paths, ..position.deck };
    let known = position.seen[mover] | position.face_up;
    let hidden: Vec<_> = (0..GOALS).filter(|goal| known >> goal & 1 == 0).collect();
    if let [first, .., last] = hidden[..] {
        other.goals.swap(first, last);
    }
    other
}

#[test]
fn full_and_suspicion_do_not_depend_on_secrets() {
    let (mut gold_moved, mut suspected) = (0, 0);
    for (seed, policy) in (40..).zip(POLICIES) {
        walk(seed, 240, policy, |at, position, action| {
            let Some(action) = action else { return };
            for case in 0..3 {
                let rng = &mut rng(seed, case);
                let mut other = with_other_secrets(position, rng);
                gold_moved += u32::from(other.goals != position.goals);
                assert_eq!(full::choose(&other), full::choose(position), "{at}");
                let mut copy = *position;
                copy.act(action, rng);
                other.act(action, rng);
                assert_eq!(other.suspicion, copy.suspicion, "{at}");
                suspected += u32::from(copy.suspicion.iter().any(|&of| of > 0));
            }
        });
    }
    assert!(gold_moved > 10_000 && suspected > 10_000, "{gold_moved} {suspected}");
}

/// The same position with every player so many seats further on.
fn moved_on(position: &Position, by: usize) -> Position {
    let players = position.players();
    let mut other = *position;
    other.saboteurs = 0;
    for seat in 0..players {
        let to = (seat + by) % players;
        other.hands[to] = position.hands[seat];
        other.seen[to] = position.seen[seat];
        other.broken[to] = position.broken[seat];
        other.suspicion[to] = position.suspicion[seat];
        other.saboteurs |= u16::from(position.is_saboteur(seat as u8)) << to;
    }
    other.mover = ((usize::from(position.mover) + by) % players) as u8;
    other
}

#[test]
fn full_and_suspicion_do_not_depend_on_the_numbers_of_seats() {
    let mut with_seat = 0;
    walk(50, 240, FULL, |at, position, action| {
        let Some(action) = action else { return };
        let players = position.players();
        for by in 1..players {
            let mut other = moved_on(position, by);
            let further = |seat: u8| ((usize::from(seat) + by) % players) as u8;
            let expected = match action {
                Action::Break { tool, seat } => Action::Break { tool, seat: further(seat) },
                Action::Repair { card, tool, seat } => Action::Repair { card, tool, seat: further(seat) },
                action => action,
            };
            with_seat += u32::from(expected != action);
            assert_eq!(full::choose(&other), Some(expected), "{at}");
            let mut copy = *position;
            copy.act(action, &mut rng(50, 0));
            other.act(expected, &mut rng(50, 0));
            assert_eq!(other.suspicion, moved_on(&copy, by).suspicion, "{at}");
        }
    });
    assert!(with_seat > 1000, "{with_seat} actions against or for others");
}

#[test]
fn suspicion_follows_what_is_seen_and_finds_saboteurs() {
    let [blocked, passable, harm] = EVIDENCE;
    for (seed, policy) in (60..).zip(POLICIES) {
        let (mut sums, mut counts, mut extremes) = ([0; 2], [0; 2], [false; 2]);
        walk(seed, 480, policy, |at, position, action| {
            let Some(action) = action else {
                for seat in 0..position.players() {
                    let role = usize::from(position.is_saboteur(seat as u8));
                    sums[role] += i32::from(position.suspicion[seat]);
                    counts[role] += 1;
                }
                return;
            };
            let mover = usize::from(position.mover);
            let evidence = match action {
                Action::Path { card, .. } if card.is_blocked() => blocked,
                Action::Path { .. } => passable,
                Action::Break { seat, .. } if position.suspicion[usize::from(seat)] <= 0 => harm,
                _ => 0,
            };
            let mut expected = position.suspicion.map(i32::from);
            expected[mover] = (expected[mover] + evidence).clamp(-MOST_SUSPICION, MOST_SUSPICION);
            let mut after = *position;
            after.act(action, &mut rng(seed, 0));
            assert_eq!(after.suspicion.map(i32::from), expected, "{at}: {action:?}");
            extremes[0] |= expected[mover] == -MOST_SUSPICION;
            extremes[1] |= expected[mover] == MOST_SUSPICION;
            assert!(expected[position.players()..MOST_PLAYERS].iter().all(|&of| of == 0), "{at}");
        });
        let [diggers, saboteurs] = [0, 1].map(|role| f64::from(sums[role]) / f64::from(counts[role]));
        assert!(diggers < 0. && saboteurs > diggers + 2., "{policy:?}: diggers {diggers}, saboteurs {saboteurs}");
        assert_eq!(extremes, [true; 2], "{policy:?}");
    }
}

/// How often the diggers win.
fn wins(players: usize, extent: Extent, diggers: Strategy, saboteurs: Strategy, rounds: u32) -> f64 {
    let won = (0..rounds).filter(|&round| {
        let mut position = Position::start(players, extent).expect("three to ten players");
        policy::play(&mut position, Policy { diggers, saboteurs }, &mut rng(70, round.into()));
        position.winner == Some(Winner::Diggers)
    });
    won.count() as f64
}

/// The first rate is larger by this many standard deviations, if the true rates are equal.
fn deviations(more: f64, less: f64, rounds: u32) -> f64 {
    let rounds = f64::from(rounds);
    let pooled = (more + less) / (2. * rounds);
    (more - less) / (2. * rounds * pooled * (1. - pooled)).sqrt()
}

#[test]
fn full_beats_the_paper_in_both_roles() {
    let rounds = 1000;
    let cases = [(6, Extent::WIDEST), (6, Extent::PAPER), (3, Extent::PAPER), (5, Extent::WIDEST), (8, Extent::PAPER)];
    for (players, extent) in cases.into_iter().chain([(10, Extent::WIDEST)]) {
        let rate = |diggers, saboteurs| wins(players, extent, diggers, saboteurs, rounds);
        let paper = rate(PAPER, PAPER);
        let with_full_diggers = rate(Strategy::Full, PAPER);
        let with_full_saboteurs = rate(PAPER, Strategy::Full);
        let both = rate(Strategy::Full, Strategy::Full);
        let at = format!("{players} players, {extent:?}");
        assert!(deviations(with_full_diggers, paper, rounds) > 6., "{at}: {with_full_diggers} {paper}");
        assert!(deviations(paper, with_full_saboteurs, rounds) > 6., "{at}: {with_full_saboteurs} {paper}");
        // Each also does better than the paper's against the other half of itself.
        assert!(deviations(with_full_diggers, both, rounds) > 3., "{at}: {with_full_diggers} {both}");
        assert!(deviations(both, with_full_saboteurs, rounds) > 6., "{at}: {with_full_saboteurs} {both}");
    }
}
