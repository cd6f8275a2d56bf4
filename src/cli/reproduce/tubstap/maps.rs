//! The paper's maps, which are not ours to give, or others in their place.

use std::path::Path;

use fairground::games::tubstap::{Map, builtin, file};
use fairground::papers::tubstap::{MAPS, check};

use crate::cli::{CliError, say};

/// A map that is played as one of the paper's.
pub struct Chosen {
    /// What to call it.
    pub name: String,
    /// The map.
    pub map: Map,
    /// Whether it is the paper's, as far as we know.
    pub is_papers: bool,
}

/// The paper's maps as far as they are there, and built-in maps for the others.
pub fn choose(directory: Option<&Path>, is_quiet: bool) -> Result<[Chosen; MAPS.len()], CliError> {
    let paths = MAPS.map(|paper| directory.map(|directory| directory.join(paper.file)).filter(|path| path.exists()));
    let is_missing = paths.each_ref().map(Option::is_none);
    let missing: Vec<_> = MAPS.iter().zip(is_missing).filter(|&(_, is)| is).map(|(paper, _)| paper.file).collect();
    if let Some(directory) = directory.filter(|_| !is_missing.contains(&false)) {
        let what = if directory.is_dir() { "has none of the paper's maps" } else { "is no directory" };
        return Err(CliError::Failed(format!(
            "{} {what}: --maps names the map folder of the TUBSTAP program, with {}; without --maps built-in maps are played",
            directory.display(),
            missing.join(", ")
        )));
    }
    let (mut maps, mut faults) = (Vec::new(), Vec::new());
    for (index, path) in paths.into_iter().enumerate() {
        match path.map_or_else(|| stand_in(index), |path| read(index, &path, is_quiet)) {
            Ok(map) => maps.push(map),
            Err(fault) => faults.push(fault),
        }
    }
    let maps = maps.try_into();
    let maps = maps.map_err(|_| CliError::Failed(format!("cannot use these maps:\n{}", faults.join("\n"))))?;
    if !missing.is_empty() && !is_quiet {
        say(&format!(
            "warning: built-in maps are played in place of {}, and nothing on them is compared with the paper; --maps DIR \
             names the map folder of the TUBSTAP program, where these files are",
            missing.join(", ")
        ));
    }
    Ok(maps)
}

fn read(index: usize, path: &Path, is_quiet: bool) -> Result<Chosen, String> {
    let parsed = file::read(path).map_err(|error| error.to_string())?;
    for warning in parsed.warnings.iter().filter(|_| !is_quiet) {
        say(&format!("warning: {}:{}: {}", path.display(), warning.line, warning.message));
    }
    check(index, &parsed.map)
        .map_err(|wrong| format!("{}: this is not map {} of the paper: {wrong}", path.display(), index + 1))?;
    Ok(Chosen { name: MAPS[index].file.into(), map: parsed.map, is_papers: true })
}

fn stand_in(index: usize) -> Result<Chosen, String> {
    let name = MAPS[index].stand_in;
    let map = builtin::get(name).ok_or_else(|| format!("{name}: no such built-in map"))?;
    Ok(Chosen { name: name.into(), map, is_papers: false })
}
