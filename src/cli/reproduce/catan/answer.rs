//! The answer to what the paper left open.

use fairground::papers::catan::census::Side;
use fairground::papers::catan::trial::{Chooser, Trial};
use fairground::papers::catan::{Figure, Ranking};
use fairground::stats::Interval;

use super::tables::{MOST_POINTS, beyond_chance, over, points, record, written};
use super::{Certified, Document, Findings, Part, Session};

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
            let means =
                |pick: fn(&Trial) -> &Vec<f64>| over(repetitions, MOST_POINTS, |one| points(pick(&one.trials[place])));
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
            let (players, games, ceiling) = (of.kind.name(), of.short.games, rankings.ceiling);
            document.records.push(record("answer", "ceiling of rank correlations", players, games, ceiling, None));
            let mut told = Vec::new();
            for (name, Ranking { correlation, p }) in
                both.into_iter().filter_map(|(name, ranking)| Some((name, ranking?)))
            {
                let interval = Some([correlation.interval.low, correlation.interval.high]);
                let title = format!("rank correlation of the {name}");
                document.records.push(record("answer", &title, players, games, correlation.mean, interval));
                let title = format!("permutation p of the {name}");
                document.records.push(record("answer", &title, players, games, p, None));
                told.push((name, correlation, p));
            }
            let is_apart = of.short.tau_points(self.args.seed).interval.low > 0.0;
            sentences.extend(of_rankings(&told, is_apart, ceiling, players, [maps, of.short.maps.len() - maps]));
        }
        sentences.extend(of_certified(&findings.certified, self.args.sigma));
        document.parts.push(Part::Heading("Answer".into()));
        document.parts.push(Part::Lines(vec![sentences.join(" ")]));
    }
}

/// How scores rank maps that they were not learned from, if there is anything to rank.
fn of_rankings(
    told: &[(&str, Figure, f64)],
    is_apart: bool,
    ceiling: f64,
    players: &str,
    [learned, ranked]: [usize; 2],
) -> Option<String> {
    let each = told.iter().map(|&(name, correlation, p)| {
        let verdict = if is_apart { format!(", {}", against(correlation, 0.0)) } else { String::new() };
        format!("{name} {} with p = {p:.4}{verdict}", written(correlation, 2))
    });
    let each = each.collect::<Vec<_>>().join("; ");
    let correlations = format!(
        "learned from {learned} maps, the rank correlation of a score with the variance between seats of {ranked} others, of at most about \
         {ceiling:.2}, is: {each}."
    );
    match (told.is_empty(), is_apart) {
        (true, _) => None,
        (false, true) => Some(format!("Under {players} players, {correlations}")),
        (false, false) => Some(format!(
            "Under {players} players there is nothing to rank: the games show no difference between maps, so that no method could succeed or \
             fail; {correlations}"
        )),
    }
}

/// What certificates under one kind of player say about other kinds.
fn of_certified(certified: &[Certified], sigma: f64) -> Vec<String> {
    let mut sentences = Vec::new();
    for of in certified {
        let name = of.under.name();
        if of.maps == 0 {
            sentences.push(format!(
                "No map was certified below {sigma} points under {name} players, so that nothing can be said about others there."
            ));
            continue;
        }
        let mut told = Vec::new();
        for (kind, census) in of.played.iter().filter(|(kind, _)| *kind != of.under) {
            let judged = census.judged(sigma);
            let count = |side: Side| judged.iter().filter(|one| one.side == side).count();
            let mean = census.mean_spread_points().map_or_else(String::new, |mean| written(mean, 2));
            told.push(format!(
                "under {} players {} of {} are below {sigma} with 95 % probability and {} above, {mean} points in the mean",
                kind.name(),
                count(Side::Below),
                of.maps,
                count(Side::Above)
            ));
        }
        sentences.push(format!("Of maps certified below {sigma} points under {name} players, {}.", told.join("; ")));
    }
    if certified.is_empty() {
        sentences.push(
            "No maps were to be certified, so that nothing can be said about certificates under other players.".into(),
        );
    } else {
        sentences.push("A certificate speaks for the players that played.".into());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::games::catan::Strategy;
    use fairground::papers::catan::census::Census;

    #[test]
    fn where_maps_do_not_differ_no_method_is_said_to_fail() {
        let correlation = Figure { mean: 0.02, interval: Interval { low: -0.1, high: 0.14 } };
        let told = [("signed ridge", correlation, 0.31)];
        let nothing = of_rankings(&told, false, 0.01, "random", [50, 50]).expect("a sentence");
        assert!(nothing.starts_with("Under random players there is nothing to rank"), "{nothing}");
        assert!(nothing.contains("at most about 0.01") && !nothing.contains("chance"), "{nothing}");
        let something = of_rankings(&told, true, 0.99, "heuristic", [50, 50]).expect("a sentence");
        assert!(something.contains("p = 0.3100, not told apart from chance"), "{something}");
        assert_eq!(of_rankings(&[], true, 0.5, "random", [50, 50]), None);
    }

    #[test]
    fn certificates_are_told_with_counts_and_intervals_and_their_absence_too() {
        let played = |wins: [u64; 4]| Census { maps: Vec::new(), wins: vec![wins, [50_000; 4]], games: 200_000 };
        let of = Certified {
            under: Strategy::Heuristic,
            maps: 2,
            played: vec![
                (Strategy::Heuristic, played([50_000; 4])),
                (Strategy::Random, played([52_000, 50_000, 49_000, 49_000])),
            ],
        };
        let none = Certified { under: Strategy::Random, maps: 0, played: Vec::new() };
        let sentences = of_certified(&[of, none], 0.28);
        let first = "under random players 1 of 2 are below 0.28 with 95 % probability and 1 above, ";
        assert!(sentences[0].contains(first) && sentences[0].contains(" to "), "{sentences:?}");
        assert!(
            sentences[1].starts_with("No map was certified below 0.28 points under random players"),
            "{sentences:?}"
        );
        assert!(of_certified(&[], 0.28)[0].starts_with("No maps were to be certified"));
    }
}
