//! A matrix: many builds on several benchmarks, one experiment for each benchmark and size,
//! conducted together so that block i is of the same layouts in all.

use proofmark_terms::{BuildIndex, CellIndex, Digest};
use serde::{Deserialize, Serialize};

use crate::ExperimentId;
use crate::private::parts;
use crate::record::GateFound;

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
    pub baselines: Vec<CellIndex>,
    /// The experiments.
    pub members: Vec<Member>,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(MatrixRun {
    cells: mixed,
    kinds: mixed,
    baselines: open,
    members: inner,
    proofmark: open,
    began_ms: open,
});

/// A cell without a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unbuilt {
    /// Its name.
    pub cell: String,
    /// Why there is none.
    pub why: String,
    /// It is one of the baselines: claims cannot be held against it.
    pub baseline: bool,
    /// It is the main one of these: guards cannot be held against it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub main: bool,
    /// Names of the claims that are about it, which are not judged.
    pub claims: Vec<String>,
}

parts!(Unbuilt {
    cell: mixed,
    why: mixed,
    baseline: open,
    main: open,
    claims: mixed
});

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

parts!(Member {
    benchmark: mixed,
    size: inner,
    experiment: open
});

/// One size of a benchmark with a scale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// What the size is called: `N`.
    pub name: String,
    /// Its value.
    pub value: u64,
}

parts!(Size {
    name: mixed,
    value: open
});

/// Whether a size of a benchmark stands for it in a suite: the largest does, of these members.
#[must_use]
pub fn is_in_suite<'a>(
    benchmark: &str,
    size: Option<&Size>,
    members: impl IntoIterator<Item = (&'a str, Option<&'a Size>)>,
) -> bool {
    let value = |size: Option<&Size>| size.map(|size| size.value);
    let mut others = members.into_iter().filter(|(name, _)| *name == benchmark);
    others.all(|(_, other)| value(other) <= value(size))
}

/// What a benchmark is called at one of its sizes: `sort N=20`.
#[must_use]
pub fn benchmark_name(benchmark: &str, size: Option<&Size>) -> String {
    match size {
        Some(size) => format!("{benchmark} {}={}", size.name, size.value),
        None => benchmark.to_owned(),
    }
}

/// A build that takes no further part in an experiment; the others go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// Index of the build.
    pub build: BuildIndex,
    /// Blocks that were finished before.
    pub blocks: u32,
    /// What happened to it.
    pub why: String,
}

parts!(Exclusion {
    build: open,
    blocks: open,
    why: mixed
});

/// What was asked of a matrix beside its measurements: what may change without measuring anew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The claims.
    pub claims: Vec<Claim>,
    /// Facts of machine code, each `FUNCTION:FACT`.
    pub facts: Vec<String>,
    /// Of the file of expectations.
    pub expectations: Option<Digest>,
    /// Cells without a build, or whose build fails a gate.
    pub unbuilt: Vec<Unbuilt>,
    /// What gates said before anything was timed.
    #[serde(default)]
    pub gates: Vec<GateFound>,
    /// Benchmarks that are in no mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Guard>,
    /// Cells that race: one that cannot be the best of them is measured no further. Empty where
    /// none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub race: Vec<CellIndex>,
}

impl Asked {
    /// Whether another one asks the same. Which gates a build passed belongs to the question. So
    /// does the reason why there is no build: the last one is shown.
    #[must_use]
    pub fn is_same_question(&self, other: &Asked) -> bool {
        let asks = |asked: &Asked| Asked {
            gates: asked.gates.iter().map(GateFound::question).collect(),
            ..asked.clone()
        };
        asks(self) == asks(other)
    }
}

parts!(Asked {
    claims: inner,
    facts: mixed,
    expectations: open,
    unbuilt: inner,
    gates: inner,
    guards: inner,
    race: open,
});

/// A benchmark on which no cell may be worse than the main baseline by more than so much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// The benchmark's name.
    pub benchmark: String,
    /// By how much at most, relative: 0.02 for 2 %.
    pub most: f64,
}

parts!(Guard {
    benchmark: mixed,
    most: open
});

/// A stated effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Index of the cell that is said to be better.
    pub new: CellIndex,
    /// Index of the cell that it was said to be better than.
    pub base: Option<CellIndex>,
    /// By how much at least, relative: 0.05 for 5 %.
    pub at_least: f64,
    /// Names of the benchmarks that it is about; all when empty.
    pub benchmarks: Vec<String>,
}

parts!(Claim {
    name: mixed,
    new: open,
    base: open,
    at_least: open,
    benchmarks: mixed
});

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(passed: bool, said: &str) -> GateFound {
        GateFound {
            gate: "tests".to_owned(),
            cell: "gcc".to_owned(),
            passed,
            said: said.to_owned(),
            differs: Vec::new(),
            flaky: Vec::new(),
        }
    }

    #[test]
    fn another_gate_is_another_question_and_its_words_are_none_where_it_passes() {
        let asked = |gates: &[GateFound]| Asked {
            gates: gates.to_vec(),
            ..Asked::default()
        };
        let one = asked(&[gate(true, "60 inputs answered as by base")]);
        assert!(one.is_same_question(&asked(&[gate(true, "58 inputs answered as by base")])));
        assert!(!one.is_same_question(&asked(&[gate(false, "60 inputs answered as by base")])));
        assert!(!one.is_same_question(&asked(&[])));
        let fails = asked(&[gate(false, "1 test worse than on base")]);
        assert!(!fails.is_same_question(&asked(&[gate(false, "2 tests worse than on base")])));
    }

    #[test]
    fn another_reason_why_there_is_no_build_is_another_question() {
        let asked = |why: &str| Asked {
            unbuilt: vec![Unbuilt {
                cell: "gcc".to_owned(),
                why: why.to_owned(),
                baseline: false,
                main: false,
                claims: Vec::new(),
            }],
            ..Asked::default()
        };
        assert!(asked("no compiler").is_same_question(&asked("no compiler")));
        assert!(!asked("no compiler").is_same_question(&asked("an error in main.c")));
    }
}
