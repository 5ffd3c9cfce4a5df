//! What is asked of a sweep.

use proofmark_evidence::record::{Benchmark, SweepDesign};

use crate::builds::Subject;

/// One function of one build at many addresses.
#[derive(Clone, Debug)]
pub struct SweepRequest {
    /// The build.
    pub subject: Subject,
    /// The functions that move together, as patterns; the first one leads.
    pub functions: Vec<String>,
    /// Functions that move together in a window of their own, against the others; empty for none.
    pub against: Vec<String>,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops. Its seed is drawn anew where none was asked for.
    pub design: SweepDesign,
    /// The seed that was asked for.
    pub seed: Option<u64>,
    /// Take up the same sweep where it was interrupted.
    pub resume: bool,
}
