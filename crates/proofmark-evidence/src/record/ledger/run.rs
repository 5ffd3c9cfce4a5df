//! What was measured side by side: builds, ideas and stacks, and what was found of them.

use proofmark_terms::{CellIndex, Digest, Holds, MemberIndex, Metric};
use serde::{Deserialize, Serialize};

use super::figure::{FigureOf, LedgerFigureOf};
use super::question::LedgerTest;
use crate::MatrixId;
use crate::private::parts;
use crate::record::{GateFound, Out, TreeChange, Warning};

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
    /// What was found of guards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<LedgerGuard>,
    /// Builds that are out of a benchmark: they failed on it, or print something else than base.
    pub out: Vec<Out>,
    /// The questions that were asked of the error budget, in their order.
    pub tests: Vec<LedgerTest>,
    /// What must be known before the figures are believed, as the matrix has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

parts!(LedgerRun {
    matrix: open,
    asked: inner,
    confidence: open,
    figures: open,
    guards: open,
    out: inner,
    tests: inner,
    warnings: inner,
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

impl LedgerAsked {
    /// Whether another run asks the same. Which gates a build passed belongs to the question. So
    /// does the reason why there is no build: the last one is shown.
    #[must_use]
    pub fn is_same_question(&self, other: &LedgerAsked) -> bool {
        let asks = |asked: &LedgerAsked| {
            let mut asked = asked.clone();
            for build in &mut asked.builds {
                build.gates = build.gates.iter().map(GateFound::question).collect();
            }
            asked
        };
        asks(self) == asks(other)
    }
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
    /// Where it is a guard: by how much it may be worse, relative. It is in no mean then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<f64>,
}

parts!(LedgerBenchmark {
    name: mixed,
    metric: inner,
    guard: open,
});

/// What a figure says of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerGuard {
    /// What it is a figure of: an idea alone, or a whole stack.
    pub of: FigureOf,
    /// Index of the guard's benchmark, at its largest size.
    pub member: MemberIndex,
    /// Whether it is worse by no more than it may be.
    pub holds: Holds,
}

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
    pub gates: Vec<GateFound>,
    /// In which files that its runs read it differs from base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<TreeChange>,
}

parts!(LedgerBuild {
    name: mixed,
    ideas: mixed,
    cell: open,
    why: mixed,
    gates: inner,
    files: inner,
});

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
    /// Of what the two builds are made of, and of the benchmarks: the same idea with another patch
    /// is another question, and the same change by another name is none. Absent where one of them
    /// has no build.
    pub change: Option<Digest>,
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
    /// The same of base and the build with all of its ideas.
    pub change: Option<Digest>,
    /// The place of the build with all of its ideas.
    pub full: u32,
    /// Its ideas, lowest first.
    pub places: Vec<LedgerPlace>,
}

parts!(LedgerStack {
    name: mixed,
    change: open,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(gates: &[(&str, &str)], why: &str) -> LedgerAsked {
        let gates = gates.iter().map(|(gate, said)| GateFound {
            gate: (*gate).to_owned(),
            cell: "lowbit".to_owned(),
            passed: true,
            said: (*said).to_owned(),
            differs: Vec::new(),
            flaky: Vec::new(),
        });
        LedgerAsked {
            builds: vec![LedgerBuild {
                name: "lowbit".to_owned(),
                ideas: vec!["lowbit".to_owned()],
                cell: None,
                why: Some(why.to_owned()),
                gates: gates.collect(),
                files: Vec::new(),
            }],
            benchmarks: Vec::new(),
            groups: Vec::new(),
            ideas: Vec::new(),
            stacks: Vec::new(),
        }
    }

    #[test]
    fn another_gate_is_another_question_and_its_words_are_none() {
        let one = asked(&[("answers", "60 inputs")], "it does not build");
        assert!(one.is_same_question(&asked(&[("answers", "58 inputs")], "it does not build")));
        assert!(!one.is_same_question(&asked(&[("answers", "60 inputs")], "no compiler")));
        assert!(!one.is_same_question(&asked(&[("tests", "60 inputs")], "it does not build")));
        assert!(!one.is_same_question(&asked(&[], "it does not build")));
    }
}
