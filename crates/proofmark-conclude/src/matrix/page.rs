//! What the blocks say of one benchmark at one size, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_evidence::record::{ArmRef, Block, MatrixRun, Member, is_in_suite};
use proofmark_stats::{Better, ln_mean};
use proofmark_terms::CellIndex;

use super::evidence::MemberEvidence;
use crate::arms::values;
use crate::effects::{Shifts, effects};
use crate::error::ConcludeError;
use crate::few_digits::{Printed, Rounding};
use crate::rule::better;
use crate::scheme::Scheme;

/// One benchmark at one size.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) better: Better,
    /// How it is measured, as its pilot chose.
    pub(super) way: Option<Scheme>,
    pub(super) cells: Vec<Cell>,
    pub(super) out: BTreeSet<CellIndex>,
    /// What rounds its numbers, where it is the program that prints them.
    pub(super) rounding: Option<Rounding>,
    /// It stands for its benchmark in the suite: its largest size.
    pub(super) in_suite: bool,
}

/// What the blocks say of one cell on one benchmark, by block and on the scale of ln.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    /// Mean of its values.
    pub(super) level: BTreeMap<u32, f64>,
    /// It against the first cell of the block. Differences of these are the effects of blocks.
    pub(super) effect: BTreeMap<u32, f64>,
    /// What other ways of measuring make of `effect`, less what it is.
    pub(super) shifts: Ways,
    /// What they make of `level`, less what it is.
    pub(super) level_shifts: Ways,
    /// Its numbers themselves.
    pub(super) printed: BTreeMap<u32, Printed>,
}

/// What other ways of measuring make of something, less what the verdict's way makes of it, by
/// block.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// With shorter slices.
    pub(super) short: BTreeMap<u32, f64>,
    /// With whole runs.
    pub(super) whole: BTreeMap<u32, f64>,
    /// With each beside a program that leaves its caches alone.
    pub(super) alone: BTreeMap<u32, f64>,
}

impl Ways {
    /// Takes one more block.
    fn add(&mut self, block: u32, of_block: &Shifts) {
        let ways = [
            (&mut self.short, &of_block.short),
            (&mut self.whole, &of_block.whole),
            (&mut self.alone, &of_block.alone),
        ];
        for (all, own) in ways {
            all.extend(own.first().map(|&own| (block, own)));
        }
    }

    /// Those of these blocks, in their order.
    pub(super) fn over(&self, blocks: &[u32]) -> Shifts {
        let of = |all: &BTreeMap<u32, f64>| {
            let own = blocks.iter().filter_map(|block| all.get(block));
            own.copied().collect()
        };
        Shifts {
            short: of(&self.short),
            whole: of(&self.whole),
            alone: of(&self.alone),
        }
    }
}

impl Page {
    pub(super) fn new(run: &MatrixRun, member: &Member, state: &MemberEvidence<'_>) -> Self {
        let members = run.members.iter();
        let members = members.map(|other| (other.benchmark.as_str(), other.size.as_ref()));
        Page {
            better: better(&state.experiment.benchmark.metric),
            rounding: Rounding::of(&state.experiment.benchmark.metric),
            way: state.pilot.map(Scheme::of),
            cells: vec![Cell::default(); run.cells.len()],
            out: state.out.keys().copied().map(CellIndex::from).collect(),
            in_suite: is_in_suite(&member.benchmark, member.size.as_ref(), members),
        }
    }
}

impl Cell {
    /// Takes one more block, in which the cell is `arm` and is held against `first`.
    pub(super) fn add(
        &mut self,
        block: &Block,
        way: Scheme,
        arm: ArmRef,
        first: ArmRef,
    ) -> Result<(), ConcludeError> {
        let values = values(block, arm, way.schedule);
        let Some(level) = ln_mean(&values) else {
            return Err(ConcludeError::Damaged {
                block: block.index,
                why: "holds a value without a logarithm".to_owned(),
            });
        };
        self.level.insert(block.index, level);
        let printed = Printed::of(&values);
        self.printed
            .extend(printed.map(|printed| (block.index, printed)));
        let block_of = std::slice::from_ref(block);
        let own = match arm == first {
            true => 0.0,
            false => only(&effects(block_of, arm, first, way.schedule)?),
        };
        self.effect.insert(block.index, own);
        if let Some(check) = way.check {
            let shifts = match arm == first {
                true => Shifts::none(check),
                false => Shifts::of(block_of, arm, first, (way.schedule, check))?,
            };
            self.shifts.add(block.index, &shifts);
            let of_level = Shifts::of_level(block, arm, (way.schedule, check), level);
            self.level_shifts.add(block.index, &of_level);
        }
        Ok(())
    }
}

/// The number of the only block.
fn only(numbers: &[f64]) -> f64 {
    numbers.first().copied().unwrap_or_default()
}
