//! Remedies against a placement: what was tried, what each makes, and what to keep of the best.

mod json;
mod markdown;
mod rows;
mod terminal;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Comparison;
use proofmark_terms::BuildIndex;

pub(crate) use json::{RemediesEntry, entry};
pub use markdown::markdown;
pub use terminal::terminal;

/// Remedies that were tried.
#[derive(Clone, Debug)]
pub struct Remedies {
    /// The build that they are for, as it was.
    pub of: String,
    /// How many of its functions are hot.
    pub hot: u64,
    /// Each remedy, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// All that could be measured, beside the build as it was; none where none could.
    pub comparison: Option<Recorded>,
    /// The best one and the build as it was, measured afresh; none where none helps.
    pub afresh: Option<Afresh>,
}

/// The best remedy, measured afresh.
#[derive(Clone, Debug)]
pub struct Afresh {
    /// Its place in the comparison of all.
    pub build: BuildIndex,
    /// The comparison with the build as it was.
    pub comparison: Recorded,
    /// Where the file to keep was written; none where nobody asked, or there is none.
    pub written: Option<String>,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Hot functions stand together.
    Together,
    /// Every function begins at a multiple of so many bytes.
    Aligned(u64),
}

/// A remedy and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What was tried.
    pub remedy: Remedy,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a remedy.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is no such build of this program, and why.
    NotMade(String),
    /// It could not be measured, and why.
    Broke(String),
    /// It was measured.
    Compared(Box<Made>),
}

/// A build that is a remedy.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its name among the captured builds.
    pub name: String,
    /// Its place in the comparison.
    pub build: BuildIndex,
    /// How many functions it is about.
    pub functions: u64,
    /// Functions that could not be moved, as people call them, and why.
    pub left: Vec<(String, String)>,
    /// What makes the same of the build's own sources; `FILE` stands for the file.
    pub keep: String,
    /// Bytes of code: of the build as it was, and its own.
    pub text_bytes: [u64; 2],
}

impl Remedies {
    /// What the comparison says of a remedy.
    fn found(&self, build: BuildIndex) -> Option<&Comparison> {
        found(self.comparison.as_ref()?, build)
    }

    /// The best remedy, and what the fresh comparison says of it.
    fn best(&self) -> Option<(&Tried, &Made, &Afresh)> {
        let afresh = self.afresh.as_ref()?;
        self.tried.iter().find_map(|tried| match &tried.outcome {
            Outcome::Compared(made) if made.build == afresh.build => Some((tried, &**made, afresh)),
            _ => None,
        })
    }
}

fn found(recorded: &Recorded, build: BuildIndex) -> Option<&Comparison> {
    let mut all = recorded.conclusion.as_ref()?.comparisons.iter();
    all.find(|one| one.build == build)
}
