//! An image: one executable, shared library or object read as sections, functions and links to
//! other images. Nothing here knows of a format.

mod function;
mod link;
mod name;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use function::{Function, Origin};
pub(crate) use function::{Functions, NEAREST, nearest};
pub(crate) use link::{Datum, Link, LinkKind, Links};
pub(crate) use name::{Name, Text};

use crate::address::Address;
use crate::arch::Arch;
use crate::decode::Names;
use crate::kind::{Format, Kind};
use crate::names::demangle;
use crate::space::{Bytes, Section, Space};

/// One executable, shared library or object file.
#[derive(Debug)]
pub struct Image {
    pub(crate) path: PathBuf,
    pub(crate) member: Option<String>,
    pub(crate) format: Format,
    /// Where this image stands in the file's bytes: an archive's member is a part of them.
    pub(crate) extent: Range<usize>,
    /// The separate debug file, where symbols were looked for in it.
    pub(crate) debug: Option<Arc<Bytes>>,
    /// What lies at each address.
    pub(crate) space: Space,
    pub(crate) functions: Functions,
    pub(crate) links: Links,
    /// Sorted by address.
    pub(crate) data_symbols: Vec<Datum>,
    pub(crate) build_id: Vec<u8>,
    pub(crate) producers: Vec<String>,
    /// Whether local symbols are there: then a datum without a name has none in the source either.
    pub(crate) has_local_symbols: bool,
    /// Places in an object's code that are filled with something else than addresses; read when
    /// they are first asked for.
    pub(crate) left_alone: OnceLock<Vec<(u64, u64)>>,
}

impl Image {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The archive's member, where the file is an archive.
    #[must_use]
    pub fn member(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// The instruction set.
    #[must_use]
    pub fn arch(&self) -> Arch {
        self.space.arch
    }

    /// What sort of file it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.space.kind
    }

    /// The file's format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The functions, in order of address.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The build-id, empty where the linker wrote none.
    #[must_use]
    pub fn build_id(&self) -> &[u8] {
        &self.build_id
    }

    /// What the compilers and linkers wrote of themselves (`.comment`).
    #[must_use]
    pub fn producers(&self) -> &[String] {
        &self.producers
    }

    /// Length of all executable sections, stubs excluded, in bytes.
    #[must_use]
    pub fn code_bytes(&self) -> u64 {
        self.space.code_bytes()
    }

    /// The address to show for a place: as linked, or in an object file the offset in its section;
    /// there, 0 for what is elsewhere.
    #[must_use]
    pub fn shown(&self, address: Address) -> Address {
        if self.space.kind != Kind::Object {
            return address;
        }
        if self.link_at(address.get()).is_some() {
            return Address::new(0);
        }
        self.section_at(address.get())
            .map_or(address, |s| Address::new(address.get() - s.address))
    }

    /// The name of the section that a function stands in.
    #[must_use]
    pub fn section_of(&self, function: &Function) -> &str {
        let sections = &self.space.sections;
        sections
            .get(function.section as usize)
            .map_or("", |s| s.name.as_str())
    }

    /// The name of whatever stands at an address: a function, a stub's or slot's import, with an
    /// offset where it is inside.
    #[must_use]
    pub fn name_at(&self, address: Address) -> Option<String> {
        let at = address.get();
        if let Some(link) = self.link_at(at) {
            return Some(demangle(&link.name));
        }
        if let Some(index) = self.function_at(at) {
            let function = &self.functions[index];
            let within = at - function.address;
            return Some(if within == 0 {
                function.name()
            } else {
                format!("{}+{within:#x}", function.name())
            });
        }
        let datum = self.datum_at(at)?;
        let within = at - datum.address;
        let name = demangle(&datum.name);
        Some(if within == 0 {
            name
        } else {
            format!("{name}+{within:#x}")
        })
    }

    /// The code of a function. Empty only where its section holds no bytes.
    pub(crate) fn code(&self, function: &Function) -> &[u8] {
        self.bytes_at(function.address, function.size)
    }

    /// Up to `size` bytes at an address, from one section: shorter where the section ends, empty
    /// where there is none.
    pub(crate) fn bytes_at(&self, address: u64, size: u64) -> &[u8] {
        self.space.bytes_at(address, size)
    }

    pub(crate) fn section_at(&self, address: u64) -> Option<&Section> {
        self.space.section_at(address)
    }

    /// The index of the function that covers an address, as linked.
    #[must_use]
    pub fn function_covering(&self, address: Address) -> Option<usize> {
        self.function_at(address.get())
    }

    /// The function that covers an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<usize> {
        self.functions.at(address)
    }

    /// The stub, slot or undefined function at an address.
    #[inline]
    pub(crate) fn link_at(&self, address: u64) -> Option<&Link> {
        self.links.at(address)
    }

    /// What the link at an address is.
    #[inline]
    pub(crate) fn link_kind_at(&self, address: u64) -> Option<LinkKind> {
        self.links.kind_at(address)
    }

    /// Whether what stands at an address is a function, stub or slot of one that never returns.
    #[inline]
    pub(crate) fn never_returns(&self, address: u64) -> bool {
        self.space.never_returns(address)
    }

    pub(crate) fn datum_at(&self, address: u64) -> Option<&Datum> {
        let after = self.data_symbols.partition_point(|d| d.address <= address);
        self.data_symbols[..after]
            .last()
            .filter(|d| address - d.address < d.size.max(1))
    }

    /// Whether a link leads to what another file must have. An object has a slot for each of its
    /// symbols, its own as well.
    pub(crate) fn is_outward(&self, link: &Link) -> bool {
        let own = link.kind == LinkKind::Slot && self.space.kind == Kind::Object;
        !own && self.own_function(link).is_none()
    }

    /// The function of this image that a link leads to, where the dynamic linker is not given
    /// another of the name.
    pub(crate) fn own_function(&self, link: &Link) -> Option<usize> {
        self.function_at(self.space.pointers.at(link.slot)?)
    }

    /// The pointer that a slot of eight bytes will hold once loaded.
    pub(crate) fn pointer_at(&self, slot: u64) -> Option<u64> {
        self.space.pointer_at(slot)
    }

    /// Two functions are one when one is a piece of the other, or both are of a third.
    pub(crate) fn same_function(&self, a: usize, b: usize) -> bool {
        self.whole(a) == self.whole(b)
    }

    /// The function that a piece belongs to; itself for all others.
    #[must_use]
    pub fn whole(&self, index: usize) -> usize {
        match self.functions.get(index) {
            Some(f) if f.is_piece() => f.parent().unwrap_or(index),
            _ => index,
        }
    }
}

impl Names for Image {
    fn shown(&self, address: Address) -> Address {
        Image::shown(self, address)
    }

    fn name_at(&self, address: Address) -> Option<String> {
        Image::name_at(self, address)
    }
}
