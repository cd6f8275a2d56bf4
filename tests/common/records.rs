//! Reading files of recorded data.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;

/// The records of `<root>/<name>.jsonl.gz`, each with the words that name it in a failure.
///
/// `root` is `FAIRGROUND_GOLDEN` or the data folder beside the checkout. If the latter is absent the
/// answer is empty, loudly; a folder that was asked for but is absent is a failure, as is a file without records.
pub fn records<R: DeserializeOwned>(name: &str) -> Vec<(String, R)> {
    let asked = std::env::var_os("FAIRGROUND_GOLDEN").map(PathBuf::from);
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let path = asked.as_ref().unwrap_or(&default).join(format!("{name}.jsonl.gz"));
    if asked.is_none() && !path.parent().is_some_and(Path::is_dir) {
        eprintln!("SKIPPED: {} cannot be tested, its folder is absent; set FAIRGROUND_GOLDEN", path.display());
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
