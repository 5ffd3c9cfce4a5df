//! The first line of a bundle: what it is and what it holds.

use proofmark_terms::{CaptureId, Digest};
use serde::{Deserialize, Serialize};

/// What a bundle is and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// `proofmark-bundle`.
    pub format: String,
    /// Of the format; 1 or more.
    pub version: u32,
    /// The version of proofmark that wrote it.
    pub made_by: String,
    /// The names of the chains that were asked for, in the order in which they were begun.
    pub asked: Vec<Digest>,
    /// Chains, with those that the asked ones refer to.
    pub chains: u32,
    /// Lines behind this one that are records.
    pub records: u32,
    /// Lines behind those that are private parts.
    pub private: u32,
    /// BLAKE3 of everything behind this line, as far as it is text.
    pub digest: Digest,
    /// The files that stand behind the text, in this order: by their digests. From version 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<EnclosedFile>,
    /// The captured builds among them, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<EnclosedCapture>,
}

/// A file that a bundle encloses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EnclosedFile {
    /// BLAKE3 of it.
    pub digest: Digest,
    /// Its bytes, unpacked.
    pub bytes: u64,
}

/// A captured build that a bundle encloses: a record, and the files that it names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EnclosedCapture {
    /// As the experiments name it.
    pub id: CaptureId,
    /// The file that is its record.
    pub record: Digest,
}
