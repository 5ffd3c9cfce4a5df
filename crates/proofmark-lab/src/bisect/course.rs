//! The course of a bisection: what is known so far, and the way from one step to the next.

use proofmark_conclude::bisect::{Next, Search, Survey, level};
use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, BisectStep, End, Rebuilt, StepOf, StepOutcome,
};
use proofmark_evidence::{BisectId, RecordedBisect};
use proofmark_terms::{Commit, CommitId, StateIndex};

use super::request::{BisectRequest, Revisions};
use crate::builds::Subject;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// A bisection under way.
pub(super) struct Course<'a, 'b, R: Revisions> {
    pub(super) laboratory: &'a mut Laboratory<'b>,
    pub(super) request: &'a BisectRequest,
    pub(super) revisions: &'a mut R,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) id: BisectId,
    pub(super) steps: Vec<BisectStep>,
    pub(super) search: Search,
    /// What is known of a line of commits, where every change is looked for; from the time on that
    /// the ends were compared.
    pub(super) survey: Option<Survey>,
    /// Programs whose level is known: the commit's name, the build, and the end that it is like.
    pub(super) known: Vec<(Commit, Subject, End)>,
    /// How two builds of a commit compare: of the older end, as long as another one does not come
    /// out different.
    pub(super) rebuilt: Option<Rebuilt>,
    /// That other one.
    pub(super) rebuilt_of: Option<CommitId>,
    began_ms: u64,
}

impl<'a, 'b, R: Revisions> Course<'a, 'b, R> {
    pub(super) fn new(
        laboratory: &'a mut Laboratory<'b>,
        request: &'a BisectRequest,
        revisions: &'a mut R,
        observer: &'a mut dyn Observer,
        recorded: RecordedBisect,
    ) -> Result<Self, LabError> {
        let search = Search::of(&request.older.id, &request.commits)
            .map_err(|error| LabError::Fault(format!("the history cannot be searched: {error}")))?;
        let mut course = Course {
            laboratory,
            request,
            revisions,
            observer,
            id: recorded.id,
            steps: Vec::new(),
            search,
            survey: None,
            known: Vec::new(),
            rebuilt: None,
            rebuilt_of: None,
            began_ms: now_ms(),
        };
        for step in recorded.steps {
            course.take(step);
        }
        Ok(course)
    }

    /// What is to be done with the next commit, with the answer where there is none.
    pub(super) fn next(&self) -> Result<(usize, usize), BisectAnswer> {
        match self.search.next() {
            Next::Try { commit, left } => Ok((commit, left)),
            Next::Found(commit) => Err(BisectAnswer::Found {
                commit: StateIndex::at(commit),
            }),
            Next::Among(commits) => Err(BisectAnswer::Among {
                commits: commits.into_iter().map(StateIndex::at).collect(),
            }),
        }
    }

    /// Stores what came of a step and goes by it.
    pub(super) fn came(
        &mut self,
        of: StepOf,
        outcome: StepOutcome,
        began_ms: u64,
    ) -> Result<(), LabError> {
        let step = BisectStep {
            index: count(self.steps.len()),
            of,
            outcome,
            took_ms: now_ms().saturating_sub(began_ms),
        };
        self.laboratory.store.bisect_step(&self.id, &step)?;
        self.take(step);
        let Some(step) = self.steps.last() else {
            return Ok(());
        };
        let commit = match of {
            StepOf::Ends => None,
            StepOf::Commit(commit) => commit.of(&self.request.commits),
        };
        self.observer.tell(&Event::BisectStep {
            commit,
            outcome: &step.outcome,
            candidates: match &self.survey {
                Some(survey) => survey.open(),
                None => self.search.candidates().len(),
            },
        });
        Ok(())
    }

    fn take(&mut self, step: BisectStep) {
        if let (StepOf::Commit(commit), Some(survey)) = (step.of, &mut self.survey) {
            survey.note(commit, &step.outcome);
        } else if let StepOf::Commit(commit) = step.of {
            self.search.note(commit, &step.outcome);
        }
        self.steps.push(step);
    }

    /// The recorded step on the ends.
    pub(super) fn ends_step(&self) -> Option<&StepOutcome> {
        let ends = self.steps.iter().find(|step| step.of == StepOf::Ends);
        ends.map(|step| &step.outcome)
    }

    /// The probability of error that the next measured step may have.
    pub(super) fn next_level(&self) -> Result<f64, LabError> {
        let measured = |step: &&BisectStep| step.outcome.level().is_some();
        let step = count(self.steps.iter().filter(measured).count()) + 1;
        level(1.0 - self.request.confidence, step).ok_or_else(|| {
            LabError::Refused(format!(
                "{} commits were measured, and no probability of error is left for another one\n  \
                 next: give ends that are nearer to each other, or a smaller --confidence",
                step - 1
            ))
        })
    }

    /// The conclusion without anything that only an answer with a commit has.
    pub(super) fn conclusion(&self, answer: BisectAnswer) -> BisectConclusion {
        BisectConclusion {
            answer,
            ends: None,
            effect: None,
            code: None,
            files: Vec::new(),
            survey: None,
            rebuilt: self.rebuilt,
            rebuilt_of: self.rebuilt_of.clone(),
            took_ms: self.took_ms(),
        }
    }

    /// What all steps took, those of earlier sittings too.
    pub(super) fn took_ms(&self) -> u64 {
        let steps: u64 = self.steps.iter().map(|step| step.took_ms).sum();
        steps.max(now_ms().saturating_sub(self.began_ms))
    }

    pub(super) fn commit(&self, place: usize) -> Result<Commit, LabError> {
        let commit = self.request.commits.get(place).cloned();
        commit.ok_or_else(|| LabError::Fault(format!("there is no commit {place} in the range")))
    }
}

pub(super) fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
