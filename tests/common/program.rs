//! Running the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A run that has ended.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Run {
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "standard error: {}", self.err);
        self
    }

    #[track_caller]
    pub fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "standard error: {}", self.err);
        assert!(self.err.contains("error: "), "{}", self.err);
        self
    }

    pub fn json(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("each line is one JSON object")).collect()
    }
}

pub fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairground"));
    command.args(line.split_whitespace()).env_remove("NO_COLOR");
    command
}

pub fn fairground(line: &str) -> Run {
    command(line).output().expect("the program starts").into()
}

pub fn fairground_in(directory: &Path, line: &str) -> Run {
    command(line).current_dir(directory).output().expect("the program starts").into()
}

/// An empty directory of this test's own.
pub fn scratch(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{test}", env!("CARGO_CRATE_NAME")));
    if directory.exists() {
        fs::remove_dir_all(&directory).expect("the old directory can be removed");
    }
    fs::create_dir_all(&directory).expect("a directory can be made");
    directory
}

pub fn names(run: &Run) -> Vec<String> {
    run.json().iter().map(|row| row["map"].as_str().unwrap_or_default().to_owned()).collect()
}
