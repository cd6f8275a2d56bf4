//! The reference players against decisions of the original program.
//!
//! `FAIRGROUND_GOLDEN` names the data folder; see `common/records.rs` for its default.

#[path = "common/golden.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod golden;
#[path = "common/records.rs"]
#[allow(dead_code, reason = "every test crate uses its own part of this module")]
mod records;

use fairground::games::tubstap::{Action, Kind, Position, Side, Team, Tubstap};
use fairground::players::Player;
use fairground::players::tubstap::reference::attacks::{HARMLESS, threats, valued_attacks};
use fairground::players::tubstap::reference::mss::{Mss, plans};
use fairground::players::tubstap::reference::muct::{Keep, Options, Pruning, Search};
use fairground::players::tubstap::reference::sort::sort_descending;
use fairground::players::tubstap::reference::{MaxAct, Muct};
use fairground_kernels::rng::Draws;
use golden::{ActionRow, DocumentedGenerator, Ids, Setup, UnitRow};
use records::{records, some_are_there};
use serde::Deserialize;

#[test]
fn there_is_something_to_conform_to() {
    some_are_there("tubstap/golden");
}

#[derive(Deserialize)]
struct SortRecord {
    key_x100: Vec<i32>,
    order: Vec<usize>,
}

#[test]
fn equal_values_are_sorted_like_in_the_program() {
    for (at, record) in records::<SortRecord>("tubstap/golden/sorts") {
        let mut order: Vec<usize> = (0..record.key_x100.len()).collect();
        sort_descending(&mut order, |&index| f64::from(record.key_x100[index]) / 100.0);
        assert_eq!(order, record.order, "{at}");
    }
}

#[derive(Deserialize)]
struct AttackValueRecord {
    #[serde(flatten)]
    setup: Setup,
    threat: Vec<(usize, u32)>,
    values: Vec<(ActionRow, i32)>,
}

#[test]
fn threats_and_attack_values_equal_the_program() {
    let (mut harmless, mut threatening) = (0, 0);
    let all = records::<AttackValueRecord>("tubstap/golden/atkval");
    for (at, record) in &all {
        let at = format!("{at}, map {}", record.setup.map);
        let (position, ids) = record.setup.position();
        let threats = threats(&position);
        let enemy = position.mover.other();
        let ours: Vec<_> = position.enemy().living().map(|number| (ids.id(enemy, number), threats[number])).collect();
        assert_eq!(ours, record.threat, "{at}: threats");
        let ours: Vec<_> = valued_attacks(&position)
            .into_iter()
            .map(|(action, value)| (row(&position, &ids, action), value))
            .collect();
        assert_eq!(ours, record.values, "{at}: values");
        harmless += ours.iter().filter(|&&(_, value)| value == HARMLESS).count();
        threatening += record.threat.iter().filter(|&&(_, threat)| threat > 0).count();
    }
    assert!(all.is_empty() || harmless > 0 && threatening > 0, "{harmless} harmless attacks, {threatening} threats");
}

/// A decision for a whole phase.
#[derive(Deserialize)]
struct PhaseRecord {
    #[serde(flatten)]
    setup: Setup,
    seed: u64,
    rng_calls: u32,
    acts: Vec<ActionRow>,
    /// Whether each destination can really be reached.
    #[serde(default)]
    legal: Vec<u8>,
    /// What MSSystem thought of its plans.
    #[serde(default)]
    log: Vec<String>,
    after: Vec<UnitRow>,
}

impl PhaseRecord {
    /// Lets a player play the phase with the recorded random numbers.
    fn replay(&self, player: &mut impl Player<Tubstap, DocumentedGenerator>, at: &str) {
        let (mut position, ids) = self.setup.position();
        let mut draws = DocumentedGenerator::new(self.seed);
        let mut legal = Vec::new();
        let mut acts = Vec::new();
        while position.own().unacted() != 0 && !position.sides.iter().any(Side::is_dead) {
            let action = player.next_action(&position, &mut draws).expect("an action for units that can act");
            acts.push(row(&position, &ids, action));
            legal.push(u8::from(position.check(action).is_ok()));
            position.act(action);
        }
        assert_eq!(acts, self.acts, "{at}: actions");
        assert_eq!(ids.rows(&position), self.after, "{at}: units afterwards");
        assert_eq!(draws.draws(), self.rng_calls, "{at}: draws");
        assert!(self.legal.is_empty() || self.legal == legal, "{at}: {legal:?}, expected {:?}", self.legal);
    }
}

#[test]
fn maxact_plays_whole_phases_like_the_program() {
    let all = records::<PhaseRecord>("tubstap/golden/maxact");
    for (at, record) in &all {
        record.replay(&mut MaxAct, &format!("{at}, map {}", record.setup.map));
    }
    assert!(all.is_empty() || all.iter().any(|(_, record)| record.rng_calls > 0), "no unit was ever drawn");
}

#[test]
fn mss_plans_whole_phases_like_the_program() {
    planned_like_the_program("tubstap/golden/mss");
}

#[test]
fn mss_plans_the_same_phase_with_many_seeds_like_the_program() {
    planned_like_the_program("tubstap/golden/mss_multi");
}

fn planned_like_the_program(name: &str) {
    for (at, record) in records::<PhaseRecord>(name) {
        let at = format!("{at}, map {}", record.setup.map);
        record.replay(&mut Mss::default(), &at);

        let mut log = Vec::new();
        for plan in plans(&record.setup.position().0, &mut DocumentedGenerator::new(record.seed)) {
            log.extend(plan.best_values.into_iter().map(|value| ("u", hundredths(value))));
            log.push(("p", hundredths(plan.win_rate)));
        }
        let expected: Vec<_> = record.log.iter().map(|entry| log_entry(entry)).collect();
        assert_eq!(log, expected, "{at}: log");
    }
}

/// What is logged and its value.
fn log_entry(entry: &str) -> (&str, i64) {
    let (what, value) = entry.split_once(':').expect("what: value");
    (what, hundredths(value.parse().expect("a number")))
}

/// The program did not print the last digits of a sum; every value is a number of hundredths.
fn hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

#[derive(Deserialize)]
struct UctRecord {
    #[serde(flatten)]
    setup: Setup,
    seed: u64,
    sims: u32,
    rng_calls: u32,
    nodes_by_depth: Vec<usize>,
    root: Vec<(ActionRow, u32, f64)>,
    best: ActionRow,
}

#[test]
fn muct_grows_the_tree_of_the_program() {
    let all = records::<UctRecord>("tubstap/golden/uct");
    for (at, record) in &all {
        let at = format!("{at}, map {}", record.setup.map);
        let (position, ids) = record.setup.position();
        let mut draws = DocumentedGenerator::new(record.seed);
        let mut search = Search::new(&position, Options::default());
        search.run(record.sims, &mut draws);
        let root: Vec<_> = search
            .children()
            .iter()
            .map(|child| (row(&position, &ids, child.action), child.visits, child.sum))
            .collect();
        assert_eq!(root, record.root, "{at}: children of the root");
        assert_eq!(draws.draws(), record.rng_calls, "{at}: draws");
        assert_eq!(search.nodes_by_depth(), record.nodes_by_depth, "{at}: nodes by depth");

        let mut draws = DocumentedGenerator::new(record.seed);
        let mut player = Muct { options: Options { simulations: record.sims, ..Options::default() } };
        let action = player.next_action(&position, &mut draws).expect("an action for units that can act");
        assert_eq!(row(&position, &ids, action), record.best, "{at}: best action");
    }
    assert!(all.is_empty() || all.iter().any(|(_, record)| record.nodes_by_depth.len() > 3), "no tree is deep");
}

#[test]
fn pruning_panzers_to_one_attack_leaves_as_many_children_as_paper_001_says() {
    let starts = records::<UctRecord>("tubstap/golden/uct")
        .into_iter()
        .map(|(_, record)| (record.setup.position().0, record.setup.map))
        .filter(|(position, map)| map == "map01" && position.turn == 0);
    for (position, _) in starts {
        let children = |pruning| Search::new(&position, Options { pruning, ..Options::default() }).children().len();
        assert_eq!(children(None), 73);
        assert_eq!(children(Some(Pruning::of(Kind::Panzer, Keep::Best(1)))), 71);
        assert_eq!(children(Some(Pruning::of(Kind::Infantry, Keep::Best(1)))), 73);
    }
}

/// An action of the side to move as a record lists it.
fn row(position: &Position, ids: &Ids, action: Action) -> ActionRow {
    let own: Team = position.mover;
    let from = position.own().unit(action.unit).expect("a living unit").cell.to_file();
    let to = action.to.to_file();
    let target = action.target.map_or(-1, |target| ids.id(own.other(), target) as i32);
    let kind = if action.target.is_some() { 2 } else { 1 };
    let unit = ids.id(own, action.unit) as i32;
    [kind, unit, from.0 as i32, from.1 as i32, to.0 as i32, to.1 as i32, target]
}
