//! What is recorded of a matrix, as far as a conclusion rests on it.

use std::collections::BTreeMap;

use proofmark_evidence::record::{Block, Experiment, MatrixRun, Pilot};
use proofmark_terms::BuildIndex;

/// What is recorded of a matrix.
#[derive(Clone, Debug)]
pub struct MatrixEvidence<'a> {
    /// What was fixed at its beginning.
    pub run: &'a MatrixRun,
    /// Its experiments, in the order of the run's members.
    pub members: Vec<MemberEvidence<'a>>,
}

/// What is recorded of one experiment of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct MemberEvidence<'a> {
    /// What was fixed at its beginning.
    pub experiment: &'a Experiment,
    /// Its pilot, where it got that far.
    pub pilot: Option<&'a Pilot>,
    /// Its finished blocks.
    pub blocks: &'a [Block],
    /// Builds that are out of it, and why.
    pub out: &'a BTreeMap<BuildIndex, String>,
}

impl MemberEvidence<'_> {
    /// How many blocks it has.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }
}
