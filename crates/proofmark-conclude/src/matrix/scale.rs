//! Benchmarks at several sizes: what of a build's time is fixed, and what grows with the work.

use std::collections::BTreeMap;

use proofmark_evidence::record::{ScaleEffect, ScaleLine};
use proofmark_stats::{Lines, Looks};
use proofmark_terms::{CellIndex, MemberIndex};

use super::sheet::Sheet;
use crate::error::ConcludeError;

/// A cell's lines on a benchmark, by block.
struct Fitted {
    lines: Lines,
    blocks: usize,
}

impl Sheet<'_> {
    /// The lines of each cell on each benchmark with a scale, and the comparisons of both parts
    /// with each of `baselines`. Their intervals share the confidence of the suite's table: one
    /// family a benchmark and part.
    ///
    /// # Errors
    ///
    /// When a block is damaged, or the design is one for which no interval exists.
    pub fn scales(
        &self,
        baselines: &[CellIndex],
    ) -> Result<(Vec<ScaleLine>, Vec<ScaleEffect>), ConcludeError> {
        let (mut lines, mut effects) = (Vec::new(), Vec::new());
        let looks = &self.levels.suite;
        for (name, sizes) in self.scaled() {
            for cell in CellIndex::all(self.run.cells.len()) {
                let Some(own) = self.fitted(&sizes, &[cell], cell)? else {
                    continue;
                };
                let (fixed, slope) = (own.lines.fixed(looks), own.lines.slope(looks));
                let Some((fixed, slope)) = fixed.zip(slope) else {
                    continue;
                };
                lines.push(ScaleLine {
                    benchmark: name.clone(),
                    cell,
                    blocks: u32::try_from(own.blocks).unwrap_or(u32::MAX),
                    fixed,
                    slope,
                    misfit: own.lines.misfit(),
                });
                for &baseline in baselines.iter().filter(|&&base| base != cell) {
                    effects.extend(self.scale(&name, &sizes, (cell, baseline), looks)?);
                }
            }
        }
        Ok((lines, effects))
    }

    fn scale(
        &self,
        name: &str,
        sizes: &[(u64, MemberIndex)],
        (cell, baseline): (CellIndex, CellIndex),
        looks: &Looks,
    ) -> Result<Option<ScaleEffect>, ConcludeError> {
        let pair = [cell, baseline];
        let new = self.fitted(sizes, &pair, cell)?;
        let base = self.fitted(sizes, &pair, baseline)?;
        let Some((new, base)) = new.zip(base) else {
            return Ok(None);
        };
        let (new, base) = (&new.lines, &base.lines);
        let parts = (
            new.fixed_against(base, looks),
            new.fixed_beyond(base, looks),
            new.slope_against(base, looks),
        );
        let (Some(fixed), Some(fixed_beyond), Some(proportional)) = parts else {
            return Ok(None);
        };
        Ok(Some(ScaleEffect {
            benchmark: name.to_owned(),
            cell,
            baseline,
            fixed,
            fixed_beyond,
            proportional,
            proportional_beyond: new.slope_beyond(base, looks),
        }))
    }

    /// Benchmarks with several sizes: each size and its member.
    fn scaled(&self) -> Vec<(String, Vec<(u64, MemberIndex)>)> {
        let mut all: Vec<(String, Vec<(u64, MemberIndex)>)> = Vec::new();
        for (index, member) in MemberIndex::each(&self.run.members) {
            let Some(size) = &member.size else { continue };
            match all.iter_mut().find(|(name, _)| *name == member.benchmark) {
                Some((_, sizes)) => sizes.push((size.value, index)),
                None => all.push((member.benchmark.clone(), vec![(size.value, index)])),
            }
        }
        let first = |sizes: &[(u64, MemberIndex)]| sizes.first().map(|(size, _)| *size);
        all.retain(|(_, sizes)| sizes.iter().any(|(size, _)| Some(*size) != first(sizes)));
        all
    }

    /// The lines of a cell over the blocks that every size has of all `cells`; `None` where one of
    /// them is out of a size.
    fn fitted(
        &self,
        sizes: &[(u64, MemberIndex)],
        cells: &[CellIndex],
        cell: CellIndex,
    ) -> Result<Option<Fitted>, ConcludeError> {
        let out =
            |&(_, member): &(u64, MemberIndex)| cells.iter().any(|&cell| self.is_out(member, cell));
        if sizes.iter().any(out) {
            return Ok(None);
        }
        let values: Vec<BTreeMap<u32, f64>> = sizes
            .iter()
            .map(|&(_, member)| self.levels_of(member, cell))
            .collect();
        let needed: Vec<BTreeMap<u32, f64>> = sizes
            .iter()
            .flat_map(|&(_, member)| cells.iter().map(move |&cell| self.levels_of(member, cell)))
            .collect();
        let shared = values.first().into_iter().flat_map(BTreeMap::keys);
        let blocks: Vec<Vec<f64>> = shared
            .filter(|block| needed.iter().all(|values| values.contains_key(block)))
            .map(|block| values.iter().map(|values| values[block]).collect())
            .collect();
        let sizes: Vec<f64> = sizes.iter().map(|&(size, _)| size as f64).collect();
        let lines = Lines::fit(&sizes, &blocks)
            .map_err(|error| ConcludeError::Design(format!("no line can be fitted: {error}")))?;
        let blocks = blocks.len();
        Ok((blocks > 0).then_some(Fitted { lines, blocks }))
    }
}
