//! What an ELF file says of itself, read without a look at its code.

mod dynamic;
pub(super) mod intermediate;
mod names;
pub(super) mod notes;
mod place;
pub(super) mod relocate;
mod sections;
pub(super) mod separate;
mod symbols;
mod undefined;

use std::path::Path;
use std::sync::Arc;

use object::LittleEndian;
use object::read::elf::ElfFile64;

use crate::arch::Arch;
use crate::image::Link;
use crate::kind::Kind;
use crate::space::{Bytes, Section, Space, Stretch};
pub(super) use dynamic::{Holds, Slot};
pub(crate) use place::Placement;
pub(crate) use relocate::{contents, relocated};
pub(super) use symbols::Symbols;

/// A parsed file, borrowed from its bytes.
pub(crate) type File<'a> = ElfFile64<'a, LittleEndian>;

/// An offset in the file, and what is wrong there.
type Wrong = (u64, String);

/// What is read.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) file: &'a File<'a>,
    /// The bytes that the file is all of.
    pub(super) whole: &'a Stretch,
    /// The bytes that it is a part of where it is an archive's member.
    pub(super) data: &'a Arc<Bytes>,
    /// Where in those it begins.
    pub(super) base: u64,
    pub(super) arch: Arch,
    pub(super) kind: Kind,
}

/// What a file says of itself.
pub(super) struct Raw {
    /// All but the functions that never return.
    pub(super) space: Space,
    pub(super) symbols: Symbols,
    pub(super) links: Ways,
    /// The separate debug file, where symbols were looked for in it.
    pub(super) debug: Option<Arc<Bytes>>,
}

/// The ways out of an image, as far as the file tells them.
pub(super) enum Ways {
    /// The slots of a linked image, in order of address.
    Slots(Vec<Slot>),
    /// All links of an object, in order of address.
    Links(Vec<Link>),
}

impl Source<'_> {
    /// Reads it.
    ///
    /// # Errors
    /// The offset in the file, and what is wrong there.
    pub(super) fn read(&self) -> Result<Raw, Wrong> {
        let placement = (self.kind == Kind::Object)
            .then(|| Placement::of(self.file))
            .transpose()?;
        let sections = sections::read(self.file, placement.as_ref(), self.base)?;
        let (mut symbols, debug) = self.symbols(placement.as_ref(), &sections)?;
        let data = Arc::clone(self.data);
        let mut space = Space::of(self.arch, self.kind, data, sections);
        space.data_in_code = std::mem::take(&mut symbols.data_in_code);
        let links = match &placement {
            None => {
                let (slots, pointers) = dynamic::read(self.file, self.whole, &space);
                space.pointers = pointers;
                Ways::Slots(slots)
            }
            Some(placement) => {
                let (links, pointers) = undefined::read(self.file, self.whole, placement);
                space.pointers = pointers;
                Ways::Links(links)
            }
        };
        Ok(Raw {
            space,
            symbols,
            links,
            debug,
        })
    }

    /// The symbols, from the separate debug file where they were stripped and kept there.
    fn symbols(
        &self,
        placement: Option<&Placement>,
        sections: &[Section],
    ) -> Result<(Symbols, Option<Arc<Bytes>>), Wrong> {
        let own = symbols::read(self.file, self.whole, placement, sections, self.kind)?;
        if own.complete || self.kind == Kind::Object {
            return Ok((own, None));
        }
        let debug = separate::find(self.path, self.file);
        let apart = debug.as_ref().and_then(|debug| {
            let whole = Stretch::of(debug, 0..debug.len())?;
            let file = File::parse(&*whole).ok()?;
            let found = symbols::read(&file, &whole, None, sections, self.kind).ok()?;
            found.complete.then_some(found)
        });
        Ok((apart.unwrap_or(own), debug))
    }
}
