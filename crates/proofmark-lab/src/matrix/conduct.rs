//! A matrix carried out: pilots, then block after block, each of the benchmark that is furthest behind among those of which something is open.
//!
//! What is measured next follows from what the store holds, so that a matrix interrupted anywhere goes on as if it had not been.

use std::collections::BTreeSet;

use proofmark_evidence::Store;
use proofmark_evidence::record::{Asked, Exclusion, Stop};

use super::member::{MatrixUnderWay, MemberUnderWay};
use super::sheet::Sheet;
use crate::LabError;
use crate::conduct::{measure, piloted};
use crate::observer::{Event, Observer};
use crate::rig::Rig;

/// The worlds of a matrix's experiments, which share their images.
pub trait Stage {
    /// The world of one experiment.
    fn rig(&mut self, member: usize) -> &mut dyn Rig;

    /// Only these cells are needed from now on, on any benchmark.
    fn need(&mut self, cells: &[u32]);
}

/// Measures until every question is answered, the most blocks or the end of the budget; says why it stopped.
///
/// A build that fails is out of that benchmark, which the store records, and everything else goes on.
///
/// # Errors
///
/// Whatever stops all builds alike. Blocks finished before are in the store, and the same matrix can be taken up again.
pub fn conduct_matrix(
    matrix: &mut MatrixUnderWay,
    asked: &Asked,
    stage: &mut dyn Stage,
    store: &mut Store,
    observer: &mut dyn Observer,
) -> Result<Stop, LabError> {
    let MatrixUnderWay { run, members, .. } = matrix;
    let mut conductor = Conductor {
        sheet: Sheet::new(run, asked, members)?,
        members,
        stage,
        store,
        observer,
    };
    let began_ms = conductor.stage.rig(0).now_ms();
    for member in 0..conductor.members.len() {
        conductor.pilot(member)?;
    }
    loop {
        let open = conductor.sheet.open();
        let spent_ms = conductor.spent_ms(began_ms);
        let Some(member) = conductor.next(&open) else {
            return Ok(conductor.stop(&open));
        };
        let design = &conductor.sheet.design;
        let enough = conductor.members[member].blocks() >= design.min_blocks;
        if enough && design.budget_ms.is_some_and(|budget| spent_ms >= budget) {
            return Ok(Stop::Budget);
        }
        conductor.block(member, &open)?;
        conductor.tell(member, &open, spent_ms);
    }
}

struct Conductor<'a> {
    sheet: Sheet<'a>,
    members: &'a mut Vec<MemberUnderWay>,
    stage: &'a mut dyn Stage,
    store: &'a mut Store,
    observer: &'a mut dyn Observer,
}

impl Conductor<'_> {
    /// The benchmark that is furthest behind among those of which something is open.
    fn next(&self, open: &[BTreeSet<u32>]) -> Option<usize> {
        let max = self.sheet.design.max_blocks;
        (0..self.members.len())
            .filter(|&member| {
                let state = &self.members[member];
                !open[member].is_empty() && state.blocks() < max && state.under_way.pilot.is_some()
            })
            .min_by_key(|&member| self.members[member].blocks())
    }

    fn stop(&self, open: &[BTreeSet<u32>]) -> Stop {
        let precise = self.sheet.design.precision.is_some();
        match (open.iter().all(BTreeSet::is_empty), precise) {
            (true, true) => Stop::Precise,
            (true, false) => Stop::Decided,
            (false, _) => Stop::Blocks,
        }
    }

    /// The pilot of one benchmark, with all builds that it does not show to fail.
    fn pilot(&mut self, member: usize) -> Result<(), LabError> {
        loop {
            let state = &self.members[member];
            let builds = state.builds();
            if builds.len() < 2 {
                return Ok(());
            }
            let rig = self.stage.rig(member);
            match piloted(&state.under_way, &builds, rig, self.store, self.observer) {
                Ok(pilot) => {
                    self.members[member].under_way.pilot = Some(pilot);
                    self.sheet.piloted(member, &self.members[member]);
                    return Ok(());
                }
                Err(error) => self.exclude(member, error)?,
            }
        }
    }

    /// The next block of one benchmark, without a build that fails in it.
    fn block(&mut self, member: usize, open: &[BTreeSet<u32>]) -> Result<(), LabError> {
        let needed: BTreeSet<u32> = open.iter().flatten().copied().collect();
        self.stage.need(&needed.into_iter().collect::<Vec<_>>());
        let builds: Vec<u32> = open[member].iter().copied().collect();
        let state = &mut self.members[member];
        let Some(pilot) = &state.under_way.pilot else {
            return Ok(());
        };
        match measure(&state.under_way, pilot, &builds, self.stage.rig(member)) {
            Ok(block) => {
                self.store.block(&state.under_way.id, &block)?;
                self.sheet
                    .add(member, &state.under_way.experiment, &block)?;
                state.under_way.blocks.push(block);
                Ok(())
            }
            Err(error) => self.exclude(member, error),
        }
    }

    /// Takes a build out of a benchmark for what happened to it; what happened to all of them stops the matrix.
    fn exclude(&mut self, member: usize, error: LabError) -> Result<(), LabError> {
        let LabError::OfBuild { build, cause } = error else {
            return Err(error);
        };
        let state = &mut self.members[member];
        if state.out.contains_key(&build) {
            return Err(LabError::OfBuild { build, cause });
        }
        let exclusion = Exclusion {
            build,
            blocks: state.blocks(),
            why: cause.to_string(),
        };
        self.store.exclude(&state.under_way.id, &exclusion)?;
        self.observer.tell(&Event::Excluded {
            benchmark: &self.sheet.run.members[member].benchmark,
            exclusion: &exclusion,
            cell: self
                .sheet
                .run
                .cells
                .get(build as usize)
                .map_or("?", String::as_str),
        });
        state.out.insert(build, exclusion.why);
        self.sheet.exclude(member, build);
        Ok(())
    }

    /// Time of all blocks of earlier sittings, and of all of this one.
    fn spent_ms(&mut self, began_ms: u64) -> u64 {
        let blocks = self
            .members
            .iter()
            .flat_map(|state| &state.under_way.blocks);
        let earlier: u64 = blocks
            .filter(|block| block.began_ms < began_ms)
            .map(|block| block.took_ms)
            .sum();
        earlier + self.stage.rig(0).now_ms().saturating_sub(began_ms)
    }

    fn tell(&mut self, member: usize, open: &[BTreeSet<u32>], elapsed_ms: u64) {
        self.observer.tell(&Event::MatrixBlock {
            benchmark: &self.sheet.run.members[member].benchmark,
            done: self.members[member].blocks(),
            max: self.sheet.design.max_blocks,
            elapsed_ms,
            open: open.iter().map(BTreeSet::len).sum(),
        });
    }
}
