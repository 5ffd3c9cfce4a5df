//! What is asked of an attribution.

use proofmark_evidence::record::{AttributionDesign, Benchmark};

use crate::builds::Subject;

/// The layouts of one build.
#[derive(Clone, Debug)]
pub struct AttributionRequest {
    /// The build.
    pub subject: Subject,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops. Its seed is drawn anew where none was asked for.
    pub design: AttributionDesign,
    /// The seed that was asked for.
    pub seed: Option<u64>,
    /// Take up the same attribution where it was interrupted.
    pub resume: bool,
}
