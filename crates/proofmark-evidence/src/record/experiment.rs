//! Everything that is fixed before the first block is measured.

use proofmark_terms::{Machine, Margin, Population};
use serde::{Deserialize, Serialize};

use super::{Benchmark, Build, PatchText};
use crate::private::parts;

/// An experiment: builds, a benchmark, and how they will be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// What is asked.
    pub question: Question,
    /// The builds; the first one is the base.
    pub builds: Vec<Build>,
    /// The patches that builds name, each once, as far as they are texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchText>,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops.
    pub design: Design,
    /// How placement is varied.
    pub layouts: LayoutControl,
    /// Where the heaps of runs in drawn layouts begin.
    #[serde(default, skip_serializing_if = "HeapStart::is_as_usual")]
    pub heap: HeapStart,
    /// What the runs read.
    #[serde(default)]
    pub inputs: super::Inputs,
    /// Everything drawn comes from it.
    #[serde(with = "proofmark_terms::exact")]
    pub seed: u64,
    /// The machine when the experiment began.
    pub machine: Machine,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Experiment {
    question: open,
    builds: inner,
    patches: inner,
    benchmark: inner,
    design: open,
    layouts: inner,
    heap: inner,
    inputs: inner,
    seed: open,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// What an experiment asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Do the other builds differ from the base?
    Compare,
    /// Which of the two other builds is the base nearer to?
    Between,
    /// How often does this set-up call a build different from itself?
    Null,
}

/// When measuring stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Below it two builds are equivalent.
    pub margin: Margin,
    /// 0 to 1, for all intervals of the experiment together.
    pub confidence: f64,
    /// Fewest blocks before a verdict.
    pub min_blocks: u32,
    /// Most blocks.
    pub max_blocks: u32,
    /// Stop when the half-width of the interval is this small (relative) instead of when decided.
    pub precision: Option<f64>,
    /// Ratios new ÷ base that gates ask about: a verdict is not enough while an interval holds one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<f64>,
    /// Most time to spend, in milliseconds.
    pub budget_ms: Option<u64>,
    /// Rounds of a block; by the pilot when absent.
    pub rounds: Option<u32>,
    /// How runs share the machine; by the pilot when absent.
    pub schedule: Option<super::Schedule>,
    /// Measure the builds' own images in the same rounds.
    pub as_shipped: bool,
    /// Measure the base with a tax of exactly the margin in the same rounds.
    pub certificate: super::CertificateUse,
}

/// What a comparison does that nobody told otherwise: ±1 %, 95 %, 8 to 60 blocks.
impl Default for Design {
    fn default() -> Self {
        Design {
            margin: Margin::default(),
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 60,
            precision: None,
            asked: Vec::new(),
            budget_ms: None,
            rounds: None,
            schedule: None,
            as_shipped: true,
            certificate: super::CertificateUse::Auto,
        }
    }
}

/// How placement is varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LayoutControl {
    /// Each block has layouts drawn from a seed.
    Drawn {
        /// How those of the builds go together.
        how: Drawing,
        /// The layouts that are drawn from.
        population: Population,
    },
    /// The executables are measured where their linker put them.
    AsShipped {
        /// Why layouts are not varied, and how they could be.
        reason: String,
    },
}

parts!(
    enum LayoutControl {
        Drawn { how: inner, population: open },
        AsShipped { reason: mixed },
    }
);

/// Where the heap of a run begins: the break of a program, from which the C library's allocator
/// takes what is small.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HeapStart {
    /// At a multiple of 16 bytes within a page, drawn for each round; the same for all of its runs
    /// in drawn layouts.
    Drawn,
    /// At a page, as the kernel has it.
    AtPage {
        /// Why it is not drawn, where that is known and layouts are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
}

impl Default for HeapStart {
    fn default() -> Self {
        HeapStart::AtPage { why: None }
    }
}

impl HeapStart {
    /// Whether it is as without proofmark, and nothing is said of it.
    #[must_use]
    pub const fn is_as_usual(&self) -> bool {
        matches!(self, HeapStart::AtPage { why: None })
    }
}

parts!(
    enum HeapStart {
        Drawn,
        AtPage { why: mixed },
    }
);

/// How the drawn layouts of several builds go together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Drawing {
    /// From one seed, shared code at equal addresses.
    Matched,
    /// As matched, and functions that differ between the builds start at any even address.
    Jittered,
    /// As jittered, and the code within functions that differ has other padding in each layout.
    Inside,
    /// For each build on its own.
    Independent {
        /// Why they are not matched.
        reason: String,
    },
}

parts!(
    enum Drawing {
        Matched,
        Jittered,
        Inside,
        Independent { reason: mixed },
    }
);

impl LayoutControl {
    /// Whether placement is varied.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        matches!(self, LayoutControl::Drawn { .. })
    }

    /// Whether layouts give what builds share the same place and the same size in all of them.
    #[must_use]
    pub const fn makes_alike(&self) -> bool {
        match self {
            LayoutControl::Drawn { how, .. } => !matches!(how, Drawing::Independent { .. }),
            LayoutControl::AsShipped { .. } => false,
        }
    }

    /// The layouts that are drawn from; `None` where placement is not varied.
    #[must_use]
    pub const fn population(&self) -> Option<Population> {
        match self {
            LayoutControl::Drawn { population, .. } => Some(*population),
            LayoutControl::AsShipped { .. } => None,
        }
    }
}
