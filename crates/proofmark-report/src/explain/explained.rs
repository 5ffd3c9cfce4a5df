//! An explanation with the comparison that it is of, and what is said of it.

use proofmark_evidence::record::{Comparison, CountFound, Counted, ExplanationConclusion};
use proofmark_evidence::{Recorded, RecordedExplanation};

/// A sentence, and what it rests on.
pub(super) struct Sentence {
    /// What it is about: `cause`, `change`, `work`, `where`, `why`.
    pub(super) about: &'static str,
    /// Without a full stop.
    pub(super) words: String,
    /// In words.
    pub(super) evidence: String,
}

/// An explanation with the comparison that it is of.
#[derive(Clone, Copy)]
pub(super) struct Explained<'a> {
    pub(super) recorded: &'a RecordedExplanation,
    pub(super) comparison: &'a Recorded,
    pub(super) conclusion: &'a ExplanationConclusion,
}

impl<'a> Explained<'a> {
    /// One that has a conclusion.
    pub(super) fn of(recorded: &'a RecordedExplanation, comparison: &'a Recorded) -> Option<Self> {
        Some(Explained {
            recorded,
            comparison,
            conclusion: recorded.conclusion.as_ref()?,
        })
    }

    /// What the comparison says of the build.
    pub(super) fn compared(&self) -> Option<&'a Comparison> {
        let build = self.recorded.explanation.build;
        let mut all = self.comparison.conclusion.as_ref()?.comparisons.iter();
        all.find(|one| one.build == build)
    }

    /// The names of base and build.
    pub(super) fn names(&self) -> [&'a str; 2] {
        let builds = &self.comparison.experiment.builds;
        let name = |at: usize| builds.get(at).map_or("?", |build| build.name.as_str());
        [name(0), name(self.recorded.explanation.build.place())]
    }

    pub(super) fn found(&self, what: Counted) -> Option<&'a CountFound> {
        self.conclusion.counts.iter().find(|one| one.what == what)
    }
}
