//! A matrix under way: its experiments, and who is out of which.

use std::collections::BTreeMap;

use proofmark_conclude::{MatrixEvidence, MemberEvidence};
use proofmark_evidence::record::{
    Asked, Design, Exclusion, MatrixConclusion, MatrixRun, Member, Stop,
};
use proofmark_evidence::{MatrixId, PrivateParts, Recorded, RecordedMatrix, Store, StoreError};
use proofmark_terms::BuildIndex;

use crate::experiment::UnderWay;

/// A matrix under way: what it is, and what the store already holds of it.
#[derive(Debug)]
pub struct MatrixUnderWay {
    /// Its name in the store.
    pub id: MatrixId,
    /// What was fixed at its beginning.
    pub run: MatrixRun,
    /// Its experiments, in the order of the run's members.
    pub members: Vec<MemberUnderWay>,
    /// What was concluded last.
    pub conclusion: Option<MatrixConclusion>,
    /// Whether the private parts of its records were there, and of those of its experiments.
    pub private: PrivateParts,
}

/// One experiment of a matrix under way.
#[derive(Debug)]
pub struct MemberUnderWay {
    /// The experiment.
    pub under_way: UnderWay,
    /// Builds that are out of it, and why.
    pub out: BTreeMap<BuildIndex, String>,
}

impl MatrixUnderWay {
    /// What a conclusion rests on.
    #[must_use]
    pub fn evidence(&self) -> MatrixEvidence<'_> {
        MatrixEvidence {
            run: &self.run,
            members: evidence(&self.members),
        }
    }

    /// A recorded matrix with its experiments.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or a record is damaged.
    pub fn load(recorded: RecordedMatrix, store: &Store) -> Result<Self, StoreError> {
        let RecordedMatrix {
            id,
            run,
            conclusion,
            mut private,
            ..
        } = recorded;
        let load = |member: &Member| {
            let recorded = store.load(member.experiment.as_str())?;
            private = private.and(recorded.private);
            Ok(MemberUnderWay::of(recorded))
        };
        let members = run.members.iter().map(load);
        let members = members.collect::<Result<Vec<_>, StoreError>>()?;
        Ok(MatrixUnderWay {
            id,
            run,
            members,
            conclusion,
            private,
        })
    }

    /// Whether all that is asked now was answered.
    #[must_use]
    pub fn answers(&self, asked: &Asked) -> bool {
        self.conclusion
            .as_ref()
            .is_some_and(|conclusion| conclusion.asked.is_same_question(asked))
    }

    /// Whether it ended with its budget, and there is a larger one now.
    pub(super) fn has_more_to_spend(&self, design: &Design) -> bool {
        let ended = self.conclusion.as_ref();
        let by_budget = ended.is_some_and(|conclusion| conclusion.stop == Stop::Budget);
        let first = self.members.first();
        let before_ms = first.and_then(|state| state.under_way.experiment.design.budget_ms);
        by_budget
            && design
                .budget_ms
                .is_none_or(|budget| Some(budget) > before_ms)
    }
}

/// What a conclusion rests on, of each experiment.
pub(super) fn evidence(members: &[MemberUnderWay]) -> Vec<MemberEvidence<'_>> {
    members.iter().map(MemberUnderWay::evidence).collect()
}

impl MemberUnderWay {
    /// An experiment from the store.
    #[must_use]
    pub fn of(mut recorded: Recorded) -> Self {
        let exclusions = std::mem::take(&mut recorded.exclusions);
        let out = |Exclusion { build, why, .. }| (build, why);
        MemberUnderWay {
            out: exclusions.into_iter().map(out).collect(),
            under_way: UnderWay::of(recorded),
        }
    }

    /// What a conclusion rests on.
    #[must_use]
    pub fn evidence(&self) -> MemberEvidence<'_> {
        MemberEvidence {
            experiment: &self.under_way.experiment,
            pilot: self.under_way.pilot.as_ref(),
            blocks: &self.under_way.blocks,
            out: &self.out,
        }
    }

    /// Blocks that it has.
    pub(super) fn blocks(&self) -> u32 {
        self.under_way.done()
    }

    /// Builds that are not out.
    pub(super) fn builds(&self) -> Vec<BuildIndex> {
        let mut builds = proofmark_conclude::all_builds(&self.under_way.experiment);
        builds.retain(|build| !self.out.contains_key(build));
        builds
    }
}
