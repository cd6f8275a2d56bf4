//! Tables 1 and 2 of the report.

use fairground::papers::tubstap::claims::{self, Scores};
use fairground::papers::tubstap::matches::Played;
use fairground::papers::tubstap::{PAIRS, Results, Row, shares};

use super::figures::{Figure, Of, p_value, percent, seat, signed, with_interval};
use super::{Document, Part, Session, grouped};

const MATCH_HEADS: [&str; 11] = [
    "pruning",
    "map",
    "of",
    "moves",
    "games",
    "wins %",
    "losses %",
    "draws %",
    "paper: games",
    "wins / losses / draws %",
    "p",
];

const SCORE_HEADS: [&str; 10] =
    ["pruning", "map", "of", "first", "M-UCT (z)", "second", "M-UCT (z)", "both seats", "paper", "z"];

impl Session<'_> {
    /// Tables 1 and 2; returns what they say of the claims.
    pub fn add_matches(&self, document: &mut Document, played: &Played) -> Vec<String> {
        document.parts.push(Part::Heading("M-UCT against itself".into()));
        let rows = played.baseline.iter().zip(&self.maps).zip(1..).map(|((results, chosen), number)| {
            let mut cells = vec![number.to_string(), chosen.name.clone(), grouped(results.games())];
            cells.extend(shares(*results).map(percent));
            cells
        });
        let heads = ["map", "played on", "games", "first wins %", "second wins %", "draw %"];
        document.parts.push(Part::table(&heads, rows.collect()));

        document.parts.push(Part::Heading("Tables 1 and 2: the pruned player against M-UCT".into()));
        let rows = PAIRS.iter().flatten().zip(played.pruned.iter().flatten());
        document.parts.push(Part::table(&MATCH_HEADS, rows.map(|(row, own)| self.match_row(row, *own)).collect()));
        document.parts.push(Part::Lines(vec![
            "p: how likely results at least as different are if both programs play alike (chi-square test of wins, losses and \
             draws)."
                .into(),
        ]));

        document.parts.push(Part::Heading("Score of the pruned player, and of M-UCT in the same seat".into()));
        let scores = [Scores::of(&played.pruned), Scores::of_paper()];
        let rows = (0..PAIRS.len()).map(|pair| self.score_row(pair, played, &scores)).collect();
        document.parts.push(Part::table(&SCORE_HEADS, rows));
        document.parts.push(Part::Lines(vec![
            "Score: wins and half of the draws, with the difference from M-UCT against itself in standard errors. Over both \
             seats it is 0.5 on any map if pruning changes nothing, also in the paper, which has no games of M-UCT against \
             itself."
                .into(),
        ]));

        for (map, results) in played.baseline.iter().enumerate() {
            let of = Of { table: "baseline", map, ..self.of_games() };
            self.add_results(document, &of, *results, None);
        }
        for ((pair, own), index) in PAIRS.iter().zip(&played.pruned).zip(0..) {
            for (row, own) in pair.iter().zip(own) {
                let of = Of { seat: Some(row.seat), ..self.of_row(row) };
                self.add_results(document, &of, *own, self.maps[row.map].is_papers.then_some(row.paper));
            }
            let of = self.of_row(&pair[0]);
            let [score, theirs] = scores.each_ref().map(|scores| scores.scores[index]);
            let paper_games = pair.iter().map(|row| row.paper.games()).sum();
            let paper = of.is_papers(self).then_some((paper_games, theirs));
            let games = own.iter().map(|own| own.games()).sum();
            let figure = Figure { paper, ..Figure::new("score of both seats", games, score) };
            document.records.push(self.record(&of, &figure));
        }
        let mut claims = claims::of_matches(played);
        claims.extend(claims::of_rows(played, self.is_papers()));
        claims
    }

    fn match_row(&self, row: &Row, own: Results) -> Vec<String> {
        let mut cells = vec![
            row.experiment.name().into(),
            (row.map + 1).to_string(),
            row.kind.name().into(),
            seat(row.seat).into(),
            grouped(own.games()),
        ];
        cells.extend(shares(own).map(percent));
        if self.maps[row.map].is_papers {
            let paper = shares(row.paper).map(|(rate, _)| format!("{:.1}", 100.0 * rate));
            cells.extend([grouped(row.paper.games()), paper.join(" / "), p_value(own.agreement(row.paper))]);
        } else {
            cells.extend(["-"; 3].map(String::from));
        }
        cells
    }

    fn score_row(&self, pair: usize, played: &Played, [own, paper]: &[Scores; 2]) -> Vec<String> {
        let rows = &PAIRS[pair];
        let mut cells =
            vec![rows[0].experiment.name().into(), (rows[0].map + 1).to_string(), rows[0].kind.name().into()];
        for (row, results) in rows.iter().zip(played.pruned[pair]) {
            let baseline = played.baseline_of(row).score();
            let difference = results.score().less(baseline);
            cells.push(format!("{:.3}", results.score().value));
            cells.push(format!("{:.3} ({})", baseline.value, signed(difference.z(0.0))));
        }
        cells.push(with_interval(own.scores[pair]));
        if self.maps[rows[0].map].is_papers {
            let theirs = paper.scores[pair];
            cells.push(with_interval(theirs));
            cells.push(signed(own.scores[pair].less(theirs).z(0.0)));
        } else {
            cells.extend(["-"; 2].map(String::from));
        }
        cells
    }
}
