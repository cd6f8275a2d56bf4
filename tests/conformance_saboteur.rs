//! The rules of laying cards against positions judged by a public engine.
//!
//! That engine departs from the rules in places that the README of the data numbers: it turns goals for blocked cards (1,
//! removed from the records) and all goals when gold is reached (2, so that then only goals the card opens to are compared;
//! in two records another one is beside it, behind a wall).
//!
//! `FAIRGROUND_GOLDEN` names the data folder; see `common/records.rs` for its default.

#[path = "common/records.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod records;
#[path = "common/saboteur.rs"]
mod saboteur;

use fairground::games::saboteur::rules::side_towards;
use fairground::games::saboteur::tables::{GOAL_X, GOAL_Y, GOLD_FACE, STONE_FACES, half_turn};
use fairground::games::saboteur::{Action, Board, Card, Deck, Extent, Hand, IllegalAction, Laid, Position, Winner};
use records::{records, some_are_there};
use saboteur::rng;
use serde::Deserialize;

type Cell = (i8, i8, String, u8);

#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "lowercase", deny_unknown_fields)]
enum Case {
    Place {
        board: Vec<Cell>,
        card: String,
        m: u8,
        blocked: bool,
        rot: u8,
        x: i8,
        y: i8,
        legal: bool,
        why: Option<String>,
        revealed: Option<Vec<Cell>>,
        note: Option<String>,
    },
    Frontier {
        board: Vec<Cell>,
        cells: Vec<[i8; 2]>,
    },
}

#[test]
fn there_is_something_to_conform_to() {
    some_are_there("saboteur/golden");
}

fn goal(y: i8) -> usize {
    GOAL_Y.iter().position(|&goal| goal == y).expect("a row with a goal")
}

/// The face of a goal, unturned.
fn face(kind: &str, mask: u8) -> u8 {
    match kind {
        "G*" => GOLD_FACE,
        "Gs" => *STONE_FACES.iter().find(|&&face| face == mask || half_turn(face) == mask).expect("a stone"),
        _ => panic!("{kind} does not lie face up"),
    }
}

/// The recorded position with nothing in hand, the faces of hidden goals filled up from `revealed`.
fn position(cards: &[Cell], revealed: &[Cell]) -> Position {
    let mut goals = [0; 3];
    let mut face_up = 0;
    let mut laid = Vec::new();
    for (x, y, kind, mask) in cards {
        match kind.as_str() {
            "P" | "B" => laid.push((*x, *y, Laid { mask: *mask, is_blocked: kind == "B" })),
            "G?" => assert!(*x == GOAL_X && GOAL_Y.contains(y)),
            _ => {
                laid.push((*x, *y, Laid { mask: *mask, is_blocked: false }));
                goals[goal(*y)] = face(kind, *mask);
                face_up |= 1 << goal(*y);
            }
        }
    }
    for (_, y, kind, mask) in revealed {
        goals[goal(*y)] = face(kind, *mask);
    }
    for face in [STONE_FACES[0], STONE_FACES[1], GOLD_FACE] {
        if !goals.contains(&face) {
            *goals.iter_mut().find(|goal| **goal == 0).expect("a goal not yet known") = face;
        }
    }
    let mut position = Position::set_up(6, Board::of(Extent::WIDEST, &laid)).expect("six players");
    (position.goals, position.face_up) = (goals, face_up);
    position
}

#[test]
fn recorded_verdicts_are_ours() {
    let (mut places, mut frontiers, mut turned_goals) = (0, 0, 0);
    let cases = records::<Case>("saboteur/golden/positions");
    let count = cases.len();
    for (at, case) in cases {
        match case {
            Case::Frontier { board, mut cells } => {
                let position = position(&board, &[]);
                let mut ours: Vec<_> = position.board().frontier().map(|(x, y)| [x, y]).collect();
                ours.sort_unstable();
                cells.sort_unstable();
                assert_eq!(ours, cells, "{at}");
                frontiers += 1;
            }
            Case::Place { board, card, m, blocked, rot, x, y, legal, why, revealed, note } => {
                let card = Card::from_name(&card).unwrap_or_else(|| panic!("{at}: no card {card}"));
                assert_eq!((card.mask(), card.is_blocked()), (m, blocked), "{at}");
                let turned = rot == 1;
                let turned_goal = |goal: &&Cell| {
                    let side = side_towards([x, y], [goal.0, goal.1]);
                    let is_entered = side.is_some_and(|side| card.laid_mask(turned) >> side & 1 != 0);
                    let shows_all = revealed.iter().flatten().any(|(_, _, kind, _)| kind == "G*");
                    assert!(is_entered || shows_all, "{at}: {goal:?} is not beside the card");
                    is_entered
                };
                let mut expected: Vec<Cell> = revealed.iter().flatten().filter(turned_goal).cloned().collect();
                expected.sort();
                let mut position = position(&board, revealed.as_deref().unwrap_or(&[]));
                position.hands[0] = Hand::of(&[card]);
                let action = Action::Path { card, turned: turned && card.can_turn(), x, y };
                let verdict = match why.as_deref() {
                    None => Ok(()),
                    Some("occupied") => Err(IllegalAction::Occupied),
                    Some("unreachable") => Err(IllegalAction::Unreachable),
                    Some("edge") => Err(IllegalAction::Edge),
                    Some(why) => panic!("{at}: {why}"),
                };
                assert_eq!(verdict.is_ok(), legal, "{at}");
                assert_eq!(position.check(action), verdict, "{at}");
                assert_eq!(position.legal_actions().contains(&action), legal, "{at}");
                places += 1;
                if !legal {
                    continue;
                }
                // Departure 1: such a record does not say what is turned; by the rules nothing is.
                assert_eq!(revealed.is_none(), note.is_some() && blocked, "{at}: {note:?}");
                let before = position.face_up;
                position.deck = Deck::EMPTY;
                position.act(action, &mut rng(1, 0));
                let found: Vec<Cell> = GOAL_Y
                    .into_iter()
                    .filter(|&y| (position.face_up & !before) >> goal(y) & 1 != 0)
                    .map(|y| {
                        let mask = position.board().card(GOAL_X, y).expect("a goal face up").mask;
                        let kind = if position.goals[goal(y)] == GOLD_FACE { "G*" } else { "Gs" };
                        (GOAL_X, y, kind.to_owned(), mask)
                    })
                    .collect();
                assert_eq!(found, expected, "{at}");
                let has_gold = expected.iter().any(|(_, _, kind, _)| kind == "G*");
                assert_eq!(position.winner == Some(Winner::Diggers), has_gold, "{at}");
                turned_goals += expected.len();
            }
        }
    }
    if count > 0 {
        assert_eq!(places + frontiers, count);
        assert!(places > 1000 && frontiers > 100 && turned_goals > 10, "{places}, {frontiers}, {turned_goals}");
    }
}
