//! Former values put back.

use crate::change::{Back, Change, Failed};
use crate::error::TuneError;
use crate::journal::Journal;
use crate::tree::Tree;

/// What came of putting former values back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// As before.
    pub restored: Vec<Change>,
    /// Somebody else gave them another value meanwhile, which they keep; each with that value.
    pub left: Vec<(Change, String)>,
    /// What they were settings of is no longer there.
    pub gone: Vec<Change>,
    /// They could not be put back. They stay in the journal.
    pub failed: Vec<Failed>,
}

/// Puts back what a journal says, and then removes it. What fails stays in the journal, so that it
/// can be tried again.
pub(crate) fn undo(tree: &dyn Tree, owner: u32, mut journal: Journal) -> Result<Undone, TuneError> {
    let mut undone = Undone::default();
    let mut open: Vec<Change> = journal.changes.clone();
    // The last first. What the kernel refuses is tried again after all others: under the governor
    // `performance` it takes no other energy preference.
    loop {
        let before = open.len();
        let mut failed = Vec::new();
        for change in open.into_iter().rev() {
            match change.take_back(tree) {
                Ok(Back::AsBefore) => undone.restored.push(change),
                Ok(Back::Theirs(now)) => undone.left.push((change, now)),
                // A core that is switched on by another change brings it back.
                Ok(Back::Gone) => failed.push((change, None)),
                Err(why) => failed.push((change, Some(why))),
            }
        }
        failed.reverse();
        if failed.is_empty() || failed.len() == before {
            for (change, why) in failed {
                match why {
                    None => undone.gone.push(change),
                    Some(why) => undone.failed.push(Failed { change, why }),
                }
            }
            break;
        }
        open = failed.into_iter().map(|(change, _)| change).collect();
    }
    if undone.failed.is_empty() {
        Journal::forget(tree)?;
    } else {
        let failed = undone.failed.iter();
        journal.changes = failed.map(|failed| failed.change.clone()).collect();
        journal.keep(tree, owner)?;
    }
    Ok(undone)
}
