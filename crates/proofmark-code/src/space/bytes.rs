//! The bytes of a file, mapped or owned.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use stable_deref_trait::{CloneStableDeref, StableDeref};

use crate::error::CodeError;

/// A file's content.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// Mapped from the file: only pages that are looked at take memory.
    Mapped(Mmap),
    /// Held in memory (tests, decompressed members).
    Owned(Vec<u8>),
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Owned(Vec::new())
    }
}

impl Bytes {
    /// Maps a file.
    pub(crate) fn open(path: &Path) -> Result<Bytes, CodeError> {
        let failed = |source| CodeError::Read {
            path: path.to_path_buf(),
            source,
        };
        // Before it is opened: to open a pipe is to wait for somebody who writes into it.
        let meta = std::fs::metadata(path).map_err(failed)?;
        if !meta.is_file() {
            let kind = if meta.is_dir() {
                "it is a folder"
            } else {
                "it is not a regular file"
            };
            return Err(failed(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                kind,
            )));
        }
        if meta.len() == 0 {
            return Err(CodeError::damaged(path, 0, "the file is empty"));
        }
        let file = File::open(path).map_err(failed)?;
        // SAFETY: the map is read-only and private to this process; as for every tool that maps its
        // inputs, a file cut short by somebody else meanwhile ends the process with SIGBUS instead
        // of giving wrong answers. One that is written over is read as it is then; whether a name
        // is text is looked at each time.
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        Ok(Bytes::Mapped(map))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// A stretch of a file's content that keeps the whole alive: a section that nobody had to copy.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    data: Arc<Bytes>,
    range: Range<usize>,
}

impl Stretch {
    /// The stretch at a range, `None` where that reaches beyond the end.
    pub(crate) fn of(data: &Arc<Bytes>, range: Range<usize>) -> Option<Stretch> {
        data.get(range.clone())?;
        Some(Stretch {
            data: Arc::clone(data),
            range,
        })
    }

    /// A part of it, `None` where that reaches beyond its end.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Stretch> {
        self.get(range.clone())?;
        Some(Stretch {
            data: Arc::clone(&self.data),
            range: self.range.start + range.start..self.range.start + range.end,
        })
    }

    /// Bytes of its own.
    pub(crate) fn owned(bytes: Vec<u8>) -> Stretch {
        let range = 0..bytes.len();
        Stretch {
            data: Arc::new(Bytes::Owned(bytes)),
            range,
        }
    }
}

impl Deref for Stretch {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.data.get(self.range.clone()).unwrap_or(&[])
    }
}

// SAFETY: the bytes are a map's or a vector's that nobody can change behind the Arc, so that they
// stay where they are when the stretch itself is moved; the range is never changed either.
unsafe impl StableDeref for Stretch {}

// SAFETY: a clone shares the same Arc and has the same range, so it dereferences to the same bytes.
unsafe impl CloneStableDeref for Stretch {}
