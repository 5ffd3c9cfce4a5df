//! Files kept by the hash of their content: `objects/ab/cdef…`, each one once, read-only.
//!
//! A build's files are cloned where the file system can (reflink) and copied where it cannot. They
//! are never hard links: `cp`, `ar` (for files with more than one link) and some linkers overwrite
//! in place, and would change the stored copy with it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use proofmark_terms::Digest;
use rustix::fs::{AtFlags, CWD, Mode as Bits, OFlags, openat, unlinkat};
use tempfile::NamedTempFile;

use crate::stamp::Stamp;

/// A folder of content-addressed files.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    root: PathBuf,
}

/// Whether a stored file will be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Data,
    Program,
}

impl Mode {
    fn bits(self) -> u32 {
        match self {
            Mode::Data => 0o444,
            Mode::Program => 0o555,
        }
    }
}

impl Objects {
    pub(crate) fn new(root: PathBuf) -> Objects {
        Objects { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the file with this hash lies, or would lie.
    pub(crate) fn path(&self, hash: &Digest) -> PathBuf {
        let (folder, rest) = hash.split_at_checked(2).unwrap_or(("", hash));
        self.root.join(folder).join(rest)
    }

    /// The hash that a path made by [`Objects::path`] stands for.
    pub(crate) fn hash_of(path: &Path) -> Option<Digest> {
        let rest = path.file_name()?.to_str()?;
        let folder = path.parent()?.file_name()?.to_str()?;
        format!("{folder}{rest}").try_into().ok()
    }

    pub(crate) fn contains(&self, hash: &Digest) -> bool {
        self.path(hash).is_file()
    }

    /// Whether the file with this hash is there with its content: a damaged one is stored again
    /// rather than relied on.
    fn holds(&self, hash: &Digest, length: u64) -> bool {
        let file = self.path(hash);
        // The length says it without reading where the end is lost.
        fs::metadata(&file).is_ok_and(|there| there.is_file() && there.len() == length)
            && hash_file(&file).is_ok_and(|there| there == *hash)
    }

    /// Stores a copy of `file`, unless this folder or one of `elsewhere` has its content already.
    /// Returns the hash of what was stored.
    pub(crate) fn keep(
        &self,
        file: &Path,
        mode: Mode,
        elsewhere: &[&Objects],
    ) -> io::Result<Digest> {
        let known = hash_file(file)?;
        let length = fs::metadata(file)?.len();
        if self.holds(&known, length) || elsewhere.iter().any(|other| other.holds(&known, length)) {
            return Ok(known);
        }
        fs::create_dir_all(&self.root)?;
        let copy = NamedTempFile::new_in(&self.root)?;
        // The file may change between the two readings: what counts is what was copied.
        let hash = clone_or_copy(file, &copy)?;
        self.publish(copy, &hash, mode)?;
        Ok(hash)
    }

    /// Stores these bytes; returns their hash.
    pub(crate) fn put(&self, content: &[u8], mode: Mode) -> io::Result<Digest> {
        let hash = hash_bytes(content);
        if self.holds(&hash, content.len() as u64) {
            return Ok(hash);
        }
        fs::create_dir_all(&self.root)?;
        let mut copy = NamedTempFile::new_in(&self.root)?;
        copy.write_all(content)?;
        self.publish(copy, &hash, mode)?;
        Ok(hash)
    }

    fn publish(&self, copy: NamedTempFile, hash: &Digest, mode: Mode) -> io::Result<()> {
        let place = self.path(hash);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        copy.as_file()
            .set_permissions(fs::Permissions::from_mode(mode.bits()))?;
        copy.persist(&place).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Moves a file of another folder on the same file system to this one, unless it is here only.
    /// What is there is the whole file: it replaces one that was damaged.
    pub(crate) fn adopt(&self, from: &Objects, hash: &Digest) -> io::Result<()> {
        let place = self.path(hash);
        if place.is_file() && !from.contains(hash) {
            return Ok(());
        }
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::rename(from.path(hash), place)
    }

    /// Makes a stored file executable.
    pub(crate) fn make_program(&self, hash: &Digest) -> io::Result<()> {
        fs::set_permissions(
            self.path(hash),
            fs::Permissions::from_mode(Mode::Program.bits()),
        )
    }

    /// Every stored hash with its size in bytes. What lies behind a link in the folder is none.
    pub(crate) fn all(&self) -> io::Result<Vec<(Digest, u64)>> {
        let mut found = Vec::new();
        let folders = match fs::read_dir(&self.root) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(found),
            other => other?,
        };
        for folder in folders {
            let folder = folder?;
            if !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                let file = file?;
                let about = file.metadata()?;
                if let Some(hash) = Objects::hash_of(&file.path()).filter(|_| about.is_file()) {
                    found.push((hash, about.len()));
                }
            }
        }
        Ok(found)
    }

    /// Removes a stored file, and never one that lies behind a link in the folder.
    pub(crate) fn remove(&self, hash: &Digest) -> io::Result<()> {
        let (folder, rest) = hash.split_at_checked(2).unwrap_or(("", hash));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, &self.root, flags, Bits::empty())?;
        let folder = openat(&root, folder, flags | OFlags::NOFOLLOW, Bits::empty())?;
        Ok(unlinkat(&folder, rest, AtFlags::empty())?)
    }
}

/// BLAKE3 of a file's content, in hexadecimal.
///
/// # Errors
/// When it cannot be read.
pub fn hash_file(file: &Path) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(file)?)?;
    Ok(hasher.finalize().into())
}

/// The same of whatever has a name: of a link it is where that leads, and of a folder that it is
/// one.
///
/// # Errors
/// When there is nothing of that name, or it cannot be read.
pub fn hash_entry(name: &Path) -> io::Result<Digest> {
    let kind = fs::symlink_metadata(name)?.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(name)?;
        Ok(hash_bytes(
            &[b"link to ", target.as_os_str().as_bytes()].concat(),
        ))
    } else if kind.is_dir() {
        Ok(hash_bytes(b"folder"))
    } else {
        hash_file(name)
    }
}

/// The same, of a file that is read once as long as its inode stays as it was: for compilers and
/// their libraries, hundreds of megabytes that each of many builds asks about.
///
/// # Errors
/// When it cannot be read.
pub fn hash_file_once(file: &Path) -> io::Result<Digest> {
    static KNOWN: LazyLock<Mutex<HashMap<Stamp, Digest>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let stamp = Stamp::of(file)?;
    if let Some(hash) = known().get(&stamp) {
        return Ok(hash.clone());
    }
    let settled = stamp.settled();
    let hash = hash_file(file)?;
    if settled && Stamp::of(file)? == stamp {
        known().insert(stamp, hash.clone());
    }
    Ok(hash)
}

/// BLAKE3 of bytes, in hexadecimal.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> Digest {
    blake3::hash(bytes).into()
}

fn clone_or_copy(file: &Path, copy: &NamedTempFile) -> io::Result<Digest> {
    let source = File::open(file)?;
    if reflink_copy::reflink_file(&source, copy.as_file()).is_ok() {
        return hash_file(copy.path());
    }
    let mut to = copy.as_file();
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut from = source;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(again) if again.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let part = buffer.get(..read).unwrap_or_default();
        hasher.update(part);
        to.write_all(part)?;
    }
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_changed_is_read_again_whatever_its_time_and_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cc1");
        fs::write(&path, "one").unwrap();
        let settles = || std::thread::sleep(std::time::Duration::from_millis(120));
        settles();
        let one = hash_file_once(&path).unwrap();
        assert_eq!(hash_file_once(&path).unwrap(), one);
        let file = File::options().write(true).open(&path).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        file.set_modified(modified).unwrap();
        assert_eq!(hash_file_once(&path).unwrap(), hash_bytes(b"two"));
    }

    /// Also where the damage left the length as it was, as a broken disk does.
    #[test]
    fn a_damaged_file_is_stored_again() {
        let folder = tempfile::tempdir().unwrap();
        let [stored, staged] =
            ["stored", "staged"].map(|name| Objects::new(folder.path().join(name)));
        let file = folder.path().join("file");
        fs::write(&file, "content").unwrap();
        let hash = stored.keep(&file, Mode::Data, &[]).unwrap();
        for damage in ["Content", "cont", "contents"] {
            fs::remove_file(stored.path(&hash)).unwrap();
            fs::write(stored.path(&hash), damage).unwrap();
            // As a capture does: beside what is stored, then in its place.
            assert_eq!(staged.keep(&file, Mode::Data, &[&stored]).unwrap(), hash);
            assert!(staged.contains(&hash), "{damage}");
            stored.adopt(&staged, &hash).unwrap();
            assert_eq!(
                fs::read(stored.path(&hash)).unwrap(),
                b"content",
                "{damage}"
            );
            fs::remove_file(stored.path(&hash)).unwrap();
            fs::write(stored.path(&hash), damage).unwrap();
            assert_eq!(stored.put(b"content", Mode::Data).unwrap(), hash);
            assert_eq!(
                fs::read(stored.path(&hash)).unwrap(),
                b"content",
                "{damage}"
            );
        }
        // What is whole is not stored twice.
        staged.keep(&file, Mode::Data, &[&stored]).unwrap();
        assert!(!staged.contains(&hash));
    }
}
