//! Which files a program reads, changes, lists and runs.

mod begin;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libc::{c_int, pid_t};

use super::super::found::{Before, Change, FileRead, FileState, FileWritten};
use super::Pending;
use names::tells_cores;

/// A file that is being opened.
#[derive(Clone, Debug)]
pub(in super::super) struct Opening {
    path: PathBuf,
    flags: c_int,
    /// There was something of this name before.
    was_there: bool,
}

/// Files, by path.
pub(super) struct Files {
    pub(super) read: BTreeMap<PathBuf, FileRead>,
    pub(super) looked_at: BTreeMap<PathBuf, bool>,
    pub(super) listed: BTreeSet<PathBuf>,
    pub(super) written: BTreeMap<PathBuf, FileWritten>,
    pub(super) before: Before,
    /// Files of which nothing is left that was there before: made, cut off or replaced.
    whole: BTreeSet<PathBuf>,
    pub(super) code: BTreeSet<PathBuf>,
    pub(super) of_cores: BTreeSet<PathBuf>,
    pub(super) left_off: u64,
    /// What each was when it was first opened, listed or run; kept of builds alone.
    pub(super) first: Option<BTreeMap<PathBuf, FileState>>,
    most: usize,
}

impl Files {
    pub(super) fn new(most: usize) -> Files {
        Files {
            read: BTreeMap::new(),
            looked_at: BTreeMap::new(),
            listed: BTreeSet::new(),
            written: BTreeMap::new(),
            before: Before::default(),
            whole: BTreeSet::new(),
            code: BTreeSet::new(),
            of_cores: BTreeSet::new(),
            left_off: 0,
            first: None,
            most,
        }
    }

    /// A process has become a program: the kernel has mapped it, and its loader.
    pub(super) fn became(&mut self, process: pid_t) {
        let maps = std::fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
        for line in maps.split(|&byte| byte == b'\n') {
            // Addresses, rights, offset, device, inode, then the path behind blanks.
            let executable = line.split(|&byte| byte == b' ').nth(1);
            let path = line
                .iter()
                .position(|&byte| byte == b'/')
                .map(|at| &line[at..]);
            if let (Some([_, _, b'x', _]), Some(path)) = (executable, path) {
                self.mapped(Path::new(std::ffi::OsStr::from_bytes(path)));
            }
        }
    }

    fn touched(&mut self, path: &Path) {
        if let Some(first) = &mut self.first
            && !first.contains_key(path)
            && let Ok(about) = path.metadata()
        {
            first.insert(path.to_owned(), FileState::from(&about));
        }
    }

    pub(super) fn end(&mut self, pending: Pending, result: i64) {
        match pending {
            Pending::Opening(opening) => self.opened(opening, result),
            Pending::Looking(path) => {
                if is_found(result) {
                    self.touched(&path);
                }
                let room = self.room(self.looked_at.len());
                let left_off = &mut self.left_off;
                if let Some(found) = keep(&mut self.looked_at, path, room, left_off) {
                    *found |= is_found(result);
                }
            }
            Pending::Changing(changes) if result >= 0 => {
                for (path, change) in changes {
                    self.changed(path, change);
                }
            }
            _ => {}
        }
    }

    fn opened(&mut self, opening: Opening, result: i64) {
        let Opening {
            path,
            flags,
            was_there,
        } = opening;
        let access = flags & libc::O_ACCMODE;
        // A file without a name leaves nothing behind; with O_PATH nothing can be read, unless it
        // is opened again by its descriptor, which builds must not hide from us.
        let by_path = flags & libc::O_PATH != 0 && self.first.is_none();
        if flags & libc::O_TMPFILE == libc::O_TMPFILE || by_path {
            return;
        }
        let made = flags & libc::O_CREAT != 0 && !was_there;
        if access != libc::O_WRONLY && flags & libc::O_TRUNC == 0 && !made {
            let own = self.whole.contains(&path);
            if is_found(result) {
                self.touched(&path);
                if tells_cores(&path) {
                    self.of_cores.insert(path.clone());
                }
            }
            let room = self.room(self.read.len());
            if let Some(file) = keep(&mut self.read, path.clone(), room, &mut self.left_off) {
                // What was once an input stays one.
                file.own = own && (file.own || !file.found);
                file.found |= is_found(result);
            }
        }
        let writes = access != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        if result >= 0 && (made || writes) {
            let change = if made {
                Change::Created
            } else {
                Change::Written
            };
            if flags & libc::O_TRUNC != 0 {
                self.whole.insert(path.clone());
            }
            self.changed(path, change);
        }
    }

    fn changed(&mut self, path: PathBuf, change: Change) {
        let read_before = self
            .read
            .get(&path)
            .is_some_and(|file| file.found && !file.own);
        let opened_in_vain = self.read.get(&path).is_some_and(|file| !file.found);
        if matches!(change, Change::Created | Change::RenamedTo) {
            self.whole.insert(path.clone());
        }
        let sought_before = opened_in_vain || self.looked_at.get(&path) == Some(&false);
        let room = self.room(self.written.len());
        if let Some(file) = keep(&mut self.written, path, room, &mut self.left_off) {
            file.changes.insert(change);
            file.read_before |= read_before;
            file.sought_before |= sought_before;
        }
    }

    /// Only files: what has no name, or was removed, cannot be looked at again.
    fn mapped(&mut self, path: &Path) {
        let gone = path.as_os_str().as_bytes().ends_with(b" (deleted)");
        if path.is_absolute() && !gone {
            self.touched(path);
            let room = self.room(self.code.len());
            keep_one(&mut self.code, path.to_owned(), room, &mut self.left_off);
        }
    }

    fn room(&self, length: usize) -> bool {
        length < self.most
    }
}

/// The entry of a path, made where there is room for it.
fn keep<'a, T: New>(
    all: &'a mut BTreeMap<PathBuf, T>,
    path: PathBuf,
    room: bool,
    left_off: &mut u64,
) -> Option<&'a mut T> {
    if room || all.contains_key(&path) {
        return Some(all.entry(path).or_insert_with(T::new));
    }
    *left_off += 1;
    None
}

fn keep_one(all: &mut BTreeSet<PathBuf>, path: PathBuf, room: bool, left_off: &mut u64) {
    if room {
        all.insert(path);
    } else if !all.contains(&path) {
        *left_off += 1;
    }
}

/// An entry that says nothing yet.
trait New {
    fn new() -> Self;
}

impl New for bool {
    fn new() -> bool {
        false
    }
}

impl New for FileRead {
    fn new() -> FileRead {
        FileRead {
            found: false,
            own: false,
        }
    }
}

impl New for FileWritten {
    fn new() -> FileWritten {
        FileWritten::default()
    }
}

/// Whether a result says that there is such a file, be it that it may not be touched.
fn is_found(result: i64) -> bool {
    let missing = [libc::ENOENT, libc::ENOTDIR];
    !missing.iter().any(|&error| result == -i64::from(error))
}
