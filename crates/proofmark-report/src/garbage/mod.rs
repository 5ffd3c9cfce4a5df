//! Garbage: what goes of a project's store, and what stays.

mod json;
mod terminal;

use proofmark_capture::Sweep;

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::GarbageDocument;

/// What is collected in one go.
#[derive(Clone, Copy, Debug)]
pub struct Collection<'a> {
    /// Builds and their files.
    pub sweep: &'a Sweep,
    /// Images of layouts that go: how many.
    pub images: usize,
    /// Bytes of them.
    pub image_bytes: u64,
    /// Bytes that killed runs have left, which go.
    pub left_bytes: u64,
    /// Bytes of all that stays.
    pub kept_bytes: u64,
    /// Most bytes that may stay; no limit where absent.
    pub most_bytes: Option<u64>,
    /// Nothing was removed: it was asked what would be.
    pub dry_run: bool,
}

impl Collection<'_> {
    /// Bytes of all that goes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sweep.bytes + self.image_bytes + self.left_bytes
    }
}
