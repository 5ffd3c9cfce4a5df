//! A matrix of builds: the table against every baseline, and what stands beside it.

mod claims;
mod code;
mod factor;
mod json;
mod markdown;
mod notes;
mod rows;
mod scale;
mod terminal;

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{
    Experiment, MatrixConclusion, MatrixRun, MemberEffect, SuiteEffect,
};
use proofmark_terms::Metric;

pub use json::json;
pub use markdown::markdown;
pub use terminal::terminal;

pub(crate) use json::MatrixDocument;

use crate::text::{printable, shortened};

/// Longest name of a cell or a benchmark in a table.
pub(crate) const NAME: usize = 32;

/// A matrix as recorded, with what its blocks say.
#[derive(Clone, Debug)]
pub struct MatrixView<'a> {
    /// Its name.
    pub id: &'a MatrixId,
    /// What was fixed before the first block. Its baselines are the columns.
    pub run: &'a MatrixRun,
    /// Its experiments, in the order of its members.
    pub experiments: Vec<&'a Experiment>,
    /// What the blocks say.
    pub conclusion: &'a MatrixConclusion,
}

impl MatrixView<'_> {
    pub(crate) fn cell(&self, index: u32) -> String {
        let name = self.run.cells.get(index as usize);
        shortened(&printable(name.map_or("?", String::as_str)), NAME)
    }

    /// A benchmark with its size.
    pub(crate) fn member(&self, index: u32) -> String {
        let Some(member) = self.run.members.get(index as usize) else {
            return "?".to_owned();
        };
        let name = shortened(&printable(&member.benchmark), NAME);
        match &member.size {
            Some(size) => format!("{name} {}={}", printable(&size.name), size.value),
            None => name,
        }
    }

    pub(crate) fn metric(&self, member: u32) -> &Metric {
        self.experiments
            .get(member as usize)
            .map_or(&Metric::CpuTime, |experiment| &experiment.benchmark.metric)
    }

    /// Distinct benchmarks.
    pub(crate) fn benchmarks(&self) -> usize {
        let mut names: Vec<&str> = Vec::new();
        for member in &self.run.members {
            if !names.contains(&member.benchmark.as_str()) {
                names.push(&member.benchmark);
            }
        }
        names.len()
    }

    pub(crate) fn cells(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.run.cells.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn members(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.run.members.len()).unwrap_or(u32::MAX)
    }

    /// Whether a cell is out of a benchmark.
    pub(crate) fn is_out(&self, member: u32, cell: u32) -> bool {
        let mut out = self.conclusion.out.iter();
        out.any(|one| (one.member, one.cell) == (member, cell))
    }

    pub(crate) fn suite(&self, cell: u32, baseline: u32) -> Option<&SuiteEffect> {
        let all = &self.conclusion.suite;
        all.iter()
            .find(|one| (one.cell, one.baseline) == (cell, baseline))
    }

    pub(crate) fn effect(&self, member: u32, cell: u32, baseline: u32) -> Option<&MemberEffect> {
        let all = &self.conclusion.effects;
        all.iter()
            .find(|one| (one.member, one.cell, one.baseline) == (member, cell, baseline))
    }

    /// What heads the table.
    pub(crate) fn heading(&self) -> String {
        match self.benchmarks() {
            1 => self
                .run
                .members
                .last()
                .map_or_else(String::new, |member| printable(&member.benchmark)),
            several => format!("geometric mean of {several} benchmarks"),
        }
    }
}
