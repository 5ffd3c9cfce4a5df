//! Data that a linker puts apart from other data of its kind: texts and constants that it merges,
//! and sections whose names a source gives. In layouts it stands among the other data of its block,
//! so that it is drawn and kept in step as that is.

use object::elf;

use super::relocatable::Block;

/// A section that a linker puts apart.
pub(crate) struct Apart {
    /// The block that it would be of.
    pub(crate) block: Block,
    /// The name under which a linker puts it there.
    pub(crate) name: String,
}

/// Sections of data that linkers and loaders know by name, or that have an order: how their names
/// begin.
const KNOWN: [&str; 20] = [
    ".init",
    ".fini",
    ".preinit",
    ".ctors",
    ".dtors",
    ".eh_frame",
    ".sframe",
    ".gcc_except",
    ".note",
    ".stapsdt",
    ".tm_clone",
    ".jcr",
    ".interp",
    ".got",
    ".plt",
    ".gnu",
    ".rel",
    ".dyn",
    ".go",
    ".llvm",
];

impl Apart {
    /// None for a section that a linker puts with its block, and for one that has to stay where it
    /// is.
    pub(crate) fn of(name: &[u8], kind: elf::SectionType, flags: u64) -> Option<Apart> {
        let name = std::str::from_utf8(name).ok()?;
        // Whether it is in a group, or kept where nothing refers to it, says nothing of its place.
        let flags = flags & !(elf::SHF_GROUP.0 | elf::SHF_GNU_RETAIN.0);
        let (read, write) = (elf::SHF_ALLOC.0, elf::SHF_ALLOC.0 | elf::SHF_WRITE.0);
        let (bits, zeroed) = (kind == elf::SHT_PROGBITS, kind == elf::SHT_NOBITS);
        if is_merged(name, flags) {
            return bits.then(|| Apart {
                block: Block::Rodata,
                name: name.to_owned(),
            });
        }
        let block = match flags {
            _ if KNOWN.iter().any(|known| name.starts_with(known)) => return None,
            flags if flags == read && bits => Block::Rodata,
            flags if flags == write && bits => Block::Data,
            flags if flags == write && zeroed => Block::Bss,
            _ => return None,
        };
        Some(Apart {
            block,
            name: format!("{}.pm.{name}", block.section_name()),
        })
    }
}

/// Constants that a linker merges, among read-only data.
fn is_merged(name: &str, flags: u64) -> bool {
    let usual = name == ".rodata" || name.starts_with(".rodata.");
    usual && flags & !elf::SHF_STRINGS.0 == elf::SHF_ALLOC.0 | elf::SHF_MERGE.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_linker_merges_and_what_a_source_names_is_put_apart() {
        let (a, w, m) = (elf::SHF_ALLOC.0, elf::SHF_WRITE.0, elf::SHF_MERGE.0);
        let (bits, zeroed) = (elf::SHT_PROGBITS, elf::SHT_NOBITS);
        let strings = elf::SHF_STRINGS.0;
        let of = |name: &str, kind, flags| {
            let apart = Apart::of(name.as_bytes(), kind, flags);
            apart.map(|apart| (apart.block, apart.name))
        };
        let some = |block, name: &str| Some((block, name.to_owned()));
        for (name, flags) in [
            (".rodata.str1.1", a | m | strings),
            (".rodata.cst16", a | m),
            (".rodata.f.str1.8", a | m | strings | elf::SHF_GROUP.0),
        ] {
            assert_eq!(of(name, bits, flags), some(Block::Rodata, name));
        }
        assert_eq!(of("hot", bits, a), some(Block::Rodata, ".rodata.pm.hot"));
        assert_eq!(of("hot", bits, a | w), some(Block::Data, ".data.pm.hot"));
        assert_eq!(of("hot", zeroed, a | w), some(Block::Bss, ".bss.pm.hot"));
        for (name, kind, flags) in [
            // Merged, but not among read-only data, or not by the name of it.
            (".debug_gdb_scripts", bits, a | m | strings),
            (".comment", bits, m | strings),
            (".eh_frame", bits, a),
            (".init_array", bits, a | w),
            ("text", bits, a | elf::SHF_EXECINSTR.0),
            ("locals", bits, a | w | elf::SHF_TLS.0),
            (".note.own", elf::SHT_NOTE, a),
        ] {
            assert_eq!(of(name, kind, flags), None, "{name}");
        }
    }
}
