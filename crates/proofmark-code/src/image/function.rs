//! A function of an image: one contiguous piece of code with a name, as the symbol table or the
//! unwind table gives it.

use std::ops::Deref;

use serde::Serialize;

use super::name::Name;
use crate::address::Address;
use crate::names::Split;
use crate::space::Marks;

/// Where a function became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The symbol table (`.symtab`), of the file itself or of its separate debug file.
    Symbols,
    /// The dynamic symbol table (`.dynsym`), the other being stripped.
    DynamicSymbols,
    /// The unwind table (`.eh_frame`): it has an extent and no name.
    Unwind,
    /// Nothing names any code in this section: the whole section stands as one.
    Section,
}

/// One function, or one part that the compiler split off.
#[derive(Debug, Clone)]
pub struct Function {
    /// The symbol as the file has it, `None` where only the unwind table knows of it.
    pub(crate) symbol: Option<Name>,
    /// Other symbols of the same address.
    pub(crate) aliases: Box<[Name]>,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) section: u32,
    pub(crate) origin: Origin,
    /// Which source file's group of local symbols it came from; `None` for global ones.
    pub(crate) group: Option<u32>,
    /// The index of the function that this was split off from or cloned from.
    pub(crate) parent: Option<u32>,
    pub(crate) split: Option<Split>,
}

impl Function {
    /// The symbol as the file has it (mangled), or `sub_<address>` where it has none.
    #[must_use]
    pub fn symbol(&self) -> String {
        self.symbol
            .as_deref()
            .map_or_else(|| format!("sub_{:x}", self.address), str::to_string)
    }

    /// Whether the file gives this function a name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.symbol.is_some()
    }

    /// The name for people: demangled.
    #[must_use]
    pub fn name(&self) -> String {
        self.symbol
            .as_deref()
            .map_or_else(|| self.symbol(), crate::names::demangle)
    }

    /// Other symbols of the same address.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.aliases.iter().map(|name| &**name)
    }

    /// Where it starts.
    #[must_use]
    pub fn address(&self) -> Address {
        Address::new(self.address)
    }

    /// Its length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The first address after it.
    pub(crate) fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }

    /// Where it became known.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// How the compiler made this from another function, if it did.
    #[must_use]
    pub fn split(&self) -> Option<Split> {
        self.split
    }

    /// The index in [`crate::Image::functions`] of the function that this was split off or cloned
    /// from.
    #[must_use]
    pub fn parent(&self) -> Option<usize> {
        self.parent.map(|parent| parent as usize)
    }

    pub(crate) fn set_parent(&mut self, parent: Option<usize>) {
        self.parent = parent.and_then(|parent| u32::try_from(parent).ok());
    }

    /// Whether this is a piece of some function that could not be found.
    pub(crate) fn is_stray_piece(&self) -> bool {
        self.split.is_some_and(Split::is_piece) && self.parent.is_none()
    }

    /// Whether this is no function of its own, only a piece of its parent that was put elsewhere.
    #[must_use]
    pub fn is_piece(&self) -> bool {
        self.split.is_some_and(Split::is_piece) && self.parent.is_some()
    }
}

/// Functions may overlap, and one that covers an address is looked for among so many that begin
/// before it.
pub(crate) const NEAREST: usize = 4;

/// The functions of an image, in order of address.
#[derive(Debug)]
pub(crate) struct Functions {
    all: Vec<Function>,
    /// Where to look for the one at an address.
    marks: Marks,
}

impl Functions {
    /// These, which are in order of address.
    pub(crate) fn new(all: Vec<Function>) -> Functions {
        Functions {
            marks: Marks::new(all.iter().map(|f| f.address)),
            all,
        }
    }

    /// The function that covers an address.
    pub(crate) fn at(&self, address: u64) -> Option<usize> {
        let after = self.marks.up_to(&self.all, address, |f| f.address);
        nearest(&self.all[..after], address)
    }

    /// The functions by themselves.
    pub(crate) fn into_all(self) -> Vec<Function> {
        self.all
    }
}

impl Deref for Functions {
    type Target = [Function];

    fn deref(&self) -> &[Function] {
        &self.all
    }
}

/// Of functions that begin at or before an address, the last one that covers it.
pub(crate) fn nearest(functions: &[Function], address: u64) -> Option<usize> {
    let last = functions.iter().enumerate().rev().take(NEAREST);
    last.filter(|(_, f)| address < f.end())
        .map(|(i, _)| i)
        .next()
}
