//! The shared libraries that a program loads: asked of its own loader, in the environment that
//! counts, and never guessed from names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::endian::Endianness;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};

/// What the loader is for programs of this machine that do not name one: shared libraries.
const USUAL_LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

/// Folders of the system's own libraries. A package manager changes them, and no build.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/nix/store",
    "/gnu/store",
];

/// The shared libraries that an executable or a library loads, symbolic links resolved, each once;
/// the loader runs in the environment that `prepare` gives it. Empty where nothing is loaded, and
/// where there is no loader to ask.
pub fn loaded(image: &Path, prepare: impl FnOnce(&mut Command)) -> Vec<PathBuf> {
    let Some(loader) = loader(image) else {
        return Vec::new();
    };
    let mut command = Command::new(loader);
    prepare(&mut command);
    // Where loading itself is traced, the loader writes that and not the list.
    command
        .env_remove("LD_DEBUG")
        .arg("--list")
        .arg(image)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let Ok(output) = command.output() else {
        return Vec::new();
    };
    let mut places: Vec<PathBuf> = Vec::new();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let place = place(line).and_then(|place| place.canonicalize().ok());
        if let Some(place) = place
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

/// Whether a library belongs to the system, so that no build makes it.
#[must_use]
pub fn is_of_the_system(library: &Path) -> bool {
    SYSTEM.iter().any(|folder| library.starts_with(folder))
}

/// Whether an image is a shared library that cannot be started as a program: it names no loader,
/// and is no program linked statically.
#[must_use]
pub fn is_only_a_library(image: &Path) -> bool {
    let Ok(data) = fs::read(image) else {
        return false;
    };
    match object::FileKind::parse(&*data) {
        Ok(object::FileKind::Elf64) => {
            only_a_library::<object::elf::FileHeader64<Endianness>>(&data).unwrap_or(false)
        }
        Ok(object::FileKind::Elf32) => {
            only_a_library::<object::elf::FileHeader32<Endianness>>(&data).unwrap_or(false)
        }
        _ => false,
    }
}

fn only_a_library<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<bool> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let mut pie = false;
    for segment in header.program_headers(endian, data).ok()? {
        if segment.interpreter(endian, data).ok()?.is_some() {
            return Some(false);
        }
        for entry in segment.dynamic(endian, data).ok()?.unwrap_or_default() {
            let flags = entry.d_tag(endian) == object::elf::DT_FLAGS_1;
            pie |= flags && entry.d_val(endian).into() & object::elf::DF_1_PIE.0 != 0;
        }
    }
    Some(header.e_type(endian) == object::elf::ET_DYN && !pie)
}

/// The file in a line of the loader's list: `name => /the/file (0x…)`, or `/the/file (0x…)`.
fn place(line: &[u8]) -> Option<PathBuf> {
    let line = line.trim_ascii();
    let arrow = line.windows(4).position(|window| window == b" => ");
    let place = arrow.map_or(line, |at| line.get(at + 4..).unwrap_or_default());
    let address = place.windows(4).rposition(|window| window == b" (0x");
    let place = address.map_or(place, |at| place.get(..at).unwrap_or_default());
    place
        .starts_with(b"/")
        .then(|| PathBuf::from(OsStr::from_bytes(place)))
}

/// The loader that an image names (`PT_INTERP`), or the usual one for a library.
fn loader(image: &Path) -> Option<PathBuf> {
    let data = fs::read(image).ok()?;
    let named = match object::FileKind::parse(&*data).ok()? {
        object::FileKind::Elf64 => interpreter::<object::elf::FileHeader64<Endianness>>(&data)?,
        object::FileKind::Elf32 => interpreter::<object::elf::FileHeader32<Endianness>>(&data)?,
        _ => return None,
    };
    match named {
        Interpreter::Named(path) => Some(path),
        Interpreter::Usual => USUAL_LOADERS
            .iter()
            .map(PathBuf::from)
            .find(|path| path.is_file()),
        Interpreter::None => None,
    }
}

/// What loads an image.
enum Interpreter {
    Named(PathBuf),
    /// It names none and is linked dynamically: a library.
    Usual,
    /// Nothing: it is linked statically.
    None,
}

fn interpreter<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<Interpreter> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let mut dynamic = false;
    for segment in header.program_headers(endian, data).ok()? {
        if let Some(name) = segment.interpreter(endian, data).ok()? {
            return Some(Interpreter::Named(PathBuf::from(OsStr::from_bytes(name))));
        }
        dynamic |= segment.p_type(endian) == object::elf::PT_DYNAMIC;
    }
    Some(if dynamic {
        Interpreter::Usual
    } else {
        Interpreter::None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_from_the_loaders_list() {
        let read = |line: &str| place(line.as_bytes());
        assert_eq!(
            read("\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f12)"),
            Some("/lib/x/libc.so.6".into())
        );
        assert_eq!(
            read("\t/b/with space (0xy)/lib.so (0x00007f12)"),
            Some("/b/with space (0xy)/lib.so".into())
        );
        assert_eq!(read("\tlinux-vdso.so.1 (0x00007ffc)"), None);
        assert_eq!(read("\tlibwork.so => not found"), None);
        assert_eq!(read("\tstatically linked"), None);
    }

    #[test]
    fn the_system_is_known_by_whole_names_of_folders() {
        assert!(is_of_the_system(Path::new("/usr/lib/x/libc.so.6")));
        assert!(!is_of_the_system(Path::new("/usr/local/lib/libwork.so")));
        assert!(!is_of_the_system(Path::new("/library/libwork.so")));
    }
}
