//! What was there while a build was made, and is gone.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use crate::detours::without_detours;

/// The copy of the sources in which a build was made, which is gone since.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gone {
    /// Where all was that was made for it, without links and detours.
    #[serde(with = "lossless::one")]
    pub whole: PathBuf,
    /// Where the copy itself was, in that.
    #[serde(with = "lossless::one")]
    pub folder: PathBuf,
    /// What it was a copy of, without links and detours.
    #[serde(with = "lossless::one")]
    pub original: PathBuf,
    /// The stored list of its files when the build had ended ([`Contents`]).
    #[serde(with = "lossless::one")]
    pub files: PathBuf,
}

/// The files that a copy of sources had when its build had ended, those of compilers and build
/// systems left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents(BTreeMap<PathBuf, Digest>);

impl Contents {
    /// From a list: the path of each file below the folder of all, and BLAKE3 of its content in
    /// hexadecimal, each with a zero byte behind it.
    fn of(list: &[u8]) -> Contents {
        let mut parts = list.split(|byte| *byte == 0);
        let file = || {
            let path = PathBuf::from(OsStr::from_bytes(parts.next()?));
            Some((path, std::str::from_utf8(parts.next()?).ok()?.parse().ok()?))
        };
        Contents(std::iter::from_fn(file).collect())
    }

    /// Whether something was there at a path below the folder of all, or may have been: where a
    /// link of the copy led is not known any more.
    #[must_use]
    pub fn had(&self, path: &Path) -> bool {
        let mut above = path.ancestors().skip(1);
        self.at(path) != Place::Nothing || above.any(|above| self.0.contains_key(above))
    }

    /// What there was at a path below the folder of all.
    #[must_use]
    pub fn at(&self, path: &Path) -> Place {
        if let Some(hash) = self.0.get(path) {
            return Place::File(hash.clone());
        }
        let mut names: Vec<PathBuf> = self
            .0
            .range(path.to_owned()..)
            .take_while(|(file, _)| file.starts_with(path))
            .filter_map(|(file, _)| {
                let name = file.strip_prefix(path).ok()?.components().next()?;
                Some(PathBuf::from(name.as_os_str()))
            })
            .collect();
        names.dedup();
        if names.is_empty() {
            Place::Nothing
        } else {
            Place::Folder(names)
        }
    }
}

/// What there was at a path of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing that counts.
    Nothing,
    /// A file, with BLAKE3 of its content.
    File(Digest),
    /// A folder with files, and the names in it.
    Folder(Vec<PathBuf>),
}

impl Gone {
    /// The files that there were.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn contents(&self) -> io::Result<Contents> {
        Ok(Contents::of(&fs::read(&self.files)?))
    }

    /// A path of the copy as one below the folder of all; `None` of what lay elsewhere.
    #[must_use]
    pub fn within(&self, path: &Path) -> Option<PathBuf> {
        Some(
            without_detours(path)
                .strip_prefix(&self.whole)
                .ok()?
                .to_owned(),
        )
    }

    /// A path of the copy as one of the original; `None` of what lies elsewhere.
    #[must_use]
    pub fn in_original(&self, path: &Path) -> Option<PathBuf> {
        let path = without_detours(path);
        let rest = path.strip_prefix(&self.folder).ok()?;
        Some(self.original.join(rest))
    }

    /// A path of the original as one of the copy, below the folder of all; `None` of what lies
    /// elsewhere.
    #[must_use]
    pub fn copied(&self, path: &Path) -> Option<PathBuf> {
        let path = without_detours(path);
        let rest = path.strip_prefix(&self.original).ok()?;
        let copy = self.folder.strip_prefix(&self.whole).ok()?;
        Some(copy.join(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_folders_were_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let hash = Digest::from(blake3::hash(b"x"));
        let files = root.join("files");
        let names = ["copy/data/a.txt", "copy/data/b/c", "copy/table"];
        let list = names.map(|name| format!("{name}\0{hash}\0"));
        fs::write(&files, list.concat()).unwrap();
        std::os::unix::fs::symlink(&root, root.join("link")).unwrap();
        // Where it leads to, `..` leads out of.
        fs::create_dir_all(root.join("inner")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        std::os::unix::fs::symlink(root.join("inner"), root.join("sub/link")).unwrap();
        let gone = Gone {
            whole: root.join("work"),
            folder: root.join("work/copy"),
            original: root.join("src"),
            files,
        };
        let contents = gone.contents().unwrap();
        let file = Place::File(hash);
        let names = |names: &[&str]| Place::Folder(names.iter().map(PathBuf::from).collect());
        let cases = [
            ("", names(&["data", "table"])),
            ("table", file.clone()),
            ("data", names(&["a.txt", "b"])),
            ("data/a.txt", file),
            ("tab", Place::Nothing),
            ("data/a.txt/x", Place::Nothing),
        ];
        for (path, expected) in cases {
            let ways = [
                "work/copy",
                "link/work/copy",
                "work/copy/none/../more/./..",
                "sub/link/../work/copy",
            ];
            for place in ways {
                let within = gone.within(&root.join(place).join(path)).unwrap();
                assert_eq!(contents.at(&within), expected, "{path}");
            }
            let copied = gone.copied(&root.join("link/src").join(path)).unwrap();
            assert_eq!(contents.at(&copied), expected, "{path}");
        }
        for (path, had) in [("data", true), ("table/below/it", true), ("tab", false)] {
            assert_eq!(contents.had(&Path::new("copy").join(path)), had, "{path}");
        }
        assert_eq!(gone.within(&root.join("other/table")), None);
        assert_eq!(gone.copied(&root.join("work/copy/table")), None);
    }
}
