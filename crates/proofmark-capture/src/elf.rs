//! What an executable says about its making: its kind, its code, what its compilers wrote.

use std::fs;
use std::path::Path;

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
    read_producers(data).unwrap_or_default()
}

fn read_producers(data: &[u8]) -> Option<Vec<String>> {
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
    let mut found: Vec<String> = Vec::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        let mut entries = unit.entries();
        let Some(entry) = entries.next_dfs().ok()? else {
            continue;
        };
        let Some(value) = entry.attr_value(gimli::DW_AT_producer) else {
            continue;
        };
        let text = dwarf
            .attr_string(&unit, value)
            .ok()?
            .to_string_lossy()
            .into_owned();
        if !found.contains(&text) {
            found.push(text);
        }
    }
    Some(found)
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
