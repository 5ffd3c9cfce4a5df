//! What is asked of an attribution.

use proofmark_evidence::record::{AttributionDesign, Benchmark};

use super::screened::RecordedComparison;
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
    /// The comparison whose layouts are asked about: functions that stand out there are measured,
    /// and no others.
    pub comparison: Option<RecordedComparison>,
    /// The seed that was asked for.
    pub seed: Option<u64>,
    /// Take up the same attribution where it was interrupted.
    pub resume: bool,
}
