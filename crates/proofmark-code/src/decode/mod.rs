//! Machine code decoded one instruction at a time into what both instruction sets share.
//!
//! `x86/` and `aarch64/` have the same shape and the same file names: a decoder that hands out
//! [`Op`]s and remembers the last few instructions (`mod`), from which it says where an indirect
//! jump leads that it just gave out (`origin`), what registers hold (`registers`), and a table of
//! what there is to say of each operation (`table`).

mod aarch64;
mod extension;
mod op;
mod put_away;
mod x86;

pub use extension::{EXTENSIONS, Extensions};
pub(crate) use op::{Check, Flow, Op, Origin, Traits};

pub(crate) use aarch64::Aarch64;
pub(crate) use x86::X86;

use crate::address::Address;
use crate::arch::Arch;
use crate::space::Space;

/// Who knows what stands at an address.
pub(crate) trait Names {
    /// The address to show for a place.
    fn shown(&self, address: Address) -> Address;
    /// The name of whatever stands there.
    fn name_at(&self, address: Address) -> Option<String>;
}

/// A decoder over one stretch of code.
pub(crate) trait Decode {
    /// Puts the next instruction into `op`; `false` at the end. Into its place, for a copy of it
    /// costs as much as decoding it.
    fn next(&mut self, op: &mut Op) -> bool;
    /// The next one of which there may be more to say than that it is one: it does not simply go
    /// on, has a trait, or needs vectors.
    fn next_of_note(&mut self, op: &mut Op) -> bool {
        self.next(op)
    }
    /// How many instructions have been read, and where the last of them ends.
    fn read(&self) -> (u64, u64);
    /// Where the target of the indirect jump or call that `next` gave out last came from.
    fn origin(&mut self, space: &Space) -> Origin;
    /// The address of the instruction before, where the processor may make one of it and of the
    /// conditional branch that `next` gave out last.
    fn fused(&self) -> Option<u64> {
        None
    }
    /// The text of the instruction that `next` gave out last, in the assembler's usual syntax, with
    /// the name of the place that it refers to.
    fn text(&mut self, names: &dyn Names) -> String;
    /// Feeds what the last instruction is, addresses left out, and hands out the references it
    /// makes.
    fn content(&mut self, space: &Space) -> Content;
}

/// An instruction with everything left out that only says where things are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    /// What it does: operation, registers, immediate operands, offsets from registers.
    pub(crate) shape: [u64; 6],
    /// An address in the image that it refers to (not as the target of a direct branch).
    pub(crate) reference: Option<Reference>,
    /// Whether it is skipped: padding, or the first half of a pair that makes an address.
    pub(crate) silent: bool,
}

/// What an instruction does with an address that it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reads or writes so many bytes there; 0 where that is not known.
    Data(u64),
    /// Takes the address itself.
    Address,
    /// Reads an entry of a table that begins there.
    Table,
}

/// An address that an instruction refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) address: u64,
    pub(crate) how: Use,
    /// Whether it is one. Where an image is loaded where it was linked to, a number in an
    /// instruction may be an address or a number.
    pub(crate) certain: bool,
}

/// Looks for instructions in one place after the other.
pub(crate) struct Finder<'a> {
    space: &'a Space,
    x86: Box<X86<'a>>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(space: &'a Space) -> Finder<'a> {
        let x86 = Box::new(X86::new(&[], 0, space));
        Finder { space, x86 }
    }

    /// What `f` makes of the first instruction at an address of which it makes anything.
    pub(crate) fn find<T>(
        &mut self,
        address: u64,
        size: u64,
        f: impl FnMut(&Op) -> Option<T>,
    ) -> Option<T> {
        match self.space.arch {
            Arch::X86_64 => {
                self.x86.turn_to(self.space, address, size);
                first(&mut *self.x86, f)
            }
            Arch::Aarch64 => find(self.space, address, size, f),
        }
    }
}

/// Hands each instruction of a stretch of code to `f`.
pub(crate) fn for_each(space: &Space, address: u64, size: u64, mut f: impl FnMut(&Op)) {
    find(space, address, size, |op| -> Option<()> {
        f(op);
        None
    });
}

/// What `f` makes of the first instruction of which it makes anything.
pub(crate) fn find<T>(
    space: &Space,
    address: u64,
    size: u64,
    f: impl FnMut(&Op) -> Option<T>,
) -> Option<T> {
    let code = space.bytes_at(address, size);
    match space.arch {
        Arch::X86_64 => first(&mut X86::new(code, address, space), f),
        Arch::Aarch64 => first(&mut Aarch64::new(code, address, space), f),
    }
}

fn first<T>(decoder: &mut impl Decode, mut f: impl FnMut(&Op) -> Option<T>) -> Option<T> {
    let mut op = Op::default();
    while decoder.next(&mut op) {
        if let Some(found) = f(&op) {
            return Some(found);
        }
    }
    None
}
