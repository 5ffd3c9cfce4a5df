//! What came of a cell's build, written beside the captures.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::built::{Failure, FlagReport};
use crate::memory::write_json;

/// The format that this version writes and reads; another one is built again.
const FORMAT: u32 = 1;

/// What came of a build, by its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    format: u32,
    /// The capture's name.
    pub(super) capture: String,
    /// In seconds.
    pub(super) seconds: f64,
    pub(super) outcome: Recorded,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Recorded {
    Made(FlagReport),
    Failed(Failure),
}

impl Record {
    pub(super) fn new(capture: &str, seconds: f64, outcome: Recorded) -> Record {
        Record {
            format: FORMAT,
            capture: capture.to_owned(),
            seconds,
            outcome,
        }
    }
}

/// Where the matrix keeps things, in a project's `.proofmark` folder.
#[derive(Clone, Debug)]
pub(super) struct Places {
    matrix: PathBuf,
}

impl Places {
    pub(super) fn new(proofmark_dir: &Path) -> Places {
        Places {
            matrix: proofmark_dir.join("matrix"),
        }
    }

    /// What is remembered.
    pub(super) fn known(&self) -> PathBuf {
        self.matrix.join("known")
    }

    /// The copy of the sources in which a build runs. All names are equally long: they may end up in images.
    pub(super) fn work(&self, key: &str) -> PathBuf {
        self.all_work().join(short(key))
    }

    /// The folder of all copies.
    pub(super) fn all_work(&self) -> PathBuf {
        self.matrix.join("work")
    }

    /// The build's own output.
    pub(super) fn log(&self, key: &str) -> PathBuf {
        self.matrix.join("logs").join(format!("{}.log", short(key)))
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.matrix.join("lock")
    }

    fn record(&self, key: &str) -> PathBuf {
        self.matrix
            .join("cells")
            .join(format!("{}.json", short(key)))
    }

    pub(super) fn read(&self, key: &str) -> Option<Record> {
        let text = fs::read(self.record(key)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.format == FORMAT).then_some(record)
    }

    pub(super) fn write(&self, key: &str, record: &Record) -> std::io::Result<()> {
        write_json(&self.record(key), record)
    }
}

/// Enough of a key for a name.
pub(super) fn short(key: &str) -> &str {
    key.get(..16).unwrap_or(key)
}
