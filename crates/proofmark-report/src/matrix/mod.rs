//! A matrix of builds: the table against every baseline, and what stands beside it.

mod claims;
mod code;
mod comment;
mod factor;
mod guards;
mod json;
mod markdown;
mod notes;
mod rows;
mod scale;
mod terminal;

use proofmark_evidence::record::{
    Experiment, Guard, MatrixConclusion, MatrixRun, MemberEffect, SuiteEffect,
};
use proofmark_evidence::{MatrixId, PrivateParts};
use proofmark_terms::{CellIndex, MemberIndex, Metric};

pub use comment::comment;
pub use json::json;
pub use markdown::markdown;
pub use terminal::terminal;

pub(crate) use json::MatrixDocument;

use crate::text::{printable, shortened_among};
use crate::wording::Wording;

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
    /// The members that each of its warnings is about, as
    /// [`members_warned_of`](proofmark_conclude::members_warned_of) says; none of those beyond its
    /// end.
    pub warned: &'a [Vec<MemberIndex>],
    /// Whether the private parts of the records were there.
    pub private: PrivateParts,
}

impl MatrixView<'_> {
    pub(crate) fn cell(&self, index: CellIndex) -> String {
        let name = index.of(&self.run.cells).map_or("?", String::as_str);
        shortened_among(name, self.run.cells.iter().map(String::as_str), NAME)
    }

    /// A benchmark with its size.
    pub(crate) fn member(&self, index: MemberIndex) -> String {
        let Some(member) = index.of(&self.run.members) else {
            return "?".to_owned();
        };
        let all = self.run.members.iter().map(|member| &*member.benchmark);
        let name = shortened_among(&member.benchmark, all, NAME);
        match &member.size {
            Some(size) => format!("{name} {}={}", printable(&size.name), size.value),
            None => name,
        }
    }

    pub(crate) fn metric(&self, member: MemberIndex) -> &Metric {
        member
            .of(&self.experiments)
            .map_or(&Metric::CpuTime, |experiment| &experiment.benchmark.metric)
    }

    /// In which words a mean over these is said.
    pub(crate) fn wording(&self, over: &[MemberIndex]) -> Wording {
        Wording::of_all(over.iter().map(|&member| self.metric(member)))
    }

    /// Distinct benchmarks that a mean is over: guards are in none, unless all are.
    pub(crate) fn benchmarks(&self) -> usize {
        self.suite_names().len()
    }

    fn suite_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for member in &self.run.members {
            if !names.contains(&member.benchmark.as_str()) {
                names.push(&member.benchmark);
            }
        }
        let plain = names.iter().copied();
        let plain: Vec<&str> = plain.filter(|name| self.guard(name).is_none()).collect();
        if plain.is_empty() { names } else { plain }
    }

    /// The guard that a benchmark is.
    fn guard(&self, benchmark: &str) -> Option<&Guard> {
        let mut guards = self.conclusion.asked.guards.iter();
        guards.find(|guard| guard.benchmark == benchmark)
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = CellIndex> + use<> {
        CellIndex::all(self.run.cells.len())
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = MemberIndex> + use<> {
        MemberIndex::all(self.run.members.len())
    }

    /// Whether a cell is out of a benchmark.
    pub(crate) fn is_out(&self, member: MemberIndex, cell: CellIndex) -> bool {
        let mut out = self.conclusion.out.iter();
        out.any(|one| (one.member, one.cell) == (member, cell))
    }

    pub(crate) fn suite(&self, cell: CellIndex, baseline: CellIndex) -> Option<&SuiteEffect> {
        let all = &self.conclusion.suite;
        all.iter()
            .find(|one| (one.cell, one.baseline) == (cell, baseline))
    }

    pub(crate) fn effect(
        &self,
        member: MemberIndex,
        cell: CellIndex,
        baseline: CellIndex,
    ) -> Option<&MemberEffect> {
        let all = &self.conclusion.effects;
        all.iter()
            .find(|one| (one.member, one.cell, one.baseline) == (member, cell, baseline))
    }

    /// What heads the table.
    pub(crate) fn heading(&self) -> String {
        match self.suite_names().as_slice() {
            [only] => printable(only),
            several => format!("geometric mean of {} benchmarks", several.len()),
        }
    }
}
