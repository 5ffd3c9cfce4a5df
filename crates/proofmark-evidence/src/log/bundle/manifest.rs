//! The first line of a bundle: what it is and what it holds.

use proofmark_terms::Digest;
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
    /// BLAKE3 of everything behind this line.
    pub digest: Digest,
}
