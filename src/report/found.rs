//! The report of a search for certified maps: one HTML file that needs nothing else, no network and no script.

use std::fmt::Write as _;

use super::catan;
use super::page::{STYLE, as_address};
use super::text::{escape, printable};
use crate::find::{Delivered, LEAST_DIFFERENCE, Run, rules_version};
use crate::games::Game as _;
use crate::games::catan::Catan;
use crate::stats::Interval;

/// The report of a search so far: the maps, what the regression did, the rounds, and the settings.
#[must_use]
pub fn found(run: &Run, delivered: &[Delivered]) -> String {
    let plan = run.plan();
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    let mut line = |text: &str| {
        page.push_str(text);
        page.push('\n');
    };
    line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    line(&format!("<title>Certified maps, seed {}</title>\n<style>{STYLE}</style>\n</head>\n<body>", plan.seed));
    line("<h1>Maps of Catan with equal seats</h1>");
    let ending = if run.is_finished() { "The run is finished." } else { "The run is not finished." };
    let (entered, dropped) = run.entered();
    line(&format!(
        "<p>{ending} {} maps are certified to have a true spread between seats below {} points (e-BH at level {} with room for {} \
         entries, of which {entered} were used and {dropped} dropped). {} games, {} of them fresh. A certificate speaks only for the players \
         that played. Any two maps differ in at least {} % of tiles, tokens and ports.</p>",
        delivered.len(),
        plan.sigma_points,
        plan.level,
        plan.room(),
        run.games(),
        run.fresh_games(),
        100.0 * LEAST_DIFFERENCE
    ));
    if let Some(screened) = run.screened() {
        let of_control = delivered.iter().filter(|one| one.is_control).count();
        line(&format!(
            "<h2>Does the regression help?</h2>\n<p>Of {} random maps it chose {}; by their first games these are {:.2} points apart (tau). \
             {} maps that nobody chose are {:.2} points apart. Of the certified maps {of_control} descend from those.</p>",
            screened.looked_at,
            screened.chosen,
            screened.chosen_tau_points,
            screened.control,
            screened.control_tau_points
        ));
    }
    line(&maps(delivered));
    line("<h2>Rounds</h2>\n<table>\n<tr><th>round</th><th>stage</th>");
    line(
        "<th class=\"n\">left</th><th class=\"n\">of the control</th><th class=\"n\">certified</th><th class=\"n\">waiting</th>",
    );
    line("<th class=\"n\">median spread, points</th><th class=\"n\">games</th></tr>");
    let history = run.history();
    // Certification has hundreds of rounds that look alike.
    let is_shown = |place: usize| {
        history[place].stage != "certification" || place.is_multiple_of(10) || place + 1 == history.len()
    };
    for one in (0..history.len()).filter(|&place| is_shown(place)).map(|place| &history[place]) {
        line(&format!(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td \
             class=\"n\">{:.2}</td><td class=\"n\">{}</td></tr>",
            one.round, one.stage, one.left, one.control, one.certified, one.waiting, one.median_points, one.games
        ));
    }
    line("</table>\n<h2>Settings</h2>\n<table>");
    for (name, value) in [
        ("players", plan.players.join(", ")),
        ("turns at most", plan.turn_cap.to_string()),
        ("random maps looked at", plan.maps.to_string()),
        ("games at most", plan.games.to_string()),
        ("maps wanted", plan.count.to_string()),
        ("bound in points", plan.sigma_points.to_string()),
        ("level", plan.level.to_string()),
        ("seed", plan.seed.to_string()),
        ("rules", rules_version()),
    ] {
        line(&format!("<tr><th>{name}</th><td>{}</td></tr>", escape(&printable(&value, usize::MAX))));
    }
    line("</table>\n</body>\n</html>");
    page
}

/// A table of the maps and their pictures.
fn maps(delivered: &[Delivered]) -> String {
    if delivered.is_empty() {
        return String::new();
    }
    let mut text = String::from("<h2>The maps</h2>\n<table>\n<tr><th>map</th><th class=\"n\">fresh games</th>");
    let seats = Catan::SEATS.iter().map(|seat| format!("{seat} wins %"));
    for head in seats.chain(
        ["spread, points", "de-biased", "true spread, 95 %", "E value", "difference to the nearest"].map(String::from),
    ) {
        let _ = write!(text, "<th class=\"n\">{head}</th>");
    }
    text.push_str("</tr>\n");
    let mut pictures = String::from("<div>\n");
    for (number, one) in (1..).zip(delivered) {
        let stated = &one.certificate;
        let decided = stated.seat_wins.iter().sum::<u64>().max(1) as f64;
        let mut cells = vec![stated.games.to_string()];
        cells.extend(stated.seat_wins.map(|wins| format!("{:.2}", 100.0 * wins as f64 / decided)));
        let (unbiased, Interval { low, high }) = one.estimated_points();
        cells.extend([format!("{:.3}", stated.spread_points), format!("{unbiased:.3}")]);
        cells.extend([format!("{low:.3} to {high:.3}"), format!("{:.1}", stated.e_value)]);
        cells.push(one.nearest.map_or_else(|| "-".into(), |share| format!("{share:.2}")));
        let _ = write!(text, "<tr><td>{number:03}</td>");
        for cell in &cells {
            let _ = write!(text, "<td class=\"n\">{cell}</td>");
        }
        text.push_str("</tr>\n");
        let _ = writeln!(
            pictures,
            "<figure><img width=\"300\" src=\"{}\" alt=\"map {number:03}\"/><figcaption>Map {number:03}: spread {:.3} points in {} \
             games</figcaption></figure>",
            as_address(&catan::svg(&one.map)),
            stated.spread_points,
            stated.games
        );
    }
    text + "</table>\n" + &pictures + "</div>"
}
