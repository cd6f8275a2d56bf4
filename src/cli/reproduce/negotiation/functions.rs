//! Figures 12 to 17 as tables, charts and records.

use fairground::papers::negotiation::experiments::{FIGURES, TESTED, title};
use fairground::report::chart::{Chart, Point, Series};
use fairground::stats::Interval;

use super::figures::{Value, beside, measured, named_ticks, picture};
use super::{Block, Session};
use crate::cli::output::grouped;
use crate::cli::reproduce::document::{Document, Part};

impl Session<'_> {
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
                y_range: [0.0, 50.0],
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
        let mut rows = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let mut series = Vec::new();
            let mut most: f64 = 1.0;
            for function in TESTED {
                let own = block
                    .cells
                    .iter()
                    .filter(|cell| cell.experiment.figure > 8 && cell.experiment.function == function);
                let mut row = vec![function.name().to_owned(), block.mover.to_string()];
                let mut points = Vec::new();
                for cell in own {
                    let [(_, wins), ..] = measured(cell);
                    let Some(quotient) = cell.quotient() else {
                        row.push("-".into());
                        continue;
                    };
                    let Interval { low, high } = quotient.interval();
                    row.push(format!("{:.2} [{low:.2},{high:.2}] / {}", quotient.value, wins.text()));
                    points.push(wins.point(quotient.value));
                    let name =
                        format!("{}, figure {}, moves by {}", function.name(), cell.experiment.figure, block.mover);
                    let thesis = cell.experiment.thesis.trade.map(|[success, acceptance]| 100.0 * success / acceptance);
                    let value = Value { value: quotient.value, interval: quotient.interval(), thesis, n: wins.n };
                    self.add_value(document, "17", &name, &cell.experiment.players, "success over acceptance", value);
                    self.add_value(document, "17", &name, &cell.experiment.players, "wins", wins);
                }
                rows.push(row);
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
                y_range: [0.0, 50.0],
                mark: Some(25.0),
                series,
            };
            document
                .parts
                .push(picture(&if index == 0 { "17".to_owned() } else { format!("17-{}", index + 1) }, &chart));
        }
        let heads = ["quotient / wins %", "moves by"].map(String::from).into_iter();
        let heads = heads.chain(FIGURES.map(|figure| format!("figure {figure}")));
        document.parts.push(Part::Table(heads.collect(), rows));
    }
}
