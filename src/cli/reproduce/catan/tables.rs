//! The tables of the paper with our figures.

use fairground::games::catan::builtin;
use fairground::papers::catan::trial::{Chooser, Repetition, Trial};
use fairground::papers::catan::{CHOSEN, CONFIRMED, Figure, GAMES, TABLE_1, TABLE_4};
use fairground::report::histogram::Histograms;
use fairground::stats::rate;
use fairground::stats::seats::balance::equality_p_over_maps;
use fairground::stats::seats::{debiased_spread, equality_p, spread};
use serde_json::Value;

use super::{Document, Findings, Part, Session};
use crate::cli::output::grouped;
use crate::cli::reproduce::document::{Picture, Record};

/// Bins of a histogram.
const BINS: usize = 12;

/// The spread of seats of which one always wins.
pub const MOST_POINTS: f64 = 50.0;

/// A figure for programs.
pub fn record(section: &str, name: &str, players: &str, games: u64, value: f64, interval: Option<[f64; 2]>) -> Record {
    let number = |value: f64| if value.is_finite() { Value::from(value) } else { Value::Null };
    let [low, high] = interval.map_or([Value::Null, Value::Null], |ends| ends.map(number));
    vec![
        ("section", section.into()),
        ("name", name.into()),
        ("players", players.into()),
        ("games", games.into()),
        ("value", number(value)),
        ("low", low),
        ("high", high),
    ]
}

/// A mean with its interval, in so many digits.
pub fn written(figure: Figure, digits: usize) -> String {
    let Figure { mean, interval } = figure;
    if interval.low.is_finite() {
        format!("{mean:.digits$} ({:.digits$} to {:.digits$})", interval.low, interval.high)
    } else {
        format!("{mean:.digits$}")
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// The spread in points that a mean of variances stands for.
pub fn points(variances: &[f64]) -> f64 {
    let mean = variances.iter().sum::<f64>() / variances.len() as f64;
    100.0 * mean.max(0.0).sqrt()
}

/// What is measured of the choices of a loop, and with how many digits.
const MEASURES: [(&str, usize); 3] =
    [("true spread of maps called balanced", 2), ("true spread of maps called unbalanced", 2), ("right order", 3)];

/// The measures of a trial, in their order.
fn measured(trial: &Trial) -> [f64; 3] {
    [points(&trial.good), points(&trial.bad), trial.right_order()]
}

/// By how much a chooser's measure is above that of chance in the same loop.
pub fn beyond_chance(repetitions: &[Repetition], place: usize, measure: usize) -> Option<Figure> {
    let of = |one: &Repetition| measured(&one.trials[place])[measure] - measured(&one.trials[CHANCE])[measure];
    Figure::of(&repetitions.iter().map(of).collect::<Vec<_>>())
}

/// The place of chance among the choosers.
const CHANCE: usize = Chooser::ALL.len() - 1;

/// A mean over repetitions of what each of them says, which is at least 0 and has a largest possible value.
pub fn over<T>(repetitions: &[T], largest: f64, of: impl Fn(&T) -> f64) -> Option<Figure> {
    let figure = Figure::of(&repetitions.iter().map(of).collect::<Vec<_>>());
    figure.map(|figure| figure.within(0.0, largest))
}

impl Session<'_> {
    /// Table 1.
    pub fn add_seats(&self, document: &mut Document, findings: &Findings) {
        let mut rows = Vec::new();
        for (name, rates) in TABLE_1 {
            let rates = rates.map(|rate| format!("{rate:.2}"));
            rows.push([vec![format!("{name}, the paper")], rates.to_vec(), vec![String::new()]].concat());
        }
        for of in &findings.kinds {
            let Some(figures) = of.short.seat_rates() else { continue };
            let games = of.short.games * of.short.maps.len() as u64;
            let cells = figures.map(|Figure { mean, interval }| {
                format!("{} ± {}", percent(mean), percent((interval.high - interval.low) / 2.0))
            });
            rows.push([vec![of.kind.name().to_owned()], cells.to_vec(), vec![grouped(games)]].concat());
            for (seat, Figure { mean, interval }) in figures.into_iter().enumerate() {
                let (name, ends) = (format!("wins of seat {}", seat + 1), Some([interval.low, interval.high]));
                document.records.push(record("table 1", &name, of.kind.name(), games, mean, ends));
            }
        }
        document.parts.push(Part::Heading("Table 1: wins by seat in percent, over random maps".into()));
        document.parts.push(Part::table(&["players", "1st", "2nd", "3rd", "4th", "games"], rows));
        let note =
            "Means over maps with 95 % intervals of Student: games on the same map are not independent of each other.";
        document.parts.push(Part::Lines(vec![note.into()]));
    }

    /// Figure 1.
    pub fn add_histograms(&self, document: &mut Document, findings: &Findings) {
        for of in &findings.kinds {
            let Some(long) = &of.long else { continue };
            let short = of.short.first(long.maps.len());
            let [a, b] = [short.range(), long.range()];
            let (low, high) = (a[0].min(b[0]), a[1].max(b[1]).max(a[0].min(b[0]) + 1e-9));
            let counts = [&short, long].map(|census| census.histogram([low, high], BINS));
            let edge = |bin: usize| low + (high - low) * bin as f64 / BINS as f64;
            let rows = (0..BINS).map(|bin| {
                let bounds = format!("{} to {}", percent(edge(bin)), percent(edge(bin + 1)));
                let cells = counts.iter().flatten().map(|of_seat| of_seat[bin].to_string());
                std::iter::once(bounds).chain(cells).collect()
            });
            document.parts.push(Part::Heading(format!(
                "Figure 1: maps by a seat's wins in percent, {} players, {} maps",
                of.kind.name(),
                long.maps.len()
            )));
            let [few, many] = [short.games, long.games].map(grouped);
            let panels = (0..4)
                .map(|seat| (format!("seat {}", seat + 1), counts.each_ref().map(|of| of[seat].clone()).to_vec()));
            let histograms = Histograms {
                title: format!("Figure 1: maps by a seat's wins, {} players", of.kind.name()),
                x_label: "wins of the seat, %".into(),
                x_range: [100.0 * low, 100.0 * high],
                layers: [&few, &many].map(|games| format!("{games} games a map")).to_vec(),
                panels: panels.collect(),
            };
            document.parts.push(Part::Picture(Picture {
                file: format!("{}figure-1-{}.svg", self.args.stem(), of.kind.name()),
                title: histograms.title.clone(),
                svg: histograms.svg(),
            }));
            let heads: Vec<String> = std::iter::once("wins of the seat".to_owned())
                .chain((1..=4).map(|seat| format!("seat {seat} at {few}")))
                .chain((1..=4).map(|seat| format!("seat {seat} at {many}")))
                .collect();
            document.parts.push(Part::Table(heads, rows.collect()));
            let mut lines = Vec::new();
            for census in [&short, long] {
                let mean =
                    points(&census.wins.iter().map(|wins| spread(wins, census.games).powi(2)).collect::<Vec<_>>());
                let chance = 100.0 * (0.25 / census.games as f64).sqrt();
                lines.push(format!(
                    "At {} games a map the spread between seats is {mean:.3} points (root of the mean square); chance alone gives {chance:.3}.",
                    grouped(census.games)
                ));
                document.records.push(record("figure 1", "spread", of.kind.name(), census.games, mean, None));
            }
            document.parts.push(Part::Lines(lines));
        }
    }

    /// Table 4.
    pub fn add_maps(&self, document: &mut Document, findings: &Findings) {
        let mut rows = Vec::new();
        let row = |name: String, players: &str, maps: u64, rates: [f64; 4], more: [String; 3]| {
            let rates = rates.map(|rate| format!("{rate:.2}"));
            [vec![name, players.to_owned(), maps.to_string()], rates.to_vec(), more.to_vec()].concat()
        };
        for (name, maps, rates) in TABLE_4 {
            let mean = rates.iter().sum::<f64>() / 4.0;
            let own = (rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
            let more = [format!("{own:.2}"), String::new(), String::new()];
            rows.push(row(format!("{name}, the paper"), "JSettlers", maps, rates, more));
        }
        for (kind, census) in &findings.built_in {
            for (map, wins) in builtin::maps().iter().zip(&census.wins) {
                let name = map.name.clone().unwrap_or_default();
                let rates = wins.map(|wins| 100.0 * rate(wins, census.games));
                let unbiased = 100.0 * debiased_spread(wins, census.games);
                let more = [
                    format!("{:.2}", 100.0 * spread(wins, census.games)),
                    format!("{unbiased:.2}"),
                    format!("{:.3}", equality_p(wins)),
                ];
                document.records.push(record("table 4", &name, kind.name(), census.games, unbiased, None));
                rows.push(row(name, kind.name(), 1, rates, more));
            }
        }
        // As many random maps as the paper has.
        let paper = TABLE_4[2].1 as usize;
        for of in &findings.kinds {
            let few = of.short.first(paper);
            let total = few.total();
            let games = few.games * few.maps.len() as u64;
            let more = [
                format!("{:.2}", 100.0 * spread(&total, games)),
                format!("{:.2}", 100.0 * debiased_spread(&total, games)),
                equality_p_over_maps(&few.contrasts()).map_or_else(String::new, |p| format!("{p:.3}")),
            ];
            let rates = total.map(|wins| 100.0 * rate(wins, games));
            rows.push(row("random".into(), of.kind.name(), few.maps.len() as u64, rates, more));
        }
        document.parts.push(Part::Heading("Table 4: wins by seat on given maps, in percent".into()));
        let heads = ["maps", "players", "number", "1st", "2nd", "3rd", "4th", "spread", "de-biased", "p if equal"];
        document.parts.push(Part::table(&heads, rows));
        let games = findings.built_in.first().map_or(0, |(_, census)| census.games);
        document.parts.push(Part::Lines(vec![format!(
            "Built-in maps have {} games each, random maps {} as in the paper; a row of several maps is that of their mean, and its p is that of \
             Hotelling's test over maps. The paper's rule-book row \
             adds up to 99.00; with 24.29 for the first seat its spread is the 1.05 that the paper states.",
            grouped(games),
            grouped(GAMES)
        )]));
    }

    /// Section 5.1.2.
    pub fn add_loops(&self, document: &mut Document, findings: &Findings) {
        let repetitions = &findings.repetitions;
        if repetitions.is_empty() {
            return;
        }
        let mut rows = vec![];
        for (step, [good, bad]) in CONFIRMED.iter().enumerate() {
            let mut cells = vec![(step + 1).to_string(), format!("{good} and {bad}")];
            for (place, _) in Chooser::ALL.iter().enumerate() {
                let mean =
                    |end: usize| over(repetitions, CHOSEN as f64, |one| one.trials[place].confirmed[step][end] as f64);
                let figures: Vec<_> =
                    [mean(0), mean(1)].into_iter().flatten().map(|figure| written(figure, 2)).collect();
                cells.push(figures.join(" and "));
            }
            rows.push(cells);
        }
        document.parts.push(Part::Heading(format!(
            "Section 5.1.2: of {CHOSEN} maps called balanced and {CHOSEN} called unbalanced, how many were by {} games",
            grouped(GAMES)
        )));
        let heads: Vec<_> = ["step", "the paper"].into_iter().chain(Chooser::ALL.map(Chooser::name)).collect();
        document.parts.push(Part::table(&heads, rows));
        let truth = self.size.truth;
        let mut rows = Vec::new();
        let mut add = |chosen_by: String, figures: [Option<Figure>; 3]| {
            let mut cells = vec![chosen_by.clone()];
            for ((name, digits), figure) in MEASURES.into_iter().zip(figures) {
                cells.push(figure.map_or_else(String::new, |figure| written(figure, digits)));
                if let Some(Figure { mean, interval }) = figure {
                    let name = format!("{chosen_by}: {name}");
                    let ends = Some([interval.low, interval.high]);
                    document.records.push(record("section 5.1.2", &name, "heuristic", truth, mean, ends));
                }
            }
            rows.push(cells);
        };
        for (place, chooser) in Chooser::ALL.into_iter().enumerate() {
            let largest = [MOST_POINTS, MOST_POINTS, 1.0];
            let of = |measure: usize| over(repetitions, largest[measure], |one| measured(&one.trials[place])[measure]);
            add(chooser.name().to_owned(), [0, 1, 2].map(of));
        }
        for (place, chooser) in Chooser::ALL.into_iter().enumerate().filter(|(_, one)| *one != Chooser::Chance) {
            add(
                format!("{} less random choice", chooser.name()),
                [0, 1, 2].map(|of| beyond_chance(repetitions, place, of)),
            );
        }
        document.parts.push(Part::Heading(format!("What the choices are worth, by {} games a map", grouped(truth))));
        let heads = ["chosen by", "called balanced, points", "called unbalanced, points", "right order"];
        document.parts.push(Part::table(&heads, rows));
        document.parts.push(Part::Lines(vec![format!(
            "Means over {} loops with 95 % intervals of Student; differences are taken within loops, which begin with the same maps. The spread of \
             several maps is the root of their mean de-biased variance. Right order is how often a map called balanced is more balanced than one \
             called unbalanced in the same loop.",
            repetitions.len()
        )]));
    }

    /// Certified maps under other players.
    pub fn add_certified(&self, document: &mut Document, findings: &Findings) {
        let sigma = self.args.sigma;
        for of in findings.certified.iter().filter(|of| of.maps > 0) {
            let mut rows: Vec<Vec<String>> = (1..=of.maps).map(|map| vec![map.to_string()]).collect();
            let mut means = vec!["all".to_owned()];
            for (kind, census) in &of.played {
                let mut add = |name: String, Figure { mean, interval }: Figure| {
                    let ends = Some([interval.low, interval.high]);
                    document.records.push(record("certified", &name, kind.name(), census.games, mean, ends));
                };
                let name = format!("certified under {}", of.under.name());
                for (row, judged) in rows.iter_mut().zip(census.judged(sigma)) {
                    add(format!("{name}: map {}", row[0]), judged.spread_points);
                    row.push(written(judged.spread_points, 2));
                }
                let mean = census.mean_spread_points();
                mean.into_iter().for_each(|mean| add(format!("{name}: all maps"), mean));
                means.push(mean.map_or_else(String::new, |mean| written(mean, 2)));
            }
            rows.push(means);
            document.parts.push(Part::Heading(format!(
                "Maps certified below {sigma} points under {} players: de-biased spread in points by {} other games a map",
                of.under.name(),
                grouped(self.size.games)
            )));
            let kinds = of.played.iter().map(|(kind, _)| kind.name());
            document.parts.push(Part::table(&std::iter::once("map").chain(kinds).collect::<Vec<_>>(), rows));
            document.parts.push(Part::Lines(vec![
                "In brackets the true spread with 95 % probability if nothing is known beforehand; for all maps together the root of the mean \
                 variance with Student's interval."
                    .into(),
            ]));
        }
    }
}
