//! What an experiment tells while it runs. Nothing that samples also prints: the command decides
//! what becomes of it.

use std::path::Path;

use proofmark_conclude::series::Apart;
use proofmark_evidence::record::{Exclusion, Pilot, SeriesEntry, StepOutcome};
use proofmark_stats::{Interval, Verdict};
use proofmark_terms::{Commit, OsText};

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
    /// Matched layouts do not explain how builds differ as shipped: they are measured once more,
    /// each laid out on its own.
    OnTheirOwn {
        /// The first digits of the experiment of matched layouts.
        matched: &'a str,
    },
    /// A matrix that was measured before is not taken up, since a file that its runs read is
    /// another one now.
    MatrixAnew {
        /// The file.
        path: &'a str,
    },
    /// The pilot has chosen.
    Piloted {
        /// Of a matrix: which benchmark it is about.
        benchmark: Option<&'a str>,
        /// What it has chosen.
        pilot: &'a Pilot,
    },
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
    MatrixBlock(MatrixBlockStored<'a>),
    /// A block of a sweep is stored.
    SweepBlock(SweepBlockStored),
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
    /// What a bisection found before is not taken up.
    BisectAnew {
        /// What is not as it was, as a sentence.
        what: &'a str,
    },
    /// Two builds of one commit are two programs, and one of them stands for the commit.
    Rebuilt {
        /// The commit.
        commit: &'a Commit,
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
    /// A series gets another line: what is measured from here on is compared with nothing before.
    SeriesLine {
        /// The series' name.
        series: &'a str,
        /// What is another one than on the line before.
        apart: &'a Apart<'a>,
    },
    /// A point of a series, or a comparison of two, is stored.
    SeriesEntry {
        /// The series' name.
        series: &'a str,
        /// What was measured.
        entry: &'a SeriesEntry,
    },
    /// A block of an attribution is stored.
    AttributionBlock(AttributionBlockStored),
    /// A block of an explanation is stored.
    ExplanationBlock {
        /// Blocks so far.
        done: u32,
        /// Blocks in all.
        planned: u32,
        /// Milliseconds since sampling began, in this sitting.
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
    Block(BlockStored<'a>),
}

/// A block of one benchmark of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixBlockStored<'a> {
    /// The benchmark.
    pub benchmark: &'a str,
    /// Its blocks so far.
    pub done: u32,
    /// Most blocks there may be.
    pub max: u32,
    /// Milliseconds since measuring began, earlier sittings included.
    pub elapsed_ms: u64,
    /// How many cells are still measured, counted on each benchmark.
    pub open: usize,
}

/// A block of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepBlockStored {
    /// Blocks that each address has so far, in the mean.
    pub blocks_each: f64,
    /// Fewest that each will have.
    pub fewest: u32,
    /// Addresses.
    pub addresses: usize,
    /// The extremes are measured afresh.
    pub afresh: bool,
    /// Milliseconds since measuring began, in this sitting.
    pub elapsed_ms: u64,
}

/// A block of an attribution.
#[derive(Clone, Copy, Debug)]
pub struct AttributionBlockStored {
    /// Blocks so far.
    pub done: usize,
    /// Blocks in all, nearly.
    pub planned: u32,
    /// Groups that are looked at side by side.
    pub groups: usize,
    /// Functions in them.
    pub functions: usize,
    /// Milliseconds since measuring began, in this sitting.
    pub elapsed_ms: u64,
}

/// A block of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct BlockStored<'a> {
    /// Blocks so far.
    pub done: u32,
    /// Most blocks there may be.
    pub max: u32,
    /// Milliseconds since measuring began, in this process.
    pub elapsed_ms: u64,
    /// Where each comparison stands; `None` before the fewest blocks.
    pub standings: &'a [Option<(Interval, Verdict)>],
    /// Every comparison has its verdict; what goes on is to say what one of no difference is
    /// worth.
    pub awaits_certificate: bool,
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
