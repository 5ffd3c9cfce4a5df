//! Addresses for an object file, which has none: its sections are laid out one after the other,
//! undefined symbols and the slots of a global offset table get places behind them. Then an object
//! reads like a linked image.

use object::elf;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{LittleEndian, SectionIndex, SymbolIndex};

use super::File;

/// Where the first section is put: at a number that programs do not otherwise use, for constants
/// must not look like addresses.
const START: u64 = 0x5a51_0000;
/// Sections begin on lines of this many bytes, so that what a place's offset in its section says of
/// lines is what facts say.
const LINE: u64 = 64;
/// Undefined symbols stand this far apart.
const STEP: u64 = 16;
/// The end of the room for an object: absolute addresses of 32 bits, signed, reach no further.
const LIMIT: u64 = 1 << 31;

/// The made-up addresses of an object file.
#[derive(Debug)]
pub(crate) struct Placement {
    /// By section index; zero for sections that are not loaded.
    bases: Vec<u64>,
    undefined: u64,
    slots: u64,
}

impl Placement {
    /// Lays an object's sections out.
    pub(crate) fn of(file: &File<'_>) -> Result<Placement, (u64, String)> {
        let mut bases = Vec::new();
        let mut next = START;
        for section in file.elf_section_table().iter() {
            let flags = section.sh_flags(LittleEndian);
            if flags & elf::SHF_ALLOC == Default::default() {
                bases.push(0);
                continue;
            }
            let align = section
                .sh_addralign(LittleEndian)
                .clamp(LINE, 1 << 20)
                .next_power_of_two();
            let size = section.sh_size(LittleEndian);
            let start = next.next_multiple_of(align);
            next = start
                .checked_add(size)
                .filter(|end| *end < LIMIT)
                .ok_or_else(|| {
                    let table = file.elf_header().e_shoff(LittleEndian);
                    let at = table + (bases.len() as u64) * 64;
                    (
                        at,
                        format!(
                            "the sections of this object do not fit into {} bytes together",
                            LIMIT - START
                        ),
                    )
                })?;
            bases.push(start);
        }
        let undefined = next.next_multiple_of(STEP);
        let count = file.elf_symbol_table().len() as u64;
        Ok(Placement {
            bases,
            undefined,
            slots: undefined + (count + 1) * STEP,
        })
    }

    /// Where a section was put; zero for one that is not loaded.
    pub(crate) fn base(&self, section: SectionIndex) -> u64 {
        self.bases.get(section.0).copied().unwrap_or(0)
    }

    /// The place of a symbol that this object does not define.
    pub(crate) fn undefined(&self, symbol: SymbolIndex) -> u64 {
        self.undefined + symbol.0 as u64 * STEP
    }

    /// The slot of the global offset table for a symbol.
    pub(crate) fn slot(&self, symbol: SymbolIndex) -> u64 {
        self.slots + symbol.0 as u64 * 8
    }

    /// The address of a symbol: where it is defined, or its place among the undefined.
    pub(crate) fn symbol(&self, file: &File<'_>, index: SymbolIndex) -> Option<u64> {
        let table = file.elf_symbol_table();
        let symbol = table.symbol(index).ok()?;
        let value = symbol.st_value(LittleEndian);
        match symbol.st_shndx(LittleEndian) {
            elf::SHN_ABS => Some(value),
            elf::SHN_UNDEF | elf::SHN_COMMON => Some(self.undefined(index)),
            _ => {
                let section = table.symbol_section(LittleEndian, symbol, index).ok()??;
                self.base(section).checked_add(value)
            }
        }
    }
}
