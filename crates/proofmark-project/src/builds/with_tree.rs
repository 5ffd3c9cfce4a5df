//! Cells whose tree has other files than those that the build of their source read: each has a
//! build of its own, which sees that tree.

use std::collections::HashMap;

use super::plan::{BuildPlan, Workshop, state};

impl Workshop<'_> {
    /// The plan in which these cells are built by themselves; `None` where there is no such cell,
    /// as far as is known: what a build reads is known once it was made.
    pub(super) fn settled(&self, plan: &BuildPlan) -> Option<BuildPlan> {
        let mut cells = plan.cells.clone();
        let mut added = HashMap::new();
        for planned in &mut cells {
            let of = plan.sources.get(&planned.source);
            let Some(((source, files), key)) = of.zip(planned.key.as_deref()) else {
                continue;
            };
            let toolchain = plan.toolchain(&planned.cell.axes.toolchain);
            let (Some(own), Some(Ok(toolchain))) = (files.with_tree(), toolchain) else {
                continue;
            };
            let Ok(Some(tree)) = self.tree(files) else {
                continue;
            };
            let record = self.kept(key);
            if record.is_none_or(|record| record.reads.is_not_for(&tree).is_none()) {
                continue;
            }
            let key = self.key(&planned.cell, &toolchain.hash, source, &own);
            let record = self.kept(&key).or_else(|| self.places.failed(&key));
            let log = record.as_ref().map(|record| self.places.log(record));
            planned.log = log.filter(|log| log.is_file());
            planned.state = state(record);
            planned.key = Some(key);
            // No source is called so: names are single words.
            planned.source.push_str(" with its tree");
            added.insert(planned.source.clone(), (source.clone(), own));
        }
        if added.is_empty() {
            return None;
        }
        let mut sources = plan.sources.clone();
        sources.extend(added);
        Some(BuildPlan {
            cells,
            sources,
            toolchains: plan.toolchains.clone(),
        })
    }
}
