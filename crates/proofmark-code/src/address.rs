//! The address of an instruction or datum as linked. Not a file offset, and not an address in a
//! running process.

use serde::{Serialize, Serializer};

/// A virtual address as the linker wrote it. In an object file, which has none, proofmark lays the
/// sections out one after the other, so that every place still has one address; what is shown there
/// is the offset in the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(u64);

impl Address {
    /// The address with this value.
    #[must_use]
    pub fn new(value: u64) -> Self {
        Address(value)
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// As `0x…` text: JSON's numbers lose bits above 2⁵³.
impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
