//! `fairground reproduce 002`: negotiation in Catan.

mod beyond;
mod budget;
mod figures;
mod functions;
mod speed;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use fairground::batch::Evaluator;
use fairground::games::Game as _;
use fairground::games::catan::tables::SEATS;
use fairground::games::catan::{Catan, Map, Position, Strategy, TURN_CAP};
use fairground::papers::negotiation::agreement::{Agreement, Study};
use fairground::papers::negotiation::claims::{self, Cell};
use fairground::papers::negotiation::experiments::{Experiment, Reading, functions, proposers};
use fairground::papers::negotiation::{AGAINST_BUILDERS, Moment, SEARCHES, Search};
use fairground::players::catan::choice::Choice as Mover;
use fairground::players::catan::contest::{Contest, Kept, Seating, Sits};
use fairground::players::catan::negotiation::choice::Seated;
use fairground::players::catan::negotiation::measures::Results;
use fairground::players::catan::negotiation::offers::{Shape, candidates};
use fairground::players::catan::negotiation::profit::Playouts;
use fairground::players::catan::table::{Played, Refused};
use fairground::players::catan::uct::Settings;
use fairground::players::thinking::Crowd;
use fairground::runs::{Directory, MANIFEST, Manifest};

use super::document::{self, Document, Part};
use crate::cli::contest::{Asks, at_a_time};
use crate::cli::games::GameArg;
use crate::cli::maps::{self, Named};
use crate::cli::output::Format;
use crate::cli::run::{Progress, RunArgs, is_stopped};
use crate::cli::{CliError, CliResult, say};
use budget::{Budget, Compared, Size};
use speed::Speed;

/// A thesis on negotiation in Catan: which trades to propose
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Figures 6 to 17 of the thesis beside ours: seats of random players, tree search against random players,\n\
    proposals by rules and by playouts, how often the two agree, and four functions of the profits of both\n\
    sides in five environments. Then what the thesis could not do: more playouts, playouts by a better\n\
    player or judged by points, what the trades are worth that each of them chooses, what common random\n\
    numbers save, and how long games take.\n\n\
    All other moves are made by tree search with 1,000 playouts in the thesis. The quick budget lets\n\
    `heuristic` make them in many games and a smaller search in few; the report begins with all that\n\
    was reduced. The same seed gives the same numbers on every backend and with any number of threads,\n\
    but for the time: in JSON it is in lines of their own, `timing`.\n\n\
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
    /// on fewer maps where they are few, and what would be less than half a game is left out
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

/// Figure 7, and tree searches against builders.
type Searched = (Vec<(Search, Results)>, Vec<Against>);

/// A tree search against builders.
struct Against {
    uct: Mover,
    /// What SmartSettlers won against robots, in percent.
    robots: f64,
    results: Results,
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

    /// How many maps games are played on, and so many games on each that all seats get the same number.
    fn plan(&self, games: u64) -> (usize, u64) {
        let rounds = self.scaled(games).div_ceil(SEATS as u64);
        let maps = rounds.min(self.maps.len() as u64);
        (maps as usize, rounds.div_ceil(maps.max(1)) * SEATS as u64)
    }

    /// Games that are played where the budget says so many.
    fn games(&self, games: u64) -> u64 {
        let (maps, of_map) = self.plan(games);
        maps as u64 * of_map
    }

    fn contest<P: Sits>(&self, players: [P; SEATS], games: u64) -> Contest<P> {
        let (maps, games) = self.plan(games);
        Contest {
            starts: thin(&self.maps, maps).iter().map(|(_, map)| Position::start(map)).collect(),
            players,
            games,
            has_rotation: true,
            turn_cap: TURN_CAP,
        }
    }

    /// Who plays so many games at once.
    fn crowd(&self, at_a_time: usize, games: u64) -> Crowd<'_> {
        let at_a_time = at_a_time.min(usize::try_from(games).unwrap_or(usize::MAX));
        Crowd { evaluator: &self.evaluator, seed: self.args.seed, at_a_time }
    }

    /// Plays a contest; keeps the games before the first that is not finished.
    fn play<P: Sits + Asks>(
        &self,
        contest: &Contest<P>,
        progress: &Progress,
        speed: &mut Speed,
        keeps_moments: bool,
    ) -> Result<(Results, Vec<Moment>), CliError> {
        if is_stopped() || contest.is_empty() {
            return Ok(Default::default());
        }
        let crowd = self.crowd(at_a_time(&self.evaluator, &contest.players), contest.len());
        let keep = |seating: Seating, played: Result<Played, Refused>| {
            played.map(|mut played| {
                let tested = seating.seat_of(0);
                played.moments.retain(|moment| {
                    usize::from(moment.mover) == tested && !candidates(moment, Shape::ONE_FOR_ONE).is_empty()
                });
                (Results::of(&seating, &played), played.moments)
            })
        };
        let began = Instant::now();
        let (kept, batches) = if keeps_moments {
            contest.play_keeping_moments(&crowd, keep, progress)?
        } else {
            contest.play(&crowd, keep, progress)?
        };
        speed.add(kept.len() as u64, began.elapsed(), &batches);
        counted(kept)
    }

    /// Plays several contests as one crowd.
    fn play_together(
        &self,
        contests: &[Contest],
        progress: &Progress,
        speed: &mut Speed,
    ) -> Result<Vec<Results>, CliError> {
        let games: u64 = contests.iter().map(Contest::len).sum();
        if is_stopped() || games == 0 {
            return Ok(vec![Results::default(); contests.len()]);
        }
        let most = contests.iter().map(|contest| at_a_time(&self.evaluator, &contest.players)).max();
        let crowd = self.crowd(most.unwrap_or(1), games);
        let keep = |_, seating: Seating, played: Result<Played, Refused>| {
            played.map(|played| (Results::of(&seating, &played), Vec::new()))
        };
        let began = Instant::now();
        let (kept, batches) = Contest::play_together(contests, &crowd, keep, progress)?;
        speed.add(kept.iter().map(|kept| kept.len() as u64).sum(), began.elapsed(), &batches);
        kept.into_iter().map(|kept| Ok(counted(kept)?.0)).collect()
    }

    fn experiment(
        &self,
        experiment: Experiment,
        mover: Mover,
        games: u64,
        progress: &Progress,
        speed: &mut Speed,
        keeps_moments: bool,
    ) -> Result<(Cell, Vec<Moment>), CliError> {
        let players = experiment.seated().map_err(|wrong| CliError::Failed(wrong.to_string()))?;
        let contest = self.contest(players.map(|negotiates| Seated { negotiates, plays: mover }), games);
        let (results, moments) = self.play(&contest, progress, speed, keeps_moments)?;
        Ok((Cell { experiment, results }, moments))
    }

    /// Games of all parts.
    fn all_games(&self, sizes: &[Size]) -> u64 {
        let budget = self.args.budget;
        let usual = proposers();
        let of = |games: &[u64]| games.iter().map(|&games| self.games(games)).sum::<u64>();
        let in_blocks = |size: &Size| {
            let rules = usual.iter().filter(|experiment| !experiment.has_playouts()).count() as u64;
            let functions = 20 * (1 + u64::from(plays_other_reading(size.mover)));
            self.games(size.games[0]) * (rules + functions) + self.games(size.games[1]) * (usual.len() as u64 - rules)
        };
        let (random, searches) = budget.searches();
        of(&[random])
            + of(&searches)
            + 2 * of(&budget.against_builders())
            + sizes.iter().map(in_blocks).sum::<u64>()
            + of(&budget.beyond().map(|(_, games)| games))
            + speed::TIMED.len() as u64 * self.games(budget.timed())
    }

    /// Everything, and what follows from it.
    fn report(&self) -> Result<Document, CliError> {
        let mut document = Document::default();
        let mut speeds = Vec::new();
        let budget = self.args.budget;
        let sizes = self.sizes();
        let usual = proposers();
        let progress = self.args.run.progress(self.all_games(&sizes), "games", None);
        document.parts.push(Part::Lines(self.conditions(&sizes)));

        let random = Mover::Policy(Strategy::Random);
        let contest = self.contest([random; SEATS], budget.searches().0);
        let (seats, _) = self.play(&contest, &progress, &mut Speed::default(), false)?;
        let mut speed = Speed::new("figure 7 and tree search against builders".into());
        let (curve, against_builders) = self.search(&progress, &mut speed)?;
        speeds.push(speed);
        self.add_searches(&mut document, &seats, &curve);
        self.add_against_builders(&mut document, &against_builders);

        let (mut blocks, mut moments) = (Vec::new(), Vec::new());
        for Size { mover, games } in sizes {
            let mut block = Block { mover, cells: Vec::new(), others: Vec::new() };
            let names = ["by rules", "by 100 playouts"].map(|by| format!("figures 8 to 17 {by}, moves by {mover}"));
            let [mut by_rules, mut by_playouts] = names.map(Speed::new);
            by_playouts.thesis = 100;
            for experiment in usual.iter().cloned().chain(functions(Reading::Usual)) {
                let has_playouts = experiment.has_playouts();
                // The thesis' negotiations are those of the player by playouts.
                let keeps_moments = has_playouts && experiment.players.ends_with("accept-all") && moments.is_empty();
                let games = games[usize::from(has_playouts)];
                let speed = if has_playouts { &mut by_playouts } else { &mut by_rules };
                let (cell, more) = self.experiment(experiment, mover, games, &progress, speed, keeps_moments)?;
                moments.extend(more);
                block.cells.push(cell);
            }
            if plays_other_reading(mover) {
                for experiment in functions(Reading::Other) {
                    let (cell, _) = self.experiment(experiment, mover, games[0], &progress, &mut by_rules, false)?;
                    block.others.push(cell);
                }
            }
            blocks.push(block);
            speeds.extend([by_rules, by_playouts]);
        }
        let mut further = Vec::new();
        let mover = blocks.first().map_or(random, |block| block.mover);
        for (player, games) in budget.beyond().into_iter().filter(|(_, games)| self.games(*games) > 0) {
            let mut experiment = usual[3].clone();
            experiment.players = format!("{player},accept-all");
            experiment.name = player.into();
            let mut speed = Speed::new(format!("{player}, moves by {mover}"));
            further.push(self.experiment(experiment, mover, games, &progress, &mut speed, false)?.0);
            speeds.push(speed);
        }
        let timed = self.time(&progress)?;
        progress.bar.finish_and_clear();

        self.add_proposers(&mut document, &blocks);
        let agreements = self.add_agreement(&mut document, &moments)?;
        self.add_functions(&mut document, &blocks);
        let known = blocks.first().map_or(&[][..], |block| &block.cells);
        self.add_beyond(&mut document, mover, known, &further);
        let quality = self.add_quality(&mut document, &moments)?;
        self.add_spread(&mut document, &moments)?;
        self.add_speed(&mut document, &speeds, &timed);
        document.parts.push(Part::Heading("The thesis' claims".into()));
        document.parts.push(Part::Lines(claims::of_searches(&curve)));
        for block in &blocks {
            let lines = [claims::of_proposers(&block.cells), claims::of_functions(&block.cells)].concat();
            document.parts.push(Part::Lines(vec![format!("With moves by {}:", block.mover)]));
            let other = claims::with_text_of_profit_first(&block.cells, &block.others);
            let mut others = if block.others.is_empty() { Vec::new() } else { claims::of_functions(&other) };
            others.retain(|line| !lines.contains(line));
            document.parts.push(Part::Lines(lines));
            if !others.is_empty() {
                document.parts.push(Part::Lines(vec![format!(
                    "With moves by {} and profit-first as its text reads, a partner with a profit:",
                    block.mover
                )]));
                document.parts.push(Part::Lines(others));
            }
        }
        document.parts.push(Part::Lines(claims::of_agreement(&agreements)));
        let beyond = claims::of_beyond(known, &further, &quality, &beyond::METHODS);
        if !beyond.is_empty() {
            document.parts.push(Part::Heading("Beyond the thesis: what helps".into()));
            document.parts.push(Part::Lines(beyond));
        }
        if is_stopped() {
            let note = "stopped on request: experiments with fewer games than planned, or none, were not finished";
            say(note);
            document.parts.insert(0, Part::Lines(vec![note.into()]));
        }
        Ok(document)
    }

    /// Figure 7 and tree searches against builders, as one crowd: there are few of the dear games, which are begun first.
    fn search(&self, progress: &Progress, speed: &mut Speed) -> Result<Searched, CliError> {
        let (_, searches) = self.args.budget.searches();
        let wrong = |text: &str| CliError::Failed(format!("{text} is no player"));
        let read = |text: &'static str| text.parse::<Mover>().map_err(|_| wrong(text));
        let mut rows = Vec::new();
        for (search, games) in SEARCHES.iter().zip(searches) {
            rows.push((read(search.player)?, read(search.against)?, games));
        }
        let mut builders = Vec::new();
        for rollout in [Strategy::Random, Strategy::Heuristic] {
            for ((simulations, robots), games) in AGAINST_BUILDERS.into_iter().zip(self.args.budget.against_builders())
            {
                let uct = Mover::Uct(Settings { simulations, rollout, ..Settings::default() });
                rows.push((uct, Mover::Policy(Strategy::Heuristic), games));
                builders.push((uct, robots));
            }
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&row| std::cmp::Reverse(simulations(rows[row].0)));
        let contest = |&row: &usize| {
            let (player, against, games) = rows[row];
            self.contest([player, against, against, against], games)
        };
        let contests: Vec<_> = order.iter().map(contest).collect();
        let mut played: Vec<_> = order.into_iter().zip(self.play_together(&contests, progress, speed)?).collect();
        played.sort_by_key(|(row, _)| *row);
        let mut results = played.into_iter().map(|(_, results)| results);
        let curve = SEARCHES.into_iter().zip(results.by_ref()).filter(|(_, results)| results.games() > 0).collect();
        let builders = builders.into_iter().zip(results).filter(|(_, results)| results.games() > 0);
        let builders = builders.map(|((uct, robots), results)| Against { uct, robots, results }).collect();
        Ok((curve, builders))
    }

    /// Compares choices by playouts with those by rules. Moments for more playouts are among those for fewer.
    fn compare(&self, moments: &[Moment]) -> Result<Vec<(Compared, Agreement)>, CliError> {
        let scaled = |(playouts, rollout, number): Compared| (playouts, rollout, self.scaled(number as u64) as usize);
        let compared: Vec<_> =
            self.args.budget.compared().map(scaled).into_iter().filter(|(.., number)| *number > 0).collect();
        let all: usize = compared.iter().map(|(.., number)| moments.len().min(*number)).sum();
        let progress = self.args.run.progress(all as u64, "negotiations", None);
        let mut found = Vec::new();
        let mut thinned = moments.to_vec();
        for (playouts, rollout, number) in compared {
            thinned = thin(if number > thinned.len() { moments } else { &thinned }, number);
            let playouts_of = Playouts { rollout, ..Playouts::new(playouts) };
            let study = Study { moments: &thinned, playouts: playouts_of, seed: self.args.seed };
            let agreement = study.compare(&self.evaluator, &progress)?;
            if !agreement.0.is_empty() {
                found.push(((playouts, rollout, number), agreement));
            }
        }
        progress.bar.finish_and_clear();
        Ok(found)
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
        directory.write("results.jsonl", document::lines(&document.records).as_bytes())?;
        directory.write("timing.jsonl", document::lines(&document.timing).as_bytes())?;
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

/// Playouts of an action.
const fn simulations(player: Mover) -> u32 {
    match player {
        Mover::Uct(Settings { simulations, .. }) => simulations,
        Mover::Policy(_) => 0,
    }
}

/// What is kept of a game.
type Game = (Results, Vec<Position>);

/// The games before the first that is not finished, and their moments by the number of the game.
fn counted(kept: Kept<Result<Game, Refused>>) -> Result<(Results, Vec<Moment>), CliError> {
    let (mut results, mut moments) = (Results::default(), Vec::new());
    for (counted, (number, game)) in (0..).zip(kept) {
        let (game, more) = game.map_err(|refused| CliError::Failed(refused.to_string()))?;
        if number != counted {
            break;
        }
        results.merge(&game);
        moments.extend(more.into_iter().map(|position| Moment { game: number, position }));
    }
    Ok((results, moments))
}

/// So many of all, evenly.
fn thin<T: Clone>(all: &[T], number: usize) -> Vec<T> {
    let number = number.min(all.len());
    (0..number).map(|index| all[index * all.len() / number.max(1)].clone()).collect()
}
