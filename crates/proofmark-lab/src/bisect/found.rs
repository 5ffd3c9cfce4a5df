//! What the answer changes: the commit held against its parent, its files, its machine code.

use proofmark_evidence::record::{
    BisectAnswer, BisectConclusion, CertificateUse, CodeFound, Commit, Design, EffectFound, Judge,
    Question,
};

use super::code;
use super::course::Course;
use super::ends::{Ends, compared};
use super::request::{Revisions, Role};
use super::step::own_matter;
use crate::builds::{Alike, Subject, alike, cut_alike};
use crate::error::LabError;
use crate::experiment::{Request, run};

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
            let commit = self.commit(*commit as usize)?;
            if let Ok(new) = self.revisions.build(&commit, Role::Candidate)? {
                let (parent, base) = self.parent(&commit, ends)?;
                effect = self.effect(&parent, [&base, &new], ends, design)?;
                changed = self.code(&base, &new)?;
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

    fn code(&self, base: &Subject, new: &Subject) -> Result<Option<CodeFound>, LabError> {
        match &self.request.judge {
            Judge::Blocks { benchmark, .. } => code::between(self.laboratory, benchmark, base, new),
            Judge::Script { .. } => Ok(None),
        }
    }

    /// The files that the commit touches, where one was found.
    pub(super) fn files(&mut self, answer: &BisectAnswer) -> Result<Vec<String>, R::Error> {
        match answer {
            BisectAnswer::Found { commit } => {
                let commit = self.commit(*commit as usize)?;
                self.revisions.touched(&commit)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What a commit is held against: its first parent, or the older end where that lies outside of
    /// the range or cannot be built.
    fn parent(&mut self, commit: &Commit, ends: &Ends) -> Result<(String, Subject), R::Error> {
        let commits = &self.request.commits;
        let first = commit.parents.first();
        let parent = commits.iter().find(|one| Some(&one.id) == first).cloned();
        if let Some(parent) = parent
            && let Ok(subject) = self.revisions.build(&parent, Role::Candidate)?
        {
            return Ok((parent.id, subject));
        }
        Ok((self.request.older.id.clone(), ends.older.clone()))
    }

    /// The commit ÷ its parent; that of the ends where they are the same two programs.
    fn effect(
        &mut self,
        parent: &str,
        [base, new]: [&Subject; 2],
        ends: &Ends,
        design: &Design,
    ) -> Result<Option<EffectFound>, LabError> {
        let same = |one: &Subject, other: &Subject| {
            matches!(alike(one, other), Some(Alike::Bytes | Alike::Loaded))
        };
        if same(base, &ends.older) && same(new, &ends.newer) {
            return Ok(Some(EffectFound {
                experiment: ends.found.experiment.clone(),
                parent: parent.to_owned(),
                interval: ends.found.interval,
                as_shipped: ends.found.as_shipped,
                blocks: ends.found.blocks,
            }));
        }
        let request = Request {
            question: Question::Compare,
            design: Design {
                confidence: self.request.confidence,
                certificate: CertificateUse::Never,
                as_shipped: true,
                ..design.clone()
            },
            ..self.request_of(cut_alike(vec![base.clone(), new.clone()]), ends.layouts)?
        };
        let experiment = match run(self.laboratory, &request, self.observer) {
            Ok(experiment) => experiment,
            Err(error) if own_matter(&error).is_some() => return Ok(None),
            Err(error) => return Err(error),
        };
        let recorded = self.laboratory.store.load(experiment.as_str())?;
        let comparison = compared(&recorded)?;
        Ok(Some(EffectFound {
            experiment,
            parent: parent.to_owned(),
            interval: comparison.interval,
            as_shipped: comparison.as_shipped.as_ref().map(|one| one.interval),
            blocks: recorded.conclusion.as_ref().map_or(0, |one| one.blocks),
        }))
    }
}
