//! Objects that hold a compiler's intermediate code in place of machine code.

use object::LittleEndian;
use object::read::elf::{FileHeader, Sym};

use super::File;

/// What such an object is.
pub(in crate::elf) const GCC: &str = "GCC's intermediate code, not machine code (was it \
    compiled with -flto? -ffat-lto-objects keeps machine code beside it)";
/// How gcc names the sections that hold it.
const SECTION: &[u8] = b".gnu.lto_";
/// The symbol that it gives to objects without machine code; those with both have none.
const SLIM: &[u8] = b"__gnu_lto_slim";

/// Where the header stands of the first section with gcc's intermediate code, if the object was
/// given no machine code beside it.
pub(in crate::elf) fn place(file: &File<'_>) -> Option<u64> {
    let table = file.elf_section_table();
    let number = table.iter().position(|header| {
        let name = table.section_name(LittleEndian, header);
        name.is_ok_and(|name| name.starts_with(SECTION))
    })?;
    let symbols = file.elf_symbol_table();
    let is_slim = symbols.iter().any(|s| {
        s.name(LittleEndian, symbols.strings())
            .is_ok_and(|name| name == SLIM)
    });
    let first = file.elf_header().e_shoff(LittleEndian);
    is_slim.then(|| first.saturating_add(number as u64 * 64))
}
