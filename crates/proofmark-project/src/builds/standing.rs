//! Every cell as it stands: its build, or why there is none.

use std::path::PathBuf;

use super::built::{BuildOutcome, BuiltCell, Failure, Made};
use super::plan::{BuildPlan, CellState, Planned, Workshop};
use super::record::{Record, Recorded};
use crate::cells::Cell;

impl Workshop<'_> {
    /// Every cell as it stands, without building anything.
    #[must_use]
    pub fn standing(&self, plan: &BuildPlan) -> Vec<BuiltCell> {
        let kept = |planned: &Planned| matches!(planned.state, CellState::Built { .. });
        plan.cells
            .iter()
            .map(|planned| match &planned.state {
                CellState::Blocked(failure) => BuiltCell {
                    cell: planned.cell.clone(),
                    key: String::new(),
                    log: PathBuf::new(),
                    outcome: BuildOutcome::Failed(failure.clone()),
                },
                _ => {
                    let key = planned.key.as_deref().unwrap_or_default();
                    self.stands(plan, &planned.cell, key, kept(planned))
                }
            })
            .collect()
    }

    /// A cell with this key as it stands; `kept` says that its build was there before.
    pub(super) fn stands(&self, plan: &BuildPlan, cell: &Cell, key: &str, kept: bool) -> BuiltCell {
        let failed = |why: String| {
            BuildOutcome::Failed(Failure {
                why,
                toolchain: false,
            })
        };
        let record = self.kept(key).or_else(|| self.places.failed(key));
        let log = record.as_ref().map(|record| self.places.log(record));
        let sources = plan.sources.get(&cell.axes.source);
        let outcome = match record {
            None => failed(self.not_built(key)),
            Some(Record {
                outcome: Recorded::Failed(failure),
                ..
            }) => BuildOutcome::Failed(failure),
            Some(Record {
                capture,
                seconds,
                reads,
                outcome: Recorded::Made(flags),
                ..
            }) => match self.builds.find(&capture) {
                Err(error) => failed(error.to_string()),
                Ok(capture) => BuildOutcome::Made(Box::new(Made {
                    capture,
                    image: sources.and_then(|(source, _)| source.image.clone()),
                    patches: sources.map_or_else(Vec::new, |(_, files)| files.of_patches()),
                    revision: sources.and_then(|(_, files)| files.revision()),
                    recipe: sources.and_then(|(of, files)| self.recipe(cell, of, files)),
                    flags,
                    unseen: reads.unseen,
                    not_copied: reads.not_copied,
                    displaced: reads.displaced,
                    of_others: self.makers.held(key).of_others(),
                    seconds,
                    kept,
                })),
            },
        };
        BuiltCell {
            cell: cell.clone(),
            key: key.to_owned(),
            log: log.unwrap_or_default(),
            outcome,
        }
    }

    /// Why there is no build of a cell that did not fail.
    fn not_built(&self, key: &str) -> String {
        let records = self.places.read(key).into_iter();
        let made = { records }.find(|record| matches!(record.outcome, Recorded::Made(_)));
        let changed = made.and_then(|of| of.reads.changed(&self.memory, &of.capture));
        changed.map_or_else(
            || "it has not been built".to_owned(),
            |file| {
                format!(
                    "it was built, and {} has changed since, which it reads\n  \
                     next: `proofmark matrix build`; where that says so again, another cell's \
                     build writes the file: let builds write into their own folder only",
                    file.display()
                )
            },
        )
    }
}
