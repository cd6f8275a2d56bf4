//! `fairground reproduce 002`: negotiation in Catan.

mod figures;

use std::io::{self, Write};
use std::path::PathBuf;

use fairground::batch::Evaluator;
use fairground::games::Game as _;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Catan, Map, Position, Strategy, TURN_CAP};
use fairground::papers::negotiation::agreement::{Agreement, Study};
use fairground::papers::negotiation::claims::{self, Cell};
use fairground::papers::negotiation::experiments::{Experiment, Reading, functions, proposers};
use fairground::papers::negotiation::variance::spread;
use fairground::papers::negotiation::{AGAINST_BUILDERS, GAMES_FROM_SEAT, MOVER_PLAYOUTS, SEARCHES};
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::contest::{Contest, Seating, Sits};
use fairground::players::catan::negotiation::choice::Seated;
use fairground::players::catan::negotiation::measures::Results;
use fairground::players::catan::negotiation::offers::{Shape, candidates};
use fairground::players::catan::negotiation::profit::Playouts;
use fairground::players::catan::table::{Played, Refused};
use fairground::players::catan::uct::Settings;
use fairground::players::thinking::Crowd;
use fairground::runs::{Directory, MANIFEST, Manifest};

use super::document::{Document, Part};
use crate::cli::contest::{Asks, at_a_time};
use crate::cli::games::GameArg;
use crate::cli::maps::{self, Named};
use crate::cli::output::{Format, grouped};
use crate::cli::run::{Progress, RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, say};

/// A thesis on negotiation in Catan: which trades to propose
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Figures 6 to 17 of the thesis beside ours: seats of random players, tree search against random players,\n\
    proposals by rules and by playouts, how often the two agree, and four functions of the profits of both\n\
    sides in five environments. Then what the thesis could not do: more playouts, playouts by a better\n\
    player, and what common random numbers save.\n\n\
    All other moves are made by tree search with 1,000 playouts in the thesis. The quick budget lets\n\
    `heuristic` make them in many games and a smaller search in few, and says so. The same seed gives\n\
    the same numbers on every backend and with any number of threads.\n\n\
    Ctrl-C reports what is finished; a second Ctrl-C stops at once.\n\n\
    Examples:\n  \
    fairground reproduce 002\n  \
    fairground reproduce 002 --out negotiation\n  \
    fairground reproduce 002 --mover uct:200 --scale 0.5 --format csv > negotiation.csv\n  \
    fairground reproduce 002 --budget thesis"
)]
pub struct Args {
    /// Maps to play on, as for match; the thesis does not say which it used [default: the built-in maps]
    #[arg(value_name = "MAP")]
    maps: Vec<String>,

    /// How much is played
    #[arg(long, default_value = "quick")]
    budget: Budget,

    /// Who makes all moves that are no negotiation; once for each time this is given [default: by --budget]
    #[arg(long, value_name = "PLAYER")]
    mover: Vec<Mover>,

    /// Play so many times as much as the budget says. Games are rounded up to the same number from every seat of every map,
    /// and what would be less than half a game is left out
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_scale)]
    scale: f64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    run: RunArgs,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    /// Write a report with all figures, and the figures alone, into this directory; made if it does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Budget {
    /// Few games, and moves by weaker players: minutes
    Quick,
    /// As much as in the thesis, and more playouts: weeks
    Thesis,
}

/// How much is played with one mover.
#[derive(Clone, Copy, Debug)]
struct Size {
    mover: Mover,
    /// Games of experiments by rules and by playouts.
    games: [u64; 2],
}

/// Negotiations whose choices are compared, by this many playouts of this sort.
type Compared = (u32, Strategy, usize);

impl Budget {
    fn sizes(self) -> Vec<Size> {
        let uct = |simulations| Mover::Uct(Settings { simulations, ..Settings::default() });
        match self {
            Self::Quick => vec![
                Size { mover: Mover::Policy(Strategy::Heuristic), games: [12_000, 96] },
                Size { mover: uct(20), games: [96, 24] },
            ],
            Self::Thesis => {
                let games = GAMES_FROM_SEAT * SEATS as u64;
                vec![Size { mover: uct(MOVER_PLAYOUTS), games: [games; 2] }]
            }
        }
    }

    /// Games of random players, and of each row of figure 7.
    const fn searches(self) -> (u64, [u64; SEARCHES.len()]) {
        match self {
            Self::Quick => (24_000, [480, 96, 48, 24]),
            Self::Thesis => (24_000, [4000, 4000, 4000, 400]),
        }
    }

    /// Games of each tree search against builders.
    const fn against_builders(self) -> [u64; AGAINST_BUILDERS.len()] {
        match self {
            Self::Quick => [96, 24],
            Self::Thesis => [4000, 400],
        }
    }

    const fn compared(self) -> [Compared; 5] {
        let (random, heuristic) = (Strategy::Random, Strategy::Heuristic);
        match self {
            Self::Quick => [
                (100, random, 1000),
                (1000, random, 200),
                (10_000, random, 24),
                (100, heuristic, 1000),
                (1000, heuristic, 200),
            ],
            Self::Thesis => [
                (100, random, 100_000),
                (1000, random, 100_000),
                (10_000, random, 10_000),
                (100, heuristic, 100_000),
                (1000, heuristic, 100_000),
            ],
        }
    }

    /// Proposals beyond the thesis against those who accept everything, and their games.
    const fn beyond(self) -> [(&'static str, u64); 5] {
        let games = match self {
            Self::Quick => [24, 0, 96, 24, 0],
            Self::Thesis => [4000, 400, 4000, 4000, 400],
        };
        [
            ("selfish:1000", games[0]),
            ("selfish:10000", games[1]),
            ("selfish:100,rollout=heuristic", games[2]),
            ("selfish:1000,rollout=heuristic", games[3]),
            ("selfish:10000,rollout=heuristic", games[4]),
        ]
    }

    /// Moments for the variance of differences, and playouts of every trade.
    const fn spread(self) -> (usize, u32) {
        match self {
            Self::Quick => (60, 400),
            Self::Thesis => (600, 1000),
        }
    }
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale| (0.001..=1000.0).contains(scale));
    scale.ok_or_else(|| "expected 0.001 to 1000".to_owned())
}

pub fn run(args: &Args) -> CliResult {
    if args.mover.iter().any(Mover::is_timed) {
        return Err(CliError::Usage(
            "--mover needs a player whose time is not limited, so that runs can be repeated".into(),
        ));
    }
    args.run.choice()?;
    let found = maps::find(&args.maps, Some(GameArg::Catan))?;
    let maps = if found.is_empty() {
        maps::builtin::<Catan>(&GameArg::Catan.builtin_names())
    } else {
        maps::load::<Catan>(found, args.run.quiet)?
    };
    crate::cli::contest::refuse_maps(&crate::cli::contest::same_maps(&maps, Position::start))?;
    // Before minutes of playing, not after.
    let directory = args.out.as_deref().map(|path| {
        if path.join(MANIFEST).exists() {
            return Err(CliError::Failed(format!("{}: there is a run in this directory already", path.display())));
        }
        Directory::create(path).map_err(|error| CliError::Failed(error.to_string()))
    });
    let directory = directory.transpose()?;
    let evaluator = args.run.open(args.run.choice()?)?;
    let session = Session { args, maps, evaluator };
    let document = session.report()?;
    if let Some(directory) = &directory {
        session.save(directory, &document).map_err(|error| CliError::Failed(error.to_string()))?;
        say(&format!("wrote {}", directory.path(REPORT).display()));
    }
    io::stdout().lock().write_all(document.written(args.format).as_bytes())?;
    Ok(())
}

/// The report for people.
const REPORT: &str = "report.html";

struct Session<'a> {
    args: &'a Args,
    maps: Vec<Named<Map>>,
    evaluator: Evaluator,
}

/// All experiments with one mover.
struct Block {
    mover: Mover,
    /// Figure 8, then figures 12 to 16.
    cells: Vec<Cell>,
    /// Figures 12 to 16 in the other reading.
    others: Vec<Cell>,
}

impl Session<'_> {
    fn sizes(&self) -> Vec<Size> {
        let usual = self.args.budget.sizes();
        if self.args.mover.is_empty() {
            return usual;
        }
        let size = |&mover: &Mover| {
            let as_cheap = usual.iter().find(|size| plays_other_reading(size.mover) == plays_other_reading(mover));
            Size { mover, games: as_cheap.or(usual.last()).map_or([0; 2], |size| size.games) }
        };
        self.args.mover.iter().map(size).collect()
    }

    /// As much of a number as is asked for.
    fn scaled(&self, number: u64) -> u64 {
        (number as f64 * self.args.scale).round() as u64
    }

    /// So many games from every map that all seats get the same number.
    fn games_of_map(&self, games: u64) -> u64 {
        self.scaled(games).div_ceil((self.maps.len() * SEATS) as u64) * SEATS as u64
    }

    fn contest<P: Sits>(&self, players: [P; SEATS], games: u64) -> Contest<P> {
        Contest {
            starts: self.maps.iter().map(|(_, map)| Position::start(map)).collect(),
            players,
            games: self.games_of_map(games),
            has_rotation: true,
            turn_cap: TURN_CAP,
        }
    }

    /// Plays a contest; keeps the games before the first that is not finished.
    fn play<P: Sits + Asks>(
        &self,
        contest: &Contest<P>,
        progress: &Progress,
        keeps_moments: bool,
    ) -> Result<(Results, Vec<Position>), CliError> {
        let most = usize::try_from(contest.len()).unwrap_or(usize::MAX);
        let at_a_time = at_a_time(&self.evaluator, &contest.players).min(most);
        let crowd = Crowd { evaluator: &self.evaluator, seed: self.args.seed, at_a_time };
        let keep = |seating: Seating, played: Result<Played, Refused>| {
            played.map(|mut played| {
                let tested = seating.seat_of(0);
                played.moments.retain(|moment| {
                    usize::from(moment.mover) == tested && !candidates(moment, Shape::ONE_FOR_ONE).is_empty()
                });
                (Results::of(&seating, &played), played.moments)
            })
        };
        let (kept, _) = if keeps_moments {
            contest.play_keeping_moments(&crowd, keep, progress)?
        } else {
            contest.play(&crowd, keep, progress)?
        };
        let (mut results, mut moments) = (Results::default(), Vec::new());
        for (counted, (number, game)) in (0..).zip(kept) {
            let (game, more) = game.map_err(|refused| CliError::Failed(refused.to_string()))?;
            if number != counted {
                break;
            }
            results.merge(&game);
            moments.extend(more);
        }
        Ok((results, moments))
    }

    fn experiment(
        &self,
        experiment: Experiment,
        mover: Mover,
        games: u64,
        progress: &Progress,
        keeps_moments: bool,
    ) -> Result<(Cell, Vec<Position>), CliError> {
        let players = experiment.seated().map_err(|wrong| CliError::Failed(wrong.to_string()))?;
        let contest = self.contest(players.map(|negotiates| Seated { negotiates, plays: mover }), games);
        let (results, moments) =
            if is_stopped() { Default::default() } else { self.play(&contest, progress, keeps_moments)? };
        Ok((Cell { experiment, results }, moments))
    }

    /// Everything, and what follows from it.
    fn report(&self) -> Result<Document, CliError> {
        let mut document = Document::default();
        let budget = self.args.budget;
        let (random_games, searches) = budget.searches();
        let sizes = self.sizes();
        let usual = proposers();
        let of = |games: u64| self.games_of_map(games) * self.maps.len() as u64;
        let beyond: u64 = budget.beyond().iter().map(|(_, games)| of(*games)).sum();
        let in_blocks = |size: &Size| {
            let rules = usual.iter().filter(|experiment| !experiment.has_playouts()).count() as u64;
            let functions = 20 * (1 + u64::from(plays_other_reading(size.mover)));
            of(size.games[0]) * (rules + functions) + of(size.games[1]) * (usual.len() as u64 - rules)
        };
        let all = of(random_games)
            + searches.iter().map(|&games| of(games)).sum::<u64>()
            + 2 * budget.against_builders().iter().map(|&games| of(games)).sum::<u64>()
            + sizes.iter().map(in_blocks).sum::<u64>()
            + beyond;
        let progress = self.args.run.progress(all, "games", None);
        self.add_conditions(&mut document, &sizes);

        let random = Mover::Policy(Strategy::Random);
        let (seats, _) = self.play(&self.contest([random; SEATS], random_games), &progress, false)?;
        let mut curve = Vec::new();
        for (search, games) in SEARCHES.iter().zip(searches).filter(|(_, games)| self.scaled(*games) > 0) {
            let uct = Mover::Uct(Settings { simulations: search.playouts, ..Settings::default() });
            if !is_stopped() {
                curve.push((
                    *search,
                    self.play(&self.contest([uct, random, random, random], games), &progress, false)?.0,
                ));
            }
        }
        self.add_searches(&mut document, &seats, &curve);
        let mut against_builders = Vec::new();
        for rollout in [Strategy::Random, Strategy::Heuristic] {
            let builder = Mover::Policy(Strategy::Heuristic);
            let searches = AGAINST_BUILDERS.into_iter().zip(budget.against_builders());
            for ((simulations, robots), games) in searches.filter(|(_, games)| self.scaled(*games) > 0) {
                let uct = Mover::Uct(Settings { simulations, rollout, ..Settings::default() });
                if !is_stopped() {
                    let contest = self.contest([uct, builder, builder, builder], games);
                    against_builders.push((uct, robots, self.play(&contest, &progress, false)?.0));
                }
            }
        }
        self.add_against_builders(&mut document, &against_builders);

        let (mut blocks, mut moments) = (Vec::new(), Vec::new());
        for Size { mover, games } in sizes {
            let mut block = Block { mover, cells: Vec::new(), others: Vec::new() };
            for experiment in usual.iter().cloned().chain(functions(Reading::Usual)) {
                let has_playouts = experiment.has_playouts();
                // The thesis' negotiations are those of the player by playouts.
                let keeps_moments = has_playouts && experiment.players.ends_with("accept-all") && moments.is_empty();
                let games = games[usize::from(has_playouts)];
                let (cell, more) = self.experiment(experiment, mover, games, &progress, keeps_moments)?;
                moments.extend(more);
                block.cells.push(cell);
            }
            if plays_other_reading(mover) {
                for experiment in functions(Reading::Other) {
                    block.others.push(self.experiment(experiment, mover, games[0], &progress, false)?.0);
                }
            }
            blocks.push(block);
        }
        let mut further = Vec::new();
        let mover = blocks.first().map_or(random, |block| block.mover);
        for (player, games) in budget.beyond().into_iter().filter(|(_, games)| self.scaled(*games) > 0) {
            let mut experiment = usual[3].clone();
            experiment.players = format!("{player},accept-all");
            experiment.name = player.into();
            further.push(self.experiment(experiment, mover, games, &progress, false)?.0);
        }
        progress.bar.finish_and_clear();

        self.add_proposers(&mut document, &blocks);
        let agreements = self.add_agreement(&mut document, &moments)?;
        self.add_functions(&mut document, &blocks);
        self.add_beyond(&mut document, mover, blocks.first().map_or(&[], |block| &block.cells), &further);
        self.add_spread(&mut document, &moments)?;
        document.parts.push(Part::Heading("The thesis' claims".into()));
        for block in &blocks {
            let lines = [claims::of_proposers(&block.cells), claims::of_functions(&block.cells)].concat();
            document.parts.push(Part::Lines(vec![format!("With moves by {}:", block.mover)]));
            document.parts.push(Part::Lines(lines));
        }
        document.parts.push(Part::Lines(claims::of_agreement(&agreements)));
        if is_stopped() {
            let note = "stopped on request: experiments with fewer games than planned, or none, were not finished";
            say(note);
            document.parts.insert(0, Part::Lines(vec![note.into()]));
        }
        Ok(document)
    }

    /// Compares choices by playouts with those by rules.
    fn compare(&self, moments: &[Position]) -> Result<Vec<(Compared, Agreement)>, CliError> {
        let scaled = |(playouts, rollout, number): Compared| (playouts, rollout, self.scaled(number as u64) as usize);
        let compared: Vec<_> =
            self.args.budget.compared().map(scaled).into_iter().filter(|(.., number)| *number > 0).collect();
        let all: usize = compared.iter().map(|(.., number)| moments.len().min(*number)).sum();
        let progress = self.args.run.progress(all as u64, "negotiations", None);
        let mut found = Vec::new();
        for (playouts, rollout, number) in compared {
            let thinned = thin(moments, number);
            let playouts_of = Playouts { rollout, ..Playouts::new(playouts) };
            let study = Study { moments: &thinned, playouts: playouts_of, seed: self.args.seed };
            found.push(((playouts, rollout, number), study.compare(&self.evaluator, &progress)?));
        }
        progress.bar.finish_and_clear();
        Ok(found)
    }

    /// What common random numbers save.
    fn add_spread(&self, document: &mut Document, moments: &[Position]) -> CliResult {
        let (number, playouts) = self.args.budget.spread();
        let moments = thin(moments, self.scaled(number as u64) as usize);
        if moments.len() < 2 || is_stopped() {
            return Ok(());
        }
        let mut rows = Vec::new();
        for rollout in [Strategy::Random, Strategy::Heuristic] {
            let found = spread(&self.evaluator, &moments, rollout, playouts, self.args.seed)?;
            let (ratio, interval) = found.ratio();
            let saved = fairground::stats::Interval { low: 1.0 - interval.high, high: 1.0 - interval.low };
            rows.push(vec![
                rollout.name().into(),
                found.variances.len().to_string(),
                grouped(playouts.into()),
                super::tubstap::percent((1.0 - ratio, saved)),
            ]);
            let value =
                figures::Value { value: 1.0 - ratio, interval: saved, thesis: None, n: found.variances.len() as u64 };
            self.add_value(document, "common random numbers", rollout.name(), "", "variance saved", value);
        }
        document.parts.push(Part::Heading("Common random numbers".into()));
        document
            .parts
            .push(Part::table(&["playouts by", "negotiations", "playouts of a trade", "variance saved %"], rows));
        Ok(())
    }

    /// Files of a run directory.
    fn save(&self, directory: &Directory, document: &Document) -> Result<(), fairground::runs::DirectoryError> {
        let manifest = Manifest {
            command_line: std::env::args().collect(),
            program_version: env!("CARGO_PKG_VERSION").into(),
            rules_version: Catan::RULES_VERSION.into(),
            backend: self.evaluator.backend().to_string(),
            cpu: crate::cli::bench::cpu_model(),
            gpu: None,
            plan: format!("{:?}, seed {}", self.args.budget, self.args.seed),
        };
        directory.write_manifest(&manifest)?;
        directory.write(REPORT, document.html("Negotiation in Catan").as_bytes())?;
        directory.write("report.md", document.markdown().as_bytes())?;
        directory.write("results.jsonl", document.written(Format::Json).as_bytes())?;
        for picture in document.pictures() {
            directory.write(&picture.file, picture.svg.as_bytes())?;
        }
        Ok(())
    }
}

/// Whether games by this mover are cheap enough to try both readings of the thesis.
const fn plays_other_reading(mover: Mover) -> bool {
    matches!(mover, Mover::Policy(_))
}

/// So many of all moments, evenly.
fn thin(moments: &[Position], number: usize) -> Vec<Position> {
    let number = number.min(moments.len());
    (0..number).map(|index| moments[index * moments.len() / number.max(1)]).collect()
}
