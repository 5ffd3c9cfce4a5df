//! Whether a view still shows what was bound in it.
//!
//! The kernel takes a binding away, in every namespace, when the path that it lies on is unlinked
//! or renamed over from anywhere, as each linker does. What lies there then is another program, and
//! a run would start it without a word. A binding that was taken away does not come back, so that
//! it is enough to look after the runs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2, stat, statat};
use rustix::io::Errno;

use super::Binding;

/// How often a path is looked at again where the kernel could not tell.
const TRIES: u32 = 100;

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
        let found = |at: &Path| seen(&self.root, at).ok();
        self.files
            .iter()
            .position(|(at, file)| found(at).as_ref().map(known) != Some(*file))
    }
}

/// What is seen at a path below a root folder. Absolute links start from that root, and not from
/// this process's own: what they lead to is what programs in the view find.
fn seen(root: &OwnedFd, at: &Path) -> io::Result<Stat> {
    for _ in 0..TRIES {
        let inside = ResolveFlags::IN_ROOT;
        let file = openat2(
            root,
            at,
            OFlags::PATH | OFlags::CLOEXEC,
            Mode::empty(),
            inside,
        );
        match file {
            Ok(file) => return Ok(fstat(file)?),
            // Something on the machine was renamed meanwhile.
            Err(Errno::AGAIN) => {}
            // Kernels before 5.6, and sandboxes that know no newer call.
            Err(Errno::NOSYS | Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(statat(root, at, AtFlags::empty())?)
}

fn known(about: &Stat) -> File {
    (about.st_dev, about.st_ino)
}
