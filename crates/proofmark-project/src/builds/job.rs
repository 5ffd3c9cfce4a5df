//! The builds that have to be made: cells that share a key are one build.

use std::collections::HashMap;

use proofmark_capture::outside::Maker;

use super::plan::{BuildPlan, CellState, Planned, Workshop};
use crate::cells::Cell;
use crate::definition::Source;
use crate::sources::{Frozen, Snapshot};
use crate::toolchain::Toolchain;

/// One build that has to be made: the cells that share a key are one build.
pub(super) struct Job<'a> {
    pub(super) key: &'a str,
    pub(super) cell: &'a Cell,
    /// The source's name in the plan.
    pub(super) of: &'a str,
    pub(super) toolchain: &'a Toolchain,
    pub(super) source: &'a Source,
    pub(super) snapshot: &'a Snapshot,
    pub(super) frozen: &'a Result<Frozen, String>,
}

impl Job<'_> {
    /// The build, as those know it that come upon what it leaves.
    pub(super) fn maker(&self) -> Maker {
        Maker::new(self.key, &self.cell.to_string())
    }

    /// The cell's words, which its capture's name begins with.
    pub(super) fn capture_name(&self) -> String {
        const MOST: usize = 50;
        let mut words = self.cell.axes.clone();
        words.options = None;
        let mut name: String = words.words().collect::<Vec<&str>>().join("+");
        while name.len() > MOST {
            name.pop();
        }
        name
    }
}

impl Workshop<'_> {
    /// One copy of each source of which a build is missing: what was hashed is what is built, in
    /// every cell.
    pub(super) fn frozen<'a>(
        &self,
        plan: &'a BuildPlan,
    ) -> HashMap<&'a str, Result<Frozen, String>> {
        let mut frozen = HashMap::new();
        for planned in &plan.cells {
            let name = planned.source.as_str();
            if let Some((_, snapshot)) = plan.sources.get(name)
                && self.lacks(planned).is_some()
            {
                frozen
                    .entry(name)
                    .or_insert_with(|| snapshot.freeze(self.places.folder()));
            }
        }
        frozen
    }

    /// The cells whose sources cannot be put together, and why: a patch that is not there, or does
    /// not apply. Nothing is built.
    #[must_use]
    pub fn unfit(&self, plan: &BuildPlan) -> Vec<(Cell, String)> {
        let frozen = self.frozen(plan);
        let of = |planned: &Planned| {
            let why = match (&planned.state, frozen.get(planned.source.as_str())) {
                (CellState::Blocked(failure), _) if !failure.toolchain => Some(failure.why.clone()),
                (_, Some(Err(why))) => Some(why.clone()),
                _ => {
                    let files = plan.sources.get(&planned.source);
                    files.and_then(|(_, files)| self.tree(files).err())
                }
            };
            why.map(|why| (planned.cell.clone(), why))
        };
        plan.cells.iter().filter_map(of).collect()
    }

    /// The key of a planned cell that has no build.
    pub(super) fn lacks<'a>(&self, planned: &'a Planned) -> Option<&'a str> {
        let key = planned.key.as_deref()?;
        self.kept(key).is_none().then_some(key)
    }

    /// What a planned cell lacks.
    pub(super) fn job<'a>(
        &self,
        plan: &'a BuildPlan,
        planned: &'a Planned,
        frozen: &'a HashMap<&str, Result<Frozen, String>>,
    ) -> Option<Job<'a>> {
        let key = self.lacks(planned)?;
        let (source, snapshot) = plan.sources.get(&planned.source)?;
        Some(Job {
            key,
            cell: &planned.cell,
            of: &planned.source,
            toolchain: plan
                .toolchain(&planned.cell.axes.toolchain)?
                .as_ref()
                .ok()?,
            source,
            snapshot,
            frozen: frozen.get(planned.source.as_str())?,
        })
    }
}
