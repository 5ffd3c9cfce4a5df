//! The address space of an image: what lies at each address once it is loaded.
//!
//! It is all that decoding code needs to know of a file.

mod bytes;
mod places;
mod pointers;
mod section;

use std::sync::Arc;

pub(crate) use bytes::{Bytes, Stretch};
pub(crate) use places::{Few, Marks, Places};
pub(crate) use pointers::Pointers;
pub(crate) use section::{Contents, Nearby, Section, index_at};

use crate::arch::Arch;
use crate::kind::Kind;

/// What lies at each address of an image once it is loaded.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) arch: Arch,
    pub(crate) kind: Kind,
    pub(crate) data: Arc<Bytes>,
    /// Loaded sections, sorted by address.
    pub(crate) sections: Vec<Section>,
    /// Pointers that the dynamic linker writes.
    pub(crate) pointers: Pointers,
    /// Ranges inside code that hold data (AArch64's `$d`), sorted.
    pub(crate) data_in_code: Vec<(u64, u64)>,
    /// Whether it holds code by Go's compiler.
    pub(crate) has_go: bool,
    /// Addresses of functions that never return; none as long as the functions are not known.
    pub(crate) noreturn: Few,
}

impl Space {
    /// Of a file of which the sections alone are known.
    pub(crate) fn of(arch: Arch, kind: Kind, data: Arc<Bytes>, sections: Vec<Section>) -> Space {
        Space {
            arch,
            kind,
            data,
            has_go: sections.iter().any(|s| s.name.ends_with(".gopclntab")),
            sections,
            pointers: Pointers::default(),
            data_in_code: Vec::new(),
            noreturn: Few::default(),
        }
    }

    /// Length of all executable sections, stubs excluded, in bytes.
    pub(crate) fn code_bytes(&self) -> u64 {
        self.sections
            .iter()
            .filter(|s| s.executable && !s.stubs)
            .map(|s| s.size)
            .sum()
    }

    /// Up to `size` bytes at an address, from one section: shorter where the section ends, empty
    /// where there is none.
    pub(crate) fn bytes_at(&self, address: u64, size: u64) -> &[u8] {
        let Some(section) = self.section_at(address) else {
            return &[];
        };
        let bytes = self.section_bytes(section);
        let start = usize::try_from(address - section.address)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let len = usize::try_from(size)
            .unwrap_or(usize::MAX)
            .min(bytes.len() - start);
        &bytes[start..start + len]
    }

    pub(crate) fn section_bytes<'a>(&'a self, section: &'a Section) -> &'a [u8] {
        match &section.contents {
            Contents::File(range) => self.data.get(range.clone()).unwrap_or(&[]),
            Contents::Owned(bytes) => bytes,
            Contents::Zeros => &[],
        }
    }

    pub(crate) fn section_at(&self, address: u64) -> Option<&Section> {
        self.section_index_at(address).map(|i| &self.sections[i])
    }

    pub(crate) fn section_index_at(&self, address: u64) -> Option<usize> {
        index_at(&self.sections, address)
    }

    /// Whether what stands at an address is a function, stub or slot of one that never returns.
    #[inline]
    pub(crate) fn never_returns(&self, address: u64) -> bool {
        self.noreturn.has(address)
    }

    /// The pointer that a slot of eight bytes will hold once loaded.
    pub(crate) fn pointer_at(&self, slot: u64) -> Option<u64> {
        if let Some(value) = self.pointers.at(slot) {
            return Some(value);
        }
        let bytes: [u8; 8] = self.bytes_at(slot, 8).try_into().ok()?;
        Some(u64::from_le_bytes(bytes)).filter(|value| *value != 0)
    }
}
