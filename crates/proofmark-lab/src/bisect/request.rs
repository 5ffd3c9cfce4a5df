//! What is asked of a bisection, and who makes the builds.

use proofmark_evidence::record::{Axis, Judge, Vcs};
use proofmark_terms::{Commit, Digest, Population};

use crate::builds::Subject;
use crate::error::LabError;
use crate::experiment::LayoutChoice;

/// A search for the commit that changed something.
#[derive(Clone, Debug)]
pub struct BisectRequest {
    /// Along what the states are.
    pub axis: Axis,
    /// Who keeps the commits.
    pub vcs: Vcs,
    /// The end that has the older level.
    pub older: Commit,
    /// The candidates, parents before their children; the last one is the newer end.
    pub commits: Vec<Commit>,
    /// Only first parents were followed.
    pub first_parent: bool,
    /// Look for every change along the commits, each of which has the one before for its parent:
    /// between two that are alike at most so many stay unseen.
    pub survey: Option<u32>,
    /// The toolchain of a project that is made from these commits.
    pub toolchain: Option<String>,
    /// Who judges.
    pub judge: Judge,
    /// One build stands for its commit, and nobody asks whether another one would be the same.
    pub trusted: bool,
    /// 0 to 1: that of the whole answer.
    pub confidence: f64,
    /// A digest of all that goes into builds beside their commits: another one is another
    /// bisection.
    pub surroundings: Digest,
    /// How placement is to be varied.
    pub layouts: LayoutChoice,
    /// The layouts that are drawn from.
    pub population: Population,
    /// The seed that was asked for.
    pub seed: Option<u64>,
    /// Take up the same bisection where it was interrupted, or answer from it.
    pub resume: bool,
}

/// What a build is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the older end.
    Older,
    /// It is the newer end.
    Newer,
    /// It is tried.
    Candidate,
}

/// What there is of a build that was made before.
#[derive(Clone, Debug)]
pub enum Kept {
    /// It is there, and would be taken.
    Same(Box<Subject>),
    /// It would be made again, for something that it was made from has changed; a sentence.
    Changed(String),
    /// It is not there.
    Gone,
}

/// Who checks commits out and builds them.
pub trait Revisions {
    /// What stops them.
    type Error: From<LabError>;

    /// The build of a commit. The inner error is the commit's own: it does not build, or cannot be
    /// written.
    ///
    /// # Errors
    /// Whatever would stop any other commit too.
    fn build(
        &mut self,
        commit: &Commit,
        role: Role,
    ) -> Result<Result<Subject, Self::Error>, Self::Error>;

    /// The build of a commit that is there already. Makes none.
    ///
    /// # Errors
    /// When builds cannot be read.
    fn kept(&mut self, commit: &Commit) -> Result<Kept, Self::Error>;

    /// One more build of a commit that was built, from the beginning; `None` where builds are not
    /// made from commits.
    ///
    /// # Errors
    /// Whatever stops it.
    fn again(&mut self, commit: &Commit) -> Result<Option<Subject>, Self::Error>;

    /// The exit code of a command in a clean copy of the commit; `None` where a signal ended it.
    /// The inner error is the commit's own.
    ///
    /// # Errors
    /// Whatever would stop any other commit too.
    fn judged(
        &mut self,
        commit: &Commit,
        command: &str,
    ) -> Result<Result<Option<i32>, Self::Error>, Self::Error>;

    /// What the inner errors say, on one line.
    fn said(&self, error: &Self::Error) -> String;

    /// The files that a commit touches.
    ///
    /// # Errors
    /// When the repository cannot tell.
    fn touched(&mut self, commit: &Commit) -> Result<Vec<String>, Self::Error>;
}
