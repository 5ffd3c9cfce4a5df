//! Builds that are missing in blocks of a matrix, held against what was open when each block was
//! measured.
//!
//! A build leaves a benchmark when it fails there, which is recorded, or when nothing is open of it
//! any more. Runs that somebody took out of blocks that speak against a build leave a gap for which
//! there was neither.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_evidence::record::{Asked, Block, MatrixConclusion};
use proofmark_evidence::{Recorded, RecordedMatrix};
use proofmark_terms::{BuildIndex, CellIndex, MemberIndex};

use super::plausible::Implausible;
use crate::arms::{all_builds, main_arm};
use crate::{ConcludeError, MemberEvidence, Sheet};

/// For each experiment of a matrix, the block in which a build is missing for no reason. Looking
/// ends with the first: what was open later follows from blocks that are not as they were.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub(super) fn absent(
    recorded: &RecordedMatrix,
    members: &[Recorded],
) -> Result<Option<(MemberIndex, Implausible)>, ConcludeError> {
    let leaving = leaving(members);
    if leaving.is_empty() {
        return Ok(None);
    }
    let asked = questions(recorded);
    let out = BTreeMap::new();
    let begun: Vec<MemberEvidence<'_>> = members.iter().map(|one| begun(one, &out)).collect();
    let exclusions: Vec<BTreeMap<BuildIndex, u32>> = members.iter().map(exclusions).collect();
    let mut replays = Vec::new();
    for asked in &asked {
        for soon in [true, false] {
            replays.push(Replay {
                sheet: Sheet::new(&recorded.run, asked, &begun)?,
                exclusions: &exclusions,
                done: vec![0; members.len()],
                soon,
            });
        }
    }
    for (member, block) in in_time(members) {
        let mut gone = leaving.get(&(member, block.index)).cloned();
        for replay in &mut replays {
            replay.begin(member);
            // Each question may have been the one that was asked then.
            if let Some(gone) = gone.as_mut().filter(|gone| !gone.is_empty()) {
                let open = replay.sheet.open();
                gone.retain(|build| open[member.place()].contains(&CellIndex::from(*build)));
            }
        }
        if let Some(build) = gone.and_then(|gone| gone.first().copied()) {
            let block = block.index;
            return Ok(Some((member, Implausible::Absent { block, build })));
        }
        for replay in &mut replays {
            replay.end(member, &members[member.place()], block)?;
        }
    }
    Ok(None)
}

/// The builds that are missing in a block, were in the one before it on the same benchmark, or
/// would be in its first, and had not failed there.
fn leaving(members: &[Recorded]) -> BTreeMap<(MemberIndex, u32), BTreeSet<BuildIndex>> {
    let mut leaving = BTreeMap::new();
    for (member, recorded) in MemberIndex::each(members) {
        let experiment = &recorded.experiment;
        let failed = exclusions(recorded);
        let mut before: BTreeSet<BuildIndex> = all_builds(experiment).into_iter().collect();
        for (done, block) in (0..).zip(&recorded.blocks) {
            let is_in = |build: &BuildIndex| block.arms.contains(&main_arm(experiment, *build));
            let all = all_builds(experiment).into_iter();
            let now: BTreeSet<BuildIndex> = all.filter(is_in).collect();
            let has_failed = |build: &BuildIndex| failed.get(build).is_some_and(|&at| at <= done);
            let gone = before.difference(&now).copied();
            let gone: BTreeSet<BuildIndex> = gone.filter(|build| !has_failed(build)).collect();
            if !gone.is_empty() {
                leaving.insert((member, block.index), gone);
            }
            before = now;
        }
    }
    leaving
}

/// What may have been asked while blocks were measured: what each conclusion says.
fn questions(recorded: &RecordedMatrix) -> Vec<Asked> {
    let all = recorded.earlier.iter().chain(&recorded.conclusion);
    let mut asked: Vec<Asked> = Vec::new();
    for MatrixConclusion { asked: one, .. } in all {
        // Only these say which builds are measured on.
        let one = Asked {
            claims: one.claims.clone(),
            guards: one.guards.clone(),
            unbuilt: one.unbuilt.clone(),
            race: one.race.clone(),
            ..Asked::default()
        };
        if !asked.contains(&one) {
            asked.push(one);
        }
    }
    asked
}

/// An experiment before its first block.
fn begun<'a>(recorded: &'a Recorded, out: &'a BTreeMap<BuildIndex, String>) -> MemberEvidence<'a> {
    MemberEvidence {
        experiment: &recorded.experiment,
        pilot: recorded.pilot.as_ref(),
        blocks: &[],
        out,
    }
}

/// The builds that failed on a benchmark, each with the blocks that were there before.
fn exclusions(recorded: &Recorded) -> BTreeMap<BuildIndex, u32> {
    let mut all = BTreeMap::new();
    for exclusion in &recorded.exclusions {
        let blocks = all.entry(exclusion.build).or_insert(exclusion.blocks);
        *blocks = exclusion.blocks.min(*blocks);
    }
    all
}

/// All blocks of a matrix in the order in which they were measured.
fn in_time(members: &[Recorded]) -> Vec<(MemberIndex, &Block)> {
    let each = MemberIndex::each(members);
    let blocks = each.flat_map(|(member, one)| one.blocks.iter().map(move |block| (member, block)));
    let mut blocks: Vec<(MemberIndex, &Block)> = blocks.collect();
    blocks.sort_by_key(|(member, block)| (block.began_ms, block.index, *member));
    blocks
}

/// A matrix measured again in thought, by one of the questions that it was asked.
struct Replay<'a> {
    sheet: Sheet<'a>,
    exclusions: &'a [BTreeMap<BuildIndex, u32>],
    /// Blocks of each benchmark so far.
    done: Vec<u32>,
    /// Of a build that failed it is recorded after which block of its benchmark, and not before
    /// which block of another one. Whether it is out for those in between at once, or as late as
    /// can be.
    soon: bool,
}

impl Replay<'_> {
    /// A block of a benchmark is next.
    fn begin(&mut self, next: MemberIndex) {
        for (member, failed) in MemberIndex::each(self.exclusions) {
            let done = self.done[member.place()];
            let at_once = self.soon || member == next;
            for (build, at) in failed {
                if *at < done || (at_once && *at == done) {
                    self.sheet.exclude(member, CellIndex::from(*build));
                }
            }
        }
    }

    /// It was measured.
    fn end(
        &mut self,
        member: MemberIndex,
        recorded: &Recorded,
        block: &Block,
    ) -> Result<(), ConcludeError> {
        self.done[member.place()] += 1;
        self.sheet.add(member, &recorded.experiment, block)
    }
}
