//! A copy of an executable whose debug information readers do not find. Nothing moves: only the
//! headers of its sections are blanked.

use std::io;
use std::path::Path;

use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, FileKind};

/// Copies an ELF file, with its permissions, and blanks the headers of debug sections in the copy.
pub(super) fn copy(image: &Path, to: &Path) -> io::Result<()> {
    let mut bytes = std::fs::read(image)?;
    let headers = match FileKind::parse(&*bytes).map_err(io::Error::other)? {
        FileKind::Elf64 => debug_headers::<FileHeader64<Endianness>>(&bytes),
        FileKind::Elf32 => debug_headers::<FileHeader32<Endianness>>(&bytes),
        _ => return Err(io::Error::other("it is no ELF file")),
    };
    for start in headers.map_err(io::Error::other)? {
        // Name and type, in both classes: an unnamed section of no type.
        if let Some(header) = bytes.get_mut(start..start + 8) {
            header.fill(0);
        }
    }
    std::fs::copy(image, to)?;
    std::fs::write(to, bytes)
}

/// Where in the file the headers of debug sections start.
fn debug_headers<Header: FileHeader<Endian = Endianness>>(
    bytes: &[u8],
) -> object::read::Result<Vec<usize>> {
    let header = Header::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let table: u64 = header.e_shoff(endian).into();
    let size = usize::from(header.e_shentsize(endian));
    let mut found = Vec::new();
    for (index, section) in sections.enumerate() {
        let name = sections.section_name(endian, section)?;
        let is_debug = [b".debug_".as_slice(), b".zdebug_", b".gnu_debug"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_debug && !section.sh_flags(endian).contains(object::elf::SHF_ALLOC) {
            found.push(
                usize::try_from(table)
                    .unwrap_or(usize::MAX)
                    .saturating_add(index.0 * size),
            );
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSection};

    /// This test itself is an executable with debug information. One section of that kind is loaded
    /// with the program, and stays.
    #[test]
    fn debug_sections_are_gone_and_everything_else_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (image, to) = (std::env::current_exe().unwrap(), folder.path().join("copy"));
        copy(&image, &to).unwrap();
        let (before, after) = (std::fs::read(&image).unwrap(), std::fs::read(&to).unwrap());
        let names = |bytes: &[u8]| -> Vec<String> {
            let file = object::File::parse(bytes).unwrap();
            file.sections()
                .map(|section| section.name().unwrap().to_owned())
                .filter(|name| !name.is_empty())
                .collect()
        };
        let (before_names, after_names) = (names(&before), names(&after));
        assert!(
            before_names.iter().any(|name| name == ".debug_info"),
            "{before_names:?}"
        );
        let expected: Vec<&String> = before_names
            .iter()
            .filter(|name| !name.starts_with(".debug_") || *name == ".debug_gdb_scripts")
            .collect();
        assert_eq!(after_names.iter().collect::<Vec<_>>(), expected);
        let differing = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .count();
        assert_eq!(before.len(), after.len());
        assert!(differing <= 8 * (before_names.len() - after_names.len()));
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(copy(&script, &folder.path().join("copy")).is_err());
    }
}
