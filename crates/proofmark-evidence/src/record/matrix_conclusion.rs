//! What the blocks of a matrix say.

use super::{Asked, Claim, Stop, Warning};
use crate::private::parts;
use proofmark_terms::{Bounded, CellIndex, Holds, Interval, MemberIndex, Part, Standing, Verdict};
use serde::{Deserialize, Serialize};

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
    /// The guards, each held against the main baseline for each cell that it was measured of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<JudgedGuard>,
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

parts!(MatrixConclusion {
    asked: inner,
    blocks: open,
    stop: open,
    confidence: open,
    suite: open,
    effects: open,
    out: inner,
    claims: inner,
    guards: open,
    outliers: open,
    lines: inner,
    scale: inner,
    code: inner,
    warnings: inner,
    took_ms: open,
});

/// One cell against one baseline: the geometric mean over the benchmarks in which both took part,
/// block by block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteEffect {
    /// Index of the cell.
    pub cell: CellIndex,
    /// Index of the baseline's cell.
    pub baseline: CellIndex,
    /// Indices of the members that it is the mean of: each benchmark once, at its largest size.
    pub over: Vec<MemberIndex>,
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
    pub member: MemberIndex,
    /// Index of the cell.
    pub cell: CellIndex,
    /// Index of the baseline's cell.
    pub baseline: CellIndex,
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
    /// What was added to each side of the interval for what slices and rounding may do to the
    /// effect.
    pub widening: f64,
    /// Where undecided: blocks that it would take, if the estimate stays.
    pub blocks_needed: Option<u32>,
}

/// A cell that is out of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Out {
    /// Index of the member.
    pub member: MemberIndex,
    /// Index of the cell.
    pub cell: CellIndex,
    /// What happened to it.
    pub why: String,
}

parts!(Out {
    member: open,
    cell: open,
    why: mixed
});

/// What the blocks say of a guard and a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedGuard {
    /// Index of the member: the guard's benchmark, at its largest size.
    pub member: MemberIndex,
    /// Index of the cell.
    pub cell: CellIndex,
    /// Whether it is worse by no more than it may be.
    pub holds: Holds,
}

/// A claim held against each baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Indices of the members that it is judged on, the same against every baseline: each benchmark
    /// that it is about, at its largest size.
    pub over: Vec<MemberIndex>,
    /// Each baseline that has all of these.
    pub against: Vec<Against>,
    /// What is missing: the claim is open as far as these go.
    pub missing: Vec<Missing>,
    /// What is said of it.
    pub standing: Standing,
}

parts!(JudgedClaim {
    claim: inner,
    over: open,
    against: open,
    missing: inner,
    standing: open,
});

/// A cell without which a claim cannot be judged in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name: a baseline's, or that of the claim's own cell.
    pub cell: String,
    /// What it lacks, as the end of a sentence that begins with its name.
    pub why: String,
}

parts!(Missing {
    cell: mixed,
    why: mixed
});

/// A claim held against one baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Index of the baseline's cell.
    pub baseline: CellIndex,
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
    pub baseline: CellIndex,
    /// Indices of the others of its kind.
    pub peers: Vec<CellIndex>,
    /// Indices of the members that they are compared on.
    pub over: Vec<MemberIndex>,
    /// This baseline ÷ the median of the others of its kind, on the suite.
    pub ratio: f64,
}

/// T = a + b·N of one cell on one benchmark, T in the metric's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaleLine {
    /// The benchmark's name.
    pub benchmark: String,
    /// Index of the cell.
    pub cell: CellIndex,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// a.
    pub fixed: Bounded,
    /// b.
    pub slope: Bounded,
    /// Largest distance of a size's mean from the line, relative, beyond chance and what digits, a
    /// coarse clock and slices hide; ≥ 0.
    pub misfit: f64,
}

parts!(ScaleLine {
    benchmark: mixed,
    cell: open,
    blocks: open,
    fixed: open,
    slope: open,
    misfit: open,
});

/// One cell against one baseline: the fixed and the proportional part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaleEffect {
    /// The benchmark's name.
    pub benchmark: String,
    /// Index of the cell.
    pub cell: CellIndex,
    /// Index of the baseline's cell.
    pub baseline: CellIndex,
    /// a of the cell ÷ a of the baseline.
    pub fixed: Part,
    /// a of the cell − a of the baseline, in the metric's unit.
    pub fixed_beyond: Bounded,
    /// b of the cell ÷ b of the baseline.
    pub proportional: Part,
    /// b of the cell − b of the baseline, in the metric's unit for each unit of the size; absent
    /// in what was concluded before it was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proportional_beyond: Option<Bounded>,
}

parts!(ScaleEffect {
    benchmark: mixed,
    cell: open,
    baseline: open,
    fixed: open,
    fixed_beyond: open,
    proportional: open,
    proportional_beyond: open,
});

/// What the machine code of a cell, as shipped, holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellCode {
    /// In the order of the facts that were asked for.
    pub facts: Vec<FactFound>,
    /// Whether it meets the expectations.
    pub expectations: Option<Expectation>,
}

parts!(CellCode {
    facts: inner,
    expectations: inner
});

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

parts!(
    enum FactFound {
        Counted { value: open },
        Unavailable { why: mixed },
    }
);

/// What became of the expectations of machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// How many hold.
    pub held: u64,
    /// Those that do not, or the reason why none could be looked at, each in one line.
    pub broken: Vec<String>,
}

parts!(Expectation {
    held: open,
    broken: mixed
});
