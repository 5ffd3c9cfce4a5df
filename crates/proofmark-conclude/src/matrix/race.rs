//! Cells that race on a suite: those that can still be the best of them go on.

use std::collections::BTreeSet;

use proofmark_evidence::record::Asked;
use proofmark_stats::ledger::Race;
use proofmark_terms::{CellIndex, MemberIndex};

use super::sheet::Sheet;
use crate::error::ConcludeError;

impl Sheet<'_> {
    /// The race that is asked for; `None` where none is.
    pub(super) fn race_of(
        asked: &Asked,
        design: &proofmark_evidence::record::Design,
        better: proofmark_stats::Better,
    ) -> Result<Option<Race>, ConcludeError> {
        if asked.race.is_empty() {
            return Ok(None);
        }
        let blocks = (design.min_blocks, design.max_blocks);
        let builds = u32::try_from(asked.race.len()).unwrap_or(u32::MAX);
        let race = Race::new(design.confidence, blocks, builds, better);
        race.map(Some)
            .map_err(|error| ConcludeError::Design(error.to_string()))
    }

    /// The cells of a race that can still be the best of it: those that are out of no benchmark,
    /// and behind none of the others.
    #[must_use]
    pub fn in_race(&self) -> Vec<CellIndex> {
        let Some(race) = &self.race else {
            return Vec::new();
        };
        let all = self.about(&[]);
        let sizes = self.at_all_sizes(&all);
        let runs = |cell: CellIndex| sizes.iter().all(|&member| !self.is_out(member, cell));
        let runners = self.asked.race.iter().copied();
        let runners: Vec<CellIndex> = runners.filter(|&cell| runs(cell)).collect();
        let is_behind = |one: CellIndex, other: CellIndex| {
            let values = self.suite(&all, one, other);
            let rule = self.rule(&self.levels.suite, &all, one, other);
            race.is_behind(&values, rule.widening_after(values.len()))
        };
        let ahead = |&one: &CellIndex| {
            let mut others = runners.iter();
            !others.any(|&other| other != one && is_behind(one, other))
        };
        runners.iter().copied().filter(ahead).collect()
    }

    /// For each benchmark the cells of its next block; empty where the race is over.
    pub(super) fn open_race(&self, members: usize) -> Vec<BTreeSet<CellIndex>> {
        let in_race = self.in_race();
        let cells: BTreeSet<CellIndex> = match in_race.len() {
            0 | 1 => BTreeSet::new(),
            _ => in_race
                .into_iter()
                .chain(self.run.baselines.iter().copied())
                .collect(),
        };
        let on = |member: MemberIndex| {
            let cells = cells.iter().copied();
            cells.filter(|&cell| !self.is_out(member, cell)).collect()
        };
        MemberIndex::all(members).map(on).collect()
    }
}
