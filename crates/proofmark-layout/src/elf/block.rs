//! The parts of an image, and which of them a section belongs to.

use object::elf;

/// The parts of an image that are kept in step, in the order of their usual addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Block {
    /// Code.
    Text,
    /// Constants.
    Rodata,
    /// Initialised thread-local data.
    Tdata,
    /// Zeroed thread-local data.
    Tbss,
    /// Constants that hold addresses.
    RelRo,
    /// Initialised data.
    Data,
    /// Zeroed data.
    Bss,
}

impl Block {
    /// The name that an input section of this block has.
    pub(crate) fn section_name(self) -> &'static str {
        match self {
            Block::Text => ".text",
            Block::Rodata => ".rodata",
            Block::Tdata => ".tdata",
            Block::Tbss => ".tbss",
            Block::RelRo => ".data.rel.ro",
            Block::Data => ".data",
            Block::Bss => ".bss",
        }
    }

    /// Whether its sections hold thread-local data.
    pub(crate) fn is_thread_local(self) -> bool {
        matches!(self, Block::Tdata | Block::Tbss)
    }

    /// Whether programs may write to its sections, relocation apart.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Block::Data | Block::Bss | Block::Tdata | Block::Tbss)
    }

    /// Whether its sections take no bytes in a file.
    pub(crate) fn is_zeroed(self) -> bool {
        matches!(self, Block::Bss | Block::Tbss)
    }

    /// Whether a linker merges a section of read-only data with others of its kind.
    pub(super) fn is_merged(name: &[u8], kind: elf::SectionType, flags: u64) -> bool {
        let usual = name == b".rodata" || name.starts_with(b".rodata.");
        // Which group it is in, and whether it is kept, says nothing of its place.
        let others = elf::SHF_STRINGS.0 | elf::SHF_GROUP.0 | elf::SHF_GNU_RETAIN.0;
        let merged = elf::SHF_ALLOC.0 | elf::SHF_MERGE.0;
        usual && kind == elf::SHT_PROGBITS && flags & !others == merged
    }

    /// The block of a section, or none for what must stay where it is: initialisers and finalisers,
    /// constructor tables, linker sets, notes, unwind tables, `.gnu.linkonce` sections (known by
    /// their name), sections ordered by a link, and anything of an unknown name or kind.
    pub(super) fn of(name: &[u8], kind: elf::SectionType, flags: u64) -> Option<Block> {
        let has = |flag: elf::SectionFlags| flags & flag.0 != 0;
        let named = |base: &str| {
            name.strip_prefix(base.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
        };
        if !has(elf::SHF_ALLOC)
            || has(elf::SHF_LINK_ORDER)
            || has(elf::SHF_MERGE)
            || has(elf::SHF_COMPRESSED)
        {
            return None;
        }
        let (bits, zeroed) = (kind == elf::SHT_PROGBITS, kind == elf::SHT_NOBITS);
        match (
            has(elf::SHF_EXECINSTR),
            has(elf::SHF_WRITE),
            has(elf::SHF_TLS),
        ) {
            (true, false, false) if bits && named(".text") => Some(Block::Text),
            (false, false, false) if bits && named(".rodata") => Some(Block::Rodata),
            (false, true, true) if bits && named(".tdata") => Some(Block::Tdata),
            (false, true, true) if zeroed && named(".tbss") => Some(Block::Tbss),
            (false, true, false) if bits && named(".data.rel.ro") => Some(Block::RelRo),
            (false, true, false) if bits && named(".data") => Some(Block::Data),
            (false, true, false) if zeroed && named(".bss") => Some(Block::Bss),
            _ => None,
        }
    }
}

/// Whether linkers and loaders know a section of data by this name.
pub(super) fn is_of_linkers(name: &[u8]) -> bool {
    /// With what follows behind a dot: priorities, groups, functions.
    const FAMILIES: [&[u8]; 15] = [
        b".init_array",
        b".fini_array",
        b".preinit_array",
        b".ctors",
        b".dtors",
        b".eh_frame",
        b".gcc_except_table",
        b".note",
        b".plt",
        b".gnu",
        b".rel",
        b".rela",
        b".go",
        b".debug_gdb_scripts",
        b".sframe",
    ];
    const ALONE: [&[u8]; 14] = [
        b".stapsdt.base",
        b".tm_clone_table",
        b".got",
        b".got.plt",
        b".dynbss",
        b".init",
        b".fini",
        b".eh_frame_hdr",
        b".jcr",
        b".interp",
        b".dynamic",
        b".dynsym",
        b".dynstr",
        b".gopclntab",
    ];
    let of_family = |family: &&[u8]| {
        let rest = name.strip_prefix(*family);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    };
    FAMILIES.iter().any(of_family) || ALONE.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_linkers_are_known_by_whole_names() {
        for name in [
            ".init_array.101",
            ".note.ABI-tag",
            ".got.plt",
            ".gnu.hash",
            ".fini",
        ] {
            assert!(is_of_linkers(name.as_bytes()), "{name}");
        }
        for name in [
            ".golden",
            ".init.data",
            ".finite",
            ".notes",
            ".relocated",
            "init_array",
            ".got.mine",
        ] {
            assert!(!is_of_linkers(name.as_bytes()), "{name}");
        }
    }
}
