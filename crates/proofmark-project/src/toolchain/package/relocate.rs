//! Programs that lie in a folder of their own and not where their distribution puts them: where
//! they find their libraries, and the loader that starts them, is written into them.
//!
//! A variable such as `LD_LIBRARY_PATH` would reach the machine's own programs too, which they
//! start.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection};
use walkdir::WalkDir;

/// Unpacked packages.
pub(super) struct Moved<'a> {
    /// The folder that they lie in.
    pub(super) from: &'a Path,
    /// The folder that this one will be.
    pub(super) to: &'a Path,
    /// They bring the loader that starts them.
    pub(super) with_loader: bool,
    /// The tool that writes it.
    pub(super) patchelf: &'a Path,
}

/// What a file says about where it is at home.
struct Elf {
    /// The loader of a program; a library has none.
    loader: Option<PathBuf>,
}

/// Rewrites the programs, and the libraries that look for others.
pub(super) fn programs(moved: &Moved<'_>) -> Result<(), String> {
    let usr = moved.from.join("usr");
    let libraries = library_folders(&usr);
    let mut path = OsString::new();
    for folder in &libraries {
        if !path.is_empty() {
            path.push(":");
        }
        path.push(moved.to.join("usr/lib").join(folder));
    }
    if path.is_empty() && !moved.with_loader {
        return Ok(());
    }
    // What lies deeper beside the libraries is loaded by the C library alone.
    let ours = |folder: &Path| {
        let parts = folder.strip_prefix(&usr).unwrap_or(folder);
        !parts.components().any(|part| part.as_os_str() == "gconv")
    };
    let entries = WalkDir::new(&usr).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| ours(entry.path())) {
        let entry = entry.map_err(|error| error.to_string())?;
        if !entry.file_type().is_file() || is_of_the_loader(entry.path()) {
            continue;
        }
        let Some(elf) = read(entry.path()) else {
            continue;
        };
        let mut patch = Command::new(moved.patchelf);
        match elf.loader {
            // The old kind of path holds for what its libraries load as well.
            Some(loader) => {
                patch.args(["--force-rpath", "--add-rpath"]).arg(&path);
                if moved.with_loader {
                    let loader = loader_in(moved, &loader)?;
                    patch.arg("--set-interpreter").arg(loader);
                }
            }
            None if looks_elsewhere(moved.patchelf, entry.path()) => {
                patch.arg("--add-rpath").arg(&path);
            }
            None => continue,
        }
        super::run(patch.arg(entry.path()))?;
    }
    Ok(())
}

/// `x86_64-linux-gnu` and the like, where there are libraries.
fn library_folders(usr: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(usr.join("lib"));
    let names = entries.into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<OsString> = names
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().contains("-linux-gnu"))
        .collect();
    found.sort();
    found
}

/// The loader itself and the C library, which is a program too.
fn is_of_the_loader(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("ld-linux") || name.starts_with("libc.so")
}

/// `None` of what is no program or library for this machine.
fn read(file: &Path) -> Option<Elf> {
    let data = fs::read(file).ok()?;
    if !data.starts_with(b"\x7fELF") {
        return None;
    }
    let elf = object::File::parse(&*data).ok()?;
    let of_this_machine = match elf.architecture() {
        object::Architecture::X86_64 => cfg!(target_arch = "x86_64"),
        object::Architecture::Aarch64 => cfg!(target_arch = "aarch64"),
        _ => false,
    };
    let linked = matches!(
        elf.kind(),
        object::ObjectKind::Executable | object::ObjectKind::Dynamic
    );
    if !of_this_machine || !linked {
        return None;
    }
    let loader = elf.section_by_name(".interp");
    let loader = loader.and_then(|section| section.data().ok());
    Some(Elf {
        loader: loader.map(|name| {
            let name = String::from_utf8_lossy(name);
            PathBuf::from(name.trim_end_matches('\0'))
        }),
    })
}

/// Whether a library has a path of its own, which takes the place of its program's.
fn looks_elsewhere(patchelf: &Path, library: &Path) -> bool {
    let said = super::run(Command::new(patchelf).arg("--print-rpath").arg(library));
    said.is_ok_and(|path| !path.trim_ascii().is_empty())
}

/// The packages' own loader, where it will be. Debian's `/lib64` is `/usr/lib64`.
fn loader_in(moved: &Moved<'_>, loader: &Path) -> Result<PathBuf, String> {
    let below = loader.strip_prefix("/").unwrap_or(loader);
    let places = [Path::new("usr").join(below), below.to_owned()];
    let found = places.iter().find(|place| moved.from.join(place).exists());
    found
        .map(|place| moved.to.join(place))
        .ok_or_else(|| format!("the packages do not bring {}", loader.display()))
}

#[cfg(test)]
mod tests {
    use super::super::super::driver::on_path;
    use super::*;

    /// This machine's loader and C library, as if a package had brought them.
    fn with_loader_and_libc(usr: &Path) {
        let loader = std::env::current_exe().unwrap();
        let loader = read(&loader).unwrap().loader.unwrap();
        let place = usr.join(loader.strip_prefix("/").unwrap());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(&loader, &place).unwrap();
        let libraries = usr
            .join("lib")
            .join(format!("{}-linux-gnu", std::env::consts::ARCH));
        fs::create_dir_all(&libraries).unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let libc = maps
            .split_whitespace()
            .find(|word| word.ends_with("/libc.so.6"));
        fs::copy(libc.unwrap(), libraries.join("libc.so.6")).unwrap();
    }

    #[test]
    fn a_program_runs_with_the_loader_and_the_libraries_of_its_own_folder() {
        let missing = ["patchelf", "cc"]
            .into_iter()
            .find(|tool| on_path(tool).is_none());
        if let Some(tool) = missing {
            assert!(
                std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
                "needs {tool}"
            );
            println!("skipped: needs {tool}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("fresh"), folder.path().join("place"));
        let usr = from.join("usr");
        with_loader_and_libc(&usr);
        fs::create_dir(usr.join("bin")).unwrap();
        // It says what it has loaded.
        let source = folder.path().join("main.c");
        let text = "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"/proc/self/maps\", \"r\"); \
                    for (int c; (c = getc(f)) != EOF;) putchar(c); return 0; }\n";
        fs::write(&source, text).unwrap();
        let mut compile = Command::new("cc");
        compile.arg("-o").arg(usr.join("bin/prog")).arg(&source);
        assert!(compile.status().unwrap().success());
        fs::write(usr.join("bin/script"), "#!/bin/sh\n").unwrap();

        programs(&Moved {
            from: &from,
            to: &to,
            with_loader: true,
            patchelf: Path::new("patchelf"),
        })
        .unwrap();
        fs::rename(&from, &to).unwrap();
        let said = Command::new(to.join("usr/bin/prog")).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let own = |name: &str| {
            let mut lines = said.lines().filter(|line| line.contains(name)).peekable();
            lines.peek().is_some() && lines.all(|line| line.contains(to.to_str().unwrap()))
        };
        assert!(own("ld-linux") && own("libc.so.6"), "{said}");
    }
}
