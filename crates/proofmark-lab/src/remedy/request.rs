//! What is asked of remedies.

use proofmark_capture::Builds;
use proofmark_evidence::RecordedExplanation;
use proofmark_evidence::record::{Benchmark, Design};
use proofmark_terms::BuildIndex;

use crate::builds::Subject;
use crate::experiment::CountedRuns;

/// Remedies for one of the two builds of an explanation.
#[derive(Debug)]
pub struct RemediesRequest<'a> {
    /// It knows which functions are hot.
    pub explanation: RecordedExplanation,
    /// The slower one of its builds, which remedies are for: the base, or the other one.
    pub build: BuildIndex,
    /// The same as it is at hand.
    pub subject: Subject,
    /// Where builds are kept.
    pub builds: &'a Builds,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops.
    pub design: Design,
    /// Of which runs instructions are counted.
    pub counted: CountedRuns,
    /// Take up the same comparison where it was interrupted.
    pub resume: bool,
}
