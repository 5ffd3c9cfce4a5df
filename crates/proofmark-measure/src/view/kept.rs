//! Whether a view still shows what was bound in it.
//!
//! The kernel takes a binding away, in every namespace, when the path that it lies on is unlinked
//! or renamed over from anywhere, as each linker does. What lies there then is another program, and
//! a run would start it without a word. A binding that was taken away does not come back, so that
//! it is enough to look after the runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Stat, open, stat, statat};

use super::Binding;

/// What has to lie at which path, as seen from within.
#[derive(Debug)]
pub(super) struct Kept {
    /// The root folder as the view has it: a walk from here crosses the view's mounts, and nobody
    /// has to enter it.
    root: OwnedFd,
    /// Paths relative to the root, each with the device and inode of its file.
    files: Vec<(PathBuf, File)>,
}

/// Device and inode.
type File = (u64, u64);

impl Kept {
    /// What a process that is in the view has to see.
    pub(super) fn of<'a>(
        pid: libc::pid_t,
        bindings: impl Iterator<Item = &'a Binding>,
    ) -> io::Result<Kept> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(format!("/proc/{pid}/root"), flags, Mode::empty())?;
        let file = |binding: &Binding| {
            let at = binding.at.strip_prefix("/").unwrap_or(&binding.at);
            Ok((at.to_owned(), known(&stat(&binding.file)?)))
        };
        Ok(Kept {
            root,
            files: bindings.map(file).collect::<io::Result<_>>()?,
        })
    }

    /// The index of a binding that is no longer there.
    pub(super) fn lost(&self) -> Option<usize> {
        let found = |at: &Path| statat(&self.root, at, AtFlags::empty()).ok();
        self.files
            .iter()
            .position(|(at, file)| found(at).as_ref().map(known) != Some(*file))
    }
}

fn known(about: &Stat) -> File {
    (about.st_dev, about.st_ino)
}
