//! Everything of an image that is loaded, compared byte for byte.

use std::collections::BTreeMap;
use std::path::Path;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::loader::{Tables, is_table};
use crate::LayoutError;

type Header = elf::FileHeader64<LE>;

/// The hash of the whole file that a linker writes into it: it covers the table of symbols, which
/// is not loaded.
const BUILD_ID: &str = ".note.gnu.build-id";

/// The loaded sections of an image.
pub(super) struct Loaded {
    sections: Vec<Loadable>,
    /// It has a table of symbols.
    pub(super) has_symbols: bool,
    /// Its segments.
    segments: Vec<Segment>,
    /// What its header says that no link of the same inputs says otherwise: but for the start of
    /// the program, and for the table of sections.
    header: Vec<u8>,
    /// Where the program starts.
    entry: u64,
    /// Bytes that are in no section or header, those apart that fill gaps.
    between: Vec<u8>,
    /// Bytes behind everything that its headers know of.
    appended: usize,
    /// Its sections that are not loaded, by name, those apart that speak of it to others.
    beside: BTreeMap<String, Vec<u8>>,
    /// What the loader's tables say.
    tables: Tables,
}

/// Sections that are not loaded and that no program looks for in itself: debuggers, linkers and
/// people do. Names that begin so.
const FOR_OTHERS: [&str; 11] = [
    ".debug_",
    ".zdebug_",
    ".gdb_index",
    ".gnu_debug",
    ".gnu.build.attributes",
    ".gnu.lto_",
    ".note.gnu.",
    ".note.stapsdt",
    ".stab",
    ".comment",
    ".llvm",
];
/// The same by their kind: tables of symbols and their names, and relocations that a link keeps.
const TABLES: [elf::SectionType; 6] = [
    elf::SHT_SYMTAB,
    elf::SHT_SYMTAB_SHNDX,
    elf::SHT_STRTAB,
    elf::SHT_RELA,
    elf::SHT_REL,
    elf::SHT_NOBITS,
];
/// What linkers fill gaps between sections with: zeros, and traps of x86-64 and AArch64.
const FILL: [u8; 4] = [0, 0xcc, 0xd4, 0x20];

/// What a link gives a segment, whatever its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    kind: u32,
    flags: u32,
    alignment: u64,
    /// Bytes in memory of one that has none in the file, such as the stack; otherwise 0.
    reserved: u64,
}

struct Loadable {
    name: String,
    address: u64,
    size: u64,
    kind: elf::SectionType,
    executable: bool,
    bytes: Vec<u8>,
}

impl Loaded {
    pub(super) fn read(path: &Path) -> Result<Loaded, LayoutError> {
        let data = std::fs::read(path).map_err(LayoutError::file("read", path))?;
        Loaded::parse(&data).map_err(|error| LayoutError::Image {
            path: path.to_path_buf(),
            problem: error.to_string(),
        })
    }

    fn parse(data: &[u8]) -> object::read::Result<Loaded> {
        let header = Header::parse(data)?;
        let table = header.sections(LE, data)?;
        let mut loaded = Loaded {
            sections: Vec::new(),
            has_symbols: false,
            segments: Vec::new(),
            header: own_header(data),
            entry: header.e_entry(LE),
            between: Vec::new(),
            appended: 0,
            beside: BTreeMap::new(),
            tables: Tables::read(&table, data)?,
        };
        let table_size = u64::from(header.e_shentsize(LE)) * u64::from(header.e_shnum(LE));
        let mut end = header.e_shoff(LE).saturating_add(table_size);
        let headers = u64::from(header.e_phentsize(LE)) * u64::from(header.e_phnum(LE));
        let mut known = vec![
            (0, u64::from(header.e_ehsize(LE))),
            (header.e_phoff(LE), headers),
            (header.e_shoff(LE), table_size),
        ];
        for segment in header.program_headers(LE, data)? {
            let empty = segment.p_filesz(LE) == 0;
            loaded.segments.push(Segment {
                kind: segment.p_type(LE).0,
                flags: segment.p_flags(LE).0,
                alignment: segment.p_align(LE),
                reserved: if empty { segment.p_memsz(LE) } else { 0 },
            });
            end = end.max(segment.p_offset(LE).saturating_add(segment.p_filesz(LE)));
        }
        for section in table.iter() {
            if let Some((from, size)) = section.file_range(LE) {
                end = end.max(from.saturating_add(size));
                known.push((from, size));
            }
            loaded.has_symbols |= section.sh_type(LE) == elf::SHT_SYMTAB;
            if section.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
                let name = String::from_utf8_lossy(table.section_name(LE, section)?);
                let own = !TABLES.contains(&section.sh_type(LE));
                if own && !FOR_OTHERS.iter().any(|begin| name.starts_with(begin)) {
                    let content = section.data(LE, data)?.to_vec();
                    loaded.beside.insert(name.into_owned(), content);
                }
                continue;
            }
            loaded.sections.push(Loadable {
                name: String::from_utf8_lossy(table.section_name(LE, section)?).into_owned(),
                address: section.sh_addr(LE),
                size: section.sh_size(LE),
                kind: section.sh_type(LE),
                executable: section.sh_flags(LE).0 & elf::SHF_EXECINSTR.0 != 0,
                bytes: section.data(LE, data)?.to_vec(),
            });
        }
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        loaded.appended = data.len().saturating_sub(end);
        loaded.between = between(data, known);
        Ok(loaded)
    }

    /// What a step behind the link did to this file that is in no section, and that its link by
    /// itself does not do; in words.
    pub(super) fn changed_behind(&self, linked: &Loaded) -> Option<String> {
        if self.appended != linked.appended {
            return Some(format!(
                "{} bytes are appended to the file, and its link writes {} there",
                self.appended, linked.appended
            ));
        }
        // A link that was told to leave them out, or a step that strips, takes nothing away that a
        // program would find.
        let mut beside = self.beside.iter();
        let added = beside.find(|(name, content)| linked.beside.get(*name) != Some(content));
        if let Some((name, content)) = added {
            return Some(format!(
                "the section {name} of {} bytes, which is not loaded, is in the file, and its link \
                 makes no such one",
                content.len()
            ));
        }
        if self.segments != linked.segments {
            return Some(format!(
                "the file has {} segments, and its link makes {}, or others",
                self.segments.len(),
                linked.segments.len()
            ));
        }
        if self.header != linked.header {
            return Some("the header of the file is not the one that its link writes".to_string());
        }
        (self.between != linked.between).then(|| {
            "the file has other bytes between its sections than its link writes there".to_string()
        })
    }

    /// The first difference, in words; none where everything that is loaded is the same.
    pub(super) fn differs(&self, other: &Loaded) -> Option<String> {
        for (own, other) in self.sections.iter().zip(&other.sections) {
            let name = &own.name;
            if *name != other.name {
                return Some(format!(
                    "the section {name} stands where {} should",
                    other.name
                ));
            }
            if (own.address, own.size, own.kind) != (other.address, other.size, other.kind) {
                return Some(format!(
                    "the section {name} has {} bytes at {:#x} in the file and {} at {:#x} when it is linked again",
                    own.size, own.address, other.size, other.address
                ));
            }
            if own.bytes != other.bytes && name != BUILD_ID && !is_table(name) {
                return Some(format!("the section {name} has another content"));
            }
        }
        let counts = (self.sections.len(), other.sections.len());
        if counts.0 != counts.1 {
            return Some(format!(
                "the section count is {} in the file and {} when it is linked again",
                counts.0, counts.1
            ));
        }
        if self.tables != other.tables {
            return Some(
                "the section .dynamic, or a table that belongs to it, has another content"
                    .to_string(),
            );
        }
        (self.entry != other.entry).then(|| {
            format!(
                "the program starts at {:#x} in the file and at {:#x} when it is linked again",
                self.entry, other.entry
            )
        })
    }

    /// A section of data that has another content although everything stands where it stood.
    pub(super) fn data_differs(&self, other: &Loaded) -> Option<String> {
        let place = |one: &Loadable| (one.name.clone(), one.address, one.size);
        if !self
            .sections
            .iter()
            .map(place)
            .eq(other.sections.iter().map(place))
        {
            return None;
        }
        let of_the_linker = |name: &str| {
            name == BUILD_ID
                || is_table(name)
                || name.starts_with(".got")
                || name.starts_with(".plt")
        };
        let mut pairs = self.sections.iter().zip(&other.sections);
        let (own, _) = pairs.find(|(own, other)| {
            own.bytes != other.bytes && !own.executable && !of_the_linker(&own.name)
        })?;
        Some(format!("the section {} has another content", own.name))
    }
}

/// The header of a file, without the start of the program and what says where the tables are.
fn own_header(data: &[u8]) -> Vec<u8> {
    // e_ident to e_version, but for EI_OSABI and EI_ABIVERSION, which follow from symbols that may
    // be stripped; e_flags to e_phentsize (the generic ABI, chapter 4: 64-bit files).
    let parts = [data.get(..7), data.get(9..0x18), data.get(0x30..0x38)];
    parts.into_iter().flatten().flatten().copied().collect()
}

/// Bytes up to the end of these ranges, given by start and size, that are in none of them. What
/// stands between segments is loaded with the pages that they share.
fn between(data: &[u8], mut known: Vec<(u64, u64)>) -> Vec<u8> {
    known.sort_unstable();
    let (mut found, mut at) = (Vec::new(), 0_u64);
    for (from, size) in known {
        let gap = usize::try_from(at).ok().zip(usize::try_from(from).ok());
        let bytes = gap.and_then(|(at, from)| data.get(at..from));
        let told = bytes.unwrap_or_default().iter();
        found.extend(told.filter(|byte| !FILL.contains(byte)).copied());
        at = at.max(from.saturating_add(size));
    }
    found
}
