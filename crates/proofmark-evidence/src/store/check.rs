//! A check of the whole store.

use std::ops::ControlFlow;

use super::Store;
use super::attribution::RecordedAttribution;
use super::bisect::RecordedBisect;
use super::chain::Chain;
use super::experiment::Recorded;
use super::explanation::RecordedExplanation;
use super::ledger::RecordedLedger;
use super::matrix::RecordedMatrix;
use super::series::RecordedSeries;
use super::sweep::RecordedSweep;
use crate::envelope::{Kind, linked};
use crate::private::checked;
use crate::{ChainId, StoreError};

/// What a check of the whole store went through without finding a flaw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Experiments in the store.
    pub experiments: u32,
    /// Records in the store.
    pub records: u32,
    /// Chains of which nothing but names and places is known here.
    pub later: Vec<LaterChain>,
}

/// A chain that a later version began: what it says is not known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaterChain {
    /// Its name.
    pub id: ChainId,
    /// What it calls itself.
    pub kind: String,
}

impl Store {
    /// Checks every record of the store against its name and its place, and the database's own
    /// structure. Chains that begin with a kind of record that is not known here are checked too,
    /// as far as names and places go.
    ///
    /// # Errors
    ///
    /// The first flaw found.
    pub fn check(&self) -> Result<Checked, StoreError> {
        let mut checked = Checked {
            experiments: 0,
            records: 0,
            later: Vec::new(),
        };
        for chain in self.log.examine()? {
            let headings = self.log.headings(&chain)?;
            let first = headings
                .first()
                .and_then(|first| Kind::from_column(&first.kind));
            match first {
                Some(RecordedMatrix::BEGINS) => {
                    self.read::<RecordedMatrix>(&chain, u32::MAX)?;
                }
                Some(RecordedSweep::BEGINS) => {
                    self.read::<RecordedSweep>(&chain, u32::MAX)?;
                }
                Some(RecordedBisect::BEGINS) => {
                    self.read::<RecordedBisect>(&chain, u32::MAX)?;
                }
                Some(RecordedAttribution::BEGINS) => {
                    self.read::<RecordedAttribution>(&chain, u32::MAX)?;
                }
                Some(RecordedExplanation::BEGINS) => {
                    self.read::<RecordedExplanation>(&chain, u32::MAX)?;
                }
                Some(RecordedSeries::BEGINS) => {
                    self.read::<RecordedSeries>(&chain, u32::MAX)?;
                }
                Some(RecordedLedger::BEGINS) => {
                    self.read::<RecordedLedger>(&chain, u32::MAX)?;
                }
                // A later version began it: what it means is not known here, but nothing else
                // rests on that.
                None if !headings.is_empty() => {
                    self.linked(&chain)?;
                    checked.later.push(LaterChain {
                        id: self.named(&chain)?,
                        kind: headings[0].kind.clone(),
                    });
                }
                _ => {
                    self.read::<Recorded>(&chain, u32::MAX)?;
                    checked.experiments += 1;
                }
            }
            checked.records += u32::try_from(headings.len()).unwrap_or(u32::MAX);
        }
        Ok(checked)
    }

    /// Checks the names and places of a chain whose kinds are not known here.
    fn linked(&self, chain: &str) -> Result<(), StoreError> {
        let mut last: Option<String> = None;
        let mut failed = None;
        self.log.chain(chain, &mut |entry| {
            let place = (entry.kind, chain, last.as_deref());
            let named = linked(entry.id, entry.body, place, entry.private);
            let whole = match (entry.private, &entry.part) {
                (Some(id), Some(part)) => checked(id, part).map(drop),
                _ => Ok(()),
            };
            if let Err(what) = named.and(whole) {
                failed = Some(self.damaged(entry.id, what));
                return ControlFlow::Break(());
            }
            last = Some(entry.id.to_owned());
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), Err)
    }
}
