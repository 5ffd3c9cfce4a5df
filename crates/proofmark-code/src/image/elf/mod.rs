//! ELF files: from the bytes to an [`Image`].

mod intermediate;
mod links;
mod names;
mod notes;
mod place;
mod relocate;
mod sections;
mod separate;
mod sizes;
mod splits;
mod symbols;
mod unwind;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Endianness, LittleEndian};

use super::{Bytes, Few, Format, Image, Kind, Marks, Places, Pointers, Stretch};
use crate::{Arch, CodeError};

pub(crate) use place::Placement;
pub(crate) use relocate::{contents, left_alone, relocated};

/// A parsed file, borrowed from its bytes.
pub(crate) type File<'a> = ElfFile64<'a, LittleEndian>;

/// Whether the bytes begin as an ELF file does.
pub(super) fn is_elf(data: &[u8]) -> bool {
    data.starts_with(&elf::ELFMAG)
}

/// What code the bytes hold that is not read: another format's, or none of a machine.
pub(super) fn unread(data: &[u8]) -> Option<&'static str> {
    if is_elf(data) {
        let file = File::parse(data).ok()?;
        return intermediate::place(&file).map(|_| intermediate::GCC);
    }
    match data {
        [0xcf, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => Some("a Mach-O file"),
        [b'M', b'Z', ..] => Some("a PE file"),
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => {
            Some("LLVM bitcode, not machine code (was it compiled with -flto?)")
        }
        _ => None,
    }
}

/// The name used in errors: `libfoo.a(bar.o)` for a member.
pub(crate) fn shown_path(path: &Path, member: Option<&str>) -> PathBuf {
    match member {
        Some(member) => PathBuf::from(format!("{}({member})", path.display())),
        None => path.to_path_buf(),
    }
}

/// Parses the headers of a file that is already known to be good (its image was built from them).
pub(crate) fn reopen(image: &Image) -> Option<File<'_>> {
    File::parse(image.data.get(image.extent.clone())?).ok()
}

/// The separate debug file of an image, if it has one.
pub(crate) fn separate_debug(image: &Image) -> Option<Arc<Bytes>> {
    if image.debug.is_some() {
        return image.debug.clone();
    }
    separate::find(&image.path, &reopen(image)?)
}

/// Reads one file, or one member of an archive.
pub(super) fn read(
    path: &Path,
    member: Option<String>,
    data: &Arc<Bytes>,
    extent: Range<usize>,
) -> Result<Image, CodeError> {
    let shown = shown_path(path, member.as_deref());
    let whole = Stretch::of(data, extent.clone()).unwrap_or_else(|| Stretch::owned(Vec::new()));
    let bytes = &*whole;
    let base = extent.start as u64;
    let (arch, kind) = identify(&shown, base, bytes)?;
    let file = File::parse(bytes).map_err(|e| {
        CodeError::damaged(
            &shown,
            base + header_fault(bytes),
            format!("damaged ELF file: {e}"),
        )
    })?;
    if let Some(place) = intermediate::place(&file) {
        return Err(CodeError::Unsupported {
            path: shown,
            offset: base + place,
            what: intermediate::GCC.to_string(),
        });
    }
    let placement = (kind == Kind::Object)
        .then(|| Placement::of(&file))
        .transpose();
    let placement =
        placement.map_err(|(offset, what)| CodeError::damaged(&shown, base + offset, what))?;
    let mut image = Image {
        path: path.to_path_buf(),
        member,
        arch,
        kind,
        format: Format::Elf,
        data: Arc::clone(data),
        extent,
        debug: None,
        sections: sections::read(&file, placement.as_ref(), base)
            .map_err(|(offset, what)| CodeError::damaged(&shown, base + offset, what))?,
        functions: Vec::new(),
        function_marks: Marks::default(),
        links: Vec::new(),
        link_places: Places::default(),
        link_kinds: Vec::new(),
        data_symbols: Vec::new(),
        pointers: Pointers::default(),
        data_in_code: Vec::new(),
        noreturn: Few::default(),
        build_id: notes::build_id(&file),
        producers: notes::producers(&file),
        has_local_symbols: false,
        has_go: false,
        left_alone: OnceLock::new(),
    };
    let mut found = symbols::read(&file, &whole, placement.as_ref(), &image)
        .map_err(|(offset, what)| CodeError::damaged(&shown, base + offset, what))?;
    if !found.complete && kind != Kind::Object {
        image.debug = separate::find(path, &file);
        if let Some(more) = image.debug.as_ref().and_then(|d| kept_apart(d, &image)) {
            found = more;
        }
    }
    image.has_local_symbols = found.complete;
    let mut sections = image.sections.iter();
    image.has_go = sections.any(|s| s.name.ends_with(".gopclntab"));
    image.data_symbols = found.data;
    image.data_in_code = found.data_in_code;
    image.functions = found.functions;
    if kind != Kind::Object {
        if !found.complete {
            unwind::add(&file, &mut image);
        }
        links::read(&file, &whole, &mut image);
    } else if let Some(placement) = &placement {
        links::undefined(&file, &whole, placement, &mut image);
    }
    sizes::complete(&mut image)
        .map_err(|(offset, what)| CodeError::damaged(&shown, offset, what))?;
    splits::tie(&mut image.functions);
    image.function_marks = Marks::new(image.functions.iter().map(|f| f.address));
    image.link_places = Places::new(image.links.iter().map(|l| l.address).collect());
    image.link_kinds = image.links.iter().map(|l| l.kind).collect();
    image.noreturn = Few::new(links::noreturn(&image));
    Ok(image)
}

/// The symbols that were stripped from an image and kept in its separate debug file.
fn kept_apart(debug: &Arc<Bytes>, image: &Image) -> Option<symbols::Symbols> {
    let whole = Stretch::of(debug, 0..debug.len())?;
    let file = File::parse(&*whole).ok()?;
    let found = symbols::read(&file, &whole, None, image).ok()?;
    found.complete.then_some(found)
}

/// The instruction set and sort of file, from the header alone.
fn identify(path: &Path, base: u64, bytes: &[u8]) -> Result<(Arch, Kind), CodeError> {
    let unsupported = |offset: u64, what: String| CodeError::Unsupported {
        path: path.to_path_buf(),
        offset: base + offset,
        what,
    };
    if !is_elf(bytes) {
        let script = bytes.starts_with(b"#!").then_some("a script");
        let Some(what) = unread(bytes).or(script) else {
            return Err(CodeError::damaged(
                path,
                base,
                "not an ELF file: it does not begin with \\x7fELF",
            ));
        };
        return Err(unsupported(0, what.to_string()));
    }
    match (bytes.get(4), bytes.get(5)) {
        (Some(2), Some(1)) => {}
        (Some(1), _) => return Err(unsupported(4, "a 32-bit ELF file".to_string())),
        (Some(2), Some(2)) => return Err(unsupported(5, "a big-endian ELF file".to_string())),
        (Some(_), Some(_)) => {
            return Err(CodeError::damaged(
                path,
                base + 4,
                "damaged ELF header: neither 32- nor 64-bit, or no byte order",
            ));
        }
        _ => {
            return Err(CodeError::damaged(
                path,
                base + bytes.len() as u64,
                "the file ends inside its ELF header",
            ));
        }
    }
    let header = elf::FileHeader64::<Endianness>::parse(bytes).map_err(|_| {
        let end = if bytes.len() < 64 {
            bytes.len() as u64
        } else {
            6
        };
        CodeError::damaged(
            path,
            base + end,
            "damaged ELF header, or the file ends inside it",
        )
    })?;
    let arch = match header.e_machine(Endianness::Little) {
        elf::EM_X86_64 => Arch::X86_64,
        elf::EM_AARCH64 => Arch::Aarch64,
        other => {
            return Err(unsupported(
                18,
                format!("an ELF file for machine number {}", other.0),
            ));
        }
    };
    let kind = match header.e_type(Endianness::Little) {
        elf::ET_REL => Kind::Object,
        elf::ET_EXEC => Kind::Executable,
        elf::ET_DYN => Kind::Shared,
        other => {
            return Err(unsupported(
                16,
                format!("an ELF file of type {} (a core file?)", other.0),
            ));
        }
    };
    Ok((arch, kind))
}

/// Which header field is most likely at fault when the section or program table cannot be read.
fn header_fault(bytes: &[u8]) -> u64 {
    let field = |at: usize| {
        bytes
            .get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    };
    let len = bytes.len() as u64;
    if field(0x28) > len {
        0x28
    } else if field(0x20) > len {
        0x20
    } else {
        field(0x28)
    }
}
