//! What can be wrong with a map file, whatever the game.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Faults (and warnings) beyond this many are counted, not listed.
pub const MAX_FAULTS: usize = 1000;

/// Something wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Fault {
    /// The line of the place in the file, from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

/// Why a file could not be read.
///
/// It is displayed as a compiler would, one `path:line: message` for each fault.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.lines())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub kind: ReadErrorKind,
}

/// What went wrong when a file was read.
#[derive(Debug)]
pub enum ReadErrorKind {
    /// The file could not be opened or read.
    Io(io::Error),
    /// It is not a map, for all of these reasons.
    Faults(Vec<Fault>),
}

impl ReadError {
    fn lines(&self) -> String {
        let path = self.path.display();
        match &self.kind {
            ReadErrorKind::Io(error) => format!("{path}: {error}"),
            ReadErrorKind::Faults(faults) => {
                let lines: Vec<_> =
                    faults.iter().map(|Fault { line, message }| format!("{path}:{line}: {message}")).collect();
                lines.join("\n")
            }
        }
    }
}

/// Reads a file with the parser of its game, which sees at most one byte more than [`MAX_BYTES`].
pub(super) fn read<T>(path: &Path, parse: impl FnOnce(&[u8]) -> Result<T, Vec<Fault>>) -> Result<T, ReadError> {
    let fail = |kind| ReadError { path: path.to_owned(), kind };
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that `parse` sees that the file is too large.
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| fail(ReadErrorKind::Io(error)))?;
    parse(&bytes).map_err(|faults| fail(ReadErrorKind::Faults(faults)))
}

/// A list of faults that does not grow without end.
#[derive(Default)]
pub(super) struct Faults {
    listed: Vec<Fault>,
    unlisted: usize,
}

impl Faults {
    pub(super) fn add(&mut self, line: usize, message: String) {
        if self.listed.len() < MAX_FAULTS {
            self.listed.push(Fault { line, message });
        } else {
            self.unlisted += 1;
        }
    }

    /// The faults by line, and how many are not listed.
    pub(super) fn finish(&mut self, what: &str) -> Vec<Fault> {
        let mut faults = std::mem::take(&mut self.listed);
        faults.sort_by_key(|fault| fault.line);
        if self.unlisted > 0 {
            let line = faults.last().map_or(1, |fault| fault.line);
            faults.push(Fault { line, message: format!("{} more {what} are not listed", self.unlisted) });
        }
        faults
    }
}

/// The beginning of a text, fit to be shown in a message.
pub(super) fn excerpt(text: &str) -> String {
    const LENGTH: usize = 30;
    let mut shown: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if text.chars().nth(LENGTH).is_some() {
        shown.push_str("...");
    }
    shown
}
