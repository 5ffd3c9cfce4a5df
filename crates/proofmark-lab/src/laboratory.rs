//! Where experiments take place.

use std::path::Path;

use proofmark_evidence::LockedStore;
use proofmark_measure::Interrupt;

use crate::error::LabError;

/// Where experiments take place.
#[derive(Debug)]
pub struct Laboratory<'a> {
    /// The project's `.proofmark` folder.
    pub folder: &'a Path,
    /// The store in it, and with it the right to measure.
    pub store: &'a mut LockedStore,
    /// Raised when the user wants to stop.
    pub stop: Interrupt,
}

/// Removes what an experiment that was killed has left.
pub(crate) fn emptied(work: &Path) -> Result<(), LabError> {
    match std::fs::remove_dir_all(work) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(LabError::File {
            action: "empty",
            path: work.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
