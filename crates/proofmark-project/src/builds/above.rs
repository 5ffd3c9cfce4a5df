//! What a build looks for above its copy and would find above the source: the copy lies elsewhere,
//! and has nothing around it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Where a copy and what it was copied from lie.
pub(super) struct Copied<'a> {
    /// The copy.
    pub(super) work: &'a Path,
    /// The folder of proofmark's own in which copies lie.
    pub(super) own: &'a Path,
    /// What was copied.
    pub(super) source: &'a Path,
}

impl Copied<'_> {
    /// Why a build that looked for these names in vain, and `read` those, is not what it would be
    /// in the source's own place.
    pub(super) fn misses(&self, sought: &[PathBuf], read: &BTreeSet<PathBuf>) -> Option<String> {
        let (way, there) = sought.iter().find_map(|name| self.beside(name, read))?;
        Some(format!(
            "the build looks for {}, which lies above the source and not above its copy: {}\n  \
             next: let `path` name a folder that holds it, and `build` go down from there",
            way.display(),
            there.display()
        ))
    }

    /// A name above the copy as the source would say it, and what is there above the source.
    fn beside(&self, name: &Path, read: &BTreeSet<PathBuf>) -> Option<(PathBuf, PathBuf)> {
        let name = straight(name);
        if name.starts_with(self.work) || !name.starts_with(self.own) {
            return None;
        }
        let above = self.work.ancestors().zip(self.source.ancestors()).skip(1);
        let mut way = PathBuf::new();
        for (copied, source) in above {
            way.push("..");
            let Ok(rest) = name.strip_prefix(copied) else {
                continue;
            };
            let there = source.join(rest);
            // Who looks in every folder above finds it in the end; the copy is no repository.
            let found = read.contains(&there) || rest.starts_with(".git");
            return (there.exists() && !found).then(|| (way.join(rest), there));
        }
        None
    }
}

/// A path without `.` and `..`.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                straight.pop();
            }
            Component::CurDir => {}
            part => straight.push(part),
        }
    }
    straight
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_above_a_source_is_not_looked_for_above_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let source = root.join("a/src");
        fs::create_dir_all(&source).unwrap();
        fs::write(root.join("a/config.mk"), "").unwrap();
        fs::write(root.join("top.h"), "").unwrap();
        let (own, work) = (root.join(".p"), root.join(".p/work/key"));
        let copied = Copied {
            work: &work,
            own: &own,
            source: &source,
        };
        let misses = |name: &str, read: &[&str]| {
            let read = read.iter().map(|name| root.join(name)).collect();
            copied.misses(&[work.join(name)], &read)
        };
        for (name, way) in [
            ("../config.mk", "../config.mk"),
            ("sub/../../config.mk", "../config.mk"),
            ("../../top.h", "../../top.h"),
            ("../src", "../src"),
        ] {
            let said = misses(name, &[]).unwrap();
            let told = format!("looks for {way}, which lies above the source");
            assert!(said.contains(&told), "{said}");
        }
        for name in [
            "../other.mk",
            "config.mk",
            "../../../../a/config.mk",
            "../.git",
        ] {
            assert_eq!(misses(name, &[]), None, "{name}");
        }
        assert_eq!(misses("../config.mk", &["a/config.mk"]), None);
    }
}
