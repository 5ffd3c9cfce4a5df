//! Who may do what with the captured builds of a project at the same time. All locks are the
//! kernel's (`flock`): they end with their process, however it ends.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::BuildError;

/// The file of the lock of all who use builds, in the `.proofmark` folder.
const IN_USE: &str = "in-use.lock";

/// A lock, given back when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Closing alone would leave it to a child that another thread is just starting, until that
    /// child calls `exec`.
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Lock {
    /// Captures share it; removing a build wants it alone.
    pub(super) fn of_captures(root: &Path, how: FlockOperation) -> Result<Lock, BuildError> {
        take(&root.join("builds.lock"), how)
    }

    /// Shared by every command that works with captured builds, so that what it found stays there
    /// until it ends. None where nothing can be written: whoever may not make the file has to do
    /// without.
    pub(super) fn in_use(root: &Path) -> Result<Option<Lock>, BuildError> {
        let path = root.join(IN_USE);
        match take(&path, FlockOperation::LockShared) {
            Ok(lock) => Ok(Some(lock)),
            Err(BuildError::File { source, .. }) if may_not_write(&source) => {
                let Ok(file) = File::open(&path) else {
                    return Ok(None);
                };
                flock(&file, FlockOperation::LockShared).map_err(failed(&path))?;
                Ok(Some(Lock { file }))
            }
            Err(error) => Err(error),
        }
    }

    /// Held by the one that collects garbage.
    ///
    /// # Errors
    /// [`BuildError::Busy`] when any command works with captured builds.
    pub(super) fn alone(root: &Path) -> Result<Lock, BuildError> {
        take(&root.join(IN_USE), FlockOperation::NonBlockingLockExclusive)
    }
}

fn take(path: &Path, how: FlockOperation) -> Result<Lock, BuildError> {
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .map_err(BuildError::file("open", path))?;
    flock(&file, how).map_err(failed(path))?;
    Ok(Lock { file })
}

fn failed(path: &Path) -> impl FnOnce(Errno) -> BuildError + use<> {
    let path = path.to_owned();
    move |errno| match errno {
        Errno::WOULDBLOCK => BuildError::Busy { path },
        errno => BuildError::File {
            doing: "lock",
            path,
            source: errno.into(),
        },
    }
}

fn may_not_write(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}
