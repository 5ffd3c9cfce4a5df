//! What is in a folder: every name with what it stands for. A copy is made by the same walk, so that
//! it is known of every copy what was copied.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;

use crate::error::{LabError, of_file};

/// Most entries of a tree, and most bytes: each arm of a block gets a copy.
const MOST: (usize, u64) = (20_000, 512 << 20);

/// Runs as the file's owner or group.
const SET_ID: u32 = 0o6000;

/// How files of machine code begin.
const ELF: &[u8] = b"\x7fELF";

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A folder.
    Folder,
    /// A file.
    File {
        /// Of its content.
        hash: Digest,
        /// Whether its owner may execute it.
        executable: bool,
        /// Whether it is machine code.
        code: bool,
    },
    /// A symbolic link, and where it leads.
    Link(PathBuf),
}

/// Everything in a folder, by its path within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listing(pub(super) BTreeMap<PathBuf, Entry>);

impl Listing {
    /// How many files and links.
    pub(super) fn files(&self) -> usize {
        let entries = self.0.values();
        entries.filter(|entry| **entry != Entry::Folder).count()
    }

    /// Of all of it.
    pub(super) fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        // Each part behind its length, so that no two listings are the same bytes.
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for (path, entry) in &self.0 {
            part(path.as_os_str().as_bytes());
            match entry {
                Entry::Folder => part(b"folder"),
                Entry::File {
                    hash, executable, ..
                } => {
                    part(if *executable { b"program" } else { b"file" });
                    part(hash.as_str().as_bytes());
                }
                Entry::Link(target) => {
                    part(b"link");
                    part(target.as_os_str().as_bytes());
                }
            }
        }
        hasher.finalize().into()
    }
}

/// What is in a folder, which must not hold `own`.
pub(super) fn listed(folder: &Path, own: &Path) -> Result<Listing, LabError> {
    let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    if own.starts_with(folder) {
        return Err(LabError::Refused(format!(
            "proofmark's own folder {} lies in the tree {}, and changes with each block\n  next: keep it elsewhere with --store DIR",
            own.display(),
            folder.display()
        )));
    }
    Walk::new(folder, None).all()
}

/// Copies a folder, with its permissions and times, and says what was copied.
pub(super) fn copied(folder: &Path, to: &Path) -> Result<Listing, LabError> {
    fs::create_dir_all(to).map_err(of_file("make", to))?;
    Walk::new(folder, Some(to)).all()
}

/// A walk through a folder.
struct Walk<'a> {
    from: &'a Path,
    to: Option<&'a Path>,
    listing: Listing,
    bytes: u64,
}

impl<'a> Walk<'a> {
    fn new(from: &'a Path, to: Option<&'a Path>) -> Self {
        Walk {
            from,
            to,
            listing: Listing::default(),
            bytes: 0,
        }
    }

    fn all(mut self) -> Result<Listing, LabError> {
        self.folder(Path::new(""))?;
        Ok(self.listing)
    }

    fn folder(&mut self, inside: &Path) -> Result<(), LabError> {
        let folder = self.from.join(inside);
        for entry in fs::read_dir(&folder).map_err(of_file("list", &folder))? {
            let entry = entry.map_err(of_file("list", &folder))?;
            self.entry(&inside.join(entry.file_name()))?;
        }
        Ok(())
    }

    fn entry(&mut self, inside: &Path) -> Result<(), LabError> {
        let path = self.from.join(inside);
        let about = path.symlink_metadata().map_err(of_file("look at", &path))?;
        let copy = self.to.map(|to| to.join(inside));
        let entry = if about.is_dir() {
            if let Some(copy) = &copy {
                fs::create_dir(copy).map_err(of_file("make", copy))?;
            }
            self.folder(inside)?;
            if let Some(copy) = &copy {
                like(copy, &about, OWN).map_err(of_file("make", copy))?;
            }
            Entry::Folder
        } else if about.is_symlink() {
            let target = fs::read_link(&path).map_err(of_file("read", &path))?;
            if let Some(copy) = &copy {
                symlink(&target, copy).map_err(of_file("copy a link to", copy))?;
            }
            Entry::Link(target)
        } else {
            may_be_copied(&path, &about)?;
            self.bytes += about.len();
            self.not_too_much()?;
            let content = fs::read(&path).map_err(of_file("read", &path))?;
            if let Some(copy) = &copy {
                fs::write(copy, &content)
                    .and_then(|()| like(copy, &about, 0))
                    .map_err(of_file("copy a file to", copy))?;
            }
            Entry::File {
                code: content.starts_with(ELF),
                hash: blake3::hash(&content).into(),
                executable: about.permissions().mode() & 0o100 != 0,
            }
        };
        self.listing.0.insert(inside.to_owned(), entry);
        self.not_too_much()
    }

    fn not_too_much(&self) -> Result<(), LabError> {
        if self.listing.0.len() <= MOST.0 && self.bytes <= MOST.1 {
            return Ok(());
        }
        Err(LabError::Refused(format!(
            "each block copies the tree {}, and that has more than {} files and folders or {} MiB\n  next: name a smaller folder, of the files that differ",
            self.from.display(),
            MOST.0,
            MOST.1 >> 20
        )))
    }
}

/// What the owner may do with each folder of a copy, so that it can be removed.
const OWN: u32 = 0o700;

/// Gives a copy the permissions and times of its original, and these rights besides.
fn like(copy: &Path, original: &Metadata, rights: u32) -> io::Result<()> {
    let times = FileTimes::new()
        .set_accessed(original.accessed()?)
        .set_modified(original.modified()?);
    File::open(copy)?.set_times(times)?;
    let mode = original.permissions().mode() | rights;
    fs::set_permissions(copy, Permissions::from_mode(mode))
}

/// What cannot be copied, or would do something else as a copy.
fn may_be_copied(path: &Path, about: &Metadata) -> Result<(), LabError> {
    let refused = |what: &str| {
        Err(LabError::Refused(format!(
            "{} {what}\n  next: take it out of the folder, or name a smaller one",
            path.display()
        )))
    };
    let kind = about.file_type();
    if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() {
        return refused("is a pipe, a socket or a device, which no copy of a tree can have");
    }
    if about.permissions().mode() & SET_ID != 0 {
        return refused("runs with the rights of its owner or group, which no copy of it has");
    }
    Ok(())
}
