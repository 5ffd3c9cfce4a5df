//! One commit measured beside its anchor, where its program is a new one.

use proofmark_conclude::series::two_ways;
use proofmark_evidence::ExperimentId;
use proofmark_evidence::record::{
    CertificateUse, Design, EntryOf, PointOutcome, SkipReason, TwoWays,
};
use proofmark_terms::{BuildIndex, Commit, CommitId};

use super::course::Course;
use crate::bisect::{Revisions, Role, first_line, own_matter, rebuilt, same_work};
use crate::builds::{Alike, Subject, alike, cut_alike};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::run;

impl<R: Revisions> Course<'_, '_, R> {
    /// Whether the commit at a place has a value: it is measured where nobody has tried before.
    /// `near` are places of points whose program it may have.
    pub(super) fn point(&mut self, place: u32, near: &[u32]) -> Result<bool, R::Error> {
        let commit = self.commit(place)?;
        if let Some(line) = self.line() {
            if line.at(place).is_some() {
                return Ok(true);
            }
            if line.skipped.iter().any(|one| one.commit.id == commit.id) {
                return Ok(false);
            }
        }
        let anchor = match self.anchor_of(place) {
            None => None,
            Some(at) => Some(self.anchor(at)?),
        };
        let began_ms = now_ms();
        let outcome = match anchor {
            None => {
                let built = self.subject(&commit, Role::Older)??;
                let trusted = self.request.series.trusted;
                let rebuilt = rebuilt(self.revisions, self.observer, &commit, &built, trusted)?;
                PointOutcome::Anchor { rebuilt }
            }
            Some(anchor) => self.outcome(&commit, &anchor, near)?,
        };
        let is_point = !matches!(outcome, PointOutcome::Skipped { .. });
        let of = EntryOf::Point {
            commit,
            place,
            outcome,
        };
        self.came(of, began_ms)?;
        Ok(is_point)
    }

    /// The place of the anchor of a point; that of an anchor is the one before it, so that the two
    /// overlap. `None` of the first one.
    fn anchor_of(&self, place: u32) -> Option<u32> {
        let every = self.series.series.anchor_every.max(1);
        Some(place.checked_sub(1)? / every * every)
    }

    /// The anchor at a place, or the next older one that can be measured.
    fn anchor(&mut self, place: u32) -> Result<Commit, R::Error> {
        let mut at = place;
        while !self.point(at, &[])? {
            at = self.anchor_of(at).unwrap_or(0);
        }
        Ok(self.commit(at)?)
    }

    fn outcome(
        &mut self,
        commit: &Commit,
        anchor: &Commit,
        near: &[u32],
    ) -> Result<PointOutcome, R::Error> {
        if let Some(same) = self.of_tree(commit) {
            return Ok(PointOutcome::SameProgram { as_commit: same });
        }
        let subject = match self.subject(commit, Role::Candidate)? {
            Ok(subject) => subject,
            Err(error) => {
                return Ok(PointOutcome::Skipped {
                    why: SkipReason::NotBuilt,
                    said: self.revisions.said(&error),
                });
            }
        };
        let base = self.subject(anchor, Role::Older)??;
        if is_one_program(&base, &subject) {
            return Ok(PointOutcome::SameProgram {
                as_commit: anchor.id.clone(),
            });
        }
        for other in near {
            let other = self.commit(*other)?;
            if let Ok(known) = self.subject(&other, Role::Candidate)?
                && is_one_program(&known, &subject)
            {
                return Ok(PointOutcome::SameProgram {
                    as_commit: other.id,
                });
            }
        }
        let design = self.request.series.design.clone();
        Ok(match self.beside([&base, &subject], &design)? {
            Ok((experiment, found)) => PointOutcome::Measured {
                anchor: anchor.id.clone(),
                experiment,
                found,
            },
            Err(fault) if fault.of_base => {
                return Err(LabError::Refused(format!(
                    "the benchmark fails at {}, beside which commits are measured: {}\n  next: \
                     give an older end at which it works; where a target or a file was renamed, a \
                     script outside of the repository that knows both names may be --build or the \
                     command",
                    base.name, fault.said
                ))
                .into());
            }
            Err(Unmeasured { why, said, .. }) => PointOutcome::Skipped { why, said },
        })
    }

    /// A point of the line whose sources are the same.
    fn of_tree(&self, commit: &Commit) -> Option<CommitId> {
        let line = self.line()?;
        let points = line.points.iter();
        let mut same = points.filter(|point| point.commit.tree == commit.tree);
        same.next().map(|point| point.commit.id.clone())
    }

    /// Measures a build beside a base. The inner error is a matter of the two.
    pub(super) fn beside(
        &mut self,
        [base, new]: [&Subject; 2],
        design: &Design,
    ) -> Result<Result<(ExperimentId, TwoWays), Unmeasured>, LabError> {
        let subjects = cut_alike(vec![base.clone(), new.clone()]);
        let design = Design {
            as_shipped: true,
            certificate: CertificateUse::Never,
            budget_ms: None,
            ..design.clone()
        };
        let request = self.request_of(subjects, design);
        let unmeasured = |error: LabError| match own_matter(&error) {
            Some(why) => Ok(Err(Unmeasured {
                why,
                said: first_line(&error),
                of_base: error.failed_build() == Some(BuildIndex::BASE),
            })),
            None => Err(error),
        };
        let experiment = match run(self.laboratory, &request, self.observer) {
            Ok(experiment) => experiment,
            Err(error) => return unmeasured(error),
        };
        let recorded = self.laboratory.store.load(experiment.as_str())?;
        if let Err(error) = same_work(&recorded) {
            return unmeasured(error);
        }
        let found = two_ways(&recorded)?;
        Ok(Ok((experiment, found)))
    }
}

/// Two builds that cannot be measured beside each other.
pub(super) struct Unmeasured {
    why: SkipReason,
    pub(super) said: String,
    /// It is the base whose run fails.
    of_base: bool,
}

/// Where only debug information differs, a program that reads its own file may do something else,
/// and `check` is a gate.
fn is_one_program(one: &Subject, other: &Subject) -> bool {
    alike(one, other) == Some(Alike::Bytes)
}
