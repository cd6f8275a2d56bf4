//! What becomes of the paper's claims, and a paragraph on why it fails.

use fairground::evolve::census::{Census, Nothing};
use fairground::papers::evolution::trial::{Curves, censuses};
use fairground::papers::evolution::why::{Change, Worth, inheritance};
use fairground::papers::evolution::{HIGH_PEAK, SETTINGS};
use fairground::stats::{self, Interval};

use super::tables::{difference, figure, share};
use super::{Document, Findings, Part, Session};
use crate::cli::reproduce::tubstap::percent;

/// A mean below this is near 0.
const NEAR_ZERO: f64 = 0.1;

/// Whether a claim that a figure is above a limit is borne out.
fn above(interval: Interval, limit: f64) -> &'static str {
    match () {
        () if interval.low > limit => "holds here",
        () if interval.high < limit => "does not hold here",
        () => "is not decided here",
    }
}

fn below(interval: Interval, limit: f64) -> &'static str {
    above(Interval { low: -interval.high, high: -interval.low }, -limit)
}

impl Session<'_> {
    /// One sentence for each claim.
    pub fn add_claims(&self, document: &mut Document, findings: &[Findings]) {
        let curves: Vec<_> = findings.iter().map(|of| Curves::of(&of.trials(), HIGH_PEAK)).collect();
        let mut lines = Vec::new();
        for (curves, setting) in curves.iter().zip(&SETTINGS).filter(|(curves, _)| curves.generations > 0) {
            let name = setting.name;
            let is_nothing = curves.smallest == 0.0;
            lines.push(format!(
                "\"The mean and the smallest fitness stay near 0\" ({name}) {}: the mean is {}, and the smallest is {} in every \
                 generation.",
                if is_nothing { below(curves.mean.interval(), NEAR_ZERO) } else { "does not hold here" },
                figure(curves.mean),
                if is_nothing { "0".to_owned() } else { format!("up to {:.3}", curves.smallest) },
            ));
            lines.push(format!(
                "\"In most generations the largest fitness is 0\" ({name}) {}: in {} % of {} generations.",
                above(stats::wilson(curves.barren, curves.generations), 0.5),
                share(curves.barren, curves.generations),
                curves.generations,
            ));
            let heirs = &curves.heirs;
            lines.push(if heirs.generations == 0 {
                format!("\"A large fitness is not inherited\" ({name}) cannot be told: no generation before the last has one.")
            } else {
                format!(
                    "\"A large fitness is not inherited\" ({name}) {}: of {} generations with a largest fitness above 0, {:.3} in the \
                     mean, {} % are followed by one at least as high and {} % by one of 0; the mean of those after is {:.3}.",
                    below(stats::wilson(heirs.kept, heirs.generations), 0.5),
                    heirs.generations,
                    heirs.means[0],
                    share(heirs.kept, heirs.generations),
                    share(heirs.lost, heirs.generations),
                    heirs.means[1],
                )
            });
        }
        if let [all_kinds, no_aircraft, muct] = &curves[..] {
            if all_kinds.generations.min(no_aircraft.generations) > 0 {
                let more = no_aircraft.largest.less(all_kinds.largest);
                lines.push(format!(
                    "\"Without aircraft fitness is somewhat higher\" {}: the difference is {} for the largest fitness of a generation and {} for \
                     that of all maps. It is above {HIGH_PEAK} in {} % of generations without aircraft and in {} % with all kinds; the \
                     paper has such peaks in two generations of 30 without aircraft and in none with all kinds.",
                    above(more.interval(), 0.0),
                    difference(more),
                    difference(no_aircraft.mean.less(all_kinds.mean)),
                    share(no_aircraft.high, no_aircraft.generations),
                    share(all_kinds.high, all_kinds.generations),
                ));
            }
            if let Some([low, high]) = SETTINGS[2].peaks.filter(|_| muct.generations > 0) {
                let verdict = match muct.peak {
                    peak if peak > high => "does not hold here, there are higher ones",
                    peak if peak < low => "does not hold here, there are none so high",
                    _ => "holds here",
                };
                lines.push(format!(
                    "\"M-UCT has maxima from {low} to {high}\" {verdict}: the largest of all is {:.3}, that of a generation {} in the mean.",
                    muct.peak,
                    figure(muct.largest),
                ));
            }
        }
        document.parts.push(Part::Heading("The paper's claims".into()));
        document.parts.push(Part::Lines(lines));
        let why: Vec<_> = findings.iter().enumerate().filter_map(|(setting, of)| paragraph(setting, of)).collect();
        document.parts.push(Part::Heading("Why it fails, in short".into()));
        document.parts.push(Part::Lines(why));
    }
}

/// Why the paper's method fails in a setting.
fn paragraph(setting: usize, of: &Findings) -> Option<String> {
    let censuses = censuses(&of.trials());
    let all = censuses.iter().fold(Census::default(), |all, more| all.and(more));
    let (first, last) = (censuses.first()?, censuses.last()?);
    if all.maps == 0 {
        return None;
    }
    let reasons = Nothing::ALL
        .into_iter()
        .zip(all.nothing)
        .map(|(why, count)| format!("{} {:.0} %", why.name(), 100.0 * stats::rate(count, all.maps)));
    let units = |census: &Census| {
        let [red, blue] = census.units.map(|units| stats::rate(units, census.maps));
        format!("{red:.2} and {blue:.2}")
    };
    let mut text = format!(
        "{}: {} % of {} maps have fitness 0 ({}). Units that take part are {} in the first generation and {} in the last.",
        SETTINGS[setting].name,
        share(all.zeros(), all.maps),
        all.maps,
        reasons.collect::<Vec<_>>().join(", "),
        units(first),
        units(last),
    );
    let told = |worth: &Worth| format!("{}, {} % of them 0", figure(worth.mean()), percent(worth.share_of_zeros()));
    if let Some([before, after]) = of.luck.as_ref().filter(|[before, _]| before.maps() > 0) {
        text +=
            &format!(" Maps with a positive fitness of {} have {} in fresh games.", figure(before.mean()), told(after));
    }
    let [best, children] = inheritance(&of.trials());
    if children.maps() > 0 {
        text += &format!(
            " Children of the best map of a generation, of {}, have {}.",
            figure(best.mean()),
            told(&children)
        );
    }
    let changes: Vec<_> = Change::ALL.into_iter().zip(&of.changes).filter(|(_, worth)| worth.maps() > 0).collect();
    for (change, worth) in changes {
        text += &format!(" Good maps after {}: {}.", change.name(), told(worth));
    }
    Some(text)
}
