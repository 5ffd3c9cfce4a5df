//! What is shown of a bundle.

use schemars::JsonSchema;
use serde::Serialize;

/// A bundle that was written, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BundleView {
    /// The file; null where it was only asked what would go into one.
    pub file: Option<String>,
    /// Bytes of the file; null where none was written.
    pub file_bytes: Option<u64>,
    /// The file of its signature; null where it was not signed.
    pub signature: Option<String>,
    /// Bytes of its content, unpacked.
    pub bytes: u64,
    /// BLAKE3 of the content: equal evidence has equal content.
    pub digest: String,
    /// Records in it.
    pub records: u32,
    /// Private parts in it: names of persons, machines and places.
    pub private: u32,
    /// Experiments, matrices and so on, in the order of the file.
    pub chains: Vec<BundledView>,
}

/// A chain of records in a bundle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BundledView {
    /// Its name.
    pub id: String,
    /// `experiment`, `matrix`, `sweep`, `bisection`, `attribution`, `series`
    /// or `explanation`.
    pub sort: &'static str,
    /// It was asked for, and not only referred to.
    pub asked: bool,
    /// Its records.
    pub records: u32,
}

impl BundledView {
    /// A chain as it is shown.
    #[must_use]
    pub fn of(chain: &proofmark_evidence::BundledChain) -> Self {
        BundledView {
            id: chain.id.as_str().to_owned(),
            sort: crate::verification::sort(chain.sort),
            asked: chain.asked,
            records: chain.records,
        }
    }
}
