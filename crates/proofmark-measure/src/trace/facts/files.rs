//! Which files a program reads, lists and runs.

mod begin;
mod changes;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libc::{c_int, pid_t};

use super::super::entry::Entry;
use super::super::found::{Before, Change, FileRead, FileState, FileWritten, OnChange};
use super::Pending;
pub(super) use changes::Changing;
use changes::Name;
use names::tells_cores;
pub(super) use names::{mapped_at, opened};

/// A file that is being opened.
#[derive(Clone, Debug)]
pub(in super::super) struct Opening {
    path: PathBuf,
    flags: c_int,
    /// What there was of this name before.
    before: Entry,
}

/// Files, by path.
pub(super) struct Files {
    pub(super) read: BTreeMap<PathBuf, FileRead>,
    pub(super) looked_at: BTreeMap<PathBuf, bool>,
    pub(super) listed: BTreeSet<PathBuf>,
    pub(super) written: BTreeMap<PathBuf, FileWritten>,
    /// Names that were to be made, removed or moved, and were not.
    pub(super) in_vain: BTreeSet<PathBuf>,
    /// Who is told at once when a name is first changed.
    pub(super) writes: Option<OnChange>,
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
            in_vain: BTreeSet::new(),
            writes: None,
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

    /// A program begins in this folder, by the name that it was given.
    pub(in super::super) fn begins_in(&mut self, folder: &Path) {
        self.looked(folder.components().collect(), true);
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
            Pending::Looking(path) => self.looked(path, is_found(result)),
            Pending::Changing(changing) => self.changed_all(changing, result),
            _ => {}
        }
    }

    /// It is known of a name whether it is there.
    fn looked(&mut self, path: PathBuf, found: bool) {
        if found {
            self.touched(&path);
        }
        let room = self.room(self.looked_at.len());
        if let Some(known) = keep(&mut self.looked_at, path, room, &mut self.left_off) {
            *known |= found;
        }
    }

    fn opened(&mut self, opening: Opening, result: i64) {
        let Opening {
            path,
            flags,
            before,
        } = opening;
        let access = flags & libc::O_ACCMODE;
        // A file without a name leaves nothing behind; with O_PATH nothing can be read, unless it
        // is opened again by its descriptor: for a program it counts as asked about, which is
        // watched too, and builds must not hide what they read from us.
        if flags & libc::O_TMPFILE == libc::O_TMPFILE {
            return;
        }
        if flags & libc::O_PATH != 0 && self.first.is_none() {
            self.looked(path, is_found(result));
            return;
        }
        let may_make = flags & libc::O_CREAT != 0;
        let made = may_make && before == Entry::Nothing;
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
            // A folder is gone into, by whatever links lead to it.
            if self.first.is_none() && path.is_dir() {
                self.looked(path.clone(), is_found(result));
            }
        }
        let writes = access != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        if !made && !writes && !may_make {
            return;
        }
        let name = Name {
            change: if made {
                Change::Created
            } else {
                Change::Written
            },
            // It works only where there was none; or what was there is seen to be empty.
            tells: !may_make
                || flags & libc::O_EXCL != 0
                || (access == libc::O_RDWR && flags & libc::O_TRUNC == 0),
            path,
            before,
        };
        if result < 0 {
            self.in_vain(name, may_make, result);
        } else if made || writes {
            let cut = flags & libc::O_TRUNC != 0;
            self.changed(name, cut);
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
