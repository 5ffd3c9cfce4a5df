//! What came of a cell's build, written beside the captures.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::built::{Failure, FlagReport};
use super::reads::Reads;
use crate::memory::write_json;

/// The format that this version writes and reads; another one is built again.
const FORMAT: u32 = 7;

/// That of a record which is no longer one.
const FORGOTTEN: u32 = 0;

/// What came of a build, by its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    format: u32,
    /// Whose it is: all that is known beforehand of the build, as a digest.
    key: String,
    /// The capture's name.
    pub(super) capture: String,
    /// The name of the file with the build's own output.
    log: String,
    /// What it read beside what its key holds.
    pub(super) reads: Reads,
    /// Files of its sources that it made anew or removed: whether it does so goes by their times.
    pub(super) remade: Vec<PathBuf>,
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
    pub(super) fn new(
        slot: &Slot,
        seconds: f64,
        (reads, remade): (Reads, Vec<PathBuf>),
        outcome: Recorded,
    ) -> Record {
        Record {
            format: FORMAT,
            key: slot.key.clone(),
            capture: slot.capture.clone(),
            log: slot.log_name(),
            reads,
            remade,
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

    /// What builds left elsewhere.
    pub(super) fn made(&self) -> PathBuf {
        self.matrix.join("made")
    }

    /// The copy of the sources in which a build runs. All names are equally long: they may end up
    /// in images. And nothing else has such a name.
    pub(super) fn work(&self, key: &str) -> PathBuf {
        self.around(key).join(short(key))
    }

    /// The folder that holds this copy, and nothing else.
    pub(super) fn around(&self, key: &str) -> PathBuf {
        self.all_work().join(short(key))
    }

    /// The folder of all copies.
    pub(super) fn all_work(&self) -> PathBuf {
        self.matrix.join("work")
    }

    /// The output of a recorded build.
    pub(super) fn log(&self, record: &Record) -> PathBuf {
        self.logs().join(&record.log)
    }

    /// The output of a build under way.
    pub(super) fn log_of(&self, slot: &Slot) -> PathBuf {
        self.logs().join(slot.log_name())
    }

    fn logs(&self) -> PathBuf {
        self.matrix.join("logs")
    }

    /// Everything that the matrix keeps.
    pub(super) fn folder(&self) -> &Path {
        &self.matrix
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.matrix.join("lock")
    }

    fn records(&self, key: &str) -> PathBuf {
        self.matrix.join("cells").join(short(key))
    }

    /// What came of the builds with this key, the latest first: there are several where they read
    /// something else beside.
    pub(super) fn read(&self, key: &str) -> Vec<Record> {
        let numbers = (0..).map(|number| self.records(key).join(format!("{number}.json")));
        let files = numbers.take_while(|file| file.exists());
        let mut all: Vec<Record> = files.filter_map(|file| record(&file, key)).collect();
        all.reverse();
        all
    }

    /// Takes a record back: its build is made again.
    pub(super) fn forget(&self, key: &str, capture: &str) -> std::io::Result<()> {
        for number in 0.. {
            let file = self.records(key).join(format!("{number}.json"));
            if !file.exists() {
                break;
            }
            if let Some(found) = record(&file, key).filter(|found| found.capture == capture) {
                let format = FORGOTTEN;
                write_json(&file, &Record { format, ..found })?;
            }
        }
        Ok(())
    }

    /// What came of the last build with this key that failed.
    pub(super) fn failed(&self, key: &str) -> Option<Record> {
        record(&self.records(key).join(FAILED), key)
    }

    /// Where the next build with this key is kept; `name` is what its capture's name begins with.
    pub(super) fn slot(&self, key: &str, name: &str) -> Slot {
        let number = (0..)
            .find(|number| !self.records(key).join(format!("{number}.json")).exists())
            .unwrap_or(u32::MAX);
        let of = match number {
            0 => short(key).to_owned(),
            number => format!("{}.{number}", short(key)),
        };
        Slot {
            key: key.to_owned(),
            number,
            capture: format!("{name}@{of}"),
            of,
        }
    }

    pub(super) fn write(&self, slot: &Slot, record: &Record) -> std::io::Result<()> {
        let folder = self.records(&slot.key);
        let failed = folder.join(FAILED);
        match record.outcome {
            Recorded::Failed(_) => write_json(&failed, record),
            Recorded::Made(_) => {
                write_json(&folder.join(format!("{}.json", slot.number)), record)?;
                if failed.exists() {
                    fs::remove_file(&failed)?;
                }
                Ok(())
            }
        }
    }
}

/// The name of the record of a build that failed.
const FAILED: &str = "failed.json";

/// The record in a file, where it is that of a build with this key: files of another cell may have
/// been put there.
fn record(file: &Path, key: &str) -> Option<Record> {
    let record: Record = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    (record.format == FORMAT && record.key == key).then_some(record)
}

/// A place for one build.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    key: String,
    number: u32,
    /// The beginning of the key, and which of its builds.
    of: String,
    /// The capture's name.
    pub(super) capture: String,
}

impl Slot {
    fn log_name(&self) -> String {
        format!("{}.log", self.of)
    }
}

/// Enough of a key for a name.
pub(super) fn short(key: &str) -> &str {
    key.get(..16).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::reads::Reads;

    #[test]
    fn a_record_in_the_folder_of_another_cell_is_none_of_its() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path());
        let keys = ["a".repeat(64), "b".repeat(64)];
        for key in &keys {
            let slot = places.slot(key, "cell");
            let failure = Failure {
                why: "no".to_owned(),
                toolchain: false,
            };
            let made = Recorded::Made(FlagReport::default());
            for outcome in [made, Recorded::Failed(failure)] {
                let record = Record::new(&slot, 1.0, (Reads::default(), Vec::new()), outcome);
                places.write(&slot, &record).unwrap();
            }
        }
        let [one, other] = &keys;
        assert!(places.read(one).len() == 1 && places.failed(one).is_some());
        for name in ["0.json", FAILED] {
            fs::copy(
                places.records(other).join(name),
                places.records(one).join(name),
            )
            .unwrap();
        }
        assert!(places.read(one).is_empty() && places.failed(one).is_none());
        assert!(places.read(other).len() == 1 && places.failed(other).is_some());
    }
}
