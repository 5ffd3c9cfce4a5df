//! Processes as `/proc` shows them: who started whom.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

/// A process: the number alone may be used again, together with the start it is one process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Process {
    pub pid: u32,
    /// Clock ticks since boot.
    pub started: u64,
    /// The executable; empty where it cannot be read.
    pub program: OsText,
}

impl Process {
    /// The process with this number.
    pub(crate) fn of(pid: u32) -> Option<Process> {
        let started = stat_field(pid, 22)?.parse().ok()?;
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        Some(Process {
            pid,
            started,
            program: program.into(),
        })
    }

    /// This process.
    pub(crate) fn this() -> Option<Process> {
        Process::of(std::process::id())
    }

    /// The process that started it.
    pub(crate) fn parent(&self) -> Option<Process> {
        let pid = stat_field(self.pid, 4)?.parse().ok()?;
        if pid == 0 { None } else { Process::of(pid) }
    }

    /// Parent, grandparent and so on, at most `most` of them.
    pub(crate) fn ancestors(&self, most: usize) -> Vec<Process> {
        std::iter::successors(self.parent(), Process::parent)
            .take(most)
            .collect()
    }

    /// Its arguments, `argv[0]` included.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let raw = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let raw = raw.strip_suffix(b"\0").unwrap_or(&raw);
        raw.split(|byte| *byte == 0)
            .map(|text| OsString::from_vec(text.to_vec()))
            .collect()
    }

    /// The folder in which it is.
    pub(crate) fn folder(&self) -> Option<std::path::PathBuf> {
        fs::read_link(format!("/proc/{}/cwd", self.pid)).ok()
    }

    /// The file name of its executable.
    pub(crate) fn name(&self) -> String {
        Path::new(self.program.as_ref())
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// It is one of LLVM's compilers.
    pub(crate) fn is_clang(&self) -> bool {
        let name = self.name();
        name.contains("clang") || name.contains("flang")
    }

    /// It is Rust's compiler.
    pub(crate) fn is_rustc(&self) -> bool {
        self.name() == "rustc"
    }
}

/// A field of `/proc/PID/stat`, counted from 1 as in proc(5). The second one may hold spaces and
/// parentheses.
fn stat_field(pid: u32, number: usize) -> Option<String> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_whitespace()
        .nth(number.checked_sub(3)?)
        .map(str::to_owned)
}
