//! Figures as cells of tables and as records.

use fairground::games::Game;
use fairground::games::tubstap::{Team, Tubstap};
use fairground::papers::tubstap::{Estimate, Results, Row, shares};
use fairground::stats::Interval;
use serde_json::Value;

use super::{Document, Session};
use crate::cli::reproduce::document::Record;

/// What a figure is of.
#[derive(Clone, Copy)]
pub struct Of {
    /// The table.
    pub table: &'static str,
    /// The map, as an index.
    pub map: usize,
    /// How much is pruned.
    pub experiment: Option<&'static str>,
    /// What is pruned.
    pub kind: Option<&'static str>,
    /// The player's side.
    pub seat: Option<Team>,
    /// The depth in the tree.
    pub depth: Option<usize>,
    /// Rollouts that share their random numbers.
    pub seed_group: u32,
    /// Simulations of a search.
    pub simulations: u32,
}

impl Of {
    /// Whether its map is the paper's.
    pub const fn is_papers(&self, session: &Session<'_>) -> bool {
        session.maps[self.map].is_papers
    }
}

impl Session<'_> {
    /// The beginning of what a figure is of.
    pub fn of_games(&self) -> Of {
        Of {
            table: "",
            map: 0,
            experiment: None,
            kind: None,
            seat: None,
            depth: None,
            seed_group: self.args.seed_group,
            simulations: self.simulations(),
        }
    }

    /// Of a pair of rows.
    pub fn of_row(&self, row: &Row) -> Of {
        Of {
            table: if row.experiment.table() == 1 { "1" } else { "2" },
            map: row.map,
            experiment: Some(row.experiment.name()),
            kind: Some(row.kind.name()),
            ..self.of_games()
        }
    }

    /// Wins, losses, draws and the score of a player.
    pub fn add_results(&self, document: &mut Document, of: &Of, own: Results, paper: Option<Results>) {
        let p = paper.map(|paper| own.agreement(paper));
        let mut add = |measure, value: &dyn Fn(Results) -> Estimate, interval| {
            let paper = paper.map(|paper| (paper.games(), value(paper)));
            let figure = Figure { interval, paper, p, ..Figure::new(measure, own.games(), value(own)) };
            document.records.push(self.record(of, &figure));
        };
        for ((index, measure), (_, interval)) in ["wins", "losses", "draws"].into_iter().enumerate().zip(shares(own)) {
            let share = |results: Results| {
                let (value, _) = shares(results)[index];
                Estimate { value, error: (value * (1.0 - value) / results.games() as f64).sqrt() }
            };
            add(measure, &share, interval);
        }
        add("score", &Results::score, own.score().interval());
    }

    /// A figure as a record, beside the paper's.
    pub fn record(&self, of: &Of, figure: &Figure) -> Record {
        let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let Figure { measure, n, own, interval, paper, p } = *figure;
        vec![
            ("table", of.table.into()),
            ("map", (of.map + 1).into()),
            ("played_on", self.maps[of.map].name.clone().into()),
            ("is_papers_map", of.is_papers(self).into()),
            ("experiment", text(of.experiment)),
            ("kind", text(of.kind)),
            ("seat", text(of.seat.map(seat))),
            ("depth", of.depth.map_or(Value::Null, Value::from)),
            ("simulations", of.simulations.into()),
            ("seed_group", of.seed_group.into()),
            ("threshold", self.args.threshold.0.map_or(Value::Null, Value::from)),
            ("own_side_only", self.args.own_side_only.into()),
            ("seed", self.args.seed.into()),
            ("rules_version", Tubstap::RULES_VERSION.into()),
            ("measure", measure.into()),
            ("n", n.into()),
            ("value", own.value.into()),
            ("low", interval.low.into()),
            ("high", interval.high.into()),
            ("paper_n", paper.map_or(Value::Null, |(n, _)| n.into())),
            ("paper_value", paper.map_or(Value::Null, |(_, paper)| paper.value.into())),
            ("z", paper.map_or(Value::Null, |(_, paper)| own.less(paper).z(0.0).into())),
            ("p", p.map_or(Value::Null, Value::from)),
        ]
    }
}

/// Something measured.
#[derive(Clone, Copy)]
pub struct Figure {
    /// What.
    pub measure: &'static str,
    /// How often.
    pub n: u64,
    /// The mean.
    pub own: Estimate,
    /// Its 95 % interval.
    pub interval: Interval,
    /// How often the paper measured it, and what it found.
    pub paper: Option<(u64, Estimate)>,
    /// The p-value of a test that belongs to it.
    pub p: Option<f64>,
}

impl Figure {
    /// Without a comparison.
    pub fn new(measure: &'static str, n: u64, own: Estimate) -> Self {
        Self { measure, n, own, interval: own.interval(), paper: None, p: None }
    }
}

/// The player's seat as the paper calls it.
pub const fn seat(team: Team) -> &'static str {
    match team {
        Team::Red => "first",
        Team::Blue => "second",
    }
}

/// A share in percent with its interval.
pub fn percent((rate, interval): (f64, Interval)) -> String {
    let Interval { low, high } = interval;
    if rate.is_nan() { "-".into() } else { format!("{:.1} [{:.1},{:.1}]", 100.0 * rate, 100.0 * low, 100.0 * high) }
}

/// A figure with its interval.
pub fn with_interval(own: Estimate) -> String {
    let Interval { low, high } = own.interval();
    if own.value.is_nan() { "-".into() } else { format!("{:.3} [{low:.3},{high:.3}]", own.value) }
}

/// A figure with its standard error, as far as it has them.
pub fn with_error(own: Estimate, digits: usize) -> String {
    match (own.value.is_nan(), own.error.is_nan()) {
        (true, _) => "-".into(),
        (false, true) => format!("{:.digits$}", own.value),
        (false, false) => format!("{:.digits$} ±{:.digits$}", own.value, own.error),
    }
}

/// A p-value; `-` if there is none.
pub fn p_value(p: f64) -> String {
    match p {
        _ if p.is_nan() => "-".into(),
        _ if p < 0.0001 => "<0.0001".into(),
        _ => format!("{p:.4}"),
    }
}

/// A number of standard errors; `-` where there is no error to measure by.
pub fn signed(z: f64) -> String {
    if z.is_finite() { format!("{z:+.1}") } else { "-".into() }
}
