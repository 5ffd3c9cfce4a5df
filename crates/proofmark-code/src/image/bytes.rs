//! The bytes of a file, mapped or owned.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use crate::CodeError;

/// A file's content.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// Mapped from the file: only pages that are looked at take memory.
    Mapped(Mmap),
    /// Held in memory (tests, decompressed members).
    Owned(Vec<u8>),
}

impl Bytes {
    /// Maps a file.
    pub(crate) fn open(path: &Path) -> Result<Bytes, CodeError> {
        let failed = |source| CodeError::Read {
            path: path.to_path_buf(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
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
        // SAFETY: the map is read-only and private to this process; as for every tool that maps its inputs, a file cut short
        // by somebody else meanwhile ends the process with SIGBUS instead of giving wrong answers.
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
