//! A matrix carried out: pilots, then block after block, each of the benchmark that is furthest
//! behind among those of which something is open.
//!
//! What is measured next follows from what the store holds, so that a matrix interrupted anywhere
//! goes on as if it had not been.

use std::collections::BTreeSet;

use proofmark_conclude::Sheet;
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{Asked, Design, Exclusion, Stop};

use super::member::{MatrixUnderWay, MemberUnderWay, evidence};
use crate::budget::Budget;
use crate::error::LabError;
use crate::error::Stage as Spent;
use crate::experiment::{Measured, NextBlock, UnderWay, measure, piloted};
use crate::observer::{Event, MatrixBlockStored, Observer};
use crate::pilot::Allowance;
use crate::rig::Rig;
use proofmark_project::in_the_file;
use proofmark_terms::{BuildIndex, CellIndex, MemberIndex};

/// The worlds of a matrix's experiments, which share their images.
pub trait Stage {
    /// The world of one experiment.
    fn rig(&mut self, member: MemberIndex) -> &mut dyn Rig;

    /// Only these cells are needed from now on, on any benchmark.
    fn need(&mut self, cells: &[CellIndex]);
}

/// Measures until every question is answered, the most blocks or the end of the budget; says why it
/// stopped.
///
/// A build that fails is out of that benchmark, which the store records, and everything else goes
/// on.
///
/// # Errors
///
/// Whatever stops all builds alike, a budget that does not hold the fewest blocks too. Blocks
/// finished before are in the store, and the same matrix can be taken up again.
pub fn conduct_matrix(
    matrix: &mut MatrixUnderWay,
    asked: &Asked,
    stage: &mut dyn Stage,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<Stop, LabError> {
    let MatrixUnderWay { run, members, .. } = matrix;
    let mut conductor = Conductor {
        sheet: Sheet::new(run, asked, &evidence(members))?,
        budget: budget(members),
        members,
        stage,
        store,
        observer,
    };
    let began_ms = conductor.stage.rig(MemberIndex(0)).now_ms();
    for member in MemberIndex::all(conductor.members.len()) {
        conductor.pilot(member)?;
    }
    loop {
        let open = conductor.sheet.open();
        let Some(member) = conductor.next(&open) else {
            return Ok(conductor.sheet.stop(&open));
        };
        let now_ms = conductor.stage.rig(MemberIndex(0)).now_ms();
        if !conductor.budget.holds(now_ms, conductor.next_ms(member))
            || conductor.block(member, &open)? == Came::ToItsEnd
        {
            return conductor.budget_spent(member);
        }
        conductor.tell(member, &open, now_ms.saturating_sub(began_ms));
    }
}

/// What may be spent on a matrix in this sitting: all that its experiments took before counts.
fn budget(members: &[MemberUnderWay]) -> Budget {
    let earlier = members
        .iter()
        .map(|state| state.under_way.earlier_ms(state.under_way.pilot.as_ref()));
    let earlier_ms: u64 = earlier.sum();
    members.first().map_or(Budget::NONE, |state| {
        let UnderWay {
            experiment,
            began_ms,
            ..
        } = &state.under_way;
        Budget::new(&experiment.design, *began_ms, earlier_ms)
    })
}

struct Conductor<'a> {
    sheet: Sheet<'a>,
    budget: Budget,
    members: &'a mut Vec<MemberUnderWay>,
    stage: &'a mut dyn Stage,
    store: &'a mut LockedStore,
    observer: &'a mut dyn Observer,
}

/// How the budget came through a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Through,
    /// It was spent in the midst of it.
    ToItsEnd,
}

impl Conductor<'_> {
    /// The unfinished benchmark with the fewest blocks.
    fn next(&self, open: &[BTreeSet<CellIndex>]) -> Option<MemberIndex> {
        let max = self.sheet.design.max_blocks;
        MemberIndex::all(self.members.len())
            .filter(|&member| {
                let state = &self.members[member.place()];
                !open[member.place()].is_empty()
                    && state.blocks() < max
                    && state.under_way.pilot.is_some()
            })
            .min_by_key(|&member| self.members[member.place()].blocks())
    }

    /// The pilot of one benchmark, with all builds that it does not show to fail.
    fn pilot(&mut self, member: MemberIndex) -> Result<(), LabError> {
        loop {
            let state = &self.members[member.place()];
            let builds = state.builds();
            if builds.len() < 2 {
                return Ok(());
            }
            let rig = self.stage.rig(member);
            let allowance = allowance(self.members, &self.sheet.design, self.budget);
            let under_way = &self.members[member.place()].under_way;
            let (store, observer) = (&mut *self.store, &mut *self.observer);
            let members = &self.sheet.run.members;
            let benchmark = (members.len() > 1).then(|| members[member.place()].benchmark.as_str());
            match piloted(
                under_way, benchmark, &builds, &allowance, rig, store, observer,
            ) {
                Ok(pilot) => {
                    self.sheet.piloted(member, &pilot);
                    self.members[member.place()].under_way.pilot = Some(pilot);
                    return Ok(());
                }
                Err(error) => self.exclude(member, error)?,
            }
        }
    }

    /// The next block of one benchmark, without a build that fails in it.
    fn block(
        &mut self,
        member: MemberIndex,
        open: &[BTreeSet<CellIndex>],
    ) -> Result<Came, LabError> {
        let needed: BTreeSet<CellIndex> = open.iter().flatten().copied().collect();
        self.stage.need(&needed.into_iter().collect::<Vec<_>>());
        let builds: Vec<BuildIndex> = open[member.place()]
            .iter()
            .map(|cell| cell.build())
            .collect();
        let state = &mut self.members[member.place()];
        let Some(pilot) = &state.under_way.pilot else {
            return Ok(Came::Through);
        };
        let next = NextBlock {
            under_way: &state.under_way,
            pilot,
            builds: &builds,
            budget: &self.budget,
        };
        match measure(&next, self.stage.rig(member)) {
            Ok(Measured::Part(block)) => {
                if !block.rounds.is_empty() {
                    self.store.partial_block(&state.under_way.id, &block)?;
                }
                Ok(Came::ToItsEnd)
            }
            Ok(Measured::Whole(block)) => {
                self.store.block(&state.under_way.id, &block)?;
                self.sheet
                    .add(member, &state.under_way.experiment, &block)?;
                state.under_way.blocks.push(block);
                Ok(Came::Through)
            }
            Err(error) => self.exclude(member, error).map(|()| Came::Through),
        }
    }

    /// Time that the next block of a benchmark takes at least, in milliseconds.
    fn next_ms(&self, member: MemberIndex) -> u64 {
        let under_way = &self.members[member.place()].under_way;
        let pilot = under_way.pilot.as_ref();
        pilot.map_or(0, |pilot| under_way.next_ms(pilot))
    }

    /// That measuring ends with the budget; `member` is the unfinished benchmark with the fewest
    /// blocks.
    fn budget_spent(&mut self, member: MemberIndex) -> Result<Stop, LabError> {
        let (done, fewest) = (
            self.members[member.place()].blocks(),
            self.sheet.design.min_blocks,
        );
        if done >= fewest {
            return Ok(Stop::Budget);
        }
        let more_ms = owed_ms(self.members, &self.sheet.design);
        let now_ms = self.stage.rig(MemberIndex(0)).now_ms();
        let stage = Spent::Blocks { done, fewest };
        Err(self.budget.refused(now_ms, Some(more_ms), stage))
    }

    /// Takes a build out of a benchmark for what happened to it; what happened to all of them stops
    /// the matrix.
    fn exclude(&mut self, member: MemberIndex, error: LabError) -> Result<(), LabError> {
        let LabError::OfBuild { build, cause } = error else {
            return Err(error);
        };
        let state = &mut self.members[member.place()];
        if state.out.contains_key(&build) {
            return Err(LabError::OfBuild { build, cause });
        }
        let exclusion = Exclusion {
            build,
            blocks: state.blocks(),
            why: in_the_file(&cause.to_string()),
        };
        self.store.exclude(&state.under_way.id, &exclusion)?;
        self.observer.tell(&Event::Excluded {
            benchmark: &self.sheet.run.members[member.place()].benchmark,
            exclusion: &exclusion,
            cell: build.of(&self.sheet.run.cells).map_or("?", String::as_str),
        });
        state.out.insert(build, exclusion.why);
        self.sheet.exclude(member, build.into());
        Ok(())
    }

    fn tell(&mut self, member: MemberIndex, open: &[BTreeSet<CellIndex>], elapsed_ms: u64) {
        self.observer.tell(&Event::MatrixBlock(MatrixBlockStored {
            benchmark: &self.sheet.run.members[member.place()].benchmark,
            done: self.members[member.place()].blocks(),
            max: self.sheet.design.max_blocks,
            elapsed_ms,
            open: open.iter().map(BTreeSet::len).sum(),
        }));
    }
}

/// What one more pilot may use of the budget.
fn allowance(members: &[MemberUnderWay], design: &Design, budget: Budget) -> Allowance {
    let without = members
        .iter()
        .filter(|state| state.under_way.pilot.is_none());
    Allowance {
        budget,
        owed_ms: owed_ms(members, design),
        shared_by: u32::try_from(without.count()).unwrap_or(u32::MAX),
    }
}

/// Time that the fewest blocks of the benchmarks take which have a pilot, in milliseconds, less
/// those that are there.
fn owed_ms(members: &[MemberUnderWay], design: &Design) -> u64 {
    let of = |state: &MemberUnderWay| {
        let pilot = state.under_way.pilot.as_ref()?;
        let more = design.min_blocks.saturating_sub(state.blocks());
        Some(u64::from(more) * state.under_way.next_ms(pilot))
    };
    members.iter().filter_map(of).sum()
}
