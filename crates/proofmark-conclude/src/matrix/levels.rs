//! How the confidence is shared out among the intervals of a matrix.

use proofmark_evidence::record::{Asked, Design, MatrixRun};
use proofmark_stats::Looks;

use crate::error::ConcludeError;

/// The looks of each family of intervals. The intervals of single benchmarks hold together; so do
/// those of the suite, which are the table.
#[derive(Debug)]
pub(crate) struct Levels {
    /// One (cell, baseline) on one benchmark, of all pairs on all benchmarks.
    pub member: Looks,
    /// One (cell, baseline) on the suite, of all pairs.
    pub suite: Looks,
    /// A claim against one baseline, of all claims: what "against every baseline" is judged by.
    pub alone: Looks,
    /// A claim against one baseline, of all baselines of all claims.
    pub together: Looks,
}

impl Levels {
    pub(crate) fn new(
        run: &MatrixRun,
        design: &Design,
        asked: &Asked,
    ) -> Result<Self, ConcludeError> {
        let pairs = pairs(run);
        let (claims, baselines) = (asked.claims.len(), run.baselines.len() + 1);
        let looks = |comparisons: usize| {
            crate::rule::looks(design, u32::try_from(comparisons).unwrap_or(u32::MAX))
        };
        Ok(Levels {
            member: looks(pairs * run.members.len())?,
            suite: looks(pairs)?,
            alone: looks(claims)?,
            together: looks(claims * baselines)?,
        })
    }
}

/// Pairs of a cell and a baseline; two baselines are one pair, whichever is held against the other.
fn pairs(run: &MatrixRun) -> usize {
    let (cells, baselines) = (run.cells.len(), run.baselines.len());
    (cells.saturating_sub(baselines)) * baselines + baselines * baselines.saturating_sub(1) / 2
}
