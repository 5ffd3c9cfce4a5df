//! What was there while a build was made, and is gone.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_terms::lossless;
use serde::{Deserialize, Serialize};

/// The copy of the sources in which a build was made, which is gone since.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gone {
    /// Where it was, without links and detours.
    #[serde(with = "lossless::one")]
    pub folder: PathBuf,
    /// The stored list of its files when the build had ended: their paths below it, each with a
    /// zero byte behind it. Those of compilers and build systems are left out.
    #[serde(with = "lossless::one")]
    pub names: PathBuf,
}

impl Gone {
    /// Whether there was a file, or a folder with files, at a path.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn had(&self, path: &Path) -> io::Result<bool> {
        let path = where_it_was(path);
        let Ok(rest) = path.strip_prefix(&self.folder) else {
            return Ok(false);
        };
        let (rest, names) = (rest.as_os_str().as_bytes(), fs::read(&self.names)?);
        let below = |name: &[u8]| match name.strip_prefix(rest) {
            Some([] | [b'/', ..]) => true,
            Some(_) => rest.is_empty(),
            None => false,
        };
        let mut names = names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        Ok(names.any(below))
    }
}

/// A path without links and detours, as far as it still leads anywhere.
fn where_it_was(path: &Path) -> PathBuf {
    let real = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    real.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_folders_were_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let names = root.join("names");
        fs::write(&names, b"data/a.txt\0table\0").unwrap();
        std::os::unix::fs::symlink(&root, root.join("link")).unwrap();
        let gone = Gone {
            folder: root.join("work/copy"),
            names,
        };
        for there in ["", "/table", "/data", "/data/a.txt"] {
            let path = format!("work/copy{there}");
            assert!(gone.had(&root.join(&path)).unwrap(), "{path}");
            assert!(gone.had(&root.join("link").join(&path)).unwrap(), "{path}");
        }
        for never in [
            "copy/tab",
            "copy/data/b.txt",
            "copy/data/a.txt/x",
            "other/table",
        ] {
            assert!(
                !gone.had(&root.join("work").join(never)).unwrap(),
                "{never}"
            );
        }
    }
}
