//! What becomes of the thesis' claims: one sentence each.

use super::Search;
use super::agreement::Agreement;
use super::experiments::{Experiment, TESTED};
use super::quality::{self, Method, Quality, Where};
use crate::papers::tubstap::Estimate;
use crate::players::catan::negotiation::decide::Function;
use crate::players::catan::negotiation::measures::Results;
use crate::stats::{self, Interval, Ratio};

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

    /// Success of the tested player's proposals over its acceptance of others', if there were any of both. The error takes
    /// the two as independent.
    #[must_use]
    pub fn quotient(&self) -> Option<Estimate> {
        let tested = &self.results.players[0];
        let [success, acceptance] = [&tested.success, &tested.acceptance];
        let value = success.rate() / acceptance.rate();
        let relative = |ratio: &Ratio| ratio.error() / ratio.rate();
        let error = value * relative(success).hypot(relative(acceptance));
        (value.is_finite() && error.is_finite()).then_some(Estimate { value, error })
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
    difference_among(figure, 1)
}

/// A difference with the interval of one of several that hold together.
fn difference_among(figure: Estimate, intervals: usize) -> String {
    let Interval { low, high } = figure.interval_among(intervals);
    if low.is_nan() {
        return "too little to say".into();
    }
    // No two shares are further apart.
    let (low, high) = (low.max(-1.0), high.min(1.0));
    format!("{:+.1} [{:+.1},{:+.1}] points", 100.0 * figure.value, 100.0 * low, 100.0 * high)
}

/// Whether all of several differences, whose intervals hold together, are above 0.
fn all_above(differences: &[Estimate]) -> &'static str {
    let intervals = || differences.iter().map(|own| own.interval_among(differences.len()));
    match () {
        () if intervals().any(|interval| interval.high < 0.0) => "does not hold here",
        () if intervals().all(|interval| interval.low > 0.0) => "holds here",
        () => "is not decided here",
    }
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
        let others: Vec<_> = cells.iter().filter(|cell| cell.experiment.function != function).collect();
        let more: Vec<_> = others.iter().map(|other| own.wins().less(other.wins())).collect();
        let pairs = others.iter().zip(&more);
        let Some((best, least)) = pairs.min_by(|one, other| one.1.value.total_cmp(&other.1.value)) else { return };
        claims.push(format!(
            "\"{claim}\" (figure {figure}) {}: {} wins {}, the best of the others, {}, {}; {} between them, with intervals for all {} \
             others together.",
            all_above(&more),
            function.name(),
            wins(own),
            best.experiment.name,
            wins(best),
            difference_among(*least, more.len()),
            more.len()
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
        claims.push(format!(
            "\"Pessimists punish the sum\" (figures 15 and 16) {}: its wins go from {} among optimists to {} among pessimists, {} \
             (thesis 28.0 to 17.7 %).",
            below(less.interval(), 0.0),
            wins(bright),
            wins(gloomy),
            difference(less),
        ));
        let [after, before] = [gloomy, bright].map(|cell| cell.results.players[0].success);
        let [last, first] = [after, before].map(|ratio| Estimate { value: ratio.rate(), error: ratio.error() });
        let less = last.less(first);
        claims.push(format!(
            "\"Pessimists refuse what the sum proposes\" (figures 15 and 16) {}: success of its proposals goes from {} to {}, {} \
             (thesis 88.2 to 37.8 %).",
            below(less.interval(), 0.0),
            percent(before.rate(), before.interval()),
            percent(after.rate(), after.interval()),
            difference(less),
        ));
    }
    if let [sum, others @ ..] = &[Function::Sum, Function::ProfitFirst, Function::AcceptFirst, Function::Product]
        .map(|function| found(cells, 12, function.name()).map(|cell| (function, cell.results.players[0].success)))
        && let Some((_, of_sum)) = sum
    {
        let others: Vec<_> = others.iter().flatten().collect();
        let are_certain = others.iter().all(|(_, success)| success.part == success.whole);
        let refused = Interval { low: 1.0 - of_sum.interval().high, high: 1.0 - of_sum.interval().low };
        let success = |ratio: &Ratio| percent(ratio.rate(), ratio.interval());
        let listed: Vec<_> =
            others.iter().map(|(function, ratio)| format!("{} in {}", function.name(), success(ratio))).collect();
        claims.push(format!(
            "\"Where all judge alike, only the sum proposes what is refused\" (figure 12) {}: {} succeed, the sum in {} (thesis 100 and \
             82.3 %).",
            if are_certain { above(refused, 0.0) } else { "does not hold here" },
            listed.join(", "),
            success(of_sum),
        ));
    }
    claims.extend(of_quotients(cells));
    claims
}

/// The experiments with profit-first as its text reads, a partner with a profit, instead of its equation.
#[must_use]
pub fn with_text_of_profit_first(cells: &[Cell], others: &[Cell]) -> Vec<Cell> {
    let is_it = |cell: &&Cell| cell.experiment.function == Function::ProfitFirst;
    cells.iter().filter(|cell| !is_it(cell)).chain(others.iter().filter(is_it)).cloned().collect()
}

/// What figure 17 says. Functions differ in more than the quotient, so each is compared with itself.
fn of_quotients(cells: &[Cell]) -> Option<String> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut functions = 0;
    for function in TESTED {
        let cells = cells.iter().filter(|cell| {
            (12..=16).contains(&cell.experiment.figure)
                && cell.experiment.function == function
                && cell.results.games() > 0
        });
        let own: Vec<_> = cells.filter_map(|cell| Some((cell.quotient()?.value, cell.wins().value))).collect();
        let mean = |of: fn(&(f64, f64)) -> f64| own.iter().map(of).sum::<f64>() / own.len() as f64;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        functions += usize::from(!own.is_empty());
        points.extend(own.iter().map(|point| (point.0 - x, point.1 - y)));
    }
    let correlation = correlation(&points)?;
    // Fisher's transformation; every mean but one takes a degree of freedom more.
    let freedom = (points.len() + 1).checked_sub(functions + 3).filter(|&freedom| freedom > 0)?;
    let (centre, reach) = (correlation.atanh(), 1.96 / (freedom as f64).sqrt());
    let interval = Interval { low: (centre - reach).tanh(), high: (centre + reach).tanh() };
    Some(format!(
        "\"The more one's proposals succeed and the fewer one accepts, the more one wins\" (figure 17) {}: over {} experiments the \
         correlation of wins with success over acceptance within functions is {correlation:.2} [{:.2},{:.2}].",
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

/// What figures 9 to 11 say: agreement for numbers of playouts, in rising order. Numbers are compared in the same moments.
#[must_use]
pub fn of_agreement(found: &[(u32, Agreement)]) -> Vec<String> {
    let mut claims = Vec::new();
    for pair in found.windows(2) {
        let [(few, one), (many, other)] = pair else { continue };
        let ([after, before], shared) = other.of_proposals_beside(one);
        let (value, error) = after.less(&before);
        let more = Estimate { value, error };
        if value.is_nan() {
            continue;
        }
        claims.push(format!(
            "\"More playouts agree more with the rules\" {}: {} from {few} to {many} playouts where both propose, in the same {} \
             negotiations{}.",
            above(more.interval(), 0.0),
            difference(more),
            shared,
            if (*few, *many) == (100, 1000) { " (thesis +7.9)" } else { "" },
        ));
    }
    for (playouts, agreement) in found {
        let [close, far] = [agreement.led(0.0..CLOSE), agreement.led(FAR..f64::INFINITY)];
        let (value, error) = far.less(&close);
        let less = Estimate { value, error };
        if value.is_nan() {
            continue;
        }
        claims.push(format!(
            "\"Agreement falls when an opponent leads\" ({playouts} playouts) {}: {} from leaders below 40 % to leaders above 70 %.",
            below(less.interval(), 0.0),
            difference(less)
        ));
    }
    claims
}

/// What figure 7 says.
#[must_use]
pub fn of_searches(curve: &[(Search, Results)]) -> Vec<String> {
    let mut claims = Vec::new();
    let rows: Vec<_> = curve
        .iter()
        .filter(|(search, results)| search.is_of_curve() && results.games() > 0)
        .map(|(search, results)| (search.playouts, results.players[0].all_wins(), results.games()))
        .collect();
    for &(playouts, own, games) in &rows {
        let (rate, interval) = (stats::rate(own, games), stats::wilson(own, games));
        match playouts {
            1 => claims.push(format!(
                "\"One playout plays like random\" (figure 7) {}: it wins {} (thesis 26.4).",
                if interval.contains(FAIR) { "is not contradicted here" } else { "does not hold here" },
                percent(rate, interval)
            )),
            1000 => claims.push(format!(
                "\"1000 playouts win nearly always\", at least 90 % (figure 7) {}: they win {} (thesis 95.1).",
                above(interval, 0.9),
                percent(rate, interval)
            )),
            _ => {}
        }
    }
    let pairs: Vec<_> = rows
        .windows(2)
        .filter_map(|pair| match *pair {
            [(few, a, m), (many, b, n)] => Some((few, many, share(b, n).less(share(a, m)))),
            _ => None,
        })
        .collect();
    if !pairs.is_empty() {
        let differences: Vec<_> = pairs.iter().map(|(.., more)| *more).collect();
        let listed: Vec<_> = pairs
            .iter()
            .map(|(few, many, more)| format!("{} from {few} to {many}", difference_among(*more, pairs.len())))
            .collect();
        claims.push(format!(
            "\"More playouts win more\" (figure 7) {}: {}, with intervals that hold together.",
            all_above(&differences),
            listed.join(", ")
        ));
    }
    claims
}

/// What becomes of a difference whose interval is one of several.
fn helps(more: Estimate, intervals: usize) -> &'static str {
    match above(more.interval_among(intervals), 0.0) {
        "holds here" => "more",
        "does not hold here" => "less",
        _ => "no difference to be seen",
    }
}

/// Which treatments of the thesis' two causes of failure help, more playouts and better information when one is behind: by
/// the wins of whole games, if those by rules and by 100 playouts were played too, and by the choices in single moments.
#[must_use]
pub fn of_beyond(known: &[Cell], further: &[Cell], quality: &Quality, methods: &[Method]) -> Vec<String> {
    let mut claims = Vec::new();
    let further: Vec<_> = further.iter().filter(|cell| cell.results.games() > 0).collect();
    for (name, short) in
        [("rules, 1:1, against accept-all", "the rules"), ("100 playouts against accept-all", "100 random playouts")]
    {
        let Some(base) = found(known, 8, name) else { continue };
        for cell in &further {
            let more = cell.wins().less(base.wins());
            claims.push(format!(
                "Games: {} wins {}, beside {short} {}: {} ({}).",
                cell.experiment.name,
                wins(cell),
                wins(base),
                helps(more, further.len()),
                difference_among(more, further.len()),
            ));
        }
    }
    let others = |than: usize| (0..methods.len()).filter(move |&method| method != than);
    for among in Where::EACH {
        for (than, base) in [(quality::RULES, "the rules"), (quality::FEW, "100 random playouts")] {
            let by_verdict = |verdict: &str| -> Vec<String> {
                let count = others(than).count();
                let is_so = |&method: &usize| helps(quality.more(method, than, among), count) == verdict;
                others(than).filter(is_so).map(|method| methods[method].to_string()).collect()
            };
            let list = |names: &[String]| if names.is_empty() { "nothing".into() } else { names.join("; ") };
            if quality.moments(among) > 1 {
                claims.push(format!(
                    "Choices ({}, {} moments): more than {base} gains {}; less gains {}. Intervals hold together.",
                    among.name(),
                    quality.moments(among),
                    list(&by_verdict("more")),
                    list(&by_verdict("less")),
                ));
            }
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::negotiation::agreement::Negotiation;

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

    fn negotiations(agree: impl Fn(u32) -> bool, leader: impl Fn(u32) -> f64) -> Agreement {
        let negotiation = |turn| Negotiation {
            game: u64::from(turn / 4),
            turn,
            chosen: Some(usize::from(!agree(turn))),
            by_rules: Some(0),
            random: None,
            leader: Some(leader(turn)),
        };
        Agreement((0..1000).map(negotiation).collect())
    }

    #[test]
    fn agreement_that_rises_and_falls_is_told() {
        let few = negotiations(|turn| turn % 10 == 0, |_| 0.5);
        // 250 of 500 behind nobody, 100 of 500 behind a leader.
        let many = negotiations(
            |turn| if turn % 2 == 0 { turn % 4 == 0 } else { turn % 10 == 1 },
            |turn| if turn % 2 == 0 { 0.2 } else { 0.8 },
        );
        let claims = of_agreement(&[(100, few.clone()), (1000, many.clone())]);
        assert_eq!(claims.len(), 2);
        assert!(claims[0].contains("holds here: +25.0 ["), "{}", claims[0]);
        assert!(claims[1].contains("(1000 playouts) holds here: -30.0 ["), "{}", claims[1]);
        // Only moments that both have count.
        let some = Agreement(many.0[..10].to_vec());
        let claims = of_agreement(&[(100, few), (1000, some)]);
        assert!(claims[0].contains("in the same 10 negotiations"), "{}", claims[0]);
    }

    #[test]
    fn negotiations_of_one_game_count_less_than_as_many_games() {
        let spread = negotiations(|turn| turn % 2 == 0, |_| 0.5);
        let mut lumped = negotiations(|turn| turn < 500, |_| 0.5);
        lumped.0.iter_mut().for_each(|own| own.game = u64::from(own.turn / 50));
        let [wide, narrow] = [&lumped, &spread].map(|of| of.together().interval());
        assert!(wide.high - wide.low > 3.0 * (narrow.high - narrow.low), "{wide:?} {narrow:?}");
    }

    fn cell(figure: u8, function: Function, won: u64, success: [u64; 2]) -> Cell {
        let mut results = Results::default();
        let tested = &mut results.players[0];
        (tested.games, tested.wins) = ([1000; 4], [won; 4]);
        for _ in 0..100 {
            tested.success.add(success[0], success[1]);
            tested.acceptance.add(1, 10);
        }
        let experiment = Experiment {
            figure,
            name: function.name().into(),
            players: String::new(),
            function,
            thesis: super::super::experiments::Found { wins: 25.0, trade: None },
        };
        Cell { experiment, results }
    }

    fn row(figure: u8, won: [u64; 4], success: [[u64; 2]; 4]) -> Vec<Cell> {
        (0..4).map(|index| cell(figure, TESTED[index], won[index], success[index])).collect()
    }

    #[test]
    fn the_claim_on_refused_proposals_looks_at_profit_first_too() {
        let all = [10, 10];
        let line = |profit_first, sum| {
            let claims = of_functions(&row(12, [250; 4], [profit_first, all, sum, all]));
            claims.into_iter().find(|claim| claim.contains("only the sum")).expect("the claim")
        };
        assert!(line(all, [5, 10]).contains("(figure 12) holds here"));
        assert!(line([5, 10], [5, 10]).contains("(figure 12) does not hold here: profit-first in 50.0"));
    }

    #[test]
    fn wins_and_success_among_pessimists_are_judged_apart_and_in_both_directions() {
        let with = |gloomy: [u64; 2]| {
            let sum = |figure, won, success| cell(figure, Function::Sum, won, success);
            of_functions(&[sum(15, 280, [8, 10]), sum(16, gloomy[0], [gloomy[1], 10])])
        };
        let claims = with([180, 9]);
        assert!(claims[0].contains("(figures 15 and 16) holds here") && claims[0].contains("-10.0 ["), "{}", claims[0]);
        assert!(claims[1].contains("does not hold here") && claims[1].contains("goes from 80.0"), "{}", claims[1]);
        assert!(with([380, 4])[0].contains("does not hold here") && with([380, 4])[1].contains(" holds here"));
    }

    #[test]
    fn winning_most_is_judged_against_all_others_together() {
        let verdict = |won| of_functions(&row(13, won, [[1, 2]; 4])).remove(0);
        assert!(verdict([250, 230, 330, 240]).contains("(figure 13) holds here: sum wins 33.0"));
        assert!(verdict([330, 230, 250, 240]).contains("(figure 13) does not hold here"));
        // Two standard errors are enough for one comparison but not for three: 2.0 points with an error of 0.98.
        assert!(verdict([250, 250, 270, 250]).contains("(figure 13) is not decided here"));
    }

    #[test]
    fn figure_17_compares_functions_with_themselves() {
        // Every function falls with its quotient, though those with larger quotients win more.
        let mut cells = Vec::new();
        for (index, function) in TESTED.into_iter().enumerate() {
            for (step, figure) in (12..=16).enumerate() {
                let won = 100 + 200 * index as u64 - 10 * step as u64;
                cells.push(cell(figure, function, won, [20 * (1 + index as u64) + step as u64, 100]));
            }
        }
        let line = of_quotients(&cells).expect("20 points");
        assert!(line.contains("does not hold here") && line.contains("within functions is -1.00"), "{line}");
    }

    #[test]
    fn more_playouts_and_better_ones_are_judged_in_the_same_moments() {
        let judged = |moment: u64| {
            let gains = (0..3).map(|method| 0.01 * (moment % 5) as f64 + 0.02 * f64::from(method)).collect();
            quality::Judged { game: moment / 2, leader: if moment.is_multiple_of(2) { 0.8 } else { 0.3 }, gains }
        };
        let quality = Quality((0..60).map(judged).collect());
        let more = quality.more(1, quality::RULES, Where::Behind);
        assert!((more.value - 0.02).abs() < 1e-12 && more.error < 1e-12, "{more:?}");
        assert_eq!((quality.moments(Where::All), quality.moments(Where::Behind)), (60, 30));
        let claims = of_beyond(&[], &[], &quality, &quality::METHODS[..3]);
        assert_eq!(claims.len(), 6);
        assert!(
            claims[0]
                .contains("more than the rules gains 100 random playouts; 1000 random playouts; less gains nothing"),
            "{}",
            claims[0]
        );
        assert!(claims[1].contains("gains 1000 random playouts; less gains rules"), "{}", claims[1]);
    }
}
