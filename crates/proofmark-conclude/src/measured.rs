//! What an experiment has measured, as conclusions are drawn from it.

use proofmark_evidence::record::{ArmRef, Block, Experiment, Pilot};

use crate::effects::effects;
use crate::error::ConcludeError;

/// What an experiment has measured.
pub(crate) struct Measured<'a> {
    pub experiment: &'a Experiment,
    pub pilot: &'a Pilot,
    pub blocks: &'a [Block],
}

impl Measured<'_> {
    pub(crate) fn effects(&self, new: ArmRef, base: ArmRef) -> Result<Vec<f64>, ConcludeError> {
        effects(self.blocks, new, base, self.pilot.schedule)
    }
}
