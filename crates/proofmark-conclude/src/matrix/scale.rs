//! Benchmarks at several sizes: what of a build's time is fixed, and what grows with the work.

use std::collections::BTreeMap;

use proofmark_evidence::record::{ScaleEffect, ScaleLine};
use proofmark_stats::{Lines, Looks};
use proofmark_terms::{CellIndex, MemberIndex};

use super::sheet::Sheet;
use crate::error::ConcludeError;

/// A benchmark's sizes, each with its member.
type Sizes = [(u64, MemberIndex)];

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
                let blocks = self.shared(&sizes, &[cell]);
                let Some(own) = self.line_of(&sizes, cell, &blocks)? else {
                    continue;
                };
                let Some((fixed, slope)) = own.fixed(looks).zip(own.slope(looks)) else {
                    continue;
                };
                lines.push(ScaleLine {
                    benchmark: name.clone(),
                    cell,
                    blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
                    fixed,
                    slope,
                    misfit: own.misfit(),
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
        sizes: &Sizes,
        (cell, baseline): (CellIndex, CellIndex),
        looks: &Looks,
    ) -> Result<Option<ScaleEffect>, ConcludeError> {
        let Some([new, base]) = self.lines_of_two(sizes, [cell, baseline])? else {
            return Ok(None);
        };
        let parts = (
            new.fixed_against(&base, looks),
            new.fixed_beyond(&base, looks),
            new.slope_against(&base, looks),
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
            proportional_beyond: new.slope_beyond(&base, looks),
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

    /// The blocks that every size has of all `cells`; none where one of them is out of a size.
    fn shared(&self, sizes: &Sizes, cells: &[CellIndex]) -> Vec<u32> {
        let needed = || {
            let members = sizes.iter().map(|&(_, member)| member);
            members.flat_map(|member| cells.iter().map(move |&cell| (member, cell)))
        };
        if needed().any(|(member, cell)| self.is_out(member, cell)) {
            return Vec::new();
        }
        let levels: Vec<BTreeMap<u32, f64>> = needed()
            .map(|(member, cell)| self.levels_of(member, cell))
            .collect();
        let first = levels.first().into_iter().flat_map(BTreeMap::keys);
        let of_all = |block: &&u32| levels.iter().all(|levels| levels.contains_key(block));
        first.filter(of_all).copied().collect()
    }

    /// The line of one cell by itself.
    fn line_of(
        &self,
        sizes: &Sizes,
        cell: CellIndex,
        blocks: &[u32],
    ) -> Result<Option<Lines>, ConcludeError> {
        let level = |member: MemberIndex| Level {
            by_block: self.levels_of(member, cell),
            rounded_by: (self.rounded_by(member, [cell; 2], blocks)).map_or(0.0, |[own, _]| own),
            moved_by: self.level_moved_by(member, cell, blocks),
        };
        fitted(sizes, blocks, &level)
    }

    /// The lines of two cells that are held against each other. What slices do to both of them
    /// alike is in both lines, and may be in their difference. The first one's level is that of the
    /// second and the effect, as the verdict takes it: of the rounds in which both were side by
    /// side.
    fn lines_of_two(
        &self,
        sizes: &Sizes,
        cells: [CellIndex; 2],
    ) -> Result<Option<[Lines; 2]>, ConcludeError> {
        let [new, base] = cells;
        let blocks = self.shared(sizes, &cells);
        let rounded_by = |member| self.rounded_by(member, cells, &blocks).unwrap_or_default();
        let of_base = |member: MemberIndex| Level {
            by_block: self.levels_of(member, base),
            rounded_by: rounded_by(member)[1],
            moved_by: 0.0,
        };
        let of_new = |member: MemberIndex| {
            let effects = self.by_block(member, new, base);
            let mut by_block = self.levels_of(member, base);
            by_block.retain(|block, level| {
                let effect = effects.get(block);
                effect.inspect(|effect| *level *= effect.exp()).is_some()
            });
            Level {
                by_block,
                rounded_by: rounded_by(member)[0],
                moved_by: self.effect_moved_by(member, cells, &blocks),
            }
        };
        let new = fitted(sizes, &blocks, &of_new)?;
        let base = fitted(sizes, &blocks, &of_base)?;
        let moved_by = |&(_, member): &(u64, MemberIndex)| {
            let moved_by = self.level_moved_by(member, cells[1], &blocks);
            moved_by.exp() - 1.0
        };
        let alike: Vec<f64> = sizes.iter().map(moved_by).collect();
        let base = base.map(|base| base.widened_alike_by(&alike));
        Ok(new.zip(base).map(|(new, base)| [new, base]))
    }
}

/// A cell's times at one size.
struct Level {
    /// In the metric's unit.
    by_block: BTreeMap<u32, f64>,
    /// How far rounding may have moved all of them, relative to them.
    rounded_by: f64,
    /// How far slices may have, on the scale of ln.
    moved_by: f64,
}

impl Level {
    /// How far both together may have moved them, relative to them.
    fn off_by(&self) -> f64 {
        (1.0 + self.rounded_by) * self.moved_by.exp() - 1.0
    }
}

/// The line through the levels at all sizes, over these blocks; `None` of no blocks.
fn fitted(
    sizes: &Sizes,
    blocks: &[u32],
    level: &dyn Fn(MemberIndex) -> Level,
) -> Result<Option<Lines>, ConcludeError> {
    let levels: Vec<Level> = sizes.iter().map(|&(_, member)| level(member)).collect();
    let at_block = |block: &u32| {
        let each = levels
            .iter()
            .map(|level| level.by_block.get(block).copied());
        each.collect::<Option<Vec<f64>>>()
    };
    let values: Vec<Vec<f64>> = blocks.iter().filter_map(at_block).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let sizes: Vec<f64> = sizes.iter().map(|&(size, _)| size as f64).collect();
    let off_by: Vec<f64> = levels.iter().map(Level::off_by).collect();
    let lines = Lines::fit(&sizes, &values)
        .map_err(|error| ConcludeError::Design(format!("no line can be fitted: {error}")))?;
    Ok(Some(lines.widened_by(&off_by)))
}
