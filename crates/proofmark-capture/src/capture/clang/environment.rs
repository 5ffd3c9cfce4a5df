//! The environment that a clang ran with, of which a note is still open.
//!
//! A Makefile exports variables (`C_INCLUDE_PATH`) that nobody has who did not run it, and clang
//! starts nothing that could tell. But clang holds its note open until it ends, so that the process
//! is found by that. What is read here stays in memory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use crate::programs::FLAGS_FILE;
use crate::session::SESSION;

/// Variables by which clang would write elsewhere than to its object, or edit its arguments once
/// more: what it noted is edited already.
const LEFT_OUT: [&str; 9] = [
    "CCC_OVERRIDE_OPTIONS",
    "CC_LOG_DIAGNOSTICS",
    "CC_PRINT_HEADERS",
    "CC_PRINT_INTERNAL_STAT",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_PROC_STAT",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    SESSION,
];

/// The variables of a process, as a compilation that is made once more is to have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Environment(pub Vec<(OsString, OsString)>);

impl Environment {
    /// That of the process that holds this file open. `None` where there is none any more, or where
    /// it is another user's.
    pub(super) fn of_who_holds(file: &Path) -> Option<Environment> {
        let holds = |process: &Path| {
            let open = fs::read_dir(process.join("fd")).into_iter().flatten();
            open.filter_map(Result::ok)
                .any(|one| fs::read_link(one.path()).is_ok_and(|target| target == file))
        };
        let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
        let mut numbered = processes.filter(|one| {
            let name = one.file_name();
            name.as_bytes().iter().all(u8::is_ascii_digit)
        });
        let process = numbered.find(|one| holds(&one.path()))?.path();
        let text = fs::read(process.join("environ")).ok()?;
        // What has ended meanwhile has an empty one.
        (!text.is_empty()).then(|| Environment::read(&text))
    }

    fn read(text: &[u8]) -> Environment {
        let mut found = Vec::new();
        for variable in text.split(|byte| *byte == 0) {
            let Some(at) = variable.iter().position(|byte| *byte == b'=') else {
                continue;
            };
            let (name, value) = (&variable[..at], &variable[at + 1..]);
            let name = OsStr::from_bytes(name);
            if name.is_empty() || LEFT_OUT.iter().any(|one| name == *one) {
                continue;
            }
            let value = if name == "COMPILER_PATH" {
                without_shims(OsStr::from_bytes(value))
            } else {
                value.to_vec()
            };
            found.push((name.to_owned(), OsString::from_vec(value)));
        }
        Environment(found)
    }
}

/// A list of folders without those of shims: what is compiled once more here is no part of the
/// build.
fn without_shims(folders: &OsStr) -> Vec<u8> {
    let all = folders.as_bytes().split(|byte| *byte == b':');
    let own: Vec<&[u8]> = all
        .filter(|folder| {
            !Path::new(OsStr::from_bytes(folder))
                .join(FLAGS_FILE)
                .exists()
        })
        .collect();
    own.join(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Read as _;
    use std::process::{Command, Stdio};

    #[test]
    fn the_environment_is_that_of_the_process_that_holds_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("note");
        fs::write(&file, "").unwrap();
        assert_eq!(Environment::of_who_holds(&file), None);
        let shims = folder.path().join("shims");
        fs::create_dir_all(&shims).unwrap();
        fs::write(shims.join(FLAGS_FILE), "").unwrap();
        // A clang opens its note itself, when it has begun. So does this.
        let mut other = Command::new("sh")
            .args(["-c", "exec 3< \"$0\"; echo open; read -r end"])
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env_clear()
            .env("C_INCLUDE_PATH", "a:b")
            .env("CCC_OVERRIDE_OPTIONS", "# +-O3")
            .env("COMPILER_PATH", format!("{}:/own", shims.display()))
            .spawn()
            .unwrap();
        let mut said = [0; 5];
        other
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut said)
            .unwrap();
        let found = Environment::of_who_holds(&file);
        drop(other.stdin.take());
        other.wait().unwrap();
        let mut found = found.unwrap().0;
        found.sort();
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        assert_eq!(
            found,
            [pair("COMPILER_PATH", "/own"), pair("C_INCLUDE_PATH", "a:b")]
        );
    }
}
