//! Every cell as it stands: its build, or why there is none.

use std::path::PathBuf;
use std::sync::PoisonError;

use proofmark_capture::Capture;

use super::built::{BuildOutcome, BuiltCell, Failure, Made};
use super::plan::{BuildPlan, CellState, Planned, Workshop};
use super::reads::Reads;
use super::record::{Record, Recorded};
use crate::cells::Cell;
use crate::definition::Source;
use crate::sources::{MadeTree, Snapshot};

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
                    let of = (&planned.cell, planned.source.as_str());
                    self.stands(plan, of, key, kept(planned))
                }
            })
            .collect()
    }

    /// A cell with this key as it stands, of the source that has this name in the plan; `kept` says
    /// that its build was there before.
    pub(super) fn stands(
        &self,
        plan: &BuildPlan,
        (cell, source): (&Cell, &str),
        key: &str,
        kept: bool,
    ) -> BuiltCell {
        let failed = |why: String| {
            BuildOutcome::Failed(Failure {
                why,
                toolchain: false,
            })
        };
        let record = self.kept(key).or_else(|| self.places.failed(key));
        let log = record.as_ref().map(|record| self.places.log(record));
        let sources = plan.sources.get(source);
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
            }) => match self.found(&capture, sources, &reads) {
                Err(why) => failed(why),
                Ok((capture, tree)) => BuildOutcome::Made(Box::new(Made {
                    capture,
                    image: sources.and_then(|(source, _)| source.image.clone()),
                    patches: sources.map_or_else(Vec::new, |(_, files)| files.of_patches()),
                    revision: sources.and_then(|(_, files)| files.revision()),
                    recipe: sources.and_then(|(of, files)| self.recipe(cell, of, files)),
                    flags,
                    unseen: reads.unseen,
                    not_copied: reads.not_copied,
                    displaced: with_those_of(reads.displaced, tree.as_ref()),
                    of_others: self.makers.held(key).of_others(),
                    tree,
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

    /// The capture of a cell, and the files that its runs read; or why it is none of the cell's.
    fn found(
        &self,
        capture: &str,
        sources: Option<&(Source, Snapshot)>,
        reads: &Reads,
    ) -> Result<(Capture, Option<MadeTree>), String> {
        let capture = self.builds.find(capture);
        let capture = capture.map_err(|error| error.to_string())?;
        let tree = sources.map_or(Ok(None), |(_, files)| self.tree(files))?;
        let other = tree
            .as_ref()
            .filter(|_| sources.is_some_and(|(_, files)| !files.sees_tree));
        match other.and_then(|tree| reads.is_not_for(tree)) {
            None => Ok((capture, tree)),
            Some(why) => Err(why),
        }
    }

    /// The files of a source that runs read, put together once.
    pub(super) fn tree(&self, files: &Snapshot) -> Result<Option<MadeTree>, String> {
        let Some(of) = &files.tree else {
            return Ok(None);
        };
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = trees.get(&of.hash) {
            return known.clone();
        }
        let made = files.keep_tree(self.places.folder());
        trees.insert(of.hash.clone(), made.clone());
        made
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

/// What patches changed elsewhere than where they were made for, in the sources and in the tree.
fn with_those_of(mut displaced: Vec<String>, tree: Option<&MadeTree>) -> Vec<String> {
    for what in tree.iter().flat_map(|tree| &tree.displaced) {
        if !displaced.contains(what) {
            displaced.push(what.clone());
        }
    }
    displaced
}
