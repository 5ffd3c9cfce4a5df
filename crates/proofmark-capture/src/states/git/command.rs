//! git, started so that nothing of the user's runs: no hook, no file system monitor, no filter.

use std::ffi::{OsStr, OsString};
use std::io::{Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::states::RevisionError;

/// Variables that lead git, and a build that asks it, to another repository than the one that a
/// folder is in, or to other objects than it has.
pub const VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// One call of git.
pub(super) struct Git {
    command: Command,
    doing: String,
    input: Option<Vec<u8>>,
}

impl Git {
    /// In the user's repository, with the user's configuration: what it says counts, what it would
    /// run does not.
    pub(super) fn of_user(folder: &Path, doing: impl Into<String>) -> Git {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder);
        for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null"] {
            command.args(["-c", setting]);
        }
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        Git {
            command,
            doing: doing.into(),
            input: None,
        }
    }

    /// In the repository around a source, wherever the user has told git to stop looking for one.
    pub(super) fn of_source(folder: &Path, doing: impl Into<String>) -> Git {
        Git::of_user(folder, doing).wherever()
    }

    /// With nothing that the user or the machine has set up, attributes of files included.
    pub(super) fn of_nobody(folder: &Path, doing: impl Into<String>) -> Git {
        Git::of_copy(folder, doing)
            .wherever()
            .env("GIT_ATTR_NOSYSTEM", "1")
            .args(["-c", "core.attributesFile=/dev/null"])
    }

    fn wherever(mut self) -> Git {
        self.command.env_remove("GIT_CEILING_DIRECTORIES");
        self
    }

    /// In a repository of proofmark's own, with its configuration alone.
    pub(super) fn of_copy(folder: &Path, doing: impl Into<String>) -> Git {
        let mut git = Git::of_user(folder, doing);
        git.command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for name in [
            "GIT_CONFIG",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_PARAMETERS",
            "GIT_TEMPLATE_DIR",
        ] {
            git.command.env_remove(name);
        }
        git
    }

    pub(super) fn args<I>(mut self, arguments: I) -> Git
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.command.args(arguments);
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Git {
        self.command.env(name, value);
        self
    }

    /// What it reads.
    pub(super) fn input(mut self, input: Vec<u8>) -> Git {
        self.input = Some(input);
        self
    }

    /// Whether it succeeds.
    pub(super) fn succeeds(self) -> Result<bool, RevisionError> {
        match self.bytes() {
            Ok(_) => Ok(true),
            Err(RevisionError::Git { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What it prints.
    pub(super) fn bytes(self) -> Result<Vec<u8>, RevisionError> {
        self.with_errors().map(|(printed, _)| printed)
    }

    /// What it prints, and what it says on standard error although it succeeds.
    pub(super) fn with_errors(mut self) -> Result<(Vec<u8>, String), RevisionError> {
        if let Some(input) = &self.input {
            // A file, for git writes while it reads.
            let failed = |source| RevisionError::file("write", &std::env::temp_dir(), source);
            let mut file = tempfile::tempfile().map_err(failed)?;
            file.write_all(input).map_err(failed)?;
            file.rewind().map_err(failed)?;
            self.command.stdin(file);
        }
        let output = self.command.output().map_err(RevisionError::NoGit)?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.success() {
            return Ok((output.stdout, said));
        }
        Err(RevisionError::Git {
            doing: self.doing,
            said,
        })
    }

    /// What it prints, without the line end.
    pub(super) fn text(self) -> Result<String, RevisionError> {
        let bytes = self.bytes()?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// A path that it prints.
    pub(super) fn path(self) -> Result<PathBuf, RevisionError> {
        let mut bytes = self.bytes()?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(PathBuf::from(OsString::from_vec(bytes)))
    }
}

/// Records that end in a zero byte.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

pub(super) fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
