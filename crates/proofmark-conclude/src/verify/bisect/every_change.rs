//! A search for every change along a line, taken once more.

use proofmark_evidence::record::{
    BisectConclusion, BisectStep, ChangeFound, End, Question, StepOf, StepOutcome, Stretch,
    SurveyFound,
};

use super::{Course, Stopped, not, said};
use crate::bisect::{Survey, beside, stretch};

impl<'a> Course<'a, '_> {
    /// Every change along the line.
    pub(super) fn surveyed(
        &mut self,
        mut survey: Survey,
        steps: &[&'a BisectStep],
        claimed: &BisectConclusion,
    ) -> Result<SurveyFound, Stopped> {
        for step in steps {
            let StepOf::Commit(place) = step.of else {
                return not("its ends were compared twice");
            };
            let look = survey.around(place.place() + 1);
            let (older, newer) = (self.point(look.older)?, self.point(look.newer)?);
            let outcome = match &step.outcome {
                StepOutcome::Beside { experiment, .. } => {
                    let level = self.level()?;
                    let commit = self.point(look.commit)?;
                    let all = [commit, older, newer];
                    let wanted = self.wanted(Question::Compare, &all, level);
                    // Where both neighbours are one program it is measured once.
                    let loaded = self.experiments.take_of(experiment, &wanted, 2)?;
                    self.as_recorded.same_programs +=
                        u32::from(loaded.experiment.builds.len() == 2);
                    beside(&loaded, level, [older.id.clone(), newer.id.clone()])?
                }
                StepOutcome::SameProgram { as_commit, like } => {
                    self.as_recorded.same_programs += 1;
                    let neighbour = match like {
                        End::Older => older,
                        End::Newer => newer,
                    };
                    if *as_commit != neighbour.id {
                        return not("a commit has the program of one that is no neighbour of it");
                    }
                    step.outcome.clone()
                }
                StepOutcome::Skipped { .. } => {
                    self.as_recorded.skipped += 1;
                    step.outcome.clone()
                }
                _ => return not("a step is none of a search for every change"),
            };
            survey.note(place, &outcome);
            self.found.push(said(&outcome));
        }
        if survey.next().is_some() {
            return not("it has an answer before its search is over");
        }
        self.changes(&survey, claimed)
    }

    fn changes(
        &mut self,
        survey: &Survey,
        claimed: &BisectConclusion,
    ) -> Result<SurveyFound, Stopped> {
        let stretches = |pairs: Vec<(usize, usize)>| -> Vec<Stretch> {
            pairs.into_iter().map(stretch).collect()
        };
        let all = survey.changes();
        let said = claimed.survey.as_ref().map(|one| one.changes.as_slice());
        let said = said.unwrap_or_default();
        let share = u32::try_from(all.len().max(1)).unwrap_or(u32::MAX);
        let error = (1.0 - self.recorded.bisect.confidence) / f64::from(share);
        let mut changes = Vec::new();
        for (index, pair) in all.into_iter().enumerate() {
            let commits = [self.point(pair.0)?, self.point(pair.1)?];
            let effect = match said.get(index).map(|change| &change.effect) {
                Some(Some(effect)) => Some(self.effect(effect, commits, error)?),
                Some(None) => {
                    self.as_recorded.skipped += 1;
                    None
                }
                None => None,
            };
            changes.push(ChangeFound {
                at: stretch(pair),
                effect,
                code: None,
                files: Vec::new(),
            });
        }
        Ok(SurveyFound {
            changes,
            unseen: u32::try_from(survey.unseen()).unwrap_or(u32::MAX),
            gradual: stretches(survey.gradual()),
            unclear: stretches(survey.unclear()),
        })
    }
}
