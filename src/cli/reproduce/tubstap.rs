//! `fairground reproduce 001`: attack pruning in the tree search of TUBSTAP.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fairground::batch::Evaluator;
use fairground::games::Game;
use fairground::games::tubstap::{Map, Team, Tubstap, builtin, file};
use fairground::papers::tubstap::claims::{self, Scores};
use fairground::papers::tubstap::depth::{self, Fit, Profile, nearest};
use fairground::papers::tubstap::matches::{self, PlayError, Played, Reading};
use fairground::papers::tubstap::{Children, Estimate, MAPS, PAIRS, PaperMap, Results, Row, check, shares};
use fairground::players::tubstap::reference::muct::Options;
use serde_json::Value;

use super::document::{Document, Part, Record};
use crate::cli::output::{Format, grouped};
use crate::cli::run::{RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, cannot_write, say};

/// A paper on pruning attacks in M-UCT, the tree search of TUBSTAP
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Tables 1 and 2 of the paper are games of a pruned player against M-UCT; we add M-UCT against\n\
    itself. Tables 3 and 4 are the shapes of trees on map 1, with and without pruning, for several\n\
    sizes of groups of rollouts that share their random numbers. The same seed gives the same\n\
    numbers on every backend and with any number of threads.\n\n\
    The paper played on maps that come with the TUBSTAP program: map01, map05, map03 and\n\
    map04.tbsmap of its map folder. Without --maps built-in maps take their place, and nothing is\n\
    compared with the paper.\n\n\
    Ctrl-C reports the searches and games that are finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground reproduce 001\n  \
    fairground reproduce 001 --maps TUBSTAP/map --out pruning.md\n  \
    fairground reproduce 001 --maps TUBSTAP/map --budget paper --format csv > pruning.csv\n  \
    fairground reproduce 001 --maps TUBSTAP/map --searches 0 --sims 2000 --seed-group 10"
)]
pub struct Args {
    /// How much is played
    #[arg(long, default_value = "quick")]
    budget: Budget,

    /// The map folder of the original program, with map01, map03, map04 and map05.tbsmap
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,

    /// Games of each row of tables 1 and 2; 0 leaves these tables out [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=MOST_GAMES))]
    games: Option<u64>,

    /// Simulations for each unit action in these games [default: by --budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sims: Option<u32>,

    /// Rollouts in a row that share their random numbers in these games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    seed_group: u32,

    /// Searches for each column of tables 3 and 4; 0 leaves these tables out [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=100_000))]
    searches: Option<u64>,

    /// Pruned units drop attacks worth less than this, or `none`, before the best are kept; the paper does not say
    #[arg(long, value_name = "VALUE", default_value = "-20", value_parser = parse_threshold, allow_hyphen_values = true)]
    threshold: Threshold,

    /// Prune a player's own units only, not those of the enemy in its tree
    #[arg(long)]
    own_side_only: bool,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    run: RunArgs,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    /// Write the report to this Markdown file too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// All games are kept in a list.
const MOST_GAMES: u64 = 100_000;

/// The value below which attacks are dropped, if there is one.
#[derive(Clone, Copy, Debug)]
struct Threshold(Option<i32>);

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    let wrong = || "expected a whole number or `none`".to_owned();
    if text == "none" { Ok(Threshold(None)) } else { text.parse().map(|least| Threshold(Some(least))).map_err(|_| wrong()) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Budget {
    /// Fewer games, fewer simulations: some minutes
    Quick,
    /// As many games as in the paper, more simulations: hours
    Paper,
}

impl Budget {
    const fn games(self) -> Option<u64> {
        match self {
            Self::Quick => Some(200),
            Self::Paper => None,
        }
    }

    /// The paper's 5 seconds a phase are 700 simulations for each of six units at the speed of the slowest run of the
    /// original that we know, and 5800 at that of the fastest. The original stops at 2000 itself.
    const fn simulations(self) -> u32 {
        match self {
            Self::Quick => 500,
            Self::Paper => 2000,
        }
    }
}

pub fn run(args: &Args) -> CliResult {
    let maps = choose_maps(args)?;
    if let Some(path) = &args.out {
        // Before minutes of playing, not after. An older report stays until the new one is there.
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| cannot_write(path, &error))?;
    }
    let evaluator = args.run.open(args.run.choice()?)?;
    let document = Session { args, maps, evaluator }.report()?;
    if let Some(path) = &args.out {
        fs::write(path, document.markdown()).map_err(|error| cannot_write(path, &error))?;
        say(&format!("wrote {}", path.display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
}

/// A map that is played as one of the paper's.
struct Chosen {
    name: String,
    map: Map,
    is_papers: bool,
}

/// The names of the paper's maps, in its order.
fn wanted() -> String {
    MAPS.map(|map| map.file).join(", ")
}

/// The paper's maps as far as they are there, and built-in maps for the others.
fn choose_maps(args: &Args) -> Result<[Chosen; MAPS.len()], CliError> {
    let mut faults = Vec::new();
    let mut missing = Vec::new();
    let mut chosen = Vec::new();
    for (index, paper) in MAPS.iter().enumerate() {
        let path = args.maps.as_ref().map(|directory| directory.join(paper.file));
        if let Some(path) = path.filter(|path| path.exists()) {
            match read(index, &path, args.run.quiet) {
                Ok(map) => chosen.push(Chosen { name: paper.file.into(), map, is_papers: true }),
                Err(fault) => faults.push(fault),
            }
        } else {
            missing.push(paper.file);
            chosen.extend(stand_in(paper));
        }
    }
    if let Some(directory) = args.maps.as_ref().filter(|_| missing.len() == MAPS.len()) {
        let what = if directory.is_dir() { "there is none of" } else { "no such directory with" };
        faults.push(format!(
            "{}: {what} {} in it; they are in the map folder of the TUBSTAP program, and without --maps built-in maps are \
             played",
            directory.display(),
            wanted()
        ));
    }
    let number = chosen.len();
    match <[Chosen; MAPS.len()]>::try_from(chosen) {
        Ok(maps) if faults.is_empty() => {
            if !missing.is_empty() && !args.run.quiet {
                say(&format!(
                    "warning: {} of the paper's four maps are built-in maps instead, and are not compared with it; --maps \
                     DIR with {} of the TUBSTAP program plays the paper's",
                    missing.len(),
                    missing.join(", ")
                ));
            }
            Ok(maps)
        }
        _ if faults.is_empty() => Err(CliError::Failed(format!("only {number} of the built-in maps are there"))),
        _ => Err(CliError::Failed(format!("cannot use these maps:\n{}", faults.join("\n")))),
    }
}

fn read(index: usize, path: &Path, is_quiet: bool) -> Result<Map, String> {
    let parsed = file::read(path).map_err(|error| error.to_string())?;
    for warning in parsed.warnings.iter().filter(|_| !is_quiet) {
        say(&format!("warning: {}:{}: {}", path.display(), warning.line, warning.message));
    }
    check(index, &parsed.map, false)
        .map_err(|wrong| format!("{}: this is not map {} of the paper: {wrong}", path.display(), index + 1))?;
    Ok(parsed.map)
}

fn stand_in(paper: &PaperMap) -> Option<Chosen> {
    let map = builtin::get(paper.stand_in)?;
    Some(Chosen { name: paper.stand_in.into(), map, is_papers: false })
}

struct Session<'a> {
    args: &'a Args,
    maps: [Chosen; MAPS.len()],
    evaluator: Evaluator,
}

impl Session<'_> {
    fn games(&self) -> Option<u64> {
        self.args.games.or(self.args.budget.games())
    }

    fn simulations(&self) -> u32 {
        self.args.sims.unwrap_or(self.args.budget.simulations())
    }

    fn searches(&self) -> u64 {
        self.args.searches.unwrap_or(depth::SEARCHES)
    }

    fn reading(&self) -> Reading {
        Reading { threshold: self.args.threshold.0, is_own_side_only: self.args.own_side_only }
    }

    fn is_papers(&self) -> [bool; MAPS.len()] {
        self.maps.each_ref().map(|map| map.is_papers)
    }

    /// Everything that was asked for, and what follows from it.
    fn report(&self) -> Result<Document, CliError> {
        let args = self.args;
        let mut document = Document::default();
        self.add_conditions(&mut document);
        let mut claims = Vec::new();

        let searches =
            depth::Plan { start: self.maps[0].map.start(), searches: self.searches(), reading: self.reading(), seed: args.seed };
        if searches.searches() > 0 {
            let progress = args.run.progress(searches.searches(), "searches", None);
            let profiles = searches.search(&self.evaluator, &progress)?;
            progress.bar.finish_and_clear();
            let finished: usize = profiles.iter().map(|profile| profile.searches.len()).sum();
            self.say_if_stopped(finished as u64, searches.searches(), "searches");
            claims.extend(self.add_depths(&mut document, &profiles));
        }

        let games = matches::Plan {
            starts: self.maps.each_ref().map(|map| map.map.start()),
            games: self.games(),
            search: Options { simulations: self.simulations(), seed_group: args.seed_group, ..Options::default() },
            reading: self.reading(),
            seed: args.seed,
        };
        if games.games() > 0 && !is_stopped() {
            let progress = args.run.progress(games.games(), "games", None);
            let played = games.play(&self.evaluator, &progress).map_err(|error| match error {
                PlayError::Evaluate(error) => error.into(),
                PlayError::Refused(refused) => CliError::Failed(refused.to_string()),
            })?;
            progress.bar.finish_and_clear();
            self.say_if_stopped(played.games(), games.games(), "games");
            claims.splice(0..0, self.add_matches(&mut document, &played));
        }
        document.parts.push(Part::Heading("The paper's claims".into()));
        claims.push(claims::of_children(Children::of(&self.maps[0].map.start())));
        if self.is_papers().contains(&false) {
            claims.insert(0, "Not all of these are the paper's maps: what holds here says little about the paper.".into());
        }
        document.parts.push(Part::Lines(claims));
        Ok(document)
    }

    fn say_if_stopped(&self, finished: u64, all: u64, what: &str) {
        if is_stopped() {
            say(&format!(
                "stopped on request: {} of {} {what} are finished and reported; those under way are lost, the longest first",
                grouped(finished),
                grouped(all)
            ));
        }
    }

    /// What is played, and how that differs from the paper.
    fn add_conditions(&self, document: &mut Document) {
        let args = self.args;
        let games = self.games().map_or_else(
            || "as many games of each row as in the paper".to_owned(),
            |games| format!("{} games of each row, where the paper has 150 to 1,650", grouped(games)),
        );
        let threshold = args.threshold.0.map_or_else(|| "no threshold".to_owned(), |least| format!("threshold {least}"));
        let group = match args.seed_group {
            1 => "independent rollouts".to_owned(),
            group => format!("groups of {group} rollouts with the same random numbers"),
        };
        document.parts.push(Part::Lines(vec![
            format!(
                "Tables 1 and 2: {games}; {} simulations for each unit action, {group}; seed {}.",
                grouped(self.simulations().into()),
                args.seed
            ),
            "The paper gives a player 5 seconds a phase on a machine it does not describe: 700 simulations for each of six \
             units if the original makes 840 a second, 5,800 at 7,000 a second; the original stops at 2,000."
                .into(),
            format!(
                "Pruning, where the paper is silent: {threshold}, of {} in a player's tree; of an odd number of attacks the \
                 middle one stays.",
                if args.own_side_only { "its own units only" } else { "both sides" }
            ),
            format!(
                "Tables 3 and 4: {} searches of {} simulations for each column, as in the paper 100.",
                grouped(self.searches()),
                grouped(depth::SIMULATIONS.into())
            ),
        ]));
        let rows = MAPS.iter().zip(&self.maps).zip(1..).map(|((paper, chosen), number)| {
            let what = match (chosen.is_papers, paper.is_certain) {
                (true, true) => format!("the paper's: {}", paper.why),
                (true, false) => format!("most likely the paper's: {}", paper.why),
                (false, _) => format!("another map in place of {}", paper.file),
            };
            vec![number.to_string(), chosen.name.clone(), what]
        });
        document.parts.push(Part::table(&["map", "played on", "which is"], rows.collect()));
    }

    /// Tables 1 and 2; returns what they say of the claims.
    fn add_matches(&self, document: &mut Document, played: &Played) -> Vec<String> {
        document.parts.push(Part::Heading("M-UCT against itself".into()));
        let rows = played.baseline.iter().zip(&self.maps).zip(1..).map(|((results, chosen), number)| {
            let mut cells = vec![number.to_string(), chosen.name.clone(), grouped(results.games())];
            cells.extend(shares(*results).map(|(rate, interval)| percent(rate, interval.low, interval.high)));
            cells
        });
        let heads = ["map", "played on", "games", "first wins %", "second wins %", "draw %"];
        document.parts.push(Part::table(&heads, rows.collect()));

        document.parts.push(Part::Heading("Tables 1 and 2: the pruned player against M-UCT".into()));
        let rows = PAIRS.iter().flatten().zip(played.pruned.iter().flatten());
        document.parts.push(Part::table(&MATCH_HEADS, rows.clone().map(|(row, own)| self.match_row(row, *own)).collect()));
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
            let paper = of.is_papers(self).then_some(scores[1].scores[index]);
            let games = own.iter().map(|own| own.games()).sum();
            let paper_games = pair.iter().map(|row| row.paper.games()).sum();
            let own = scores[0].scores[index];
            document.records.push(self.record(&of, "score of both seats", (games, own), (paper_games, paper), None));
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
        cells.extend(shares(own).map(|(rate, interval)| percent(rate, interval.low, interval.high)));
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
            cells.push(format!("{:.3} ({:+.1})", baseline.value, difference.z(0.0)));
        }
        cells.push(estimate(own.scores[pair]));
        if self.maps[rows[0].map].is_papers {
            let theirs = paper.scores[pair];
            cells.push(estimate(theirs));
            cells.push(format!("{:+.1}", own.scores[pair].less(theirs).z(0.0)));
        } else {
            cells.extend(["-"; 2].map(String::from));
        }
        cells
    }

    /// Tables 3 and 4; returns what they say of the claims.
    fn add_depths(&self, document: &mut Document, profiles: &[Profile]) -> Vec<String> {
        let is_papers = self.maps[0].is_papers;
        let fits: Vec<Fit> =
            if is_papers { profiles.iter().map(|profile| profile.fit(self.args.seed)).collect() } else { Vec::new() };
        let best = nearest(profiles, &fits).filter(|&best| best != 1);
        let deepest = profiles.iter().flat_map(|profile| &profile.searches).map(Vec::len).max().unwrap_or(0);
        let depths = deepest.max(depth::DEPTHS);
        for is_pruned in [false, true] {
            let own: Vec<_> = profiles.iter().enumerate().filter(|(_, profile)| profile.is_pruned == is_pruned).collect();
            let what = if is_pruned { "single pruning of panzers" } else { "no pruning" };
            document.parts.push(Part::Heading(format!("Tables 3 and 4: nodes by depth on map 1, {what}")));
            let paper = is_papers.then(|| own.first().map(|(_, profile)| profile.published())).flatten();
            let shown: Vec<_> = own
                .iter()
                .map(|(_, profile)| profile)
                .filter(|profile| profile.seed_group == 1 || best == Some(profile.seed_group))
                .collect();
            let mut heads = vec!["depth".to_owned()];
            heads.extend(paper.map(|_| "paper".into()));
            heads.extend(shown.iter().flat_map(|profile| {
                let head = format!("groups of {}", profile.seed_group);
                [Some(head), paper.map(|_| "z".into())].into_iter().flatten()
            }));
            let line = |name: String, paper: Option<f64>, figure: &dyn Fn(&Profile) -> Estimate, digits: usize| {
                let mut cells = vec![name];
                cells.extend(paper.map(|paper| format!("{paper:.digits$}")));
                for profile in &shown {
                    let own = figure(profile);
                    cells.push(format!("{:.digits$} ±{:.digits$}", own.value, own.error));
                    cells.extend(paper.map(|paper| signed(z_of_means(own, profile, paper))));
                }
                cells
            };
            let mut rows: Vec<_> = (0..depths)
                .map(|depth| {
                    let paper = paper.map(|paper| paper.nodes.get(depth).copied().unwrap_or(0.0));
                    line(depth.to_string(), paper, &|profile| profile.mean_nodes(depth), 1)
                })
                .collect();
            rows.push(line("mean depth of tree".into(), paper.map(|paper| paper.depth), &Profile::mean_depth, 2));
            document.parts.push(Part::Table(heads, rows));

            let mut heads = ["groups of", "searches", "nodes at depth 7", "mean depth"].map(String::from).to_vec();
            heads.extend(paper.iter().flat_map(|_| ["distance", "p"].map(String::from)));
            let rows = own.iter().map(|&(index, profile)| {
                let [nodes, depth] = [profile.mean_nodes(7), profile.mean_depth()];
                let mut cells = vec![
                    profile.seed_group.to_string(),
                    profile.searches.len().to_string(),
                    format!("{:.0} ±{:.0}", nodes.value, nodes.error),
                    format!("{:.2} ±{:.2}", depth.value, depth.error),
                ];
                cells.extend(fits.get(index).into_iter().flat_map(|fit| [format!("{:.1}", fit.distance), p_value(fit.p)]));
                cells
            });
            document.parts.push(Part::Table(heads, rows.collect()));
            self.add_depth_records(document, &own, &fits, depths);
        }
        self.add_depth_notes(document, is_papers);
        let mut claims: Vec<_> =
            claims::of_depth(profiles, &[Some(1), best].into_iter().flatten().collect::<Vec<_>>()).into_iter().collect();
        claims.extend(claims::of_seeding(profiles, &fits));
        claims.extend(best.map(|best| {
            let per_second = f64::from(best) / depth::TICK * 1000.0;
            format!(
                "If these groups are ticks of {} ms, the paper's machine made about {per_second:.0} simulations a second, \
                 which in 5 seconds is {:.0} for each of six units.",
                depth::TICK,
                per_second * 5.0 / 6.0
            )
        }));
        claims
    }

    fn add_depth_notes(&self, document: &mut Document, is_papers: bool) {
        let mut lines = vec![
            "Means over the searches with their standard errors. The mean depth is that of the deepest node of each tree."
                .to_owned(),
        ];
        if is_papers {
            let [plain, pruned] = depth::PUBLISHED.map(|published| published.mean_node_depth());
            lines.push(format!(
                "This is how we read the mean depth of Table 4: the mean depth of the nodes would be {plain:.2} and \
                 {pruned:.2} by Table 3."
            ));
            lines.push(format!(
                "z is the difference from the paper in standard errors, the paper's taken to be those of 100 searches of ours. \
                 The distance is the sum of its squares over depths 2 to {} and all deeper ones together; p is the share of \
                 resampled pairs of our own runs that are at least as far apart.",
                depth::CLASSES
            ));
        }
        document.parts.push(Part::Lines(lines));
    }

    fn add_depth_records(&self, document: &mut Document, own: &[(usize, &Profile)], fits: &[Fit], depths: usize) {
        let is_papers = self.maps[0].is_papers;
        for &(index, profile) in own {
            let of = Of {
                table: "3",
                experiment: profile.is_pruned.then_some("single"),
                kind: profile.is_pruned.then_some("panzer"),
                seed_group: profile.seed_group,
                simulations: depth::SIMULATIONS,
                ..self.of_games()
            };
            let n = profile.searches.len() as u64;
            let known = |paper: f64, own: Estimate| {
                is_papers.then(|| Estimate { value: paper, error: own.error * (n as f64 / depth::SEARCHES as f64).sqrt() })
            };
            for depth in 0..depths {
                let figure = profile.mean_nodes(depth);
                let paper = known(profile.published().nodes.get(depth).copied().unwrap_or(0.0), figure);
                let of = Of { depth: Some(depth), ..of };
                document.records.push(self.record(&of, "nodes", (n, figure), (depth::SEARCHES, paper), None));
            }
            let figure = profile.mean_depth();
            let paper = known(profile.published().depth, figure);
            let of = Of { table: "4", ..of };
            document.records.push(self.record(&of, "depth of tree", (n, figure), (depth::SEARCHES, paper), None));
            if let Some(fit) = fits.get(index) {
                let distance = Estimate { value: fit.distance, error: f64::NAN };
                let of = Of { table: "3", ..of };
                document.records.push(self.record(&of, "distance from paper", (n, distance), (0, None), Some(fit.p)));
            }
        }
    }

    fn of_games(&self) -> Of {
        Of {
            table: "",
            map: 0,
            experiment: None,
            kind: None,
            seat: None,
            depth: None,
            seed_group: self.args.seed_group,
            simulations: self.simulations(),
        }
    }

    fn of_row(&self, row: &Row) -> Of {
        Of {
            table: if row.experiment.table() == 1 { "1" } else { "2" },
            map: row.map,
            experiment: Some(row.experiment.name()),
            kind: Some(row.kind.name()),
            ..self.of_games()
        }
    }

    /// Wins, losses, draws and the score of a player.
    fn add_results(&self, document: &mut Document, of: &Of, own: Results, paper: Option<Results>) {
        let (games, p) = (own.games(), paper.map(|paper| own.agreement(paper)));
        let theirs = |value: fn(Results) -> Estimate| {
            (paper.map_or(0, Results::games), paper.map(value))
        };
        let share = |count: u64, games: u64| {
            let rate = count as f64 / games as f64;
            Estimate { value: rate, error: (rate * (1.0 - rate) / games as f64).sqrt() }
        };
        let shares: [(&str, fn(Results) -> u64); 3] =
            [("wins", |own| own.wins), ("losses", |own| own.losses), ("draws", |own| own.draws)];
        for ((measure, count), (_, interval)) in shares.into_iter().zip(self::shares(own)) {
            let theirs = (paper.map_or(0, Results::games), paper.map(|paper| share(count(paper), paper.games())));
            let mut record = self.record(of, measure, (games, share(count(own), games)), theirs, p);
            // Shares have Wilson's interval.
            for (name, value) in &mut record {
                match *name {
                    "low" => *value = interval.low.into(),
                    "high" => *value = interval.high.into(),
                    _ => {}
                }
            }
            document.records.push(record);
        }
        document.records.push(self.record(of, "score", (games, own.score()), theirs(Results::score), p));
    }

    fn record(
        &self,
        of: &Of,
        measure: &str,
        (n, own): (u64, Estimate),
        (paper_n, paper): (u64, Option<Estimate>),
        p: Option<f64>,
    ) -> Record {
        let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let interval = own.interval();
        vec![
            ("table", of.table.into()),
            ("map", (of.map + 1).into()),
            ("played_on", self.maps[of.map].name.clone().into()),
            ("is_papers_map", of.is_papers(self).into()),
            ("experiment", text(of.experiment)),
            ("kind", text(of.kind)),
            ("seat", text(of.seat.map(seat))),
            ("depth", of.depth.map_or(Value::Null, Value::from)),
            ("simulations", of.simulations.into()),
            ("seed_group", of.seed_group.into()),
            ("threshold", self.args.threshold.0.map_or(Value::Null, Value::from)),
            ("own_side_only", self.args.own_side_only.into()),
            ("seed", self.args.seed.into()),
            ("rules_version", Tubstap::RULES_VERSION.into()),
            ("measure", measure.into()),
            ("n", n.into()),
            ("value", own.value.into()),
            ("low", interval.low.into()),
            ("high", interval.high.into()),
            ("paper_n", paper.map_or(Value::Null, |_| paper_n.into())),
            ("paper_value", paper.map_or(Value::Null, |paper| paper.value.into())),
            ("z", paper.map_or(Value::Null, |paper| own.less(paper).z(0.0).into())),
            ("p", p.map_or(Value::Null, Value::from)),
        ]
    }
}

/// What a figure is of.
#[derive(Clone, Copy)]
struct Of {
    table: &'static str,
    map: usize,
    experiment: Option<&'static str>,
    kind: Option<&'static str>,
    seat: Option<Team>,
    depth: Option<usize>,
    seed_group: u32,
    simulations: u32,
}

impl Of {
    const fn is_papers(&self, session: &Session<'_>) -> bool {
        session.maps[self.map].is_papers
    }
}

const MATCH_HEADS: [&str; 11] = [
    "pruning", "map", "of", "moves", "games", "wins %", "losses %", "draws %", "paper: games", "wins / losses / draws %", "p",
];

const SCORE_HEADS: [&str; 10] =
    ["pruning", "map", "of", "first", "M-UCT (z)", "second", "M-UCT (z)", "both seats", "paper", "z"];

const fn seat(team: Team) -> &'static str {
    match team {
        Team::Red => "first",
        Team::Blue => "second",
    }
}

fn percent(rate: f64, low: f64, high: f64) -> String {
    format!("{:.1} [{:.1},{:.1}]", 100.0 * rate, 100.0 * low, 100.0 * high)
}

fn estimate(own: Estimate) -> String {
    let interval = own.interval();
    format!("{:.3} [{:.3},{:.3}]", own.value, interval.low, interval.high)
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { "<0.0001".into() } else { format!("{p:.4}") }
}

/// A number of standard errors; nothing where there is no error to measure by.
fn signed(z: f64) -> String {
    if z.is_finite() { format!("{z:+.1}") } else { String::new() }
}

/// The difference from a mean of the paper in standard errors, the paper's taken to be that of 100 searches of ours.
fn z_of_means(own: Estimate, profile: &Profile, paper: f64) -> f64 {
    let more = profile.searches.len() as f64 / depth::SEARCHES as f64;
    (own.value - paper) / (own.error * (1.0 + more).sqrt())
}
