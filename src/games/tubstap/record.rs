//! Records of played games, in the format of the original program.
//!
//! A record is the [file](super::file) of the map with the game behind it; a reader of maps passes over that.
//!
//! ```text
//! PLAYEDDATE[2024-05-01 12:00:00];PLAYEDRULE[...];PLAYERRED[mss];PLAYERBLUE[muct];
//! TURNINFO[0,0,2];                       phase, team, number of actions
//! ACTION[0,3,1,1,1,-1,-1,-1,1,0,0];      unit, to x, y, from x, y, target, its x, y, what, damage, counter
//! ```
//!
//! What is read is played again on the rules engine, and everything it says is compared.

use std::fmt::Write as _;
use std::path::Path;

use super::board::Cell;
use super::file::{Fault, ReadError, harmless, write as write_map};
use super::map::Map;
use super::pieces::Team;
use super::position::Position;
use super::rules::{Action, Combat, Verdict};
use crate::games::fault;

mod reader;

/// The rules the original program says it plays.
pub const RULE_SET: &str = "rule_set_version_0100";

/// The original's numbers of what can be done.
const SURRENDER: i64 = 0;
const MOVE: i64 = 1;
const ATTACK: i64 = 2;
const TURN_END: i64 = 3;

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

/// A record that was read and played again.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The map.
    pub map: Map,
    /// When it was played, as the file says; empty if it does not.
    pub date: String,
    /// The rules it was played by; empty if the file does not say.
    pub rules: String,
    /// The names of Red and Blue; empty if the file does not say.
    pub players: [String; 2],
    /// The phases.
    pub phases: Vec<Phase>,
    /// How it ended.
    pub finish: Finish,
    /// What looks wrong but does not keep the game from being played, by line.
    pub warnings: Vec<Fault>,
}

/// One side's turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its number, counting from 0.
    pub turn: u32,
    /// Whose it was.
    pub team: Team,
    /// What the units did.
    pub steps: Vec<Step>,
    /// The position at the end.
    pub after: Position,
}

/// How a recorded game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// By the rules.
    Decided(Verdict),
    /// This side gave up.
    Surrender(Team),
    /// The record ends before the game does.
    BrokenOff,
}

impl Record {
    /// All actions, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.phases.iter().flat_map(|phase| &phase.steps)
    }

    /// The position at the end.
    #[must_use]
    pub fn end(&self) -> Position {
        self.phases.last().map_or_else(|| self.map.start(), |phase| phase.after)
    }
}

/// Reads the record of a game.
///
/// # Errors
/// If the file cannot be read, or with what is wrong in it.
pub fn read(path: &Path) -> Result<Record, ReadError> {
    fault::read(path, parse)
}

/// Reads the record of a game from the bytes of a file, plays it again, and compares.
///
/// Harmless things pass: comments, a turn that was ended early or given up, a record that breaks off. A step that cannot
/// be reached but that the original lets pass is a warning, and so are other rules and what a move says about damage,
/// which no reader of the original looks at.
///
/// # Errors
/// What is wrong, by line. After an action that cannot be played nothing more is compared.
pub fn parse(bytes: &[u8]) -> Result<Record, Vec<Fault>> {
    reader::parse(bytes)
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
    let number = |map, team, number| id(map, team, number).map_or(-1, |id| id as i64);
    let Step { team, from, action, target_cell, combat, .. } = *step;
    let coordinates = |cell: Cell| (cell.to_file().0 as i64, cell.to_file().1 as i64);
    let (to_x, to_y) = coordinates(action.to);
    let (from_x, from_y) = coordinates(from);
    let (target, target_x, target_y) = action.target.zip(target_cell).map_or(NOBODY, |(target, cell)| {
        let (x, y) = coordinates(cell);
        (number(map, team.other(), target), x, y)
    });
    let what = if action.target.is_some() { ATTACK } else { MOVE };
    let (unit, dealt, countered) = (number(map, team, action.unit), combat.dealt, combat.countered);
    format!("{unit},{to_x},{to_y},{from_x},{from_y},{target},{target_x},{target_y},{what},{dealt},{countered}")
}

/// The place of a side's unit among all units of the map, counting from 0, by which records name it.
#[must_use]
pub fn id(map: &Map, team: Team, number: usize) -> Option<usize> {
    let mut side = map.units.iter().zip(0..).filter(|(unit, _)| unit.team == team);
    side.nth(number).map(|(_, id)| id)
}
