//! A block of a sweep: some addresses measured side by side with the anchor.

use proofmark_terms::{AddressIndex, Digest, ImageIndex};
use serde::{Deserialize, Serialize};

use crate::private::parts;
use crate::record::Run;

/// Some addresses measured side by side with the anchor, in fresh copies of their images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepBlock {
    /// From 0, in the order of measurement.
    pub index: u32,
    /// What it is for.
    pub stage: SweepStage,
    /// The addresses, as indices into the sweep's.
    pub addresses: Vec<AddressIndex>,
    /// Of each image: the anchor's first, then in the order of `addresses`.
    pub images: Vec<Digest>,
    /// The rounds, in the order in which they ran.
    pub rounds: Vec<SweepRound>,
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How long it took, in milliseconds, images included.
    pub took_ms: u64,
}

parts!(SweepBlock {
    index: open,
    stage: open,
    addresses: open,
    images: open,
    rounds: open,
    began_ms: open,
    took_ms: open,
});

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepStage {
    /// To find what each address does.
    Map,
    /// To measure the fastest and the slowest address afresh.
    Afresh,
}

/// One run of the anchor and of each address of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepRound {
    /// The images in the order in which they ran, as indices into the block's.
    pub order: Vec<ImageIndex>,
    /// One run for each image, the anchor's first.
    pub runs: Vec<Run>,
}
