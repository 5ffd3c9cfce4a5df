//! Calls that name files, as they begin: what is about to be opened, looked at or changed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use libc::c_int;

use super::super::super::about::About;
use super::super::super::entry::Entry;
use super::super::super::found::{Change, content};
use super::super::super::memory;
use super::super::super::tells::Tells;
use super::super::{Pending, Thread, int};
use super::changes::{Changing, Name};
use super::names::{opened, path, socket};
use super::{Files, Opening, keep_one};

impl Files {
    pub(in super::super) fn begin(
        &mut self,
        thread: Thread,
        tells: Tells,
        args: &[u64; 6],
    ) -> io::Result<Option<Pending>> {
        let begun = match tells {
            Tells::Open(_) | Tells::OpenHow(_) | Tells::Creat(_) => opening(thread, tells, args)?,
            Tells::Look(at) | Tells::LookCloser(at) => {
                path(thread, at, args)?.map(Pending::Looking)
            }
            Tells::Changed(at, change) => {
                let path = path(thread, at, args)?;
                path.map(|path| Pending::Changing(Changing::of(path, change)))
            }
            Tells::Bind => socket(thread, args[1])?
                .map(|path| Pending::Changing(Changing::of(path, Change::Created))),
            Tells::Connect => socket(thread, args[1])?.map(Pending::Looking),
            Tells::Linked { from, to } => {
                let both = (path(thread, from, args)?, path(thread, to, args)?);
                self.named_anew(both, Changing::linked)
            }
            Tells::Renamed { from, to, flags } => {
                let both = (path(thread, from, args)?, path(thread, to, args)?);
                let flags = flags.map_or(0, |flags| int(args[flags]));
                let replaces = flags & int(libc::RENAME_NOREPLACE.into()) == 0;
                self.named_anew(both, |from, to| Changing::renamed(from, to, replaces))
            }
            Tells::List | Tells::Map | Tells::Become(_) | Tells::About(_) | Tells::AboutOpen => {
                self.uses(thread, tells, args)?;
                None
            }
            _ => None,
        };
        self.keep_all_before(begun.as_ref());
        Ok(self.at_once(begun))
    }

    /// What is told before the call, whatever comes of it.
    fn uses(&mut self, thread: Thread, tells: Tells, args: &[u64; 6]) -> io::Result<()> {
        match tells {
            Tells::List => {
                if let Some(folder) = opened(thread.pid, int(args[0])) {
                    self.touched(&folder);
                    let room = self.room(self.listed.len());
                    keep_one(&mut self.listed, folder, room, &mut self.left_off);
                }
            }
            Tells::Map => {
                let anonymous = int(args[3]) & libc::MAP_ANONYMOUS != 0;
                if int(args[2]) & libc::PROT_EXEC != 0
                    && !anonymous
                    && let Some(file) = opened(thread.pid, int(args[4]))
                {
                    self.mapped(&file);
                }
            }
            Tells::Become(at) => {
                if let Some(path) = path(thread, at, args)? {
                    self.became_by_name(thread, path);
                }
            }
            Tells::About(at) => {
                let named = path(thread, at, args)?;
                let open = || opened(thread.pid, int(args[at.folder?]));
                let named = named.or_else(open);
                let missed = |path: &PathBuf| seen(thread, path).symlink_metadata().is_err();
                if let Some(path) = named.clone().filter(missed) {
                    self.looked(path, false);
                }
                self.keep_about(named);
            }
            Tells::AboutOpen => self.keep_about(opened(thread.pid, int(args[0]))),
            _ => {}
        }
        Ok(())
    }

    /// Keeps what is told of a file that was there before, and that is about to be changed.
    fn keep_about(&mut self, path: Option<PathBuf>) {
        let Some(path) = path.filter(|path| !self.whole.contains(path)) else {
            return;
        };
        let room = self.room(self.before.abouts.len());
        if let Ok(place) = path.canonicalize()
            && !self.whole.contains(&place)
            && !self.before.abouts.contains_key(&place)
            && let Some(about) = About::of(&place)
        {
            if room {
                self.before.abouts.insert(place, about);
            } else {
                self.left_off += 1;
            }
        }
    }

    /// Keeps what the files hold that are about to be changed.
    fn keep_all_before(&mut self, begun: Option<&Pending>) {
        match begun {
            Some(Pending::Opening(Opening { path, flags, .. })) => {
                let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
                if writes || flags & libc::O_TRUNC != 0 {
                    self.keep_before(path, flags & libc::O_TRUNC != 0);
                }
            }
            Some(Pending::Changing(changing)) => {
                for Name { path, change, .. } in &changing.names {
                    self.keep_before(path, *change != Change::Written);
                }
            }
            _ => {}
        }
    }

    /// A file gets another name: whoever reads it by that reads what stands there by this one.
    fn named_anew(
        &mut self,
        (from, to): (Option<PathBuf>, Option<PathBuf>),
        changing: impl Fn(PathBuf, PathBuf) -> Changing,
    ) -> Option<Pending> {
        let (from, to) = (from?, to?);
        if from.is_file() {
            let opening = Opening {
                path: from.clone(),
                flags: libc::O_RDONLY,
                before: Entry::File,
            };
            self.opened(opening, 0);
        }
        Some(Pending::Changing(changing(from, to)))
    }

    /// A file is about to be changed. What it holds is kept where that was read, or asked about by
    /// a program that is measured, or may be read after: where not all of it goes.
    fn keep_before(&mut self, path: &Path, all_goes: bool) {
        let is_known = |files: &Files| {
            let read = files.read.get(path);
            let asked = files.first.is_none() && files.looked_at.get(path) == Some(&true);
            asked || read.is_some_and(|file| file.found && !file.own)
        };
        if self.whole.contains(path) || (all_goes && !is_known(self)) {
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
    /// `PATH`. The kernel maps the files that links lead to, and the interpreter of a script; here
    /// they have the names by which they were found.
    fn became_by_name(&mut self, thread: Thread, path: PathBuf) {
        let mut name = Some(path);
        for _ in 0..MOST_INTERPRETERS {
            let Some(path) = name else { return };
            let file = seen(thread, &path);
            name = interpreter(&file);
            if self.first.is_some() && file.is_file() {
                self.mapped(&path);
            } else {
                self.looked(path, file.exists());
            }
        }
    }
}

/// A file as a process sees it, which may have mounts of its own (proc(5), `/proc/PID/root`).
fn seen(thread: Thread, path: &Path) -> PathBuf {
    let root = PathBuf::from(format!("/proc/{}/root", thread.pid));
    path.strip_prefix("/")
        .map_or_else(|_| path.to_owned(), |path| root.join(path))
}

/// A script, its interpreter, which may be a script, and so on: the kernel goes no further.
const MOST_INTERPRETERS: usize = 5;

/// The program that a script names in its first line (execve(2)): behind `#!` and blanks, up to the
/// next blank. One without a folder in front is found in the current one, and not looked for here.
fn interpreter(script: &Path) -> Option<PathBuf> {
    // The kernel reads no more of it.
    const FIRST: u64 = 256;
    let mut first = Vec::new();
    let file = script.is_file().then(|| File::open(script).ok())?;
    file?.take(FIRST).read_to_end(&mut first).ok()?;
    let line = first
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let name = line.split(blank).find(|word| !word.is_empty())?;
    let name = Path::new(OsStr::from_bytes(name));
    name.is_absolute().then(|| name.to_owned())
}

/// A file that is about to be opened; `None` where no name says which.
fn opening(thread: Thread, tells: Tells, args: &[u64; 6]) -> io::Result<Option<Pending>> {
    let (path, flags) = match tells {
        Tells::Open(at) => (path(thread, at, args)?, int(args[at.path + 1])),
        Tells::OpenHow(at) => {
            let path = path(thread, at, args)?;
            // `struct open_how` begins with the flags.
            // SAFETY: a number.
            let flags = unsafe { memory::value::<u64>(thread.pid, args[at.path + 1])? };
            (path, flags.map_or(0, int))
        }
        Tells::Creat(at) => {
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            (path(thread, at, args)?, flags)
        }
        _ => (None, 0),
    };
    Ok(path.map(|path| {
        Pending::Opening(Opening {
            before: Entry::of(&path),
            path,
            flags,
        })
    }))
}
