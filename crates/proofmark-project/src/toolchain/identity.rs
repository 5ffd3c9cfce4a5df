//! What a compiler is known by: its programs and their libraries, and the names that they are
//! started under.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use proofmark_capture::{Tool, ToolRole, hash_bytes};
use proofmark_terms::Digest;

use super::driver::Driver;

/// Driver, compiler proper, assembler and linker.
pub(super) fn tools(driver: &Driver, flags: &[String]) -> Vec<Tool> {
    let mut programs: Vec<(ToolRole, PathBuf)> = vec![(ToolRole::Driver, driver.program.clone())];
    programs.extend(driver.cxx.iter().map(|cxx| (ToolRole::Driver, cxx.clone())));
    let mut add = |role, name: &str| {
        let program = driver.program_of(name, flags);
        programs.extend(program.map(|program| (role, program)));
    };
    add(ToolRole::Compiler, "cc1");
    add(ToolRole::Compiler, "cc1plus");
    if !driver.is_clang() {
        add(ToolRole::Assembler, "as");
    }
    add(ToolRole::Linker, &linker_name(flags));
    let mut found: Vec<Tool> = Vec::new();
    for (role, path) in programs {
        let tool = Tool::examined(role, &path, &driver.env);
        if let Some(tool) = tool
            && !found.iter().any(|known| known.path == tool.path)
        {
            found.push(tool);
        }
    }
    found
}

/// What `-fuse-ld=` makes of `ld`.
fn linker_name(flags: &[String]) -> String {
    let chosen = flags.iter().rev().find_map(|flag| {
        flag.strip_prefix("-fuse-ld=")
            .or_else(|| flag.strip_prefix("--ld-path="))
    });
    match chosen {
        None => "ld".to_owned(),
        Some(name) if name.contains('/') || name.starts_with("ld") => name.to_owned(),
        Some(name) => format!("ld.{name}"),
    }
}

/// A digest of all of it: two compilers of one identity make the same of the same.
pub(super) fn identity(
    tools: &[Tool],
    target: &str,
    driver: &Driver,
    flags: &[String],
    told: &str,
) -> Digest {
    let mut text = format!("{target}\n{flags:?}\n{:?}\n{told}\n", driver.first.len());
    // It reads files of its own folder too, which nobody else can change.
    text.extend(
        driver
            .made
            .as_ref()
            .map(|made| format!("{}\n", made.identity)),
    );
    for program in [Some(&driver.program), driver.cxx.as_ref()] {
        text.push_str(&format!(
            "{:?}\n",
            program.map(|program| started_as(program))
        ));
    }
    for tool in tools {
        text.push_str(&format!("{} {}\n", tool.role, tool.hash));
        for library in &tool.libraries {
            text.push_str(&format!("  {}\n", library.hash));
        }
    }
    hash_bytes(text.as_bytes())
}

/// The name by which a program knows itself: links of several names may lead to one that goes by
/// it. A script may go by its folder as well; what else lies in the folder of a compiler is seen
/// when it reads it.
fn started_as(program: &Path) -> &OsStr {
    let mut first = [0; 2];
    let read = File::open(program).and_then(|mut file| file.read_exact(&mut first));
    match program.file_name() {
        Some(name) if read.is_err() || first != *b"#!" => name,
        _ => program.as_os_str(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_compiler_is_known_by_the_name_that_it_is_started_under() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("other")).unwrap();
        for (file, text) in [("script", "#!/bin/sh\n"), ("binary", "\x7fELF")] {
            fs::write(at(file), text).unwrap();
            for link in ["slow", "fast", "other/slow"] {
                symlink(at(file), at(&format!("{link}-{file}"))).unwrap();
            }
        }
        let of = |cc: &str, cxx: Option<&str>| {
            let driver = Driver::plain(at(cc), cxx.map(at));
            identity(&[], "", &driver, &[], "")
        };
        for file in ["script", "binary"] {
            let [slow, fast, other] =
                ["slow", "fast", "other/slow"].map(|link| format!("{link}-{file}"));
            assert_eq!(of(&slow, None), of(&slow, None));
            assert_ne!(of(&slow, None), of(&fast, None));
            assert_ne!(of(&slow, Some(&slow)), of(&slow, Some(&fast)));
            assert_eq!(of(&slow, None) == of(&other, None), file == "binary");
        }
    }
}
