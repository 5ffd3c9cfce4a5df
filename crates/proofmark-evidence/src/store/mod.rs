//! A project's evidence: [`Store`] reads it, [`LockedStore`] has the right to measure and appends.

mod adopted;
mod attribution;
mod bisect;
mod bundled;
mod chain;
mod check;
mod enclosed;
mod experiment;
mod explanation;
mod find;
mod ledger;
mod list;
mod locked;
mod matrix;
mod series;
mod study;
mod sweep;
mod uses;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::envelope::Flaw;
use crate::error::BundleError;
use crate::id::{Begins, named};
use crate::log::bundle::{BundleLog, is_bundle};
use crate::log::sqlite::SqliteLog;
use crate::log::{Entry, Log};

pub use attribution::RecordedAttribution;
pub use bisect::RecordedBisect;
pub use bundled::{Bundled, BundledChain, ChainSort};
pub use check::{Checked, LaterChain};
pub use enclosed::Enclosed;
pub use experiment::Recorded;
pub use explanation::RecordedExplanation;
pub use ledger::RecordedLedger;
pub use list::{Progress, Summary, VerdictOn};
pub use locked::LockedStore;
pub use matrix::RecordedMatrix;
pub use series::RecordedSeries;
pub use sweep::RecordedSweep;
pub use uses::{Use, UseReason};

/// The evidence of a project, to be read. Nothing that it holds is ever changed.
#[derive(Debug)]
pub struct Store {
    log: Box<dyn Log>,
    folder: PathBuf,
    path: PathBuf,
    /// Whether private parts are put back into their records.
    private: bool,
}

impl Store {
    /// Opens the store in `folder` (a project's `.proofmark`) to read it, also while another
    /// process measures, where nothing can be written, and when a newer version wrote it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoStore`]; the file is foreign, damaged or of an older version.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        if is_bundle(folder)? {
            return Store::open_bundle(folder).map_err(|error| match error {
                BundleError::Store(error) => error,
                other => StoreError::Bundle(Box::new(other)),
            });
        }
        Ok(Store::of(SqliteLog::open_to_read(folder)?, folder))
    }

    /// Opens the evidence in a bundle, to be read like that of a store.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no whole bundle.
    pub fn open_bundle(path: &Path) -> Result<Store, BundleError> {
        Ok(Store {
            log: Box::new(BundleLog::open(path)?),
            folder: path.to_owned(),
            path: path.to_owned(),
            private: true,
        })
    }

    fn of(log: SqliteLog, folder: &Path) -> Store {
        Store {
            path: log.path().to_owned(),
            folder: folder.to_owned(),
            log: Box::new(log),
            private: true,
        }
    }

    /// The same evidence as somebody sees it who was given it without its private parts: what
    /// names persons and places is `⟨private N⟩`.
    #[must_use]
    pub fn without_private_parts(self) -> Store {
        Store {
            private: false,
            ..self
        }
    }

    /// The folder that the store is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that it takes on the disk, its log included.
    ///
    /// # Errors
    ///
    /// Its file cannot be read.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        let size = |path: &Path| match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
            about => about
                .map(|about| about.len())
                .map_err(|error| StoreError::io("look at", path, &error)),
        };
        Ok(size(&self.path)? + size(&self.path.with_extension("db-wal"))?)
    }

    /// Hands over the records of a chain as they are kept, unchecked.
    pub(crate) fn entries(
        &self,
        chain: &str,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.log.chain(chain, &mut |entry| take(&self.seen(entry)))
    }

    /// A record with its private part, where that may be seen.
    fn seen<'a>(&self, entry: &Entry<'a>) -> Entry<'a> {
        Entry {
            part: entry.part.filter(|_| self.private),
            ..*entry
        }
    }

    /// The name of what a chain of the log is about.
    fn named<I: Begins>(&self, chain: &str) -> Result<I, StoreError> {
        named(chain).map_err(|error| self.damaged(chain, error.to_string()))
    }

    fn damaged(&self, id: &str, what: Flaw) -> StoreError {
        StoreError::DamagedRecord {
            path: self.path.clone(),
            id: id.to_owned(),
            what,
        }
    }
}
