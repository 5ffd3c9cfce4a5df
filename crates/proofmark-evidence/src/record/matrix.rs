//! A matrix: many builds on several benchmarks, one experiment for each benchmark and size,
//! conducted together so that block i is of the same layouts in all.

use proofmark_terms::{Bounded, Holds, Interval, Part, Standing, Verdict};
use serde::{Deserialize, Serialize};

use super::{Stop, Warning};
use crate::ExperimentId;

/// Everything that is fixed before the first block of a matrix is measured. How it is measured
/// stands in its experiments, whose builds are its cells, all in the same order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatrixRun {
    /// Names of the cells that were built, in the order of the experiments' builds.
    pub cells: Vec<String>,
    /// What each cell is a kind of, in the same order: cells of one kind should be alike, such as
    /// one program by several releases of one compiler.
    pub kinds: Vec<String>,
    /// Indices of the cells that others are compared with, the main one first.
    pub baselines: Vec<u32>,
    /// The experiments.
    pub members: Vec<Member>,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

/// A cell without a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unbuilt {
    /// Its name.
    pub cell: String,
    /// Why there is none.
    pub why: String,
    /// It is one of the baselines: claims cannot be held against it.
    pub baseline: bool,
    /// Names of the claims that are about it, which are not judged.
    pub claims: Vec<String>,
}

/// One experiment of a matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The benchmark's name.
    pub benchmark: String,
    /// Its size, where the benchmark has a scale.
    pub size: Option<Size>,
    /// The experiment.
    pub experiment: ExperimentId,
}

/// One size of a benchmark with a scale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// What the size is called: `N`.
    pub name: String,
    /// Its value.
    pub value: u64,
}

/// A build that takes no further part in an experiment; the others go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// Index of the build.
    pub build: u32,
    /// Blocks that were finished before.
    pub blocks: u32,
    /// What happened to it.
    pub why: String,
}

/// What was asked of a matrix beside its measurements: what may change without measuring anew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The claims.
    pub claims: Vec<Claim>,
    /// Facts of machine code, each `FUNCTION:FACT`.
    pub facts: Vec<String>,
    /// BLAKE3 of the file of expectations, in hexadecimal.
    pub expectations: Option<String>,
    /// Cells without a build.
    pub unbuilt: Vec<Unbuilt>,
}

/// A stated effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Index of the cell that is said to be better.
    pub new: u32,
    /// Index of the cell that it was said to be better than.
    pub base: Option<u32>,
    /// By how much at least, relative: 0.05 for 5 %.
    pub at_least: f64,
    /// Names of the benchmarks that it is about; all when empty.
    pub benchmarks: Vec<String>,
}

/// What the blocks of a matrix say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatrixConclusion {
    /// What it answers beside the comparisons.
    pub asked: Asked,
    /// Most blocks that an experiment has.
    pub blocks: u32,
    /// Why measuring stopped.
    pub stop: Stop,
    /// Confidence of all suite intervals together, and of all intervals of single benchmarks
    /// together; 0 to 1.
    pub confidence: f64,
    /// Geometric means over the suite.
    pub suite: Vec<SuiteEffect>,
    /// Single benchmarks.
    pub effects: Vec<MemberEffect>,
    /// Cells that are out of an experiment.
    pub out: Vec<Out>,
    /// The claims, judged.
    pub claims: Vec<JudgedClaim>,
    /// Baselines that are worse than most of their kind.
    pub outliers: Vec<Outlier>,
    /// The lines of benchmarks with a scale.
    pub lines: Vec<ScaleLine>,
    /// Their comparisons.
    pub scale: Vec<ScaleEffect>,
    /// Machine code, a cell each, in the order of the cells; empty where nothing was asked of it.
    pub code: Vec<CellCode>,
    /// What must be known before the numbers are believed.
    pub warnings: Vec<Warning>,
    /// Time of all blocks and pilots, in milliseconds.
    pub took_ms: u64,
}

/// One cell against one baseline: the geometric mean over the benchmarks in which both took part,
/// block by block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteEffect {
    /// Index of the cell.
    pub cell: u32,
    /// Index of the baseline's cell.
    pub baseline: u32,
    /// Indices of the members that it is the mean of: each benchmark once, at its largest size.
    pub over: Vec<u32>,
    /// Blocks that it rests on: those that all of them have.
    pub blocks: u32,
    /// new ÷ base.
    pub interval: Interval,
    /// What the interval says.
    pub verdict: Verdict,
    /// Where undecided: blocks that it would take, if the estimate stays.
    pub blocks_needed: Option<u32>,
}

/// One cell against one baseline on one benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberEffect {
    /// Index of the member.
    pub member: u32,
    /// Index of the cell.
    pub cell: u32,
    /// Index of the baseline's cell.
    pub baseline: u32,
    /// Blocks in which both took part.
    pub blocks: u32,
    /// new ÷ base, shift included.
    pub interval: Interval,
    /// Median of the blocks' effects, on the scale of ln(new ÷ base).
    pub median: f64,
    /// Standard deviation of the blocks' effects, on the same scale.
    pub spread: f64,
    /// What the interval says.
    pub verdict: Verdict,
    /// The number of blocks after which it was first decided; `None` where it is not.
    pub decided_after: Option<u32>,
    /// What was added to each side of the interval for the shift of slicing.
    pub widening: f64,
    /// Where undecided: blocks that it would take, if the estimate stays.
    pub blocks_needed: Option<u32>,
}

/// A cell that is out of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Out {
    /// Index of the member.
    pub member: u32,
    /// Index of the cell.
    pub cell: u32,
    /// What happened to it.
    pub why: String,
}

/// A claim held against each baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Indices of the members that it is judged on, the same against every baseline: each benchmark
    /// that it is about, at its largest size.
    pub over: Vec<u32>,
    /// Each baseline that has all of these.
    pub against: Vec<Against>,
    /// What is missing: the claim is open as far as these go.
    pub missing: Vec<Missing>,
    /// What is said of it.
    pub standing: Standing,
}

/// A cell without which a claim cannot be judged in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name: a baseline's, or that of the claim's own cell.
    pub cell: String,
    /// What it lacks, as the end of a sentence that begins with its name.
    pub why: String,
}

/// A claim held against one baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Index of the baseline's cell.
    pub baseline: u32,
    /// new ÷ base, at the full level: what "against every baseline" is judged by.
    pub alone: Interval,
    /// What that says of the claim.
    pub holds_alone: Holds,
    /// new ÷ base, wider, so that the intervals of all baselines hold together: what single
    /// baselines are named by.
    pub together: Interval,
    /// What that says of the claim.
    pub holds: Holds,
}

/// A baseline that is worse than most cells of its kind: a gain against it alone says little.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outlier {
    /// Index of the baseline's cell.
    pub baseline: u32,
    /// Indices of the others of its kind.
    pub peers: Vec<u32>,
    /// Indices of the members that they are compared on.
    pub over: Vec<u32>,
    /// This baseline ÷ the median of the others of its kind, on the suite.
    pub ratio: f64,
}

/// T = a + b·N of one cell on one benchmark, T in the metric's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaleLine {
    /// The benchmark's name.
    pub benchmark: String,
    /// Index of the cell.
    pub cell: u32,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// a.
    pub fixed: Bounded,
    /// b.
    pub slope: Bounded,
    /// Largest distance of a size's mean from the line, relative, ≥ 0.
    pub misfit: f64,
}

/// One cell against one baseline: the fixed and the proportional part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaleEffect {
    /// The benchmark's name.
    pub benchmark: String,
    /// Index of the cell.
    pub cell: u32,
    /// Index of the baseline's cell.
    pub baseline: u32,
    /// a of the cell ÷ a of the baseline.
    pub fixed: Part,
    /// a of the cell − a of the baseline, in the metric's unit.
    pub fixed_beyond: Bounded,
    /// b of the cell ÷ b of the baseline.
    pub proportional: Part,
}

/// What the machine code of a cell, as shipped, holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellCode {
    /// In the order of the facts that were asked for.
    pub facts: Vec<FactFound>,
    /// Whether it meets the expectations.
    pub expectations: Option<Expectation>,
}

/// A fact of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FactFound {
    /// Counted; over all functions where the pattern matches several.
    Counted {
        /// How many.
        value: u64,
    },
    /// Not counted, and why.
    Unavailable {
        /// The reason.
        why: String,
    },
}

/// What became of the expectations of machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// How many hold.
    pub held: u64,
    /// Those that do not, or the reason why none could be looked at, each in one line.
    pub broken: Vec<String>,
}
