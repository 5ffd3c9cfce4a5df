//! PyPI: a wheel, by pip. `ziglang` brings LLVM's clang, which is used as such.
//!
//! `zig cc` adds a sanitiser, the host's CPU, its own C library and a linker in its own process.
//! The same program is plain clang when it is called as `zig clang`: with the GNU target, the
//! machine's headers, start files and linker, so that every build of a matrix is linked by the same
//! linker.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::super::driver::Driver;

/// The name under which zig's program is started: what knows a clang by its name knows it.
const CLANG: &str = "clang";

pub(super) fn driver(place: &Path, command: Option<&str>) -> Option<Driver> {
    let zig = place.join("ziglang");
    let clang = zig.join(CLANG);
    if clang.is_file() {
        let target = format!("--target={}-linux-gnu", std::env::consts::ARCH);
        let resources = zig.join("lib");
        return Some(Driver {
            first: vec![
                CLANG.into(),
                target.into(),
                "-resource-dir".into(),
                resources.into(),
            ],
            first_cxx: vec![OsString::from("--driver-mode=g++")],
            ..Driver::plain(clang.clone(), Some(clang))
        });
    }
    let program = place.join(command?);
    program.is_file().then(|| Driver::plain(program, None))
}

pub(super) fn install(package: &str, place: &Path) -> Result<(), String> {
    let python = ["python3", "python"]
        .into_iter()
        .find(|python| has_pip(python))
        .ok_or("there is no Python with pip; install python3-pip")?;
    super::run(
        Command::new(python)
            .args([
                "-m",
                "pip",
                "install",
                "--no-deps",
                "--no-compile",
                "--only-binary=:all:",
            ])
            .args([
                "--disable-pip-version-check",
                "--no-input",
                "--quiet",
                "--target",
            ])
            .arg(place)
            .arg(package),
    )?;
    let zig = place.join("ziglang/zig");
    if zig.is_file() {
        let clang = zig.with_file_name(CLANG);
        fs::hard_link(&zig, &clang)
            .or_else(|_| fs::copy(&zig, &clang).map(drop))
            .map_err(|error| format!("cannot write {}: {error}", clang.display()))?;
    }
    Ok(())
}

fn has_pip(python: &str) -> bool {
    super::run(Command::new(python).args(["-m", "pip", "--version"])).is_ok()
}
