//! What a build misses in its copy: files of the original that nobody copied.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Sought;
use crate::elf;
use crate::of_tools::{is_of_builders, is_of_compilers};

impl Sought {
    /// Files of the original, relative to it, that the copy has not got, and that a build of the
    /// copy looked for there in vain, such as a `config.mk` that is not under version control: the
    /// user's own build finds them. What it made there itself later it did not miss, and files of
    /// compilers and build systems are their own business.
    #[must_use]
    pub fn not_copied(&self, original: &Path, copy: &Path) -> BTreeSet<PathBuf> {
        let lacks = |name: &PathBuf| {
            let rest = name.strip_prefix(copy).ok()?;
            let there = original.join(rest);
            let counts = there.is_file() && !name.exists() && !is_of_tools(&there, rest);
            counts.then(|| rest.to_owned())
        };
        self.absent.iter().filter_map(lacks).collect()
    }
}

fn is_of_tools(file: &Path, name: &Path) -> bool {
    is_of_compilers(file) || elf::is_image(file) || name.ancestors().any(is_of_builders)
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
        for name in ["config.mk", "made.h", "main.o", "never.mk", "CMakeFiles/x"] {
            let place = original.join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "").unwrap();
        }
        fs::create_dir(&copy).unwrap();
        fs::write(copy.join("made.h"), "").unwrap();
        let names = ["config.mk", "made.h", "main.o", "CMakeFiles/x", "none.mk"];
        let sought = Sought {
            absent: names.iter().map(|name| copy.join(name)).collect(),
            ..Sought::default()
        };
        let told = sought.not_copied(&original, &copy);
        assert_eq!(told, [PathBuf::from("config.mk")].into());
    }
}
