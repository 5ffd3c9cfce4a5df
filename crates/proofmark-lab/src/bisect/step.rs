//! One commit judged: built, and measured beside both ends where its program is a new one.

use proofmark_conclude::bisect::measured;
use proofmark_evidence::record::{
    BisectConclusion, CertificateUse, Design, End, Judge, Question, SkipReason, StepOf, StepOutcome,
};
use proofmark_terms::{BuildIndex, Commit, StateIndex};

use super::course::Course;
use super::ends::{Asked, Ends};
use super::request::{Revisions, Role};
use super::same_work::same_work;
use crate::builds::{Alike, Subject, alike, cut_alike};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{CountedRuns, LayoutChoice, Request, run};

impl<R: Revisions> Course<'_, '_, R> {
    /// Goes from the ends to an answer by measuring.
    pub(super) fn measured(&mut self) -> Result<BisectConclusion, R::Error> {
        let Judge::Blocks {
            design, as_shipped, ..
        } = &self.request.judge
        else {
            return Err(LabError::Fault("a script does not measure".to_owned()).into());
        };
        let ends = match self.ends(design, *as_shipped)? {
            Asked::Differ(ends) => ends,
            Asked::Not(answer, ends) => {
                return Ok(BisectConclusion {
                    ends,
                    ..self.conclusion(answer)
                });
            }
        };
        let newest = self.commit(self.request.commits.len() - 1)?;
        self.known = vec![
            (self.request.older.clone(), ends.older.clone(), End::Older),
            (newest, ends.newer.clone(), End::Newer),
        ];
        loop {
            if self.laboratory.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            match self.next() {
                Ok((commit, _)) => self.step(commit, &ends, design)?,
                Err(answer) => return self.found(answer, &ends, design),
            }
        }
    }

    fn step(&mut self, at: usize, ends: &Ends, design: &Design) -> Result<(), R::Error> {
        let began_ms = now_ms();
        let commit = self.commit(at)?;
        let outcome = self.outcome(&commit, ends, design)?;
        Ok(self.came(StepOf::Commit(StateIndex::at(at)), outcome, began_ms)?)
    }

    fn outcome(
        &mut self,
        commit: &Commit,
        ends: &Ends,
        design: &Design,
    ) -> Result<StepOutcome, R::Error> {
        let of_tree = self.known.iter().find(|(one, ..)| one.tree == commit.tree);
        if let Some((one, _, like)) = of_tree {
            return Ok(same_program(one, *like));
        }
        let subject = match self.revisions.build(commit, Role::Candidate)? {
            Ok(subject) => subject,
            Err(error) => {
                return Ok(StepOutcome::Skipped {
                    why: SkipReason::NotBuilt,
                    said: self.revisions.said(&error),
                });
            }
        };
        let mut known = self.known.iter();
        if let Some((one, _, like)) = known.find(|(_, other, _)| same(other, &subject)) {
            return Ok(same_program(one, *like));
        }
        let outcome = self.beside(&subject, ends, design)?;
        if let Some(like) = outcome.like() {
            self.known.push((commit.clone(), subject, like));
        }
        Ok(outcome)
    }

    /// Measures a build beside both ends until it is known which of them it is nearer to.
    fn beside(
        &mut self,
        subject: &Subject,
        ends: &Ends,
        design: &Design,
    ) -> Result<StepOutcome, LabError> {
        let level = self.next_level()?;
        let subjects = [subject, &ends.older, &ends.newer].map(Clone::clone);
        let request = Request {
            question: Question::Between,
            design: Design {
                confidence: 1.0 - level,
                as_shipped: false,
                certificate: CertificateUse::Never,
                ..design.clone()
            },
            ..self.request_of(cut_alike(subjects.to_vec()), ends.layouts)?
        };
        let experiment = match run(self.laboratory, &request, self.observer) {
            Ok(experiment) => experiment,
            Err(error) => {
                return unmeasured(error);
            }
        };
        let recorded = self.laboratory.store.load(experiment.as_str())?;
        if let Err(error) = same_work(&recorded) {
            return unmeasured(error);
        }
        Ok(measured(&recorded, level, ends.sign)?)
    }

    /// A request of this bisection, but for its question and its design.
    pub(super) fn request_of(
        &self,
        subjects: Vec<Subject>,
        layouts: LayoutChoice,
    ) -> Result<Request, LabError> {
        let Judge::Blocks {
            benchmark, design, ..
        } = &self.request.judge
        else {
            return Err(LabError::Fault("a script does not measure".to_owned()));
        };
        let step = self.steps.len() as u64;
        Ok(Request {
            question: Question::Compare,
            subjects,
            benchmark: (**benchmark).clone(),
            design: (**design).clone(),
            layouts,
            population: self.request.population,
            // Other draws in each step, and the same ones when it is repeated.
            seed: self.request.seed.map(|seed| seed.wrapping_add(step)),
            resume: self.request.resume,
            counted: CountedRuns::InQuestion,
            expectations: None,
        })
    }
}

/// Whether two builds are one program, so that there is nothing to measure.
pub(super) fn same(one: &Subject, other: &Subject) -> bool {
    matches!(alike(one, other), Some(Alike::Bytes | Alike::Loaded))
}

pub(super) fn same_program(one: &Commit, like: End) -> StepOutcome {
    StepOutcome::SameProgram {
        as_commit: one.id.clone(),
        like,
    }
}

/// Why a commit cannot be judged, where what stopped is its own matter: the ends were measured in
/// the same way before.
pub(crate) fn own_matter(error: &LabError) -> Option<SkipReason> {
    match error.cause() {
        LabError::NoProgram(_)
        | LabError::Run(_)
        | LabError::OutputDiffers { .. }
        | LabError::Metric { .. }
        | LabError::Filter { .. }
        | LabError::Libraries { .. } => Some(SkipReason::Failed),
        LabError::Layout(_) | LabError::Refused(_) => Some(SkipReason::NotLaidOut),
        _ => None,
    }
}

/// A step in which nothing could be measured: skipped where that is the matter of the commit, whose
/// build is the first. A run that fails of a build beside it says nothing of the commit.
pub(super) fn unmeasured(error: LabError) -> Result<StepOutcome, LabError> {
    let own = error
        .failed_build()
        .is_none_or(|build| build == BuildIndex::BASE);
    match own_matter(&error).filter(|_| own) {
        Some(why) => Ok(StepOutcome::Skipped {
            why,
            said: first_line(&error),
        }),
        None => Err(error),
    }
}

/// What happened, without the advice that is for somebody who wants to go on with this build.
pub(crate) fn first_line(error: &LabError) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Doing, FailedRun};

    #[test]
    fn a_commit_is_skipped_for_its_own_runs_and_for_no_others() {
        let failed = || {
            LabError::Run(Box::new(FailedRun {
                arm: "good".to_owned(),
                how: "ended with exit code 1".to_owned(),
                command: String::new(),
                stderr: String::new(),
                next: String::new(),
            }))
        };
        let new = BuildIndex::at(1);
        let skipped = |error| matches!(unmeasured(error), Ok(StepOutcome::Skipped { .. }));
        assert!(skipped(failed().of_build(BuildIndex::BASE)));
        assert!(!skipped(failed().of_build(new)));
        assert!(!skipped(LabError::Beside(Box::new(failed().of_build(new)))));
        // Of two outputs that differ, one is the commit's.
        let differs = LabError::OutputDiffers {
            arm: "good".to_owned(),
            how: "printed something else than",
            reference: "the first run".to_owned(),
            difference: String::new(),
            command: String::new(),
            doing: Doing::Builds,
        };
        assert!(skipped(differs.of_build(new)));
    }
}
