//! The tables of the loader's, by what they say: linkers order symbols and strings in them by all
//! the symbols of a link, handles too, so that the same tables may be other bytes.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Rela, SectionHeader, SectionTable, Sym};

type Header = elf::FileHeader64<LE>;

/// The sections that these tables are in.
const SECTIONS: [&str; 11] = [
    ".dynsym",
    ".dynstr",
    ".hash",
    ".gnu.hash",
    ".gnu.version",
    ".gnu.version_d",
    ".gnu.version_r",
    ".dynamic",
    ".rela.dyn",
    ".rela.plt",
    ".relr.dyn",
];

/// Whether a section is one of these tables.
pub(super) fn is_table(name: &str) -> bool {
    SECTIONS.contains(&name)
}

/// What the tables say, in an order of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    /// Tags, with their values or texts.
    entries: Vec<(i64, Value)>,
    /// Name, value, size, kind and section of each symbol.
    symbols: Vec<(Vec<u8>, u64, u64, u8, u16)>,
    /// Place, kind, symbol and addend of each relocation.
    relocations: Vec<(u64, u32, Vec<u8>, i64)>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Number(u64),
    Text(Vec<u8>),
}

impl Tables {
    pub(super) fn read(
        table: &SectionTable<'_, Header>,
        data: &[u8],
    ) -> object::read::Result<Tables> {
        let mut tables = Tables::default();
        let dynamic = table.dynamic_table(LE, data)?;
        for entry in &dynamic {
            let value = if entry.is_string() {
                Value::Text(dynamic.string(entry)?.to_vec())
            } else {
                Value::Number(entry.val)
            };
            tables.entries.push((entry.tag.0, value));
        }
        let symbols = table.symbols(LE, data, elf::SHT_DYNSYM)?;
        for symbol in symbols.iter() {
            tables.symbols.push((
                symbols.symbol_name(LE, symbol)?.to_vec(),
                symbol.st_value(LE),
                symbol.st_size(LE),
                symbol.st_info().0,
                symbol.st_shndx(LE).0,
            ));
        }
        let loaded =
            |section: &&elf::SectionHeader64<LE>| section.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0;
        for section in table.iter().filter(loaded) {
            let Some((relocations, _)) = section.rela(LE, data)? else {
                continue;
            };
            for relocation in relocations {
                let name = match relocation.symbol(LE, false) {
                    Some(index) => symbols.symbol_name(LE, symbols.symbol(index)?)?.to_vec(),
                    None => Vec::new(),
                };
                tables.relocations.push((
                    relocation.r_offset(LE),
                    relocation.r_type(LE, false).0,
                    name,
                    relocation.r_addend(LE),
                ));
            }
        }
        tables.entries.sort();
        tables.symbols.sort();
        tables.relocations.sort();
        Ok(tables)
    }
}
