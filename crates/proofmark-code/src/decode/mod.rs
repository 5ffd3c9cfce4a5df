//! Machine code decoded one instruction at a time into what both instruction sets share.
//!
//! `x86.rs` and `aarch64.rs` have the same shape: an iterator of [`Op`]s that remembers the last
//! few instructions, and can say from them where an indirect jump that it just gave out leads.

mod aarch64;
mod aarch64_origin;
mod aarch64_past;
mod aarch64_registers;
mod aarch64_table;
mod extension;
mod op;
mod put_away;
mod x86;
mod x86_origin;
mod x86_reasons;
mod x86_registers;
mod x86_table;

pub use extension::{EXTENSIONS, Extensions};
pub(crate) use op::{Check, Flow, Op, Origin, Traits};

pub(crate) use aarch64::Aarch64;
pub(crate) use x86::X86;

use crate::Arch;
use crate::image::Image;

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
    fn origin(&mut self, image: &Image) -> Origin;
    /// The text of the instruction that `next` gave out last, in the assembler's usual syntax, with
    /// the name of the place that it refers to.
    fn text(&mut self, image: &Image) -> String;
    /// Feeds what the last instruction is, addresses left out, and hands out the references it
    /// makes.
    fn content(&mut self, image: &Image) -> Content;
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
}

/// Looks for instructions in one place after the other.
pub(crate) struct Finder<'a> {
    image: &'a Image,
    x86: Box<X86<'a>>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(image: &'a Image) -> Finder<'a> {
        let x86 = Box::new(X86::new(&[], 0, image));
        Finder { image, x86 }
    }

    /// What `f` makes of the first instruction at an address of which it makes anything.
    pub(crate) fn find<T>(
        &mut self,
        address: u64,
        size: u64,
        f: impl FnMut(&Op) -> Option<T>,
    ) -> Option<T> {
        match self.image.arch {
            Arch::X86_64 => {
                self.x86.turn_to(self.image, address, size);
                first(&mut *self.x86, f)
            }
            Arch::Aarch64 => find(self.image, address, size, f),
        }
    }
}

/// Hands each instruction of a stretch of code to `f`.
pub(crate) fn for_each(image: &Image, address: u64, size: u64, mut f: impl FnMut(&Op)) {
    find(image, address, size, |op| -> Option<()> {
        f(op);
        None
    });
}

/// What `f` makes of the first instruction of which it makes anything.
pub(crate) fn find<T>(
    image: &Image,
    address: u64,
    size: u64,
    f: impl FnMut(&Op) -> Option<T>,
) -> Option<T> {
    let code = image.bytes_at(address, size);
    match image.arch {
        Arch::X86_64 => first(&mut X86::new(code, address, image), f),
        Arch::Aarch64 => first(&mut Aarch64::new(code, address, image), f),
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
