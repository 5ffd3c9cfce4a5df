//! A section that is loaded when the program runs.

use std::ops::Range;

/// Where a section's bytes are.
#[derive(Debug, Clone)]
pub(crate) enum Contents {
    /// In the file, at these offsets.
    File(Range<usize>),
    /// Here: an object file's section with its relocations carried out.
    Owned(Vec<u8>),
    /// Nowhere: all zeros when loaded.
    Zeros,
}

/// A section that is loaded when the program runs.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) contents: Contents,
    pub(crate) executable: bool,
    pub(crate) writable: bool,
    /// Whether it holds nothing but stubs to other images (`.plt` and its kin).
    pub(crate) stubs: bool,
}
