//! What the system's loader makes of a file, whatever else is in it: whether two files are one
//! program, and whether a file is none at all.

use std::ops::Range;

use object::Endianness;
use object::elf::{
    DF_1_PIE, DT_FLAGS_1, ET_DYN, ET_REL, FileHeader32, FileHeader64, FileType, Machine,
    NT_GNU_BUILD_ID, PT_DYNAMIC, PT_INTERP, PT_LOAD,
};
use object::read::elf::{Dyn as _, FileHeader, ProgramHeader as _};

use crate::unloaded::Unloaded;

/// Whether a file is a shared library that no kernel starts: it names no loader, and was not linked
/// as a program.
#[must_use]
pub fn is_library(data: &[u8]) -> bool {
    by_class(
        data,
        library::<FileHeader64<Endianness>>,
        library::<FileHeader32<Endianness>>,
    )
    .unwrap_or(false)
}

/// Whether two different files are one program: they load as the same bytes, and differ in their
/// debug information, their symbol names or their build id alone. What else stands in a file a
/// program may read. `false` for what is not ELF.
#[must_use]
pub fn load_alike(one: &[u8], other: &[u8]) -> bool {
    let read = |data| {
        by_class(
            data,
            |data| {
                let unloaded = Unloaded::of::<FileHeader64<Endianness>>(data)?;
                Some((Loaded::of::<FileHeader64<Endianness>>(data)?, unloaded))
            },
            |data| {
                let unloaded = Unloaded::of::<FileHeader32<Endianness>>(data)?;
                Some((Loaded::of::<FileHeader32<Endianness>>(data)?, unloaded))
            },
        )
    };
    let (Some((one, beside)), Some((other, other_beside))) = (read(one), read(other)) else {
        return false;
    };
    one.is_as(&other) && beside == other_beside
}

/// Whether a file is an object or an archive of objects: there to be linked, and not to be run or
/// read.
#[must_use]
pub fn is_link_input(data: &[u8]) -> bool {
    if data.starts_with(&object::archive::MAGIC) || data.starts_with(&object::archive::THIN_MAGIC) {
        return true;
    }
    by_class(
        data,
        relocatable::<FileHeader64<Endianness>>,
        relocatable::<FileHeader32<Endianness>>,
    )
    .unwrap_or(false)
}

fn relocatable<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<bool> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    Some(header.e_type(endian) == ET_REL)
}

/// Whether a program or library may load others while it runs: it calls `dlopen`. What is not ELF
/// may do anything.
#[must_use]
pub fn may_load_more(data: &[u8]) -> bool {
    by_class(
        data,
        calls_dlopen::<FileHeader64<Endianness>>,
        calls_dlopen::<FileHeader32<Endianness>>,
    )
    .unwrap_or(true)
}

/// `None` for what is not ELF, or damaged.
fn by_class<'data, T>(
    data: &'data [u8],
    wide: impl FnOnce(&'data [u8]) -> Option<T>,
    narrow: impl FnOnce(&'data [u8]) -> Option<T>,
) -> Option<T> {
    match object::FileKind::parse(data).ok()? {
        object::FileKind::Elf64 => wide(data),
        object::FileKind::Elf32 => narrow(data),
        _ => None,
    }
}

fn library<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<bool> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    if header.e_type(endian) != ET_DYN {
        return Some(false);
    }
    if segments.iter().any(|one| one.p_type(endian) == PT_INTERP) {
        return Some(false);
    }
    let dynamic = segments
        .iter()
        .find(|one| one.p_type(endian) == PT_DYNAMIC)?
        .dynamic(endian, data)
        .ok()??;
    let program = dynamic.iter().any(|entry| {
        let value: u64 = entry.d_val(endian).into();
        entry.d_tag(endian) == DT_FLAGS_1 && value & DF_1_PIE.0 != 0
    });
    Some(!program)
}

fn calls_dlopen<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<bool> {
    use object::read::elf::Sym as _;
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let mut any = false;
    for kind in [object::elf::SHT_DYNSYM, object::elf::SHT_SYMTAB] {
        let table = sections.symbols(endian, data, kind).ok()?;
        any |= !table.is_empty();
        let mut names = table
            .iter()
            .filter_map(|symbol| symbol.name(endian, table.strings()).ok());
        if names
            .any(|name| name == b"dlopen" || name == b"dlmopen" || name == b"__libc_dlopen_mode")
        {
            return Some(true);
        }
    }
    // Without a single name nothing can be told.
    Some(!any)
}

/// The loaded parts of a file.
struct Loaded<'data> {
    /// What the file is, and where it begins.
    kind: (FileType, Machine, u64),
    /// Every program header but its place in the file, and the content where it is loaded.
    segments: Vec<(Vec<u64>, &'data [u8], usize)>,
    /// What does not count: what the header says of symbols and sections, and the build id.
    aside: Vec<Range<usize>>,
}

impl<'data> Loaded<'data> {
    fn of<Elf: FileHeader<Endian = Endianness>>(data: &'data [u8]) -> Option<Self> {
        let header = Elf::parse(data).ok()?;
        let endian = header.endian().ok()?;
        // EI_OSABI and EI_ABIVERSION, which follow from symbols; e_shoff, and e_shentsize to
        // e_shstrndx (the generic ABI, chapter 4).
        let tables = if header.is_class_64() {
            [7..9, 0x28..0x30, 0x3a..0x40]
        } else {
            [7..9, 0x20..0x24, 0x2e..0x34]
        };
        let mut ids = Vec::new();
        let mut segments = Vec::new();
        for segment in header.program_headers(endian, data).ok()? {
            let kind = segment.p_type(endian);
            let shape: Vec<u64> = vec![
                kind.0.into(),
                segment.p_flags(endian).0.into(),
                segment.p_vaddr(endian).into(),
                segment.p_memsz(endian).into(),
                segment.p_filesz(endian).into(),
                segment.p_align(endian).into(),
            ];
            let content = match kind {
                PT_LOAD => segment.data(endian, data).ok()?,
                _ => &[],
            };
            let at = usize::try_from(segment.p_offset(endian).into()).ok()?;
            segments.push((shape, content, at));
            if let Ok(Some(mut notes)) = segment.notes(endian, data) {
                while let Ok(Some(note)) = notes.next() {
                    if note.name() == object::elf::ELF_NOTE_GNU
                        && note.n_type(endian) == NT_GNU_BUILD_ID
                    {
                        let id = note.desc();
                        let begin = (id.as_ptr() as usize).checked_sub(data.as_ptr() as usize)?;
                        ids.push(begin..begin + id.len());
                    }
                }
            }
        }
        let kind = (
            header.e_type(endian),
            header.e_machine(endian),
            header.e_entry(endian).into(),
        );
        (!segments.is_empty()).then_some(Loaded {
            kind,
            segments,
            aside: tables.into_iter().chain(ids).collect(),
        })
    }

    fn is_as(&self, other: &Loaded<'_>) -> bool {
        let aside = |at: usize| self.aside.iter().any(|range| range.contains(&at));
        self.kind == other.kind
            && self.aside == other.aside
            && self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(
                |((shape, one, at), (other_shape, other, _))| {
                    shape == other_shape
                        && one.len() == other.len()
                        && (one == other
                            || one
                                .iter()
                                .zip(*other)
                                .enumerate()
                                .all(|(index, (a, b))| a == b || aside(at + index)))
                },
            )
    }
}
