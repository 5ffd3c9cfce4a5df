//! A matrix computed again, from the blocks of its experiments.

use std::collections::{BTreeMap, HashSet};

use proofmark_evidence::record::{MatrixConclusion, Stop};
use proofmark_evidence::{ChainSort, Recorded, RecordedMatrix, Store, StoreError};
use proofmark_terms::{BuildIndex, MemberIndex};

use super::absent::absent;
use super::found::{Finding, VerifiedChain};
use super::gated::contradiction;
use super::numbers::{compared, is_same_text, recomputable};
use super::plausible::Implausible;
use crate::Sheet;
use crate::{
    ConcludeError, Ended, MatrixEvidence, MemberEvidence, conclude_matrix, members_warned_of,
    of_member,
};

/// A matrix, and what its experiments say by themselves.
pub(super) struct VerifiedMatrix {
    pub(super) chain: VerifiedChain,
    /// By their names.
    pub(super) members: Vec<(String, Finding)>,
    /// The experiment in which a build is missing for no reason, by its name.
    pub(super) absent: Option<(String, Implausible)>,
}

pub(super) fn verified(
    recorded: &RecordedMatrix,
    store: &Store,
) -> Result<VerifiedMatrix, StoreError> {
    let Some(members) = members(recorded, store)? else {
        return Ok(VerifiedMatrix {
            chain: chain(
                recorded,
                Finding::NotConcluded {
                    why: "an experiment is its member twice".to_owned(),
                },
            ),
            members: Vec::new(),
            absent: None,
        });
    };
    let mut own = Vec::new();
    let finding = match &recorded.conclusion {
        None => Finding::NothingClaimed,
        Some(_) if !is_named_as_built(recorded, &members) => Finding::NotConcluded {
            why: "its cells are called otherwise than the builds of its experiments".to_owned(),
        },
        Some(_) if !have_one_seed(&members) => Finding::NotConcluded {
            why: "its experiments were drawn from several seeds, and those of one matrix from one"
                .to_owned(),
        },
        Some(claimed) => match again(recorded, &members, claimed) {
            Ok(found) => {
                own = of_members(recorded, &members, &found);
                match contradiction(&claimed.asked, &recorded.run.cells) {
                    Some(why) => Finding::NotConcluded { why },
                    None => compared(claimed, &found),
                }
            }
            Err(error) => Finding::NotConcluded {
                why: error.to_string(),
            },
        },
    };
    Ok(VerifiedMatrix {
        chain: chain(recorded, finding),
        members: own,
        // Where the blocks give no sheet they give no conclusion either, which is told.
        absent: absent(recorded, &members)
            .ok()
            .flatten()
            .map(|(member, found)| {
                let id = members[member.place()].id.as_str().to_owned();
                (id, found)
            }),
    })
}

fn chain(recorded: &RecordedMatrix, finding: Finding) -> VerifiedChain {
    VerifiedChain::of_experiments(
        recorded.id.as_str(),
        ChainSort::Matrix,
        recorded.run.cells.join(", "),
        finding,
    )
}

/// The experiments of a matrix; `None` where one is there twice, as none is that was measured:
/// a small file could ask for the memory of any number of them.
pub(super) fn members(
    recorded: &RecordedMatrix,
    store: &Store,
) -> Result<Option<Vec<Recorded>>, StoreError> {
    let mut seen = HashSet::new();
    let members = recorded.run.members.iter();
    if !members
        .clone()
        .all(|member| seen.insert(member.experiment.as_str()))
    {
        return Ok(None);
    }
    let members = members.map(|member| store.load(member.experiment.as_str()));
    members
        .collect::<Result<Vec<Recorded>, StoreError>>()
        .map(Some)
}

/// Whether the experiments belong together: one seed draws the layouts of all, so that the best of
/// several tries cannot be put together.
fn have_one_seed(members: &[Recorded]) -> bool {
    let mut seeds = members.iter().map(|member| member.experiment.seed);
    let first = seeds.next();
    seeds.all(|seed| Some(seed) == first)
}

/// Whether each cell has the name of the build that its experiments measured in its place.
fn is_named_as_built(recorded: &RecordedMatrix, members: &[Recorded]) -> bool {
    let cells = &recorded.run.cells;
    members.iter().all(|member| {
        let builds = &member.experiment.builds;
        builds.len() == cells.len()
            && (builds.iter().zip(cells)).all(|(build, cell)| is_same_text(&build.name, cell))
    })
}

/// What each experiment says by itself, held against what follows from the matrix.
fn of_members(
    recorded: &RecordedMatrix,
    members: &[Recorded],
    found: &MatrixConclusion,
) -> Vec<(String, Finding)> {
    let out = BTreeMap::new();
    let matrix = MatrixEvidence {
        run: &recorded.run,
        members: members.iter().map(|one| evidence(one, &out)).collect(),
    };
    let all = vec![Vec::new(); found.warnings.len()];
    let warned = members_warned_of(&matrix, found).unwrap_or_else(|_| all.clone());
    MemberIndex::each(members)
        .filter_map(|(index, member)| {
            let claimed = member.conclusion.as_ref()?;
            let with = |warned: &[Vec<MemberIndex>]| {
                let own = of_member(found, warned, index, &evidence(member, &out));
                compared(claimed, &own)
            };
            // Each had the warnings of all once.
            let finding = match with(&warned) {
                Finding::Otherwise(_) if claimed.warnings.len() == all.len() => with(&all),
                finding => finding,
            };
            Some((member.id.as_str().to_owned(), finding))
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
    let members = members.iter().zip(&out);
    again_of(
        &MatrixEvidence {
            run: &recorded.run,
            members: members.map(|(member, out)| evidence(member, out)).collect(),
        },
        claimed,
    )
}

/// Whether blocks give all that a conclusion says. One that was drawn when there were fewer of them
/// is not what they give.
pub(super) fn follows(evidence: &MatrixEvidence<'_>, claimed: &MatrixConclusion) -> bool {
    let found = again_of(evidence, claimed);
    let as_claimed =
        found.is_ok_and(|found| matches!(compared(claimed, &found), Finding::AsClaimed { .. }));
    as_claimed && contradiction(&claimed.asked, &evidence.run.cells).is_none()
}

fn again_of(
    evidence: &MatrixEvidence<'_>,
    claimed: &MatrixConclusion,
) -> Result<MatrixConclusion, ConcludeError> {
    let ended = Ended {
        stop: claimed.stop,
        code: claimed.code.clone(),
        remarks: Vec::new(),
    };
    let mut found = conclude_matrix(evidence, &claimed.asked, ended)?;
    if matches!(claimed.stop, Stop::Decided | Stop::Precise) {
        let sheet = Sheet::new(evidence.run, &claimed.asked, &evidence.members)?;
        found.stop = sheet.stop(&sheet.open());
    }
    found.warnings = recomputable(&claimed.warnings, &found.warnings);
    Ok(found)
}
