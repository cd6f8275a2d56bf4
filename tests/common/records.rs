//! Reading files of recorded data.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;

/// The folder of recorded data: `FAIRGROUND_GOLDEN`, or the one beside the checkout.
fn root() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    std::env::var_os("FAIRGROUND_GOLDEN").map_or_else(beside, PathBuf::from)
}

/// Says what is not tested, past the test runner, which keeps the output of tests that pass to itself.
fn skipped(what: &str) {
    // If standard error is closed nobody can be told.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

/// The records of `<root>/<name>.jsonl.gz`, each with the words that name it in a failure.
///
/// A file that is absent has none, loudly; see [`some_are_there`]. A file without records is a failure.
pub fn records<R: DeserializeOwned>(name: &str) -> Vec<(String, R)> {
    let path = root().join(format!("{name}.jsonl.gz"));
    if !path.exists() {
        skipped(&format!("there is no {}; FAIRGROUND_GOLDEN names the folder of recorded data", path.display()));
        return Vec::new();
    }
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let records: Vec<_> = BufReader::new(MultiGzDecoder::new(file))
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let at = format!("{name} record {}", index + 1);
            let line = line.unwrap_or_else(|error| panic!("{at}: {error}"));
            let record = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{at}: {error}"));
            (at, record)
        })
        .collect();
    assert!(!records.is_empty(), "{} has no record", path.display());
    records
}

/// Fails if a folder of recorded data was asked for, or exists, but has nothing in `<root>/<folder>`.
pub fn some_are_there(folder: &str) {
    let is_asked = std::env::var_os("FAIRGROUND_GOLDEN").is_some();
    if !is_asked && !root().is_dir() {
        return skipped(&format!("there is no folder {}", root().display()));
    }
    let folder = root().join(folder);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let is_data = |path: PathBuf| path.to_string_lossy().ends_with(".jsonl.gz");
    assert!(files.flatten().any(|file| is_data(file.path())), "{} has no recorded data", folder.display());
}

/// The names of the JSON files of `<root>/<folder>`, without their ending, in order. None if the folder is absent, loudly.
pub fn document_names(folder: &str) -> Vec<String> {
    let path = root().join(folder);
    if !path.is_dir() {
        let is_asked = std::env::var_os("FAIRGROUND_GOLDEN").is_some();
        assert!(!is_asked && !root().is_dir(), "there is no folder {}", path.display());
        skipped(&format!("there is no folder {}; FAIRGROUND_GOLDEN names its parent", path.display()));
        return Vec::new();
    }
    let files = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = files.flatten().filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".json")?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// The JSON file `<root>/<folder>/<name>.json`; none if the folder is absent, loudly.
pub fn document<D: DeserializeOwned>(folder: &str, name: &str) -> Option<D> {
    if document_names(folder).is_empty() {
        return None;
    }
    let path = root().join(folder).join(format!("{name}.json"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}
