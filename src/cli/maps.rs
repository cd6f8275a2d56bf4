//! Which maps the user means: files, directories, patterns, lists, built-in names.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use fairground::games::fault::{Fault, ReadError};
use fairground::games::{catan, tubstap};

use super::{CliError, say};

/// Where a game's maps come from.
pub trait Maps {
    /// A map.
    type Map;
    /// How the names of its files end.
    const ENDING: &'static str;
    /// Reads a file; returns the map and the warnings about it.
    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError>;
    /// The built-in maps.
    fn builtin() -> Vec<(&'static str, Self::Map)>;
}

/// Maps of TUBSTAP.
pub struct TubstapMaps;

impl Maps for TubstapMaps {
    type Map = tubstap::Map;
    const ENDING: &'static str = "tbsmap";

    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError> {
        tubstap::file::read(path).map(|parsed| (parsed.map, parsed.warnings))
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        tubstap::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }
}

/// Maps of Catan.
pub struct CatanMaps;

impl Maps for CatanMaps {
    type Map = catan::Map;
    const ENDING: &'static str = "catan";

    fn read(path: &Path) -> Result<(Self::Map, Vec<Fault>), ReadError> {
        catan::file::read(path).map(|parsed| (parsed.map, parsed.warnings))
    }

    fn builtin() -> Vec<(&'static str, Self::Map)> {
        catan::builtin::named().into_iter().map(|builtin| (builtin.name, builtin.map)).collect()
    }
}

/// A map and what to call it in results: its path, or its built-in name.
#[derive(Debug)]
pub struct NamedMap<M> {
    /// Path or built-in name.
    pub name: String,
    /// The map.
    pub map: M,
}

/// All maps the arguments name, in their order. Warnings go to standard error unless `quiet`.
///
/// # Errors
/// Lists everything that is wrong with all the arguments and files, not only the first fault.
pub fn load<M: Maps>(arguments: &[String], quiet: bool) -> Result<Vec<NamedMap<M::Map>>, CliError> {
    let mut sources = Vec::new();
    let mut faults = Vec::new();
    for argument in arguments {
        if argument == "-" {
            match list_from(io::stdin().lock()) {
                Ok(lines) => lines.iter().for_each(|line| resolve::<M>(line, &mut sources, &mut faults)),
                Err(fault) => faults.push(fault),
            }
        } else {
            resolve::<M>(argument, &mut sources, &mut faults);
        }
    }
    let mut maps = Vec::with_capacity(sources.len());
    for source in sources {
        match source {
            Source::Builtin(named) => maps.push(named),
            Source::File(path) => match M::read(&path) {
                Ok((map, warnings)) => {
                    let name = path.display().to_string();
                    for warning in warnings.iter().filter(|_| !quiet) {
                        say(&format!("warning: {name}:{}: {}", warning.line, warning.message));
                    }
                    maps.push(NamedMap { name, map });
                }
                Err(error) => faults.push(error.to_string()),
            },
        }
    }
    if faults.is_empty() {
        return Ok(maps);
    }
    Err(CliError::Failed(format!("cannot use all of these maps:\n{}", faults.join("\n"))))
}

/// The built-in maps with these names, or all.
pub fn builtin<M: Maps>(only: Option<&[&str]>) -> Vec<NamedMap<M::Map>> {
    let wanted = |name: &str| only.is_none_or(|only| only.contains(&name));
    let named = M::builtin().into_iter().filter(|(name, _)| wanted(name));
    named.map(|(name, map)| NamedMap { name: name.into(), map }).collect()
}

enum Source<M> {
    File(PathBuf),
    Builtin(NamedMap<M>),
}

/// Arguments from a list, one a line; blank lines are skipped.
fn list_from(reader: impl BufRead) -> Result<Vec<String>, String> {
    let lines: io::Result<Vec<String>> = reader.lines().collect();
    let mut lines = lines.map_err(|error| format!("standard input: {error}"))?;
    lines.retain(|line| !line.trim().is_empty());
    if lines.is_empty() { Err("standard input: expected a list of maps, one a line".into()) } else { Ok(lines) }
}

/// What exists under that name wins; then built-in maps; then patterns.
fn resolve<M: Maps>(argument: &str, sources: &mut Vec<Source<M::Map>>, faults: &mut Vec<String>) {
    let path = Path::new(argument);
    if path.is_dir() {
        let before = sources.len();
        match files_below(path, M::ENDING) {
            Ok(files) => sources.extend(files.into_iter().map(Source::File)),
            Err(error) => return faults.push(format!("{argument}: {error}")),
        }
        if sources.len() == before {
            faults.push(format!("{argument}: no .{} files in this directory", M::ENDING));
        }
    } else if path.exists() {
        sources.push(Source::File(path.into()));
    } else if let Some((name, map)) = M::builtin().into_iter().find(|(name, _)| *name == argument) {
        sources.push(Source::Builtin(NamedMap { name: name.into(), map }));
    } else if argument.contains(['*', '?', '[']) {
        match_pattern(argument, sources, faults);
    } else {
        let known: Vec<_> = M::builtin().iter().map(|&(name, _)| name).collect();
        faults.push(format!("{argument}: no such file, directory or built-in map (there are {})", known.join(", ")));
    }
}

fn match_pattern<M>(pattern: &str, sources: &mut Vec<Source<M>>, faults: &mut Vec<String>) {
    let paths = match glob::glob(pattern) {
        Ok(paths) => paths,
        Err(error) => return faults.push(format!("{pattern}: {error}")),
    };
    let before = sources.len() + faults.len();
    for path in paths {
        match path {
            Ok(path) if path.is_dir() => {}
            Ok(path) => sources.push(Source::File(path)),
            Err(error) => faults.push(error.to_string()),
        }
    }
    if sources.len() + faults.len() == before {
        faults.push(format!("{pattern}: no file matches this pattern"));
    }
}

/// The map files of a directory and those below it, in the order of their paths.
fn files_below(directory: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            // Links to directories are not followed: they may lead in circles.
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
