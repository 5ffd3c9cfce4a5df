//! What the records of an explanation add up to.

use super::study::{Study, chain_of_study};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::private::PrivateParts;
use crate::record::{Explanation, ExplanationBlock, ExplanationConclusion};
use crate::{ExplanationId, StoreError};

/// Everything that a store holds of one explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedExplanation {
    /// Its name.
    pub id: ExplanationId,
    /// What was fixed before the first block.
    pub explanation: Explanation,
    /// The blocks, in the order of measurement.
    pub blocks: Vec<ExplanationBlock>,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<ExplanationConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

chain_of_study!(RecordedExplanation { explanation }, Kind::Explanation);

impl Study for RecordedExplanation {
    type Block = ExplanationBlock;
    type Conclusion = ExplanationConclusion;

    const BLOCK: Kind = Kind::ExplanationBlock;
    const CONCLUSION: Kind = Kind::ExplanationConclusion;

    fn index(block: &ExplanationBlock) -> u32 {
        block.index
    }

    fn sound(&self, block: &ExplanationBlock) -> Result<(), Flaw> {
        let shipped = block.shipped.iter().flat_map(|two| two.iter());
        for runs in [&block.base, &block.new].into_iter().chain(shipped) {
            if runs.runs == 0 || runs.cpu_ns == 0 || runs.between_ns == 0 {
                return Err("a build was not sampled".to_owned());
            }
            let functions = runs.functions.iter().map(|one| one.samples);
            let elsewhere = runs.elsewhere.iter().map(|one| one.samples);
            if functions.chain(elsewhere).sum::<u64>() > runs.samples {
                return Err("it has more samples in places than in all".to_owned());
            }
        }
        Ok(())
    }

    fn measured(
        &mut self,
    ) -> (
        &mut Vec<ExplanationBlock>,
        &mut Option<ExplanationConclusion>,
    ) {
        (&mut self.blocks, &mut self.conclusion)
    }

    fn is_open(&self) -> bool {
        self.conclusion.is_none()
    }
}

impl Store {
    /// All explanations, in the order in which they were begun.
    ///
    /// # Errors
    ///
    /// The store cannot be read; a record is damaged.
    pub fn explanations(&self) -> Result<Vec<RecordedExplanation>, StoreError> {
        self.studies()
    }

    /// The latest explanation begun with this key that has no conclusion.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn unfinished_explanation(
        &self,
        key: &str,
    ) -> Result<Option<RecordedExplanation>, StoreError> {
        self.open_study(key)
    }

    /// Loads an explanation by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No explanation, or several, have this name; a record is damaged.
    pub fn load_explanation(&self, asked: &str) -> Result<RecordedExplanation, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchExplanation {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins an explanation. `key` is what the same one asked for again is recognised by, see
    /// [`Store::unfinished_explanation`].
    ///
    /// # Errors
    ///
    /// The very same explanation was begun before; the store cannot be written.
    pub fn begin_explanation(
        &mut self,
        key: &str,
        explanation: &Explanation,
    ) -> Result<ExplanationId, StoreError> {
        self.begin_chain(Kind::Explanation, key, explanation.clone())
    }

    /// Appends a finished block of an explanation.
    ///
    /// # Errors
    ///
    /// There is no such explanation; the store cannot be written.
    pub fn explanation_block(
        &mut self,
        id: &ExplanationId,
        block: &ExplanationBlock,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::ExplanationBlock, block.clone())
    }

    /// Appends what an explanation's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such explanation; the store cannot be written.
    pub fn conclude_explanation(
        &mut self,
        id: &ExplanationId,
        conclusion: &ExplanationConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::ExplanationConclusion, conclusion.clone())
    }
}
