//! A ledger of ideas: what was tried, what was found of it, and what was decided. Its matrices are
//! chains of their own, which its entries name.

use proofmark_terms::{CellIndex, Digest, Holds, Interval, Margin, MemberIndex, Metric};
use serde::{Deserialize, Serialize};

use super::Out;
use crate::MatrixId;
use crate::private::parts;

/// What is fixed before the first idea is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Its name.
    pub name: String,
    /// The share of false findings among all findings that it promises not to exceed: above 0,
    /// below 0.5.
    pub rate: f64,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Ledger {
    name: mixed,
    rate: open,
    proofmark: open,
    began_ms: open,
});

/// Something that happened to a ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// From 0, in the order in which they happened.
    pub index: u32,
    /// Milliseconds since 1970-01-01 UTC.
    pub at_ms: u64,
    /// What it was.
    pub of: LedgerEvent,
}

parts!(LedgerEntry {
    index: open,
    at_ms: open,
    of: inner,
});

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LedgerEvent {
    /// Ideas were measured side by side.
    Measured {
        /// What came of it.
        run: Box<LedgerRun>,
    },
    /// Somebody decided on an idea.
    Decided {
        /// The idea.
        idea: String,
        /// What was decided.
        decision: Decision,
        /// Why.
        because: String,
        /// The matrix that it was last measured in; absent where it was not measured.
        matrix: Option<MatrixId>,
    },
    /// A claim was written down, before it was measured.
    Claimed {
        /// The claim.
        claim: LedgerClaim,
    },
    /// A claim was measured afresh.
    Confirmed {
        /// The index of the entry that states it.
        claim: u32,
        /// The matrix that it was measured in.
        matrix: MatrixId,
        /// What was found: with the idea ÷ without it.
        found: LedgerFigure,
        /// What that says of the claim.
        holds: Holds,
        /// Whether it was measured to the width that was claimed.
        reached: bool,
    },
}

parts!(
    enum LedgerEvent {
        Measured {
            run: inner,
        },
        Decided {
            idea: mixed,
            decision: open,
            because: mixed,
            matrix: open,
        },
        Claimed {
            claim: inner,
        },
        Confirmed {
            claim: open,
            matrix: open,
            found: open,
            holds: open,
            reached: open,
        },
    }
);

/// What becomes of an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It stays.
    Keep,
    /// It goes; its numbers stay.
    Drop,
    /// It is to be measured again.
    Again,
}

/// Ideas and stacks that were measured side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRun {
    /// The matrix whose blocks they were measured in.
    pub matrix: MatrixId,
    /// What was measured.
    pub asked: LedgerAsked,
    /// Confidence of all figures over the suite together, of all over groups together, and of all
    /// of single benchmarks together; 0 to 1.
    pub confidence: f64,
    /// The figures.
    pub figures: Vec<LedgerFigureOf>,
    /// Builds that are out of a benchmark: they failed on it, or print something else than base.
    pub out: Vec<Out>,
    /// The questions that were asked of the error budget, in their order.
    pub tests: Vec<LedgerTest>,
}

parts!(LedgerRun {
    matrix: open,
    asked: inner,
    confidence: open,
    figures: open,
    out: inner,
    tests: inner,
});

/// Builds, and which figures are made of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerAsked {
    /// The builds: base, base again, then the others.
    pub builds: Vec<LedgerBuild>,
    /// The members of its matrix, in their order.
    pub benchmarks: Vec<LedgerBenchmark>,
    /// Groups of benchmarks.
    pub groups: Vec<LedgerGroup>,
    /// Ideas that were measured alone.
    pub ideas: Vec<LedgerIdea>,
    /// Stacks.
    pub stacks: Vec<LedgerStack>,
}

parts!(LedgerAsked {
    builds: inner,
    benchmarks: inner,
    groups: inner,
    ideas: inner,
    stacks: inner,
});

/// A benchmark at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerBenchmark {
    /// Its name, with its size where it has one.
    pub name: String,
    /// What is read from each run.
    pub metric: Metric,
}

parts!(LedgerBenchmark {
    name: mixed,
    metric: inner,
});

/// A build of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerBuild {
    /// Its name.
    pub name: String,
    /// Names of the ideas on base, lowest first.
    pub ideas: Vec<String>,
    /// Its cell in the matrix; absent where it has no build.
    pub cell: Option<CellIndex>,
    /// Why it has none.
    pub why: Option<String>,
    /// What its correctness was tested by, before it was timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateResult>,
}

parts!(LedgerBuild {
    name: mixed,
    ideas: mixed,
    cell: open,
    why: mixed,
    gates: inner,
});

/// What a gate said of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate's name.
    pub gate: String,
    /// What came of it.
    pub outcome: GateOutcome,
    /// A sentence for people.
    pub said: String,
}

parts!(GateResult {
    gate: mixed,
    outcome: open,
    said: mixed,
});

/// What came of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The build is as correct as base, as far as the gate goes.
    Passed,
    /// It is not.
    Failed,
    /// It was not run.
    NotRun,
}

/// Benchmarks with a mean of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerGroup {
    /// Its name.
    pub name: String,
    /// Names of its benchmarks.
    pub benchmarks: Vec<String>,
}

parts!(LedgerGroup {
    name: mixed,
    benchmarks: mixed,
});

/// An idea that was measured on what it stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerIdea {
    /// `NAME`, or `NAME.CANDIDATE`.
    pub name: String,
    /// What it is about.
    pub hypothesis: Option<String>,
    /// Names of the ideas that it stands on, lowest first.
    pub on: Vec<String>,
    /// The gain that was expected, relative: 0.05 for 5 %.
    pub expected: Option<f64>,
    /// Of what it changes: the same idea with another patch is another question.
    pub change: Digest,
    /// The place of the build that has it.
    pub with: u32,
    /// The place of the build that it is held against.
    pub against: u32,
}

parts!(LedgerIdea {
    name: mixed,
    hypothesis: mixed,
    on: mixed,
    expected: open,
    change: open,
    with: open,
    against: open,
});

/// A stack that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerStack {
    /// Its name.
    pub name: String,
    /// The place of the build with all of its ideas.
    pub full: u32,
    /// Its ideas, lowest first.
    pub places: Vec<LedgerPlace>,
}

parts!(LedgerStack {
    name: mixed,
    full: open,
    places: inner,
});

/// An idea in a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerPlace {
    /// Its place among the ideas that were measured alone.
    pub idea: u32,
    /// The place of the build with the stack up to it.
    pub with: u32,
    /// The place of the build with the stack below it.
    pub below: u32,
    /// The place of the build with the stack but for it, and for what stands on it.
    pub without: u32,
    /// Names of the ideas that stand on it, and are left out with it.
    pub gone_too: Vec<String>,
}

parts!(LedgerPlace {
    idea: open,
    with: open,
    below: open,
    without: open,
    gone_too: mixed,
});

/// A figure, and what it is a figure of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerFigureOf {
    /// Of what.
    pub of: FigureOf,
    /// Over which benchmarks.
    pub over: FigureOver,
    /// The figure.
    pub figure: LedgerFigure,
}

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "figure", rename_all = "kebab-case")]
pub enum FigureOf {
    /// Base again ÷ base: the null pair.
    Null,
    /// An idea ÷ what it is held against.
    Alone {
        /// Its place among the ideas.
        idea: u32,
    },
    /// A stack ÷ base.
    Whole {
        /// Its place among the stacks.
        stack: u32,
    },
    /// A stack up to an idea ÷ the stack below it.
    Added {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
    /// A stack ÷ the stack without an idea.
    LeftOut {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
    /// What an idea makes when it is left out ÷ what it makes alone.
    Interaction {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
}

/// Which benchmarks a figure is the geometric mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "kebab-case")]
pub enum FigureOver {
    /// All that both builds take part in, each once.
    Suite {
        /// How many.
        benchmarks: u32,
    },
    /// Those of a group.
    Group {
        /// The group's place.
        group: u32,
        /// How many.
        benchmarks: u32,
    },
    /// One, at one size.
    Member {
        /// Its index.
        member: MemberIndex,
    },
}

/// One number with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerFigure {
    /// The ratio.
    pub interval: Interval,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Smallest and largest ratio among the benchmarks that it is the mean of, on the scale of ln;
    /// absent for one benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

/// A question asked of the error budget: is this idea better at all?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerTest {
    /// The idea's place among those of the run.
    pub idea: u32,
    /// How often blocks of a useless idea would show as much, at most; 0 to 1.
    pub p_value: f64,
    /// What came of it.
    pub outcome: TestOutcome,
}

parts!(LedgerTest {
    idea: open,
    p_value: open,
    outcome: open,
});

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum TestOutcome {
    /// It was asked at this level of the budget.
    Asked {
        /// Which question of the ledger, from 1.
        number: u32,
        /// What it spent, 0 to 1.
        level: f64,
        /// Whether it is a finding.
        found: bool,
    },
    /// The same change was found by an earlier run: nothing is spent, and nothing earned.
    KnownBefore,
}

/// A stated gain, written down before it is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerClaim {
    /// The idea.
    pub idea: String,
    /// Of what it changes.
    pub change: Digest,
    /// By how much it is better at least, relative: 0.05 for 5 %.
    pub at_least: f64,
    /// Differences smaller than this count as none.
    pub margin: Margin,
    /// The half-width to which it is measured, relative, whatever is found.
    pub precision: f64,
    /// Names of the benchmarks that it is about.
    pub benchmarks: Vec<String>,
    /// The seed of its layouts, in digits: drawn for this claim alone.
    pub seed: String,
    /// What was found when the idea was measured last.
    pub first: Option<FirstFigure>,
}

parts!(LedgerClaim {
    idea: mixed,
    change: open,
    at_least: open,
    margin: open,
    precision: open,
    benchmarks: mixed,
    seed: open,
    first: open,
});

/// What was found of an idea before it was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstFigure {
    /// The index of the entry.
    pub entry: u32,
    /// The figure.
    pub figure: LedgerFigure,
    /// How many ideas were measured in the same run: what it was picked from.
    pub among: u32,
}
