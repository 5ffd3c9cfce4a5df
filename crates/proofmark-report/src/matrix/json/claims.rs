//! Claims, for programs.

use proofmark_evidence::record::JudgedClaim;
use proofmark_stats::{Holds, Standing};
use schemars::JsonSchema;
use serde::Serialize;

use super::all;
use crate::document::words::Ratio;
use crate::matrix::MatrixView;

/// A claim held against every baseline.
#[derive(Serialize, JsonSchema)]
pub(super) struct ClaimView {
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

/// A guard: a benchmark that is in no mean, and on which no cell may be worse than the first
/// baseline by more than so much.
#[derive(Serialize, JsonSchema)]
pub(super) struct GuardView {
    /// Index of the benchmark, at its largest size.
    benchmark: u32,
    cell: u32,
    /// By how much it may be worse: 0.02 for 2 %.
    at_most: f64,
    /// Whether it keeps to that.
    holds: HoldsWord,
}

impl GuardView {
    pub(super) fn all(matrix: &MatrixView<'_>) -> Vec<Self> {
        let judged = matrix.conclusion.guards.iter();
        let guards = judged.filter_map(|one| {
            let benchmark = &one.member.of(&matrix.run.members)?.benchmark;
            Some(GuardView {
                benchmark: one.member.0,
                cell: one.cell.0,
                at_most: matrix.guard(benchmark)?.most,
                holds: one.holds.into(),
            })
        });
        guards.collect()
    }
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

impl From<&JudgedClaim> for ClaimView {
    fn from(judged: &JudgedClaim) -> Self {
        let claim = &judged.claim;
        ClaimView {
            name: claim.name.clone(),
            new: claim.new.0,
            base: claim.base.map(|base| base.0),
            at_least: claim.at_least,
            benchmarks: claim.benchmarks.clone(),
            standing: match judged.standing {
                Standing::Robust => StandingWord::Robust,
                Standing::BaselineDependent => StandingWord::BaselineDependent,
                Standing::Refuted => StandingWord::Refuted,
                Standing::NotRobust => StandingWord::NotRobust,
                Standing::Undecided => StandingWord::Undecided,
            },
            over: judged.over.iter().map(|member| member.0).collect(),
            missing: all(&judged.missing, |one| MissingView {
                cell: one.cell.clone(),
                why: one.why.clone(),
            }),
            against: all(&judged.against, |one| AgainstView {
                baseline: one.baseline.0,
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
