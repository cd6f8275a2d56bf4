//! Which maps the user means: files, directories, patterns, lists, built-in names.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use fairground::games::tubstap::{Map, builtin, file};

use super::{CliError, say};

/// A map and what to call it in results: its path, or its built-in name.
#[derive(Debug)]
pub struct NamedMap {
    /// Path or built-in name.
    pub name: String,
    /// The map.
    pub map: Map,
}

/// All maps the arguments name, in their order. Warnings go to standard error unless `quiet`.
///
/// # Errors
/// Lists everything that is wrong with all the arguments and files, not only the first fault.
pub fn load(arguments: &[String], quiet: bool) -> Result<Vec<NamedMap>, CliError> {
    let mut sources = Vec::new();
    let mut faults = Vec::new();
    for argument in arguments {
        if argument == "-" {
            match list_from(io::stdin().lock()) {
                Ok(lines) => lines.iter().for_each(|line| resolve(line, &mut sources, &mut faults)),
                Err(fault) => faults.push(fault),
            }
        } else {
            resolve(argument, &mut sources, &mut faults);
        }
    }
    let mut maps = Vec::with_capacity(sources.len());
    for source in sources {
        match source {
            Source::Builtin(named) => maps.push(named),
            Source::File(path) => match file::read(&path) {
                Ok(parsed) => {
                    let name = path.display().to_string();
                    for warning in parsed.warnings.iter().filter(|_| !quiet) {
                        say(&format!("warning: {name}:{}: {}", warning.line, warning.message));
                    }
                    maps.push(NamedMap { name, map: parsed.map });
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
pub fn builtin(only: Option<&[&str]>) -> Vec<NamedMap> {
    let wanted = |name: &str| only.is_none_or(|only| only.contains(&name));
    let named = builtin::named().into_iter().filter(|entry| wanted(entry.name));
    named.map(|entry| NamedMap { name: entry.name.into(), map: entry.map }).collect()
}

enum Source {
    File(PathBuf),
    Builtin(NamedMap),
}

/// Arguments from a list, one a line; blank lines are skipped.
fn list_from(reader: impl BufRead) -> Result<Vec<String>, String> {
    let lines: io::Result<Vec<String>> = reader.lines().collect();
    let mut lines = lines.map_err(|error| format!("standard input: {error}"))?;
    lines.retain(|line| !line.trim().is_empty());
    if lines.is_empty() { Err("standard input: expected a list of maps, one a line".into()) } else { Ok(lines) }
}

/// What exists under that name wins; then built-in maps; then patterns.
fn resolve(argument: &str, sources: &mut Vec<Source>, faults: &mut Vec<String>) {
    let path = Path::new(argument);
    if path.is_dir() {
        let before = sources.len();
        match files_below(path) {
            Ok(files) => sources.extend(files.into_iter().map(Source::File)),
            Err(error) => return faults.push(format!("{argument}: {error}")),
        }
        if sources.len() == before {
            faults.push(format!("{argument}: no .tbsmap files in this directory"));
        }
    } else if path.exists() {
        sources.push(Source::File(path.into()));
    } else if let Some(map) = builtin::get(argument) {
        sources.push(Source::Builtin(NamedMap { name: argument.into(), map }));
    } else if argument.contains(['*', '?', '[']) {
        match_pattern(argument, sources, faults);
    } else {
        let known: Vec<_> = builtin::named().iter().map(|entry| entry.name).collect();
        faults.push(format!("{argument}: no such file, directory or built-in map (there are {})", known.join(", ")));
    }
}

fn match_pattern(pattern: &str, sources: &mut Vec<Source>, faults: &mut Vec<String>) {
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
fn files_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            // Links to directories are not followed: they may lead in circles.
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tbsmap")) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
