//! What is asked of the laboratory: the builds, the benchmark and the design, before anything is
//! drawn.

use proofmark_code::expect::Expectations;
use proofmark_evidence::record::{Benchmark, Design, Question};
use proofmark_terms::Population;
use serde::Serialize;

use crate::builds::Subject;

/// One question about some builds.
#[derive(Debug)]
pub struct Request {
    /// What is asked.
    pub question: Question,
    /// The builds; the first one is the base.
    pub subjects: Vec<Subject>,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops.
    pub design: Design,
    /// How placement is to be varied.
    pub layouts: LayoutChoice,
    /// The layouts that are drawn from.
    pub population: Population,
    /// The seed; fresh when absent.
    pub seed: Option<u64>,
    /// Take up the same experiment where it was interrupted.
    pub resume: bool,
    /// Of which runs instructions are counted.
    pub counted: CountedRuns,
    /// What the project expects of the machine code.
    pub expectations: Option<Expectations>,
}

/// Of which runs instructions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedRuns {
    /// Of the builds as shipped, beside the blocks, and of drawn images that are in question.
    All,
    /// Of drawn images that are in question: whether they do the work of those as shipped.
    InQuestion,
    /// Of none. Then there is no verdict on drawn images that are in question.
    None,
}

/// How placement is to be varied. Written down, it is part of what an experiment is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutChoice {
    /// Matched where the builds share nearly all of their code, independent otherwise, not at all
    /// where a build was not captured.
    Auto,
    /// Matched.
    Matched,
    /// Matched, and functions that differ start at any even address.
    Jittered,
    /// As jittered, and the code within functions that differ has other padding in each layout.
    Inside,
    /// Independent.
    Independent,
    /// Independent, after matched layouts that do not explain how the builds differ as shipped.
    OnTheirOwn,
    /// Not at all.
    AsShipped,
}

impl LayoutChoice {
    /// Whether each build is to be laid out on its own.
    pub(super) fn is_independent(self) -> bool {
        matches!(self, LayoutChoice::Independent | LayoutChoice::OnTheirOwn)
    }
}
