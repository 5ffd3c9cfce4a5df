//! What a comparison and a null test are told alike: what is run, how it is measured, how the
//! result is shown.

use clap::Args;
use proofmark_evidence::record::Question;
use proofmark_lab::{Request, Subject};

use super::{BenchmarkArgs, BesideArgs, DesignArgs, OutputArgs};

/// What is run, how it is measured, how the result is shown.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    #[command(flatten)]
    pub(crate) benchmark: BenchmarkArgs,

    #[command(flatten)]
    pub(crate) design: DesignArgs,

    #[command(flatten)]
    pub(crate) beside: BesideArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ExperimentArgs {
    /// The request, which looks at no machine code.
    pub(crate) fn request(
        &self,
        question: Question,
        subjects: Vec<Subject>,
    ) -> anyhow::Result<Request> {
        Ok(Request {
            question,
            subjects,
            benchmark: self.benchmark.record()?,
            design: self.design.record(&self.beside)?,
            layouts: self.design.layouts.into(),
            population: self.design.population.into(),
            seed: self.design.seed,
            resume: !self.design.fresh,
            counted: self.beside.counted(),
            expectations: None,
        })
    }
}
