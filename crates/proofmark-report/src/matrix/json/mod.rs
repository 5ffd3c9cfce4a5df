//! A matrix for programs: JSON with a schema version, and the schema.

use proofmark_evidence::record::{
    CellCode, FactFound, JudgedClaim, MemberEffect, ScaleEffect, ScaleLine, SuiteEffect,
};
use proofmark_stats::{Bounded, Holds, Part, Standing};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Matrix;
use crate::experiment::json::SCHEMA_VERSION;
use crate::experiment::json::comparison::{Ratio, WarningView};
use crate::experiment::json::words::{StopWord, VerdictWord};
use crate::number::rfc3339;

/// A matrix as JSON, valid by [`matrix_schema`].
#[must_use]
pub fn matrix_json(matrix: &Matrix<'_>) -> Value {
    crate::experiment::json::value(&MatrixDocument::of(matrix))
}

/// The schema of [`matrix_json`], published as `docs/schema/matrix.schema.json`.
#[must_use]
pub fn matrix_schema() -> Value {
    schemars::schema_for!(MatrixDocument).to_value()
}

/// A matrix of proofmark: builds held against several baselines on a suite of benchmarks. Cells are
/// named by their index in `cells`, benchmarks by their index in `benchmarks`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "proofmark matrix")]
struct MatrixDocument {
    /// The version of this shape.
    schema_version: u32,
    /// The matrix's name: BLAKE3 of its first record.
    id: String,
    /// When it began, RFC 3339, UTC.
    began: String,
    /// The version of proofmark that began it.
    proofmark: String,
    /// Names of the cells that were built.
    cells: Vec<String>,
    /// Indices of the cells that others are compared with, the main one first.
    baselines: Vec<u32>,
    /// Cells without a build.
    unbuilt: Vec<UnbuiltView>,
    /// The benchmarks, each at each size.
    benchmarks: Vec<BenchmarkView>,
    /// Why measuring stopped.
    stop: StopWord,
    /// Most blocks that a benchmark has.
    blocks: u32,
    /// Confidence of all suite intervals together, and of all intervals of single benchmarks
    /// together.
    confidence: f64,
    /// Time of all blocks, in milliseconds.
    took_ms: u64,
    /// Geometric means over the suite.
    suite: Vec<SuiteView>,
    /// Single benchmarks.
    effects: Vec<EffectView>,
    /// Cells that are out of a benchmark.
    out: Vec<OutView>,
    /// The claims.
    claims: Vec<ClaimView>,
    /// Baselines that are worse than most of their kind.
    outliers: Vec<OutlierView>,
    /// T = a + b·N of benchmarks with a scale.
    lines: Vec<LineView>,
    /// Their comparisons.
    scale: Vec<ScaleView>,
    /// Machine code.
    code: Vec<CodeOfCell>,
    /// What must be known before the numbers are believed.
    warnings: Vec<WarningView>,
}

/// A cell without a build.
#[derive(Serialize, JsonSchema)]
struct UnbuiltView {
    cell: String,
    why: String,
    /// It is one of the baselines.
    baseline: bool,
    /// Names of the claims that are about it, which are not judged.
    claims: Vec<String>,
}

/// A benchmark at one size.
#[derive(Serialize, JsonSchema)]
struct BenchmarkView {
    name: String,
    /// The value of its scale, if it has one.
    size: Option<u64>,
    /// The experiment, for `proofmark report`.
    experiment: String,
}

/// One cell against one baseline, the geometric mean over benchmarks.
#[derive(Serialize, JsonSchema)]
struct SuiteView {
    cell: u32,
    baseline: u32,
    /// Indices of the benchmarks that it is the mean of.
    over: Vec<u32>,
    /// Blocks that it rests on.
    blocks: u32,
    /// new ÷ base.
    ratio: Ratio,
    /// What the interval says.
    verdict: VerdictWord,
    /// Where undecided: blocks that it would take.
    blocks_needed: Option<u32>,
}

/// One cell against one baseline on one benchmark.
#[derive(Serialize, JsonSchema)]
struct EffectView {
    benchmark: u32,
    cell: u32,
    baseline: u32,
    /// Blocks in which both took part.
    blocks: u32,
    /// new ÷ base.
    ratio: Ratio,
    /// What the interval says.
    verdict: VerdictWord,
    /// Standard deviation of the blocks' ln(new ÷ base).
    spread: f64,
    /// Where undecided: blocks that it would take.
    blocks_needed: Option<u32>,
}

/// A cell that is out of a benchmark.
#[derive(Serialize, JsonSchema)]
struct OutView {
    benchmark: u32,
    cell: u32,
    why: String,
}

/// A claim held against every baseline.
#[derive(Serialize, JsonSchema)]
struct ClaimView {
    name: String,
    /// The cell that is said to be better.
    new: u32,
    /// The cell that it was said to be better than.
    base: Option<u32>,
    /// By how much at least: 0.05 for 5 %.
    at_least: f64,
    /// Names of the benchmarks that it is about; all when empty.
    benchmarks: Vec<String>,
    standing: StandingWord,
    /// Indices of the benchmarks that it is judged on, the same against every baseline.
    over: Vec<u32>,
    /// Baselines that have all of these.
    against: Vec<AgainstView>,
    /// What is missing: the claim is open as far as these go.
    missing: Vec<MissingView>,
}

/// A cell without which a claim cannot be judged in full.
#[derive(Serialize, JsonSchema)]
struct MissingView {
    /// The cell's name.
    cell: String,
    /// What it lacks.
    why: String,
}

/// What is said of a claim.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum StandingWord {
    /// It holds against every baseline.
    Robust,
    /// It holds against some and fails against others.
    BaselineDependent,
    /// It fails against every baseline.
    Refuted,
    /// It fails against some, and is open against the others.
    NotRobust,
    /// The data do not say.
    Undecided,
}

/// What an interval says of a claim.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum HoldsWord {
    /// It holds.
    Yes,
    /// It fails.
    No,
    /// Neither.
    Open,
}

/// A claim against one baseline.
#[derive(Serialize, JsonSchema)]
struct AgainstView {
    baseline: u32,
    /// new ÷ base at the full level, which "against every baseline" is judged by.
    alone: Ratio,
    holds_alone: HoldsWord,
    /// new ÷ base so that the intervals of all baselines hold together, which single baselines are
    /// named by.
    together: Ratio,
    holds: HoldsWord,
}

/// A baseline that is worse than most cells of its kind.
#[derive(Serialize, JsonSchema)]
struct OutlierView {
    baseline: u32,
    /// Indices of the others of its kind.
    peers: Vec<u32>,
    /// This baseline ÷ the median of the others of its kind.
    ratio: f64,
}

/// A mean with its bounds, in the metric's unit: nanoseconds, bytes, or as printed.
#[derive(Serialize, JsonSchema)]
struct BoundedView {
    estimate: f64,
    low: f64,
    high: f64,
}

/// T = a + b·N of one cell.
#[derive(Serialize, JsonSchema)]
struct LineView {
    /// The benchmark's name.
    benchmark: String,
    cell: u32,
    blocks: u32,
    /// a.
    fixed: BoundedView,
    /// b.
    slope: BoundedView,
    /// Largest distance of a size's mean from the line, relative.
    misfit: f64,
}

/// One cell against one baseline, by parts.
#[derive(Serialize, JsonSchema)]
struct ScaleView {
    /// The benchmark's name.
    benchmark: String,
    cell: u32,
    baseline: u32,
    /// a of the cell ÷ a of the baseline; absent where one of them is not told from zero.
    fixed: Option<Ratio>,
    /// a of the cell − a of the baseline.
    fixed_beyond: BoundedView,
    /// b of the cell ÷ b of the baseline; absent where one of them is not told from zero.
    proportional: Option<Ratio>,
}

/// The machine code of one cell.
#[derive(Serialize, JsonSchema)]
struct CodeOfCell {
    cell: u32,
    facts: Vec<FactView>,
    /// Conditions of the expectations that hold; absent where there are no expectations.
    held: Option<u64>,
    /// Those that do not, a line each.
    broken: Vec<String>,
}

/// A fact of a function.
#[derive(Serialize, JsonSchema)]
struct FactView {
    /// FUNCTION:FACT.
    fact: String,
    /// The count; absent where it could not be read.
    value: Option<u64>,
    /// Why it could not be read.
    why: Option<String>,
}

impl MatrixDocument {
    fn of(matrix: &Matrix<'_>) -> Self {
        let (run, conclusion) = (matrix.run, matrix.conclusion);
        MatrixDocument {
            schema_version: SCHEMA_VERSION,
            id: matrix.id.to_string(),
            began: rfc3339(run.began_ms),
            proofmark: run.proofmark.clone(),
            cells: run.cells.clone(),
            baselines: run.baselines.clone(),
            unbuilt: all(&conclusion.asked.unbuilt, |one| UnbuiltView {
                cell: one.cell.clone(),
                why: one.why.clone(),
                baseline: one.baseline,
                claims: one.claims.clone(),
            }),
            benchmarks: all(&run.members, |member| BenchmarkView {
                name: member.benchmark.clone(),
                size: member.size.as_ref().map(|size| size.value),
                experiment: member.experiment.to_string(),
            }),
            stop: conclusion.stop.into(),
            blocks: conclusion.blocks,
            confidence: conclusion.confidence,
            took_ms: conclusion.took_ms,
            suite: all(&conclusion.suite, SuiteView::from),
            effects: all(&conclusion.effects, EffectView::from),
            out: all(&conclusion.out, |out| OutView {
                benchmark: out.member,
                cell: out.cell,
                why: out.why.clone(),
            }),
            claims: all(&conclusion.claims, ClaimView::from),
            outliers: all(&conclusion.outliers, |outlier| OutlierView {
                baseline: outlier.baseline,
                peers: outlier.peers.clone(),
                ratio: outlier.ratio,
            }),
            lines: all(&conclusion.lines, LineView::from),
            scale: all(&conclusion.scale, ScaleView::from),
            code: (0..)
                .zip(&conclusion.code)
                .map(|(cell, code)| CodeOfCell::of(cell, code, &conclusion.asked.facts))
                .collect(),
            warnings: all(&conclusion.warnings, WarningView::from),
        }
    }
}

fn all<'a, T, V>(of: &'a [T], view: impl Fn(&'a T) -> V) -> Vec<V> {
    of.iter().map(view).collect()
}

impl From<&SuiteEffect> for SuiteView {
    fn from(effect: &SuiteEffect) -> Self {
        SuiteView {
            cell: effect.cell,
            baseline: effect.baseline,
            over: effect.over.clone(),
            blocks: effect.blocks,
            ratio: (&effect.interval).into(),
            verdict: effect.verdict.into(),
            blocks_needed: effect.blocks_needed,
        }
    }
}

impl From<&MemberEffect> for EffectView {
    fn from(effect: &MemberEffect) -> Self {
        EffectView {
            benchmark: effect.member,
            cell: effect.cell,
            baseline: effect.baseline,
            blocks: effect.blocks,
            ratio: (&effect.interval).into(),
            verdict: effect.verdict.into(),
            spread: effect.spread,
            blocks_needed: effect.blocks_needed,
        }
    }
}

impl From<&JudgedClaim> for ClaimView {
    fn from(judged: &JudgedClaim) -> Self {
        let claim = &judged.claim;
        ClaimView {
            name: claim.name.clone(),
            new: claim.new,
            base: claim.base,
            at_least: claim.at_least,
            benchmarks: claim.benchmarks.clone(),
            standing: match judged.standing {
                Standing::Robust => StandingWord::Robust,
                Standing::BaselineDependent => StandingWord::BaselineDependent,
                Standing::Refuted => StandingWord::Refuted,
                Standing::NotRobust => StandingWord::NotRobust,
                Standing::Undecided => StandingWord::Undecided,
            },
            over: judged.over.clone(),
            missing: all(&judged.missing, |one| MissingView {
                cell: one.cell.clone(),
                why: one.why.clone(),
            }),
            against: all(&judged.against, |one| AgainstView {
                baseline: one.baseline,
                alone: (&one.alone).into(),
                holds_alone: one.holds_alone.into(),
                together: (&one.together).into(),
                holds: one.holds.into(),
            }),
        }
    }
}

impl From<Holds> for HoldsWord {
    fn from(holds: Holds) -> Self {
        match holds {
            Holds::Yes => HoldsWord::Yes,
            Holds::No => HoldsWord::No,
            Holds::Open => HoldsWord::Open,
        }
    }
}

impl From<&Bounded> for BoundedView {
    fn from(bounded: &Bounded) -> Self {
        BoundedView {
            estimate: bounded.estimate,
            low: bounded.low,
            high: bounded.high,
        }
    }
}

impl From<&ScaleLine> for LineView {
    fn from(line: &ScaleLine) -> Self {
        LineView {
            benchmark: line.benchmark.clone(),
            cell: line.cell,
            blocks: line.blocks,
            fixed: (&line.fixed).into(),
            slope: (&line.slope).into(),
            misfit: line.misfit,
        }
    }
}

impl From<&ScaleEffect> for ScaleView {
    fn from(effect: &ScaleEffect) -> Self {
        let ratio = |part: &Part| match part {
            Part::Ratio { interval } => Some(interval.into()),
            Part::NotFromZero => None,
        };
        ScaleView {
            benchmark: effect.benchmark.clone(),
            cell: effect.cell,
            baseline: effect.baseline,
            fixed: ratio(&effect.fixed),
            fixed_beyond: (&effect.fixed_beyond).into(),
            proportional: ratio(&effect.proportional),
        }
    }
}

impl CodeOfCell {
    fn of(cell: u32, code: &CellCode, facts: &[String]) -> Self {
        let fact = |(fact, found): (&String, &FactFound)| {
            let (value, why) = match found {
                FactFound::Counted { value } => (Some(*value), None),
                FactFound::Unavailable { why } => (None, Some(why.clone())),
            };
            FactView {
                fact: fact.clone(),
                value,
                why,
            }
        };
        let expected = code.expectations.as_ref();
        CodeOfCell {
            cell,
            facts: facts.iter().zip(&code.facts).map(fact).collect(),
            held: expected.map(|found| found.held),
            broken: expected.map_or_else(Vec::new, |found| found.broken.clone()),
        }
    }
}
