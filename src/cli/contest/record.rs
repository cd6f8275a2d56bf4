//! Records of games, one file each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fairground::games::tubstap::Map;

use super::Args;
use crate::cli::generate::refuse_existing;
use crate::cli::maps::Named;
use crate::cli::{CliError, CliResult, cannot_write};

/// Writes records in the order of the games, so that those on disk are always the games that count.
pub struct Recorder {
    directory: PathBuf,
    /// What the records of each map are called.
    names: Vec<String>,
    games: u64,
    /// The next game to be written.
    next: u64,
    /// Games that were finished before earlier ones.
    waiting: BTreeMap<u64, String>,
    fault: Option<CliError>,
}

impl Recorder {
    /// Makes sure that records can be written, and that none is overwritten unasked, before anything is played.
    pub fn open(args: &Args, directory: &Path, maps: &[Named<Map>]) -> Result<Self, CliError> {
        let names = names(maps);
        let recorder = Self {
            directory: directory.to_owned(),
            names,
            games: args.games,
            next: 0,
            waiting: BTreeMap::new(),
            fault: None,
        };
        fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
        let trial = directory.join(PART);
        fs::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .map_err(|error| cannot_write(directory, &error))?;
        if !args.force {
            refuse_existing(directory, (0..args.games * maps.len() as u64).map(|number| recorder.name(number)))?;
        }
        Ok(recorder)
    }

    fn name(&self, number: u64) -> String {
        let digits = self.games.to_string().len().max(4);
        let (map, number) = (number / self.games, number % self.games + 1);
        format!("{}-{number:0digits$}.tbsmap", self.names[map as usize])
    }

    /// Adds the record of a game. Says whether all could be written so far.
    pub fn add(&mut self, number: u64, text: String) -> bool {
        self.waiting.insert(number, text);
        while self.fault.is_none()
            && let Some(text) = self.waiting.remove(&self.next)
        {
            let (part, path) = (self.directory.join(PART), self.directory.join(self.name(self.next)));
            // Under another name first: a record that is there is whole.
            if let Err(error) = fs::write(&part, text).and_then(|()| fs::rename(&part, &path)) {
                // What is left of it is worth nothing, and there is nothing else to do about it.
                let _ = fs::remove_file(&part);
                self.fault = Some(cannot_write(&path, &error));
            }
            self.next += 1;
        }
        self.fault.is_none()
    }

    /// Says what could not be written.
    pub fn finish(self) -> CliResult {
        self.fault.map_or(Ok(()), Err)
    }
}

/// The file that a record is written to before it gets its name.
const PART: &str = ".fairground-record.part";

/// Names for files of each map: those of the maps without directory and ending, with a number where they are the same.
fn names(maps: &[Named<Map>]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(maps.len());
    for (name, _) in maps {
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut own = stem.clone();
        let mut number = 1;
        while !taken.insert(own.clone()) {
            number += 1;
            own = format!("{stem}-{number}");
        }
        names.push(own);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::games::tubstap::builtin;

    #[test]
    fn records_of_maps_with_the_same_name_are_told_apart() {
        let map = builtin::maps().remove(0);
        let maps = ["a/x.tbsmap", "b/x.tbsmap", "x-2", "duel-6x6", "c/x"].map(|name| (name.to_owned(), map.clone()));
        assert_eq!(names(&maps), ["x", "x-2", "x-2-2", "duel-6x6", "x-3"]);
    }
}
