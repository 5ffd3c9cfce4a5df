//! What a file holds that the system's loader passes over, and that a program may read all the
//! same: archives and scripts in sections of their own, or behind the end.

use std::ops::Range;

use object::Endianness;
use object::elf::{
    PT_LOAD, SHF_ALLOC, SHT_GROUP, SHT_NOBITS, SHT_NULL, SHT_REL, SHT_RELA, SHT_STRTAB, SHT_SYMTAB,
    SHT_SYMTAB_SHNDX,
};
use object::read::elf::{FileHeader, ProgramHeader as _, SectionHeader as _};

/// How sections begin that debuggers and tools read, and that say where a build came from.
const FOR_TOOLS: [&[u8]; 13] = [
    b".debug",
    b".zdebug",
    b".gdb_index",
    b".gnu_debug",
    b".gnu.build.attributes",
    b".gnu.lto_",
    b".note.gnu.",
    b".comment",
    b".stab",
    b".line",
    b".ctf",
    b".GCC.command.line",
    b".llvm",
];

/// Zeros between what stands in a file are there to align it, up to the largest page.
const ALIGNING: usize = 1 << 16;

/// What is not loaded, but for debug information, symbols and what else is for tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unloaded<'data> {
    /// By name, in the order of the file.
    sections: Vec<(&'data [u8], &'data [u8])>,
    /// What belongs to no section and to nothing that is loaded.
    between: Vec<&'data [u8]>,
}

impl<'data> Unloaded<'data> {
    /// `None` where the file is damaged.
    pub(crate) fn of<Elf: FileHeader<Endian = Endianness>>(data: &'data [u8]) -> Option<Self> {
        let header = Elf::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let mut known = vec![
            extent(0, header.e_ehsize(endian).into(), 1)?,
            extent(
                header.e_phoff(endian).into(),
                header.e_phentsize(endian).into(),
                header.phnum(endian, data).ok()?.into(),
            )?,
            extent(
                header.e_shoff(endian).into(),
                header.e_shentsize(endian).into(),
                header.shnum(endian, data).ok()?.into(),
            )?,
        ];
        for segment in header.program_headers(endian, data).ok()? {
            if segment.p_type(endian) == PT_LOAD {
                let (begin, size) = segment.file_range(endian);
                known.push(extent(begin, size, 1)?);
            }
        }
        let mut sections = Vec::new();
        let table = header.sections(endian, data).ok()?;
        for section in table.iter() {
            let kind = section.sh_type(endian);
            let loaded = section.sh_flags(endian).contains(SHF_ALLOC);
            if loaded || [SHT_NULL, SHT_NOBITS].contains(&kind) {
                continue;
            }
            let (begin, size) = section.file_range(endian)?;
            known.push(extent(begin, size, 1)?);
            let name = table.section_name(endian, section).ok()?;
            let tables = [
                SHT_GROUP,
                SHT_REL,
                SHT_RELA,
                SHT_STRTAB,
                SHT_SYMTAB,
                SHT_SYMTAB_SHNDX,
            ];
            if !tables.contains(&kind) && !FOR_TOOLS.iter().any(|one| name.starts_with(one)) {
                sections.push((name, section.data(endian, data).ok()?));
            }
        }
        let between = between(data, known);
        Some(Unloaded { sections, between })
    }
}

/// Where `count` things of a size stand in a file.
fn extent(begin: u64, size: u64, count: u64) -> Option<Range<usize>> {
    let end = begin.checked_add(size.checked_mul(count)?)?;
    Some(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
}

/// What no range holds, but for zeros that align.
fn between(data: &[u8], mut known: Vec<Range<usize>>) -> Vec<&[u8]> {
    known.sort_by_key(|range| range.start);
    known.push(data.len()..data.len());
    let mut found = Vec::new();
    let mut end = 0;
    for range in known {
        let gap = data.get(end..range.start).unwrap_or_default();
        if gap.len() >= ALIGNING || gap.iter().any(|byte| *byte != 0) {
            found.push(gap);
        }
        end = end.max(range.end);
    }
    found
}
