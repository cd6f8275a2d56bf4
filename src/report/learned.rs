//! The report of a course of learning: one HTML file that needs nothing else, no network and no script.

use std::fmt::Write as _;

use super::catan;
use super::page::{STYLE, as_address};
use super::text::{escape, printable};
use crate::learn::course::{Origin, Taken};
use crate::learn::run::{Run, rules_version};
use crate::stats::seats::{debiased_spread, spread};

/// The report of a course so far: the steps, and a picture of each map that was chosen.
#[must_use]
pub fn learned(run: &Run) -> String {
    let plan = run.plan();
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    let mut line = |text: &str| {
        page.push_str(text);
        page.push('\n');
    };
    line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    line(&format!("<title>Learning balance, seed {}</title>\n<style>{STYLE}</style>\n</head>\n<body>", plan.seed));
    line("<h1>Learning which maps are balanced</h1>");
    line(&format!("<p>{} of {} steps.</p>\n<h2>Steps</h2>\n<table>", run.taken().len(), plan.steps));
    line(
        "<tr><th>step</th><th class=\"n\">labelled</th><th class=\"n\">balanced</th><th class=\"n\">threshold, points</th>",
    );
    line("<th class=\"n\">prior</th><th class=\"n\">eta</th><th class=\"n\">lambda</th>");
    line("<th class=\"n\">good confirmed</th><th class=\"n\">bad confirmed</th></tr>");
    for taken in run.taken() {
        let [good, bad] = [taken.good, taken.bad].map(|[right, all]| format!("{right} of {all}"));
        let cells = [
            taken.labelled.to_string(),
            taken.balanced.to_string(),
            format!("{:.2}", taken.threshold_points),
            number(taken.prior.map(|prior| prior.value), 3),
            number(taken.eta, 1),
            number(taken.lambda, 3),
            good,
            bad,
        ];
        let cells: String = cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        line(&format!("<tr><td>{}</td>{cells}</tr>", taken.step));
    }
    line("</table>");
    for note in run.taken().iter().filter_map(Taken::note) {
        line(&format!("<p>{}</p>", escape(&note)));
    }
    let labels = run.labels();
    for step in 0..=run.taken().len() {
        let title = if step == 0 { "The first maps".into() } else { format!("Maps chosen in step {step}") };
        line(&format!("<h2>{title}</h2>\n<div>"));
        for (index, member) in run.members().iter().enumerate().filter(|(_, member)| member.step == step) {
            let [seen, unbiased] = [spread, debiased_spread].map(|of| 100.0 * of(&member.wins, plan.games));
            let mut caption = escape(&printable(&member.name, 60));
            if let Some(score) = member.score {
                let word = if member.origin == Origin::Good { "balanced" } else { "unbalanced" };
                let _ = write!(caption, ": called {word} ({score:.3}");
                if let Some(distance) = member.distance {
                    let _ = write!(caption, ", distance {distance:.3}");
                }
                caption.push(')');
            }
            let label = match labels.as_ref().map(|groups| groups.is_low[index]) {
                Some(true) => "balanced",
                Some(false) => "unbalanced",
                None => "without a label",
            };
            let _ = write!(caption, "; {label}, spread {seen:.2} points, without chance {unbiased:.2}");
            let picture = as_address(&catan::svg(&member.map));
            line(&format!(
                "<figure><img width=\"300\" src=\"{picture}\" alt=\"\"/><figcaption>{caption}</figcaption></figure>"
            ));
        }
        line("</div>");
    }
    line("<h2>Settings</h2>\n<table>");
    let first = [
        ("players", plan.players.join(", ")),
        ("turns at most", plan.turn_cap.to_string()),
        ("games of each map", plan.games.to_string()),
        ("steps", plan.steps.to_string()),
        ("maps scored in each step", plan.maps.to_string()),
        ("maps chosen from either end", plan.chosen.to_string()),
    ];
    let last = [("seed", plan.seed.to_string()), ("rules", rules_version())];
    for (name, value) in first.into_iter().chain(plan.method.described()).chain(last) {
        line(&format!("<tr><th>{name}</th><td>{}</td></tr>", escape(&printable(&value, usize::MAX))));
    }
    line("</table>\n</body>\n</html>");
    page
}

/// A number in so many digits, if there is one.
fn number(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(|| "-".into(), |number| format!("{number:.digits$}"))
}
