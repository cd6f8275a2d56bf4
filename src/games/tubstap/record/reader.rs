//! From the entries of a record to a game that was played again.

use fairground_kernels::bits::bits;

use super::{ATTACK, Finish, MOVE, Phase, RULE_SET, Record, SURRENDER, Step, TURN_END};
use crate::games::fault::{Fault, Faults, excerpt};
use crate::games::tubstap::board::Cell;
use crate::games::tubstap::file::{GameEntry, GameText, Parsed, parse_with_game};
use crate::games::tubstap::map::Map;
use crate::games::tubstap::pieces::Team;
use crate::games::tubstap::position::Position;
use crate::games::tubstap::rules::Action;

pub(super) fn parse(bytes: &[u8]) -> Result<Record, Vec<Fault>> {
    let (Parsed { map, warnings, .. }, GameText { entries, last_line }) = parse_with_game(bytes)?;
    let mut faults = Faults::default();
    let events = events(&entries, last_line, &mut faults);
    let found = faults.finish("faults");
    if !found.is_empty() {
        return Err(found);
    }
    let mut replay = Replay::new(&map);
    warnings.into_iter().for_each(|Fault { line, message }| replay.warnings.add(line, message));
    let text = |name: &str| {
        let entry = entries.iter().rev().find(|entry| entry.name == name);
        entry.and_then(|entry| entry.inside.clone()).unwrap_or_default()
    };
    let rules = text("PLAYEDRULE");
    if let Some(entry) = entries.iter().rev().find(|entry| entry.name == "PLAYEDRULE")
        && rules.trim() != RULE_SET
    {
        let message = format!("PLAYEDRULE is '{}'; the game is played again by {RULE_SET}", excerpt(rules.trim()));
        replay.warnings.add(entry.line, message);
    }
    // A record that is off the track once stays off: what can be said has been.
    let _ = replay.play(&events);
    let found = replay.faults.finish("faults");
    if !found.is_empty() {
        return Err(found);
    }
    let Replay { phases, finish, mut warnings, .. } = replay;
    Ok(Record {
        date: text("PLAYEDDATE"),
        rules,
        players: ["PLAYERRED", "PLAYERBLUE"].map(text),
        phases,
        finish: finish.unwrap_or(Finish::BrokenOff),
        warnings: warnings.finish("warnings"),
        map,
    })
}

/// An entry in numbers, and its line.
enum Event {
    /// Phase, team, number of actions.
    Turn(usize, [i64; 3]),
    /// Unit, to x, y, from x, y, target, its x, y, what, damage, counter.
    Act(usize, [i64; 11]),
}

const TURN_FIELDS: [&str; 3] = ["phase", "team", "number of actions"];
const ACTION_FIELDS: [&str; 11] = [
    "unit",
    "destination x",
    "destination y",
    "origin x",
    "origin y",
    "target",
    "target x",
    "target y",
    "type",
    "damage",
    "counter damage",
];

fn events(entries: &[GameEntry], last_line: usize, faults: &mut Faults) -> Vec<Event> {
    let mut events = Vec::new();
    for entry in entries {
        events.extend(match entry.name {
            "TURNINFO" => numbers(entry, TURN_FIELDS, faults).map(|numbers| Event::Turn(entry.line, numbers)),
            "ACTION" => numbers(entry, ACTION_FIELDS, faults).map(|numbers| Event::Act(entry.line, numbers)),
            _ => None,
        });
    }
    if !entries.iter().any(|entry| entry.name == "TURNINFO") {
        faults.add(last_line, "there is no TURNINFO, expected a game after the map".into());
    }
    events
}

fn numbers<const N: usize>(entry: &GameEntry, names: [&str; N], faults: &mut Faults) -> Option<[i64; N]> {
    let GameEntry { line, name, inside } = entry;
    let Some(inside) = inside else {
        faults.add(*line, format!("{name} is not closed, expected ']' before the next ';'"));
        return None;
    };
    let count = inside.split(',').count();
    if count != N {
        faults.add(*line, format!("{name} has {count} fields, expected {N}: {}", names.join(", ")));
        return None;
    }
    let mut numbers = [0; N];
    let mut is_readable = true;
    for ((number, field), what) in numbers.iter_mut().zip(inside.split(',')).zip(names) {
        match field.trim_ascii().parse() {
            Ok(value) => *number = value,
            Err(_) => {
                is_readable = false;
                let field = excerpt(field.trim_ascii());
                faults.add(*line, format!("{name} {what} is '{field}', expected a whole number"));
            }
        }
    }
    is_readable.then_some(numbers)
}

/// That nothing more can be compared.
struct OffTrack;

/// A phase that is being played.
struct Open {
    line: usize,
    expected: i64,
    actions: i64,
    steps: Vec<Step>,
    /// Whether the player let the other units stay.
    has_ended: bool,
    has_surrendered: bool,
}

struct Replay<'m> {
    map: &'m Map,
    position: Position,
    phases: Vec<Phase>,
    open: Option<Open>,
    finish: Option<Finish>,
    faults: Faults,
    warnings: Faults,
}

impl<'m> Replay<'m> {
    fn new(map: &'m Map) -> Self {
        Self {
            map,
            position: map.start(),
            phases: Vec::new(),
            open: None,
            finish: None,
            faults: Faults::default(),
            warnings: Faults::default(),
        }
    }

    /// Says what ends the comparison.
    fn stop<T>(&mut self, line: usize, message: String) -> Result<T, OffTrack> {
        self.faults.add(line, message);
        Err(OffTrack)
    }

    /// Says what is wrong but can be passed over.
    fn compare<T: PartialEq>(&mut self, line: usize, found: T, expected: T, show: impl Fn(&T) -> String, what: &str) {
        if found != expected {
            self.faults.add(line, format!("ACTION {what} is {}, expected {}", show(&found), show(&expected)));
        }
    }

    fn play(&mut self, events: &[Event]) -> Result<(), OffTrack> {
        for event in events {
            match *event {
                Event::Turn(line, numbers) => self.begin_phase(line, numbers)?,
                Event::Act(line, numbers) => self.act(line, numbers)?,
            }
        }
        self.end_phase(true)
    }

    fn begin_phase(&mut self, line: usize, [turn, team, actions]: [i64; 3]) -> Result<(), OffTrack> {
        self.end_phase(false)?;
        let Position { turn: expected, mover, .. } = self.position;
        if self.finish.is_some() {
            return self.stop(line, format!("the game is over after {expected} phases, expected no TURNINFO"));
        }
        if turn != i64::from(expected) {
            return self.stop(line, format!("TURNINFO phase is {turn}, expected {expected}"));
        }
        if team != mover.index() as i64 {
            let (number, name) = (mover.index(), name(mover));
            return self.stop(line, format!("TURNINFO team is {team}, expected {number}: it is {name}'s phase"));
        }
        self.open = Some(Open {
            line,
            expected: actions,
            actions: 0,
            steps: Vec::new(),
            has_ended: false,
            has_surrendered: false,
        });
        Ok(())
    }

    fn end_phase(&mut self, is_last: bool) -> Result<(), OffTrack> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let Position { turn, mover, .. } = self.position;
        if open.expected != open.actions {
            let (expected, actions) = (open.expected, open.actions);
            self.faults.add(open.line, format!("TURNINFO says {expected} actions, expected {actions}: so many follow"));
        }
        if open.has_ended {
            for unit in bits(self.position.own().unacted().into()).map(|number| number as usize) {
                if let Some(&stand) = self.position.own().unit(unit) {
                    let stay = Action { unit, to: stand.cell, target: None };
                    open.steps.push(self.step(stay));
                }
            }
        }
        let waiting = self.position.own().unacted();
        let is_complete = waiting == 0 || self.position.enemy().is_dead();
        if is_complete {
            self.position.end_phase();
            let verdict = self.position.verdict();
            let is_decided = self.position.sides.iter().any(|side| side.is_dead());
            // Giving up comes before the hit points, but after the loss of all units.
            self.finish = match verdict {
                _ if open.has_surrendered && !is_decided => Some(Finish::Surrender(mover)),
                verdict => verdict.map(Finish::Decided),
            };
        } else if !is_last {
            let number = waiting.trailing_zeros() as usize;
            let id = super::id(self.map, mover, number).unwrap_or(number);
            let message = format!("phase {turn} ends early, expected an action of {}'s unit {id}", name(mover));
            return self.stop(open.line, message);
        }
        self.phases.push(Phase { turn, team: mover, steps: open.steps, after: self.position });
        Ok(())
    }

    fn act(&mut self, line: usize, numbers: [i64; 11]) -> Result<(), OffTrack> {
        let [unit, to_x, to_y, from_x, from_y, target, target_x, target_y, what, dealt, countered] = numbers;
        let mover = self.position.mover;
        let Some(open) = &mut self.open else {
            return self.stop(line, "ACTION belongs to no phase, expected TURNINFO before it".into());
        };
        open.actions += 1;
        let has_ended = open.has_ended;
        if what == SURRENDER || what == TURN_END {
            open.has_ended = true;
            open.has_surrendered |= what == SURRENDER;
            return Ok(());
        }
        if what != MOVE && what != ATTACK {
            let kinds = "0 (surrender), 1 (move), 2 (attack) or 3 (end of the turn)";
            return self.stop(line, format!("ACTION type is {what}, expected {kinds}"));
        }
        if self.position.enemy().is_dead() {
            let enemy = name(mover.other());
            return self.stop(line, format!("{enemy} has no units left, expected no more actions in this phase"));
        }
        let number = self.unit(line, "unit", unit, mover)?;
        let Some(&stand) = self.position.own().unit(number) else {
            return self.stop(line, format!("unit {unit} is dead, expected a living unit of {}", name(mover)));
        };
        if self.position.own().has_acted(number) {
            return self.stop(line, format!("unit {unit} has acted in this phase, expected one that has not"));
        }
        let Some(to) = self.cell(to_x, to_y) else {
            let Map { width, height, .. } = self.map;
            let expected = format!("a cell from 1,1 to {width},{height}");
            return self.stop(line, format!("unit {unit} goes to {to_x},{to_y}, expected {expected}"));
        };
        let pair = |&(x, y): &(i64, i64)| format!("{x},{y}");
        self.compare(line, (from_x, from_y), coordinates(stand.cell), pair, "origin");
        let mut action = Action { unit: number, to, target: None };
        if what == ATTACK {
            let enemy = self.unit(line, "target", target, mover.other())?;
            let Some(&attacked) = self.position.enemy().unit(enemy) else {
                return self.stop(line, format!("unit {target} is dead, expected a living target"));
            };
            self.compare(line, (target_x, target_y), coordinates(attacked.cell), pair, "place of the target");
            action.target = Some(enemy);
        } else if target != -1 || dealt != 0 || countered != 0 {
            self.warnings.add(line, "what a move says about a target and damage is ignored".into());
        }
        if has_ended && (action.target.is_some() || to != stand.cell) {
            return self.stop(line, format!("the turn was ended before, expected unit {unit} to stay where it is"));
        }
        self.check(line, unit, target, action, stand.cell)?;
        let step = self.step(action);
        if what == ATTACK {
            self.compare(line, dealt, step.combat.dealt.into(), i64::to_string, "damage");
            self.compare(line, countered, step.combat.countered.into(), i64::to_string, "counter damage");
        }
        if let Some(open) = &mut self.open {
            open.steps.push(step);
        }
        Ok(())
    }

    /// Whether the rules, or at least the original, allow an action.
    fn check(&mut self, line: usize, unit: i64, target: i64, action: Action, from: Cell) -> Result<(), OffTrack> {
        if self.position.check(action).is_ok() {
            return Ok(());
        }
        let (x, y) = action.to.to_file();
        let is_reached = self.position.check(Action { target: None, ..action }).is_ok();
        if self.position.passes_lax_test(action) {
            let what = if is_reached { format!("attack unit {target} from") } else { "reach".into() };
            self.warnings.add(line, format!("unit {unit} cannot {what} {x},{y}; the original lets that pass"));
            return Ok(());
        }
        if is_reached {
            return self
                .stop(line, format!("unit {unit} cannot attack unit {target} from {x},{y}, expected a legal attack"));
        }
        let (from_x, from_y) = from.to_file();
        self.stop(
            line,
            format!("unit {unit} cannot go from {from_x},{from_y} to {x},{y}, expected a cell within reach"),
        )
    }

    fn step(&mut self, action: Action) -> Step {
        let Position { turn, mover: team, .. } = self.position;
        let from = self.position.own().unit(action.unit).map_or(action.to, |unit| unit.cell);
        let target_cell = action.target.and_then(|target| self.position.enemy().unit(target)).map(|unit| unit.cell);
        let combat = self.position.act(action);
        Step { turn, team, from, action, target_cell, combat }
    }

    /// The number of a unit within its side, which must be this one.
    fn unit(&mut self, line: usize, what: &str, id: i64, team: Team) -> Result<usize, OffTrack> {
        let units = &self.map.units;
        let Some((id, unit)) = usize::try_from(id).ok().and_then(|id| Some((id, units.get(id)?))) else {
            return self.stop(line, format!("ACTION {what} is {id}, expected 0 to {}", units.len().saturating_sub(1)));
        };
        if unit.team != team {
            let (owner, expected) = (name(unit.team), name(team));
            return self.stop(line, format!("ACTION {what} is {id}, which is {owner}'s, expected one of {expected}'s"));
        }
        Ok(units[..id].iter().filter(|other| other.team == team).count())
    }

    /// A cell of the map.
    fn cell(&self, x: i64, y: i64) -> Option<Cell> {
        let inside = |place: i64, size: usize| usize::try_from(place).ok().filter(|place| (1..=size).contains(place));
        Cell::from_file(inside(x, self.map.width)?, inside(y, self.map.height)?)
    }
}

const fn name(team: Team) -> &'static str {
    match team {
        Team::Red => "Red",
        Team::Blue => "Blue",
    }
}

fn coordinates(cell: Cell) -> (i64, i64) {
    let (x, y) = cell.to_file();
    (x as i64, y as i64)
}
