//! What a build wrote outside of its own folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::places::{Places, is_of_a_cache};
use crate::shim::follow::Seen;

/// What a build wrote, by its place.
pub(super) struct Writing {
    /// What it made, removed, or left with another content.
    pub(super) changed: BTreeSet<PathBuf>,
    /// What it opened for writing, and left as it was.
    pub(super) unchanged: BTreeSet<PathBuf>,
    /// What it changed and read as well.
    pub(super) read_again: Vec<PathBuf>,
}

impl Writing {
    /// # Errors
    /// When something was read as it was before, and then changed: the next build of the same finds
    /// something else.
    pub(super) fn of(seen: &Seen, places: &mut Places) -> Result<Writing, String> {
        let mut writing = Writing {
            changed: BTreeSet::new(),
            unchanged: BTreeSet::new(),
            read_again: Vec::new(),
        };
        for written in &seen.written {
            let place = places.settled(Path::new(&written.name));
            if written.read {
                writing.read_again.push(place.clone());
            }
            let of = if written.changed {
                &mut writing.changed
            } else {
                &mut writing.unchanged
            };
            of.insert(place);
        }
        let changed = &writing.changed;
        writing.unchanged.retain(|place| !changed.contains(place));
        for (name, _) in &seen.read {
            let place = places.settled(Path::new(name));
            if changed.contains(&place) && !places.leaves_out(&place) && !is_of_a_cache(&place) {
                return Err(format!(
                    "{} was read and then changed by the build, so that the next build of the same \
                     would read something else\n  next: let builds write into their own folder only",
                    place.display()
                ));
            }
        }
        Ok(writing)
    }
}
