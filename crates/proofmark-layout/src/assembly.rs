//! The text that an object was assembled from, by which it can be assembled again.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use crate::LayoutError;

/// How an object was assembled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assembly {
    /// BLAKE3 of the object, in hexadecimal.
    pub object: Digest,
    /// The stored text, packed by [`pack`].
    #[serde(with = "lossless::one")]
    pub text: PathBuf,
    /// The assembler.
    #[serde(with = "lossless::one")]
    pub assembler: PathBuf,
    /// Its arguments, without the text and the object.
    #[serde(with = "lossless::many")]
    pub arguments: Vec<OsString>,
    /// The folder, absolute, in which the build ran it.
    #[serde(with = "lossless::one")]
    pub cwd: PathBuf,
}

/// Packs a text for the store: gzip, for texts are five to ten times as long as their objects.
///
/// # Errors
/// When the text cannot be read, or the packed one not written.
pub fn pack(text: &Path, packed: &Path) -> std::io::Result<()> {
    let mut from = std::fs::File::open(text)?;
    let mut to = GzEncoder::new(std::fs::File::create(packed)?, Compression::fast());
    std::io::copy(&mut from, &mut to)?;
    to.finish()?.flush()
}

impl Assembly {
    /// The text as the compiler wrote it.
    pub(crate) fn text(&self) -> Result<Vec<u8>, LayoutError> {
        let file =
            std::fs::File::open(&self.text).map_err(LayoutError::file("read", &self.text))?;
        let mut text = Vec::new();
        GzDecoder::new(file)
            .read_to_end(&mut text)
            .map_err(LayoutError::file("unpack", &self.text))?;
        Ok(text)
    }
}
