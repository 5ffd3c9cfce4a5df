//! A check of the whole store.

use super::Store;
use super::chain::Chain;
use super::experiment::Recorded;
use super::matrix::RecordedMatrix;
use crate::StoreError;
use crate::envelope::Kind;

/// What a check of the whole store went through without finding a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Experiments in the store.
    pub experiments: u32,
    /// Records in the store.
    pub records: u32,
}

impl Store {
    /// Checks every record of the store against its name and its place, and the database's own
    /// structure.
    ///
    /// # Errors
    ///
    /// The first flaw found.
    pub fn check(&self) -> Result<Checked, StoreError> {
        let mut checked = Checked {
            experiments: 0,
            records: 0,
        };
        for chain in self.log.examine()? {
            let headings = self.log.headings(&chain)?;
            let first = headings
                .first()
                .and_then(|first| Kind::from_column(&first.kind));
            if first == Some(RecordedMatrix::BEGINS) {
                self.read::<RecordedMatrix>(&chain, u32::MAX)?;
            } else {
                self.read::<Recorded>(&chain, u32::MAX)?;
                checked.experiments += 1;
            }
            checked.records += u32::try_from(headings.len()).unwrap_or(u32::MAX);
        }
        Ok(checked)
    }
}
