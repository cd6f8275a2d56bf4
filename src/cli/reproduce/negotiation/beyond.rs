//! What the thesis could not do.

use fairground::games::catan::Strategy;
use fairground::papers::negotiation::Moment;
use fairground::papers::negotiation::claims::Cell;
use fairground::papers::negotiation::quality::{self, FAR, Quality, Study, Where, leaders};
use fairground::papers::negotiation::variance::spread;
use fairground::papers::tubstap::Estimate;
use fairground::players::catan::choice::Choice as Mover;
use fairground::report::chart::{Chart, Point, Series};
use fairground::stats::Interval;

use super::figures::{Value, beside, measured, named_ticks, picture};
use super::{Session, thin};
use crate::cli::CliError;
use crate::cli::output::grouped;
use crate::cli::reproduce::document::{Document, Part};
use crate::cli::run::is_stopped;

/// The ways to choose that are judged.
pub use quality::METHODS;

/// Playouts that tell whether somebody leads, to find such moments.
const SCREENING: u32 = 100;

impl Session<'_> {
    /// Whole games of more and of better playouts.
    pub(super) fn add_beyond(&self, document: &mut Document, mover: Mover, cells: &[Cell], further: &[Cell]) {
        document.parts.push(Part::Heading("Beyond the thesis: proposals to those who accept everything".into()));
        let known = cells.iter().filter(|cell| {
            cell.experiment.figure == 8
                && cell.experiment.players.ends_with("accept-all")
                && !cell.experiment.players.contains("2:1")
        });
        let (mut rows, mut points, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (at, cell) in known.chain(further).enumerate() {
            let [(_, wins), ..] = measured(cell);
            rows.push(vec![cell.experiment.players.clone(), mover.to_string(), grouped(wins.n), wins.text()]);
            points.push(wins.point(at as f64));
            let name = cell.experiment.players.trim_end_matches(",accept-all").trim_start_matches("selfish");
            let name = name.trim_start_matches(':').replace(",rollout=heuristic", " h");
            names.push(if name.is_empty() { "rules".to_owned() } else { name });
        }
        for cell in further {
            let own = &cell.results.players[0];
            let wins = Value::of(own.all_wins(), own.all_games(), None);
            self.add_value(document, "beyond", &cell.experiment.name, &cell.experiment.players, "wins", wins);
        }
        document.parts.push(Part::table(&["players", "moves by", "games", "wins %"], rows));
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let chart = Chart {
            title: format!("Selfish proposals against three who accept everything, moves by {mover}"),
            x_label: "profits by rules, or by playouts (h: played by heuristic)".into(),
            y_label: "wins %".into(),
            ticks: named_ticks(&names),
            x_range: [-0.4, names.len().max(2) as f64 - 0.6],
            y_range: [0.0, 100.0],
            mark: Some(25.0),
            series: vec![Series { name: "here".into(), points, has_line: false }],
        };
        document.parts.push(picture("beyond", &chart));
    }

    /// What the trades are worth that are chosen in different ways.
    pub(super) fn add_quality(&self, document: &mut Document, moments: &[Moment]) -> Result<Quality, CliError> {
        let judging = self.args.budget.judging();
        let number = self.scaled(judging.moments as u64) as usize;
        let sought = thin(moments, (self.scaled(judging.sought as u64) as usize).max(number));
        if number < 2 || sought.len() < 2 || is_stopped() {
            return Ok(Quality::default());
        }
        let leads = leaders(&self.evaluator, &sought, SCREENING, self.args.seed)?;
        let of = |is_far: bool| -> Vec<Moment> {
            let moments = sought.iter().zip(&leads).filter(|(_, rate)| (**rate > FAR) == is_far);
            moments.map(|(moment, _)| *moment).collect()
        };
        let mut chosen = thin(&of(true), number / 2);
        chosen.extend(thin(&of(false), number - chosen.len()));
        let progress = self.args.run.progress(chosen.len() as u64, "moments", None);
        let study = Study { moments: &chosen, methods: &METHODS, playouts: judging.playouts, seed: self.args.seed };
        let quality = study.judge(&self.evaluator, &progress)?;
        progress.bar.finish_and_clear();
        self.show_quality(document, &quality, judging.playouts);
        Ok(quality)
    }

    fn show_quality(&self, document: &mut Document, quality: &Quality, playouts: u32) {
        if quality.0.is_empty() {
            return;
        }
        document.parts.push(Part::Heading("Beyond the thesis: what a chosen trade is worth".into()));
        document.parts.push(Part::Lines(vec![
            format!(
                "Every way to choose proposes in the same moments, half of them with an opponent above 70 % as far as there were such. What it \
                 chooses is judged by {} other playouts of `heuristic` for each trade: the change of the proposer's win rate, in points, if \
                 the partner accepts. No trade is worth 0.",
                grouped(playouts.into())
            ),
            "Intervals allow for moments of one game having much in common; differences are of the same moments. The judge plays as the \
             `heuristic` playouts do, which may favour them."
                .into(),
        ]));
        let mut rows = Vec::new();
        let mut series = Vec::new();
        let cell = |estimate: Estimate| {
            let Interval { low, high } = estimate.interval();
            match () {
                () if estimate.value.is_nan() => "-".to_owned(),
                () if low.is_nan() => format!("{:+.2}", 100.0 * estimate.value),
                () => format!("{:+.2} [{:+.2},{:+.2}]", 100.0 * estimate.value, 100.0 * low, 100.0 * high),
            }
        };
        for (index, among) in Where::EACH.into_iter().enumerate() {
            let n = quality.moments(among);
            if n == 0 {
                continue;
            }
            let mut points = Vec::new();
            for (at, method) in METHODS.iter().enumerate() {
                let gain = quality.gain(at, among);
                let more = |than: usize| quality.more(at, than, among);
                let differ = |than: usize| if at == than { "-".to_owned() } else { cell(more(than)) };
                rows.push(vec![
                    among.name().into(),
                    n.to_string(),
                    method.to_string(),
                    cell(gain),
                    differ(quality::RULES),
                    differ(quality::FEW),
                ]);
                let value =
                    |own: Estimate| Value { value: own.value, interval: own.interval(), thesis: None, n: n as u64 };
                let name = format!("{method}, {}", among.name());
                self.add_value(document, "quality", &name, "", "gain", value(gain));
                for (than, measure) in
                    [(quality::RULES, "more than rules"), (quality::FEW, "more than 100 random playouts")]
                {
                    if at != than {
                        self.add_value(document, "quality", &name, "", measure, value(more(than)));
                    }
                }
                points.push(value(gain).point(at as f64 + beside(index, Where::EACH.len())));
            }
            series.push(Series { name: among.name().into(), points, has_line: false });
        }
        let heads =
            ["moments", "number", "chosen by", "gain, points", "more than rules", "more than 100 random playouts"];
        document.parts.push(Part::table(&heads, rows));
        let ends = series.iter().flat_map(|series| &series.points).filter_map(|point: &Point| point.interval);
        // Whole steps of the axis, with nothing cut off.
        let y_range = ends.flatten().filter(|end| end.is_finite()).fold([0.0, 5.0], |[low, high]: [f64; 2], end| {
            [low.min((end / 5.0).floor() * 5.0), high.max((end / 5.0).ceil() * 5.0)]
        });
        let chart = Chart {
            title: "What a chosen trade is worth".into(),
            x_label: "r: random playouts, h: heuristic playouts; pts: by points; few: of few turns".into(),
            y_label: "true gain, points".into(),
            ticks: named_ticks(&[
                "rules", "r 100", "r 1k", "r 10k", "h 100", "h 1k", "h 10k", "r pts", "h pts", "h few",
            ]),
            x_range: [-0.5, METHODS.len() as f64 - 0.5],
            y_range,
            mark: Some(0.0),
            series,
        };
        document.parts.push(picture("quality", &chart));
    }

    /// What common random numbers save.
    pub(super) fn add_spread(&self, document: &mut Document, moments: &[Moment]) -> Result<(), CliError> {
        let (number, playouts) = self.args.budget.spread();
        let moments = thin(moments, self.scaled(number as u64) as usize);
        if moments.len() < 2 || is_stopped() {
            return Ok(());
        }
        let (mut rows, mut points) = (Vec::new(), Vec::new());
        let sorts = [Strategy::Random, Strategy::Heuristic];
        for (at, rollout) in sorts.into_iter().enumerate() {
            let found = spread(&self.evaluator, &moments, rollout, playouts, self.args.seed)?;
            let (ratio, interval) = found.ratio();
            let saved = Interval { low: 1.0 - interval.high, high: 1.0 - interval.low };
            let n = found.variances.len();
            let value = Value { value: 1.0 - ratio, interval: saved, thesis: None, n: n as u64 };
            rows.push(vec![rollout.name().into(), n.to_string(), grouped(playouts.into()), value.text()]);
            self.add_value(document, "common random numbers", rollout.name(), "", "variance saved", value);
            points.push(value.point(at as f64));
        }
        document.parts.push(Part::Heading("Common random numbers".into()));
        let heads = ["playouts by", "negotiations", "playouts of a trade", "variance saved %"];
        document.parts.push(Part::table(&heads, rows));
        let chart = Chart {
            title: "Variance of a difference that common random numbers save".into(),
            x_label: "playouts by".into(),
            y_label: "variance saved %".into(),
            ticks: named_ticks(&sorts.map(Strategy::name)),
            x_range: [-0.5, 1.5],
            y_range: [0.0, 50.0],
            mark: None,
            series: vec![Series { name: "here".into(), points, has_line: false }],
        };
        document.parts.push(picture("common-random-numbers", &chart));
        Ok(())
    }
}
