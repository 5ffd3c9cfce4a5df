//! A store: one SQLite file in the project's folder.

mod append;
mod list;
mod load;
mod matrix;
mod open;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::{MeasuringLock, StoreError};

pub use list::{State, Summary, VerdictOn};
pub use load::{Checked, Recorded};
pub use matrix::RecordedMatrix;

/// The evidence of a project. One that was opened with [`Store::open_existing`] reads; one that was
/// opened with [`Store::open`] also appends. Nothing that it holds is ever changed.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    folder: PathBuf,
    path: PathBuf,
}

impl Store {
    /// The folder that the store is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the right to measure into this store, until the lock is dropped or the process ends,
    /// however it ends.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`], with the process that has it; failures of the file system.
    pub fn measuring(&self) -> Result<MeasuringLock, StoreError> {
        MeasuringLock::take(&self.folder)
    }

    /// A failure of SQLite in this store.
    fn sql(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::sql(&self.path, error)
    }
}
