//! A build that is made in a copy, and goes back to what it was copied from.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Sought, content};

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

/// Whether two files say the same; what cannot be read does not.
fn are_alike(one: &Path, other: &Path) -> bool {
    let length = |file: &Path| fs::metadata(file).map(|about| about.len()).ok();
    length(one) == length(other)
        && matches!((content(one), content(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

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
