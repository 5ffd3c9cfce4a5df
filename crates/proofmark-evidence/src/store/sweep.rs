//! What the records of a sweep add up to.

use super::study::{Study, chain_of_study, sound_round};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::private::PrivateParts;
use crate::record::{Sweep, SweepBlock, SweepConclusion, SweepStop};
use crate::{StoreError, SweepId};

/// Everything that a store holds of one sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSweep {
    /// Its name.
    pub id: SweepId,
    /// What was fixed before the first block.
    pub sweep: Sweep,
    /// The blocks, in the order of measurement.
    pub blocks: Vec<SweepBlock>,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<SweepConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

chain_of_study!(RecordedSweep { sweep }, Kind::Sweep);

impl Study for RecordedSweep {
    type Block = SweepBlock;
    type Conclusion = SweepConclusion;

    const BLOCK: Kind = Kind::SweepBlock;
    const CONCLUSION: Kind = Kind::SweepConclusion;

    fn index(block: &SweepBlock) -> u32 {
        block.index
    }

    fn sound(&self, block: &SweepBlock) -> Result<(), Flaw> {
        let addresses = &self.sweep.addresses;
        if block
            .addresses
            .iter()
            .any(|one| one.of(addresses).is_none())
        {
            return Err(format!("it is not of the {} addresses", addresses.len()));
        }
        let images = block.addresses.len() + 1;
        let mut rounds = block.rounds.iter();
        rounds.try_for_each(|round| sound_round(&round.order, &round.runs, images))
    }

    fn measured(&mut self) -> (&mut Vec<SweepBlock>, &mut Option<SweepConclusion>) {
        (&mut self.blocks, &mut self.conclusion)
    }

    fn is_open(&self) -> bool {
        let ended = self.conclusion.as_ref().map(|conclusion| conclusion.stop);
        matches!(ended, None | Some(SweepStop::Budget))
    }
}

impl Store {
    /// All sweeps, in the order in which they were begun.
    ///
    /// # Errors
    ///
    /// The store cannot be read; a record is damaged.
    pub fn sweeps(&self) -> Result<Vec<RecordedSweep>, StoreError> {
        self.studies()
    }

    /// The latest sweep begun with this key that has more to measure: it has no conclusion, or its
    /// budget ended it.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn unfinished_sweep(&self, key: &str) -> Result<Option<RecordedSweep>, StoreError> {
        self.open_study(key)
    }

    /// Loads a sweep by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No sweep, or several, have this name; a record is damaged.
    pub fn load_sweep(&self, asked: &str) -> Result<RecordedSweep, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchSweep {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins a sweep. `key` is what the same sweep asked for again is recognised by, see
    /// [`Store::unfinished_sweep`].
    ///
    /// # Errors
    ///
    /// The very same sweep was begun before; the store cannot be written.
    pub fn begin_sweep(&mut self, key: &str, sweep: &Sweep) -> Result<SweepId, StoreError> {
        self.begin_chain(Kind::Sweep, key, sweep.clone())
    }

    /// Appends a finished block of a sweep.
    ///
    /// # Errors
    ///
    /// There is no such sweep; the store cannot be written.
    pub fn sweep_block(&mut self, id: &SweepId, block: &SweepBlock) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::SweepBlock, block.clone())
    }

    /// Appends what a sweep's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such sweep; the store cannot be written.
    pub fn conclude_sweep(
        &mut self,
        id: &SweepId,
        conclusion: &SweepConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::SweepConclusion, conclusion.clone())
    }
}
