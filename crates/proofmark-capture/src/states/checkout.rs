//! A clean copy of one state of a repository, outside of it, in which a build finds what it would
//! find in a fresh clone.
//!
//! A work tree *inside* the repository would not do: cargo and others read the configuration of
//! every folder above, and so the files that lie in the user's own work tree now. The copy has a
//! `.git` of its own, which builds may ask; it borrows the objects and has the refs, so that
//! `git describe` answers as it does in the repository. That of a Mercurial repository has an `.hg`
//! of its own. Nothing of the user's is run to make it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::above::Above;
use super::error::RevisionError;
use super::{Repository, State};

/// A clean copy; removed when it is dropped.
#[derive(Debug)]
pub struct Checkout {
    /// Everything that was made.
    root: PathBuf,
    /// The copy of the work tree's topmost folder.
    folder: PathBuf,
    /// Ends with the process: nobody else's command takes the copy away while a build is in it.
    _lock: File,
}

impl Checkout {
    /// Writes a copy of a state. Every state of a repository is written to the same place, one
    /// after the other: the path ends up in the code (assertions, debug information), and two paths
    /// would make every build differ.
    ///
    /// # Errors
    /// When another process uses that place; when something that belongs to the state is not in
    /// this clone, or would be written by a program of the user's; when a file cannot be written.
    pub fn make(
        repository: &Repository,
        state: &State,
        above: &Above,
    ) -> Result<Checkout, RevisionError> {
        let root = above.root().to_owned();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| RevisionError::file("write", &path, source)
        };
        let beside = root.with_extension("lock");
        fs::create_dir_all(beside.parent().unwrap_or(&root)).map_err(failed(&beside))?;
        let checkout = Checkout {
            folder: above.copy_of(repository.top()),
            _lock: lock(&beside)?,
            root,
        };
        // One may be left from a command that was killed.
        checkout.remove().map_err(failed(&checkout.root))?;
        fs::create_dir_all(&checkout.folder).map_err(failed(&checkout.folder))?;
        above.reproduce()?;
        repository.write(state, &checkout.folder)?;
        Ok(checkout)
    }

    /// The copy of the repository's topmost folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of all that was made: the copy, and configuration above it.
    #[must_use]
    pub fn whole(&self) -> &Path {
        &self.root
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.root) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(_) => {
                // Builds make folders that are read-only, Go's cache of modules for one.
                for entry in walkdir::WalkDir::new(&self.root) {
                    let Ok(entry) = entry else { continue };
                    if entry.file_type().is_dir() {
                        let _ =
                            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700));
                    }
                }
                fs::remove_dir_all(&self.root)
            }
            done => done,
        }
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

/// Takes the right to write copies of a repository.
fn lock(path: &Path) -> Result<File, RevisionError> {
    let failed = |source| RevisionError::file("lock", path, source);
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(RevisionError::Busy {
            path: path.to_owned(),
        }),
        Err(errno) => Err(failed(errno.into())),
    }
}
