//! Names of symbols, from the table of strings that they stand in.

use std::sync::Arc;

use object::LittleEndian;
use object::read::StringTable;
use object::read::elf::{FileHeader, SectionHeader, Sym, SymbolTable};

use super::File;
use crate::image::{Name, Text};
use crate::space::Stretch;

type Header = object::elf::FileHeader64<LittleEndian>;

/// A linker lets names that end alike share their bytes, and a slot is named as often as it is
/// filled. All together they are never believed to have more than this many times what the file
/// has: many symbols may name one long string.
const SHARED: usize = 4;

/// The names of one table of symbols.
pub(super) struct Names<'a> {
    strings: StringTable<'a>,
    /// All strings, where they stand in the file: names are pieces of it, and none is copied.
    text: Option<Arc<Text>>,
    /// So many bytes of names may still be read.
    left: usize,
    /// Whether it was not enough.
    pub(super) spent: bool,
}

impl<'a> Names<'a> {
    /// Those of a table in a file, which is all of `whole`.
    pub(super) fn of(
        file: &File<'a>,
        whole: &Stretch,
        table: &SymbolTable<'a, Header>,
    ) -> Names<'a> {
        let section = file.elf_section_table().section(table.string_section());
        let range = section.ok().and_then(|s| s.file_range(LittleEndian));
        let range = range.and_then(|(start, len)| {
            let start = usize::try_from(start).ok()?;
            Some(start..start.checked_add(usize::try_from(len).ok()?)?)
        });
        let strings = range.and_then(|range| whole.part(range));
        Names {
            strings: table.strings(),
            text: strings.map(|strings| Arc::new(Text::table(strings))),
            left: file.data().len().saturating_mul(SHARED),
            spent: false,
        }
    }

    /// The bytes of a symbol's name; `None` where it cannot be read.
    pub(super) fn read(&self, symbol: &<Header as FileHeader>::Sym) -> Option<&'a [u8]> {
        symbol.name(LittleEndian, self.strings).ok()
    }

    /// Counts a name that is kept; `None` once there have been too many.
    pub(super) fn count(&mut self, name: &[u8]) -> Option<()> {
        let left = self.left.checked_sub(name.len());
        self.spent |= left.is_none();
        self.left = left?;
        Some(())
    }

    /// A symbol's name, as it was read.
    pub(super) fn name(&self, symbol: &<Header as FileHeader>::Sym, name: &[u8]) -> Name {
        let start = symbol.st_name(LittleEndian);
        let piece = self.text.as_ref();
        let piece = piece.and_then(|text| Name::within(text, start, name.len()));
        piece.unwrap_or_else(|| Name::from(&*String::from_utf8_lossy(name)))
    }
}
