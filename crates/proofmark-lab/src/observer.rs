//! What an experiment tells while it runs. Nothing that samples also prints: the command decides
//! what becomes of it.

use std::path::Path;

use proofmark_evidence::record::{Commit, Exclusion, Pilot, SeriesEntry, StepOutcome};
use proofmark_stats::{Interval, Verdict};
use proofmark_terms::OsText;

/// One piece of news.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// Something that takes a while has begun.
    Preparing(&'a str),
    /// An unfinished experiment is taken up; so many blocks are there already.
    Resumed {
        /// Blocks found in the store.
        blocks: u32,
    },
    /// An unfinished experiment is not taken up, since a file that its runs read is another one
    /// now.
    Anew {
        /// The file.
        path: &'a str,
        /// Blocks that it has.
        blocks: usize,
    },
    /// A matrix that was measured before is not taken up, since a file that its runs read is
    /// another one now.
    MatrixAnew {
        /// The file.
        path: &'a str,
    },
    /// The pilot has chosen.
    Piloted(&'a Pilot),
    /// The runs write files in the folder in which they run.
    Writes {
        /// The folder.
        folder: &'a Path,
        /// Those files, at least one.
        files: &'a [OsText],
        /// Runs of a block.
        a_block: u64,
        /// Runs of all blocks, at most.
        at_most: u64,
    },
    /// A block of one benchmark of a matrix is stored.
    MatrixBlock {
        /// The benchmark.
        benchmark: &'a str,
        /// Its blocks so far.
        done: u32,
        /// Most blocks there may be.
        max: u32,
        /// Milliseconds since measuring began, earlier sittings included.
        elapsed_ms: u64,
        /// How many cells are still measured, counted on each benchmark.
        open: usize,
    },
    /// A block of a sweep is stored.
    SweepBlock {
        /// Blocks that each address has so far, in the mean.
        blocks_each: f64,
        /// Fewest that each will have.
        fewest: u32,
        /// Addresses.
        addresses: usize,
        /// The extremes are measured afresh.
        afresh: bool,
        /// Milliseconds since measuring began, in this sitting.
        elapsed_ms: u64,
    },
    /// A bisection has its answer already.
    BisectKnown {
        /// The first digits of its name.
        bisect: &'a str,
    },
    /// An unfinished bisection is taken up.
    BisectResumed {
        /// Steps found in the store.
        steps: usize,
    },
    /// A step of a bisection is stored.
    BisectStep {
        /// The commit; `None` of the ends.
        commit: Option<&'a Commit>,
        /// What came of it.
        outcome: &'a StepOutcome,
        /// Commits that may still be the one.
        candidates: usize,
    },
    /// A point of a series, or a comparison of two, is stored.
    SeriesEntry {
        /// The series' name.
        series: &'a str,
        /// What was measured.
        entry: &'a SeriesEntry,
    },
    /// A block of an attribution is stored.
    AttributionBlock {
        /// Blocks so far.
        done: usize,
        /// Blocks in all, nearly.
        planned: u32,
        /// Groups that are looked at side by side.
        groups: usize,
        /// Functions in them.
        functions: usize,
        /// Milliseconds since measuring began, in this sitting.
        elapsed_ms: u64,
    },
    /// A cell is out of a benchmark.
    Excluded {
        /// The benchmark.
        benchmark: &'a str,
        /// The cell.
        cell: &'a str,
        /// What happened.
        exclusion: &'a Exclusion,
    },
    /// A block is stored.
    Block {
        /// Blocks so far.
        done: u32,
        /// Most blocks there may be.
        max: u32,
        /// Milliseconds since measuring began, in this process.
        elapsed_ms: u64,
        /// Where each comparison stands; `None` before the fewest blocks.
        standings: &'a [Option<(Interval, Verdict)>],
        /// Every comparison has its verdict; what goes on is to say what one of no difference is
        /// worth.
        awaits_certificate: bool,
    },
}

/// Who is told.
pub trait Observer {
    /// Takes one piece of news.
    fn tell(&mut self, event: &Event<'_>);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {
    fn tell(&mut self, _event: &Event<'_>) {}
}
