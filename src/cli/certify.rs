//! `fairground certify`: proof that the seats of a map are equal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use fairground::batch::{BackendChoice, EvaluateError, Evaluator};
use fairground::certify::{
    Certificate, Certification, MAX_GAMES, Plan, PlanError, Record, Together, Verdict, together,
};
use fairground::games::Game;
use fairground::games::catan::{Catan, Strategy};
use fairground::runs::{CHECKPOINT, Directory, Manifest};
use fairground::stats::seats::evidence::Correction;

use super::catan::{MapArgs, PlayerArgs, manifest, note, parse_points};
use super::output::{Format, Table, csv, grouped};
use super::run::{Progress, RunArgs};
use super::{CliError, CliResult, say};

/// Certify that the seats of maps of Catan are equal, by fresh games, or check certificates
#[derive(Debug, clap::Args)]
#[command(after_help = NOTES)]
pub struct Args {
    #[command(flatten)]
    maps: MapArgs,

    #[command(flatten)]
    players: PlayerArgs,

    /// Certify that the true spread between seats is below so many percentage points
    #[arg(long, value_name = "POINTS", default_value_t = 0.28, value_parser = parse_points)]
    sigma: f64,

    /// How often a certificate may be wrong
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_level)]
    level: f64,

    /// With several maps, what the level bounds
    #[arg(long, default_value = "e-bh")]
    correction: CorrectionArg,

    /// Games of each map at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES))]
    max_games: u64,

    /// Directory for the certificates; made if it does not exist [default: runs/certify-0001, or the next number]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["resume", "verify"])]
    out: Option<PathBuf>,

    /// Go on with the run of this directory, with its maps and options
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "maps", "verify", "policy", "turn_cap", "seed", "sigma", "level", "correction", "max_games"
    ])]
    resume: Option<PathBuf>,

    /// Play the games of these certificates, or of all in a directory, again and say whether everything is as stated
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = [
        "maps", "format", "policy", "turn_cap", "seed", "sigma", "level", "correction", "max_games"
    ])]
    verify: Vec<PathBuf>,

    /// How to write the results
    #[arg(long, default_value = "table")]
    format: Format,

    #[command(flatten)]
    run: RunArgs,
}

const NOTES: &str = "Every 2,000 games the evidence is looked at: the E value weighs no spread and one of half the bound\n\
    against the bound. A map is certified at 20 (for the level 0.05) and dropped at 1/20. One may look as often\n\
    as one likes: of maps whose true spread is the bound or more at most one in twenty is ever certified.\n\
    With several maps the wrong ones are at most that share of the certified (e-bh), or there is one at all with\n\
    at most that probability (bonferroni). A certificate speaks only for the players that played.\n\n\
    The games are fresh: no other command plays them; find and reproduce certify with seeds of their own. But\n\
    trying other seeds until one certifies would prove nothing.\n\n\
    Each map gets a file with the map, players, seed, games, wins and verdict, from which --verify plays the\n\
    games again; given all files of a run, it also checks that they are certified together. Ctrl-C keeps what is finished, and --resume goes on.\n\n\
    Examples:\n  \
    fairground certify maps/ --sigma 0.28 --out certified\n  \
    fairground certify spread --policy random --max-games 2000000\n  \
    fairground certify --resume certified\n  \
    fairground certify --verify certified/certificates";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CorrectionArg {
    /// The share of wrong ones among the certified maps
    EBh,
    /// The probability of any wrong one
    Bonferroni,
}

pub fn parse_level(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0 && number < 1.0);
    number.ok_or_else(|| "expected a share, more than 0 and less than 1".into())
}

impl From<PlanError> for CliError {
    fn from(error: PlanError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub fn run(args: &Args) -> CliResult {
    let choice = args.run.choice()?;
    if !args.verify.is_empty() {
        return verify(args, choice);
    }
    let (directory, certification, evaluator) = match &args.resume {
        Some(path) => args.go_on(path, choice)?,
        None => args.begin(choice)?,
    };
    Session { args, directory, certification, evaluator }.certify()
}

type Begun = (Directory, Certification, Evaluator);

impl Args {
    fn begin(&self, choice: BackendChoice) -> Result<Begun, CliError> {
        let policy = self.players.policy()?;
        let mut maps = Vec::new();
        for (name, map) in self.maps.load(self.run.quiet)? {
            let value = serde_json::to_value(&map).map_err(io::Error::from)?;
            maps.push((name, value));
        }
        let plan = Plan {
            players: policy.seats.map(|strategy: Strategy| strategy.name().to_owned()),
            turn_cap: policy.turn_cap,
            sigma_points: self.sigma,
            level: self.level,
            correction: match self.correction {
                CorrectionArg::EBh => Correction::EBh,
                CorrectionArg::Bonferroni => Correction::Bonferroni,
            },
            max_games: self.max_games,
            seed: self.players.seed,
            maps,
            room: 0,
        };
        // A wrong plan shall not leave a directory behind.
        let certification = Certification::new(plan.clone())?;
        let evaluator = self.run.open(choice)?;
        let directory = match &self.out {
            Some(path) => Directory::create(path)?,
            None => Directory::create_numbered(Path::new("runs"), "certify")?,
        };
        directory.write_manifest(&manifest(&evaluator, Catan::RULES_VERSION.into(), plan))?;
        Ok((directory, certification, evaluator))
    }

    fn go_on(&self, path: &Path, choice: BackendChoice) -> Result<Begun, CliError> {
        let directory = Directory::open(path)?;
        let manifest: Manifest<Plan> = directory.read_manifest(Catan::RULES_VERSION)?;
        let certification = match directory.read_checkpoint::<Vec<Record>>()? {
            None => Certification::new(manifest.plan)?,
            Some(records) => Certification::resume(manifest.plan, records)
                .map_err(|error| directory.refuse(CHECKPOINT, error.to_string()))?,
        };
        let evaluator = self.run.open(choice)?;
        Ok((directory, certification, evaluator))
    }
}

/// Time after which the games so far are saved.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// One run of the command.
struct Session<'a> {
    args: &'a Args,
    directory: Directory,
    certification: Certification,
    evaluator: Evaluator,
}

impl Session<'_> {
    fn certify(mut self) -> CliResult {
        if !self.args.run.quiet {
            say(&format!("run directory: {}", self.directory.path("").display()));
        }
        let plan = self.certification.plan();
        let progress = self.args.run.progress(plan.max_games.saturating_mul(plan.maps.len() as u64), "games", None);
        for record in self.certification.records() {
            self.advance_bar(&progress, record.games, record);
        }
        let played = self.play(&progress);
        progress.bar.finish_and_clear();
        played?;
        let files: Vec<_> = (0..self.certification.records().len()).map(|map| self.file_name(map)).collect();
        // What a killed process had decided but not written.
        for (map, file) in files.iter().enumerate() {
            if !self.directory.path(file).exists() {
                self.write(map)?;
            }
        }
        let certificates: Vec<_> = (0..files.len()).filter_map(|map| self.certification.certificate(map)).collect();
        let paths: Vec<_> = files.iter().map(|file| self.directory.path(file).display().to_string()).collect();
        write_results(self.args.format, &certificates, &paths)
    }

    fn play(&mut self, progress: &Progress) -> CliResult {
        let mut saved = Instant::now();
        while !self.certification.is_finished() {
            let result = self.certification.advance(&self.evaluator, progress);
            let decided = match result {
                Ok(decided) => decided,
                Err(error) => {
                    self.save()?;
                    return Err(self.explain(error));
                }
            };
            for &map in &decided {
                self.write(map)?;
                self.advance_bar(progress, 0, &self.certification.records()[map]);
            }
            if !decided.is_empty() || saved.elapsed() >= SAVE_EVERY {
                self.save()?;
                saved = Instant::now();
            }
        }
        Ok(())
    }

    /// Games, and those that will not be played because there is a verdict.
    fn advance_bar(&self, progress: &Progress, games: u64, record: &Record) {
        let spared = record.verdict.map_or(0, |_| self.certification.plan().max_games.saturating_sub(record.games));
        progress.bar.inc(games + spared);
    }

    fn save(&self) -> CliResult {
        Ok(self.directory.write_checkpoint(&self.certification.records())?)
    }

    /// The file of a map's certificate: its number and its name.
    fn file_name(&self, map: usize) -> String {
        let maps = &self.certification.plan().maps;
        let width = maps.len().to_string().len().max(2);
        let stem = Path::new(&maps[map].0).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
        let stem: String = stem.chars().map(|c| if c.is_control() || "/\\:".contains(c) { '_' } else { c }).collect();
        format!("certificates/{:0width$}-{stem}.json", map + 1)
    }

    fn write(&self, map: usize) -> CliResult {
        let Some(certificate) = self.certification.certificate(map) else { return Ok(()) };
        Ok(self.directory.write(&self.file_name(map), certificate.write().as_bytes())?)
    }

    fn explain(&self, error: EvaluateError) -> CliError {
        let EvaluateError::Stopped = error else { return error.into() };
        let records = self.certification.records();
        let finished = records.iter().filter(|record| record.verdict.is_some()).count();
        let path = self.directory.path("");
        CliError::Failed(format!(
            "stopped on request: {finished} of {} maps are finished; `fairground certify --resume {}` goes on",
            records.len(),
            path.display()
        ))
    }
}

fn heads() -> Vec<String> {
    let seats = Catan::SEATS.iter().map(|seat| format!("{seat} %"));
    let rest = ["spread pp", "E", "verdict", "certificate"].map(String::from);
    ["map", "games"].map(String::from).into_iter().chain(seats).chain(rest).collect()
}

fn cells(certificate: &Certificate, path: &str) -> Vec<String> {
    let decided = certificate.seat_wins.iter().sum::<u64>().max(1);
    let seats = certificate.seat_wins.iter().map(|&wins| format!("{:.2}", 100.0 * wins as f64 / decided as f64));
    let rest = [
        format!("{:.3}", certificate.spread_points),
        if certificate.e_value >= 0.01 {
            format!("{:.2}", certificate.e_value)
        } else {
            format!("{:.0e}", certificate.e_value)
        },
        certificate.verdict.name().into(),
        path.into(),
    ];
    [certificate.name.clone(), grouped(certificate.games)].into_iter().chain(seats).chain(rest).collect()
}

fn write_results(format: Format, certificates: &[Certificate], paths: &[String]) -> CliResult {
    let mut out = io::stdout().lock();
    let all = certificates.iter().zip(paths);
    match format {
        Format::Json => {
            for (certificate, path) in all {
                let mut row = serde_json::to_value(certificate).map_err(io::Error::from)?;
                row["certificate"] = path.as_str().into();
                writeln!(out, "{row}")?;
            }
        }
        Format::Csv => {
            let seats = Catan::SEATS.iter().map(|seat| format!("{seat}_wins"));
            let heads = ["map", "verdict", "games", "truncated"].map(String::from).into_iter().chain(seats);
            let rest = ["spread_points", "sigma_points", "level", "e_value", "seed", "certificate"].map(String::from);
            writeln!(out, "{}", csv(&heads.chain(rest).collect::<Vec<_>>()))?;
            for (certificate, path) in all {
                let Certificate { name, verdict, games, truncated, .. } = certificate;
                let first = [name.clone(), verdict.name().into(), games.to_string(), truncated.to_string()];
                let seats = certificate.seat_wins.map(|wins| wins.to_string());
                let numbers =
                    [certificate.spread_points, certificate.sigma_points, certificate.level, certificate.e_value];
                let rest = [certificate.seed.to_string(), path.clone()];
                let numbers = numbers.map(|number| number.to_string());
                writeln!(out, "{}", csv(&[&first[..], &seats, &numbers, &rest].concat()))?;
            }
        }
        Format::Table => {
            let rows: Vec<_> = all.map(|(certificate, path)| cells(certificate, path)).collect();
            let certified = certificates.iter().filter(|one| one.verdict == Verdict::Certified).count();
            write!(out, "{}", Table::text(&heads(), &rows))?;
            if let Some(first) = certificates.first() {
                let is_same = first.players.iter().all(|player| *player == first.players[0]);
                let players = if is_same { first.players[0].clone() } else { first.players.join(",") };
                writeln!(
                    out,
                    "\n{certified} of {} certified: true spread below {} points at level {}; players {players}",
                    certificates.len(),
                    first.sigma_points,
                    first.level
                )?;
            }
        }
    }
    Ok(())
}

/// A file, or the certificates of a directory.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let paths = entries.map_err(|error| error.to_string())?.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    if files.is_empty() { Err("no certificate is in this directory, expected *.json".into()) } else { Ok(files) }
}

fn verify(args: &Args, choice: BackendChoice) -> CliResult {
    let (mut certificates, mut faults, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    for path in &args.verify {
        match files(path) {
            Ok(files) => paths.extend(files),
            Err(why) => faults.push(format!("{}: {why}", path.display())),
        }
    }
    for path in &paths {
        let bytes = std::fs::read(path).map_err(|error| error.to_string());
        match bytes.and_then(|bytes| Certificate::read(&bytes).map_err(|error| error.to_string())) {
            Ok(certificate) => certificates.push((path, certificate)),
            Err(why) => faults.push(format!("{}: {why}", path.display())),
        }
    }
    let evaluator = args.run.open(choice)?;
    let games = certificates.iter().map(|(_, certificate)| certificate.games).fold(0, u64::saturating_add);
    let progress = args.run.progress(games, "games", None);
    let mut out = io::stdout().lock();
    let mut verified = Vec::new();
    for (path, certificate) in &certificates {
        let checked = certificate.verify(&evaluator, &progress);
        let checked = checked.inspect_err(|_| progress.bar.finish_and_clear())?;
        if let Some(why) = checked {
            faults.push(format!("{}: {why}", path.display()));
            continue;
        }
        if certificate.program_version != env!("CARGO_PKG_VERSION") {
            let version = &certificate.program_version;
            note(args.run.quiet, &format!("{}: made by version {version} of the program", path.display()));
        }
        let Certificate { name, games, sigma_points, verdict, .. } = certificate;
        let line = match verdict {
            Verdict::Certified => format!("{name} is certified to have a true spread below {sigma_points} points"),
            Verdict::Dropped => format!("{name} was dropped and is not certified"),
            Verdict::Undecided => format!("{name} is undecided and not certified"),
        };
        progress
            .bar
            .suspend(|| writeln!(out, "{}: all {} games are as stated; {line}", path.display(), grouped(*games)))?;
        verified.push((path, certificate));
    }
    progress.bar.finish_and_clear();
    let all: Vec<_> = verified.iter().map(|(_, certificate)| *certificate).collect();
    match together(&all) {
        Together::Alone => {}
        Together::Whole(certified, maps, least) => writeln!(
            out,
            "the set is whole: {certified} of {maps} maps are certified, and every E value is at least {least:.2} (e-BH)"
        )?,
        Together::Missing(given, stated) => writeln!(
            out,
            "the set was not checked: {stated} certified maps are stated and {given} given, and e-BH looks at all of them"
        )?,
        Together::Different => {
            writeln!(out, "the set was not checked: these certificates are of different tests, and e-BH looks at one")?;
        }
        Together::Below(place, least) => {
            let why = format!("its E value is below {least:.2}, which the certificates given here ask for (e-BH)");
            faults.push(format!("{}: {why}", verified[place].0.display()));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(CliError::Failed(faults.join("\n"))) }
}
