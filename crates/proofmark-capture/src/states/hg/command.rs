//! hg, started so that nothing of the user's or the repository's runs.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::states::RevisionError;

/// One call of hg.
pub(super) struct Hg {
    command: Command,
    doing: String,
}

impl Hg {
    /// In a folder of a repository. Neither the user's configuration nor the repository's is read:
    /// both may name hooks and extensions, which are programs.
    pub(super) fn new(folder: &Path, doing: impl Into<String>) -> Hg {
        let mut command = Command::new("hg");
        for name in [
            "HG",
            "HGEDITOR",
            "HGMERGE",
            "HGPLAINEXCEPT",
            "HGUSER",
            "CHGHG",
        ] {
            command.env_remove(name);
        }
        command
            .current_dir(folder)
            .env("HGPLAIN", "1")
            .env("HGRCPATH", "")
            .env("HGRCSKIPREPO", "1")
            .env("HGENCODING", "utf-8")
            .env("HGENCODINGMODE", "replace")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .arg("--noninteractive");
        Hg {
            command,
            doing: doing.into(),
        }
    }

    pub(super) fn args<I>(mut self, arguments: I) -> Hg
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        self.command.args(arguments);
        self
    }

    /// An absolute path.
    pub(super) fn arg_path(mut self, path: &Path) -> Hg {
        self.command.arg(path);
        self
    }

    /// What it prints.
    pub(super) fn bytes(mut self) -> Result<Vec<u8>, RevisionError> {
        let output = self.command.output().map_err(RevisionError::NoMercurial)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let lines = said.lines().map(|line| line.trim_start_matches("abort: "));
        Err(RevisionError::Mercurial {
            doing: self.doing,
            said: lines.collect::<Vec<&str>>().join(" / "),
        })
    }

    /// What it prints, without the line end.
    pub(super) fn text(self) -> Result<String, RevisionError> {
        let bytes = self.bytes()?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}

/// Records that end in a zero byte.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}
