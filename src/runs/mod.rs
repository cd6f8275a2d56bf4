//! Run directories: what a long command leaves behind, and goes on from.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `manifest.json` | what was asked for, by which program, on which machine; written once |
//! | `checkpoint.json` | everything the run needs to go on; replaced as a whole |
//! | `history.jsonl` | one line for each step |
//! | `timing.jsonl` | the same for what differs from run to run: durations and the time of day |
//! | `report.html` | what there is so far, for people |
//! | `lock` | locked by the process that works in the directory |
//!
//! A file is replaced by writing another one beside it, waiting until that is on the disk, and renaming it. So whenever a
//! process is killed, every file is either as before or as after.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fairground_kernels::rng::absorb;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What was asked for, by which program, on which machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest<P> {
    /// The command line, word by word.
    pub command_line: Vec<String>,
    /// The program's version.
    pub program_version: String,
    /// The version of everything that decides what a seed gives.
    pub rules_version: String,
    /// What played at first.
    pub backend: String,
    /// The CPU.
    pub cpu: String,
    /// The GPU, if that played.
    pub gpu: Option<String>,
    /// What is to be done, the seed in it.
    pub plan: P,
}

/// The manifest's file.
pub const MANIFEST: &str = "manifest.json";
/// The checkpoint's file.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The history's file.
pub const HISTORY: &str = "history.jsonl";
/// The file of durations.
pub const TIMING: &str = "timing.jsonl";
/// The file that is locked.
const LOCK: &str = "lock";

/// Why a run directory cannot be used: one sentence, after the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The system says no.
    #[error("{}: {source}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not what it should be.
    #[error("{}: {why}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A run directory in which nobody else works.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// The lock ends with the process, however that ends.
    _lock: File,
}

fn system(path: &Path) -> impl FnOnce(io::Error) -> DirectoryError {
    move |source| DirectoryError::System { path: path.into(), source }
}

impl Directory {
    /// Makes a directory for a run, and those above it. One that exists will do if there is no run in it.
    ///
    /// # Errors
    /// If the system refuses, if there is a run in it, or if another process works there.
    pub fn create(path: &Path) -> Result<Self, DirectoryError> {
        fs::create_dir_all(path).map_err(system(path))?;
        let directory = Self::lock(path)?;
        if directory.path(MANIFEST).exists() {
            return Err(
                directory.refuse(MANIFEST, "there is a run in this directory already; --resume goes on with it")
            );
        }
        Ok(directory)
    }

    /// Makes the directory `name-0001`, or with the first number that is free.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create_numbered(parent: &Path, name: &str) -> Result<Self, DirectoryError> {
        fs::create_dir_all(parent).map_err(system(parent))?;
        let mut number = 1_u64;
        loop {
            let path = parent.join(format!("{name}-{number:04}"));
            match fs::create_dir(&path) {
                Ok(()) => return Self::lock(&path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(system(&path)(error)),
            }
        }
    }

    /// Opens the directory of a run.
    ///
    /// # Errors
    /// If there is none, or if another process works there.
    pub fn open(path: &Path) -> Result<Self, DirectoryError> {
        // A lock file in a directory without a run would only be litter.
        let manifest = path.join(MANIFEST);
        match fs::metadata(&manifest) {
            Ok(_) => Self::lock(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(DirectoryError::Refused {
                path: manifest,
                why: "there is no such file, expected the directory of a run".into(),
            }),
            Err(error) => Err(system(&manifest)(error)),
        }
    }

    fn lock(path: &Path) -> Result<Self, DirectoryError> {
        let name = path.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(system(&name))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.into(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(DirectoryError::Refused { path: name, why: "another process works in this directory".into() })
            }
            Err(TryLockError::Error(error)) => Err(system(&name)(error)),
        }
    }

    /// The path of a file in it; of the directory itself for an empty name.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.path.clone() } else { self.path.join(name) }
    }

    /// That something is wrong with a file of it.
    pub fn refuse(&self, name: &str, why: impl Into<String>) -> DirectoryError {
        DirectoryError::Refused { path: self.path(name), why: why.into() }
    }

    /// The bytes of a file, if it exists.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, DirectoryError> {
        let path = self.path(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(system(&path)(error)),
        }
    }

    /// Replaces a file as a whole, or makes it, and directories for it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), DirectoryError> {
        let path = self.path(name);
        let parent = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(parent).map_err(system(parent))?;
        let new = self.path(&format!("{name}.new"));
        let write = || -> io::Result<()> {
            let mut file = File::create(&new)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(system(&new))?;
        fs::rename(&new, &path).map_err(system(&path))?;
        // Only where a directory can be opened like a file can it be told to keep the new name.
        if cfg!(unix) {
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(system(parent))?;
        }
        Ok(())
    }

    /// Adds a line to a file of lines.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&self, name: &str, line: &impl Serialize) -> Result<(), DirectoryError> {
        let path = self.path(name);
        let bytes = lines(std::slice::from_ref(line)).map_err(system(&path))?;
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(system(&path))?;
        file.write_all(&bytes).map_err(system(&path))
    }

    /// Replaces a file of lines.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_lines(&self, name: &str, all: &[impl Serialize]) -> Result<(), DirectoryError> {
        let bytes = lines(all).map_err(system(&self.path(name)))?;
        self.write(name, &bytes)
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_manifest(&self, manifest: &Manifest<impl Serialize>) -> Result<(), DirectoryError> {
        let mut text =
            serde_json::to_vec_pretty(manifest).map_err(|error| system(&self.path(MANIFEST))(error.into()))?;
        text.push(b'\n');
        self.write(MANIFEST, &text)
    }

    /// Reads the manifest of a run under these rules.
    ///
    /// # Errors
    /// If it is damaged or the rules were others.
    pub fn read_manifest<P: DeserializeOwned>(&self, rules_version: &str) -> Result<Manifest<P>, DirectoryError> {
        #[derive(Deserialize)]
        struct Version {
            rules_version: String,
        }
        let bytes = fs::read(self.path(MANIFEST)).map_err(system(&self.path(MANIFEST)))?;
        let damaged = |error: serde_json::Error| self.refuse(MANIFEST, format!("the file is damaged: {error}"));
        // The rest may look different under other rules.
        let Version { rules_version: found } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if found != rules_version {
            let why = format!("the run was made under the rules '{found}', but these are '{rules_version}'");
            return Err(self.refuse(MANIFEST, why));
        }
        serde_json::from_slice(&bytes).map_err(damaged)
    }

    /// Replaces the checkpoint.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_checkpoint(&self, checkpoint: &impl Serialize) -> Result<(), DirectoryError> {
        let path = self.path(CHECKPOINT);
        let mut bytes = lines(std::slice::from_ref(checkpoint)).map_err(system(&path))?;
        let seal = Seal { digest: digest(&bytes) };
        let mut sealed = lines(&[seal]).map_err(system(&path))?;
        sealed.append(&mut bytes);
        self.write(CHECKPOINT, &sealed)
    }

    /// Reads the checkpoint, if there is one.
    ///
    /// # Errors
    /// If a single byte of it was changed.
    pub fn read_checkpoint<C: DeserializeOwned>(&self) -> Result<Option<C>, DirectoryError> {
        let Some(bytes) = self.read(CHECKPOINT)? else { return Ok(None) };
        let damaged = |why: &str| self.refuse(CHECKPOINT, format!("the file is damaged: {why}"));
        let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
        let (seal, content) = bytes.split_at(end);
        let is_whole = serde_json::from_slice(seal).is_ok_and(|seal: Seal| seal.digest == digest(content));
        if !is_whole {
            return Err(damaged("its first line does not fit the rest"));
        }
        serde_json::from_slice(content).map(Some).map_err(|error| damaged(&error.to_string()))
    }
}

/// The first line of a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    digest: String,
}

/// A number that changes with every byte.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let words = bytes.chunks(8).map(|chunk| chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    format!("{:016x}", words.fold(bytes.len() as u64, absorb))
}

fn lines(all: &[impl Serialize]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in all {
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
