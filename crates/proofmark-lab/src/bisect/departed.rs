//! Whether what was measured of commits is still what would be measured: an answer from the store
//! is of the builds and of the files that its runs read.

use std::collections::{BTreeSet, HashMap};

use proofmark_evidence::record::{BisectStep, StepOf, StepOutcome};
use proofmark_evidence::{ExperimentId, RecordedBisect};
use proofmark_terms::{Commit, CommitId};

use super::request::{BisectRequest, Kept, Revisions};
use super::step::same;
use crate::error::LabError;
use crate::inputs::changed_since;
use crate::laboratory::Laboratory;

/// What is not as it was when the steps of a bisection were measured, as a sentence.
pub(super) fn departed<R: Revisions>(
    laboratory: &Laboratory<'_>,
    request: &BisectRequest,
    revisions: &mut R,
    recorded: &RecordedBisect,
) -> Result<Option<String>, R::Error> {
    let mut look = Look::new(laboratory, revisions);
    let ends = [Some(&request.older), request.commits.last()];
    let ends: Vec<&Commit> = ends.into_iter().flatten().collect();
    for commit in &ends {
        if let Some(what) = look.build(commit)? {
            return Ok(Some(what));
        }
    }
    for step in &recorded.steps {
        let commit = match step.of {
            StepOf::Ends => None,
            StepOf::Commit(commit) => commit.of(&request.commits),
        };
        let commits: Vec<&Commit> = commit.into_iter().chain(ends.iter().copied()).collect();
        if let Some(what) = look.step(step, &commits, request)? {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// Looks at builds and experiments, at each of them once.
pub(crate) struct Look<'a, 'b, 'r, R> {
    laboratory: &'a Laboratory<'b>,
    revisions: &'r mut R,
    /// Inputs that are as they were.
    inputs: BTreeSet<String>,
    builds: HashMap<CommitId, Kept>,
}

impl<'a, 'b, 'r, R: Revisions> Look<'a, 'b, 'r, R> {
    pub(crate) fn new(laboratory: &'a Laboratory<'b>, revisions: &'r mut R) -> Self {
        Look {
            laboratory,
            revisions,
            inputs: BTreeSet::new(),
            builds: HashMap::new(),
        }
    }

    fn kept(&mut self, commit: &Commit) -> Result<Kept, R::Error> {
        if let Some(kept) = self.builds.get(&commit.id) {
            return Ok(kept.clone());
        }
        let kept = self.revisions.kept(commit)?;
        self.builds.insert(commit.id.clone(), kept.clone());
        Ok(kept)
    }

    fn step(
        &mut self,
        step: &BisectStep,
        commits: &[&Commit],
        request: &BisectRequest,
    ) -> Result<Option<String>, R::Error> {
        match &step.outcome {
            StepOutcome::Compared { experiment, .. }
            | StepOutcome::Measured { experiment, .. }
            | StepOutcome::Beside { experiment, .. } => self.experiment(experiment, commits),
            StepOutcome::SameProgram { as_commit, .. } => {
                let mut all = request.commits.iter().chain([&request.older]);
                let as_commit = all.find(|one| one.id == *as_commit);
                match commits.first().copied().zip(as_commit) {
                    Some((one, other)) if one.tree != other.tree => self.one_program(one, other),
                    _ => Ok(None),
                }
            }
            // Nothing is known of what they read.
            StepOutcome::Exited { .. } | StepOutcome::Skipped { .. } => Ok(None),
        }
    }

    /// What is not as it was when an experiment measured these commits.
    pub(crate) fn experiment(
        &mut self,
        id: &ExperimentId,
        commits: &[&Commit],
    ) -> Result<Option<String>, R::Error> {
        let store = &self.laboratory.store;
        let recorded = store.load_beginning(id, 0).map_err(LabError::from)?;
        let experiment = recorded.experiment;
        if self.inputs.insert(format!("{:?}", experiment.inputs))
            && let Some(path) = changed_since(&experiment.inputs)
        {
            let path = path.display();
            return Ok(Some(format!("{path}, which runs read, is not as it was")));
        }
        for commit in commits {
            let now = match self.kept(commit)? {
                Kept::Changed(what) => return Ok(Some(what)),
                Kept::Gone => continue,
                Kept::Same(now) => now,
            };
            let mut measured = experiment.builds.iter();
            let other = measured.find(|build| build.name == now.name);
            if other.is_some_and(|build| build.images != now.record().images) {
                return Ok(Some(format!(
                    "the build of {} is another one now",
                    now.name
                )));
            }
        }
        Ok(None)
    }

    fn build(&mut self, commit: &Commit) -> Result<Option<String>, R::Error> {
        Ok(match self.kept(commit)? {
            Kept::Changed(what) => Some(what),
            Kept::Same(_) | Kept::Gone => None,
        })
    }

    /// What keeps two commits from being one program, as they were.
    pub(crate) fn one_program(
        &mut self,
        one: &Commit,
        other: &Commit,
    ) -> Result<Option<String>, R::Error> {
        Ok(match (self.kept(one)?, self.kept(other)?) {
            (Kept::Changed(what), _) | (_, Kept::Changed(what)) => Some(what),
            (Kept::Same(one), Kept::Same(other)) if !same(&one, &other) => Some(format!(
                "the builds of {} and {} are not one program any more",
                one.name, other.name
            )),
            _ => None,
        })
    }
}
