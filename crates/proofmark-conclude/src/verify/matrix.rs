//! A matrix computed again, from the blocks of its experiments.

use std::collections::BTreeMap;

use proofmark_evidence::record::MatrixConclusion;
use proofmark_evidence::{ChainSort, Recorded, RecordedMatrix, Store, StoreError};
use proofmark_terms::{BuildIndex, MemberIndex};

use super::found::{Finding, VerifiedChain};
use super::numbers::{compared, recomputable};
use crate::{ConcludeError, Ended, MatrixEvidence, MemberEvidence, conclude_matrix, of_member};

/// A matrix, and what its experiments say by themselves.
pub(super) struct VerifiedMatrix {
    pub(super) chain: VerifiedChain,
    /// By their names.
    pub(super) members: Vec<(String, Finding)>,
}

pub(super) fn verified(
    recorded: &RecordedMatrix,
    store: &Store,
) -> Result<VerifiedMatrix, StoreError> {
    let members = recorded.run.members.iter();
    let members = members.map(|member| store.load(member.experiment.as_str()));
    let members = members.collect::<Result<Vec<Recorded>, StoreError>>()?;
    let mut own = Vec::new();
    let finding = match &recorded.conclusion {
        None => Finding::NothingClaimed,
        Some(claimed) => match again(recorded, &members, claimed) {
            Ok(found) => {
                own = of_members(&members, &found);
                compared(claimed, &found)
            }
            Err(error) => Finding::NotConcluded {
                why: error.to_string(),
            },
        },
    };
    let chain = VerifiedChain {
        id: recorded.id.as_str().to_owned(),
        sort: ChainSort::Matrix,
        about: recorded.run.cells.join(", "),
        blocks: 0,
        runs: 0,
        finding,
        implausible: Vec::new(),
    };
    Ok(VerifiedMatrix {
        chain,
        members: own,
    })
}

/// What each experiment says by itself, held against what follows from the matrix.
fn of_members(members: &[Recorded], found: &MatrixConclusion) -> Vec<(String, Finding)> {
    let out = BTreeMap::new();
    MemberIndex::each(members)
        .filter_map(|(index, member)| {
            let claimed = member.conclusion.as_ref()?;
            let mut own = of_member(found, index, &evidence(member, &out));
            own.warnings.clone_from(&claimed.warnings);
            Some((member.id.as_str().to_owned(), compared(claimed, &own)))
        })
        .collect()
}

pub(super) fn evidence<'a>(
    member: &'a Recorded,
    out: &'a BTreeMap<BuildIndex, String>,
) -> MemberEvidence<'a> {
    MemberEvidence {
        experiment: &member.experiment,
        pilot: member.pilot.as_ref(),
        blocks: &member.blocks,
        out,
    }
}

fn again(
    recorded: &RecordedMatrix,
    members: &[Recorded],
    claimed: &MatrixConclusion,
) -> Result<MatrixConclusion, ConcludeError> {
    let out: Vec<BTreeMap<_, _>> = members
        .iter()
        .map(|member| {
            let exclusions = member.exclusions.iter();
            exclusions.map(|out| (out.build, out.why.clone())).collect()
        })
        .collect();
    let evidence = MatrixEvidence {
        run: &recorded.run,
        members: members
            .iter()
            .zip(&out)
            .map(|(member, out)| evidence(member, out))
            .collect(),
    };
    let ended = Ended {
        stop: claimed.stop,
        code: claimed.code.clone(),
        remarks: Vec::new(),
    };
    let mut found = conclude_matrix(&evidence, &claimed.asked, ended)?;
    found.warnings = recomputable(&claimed.warnings, &found.warnings);
    Ok(found)
}
