//! What one file holds: a single image, or the members of an archive.

mod archive;

use std::path::Path;
use std::sync::Arc;

use crate::elf;
use crate::error::CodeError;
use crate::image::Image;
use crate::space::Bytes;

/// A file with machine code: one image, or as many as an archive has members.
#[derive(Debug)]
pub struct Program {
    images: Vec<Image>,
    unread: Vec<Unread>,
}

/// A member of an archive that holds code, but none that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The member's name.
    pub member: String,
    /// What it is.
    pub what: &'static str,
}

impl Program {
    /// Reads a file. Most of it is left there until it is asked for: it must not be written over
    /// meanwhile.
    ///
    /// # Errors
    /// [`CodeError::Read`] when the file cannot be opened, [`CodeError::Damaged`] when it is no
    /// executable or a damaged one, [`CodeError::Unsupported`] for a machine or format that is not
    /// read.
    pub fn open(path: &Path) -> Result<Program, CodeError> {
        Program::from_bytes(path, Bytes::open(path)?)
    }

    /// Reads an executable from memory; `path` is only what errors call it.
    ///
    /// # Errors
    /// As [`Program::open`].
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Program, CodeError> {
        if bytes.is_empty() {
            return Err(CodeError::damaged(path, 0, "the file is empty"));
        }
        Program::from_bytes(path, Bytes::Owned(bytes))
    }

    fn from_bytes(path: &Path, bytes: Bytes) -> Result<Program, CodeError> {
        let data = Arc::new(bytes);
        if archive::is_archive(&data) {
            let (images, unread) = archive::read(path, &data)?;
            return Ok(Program { images, unread });
        }
        let all = 0..data.len();
        Ok(Program {
            images: vec![elf::read(path, None, &data, all)?],
            unread: Vec::new(),
        })
    }

    /// The members of an archive whose code is not read: of the functions in them nothing is known.
    #[must_use]
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// The images: one, or an archive's members in their order.
    #[must_use]
    pub fn images(&self) -> &[Image] {
        &self.images
    }
}
