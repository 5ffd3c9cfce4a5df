//! What a program changes, and what it can tell by that of what was there before.
//!
//! Whether a name can be made, taken away or moved says whether it was there: `mkdir` that works
//! and `mkdir` that fails are two answers.

use std::path::{Path, PathBuf};

use super::super::super::entry::Entry;
use super::super::super::found::Change;
use super::{Files, keep, keep_one};

/// Names that one call changes.
#[derive(Clone, Debug)]
pub(in super::super::super) struct Changing {
    pub(super) names: Vec<Name>,
    /// A name that has to be there for it, and stays.
    from: Option<PathBuf>,
}

/// A name that is being changed.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) path: PathBuf,
    pub(super) change: Change,
    /// What there was before.
    pub(super) before: Entry,
    /// That it works tells what there was.
    pub(super) tells: bool,
}

impl Name {
    fn of(path: PathBuf, change: Change) -> Name {
        Name {
            before: Entry::of(&path),
            path,
            change,
            tells: true,
        }
    }
}

impl Changing {
    pub(super) fn of(path: PathBuf, change: Change) -> Changing {
        Changing {
            names: vec![Name::of(path, change)],
            from: None,
        }
    }

    pub(super) fn linked(from: PathBuf, to: PathBuf) -> Changing {
        Changing {
            names: vec![Name::of(to, Change::Created)],
            from: Some(from),
        }
    }

    /// `replaces` says that it works whether there is something of the new name or not.
    pub(super) fn renamed(from: PathBuf, to: PathBuf, replaces: bool) -> Changing {
        let to = Name {
            tells: !replaces,
            ..Name::of(to, Change::RenamedTo)
        };
        Changing {
            names: vec![Name::of(from, Change::RenamedFrom), to],
            from: None,
        }
    }
}

impl Files {
    /// A call that changes names has ended.
    pub(super) fn changed_all(&mut self, changing: Changing, result: i64) {
        let gone =
            |name: &Name| name.change == Change::RenamedFrom && name.before == Entry::Nothing;
        let mut moves_nothing = changing.names.iter().any(gone);
        if let Some(from) = changing.from {
            let there = Entry::of(&from) != Entry::Nothing;
            moves_nothing |= !there;
            self.looked(from, there);
        }
        for name in changing.names {
            if result >= 0 {
                self.changed(name, false);
            } else if !moves_nothing || gone(&name) {
                let makes = matches!(name.change, Change::Created | Change::RenamedTo);
                self.in_vain(name, makes, result);
            }
        }
    }

    /// A name could not be changed: that tells as much as a look at it, at the folder that it was
    /// to be in, or at what is in a folder that was to go.
    pub(super) fn in_vain(&mut self, name: Name, makes: bool, result: i64) {
        let is = |error: i32| result == -i64::from(error);
        if makes
            && !is(libc::EEXIST)
            && let Some(folder) = name.path.parent()
        {
            self.looked(folder.to_owned(), folder.exists());
        }
        if is(libc::ENOTEMPTY) || (is(libc::EEXIST) && name.change == Change::Removed) {
            self.touched(&name.path);
            let room = self.room(self.listed.len());
            keep_one(
                &mut self.listed,
                name.path.clone(),
                room,
                &mut self.left_off,
            );
        }
        let room = self.room(self.in_vain.len());
        keep_one(
            &mut self.in_vain,
            name.path.clone(),
            room,
            &mut self.left_off,
        );
        self.looked(name.path, name.before != Entry::Nothing);
    }

    /// A name was changed. `cut` says that nothing is left of what the file held.
    pub(super) fn changed(&mut self, name: Name, cut: bool) {
        let Name {
            path,
            change,
            before,
            tells,
        } = name;
        let read = self.read.get(&path);
        let read_before = read.is_some_and(|file| file.found && !file.own);
        let asked = read.is_some() || self.looked_at.contains_key(&path);
        let told = tells || asked || self.is_listed(&path);
        let own = self.whole.contains(&path);
        let anew = cut || matches!(change, Change::Created | Change::RenamedTo);
        if anew {
            self.whole.insert(path.clone());
        }
        if let Some(writes) = &mut self.writes
            && !self.written.contains_key(&path)
        {
            writes(&path);
        }
        let room = self.room(self.written.len());
        if let Some(file) = keep(&mut self.written, path, room, &mut self.left_off) {
            let mut earlier = file.changes.iter();
            // What was done before is what was found then.
            if !own && earlier.all(|change| *change == Change::Written) {
                if file.changes.is_empty() {
                    file.before = before;
                }
                file.told |= told;
            }
            file.changes.insert(change);
            file.read_before |= read_before;
            file.anew |= anew;
        }
    }

    /// Whether a build has listed the folder of a name, which tells whether it was there.
    fn is_listed(&self, path: &Path) -> bool {
        self.first.is_some()
            && !self.listed.is_empty()
            && path
                .parent()
                .and_then(|folder| folder.canonicalize().ok())
                .is_some_and(|folder| self.listed.contains(&folder))
    }
}
