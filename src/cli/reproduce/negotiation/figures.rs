//! The figures as tables, charts and records.

use fairground::games::Game as _;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Catan, Position, Strategy};
use fairground::papers::negotiation::agreement::{self, Agreement, BINS, FOUND};
use fairground::papers::negotiation::claims::Cell;
use fairground::papers::negotiation::experiments::{FIGURES, TESTED, title};
use fairground::papers::negotiation::{GAMES_FROM_SEAT, MOVER_PLAYOUTS, SEAT_WINS, Search};
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::negotiation::measures::{Measures, Results};
use fairground::report::chart::{Chart, Point, Series};
use fairground::stats::{self, Interval, Ratio};
use serde_json::Value as Json;

use super::{Block, Compared, Session, Size};
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
    fn of(part: u64, n: u64, thesis: Option<f64>) -> Self {
        Self { value: stats::rate(part, n), interval: stats::wilson(part, n), thesis, n }
    }

    fn of_ratio(ratio: &Ratio, thesis: Option<f64>) -> Self {
        Self { value: ratio.rate(), interval: ratio.interval(), thesis, n: ratio.whole }
    }

    fn text(&self) -> String {
        percent((self.value, self.interval))
    }

    /// Ours, and the thesis' behind it.
    fn cells(&self) -> [String; 2] {
        [self.text(), self.thesis.map_or_else(|| "-".into(), |thesis| format!("{thesis:.1}"))]
    }

    fn point(&self, x: f64) -> Point {
        let Interval { low, high } = self.interval;
        Point { x, y: 100.0 * self.value, interval: Some([100.0 * low, 100.0 * high]) }
    }
}

/// The tested player's wins, success and acceptance.
fn measured(cell: &Cell) -> [(&'static str, Value); 3] {
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
fn by_seat(player: &Measures) -> String {
    [0, 1, 2, 3].map(|seat| format!("{:.1}", 100.0 * stats::rate(player.wins[seat], player.games[seat]))).join(", ")
}

fn picture(number: &str, chart: &Chart) -> Part {
    Part::Picture(Picture { file: format!("figure-{number}.svg"), title: chart.title.clone(), svg: chart.svg() })
}

/// Names below a chart at 0, 1, 2 and so on.
fn named_ticks(names: &[&str]) -> Vec<(f64, String)> {
    names.iter().enumerate().map(|(at, name)| (at as f64, (*name).to_owned())).collect()
}

/// A little to the side, so that intervals do not hide each other.
fn beside(index: usize, all: usize) -> f64 {
    0.12 * (index as f64 - (all as f64 - 1.0) / 2.0)
}

impl Session<'_> {
    /// What is played, and how that differs from the thesis.
    pub(super) fn add_conditions(&self, document: &mut Document, sizes: &[Size]) {
        let names: Vec<_> = self.maps.iter().map(|(name, _)| name.as_str()).collect();
        let mut lines = vec![
            format!("Maps: {}; the thesis does not say which it used. Seed {}.", names.join(", "), self.args.seed),
            format!(
                "The thesis: moves that are no negotiation by tree search with {} playouts, {} games of each experiment.",
                grouped(MOVER_PLAYOUTS.into()),
                grouped(GAMES_FROM_SEAT * SEATS as u64)
            ),
        ];
        for Size { mover, games } in sizes {
            let [rules, playouts] = games.map(|games| grouped(self.games_of_map(games) * self.maps.len() as u64));
            lines.push(format!(
                "Here with moves by {mover}: {rules} games of each experiment by rules, {playouts} of those by playouts.{}",
                if mover.to_string() == "uct" { "" } else { " This is less than the thesis." }
            ));
        }
        lines.push("Shares are in percent with 95 % intervals. A fair share of wins is 25 %.".into());
        document.parts.push(Part::Lines(lines));
    }

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
        for (seat, wins) in SEAT_WINS.into_iter().enumerate() {
            // Whoever sat there.
            let own = seats.players.iter().map(|player| player.wins[seat]).sum();
            let value = Value::of(own, games, Some(100.0 * stats::rate(wins, all)));
            let [ours, thesis] = value.cells();
            rows.push(vec![Catan::SEATS[seat].into(), ours, thesis]);
            self.add_value(document, "6", Catan::SEATS[seat], "random", "wins", value);
        }
        document.parts.push(Part::table(&["seat", "wins %", "thesis %"], rows));
        document.parts.push(Part::Lines(vec![format!(
            "{} games here, {} in the thesis. Seats differ more in the thesis than {} random games allow.",
            grouped(games),
            grouped(all),
            grouped(all)
        )]));

        document.parts.push(Part::Heading("Figure 7: one tree search against three random players".into()));
        let mut rows = Vec::new();
        let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
        for (at, (search, results)) in curve.iter().enumerate() {
            let tested = &results.players[0];
            let name = grouped(search.playouts.into());
            let players = format!("uct:{},random,random,random", search.playouts);
            let mean = Value::of(tested.all_wins(), tested.all_games(), search.thesis.map(|(_, mean)| mean));
            let mut cells = vec![name.clone(), grouped(mean.n)];
            cells.extend(mean.cells());
            cells.push(by_seat(tested));
            cells
                .push(search.thesis.map_or_else(|| "-".into(), |(seats, _)| seats.map(|of| of.to_string()).join(", ")));
            rows.push(cells);
            self.add_value(document, "7", &name, &players, "wins", mean);
            for (seat, of) in Catan::SEATS.iter().enumerate() {
                let thesis = search.thesis.map(|(seats, _)| seats[seat]);
                let value = Value::of(tested.wins[seat], tested.games[seat], thesis);
                self.add_value(document, "7", &name, &players, &format!("wins from the {of} seat"), value);
            }
            ours.push(mean.point(at as f64));
            theirs.extend(mean.thesis.map(|y| Point { x: at as f64, y, interval: None }));
        }
        let heads = ["playouts", "games", "wins %", "thesis %", "from seats 1 to 4 %", "thesis %"];
        document.parts.push(Part::table(&heads, rows));
        let ticks = curve.iter().enumerate().map(|(at, (search, _))| (at as f64, grouped(search.playouts.into())));
        let chart = Chart {
            title: "Figure 7: one tree search against three random players".into(),
            x_label: "playouts of an action".into(),
            y_label: "wins %".into(),
            ticks: ticks.collect(),
            x_range: [-0.3, curve.len().max(2) as f64 - 0.7],
            y_max: 100.0,
            mark: Some(25.0),
            series: vec![
                Series { name: "here".into(), points: ours, has_line: true },
                Series { name: "thesis".into(), points: theirs, has_line: true },
            ],
        };
        document.parts.push(picture("7", &chart));
    }

    /// Tree searches against builders, and what SmartSettlers won in percent.
    pub(super) fn add_against_builders(&self, document: &mut Document, searches: &[(Mover, f64, Results)]) {
        if searches.is_empty() {
            return;
        }
        document.parts.push(Part::Heading("One tree search against three players who build (heuristic)".into()));
        let mut rows = Vec::new();
        for (uct, robots, results) in searches {
            let tested = &results.players[0];
            let value = Value::of(tested.all_wins(), tested.all_games(), Some(*robots));
            let mut cells = vec![uct.to_string(), grouped(value.n)];
            cells.extend(value.cells());
            cells.push(by_seat(tested));
            rows.push(cells);
            let players = format!("{uct},heuristic,heuristic,heuristic");
            self.add_value(document, "against builders", &uct.to_string(), &players, "wins", value);
        }
        let heads = ["player", "games", "wins %", "SmartSettlers %", "from seats 1 to 4 %"];
        document.parts.push(Part::table(&heads, rows));
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
            y_max: 100.0,
            mark: Some(25.0),
            series,
        };
        document.parts.push(picture("8", &chart));
    }

    fn add_cell(&self, document: &mut Document, figure: &str, mover: &Mover, cell: &Cell) {
        let name = format!("{}, moves by {mover}", cell.experiment.name);
        for (measure, value) in measured(cell) {
            self.add_value(document, figure, &name, &cell.experiment.players, measure, value);
        }
    }

    /// Figures 9 to 11; returns agreement by random playouts.
    pub(super) fn add_agreement(
        &self,
        document: &mut Document,
        moments: &[Position],
    ) -> Result<Vec<(u32, Agreement)>, CliError> {
        let found = self.compare(moments)?;
        document.parts.push(Part::Heading("Figures 9 and 10: agreement of playouts with the rules".into()));
        let mut rows = Vec::new();
        for ((playouts, rollout, _), of) in &found {
            let thesis = FOUND.iter().find(|known| known.playouts == *playouts && *rollout == Strategy::Random);
            let n = of.negotiations;
            let name = format!("{playouts} playouts by {}", rollout.name());
            let values = [
                ("same trade", Value::of(of.same, n, thesis.map(|known| known.same))),
                ("no trade", Value::of(of.nothing, n, thesis.map(|known| known.nothing))),
                ("together", Value::of(of.same + of.nothing, n, thesis.map(|known| known.together))),
                ("same where both propose", Value::of(of.same, of.both, thesis.map(|known| known.of_proposals))),
            ];
            let mut row = vec![grouped((*playouts).into()), rollout.name().into(), grouped(n)];
            for (measure, value) in values {
                row.extend(value.cells());
                self.add_value(document, "9 and 10", &name, "", measure, value);
            }
            rows.push(row);
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
        if let Some((_, first)) = found.first() {
            let random = Value::of(first.random, first.negotiations, Some(agreement::RANDOM));
            self.add_value(document, "9 and 10", "random", "", "together", random);
            document.parts.push(Part::Lines(vec![format!(
                "Random choices agree with the rules in {} % (thesis {:.1}).",
                random.text(),
                agreement::RANDOM
            )]));
        }
        self.add_leaders(document, &found);
        let by_random = found.iter().filter(|((_, rollout, _), _)| *rollout == Strategy::Random);
        Ok(by_random.map(|((playouts, ..), agreement)| (*playouts, *agreement)).collect())
    }

    /// Figure 11.
    fn add_leaders(&self, document: &mut Document, found: &[(Compared, Agreement)]) {
        document.parts.push(Part::Heading("Figure 11: agreement by the win rate of the opponent who leads".into()));
        let (mut rows, mut series) = (Vec::new(), Vec::new());
        for (index, ((playouts, rollout, _), of)) in found.iter().enumerate() {
            let name = format!("N={playouts}, {}", rollout.name());
            let mut row = vec![name.clone()];
            let mut points = Vec::new();
            for (bin, [all, agreed]) in of.by_leader.into_iter().enumerate().skip(2) {
                let value = Value::of(agreed, all, None);
                row.push(if all == 0 { "-".into() } else { format!("{:.1} ({})", 100.0 * value.value, grouped(all)) });
                if all > 0 {
                    points.push(value.point(10.0 * bin as f64 + 5.0 + beside(index, found.len())));
                    self.add_value(document, "11", &name, "", &format!("agreement at {}0 %", bin), value);
                }
            }
            rows.push(row);
            series.push(Series { name, points, has_line: true });
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
            y_max: 100.0,
            mark: None,
            series,
        };
        document.parts.push(picture("11", &chart));
    }

    /// Figures 12 to 17.
    pub(super) fn add_functions(&self, document: &mut Document, blocks: &[Block]) {
        for figure in FIGURES {
            document.parts.push(Part::Heading(format!("Figure {figure}: {}", title(figure))));
            let mut rows = Vec::new();
            let names = TESTED.map(|function| function.name());
            let mut series = Vec::new();
            for block in blocks {
                for (reading, cells) in [("", &block.cells), ("other reading", &block.others)] {
                    let cells: Vec<_> = cells.iter().filter(|cell| cell.experiment.figure == figure).collect();
                    for cell in &cells {
                        let mut row = vec![
                            cell.experiment.name.clone(),
                            block.mover.to_string(),
                            reading.into(),
                            grouped(cell.results.games()),
                        ];
                        row.extend(measured(cell).iter().flat_map(|(_, value)| value.cells()));
                        rows.push(row);
                        self.add_cell(
                            document,
                            &format!("{figure}{}", if reading.is_empty() { "" } else { ", other reading" }),
                            &block.mover,
                            cell,
                        );
                    }
                    let points = cells
                        .iter()
                        .enumerate()
                        .map(|(at, cell)| measured(cell)[0].1.point(at as f64 + beside(series.len() + 1, 4)));
                    let points: Vec<_> = points.collect();
                    if !points.is_empty() {
                        series.push(Series { name: format!("{} {reading}", block.mover), points, has_line: false });
                    }
                }
            }
            let first = blocks.first().map_or(&[][..], |block| &block.cells);
            let thesis = first.iter().filter(|cell| cell.experiment.figure == figure).enumerate();
            let thesis = thesis.map(|(at, cell)| Point {
                x: at as f64 + beside(0, 4),
                y: cell.experiment.thesis.wins,
                interval: None,
            });
            series.insert(0, Series { name: "thesis".into(), points: thesis.collect(), has_line: false });
            let heads = [
                "function",
                "moves by",
                "conditions",
                "games",
                "wins %",
                "thesis",
                "success %",
                "thesis",
                "acceptance %",
                "thesis",
            ];
            document.parts.push(Part::table(&heads, rows));
            let chart = Chart {
                title: format!("Figure {figure}: {}", title(figure)),
                x_label: "function of the tested player".into(),
                y_label: "wins %".into(),
                ticks: named_ticks(&names),
                x_range: [-0.5, 3.5],
                y_max: 50.0,
                mark: Some(25.0),
                series,
            };
            document.parts.push(picture(&figure.to_string(), &chart));
        }
        self.add_quotients(document, blocks);
    }

    /// Figure 17.
    fn add_quotients(&self, document: &mut Document, blocks: &[Block]) {
        document.parts.push(Part::Heading("Figure 17: wins by success over acceptance".into()));
        for (index, block) in blocks.iter().enumerate() {
            let mut series = Vec::new();
            let mut most: f64 = 1.0;
            for function in TESTED {
                let own = block
                    .cells
                    .iter()
                    .filter(|cell| cell.experiment.figure > 8 && cell.experiment.function == function);
                let mut points: Vec<Point> = own
                    .map(|cell| Point { x: cell.quotient(), y: 100.0 * cell.wins().value, interval: None })
                    .collect();
                points.retain(|point| point.x.is_finite());
                points.sort_by(|one, other| one.x.total_cmp(&other.x));
                most = points.iter().fold(most, |most, point| most.max(point.x));
                series.push(Series { name: function.name().into(), points, has_line: true });
            }
            let most = most.ceil();
            let chart = Chart {
                title: format!("Figure 17: wins by success over acceptance, moves by {}", block.mover),
                x_label: "success of own proposals over acceptance of others'".into(),
                y_label: "wins %".into(),
                ticks: (0..=4)
                    .map(|step| (most * f64::from(step) / 4.0, format!("{:.1}", most * f64::from(step) / 4.0)))
                    .collect(),
                x_range: [0.0, most],
                y_max: 50.0,
                mark: Some(25.0),
                series,
            };
            document
                .parts
                .push(picture(&if index == 0 { "17".to_owned() } else { format!("17-{}", index + 1) }, &chart));
        }
        let rows = blocks.iter().flat_map(|block| {
            TESTED.map(|function| {
                let own = block
                    .cells
                    .iter()
                    .filter(|cell| cell.experiment.figure > 8 && cell.experiment.function == function);
                let points = own.map(|cell| format!("{:.2} / {:.1}", cell.quotient(), 100.0 * cell.wins().value));
                let mut row = vec![function.name().to_owned(), block.mover.to_string()];
                row.extend(points);
                row
            })
        });
        let heads = ["quotient / wins %", "moves by"].map(String::from).into_iter();
        let heads = heads.chain(FIGURES.map(|figure| format!("figure {figure}")));
        document.parts.push(Part::Table(heads.collect(), rows.collect()));
    }

    /// What the thesis could not do.
    pub(super) fn add_beyond(&self, document: &mut Document, mover: Mover, cells: &[Cell], further: &[Cell]) {
        document.parts.push(Part::Heading("Beyond the thesis: proposals to those who accept everything".into()));
        let known = cells.iter().filter(|cell| {
            cell.experiment.figure == 8
                && cell.experiment.players.ends_with("accept-all")
                && !cell.experiment.players.contains("2:1")
        });
        let mut rows = Vec::new();
        for cell in known.chain(further) {
            let [(_, wins), ..] = measured(cell);
            rows.push(vec![cell.experiment.players.clone(), mover.to_string(), grouped(wins.n), wins.text()]);
        }
        for cell in further {
            let own = &cell.results.players[0];
            let wins = Value::of(own.all_wins(), own.all_games(), None);
            self.add_value(document, "beyond", &cell.experiment.name, &cell.experiment.players, "wins", wins);
        }
        document.parts.push(Part::table(&["players", "moves by", "games", "wins %"], rows));
    }
}
