//! What the records of an attribution add up to.

use super::study::{Study, chain_of_study, sound_round};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::private::PrivateParts;
use crate::record::{Attribution, AttributionBlock, AttributionConclusion};
use crate::{AttributionId, StoreError};

/// Everything that a store holds of one attribution.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAttribution {
    /// Its name.
    pub id: AttributionId,
    /// What was fixed before the first block.
    pub attribution: Attribution,
    /// The blocks, in the order of measurement.
    pub blocks: Vec<AttributionBlock>,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<AttributionConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

chain_of_study!(RecordedAttribution { attribution }, Kind::Attribution);

impl Study for RecordedAttribution {
    type Block = AttributionBlock;
    type Conclusion = AttributionConclusion;

    const BLOCK: Kind = Kind::AttributionBlock;
    const CONCLUSION: Kind = Kind::AttributionConclusion;

    fn index(block: &AttributionBlock) -> u32 {
        block.index
    }

    fn sound(&self, block: &AttributionBlock) -> Result<(), Flaw> {
        let images = block.groups.len() + 2 + usize::from(block.others);
        for round in block.measured.iter().flatten() {
            sound_round(&round.order, &round.runs, images)?;
        }
        if block.measured.iter().any(Vec::is_empty) {
            return Err("a layout was not measured twice".to_owned());
        }
        let known = &self.attribution.functions;
        let functions = known.len();
        let mut groups = block.groups.iter().flatten();
        if groups.any(|function| function.of(known).is_none())
            || block.starts.iter().any(|starts| starts.len() != functions)
        {
            return Err(format!("it is not of the {functions} functions"));
        }
        Ok(())
    }

    fn measured(
        &mut self,
    ) -> (
        &mut Vec<AttributionBlock>,
        &mut Option<AttributionConclusion>,
    ) {
        (&mut self.blocks, &mut self.conclusion)
    }

    fn is_open(&self) -> bool {
        self.conclusion.is_none()
    }
}

impl Store {
    /// All attributions, in the order in which they were begun.
    ///
    /// # Errors
    ///
    /// The store cannot be read; a record is damaged.
    pub fn attributions(&self) -> Result<Vec<RecordedAttribution>, StoreError> {
        self.studies()
    }

    /// The latest attribution begun with this key that has no conclusion.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn unfinished_attribution(
        &self,
        key: &str,
    ) -> Result<Option<RecordedAttribution>, StoreError> {
        self.open_study(key)
    }

    /// Loads an attribution by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No attribution, or several, have this name; a record is damaged.
    pub fn load_attribution(&self, asked: &str) -> Result<RecordedAttribution, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchAttribution {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins an attribution. `key` is what the same one asked for again is recognised by, see
    /// [`Store::unfinished_attribution`].
    ///
    /// # Errors
    ///
    /// The very same attribution was begun before; the store cannot be written.
    pub fn begin_attribution(
        &mut self,
        key: &str,
        attribution: &Attribution,
    ) -> Result<AttributionId, StoreError> {
        self.begin_chain(Kind::Attribution, key, attribution.clone())
    }

    /// Appends a finished block of an attribution.
    ///
    /// # Errors
    ///
    /// There is no such attribution; the store cannot be written.
    pub fn attribution_block(
        &mut self,
        id: &AttributionId,
        block: &AttributionBlock,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::AttributionBlock, block.clone())
    }

    /// Appends what an attribution's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such attribution; the store cannot be written.
    pub fn conclude_attribution(
        &mut self,
        id: &AttributionId,
        conclusion: &AttributionConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::AttributionConclusion, conclusion.clone())
    }
}
