//! Which maps the user means: files, directories, patterns, lists, built-in names.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::games::{CliGame, GameArg};
use super::{CliError, say};

/// What to call a map in results, its path or its built-in name, and the map.
pub type Named<M> = (String, M);

/// The maps that the arguments name, found but not read, and the game they are of.
#[derive(Debug)]
pub struct Found {
    /// The game.
    pub game: GameArg,
    sources: Vec<Source>,
    faults: Vec<String>,
}

impl Found {
    /// Whether no map was named.
    pub const fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.faults.is_empty()
    }
}

#[derive(Debug)]
enum Source {
    File(PathBuf),
    Builtin(GameArg, &'static str),
}

impl Source {
    /// The game of the map, as far as its name tells.
    fn game(&self) -> Option<GameArg> {
        match self {
            Self::File(path) => GameArg::value_variants().iter().copied().find(|&game| ends_as(path, game)),
            Self::Builtin(game, _) => Some(*game),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Builtin(_, name) => (*name).into(),
        }
    }
}

/// Finds all maps the arguments name, in their order. If no game is given it is that of the maps, by their endings
/// and names; if these do not tell, TUBSTAP.
///
/// # Errors
/// If the maps are of several games.
pub fn find(arguments: &[String], game: Option<GameArg>) -> Result<Found, CliError> {
    let games = game.map_or_else(|| GameArg::value_variants().to_vec(), |game| vec![game]);
    let builtin = games.iter().flat_map(|game| game.builtin_names().into_iter().map(|name| (*game, name))).collect();
    let mut search = Search { games, builtin, sources: Vec::new(), faults: Vec::new() };
    for argument in arguments {
        if argument == "-" {
            match list_from(io::stdin().lock()) {
                Ok(lines) => lines.iter().for_each(|line| search.resolve(line)),
                Err(fault) => search.faults.push(fault),
            }
        } else {
            search.resolve(argument);
        }
    }
    let Search { sources, faults, .. } = search;
    let game = match game {
        Some(game) => game,
        None => game_of(&sources)?.unwrap_or(GameArg::Tubstap),
    };
    Ok(Found { game, sources, faults })
}

/// The one game that maps are of, as far as their names tell.
fn game_of(sources: &[Source]) -> Result<Option<GameArg>, CliError> {
    let mut known = sources.iter().filter_map(|source| Some((source, source.game()?)));
    let Some((first, game)) = known.next() else { return Ok(None) };
    match known.find(|&(_, other)| other != game) {
        None => Ok(Some(game)),
        Some((second, other)) => Err(CliError::Usage(format!(
            "{} is a map of {} and {} one of {}; --game says which is meant",
            first.name(),
            game.name(),
            second.name(),
            other.name()
        ))),
    }
}

/// Reads the maps. Warnings go to standard error unless `quiet`.
///
/// # Errors
/// Lists everything that is wrong with all the arguments and files, not only the first fault.
pub fn load<G: CliGame>(found: Found, quiet: bool) -> Result<Vec<Named<G::Map>>, CliError> {
    let Found { game, sources, mut faults } = found;
    let mut maps = Vec::with_capacity(sources.len());
    for source in sources {
        let name = source.name();
        match source {
            Source::Builtin(_, wanted) => maps.extend(builtin::<G>(&[wanted])),
            Source::File(path) => match G::files().map(|files| (files.read)(&path)) {
                None => faults.push(no_files(&name, game)),
                Some(Ok((map, warnings))) => {
                    for warning in warnings.iter().filter(|_| !quiet) {
                        say(&format!("warning: {name}:{}: {}", warning.line, warning.message));
                    }
                    maps.push((name, map));
                }
                Some(Err(error)) => faults.push(error.to_string()),
            },
        }
    }
    if faults.is_empty() {
        return Ok(maps);
    }
    Err(CliError::Failed(format!("cannot use all of these maps:\n{}", faults.join("\n"))))
}

/// The built-in maps with these names.
pub fn builtin<G: CliGame>(names: &[&str]) -> Vec<Named<G::Map>> {
    let named = G::builtin().into_iter().filter(|(name, _)| names.contains(name));
    named.map(|(name, map)| (name.into(), map)).collect()
}

/// Arguments from a list, one a line; blank lines are skipped.
fn list_from(reader: impl BufRead) -> Result<Vec<String>, String> {
    let lines: io::Result<Vec<String>> = reader.lines().collect();
    let mut lines = lines.map_err(|error| format!("standard input: {error}"))?;
    lines.retain(|line| !line.trim().is_empty());
    if lines.is_empty() { Err("standard input: expected a list of maps, one a line".into()) } else { Ok(lines) }
}

/// What was found so far of maps of these games.
struct Search {
    games: Vec<GameArg>,
    builtin: Vec<(GameArg, &'static str)>,
    sources: Vec<Source>,
    faults: Vec<String>,
}

impl Search {
    /// What exists under that name wins; then built-in maps; then patterns.
    fn resolve(&mut self, argument: &str) {
        let path = Path::new(argument);
        if path.is_dir() {
            match files_below(path, |file| self.games.iter().any(|&game| ends_as(file, game))) {
                Ok(files) if files.is_empty() => {
                    let endings: Vec<_> = self.games.iter().filter_map(|game| game.ending()).collect();
                    self.faults.push(match *endings {
                        [] => no_files(argument, self.games[0]),
                        _ => format!("{argument}: no .{} files in this directory", endings.join(" or .")),
                    });
                }
                Ok(files) => self.sources.extend(files.into_iter().map(Source::File)),
                Err(error) => self.faults.push(format!("{argument}: {error}")),
            }
        } else if path.exists() {
            self.sources.push(Source::File(path.into()));
        } else if let Some(&(game, name)) = self.builtin.iter().find(|(_, name)| *name == argument) {
            self.sources.push(Source::Builtin(game, name));
        } else if argument.contains(['*', '?', '[']) {
            self.match_pattern(argument);
        } else {
            let known: Vec<_> = self.builtin.iter().map(|&(_, name)| name).collect();
            let what = "no such file, directory or built-in map";
            self.faults.push(format!("{argument}: {what} (there are {})", known.join(", ")));
        }
    }

    fn match_pattern(&mut self, pattern: &str) {
        let paths = match glob::glob(pattern) {
            Ok(paths) => paths,
            Err(error) => return self.faults.push(format!("{pattern}: {error}")),
        };
        let before = self.sources.len() + self.faults.len();
        for path in paths {
            match path {
                Ok(path) if path.is_dir() => {}
                Ok(path) => self.sources.push(Source::File(path)),
                Err(error) => self.faults.push(error.to_string()),
            }
        }
        if self.sources.len() + self.faults.len() == before {
            self.faults.push(format!("{pattern}: no file matches this pattern"));
        }
    }
}

fn ends_as(path: &Path, game: GameArg) -> bool {
    let (extension, ending) = (path.extension(), game.ending());
    extension.zip(ending).is_some_and(|(extension, ending)| extension.eq_ignore_ascii_case(ending))
}

/// That a game is played without map files.
fn no_files(argument: &str, game: GameArg) -> String {
    format!("{argument}: {} has no map files (there are {})", game.name(), game.builtin_names().join(", "))
}

/// The map files of a directory and those below it, in the order of their paths.
fn files_below(directory: &Path, is_map: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            // Links to directories are not followed: they may lead in circles.
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else if is_map(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
