//! Records of played games, in the format of the original program.
//!
//! A record is the [file](super::file) of the map with the game behind it; a reader of maps passes over that.
//!
//! ```text
//! PLAYEDDATE[2024-05-01 12:00:00];PLAYEDRULE[...];PLAYERRED[mss];PLAYERBLUE[muct];
//! TURNINFO[0,0,2];                       phase, team, number of actions
//! ACTION[0,3,1,1,1,-1,-1,-1,1,0,0];      unit, to x, y, from x, y, target, its x, y, what, damage, counter
//! ```

use std::fmt::Write as _;

use super::board::Cell;
use super::file::{harmless, write as write_map};
use super::map::Map;
use super::pieces::Team;
use super::rules::{Action, Combat};

/// The rules the original program says it plays.
pub const RULE_SET: &str = "rule_set_version_0100";

/// One action of a game and what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The phase, counting from 0.
    pub turn: u32,
    /// Who acted.
    pub team: Team,
    /// Where the unit stood before.
    pub from: Cell,
    /// What it did.
    pub action: Action,
    /// Where the unit it attacked stood.
    pub target_cell: Option<Cell>,
    /// The damage.
    pub combat: Combat,
}

/// What a record says about a game beside its actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heading<'a> {
    /// When it was played.
    pub date: &'a str,
    /// The names of Red and Blue.
    pub players: [&'a str; 2],
}

/// Writes a game that was played from the start of a map for this many phases.
#[must_use]
pub fn write(map: &Map, heading: Heading<'_>, phases: u32, steps: &[Step]) -> String {
    let mut text = write_map(map);
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = text.write_fmt(arguments);
        text.push_str(";\n");
    };
    let [date, red, blue] = [heading.date, heading.players[0], heading.players[1]].map(harmless);
    line(format_args!("PLAYEDDATE[{date}];PLAYEDRULE[{RULE_SET}];PLAYERRED[{red}];PLAYERBLUE[{blue}]"));
    for turn in 0..phases {
        let actions = steps.iter().filter(|step| step.turn == turn);
        let team = if turn % 2 == 0 { Team::Red } else { Team::Blue };
        line(format_args!("TURNINFO[{turn},{},{}]", team.index(), actions.clone().count()));
        for step in actions {
            line(format_args!("ACTION[{}]", fields(map, step)));
        }
    }
    text
}

fn fields(map: &Map, step: &Step) -> String {
    const NOBODY: (i64, i64, i64) = (-1, -1, -1);
    let Step { team, from, action, target_cell, combat, .. } = *step;
    let coordinates = |cell: Cell| (cell.to_file().0 as i64, cell.to_file().1 as i64);
    let (to_x, to_y) = coordinates(action.to);
    let (from_x, from_y) = coordinates(from);
    let (target, target_x, target_y) = action.target.zip(target_cell).map_or(NOBODY, |(target, cell)| {
        let (x, y) = coordinates(cell);
        (id(map, team.other(), target), x, y)
    });
    // The original's numbers of a move and of an attack.
    let what = if action.target.is_some() { 2 } else { 1 };
    let (unit, dealt, countered) = (id(map, team, action.unit), combat.dealt, combat.countered);
    format!("{unit},{to_x},{to_y},{from_x},{from_y},{target},{target_x},{target_y},{what},{dealt},{countered}")
}

/// The place of a unit among all units of the map.
fn id(map: &Map, team: Team, number: usize) -> i64 {
    let mut side = map.units.iter().zip(0..).filter(|(unit, _)| unit.team == team);
    side.nth(number).map_or(-1, |(_, id)| id)
}
