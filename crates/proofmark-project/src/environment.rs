//! What builds get of the machine: the variables of the user's in a list, whose values are part of a
//! build's key, what they inherit beside variables, the processor, and the number of cores. All
//! other variables are cleared.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use proofmark_capture::states::{inherited, processor};

/// What builds need to find programs, folders and proxies. `docs/matrix.md` has the list.
const PASSED: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
];

/// What the user's environment is to builds.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    passed: Vec<(OsString, OsString)>,
    cleared: Vec<OsString>,
    /// Who builds are, their limits and the like, and which processor they are told of.
    inherited: [String; 2],
}

impl Environment {
    pub(crate) fn of_this_process() -> Environment {
        let (passed, others): (Vec<_>, Vec<_>) =
            env::vars_os().partition(|(name, _)| PASSED.iter().any(|known| name == *known));
        let mut passed = passed;
        passed.sort();
        Environment {
            passed,
            cleared: others.into_iter().map(|(name, _)| name).collect(),
            inherited: [inherited(), processor()],
        }
    }

    /// Variables that a build does not get.
    pub(crate) fn cleared(&self) -> impl Iterator<Item = &OsStr> {
        self.cleared.iter().map(OsString::as_os_str)
    }

    /// What a key holds of it.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let inherited = self.inherited.iter().map(String::as_bytes);
        let passed = self.passed.iter().flat_map(|(name, value)| [name, value]);
        for text in inherited.chain(passed.map(|text| text.as_bytes())) {
            hasher.update(&text.len().to_le_bytes()).update(text);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// How many cores a build may use, however many are made at a time: `{jobs}`.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
