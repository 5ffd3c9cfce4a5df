//! Captured builds on disk: `builds/NAME.json` beside `objects/`, in a project's `.proofmark`
//! folder.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;
use rustix::fs::FlockOperation;

use super::files::hashes;
use super::lock::Lock;
use super::written::{self, FORMAT, Keep, Reference};
use crate::captured::Capture;
use crate::error::BuildError;
use crate::objects::{Mode, Objects};

/// The folder of stored files, in the store.
const OBJECTS: &str = "objects";

/// The captured builds of a project.
#[derive(Debug)]
pub struct Builds {
    pub(super) root: PathBuf,
    pub(super) objects: Objects,
    /// What is found here stays as long as this is held; none for the one that holds all alone, and
    /// where nothing can be written.
    _in_use: Option<Lock>,
}

/// What was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Bytes of stored files that no other build needs.
    pub bytes: u64,
    /// How many files they were.
    pub files: u64,
    /// How many other builds cannot be read; where there is one, nothing is freed.
    pub unreadable: usize,
}

impl Builds {
    /// The builds in a project's `.proofmark` folder, which is made where it does not exist. What
    /// interrupted captures left is removed. As long as this lives no garbage is collected.
    ///
    /// # Errors
    /// When the folder cannot be made or is not readable.
    pub fn open(proofmark_dir: &Path) -> Result<Builds, BuildError> {
        let root = Builds::made(proofmark_dir)?;
        let in_use = Lock::in_use(&root)?;
        let builds = Builds::new(root, in_use);
        builds.sweep_interrupted();
        Ok(builds)
    }

    pub(super) fn new(root: PathBuf, in_use: Option<Lock>) -> Builds {
        Builds {
            objects: Objects::new(root.join(OBJECTS)),
            root,
            _in_use: in_use,
        }
    }

    /// The `.proofmark` folder, made where it does not exist.
    pub(super) fn made(proofmark_dir: &Path) -> Result<PathBuf, BuildError> {
        fs::create_dir_all(proofmark_dir.join("builds"))
            .map_err(BuildError::file("create", proofmark_dir))?;
        let root = proofmark_dir
            .canonicalize()
            .map_err(BuildError::file("open", proofmark_dir))?;
        let ignore = root.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(BuildError::file("write", &ignore))?;
        }
        Ok(root)
    }

    /// The `.proofmark` folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// Where the stored file with this BLAKE3, in hexadecimal, lies, or would lie.
    #[must_use]
    pub fn object(&self, hash: &Digest) -> PathBuf {
        self.objects.path(hash)
    }

    /// Where a stored file lies, relative to the store's folder.
    #[must_use]
    pub fn place_of(hash: &Digest) -> PathBuf {
        Objects::new(OBJECTS.into()).path(hash)
    }

    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Removes a captured build, and the stored files that no other build needs. Where another
    /// build cannot be read, nobody knows what it needs, and no file is removed.
    ///
    /// # Errors
    /// When there is none with this name, another process uses the store, or a file cannot be
    /// removed.
    pub fn remove(&self, name: &str) -> Result<Removed, BuildError> {
        let _lock = self.lock(FlockOperation::NonBlockingLockExclusive)?;
        let file = self.file(name);
        if !file.is_file() {
            return Err(self.no_such(name)?);
        }
        fs::remove_file(&file).map_err(BuildError::file("remove", &file))?;
        self.collect_garbage()
    }

    /// Writes a capture down. Its record and its stored files are on the disk before its name is.
    pub(crate) fn publish(&self, capture: &Capture, keep: Keep) -> Result<(), BuildError> {
        let file = self.file(&capture.name);
        let failed = |source| BuildError::File {
            doing: "write",
            path: file.clone(),
            source,
        };
        let record = written::record(capture).map_err(failed)?;
        let record = self.objects.put(record.as_bytes(), Mode::Data);
        let reference = Reference {
            format: FORMAT,
            capture: record.map_err(failed)?,
            keep,
        };
        let folder = self.names_folder();
        let mut beside = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
        let text = serde_json::to_vec(&reference).map_err(|error| failed(error.into()))?;
        beside.write_all(&text).map_err(failed)?;
        let opened = File::open(&folder).map_err(failed)?;
        rustix::fs::syncfs(&opened).map_err(|error| failed(error.into()))?;
        beside.persist(&file).map_err(|error| failed(error.error))?;
        opened.sync_all().map_err(failed)
    }

    /// Removes stored files that no capture needs, if that can be told.
    pub(crate) fn collect_garbage(&self) -> Result<Removed, BuildError> {
        let mut removed = Removed {
            bytes: 0,
            files: 0,
            unreadable: 0,
        };
        let mut needed: HashSet<Digest> = HashSet::new();
        for entry in self.entries()? {
            match entry {
                Ok(entry) => {
                    needed.extend(hashes(&entry.capture));
                    needed.insert(entry.record);
                }
                Err(_) => removed.unreadable += 1,
            }
        }
        if removed.unreadable > 0 {
            return Ok(removed);
        }
        let all = self
            .objects
            .all()
            .map_err(BuildError::file("read", self.objects.root()))?;
        for (hash, bytes) in all.into_iter().filter(|(hash, _)| !needed.contains(hash)) {
            self.objects
                .remove(&hash)
                .map_err(BuildError::file("remove", &self.objects.path(&hash)))?;
            removed.bytes += bytes;
            removed.files += 1;
        }
        Ok(removed)
    }

    /// Captures share the store; removing wants it alone.
    pub(crate) fn lock(&self, operation: FlockOperation) -> Result<Lock, BuildError> {
        Lock::of_captures(&self.root, operation)
    }

    /// Where captures in progress keep their sessions.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.root.join("capturing")
    }

    /// Sessions whose capture has ended without removing them. While a capture runs it shares the
    /// lock, and nothing is swept.
    fn sweep_interrupted(&self) {
        if self.sessions().exists() && self.lock(FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_dir_all(self.sessions());
        }
    }
}
