//! What one compilation reads, as it is noted.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

/// What one compilation reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    /// Where the driver was started.
    pub cwd: OsText,
    /// As the driver was given it.
    pub source: OsText,
    /// As the compiler names them; a name that leads to nothing was looked for and not found.
    pub files: Vec<OsText>,
    /// The folders that are searched, in their order.
    pub search: Vec<OsText>,
    /// Folders that would be searched if they were there.
    pub nowhere: Vec<OsText>,
    /// Files that the driver's words may name, whatever for: profiles, plug-ins, scripts of the
    /// linker, files of specifications.
    pub named: Vec<OsText>,
    /// Why nothing is known.
    pub failed: Option<String>,
    /// The driver's words where it links; the source is the driver itself then.
    pub linked: Option<Vec<OsText>>,
    /// Where the driver's words say that profiles lie: files, or folders of them.
    pub profiles: Vec<OsText>,
}

impl Note {
    pub(super) fn of(source: &OsStr) -> Note {
        Note {
            cwd: env::current_dir().unwrap_or_default().into(),
            source: source.into(),
            files: Vec::new(),
            search: Vec::new(),
            nowhere: Vec::new(),
            named: Vec::new(),
            failed: None,
            linked: None,
            profiles: Vec::new(),
        }
    }

    /// The folders that are searched, as `-v` lists them.
    pub(super) fn searched(&mut self, said: &[u8]) {
        let mut listing = false;
        for line in said.split(|byte| *byte == b'\n') {
            if line.starts_with(b"#include ") && line.ends_with(b"search starts here:") {
                listing = true;
            } else if line.starts_with(b"End of search list.") {
                listing = false;
            } else if let Some(name) = line
                .strip_prefix(b"ignoring nonexistent directory \"")
                .and_then(|rest| rest.strip_suffix(b"\""))
            {
                self.nowhere.push(OsStr::from_bytes(name).into());
            } else if listing && let Some(name) = line.strip_prefix(b" ") {
                self.search.push(OsStr::from_bytes(name).into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_that_are_searched_are_read() {
        let mut note = Note::of("a.c".as_ref());
        note.searched(
            b"ignoring nonexistent directory \"/none\"\n#include \"...\" search starts here:\n inc\n#include <...> search starts here:\n /usr/include\nEnd of search list.\n other\n",
        );
        assert_eq!(note.search, ["inc", "/usr/include"].map(OsText::from));
        assert_eq!(note.nowhere, ["/none"].map(OsText::from));
    }
}
