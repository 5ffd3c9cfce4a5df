//! Ways out of an image, and data that has a name.

use std::ops::Deref;

use super::name::Name;
use crate::space::Places;

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

/// The links of an image, in order of address.
#[derive(Debug)]
pub(crate) struct Links {
    all: Vec<Link>,
    places: Places,
    /// What each of them is: asked for each call, and links are long.
    kinds: Vec<LinkKind>,
}

impl Links {
    /// These, which are in order of address.
    pub(crate) fn new(all: Vec<Link>) -> Links {
        Links {
            places: Places::new(all.iter().map(|l| l.address).collect()),
            kinds: all.iter().map(|l| l.kind).collect(),
            all,
        }
    }

    /// The link at an address.
    #[inline]
    pub(crate) fn at(&self, address: u64) -> Option<&Link> {
        self.places.find(address).map(|at| &self.all[at])
    }

    /// What the link at an address is.
    #[inline]
    pub(crate) fn kind_at(&self, address: u64) -> Option<LinkKind> {
        let at = self.places.find(address)?;
        self.kinds.get(at).copied()
    }
}

impl Deref for Links {
    type Target = [Link];

    fn deref(&self) -> &[Link] {
        &self.all
    }
}

/// A datum that has a name.
#[derive(Debug, Clone)]
pub(crate) struct Datum {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) name: Name,
}
