//! An image: one executable, shared library or object read as sections, functions and links to
//! other images.
//!
//! Formats have a folder each with the same file names (`elf/` now); what they produce is this one
//! shape, and nothing outside those folders knows of a format.

mod archive;
mod bytes;
pub(crate) mod elf;
mod function;
mod loaded;
mod name;
mod places;
mod pointers;
mod program;
mod section;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

pub(crate) use bytes::{Bytes, Stretch};
pub use function::{Function, Origin};
pub use loaded::{is_library, is_link_input, load_alike, may_load_more};
pub(crate) use name::{Name, Text};
pub(crate) use places::{Few, Marks, Places};
pub(crate) use pointers::Pointers;
pub use program::{Program, Unread};
pub(crate) use section::{Contents, Nearby, Section};

use crate::{Address, Arch};

/// Functions may overlap, and one that covers an address is looked for among so many that begin
/// before it.
pub(crate) const NEAREST: usize = 4;

/// What sort of file an image is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Linked to run at a fixed address.
    Executable,
    /// A shared library, or an executable that can be loaded anywhere.
    Shared,
    /// An object file, not linked yet.
    Object,
}

/// The file format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// ELF.
    Elf,
}

/// A place through which control reaches another image: a stub, or a slot that holds a pointer.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) address: u64,
    pub(crate) name: Name,
    pub(crate) kind: LinkKind,
    /// The slot that a stub jumps through; a slot's own address.
    pub(crate) slot: u64,
    /// Whether the function that it leads to is known by its name never to return.
    pub(crate) never_returns: bool,
}

/// What stands at the address of a [`Link`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkKind {
    /// A stub of code (PLT).
    Stub,
    /// A slot (GOT) that the dynamic linker fills.
    Slot,
    /// An undefined function of an object file, at an address that proofmark made up.
    Undefined,
}

/// A datum that has a name.
#[derive(Debug, Clone)]
pub(crate) struct Datum {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) name: Name,
}

/// One executable, shared library or object file.
#[derive(Debug)]
pub struct Image {
    pub(crate) path: PathBuf,
    pub(crate) member: Option<String>,
    pub(crate) arch: Arch,
    pub(crate) kind: Kind,
    pub(crate) format: Format,
    pub(crate) data: Arc<Bytes>,
    /// Where this image stands in `data`: an archive's member is a part of it.
    pub(crate) extent: std::ops::Range<usize>,
    /// The separate debug file, where symbols were looked for in it.
    pub(crate) debug: Option<Arc<Bytes>>,
    /// Loaded sections, sorted by address.
    pub(crate) sections: Vec<Section>,
    /// Sorted by address.
    pub(crate) functions: Vec<Function>,
    /// Where to look for the function at an address.
    pub(crate) function_marks: Marks,
    /// Sorted by address.
    pub(crate) links: Vec<Link>,
    /// The addresses of the links.
    pub(crate) link_places: Places,
    /// What each link is: asked for each call, and links are long.
    pub(crate) link_kinds: Vec<LinkKind>,
    /// Sorted by address.
    pub(crate) data_symbols: Vec<Datum>,
    /// Pointers that the dynamic linker writes.
    pub(crate) pointers: Pointers,
    /// Ranges inside code that hold data (AArch64's `$d`), sorted.
    pub(crate) data_in_code: Vec<(u64, u64)>,
    /// Addresses of functions that never return.
    pub(crate) noreturn: Few,
    pub(crate) build_id: Vec<u8>,
    pub(crate) producers: Vec<String>,
    /// Whether local symbols are there: then a datum without a name has none in the source either.
    pub(crate) has_local_symbols: bool,
    /// Whether it holds code by Go's compiler.
    pub(crate) has_go: bool,
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
        self.arch
    }

    /// What sort of file it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
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
        self.sections
            .iter()
            .filter(|s| s.executable && !s.stubs)
            .map(|s| s.size)
            .sum()
    }

    /// The address to show for a place: as linked, or in an object file the offset in its section;
    /// there, 0 for what is elsewhere.
    #[must_use]
    pub fn shown(&self, address: Address) -> Address {
        if self.kind != Kind::Object {
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
        self.sections
            .get(function.section as usize)
            .map_or("", |s| s.name.as_str())
    }

    /// The name of whatever stands at an address: a function, a stub's or slot's import, with an
    /// offset where it is inside.
    #[must_use]
    pub fn name_at(&self, address: Address) -> Option<String> {
        let at = address.get();
        if let Some(link) = self.link_at(at) {
            return Some(crate::names::demangle(&link.name));
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
        let name = crate::names::demangle(&datum.name);
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
        section::index_at(&self.sections, address)
    }

    /// The function that covers an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<usize> {
        let marks = &self.function_marks;
        let after = marks.up_to(&self.functions, address, |f| f.address);
        let nearest = self.functions[..after]
            .iter()
            .enumerate()
            .rev()
            .take(NEAREST);
        nearest
            .filter(|(_, f)| address < f.end())
            .map(|(i, _)| i)
            .next()
    }

    /// The stub, slot or undefined function at an address.
    #[inline]
    pub(crate) fn link_at(&self, address: u64) -> Option<&Link> {
        self.link_places.find(address).map(|at| &self.links[at])
    }

    /// What the link at an address is.
    #[inline]
    pub(crate) fn link_kind_at(&self, address: u64) -> Option<LinkKind> {
        let at = self.link_places.find(address)?;
        self.link_kinds.get(at).copied()
    }

    /// Whether what stands at an address is a function, stub or slot of one that never returns.
    #[inline]
    pub(crate) fn never_returns(&self, address: u64) -> bool {
        self.noreturn.has(address)
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
        let own = link.kind == LinkKind::Slot && self.kind == Kind::Object;
        !own && self.own_function(link).is_none()
    }

    /// The number of what an object's linker fills places in so many bytes of code with, other than
    /// with addresses: the offset of a thread's own datum, for one. `number` makes numbers of
    /// symbols' names, and is to be the same each time.
    pub(crate) fn filled_at(
        &self,
        address: u64,
        len: u64,
        number: impl Fn(&str) -> u64,
    ) -> Option<u64> {
        if self.kind != Kind::Object {
            return None;
        }
        let places = self
            .left_alone
            .get_or_init(|| elf::left_alone(self, number));
        let first = places.partition_point(|(place, _)| *place < address);
        let inside = places[first..]
            .iter()
            .take_while(|(place, _)| place - address < len);
        inside
            .map(|(_, number)| *number)
            .reduce(|a, b| a.rotate_left(1) ^ b)
    }

    /// The function of this image that a link leads to, where the dynamic linker is not given
    /// another of the name.
    pub(crate) fn own_function(&self, link: &Link) -> Option<usize> {
        self.function_at(self.pointers.at(link.slot)?)
    }

    /// The pointer that a slot of eight bytes will hold once loaded.
    pub(crate) fn pointer_at(&self, slot: u64) -> Option<u64> {
        if let Some(value) = self.pointers.at(slot) {
            return Some(value);
        }
        let bytes: [u8; 8] = self.bytes_at(slot, 8).try_into().ok()?;
        Some(u64::from_le_bytes(bytes)).filter(|value| *value != 0)
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
