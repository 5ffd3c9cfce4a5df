//! Which files a program reads, changes, lists and runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libc::{c_int, pid_t};

use super::super::calls::{At, Tells};
use super::super::found::{Before, Change, FileRead, FileState, FileWritten, content};
use super::super::memory;
use super::{Pending, Thread, int};

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

    pub(super) fn begin(
        &mut self,
        thread: Thread,
        tells: Tells,
        args: &[u64; 6],
    ) -> io::Result<Option<Pending>> {
        let opening = |path: Option<PathBuf>, flags| {
            path.map(|path| {
                Pending::Opening(Opening {
                    was_there: path.symlink_metadata().is_ok(),
                    path,
                    flags,
                })
            })
        };
        let begun = match tells {
            Tells::Open(at) => opening(path(thread, at, args)?, int(args[at.path + 1])),
            Tells::OpenHow(at) => {
                // `struct open_how` begins with the flags.
                // SAFETY: a number.
                let flags = unsafe { memory::value::<u64>(thread.pid, args[at.path + 1])? };
                opening(path(thread, at, args)?, flags.map_or(0, int))
            }
            Tells::Creat(at) => {
                let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
                opening(path(thread, at, args)?, flags)
            }
            Tells::Look(at) => path(thread, at, args)?.map(Pending::Looking),
            Tells::Changed(at, change) => {
                path(thread, at, args)?.map(|path| Pending::Changing(vec![(path, change)]))
            }
            Tells::Linked { from, to } => {
                if let Some(path) = path(thread, from, args)? {
                    self.read_by_another_name(path);
                }
                let to = path(thread, to, args)?;
                to.map(|to| Pending::Changing(vec![(to, Change::Created)]))
            }
            Tells::Renamed { from, to } => {
                let both = (path(thread, from, args)?, path(thread, to, args)?);
                let (Some(from), Some(to)) = both else {
                    return Ok(None);
                };
                self.read_by_another_name(from.clone());
                let changes = vec![(from, Change::RenamedFrom), (to, Change::RenamedTo)];
                Some(Pending::Changing(changes))
            }
            Tells::List => {
                if let Some(folder) = opened(thread.pid, int(args[0])) {
                    self.touched(&folder);
                    let room = self.room(self.listed.len());
                    keep_one(&mut self.listed, folder, room, &mut self.left_off);
                }
                None
            }
            Tells::Map => {
                let anonymous = int(args[3]) & libc::MAP_ANONYMOUS != 0;
                if int(args[2]) & libc::PROT_EXEC != 0
                    && !anonymous
                    && let Some(file) = opened(thread.pid, int(args[4]))
                {
                    self.mapped(&file);
                }
                None
            }
            Tells::Become(at) if self.first.is_some() => {
                if let Some(path) = path(thread, at, args)? {
                    self.became_by_name(path);
                }
                None
            }
            _ => None,
        };
        match &begun {
            Some(Pending::Opening(Opening { path, flags, .. })) => {
                let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
                if writes || flags & libc::O_TRUNC != 0 {
                    self.keep_before(path, flags & libc::O_TRUNC != 0);
                }
            }
            Some(Pending::Changing(changes)) => {
                for (path, change) in changes {
                    self.keep_before(path, *change != Change::Written);
                }
            }
            _ => {}
        }
        Ok(self.at_once(begun))
    }

    /// A file of a build gets another name: whoever reads it by that reads what stands there
    /// by this one.
    fn read_by_another_name(&mut self, path: PathBuf) {
        if self.first.is_some() && path.is_file() {
            let opening = Opening {
                path,
                flags: libc::O_RDONLY,
                was_there: true,
            };
            self.opened(opening, 0);
        }
    }

    /// A file is about to be changed. What it holds is kept where that was read, or may be read
    /// after: where not all of it goes.
    fn keep_before(&mut self, path: &Path, all_goes: bool) {
        let was_read = |files: &Files| {
            let read = files.read.get(path);
            read.is_some_and(|file| file.found && !file.own)
        };
        if self.whole.contains(path) || (all_goes && !was_read(self)) {
            return;
        }
        let Ok(place) = path.canonicalize() else {
            return;
        };
        let contents = &mut self.before.contents;
        if !contents.contains_key(&place)
            && let Some(content) = content(&place)
        {
            contents.insert(place, content);
        }
    }

    /// Of a build, what is only looked at or read is told before the call, which then need not stop
    /// a second time: builds open files by the ten thousand.
    fn at_once(&mut self, begun: Option<Pending>) -> Option<Pending> {
        const CHANGES: c_int = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC;
        let begun = begun.map(|pending| match pending {
            // Whether it is a folder is all that is asked, as `cp` asks of where it copies to.
            Pending::Opening(opening)
                if opening.flags & libc::O_DIRECTORY != 0 && !opening.path.is_dir() =>
            {
                Pending::Looking(opening.path)
            }
            other => other,
        });
        let path = match &begun {
            _ if self.first.is_none() => return begun,
            Some(Pending::Looking(path)) => path,
            Some(Pending::Opening(opening)) if opening.flags & CHANGES == libc::O_RDONLY => {
                &opening.path
            }
            _ => return begun,
        };
        // A link to nothing is something to those who ask for the link.
        let looked_at = matches!(begun, Some(Pending::Looking(_)));
        let result = if path.exists() || (looked_at && path.is_symlink()) {
            0
        } else {
            -i64::from(libc::ENOENT)
        };
        if let Some(pending) = begun {
            self.end(pending, result);
        }
        None
    }

    /// A program is started by this name, or tried to be: as one looks for it in the folders of
    /// `PATH`.
    fn became_by_name(&mut self, path: PathBuf) {
        if path.is_file() {
            self.mapped(&path);
        } else {
            self.looked_at.entry(path).or_insert(false);
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

/// The path that a call names. `None` where it names a descriptor alone, or nothing that can be
/// read.
fn path(thread: Thread, at: At, args: &[u64; 6]) -> io::Result<Option<PathBuf>> {
    let Some(text) = memory::path(thread.pid, args[at.path])? else {
        return Ok(None);
    };
    Ok(absolute(
        thread.pid,
        at.folder.map(|folder| int(args[folder])),
        text,
    ))
}

/// Without `.` and doubled slashes; `..` stays, because what it means depends on links.
fn absolute(pid: pid_t, folder: Option<c_int>, text: OsString) -> Option<PathBuf> {
    if text.is_empty() {
        return None;
    }
    let named = PathBuf::from(text);
    let whole = if named.is_absolute() {
        named
    } else {
        let folder = match folder {
            None | Some(libc::AT_FDCWD) => std::fs::read_link(format!("/proc/{pid}/cwd")).ok(),
            Some(folder) => opened(pid, folder),
        };
        folder?.join(named)
    };
    Some(whole.components().collect())
}

/// What a descriptor is open on.
fn opened(pid: pid_t, descriptor: c_int) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok()
}

/// Whether a file tells how many cores there are, or how much of them may be used.
fn tells_cores(path: &Path) -> bool {
    const QUOTAS: [&str; 5] = [
        "cpu.max",
        "cpu.cfs_quota_us",
        "cpuset.cpus",
        "cpuset.cpus.effective",
        "cpuset.effective_cpus",
    ];
    let systems = ["/sys/devices/system/cpu", "/sys/devices/system/node"];
    systems.iter().any(|folder| path.starts_with(folder))
        || path == Path::new("/proc/cpuinfo")
        || path == Path::new("/proc/stat")
        || path
            .file_name()
            .is_some_and(|name| QUOTAS.iter().any(|quota| name == *quota))
}
