//! Every change along a line of commits: each commit that is tried is measured beside its nearest
//! neighbours that are known.

use proofmark_conclude::bisect::{Look, Survey, before, beside, stretch};
use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, CertificateUse, ChangeFound, Design, End, Judge, Question,
    Relation, SkipReason, StepOf, StepOutcome, SurveyFound,
};
use proofmark_terms::Commit;

use super::course::{Course, count};
use super::ends::{Asked, layouts};
use super::request::{Revisions, Role};
use super::same_work::same_work;
use super::step::{same, same_program, unmeasured};
use crate::builds::{Subject, cut_alike};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{LayoutChoice, Request, run};

impl<R: Revisions> Course<'_, '_, R> {
    /// Goes from the ends to every change, with at most `width` commits unseen between two that are
    /// alike.
    pub(super) fn surveyed(&mut self, width: u32) -> Result<BisectConclusion, R::Error> {
        let Judge::Blocks {
            design, as_shipped, ..
        } = &self.request.judge
        else {
            return Err(LabError::Fault("a script does not measure".to_owned()).into());
        };
        let (relation, ends) = match self.ends(design, *as_shipped)? {
            Asked::Differ(ends) => (Relation::Differs, Some(ends.found)),
            Asked::Not(BisectAnswer::Undecided, ends) => (Relation::Unclear, ends),
            Asked::Not(_, ends) => (Relation::Alike, ends),
        };
        let layouts = self.layouts_of_ends(*as_shipped)?;
        let mut survey = Survey::new(self.request.commits.len(), width as usize, relation);
        for step in &self.steps {
            if let StepOf::Commit(commit) = step.of {
                survey.note(commit, &step.outcome);
            }
        }
        self.survey = Some(survey);
        while let Some(look) = self.survey.as_ref().and_then(Survey::next) {
            if self.laboratory.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            let began_ms = now_ms();
            let outcome = self.look(look, design, layouts)?;
            self.came(StepOf::Commit(before(look.commit)), outcome, began_ms)?;
        }
        let found = self.all_changes(design, layouts)?;
        Ok(BisectConclusion {
            ends,
            survey: Some(found),
            ..self.conclusion(BisectAnswer::Changes)
        })
    }

    /// How the layouts of all steps are drawn: as those of the ends were.
    fn layouts_of_ends(&self, as_shipped: bool) -> Result<LayoutChoice, LabError> {
        Ok(match self.ends_step() {
            _ if as_shipped => LayoutChoice::AsShipped,
            Some(StepOutcome::Compared { experiment, .. }) => {
                let recorded = self.laboratory.store.load(experiment.as_str())?;
                layouts(&recorded.experiment.layouts, as_shipped)
            }
            _ => self.request.layouts,
        })
    }

    /// Judges one point of the line beside its neighbours.
    fn look(
        &mut self,
        look: Look,
        design: &Design,
        layouts: LayoutChoice,
    ) -> Result<StepOutcome, R::Error> {
        let [older, commit, newer] =
            [look.older, look.commit, look.newer].map(|point| self.point(point));
        let (older, commit, newer) = (older?, commit?, newer?);
        for (one, like) in [(&older, End::Older), (&newer, End::Newer)] {
            if one.tree == commit.tree {
                return Ok(same_program(one, like));
            }
        }
        let subject = match self.revisions.build(&commit, Role::Candidate)? {
            Ok(subject) => subject,
            Err(error) => {
                return Ok(StepOutcome::Skipped {
                    why: SkipReason::NotBuilt,
                    said: self.revisions.said(&error),
                });
            }
        };
        // These were built before.
        let beside = [
            self.revisions.build(&older, Role::Candidate)??,
            self.revisions.build(&newer, Role::Candidate)??,
        ];
        let neighbours = [(older, End::Older), (newer, End::Newer)];
        for ((one, like), other) in neighbours.iter().zip(&beside) {
            if same(other, &subject) {
                return Ok(same_program(one, *like));
            }
        }
        let [(older, _), (newer, _)] = neighbours;
        Ok(self.beside_neighbours(subject, [older, newer], beside, design, layouts)?)
    }

    fn beside_neighbours(
        &mut self,
        subject: Subject,
        [older, newer]: [Commit; 2],
        built: [Subject; 2],
        design: &Design,
        layouts: LayoutChoice,
    ) -> Result<StepOutcome, LabError> {
        let level = self.next_level()?;
        // Within a peak both neighbours may be one program.
        let is_one = same(&built[0], &built[1]);
        let [of_older, of_newer] = built;
        let mut subjects = vec![subject, of_older];
        if !is_one {
            subjects.push(of_newer);
        }
        let request = Request {
            question: Question::Compare,
            design: Design {
                confidence: 1.0 - level,
                as_shipped: false,
                certificate: CertificateUse::Never,
                ..design.clone()
            },
            ..self.request_of(cut_alike(subjects), layouts)?
        };
        let experiment = match run(self.laboratory, &request, self.observer) {
            Ok(experiment) => experiment,
            Err(error) => return unmeasured(error),
        };
        let recorded = self.laboratory.store.load(experiment.as_str())?;
        if let Err(error) = same_work(&recorded) {
            return unmeasured(error);
        }
        Ok(beside(&recorded, level, [older.id, newer.id])?)
    }

    /// What the survey found, each change held against the commit before it.
    fn all_changes(
        &mut self,
        design: &Design,
        layouts: LayoutChoice,
    ) -> Result<SurveyFound, R::Error> {
        let Some(survey) = self.survey.clone() else {
            return Err(LabError::Fault("there is no survey".to_owned()).into());
        };
        let changes = survey.changes();
        // All of them are to hold together.
        let share = f64::from(count(changes.len().max(1)));
        let confidence = 1.0 - (1.0 - self.request.confidence) / share;
        let mut found = Vec::new();
        for pair in changes {
            found.push(self.change(pair, design, layouts, confidence)?);
        }
        let stretches = |pairs: Vec<(usize, usize)>| pairs.into_iter().map(stretch).collect();
        Ok(SurveyFound {
            changes: found,
            unseen: count(survey.unseen()),
            gradual: stretches(survey.gradual()),
            unclear: stretches(survey.unclear()),
        })
    }

    fn change(
        &mut self,
        (older, newer): (usize, usize),
        design: &Design,
        layouts: LayoutChoice,
        confidence: f64,
    ) -> Result<ChangeFound, R::Error> {
        let (before, commit) = (self.point(older)?, self.point(newer)?);
        let base = self.revisions.build(&before, Role::Candidate)??;
        let new = self.revisions.build(&commit, Role::Candidate)??;
        let effect = self.effect(before.id, [&base, &new], layouts, design, confidence)?;
        let code = self.code(&base, &new)?;
        self.builds_again_if_blamed(&commit, &new)?;
        let files = if newer - older == 1 {
            self.revisions.touched(&commit)?
        } else {
            Vec::new()
        };
        Ok(ChangeFound {
            at: stretch((older, newer)),
            effect,
            code,
            files,
        })
    }

    /// The commit at a point of the line: the older end, or one of the range.
    fn point(&self, point: usize) -> Result<Commit, LabError> {
        match point.checked_sub(1) {
            None => Ok(self.request.older.clone()),
            Some(place) => self.commit(place),
        }
    }
}
