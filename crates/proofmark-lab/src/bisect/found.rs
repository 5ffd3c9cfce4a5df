//! What the answer changes: the commit held against its parent, its files, its machine code.

use proofmark_conclude::bisect::{effect_of, effect_of_ends};
use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, CertificateUse, CodeFound, Design, EffectFound, Judge, Question,
};
use proofmark_terms::{Commit, CommitId};

use super::code;
use super::course::Course;
use super::ends::Ends;
use super::request::{Revisions, Role};
use super::same_work::same_work;
use super::step::{own_matter, same};
use crate::builds::{Subject, cut_alike};
use crate::error::LabError;
use crate::experiment::{LayoutChoice, Request, compare_until_told, run};

impl<R: Revisions> Course<'_, '_, R> {
    /// The conclusion on an answer, with what there is to say of the commit.
    pub(super) fn found(
        &mut self,
        answer: BisectAnswer,
        ends: &Ends,
        design: &Design,
    ) -> Result<BisectConclusion, R::Error> {
        let files = self.files(&answer)?;
        let mut effect = None;
        let mut changed = None;
        if let BisectAnswer::Found { commit } = &answer {
            let commit = self.commit(commit.place())?;
            if let Ok(new) = self.revisions.build(&commit, Role::Candidate)? {
                let (parent, base) = self.parent(&commit, ends)?;
                effect = if same(&base, &ends.older) && same(&new, &ends.newer) {
                    Some(effect_of_ends(parent, &ends.found))
                } else {
                    let confidence = self.request.confidence;
                    self.effect(parent, [&base, &new], ends.layouts, design, confidence)?
                };
                changed = self.code(&base, &new)?;
                self.builds_again_if_blamed(&commit, &new)?;
            }
        }
        Ok(BisectConclusion {
            ends: Some(ends.found.clone()),
            effect,
            code: changed,
            files,
            ..self.conclusion(answer)
        })
    }

    pub(super) fn code(
        &self,
        base: &Subject,
        new: &Subject,
    ) -> Result<Option<CodeFound>, LabError> {
        match &self.request.judge {
            Judge::Blocks { benchmark, .. } => code::between(self.laboratory, benchmark, base, new),
            Judge::Script { .. } => Ok(None),
        }
    }

    /// The files that the commit touches, where one was found.
    pub(super) fn files(&mut self, answer: &BisectAnswer) -> Result<Vec<String>, R::Error> {
        match answer {
            BisectAnswer::Found { commit } => {
                let commit = self.commit(commit.place())?;
                self.revisions.touched(&commit)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a commit is held against: its first parent that is not of a side which was like the
    /// newer end from the first, or the older end where that lies outside of the range or cannot be
    /// built.
    fn parent(&mut self, commit: &Commit, ends: &Ends) -> Result<(CommitId, Subject), R::Error> {
        let commits = &self.request.commits;
        let out = self.search.sides_left_out();
        let place = |id: &CommitId| commits.iter().position(|one| one.id == *id);
        let believed = |id: &&CommitId| place(id).is_none_or(|place| !out.contains(&place));
        let parent = commit.parents.iter().find(believed);
        let parent = parent.and_then(place).map(|place| commits[place].clone());
        if let Some(parent) = parent
            && let Ok(subject) = self.revisions.build(&parent, Role::Candidate)?
        {
            return Ok((parent.id, subject));
        }
        Ok((self.request.older.id.clone(), ends.older.clone()))
    }

    /// A commit ÷ another one, which is its parent or stands for it; `None` where it cannot be
    /// measured.
    pub(super) fn effect(
        &mut self,
        parent: CommitId,
        [base, new]: [&Subject; 2],
        layouts: LayoutChoice,
        design: &Design,
        confidence: f64,
    ) -> Result<Option<EffectFound>, LabError> {
        let request = Request {
            question: Question::Compare,
            design: Design {
                confidence,
                certificate: CertificateUse::Never,
                as_shipped: true,
                ..design.clone()
            },
            ..self.request_of(cut_alike(vec![base.clone(), new.clone()]), layouts)?
        };
        let ran = match self.request.layouts {
            LayoutChoice::Auto => compare_until_told(self.laboratory, request, self.observer),
            _ => run(self.laboratory, &request, self.observer),
        };
        let experiment = match ran {
            Ok(experiment) => experiment,
            Err(error) if own_matter(&error).is_some() => return Ok(None),
            Err(error) => return Err(error),
        };
        let recorded = self.laboratory.store.load(experiment.as_str())?;
        same_work(&recorded)?;
        Ok(Some(effect_of(&recorded, parent)?))
    }
}
