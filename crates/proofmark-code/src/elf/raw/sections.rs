//! The loaded sections of an ELF file, or its executable segments where the section table was taken
//! away.

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, SectionIndex};

use super::relocate::relocated;
use super::{File, Placement};
use crate::space::{Contents, Section};

/// Sections that hold stubs only.
const STUBS: [&str; 5] = [".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"];

/// Sections do not share bytes of the file, but for what odd tools write. All together they are
/// never believed to have more than this many times what the file has: a small file would stand for
/// code without end.
const SHARED: u64 = 4;

/// Counts the bytes of the file that sections name.
struct Named {
    left: u64,
}

impl Named {
    fn of(file: &File<'_>) -> Named {
        Named {
            left: (file.data().len() as u64).saturating_mul(SHARED),
        }
    }

    /// Takes `size` bytes more for what the header at `place` describes.
    fn take(&mut self, size: u64, place: u64) -> Result<(), (u64, String)> {
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            let what = format!(
                "the headers up to here name the same bytes again and again, more than {SHARED} times what the file has"
            );
            (place, what)
        })?;
        Ok(())
    }
}

/// The loaded sections, sorted by address. `base` is the offset of the image in its file.
pub(super) fn read(
    file: &File<'_>,
    placement: Option<&Placement>,
    base: u64,
) -> Result<Vec<Section>, (u64, String)> {
    let table = file.elf_section_table();
    let mut sections = Vec::new();
    let mut left_out = None;
    let mut named = Named::of(file);
    for (i, header) in table.iter().enumerate() {
        if header.sh_flags(LittleEndian) & elf::SHF_ALLOC == Default::default()
            || header.sh_size(LittleEndian) == 0
        {
            continue;
        }
        // `.tbss` takes no room in the address space and would seem to cover what follows it.
        let tls = header.sh_flags(LittleEndian) & elf::SHF_TLS != Default::default();
        if tls && header.sh_type(LittleEndian) == elf::SHT_NOBITS {
            continue;
        }
        if header.sh_type(LittleEndian) != elf::SHT_NOBITS {
            let place = place_of(file, SectionIndex(i));
            named.take(header.sh_size(LittleEndian), place)?;
        }
        let section = section(file, placement, base, SectionIndex(i), header)?;
        if !section.executable
            && header.sh_flags(LittleEndian) & elf::SHF_EXECINSTR != Default::default()
        {
            left_out =
                left_out.or_else(|| Some((place_of(file, SectionIndex(i)), section.name.clone())));
        }
        sections.push(section);
    }
    if let Some((place, name)) = left_out.filter(|_| !sections.iter().any(|s| s.executable)) {
        return Err((
            place,
            format!(
                "section {name} has no bytes here, as in a file of debug information; the code is in the executable that it belongs to"
            ),
        ));
    }
    if sections.is_empty() && placement.is_none() {
        sections = segments(file, base)?;
    }
    sections.sort_by_key(|s| (s.address, s.size));
    Ok(sections)
}

fn section(
    file: &File<'_>,
    placement: Option<&Placement>,
    base: u64,
    index: SectionIndex,
    header: &elf::SectionHeader64<LittleEndian>,
) -> Result<Section, (u64, String)> {
    let table = file.elf_section_table();
    let name = table.section_name(LittleEndian, header).map_or_else(
        |_| String::new(),
        |n| String::from_utf8_lossy(n).into_owned(),
    );
    let size = header.sh_size(LittleEndian);
    let address = placement.map_or_else(|| header.sh_addr(LittleEndian), |p| p.base(index));
    if address.checked_add(size).is_none() {
        return Err((
            place_of(file, index),
            format!("section {name} reaches beyond the end of the address space"),
        ));
    }
    let contents = match (header.sh_type(LittleEndian), placement) {
        (elf::SHT_NOBITS, _) => Contents::Zeros,
        (_, Some(placement)) => Contents::Owned(
            relocated(file, placement, index).ok_or_else(|| outside(file, index, &name))?,
        ),
        (_, None) => {
            let (offset, size) = header
                .file_range(LittleEndian)
                .ok_or_else(|| outside(file, index, &name))?;
            Contents::File(
                range(base, offset, size, file.data().len())
                    .ok_or_else(|| outside(file, index, &name))?,
            )
        }
    };
    let flags = header.sh_flags(LittleEndian);
    // What has no bytes in the file holds no code, and its size is only claimed: to go by it would
    // cost memory that no file pays for.
    let code =
        flags & elf::SHF_EXECINSTR != Default::default() && !matches!(contents, Contents::Zeros);
    Ok(Section {
        stubs: STUBS.contains(&name.as_str()),
        name,
        address,
        size,
        contents,
        executable: code,
        writable: flags & elf::SHF_WRITE != Default::default(),
    })
}

/// Executable and other loaded segments, standing in for sections.
fn segments(file: &File<'_>, base: u64) -> Result<Vec<Section>, (u64, String)> {
    let mut sections = Vec::new();
    let mut named = Named::of(file);
    for (i, header) in file.elf_program_headers().iter().enumerate() {
        if header.p_type(LittleEndian) != elf::PT_LOAD || header.p_filesz(LittleEndian) == 0 {
            continue;
        }
        let (offset, size) = header.file_range(LittleEndian);
        let at = file.elf_header().e_phoff(LittleEndian) + i as u64 * 56;
        let address = header.p_vaddr(LittleEndian);
        let contents = range(base, offset, size, file.data().len())
            .filter(|_| address.checked_add(size).is_some());
        let contents = contents.ok_or_else(|| {
            (
                at,
                format!("segment {i} reaches beyond the end of the file"),
            )
        })?;
        named.take(size, at)?;
        let flags = header.p_flags(LittleEndian);
        sections.push(Section {
            name: format!("segment {i}"),
            address,
            size,
            contents: Contents::File(contents),
            executable: flags & elf::PF_X != Default::default(),
            writable: flags & elf::PF_W != Default::default(),
            stubs: false,
        });
    }
    Ok(sections)
}

/// The range of the whole file that a range of the image is, if it lies inside.
fn range(base: u64, offset: u64, size: u64, len: usize) -> Option<std::ops::Range<usize>> {
    let end = offset.checked_add(size).filter(|end| *end <= len as u64)?;
    Some(usize::try_from(base + offset).ok()?..usize::try_from(base + end).ok()?)
}

fn place_of(file: &File<'_>, index: SectionIndex) -> u64 {
    file.elf_header()
        .e_shoff(LittleEndian)
        .saturating_add(index.0 as u64 * 64)
}

fn outside(file: &File<'_>, index: SectionIndex, name: &str) -> (u64, String) {
    (
        place_of(file, index),
        format!(
            "section {name} (number {}) reaches beyond the end of the file",
            index.0
        ),
    )
}
