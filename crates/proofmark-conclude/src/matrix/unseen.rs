//! What rounding and slices may have done to the numbers of a matrix.

use std::collections::BTreeMap;

use proofmark_terms::{CellIndex, MemberIndex};

use super::page::Ways;
use super::sheet::{Column, Sheet, averaged};
use crate::effects::Shifts;
use crate::few_digits::{Printed, Unseen, both};
use crate::rule::sum_by_block;

impl Sheet<'_> {
    /// What slices and rounding may have done to the effect on a suite, after each block. A
    /// benchmark that is measured by whole runs has no part in what slices did.
    pub(super) fn widening(
        &self,
        all: &[MemberIndex],
        new: CellIndex,
        base: CellIndex,
    ) -> Vec<f64> {
        let sliced = |&member: &MemberIndex| {
            let way = self.page(member).and_then(|page| page.way);
            way.is_some_and(|way| way.check.is_some())
        };
        let (sliced, whole): (Vec<MemberIndex>, Vec<MemberIndex>) =
            all.iter().copied().partition(sliced);
        let share = sliced.len() as f64 / (sliced.len() + whole.len()).max(1) as f64;
        let of = |column: Column| self.suite_of(column, &sliced, new, base);
        let shifts = Shifts {
            short: of(|cell| &cell.shifts.short),
            whole: of(|cell| &cell.shifts.whole),
            alone: of(|cell| &cell.shifts.alone),
        };
        let sliced = shifts.widening(self.design.margin);
        let sliced = sliced.into_iter().map(|by| by * share).collect();
        sum_by_block(sliced, &self.unseen_by_block(all, new, base))
    }

    /// What rounding may have done to the effect on a suite, after each block.
    fn unseen_by_block(&self, over: &[MemberIndex], new: CellIndex, base: CellIndex) -> Vec<f64> {
        let on = |&member: &MemberIndex| {
            let rounding = self.page(member).and_then(|page| page.rounding);
            let printed = self.printed(member, new, base);
            match rounding {
                Some(rounding) => {
                    let by = rounding.after_each(printed.values().cloned());
                    printed.into_keys().zip(by).collect()
                }
                None => printed.into_keys().map(|block| (block, 0.0)).collect(),
            }
        };
        let each: Vec<_> = over.iter().map(on).collect();
        averaged(&each).into_values().collect()
    }

    /// What rounding leaves unseen of two cells on a benchmark, in all blocks.
    pub(super) fn unseen(
        &self,
        member: MemberIndex,
        new: CellIndex,
        base: CellIndex,
    ) -> Option<Unseen> {
        let rounding = self.page(member)?.rounding?;
        let printed = self.printed(member, new, base);
        rounding.unseen(&printed.into_values().reduce(both)?)
    }

    /// What two cells printed in the blocks in which both took part, by block.
    fn printed(
        &self,
        member: MemberIndex,
        new: CellIndex,
        base: CellIndex,
    ) -> BTreeMap<u32, [Printed; 2]> {
        let of = |cell: CellIndex| Some(&cell.of(&self.page(member)?.cells)?.printed);
        let (true, Some(new), Some(base)) = (self.meet(member, new, base), of(new), of(base))
        else {
            return BTreeMap::new();
        };
        let paired = new.iter();
        let paired = paired
            .filter_map(|(block, new)| Some((*block, [new.clone(), base.get(block)?.clone()])));
        paired.collect()
    }

    /// How far rounding may have moved the numbers of two cells on a benchmark in all of these
    /// blocks, each relative to its own. A cell beside itself is seen alone.
    pub(super) fn rounded_by(
        &self,
        member: MemberIndex,
        cells: [CellIndex; 2],
        blocks: &[u32],
    ) -> Option<[f64; 2]> {
        let page = self.page(member)?;
        let [new, base] = cells.map(|cell| cell.of(&page.cells).map(|cell| &cell.printed));
        let (new, base) = new.zip(base)?;
        let printed = |block: &u32| Some([new.get(block)?.clone(), base.get(block)?.clone()]);
        let printed = blocks.iter().filter_map(printed).reduce(both)?;
        Some(page.rounding?.of_each(&printed))
    }

    /// How far slices may have moved the level of a cell in all of these blocks, on the scale of
    /// ln.
    pub(super) fn level_moved_by(
        &self,
        member: MemberIndex,
        cell: CellIndex,
        blocks: &[u32],
    ) -> f64 {
        let cell = self.page(member).and_then(|page| cell.of(&page.cells));
        cell.map_or(0.0, |cell| self.moved_by(&cell.level_shifts, blocks))
    }

    /// How far slices may have moved the effect of a cell against another in all of these blocks,
    /// on the scale of ln.
    pub(super) fn effect_moved_by(
        &self,
        member: MemberIndex,
        [new, base]: [CellIndex; 2],
        blocks: &[u32],
    ) -> f64 {
        let of = |column: Column| self.difference(column, member, new, base);
        let ways = Ways {
            short: of(|cell| &cell.shifts.short),
            whole: of(|cell| &cell.shifts.whole),
            alone: of(|cell| &cell.shifts.alone),
        };
        self.moved_by(&ways, blocks)
    }

    fn moved_by(&self, ways: &Ways, blocks: &[u32]) -> f64 {
        let widening = ways.over(blocks).widening(self.design.margin);
        widening.last().copied().unwrap_or_default()
    }
}
