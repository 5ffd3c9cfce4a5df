//! Programs as a shell or a compiler's driver finds them, without the shims that may stand in
//! front.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// In every folder of shims: the flags that they add to compilations, one a line.
pub(crate) const FLAGS_FILE: &str = ".proofmark-shims";

/// The folders of `PATH`.
pub(crate) fn path_dirs() -> Vec<PathBuf> {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect()
}

/// The first executable of this name that is not itself a shim, of whichever store: a shim that
/// finds a shim never ends.
pub(crate) fn search(name: &OsStr, dirs: &[PathBuf]) -> Option<PathBuf> {
    let files = dirs.iter().map(|dir| dir.join(name));
    files
        .filter(|file| is_program(file))
        .find(|file| !is_shim(file))
}

/// In a folder of shims, or a link to this very program.
pub(crate) fn is_shim(file: &Path) -> bool {
    let marked = |folder: &Path| folder.join(FLAGS_FILE).exists();
    let this =
        || file.canonicalize().ok() == env::current_exe().and_then(|this| this.canonicalize()).ok();
    file.ancestors().skip(1).take(3).any(marked) || this()
}

fn is_program(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

/// A command as the shell would find it; never one of proofmark's own shims. `None` where there is
/// none.
#[must_use]
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|file| !is_shim(file));
    }
    search(name, &path_dirs())
}

/// The folders that a compiler driver itself searches for its programs.
pub(crate) fn program_dirs(program: &Path, argv0: &OsStr, options: &[OsString]) -> Vec<PathBuf> {
    program_dirs_and_version(program, argv0, options).0
}

/// The same, and what the driver says of its version. A driver takes its time to begin, so that it
/// is asked both at once.
pub(crate) fn program_dirs_and_version(
    program: &Path,
    argv0: &OsStr,
    options: &[OsString],
) -> (Vec<PathBuf>, String) {
    let asked = Command::new(program)
        .arg0(argv0)
        .args(options)
        .args(["-v", "-print-search-dirs"])
        .env_remove("COMPILER_PATH")
        .env_remove("CCC_OVERRIDE_OPTIONS")
        .env_remove("COLLECT_GCC_OPTIONS")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = asked else {
        return (Vec::new(), String::new());
    };
    let line = output
        .stdout
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"programs: ="));
    let dirs = line.map_or_else(Vec::new, |line| {
        env::split_paths(OsStr::from_bytes(line)).collect()
    });
    (dirs, String::from_utf8_lossy(&output.stderr).into_owned())
}
