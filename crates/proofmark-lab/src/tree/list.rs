//! What is in a folder: every name with what it stands for. A copy is made by the same walk, so that
//! it is known of every copy what was copied.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;

use super::like::{Links, like, may_be_copied};
use crate::error::{LabError, of_file};

/// Most entries of a tree, and most bytes: each arm of a block gets a copy.
const MOST: (usize, u64) = (20_000, 512 << 20);

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
        /// A name that it has as well, where it is one file.
        other_name: Option<PathBuf>,
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
                    hash,
                    executable,
                    other_name,
                    ..
                } => {
                    part(if *executable { b"program" } else { b"file" });
                    part(hash.as_str().as_bytes());
                    let other = other_name.iter();
                    other.for_each(|name| part(name.as_os_str().as_bytes()));
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
    /// The first name of each file that has several.
    names: HashMap<(u64, u64), PathBuf>,
    links: Links,
}

impl<'a> Walk<'a> {
    fn new(from: &'a Path, to: Option<&'a Path>) -> Self {
        Walk {
            from,
            to,
            listing: Listing::default(),
            bytes: 0,
            names: HashMap::new(),
            links: Links::default(),
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
        if !about.is_symlink() {
            may_be_copied(&path, &about)?;
        }
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
            self.bytes += about.len();
            self.not_too_much()?;
            let content = fs::read(&path).map_err(of_file("read", &path))?;
            if let Some(copy) = &copy {
                (self.links)
                    .copy(&about, copy, || fs::write(copy, &content))
                    .map_err(of_file("copy a file to", copy))?;
            }
            Entry::File {
                other_name: self.other_name(inside, &about),
                code: content.starts_with(ELF),
                hash: blake3::hash(&content).into(),
                executable: about.permissions().mode() & 0o100 != 0,
            }
        };
        self.listing.0.insert(inside.to_owned(), entry);
        self.not_too_much()
    }

    /// The first name of a file that has several in the folder, of all but the first.
    fn other_name(&mut self, inside: &Path, about: &Metadata) -> Option<PathBuf> {
        if about.nlink() < 2 {
            return None;
        }
        let first = self.names.entry((about.dev(), about.ino()));
        let first = first.or_insert_with(|| inside.to_owned());
        (first != inside).then(|| first.clone())
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
