//! What becomes of the thesis' claims: one sentence each.

use super::agreement::{Agreement, BINS};
use super::experiments::{Experiment, TESTED};
use crate::papers::tubstap::Estimate;
use crate::players::catan::negotiation::decide::Function;
use crate::players::catan::negotiation::measures::Results;
use crate::stats::{self, Interval};

/// An experiment and what came of it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The experiment.
    pub experiment: Experiment,
    /// The games.
    pub results: Results,
}

/// What four equal players win.
const FAIR: f64 = 0.25;

impl Cell {
    /// The tested player's wins as a share, with one win and one loss more for the error, so that few games do not look
    /// certain.
    #[must_use]
    pub fn wins(&self) -> Estimate {
        share(self.results.players[0].all_wins(), self.results.games())
    }

    /// Its 95 % interval.
    #[must_use]
    pub fn interval(&self) -> Interval {
        stats::wilson(self.results.players[0].all_wins(), self.results.games())
    }

    /// Success of the tested player's proposals over its acceptance of others'; NaN if there were none.
    #[must_use]
    pub fn quotient(&self) -> f64 {
        let tested = &self.results.players[0];
        let quotient = tested.success.rate() / tested.acceptance.rate();
        if quotient.is_finite() { quotient } else { f64::NAN }
    }
}

fn share(part: u64, whole: u64) -> Estimate {
    let careful = (part as f64 + 1.0) / (whole as f64 + 2.0);
    Estimate { value: stats::rate(part, whole), error: (careful * (1.0 - careful) / whole as f64).sqrt() }
}

/// Whether something is above a limit.
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

fn percent(figure: f64, interval: Interval) -> String {
    format!("{:.1} [{:.1},{:.1}] %", 100.0 * figure, 100.0 * interval.low, 100.0 * interval.high)
}

fn wins(cell: &Cell) -> String {
    percent(cell.wins().value, cell.interval())
}

fn difference(figure: Estimate) -> String {
    let Interval { low, high } = figure.interval();
    format!("{:+.1} [{:+.1},{:+.1}] points", 100.0 * figure.value, 100.0 * low, 100.0 * high)
}

fn found<'a>(cells: &'a [Cell], figure: u8, name: &str) -> Option<&'a Cell> {
    cells
        .iter()
        .find(|cell| cell.experiment.figure == figure && cell.experiment.name == name && cell.results.games() > 0)
}

/// What figure 8 says.
#[must_use]
pub fn of_proposers(cells: &[Cell]) -> Vec<String> {
    let mut claims = Vec::new();
    let mut fair = |name: &str, claim: &str, verdict: fn(Interval, f64) -> &'static str| {
        if let Some(cell) = found(cells, 8, name) {
            let thesis = cell.experiment.thesis.wins;
            claims.push(format!(
                "\"{claim}\" {}: it wins {}, where 25 % is fair and the thesis has {thesis} %.",
                verdict(cell.interval(), FAIR),
                wins(cell)
            ));
        }
    };
    fair("rules, 1:1, against accept-all", "Proposals by rules beat those who accept everything", above);
    fair("rules, 1:1, against random", "Proposals by rules beat random ones", above);
    fair("rules, 2:1, against accept-all", "Proposals of two cards for one beat those who accept everything", above);
    // That nothing is gained cannot be shown, only that something is.
    let no_more = |interval: Interval, limit| match above(interval, limit) {
        "holds here" => "does not hold here",
        _ => "is not contradicted here",
    };
    fair(
        "100 playouts against accept-all",
        "Proposals by 100 playouts gain nothing against those who accept everything",
        no_more,
    );
    fair("100 playouts against random", "Proposals by 100 playouts gain nothing against random ones", no_more);
    let pair = found(cells, 8, "rules, 1:1, against accept-all").zip(found(cells, 8, "rules, 2:1, against accept-all"));
    if let Some((one, two)) = pair {
        let less = one.wins().less(two.wins());
        claims.push(format!(
            "\"Two for one gains less than one for one\" {}: {} between them (in the thesis +5.5).",
            above(less.interval(), 0.0),
            difference(less)
        ));
    }
    claims
}

/// What figures 12 to 17 say.
#[must_use]
pub fn of_functions(cells: &[Cell]) -> Vec<String> {
    let mut claims = Vec::new();
    let row = |figure: u8| -> Vec<&Cell> {
        TESTED.iter().filter_map(|function| found(cells, figure, function.name())).collect()
    };
    let mut first = |figure: u8, function: Function, claim: &str| {
        let cells = row(figure);
        let Some(own) = cells.iter().find(|cell| cell.experiment.function == function) else { return };
        let others = cells.iter().filter(|cell| cell.experiment.function != function);
        let Some(best) = others.max_by(|one, other| one.wins().value.total_cmp(&other.wins().value)) else { return };
        let more = own.wins().less(best.wins());
        claims.push(format!(
            "\"{claim}\" (figure {figure}) {}: {} wins {}, the best of the others, {}, {}; {} between them.",
            above(more.interval(), 0.0),
            function.name(),
            wins(own),
            best.experiment.name,
            wins(best),
            difference(more)
        ));
    };
    first(12, Function::ProfitFirst, "Profit-first wins most where all accept what is profitable");
    first(13, Function::Sum, "The sum wins most among optimists");
    first(15, Function::Sum, "The sum wins most against optimistic selfish players");
    if let Some(cell) = found(cells, 12, Function::AcceptFirst.name()) {
        claims.push(format!(
            "\"Accept-first gives too much away to win a quarter\" (figure 12) {}: it wins {} (thesis 23.7).",
            below(cell.interval(), FAIR),
            wins(cell)
        ));
    }
    if let Some((gloomy, bright)) = found(cells, 16, Function::Sum.name()).zip(found(cells, 15, Function::Sum.name())) {
        let less = gloomy.wins().less(bright.wins());
        let [success, before] = [gloomy, bright].map(|cell| cell.results.players[0].success);
        claims.push(format!(
            "\"Pessimists punish the sum\" (figures 15 and 16) {}: {} from optimists to pessimists, and success of its proposals \
             falls from {} to {} (thesis -10.3 points, 88.2 to 37.8 %).",
            below(less.interval(), 0.0),
            difference(less),
            percent(before.rate(), before.interval()),
            percent(success.rate(), success.interval()),
        ));
    }
    if let Some(cell) = found(cells, 12, Function::Sum.name()) {
        let others = [Function::AcceptFirst, Function::Product].map(|function| found(cells, 12, function.name()));
        let are_certain = others.iter().flatten().all(|cell| cell.results.players[0].success.rate() >= 1.0);
        let success = cell.results.players[0].success;
        claims.push(format!(
            "\"Where all judge alike, only the sum proposes what is refused\" (figure 12) {}: accept-first and product succeed {}, the \
             sum in {} (thesis 82.3 %).",
            if are_certain { above(Interval { low: 1.0 - success.interval().high, high: 1.0 }, 0.0) } else { "does not hold here" },
            if are_certain { "always" } else { "not always" },
            percent(success.rate(), success.interval()),
        ));
    }
    claims.extend(of_quotients(cells));
    claims
}

/// What figure 17 says.
fn of_quotients(cells: &[Cell]) -> Option<String> {
    let points: Vec<(f64, f64)> = cells
        .iter()
        .filter(|cell| (12..=16).contains(&cell.experiment.figure))
        .map(|cell| (cell.quotient(), cell.wins().value))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    let correlation = correlation(&points)?;
    let n = points.len() as f64;
    // Fisher's transformation.
    let (centre, reach) = (correlation.atanh(), 1.96 / (n - 3.0).sqrt());
    let interval = Interval { low: (centre - reach).tanh(), high: (centre + reach).tanh() };
    Some(format!(
        "\"The more one's proposals succeed and the fewer one accepts, the more one wins\" (figure 17) {}: over {} experiments the \
         correlation of wins with success over acceptance is {correlation:.2} [{:.2},{:.2}].",
        above(interval, 0.0),
        points.len(),
        interval.low,
        interval.high,
    ))
}

/// Pearson's correlation; none for fewer than four points or without any spread.
#[must_use]
pub fn correlation(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|point| of(point.0 - x, point.1 - y)).sum::<f64>();
    let value = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (points.len() > 3 && value.is_finite()).then_some(value)
}

/// A leader below this win rate is not far ahead, and one above the other is.
const CLOSE: f64 = 0.4;
const FAR: f64 = 0.7;

/// What figures 9 to 11 say: agreement for numbers of playouts, in rising order.
#[must_use]
pub fn of_agreement(found: &[(u32, Agreement)]) -> Vec<String> {
    let mut claims = Vec::new();
    let same = |agreement: &Agreement| share(agreement.same, agreement.both);
    let found: Vec<_> = found.iter().filter(|(_, agreement)| agreement.both > 0).collect();
    for pair in found.windows(2) {
        let [(few, one), (many, other)] = pair else { continue };
        let more = same(other).less(same(one));
        claims.push(format!(
            "\"More playouts agree more with the rules\" {}: {} from {few} to {many} playouts, of negotiations in which both \
             propose{}.",
            above(more.interval(), 0.0),
            difference(more),
            if (*few, *many) == (100, 1000) { " (thesis +7.9)" } else { "" },
        ));
    }
    for (playouts, agreement) in &found {
        let bins = |is_in: &dyn Fn(usize) -> bool| {
            let bins = agreement.by_leader.iter().enumerate().filter(|(bin, _)| is_in(*bin));
            bins.fold([0, 0], |sum, (_, bin)| [sum[0] + bin[0], sum[1] + bin[1]])
        };
        let at = |limit: f64| (limit * BINS as f64).round() as usize;
        let [close, far] = [bins(&|bin| bin < at(CLOSE)), bins(&|bin| bin >= at(FAR))];
        if close[0] == 0 || far[0] == 0 {
            continue;
        }
        let less = share(far[1], far[0]).less(share(close[1], close[0]));
        claims.push(format!(
            "\"Agreement falls when an opponent leads\" ({playouts} playouts) {}: {} from leaders below 40 % to leaders above 70 %.",
            below(less.interval(), 0.0),
            difference(less)
        ));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_those_of_known_points() {
        let line: Vec<_> = (0..5).map(|x| (f64::from(x), 2.0 * f64::from(x) + 1.0)).collect();
        assert!((correlation(&line).unwrap() - 1.0).abs() < 1e-12);
        let falling: Vec<_> = line.iter().map(|&(x, y)| (x, -y)).collect();
        assert!((correlation(&falling).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&line[..3]), None);
        assert_eq!(correlation(&[(1.0, 1.0); 5]), None);
    }

    #[test]
    fn verdicts_follow_the_intervals() {
        let interval = Interval { low: 0.3, high: 0.4 };
        assert_eq!(above(interval, 0.25), "holds here");
        assert_eq!(above(interval, 0.5), "does not hold here");
        assert_eq!(above(interval, 0.35), "is not decided here");
        assert_eq!(below(interval, 0.5), "holds here");
        assert_eq!(below(interval, 0.25), "does not hold here");
    }

    #[test]
    fn agreement_that_rises_and_falls_is_told() {
        let few = Agreement { negotiations: 2000, both: 1000, same: 100, ..Agreement::default() };
        let mut many = Agreement { negotiations: 2000, both: 1000, same: 300, ..Agreement::default() };
        many.by_leader[2] = [500, 250];
        many.by_leader[8] = [500, 100];
        let claims = of_agreement(&[(100, few), (1000, many)]);
        assert_eq!(claims.len(), 2);
        assert!(claims[0].contains("holds here: +20.0 ["), "{}", claims[0]);
        assert!(claims[1].contains("(1000 playouts) holds here: -30.0 ["), "{}", claims[1]);
    }
}
