//! A matrix computed again, from the blocks of its experiments.

use std::collections::BTreeMap;

use proofmark_evidence::record::MatrixConclusion;
use proofmark_evidence::{ChainSort, Recorded, RecordedMatrix, Store, StoreError};

use super::numbers::{compared, recomputable};
use super::verified::{Finding, VerifiedChain};
use crate::{ConcludeError, Ended, MatrixEvidence, MemberEvidence, conclude_matrix};

pub(super) fn verified(
    recorded: &RecordedMatrix,
    store: &Store,
) -> Result<VerifiedChain, StoreError> {
    let members = recorded.run.members.iter();
    let members = members.map(|member| store.load(member.experiment.as_str()));
    let members = members.collect::<Result<Vec<Recorded>, StoreError>>()?;
    let finding = match &recorded.conclusion {
        None => Finding::NothingClaimed,
        Some(claimed) => match again(recorded, &members, claimed) {
            Ok(found) => compared(claimed, &found),
            Err(error) => Finding::NotConcluded {
                why: error.to_string(),
            },
        },
    };
    Ok(VerifiedChain {
        id: recorded.id.as_str().to_owned(),
        sort: ChainSort::Matrix,
        about: recorded.run.cells.join(", "),
        blocks: 0,
        runs: 0,
        finding,
        implausible: Vec::new(),
    })
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
            .map(|(member, out)| MemberEvidence {
                experiment: &member.experiment,
                pilot: member.pilot.as_ref(),
                blocks: &member.blocks,
                out,
            })
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
