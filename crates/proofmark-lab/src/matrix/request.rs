//! What is asked of a matrix: cells, baselines, benchmarks, claims, before anything is drawn.

use proofmark_code::expect::Expectations;
use proofmark_evidence::record::{Asked, Benchmark, Design, Size};
use proofmark_terms::{CellIndex, Population};

use crate::builds::Subject;
use crate::experiment::LayoutChoice;

/// Builds to be measured on a suite.
#[derive(Debug)]
pub struct MatrixRequest {
    /// The cells that have a build; the first one is the main baseline.
    pub subjects: Vec<Subject>,
    /// What each of them is a kind of: cells of one kind should be alike.
    pub kinds: Vec<String>,
    /// Indices of those that others are compared with; the first is 0.
    pub baselines: Vec<CellIndex>,
    /// The suite.
    pub members: Vec<MemberRequest>,
    /// When measuring stops.
    pub design: Design,
    /// How placement is to be varied.
    pub layouts: LayoutChoice,
    /// The layouts that are drawn from.
    pub population: Population,
    /// The seed; fresh when absent.
    pub seed: Option<u64>,
    /// Begin anew even where the same matrix was measured before.
    pub fresh: bool,
    /// Claims and facts, and what has no build.
    pub asked: Asked,
    /// The expectations of machine code.
    pub expectations: Option<Expectations>,
}

/// One benchmark at one size.
#[derive(Clone, Debug)]
pub struct MemberRequest {
    /// Its name.
    pub name: String,
    /// Its size, where it has a scale.
    pub size: Option<Size>,
    /// What is run.
    pub benchmark: Benchmark,
    /// How each cell is run, where that differs; in the order of the cells.
    pub run_as: Vec<Option<Benchmark>>,
}
