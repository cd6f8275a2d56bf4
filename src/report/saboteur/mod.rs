//! Pictures of a round of Saboteur.

mod svg;
mod terminal;

pub use svg::svg;
pub use terminal::terminal;

use std::ops::RangeInclusive;

use crate::games::saboteur::tables::{GOAL_X, GOAL_Y, GOALS, GOLD_FACE};
use crate::games::saboteur::{Action, Card, Position, Tool, Winner};

/// A moment of a round.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// What stands above the picture.
    pub heading: &'a str,
    /// How it is played.
    pub note: &'a str,
    /// The position.
    pub position: &'a Position,
    /// Who moved last, and what they did.
    pub last: Option<(u8, Action)>,
}

/// What there is to see on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Empty,
    Start,
    Path { mask: u8, is_blocked: bool, is_new: bool },
    FaceDown { is_gold: bool },
    FaceUp { mask: u8, is_gold: bool },
}

impl Scene<'_> {
    /// The columns and rows with cards and goals, and a margin of one as far as the board goes.
    fn range(&self) -> [RangeInclusive<i8>; 2] {
        let board = self.position.board();
        let extent = board.extent();
        let [mut left, mut right, mut bottom, mut top] = [0, GOAL_X, GOAL_Y[0], GOAL_Y[GOALS - 1]];
        for (x, y) in board.removable() {
            [left, right, bottom, top] = [left.min(x), right.max(x), bottom.min(y), top.max(y)];
        }
        let [left, bottom] =
            [(left, extent.left), (bottom, extent.bottom)].map(|(at, edge)| at.min((at - 1).max(edge)));
        let [right, top] = [(right, extent.right), (top, extent.top)].map(|(at, edge)| at.max((at + 1).min(edge)));
        [left..=right, bottom..=top]
    }

    fn look(&self, x: i8, y: i8) -> Look {
        let position = self.position;
        let goal = GOAL_Y.into_iter().position(|row| x == GOAL_X && row == y);
        let is_gold = goal.is_some_and(|goal| position.goals[goal] == GOLD_FACE);
        match position.board().card(x, y) {
            _ if position.board().is_hidden(x, y) => Look::FaceDown { is_gold },
            None => Look::Empty,
            Some(_) if (x, y) == (0, 0) => Look::Start,
            Some(laid) if goal.is_some() => Look::FaceUp { mask: laid.mask, is_gold },
            Some(laid) => {
                let is_new =
                    matches!(self.last, Some((_, Action::Path { x: at_x, y: at_y, .. })) if (at_x, at_y) == (x, y));
                Look::Path { mask: laid.mask, is_blocked: laid.is_blocked, is_new }
            }
        }
    }

    fn role(&self, seat: u8) -> &'static str {
        if self.position.is_saboteur(seat) { "saboteur" } else { "digger" }
    }

    /// What happened last, and what is to come of it.
    fn news(&self) -> String {
        let last = self.last.map(|(seat, action)| {
            format!("turn {}: player {} ({}) {}", self.position.turn, seat + 1, self.role(seat), deed(action))
        });
        let mover = self.position.mover;
        let next = match self.position.winner {
            None => format!("player {} ({}) is next", mover + 1, self.role(mover)),
            Some(Winner::Diggers) => "the diggers win".into(),
            Some(Winner::Saboteurs) => "the saboteurs win".into(),
            Some(Winner::Nobody) => "nobody wins".into(),
        };
        format!("{}; {next}", last.unwrap_or_else(|| "the cards are dealt".into()))
    }

    /// The number of a player, the role, the cards in hand and what is broken.
    fn players(&self) -> impl Iterator<Item = (u8, &'static str, String)> {
        (0..self.position.players() as u8).map(|seat| {
            let hand: Vec<_> = self.position.hands[usize::from(seat)].cards().map(Card::name).collect();
            let broken = self.position.broken[usize::from(seat)];
            let broken: Vec<_> =
                Tool::ALL.into_iter().filter(|tool| broken & tool.bit() != 0).map(Tool::name).collect();
            let broken = if broken.is_empty() { String::new() } else { format!("; broken: {}", broken.join(", ")) };
            (seat + 1, self.role(seat), hand.join(", ") + &broken)
        })
    }

    /// The cards that are left.
    fn cards_left(&self) -> String {
        let deck = self.position.deck.len();
        format!("{deck} card{} in the deck", if deck == 1 { "" } else { "s" })
    }
}

/// What a player does.
fn deed(action: Action) -> String {
    match action {
        Action::Path { card, turned, x, y } => {
            format!("lays {}{} on {x},{y}", card.name(), if turned { " turned" } else { "" })
        }
        Action::RockFall { x, y } => format!("lets rocks fall on {x},{y}"),
        Action::Map { goal } => {
            format!("looks at the {} goal", ["bottom", "middle", "top"].get(usize::from(goal)).unwrap_or(&"next"))
        }
        Action::Break { tool, seat } => format!("breaks the {} of player {}", tool.name(), seat + 1),
        Action::Repair { tool, seat, .. } => format!("repairs the {} of player {}", tool.name(), seat + 1),
        Action::Discard { card } => format!("discards {}", card.name()),
    }
}

#[cfg(test)]
mod tests {
    use fairground_kernels::rng::Rng;

    use super::*;
    use crate::games::saboteur::{Extent, Policy, Preset, Strategy, policy};
    use crate::report::text::{check_nesting, without_escapes};

    /// Every moment of a few rounds: of the paper's agent on its board, and of random players on the widest.
    fn for_each_scene(mut visit: impl FnMut(&Scene<'_>)) {
        let paper = Policy::all(Strategy::Paper(Preset::A.reading()));
        for (extent, policy) in [(Extent::PAPER, paper), (Extent::WIDEST, Policy::all(Strategy::Random))] {
            for round in 0..4 {
                let mut position = Position::start(6, extent).expect("six players");
                let rng = &mut Rng::for_playout(1, 2, round);
                let mut last = None;
                policy::play_watched(&mut position, policy, rng, |position, action| {
                    visit(&Scene { heading: "a <round>", note: "played & shown", position, last });
                    last = Some((position.mover, action));
                });
                visit(&Scene { heading: "a <round>", note: "played & shown", position: &position, last });
            }
        }
    }

    #[test]
    fn everything_on_the_table_is_drawn() {
        let mut seen = std::collections::HashMap::new();
        for_each_scene(|scene| {
            let [columns, rows] = scene.range();
            let cells = columns.flat_map(|x| rows.clone().map(move |y| (x, y)));
            let looks: Vec<_> = cells.map(|(x, y)| scene.look(x, y)).collect();
            let count = |is: fn(&Look) -> bool| looks.iter().filter(|look| is(look)).count();
            let paths = count(|look| matches!(look, Look::Path { .. }));
            assert_eq!(paths, scene.position.board().removable().count());
            assert_eq!(count(|look| matches!(look, Look::FaceDown { .. } | Look::FaceUp { .. })), GOALS);
            let gold =
                |look: &Look| matches!(look, Look::FaceDown { is_gold: true } | Look::FaceUp { is_gold: true, .. });
            assert_eq!(count(gold), 1);
            let blocked = count(|look| matches!(look, Look::Path { is_blocked: true, .. }));

            let plain = terminal(scene, false);
            let coloured = without_escapes(&terminal(scene, true));
            assert!(coloured.lines().map(str::trim_end).eq(plain.lines()), "{coloured}");
            assert_eq!(plain.matches('┌').count(), 1 + paths, "{plain}");
            assert_eq!(plain.matches('╔').count(), GOALS, "{plain}");
            // The legend has one of each.
            assert_eq!(plain.matches('×').count(), blocked + 1, "{plain}");
            assert_eq!(plain.matches('◆').count(), 1 + 1, "{plain}");
            assert!(plain.lines().all(|line| line == line.trim_end()));

            let picture = svg(scene);
            check_nesting(&picture);
            assert_eq!(picture.matches("href=\"#card\"").count(), 1 + paths + GOALS);
            assert_eq!(picture.matches("href=\"#rubble\"").count(), blocked);
            assert_eq!(picture.matches("href=\"#gold\"").count(), 1);
            assert!(picture.contains("a &lt;round&gt;") && !picture.contains("a <round>"));
            for (number, role, ..) in scene.players() {
                assert!(
                    plain.contains(&format!("player {number}  {role}"))
                        && picture.contains(&format!("player {number}"))
                );
            }
            for look in looks {
                *seen.entry(std::mem::discriminant(&look)).or_insert(0) += 1;
            }
        });
        assert_eq!(seen.len(), 5, "every kind of cell occurred");
    }

    #[test]
    fn every_kind_of_news_is_told() {
        let mut told = std::collections::HashSet::new();
        let kinds = [
            "lays",
            "rocks",
            "looks",
            "breaks",
            "repairs",
            "discards",
            "dealt",
            "is next",
            "diggers win",
            "saboteurs win",
        ];
        for_each_scene(|scene| {
            told.extend(kinds.into_iter().filter(|kind| scene.news().contains(kind)));
        });
        assert_eq!(told.len(), kinds.len(), "{told:?}");
    }
}
