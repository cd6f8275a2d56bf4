//! Figures 6 to 11 as tables, charts and records.

use fairground::games::Game as _;
use fairground::games::catan::{Catan, Strategy};
use fairground::papers::negotiation::agreement::{self, Agreement, BINS, FOUND, bin};
use fairground::papers::negotiation::claims::Cell;
use fairground::papers::negotiation::{Moment, SEAT_WINS, Search};
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::negotiation::measures::{Measures, Results};
use fairground::report::chart::{Chart, Point, Series};
use fairground::stats::{self, Interval, Ratio};
use serde_json::Value as Json;

use super::{Against, Block, Compared, Session};
use crate::cli::CliError;
use crate::cli::output::grouped;
use crate::cli::reproduce::document::{Document, Part, Picture};
use crate::cli::reproduce::tubstap::percent;

/// A share and what the thesis has.
#[derive(Clone, Copy)]
pub struct Value {
    /// The share.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// The thesis' in percent.
    pub thesis: Option<f64>,
    /// Of so many.
    pub n: u64,
}

impl Value {
    pub fn of(part: u64, n: u64, thesis: Option<f64>) -> Self {
        Self { value: stats::rate(part, n), interval: stats::wilson(part, n), thesis, n }
    }

    pub fn of_ratio(ratio: &Ratio, thesis: Option<f64>) -> Self {
        Self { value: ratio.rate(), interval: ratio.interval(), thesis, n: ratio.whole }
    }

    pub fn text(&self) -> String {
        match self.ends() {
            None if self.value.is_finite() => format!("{:.1}", 100.0 * self.value),
            _ => percent((self.value, self.interval)),
        }
    }

    /// The ends of the interval in percent, if there is one.
    fn ends(&self) -> Option<[f64; 2]> {
        let Interval { low, high } = self.interval;
        (low.is_finite() && high.is_finite()).then_some([100.0 * low, 100.0 * high])
    }

    /// Ours, and the thesis' behind it.
    pub fn cells(&self) -> [String; 2] {
        [self.text(), self.thesis.map_or_else(|| "-".into(), |thesis| format!("{thesis:.1}"))]
    }

    pub fn point(&self, x: f64) -> Point {
        Point { x, y: 100.0 * self.value, interval: self.ends() }
    }
}

/// The tested player's wins, success and acceptance.
pub fn measured(cell: &Cell) -> [(&'static str, Value); 3] {
    let tested = &cell.results.players[0];
    let thesis = cell.experiment.thesis;
    let [success, acceptance] = thesis.trade.map_or([None; 2], |trade| trade.map(Some));
    [
        ("wins", Value::of(tested.all_wins(), tested.all_games(), Some(thesis.wins))),
        ("success", Value::of_ratio(&tested.success, success)),
        ("acceptance", Value::of_ratio(&tested.acceptance, acceptance)),
    ]
}

/// The wins of a player from each seat in percent.
fn by_seat(player: &Measures) -> [String; 4] {
    [0, 1, 2, 3].map(|seat| Value::of(player.wins[seat], player.games[seat], None).text())
}

/// Names of columns for the seats.
const BY_SEAT: [&str; 4] = ["from seat 1 %", "from seat 2 %", "from seat 3 %", "from seat 4 %"];

pub fn picture(number: &str, chart: &Chart) -> Part {
    Part::Picture(Picture { file: format!("figure-{number}.svg"), title: chart.title.clone(), svg: chart.svg() })
}

/// Names below a chart at 0, 1, 2 and so on.
pub fn named_ticks(names: &[&str]) -> Vec<(f64, String)> {
    names.iter().enumerate().map(|(at, name)| (at as f64, (*name).to_owned())).collect()
}

/// A little to the side, so that intervals do not hide each other.
pub fn beside(index: usize, all: usize) -> f64 {
    0.12 * (index as f64 - (all as f64 - 1.0) / 2.0)
}

impl Session<'_> {
    /// A record for programs.
    pub(super) fn add_value(
        &self,
        document: &mut Document,
        figure: &str,
        name: &str,
        players: &str,
        measure: &str,
        value: Value,
    ) {
        let number = |value: f64| if value.is_finite() { value.into() } else { Json::Null };
        let thesis = value.thesis.map(|thesis| thesis / 100.0);
        document.records.push(vec![
            ("figure", figure.into()),
            ("name", name.into()),
            ("players", players.into()),
            ("measure", measure.into()),
            ("n", value.n.into()),
            ("value", number(value.value)),
            ("low", number(value.interval.low)),
            ("high", number(value.interval.high)),
            ("thesis", thesis.map_or(Json::Null, number)),
            ("thesis_in_interval", thesis.map_or(Json::Null, |thesis| value.interval.contains(thesis).into())),
            ("seed", self.args.seed.into()),
            ("rules_version", Catan::RULES_VERSION.into()),
        ]);
    }

    /// Figures 6 and 7.
    pub(super) fn add_searches(&self, document: &mut Document, seats: &Results, curve: &[(Search, Results)]) {
        document.parts.push(Part::Heading("Figure 6: wins of four random players by seat".into()));
        let all: u64 = SEAT_WINS.iter().sum();
        let games = seats.games();
        let mut rows = Vec::new();
        let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
        for (seat, wins) in SEAT_WINS.into_iter().enumerate() {
            // Whoever sat there.
            let own = seats.players.iter().map(|player| player.wins[seat]).sum();
            let value = Value::of(own, games, Some(100.0 * stats::rate(wins, all)));
            let mut row = vec![Catan::SEATS[seat].to_owned()];
            row.extend(value.cells());
            rows.push(row);
            self.add_value(document, "6", Catan::SEATS[seat], "random", "wins", value);
            ours.push(value.point(seat as f64));
            theirs.push(Value::of(wins, all, None).point(seat as f64 + beside(2, 2)));
        }
        document.parts.push(Part::table(&["seat", "wins %", "thesis %"], rows));
        let chart = Chart {
            title: "Figure 6: wins of four random players by seat".into(),
            x_label: "seat".into(),
            y_label: "wins %".into(),
            ticks: named_ticks(&Catan::SEATS[..SEAT_WINS.len()]),
            x_range: [-0.5, 3.5],
            y_range: [0.0, 50.0],
            mark: Some(25.0),
            series: vec![
                Series { name: "here".into(), points: ours, has_line: false },
                Series { name: "thesis".into(), points: theirs, has_line: false },
            ],
        };
        document.parts.push(picture("6", &chart));
        document.parts.push(Part::Lines(vec![format!(
            "{} games here, {} in the thesis. Seats differ more in the thesis than {} random games allow.",
            grouped(games),
            grouped(all),
            grouped(all)
        )]));

        document.parts.push(Part::Heading("Figure 7: one tree search against three random players".into()));
        let mut rows = Vec::new();
        let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
        for (search, results) in curve {
            let tested = &results.players[0];
            let players = format!("{},{1},{1},{1}", search.player, search.against);
            let mean = Value::of(tested.all_wins(), tested.all_games(), search.thesis.map(|(_, mean)| mean));
            let mut cells = vec![search.player.to_owned(), search.against.to_owned(), grouped(mean.n)];
            cells.extend(mean.cells());
            cells.extend(by_seat(tested));
            cells
                .push(search.thesis.map_or_else(|| "-".into(), |(seats, _)| seats.map(|of| of.to_string()).join(", ")));
            rows.push(cells);
            self.add_value(document, "7", search.player, &players, "wins", mean);
            for (seat, of) in Catan::SEATS.iter().enumerate() {
                let thesis = search.thesis.map(|(seats, _)| seats[seat]);
                let value = Value::of(tested.wins[seat], tested.games[seat], thesis);
                self.add_value(document, "7", search.player, &players, &format!("wins from the {of} seat"), value);
            }
            if search.is_of_curve() {
                let at = ours.len() as f64;
                ours.push(mean.point(at));
                theirs.extend(mean.thesis.map(|y| Point { x: at, y, interval: None }));
            }
        }
        let heads = ["player", "against three", "games", "wins %", "thesis %"];
        document.parts.push(Part::table(&[&heads[..], &BY_SEAT, &["thesis %"]].concat(), rows));
        document.parts.push(Part::Lines(vec![
            "The last row has the constant, the playouts and the opponents of SmartSettlers, on which the thesis builds; beside it stands the \
             thesis' row of as many playouts."
                .into(),
        ]));
        let playouts = curve.iter().filter(|(search, _)| search.is_of_curve()).map(|(search, _)| search.playouts);
        let chart = Chart {
            title: "Figure 7: one tree search against three random players".into(),
            x_label: "playouts of an action".into(),
            y_label: "wins %".into(),
            ticks: playouts.enumerate().map(|(at, playouts)| (at as f64, grouped(playouts.into()))).collect(),
            x_range: [-0.3, ours.len().max(2) as f64 - 0.7],
            y_range: [0.0, 100.0],
            mark: Some(25.0),
            series: vec![
                Series { name: "here".into(), points: ours, has_line: true },
                Series { name: "thesis".into(), points: theirs, has_line: true },
            ],
        };
        document.parts.push(picture("7", &chart));
    }

    /// Tree searches against builders, and what SmartSettlers won in percent.
    pub(super) fn add_against_builders(&self, document: &mut Document, searches: &[Against]) {
        if searches.is_empty() {
            return;
        }
        document.parts.push(Part::Heading("One tree search against three players who build (heuristic)".into()));
        let mut rows = Vec::new();
        for Against { uct, robots, results } in searches {
            let tested = &results.players[0];
            let value = Value::of(tested.all_wins(), tested.all_games(), Some(*robots));
            let mut cells = vec![uct.to_string(), grouped(value.n)];
            cells.extend(value.cells());
            cells.extend(by_seat(tested));
            rows.push(cells);
            let (name, players) = (uct.to_string(), format!("{uct},heuristic,heuristic,heuristic"));
            self.add_value(document, "against builders", &name, &players, "wins", value);
            for (seat, of) in Catan::SEATS.iter().enumerate() {
                let value = Value::of(tested.wins[seat], tested.games[seat], None);
                let measure = format!("wins from the {of} seat");
                self.add_value(document, "against builders", &name, &players, &measure, value);
            }
        }
        let heads = ["player", "games", "wins %", "SmartSettlers %"];
        document.parts.push(Part::table(&[&heads[..], &BY_SEAT].concat(), rows));
        document.parts.push(Part::Lines(vec![
            "SmartSettlers played three robots of JSettlers, as the thesis quotes it; heuristic is in their spirit, but it is not one of them."
                .into(),
        ]));
    }

    /// Figure 8.
    pub(super) fn add_proposers(&self, document: &mut Document, blocks: &[Block]) {
        document.parts.push(Part::Heading("Figure 8: proposals by rules and by playouts".into()));
        let mut heads = vec!["proposals".to_owned(), "thesis: wins %".to_owned()];
        heads.extend(
            blocks.iter().flat_map(|block| [format!("{}: games", block.mover), "wins %".into(), "success %".into()]),
        );
        let cells = |block: &Block| -> Vec<Cell> {
            block.cells.iter().filter(|cell| cell.experiment.figure == 8).cloned().collect()
        };
        let by_block: Vec<Vec<Cell>> = blocks.iter().map(cells).collect();
        let Some(first) = by_block.first() else { return };
        let mut rows = Vec::new();
        for (index, cell) in first.iter().enumerate() {
            let mut row = vec![cell.experiment.name.clone(), format!("{:.2}", cell.experiment.thesis.wins)];
            for (block, cells) in blocks.iter().zip(&by_block) {
                let cell = &cells[index];
                let [(_, wins), (_, success), _] = measured(cell);
                row.extend([grouped(wins.n), wins.text(), success.text()]);
                self.add_cell(document, "8", &block.mover, cell);
            }
            rows.push(row);
        }
        document.parts.push(Part::Table(heads, rows));
        let thesis = first.iter().enumerate().map(|(at, cell)| Point {
            x: at as f64,
            y: cell.experiment.thesis.wins,
            interval: None,
        });
        let mut series = vec![Series { name: "thesis".into(), points: thesis.collect(), has_line: false }];
        for (index, (block, cells)) in blocks.iter().zip(&by_block).enumerate() {
            let points = cells
                .iter()
                .enumerate()
                .map(|(at, cell)| measured(cell)[0].1.point(at as f64 + 0.12 * (index + 1) as f64));
            series.push(Series {
                name: format!("moves by {}", block.mover),
                points: points.collect(),
                has_line: false,
            });
        }
        let chart = Chart {
            title: "Figure 8: proposals by rules and by playouts".into(),
            x_label: "who proposes to whom".into(),
            y_label: "wins %".into(),
            ticks: named_ticks(&["rules / all", "rules / random", "2:1 / all", "N=100 / all", "N=100 / random"]),
            x_range: [-0.4, 4.6],
            y_range: [0.0, 100.0],
            mark: Some(25.0),
            series,
        };
        document.parts.push(picture("8", &chart));
    }

    pub(super) fn add_cell(&self, document: &mut Document, figure: &str, mover: &Mover, cell: &Cell) {
        let name = format!("{}, moves by {mover}", cell.experiment.name);
        for (measure, value) in measured(cell) {
            self.add_value(document, figure, &name, &cell.experiment.players, measure, value);
        }
    }

    /// Figures 9 to 11; returns agreement by random playouts.
    pub(super) fn add_agreement(
        &self,
        document: &mut Document,
        moments: &[Moment],
    ) -> Result<Vec<(u32, Agreement)>, CliError> {
        let found = self.compare(moments)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        document.parts.push(Part::Heading("Figures 9 and 10: agreement of playouts with the rules".into()));
        let (mut rows, mut series) = (Vec::new(), Vec::new());
        for (index, ((playouts, rollout, _), of)) in found.iter().enumerate() {
            let thesis = FOUND.iter().find(|known| known.playouts == *playouts && *rollout == Strategy::Random);
            let name = format!("{playouts} playouts by {}", rollout.name());
            let values = [
                ("same trade", Value::of_ratio(&of.same(), thesis.map(|known| known.same))),
                ("no trade", Value::of_ratio(&of.nothing(), thesis.map(|known| known.nothing))),
                ("together", Value::of_ratio(&of.together(), thesis.map(|known| known.together))),
                (
                    "same where both propose",
                    Value::of_ratio(&of.of_proposals(), thesis.map(|known| known.of_proposals)),
                ),
            ];
            let mut row = vec![grouped((*playouts).into()), rollout.name().into(), grouped(of.0.len() as u64)];
            let [mut points, mut theirs] = [Vec::new(), Vec::new()];
            for (at, (measure, value)) in values.into_iter().enumerate() {
                row.extend(value.cells());
                self.add_value(document, "9 and 10", &name, "", measure, value);
                let x = at as f64 + beside(index, found.len());
                points.push(value.point(x));
                theirs.extend(value.thesis.map(|y| Point { x: x + 0.05, y, interval: None }));
            }
            rows.push(row);
            series.push(Series { name: format!("N={playouts}, {}", rollout.name()), points, has_line: false });
            if !theirs.is_empty() {
                series.push(Series { name: format!("thesis, N={playouts}"), points: theirs, has_line: false });
            }
        }
        let heads = [
            "playouts",
            "by",
            "negotiations",
            "same trade %",
            "thesis",
            "both none %",
            "thesis",
            "together %",
            "thesis",
            "of proposals %",
            "thesis",
        ];
        document.parts.push(Part::table(&heads, rows));
        let chart = Chart {
            title: "Figures 9 and 10: agreement of playouts with the rules".into(),
            x_label: "of all negotiations; the last of those in which both propose".into(),
            y_label: "agreement %".into(),
            ticks: named_ticks(&["same trade", "both none", "together", "of proposals"]),
            x_range: [-0.5, 3.5],
            y_range: [0.0, 50.0],
            mark: Some(agreement::RANDOM),
            series,
        };
        document.parts.push(picture("9-10", &chart));
        if let Some((_, first)) = found.first() {
            let random = Value::of_ratio(&first.random(), Some(agreement::RANDOM));
            self.add_value(document, "9 and 10", "random", "", "together", random);
            document.parts.push(Part::Lines(vec![format!(
                "Random choices agree with the rules in {} % (thesis {:.1}). Intervals allow for negotiations of one game having much in \
                 common.",
                random.text(),
                agreement::RANDOM
            )]));
        }
        self.add_leaders(document, &found);
        let by_random = found.into_iter().filter(|((_, rollout, _), _)| *rollout == Strategy::Random);
        Ok(by_random.map(|((playouts, ..), agreement)| (playouts, agreement)).collect())
    }

    /// Figure 11.
    fn add_leaders(&self, document: &mut Document, found: &[(Compared, Agreement)]) {
        document.parts.push(Part::Heading("Figure 11: agreement by the win rate of the opponent who leads".into()));
        let (mut rows, mut series) = (Vec::new(), Vec::new());
        let mut add = |name: String, share: &dyn Fn(usize) -> Ratio| {
            let mut row = vec![name.clone()];
            let mut points = Vec::new();
            for number in 2..BINS {
                let value = Value::of_ratio(&share(number), None);
                row.push(if value.n == 0 { "-".into() } else { format!("{} of {}", value.text(), grouped(value.n)) });
                if value.n > 0 {
                    points.push(value.point(10.0 * number as f64 + 5.0 + 3.0 * beside(series.len(), found.len() + 1)));
                    self.add_value(document, "11", &name, "", &format!("agreement at {number}0 %"), value);
                }
            }
            rows.push(row);
            series.push(Series { name, points, has_line: true });
        };
        for ((playouts, rollout, _), of) in found {
            add(format!("N={playouts}, {}", rollout.name()), &|number| of.led(bin(number)).ratio());
        }
        if let Some((_, first)) = found.first() {
            add("random choice".into(), &|number| first.random_led(bin(number)));
        }
        let bins = (2..BINS).map(|bin| format!("{}-{} %", 10 * bin, 10 * bin + 10));
        let heads = std::iter::once("playouts".to_owned()).chain(bins);
        document.parts.push(Part::Table(heads.collect(), rows));
        let chart = Chart {
            title: "Figure 11: agreement with the rules by the leading opponent's win rate".into(),
            x_label: "win rate of the opponent who leads, %".into(),
            y_label: "agreement %".into(),
            ticks: (2..=BINS).map(|bin| (10.0 * bin as f64, (10 * bin).to_string())).collect(),
            x_range: [20.0, 100.0],
            y_range: [0.0, 100.0],
            mark: None,
            series,
        };
        document.parts.push(picture("11", &chart));
    }
}
