//! How a captured build is written down: a record among the stored files, and a name for it.
//!
//! The record names every file that the build needs by its digest and says nowhere where on this
//! machine the copies lie. So a build is its record's digest and the files that the record names,
//! and these can be taken anywhere.

use std::io;
use std::path::PathBuf;

use proofmark_terms::{Digest, NotADigest, canonical};
use serde::{Deserialize, Serialize};

use super::files::blobs;
use crate::captured::{Capture, CapturedLink};
use crate::objects::{Objects, hash_bytes};

/// The format that this version writes, and the only one that it reads: those before have no times
/// of the files that belong to a build.
pub(super) const FORMAT: u32 = 3;

/// What stands in `builds/NAME.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) format: u32,
    /// BLAKE3 of the capture's record, in hexadecimal.
    pub(super) capture: Digest,
    pub(super) keep: Keep,
}

/// How long a captured build is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Until somebody removes it: a user gave it its name.
    #[default]
    ByName,
    /// As long as it is young or something refers to it: it can be made again.
    WhileUsed,
}

/// The record of a capture, in the canonical form.
///
/// # Errors
/// A file that it needs is not a stored one; a number has no canonical form.
pub(super) fn record(capture: &Capture) -> io::Result<String> {
    let mut capture = capture.clone();
    for blob in links(&mut capture).flat_map(blobs) {
        let digest = Objects::hash_of(blob).ok_or_else(|| {
            let blob = blob.display();
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{blob} is no stored file"),
            )
        })?;
        *blob = PathBuf::from(digest.as_str());
    }
    Ok(canonical::text(&capture)?)
}

/// The capture that a record describes, its files in this store.
///
/// # Errors
/// In words, what is wrong with the record.
pub(super) fn capture(
    digest: &Digest,
    record: &[u8],
    objects: &Objects,
) -> Result<Capture, String> {
    let found = hash_bytes(record);
    if found != *digest {
        return Err(format!("its record hashes to {found}, not to {digest}"));
    }
    let mut capture: Capture = serde_json::from_slice(record).map_err(|error| error.to_string())?;
    for blob in links(&mut capture).flat_map(blobs) {
        let digest: Digest = (blob.to_string_lossy().into_owned().try_into())
            .map_err(|error: NotADigest| error.to_string())?;
        *blob = objects.path(&digest);
    }
    Ok(capture)
}

fn links(capture: &mut Capture) -> impl Iterator<Item = &mut CapturedLink> {
    capture
        .links
        .iter_mut()
        .chain(capture.repeats.iter_mut().flatten())
}
