//! The report of an evolution: one HTML file that needs nothing else, no network and no script.

use std::fmt::Write as _;

use super::page::{STYLE, as_address};
use super::svg;
use super::text::{escape, printable};
use crate::evolve::census::{Census, Heirs, Nothing};
use crate::evolve::judge::{Standing, lighter};
use crate::evolve::plan::{Plan, Start};
use crate::evolve::rank::{Finalist, nearest};
use crate::evolve::run::{Line, Score, Summary, rules_version};
use crate::games::tubstap::Map;
use crate::players::tubstap::choice::Choice;
use crate::stats;

/// Size of a chart, and where its axes are: from the left, right, top and bottom.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// About so many numbers stand below a chart.
const TICKS: usize = 12;

/// About so many generations have a row of their own.
const ROWS: usize = 40;

/// Beyond this many generations points would hide the lines.
const MAX_POINTS: usize = 80;

/// What is drawn of a generation: name, value, colour, dashes.
type Curve = (&'static str, fn(&Summary) -> f64, &'static str, &'static str);

const CURVES: [Curve; 4] = [
    ("largest", |summary| summary.largest, "#2f65cc", "none"),
    ("mean", |summary| summary.mean, "#c2571a", "none"),
    ("median", |summary| summary.median, "#4c8b52", "6 4"),
    ("smallest", |summary| summary.smallest, "#8a8d96", "2 4"),
];

/// The report of a run so far: settings, fitness by generation, and the maps to deliver once there are any.
#[must_use]
pub fn evolution(plan: &Plan, history: &[Line], delivered: Option<&[Finalist]>) -> String {
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    let mut line = |text: &str| {
        page.push_str(text);
        page.push('\n');
    };
    line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    line(&format!(
        "<title>Evolution of fair maps, seed {}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
        plan.seed
    ));
    line("<h1>Evolution of fair maps</h1>");
    let (generation, games) = history.last().map_or((0, 0), |line| (line.generation, line.games));
    let ending = match delivered {
        Some(_) => "The run is finished.",
        None => "The run is not finished.",
    };
    line(&format!("<p>{ending} Generation {generation} of {}, {games} games.</p>", plan.generations));
    line(&maps(plan, delivered.unwrap_or_default()));
    line("<h2>Fitness by generation</h2>");
    line("<p>1 minus the difference of the win rates and the rate of draws: 1 is fair and decisive.</p>");
    if let Some(last) = history.iter().rfind(|line| line.is_scouted) {
        line(&format!("<p>Up to generation {} by games of {}.</p>", last.generation, lighter(&plan.judge)));
    }
    line(&chart("fitness", history, |line| &line.fitness));
    line("<h2>Smooth fitness by generation</h2>");
    line("<p>It also counts how near the weaker side came to winning.</p>");
    line(&chart("smooth fitness", history, |line| &line.smooth_fitness));
    if matches!(plan.method, Start::Paper { .. }) && !history.is_empty() {
        line(&failure(history));
    }
    line("<h2>Settings</h2>\n<table>");
    for (name, value) in settings(plan) {
        line(&format!("<tr><th>{name}</th><td>{}</td></tr>", escape(&printable(&value, usize::MAX))));
    }
    line("</table>\n</body>\n</html>");
    page
}

fn settings(plan: &Plan) -> Vec<(&'static str, String)> {
    let recipe = &plan.recipe;
    let terrains: Vec<_> = recipe.terrains.iter().map(|terrain| terrain.name()).collect();
    let mut settings = match plan.method {
        Start::Paper { population } => {
            vec![("method", "the paper's genetic algorithm".into()), ("maps of a generation", population.to_string())]
        }
        Start::Lines { founders, lines } => vec![
            ("method", "lines of descent".into()),
            ("founders", founders.to_string()),
            ("lines in the end", lines.to_string()),
        ],
    };
    settings.extend([
        ("judge", plan.judge.to_string()),
        ("second judge", plan.second_judge.as_ref().map_or_else(|| "none".into(), Choice::to_string)),
        ("generations after the first", plan.generations.to_string()),
        ("games of a map", plan.games.to_string()),
        ("fresh games in the end", plan.final_games.to_string()),
        ("size", format!("{}x{}", recipe.width, recipe.height)),
        ("units a side", recipe.units.to_string()),
        ("aircraft", if recipe.aircraft { "yes" } else { "no" }.into()),
        ("terrains", terrains.join(", ")),
        ("turn limit", recipe.turn_limit.to_string()),
        ("threshold of hit points", recipe.hp_threshold.to_string()),
        ("seed", plan.seed.to_string()),
        ("rules", rules_version()),
        ("all settings", plan.settings()),
    ]);
    settings
}

/// A table of the maps and their pictures.
fn maps(plan: &Plan, delivered: &[Finalist]) -> String {
    if delivered.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "<h2>The best maps</h2>\n<p>By fresh games of {}, with 95 % intervals.</p>\n<table>\n<tr><th>map</th>",
        plan.judge
    );
    let second_head = plan.second_judge.as_ref().map(|player| format!("fitness by {player}"));
    let heads = ["games", "fitness", "Red wins %", "Blue wins %", "draws %"].into_iter().chain(second_head.as_deref());
    for head in heads.chain(["difference to the nearest"]) {
        let _ = write!(text, "<th class=\"n\">{}</th>", escape(head));
    }
    text.push_str("</tr>\n");
    let mut pictures = String::from("<div>\n");
    for (place, Finalist { map, standing, second }) in delivered.iter().enumerate() {
        let Score { wins, draws, fitness, .. } = Score::of(standing);
        let games = standing.games();
        let percent = |count: u64| percent(count, games);
        let fitness_of = |standing: &Standing| {
            let Score { fitness, interval: [low, high], .. } = Score::of(standing);
            format!("{fitness:.3} ({low:.3} to {high:.3})")
        };
        let mut cells =
            vec![games.to_string(), fitness_of(standing), percent(wins[0]), percent(wins[1]), percent(draws)];
        cells.extend(plan.second_judge.as_ref().map(|_| fitness_of(second)));
        cells.push(nearest(place, delivered).map_or_else(|| "-".into(), |share| format!("{share:.2}")));
        let number = place + 1;
        let _ = write!(text, "<tr><td>{number:02}</td>");
        for cell in &cells {
            let _ = write!(text, "<td class=\"n\">{cell}</td>");
        }
        text.push_str("</tr>\n");
        // What the map says of itself was said of the random one that it comes from.
        let named = Map { comment: Some(format!("Map {number:02}")), ..map.clone() };
        let _ = writeln!(
            pictures,
            "<figure><img width=\"460\" src=\"{}\" alt=\"map {number:02}\"/><figcaption>Map {number:02}: fitness {fitness:.3}, Red wins \
             {} %, Blue {} %</figcaption></figure>",
            as_address(&svg(&named)),
            cells[2],
            cells[3]
        );
    }
    text + "</table>\n" + &pictures + "</div>"
}

/// A share in percent with its interval.
fn percent(count: u64, all: u64) -> String {
    let interval = stats::wilson(count, all);
    let [rate, low, high] = [stats::rate(count, all), interval.low, interval.high].map(|share| 100.0 * share);
    format!("{rate:.1} ({low:.1} to {high:.1})")
}

/// Why maps are worth nothing, by generation, and whether the best are inherited.
fn failure(history: &[Line]) -> String {
    let mut text = String::from("<h2>Why maps are worth nothing</h2>\n");
    let all = history.iter().fold(Census::default(), |all, line| all.and(&line.census));
    let largest: Vec<f64> = history.iter().map(|line| line.fitness.largest).collect();
    let Heirs { generations, kept, lost, means } = Heirs::of([&largest[..]]);
    if all.maps > 0 {
        let _ = writeln!(
            text,
            "<p>{} % of the {} maps of all generations have fitness 0, with a 95 % interval.</p>",
            percent(all.zeros(), all.maps),
            all.maps
        );
    }
    if generations == 0 {
        text.push_str("<p>No generation but perhaps the last has a map with more.</p>\n");
    } else {
        let _ = writeln!(
            text,
            "<p>Is the largest fitness inherited? In {generations} generations before the last it is above 0, {:.3} in the mean; in \
             the generation after it is {:.3}: at least as large in {} %, and 0 in {} %.</p>",
            means[0],
            means[1],
            percent(kept, generations),
            percent(lost, generations)
        );
    }
    text.push_str("<table class=\"census\">\n<tr><th class=\"n\">generation</th>");
    let heads =
        ["maps", "at 0 %"].into_iter().chain(Nothing::ALL.map(Nothing::name)).chain(["units of Red", "of Blue"]);
    for head in heads {
        let _ = write!(text, "<th class=\"n\">{head}</th>");
    }
    text.push_str("</tr>\n");
    let mut row = |name: &str, census: &Census| {
        let of_all = |count: u64, factor: f64| factor * count as f64 / census.maps.max(1) as f64;
        let _ = write!(text, "<tr><td class=\"n\">{name}</td><td class=\"n\">{}</td>", census.maps);
        for share in [census.zeros()].iter().chain(&census.nothing) {
            let _ = write!(text, "<td class=\"n\">{:.1}</td>", of_all(*share, 100.0));
        }
        for units in census.units {
            let _ = write!(text, "<td class=\"n\">{:.2}</td>", of_all(units, 1.0));
        }
        text.push_str("</tr>\n");
    };
    for line in history.iter().step_by(history.len().div_ceil(ROWS)) {
        row(&line.generation.to_string(), &line.census);
    }
    row("all", &all);
    text + "</table>"
}

/// Curves over the generations. All values are from 0 to 1.
fn chart(name: &str, history: &[Line], summary: fn(&Line) -> &Summary) -> String {
    let last = history.len().saturating_sub(1);
    let x = |index: usize| LEFT + (WIDTH - LEFT - RIGHT) * index as f64 / last.max(1) as f64;
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - value.clamp(0.0, 1.0));
    let mut drawing = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n<title>{name} by generation</title>\n"
    );
    let mut add = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = drawing.write_fmt(text);
        drawing.push('\n');
    };
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for fifth in 0..=5 {
        let (value, class) = (f64::from(fifth) / 5.0, if fifth == 0 { "axis" } else { "grid" });
        let y = y(value);
        add(format_args!("<line class=\"{class}\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>"));
        let (x, y) = (LEFT - 8.0, y + 4.0);
        add(format_args!("<text class=\"label\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{value:.1}</text>"));
    }
    for (index, line) in history.iter().enumerate().step_by(last.div_ceil(TICKS).max(1)) {
        let (x, y) = (x(index), bottom + 18.0);
        let generation = line.generation;
        add(format_args!("<text class=\"label\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{generation}</text>"));
    }
    let (middle, below) = ((LEFT + right) / 2.0, HEIGHT - 6.0);
    add(format_args!("<text class=\"label\" x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">generation</text>"));
    for (row, (curve, value, colour, dashes)) in CURVES.into_iter().enumerate() {
        let points: Vec<_> =
            history.iter().enumerate().map(|(index, line)| (x(index), y(value(summary(line))), line)).collect();
        let path: Vec<_> = points.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        let look = format!("stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"");
        add(format_args!("<polyline class=\"line\" {look} points=\"{path}\"/>"));
        for (x, y, line) in points.iter().filter(|_| history.len() <= MAX_POINTS) {
            let (generation, value) = (line.generation, value(summary(line)));
            add(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"><title>generation {generation}: {curve} {value:.3}</title></circle>"
            ));
        }
        let (from, y) = (right + 12.0, TOP + 12.0 + 20.0 * row as f64);
        let (to, text) = (from + 24.0, from + 30.0);
        add(format_args!("<line class=\"line\" {look} x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>"));
        add(format_args!("<text class=\"label\" x=\"{text}\" y=\"{}\">{curve}</text>", y + 4.0));
    }
    drawing + "</svg>"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::evolve::{Individual, State};
    use crate::games::tubstap::builtin;
    use crate::report::text::check_nesting;

    fn finalists() -> Vec<Finalist> {
        let standing = |wins| Standing { wins, draws: 3, nearness: [1, 2] };
        let mut maps = builtin::maps();
        maps[0].comment = Some("</p><script>alert(\"1\")</script>".into());
        let second = standing([2, 3]);
        (1..).zip(maps).map(|(number, map)| Finalist { map, standing: standing([number, 4]), second }).collect()
    }

    fn individuals() -> Vec<Individual> {
        let individual = |Finalist { map, standing, .. }| Individual { standing, ..Individual::new(map) };
        finalists().into_iter().map(individual).collect()
    }

    fn history(generations: u64) -> Vec<Line> {
        let state = |generation| State {
            generation,
            individuals: individuals(),
            games: 10 * generation,
            seen: BTreeSet::new(),
        };
        (0..generations).map(|generation| Line::of(&state(generation))).collect()
    }

    fn check(page: &str) {
        let (doctype, rest) = page.split_once('\n').unwrap();
        assert_eq!(doctype, "<!doctype html>");
        check_nesting(rest);
        assert!(!page.contains("<script") && !page.contains("://") && !page.contains("url("));
        assert!(!page.contains("@import") && !page.contains("NaN"));
        for attribute in ["src=\"", "href=\""] {
            let mut addresses = page.split(attribute).skip(1);
            assert!(addresses.all(|address| address.starts_with("data:image/svg+xml,%3Csvg")));
        }
    }

    #[test]
    fn reports_of_all_lengths_are_well_formed_and_refer_to_nothing_outside() {
        for plan in [Plan::paper(), Plan::lines()] {
            for generations in [0, 1, 2, 20, 500] {
                let history = history(generations);
                check(&evolution(&plan, &history, None));
                let whole = evolution(&plan, &history, Some(&finalists()));
                check(&whole);
                assert_eq!(whole.matches("<img ").count(), builtin::maps().len());
                assert_eq!(whole.matches("<polyline").count(), 2 * CURVES.len());
                let circles =
                    if generations as usize <= MAX_POINTS { 2 * CURVES.len() * generations as usize } else { 0 };
                assert_eq!(whole.matches("<circle").count(), circles);
            }
            check(&evolution(&plan, &history(3), Some(&[])));
        }
    }

    #[test]
    fn a_report_shows_what_was_measured() {
        let page = evolution(&Plan::lines(), &history(3), Some(&finalists()));
        // One win of Red and four of Blue in eight games.
        assert!(page.contains("<td class=\"n\">8</td><td class=\"n\">0.250 ("), "{page}");
        assert!(page.contains("<td class=\"n\">12.5 (") && page.contains("<td class=\"n\">50.0 ("));
        assert!(page.contains("generation 2: largest 0."));
        assert!(page.contains("The run is finished. Generation 2 of"));
        assert!(!page.contains("Why maps are worth nothing"));
        // Every map has a fitness above 0, and all generations are alike.
        let page = evolution(&Plan::paper(), &history(3), None);
        assert!(page.contains("<p>0.0 (0.0 to "), "{page}");
        assert!(page.contains("In 2 generations before the last it is above 0"), "{page}");
        assert!(page.contains("at least as large in 100.0 (34.2 to 100.0) %, and 0 in 0.0 (0.0 to 65.8) %"), "{page}");
        let census = page.split("class=\"census\"").nth(1).and_then(|rest| rest.split("</table>").next());
        assert_eq!(census.unwrap().matches("<tr>").count(), 1 + 3 + 1);
    }
}
