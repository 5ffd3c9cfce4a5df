//! The files that stand behind the text of a bundle: found by their heads, read one at a time, and
//! never held in memory.
//!
//! Each is a frame of zstd inside of a skippable frame (RFC 8878, section 3.1.2): whoever only
//! wants the text, `zstd -dc` for one, passes over them.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;
use tempfile::NamedTempFile;
use zstd::stream::read::Decoder;

use super::manifest::{EnclosedCapture, EnclosedFile, Manifest};
use super::unread::{Unread, WINDOW_LOG};
use crate::error::BundleError;

/// How a skippable frame begins.
pub(crate) const MAGIC: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

/// Bytes of the head of a skippable frame: its beginning, and how many bytes follow.
const HEAD: u64 = 8;

/// The longest file that is read whole: the record of a capture.
const LONGEST: u64 = 64 << 20;

/// The files that stand behind the text of a bundle.
#[derive(Clone, Debug)]
pub struct Enclosures {
    path: PathBuf,
    files: Vec<Held>,
    captures: Vec<EnclosedCapture>,
}

#[derive(Clone, Debug)]
struct Held {
    file: EnclosedFile,
    /// Where in the bundle it stands, packed.
    packed: Range<u64>,
}

impl Enclosures {
    /// Finds the files that a manifest names, in this part of a bundle.
    pub(super) fn found(
        path: &Path,
        part: Range<u64>,
        manifest: &Manifest,
    ) -> Result<Self, BundleError> {
        let found = || -> Result<Vec<Held>, Unread> {
            let mut bundle = File::open(path)?;
            let mut at = part.start;
            let mut files: Vec<Held> = Vec::new();
            for file in &manifest.files {
                if files
                    .last()
                    .is_some_and(|before| before.file.digest >= file.digest)
                {
                    return Err(Unread::Damaged(format!(
                        "file {} is not where its digest comes in the order of the others",
                        file.digest
                    )));
                }
                let lacks = || Unread::Damaged(format!("it has no file {}", file.digest));
                if part.end.saturating_sub(at) < HEAD {
                    return Err(lacks());
                }
                bundle.seek(SeekFrom::Start(at))?;
                let mut head = [0; 8];
                bundle.read_exact(&mut head)?;
                let (magic, length) = head.split_at(4);
                if magic != MAGIC {
                    return Err(lacks());
                }
                let length = length.try_into().map_or(0, u32::from_le_bytes);
                let begin = at + HEAD;
                at = begin + u64::from(length);
                if at > part.end {
                    return Err(lacks());
                }
                files.push(Held {
                    file: file.clone(),
                    packed: begin..at,
                });
            }
            if at != part.end {
                return Err(Unread::Damaged("more follows behind its end".to_owned()));
            }
            Ok(files)
        };
        Ok(Enclosures {
            path: path.to_owned(),
            files: found().map_err(|unread| unread.of(path.to_owned()))?,
            captures: manifest.captures.clone(),
        })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.captures.is_empty()
    }

    /// Each file.
    pub fn files(&self) -> impl Iterator<Item = &EnclosedFile> {
        self.files.iter().map(|held| &held.file)
    }

    /// The captured builds whose files are among them.
    #[must_use]
    pub fn captures(&self) -> &[EnclosedCapture] {
        &self.captures
    }

    /// Whether this file is there.
    #[must_use]
    pub fn holds(&self, digest: &Digest) -> bool {
        self.held(digest).is_some()
    }

    fn held(&self, digest: &Digest) -> Option<&Held> {
        let found = self
            .files
            .binary_search_by(|held| held.file.digest.cmp(digest));
        self.files.get(found.ok()?)
    }

    /// Reads every file, and holds it against its digest and its length.
    ///
    /// # Errors
    ///
    /// One is damaged.
    pub fn check(&self) -> Result<(), BundleError> {
        let mut held = self.files.iter();
        held.try_for_each(|held| self.unpack(held, &mut io::sink()))
    }

    /// A file that is small, whole.
    ///
    /// # Errors
    ///
    /// It is not there, damaged, or too large for this.
    pub fn read(&self, digest: &Digest) -> Result<Vec<u8>, BundleError> {
        let held = self.wanted(digest)?;
        if held.file.bytes > LONGEST {
            return Err(self.damaged(format!(
                "file {digest} has {} bytes, which no record of a capture has",
                held.file.bytes
            )));
        }
        let mut content = Vec::new();
        self.unpack(held, &mut content)?;
        Ok(content)
    }

    /// Writes a file to a place of its own, whole or not at all.
    ///
    /// # Errors
    ///
    /// It is not there, or damaged; the place cannot be written.
    pub fn extract(&self, digest: &Digest, place: &Path) -> Result<(), BundleError> {
        let held = self.wanted(digest)?;
        let unwritten = |error: io::Error| BundleError::Unwritten {
            path: place.to_owned(),
            why: error.to_string(),
        };
        let folder = place.parent().unwrap_or(Path::new("."));
        let mut copy = NamedTempFile::new_in(folder).map_err(unwritten)?;
        self.unpack(held, copy.as_file_mut())?;
        let placed = copy.persist(place);
        placed.map_err(|error| unwritten(error.error))?;
        Ok(())
    }

    fn wanted(&self, digest: &Digest) -> Result<&Held, BundleError> {
        self.held(digest).ok_or_else(|| self.lacks(digest))
    }

    /// The error where a file is not there that something in the bundle needs.
    #[must_use]
    pub fn lacks(&self, digest: &Digest) -> BundleError {
        self.damaged(format!("it has no file {digest}"))
    }

    pub(crate) fn damaged(&self, what: String) -> BundleError {
        BundleError::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    fn unpack(&self, held: &Held, into: &mut dyn Write) -> Result<(), BundleError> {
        let EnclosedFile { digest, bytes } = &held.file;
        let mut unpacked = || -> Result<(), Unread> {
            let mut bundle = File::open(&self.path)?;
            bundle.seek(SeekFrom::Start(held.packed.start))?;
            let packed = bundle.take(held.packed.end - held.packed.start);
            let mut decoder = Decoder::new(packed)?.single_frame();
            decoder.window_log_max(WINDOW_LOG)?;
            let mut hasher = blake3::Hasher::new();
            let mut buffer = vec![0; 1 << 17];
            let mut length = 0_u64;
            loop {
                let read = decoder.read(&mut buffer)?;
                let part = buffer.get(..read).unwrap_or_default();
                length += part.len() as u64;
                if part.is_empty() || length > *bytes {
                    break;
                }
                hasher.update(part);
                into.write_all(part)?;
            }
            let found: Digest = hasher.finalize().into();
            let whole = length == *bytes && decoder.finish().read(&mut [0])? == 0;
            if !whole || found != *digest {
                return Err(Unread::Damaged(format!(
                    "file {digest} is not what its digest says"
                )));
            }
            Ok(())
        };
        unpacked().map_err(|unread| unread.of(self.path.clone()))
    }
}
