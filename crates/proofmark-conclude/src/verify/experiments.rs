//! The experiments that a bisection or a series names, held against what it says that they are.

use std::collections::HashSet;

use proofmark_evidence::record::{Axis, Benchmark, Build, BuildOrigin, Question, Stdin};
use proofmark_evidence::{ExperimentId, Recorded, Store, StoreError};
use proofmark_terms::{Commit, Margin};

use super::found::Finding;
use super::numbers::{close, compared, is_same_text};
use crate::error::ConcludeError;
use crate::withheld::is_withheld;

/// Why a chain of experiments cannot be computed again.
pub(super) enum Stopped {
    /// The evidence cannot be read.
    Store(StoreError),
    /// It does not go together, as a sentence.
    Not(String),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Stopped::Store(error)
    }
}

impl From<ConcludeError> for Stopped {
    fn from(error: ConcludeError) -> Self {
        Stopped::Not(error.to_string())
    }
}

/// Something that does not go together.
pub(super) fn not<T>(why: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Not(why.into()))
}

/// What an experiment has to be.
pub(super) struct Wanted<'a> {
    pub(super) question: Question,
    /// Those of its builds, in their order.
    pub(super) commits: &'a [&'a Commit],
    /// What follows from the chain; `None` where each sitting may have asked for another one.
    pub(super) confidence: Option<f64>,
    /// Of which drawn images say nothing that is looked for.
    pub(super) as_shipped: bool,
}

/// Experiments of one chain, each of them taken once.
pub(super) struct Experiments<'a> {
    store: &'a Store,
    axis: Axis,
    benchmark: &'a Benchmark,
    /// As the confidence that is wanted.
    margin: Option<Margin>,
    seen: HashSet<ExperimentId>,
}

impl<'a> Experiments<'a> {
    pub(super) fn new(
        store: &'a Store,
        axis: Axis,
        benchmark: &'a Benchmark,
        margin: Option<Margin>,
    ) -> Self {
        Experiments {
            store,
            axis,
            benchmark,
            margin,
            seen: HashSet::new(),
        }
    }

    /// Loads an experiment, if it is what it has to be.
    pub(super) fn take(
        &mut self,
        id: &ExperimentId,
        wanted: &Wanted<'_>,
    ) -> Result<Recorded, Stopped> {
        self.take_of(id, wanted, wanted.commits.len())
    }

    /// The same where the last commits may have no build of their own, but for the `fewest` first.
    pub(super) fn take_of(
        &mut self,
        id: &ExperimentId,
        wanted: &Wanted<'_>,
        fewest: usize,
    ) -> Result<Recorded, Stopped> {
        let short = id.short();
        // As of a matrix: a small file could ask for any number of them.
        if !self.seen.insert(id.clone()) {
            return not(format!("experiment {short} is named twice"));
        }
        let recorded = self.store.load(id.as_str())?;
        let experiment = &recorded.experiment;
        if experiment.question != wanted.question {
            return not(format!("experiment {short} asked another question"));
        }
        let builds = &experiment.builds;
        let named = || builds.iter().zip(wanted.commits);
        if !(fewest..=wanted.commits.len()).contains(&builds.len())
            || !named().all(|(build, commit)| self.is_build_of(build, commit))
        {
            let names = |all: Vec<&str>| all.join(", ");
            return not(format!(
                "experiment {short} is of {}, and named as one of {}",
                names(builds.iter().map(|one| one.name.as_str()).collect()),
                names(wanted.commits.iter().map(|one| called(one)).collect()),
            ));
        }
        let own = experiment.design.confidence;
        if let Some(wanted) = wanted.confidence
            && !close(own, wanted)
        {
            return not(format!(
                "experiment {short} has a confidence of {own}, and its place is one of {wanted}"
            ));
        }
        let other_margin = |margin: Margin| margin != experiment.design.margin;
        if !is_same(self.benchmark, &experiment.benchmark) || self.margin.is_some_and(other_margin)
        {
            return not(format!(
                "experiment {short} has another benchmark or another margin"
            ));
        }
        let comparisons = recorded.conclusion.iter().flat_map(|one| &one.comparisons);
        if !wanted.as_shipped && comparisons.into_iter().any(is_withheld) {
            return not(format!(
                "experiment {short} says nothing of the builds: its drawn images do other work, or \
                 nobody knows whether they do"
            ));
        }
        Ok(recorded)
    }

    /// Whether a build is that of a commit: it is called so. One of a line of toolchains or flags
    /// is known by its capture, which is the state's tree.
    fn is_build_of(&self, build: &Build, commit: &Commit) -> bool {
        if self.axis.is_commits() {
            return is_same_text(&build.name, called(commit));
        }
        match &build.origin {
            BuildOrigin::Captured { ids, .. } => {
                ids.iter().any(|id| id.as_str() == commit.tree.as_str())
            }
            BuildOrigin::Executable { .. } => false,
        }
    }
}

/// Whether two benchmarks are one, wherever its folder lies.
fn is_same(claimed: &Benchmark, found: &Benchmark) -> bool {
    let mut found = found.clone();
    found.cwd.clone_from(&claimed.cwd);
    if let (Stdin::File(file), Stdin::File(other)) = (&claimed.stdin, &mut found.stdin) {
        other.clone_from(file);
    }
    matches!(compared(claimed, &found), Finding::AsClaimed { .. })
}

/// What the build of a commit is called: the beginning of its name.
fn called(commit: &Commit) -> &str {
    commit.id.get(..12).unwrap_or(&commit.id)
}
