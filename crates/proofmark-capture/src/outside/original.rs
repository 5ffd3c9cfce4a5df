//! A build that is made in a copy, and goes back to what it was copied from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Sought, content};
use crate::elf;
use crate::of_tools::{is_of_builders, is_of_compilers};

impl Sought {
    /// Whether a build had to do with anything below a folder by that folder's own name, what lies
    /// in the build's `own` folders there left out.
    #[must_use]
    pub fn goes_to(&self, original: &Path, own: &[&Path]) -> bool {
        self.read.iter().chain(&self.absent).any(|name| {
            let real = name.canonicalize();
            let place = real.as_ref().unwrap_or(name);
            place.starts_with(original) && !own.iter().any(|own| place.starts_with(own))
        })
    }

    /// Files of the original, relative to it, that the copy has not got, and that a build of the copy
    /// looked for there in vain, such as a `config.mk` that is not under version control: the user's
    /// own build finds them. What it made there itself later it did not miss, and files of compilers
    /// and build systems are their own business.
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

    /// A file of the original that a build of its copy had to do with by its own name, as by
    /// `-I/home/me/project`, and that is another one in the copy: a patch, or a revision, was not
    /// seen there. `original` has no links in it. Where both are alike nothing is lost.
    #[must_use]
    pub fn of_original(&self, original: &Path, copy: &Path) -> Option<PathBuf> {
        let in_copy = |name: &Path| {
            let rest = name.strip_prefix(original).ok()?;
            let of_system = rest.starts_with(".git") || rest.starts_with(".hg");
            let copied = copy.join(rest);
            (!of_system && !rest.as_os_str().is_empty() && copied.is_file()).then_some(copied)
        };
        let mut read = self.read.iter();
        let other = read.find_map(|name| {
            let real = name.canonicalize().ok()?;
            let copied = in_copy(&real)?;
            (real.is_file() && !are_alike(&real, &copied)).then_some(real)
        });
        let mut absent = self.absent.iter();
        let lacking = absent.find(|name| in_copy(name).is_some() && !name.exists());
        other.or_else(|| lacking.cloned())
    }
}

fn is_of_tools(file: &Path, name: &Path) -> bool {
    is_of_compilers(file) || elf::is_image(file) || name.ancestors().any(is_of_builders)
}

/// Whether two files say the same; what cannot be read does not.
fn are_alike(one: &Path, other: &Path) -> bool {
    let length = |file: &Path| fs::metadata(file).map(|about| about.len()).ok();
    length(one) == length(other)
        && matches!((content(one), content(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn what_the_copy_has_otherwise_is_of_the_original() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (original, copy) = (root.join("src"), root.join("store/work"));
        for (place, cost) in [(&original, "1"), (&copy, "2")] {
            fs::create_dir_all(place.join(".git")).unwrap();
            fs::write(place.join("cost.h"), cost).unwrap();
            fs::write(place.join(".git/HEAD"), cost).unwrap();
            fs::write(place.join("same.h"), "").unwrap();
        }
        fs::write(copy.join("added.h"), "").unwrap();
        fs::write(original.join("own.h"), "").unwrap();
        let told = |read: &[&str], absent: &[&str]| {
            let names = |names: &[&str]| -> BTreeSet<PathBuf> {
                names.iter().map(|name| root.join(name)).collect()
            };
            let sought = Sought {
                read: names(read),
                absent: names(absent),
                ..Sought::default()
            };
            sought.of_original(&original, &copy)
        };
        assert_eq!(told(&["src/cost.h"], &[]), Some(root.join("src/cost.h")));
        assert_eq!(told(&[], &["src/added.h"]), Some(root.join("src/added.h")));
        let others = [
            "store/work/cost.h",
            "src/same.h",
            "src/own.h",
            "src/.git/HEAD",
            "other.h",
        ];
        assert_eq!(told(&others, &["src/none.h", "store/none.h"]), None);
    }
}
