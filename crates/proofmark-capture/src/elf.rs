//! What an executable says about its making: its kind, its code, what its compilers wrote.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use object::endian::Endianness;
use object::read::elf::{Dyn, FileHeader};
use object::{Object, ObjectKind, ObjectSection};
use proofmark_terms::Digest;

use crate::captured::LinkKind;

/// What is read of an image.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub kind: Option<LinkKind>,
    /// BLAKE3 of the code alone: survives stripping, and a change of the data.
    pub code: Option<Digest>,
    /// BLAKE3 of everything that is loaded, with its places: survives stripping and nothing else.
    /// None without code.
    pub loaded: Option<Digest>,
    pub text_bytes: u64,
}

/// Reads an image. `None` when it is not ELF.
pub(crate) fn about(image: &Path, shared: bool) -> Option<About> {
    let data = fs::read(image).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let kind = match file.kind() {
        ObjectKind::Relocatable => Some(LinkKind::Relocatable),
        ObjectKind::Executable => Some(LinkKind::Executable),
        ObjectKind::Dynamic if shared => Some(LinkKind::SharedLibrary),
        ObjectKind::Dynamic => Some(LinkKind::Executable),
        _ => None,
    };
    let text = file.section_by_name(".text");
    let code = text
        .as_ref()
        .and_then(|text| text.data().ok())
        .filter(|code| !code.is_empty())
        .map(crate::objects::hash_bytes);
    Some(About {
        kind,
        loaded: code.is_some().then(|| loaded(&file)),
        code,
        text_bytes: text.map_or(0, |text| text.size()),
    })
}

/// What a process has of an image in its memory, section by section; nothing of what is no image.
pub(crate) fn in_memory(data: &[u8]) -> Vec<&[u8]> {
    let Ok(file) = object::File::parse(data) else {
        return Vec::new();
    };
    let loaded = file.sections().filter(is_loaded);
    loaded.filter_map(|section| section.data().ok()).collect()
}

fn is_loaded<'data>(section: &impl ObjectSection<'data>) -> bool {
    let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else {
        return false;
    };
    sh_flags.0 & object::elf::SHF_ALLOC.0 != 0
}

/// Everything that a process sees of an image: name, place and content of each section that takes
/// part in it.
fn loaded(file: &object::File<'_>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for section in file.sections() {
        if !is_loaded(&section) {
            continue;
        }
        let name = section.name_bytes().unwrap_or_default();
        let content = section.data().unwrap_or_default();
        for number in [name.len() as u64, section.address(), section.size()] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(&(content.len() as u64).to_le_bytes());
        hasher.update(name).update(content);
    }
    hasher.finalize().into()
}

/// Bytes of `.text`.
pub(crate) fn text_bytes(image: &Path) -> Option<u64> {
    Some(about(image, false)?.text_bytes)
}

/// The first bytes of a file tell an ELF executable or shared library.
pub(crate) fn is_image(file: &Path) -> bool {
    let mut start = [0; 20];
    let read =
        fs::File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    let kind = u16::from_le_bytes([start[16], start[17]]);
    read.is_ok()
        && start.starts_with(b"\x7fELF")
        && (kind == object::elf::ET_EXEC.0 || kind == object::elf::ET_DYN.0)
}

/// What the compilers and linkers wrote into `.comment`, each once.
pub(crate) fn comments(data: &[u8]) -> Vec<String> {
    let Ok(file) = object::File::parse(data) else {
        return Vec::new();
    };
    let Some(section) = file.section_by_name(".comment") else {
        return Vec::new();
    };
    let content = section.uncompressed_data().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for text in content
        .split(|byte| *byte == 0)
        .filter(|text| !text.is_empty())
    {
        let text = String::from_utf8_lossy(text).into_owned();
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// What the compilers wrote into the debug information of a linked image (`DW_AT_producer` of each
/// unit), each once.
pub(crate) fn producers(data: &[u8]) -> Vec<String> {
    of_units(data, &[gimli::DW_AT_producer])
}

/// The folders in which its units were compiled, and their sources as the compilers were told them
/// (`DW_AT_comp_dir` and `DW_AT_name`), each once.
pub(crate) fn compiled_in(data: &[u8]) -> Vec<String> {
    of_units(data, &[gimli::DW_AT_comp_dir, gimli::DW_AT_name])
}

/// Texts of the debug information of a linked image that stand at its units, each once.
fn of_units(data: &[u8], attributes: &[gimli::DwAt]) -> Vec<String> {
    read_units(data, attributes).unwrap_or_default()
}

fn read_units(data: &[u8], attributes: &[gimli::DwAt]) -> Option<Vec<String>> {
    let file = object::File::parse(data).ok()?;
    let endian = if file.is_little_endian() {
        gimli::RunTimeEndian::Little
    } else {
        gimli::RunTimeEndian::Big
    };
    let sections = gimli::DwarfSections::load(|id| -> Result<_, object::Error> {
        Ok(match file.section_by_name(id.name()) {
            Some(section) => section.uncompressed_data()?,
            None => std::borrow::Cow::Borrowed(&[][..]),
        })
    });
    let sections = sections.ok()?;
    let dwarf = sections.borrow(|section| gimli::EndianSlice::new(section, endian));
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut ordered: Vec<String> = Vec::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        let mut entries = unit.entries();
        let Some(entry) = entries.next_dfs().ok()? else {
            continue;
        };
        for &attribute in attributes {
            let Some(value) = entry.attr_value(attribute) else {
                continue;
            };
            let text = dwarf.attr_string(&unit, value).ok()?;
            let text = text.to_string_lossy().into_owned();
            if found.insert(text.clone()) {
                ordered.push(text);
            }
        }
    }
    Some(ordered)
}

/// Where a dynamic image has its loader look for libraries (`DT_RPATH`, `DT_RUNPATH`): each list
/// as it stands there.
pub(crate) fn run_paths(data: &[u8]) -> Vec<String> {
    match object::FileKind::parse(data) {
        Ok(object::FileKind::Elf64) => {
            read_run_paths::<object::elf::FileHeader64<Endianness>>(data).unwrap_or_default()
        }
        Ok(object::FileKind::Elf32) => {
            read_run_paths::<object::elf::FileHeader32<Endianness>>(data).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn read_run_paths<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<Vec<String>> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings = sections.strings(endian, data, strings).ok()?;
    let of_paths = |entry: &&Elf::Dyn| {
        let tag = entry.d_tag(endian);
        tag == object::elf::DT_RPATH || tag == object::elf::DT_RUNPATH
    };
    let text = |entry: &Elf::Dyn| {
        let at = u32::try_from(entry.d_val(endian).into()).ok()?;
        let text = strings.get(at).ok()?;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    Some(entries.iter().filter(of_paths).filter_map(text).collect())
}

/// Which sections of two images differ, in words.
pub(crate) fn difference(one: &[u8], other: &[u8]) -> String {
    let (Ok(one), Ok(other)) = (object::File::parse(one), object::File::parse(other)) else {
        return "one of the two is not ELF".to_owned();
    };
    let mut parts = Vec::new();
    for section in one.sections() {
        let name = String::from_utf8_lossy(section.name_bytes().unwrap_or_default()).into_owned();
        match other.section_by_name(&name) {
            None => parts.push(format!("{name} is missing")),
            Some(twin) if twin.size() != section.size() => parts.push(format!(
                "{name} has {} bytes instead of {}",
                twin.size(),
                section.size()
            )),
            Some(twin) if twin.address() != section.address() => {
                parts.push(format!("{name} is elsewhere"));
            }
            Some(twin) if twin.data().ok() != section.data().ok() => {
                parts.push(format!("{name} has other content"));
            }
            Some(_) => {}
        }
    }
    if parts.is_empty() {
        "only headers differ".to_owned()
    } else {
        parts.join(", ")
    }
}
