//! The answer to what the paper left open.

use fairground::games::catan::Strategy;
use fairground::papers::catan::Figure;
use fairground::papers::catan::trial::{Chooser, Trial};
use fairground::stats::Interval;
use fairground::stats::seats::debiased_spread;

use super::tables::{MOST_POINTS, beyond_chance, ends, of_kind, over, points, record, written};
use super::{Document, Findings, Part, SIGMA, Session};

/// What a figure says about a value that stands for chance, if more is better.
fn against(figure: Figure, chance: f64) -> &'static str {
    match () {
        () if figure.interval.low > chance => "better than chance",
        () if figure.interval.high < chance => "worse than chance",
        () => "not told apart from chance",
    }
}

/// The same with the other sign.
const fn negative(figure: Figure) -> Figure {
    let Interval { low, high } = figure.interval;
    Figure { mean: -figure.mean, interval: Interval { low: -high, high: -low } }
}

impl Session<'_> {
    /// One paragraph with numbers and intervals.
    pub fn add_answer(&self, document: &mut Document, findings: &Findings) {
        let mut sentences = Vec::new();
        for of in &findings.kinds {
            let (tau, name) = (of.short.tau_points(self.args.seed), of.kind.name());
            let interval = [tau.interval.low, tau.interval.high];
            document.records.push(record("answer", "tau", name, of.short.games, tau.mean, Some(interval)));
            sentences.push(format!("Under {name} players random maps are {} points apart (tau).", written(tau, 2)));
        }
        let repetitions = &findings.repetitions;
        for (place, chooser) in Chooser::ALL.into_iter().enumerate() {
            let Some(figure) = over(repetitions, 1.0, |one| one.trials[place].right_order()) else { continue };
            let means = |pick: fn(&Trial) -> &Vec<f64>| {
                over(repetitions, MOST_POINTS, |one| points(pick(&one.trials[place])))
            };
            let (good, bad) = (means(|trial| &trial.good), means(|trial| &trial.bad));
            let [good, bad] = [good, bad].map(|figure| figure.map_or_else(String::new, |figure| written(figure, 2)));
            if chooser == Chooser::Chance {
                sentences.push(format!("Chosen at random they have {good} and {bad} points."));
                continue;
            }
            sentences.push(format!(
                "In the paper's loop the {} puts a map it calls balanced before one it calls unbalanced in {} of pairs, which is {}; the former \
                 have a true spread of {good} points, the latter {bad}.",
                chooser.name(),
                written(figure, 3),
                against(figure, 0.5)
            ));
            if let Some(difference) = beyond_chance(repetitions, place, 0) {
                // Less spread is better.
                let gain = negative(difference);
                let verdict = against(gain, 0.0);
                sentences.push(format!(
                    "Maps it calls balanced have {} points less than those of random choice, which is {verdict}.",
                    written(gain, 2)
                ));
            }
        }
        for of in &findings.kinds {
            let Some(rankings) = &of.rankings else { continue };
            let maps = of.short.maps.len() / 2;
            let both = [
                (Chooser::Classifier.name(), rankings.classifier),
                (Chooser::Regression.name(), rankings.regression),
                ("ridge on the set-up", rankings.opening),
            ];
            let mut told = Vec::new();
            for (name, figure) in both.into_iter().filter_map(|(name, figure)| Some((name, figure?))) {
                let interval = Some([figure.interval.low, figure.interval.high]);
                let title = format!("rank correlation of the {name}");
                document.records.push(record("answer", &title, of.kind.name(), of.short.games, figure.mean, interval));
                told.push(format!("{name} {}, {}", written(figure, 2), against(figure, 0.0)));
            }
            if !told.is_empty() {
                sentences.push(format!(
                    "Learned from {maps} maps of {} players, the rank correlation of a score with the variance between seats of {} others is: {}.",
                    of.kind.name(),
                    of.short.maps.len() - maps,
                    told.join("; ")
                ));
            }
        }
        for of in findings.certified.iter().filter(|of| of.maps > 0) {
            let mut told = Vec::new();
            for kind in super::KINDS.into_iter().filter(|kind| *kind != of.under) {
                let Some(census) = of_kind(&of.played, kind) else { continue };
                let each: Vec<f64> =
                    census.wins.iter().map(|wins| 100.0 * debiased_spread(wins, census.games)).collect();
                let [low, high] = ends(&each);
                told.push(format!("{low:.2} to {high:.2} under {}", kind.name()));
            }
            sentences.push(format!(
                "The {} maps certified below {SIGMA} points under {} have a de-biased spread of {} players.",
                of.maps,
                of.under.name(),
                told.join(" and ")
            ));
        }
        let differ = |under: Strategy, other: Strategy| {
            let of = findings.certified.iter().find(|of| of.under == under && of.maps > 0)?;
            let census = of_kind(&of.played, other)?;
            Some(points(&census.variances()) < SIGMA)
        };
        let to_random = differ(Strategy::Heuristic, Strategy::Random);
        let to_heuristic = differ(Strategy::Random, Strategy::Heuristic);
        if let (Some(to_random), Some(to_heuristic)) = (to_random, to_heuristic) {
            let carries = |does: bool| if does { "holds" } else { "does not hold" };
            sentences.push(format!(
                "So a certificate under heuristic players {} under random ones in the mean, and one under random players {} under heuristic ones: it speaks \
                 for the players that played.",
                carries(to_random),
                carries(to_heuristic)
            ));
        }
        document.parts.push(Part::Heading("Answer".into()));
        document.parts.push(Part::Lines(vec![sentences.join(" ")]));
    }
}
