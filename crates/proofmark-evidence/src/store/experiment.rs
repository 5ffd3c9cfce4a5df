//! What the records of an experiment add up to.

use super::Store;
use super::chain::{Chain, Record};
use crate::envelope::{Flaw, Kind};
use crate::private::PrivateParts;
use crate::record::{
    Block, Conclusion, Exclusion, Experiment, Note, NullConclusion, Pilot, Pin, PinState,
};
use crate::samples::StoredBlock;
use crate::{ExperimentId, StoreError};

/// Everything that a store holds of one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its name.
    pub id: ExperimentId,
    /// What the same question asked again is recognised by; empty where its private part is not
    /// here.
    pub key: String,
    /// What was fixed before the first block.
    pub experiment: Experiment,
    /// How it was measured, once that was chosen.
    pub pilot: Option<Pilot>,
    /// The finished blocks, in the order of measurement.
    pub blocks: Vec<Block>,
    /// Blocks in whose midst the budget was spent; they count for nothing.
    pub partial: Vec<Block>,
    /// Builds that took no further part, in the order in which they left.
    pub exclusions: Vec<Exclusion>,
    /// What the blocks say; absent while the experiment is unfinished, and in a null test.
    pub conclusion: Option<Conclusion>,
    /// What the blocks of a null test say.
    pub null_conclusion: Option<NullConclusion>,
    /// Remarks made after it.
    pub notes: Vec<Note>,
    /// What it rests on is kept for good.
    pub pinned: bool,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Store {
    /// Loads an experiment by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No experiment, or several, have this name; a record is damaged.
    pub fn load(&self, asked: &str) -> Result<Recorded, StoreError> {
        self.read(self.find(asked)?.as_str(), u32::MAX)
    }

    /// Loads an experiment up to its first `blocks` blocks: what was fixed, who dropped out, the
    /// pilot; all of it where there are no more.
    ///
    /// # Errors
    ///
    /// There is no such experiment; a record is damaged.
    pub fn load_beginning(&self, id: &ExperimentId, blocks: u32) -> Result<Recorded, StoreError> {
        self.read(id.as_str(), blocks)
    }
}

impl Chain for Recorded {
    const BEGINS: Kind = Kind::Experiment;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(Recorded {
            experiment: first.open()?,
            id: first.id()?,
            key: first.key().to_owned(),
            pilot: None,
            blocks: Vec::new(),
            partial: Vec::new(),
            exclusions: Vec::new(),
            conclusion: None,
            null_conclusion: None,
            notes: Vec::new(),
            pinned: false,
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::Pilot => self.pilot = Some(record.open()?),
            Kind::Block => {
                let block = block(record)?;
                self.next(&block, record.number())?;
                self.blocks.push(block);
            }
            Kind::PartialBlock => self.partial.push(block(record)?),
            Kind::Conclusion => self.conclusion = Some(record.open()?),
            Kind::NullConclusion => self.null_conclusion = Some(record.open()?),
            Kind::Note => self.notes.push(record.open()?),
            Kind::Pin => self.pinned = record.open::<Pin>()?.state == PinState::Pinned,
            Kind::Exclusion => self.exclusions.push(record.open()?),
            Kind::Experiment
            | Kind::Matrix
            | Kind::MatrixConclusion
            | Kind::Sweep
            | Kind::SweepBlock
            | Kind::SweepConclusion
            | Kind::Bisect
            | Kind::BisectStep
            | Kind::BisectConclusion
            | Kind::Attribution
            | Kind::AttributionBlock
            | Kind::AttributionConclusion
            | Kind::Series
            | Kind::SeriesEntry
            | Kind::Explanation
            | Kind::ExplanationBlock
            | Kind::ExplanationConclusion
            | Kind::Ledger
            | Kind::LedgerEntry => return Err(record.stray()),
        }
        Ok(())
    }

    fn private(&mut self, parts: PrivateParts) {
        self.private = parts;
    }
}

impl Recorded {
    /// Whether this is the block that comes next, and the log says the same.
    fn next(&self, block: &Block, number: Option<u32>) -> Result<(), Flaw> {
        let next = self.blocks.len();
        if Some(block.index) == number && usize::try_from(block.index) == Ok(next) {
            return Ok(());
        }
        Err(format!(
            "it is block {} in the place of block {next}",
            block.index
        ))
    }
}

fn block(record: &Record<'_>) -> Result<Block, Flaw> {
    record.open::<StoredBlock>()?.into_block()
}
