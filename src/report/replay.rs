//! Recorded games as text.

use std::fmt::Write as _;

use super::terminal::{bold, grid, terminal};
use super::text::printable;
use crate::games::tubstap::record::{Finish, Phase, Record, Step, id};
use crate::games::tubstap::{Map, MapUnit, Position, Team, Verdict};

/// Draws a recorded game: the map, then every phase, or only this one, with its actions and the map after it, then the
/// result. A phase that does not exist is left out. With `colour` there are ANSI escape sequences for 256 colours.
#[must_use]
pub fn replay(record: &Record, phase: Option<u32>, colour: bool) -> String {
    let mut picture = heading(record, colour);
    let mut before = record.map.start();
    for played in &record.phases {
        if phase.is_none_or(|turn| turn == played.turn) {
            draw(&mut picture, &record.map, before, played, colour);
        }
        before = played.after;
    }
    let (bold, reset) = bold(colour);
    // Writing to a string cannot fail.
    let _ = writeln!(picture, "\n{bold}{}{reset}", result(record));
    picture
}

fn heading(record: &Record, colour: bool) -> String {
    const LENGTH: usize = 100;
    let named = |name: &str| match printable(name.trim(), LENGTH).as_str() {
        "" => "somebody".to_owned(),
        name => name.to_owned(),
    };
    let (bold, reset) = bold(colour);
    let [red, blue] = record.players.each_ref().map(|name| named(name));
    let mut text = format!("{bold}Red {red} against Blue {blue}{reset}\n");
    let said = [&record.date, &record.rules].map(|words| printable(words.trim(), LENGTH));
    let said: Vec<_> = said.into_iter().filter(|words| !words.is_empty()).collect();
    if !said.is_empty() {
        let _ = writeln!(text, "{}", said.join(", "));
    }
    text + &terminal(&record.map, colour)
}

fn draw(picture: &mut String, map: &Map, before: Position, phase: &Phase, colour: bool) {
    let (bold, reset) = bold(colour);
    let _ = writeln!(picture, "\n{bold}Phase {}, {:?}{reset}", phase.turn, phase.team);
    if phase.steps.is_empty() {
        picture.push_str("  nobody acts\n");
    }
    let mut position = before;
    for step in &phase.steps {
        position.act(step.action);
        let _ = writeln!(picture, "  {}", action(map, step, &position));
    }
    grid(picture, &Map { units: units(map, &phase.after), ..map.clone() }, colour);
}

/// What a unit did, given the position after it.
fn action(map: &Map, step: &Step, after: &Position) -> String {
    let named = |team: Team, number: usize| {
        let unit = id(map, team, number).and_then(|id| Some((id, map.units.get(id)?)));
        unit.map_or_else(|| "nobody".to_owned(), |(id, unit)| format!("{} {id}", unit.kind.name()))
    };
    let left = |team: Team, number: usize| match after.sides[team.index()].unit(number) {
        Some(unit) => format!("{} left", unit.hp),
        None => "destroyed".to_owned(),
    };
    let Step { team, from, action, target_cell, combat, .. } = *step;
    let ((from_x, from_y), (to_x, to_y)) = (from.to_file(), action.to.to_file());
    let way = if from == action.to {
        format!("stays at {to_x},{to_y}")
    } else {
        format!("{from_x},{from_y} to {to_x},{to_y}")
    };
    let mut text = format!("{:<11} {way}", named(team, action.unit));
    if let Some((target, cell)) = action.target.zip(target_cell) {
        let (x, y) = cell.to_file();
        let (enemy, dealt) = (named(team.other(), target), combat.dealt);
        let _ = write!(text, ", attacks {enemy} at {x},{y}: {dealt} damage ({})", left(team.other(), target));
        if combat.countered > 0 {
            let _ = write!(text, ", {} back ({})", combat.countered, left(team, action.unit));
        }
    }
    text
}

/// The living units of a position as a map places them.
fn units(map: &Map, position: &Position) -> Vec<MapUnit> {
    let mut units = Vec::new();
    for team in Team::ALL {
        let side = &position.sides[team.index()];
        units.extend(map.side(team).enumerate().filter_map(|(number, unit)| {
            let living = side.unit(number)?;
            Some(MapUnit { cell: living.cell, hp: living.hp, acted: side.has_acted(number), ..*unit })
        }));
    }
    units
}

/// How the game ended.
fn result(record: &Record) -> String {
    let end = record.end();
    let [red, blue] = end.sides.map(|side| side.hp());
    let (phases, threshold) = (record.phases.len(), end.threshold);
    match record.finish {
        Finish::Decided(Verdict::Win(team)) => {
            let loser = team.other();
            if end.sides[loser.index()].is_dead() {
                return format!("{team:?} wins after {phases} phases: {loser:?} has no units left");
            }
            let ahead = format!("a lead of more than {threshold}");
            format!("{team:?} wins after {phases} phases: {red} hit points of Red, {blue} of Blue, {ahead}")
        }
        Finish::Decided(Verdict::Draw) => {
            let level = format!("no lead of more than {threshold}");
            format!("Draw after {phases} phases: {red} hit points of Red, {blue} of Blue, {level}")
        }
        Finish::Surrender(team) => format!("{:?} wins after {phases} phases: {team:?} gives up", team.other()),
        Finish::BrokenOff => {
            format!("The record breaks off after {phases} phases: {red} hit points of Red, {blue} of Blue")
        }
    }
}
