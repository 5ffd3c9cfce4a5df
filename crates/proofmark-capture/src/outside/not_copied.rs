//! What a build misses in its copy: files and folders of the original that nobody copied.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Sought;
use crate::of_tools::{is_linked, is_of_builders, is_of_compilers};

impl Sought {
    /// Files and folders of the original, relative to it, that the copy has not got, and that a
    /// build of the copy looked for there in vain, such as a `config.mk` that is not under version
    /// control, or a library that was built before: the user's own build finds them. What it made
    /// there itself later it did not miss, and what compilers and build systems write for
    /// themselves is their own business.
    #[must_use]
    pub fn not_copied(&self, original: &Path, copy: &Path) -> BTreeSet<PathBuf> {
        let lacks = |name: &PathBuf| {
            let rest = name.strip_prefix(copy).ok()?;
            let there = original.join(rest);
            let counts = |there: &Path| there.is_file() && !is_of_tools(there, rest);
            let counts = !name.exists() && (counts(&there) || holds(&there, counts));
            counts.then(|| rest.to_owned())
        };
        self.absent.iter().filter_map(lacks).collect()
    }
}

/// Whether a folder has such a file. Of a large one the first files have to do.
fn holds(folder: &Path, is_such: impl Fn(&Path) -> bool) -> bool {
    const MOST: usize = 1000;
    let files = walkdir::WalkDir::new(folder).into_iter().take(MOST);
    folder.is_dir() && files.flatten().any(|file| is_such(file.path()))
}

fn is_of_tools(file: &Path, name: &Path) -> bool {
    (is_of_compilers(file) && !is_linked(file)) || name.ancestors().any(is_of_builders)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_not_in_the_copy_and_was_looked_for_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (original, copy) = (root.join("src"), root.join("copy"));
        for name in [
            "config.mk",
            "made.h",
            "main.o",
            "never.mk",
            "CMakeFiles/x",
            "deps/include/codec.h",
            "objects/sub/main.o",
            "listed/main.d",
            ".git/config",
        ] {
            let place = original.join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "").unwrap();
        }
        fs::create_dir(&copy).unwrap();
        fs::write(copy.join("made.h"), "").unwrap();
        fs::create_dir(original.join("empty")).unwrap();
        let names = [
            "config.mk",
            "made.h",
            "main.o",
            "CMakeFiles/x",
            "none.mk",
            "deps/include",
            "objects",
            "listed",
            "empty",
            ".git",
        ];
        let sought = Sought {
            absent: names.iter().map(|name| copy.join(name)).collect(),
            ..Sought::default()
        };
        let told = sought.not_copied(&original, &copy);
        assert_eq!(
            told,
            ["config.mk", "deps/include", "main.o", "objects"]
                .map(PathBuf::from)
                .into()
        );
    }
}
