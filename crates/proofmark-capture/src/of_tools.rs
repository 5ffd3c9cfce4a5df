//! Files of a build that no program reads when it runs: compilers' and build systems' own.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Folders that hold what build systems write for themselves.
pub(crate) fn is_of_builders(folder: &Path) -> bool {
    let names = [
        ".git",
        ".hg",
        ".svn",
        ".fingerprint",
        "CMakeFiles",
        "incremental",
        "meson-private",
    ];
    let name = folder.file_name().unwrap_or_default();
    names.iter().any(|known| name == *known)
}

/// Files that no program reads when it runs: objects, archives, what compilers write about them,
/// and what build systems write about their work, which holds times and so differs where nothing
/// else does.
pub(crate) fn is_of_compilers(file: &Path) -> bool {
    let names = [
        ".ninja_deps",
        ".ninja_log",
        ".cargo-lock",
        ".rustc_info.json",
        "CMakeCache.txt",
        "Makefile",
        "build.ninja",
        "cmake_install.cmake",
        "compile_commands.json",
        "config.log",
        "config.status",
    ];
    let name = file.file_name().unwrap_or_default();
    if names.iter().any(|known| name == *known) {
        return true;
    }
    let ends = [
        "o", "a", "d", "lo", "la", "obj", "gch", "pch", "gcno", "dwo", "rlib", "rmeta",
    ];
    let of_compilers = file
        .extension()
        .is_some_and(|end| ends.iter().any(|known| end == *known));
    of_compilers || is_object(file)
}

/// Those of them that a link takes: objects and archives.
pub(crate) fn is_linked(file: &Path) -> bool {
    let ends = ["o", "a", "lo", "la", "obj", "rlib"];
    let end = file.extension();
    end.is_some_and(|end| ends.iter().any(|known| end == *known)) || is_object(file)
}

/// Whether a file begins as an object or an archive does.
fn is_object(file: &Path) -> bool {
    let mut start = [0; 18];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    let relocatable = [object::elf::ET_REL.0.to_le_bytes()[0], 0];
    read.is_ok()
        && (start.starts_with(b"!<arch>\n")
            || start.starts_with(b"!<thin>\n")
            || (start.starts_with(b"\x7fELF") && start.ends_with(&relocatable)))
}
