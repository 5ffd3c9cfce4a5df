//! Sections with names of their own: no block has them, and no layout orders them. Those of a kind
//! stand one behind the other in an image, and are moved together.

use object::elf;

use super::block::{Block, is_of_linkers};

/// Data of the medium code model, which may lie far from the rest (x86-64 psABI, 4.2: `l`).
const LARGE: u64 = 0x1000_0000;

/// A kind of such sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OwnSections {
    /// Code.
    Code,
    /// Data that programs read.
    Constants,
    /// Data that programs write to.
    Written,
    /// The same, zeroed at first.
    Zeroed,
    /// `.data1`, for which linkers have a place of its own.
    Data1,
    /// Constants of the medium code model.
    LargeConstants,
    /// Written data of the medium code model.
    LargeWritten,
    /// Zeroed data of the medium code model.
    LargeZeroed,
}

impl OwnSections {
    /// The kind of a section; none where a layout deals with it otherwise, where linkers and loaders
    /// know it by its name, or where it is of a kind that is not moved.
    pub(super) fn of(name: &[u8], kind: elf::SectionType, flags: u64) -> Option<OwnSections> {
        let is_dealt_with =
            Block::of(name, kind, flags).is_some() || Block::is_merged(name, kind, flags);
        let zeroed = match kind {
            elf::SHT_PROGBITS => false,
            elf::SHT_NOBITS => true,
            _ => return None,
        };
        if is_dealt_with || is_of_linkers(name) {
            return None;
        }
        // Which group it is in, and whether it is kept, says nothing of its place.
        let flags = flags & !(elf::SHF_GROUP.0 | elf::SHF_GNU_RETAIN.0);
        let is_large = flags & LARGE != 0;
        let access = flags & !LARGE;
        let is = |more: u64| access == elf::SHF_ALLOC.0 | more;
        let (code, written) = (elf::SHF_EXECINSTR.0, elf::SHF_WRITE.0);
        let named = |base: &[u8]| {
            let rest = name.strip_prefix(base);
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
        };
        match (is_large, zeroed) {
            (false, false) if is(code) => Some(OwnSections::Code),
            (false, false) if is(0) && !name.starts_with(b".rodata") => {
                Some(OwnSections::Constants)
            }
            (false, false) if is(written) && name == b".data1" => Some(OwnSections::Data1),
            (false, false) if is(written) && !is_of_default_script(name) => {
                Some(OwnSections::Written)
            }
            (false, true) if is(written) => Some(OwnSections::Zeroed),
            (true, false) if is(0) && named(b".lrodata") => Some(OwnSections::LargeConstants),
            (true, false) if is(written) && named(b".ldata") => Some(OwnSections::LargeWritten),
            (true, true) if is(written) && named(b".lbss") => Some(OwnSections::LargeZeroed),
            _ => None,
        }
    }

    /// The section that stands in front of all of the kind: one of our own where linkers put these
    /// behind one another for want of a place, else the one that they are put in.
    pub(crate) fn front(self) -> &'static str {
        match self {
            OwnSections::Code => ".pm.code",
            OwnSections::Constants => ".pm.ro",
            OwnSections::Written => ".pm.rw",
            OwnSections::Zeroed => ".pm.zero",
            OwnSections::Data1 => ".data1",
            OwnSections::LargeConstants => ".lrodata",
            OwnSections::LargeWritten => ".ldata",
            OwnSections::LargeZeroed => ".lbss",
        }
    }

    /// The section that stands behind all of the kind. Of sections of our own, those of one name
    /// would be put together.
    pub(crate) fn end(self) -> String {
        match self.front() {
            own if own.starts_with(".pm.") => format!("{own}.end"),
            known => known.to_owned(),
        }
    }

    /// The block that its sections are like.
    pub(crate) fn block(self) -> Block {
        match self {
            OwnSections::Code => Block::Text,
            OwnSections::Constants | OwnSections::LargeConstants => Block::Rodata,
            OwnSections::Written | OwnSections::Data1 | OwnSections::LargeWritten => Block::Data,
            OwnSections::Zeroed | OwnSections::LargeZeroed => Block::Bss,
        }
    }

    /// Flags of its sections, beyond those of its block.
    pub(crate) fn flags(self) -> u64 {
        match self {
            OwnSections::LargeConstants | OwnSections::LargeWritten | OwnSections::LargeZeroed => {
                LARGE
            }
            _ => 0,
        }
    }
}

/// Whether GNU ld's own script has a place for written data of this name.
fn is_of_default_script(name: &[u8]) -> bool {
    name.starts_with(b".exception_ranges") || name.starts_with(b".rodata")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_access_and_not_by_name() {
        let bits =
            |name: &str, flags: u64| OwnSections::of(name.as_bytes(), elf::SHT_PROGBITS, flags);
        let (alloc, code) = (elf::SHF_ALLOC.0, elf::SHF_EXECINSTR.0);
        let written = alloc | elf::SHF_WRITE.0;
        assert_eq!(bits("hotcode", alloc | code), Some(OwnSections::Code));
        assert_eq!(bits("table", alloc), Some(OwnSections::Constants));
        assert_eq!(bits("table", written), Some(OwnSections::Written));
        assert_eq!(bits(".data1", written), Some(OwnSections::Data1));
        assert_eq!(
            bits(".ldata.big", written | LARGE),
            Some(OwnSections::LargeWritten)
        );
        let grouped = written | elf::SHF_GROUP.0;
        assert_eq!(bits("table", grouped), Some(OwnSections::Written));
        for (name, flags) in [
            (".text.hot", alloc | code),
            (".data.x", written),
            (".init", alloc | code),
            ("both", written | code),
            ("local", written | elf::SHF_TLS.0),
            ("texts", alloc | elf::SHF_MERGE.0),
            ("elsewhere", written | LARGE),
            ("debug", 0),
        ] {
            assert_eq!(bits(name, flags), None, "{name}");
        }
    }
}
