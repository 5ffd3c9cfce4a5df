//! What a build wrote outside of its own folder, and found there before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proofmark_measure::trace::{Entry, is_for_temporary_files};
use proofmark_terms::OsText;

use super::places::{Places, is_of_a_cache};
use crate::shim::follow::Seen;

/// What a build found of a name before it changed that, in a word, where it could tell. Not of
/// temporary files, not of caches, and not in a folder that it made.
pub(super) fn found_before(seen: &Seen, places: &mut Places) -> Vec<(OsText, String)> {
    let mut found: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for written in seen.written.iter().filter(|written| written.changed) {
        if let Some(before) = &written.before {
            found.insert(places.settled(Path::new(&written.name)), before);
        }
    }
    let is_new = |place: &Path| found.get(place) == Some(&Entry::Nothing.word());
    let counts = |place: &Path| {
        !places.leaves_out(place)
            && !is_of_a_cache(place)
            && !place.parent().is_some_and(is_for_temporary_files)
            && !place.ancestors().skip(1).any(is_new)
    };
    let found = found.iter().filter(|(place, _)| counts(place));
    let found = found.map(|(place, before)| (OsText::from(place.clone()), (*before).to_owned()));
    found.collect()
}

/// What a build wrote, by its place.
pub(super) struct Writing {
    /// What it made, removed, or left with another content.
    pub(super) changed: BTreeSet<PathBuf>,
    /// What it opened for writing, and left as it was.
    pub(super) unchanged: BTreeSet<PathBuf>,
    /// What it changed and read as well.
    pub(super) read_again: Vec<PathBuf>,
    /// What was there before, as far as it could tell, and is gone.
    pub(super) removed: BTreeSet<PathBuf>,
}

impl Writing {
    /// With a fault, in words, where something was read as it was before, and then changed: the
    /// next build of the same finds something else.
    pub(super) fn of(seen: &Seen, places: &mut Places) -> (Writing, Result<(), String>) {
        let mut writing = Writing {
            changed: BTreeSet::new(),
            unchanged: BTreeSet::new(),
            read_again: Vec::new(),
            removed: BTreeSet::new(),
        };
        for written in &seen.written {
            let place = places.settled(Path::new(&written.name));
            if written.read {
                writing.read_again.push(place.clone());
            }
            let before = written.before.as_deref();
            if before.is_some_and(|before| before != Entry::Nothing.word())
                && Entry::of(&place) == Entry::Nothing
            {
                writing.removed.insert(place.clone());
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
        let added_to = seen.written.iter().filter(|written| written.asked_in_part);
        let read = seen.read.iter().map(|(name, _)| name);
        for name in read.chain(added_to.map(|written| &written.name)) {
            let place = places.settled(Path::new(name));
            if changed.contains(&place) && !places.leaves_out(&place) && !is_of_a_cache(&place) {
                let why = format!(
                    "{} was read and then changed by the build, so that the next build of the same \
                     would read something else\n  next: let builds write into their own folder only",
                    place.display()
                );
                return (writing, Err(why));
            }
        }
        (writing, Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shim::follow::Written;

    #[test]
    fn what_was_found_is_of_names_that_the_next_build_finds() {
        let written = |name: &str, before: Option<&str>| Written {
            name: name.into(),
            changed: true,
            read: false,
            asked_in_part: false,
            before: before.map(str::to_owned),
        };
        let nothing = Some(Entry::Nothing.word());
        let seen = Seen {
            read: Vec::new(),
            asked: Vec::new(),
            absent: Vec::new(),
            listed: Vec::new(),
            written: vec![
                written("/nowhere/mark", nothing),
                written("/nowhere/made", nothing),
                written("/nowhere/made/inner", nothing),
                written("/nowhere/gone", Some(Entry::File.word())),
                written("/nowhere/untold", None),
                // Others have names of their own there, and what is in them is theirs as well.
                written("/tmp/made-up", nothing),
                written("/tmp/made-up/inner", nothing),
                written("/own/object", nothing),
            ],
            in_vain: Vec::new(),
        };
        let own = Path::new("/own");
        let found = found_before(&seen, &mut Places::new(&[own], Path::new("/shim")));
        let names: Vec<&str> = found
            .iter()
            .map(|(name, _)| name.as_ref().to_str().unwrap())
            .collect();
        assert_eq!(names, ["/nowhere/gone", "/nowhere/made", "/nowhere/mark"]);
    }
}
