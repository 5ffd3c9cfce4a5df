//! Counted instructions.

/// Instructions of a build, or why they were not counted.
pub type Counted = Result<Count, String>;

/// Instructions of a run of one build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Of one run.
    pub instructions: u64,
    /// Of another run of the same image; only where the counts of the builds are not equal.
    pub again: Option<u64>,
    /// What counted.
    pub by: &'static str,
}

/// Counts this much apart, relative, are repeats of the same work: what start-up alone varies
/// between two images of one program (a longer path, another hash seed). Relative to the first
/// count.
pub const SAME_WORK: f64 = 1e-4;

/// How far two counts are apart, as a share of the first.
#[must_use]
pub fn apart(first: u64, second: u64) -> f64 {
    first.abs_diff(second) as f64 / first.max(1) as f64
}
