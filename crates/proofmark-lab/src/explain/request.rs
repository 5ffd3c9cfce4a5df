//! What is asked of an explanation.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::ExplanationDesign;
use proofmark_terms::BuildIndex;

use crate::builds::Subject;

/// A change that is to be explained.
#[derive(Clone, Debug)]
pub struct ExplanationRequest {
    /// The comparison that found it.
    pub comparison: Recorded,
    /// Its builds, in their order.
    pub subjects: Vec<Subject>,
    /// The build that is held against the base.
    pub build: BuildIndex,
    /// When sampling stops.
    pub design: ExplanationDesign,
    /// Take samples with their callers as well, for pictures.
    pub with_callers: bool,
    /// Take up the same explanation where it was interrupted.
    pub resume: bool,
}
