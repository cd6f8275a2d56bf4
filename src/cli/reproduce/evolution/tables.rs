//! The tables of the report.

use fairground::batch::Watch;
use fairground::evolve::census::{Census, Nothing};
use fairground::evolve::race::Until;
use fairground::evolve::run::rules_version;
use fairground::papers::evolution::generation::Measure;
use fairground::papers::evolution::trial::{Curves, Trial, censuses};
use fairground::papers::evolution::why::{Change, Worth, inheritance};
use fairground::papers::evolution::{ELITE, GAMES, HIGH_PEAK, MAPS, Player, SECONDS, SETTINGS};
use fairground::papers::tubstap::Estimate;
use fairground::players::tubstap::choice::Choice;
use fairground::players::tubstap::mss::Effort;
use fairground::stats::{self, Interval};
use serde_json::Value;

use super::{Document, Findings, Part, Session, Timed, grouped, unless_stopped};
use crate::cli::CliResult;
use crate::cli::reproduce::tubstap::percent;

/// A share with its interval, in percent.
pub fn share(count: u64, all: u64) -> String {
    percent((stats::rate(count, all), stats::wilson(count, all)))
}

/// A fitness with its interval, as far as it has them.
pub fn figure(own: Estimate) -> String {
    written(own, within(own))
}

/// A difference with its interval, as far as it has them.
pub fn difference(own: Estimate) -> String {
    written(own, own.interval())
}

fn written(own: Estimate, Interval { low, high }: Interval) -> String {
    match (own.value.is_nan(), low.is_nan()) {
        (true, _) => "-".into(),
        (false, true) => format!("{:.3}", own.value),
        (false, false) => format!("{:.3} [{low:.3},{high:.3}]", own.value),
    }
}

/// The interval of a fitness, which is from 0 to 1.
fn within(own: Estimate) -> Interval {
    let Interval { low, high } = own.interval();
    Interval { low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) }
}

/// How sure a race is that drops maps which are likely worse.
const CONFIDENCE: f64 = 0.95;

/// The races and their names.
const RACES: [(Until, &str); 3] =
    [(Until::Certain, "certain"), (Until::Likely(CONFIDENCE), "likely"), (Until::Half, "in halves")];

/// What a figure is of.
#[derive(Clone, Copy)]
struct Of {
    part: &'static str,
    setting: usize,
    method: &'static str,
    run_seed: Option<u64>,
    generation: Option<u64>,
}

impl Session<'_> {
    /// A figure as a record.
    fn record(&self, document: &mut Document, of: &Of, measure: &str, n: u64, own: Estimate) {
        self.record_with(document, of, measure, n, own.value, within(own), None);
    }

    /// A share as a record.
    fn record_share(&self, document: &mut Document, of: &Of, measure: &str, count: u64, n: u64) {
        self.record_with(document, of, measure, n, stats::rate(count, n), stats::wilson(count, n), None);
    }

    #[expect(clippy::too_many_arguments, reason = "they are the columns")]
    fn record_with(
        &self,
        document: &mut Document,
        of: &Of,
        measure: &str,
        n: u64,
        value: f64,
        interval: Interval,
        paper: Option<[f64; 2]>,
    ) {
        let setting = &SETTINGS[of.setting];
        let size = self.size(setting.player);
        document.records.push(vec![
            ("part", of.part.into()),
            ("setting", setting.name.into()),
            ("judge", self.player(setting.player).to_string().into()),
            ("method", of.method.into()),
            ("run_seed", of.run_seed.map_or(Value::Null, Value::from)),
            ("generation", of.generation.map_or(Value::Null, Value::from)),
            ("maps", size.maps.into()),
            ("games", size.games.into()),
            ("seed", self.args.seed.into()),
            ("rules_version", rules_version().into()),
            ("measure", measure.into()),
            ("n", n.into()),
            ("value", value.into()),
            ("low", interval.low.into()),
            ("high", interval.high.into()),
            ("paper_low", paper.map_or(Value::Null, |[low, _]| low.into())),
            ("paper_high", paper.map_or(Value::Null, |[_, high]| high.into())),
        ]);
    }

    /// The curves of all runs, in short.
    pub fn add_curves(&self, document: &mut Document, findings: &[Findings]) {
        document.parts.push(Part::Heading("Fitness by generation".into()));
        let mut rows = Vec::new();
        for (setting, of) in findings.iter().enumerate() {
            let paper = of.trials.iter().map(|trial| (trial, "the paper's"));
            for (trial, method) in paper.chain(of.ours.iter().map(|trial| (trial, "ours"))) {
                rows.push(self.curve_row(document, setting, method, trial));
            }
            rows.push(paper_row(setting));
        }
        let heads = [
            "setting",
            "method",
            "seed",
            "generations",
            "games",
            "mean",
            "smallest",
            "largest, mean",
            "largest",
            "largest is 0, %",
        ];
        document.parts.push(Part::table(&heads, rows));
        document.parts.push(Part::Lines(vec![
            "Mean: of all maps of all generations; smallest: the largest of all generations; largest, mean: of the best maps of the \
             generations; last: the share of generations whose best map has fitness 0. Intervals at 95 %; that of the mean knows \
             nothing of kinship between maps, and where all values are equal it has no width, which says little of a few. The paper gives curves and no numbers; what can be read of them stands beside ours."
                .into(),
        ]));
    }

    fn curve_row(&self, document: &mut Document, setting: usize, method: &'static str, trial: &Trial) -> Vec<String> {
        let curves = Curves::of(&[trial], HIGH_PEAK);
        let of = Of { part: "curves", setting, method, run_seed: Some(trial.seed), generation: None };
        let is_papers = trial.paper.is_some();
        let maps = trial.states.iter().map(|state| state.individuals.len() as u64).sum();
        let generations = curves.generations;
        let near = is_papers.then_some([0.0, 0.0]);
        self.record_with(document, &of, "mean", maps, curves.mean.value, within(curves.mean), near);
        self.record(document, &of, "largest", generations, curves.largest);
        let peaks = SETTINGS[setting].peaks.filter(|_| is_papers);
        let exact = |value: f64| Interval { low: value, high: value };
        self.record_with(document, &of, "peak", generations, curves.peak, exact(curves.peak), peaks);
        self.record_with(document, &of, "smallest", generations, curves.smallest, exact(curves.smallest), near);
        self.record_share(document, &of, "largest is 0", curves.barren, generations);
        self.record_share(document, &of, "largest above 0.8", curves.high, generations);
        for (state, largest) in trial.states.iter().zip(trial.largest()) {
            let of = Of { generation: Some(state.generation), ..of };
            let mean: Vec<_> = state.individuals.iter().map(|individual| individual.known().fitness()).collect();
            self.record(document, &of, "mean", mean.len() as u64, Estimate::mean(&mean));
            let own = Estimate { value: largest, error: f64::NAN };
            self.record(document, &of, "largest", mean.len() as u64, own);
        }
        vec![
            SETTINGS[setting].name.into(),
            method.into(),
            trial.seed.to_string(),
            generations.to_string(),
            grouped(trial.games()),
            figure(curves.mean),
            format!("{:.3}", curves.smallest),
            figure(curves.largest),
            format!("{:.3}", curves.peak),
            share(curves.barren, generations),
        ]
    }

    /// What the failure comes of.
    pub fn add_why(&self, document: &mut Document, findings: &[Findings]) {
        document.parts.push(Part::Heading("Why it fails: maps by generation, all runs of the paper's method".into()));
        let mut rows = Vec::new();
        for (setting, of) in findings.iter().enumerate() {
            let censuses = censuses(&of.trials());
            let all = censuses.iter().fold(Census::default(), |all, more| all.and(more));
            let numbered = (0..).zip(&censuses).map(|(generation, census)| (Some(generation), census));
            for (generation, census) in numbered.chain([(None, &all)]).filter(|(_, census)| census.maps > 0) {
                let of = Of { part: "why", setting, method: "the paper's", run_seed: None, generation };
                self.record_share(document, &of, "fitness is 0", census.zeros(), census.maps);
                for (why, count) in Nothing::ALL.into_iter().zip(census.nothing) {
                    self.record_share(document, &of, why.name(), count, census.maps);
                }
                for (units, measure) in census.units.into_iter().zip(["units of Red", "units of Blue"]) {
                    let value = stats::rate(units, census.maps);
                    self.record(document, &of, measure, census.maps, Estimate { value, error: f64::NAN });
                }
                rows.push(census_row(setting, generation, census));
            }
        }
        let mut heads = vec!["setting", "generation", "maps", "fitness is 0, %"];
        heads.extend(Nothing::ALL.map(Nothing::name));
        heads.extend(["units of Red", "of Blue"]);
        document.parts.push(Part::table(&heads, rows));

        document.parts.push(Part::Heading("Why it fails: luck, inheritance, and what changes do to good maps".into()));
        let mut rows = Vec::new();
        for (setting, of) in findings.iter().enumerate() {
            let mut add = |what: &str, worth: &Worth| {
                if worth.maps() == 0 {
                    return;
                }
                let of = Of { part: "why", setting, method: "the paper's", run_seed: None, generation: None };
                self.record(document, &of, &format!("{what}: fitness"), worth.maps(), worth.mean());
                self.record_share(document, &of, &format!("{what}: fitness is 0"), worth.zeros(), worth.maps());
                rows.push(vec![
                    SETTINGS[setting].name.into(),
                    what.into(),
                    worth.maps().to_string(),
                    figure(worth.mean()),
                    percent(worth.share_of_zeros()),
                ]);
            };
            if let Some([before, after]) = &of.luck {
                add("maps with positive fitness", before);
                add("the same in fresh games", after);
            }
            let [best, children] = inheritance(&of.trials());
            add("best maps of a generation, if positive", &best);
            add("their children", &children);
            for (change, worth) in Change::ALL.into_iter().zip(&of.changes) {
                add(&format!("good maps after: {}", change.name()), worth);
            }
        }
        document.parts.push(Part::table(&["setting", "maps", "number", "fitness", "fitness is 0, %"], rows));
        document.parts.push(Part::Lines(vec![
            "Good maps are the best that our own method found; each change is applied alone; mutation and crossover are the paper's. As many games of each map as in \
             the runs, so that the shares at 0 can be compared."
                .into(),
        ]));
    }

    /// What a generation takes, and what racing for an elite saves.
    pub fn add_generations(
        &self,
        document: &mut Document,
        generations: &Timed,
        findings: &[Findings],
        watch: &dyn Watch,
    ) -> CliResult {
        document.parts.push(Part::Heading("The time of a generation, and racing for an elite".into()));
        let mut lines = Vec::new();
        let whole = MAPS as u64 * GAMES;
        for (player, generation) in generations {
            let setting = SETTINGS.iter().position(|own| own.player == *player).unwrap_or(0);
            let games = self.timed(*player).games();
            let seconds = generation.seconds * whole as f64 / games as f64;
            let of =
                Of { part: "time", setting, method: "the paper's", run_seed: Some(self.args.seed), generation: None };
            let exact = Interval { low: f64::NAN, high: f64::NAN };
            let is_papers = *player == Player::Mss && self.player(*player) == Choice::Mss(Effort::default());
            let paper = is_papers.then_some([SECONDS; 2]);
            self.record_with(document, &of, "seconds of a generation", games, seconds, exact, paper);
            let ratio = match is_papers {
                true => format!(", {:.1} times as fast as the paper's hour", SECONDS / seconds),
                false => String::new(),
            };
            let scaled = if games == whole { String::new() } else { format!(", scaled from {}", grouped(games)) };
            lines.push(format!(
                "{} games of {} on {MAPS} random maps take {seconds:.0} s on this machine{ratio}{scaled}.",
                grouped(whole),
                self.player(*player)
            ));
        }
        // Later generations have other maps, and other games.
        let later = findings.iter().take(1).flat_map(|of| &of.trials);
        let (mut seconds, mut games) = (0.0, 0);
        for trial in later {
            seconds += trial.seconds.iter().skip(1).sum::<f64>();
            let first = trial.states.first().map_or(0, |state| state.games);
            games += trial.games() - first;
        }
        if games > 0 {
            let scaled = seconds * whole as f64 / games as f64;
            lines.push(format!(
                "In later generations of {} as many games take {scaled:.0} s, scaled from {}.",
                SETTINGS[0].name,
                grouped(games)
            ));
        }
        document.parts.push(Part::Lines(lines));
        let mut rows = Vec::new();
        for (player, generation) in generations {
            let plan = self.timed(*player);
            let setting = SETTINGS.iter().position(|own| own.player == *player).unwrap_or(0);
            let judge = self.judge(*player, self.args.seed);
            let fresh_games = self.size(*player).fresh;
            for measure in Measure::ALL {
                let elite = generation.elite(measure, ELITE);
                let fresh =
                    |places: &[usize]| unless_stopped(generation.fresh(places, fresh_games, measure, &judge, watch));
                let Some(of_all) = fresh(&elite)? else { continue };
                for (until, name) in RACES {
                    let finish = generation.race(measure, ELITE, until);
                    let same = finish.best.iter().filter(|map| elite.contains(map)).count() as u64;
                    let of_race = if finish.best == elite { Some(of_all) } else { fresh(&finish.best)? };
                    let Some(of_race) = of_race else { continue };
                    let saved = plan.games() - finish.games;
                    let of =
                        Of { part: "race", setting, method: name, run_seed: Some(self.args.seed), generation: None };
                    let what = |text: &str| format!("{text}, by {}", measure.name());
                    // These are counts and not estimates.
                    let exact = |count, all| Estimate { value: stats::rate(count, all), error: f64::NAN };
                    self.record(document, &of, &what("games saved"), plan.games(), exact(saved, plan.games()));
                    let all = elite.len() as u64;
                    self.record(document, &of, &what("elite as by all games"), all, exact(same, all));
                    self.record(document, &of, &what("elite in fresh games"), fresh_games, of_race);
                    self.record(document, &of, &what("elite by all games in fresh games"), fresh_games, of_all);
                    rows.push(vec![
                        self.player(*player).to_string(),
                        measure.name().into(),
                        name.into(),
                        format!("{} x {}", plan.maps, plan.games),
                        grouped(finish.games),
                        format!("{:.1}", 100.0 * stats::rate(saved, plan.games())),
                        format!("{same} of {}", elite.len()),
                        figure(of_race),
                        figure(of_all),
                    ]);
                }
            }
        }
        let heads = [
            "judge",
            "elite by",
            "out if",
            "all games",
            "raced",
            "saved %",
            "same maps",
            "fresh games",
            "elite by all games",
        ];
        document.parts.push(Part::table(&heads, rows));
        document.parts.push(Part::Lines(vec![format!(
            "Races for the {ELITE} best of a generation of random maps. Certain: a map is out once it cannot be among the best any more, \
             whatever the games that are left; the elite is the same as by all games. Likely: once that is so with intervals that all \
             hold together in {:.0} % of races. In halves: the worse half after an eighth of the games, half of the rest after a \
             quarter, and after half of them again; whether its elite is as good as that by all games, fresh games say. Where fewer than {ELITE} maps have a fitness above 0, every map may still become one of \
             the best, and the first two save nothing.",
            100.0 * CONFIDENCE
        )]));
        Ok(())
    }
}

/// What the paper shows.
fn paper_row(setting: usize) -> Vec<String> {
    let peaks = match (SETTINGS[setting].peaks, setting) {
        (Some([low, high]), _) if high < 1.0 => format!("{low} to {high}"),
        (Some([low, _]), _) => format!("above {low}, twice"),
        (None, _) => "small".into(),
    };
    let cells = [SETTINGS[setting].name, "in the paper", "-", "-", "-", "near 0", "near 0", "-"];
    let mut cells: Vec<String> = cells.map(String::from).to_vec();
    cells.extend([peaks, "most".into()]);
    cells
}

fn census_row(setting: usize, generation: Option<u64>, census: &Census) -> Vec<String> {
    let mut cells = vec![
        SETTINGS[setting].name.into(),
        generation.map_or_else(|| "all".into(), |generation| generation.to_string()),
        census.maps.to_string(),
        share(census.zeros(), census.maps),
    ];
    cells.extend(census.nothing.map(|count| format!("{:.1}", 100.0 * stats::rate(count, census.maps))));
    cells.extend(census.units.map(|units| format!("{:.2}", stats::rate(units, census.maps))));
    cells
}
