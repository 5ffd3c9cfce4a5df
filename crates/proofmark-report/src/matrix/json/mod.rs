//! A matrix for programs.

mod claims;
mod code;
mod scale;

use proofmark_evidence::record::{MemberEffect, SuiteEffect};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::MatrixView;
use crate::document::trees::TreeView;
use crate::document::words::{Ratio, StopWord, VerdictWord, WarningView};
use crate::document::{Document, enveloped};
use crate::gates::GateView;
use crate::number::rfc3339;
use claims::{ClaimView, GuardView};
use code::CodeOfCell;
use scale::{LineView, ScaleView};

/// A matrix for programs.
#[must_use]
pub fn json(matrix: &MatrixView<'_>) -> Value {
    enveloped(&MatrixDocument::of(matrix))
}

/// A matrix of proofmark: builds held against several baselines on a suite of benchmarks. Cells are
/// named by their index in `cells`, benchmarks by their index in `benchmarks`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MatrixDocument {
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
    /// Cells without a build, or that fail a gate.
    unbuilt: Vec<UnbuiltView>,
    /// What gates said of the builds before anything was timed.
    gates: Vec<GateView>,
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
    /// What the blocks say of each guard and cell.
    guards: Vec<GuardView>,
    /// Baselines that are worse than most of their kind.
    outliers: Vec<OutlierView>,
    /// T = a + b·N of benchmarks with a scale.
    lines: Vec<LineView>,
    /// Their comparisons.
    scale: Vec<ScaleView>,
    /// Machine code.
    code: Vec<CodeOfCell>,
    /// Folders of files that the runs of each cell read, in the order of `cells`; empty where they
    /// have none.
    trees: Vec<TreeView>,
    /// What must be known before the numbers are believed.
    warnings: Vec<MatrixWarningView>,
}

/// A condition that travels with the result.
#[derive(Serialize, JsonSchema)]
struct MatrixWarningView {
    #[serde(flatten)]
    warning: WarningView,
    /// The benchmarks that it is about, as indices of `benchmarks`; none where it is about all of
    /// the matrix.
    benchmarks: Vec<u32>,
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

/// A baseline that is worse than most cells of its kind.
#[derive(Serialize, JsonSchema)]
struct OutlierView {
    baseline: u32,
    /// Indices of the others of its kind.
    peers: Vec<u32>,
    /// This baseline ÷ the median of the others of its kind.
    ratio: f64,
}

impl Document for MatrixDocument {
    const SCHEMA: &'static str = "matrix";
}

impl MatrixDocument {
    fn of(matrix: &MatrixView<'_>) -> Self {
        let (run, conclusion) = (matrix.run, matrix.conclusion);
        MatrixDocument {
            id: matrix.id.to_string(),
            began: rfc3339(run.began_ms),
            proofmark: run.proofmark.clone(),
            cells: run.cells.clone(),
            baselines: run.baselines.iter().map(|cell| cell.0).collect(),
            unbuilt: all(&conclusion.asked.unbuilt, |one| UnbuiltView {
                cell: one.cell.clone(),
                why: one.why.clone(),
                baseline: one.baseline,
                claims: one.claims.clone(),
            }),
            gates: all(&conclusion.asked.gates, GateView::from),
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
                benchmark: out.member.0,
                cell: out.cell.0,
                why: out.why.clone(),
            }),
            claims: all(&conclusion.claims, ClaimView::from),
            guards: GuardView::all(matrix),
            outliers: all(&conclusion.outliers, |outlier| OutlierView {
                baseline: outlier.baseline.0,
                peers: outlier.peers.iter().map(|cell| cell.0).collect(),
                ratio: outlier.ratio,
            }),
            lines: all(&conclusion.lines, LineView::from),
            scale: all(&conclusion.scale, ScaleView::from),
            code: (0..)
                .zip(&conclusion.code)
                .map(|(cell, code)| CodeOfCell::of(cell, code, &conclusion.asked.facts))
                .collect(),
            trees: (matrix.experiments.first().into_iter())
                .flat_map(|experiment| &experiment.builds)
                .filter_map(|build| build.tree.as_deref().map(Into::into))
                .collect(),
            warnings: (0..)
                .zip(&conclusion.warnings)
                .map(|(at, warning)| MatrixWarningView {
                    warning: WarningView::of_matrix(warning),
                    benchmarks: matrix.warned.get(at).map_or_else(Vec::new, |members| {
                        members.iter().map(|member| member.0).collect()
                    }),
                })
                .collect(),
        }
    }
}

fn all<'a, T, V>(of: &'a [T], view: impl Fn(&'a T) -> V) -> Vec<V> {
    of.iter().map(view).collect()
}

impl From<&SuiteEffect> for SuiteView {
    fn from(effect: &SuiteEffect) -> Self {
        SuiteView {
            cell: effect.cell.0,
            baseline: effect.baseline.0,
            over: effect.over.iter().map(|member| member.0).collect(),
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
            benchmark: effect.member.0,
            cell: effect.cell.0,
            baseline: effect.baseline.0,
            blocks: effect.blocks,
            ratio: (&effect.interval).into(),
            verdict: effect.verdict.into(),
            spread: effect.spread,
            blocks_needed: effect.blocks_needed,
        }
    }
}
